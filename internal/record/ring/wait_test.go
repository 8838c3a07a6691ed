package ring

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestBell: a ring ends a wait that goes on, or the next one.
func TestBell(t *testing.T) {
	const long = time.Minute
	var b Bell
	began := time.Now()
	b.Ring()
	b.Wait(long)
	for range 100 {
		go func() {
			for !b.waits.Load() {
				runtime.Gosched()
			}
			b.Ring()
		}()
		b.Wait(long)
	}
	if took := time.Since(began); took > long/2 {
		t.Errorf("the waits took %v", took)
	}
	b.Wait(time.Millisecond) // it ends without a ring
}

// BenchmarkWait also reports how often the process gives up a processor for each wait: each time, the processor was
// taken from a rank.
func BenchmarkWait(b *testing.B) {
	w, err := newWatcher(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer w.close()
	switches := func() int64 {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Nvcsw
	}
	before := switches()
	for b.Loop() {
		w.wait(4 * time.Millisecond)
	}
	b.ReportMetric(float64(switches()-before)/float64(b.N), "switches/op")
}
