/* A program that is linked with MPI but never initializes it. It only prints its usage. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("usage: no_mpi FILE\n");
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
