package message

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// signatureLimit is about how many bytes of a compact signature are shown.
const signatureLimit = 160

// findings reports what one check finds in a run.
type findings struct {
	x    *check.Run
	told map[string]bool // by key: the text of a finding is needed only once
}

func newFindings(x *check.Run) *findings {
	return &findings{x: x, told: make(map[string]bool)}
}

// text sets the texts of a finding.
type text func(m *message, f *finding.Finding)

// message is a message whose two sides do not match, as its finding shows it.
type message struct {
	send, recv *match.Op
	from, to   int // ranks
	datatype.Comparison
	sends, receives string // functions
	sent, expected  string // signatures
	line            string // of the receive
}

func (fs *findings) report(s, r *match.Op, c datatype.Comparison, t text) {
	x := fs.x
	m := &message{
		send: s, recv: r, from: x.Rank(s.Call), to: x.Rank(r.Call), Comparison: c,
		sends: x.Func(s.Call).Name, receives: x.Func(r.Call).Name,
	}
	f := &finding.Finding{
		Key:   x.Place(s.Call) + "|" + x.Place(r.Call),
		Ranks: []int{m.to, m.from},
		Sites: append([]finding.Site{x.Site("send", s.Call), x.Site("receive", r.Call)}, fs.origins(s, r)...),
	}
	if !fs.told[f.Key] {
		fs.told[f.Key] = true
		m.sent, m.expected = s.Use().Signature(signatureLimit), r.Use().Signature(signatureLimit)
		m.line = x.Line(r.Call)
		f.Details = m.details(x)
		t(m, f)
	}
	x.Report(f)
}

// origins are the places where the program created the datatypes, as far as they are known.
func (fs *findings) origins(s, r *match.Op) []finding.Site {
	var sites []finding.Site
	sites = fs.x.Origins("send type", s.Type)
	if r.Type != s.Type {
		sites = append(sites, fs.x.Origins("receive type", r.Type)...)
	}
	return sites
}

func (m *message) details(x *check.Run) map[string]any {
	s, r := m.send, m.recv
	d := map[string]any{
		"sender": m.from, "receiver": m.to, "tag": s.Tag, "comm": x.Comm(s.Call, s.Comm),
		"send_count": s.Count, "send_type": s.Type.String(), "receive_count": r.Count, "receive_type": r.Type.String(),
		"send_signature": m.sent, "receive_signature": m.expected, "element": m.At,
		"element_sent": m.Send.String(), "element_expected": m.Recv.String(),
	}
	if p := path(s, "sendtype", m.Send, m.At); p != "" {
		d["element_sent_path"] = p
	}
	if p := path(r, "recvtype", m.Recv, m.At); p != "" {
		d["element_expected_path"] = p
	}
	return d
}

// path addresses element n of the data of op in the tree of its type. It is "" if the type is basic, or has no element
// there. Types without a name get the given one.
func path(op *match.Op, name string, element *datatype.Basic, n int64) string {
	t := op.Type.Of()
	if element == nil || t == nil || t.Elements == 1 && t.Predefined() {
		return ""
	}
	if op.Type.Name != "" {
		name = op.Type.Name
	}
	return datatype.PathTo(t, name, n).Among(op.Count).String()
}

// basic reports whether the datatype of an operation is predefined, and one element.
func basic(op *match.Op) bool {
	t := op.Type.Of()
	return t != nil && t.Elements == 1 && t.Predefined()
}

// signatures is a line of the message: both signatures. It is empty if the first line says everything.
func (m *message) signatures() string {
	if basic(m.send) && basic(m.recv) {
		return ""
	}
	return fmt.Sprintf("\nSent: %s\nExpected: %s", m.sent, m.expected)
}

// difference is a line of the message: the first elements that do not match.
func (m *message) difference() string {
	if basic(m.send) && basic(m.recv) {
		return ""
	}
	line := fmt.Sprintf("\nThe first difference is element %d: %s is sent, %s is expected.", m.At, m.Send, m.Recv)
	if p := path(m.send, "sendtype", m.Send, m.At); p != "" {
		line += fmt.Sprintf("\nIn the sent data, it is %s.", p)
	}
	if p := path(m.recv, "recvtype", m.Recv, m.At); p != "" {
		line += fmt.Sprintf("\nIn the expected data, it is %s.", p)
	}
	return line
}

// both is the first line of the message: what both sides do. how is "as" or "into".
func (m *message) both(how string) string {
	return fmt.Sprintf("%s of rank %d sends %s, but %s of rank %d%s receives it %s %s",
		m.sends, m.from, check.Data(m.send.Count, m.send.Type), m.receives, m.to, check.Parens(m.line), how,
		check.Data(m.recv.Count, m.recv.Type))
}

func mismatch(m *message, f *finding.Finding) {
	f.Message = m.both("as") + m.signatures() + m.difference()
	if match.Overflows(m.send, m.recv) {
		f.Message += "\nThe message is also longer than the receive buffer."
	}
	f.Why = "Both sides must name the same basic types, element by element (MPI standard, section 3.3.1). Otherwise " +
		"MPI may convert the data wrongly, or not at all."
	f.Advice = "Use datatypes with the same sequence of basic types on both sides."
	if s, r := m.send.Type, m.recv.Type; s.Name != "" && r.Name != "" && s.Name != r.Name {
		f.Advice = fmt.Sprintf("Use the same datatype on both sides: receive with %s, or send %s.", s, r)
	}
}

func byteMismatch(m *message, f *finding.Finding) {
	f.Message = m.both("as") + m.signatures() + m.difference()
	f.Why = "MPI_BYTE matches only MPI_BYTE (MPI standard, section 3.3.1). Between machines with different data " +
		"formats, MPI does not convert such data."
	f.Advice = "Use MPI_BYTE on both sides, or the other datatype on both sides."
}

func truncated(m *message, f *finding.Finding) {
	sent, _ := m.send.Use().Elements()
	bytes, _ := m.send.Use().Bytes()
	room, _ := m.recv.Use().Bytes()
	f.Message = m.both("into")
	if basic(m.send) && basic(m.recv) {
		f.Message += fmt.Sprintf(": the message has %s, the buffer %s", check.Plural(int(bytes), "byte", "bytes"),
			check.Plural(int(room), "byte", "bytes"))
	} else {
		f.Message += m.signatures() +
			fmt.Sprintf("\nThe message has %s, the receive has room for %s. Element %d, %s, is the first that "+
				"does not fit.",
				count(sent, bytes), count(m.At, room), m.At, m.Send)
	}
	f.Why = "The call that completes the receive fails with MPI_ERR_TRUNCATE, and the contents of the buffer are " +
		"undefined (MPI standard, section 3.2.4)."
	f.Advice = "Receive with a larger count into a larger buffer, or send less. MPI_Probe and MPI_Get_count tell the " +
		"length of a message before it is received. If the receive is meant for another message, use different tags."
}

func count(elements, bytes int64) string {
	return fmt.Sprintf("%s (%s)", check.Plural(int(elements), "element", "elements"),
		check.Plural(int(bytes), "byte", "bytes"))
}
