package ring

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// TestLayout compares this package's idea of the shared memory with what a C compiler makes of preload/record.h.
func TestLayout(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	var c mvControl
	var p mvProcess
	var m mvMap
	var r mvRing
	var l mvLayouts
	var slot mvLayoutSlot
	var f mvObjects
	var o mvObject
	var n mvCount
	checks := []struct {
		c    string
		goes uint64
	}{
		{"sizeof(struct mv_control)", uint64(unsafe.Sizeof(c))},
		{"offsetof(struct mv_control, version)", uint64(unsafe.Offsetof(c.version))},
		{"offsetof(struct mv_control, header_size)", uint64(unsafe.Offsetof(c.headerSize))},
		{"offsetof(struct mv_control, table_hash)", uint64(unsafe.Offsetof(c.tableHash))},
		{"offsetof(struct mv_control, ring_size)", uint64(unsafe.Offsetof(c.ringSize))},
		{"offsetof(struct mv_control, stacks)", uint64(unsafe.Offsetof(c.stacks))},
		{"offsetof(struct mv_control, stop)", uint64(unsafe.Offsetof(c.stop))},
		{"offsetof(struct mv_control, unrecorded)", uint64(unsafe.Offsetof(c.unrecorded))},
		{"offsetof(struct mv_control, shrunk)", uint64(unsafe.Offsetof(c.shrunk))},
		{"offsetof(struct mv_control, fallback)", uint64(unsafe.Offsetof(c.fallback))},
		{"offsetof(struct mv_control, strict)", uint64(unsafe.Offsetof(c.strict))},
		{"offsetof(struct mv_control, asked)", uint64(unsafe.Offsetof(c.asked))},
		{"offsetof(struct mv_control, asleep)", uint64(unsafe.Offsetof(c.asleep))},
		{"offsetof(struct mv_control, refusals)", uint64(unsafe.Offsetof(c.refusals))},
		{"offsetof(struct mv_control, sums)", uint64(unsafe.Offsetof(c.sums))},

		{"offsetof(struct mv_control, beat)", uint64(unsafe.Offsetof(c.beat))},
		{"offsetof(struct mv_control, sum_limit)", uint64(unsafe.Offsetof(c.sumLimit))},
		{"offsetof(struct mv_control, analyzer)", uint64(unsafe.Offsetof(c.analyzer))},
		{"offsetof(struct mv_control, namespace)", uint64(unsafe.Offsetof(c.namespace))},

		{"sizeof(struct mv_process)", uint64(unsafe.Sizeof(p))},
		{"offsetof(struct mv_process, pid)", uint64(unsafe.Offsetof(p.pid))},
		{"offsetof(struct mv_process, ppid)", uint64(unsafe.Offsetof(p.ppid))},
		{"offsetof(struct mv_process, rank)", uint64(unsafe.Offsetof(p.rank))},
		{"offsetof(struct mv_process, world_size)", uint64(unsafe.Offsetof(p.worldSize))},
		{"offsetof(struct mv_process, state)", uint64(unsafe.Offsetof(p.state))},
		{"offsetof(struct mv_process, code)", uint64(unsafe.Offsetof(p.code))},
		{"offsetof(struct mv_process, initialized)", uint64(unsafe.Offsetof(p.initialized))},
		{"offsetof(struct mv_process, finalized)", uint64(unsafe.Offsetof(p.finalized))},
		{"offsetof(struct mv_process, aborted)", uint64(unsafe.Offsetof(p.aborted))},
		{"offsetof(struct mv_process, in_mpi)", uint64(unsafe.Offsetof(p.inMPI))},
		{"offsetof(struct mv_process, exit_kind)", uint64(unsafe.Offsetof(p.exitKind))},
		{"offsetof(struct mv_process, end_tid)", uint64(unsafe.Offsetof(p.endTID))},
		{"offsetof(struct mv_process, end_time)", uint64(unsafe.Offsetof(p.endTime))},
		{"offsetof(struct mv_process, fault_addr)", uint64(unsafe.Offsetof(p.faultAddr))},
		{"offsetof(struct mv_process, sender_pid)", uint64(unsafe.Offsetof(p.senderPID))},
		{"offsetof(struct mv_process, npcs)", uint64(unsafe.Offsetof(p.npcs))},
		{"offsetof(struct mv_process, pcs)", uint64(unsafe.Offsetof(p.pcs))},
		{"offsetof(struct mv_process, start_time)", uint64(unsafe.Offsetof(p.startTime))},
		{"offsetof(struct mv_process, exe)", uint64(unsafe.Offsetof(p.exe))},
		{"offsetof(struct mv_process, nmaps)", uint64(unsafe.Offsetof(p.nmaps))},
		{"offsetof(struct mv_process, layouts)", uint64(unsafe.Offsetof(p.layouts))},
		{"offsetof(struct mv_process, leaving)", uint64(unsafe.Offsetof(p.leaving))},
		{"offsetof(struct mv_process, verdict)", uint64(unsafe.Offsetof(p.verdict))},
		{"offsetof(struct mv_process, maps)", uint64(unsafe.Offsetof(p.maps))},
		{"sizeof(((struct mv_process *)0)->maps[0])", uint64(unsafe.Sizeof(m))},
		{"sizeof(((struct mv_process *)0)->maps[0].path)", uint64(unsafe.Sizeof(m.path))},
		{"sizeof(((struct mv_process *)0)->maps)/sizeof(((struct mv_process *)0)->maps[0])", uint64(len(p.maps))},

		{"sizeof(struct mv_ring)", uint64(unsafe.Sizeof(r))},
		{"offsetof(struct mv_ring, size)", uint64(unsafe.Offsetof(r.size))},
		{"offsetof(struct mv_ring, late)", uint64(unsafe.Offsetof(r.late))},
		{"MV_LATE", Late},
		{"offsetof(struct mv_ring, pid)", uint64(unsafe.Offsetof(r.pid))},
		{"offsetof(struct mv_ring, tid)", uint64(unsafe.Offsetof(r.tid))},
		{"offsetof(struct mv_ring, thread)", uint64(unsafe.Offsetof(r.thread))},
		{"offsetof(struct mv_ring, main_thread)", uint64(unsafe.Offsetof(r.mainThread))},
		{"offsetof(struct mv_ring, process)", uint64(unsafe.Offsetof(r.process))},
		{"offsetof(struct mv_ring, head)", uint64(unsafe.Offsetof(r.head))},
		{"offsetof(struct mv_ring, done)", uint64(unsafe.Offsetof(r.done))},
		{"offsetof(struct mv_ring, queries)", uint64(unsafe.Offsetof(r.queries))},
		{"offsetof(struct mv_ring, stalls)", uint64(unsafe.Offsetof(r.stalls))},
		{"offsetof(struct mv_ring, stall_ns)", uint64(unsafe.Offsetof(r.stallNS))},
		{"offsetof(struct mv_ring, holding)", uint64(unsafe.Offsetof(r.holding))},
		{"offsetof(struct mv_ring, tail)", uint64(unsafe.Offsetof(r.tail))},
		{"offsetof(struct mv_ring, judged)", uint64(unsafe.Offsetof(r.judged))},
		{"offsetof(struct mv_ring, refused_on)", uint64(unsafe.Offsetof(r.refusedOn))},
		{"offsetof(struct mv_ring, refused)", uint64(unsafe.Offsetof(r.refused))},
		{"offsetof(struct mv_ring, why)", uint64(unsafe.Offsetof(r.why))},
		{"sizeof(((struct mv_ring *)0)->why)", uint64(len(r.why))},
		{"offsetof(struct mv_ring, call)", uint64(unsafe.Offsetof(r.call))},
		{"offsetof(struct mv_ring, calls)", uint64(unsafe.Offsetof(r.calls))},
		{"offsetof(struct mv_ring, since)", uint64(unsafe.Offsetof(r.since))},
		{"offsetof(struct mv_ring, seen_calls)", uint64(unsafe.Offsetof(r.seenCalls))},
		{"offsetof(struct mv_ring, seen_done)", uint64(unsafe.Offsetof(r.seenDone))},

		{"sizeof(struct mv_layouts)", uint64(unsafe.Sizeof(l))},
		{"offsetof(struct mv_layouts, size)", uint64(unsafe.Offsetof(l.size))},
		{"offsetof(struct mv_layouts, slot_bits)", uint64(unsafe.Offsetof(l.slotBits))},
		{"offsetof(struct mv_layouts, freed)", uint64(unsafe.Offsetof(l.freed))},
		{"sizeof(struct mv_layout_slot)", uint64(unsafe.Sizeof(slot))},
		{"offsetof(struct mv_layout_slot, at)", uint64(unsafe.Offsetof(slot.at))},
		{"MV_LAYOUT_PROBES", layoutProbes},

		{"sizeof(struct mv_objects)", uint64(unsafe.Sizeof(f))},
		{"offsetof(struct mv_objects, version)", uint64(unsafe.Offsetof(f.version))},
		{"offsetof(struct mv_objects, header_size)", uint64(unsafe.Offsetof(f.headerSize))},
		{"offsetof(struct mv_objects, object_size)", uint64(unsafe.Offsetof(f.objectSize))},
		{"offsetof(struct mv_objects, count)", uint64(unsafe.Offsetof(f.count))},
		{"offsetof(struct mv_objects, kinds)", uint64(unsafe.Offsetof(f.kinds))},
		{"offsetof(struct mv_objects, homeless)", uint64(unsafe.Offsetof(f.homeless))},
		{"offsetof(struct mv_objects, names_at)", uint64(unsafe.Offsetof(f.namesAt))},
		{"offsetof(struct mv_objects, names_room)", uint64(unsafe.Offsetof(f.namesRoom))},
		{"offsetof(struct mv_objects, names_used)", uint64(unsafe.Offsetof(f.namesUsed))},
		{"sizeof(struct mv_object)", uint64(unsafe.Sizeof(o))},
		{"offsetof(struct mv_object, handle)", uint64(unsafe.Offsetof(o.handle))},
		{"offsetof(struct mv_object, id)", uint64(unsafe.Offsetof(o.id))},
		{"offsetof(struct mv_object, parent)", uint64(unsafe.Offsetof(o.parent))},
		{"offsetof(struct mv_object, number)", uint64(unsafe.Offsetof(o.number))},
		{"offsetof(struct mv_object, kind)", uint64(unsafe.Offsetof(o.kind))},
		{"offsetof(struct mv_object, made)", uint64(unsafe.Offsetof(o.made))},
		{"offsetof(struct mv_object, flags)", uint64(unsafe.Offsetof(o.flags))},
		{"offsetof(struct mv_object, rank)", uint64(unsafe.Offsetof(o.rank))},
		{"offsetof(struct mv_object, size)", uint64(unsafe.Offsetof(o.size))},
		{"offsetof(struct mv_object, remote_size)", uint64(unsafe.Offsetof(o.remoteSize))},
		{"offsetof(struct mv_object, runs)", uint64(unsafe.Offsetof(o.runs))},
		{"offsetof(struct mv_object, remote_runs)", uint64(unsafe.Offsetof(o.remoteRuns))},
		{"offsetof(struct mv_object, run)", uint64(unsafe.Offsetof(o.run))},
		{"offsetof(struct mv_object, name)", uint64(unsafe.Offsetof(o.name))},
		{"offsetof(struct mv_object, count)", uint64(unsafe.Offsetof(o.count))},
		{"sizeof(((struct mv_object *)0)->name)", uint64(len(o.name))},
		{"sizeof(struct mv_run)", uint64(unsafe.Sizeof(o.run[0]))},
		{"sizeof(struct mv_count)", uint64(unsafe.Sizeof(n))},
		{"offsetof(struct mv_count, left)", uint64(unsafe.Offsetof(n.left))},
		{"MV_KINDS", Kinds},
		{"MV_OBJECT_RUNS", objectRuns},

		{"sizeof(struct mv_record)", HeaderSize},
		{"offsetof(struct mv_record, kind)", OffKind},
		{"offsetof(struct mv_record, lines)", OffLines},
		{"offsetof(struct mv_record, site)", OffSite},
		{"offsetof(struct mv_record, rc)", OffRC},
		{"offsetof(struct mv_record, flags)", OffFlags},
		{"offsetof(struct mv_record, used)", OffUsed},
		{"sizeof(struct mv_section)", SectionSize},
		{"sizeof(struct mv_status)", StatusSize},

		{"MV_VERSION", Version},
		{"MV_MAGIC_CONTROL", magicControl},
		{"MV_MAGIC_PROCESS", magicProcess},
		{"MV_MAGIC_RING", magicRing},
		{"MV_MAGIC_LAYOUTS", magicLayouts},
		{"MV_MAGIC_OBJECTS", magicObjects},
		{"MV_STARTED", stateStarted},
		{"MV_EXITED", stateExited},
		{"MV_SIGNALED", stateSignaled},
		{"MV_TIMED", Timed},
		{"MV_IN32", SecIn32},
		{"MV_IN64", SecIn64},
		{"MV_OUT32", SecOut32},
		{"MV_OUT64", SecOut64},
		{"MV_STATUS", SecStatus},
		{"MV_STRING", SecString},
		{"MV_CUT", SecCut},
		{"MV_INFO", FirstInfo},
		{"MV_SITE", InfoSite},
		{"MV_MODULE", InfoModule},
		{"MV_NAMES", InfoNames},
		{"MV_COMM", InfoComm},
		{"MV_ERROR", InfoError},
		{"MV_MPI", InfoMPI},
		{"MV_DATA", InfoData},
		{"MV_FATAL", ErrorFatal},
		{"MV_REFUSED", ErrorRefused},
		{"MV_RAISED", ErrorRaised},
		{"MV_UNJUDGED", unjudged},
		{"MV_GO_ON", uint64(GoOn)},
		{"MV_ON_COMM", uint64(OnComm)},
		{"MV_ON_WIN", uint64(OnWin)},
		{"MV_ON_FILE", uint64(OnFile)},
		{"MV_SUMS", InfoSums},
		{"MV_NEIGHBOURS", InfoNeighbours},
		{"MV_FREED", InfoFreed},
		{"MV_SUMS_RECEIVED", SumsReceived},
		{"MV_SUMS_FAILED", SumsFailed},
		{"MV_SUMS_MADE", SumsMade},
		{"MV_SUMS_OVER", SumsOver},
		{"MV_SUMS_BLOCKS", SumsBlocks},
		{"MV_SUMS_VOID", SumsVoid},
		{"MV_SUM_BLOCKS", SumBlocks},
		{"MV_SUM_BLOCK", SumBlock},
		{"MV_CHANGED", InfoChanged},
		{"MV_UNREACHABLE", InfoUnreachable},
		{"sizeof(struct mv_changed)", ChangedSize},
		{"sizeof(struct mv_unreachable)", UnreachableSize},
		{"MV_SUM_ALL", SumAll},
		{"sizeof(struct mv_sum)", SumSize},
	}
	var src strings.Builder
	src.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include \"record.h\"\nint main(void) {\n")
	for _, k := range checks {
		fmt.Fprintf(&src, "printf(\"%%llu\\n\", (unsigned long long)(%s));\n", k.c)
	}
	src.WriteString("}\n")
	dir := t.TempDir()
	file, exe := filepath.Join(dir, "layout.c"), filepath.Join(dir, "layout")
	if err := os.WriteFile(file, []byte(src.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	include, err := filepath.Abs("../../../preload")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-I", include, "-o", exe, file).CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Fields(out)
	if len(lines) != len(checks) {
		t.Fatalf("%d values for %d questions", len(lines), len(checks))
	}
	for i, k := range checks {
		if got := string(lines[i]); got != fmt.Sprint(k.goes) {
			t.Errorf("%s is %s in C and %d in Go", k.c, got, k.goes)
		}
	}
}
