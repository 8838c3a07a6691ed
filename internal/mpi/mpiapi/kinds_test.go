package mpiapi

import (
	"fmt"
	"os"
	"regexp"
	"testing"
)

// TestCollKinds checks that every collective function has a kind, and every kind a function.
func TestCollKinds(t *testing.T) {
	kinds := CollKinds()
	if len(kinds) > MaxCollKinds {
		t.Errorf("%d kinds", len(kinds))
	}
	used := map[CollKind]string{}
	for _, f := range Funcs() {
		k, ok := f.CollKind()
		if ok != f.Coll {
			t.Errorf("%s: collective %v, has a kind %v", f.Name, f.Coll, ok)
		}
		if !ok || f.Base != f.ID {
			continue
		}
		if used[k] != "" {
			t.Errorf("%s and %s are of one kind", used[k], f.Name)
		}
		used[k] = f.Name
		if s, ok := k.Started(); ok {
			if s.String() != "MPI_Start of "+f.Name {
				t.Errorf("a started %s is %q", f.Name, s)
			}
			used[s] = f.Name
		}
		if _, ok := k.Started(); ok != (f.Class == CollectiveInit) {
			t.Errorf("%s can be started: %v", f.Name, ok)
		}
	}
	for i, n := range kinds {
		if used[CollKind(i)] == "" {
			t.Errorf("no function is %s", n)
		}
	}
}

// TestCollKindNumbers compares the numbers in the header with those of this package.
func TestCollKindNumbers(t *testing.T) {
	header, err := os.ReadFile("../../../preload/record.h")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`\b(MV_COLL_\w+) = (\d+),`).FindAllStringSubmatch(string(header), -1) {
		found[m[1]] = m[2]
	}
	if len(found) != len(CollKinds()) {
		t.Errorf("%d kinds in the header, %d here", len(found), len(CollKinds()))
	}
	for i := range CollKinds() {
		if c := CollKind(i).Constant(); found[c] != fmt.Sprint(i) {
			t.Errorf("%s is %q in the header and %d here", c, found[c], i)
		}
	}
}
