# mpi4py raises an exception for what MPI returns, and the program goes on.
# run: np=1
from mpi4py import MPI

try:
    MPI.COMM_WORLD.send(1, dest=5, tag=0)  # want error "LOCAL:MPI:INVALID_ARGUMENT" "dest=5"
except MPI.Exception:
    pass
try:
    MPI.COMM_NULL.Barrier()  # want error "LOCAL:MPI:INVALID_ARGUMENT" "MPI_COMM_NULL"
except MPI.Exception:
    pass
