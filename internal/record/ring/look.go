package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// The views show what another process can see of a run in its shared memory, at one moment. Looking changes, maps and
// locks nothing, and the analyzer need not live. The contents are not trusted.

// SessionView names a session found in the file system.
type SessionView struct {
	Name string
	UID  int
	Dirs []string // one or two
}

// Sessions returns the sessions of all users on this node, ordered by name. Of the options, it uses only the
// directories.
func Sessions(o Options) []SessionView {
	o.defaults()
	found := make(map[string]*SessionView)
	var order []string
	for _, place := range slices.Compact([]string{o.ShmDir, o.TempDir}) {
		entries, err := os.ReadDir(place)
		if err != nil {
			continue
		}
		for _, e := range entries {
			rest, ok := strings.CutPrefix(e.Name(), "mpivet-")
			user, name, dash := strings.Cut(rest, "-")
			uid, err := strconv.Atoi(user)
			if !ok || !dash || err != nil || name == "" || strings.Contains(name, ".stale") || !e.IsDir() {
				continue
			}
			// Any user can make a directory with such a name.
			info, err := e.Info()
			if err != nil || owner(info) != uid {
				continue
			}
			s := found[rest]
			if s == nil {
				s = &SessionView{Name: name, UID: uid}
				found[rest] = s
				order = append(order, rest)
			}
			s.Dirs = append(s.Dirs, filepath.Join(place, e.Name()))
		}
	}
	slices.Sort(order)
	list := make([]SessionView, 0, len(order))
	for _, k := range order {
		list = append(list, *found[k])
	}
	return list
}

func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// RunView is the visible state of a run.
type RunView struct {
	Analyzer  bool          // the analyzer lives
	Beat      time.Duration // CLOCK_MONOTONIC of its last tick; before the first, of the start of the session
	Stopped   bool          // ranks run unrecorded
	Strict    bool
	Now       time.Duration // CLOCK_MONOTONIC of the view
	About     []byte        // the argument of Session.Describe, nil if it was not called
	Processes []*ProcessView
	Problems  []string // what could not be read, one sentence each
}

// Add adds the processes of another node. Their times are converted by the ages that they have on their node, so that
// the clocks of the nodes are not compared.
func (v *RunView) Add(host string, o *RunView) {
	for _, p := range o.Processes {
		p.Host = host
		for _, t := range p.Threads {
			if t.Since > 0 {
				t.Since = max(t.Since+v.Now-o.Now, 1)
			}
		}
		v.Processes = append(v.Processes, p)
	}
	for _, text := range o.Problems {
		v.Problems = append(v.Problems, host+": "+text)
	}
}

// ErrNoRun is the error for a session that does not exist, or does not exist any more.
var ErrNoRun = errors.New("the run is over")

// Look returns the present state of a session. Without the objects of its processes it is cheaper.
func (s *SessionView) Look(objects bool) (*RunView, error) {
	v := &RunView{Now: now()}
	var control error = ErrNoRun
	for _, d := range s.Dirs {
		if err := v.control(d); err == nil {
			control = nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			control = err
		}
		if b, err := readAll(d, aboutName, 1<<20); err == nil {
			v.About = b
		}
	}
	if control != nil {
		return nil, control
	}
	for _, d := range s.Dirs {
		entries, err := os.ReadDir(d)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.Name()[0] != 'p' {
				continue
			}
			p := new(ProcessView)
			if err := p.look(d, e.Name()); errors.Is(err, fs.ErrNotExist) {
				continue // it has just ended
			} else if err != nil {
				v.Problems = append(v.Problems, err.Error())
				continue
			}
			v.Processes = append(v.Processes, p)
		}
	}
	slices.SortStableFunc(v.Processes, func(a, b *ProcessView) int { return int(a.Start - b.Start) })
	for _, p := range v.Processes {
		p.lookThreads(s.Dirs, &v.Problems)
		if objects {
			p.lookObjects(s.Dirs, &v.Problems)
		}
	}
	v.Now = now()
	return v, nil
}

// readAt fills b from a file of a session. A short file is an error.
func readAt(dir, name string, b []byte, at int64) error {
	f, _, err := openFile(filepath.Join(dir, name), os.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = f.ReadAt(b, at); errors.Is(err, io.EOF) {
		return damagedFile(f.Name(), "it is cut short")
	}
	return err
}

func readAll(dir, name string, limit int64) ([]byte, error) {
	f, size, err := openFile(filepath.Join(dir, name), os.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, damagedFile(f.Name(), "it is too long")
	}
	b := make([]byte, size)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:n], nil
}

func damagedFile(path, format string, args ...any) error {
	return fmt.Errorf("%s is damaged: %s", path, fmt.Sprintf(format, args...))
}

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// checkHead checks the beginning that most files have in common.
func checkHead(path string, b []byte, magic uint64) error {
	switch {
	case u64(b, 0) != magic:
		return damagedFile(path, "it does not begin as it should")
	case u32(b, 8) != layout.Version:
		return fmt.Errorf("%w (%s is of version %d, not %d)", ErrOtherVersion, path, u32(b, 8), layout.Version)
	}
	return nil
}

func (v *RunView) control(dir string) error {
	path := filepath.Join(dir, controlName)
	f, _, err := openFile(path, os.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, layout.SizeofControl)
	n, _ := f.ReadAt(b, 0)
	if err := checkHead(path, b, layout.MagicControl); err != nil { // the same in all versions
		return err
	}
	if n < len(b) {
		return damagedFile(path, "it is cut short")
	}
	v.Stopped = u32(b, layout.ControlStopAt) != 0
	v.Strict = u32(b, layout.ControlStrictAt) != 0
	v.Beat = time.Duration(u64(b, layout.ControlBeatAt))
	// If the lock was free, closing the file releases it at once.
	v.Analyzer = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
	return nil
}

// ProcessView is a process of a run.
type ProcessView struct {
	Host        string // "" if the run has one node only
	Name        string // of its file: "p<pid>.<k>"
	PID, PPID   int
	Rank        int // from the launcher's environment, -1 if unknown
	WorldSize   int // from there, too
	Exe         string
	Start       time.Duration // CLOCK_MONOTONIC of its node
	Initialized bool          // MPI_Init has returned
	Finalized   bool          // MPI_Finalize has been entered
	Aborted     bool          // MPI_Abort has been entered
	Alive       bool
	End         EndKind // if the process is not alive
	Code        int     // exit status or signal number
	Threads     []*ThreadView
	Objects     []*ObjectView
	Homeless    int    // objects that found no room in its memory
	Names       []byte // lists of struct mv_name, see event.Names
}

func (p *ProcessView) look(dir, name string) error {
	var m layout.Process
	b := make([]byte, layout.SizeofProcess)
	path := filepath.Join(dir, name)
	if err := readAt(dir, name, b, 0); err != nil {
		return err
	}
	if err := checkHead(path, b, layout.MagicProcess); err != nil {
		return err
	}
	p.Name = name
	p.PID, p.PPID = int(int32(u32(b, layout.ProcessPIDAt))), int(int32(u32(b, layout.ProcessPPIDAt)))
	if p.PID <= 0 {
		return damagedFile(path, "process number %d", p.PID)
	}
	p.Rank, p.WorldSize = int(int32(u32(b, layout.ProcessRankAt))), int(int32(u32(b, layout.ProcessWorldSizeAt)))
	p.Exe = text(b[layout.ProcessExeAt:][:len(m.Exe)])
	p.Start = time.Duration(u64(b, layout.ProcessStartTimeAt))
	p.Initialized = u32(b, layout.ProcessInitializedAt) != 0
	p.Finalized = u32(b, layout.ProcessFinalizedAt) != 0
	p.Aborted = u32(b, layout.ProcessAbortedAt) != 0
	p.Alive = !dead(p.PID) && !startedAfter(p.PID, p.Start)
	p.End, p.Code = Vanished, int(int32(u32(b, layout.ProcessCodeAt)))
	switch u32(b, layout.ProcessStateAt) {
	case layout.StateExited:
		p.End = Exited
	case layout.StateSignaled:
		p.End = Signaled
	}
	return nil
}

// ThreadView is a thread of a process that has called MPI.
type ThreadView struct {
	Index, TID  int
	Alive       bool
	Calls, Done uint64        // calls begun and ended; calls without a record do not count
	Call        []byte        // record of the last call, nil if there was none or it cannot be read
	Since       time.Duration // CLOCK_MONOTONIC; since then, at least, it has not begun or ended a call; 0 if unknown
	Stalls      uint64        // how many times it waited for the analyzer
}

// InCall reports whether the thread is in the last call that it has begun.
func (t *ThreadView) InCall() bool { return t.Calls > t.Done }

func (p *ProcessView) lookThreads(dirs []string, problems *[]string) {
	for i := 0; i < math.MaxInt32; i++ {
		name, found := fmt.Sprintf("t%s.%d", p.Name[1:], i), false
		for _, d := range dirs {
			t := new(ThreadView)
			switch err := t.look(d, name, p); {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				*problems = append(*problems, err.Error())
			default:
				p.Threads = append(p.Threads, t)
			}
			found = true
		}
		if !found {
			return
		}
	}
}

// tries is how often data that change during reading are read again.
const tries = 20

func (t *ThreadView) look(dir, name string, p *ProcessView) error {
	path := filepath.Join(dir, name)
	f, fileSize, err := openFile(path, os.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return err
	}
	defer f.Close()
	b, again := make([]byte, layout.SizeofRing), make([]byte, layout.SizeofRing)
	for try := range tries {
		if _, err := f.ReadAt(b, 0); err != nil {
			return damagedFile(path, "it is cut short")
		}
		if err := checkHead(path, b, layout.MagicRing); err != nil {
			return err
		}
		header, size := uint64(u32(b, layout.RingHeaderSizeAt)), u64(b, layout.RingSizeAt)
		if size < layout.Line || size > maxRingSize || size&(size-1) != 0 || header > maxHeader ||
			header+size > uint64(fileSize) {
			return damagedFile(path, "a ring of %d bytes in %d", size, fileSize)
		}
		t.Index, t.TID = int(u32(b, layout.RingThreadAt)), int(int32(u32(b, layout.RingTIDAt)))
		t.Stalls = u64(b, layout.RingStallsAt)
		t.Calls, t.Done = moves(b)
		t.Since = since(b)
		t.Call = nil
		if u64(b, layout.RingCallsAt) > 0 {
			t.Call = readRecord(f, header, size, u64(b, layout.RingCallAt))
		}
		// A record is whole if the thread has begun no other call since. Otherwise the last try gives only the number
		// of the call.
		if _, err := f.ReadAt(again, 0); err != nil {
			return damagedFile(path, "it is cut short")
		}
		moved := layout.RingCallAt
		if calls := layout.RingCallsAt; u64(b, moved) == u64(again, moved) && u64(b, calls) == u64(again, calls) {
			break
		}
		if try == tries-1 {
			t.Call = nil
		}
	}
	_, err = os.Stat(fmt.Sprintf("/proc/%d/task/%d", p.PID, t.TID))
	t.Alive = p.Alive && err == nil
	return nil
}

// moves returns how many calls a ring's thread has begun and ended, including those without records.
func moves(b []byte) (calls, done uint64) {
	repeats := u64(b, layout.RingRepeatsAt)
	return u64(b, layout.RingCallsAt) + repeats, u64(b, layout.RingDoneAt) + repeats
}

// since returns when the analyzer last saw the thread move, or 0 if the thread has moved after that.
func since(b []byte) time.Duration {
	calls, done := moves(b)
	if u64(b, layout.RingSeenCallsAt) != calls || u64(b, layout.RingSeenDoneAt) != done {
		return 0
	}
	return time.Duration(u64(b, layout.RingSinceAt))
}

// readRecord returns the record at a position of a ring, nil if there is none.
func readRecord(f *os.File, header, size, pos uint64) []byte {
	var head [layout.SizeofRecord]byte
	if pos%layout.Line != 0 {
		return nil
	}
	if _, err := f.ReadAt(head[:], int64(header+pos&(size-1))); err != nil {
		return nil
	}
	n := uint64(binary.LittleEndian.Uint16(head[layout.RecordLinesAt:])) * layout.Line
	if n == 0 || n > size {
		return nil
	}
	rec := make([]byte, n)
	at := pos & (size - 1)
	first := min(n, size-at)
	if _, err := f.ReadAt(rec[:first], int64(header+at)); err != nil {
		return nil
	}
	if _, err := f.ReadAt(rec[first:], int64(header)); err != nil {
		return nil
	}
	return rec
}
