package mpiapi

import (
	"fmt"
	"math"
	"strings"
)

// word is a kind of parameter that api.txt defines.
type word struct {
	plain, large ctype // large: in the large-count twin
	kind         Kind
	largeKind    Kind
	role         Role
	dir          Dir
	pointer      bool // the C type is a pointer; dir says whether the call reads or writes the value pointed to
	record       bool // recorded although it is a pointer: newmem
	unless, one  []string
}

// ctype is a C type with the types that point to it. The strings are built once per word, not once per parameter.
type ctype struct{ value, pointer, constPointer string }

func spell(t string) ctype {
	if strings.Contains(t, "(*)") { // an array's elements are what it points to
		return ctype{t, t, t}
	}
	return ctype{t, t + " *", "const " + t + " *"}
}

// kindOf gives the kind that follows from a C type.
var kindOf = map[string]Kind{
	"int": Int, "MPI_Count": Count, "MPI_Aint": Aint, "MPI_Offset": Offset, "double": Double, "MPI_Fint": Fint,
	"MPI_Comm": Comm, "MPI_Group": Group, "MPI_Datatype": Datatype, "MPI_Op": Op, "MPI_Request": Request,
	"MPI_Win":  Win,
	"MPI_File": File, "MPI_Info": Info, "MPI_Errhandler": Errhandler, "MPI_Message": Message, "MPI_Session": Session,
	"MPI_Status": Status, "int (*)[3]": Int,
}

type parser struct {
	table
	free  []Param // room for parameters to come
	words map[string]*word
	kinds map[string]Kind
	roles map[string]Role
	class map[string]Class
}

// parse reads the table. Its errors begin with the number of the line.
func parse(text string) (*table, error) {
	p := &parser{
		table: table{byName: make(map[string]*Func, 1024), funcs: make([]*Func, 0, 1024), skips: map[string]string{}},
		words: map[string]*word{}, kinds: index[Kind](kindNames[:]), roles: index[Role](roleNames[:]),
		class: index[Class](classNames[:]),
	}
	var entry string
	first := 0
	flush := func() error {
		if entry == "" {
			return nil
		}
		if err := p.entry(entry); err != nil {
			return fmt.Errorf("api.txt:%d: %w", first, err)
		}
		entry = ""
		return nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		blank := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case blank && entry == "":
			return nil, fmt.Errorf("api.txt:%d: continues nothing", number)
		case blank:
			entry += " " + line
		default:
			if err := flush(); err != nil {
				return nil, err
			}
			entry, first = line, number
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return &p.table, nil
}

func index[T ~uint8](names []string) map[string]T {
	m := make(map[string]T, len(names))
	for i, n := range names {
		m[n] = T(i)
	}
	return m
}

func (p *parser) entry(s string) error {
	first, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	switch first {
	case "word":
		return p.word(rest)
	case "skip":
		name, reason, _ := strings.Cut(rest, " ")
		if reason == "" {
			return fmt.Errorf("skip %s: no reason given", name)
		}
		if p.skips[name] != "" || p.byName[name] != nil {
			return fmt.Errorf("%s occurs twice", name)
		}
		p.skips[name] = reason
		return nil
	}
	return p.function(s)
}

func (p *parser) word(s string) error {
	name, def, ok := strings.Cut(s, " = ")
	if !ok {
		return fmt.Errorf("word %s: want NAME = CTYPE, PROPERTY, …", s)
	}
	if p.words[name] != nil {
		return fmt.Errorf("word %s occurs twice", name)
	}
	parts := strings.Split(def, ", ")
	w := &word{}
	plain, large, twin := strings.Cut(parts[0], " / ")
	if !twin {
		large = plain
	}
	w.plain, w.large = spell(plain), spell(large)
	w.pointer = strings.HasSuffix(plain, "*")
	known := false
	w.kind, known = kindOf[plain]
	w.largeKind = w.kind
	if k, ok := kindOf[large]; ok {
		w.largeKind = k
	}
	dirGiven := false
	for _, prop := range parts[1:] {
		if c, ok := strings.CutPrefix(prop, "unless "); ok {
			w.unless = append(w.unless, c)
			continue
		}
		if c, ok := strings.CutPrefix(prop, "one "); ok {
			w.one = append(w.one, c)
			continue
		}
		if k, ok := p.kinds[prop]; ok {
			w.kind, w.largeKind, known = k, k, true
			continue
		}
		if r, ok := p.roles[prop]; ok && r != NoRole {
			w.role = r
			continue
		}
		switch prop {
		case "in", "out", "inout":
			w.dir = map[string]Dir{"in": In, "out": Out, "inout": InOut}[prop]
			dirGiven = true
		case "recorded":
			w.record = true
		default:
			return fmt.Errorf("word %s: unknown property %q", name, prop)
		}
	}
	switch {
	case !known:
		return fmt.Errorf("word %s: the kind does not follow from %q, name it", name, plain)
	case w.kind == Function: // the callback types of MPI_T are pointers without a "*"
		w.pointer = true
	case w.pointer != dirGiven:
		return fmt.Errorf("word %s: in, out or inout goes with pointers, and only with them", name)
	}
	p.words[name] = w
	return nil
}

var collective = map[Class]bool{Collective: true, Icollective: true, CollectiveInit: true}

func (p *parser) function(s string) error {
	head, rest, ok := strings.Cut(s, "(")
	end := strings.LastIndexByte(rest, ')')
	if !ok || end < 0 {
		return fmt.Errorf("%q: want CLASS VERSION [FLAG…] NAME(PARAMETER, …) [RESULT] [: COLUMN, …]", s)
	}
	result, columns, _ := strings.Cut(rest[end+1:], ":")
	f := &Func{Result: strings.TrimSpace(result)}
	f.value = f.Result == "value"
	if f.value || f.Result == "" {
		f.Result = "int"
	}
	large, mpix, err := p.head(f, head)
	if err != nil {
		return err
	}
	if err := p.columns(f, columns); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	params := split(rest[:end])
	if err := p.add(f, params, false); err != nil {
		return err
	}
	if large {
		twin := *f
		twin.Name += "_c"
		if f.Since > 0 {
			twin.Since = max(f.Since, 40)
		}
		if err := p.add(&twin, params, true); err != nil {
			return err
		}
	}
	if mpix {
		twin := *f
		twin.Name = "MPIX" + strings.TrimPrefix(f.Name, "MPI")
		twin.Since = 0
		if err := p.add(&twin, params, false); err != nil {
			return err
		}
	}
	return nil
}

// head parses CLASS VERSION [FLAG…] NAME. large and mpix say which twins the function has.
func (p *parser) head(f *Func, s string) (large, mpix bool, err error) {
	fields := strings.Fields(s)
	if len(fields) < 3 {
		return false, false, fmt.Errorf("%q: want CLASS VERSION [FLAG…] NAME before the parameters", s+"()")
	}
	f.Name = fields[len(fields)-1]
	class, ok := p.class[fields[0]]
	if !ok {
		return false, false, fmt.Errorf("%s: unknown class %q", f.Name, fields[0])
	}
	f.Class = class
	f.Coll = collective[class]
	if f.Since, f.Removed, err = versions(fields[1]); err != nil {
		return false, false, fmt.Errorf("%s: %w", f.Name, err)
	}
	for _, flag := range fields[2 : len(fields)-1] {
		switch flag {
		case "large":
			large = true
		case "mpix":
			mpix = true
		case "coll":
			f.Coll = true
		default:
			return false, false, fmt.Errorf("%s: unknown flag %q", f.Name, flag)
		}
	}
	return large, mpix, nil
}

// columns parses COLUMN, …. A nonblocking or persistent collective has the columns of the blocking operation first.
func (p *parser) columns(f *Func, s string) error {
	if op := p.blocking(f); op != nil {
		f.operation, f.Columns = op.ID, op.Columns
		f.Act = NoAct
	}
	for c := range strings.SplitSeq(s, ",") {
		if c = strings.TrimSpace(c); c == "" {
			continue
		}
		if err := f.column(c); err != nil {
			return err
		}
	}
	return nil
}

// blocking returns the blocking operation of a nonblocking or persistent collective. It returns nil if f is another
// function, or has no blocking operation. MPI_Comm_idup has none: MPI_Comm_dup is of another kind.
func (p *parser) blocking(f *Func) *Func {
	switch rest, ok := strings.CutPrefix(f.Name, "MPI_I"); {
	case f.Class == CollectiveInit:
		return p.byName[strings.TrimSuffix(f.Name, "_init")]
	case f.Class == Icollective && ok:
		return p.byName["MPI_"+strings.ToUpper(rest[:1])+rest[1:]]
	}
	return nil
}

// versions parses "1.0", "1.0-3.0" or "ext" into tenths.
func versions(s string) (since, removed int, err error) {
	if s == "ext" {
		return 0, 0, nil
	}
	a, b, two := strings.Cut(s, "-")
	if since, err = tenths(a); err == nil && two {
		removed, err = tenths(b)
	}
	return since, removed, err
}

func tenths(s string) (int, error) {
	if len(s) == 3 && s[0] >= '1' && s[0] <= '9' && s[1] == '.' && s[2] >= '0' && s[2] <= '9' {
		return int(s[0]-'0')*10 + int(s[2]-'0'), nil
	}
	return 0, fmt.Errorf("%q is not a version of the standard: want 1.0, 1.0-3.0 or ext", s)
}

// split splits a list at commas outside brackets.
func split(s string) []string {
	var list []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" || list != nil {
		list = append(list, last)
	}
	return list
}

// add sets the parameters and the number of f, and adds it to the table. The other fields of f are set already. f may
// be a copy of its base function, which has been added before.
func (p *parser) add(f *Func, params []string, large bool) error {
	if p.byName[f.Name] != nil || p.skips[f.Name] != "" {
		return fmt.Errorf("%s occurs twice", f.Name)
	}
	if len(p.funcs) >= 0xff00-1 { // record.h: MV_INFO
		return fmt.Errorf("%s: too many functions", f.Name)
	}
	if f.ID == 0 {
		f.Base = FuncID(len(p.funcs) + 1)
	}
	f.ID = FuncID(len(p.funcs) + 1)
	if f.operation == 0 {
		f.operation = f.Base
	}
	if err := p.params(f, params, large); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	f.place()
	if f.Fixed > math.MaxUint8*4 || len(f.Params) > math.MaxInt8 {
		return fmt.Errorf("%s: too many parameters", f.Name)
	}
	if f.Act == NoAct {
		f.Act = f.defaultAct()
	}
	p.funcs = append(p.funcs, f)
	p.byName[f.Name] = f
	return nil
}

// params parses the parameters of f.
func (p *parser) params(f *Func, list []string, large bool) error {
	if len(list) > len(p.free) {
		p.free = make([]Param, 512+len(list))
	}
	f.Params, p.free = p.free[:len(list):len(list)], p.free[len(list):]
	for i, s := range list {
		if err := p.param(&f.Params[i], s, large); err != nil {
			return fmt.Errorf("parameter %q: %w", s, err)
		}
		if f.param(f.Params[i].Name) != i {
			return fmt.Errorf("two parameters are called %s", f.Params[i].Name)
		}
	}
	for i := range f.byRole {
		f.byRole[i] = -1
	}
	for i := range f.Params {
		q := &f.Params[i]
		var err error
		if q.Elements, err = f.parseElements(q.Length); err == nil {
			q.Written, err = f.parseElements(q.OutLength)
		}
		if err != nil {
			return fmt.Errorf("parameter %q: %w", q.Name, err)
		}
		if q.Record && q.Elements.Kind == ByParam && f.Params[q.Elements.Arg].Pointer {
			return fmt.Errorf("parameter %q: its length %s is not known before the call", q.Name, q.Length)
		}
		if q.Role != NoRole && f.byRole[q.Role] < 0 {
			f.byRole[q.Role] = int8(i)
		}
	}
	for i := range f.Params {
		if f.Params[i].NotInPlace && f.InPlaceOf(i) < 0 {
			return fmt.Errorf("parameter %q: there is no buffer that could be MPI_IN_PLACE", f.Params[i].Name)
		}
	}
	return nil
}

// param parses [MODIFIER…] WORD [NAME] [LENGTH].
func (p *parser) param(q *Param, s string, large bool) error {
	s, length, array := strings.Cut(s, "[")
	if array {
		var ok bool
		if length, ok = strings.CutSuffix(length, "]"); !ok || length == "" {
			return fmt.Errorf("want [CAPACITY] or [CAPACITY:WRITTEN] at the end")
		}
		q.Length, q.OutLength, _ = strings.Cut(length, ":")
	}
	w, kind, dir, err := p.fields(q, s)
	if err != nil {
		return err
	}
	if q.Name == "" {
		q.Name = kind
	}
	q.Role, q.Kind, q.Unless, q.One = w.role, w.kind, w.unless, w.one
	ctype := w.plain
	if large {
		q.Kind, ctype = w.largeKind, w.large
	}
	switch {
	case w.pointer && (dir != "" || array):
		return fmt.Errorf("a %s is a pointer already", kind)
	case w.pointer:
		q.CType, q.Pointer, q.Dir = ctype.value, w.kind != Function, w.dir
		q.Record = w.record || w.kind == String && w.dir == In
		q.after = w.record
		return nil
	case ctype.value == ctype.pointer && !array:
		return fmt.Errorf("a %s goes with a length", kind)
	}
	q.pass(ctype, dir, array)
	if q.OutLength != "" && !q.after {
		return fmt.Errorf("a WRITTEN length goes with out")
	}
	return nil
}

// fields parses [MODIFIER…] WORD [NAME] and returns the word, its name and the modifier of the direction.
func (p *parser) fields(q *Param, s string) (w *word, kind, dir string, err error) {
	for field := range strings.FieldsSeq(s) {
		switch {
		case q.Name != "":
			return nil, "", "", fmt.Errorf("want [MODIFIER…] WORD [NAME] [LENGTH]")
		case w != nil:
			q.Name = field
			continue
		}
		switch field {
		case "atroot":
			q.AtRoot = true
		case "notinplace":
			q.NotInPlace = true
		case "at", "out", "get", "use", "inout", "mod":
			if dir != "" {
				return nil, "", "", fmt.Errorf("both %s and %s", dir, field)
			}
			dir = field
		default:
			if w = p.words[field]; w == nil {
				return nil, "", "", fmt.Errorf("unknown word %q", field)
			}
			kind = field
		}
	}
	if w == nil {
		return nil, "", "", fmt.Errorf("want [MODIFIER…] WORD [NAME] [LENGTH]")
	}
	return w, kind, dir, nil
}

// pass sets the direction, the C type, and what is recorded, of a parameter whose word is not a pointer.
func (q *Param) pass(t ctype, dir string, array bool) {
	q.Pointer = dir != "" || array
	constant := false
	switch dir {
	case "":
		q.Record, constant = true, array
	case "at":
		constant = true
	case "out":
		q.Dir, q.Record, q.after = Out, true, true
	case "get":
		q.Dir = Out
	case "use":
		q.Dir, q.Record = InOut, true
	case "inout":
		q.Dir, q.Record, q.after = InOut, true, true
	case "mod":
		q.Dir = InOut
	}
	switch {
	case q.Pointer && constant:
		q.CType = t.constPointer
	case q.Pointer:
		q.CType = t.pointer
	default:
		q.CType = t.value
	}
}
