/* Blocking calls that send or receive a message, or do both. */
#ifndef MPIVET_MESSAGE_H
#define MPIVET_MESSAGE_H

#include "pending.h"
#include "snapshot.h"
#include "sums.h"

struct mv_message {
    struct mv_part send, recv;
    int sends, receives;
    enum {
        MV_NEVER,
        MV_BEFORE,
        MV_AFTER,
        MV_BOTH
    } when;     /* when the sent data are looked at, relative to the real function's call */
    int shared; /* another operation reads or writes the memory for the received data */
    struct mv_snapshot sent;
};

/* When MPI_Init is entered, and when it returns. */
void mv_threads_before(void);
void mv_threads_after(void);

/* Before the real function is called. send and recv may be the same buffer; NULL: the call does not send, or
 * receive. */
void mv_message_begin(struct mv_thread *t, struct mv_message *m, const struct mv_buffered *send,
                      const struct mv_buffered *recv);

/* When the real function has returned rc. bytes: received; -1 if that is not known. */
void mv_message_end(struct mv_thread *t, struct mv_message *m, int rc, int64_t bytes);

#endif
