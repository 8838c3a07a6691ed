// Command bench measures the cost of mpivet. It runs programs in four variants: plain, with a library that only passes
// every MPI call on, and under mpivet with and without call stacks. The variants take turns. The medians are compared
// with the budget. It also measures the analyzer itself. The result is a table in Markdown on standard output.
//
// Run it with "make bench", on an otherwise idle machine.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/preload"
)

var (
	runs = flag.Int("runs", 5,
		"runs of each kind, twice as many of short ones that have a budget; the median counts")
	quick   = flag.Bool("quick", false, "3 runs of the most important programs only, in less than 2 minutes")
	seconds = flag.Float64("seconds", 0.8, "`time` that a run of own programs takes")
	tables  = flag.Bool("tables", false, "measure only the collectives that a paper has tables of")
	configs = flag.Bool("configurations", false,
		"measure only how much is saved by checking less, for messages of several sizes")
	only   = flag.String("only", "", "measure only work whose name matches this `regexp`")
	mpivet = flag.String("mpivet", "bin/mpivet", "`file` to measure")
)

// variant is a way to run a program.
type variant struct {
	name    string
	command func(b *bench, np int, program []string) []string
}

var variants = []variant{
	{"plain", func(b *bench, np int, program []string) []string {
		return append([]string{b.mpi.Mpirun, "-n", strconv.Itoa(np)}, program...)
	}},
	{"pass-through", func(b *bench, np int, program []string) []string {
		return append([]string{b.mpi.Mpirun, "-n", strconv.Itoa(np), "env", "LD_PRELOAD=" + b.passthrough}, program...)
	}},
	{"mpivet", func(b *bench, np int, program []string) []string {
		return append([]string{b.mpivet, "run", "--fail-on", "never", "-n", strconv.Itoa(np), "--"}, program...)
	}},
	{"stacks off", func(b *bench, np int, program []string) []string {
		command := []string{b.mpivet, "run", "-n", strconv.Itoa(np), "--stacks", "off", "--fail-on", "never", "--"}
		return append(command, program...)
	}},
}

// work is a program with arguments.
type work struct {
	name    string
	np      int
	program []string // the first is a source file in bench/programs, or an installed program
	flags   []string // flags for mpivet
	budget  float64  // greatest allowed ratio of mpivet to plain, 0 if there is none
	// calls is the number of calls for each object that is made and freed. Then the budget is twice the plain time,
	// and objectCall for each call.
	calls int
	quick bool
	wall  bool   // the time of the whole run counts, not the time that the program prints
	mpi   string // only with this MPI
}

// objectCall is how long the analysis of a call that makes, uses or frees an object may take, in seconds.
const objectCall = 300e-9

var works = []work{
	{name: "ping-pong 8 B", np: 2, program: []string{"pingpong", "8"}, budget: 1.6, quick: true},
	{name: "ping-pong 1 KiB", np: 2, program: []string{"pingpong", "1024"}},
	{name: "ping-pong 64 KiB", np: 2, program: []string{"pingpong", "65536"}},
	{name: "ping-pong 4 MiB", np: 2, program: []string{"pingpong", "4194304"}, budget: 1.5, quick: true},
	{name: "ping-pong 8 B, checksums", np: 2, program: []string{"pingpong", "8"}, flags: []string{"--checksums"}},
	{
		name: "ping-pong 4 MiB, checksums", np: 2, program: []string{"pingpong", "4194304"}, budget: 1.5, quick: true,
		flags: []string{"--checksums"},
	},
	{name: "halo exchange 8 B", np: 2, program: []string{"halo", "8"}, quick: true},
	{name: "halo exchange 8 KiB", np: 2, program: []string{"halo", "8192"}},
	{name: "Sendrecv with both neighbours 8 B, 2 ranks", np: 2, program: []string{"patterns", "sendrecv", "8"}},
	{name: "Sendrecv with both neighbours 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "sendrecv", "4096"}},
	{name: "persistent halo exchange 8 B, 2 ranks", np: 2, program: []string{"patterns", "persistent", "8"}},
	{name: "persistent halo exchange 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "persistent", "4096"}},
	{name: "halo exchange, Testall loop 8 B, 2 ranks", np: 2, program: []string{"patterns", "testloop", "8"}},
	{name: "halo exchange, Testall loop 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "testloop", "4096"}},
	{name: "Bcast 8 B, 2 ranks", np: 2, program: []string{"patterns", "bcast", "8"}},
	{name: "Bcast 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "bcast", "4096"}},
	{name: "Allgatherv 8 B, 2 ranks", np: 2, program: []string{"patterns", "allgatherv", "8"}},
	{name: "Allgatherv 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "allgatherv", "4096"}},
	{name: "Gatherv 8 B, 2 ranks", np: 2, program: []string{"patterns", "gatherv", "8"}},
	{name: "Gatherv 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "gatherv", "4096"}},
	{name: "Scatterv 8 B, 2 ranks", np: 2, program: []string{"patterns", "scatterv", "8"}},
	{name: "Scatterv 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "scatterv", "4096"}},
	{name: "Reduce_scatter 8 B, 2 ranks", np: 2, program: []string{"patterns", "reduce_scatter", "8"}},
	{name: "Reduce_scatter 4 KiB, 2 ranks", np: 2, program: []string{"patterns", "reduce_scatter", "4096"}},
	{name: "Barrier, 2 ranks", np: 2, program: []string{"patterns", "barrier", "8"}},
	{name: "Allreduce 8 B, 2 ranks", np: 2, program: []string{"collective", "allreduce"}},
	{name: "Allreduce 8 B, 4 ranks", np: 4, program: []string{"collective", "allreduce"}, budget: 1.6, quick: true},
	{name: "Bcast 8 B, 4 ranks", np: 4, program: []string{"collective", "bcast"}, budget: 1.6},
	{name: "datatype: make, commit, free", np: 1, program: []string{"objects", "datatype"}, calls: 3, quick: true},
	{name: "communicator: duplicate, free", np: 1, program: []string{"objects", "communicator"}, calls: 2},
	{name: "group: make two, free two", np: 1, program: []string{"objects", "group"}, calls: 4},
	{name: "operation: make, free", np: 1, program: []string{"objects", "operation"}, calls: 2},
	{name: "info: make, set, free", np: 1, program: []string{"objects", "info"}, calls: 3},
	{name: "error handler: make, free", np: 1, program: []string{"objects", "errhandler"}, calls: 2},
	{name: "attribute key: make, free", np: 1, program: []string{"objects", "keyval"}, calls: 2},
	{name: "persistent request: make, start, wait, free", np: 1, program: []string{"objects", "request"}, calls: 4},
	{
		name: "hpcc, 4 ranks, whole run", np: 4, program: []string{"hpcc"}, budget: 1.15, quick: true, wall: true,
		mpi: "openmpi",
	},
}

// bench measures with one MPI.
type bench struct {
	mpi         mpirun.MPI
	title       string // "MPICH 4.0.2"
	mpivet      string
	passthrough string
	dir         string
	programs    map[string]string
}

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	if *quick {
		*runs, *seconds = 3, 0.4
	}
	filter, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(*mpivet)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%w: run make build first", err)
	}
	dir, err := os.MkdirTemp("/var/tmp", "mpivet-bench-") // the nodes of onNodes see it, and not /tmp
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mpis := mpirun.Installed()
	if len(mpis) == 0 {
		return errors.New("neither MPICH nor Open MPI is installed")
	}
	var benches []*bench
	for _, m := range mpis {
		b, err := prepare(m, path, dir)
		if err != nil {
			return err
		}
		benches = append(benches, b)
	}

	fmt.Printf("%s, %d CPUs, %s; medians of %d runs\n\n", cpu(), runtime.NumCPU(), runtime.Version(), *runs)
	switch {
	case *tables:
		return collectiveTables(benches)
	case *configs:
		return configurationTable(benches)
	}
	fmt.Println("| work | MPI | plain | pass-through | mpivet | stacks off | budget | |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, w := range works {
		if *quick && !w.quick || !filter.MatchString(w.name) {
			continue
		}
		for _, b := range benches {
			if w.mpi != "" && w.mpi != b.mpi.Name {
				continue
			}
			if err := b.measure(w); err != nil {
				return fmt.Errorf("%s, %s: %w", w.name, b.title, err)
			}
		}
	}
	fmt.Println("\nTimes are of the plain run; the other columns are multiples of it.")
	if filter.MatchString("nodes") {
		if err := onNodes(benches); err != nil {
			return err
		}
	}
	if filter.MatchString("analyzer") {
		return analyzer(benches)
	}
	return nil
}

func cpu() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(data); m != nil {
			return string(m[1])
		}
	}
	return runtime.GOARCH
}

// prepare compiles the programs and the pass-through library for an MPI.
func prepare(m mpirun.MPI, mpivet, top string) (*bench, error) {
	b := &bench{mpi: m, mpivet: mpivet, dir: filepath.Join(top, m.Name), programs: map[string]string{}}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{
		"pingpong", "halo", "collective", "tables", "sizes", "objects", "patterns", "traffic", "deadlock", "start",
	} {
		out := filepath.Join(b.dir, name)
		text, err := exec.Command(m.CC, "-O2", "-g", "-Wno-stringop-overflow", "-o", out,
			filepath.Join("bench", "programs", name+".c")).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, text)
		}
		b.programs[name] = out
	}
	prog, err := launch.Detect([]string{b.programs["pingpong"]}, "")
	if err != nil {
		return nil, err
	}
	b.title = prog.MPI.String()
	builder := &launch.Builder{Dir: b.dir, Write: preload.WritePassthrough, Flags: preload.CompileFlags()}
	if b.passthrough, err = builder.Library(prog.MPI); err != nil {
		return nil, err
	}
	// mpivet compiles its preload library at the first run. This must not be measured.
	if _, _, err := b.run(variants[2], 2, []string{b.programs["traffic"], "100"}); err != nil {
		return nil, err
	}
	return b, nil
}

// with returns the variant with flags for mpivet, if it uses mpivet.
func (v variant) with(flags []string) variant {
	return variant{v.name, func(b *bench, np int, program []string) []string {
		command := v.command(b, np, program)
		if command[0] != b.mpivet {
			return command
		}
		return slices.Insert(command, 2, flags...) // after "run"
	}}
}

// run runs a program once and returns its output and its time.
func (b *bench) run(v variant, np int, program []string) (string, time.Duration, error) {
	dir := b.dir
	if program[0] == "hpcc" {
		dir = filepath.Join(b.dir, "hpcc")
		err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755), mpirun.HPCCInput(dir, 1000, 2, 2))
		if err != nil {
			return "", 0, err
		}
	}
	command := v.command(b, np, program)
	r, err := mpirun.Run(command, mpirun.Environment(), dir, 3*time.Minute)
	if err != nil {
		return "", 0, err
	}
	if r.Status != 0 || r.TimedOut {
		return "", 0, fmt.Errorf("%s: exit status %d after %v\n%s", strings.Join(command, " "), r.Status, r.Took,
			r.Stderr)
	}
	return r.Stdout, r.Took, nil
}

// measure runs a work in all variants in turns, and prints its line.
func (b *bench) measure(w work) error {
	program := slices.Clone(w.program)
	if p, ok := b.programs[program[0]]; ok {
		program[0] = p
	}
	if !w.wall {
		program = append(program, strconv.FormatFloat(*seconds, 'g', -1, 64))
	}
	n := *runs
	if w.budget > 0 && !w.wall {
		n *= 2 // on a shared machine, the time of a short run may be twice as long
	}
	times := make([][]float64, len(variants))
	for i := range n {
		for k := range variants {
			k = (k + i) % len(variants)
			out, took, err := b.run(variants[k].with(w.flags), w.np, program)
			if err != nil {
				return err
			}
			value := took.Seconds()
			if !w.wall {
				if value, err = strconv.ParseFloat(strings.TrimSpace(out), 64); err != nil {
					return fmt.Errorf("%s printed %q", w.program[0], out)
				}
			}
			times[k] = append(times[k], value)
		}
	}
	plain := median(times[0])
	budget, met := "", ""
	limit := w.budget
	if w.calls > 0 {
		limit = 2 + float64(w.calls)*objectCall/plain
	}
	if limit > 0 {
		budget, met = fmt.Sprintf("%.2f", limit), atMost(median(times[2])/plain, limit)
	}
	fmt.Printf("| %s | %s | %s | %.2f | %.2f | %.2f | %s | %s |\n", w.name, b.title, duration(plain),
		median(times[1])/plain, median(times[2])/plain, median(times[3])/plain, budget, met)
	return nil
}

// atMost is the verdict on a value that has an upper limit.
func atMost(value, limit float64) string {
	if value > limit {
		return "**over**"
	}
	return "met"
}

// atLeast is the verdict on a value that has a lower limit.
func atLeast(value, limit float64) string {
	if value < limit {
		return "**under**"
	}
	return "met"
}

func median(list []float64) float64 {
	list = slices.Clone(list)
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

func duration(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g µs", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.2f s", seconds)
}

// analyzer measures the mpivet process.
func analyzer(benches []*bench) error {
	b := benches[0]
	fmt.Printf("\nThe analyzer, with %s:\n\n| what | measured | budget | |\n| --- | ---: | ---: | --- |\n", b.title)

	// Memory and time: the same traffic with different numbers of calls.
	iterations := []int{1_000_000, 10_000_000, 100_000_000}
	if *quick {
		iterations = []int{1_000_000, 10_000_000}
	}
	var peaks []float64
	var last usage
	for _, calls := range iterations {
		u, err := b.watch([]string{b.programs["traffic"], strconv.Itoa(calls)})
		if err != nil {
			return err
		}
		peaks = append(peaks, u.peakMiB)
		fmt.Printf("| peak memory over %.0f million calls | %.0f MiB | | |\n", float64(u.calls)/1e6, u.peakMiB)
		last = u
	}
	growth := peaks[len(peaks)-1] - peaks[0]
	fmt.Printf("| growth between them | %.0f MiB | flat | %s |\n", growth, atMost(growth, 16))
	fmt.Printf("| CPU time per call, live, waiting for records included | %.0f ns | | |\n",
		last.cpu.Seconds()*1e9/float64(last.calls))

	// Analysis alone, from a record file: the throughput of one core.
	rate, err := b.replay()
	if err != nil {
		return err
	}
	fmt.Printf("| call records per second and core, from a record file (decompression included) | %.1f million | | |\n",
		rate/1e6)
	if rate, err = pipeline(); err != nil {
		return err
	}
	fmt.Printf("| call records per second and core, blocking ping-pong, analysis proper "+
		"| %.1f million | 10 million | %s |\n", rate/1e6, atLeast(rate, 10e6))
	if err := manyProcesses(); err != nil {
		return err
	}

	for _, b := range benches {
		var delays []float64
		for range *runs {
			cmd := exec.Command(b.mpivet, "run", "-n", "2", "--", b.programs["deadlock"])
			cmd.Env = mpirun.Environment()
			d, _, err := deadlock(cmd, nil)
			if err != nil {
				return err
			}
			delays = append(delays, d.Seconds())
		}
		slowest := slices.Max(delays)
		fmt.Printf("| a deadlock is reported after (slowest of %d, %s) | %s | 1 s | %s |\n", *runs, b.title,
			duration(slowest), atMost(slowest, 1))
	}
	return nil
}

// usage is the resource usage of an mpivet process.
type usage struct {
	calls   uint64
	peakMiB float64
	cpu     time.Duration
}

// watch runs a program under mpivet and measures the mpivet process.
func (b *bench) watch(program []string) (usage, error) {
	report := filepath.Join(b.dir, "report.json")
	cmd := exec.Command(b.mpivet, append([]string{"run", "-n", "2", "--json", report, "--"}, program...)...)
	cmd.Env = mpirun.Environment()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	var u usage
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				return usage{}, fmt.Errorf("%w\n%s", err, stderr.Bytes())
			}
			running = false
		case <-tick.C:
			// Keep the last values before the end. They are close enough to the values at the end.
			if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)); err == nil {
				if m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status); m != nil {
					kib, _ := strconv.ParseFloat(string(m[1]), 64)
					u.peakMiB = kib / 1024
				}
			}
			if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)); err == nil {
				_, rest, _ := bytes.Cut(stat, []byte(") "))
				if f := strings.Fields(string(rest)); len(f) > 12 {
					user, _ := strconv.Atoi(f[11])
					system, _ := strconv.Atoi(f[12])
					u.cpu = time.Duration(user+system) * 10 * time.Millisecond
				}
			}
		}
	}
	r, err := readReport(report)
	if err != nil {
		return usage{}, err
	}
	u.calls = r.Run.Calls
	return u, nil
}

func readReport(path string) (*mpirun.Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return mpirun.ReadReport(data)
}

// replay records a ping-pong and analyses the file. It returns the number of call records per second of processor time.
func (b *bench) replay() (float64, error) {
	file, report := filepath.Join(b.dir, "records"), filepath.Join(b.dir, "replay.json")
	record := exec.Command(b.mpivet, "run", "-n", "2", "--record", file, "--", b.programs["traffic"], "8000000")
	record.Env = mpirun.Environment()
	if out, err := record.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("recording: %w\n%s", err, out)
	}
	defer os.Remove(file)
	var rates []float64
	for range *runs {
		cmd := exec.Command(b.mpivet, "replay", "--json", report, file)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("replaying: %w\n%s", err, out)
		}
		r, err := readReport(report)
		if err != nil {
			return 0, err
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		rates = append(rates, float64(r.Run.Calls)/used.Seconds())
	}
	return median(rates), nil
}

// pipeline runs the benchmark of the analysis alone, without reading rings, and returns its records per second.
func pipeline() (float64, error) {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkPingPong$", "-cpu", "1",
		"-count", strconv.Itoa(*runs), "./internal/pipeline")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	var rates []float64
	for _, m := range regexp.MustCompile(`([\d.]+) ns/op`).FindAllSubmatch(out, -1) {
		ns, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return 0, err
		}
		rates = append(rates, 1e9/ns)
	}
	if len(rates) == 0 {
		return 0, fmt.Errorf("no result:\n%s", out)
	}
	return median(rates), nil
}

// manyProcesses measures the analysis alone, with 65,536 simulated processes that call MPI_Allreduce 1,000 times, or
// 100 times with -quick.
func manyProcesses() error {
	batches := "40x"
	if *quick {
		batches = "4x"
	}
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkScale$/^Allreduce$/^65536x25$", "-cpu", "1",
		"-benchtime", batches, "./internal/pipeline")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	value := func(unit string) float64 {
		if m := regexp.MustCompile(`([\d.]+) ` + unit + `\s`).FindSubmatch(out); m != nil {
			v, _ := strconv.ParseFloat(string(m[1]), 64)
			return v
		}
		return 0
	}
	rate, peak := value("calls/s"), value("MiB-peak")
	if rate == 0 || peak == 0 {
		return fmt.Errorf("no result:\n%s", out)
	}
	fmt.Printf("| calls per second and core, MPI_Allreduce of 65,536 processes, analysis proper "+
		"| %.1f million | 5 million | %s |\n", rate/1e6, atLeast(rate, 5e6))
	fmt.Printf("| peak memory for 65,536 processes | %.0f MiB | 4096 MiB | %s |\n", peak, atMost(peak, 4096))
	return nil
}

// deadlock runs a command of two ranks that block each other. It returns the times from the moment when they block
// until mpivet reports it, and until none of the ranks runs any more (nil: it is not measured).
func deadlock(cmd *exec.Cmd, runs func() bool) (told, ended time.Duration, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	kill := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	var blocked, reported time.Time
	var wg sync.WaitGroup
	wg.Go(func() {
		for s := bufio.NewScanner(stdout); s.Scan(); {
			if strings.Contains(s.Text(), "blocking") {
				blocked = time.Now()
			}
		}
	})
	var gone time.Time
	wg.Go(func() {
		for s := bufio.NewScanner(stderr); s.Scan(); {
			if reported.IsZero() && strings.Contains(s.Text(), "GLOBAL:DEADLOCK:HARD") {
				reported = time.Now()
				for runs != nil && runs() {
					time.Sleep(10 * time.Millisecond)
				}
				gone = time.Now()
			}
		}
	})
	wg.Wait()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return 0, 0, err
	}
	if blocked.IsZero() || reported.IsZero() {
		return 0, 0, fmt.Errorf("%s: the deadlock was not reported", strings.Join(cmd.Args, " "))
	}
	return reported.Sub(blocked), gone.Sub(blocked), nil
}
