package ticket

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"
)

func TestTextRoundTrip(t *testing.T) {
	k, err := New("10.0.0.1:4711", "n1:4711")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(k.String() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if again.String() != k.String() || len(again.Addresses) != 2 {
		t.Errorf("got %q, want %q", again, k)
	}
	for _, bad := range []string{"", "@", "abc@n1:1", k.String()[:40], strings.Replace(k.String(), "@", "@@", 1)[:20]} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) succeeds", bad)
		} else if bad != "" && bad != "@" && strings.Contains(err.Error(), bad) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}

// connect makes a connection between two sides and returns the errors of both.
func connect(t *testing.T, server, client *tls.Config) (serverErr, clientErr error) {
	t.Helper()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	result := make(chan error, 1)
	go func() {
		s := tls.Server(a, server)
		err := s.Handshake()
		if err == nil {
			_, err = s.Write([]byte("x"))
		}
		a.Close()
		result <- err
	}()
	c := tls.Client(b, client)
	if clientErr = c.Handshake(); clientErr == nil {
		_, clientErr = c.Read(make([]byte, 1)) // the client learns of a refusal here
	}
	b.Close()
	return <-result, clientErr
}

func TestOnlyProcessesOfTheJob(t *testing.T) {
	job, _ := New("x:1")
	other, _ := New("x:1")
	must := func(c *tls.Config, err error) *tls.Config {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	head, agent := must(job.HeadConfig()), must(job.AgentConfig())
	if s, c := connect(t, head, agent); s != nil || c != nil {
		t.Errorf("head and agent of one job: %v, %v", s, c)
	}
	for name, client := range map[string]*tls.Config{
		"another job":      must(other.AgentConfig()),
		"no certificate":   {InsecureSkipVerify: true},
		"the head's key":   head,
		"TLS 1.2 only":     {InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, Certificates: agent.Certificates},
		"another's server": nil,
	} {
		server := head
		if client == nil {
			server, client = must(other.HeadConfig()), agent
		}
		if s, c := connect(t, server, client); s == nil && c == nil {
			t.Errorf("%s: the connection is accepted", name)
		}
	}
}
