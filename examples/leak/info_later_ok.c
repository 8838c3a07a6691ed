/* Info objects may be made before MPI_Init and freed after MPI_Finalize (MPI 4.0). */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Info before, during, after;
    MPI_Info_create(&before);
    MPI_Info_set(before, "key", "value");
    MPI_Init(&argc, &argv);
    MPI_Info_dup(before, &during);
    MPI_Finalize();
    MPI_Info_free(&before);
    MPI_Info_free(&during);
    MPI_Info_create(&after);
    MPI_Info_free(&after);
    return 0;
}
