/* The free function of a generalized request frees its communicator, but not the group of this communicator. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

static MPI_Comm comm;

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int release(void *state)
{
    return MPI_Comm_free(state);
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Group group;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_group(comm, &group); /* want "LOCAL:GROUP:NOT_FREED" count=1 */
    MPI_Grequest_start(query, release, cancel, &comm, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
