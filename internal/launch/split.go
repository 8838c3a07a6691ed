package launch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// splits are the commands that run another command in a split of the window that mpivet runs in, if it runs in such a
// window.
var splits = []struct {
	variable string // set by the program in the processes of its windows
	command  func(value string) []string
}{
	{"TMUX_PANE", func(pane string) []string { return []string{"tmux", "split-window", "-t", pane} }},
	// kitty's configuration must have allow_remote_control.
	{"KITTY_WINDOW_ID", func(id string) []string {
		return []string{"kitty", "@", "launch", "--location=split", "--cwd=current", "--match=window_id:" + id}
	}},
}

// splitLimit is the time for a command in a split to begin.
const splitLimit = 5 * time.Second

// splitWindow runs a command in a split of the window, and waits for its end. It returns false if there is no such
// window, or if the command has not begun there.
func splitWindow(ctx context.Context, argv []string) bool {
	for _, s := range splits {
		if value := os.Getenv(s.variable); value != "" && runSplit(ctx, s.command(value), argv) {
			return true
		}
	}
	return false
}

// runSplit runs a command by a command that makes the split. The new process is not a child of mpivet. So it holds a
// pipe open as long as it runs.
func runSplit(ctx context.Context, split, argv []string) bool {
	dir, err := os.MkdirTemp("", "mpivet-split-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	pipe := filepath.Join(dir, "pipe")
	if unix.Mkfifo(pipe, 0o600) != nil {
		return false
	}
	fd, err := unix.Open(pipe, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	// The shell ends mpivet's wait also if the command cannot be run. The user can read why, until a key is pressed.
	const script = `exec 3>"$0"; echo >&3; "$@" || { echo "[Enter]"; read line; }`
	words := append(append(append([]string{}, split...), "sh", "-c", script, pipe), argv...)
	begin, cancel := context.WithTimeout(ctx, splitLimit)
	defer cancel()
	if exec.CommandContext(begin, words[0], words[1:]...).Run() != nil || !awaitPipe(begin, fd, unix.POLLIN) {
		return false
	}
	awaitPipe(ctx, fd, unix.POLLHUP)
	return true
}

// awaitPipe waits until the other end of a pipe has written (POLLIN) or closed it (POLLHUP). It returns false when ctx
// is done.
func awaitPipe(ctx context.Context, fd int, event int16) bool {
	for ctx.Err() == nil {
		list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(list, 100); err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
		if list[0].Revents&unix.POLLIN != 0 {
			_, _ = unix.Read(fd, make([]byte, 16)) // else the next poll would return at once
		}
		if list[0].Revents&event != 0 {
			return true
		}
	}
	return false
}
