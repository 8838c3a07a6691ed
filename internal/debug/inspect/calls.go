package inspect

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// thread returns the thread with a TID.
func (s *look) thread(tid int) (*tables.Thread, error) {
	threads, err := s.Threads()
	for _, h := range threads {
		if h.TID == tid && tid != 0 {
			return h, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("thread %d has called no MPI", tid)
}

// call answers a request about the call of a thread.
func (s *look) call(q *Request) (*item, error) {
	h, err := s.thread(q.TID)
	if err != nil {
		return nil, err
	}
	return s.callItem(h), nil
}

// calls shows the calls of all threads.
func (s *look) calls() (*item, error) {
	threads, err := s.Threads()
	if err != nil && len(threads) == 0 {
		return nil, err
	}
	var f fields
	for _, h := range threads {
		if h.TID != 0 {
			f.lazy(fmt.Sprintf("thread %d", h.TID), func() *item { return s.callItem(h) })
		}
	}
	problem(&f, err)
	return f.item(counted(len(f.names), "thread", "threads")), nil
}

// problem adds a field that says what could not be shown.
func problem(f *fields, err error) {
	if err != nil {
		f.add("not shown", "%v", err)
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// callItem shows the call that a thread is in, or its last one.
func (s *look) callItem(h *tables.Thread) *item {
	c := &h.Call
	if c.Func == nil {
		return line("in no MPI call that mpivet records")
	}
	text := c.Format(s.names)
	if !h.InCall {
		return line("outside MPI, after %s", text)
	}
	var f fields
	f.add("function", "%s", c.Func.Name)
	for i := range c.Func.Params {
		f.lazy(c.Func.Params[i].Name, func() *item { return s.argument(c, i) })
	}
	if since, ok := s.Since(h.Entered); ok {
		f.add("since", "%s", tables.Ago(since))
	}
	if what := s.awaited(h); what != "" {
		f.add("waits for", "%s", what)
	}
	if h.Polling {
		f.add("repeated", "the thread repeats this call")
	}
	return f.item(text)
}

// awaited returns what the call of a thread waits for, "" if the analyzer has not told it.
func (s *look) awaited(h *tables.Thread) string {
	told, err := s.Told()
	if err != nil || told == nil {
		return ""
	}
	for _, w := range told.Waits {
		if w.Thread == h.Index && w.Call == h.Number {
			return w.For
		}
	}
	return ""
}

// arg returns the text of the first argument with a role, "" if the function has none.
func (s *look) arg(c *event.Call, roles ...mpiapi.Role) string {
	for _, r := range roles {
		if i := c.Func.Arg(r); i >= 0 {
			p := &c.Func.Params[i]
			if p.Kind.Handle() && !p.Pointer {
				return s.handleName(p.Kind, c.Handle(i))
			}
			_, text, _ := strings.Cut(c.FormatArg(i, s.names), "=")
			return text
		}
	}
	return ""
}

// side is what a message is for a process.
type side struct {
	peer, tag, buffer, count, typ mpiapi.Role
	word                          string
}

var (
	sendSide = side{mpiapi.Dest, mpiapi.SendTag, mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType, "to"}
	recvSide = side{mpiapi.Source, mpiapi.RecvTag, mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvType, "from"}
)

// sends and receives report whether calls of a function send or receive a message.
func sends(f *mpiapi.Func) bool {
	switch f.Class {
	case mpiapi.Send, mpiapi.SendRecv, mpiapi.Isend, mpiapi.Isendrecv, mpiapi.SendInit:
		return true
	}
	return false
}

func receives(f *mpiapi.Func) bool {
	switch f.Class {
	case mpiapi.Recv, mpiapi.SendRecv, mpiapi.Irecv, mpiapi.Isendrecv, mpiapi.RecvInit, mpiapi.Mrecv:
		return true
	}
	return false
}

// message describes a message in one line: MPI_Isend to 3, tag 5, MPI_COMM_WORLD, 10 × MPI_INT at 0x7ffe0010.
func (s *look) message(c *event.Call, d side) string {
	var parts []string
	first := c.Func.Name
	if peer := s.arg(c, d.peer); peer != "" {
		first += " " + d.word + " " + peer
	}
	parts = append(parts, first)
	if tag := s.arg(c, d.tag); tag != "" {
		parts = append(parts, "tag "+tag)
	}
	if comm := s.arg(c, mpiapi.TheComm); comm != "" {
		parts = append(parts, comm)
	}
	// A buffer that serves both directions has the roles of sending.
	if typ := s.arg(c, d.typ, mpiapi.SendType); typ != "" {
		parts = append(parts, fmt.Sprintf("%s × %s at %s", s.arg(c, d.count, mpiapi.SendCount), typ,
			s.arg(c, d.buffer, mpiapi.SendBuf)))
	}
	return strings.Join(parts, ", ")
}

// operation describes the operation of a request in one line.
func (s *look) operation(c *event.Call) string {
	switch f := c.Func; {
	case sends(f) && receives(f):
		return s.message(c, sendSide) + "; " + strings.TrimPrefix(s.message(c, recvSide), f.Name+" ")
	case sends(f):
		return s.message(c, sendSide)
	case receives(f):
		return s.message(c, recvSide)
	}
	return c.Format(s.names)
}

// requestItem shows a request.
func (s *look) requestItem(r *tables.Request) *item {
	c := &r.Call
	var f fields
	f.add("operation", "%s", c.Func.Name)
	state := "active"
	if r.Persistent && !r.Active {
		state = "inactive"
	}
	if r.Persistent {
		state += ", persistent"
	}
	f.add("state", "%s", state)
	s.argumentFields(&f, c)
	text := s.operation(c) + ", " + state
	if since, ok := s.Since(r.Begun); ok {
		f.add("since", "%s", tables.Ago(since))
		text += " for " + tables.Ago(since)
	}
	f.add("thread", "%d", r.Thread.TID)
	f.add("handle", "%#x", r.Handle)
	it := f.item(text)
	if r.PC != 0 {
		it.made = []uint64{r.PC}
	}
	return it
}

// requests shows all open requests.
func (s *look) requests() (*item, error) {
	all, unlisted, err := s.Requests()
	if err != nil && len(all) == 0 {
		return nil, err
	}
	var f fields
	for _, r := range all {
		f.lazy(fmt.Sprintf("%#x", r.Handle), func() *item { return s.requestItem(r) })
	}
	text := counted(len(all), "request", "requests")
	if unlisted > 0 {
		text += fmt.Sprintf(", and up to %d that found no room", unlisted)
	}
	problem(&f, err)
	return f.item(text), nil
}

// comms shows the communicators.
func (s *look) comms() (*item, error) {
	objects, err := s.Objects()
	var f fields
	for _, o := range objects {
		if o.Kind == ring.CommObject {
			f.lazy(fmt.Sprintf("%#x", o.Handle), func() *item { return s.handleItem(mpiapi.Comm, o.Handle) })
		}
	}
	text := counted(len(f.names), "communicator", "communicators")
	problem(&f, err)
	return f.item(text), nil
}

// pendingMessage is a message that is sent or received, by an open request or by the call that a thread is in.
type pendingMessage struct {
	text string
	item *item
}

// queues shows the messages that the process sends or waits for, and those that it does not expect.
func (s *look) queues() (*item, error) {
	all, _, err := s.Requests()
	threads, e := s.Threads()
	if e != nil {
		err = e
	}
	var lists [2][]pendingMessage
	for i, d := range []side{sendSide, recvSide} {
		does := sends
		if i == 1 {
			does = receives
		}
		for _, r := range all {
			if does(r.Call.Func) && (r.Active || !r.Persistent) {
				it := s.requestItem(r)
				lists[i] = append(lists[i], pendingMessage{s.message(&r.Call, d) + s.ago(r), it})
			}
		}
		for _, h := range threads {
			switch c := &h.Call; {
			case c.Func == nil || !h.InCall || !does(c.Func):
			case c.Func.Class == mpiapi.Send || c.Func.Class == mpiapi.Recv || c.Func.Class == mpiapi.SendRecv ||
				c.Func.Class == mpiapi.Mrecv && c.Func.Arg(mpiapi.TheRequest) < 0:
				text := fmt.Sprintf("%s, thread %d is in this call", s.message(c, d), h.TID)
				lists[i] = append(lists[i], pendingMessage{text, s.callItem(h)})
			}
		}
	}
	var f fields
	for i, name := range []string{"sends", "receives"} {
		l := lists[i]
		text := counted(len(l), "pending "+name[:len(name)-1], "pending "+name)
		f.lazy(name, func() *item {
			return list(text, int64(len(l)), func(k int64) *item {
				it := *l[k].item
				it.text = l[k].text
				return &it
			})
		})
	}
	told, e := s.Told()
	if e != nil {
		err = e
	}
	unexpected := s.unexpected(told)
	f.lazy("unexpected", func() *item { return unexpected })
	problem(&f, err)
	return f.item(fmt.Sprintf("%s, %s, %s", counted(len(lists[0]), "pending send", "pending sends"),
		counted(len(lists[1]), "pending receive", "pending receives"), unexpected.text)), nil
}

// ago returns since when a request is active.
func (s *look) ago(r *tables.Request) string {
	if since, ok := s.Since(r.Begun); ok {
		return ", for " + tables.Ago(since)
	}
	return ""
}

// unexpected shows the messages that no receive waits for.
func (s *look) unexpected(told *tables.Told) *item {
	if told == nil || told.Time == 0 {
		return line("unexpected messages are not known without the analyzer")
	}
	n := len(told.Unexpected)
	return list(counted(n+told.More, "unexpected message", "unexpected messages"), int64(n), func(i int64) *item {
		u := &told.Unexpected[i]
		comm := s.handleName(mpiapi.Comm, u.Comm)
		text := fmt.Sprintf("from %d, tag %d, %s, %d bytes", u.Source, u.Tag, comm, u.Bytes)
		if u.Func != nil {
			text += ", by " + u.Func.Name
		}
		if u.World >= 0 {
			text += fmt.Sprintf(" of world rank %d", u.World)
		}
		if since, ok := s.Since(u.Since); ok {
			text += ", for " + tables.Ago(since)
		}
		return line("%s", text)
	})
}

// collectives shows how often the process has called each collective on each object.
func (s *look) collectives() (*item, error) {
	objects, err := s.Objects()
	var f fields
	for _, o := range objects {
		if len(o.Counts) > 0 {
			name := s.Label(o)
			f.lazy(fmt.Sprintf("%#x", o.Handle), func() *item {
				it := countsItem(o)
				it.text = name + ": " + it.text
				return it
			})
		}
	}
	text := "collectives on " + counted(len(f.names), "object", "objects")
	problem(&f, err)
	return f.item(text), nil
}

// countsItem shows the collective calls on an object.
func countsItem(o *ring.ObjectView) *item {
	var f fields
	var in []string
	var total uint64
	for _, c := range o.Counts {
		total += c.Entered
		text := fmt.Sprintf("entered %d times", c.Entered)
		if c.Entered == 1 {
			text = "entered once"
		}
		if c.Entered != c.Left {
			text += ", in it now"
			in = append(in, c.Kind.String())
		}
		f.add(c.Kind.String(), "%s", text)
	}
	text := counted(int(min(total, 1<<62)), "collective call", "collective calls")
	if len(in) > 0 {
		text += ", in " + strings.Join(in, ", ") + " now"
	}
	return f.item(text)
}

// findings shows the findings that concern the process.
func (s *look) findings() (*item, error) {
	told, err := s.Told()
	if err != nil {
		return nil, err
	}
	if told == nil || told.Time == 0 {
		return line("findings are not known without the analyzer"), nil
	}
	n := len(told.Findings)
	return list(counted(n, "finding", "findings"), int64(n), func(i int64) *item {
		g := &told.Findings[i]
		var f fields
		f.add("check", "%s", g.Check)
		f.add("severity", "%s", g.Severity)
		f.add("text", "%s", g.Text)
		return f.item(fmt.Sprintf("%s %s: %s", g.Severity, g.Check, g.Text))
	}), nil
}

// pointer answers whether an address is a buffer of a thread's call, with the data.
func (s *look) pointer(q *Request) (*item, error) {
	if q.Address == nil {
		return nil, errRequest(q.Do, "an address")
	}
	h, err := s.thread(q.TID)
	if err != nil || !h.InCall || h.Call.Func == nil {
		return nil, err
	}
	c := &h.Call
	for i := range c.Func.Params {
		p := &c.Func.Params[i]
		if p.Kind != mpiapi.Buffer || c.Addr(i) != uint64(*q.Address) {
			continue
		}
		if n, handle, ok := s.bufferOf(c, i); ok {
			t, err := s.typeOf(handle)
			if err != nil {
				return nil, err
			}
			return s.data(t, uint64(*q.Address), n)
		}
	}
	return nil, nil //nolint:nilnil // it is no buffer
}

// bufferOf returns the number of elements and the datatype of a buffer that is an argument. If it has a part for each
// process, these are all parts.
func (s *look) bufferOf(c *event.Call, i int) (count int64, datatype uint64, ok bool) {
	f := c.Func
	counts, types, displs, parts := mpiapi.SendCount, mpiapi.SendType, mpiapi.SendDispls, f.SendParts
	if f.Params[i].Role == mpiapi.RecvBuf {
		parts = f.RecvParts
		if f.Arg(mpiapi.RecvCount) >= 0 {
			counts = mpiapi.RecvCount
		}
		if f.Arg(mpiapi.RecvType) >= 0 {
			types = mpiapi.RecvType
		}
		displs = mpiapi.RecvDispls
	}
	n, t := f.Arg(counts), f.Arg(types)
	if n < 0 || t < 0 || f.Params[t].Pointer {
		return 0, 0, false
	}
	datatype = c.Handle(t)
	if !f.Params[n].Pointer {
		count = c.Int(n)
		if parts {
			count *= s.groupSize(c)
		}
		return count, datatype, count >= 0
	}
	array, ok := c.In(n)
	if !ok {
		return 0, 0, false
	}
	var at event.Array
	if d := f.Arg(displs); d >= 0 {
		if at, ok = c.In(d); !ok || at.Len() != array.Len() {
			return 0, 0, false
		}
	}
	for k := range array.Len() {
		if at.Len() > 0 {
			count = max(count, at.At(k)+array.At(k))
		} else {
			count += array.At(k)
		}
	}
	return count, datatype, true
}

// groupSize returns the number of parts of a buffer in a collective: that of the processes in the other group, or in
// the only one.
func (s *look) groupSize(c *event.Call) int64 {
	i := c.Func.Arg(mpiapi.TheComm)
	if i < 0 {
		return 1
	}
	o := s.Object(mpiapi.Comm, c.Handle(i))
	switch {
	case o == nil:
		return 1
	case o.RemoteSize > 0:
		return int64(o.RemoteSize)
	}
	return int64(o.Size)
}
