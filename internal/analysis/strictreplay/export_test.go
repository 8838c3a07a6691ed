package strictreplay

import "testing"

// Tire makes threads of engines to come rest as soon as they have done a few things.
func Tire(t testing.TB) {
	old := usual
	usual = stamina{full: 3, sample: 2, nap: 1}
	t.Cleanup(func() { usual = old })
}
