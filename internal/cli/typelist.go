package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// madeType is a datatype that a program has made, once or several times at the same place.
type madeType struct {
	*match.Datatype
	number int // from 1, by rank and order of creation
	ranks  []int
	turn   int // its number among the types of the first rank in ranks
	made   int // how many times the program has made it
	file   string
	line   int
}

// name returns the name that the program has given the type, or else its constructor.
func (m *madeType) name() string {
	if m.Name != "" {
		return m.Name
	}
	return m.Kind.String()
}

func (m *madeType) place() string {
	if m.file == "" {
		return "?"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(m.file), m.line)
}

// typeList gathers the types that the processes of a run make.
type typeList struct {
	all   []*madeType
	known map[typeKey]*madeType
	turns map[*track.Process]int
	x     *check.Run
}

// typeKey identifies a madeType. Types with equal construction share their datatype.Type.
type typeKey struct {
	typ   *datatype.Type
	place string
}

func (l *typeList) start(x *check.Run) {
	l.x, l.known, l.turns = x, map[typeKey]*madeType{}, map[*track.Process]int{}
	x.Track.TypeMade.On(x.Owner, l.add)
}

func (l *typeList) add(e track.TypeMade) {
	p, d := e.Process, e.Datatype
	l.turns[p]++
	key := typeKey{d.Type, l.x.Place(d.Made)}
	m := l.known[key]
	if m == nil {
		m = &madeType{Datatype: d}
		if stack := l.x.Site("", d.Made).Stack; len(stack) > 0 {
			m.file, m.line = stack[0].File, stack[0].Line
		}
		l.known[key] = m
		l.all = append(l.all, m)
	}
	m.made++
	if i, found := slices.BinarySearch(m.ranks, p.Rank); !found {
		m.ranks = slices.Insert(m.ranks, i, p.Rank)
		if i == 0 {
			m.Datatype, m.turn = d, l.turns[p]
		}
	}
}

// number numbers the types in an order that does not depend on the relative speed of the ranks.
func (l *typeList) number() {
	slices.SortStableFunc(l.all, func(a, b *madeType) int {
		return cmp.Or(cmp.Compare(a.ranks[0], b.ranks[0]), cmp.Compare(a.turn, b.turn))
	})
	for i, m := range l.all {
		m.number = i + 1
	}
}

// readTypes returns the types of a recorded run. damage is an error of a file that can be read only in part.
func readTypes(path string) (types []*madeType, damage, err error) {
	f, err := ring.OpenFile(path, mpiapi.Reads)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var l typeList
	p := pipeline.New(pipeline.Options{Checks: []*check.Check{{ID: "types", Start: l.start}}})
	damage = pipeline.Run(context.Background(), f, p, false)
	if damage == nil && p.Trouble() != "" {
		first, _, _ := strings.Cut(p.Trouble(), "\n")
		damage = fmt.Errorf("%s; please report this", first)
	}
	l.number()
	return l.all, damage, nil
}

// drawRecorded draws the chosen type of a recorded run, or lists all types.
func (o *typeOptions) drawRecorded(choice string) error {
	types, damage, err := readTypes(o.from)
	if err != nil {
		return err
	}
	if damage != nil {
		say("%v", oneLine(damage))
	}
	who := "the program"
	if o.rank >= 0 {
		who = fmt.Sprintf("rank %d", o.rank)
		types = slices.DeleteFunc(types, func(m *madeType) bool { return !slices.Contains(m.ranks, o.rank) })
	}
	if choice == "" {
		err = listTypes(types, who)
	} else {
		var m *madeType
		if m, err = chooseType(types, choice, who); err == nil {
			err = o.draw(m.Type, m.Name)
		}
	}
	if err == nil && damage != nil {
		err = statusError(exitFailed)
	}
	return err
}

// chooseType returns the type with a number, a name or a place. who is "the program" or "rank 3", for errors.
func chooseType(types []*madeType, choice, who string) (*madeType, error) {
	var found []*madeType
	for _, m := range types {
		names := []string{strconv.Itoa(m.number), m.Name, m.place(), fmt.Sprintf("%s:%d", m.file, m.line)}
		if slices.Contains(names, choice) {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 0:
		return nil, usagef("%s made no type %q: without it, mpivet type --from lists them", who, choice)
	case 1:
		return found[0], nil
	}
	var numbers []string
	for _, m := range found {
		numbers = append(numbers, strconv.Itoa(m.number))
	}
	return nil, usagef("%q may be number %s", choice, strings.Join(numbers, " or "))
}

// printable replaces characters that would disturb the table, or the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// listTypes prints a line for each type.
func listTypes(types []*madeType, who string) error {
	if len(types) == 0 {
		fmt.Printf("%s made no datatypes\n", who)
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "#\tname\tranks\tmade\tat\tsize\textent\tsignature")
	for _, m := range types {
		size, extent := "?", "?"
		if m.Size >= 0 {
			size, extent = strconv.FormatInt(m.Size, 10), strconv.FormatInt(m.Extent(), 10)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", m.number, printable(m.name()),
			finding.RankList(m.ranks), m.made, m.place(), size, extent,
			datatype.Use{Type: m.Type, Count: 1}.Signature(60))
	}
	return w.Flush()
}
