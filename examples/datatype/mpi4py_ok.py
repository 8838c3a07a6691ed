# Correct use of datatypes in mpi4py.
# run: np=2 mpi=openmpi
from array import array
from mpi4py import MPI

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
a, b = array("d", range(16)), array("d", [0] * 16)
column = MPI.DOUBLE.Create_vector(4, 1, 4).Commit()
part = MPI.INT.Create_subarray([4, 4], [2, 2], [1, 1], order=MPI.ORDER_F)
comm.Sendrecv([a, 1, column], peer, 0, [b, 1, column], peer, 0)
column.Free()
part.Free()
assert b[4] == 4
