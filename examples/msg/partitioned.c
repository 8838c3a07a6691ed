/* Partitioned messages that are received with another type, and into a buffer that is too short. They match in the
 * order of their initialisation, whichever is started first. */
/* run: np=2 mpi=mpich stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double data[24] = {0};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, 4, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_Psend_init of rank 0 sends 8 × MPI_INT, but MPI_Precv_init of rank 1.* receives it as 8 × MPI_FLOAT" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=0 */
        MPI_Psend_init(data, 4, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]); /* want "GLOBAL:MSG:TRUNCATED" "12 × MPI_DOUBLE" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=0 */
    } else {
        MPI_Precv_init(data, 2, 4, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=1 */
        MPI_Precv_init(data, 2, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]); /* want "GLOBAL:MSG:TRUNCATED" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=1 */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Finalize();
    return 0;
}
