package finding

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Sink takes findings as they occur.
type Sink interface {
	// Finding is called at the first occurrence of a finding, which is the sink's to keep.
	Finding(f *Finding)
}

// LimitSink is a sink that wants to know when a limit is reached.
type LimitSink interface {
	Sink
	// Full is called once, when the first finding is not passed on since there were MaxReports before.
	Full(max int)
	// Limited is called once for each check and set of call sites at which the limit is exceeded. f is the first
	// finding that is not passed on, limit how many were.
	Limited(f *Finding, limit int)
}

// Config is how a [Collector] deals with findings. The zero value passes everything on.
type Config struct {
	Rules        *Rules // nil: all checks as they are
	Suppressions []*Suppression
	Baseline     *Baseline // findings that are known; nil: none
	// Limit is how many findings of one check at the same call sites are passed on to sinks; all are counted. 0: no
	// limit.
	Limit int
	// MaxReports is how many findings are passed on in all; fatal ones are in any case. 0: any number.
	MaxReports int
}

// maxKept bounds the findings that are kept whole. More are counted, but only by their severity: a user reads no more,
// and memory stays bounded.
const maxKept = 10000

// Collector takes what the checks find, joins the occurrences of one cause and passes each finding on, once. It may be
// used by several goroutines: a report can be made while the checks go on.
type Collector struct {
	config Config
	sinks  []Sink

	mu      sync.Mutex
	matched []int // findings that each of the suppressions has matched
	byCheck map[string]*checkState
	kept    []*entry // in the order in which they were first reported
	told    int      // findings passed on
	summary Summary
}

// checkState is what is known of one check.
type checkState struct {
	decision decision
	occurred uint64
	byKey    map[string]*entry
	places   map[string]int // how many findings there are at the same call sites
}

// entry is a finding that was reported, and how it is dealt with.
type entry struct {
	finding    Finding // if kept; else its check, and whether it is known
	severity   Severity
	kept       bool
	suppressed bool
}

// NewCollector returns an empty collector that passes findings on to the sinks, in order.
func NewCollector(config Config, sinks ...Sink) *Collector {
	return &Collector{
		config:  config,
		sinks:   sinks,
		matched: make([]int, len(config.Suppressions)),
		byCheck: make(map[string]*checkState),
	}
}

// Enabled tells whether a check is to report anything.
func (c *Collector) Enabled(check string) bool { return c.config.Rules.Enabled(check) }

// Severity returns how severe a finding is to the user: not at all, Off, if its check is off or it is suppressed.
func (c *Collector) Severity(f *Finding) Severity {
	if c.suppressed(f, func(int) {}) {
		return Off
	}
	return c.config.Rules.Severity(f.Check, f.Severity)
}

// suppressed tells whether a finding is, and calls matched for each of the suppressions that match it.
func (c *Collector) suppressed(f *Finding, matched func(i int)) (yes bool) {
	for i, s := range c.config.Suppressions {
		if s.matches(f) {
			matched(i)
			yes = true
		}
	}
	return yes
}

// Suppressed returns how many findings each of the suppressions has matched.
func (c *Collector) Suppressed() []SuppressionCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []SuppressionCount
	for i, s := range c.config.Suppressions {
		list = append(list, SuppressionCount{s, c.matched[i]})
	}
	return list
}

// Report takes an occurrence. If it has the Check and Key of one reported before, that one's Count, Ranks and the ranks
// of its sites grow, and its severity if this one is heavier; else it is a finding of its own. f stays the caller's,
// and a Count of 0 is taken as 1.
func (c *Collector) Report(f *Finding) {
	// Sinks may be slow: a report that is made meanwhile need not wait for them.
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

// A notice is what the sinks are to be told.
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
			decision: c.config.Rules.decide(f.Check),
			byKey:    make(map[string]*entry),
			places:   make(map[string]int),
		}
		c.byCheck[f.Check] = check
	}
	severity := check.decision.apply(f.Severity)
	if severity == Off {
		return nil
	}
	count := max(f.Count, 1)
	check.occurred += uint64(count)
	if e := check.byKey[f.Key]; e != nil {
		if !e.suppressed && severity > e.severity {
			if !e.finding.Known {
				c.summary.count(e.severity, -1)
				c.summary.count(severity, 1)
			}
			e.severity = severity
		}
		if e.kept {
			e.finding.Severity = e.severity
			e.finding.merge(f, count)
		}
		return nil
	}
	e := &entry{severity: severity}
	check.byKey[f.Key] = e
	if c.suppressed(f, func(i int) { c.matched[i]++ }) {
		e.suppressed = true
		c.summary.Suppressed++
		return nil
	}
	e.finding = *f.Clone()
	e.finding.Severity, e.finding.Count = severity, count
	e.finding.sortRanks()
	var changed []*entry // known, until now
	if e.finding.Known, changed = c.config.Baseline.claim(e); e.finding.Known {
		c.summary.Known++
	} else {
		c.summary.count(severity, 1)
	}
	if len(c.kept) < maxKept {
		e.kept = true
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

// tell decides what the sinks are told of a finding that is new to them.
func (c *Collector) tell(check *checkState, e *entry, notices []notice) []notice {
	f := e.finding.Clone()
	if f.Known {
		return append(notices, notice{found, f})
	}
	if c.config.Limit > 0 {
		places := f.places()
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

// Summary returns the numbers so far.
func (c *Collector) Summary() Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.summary
}

// Occurrences returns how often each check reported something, whether or not it was suppressed.
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

// Snapshot returns copies of all findings so far in the order in which they first occurred, without those suppressed,
// and the numbers that belong to them.
func (c *Collector) Snapshot() ([]*Finding, Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*Finding, 0, len(c.kept))
	for _, e := range c.kept {
		list = append(list, e.finding.Clone())
	}
	return list, c.summary
}

// Clone returns a copy that shares nothing with f but the frames of its stacks and what Details refer to.
func (f *Finding) Clone() *Finding {
	n := *f
	n.Ranks = slices.Clone(f.Ranks)
	n.Sites = slices.Clone(f.Sites)
	for i := range n.Sites {
		n.Sites[i].Also = slices.Clone(n.Sites[i].Also)
	}
	n.Details = maps.Clone(f.Details)
	return &n
}

// sortRanks puts the lists of ranks into the order that the model promises.
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

// has tells whether a site is known of a rank.
func (s *Site) has(rank int) bool {
	if s.Rank == rank {
		return true
	}
	_, ok := slices.BinarySearch(s.Also, rank)
	return ok
}

// places identifies the call sites of a finding across processes.
func (f *Finding) places() string {
	var b strings.Builder
	for i := range f.Sites {
		for j := range f.Sites[i].Stack {
			fr := &f.Sites[i].Stack[j]
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
	return b.String()
}
