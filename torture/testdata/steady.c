/* Each rank makes one error. Then it works for the given number of milliseconds, and prints that it has reached its
 * end. Rank 0 also prints when all ranks work. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, sum = 0, stop = 0, rounds = 0;
    MPI_Init(&argc, &argv);
    double until = MPI_Wtime() + atoi(argv[1]) / 1000.0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(&value, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD); /* the error: this rank does not exist */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    while (!stop) {
        MPI_Request reqs[2];
        MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &reqs[0]);
        MPI_Isend(&rounds, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &reqs[1]);
        MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE);
        sum += value == rounds;
        rounds++;
        if (rounds == 1 && rank == 0) {
            printf("working\n");
            fflush(stdout);
        }
        stop = MPI_Wtime() > until;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
        struct timespec ms = {0, 200000};
        nanosleep(&ms, NULL);
    }
    printf("rank %d: %s\n", rank, sum == rounds ? "all right" : "wrong");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
