package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// newGroup returns a new group for a test.
func newGroup(t *testing.T) Group {
	st, err := statProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return Group{Name: fmt.Sprintf("x%d-%d-%x.%s", st.pid, st.start, ring.PIDNamespace(), t.Name()), Size: 8}
}

// elsewhere gives the test a new directory for meetings, which no other user can have taken.
func elsewhere(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return dir
}

// joined joins a group eight times at the same time, and returns the sessions and errors.
func joined(t *testing.T, g Group, start func(string) (string, error)) (dirs []string, errs []error) {
	t.Helper()
	dirs, errs = make([]string, 8), make([]error, 8)
	var all sync.WaitGroup
	for i := range dirs {
		all.Go(func() { dirs[i], errs[i] = Join(g, start) })
	}
	all.Wait()
	return dirs, errs
}

func TestJoinStartsOneAnalyzer(t *testing.T) {
	place := elsewhere(t)
	g := newGroup(t)
	var session *ring.Session
	var calls atomic.Int32
	var meeting string
	start := func(m string) (string, error) {
		calls.Add(1)
		meeting = m
		var err error
		if session, err = ring.NewSession(ring.Options{Ranks: 8}); err != nil {
			return "", err
		}
		return session.Dir, nil
	}
	dirs, errs := joined(t, g, start)
	for i, d := range dirs {
		if errs[i] != nil || session == nil || d != session.Dir {
			t.Errorf("joined %q: %v", d, errs[i])
		}
	}
	if calls.Load() != 1 || !strings.HasPrefix(meeting, place) {
		t.Fatalf("%d analyzers, at %s", calls.Load(), meeting)
	}
	// The analyzer ends, and another program of the same launcher begins.
	session.Close()
	End(meeting)
	if left, _ := os.ReadDir(place); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if dir, err := Join(g, start); err != nil || dir != session.Dir || calls.Load() != 2 {
		t.Errorf("%q, %v; %d analyzers", dir, err, calls.Load())
	}
	// The new analyzer is killed. Later processes run unwatched, and one of them reports that.
	session.Close()
	_, errs = joined(t, g, start)
	said := 0
	for _, err := range errs {
		var unwatched *UnwatchedError
		if !errors.As(err, &unwatched) {
			t.Errorf("got %v", err)
		} else if !unwatched.Silent {
			said++
		}
	}
	if said != 1 || calls.Load() != 2 {
		t.Errorf("%d have said so, of %v; %d analyzers", said, errs, calls.Load())
	}
	End(meeting)
}

// TestJoinWithoutAnalyzer checks that processes try only once to start the analyzer if that fails, and that the last
// one leaves nothing behind.
func TestJoinWithoutAnalyzer(t *testing.T) {
	place := elsewhere(t)
	var calls atomic.Int32
	_, errs := joined(t, newGroup(t), func(string) (string, error) {
		calls.Add(1)
		return "", errors.New("no room")
	})
	said := 0
	for _, err := range errs {
		if err != nil && strings.Contains(err.Error(), "unwatched: no room") {
			said++
		} else if u := new(UnwatchedError); !errors.As(err, &u) || !u.Silent {
			t.Errorf("got %v", err)
		}
	}
	if calls.Load() != 1 || said != 1 {
		t.Errorf("%d attempts, said %d times", calls.Load(), said)
	}
	if left, _ := os.ReadDir(place); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestStarterIsKilled checks that another process starts the analyzer if the first one is killed while it starts it.
func TestStarterIsKilled(t *testing.T) {
	elsewhere(t)
	g := newGroup(t)
	cmd := exec.Command(os.Args[0], "hold-meeting", g.Name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it has the lock
		t.Fatal(err)
	}
	began := make(chan struct{})
	var dir string
	go func() {
		defer close(began)
		dir, err = Join(g, func(string) (string, error) { return "mine", nil })
	}()
	select {
	case <-began:
		t.Errorf("%q, %v while another one starts the analyzer", dir, err)
	case <-time.After(50 * time.Millisecond):
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	<-began
	if err != nil || dir != "mine" {
		t.Errorf("joined %q: %v", dir, err)
	}
}

// TestForeignPlaces checks that files of other users at the meeting places are neither used nor waited for. All
// processes of the job must find the same other place.
func TestForeignPlaces(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make what others own")
	}
	const other = 12345
	for what, foreign := range map[string]func(path, name string) error{
		"directory": func(path, _ string) error {
			return errors.Join(os.Mkdir(path, 0o777),
				os.Chown(path, other, other))
		},
		"held": func(path, name string) error {
			if err := errors.Join(os.Mkdir(path, 0o777),
				os.WriteFile(filepath.Join(path, name), nil, 0o666)); err != nil {
				return err
			}
			f, err := os.Open(filepath.Join(path, name))
			if err != nil {
				return err
			}
			t.Cleanup(func() { f.Close() })
			return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_EX), os.Chown(path, other, other))
		},
		"writable": func(path, _ string) error { return errors.Join(os.Mkdir(path, 0o777), os.Chmod(path, 0o777)) },
		"symlink": func(path, _ string) error {
			return os.Symlink(t.TempDir(), path)
		},
		"file": func(path, _ string) error { return os.WriteFile(path, []byte("session /tmp\n"), 0o666) },
		"fifo": func(path, _ string) error { return unix.Mkfifo(path, 0o666) },
	} {
		for _, there := range []int{1, 3} {
			t.Run(fmt.Sprint(what, there), func(t *testing.T) {
				t.Setenv("XDG_RUNTIME_DIR", "")
				g := newGroup(t)
				g.shared = []string{t.TempDir()}
				g.Name = strings.ReplaceAll(g.Name, "/", ".")
				places := meetingPlaces(g.shared)
				for _, p := range places[:there] {
					if err := foreign(p, g.Name); err != nil {
						t.Fatal(err)
					}
				}
				var session *ring.Session
				began := time.Now()
				dirs, errs := joined(t, g, func(m string) (string, error) {
					if filepath.Dir(m) != places[there] {
						t.Errorf("met at %s", m)
					}
					var err error
					session, err = ring.NewSession(ring.Options{})
					return session.Dir, err
				})
				defer session.Close()
				for i, d := range dirs {
					if errs[i] != nil || d != session.Dir {
						t.Errorf("joined %q: %v", d, errs[i])
					}
				}
				if d := time.Since(began); d > 10*time.Second {
					t.Errorf("took %v", d)
				}
				cleanMeetings(g.shared) // must not touch files of other users
				for _, p := range places[:there] {
					if _, err := os.Lstat(p); err != nil && what != "writable" {
						t.Error(err)
					}
				}
			})
		}
	}
}

// TestMeetingOfOthers checks that a meeting of another user is not used.
func TestMeetingOfOthers(t *testing.T) {
	place := elsewhere(t)
	g := newGroup(t)
	if err := os.Mkdir(filepath.Join(place, "mpivet"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(place, "mpivet", g.Name)
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatal(err)
	}
	dir, err := Join(g, func(m string) (string, error) {
		if strings.HasPrefix(m, place) {
			t.Errorf("met at %s", m)
		}
		defer End(m)
		return "mine", nil
	})
	if err != nil || dir != "mine" {
		t.Errorf("joined %q: %v", dir, err)
	}
}

// TestCleanMeetings checks that the meetings of ended launchers are removed.
func TestCleanMeetings(t *testing.T) {
	place := elsewhere(t)
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	st, err := statProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	ns := ring.PIDNamespace()
	names := []string{
		fmt.Sprintf("x%d-1-%x", ended.ProcessState.Pid(), ns), fmt.Sprintf("x%d-%d-%x", st.pid, st.start, ns),
		fmt.Sprintf("x%d-1-%x", ended.ProcessState.Pid(), ns+1),
	}
	dir := filepath.Join(place, "mpivet")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	CleanMeetings()
	for i, n := range names {
		if _, err := os.Stat(filepath.Join(dir, n)); (err == nil) != (i > 0) {
			t.Errorf("%s: %v", n, err)
		}
	}
}
