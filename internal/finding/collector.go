package finding

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Sink receives findings as they occur.
type Sink interface {
	// Finding is called at the first occurrence of a finding. The sink may keep f.
	Finding(f *Finding)
}

// LimitSink is a sink that is notified when a limit is reached.
type LimitSink interface {
	Sink
	// Full is called once, when the first finding is not passed on because MaxReports findings were passed on before.
	Full(max int)
	// Limited is called once for each check and set of call sites at which the limit is exceeded. f is the first
	// finding that is not passed on. limit is the number of findings that were passed on.
	Limited(f *Finding, limit int)
}

// Config says how a [Collector] handles findings. The zero value passes all findings on.
type Config struct {
	Rules        *Rules // nil: the checks' own settings
	Suppressions []*Suppression
	Baseline     *Baseline // known findings; nil: none
	// Limit is the number of findings of one check at the same call sites that are passed on to sinks. All are counted.
	// 0: no limit.
	Limit int
	// MaxReports is the total number of findings that are passed on. Fatal findings are always passed on. 0: no limit.
	MaxReports int
	// Layers tells the program's frames from others. The limit is for the program's innermost frames.
	Layers *Layers
}

// maxPaths limits the number of call paths of a finding that are kept. Further ones are only counted.
const maxPaths = 100

// maxKept limits the number of findings that are kept whole. Further findings are only counted by severity: users do
// not read more, and memory stays bounded.
const maxKept = 10000

// Collector receives the findings of the checks. It joins the occurrences of one cause and passes each finding on once.
// Several goroutines may use it: a report can be made while the checks run.
type Collector struct {
	config Config
	sinks  []Sink

	mu      sync.Mutex
	matched []int // number of findings that each suppression has matched
	byCheck map[string]*checkState
	kept    []*entry // in the order in which they were first reported
	told    int      // number of findings passed on
	summary Summary
}

// checkState is the state of one check.
type checkState struct {
	decision decision
	occurred uint64
	byKey    map[string]*entry
	places   map[string]int // number of findings at the same call sites
	// suppressed has the suppressed findings by their keys, and by their keys and call paths.
	suppressed map[suppressedKey]bool
}

// entry is a finding that was reported, and how it is handled.
type entry struct {
	finding  Finding // the whole finding if kept; otherwise its check, and whether it is known
	severity Severity
	kept     bool
	paths    map[string]int // position in finding.Paths by the whole call stacks; -1: only counted
}

// suppressedKey is a suppressed finding. A rule may match only some call paths of a cause.
type suppressedKey struct{ key, stacks string }

// NewCollector returns an empty collector that passes findings on to the sinks, in their order.
func NewCollector(config Config, sinks ...Sink) *Collector {
	return &Collector{
		config:  config,
		sinks:   sinks,
		matched: make([]int, len(config.Suppressions)),
		byCheck: make(map[string]*checkState),
	}
}

// Enabled reports whether a check is to report findings.
func (c *Collector) Enabled(check string) bool { return c.config.Rules.Enabled(check) }

// Severity returns the severity of a finding for the user. It is Off if its check is off or the finding is suppressed.
func (c *Collector) Severity(f *Finding) Severity {
	if c.suppressed(f, func(int) {}) {
		return Off
	}
	return c.config.Rules.Severity(f.Check, f.Severity)
}

// suppressed reports whether a finding is suppressed. It calls matched for each suppression that matches.
func (c *Collector) suppressed(f *Finding, matched func(i int)) (yes bool) {
	for i, s := range c.config.Suppressions {
		if s.matches(f) {
			matched(i)
			yes = true
		}
	}
	return yes
}

// Suppressed returns the number of findings that each suppression has matched.
func (c *Collector) Suppressed() []SuppressionCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []SuppressionCount
	for i, s := range c.config.Suppressions {
		list = append(list, SuppressionCount{s, c.matched[i]})
	}
	return list
}

// Report adds an occurrence. If a finding with the same Check and Key was reported before, that finding's Count, Ranks
// and ranks of its sites grow. Its severity becomes the higher of the two. Otherwise the occurrence is a new finding.
// The collector does not keep f. A Count of 0 means 1.
func (c *Collector) Report(f *Finding) {
	// Sinks may be slow. A report that is made at the same time does not have to wait for them.
	for _, n := range c.add(f) {
		for _, s := range c.sinks {
			l, ok := s.(LimitSink)
			switch {
			case n.what == found:
				s.Finding(n.finding)
			case n.what == limited && ok:
				l.Limited(n.finding, c.config.Limit)
			case n.what == full && ok:
				l.Full(c.config.MaxReports)
			}
		}
	}
}

// notice is a call to make on the sinks.
type notice struct {
	what    int
	finding *Finding
}

const (
	found   = iota
	limited // for the first time at this place
	full    // for the first time
)

// add records an occurrence.
func (c *Collector) add(f *Finding) []notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	check := c.byCheck[f.Check]
	if check == nil {
		check = &checkState{
			decision:   c.config.Rules.decide(f.Check),
			byKey:      make(map[string]*entry),
			places:     make(map[string]int),
			suppressed: make(map[suppressedKey]bool),
		}
		c.byCheck[f.Check] = check
	}
	severity := check.decision.apply(f.Severity)
	if severity == Off {
		return nil
	}
	count := max(f.Count, 1)
	check.occurred += uint64(count)
	stacks := f.stacks()
	if c.hide(check, f, stacks) {
		return nil
	}
	if e := check.byKey[f.Key]; e != nil {
		if severity > e.severity {
			if !e.finding.Known {
				c.summary.count(e.severity, -1)
				c.summary.count(severity, 1)
			}
			e.severity = severity
		}
		if e.kept {
			e.finding.Severity = e.severity
			e.addPath(f, count, stacks)
			e.finding.merge(f, count)
		}
		return nil
	}
	e := &entry{severity: severity}
	check.byKey[f.Key] = e
	e.finding = *f.Clone()
	e.finding.Severity, e.finding.Count = severity, count
	e.finding.sortRanks()
	var changed []*entry // known until now
	if e.finding.Known, changed = c.config.Baseline.claim(e); e.finding.Known {
		c.summary.Known++
	} else {
		c.summary.count(severity, 1)
	}
	if len(c.kept) < maxKept {
		e.kept = true
		e.paths = map[string]int{stacks: 0}
		c.kept = append(c.kept, e)
	}
	notices := c.tell(check, e, nil)
	for _, k := range changed {
		k.finding.Known = false
		c.summary.Known--
		c.summary.count(k.severity, 1)
		if k.kept {
			notices = c.tell(c.byCheck[k.finding.Check], k, notices)
		}
	}
	if !e.kept {
		// Enough of it to go on counting.
		e.finding = Finding{Check: e.finding.Check, Known: e.finding.Known}
	}
	return notices
}

// hide reports whether an occurrence is suppressed. It counts each suppressed finding once.
func (c *Collector) hide(check *checkState, f *Finding, stacks string) bool {
	if len(c.config.Suppressions) == 0 {
		return false
	}
	path := suppressedKey{f.Key, stacks}
	hidden, known := check.suppressed[path]
	if known {
		return hidden
	}
	var by []int
	hidden = c.suppressed(f, func(i int) { by = append(by, i) })
	check.suppressed[path] = hidden
	if whole := (suppressedKey{key: f.Key}); hidden && !check.suppressed[whole] {
		check.suppressed[whole] = true
		c.summary.Suppressed++
		for _, i := range by {
			c.matched[i]++
		}
	}
	return hidden
}

// addPath adds the call path of a further occurrence.
func (e *entry) addPath(o *Finding, count int, stacks string) {
	f := &e.finding
	at, again := e.paths[stacks]
	if again && (at < 0 || f.Paths == nil) {
		return
	}
	if again {
		f.Paths[at].Count += count
		f.Paths[at].Ranks = addRanks(f.Paths[at].Ranks, o.Ranks...)
		return
	}
	if f.Paths == nil {
		// Until now, all occurrences were on one path.
		f.Paths = []Path{{Count: f.Count, Ranks: slices.Clone(f.Ranks), Message: f.Message, Sites: f.Sites}}
	}
	if len(f.Paths) >= maxPaths {
		f.MorePaths++
		if len(e.paths) < maxKept {
			e.paths[stacks] = -1
		}
		return
	}
	e.paths[stacks] = len(f.Paths)
	n := o.Clone()
	n.sortRanks()
	f.Paths = append(f.Paths, Path{Count: count, Ranks: n.Ranks, Message: n.Message, Sites: n.Sites})
}

// tell decides which notices the sinks get about a finding that is new to them.
func (c *Collector) tell(check *checkState, e *entry, notices []notice) []notice {
	f := e.finding.Clone()
	if f.Known {
		return append(notices, notice{found, f})
	}
	if c.config.Limit > 0 {
		places := f.places(c.config.Layers)
		check.places[places]++
		if n := check.places[places]; n > c.config.Limit {
			c.summary.Limited++
			if n == c.config.Limit+1 {
				notices = append(notices, notice{limited, f})
			}
			return notices
		}
	}
	if n := c.config.MaxReports; n > 0 && c.told >= n && f.Severity < Fatal {
		c.summary.Beyond++
		if c.summary.Beyond == 1 {
			notices = append(notices, notice{what: full})
		}
		return notices
	}
	c.told++
	return append(notices, notice{found, f})
}

// Summary returns the counts so far.
func (c *Collector) Summary() Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.summary
}

// Occurrences returns the number of times that each check reported a finding, including suppressed findings.
func (c *Collector) Occurrences() map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := make(map[string]uint64, len(c.byCheck))
	for name, check := range c.byCheck {
		if check.occurred > 0 {
			n[name] = check.occurred
		}
	}
	return n
}

// Snapshot returns copies of all findings so far, in the order of their first occurrence, without suppressed ones, and
// the matching counts.
func (c *Collector) Snapshot() ([]*Finding, Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*Finding, 0, len(c.kept))
	for _, e := range c.kept {
		list = append(list, e.finding.Clone())
	}
	return list, c.summary
}

// Clone returns a copy that shares only the frames of the stacks and the values in Details with f.
func (f *Finding) Clone() *Finding {
	n := *f
	n.Ranks = slices.Clone(f.Ranks)
	n.Sites = slices.Clone(f.Sites)
	for i := range n.Sites {
		n.Sites[i].Also = slices.Clone(n.Sites[i].Also)
	}
	n.Details = maps.Clone(f.Details)
	n.Paths = slices.Clone(f.Paths)
	for i := range n.Paths {
		p := &n.Paths[i]
		p.Ranks = slices.Clone(p.Ranks)
		if i == 0 {
			p.Sites = n.Sites
		}
	}
	return &n
}

// sortRanks sorts the lists of ranks, as Finding and Site require.
func (f *Finding) sortRanks() {
	slices.Sort(f.Ranks)
	f.Ranks = slices.Compact(f.Ranks)
	for i := range f.Sites {
		s := &f.Sites[i]
		slices.Sort(s.Also)
		s.Also = slices.Compact(s.Also)
	}
}

// merge adds another occurrence.
func (f *Finding) merge(o *Finding, count int) {
	f.Count += count
	f.Ranks = addRanks(f.Ranks, o.Ranks...)
	if len(f.Sites) != len(o.Sites) {
		return
	}
	for i := range f.Sites {
		s, t := &f.Sites[i], &o.Sites[i]
		if s.has(t.Rank) && !slices.ContainsFunc(t.Also, func(r int) bool { return !s.has(r) }) {
			continue
		}
		if s.Role != t.Role || !SameStack(s.Stack, t.Stack) {
			continue
		}
		for _, r := range append([]int{t.Rank}, t.Also...) {
			if r != s.Rank {
				s.Also = addRanks(s.Also, r)
			}
		}
	}
}

// has reports whether a site includes a rank.
func (s *Site) has(rank int) bool {
	if s.Rank == rank {
		return true
	}
	_, ok := slices.BinarySearch(s.Also, rank)
	return ok
}

// stacks identifies the call stacks of a finding across processes.
func (f *Finding) stacks() string {
	var b strings.Builder
	for i := range f.Sites {
		writeFrames(&b, f.Sites[i].Stack)
	}
	return b.String()
}

// places identifies the innermost places of the program in a finding.
func (f *Finding) places(l *Layers) string {
	var b strings.Builder
	for i := range f.Sites {
		stack := f.Sites[i].Stack
		if at := l.Program(stack); at < len(stack) {
			stack = stack[at : at+1]
		}
		writeFrames(&b, stack)
	}
	return b.String()
}

// writeFrames identifies frames across processes.
func writeFrames(b *strings.Builder, stack []Frame) {
	for j := range stack {
		fr := &stack[j]
		b.WriteString(fr.Module)
		b.WriteByte(0)
		b.WriteString(fr.Function)
		b.WriteByte(0)
		b.WriteString(fr.File)
		b.WriteByte(0)
		b.WriteString(strconv.Itoa(fr.Line))
		b.WriteByte(1)
	}
	b.WriteByte(2)
}
