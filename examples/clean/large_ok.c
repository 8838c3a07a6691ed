/* Many elements in one message, and a datatype with more bytes than an int can count. */
/* run: np=2 timeout=60s */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (1 << 20)

int main(int argc, char **argv)
{
    int rank;
    char *data = malloc(64 * MIB);
    MPI_Datatype block, repeated;
    MPI_Count count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(data, rank, 64 * MIB);
    if (rank == 0)
        MPI_Send(data, 64 * MIB, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 64 * MIB, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_contiguous(MIB, MPI_CHAR, &block);
    MPI_Type_create_hvector(3000, 1, 0, block, &repeated); /* size: 3000 MiB, memory: 1 MiB */
    MPI_Type_size_x(repeated, &count);
    printf("rank %d: %d, %lld\n", rank, data[64 * MIB - 1], (long long)count);
    MPI_Type_free(&repeated);
    MPI_Type_free(&block);
    free(data);
    MPI_Finalize();
    return 0;
}
