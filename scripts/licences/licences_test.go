package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicences: every module that mpivet contains has its licence in the text, and nothing else has.
func TestLicences(t *testing.T) {
	t.Chdir("../..")
	var b bytes.Buffer
	if err := print(&b, "./cmd/mpivet"); err != nil {
		t.Fatal(err)
	}
	out, err := run("list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}",
		"./cmd/mpivet")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"mpivet": true}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			want[line] = true
		}
	}
	ours, err := run("env", "GOVERSION")
	if err != nil {
		t.Fatal(err)
	}
	want["Go "+strings.TrimSpace(strings.TrimPrefix(string(ours), "go"))] = true
	got := make(map[string]bool)
	for line := range strings.Lines(b.String()) {
		if title, ok := strings.CutPrefix(line, "======== "); ok {
			of, _, _ := strings.Cut(title, ": ")
			got[of] = true
		}
	}
	for of := range want {
		if !got[of] {
			t.Errorf("there is no licence of %s", of)
		}
	}
	for of := range got {
		if !want[of] {
			t.Errorf("there is a licence of %s, which mpivet does not contain", of)
		}
	}
	// This package has a licence of its own, within a module.
	if !strings.Contains(b.String(), "github.com/klauspost/compress") ||
		!strings.Contains(b.String(), ": zstd/internal/xxhash/LICENSE.txt\n") {
		t.Error("the licences of packages within modules are missing")
	}
}

// TestNoLicence: a module without a licence is an error.
func TestNoLicence(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "p"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "licence.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := licencesAbove("m v1", filepath.Join(dir, "p"), dir); err == nil {
		t.Errorf("there are licences: %v", found)
	}
}
