package pipeline

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// Interval is the time between ticks.
const Interval = 100 * time.Millisecond

// Waiter is a live source that can wait for new records.
type Waiter interface {
	Wait(d time.Duration)
}

// Pacer is a live source that says when time passes for the analysis.
type Pacer interface {
	// Due reports whether a tick may be delivered now.
	Due() bool
	// Rest is called in place of a tick.
	Rest()
}

// Run passes everything that src delivers to h until src ends or is corrupt, or ctx is done. If live, it also calls
// h.Tick regularly. A source that reads a file delivers the recorded ticks itself.
//
// A source without new records is polled again after a short rest. The rest grows while there are no records, because
// the analyzer shares its cores with the ranks.
func Run(ctx context.Context, src ring.Source, h ring.Handler, live bool) error {
	const (
		shortest = 4 * time.Millisecond
		longest  = 10 * time.Millisecond
	)
	rest := shortest
	next := time.Now().Add(Interval)
	for {
		n, err := src.Poll(h)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !live {
			continue
		}
		if now := time.Now(); now.After(next) {
			if p, ok := src.(Pacer); ok && !p.Due() {
				p.Rest()
			} else {
				h.Tick()
			}
			next = now.Add(Interval)
		}
		switch {
		case n >= busy:
			rest = shortest
			continue
		case n > 0:
			rest = shortest
		default:
			rest = min(2*rest, longest)
		}
		if w, ok := src.(Waiter); ok {
			w.Wait(rest)
		} else {
			time.Sleep(rest)
		}
	}
}

// busy is the number of bytes of records in one poll after which the analyzer polls again at once.
const busy = 1 << 20
