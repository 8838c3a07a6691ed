/* New features of MPI 4.1: buffers of communicators and sessions, automatic buffers, flushes, tests of several requests
 * that complete none, access to statuses, removed error codes, pair types, information about the hardware. */
/* run: np=2 needs=MPI_Comm_attach_buffer */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(int argc, char **argv)
{
    int rank, size, flag, index, count, indices[2], class, code, value, data[N] = {0}, in[2][N];
    void *buffer, *own;
    MPI_Request requests[2], flush;
    MPI_Status status, statuses[2];
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Datatype pair;
    MPI_Info hardware;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    /* The communicator has a buffer of its own. The one of the process would be too small. */
    size = 2 * (N * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    own = malloc(size);
    buffer = malloc(100 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(buffer, 100 + MPI_BSEND_OVERHEAD);
    MPI_Comm_attach_buffer(MPI_COMM_WORLD, own, size);
    if (rank == 0) {
        MPI_Bsend(data, N, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Bsend(data, N, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &flush);
        MPI_Wait(&flush, MPI_STATUS_IGNORE);
        MPI_Bsend(data, N, MPI_INT, 1, 2, MPI_COMM_WORLD); /* its room is free after the flush */
        MPI_Bsend(data, N, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Comm_flush_buffer(MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < 4; i++)
            MPI_Recv(data, N, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_detach_buffer(MPI_COMM_WORLD, &own, &size);
    free(own);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);

    /* MPI provides the memory. */
    MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0);
    if (rank == 0)
        for (int i = 0; i < 5; i++)
            MPI_Bsend(data, N, MPI_INT, 1, i, MPI_COMM_WORLD);
    else
        for (int i = 0; i < 5; i++)
            MPI_Recv(data, N, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(MPI_COMM_WORLD, &buffer, &size);

    /* A session has a buffer for all of its communicators. */
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpivet-mpi41", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    size = N * (int)sizeof(int) + MPI_BSEND_OVERHEAD;
    own = malloc(size);
    MPI_Session_attach_buffer(session, own, size);
    if (rank == 0) {
        MPI_Bsend(data, N, MPI_INT, 1, 0, comm);
        MPI_Session_flush_buffer(session);
    } else {
        MPI_Recv(data, N, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    MPI_Session_detach_buffer(session, &own, &size);
    free(own);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);

    /* The tests leave the requests as they are. */
    MPI_Irecv(in[0], N, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], N, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(data, N, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD);
    MPI_Send(data, N, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* MPICH 5.0 makes no progress in these tests */
    do
        MPI_Request_get_status_any(2, requests, &index, &flag, &status);
    while (!flag);
    do
        MPI_Request_get_status_some(2, requests, &count, indices, statuses);
    while (count < 2);
    MPI_Request_get_status_all(2, requests, &flag, statuses);
    MPI_Waitall(2, requests, statuses);
    MPI_Status_get_tag(&statuses[1], &value);
    printf("%d: %d complete, tag %d\n", rank, flag, value);
    MPI_Status_set_tag(&statuses[1], 9);
    MPI_Status_set_source(&statuses[1], rank);
    MPI_Status_get_source(&statuses[1], &value);
    printf("%d: source %d\n", rank, value);

    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "an error of this program");
    MPI_Remove_error_string(code);
    MPI_Remove_error_code(code);
    MPI_Remove_error_class(class);

    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair); /* a predefined type: it is not to be freed */
    printf("%d: %d\n", rank, pair == MPI_DOUBLE_INT);
    MPI_Get_hw_resource_info(&hardware);
    MPI_Info_free(&hardware);
    MPI_Finalize();
    return 0;
}
