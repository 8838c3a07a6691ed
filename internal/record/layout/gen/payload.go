package main

import (
	"fmt"
	"strings"
)

// payloads returns Go code that decodes and encodes the structs in records.
func payloads(h *header) string {
	var b strings.Builder
	b.WriteString(`package layout

import "encoding/binary"

var le = binary.LittleEndian

// cut splits n elements of a size off the beginning of b; ok is false if b is too short.
func cut(b []byte, n uint64, size uint64) (elements, rest []byte, ok bool) {
	if n > uint64(len(b))/size {
		return nil, nil, false
	}
	n *= size
	return b[:n:n], b[n:], true
}

`)
	for _, s := range h.structs {
		if s.payload {
			s.decoder(h, &b)
			s.encoder(&b)
		}
	}
	return b.String()
}

func (t *tail) size(h *header) int {
	if n, ok := cTypes[t.ctype]; ok {
		return n
	}
	return h.sizes[t.ctype].size
}

func (s *structure) decoder(h *header, b *strings.Builder) {
	name := exported("", s.name)
	results, values := "", ""
	doc := fmt.Sprintf("Decode%s reads a %s from the beginning of b. ", name, name)
	for _, t := range s.tails {
		results += local(t.name) + ", "
		doc += fmt.Sprintf("%s are the %s elements behind it, %d bytes each. ",
			local(t.name), camel(t.count), t.size(h))
	}
	if results != "" {
		values = strings.TrimSuffix(results, ", ") + " []byte, "
	}
	doc += "ok is false if b is too short. The results are valid as long as b."
	comment(b, "", doc)
	fmt.Fprintf(b, "func Decode%s(b []byte) (v %[1]s, %[2]sok bool) {\n"+
		"\tif len(b) < Sizeof%[1]s {\n\t\treturn v, %[3]sfalse\n\t}\n",
		name, values, strings.Repeat("nil, ", len(s.tails)))
	for i := range s.fields {
		f := &s.fields[i]
		if isPad(f) {
			continue
		}
		fmt.Fprintf(b, "\tv.%s = %s\n", camel(f.name), f.load())
	}
	if len(s.tails) == 0 {
		b.WriteString("\treturn v, true\n}\n\n")
		return
	}
	fmt.Fprintf(b, "\tb = b[Sizeof%s:]\n", name)
	for i, t := range s.tails {
		rest := "b"
		if i == len(s.tails)-1 {
			rest = "_"
		}
		fmt.Fprintf(b, "\tif %s, %s, ok = cut(b, uint64(v.%s), %d); !ok {\n\t\treturn v, %sfalse\n\t}\n",
			local(t.name), rest, camel(t.count), t.size(h), strings.Repeat("nil, ", len(s.tails)))
	}
	fmt.Fprintf(b, "\treturn v, %strue\n}\n\n", results)
}

// load returns the expression that reads a field.
func (f *field) load() string {
	typ := goType(f)
	switch f.size {
	case 1:
		return fmt.Sprintf("b[%d]", f.at)
	case 2:
		return fmt.Sprintf("le.Uint16(b[%d:])", f.at)
	case 4:
		if typ == "int32" {
			return fmt.Sprintf("int32(le.Uint32(b[%d:]))", f.at)
		}
		return fmt.Sprintf("le.Uint32(b[%d:])", f.at)
	}
	if typ == "int64" {
		return fmt.Sprintf("int64(le.Uint64(b[%d:]))", f.at)
	}
	return fmt.Sprintf("le.Uint64(b[%d:])", f.at)
}

func (s *structure) encoder(b *strings.Builder) {
	name := exported("", s.name)
	fmt.Fprintf(b, "// Append appends v to b, without its tails.\nfunc (v *%s) Append(b []byte) []byte {\n", name)
	end := 0
	for i := range s.fields {
		f := &s.fields[i]
		if f.at > end {
			fmt.Fprintf(b, "\tb = append(b, make([]byte, %d)...)\n", f.at-end)
		}
		end = f.at + f.size
		value := "v." + camel(f.name)
		if isPad(f) {
			value = "0"
		}
		switch f.size {
		case 1:
			fmt.Fprintf(b, "\tb = append(b, %s)\n", value)
		case 2:
			fmt.Fprintf(b, "\tb = le.AppendUint16(b, %s)\n", value)
		case 4:
			fmt.Fprintf(b, "\tb = le.AppendUint32(b, uint32(%s))\n", value)
		default:
			fmt.Fprintf(b, "\tb = le.AppendUint64(b, uint64(%s))\n", value)
		}
	}
	if s.size > end {
		fmt.Fprintf(b, "\tb = append(b, make([]byte, %d)...)\n", s.size-end)
	}
	b.WriteString("\treturn b\n}\n\n")
}

// offsetsTest returns a test that Go's compiler gives the structs the sizes and offsets of the constants.
func offsetsTest(h *header) string {
	var b strings.Builder
	b.WriteString(`package layout

import (
	"testing"
	"unsafe"
)

// TestOffsets: Go gives the structs the same layout as C.
func TestOffsets(t *testing.T) {
	for name, at := range map[string][2]uintptr{
`)
	for _, s := range h.structs {
		name := exported("", s.name)
		fmt.Fprintf(&b, "\t\t\"%s\": {unsafe.Sizeof(%[1]s{}), Sizeof%[1]s},\n", name)
		for i := range s.fields {
			if f := &s.fields[i]; !isPad(f) {
				fmt.Fprintf(&b, "\t\t\"%s.%s\": {unsafe.Offsetof(%[1]s{}.%[2]s), %[1]s%[2]sAt},\n", name, camel(f.name))
			}
		}
	}
	b.WriteString("\t} {\n\t\tif at[0] != at[1] {\n" +
		"\t\t\tt.Errorf(\"%s is at %d in Go and at %d in C\", name, at[0], at[1])\n\t\t}\n\t}\n}\n")
	return b.String()
}

// payloadsTest returns a test that decoding reverses encoding, and that truncated data are refused.
func payloadsTest(h *header) string {
	var b strings.Builder
	b.WriteString("package layout\n\nimport \"testing\"\n\n" +
		"// TestPayloads: decoding reverses encoding, and truncated data are refused.\n" +
		"func TestPayloads(t *testing.T) {\n")
	for _, s := range h.structs {
		if !s.payload {
			continue
		}
		name := exported("", s.name)
		tails := ""
		for i := range s.tails {
			tails += fmt.Sprintf("t%d, ", i)
		}
		fmt.Fprintf(&b, "\troundTrip(t, \"%s\", func(v *%[1]s) []byte { return v.Append(nil) }, "+
			"func(b []byte) (%[1]s, int, bool) {\n\t\tv, %sok := Decode%[1]s(b)\n\t\treturn v, Sizeof%[1]s",
			name, tails)
		for i := range s.tails {
			fmt.Fprintf(&b, " + len(t%d)", i)
		}
		b.WriteString(", ok\n\t})\n")
	}
	b.WriteString("}\n")
	return b.String()
}
