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

// Corrupted finds messages whose data did not arrive as they were sent (seed of the rule: the MPI correctness checker of
// Intel's trace collector). It has work only if the processes make sums of the data.
var Corrupted = &check.Check{
	ID: "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED", Severity: finding.Error,
	Title: "the data of a message are not what was sent", Doc: corruptedDoc,
	Needs: []analysis.Need{checksum.Fact},
	Start: func(x *check.Run) {
		var later []*match.Exchange
		x.Match.DataDamaged.On(x.Owner, func(e *match.Exchange) {
			switch {
			case !comparable(e): // nothing follows
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

// keptForLater is how many damaged messages of processes that may communicate in several threads are told of.
const keptForLater = 1000

func process(x *check.Run, op *match.Op) *track.Process {
	return x.Tracker.ThreadByID(op.Call.Thread).Process
}

// comparable reports whether the data must arrive byte by byte as they were sent. Other checks tell of datatypes that don't match;
// packed data are in a form of the library's own; and where a receive has some of its bytes twice, they can't all be there.
func comparable(e *match.Exchange) bool {
	if match.Compare(&e.Send, &e.Recv).Verdict != datatype.Matches || packed(&e.Send) != packed(&e.Recv) {
		return false
	}
	_, twice := datatype.Buffer{Count: e.Recv.Count, Type: e.Recv.Type.Of()}.SelfOverlap()
	return !twice
}

func packed(op *match.Op) bool { return op.Type != nil && op.Type.Name == "MPI_PACKED" }

// corrupted reports a message, if it is certain that it is the one that was received. Where several threads of a process
// communicate, messages may take another order than the calls.
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
			"sender": from, "receiver": to, "tag": s.Tag, "comm": x.Comm(s.Call, s.Comm), "bytes": bytes, "at": first, "length": last - first + 1,
		},
	}
	what := fmt.Sprintf("The %s that rank %d receives from rank %d are not what was sent", check.Plural(int(bytes), "byte", "bytes"), to, from)
	if len(e.Sent.Blocks) > 1 {
		what = fmt.Sprintf("Of the %d bytes that rank %d receives from rank %d, the first that are not what was sent are among those from byte %d to byte %d",
			bytes, to, from, first, last)
		for _, side := range []struct {
			op        *match.Op
			name, say string
		}{{s, "sendtype", "sent"}, {r, "recvtype", "received"}} {
			if p := check.BytePath(side.op.Type, side.name, side.op.Count, int64(first)); p != "" {
				what += fmt.Sprintf(", from %s on in what is %s", p, side.say)
				f.Details["element_"+side.say+"_path"] = p
			}
		}
	}
	f.Message = what + ".\nThe sum of the data when the sender began to send them differs from that of what the receiver had when the receive was complete. " +
		"They were damaged on the way, by MPI or what it uses, or by the program itself: nobody else may write to a receive buffer while the receive is " +
		"under way (MPI standard, section 3.7.2)."
	f.Advice = "Look for threads, or one-sided communication or files, that use the receive buffer at that time. If there are none, try other transports of the " +
		"MPI library, and other nodes: the network, or the memory, may be at fault."
	x.Report(f)
}
