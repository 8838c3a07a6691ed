package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// builder makes records as the preload library does.
type builder struct {
	f    *mpiapi.Func
	b    []byte
	secs []byte
}

func call(t testing.TB, name string) *builder {
	t.Helper()
	f := mpiapi.ByName(name)
	if f == nil {
		t.Fatalf("no function %s", name)
	}
	r := &builder{f: f, b: make([]byte, f.Fixed)}
	binary.LittleEndian.PutUint16(r.b, uint16(f.ID))
	binary.LittleEndian.PutUint16(r.b[layout.RecordUsedAt:], uint16(f.Fixed))
	return r
}

func (r *builder) param(name string) int {
	return slices.IndexFunc(r.f.Params, func(p mpiapi.Param) bool { return p.Name == name })
}

func (r *builder) put(off uint16, wide bool, v int64) {
	if wide {
		binary.LittleEndian.PutUint64(r.b[off:], uint64(v))
	} else {
		binary.LittleEndian.PutUint32(r.b[off:], uint32(v))
	}
}

// set sets the value or the address of a parameter.
func (r *builder) set(name string, v int64) *builder {
	l := r.f.Params[r.param(name)].Layout
	r.put(l.At, l.Wide, v)
	return r
}

func (r *builder) before(name string, v int64) *builder {
	l := r.f.Params[r.param(name)].Layout
	r.put(l.Before, l.WideValue, v)
	return r
}

func (r *builder) after(name string, v int64) *builder {
	l := r.f.Params[r.param(name)].Layout
	r.put(l.After, l.WideValue, v)
	return r
}

func (r *builder) section(name string, kind uint16, count int, data []byte) *builder {
	r.secs = binary.LittleEndian.AppendUint16(r.secs, kind)
	r.secs = binary.LittleEndian.AppendUint16(r.secs, uint16(r.param(name)))
	r.secs = binary.LittleEndian.AppendUint32(r.secs, uint32(count))
	r.secs = append(r.secs, data...)
	for len(r.secs)%8 != 0 {
		r.secs = append(r.secs, 0xee)
	}
	return r
}

func ints(v ...int32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

func wides(v ...uint64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func status(s Status) []byte {
	c := int32(0)
	if s.Cancelled {
		c = 1
	}
	return append(ints(s.Source, s.Tag, s.Error, c), wides(uint64(s.Bytes))...)
}

// record returns the finished record.
func (r *builder) record() []byte {
	b := slices.Clone(r.b)
	for len(b)%8 != 0 {
		b = append(b, 0xee)
	}
	b = append(b, r.secs...)
	return finish(b)
}

func finish(b []byte) []byte {
	if len(b)%layout.Line != 0 {
		b = append(b, make([]byte, layout.Line-len(b)%layout.Line)...)
	}
	binary.LittleEndian.PutUint16(b[layout.RecordLinesAt:], uint16(len(b)/layout.Line))
	return b
}

func info(kind uint16, site uint32, payload []byte) []byte {
	b := make([]byte, layout.SizeofRecord)
	binary.LittleEndian.PutUint16(b, kind)
	binary.LittleEndian.PutUint32(b[layout.RecordSiteAt:], site)
	return finish(append(b, payload...))
}

func parsed(t testing.TB, rec []byte) Call {
	t.Helper()
	c, n, err := Parse(rec)
	if err != nil {
		t.Fatal(err)
	}
	if n != len(rec) {
		t.Fatalf("length %d, want %d", n, len(rec))
	}
	return c
}

// testNames is a Namer.
type testNames map[string]int64

func (n testNames) NameHandle(k mpiapi.Kind, v uint64) string {
	for name, x := range n {
		if uint64(x) == v && strings.HasPrefix(name, "MPI_") &&
			(k == mpiapi.Comm) == strings.HasPrefix(name, "MPI_COMM") {
			return name
		}
	}
	return ""
}

func (n testNames) NameConst(p *mpiapi.Param, v int64) string {
	return ConstName(p, v, func(name string, v int64) bool { x, ok := n[name]; return ok && x == v })
}

var names = testNames{
	"MPI_COMM_WORLD": 0x44000000, "MPI_CHAR": 0x4c000101, "MPI_ANY_SOURCE": -2, "MPI_ANY_TAG": -1, "MPI_PROC_NULL": -1,
	"MPI_ROOT": -3, "MPI_IN_PLACE": -1, "MPI_STATUS_IGNORE": 1, "MPI_STATUSES_IGNORE": 1, "MPI_SUM": 0x58000003,
	"MPI_THREAD_MULTIPLE": 3, "MPI_BOTTOM": 0,
}

func TestFormat(t *testing.T) {
	tests := []struct {
		r    *builder
		want string
	}{
		{
			call(t, "MPI_Isend").set("buf", 0x7fbfffea24).set("count", 1).set("datatype", 0x4c000101).set("dest", 1).
				set("tag", 100).set("comm", 0x44000000).set("request", 0xaefca0),
			"MPI_Isend(*buf=0x7fbfffea24, count=1, datatype=MPI_CHAR, dest=1, tag=100, " +
				"comm=MPI_COMM_WORLD, *request=0xaefca0)",
		},
		{
			call(t, "MPI_Recv").set("count", -5).set("datatype", 0x123).set("source", -2).
				set("tag", -1).set("comm", 0x84000000).
				set("status", 1),
			"MPI_Recv(*buf=NULL, count=-5, datatype=0x123, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=0x84000000, " +
				"*status=MPI_STATUS_IGNORE)",
		},
		{
			call(t, "MPI_Send").set("buf", 16).set("dest", -1).set("tag", -1).set("comm", 0x44000000).
				set("datatype", 0x4c000101),
			"MPI_Send(*buf=0x10, count=0, datatype=MPI_CHAR, dest=MPI_PROC_NULL, tag=-1, comm=MPI_COMM_WORLD)",
		},
		{
			call(t, "MPI_Allreduce").set("sendbuf", -1).set("recvbuf", 32).set("count", 2).set("datatype", 0x4c000101).
				set("op", 0x58000003).set("comm", 0x44000000),
			"MPI_Allreduce(*sendbuf=MPI_IN_PLACE, *recvbuf=0x20, count=2, datatype=MPI_CHAR, " +
				"op=MPI_SUM, comm=MPI_COMM_WORLD)",
		},
		{
			call(t, "MPI_Waitall").set("count", 2).set("array_of_requests", 0x100).set("array_of_statuses", 1),
			"MPI_Waitall(count=2, *array_of_requests=0x100, *array_of_statuses=MPI_STATUSES_IGNORE)",
		},
		{
			call(t, "MPI_Comm_set_name").set("comm", 0x44000000).
				section("comm_name", layout.SecString, 7, []byte("a\"b\n\xff\x00é")[:7]),
			`MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name="a\"b\n\xff\x00\xc3")`,
		},
		{call(t, "MPI_Comm_set_name").set("comm_name", 0x20), `MPI_Comm_set_name(comm=0x0, *comm_name=0x20)`},
		{call(t, "MPI_Barrier").set("comm", 0x44000000), "MPI_Barrier(comm=MPI_COMM_WORLD)"},
	}
	for _, k := range tests {
		c := parsed(t, k.r.record())
		if got := c.Format(names); got != k.want {
			t.Errorf("got  %s\nwant %s", got, k.want)
		}
	}
	c := parsed(t, call(t, "MPI_Barrier").set("comm", 0x44000000).record())
	if got, want := c.Format(nil), "MPI_Barrier(comm=0x44000000)"; got != want {
		t.Errorf("without names %s, want %s", got, want)
	}
}

func TestValues(t *testing.T) {
	r := call(t, "MPI_Recv").set("buf", 0x7fff00000010).set("count", -3).set("source", 5).set("tag", math.MaxInt32).
		set("comm", -0x7c000000&0xffffffff)
	binary.LittleEndian.PutUint32(r.b[layout.RecordSiteAt:], 77)
	binary.LittleEndian.PutUint32(r.b[layout.RecordRCAt:], 0xfffffffe)
	c := parsed(t, r.record())
	f := c.Func
	if c.Addr(f.Arg(mpiapi.RecvBuf)) != 0x7fff00000010 || c.Int(f.Arg(mpiapi.RecvCount)) != -3 ||
		c.Int(f.Arg(mpiapi.Source)) != 5 || c.Int(f.Arg(mpiapi.RecvTag)) != math.MaxInt32 ||
		c.Handle(f.Arg(mpiapi.TheComm)) != 0x84000000 || c.Site() != 77 || c.RC() != -2 {
		t.Errorf("values of %s, site %d, rc %d", c.Format(nil), c.Site(), c.RC())
	}
	if _, _, ok := c.Times(); ok {
		t.Error("times where there are none")
	}
	if _, ok := c.Statuses(f.Arg(mpiapi.TheStatus)); ok {
		t.Error("a status where there is none")
	}
}

func TestScalars(t *testing.T) {
	r := call(t, "MPI_Test").set("request", 0x10).set("flag", 0x20).before("request", 0x98000001).after("flag", 1)
	want := Status{Source: 3, Tag: 4, Error: 5, Cancelled: true, Bytes: 1 << 40}
	c := parsed(t, r.section("status", layout.SecStatus, 1, status(want)).record())
	f := c.Func
	if got := c.Before(f.Arg(mpiapi.TheRequest)); got != 0x98000001 {
		t.Errorf("request %#x before", got)
	}
	if got := c.After(f.Arg(mpiapi.Flag)); got != 1 {
		t.Errorf("flag %d after", got)
	}
	s, ok := c.Statuses(f.Arg(mpiapi.TheStatus))
	if !ok || s.Len() != 1 || s.At(0) != want {
		t.Errorf("status %+v, %v", s, ok)
	}
	c.State = Open
	if _, ok := c.Statuses(f.Arg(mpiapi.TheStatus)); ok {
		t.Error("an open call has a status")
	}
}

func waitsome(t testing.TB, outcount int64) *builder {
	return call(t, "MPI_Waitsome").set("incount", 3).after("outcount", outcount).
		section("array_of_requests", layout.SecIn64, 3, wides(1, 1<<63, 3)).
		section("array_of_indices", layout.SecOut32, 3, ints(2, -1, 7)).
		section("array_of_statuses", layout.SecStatus, 3,
			slices.Concat(status(Status{Tag: 1}), status(Status{Tag: 2}), status(Status{Tag: 3})))
}

func TestArrays(t *testing.T) {
	for _, k := range []struct {
		outcount int64
		n        int
	}{{2, 2}, {0, 0}, {3, 3}, {math.MinInt32, 0}, {1000, 3}} {
		c := parsed(t, waitsome(t, k.outcount).record())
		f := c.Func
		reqs, ok := c.In(f.Arg(mpiapi.Requests))
		if !ok || reqs.Len() != 3 || reqs.Handle(1) != 1<<63 || reqs.At(2) != 3 {
			t.Errorf("requests %v, %v", reqs, ok)
		}
		idx, ok := c.Out(f.Arg(mpiapi.Indices))
		if !ok || idx.Len() != k.n || k.n > 1 && (idx.At(0) != 2 || idx.At(1) != -1) {
			t.Errorf("outcount %d: indices %v, %v", k.outcount, idx, ok)
		}
		st, ok := c.Statuses(f.Arg(mpiapi.TheStatus))
		if !ok || st.Len() != k.n || k.n > 1 && st.At(1).Tag != 2 {
			t.Errorf("outcount %d: statuses %v, %v", k.outcount, st, ok)
		}
		if _, ok := c.In(f.Arg(mpiapi.Indices)); ok {
			t.Error("indices at entry")
		}
	}
}

// data returns an InfoData record.
func data(kind uint16, param, first, count int, elements []byte) []byte {
	p := binary.LittleEndian.AppendUint16(nil, kind)
	p = binary.LittleEndian.AppendUint16(p, uint16(param))
	p = append(p, ints(int32(first), int32(count), 0)...)
	return info(layout.InfoData, 0, append(p, elements...))
}

// TestCut: arrays that are not in the record of their call are found.
func TestCut(t *testing.T) {
	w := call(t, "MPI_Waitsome").after("outcount", 2)
	reqs, idx := w.param("array_of_requests"), w.param("array_of_indices")
	cut := func() []byte {
		return call(t, "MPI_Waitsome").after("outcount", 2).
			section("array_of_requests", layout.SecCut, 3, nil).section("array_of_indices", layout.SecCut, 3, nil).
			record()
	}
	in := slices.Concat(data(layout.SecIn64, reqs, 0, 2, wides(10, 11)), data(layout.SecIn64, reqs, 2, 1, wides(12)))
	out := data(layout.SecOut32, idx, 0, 2, ints(1, 2)) // only the elements that the call has written
	other := call(t, "MPI_Waitsome").section("array_of_requests", layout.SecCut, 3, nil).record()
	batches := []ring.Batch{
		{Data: slices.Concat(in, cut()), Open: true},
		{Data: out},
		{Data: slices.Concat(cut(), other), Resume: true},
	}
	var d Decoder
	var got []string
	for i := range batches {
		d.Start(&batches[i])
		for d.Next() {
			c := d.Call
			c = c.Clone(nil)
			r, rok := c.In(reqs)
			o, ook := c.Out(idx)
			got = append(got, fmt.Sprint(c.State, r.Len(), rok, o.Len(), ook))
			if rok && r.At(2) != 12 || ook && o.At(1) != 2 {
				t.Errorf("wrong elements: %v, %v", r, o)
			}
		}
	}
	want := []string{"1 3 true 0 false", "2 3 true 2 true", "0 0 false 0 false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if n, err := d.Err(); n != 0 {
		t.Error(err)
	}
	// A part is missing.
	d = Decoder{}
	d.Start(&ring.Batch{Data: slices.Concat(data(layout.SecIn64, reqs, 1, 2, wides(10, 11)), cut())})
	for d.Next() {
		if _, ok := d.Call.In(reqs); ok {
			t.Error("an array of which a part is missing is given out")
		}
	}
	if n, _ := d.Err(); n != 1 {
		t.Errorf("%d errors, want 1", n)
	}
}

func TestDecoder(t *testing.T) {
	site := info(layout.InfoSite, 5, append(ints(2, 0), wides(100, 200)...))
	a, b := call(t, "MPI_Barrier").record(), waitsome(t, 1).record()
	bad := slices.Clone(a)
	binary.LittleEndian.PutUint16(bad, 0xfe00)
	var d Decoder
	var got []string
	for _, batch := range []ring.Batch{
		{Data: slices.Concat(site, a, b), Open: true},
		{Data: site},
		{Data: slices.Concat(b, bad, a, site), Resume: true},
	} {
		d.Start(&batch)
		for d.Next() {
			if d.Call.Func == nil {
				got = append(got, fmt.Sprintf("%#x", d.Call.Info()))
			} else {
				got = append(got, fmt.Sprint(d.Call.Func.Name, " ", d.Call.State))
			}
		}
	}
	want := []string{"0xff00", "MPI_Barrier 0", "MPI_Waitsome 1", "0xff00", "MPI_Waitsome 2", "MPI_Barrier 0", "0xff00"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if n, err := d.Err(); n != 1 || !errors.Is(err, ErrMalformed) {
		t.Errorf("%d errors, %v, want one", n, err)
	}
}

func TestTimes(t *testing.T) {
	r := waitsome(t, 3)
	b := append(r.record(), make([]byte, layout.Line)...)
	b = finish(b)
	b[layout.RecordFlagsAt] = layout.Timed
	copy(b[len(b)-layout.SizeofTimes:], wides(1000, 2000))
	c := parsed(t, b)
	if enter, leave, ok := c.Times(); !ok || enter != 1000 || leave != 2000 {
		t.Errorf("times %d, %d, %v", enter, leave, ok)
	}
	if s, ok := c.Statuses(c.Func.Arg(mpiapi.TheStatus)); !ok || s.Len() != 3 {
		t.Errorf("statuses %v, %v", s, ok)
	}
}

func TestPython(t *testing.T) {
	frames := append(append(ints(3, 1), wides(40)...), append(ints(4, 0), wides(1<<64-2)...)...)
	payload := append(append(ints(1, 2), wides(100)...), frames...)
	r := parsed(t, info(layout.InfoSite, 5, payload))
	s, err := r.SiteInfo()
	want := []PythonFrame{{Code: 3, Entry: true, At: 40}, {Code: 4, At: -2}}
	if err != nil || s.PCs.Len() != 1 || !slices.Equal(s.Python, want) {
		t.Errorf("site %+v, %v", s, err)
	}
	r = parsed(t, info(layout.InfoSite, 5, append(ints(1, 8), payload[8:]...)))
	if _, err := r.SiteInfo(); err == nil {
		t.Error("frames that are missing")
	}

	c := layout.Code{FirstLine: 7, Version: 0x030b, NameWidth: 1, FileWidth: 2, NameLen: 4, FileLen: 6, LinesLen: 2}
	p := append(c.Append(nil), "caf\xe9"...)
	p = append(p, 'a', 0, 0xac, 0x20, 'b', 0, 0x80, 0)
	r = parsed(t, info(layout.InfoCode, 9, p))
	code, err := r.CodeInfo()
	if err != nil || code.ID != 9 || code.Version != 0x030b || code.FirstLine != 7 || code.Name != "café" ||
		code.File != "a€b" || string(code.Lines) != "\x80\x00" {
		t.Errorf("code %+v, %v", code, err)
	}
}

func TestInfo(t *testing.T) {
	c := parsed(t, info(layout.InfoSite, 5, append(ints(2, 0), wides(100, 1<<63)...)))
	s, err := c.SiteInfo()
	if err != nil || s.ID != 5 || s.PCs.Len() != 2 || s.PCs.Handle(1) != 1<<63 {
		t.Errorf("site %+v, %v", s, err)
	}

	p := wides(1, 2, 3)
	p = binary.LittleEndian.AppendUint16(p, 3)
	p = binary.LittleEndian.AppendUint16(p, 5)
	c = parsed(t, info(layout.InfoModule, 0, append(append(p, ints(0)...), "idi/path"...)))
	m, err := c.ModuleInfo()
	if err != nil || m.Base != 1 || m.Start != 2 || m.End != 3 || string(m.BuildID) != "idi" || m.Path != "/path" {
		t.Errorf("module %+v, %v", m, err)
	}

	name := func(kind byte, more byte, size int32, v uint64, s string) []byte {
		b := append([]byte{kind, byte(len(s)), more, 0}, ints(size)...)
		b = append(append(b, wides(v)...), s...)
		return append(b, make([]byte, -len(b)&7)...)
	}
	c = parsed(t, info(layout.InfoNames, 0,
		append(name(3, 1, 4, 0x4c000405, "MPI_INT"), name(0, 0, 0, 1<<64-1, "MPI_ANY_TAG")...)))
	n, err := c.NamesInfo()
	if err != nil || !slices.Equal(n, []Name{
		{Kind: mpiapi.Datatype, Value: 0x4c000405, Size: 4, Name: "MPI_INT"},
		{Kind: mpiapi.Int, Const: true, Value: 1<<64 - 1, Name: "MPI_ANY_TAG"},
	}) {
		t.Errorf("names %+v, %v", n, err)
	}

	c = parsed(t, info(layout.InfoComm, 0, append(wides(0x84), ints(1, 4, 2, 2, 1, 1, 0, 2, 3, 9, 1, 1, -1, 1, 2)...)))
	k, err := c.CommInfo()
	if err != nil || k.Handle != 0x84 || k.Rank != 1 || !k.Inter || k.Local.Lowest() != 0 || k.Remote.Lowest() != -1 ||
		!slices.Equal(slices.Collect(k.Local.Ranks()), []int{0, 2, 4, 9}) ||
		!slices.Equal(slices.Collect(k.Remote.Ranks()), []int{-1, -1}) {
		t.Errorf("communicator %+v, %v", k, err)
	}
	for what, b := range map[string][]byte{
		"another size":     append(wides(1), ints(0, 5, 0, 1, 0, 0, 0, 1, 4)...),
		"negative run":     append(wides(1), ints(0, 5, 0, 2, 0, 0, 0, 1, 6, 0, 1, -1)...),
		"more than behind": append(wides(1), ints(0, 5, 0, -1, 0, 0, 0, 1, 5)...),
		"huge":             append(wides(1), ints(0, math.MaxInt32, 0, 1, 0, 0, 0, 1, math.MaxInt32)...),
	} {
		c = parsed(t, info(layout.InfoComm, 0, b))
		if k, err := c.CommInfo(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %+v, %v", what, k, err)
		}
	}

	c = parsed(t, info(layout.InfoError, 0, append(ints(77, 6, 4, 1), "oops"...)))
	if e, err := c.ErrorInfo(); err != nil || e != (Error{Code: 77, Class: 6, Fatal: true, Text: "oops"}) {
		t.Errorf("error %+v, %v", e, err)
	}

	c = parsed(t, info(layout.InfoMPI, 0, append(ints(3, 4, 2, 99, 3, 1, 5, 0), "MPICH"...)))
	if m, err := c.MPIInfo(); err != nil || m != (MPI{3, 4, 2, 99, 3, 1, "MPICH", 0}) {
		t.Errorf("MPI %+v, %v", m, err)
	}
	comm := mpiapi.ByName("MPI_Comm_free")
	c = parsed(t, info(layout.InfoFreed, 0, append(append(wides(0x84), ints(int32(comm.ID), 0)...), wides(1, 2, 3)...)))
	if f, err := c.FreedInfo(); err != nil || f != (Freed{0x84, comm, 1, 2, 3}) {
		t.Errorf("freed %+v, %v", f, err)
	}
	for _, id := range []int32{0, 30000, -1} {
		c := parsed(t, info(layout.InfoFreed, 0, append(append(wides(0x84), ints(id, 0)...), wides(1, 2, 3)...)))
		if f, err := c.FreedInfo(); !errors.Is(err, ErrMalformed) {
			t.Errorf("freed by function %d: %+v, %v", id, f, err)
		}
	}
	if _, err := c.ErrorInfo(); !errors.Is(err, ErrMalformed) {
		t.Errorf("an error in a record of another kind: %v", err)
	}
}

func TestMalformed(t *testing.T) {
	good := waitsome(t, 1).record()
	change := func(at int, v uint16) []byte {
		b := slices.Clone(good)
		binary.LittleEndian.PutUint16(b[at:], v)
		return b
	}
	secs := (mpiapi.ByName("MPI_Waitsome").Fixed + 7) &^ 7
	for what, b := range map[string][]byte{
		"empty":             nil,
		"short":             good[:32],
		"no function":       change(layout.RecordKindAt, 0),
		"unknown function":  change(layout.RecordKindAt, 0xfeff),
		"no length":         change(layout.RecordLinesAt, 0),
		"too long":          change(layout.RecordLinesAt, 100),
		"short fixed part":  change(layout.RecordUsedAt, 8),
		"long fixed part":   change(layout.RecordUsedAt, 60000),
		"section kind":      change(secs, 9),
		"section parameter": change(secs+2, 99),
		"section count":     change(secs+6, 1),
	} {
		if _, _, err := Parse(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// everything calls every method of a call.
func everything(c *Call) {
	c.Raw()
	if c.Func == nil {
		c.Info()
		_, _ = c.SiteInfo()
		_, _ = c.ModuleInfo()
		_, _ = c.NamesInfo()
		_, _ = c.ErrorInfo()
		_, _ = c.MPIInfo()
		_, _ = c.FreedInfo()
		if k, err := c.CommInfo(); err == nil {
			n := 0
			for range k.Local.Ranks() {
				n++
			}
			if n != k.Size {
				panic("wrong number of ranks")
			}
			for range k.Remote.Ranks() {
				if n++; n > 1000 {
					break
				}
			}
		}
		return
	}
	c.Site()
	c.RC()
	c.Times()
	for i := range c.Func.Params {
		c.Int(i)
		c.Double(i)
		c.Before(i)
		c.After(i)
		c.Text(i)
		if a, _ := c.In(i); a.Len() > 0 {
			a.At(a.Len() - 1)
		}
		if a, _ := c.Out(i); a.Len() > 0 {
			a.Handle(a.Len() - 1)
		}
		if s, _ := c.Statuses(i); s.Len() > 0 {
			s.At(s.Len() - 1)
		}
	}
	c.Format(names)
}

// FuzzCall: whatever a batch contains, decoding it gives values or errors.
func FuzzCall(f *testing.F) {
	f.Add(waitsome(f, 1).record(), []byte{}, true, false)
	f.Add(call(f, "MPI_Isend").record(),
		call(f, "MPI_Comm_set_name").section("comm_name", layout.SecString, 3, []byte("abc")).record(), false, true)
	f.Add(data(layout.SecIn64, 1, 0, 2, wides(10, 11)),
		call(f, "MPI_Waitsome").section("array_of_requests", layout.SecCut, 2, nil).record(), false, false)
	f.Add(info(layout.InfoComm, 0, append(wides(0x84), ints(1, 4, 2, 2, 1, 1, 0, 2, 3, 9, 1, 1, -1, 1, 2)...)),
		info(layout.InfoMPI, 0, ints(3, 4, 2, 99, 3, 1, 5, 0)), true, true)
	f.Fuzz(func(_ *testing.T, a, b []byte, resume, open bool) {
		var d Decoder
		d.Start(&ring.Batch{Data: a, Resume: resume, Open: open})
		for d.Next() {
			everything(&d.Call)
		}
		d.Start(&ring.Batch{Data: b, Resume: open})
		for d.Next() {
			k := d.Call.Clone(nil)
			everything(&k)
			// The program continues to write over the record.
			for i := range d.Call.raw {
				d.Call.raw[i] ^= 0xa5
			}
			everything(&d.Call)
		}
	})
}

func TestNoAllocations(t *testing.T) {
	batch := ring.Batch{Data: slices.Concat(call(t, "MPI_Send").record(), waitsome(t, 2).record(),
		call(t, "MPI_Recv").record())}
	var d Decoder
	var room []byte
	sum := int64(0)
	if n := testing.AllocsPerRun(100, func() {
		d.Start(&batch)
		for d.Next() {
			for i := range d.Call.Func.Params {
				sum += d.Call.Int(i)
				if a, ok := d.Call.In(i); ok {
					sum += a.At(0)
				}
			}
			k := d.Call.Clone(room)
			room = k.Raw()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecoder(b *testing.B) {
	var all []byte
	for range 256 {
		all = append(all, call(b, "MPI_Send").set("dest", 1).record()...)
		all = append(all, call(b, "MPI_Recv").set("source", 1).record()...)
	}
	batch := ring.Batch{Data: all}
	var d Decoder
	sum := int64(0)
	for i := 0; i < b.N; i += 512 {
		d.Start(&batch)
		for d.Next() {
			sum += d.Call.Int(1)
		}
	}
	if sum < 0 {
		b.Error(sum)
	}
}
