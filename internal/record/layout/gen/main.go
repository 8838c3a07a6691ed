// Command gen writes Go's view of preload/record.h. It also writes the C assertions and the Go tests that check that
// both compilers use the same layout. Run it in the folder of package layout.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the contents of the generated files by path. root is the root of the repository.
func generate(root string) (map[string][]byte, error) {
	src, err := os.ReadFile(root + "/preload/record.h")
	if err != nil {
		return nil, err
	}
	h, err := parse(string(src))
	if err != nil {
		return nil, fmt.Errorf("preload/record.h: %w", err)
	}
	files := map[string][]byte{root + "/preload/src/contract.c": assertions(h)}
	for name, text := range map[string]string{
		root + "/internal/record/layout/layout.go":              structs(h),
		root + "/internal/record/layout/payload.go":             payloads(h),
		root + "/internal/record/layout/offsets_unsafe_test.go": offsetsTest(h),
		root + "/internal/record/layout/payload_test.go":        payloadsTest(h),
		root + "/internal/mpi/mpiapi/section.go":                sections(h),
	} {
		if files[name], err = formatted(text); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, text)
		}
	}
	return files, nil
}
