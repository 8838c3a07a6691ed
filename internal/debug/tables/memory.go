package tables

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Memory is the memory of a process.
type Memory interface {
	// ReadMemory fills p with the bytes at an address. It returns an error if it cannot read all of them.
	ReadMemory(addr uint64, p []byte) error
}

// ErrMemory is wrapped by errors about memory that cannot be read.
var ErrMemory = errors.New("the memory cannot be read")

const pageSize = 4096

// largeRead is the length from which on reads do not go through the cache.
const largeRead = 8 * pageSize

// Cache keeps the pages of a memory that were read, as each access through a debugger takes time. Pages are as they
// were when they were first read.
type Cache struct {
	memory Memory
	pages  map[uint64][]byte // nil: the page cannot be read as a whole
}

// NewCache returns a cache without pages.
func NewCache(m Memory) *Cache { return &Cache{m, make(map[uint64][]byte)} }

// ReadMemory implements Memory.
func (c *Cache) ReadMemory(addr uint64, p []byte) error {
	if len(p) >= largeRead || addr+uint64(len(p)) < addr {
		return c.memory.ReadMemory(addr, p)
	}
	for len(p) > 0 {
		at := addr % pageSize
		n := min(len(p), int(pageSize-at))
		page := c.page(addr - at)
		if page == nil {
			if err := c.memory.ReadMemory(addr, p[:n]); err != nil {
				return err
			}
		} else {
			copy(p[:n], page[at:])
		}
		addr, p = addr+uint64(n), p[n:]
	}
	return nil
}

func (c *Cache) page(start uint64) []byte {
	page, known := c.pages[start]
	if !known {
		page = make([]byte, pageSize)
		if c.memory.ReadMemory(start, page) != nil {
			page = nil
		}
		c.pages[start] = page
	}
	return page
}

// read returns n bytes at an address.
func read(m Memory, addr uint64, n int) ([]byte, error) {
	b := make([]byte, n)
	if addr == 0 || addr+uint64(n) < addr {
		return nil, fmt.Errorf("%w: %d bytes at %#x", ErrMemory, n, addr)
	}
	if err := m.ReadMemory(addr, b); err != nil {
		return nil, fmt.Errorf("%d bytes at %#x: %w", n, addr, err)
	}
	return b, nil
}

// readChunks returns n bytes at an address. It reads them in parts, so that a length that is wrong costs little.
func readChunks(m Memory, addr, n uint64) ([]byte, error) {
	const chunk = 64 << 10
	var b []byte
	for uint64(len(b)) < n {
		part, err := read(m, addr+uint64(len(b)), int(min(chunk, n-uint64(len(b)))))
		if err != nil {
			return nil, err
		}
		b = append(b, part...)
	}
	return b, nil
}

func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// text returns the characters up to a zero.
func text(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
