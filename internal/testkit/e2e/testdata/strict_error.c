/* Collectives whose members do not agree, with an error handler: strict_error HANDLER OPERATION [DIRECTORY]. Each rank
 * prints the error that it gets instead, and ends normally. With DIRECTORY, it prints to the file DIRECTORY/RANK. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, calls;
static MPI_Comm raised_on = MPI_COMM_NULL;

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    raised_on = *comm;
    calls++;
}

static void say(const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "success";
    int len;
    if (rc != MPI_SUCCESS)
        MPI_Error_string(rc, text, &len);
    printf("rank %d: %s: %s\n", rank, what, text);
}

static MPI_Comm world_handled(const char *handler)
{
    MPI_Comm comm;
    MPI_Errhandler h = MPI_ERRORS_RETURN;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!strcmp(handler, "own"))
        MPI_Comm_create_errhandler(handle, &h);
    if (strcmp(handler, "fatal"))
        MPI_Comm_set_errhandler(comm, h);
    if (!strcmp(handler, "own"))
        MPI_Errhandler_free(&h);
    return comm;
}

static void bcast(MPI_Comm comm)
{
    int x = 0;
    say("bcast", MPI_Bcast(&x, 1, MPI_INT, rank == 1, comm));
}

static void constructor(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    if (rank == 0)
        say("constructor", MPI_Comm_dup(comm, &made));
    else
        say("constructor", MPI_Comm_split(comm, 0, 0, &made));
    printf("rank %d: made: %s\n", rank, made == MPI_COMM_NULL ? "none" : "some");
}

static void inter(MPI_Comm comm)
{
    MPI_Comm half, both;
    int x = 0, size;
    MPI_Comm_size(comm, &size);
    MPI_Comm_split(comm, rank < 2, rank, &half);
    MPI_Intercomm_create(half, 0, comm, rank < 2 ? 2 : 0, 0, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    if (rank < 2) /* the two ranks of the other group name different roots */
        say("inter", MPI_Bcast(&x, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, both));
    else
        say("inter", MPI_Bcast(&x, 1, MPI_INT, rank == 2 ? 0 : 1, both));
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void window(MPI_Comm comm)
{
    int x = 0;
    MPI_Win win;
    MPI_Info info;
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, comm, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    if (rank == 0)
        say("window", MPI_Win_set_info(win, info));
    else
        say("window", MPI_Win_fence(0, win));
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

static void file(MPI_Comm comm)
{
    MPI_File f;
    MPI_File_open(comm, "strict_error.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &f);
    if (rank == 0)
        say("file", MPI_File_sync(f));
    else
        say("file", MPI_File_set_size(f, 100));
    MPI_File_close(&f);
}

static void ibcast(MPI_Comm comm, const char *how)
{
    int x = 0, y = 0, index, flag = 0, rc = MPI_SUCCESS;
    MPI_Request r[2];
    MPI_Status s[2];
    MPI_Irecv(&y, 1, MPI_INT, rank, 5, comm, &r[1]);
    MPI_Send(&x, 1, MPI_INT, rank, 5, comm);
    say("ibcast", MPI_Ibcast(&x, 1, MPI_INT, rank == 1, comm, &r[0]));
    if (!strcmp(how, "wait"))
        rc = MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    else if (!strcmp(how, "waitall"))
        rc = MPI_Waitall(2, r, s);
    else {
        MPI_Barrier(comm); /* After this, the error is known. A test does not wait for it. */
        while (rc == MPI_SUCCESS && !flag)
            rc = MPI_Testany(1, r, &index, &flag, MPI_STATUS_IGNORE);
    }
    say(how, rc);
    say("receive", MPI_Wait(&r[1], MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    const char *handler = argv[1], *operation = argv[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 3) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%d", argv[3], rank);
        if (!freopen(file, "w", stdout))
            return 2;
    }
    comm = world_handled(handler);
    if (!strcmp(operation, "bcast"))
        bcast(comm);
    else if (!strcmp(operation, "constructor"))
        constructor(comm);
    else if (!strcmp(operation, "inter"))
        inter(comm);
    else if (!strcmp(operation, "window"))
        window(comm);
    else if (!strcmp(operation, "file"))
        file(comm);
    else
        ibcast(comm, operation);
    if (calls)
        printf("rank %d: %d calls of the handler, on the communicator: %d\n", rank, calls, raised_on == comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    printf("rank %d: end\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
