# The collectives of mpi4py, with buffers and with pickled objects. The objects have a different size on each rank.
# run: np=3 mpi=openmpi
import sys
from mpi4py import MPI
from array import array

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
size = comm.Get_size()
objects = comm.allgather("x" * (100 * rank))
mine = comm.scatter([{"part": i} for i in range(size)] if rank == 1 else None, root=1)
swapped = comm.alltoall([(rank, i) for i in range(size)])
best = comm.allreduce((rank % 2, rank), op=lambda a, b: max(a, b))
buffer = array("i", [rank] * size)
comm.Allreduce(MPI.IN_PLACE, [buffer, MPI.INT], op=MPI.PROD)
gathered = array("d", [0] * 6) if rank == 0 else None
parts = [gathered, ([0, 1, 2], [0, 1, 3]), MPI.DOUBLE] if rank == 0 else None
comm.Gatherv([array("d", [rank] * rank), MPI.DOUBLE], parts, root=0)
op = MPI.Op.Create(lambda a, b, t: None, commute=True)
comm.Reduce([array("i", [1]), MPI.INT], [array("i", [0]), MPI.INT] if rank == 2 else None, op=MPI.SUM, root=2)
op.Free()
request = comm.Ibarrier()
twin, other = comm.Idup()
request.Wait()
other.Wait()
twin.Barrier()
twin.Free()
cart = comm.Create_cart([size], periods=[True])
around = cart.neighbor_allgather(rank)
cart.Free()
# Write in one piece. Otherwise the lines of several ranks may mix.
results = [[len(o) for o in objects], mine, swapped, best, list(buffer), gathered and list(gathered), around]
sys.stdout.write("%s\n" % [rank, *results])
