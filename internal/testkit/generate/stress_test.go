package generate

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// Amounts of work: little in "make test", more in "make stress".
var (
	from     = flag.Uint64("from", 1, "first seed of the programs")
	streams  = flag.Int("streams", 2000, "correct programs to run as streams of records")
	planted  = flag.Int("planted", 8, "programs to plant each kind of bug in, run as streams of records")
	programs = flag.Int("programs", 2, "correct programs to compile and run with every MPI")
	broken   = flag.Int("broken", 2, "programs with a bug to compile and run with every MPI")
	stress   = flag.String("stress", "",
		"sets all of these: a number of streams and what goes with it, or for how long to run")
	keep = flag.String("keep", "", "a directory to leave the C programs in")
	long time.Duration // how long each test runs; 0: the numbers decide
)

func TestMain(m *testing.M) {
	flag.Parse()
	if n, err := strconv.Atoi(*stress); err == nil {
		*streams, *planted, *programs, *broken = n, n/50, n/1000, n/1000
	} else if long, err = time.ParseDuration(*stress); *stress != "" && err != nil {
		fmt.Fprintf(os.Stderr, "-stress: %q is neither a number nor a duration\n", *stress)
		os.Exit(2)
	}
	long /= 4 // there are four tests
	if *stress != "" {
		fmt.Printf("seeds from %d on\n", *from)
	}
	os.Exit(m.Run())
}

// budget is the remaining work of a test.
type budget struct {
	n     int
	start time.Time
}

func newBudget(n int) *budget { return &budget{n, time.Now()} }

// spend reports whether one more program may be run.
func (b *budget) spend() bool {
	b.n--
	if long > 0 {
		return time.Since(b.start) < long
	}
	return b.n >= 0
}

// again returns the command that repeats a failed run.
func again(test string, seed uint64, number string) string {
	return fmt.Sprintf("go test ./internal/generate -run '%s' -from %d -%s 1", test, seed, number)
}

// directory returns a directory for C programs.
func directory(t *testing.T) string {
	t.Helper()
	if *keep != "" {
		return *keep
	}
	return t.TempDir()
}
