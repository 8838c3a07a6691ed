package inspect

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/testkit/faketables"
)

// More handles of the invented MPI.
const (
	lb, ub, char, twoInt = 0x4c000010, 0x4c000011, 0x4c000101, 0x4c000816
	dcomplex, logical_   = 0x4c001022, 0x4c00041d
	derived              = 0x8c000000
)

var moreNames = []fakerun.Name{
	{Kind: layout.NameDatatype, Value: lb, Name: "MPI_LB"},
	{Kind: layout.NameDatatype, Value: ub, Name: "MPI_UB"},
	{Kind: layout.NameDatatype, Size: 1, Value: char, Name: "MPI_CHAR"},
	{Kind: layout.NameDatatype, Size: 8, Value: twoInt, Name: "MPI_2INT"},
	{Kind: layout.NameDatatype, Size: 16, Value: dcomplex, Name: "MPI_DOUBLE_COMPLEX"},
	{Kind: layout.NameDatatype, Size: 4, Value: logical_, Name: "MPI_LOGICAL"},
}

// figure5 keeps the type of figure 5 of the paper on MUST's datatype checks, and returns the address of its entry.
func figure5(p *faketables.Process) uint64 {
	return p.Keep(layout.NameDatatype, derived, "MPI_Type_create_struct", fakerun.Args{
		"count": 5, "array_of_blocklengths": []int32{1, 5, 7, 2, 1},
		"array_of_displacements": []uint64{^uint64(3), 0, 47, 76, 100},
		"array_of_types":         []uint64{lb, fakerun.Int, char, fakerun.Double, ub}, ">newtype": derived,
	}, faketables.Reference{Handle: lb}, faketables.Reference{Handle: fakerun.Int}, faketables.Reference{Handle: char},
		faketables.Reference{Handle: fakerun.Double}, faketables.Reference{Handle: ub})
}

func inspector(p *faketables.Process) *Inspector { return New(p, p.Debug(), nil) }

// ask returns the answer to a request, as JSON without the id.
func ask(t *testing.T, x *Inspector, request string) string {
	t.Helper()
	var q Request
	if err := json.Unmarshal([]byte(request), &q); err != nil {
		t.Fatal(err)
	}
	result, err := x.Do(&q)
	if err != nil {
		return "error: " + err.Error()
	}
	b, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(json.RawMessage(b)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(out.String()))
}

// askNode returns the node that answers a request.
func askNode(t *testing.T, x *Inspector, request string) *Node {
	t.Helper()
	n := new(Node)
	text := ask(t, x, request)
	if err := json.Unmarshal([]byte(text), n); err != nil {
		t.Fatalf("%s: %s", request, text)
	}
	return n
}

// field returns the text of a field.
func (n *Node) field(name string) string {
	for _, f := range n.Fields {
		if f.Name == name {
			if f.Node != nil {
				return f.Node.Text
			}
			return f.Text
		}
	}
	return "no " + name
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestStruct(t *testing.T) {
	p := faketables.New(4, moreNames...)
	figure5(p)
	x := inspector(p)
	n := askNode(t, x, `{"do":"handle","kind":"datatype","value":2348810240}`)
	want(t, n.Text, "struct{LB @-4, 5*INT @0, 7*CHAR @47, 2*DOUBLE @76, UB @100}; 14 elements, 43 bytes, extent 104")
	want(t, fmt.Sprint(n.Made), fmt.Sprint([]uint64{0x401010, 0x400800}))
	want(t, n.field("kind"), "STRUCT")
	want(t, n.field("count"), "5")
	want(t, n.field("age"), "5.0 s")
	entries := n.Fields[2].Node
	want(t, n.Fields[2].Name, "entries")
	want(t, entries.Fields[0].Node.Text, `{blocklength = 1, offset = -4, type = "MPI_LB"}`)
	want(t, entries.Fields[1].Node.Text, `{blocklength = 5, offset = 0, type = "MPI_INT"}`)
	want(t, entries.Fields[2].Node.field("type"), "MPI_CHAR")
	const typ = `"do":"handle","kind":"datatype","value":"0x8c000000"`
	want(t, ask(t, x, `{`+typ+`,"path":".entries[3].offset"}`), `{"text":"76"}`)
	n = askNode(t, x, `{`+typ+`,"path":"[2][5]"}`)
	want(t, n.Text, "(STRUCT)[2][5](CHAR): 1 bytes at displacement 52")
	n = askNode(t, x, `{`+typ+`,"path":"[2]"}`)
	want(t, n.Text, "(STRUCT)[2]: 7 bytes at displacement 47")
	want(t, ask(t, x, `{`+typ+`,"path":"[9]"}`),
		"error: the type has [0] to [4], so no [9]")
}

// TestConstructors: each constructor shows its arguments by name.
func TestConstructors(t *testing.T) {
	i := faketables.Reference{Handle: fakerun.Int}
	for _, c := range []struct {
		function string
		args     fakerun.Args
		fields   string
	}{
		{
			"MPI_Type_contiguous",
			fakerun.Args{"count": 3, "oldtype": fakerun.Int},
			"kind=CONTIGUOUS count=3 type=MPI_INT size=12",
		},
		{
			"MPI_Type_vector",
			fakerun.Args{"count": 3, "blocklength": 2, "stride": 4, "oldtype": fakerun.Int},
			"kind=VECTOR count=3 blocklength=2 stride=4 type=MPI_INT size=24",
		},
		{
			"MPI_Type_create_hvector",
			fakerun.Args{"count": 3, "blocklength": 2, "stride": 40, "oldtype": fakerun.Int},
			"kind=HVECTOR count=3 blocklength=2 stride=40 type=MPI_INT size=24",
		},
		{"MPI_Type_indexed", fakerun.Args{
			"count": 2, "array_of_blocklengths": []int32{1, 2}, "array_of_displacements": []int32{0, 4},
			"oldtype": fakerun.Int,
		}, "kind=INDEXED count=2 entries=2 entries type=MPI_INT size=12"},
		{"MPI_Type_create_indexed_block", fakerun.Args{
			"count": 2, "blocklength": 2, "array_of_displacements": []int32{0, 4}, "oldtype": fakerun.Int,
		}, "kind=INDEXED_BLOCK count=2 blocklength=2 displacements={0, 4} type=MPI_INT size=16"},
		{"MPI_Type_create_hindexed_block", fakerun.Args{
			"count": 2, "blocklength": 2, "array_of_displacements": []uint64{0, 16}, "oldtype": fakerun.Int,
		}, "kind=HINDEXED_BLOCK count=2 blocklength=2 offsets={0, 16} type=MPI_INT size=16"},
		{"MPI_Type_dup", fakerun.Args{"oldtype": fakerun.Int}, "kind=DUP type=MPI_INT size=4"},
		{
			"MPI_Type_create_resized",
			fakerun.Args{"oldtype": fakerun.Int, "lb": 0, "extent": 16},
			"kind=RESIZED new_lb=0 new_extent=16 type=MPI_INT size=4",
		},
		{"MPI_Type_create_subarray", fakerun.Args{
			"ndims": 2, "array_of_sizes": []int32{4, 5}, "array_of_subsizes": []int32{2, 3},
			"array_of_starts": []int32{1, 1}, "order": fakerun.OrderC, "oldtype": fakerun.Int,
		}, "kind=SUBARRAY ndims=2 sizes={4, 5} subsizes={2, 3} starts={1, 1} order=C type=MPI_INT size=24"},
		{"MPI_Type_create_darray", fakerun.Args{
			"size": 2, "rank": 0, "ndims": 1, "array_of_gsizes": []int32{8},
			"array_of_distribs": []int32{fakerun.Block}, "array_of_dargs": []int32{fakerun.DefaultDarg},
			"array_of_psizes": []int32{2}, "order": fakerun.OrderF,
			"oldtype": fakerun.Int,
		}, "kind=DARRAY rank=0 of 2 ndims=1 sizes={8} distributions= psizes={2} order=FORTRAN type=MPI_INT size=16"},
		{"MPI_Type_create_f90_real", fakerun.Args{"p": 12, "r": 30}, "kind=F90_REAL p=12 r=30 size=8"},
		{"MPI_Type_create_f90_integer", fakerun.Args{"r": 12}, "kind=F90_INTEGER r=12 size=8"},
	} {
		p := faketables.New(4, moreNames...)
		p.Keep(layout.NameDatatype, derived, c.function, c.args, i)
		n := askNode(t, inspector(p), `{"do":"handle","kind":"datatype","value":"0x8c000000"}`)
		var got []string
		for _, f := range n.Fields {
			if f.Name == "lb" {
				break
			}
			got = append(got, f.Name+"="+n.field(f.Name))
		}
		want(t, c.function+" "+strings.Join(got, " "), c.function+" "+c.fields)
	}
}

// TestManyBlocks: a struct of 1,000 blocks is folded, and can be opened step by step.
func TestManyBlocks(t *testing.T) {
	const n = 1000
	p := faketables.New(4, moreNames...)
	inner := p.Keep(layout.NameDatatype, derived+1, "MPI_Type_contiguous",
		fakerun.Args{"count": 2, "oldtype": fakerun.Int}, faketables.Reference{Handle: fakerun.Int})
	lengths, at, types := make([]int32, n), make([]uint64, n), make([]uint64, n)
	refs := make([]faketables.Reference, n)
	for i := range n {
		lengths[i], at[i], types[i] = 1, uint64(16*i), derived+1
		refs[i] = faketables.Reference{Handle: derived + 1, At: inner}
	}
	p.Keep(layout.NameDatatype, derived, "MPI_Type_create_struct", fakerun.Args{
		"count": n, "array_of_blocklengths": lengths, "array_of_displacements": at, "array_of_types": types,
	}, refs...)
	x := inspector(p)
	top := askNode(t, x, `{"do":"handle","kind":"datatype","value":"0x8c000000"}`)
	want(t, top.Text, "STRUCT, count 1000; 2000 elements, 8000 bytes, extent 15992")
	entries := top.Fields[2].Node
	if len(entries.Fields) != mostBelow || entries.More != n-mostBelow {
		t.Errorf("%d fields and %d more", len(entries.Fields), entries.More)
	}
	last := askNode(t, x, `{"do":"handle","kind":"datatype","value":"0x8c000000","path":".entries","from":900}`)
	if len(last.Fields) != 100 || last.More != 0 || last.Fields[99].Name != "[999]" {
		t.Errorf("%d fields and %d more", len(last.Fields), last.More)
	}
	want(t, askNode(t, x, `{"do":"handle","kind":"datatype","value":"0x8c000000","path":".entries[999].type"}`).Text,
		"contiguous(2, INT); 2 elements, 8 bytes, extent 8")
	want(t, askNode(t, x, `{"do":"handle","kind":"datatype","value":"0x8c000000","path":"[999][0]"}`).Text,
		"contiguous(2, INT); 2 elements, 8 bytes, extent 8")
}

// TestLongArrays: arrays that are too long for a record are in other records.
func TestLongArrays(t *testing.T) {
	p := faketables.New(4, moreNames...)
	f := mpiapi.ByName("MPI_Type_create_indexed_block")
	param := f.Param("array_of_displacements")
	rec := fakerun.Record(0, f.Name, fakerun.Args{
		"count": 4, "blocklength": 1, "oldtype": fakerun.Int, "array_of_displacements": []int32{},
	}, 0)
	used := (int(binary.LittleEndian.Uint16(rec[layout.RecordUsedAt:])) + 7) &^ 7
	binary.LittleEndian.PutUint16(rec[used:], layout.SecCut)
	binary.LittleEndian.PutUint32(rec[used+4:], 4)
	d := layout.Data{Kind: layout.SecIn32, Param: uint16(param), Count: 4}
	body := d.Append(nil)
	for _, v := range []uint32{5, 6, 7, 8} {
		body = binary.LittleEndian.AppendUint32(body, v)
	}
	head := layout.Record{Kind: layout.InfoData, Lines: 1, Used: layout.SizeofRecord}
	data := append(head.Append(nil), body...)
	data = append(data, make([]byte, layout.Line-len(data))...)
	p.KeepRecord(layout.NameDatatype, derived, rec, data, faketables.Reference{Handle: fakerun.Int})
	n := askNode(t, inspector(p), `{"do":"handle","kind":"datatype","value":"0x8c000000"}`)
	want(t, n.field("displacements"), "{5, 6, 7, 8}")
}

func TestFreedAndUnknown(t *testing.T) {
	p := faketables.New(4, moreNames...)
	p.Free(figure5(p))
	op := p.Keep(layout.NameOp, 0x98000000, "MPI_Op_create", fakerun.Args{"user_fn": 0x405000, "commute": 1})
	x := inspector(p)
	n := askNode(t, x, `{"do":"handle","kind":"datatype","value":"0x8c000000"}`)
	if !strings.HasPrefix(n.Text, "was freed: struct{") {
		t.Error(n.Text)
	}
	want(t, askNode(t, x, `{"do":"handle","kind":"op","value":"0x98000000"}`).Text,
		"reduction operation with the function 0x405000, commutative")
	p.Free(op)
	want(t, askNode(t, x, `{"do":"handle","kind":"op","value":"0x98000000"}`).Text,
		"was freed: reduction operation with the function 0x405000, commutative")
	// The handle is used again.
	p.Keep(layout.NameDatatype, derived, "MPI_Type_dup", fakerun.Args{"oldtype": fakerun.Int})
	want(t, askNode(t, x, `{"do":"handle","kind":"datatype","value":"0x8c000000"}`).Text,
		"dup(INT); 1 elements, 4 bytes, extent 4")
	for request, answer := range map[string]string{
		`"kind":"datatype","value":1234567`:      "0x12d687 is no datatype that mpivet knows",
		`"kind":"datatype","value":"0x98000000"`: "0x98000000 is no datatype: it is a reduction operation",
		`"kind":"op","value":"0x44000000"`:       "0x44000000 is no reduction operation: it is MPI_COMM_WORLD",
		`"kind":"keyval","value":1`:              `"keyval" is no kind of handle`,
		`"kind":"op"`:                            "the request handle needs a value",
		`"kind":"request","value":7`: "0x7 is no request that mpivet knows: " +
			"it is complete, or no call has made it",
	} {
		want(t, ask(t, x, `{"do":"handle",`+request+`}`), "error: "+answer)
	}
	want(t, ask(t, x, `{"do":"handle","kind":"op","value":"0x58000003"}`), `{"text":"MPI_SUM"}`)
	want(t, ask(t, x, `{"do":"dance"}`), `error: there is no request "dance"`)
}

// TestBuffer: memory through datatypes, with paths.
func TestBuffer(t *testing.T) {
	p := faketables.New(4, moreNames...)
	figure5(p)
	le := binary.LittleEndian
	s := make([]byte, 208)
	for i := range 5 {
		le.PutUint32(s[4*i:], uint32(int32(-i)))
	}
	copy(s[47:], "mpivet\n")
	le.PutUint64(s[76:], math.Float64bits(0.5))
	le.PutUint64(s[84:], math.Float64bits(math.Inf(-1)))
	at := p.Alloc(s)
	x := inspector(p)
	buffer := func(typ uint64, at uint64, count int, path string) *Node {
		return askNode(t, x, fmt.Sprintf(`{"do":"buffer","type":%d,"address":%d,"count":%d,"path":%q}`,
			typ, at, count, path))
	}
	n := buffer(derived, at, 1, "")
	want(t, n.field("[1][3]"), "-3")
	want(t, n.field("[2][5]"), "'t'")
	want(t, n.field("[2][6]"), `'\n'`)
	want(t, n.field("[3][0]"), "0.5")
	want(t, n.field("[3][1]"), "-Inf")
	want(t, buffer(derived, at, 2, "copy 0 of [2][5]").Text, "'t'")
	want(t, buffer(derived, at, 1, "[2]").Text, fmt.Sprintf(
		`[2], 7 elements at %#x: 'm', 'p', 'i', 'v', 'e', 't', '\n'`, at+47))
	ints := make([]byte, 4*500)
	for i := range 500 {
		le.PutUint32(ints[4*i:], uint32(i))
	}
	many := p.Alloc(ints)
	n = buffer(fakerun.Int, many, 500, "")
	want(t, n.Text, fmt.Sprintf("500 × MPI_INT at %#x: 0, 1, 2, 3, 4, 5, 6, 7, …", many))
	if len(n.Fields) != mostFields || n.More != 300 || n.Fields[199].Name != "[199]" || n.Fields[199].Text != "199" {
		t.Errorf("%d fields, %d more, %v", len(n.Fields), n.More, n.Fields[len(n.Fields)-1])
	}
	want(t, buffer(fakerun.Int, many, 500, "[321]").Text, "321")
	n = askNode(t, x, fmt.Sprintf(`{"do":"buffer","type":%d,"address":%d,"count":500,"from":400}`, fakerun.Int, many))
	want(t, n.Fields[0].Name+"="+n.Fields[0].Text, "[400]=400")
	n = buffer(twoInt, many, 2, "")
	want(t, n.Text, fmt.Sprintf("2 × MPI_2INT at %#x: 0, 1, 2, 3", many))
	want(t, n.Fields[1].Name+" "+n.Fields[1].Node.Text, "[1] {2, 3}")
	want(t, n.Fields[1].Node.field("[0]"), "2")
	z := p.Alloc(le.AppendUint64(le.AppendUint64(nil, math.Float64bits(1.5)), math.Float64bits(-2)))
	want(t, buffer(dcomplex, z, 1, "").field("[0]"), "1.5-2i")
	want(t, buffer(logical_, p.Alloc([]byte{1, 0, 0, 0}), 1, "").field("[0]"), ".TRUE.")
	want(t, buffer(fakerun.Int, 16, 1, "").field("[0]"), "<cannot be read at 0x10>")
	want(t, ask(t, x, fmt.Sprintf(`{"do":"buffer","type":%d,"address":%d,"count":2,"path":"[2]"}`, fakerun.Int, many)),
		"error: the buffer has only 2 copies of the datatype, so there is no copy 2")
	want(t, ask(t, x, fmt.Sprintf(`{"do":"buffer","type":%d,"address":1,"count":-1}`, fakerun.Int)),
		"error: the count is -1")
}

// TestPathsOfNodes: a node below that is not whole names the path by which a request gets the rest of it.
func TestPathsOfNodes(t *testing.T) {
	p := faketables.New(4, moreNames...)
	p.Keep(layout.NameDatatype, 0x8c000077, "MPI_Type_contiguous",
		fakerun.Args{"count": 100, "oldtype": fakerun.Int})
	x := inspector(p)
	at := p.Alloc(make([]byte, 4*100*50))
	ask := func(from int, path string) *Node {
		return askNode(t, x, fmt.Sprintf(`{"do":"buffer","type":%d,"address":%d,"count":50,"from":%d,"path":%q}`,
			0x8c000077, at, from, path))
	}
	n := ask(0, "").Fields[3].Node
	if len(n.Fields) != mostBelow || n.More != 100-mostBelow || n.Path == "" {
		t.Fatalf("%d fields, %d more, path %q", len(n.Fields), n.More, n.Path)
	}
	rest := ask(mostBelow, n.Path)
	want(t, rest.Text, n.Text)
	if len(rest.Fields) != 100-mostBelow || rest.Fields[0].Name != "["+strconv.Itoa(mostBelow)+"]" {
		t.Errorf("the rest: %d fields from %s on", len(rest.Fields), rest.Fields[0].Name)
	}
}

// TestNotes: a datatype has the name that the program has given it last, and an info object its pairs.
func TestNotes(t *testing.T) {
	p := faketables.New(4, moreNames...)
	typ := p.Keep(layout.NameDatatype, 0x8c000077, "MPI_Type_contiguous",
		fakerun.Args{"count": 2, "oldtype": fakerun.Int})
	info := p.Keep(layout.NameInfo, 0x9c000001, "MPI_Info_create", fakerun.Args{})
	p.Note(typ, "MPI_Type_set_name", fakerun.Args{"datatype": 0x8c000077, "type_name": "first"})
	p.Note(typ, "MPI_Type_set_name", fakerun.Args{"datatype": 0x8c000077, "type_name": "pair"})
	p.Note(info, "MPI_Info_set", fakerun.Args{"info": 0x9c000001, "key": "a", "value": "1"})
	p.Note(info, "MPI_Info_set", fakerun.Args{"info": 0x9c000001, "key": "b", "value": "2"})
	p.Note(info, "MPI_Info_set", fakerun.Args{"info": 0x9c000001, "key": "a", "value": "3"})
	p.Note(info, "MPI_Info_delete", fakerun.Args{"info": 0x9c000001, "key": "b"})
	x := inspector(p)
	n := askNode(t, x, `{"do":"handle","kind":"datatype","value":"0x8c000077"}`)
	want(t, n.Text, "pair: contiguous(2, INT); 2 elements, 8 bytes, extent 8")
	want(t, n.field("name"), "pair")
	n = askNode(t, x, `{"do":"handle","kind":"info","value":"0x9c000001","path":".pairs"}`)
	want(t, n.Text, "a = 3")
	want(t, n.field("a"), "3")
}

// busy returns a process with calls, requests and communicators.
func busy() *faketables.Process {
	p := faketables.New(4, moreNames...)
	figure5(p)
	p.Object(layout.Object{
		Handle: 0x84000001, ID: 2, Parent: 1, Number: 1, Kind: layout.ObjectComm, Made: layout.MadeElse,
		Rank: 1, Size: 3, Runs: 2,
		Run: [layout.ObjectRuns]layout.Run{{Start: 3, Stride: 1, Count: 1}, {Start: 1, Stride: 1, Count: 2}},
	}, "rows", faketables.Count{Kind: 0, Entered: 3, Left: 2}, faketables.Count{Kind: 1, Entered: 1, Left: 1})
	main := p.Thread(100, 0)
	main.Call(true, "MPI_Recv", fakerun.Args{
		"*buf": p.Alloc([]byte{42, 0, 0, 0, 43, 0, 0, 0}), "count": 2, "datatype": fakerun.Int,
		"source": fakerun.AnySource, "tag": 5, "comm": 0x84000001,
	})
	main.Request(0xac000007, layout.RequestActive, "MPI_Isend", fakerun.Args{
		"*buf": 0x7ffe1000, "count": 4, "datatype": derived, "dest": 2, "tag": 9, "comm": fakerun.World,
		">request": 0xac000007,
	})
	main.Request(0xac000008, layout.RequestPersistent, "MPI_Recv_init", fakerun.Args{
		"*buf": 0x7ffe2000, "count": 1, "datatype": fakerun.Int, "source": 2, "tag": 9, "comm": fakerun.World,
		">request": 0xac000008,
	})
	p.Thread(101, 1).Call(false, "MPI_Barrier", fakerun.Args{"comm": fakerun.World})
	p.Tell(`{"waits":[{"thread":0,"call":17,"for":"rank 3 to send (any tag)"},`+
		`{"thread":1,"call":9,"for":"old"}],`+
		`"findings":[{"check":"GLOBAL:DEADLOCK","severity":"error","text":"all wait"}]}`,
		&layout.Unexpected{
			Comm: fakerun.World, Source: 3, Tag: 8, World: 3, Function: uint32(mpiapi.ByName("MPI_Send").ID), Bytes: 12,
			Beat: faketables.Now - 1e9,
		})
	return p
}

func TestCalls(t *testing.T) {
	x := inspector(busy())
	n := askNode(t, x, `{"do":"call","tid":100}`)
	if !strings.HasPrefix(n.Text, "MPI_Recv(*buf=0x7f") ||
		!strings.HasSuffix(n.Text, "count=2, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=5, comm=rows, "+
			"*status=0x7d0600000000)") {
		t.Error(n.Text)
	}
	want(t, n.field("source"), "MPI_ANY_SOURCE")
	want(t, n.field("comm"), "communicator: rows, rank 1 of 3")
	want(t, n.field("since"), "3.0 s")
	want(t, n.field("waits for"), "rank 3 to send (any tag)")
	want(t, ask(t, x, `{"do":"call","tid":100,"path":".comm.members"}`), `{"text":"3, 1-2"}`)
	want(t, ask(t, x, `{"do":"call","tid":101}`), `{"text":"outside MPI, after MPI_Barrier(comm=MPI_COMM_WORLD)"}`)
	want(t, ask(t, x, `{"do":"call","tid":102}`), "error: thread 102 has called no MPI")
	n = askNode(t, x, `{"do":"calls"}`)
	if len(n.Fields) != 2 || n.Fields[0].Name != "thread 100" {
		t.Errorf("%+v", n)
	}
}

func TestRequestsAndQueues(t *testing.T) {
	x := inspector(busy())
	const isend = "MPI_Isend to 2, tag 9, MPI_COMM_WORLD, 4 × STRUCT 0x8c000000 at 0x7ffe1000"
	n := askNode(t, x, `{"do":"handle","kind":"request","value":"0xac000007"}`)
	want(t, n.Text, isend+", active for 2.0 s")
	want(t, n.field("operation"), "MPI_Isend")
	want(t, fmt.Sprint(n.Made), fmt.Sprint([]uint64{0x402000}))
	n = askNode(t, x, `{"do":"handle","kind":"request","value":"0xac000008"}`)
	want(t, n.field("state"), "inactive, persistent")
	n = askNode(t, x, `{"do":"requests"}`)
	want(t, n.Text, "2 requests")
	n = askNode(t, x, `{"do":"queues"}`)
	want(t, n.Text, "1 pending send, 1 pending receive, 1 unexpected message")
	want(t, n.Fields[0].Node.Fields[0].Node.Text, isend+", for 2.0 s")
	const recv = "MPI_Recv from MPI_ANY_SOURCE, tag 5, rows, 2 × MPI_INT at 0x7f"
	if got := n.Fields[1].Node.Fields[0].Node.Text; !strings.HasPrefix(got, recv) ||
		!strings.HasSuffix(got, "thread 100 is in this call") {
		t.Error(got)
	}
	want(t, n.Fields[2].Node.Fields[0].Text,
		"from 3, tag 8, MPI_COMM_WORLD, 12 bytes, by MPI_Send of world rank 3, for 1.0 s")
	n = askNode(t, x, `{"do":"findings"}`)
	want(t, n.Fields[0].Node.Text, "error GLOBAL:DEADLOCK: all wait")
}

func TestCommunicators(t *testing.T) {
	p := busy()
	g := p.Keep(layout.NameGroup, 0x88000001, "MPI_Comm_group", fakerun.Args{"comm": 0x84000001},
		faketables.Reference{Handle: 0x84000001})
	p.Keep(layout.NameGroup, 0x88000002, "MPI_Group_incl", fakerun.Args{
		"group": 0x88000001, "n": 2, "ranks": []int32{2, 1},
	}, faketables.Reference{Handle: 0x88000001, At: g})
	x := inspector(p)
	n := askNode(t, x, `{"do":"comms"}`)
	want(t, n.Text, "2 communicators")
	want(t, n.Fields[0].Node.Text, "communicator: MPI_COMM_WORLD, rank 1 of 4")
	n = askNode(t, x, `{"do":"handle","kind":"comm","value":"0x84000001"}`)
	want(t, n.field("parent"), "MPI_COMM_WORLD (0x44000000)")
	want(t, n.field("collectives"), "4 collective calls, in MPI_Barrier now")
	want(t, askNode(t, x, `{"do":"handle","kind":"group","value":"0x88000001"}`).Text, "group of 3: 3, 1-2")
	n = askNode(t, x, `{"do":"handle","kind":"group","value":"0x88000002"}`)
	want(t, n.Text, "group of 2: 2, 1")
	want(t, n.field("rank"), "1")
	n = askNode(t, x, `{"do":"collectives"}`)
	want(t, n.Fields[0].Node.Text, "rows: 4 collective calls, in MPI_Barrier now")
	want(t, n.Fields[0].Node.field("MPI_Bcast"), "entered once")
}

func TestPointer(t *testing.T) {
	p := busy()
	x := inspector(p)
	var at uint64
	if _, err := fmt.Sscanf(askNode(t, x, `{"do":"call","tid":100}`).field("buf"), "0x%x", &at); err != nil {
		t.Fatal(err)
	}
	want(t, askNode(t, x, fmt.Sprintf(`{"do":"pointer","tid":100,"address":%d}`, at)).Text,
		fmt.Sprintf("2 × MPI_INT at %#x: 42, 43", at))
	want(t, ask(t, x, `{"do":"pointer","tid":100,"address":4096}`), "null")
	want(t, ask(t, x, `{"do":"pointer","tid":101,"address":4096}`), "null")
}

func TestStatus(t *testing.T) {
	le := binary.LittleEndian
	var mpich, open []byte
	for _, v := range []uint32{12, 1, 3, 7, 0} { // cancelled
		mpich = le.AppendUint32(mpich, v)
	}
	for _, v := range []uint32{3, 7, 15, 0, 12, 0} {
		open = le.AppendUint32(open, v)
	}
	for _, c := range []struct {
		size  int
		bytes []byte
		text  string
	}{{4, mpich, "from 3, tag 7, 12 bytes, cancelled"}, {8, open, "from 3, tag 7, 12 bytes, error 15"}} {
		p := faketables.New(c.size, moreNames...)
		n := askNode(t, inspector(p), fmt.Sprintf(`{"do":"status","address":%d}`, p.Alloc(c.bytes)))
		want(t, n.Text, c.text)
	}
	want(t, askNode(t, inspector(faketables.New(4)), `{"do":"status","source":-2,"tag":-1,"error":0,"bytes":4}`).Text,
		"from MPI_ANY_SOURCE, tag MPI_ANY_TAG, 4 bytes")
}

// TestFortran: Fortran handles of MPICH are the handles. Those of Open MPI are looked up in its tables, whose layout is
// found by trying.
func TestFortran(t *testing.T) {
	p := faketables.New(4, moreNames...)
	figure5(p)
	const request = `{"do":"handle","kind":"datatype","value":%d,"fortran":true}`
	want(t, askNode(t, inspector(p), fmt.Sprintf(request, int32(-0x74000000))).field("kind"), "STRUCT")
	for _, offset := range []uint64{usualAddr, 136, 64} {
		p := faketables.New(8, moreNames...)
		figure5(p)
		array := p.Alloc(make([]byte, 8*100))
		p.Put64(array+8*70, derived)
		table := p.Alloc(make([]byte, 256))
		p.Put64(table+offset, array)
		x := inspector(p)
		want(t, ask(t, x, fmt.Sprintf(request, 70)),
			"error: the table of Open MPI's Fortran handles is not known: ompi_datatype_f_to_c_table")
		want(t, ask(t, x, fmt.Sprintf(`{"do":"hello","debug":%d,"symbols":{"ompi_datatype_f_to_c_table":%d}}`,
			p.Debug(), table)), `{"rank":1,"size":4,"handle_size":8}`)
		want(t, askNode(t, x, fmt.Sprintf(request, 70)).field("kind"), "STRUCT")
		want(t, ask(t, x, fmt.Sprintf(request, 71)), "error: 71 is no Fortran handle that mpivet knows")
		want(t, ask(t, x, fmt.Sprintf(request, -5)), "error: -5 is no Fortran handle")
	}
}

// TestServe: the inspector reads memory through the client.
func TestServe(t *testing.T) {
	p := busy()
	toServer, requests := io.Pipe()
	answers, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(toServer, fromServer) }()
	r := bufio.NewReader(answers)
	send := func(request string) string {
		fmt.Fprintln(requests, request)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				Read   uint64
				Length int
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.Length == 0 {
				return strings.TrimSpace(line)
			}
			b := make([]byte, m.Length)
			if err := p.ReadMemory(m.Read, b); err != nil {
				fmt.Fprintln(requests, `{"error":"cannot access memory"}`)
			} else {
				fmt.Fprintf(requests, "{\"data\":%q}\n", base64.StdEncoding.EncodeToString(b))
			}
		}
	}
	want(t, send(`{"id":1,"do":"calls"}`),
		`{"id":1,"error":"the address of mpivet_debug is not known: the first request must be hello"}`)
	want(t, send(`nonsense`), `{"id":0,"error":"the request cannot be understood: `+
		`invalid character 'o' in literal null (expecting 'u')"}`)
	want(t, send(`{"id":2,"do":"hello","debug":4096}`), fmt.Sprintf(
		`{"id":2,"error":"mpivet_debug: %d bytes at 0x1000: the memory cannot be read: cannot access memory"}`,
		layout.SizeofDebug))
	want(t, send(fmt.Sprintf(`{"id":3,"do":"hello","debug":%d}`, p.Debug())),
		`{"id":3,"result":{"rank":1,"size":4,"handle_size":4}}`)
	want(t, send(`{"id":4,"do":"handle","kind":"datatype","value":2348810240,"path":".count"}`),
		`{"id":4,"result":{"text":"5"}}`)
	requests.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
