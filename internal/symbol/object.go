package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
)

// guard runs f and converts a panic to an error. Files are mapped, so reading a file that is truncated meanwhile causes
// a fault. debug/dwarf may also index out of range on malformed input.
func guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	f()
	return nil
}

// image is a mapped ELF file.
type image struct {
	path string
	data []byte
	elf  *elf.File
}

// openImage maps an ELF file. Only the parts that are used are read from disk.
func openImage(path string) (*image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if st.Size() == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", path, err)
	}
	img := &image{path: path, data: data}
	if gerr := guard(func() { img.elf, err = elf.NewFile(bytes.NewReader(data)) }); gerr != nil {
		err = gerr
	}
	if err != nil {
		img.close()
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return img, nil
}

func (i *image) close() {
	if i != nil && i.data != nil {
		_ = syscall.Munmap(i.data)
		i.data = nil
	}
}

// section returns the contents of a section; nil if it is missing, empty or unreadable. A section that is not
// compressed is not copied: the result is a part of the mapping.
func (i *image) section(name string) []byte {
	for _, s := range i.elf.Sections {
		switch {
		case s.Type == elf.SHT_NOBITS:
			continue
		case s.Name == name && s.Flags&elf.SHF_COMPRESSED == 0:
			return i.part(s.Offset, s.FileSize)
		case s.Name == name:
			return i.inflate(i.part(s.Offset, s.FileSize))
		case strings.HasPrefix(name, ".debug_") && s.Name == ".z"+name[1:]:
			return inflateGNU(i.part(s.Offset, s.FileSize))
		}
	}
	return nil
}

// part returns a range of the file; nil if it is outside the file.
func (i *image) part(off, size uint64) []byte {
	if off > uint64(len(i.data)) || size > uint64(len(i.data))-off {
		return nil
	}
	return i.data[off : off+size : off+size]
}

// buildID returns the GNU build id; nil if there is none.
func (i *image) buildID() []byte {
	for _, s := range i.elf.Sections {
		if s.Type == elf.SHT_NOTE {
			if id := noteBuildID(i.part(s.Offset, s.FileSize), i.elf.ByteOrder); id != nil {
				return id
			}
		}
	}
	for _, p := range i.elf.Progs {
		if p.Type == elf.PT_NOTE {
			if id := noteBuildID(i.part(p.Off, p.Filesz), i.elf.ByteOrder); id != nil {
				return id
			}
		}
	}
	return nil
}

// noteBuildID finds NT_GNU_BUILD_ID in a list of ELF notes.
func noteBuildID(b []byte, order binary.ByteOrder) []byte {
	const ntGNUBuildID = 3
	for len(b) >= 12 {
		namesz := uint64(order.Uint32(b))
		descsz := uint64(order.Uint32(b[4:]))
		typ := order.Uint32(b[8:])
		b = b[12:]
		desc := (namesz + 3) &^ 3
		next := desc + (descsz+3)&^3
		if desc+descsz > uint64(len(b)) {
			return nil
		}
		if typ == ntGNUBuildID && string(b[:namesz]) == "GNU\x00" && descsz > 0 {
			return b[desc : desc+descsz]
		}
		if next > uint64(len(b)) {
			return nil
		}
		b = b[next:]
	}
	return nil
}

// executable reports whether addr is in an executable segment. Linkers keep the debug information of discarded
// functions with addresses near 0, where there is no code.
func (i *image) executable(addr uint64) bool {
	for _, p := range i.elf.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && p.Vaddr <= addr && addr-p.Vaddr < p.Memsz {
			return true
		}
	}
	return false
}

// object is a module's file together with its separate debug file, if it has one. Any part may be nil.
type object struct {
	module *Module
	main   *image // the file itself
	debug  *image // separate debug file

	symbols    *symbols // of main and debug
	dwarfData  *dwarfInfo
	dwarfTried bool
}

func (o *object) close() {
	o.main.close()
	o.debug.close()
	o.dwarfData.close()
}

// debugPath returns the path of the file with the debug information, for messages.
func (o *object) debugPath() string {
	if o.debug != nil {
		return o.debug.path
	}
	return o.module.Path
}

var errChanged = errors.New("has changed since it was run")

// openObject opens the files of a module. It does not use a file whose build id differs from that in the process, but
// still uses a separate debug file with the right build id.
func (r *Resolver) openObject(o *object) {
	m := o.module
	path, deleted := strings.CutSuffix(m.Path, " (deleted)")
	var err error
	if deleted {
		err = os.ErrNotExist
	} else {
		o.main, err = openImage(path)
	}
	if err == nil && len(m.BuildID) > 0 {
		if have := o.main.buildID(); !bytes.Equal(have, m.BuildID) {
			o.main.close()
			o.main, err = nil, errChanged
		}
	}
	if o.main == nil || len(o.main.section(".debug_info")) == 0 {
		o.debug = r.findDebugFile(o, path)
	}
	if o.missing() && r.remote == nil && strings.HasPrefix(path, "/") {
		switch {
		case errors.Is(err, errChanged):
			r.note("%s has changed since it was run: its functions and lines are not known", path)
		case errors.Is(err, os.ErrNotExist):
			r.note("%s is gone: its functions and lines are not known", path)
		default:
			r.note("%v: its functions and lines are not known", err)
		}
	}
}

// missing reports whether there is neither the file nor its debug information.
func (o *object) missing() bool { return o.main == nil && o.debug == nil }

// findDebugFile looks for a separate debug file in the same places as gdb: by build id under each root; then by
// .gnu_debuglink beside the file, in .debug there, and under each root.
func (r *Resolver) findDebugFile(o *object, path string) *image {
	id := o.module.BuildID
	if len(id) == 0 && o.main != nil {
		id = o.main.buildID()
	}
	if len(id) > 1 {
		hex := buildIDString(id)
		for _, root := range r.roots {
			img, err := openImage(filepath.Join(root, ".build-id", hex[:2], hex[2:]+".debug"))
			if err != nil {
				continue
			}
			if bytes.Equal(img.buildID(), id) {
				return img
			}
			img.close()
		}
	}
	if o.main == nil {
		return nil
	}
	name, sum, ok := debugLink(o.main)
	if !ok {
		return nil
	}
	dirs := []string{filepath.Dir(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = append(dirs, filepath.Dir(real))
	}
	var candidates []string
	for _, dir := range dirs {
		candidates = append(candidates, filepath.Join(dir, name), filepath.Join(dir, ".debug", name))
		for _, root := range r.roots {
			candidates = append(candidates, filepath.Join(root, dir, name))
		}
	}
	for _, c := range candidates {
		img, err := openImage(c)
		if err != nil {
			continue
		}
		// A build id is as reliable as the checksum of the whole file, and cheaper.
		have := img.buildID()
		sameID := bytes.Equal(have, id)
		if len(have) == 0 || len(id) == 0 {
			sameID = crc32.ChecksumIEEE(img.data) == sum
		}
		if sameID && c != path {
			return img
		}
		img.close()
		if sameID {
			continue // the file itself
		}
		r.note("%s does not belong to %s: it was made from another build", c, path)
	}
	return nil
}

// debugLink returns the content of .gnu_debuglink: the debug file's name and its CRC-32.
func debugLink(i *image) (name string, sum uint32, ok bool) {
	b := i.section(".gnu_debuglink")
	end := bytes.IndexByte(b, 0)
	if end <= 0 {
		return "", 0, false
	}
	at := (end + 4) &^ 3
	if at+4 > len(b) {
		return "", 0, false
	}
	return filepath.Base(string(b[:end])), i.elf.ByteOrder.Uint32(b[at:]), true
}

// altFile opens the file that dwz(1) made to be shared by several debug files; nil if there is none.
func (r *Resolver) altFile(i *image) *image {
	b := i.section(".gnu_debugaltlink")
	end := bytes.IndexByte(b, 0)
	if end <= 0 {
		return nil
	}
	name, id := string(b[:end]), b[end+1:]
	var candidates []string
	if filepath.IsAbs(name) {
		candidates = append(candidates, name)
	} else {
		dir := filepath.Dir(i.path)
		if real, err := filepath.EvalSymlinks(i.path); err == nil {
			dir = filepath.Dir(real)
		}
		candidates = append(candidates, filepath.Join(dir, name))
	}
	for _, root := range r.roots {
		if hex := buildIDString(id); len(hex) > 2 {
			candidates = append(candidates, filepath.Join(root, ".build-id", hex[:2], hex[2:]+".debug"))
		}
		if _, base, found := strings.Cut(name, "/.dwz/"); found {
			candidates = append(candidates, filepath.Join(root, ".dwz", base))
		}
	}
	for _, c := range candidates {
		img, err := openImage(c)
		if err != nil {
			continue
		}
		if bytes.Equal(img.buildID(), id) {
			return img
		}
		img.close()
	}
	r.note("%s: the shared debug information %s is missing, so some names are not known", i.path, name)
	return nil
}
