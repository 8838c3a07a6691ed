# A script whose ranks disagree.
# run: np=2 mpi=openmpi
from mpi4py import MPI
from array import array

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
total = array("i", [0])
comm.Allreduce([array("i", [1]), MPI.INT], [total, MPI.INT], op=MPI.SUM if rank == 0 else MPI.MAX)  # want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" count=1 ranks=0,1 func="<module>"
data = array("i", [rank]) if rank == 0 else array("f", [0])
comm.Bcast([data, MPI.INT if rank == 0 else MPI.FLOAT], root=0)  # want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1
