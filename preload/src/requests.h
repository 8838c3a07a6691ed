/*
 * The open requests of a thread, for debuggers: struct mv_open_requests in record.h. An entry is made when a call has
 * returned a request, and removed when the request is complete or freed.
 *
 * Each thread adds to its own table only. Any thread may remove an entry, or mark a persistent request as started or
 * complete. MPI forbids that two threads use one request at the same time, so no lock is needed.
 */
#ifndef MPIVET_REQUESTS_H
#define MPIVET_REQUESTS_H

#include "ring.h"

/* A call has made a request. r: its record; ra: its return address. */
void mv_request_made(struct mv_thread *t, const unsigned char *r, uint64_t request, int persistent, uintptr_t ra);

/* Persistent requests were started. requests: array of handles of that width. */
void mv_requests_started(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);

/* A copy of a list of requests, before MPI changes it. NULL if there is no memory. */
const uint64_t *mv_requests_listed(struct mv_thread *t, const void *requests, unsigned width, uint64_t n);

/* Which requests a call has completed, besides those whose handle is null now. */
struct mv_completed {
    int all;
    const int *indices; /* otherwise: their indices, or NULL */
    int n;
};

/* A call that completes or frees requests has returned. before: their handles before the call, or NULL. */
void mv_requests_after(struct mv_thread *t, const uint64_t *before, const void *requests, unsigned width, uint64_t n,
                       struct mv_completed c);

#endif
