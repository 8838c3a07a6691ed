package layout

import (
	"reflect"
	"testing"
)

// roundTrip encodes a struct filled with numbers, appends bytes for its tails, and compares it with the decoded struct.
func roundTrip[T comparable](
	t *testing.T, name string, encode func(*T) []byte, decode func([]byte) (v T, size int, ok bool),
) {
	t.Helper()
	var v T
	for i := range reflect.ValueOf(v).NumField() {
		switch f := reflect.ValueOf(&v).Elem().Field(i); {
		case !f.CanSet():
		case f.CanInt():
			f.SetInt(int64(i + 1))
		default:
			f.SetUint(uint64(i + 1))
		}
	}
	b := append(encode(&v), make([]byte, 1000)...)
	got, size, ok := decode(b)
	if !ok || got != v {
		t.Errorf("%s: %+v is decoded as %+v, %t", name, v, got, ok)
	}
	if _, _, ok := decode(b[:size:size]); !ok {
		t.Errorf("%s: %d bytes are not enough", name, size)
	}
	for n := range size {
		if _, _, ok := decode(b[:n:n]); ok {
			t.Errorf("%s: %d of %d bytes are enough", name, n, size)
		}
	}
}
