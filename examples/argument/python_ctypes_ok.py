# Proper arguments.
# run: np=2 mpi=mpich flags="--mpi mpich"
import ctypes

ctypes.CDLL("libmpich.so.12", ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)
WORLD, INT, ERRORS_RETURN = 0x44000000, 0x4C000405, 0x54000001
value = ctypes.c_int(0)


def send(dest):
    mpi.MPI_Send(ctypes.byref(value), 1, INT, dest, 0, WORLD)


def bcast(root):
    mpi.MPI_Bcast(ctypes.byref(value), 1, INT, root, WORLD)


mpi.MPI_Init(None, None)
mpi.MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN)
send(-1)
bcast(0)
mpi.MPI_Finalize()
