/* The info object with information about the hardware is freed. */
/* run: np=1 needs=MPI_Get_hw_resource_info */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Get_hw_resource_info(&info);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
