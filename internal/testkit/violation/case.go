package violation

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Case is a call that breaks a rule, and its correct twin.
type Case struct {
	Form
	Rule  string
	Check string // the check that must find it
	// Wrong and Right are C statements. Right is empty if the correct call cannot run everywhere.
	Wrong, Right Block
}

// Block is a call, with the statements before it and after it.
type Block struct {
	Before []string
	Call   string
	After  []string
}

// Name is the function and the rule.
func (c *Case) Name() string {
	name := c.Call.Name
	if c.Between {
		name += " between two groups"
	}
	return name + ": " + c.Rule
}

// Cases returns all cases, in the order of the table. Each case has a number and buffers of that number.
func Cases() []Case {
	var list []Case
	for _, f := range Forms() {
		for _, rule := range f.Rules {
			if applies(f, rule) {
				list = append(list, f.newCase(rule, len(list)))
			}
		}
	}
	return list
}

// applies reports whether a rule of a function's line applies to this way to call it.
func applies(f Form, rule string) bool {
	if f.Call.Class != mpiapi.Icollective {
		return true
	}
	// Nonblocking calls enter MPI even in strict mode, which holds only the calls that complete them. MPI must survive
	// them.
	switch rule {
	case "datatype", "op", "call", "order":
		return true
	case "root":
		return f.Func.ID != mpiapi.IDScatterv
	case "in-place":
		return !f.Between && strings.HasPrefix(f.Func.Name, "MPI_All")
	}
	return false
}

// newCase makes the case number k.
func (f Form) newCase(rule string, k int) Case {
	c := Case{Form: f, Rule: rule}
	right := call(f.Call, k, change{})
	wrong := ""
	switch rule {
	case "call":
		wrong, c.Check = other(f)
		wrong = odd(wrong, right)
	case "order":
		c.Check = "FILE_MISMATCH"
		c.order(k)
	default:
		var by change
		by, c.Check = breaks(f, rule)
		wrong = call(f.Call, k, by)
	}
	if f.Func.ID == mpiapi.IDIntercommCreate {
		wrong = strings.Replace(wrong, "odd(", "every_other(", 1)
	}
	c.Check = "GLOBAL:COLLECTIVE:" + c.Check
	before, after := f.around(k)
	if rule != "order" {
		c.Wrong.Call, c.Right.Call = wrong, right
		if begin := ending(f.Func); begin != nil {
			c.Wrong.Before = append(c.Wrong.Before, call(begin, k, change{})+";")
			c.Right.Before = c.Wrong.Before
			// The twin has ended it; the refused call has not.
			c.Wrong.After = append(c.Wrong.After, right+";")
		}
		if end := beginning(f.Func); end != nil {
			c.Right.After = append(c.Right.After, call(end, k, change{})+";")
		}
	}
	for _, b := range []*Block{&c.Wrong, &c.Right} {
		b.Before = append(before[:len(before):len(before)], b.Before...)
		b.After = append(b.After, after...)
	}
	if strings.HasPrefix(group(&c), abandoned) {
		c.Wrong.After = []string{"leave();"}
	}
	switch f.Func.ID {
	case mpiapi.IDCommSpawn, mpiapi.IDCommSpawnMultiple, mpiapi.IDCommAccept, mpiapi.IDCommConnect:
		c.Right = Block{} // examples/collective/spawn_ok.c
	}
	return c
}

// around returns the statements that make the object for the collective, and free it and the results of the call. k is
// the number of the case. Each case has its own file.
func (f Form) around(k int) (before, after []string) {
	base := "MPI_COMM_WORLD"
	switch {
	case f.Func.ID == mpiapi.IDIntercommCreate:
		base = "half"
	case f.Between:
		base = "across"
	case f.Over == "ring":
		base = "ring"
	}
	before = append(before, fmt.Sprintf("begin(%s, %s);", base,
		map[bool]string{true: "rank < 2 ? 0 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL", false: "0"}[f.Between]))
	switch {
	case f.Over == "window":
		before = append(before, "MPI_Win_create(memory_, sizeof memory_, 1, MPI_INFO_NULL, c, &win);",
			"MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);")
	case f.Over == "file":
		// In an empty file, a split read of Open MPI 4.1.4 does not return.
		before = append(before, call(mpiapi.ByID(mpiapi.IDFileOpen), k, change{})+";", "MPI_File_set_size(file, 4096);")
	case f.Func.Arg(mpiapi.TheGroup) >= 0:
		before = append(before, "MPI_Comm_group(c, &group);")
	}
	if f.Call.Class == mpiapi.CollectiveInit {
		after = append(after, "use();")
	}
	return before, append(after, "end();")
}

// ending returns the function that begins the split collective that f ends, nil if it ends none.
func ending(f *mpiapi.Func) *mpiapi.Func {
	if name, ok := strings.CutSuffix(f.Name, "_end"); ok {
		return mpiapi.ByName(name + "_begin")
	}
	return nil
}

// beginning returns the function that ends the split collective that f begins, nil if it begins none.
func beginning(f *mpiapi.Func) *mpiapi.Func {
	if name, ok := strings.CutSuffix(f.Name, "_begin"); ok {
		return mpiapi.ByName(name + "_end")
	}
	return nil
}

// order makes the statements of the rule "order": the call comes between the beginning and the end of another split
// collective. In the twin it comes after the end.
func (c *Case) order(k int) {
	begin, end := mpiapi.ByID(mpiapi.IDFileWriteAllBegin), mpiapi.ByID(mpiapi.IDFileWriteAllEnd)
	if strings.HasPrefix(c.Func.Name, "MPI_File_write_all_") {
		begin, end = mpiapi.ByID(mpiapi.IDFileReadAllBegin), mpiapi.ByID(mpiapi.IDFileReadAllEnd)
	}
	statement := func(f *mpiapi.Func) string { return call(f, k, change{}) + ";" }
	both := []string{statement(begin), statement(end)}
	c.Wrong = Block{Before: both[:1], Call: call(c.Call, k, change{}), After: both[1:]}
	c.Right = Block{Before: both, Call: c.Wrong.Call}
	if f := ending(c.Func); f != nil {
		c.Right.Before = append(both[:2:2], statement(f))
	}
	if f := beginning(c.Func); f != nil {
		c.Right.After = []string{statement(f)}
	}
}
