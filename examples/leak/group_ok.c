/* A group is freed once for each call that has returned it, even if the handle is the same or its communicator is
 * gone. The empty group need not be freed. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, zero = 0, a = 0, range[1][3] = {{0, 1, 1}};
    MPI_Comm dup, between;
    MPI_Win win;
    MPI_File file;
    MPI_Group g, all[3], result;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        MPI_Comm_group(MPI_COMM_WORLD, &all[i]);
    g = all[0]; /* a copy of a handle is not another group */
    MPI_Group_free(&g);
    MPI_Group_incl(all[1], 1, &zero, &result);
    MPI_Group_free(&result);
    MPI_Group_range_incl(all[1], 1, range, &result);
    MPI_Group_free(&result);
    MPI_Group_difference(all[1], all[2], &result);
    MPI_Group_free(&all[1]);
    MPI_Group_free(&all[2]);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_group(dup, &g);
    MPI_Comm_free(&dup);
    MPI_Group_free(&g);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &between);
    MPI_Comm_remote_group(between, &g);
    MPI_Comm_free(&between);
    MPI_Group_free(&g);
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &g);
    MPI_Win_free(&win);
    MPI_Group_free(&g);
    MPI_File_open(MPI_COMM_SELF, rank ? "one" : "zero", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_get_group(file, &g);
    MPI_Group_free(&g);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
