package gdb

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Types of notes in core files, and the entry of the auxiliary vector with the program's entry point.
const (
	noteAuxv = 6
	noteFile = 0x46494c45 // "FILE"
	auxEntry = 9
	noteMax  = 64 << 20
)

// ErrNoCore means that a file is no core file.
var ErrNoCore = errors.New("no core file")

// Executable returns the path of the executable that a core file is of: the file that was mapped at the program's entry
// point.
func Executable(core string) (string, error) {
	f, err := elf.Open(core)
	if err != nil {
		var bad *elf.FormatError
		if errors.As(err, &bad) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return "", ErrNoCore
		}
		return "", err
	}
	defer f.Close()
	if f.Type != elf.ET_CORE {
		return "", ErrNoCore
	}
	if f.Class != elf.ELFCLASS64 {
		return "", errors.New("a core file of a 32-bit program")
	}
	var entry uint64
	var files []byte
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > noteMax {
			continue
		}
		notes, err := io.ReadAll(p.Open())
		if err != nil {
			return "", fmt.Errorf("its notes can't be read: %w", err)
		}
		eachNote(f.ByteOrder, notes, func(kind uint32, body []byte) {
			switch kind {
			case noteAuxv:
				for ; len(body) >= 16; body = body[16:] {
					if f.ByteOrder.Uint64(body) == auxEntry {
						entry = f.ByteOrder.Uint64(body[8:])
					}
				}
			case noteFile:
				files = body
			}
		})
	}
	if path := mappedAt(f.ByteOrder, files, entry); path != "" {
		return path, nil
	}
	return "", errors.New("the core file does not name its executable")
}

// eachNote calls a function for each note of an ELF file.
func eachNote(order binary.ByteOrder, notes []byte, do func(kind uint32, body []byte)) {
	padded := func(n uint32) uint64 { return (uint64(n) + 3) &^ 3 }
	for len(notes) >= 12 {
		name, size, kind := order.Uint32(notes), order.Uint32(notes[4:]), order.Uint32(notes[8:])
		start := 12 + padded(name)
		end := start + uint64(size)
		if end > uint64(len(notes)) {
			return
		}
		do(kind, notes[start:end])
		notes = notes[min(start+padded(size), uint64(len(notes))):]
	}
}

// mappedAt returns the file that was mapped at an address, by an NT_FILE note: a count and the page size, then a start,
// an end and an offset for each file, then the names.
func mappedAt(order binary.ByteOrder, note []byte, address uint64) string {
	if len(note) < 16 || address == 0 {
		return ""
	}
	n := order.Uint64(note)
	table := note[16:]
	if n > uint64(len(table))/24 {
		return ""
	}
	names := bytes.Split(table[24*n:], []byte{0})
	for i := range n {
		e := table[24*i:]
		if order.Uint64(e) <= address && address < order.Uint64(e[8:]) && i < uint64(len(names)) {
			return string(names[i])
		}
	}
	return ""
}
