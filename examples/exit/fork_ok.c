/* Children made by fork() end with exit() or _exit(), and one becomes another program. They are not ranks,
 * so they may end without MPI_Finalize. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(int how)
{
    int status = -1;
    pid_t pid;
    fflush(stdout); /* otherwise the child would print the buffered text again */
    pid = fork();
    if (pid == 0) {
        if (how == 0)
            _exit(10);
        if (how == 1)
            exit(11);
        execl("/bin/sh", "sh", "-c", "exit 12", (char *)NULL);
        _exit(99);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    int rank, s;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int how = 0; how < 3; how++)
        printf("rank %d: child %d ended with %d\n", rank, how, child(how));
    s = system("exit 13");
    printf("rank %d: system gives %d\n", rank, WEXITSTATUS(s));
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
