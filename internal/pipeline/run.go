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

// Waiter is a live source that can wait for something to happen.
type Waiter interface {
	Wait(d time.Duration)
}

// Run hands everything that src delivers to h until it ends, is corrupt, or ctx is done. If live, it also lets h have
// its ticks; a source that reads a file delivers those that were recorded.
//
// A source with nothing new is asked again after a short rest, which grows while there is nothing: the analyzer shares
// its cores with the ranks.
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
			h.Tick()
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

// busy is how many bytes of records in one poll make the analyzer go on at once.
const busy = 1 << 20
