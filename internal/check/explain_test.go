package check_test

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check"
)

func complete() string {
	var b strings.Builder
	for _, s := range check.Sections {
		b.WriteString("### " + s + "\n\nText.\n\n    code();\n\n")
		if s == "Wrong" || s == "Right" {
			b.WriteString("In Fortran:\n\n    call code()\n\n")
		}
	}
	return b.String()
}

func TestCheckDoc(t *testing.T) {
	if err := check.CheckDoc(complete()); err != nil {
		t.Error(err)
	}
	for name, doc := range map[string]string{
		"nothing":    "",
		"text first": "Text.\n" + complete(),
		"no section": strings.Replace(complete(), "### Not seen\n", "", 1),
		"other":      strings.Replace(complete(), "### Right", "### Correct", 1),
		"order":      "### Options\n\nx\n\n" + strings.Replace(complete(), "### Options\n", "", 1),
		"empty":      strings.Replace(complete(), "### Rule\n\nText.\n\n    code();\n", "### Rule\n", 1),
		"no code":    strings.Replace(complete(), "    code();\n\nIn Fortran:\n\n    call code()\n", "", 1),
		"no Fortran": strings.Replace(complete(), "In Fortran:\n\n    call code()\n", "", 1),
	} {
		if check.CheckDoc(doc) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPlain(t *testing.T) {
	if got, want := check.Plain("### Rule\n\nA ### b.\n\n### Why it matters\n\n    x\n\n"),
		"RULE\n\nA ### b.\n\nWHY IT MATTERS\n\n    x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
