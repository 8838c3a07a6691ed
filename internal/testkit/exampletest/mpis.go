package exampletest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// MPIs is a list of MPI implementations, with a bound of their versions where that matters: mpich, openmpi>=5.
type MPIs []mpiRange

type mpiRange struct {
	name  string
	less  bool // versions below the bound, else from the bound on
	bound [2]int
}

var (
	rangePattern   = regexp.MustCompile(`^(mpich|openmpi)(?:(<|>=)(\d+(?:\.\d+)?))?$`)
	versionPattern = regexp.MustCompile(`^(\d+)(?:\.(\d+))?`)
)

// add adds the implementations in a list that is separated by commas.
func (l *MPIs) add(parts []string) error {
	for _, part := range parts {
		f := rangePattern.FindStringSubmatch(part)
		if f == nil {
			return fmt.Errorf("an MPI is mpich or openmpi, maybe with <VERSION or >=VERSION, not %q", part)
		}
		*l = append(*l, mpiRange{f[1], f[2] == "<", majorMinor(f[3])})
	}
	return nil
}

// Has reports whether an implementation is in the list. version is that in its mpi.h, such as "4.0.2".
func (l MPIs) Has(name, version string) bool {
	v := majorMinor(version)
	return slices.ContainsFunc(l, func(r mpiRange) bool {
		return r.name == name && r.less == (slices.Compare(v[:], r.bound[:]) < 0)
	})
}

// majorMinor returns the first two numbers of a version, 0 for each that is missing.
func majorMinor(version string) (v [2]int) {
	if f := versionPattern.FindStringSubmatch(version); f != nil {
		v[0], _ = strconv.Atoi(f[1])
		v[1], _ = strconv.Atoi(f[2])
	}
	return v
}
