package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Number is a handle, an address or another number of up to 64 bits. In JSON, it is a number or a text such as "0x1f".
// Negative numbers are sign-extended.
type Number uint64

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" {
		return nil
	}
	if strings.HasPrefix(s, `"`) {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	}
	u, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		i, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			return fmt.Errorf("%s is no number of 64 bits", s)
		}
		u = uint64(i)
	}
	*n = Number(u)
	return nil
}

// Request is a request to the inspector. docs/debugger-tables.md describes the fields that each kind of request has.
type Request struct {
	ID      json.RawMessage   `json:"id,omitempty"`
	Do      string            `json:"do"`
	Debug   Number            `json:"debug,omitempty"`
	Symbols map[string]Number `json:"symbols,omitempty"`
	Kind    string            `json:"kind,omitempty"`
	Value   *Number           `json:"value,omitempty"`
	Fortran bool              `json:"fortran,omitempty"`
	Path    string            `json:"path,omitempty"`
	From    int64             `json:"from,omitempty"`
	TID     int               `json:"tid,omitempty"`
	Type    *Number           `json:"type,omitempty"`
	Address *Number           `json:"address,omitempty"`
	Count   *int64            `json:"count,omitempty"`
	Source  *int64            `json:"source,omitempty"`
	Tag     *int64            `json:"tag,omitempty"`
	Error   *int64            `json:"error,omitempty"`
	Bytes   *int64            `json:"bytes,omitempty"`
}

// Hello is the result of the request hello.
type Hello struct {
	Rank       int `json:"rank"`
	Size       int `json:"size"`
	HandleSize int `json:"handle_size"`
}

// Inspector answers requests about one process.
type Inspector struct {
	memory  tables.Memory
	debug   uint64 // address of mpivet_debug, 0 if it is not known
	symbols map[string]uint64
}

// New returns an inspector of a process. debug is the address of mpivet_debug, and symbols has the addresses of the
// tables of Open MPI that lead from Fortran handles to handles. The request hello can set both.
func New(m tables.Memory, debug uint64, symbols map[string]uint64) *Inspector {
	return &Inspector{m, debug, symbols}
}

// look is the state of the process for one request.
type look struct {
	*tables.Tables
	names   *tables.Names
	symbols map[string]uint64
	types   typeTable
}

// errRequest is the error for a request that lacks an argument.
func errRequest(do, what string) error { return fmt.Errorf("the request %s needs %s", do, what) }

// Do answers a request with a *Hello, a *Node, or nil if there is nothing to show.
func (x *Inspector) Do(q *Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("the inspector failed: %v", p)
		}
	}()
	if q.Do == "hello" {
		x.hello(q)
	}
	if x.debug == 0 {
		return nil, errors.New("the address of mpivet_debug is not known: the first request must be hello")
	}
	t, err := tables.Open(tables.NewCache(x.memory), x.debug)
	if err != nil {
		return nil, err
	}
	if q.Do == "hello" {
		return &Hello{t.Rank, t.Size, t.HandleSize}, nil
	}
	s := &look{Tables: t, names: t.Names(), symbols: x.symbols}
	s.types.init()
	it, err := s.do(q)
	if err != nil || it == nil {
		return nil, err
	}
	return render(it, q.From, q.Path), nil
}

func (x *Inspector) hello(q *Request) {
	if q.Debug != 0 {
		x.debug = uint64(q.Debug)
	}
	if q.Symbols != nil {
		x.symbols = make(map[string]uint64)
		for name, at := range q.Symbols {
			x.symbols[name] = uint64(at)
		}
	}
}

// do answers a request about the process. For handle and buffer, the path is that of docs/types.md, and then names of
// fields. For the others, it consists of names of fields only.
func (s *look) do(q *Request) (*item, error) {
	it, err := s.root(q)
	if err != nil || it == nil {
		return nil, err
	}
	switch q.Do {
	case "handle", "buffer":
		return it, nil
	}
	return open(it, q.Path)
}

func (s *look) root(q *Request) (*item, error) {
	switch q.Do {
	case "handle":
		return s.handle(q)
	case "buffer":
		return s.buffer(q)
	case "status":
		return s.status(q)
	case "call":
		return s.call(q)
	case "pointer":
		return s.pointer(q)
	case "calls":
		return s.calls()
	case "requests":
		return s.requests()
	case "comms":
		return s.comms()
	case "queues":
		return s.queues()
	case "collectives":
		return s.collectives()
	case "findings":
		return s.findings()
	}
	return nil, fmt.Errorf("there is no request %q", q.Do)
}

// kinds are the kinds of handles by their names in requests.
var kinds = map[string]mpiapi.Kind{
	"datatype": mpiapi.Datatype, "comm": mpiapi.Comm, "group": mpiapi.Group, "request": mpiapi.Request,
	"op": mpiapi.Op, "win": mpiapi.Win, "file": mpiapi.File, "info": mpiapi.Info, "errhandler": mpiapi.Errhandler,
	"message": mpiapi.Message, "session": mpiapi.Session,
}

// handle answers a request about a handle.
func (s *look) handle(q *Request) (*item, error) {
	kind, ok := kinds[q.Kind]
	if !ok {
		return nil, fmt.Errorf("%q is no kind of handle", q.Kind)
	}
	if q.Value == nil {
		return nil, errRequest(q.Do, "a value")
	}
	h, err := s.toHandle(kind, uint64(*q.Value), q.Fortran)
	if err != nil {
		return nil, err
	}
	if kind == mpiapi.Datatype {
		return s.typeAt(h, q.Path)
	}
	it, err := s.object(kind, h)
	if err != nil {
		return nil, err
	}
	return open(it, q.Path)
}

// splitPath splits a path into a path as in docs/types.md and names of fields.
func splitPath(path string) (steps, names string) {
	if i := strings.IndexByte(path, '.'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}
