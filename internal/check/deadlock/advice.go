package deadlock

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/analysis/nearmiss"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// remedy says what to do about a deadlock that a near miss explains.
func (s *story) remedy(m *miss) string {
	x := s.x
	mine := m.blocked.Call
	if m.Want.Op != nil {
		mine = m.Want.Op.Call
	}
	here := place(x.Line(mine), "this call")
	there := "the other call"
	if op := s.other(m); op != nil {
		there = place(x.Line(*op), there)
	}
	both := func(what string) string {
		if here == there {
			return fmt.Sprintf("The two %ss in %s must be equal.", what, here)
		}
		return fmt.Sprintf("The %s in %s or the one in %s is wrong: make them equal.", what, here, there)
	}
	ends := func(receive, send string) string {
		text := fmt.Sprintf("The source in %s or the destination in %s is wrong.", receive, send)
		if receive == send {
			text = fmt.Sprintf("The source or the destination in %s is wrong.", send)
		}
		if x.Comm(m.blocked.Call, m.Want.Comm) != "MPI_COMM_WORLD" {
			text += " Both are ranks in the communicator of the call, not in MPI_COMM_WORLD."
		}
		return text
	}
	switch m.Kind {
	case nearmiss.Tag:
		return both("tag")
	case nearmiss.Comm:
		return both("communicator")
	case nearmiss.Taken:
		return fmt.Sprintf("Name the source and the tag in %s, or use another tag for the messages that it is meant "+
			"for. Then it cannot take this message.", there)
	case nearmiss.Count:
		return "Compare the number of sends and receives on both ranks. Usual causes: loops of different lengths, or " +
			"a path that skips one."
	case nearmiss.Other:
		if m.Op.Send {
			return fmt.Sprintf("The source in %s is wrong, or the wrong rank sends in %s.", here, there)
		}
		return ends(there, here)
	}
	if m.Op.Send {
		return ends(here, there)
	}
	return fmt.Sprintf("The destination in %s is wrong, or the wrong rank receives in %s.", here, there)
}

func place(line, otherwise string) string {
	if line == "" {
		return otherwise
	}
	return line
}

// kinds says what the threads of a knot wait for.
type kinds struct {
	sends, receives, collectives, starts, partitions int
	standard                                         bool       // a standard send is among the sends
	requests                                         bool       // a call waits for requests
	call                                             match.Call // the first collective
	comm                                             *match.Comm
	absent                                           []int // ranks that the first collective waits for
	comms                                            bool  // the collectives are on several communicators
	self                                             bool  // a thread waits for its own process
}

func (s *story) kinds(links []waiting.Link) (k kinds) {
	for _, l := range links {
		k.requests = k.requests || s.x.Func(l.Blocked.Call).Class == mpiapi.Wait
		waiting.Each([]waiting.Clause{*l.Clause}, func(c *waiting.Clause) {
			k.self = k.self || len(c.Procs) == 1 && c.Procs[0] == l.Blocked.Thread.Process
			switch c.What {
			case waiting.ToReceive:
				k.sends++
				k.standard = k.standard || c.Op.Mode == match.Standard
			case waiting.ToSend:
				k.receives++
			case waiting.ToJoin, waiting.ToLead:
				if k.collectives++; k.comm == nil {
					k.call, k.comm, k.absent = l.Blocked.Call, c.Comm.Comm, clauseRanks(c)
					if call := collective(c); call != nil {
						k.call = *call
					}
				}
				k.comms = k.comms || k.comm != c.Comm.Comm
			case waiting.ToStart:
				k.starts++
			case waiting.ToReady:
				k.partitions++
			}
		})
	}
	return k
}

// advice says what to do about threads that wait for each other, or for processes that have ended.
func (s *story) advice(links []waiting.Link) string {
	k := s.kinds(links)
	ended := len(s.deadlock.Knots) == 0
	switch {
	case k.partitions > 0:
		return "Mark every partition ready before the wait, each time that the send is started (MPI_Pready, " +
			"MPI_Pready_range or MPI_Pready_list)."
	case k.starts > 0:
		return "Start the operation on all sides, and equally often. Look for a path on which one rank skips its " +
			"MPI_Start, or first waits for another rank."
	case k.collectives > 0:
		return s.aboutCollectives(&k, ended)
	case ended && k.sends > 0:
		return "Receive the message before the receiver ends, or do not send it. Check the destination, and compare " +
			"the number of sends and receives."
	case ended:
		return "Send one more message, or receive one less. Check the source, and compare the number of sends and " +
			"receives."
	case k.self && k.sends > 0:
		return "A process cannot receive while it is in a blocking send to itself. Post the receive with MPI_Irecv " +
			"before the send, or use MPI_Sendrecv."
	case k.self && k.receives > 0:
		return "A process cannot send while it is in a blocking receive from itself. Send before the receive, or " +
			"check the source."
	case k.sends > 0 && k.receives == 0:
		return s.aboutSends(&k)
	case k.requests:
		return "Let one of the ranks send before it waits for its receive."
	}
	return "Let one of the ranks send before it receives, or use MPI_Sendrecv."
}

func (s *story) aboutCollectives(k *kinds, ended bool) string {
	name, comm := s.x.Func(k.call).Name, s.x.Comm(k.call, k.comm)
	switch {
	case k.comms && k.sends+k.receives == 0:
		return "Call the collectives of the communicators in the same order on all ranks."
	case ended:
		return fmt.Sprintf("Call %s on all ranks of %s. Look for the path on which %s skips it.", name, comm,
			finding.RankNames(k.absent))
	}
	return fmt.Sprintf("Before %s calls %s, it must not wait for what other ranks do only after %s.",
		finding.RankNames(k.absent), name, name)
}

func (s *story) aboutSends(k *kinds) string {
	text := "Let one of the ranks receive before it sends, or use MPI_Sendrecv, or post the receives with MPI_Irecv " +
		"before the sends."
	if k.requests {
		text = "Post the receives before the wait for the sends."
	}
	if k.standard {
		text += " A standard send may wait until its receive is posted: this depends on the length of the message " +
			"and on the MPI library."
	}
	return text
}
