package pipeline

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// What the garbage collector of an analysis is set to. Nearly all that is allocated stays for as long as its process,
// so where that is much, collecting more often costs little, and the memory that waits for it would be as much again:
// least percent. Where it is little, as with a few ranks, collecting again and again takes time from the ranks, which
// run on the same cores: so slack bytes may always wait, though no more than most percent.
const (
	leastGCPercent = 25
	mostGCPercent  = 1000
	gcSlack        = 24 << 20
)

// TuneGC sets the garbage collector of this process to what an analysis needs, now and after each collection.
var TuneGC = sync.OnceFunc(func() {
	debug.SetGCPercent(mostGCPercent / 2) // of the 4 MiB that the runtime starts with
	runtime.SetFinalizer(&collection{live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}, percent: mostGCPercent / 2},
		(*collection).over)
})

// collection is garbage, so that its finalizer runs after each collection.
type collection struct {
	live    []metrics.Sample
	percent int
}

func (c *collection) over() {
	metrics.Read(c.live)
	percent := leastGCPercent
	if live := c.live[0].Value.Uint64(); live > 0 {
		percent = int(min(max(gcSlack*100/live, leastGCPercent), mostGCPercent))
	}
	if percent < c.percent || percent > c.percent*5/4 { // setting it stops all goroutines for a moment
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	runtime.SetFinalizer(c, (*collection).over)
}
