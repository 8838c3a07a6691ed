// Package inspect answers the questions of debuggers about MPI objects and calls, from the tables that a process keeps.
// docs/debugger-tables.md describes the requests and answers.
package inspect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mpivet/mpivet/internal/debug/tables"
)

// mostLine is the length of the longest line that is read, in bytes.
const mostLine = 4 << 20

// mostRead is how many bytes the client is asked for at once.
const mostRead = 64 << 10

// answer is the answer to a request.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result"`
}

type failure struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

// Serve answers requests from in, one JSON object per line, until in ends. It writes answers to out. It reads the
// memory of the process through the client, which answers the lines {"read": ADDRESS, "length": N}.
func Serve(in io.Reader, out io.Writer) error {
	c := newClient(in, out)
	return serve(New(c, 0, nil), c)
}

// ServeWith is Serve for an inspector that has access to the memory.
func ServeWith(x *Inspector, in io.Reader, out io.Writer) error { return serve(x, newClient(in, out)) }

func newClient(in io.Reader, out io.Writer) *client {
	c := &client{in: bufio.NewReaderSize(in, mostRead), out: json.NewEncoder(out)}
	c.out.SetEscapeHTML(false)
	return c
}

func serve(x *Inspector, c *client) error {
	for {
		line, err := c.line()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := c.out.Encode(x.Answer(line)); err != nil {
			return err
		}
		if c.failed != nil {
			return c.failed
		}
	}
}

// Answer returns the answer to a request in JSON, as a value for JSON.
func (x *Inspector) Answer(request []byte) any {
	q := Request{}
	err := json.Unmarshal(request, &q)
	id := q.ID
	if id == nil {
		id = json.RawMessage("0")
	}
	if err != nil {
		return failure{id, "the request cannot be understood: " + err.Error()}
	}
	result, err := x.Do(&q)
	if err != nil {
		return failure{id, shorten(err.Error())}
	}
	return answer{id, result}
}

// client is the other side of a connection. It is a tables.Memory.
type client struct {
	in     *bufio.Reader
	out    *json.Encoder
	failed error // the connection is broken
}

// line reads a line, without empty ones.
func (c *client) line() ([]byte, error) {
	for {
		var line []byte
		for {
			part, err := c.in.ReadSlice('\n')
			line = append(line, part...)
			if len(line) > mostLine {
				return nil, fmt.Errorf("a line of the client has more than %d bytes", mostLine)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
				return nil, err
			}
			break
		}
		if text := trim(line); len(text) > 0 {
			return text, nil
		}
	}
}

func trim(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == ' ') {
		line = line[:len(line)-1]
	}
	return line
}

// ReadMemory implements tables.Memory.
func (c *client) ReadMemory(addr uint64, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), mostRead)
		if err := c.read(addr, p[:n]); err != nil {
			return err
		}
		addr, p = addr+uint64(n), p[n:]
	}
	return nil
}

func (c *client) read(addr uint64, p []byte) error {
	if c.failed != nil {
		return c.failed
	}
	err := c.out.Encode(struct {
		Read   uint64 `json:"read"`
		Length int    `json:"length"`
	}{addr, len(p)})
	var line []byte
	if err == nil {
		line, err = c.line()
	}
	if err != nil {
		c.failed = fmt.Errorf("the client does not answer: %w", err)
		return c.failed
	}
	var reply struct {
		Data  []byte `json:"data"`
		Error string `json:"error"`
	}
	switch err := json.Unmarshal(line, &reply); {
	case err != nil:
		return fmt.Errorf("%w: the answer of the client cannot be understood: %w", tables.ErrMemory, err)
	case reply.Error != "":
		return fmt.Errorf("%w: %s", tables.ErrMemory, reply.Error)
	case len(reply.Data) != len(p):
		return fmt.Errorf("%w: the client has sent %d bytes instead of %d", tables.ErrMemory, len(reply.Data), len(p))
	}
	copy(p, reply.Data)
	return nil
}
