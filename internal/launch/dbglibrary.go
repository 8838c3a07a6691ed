package launch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// DebuggerLibrary is the library that debuggers load to look at processes under mpivet. It does not depend on an MPI.
// Any C compiler can build it.
type DebuggerLibrary struct {
	// Dir is the directory of the cache.
	Dir string
	// Log gets a line before a build. It may be nil.
	Log io.Writer
	// Sources are the C files by name, and Flags the compiler's flags, without the output's name.
	Sources map[string][]byte
	Flags   []string
}

// Path returns the path of the library in the cache, and whether the library is there. The name depends on the sources
// and the flags.
func (l *DebuggerLibrary) Path() (string, bool) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", l.Flags)
	for _, name := range slices.Sorted(maps.Keys(l.Sources)) {
		fmt.Fprintf(h, "%s %d\n", name, len(l.Sources[name]))
		h.Write(l.Sources[name])
	}
	path := filepath.Join(l.Dir, fmt.Sprintf("libmpivet_dbg-%s.so", hex.EncodeToString(h.Sum(nil)[:8])))
	return path, exists(path)
}

// Build returns the path of the library. It compiles the library if the cache does not have it.
func (l *DebuggerLibrary) Build() (string, error) {
	path, there := l.Path()
	if there {
		return path, nil
	}
	cc, err := plainCompiler()
	if err != nil {
		return "", err
	}
	b := &Builder{Dir: l.Dir, Log: l.Log}
	unlock := b.lock(path)
	defer unlock()
	if exists(path) { // another process has built it
		return path, nil
	}
	b.say("compiling the library for debuggers with %s (once)", cc)
	// Remove unfinished files even if the user interrupts the build.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := l.compile(ctx, cc, path); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted while compiling the library for debuggers")
		}
		return "", err
	}
	return path, nil
}

// plainCompiler returns a C compiler.
func plainCompiler() (string, error) {
	names := []string{"cc", "gcc", "clang"}
	if cc := os.Getenv("CC"); cc != "" {
		names = []string{cc}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no C compiler for the library for debuggers (%s): install one, or set CC",
		strings.Join(names, ", "))
}

func (l *DebuggerLibrary) compile(ctx context.Context, cc, path string) error {
	dir, err := os.MkdirTemp("", "mpivet-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := slices.Clone(l.Flags)
	for _, name := range slices.Sorted(maps.Keys(l.Sources)) {
		if err := os.WriteFile(filepath.Join(dir, name), l.Sources[name], 0o600); err != nil {
			return err
		}
		if filepath.Ext(name) == ".c" {
			args = append(args, name)
		}
	}
	return install(l.Dir, path, func(out string) error {
		text, err := runCompiler(ctx, cc, dir, append(args, "-o", out))
		if err != nil {
			err = fmt.Errorf("compiling the library for debuggers with %s failed: %s", cc, firstError(text, err))
		}
		return err
	})
}
