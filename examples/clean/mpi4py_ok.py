# A Python script. The program that runs is the interpreter, and an extension module loads MPI.
# run: np=3 mpi=openmpi
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
size = comm.Get_size()
data = comm.bcast({"answer": 42} if rank == 0 else None, root=0)
total = comm.allreduce(rank)
right = comm.sendrecv("from %d" % rank, dest=(rank + 1) % size, source=(rank - 1) % size)
everything = comm.gather((rank, right), root=1)
request = comm.isend([rank] * 1000, dest=(rank + 1) % size, tag=5)
status = MPI.Status()
got = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
request.wait()
half = comm.Split(rank % 2)
halves = half.allgather(rank)
half.Free()
# Write in one piece. Otherwise the lines of several ranks may mix.
results = (rank, data, total, right, everything, len(got), status.Get_source(), halves)
sys.stdout.write("rank %d: %s, %d, %s, %s, %d from %d, %s\n" % results)
