package datatype

import "sync/atomic"

// cache is what is computed about a type when it is first asked for.
type cache struct {
	layout layoutCache
	self   selfCache
	signed atomic.Pointer[signature]
}
