// Package gdb holds mpivet's extensions for gdb and lldb, and finds out what a debugger must be told.
//
// The extensions are thin: they read memory for a process "mpivet inspect", which decodes the tables of
// docs/debugger-tables.md.
package gdb

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
)

// InspectorVariable names an environment variable: the mpivet executable that the extensions use as inspector.
const InspectorVariable = "MPIVET_INSPECTOR"

var (
	//go:embed client.py
	client []byte
	//go:embed for_gdb.py
	gdb []byte
	//go:embed for_lldb.py
	lldb []byte
)

// Script returns the extension for gdb, a file in Python. mpivet is the path of the executable that it uses if the
// process names none.
func Script(mpivet string) []byte { return script("gdb", mpivet, gdb) }

// LLDBScript returns the extension for lldb, a file in Python.
func LLDBScript(mpivet string) []byte { return script("lldb", mpivet, lldb) }

func script(debugger, mpivet string, own []byte) []byte {
	// A string in JSON is also one in Python.
	name, err := json.Marshal(mpivet)
	if err != nil {
		name = []byte(`""`)
	}
	head := fmt.Sprintf("# mpivet's extension for %s. mpivet gdb writes this file.\n\nMPIVET = %s\n\n", debugger, name)
	return bytes.Join([][]byte{[]byte(head), client, []byte("\n"), own}, nil)
}

// Write writes a script into a directory, if it is not there yet, and returns its path. Different scripts have
// different names, so that a debugger that runs keeps its own. lldb wants the name to be one of Python.
func Write(dir, name string, script []byte) (string, error) {
	h := fnv.New64a()
	_, _ = h.Write(script)
	path := filepath.Join(dir, fmt.Sprintf("%s_%016x.py", name, h.Sum64()))
	return path, put(path, script)
}

// WriteLoader writes the script that gdb loads by itself when a process has loaded a library: LIBRARY-gdb.py. It loads
// the extension in the file script, unless gdb has the extension already. gdb does so only if the user has declared the
// directory as safe.
func WriteLoader(library, script string) error {
	name, err := json.Marshal(script)
	if err != nil {
		return err
	}
	return put(library+"-gdb.py", fmt.Appendf(nil, loader, name))
}

const loader = `# gdb loads this file by itself if its directory is in the auto-load safe-path. mpivet writes it.
import os
import gdb

script = %s
if not hasattr(gdb, "mpivet") and os.path.exists(script):
    gdb.execute("source " + script)
`

// put writes a file, unless it has the content already.
func put(path string, script []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, script) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(script)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
