package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// TestFresh: the generated files are up to date with the header.
func TestFresh(t *testing.T) {
	files, err := generate("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what preload/record.h gives (%v): run go generate ./internal/record/layout", name, err)
		}
	}
}

// TestCompiler: the C compiler gives the structs of the header the layout in the generated files.
func TestCompiler(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	dir := "../../../../preload/"
	out, err := exec.Command(cc, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", dir,
		dir+"src/contract.c").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestErrors: a construct that the generator does not know is an error that names the line.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"struct mv_x { double d; };", `line 1: the type "double" is not known`},
		{"\nunion mv_x { int i; };", `line 2: "union" is not understood`},
		{"#define MV_X y\n", `line 2: "y" is not a number`},
		{"enum mv_x { /* here */ MV_Y };", `line 1: the comment of enum mv_x is not a marker: "here"`},
	} {
		if _, err := parse(c.src); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v, want %s", c.src, err, c.want)
		}
	}
}
