package track

// long is the number of requests with one handle from which on they are looked up by variable in a map.
const long = 16

// list returns the list of a handle, nil if there is none and it may not be made.
func (rt *requestTable) list(handle uint64, create bool) *requestList {
	// Handles are multiples of a small size (pointers) or count in the low bits: mix both.
	if len(rt.recent) == 0 {
		if !create {
			return nil
		}
		// Most processes have few requests at once, and there may be a million processes.
		rt.recent = make([]*requestList, 8)
	}
	slot := &rt.recent[(handle^handle>>6^handle>>10)&uint64(len(rt.recent)-1)]
	if l := *slot; l != nil && l.handle == handle {
		return l
	}
	l := rt.lists[handle]
	if l == nil {
		if !create {
			return nil
		}
		l = &requestList{handle: handle}
		rt.lists = put(rt.lists, handle, l)
		if len(rt.lists) == 9 && len(rt.recent) == 8 {
			rt.recent = make([]*requestList, 64)
			return l
		}
	}
	*slot = l
	return l
}

// tidy forgets empty lists when there are many. Otherwise a library that never uses a handle twice would fill the
// memory.
func (rt *requestTable) tidy(active int) {
	if len(rt.lists) < 4*active+4000 {
		return
	}
	for h, l := range rt.lists {
		if l.n == 0 {
			delete(rt.lists, h)
			rt.forgets = true
		}
	}
	clear(rt.recent)
}

// pushRequest adds r to the end of the list of its handle.
func (rt *requestTable) pushRequest(r *Request) {
	l := rt.list(r.Handle, true)
	r.list, r.prev, r.next = l, l.newest, nil
	if l.oldest == nil {
		l.oldest = r
	} else {
		l.newest.next = r
	}
	l.newest = r
	l.n++
	switch {
	case l.n == long:
		if rt.vars == nil {
			rt.vars = make(map[requestVar]*Request)
		}
		for q := l.oldest; q != nil; q = q.next {
			rt.vars[requestVar{q.Handle, q.Var}] = q
		}
	case l.n > long:
		rt.vars[requestVar{r.Handle, r.Var}] = r
	}
}

// takeRequest removes r.
func (rt *requestTable) takeRequest(r *Request) {
	l := r.list
	l.last, l.lastNumber = r, r.Number
	if l.released == r {
		l.released = r.prev
	}
	if l.waived == r {
		l.waived = r.prev
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.oldest = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		l.newest = r.prev
	}
	r.list, r.prev, r.next = nil, nil, nil
	l.n--
	switch {
	case l.n >= long:
		if k := (requestVar{r.Handle, r.Var}); rt.vars[k] == r {
			delete(rt.vars, k)
		}
	case l.n == long-1:
		delete(rt.vars, requestVar{r.Handle, r.Var})
		for q := l.oldest; q != nil; q = q.next {
			delete(rt.vars, requestVar{q.Handle, q.Var})
		}
	}
}

// lookUp returns the request that the handle in variable v stands for. If there are several, it is the one that was
// stored last in that variable, or else the oldest one, as all are alike.
func (rt *requestTable) lookUp(handle, v uint64) *Request {
	l := rt.list(handle, false)
	if l == nil || l.n < 2 {
		if l == nil {
			return nil
		}
		return l.oldest
	}
	if l.n >= long {
		if r := rt.vars[requestVar{handle, v}]; r != nil {
			return r
		}
		return l.oldest
	}
	for r := l.newest; r != nil; r = r.prev {
		if r.Var == v {
			return r
		}
	}
	return l.oldest
}

// shared reports whether a handle may stand for any of several requests.
func (l *requestList) shared() bool { return l != nil && (l.n > 1 || len(l.owed) > 0) }

// Requests calls f for every request of the process, in no order.
func (rt *requestTable) Requests(f func(*Request)) {
	for _, l := range rt.lists {
		for r := l.oldest; r != nil; r = r.next {
			f(r)
		}
	}
}
