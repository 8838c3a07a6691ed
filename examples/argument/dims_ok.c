/* Grids with some dimensions given, all given or none given, and a grid without dimensions. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int none[2] = {0, 0}, some[3] = {0, 3, 0}, all[2] = {2, 3}, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Dims_create(6, 2, none);
    MPI_Dims_create(12, 3, some);
    MPI_Dims_create(6, 2, all);
    MPI_Finalize();
    return 0;
}
