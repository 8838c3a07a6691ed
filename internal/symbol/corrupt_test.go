package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestCorrupt damages programs at random. In all cases, each pc has a frame and nothing panics.
func TestCorrupt(t *testing.T) {
	for _, tc := range []struct {
		name, file, source, compiler string
		flags                        []string
	}{
		{"dwarf5", "in.cc", templatesCC, "g++", []string{"-g", "-O1", "-gdwarf-5"}},
		{"dwarf4", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-gdwarf-4"}},
		{"compressed", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-gz"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			prog := build(t, dir, tc.file, tc.source, tc.compiler, tc.flags...)
			good, err := os.ReadFile(prog)
			if err != nil {
				t.Fatal(err)
			}
			var parts [][2]int
			f, err := elf.NewFile(bytes.NewReader(good))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range f.Sections {
				if s.Type != elf.SHT_NOBITS && s.FileSize > 0 {
					parts = append(parts, [2]int{int(s.Offset), int(s.FileSize)})
				}
			}
			parts = append(parts, [2]int{0, 64}, [2]int{len(good) - 64*len(f.Sections), 64 * len(f.Sections)})
			lo, hi := function(t, prog, "main")
			bad := filepath.Join(dir, "bad")
			rng := rand.New(rand.NewPCG(1, 2))
			for n := range 400 {
				data := bytes.Clone(good)
				for range 1 + rng.IntN(8) {
					p := parts[rng.IntN(len(parts))]
					at := p[0] + rng.IntN(p[1])
					switch rng.IntN(3) {
					case 0:
						data[at] = byte(rng.Uint32())
					case 1:
						data[at] = 0xff
					case 2:
						for i := at; i < min(at+8, len(data)); i++ {
							data[i] = byte(rng.Uint32())
						}
					}
				}
				if n%10 == 0 {
					data = data[:rng.IntN(len(data))]
				}
				if err := os.WriteFile(bad, data, 0o644); err != nil {
					t.Fatal(err)
				}
				r := NewResolver()
				s := r.NewSpace()
				s.Add(Module{Path: bad, Base: base, Start: base, End: base + 1<<30})
				for a := lo; a < hi; a += 5 {
					if len(s.Frames(base+a, true)) == 0 {
						t.Fatal("no frame")
					}
				}
				r.Close()
			}
		})
	}
}

// TestTruncatedWhileMapped truncates a program after it was opened, as a compiler does that overwrites the file.
func TestTruncatedWhileMapped(t *testing.T) {
	prog := build(t, t.TempDir(), "in.c", inlineC, "gcc", "-g", "-O2")
	_, s := load(t, prog)
	lo, hi := function(t, prog, "main")
	if got := s.Frames(base+lo, false)[0].Function; got != "main" {
		t.Fatal(got)
	}
	outer, _ := function(t, prog, "outer")
	if err := os.Truncate(prog, 0); err != nil {
		t.Fatal(err)
	}
	for _, a := range []uint64{outer, outer + 1, lo + 1, hi - 1} {
		if f := s.Frames(base+a, false); len(f) == 0 || f[0].Function == "" {
			t.Errorf("%#x: %+v", a, f)
		}
	}
}

func FuzzLineHeader(f *testing.F) {
	f.Add([]byte{
		30, 0, 0, 0, 5, 0, 8, 0, 20, 0, 0, 0, 1, 1, 1, 0xfb, 0x0e, 1, 1, 1, 0x1f, 1, 0, 0, 0, 0, 1, 1, 0x1f, 1,
		0, 0, 0, 0,
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		saneLineHeader(b, binary.LittleEndian)
		scanUnits(b, binary.LittleEndian)
		noteBuildID(b, binary.LittleEndian)
	})
}
