/* The thread level does not exist. MPI_Init_thread may return an error or choose a level. */
/* run: np=1 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, 4711, &provided); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "required=4711, which is not one of MPI_THREAD_SINGLE" */
    MPI_Finalize();
    return 0;
}
