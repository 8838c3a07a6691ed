package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Told is the file in which the analyzer tells a process what it knows, for the debuggers of that process: struct
// mv_told of preload/record.h. The process has mapped it. It has no name, so that it is part of core files.
type Told struct {
	f        *os.File
	sequence uint64
	last     string // the part behind the header that was written last
}

// Unexpected is a message that was sent to a process, and for which the process has posted no receive.
type Unexpected struct {
	Comm     uint64 // handle in the receiving process
	Source   int32  // rank of the sender in the communicator, for the receiver
	Tag      int32
	World    int32  // rank of the sender in MPI_COMM_WORLD, -1 if it is not known
	Function uint32 // of the call that sends it: its number in the API table
	Bytes    int64  // -1 if it is not known
}

// Told opens the file of a process, and removes its name. It fails if the process has not initialized MPI, or if there
// was no room for the file. It must be called at most once for a process.
func (l *Live) Told(id ProcID) (*Told, error) {
	p := l.procs[id]
	if p == nil {
		return nil, fmt.Errorf("process %d is not there any more", id)
	}
	var errs []error
	for _, dir := range []string{p.file.dir, l.s.Dir, l.s.Fallback} {
		if dir == "" {
			continue
		}
		t, err := openTold(filepath.Join(dir, "d"+p.name[1:]))
		if err == nil {
			return t, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func openTold(path string) (*Told, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	var head [layout.SizeofTold]byte
	if _, err = f.ReadAt(head[:], 0); err == nil {
		err = checkTold(head[:])
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Told{f: f}, nil
}

func checkTold(head []byte) error {
	switch {
	case binary.LittleEndian.Uint64(head[layout.ToldMagicAt:]) != layout.MagicTold:
		return errors.New("not a file for debuggers")
	case binary.LittleEndian.Uint32(head[layout.ToldVersionAt:]) != layout.Version:
		return errors.New("another version")
	case binary.LittleEndian.Uint64(head[layout.ToldSizeAt:]) != layout.ToldSize:
		return errors.New("another size")
	}
	return nil
}

// ToldText is the longest text that Tell writes.
const ToldText = (layout.ToldSize - layout.SizeofTold) / 2

// Tell writes a text, and as many of the messages as there is room for. It leaves out a text that is longer than
// ToldText. It writes nothing if nothing has changed.
func (t *Told) Tell(messages []Unexpected, text string) error {
	if len(text) > ToldText {
		text = ""
	}
	most := (layout.ToldSize - layout.SizeofTold - len(text)) / layout.SizeofUnexpected
	more := max(0, len(messages)-most)
	messages = messages[:len(messages)-more]

	at := uint64(now())
	var list []byte
	for _, m := range messages {
		list = binary.LittleEndian.AppendUint64(list, m.Comm)
		for _, v := range []uint32{uint32(m.Source), uint32(m.Tag), uint32(m.World), m.Function} {
			list = binary.LittleEndian.AppendUint32(list, v)
		}
		list = binary.LittleEndian.AppendUint64(list, uint64(m.Bytes))
		list = binary.LittleEndian.AppendUint64(list, 0)
	}
	all := string(list) + text
	if all == t.last && t.sequence > 0 {
		return nil
	}
	t.last = all
	for i := int(layout.UnexpectedBeatAt); i < len(list); i += int(layout.SizeofUnexpected) {
		binary.LittleEndian.PutUint64(list[i:], at)
	}

	var b []byte
	b = binary.LittleEndian.AppendUint64(b, at)
	first := int(layout.SizeofTold)
	for _, v := range []int{first, len(messages), more, first + len(list), len(text)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return t.write(b, append(list, text...))
}

// write replaces the contents. Readers see by the sequence number that they are being replaced.
func (t *Told) write(head, rest []byte) error {
	sequence := func() error {
		t.sequence++
		_, err := t.f.WriteAt(binary.LittleEndian.AppendUint64(nil, t.sequence), int64(layout.ToldSequenceAt))
		return err
	}
	err := sequence()
	if err == nil {
		_, err = t.f.WriteAt(head, int64(layout.ToldTimeAt))
	}
	if err == nil {
		_, err = t.f.WriteAt(rest, int64(layout.SizeofTold))
	}
	return errors.Join(err, sequence())
}

// Close closes the file. The process keeps its contents.
func (t *Told) Close() { t.f.Close() }

// Teller is Told, or the like for a process of another node.
type Teller interface {
	Tell(messages []Unexpected, text string) error
	Close()
}

// Teller returns Told of a process.
func (l *Live) Teller(id ProcID) (Teller, error) {
	t, err := l.Told(id)
	if err != nil {
		return nil, err
	}
	return t, nil
}
