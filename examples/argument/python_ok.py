# mpi4py frees objects and queries MPI in its own ways, until the interpreter ends.
# run: np=2 mpi=openmpi stdout=any
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
copy = world.Dup()
copy.Barrier()
group = copy.Get_group()
some = group.Incl([0])
part = copy.Create(some)
if part != MPI.COMM_NULL:
    part.Barrier()
    part.Free()
some.Free()
group.Free()
copy.Free()
assert copy == MPI.COMM_NULL
sys.stdout.write(f"{world.sendrecv(rank, 1 - rank, source=1 - rank)}\n")  # in one piece
world.send("nobody", dest=MPI.PROC_NULL)
info = MPI.Info.Create()
info["key"] = "value"
info.Free()
