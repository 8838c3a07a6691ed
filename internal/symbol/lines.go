package symbol

import (
	"debug/dwarf"
	"encoding/binary"
	"path/filepath"
	"sort"
)

// lineTable says from which line each instruction of a compilation unit comes.
type lineTable struct {
	files     []string
	rows      []lineRow
	sequences []sequence // by lo
}

type lineRow struct {
	addr uint64
	file int32
	line int32
}

// sequence is the rows of contiguous instructions.
type sequence struct {
	lo, hi   uint64
	from, to int32 // rows
}

// file returns the name of the file with the given number; "" if there is none.
func (t *lineTable) file(n int) string {
	if n < 0 || n >= len(t.files) {
		return ""
	}
	return t.files[n]
}

// find returns the file and line of an address; 0 if not known. An instruction without a line (0) is taken to belong to
// the previous line.
func (t *lineTable) find(addr uint64) (string, int) {
	i := sort.Search(len(t.sequences), func(i int) bool { return t.sequences[i].lo > addr })
	for n := 0; i > 0 && n < 8; n++ {
		i--
		s := t.sequences[i]
		if addr >= s.hi {
			continue
		}
		rows := t.rows[s.from:s.to]
		k := sort.Search(len(rows), func(k int) bool { return rows[k].addr > addr })
		for k--; k >= 0; k-- {
			if rows[k].line > 0 {
				return t.file(int(rows[k].file)), int(rows[k].line)
			}
		}
		return "", 0
	}
	return "", 0
}

// readLines reads the line table of the unit with the given first entry. It stops at a malformed part.
func (d *dwarfInfo) readLines(e *dwarf.Entry) lineTable {
	var t lineTable
	off, ok := e.Val(dwarf.AttrStmtList).(int64)
	if !ok || off < 0 || off > int64(len(d.line)) || !saneLineHeader(d.line[off:], d.order) {
		return t
	}
	rd, err := d.data.LineReader(e)
	if err != nil || rd == nil {
		return t
	}
	code := d.object.debugOrMain()
	numbers := make(map[*dwarf.LineFile]int32)
	for i, f := range rd.Files() {
		if f != nil {
			numbers[f] = int32(i)
		}
	}
	var entry dwarf.LineEntry
	from := 0 // the first row of the sequence
	for rd.Next(&entry) == nil {
		if entry.EndSequence {
			t.endSequence(from, entry.Address, code)
			from = len(t.rows)
			continue
		}
		n, ok := numbers[entry.File]
		if !ok {
			n = -1
		}
		t.addRow(from, lineRow{entry.Address, n, int32(entry.Line)})
	}
	t.rows = t.rows[:from:from]
	sort.Slice(t.sequences, func(i, j int) bool { return t.sequences[i].lo < t.sequences[j].lo })
	dir, _ := e.Val(dwarf.AttrCompDir).(string)
	t.files = fileNames(rd.Files(), dir)
	return t
}

// addRow adds a row to the sequence that begins at row from. Most rows only say that another statement begins on the
// same line as the previous row. Such rows are omitted.
func (t *lineTable) addRow(from int, row lineRow) {
	last := len(t.rows) - 1
	switch {
	case last < from:
		t.rows = append(t.rows, row)
	case t.rows[last].addr == row.addr:
		t.rows[last] = row
	case t.rows[last].file != row.file || t.rows[last].line != row.line:
		t.rows = append(t.rows, row)
	}
}

// endSequence makes the rows from index from on a sequence that ends at an address. It drops the rows of a function
// that the linker has discarded.
func (t *lineTable) endSequence(from int, end uint64, code *image) {
	rows := t.rows[from:]
	if len(rows) == 0 || rows[0].addr >= end || !code.executable(rows[0].addr) {
		t.rows = t.rows[:from]
		return
	}
	byAddress := func(i, j int) bool { return rows[i].addr < rows[j].addr }
	if !sort.SliceIsSorted(rows, byAddress) {
		sort.SliceStable(rows, byAddress)
	}
	t.sequences = append(t.sequences, sequence{rows[0].addr, end, int32(from), int32(len(t.rows))})
}

// fileNames returns the paths of a line table's files, by number. Relative names start from dir.
func fileNames(files []*dwarf.LineFile, dir string) []string {
	names := make([]string, len(files))
	for i, f := range files {
		if f == nil || f.Name == "" {
			continue
		}
		name := f.Name
		if !filepath.IsAbs(name) && dir != "" {
			name = filepath.Join(dir, name)
		}
		names[i] = filepath.Clean(name)
	}
	return names
}

// saneLineHeader reports whether the counts of directories and files in a line table's header (DWARF 5, 6.2.4) are
// possible. Package dwarf allocates memory for these counts before it reads the entries.
func saneLineHeader(b []byte, order binary.ByteOrder) bool {
	if len(b) < 16 {
		return false
	}
	size, wide := uint64(order.Uint32(b)), false
	b = b[4:]
	if size == 0xffffffff {
		size, wide = order.Uint64(b), true
		b = b[8:]
	}
	if size > uint64(len(b)) {
		return false
	}
	b = b[:size]
	if len(b) < 2 {
		return false
	}
	if order.Uint16(b) < 5 {
		return true // files are read up to an end mark
	}
	at := 2 + 2 + 4 + 6 // version, sizes, header length, five parameters and the opcode base
	offset := 4
	if wide {
		at, offset = at+4, 8
	}
	if len(b) < at {
		return false
	}
	opcodeBase := int(b[at-1])
	b = after(b, uint64(at+max(opcodeBase-1, 0)))
	for range 2 { // directories, files
		if len(b) < 2 {
			return false
		}
		formats := int(b[0])
		b = b[1:]
		forms := make([]uint64, formats)
		for i := range forms {
			var ok bool
			if _, b, ok = uleb(b); !ok {
				return false
			}
			if forms[i], b, ok = uleb(b); !ok {
				return false
			}
		}
		var count uint64
		var ok bool
		if count, b, ok = uleb(b); !ok || count > uint64(len(b)) {
			return false
		}
		for range count {
			for _, form := range forms {
				if b, ok = skipForm(b, form, offset); !ok {
					return false
				}
			}
		}
	}
	return true
}

// skipForm steps over a value in a line table's header.
func skipForm(b []byte, form uint64, offset int) ([]byte, bool) {
	n := 0
	switch form {
	case 0x08: // string
		for n < len(b) && b[n] != 0 {
			n++
		}
		n++
	case 0x0e, 0x1f, 0x1d: // strp, line_strp, strp_sup
		n = offset
	case 0x0b, 0x25: // data1, strx1
		n = 1
	case 0x05, 0x26: // data2, strx2
		n = 2
	case 0x27: // strx3
		n = 3
	case 0x06, 0x28: // data4, strx4
		n = 4
	case 0x07: // data8
		n = 8
	case 0x1e: // data16
		n = 16
	case 0x0f, 0x1a: // udata, strx
		_, rest, ok := uleb(b)
		return rest, ok
	case 0x09: // block
		size, rest, ok := uleb(b)
		if !ok || size > uint64(len(rest)) {
			return nil, false
		}
		return rest[size:], true
	default:
		return nil, false
	}
	if n > len(b) {
		return nil, false
	}
	return b[n:], true
}

func uleb(b []byte) (uint64, []byte, bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}
