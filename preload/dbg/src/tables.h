/* The tables of a process (struct mv_debug), as far as this library needs them. */
#ifndef MPIVET_TABLES_H
#define MPIVET_TABLES_H

#include "functions.h"
#include "target.h"

/* A communicator. */
struct comm {
    uint64_t at;     /* address of its struct mv_object; 0: it is not in the table, only its handle is known */
    uint64_t serial, handle, id;
    int32_t rank, size, remote_size;
    uint32_t runs, remote_runs;
    struct mv_run run[MV_OBJECT_RUNS];
    char name[64];
};

/* A message or collective that is not complete. */
struct operation {
    uint64_t at;     /* address of a struct mv_open_request, or of a struct mv_debug_thread */
    uint64_t comm;   /* handle */
    uint32_t tid;    /* of the thread that has called the function */
    uint8_t acts;    /* SENDS, RECEIVES or COLLECTIVE: one of them */
    uint8_t kind;    /* of a collective */
    uint8_t request; /* 1: `at` is that of a request */
};

/* A message that has arrived, or is on its way, and for which there is no receive. */
struct unexpected {
    uint64_t comm;
    int32_t source, tag, world;
    uint32_t function;
    int64_t bytes;
    uint64_t beat;
};

struct _mqs_process_info {
    struct target target;
    mqs_image *image;
    mqs_find_symbol_ft find_symbol;
    uint64_t debug; /* address of mpivet_debug; 0: not found yet */
    unsigned char head[sizeof(struct mv_debug)];
    char message[512];

    /* As of the last update. */
    unsigned char *names; /* the list of names */
    size_t names_size;
    struct list comms; /* struct comm */
    int comms_error;
    struct list operations; /* struct operation */
    int operations_error;
    uint64_t present; /* time, 0: unknown */
    int updated;

    /* The iterators. */
    size_t comm;
    int class; /* mqs_op_class, -1: none */
    size_t next;
    struct list unexpected; /* struct unexpected */
};

typedef struct _mqs_process_info tables;

#define HEAD(p, member) MEMBER(&(p)->target, (p)->head, struct mv_debug, member)

/* Reads mpivet_debug, and returns what is wrong with it. */
int dbg_read_head(tables *);
/* Reads all tables. */
int dbg_update(tables *);
void dbg_forget(tables *);
/* Reads the messages that the analyzer tells. */
int dbg_read_unexpected(tables *);

/* The call that a record describes. */
struct call {
    const struct function *function; /* NULL: none that this library needs */
    const unsigned char *record;
    size_t size;
};

/* Decodes a record of which `size` bytes are known. Returns 0 if it makes no sense. */
int dbg_decode(const tables *, const unsigned char *record, size_t size, struct call *);
/* The argument at an offset of the record, 0 if it is not there. */
uint64_t dbg_argument(const tables *, const struct call *, unsigned offset, size_t size);

/* Whether a thread, of which h is the struct mv_debug_thread, is in the call of `now`. The record of a poll lies
 * elsewhere. */
int dbg_in_call(const tables *, const unsigned char *h);

/* Looks a value up in the list of names. Returns 0 if it is not there. `name` has 64 bytes. */
int dbg_name(const tables *, int kind, uint64_t value, char *name, int32_t *size);
/* The value of a constant. */
int64_t dbg_constant(const tables *, const char *name, int64_t otherwise);

/* The world rank of a member of the group that messages on the communicator go to, -1: unknown. */
int dbg_world_rank(const struct comm *, int64_t rank, int local);

#endif
