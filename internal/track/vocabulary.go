package track

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// names are the names of predefined handles and constants in a process: words and their values there. They never
// change. Processes that announced the same names share them. If handles are addresses, as in Open MPI, each process
// has its own values, but the words are the same.
type names struct {
	*vocabulary
	values  []uint64 // by word
	handles []uint16 // the words that are handles, by value
	constants

	record []byte // the last record that announced them
	next   []*names
}

// vocabulary is a list of names.
type vocabulary struct {
	words   []word
	index   map[string]uint16 // constants
	dialect datatype.Dialect
	next    []*vocabulary // longer ones that begin with the same words
}

// word is the name of a predefined handle or of a constant.
type word struct {
	event.Name                 // without the value
	typ        *match.Datatype // of a datatype, nil for MPI_DATATYPE_NULL
	op         uint64          // of a reduction operation: its number
}

// constants are values that tracking uses all the time.
type constants struct {
	anySource, anyTag, procNull, rootSelf        int32
	requestNull, commNull, typeNull, requestSize uint64
	inPlace                                      uint64
	hasInPlace                                   bool
}

// dictionary has the names that processes announce. Each is stored once.
type dictionary struct {
	// of processes that have announced none: the names of all others begin with these
	unnamed *names
	shared  map[datatypeKey]*match.Datatype // predefined datatypes
	texts   map[string]string               // shared by many processes
}

type datatypeKey struct {
	dialect datatype.Dialect
	name    string
	size    int64
}

func newDictionary() dictionary {
	return dictionary{
		unnamed: noNames(), shared: make(map[datatypeKey]*match.Datatype), texts: make(map[string]string),
	}
}

// noNames are the names of a process that has announced none.
func noNames() *names {
	return &names{
		vocabulary: new(vocabulary),
		constants: constants{
			anySource: -1 << 31, anyTag: -1 << 31, procNull: -1 << 31, rootSelf: -1 << 31,
			requestNull: ^uint64(0), commNull: ^uint64(0), typeNull: ^uint64(0), requestSize: 4,
		},
	}
}

// maxWords is the maximum plausible number of names.
const maxWords = 1 << 16

// sharedNames is the number of remembered continuations of a list of names. There are few MPI libraries in a run. If
// there are more continuations, the values differ from process to process.
const sharedNames = 8

// nameRecord adds the names of a record.
func (dict *dictionary) nameRecord(p *Process, c *event.Call) error {
	d := dialect(p.Library)
	i := slices.IndexFunc(p.names.next, func(n *names) bool { return n.dialect == d && bytes.Equal(n.record, c.Raw()) })
	if i >= 0 {
		p.setNames(p.names.next[i])
		return nil
	}
	list, err := c.NamesInfo()
	if err != nil {
		return err
	}
	n := &names{vocabulary: dict.extend(p.names.vocabulary, d, list), constants: p.names.constants}
	n.values = make([]uint64, len(p.names.values), len(n.words))
	copy(n.values, p.names.values)
	for i := range list[:len(n.words)-len(n.values)] {
		n.values = append(n.values, list[i].Value)
		n.constants.setConstant(&list[i])
	}
	for i := range n.words {
		if !n.words[i].Const {
			n.handles = append(n.handles, uint16(i))
		}
	}
	slices.SortStableFunc(n.handles, func(a, b uint16) int { return cmp.Compare(n.values[a], n.values[b]) })
	if len(p.names.next) < sharedNames {
		n.record = bytes.Clone(c.Raw())
		p.names.next = append(p.names.next, n)
	}
	p.setNames(n)
	return nil
}

func (p *Process) setNames(n *names) {
	if len(p.names.words) == 0 && p.objectTable != nil {
		p.objectTable.removePredefined(n)
	}
	p.names, p.constants = n, n.constants
}

// extend returns v with the names of list appended.
func (dict *dictionary) extend(v *vocabulary, d datatype.Dialect, list []event.Name) *vocabulary {
	list = list[:min(len(list), maxWords-len(v.words))]
	same := func(w word, n event.Name) bool {
		n.Value = 0
		return w.Name == n
	}
	for _, w := range v.next {
		if w.dialect == d && slices.EqualFunc(w.words[len(v.words):], list, same) {
			return w
		}
	}
	w := &vocabulary{words: slices.Clone(v.words), index: make(map[string]uint16), dialect: d}
	for _, n := range list {
		n.Value = 0
		k := word{Name: n}
		switch {
		case n.Kind == mpiapi.Datatype && !n.Null():
			k.typ = dict.predefined(d, n.Name, int64(n.Size))
		case n.Kind == mpiapi.Op:
			k.op = hashText(n.Name)
		}
		w.words = append(w.words, k)
	}
	for i := range w.words {
		if w.words[i].Const {
			w.index[w.words[i].Name.Name] = uint16(i)
		}
	}
	v.next = append(v.next, w)
	return w
}

// setConstant loads the value of a name.
func (c *constants) setConstant(n *event.Name) {
	v := int32(n.Value)
	switch n.Name {
	case "MPI_ANY_SOURCE":
		c.anySource = v
	case "MPI_ANY_TAG":
		c.anyTag = v
	case "MPI_PROC_NULL":
		c.procNull = v
	case "MPI_ROOT":
		c.rootSelf = v
	case "MPI_IN_PLACE":
		c.inPlace, c.hasInPlace = n.Value, true
	case "MPI_REQUEST_NULL":
		c.requestNull = n.Value
	case "MPI_COMM_NULL":
		c.commNull = n.Value
	case "MPI_DATATYPE_NULL":
		c.typeNull = n.Value
	}
	if !n.Const && n.Value > 1<<32 {
		c.requestSize = 8 // handles are pointers
	}
}

// constant returns the value of a constant, false if it is not known.
func (n *names) constant(name string) (int64, bool) {
	i, ok := n.index[name]
	if !ok {
		return 0, false
	}
	return int64(n.values[i]), true
}

func (n *names) isConst(name string, value int64) bool {
	v, ok := n.constant(name)
	return ok && v == value
}

// handle returns the name of a handle, nil if it is not predefined.
func (n *names) handle(kind mpiapi.Kind, value uint64) *word {
	// By hand: this is called for most arguments, and slices.BinarySearchFunc calls a function in each step.
	i, end := 0, len(n.handles)
	for i < end {
		if middle := int(uint(i+end) >> 1); n.values[n.handles[middle]] < value {
			i = middle + 1
		} else {
			end = middle
		}
	}
	for ; i < len(n.handles) && n.values[n.handles[i]] == value; i++ {
		if w := &n.words[n.handles[i]]; w.Kind == kind {
			return w
		}
	}
	return nil
}

// handleName returns the name of a handle, "" if it is not predefined.
func (n *names) handleName(kind mpiapi.Kind, value uint64) string {
	if w := n.handle(kind, value); w != nil {
		return w.Name.Name
	}
	return ""
}

// errorClass returns the name of an error class, "" if it is not known.
func (n *names) errorClass(class int32) string {
	for i := range n.words {
		if w := &n.words[i]; w.Const && int32(n.values[i]) == class && strings.HasPrefix(w.Name.Name, "MPI_ERR_") {
			return w.Name.Name
		}
	}
	return ""
}

func (n *names) isError(class int32, name string) bool { return n.errorClass(class) == name }

// shareText returns a shared copy of a text that many processes announce.
func (dict *dictionary) shareText(s string) string {
	if one, ok := dict.texts[s]; ok {
		return one
	}
	dict.texts[s] = s
	return s
}

// predefined returns one Type for all processes that have a predefined datatype of the same name and size.
func (dict *dictionary) predefined(d datatype.Dialect, name string, size int64) *match.Datatype {
	k := datatypeKey{d, name, size}
	if ty := dict.shared[k]; ty != nil {
		return ty
	}
	ty := &match.Datatype{Type: d.Predefined(name, size), Name: name, Permanent: true}
	dict.shared[k] = ty
	return ty
}
