package preload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

var le = binary.LittleEndian

// A session is a directory like the analyzer's. Its control file is locked, as if an analyzer lived.
type session struct {
	t       *testing.T
	dir     string
	control *os.File
}

type options struct {
	ring     uint64 // 0: 4 MiB
	noStacks bool
	fallback string
	dir      string
}

func newSession(t *testing.T, o options) *session {
	t.Helper()
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = os.TempDir()
	}
	dir := o.dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp(base, "mpivet-test"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
	}
	f, err := os.OpenFile(filepath.Join(dir, "control"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if o.ring == 0 {
		o.ring = 4 << 20
	}
	b := make([]byte, layout.SizeofControl)
	le.PutUint64(b[layout.ControlMagicAt:], layout.MagicControl)
	le.PutUint32(b[layout.ControlVersionAt:], layout.Version)
	le.PutUint32(b[layout.ControlHeaderSizeAt:], uint32(len(b)))
	le.PutUint64(b[layout.ControlTableHashAt:], mpiapi.Hash())
	le.PutUint64(b[layout.ControlRingSizeAt:], o.ring)
	if !o.noStacks {
		le.PutUint32(b[layout.ControlStacksAt:], 1)
	}
	copy(b[layout.ControlFallbackAt:], o.fallback)
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, dir: dir, control: f}
	t.Cleanup(s.die)
	return s
}

// die releases the lock, as the analyzer's death does.
func (s *session) die() { s.control.Close() }

func (s *session) controlWord(at int64) uint32 {
	var b [4]byte
	f, err := os.Open(filepath.Join(s.dir, "control"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.ReadAt(b[:], at); err != nil {
		s.t.Fatal(err)
	}
	return le.Uint32(b[:])
}

func (s *session) unrecorded() uint32 { return s.controlWord(layout.ControlUnrecordedAt) }
func (s *session) shrunk() uint32     { return s.controlWord(layout.ControlShrunkAt) }

// A result is the result of a program's run.
type result struct {
	stdout, stderr string
	state          syscall.WaitStatus
}

func (r result) String() string {
	if r.state.Signaled() {
		return r.state.Signal().String()
	}
	return fmt.Sprintf("exit status %d", r.state.ExitStatus())
}

// env returns the environment of a program that records into the session; nothing is set if the session is nil.
func (m *mpi) env(s *session) []string {
	env := slices.DeleteFunc(mpirun.FastStart(), func(v string) bool {
		return strings.HasPrefix(v, "LD_PRELOAD=") || strings.HasPrefix(v, "MPIVET_SESSION=")
	})
	if s != nil {
		env = append(env, "LD_PRELOAD="+m.library, "MPIVET_SESSION="+s.dir)
	}
	return env
}

// run runs a program to its end, recorded into the session if that is not nil.
func (m *mpi) run(t *testing.T, s *session, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = m.env(s)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 2 * time.Second // processes that the program left behind may hold the pipes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(3*time.Minute, func() { cmd.Process.Signal(syscall.SIGQUIT); cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.Sys().(syscall.WaitStatus)}
}

// ranks runs a program as n processes under the MPI's launcher.
func (m *mpi) ranks(t *testing.T, s *session, n int, program ...string) result {
	t.Helper()
	args := slices.Concat(m.mpiexec, []string{"-n", fmt.Sprint(n)}, program)
	return m.run(t, s, args...)
}

// program compiles a C program once.
func (m *mpi) program(t *testing.T, name, source string, flags ...string) string {
	t.Helper()
	out := filepath.Join(scratch, m.name, name)
	if _, err := os.Stat(out); err == nil {
		return out
	}
	if err := m.compile(out, source, flags...); err != nil {
		t.Fatal(err)
	}
	return out
}

// A process is a process's page.
type process struct {
	name string
	page []byte
}

func (p process) u32(at int) uint32 { return le.Uint32(p.page[at:]) }

func (p process) pid() int          { return int(p.u32(layout.ProcessPIDAt)) }
func (p process) rank() int         { return int(int32(p.u32(layout.ProcessRankAt))) }
func (p process) state() int        { return int(p.u32(layout.ProcessStateAt)) }
func (p process) code() int         { return int(int32(p.u32(layout.ProcessCodeAt))) }
func (p process) initialized() bool { return p.u32(layout.ProcessInitializedAt) == 1 }
func (p process) finalized() bool   { return p.u32(layout.ProcessFinalizedAt) == 1 }
func (p process) aborted() bool     { return p.u32(layout.ProcessAbortedAt) == 1 }
func (p process) inMPI() bool       { return p.u32(layout.ProcessInMPIAt) == 1 }
func (p process) exitKind() int     { return int(p.u32(layout.ProcessExitKindAt)) }
func (p process) fault() uint64     { return le.Uint64(p.page[layout.ProcessFaultAddrAt:]) }
func (p process) sender() int       { return int(p.u32(layout.ProcessSenderPIDAt)) }

func (p process) pcs() []uint64 {
	var pcs []uint64
	for i := range int(p.u32(layout.ProcessNPCsAt)) {
		pcs = append(pcs, le.Uint64(p.page[layout.ProcessPCsAt+8*i:]))
	}
	return pcs
}

func (p process) exe() string { return cString(p.page[layout.ProcessExeAt:layout.ProcessNMapsAt]) }

// mapOf returns the path of the mapping that contains an address.
func (p process) mapOf(pc uint64) string {
	for i := range int(p.u32(layout.ProcessNMapsAt)) {
		m := p.page[layout.ProcessMapsAt+layout.SizeofMap*i:]
		if pc >= le.Uint64(m) && pc < le.Uint64(m[layout.MapEndAt:]) {
			return cString(m[layout.MapPathAt:layout.SizeofMap])
		}
	}
	return ""
}

func cString(b []byte) string { s, _, _ := bytes.Cut(b, []byte{0}); return string(s) }

func (p process) String() string {
	return fmt.Sprintf("%s %s: state %d code %d kind %d, initialized %v finalized %v aborted %v in MPI %v, %d pcs",
		p.name, filepath.Base(p.exe()),
		p.state(), p.code(), p.exitKind(), p.initialized(), p.finalized(), p.aborted(), p.inMPI(), len(p.pcs()))
}

// processes returns the pages of the session's processes that run the given program, in the order of their start.
func (s *session) processes(program string) []process {
	files, err := filepath.Glob(filepath.Join(s.dir, "p*"))
	if err != nil {
		s.t.Fatal(err)
	}
	var list []process
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			s.t.Fatal(err)
		}
		if p := (process{filepath.Base(f), b}); program == "" || p.exe() == program {
			list = append(list, p)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		return le.Uint64(list[i].page[layout.ProcessStartTimeAt:]) < le.Uint64(list[j].page[layout.ProcessStartTimeAt:])
	})
	return list
}

// the returns the one process that ran the program.
func (s *session) the(program string) process {
	s.t.Helper()
	list := s.processes(program)
	if len(list) != 1 {
		s.t.Fatalf("%d processes of %s, want 1: %v", len(list), program, s.processes(""))
	}
	return list[0]
}

// A record is a copy of one in a ring.
type record struct {
	kind  int
	site  uint32
	rc    int32
	timed bool
	used  int
	b     []byte
}

// A ring is the contents of a ring that was never full.
type ring struct {
	header  []byte
	records []record
}

func (r ring) thread() int     { return int(le.Uint32(r.header[layout.RingThreadAt:])) }
func (r ring) size() uint64    { return le.Uint64(r.header[layout.RingSizeAt:]) }
func (r ring) done() uint64    { return le.Uint64(r.header[layout.RingDoneAt:]) }
func (r ring) queries() uint64 { return le.Uint64(r.header[layout.RingQueriesAt:]) }
func (r ring) stalls() uint64  { return le.Uint64(r.header[layout.RingStallsAt:]) }
func (r ring) begun() uint64   { return le.Uint64(r.header[layout.RingCallsAt:]) }
func (r ring) repeats() uint64 { return le.Uint64(r.header[layout.RingRepeatsAt:]) }

// rings returns the rings of a process by number.
func (s *session) rings(p process) []ring {
	s.t.Helper()
	var list []ring
	for i := 0; ; i++ {
		b, err := os.ReadFile(filepath.Join(s.dir, fmt.Sprintf("t%s.%d", p.name[1:], i)))
		if errors.Is(err, os.ErrNotExist) {
			return list
		}
		if err != nil {
			s.t.Fatal(err)
		}
		r := ring{header: b[:4096]}
		head, data := le.Uint64(b[layout.RingHeadAt:]), b[4096:]
		if head > r.size() {
			s.t.Fatalf("%s: the test needs a larger ring", p.name)
		}
		for at := uint64(0); at < head; {
			h, _ := layout.DecodeRecord(data[at:])
			n := uint64(h.Lines) * layout.Line
			if n == 0 || at+n > head {
				s.t.Fatalf("%s: a record of %d bytes at %d, head %d", p.name, n, at, head)
			}
			d := data[at : at+n]
			r.records = append(r.records, record{int(h.Kind), h.Site, h.RC, h.Flags&layout.Timed != 0, int(h.Used), d})
			at += n
		}
		list = append(list, r)
	}
}

func (r record) isCall() bool { return r.kind < layout.Info }

func (r record) fn() *mpiapi.Func { return mpiapi.ByID(mpiapi.FuncID(r.kind)) }

// name returns the name of the called function, or "" if the record is not a call.
func (r record) name() string {
	if f := r.fn(); r.isCall() && f != nil {
		return f.Name
	}
	return ""
}

func (r record) param(name string) (int, *mpiapi.Param) {
	f := r.fn()
	for i := range f.Params {
		if f.Params[i].Name == name {
			return i, &f.Params[i]
		}
	}
	panic(f.Name + " has no parameter " + name)
}

func (r record) at(off uint16, wide bool) int64 {
	if off == 0 {
		panic("no such slot")
	}
	if wide {
		return int64(le.Uint64(r.b[off:]))
	}
	return int64(int32(le.Uint32(r.b[off:])))
}

func (r record) value(name string) int64 {
	_, p := r.param(name)
	return r.at(p.Layout.At, p.Layout.Wide)
}

func (r record) before(name string) int64 {
	_, p := r.param(name)
	return r.at(p.Layout.Before, p.Layout.WideValue)
}

func (r record) after(name string) int64 {
	_, p := r.param(name)
	return r.at(p.Layout.After, p.Layout.WideValue)
}

// sections returns the bodies of a parameter's sections by kind, and their counts.
func (r record) sections(name string) (map[int][]byte, map[int]int) {
	i, _ := r.param(name)
	bodies, counts := map[int][]byte{}, map[int]int{}
	end := len(r.b)
	if r.timed {
		end -= 16
	}
	for at := (r.used + 7) &^ 7; at+8 <= end; {
		kind, param, n := int(le.Uint16(r.b[at:])), int(le.Uint16(r.b[at+2:])), int(le.Uint32(r.b[at+4:]))
		if kind == 0 {
			break
		}
		size := map[int]int{1: 4, 2: 8, 3: 4, 4: 8, 5: 24, 6: 1, 7: 0}[kind] * n
		if param == i {
			bodies[kind], counts[kind] = r.b[at+8:at+8+size], n
		}
		at += 8 + (size+7)&^7
	}
	return bodies, counts
}

// ints returns an array of a call.
func (r record) ints(name string, kind int) []int64 {
	bodies, counts := r.sections(name)
	b, n := bodies[kind], counts[kind]
	var list []int64
	for i := range n {
		if kind == mpiapi.SectionIn32 || kind == mpiapi.SectionOut32 {
			list = append(list, int64(int32(le.Uint32(b[4*i:]))))
		} else {
			list = append(list, int64(le.Uint64(b[8*i:])))
		}
	}
	return list
}

type status struct {
	source, tag, err, cancelled int32
	bytes                       int64
}

func (r record) statuses(name string) []status {
	bodies, counts := r.sections(name)
	b := bodies[mpiapi.SectionStatus]
	var list []status
	for i := range counts[mpiapi.SectionStatus] {
		s := b[24*i:]
		list = append(list, status{
			int32(le.Uint32(s)), int32(le.Uint32(s[4:])), int32(le.Uint32(s[8:])),
			int32(le.Uint32(s[12:])), int64(le.Uint64(s[16:])),
		})
	}
	return list
}

// calls returns the calls of a ring.
func (r ring) calls() []record {
	var list []record
	for _, c := range r.records {
		if c.isCall() {
			list = append(list, c)
		}
	}
	return list
}

func (r ring) callNames() []string {
	var list []string
	for _, c := range r.calls() {
		list = append(list, c.name())
	}
	return list
}

// named returns the calls of one function.
func (r ring) named(name string) []record {
	return slices.DeleteFunc(r.calls(), func(c record) bool { return c.name() != name })
}

// call returns the only call of a function.
func (r ring) call(t *testing.T, name string) record {
	t.Helper()
	list := r.named(name)
	if len(list) != 1 {
		t.Fatalf("%d records of %s, want 1, in %v", len(list), name, r.callNames())
	}
	return list[0]
}

// infos returns the bodies of the records of a kind that is not a call.
func (r ring) infos(kind int) [][]byte {
	var list [][]byte
	for _, c := range r.records {
		if c.kind == kind {
			list = append(list, c.b[16:])
		}
	}
	return list
}

// names returns the predefined handles and constants.
func (r ring) names() (values map[string]int64, sizes map[string]int) {
	values, sizes = map[string]int64{}, map[string]int{}
	for _, b := range r.infos(layout.InfoNames) {
		for {
			n := int(b[1])
			name := string(b[16 : 16+n])
			values[name], sizes[name] = int64(le.Uint64(b[8:])), int(int32(le.Uint32(b[4:])))
			if le.Uint16(b[2:]) == 0 {
				break
			}
			b = b[16+(n+7)&^7:]
		}
	}
	return values, sizes
}

// stack returns the return addresses of a call site.
func (r ring) stack(site uint32) []uint64 {
	for _, c := range r.records {
		if c.kind == layout.InfoSite && c.site == site {
			var pcs []uint64
			for i := range int(le.Uint32(c.b[16:])) {
				pcs = append(pcs, le.Uint64(c.b[24+8*i:]))
			}
			return pcs
		}
	}
	return nil
}

// module returns the path of the module that an address lies in.
func (r ring) module(pc uint64) string {
	for _, b := range r.infos(layout.InfoModule) {
		if pc >= le.Uint64(b[8:]) && pc < le.Uint64(b[16:]) {
			id, n := int(le.Uint16(b[24:])), int(le.Uint16(b[26:]))
			return string(b[32+id : 32+id+n])
		}
	}
	return ""
}

// A mpiError is an MV_ERROR record.
type mpiError struct {
	class int
	fatal bool // the call will not return unless a handler does
	text  string
}

func (r ring) errors() []mpiError {
	var list []mpiError
	for _, b := range r.infos(layout.InfoError) {
		n := le.Uint32(b[8:])
		list = append(list, mpiError{
			int(int32(le.Uint32(b[4:]))),
			le.Uint32(b[12:])&(layout.ErrorFatal|layout.ErrorRaised) != 0, string(b[16 : 16+n]),
		})
	}
	return list
}

// drain empties the rings like the analyzer, until the returned function is called.
func (s *session) drain() (stop func()) {
	quit, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		maps := map[string][]byte{}
		for {
			files, _ := filepath.Glob(filepath.Join(s.dir, "t*"))
			for _, name := range files {
				if maps[name] != nil {
					continue
				}
				f, err := os.OpenFile(name, os.O_RDWR, 0)
				if err != nil {
					continue
				}
				b, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
				f.Close()
				if err == nil {
					maps[name] = b
				}
			}
			for _, b := range maps {
				le.PutUint64(b[layout.RingTailAt:], le.Uint64(b[layout.RingHeadAt:]))
			}
			select {
			case <-quit:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() { close(quit); <-finished }
}
