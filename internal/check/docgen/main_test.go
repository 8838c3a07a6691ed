package main

import (
	"os"
	"testing"
)

func TestReferenceIsFresh(t *testing.T) {
	have, err := os.ReadFile("../../../docs/checks.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != reference() {
		t.Error("docs/checks.md is out of date: run go generate ./internal/check/docgen")
	}
}
