package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxSection is the maximum size of an unpacked section. No real section comes near it.
const maxSection = 8 << 30

// inflate unpacks an SHF_COMPRESSED section. It returns nil if the section is malformed. Zlib takes most of the time
// before the first answer about a file, so a faster package than the standard library's is used.
func (i *image) inflate(b []byte) []byte {
	order := i.elf.ByteOrder
	var typ uint32
	var size uint64
	switch i.elf.Class {
	case elf.ELFCLASS64: // Elf64_Chdr
		if len(b) < 24 {
			return nil
		}
		typ, size, b = order.Uint32(b), order.Uint64(b[8:]), b[24:]
	default:
		if len(b) < 12 {
			return nil
		}
		typ, size, b = order.Uint32(b), uint64(order.Uint32(b[4:])), b[12:]
	}
	switch elf.CompressionType(typ) {
	case elf.COMPRESS_ZLIB:
		return inflateZlib(b, size)
	case elf.COMPRESS_ZSTD:
		if size > maxSection {
			return nil
		}
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSection))
		if err != nil {
			return nil
		}
		defer d.Close()
		out, err := d.DecodeAll(b, nil)
		if err != nil || uint64(len(out)) != size {
			return nil
		}
		return out
	}
	return nil
}

// inflateGNU unpacks a .zdebug_ section: "ZLIB", the size as 8 bytes big-endian, a zlib stream.
func inflateGNU(b []byte) []byte {
	if len(b) < 12 || string(b[:4]) != "ZLIB" {
		return nil
	}
	return inflateZlib(b[12:], binary.BigEndian.Uint64(b[4:]))
}

func inflateZlib(b []byte, size uint64) []byte {
	// Deflate compresses by a factor of at most 1032. A larger size is wrong, and must not be allocated.
	if size > maxSection || size/1032 > uint64(len(b)) {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(z, out); err != nil {
		return nil
	}
	return out
}
