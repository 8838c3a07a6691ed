package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/cluster/agent"
	"github.com/mpivet/mpivet/internal/cluster/head"
	"github.com/mpivet/mpivet/internal/cluster/spool"
	"github.com/mpivet/mpivet/internal/cluster/ticket"
	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Times of the analyzers of a job on several nodes.
const (
	meetGrace    = 10 * time.Second // for the head to answer for the first time
	lateNodes    = 10 * time.Second // for further nodes after all processes that are known have ended
	verdictGrace = 40 * time.Second // for the exit status, which the head knows when all nodes have ended
)

// allNodes is the program on all nodes: the processes on this node, and those of which the agents take care.
type allNodes struct {
	*launch.Ranks
	head *head.Head // nil if there is only this node
}

func (p allNodes) Stop() {
	p.order(&wire.Order{What: &wire.Order_Stop{Stop: true}})
	p.Ranks.Stop()
}

func (p allNodes) Continue() {
	p.order(&wire.Order{What: &wire.Order_Continue{Continue: true}})
	p.Ranks.Continue()
}

func (p allNodes) Ask() {
	p.order(&wire.Order{What: &wire.Order_Ask{Ask: true}})
	p.Ranks.Ask()
}

func (p allNodes) Terminate() {
	p.order(&wire.Order{What: &wire.Order_Terminate{Terminate: true}})
	p.Ranks.Terminate()
}

func (p allNodes) order(m *wire.Order) {
	if p.head != nil {
		p.head.Order(m)
	}
}

// newHead starts the head of a job. It listens on the given address, or on any. It returns the ticket for the agents.
func newHead(address string, live *ring.Live) (*head.Head, *ticket.Ticket, error) {
	t, err := ticket.New()
	if err != nil {
		return nil, nil, err
	}
	bind := ":0"
	if address != "" {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, nil, usagef("--head %s: not HOST:PORT", address)
		}
		bind = ":" + port
	}
	h, err := head.New(head.Options{
		Address: bind, Ticket: t, Version: versionText(), Host: launch.Hostname(), Reads: mpiapi.Reads,
		Note: func(text string) { say("%s", text) }, Launcher: func(string) {},
	}, live)
	if err != nil {
		return nil, nil, fmt.Errorf("the other nodes can't reach this one: %w", err)
	}
	t.Addresses = head.Addresses(h.Port())
	if address != "" {
		t.Addresses = []string{address}
	}
	return h, t, nil
}

// part is the part of an analyzer in its job.
type part struct {
	head     *head.Head     // the job has several nodes, and this is the head
	ticket   *ticket.Ticket // this is an agent
	withdraw func()         // removes what other nodes find
}

// takePart finds out whether the analyzer is the head of a job on several nodes, or one of its agents.
func (an *analyzer) takePart(o *options, live *ring.Live) (p part, err error) {
	p.withdraw = func() {}
	if value := os.Getenv(launch.TicketVariable); value != "" {
		text, err := readTicket(value)
		if err != nil {
			return p, fmt.Errorf("%s: %w", launch.TicketVariable, err)
		}
		if p.ticket, err = ticket.Parse(text); err != nil {
			return p, fmt.Errorf("%s: %w", launch.TicketVariable, err)
		}
		if o.head != "" {
			p.ticket.Addresses = []string{o.head}
		}
		return p, nil
	}
	if an.job == "" {
		return p, nil
	}
	r, err := launch.NewRendezvous(an.job)
	if err != nil {
		return p, err
	}
	h, t, err := newHead(o.head, live)
	if err != nil {
		return p, err
	}
	text := t.String()
	for range 2 {
		other, mine, err := r.Offer(text)
		if mine {
			p.head, p.withdraw = h, func() { r.Withdraw(text) }
			return p, nil
		}
		if err == nil {
			p.ticket, err = ticket.Parse(other)
		}
		if err == nil && agent.Reachable(p.ticket, meetGrace) {
			return p, h.Close()
		}
		if err == nil {
			err = fmt.Errorf("the head does not answer (%s)", p.ticket.Where())
		}
		if !r.Old() {
			return part{withdraw: p.withdraw}, errors.Join(err, h.Close())
		}
		r.Withdraw(other) // left behind by a job with the same name
	}
	return part{withdraw: p.withdraw}, errors.Join(errors.New("the head does not answer"), h.Close())
}

// follow is the agent of a node: it sends the records to the head.
func (an *analyzer) follow(o *options, session *ring.Session, live *ring.Live, ranks *launch.Ranks, command []string,
	t *ticket.Ticket,
) error {
	dir := os.TempDir()
	if session.Fallback != "" {
		dir = session.Fallback
	}
	sp := spool.New(dir, int64(o.spool)<<20)
	defer sp.Release()
	node := agent.NewNode(live)
	node.Program, node.Resolver = ranks, pipeline.NewResolver()
	node.Look = func() []byte { return lookAtSession(session) }
	if err := describe(session, command, an.mpi, an.ranks, t.Where()); err != nil {
		return failed(err)
	}
	gone := make(chan struct{})
	a, err := agent.Start(agent.Options{
		Ticket: t, Host: launch.Hostname(), Version: versionText(), Spool: sp, Do: node.Do,
		Gone: func(why error) {
			say("node %s: the head of the job can't be reached any more: %v; the program goes on", launch.Hostname(),
				why)
			close(gone)
		},
	})
	if err != nil {
		return failed(err)
	}
	defer a.Close()
	ranks.LauncherKilled = func(what string) {
		a.Say(&wire.Answer{What: &wire.Answer_Launcher{Launcher: what}})
	}
	meta := ring.Meta{
		Version: versionText(), Command: command, Start: time.Now(), TableHash: mpiapi.Hash(), Facts: o.facts(an.mpi),
	}
	if node.Writer, err = ring.NewWriter(sp, meta); err != nil {
		return failed(err)
	}
	node.Writer.FlushTicks = 1
	if launch.Ready(session.Dir) != nil {
		return statusError(exitFailed)
	}
	defer launch.End(an.meeting)
	over := make(chan struct{})
	go func() {
		ranks.AwaitEnd(an.ranks, live, over)
		live.Finish()
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stopOnSignals(ranks, live, cancel)
	err = pipeline.Run(ctx, node, ring.Tee(ranks, node.Handler(), node.Writer, marker{live: live}), true)
	close(over)
	ranks.Tick()
	stats := live.Stats()
	stats.Notes = strings.Join(append(session.Notes(), live.Notes()...), "; ")
	if err != nil {
		stats.Notes = strings.TrimPrefix(stats.Notes+"; "+fmt.Sprintf("reading the records failed (%v)", err), "; ")
	}
	_ = node.Writer.Close(stats)
	_ = sp.Close()
	if an.underRun {
		// The launcher waits until its standard error is closed, and mpivet run waits for the launcher.
		ctx, cancel := context.WithTimeout(context.Background(), verdictGrace)
		_ = sp.Empty(ctx)
		cancel()
		if !a.Gone() {
			launch.CloseOutput()
		}
	}
	status, _ := node.Verdict(verdictGrace, gone)
	live.Verdict(status)
	if a.Gone() {
		keep(sp)
	}
	return nil
}

// stopOnSignals ends the recording at the first signal, and the reading at the second one.
func stopOnSignals(ranks *launch.Ranks, live *ring.Live, cancel func()) {
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		<-asked
		ranks.Continue()
		live.Stop()
		<-asked
		cancel()
	}()
}

// marker leaves marks for mpivet ps.
type marker struct {
	quiet
	live *ring.Live
}

func (m marker) Tick() { m.live.Mark() }

// keep saves the records of a node whose head is gone.
func keep(sp *spool.Spool) {
	name := fmt.Sprintf("mpivet-%s-%d.records", launch.Hostname(), os.Getpid())
	var problem error
	for _, dir := range []string{".", os.TempDir()} {
		path, err := filepath.Abs(filepath.Join(dir, name))
		if err == nil {
			err = save(sp, path)
		}
		if err == nil {
			say("the records of node %s are in %s: mpivet replay %s", launch.Hostname(), path, path)
			return
		}
		problem = err
	}
	if errors.Is(problem, spool.ErrIncomplete) {
		problem = fmt.Errorf("%w: give more room with --spool", problem)
	}
	say("the records of node %s are lost: %v", launch.Hostname(), problem)
}

func save(sp *spool.Spool, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(sp.Save(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// nodesExpected are the processes that the head of a job waits for.
type nodesExpected struct {
	ranks   int  // on all nodes, 0: as many as MPI_COMM_WORLD has
	patient bool // wait for the first one for as long as it takes
}

// awaitNodes announces to the head that no more nodes will come, when the processes on this node have ended, and as
// many as expected have come and ended on the others.
func awaitNodes(h *head.Head, ranks *launch.Ranks, expected nodesExpected, stop <-chan struct{}) {
	defer h.Finish()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	quiet := time.Now()
	for {
		want := expected.ranks
		if want == 0 {
			want = h.WorldSize()
		}
		switch here := ranks.Count() + h.Ranks(); {
		case h.Busy(), here == 0 && expected.patient:
			quiet = time.Now()
		case want > 0 && here >= want, time.Since(quiet) > lateNodes:
			return
		}
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
	}
}
