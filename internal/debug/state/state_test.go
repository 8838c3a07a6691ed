package state

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
)

const (
	barrier = mpiapi.CollKind(0)
	bcast   = mpiapi.CollKind(1)
)

var dup = func() uint32 {
	for i, n := range mpiapi.CollKinds() {
		if n == "MPI_Comm_dup" {
			return uint32(i)
		}
	}
	panic("no MPI_Comm_dup")
}()

// inWorld returns a process's MPI_COMM_WORLD, with the counts of its calls.
func inWorld(rank, size int, counts ...ring.Count) *ring.ObjectView {
	o := &ring.ObjectView{
		Serial: 1, ID: 100, Kind: ring.CommObject, Made: ring.MadeWorld, Rank: rank, Size: size, Counts: counts,
	}
	for r := range size {
		o.Members = append(o.Members, r)
	}
	return o
}

// process returns a live process with a thread that has begun and ended the given numbers of calls.
func process(rank int, calls, done uint64, objects ...*ring.ObjectView) *ring.ProcessView {
	return &ring.ProcessView{
		Name: fmt.Sprintf("p%d.0", 50+rank), PID: 50 + rank, Rank: rank, Initialized: true, Alive: true,
		Start:   time.Duration(rank),
		Threads: []*ring.ThreadView{{TID: 50 + rank, Alive: true, Calls: calls, Done: done}}, Objects: objects,
	}
}

func view(at time.Duration, processes ...*ring.ProcessView) *ring.RunView {
	return &ring.RunView{Analyzer: true, Now: at, Beat: at, Processes: processes}
}

// run returns the result of two looks at a run.
func run(first, second *ring.RunView) *Run {
	r := newRun("r", first, second)
	r.Objects = compare(first, second, r.Processes)
	return r
}

func both(v func(at time.Duration) *ring.RunView) *Run {
	return run(v(10*time.Second), v(12*time.Second))
}

func text(t *testing.T, r *Run) string {
	t.Helper()
	var b strings.Builder
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBehind: a rank is behind if it has called a collective fewer times than another rank had some time ago. A rank
// that is only late is not behind.
func TestBehind(t *testing.T) {
	look := func(mine, other uint64) *ring.RunView {
		return view(0, process(0, 1, 0, inWorld(0, 2, ring.Count{Kind: bcast, Entered: mine, Left: mine - 1})),
			process(1, 1, 1, inWorld(1, 2, ring.Count{Kind: bcast, Entered: other, Left: other})))
	}
	for _, c := range []struct {
		mine, other    [2]uint64
		behind, inside string
	}{
		{[2]uint64{5, 5}, [2]uint64{4, 4}, "[1]", "[0]"},
		{[2]uint64{5, 9}, [2]uint64{4, 8}, "[]", "[0]"}, // both are moving
		{[2]uint64{5, 9}, [2]uint64{4, 4}, "[1]", "[0]"},
		{[2]uint64{5, 5}, [2]uint64{4, 5}, "[]", "[0]"},
	} {
		r := run(look(c.mine[0], c.other[0]), look(c.mine[1], c.other[1]))
		got := r.Objects[0].Collectives[0]
		if fmt.Sprint(got.Behind) != c.behind || fmt.Sprint(got.Inside) != c.inside {
			t.Errorf("%v: %+v", c, got)
		}
	}
}

// TestNeverCalled: a rank that has never called the collective is behind as well.
func TestNeverCalled(t *testing.T) {
	r := both(func(at time.Duration) *ring.RunView {
		return view(at,
			process(0, 1, 0, inWorld(0, 3, ring.Count{Kind: barrier, Entered: 1})), process(1, 1, 1, inWorld(1, 3)))
	})
	for _, want := range []string{
		"MPI_COMM_WORLD (3 processes)", "not seen: rank 2",
		"MPI_Barrier  1 × rank 0, in it now; 0 × rank 1 ← rank 1 is behind",
		"computing: no MPI call has begun or ended for at least 2.0 s; not all processes are inside one",
	} {
		if s := text(t, r); !strings.Contains(s, want) {
			t.Errorf("%q is missing in:\n%s", want, s)
		}
	}
}

// TestSameCommunicator: two communicators are the same if their identity and their world are the same; handles do not
// matter. A communicator of unknown identity is the same as no other. Members that have freed a communicator are
// listed.
func TestSameCommunicator(t *testing.T) {
	made := func(serial, handle, id uint64, alone bool) *ring.ObjectView {
		return &ring.ObjectView{
			Serial: serial, Handle: handle, ID: id, Parent: 100, Number: 2, Kind: ring.CommObject, Made: dup,
			Size: 2, Members: []int{0, 1},
			Alone: alone, Counts: []ring.Count{{Kind: barrier, Entered: 1, Left: 1}},
		}
	}
	r := both(func(at time.Duration) *ring.RunView {
		return view(at,
			process(0, 1, 1, inWorld(0, 2), made(2, 0x1, 7, false), made(3, 0x2, 8, true), made(4, 0x3, 9, false)),
			process(1, 1, 1, inWorld(1, 2), made(2, 0x9, 7, false), made(3, 0x2, 8, true)))
	})
	var got []string
	for _, o := range r.Objects {
		got = append(got, fmt.Sprint(o.Ranks, o.Without))
	}
	if s := strings.Join(got, " "); s != "[0 1] [] [0 1] [] [0] [] [0] [1] [1] []" {
		t.Error(s)
	}
	if s := r.Objects[1].Name; s != "communicator 2 of MPI_COMM_WORLD, by MPI_Comm_dup" {
		t.Error(s)
	}
	if s := text(t, r); !strings.Contains(s, "it is not there on rank 1: freed, or not made yet") {
		t.Error(s)
	}
}

// TestWorlds: processes with the same rank are in different worlds, and their calls are not compared.
func TestWorlds(t *testing.T) {
	child := process(0, 1, 0, inWorld(0, 2, ring.Count{Kind: barrier, Entered: 1}))
	child.Name, child.PID, child.Start = "p90.0", 90, 40
	r := both(func(at time.Duration) *ring.RunView {
		return view(at, process(0, 1, 1, inWorld(0, 2)), process(1, 1, 1, inWorld(1, 2)), child)
	})
	if len(r.Objects) != 2 || r.Objects[1].World != 1 || len(r.Objects[1].Collectives[0].Behind) > 0 || r.Ranks != 2 {
		t.Errorf("%+v", r)
	}
	if s := text(t, r); !strings.Contains(s, "world 1: MPI_COMM_WORLD") || !strings.Contains(s, "world 1: 0") {
		t.Error(s)
	}
}

// TestConditions checks the condition of the whole run.
func TestConditions(t *testing.T) {
	dead := process(1, 2, 1)
	dead.Alive, dead.Threads[0].Alive, dead.End, dead.Code = false, false, ring.Signaled, 11
	inside := func() *ring.ProcessView { return process(0, 2, 1) }
	for _, c := range []struct {
		what          string
		first, second *ring.RunView
		want          string
	}{
		{"waits", view(0, inside()), view(12*time.Second, inside()), "waiting for 12 s"},
		{"computes", view(0, process(0, 2, 2)), view(2*time.Second, process(0, 2, 2)), "computing for 2.0 s"},
		{"moves", view(0, inside()), view(2*time.Second, process(0, 4, 3)), "running"},
		{"starts", view(0), view(time.Second), "starting"},
		{"ends", view(0, dead), view(time.Second, dead), "ended"},
	} {
		if got := run(c.first, c.second).state(); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	v := view(time.Minute, dead)
	v.Analyzer = false
	r := run(v, v)
	if s := text(t, r); r.state() != "left behind" || !strings.Contains(s, "killed by signal 11") ||
		!strings.Contains(s, "ended in an MPI call") {
		t.Errorf("%s: %s", r.state(), s)
	}
	v = view(time.Minute, inside())
	v.Beat = 50 * time.Second
	if r := run(v, v); r.Analyzer != "stuck" {
		t.Errorf("analyzer %s", r.Analyzer)
	}
	// Its first tick may be late: it waits for another node before the processes start.
	v = view(time.Minute)
	v.Beat = 50 * time.Second
	if r := run(v, v); r.Analyzer != "running" {
		t.Errorf("before the start: analyzer %s", r.Analyzer)
	}
	// The analyzer's mark is more exact than two looks.
	marked := inside()
	marked.Threads[0].Since = 5 * time.Second
	if got := run(view(9*time.Second, marked), view(10*time.Second, marked)).state(); got != "waiting for 5.0 s" {
		t.Errorf("marked: %s", got)
	}
}

// TestDamagedAbout: the information about the run in the session may be damaged in any way.
func TestDamagedAbout(t *testing.T) {
	for _, s := range []string{"{", "null", `{"command":7}`, `{"command":["a"],"ranks":-5,"started":"never"}`} {
		v := view(time.Second, process(0, 1, 0))
		v.About = []byte(s)
		if _, err := json.Marshal(run(v, v)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// TestOwnParent: damaged identities may form a cycle.
func TestOwnParent(t *testing.T) {
	o := inWorld(0, 1)
	o.Made, o.Parent = dup, o.ID
	v := view(0, process(0, 1, 0, o))
	if r := run(v, v); len(r.Objects) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestSecondsAreLowerBounds: a run that has not been still for a second is "running", and its JSON does not say 1.00.
func TestSecondsAreLowerBounds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		999 * time.Millisecond: "0.99", time.Second: "1.00", 0: "0.00", 2*time.Second + 345*time.Millisecond: "2.34",
	} {
		got, err := json.Marshal(Seconds(d))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, want %s (%v)", d, got, want, err)
		}
	}
}
