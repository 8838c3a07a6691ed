package message

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/checksum"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed corrupted.md
var corruptedDoc string

// Corrupted finds messages whose data do not arrive as they were sent. The rule comes from the MPI correctness checker
// of Intel's trace collector. The check works only if the processes make checksums of their data.
var Corrupted = &check.Check{
	ID: "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED", Severity: finding.Error,
	Title: "the data of a message are not what was sent", Doc: corruptedDoc,
	Needs: []analysis.Need{checksum.Fact},
	Start: func(x *check.Run) {
		var later []*match.Exchange
		x.Match.DataDamaged.On(x.Owner, func(e *match.Exchange) {
			switch {
			case !comparable(e): // a difference means nothing
			case !process(x, &e.Send).Multiple && !process(x, &e.Recv).Multiple:
				corrupted(x, e)
			case len(later) < keptForLater:
				// It is not known yet whether other threads communicate.
				later = append(later, e)
			}
		})
		x.Track.RunOver.On(x.Owner, func(struct{}) {
			for _, e := range later {
				corrupted(x, e)
			}
		})
	},
}

// keptForLater is how many damaged messages are kept of processes whose other threads may still communicate.
const keptForLater = 1000

func process(x *check.Run, op *match.Op) *track.Process {
	return x.Tracker.ThreadByID(op.Call.Thread).Process
}

// comparable reports whether the data must arrive byte by byte as they were sent. This is not so for datatypes that do
// not match, which other checks report, for packed data, whose form is the library's, and for receives that have a byte
// twice.
func comparable(e *match.Exchange) bool {
	if match.Compare(&e.Send, &e.Recv).Verdict != datatype.Matches || packed(&e.Send) != packed(&e.Recv) {
		return false
	}
	_, twice := datatype.Buffer{Count: e.Recv.Count, Type: e.Recv.Type.Of()}.SelfOverlap()
	return !twice
}

func packed(op *match.Op) bool { return op.Type != nil && op.Type.Name == "MPI_PACKED" }

// corrupted reports a message, if it is certainly the one that was received. If several threads of a process
// communicate, messages may have another order than the calls.
func corrupted(x *check.Run, e *match.Exchange) {
	s, r := &e.Send, &e.Recv
	if len(process(x, s).Threads) > 1 || len(process(x, r).Threads) > 1 || s.Comm.World != nil && s.Comm.World.Unsure {
		return
	}
	from, to := x.Rank(s.Call), x.Rank(r.Call)
	bytes := e.Sent.Bytes
	block, _ := e.Differs()
	first, last := e.Block(block)
	f := &finding.Finding{
		Key:   x.Place(s.Call) + "|" + x.Place(r.Call),
		Ranks: []int{from, to},
		Sites: []finding.Site{x.Site("send", s.Call), x.Site("receive", r.Call)},
		Details: map[string]any{
			"sender": from, "receiver": to, "tag": s.Tag, "comm": x.Comm(s.Call, s.Comm),
			"bytes": bytes, "at": first, "length": last - first + 1,
		},
	}
	what := fmt.Sprintf("%s of rank %d sends %s, but %s of rank %d%s receives other data",
		x.Func(s.Call).Name, from, check.Plural(int(bytes), "byte", "bytes"), x.Func(r.Call).Name, to,
		check.Parens(x.Line(r.Call)))
	if len(e.Sent.Blocks) > 1 {
		what += fmt.Sprintf("\nThe first difference is between byte %d and byte %d", first, last)
		for _, side := range []struct {
			op        *match.Op
			name, say string
		}{{s, "sendtype", "sent"}, {r, "recvtype", "received"}} {
			if p := check.BytePath(side.op.Type, side.name, side.op.Count, int64(first)); p != "" {
				what += fmt.Sprintf(", from %s on in the %s data", p, side.say)
				f.Details["element_"+side.say+"_path"] = p
			}
		}
		what += "."
	}
	f.Message = what
	f.Why = "MPI, the network, the memory or the program changed the data. The program must not write to a receive " +
		"buffer while the receive is pending (MPI standard, section 3.7.2)."
	f.Advice = "Look for threads, one-sided communication or file operations that use the receive buffer at that " +
		"time. If there are none, try another transport of the MPI library, or other nodes."
	x.Report(f)
}
