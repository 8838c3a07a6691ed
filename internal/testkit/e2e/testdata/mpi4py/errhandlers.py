"""Random calls on error handlers. Argument: seed."""
import random
import sys

from mpi4py import MPI

random.seed(int(sys.argv[1]))
comms = [MPI.COMM_WORLD, MPI.COMM_SELF, MPI.COMM_WORLD.Dup(), MPI.COMM_SELF.Dup()]


def show(what, handler):
    print(what, handler == MPI.ERRORS_ARE_FATAL, handler == MPI.ERRORS_RETURN)
    handler.Free()


for _ in range(300):
    kind, comm = random.randrange(8), random.choice(comms)
    if kind < 3:
        show("communicator", comm.Get_errhandler())
    elif kind == 3:
        comm.Set_errhandler(MPI.ERRORS_RETURN)
    elif kind == 4:
        comm.Set_errhandler(MPI.ERRORS_RETURN)
        try:
            comm.Send([bytearray(1), MPI.BYTE], dest=99)
        except MPI.Exception as e:
            print(e.Get_error_class() == MPI.ERR_RANK)
    elif kind == 5:
        dup = comm.Dup()
        show("copy", dup.Get_errhandler())
        dup.Free()
    elif kind == 6:
        try:
            MPI.File.Open(MPI.COMM_SELF, "/nowhere/at/all", MPI.MODE_RDONLY)
        except MPI.Exception as e:
            print(e.Get_error_class() == MPI.ERR_NO_SUCH_FILE)
    else:
        show("files", MPI.FILE_NULL.Get_errhandler())
win = MPI.Win.Create(bytearray(16), 1, comm=MPI.COMM_WORLD)
show("window", win.Get_errhandler())
win.Set_errhandler(MPI.ERRORS_RETURN)
win.Free()
for comm in comms[2:]:
    comm.Free()
