package generate

import (
	"flag"
	"os"
	"testing"
)

var printTo = flag.String("print", "", "file to write the program of the first seed to")

// TestPrint writes the program of a seed to a file: to look at what a test has failed with.
func TestPrint(t *testing.T) {
	if *printTo == "" {
		t.Skip("no -print")
	}
	text, _ := New(*from, Options{Real: true}).Source()
	if err := os.WriteFile(*printTo, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
