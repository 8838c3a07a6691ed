// Package finding defines findings and their severities, and the rules by which findings are counted, limited and
// passed on to reports.
package finding

import "github.com/mpivet/mpivet/internal/lazyregexp"

// Severity orders findings by importance.
type Severity uint8

// The severities, lowest first. Off is not a severity of a finding: it switches a check off.
const (
	Off Severity = iota
	Info
	Warning
	Error
	Fatal
)

// Frame is one line of a call stack. Several frames may share a PC: inlined functions, innermost first.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"` // absolute path
	Line     int    `json:"line,omitempty"`
	Module   string `json:"module,omitempty"` // base name of the executable or shared library
	PC       uint64 `json:"-"`                // printed as "0x…" in JSON
	// Address is what addr2line takes for the module: the address in its ELF file that was looked up. For a call, it is
	// in the call instruction, and so before PC. 0: it is not known. Printed as "0x…" in JSON.
	Address uint64 `json:"-"`
	// Language is Python, or "" if the function is machine code.
	Language string `json:"language,omitempty"`
}

// Python is the language of frames of CPython.
const Python = "python"

// Site is a place in the program that belongs to a finding.
type Site struct {
	Rank  int     // in MPI_COMM_WORLD
	Role  string  // "send", "receive", "MPI_Irecv that created the request", …; introduces the site in the text report
	Call  string  // the call with its arguments; "" if the place is not an MPI call
	Stack []Frame // innermost first; nil if not recorded
	Also  []int   // further ranks at the same place, ascending
}

var address = lazyregexp.New(`0x[0-9a-f]+`)

// WithoutAddresses removes the parts of a call that differ between processes that make the same call.
func WithoutAddresses(call string) string { return address().ReplaceAllString(call, "0x") }

// Finding is one error or problem, with all its occurrences.
type Finding struct {
	Check    string // LOCAL:MPI:CALL_FAILED …
	Severity Severity
	// Key identifies the cause: occurrences with the same check and the same Key are one finding and are counted.
	// Checks build it from the places involved, and from what is wrong if a check has several errors to report.
	Key      string
	Count    int
	Ranks    []int  // all ranks concerned, ascending
	Message  string // what is wrong: a sentence in the first line, details in further lines
	Why      string // why it matters, or what the standard says about it
	Advice   string // what to do about it
	Sites    []Site
	Details  map[string]any // check-specific, for JSON
	FollowUp bool           // consequence of a finding reported before
	Known    bool           // it is in the baseline

	// Paths are the call paths by which the cause was reached, in the order in which they occurred: different calls of
	// the same places of the program. The first one is that of the finding itself. nil if there is only one.
	Paths []Path
	// MorePaths is the number of further call paths, which were only counted.
	MorePaths int
}

// Path is one of the call paths of a finding.
type Path struct {
	Count   int
	Ranks   []int // ascending
	Message string
	Sites   []Site
}

// NumPaths returns the number of call paths of a finding.
func (f *Finding) NumPaths() int { return max(1, len(f.Paths)+f.MorePaths) }
