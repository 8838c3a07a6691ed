package symbol

import (
	"bytes"
	"debug/dwarf"
	"encoding/binary"
	"path/filepath"
	"slices"
	"sort"
)

// source is a set of DWARF sections that refer to each other, and the shared file of dwz(1) to which they refer.
type source struct {
	data *dwarf.Data
	str  []byte // .debug_str; the users of an alternate file refer to it
	alt  *source
}

// dwarfInfo is the debug information of one file with an index of its compilation units by address.
type dwarfInfo struct {
	source
	object *object
	order  binary.ByteOrder
	line   []byte // .debug_line
	addr   []byte // .debug_addr, used by split units
	units  []unit
	ranges []unitRange // by lo
	images []*image    // images opened in addition to those of the object: alternate file, split units
	splits map[string]*image
}

// unit is the position of a compilation unit in .debug_info.
type unit struct {
	root    dwarf.Offset // offset of its first entry
	version uint16
	wide    bool   // 64-bit DWARF
	dwoID   uint64 // of a DWARF 5 skeleton or split unit
}

type unitRange struct {
	lo, hi uint64
	unit   int
}

func (d *dwarfInfo) close() {
	if d == nil {
		return
	}
	for _, i := range d.images {
		i.close()
	}
}

// dwarf returns the object's debug information. It is read at the first use. The result is nil if there is none.
func (o *object) dwarf(r *Resolver) *dwarfInfo {
	if o.dwarfTried {
		return o.dwarfData
	}
	o.dwarfTried = true
	for _, img := range []*image{o.debug, o.main} {
		if img == nil {
			continue
		}
		d, err := r.newDwarf(o, img)
		if err != nil {
			r.note("%s: malformed debug information: %v", img.path, err)
		}
		if d != nil {
			o.dwarfData = d
			break
		}
	}
	return o.dwarfData
}

// newDwarf reads the headers of all units in a file. It returns nil without an error if there are none.
func (r *Resolver) newDwarf(o *object, img *image) (*dwarfInfo, error) {
	info := img.section(".debug_info")
	if len(info) == 0 {
		return nil, nil
	}
	d := &dwarfInfo{object: o, order: img.elf.ByteOrder}
	d.line, d.addr = img.section(".debug_line"), img.section(".debug_addr")
	var err error
	if d.source, err = newSource(img, info, d.line); err != nil {
		return nil, err
	}
	if alt := r.altFile(img); alt != nil {
		d.images = append(d.images, alt)
		if s, err := newSource(alt, alt.section(".debug_info"), nil); err == nil {
			d.alt = &s
		}
	}
	d.units = scanUnits(info, d.order)
	d.index()
	return d, nil
}

func newSource(img *image, info, line []byte) (source, error) {
	s := source{str: img.section(".debug_str")}
	var err error
	s.data, err = dwarf.New(img.section(".debug_abbrev"), nil, nil, info, line, nil, img.section(".debug_ranges"),
		s.str)
	if err != nil {
		return s, err
	}
	for _, name := range []string{".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists"} {
		if b := img.section(name); b != nil {
			if err := s.data.AddSection(name, b); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// scanUnits lists the units of a .debug_info section (DWARF 5, 7.5.1) up to the first malformed header.
func scanUnits(info []byte, order binary.ByteOrder) []unit {
	const (
		utSkeleton     = 4
		utSplitCompile = 5
		utType         = 2
		utSplitType    = 6
	)
	var units []unit
	for off := uint64(0); off+11 <= uint64(len(info)); {
		b := info[off:]
		var u unit
		size, at := uint64(order.Uint32(b)), uint64(4)
		if size == 0xffffffff {
			if len(b) < 12 {
				break
			}
			size, at, u.wide = order.Uint64(b[4:]), 12, true
		}
		if size == 0 {
			off += at
			continue
		}
		if size > uint64(len(b))-at || size < 7 {
			break
		}
		next := off + at + size
		b = b[:at+size]
		offsetSize := uint64(4)
		if u.wide {
			offsetSize = 8
		}
		u.version = order.Uint16(b[at:])
		kind := byte(0)
		if u.version >= 5 {
			kind = b[at+2]
			at += 4 + offsetSize
		} else {
			at += 3 + offsetSize
		}
		off, u.root = next, dwarf.Offset(off)
		switch kind {
		case utSkeleton, utSplitCompile:
			if at+8 > uint64(len(b)) {
				continue
			}
			u.dwoID = order.Uint64(b[at:])
			at += 8
		case utType, utSplitType:
			continue // it contains no code
		}
		u.root += dwarf.Offset(at)
		units = append(units, u)
	}
	return units
}

// index finds the addresses that the units cover. It reads only their first entries.
func (d *dwarfInfo) index() {
	rd := d.data.Reader()
	code := d.object.debugOrMain()
	for i := range d.units {
		rd.Seek(d.units[i].root)
		e, err := rd.Next()
		if err != nil || e == nil || e.Tag != dwarf.TagCompileUnit && e.Tag != dwarf.TagSkeletonUnit {
			continue
		}
		ranges, err := d.data.Ranges(e)
		if err != nil {
			continue
		}
		for _, g := range ranges {
			if g[0] < g[1] && code.executable(g[0]) {
				d.ranges = append(d.ranges, unitRange{g[0], g[1], i})
			}
		}
	}
	sort.Slice(d.ranges, func(i, j int) bool { return d.ranges[i].lo < d.ranges[j].lo })
}

// debugOrMain returns the image whose program headers say where code is. A debug file made by objcopy has the program
// headers of the original file.
func (o *object) debugOrMain() *image {
	if o.main != nil {
		return o.main
	}
	return o.debug
}

// frames returns the functions at an address, innermost first; nil if no unit covers it. The Function of the last frame
// is "" if the debug information has the line but not the function.
func (d *dwarfInfo) frames(r *Resolver, addr uint64) []Frame {
	i := sort.Search(len(d.ranges), func(i int) bool { return d.ranges[i].lo > addr })
	// Units rarely overlap. A few steps back find a unit that encloses another.
	for n := 0; i > 0 && n < 8; n++ {
		i--
		if addr < d.ranges[i].hi {
			return r.cus.get(d, d.ranges[i].unit).frames(addr)
		}
	}
	return nil
}

// cu is a compilation unit whose line table and functions have been read.
type cu struct {
	d *dwarfInfo
	source
	lines    lineTable
	funcs    []funcRange             // by lo
	scopes   map[dwarf.Offset]string // scopes of the entries of functions inside modules and namespaces
	names    map[dwarf.Offset]string // names of functions that have been requested
	language int64
	// base is the low pc of the skeleton if the entries are those of a split unit. Their ranges are relative to it;
	// package dwarf does not know this.
	base uint64
}

type funcRange struct {
	lo, hi uint64
	entry  dwarf.Offset
}

// cuCacheSize limits the number of decoded units in memory. Frames are cached, so a unit is seldom needed again.
const cuCacheSize = 32

// cuCache holds the most recently used units.
type cuCache struct {
	list []*cuEntry // most recently used first
}

type cuEntry struct {
	d    *dwarfInfo
	unit int
	cu   *cu
}

func (c *cuCache) get(d *dwarfInfo, unit int) *cu {
	for i, e := range c.list {
		if e.d == d && e.unit == unit {
			copy(c.list[1:i+1], c.list[:i])
			c.list[0] = e
			return e.cu
		}
	}
	e := &cuEntry{d: d, unit: unit, cu: d.load(unit)}
	if len(c.list) >= cuCacheSize {
		c.list = c.list[:cuCacheSize-1]
	}
	c.list = slices.Insert(c.list, 0, e)
	return e.cu
}

// load reads a unit. It omits malformed parts.
func (d *dwarfInfo) load(n int) *cu {
	u := d.units[n]
	c := &cu{d: d, source: d.source, names: make(map[dwarf.Offset]string), scopes: make(map[dwarf.Offset]string)}
	rd := d.data.Reader()
	rd.Seek(u.root)
	e, err := rd.Next()
	if err != nil || e == nil {
		return c
	}
	c.lines = d.readLines(e)
	c.language, _ = e.Val(dwarf.AttrLanguage).(int64)
	if name := c.dwoName(e); name != "" {
		rd = c.openSplit(e, u, name)
		if rd == nil {
			return c
		}
		if e, err = rd.Next(); err != nil || e == nil {
			return c
		}
		c.language, _ = e.Val(dwarf.AttrLanguage).(int64)
	}
	if e.Children {
		_ = c.readFuncs(rd)
	}
	sort.Slice(c.funcs, func(i, j int) bool { return c.funcs[i].lo < c.funcs[j].lo })
	return c
}

// Tags and attributes that package dwarf does not define.
const (
	attrMIPSLinkageName = dwarf.Attr(0x2007)
	attrGNUDwoName      = dwarf.Attr(0x2130)
	attrGNUAddrBase     = dwarf.Attr(0x2133)
)

// readFuncs notes all functions below an entry. The reader is at the first child of the entry.
func (c *cu) readFuncs(rd *dwarf.Reader) error {
	var scopes []string // one per open entry
	for {
		e, err := rd.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 { // ends the children of the last open entry
			if len(scopes) == 0 {
				return nil
			}
			scopes = scopes[:len(scopes)-1]
			continue
		}
		scope := ""
		if len(scopes) > 0 {
			scope = scopes[len(scopes)-1]
		}
		inner, descend := c.readScope(e, scope)
		switch {
		case !descend:
			rd.SkipChildren()
		case e.Children:
			scopes = append(scopes, inner)
		}
	}
}

// readScope notes the function of an entry, if it is a function. It returns the scope of the entry's children, and
// whether there may be code among them.
func (c *cu) readScope(e *dwarf.Entry, scope string) (inner string, descend bool) {
	switch e.Tag {
	case dwarf.TagSubprogram:
		c.addFunc(e, scope)
		return scope, e.Val(dwarf.AttrInline) == nil // an abstract instance contains no code
	case dwarf.TagModule, dwarf.TagNamespace:
		if name := c.string(e, dwarf.AttrName); name != "" {
			scope = join(scope, name)
		}
		return scope, true
	case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
		return scope, true // nested functions
	}
	return "", false
}

// addFunc notes the address ranges of a function, and its scope.
func (c *cu) addFunc(e *dwarf.Entry, scope string) {
	if scope != "" {
		c.scopes[e.Offset] = scope
	}
	ranges, err := c.data.Ranges(e)
	if err != nil {
		return
	}
	code := c.d.object.debugOrMain()
	for _, g := range ranges {
		if g[0] < g[1] && code.executable(g[0]) {
			c.funcs = append(c.funcs, funcRange{g[0], g[1], e.Offset})
		}
	}
}

func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "::" + name
}

// frames returns the functions at an address, innermost first.
func (c *cu) frames(addr uint64) []Frame {
	file, line := c.lines.find(addr)
	fn, ok := c.function(addr)
	if !ok {
		if line == 0 {
			return nil
		}
		return []Frame{{File: file, Line: line}}
	}
	chain := c.inlined(fn, addr)
	frames := make([]Frame, 0, len(chain))
	// From the inside out: the place of each function is the place at which the next inner function was called.
	for i := len(chain) - 1; i >= 0; i-- {
		frames = append(frames, Frame{Function: c.name(chain[i].Offset), File: file, Line: line})
		if i > 0 {
			file, line = "", 0
			if n, ok := chain[i].Val(dwarf.AttrCallFile).(int64); ok {
				file = c.lines.file(int(n))
			}
			if n, ok := chain[i].Val(dwarf.AttrCallLine).(int64); ok {
				line = int(n)
			}
		}
	}
	return frames
}

// function returns the innermost function that covers an address.
func (c *cu) function(addr uint64) (funcRange, bool) {
	var best funcRange
	found := false
	i := sort.Search(len(c.funcs), func(i int) bool { return c.funcs[i].lo > addr })
	for n := 0; i > 0 && n < 8; n++ {
		i--
		f := c.funcs[i]
		if addr < f.hi && (!found || f.hi-f.lo < best.hi-best.lo) {
			best, found = f, true
		}
	}
	return best, found
}

// inlined returns the function's entry and those of the functions inlined at an address, outermost first.
func (c *cu) inlined(fn funcRange, addr uint64) []*dwarf.Entry {
	rd := c.data.Reader()
	rd.Seek(fn.entry)
	e, err := rd.Next()
	if err != nil || e == nil {
		return nil
	}
	chain := []*dwarf.Entry{e}
	if !e.Children {
		return chain
	}
	for depth := 1; depth > 0; {
		e, err := rd.Next()
		if err != nil || e == nil {
			return chain
		}
		descend := false
		switch e.Tag {
		case 0:
			depth--
			continue
		case dwarf.TagInlinedSubroutine:
			if descend, _ = c.covers(e, fn, addr); descend {
				chain = append(chain, e)
			}
		case dwarf.TagLexDwarfBlock:
			covers, known := c.covers(e, fn, addr)
			descend = covers || !known
		}
		switch {
		case descend && e.Children:
			depth++
		case descend: // a leaf
		default:
			rd.SkipChildren()
		}
	}
	return chain
}

// covers reports whether an entry inside a function covers an address, and whether the entry has address ranges.
func (c *cu) covers(e *dwarf.Entry, fn funcRange, addr uint64) (covers, known bool) {
	ranges, err := c.data.Ranges(e)
	if err != nil || len(ranges) == 0 {
		return false, false
	}
	for _, g := range ranges {
		if g[0] <= addr && addr < g[1] {
			return true, true
		}
		// See cu.base.
		if c.base != 0 && g[0] < fn.lo && g[0]+c.base <= addr && addr < g[1]+c.base {
			return true, true
		}
	}
	return false, true
}

// string returns a string attribute, which may be in the alternate file.
func (s *source) string(e *dwarf.Entry, attr dwarf.Attr) string {
	f := e.AttrField(attr)
	if f == nil {
		return ""
	}
	switch v := f.Val.(type) {
	case string:
		return v
	case int64:
		if f.Class == dwarf.ClassStringAlt && s.alt != nil && v >= 0 && v < int64(len(s.alt.str)) {
			b := s.alt.str[v:]
			if end := bytes.IndexByte(b, 0); end >= 0 {
				return string(b[:end])
			}
		}
	}
	return ""
}

// name returns the user's name of the function with the given entry; "" if the debug information does not have it.
func (c *cu) name(off dwarf.Offset) string {
	if n, ok := c.names[off]; ok {
		return n
	}
	n := c.findName(off)
	c.names[off] = n
	return n
}

// findName collects an entry's names along its abstract origin and specification (DWARF 5, 2.13.2 and 3.3.8).
func (c *cu) findName(off dwarf.Offset) string {
	var name, linkage, scope string
	src := &c.source
	for range 16 {
		rd := src.data.Reader()
		rd.Seek(off)
		e, err := rd.Next()
		if err != nil || e == nil {
			break
		}
		if name == "" {
			name = src.string(e, dwarf.AttrName)
		}
		if linkage == "" {
			linkage = src.string(e, dwarf.AttrLinkageName)
		}
		if linkage == "" {
			linkage = src.string(e, attrMIPSLinkageName)
		}
		if scope == "" && src == &c.source {
			scope = c.scopes[off]
		}
		f := e.AttrField(dwarf.AttrAbstractOrigin)
		if f == nil {
			f = e.AttrField(dwarf.AttrSpecification)
		}
		if f == nil {
			break
		}
		switch v := f.Val.(type) {
		case dwarf.Offset:
			off = v
			continue
		case int64:
			if f.Class == dwarf.ClassReferenceAlt && src.alt != nil {
				src, off = src.alt, dwarf.Offset(v)
				continue
			}
		}
		break
	}
	if s, ok := demangled(linkage); ok {
		return s
	}
	if name == "" {
		return readable(linkage)
	}
	return join(scope, name)
}

func (c *cu) dwoName(e *dwarf.Entry) string {
	if n := c.string(e, dwarf.AttrDwoName); n != "" {
		return n
	}
	return c.string(e, attrGNUDwoName)
}

// openSplit replaces the unit's entries by those of its .dwo file, and returns a reader at their beginning. It returns
// nil if the file does not exist or cannot be read. Then only the line table is known, which stays in the linked file.
// Package dwarf reads only DWARF 5, not the GNU extension to DWARF 4.
func (c *cu) openSplit(skeleton *dwarf.Entry, u unit, name string) *dwarf.Reader {
	if u.version < 5 {
		return nil
	}
	dir := c.string(skeleton, dwarf.AttrCompDir)
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = []string{
			filepath.Join(dir, name), filepath.Join(filepath.Dir(c.d.object.module.Path), filepath.Base(name)),
		}
	}
	for _, path := range candidates {
		img, err := c.d.split(path)
		if err != nil {
			continue
		}
		info := img.section(".debug_info.dwo")
		units := scanUnits(info, img.elf.ByteOrder)
		k := slices.IndexFunc(units, func(s unit) bool { return s.dwoID == u.dwoID })
		if k < 0 {
			continue // from another compilation
		}
		s := source{str: img.section(".debug_str.dwo")}
		s.data, err = dwarf.New(img.section(".debug_abbrev.dwo"), nil, nil, info, nil, nil, nil, s.str)
		if err != nil {
			continue
		}
		// Split units have no base attributes. Their tables begin after the section's header. Addresses begin at the
		// skeleton's base (DWARF 5, 7.3.2.2).
		addrBase, _ := skeleton.Val(dwarf.AttrAddrBase).(int64)
		headers := uint64(1)
		if u.wide {
			headers = 2
		}
		for section, b := range map[string][]byte{
			".debug_addr":        after(c.d.addr, uint64(addrBase)),
			".debug_str_offsets": after(img.section(".debug_str_offsets.dwo"), headers*8),
			".debug_rnglists":    after(img.section(".debug_rnglists.dwo"), 4+headers*8),
		} {
			if b != nil {
				err = s.data.AddSection(section, b)
			}
		}
		if err != nil {
			continue
		}
		c.source = s
		c.base, _ = skeleton.Val(dwarf.AttrLowpc).(uint64)
		rd := c.data.Reader()
		rd.Seek(units[k].root)
		return rd
	}
	return nil
}

// split opens a .dwo file. Each file is opened once.
func (d *dwarfInfo) split(path string) (*image, error) {
	if img := d.splits[path]; img != nil {
		return img, nil
	}
	img, err := openImage(path)
	if err != nil {
		return nil, err
	}
	d.images = append(d.images, img)
	if d.splits == nil {
		d.splits = make(map[string]*image)
	}
	d.splits[path] = img
	return img, nil
}

// after returns the bytes after the first n bytes; nil if there are fewer than n.
func after(b []byte, n uint64) []byte {
	if n > uint64(len(b)) {
		return nil
	}
	return b[n:]
}
