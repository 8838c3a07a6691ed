/* At the root, the parts of ranks 1 and 2 overlap, so one of them does not arrive as it was sent. This happens in a
 * blocking call, in a nonblocking call, and in a persistent operation that is started twice. */
/* run: np=3 flags="--checksums" */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has this function with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Gatherv_init MPIX_Gatherv_init
#endif

int main(int argc, char **argv)
{
    int rank, from[4], to[3][12], counts[3] = {4, 4, 4}, displs[3] = {0, 4, 6};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        from[i] = 10 * rank + i;
    MPI_Gatherv(from, 4, MPI_INT, to[0], counts, displs, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED" "16 bytes that rank 0 received from rank [12]" count=1 */ /* want error "LOCAL:MEMORY:OVERLAP" ranks=0 */
    MPI_Igatherv(from, 4, MPI_INT, to[1], counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &r); /* want "GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED" "16 bytes that rank 0 received from rank [12]" count=1 */ /* want error "LOCAL:MEMORY:OVERLAP" ranks=0 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Gatherv_init(from, 4, MPI_INT, to[2], counts, displs, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r); /* want "GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED" "16 bytes that rank 0 received from rank [12]" count=2 */
    for (int i = 0; i < 2; i++) {
        MPI_Start(&r); /* want error "LOCAL:MEMORY:OVERLAP" "has a byte twice" ranks=0 */
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    MPI_Finalize();
    return 0;
}
