/* Each rank prints its timer slack, and the default one, which 0 sets. */
#include <mpi.h>
#include <stdio.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0);
    printf("%d %d\n", slack, prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
    MPI_Finalize();
    return 0;
}
