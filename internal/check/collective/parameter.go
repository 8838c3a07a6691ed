package collective

import (
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/argument/rules"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// InvalidParameter finds arguments that the standard forbids, no matter what the other processes pass.
var InvalidParameter = newCheck("INVALID_PARAMETER", "an argument of a collective operation is invalid", parameterDoc,
	&rule{
		groups: func(x *check.Run, c *match.Collective) []group {
			if c.Different || !c.Conflicts.Has(match.Validity) {
				return nil
			}
			return split(c, func(v *match.Variant) uint64 { return uint64(v.Invalid) }, func(v *match.Variant) string {
				f := mpiapi.ByID(mpiapi.FuncID(v.Call.Func()))
				if v.Invalid > len(f.Params) {
					return v.Why
				}
				return argument(x, f.Params[v.Invalid-1].Name)(v) + ", which " + v.Why
			})
		},
		what:  about("pass invalid arguments to %s"),
		verbs: passes,
		more: func(c *match.Collective) (why, advice string) {
			why = "MPI may refuse the call on these processes while the others wait in it. It may also crash."
			advice = "Correct the argument on these processes."
			if i := mpiapi.ByID(c.Variants[0].Func).Arg(mpiapi.Root); i >= 0 && slices.ContainsFunc(c.Variants,
				func(v match.Variant) bool { return v.Invalid == i+1 }) {
				advice = "Pass a rank in the communicator of the call: its ranks count from 0."
			}
			return why, advice
		},
		entering: func(x *check.Run) func(track.CollectiveEntering) {
			judge := rules.Forbidden(x.Tracker)
			return func(e track.CollectiveEntering) {
				if e.Entry.Invalid == 0 && e.Thread.Explained == track.Unexplained {
					if m := judge.FirstMistake(e.Thread, e.Call); m != nil {
						e.Entry.Invalid, e.Entry.Why = m.Param+1, m.Why
					}
				}
				if e.Entry.Invalid != 0 {
					e.Thread.Explained = track.ByArgument
				}
			}
		},
		enters: track.InOrder,
	})

// onFiles reports whether a function is a collective on a file.
func onFiles(f *mpiapi.Func) bool { return track.InOrder(f) && f.Arg(mpiapi.TheFile) >= 0 }
