package symbol

// Table has the functions, files and lines of some code addresses. A [Resolver] uses it if the files of a run are not
// available: see WithTable.
type Table map[Address][]Frame

// Address is a place in an executable or a shared library. It does not depend on where a process had loaded that file.
type Address struct {
	Path string // path of the file, as the process saw it
	// Offset is the address in the ELF file that is looked up: the address of the pc, or one less for a return address.
	Offset uint64
}

// WithTable makes a resolver answer from a table, and read no files. An address that is not in the table has neither
// a function nor a line.
func WithTable(t Table) Option {
	return func(r *Resolver) { r.table = t }
}

// WithCopy makes a resolver also store everything that it finds in a table.
func WithCopy(t Table) Option {
	return func(r *Resolver) { r.copy = t }
}
