package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// limit is a limit of the shell command ulimit.
type limit struct {
	flag      string // flag of ulimit
	low, high int    // range of values
	forUser   bool   // the limit does not apply to root
}

var limitsOfShells = []limit{
	{flag: "-n", low: 6, high: 80},
	{flag: "-v", low: 100_000, high: 2_000_000},
	{flag: "-u", low: 6, high: 90, forUser: true},
	{flag: "-f", low: 0, high: 8},
	{flag: "-s", low: 64, high: 4096},
	{flag: "-l", low: 0, high: 64},
}

// limits returns the scenarios with small limits and full disks.
func limits() (list []scenario) {
	for _, under := range []string{"run", "exec"} {
		for _, l := range limitsOfShells {
			list = append(list, scenario{
				name: fmt.Sprintf("limit %s ulimit %s", under, l.flag),
				try:  func(t *try) error { return t.limited(under, l) },
			})
		}
		for _, what := range []string{"json", "record"} {
			list = append(list, scenario{
				name: fmt.Sprintf("full %s %s", under, what), once: true,
				try: func(t *try) error { return t.fullFile(under, what) },
			})
		}
		list = append(list, scenario{
			name: fmt.Sprintf("full %s shm", under),
			try:  func(t *try) error { return t.fullShm(under) },
		})
	}
	return list
}

// nobody is a user without rights, for limits that do not apply to root.
const nobody = 65534

// limited runs the program with a small limit, if it works with this limit without mpivet.
func (t *try) limited(under string, l limit) error {
	const ranks = 2
	set := fmt.Sprintf("ulimit %s %d && exec \"$@\"", l.flag, l.low+t.rng.IntN(l.high-l.low))
	in := func(command ...string) []string {
		command = append([]string{"sh", "-c", set, "sh"}, command...)
		if l.forUser && os.Getuid() == 0 {
			command = append([]string{
				"setpriv", fmt.Sprint("--reuid=", nobody), fmt.Sprint("--regid=", nobody), "--clear-groups",
			}, command...)
		}
		return command
	}
	if l.forUser && os.Getuid() == 0 {
		if err := t.give(nobody); err != nil {
			return err
		}
	}
	plain := func() (bool, error) {
		if err := t.start(in(t.mpi.Mpirun, "-n", strconv.Itoa(ranks), t.program, "20")...); err != nil {
			return false, err
		}
		o, err := t.end(10 * time.Second)
		return err == nil && o.status == 0 && o.undisturbed(ranks) == nil, nil
	}
	if ok, err := plain(); !ok {
		return err // it does not work without mpivet either
	}
	if err := t.start(in(t.watched(under, ranks, 20, "--quiet")...)...); err != nil {
		return err
	}
	o, err := t.end(40 * time.Second)
	if err != nil {
		return fmt.Errorf("%s: %w; standard error %q", set, err, tail(o.stderr))
	}
	err = errors.Join(o.crash(), o.undisturbed(ranks))
	lines := 0
	for line := range strings.Lines(o.stderr) {
		if strings.HasPrefix(line, "mpivet: ") {
			lines++
		}
	}
	if lines > ranks { // the limits apply to each rank, and each rank may print a message
		err = errors.Join(err, fmt.Errorf("%d lines", lines))
	}
	if err != nil {
		if ok, _ := plain(); !ok {
			return nil // the limit is just at the border: the program sometimes fails without mpivet, too
		}
		return fmt.Errorf("%s: %w; standard error %q", set, err, tail(o.stderr))
	}
	return t.cleared()
}

// give makes another user the owner of the files of the try.
func (t *try) give(uid int) error {
	cache, err := t.cacheOf(uid)
	if err != nil {
		return err
	}
	t.env = append(t.env, "HOME="+t.dir, "MPIVET_CACHE="+cache)
	return chown(t.dir, uid)
}

// cacheOf returns a directory with preload libraries that belong to a user. It makes the directory once.
func (r *rig) cacheOf(uid int) (string, error) {
	cache := filepath.Join(r.dir, fmt.Sprint("cache-", uid))
	if _, err := os.Stat(cache); err == nil {
		return cache, nil
	}
	for _, dir := range []string{filepath.Dir(r.dir), r.dir} {
		if st, err := os.Stat(dir); err != nil || st.Mode()&0o001 == 0 {
			if err := os.Chmod(dir, 0o711); err != nil {
				return "", err
			}
		}
	}
	build := exec.Command(r.mpivet, "build")
	build.Env = append(os.Environ(), "MPIVET_CACHE="+cache)
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("mpivet build: %w\n%s", err, out), os.RemoveAll(cache))
	}
	return cache, chown(cache, uid)
}

// chown makes a user the owner of a directory and of everything in it.
func chown(dir string, uid int) error {
	return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, uid, uid))
	})
}

// fullFile lets mpivet write to a disk that is full, or becomes full.
func (t *try) fullFile(under, what string) error {
	const ranks = 2
	var command []string
	switch what {
	case "json":
		command = t.watched(under, ranks, 100)
		command[slices.Index(command, "--json")+1] = "/dev/full"
	case "record":
		if os.Getuid() != 0 {
			return nil // only root can mount a small disk
		}
		disk := filepath.Join(t.dir, "disk")
		if err := os.Mkdir(disk, 0o755); err != nil {
			return err
		}
		command = t.watched(under, ranks, 1000, "--record", filepath.Join(disk, "record"))
		script := `mount -t tmpfs -o size=8k tmpfs disk && exec "$@"`
		command = append([]string{"unshare", "--mount", "sh", "-c", script, "sh"}, command...)
	}
	if err := t.start(command...); err != nil {
		return err
	}
	o, err := t.end(40 * time.Second)
	err = errors.Join(err, o.crash(), o.undisturbed(ranks))
	if !strings.Contains(o.stderr, mistake) {
		err = errors.Join(err, fmt.Errorf("the finding is lost: %q", tail(o.stderr)))
	}
	if !strings.Contains(o.stderr, "no space left") {
		err = errors.Join(err, fmt.Errorf("not a word about the disk: %q", tail(o.stderr)))
	}
	return errors.Join(err, t.cleared())
}

// fullShm runs the program with little space in /dev/shm, if it works so without mpivet.
func (t *try) fullShm(under string) error {
	if os.Getuid() != 0 {
		return nil // only root can mount another /dev/shm
	}
	const ranks = 2
	size := 32 << t.rng.IntN(12) // KiB
	script := fmt.Sprintf(`mount -t tmpfs -o size=%dk tmpfs /dev/shm && exec "$@"`, size)
	in := func(command ...string) []string {
		return append([]string{"unshare", "--mount", "sh", "-c", script, "sh"}, command...)
	}
	// The ranks of exec must look in /dev/shm first for their meeting.
	t.env = append(t.env, "OMPI_MCA_btl_vader_backing_directory=/tmp", "XDG_RUNTIME_DIR=")
	if err := t.start(in(t.mpi.Mpirun, "-n", strconv.Itoa(ranks), t.program, "20")...); err != nil {
		return err
	}
	if o, err := t.end(20 * time.Second); err != nil || o.status != 0 {
		return nil // it does not work without mpivet either
	}
	if err := t.start(in(t.watched(under, ranks, 100)...)...); err != nil {
		return err
	}
	o, err := t.end(40 * time.Second)
	err = errors.Join(err, o.crash(), o.undisturbed(ranks))
	if e := o.found(mistake); e != nil && !strings.Contains(o.stderr, "/dev/shm") &&
		!strings.Contains(o.stderr, "unwatched") {
		err = errors.Join(err, e)
	}
	if err != nil {
		return fmt.Errorf("%d KiB: %w; standard error %q", size, err, tail(o.stderr))
	}
	return nil
}
