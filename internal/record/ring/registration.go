package ring

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A Registration is what a process says of itself before it becomes the program, in a file of the session's directory:
// the preload library has not been loaded then, and a process that is killed at once never loads it.
type Registration struct {
	PID   int        `json:"-"`
	Start uint64     `json:"-"`    // clock ticks since boot: tells the process apart from a later one with the same number
	Rank  int        `json:"rank"` // by the launcher's environment, -1 if unknown
	Above []Ancestor `json:"above,omitempty"`
}

// An Ancestor is a process that a registered one descends from.
type Ancestor struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
	Name  string `json:"name"` // of the executable, its first 15 bytes
}

// Write leaves the registration in a session's directory. A file that is visible is complete.
func (r *Registration) Write(session string) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("x%d-%d", r.PID, r.Start)
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

// ParseRegistration returns the process that a file of a session's directory is the registration of, by the file's name.
func ParseRegistration(name string) (pid int, start uint64, ok bool) {
	pidText, startText, ok := strings.Cut(strings.TrimPrefix(name, "x"), "-")
	if !ok || !strings.HasPrefix(name, "x") {
		return 0, 0, false
	}
	pid, err1 := strconv.Atoi(pidText)
	start, err2 := strconv.ParseUint(startText, 10, 64)
	return pid, start, err1 == nil && err2 == nil && pid > 0
}

// readRegistration reads the file that Write has written.
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
