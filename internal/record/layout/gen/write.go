package main

import (
	"fmt"
	"go/format"
	"strconv"
	"strings"
)

const made = "// Code generated from preload/record.h by internal/record/layout/gen. DO NOT EDIT.\n\n"

func formatted(text string) ([]byte, error) { return format.Source([]byte(made + text)) }

// initialisms are parts of names with a special spelling in Go.
var initialisms = map[string]string{
	"pid": "PID", "ppid": "PPID", "tid": "TID", "id": "ID", "mpi": "MPI", "pcs": "PCs", "npcs": "NPCs",
	"nmaps": "NMaps", "rc": "RC",
	"ns": "NS", "ub": "UB",
}

// camel turns a C name into a Go name.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.ToLower(name), "_") {
		if s, ok := initialisms[part]; ok {
			b.WriteString(s)
		} else if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// exported returns the Go name of a constant or struct of the header.
func exported(prefix, name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "MV_"), "mv_")
	name = camel(name)
	return prefix + strings.TrimPrefix(name, prefix)
}

// local returns a Go name for a variable.
func local(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	return first + camel(rest)
}

// comment writes text as a Go comment, with broken lines.
func comment(b *strings.Builder, indent, text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString(indent + "//\n")
		}
		line := indent + "//"
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+1+len(word) > 116 {
				b.WriteString(line + "\n")
				line = indent + "//"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
}

func isPad(f *field) bool { return strings.HasPrefix(f.name, "pad") }

// goType returns the type of a field.
func goType(f *field) string {
	plain := map[string]string{
		"char": "byte", "uint8_t": "uint8", "uint16_t": "uint16",
		"int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64",
	}[f.ctype]
	switch {
	case plain == "":
		plain = exported("", f.ctype)
	case f.atomic:
		plain = "atomic." + camel(plain)
	}
	switch {
	case f.count == 0:
		return plain
	case f.countName != "":
		return "[" + exported("", f.countName) + "]" + plain
	}
	return fmt.Sprintf("[%d]%s", f.count, plain)
}

// structs returns the constants and structs.
func structs(h *header) string {
	var b strings.Builder
	b.WriteString("package layout\n\nimport \"sync/atomic\"\n\n// Constants of the header.\nconst (\n")
	for _, c := range h.defines {
		if c.comment != "" {
			comment(&b, "\t", c.comment)
		}
		fmt.Fprintf(&b, "\t%s = %s\n", exported("", c.name), number(c.value))
	}
	b.WriteString(")\n\n")
	for _, e := range h.enums {
		comment(&b, "", strings.TrimSpace(fmt.Sprintf("The values of enum %s. %s", e.name, e.comment)))
		b.WriteString("const (\n")
		for _, c := range e.values {
			if len(c.comment) > 60 {
				comment(&b, "\t", c.comment)
				fmt.Fprintf(&b, "\t%s = %s\n", exported(e.prefix, c.name), number(c.value))
				continue
			}
			fmt.Fprintf(&b, "\t%s = %s%s\n", exported(e.prefix, c.name), number(c.value), behind(c.comment))
		}
		b.WriteString(")\n\n")
	}
	for _, s := range h.structs {
		s.write(&b)
	}
	return b.String()
}

// number formats a value: hexadecimal if it is large.
func number(v uint64) string {
	if v < 0xff00 {
		return strconv.FormatUint(v, 10)
	}
	return fmt.Sprintf("%#x", v)
}

func behind(comment string) string {
	if comment == "" {
		return ""
	}
	return " // " + strings.ReplaceAll(comment, "\n\n", " ")
}

func (s *structure) write(b *strings.Builder) {
	name := exported("", s.name)
	comment(b, "", strings.TrimSpace(fmt.Sprintf("%s is struct %s. %s", name, s.name, s.comment)))
	fmt.Fprintf(b, "type %s struct {\n", name)
	end := 0
	for i := range s.fields {
		f := &s.fields[i]
		if f.at > end {
			fmt.Fprintf(b, "\t_ [%d]byte\n", f.at-end)
		}
		end = f.at + f.size
		if f.lead != "" {
			comment(b, "\t", f.lead)
		}
		if len(f.comment) > 50 {
			comment(b, "\t", f.comment)
			f.comment = ""
		}
		field := camel(f.name)
		if isPad(f) {
			field = "_"
		}
		fmt.Fprintf(b, "\t%s %s%s\n", field, goType(f), behind(f.comment))
	}
	if s.size > end {
		fmt.Fprintf(b, "\t_ [%d]byte\n", s.size-end)
	}
	fmt.Fprintf(b, "}\n\n"+
		"// Sizeof%[1]s is the size of a %[1]s, and the others are the offsets of its fields, in bytes.\n"+
		"const (\n\tSizeof%[1]s = %[2]d\n", name, s.size)
	for i := range s.fields {
		if f := &s.fields[i]; !isPad(f) {
			fmt.Fprintf(b, "\t%s%sAt = %d\n", name, camel(f.name), f.at)
		}
	}
	b.WriteString(")\n\n")
}

// sections returns the facts about records that package mpiapi needs: it must not import package layout.
func sections(h *header) string {
	var b strings.Builder
	b.WriteString("package mpiapi\n\n// Kinds of sections of a call's record (enum mv_section_kind).\nconst (\n")
	for _, e := range h.enums {
		if e.name != "mv_section_kind" {
			continue
		}
		for _, c := range e.values {
			fmt.Fprintf(&b, "\t%s = %d\n", exported("Section", c.name), c.value)
		}
	}
	fmt.Fprintf(&b, ")\n\n// headerSize is the size of a record's header (struct mv_record).\n"+
		"const headerSize = %d\n", h.sizes["mv_record"].size)
	return b.String()
}

// assertions returns C code that does not compile if the compiler gives a struct another layout.
func assertions(h *header) []byte {
	var b strings.Builder
	b.WriteString("/* Code generated from record.h by internal/record/layout/gen. DO NOT EDIT.\n" +
		" * The compiler gives shared memory the same layout as Go's view of it. */\n" +
		"#include \"record.h\"\n\n#include <stddef.h>\n\n#include \"rules.h\"\n\n")
	for _, s := range h.structs {
		fmt.Fprintf(&b, "_Static_assert(sizeof(struct %s) == %d, \"struct %[1]s\");\n", s.name, s.size)
		for _, f := range s.fields {
			fmt.Fprintf(&b, "_Static_assert(offsetof(struct %s, %s) == %d, \"%[1]s.%[2]s\");\n", s.name, f.name, f.at)
		}
	}
	return []byte(b.String())
}
