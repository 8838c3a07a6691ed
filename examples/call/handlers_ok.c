/* The program sets, inherits (by MPI_Comm_dup), replaces and queries error handlers. There is no error. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static const char *name(MPI_Comm comm, MPI_Errhandler mine)
{
    MPI_Errhandler h;
    const char *text = "another";
    MPI_Comm_get_errhandler(comm, &h);
    if (h == MPI_ERRORS_ARE_FATAL)
        text = "MPI_ERRORS_ARE_FATAL";
    else if (h == MPI_ERRORS_RETURN)
        text = "MPI_ERRORS_RETURN";
    else if (h == mine)
        text = "mine";
    MPI_Errhandler_free(&h);
    return text;
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine;
    MPI_Comm a, b, c;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN);
    MPI_Comm_split(a, 0, -rank, &b);
    MPI_Comm_set_errhandler(a, mine);
    MPI_Comm_dup(a, &c);
    printf("rank %d: world %s, self %s, a %s, b %s, c %s\n", rank, name(MPI_COMM_WORLD, mine),
           name(MPI_COMM_SELF, mine), name(a, mine), name(b, mine), name(c, mine));
    MPI_Errhandler_free(&mine);
    MPI_Barrier(c);
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}
