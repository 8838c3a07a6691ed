package inspect

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// mostBasic is the size of the largest basic type: a complex number of two numbers of 16 bytes.
const mostBasic = 32

// value returns the text of a value of a basic type.
func value(t *datatype.Basic, b []byte) string {
	if len(b) == 0 || t == nil {
		return "{}"
	}
	short := strings.TrimPrefix(t.Name, "MPI_")
	switch t.Category {
	case datatype.IntegerCategory:
		return integer(short, b)
	case datatype.FloatCategory:
		return float(short, b)
	case datatype.ComplexCategory:
		half := len(b) / 2
		re, im := float(short, b[:half]), float(short, b[half:])
		if !strings.HasPrefix(im, "-") {
			im = "+" + im
		}
		return re + im + "i"
	case datatype.LogicalCategory:
		return logical(t.Language, b)
	case datatype.CharacterCategory:
		return character(b)
	}
	if strings.Contains(short, "(p=") || strings.Contains(short, "(r=") { // of MPI_Type_create_f90_…
		switch {
		case strings.HasPrefix(short, "INTEGER"):
			return integer(short, b)
		case strings.HasPrefix(short, "REAL"):
			return float(short, b)
		case strings.HasPrefix(short, "COMPLEX"):
			return "(" + float(short, b[:len(b)/2]) + ", " + float(short, b[len(b)/2:]) + ")"
		}
	}
	return fmt.Sprintf("0x%x", b)
}

// unsigned returns the little-endian number in b, of up to 8 bytes.
func unsigned(b []byte) uint64 {
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:])
}

func integer(name string, b []byte) string {
	if len(b) > 8 {
		n := new(big.Int)
		for i := len(b) - 1; i >= 0; i-- {
			n.Or(n.Lsh(n, 8), big.NewInt(int64(b[i])))
		}
		if b[len(b)-1] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return n.String()
	}
	u := unsigned(b)
	if strings.HasPrefix(name, "UNSIGNED") || strings.HasPrefix(name, "UINT") {
		return strconv.FormatUint(u, 10)
	}
	shift := 64 - 8*len(b)
	return strconv.FormatInt(int64(u<<shift)>>shift, 10)
}

func float(name string, b []byte) string {
	switch len(b) {
	case 2:
		return format(half(binary.LittleEndian.Uint16(b)), 32)
	case 4:
		return format(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
	case 8:
		return format(math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
	case 16:
		if strings.Contains(name, "LONG_DOUBLE") && runtime.GOARCH == "amd64" {
			return format(extended(b), 64)
		}
		return format(quadruple(b), 64)
	}
	return fmt.Sprintf("0x%x", b)
}

func format(v float64, bits int) string { return strconv.FormatFloat(v, 'g', -1, bits) }

// half returns the value of a number of 16 bits (binary16).
func half(u uint16) float64 {
	sign, exponent, fraction := 1-2*float64(u>>15), int(u>>10&0x1f), float64(u&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// extended returns the value of a number of 80 bits, as x86 has it, rounded.
func extended(b []byte) float64 {
	mantissa, e := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint16(b[8:])
	sign, exponent := 1-2*float64(e>>15), int(e&0x7fff)
	if exponent == 0x7fff {
		if mantissa<<1 != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(float64(mantissa), exponent-16383-63)
}

// quadruple returns the value of a number of 128 bits (binary128), rounded.
func quadruple(b []byte) float64 {
	low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	sign, exponent, fraction := 1-2*float64(high>>63), int(high>>48&0x7fff), high&(1<<48-1)
	if exponent == 0x7fff {
		if fraction|low != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	v := math.Ldexp(float64(fraction), -48) + math.Ldexp(float64(low), -112)
	if exponent == 0 {
		return sign * math.Ldexp(v, -16382)
	}
	return sign * math.Ldexp(1+v, exponent-16383)
}

func logical(l datatype.Language, b []byte) string {
	is := false
	for _, c := range b {
		is = is || c != 0
	}
	switch {
	case l == datatype.Fortran && is:
		return ".TRUE."
	case l == datatype.Fortran:
		return ".FALSE."
	}
	return strconv.FormatBool(is)
}

func character(b []byte) string {
	if u := unsigned(b); len(b) <= 4 && u < 0x80 || len(b) == 4 && u <= 0x10ffff {
		return strconv.QuoteRune(rune(u))
	}
	return integer("", b)
}
