package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a report to a file such that whoever reads it sees either all of it or what was there before, even
// if mpivet is killed meanwhile. What is no regular file, such as a pipe or /dev/stdout, is written to as it is.
func WriteFile(path string, data []byte) (err error) {
	st, err := os.Stat(path)
	switch {
	case err == nil && !st.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Close())
	case err == nil:
		// Keep a link, replace what it points to.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := temporary(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if st != nil {
		_ = f.Chmod(st.Mode().Perm())
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// temporary creates a file beside path with the permissions that path would get; os.CreateTemp would keep it from
// others.
func temporary(path string) (*os.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), n)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || n == 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
