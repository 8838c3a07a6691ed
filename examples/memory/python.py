# Two receives into one array.
# run: np=2 mpi=openmpi
from mpi4py import MPI
from array import array

comm = MPI.COMM_WORLD
other = 1 - comm.Get_rank()
data, out = array("i", [0] * 8), array("i", [1] * 4)
receives = [comm.Irecv([memoryview(data)[k : k + 4], MPI.INT], source=other, tag=k) for k in (0, 3)]  # want "LOCAL:MEMORY:OVERLAP" "element 0 of buf of MPI_Irecv \(4 × MPI_INT\), which is element 3 of buf of MPI_Irecv" count=2 ranks=0,1
for k in (0, 3):
    comm.Send([out, MPI.INT], dest=other, tag=k)
MPI.Request.Waitall(receives)
