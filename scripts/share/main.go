// Command share writes the files that an installation of mpivet has in its folder share: manual pages, completions for
// shells, extensions for debuggers, and documents. All of them come from the sources of this checkout. The files depend
// only on these and on the flags, so that packages are reproducible.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/cli"
	"github.com/mpivet/mpivet/internal/debug/gdb"
)

func main() {
	out := flag.String("out", "", "write the files into this `folder`")
	version := flag.String("version", "", "the `version`, for the manual pages")
	date := flag.Int64("date", 0, "the date of the manual pages, in `seconds` since 1970 (SOURCE_DATE_EPOCH)")
	mpivet := flag.String("mpivet", "/usr/bin/mpivet", "the `path` of the installed mpivet, for debuggers")
	flag.Parse()
	if *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*out, *mpivet, page{version: *version, date: time.Unix(*date, 0).UTC()}); err != nil {
		fmt.Fprintln(os.Stderr, "share:", err)
		os.Exit(1)
	}
}

// write writes all files. It is run in the root of the checkout, which has the documents.
func write(out, mpivet string, p page) error {
	files := make(map[string][]byte)
	for _, add := range []func(map[string][]byte) error{p.addManual, addCompletions, addDocuments} {
		if err := add(files); err != nil {
			return err
		}
	}
	files["mpivet/gdb/mpivet_gdb.py"] = gdb.Script(mpivet)
	files["mpivet/lldb/mpivet_lldb.py"] = gdb.LLDBScript(mpivet)
	for name, text := range files {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// addCompletions adds the scripts for shells, where each shell finds them by itself.
func addCompletions(files map[string][]byte) error {
	var bash, zsh, fish bytes.Buffer
	root := cli.Command()
	for _, err := range []error{
		root.GenBashCompletionV2(&bash, true), root.GenZshCompletion(&zsh), root.GenFishCompletion(&fish, true),
	} {
		if err != nil {
			return err
		}
	}
	files["bash-completion/completions/mpivet"] = bash.Bytes()
	files["zsh/site-functions/_mpivet"] = zsh.Bytes()
	files["fish/vendor_completions.d/mpivet.fish"] = fish.Bytes()
	return nil
}

// addDocuments adds the documents, in the folders of the checkout, so that links between them work.
func addDocuments(files map[string][]byte) error {
	names, err := filepath.Glob("docs/*")
	if err != nil {
		return err
	}
	for _, name := range append(names, "README.md", "CHANGELOG.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files["doc/mpivet/"+filepath.ToSlash(name)] = text
	}
	return nil
}

// addManual adds a compressed manual page for each command that users see.
func (p page) addManual(files map[string][]byte) error {
	root := cli.Command()
	root.DisableAutoGenTag = true
	// Otherwise cobra adds a command to the list, but has no page for it.
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
	for _, cmd := range append(root.Commands(), root) {
		if cmd != root && !cmd.IsAvailableCommand() {
			continue
		}
		text, err := p.manual(cmd)
		if err != nil {
			return err
		}
		name := "man/man1/" + strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1.gz"
		if files[name], err = compress(text); err != nil {
			return err
		}
	}
	return nil
}

// compress returns data as gzip -9n does: without a name and a time.
func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
