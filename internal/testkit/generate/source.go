package generate

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Source prints a program as C. Every call has its own line: lines has their numbers, by rank and call.
func (p *Program) Source() (text string, lines [][]int) {
	s := &source{p: p}
	s.head()
	for r, calls := range p.Ranks {
		s.line("static void rank_%d(void)\n{", r)
		var mine []int
		for _, c := range calls {
			mine = append(mine, s.lines+len(c.Move)+1)
			s.call(c)
		}
		lines = append(lines, mine)
		s.line("}\n")
	}
	s.line("int main(void)\n{")
	s.line("    const char *rank = getenv(\"PMI_RANK\") ? getenv(\"PMI_RANK\") : getenv(\"OMPI_COMM_WORLD_RANK\");")
	s.line("    memory = calloc(%d, 1);", p.Memory+1)
	s.line("    for (int i = 0; i < %d; i++)\n        request[i] = MPI_REQUEST_NULL;", p.Variables[mpiapi.Request])
	s.line("    void (*const ranks[])(void) = {")
	for r := range p.Ranks {
		s.line("        rank_%d,", r)
	}
	s.line("    };\n    ranks[atoi(rank)]();\n    return 0;\n}")
	return s.text.String(), lines
}

// source is a program that is being printed.
type source struct {
	p     *Program
	text  strings.Builder
	lines int
}

func (s *source) line(format string, args ...any) {
	t := fmt.Sprintf(format, args...)
	s.lines += strings.Count(t, "\n") + 1
	s.text.WriteString(t + "\n")
}

// initialised are the persistent collectives. Open MPI 4 has other names for them.
var initialised = []string{
	"Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv",
	"Alltoallw", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan",
}

func (s *source) head() {
	p := s.p
	s.line("/* A generated program, of seed %d. */\n/* run: np=%d timeout=60s stdout=any */", p.Seed, len(p.Ranks))
	s.line("#include <mpi.h>\n#include <stdlib.h>\n" +
		"#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5\n#include <mpi-ext.h>")
	for _, name := range initialised {
		s.line("#define MPI_%s_init MPIX_%s_init", name, name)
	}
	s.line("#endif\n")
	for _, v := range []struct {
		kind mpiapi.Kind
		typ  string
	}{
		{mpiapi.Comm, "MPI_Comm comm"},
		{mpiapi.Datatype, "MPI_Datatype type"},
		{mpiapi.Request, "MPI_Request request"},
		{mpiapi.Op, "MPI_Op op"},
		{mpiapi.Message, "MPI_Message message"},
	} {
		s.line("static %s[%d];", v.typ, p.Variables[v.kind]+1)
	}
	s.line("static MPI_Request moved[%d];\nstatic MPI_Status status;", p.Moved+1)
	s.line("static int flag, index_, outcount, total, indices[%d];", p.Variables[mpiapi.Request]+1)
	s.line("static char *memory;\nstatic void *buffer;\n")
	s.line("static void combine(void *in, void *out, int *n, MPI_Datatype *t)\n" +
		"{\n    (void)in, (void)out, (void)n, (void)t;\n}\n")
}

// call prints a call, in one line.
func (s *source) call(c *Call) {
	f := mpiapi.ByName(c.Func)
	var args []string
	for i := range f.Params {
		args = append(args, argument(&f.Params[i], c.Args[f.Params[i].Name]))
	}
	for i, v := range c.Move {
		s.line("    moved[%d] = request[%d], request[%d] = MPI_REQUEST_NULL;", i, v, v)
	}
	call := fmt.Sprintf("%s(%s);", c.Func, strings.Join(args, ", "))
	switch {
	case c.IfCancelled:
		call = "MPI_Test_cancelled(&status, &flag); if (flag) " + call
	case c.Flag:
		call = "do " + call + " while (!flag);"
	case c.Total > 0:
		step := map[string]string{
			"MPI_Waitany": "1", "MPI_Testany": "flag", "MPI_Waitsome": "outcount", "MPI_Testsome": "outcount",
		}[c.Func]
		call = fmt.Sprintf("for (total = 0; total < %d; total += %s) %s", c.Total, step, call)
	}
	s.line("    %s", call)
}

// argument prints the argument for a parameter.
func argument(p *mpiapi.Param, v Value) string {
	if v == nil {
		return nothing(p)
	}
	if w, ok := v.(Variable); ok && p.Pointer {
		return "&" + w.source()
	}
	if n, ok := v.(Numbers); ok && p.Layout.InSection != mpiapi.SectionIn32 {
		return "(MPI_Aint[])" + n.list()
	}
	return v.source()
}

// nothing prints an argument whose value does not matter, or a variable for a result.
func nothing(p *mpiapi.Param) string {
	switch {
	case p.Kind == mpiapi.Status && p.Length != "":
		return "MPI_STATUSES_IGNORE"
	case p.Kind == mpiapi.Status:
		return "MPI_STATUS_IGNORE"
	case p.Role == mpiapi.Flag:
		return "&flag"
	case p.Role == mpiapi.Index:
		return "&index_"
	case p.Role == mpiapi.OutCount:
		return "&outcount"
	case p.Role == mpiapi.Indices:
		return "indices"
	case p.Name == "buffer_addr":
		return "&buffer"
	case p.Name == "size":
		return "&total"
	case p.Pointer:
		return "NULL"
	case p.Kind == mpiapi.Datatype:
		return "MPI_DATATYPE_NULL"
	case p.Kind == mpiapi.Info:
		return "MPI_INFO_NULL"
	}
	return "0"
}

func (v Number) source() string { return fmt.Sprint(int(v)) }

func (v Word) source() string {
	if v == "status" {
		return "&status"
	}
	return string(v)
}

func (v Variable) source() string {
	name := map[mpiapi.Kind]string{
		mpiapi.Comm: "comm", mpiapi.Datatype: "type", mpiapi.Request: "request", mpiapi.Op: "op",
		mpiapi.Message: "message",
	}[v.Kind]
	return fmt.Sprintf("%s[%d]", name, v.Index)
}

func (v Requests) source() string { return fmt.Sprintf("&request[%d]", v.From) }

func (Moved) source() string { return "moved" }

func (v Numbers) list() string {
	if len(v) == 0 {
		return "{0}"
	}
	return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(v)), " ", ", "), "[]") + "}"
}

func (v Numbers) source() string { return "(int[])" + v.list() }

func (v Types) source() string {
	var list []string
	for _, t := range v {
		list = append(list, t.source())
	}
	return "(MPI_Datatype[]){" + strings.Join(list, ", ") + "}"
}

func (v Memory) source() string { return fmt.Sprintf("memory + %d", int(v)) }

func (v Text) source() string { return fmt.Sprintf("%q", string(v)) }

func (v Field) source() string { return "status." + string(v) }

func (UserFunction) source() string { return "combine" }
