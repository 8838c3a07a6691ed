/* The ranks describe the same sequence of basic types by different datatypes. */
/* run: np=3 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
    double value;
    int index;
} item;

int main(int argc, char **argv)
{
    int rank, n, grid[4][3] = {{0}}, line[12] = {0}, all[12];
    item items[2] = {{0, 0}, {0, 0}};
    MPI_Datatype column, columns, row, record, records, type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 1, 3, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    MPI_Type_contiguous(4, MPI_INT, &row);
    MPI_Type_create_struct(2, (int[2]){1, 1}, (MPI_Aint[2]){offsetof(item, value), offsetof(item, index)},
                           (MPI_Datatype[2]){MPI_DOUBLE, MPI_INT}, &record);
    MPI_Type_create_resized(record, 0, sizeof(item), &records);
    MPI_Type_commit(&columns);
    MPI_Type_commit(&row);
    MPI_Type_commit(&records);

    /* A column of a grid on rank 0, a row on rank 1, four integers on rank 2. */
    n = rank == 2 ? 4 : 1;
    type = rank == 0 ? columns : rank == 1 ? row : MPI_INT;
    for (int i = 0; i < 4; i++)
        grid[i][1] = rank == 0 ? i + 1 : 0;
    MPI_Bcast(rank == 0 ? &grid[0][1] : line, n, type, 0, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, line[0], line[3]);
    MPI_Gather(rank == 0 ? &grid[0][1] : line, n, type, all, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(rank == 0 ? &grid[0][1] : line, n, type, rank == 1 ? &grid[0][0] : all, rank == 1 ? 1 : 4,
                  rank == 1 ? columns : MPI_INT, MPI_COMM_WORLD);
    MPI_Scatter(all, 4, MPI_INT, line, 1, row, 0, MPI_COMM_WORLD);
    MPI_Alltoall(all, rank == 1 ? 1 : 4, rank == 1 ? row : MPI_INT, grid, rank == 0 ? 1 : 4,
                 rank == 0 ? columns : MPI_INT, MPI_COMM_WORLD);

    /* A pair type matches a structure of its two members. */
    if (rank == 0)
        items[0] = (item){1.5, 7}, items[1] = (item){2.5, 8};
    MPI_Bcast(items, 2, rank == 1 ? MPI_DOUBLE_INT : records, 0, MPI_COMM_WORLD);
    printf("rank %d: %g %d\n", rank, items[1].value, items[1].index);

    /* If there are no data, any datatype matches any other. */
    MPI_Bcast(NULL, 0, rank == 0 ? MPI_INT : rank == 1 ? records : MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Allgather(NULL, 0, rank == 0 ? MPI_INT : MPI_DOUBLE, NULL, 0, rank == 1 ? row : MPI_CHAR, MPI_COMM_WORLD);
    MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_FLOAT, 2, MPI_COMM_WORLD);

    /* Packed data are sent and received as MPI_PACKED. */
    char buffer[64];
    int position = 0;
    if (rank == 1)
        MPI_Pack(&n, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    MPI_Bcast(&position, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Bcast(buffer, position, MPI_PACKED, 1, MPI_COMM_WORLD);

    MPI_Type_free(&column);
    MPI_Type_free(&columns);
    MPI_Type_free(&row);
    MPI_Type_free(&record);
    MPI_Type_free(&records);
    MPI_Finalize();
    return 0;
}
