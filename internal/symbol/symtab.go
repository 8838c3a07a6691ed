package symbol

import (
	"bytes"
	"debug/elf"
	"io"
	"sort"

	"github.com/ulikunitz/xz"
)

// symbols is a table of the functions in a file, by address. Names stay in the mapped file until they are needed.
type symbols struct {
	funcs []funcSymbol
	names [][]byte // string tables
}

type funcSymbol struct {
	addr, size uint64
	name       uint32
	table      uint8
	global     bool
}

// symbol returns the readable name of the function at a virtual address; "" if there is none.
func (o *object) symbol(addr uint64) string {
	if o.symbols == nil {
		o.symbols = &symbols{}
		// The debug file has the full table. The file itself may have only the exported functions.
		found := false
		for _, img := range []*image{o.debug, o.main} {
			if img != nil && o.symbols.read(img, elf.SHT_SYMTAB) {
				found = true
				break
			}
		}
		if !found && o.main != nil {
			o.symbols.read(o.main, elf.SHT_DYNSYM)
			if mini := miniDebugInfo(o.main); mini != nil {
				o.symbols.read(mini, elf.SHT_SYMTAB)
			}
		}
		o.symbols.sort()
	}
	return readable(o.symbols.find(addr))
}

// maxMini is the maximum size of the symbols that a file has in compressed form.
const maxMini = 256 << 20

// miniDebugInfo returns the ELF file in the section .gnu_debugdata; nil if there is none. Fedora's files have their
// functions there that are not exported.
func miniDebugInfo(i *image) *image {
	packed := i.section(".gnu_debugdata")
	if len(packed) == 0 {
		return nil
	}
	r, err := xz.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMini))
	if err != nil {
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return &image{path: i.path, data: data, elf: f}
}

// read adds the functions of a symbol table. It reports whether there were any.
func (s *symbols) read(i *image, typ elf.SectionType) bool {
	order := i.elf.ByteOrder
	before := len(s.funcs)
	for _, sec := range i.elf.Sections {
		if sec.Type != typ || int(sec.Link) >= len(i.elf.Sections) {
			continue
		}
		str := i.elf.Sections[sec.Link]
		if str.Type == elf.SHT_NOBITS {
			continue
		}
		data, names := i.part(sec.Offset, sec.FileSize), i.part(str.Offset, str.FileSize)
		table := uint8(len(s.names))
		s.names = append(s.names, names)
		size := 24
		if i.elf.Class == elf.ELFCLASS32 {
			size = 16
		}
		for ; len(data) >= size; data = data[size:] {
			var f funcSymbol
			var info byte
			var shndx uint16
			f.name = order.Uint32(data)
			if size == 24 {
				info, shndx = data[4], order.Uint16(data[6:])
				f.addr, f.size = order.Uint64(data[8:]), order.Uint64(data[16:])
			} else {
				info, shndx = data[12], order.Uint16(data[14:])
				f.addr, f.size = uint64(order.Uint32(data[4:])), uint64(order.Uint32(data[8:]))
			}
			t := elf.SymType(info & 15)
			if (t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC) || elf.SectionIndex(shndx) == elf.SHN_UNDEF {
				continue
			}
			if int(f.name) >= len(names) || f.addr == 0 {
				continue
			}
			f.table = table
			f.global = elf.SymBind(info>>4) != elf.STB_LOCAL
			s.funcs = append(s.funcs, f)
		}
	}
	return len(s.funcs) > before
}

// sort sorts the functions by address. Of functions at the same address, the preferred one comes last: the longest,
// then a global one.
func (s *symbols) sort() {
	sort.SliceStable(s.funcs, func(i, j int) bool {
		a, b := &s.funcs[i], &s.funcs[j]
		switch {
		case a.addr != b.addr:
			return a.addr < b.addr
		case a.size != b.size:
			return a.size < b.size
		case a.global != b.global:
			return b.global
		}
		// Of aliases, the one with the fewest leading underscores is the name that the user called.
		return underscores(s.name(a)) > underscores(s.name(b))
	})
}

func underscores(name string) int {
	n := 0
	for n < len(name) && name[n] == '_' {
		n++
	}
	return n
}

func (s *symbols) name(f *funcSymbol) string {
	b := s.names[f.table][f.name:]
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

// find returns the symbol that covers addr. A function written in assembler may have no size: it reaches to the next
// function.
func (s *symbols) find(addr uint64) string {
	i := sort.Search(len(s.funcs), func(i int) bool { return s.funcs[i].addr > addr })
	// A few steps back find a function that encloses a smaller one.
	for n := 0; i > 0 && n < 8; n++ {
		i--
		f := &s.funcs[i]
		if addr-f.addr < f.size || f.size == 0 && n == 0 {
			return s.name(f)
		}
	}
	return ""
}
