# Adjacent parts of one array, reductions in place, and pickled objects.
# run: np=2 mpi=openmpi
import sys

from mpi4py import MPI
from array import array

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
data, out = array("i", [0] * 8), array("i", [rank] * 4)
for i in range(20):
    receives = [comm.Irecv([memoryview(data)[k : k + 4], MPI.INT], source=1 - rank, tag=k) for k in (0, 4)]
    for k in (0, 4):
        comm.Send([out, MPI.INT], dest=1 - rank, tag=k)
    MPI.Request.Waitall(receives)
    comm.Allreduce(MPI.IN_PLACE, [data, MPI.INT], op=MPI.MAX)
    comm.Sendrecv_replace([data, MPI.INT], dest=1 - rank, source=1 - rank)
    comm.Reduce(MPI.IN_PLACE if rank == 0 else data, data if rank == 0 else None, op=MPI.MIN, root=0)
    sends = [comm.isend({"i": i, "k": k}, dest=1 - rank, tag=k) for k in range(3)]
    got = [comm.recv(source=1 - rank, tag=k) for k in range(3)]
    MPI.Request.waitall(sends)
    comm.allgather(got)
sys.stdout.write(f"{rank} {list(data)}\n")  # in one piece
