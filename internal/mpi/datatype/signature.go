package datatype

import "sort"

// Use is a number of copies of a datatype: the data that a call sends or expects. A nil Type is an unknown type. A
// negative Count counts as 0.
type Use struct {
	Type  *Type
	Count int64
}

// unit is a sequence of basic elements that a part repeats: one basic type, or a list of parts. It is the regular
// typesig of the paper on MUST's datatype checks (section VI.B). In addition, every node has a hash, and numbers of
// elements, so that every element can be found from the root.
type unit struct {
	basic *Basic // nil if it has parts
	size  int64  // bytes of data
	parts []part // at least two, or none if basic is set; neighbours have different units
	hash  Hash
}

// part is a number of copies of a unit.
type part struct {
	copies int64
	of     *unit
	before Hash // of the parts before it in the unit
}

// signature is the type signature of a type: copies of a unit. The unit is nil if there are no elements.
type signature struct {
	copies int64
	of     *unit
	hash   Hash
}

var empty signature

// signature returns the type's signature. The first call computes it.
func (t *Type) signature() *signature {
	s := t.signed.Load()
	if s == nil {
		s = t.sign()
		t.signed.Store(s)
	}
	return s
}

func (t *Type) sign() *signature {
	if t.Elements <= 0 {
		return &empty
	}
	if t.stage == nil {
		return &signature{copies: 1, of: &unit{basic: t.Basic, size: t.Size, hash: t.Basic.hash}, hash: t.Basic.hash}
	}
	leaf := t.stage
	for leaf.Of != nil {
		leaf = leaf.Of
	}
	old, b := leaf.Old, leaf.Blocks
	switch {
	case b != nil && b.Types != nil:
		return signBlocks(b)
	case b != nil:
		old = b.Old
	}
	// The signature does not depend on the displacements of the copies.
	s := old.signature()
	n := t.Elements / old.Elements
	return &signature{copies: n * s.copies, of: s.of, hash: s.hash.Repeat(n)}
}

// signBlocks returns the signature of a struct.
func signBlocks(b *Blocks) *signature {
	u := new(unit)
	for i, t := range b.Types {
		s, n := t.signature(), b.Len(i)
		if s.of == nil || n == 0 {
			continue
		}
		u.add(n*s.copies, s.of)
	}
	if len(u.parts) == 1 {
		p := u.parts[0]
		return &signature{copies: p.copies, of: p.of, hash: u.hash}
	}
	return &signature{copies: 1, of: u, hash: u.hash}
}

// add appends copies of a unit.
func (u *unit) add(copies int64, of *unit) {
	if n := len(u.parts); n > 0 && u.parts[n-1].of.hash == of.hash {
		u.parts[n-1].copies += copies
	} else {
		u.parts = append(u.parts, part{copies: copies, of: of, before: u.hash})
	}
	u.hash = u.hash.Concat(of.hash.Repeat(copies))
	u.size += copies * of.size
}

// at returns the part that contains element n of the unit, 0 ≤ n < number of elements.
func (u *unit) at(n int64) *part {
	return &u.parts[sort.Search(len(u.parts), func(i int) bool { return u.parts[i].before.N > n })-1]
}

// known returns the number of elements and the signature. ok is false if the type is unknown, or if the number of
// elements or bytes exceeds the range of arith.
func (u Use) known() (n int64, s *signature, ok bool) {
	switch {
	case u.Count <= 0:
		return 0, &empty, true
	case u.Type == nil || u.Type.Elements < 0:
		return 0, nil, false
	case u.Type.Elements == 0:
		return 0, &empty, true
	}
	var a arith
	n = a.mul(u.Count, u.Type.Elements)
	a.mul(u.Count, u.Type.Size)
	if a.over {
		return 0, nil, false
	}
	return n, u.Type.signature(), true
}

// Elements returns the number of basic elements, false if it is not known.
func (u Use) Elements() (int64, bool) {
	n, _, ok := u.known()
	return n, ok
}

// Bytes returns the number of bytes of data, false if it is not known.
func (u Use) Bytes() (int64, bool) {
	_, _, ok := u.known()
	if !ok || u.Count <= 0 {
		return 0, ok
	}
	return u.Count * u.Type.Size, true
}

// Hash returns the hash of all basic elements, false if they are not known.
func (u Use) Hash() (Hash, bool) {
	_, s, ok := u.known()
	if !ok {
		return Hash{}, false
	}
	return s.hash.Repeat(u.Count), true
}

// Prefix returns the hash of the first n basic elements, or of all if there are fewer. It returns false if they are not
// known. It takes O(log Count) steps, and as many again for each level of nested structs.
func (u Use) Prefix(n int64) (Hash, bool) {
	all, s, ok := u.known()
	if !ok {
		return Hash{}, false
	}
	return s.prefix(min(n, all)), true
}

// prefix returns the hash of the first n elements. The number of copies has no limit.
func (s *signature) prefix(n int64) Hash {
	if n <= 0 || s.of == nil {
		return Hash{}
	}
	if n == s.hash.N {
		return s.hash
	}
	u := s.of
	h := u.hash.Repeat(n / u.hash.N)
	for n %= u.hash.N; n > 0; n %= u.hash.N {
		p := u.at(n)
		n -= p.before.N
		u = p.of
		h = h.Concat(p.before).Concat(u.hash.Repeat(n / u.hash.N))
	}
	return h
}

// Element returns the basic type of element n, counted from 0. It returns nil if there is no such element, or if it is
// not known.
func (u Use) Element(n int64) *Basic {
	all, s, ok := u.known()
	if !ok || n < 0 || n >= all {
		return nil
	}
	return s.element(n).basic
}

func (s *signature) element(n int64) *unit {
	u := s.of
	for n %= u.hash.N; u.basic == nil; n %= u.hash.N {
		p := u.at(n)
		n -= p.before.N
		u = p.of
	}
	return u
}
