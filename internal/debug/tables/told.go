package tables

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Told is what the analyzer tells a process about the other processes.
type Told struct {
	Time       time.Duration // of CLOCK_MONOTONIC; 0: the analyzer has told nothing yet
	Unexpected []Unexpected  // messages that were sent to the process and that no receive waits for
	More       int           // number of further ones
	Words
}

// Words is the part of Told that is a text, in JSON.
type Words struct {
	Waits    []Wait    `json:"waits"`
	Findings []Finding `json:"findings"`
}

// Wait is what a thread waits for.
type Wait struct {
	Thread int    `json:"thread"` // its Index
	Call   uint64 `json:"call"`   // number of the call, from 1
	For    string `json:"for"`
}

// Finding is a finding that concerns the process.
type Finding struct {
	Check    string `json:"check"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
}

// Unexpected is a message for which no receive was posted.
type Unexpected struct {
	Comm   uint64       // handle of the communicator in the receiving process
	Source int          // rank of the sender in the communicator
	Tag    int          // of the message
	World  int          // world rank of the sender, -1 if it is not known
	Func   *mpiapi.Func // that sends it, nil if it is not known
	Bytes  int64
	Since  time.Duration // when the analyzer learned of it
}

// Told returns what the analyzer has told, nil if there is nothing.
func (t *Tables) Told() (*Told, error) {
	at, size := u64(t.header, layout.DebugToldAt), u64(t.header, layout.DebugToldSizeAt)
	if at == 0 {
		return nil, nil //nolint:nilnil // nothing is there
	}
	if size < layout.SizeofTold || size > maxTold {
		return nil, damaged("what the analyzer tells, in %d bytes", size)
	}
	memory := t.memory
	for range maxReadAgain {
		b, err := readChunks(memory, at, size)
		if err != nil {
			return nil, fmt.Errorf("what the analyzer tells: %w", err)
		}
		memory = uncached(t.memory) // the analyzer may write at any time, so read it again
		after, err := read(memory, at+layout.ToldSequenceAt, 8)
		if err != nil {
			return nil, fmt.Errorf("what the analyzer tells: %w", err)
		}
		if s := u64(b, layout.ToldSequenceAt); s == u64(after, 0) && s%2 == 0 {
			return parseTold(b)
		}
	}
	return nil, damaged("the analyzer was writing what it tells")
}

// uncached returns the memory below a cache.
func uncached(m Memory) Memory {
	if c, ok := m.(*Cache); ok {
		return c.memory
	}
	return m
}

func parseTold(b []byte) (*Told, error) {
	if m, v := u64(b, layout.ToldMagicAt), u32(b, layout.ToldVersionAt); m != layout.MagicTold || v != layout.Version {
		return nil, damaged("what the analyzer tells begins with %#x, version %d", m, v)
	}
	w := &Told{Time: duration(u64(b, layout.ToldTimeAt)), More: int(u32(b, layout.ToldUnexpectedMoreAt))}
	at, count := uint64(u32(b, layout.ToldUnexpectedAtAt)), uint64(u32(b, layout.ToldUnexpectedAt))
	words, length := uint64(u32(b, layout.ToldTextAtAt)), uint64(u32(b, layout.ToldTextLengthAt))
	if at+count*layout.SizeofUnexpected > uint64(len(b)) || words+length > uint64(len(b)) {
		return nil, damaged("what the analyzer tells: %d messages at %d and %d bytes of text at %d, in %d bytes",
			count, at, length, words, len(b))
	}
	for i := range count {
		m := b[at+i*layout.SizeofUnexpected:]
		num := func(at int) int { return int(int32(u32(m, at))) }
		u := Unexpected{
			Comm: u64(m, layout.UnexpectedCommAt), Source: num(layout.UnexpectedSourceAt),
			Tag: num(layout.UnexpectedTagAt), World: num(layout.UnexpectedWorldAt),
			Bytes: int64(u64(m, layout.UnexpectedBytesAt)), Since: duration(u64(m, layout.UnexpectedBeatAt)),
		}
		if f := u32(m, layout.UnexpectedFunctionAt); f <= 0xffff {
			u.Func = mpiapi.ByID(mpiapi.FuncID(f))
		}
		w.Unexpected = append(w.Unexpected, u)
	}
	if length > 0 {
		if err := json.Unmarshal(b[words:words+length], &w.Words); err != nil {
			return nil, damaged("the text that the analyzer tells: %v", err)
		}
	}
	return w, nil
}
