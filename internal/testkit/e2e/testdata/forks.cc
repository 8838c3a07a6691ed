// Makes children in many ways, 20 of each. They free MPI objects, make errors, exit and crash. The parent goes on: it
// has a datatype that it never frees, and no other fault.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static MPI_Datatype kept = MPI_DATATYPE_NULL;
static pid_t home;

struct Static { // frees an object when the program, or a child, ends by exit()
    ~Static()
    {
        int over;
        MPI_Finalized(&over);
        if (getpid() != home && !over && kept != MPI_DATATYPE_NULL)
            MPI_Type_free(&kept);
    }
} at_exit;

static pid_t raw_clone() { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
extern "C" pid_t _Fork(void) __attribute__((weak));

static void child(int how)
{
    MPI_Datatype t = kept;
    int size;
    signal(SIGABRT, SIG_DFL);
    switch (how % 5) {
    case 0: // the destructor frees
        exit(0);
    case 1:
        MPI_Type_free(&t);
        _exit(0);
    case 2: // an error that is returned
        MPI_Comm_rank(MPI_COMM_NULL, &size);
        MPI_Type_contiguous(-1, MPI_INT, &t);
        _exit(0);
    case 3:
        MPI_Type_contiguous(3, MPI_INT, &t);
        MPI_Type_commit(&t);
        abort();
    default:
        raise(SIGKILL);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    home = getpid();
    int rank, n = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &kept); // never freed
    MPI_Type_commit(&kept);
    for (int i = 0; i < 100; i++) {
        pid_t pid = -1;
        int status;
        switch (i % 5) {
        case 0:
            if (!(pid = fork()))
                child(i / 5);
            break;
        case 1:
            if (!(pid = _Fork ? _Fork() : fork()))
                child(i / 5);
            break;
        case 2:
            if (!(pid = raw_clone()))
                child(i / 5);
            break;
        case 3:
            if (!(pid = vfork()))
                _exit(0);
            break;
        default: {
            char name[] = "/bin/true";
            char *args[] = {name, nullptr};
            if (posix_spawn(&pid, name, nullptr, nullptr, args, environ))
                return 1;
            if (i == 4 && system("true"))
                return 1;
        }
        }
        n += pid > 0 && waitpid(pid, &status, 0) == pid;
        int sent = i, got = -1;
        MPI_Sendrecv(&sent, 1, MPI_INT, rank, 0, &got, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    std::printf("rank %d: %d children\n", rank, n);
    MPI_Finalize();
    return 0;
}
