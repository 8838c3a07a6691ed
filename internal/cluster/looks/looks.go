// Package looks lets mpivet ps see the whole job on the node of its head. The head answers questions that mpivet ps
// leaves as files in the directory of the session, which only the user can read.
package looks

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// The names of the files, all in the directory of the session.
const (
	nodesName    = ".nodes"   // it exists if the job has other nodes; each line is a host
	questionName = ".look-"   // and a name
	answerName   = ".looked-" // and the name of the question
)

// Times.
const (
	interval  = 200 * time.Millisecond
	nodeLimit = 2 * time.Second // for the nodes to answer the head
	headLimit = 3 * time.Second // for the head to answer mpivet ps
)

// View is what there is to see on another node.
type View struct {
	Host string
	Run  *ring.RunView // nil: the node has not answered
}

// Job is the part of the head that knows the other nodes.
type Job interface {
	// Hosts returns the names of the other nodes.
	Hosts() []string
	// Looks asks each of them for the JSON of a ring.RunView. A node that does not answer in time has no entry.
	Looks(limit time.Duration) map[string][]byte
}

// Serve answers questions until done is closed.
func Serve(dir string, job Job, done <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	known := 0
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		hosts := job.Hosts()
		if len(hosts) > known && write(filepath.Join(dir, nodesName), []byte(strings.Join(hosts, "\n"))) == nil {
			known = len(hosts)
		}
		if known == 0 {
			continue
		}
		questions, err := filepath.Glob(filepath.Join(dir, questionName+"*"))
		if err != nil || len(questions) == 0 {
			continue
		}
		answer, err := json.Marshal(collect(hosts, job.Looks(nodeLimit)))
		for _, q := range questions {
			_, name, _ := strings.Cut(filepath.Base(q), questionName)
			// A question that is gone has no reader any more.
			if os.Remove(q) == nil && err == nil {
				_ = write(filepath.Join(dir, answerName+name), answer)
			}
		}
	}
}

func collect(hosts []string, answers map[string][]byte) (views []View) {
	for _, host := range hosts {
		v := View{Host: host}
		if b := answers[host]; len(b) > 0 {
			v.Run = new(ring.RunView)
			if json.Unmarshal(b, v.Run) != nil {
				v.Run = nil
			}
		}
		views = append(views, v)
	}
	return views
}

// write writes a file that is complete when it is visible.
func write(path string, b []byte) error {
	hidden := path + "~"
	if err := os.WriteFile(hidden, b, 0o600); err != nil {
		return err
	}
	return os.Rename(hidden, path)
}

// Session is a session with the views of the other nodes of its job.
type Session struct {
	*ring.SessionView
	Host string // of this node
}

// Look returns the present state of the job. If two calls follow each other, all that the first one shows was so before
// what the second one shows.
func (s Session) Look(objects bool) (*ring.RunView, error) {
	v, err := s.SessionView.Look(objects)
	if err != nil {
		return nil, err
	}
	for _, dir := range s.Dirs {
		b, err := os.ReadFile(filepath.Join(dir, nodesName))
		if err != nil {
			continue
		}
		for _, p := range v.Processes {
			p.Host = s.Host
		}
		views, err := ask(dir)
		if err != nil {
			v.Problems = append(v.Problems, fmt.Sprintf("the ranks on %s: %v",
				strings.ReplaceAll(string(b), "\n", ", "), err))
		}
		for _, o := range views {
			if o.Run == nil {
				v.Problems = append(v.Problems, fmt.Sprintf("the ranks on %s: the node does not answer", o.Host))
				continue
			}
			v.Add(o.Host, o.Run)
		}
	}
	return v, nil
}

// ask asks the head for the views of the other nodes.
func ask(dir string) (views []View, err error) {
	name := rand.Text()
	question, answer := filepath.Join(dir, questionName+name), filepath.Join(dir, answerName+name)
	if err := os.WriteFile(question, nil, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(answer)
	for end := time.Now().Add(headLimit); ; time.Sleep(interval / 5) {
		b, err := os.ReadFile(answer)
		if err == nil {
			return views, json.Unmarshal(b, &views)
		}
		if !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			_ = os.Remove(question)
			return nil, errors.New("the analyzer does not answer")
		}
	}
}
