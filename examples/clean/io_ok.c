/* Files: individual, collective, split and nonblocking access, through views. MPI libraries that use ROMIO call MPI
 * functions internally; these are not calls of the program. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char name[64];
    long id = 0;
    int rank, data[4], back[4] = {0};
    MPI_File f;
    MPI_Datatype every_other;
    MPI_Offset size;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        id = getpid();
    MPI_Bcast(&id, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/mpivet-example-io.%ld", id);
    for (int i = 0; i < 4; i++)
        data[i] = 10 * rank + i;

    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_File_set_view(f, rank * (MPI_Offset)sizeof(int), MPI_INT, every_other, "native", MPI_INFO_NULL);
    MPI_File_write_all(f, data, 4, MPI_INT, &status);
    MPI_File_sync(f);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(f);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at(f, 0, back, 4, MPI_INT, MPI_STATUS_IGNORE);
    printf("rank %d: %d %d %d %d\n", rank, back[0], back[1], back[2], back[3]);
    MPI_File_iread_at(f, 4, back, 4, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(f, 0, MPI_SEEK_SET);
    MPI_File_read_all_begin(f, back, 2, MPI_INT);
    MPI_File_read_all_end(f, back, &status);
    MPI_File_get_size(f, &size);
    printf("rank %d: %d %d of %lld bytes\n", rank, back[0], back[1], (long long)size);
    MPI_Type_free(&every_other);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
