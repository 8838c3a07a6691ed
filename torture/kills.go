package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// kills returns the scenarios in which a process is killed, or stopped for a while, at a random moment.
func kills() (list []scenario) {
	for _, under := range []string{"run", "exec"} {
		roles := []string{analyzer, rank, launcher, proxy}
		if under == "exec" {
			roles = []string{starter, analyzer, rank, launcher, proxy}
		}
		for _, role := range roles {
			for _, when := range []string{"start", "work"} {
				list = append(list, scenario{
					name: fmt.Sprintf("kill %s %s %s", under, role, when),
					try:  func(t *try) error { return t.kill(under, role, when) },
				})
			}
		}
		for _, role := range []string{analyzer, entrance, rank, launcher, proxy} {
			list = append(list, scenario{
				name: fmt.Sprintf("stop %s %s", under, role),
				try:  func(t *try) error { return t.pause(under, role) },
			})
		}
	}
	return list
}

// kill starts the program, and kills a process soon after its start or while the program works. It checks the
// consequences.
func (t *try) kill(under, role, when string) error {
	const ranks = 3
	if err := t.start(t.watched(under, ranks, 300)...); err != nil {
		return err
	}
	delay := t.between(0, 20*time.Millisecond)
	if when == "work" {
		t.find(rank) // on a busy machine, a rank may start late
		delay = t.between(50*time.Millisecond, 300*time.Millisecond)
		if role == proxy {
			t.awaitWork()
			delay = t.between(0, 200*time.Millisecond) // before MPI_Finalize
		}
	}
	pid := t.find(role)
	time.Sleep(delay)
	t.processes() // remember the processes, for the check of remaining files
	if pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if role == proxy && when == "start" {
		t.release(10 * time.Second)
	}
	o, err := t.end(40 * time.Second)
	if err != nil {
		return fmt.Errorf("%w; standard error %q", err, tail(o.stderr))
	}
	err = o.crash()
	switch role {
	case analyzer, starter:
		// The program must continue. But mpivet run may have been killed before it started the launcher.
		if under == "exec" || when == "work" {
			err = errors.Join(err, o.undisturbed(ranks))
		}
		if n := strings.Count(o.stderr, "unwatched"); n > 1 && under == "exec" {
			err = errors.Join(err, fmt.Errorf("it is said %d times that the program runs unwatched", n))
		}
		if o.status == 0 && !strings.Contains(o.stdout, "rank ") {
			err = errors.Join(err, errors.New("ended with 0, and has done nothing"))
		}
	default:
		victim := 0
		if role == rank {
			victim = pid
		}
		err = errors.Join(err, t.bereft(o, ranks, victim, when))
	}
	return errors.Join(err, t.cleared())
}

// bereft checks the end of a run that may have lost a rank or its launcher. victim is the process ID of the killed
// rank, 0 if no rank was killed.
func (t *try) bereft(o *outcome, ranks, victim int, when string) error {
	if o.report == nil {
		if o.undisturbed(ranks) == nil && o.status == 0 {
			return errors.New("no report")
		}
		if o.stderr == "" && when == "work" {
			return errors.New("nothing is said about the end")
		}
		return nil // it ended before mpivet could watch anything
	}
	for _, f := range o.report.Findings {
		switch f.Check {
		case mistake:
		case "LOCAL:EXIT:SIGNAL":
			// The launcher ends the other ranks. It may crash itself, after the rank was killed.
			if victim == 0 || !strings.Contains(f.Message, fmt.Sprintf("(process %d)", victim)) {
				return fmt.Errorf("found %s: %s; process %d was killed; of the launcher it is said %q", f.Check,
					f.Message,
					victim, o.report.Run.Launcher)
			}
		default:
			return fmt.Errorf("found %s: %s; standard error %q", f.Check, f.Message, tail(o.stderr))
		}
	}
	return nil
}

// awaitWork waits until all ranks have left MPI_Init.
func (t *try) awaitWork() {
	for end := time.Now().Add(5 * time.Second); !t.over() && time.Now().Before(end); {
		if out, _ := os.ReadFile(filepath.Join(t.dir, "stdout")); strings.Contains(string(out), "working\n") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// release kills the ranks that still run after a time. When the launcher's process that serves them is killed, ranks of
// MPICH that are in MPI_Init may wait there forever, also without mpivet.
func (t *try) release(after time.Duration) {
	for end := time.Now().Add(after); !t.over() && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	for _, p := range t.processes() {
		if p.role == rank {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
}

// pause stops a process for a while. This must not change the findings.
func (t *try) pause(under, role string) error {
	const ranks = 3
	if err := t.start(t.watched(under, ranks, 300)...); err != nil {
		return err
	}
	for range 3 {
		pid := t.find(role)
		time.Sleep(t.between(0, 60*time.Millisecond))
		if pid != 0 && syscall.Kill(pid, syscall.SIGSTOP) == nil {
			time.Sleep(t.between(0, 300*time.Millisecond))
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	o, err := t.end(40 * time.Second)
	if err != nil {
		return fmt.Errorf("%w; standard error %q", err, tail(o.stderr))
	}
	return errors.Join(o.crash(), o.undisturbed(ranks), o.found(mistake), t.cleared())
}
