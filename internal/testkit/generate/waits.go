package generate

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// waited lets a wait or test complete requests. ok is false if the call does not return yet.
func (k *process) waited(a *activity, out fakerun.Args, force bool) (succeeded bool, completed int, ok bool) {
	w := &waiting{
		process: k, call: a, out: out, list: k.tickets(a.call),
		test:      a.fn.Class == mpiapi.Test,
		empty:     fakerun.Status{Source: int32(k.number(Word("MPI_ANY_SOURCE"))), Tag: -1},
		undefined: k.number(Word("MPI_UNDEFINED")),
	}
	for i, t := range w.list {
		if t != nil && t.active {
			w.active = append(w.active, i)
			if k.complete(t) {
				w.ready = append(w.ready, i)
			}
		}
	}
	if w.test && !force && k.polls < 3 && k.m.IntN(3) == 0 {
		w.ready = nil // MPI may not have noticed yet
	}
	switch strings.TrimPrefix(strings.TrimPrefix(a.call.Func, "MPI_Wait"), "MPI_Test") {
	case "":
		return w.completeOne()
	case "MPI_Request_get_status":
		return w.getStatus()
	case "all":
		return w.completeAll()
	case "any":
		return w.completeAny()
	}
	return w.completeSome()
}

// waiting is a wait or test with its requests. Its methods implement the variants of these functions, and return the
// same results as waited.
type waiting struct {
	*process
	call          *activity
	out           fakerun.Args
	test          bool // not a wait
	list          []*ticket
	ready, active []int          // indices in list
	empty         fakerun.Status // the empty status of the standard
	undefined     int
}

// allReady reports whether all active requests are complete.
func (w *waiting) allReady() bool { return len(w.ready) == len(w.active) }

// completeOne is MPI_Wait or MPI_Test.
func (w *waiting) completeOne() (succeeded bool, completed int, ok bool) {
	all := w.allReady()
	if !all && !w.test {
		return false, 0, false
	}
	s := w.empty
	if all && len(w.active) > 0 {
		s = w.finishRequest(w.list, 0)
		w.call.class = s.Error
	}
	w.out[">status"] = []fakerun.Status{s}
	if w.test {
		w.out[">flag"] = truth(all)
	}
	return all, len(w.ready), true
}

// getStatus is MPI_Request_get_status.
func (w *waiting) getStatus() (succeeded bool, completed int, ok bool) {
	all := w.allReady()
	s := w.empty
	if all && len(w.active) > 0 {
		s = w.statusOf(w.list[0])
	}
	w.out[">flag"], w.out[">status"] = truth(all), []fakerun.Status{s}
	return all, 0, true
}

// completeAll is MPI_Waitall or MPI_Testall.
func (w *waiting) completeAll() (succeeded bool, completed int, ok bool) {
	all := w.allReady()
	if !all && !w.test {
		return false, 0, false
	}
	statuses := make([]fakerun.Status, len(w.list))
	for i := range statuses {
		statuses[i] = w.empty
	}
	if all {
		for _, i := range w.active {
			statuses[i] = w.finishRequest(w.list, i)
		}
		w.classOf(w.call, statuses)
	}
	w.out[">array_of_statuses"] = statuses
	if w.test {
		w.out[">flag"] = truth(all)
	}
	return all, len(w.ready), true
}

// completeAny is MPI_Waitany or MPI_Testany.
func (w *waiting) completeAny() (succeeded bool, completed int, ok bool) {
	if len(w.ready) == 0 && len(w.active) > 0 {
		if w.test {
			w.out[">flag"], w.out[">index"], w.out[">status"] = 0, w.undefined, []fakerun.Status{w.empty}
		}
		return false, 0, w.test
	}
	if w.test {
		w.out[">flag"] = 1
	}
	if len(w.active) == 0 {
		w.out[">index"], w.out[">status"] = w.undefined, []fakerun.Status{w.empty}
		return true, 0, true
	}
	i := w.ready[w.m.IntN(len(w.ready))]
	s := w.finishRequest(w.list, i)
	w.call.class = s.Error
	w.out[">index"], w.out[">status"] = i, []fakerun.Status{s}
	return true, 1, true
}

// completeSome is MPI_Waitsome or MPI_Testsome.
func (w *waiting) completeSome() (succeeded bool, completed int, ok bool) {
	if len(w.ready) == 0 && len(w.active) > 0 && !w.test {
		return false, 0, false
	}
	ready := w.ready
	w.m.Shuffle(len(ready), func(i, j int) { ready[i], ready[j] = ready[j], ready[i] })
	if len(ready) > 1 && w.m.IntN(3) == 0 {
		ready = ready[:1]
	}
	indices, statuses := make([]int32, len(w.list)), make([]fakerun.Status, len(w.list))
	for n, i := range ready {
		indices[n], statuses[n] = int32(i), w.finishRequest(w.list, i)
	}
	w.classOf(w.call, statuses)
	w.out[">outcount"] = len(ready)
	if len(w.active) == 0 {
		w.out[">outcount"] = w.undefined
	}
	w.out[">array_of_indices"], w.out[">array_of_statuses"] = indices, statuses
	return true, len(ready), true
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// classOf sets the class that a call of several requests returns.
func (k *process) classOf(a *activity, list []fakerun.Status) {
	for _, s := range list {
		if s.Error != 0 {
			a.class = int32(k.lib.words["MPI_ERR_IN_STATUS"])
		}
	}
}

// statusOf returns the status of a request that is complete.
func (k *process) statusOf(t *ticket) fakerun.Status {
	for _, o := range t.ops {
		if !o.send {
			return k.receiveStatus(o)
		}
	}
	return fakerun.Status{}
}

// finishRequest completes the i-th of a list of requests and returns its status.
func (k *process) finishRequest(list []*ticket, i int) fakerun.Status {
	t := list[i]
	s := k.statusOf(t)
	if t.persistent {
		t.active = false
		return s
	}
	k.lib.release(mpiapi.Request, t.handle)
	list[i] = nil // as for MPI_REQUEST_NULL in the variable
	return s
}

// vague reports whether the present call and the known matches are not enough to find that a process is stuck. That is
// the case if it has incomplete receives from any source, as the records do not show their messages, or if it has
// started a persistent collective.
func (k *process) vague() bool {
	if k.in != nil && k.in.fn.Class == mpiapi.SendRecv && slices.ContainsFunc(k.in.ops, func(o *operation) bool {
		return !o.send && o.from < 0
	}) {
		return true
	}
	for _, t := range slices.Concat(k.requests, k.moved) {
		if t == nil || !t.active {
			continue
		}
		if t.persistent && t.coll != nil {
			return true
		}
		for _, o := range t.ops {
			if !o.send && o.from < 0 {
				return true
			}
		}
	}
	return false
}
