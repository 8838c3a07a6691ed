package ring

import (
	"os"

	"golang.org/x/sys/unix"
)

func mmapShared(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func munmap(b []byte) { _ = unix.Munmap(b) }
