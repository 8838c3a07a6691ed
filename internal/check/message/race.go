package message

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/race"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

//go:embed race.md
var raceDoc string

// Race finds receives from MPI_ANY_SOURCE that could have got the message of another sender. It is a warning if
// something would have gone wrong then, otherwise a note.
var Race = &check.Check{
	ID: "GLOBAL:MSG:RACE", Severity: finding.Warning,
	Title: "a receive from MPI_ANY_SOURCE could have got another message",
	Doc:   raceDoc, Portability: true,
	Needs: []analysis.Need{race.Races},
	Start: func(x *check.Run) {
		fs := &races{x: x, notes: make(map[string]*note)}
		race.Races.Of(x.Facts).On(x.Owner, fs.race)
		x.Track.RunOver.On(x.Owner, func(struct{}) { fs.finish() })
	},
}

// races reports what the check finds in a run.
type races struct {
	x     *check.Run
	notes map[string]*note // by place of the receive, and by line of the source
	order []*note
}

// note is a receive in the source that has a race.
type note struct {
	// finding is a note. It is reported at the end of the run, unless a warning was.
	finding *finding.Finding
	bad     bool // it says what may go wrong
	warned  bool
}

func (fs *races) race(r *race.Race) {
	key := fs.x.Place(r.Receive.Call)
	n := fs.notes[key]
	if n == nil {
		n = fs.note(r.Receive.Call, key)
	}
	bad := r.Outcome != race.Harmless
	switch {
	case r.Proven:
		n.warned = true
		fs.x.Report(fs.describe(r, key+"|"+fs.x.Place(r.Victim.Call)))
	case n.finding == nil || bad && !n.bad:
		n.finding, n.bad = fs.describe(r, key), bad
	}
}

// note returns the note for a receive at a new place. All call stacks that end at the same line share one note, as a
// library may have one function that receives for all others.
func (fs *races) note(c match.Call, place string) *note {
	line := place
	if stack := fs.x.Site("", c).Stack; len(stack) > 0 {
		line = fmt.Sprintf("%s %s:%d", stack[0].Function, stack[0].File, stack[0].Line)
	}
	n := fs.notes[line]
	if n == nil {
		n = new(note)
		fs.notes[line] = n
		fs.order = append(fs.order, n)
	}
	fs.notes[place] = n
	return n
}

func (fs *races) finish() {
	for _, n := range fs.order {
		if n.finding != nil && !n.warned {
			fs.x.Report(n.finding)
		}
	}
}

func (fs *races) describe(r *race.Race, key string) *finding.Finding {
	x := fs.x
	me, from, other := x.Rank(r.Receive.Call), x.Rank(r.Receive.Got.Call), x.Rank(r.Other.Call)
	f := &finding.Finding{
		Key: key, Severity: finding.Info, Ranks: []int{me, from, other},
		Message: fmt.Sprintf("%s from MPI_ANY_SOURCE got the message of rank %d%s, but that of rank %d%s could have "+
			"come first", x.Func(r.Receive.Call).Name, from, check.Parens(x.Line(r.Receive.Got.Call)), other,
			check.Parens(x.Line(r.Other.Call))),
		Why: "MPI does not order messages of different senders.",
		Sites: []finding.Site{
			x.Site("receive", r.Receive.Call), x.Site("send of what it got", r.Receive.Got.Call),
			x.Site("send of what it could have got", r.Other.Call), x.Site("receive of that", r.Taker.Call),
		},
		Details: map[string]any{
			"receiver": me, "sender": from, "other_sender": other, "tag": r.Receive.Got.Tag, "other_tag": r.Other.Tag,
			"comm": x.Comm(r.Receive.Call, r.Comm), "outcome": [...]string{"harmless", "misfit", "stuck"}[r.Outcome],
			"proven": r.Proven,
		},
	}
	if r.Outcome == race.Harmless {
		f.Why += " Another run may receive them in the other order."
		f.Advice = "Nothing needs to change if the program accepts the messages in any order. Otherwise name the " +
			"source, or use different tags."
		return f
	}
	f.Message += "\n" + fs.consequence(r)
	if r.Victim != r.Receive && r.Victim != r.Taker {
		f.Sites = append(f.Sites, x.Site("receive that goes wrong", r.Victim.Call))
	}
	if r.Proven {
		f.Severity = finding.Warning
	} else {
		f.Why += " The other order goes wrong if the program then makes the same calls. It may also adapt its calls " +
			"to the first message, which mpivet cannot see."
	}
	f.Advice = "Name the source in the receive. Or use different tags or communicators for messages that are meant " +
		"for different receives."
	return f
}

// consequence says what goes wrong in the other order.
func (fs *races) consequence(r *race.Race) string {
	x := fs.x
	if r.Outcome == race.Stuck {
		return fmt.Sprintf("In the other order, %s waits forever: no message is left for it.", x.CallIn(r.Victim.Call))
	}
	how := "that is another datatype"
	if race.Compare(r.Message, r.Victim).Verdict == datatype.TooLong {
		how = "it is longer than the buffer"
	}
	who := "this receive"
	if r.Victim != r.Receive {
		who = x.CallIn(r.Victim.Call)
	}
	return fmt.Sprintf("In the other order, %s receives the message of rank %d, %d × %s, as %d × %s: %s.", who,
		x.Rank(r.Message.Call), r.Message.Count, r.Message.Type, r.Victim.Count, r.Victim.Type, how)
}
