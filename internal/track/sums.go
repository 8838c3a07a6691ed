package track

import (
	"github.com/mpivet/mpivet/internal/event"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
)

// moving is a nonblocking or persistent collective whose process makes sums of its data.
type moving struct {
	view *View
	pos  uint64
	call match.Call // that made it
}

// sums tells of sums of the data of the call that a thread is in, or of the operation that this call starts or completes.
func (t *Tracker) sums(th *Thread, s *event.Sums) {
	pr := th.Process
	if s.Operation == 0 {
		if th.view != nil {
			t.scratch.Keep(th.Open.Call.Raw())
			t.scratch.Thread = th.ID
			t.sink.Sums(th, th.view, th.pos, t.scratch, s)
		}
		return
	}
	if s.Made && th.view != nil {
		if pr.moving == nil {
			pr.moving = make(map[uint64]*moving)
		}
		pr.moving[s.Operation] = &moving{th.view, th.pos, th.call(th.Open.Call.Raw())}
	}
	m := pr.moving[s.Operation]
	if s.Over {
		delete(pr.moving, s.Operation)
	}
	if m == nil || s.Made && th.Open.Func.Class == mpiapi.CollectiveInit || s.Over && !s.Received && !s.Failed {
		return
	}
	t.sink.Sums(th, m.view, m.pos, m.call, s)
}
