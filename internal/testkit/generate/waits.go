package generate

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// waited lets a wait or test complete requests. ok is false if the call does not return.
func (k *process) waited(a *activity, out fakerun.Args, force bool) (succeeded bool, completed int, ok bool) {
	c := a.call
	list := k.tickets(c)
	var ready, active []int
	for i, t := range list {
		if t != nil && t.active {
			active = append(active, i)
			if k.complete(t) {
				ready = append(ready, i)
			}
		}
	}
	test := a.fn.Class == mpiapi.Test
	if test && !force && k.polls < 3 && k.m.IntN(3) == 0 {
		ready = nil // MPI may not have noticed
	}
	empty := fakerun.Status{Source: int32(k.number(Word("MPI_ANY_SOURCE"))), Tag: -1}
	undefined := k.number(Word("MPI_UNDEFINED"))
	all := len(ready) == len(active)
	switch strings.TrimPrefix(strings.TrimPrefix(c.Func, "MPI_Wait"), "MPI_Test") {
	case "":
		if !all && !test {
			return false, 0, false
		}
		out[">status"] = []fakerun.Status{empty}
		if all && len(active) > 0 {
			out[">status"] = []fakerun.Status{k.end(a, list, 0)}
			a.class = out[">status"].([]fakerun.Status)[0].Error
		}
		if test {
			out[">flag"] = truth(all)
		}
		return all, len(ready), true
	case "MPI_Request_get_status":
		out[">flag"] = truth(all)
		s := empty
		if all && len(active) > 0 {
			s = k.tell(list[0])
		}
		out[">status"] = []fakerun.Status{s}
		return all, 0, true
	case "all":
		if !all && !test {
			return false, 0, false
		}
		statuses := make([]fakerun.Status, len(list))
		for i := range statuses {
			statuses[i] = empty
		}
		if all {
			for _, i := range active {
				statuses[i] = k.end(a, list, i)
			}
			k.classOf(a, statuses)
		}
		out[">array_of_statuses"] = statuses
		if test {
			out[">flag"] = truth(all)
		}
		return all, len(ready), true
	case "any":
		if len(ready) == 0 && len(active) > 0 {
			if test {
				out[">flag"], out[">index"], out[">status"] = 0, undefined, []fakerun.Status{empty}
			}
			return false, 0, test
		}
		if test {
			out[">flag"] = 1
		}
		if len(active) == 0 {
			out[">index"], out[">status"] = undefined, []fakerun.Status{empty}
			return true, 0, true
		}
		i := ready[k.m.IntN(len(ready))]
		s := k.end(a, list, i)
		a.class = s.Error
		out[">index"], out[">status"] = i, []fakerun.Status{s}
		return true, 1, true
	}
	// Some.
	if len(ready) == 0 && len(active) > 0 && !test {
		return false, 0, false
	}
	k.m.Shuffle(len(ready), func(i, j int) { ready[i], ready[j] = ready[j], ready[i] })
	if len(ready) > 1 && k.m.IntN(3) == 0 {
		ready = ready[:1]
	}
	indices, statuses := make([]int32, len(list)), make([]fakerun.Status, len(list))
	for n, i := range ready {
		indices[n], statuses[n] = int32(i), k.end(a, list, i)
	}
	k.classOf(a, statuses)
	out[">outcount"] = len(ready)
	if len(active) == 0 {
		out[">outcount"] = undefined
	}
	out[">array_of_indices"], out[">array_of_statuses"] = indices, statuses
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

// tell returns the status of a request that is complete.
func (k *process) tell(t *ticket) fakerun.Status {
	for _, o := range t.ops {
		if !o.send {
			return k.told(o)
		}
	}
	return fakerun.Status{}
}

// end completes the i-th of a list of requests.
func (k *process) end(_ *activity, list []*ticket, i int) fakerun.Status {
	t := list[i]
	s := k.tell(t)
	if t.persistent {
		t.active = false
		return s
	}
	k.lib.release(mpiapi.Request, t.handle)
	list[i] = nil // the variable is MPI_REQUEST_NULL now
	return s
}

// vague reports whether it takes more to find that a process is stuck than the call that it is in and the messages that
// are known to be matched: it has receives from any source that it has not completed, of which records don't tell the
// messages, or has started a persistent collective.
func (k *process) vague() bool {
	if k.in != nil && k.in.fn.Class == mpiapi.SendRecv && slices.ContainsFunc(k.in.ops, func(o *operation) bool { return !o.send && o.from < 0 }) {
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
