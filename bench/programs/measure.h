/* Common code of the benchmark programs: measure() repeats a piece of work for some time and returns the time of one
 * repetition in seconds: the median over batches of some milliseconds each. All ranks must call it. Rank 0 decides on
 * the number of repetitions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_BATCHES = 100000 };

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double measure(void (*work)(long n), double seconds)
{
    static double took[MAX_BATCHES];
    const double enough = 0.01; /* seconds of a batch */
    double begin = MPI_Wtime(), start, t;
    long n = 1, batches = 0;
    for (;;) {
        MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        if (n == 0)
            break;
        start = MPI_Wtime();
        work(n);
        t = MPI_Wtime() - start;
        if (t < enough && batches == 0) {
            n *= 2; /* find the size of a batch, and warm up */
            continue;
        }
        took[batches++] = t / n;
        if (batches == MAX_BATCHES || MPI_Wtime() - begin > seconds)
            n = 0;
    }
    if (batches == 0)
        return 0;
    qsort(took, batches, sizeof took[0], compare_doubles);
    return took[batches / 2];
}
