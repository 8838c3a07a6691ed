// Package ready holds preload libraries that are compiled ahead of time, for machines without a compiler. A release has
// them (scripts/ready.sh). Other builds have none.
package ready

import (
	"embed"
	"fmt"
	"io"
	"path"
	"runtime"

	"github.com/klauspost/compress/zstd"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

//go:embed files
var files embed.FS

// Library is a preload library.
type Library struct {
	ABI     string // of the MPIs it is for: "mpich", "openmpi", "abi"
	Version string // of the MPI whose mpi.h it was compiled with
	file    string
}

// namePattern matches the names of libraries: amd64-mpich-4.0.2.so.zst.
var namePattern = lazyregexp.New(`^([a-z0-9]+)-([a-z]+)-([0-9][0-9a-z.]*)\.so\.zst$`)

// Libraries returns the libraries for this processor.
func Libraries() (list []Library) {
	entries, err := files.ReadDir("files")
	if err != nil {
		panic("ready: " + err.Error()) // it is part of the program
	}
	for _, e := range entries {
		if f := namePattern().FindStringSubmatch(e.Name()); f != nil && f[1] == runtime.GOARCH {
			list = append(list, Library{f[2], f[3], path.Join("files", e.Name())})
		}
	}
	return list
}

// Name returns the name of the file for the library of an MPI.
func Name(abi, version string) string {
	return fmt.Sprintf("%s-%s-%s.so.zst", runtime.GOARCH, abi, version)
}

// WriteTo writes the ELF file.
func (l Library) WriteTo(w io.Writer) (int64, error) {
	f, err := files.Open(l.file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	d, err := zstd.NewReader(f)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return io.Copy(w, d)
}
