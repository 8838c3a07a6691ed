/* Info objects may be made before MPI_Init and after MPI_Finalize (MPI 4.0). The program must free them too. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Info before, after;
    MPI_Info_create(&before); /* want warning "LOCAL:INFO:NOT_FREED" "1 info object made by MPI_Info_create is never freed" */
    MPI_Info_set(before, "key", "value");
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Info_create(&after); /* want warning "LOCAL:INFO:NOT_FREED" "1 info object made by MPI_Info_create is never freed" */
    return 0;
}
