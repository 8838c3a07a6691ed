/*
 * What handles stand for, for debuggers: struct mv_kept in record.h. When a call has made an object, a copy of its
 * record is kept, with the stack of the call and references to the objects that it got. The functions here run when
 * objects are made and freed. They take a lock for a moment, and preserve errno.
 */
#ifndef MPIVET_KEPT_H
#define MPIVET_KEPT_H

#include "ring.h"

/* A handle that a call gets. A list of them ends with kind 0. */
struct mv_input {
    uint8_t kind;   /* enum mv_name_kind */
    uint8_t array;  /* 1: an array; `at` is its parameter */
    uint16_t at;    /* place in the record's fixed part */
};

struct mv_making {
    unsigned kind; /* enum mv_name_kind */
    int shares;    /* 1: the call may return an object that exists already, with one more reference */
    int arrays; /* 1: mv_keep_begin was called */
    const struct mv_input *inputs;
};

/* Before a call that makes an object from arrays writes its record, and when it has returned: arrays that are too long
 * for the record are kept, too. */
void mv_keep_begin(struct mv_thread *t);
void mv_keep_end(struct mv_thread *t);

/* A call has made an object. r: its record; ra: its return address. */
void mv_keep(struct mv_thread *t, const unsigned char *r, uint64_t handle, const struct mv_making *m, uintptr_t ra);

/* A call has named an object, or set or deleted a key of an info object. r: its record. */
void mv_note(const unsigned char *r, uint64_t handle, unsigned kind);

/* An object was freed. The call need not be recorded. */
void mv_unkeep(uint64_t handle, unsigned kind);

#endif
