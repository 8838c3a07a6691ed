# The same operation on all ranks.
# run: np=2 mpi=openmpi
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD


def norm():
    total = array("i", [0])
    comm.Allreduce([array("i", [1]), MPI.INT], [total, MPI.INT], op=MPI.SUM)
    yield total[0]


def main():
    for i in range(3):
        for value in norm():
            assert value == 2


main()
