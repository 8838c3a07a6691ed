package symbol

// Table has the functions, files and lines of some code addresses. A [Resolver] answers from it where the files of a
// run are not at hand: see WithTable.
type Table map[Address][]Frame

// Address is a place in an executable or a shared library. It does not depend on where a process had loaded that file.
type Address struct {
	Path string // of the file, as the process saw it
	// Offset is the address within the ELF file that is looked up: that of the pc, or one less for a return address.
	Offset uint64
}

// WithTable makes a resolver answer from a table, and read no files. An address that is not in the table has neither
// a function nor a line.
func WithTable(t Table) Option {
	return func(r *Resolver) { r.table = t }
}

// WithCopy makes a resolver put all that it finds into a table, too.
func WithCopy(t Table) Option {
	return func(r *Resolver) { r.copy = t }
}
