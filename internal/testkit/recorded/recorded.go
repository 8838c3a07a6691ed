// Package recorded keeps the records of test programs in files that are small enough for the repository. It analyses
// them later: without MPI, without a compiler, and without the files that the processes had loaded.
package recorded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mpivet/mpivet/internal/cli"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/symbol"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// Run is a recorded run.
type Run struct {
	Head
	messages []byte // of the record file
}

// Head is the part of a run besides its records.
type Head struct {
	Program string // fingerprint of the program that ran
	Meta    ring.Meta
	// Frames of the code addresses in the records, by the path of the executable or library and by the address within
	// it. The file of a frame is "" unless it is the program's source.
	Frames map[string]map[uint64][]Frame
}

// Frame is a place in a program: a symbol.Frame.
type Frame struct {
	Function string `json:"f"`
	Line     int    `json:"l,omitempty"` // in the program's source; 0 if the place is elsewhere
}

// ReadRun reads a record file written by mpivet run. source is the absolute path of the program's source. The files
// that the processes had loaded must still exist.
func ReadRun(recordFile, source, fingerprint string) (*Run, error) {
	table, err := symbolize(recordFile)
	if err != nil {
		return nil, err
	}
	f, err := ring.OpenFile(recordFile, mpiapi.Reads)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	r := &Run{Head: Head{Program: fingerprint, Meta: f.Meta, Frames: make(map[string]map[uint64][]Frame)}}
	for a, frames := range table {
		if len(frames) == 0 {
			continue
		}
		if r.Frames[a.Path] == nil {
			r.Frames[a.Path] = make(map[uint64][]Frame)
		}
		list := make([]Frame, len(frames))
		for i, f := range frames {
			list[i].Function = f.Function
			if f.File == source {
				list[i].Line = f.Line
			}
		}
		r.Frames[a.Path][a.Offset] = list
	}
	r.Meta.Start, r.Meta.Version, r.Meta.Command = time.Time{}, "", []string{filepath.Base(source)}
	r.messages, err = f.Messages()
	return r, err
}

// Replay analyses the records like mpivet replay in an environment with these variables. source is the present path of
// the program's source: frames name it. It returns the report, as in the JSON file, and the exit status.
func (r *Run) Replay(source string, environment []string) (*mpirun.Report, int, error) {
	f, resolver, err := r.open(source)
	if err != nil {
		return nil, 0, err
	}
	return replay(f, resolver, environment)
}

// Text is like Replay, but it returns the text that mpivet replay prints. The path of source must be absolute.
func (r *Run) Text(source string, environment []string) (string, error) {
	f, resolver, err := r.open(source)
	if err != nil {
		return "", err
	}
	defer resolver.Close()
	defer f.Close() //nolint:errcheck // only read
	var b strings.Builder
	_, _, err = cli.Replay(f, resolver, environment, &b, filepath.Dir(source))
	return b.String(), err
}

// open returns the records, and a resolver that knows the functions and lines in source.
func (r *Run) open(source string) (*ring.File, *symbol.Resolver, error) {
	f, err := ring.OpenMessages(filepath.Base(source), r.Meta, r.messages, mpiapi.Reads)
	if err != nil {
		return nil, nil, err
	}
	table := make(symbol.Table)
	for path, places := range r.Frames {
		for offset, frames := range places {
			list := make([]symbol.Frame, len(frames))
			for i, f := range frames {
				list[i] = symbol.Frame{Function: f.Function, Line: f.Line}
				if f.Line != 0 {
					list[i].File = source
				}
			}
			table[symbol.Address{Path: path, Offset: offset}] = list
		}
	}
	return f, pipeline.NewResolver(symbol.WithTable(table)), nil
}

// ReplayFile analyses a record file like mpivet replay in an environment with these variables. It returns the report,
// as in the JSON file, and the exit status.
func ReplayFile(path string, environment []string) (*mpirun.Report, int, error) {
	f, err := ring.OpenFile(path, mpiapi.Reads)
	if err != nil {
		return nil, 0, err
	}
	return replay(f, pipeline.NewResolver(), environment)
}

func replay(f *ring.File, r *symbol.Resolver, environment []string) (*mpirun.Report, int, error) {
	defer r.Close()
	defer f.Close() //nolint:errcheck // only read
	doc, status, err := cli.Replay(f, r, environment, nil, "")
	if err != nil {
		return nil, 0, err
	}
	var text bytes.Buffer
	if err := doc.Write(&text); err != nil {
		return nil, 0, err
	}
	report, err := mpirun.ReadReport(text.Bytes())
	return report, status, err
}

// Dictionary is what the runs with one MPI have in common: records are compressed as differences from it.
type Dictionary []byte

// dictionaryFile is the file of a Dictionary in the directory of an MPI's runs.
const dictionaryFile = "dictionary"

// ReadDictionary reads the dictionary in a directory of runs.
func ReadDictionary(dir string) (Dictionary, error) {
	data, err := os.ReadFile(filepath.Join(dir, dictionaryFile))
	if err != nil {
		return nil, err
	}
	return Dictionary(nil).unpack(data)
}

// MakeDictionary makes a run the dictionary of a directory, and writes it. Runs that were packed with another
// dictionary cannot be read any more.
func MakeDictionary(dir string, r *Run) (Dictionary, error) {
	content, err := r.content()
	if err != nil {
		return nil, err
	}
	packed, err := Dictionary(nil).pack(content)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return content, os.WriteFile(filepath.Join(dir, dictionaryFile), packed, 0o644)
}

func (d Dictionary) id() uint32 { return crc32.ChecksumIEEE(d) | 1 }

func (d Dictionary) pack(content []byte) ([]byte, error) {
	options := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1)}
	if len(d) > 0 {
		options = append(options, zstd.WithEncoderDictRaw(d.id(), d))
	}
	e, err := zstd.NewWriter(nil, options...)
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(content, nil), e.Close()
}

func (d Dictionary) unpack(packed []byte) ([]byte, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64 << 20)}
	if len(d) > 0 {
		options = append(options, zstd.WithDecoderDictRaw(d.id(), d))
	}
	z, err := zstd.NewReader(nil, options...)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(packed, nil)
}

// content returns the content of a run's file: the length of the head as a uint32, the head in JSON, the messages.
func (r *Run) content() ([]byte, error) {
	head, err := json.Marshal(r.Head)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	return append(append(b, head...), r.messages...), nil
}

// Write writes a run to a file. Read needs the same dictionary to read it.
func (r *Run) Write(path string, d Dictionary) error {
	content, err := r.content()
	if err != nil {
		return err
	}
	packed, err := d.pack(content)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, packed, 0o644)
}

// Read reads a run from a file.
func Read(path string, d Dictionary) (*Run, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err := d.unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, fmt.Errorf("%s: it is cut short", path)
	}
	n := binary.LittleEndian.Uint32(b) + 4
	r := &Run{messages: b[n:]}
	if err := json.Unmarshal(b[4:n], &r.Head); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Stale returns why a run cannot replace a run of the program today, "" if it can.
func (r *Run) Stale(fingerprint string) string {
	var why []string
	if r.Program != fingerprint {
		why = append(why, "the program has changed")
	}
	if r.Meta.Layout != layout.Records {
		why = append(why, fmt.Sprintf("its records have layout %d, not %d", r.Meta.Layout, layout.Records))
	} else if !mpiapi.Reads(r.Meta.TableHash) {
		why = append(why, "the table of MPI functions has changed")
	}
	return strings.Join(why, ", ")
}

// ErrNone is wrapped by the error of Find if there is no run.
var ErrNone = errors.New("there is no recording")

// Find reads the run of a program from a directory with runs. It returns an error if the run does not exist or is
// stale.
func Find(path string, d Dictionary, fingerprint string) (*Run, error) {
	r, err := Read(path, d)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	if why := r.Stale(fingerprint); why != "" {
		return nil, errors.New(why)
	}
	return r, nil
}
