package generate

import (
	"slices"
)

// completeSome completes some requests of a rank, in consecutive variables.
func (b *builder) completeSome() {
	r := b.rng.IntN(len(b.ranks))
	k := b.ranks[r]
	if len(k.requests) == 0 {
		return
	}
	from := b.rng.IntN(len(k.requests))
	to := from + 1 + b.rng.IntN(len(k.requests)-from)
	for i := from; i < to; i++ {
		if q := k.requests[i]; q != nil && q.active && !q.ready {
			to = i // this one may need calls that come later
		}
	}
	b.complete(r, from, to)
}

// complete completes requests of rank r: all in its variables from..to, which are ready.
func (b *builder) complete(r, from, to int) {
	k := b.ranks[r]
	var active []*request
	sure := true
	for _, q := range k.requests[from:to] {
		if q != nil && q.active {
			active = append(active, q)
			sure = sure && !q.unsure
		}
	}
	if len(active) == 0 {
		return
	}
	n := len(active)
	all := Requests{from, to - from}
	how := b.rng.IntN(9)
	if !sure && (how == 2 || how == 3 || how == 5 || how == 6) {
		how = 0 // these might wait for more requests than are left
	}
	if b.o.Real && b.repeated(r, from, to) {
		how = 0
	}
	switch how {
	case 0:
		b.call(r, "MPI_Waitall", Args{"count": Number(all.N), "array_of_requests": all})
	case 1:
		b.call(r, "MPI_Testall", Args{"count": Number(all.N), "array_of_requests": all}).Flag = true
	case 2:
		b.call(r, "MPI_Waitany", Args{"count": Number(all.N), "array_of_requests": all}).Total = n
	case 3:
		b.call(r, "MPI_Waitsome", Args{"incount": Number(all.N), "array_of_requests": all}).Total = n
	case 5:
		b.call(r, "MPI_Testany", Args{"count": Number(all.N), "array_of_requests": all}).Total = n
	case 6:
		b.call(r, "MPI_Testsome", Args{"incount": Number(all.N), "array_of_requests": all}).Total = n
	case 7:
		if slices.ContainsFunc(active, func(q *request) bool { return q.persistent }) {
			b.call(r, "MPI_Waitall", Args{"count": Number(all.N), "array_of_requests": all})
			break
		}
		c := b.call(r, "MPI_Waitall", Args{"count": Number(n), "array_of_requests": Moved{}})
		for _, q := range active {
			c.Move = append(c.Move, q.variable)
		}
		b.rng.Shuffle(n, func(i, j int) { c.Move[i], c.Move[j] = c.Move[j], c.Move[i] })
		b.p.Moved = max(b.p.Moved, n)
	default:
		b.rng.Shuffle(n, func(i, j int) { active[i], active[j] = active[j], active[i] })
		for _, q := range active {
			if b.chance(4) {
				b.call(r, "MPI_Test", Args{"request": q.value()}).Flag = true
			} else {
				b.call(r, "MPI_Wait", Args{"request": q.value()})
			}
		}
	}
	for _, q := range active {
		b.over(r, q)
	}
}

// repeated reports whether there are persistent collectives among requests.
func (b *builder) repeated(r, from, to int) bool {
	return slices.ContainsFunc(b.ranks[r].requests[from:to], func(q *request) bool { return q != nil && q.coll })
}

// over notes that a request is complete.
func (b *builder) over(r int, q *request) {
	q.active, q.unsure, q.ready = false, false, false
	if !q.persistent {
		b.ranks[r].requests[q.variable] = nil
	}
}

// lookAtSome tests some requests of a rank, or waits for one of several. More of them may be complete.
func (b *builder) lookAtSome() {
	r := b.rng.IntN(len(b.ranks))
	k := b.ranks[r]
	if len(k.requests) == 0 {
		return
	}
	from := b.rng.IntN(len(k.requests))
	all := Requests{from, 1 + b.rng.IntN(len(k.requests)-from)}
	certain := false
	found := false
	for _, q := range k.requests[from : from+all.N] {
		if q != nil && q.active {
			found = true
			certain = certain || q.ready && !q.unsure
		}
	}
	if !found {
		return
	}
	if b.o.Real && b.repeated(r, from, from+all.N) {
		return
	}
	how := b.rng.IntN(7)
	if !certain && how < 2 {
		how = 2
	}
	switch how {
	case 0:
		b.call(r, "MPI_Waitany", Args{"count": Number(all.N), "array_of_requests": all})
	case 1:
		b.call(r, "MPI_Waitsome", Args{"incount": Number(all.N), "array_of_requests": all})
	case 2:
		b.call(r, "MPI_Testany", Args{"count": Number(all.N), "array_of_requests": all})
	case 3:
		b.call(r, "MPI_Testsome", Args{"incount": Number(all.N), "array_of_requests": all})
	case 4:
		b.call(r, "MPI_Testall", Args{"count": Number(all.N), "array_of_requests": all})
	default:
		i := slices.IndexFunc(k.requests[from:], func(q *request) bool { return q != nil && q.active })
		q := k.requests[from+i]
		if how == 5 {
			b.call(r, "MPI_Test", Args{"request": q.value()})
			q.unsure = true
		} else {
			b.call(r, "MPI_Request_get_status", Args{"request": q.value()})
		}
		return
	}
	for _, q := range k.requests[from : from+all.N] {
		if q != nil && q.active {
			q.unsure = true
		}
	}
}
