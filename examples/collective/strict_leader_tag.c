/* In strict mode, leaders with different tags, which would wait for each other, do not enter MPI. Neither do the other
 * processes of their groups, and all of them continue. */
/* run: np=4 flags="--strict" status=3 within=20s */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, first;
    MPI_Comm half, between;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, first, &between) != MPI_SUCCESS) /* want "GLOBAL:COLLECTIVE:LEADER_MISMATCH" "tag" ranks=0,2 */
        printf("rank %d: no\n", rank);
    if (MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, 5, &between) == MPI_SUCCESS) {
        printf("rank %d: yes\n", rank);
        MPI_Comm_free(&between);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
