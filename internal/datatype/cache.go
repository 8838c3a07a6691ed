package datatype

// cache is what is computed about a type when it is first asked for.
type cache struct {
	layout layoutCache
	self   selfCache
}
