/* A library cleans up in a callback when MPI_Finalize frees MPI_COMM_SELF (MPI standard, section 11.2.4). On rank 1
 * this callback calls MPI_Barrier and MPI_Comm_free. On rank 0 the program itself has called them before. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm library = MPI_COMM_NULL;

static void clean_up(void)
{
    if (library != MPI_COMM_NULL) {
        MPI_Barrier(library);
        MPI_Comm_free(&library);
    }
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    clean_up();
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, keyval;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &library);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_free_keyval(&keyval);
    if (rank == 0)
        clean_up();
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
