package spool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

func content(number uint64, size int) []byte {
	b := make([]byte, size)
	r := rand.NewChaCha8([32]byte{byte(number), byte(number >> 8)})
	_, _ = r.Read(b)
	return b
}

// TestSlowHead writes faster than the head takes parts. All parts arrive in order, whatever they are stored in.
func TestSlowHead(t *testing.T) {
	for _, limit := range []int64{0, 16 << 20, 256 << 20} {
		s := New(t.TempDir(), limit)
		const parts = 400
		go func() {
			for i := range uint64(parts) {
				_, _ = s.Write(content(i, 1+int(i*7919%(1<<18))))
			}
			s.Close()
		}()
		for i := uint64(0); ; i++ {
			b, err := s.Next(t.Context(), i)
			if err == io.EOF {
				if i != parts {
					t.Errorf("limit %d: %d parts, want %d", limit, i, parts)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b, content(i, 1+int(i*7919%(1<<18)))) {
				t.Fatalf("limit %d: part %d is wrong", limit, i)
			}
			if i%10 == 9 { // a connection may break: parts are sent again from the last receipt on
				s.Delivered(i - 4)
			}
		}
		s.Delivered(parts)
		if s.Waiting() != 0 || s.Empty(t.Context()) != nil {
			t.Errorf("limit %d: %d bytes wait", limit, s.Waiting())
		}
		s.Release()
	}
}

func TestWriteWaitsForRoom(t *testing.T) {
	s := New(t.TempDir(), 0)
	defer s.Release()
	_, _ = s.Write(content(0, memory))
	written := make(chan struct{})
	go func() {
		_, _ = s.Write(content(1, memory))
		close(written)
	}()
	if _, err := s.Next(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	select {
	case <-written:
		t.Fatal("a part was added although there is no room")
	default:
	}
	s.Delivered(1)
	select {
	case <-written:
	case <-time.After(time.Minute):
		t.Fatal("the part is not added although there is room")
	}
}

func TestSaveHasAllParts(t *testing.T) {
	s := New(t.TempDir(), 64<<20)
	defer s.Release()
	var want []byte
	for i := range uint64(50) {
		b := content(i, 100_000)
		want = append(want, b...)
		_, _ = s.Write(b)
		if i == 20 {
			s.Delivered(15)
		}
		if i == 30 {
			s.Gone()
		}
	}
	s.Close()
	var got bytes.Buffer
	if err := s.Save(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("saved %d bytes, want %d: %v", got.Len(), len(want), err)
	}
}

func TestTooMuchToSave(t *testing.T) {
	s := New(t.TempDir(), 1<<20)
	defer s.Release()
	s.Gone()
	for i := range uint64(50) {
		_, _ = s.Write(content(i, 100_000)) // nothing waits for a head that is gone
	}
	if err := s.Save(io.Discard); !errors.Is(err, ErrIncomplete) {
		t.Errorf("Save: %v", err)
	}
}

func TestNextEndsWithTheContext(t *testing.T) {
	s := New(t.TempDir(), 0)
	defer s.Release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Next: %v", err)
	}
}
