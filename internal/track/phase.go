package track

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// OrderError is a call at a time, or by a thread, that the standard forbids (MPI standard, sections 11.2, 11.4 and 11.6).
type OrderError struct {
	Wrong Disorder
	Level string     // the thread level that is provided, where it matters
	Other match.Call // the call that another thread is in, or the one that began or ended MPI; empty if there is none
}

// Disorder says what is wrong with the time of a call.
type Disorder uint8

// The disorders.
const (
	BeforeInit     Disorder = iota
	AfterFinalize           // or after the last session
	InitTwice               // MPI_Init is called once more
	InitAgain               // and after MPI_Finalize
	OtherThread             // of the process calls, where only the one may that has called MPI_Init
	TwoAtOnce               // two threads are in MPI, where that is for one
	SameCollective          // two threads are in collectives on one communicator, window or file
	SameRequest             // two threads wait for one request
)

// phase is how far a process is with MPI, and who may call it.
type phase struct {
	world    match.Call // MPI_Init or MPI_Init_thread, when it has returned
	over     match.Call // MPI_Finalize
	main     *Thread    // that called MPI_Init
	sessions int        // open ones
	level    string     // the thread level, "" if it is not known
	rule     threadRule

	provided   int64 // its value, if that is known
	levelKnown bool
}

// threadRule is what a thread level lets threads do.
type threadRule uint8

const (
	unruled   threadRule = iota // it is not known
	mainOnly                    // MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED
	oneAtOnce                   // MPI_THREAD_SERIALIZED
	apart                       // MPI_THREAD_MULTIPLE: all, but not in the same place
)

var threadRules = map[string]threadRule{
	"MPI_THREAD_SINGLE": mainOnly, "MPI_THREAD_FUNNELED": mainOnly, "MPI_THREAD_SERIALIZED": oneAtOnce, "MPI_THREAD_MULTIPLE": apart,
}

// open reports whether MPI may be called.
func (p *Process) open() bool {
	return p.phase.sessions > 0 || len(p.phase.world.Raw) > 0 && !p.Finalized
}

// arrange works out which threads' calls need not be looked at any further as to their order.
func (p *Process) arrange() {
	for _, th := range p.Threads {
		th.orderly = p.open() && (len(p.Threads) == 1 || p.phase.rule == mainOnly && th == p.phase.main)
	}
}

// begun follows MPI_Init and the like, and MPI_Finalize and the like, when they have returned successfully.
func (t *Tracker) begun(th *Thread, p *plan, rec []byte) {
	pr := th.Process
	switch p.fn.Base {
	case mpiapi.IDInit, mpiapi.IDInitThread:
		pr.phase.world, pr.phase.main = th.call(rec), th
		switch {
		case pr.phase.levelKnown:
			pr.phase.level = pr.names.level(pr.phase.provided)
		case p.level.At != 0:
			pr.phase.level = pr.names.level(p.level.Int(rec))
		}
		pr.phase.rule = threadRules[pr.phase.level]
	case mpiapi.IDSessionInit:
		pr.phase.sessions++
	case mpiapi.IDSessionFinalize:
		pr.phase.sessions--
	case mpiapi.IDFinalize:
		pr.phase.over = th.call(rec)
	}
	pr.arrange()
}

// level names a thread level, "" if it is not known.
func (n *names) level(v int64) string {
	for s := range threadRules {
		if n.isConst(s, v) {
			return s
		}
	}
	return ""
}

// anytime reports whether a function may be called before MPI_Init and after MPI_Finalize, and by any thread (MPI standard,
// section 11.4.1).
func anytime(f *mpiapi.Func) bool {
	switch name := mpiapi.ByID(f.Base).Name; name {
	case "MPI_Initialized", "MPI_Finalized", "MPI_Get_version", "MPI_Get_library_version", "MPI_Error_class", "MPI_Error_string",
		"MPI_Add_error_class", "MPI_Add_error_code", "MPI_Add_error_string", "MPI_Errhandler_free", "MPI_Session_init",
		"MPI_Session_create_errhandler", "MPI_Session_call_errhandler", "MPI_Abort":
		return true
	default:
		return strings.HasPrefix(name, "MPI_Info_") || strings.HasPrefix(name, "MPI_T_")
	}
}

// judgeOrder looks at when, and by whom, a call is made.
func (t *Tracker) judgeOrder(th *Thread, p *plan, c *event.Call) {
	pr := th.Process
	if pr.Lost || p.anytime {
		return
	}
	if starts := p.fn.Base == mpiapi.IDInit || p.fn.Base == mpiapi.IDInitThread; starts {
		switch {
		case len(pr.phase.over.Raw) > 0:
			t.disorder(th, c, OrderError{Wrong: InitAgain, Other: pr.phase.over})
		case len(pr.phase.world.Raw) > 0:
			t.disorder(th, c, OrderError{Wrong: InitTwice, Other: pr.phase.world})
		}
		return
	}
	if !pr.open() {
		if !pr.Initialized {
			t.disorder(th, c, OrderError{Wrong: BeforeInit})
		} else {
			t.disorder(th, c, OrderError{Wrong: AfterFinalize, Other: pr.phase.over})
		}
		return
	}
	if len(pr.Threads) == 1 {
		return
	}
	e := OrderError{Level: pr.phase.level}
	switch pr.phase.rule {
	case mainOnly:
		if pr.phase.main != nil && th != pr.phase.main && pr.phase.sessions == 0 {
			e.Wrong, e.Other = OtherThread, pr.phase.world
			t.disorder(th, c, e)
		}
		return
	case oneAtOnce:
		e.Wrong = TwoAtOnce
	case apart:
		if e.Wrong = SameCollective; p.fn.Class == mpiapi.Wait || p.fn.Class == mpiapi.Test {
			e.Wrong = SameRequest
		} else if !p.collective {
			return
		}
	default:
		return
	}
	for _, o := range pr.Threads {
		if o == th || o.Open.Func == nil {
			continue
		}
		q := &t.plans[o.Open.Func.ID]
		if e.Wrong == TwoAtOnce && q.anytime || e.Wrong == SameCollective && !t.sameCollective(th, p, c, o, q) ||
			e.Wrong == SameRequest && !sameRequest(pr, p, c, q, &o.Open.Call) {
			continue
		}
		e.Other = o.call(o.Open.Call.Raw())
		t.together(th, o, c, e)
		return
	}
}

// suspect is a call of a thread that seems to have been made while another thread was in MPI.
type suspect struct {
	th, other *Thread
	call      match.Call
	e         OrderError
	enter     uint64 // time stamp
	since     int    // tick
}

// certain is for how many ticks of the time stamp counter two calls must overlap to be told of. A processor may read the counter
// before it has got the lock that keeps one thread behind the other.
const certain = 500

// together tells of two calls at the same time, if they have no times, or else when it is known how long it was.
func (t *Tracker) together(th, other *Thread, c *event.Call, e OrderError) {
	enter, _, timed := c.Times()
	if !timed {
		t.disorder(th, c, e)
	} else {
		t.suspects = append(t.suspects, suspect{th, other, th.call(c.Raw()), e, enter, t.Now})
		th.Explained = ByOrder
	}
	if other.Explained == Unexplained {
		other.Explained = ByOrder // what comes of it is not told again
	}
}

// settleSuspects decides, when a thread leaves a call, whether that has overlapped another.
func (t *Tracker) settleSuspects(th *Thread, c *event.Call) {
	_, leave, timed := c.Times()
	t.suspects = slices.DeleteFunc(t.suspects, func(s suspect) bool {
		if s.th != th && s.other != th {
			return false
		}
		if timed && leave > s.enter && leave-s.enter >= certain {
			t.Events.OutOfOrder.Publish(OutOfOrder{s.th, s.call, &s.e})
		}
		return true
	})
}

// tellSuspects tells of the calls that go on, so that there is no doubt.
func (t *Tracker) tellSuspects() {
	t.suspects = slices.DeleteFunc(t.suspects, func(s suspect) bool {
		if t.Now-s.since < 2 {
			return false
		}
		t.Events.OutOfOrder.Publish(OutOfOrder{s.th, s.call, &s.e})
		return true
	})
}

func (t *Tracker) disorder(th *Thread, c *event.Call, e OrderError) {
	th.Explained = ByOrder
	t.Events.OutOfOrder.Publish(OutOfOrder{th, th.call(c.Raw()), &e})
}

// sameCollective reports whether a call is a collective on what another thread is in a collective on. Those who make
// communicators of groups may do so several at a time, by different tags.
func (t *Tracker) sameCollective(th *Thread, p *plan, c *event.Call, o *Thread, q *plan) bool {
	if p.gathers || q.gathers || !q.collective || o.view == nil {
		return false
	}
	v := t.viewOf(th.Process, p, c.Raw())
	return v != nil && v.Comm == o.view.Comm
}

// mostRequests is up to how many requests of a wait are compared with those of another.
const mostRequests = 64

// sameRequest reports whether two calls, one of which waits, wait or test for a request in one and the same variable. (A handle
// alone does not say that, as MPI may have used it again.) The standard allows two single tests at once.
func sameRequest(pr *Process, p *plan, c *event.Call, q *plan, d *event.Call) bool {
	if q.fn.Class != mpiapi.Wait && q.fn.Class != mpiapi.Test || p.act == test || q.act == test || p.act == requestStatus || q.act == requestStatus {
		return false
	}
	a, ok1 := pr.handles(p, c)
	b, ok2 := pr.handles(q, d)
	if !ok1 || !ok2 || len(a) > mostRequests || len(b) > mostRequests {
		return false
	}
	for i, h := range a {
		r := pr.find(h, pr.variable(p, c, i))
		if r == nil || !r.Active {
			continue
		}
		for k, g := range b {
			if g == h && pr.variable(p, c, i) == pr.variable(q, d, k) {
				return true
			}
		}
	}
	return false
}
