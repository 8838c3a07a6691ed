package main

import (
	"strings"
	"testing"
)

const stream = `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: there is no MPI: install one\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestB","Output":"    a_test.go:9: wrong\n"}
`

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		action string
		failed bool
		says   string
	}{
		{"pass", false, "skipped: there is no MPI: install one\n         p.TestA\n"},
		{"fail", true, "    a_test.go:9: wrong\nskipped: there is no MPI: install one\n         p.TestA\n"},
	} {
		var out strings.Builder
		last := `{"Action":"` + c.action + `","Package":"p","Test":"TestB"}` + "\n"
		failed, err := summarize(strings.NewReader(stream+last), &out)
		if err != nil || failed != c.failed || out.String() != c.says {
			t.Errorf("%s: failed %t, %v, says\n%s", c.action, failed, err, out.String())
		}
	}
}
