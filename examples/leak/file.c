/* The program opens a file and never closes it. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a = 1;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "result", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file); /* want "LOCAL:FILE:NOT_FREED" "open file" count=2 */
    MPI_File_write_at_all(file, 0, &a, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
