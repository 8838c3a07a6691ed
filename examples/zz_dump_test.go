package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

func TestZZDump(t *testing.T) {
	out := os.Getenv("DUMP")
	if out == "" {
		t.Skip()
	}
	paths, _ := exampletest.Find(".")
	for mpi, version := range recordedVersions {
		d, _ := recorded.ReadDictionary(filepath.Join(recordings, mpi))
		for _, path := range paths {
			e, _ := exampletest.Load(path)
			if !e.Recorded(mpi, version) {
				continue
			}
			fp, _ := exampletest.Fingerprint(e)
			r, err := recorded.Find(recordingOf(mpi, e), d, fp)
			if err != nil {
				continue
			}
			rep, _, err := r.Replay(e.Path, e.Env)
			if err != nil {
				continue
			}
			var b strings.Builder
			for i := range rep.Findings {
				show(&b, &rep.Findings[i])
			}
			if b.Len() > 0 {
				name := filepath.Join(out, mpi, exampletest.Name(e))
				os.MkdirAll(filepath.Dir(name), 0o755)
				os.WriteFile(name, []byte(b.String()), 0o644)
			}
		}
	}
}

func show(b *strings.Builder, f *mpirun.Finding) {
	lines := strings.Split(f.Message, "\n")
	at := ""
	for _, s := range f.Sites {
		if len(s.Stack) > 0 {
			at = fmt.Sprintf("%s:%d: ", filepath.Base(s.Stack[0].File), s.Stack[0].Line)
		}
		break
	}
	fmt.Fprintf(b, "[%v] %s: %s: %s%s (x%d)\n", f.Ranks, strings.ToUpper(f.Severity), f.Check, at, lines[0], f.Count)
	if f.FollowUp {
		fmt.Fprintf(b, "   (follow-up)\n")
	}
	for _, l := range lines[1:] {
		fmt.Fprintf(b, "   %s\n", l)
	}
	for _, s := range f.Sites {
		fmt.Fprintf(b, "   Rank %d %v, %s: %s\n", s.Rank, s.Also, s.Role, s.Call)
		for _, fr := range s.Stack {
			fmt.Fprintf(b, "         %s (%s:%d)\n", fr.Function, filepath.Base(fr.File), fr.Line)
		}
	}
	if w, ok := f.Details["zz"]; ok {
		fmt.Fprint(b, w)
	}
	if false {
		fmt.Fprintf(b, "   Why: %s\n", "")
	}
	if f.Advice != "" {
		fmt.Fprintf(b, "   Advice: %s\n", f.Advice)
	}
	b.WriteByte('\n')
	_ = finding.Info
}
