/* Correct collective file accesses: the ranks pass different offsets, counts, datatypes and views, where the views have
 * the same elementary type. Split collectives follow one another. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, from[4], to[4] = {0};
    MPI_Datatype strided, pair;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        from[i] = 10 * rank + i;
    MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&strided);
    MPI_Type_commit(&pair);
    int amode = rank == 0 ? MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE
                          : MPI_MODE_DELETE_ON_CLOSE + MPI_MODE_RDWR + MPI_MODE_CREATE;
    MPI_File_open(MPI_COMM_WORLD, rank == 0 ? "file_ok.tmp" : "./file_ok.tmp", amode, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 64);
    MPI_File_preallocate(file, 64);
    MPI_File_set_atomicity(file, 0);
    MPI_File_set_view(file, rank * sizeof(int), MPI_INT, rank == 0 ? strided : MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, from, rank == 0 ? 2 : 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, rank == 0 ? 2 : 8, from, rank, rank == 0 ? MPI_DOUBLE : MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, rank == 0 ? MPI_INT : MPI_INT, rank == 0 ? pair : MPI_INT, "native", MPI_INFO_NULL);

    MPI_File_write_at_all_begin(file, 4 * rank, from, rank == 0 ? 1 : 2, rank == 0 ? pair : MPI_INT);
    MPI_File_write_at_all_end(file, from, MPI_STATUS_IGNORE);
    MPI_File_read_all_begin(file, to, rank == 0 ? 0 : 4, MPI_INT);
    MPI_File_read_all_end(file, to, MPI_STATUS_IGNORE);

    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(file, from, 1 + rank, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, to, 1 + rank, MPI_INT, MPI_STATUS_IGNORE);
    printf("rank %d: %d %d\n", rank, to[0], to[rank]);
    MPI_File_close(&file);
    MPI_Type_free(&strided);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
