package launch

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// object has the fields of an ELF file that the dynamic loader uses.
type object struct {
	path    string // as opened, absolute
	class   elf.Class
	machine elf.Machine
	soname  string
	needed  []string
	rpath   []string // DT_RPATH, unexpanded; nil if there is a DT_RUNPATH, because the loader then ignores it
	runpath []string
	dynamic bool // has a dynamic section or an interpreter
}

// errNotELF is the error for a file that is not an ELF file.
var errNotELF = errors.New("not an ELF file")

// elfFile is an open ELF file. What was read of it once is kept.
type elfFile struct {
	*elf.File
	path string

	tableRead bool   // table and names
	table     []byte // dynamic symbols as in the file
	names     []byte // texts with the names of the symbols
	rodata    []byte // nil until read
}

func openELF(path string) (*elfFile, error) {
	f, err := elf.Open(path)
	var format *elf.FormatError
	if errors.As(err, &format) {
		return nil, errNotELF
	}
	if err != nil {
		return nil, err
	}
	return &elfFile{File: f, path: path}, nil
}

// callsByLinker reports whether the file finds a function through the dynamic linker when it calls it, even if it
// defines the function itself. Then a preloaded library can replace the function.
func (f *elfFile) callsByLinker(function string) (bool, error) {
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return false, err
	}
	// Index 0 is left out in symbols.
	wanted := uint64(slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == function }) + 1)
	if wanted == 0 || f.Class != elf.ELFCLASS64 {
		return false, nil
	}
	const size, infoAt = 24, 8 // Elf64_Rela
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return false, err
		}
		for ; len(data) >= size; data = data[size:] {
			if f.ByteOrder.Uint64(data[infoAt:])>>32 == wanted {
				return true, nil
			}
		}
	}
	return false, nil
}

func readObject(path string) (*object, error) {
	f, err := openELF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.object(), nil
}

func (f *elfFile) object() *object {
	o := &object{path: f.path, class: f.Class, machine: f.Machine}
	for _, p := range f.Progs {
		if p.Type == elf.PT_DYNAMIC || p.Type == elf.PT_INTERP {
			o.dynamic = true
		}
	}
	texts := f.dynamicTexts()
	if t := texts[elf.DT_SONAME]; len(t) > 0 {
		o.soname = t[0]
	}
	o.needed = texts[elf.DT_NEEDED]
	if t := texts[elf.DT_RUNPATH]; len(t) > 0 {
		o.runpath = strings.Split(t[0], ":")
	} else if t := texts[elf.DT_RPATH]; len(t) > 0 {
		o.rpath = strings.Split(t[0], ":")
	}
	return o
}

// dynamicTexts returns the texts in the dynamic section by their tags. A file without section headers has none. Unlike
// [elf.File.DynString], it reads the table of all texts only once.
func (f *elfFile) dynamicTexts() map[elf.DynTag][]string {
	s := f.SectionByType(elf.SHT_DYNAMIC)
	if s == nil {
		return nil
	}
	_, texts := f.withTexts(s)
	out := make(map[elf.DynTag][]string)
	for _, tag := range []elf.DynTag{elf.DT_SONAME, elf.DT_NEEDED, elf.DT_RUNPATH, elf.DT_RPATH} {
		values, _ := f.DynValue(tag) // none if the section is damaged
		for _, at := range values {
			if text := textAt(texts, int(at)); text != "" {
				out[tag] = append(out[tag], text)
			}
		}
	}
	return out
}

// withTexts returns the data of a section, and of the section with its texts. Both are nil if they cannot be read.
func (f *elfFile) withTexts(s *elf.Section) (data, texts []byte) {
	if uint64(s.Link) >= uint64(len(f.Sections)) {
		return nil, nil
	}
	data, err := s.Data()
	if err != nil {
		return nil, nil
	}
	if texts, err = f.Sections[s.Link].Data(); err != nil {
		return nil, nil
	}
	return data, texts
}

// textAt returns the text at a position, up to the next zero byte; "" if there is none.
func textAt(texts []byte, at int) string {
	if at < 0 || at >= len(texts) {
		return ""
	}
	if n := bytes.IndexByte(texts[at:], 0); n >= 0 {
		return string(texts[at : at+n])
	}
	return ""
}

// loader finds shared libraries as ld.so(8) does.
type loader struct {
	env   func(string) string
	cache *loaderCache // nil until read
}

// dependency is a library in the closure of a program.
type dependency struct {
	name string  // name in DT_NEEDED
	by   string  // file that needs it
	obj  *object // nil if it was not found
}

// closure returns the libraries that the loader would load for the file, breadth first, each once. Libraries that are
// not found have no object. What only an MPI library needs is not looked for: there are many, and no MPI among them.
func (l *loader) closure(root *object) []dependency {
	type item struct {
		obj   *object
		chain []*object // the chain of loading objects, for DT_RPATH: itself first, the program last
	}
	var out []dependency
	seen := map[string]bool{}
	queue := []item{{root, []*object{root}}}
	for len(queue) > 0 {
		it := queue[0]
		queue = queue[1:]
		for _, name := range it.obj.needed {
			if seen[name] {
				continue
			}
			seen[name] = true
			dep := dependency{name: name, by: it.obj.path, obj: l.find(name, it.chain)}
			out = append(out, dep)
			if dep.obj != nil {
				if dep.obj.soname != "" {
					seen[dep.obj.soname] = true
				}
				if !mainMPIName().MatchString(name) {
					queue = append(queue, item{dep.obj, append([]*object{dep.obj}, it.chain...)})
				}
			}
		}
	}
	return out
}

// mainMPIName matches the names of libraries that define the functions of C, unlike those of Fortran's functions.
var mainMPIName = lazyregexp.New(`^libmpi(ch|_abi)?\.so`)

// find returns the library of the given name for the first object of the chain, or nil.
func (l *loader) find(name string, chain []*object) *object {
	want := chain[0]
	try := func(path string) *object {
		o, err := readObject(path)
		if err != nil || o.class != want.class || o.machine != want.machine {
			return nil
		}
		return o
	}
	if strings.Contains(name, "/") {
		return try(name)
	}
	search := func(dirs []string, origin string) *object {
		for _, d := range dirs {
			if d = expand(d, origin, want.class); d == "" {
				continue
			}
			if o := try(filepath.Join(d, name)); o != nil {
				return o
			}
		}
		return nil
	}
	if want.runpath == nil {
		for _, o := range chain {
			if found := search(o.rpath, filepath.Dir(o.path)); found != nil {
				return found
			}
		}
	}
	dirs := strings.FieldsFunc(l.env("LD_LIBRARY_PATH"), func(r rune) bool { return r == ':' || r == ';' })
	if found := search(dirs, filepath.Dir(chain[len(chain)-1].path)); found != nil {
		return found
	}
	if found := search(want.runpath, filepath.Dir(want.path)); found != nil {
		return found
	}
	if l.cache == nil {
		l.cache = readLoaderCache("/etc/ld.so.cache")
	}
	for _, path := range l.cache.files(name) {
		if o := try(path); o != nil {
			return o
		}
	}
	return search(defaultDirs(want), "")
}

// defaultDirs returns the directories that are searched last. The libraries in the directories of /etc/ld.so.conf are
// in the cache. They are searched again, because the cache of a machine may be missing or old.
func defaultDirs(o *object) []string {
	var dirs []string
	triplet := map[elf.Machine]string{
		elf.EM_X86_64: "x86_64-linux-gnu", elf.EM_AARCH64: "aarch64-linux-gnu", elf.EM_PPC64: "powerpc64le-linux-gnu",
		elf.EM_RISCV: "riscv64-linux-gnu",
	}[o.machine]
	if triplet != "" {
		dirs = append(dirs, "/lib/"+triplet, "/usr/lib/"+triplet)
	}
	if o.class == elf.ELFCLASS64 {
		dirs = append(dirs, "/lib64", "/usr/lib64")
	}
	dirs = append(dirs, "/lib", "/usr/lib")
	return append(dirs, readLoaderConf("/etc/ld.so.conf", 0)...)
}

// expand replaces the loader's tokens ($ORIGIN, $LIB, $PLATFORM) in a directory of a search path.
func expand(dir, origin string, class elf.Class) string {
	if !strings.Contains(dir, "$") {
		return dir
	}
	lib := "lib"
	if class == elf.ELFCLASS64 {
		lib = "lib64"
		if matches, _ := filepath.Glob("/lib/*-linux-gnu*"); len(matches) > 0 {
			lib = "lib/" + filepath.Base(matches[0]) // on Debian
		}
	}
	return strings.NewReplacer("${ORIGIN}", origin, "$ORIGIN", origin, "${LIB}", lib, "$LIB", lib,
		"${PLATFORM}", "x86_64", "$PLATFORM", "x86_64").Replace(dir)
}

// readLoaderConf returns the directories of an ld.so.conf file and of its included files.
func readLoaderConf(path string, depth int) []string {
	data, err := os.ReadFile(path)
	if err != nil || depth > 8 {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if pattern, ok := strings.CutPrefix(line, "include "); ok {
			pattern = strings.TrimSpace(pattern)
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(path), pattern)
			}
			files, _ := filepath.Glob(pattern)
			for _, f := range files {
				dirs = append(dirs, readLoaderConf(f, depth+1)...)
			}
		} else if strings.HasPrefix(line, "/") {
			dirs = append(dirs, line)
		}
	}
	return dirs
}

// loaderCache is ldconfig's cache: the files of libraries by their names. Its format is that of glibc 2.2 and later
// ("glibc-ld.so.cache1.1", see glibc's sysdeps/generic/dl-cache.h).
type loaderCache struct{ data []byte }

// readLoaderCache reads a cache. The cache is empty if it can't be read. Then the directories are searched.
func readLoaderCache(path string) *loaderCache {
	data, err := os.ReadFile(path)
	if err != nil {
		return &loaderCache{}
	}
	// A cache in the older format may precede it. Offsets are relative to the beginning of the new one.
	if i := bytes.Index(data[:min(len(data), 1<<24)], []byte("glibc-ld.so.cache1.1")); i >= 0 {
		return &loaderCache{data[i:]}
	}
	return &loaderCache{}
}

// files returns the files of a library, those for particular processors last: they have the same functions.
func (c *loaderCache) files(name string) []string {
	const headerSize, entrySize = 48, 24
	if len(c.data) < headerSize {
		return nil
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(c.data[at:])) }
	var files, special []string
	for k := range number(20) {
		at := headerSize + k*entrySize
		if at+entrySize > len(c.data) {
			break
		}
		if !c.has(number(at+4), name) {
			continue
		}
		switch file := textAt(c.data, number(at+8)); {
		case file == "":
		case number(at+16) != 0 || number(at+20) != 0:
			special = append(special, file)
		default:
			files = append(files, file)
		}
	}
	return append(files, special...)
}

// has reports whether a text is at a position.
func (c *loaderCache) has(at int, text string) bool {
	return at > 0 && at+len(text) < len(c.data) && string(c.data[at:at+len(text)]) == text && c.data[at+len(text)] == 0
}

// exports returns the names of the functions and objects that a library defines for others.
func exports(path string) (map[string]bool, error) {
	f, err := openELF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.exports()
}

// defines reports whether a library defines a function or object for others.
func (f *elfFile) defines(name string) bool {
	_, ok := f.definition(name)
	return ok
}

// definition returns the address of a function or object that a library defines for others. For a few names, this takes
// less time than exports.
func (f *elfFile) definition(name string) (value uint64, ok bool) {
	if !f.tableRead {
		f.tableRead = true
		if s := f.SectionByType(elf.SHT_DYNSYM); s != nil {
			f.table, f.names = f.withTexts(s)
		}
	}
	size, section, at := elf.Sym32Size, 14, 4 // of a symbol, and where it has its section and its value
	if f.Class == elf.ELFCLASS64 {
		size, section, at = elf.Sym64Size, 6, 8
	}
	for t := f.table; len(t) >= size; t = t[size:] {
		n := uint64(f.ByteOrder.Uint32(t))
		if f.ByteOrder.Uint16(t[section:]) == uint16(elf.SHN_UNDEF) || n+uint64(len(name)) >= uint64(len(f.names)) {
			continue
		}
		if text := f.names[n:]; text[len(name)] != 0 || string(text[:len(name)]) != name {
			continue
		}
		if f.Class == elf.ELFCLASS64 {
			return f.ByteOrder.Uint64(t[at:]), true
		}
		return uint64(f.ByteOrder.Uint32(t[at:])), true
	}
	return 0, false
}

func (f *elfFile) exports() (map[string]bool, error) {
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	out := make(map[string]bool, len(symbols))
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			out[s.Name] = true
		}
	}
	return out, nil
}

// definesMPI reports whether an executable contains MPI itself, because it was linked with a static MPI library.
func definesMPI(path string) bool {
	f, err := openELF(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range append(symbols, dynamic...) {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC &&
			(s.Name == "PMPI_Init" || s.Name == "MPI_Init") {
			return true
		}
	}
	return false
}

// buildID returns the build id of an ELF file in hexadecimal, "" if it has none.
func (f *elfFile) buildID() string {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil || len(data) < 16 {
		return ""
	}
	nameLen := int(f.ByteOrder.Uint32(data))
	descLen := int(f.ByteOrder.Uint32(data[4:]))
	start := 12 + (nameLen+3)&^3
	if nameLen < 0 || descLen <= 0 || start+descLen > len(data) {
		return ""
	}
	return hex.EncodeToString(data[start : start+descLen])
}

// constant returns the bytes of a data symbol of a library up to the first zero byte, for example a version text.
func (f *elfFile) constant(symbol string) string {
	value, ok := f.definition(symbol)
	if !ok {
		return ""
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && value >= p.Vaddr && value < p.Vaddr+p.Filesz {
			buf := make([]byte, min(256, p.Vaddr+p.Filesz-value))
			if _, err := p.ReadAt(buf, int64(value-p.Vaddr)); err != nil {
				return ""
			}
			if n := slices.Index(buf, 0); n >= 0 {
				buf = buf[:n]
			}
			return string(buf)
		}
	}
	return ""
}

// mpichConstants are the constants by which MPICH describes itself, in the order in which a compiler puts them: the
// version of the ABI, the date, and the version.
var mpichConstants = lazyregexp.New(`\x00\d+:\d+:\d+\x00+[^\x00]{10,64}\x00+(\d+\.\d+[\w.]*)\x00`)

// hiddenVersion returns the version of an MPICH library that does not export it, as MPICH 4.2, "" if it is not found.
func (f *elfFile) hiddenVersion() string {
	if m := mpichConstants().FindSubmatch(f.constants()); m != nil {
		return string(m[1])
	}
	return ""
}

// constants returns the constants of a library, nil if it has none.
func (f *elfFile) constants() []byte {
	if f.rodata != nil {
		return f.rodata
	}
	if s := f.Section(".rodata"); s != nil {
		if data, err := s.Data(); err == nil {
			f.rodata = data
		}
	}
	return f.rodata
}

// vendors are the texts by which relatives of MPICH describe themselves in MPI_Get_library_version.
var vendors = []struct {
	flavour Flavour
	text    func() *regexp.Regexp // the version is its group, if the text has it
}{
	{Intel, lazyregexp.New(`Intel\(R\) MPI Library (?:(\d+\.[\w.]*))?`)},
	{Cray, lazyregexp.New(`CRAY MPICH version (?:(\d+\.[\w.]*))?`)},
	{MVAPICH, lazyregexp.New(`MVAPICH2?(?:-X)? Version[ :\t]*(?:(\d+\.[\w.]*))?`)},
}

// vendor returns the flavour and the version, "" if unknown, of a relative of MPICH. ok is false for MPICH itself.
func (f *elfFile) vendor() (flavour Flavour, version string, ok bool) {
	for _, v := range vendors {
		if m := v.text().FindSubmatch(f.constants()); m != nil {
			return v.flavour, string(m[1]), true
		}
	}
	return "", "", false
}
