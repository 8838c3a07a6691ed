package symbol

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkFirst measures the time for the first pc in a file: a stripped program, a large stripped library, and a
// library with large compressed separate debug information (libc6-dbg).
func BenchmarkFirst(b *testing.B) {
	for _, path := range []string{
		"/usr/bin/hpcc", "/usr/lib/x86_64-linux-gnu/libmpich.so.12", "/lib/x86_64-linux-gnu/libc.so.6",
	} {
		b.Run(filepath.Base(path), func(b *testing.B) {
			if _, err := os.Stat(path); err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				r := NewResolver()
				s := r.NewSpace()
				s.Add(Module{Path: path, Base: base, Start: base, End: base + 1<<30})
				s.Frames(base+0x9000c, true)
				r.Close()
			}
		})
	}
}

func BenchmarkKnown(b *testing.B) {
	r := NewResolver()
	defer r.Close()
	s := r.NewSpace()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	s.Add(Module{Path: exe, Base: base, Start: base, End: base + 1<<30})
	for b.Loop() {
		s.Frames(base+0x9000c, true)
	}
}
