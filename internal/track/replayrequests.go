package track

// replayCompletion tells the replay that a call has completed r, before that is taken out of its list.
//
// Of several requests with one handle nobody can say which a call completes: a program may swap or move the variables
// that they are in. So each is taken to be waited for only where the last one is, when all of them are complete. A
// call that might have gone on with something else did so because of any of them.
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

// replayOneOf tells the replay that a call has gone on because one of the operations of a handle is complete. If they
// are many, it tells that no thread waits for any of them.
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

// replayOwed tells the replay that a call has completed all that a thread has waited for of a handle.
func (rs *requests) replayOwed(th *Thread, l *requestList, how Completion, call []byte) {
	for i, o := range l.owed {
		switch {
		case o.op == nil:
			rs.Replay.Leave(th, o.view, o.pos, how, call)
			continue
		case o.th != th: // waited for something, but not here
			rs.Replay.Drop(th, o.op)
		default:
			rs.Replay.Finish(th, o.op, how, call)
		}
		rs.Match.Forget(o.op)
		l.owed[i].op = nil
	}
	l.owed = l.owed[:0]
}

// dropOwed tells the replay that nobody is known to wait for what a handle has stood for.
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

// dropWaits tells the replay that no thread is taken to wait for the operations of a handle, complete or not. It
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
