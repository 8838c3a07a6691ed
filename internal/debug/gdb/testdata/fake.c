/* A program that looks to a debugger like an MPI program under mpivet. fake_test.go plays the inspector. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mv_debug {
    uint64_t magic;
    uint32_t version, header_size;
    uint64_t rest[30];
    char program[256];
};

#ifndef PLAIN
struct mv_debug mpivet_debug = {0x314742444356504dULL, 6, sizeof(struct mv_debug), {0}, {0}};
int ompi_datatype_f_to_c_table;
#endif

#ifdef OPENMPI
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_request_t *MPI_Request;
struct ompi_status_public_t {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, _cancelled;
    size_t _ucount;
};
typedef struct ompi_status_public_t MPI_Status;
#else
typedef int MPI_Datatype;
typedef int MPI_Comm;
typedef int MPI_Request;
typedef struct MPI_Status {
    int count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;
#endif
typedef struct ADIOI_FileD *MPI_File;
struct mpi_comm { /* as in Fortran */
    int MPI_VAL;
};

struct particle {
    MPI_Datatype type;
    MPI_Comm comm;
};

int MPI_Send(const void *buf, int count, MPI_Datatype type);

int main(int argc, char **argv) {
    (void)argc;
#ifndef PLAIN
    char *inspector = getenv("FAKE_PROGRAM");
    if (inspector) strncpy(mpivet_debug.program, inspector, sizeof mpivet_debug.program - 1);
#endif
    const MPI_Datatype structure = (MPI_Datatype)(intptr_t)0x8c000001;
    MPI_Datatype big = (MPI_Datatype)(intptr_t)0x8c000002, freed = (MPI_Datatype)(intptr_t)0x8c000003;
    MPI_Comm comm = (MPI_Comm)(intptr_t)0x44000000;
    MPI_Comm *where = &comm;
    MPI_Request requests[2] = {(MPI_Request)(intptr_t)1, (MPI_Request)(intptr_t)2};
    struct mpi_comm fortran = {5};
    MPI_Status status = {0};
    MPI_File file = (MPI_File)(intptr_t)0x555500001230;
    struct particle p = {structure, comm};
    int field[8] = {1, 2, 3}, plain = 5;
    void *buffer = field;
    const char *text = argv[0];
    MPI_Send(buffer, 8, structure);
    printf("%p %p %p %p %p %d %p %p %d %p %p %d\n", (void *)&structure, (void *)&big, (void *)&freed, (void *)where,
           (void *)requests, fortran.MPI_VAL, (void *)&status, (void *)&file, p.type == structure, buffer,
           (void *)text, plain);
    return 0;
}
