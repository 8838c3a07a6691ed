# mpi4py frees only what the program frees.
# run: np=2
from mpi4py import MPI

comm = MPI.COMM_WORLD.Dup()  # want "LOCAL:COMM:NOT_FREED" count=2
info = MPI.Info.Create()  # want "LOCAL:INFO:NOT_FREED" count=2
freed = MPI.COMM_WORLD.Dup()
freed.Free()
