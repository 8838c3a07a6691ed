"""One rank ends early. Argument: exit, raise or abort."""
import sys

from mpi4py import MPI

print("begun")
sys.stdout.flush()
if MPI.COMM_WORLD.rank == 0:
    if sys.argv[1] == "exit":
        sys.exit(7)
    if sys.argv[1] == "abort":
        MPI.COMM_WORLD.Abort(9)
    raise ValueError(sys.argv[1])
