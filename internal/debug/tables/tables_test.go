package tables_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/testkit/faketables"
)

const derived = 0x8c000000

func open(t *testing.T, p *faketables.Process) *tables.Tables {
	t.Helper()
	x, err := tables.Open(p, p.Debug())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// failed checks the beginning or end of an error.
func failed(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		at    int
		value uint64
		want  string
	}{
		{layout.DebugMagicAt, 0, "mpivet does not record the process"},
		{layout.DebugMagicAt, 77, "mpivet_debug begins with 0x4d"},
		{layout.DebugVersionAt, layout.Version + 1, "use the mpivet of the run"},
		{layout.DebugTableHashAt, 1, "use the mpivet of the run"},
		{layout.DebugKeptBitsAt, 5 << 32, "handles of 5 bytes"},
	} {
		p := faketables.New(4)
		p.Put64(p.Debug()+uint64(c.at), c.value)
		_, err := tables.Open(p, p.Debug())
		failed(t, err, c.want)
	}
	_, err := tables.Open(faketables.New(4), 0)
	failed(t, err, "the memory cannot be read")
}

// TestCyclicLists: lists that do not end are found out.
func TestCyclicLists(t *testing.T) {
	p := faketables.New(4)
	first := p.Keep(layout.NameDatatype, derived, "MPI_Type_dup", fakerun.Args{"oldtype": fakerun.Int})
	p.Put64(first+layout.KeptHandleAt, derived+1)
	p.Put64(first+layout.KeptNextAt, first)
	_, err := open(t, p).Find(mpiapi.Datatype, derived)
	failed(t, err, "a list of objects does not end")
	p = faketables.New(4)
	h := p.Thread(7, 0)
	h.Call(true, "MPI_Barrier", fakerun.Args{"comm": fakerun.World})
	at := p.Base() + uint64(len(p.Bytes)) - layout.SizeofDebugThread
	p.Put64(at+layout.DebugThreadNextAt, at)
	_, err = open(t, p).Threads()
	failed(t, err, "the list of threads does not end")
}

func TestReferences(t *testing.T) {
	p := faketables.New(4)
	a := p.Keep(layout.NameDatatype, derived, "MPI_Type_dup", fakerun.Args{"oldtype": fakerun.Int},
		faketables.Reference{Handle: fakerun.Int})
	b := p.Keep(layout.NameDatatype, derived+1, "MPI_Type_dup", fakerun.Args{"oldtype": derived},
		faketables.Reference{Handle: derived, At: a})
	x := open(t, p)
	k, err := x.Find(mpiapi.Datatype, derived+1)
	if err != nil || k.References() != 1 || k.Serial != 2 || len(k.PCs) != 2 || k.At != b {
		t.Fatalf("%+v, %v", k, err)
	}
	if o, err := x.Older(k, k.Reference(0)); err != nil || o.Handle != derived || o.Call.Func.Name != "MPI_Type_dup" {
		t.Errorf("%+v, %v", o, err)
	}
	p.Put64(a+layout.KeptSerialAt, 9)
	_, err = open(t, p).Older(k, k.Reference(0))
	failed(t, err, "is made from one that is newer")
	p.Put64(a+layout.KeptHandleAt, 9)
	_, err = open(t, p).Older(k, k.Reference(0))
	failed(t, err, "a reference to 0x8c000000 leads to 0x9")
	p.Put32(b+layout.KeptLengthAt, 1<<31)
	_, err = open(t, p).Find(mpiapi.Datatype, derived+1)
	failed(t, err, "an object with a record of 2147483648 bytes")
}

// TestCutCalls: a call whose record is longer than the room for it has its arguments, but not all arrays.
func TestCutCalls(t *testing.T) {
	p := faketables.New(4)
	many := make([]uint64, 100)
	p.Thread(7, 0).Call(true, "MPI_Waitall", fakerun.Args{"count": 100, "array_of_requests": many})
	p.Thread(8, 1).Call(false, "MPI_Waitall", fakerun.Args{"count": 2, "array_of_requests": []uint64{5, 6}})
	x := open(t, p)
	list, err := x.Threads()
	if err != nil || len(list) != 2 || list[0].TID != 7 || !list[0].InCall || list[1].InCall {
		t.Fatalf("%+v, %v", list, err)
	}
	c := &list[0].Call
	requests := c.Func.Param("array_of_requests")
	if _, ok := c.In(requests); ok || c.Int(0) != 100 {
		t.Error("an array that is cut")
	}
	if a, ok := list[1].Call.In(requests); !ok || a.Len() != 2 || a.Handle(1) != 6 {
		t.Error("a short array")
	}
	if since, ok := x.Since(list[0].Entered); !ok || since != 3*time.Second {
		t.Error(since)
	}
}

func TestTold(t *testing.T) {
	p := faketables.New(4)
	if w, err := open(t, p).Told(); w != nil || err != nil {
		t.Error(w, err)
	}
	p.Tell(`{"findings":[{"check":"A:B","severity":"info","text":"nothing"}]}`,
		&layout.Unexpected{Tag: 7, World: -1, Bytes: 3})
	at := p.Base() + uint64(len(p.Bytes)) - 64<<10
	w, err := open(t, p).Told()
	if err != nil || len(w.Findings) != 1 || w.Findings[0].Text != "nothing" || len(w.Unexpected) != 1 ||
		w.Unexpected[0].Tag != 7 || w.Unexpected[0].World != -1 {
		t.Errorf("%+v, %v", w, err)
	}
	for _, c := range []struct {
		at    uint64
		value uint32
		want  string
	}{
		{layout.ToldSequenceAt, 3, "the analyzer was writing what it tells"},
		{layout.ToldUnexpectedAt, 1 << 30, "1073741824 messages"},
		{layout.ToldTextLengthAt, 1 << 30, "1073741824 bytes of text"},
		{layout.ToldTextLengthAt, 5, "the text that the analyzer tells"},
		{layout.ToldVersionAt, 99, "version 99"},
	} {
		before := p.Bytes
		p.Bytes = append([]byte(nil), before...)
		p.Put32(at+c.at, c.value)
		_, err := open(t, p).Told()
		failed(t, err, c.want)
		p.Bytes = before
	}
}

// TestPolls: a thread that repeats a test is in that test, and not in its last recorded call. When the test has
// returned, the thread is outside MPI.
func TestPolls(t *testing.T) {
	p := faketables.New(4)
	th := p.Thread(100, 0)
	th.Call(false, "MPI_Iprobe", fakerun.Args{"source": 1, "tag": 1, "comm": fakerun.World})
	th.Poll("MPI_Test", fakerun.Args{"*request": 0x7ffe0000})
	list, err := open(t, p).Threads()
	if err != nil || len(list) != 1 || !list[0].InCall || !list[0].Polling || list[0].Call.Func.Name != "MPI_Test" {
		t.Errorf("%+v, %v", list, err)
	}
	th.Leave()
	list, err = open(t, p).Threads()
	if err != nil || len(list) != 1 || list[0].InCall || list[0].Polling {
		t.Errorf("%+v, %v", list, err)
	}
	p.Put64(p.Debug()+layout.DebugBeatAt, 0x1000)
	th.Poll("MPI_Test", nil)
	p.Bytes = p.Bytes[:len(p.Bytes)-48]
	_, err = open(t, p).Threads()
	failed(t, err, "thread 100: ")
}

// TestTimeOfCoreFiles: without the analyzer's time, the present is the latest time in the tables.
func TestTimeOfCoreFiles(t *testing.T) {
	p := faketables.New(4)
	p.Put64(p.Debug()+layout.DebugBeatAt, 0x1000)
	p.Thread(100, 0).Call(true, "MPI_Barrier", fakerun.Args{"comm": fakerun.World})
	if now := open(t, p).Now(); now != faketables.Now-3*time.Second {
		t.Error(now)
	}
	p.Tell("")
	if now := open(t, p).Now(); now != faketables.Now {
		t.Error(now)
	}
}
