// Command torture tests the robustness of mpivet: it kills and stops each kind of process at random moments, sets small
// limits, fills disks, damages files, and takes file names that other users can predict. Each try checks whether a
// guarantee of docs/robustness.md holds. The result is a table in Markdown on standard output, and a line for each
// failed try, with the flags to repeat it.
//
// Run it with "make torture". The tests run a sample of it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// scenario is a kind of disturbance. try returns an error if a guarantee does not hold.
type scenario struct {
	name string
	once bool // it has nothing random
	try  func(t *try) error
}

// all returns all scenarios.
func all() []scenario { return slices.Concat(kills(), limits(), files()) }

func main() {
	n := flag.Int("n", 10, "tries of each scenario with each MPI")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the first try; each later one has the next number")
	only := flag.String("only", "", "only scenarios whose name matches this `regexp`")
	command := flag.String("mpivet", "bin/mpivet", "`file` to torture")
	name := flag.String("mpi", "", "only this MPI: mpich or openmpi")
	keep := flag.Bool("keep", false, "keep the directories of tries that fell")
	flag.Parse()
	if err := torture(*command, *name, regexp.MustCompile(*only), *n, *seed, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// torture tries all scenarios and prints the table. The error has the number of failed tries.
func torture(command, name string, only *regexp.Regexp, n int, seed uint64, keep bool) error {
	mpivet, err := filepath.Abs(command)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "torture-")
	if err != nil {
		return err
	}
	defer func() {
		paths, _ := filepath.Glob(filepath.Join(dir, "cache-*"))
		for _, path := range paths {
			_ = os.RemoveAll(path)
		}
		_ = os.Remove(dir)
	}()
	fmt.Printf("seed %d\n\n| what | MPI | tried | held | fell |\n|---|---|---|---|---|\n", seed)
	var fallen []string
	for _, m := range mpirun.Installed() {
		if name != "" && m.Name != name {
			continue
		}
		rig, err := newRig(mpivet, m, dir)
		if err != nil {
			return err
		}
		for _, s := range all() {
			if !only.MatchString(s.name) {
				continue
			}
			tried, fell := 0, 0
			for i := range n {
				if s.once && i > 0 {
					break
				}
				tried++
				if err := rig.do(s, seed+uint64(i), keep); err != nil {
					fell++
					fallen = append(fallen, fmt.Sprintf("-seed %d -n 1 -mpi %s -only '^%s$': %s",
						seed+uint64(i), m.Name, s.name, strings.ReplaceAll(err.Error(), "\n", "; ")))
				}
			}
			fmt.Printf("| %s | %s | %d | %d | %d |\n", s.name, m.Name, tried, tried-fell, fell)
		}
		_ = os.Remove(rig.program)
	}
	for _, f := range fallen {
		fmt.Println("\n" + f)
	}
	if len(fallen) > 0 {
		return fmt.Errorf("%d fell", len(fallen))
	}
	return nil
}

// do makes one try of a scenario.
func (r *rig) do(s scenario, seed uint64, keep bool) error {
	t, err := newTry(r, seed)
	if err != nil {
		return err
	}
	err = s.try(t)
	if err == nil || !keep {
		_ = os.RemoveAll(t.dir)
	}
	return err
}
