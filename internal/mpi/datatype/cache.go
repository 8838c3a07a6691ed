package datatype

import "sync/atomic"

// cache holds properties of a type that are computed at their first use.
type cache struct {
	layout layoutCache
	self   selfCache
	signed atomic.Pointer[signature]
}
