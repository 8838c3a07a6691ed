package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a report to a file. A reader of the file sees either the whole report or the earlier content, even
// if mpivet is killed while it writes. If path is not a regular file, such as a pipe or /dev/stdout, it is written
// directly.
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
		// Keep a symbolic link, and replace the file that it points to.
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

// temporary creates a file beside path, with the permissions that path would get. os.CreateTemp would make it
// inaccessible to other users.
func temporary(path string) (*os.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), n)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || n == 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
