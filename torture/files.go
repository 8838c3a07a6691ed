package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// files returns the scenarios with damaged files, or with files of other users.
func files() (list []scenario) {
	for _, what := range []string{"record", "records inside", "config", "baseline", "suppressions"} {
		list = append(list, scenario{name: "damaged " + what, try: func(t *try) error { return t.damaged(what) }})
	}
	for _, under := range []string{"run", "exec"} {
		list = append(list, scenario{
			name: "foreign names " + under,
			try:  func(t *try) error { return t.foreign(under) },
		})
	}
	return list
}

// mutate damages some bytes of data.
func mutate(rng *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + rng.IntN(8) {
		if len(data) == 0 {
			return data
		}
		at := rng.IntN(len(data))
		switch rng.IntN(5) {
		case 0:
			data[at] ^= 1 << rng.IntN(8)
		case 1:
			data[at] = byte(rng.IntN(256))
		case 2:
			data = data[:at]
		case 3:
			n := min(rng.IntN(64), len(data)-at)
			data = append(data[:at:at], data[at+n:]...)
		default:
			n := min(rng.IntN(64), len(data)-at)
			data = append(data[:at+n:at+n], data[at:]...)
		}
	}
	return data
}

// damaged lets mpivet read a damaged file. mpivet must report the damage in one line, or read the file as far as
// possible.
func (t *try) damaged(what string) error {
	good, err := t.goodFiles()
	if err != nil {
		return err
	}
	path := filepath.Join(t.dir, "damaged")
	args := []string{"replay", "--quiet", path}
	switch what {
	case "record":
		err = os.WriteFile(path, mutate(t.rng, good.record), 0o600)
	case "records inside":
		var plain, packed []byte
		if plain, err = unpack(good.record); err == nil {
			if packed, err = pack(mutate(t.rng, plain)); err == nil {
				err = os.WriteFile(path, packed, 0o600)
			}
		}
	default:
		flag := map[string]string{"config": "--config", "baseline": "--baseline", "suppressions": "--suppress"}[what]
		data := map[string][]byte{
			"config": good.config, "baseline": good.report,
			"suppressions": good.suppressions,
		}[what]
		whole := filepath.Join(t.dir, "record")
		err = errors.Join(os.WriteFile(path, mutate(t.rng, data), 0o600), os.WriteFile(whole, good.record, 0o600))
		args = []string{"replay", "--quiet", flag, path, whole}
	}
	if err != nil {
		return err
	}
	if err := t.start(append([]string{t.mpivet}, args...)...); err != nil {
		return err
	}
	o, err := t.end(20 * time.Second)
	if err = errors.Join(err, o.crash()); err != nil {
		return fmt.Errorf("%w; standard error %q", err, tail(o.stderr))
	}
	switch o.status {
	case 0, 3:
	case 1, 2:
		if n := strings.Count(o.stderr, "\n"); n != 1 {
			return fmt.Errorf("%d lines: %q", n, tail(o.stderr))
		}
	default:
		return fmt.Errorf("exit status %d: %q", o.status, tail(o.stderr))
	}
	return nil
}

// good are undamaged files.
type good struct {
	record, report, suppressions, config []byte
}

// goodFiles makes the undamaged files, once for each MPI.
func (t *try) goodFiles() (*good, error) {
	if t.rig.good != nil {
		return t.rig.good, nil
	}
	g := &good{config: []byte("limit: 3\nfail-on: warning\ncheck:\n  - LOCAL:*=off\n  - GLOBAL:MSG:*=warning\n" +
		"max-errors: 7\ncolor: never\n")}
	at := func(name string) string { return filepath.Join(t.dir, name) }
	cmd := exec.Command(t.mpivet, "run", "-n", "2", "--quiet", "--record", at("r"), "--json", at("j"),
		"--write-suppressions", at("s"), "--", t.program, "20")
	cmd.Env = t.env
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	for name, to := range map[string]*[]byte{"r": &g.record, "j": &g.report, "s": &g.suppressions} {
		b, err := os.ReadFile(at(name))
		if err != nil {
			return nil, err
		}
		*to = b
	}
	t.rig.good = g
	return g, nil
}

func unpack(data []byte) ([]byte, error) {
	r, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.DecodeAll(data, nil)
}

func pack(data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(data, nil), nil
}

// foreign runs the program after another user has taken file names that mpivet might use.
func (t *try) foreign(under string) error {
	const ranks = 2
	names := []string{"mpivet", "mpivet-" + strconv.Itoa(os.Getuid()), "mpivet-" + strconv.Itoa(os.Getuid()) + ".1"}
	for _, name := range names {
		path := filepath.Join(t.dir, name)
		var err error
		switch t.rng.IntN(5) {
		case 0:
			err = os.Mkdir(path, 0o777)
			if os.Getuid() == 0 {
				err = errors.Join(err, os.Chown(path, nobody, nobody))
			} else {
				err = errors.Join(err, os.Chmod(path, 0o777))
			}
		case 1:
			err = os.Symlink("/etc", path)
		case 2:
			err = os.WriteFile(path, []byte("x"), 0o666)
		case 3:
			err = exec.Command("mkfifo", path).Run()
		}
		if err != nil {
			return err
		}
	}
	if err := t.start(t.watched(under, ranks, 100)...); err != nil {
		return err
	}
	o, err := t.end(40 * time.Second)
	return errors.Join(err, o.crash(), o.undisturbed(ranks), o.found(mistake))
}
