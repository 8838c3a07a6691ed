package gdb

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test's executable play the inspector.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "inspect" {
		inspect()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake plays `mpivet inspect`. The environment variable FAKE_DOES says how it misbehaves.
type fake struct {
	in  *bufio.Scanner
	out *json.Encoder
}

type object = map[string]any

func field(name string, v any) object {
	switch v := v.(type) {
	case string:
		return object{"name": name, "text": v}
	default:
		return object{"name": name, "node": v}
	}
}

func fields(text string, all ...object) object { return object{"text": text, "fields": all} }

func inspect() {
	f := &fake{bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)}
	does := os.Getenv("FAKE_DOES")
	if log := os.Getenv("FAKE_LOG"); log != "" {
		w, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(w, "started")
		}
		defer w.Close()
	}
	for f.in.Scan() {
		var r object
		if err := json.Unmarshal(f.in.Bytes(), &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch {
		case does == "dies":
			fmt.Fprintln(os.Stderr, "mpivet: unknown command \"inspect\"")
			os.Exit(2)
		case does == "dies later" && r["do"] != "hello":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case does == "babbles":
			fmt.Println("hello, world")
			continue
		case does == "hangs" && r["do"] != "hello":
			time.Sleep(time.Hour)
		}
		result, err := f.answer(r)
		if err != "" {
			_ = f.out.Encode(object{"id": r["id"], "error": err})
		} else {
			_ = f.out.Encode(object{"id": r["id"], "result": result})
		}
		if does == "one answer" && r["do"] != "hello" {
			os.Exit(0)
		}
	}
}

// read asks for memory.
func (f *fake) read(address float64, n int) []byte {
	_ = f.out.Encode(object{"read": uint64(address), "length": n})
	if !f.in.Scan() {
		os.Exit(1)
	}
	var r struct{ Data, Error string }
	if json.Unmarshal(f.in.Bytes(), &r) != nil || r.Error != "" {
		return nil
	}
	b, _ := base64.StdEncoding.DecodeString(r.Data)
	return b
}

func (f *fake) answer(r object) (any, string) {
	switch r["do"] {
	case "hello":
		b := f.read(r["debug"].(float64), 16)
		if len(b) < 16 || binary.LittleEndian.Uint32(b[8:]) != 6 {
			return nil, "the process uses another version of mpivet (7), this is version 6"
		}
		size := 4
		if os.Getenv("FAKE_OPENMPI") != "" {
			size = 8
		}
		return object{"rank": 0, "size": 4, "handle_size": size}, ""
	case "handle":
		return f.handle(r)
	case "status":
		if a, ok := r["address"].(float64); ok && f.read(a, 20) == nil {
			return nil, "cannot access memory"
		}
		return fields("", field("source", "2"), field("tag", "7")), ""
	case "buffer":
		if f.read(r["address"].(float64), 4) == nil {
			return nil, fmt.Sprintf("cannot access memory at 0x%x", uint64(r["address"].(float64)))
		}
		return fields(fmt.Sprintf("%v × particle %v", r["count"], r["path"]),
			field("[0]", fields("", field("x", "1"), field("id", "2")))), ""
	case "call":
		if os.Getenv("FAKE_DOES") == "outside" {
			return nil, ""
		}
		return fields("MPI_Send(buf=0x1000, count=8)", field("function", "MPI_Send"),
			field("arguments", fields("", field("buf", "0x1000"), field("count", "8"))), field("since", "12 s")), ""
	case "pointer":
		if b := f.read(r["address"].(float64), 12); len(b) == 12 && binary.LittleEndian.Uint32(b[8:]) == 3 {
			return fields("8 × MPI_INT", field("[0]", "1"), field("[1]", "2"), field("[2]", "3")), ""
		}
		return nil, ""
	case "requests", "comms":
		return fields("", field("[0]", fields("a request", field("call", strings.Repeat("long ", 30)),
			field("since", "2 s")))), ""
	case "calls", "queues", "collectives", "findings":
		return fields(""), ""
	}
	return nil, "unknown request"
}

func (f *fake) handle(r object) (any, string) {
	if r["fortran"] == true {
		return object{"text": fmt.Sprintf("Fortran %s %v", r["kind"], r["value"])}, ""
	}
	v := uint64(r["value"].(float64)) & 0xffffffff
	switch {
	case r["kind"] == "datatype" && v == 0x8c000001:
		entry := func(length, offset, kind string) object {
			return fields("", field("blocklength", length), field("offset", offset), field("type", kind))
		}
		return fields("struct of 2 blocks", field("kind", "STRUCT"), field("count", "2"),
			field("entries", fields("", field("[0]", entry("1", "-4", `"MPI_LB"`)),
				field("[1]", entry("5", "0", `"MPI_INT"`))))), ""
	case r["kind"] == "datatype" && v == 0x8c000002:
		from := 0
		if x, ok := r["from"].(float64); ok {
			from = int(x)
		}
		var all []object
		for i := from; i < min(from+100, 1000); i++ {
			all = append(all, field(fmt.Sprintf("[%d]", i), "entry "+fmt.Sprint(i)))
		}
		n := fields("1,000 entries", all...)
		if left := 900 - from; left > 0 {
			n["more"] = left
		}
		return n, ""
	case r["kind"] == "datatype":
		return nil, fmt.Sprintf("0x%x is no datatype that mpivet knows", v)
	case r["kind"] == "comm":
		return fields("MPI_COMM_WORLD", field("size", "4"), field("rank", "0")), ""
	}
	return object{"text": fmt.Sprintf("%s 0x%x", r["kind"], uint64(r["value"].(float64)))}, ""
}
