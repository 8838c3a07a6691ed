/*
 * Strict mode: a collective call is recorded, and then held until the analyzer has compared it with those of the other
 * members. What breaks the standard does not enter MPI: it returns an error, as the program's error handler wants it.
 *
 * Only then do these functions stand between the wrappers and the real ones (mv_bind_between); otherwise they are never
 * called.
 *
 * A call that is held is not inside MPI, but MPI must get on all the same: others may wait for a message of this process
 * to be sent or received before they can come to the collective, and get it where the call waits in MPI. So it looks
 * now and then whether a request of the library's own is complete, which it never is.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi_objects.h"

/* Rounds of waiting that only look, and then of those that leave the processor to others in between. */
#define LOOKS 100
#define YIELDS 200
/* Sleeps, in ns. */
#define SHORTEST 50000
#define LONGEST 1000000
#define LIFE_CHECK 100000000

static void ask(struct mv_control *c)
{
    atomic_fetch_add((_Atomic uint32_t *)&c->asked, 1);
    if (atomic_load((_Atomic uint32_t *)&c->asleep))
        syscall(SYS_futex, &c->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* A request that stays active, made when it is first needed. */
static MPI_Request never;
static int never_made;
static atomic_flag never_busy = ATOMIC_FLAG_INIT;

/* There has been a communicator: before that MPI has nothing to get on with, and MPICH 4.0.2 crashes when it is tested in
 * a session. */
static _Atomic int communicators;

void mv_strict_begin(void) { atomic_store_explicit(&communicators, 1, memory_order_relaxed); }

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

/* Lets MPI get on, which it does in a test for what is not complete (section 3.7.4). A probe would not do: those of MPICH
 * only look. One thread is enough. */
static void progress(struct mv_thread *t)
{
    int flag;
    if (!atomic_load_explicit(&communicators, memory_order_relaxed))
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

/* Before MPI_Finalize or the end of the last session, which want no request left. again: MPI may be used later. */
void mv_strict_end(int again)
{
    atomic_store(&communicators, 0);
    if (never_made <= 0)
        return;
    MV_PMPI(MPI_Grequest_complete)(never);
    MV_PMPI(MPI_Wait)(&never, MPI_STATUS_IGNORE);
    never_made = again ? 0 : -1;
}

/* Waits for the verdict on a call, until it is there or none will come. */
static void await(struct mv_thread *t, struct mv_ring *ring, uint64_t number)
{
    struct mv_control *c = mv_g.control;
    _Atomic uint64_t *judged = (_Atomic uint64_t *)&ring->judged;
    _Atomic uint32_t *holding = (_Atomic uint32_t *)&ring->holding;
    uint64_t checked = 0;
    long sleep = SHORTEST;
    for (unsigned round = 0;; round++) {
        uint64_t seen = atomic_load_explicit(judged, memory_order_acquire);
        if (seen == number || seen == MV_UNJUDGED)
            return;
        if (atomic_load(&mv_g.inert) || atomic_load_explicit((_Atomic uint32_t *)&c->stop, memory_order_relaxed) ||
            !atomic_load_explicit((_Atomic uint32_t *)&c->strict, memory_order_relaxed))
            return;
        if (round == 0)
            ask(c);
        if (round < LOOKS) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
            continue;
        }
        progress(t);
        if (round < LOOKS + YIELDS) {
            sched_yield();
            continue;
        }
        struct timespec ts = {0, sleep};
        atomic_store(holding, 1);
        if (atomic_load(judged) == seen) /* the low half comes first: all is little endian */
            syscall(SYS_futex, judged, FUTEX_WAIT, (uint32_t)seen, &ts, NULL, 0);
        atomic_store(holding, 0);
        if (sleep < LONGEST)
            sleep += sleep / 4;
        uint64_t now = mv_now();
        if (!checked) {
            checked = now;
        } else if (now - checked > LIFE_CHECK) {
            checked = now;
            if (mv_analyzer_gone()) {
                mv_go_inert(t);
                return;
            }
        }
    }
}

/* The error code for calls that a check refuses, made when it is first needed. */
static int error_code(const char *why)
{
    static struct {
        char why[sizeof((struct mv_ring *)0)->why];
        int code;
    } made[32];
    static int n, class;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char text[sizeof made[0].why + 32];
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
            MV_PMPI(MPI_Add_error_string)(class, "mpivet: a collective operation breaks the MPI standard: see the report");
        snprintf(text, sizeof text, "mpivet: %s: see the report", why);
        MV_PMPI(MPI_Add_error_string)(code, text);
        strcpy(made[n].why, why);
        made[n++].code = code;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* Tells the analyzer and the program's error handler of a call that is refused. Returns the error code, if the handler
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

/* Holds the call of function `kind` that this thread has recorded. MPI_SUCCESS: it may enter MPI. Else it must not, and
 * returns that error; the handler has been told. */
int mv_hold(unsigned kind)
{
    struct mv_thread *t = mv_tls.mine;
    /* Calls that MPI or an error handler makes are not the program's: they have no record. */
    if (!t || !t->again || t->refused || !t->record || ((const struct mv_record *)t->record)->kind != kind || !mv_mpi_open())
        return MPI_SUCCESS;
    struct mv_ring *ring = t->ring;
    const uint64_t number = t->done + 1;
    int e = errno;
    await(t, ring, number);
    errno = e;
    if (!t->again || ring->judged != number || ring->refused == MV_GO_ON)
        return MPI_SUCCESS;
    return refuse(t, ring);
}

/* Requests that may be of nonblocking collectives: a set of hashes of handles, so that waits for others need not ask. */
#define MARKS 4096
static _Atomic uint8_t marks[MARKS];

static _Atomic uint8_t *mark_of(MPI_Request r) { return &marks[(MV_HANDLE(r) * 0x9e3779b97f4a7c15ULL) >> 52]; }
_Static_assert(MARKS == 1 << 12, "mark_of gives 12 bits");

/* Takes note of the request of a nonblocking collective. */
void mv_mark(const MPI_Request *request)
{
    if (request)
        atomic_store_explicit(mark_of(*request), 1, memory_order_relaxed);
}

/* Holds a call that may complete nonblocking collectives. waits: it completes all of its requests, so that it may be held
 * until all collectives among them are judged; a call that does not returns at once, with an error if there is one known. */
int mv_hold_completion(unsigned kind, const MPI_Request *list, uint64_t n, int waits)
{
    int marked = 0;
    if (!list || (!waits && !atomic_load_explicit((_Atomic uint32_t *)&mv_g.control->refusals, memory_order_relaxed)))
        return MPI_SUCCESS;
    for (uint64_t i = 0; i < n; i++)
        marked |= atomic_load_explicit(mark_of(list[i]), memory_order_relaxed);
    if (!marked)
        return MPI_SUCCESS;
    int code = mv_hold(kind);
    /* Handles are used again, by operations that are no collectives. */
    if (waits && code == MPI_SUCCESS)
        for (uint64_t i = 0; i < n; i++)
            atomic_store_explicit(mark_of(list[i]), 0, memory_order_relaxed);
    return code;
}
