package race

import (
	"slices"

	"github.com/mpivet/mpivet/internal/analysis"

	"github.com/mpivet/mpivet/internal/analysis/happensbefore"
	"github.com/mpivet/mpivet/internal/analysis/strictreplay"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
)

// Follower listens to the replay of a run. It keeps the log of what the processes learn of each other. With the log, it
// finds races and ready sends that may begin too early.
type Follower struct {
	tracker  *track.Tracker
	log      *happensbefore.Log
	detector *Detector // nil if no check needs races
	// readyTooEarly: nothing ensures that the receive of a ready send is posted when the send begins.
	readyTooEarly stream.Topic[ReadyTooEarly]
	races         stream.Topic[*Race]
	marks         []mark                    // by thread
	meetings      map[*match.Comm]*meetings // by communicator, window or file
	recent        *meetings                 // the last ones used
	receives      map[*match.Op]*Receive    // receives that the detector follows and that are not complete
	sends         map[*match.Op]*Send       // synchronous sends that are received and not complete
	asked         bool                      // there were receives from any source, or ready sends
	idle          bool                      // there were none for a long time, so nothing is logged
}

// patience is the number of steps of the log without a question after which the log rests.
const patience = 1 << 16

// restLog stops logging until a question about orders is expected.
func (f *Follower) restLog() {
	f.idle = true
	f.log.Forget()
}

// ask notes that questions about orders are expected from now on.
func (f *Follower) ask() {
	f.asked = true
	if f.idle {
		f.idle = false
		f.log.Step()
		f.log.Forget()
	}
}

// mark is the moment at which the last call of a thread that began operations did so. All operations of one call begin
// at the same moment, because MPI_Startall and MPI_Sendrecv do not define their order.
type mark struct {
	call, moment uint64
	proc         int32 // of the thread
	known        bool
}

// meetings are the last collectives on a communicator.
type meetings struct {
	comm  *match.Comm
	group happensbefore.Group
	met   bool        // all members have met in one, and group is known
	last  [16]meeting // by position
}

type meeting struct {
	position, entered uint64 // entered is the time at which the last member entered the collective
	known             bool
}

// manyComms is the number of communicators whose collectives are remembered.
const manyComms = 1 << 14

// ReadyTooEarly is a ready send that began although nothing ensures that its receive was posted before.
type ReadyTooEarly struct{ Send, Recv *match.Op }

// ReadySends is the topic of ready sends that may begin too early. An event is valid until the subscriber returns.
var ReadySends = &analysis.Fact[*stream.Topic[ReadyTooEarly]]{
	Name:  "ready sends",
	Needs: []analysis.Need{learned},
	Start: func(r *analysis.Run) *stream.Topic[ReadyTooEarly] { return &learned.Of(r).readyTooEarly },
}

// Races is the topic of receives from MPI_ANY_SOURCE that could have received another message. An event is valid until
// the subscriber returns.
var Races = &analysis.Fact[*stream.Topic[*Race]]{
	Name:  "races",
	Needs: []analysis.Need{learned},
	Start: func(r *analysis.Run) *stream.Topic[*Race] {
		f := learned.Of(r)
		f.detector = New(f.log, f.status, f.races.Publish)
		return &f.races
	},
}

// learned is the follower of a run. Both facts need it.
var learned = &analysis.Fact[*Follower]{
	Name:  "what the processes learn of each other",
	Needs: []analysis.Need{strictreplay.Fact},
	Start: func(r *analysis.Run) *Follower {
		f := follow(r.Tracker)
		strictreplay.Fact.Of(r).Listen(f.listener())
		r.Tracker.Events.RunOver.On(r.Owner, func(struct{}) { f.finish() })
		return f
	},
}

func follow(t *track.Tracker) *Follower {
	return &Follower{
		tracker: t, log: happensbefore.New(), meetings: make(map[*match.Comm]*meetings),
		receives: make(map[*match.Op]*Receive), sends: make(map[*match.Op]*Send),
	}
}

// listener returns the functions that the replay calls.
func (f *Follower) listener() *strictreplay.Listener {
	return &strictreplay.Listener{
		Began: f.began, Received: f.received, Dropped: f.dropped, Synchronized: f.synchronized, Probed: f.probed,
		Met: f.met, Left: f.left, Doubted: f.doubted,
	}
}

// finish ends the search for races at the end of the run.
func (f *Follower) finish() {
	if f.detector != nil {
		f.detector.Finish(func(c *match.Comm, member int32) bool {
			p := f.tracker.ProcessOf(c.World, int(c.Members[member]))
			return p != nil && p.Finalizing
		})
	}
}

// moment returns the moment at which an operation began.
func (f *Follower) moment(op *match.Op) happensbefore.Moment {
	return happensbefore.Moment{Proc: f.mark(op.Call.Thread).proc, At: op.Replay.Moment}
}

func (f *Follower) mark(id ring.ThreadID) *mark {
	if int(id) >= len(f.marks) {
		f.marks = append(f.marks, make([]mark, int(id)+1-len(f.marks))...)
	}
	m := &f.marks[id]
	if !m.known {
		m.known, m.proc = true, int32(f.tracker.ThreadByID(id).Process.Proc.ID)
	}
	return m
}

func (f *Follower) procOf(th *track.Thread) int32 { return f.mark(th.ID).proc }

func (f *Follower) began(op *match.Op) {
	if !f.asked {
		if op.AnySource || op.Mode == match.Ready {
			f.ask()
		} else if f.idle {
			return
		}
	}
	m := f.mark(op.Call.Thread)
	if m.call != op.At {
		f.log.Step()
		m.call, m.moment = op.At, f.log.Now(0).At
		if m.moment > patience && !f.asked {
			f.restLog()
		}
	}
	op.Replay.Moment = m.moment
	if f.detector == nil {
		return
	}
	if op.Send {
		f.detector.Names(op.Comm, op.Me, op.Peer)
		return
	}
	wanted := f.detector.Wanted(op.Comm, op.Me)
	if !op.AnySource && !wanted {
		return
	}
	fn := mpiapi.ByID(op.Call.Func())
	probed := fn.Arg(mpiapi.TheMessage) >= 0 // an earlier matched probe found the message
	anybody := op.AnySource && !probed
	if !anybody && !wanted {
		return
	}
	r := &Receive{
		Source: op.Peer, Tag: op.Tag, Count: op.Count, Type: op.Type, Call: op.Call.Clone(), Begun: f.moment(op),
	}
	if anybody {
		r.Source = match.Any
	}
	if op.AnyTag && !probed {
		r.Tag = match.Any
	}
	// A blocking receive completes before others are posted, so it needs no Coming.
	if fn.Act != mpiapi.ActRecv && fn.Act != mpiapi.ActSendrecv {
		r.Coming = func() (happensbefore.Moment, bool) {
			s := op.Replay.Partner
			if f.receives[op] != r || s == nil || !s.Replay.Begun {
				return happensbefore.Moment{}, false
			}
			return f.moment(s), true
		}
	}
	f.receives[op] = r
	f.detector.Posted(op.Comm, op.Me, r)
	if probed {
		f.detector.Probed(op.Comm, op.Me)
	}
}

func (f *Follower) received(recv, send *match.Op, th *track.Thread, _ uint64) {
	if f.idle {
		return
	}
	f.log.Step()
	sent := f.moment(send)
	f.log.Learn(f.procOf(th), sent)
	if send.Mode == match.Ready && f.readyTooEarly.Wanted() && !f.log.Before(f.moment(recv), sent) {
		f.readyTooEarly.Publish(ReadyTooEarly{send, recv})
	}
	if len(f.receives) == 0 {
		return
	}
	r := f.receives[recv]
	if r == nil {
		return
	}
	delete(f.receives, recv)
	s := &Send{Member: send.Me, Tag: send.Tag, Count: send.Count, Type: send.Type, Call: send.Call.Clone(), Begun: sent}
	if send.Mode == match.Synchronous {
		if s.Done = (happensbefore.Moment{Proc: sent.Proc, At: send.Replay.Done}); s.Done.At == 0 {
			f.sends[send] = s
		}
	}
	f.detector.Completed(r, s)
}

func (f *Follower) dropped(op *match.Op) {
	if r := f.receives[op]; r != nil {
		delete(f.receives, op)
		f.detector.Removed(r)
	}
	delete(f.sends, op)
}

func (f *Follower) synchronized(send, recv *match.Op, th *track.Thread, _ uint64) {
	if f.idle {
		return
	}
	f.log.Step()
	f.log.Learn(f.procOf(th), f.moment(recv))
	done := f.log.Now(f.procOf(th))
	send.Replay.Done = done.At
	if len(f.sends) > 0 {
		if s := f.sends[send]; s != nil {
			s.Done = done
			delete(f.sends, send)
		}
	}
}

// probed: a thread has seen a message.
func (f *Follower) probed(recv, send *match.Op, th *track.Thread) {
	if f.idle {
		return
	}
	f.log.Step()
	f.log.Learn(f.procOf(th), f.moment(send))
	if f.detector != nil {
		f.detector.Probed(recv.Comm, recv.Me)
	}
}

func (f *Follower) meetingsOf(c *match.Comm) *meetings {
	if m := f.recent; m != nil && m.comm == c {
		return m
	}
	m := f.meetings[c]
	if m == nil {
		if len(f.meetings) >= manyComms {
			clear(f.meetings)
		}
		m = &meetings{comm: c}
		f.meetings[c] = m
	}
	f.recent = m
	return m
}

func (f *Follower) met(c *match.Comm, position uint64, blocked bool) {
	if f.idle || len(c.Members) < 2 {
		return
	}
	f.log.Step()
	m := f.meetingsOf(c)
	entered := f.log.Now(0).At
	m.last[position%uint64(len(m.last))] = meeting{position, entered, true}
	if blocked {
		f.log.Step()
		f.log.MeetAll(f.groupOf(m), entered)
	}
}

func (f *Follower) left(th *track.Thread, _ uint64, c *match.Comm, position uint64) {
	if f.idle || len(c.Members) < 2 {
		return
	}
	f.log.Step()
	m := f.meetingsOf(c)
	entered := f.log.Now(0).At
	if l := m.last[position%uint64(len(m.last))]; l.known && l.position == position {
		entered = l.entered
	}
	f.log.Meet(f.procOf(th), f.groupOf(m), entered)
}

func (f *Follower) groupOf(m *meetings) happensbefore.Group {
	if !m.met {
		m.met, m.group = true, f.group(m.comm)
	}
	return m.group
}

// group returns the group of the members of a communicator. All members are known after they have been in a collective.
func (f *Follower) group(c *match.Comm) happensbefore.Group {
	var procs []int32
	for _, rank := range c.Members {
		if p := f.tracker.ProcessOf(c.World, int(rank)); p != nil {
			procs = append(procs, int32(p.Proc.ID))
		}
	}
	slices.Sort(procs)
	return f.log.Group(procs)
}

func (f *Follower) doubted(p *track.Process, yes bool) {
	if yes {
		f.log.Doubt(int32(p.Proc.ID))
	} else {
		f.log.Trust(int32(p.Proc.ID))
	}
}

// status implements StatusOf.
func (f *Follower) status(r *Receive) (uint64, bool) {
	c, _, err := event.Parse(r.Call.Raw)
	if err != nil || c.Func.Arg(mpiapi.TheStatus) < 0 {
		return 0, false // the call that completes the receive has the status
	}
	i := c.Func.Arg(mpiapi.TheStatus)
	if f.tracker.ThreadByID(r.Call.Thread).Process.NameConst(&c.Func.Params[i], c.Int(i)) != "" {
		return 0, true
	}
	return c.Addr(i), true
}
