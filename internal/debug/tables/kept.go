package tables

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Kept is an object that the process has made.
type Kept struct {
	At     uint64 // address of its entry
	Kind   mpiapi.Kind
	Handle uint64
	Serial uint64        // from 1, in the order in which the process has made its objects
	Freed  uint64        // 0, or the number of objects made before it was freed, plus 1
	Made   time.Duration // time of CLOCK_MONOTONIC at which it was made, 0 if it is not known
	Call   event.Call    // that made it
	PCs    []uint64      // return addresses of that call, innermost first

	references []byte
	notes      uint64
}

// Notes returns the later calls that say more about an object, in their order: of MPI_Type_set_name, MPI_Info_set and
// MPI_Info_delete.
func (t *Tables) Notes(k *Kept) (calls []event.Call, err error) {
	for at := k.notes; at != 0; {
		if len(calls) == mostNotes {
			return calls, damaged("the notes about the %s %#x do not end", kindWords[k.Kind], k.Handle)
		}
		b, err := read(t.memory, at, layout.SizeofNote)
		if err != nil {
			return calls, fmt.Errorf("the notes about the %s %#x: %w", kindWords[k.Kind], k.Handle, err)
		}
		length := uint64(u32(b, layout.NoteLengthAt))
		if length == 0 || length > maxKept {
			return calls, damaged("a note of %d bytes", length)
		}
		rec, err := readChunks(t.memory, at+layout.SizeofNote, length)
		if err != nil {
			return calls, fmt.Errorf("the notes about the %s %#x: %w", kindWords[k.Kind], k.Handle, err)
		}
		c, err := event.ParseCall(rec)
		if err != nil {
			return calls, damaged("a note about the %s %#x: %v", kindWords[k.Kind], k.Handle, err)
		}
		calls = append(calls, c)
		at = u64(b, layout.NoteNextAt)
	}
	slices.Reverse(calls)
	return calls, nil
}

// mostNotes is the number of notes about an object that the process keeps.
const mostNotes = 256

// Reference is an object that was an argument of the call that made another one.
type Reference struct {
	Handle uint64
	At     uint64 // address of its entry, 0 if it is predefined or unknown
}

// References returns the number of objects that the call got as arguments, in the order of the parameters and of the
// elements of arrays.
func (k *Kept) References() int { return len(k.references) / layout.SizeofReference }

// Reference returns one of the objects that the call got, from 0 to References()-1.
func (k *Kept) Reference(i int) Reference {
	b := k.references[i*layout.SizeofReference:]
	return Reference{u64(b, layout.ReferenceHandleAt), u64(b, layout.ReferenceKeptAt)}
}

// ErrUnknown is matched by errors for handles that the tables do not have.
var ErrUnknown = errors.New("mpivet knows no such object")

// unknownError is an ErrUnknown with a text about the handle.
type unknownError string

func (e unknownError) Error() string { return string(e) }

func (unknownError) Is(target error) bool { return target == ErrUnknown }

// kindWords are the kinds of handles in messages.
var kindWords = map[mpiapi.Kind]string{
	mpiapi.Comm: "communicator", mpiapi.Group: "group", mpiapi.Datatype: "datatype", mpiapi.Op: "reduction operation",
	mpiapi.Request: "request", mpiapi.Win: "window", mpiapi.File: "file", mpiapi.Info: "info object",
	mpiapi.Errhandler: "error handler", mpiapi.Message: "message", mpiapi.Session: "session",
}

// KindWord returns the word for a kind of object: "communicator".
func KindWord(k mpiapi.Kind) string { return kindWords[k] }

// keptKinds maps enum mv_name_kind. The first one is that of constants.
var keptKinds = [...]mpiapi.Kind{
	mpiapi.Int, mpiapi.Comm, mpiapi.Group, mpiapi.Datatype, mpiapi.Op, mpiapi.Request, mpiapi.Win, mpiapi.File,
	mpiapi.Info, mpiapi.Errhandler, mpiapi.Message, mpiapi.Session,
}

// spread is the factor of the hash of handles.
const spread = 0x9e3779b97f4a7c15

// Find returns the newest object with a handle. The object may have been freed. If there is none, the error says what
// else the handle stands for.
func (t *Tables) Find(kind mpiapi.Kind, handle uint64) (*Kept, error) {
	bits := u32(t.header, layout.DebugKeptBitsAt)
	table := u64(t.header, layout.DebugKeptAt)
	if bits > maxKeptBits {
		return nil, damaged("a table of 1<<%d objects", bits)
	}
	if table == 0 {
		return nil, t.unknown(kind, handle)
	}
	slot, err := read(t.memory, table+8*(handle*spread>>(64-bits)), 8)
	if err != nil {
		return nil, fmt.Errorf("the table of objects: %w", err)
	}
	seen := make(map[uint64]bool)
	other := mpiapi.Int
	for at := u64(slot, 0); at != 0; {
		if seen[at] || len(seen) >= maxSteps {
			return nil, damaged("a list of objects does not end")
		}
		seen[at] = true
		b, err := read(t.memory, at, layout.SizeofKept)
		if err != nil {
			return nil, fmt.Errorf("the table of objects: %w", err)
		}
		if u64(b, layout.KeptHandleAt) == handle {
			k := u32(b, layout.KeptKindAt)
			if int(k) >= len(keptKinds) || k == 0 {
				return nil, damaged("an object of kind %d", k)
			}
			if keptKinds[k] == kind {
				return t.KeptAt(at)
			}
			other = keptKinds[k]
		}
		at = u64(b, layout.KeptNextAt)
	}
	if other != mpiapi.Int {
		return nil, fmt.Errorf("%#x is no %s: it is a %s", handle, kindWords[kind], kindWords[other])
	}
	return nil, t.unknown(kind, handle)
}

func (t *Tables) unknown(kind mpiapi.Kind, handle uint64) error {
	names := t.Names()
	for _, k := range keptKinds[1:] {
		if name := names.NameHandle(k, handle); name != "" && k != kind {
			return fmt.Errorf("%#x is no %s: it is %s", handle, kindWords[kind], name)
		}
	}
	if t.Forgotten > 0 {
		return unknownError(fmt.Sprintf("%#x is no %s that mpivet knows, but it had no room for %d objects",
			handle, kindWords[kind], t.Forgotten))
	}
	return unknownError(fmt.Sprintf("%#x is no %s that mpivet knows", handle, kindWords[kind]))
}

// KeptAt returns the object whose entry is at an address.
func (t *Tables) KeptAt(at uint64) (*Kept, error) {
	b, err := read(t.memory, at, layout.SizeofKept)
	if err != nil {
		return nil, fmt.Errorf("an object: %w", err)
	}
	kind := u32(b, layout.KeptKindAt)
	if int(kind) >= len(keptKinds) || kind == 0 {
		return nil, damaged("an object of kind %d", kind)
	}
	k := &Kept{
		At: at, Kind: keptKinds[kind], Handle: u64(b, layout.KeptHandleAt), Serial: u64(b, layout.KeptSerialAt),
		notes: u64(b, layout.KeptNotesAt),
		Freed: u64(b, layout.KeptFreedAt), Made: duration(u64(b, layout.KeptBeatAt)),
	}
	for i := range layout.KeptPCs {
		if pc := u64(b, layout.KeptPCsAt+8*i); pc != 0 {
			k.PCs = append(k.PCs, pc)
		} else {
			break
		}
	}
	length, extra := uint64(u32(b, layout.KeptLengthAt)), uint64(u32(b, layout.KeptExtraAt))
	references := uint64(u32(b, layout.KeptReferencesAt)) * layout.SizeofReference
	if length == 0 || length%layout.Line != 0 || extra%layout.Line != 0 || references+length+extra > maxKept {
		return nil, damaged("an object with a record of %d bytes, %d bytes of arrays and %d bytes of references",
			length, extra, references)
	}
	body, err := readChunks(t.memory, at+layout.SizeofKept, references+length+extra)
	if err != nil {
		return nil, fmt.Errorf("the %s %#x: %w", kindWords[k.Kind], k.Handle, err)
	}
	k.references = body[:references:references]
	if k.Call, err = event.ParseCall(body[references : references+length : references+length]); err != nil {
		return nil, damaged("the call that made the %s %#x: %v", kindWords[k.Kind], k.Handle, err)
	}
	return k, attach(&k.Call, body[references+length:])
}

// attach gives a call the arrays that were too long for its record.
func attach(c *event.Call, records []byte) error {
	if len(records) == 0 {
		return nil
	}
	cut := new(event.Cut)
	for len(records) > 0 {
		_, n, err := event.Parse(records)
		if err != nil || binary.LittleEndian.Uint16(records) != layout.InfoData {
			return damaged("the arrays of %s", c.Func.Name)
		}
		if err := cut.Add(records[:n]); err != nil {
			return damaged("the arrays of %s: %v", c.Func.Name, err)
		}
		records = records[n:]
	}
	c.Attach(cut)
	return nil
}

// Older returns the object that a reference of k leads to, nil if it is predefined or unknown. An object refers only to
// older ones, so a chain of references ends.
func (t *Tables) Older(k *Kept, r Reference) (*Kept, error) {
	if r.At == 0 {
		return nil, nil //nolint:nilnil // nothing is there
	}
	o, err := t.KeptAt(r.At)
	switch {
	case err != nil:
		return nil, err
	case o.Handle != r.Handle:
		return nil, damaged("a reference to %#x leads to %#x", r.Handle, o.Handle)
	case o.Serial >= k.Serial:
		return nil, damaged("the %s %#x is made from one that is newer", kindWords[k.Kind], k.Handle)
	}
	return o, nil
}

// CallIn returns the call whose record begins with some bytes, and has a given length. Arrays that are not whole in
// these bytes are left out.
func callIn(b []byte, length uint32) (event.Call, error) {
	if length < layout.Line || length%layout.Line != 0 || length > 0xffff*layout.Line {
		return event.Call{}, damaged("a record of %d bytes", length)
	}
	if int(length) <= len(b) {
		c, err := event.ParseCall(slices.Clone(b[:length]))
		if err != nil {
			err = damaged("%v", err)
		}
		return c, err
	}
	rec := make([]byte, length)
	copy(rec, b)
	used := (int(binary.LittleEndian.Uint16(rec[layout.RecordUsedAt:])) + 7) &^ 7
	if used > len(b) {
		return event.Call{}, damaged("a call with %d bytes of arguments, of which only %d are kept", used, len(b))
	}
	rec[layout.RecordFlagsAt] &^= layout.Timed
	clear(rec[wholeSections(b, used):])
	c, err := event.ParseCall(rec)
	if err != nil {
		err = damaged("%v", err)
	}
	return c, err
}

// widths are the lengths of an element of a section.
var widths = map[uint16]uint64{
	layout.SecIn32: 4, layout.SecIn64: 8, layout.SecOut32: 4, layout.SecOut64: 8, layout.SecStatus: layout.SizeofStatus,
	layout.SecString: 1, layout.SecCut: 0,
}

// wholeSections returns the end of the sections from an offset on that lie in b as a whole.
func wholeSections(b []byte, at int) int {
	for at+layout.SizeofSection <= len(b) {
		width, known := widths[binary.LittleEndian.Uint16(b[at:])]
		size := (uint64(u32(b, at+4))*width + 7) &^ 7
		if !known || size > uint64(len(b)-at-layout.SizeofSection) {
			break
		}
		at += layout.SizeofSection + int(size)
	}
	return at
}
