// Package jsonreport writes a run and its findings as JSON, schema mpivet/1. The schema is stable: fields may be added,
// but no field will be removed or change its meaning.
package jsonreport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report"
)

// Schema is the name of the format of a [Document].
const Schema = "mpivet/1"

// Document is a whole report.
type Document struct {
	Schema   string    `json:"schema"`
	Run      Run       `json:"run"`
	Findings []Finding `json:"findings"`
	Summary  Summary   `json:"summary"`
	// Suppressions are the suppression rules and the number of findings that each has matched.
	Suppressions []Suppression `json:"suppressions,omitempty"`
}

// Run is a [report.Run].
type Run struct {
	Command    []string `json:"command"`
	Ranks      int      `json:"ranks"`
	Nodes      []Node   `json:"nodes,omitempty"` // if there are several
	MPI        string   `json:"mpi"`
	ExitStatus int      `json:"exit_status"`
	Duration   float64  `json:"duration_s"`
	Calls      uint64   `json:"calls"`
	// Messages and Collectives are the numbers of matched messages and collectives.
	Messages    uint64   `json:"messages"`
	Collectives uint64   `json:"collectives"`
	Stall       float64  `json:"stall_s"`
	Unrecorded  int      `json:"unrecorded,omitempty"`
	Notes       []string `json:"notes,omitempty"`
	Launcher    string   `json:"launcher,omitempty"` // that the launcher was killed, and how
	Interrupted bool     `json:"interrupted,omitempty"`
}

// Node is a [report.Node].
type Node struct {
	Host  string `json:"host"`
	Ranks int    `json:"ranks"`
}

// Finding is a [finding.Finding].
type Finding struct {
	Check    string         `json:"check"`
	Severity string         `json:"severity"`
	Count    int            `json:"count"`
	Ranks    []int          `json:"ranks"`
	Message  string         `json:"message"`
	Advice   string         `json:"advice"`
	FollowUp bool           `json:"follow_up,omitempty"`
	Known    bool           `json:"known,omitempty"` // it is in the baseline
	Sites    []Site         `json:"sites"`
	Details  map[string]any `json:"details"`
	// CallPaths is the number of call paths by which the cause was reached, if there are several. Paths are the first
	// ones, with the most frequent one first.
	CallPaths int    `json:"call_paths,omitempty"`
	Paths     []Path `json:"paths,omitempty"`
}

// Path is a [finding.Path].
type Path struct {
	Count   int    `json:"count"`
	Ranks   []int  `json:"ranks"`
	Message string `json:"message"`
	Sites   []Site `json:"sites"`
}

// Site is a [finding.Site].
type Site struct {
	Rank  int     `json:"rank"`
	Also  []int   `json:"also,omitempty"` // further ranks at the same place
	Role  string  `json:"role"`
	Call  string  `json:"call"`
	Stack []Frame `json:"stack"`
}

// Frame is a [finding.Frame] with its pc and its address in the module. A Python function has neither.
type Frame struct {
	finding.Frame
	PC      string `json:"pc,omitempty"`
	Address string `json:"address,omitempty"`
}

// Summary is a [finding.Summary].
type Summary struct {
	Fatal      int `json:"fatal"`
	Error      int `json:"error"`
	Warning    int `json:"warning"`
	Info       int `json:"info"`
	Suppressed int `json:"suppressed"`
	Known      int `json:"known,omitempty"` // in the baseline; included in none of the counts above
}

// Suppression is a [finding.SuppressionCount].
type Suppression struct {
	Check    string `json:"check"`
	Reason   string `json:"reason"`
	Origin   string `json:"origin"` // file:line of the rule
	Findings int    `json:"findings"`
}

// New makes the document. The order of the findings does not depend on the order in which they occurred: follow-ups
// last, then by severity (highest first), by check, and by key.
func New(run *report.Run, findings []*finding.Finding, sum finding.Summary) *Document {
	notes := run.Notes
	if run.Alone != "" {
		notes = append([]string{run.Alone}, notes...)
	}
	d := &Document{
		Schema: Schema,
		Run: Run{
			Command:     notNil(run.Command),
			Ranks:       run.Ranks,
			MPI:         run.MPI,
			ExitStatus:  run.ExitStatus,
			Duration:    seconds(run.Duration),
			Calls:       run.Calls,
			Messages:    run.Messages,
			Collectives: run.Collectives,
			Stall:       seconds(run.Stall),
			Unrecorded:  run.Unrecorded,
			Notes:       notes,
			Launcher:    run.Launcher,
			Interrupted: run.Interrupted,
		},
		Findings: make([]Finding, 0, len(findings)),
		Summary:  Summary{sum.Fatal, sum.Error, sum.Warning, sum.Info, sum.Suppressed, sum.Known},
	}
	for _, n := range run.Nodes {
		d.Run.Nodes = append(d.Run.Nodes, Node(n))
	}
	for _, s := range run.Suppressions {
		d.Suppressions = append(d.Suppressions, Suppression{s.Check, s.Reason, s.Origin, s.Findings})
	}
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b *finding.Finding) int {
		if a.FollowUp != b.FollowUp {
			if a.FollowUp {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Check, b.Check), cmp.Compare(a.Key, b.Key),
			slices.Compare(a.Ranks, b.Ranks))
	})
	for _, f := range sorted {
		j := Finding{
			Check:    f.Check,
			Severity: f.Severity.String(),
			Count:    f.Count,
			Ranks:    notNil(f.Ranks),
			Message:  message(f),
			Advice:   f.Advice,
			FollowUp: f.FollowUp,
			Known:    f.Known,
			Sites:    newSites(f.Sites),
			Details:  f.Details,
		}
		if j.Details == nil {
			j.Details = map[string]any{}
		}
		if f.NumPaths() > 1 {
			j.CallPaths = f.NumPaths()
			for _, p := range f.Paths {
				j.Paths = append(j.Paths, Path{p.Count, notNil(p.Ranks), p.Message, newSites(p.Sites)})
			}
			slices.SortStableFunc(j.Paths, func(a, b Path) int { return b.Count - a.Count })
		}
		d.Findings = append(d.Findings, j)
	}
	return d
}

func newSites(sites []finding.Site) []Site {
	list := make([]Site, 0, len(sites))
	for _, s := range sites {
		js := Site{Rank: s.Rank, Also: s.Also, Role: s.Role, Call: s.Call, Stack: make([]Frame, 0, len(s.Stack))}
		for _, fr := range s.Stack {
			js.Stack = append(js.Stack, Frame{fr, hex(fr.PC), hex(fr.Address)})
		}
		list = append(list, js)
	}
	return list
}

// hex returns "0x…", "" for 0.
func hex(address uint64) string {
	if address == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", address)
}

// message returns the message of a finding and why it matters.
func message(f *finding.Finding) string {
	if f.Why == "" {
		return f.Message
	}
	return f.Message + "\n" + f.Why
}

// ReadFile returns the findings of an earlier report, with the fields that identify them.
func ReadFile(path string) ([]*finding.Finding, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var d Document
	if err := json.Unmarshal(data, &d); err != nil || d.Schema != Schema {
		return nil, fmt.Errorf("%s is not a report that --json wrote", path)
	}
	var list []*finding.Finding
	for _, j := range d.Findings {
		f := &finding.Finding{Check: j.Check, Count: j.Count, Ranks: j.Ranks, Message: j.Message}
		if f.Severity, err = finding.ParseSeverity(j.Severity); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, s := range j.Sites {
			site := finding.Site{Rank: s.Rank, Role: s.Role, Call: s.Call, Also: s.Also}
			for _, fr := range s.Stack {
				site.Stack = append(site.Stack, fr.Frame)
			}
			f.Sites = append(f.Sites, site)
		}
		list = append(list, f)
	}
	return list, nil
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// seconds rounds to microseconds.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

// Write writes the document, indented, with a newline at the end.
func (d *Document) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// WriteFile writes the document to a file, see [report.WriteFile].
func (d *Document) WriteFile(path string) error {
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		return err
	}
	return report.WriteFile(path, b.Bytes())
}
