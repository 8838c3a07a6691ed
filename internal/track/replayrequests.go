package track

// replayCompletion reports to the replay that a call has completed r, before r is taken out of its list.
//
// If several requests have one handle, it is unknown which of them a call completes: a program may swap or move the
// variables with the handles. So each of them counts as waited for only where the last one is, when all of them are
// complete. If a call could also have gone on because of another request, it could have gone on because of any of them.
func (rs *requests) replayCompletion(th *Thread, r *Request, how Completion, call []byte) {
	l := r.list
	if !l.shared() {
		for _, op := range r.Ops {
			if op != nil {
				rs.Replay.Finish(th, op, how, call)
			}
		}
		if r.Kind == CollectiveRequest && !r.Persistent {
			rs.Replay.Leave(th, r.View, r.Pos, how, call)
		}
		return
	}
	if how != Awaited {
		rs.replayOneOf(th, l, how, call)
	}
	for _, op := range r.Ops {
		if op != nil {
			op.Retain()
			l.owed = append(l.owed, owed{th: th, op: op})
		}
	}
	if r.Kind == CollectiveRequest && !r.Persistent {
		l.owed = append(l.owed, owed{th: th, view: r.View, pos: r.Pos})
	}
	switch {
	case l.n == 1:
		rs.replayOwed(th, l, how, call)
	case len(l.owed) > maxOwed:
		rs.dropOwed(th, l, call)
	}
}

// replayOneOf reports to the replay that a call has gone on because one of the operations of a handle is complete. If
// there are many, it reports that no thread waits for any of them.
func (rs *requests) replayOneOf(th *Thread, l *requestList, how Completion, call []byte) {
	if l.n > maxOwed {
		rs.dropWaits(th, l, nil, call)
		return
	}
	rs.replayOwed(th, l, how, call)
	for r := l.oldest; r != nil; r = r.next {
		for _, op := range r.Ops {
			if op != nil {
				rs.Replay.Finish(th, op, how, call)
			}
		}
	}
}

// replayOwed reports to the replay that a call has completed all operations of a handle that a thread has waited for.
func (rs *requests) replayOwed(th *Thread, l *requestList, how Completion, call []byte) {
	for i, o := range l.owed {
		switch {
		case o.op == nil:
			rs.Replay.Leave(th, o.view, o.pos, how, call)
			continue
		case o.th != th: // this thread did not wait for it
			rs.Replay.Drop(th, o.op)
		default:
			rs.Replay.Finish(th, o.op, how, call)
		}
		rs.Match.Forget(o.op)
		l.owed[i].op = nil
	}
	l.owed = l.owed[:0]
}

// dropOwed reports to the replay that no thread is known to wait for the former operations of a handle.
func (rs *requests) dropOwed(th *Thread, l *requestList, call []byte) {
	for i, o := range l.owed {
		if o.op == nil {
			rs.Replay.Leave(th, o.view, o.pos, Polled, call)
			continue
		}
		rs.Replay.Drop(th, o.op)
		rs.Match.Forget(o.op)
		l.owed[i].op = nil
	}
	l.owed = l.owed[:0]
}

// dropWaits reports to the replay that no thread counts as waiting for the operations of a handle, complete or not. It
// leaves out those of the request rest.
func (rs *requests) dropWaits(th *Thread, l *requestList, rest *Request, call []byte) {
	rs.dropOwed(th, l, call)
	for r := l.newest; r != l.waived; r = r.prev {
		for _, op := range r.Ops {
			if op != nil && r != rest {
				rs.Replay.Drop(th, op)
			}
		}
	}
	l.waived = l.newest
}
