package inspect

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/testkit/faketables"
)

// everything are requests that read all tables.
var everything = []string{
	`{"do":"hello"}`, `{"do":"handle","kind":"datatype","value":2348810240}`,
	`{"do":"handle","kind":"datatype","value":2348810240,"path":"[2][5]"}`,
	`{"do":"handle","kind":"comm","value":2214592513}`, `{"do":"handle","kind":"group","value":2281701378}`,
	`{"do":"handle","kind":"request","value":2885681159}`, `{"do":"call","tid":100}`, `{"do":"calls"}`,
	`{"do":"requests"}`, `{"do":"comms"}`, `{"do":"queues"}`, `{"do":"collectives"}`, `{"do":"findings"}`,
	`{"do":"buffer","type":2348810240,"address":139611588448256,"count":3}`,
	`{"do":"pointer","tid":100,"address":139611588448256}`, `{"do":"status","address":139611588448256}`,
}

// askEverything makes all requests. None of them may make the inspector fail.
func askEverything(t *testing.T, p *faketables.Process) {
	t.Helper()
	x := inspector(p)
	for _, text := range everything {
		var q Request
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			t.Fatal(err)
		}
		_, err := x.Do(&q)
		if err == nil {
			continue
		}
		if s := err.Error(); strings.Contains(s, "the inspector failed") || strings.Contains(s, "\n") {
			t.Errorf("%s: %s", text, s)
		}
	}
}

// FuzzDamagedTables changes words of the tables.
func FuzzDamagedTables(f *testing.F) {
	size := uint32(len(busy().Bytes))
	for at := uint32(0); at < layout.SizeofDebug; at += 8 {
		f.Add(at, uint64(0xffffffffffffffff), at+4, uint64(0x7f0000000000))
	}
	for at := size / 2; at < size; at += 1544 {
		f.Add(at, uint64(at), at+64, uint64(0x7f0000000000+uint64(at)))
	}
	f.Fuzz(func(t *testing.T, at uint32, word uint64, at2 uint32, word2 uint64) {
		p := busy()
		n := uint32(len(p.Bytes) - 8)
		binary.LittleEndian.PutUint64(p.Bytes[at%n:], word)
		binary.LittleEndian.PutUint64(p.Bytes[at2%n:], word2)
		askEverything(t, p)
	})
}

// TestEveryWord damages every word of the tables that is not zero, in three ways.
func TestEveryWord(t *testing.T) {
	p := busy()
	whole := string(p.Bytes)
	for at := 0; at+8 <= len(whole); at += 8 {
		old := binary.LittleEndian.Uint64([]byte(whole[at:]))
		if old == 0 {
			continue
		}
		for _, word := range []uint64{^uint64(0), old + 1<<32, p.Base() + uint64(at)&^15} {
			binary.LittleEndian.PutUint64(p.Bytes[at:], word)
			askEverything(t, p)
		}
		copy(p.Bytes[at:], whole[at:at+8])
	}
}
