/* A program has many communicators at the same time, and frees them in the end. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm[250];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 250; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]); /* want info "LOCAL:COMM:NOT_FREED" "has 100 communicators" count=4 */
    for (int i = 0; i < 250; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
