package call

import (
	"slices"

	"github.com/mpivet/mpivet/internal/track"
)

// classes are the error classes that MPI libraries return for a mistake that another check has reported. Libraries are
// not exact, so some classes are in every list. An error of another class has another cause. Without a list, the
// mistake explains errors of every class.
var classes = map[track.Explanation][]string{
	track.ByDatatype: append([]string{"MPI_ERR_TYPE"}, vague...),
	track.ByBuffer:   append([]string{"MPI_ERR_BUFFER", "MPI_ERR_COUNT", "MPI_ERR_NO_MEM"}, vague...),
	track.ByOverlap:  append([]string{"MPI_ERR_BUFFER", "MPI_ERR_COUNT", "MPI_ERR_NO_MEM"}, vague...),
	track.ByRequest:  append([]string{"MPI_ERR_REQUEST", "MPI_ERR_IN_STATUS"}, vague...),
}

// vague are the classes that say little. The last one stands for a class without a name.
var vague = []string{"MPI_ERR_ARG", "MPI_ERR_OTHER", "MPI_ERR_INTERN", "MPI_ERR_UNKNOWN", ""}

// explained reports whether another check has reported what is wrong with the call that a thread is in and that
// failed with f. If f is nil, the class of the error is not known, and the error may have another cause.
func explained(th *track.Thread, f *track.Failure) bool {
	switch {
	case f == nil:
		return false
	case f.Refused:
		return true
	case th.Explained == track.Unexplained:
		return false
	}
	list, some := classes[th.Explained]
	return !some || slices.Contains(list, th.Process.ErrorClass(f.Class))
}

// explainedEnd reports whether a process that has ended was in a call that another check has reported.
func explainedEnd(p *track.Process) bool {
	return slices.ContainsFunc(p.Threads, func(th *track.Thread) bool {
		return th.Failure != nil && th.Failure.Refused || th.Explained != track.Unexplained
	})
}
