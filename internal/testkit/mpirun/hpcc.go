package mpirun

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// HPCCInput writes the input of hpcc into a directory: Debian's input, with a problem of size n (Debian's: 1000) on a
// grid of p × q processes (2 × 2). It returns an error if hpcc is not installed.
func HPCCInput(dir string, n, p, q int) error {
	input, err := os.ReadFile("/usr/share/doc/hpcc/examples/_hpccinf.txt")
	if err != nil {
		return err
	}
	text := strings.NewReplacer(
		"1000         Ns", fmt.Sprintf("%-12d Ns", n),
		"2            Ps", fmt.Sprintf("%-12d Ps", p),
		"2            Qs", fmt.Sprintf("%-12d Qs", q),
	).Replace(string(input))
	return os.WriteFile(filepath.Join(dir, "hpccinf.txt"), []byte(text), 0o644) //nolint:gosec // not secret
}
