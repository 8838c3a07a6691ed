/* Makes communicators in many ways. Prints their error handlers, and the results of errors on them. Also uses windows,
 * sessions and a process that it starts. Only rank 0 prints. argv: single or multiple. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int handled, rank, size;
static MPI_Errhandler own;

static void on_error(MPI_Comm *c, int *code, ...) { (void)c, (void)code, handled++; }

static int class_of(int rc)
{
    int class = 0;
    if (rc)
        MPI_Error_class(rc, &class);
    return class;
}

static void print(const char *what, MPI_Errhandler h)
{
    printf("%s has %s\n", what, h == own ? "its own" : h == MPI_ERRORS_ARE_FATAL ? "fatal"
           : h == MPI_ERRORS_RETURN ? "return" : "another");
    MPI_Errhandler_free(&h);
}

static void show(const char *what, MPI_Comm c)
{
    MPI_Errhandler h;
    MPI_Comm_get_errhandler(c, &h);
    print(what, h);
}

static void intracommunicators(void)
{
    MPI_Comm c, part;
    MPI_Request request;
    MPI_Group group;
    const int periods = 0, keep = 1;
    MPI_Comm_idup(MPI_COMM_WORLD, &c, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("idup", c);
    printf("error %d", class_of(MPI_Send(&rank, 1, MPI_INT, 77, 0, c)));
    printf(", handled %d\n", handled);
    MPI_Comm_free(&c);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c);
    show("split_type", c);
    MPI_Comm_free(&c);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &c);
    show("cart", c);
    MPI_Cart_sub(c, &keep, &part);
    show("cart_sub", part);
    MPI_Comm_free(&part);
    MPI_Comm_free(&c);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &c);
    show("create_group", c);
    MPI_Comm_free(&c);
    MPI_Comm_create(MPI_COMM_WORLD, group, &c);
    show("create", c);
    MPI_Comm_free(&c);
    MPI_Group_free(&group);
}

static void intercommunicators(void)
{
    MPI_Comm half, inter, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(rank % 2), 5, &inter);
    show("intercomm", inter);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    show("merged", merged);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    printf("error %d\n", class_of(MPI_Send(&rank, 1, MPI_INT, 99, 0, inter)));
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void windows(void)
{
    MPI_Win win;
    MPI_Errhandler h;
    int memory[4] = {0};
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_errhandler(win, &h);
    print("window", h);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    printf("error %d\n", class_of(MPI_Put(memory, 1, MPI_INT, 99, 0, 1, MPI_INT, win)));
    MPI_Win_free(&win);
}

#if MPI_VERSION >= 4
static void sessions(void)
{
    MPI_Session session;
    MPI_Errhandler h;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_errhandler(session, &h);
    print("session", h);
    printf("error %d\n", class_of(MPI_Group_from_session_pset(session, "mpi://NONE", &group)));
    MPI_Session_set_errhandler(session, MPI_ERRORS_ARE_FATAL);
    MPI_Session_get_errhandler(session, &h);
    print("session", h);
    MPI_Session_finalize(&session);
}
#endif

#ifdef OPEN_MPI /* MPICH 4.0 cannot spawn everywhere */
static void spawn(char *program)
{
    MPI_Comm children;
    int class = 0;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    show("spawned", children);
    if (!rank)
        MPI_Recv(&class, 1, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE);
    printf("error %d in the child\n", class);
    MPI_Comm_disconnect(&children);
}
#endif

int main(int argc, char **argv)
{
    int level;
    MPI_Comm parent;
    MPI_Init_thread(&argc, &argv, argc > 1 && !strcmp(argv[1], "multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
        int class = class_of(MPI_Send(&rank, 1, MPI_INT, 99, 0, parent));
        MPI_Send(&class, 1, MPI_INT, 0, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    if (rank && !freopen("/dev/null", "w", stdout))
        return 1;
    MPI_Comm_create_errhandler(on_error, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, own);
    MPI_Errhandler h = own;
    MPI_Errhandler_free(&h); /* the communicators keep it */
    intracommunicators();
    intercommunicators();
    windows();
#if MPI_VERSION >= 4
    sessions();
#endif
    for (int i = 0; i < 20; i++) {
        MPI_Comm_get_errhandler(MPI_COMM_SELF, &h);
        if (MPI_Errhandler_f2c(MPI_Errhandler_c2f(h)) != h)
            printf("Fortran has another handler\n");
        MPI_Errhandler_free(&h);
    }
#ifdef OPEN_MPI
    spawn(argv[0]);
#endif
    show("MPI_COMM_SELF", MPI_COMM_SELF);
    printf("handled %d\n", handled);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
