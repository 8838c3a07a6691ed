/* Persistent requests of all send modes, started one by one or together, completed in several ways, and then freed. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[4], in[4], flag, index, count, indices[8];
    MPI_Request r[8];
    for (int i = 0; i < 4; i++) {
        out[i] = 10 * rank + i;
        MPI_Recv_init(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &r[4 + i]);
    }
    MPI_Send_init(&out[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Ssend_init(&out[1], 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Send_init(&out[2], 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &r[2]);
    MPI_Rsend_init(&out[3], 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &r[3]);
    for (int round = 0; round < 10; round++) {
        MPI_Startall(4, r + 4);
        MPI_Barrier(MPI_COMM_WORLD); /* the ready send needs a posted receive */
        for (int i = 0; i < 4; i++)
            MPI_Start(&r[i]);
        switch (round % 4) {
        case 0:
            MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
            break;
        case 1:
            for (int i = 0; i < 8; i++)
                MPI_Waitany(8, r, &index, MPI_STATUS_IGNORE);
            break;
        case 2:
            for (int done = 0; done < 8; done += count)
                MPI_Waitsome(8, r, &count, indices, MPI_STATUSES_IGNORE);
            break;
        default:
            do
                MPI_Testall(8, r, &flag, MPI_STATUSES_IGNORE);
            while (!flag);
        }
        /* Now all requests are inactive, so there is nothing to wait for. */
        MPI_Waitany(8, r, &index, MPI_STATUS_IGNORE);
        if (index != MPI_UNDEFINED)
            printf("unexpected completion\n");
    }
    printf("rank %d: %d %d %d %d\n", rank, in[0], in[1], in[2], in[3]);
    for (int i = 0; i < 8; i++)
        MPI_Request_free(&r[i]);
    MPI_Finalize();
    return 0;
}
