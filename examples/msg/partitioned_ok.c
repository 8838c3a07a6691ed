/* Partitioned messages with different partitions on the two sides, started several times,
 * among others with their tag. */
/* run: np=2 mpi=mpich */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Request r;
    int rank, x = 7, data[12] = {0}, list[2] = {3, 1}, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, 4, 3, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    else
        MPI_Precv_init(data, 4, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    for (int round = 0; round < 3; round++) {
        if (rank == 0) {
            for (int i = 0; i < 12; i++)
                data[i] = round * 100 + i;
            MPI_Start(&r);
            MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Pready(0, r);
            MPI_Pready_list(2, list, r);
            MPI_Pready_range(2, 2, r);
        } else {
            MPI_Start(&r);
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            do
                MPI_Parrived(r, 2, &flag);
            while (!flag);
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (rank == 1)
            printf("%d\n", data[11]);
    }
    MPI_Request_free(&r);

    /* 12 elements on each side, in 6 and in 2 partitions. They match. */
    if (rank == 0)
        MPI_Psend_init(data, 6, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    else
        MPI_Precv_init(data, 2, 6, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    for (int i = 0; rank == 0 && i < 6; i++)
        MPI_Pready(i, r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
    MPI_Finalize();
    return 0;
}
