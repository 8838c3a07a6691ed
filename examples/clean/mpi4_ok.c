/* New features of MPI 4: sessions, persistent collectives, partitioned messages, large counts. */
/* run: np=2 mpi=mpich */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, data[4] = {0}, sum = 0, flag;
    MPI_Request request;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Count got;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);

    if (rank == 0) {
        for (int i = 0; i < 4; i++)
            data[i] = i + 1;
        MPI_Psend_init(data, 4, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < 4; i++)
            MPI_Pready(i, request);
    } else {
        MPI_Precv_init(data, 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        do
            MPI_Parrived(request, 3, &flag);
        while (!flag);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);

    if (rank == 0) {
        MPI_Send_c(data, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv_c(data, 4, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count_c(&status, MPI_INT, &got);
        printf("%d ints, the last one %d, the sum %d\n", (int)got, data[3], sum);
    }

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpivet-example", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
