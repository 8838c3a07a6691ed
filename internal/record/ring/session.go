package ring

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/lazyregexp"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Sizes of rings in bytes.
const (
	defaultRingSize = 4 << 20
	minRingSize     = 64 << 10
)

// Names within a session directory.
const (
	controlName = "control"
	lockName    = ".lock" // of a fallback directory: locked like the control file
)

// Sums says for which purpose the processes compute sums of data.
type Sums uint32

// The purposes.
const (
	NoSums   Sums = iota
	KeptSums      // data that nonblocking operations send must not change: InfoChanged records report changes
	AllSums       // also, data that messages and collectives move must arrive unchanged: InfoSums records have the sums
)

// Options say how a session is set up. The zero value is useful, except for TableHash.
type Options struct {
	Ranks     int    // processes expected on this node, 0 if unknown
	RingSize  int    // bytes per thread, a power of two; 0: choose it by the free memory
	TableHash uint64 // mpiapi.Hash()
	NoStacks  bool   // record the return address of an MPI call only, not the whole stack
	Strict    bool   // hold collective calls until they are judged, see Live.Judge
	Breaks    bool   // each call waits before it enters MPI, and before it returns, see Live.Pass
	Sums      Sums   // of the data that operations move
	Verdicts  bool   // ranks wait at their exit until Live.Release or Live.Verdict says how to end
	SumLimit  int    // of data longer than this, sum up only samples of this many bytes in all; 0: sum up all data
	Debugger  string // path of the library that shows debuggers the message queues of processes; "" for none
	ShmDir    string // directory of shared memory; "" for /dev/shm
	TempDir   string // directory on a disk, used when ShmDir is full; "" for $TMPDIR or /tmp
}

func (o *Options) defaults() {
	if o.ShmDir == "" {
		o.ShmDir = "/dev/shm"
	}
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	if o.Ranks <= 0 {
		o.Ranks = 8
	}
}

// Session is a directory for the rings of ranks, with everything around it.
type Session struct {
	Dir      string // directory for the rings; MPIVET's environment names it
	Fallback string // directory on a disk for the rings if Dir is full
	RingSize int    // bytes per thread

	notes    []string
	control  *layout.Control
	lock     *os.File // the control file, locked as long as the analyzer lives
	fallLock *os.File
}

func prefix() string { return fmt.Sprintf("mpivet-%d-", os.Getuid()) }

// sessionDirs returns the directories that a session with the given name may have, the usual one first.
func sessionDirs(o Options, name string) []string {
	return []string{filepath.Join(o.ShmDir, prefix()+name), filepath.Join(o.TempDir, prefix()+name)}
}

// Places returns the directories in which sessions are made, the usual one first.
func Places() []string {
	var o Options
	o.defaults()
	return []string{o.ShmDir, o.TempDir}
}

// newName returns a unique name for a session. The name contains the number of the process that makes the session.
// Until there is a lock, only this number shows whether that process still lives.
func newName() (string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x-%d-%x", PIDNamespace(), os.Getpid(), b), nil
}

// ownNames are the names that versions of mpivet have given to sessions and to their files. Files and directories with
// other names belong to the user, even if they have the same prefix.
var ownNames = lazyregexp.New(
	`^([0-9a-f]+-[0-9]+-[0-9a-f]{16}|[0-9a-f]{16}|[xs][0-9]+-[0-9]+)(\.stale[0-9a-f]+|\.start)?$`)

// makerGone reports whether the process that has made the session with this name has ended. It returns false if that is
// not known.
func makerGone(name string) bool {
	var namespace uint64
	var pid int
	n, _ := fmt.Sscanf(name, "%x-%d-", &namespace, &pid)
	return n == 2 && namespace != 0 && namespace == PIDNamespace() && pid > 0 && dead(pid)
}

// fillControl writes what the processes must know into the control file.
func (s *Session) fillControl(o *Options) {
	c := s.control
	c.Magic, c.Version, c.HeaderSize = layout.MagicControl, layout.Version, uint32(layout.SizeofControl)
	c.TableHash, c.RingSize = o.TableHash, uint64(s.RingSize)
	if !o.NoStacks {
		c.Stacks = 1
	}
	if o.Strict {
		c.Strict.Store(1)
	}
	if o.Breaks {
		c.Breaks.Store(1)
	}
	if o.Verdicts {
		c.Verdicts = 1
	}
	c.Sums, c.SumLimit = uint32(o.Sums), uint64(o.SumLimit)
	if len(o.Debugger) < len(c.Debugger) {
		copy(c.Debugger[:], o.Debugger)
	}
	c.Analyzer, c.Namespace = uint32(os.Getpid()), PIDNamespace()
	c.Beat.Store(uint64(now())) // calls before the first tick have a time, too
	if s.Fallback != s.Dir && len(s.Fallback) < len(c.Fallback) {
		copy(c.Fallback[:], s.Fallback)
	}
}

// NewSession makes a session: its directory in shared memory (or on a disk, if there is no shared memory or too
// little), the fallback directory, and the locked control file.
func NewSession(o Options) (_ *Session, err error) {
	o.defaults()
	name, err := newName()
	if err != nil {
		return nil, err
	}
	dirs := sessionDirs(o, name)
	s := new(Session)
	defer func() {
		if err != nil {
			s.Close()
		}
	}()

	noDisk := os.Mkdir(dirs[1], 0o700)
	if noDisk == nil {
		s.Fallback = dirs[1]
		if s.fallLock, err = makeLocked(s.Fallback, lockName, 0); err != nil {
			return nil, err
		}
	}

	s.RingSize = o.RingSize
	size, noShm := chooseSize(o)
	if noShm == nil && dirs[0] != dirs[1] {
		noShm = os.Mkdir(dirs[0], 0o700)
	}
	switch {
	case noShm == nil:
		s.Dir = dirs[0]
		if s.RingSize == 0 && size < defaultRingSize {
			s.note("little room in %s: %d KiB per rank for records instead of %d; "+
				"ranks may have to wait for the analyzer more often",
				o.ShmDir, size>>10, defaultRingSize>>10)
			s.RingSize = size
		}
	case noDisk == nil:
		s.Dir = s.Fallback
		s.note("%v: records go through %s, on a disk, which may slow the program down", noShm, o.TempDir)
	default:
		return nil, fmt.Errorf("no place for the records: %w; %w", noShm, noDisk)
	}
	if s.RingSize == 0 {
		s.RingSize = defaultRingSize
	}
	if s.RingSize < minRingSize || s.RingSize > maxRingSize || s.RingSize&(s.RingSize-1) != 0 {
		return nil, fmt.Errorf("ring size %d: must be a power of two from %d to %d", s.RingSize,
			minRingSize, maxRingSize)
	}

	if s.lock, err = makeLocked(s.Dir, "."+controlName, int64(layout.SizeofControl)); err != nil {
		return nil, err
	}
	if s.control, err = mapControl(s.lock); err != nil {
		return nil, err
	}
	s.fillControl(&o)
	// A visible file is complete.
	if err := os.Rename(filepath.Join(s.Dir, "."+controlName), filepath.Join(s.Dir, controlName)); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Session) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// Notes returns messages for the user about the set-up of the session, one sentence each.
func (s *Session) Notes() []string { return s.notes }

// StopRecording tells the ranks to go on unrecorded.
func (s *Session) StopRecording() {
	if s.control == nil {
		return
	}
	// The file may have been truncated.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	s.control.Stop.Store(1)
}

// Close removes all files of the session. Ranks that still run go on unrecorded.
func (s *Session) Close() error {
	s.StopRecording()
	var errs []error
	if s.Dir != "" && s.Dir != s.Fallback {
		errs = append(errs, os.RemoveAll(s.Dir))
	}
	if s.Fallback != "" {
		errs = append(errs, os.RemoveAll(s.Fallback))
	}
	s.Dir, s.Fallback = "", ""
	if s.control != nil {
		unmapControl(s.control)
		s.control = nil
	}
	for _, f := range []*os.File{s.lock, s.fallLock} {
		if f != nil {
			f.Close()
		}
	}
	s.lock, s.fallLock = nil, nil
	return errors.Join(errs...)
}

// Analyzed reports whether a session has an analyzer that lives.
func Analyzed(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, controlName), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC,
		0)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}

// FirstUnwatched reports whether the calling process is the first one that finds the analyzer of a session gone. Only
// the first one reports it.
func FirstUnwatched(dir string) bool {
	flags := os.O_CREATE | os.O_EXCL | os.O_WRONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	f, err := os.OpenFile(filepath.Join(dir, "unwatched"), flags, 0o600)
	if err == nil {
		f.Close()
	}
	return !errors.Is(err, fs.ErrExist)
}

// chooseSize returns the size for a ring: the usual one, but at most a rank's share of a quarter of the free shared
// memory, as MPI needs shared memory as well. The error says why there is no room.
func chooseSize(o Options) (size int, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(o.ShmDir, &st); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: o.ShmDir, Err: err}
	}
	free := st.Bavail * uint64(st.Bsize)
	size = o.RingSize
	if size == 0 {
		size = defaultRingSize
		for size > minRingSize && uint64(size) > free/4/uint64(o.Ranks) {
			size /= 2
		}
	}
	if uint64(size) > free/4/uint64(o.Ranks) {
		return 0, fmt.Errorf("%s has only %d KiB free", o.ShmDir, free>>10)
	}
	return size, nil
}

// PIDNamespace returns the inode number of this process's PID namespace, 0 if it is not known.
func PIDNamespace() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
}

// makeLocked makes a file of the given size and locks it. Only this process holds the lock, until it ends. The file
// gets its name only after that: else another process that looks for old files could find it without a lock.
func makeLocked(dir, name string, size int64) (*os.File, error) {
	path := filepath.Join(dir, name+".new")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		err = &os.PathError{Op: "flock", Path: path, Err: err}
	} else if size > 0 {
		// Reserve the space now: a write to the mapping would be fatal if there were none left.
		if err = reserve(f, size); err != nil {
			err = &os.PathError{Op: "allocate", Path: path, Err: err}
		}
	}
	if err == nil {
		err = os.Rename(path, filepath.Join(dir, name))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// reserve allocates the first size bytes of a new file. It writes them where fallocate is not to be had: on some file
// systems, and under filters of system calls.
func reserve(f *os.File, size int64) error {
	switch err := unix.Fallocate(int(f.Fd()), 0, 0, size); err {
	case unix.EOPNOTSUPP, unix.ENOSYS, unix.EPERM:
		_, err := io.Copy(io.NewOffsetWriter(f, 0), io.LimitReader(zeros{}, size))
		return err
	default:
		return err
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// unlockedAge is the age from which a directory without a lock file counts as left behind, if its maker is not known. A
// new directory has no lock file for a moment.
const unlockedAge = 10 * time.Minute

// removeStale removes the directory of a session whose analyzer died, that is, one with a free lock. It also removes a
// lock file of older versions if it is not locked. It returns true if it has removed something.
func removeStale(dir string) bool {
	name := strings.TrimPrefix(filepath.Base(dir), prefix())
	if !ownNames().MatchString(name) {
		return false
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil || int(st.Uid) != os.Getuid() {
		return false
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFREG:
		return removeFile(dir)
	default:
		return false
	}
	var f *os.File
	var err error
	for _, name := range []string{controlName, "." + controlName, lockName} {
		if f, err = os.OpenFile(filepath.Join(dir, name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			break
		}
	}
	if err != nil {
		gone := makerGone(name) || time.Since(time.Unix(st.Mtim.Unix())) > unlockedAge
		return gone && os.RemoveAll(dir) == nil
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	// Another process may have removed the directory and made a new one in the meantime. Only the process that holds
	// the lock of the present file may move the directory away.
	ours, err1 := f.Stat()
	now, err2 := os.Stat(filepath.Join(dir, filepath.Base(f.Name())))
	if err1 != nil || err2 != nil || !os.SameFile(ours, now) {
		return false
	}
	var b [8]byte
	_, _ = rand.Read(b[:])
	away := dir + ".stale" + hex.EncodeToString(b[:])
	if os.Rename(dir, away) != nil {
		return false
	}
	return os.RemoveAll(away) == nil
}

// removeFile removes a file that is not locked.
func removeFile(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && os.Remove(path) == nil
}

// inhabited reports whether a process that recorded into a directory still runs.
func inhabited(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name()[0] != 'p' {
			continue
		}
		var p ProcessView
		if p.look(dir, e.Name()) == nil && p.Alive {
			return true
		}
	}
	return false
}

// CleanStale removes the sessions of this user whose analyzer died, and returns the removed directories. It keeps those
// of programs that still run, as they can be looked at. Of the options, it uses only the directories.
func CleanStale(o Options) []string {
	o.defaults()
	var gone []string
	for _, place := range []string{o.ShmDir, o.TempDir} {
		dirs, _ := filepath.Glob(filepath.Join(place, prefix()+"*"))
		for _, d := range dirs {
			name := strings.TrimPrefix(filepath.Base(d), prefix())
			if !slices.ContainsFunc(sessionDirs(o, name), inhabited) && removeStale(d) {
				gone = append(gone, d)
			}
		}
	}
	return gone
}
