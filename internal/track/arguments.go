package track

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// ArgumentError is an argument that a call must not be given (MPI standard, the description of the function).
type ArgumentError struct {
	Param    int        // of the function
	Index    int        // in an array, else -1
	Why      string     // goes on after the argument: "is negative"
	Overflow bool       // it is what became of a number that its type can't hold, or there is no room for the result
	Allowed  bool       // the call may be made: nothing of use comes of it
	Defined  bool       // so it may, and the standard says what comes of it, which the program may look at
	Other    match.Call // that has to do with it, empty if there is none
	Role     string     // of Other: "freed"
	Advice   string     // what to do about it, if that does not follow from the kind of parameter
}

// judging is the call whose arguments are looked at.
type judging struct {
	t   *Tracker
	th  *Thread
	pr  *Process
	p   *plan
	c   *event.Call
	rec []byte
	v   *View // communicator, window or file that it works on, nil if it is not known
	e   ArgumentError
}

// rule looks at one argument. It returns false if that is wrong, and says in judging.e how.
type rule func(*judging) bool

func (j *judging) wrong(param int, why string) bool {
	j.e = ArgumentError{Param: param, Index: -1, Why: why}
	return false
}

// element is wrong for an element of an array.
func (j *judging) element(param, index int, why string) bool {
	j.wrong(param, why)
	j.e.Index = index
	return false
}

// significant reports whether a parameter means anything in this call. Whoever asks has found it wrong otherwise.
func (j *judging) significant(param int) bool {
	return j.pr.Significant(j.c, param)
}

// judge looks at all arguments of a call. What is wrong is in t.judging.e if it returns false.
func (t *Tracker) judge(th *Thread, p *plan, c *event.Call) bool {
	pr := th.Process
	if len(p.rules) == 0 || pr.Lost || len(pr.names.words) == 0 || th.Failure != nil && th.Failure.Refused {
		return true
	}
	j := t.begin(th, p, c)
	defer j.end()
	for _, r := range p.rules {
		if !r(j) {
			return false
		}
	}
	return true
}

// begin returns a call as the rules see it.
func (t *Tracker) begin(th *Thread, p *plan, c *event.Call) *judging {
	j := &t.judging
	j.t, j.th, j.pr, j.p, j.c, j.rec = t, th, th.Process, p, c, c.Raw()
	j.v = t.viewOf(j.pr, p, j.rec)
	return j
}

// end lets go of the call, whose memory is not to be kept.
func (j *judging) end() { j.c, j.rec = nil, nil }

// judgeArguments looks at the arguments of a call that is no collective, and tells of the first that is wrong.
func (t *Tracker) judgeArguments(th *Thread, p *plan, c *event.Call) {
	if th.Explained == Unexplained && !t.judge(th, p, c) {
		t.wrongArgument(th, th.call(c.Raw()))
	}
}

func (t *Tracker) wrongArgument(th *Thread, call match.Call) {
	th.Explained = ByArgument
	e := t.judging.e
	t.Events.WrongArgument.Publish(WrongArgument{th, call, &e})
}

// judgeCollective looks at the arguments of a collective that nobody else needs to know to tell that they are wrong; the
// entry says what is.
func (t *Tracker) judgeCollective(th *Thread, p *plan, c *event.Call) {
	if t.entry.Invalid != 0 || th.Explained != Unexplained || t.judge(th, p, c) {
		return
	}
	e := &t.judging.e
	if e.Overflow {
		t.wrongArgument(th, th.call(c.Raw()))
		return
	}
	t.entry.Invalid, t.entry.Why = e.Param+1, e.Why
}

// endpoint is where a send or receive has its arguments.
type endpoint struct{ buffer, count, peer, tag, comm slot }

// plain reports whether there is nothing odd about the arguments of a send or receive, as with nearly all; op is what was made of
// them, nil if nothing could be.
func (s *endpoint) plain(op *match.Op, maxTag int32, rec []byte) bool {
	return op != nil && uint32(op.Tag) <= uint32(maxTag) && op.Count >= 0 && binary.LittleEndian.Uint64(rec[s.buffer.At:]) != 0
}

// doubtful reports whether the arguments of a send or receive, in which something is odd, are worth a closer look.
func (pr *Process) doubtful(op *match.Op, s *endpoint, rec []byte) bool {
	if op == nil {
		return int32(s.peer.Int(rec)) != pr.procNull || uint32(s.tag.Int(rec)) > uint32(pr.maxTag) || s.count.Int(rec) < 0 ||
			pr.View(s.comm.Handle(rec)) == nil
	}
	return uint32(op.Tag) > uint32(pr.maxTag) && op.Tag != match.Any || op.Count < 0 || op.Count != 0 && s.buffer.Handle(rec) == 0
}

// judgements of arguments.
type arguing uint8

const (
	argued     arguing = iota // whenever it is called
	whenFailed                // only if it has failed: else they have been found right on the way
	inTurn                    // when it takes its place among the collectives
)

// planArguments works out what may be wrong with the arguments of a function, from the kinds and roles of its parameters.
func (p *plan) planArguments() {
	f := p.fn
	switch p.act {
	case send, recv, sendrecv, isend, irecv, isendrecv, wait, waitall, waitany, waitsome, test, testall, testany, testsome, requestStatus:
		p.argues = whenFailed
	default:
		if p.collective {
			p.argues = inTurn
		}
	}
	p.sends = endpoint{p.address(mpiapi.SendBuf), p.count, p.dest, p.tag, p.comm}
	p.receives = endpoint{p.address(mpiapi.RecvBuf), p.recvCount, p.source, p.recvTag, p.comm}
	if p.receives.buffer.At == 0 { // MPI_Sendrecv_replace has one for both
		p.receives.buffer, p.receives.count = p.sends.buffer, p.count
	}
	if f.Base == mpiapi.IDAbort || strings.HasPrefix(f.Name, "MPI_T_") { // the tool interface is another world
		return
	}
	add := func(r rule) {
		if r != nil {
			p.rules = append(p.rules, r)
		}
	}
	for i := range f.Params {
		add(p.resultRule(i))
	}
	for i := range f.Params {
		add(p.handleRule(i))
	}
	add(p.commRule())
	for i := range f.Params {
		add(p.leastRule(i))
		add(p.arrayRule(i))
		add(p.textRule(i))
	}
	for i := range f.Params {
		add(p.rankRule(i))
		add(p.tagRule(i))
		add(p.constantRule(i))
	}
	p.rules = append(p.rules, p.specialRules()...)
	for i := range f.Params {
		add(p.bufferRule(i))
	}
}

func (p *plan) valueOf(i int) slot { return event.ValueSlot(p.fn, i) }

// named returns where the value of a parameter is, given its name.
func (p *plan) named(name string) slot { return p.valueOf(p.fn.Param(name)) }

const nullPointer = "is a null pointer"

// resultRule finds null pointers where the call is to leave a result.
func (p *plan) resultRule(i int) rule {
	q := &p.fn.Params[i]
	if !q.Pointer || q.Dir == mpiapi.In || q.Elements.Kind != mpiapi.NoArray {
		return nil
	}
	at := slot{At: q.Layout.At, Wide: true}
	switch {
	case q.Kind == mpiapi.Status:
		return func(j *judging) bool {
			if at.Handle(j.rec) != 0 {
				return true
			}
			if ignore, ok := j.pr.names.constant("MPI_STATUS_IGNORE"); !ok || ignore == 0 {
				return true
			}
			return j.wrong(i, nullPointer)
		}
	case q.Kind.Handle(), q.Kind == mpiapi.Keyval, q.Kind == mpiapi.Int, q.Kind == mpiapi.Count, q.Kind == mpiapi.Aint, q.Kind == mpiapi.Offset:
		return func(j *judging) bool { return at.Handle(j.rec) != 0 || j.wrong(i, nullPointer) }
	}
	return nil
}

// leastRule finds numbers that are too small.
func (p *plan) leastRule(i int) rule {
	q := &p.fn.Params[i]
	limit, ok := p.least(i)
	if !ok {
		return nil
	}
	at := p.valueOf(i)
	return func(j *judging) bool {
		if v := at.Int(j.rec); v >= limit || q.AtRoot && !j.significant(i) {
			return true
		}
		if limit > 0 {
			return j.wrong(i, "is not positive")
		}
		return j.wrong(i, "is negative")
	}
}

// least returns the least value that a parameter may have, false if any will do, or if another check looks at it.
func (p *plan) least(i int) (limit int64, ok bool) {
	f, q := p.fn, &p.fn.Params[i]
	switch q.Kind {
	case mpiapi.Int, mpiapi.Count, mpiapi.Aint, mpiapi.Offset:
	default:
		return 0, false
	}
	if q.Pointer || p.constructor != nil || p.act == bufferAttach {
		return 0, false
	}
	switch q.Role {
	case mpiapi.SendCount, mpiapi.RecvCount:
		// Collectives that move data from process to process have their own look.
		return 0, !p.collective || p.file.At != 0
	case mpiapi.TargetCount, mpiapi.Partitions:
		return 0, true
	}
	for k := range f.Params {
		if e := f.Params[k].Elements; e.Kind == mpiapi.ByParam && e.Arg == i {
			return 0, true
		}
	}
	switch base := mpiapi.ByID(f.Base).Name; q.Name {
	case "size":
		return 0, base != "MPI_Type_match_size"
	case "disp_unit":
		return 1, true
	case "offset":
		return 0, f.Param("whence") < 0 && base != "MPI_File_get_byte_offset"
	case "nnodes":
		return 1, base == "MPI_Dims_create"
	case "outsize", "insize", "incount", "maxprocs":
		return 0, true
	}
	return 0, false
}

// arrayRule finds null pointers in the place of arrays with elements.
func (p *plan) arrayRule(i int) rule {
	f, q := p.fn, &p.fn.Params[i]
	if !q.Pointer || q.Kind == mpiapi.Status || len(q.Unless) > 0 || q.Role == mpiapi.ErrorCode || p.constructor != nil || p.act == typeContents {
		return nil
	}
	at := slot{At: q.Layout.At, Wide: true}
	var n func(j *judging) int64
	switch e := q.Elements; e.Kind {
	case mpiapi.ByParam:
		if f.Params[e.Arg].Pointer {
			return nil
		}
		count := p.valueOf(e.Arg)
		n = func(j *judging) int64 { return count.Int(j.rec) }
	case mpiapi.BySize, mpiapi.ByLocalSize:
		n = func(j *judging) int64 {
			if j.v == nil {
				return 0
			}
			return int64(j.v.Peers) // none of the two is empty
		}
	default:
		return nil
	}
	if p.fn.Base == mpiapi.IDCommSpawn || p.fn.Base == mpiapi.IDCommSpawnMultiple {
		if q.Dir != mpiapi.In { // MPI_ERRCODES_IGNORE may be null
			return nil
		}
	}
	counts := -1 // of what is displaced
	switch q.Role {
	case mpiapi.SendDispls:
		counts = f.Arg(mpiapi.SendCount)
	case mpiapi.RecvDispls:
		counts = f.Arg(mpiapi.RecvCount)
	}
	return func(j *judging) bool {
		return at.Handle(j.rec) != 0 || n(j) <= 0 || counts >= 0 && !j.any(counts) || !j.significant(i) || j.wrong(i, nullPointer)
	}
}

// textRule finds texts and functions that are not there, and keys and values of info objects that are too long (section 10).
func (p *plan) textRule(i int) rule {
	q := &p.fn.Params[i]
	at := slot{At: q.Layout.At, Wide: true}
	switch {
	case q.Kind == mpiapi.Function && (q.Name == "user_fn" || strings.HasSuffix(q.Name, "errhandler_fn")):
		return func(j *judging) bool { return at.Handle(j.rec) != 0 || j.wrong(i, nullPointer) }
	case q.Kind != mpiapi.String || q.Dir != mpiapi.In:
		return nil
	}
	limit := ""
	if strings.HasPrefix(p.fn.Name, "MPI_Info_") {
		limit = map[string]string{"key": "MPI_MAX_INFO_KEY", "value": "MPI_MAX_INFO_VAL"}[q.Name]
	}
	return func(j *judging) bool {
		if at.Handle(j.rec) == 0 {
			return !j.significant(i) || j.wrong(i, nullPointer)
		}
		if limit == "" {
			return true
		}
		text, ok := j.c.Text(i)
		most, known := j.pr.names.constant(limit)
		if !ok || !known || int64(len(text)) < most {
			return true
		}
		return j.wrong(i, fmt.Sprintf("is too long: with the zero at its end it may have %s characters, %d", limit, most))
	}
}

// rankRule finds ranks that are none.
func (p *plan) rankRule(i int) rule {
	q, at := &p.fn.Params[i], p.valueOf(i)
	if at.At == 0 {
		return nil
	}
	anybody, nobody := false, true
	partitioned := p.act == psendInit || p.act == precvInit
	switch {
	case q.Role == mpiapi.Dest, q.Role == mpiapi.TargetRank:
	case q.Role == mpiapi.Source:
		anybody = !partitioned
	case q.Name == "rank" && p.win.At != 0:
	case q.Name == "rank" && p.comm.At != 0:
		nobody = false
	default:
		return nil
	}
	return func(j *judging) bool {
		r, v := int32(at.Int(j.rec)), j.v
		if v == nil || uint32(r) < uint32(v.Peers) || nobody && r == j.pr.procNull || anybody && r == j.pr.anySource {
			return true
		}
		switch {
		case r == j.pr.anySource && partitioned:
			return j.wrong(i, "is MPI_ANY_SOURCE: that is not allowed for partitioned messages")
		case r == j.pr.anySource:
			return j.wrong(i, "is MPI_ANY_SOURCE: that is for receives and probes only")
		case v.Domain == match.Window:
			return j.wrong(i, fmt.Sprintf("is no rank of the window: they go from 0 to %d", v.Peers-1))
		case v.Split != 0:
			return j.wrong(i, fmt.Sprintf("is no rank of the remote group of the inter-communicator: they go from 0 to %d", v.Peers-1))
		}
		return j.wrong(i, fmt.Sprintf("is no rank of the communicator: they go from 0 to %d", v.Peers-1))
	}
}

// tagRule finds tags that are out of range.
func (p *plan) tagRule(i int) rule {
	q, at := &p.fn.Params[i], p.valueOf(i)
	if q.Role != mpiapi.SendTag && q.Role != mpiapi.RecvTag || at.At == 0 || p.collective {
		return nil
	}
	partitioned := p.act == psendInit || p.act == precvInit
	anything := q.Role == mpiapi.RecvTag && !partitioned
	return func(j *judging) bool {
		tag := int32(at.Int(j.rec))
		if uint32(tag) <= uint32(j.pr.maxTag) || anything && tag == j.pr.anyTag {
			return true
		}
		return j.wrong(i, j.pr.aboutTag(tag, partitioned))
	}
}

func (pr *Process) aboutTag(tag int32, partitioned bool) string {
	switch {
	case tag == pr.anyTag && partitioned:
		return "is MPI_ANY_TAG: that is not allowed for partitioned messages"
	case tag == pr.anyTag:
		return "is MPI_ANY_TAG: that is for receives and probes only"
	case tag < 0:
		return "is negative"
	}
	return fmt.Sprintf("is more than MPI_TAG_UB, which is %d", pr.maxTag)
}

// bufferRule finds null pointers where there are data. MPI_BOTTOM is one, so datatypes that say where in memory their data
// lie are fine (MPI standard, section 5.1.12).
func (p *plan) bufferRule(i int) rule {
	f, q := p.fn, &p.fn.Params[i]
	if q.Kind != mpiapi.Buffer {
		return nil
	}
	var count, typ, peer int
	switch q.Role {
	case mpiapi.SendBuf:
		count, typ, peer = f.Arg(mpiapi.SendCount), f.Arg(mpiapi.SendType), f.Arg(mpiapi.Dest)
		if count < 0 {
			count = f.Arg(mpiapi.RecvCount) // MPI_Reduce_scatter
		}
	case mpiapi.RecvBuf:
		count, typ, peer = f.Arg(mpiapi.RecvCount), f.Arg(mpiapi.RecvType), f.Arg(mpiapi.Source)
		if typ < 0 && (f.Arg(mpiapi.ReduceOp) >= 0 || f.Base == mpiapi.IDCompareAndSwap) {
			typ = f.Arg(mpiapi.SendType)
			if count < 0 {
				count = f.Arg(mpiapi.SendCount)
			}
		}
	default:
		return nil
	}
	if typ < 0 || f.Params[typ].Pointer {
		return nil // MPI_Alltoallw
	}
	if p.win.At != 0 {
		peer = f.Arg(mpiapi.TargetRank)
	}
	at, typeAt := slot{At: q.Layout.At, Wide: true}, p.valueOf(typ)
	to := p.valueOf(peer)
	var op slot
	if q.Role == mpiapi.SendBuf && p.win.At != 0 && f.Arg(mpiapi.RecvBuf) >= 0 { // what is fetched only
		op = p.valueOf(f.Arg(mpiapi.ReduceOp))
	}
	return func(j *judging) bool {
		if at.Handle(j.rec) != 0 {
			return true
		}
		ty := j.pr.Type(typeAt.Handle(j.rec)).Of()
		switch {
		case ty == nil || ty.Size <= 0 || ty.TrueLB < 0 || ty.TrueLB >= firstPage,
			to.At != 0 && int32(to.Int(j.rec)) == j.pr.procNull,
			op.At != 0 && j.pr.NameHandle(mpiapi.Op, op.Handle(j.rec)) == "MPI_NO_OP",
			!j.moves(i, count), !j.significant(i):
			return true
		}
		return j.wrong(i, "is a null pointer though there are data")
	}
}

// firstPage is how much of the address space nothing ever lies in.
const firstPage = 4096

// moves reports whether there are elements in a buffer, as its count says.
func (j *judging) moves(buffer, count int) bool {
	f, p := j.p.fn, j.p
	name := ""
	if p.collective && p.agree != nil {
		name = p.agree.Name()
	}
	receives := f.Params[buffer].Role == mpiapi.RecvBuf
	switch {
	case name == "MPI_Exscan" && receives && (j.v == nil || j.v.Me == 0):
		return false // nothing arrives there
	case count < 0:
		return true // one
	case !f.Params[count].Pointer:
		return j.c.Int(count) > 0 && (!strings.HasPrefix(name, "MPI_Neighbor") || j.neighbours(receives) > 0) && !j.otherSide(receives)
	}
	list, ok := j.c.In(count)
	if !ok {
		return false
	}
	if name == "MPI_Reduce_scatter" && receives {
		if j.v == nil {
			return false
		}
		first, _ := j.v.Group(j.v.Me)
		me := int(j.v.Me - first)
		return me < list.Len() && list.At(me) > 0
	}
	return j.any(count)
}

// any reports whether an array of counts has one that is not 0.
func (j *judging) any(count int) bool {
	list, _ := j.c.In(count)
	for i := range list.Len() {
		if list.At(i) > 0 {
			return true
		}
	}
	return false
}

// otherSide reports whether a buffer of a reduction between groups is one that the process has no use for: the root receives
// only.
func (j *judging) otherSide(receives bool) bool {
	part, _ := j.pr.Part(j.c)
	return part.Between && part.Root && !receives && j.p.fn.Arg(mpiapi.ReduceOp) >= 0
}

// neighbours returns how many neighbours there are to receive from or to send to, 0 if that is not known.
func (j *judging) neighbours(receive bool) int {
	if j.v == nil || j.v.topology == nil {
		return 0
	}
	return len(j.v.topology.neighbours(receive))
}

// withdrawWrong takes back what a call has begun that fails, for its arguments are wrong: nobody will match it.
func (t *Tracker) withdrawWrong(th *Thread) {
	if th.Explained != ByArgument {
		return
	}
	for i, op := range th.ops {
		if op != nil {
			t.Match.Withdraw(op)
			t.Match.Release(op)
			th.ops[i] = nil
		}
	}
}

// refusedArgument looks at the arguments of a call that has failed: not all are looked at when it is made, and more is certain now.
func (t *Tracker) refusedArgument(th *Thread, call match.Call) {
	p := &t.plans[call.Func()]
	if th.Explained != Unexplained || p.argues == inTurn && th.view != nil {
		return
	}
	if c, err := event.ParseCall(call.Raw); err == nil && !t.judge(th, p, &c) {
		t.wrongArgument(th, call)
	}
}
