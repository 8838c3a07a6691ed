package preload

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// motion returns the enum mv_motion of a collective, "" if sums of its data are useless. The results of reductions
// differ from their data. So only the data that they read can be compared, and only while a nonblocking one is under
// way.
func motion(f *mpiapi.Func) string {
	switch {
	case !f.MovesData() || f.Flow == mpiapi.Neighbors:
		return ""
	case f.Reduces() && (f.SendParts || f.Class == mpiapi.Collective): // see scatters
		return ""
	case f.Reduces():
		return "MV_MOVES_REDUCE"
	case f.Flow == mpiapi.OneToAll && f.SendParts:
		return "MV_MOVES_SCATTER"
	case f.Flow == mpiapi.OneToAll:
		return "MV_MOVES_BCAST"
	case f.Flow == mpiapi.AllToOne:
		return "MV_MOVES_GATHER"
	case f.SendParts:
		return "MV_MOVES_ALLTOALL"
	}
	return "MV_MOVES_ALLGATHER"
}

// movement returns the struct mv_movement of a call as a C expression.
func (w *wrapper) movement() string {
	comm := w.handle(w.Arg(mpiapi.TheComm))
	fields := []string{
		".motion = " + motion(w.Func), ".rank = mv_known(" + comm + ")->rank", ".peers = mv_comm_size(" + comm + ")",
		".inter = mv_known(" + comm + ")->remote != 0",
	}
	if i := w.Arg(mpiapi.Root); i >= 0 {
		root := w.Params[i].Name
		fields = append(fields, ".root = "+root, fmt.Sprintf(".at_root = mv_is_root(%s, %s)", root, comm),
			fmt.Sprintf(".absent = mv_known(%s)->remote && %s == MPI_PROC_NULL", comm, root))
	}
	fields = append(fields, ".send = "+w.side(mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendDispls, mpiapi.SendType))
	if w.Arg(mpiapi.RecvCount) >= 0 {
		fields = append(fields, ".recv = "+w.side(mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvDispls, mpiapi.RecvType))
	}
	return "(struct mv_movement){\n            " + strings.Join(fields, ",\n            ") + "}"
}

// side returns the struct mv_side of the parameters in the given roles.
func (w *wrapper) side(buf, count, displs, typ mpiapi.Role) string {
	name := func(r mpiapi.Role) string { return w.Params[w.Arg(r)].Name }
	fields := []string{".buf = " + name(buf), fmt.Sprintf(".in_place = %s == MPI_IN_PLACE", name(buf))}
	if w.isArray(w.Arg(count)) {
		fields = append(fields, ".counts = "+name(count), ".wide = sizeof *"+name(count))
	} else {
		fields = append(fields, ".count = "+name(count))
	}
	if w.Arg(displs) >= 0 {
		fields = append(fields, ".displs = "+name(displs))
	}
	if w.isArray(w.Arg(typ)) {
		fields = append(fields, ".types = "+name(typ), ".type_width = sizeof *"+name(typ))
	} else {
		fields = append(fields, ".type = "+w.handle(w.Arg(typ)))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}
