package pipeline

import (
	"slices"

	"github.com/mpivet/mpivet/internal/finding"
)

// mostEarlier limits the findings that are kept for later ones.
const mostEarlier = 1024

// earlier has findings that the user has seen, so that later ones can refer to them.
type earlier struct {
	list []*finding.Finding
	at   map[string]int // by check and key
}

// wants reports whether there is room for a finding that is not in the list.
func (e *earlier) wants(f *finding.Finding) bool {
	_, known := e.at[f.Check+"|"+f.Key]
	return known || len(e.list) < mostEarlier
}

// add adds a finding, or the ranks of a further occurrence.
func (e *earlier) add(f *finding.Finding) {
	key := f.Check + "|" + f.Key
	if i, known := e.at[key]; known {
		old := e.list[i]
		for _, r := range f.Ranks {
			if j, ok := slices.BinarySearch(old.Ranks, r); !ok {
				old.Ranks = slices.Insert(old.Ranks, j, r)
			}
		}
		return
	}
	if len(e.list) >= mostEarlier {
		return
	}
	if e.at == nil {
		e.at = make(map[string]int)
	}
	e.at[key] = len(e.list)
	e.list = append(e.list, &finding.Finding{
		Check: f.Check, Severity: f.Severity, Key: f.Key, Ranks: slices.Clone(f.Ranks), Sites: slices.Clone(f.Sites),
	})
}

// last returns the last finding for which a function returns true, nil if there is none.
func (e *earlier) last(is func(*finding.Finding) bool) *finding.Finding {
	for _, f := range slices.Backward(e.list) {
		if is(f) {
			return f
		}
	}
	return nil
}
