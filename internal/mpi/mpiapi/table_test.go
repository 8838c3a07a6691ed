package mpiapi

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestFresh(t *testing.T) {
	got, err := os.ReadFile("ids.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, Constants()) {
		t.Error("ids.go is not what api.txt says: run go generate")
	}
}

func TestLookup(t *testing.T) {
	for i, f := range Funcs() {
		if int(f.ID) != i+1 || ByID(f.ID) != f || ByName(f.Name) != f {
			t.Errorf("%s: number %d does not lead back to it", f.Name, f.ID)
		}
		base := ByID(f.Base)
		if base == nil || base.ID > f.ID || base.Base != base.ID ||
			len(base.Params) != len(f.Params) || base.Class != f.Class {
			t.Errorf("%s: base %v", f.Name, base)
		}
	}
	if ByID(0) != nil || ByID(FuncID(len(Funcs())+1)) != nil || ByName("MPI_Sned") != nil {
		t.Error("found a function that does not exist")
	}
	if IDSend != ByName("MPI_Send").ID || ByID(IDSendC).Base != IDSend || ByID(IDXBarrierInit).Base != IDBarrierInit {
		t.Error("numbers and names disagree")
	}
	if Skipped("MPI_Pcontrol") == "" || Skipped("MPI_Send") != "" {
		t.Error("MPI_Pcontrol, and not MPI_Send, is left out with a reason")
	}
}

// kindsOf lists the kinds that may have a role.
var kindsOf = map[Role][]Kind{
	SendBuf: {Buffer}, RecvBuf: {Buffer},
	SendCount: {Int, Count}, RecvCount: {Int, Count}, TargetCount: {Int, Count},
	SendType: {Datatype}, RecvType: {Datatype}, TargetType: {Datatype}, NewType: {Datatype}, OldType: {Datatype},
	SendDispls: {Int, Aint}, RecvDispls: {Int, Aint}, TargetDisp: {Aint},
	Dest: {Int}, Source: {Int}, TargetRank: {Int}, Root: {Int}, SendTag: {Int}, RecvTag: {Int},
	TheComm: {Comm}, PeerComm: {Comm}, NewComm: {Comm}, ReduceOp: {Op}, TheRequest: {Request}, Requests: {Request},
	TheStatus: {Status}, Flag: {Int}, Index: {Int}, OutCount: {Int}, Indices: {Int}, TheMessage: {Message},
	TheWin: {Win}, TheFile: {File}, TheGroup: {Group}, NewGroup: {Group}, ErrorCode: {Int}, ThreadLevel: {Int},
	Partitions: {Int}, Color: {Int}, Name: {String},
}

// needs lists the roles that every function of a class has.
var needs = map[Class][]Role{
	Send: {SendBuf, SendCount, SendType, Dest, SendTag, TheComm},
	Recv: {RecvBuf, RecvCount, RecvType, Source, RecvTag, TheComm, TheStatus},
	SendRecv: {
		SendBuf, SendCount, SendType, Dest, SendTag, Source, RecvTag, TheComm, TheStatus,
	},
	Isend:          {SendBuf, SendCount, SendType, Dest, SendTag, TheComm, TheRequest},
	Irecv:          {RecvBuf, RecvCount, RecvType, Source, RecvTag, TheComm, TheRequest},
	Isendrecv:      {SendBuf, SendCount, SendType, Dest, SendTag, Source, RecvTag, TheComm, TheRequest},
	SendInit:       {SendBuf, SendCount, SendType, Dest, SendTag, TheComm, TheRequest},
	RecvInit:       {RecvBuf, RecvCount, RecvType, Source, RecvTag, TheComm, TheRequest},
	Probe:          {Source, RecvTag, TheComm, TheStatus},
	Mrecv:          {RecvBuf, RecvCount, RecvType, TheMessage},
	Wait:           {TheStatus},
	Test:           {TheStatus},
	RequestOp:      {TheRequest},
	Icollective:    {TheRequest},
	CollectiveInit: {TheComm, TheRequest},
}

func TestRoles(t *testing.T) {
	for _, f := range Funcs() {
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf(f.Name+": "+format, args...)
		}
		for i := range f.Params {
			p := &f.Params[i]
			if p.Role != NoRole && !slices.Contains(kindsOf[p.Role], p.Kind) {
				fail("%s is of kind %v, which does not suit role %v", p.Name, p.Kind, p.Role)
			}
			if p.AtRoot && f.Arg(Root) < 0 {
				fail("%s is significant at the root, but there is no root", p.Name)
			}
			if p.Kind.Handle() && p.Dir == Out && !p.Record && f.Class != Query {
				fail("it creates %s and does not record it", p.Name)
			}
			if p.Kind.Handle() && p.Dir == InOut && !p.Record {
				fail("it changes %s and does not record it", p.Name)
			}
			if p.Dir == In && p.Kind != Buffer && p.Kind != Pointer && p.Kind != Function &&
				!p.Record && f.Class != Query {
				fail("it reads %s and does not record it", p.Name)
			}
		}
		for _, role := range needs[f.Class] {
			if f.Arg(role) < 0 {
				fail("class %v has a %v", f.Class, role)
			}
		}
		if f.Class == Test && (f.Arg(Flag) < 0) != (f.Arg(OutCount) >= 0) {
			fail("class Test has a flag or a number of completions")
		}
		if f.Class == Wait || f.Class == Test || f.Class == Start {
			if (f.Arg(TheRequest) < 0) == (f.Arg(Requests) < 0) {
				fail("class %v has one request or an array of them", f.Class)
			}
		}
		if over := f.Over(); over < 0 {
			if f.Coll && f.ID != IDFinalize {
				fail("it is collective over nothing")
			}
		} else if f.Params[over].Dir == Out {
			fail("it is collective over the %s that it creates", f.Params[over].Name)
		}
		if f.Class == Query && f.Coll {
			fail("a query is collective")
		}
		if !f.ReturnsCode() && f.Class != Query {
			fail("it can't fail and yet is no query")
		}
	}
}

func TestElements(t *testing.T) {
	for _, c := range []struct {
		f, p string
		want Elements
	}{
		{"MPI_Waitall", "array_of_requests", Elements{Kind: ByParam, Factor: 1, Arg: 0}},
		{"MPI_Group_range_incl", "ranges", Elements{Kind: ByParam, Factor: 3, Arg: 1}},
		{"MPI_Gatherv", "recvcounts", Elements{Kind: BySize, Arg: 8}},
		{"MPI_Reduce_scatter", "recvcounts", Elements{Kind: ByLocalSize, Arg: 5}},
		{"MPI_Neighbor_alltoallv", "sdispls", Elements{Kind: ByOutDegree, Arg: 8}},
		{"MPI_Neighbor_alltoallv", "rdispls", Elements{Kind: ByInDegree, Arg: 8}},
		{"MPI_Cart_sub", "remain_dims", Elements{Kind: ByDims, Arg: 0}},
		{"MPI_Graph_create", "edges", Elements{Kind: ByLast, Arg: 2, N: 1}},
		{"MPI_Dist_graph_create", "weights", Elements{Kind: BySum, Arg: 3, N: 1}},
		{"MPI_Send", "buf", Elements{}},
	} {
		f := ByName(c.f)
		if got := f.Params[f.param(c.p)].Elements; got != c.want {
			t.Errorf("%s: %s has %+v elements, want %+v", c.f, c.p, got, c.want)
		}
	}
	some := ByName("MPI_Waitsome")
	if got := some.Params[some.Arg(Indices)].Written; got.Kind != ByParam || got.Arg != some.Arg(OutCount) {
		t.Errorf("MPI_Waitsome writes %+v indices, want the number in outcount", got)
	}
}

func TestInPlace(t *testing.T) {
	for _, c := range []struct{ f, p, buffer string }{
		{"MPI_Alltoallw_c", "sendtypes", "sendbuf"},
		{"MPI_Scatterv", "recvcount", "recvbuf"},
		{"MPI_Scatterv", "sendcounts", ""},
		{"MPI_Allgather", "recvcount", ""},
		{"MPI_Allreduce", "count", ""},
	} {
		f := ByName(c.f)
		got := ""
		if i := f.InPlaceOf(f.param(c.p)); i >= 0 {
			got = f.Params[i].Name
		}
		if got != c.buffer {
			t.Errorf("%s: %s depends on %q being MPI_IN_PLACE, want %q", c.f, c.p, got, c.buffer)
		}
	}
}

func TestPrototype(t *testing.T) {
	for _, want := range []string{
		"int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)",
		"int MPI_Alltoallv_c(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Aint *sdispls," +
			" MPI_Datatype sendtype, void *recvbuf, const MPI_Count *recvcounts, const MPI_Aint *rdispls," +
			" MPI_Datatype recvtype, MPI_Comm comm)",
		"int MPI_Group_range_incl(MPI_Group group, int n, int (*ranges)[3], MPI_Group *newgroup)",
		"double MPI_Wtime(void)",
		"int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)",
	} {
		name, _, _ := strings.Cut(want[strings.Index(want, " ")+1:], "(")
		if got := ByName(name).Prototype(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestNames compares the names with the constants in the source, as there is no other list of these.
func TestNames(t *testing.T) {
	src, err := os.ReadFile("api.go")
	if err != nil {
		t.Fatal(err)
	}
	for what, names := range map[string][]string{
		"Kind": kindNames[:], "Dir": dirNames[:], "Role": roleNames[:], "Class": classNames[:],
	} {
		_, list, _ := strings.Cut(string(src), " "+what+" = iota")
		list, _, _ = strings.Cut(list, "\n)")
		got := []string{regexp.MustCompile(`(\w+) +` + what + ` = iota`).FindStringSubmatch(string(src))[1]}
		for line := range strings.Lines(list) {
			if line, _, _ := strings.Cut(line, "//"); strings.TrimSpace(line) != "" {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if !slices.Equal(got, names) {
			t.Errorf("the names of %s are %v, want %v", what, names, got)
		}
	}
	if got := Kind(200).String(); got != "Kind(200)" {
		t.Errorf("an unknown kind is called %q", got)
	}
}

// TestSections compares the kinds of sections with the library's.
func TestSections(t *testing.T) {
	src, err := os.ReadFile("../../../preload/record.h")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]int{
		"MV_IN32": SectionIn32, "MV_IN64": SectionIn64, "MV_OUT32": SectionOut32, "MV_OUT64": SectionOut64,
		"MV_STATUS": SectionStatus, "MV_STRING": SectionString,
	} {
		if !strings.Contains(string(src), name+" = "+strconv.Itoa(value)+",") {
			t.Errorf("record.h does not say that %s is %d", name, value)
		}
	}
}

func TestErrors(t *testing.T) {
	const words = "word int = int\nword comm = MPI_Comm, TheComm\nword buf = void *, Buffer, RecvBuf, out\n" +
		"word request = MPI_Request, TheRequest\n"
	for _, c := range []struct{ text, want string }{
		{"Send 1.0 MPI_X(int a, comm, int b[c])", `api.txt:5: MPI_X: parameter "b": length "c": no parameter c`},
		{"Sned 1.0 MPI_X(int a)", `api.txt:5: MPI_X: unknown class "Sned"`},
		{"\n\nSend 1 MPI_X(int a)", `api.txt:7: MPI_X: "1" is not a version of the standard: want 1.0, 1.0-3.0 or ext`},
		{"Send 1.0 huge MPI_X(int a)", `api.txt:5: MPI_X: unknown flag "huge"`},
		{"Send 1.0 MPI_X(int a,\n  bar b)", `api.txt:5: MPI_X: parameter "bar b": unknown word "bar"`},
		{"Send 1.0 MPI_X(int a, int a)", `api.txt:5: MPI_X: two parameters are called a`},
		{"Send 1.0 MPI_X(out get int a)", `api.txt:5: MPI_X: parameter "out get int a": both out and get`},
		{"Send 1.0 MPI_X(out buf)", `api.txt:5: MPI_X: parameter "out buf": a buf is a pointer already`},
		{
			"Send 1.0 MPI_X(int a[)",
			`api.txt:5: MPI_X: parameter "int a[": want [CAPACITY] or [CAPACITY:WRITTEN] at the end`,
		},
		{"Send 1.0 MPI_X(comm, int a[comm])", `api.txt:5: MPI_X: parameter "a": length "comm": comm is not a number`},
		{
			"Send 1.0 MPI_X(int n, int a[size(n)])",
			`api.txt:5: MPI_X: parameter "a": length "size(n)": n is not a communicator`,
		},
		{
			"Send 1.0 MPI_X(int n, int a[sum(n,n)])",
			`api.txt:5: MPI_X: parameter "a": length "sum(n,n)": ` +
				"n is not an array of int that is read and has n elements",
		},
		{
			"Send 1.0 MPI_X(comm, int a[size(comm,comm)])",
			`api.txt:5: MPI_X: parameter "a": length "size(comm,comm)": wrong number of arguments`,
		},
		{
			"Send 1.0 MPI_X(int n, int a[x*n])",
			`api.txt:5: MPI_X: parameter "a": length "x*n": "x" is not a positive number`,
		},
		{
			"Send 1.0 MPI_X(out int n, int a[n])",
			`api.txt:5: MPI_X: parameter "a": its length n is not known before the call`,
		},
		{
			"Send 1.0 MPI_X(int n, int a[n:n])",
			`api.txt:5: MPI_X: parameter "int a[n:n]": a WRITTEN length goes with out`,
		},
		{
			"Send 1.0 MPI_X(notinplace int n)",
			`api.txt:5: MPI_X: parameter "n": there is no buffer that could be MPI_IN_PLACE`,
		},
		{
			"word three = int (*)[3]\nSend 1.0 MPI_X(three a)",
			`api.txt:6: MPI_X: parameter "three a": a three goes with a length`,
		},
		{"Send 1.0 MPI_X(int n,)", `api.txt:5: MPI_X: parameter "": want [MODIFIER…] WORD [NAME] [LENGTH]`},
		{
			"Send 1.0 MPI_X(int n",
			`api.txt:5: "Send 1.0 MPI_X(int n": want CLASS VERSION [FLAG…] NAME(PARAMETER, …) [RESULT] [: COLUMN, …]`,
		},
		{"MPI_X()", `api.txt:5: "MPI_X()": want CLASS VERSION [FLAG…] NAME before the parameters`},
		{"Send 1.0 MPI_X()\nSend 1.0 MPI_X()", `api.txt:6: MPI_X occurs twice`},
		{"Send 1.0 MPI_X()\nskip MPI_X for fun", `api.txt:6: MPI_X occurs twice`},
		{"skip MPI_X", `api.txt:5: skip MPI_X: no reason given`},
		{"word int = int", `api.txt:5: word int occurs twice`},
		{"word foo = MPI_Foo", `api.txt:5: word foo: the kind does not follow from "MPI_Foo", name it`},
		{"word foo = int, Bar", `api.txt:5: word foo: unknown property "Bar"`},
		{"word foo = void *, Buffer", `api.txt:5: word foo: in, out or inout goes with pointers, and only with them`},
		{"word foo", `api.txt:5: word foo: want NAME = CTYPE, PROPERTY, …`},
	} {
		_, err := parse(words + c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
	if _, err := parse("# nothing\n  int"); err == nil || err.Error() != "api.txt:2: continues nothing" {
		t.Errorf("a continuation of nothing: %v", err)
	}
}

// TestHash checks that the hash depends on the layout of records, and on nothing else.
func TestHash(t *testing.T) {
	of := func(s string) uint64 {
		t.Helper()
		table, err := parse(s)
		if err != nil {
			t.Fatal(err)
		}
		list := hashes(table.funcs)
		return list[len(list)-1]
	}
	base := of(text)
	if base != Hash() {
		t.Error("the hash of the same table differs")
	}
	same := strings.Replace(text, "Query          1.0 MPI_Comm_size", "# a comment\n\nQuery 2.0 MPI_Comm_size", 1)
	if same == text || of(same) != base {
		t.Error("the hash depends on comments, blanks or versions")
	}
	for _, c := range [][2]string{
		{"out request)", "get request)"},
		{"sendtag tag, comm)", "comm, sendtag tag)"},
		{"displs[size(comm)]", "displs[localsize(comm)]"},
		{"MPI_Initialized(", "MPI_Initialised("},
		{"atroot recvdispl", "recvdispl"},
	} {
		if s := strings.Replace(text, c[0], c[1], 1); s == text || of(s) == base {
			t.Errorf("the hash is the same with %q for %q", c[1], c[0])
		}
	}
}

// TestReads checks that functions that are added at the end do not prevent older records from being read, and that
// other changes do.
func TestReads(t *testing.T) {
	older := func(changed string) uint64 {
		t.Helper()
		table, err := parse(changed)
		if err != nil {
			t.Fatal(err)
		}
		list := hashes(table.funcs)
		return list[len(list)-1]
	}
	before, _, _ := strings.Cut(text, "# MPI 4.1 and 5.0\n")
	if h := older(before); h == Hash() || !Reads(h) {
		t.Error("records of a table without the functions of MPI 4.1 and 5.0 can't be read")
	}
	if !Reads(Hash()) {
		t.Error("own records can't be read")
	}
	if Reads(older(strings.Replace(before, "MPI_Send(sendbuf buf, ", "MPI_Send(", 1))) {
		t.Error("records with another layout can be read")
	}
	if Reads(older(strings.Replace(before, "Query          1.0 MPI_Initialized(get flag) : anytime\n", "", 1))) {
		t.Error("records with other numbers can be read")
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
