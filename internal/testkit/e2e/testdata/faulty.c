/* A faulty MPI: it stands between the program and the real one, and damages a byte of the data that a call has
 * delivered. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

/* The byte that the next of these calls damages, NULL if there is none. */
unsigned char *damage;

static int done(int rc)
{
    if (damage)
        *damage ^= 4;
    damage = NULL;
    return rc;
}

#define FAULTY(name, parameters, arguments)                                                                            \
    int name parameters                                                                                                \
    {                                                                                                                  \
        static int(*real) parameters;                                                                                  \
        if (!real)                                                                                                     \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        return done(real arguments);                                                                                   \
    }

FAULTY(PMPI_Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
FAULTY(PMPI_Gather, (const void *b, int n, MPI_Datatype t, void *d, int m, MPI_Datatype u, int root, MPI_Comm c),
       (b, n, t, d, m, u, root, c))
FAULTY(PMPI_Gatherv, (const void *b, int n, MPI_Datatype t, void *d, const int *m, const int *at,
                      MPI_Datatype u, int root, MPI_Comm c),
       (b, n, t, d, m, at, u, root, c))
FAULTY(PMPI_Scatter, (const void *b, int n, MPI_Datatype t, void *d, int m, MPI_Datatype u, int root, MPI_Comm c),
       (b, n, t, d, m, u, root, c))
FAULTY(PMPI_Allgather, (const void *b, int n, MPI_Datatype t, void *d, int m, MPI_Datatype u, MPI_Comm c),
       (b, n, t, d, m, u, c))
FAULTY(PMPI_Alltoallv,
       (const void *b, const int *n, const int *from, MPI_Datatype t, void *d, const int *m, const int *at,
        MPI_Datatype u, MPI_Comm c),
       (b, n, from, t, d, m, at, u, c))
FAULTY(PMPI_Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s),
       (b, n, t, from, tag, c, s))
FAULTY(PMPI_Sendrecv,
       (const void *b, int n, MPI_Datatype t, int to, int tag, void *d, int m, MPI_Datatype u, int from,
        int other, MPI_Comm c, MPI_Status *s),
       (b, n, t, to, tag, d, m, u, from, other, c, s))
FAULTY(PMPI_Sendrecv_replace, (void *b, int n, MPI_Datatype t, int to, int tag, int from, int other,
                               MPI_Comm c, MPI_Status *s),
       (b, n, t, to, tag, from, other, c, s))
FAULTY(PMPI_Mrecv, (void *b, int n, MPI_Datatype t, MPI_Message * m, MPI_Status *s), (b, n, t, m, s))
FAULTY(PMPI_Wait, (MPI_Request * r, MPI_Status *s), (r, s))
FAULTY(PMPI_Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
FAULTY(PMPI_Waitany, (int n, MPI_Request *r, int *i, MPI_Status *s), (n, r, i, s))
FAULTY(PMPI_Waitsome, (int n, MPI_Request *r, int *m, int *i, MPI_Status *s), (n, r, m, i, s))

/* Tests damage something only if they complete something. */
#define FAULTY_TEST(name, parameters, arguments, flag)                                                                 \
    int name parameters                                                                                                \
    {                                                                                                                  \
        static int(*real) parameters;                                                                                  \
        if (!real)                                                                                                     \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        int rc = real arguments;                                                                                       \
        return flag ? done(rc) : rc;                                                                                   \
    }

FAULTY_TEST(PMPI_Test, (MPI_Request * r, int *f, MPI_Status *s), (r, f, s), *f)
FAULTY_TEST(PMPI_Testall, (int n, MPI_Request *r, int *f, MPI_Status *s), (n, r, f, s), *f)
FAULTY_TEST(PMPI_Testany, (int n, MPI_Request *r, int *i, int *f, MPI_Status *s), (n, r, i, f, s), *f)
FAULTY_TEST(PMPI_Testsome, (int n, MPI_Request *r, int *m, int *i, MPI_Status *s), (n, r, m, i, s), *m > 0)
FAULTY_TEST(PMPI_Request_get_status, (MPI_Request r, int *f, MPI_Status *s), (r, f, s), *f)
