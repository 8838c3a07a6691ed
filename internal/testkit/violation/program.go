package violation

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

//go:embed prelude.h
var prelude string

// Program is a C program that runs several cases, each with its own communicator.
type Program struct {
	Name   string
	Source string
	// Lines gives the case of a line.
	Lines map[int]string
	// Needs are functions that some MPIs do not have.
	Needs []string
}

// Programs returns the wrong programs, one per rule, for mpivet run --strict. The wrong calls do not enter MPI, so the
// next case finds MPI in order. Nonblocking calls do enter MPI, so they have their own programs.
func Programs() []Program {
	cases := Cases()
	var names []string
	of := make(map[string][]int)
	for k := range cases {
		name := group(&cases[k])
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], k)
	}
	var list []Program
	for _, name := range names {
		list = append(list, write(name, cases, of[name], func(c *Case) Block { return c.Wrong }))
	}
	return list
}

// Twins returns the programs of all correct twins.
func Twins() []Program {
	cases := Cases()
	var blocking, more, files, late []int
	for k := range cases {
		switch c := &cases[k]; {
		case c.Right.Call == "":
		case c.recent():
			late = append(late, k)
		case c.Over == "file" || c.Func.ID == mpiapi.IDFileOpen:
			files = append(files, k)
		case c.Call == c.Func:
			blocking = append(blocking, k)
		default:
			more = append(more, k)
		}
	}
	right := func(c *Case) Block { return c.Right }
	return []Program{
		write("blocking_ok", cases, blocking, right),
		write("nonblocking_ok", cases, more, right),
		write("files_ok", cases, files, right),
		write("recent_ok", cases, late, right),
	}
}

// abandoned is the prefix of the names of programs with operations that never complete.
const abandoned = "abandoned"

// recent reports whether a case needs MPI 4. Persistent collectives are not counted: MPICH and Open MPI had them
// earlier.
func (c *Case) recent() bool { return c.Call.Since >= 40 && c.Call.Class != mpiapi.CollectiveInit }

// group returns the name of the program that contains a wrong case.
func group(c *Case) string {
	switch {
	case c.recent():
		return abandoned + "_recent"
	case c.Call.Class == mpiapi.Icollective && c.Over == "file" && c.Rule == "call":
		// In Open MPI 4.1, MPI_File_open may wait for an earlier MPI_Comm_idup that never completes.
		return abandoned + "_files"
	case c.Call.Class == mpiapi.Icollective && (c.Rule == "root" || c.Rule == "call"):
		return abandoned
	case c.Call.Class == mpiapi.Icollective:
		return "nonblocking"
	case c.Over == "file" || c.Func.ID == mpiapi.IDFileOpen:
		return "files"
	case c.Over == "group" && c.Rule != "call" && len(c.Rules) == 2:
		return "arguments"
	}
	switch c.Rule {
	case "high", "assert":
		return "arguments"
	case "op", "in-place", "root":
		return "ways"
	}
	return strings.ReplaceAll(c.Rule, "-", "_")
}

// persistent returns the names of persistent collectives, which Open MPI 4.1 calls MPIX_.
func persistent(cases []Case, which []int) []string {
	var names []string
	for _, k := range which {
		if f := cases[k].Call; f.Class == mpiapi.CollectiveInit {
			names = append(names, f.Name)
		}
	}
	if len(names) > 0 {
		names = append(names, "MPI_Barrier_init", "MPI_Bcast_init")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// write writes the program of the cases with these numbers.
func write(name string, cases []Case, which []int, block func(*Case) Block) Program {
	p := Program{Name: name, Lines: make(map[int]string)}
	var b strings.Builder
	line := 1
	print := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...) + "\n"
		line += strings.Count(text, "\n")
		b.WriteString(text)
	}
	wrong := !strings.HasSuffix(name, "_ok")
	print("/* Made from a table by the package violation. */")
	flags := ""
	if wrong {
		flags = ` flags="--strict"`
	}
	np := 4
	if strings.HasPrefix(name, "files") {
		np = 2 // they take a long time
	}
	print("/* run: np=%d timeout=120s%s */", np, flags)
	print("enum { CASES = %d };", len(cases))
	print("%s", prelude)
	if list := persistent(cases, which); len(list) > 0 {
		print("#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5\n#include <mpi-ext.h>")
		for _, f := range list {
			print("#define %s %s", f, strings.Replace(f, "MPI_", "MPIX_", 1))
		}
		print("#endif")
	}
	print("\nint main(int argc, char **argv)\n{\n    start(&argc, &argv);")
	for _, k := range which {
		c := &cases[k]
		x := block(c)
		for _, s := range x.Before {
			print("    %s", s)
		}
		want := ""
		if wrong {
			_, function, _ := strings.Cut(c.Call.Name, "_")
			want = fmt.Sprintf(` /* want "%s" "%s\(" */`, c.Check, function)
		}
		p.Lines[line] = c.Name()
		if c.recent() {
			p.Needs = append(p.Needs, c.Call.Name)
		}
		print("    %s;%s", x.Call, want)
		for _, s := range x.After {
			print("    %s", s)
		}
	}
	last := "stop"
	if strings.HasPrefix(name, abandoned) {
		last = "give_up"
	}
	print("    %s();\n    return 0;\n}", last)
	p.Source = b.String()
	return p
}
