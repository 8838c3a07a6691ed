package preload

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sanitized are the units that testdata/sanitize.c runs. They need no MPI.
var sanitized = []string{
	"tls", "maps", "session", "debug", "device", "real", "layout", "hash", "ring", "module", "python",
	"site", "polls", "objects", "requests", "kept", "found", "await", "mv", "layouts", "shape",
	"part", "snapshot", "movement", "overlap", "sums", "pending", "reach",
}

// TestSanitizers: several threads record, and make and complete operations of each other, under the sanitizers of gcc.
// The program changes data, and checks that exactly these changes are found.
func TestSanitizers(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	for _, kind := range []string{"address,undefined", "thread"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "sanitize")
			args := []string{
				"-std=gnu11", "-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=" + kind, "-fno-sanitize-recover=all",
				"-Wall", "-Wextra", "-Wno-tsan", "-Werror", "-pthread", "-I.", "-Isrc",
				"-o", program, "testdata/sanitize.c",
			}
			for _, unit := range sanitized {
				args = append(args, "src/"+unit+".c")
			}
			if err := run("gcc", append(args, "-ldl")...); err != nil {
				if strings.Contains(err.Error(), "cannot find -l") || strings.Contains(err.Error(), "cannot find lib") {
					t.Skip(err)
				}
				t.Fatal(err)
			}
			session := t.TempDir()
			if err := os.Chmod(session, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, session)
			cmd.Env = append(os.Environ(), "TSAN_OPTIONS=history_size=7")
			out, err := cmd.CombinedOutput()
			if errors.As(err, new(*exec.ExitError)) || len(out) > 0 {
				t.Fatalf("%v\n%s", err, out)
			} else if err != nil {
				t.Fatal(err)
			}
		})
	}
}
