/* Access to the memory of the process, through the debugger. Nothing that is read there is trusted. */
#ifndef MPIVET_TARGET_H
#define MPIVET_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "mqs.h"

/* Results of this library, in addition to mqs_ok and so on. The order is that of the texts in target.c. */
enum {
    err_first = mqs_first_user_code,
    err_setup = err_first,
    err_memory,
    err_no_communicator,
    err_no_operations,
    err_bad_class,
    err_no_mpivet,
    err_not_yet,
    err_damaged,
    err_other_version,
    err_other_table,
    err_objects,
    err_threads,
    err_threads_circle,
    err_requests,
    err_record,
    err_too_many,
    err_told,
    err_end,
};

const char *dbg_error_text(int code);

struct target {
    mqs_process *process;
    const mqs_process_callbacks *calls;
};

/* The debugger's functions for memory of this library. */
void dbg_use_memory(mqs_malloc_ft, mqs_free_ft);
void *dbg_malloc(size_t size);
void dbg_free(void *);

/* A list of elements of one size that grows. */
struct list {
    void *at;
    size_t count, room;
};

/* Returns room for another element, filled with zeros; NULL: there is no memory, or the list has `most` elements. */
void *dbg_append(struct list *, size_t size, size_t most);
void dbg_clear(struct list *);

/* Reads memory of the process. Returns 1, or 0 if it cannot be read. */
int dbg_fetch(const struct target *, uint64_t address, size_t size, void *to);
/* The number of `size` bytes (1, 2, 4, 8) at `from`, which was read from the process. */
uint64_t dbg_number(const struct target *, const void *from, size_t size);

/* A member of a struct whose bytes were read from the process. */
#define MEMBER(target, bytes, type, member) \
    dbg_number(target, (const unsigned char *)(bytes) + offsetof(type, member), sizeof(((type *)0)->member))

/* Copies text of the process, up to a zero, into `room` bytes. Characters that cannot be printed become '?'. */
void dbg_text(char *to, size_t room, const void *from, size_t size);

#endif
