/*
 * A call that is held is not inside MPI, but MPI must make progress nevertheless. Other processes may wait for a
 * message of this process before they can enter the collective. So the thread tests, now and then, a request of the
 * library's own, which is never complete.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "await.h"
#include "comm.h"
#include "errors.h"
#include "mpi_objects.h"
#include "mv.h"
#include "strict.h"
#include "world.h"

#define MV_MAY_FORMAT /* texts of errors */
#define MV_MAY_LOCK   /* while a call is held, or refused */
#include "rules.h"

/* A request that stays active. It is made when it is first needed, and used with the flag set. */
static MPI_Request never;
static int never_made; /* -1: it cannot be made */
static atomic_flag never_busy = ATOMIC_FLAG_INIT;

static int query(void *nothing, MPI_Status *status)
{
    (void)nothing;
    MV_PMPI(MPI_Status_set_elements)(status, MPI_BYTE, 0);
    MV_PMPI(MPI_Status_set_cancelled)(status, 0);
    return MPI_SUCCESS;
}

static int forget(void *nothing)
{
    (void)nothing;
    return MPI_SUCCESS;
}

static int cancel(void *nothing, int complete)
{
    (void)nothing;
    (void)complete;
    return MPI_SUCCESS;
}

/* Lets MPI make progress, as it does in a test of a request that is not complete (MPI standard, section 3.7.4). A probe
 * is not enough, since the probes of MPICH only look. One thread at a time is enough. */
static void progress(struct mv_thread *t)
{
    int flag;
    if (!mv_comm_made()) /* MPI has nothing to do, and MPICH 4.0.2 crashes if a request is tested in a session */
        return;
    if (atomic_flag_test_and_set_explicit(&never_busy, memory_order_acquire))
        return;
    int quiet = t->quiet;
    t->quiet = 1;
    if (!never_made)
        never_made = MV_PMPI(MPI_Grequest_start)(query, forget, cancel, NULL, &never) ? -1 : 1;
    if (never_made > 0)
        MV_PMPI(MPI_Test)(&never, &flag, MPI_STATUS_IGNORE);
    t->quiet = quiet;
    atomic_flag_clear_explicit(&never_busy, memory_order_release);
}

void mv_strict_end(int again)
{
    mv_comm_end();
    if (never_made <= 0)
        return;
    MV_PMPI(MPI_Grequest_complete)(never);
    MV_PMPI(MPI_Wait)(&never, MPI_STATUS_IGNORE);
    never_made = again ? 0 : -1;
}

/* Whether there is a verdict on a call, or whether it is certain that none will come. */
static int over(struct mv_thread *t, uint64_t judged, uint64_t number)
{
    (void)t;
    return judged == number || judged == MV_UNJUDGED || !__atomic_load_n(&mv_g.control->strict, __ATOMIC_RELAXED);
}

/* The error code for calls that are refused because of a finding, made when it is first needed. Its text is that of
 * the finding. Findings for which there is no room share the error class. */
static int error_code(const char *why)
{
    static struct {
        char why[sizeof((struct mv_ring *)0)->why];
        int code;
    } made[32];
    static int n, class;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char text[sizeof made[0].why + 8]; /* Open MPI takes 255 characters */
    int code = MPI_ERR_OTHER;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) {
        if (!strcmp(made[i].why, why)) {
            code = made[i].code;
            pthread_mutex_unlock(&lock);
            return code;
        }
    }
    if (n < (int)(sizeof made / sizeof made[0]) && (class || !MV_PMPI(MPI_Add_error_class)(&class)) &&
        !MV_PMPI(MPI_Add_error_code)(class, &code)) {
        if (n == 0)
            MV_PMPI(MPI_Add_error_string)
            (class, "mpivet: a collective operation breaks the MPI standard: see the report");
        snprintf(text, sizeof text, "mpivet: %s", why);
        MV_PMPI(MPI_Add_error_string)(code, text);
        strcpy(made[n].why, why);
        made[n++].code = code;
    } else if (class) {
        code = class;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* Publishes the error of a refused call, and calls the program's error handler. Returns the error code, if the handler
 * returns. */
static MV_COLD int refuse(struct mv_thread *t, const struct mv_ring *ring)
{
    char why[sizeof ring->why];
    memcpy(why, ring->why, sizeof why);
    why[sizeof why - 1] = 0;
    const uint32_t on = ring->refused;
    const uint64_t handle = ring->refused_on;
    t->quiet = 1;
    int code = error_code(why);
    t->quiet = 0;
    mv_error(t, code, MV_REFUSED | MV_RAISED); /* the handler may end the process */
    t->refused = 1;
    switch (on) {
    case MV_ON_WIN: {
        MPI_Win win;
        memcpy(&win, &handle, sizeof win);
        MV_PMPI(MPI_Win_call_errhandler)(win, code);
        break;
    }
    case MV_ON_FILE: {
        MPI_File file = MPI_FILE_NULL;
        if (handle)
            memcpy(&file, &handle, sizeof file);
        MV_PMPI(MPI_File_call_errhandler)(file, code);
        break;
    }
    default: {
        MPI_Comm comm = MPI_COMM_WORLD;
        if (handle)
            memcpy(&comm, &handle, sizeof comm);
        else if (mv_session_error(code))
            break;
        mv_call_errhandler(t, comm, code);
    }
    }
    return code;
}

int mv_hold(unsigned kind)
{
    struct mv_thread *t = mv_tls.mine;
    /* Calls by MPI or by an error handler have no record. */
    if (!t || !t->again || t->refused || !t->record || ((const struct mv_record *)t->record)->kind != kind ||
        !mv_mpi_open())
        return MPI_SUCCESS;
    struct mv_ring *ring = t->ring;
    const uint64_t number = t->done + 1;
    int e = errno;
    mv_await(t, &ring->judged, number, over, progress);
    errno = e;
    if (!t->again || ring->judged != number || ring->refused == MV_GO_ON)
        return MPI_SUCCESS;
    return refuse(t, ring);
}

/* Requests that may belong to nonblocking collectives: a set of hashes of handles. Waits for other requests then need
 * not ask. Any thread sets and clears a mark, in no particular order. A thread that completes a request has made it, or
 * learned of it from the thread that has. */
#define MARKS_BITS 12
static _Atomic uint8_t marks[1 << MARKS_BITS];

static _Atomic uint8_t *mark_of(MPI_Request r) { return &marks[mv_hash_bits(MV_HANDLE(r), MARKS_BITS)]; }

void mv_mark(const MPI_Request *request)
{
    if (request)
        atomic_store_explicit(mark_of(*request), 1, memory_order_relaxed);
}

int mv_hold_completion(unsigned kind, const MPI_Request *list, uint64_t n, int waits)
{
    int marked = 0;
    if (!list || (!waits && !__atomic_load_n(&mv_g.control->refusals, __ATOMIC_RELAXED)))
        return MPI_SUCCESS;
    for (uint64_t i = 0; i < n; i++)
        marked |= atomic_load_explicit(mark_of(list[i]), memory_order_relaxed);
    if (!marked)
        return MPI_SUCCESS;
    int code = mv_hold(kind);
    /* Handles are used again, for operations that are not collectives. */
    if (waits && code == MPI_SUCCESS)
        for (uint64_t i = 0; i < n; i++)
            atomic_store_explicit(mark_of(list[i]), 0, memory_order_relaxed);
    return code;
}
