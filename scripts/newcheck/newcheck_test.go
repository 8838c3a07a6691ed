package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/exampletest"
)

// TestNewCheck creates a check, and adds it to the source tree by an overlay. The check must be in the list of all
// checks, compile, and pass its own test and the tests of all checks, without a change of other files.
func TestNewCheck(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := lay(dir, "LOCAL:TOY:MIDNIGHT_CALL", "a call is made after midnight"); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "all_gen.go")
	gen := exec.Command("go", "run", "./internal/check/all/gen", "-checks", "internal/check",
		"-more", filepath.Join(dir, "internal/check"), "-o", list)
	gen.Dir = top
	if out, err := gen.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	replace := map[string]string{filepath.Join(top, "internal/check/all/all_gen.go"): list}
	err = filepath.WalkDir(filepath.Join(dir, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			replace[filepath.Join(top, rel)] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(overlay, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "own.test") // a binary, because go test can't run in a folder of the overlay
	for _, command := range [][]string{
		{"go", "test", "-overlay", overlay, "-vet=off", "-c", "-o", own, "./internal/check/toy/midnightcall"},
		{own},
		{"go", "test", "-overlay", overlay, "-vet=off", "./internal/check/all"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", command, err, out)
		}
	}
	checks := exec.Command("go", "run", "-overlay", overlay, "./cmd/mpivet", "checks")
	checks.Dir = top
	out, err := checks.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "LOCAL:TOY:MIDNIGHT_CALL") {
		t.Errorf("mpivet checks: %v\n%s", err, out)
	}
	for _, name := range []string{"midnight_call.c", "midnight_call_ok.c"} {
		if _, err := exampletest.Load(filepath.Join(dir, "examples/toy", name)); err != nil {
			t.Error(err)
		}
	}
	if err := lay(dir, "LOCAL:TOY:MIDNIGHT_CALL", "again"); err == nil {
		t.Error("overwrites a check")
	}
	for _, id := range []string{"TOY", "local:toy:x", "LOCAL:TOY", "LOCAL:../X:Y"} {
		if err := lay(dir, id, "x"); err == nil {
			t.Errorf("%s is taken for the name of a check", id)
		}
	}
}
