/* The info object with information about the hardware belongs to the program. It is never freed. */
/* run: np=1 needs=MPI_Get_hw_resource_info */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Get_hw_resource_info(&info); /* want "LOCAL:INFO:NOT_FREED" "MPI_Get_hw_resource_info" count=1 */
    MPI_Finalize();
    return 0;
}
