package ring

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// places returns options for a session in directories of the test's own.
func places(t testing.TB) Options {
	t.Helper()
	return Options{ShmDir: t.TempDir(), TempDir: t.TempDir(), RingSize: minRingSize, TableHash: 1}
}

// viewOf returns the view of the only session there.
func viewOf(t testing.TB, o Options) *RunView {
	t.Helper()
	list := Sessions(o)
	if len(list) != 1 || list[0].UID != os.Getuid() {
		t.Fatalf("sessions %+v", list)
	}
	v, err := list[0].Look(true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// makeObjects makes the i-th file of a process's objects.
func makeObjects(t testing.TB, s *Session, process string, i int, objects ...layout.Object) {
	t.Helper()
	h := layout.Objects{
		Magic: layout.MagicObjects, Version: layout.Version, HeaderSize: 4096,
		ObjectSize: uint32(unsafe.Sizeof(layout.Object{})), Count: uint32(len(objects)), Kinds: layout.Kinds,
	}
	b := make([]byte, 4096)
	copy(b, bytesOf(&h))
	for j := range objects {
		b = append(b, bytesOf(&objects[j])...)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, objectsName(process, i)), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func bytesOf[T any](p *T) []byte {
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
}

func anObject() layout.Object {
	o := layout.Object{
		Serial: 3, Handle: 0x44000000, ID: 7, Parent: 5, Number: 2, Kind: uint32(CommObject),
		Made: 93, Rank: 1, Size: 3, RemoteSize: 2,
		Runs: 2, RemoteRuns: 1, Run: [layout.ObjectRuns]layout.Run{
			{Start: 0, Stride: 2, Count: 2},
			{Start: 5, Stride: 1, Count: 1},
			{Start: -1, Count: 2},
		},
	}
	copy(o.Name[:], "a name")
	o.Count[0], o.Count[91] = layout.Count{Entered: 5, Left: 4}, layout.Count{Entered: 1, Left: 1}
	return o
}

// TestLook: a session can be looked at while its analyzer lives, and after that.
func TestLook(t *testing.T) {
	o := places(t)
	begin := now()
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	started := now()
	if err := s.Describe([]byte("what it is")); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLive(s)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	name, page := makeProcess(t, s, os.Getpid(), 0, 2)
	page.Initialized = 1
	r := makeRing(t, s, name, os.Getpid(), 0, minRingSize)
	makeObjects(t, s, name, 0, layout.Object{}, anObject())
	makeObjects(t, s, name, 1, anObject())

	// A record across the end of the ring.
	for range minRingSize/layout.Line - 1 {
		r.call(1, 0, 1)
		r.leave(0)
		r.m.hdr.Tail.Store(r.head)
	}
	r.m.hdr.Call.Store(r.head)
	r.call(77, 0, 2)
	r.m.hdr.Calls.Store(r.m.hdr.Done.Load() + 1)

	v := viewOf(t, o)
	if !v.Analyzer || v.Stopped || string(v.About) != "what it is" || len(v.Problems) != 0 ||
		len(v.Processes) != 1 || v.Beat < begin || v.Beat > started {
		t.Fatalf("%+v", v)
	}
	p := v.Processes[0]
	if !p.Alive || p.PID != os.Getpid() || p.Rank != 2 || !p.Initialized || p.Exe != "/bin/program" ||
		len(p.Threads) != 1 || len(p.Objects) != 2 {
		t.Fatalf("%+v", p)
	}
	th := p.Threads[0]
	if !th.Alive || !th.InCall() || len(th.Call) != 2*layout.Line ||
		binary.LittleEndian.Uint64(th.Call[layout.SizeofRecord:]) != 77 || th.Since != 0 {
		t.Errorf("%+v", th)
	}
	ob := p.Objects[0]
	if ob.ID != 7 || ob.Parent != 5 || ob.Name != "a name" || ob.Made != 93 || ob.RemoteSize != 2 || ob.Alone {
		t.Errorf("%+v", ob)
	}
	if len(ob.Members) != 5 || ob.Members[1] != 2 || ob.Members[2] != 5 || ob.Members[4] != -1 {
		t.Errorf("members %v", ob.Members)
	}
	if len(ob.Counts) != 2 || ob.Counts[0] != (Count{0, 5, 4}) || ob.Counts[1] != (Count{mpiapi.CollKind(91), 1, 1}) {
		t.Errorf("counts %v", ob.Counts)
	}

	// The analyzer's marks hold until the thread moves.
	sink := discard{}
	if _, err := l.Poll(sink); err != nil {
		t.Fatal(err)
	}
	l.Mark()
	first := viewOf(t, o)
	l.Mark()
	v = viewOf(t, o)
	since := v.Processes[0].Threads[0].Since
	if since == 0 || since != first.Processes[0].Threads[0].Since || since > v.Now || v.Beat <= since {
		t.Errorf("since %v, %v, last tick %v", since, first.Processes[0].Threads[0].Since, v.Beat)
	}
	r.leave(0)
	if v = viewOf(t, o); v.Processes[0].Threads[0].Since != 0 || v.Processes[0].Threads[0].InCall() {
		t.Errorf("moved: %+v", v.Processes[0].Threads[0])
	}

	// The analyzer dies: the view is the same.
	abandon(t, s)
	if v = viewOf(t, o); v.Analyzer || len(v.Processes) != 1 {
		t.Errorf("%+v", v)
	}
	s.Close()
	if list := Sessions(o); len(list) != 0 {
		t.Errorf("sessions %+v", list)
	}
}

// TestCleanStaleSpares: the files of a run stay as long as some of its processes run.
func TestCleanStaleSpares(t *testing.T) {
	o := places(t)
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	name, _ := makeProcess(t, s, os.Getpid(), 0, 0)
	abandon(t, s)
	if gone := CleanStale(o); len(gone) != 0 {
		t.Errorf("removed %v, though a process runs", gone)
	}
	if err := os.Remove(filepath.Join(s.Dir, name)); err != nil {
		t.Fatal(err)
	}
	if gone := CleanStale(o); len(gone) != 2 {
		t.Errorf("removed %v", gone)
	}
}

// TestLookAtOthers: a directory with the name of another user's session is ignored if it does not belong to that user.
// If it does, it cannot be read.
func TestLookAtOthers(t *testing.T) {
	o := places(t)
	for _, name := range []string{"mpivet-12345-x", "mpivet-", "mpivet-0", "mpivet-a-b", "mpivet-0-x.stale1"} {
		if err := os.Mkdir(filepath.Join(o.ShmDir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if list := Sessions(o); len(list) != 0 {
		t.Errorf("sessions %+v", list)
	}
}

// TestLookAtGarbage: whatever the files of a session contain, looking at it ends, and reports what it cannot read.
func TestLookAtGarbage(t *testing.T) {
	o := places(t)
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name, _ := makeProcess(t, s, os.Getpid(), 0, 0)
	r := makeRing(t, s, name, os.Getpid(), 0, minRingSize)
	r.call(1, 0, 1)
	r.m.hdr.Calls.Store(1)
	makeObjects(t, s, name, 0, anObject(), anObject())
	files := []string{controlName, name, r.name, objectsName(name, 0)}
	good := make(map[string][]byte)
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(s.Dir, f))
		if err != nil {
			t.Fatal(err)
		}
		good[f] = b
	}
	dir := s.Dir
	rapid.Check(t, func(t *rapid.T) {
		for _, f := range files {
			b := bytes.Clone(good[f])
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				at := rapid.IntRange(0, min(len(b), 5200)-8).Draw(t, "at") &^ 3
				binary.LittleEndian.PutUint32(b[at:],
					rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(0, 5000)).Draw(t, "word"))
			}
			b = b[:rapid.OneOf(rapid.Just(len(b)), rapid.IntRange(0, len(b))).Draw(t, "length")]
			if err := os.WriteFile(filepath.Join(dir, f), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range Sessions(o) {
			view, err := v.Look(true)
			if err == nil && len(view.Processes) == 0 && len(view.Problems) == 0 {
				t.Error("a process is missing, and nothing is said about it")
			}
		}
	})
	// Pipes instead of files.
	for _, f := range files {
		if err := errors.Join(os.Remove(filepath.Join(dir, f)), unix.Mkfifo(filepath.Join(dir, f), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range Sessions(o) {
		if _, err := v.Look(true); err == nil {
			t.Error("a control file that is a pipe is believed")
		}
	}
}
