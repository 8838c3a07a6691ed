// Package config gives values to flags that the command line does not set: from a file, from the environment, and from
// the settings of other programs.
package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/spf13/pflag"

	"github.com/mpivet/mpivet/internal/config/yamlfile"
)

// Prefix begins the names of the environment variables for flags: MPIVET_ON_ERROR is --on-error.
const Prefix = "MPIVET_"

// Setting is a value of a flag that is set elsewhere than on the command line.
type Setting struct {
	Flag   string   // its long name
	Values []string // one value; any number for flags that may be repeated
	Origin string   // for errors: "mpivet.yaml:3", "MPIVET_LIMIT"
}

// Annotations of flags, by pflag.FlagSet.SetAnnotation.
const (
	// Input marks a flag that names files to be read. In a configuration file, relative names are relative to the
	// directory of that file.
	Input = "mpivet-input"
	// Pairs marks a flag whose values are pairs, A=B.
	Pairs = "mpivet-pairs"
)

// FileFlag names the configuration file. A configuration file cannot set this flag.
const FileFlag = "config"

// ReadFile reads a configuration file. The file is a YAML mapping whose keys are names of flags. A flag that may be
// repeated has one value or a list. A flag whose values are pairs, PATTERN=ACTION, may have a mapping. known are the
// existing flags. An error is one line, with file and line number.
func ReadFile(path string, known *pflag.FlagSet) ([]Setting, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, data, known)
}

func parse(path string, data []byte, known *pflag.FlagSet) ([]Setting, error) {
	body, err := yamlfile.Parse(path, data)
	if err != nil || body == nil {
		return nil, err
	}
	pairs, ok := yamlfile.Pairs(body)
	if !ok {
		return nil, yamlfile.Errorf(path, body, "want the names of flags with their values, such as limit: 5")
	}
	var settings []Setting
	for _, p := range pairs {
		name, ok := yamlfile.Scalar(p.Key)
		f := known.Lookup(name)
		if f == nil && len(name) == 1 {
			f = known.ShorthandLookup(name)
		}
		if f != nil && !settable(f) {
			f = nil
		}
		switch {
		case !ok:
			return nil, yamlfile.Errorf(path, p, "want the name of a flag")
		case f == nil:
			return nil, yamlfile.Errorf(path, p, "there is no flag --%s%s", name, suggest(name, known))
		case f.Name == FileFlag:
			return nil, yamlfile.Errorf(path, p, "a configuration file can't name another one")
		}
		s := Setting{Flag: f.Name, Origin: fmt.Sprintf("%s:%d", path, yamlfile.Line(p))}
		if s.Values, err = values(path, f, p); err != nil {
			return nil, err
		}
		if f.Annotations[Input] != nil {
			for i, v := range s.Values {
				if v != "" && !filepath.IsAbs(v) {
					s.Values[i] = filepath.Join(filepath.Dir(path), v)
				}
			}
		}
		settings = append(settings, s)
	}
	return settings, nil
}

// values returns the values of a flag in a file.
func values(path string, f *pflag.Flag, p *ast.MappingValueNode) ([]string, error) {
	_, repeated := f.Value.(pflag.SliceValue)
	if v, ok := yamlfile.Scalar(p.Value); ok {
		return []string{v}, nil
	}
	list, isList := p.Value.(*ast.SequenceNode)
	pairs, isMap := yamlfile.Pairs(p.Value)
	_, isNull := p.Value.(*ast.NullNode)
	switch {
	case isNull:
		return nil, yamlfile.Errorf(path, p, "%s has no value", f.Name)
	case !repeated:
		return nil, yamlfile.Errorf(path, p, "%s takes a single value", f.Name)
	case isList:
		var out []string
		for _, n := range list.Values {
			v, ok := yamlfile.Scalar(n)
			if !ok {
				return nil, yamlfile.Errorf(path, n, "%s takes a list of single values", f.Name)
			}
			out = append(out, v)
		}
		return out, nil
	case isMap && f.Annotations[Pairs] != nil:
		var out []string
		for _, q := range pairs {
			k, ok1 := yamlfile.Scalar(q.Key)
			v, ok2 := yamlfile.Scalar(q.Value)
			if !ok1 || !ok2 {
				return nil, yamlfile.Errorf(path, q, "want PATTERN: ACTION")
			}
			out = append(out, k+"="+v)
		}
		return out, nil
	}
	return nil, yamlfile.Errorf(path, p, "%s takes one value or a list", f.Name)
}

// settable reports whether a flag is an option that can be set, and not an action such as help.
func settable(f *pflag.Flag) bool { return !f.Hidden && f.Name != "help" }

// suggest returns a text that names the flag that the user may have meant.
func suggest(name string, known *pflag.FlagSet) string {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", "s", "").Replace(s))
	}
	found := ""
	known.VisitAll(func(f *pflag.Flag) {
		if settable(f) && (plain(f.Name) == plain(name) || strings.HasPrefix(f.Name, name)) {
			found = f.Name
		}
	})
	if found == "" {
		return ": mpivet help run lists them"
	}
	return ": do you mean " + found + "?"
}

// Environment returns the settings of the known flags in environment variables. Values of a flag that may be repeated
// are separated by commas.
func Environment(lookup func(string) (string, bool), known *pflag.FlagSet) []Setting {
	var settings []Setting
	known.VisitAll(func(f *pflag.Flag) {
		if !settable(f) {
			return
		}
		name := VariableName(f.Name)
		v, ok := lookup(name)
		if !ok || v == "" {
			return
		}
		s := Setting{Flag: f.Name, Values: []string{v}, Origin: name}
		if _, repeated := f.Value.(pflag.SliceValue); repeated {
			s.Values = nil
			for part := range strings.SplitSeq(v, ",") {
				if part = strings.TrimSpace(part); part != "" {
					s.Values = append(s.Values, part)
				}
			}
		}
		settings = append(settings, s)
	})
	return settings
}

// Unknown returns a note for each variable of an environment ("NAME=value") that has no effect: its name looks like the
// variable of a flag, but it belongs to none of the known flags and is not one of others.
func Unknown(environ []string, known *pflag.FlagSet, others ...string) []string {
	names := make(map[string]bool)
	known.VisitAll(func(f *pflag.Flag) { names[VariableName(f.Name)] = settable(f) })
	var notes []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if value == "" || !strings.HasPrefix(name, Prefix) || names[name] || slices.Contains(others, name) {
			continue
		}
		flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, Prefix), "_", "-"))
		notes = append(notes,
			fmt.Sprintf("%s has no effect, as there is no flag --%s%s", name, flag, suggest(flag, known)))
	}
	slices.Sort(notes)
	return notes
}

// VariableName returns the name of the environment variable for a flag.
func VariableName(flag string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Apply sets the flags of fs that the command line has not set. The first of the layers that sets a flag has priority.
// A flag that may be repeated gets the values of all layers: those of the last layer first, and those of the command
// line last. Settings of flags that fs does not have are ignored. An error names the origin of the value.
func Apply(fs *pflag.FlagSet, layers ...[]Setting) error {
	given := make(map[string]bool) // on the command line, or by an earlier layer
	fs.VisitAll(func(f *pflag.Flag) { given[f.Name] = f.Changed })
	for _, layer := range layers {
		lists := make(map[*pflag.Flag][]string)
		set := make(map[string]bool)
		for _, s := range layer {
			f := fs.Lookup(s.Flag)
			if f == nil {
				continue
			}
			if _, ok := f.Value.(pflag.SliceValue); ok {
				lists[f] = append(lists[f], s.Values...)
				continue
			}
			if given[f.Name] {
				continue
			}
			if err := f.Value.Set(s.Values[len(s.Values)-1]); err != nil {
				return fmt.Errorf("%s: %s: %w", s.Origin, f.Name, plainError(f, s.Values[len(s.Values)-1], err))
			}
			set[f.Name] = true
			f.Changed = true
		}
		maps.Copy(given, set)
		for f, values := range lists {
			list := f.Value.(pflag.SliceValue) // the type was checked above
			if f.Changed {
				values = append(values, list.GetSlice()...)
			}
			if err := list.Replace(values); err != nil {
				return fmt.Errorf("--%s: %w", f.Name, err)
			}
			f.Changed = true
		}
	}
	return nil
}

// FlagError explains in plain words why a flag on the command line does not accept its value. Other errors remain as
// they are.
func FlagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand
	}
	return fmt.Errorf("%s: %w", name, plainError(f, invalid.GetValue(), invalid.Unwrap()))
}

// plainError explains in plain words why a flag does not accept a value.
func plainError(f *pflag.Flag, value string, err error) error {
	switch f.Value.Type() {
	case "int", "int64":
		return fmt.Errorf("%q is not a whole number", value)
	case "bool":
		return fmt.Errorf("%q is neither true nor false", value)
	case "duration":
		return fmt.Errorf("%q is not a duration such as 30s or 5m", value)
	}
	return err
}
