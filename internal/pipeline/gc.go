package pipeline

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Settings of the garbage collector for an analysis. Nearly all memory is live as long as its process. If there is much
// live memory, frequent collections cost little, and infrequent ones would waste as much memory again: the percentage
// is then leastGCPercent. If there is little, as with a few ranks, frequent collections take time from the ranks, which
// run on the same cores. So gcSlack bytes of garbage may always accumulate, but not more than mostGCPercent.
const (
	leastGCPercent = 25
	mostGCPercent  = 1000
	gcSlack        = 24 << 20
)

// TuneGC sets the garbage collector of this process for an analysis, now and after each collection. Short-lived
// processes of mpivet then need no collection at all.
var TuneGC = sync.OnceFunc(func() {
	debug.SetGCPercent(mostGCPercent / 2) // of the 4 MiB that the runtime starts with
	runtime.SetFinalizer(&collection{percent: mostGCPercent / 2}, (*collection).over)
})

// collection is garbage. Its finalizer runs after each collection.
type collection struct {
	percent int // the setting
}

func (c *collection) over() {
	var m runtime.MemStats // the package runtime/metrics makes every process start later
	runtime.ReadMemStats(&m)
	percent := leastGCPercent
	// NextGC is the live heap and the percentage of it.
	if live := m.NextGC / uint64(100+c.percent) * 100; live > 0 {
		percent = int(min(max(gcSlack*100/live, leastGCPercent), mostGCPercent))
	}
	if percent < c.percent || percent > c.percent*5/4 { // the setting stops all goroutines for a moment
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	runtime.SetFinalizer(c, (*collection).over)
}
