package launch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// Builder builds preload libraries and caches them.
type Builder struct {
	// Dir is the directory of the cache.
	Dir string
	// Log gets a line before a build, because a build takes a few seconds. It may be nil.
	Log io.Writer

	// Write writes the C sources into a directory, for an MPI that exports certain functions. The files named *.c are
	// compiled.
	Write func(dir string, exported func(name string) bool) error
	// Standard reports whether the standard ABI has a function like "PMPI_Send". A library for that ABI has all of
	// them. Programs cannot call one that their MPI lacks.
	Standard func(name string) bool
	// Flags are the compiler's flags for compiling and linking, without the output's name.
	Flags []string
	// ReadyMade are libraries for MPIs for which none can be compiled.
	ReadyMade []ReadyMade
	// Object: the result is an object file to link programs with, not a library.
	Object bool
	// Program identifies the program that Write and Flags belong to. If it isn't empty, Dir also stores which library
	// the program uses for an MPI. This saves time: to find the library without this note, the sources must be written,
	// which takes as long as the start of a short program.
	Program string
}

// ThisProgram identifies the running executable. Other executables, and new builds of the same one, have other
// identities. It returns "" if the executable can't be read.
func ThisProgram() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	var inode uint64
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		inode = sys.Ino
	}
	return fmt.Sprintf("%s %d %d %d", path, inode, st.Size(), st.ModTime().UnixNano())
}

// CacheDir makes and returns the directory for preload libraries. It is $MPIVET_CACHE, else mpivet in $XDG_CACHE_HOME
// or ~/.cache. Without a writable home directory, it is a directory of the user in the directory for temporary files.
// Programs load libraries from it. So CacheDir rejects a directory that others can write to, unless $MPIVET_CACHE names
// it.
func CacheDir() (string, error) {
	if dir := os.Getenv(cacheVariable); dir != "" {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", fmt.Errorf("%s: %w", cacheVariable, err)
		}
		return dir, nil
	}
	var candidates []string
	if base, err := os.UserCacheDir(); err == nil {
		candidates = append(candidates, filepath.Join(base, "mpivet"))
	}
	candidates = append(candidates, filepath.Join(os.TempDir(), fmt.Sprintf("mpivet-cache-%d", os.Getuid())))
	var problems []string
	for _, dir := range candidates {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = ownDir(dir)
		}
		if err == nil {
			return dir, nil
		}
		problems = append(problems, err.Error())
	}
	return "", fmt.Errorf("no directory to keep the preload library in (%s): set MPIVET_CACHE",
		strings.Join(problems, "; "))
}

// ownDir checks that a directory belongs to this user, and that others can't write to it.
func ownDir(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.IsDir():
		return fmt.Errorf("%s: not a directory", dir)
	case !ok || int(sys.Uid) != os.Getuid():
		return fmt.Errorf("%s: belongs to another user", dir)
	case st.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: others can write to it", dir)
	}
	return nil
}

// BuildError means that the preload library could not be compiled.
type BuildError struct {
	MPI      *MPI
	Compiler string
	Log      string // file with the compiler's output, "" if it could not be written
	First    string // first error of the compiler
}

func (e *BuildError) Error() string {
	s := fmt.Sprintf("compiling the preload library for %s with %s failed: %s", e.MPI, e.Compiler, e.First)
	if e.Log != "" {
		s += " (log: " + e.Log + ")"
	}
	return s
}

// Library returns the preload library for an MPI. It is $MPIVET_PRELOAD if that is set, else the library in the cache.
// It compiles the library if the cache does not have it. If that is not possible, it takes a ready-made library.
func (b *Builder) Library(m *MPI) (string, error) {
	if lib := os.Getenv(LibraryVariable); lib != "" {
		lib, err := filepath.Abs(lib)
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(lib); err != nil {
			return "", fmt.Errorf("%s: %w", LibraryVariable, err)
		}
		return lib, nil
	}
	if path := b.noted(m); path != "" {
		return path, nil
	}
	path, err := b.build(m)
	if err == nil {
		b.keep(m, path)
		return path, nil
	}
	if len(b.ReadyMade) == 0 || errors.Is(err, errInterrupted) {
		return "", err
	}
	path, unusable := b.ready(m)
	if unusable != nil {
		return "", fmt.Errorf("%w; %w", err, unusable)
	}
	if _, failed := errors.AsType[*BuildError](err); failed {
		b.say("%v; a ready-made library is used", err)
	}
	return path, nil
}

// errInterrupted is the error when the user interrupts a build.
var errInterrupted = errors.New("interrupted while compiling the preload library")

// note returns the file with the name of the program's library for an MPI.
func (b *Builder) note(m *MPI) string {
	_, id := m.Build()
	h := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%q\n", b.Program, id, m.Soname, b.Flags))
	return filepath.Join(b.Dir, "for-"+hex.EncodeToString(h[:8]))
}

// noted returns the library in the note, "" if there is none.
func (b *Builder) noted(m *MPI) string {
	if b.Program == "" {
		return ""
	}
	name, err := os.ReadFile(b.note(m))
	if err != nil || !filepath.IsLocal(string(name)) {
		return ""
	}
	if path := filepath.Join(b.Dir, string(name)); exists(path) {
		return path
	}
	return ""
}

// keep writes the note. If that fails, the next run writes the sources again.
func (b *Builder) keep(m *MPI, path string) {
	if b.Program == "" {
		return
	}
	f, err := os.CreateTemp(b.Dir, "for-")
	if err != nil {
		return
	}
	_, err = f.WriteString(filepath.Base(path))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), b.note(m))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

// build returns the library in the cache. It compiles the library if the cache does not have it.
func (b *Builder) build(m *MPI) (string, error) {
	dir, err := os.MkdirTemp("", "mpivet-build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path, files, err := b.prepare(m, dir)
	if err != nil || exists(path) {
		return path, err
	}
	unlock := b.lock(path)
	defer unlock()
	if exists(path) { // another process has built it
		return path, nil
	}
	// Remove unfinished files even if the user interrupts the build.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := b.compile(ctx, m, path, dir, files); err != nil {
		if ctx.Err() != nil {
			_ = os.Remove(logName(path))
			err = errInterrupted
		}
		return "", err
	}
	_ = os.Remove(logName(path)) // of an earlier attempt
	return path, nil
}

// sourcesName returns the directory for the sources of a library, which debuggers show.
func sourcesName(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".src" }

// keepSources copies the sources of a library to where debuggers look for them. Without them, everything else works.
func keepSources(dir, to string) {
	_ = os.RemoveAll(to)
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		_ = os.RemoveAll(to)
		return
	}
	objects, _ := filepath.Glob(filepath.Join(to, "*.o"))
	for _, o := range objects {
		_ = os.Remove(o)
	}
}

// logName returns the file for the compiler's output if the build of a library fails.
func logName(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".log" }

// Cached returns the path of the preload library for an MPI, and whether it exists.
func (b *Builder) Cached(m *MPI) (path string, ok bool, err error) {
	dir, err := os.MkdirTemp("", "mpivet-build-")
	if err != nil {
		return "", false, err
	}
	defer os.RemoveAll(dir)
	path, _, err = b.prepare(m, dir)
	return path, err == nil && exists(path), err
}

// prepare writes the sources and returns the name of the library in the cache. The name depends on everything that
// determines the contents: the MPI library, the sources (with the API table in them) and the flags. It does not depend
// on the compiler, so that machines without a compiler find libraries that others have built.
func (b *Builder) prepare(m *MPI, dir string) (path string, files []string, err error) {
	exported := m.Exports
	if m.standard && !b.Object {
		exported = b.Standard
	}
	if err := b.Write(dir, exported); err != nil {
		return "", nil, fmt.Errorf("cannot write the sources of the preload library: %w", err)
	}
	name, id := m.Build()
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%q\n", id, m.Soname, b.Flags)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintf(h, "%s %d\n", e.Name(), len(data))
		h.Write(data)
		if filepath.Ext(e.Name()) == ".c" {
			files = append(files, e.Name())
		}
	}
	name = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
	name = regexp.MustCompile(`[^a-z0-9.-]`).ReplaceAllString(name, "_")
	suffix := ".so"
	if b.Object {
		suffix = ".o"
	}
	path = filepath.Join(b.Dir, fmt.Sprintf("libmpivet-%s-%s%s", name, hex.EncodeToString(h.Sum(nil)[:8]), suffix))
	return path, files, nil
}

func (b *Builder) say(format string, args ...any) {
	if b.Log != nil {
		fmt.Fprintf(b.Log, "mpivet: "+format+"\n", args...)
	}
}

// lock prevents that processes compile the same library at the same time. It only saves work: without the lock, each
// process compiles to a different file, and the last rename wins.
func (b *Builder) lock(path string) (unlock func()) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return func() {}
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		b.say("another process is building the preload library; waiting for it")
	}
	for {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	return func() {
		_ = os.Remove(path + ".lock")
		f.Close()
	}
}

func (b *Builder) compile(ctx context.Context, m *MPI, path, dir string, files []string) error {
	cc, flags, err := m.Compiler()
	if err != nil {
		return err
	}
	b.say("compiling the preload library for %s with %s (once)", m, cc)
	return install(b.Dir, path, func(out string) error {
		c := compilation{mpi: m, cc: cc, flags: append(flags, b.Flags...), path: path, dir: dir, object: b.Object}
		if err := c.run(ctx, files, out); err != nil {
			return err
		}
		keepSources(dir, sourcesName(path))
		return nil
	})
}

// install makes a library in the cache. compile writes it to a file. The library gets its name when it is complete.
func install(dir, path string, compile func(out string) error) error {
	tmp, err := os.CreateTemp(dir, ".build-*.so")
	if err != nil {
		return fmt.Errorf("cannot write to the cache: %w (set MPIVET_CACHE to another directory)", err)
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	if err := compile(tmp.Name()); err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o755); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// runCompiler runs a compiler in a directory, and returns its output.
func runCompiler(ctx context.Context, cc, dir string, args []string) (output string, err error) {
	cmd := exec.CommandContext(ctx, cc, args...)
	cmd.WaitDelay = time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C") // firstError reads its messages
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return out.String(), err
}

// compilation is how a preload library is compiled.
type compilation struct {
	mpi   *MPI
	cc    string
	flags []string
	path  string // of the library in the cache
	dir   string // with the sources
	// object: objects are joined to one, and not linked.
	object bool
}

// run compiles the files in parallel on all processors, and links them.
func (c *compilation) run(ctx context.Context, files []string, out string) error {
	var steps errgroup.Group
	steps.SetLimit(runtime.GOMAXPROCS(0))
	objects := make([]string, len(files))
	for i, f := range files {
		objects[i] = strings.TrimSuffix(f, ".c") + ".o"
		steps.Go(func() error { return c.step(ctx, "-c", f, "-o", objects[i]) })
	}
	if err := steps.Wait(); err != nil {
		return err
	}
	if c.object {
		return c.join(ctx, objects, out)
	}
	return c.step(ctx, append(objects, "-o", out)...)
}

// step runs the compiler in dir. If it fails, step writes its output to a file in the directory of the library.
func (c *compilation) step(ctx context.Context, args ...string) error {
	// Debuggers look for the sources beside the library.
	args = append(append(slices.Clone(c.flags), "-ffile-prefix-map="+c.dir+"="+sourcesName(c.path)), args...)
	out, err := runCompiler(ctx, c.cc, c.dir, args)
	if err == nil || ctx.Err() != nil {
		return err
	}
	e := &BuildError{MPI: c.mpi, Compiler: c.cc, First: firstError(out, err)}
	log := logName(c.path)
	text := fmt.Sprintf("%s %s\n%s%v\n", c.cc, strings.Join(args, " "), out, err)
	if os.WriteFile(log, []byte(text), 0o600) == nil {
		e.Log = log
	}
	return e
}

// firstError returns the first error message in a compiler's output, else the last line.
func firstError(out string, err error) string {
	var last string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "error:") || strings.Contains(line, "rror: ") ||
			strings.Contains(line, "undefined reference") {
			return line
		}
		if line != "" {
			last = line
		}
	}
	if last == "" {
		return err.Error()
	}
	return last
}

func exists(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Size() > 0
}
