package finding

import (
	"strings"
	"testing"
)

func functions(names string) []Frame {
	var s []Frame
	for f := range strings.FieldsSeq(names) {
		s = append(s, Frame{Function: f})
	}
	return s
}

func TestTrim(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"send main __libc_start_call_main __libc_start_main@@GLIBC_2.34 _start", "send main"},
		{"send worker start_thread __clone3", "send worker"},
		{"send worker start_thread clone", "send worker"},
		{"send _start", "send"},
		{"send app+0x24df __libc_start_call_main __libc_start_main_impl app+0x2501", "send app+0x24df"},
		{"send lost", "send lost"},
		{"_start", "_start"},
		{"", ""},
	} {
		var got []string
		for _, f := range Trim(functions(tc.in)) {
			got = append(got, f.Function)
		}
		if g := strings.Join(got, " "); g != tc.want {
			t.Errorf("Trim(%s) = %s, want %s", tc.in, g, tc.want)
		}
	}
}
