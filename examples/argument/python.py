# mpi4py raises an exception when MPI returns an error. The program catches it and continues.
# run: np=1 mpi=openmpi
from mpi4py import MPI

try:
    MPI.COMM_WORLD.send(1, dest=5, tag=0)  # want "LOCAL:MPI:INVALID_ARGUMENT" "dest=5" count=1
except MPI.Exception:
    pass
try:
    MPI.COMM_NULL.Barrier()  # want "LOCAL:MPI:INVALID_ARGUMENT" "MPI_COMM_NULL" count=1
except MPI.Exception:
    pass
