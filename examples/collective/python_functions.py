# The same error in two functions is two findings, although the C functions on the stack are the same. However often and
# from wherever a function is called, it is one finding.
# run: np=2 mpi=openmpi
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
OPS = [MPI.SUM, MPI.MAX]


class Solver:
    def norm(self):
        total = array("i", [0])
        comm.Allreduce(  # want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" count=5 func="Solver.norm"
            [array("i", [1]), MPI.INT],
            [total, MPI.INT],
            op=OPS[comm.Get_rank()],
        )
        return total[0]

    def steps(self, n):
        for i in range(n):
            yield self.norm()


def count():
    total = array("i", [0])
    comm.Reduce([array("i", [1]), MPI.INT], [total, MPI.INT], op=OPS[comm.Get_rank()])  # want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" count=1 func="count"


def main():
    solver = Solver()
    list(solver.steps(3))
    for norm in solver.steps(2):
        pass
    count()


main()
