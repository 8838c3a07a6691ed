package track

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Requests that share a handle are distinguished by their variables, however many there are.
func TestRequestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := requestTable{lists: make(map[uint64]*requestList)}
		var all []*Request
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {},
			"make": func(t *rapid.T) {
				r := &Request{
					Handle: rapid.Uint64Range(1, 3).Draw(t, "handle"),
					Var:    rapid.Uint64Range(0, 40).Draw(t, "variable"),
				}
				// A variable with such a handle was overwritten, and still holds such a handle: any of its requests may
				// be found.
				if slices.ContainsFunc(all, func(q *Request) bool { return q.Handle == r.Handle && q.Var == r.Var }) {
					t.Skip()
				}
				table.pushRequest(r)
				all = append(all, r)
			},
			"complete": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				r := all[i]
				if got := table.lookUp(r.Handle, r.Var); got != r {
					t.Fatalf("found %+v for %+v", got, r)
				}
				table.takeRequest(r)
				all = slices.Delete(all, i, i+1)
				table.tidy(-1000) // at once
			},
			"copy": func(t *rapid.T) { // the handle was copied to a variable that no recorded call has used
				h := rapid.Uint64Range(1, 3).Draw(t, "handle")
				i := slices.IndexFunc(all, func(q *Request) bool { return q.Handle == h })
				if got := table.lookUp(h, 1000); i < 0 && got != nil || i >= 0 && got != all[i] {
					t.Fatalf("found %+v, want the oldest", got)
				}
			},
		})
	})
}
