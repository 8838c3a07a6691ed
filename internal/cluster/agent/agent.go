// Package agent is the analyzer's part on the nodes of a job other than that of the head: it sends the records of its
// node to the head, and carries out the orders of the head.
package agent

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/mpivet/mpivet/internal/cluster/spool"
	"github.com/mpivet/mpivet/internal/cluster/ticket"
	"github.com/mpivet/mpivet/internal/cluster/wire"
)

// Window is the number of bytes that may be on their way from a node. It is fixed. Otherwise gRPC measures the network
// with a ping for each part, and each ping takes a processor from a rank.
const Window = 2 << 20

// Times of a connection.
const (
	// Keepalive is the time without data after which a side asks whether the other one is there.
	Keepalive = 10 * time.Second
	// KeepaliveTimeout is the time to wait for the answer.
	KeepaliveTimeout = 10 * time.Second
	// Patience is the time for which an agent tries to reach the head again.
	Patience = 2 * time.Minute
	// refusals is the time after which a head counts as ended if its node refuses connections.
	refusals = 5 * time.Second
	// retry is the time between two attempts.
	retry = 200 * time.Millisecond
)

// Options are the parts of an agent.
type Options struct {
	Ticket  *ticket.Ticket
	Host    string // name of this node
	Version string // of mpivet
	Spool   *spool.Spool
	// Do carries out an order, and returns the answer if one is expected. It must not wait long. It is called by one
	// goroutine, in the order of the orders.
	Do func(*wire.Order) *wire.Answer
	// Gone is called once if the head is gone for good.
	Gone func(why error)
	// Patience, if it is not 0, replaces the constant.
	Patience time.Duration
}

// Agent is the connection to the head.
type Agent struct {
	o      Options
	id     []byte
	conn   *grpc.ClientConn
	client wire.HeadClient
	ctx    context.Context
	cancel context.CancelFunc
	say    chan *wire.Answer
	// received is the number of the last order.
	received atomic.Uint64
	work     sync.WaitGroup

	began   time.Time
	refused atomic.Int64 // since when all addresses refuse connections, in ns since began; 0: they do not
	gone    sync.Once
	over    atomic.Bool // the head is gone for good
}

// Start begins to connect to the head.
func Start(o Options) (*Agent, error) {
	config, err := o.Ticket.AgentConfig()
	if err != nil {
		return nil, err
	}
	if o.Patience == 0 {
		o.Patience = Patience
	}
	a := &Agent{
		o: o, id: make([]byte, 16), say: make(chan *wire.Answer, 256), began: time.Now(),
	}
	if _, err := rand.Read(a.id); err != nil {
		return nil, err
	}
	a.conn, err = grpc.NewClient("passthrough:///head",
		grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return a.dial(ctx) }),
		grpc.WithStaticStreamWindowSize(Window), grpc.WithStaticConnWindowSize(Window),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: Keepalive, Timeout: KeepaliveTimeout, PermitWithoutStream: true,
		}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: retry, Multiplier: 1.5, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 3 * time.Second,
		}),
		grpc.WithNoProxy(),
	)
	if err != nil {
		return nil, err
	}
	a.client = wire.NewHeadClient(a.conn)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.work.Go(a.watch)
	a.work.Go(func() { a.again(a.records) })
	a.work.Go(func() { a.again(a.control) })
	return a, nil
}

// Reachable reports whether the head of a ticket answers and belongs to the job.
func Reachable(t *ticket.Ticket, limit time.Duration) bool {
	config, err := t.AgentConfig()
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for ctx.Err() == nil {
		a := &Agent{o: Options{Ticket: t}, began: time.Now()}
		if c, err := a.dial(ctx); err == nil {
			secure := tls.Client(c, config)
			err = secure.HandshakeContext(ctx)
			c.Close()
			return err == nil
		}
		if a.refused.Load() != 0 {
			return false
		}
		time.Sleep(retry)
	}
	return false
}

// dial connects to the first address of the head that answers.
func (a *Agent) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	for _, address := range a.o.Ticket.Addresses {
		go func() {
			var d net.Dialer
			c, err := d.DialContext(ctx, "tcp", address)
			select {
			case results <- result{c, err}:
			case <-ctx.Done():
				if c != nil {
					c.Close()
				}
			}
		}()
	}
	var errs []error
	refused := true
	for range a.o.Ticket.Addresses {
		select {
		case r := <-results:
			if r.err == nil {
				a.refused.Store(0)
				return r.conn, nil
			}
			errs = append(errs, r.err)
			refused = refused && errors.Is(r.err, syscall.ECONNREFUSED)
		case <-ctx.Done():
			a.refused.Store(0)
			return nil, ctx.Err()
		}
	}
	if refused {
		a.refused.CompareAndSwap(0, int64(time.Since(a.began))+1)
	} else {
		a.refused.Store(0)
	}
	return nil, errors.Join(errs...)
}

// again runs a stream, and runs it again after the connection was broken.
func (a *Agent) again(stream func(context.Context) error) {
	for a.ctx.Err() == nil {
		ctx, cancel := context.WithCancel(a.ctx)
		err := stream(ctx)
		cancel()
		if err == nil || a.ctx.Err() != nil {
			return
		}
		switch status.Code(err) {
		case codes.FailedPrecondition, codes.PermissionDenied, codes.InvalidArgument, codes.Unimplemented:
			a.lose(errors.New(status.Convert(err).Message()))
		}
		select {
		case <-a.ctx.Done():
		case <-time.After(retry):
		}
	}
}

// watch gives up the head if there has been no connection for too long.
func (a *Agent) watch() {
	ready := time.Now()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-a.ctx.Done():
			return
		case now := <-ticker.C:
			since := a.refused.Load()
			switch {
			case a.conn.GetState() == connectivity.Ready:
				ready = now
			case now.Sub(ready) > a.o.Patience:
				a.lose(fmt.Errorf("there was no way to it for %v", a.o.Patience))
			case since > 0 && time.Since(a.began)-time.Duration(since) > refusals:
				a.lose(errors.New("it has ended"))
			}
		}
	}
}

// lose gives up the head.
func (a *Agent) lose(why error) {
	a.gone.Do(func() {
		a.over.Store(true)
		a.o.Spool.Gone()
		a.cancel()
		if a.o.Gone != nil {
			a.o.Gone(why)
		}
	})
}

// Gone reports whether the head is gone for good.
func (a *Agent) Gone() bool { return a.over.Load() }

func (a *Agent) hello() *wire.Hello {
	return &wire.Hello{Agent: a.id, Host: a.o.Host, Version: a.o.Version, Received: a.received.Load()}
}

// records sends the parts of the spool.
func (a *Agent) records(ctx context.Context) error {
	stream, err := a.client.Records(ctx, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	if err := stream.Send(&wire.Part{Hello: a.hello()}); err != nil {
		return ended(stream, err)
	}
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	a.o.Spool.Delivered(first.GetNext())
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	broken := make(chan error, 1)
	go func() {
		for {
			r, err := stream.Recv()
			if err != nil {
				broken <- err
				cancel()
				return
			}
			a.o.Spool.Delivered(r.GetNext())
		}
	}()
	for number := first.GetNext(); ; number++ {
		data, err := a.o.Spool.Next(sending, number)
		if err == nil {
			err = stream.Send(&wire.Part{Number: number, Data: data})
		}
		if err != nil {
			if len(data) == 0 && errors.Is(err, io.EOF) {
				if err := a.o.Spool.Empty(sending); err == nil {
					_ = stream.CloseSend()
					return nil
				}
			}
			cancel()
			select {
			case err = <-broken:
			case <-time.After(time.Second):
			}
			return err
		}
	}
}

// ended returns the error by which the head has ended a stream.
func ended(stream interface{ RecvMsg(any) error }, err error) error {
	if e := stream.RecvMsg(new(wire.Receipt)); e != nil {
		return e
	}
	return err
}

// control receives orders, and sends answers.
func (a *Agent) control(ctx context.Context) error {
	stream, err := a.client.Control(ctx, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	if err := stream.Send(&wire.Answer{Hello: a.hello()}); err != nil {
		return ended(stream, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case m := <-a.say:
				if stream.Send(m) != nil {
					return
				}
			}
		}
	}()
	for {
		order, err := stream.Recv()
		if err != nil {
			return err
		}
		a.received.Store(order.GetId())
		answer := a.o.Do(order)
		if answer == nil {
			answer = new(wire.Answer)
		}
		answer.Id = order.GetId()
		a.Say(answer)
	}
}

// Say sends something to the head. If the head does not take it, it is dropped.
func (a *Agent) Say(m *wire.Answer) {
	select {
	case a.say <- m:
	default:
	}
}

// Close ends the connection.
func (a *Agent) Close() {
	a.cancel()
	a.work.Wait()
	a.conn.Close()
}
