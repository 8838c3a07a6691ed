/* Displacements in any order, with gaps and with empty parts. No two parts overlap. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine[4] = {0}, all[40] = {0}, counts[3] = {4, 4, 4}, at[3] = {8, 0, 4}, from[3] = {0, 4, 8},
        to[3] = {23, 15, 11};
    int some[3] = {2, 0, 2}, anywhere[3] = {2, 3, 0}, even[3] = {0, 4, 8}, odd[3] = {1, 5, 9};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT}, every;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    for (int i = 0; i < 10; i++) {
        MPI_Gatherv(mine, 4, MPI_INT, all, counts, at, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Gatherv(mine, some[rank], MPI_INT, all, some, anywhere, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Alltoallv(all, counts, from, MPI_INT, all + 1, counts, to, MPI_INT, MPI_COMM_WORLD);
        MPI_Ialltoallv(all, counts, from, MPI_INT, all + 1, counts, to, MPI_INT, MPI_COMM_WORLD, &r);
        MPI_Send(all, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Bcast(all + 28, 12, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        /* The even elements are sent, the odd elements are received. */
        for (int k = 0; k < 3; k++) {
            even[k] = 16 * k;
            odd[k] = 16 * k;
            some[k] = 1;
            types[k] = every;
        }
        MPI_Alltoallw(all, some, even, types, all + 1, some, odd, types, MPI_COMM_WORLD);
        for (int k = 0; k < 3; k++)
            some[k] = k == 1 ? 0 : 2;
    }
    MPI_Type_free(&every);
    MPI_Finalize();
    return 0;
}
