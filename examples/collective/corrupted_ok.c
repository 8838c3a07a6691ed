/* The parts do not overlap. The buffers change only before the operations and after them. */
/* run: np=3 flags="--checksums" */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has this function with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Gatherv_init MPIX_Gatherv_init
#endif

int main(int argc, char **argv)
{
    int rank, from[4], to[12], counts[3] = {4, 4, 4}, displs[3] = {0, 4, 8}, done = 0;
    MPI_Datatype sparse, every_third;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        from[i] = 10 * rank + i;
    MPI_Gatherv(from, 4, MPI_INT, to, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Igatherv(from, 4, MPI_INT, to, counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &r);
    while (!done)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    MPI_Gatherv_init(from, 4, MPI_INT, to, counts, displs, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    for (int i = 0; i < 3; i++) {
        from[i] = to[i] = 100 * rank;
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        from[i] = to[i] = -1;
    }
    MPI_Request_free(&r);
    /* Interleaved parts. */
    MPI_Type_vector(4, 1, 3, MPI_INT, &sparse);
    MPI_Type_create_resized(sparse, 0, sizeof(int), &every_third);
    MPI_Type_commit(&every_third);
    MPI_Igather(from, 4, MPI_INT, to, 1, every_third, 0, MPI_COMM_WORLD, &r);
    MPI_Type_free(&every_third);
    MPI_Type_free(&sparse);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
