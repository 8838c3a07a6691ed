package mpirun

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// Compile returns a command that runs the compiler behind one of the MPI implementation's compiler wrappers, such as
// m.CC, with arguments. Some wrappers are scripts, and take half as long as the compilation of a small program. So each
// wrapper is asked only once for its command.
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

// place stands for the arguments in the output of a wrapper.
const place = "arguments-of-the-test.o"

var (
	shownMu sync.Mutex
	shownBy = make(map[string][]string)
)

// show returns the command, in words, that a wrapper runs for the argument place.
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
