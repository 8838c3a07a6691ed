package mpirun

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// Compile returns a command that runs the compiler behind one of the MPI implementation's compiler wrappers, such as
// m.CC, with arguments. The wrappers are scripts in part, and take half as long as a compiler needs for a small
// program. So each is asked only once what it would do.
func Compile(wrapper string, args ...string) (*exec.Cmd, error) {
	shown, err := show(wrapper)
	if err != nil {
		return nil, err
	}
	i := slices.Index(shown, place)
	if i < 0 {
		return exec.Command(wrapper, args...), nil
	}
	command := slices.Concat(shown[:i], args, shown[i+1:])
	return exec.Command(command[0], command[1:]...), nil
}

// place stands for the arguments in what a wrapper shows.
const place = "arguments-of-the-test.o"

var (
	shownMu sync.Mutex
	shownBy = make(map[string][]string)
)

// show returns the command that a wrapper runs for the argument place, in words.
func show(wrapper string) ([]string, error) {
	shownMu.Lock()
	defer shownMu.Unlock()
	if words, ok := shownBy[wrapper]; ok {
		return words, nil
	}
	out, err := exec.Command(wrapper, "-show", place).Output()
	if err != nil {
		return nil, fmt.Errorf("%s -show: %w", wrapper, err)
	}
	shownBy[wrapper] = strings.Fields(string(out))
	return shownBy[wrapper], nil
}
