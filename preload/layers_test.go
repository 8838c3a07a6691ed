package preload

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers are the units of the library, from the bottom up. A unit is a C file with the header of the same name, or a
// header alone. Units use their own layer and those below.
var layers = []struct {
	name  string
	units []string
}{
	{"base", []string{"record", "contract", "base", "rules", "table"}},
	{"platform", []string{
		"api", "tls", "session", "debug", "maps", "signals", "device", "real", "mark", "layout", "hash",
	}},
	{"record", []string{
		"ring", "found", "await", "module", "python", "site", "polls", "objects", "requests", "kept", "mv",
	}},
	{"calls", []string{"mpi_objects", "query", "world", "comm", "errors", "call", "freed"}},
	{"beside", []string{
		"layouts", "shape", "part", "snapshot", "overlap", "movement", "sums", "pending", "message", "reach", "strict",
	}},
	{"top", []string{
		"names", "init", "end", "start", "between", "wrapper", "wrappers", "wrappers_far", "held", "moved",
	}},
}

func unitOf(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// includes returns what each unit includes of the library.
func includes() map[string]map[string]bool {
	uses := make(map[string]map[string]bool)
	include := regexp.MustCompile(`(?m)^#include "(.*)"$`)
	for file, text := range Sources() {
		from := unitOf(file)
		if uses[from] == nil {
			uses[from] = make(map[string]bool)
		}
		for _, m := range include.FindAllStringSubmatch(string(text), -1) {
			if to := unitOf(m[1]); to != from {
				uses[from][to] = true
			}
		}
	}
	return uses
}

// checkLayers reports uses of higher layers, units in no layer, and circles.
func checkLayers(t *testing.T, uses map[string]map[string]bool) {
	t.Helper()
	height := make(map[string]int)
	for i, l := range layers {
		for _, unit := range l.units {
			height[unit] = i + 1
		}
	}
	for _, from := range slices.Sorted(maps.Keys(uses)) {
		if height[from] == 0 {
			t.Errorf("%s is in no layer", from)
		}
		for _, to := range slices.Sorted(maps.Keys(uses[from])) {
			if height[to] > height[from] {
				t.Errorf("%s uses %s, which is in a higher layer", from, to)
			}
		}
	}
	state := make(map[string]int) // 1: on the way, 2: done
	var visit func(unit string, way []string)
	visit = func(unit string, way []string) {
		way = append(way, unit)
		switch state[unit] {
		case 1:
			t.Errorf("a circle: %s", strings.Join(way[slices.Index(way, unit):], " → "))
		case 0:
			state[unit] = 1
			for _, to := range slices.Sorted(maps.Keys(uses[unit])) {
				visit(to, slices.Clip(way))
			}
		}
		state[unit] = 2
	}
	for _, unit := range slices.Sorted(maps.Keys(uses)) {
		visit(unit, nil)
	}
}

// TestLayers: units include and call only units of their own layer and of lower ones, and never in a circle. Every C
// file obeys rules.h.
func TestLayers(t *testing.T) {
	checkLayers(t, includes())
	for file, text := range Sources() {
		if filepath.Ext(file) != ".c" {
			continue
		}
		list := regexp.MustCompile(`(?m)^#include .*$`).FindAllString(string(text), -1)
		if len(list) == 0 || list[len(list)-1] != `#include "rules.h"` {
			t.Errorf("%s does not include rules.h last", file)
		}
	}
}

// TestCallLayers: the same for calls, by the symbols of the compiled units.
func TestCallLayers(t *testing.T) {
	for _, m := range mpis {
		if _, err := exec.LookPath(m.mpicc); err == nil {
			callLayers(t, m)
			return
		}
	}
	t.Skip("no MPI")
}

func callLayers(t *testing.T, m *mpi) {
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(here, "src/*.c"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-std=gnu11", "-O0", "-I" + here, "-I" + filepath.Join(here, "src"), "-c"}
	cmd := exec.Command(m.mpicc, append(args, files...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	defined := make(map[string]string)
	wanted := make(map[string][]string)
	for _, file := range files {
		unit, object := unitOf(file), filepath.Join(dir, unitOf(file)+".o")
		out, err := exec.Command("nm", object).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			kind, name := f[len(f)-2], f[len(f)-1]
			switch {
			case !strings.HasPrefix(name, "mv_"):
			case kind == "U":
				wanted[unit] = append(wanted[unit], name)
			case strings.ToUpper(kind) == kind:
				defined[name] = unit
			}
		}
	}
	uses := includes()
	for unit, names := range wanted {
		for _, name := range names {
			if to := defined[name]; to != "" {
				uses[unit][to] = true
			}
		}
	}
	checkLayers(t, uses)
}
