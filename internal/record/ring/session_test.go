package ring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestSession(t *testing.T) {
	o := Options{ShmDir: t.TempDir(), TempDir: t.TempDir(), TableHash: 7, NoStacks: true}
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{s.Dir, s.Fallback} {
		st, err := os.Stat(d)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v", d, st.Mode())
		}
	}
	control := filepath.Join(s.Dir, "control")
	c, err := os.ReadFile(control)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(c), "MPVECTL1") || !strings.Contains(string(c), s.Fallback+"\x00") {
		t.Errorf("control file %q", c)
	}
	if k := s.control; k.TableHash != 7 || k.Stacks != 0 || k.Stop.Load() != 0 || k.RingSize != uint64(s.RingSize) {
		t.Errorf("control %+v", k)
	}
	// A rank can see whether the analyzer lives.
	f, err := os.Open(control)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err == nil {
		t.Error("the control file is not locked")
	}
	dir, fallback := s.Dir, s.Fallback
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		t.Error("the control file is still locked: ", err)
	}
	for _, d := range []string{dir, fallback} {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", d, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// abandon makes a session look as if its analyzer had been killed.
func abandon(t *testing.T, s *Session) {
	t.Helper()
	for _, f := range []*os.File{s.lock, s.fallLock} {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStale: all files of dead sessions are removed, and nothing else.
func TestStale(t *testing.T) {
	o := Options{ShmDir: t.TempDir(), TempDir: t.TempDir()}
	dead, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	abandon(t, dead)
	alive, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if !Analyzed(alive.Dir) || Analyzed(dead.Dir) || Analyzed(filepath.Join(o.ShmDir, "none")) {
		t.Error("which session has an analyzer is not told")
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	in := func(name string, a ...any) string { return filepath.Join(o.TempDir, prefix()+fmt.Sprintf(name, a...)) }
	// its maker was killed before it had locked a file
	unlocked := in("%x-%d-%016x", PIDNamespace(), ended.ProcessState.Pid(), 1)
	lock := in("x9-500400.start")
	spared := []string{
		in("%x-%d-%016x", PIDNamespace(), os.Getpid(), 2),
		in("%x-%d-%016x", PIDNamespace()+1, ended.ProcessState.Pid(), 3),
		filepath.Join(o.TempDir, "mpivet-a"), in("results"),
	}
	for _, d := range append(spared, unlocked) {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	report, old := in("report.json"), in("old-results") // the user's own
	if err := errors.Join(os.WriteFile(report, nil, 0o600), os.Mkdir(old, 0o700),
		os.Chtimes(old, time.Time{}, time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
	spared = append(spared, report, old)
	link := in("%016x", 4)
	if err := os.Symlink(spared[0], link); err != nil {
		t.Fatal(err)
	}
	spared = append(spared, link)
	if gone := CleanStale(o); len(gone) != 4 {
		t.Errorf("removed %v, want two directories of the dead session, one without a lock, and a file", gone)
	}
	for _, d := range []string{dead.Dir, dead.Fallback, unlocked, lock} {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", d, err)
		}
	}
	for _, d := range append(spared, alive.Dir, alive.Fallback) {
		if _, err := os.Lstat(d); err != nil {
			t.Error(err)
		}
	}
	if gone := CleanStale(o); len(gone) != 0 {
		t.Errorf("removed %v from a living session", gone)
	}
}

func TestLittleRoom(t *testing.T) {
	shm, tmp := t.TempDir(), t.TempDir()
	var st syscall.Statfs_t
	if err := syscall.Statfs(shm, &st); err != nil {
		t.Fatal(err)
	}
	free := st.Bavail * uint64(st.Bsize)
	tests := []struct {
		what  string
		o     Options
		where string
		note  string
	}{
		{"enough", Options{Ranks: 1}, shm, ""},
		{"for small rings", Options{Ranks: int(free / 4 >> 20)}, shm, "little room in " + shm},
		{"for none", Options{Ranks: int(free >> 10)}, tmp, "KiB free"},
		{"no such directory", Options{ShmDir: filepath.Join(shm, "x")}, tmp, "no such file"},
	}
	for _, k := range tests {
		t.Run(k.what, func(t *testing.T) {
			if k.o.ShmDir == "" {
				k.o.ShmDir = shm
			}
			k.o.TempDir = tmp
			s, err := NewSession(k.o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if filepath.Dir(s.Dir) != k.where {
				t.Errorf("rings are in %s, want them in %s", s.Dir, k.where)
			}
			if s.RingSize < minRingSize || s.RingSize&(s.RingSize-1) != 0 ||
				k.note == "" && s.RingSize != defaultRingSize {
				t.Errorf("rings of %d bytes", s.RingSize)
			}
			notes := strings.Join(s.Notes(), "\n")
			if !strings.Contains(notes, k.note) || (k.note == "") != (notes == "") {
				t.Errorf("notes %q, want %q", notes, k.note)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		x := filepath.Join(shm, "x")
		if _, err := NewSession(Options{ShmDir: x, TempDir: x}); err == nil || !strings.Contains(err.Error(), x) {
			t.Errorf("error %v does not say where", err)
		}
	})
}

// TestSessionsStartTogether: programs that start at the same time also clean up at the same time. None of them may
// remove the new session of another one.
func TestSessionsStartTogether(t *testing.T) {
	o := Options{ShmDir: t.TempDir(), TempDir: t.TempDir(), Ranks: 1, RingSize: minRingSize}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					CleanStale(o)
				}
			}
		})
	}
	for range 500 {
		s, err := NewSession(o)
		if err != nil {
			t.Error(err)
			break
		}
		if _, err := os.Stat(s.Dir); err != nil {
			t.Error(err)
		}
		s.Close()
	}
	close(stop)
	wg.Wait()
}
