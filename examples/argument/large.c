/* Results that are too large for an int. */
/* run: np=1 */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n;
    MPI_Datatype block, large;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    memset(&status, 0, sizeof status);
    MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)3 << 30);
    MPI_Get_count(&status, MPI_BYTE, &n);    /* want info "LOCAL:INTEGER:OVERFLOW" "MPI_Get_count" */
    MPI_Get_elements(&status, MPI_BYTE, &n); /* want info "LOCAL:INTEGER:OVERFLOW" "MPI_Get_elements" */
    MPI_Type_contiguous(1 << 20, MPI_INT, &block);
    MPI_Type_contiguous(1 << 10, block, &large);
    MPI_Type_commit(&large);
    MPI_Type_size(large, &n);                /* want info "LOCAL:INTEGER:OVERFLOW" "MPI_Type_size" */
    MPI_Pack_size(1 << 30, MPI_INT, MPI_COMM_WORLD, &n); /* want warning "LOCAL:INTEGER:OVERFLOW" "the data alone have 4294967296 bytes" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Type_free(&large);
    MPI_Type_free(&block);
    MPI_Finalize();
    return 0;
}
