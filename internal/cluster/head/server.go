package head

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/mpivet/mpivet/internal/cluster/agent"
	"github.com/mpivet/mpivet/internal/cluster/ticket"
	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Limits of what the head accepts.
const (
	maxMessage = 20 << 20 // bytes; a part is shorter
	maxQueue   = 32 << 20 // bytes of a node's records that wait for the analysis; then the node has to wait
	maxName    = 256      // bytes of a host's name
	maxNodes   = 1 << 17
)

// server receives what the agents of the nodes send.
type server struct {
	wire.UnimplementedHeadServer
	o      *Options
	grpc   *grpc.Server
	ticket *ticket.Ticket

	mu       sync.Mutex
	nodes    []*node // by their number - 1
	byAgent  map[string]*node
	numbers  *ring.Numbers
	came     ring.Bell // rings if there may be something for Poll
	refused  bool      // a refused connection was reported
	shutting bool
}

// Addresses returns the addresses under which this machine may be reached, with a port. Addresses that other nodes
// cannot use are the last ones.
func Addresses(port int) []string {
	var list, local []string
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLinkLocalUnicast() {
			continue
		}
		text := net.JoinHostPort(n.IP.String(), fmt.Sprint(port))
		if n.IP.IsLoopback() {
			local = append(local, text)
		} else {
			list = append(list, text)
		}
	}
	return append(list, local...)
}

// listen starts the server. address is host:port; the port may be 0.
func listen(address string, t *ticket.Ticket, o *Options, numbers *ring.Numbers) (*server, net.Addr, error) {
	config, err := t.HeadConfig()
	if err != nil {
		return nil, nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	s := &server{
		o: o, ticket: t, byAgent: make(map[string]*node), numbers: numbers,
	}
	s.grpc = grpc.NewServer(
		grpc.Creds(&reportingCreds{credentials.NewTLS(config), s}),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxConcurrentStreams(4), grpc.ConnectionTimeout(10*time.Second),
		grpc.StaticStreamWindowSize(agent.Window), grpc.StaticConnWindowSize(agent.Window),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: agent.Keepalive, Timeout: agent.KeepaliveTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: agent.Keepalive / 2, PermitWithoutStream: true,
		}),
	)
	wire.RegisterHeadServer(s.grpc, s)
	go s.grpc.Serve(&listener{l}) //nolint:errcheck // it ends when the server is stopped
	return s, l.Addr(), nil
}

// reportingCreds reports the first connection that is refused.
type reportingCreds struct {
	credentials.TransportCredentials
	s *server
}

func (c *reportingCreds) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secure, info, err := c.TransportCredentials.ServerHandshake(raw)
	// A connection may also break.
	var network net.Error
	broken := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &network) && network.Timeout()
	if err != nil && !broken {
		c.s.refuse(raw.RemoteAddr())
	}
	own, ok := raw.(*conn)
	if err != nil || !ok {
		return secure, info, err
	}
	return secure, &connInfo{info, own}, nil
}

// connInfo leads from a stream to its connection.
type connInfo struct {
	credentials.AuthInfo
	conn *conn
}

func (c *reportingCreds) Clone() credentials.TransportCredentials {
	return &reportingCreds{c.TransportCredentials.Clone(), c.s}
}

func (s *server) refuse(from net.Addr) {
	s.mu.Lock()
	first := !s.refused && !s.shutting
	s.refused = true
	s.mu.Unlock()
	if first {
		s.o.Note(fmt.Sprintf("a connection from %v was refused: it does not come from this job", from))
	}
}

// listener notes whether the other side has closed a connection.
type listener struct{ net.Listener }

// conn is a connection that the other side may have closed. A connection that breaks because nothing comes through is
// closed by this side.
type conn struct {
	net.Conn
	closed atomic.Bool // by the other side
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		c.closed.Store(true)
	}
	return n, err
}

// meet returns the node of an agent.
func (s *server) meet(h *wire.Hello) (*node, error) {
	if len(h.GetAgent()) != 16 || len(h.GetHost()) > maxName {
		return nil, status.Error(codes.InvalidArgument, "the first message is no greeting")
	}
	if h.GetVersion() != s.o.Version {
		return nil, status.Errorf(codes.FailedPrecondition, "the head is mpivet %s, and node %s has %s: install the "+
			"same version on all nodes", s.o.Version, h.GetHost(), h.GetVersion())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.byAgent[string(h.GetAgent())]
	if n == nil {
		if s.shutting || len(s.nodes) >= maxNodes {
			return nil, status.Error(codes.FailedPrecondition, "the job is over")
		}
		n = newNode(len(s.nodes)+1, h.GetHost())
		s.byAgent[string(h.GetAgent())] = n
		s.nodes = append(s.nodes, n)
	}
	if n.isLost() {
		return nil, status.Error(codes.FailedPrecondition,
			"the head has given up this node, as it was not seen for long")
	}
	return n, nil
}

// Records implements the service.
func (s *server) Records(stream wire.Head_RecordsServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	n, err := s.meet(first.GetHello())
	if err != nil {
		return err
	}
	turn := n.connect()
	defer func() { n.disconnect(turn, closedByPeer(stream.Context())) }()
	if err := stream.Send(&wire.Receipt{Next: n.expected()}); err != nil {
		return err
	}
	for {
		p, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		next, err := n.take(stream.Context(), turn, p, s)
		if err != nil {
			return err
		}
		s.came.Ring()
		if err := stream.Send(&wire.Receipt{Next: next}); err != nil {
			return err
		}
	}
}

// closedByPeer reports whether the process of the other side has closed the connection, which it does at its end.
func closedByPeer(ctx context.Context) bool {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return false
	}
	info, ok := p.AuthInfo.(*connInfo)
	return ok && info.conn.closed.Load()
}

// Control implements the service.
func (s *server) Control(stream wire.Head_ControlServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	n, err := s.meet(first.GetHello())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	n.heed(1)
	defer n.heed(-1)
	id := n.resume(first.GetHello().GetReceived())
	go func() {
		for {
			m, err := n.nextOrder(ctx, id)
			if err != nil || stream.Send(m) != nil {
				return
			}
			id = m.GetId() + 1
		}
	}()
	for {
		m, err := stream.Recv()
		if err != nil {
			return err
		}
		n.seen()
		n.answered(m)
		switch what := m.GetWhat().(type) {
		case *wire.Answer_Note:
			s.o.Note(fmt.Sprintf("node %s: %s", n.host, what.Note))
		case *wire.Answer_Launcher:
			s.o.Launcher(fmt.Sprintf("%s on node %s", what.Launcher, n.host))
		}
		s.came.Ring()
	}
}
