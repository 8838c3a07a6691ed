package ring

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Registration is the description that a process writes of itself before it becomes the program. It is a file in the
// session's directory. The preload library is not loaded yet at that time, and a process that is killed at once never
// loads it.
type Registration struct {
	PID int `json:"-"`
	// clock ticks since boot: different from that of a later process with the same number
	Start uint64     `json:"-"`
	Rank  int        `json:"rank"` // from the launcher's environment, -1 if unknown
	Above []Ancestor `json:"above,omitempty"`
}

// An Ancestor is an ancestor of a registered process.
type Ancestor struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
	Name  string `json:"name"` // of the executable, its first 15 bytes
}

// Write writes the registration into a session's directory. A visible file is complete.
func (r *Registration) Write(session string) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	name := r.name()
	path := filepath.Join(session, "."+name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(path, filepath.Join(session, name))
}

// noticedMode is the mode of the file of a registration that the analyzer has read. It watches the process then.
const noticedMode = 0o400

// Await waits until the analyzer watches the process, at most for limit. If a process ends before that, the kernel may
// not tell the analyzer how.
func (r *Registration) Await(session string, limit time.Duration) {
	path := filepath.Join(session, r.name())
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() == noticedMode {
			return
		}
	}
}

func (r *Registration) name() string { return fmt.Sprintf("x%d-%d", r.PID, r.Start) }

// ParseRegistration returns the process of a registration, by the name of its file in a session's directory.
func ParseRegistration(name string) (pid int, start uint64, ok bool) {
	pidText, startText, ok := strings.Cut(strings.TrimPrefix(name, "x"), "-")
	if !ok || !strings.HasPrefix(name, "x") {
		return 0, 0, false
	}
	pid, err1 := strconv.Atoi(pidText)
	start, err2 := strconv.ParseUint(startText, 10, 64)
	return pid, start, err1 == nil && err2 == nil && pid > 0
}

// readRegistration reads a file written by Write.
func readRegistration(dir, name string) (*Registration, bool) {
	r := &Registration{Rank: -1}
	var ok bool
	if r.PID, r.Start, ok = ParseRegistration(name); !ok {
		return nil, false
	}
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || json.Unmarshal(b, r) != nil {
		r.Rank, r.Above = -1, nil
	}
	return r, true
}
