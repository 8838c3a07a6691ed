package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// Deliver delivers the records of a run to h, as a source would: rank by rank, each up to some point of time, in
// batches of random sizes, with ticks in between. starved: time also passes while ranks have not yet left calls that
// they could leave, as if they were stopped for a while.
func (r *Run) Deliver(h ring.Handler, seed uint64, starved bool) {
	d := &delivery{
		starved: starved, rng: rand.New(rand.NewPCG(seed, 1)), h: h, next: make([]int, r.Size),
		of: make([][]int, r.Size), run: r,
	}
	for i := range r.Events {
		e := &r.Events[i]
		d.of[e.Rank] = append(d.of[e.Rank], i)
	}
	d.open = make([]int, r.Size)
	for k := range r.Size {
		d.open[k] = -1
		fakerun.Start(h, k, r.Size)
	}
	if d.rng.IntN(2) == 0 {
		d.inTime()
	} else {
		d.late()
	}
	for range 12 {
		h.Tick()
	}
	for k := range r.Size {
		if _, hung := r.Hung[k]; !hung {
			finalized := slices.ContainsFunc(d.of[k], func(i int) bool {
				c := match.Call{Raw: r.Events[i].Data}
				return c.Func() == mpiapi.IDFinalize
			})
			h.End(ring.ProcID(k), &ring.ProcEnd{Kind: ring.Exited, Initialized: true, Finalized: finalized})
		}
	}
	for range 5 {
		h.Tick()
	}
}

// delivery is the state of a delivery.
type delivery struct {
	rng  *rand.Rand
	h    ring.Handler
	run  *Run
	of   [][]int // events of each rank
	next []int   // of each rank, the next event to deliver
	open []int   // the call that was delivered open, -1 if there is none

	starved bool
}

// inTime delivers at random moments the records that exist by then. Before a tick, it looks at all ranks.
func (d *delivery) inTime() {
	for now := 0; now < len(d.run.Events); {
		now = min(now+1+d.rng.IntN(30), len(d.run.Events))
		for range d.rng.IntN(2 * d.run.Size) {
			d.poll(d.rng.IntN(d.run.Size), now)
		}
		still := slices.Contains(d.run.Still, now)
		if at, _ := slices.BinarySearch(d.run.Still, now); !still && at < len(d.run.Still) && d.rng.IntN(3) > 0 {
			now, still = d.run.Still[at], true
		}
		if still && d.rng.IntN(2) == 0 || d.starved && d.rng.IntN(10) == 0 {
			for k := range d.run.Size {
				d.poll(k, now)
			}
			for range 1 + d.rng.IntN(8) {
				d.h.Tick()
			}
		}
	}
	for k := range d.run.Size {
		d.poll(k, len(d.run.Events))
	}
}

// late delivers all records after the end of the run, with the ranks in any order.
func (d *delivery) late() {
	for left := true; left; {
		left = false
		for _, k := range d.rng.Perm(d.run.Size) {
			mine := d.of[k]
			if d.next[k] == len(mine) {
				continue
			}
			left = true
			to := min(d.next[k]+1+d.rng.IntN(40), len(mine))
			d.poll(k, mine[to-1]+1)
		}
	}
}

// poll delivers the records of rank k before the event number now.
func (d *delivery) poll(k, now int) {
	var data []byte
	resume := false
	flush := func(open bool) {
		if len(data) > 0 {
			d.h.Batch(&ring.Batch{Thread: ring.ThreadID(k), Data: data, Open: open, Resume: resume})
			data, resume = nil, false
		}
	}
	mine := d.of[k]
	for d.next[k] < len(mine) && mine[d.next[k]] < now {
		e := &d.run.Events[mine[d.next[k]]]
		d.next[k]++
		switch e.Kind {
		case Info:
			data = append(data, e.Data...)
			if d.open[k] >= 0 {
				flush(false)
			}
		case Enter:
			i := d.next[k]
			if i < len(mine) && mine[i] < now && d.run.Events[mine[i]].Kind == Leave && d.rng.IntN(4) > 0 {
				continue // it has returned: it is complete
			}
			data = append(data, e.Data...)
			flush(true)
			d.open[k] = i - 1
		case Leave:
			if d.open[k] >= 0 {
				flush(false)
				resume = true
				d.open[k] = -1
			}
			data = append(data, e.Data...)
			if d.rng.IntN(3) == 0 {
				flush(false)
			}
		}
	}
	flush(false)
}
