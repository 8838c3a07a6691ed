package ring

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Limits for the files of objects (preload/src/objects.c): how many a process has, and how long one may be.
const (
	maxObjectFiles = 5
	maxObjectFile  = 64 << 20
)

// ObjectKind is enum mv_object_kind.
type ObjectKind uint32

// The kinds of objects.
const (
	CommObject ObjectKind = layout.ObjectComm
	WinObject  ObjectKind = layout.ObjectWin
	FileObject ObjectKind = layout.ObjectFile
)

// How an object was made, in addition to the values of mpiapi.CollKind (enum mv_made).
const (
	MadeWorld  = layout.MadeWorld  // MPI_COMM_WORLD
	MadeSelf   = layout.MadeSelf   // MPI_COMM_SELF
	MadeParent = layout.MadeParent // by MPI_Comm_get_parent
	MadeElse   = layout.MadeElse
)

// objectAlone is MV_OBJECT_ALONE.
const objectAlone = layout.ObjectAlone

// ObjectView is a communicator, window or file of a process, with the process's collective calls on it.
type ObjectView struct {
	Serial     uint64 // different for each object that a process has had
	Handle     uint64
	ID         uint64 // the same on all members
	Alone      bool   // no other object has this ID
	Parent     uint64 // ID of the object that it was made from, 0 if there is none
	Number     uint64 // its number among the objects of its kind that were made from the parent, from 1
	Kind       ObjectKind
	Made       uint32 // mpiapi.CollKind, or MadeWorld …
	Rank, Size int    // in the (local) group
	RemoteSize int    // of an inter-communicator
	Name       string // given by the program
	// Members are world ranks, first of the local group and then of the remote one, -1 for a process of another
	// MPI_COMM_WORLD. There may be only the first ones.
	Members []int
	Counts  []Count // of the kinds with calls, in the order of the kinds
}

// Count says how many calls of a kind of collective have begun and have returned.
type Count struct {
	Kind          mpiapi.CollKind
	Entered, Left uint64
}

// objectsName returns the name of the i-th file of objects of a process, given that of its own file.
func objectsName(process string, i int) string { return fmt.Sprintf("s%s.%d", process[1:], i) }

func (p *ProcessView) lookObjects(dirs []string, problems *[]string) {
	for i := range maxObjectFiles {
		name, found := objectsName(p.Name, i), false
		for _, d := range dirs {
			b, err := readAll(d, name, maxObjectFile)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			// A serial number is stored last and cleared first. So an object is whole if it still has its number after
			// reading.
			var again []byte
			if err == nil {
				again, err = readAll(d, name, maxObjectFile)
			}
			if err == nil {
				err = p.objects(filepath.Join(d, name), b, again)
			}
			if err != nil {
				*problems = append(*problems, err.Error())
			}
			found = true
		}
		if !found {
			return
		}
	}
}

// objects reads the objects in a file. The file was read twice: b and again.
func (p *ProcessView) objects(path string, b, again []byte) error {
	if len(b) < layout.SizeofObjects {
		return damagedFile(path, "it is cut short")
	}
	if err := checkHead(path, b, layout.MagicObjects); err != nil {
		return err
	}
	header, size, count := uint64(u32(b, layout.ObjectsHeaderSizeAt)), uint64(u32(b, layout.ObjectsObjectSizeAt)),
		uint64(u32(b, layout.ObjectsCountAt))
	if size != uint64(layout.SizeofObject) || u32(b, layout.ObjectsKindsAt) != layout.Kinds ||
		header+size*count > uint64(len(b)) {
		return damagedFile(path, "%d objects of %d bytes in %d", count, size, len(b))
	}
	p.Homeless += int(u32(b, layout.ObjectsHomelessAt))
	at, used := uint64(u32(b, layout.ObjectsNamesAtAt)), uint64(u32(b, layout.ObjectsNamesUsedAt))
	if at+used > header {
		return damagedFile(path, "names of %d bytes", used)
	}
	if used > 0 {
		p.Names = b[at : at+used]
	}
	for i := range count {
		at := header + i*size
		if at+size > uint64(len(again)) || u64(b, int(at)) != u64(again, int(at)) {
			continue
		}
		o, err := ParseObject(b[at:][:size])
		if err != nil {
			return damagedFile(path, "%v", err)
		}
		if o != nil {
			p.Objects = append(p.Objects, o)
		}
	}
	return nil
}

// maxMembers is the maximum number of listed members of an object.
const maxMembers = 1 << 20

// ParseObject returns the object in the bytes of a struct mv_object, nil if there is none. It returns an error if the
// bytes are too few, or contain impossible numbers.
func ParseObject(b []byte) (*ObjectView, error) {
	if len(b) < layout.SizeofObject {
		return nil, fmt.Errorf("an object in %d bytes", len(b))
	}
	var m layout.Object
	num := func(at int) int { return int(int32(u32(b, at))) }
	o := &ObjectView{
		Serial: u64(b, layout.ObjectSerialAt), Handle: u64(b, layout.ObjectHandleAt),
		ID: u64(b, layout.ObjectIDAt), Parent: u64(b, layout.ObjectParentAt), Number: u64(b, layout.ObjectNumberAt),
		Alone: u32(b, layout.ObjectFlagsAt)&objectAlone != 0,
		Kind:  ObjectKind(u32(b, layout.ObjectKindAt)), Made: u32(b, layout.ObjectMadeAt),
		Rank: num(layout.ObjectRankAt), Size: num(layout.ObjectSizeAt), RemoteSize: num(layout.ObjectRemoteSizeAt),
		Name: text(b[layout.ObjectNameAt:][:len(m.Name)]),
	}
	if o.Serial == 0 {
		return nil, nil //nolint:nilnil // nothing is there
	}
	if o.Kind < CommObject || o.Kind > FileObject || o.Size < 0 || o.RemoteSize < 0 {
		return nil, fmt.Errorf("an object of kind %d with %d and %d members", o.Kind, o.Size, o.RemoteSize)
	}
	runs, remote := uint64(u32(b, layout.ObjectRunsAt)), uint64(u32(b, layout.ObjectRemoteRunsAt))
	if runs > layout.ObjectRuns || remote > layout.ObjectRuns-runs {
		return nil, fmt.Errorf("an object with %d and %d runs of members", runs, remote)
	}
	for i := range int(runs + remote) {
		r := layout.ObjectRunAt + i*layout.SizeofRun
		start, stride, count := num(r), num(r+4), num(r+8)
		if count < 0 || len(o.Members)+count > maxMembers {
			return nil, fmt.Errorf("an object with a run of %d members", count)
		}
		for k := range count {
			if start < 0 {
				o.Members = append(o.Members, -1)
			} else {
				o.Members = append(o.Members, max(start+k*stride, -1))
			}
		}
	}
	for k := range layout.Kinds {
		at := layout.ObjectCountAt + k*layout.SizeofCount
		if c := (Count{
			Kind: mpiapi.CollKind(k), Entered: u64(b, at), Left: u64(b, at+8),
		}); c.Entered != 0 || c.Left != 0 {
			o.Counts = append(o.Counts, c)
		}
	}
	return o, nil
}
