package ring

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/procstat"
)

// watcher reports which files have appeared in a session's directories, and which processes have ended, in the order of
// the events. Without inotify (no instance left) or without pidfd_open, it looks periodically.
type watcher struct {
	dirs    []string
	epoll   int
	inotify int   // -1: read the directories instead
	wd      []int // inotify's number of each directory in dirs
	resting bool  // no process is watched, so inotify is off
	noPidfd bool
	events  [64]unix.EpollEvent
	buf     [16 << 10]byte
	seen    map[string]bool // files known
	found   []file          // files that appeared and have not been taken
	scanned time.Time       // when the directories were last read
	checked time.Time       // when processes were last checked by kill()
	// closed is when the file of a process was closed by the last process that had it open.
	closed map[string]time.Duration

	mu   sync.Mutex // of wake, which other goroutines write to
	wake int        // eventfd that ends a wait, -1 once closed
}

// file is a file of a session.
type file struct{ dir, name string }

// lookEvery is the interval at which the watcher looks for changes that no event reports.
const lookEvery = 5 * time.Millisecond

func newWatcher(dirs ...string) (*watcher, error) {
	w := &watcher{inotify: -1, seen: make(map[string]bool), closed: make(map[string]time.Duration)}
	var err error
	if w.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	for _, d := range dirs {
		if d != "" && (len(w.dirs) == 0 || d != w.dirs[0]) {
			w.dirs = append(w.dirs, d)
		}
	}
	if w.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		w.wake = -1 // then a wait may last its full time
	} else if err := unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, w.wake,
		&unix.EpollEvent{Events: unix.EPOLLIN, Fd: wakeEvent}); err != nil {
		unix.Close(w.wake)
		w.wake = -1
	}
	w.listen()
	return w, nil
}

// Numbers in events of epoll that do not stand for the end of a process; numbers of processes are not negative.
// Registrations count down from the last one.
const (
	fileEvent       = -1
	wakeEvent       = -2
	registeredEvent = -3
)

// listen asks inotify to report files from now on, and notes those that are already there.
func (w *watcher) listen() {
	w.resting, w.wd = false, w.wd[:0]
	if fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK); err == nil {
		for _, d := range w.dirs {
			wd, e := unix.InotifyAddWatch(fd, d, unix.IN_MOVED_TO|unix.IN_CREATE|unix.IN_CLOSE_WRITE|unix.IN_ONLYDIR)
			if e != nil {
				err = e
			}
			w.wd = append(w.wd, wd)
		}
		if err == nil {
			err = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: fileEvent})
		}
		if err == nil {
			w.inotify = fd
		} else {
			unix.Close(fd)
		}
	}
	w.scan()
}

// rest switches inotify off until the next process is watched. The kernel takes more than 10 ms to close an inotify
// instance. That time must not delay the end of the launcher.
func (w *watcher) rest() {
	if fd := w.inotify; fd >= 0 {
		w.files()
		w.resting, w.inotify = true, -1
		go unix.Close(fd) //nolint:errcheck // there is nothing to be done about it
	}
}

// interrupt ends the wait that is under way, or the next one. It may be called by any goroutine.
func (w *watcher) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake >= 0 {
		_, _ = unix.Write(w.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

func (w *watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	unix.Close(w.epoll)
	for _, fd := range []*int{&w.inotify, &w.wake} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}

// add notes a file that has appeared.
func (w *watcher) add(dir, name string) {
	if strings.HasPrefix(name, ".") || w.seen[name] || name == controlName {
		return
	}
	w.seen[name] = true
	w.found = append(w.found, file{dir, name})
}

// forget makes a name count as new when it appears again.
func (w *watcher) forget(name string) {
	delete(w.seen, name)
	delete(w.closed, name)
}

// atOnce is the maximum time between the closing of a process's file and the moment its end is noticed.
const atOnce = time.Second

// died returns when a process began to end, for a process whose end has just been noticed. That is when the kernel
// closed its file. A launcher that sees a process's connections closed may kill the other processes so fast that they
// are gone before that process.
func (w *watcher) died(name string) time.Duration {
	t := now()
	if c, ok := w.closed[name]; ok && t-c < atOnce { // otherwise the program closed a file that is not its own
		return c
	}
	return t
}

// scan reads the directories. Registrations are noted before files of processes, and these before those of threads.
func (w *watcher) scan() {
	w.scanned = time.Now()
	for _, first := range []byte{'x', 'p', 't'} {
		for _, d := range w.dirs {
			f, err := os.Open(d)
			if err != nil {
				continue
			}
			names, _ := f.Readdirnames(-1)
			f.Close()
			for _, n := range names {
				if n[0] == first {
					w.add(d, n)
				}
			}
		}
	}
}

// files notes the files that have appeared by now.
func (w *watcher) files() {
	if w.inotify < 0 {
		if time.Since(w.scanned) >= lookEvery {
			w.scan()
		}
		return
	}
	for {
		n, err := unix.Read(w.inotify, w.buf[:])
		if err != nil || n <= 0 {
			return
		}
		for b := w.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			watch := int(int32(binary.LittleEndian.Uint32(b)))
			mask := binary.LittleEndian.Uint32(b[4:])
			size := int(binary.LittleEndian.Uint32(b[12:]))
			b = b[unix.SizeofInotifyEvent:]
			if size > len(b) {
				break
			}
			name, _, _ := bytes.Cut(b[:size], []byte{0})
			w.noteEvent(watch, mask, string(name))
			b = b[size:]
		}
	}
}

// noteEvent handles an event of inotify about a file. watch is inotify's number of the directory.
func (w *watcher) noteEvent(watch int, mask uint32, name string) {
	switch {
	case mask&unix.IN_Q_OVERFLOW != 0:
		w.scan()
	case mask&unix.IN_CLOSE_WRITE != 0:
		// The event may still have the name that the file was created under, with a dot in front.
		if n := strings.TrimPrefix(name, "."); strings.HasPrefix(n, "p") {
			w.closed[n] = now()
		}
	case name != "":
		for i, d := range w.dirs {
			if w.wd[i] == watch {
				w.add(d, name)
			}
		}
	}
}

// lastFiles notes the files that have appeared by now, however often it is called.
func (w *watcher) lastFiles() {
	if w.inotify < 0 {
		w.scan()
		return
	}
	w.files()
}

// watch begins to watch for the end of a process. id is its number for the callback ended. before, if it is not nil,
// has watched it up to now. watch returns a descriptor for unwatch, or -1, and whether the process is already gone.
func (w *watcher) watch(pid int, id ProcID, start time.Duration, before *registered) (fd int, gone bool) {
	if w.resting {
		w.listen()
	}
	fd = -1
	if before != nil && before.fd >= 0 {
		fd = before.fd
		_ = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_DEL, fd, nil)
	} else if !w.noPidfd {
		var err error
		if fd, err = unix.PidfdOpen(pid, 0); err == unix.ESRCH {
			return -1, true
		} else if err != nil {
			fd, w.noPidfd = -1, true
		}
	}
	// Before it could be watched, the process may have ended, and another one may have got its number.
	if startedAfter(pid, start) {
		w.unwatch(fd)
		return -1, true
	}
	if dead(pid) {
		return fd, true
	}
	return w.follow(fd, int32(id)), false
}

// follow asks epoll to report the end of a process. It returns -1, and closes the descriptor, if that is not possible.
func (w *watcher) follow(fd int, event int32) int {
	if fd < 0 {
		return fd
	}
	if err := unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd,
		&unix.EpollEvent{Events: unix.EPOLLIN, Fd: event}); err != nil {
		unix.Close(fd)
		w.noPidfd = true
		return -1
	}
	return fd
}

// watchRegistered begins to watch a process that has only registered. It returns -1 if that is not possible. Then
// nothing more is known about the process until the preload library announces it.
func (w *watcher) watchRegistered(r *Registration, number int) int {
	if w.noPidfd {
		return -1
	}
	fd, err := unix.PidfdOpen(r.PID, 0)
	if err != nil {
		return -1
	}
	if st, err := procstat.Read(r.PID); err == nil && st.Start != r.Start {
		unix.Close(fd)
		return -1
	}
	return w.follow(fd, int32(registeredEvent-number))
}

func (w *watcher) unwatch(fd int) {
	if fd >= 0 {
		unix.Close(fd) // takes it out of epoll as well
	}
}

// ready notes new files and calls ended for each process whose end has been noticed, in the order of their ends. For a
// process that has only registered, it calls early with the number of its registration.
func (w *watcher) ready(ended func(ProcID), early func(int)) {
	n, err := unix.EpollWait(w.epoll, w.events[:], 0)
	if err != nil {
		n = 0
	}
	// Files first: a process must be known before its end is reported.
	w.files()
	for _, e := range w.events[:n] {
		switch {
		case e.Fd >= 0:
			ended(ProcID(e.Fd))
		case e.Fd == wakeEvent:
			_, _ = unix.Read(w.wake, w.buf[:8])
		case e.Fd <= registeredEvent:
			early(registeredEvent - int(e.Fd))
		}
	}
}

// poll reports whether it is time to look for ended processes by kill().
func (w *watcher) poll() bool {
	if !w.noPidfd {
		return false
	}
	now := time.Now()
	if now.Sub(w.checked) < lookEvery {
		return false
	}
	w.checked = now
	return true
}

// wait returns after d, which should be some milliseconds. It returns earlier if a file appears, a process ends, or it
// is interrupted.
func (w *watcher) wait(d time.Duration) {
	if (w.noPidfd || w.inotify < 0) && d > lookEvery {
		d = lookEvery
	}
	waitReady(w.epoll, d)
}

// dead reports whether a process has ended, even if its parent has not waited for it yet.
func dead(pid int) bool {
	if unix.Kill(pid, 0) == unix.ESRCH {
		return true
	}
	st, err := procstat.Read(pid)
	return err == nil && st.Ended()
}

// startedAfter reports whether the present process with that number started (well) after the given CLOCK_MONOTONIC
// time.
func startedAfter(pid int, t time.Duration) bool {
	st, err := procstat.Read(pid)
	if err != nil || t <= 0 {
		return false
	}
	var mono, boot unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
		return false
	}
	const ticks = 100 // USER_HZ, the same on all machines that Go runs on
	began := time.Duration(st.Start) * (time.Second / ticks)
	return began > t+time.Duration(boot.Nano()-mono.Nano())+50*time.Millisecond
}
