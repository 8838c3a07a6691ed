package strictreplay

import "testing"

// Tire makes the threads of engines rest after only a few operations.
func Tire(t testing.TB) {
	old := usual
	usual = stamina{full: 3, sample: 2, nap: 1}
	t.Cleanup(func() { usual = old })
}
