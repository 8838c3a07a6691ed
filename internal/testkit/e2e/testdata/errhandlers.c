/* Makes random calls on error handlers, the same on all ranks, and prints the results of rank 0. argv: seed, number of
 * calls, name of a file to make. Every call is correct, or its error handler returns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long state;

static int any(int n)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned)n);
}

static int handled; /* errors passed to handlers of the program */

static void on_comm(MPI_Comm *c, int *code, ...) { (void)c, (void)code, handled++; }
static void on_comm_too(MPI_Comm *c, int *code, ...) { (void)c, (void)code, handled += 100; }
static void on_win(MPI_Win *w, int *code, ...) { (void)w, (void)code, handled += 10000; }
static void on_file(MPI_File *f, int *code, ...) { (void)f, (void)code, handled += 1000000; }

enum { COMMS = 6, OWN = 3 };
static MPI_Comm comm[COMMS];
static int returns[COMMS]; /* whether the handler of the communicator returns */
static MPI_Win win;
static int win_returns;
static MPI_File file;
static MPI_Errhandler own[OWN], for_win, for_file;

/* Returns the name of handler h. */
static const char *which(MPI_Errhandler h)
{
    static const char *names[OWN] = {"own 0", "own 1", "own 2"};
    for (int i = 0; i < OWN; i++)
        if (h == own[i])
            return names[i];
    return h == MPI_ERRORS_ARE_FATAL ? "fatal" : h == MPI_ERRORS_RETURN ? "return" : h == for_win ? "win"
        : h == for_file ? "file"
         : h == MPI_ERRHANDLER_NULL  ? "null"  : "other";
}

static int class_of(int rc)
{
    int class = -1;
    if (rc)
        MPI_Error_class(rc, &class);
    return rc ? class : 0;
}

static MPI_Errhandler choose(int *ret)
{
    const int i = any(OWN + 2);
    *ret = i != OWN;
    return i == OWN ? MPI_ERRORS_ARE_FATAL : i == OWN + 1 ? MPI_ERRORS_RETURN : own[i];
}

static void step(void)
{
    MPI_Errhandler h;
    const int i = any(COMMS);
    int ret;
    switch (any(12)) {
    case 0:
    case 1:
        MPI_Comm_get_errhandler(comm[i], &h);
        printf("comm %d has %s", i, which(h));
        MPI_Errhandler_free(&h);
        printf(" freed %s\n", which(h));
        break;
    case 2: /* while the program has the handler, its handle stays the same */
        MPI_Comm_get_errhandler(comm[i], &h);
        MPI_Comm_set_errhandler(comm[any(2)], h);
        printf("copied %s\n", which(h));
        MPI_Comm_get_errhandler(comm[0], &h);
        returns[0] = h != MPI_ERRORS_ARE_FATAL;
        MPI_Comm_get_errhandler(comm[1], &h);
        returns[1] = h != MPI_ERRORS_ARE_FATAL;
        break;
    case 3:
        h = choose(&ret);
        MPI_Comm_set_errhandler(comm[i], h);
        returns[i] = ret;
        printf("comm %d gets %s\n", i, which(h));
        break;
    case 4:
        if (i > 1) { /* a copy of another */
            const int from = any(i);
            MPI_Comm_free(&comm[i]);
            if (any(2))
                MPI_Comm_dup(comm[from], &comm[i]);
            else
                MPI_Comm_split(comm[from], 0, 0, &comm[i]);
            MPI_Comm_get_errhandler(comm[i], &h);
            returns[i] = h != MPI_ERRORS_ARE_FATAL;
            printf("comm %d is made of %d and has %s\n", i, from, which(h));
            MPI_Errhandler_free(&h);
        }
        break;
    case 5:
        if (returns[i]) {
            int n, rc = MPI_Send(&n, 1, MPI_INT, 9999, 0, comm[i]);
            printf("comm %d: error %d, handled %d\n", i, class_of(rc), handled);
        }
        break;
    case 6:
        if (returns[i])
            printf("comm %d: called %d, handled %d\n", i, MPI_Comm_call_errhandler(comm[i], MPI_ERR_OTHER), handled);
        break;
    case 7: { /* freed, and made again */
        const int o = any(OWN);
        MPI_Errhandler_free(&own[o]);
        printf("own %d freed: %s\n", o, which(own[o]));
        MPI_Comm_create_errhandler(any(2) ? on_comm : on_comm_too, &own[o]);
        break;
    }
    case 8:
        MPI_Comm_get_errhandler(comm[i], &h);
        printf("in Fortran: %d\n", MPI_Errhandler_f2c(MPI_Errhandler_c2f(h)) == h);
        MPI_Errhandler_free(&h);
        break;
    case 9:
        win_returns = any(3);
        MPI_Win_set_errhandler(win, win_returns == 0 ? MPI_ERRORS_ARE_FATAL : win_returns == 1 ? MPI_ERRORS_RETURN
                               : for_win);
        MPI_Win_get_errhandler(win, &h);
        printf("window has %s", which(h));
        MPI_Errhandler_free(&h);
        if (win_returns)
            printf(" called %d, handled %d", MPI_Win_call_errhandler(win, MPI_ERR_OTHER), handled);
        printf("\n");
        break;
    case 10: {
        MPI_File f = any(2) ? file : MPI_FILE_NULL;
        const int to = any(2);
        MPI_File_set_errhandler(f, to ? MPI_ERRORS_RETURN : for_file);
        MPI_File_get_errhandler(f, &h);
        printf("file has %s", which(h));
        MPI_Errhandler_free(&h);
        MPI_File other;
        const int rc = MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &other);
        printf(" no such file %d, handled %d\n", class_of(rc), handled);
        break;
    }
    default:
        MPI_File_get_errhandler(MPI_FILE_NULL, &h);
        printf("files have %s\n", which(h));
        MPI_Errhandler_free(&h);
    }
}

int main(int argc, char **argv)
{
    int level, rank, memory[4];
    char name[4096];
    const int steps = argc > 2 ? atoi(argv[2]) : 1000;
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    MPI_Init_thread(&argc, &argv, any(2) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank && !freopen("/dev/null", "w", stdout))
        return 1;
    snprintf(name, sizeof name, "%s.%d", argv[3], rank);
    comm[0] = MPI_COMM_WORLD;
    comm[1] = MPI_COMM_SELF;
    for (int i = 2; i < COMMS; i++)
        MPI_Comm_dup(comm[i % 2], &comm[i]);
    for (int i = 0; i < OWN; i++)
        MPI_Comm_create_errhandler(i % 2 ? on_comm : on_comm_too, &own[i]);
    MPI_Win_create_errhandler(on_win, &for_win);
    MPI_File_create_errhandler(on_file, &for_file);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    for (int i = 0; i < steps; i++)
        step();
    MPI_File_close(&file);
    MPI_Win_free(&win);
    for (int i = 2; i < COMMS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
