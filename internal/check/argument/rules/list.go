package rules

import (
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// judged reports whether a function has rules. MPI_Abort takes any arguments, and the tool interface has its own
// handles.
func (f function) judged() bool {
	return f.Base != mpiapi.IDAbort && !strings.HasPrefix(f.Name, "MPI_T_")
}

// list is a list of rules.
type list []rule

// add adds rules. A nil rule is one that the function does not need.
func (l *list) add(rules ...rule) {
	for _, r := range rules {
		if r != nil {
			*l = append(*l, r)
		}
	}
}

// forbidden returns the rules about arguments that the standard forbids. The rules about handles come first: other
// rules depend on the objects of these handles.
func (f function) forbidden() []rule {
	var l list
	for i := range f.Params {
		l.add(f.resultRule(i))
	}
	for i := range f.Params {
		l.add(f.handleRule(i))
	}
	l.add(f.commRule())
	for i := range f.Params {
		l.add(f.leastRule(i), f.arrayRule(i), f.textRule(i))
	}
	for i := range f.Params {
		l.add(f.rankRule(i), f.tagRule(i), f.constantRule(i))
	}
	l.add(f.specialRule())
	if f.Base == mpiapi.IDFetchAndOp || f.Base == mpiapi.IDCompareAndSwap {
		l.add(f.predefinedRule())
	}
	for i := range f.Params {
		l.add(f.bufferRule(i))
	}
	return l
}

// specialRule returns the rule for this one function, nil if it has none.
func (f function) specialRule() rule {
	switch f.Base {
	case mpiapi.IDGroupIncl, mpiapi.IDGroupExcl:
		return f.ranksRule()
	case mpiapi.IDGroupRangeIncl, mpiapi.IDGroupRangeExcl:
		return f.rangesRule()
	case mpiapi.IDIntercommCreate:
		return f.bridgeRule()
	case mpiapi.IDFileOpen:
		return f.modeRule()
	case mpiapi.IDFileSetView:
		return f.displacementRule()
	case mpiapi.IDCommSplit:
		return f.colorRule()
	case mpiapi.IDDimsCreate:
		return f.dimsRule()
	case mpiapi.IDWinStart, mpiapi.IDWinPost:
		return f.epochRule()
	case mpiapi.IDCartShift:
		return f.directionRule()
	case mpiapi.IDCommSetErrhandler, mpiapi.IDWinSetErrhandler, mpiapi.IDFileSetErrhandler, mpiapi.IDErrhandlerSet:
		return f.errhandlerRule()
	case mpiapi.IDReduceLocal:
		return f.reductionRule()
	case mpiapi.IDAccumulate, mpiapi.IDRaccumulate, mpiapi.IDGetAccumulate, mpiapi.IDRgetAccumulate,
		mpiapi.IDFetchAndOp:
		return f.accumulateRule()
	case mpiapi.IDPack:
		return f.packRule()
	case mpiapi.IDPready, mpiapi.IDPreadyRange, mpiapi.IDPreadyList, mpiapi.IDParrived:
		return f.partitionRule()
	}
	return nil
}

// overflows returns the rules about numbers that are too large for their type. Only functions with int arguments have
// any.
func (f function) overflows() []rule {
	var l list
	if f.Base != f.ID {
		return nil
	}
	switch f.Base {
	case mpiapi.IDPack:
		l.add(f.packOverflow())
	case mpiapi.IDTypeSize, mpiapi.IDGetCount, mpiapi.IDGetElements, mpiapi.IDPackSize:
		l.add(f.resultTooLarge())
	}
	for i := range f.Params {
		l.add(f.displsRule(i))
	}
	return l
}
