/* What the library knows of MPI functions. functions.c is generated from the API table. */
#ifndef MPIVET_FUNCTIONS_H
#define MPIVET_FUNCTIONS_H

#include <stdint.h>

#include "mqs.h"
#include "record.h"

enum {
    SENDS = 1,
    RECEIVES = 2,
    BLOCKS = 4,     /* the message is under way only as long as the call is */
    COLLECTIVE = 8, /* makes a request of a collective */
};

/* Offsets of arguments in a record; 0: the function does not have the argument. */
struct side {
    uint16_t buffer, count, type, peer, tag;
    uint16_t wide; /* 1: the count has 8 bytes, else 4 */
};

struct function {
    const char *name;    /* NULL: the function is not needed here */
    uint16_t fixed;      /* length of the fixed part of its record */
    uint16_t comm;       /* offset of the communicator, 0: none */
    uint16_t partitions; /* offset of the number of partitions, 0: none */
    uint8_t acts;
    uint8_t kind;        /* COLLECTIVE: enum mv_collective; of a persistent one, the kind of its starts */
    struct side send, receive;
};

struct kind {
    const char *name;
    int on_comm; /* calls are counted on a communicator */
};

/* By the function's number. */
extern const struct function dbg_functions[];
extern const unsigned dbg_function_count;
/* By enum mv_collective. */
extern const struct kind dbg_kinds[];
extern const unsigned dbg_kind_count;
/* By enum mqs_comm_class. */
extern const unsigned char dbg_kind_of_class[];
/* The API table that all of this was made from. */
extern const uint64_t dbg_table_hash;

#endif
