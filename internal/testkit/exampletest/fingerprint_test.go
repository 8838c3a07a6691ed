package exampletest

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFingerprint: comments do not change it. The actions of the program, their lines and the options of the run do.
func TestFingerprint(t *testing.T) {
	of := func(name, source string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		print, err := Fingerprint(e)
		if err != nil {
			t.Fatal(err)
		}
		return print
	}
	const c = "/* run: np=2 */\nf(\"/* a */\", '\"', x); /* want \"A\" */\n"
	const f = "! run: np=2\ncall f(x) ! want \"A\"\n"
	for _, e := range []struct {
		what, name, a, b string
		same             bool
	}{
		{"another want", "a.c", c, "/* run: np=2 */\nf(\"/* a */\", '\"', x); /* want \"B\" \"says\" */\n", true},
		{"a comment of the same lines", "a.c", "/* a\nb */\n" + c, "/* c d\n */\n" + c, true},
		{"another line", "a.c", c, "\n" + c, false},
		{"another string", "a.c", c, "/* run: np=2 */\nf(\"/* b */\", '\"', x); /* want \"A\" */\n", false},
		{"another argument", "a.c", c, "/* run: np=2 */\nf(\"/* a */\", '\"', y); /* want \"A\" */\n", false},
		{"another option", "a.c", c, "/* run: np=3 */\nf(\"/* a */\", '\"', x); /* want \"A\" */\n", false},
		{
			"another want in Fortran", "a.f90",
			"! run: np=2\ncall f(x) ! want \"A\"\n", "! run: np=2\ncall f(x) ! want \"B\"\n", true,
		},
		{"another argument in Fortran", "a.f90", f, "! run: np=2\ncall f(y) ! want \"A\"\n", false},
		{
			"another option in Fortran", "a.f90",
			"! run: np=2\ncall f(x) ! want \"A\"\n", "! run: np=2 timeout=3s args=1\ncall f(x) ! want \"A\"\n", false,
		},
	} {
		if a, b := of(e.name, e.a), of(e.name, e.b); (a == b) != e.same {
			t.Errorf("%s: fingerprints %s and %s", e.what, a, b)
		}
	}
}
