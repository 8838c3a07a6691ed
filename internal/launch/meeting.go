package launch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// meetingPatience is the time that a process waits for another process to start the analyzer, and that the other
// process waits for the analyzer.
const meetingPatience = 60 * time.Second

// mostTries is the number of attempts to open and lock the meeting while other processes remove it.
const mostTries = 100

// alternatives is the number of names of a meeting place in a directory that other users can write to. If others have
// taken a name, the next one is used.
const alternatives = 10

// meeting is a file through which the processes of a group find their session. The first process that locks the file
// starts the analyzer, and writes the session into the file for the others. Only this user can write to the directory
// of the file.
type meeting struct {
	*os.File
	path string
}

// Contents of the file. It is empty until the analyzer has been started.
const (
	meetingSession = "session " // followed by the session's directory
	// There is no analyzer, and a process has reported that. It is followed by the number of processes that have not
	// come yet; if it is not known, by 0 or a negative number.
	meetingUnwatched = "unwatched "
)

// meetingPlaces returns the possible directories of a meeting, in the order in which they are tried. The first one is
// in XDG_RUNTIME_DIR, where only the user can make files. The others are in shared directories, where other users may
// take a name.
func meetingPlaces(shared []string) (dirs []string) {
	if d := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(d) {
		if f, err := openOwn(d, unix.O_DIRECTORY); err == nil {
			f.Close()
			dirs = append(dirs, filepath.Join(d, "mpivet"))
		}
	}
	for _, place := range shared {
		for i := range alternatives {
			d := filepath.Join(place, fmt.Sprintf("mpivet-%d", os.Getuid()))
			if i > 0 {
				d += "." + strconv.Itoa(i)
			}
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// openOwn opens a file or directory. It must belong to this user, and other users must not be able to write to it.
func openOwn(path string, flags int) (*os.File, error) {
	return openOwnAt(unix.AT_FDCWD, path, path, flags)
}

func openOwnAt(dir int, name, path string, flags int) (*os.File, error) {
	fd, err := unix.Openat(dir, name, flags|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	kind := uint32(unix.S_IFREG)
	if flags&unix.O_DIRECTORY != 0 {
		kind = unix.S_IFDIR
	}
	if err = unix.Fstat(fd, &st); err == nil {
		private := int(st.Uid) == os.Geteuid() && st.Mode&0o022 == 0
		if st.Mode&unix.S_IFMT != kind || !private {
			err = errors.New("belongs to others, or others can write to it")
		}
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// openMeeting opens the meeting of a group. It creates the meeting if there is none.
func openMeeting(g Group) (*meeting, error) {
	var problems []error
	for _, flags := range []int{0, unix.O_CREAT} {
		for _, dir := range meetingPlaces(g.places()) {
			if flags != 0 {
				if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
					problems = append(problems, err)
					continue
				}
			}
			d, err := openOwn(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW)
			if err == nil {
				var f *os.File
				path := filepath.Join(dir, g.Name)
				f, err = openOwnAt(int(d.Fd()), g.Name, path, unix.O_RDWR|unix.O_NOFOLLOW|flags)
				d.Close()
				if err == nil && flags != 0 {
					err = reserve(f)
				}
				if err == nil {
					return &meeting{f, path}, nil
				}
			}
			if flags != 0 && len(problems) == 0 {
				problems = append(problems, err)
			}
		}
	}
	return nil, problems[0]
}

// meetingSize is the length of a meeting in bytes: enough for the path of a directory.
const meetingSize = 4096

// reserve allocates the disk space of a meeting, so that later writes do not fail on a full disk. If the disk is full
// already, it removes the file.
func reserve(f *os.File) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, meetingSize)
	if err == nil || err == unix.EOPNOTSUPP || err == unix.ENOSYS || err == unix.EPERM {
		return nil
	}
	return errors.Join(&os.PathError{Op: "allocate", Path: f.Name(), Err: err}, os.Remove(f.Name()), f.Close())
}

// lockMeeting opens the meeting of a group, and locks it. A process must have this lock to read or write the meeting.
func lockMeeting(g Group) (*meeting, error) {
	var problem error
	end := time.Now().Add(meetingPatience)
	for tries := 0; tries < mostTries && time.Now().Before(end); tries++ {
		m, err := openMeeting(g)
		if err != nil {
			problem = err // try again: End may have removed the directory after this process made it
			continue
		}
		if err := lockFile(m.File, end); err != nil {
			m.Close()
			return nil, fmt.Errorf("%s: another process has been starting the analyzer for %v", m.path, meetingPatience)
		}
		// The process that had the lock before may have removed the file. Then make and lock a new file.
		var st unix.Stat_t
		if unix.Fstat(int(m.Fd()), &st) == nil && st.Nlink > 0 {
			return m, nil
		}
		m.Close()
	}
	return nil, cmp.Or(problem, fmt.Errorf("%s is removed again and again", g.Name))
}

// lockFile waits for the lock on a file. It does not wait if the file system has no locks. Then several analyzers may
// start.
func lockFile(f *os.File, end time.Time) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil
		}
		if time.Now().After(end) {
			return err
		}
		time.Sleep(2 * time.Millisecond) // a blocking flock has no timeout
	}
}

// read returns the contents of the meeting.
func (m *meeting) read() string {
	b := make([]byte, meetingSize)
	if _, err := m.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// write replaces the contents of the meeting. The text must be shorter than meetingSize.
func (m *meeting) write(text string) error {
	b := make([]byte, meetingSize)
	copy(b, text)
	_, err := m.WriteAt(b, 0)
	return err
}

// UnwatchedError is the reason why a process of the program runs unwatched. It is silent if another process has
// reported it already.
type UnwatchedError struct {
	Reason string
	Silent bool
}

func (e *UnwatchedError) Error() string { return "the program runs unwatched: " + e.Reason }

// Join returns the directory of the group's session. In the first process, it calls start with the path of the group's
// meeting. start must start the analyzer, which passes the path to End when it ends, and return the directory of the
// session. The other processes wait for this. The error is an UnwatchedError.
func Join(g Group, start func(meeting string) (session string, err error)) (string, error) {
	m, err := lockMeeting(g)
	if err != nil {
		return "", &UnwatchedError{Reason: err.Error()}
	}
	defer m.Close()
	text := m.read()
	if dir, there := strings.CutPrefix(text, meetingSession); there {
		if ring.Analyzed(dir) {
			return dir, nil
		}
		_ = m.write(meetingUnwatched + "0")
		return "", &UnwatchedError{Reason: "the analyzer has ended", Silent: !ring.FirstUnwatched(dir)}
	}
	if rest, unwatched := strings.CutPrefix(text, meetingUnwatched); unwatched {
		n, _ := strconv.Atoi(rest)
		m.pass(n)
		return "", &UnwatchedError{Reason: "as the other processes do", Silent: true}
	}
	dir, err := start(m.path)
	if err != nil {
		m.pass(g.Size)
		cleanMeetings(g.places()) // no analyzer does it
		return "", &UnwatchedError{Reason: err.Error()}
	}
	if err = m.write(meetingSession + dir); err != nil {
		return "", &UnwatchedError{Reason: err.Error()} // the others would not find the session
	}
	return dir, nil
}

// pass notes that one more process runs unwatched, of n that had not come yet. The last one removes the meeting, as no
// analyzer will.
func (m *meeting) pass(n int) {
	if n == 1 {
		m.remove()
		return
	}
	_ = m.write(meetingUnwatched + strconv.Itoa(n-1))
}

// remove removes the meeting, and its directory if that is empty then.
func (m *meeting) remove() {
	_ = os.Remove(m.path)
	_ = os.Remove(filepath.Dir(m.path)) // fails if there are other meetings
}

// End removes the meeting of a session that has ended. It removes the directory, too, if it is empty.
func End(path string) {
	f, err := openOwn(path, unix.O_RDWR|unix.O_NOFOLLOW)
	if err != nil {
		return
	}
	defer f.Close()
	if lockFile(f, time.Now().Add(time.Second)) == nil {
		(&meeting{f, path}).remove()
	}
}

// foreignAge is the age at which the meeting of a group of another PID namespace counts as left behind.
const foreignAge = 24 * time.Hour

// CleanMeetings removes the meetings of groups whose launcher has ended.
func CleanMeetings() { cleanMeetings(ring.Places()) }

func cleanMeetings(shared []string) {
	for _, dir := range meetingPlaces(shared) {
		d, err := openOwn(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW)
		if err != nil {
			continue
		}
		names, _ := d.Readdirnames(-1)
		d.Close()
		for _, name := range names {
			var p process
			var namespace uint64
			if n, _ := fmt.Sscanf(name, "x%d-%d-%x", &p.pid, &p.start, &namespace); n != 3 {
				continue
			}
			path := filepath.Join(dir, name)
			if namespace == ring.PIDNamespace() {
				if !p.alive() {
					End(path)
				}
			} else if st, err := os.Lstat(path); err == nil && time.Since(st.ModTime()) > foreignAge {
				End(path)
			}
		}
		_ = os.Remove(dir) // fails if there are other meetings
	}
}
