# The program frees its objects in mpi4py.
# run: np=2
from mpi4py import MPI

comm = MPI.COMM_WORLD.Dup()
group = comm.Get_group()
info = MPI.Info.Create()
op = MPI.Op.Create(lambda a, b, t: None)
comm.bcast([1, 2])
op.Free()
info.Free()
group.Free()
comm.Free()
