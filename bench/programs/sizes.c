/* Ways to communicate, each with messages of several sizes: sizes SECONDS WAY... Prints a line "way bytes seconds" for
 * each. The ways are from the Intel MPI Benchmarks. Ohly and Krotz-Vogel measured their checker with them. */
#include "measure.h"

#include <string.h>

static int rank, ranks, size, *counts, *displs;
static char *in, *out;

/* Half a round trip. */
static void pingpong(long n)
{
    for (long i = 0; i < n; i++)
        if (rank == i % 2)
            MPI_Send(out, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
        else if (rank < 2)
            MPI_Recv(in, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both ranks send at the same time. */
static void pingping(long n)
{
    for (long i = 0; i < n && rank < 2; i++) {
        MPI_Request request;
        MPI_Isend(out, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(in, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Around a ring. */
static void sendrecv(long n)
{
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    for (long i = 0; i < n; i++)
        MPI_Sendrecv(out, size, MPI_BYTE, to, 0, in, size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* From each rank in turn. */
static void bcast(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Bcast(out, size, MPI_BYTE, (int)(i % ranks), MPI_COMM_WORLD);
}

static void allgatherv(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Allgatherv(out, size, MPI_BYTE, in, counts, displs, MPI_BYTE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(long n);
    } ways[] = {{"pingpong", pingpong}, {"pingping", pingping}, {"sendrecv", sendrecv}, {"bcast", bcast},
                {"allgatherv", allgatherv}};
    static const int sizes[] = {1, 64, 1 << 10, 16 << 10, 256 << 10, 4 << 20};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc(ranks, 4 << 20);
    out = calloc(1, 4 << 20);
    counts = calloc(ranks, sizeof *counts);
    displs = calloc(ranks, sizeof *displs);
    for (int a = 2; a < argc; a++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            if (strcmp(argv[a], ways[w].name))
                continue;
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                size = sizes[i];
                for (int k = 0; k < ranks; k++) {
                    counts[k] = size;
                    displs[k] = k * size;
                }
                double seconds = measure(ways[w].work, atof(argv[1]));
                if (rank == 0)
                    printf("%s %d %.4g\n", ways[w].name, size, seconds);
            }
        }
    free(in);
    free(out);
    free(counts);
    free(displs);
    MPI_Finalize();
    return 0;
}
