// Command ready compiles a ready-made preload library: for all MPIs that have the same ABI as the one whose library and
// mpi.h are given. It runs on a system that is as old as the oldest one that the library is for. scripts/ready.sh uses
// it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/preload"
	"github.com/mpivet/mpivet/preload/ready"
)

func main() {
	library := flag.String("library", "", "the MPI `library`")
	include := flag.String("include", "", "the `folder` of its mpi.h")
	out := flag.String("out", "", "the `folder` for the result")
	flag.Parse()
	if err := run(*library, *include, *out); err != nil {
		fmt.Fprintln(os.Stderr, "ready:", err)
		os.Exit(1)
	}
}

func run(library, include, out string) error {
	m, err := launch.NamedMPI(library)
	if err != nil {
		return err
	}
	abi := m.ABI()
	if abi == "" {
		return fmt.Errorf("%s has no ABI that several versions share", m)
	}
	if m.Version == "" {
		return fmt.Errorf("%s: its version is not known", library)
	}
	b := &launch.Builder{
		Dir: out, Log: os.Stderr, Write: preload.WriteSources, Flags: preload.CompileFlags(),
		Standard: func(name string) bool { return mpiapi.InABI(strings.TrimPrefix(name, "P")) },
	}
	data, err := b.CompileWith(m, "gcc", "-I"+include)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(out, ready.Name(abi, m.Version)))
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Close()
}
