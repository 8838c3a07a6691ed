/* MPI calls the program's own error handler as without mpivet, with the same communicator and error code. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

static int calls;

static void handler(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    printf("handler: %s, %s\n", *comm == MPI_COMM_WORLD ? "world" : "another",
           class == MPI_ERR_RANK ? "bad rank" : "other error");
    calls++;
}

int main(int argc, char **argv)
{
    int size, value = 1;
    MPI_Errhandler mine, now;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    printf("default handler is %s\n", now == MPI_ERRORS_ARE_FATAL ? "MPI_ERRORS_ARE_FATAL" : "another");
    MPI_Errhandler_free(&now);

    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    printf("now it is %s\n", now == mine ? "mine" : "another");
    MPI_Errhandler_free(&now);
    MPI_Send(&value, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "MPI_Send" */
    printf("%d calls\n", calls);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&mine);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
