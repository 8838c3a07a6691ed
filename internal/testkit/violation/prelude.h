#include <mpi.h>
#include <stddef.h>

/* Process 1 of 4 (or of 2, if two are enough) is the odd one. In two groups of two, it is the second one of both. */
#define odd(wrong, right) (rank == 1 ? (wrong) : (right))
#define every_other(wrong, right) (rank % 2 ? (wrong) : (right))

/* Room for at most two integers from each process. */
static int a[CASES][16], b[CASES][16], memory_[16];
static int rank, root, next, previous, newrank;
static int ones[4] = {1, 1, 1, 1}, twos[4] = {2, 2, 2, 2}, four[1] = {4}, zeros[4], negative[4] = {-1, -1, -1, -1};
static int places[4] = {0, 2, 4, 6}, bytes[4] = {0, 8, 16, 24};
static MPI_Aint addresses[4] = {0, 8, 16, 24};
static int index_[4] = {1, 2, 3, 4}, pairs[4] = {1, 0, 3, 2}, others[4] = {2, 3, 0, 1};
static char *commands[1] = {"./none"};
static void *memory;
static MPI_Datatype ints[4], floats[4];
static MPI_Info info, infos[1];
static MPI_Comm half = MPI_COMM_NULL, across, ring;
/* Of the present case. */
static MPI_Comm c, made;
static MPI_Group group;
static MPI_Request r;
static MPI_Win win;
static MPI_File file;
static const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;

static inline void start(int *argc, char ***argv)
{
    int size[1], periods[1] = {1};
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    next = (rank + 1) % 4;
    previous = (rank + 3) % 4;
    for (int i = 0; i < 4; i++) {
        ints[i] = MPI_INT;
        floats[i] = MPI_FLOAT;
    }
    infos[0] = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (size[0] < 4)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &across);
    MPI_Comm_set_errhandler(across, MPI_ERRORS_RETURN);
    MPI_Cart_create(MPI_COMM_WORLD, 1, size, periods, 0, &ring);
}

/* Begins a case on a new communicator. */
static inline void begin(MPI_Comm of, int root_)
{
    root = root_;
    made = MPI_COMM_NULL;
    group = MPI_GROUP_NULL;
    r = MPI_REQUEST_NULL;
    win = MPI_WIN_NULL;
    file = MPI_FILE_NULL;
    MPI_Comm_dup(of, &c);
}

/* Starts and completes a persistent operation. */
static inline void use(void)
{
    if (r == MPI_REQUEST_NULL)
        return;
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
}

/* Ends a case: completes and frees its objects. If a wait is refused, the next one completes the operation. */
static inline void end(void)
{
    for (int i = 0; i < 2 && r != MPI_REQUEST_NULL; i++)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    if (group != MPI_GROUP_NULL)
        MPI_Group_free(&group);
    if (win != MPI_WIN_NULL)
        MPI_Win_free(&win);
    if (file != MPI_FILE_NULL)
        MPI_File_close(&file);
    if (c != MPI_COMM_NULL)
        MPI_Comm_free(&c);
}

/* Ends a case whose operation can never complete. */
static inline void leave(void)
{
    if (r != MPI_REQUEST_NULL)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Ends a program with such operations: MPI_Finalize would wait for them. */
static inline void give_up(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void stop(void)
{
    MPI_Info_free(&info);
    if (half != MPI_COMM_NULL) {
        MPI_Comm_free(&ring);
        MPI_Comm_free(&across);
        MPI_Comm_free(&half);
    }
    MPI_Finalize();
}
