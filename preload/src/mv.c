/* How a thread begins to record: at its first MPI call, it takes over the ring of a thread that has ended, or gets a
 * new one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "mv.h"
#include "objects.h"

#define MV_MAY_LOCK /* at the begin and the end of a thread */
#include "rules.h"

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int key_made;

/* The rings of threads that have ended. Read and written with the lock, once at the beginning and at the end of a
 * thread. */
static struct mv_thread *spare;
static atomic_flag spare_lock = ATOMIC_FLAG_INIT;

static void lock_spare(void)
{
    while (atomic_flag_test_and_set_explicit(&spare_lock, memory_order_acquire))
        sched_yield();
}

static void unlock_spare(void) { atomic_flag_clear_explicit(&spare_lock, memory_order_release); }

/* Runs at the thread's end. Other destructors may still call MPI. They run in rounds, so this waits for the third
 * round. */
static void thread_ends(void *p)
{
    struct mv_thread *t = p;
    if (++mv_tls.ending < 3) {
        pthread_setspecific(key, t);
        return;
    }
    mv_tls.ready = NULL;
    mv_tls.mine = NULL;
    mv_tls.off = 1;
    t->debug.tid = 0;
    if (atomic_load(&mv_g.inert) || !*mv_home || !t->again || t->record)
        return;
    lock_spare();
    t->next_free = spare;
    spare = t;
    unlock_spare();
}

static void make_key(void) { key_made = pthread_key_create(&key, thread_ends) == 0; }

static void find_stack(struct mv_thread *t)
{
    pthread_attr_t a;
    void *low;
    size_t size;
    t->stack_low = t->stack_high = 0;
    if (pthread_getattr_np(pthread_self(), &a))
        return;
    if (!pthread_attr_getstack(&a, &low, &size)) {
        t->stack_low = (uintptr_t)low;
        t->stack_high = (uintptr_t)low + size;
    }
    pthread_attr_destroy(&a);
}

static struct mv_thread *take_spare(void)
{
    lock_spare();
    struct mv_thread *t = spare;
    if (t)
        spare = t->next_free;
    unlock_spare();
    if (t) {
        mv_ring_owned(t);
        t->quiet = t->refused = 0;
    }
    return t;
}

/* The state for a new thread, NULL if it is not recorded. The wrapper has called mv_start before. */
static MV_COLD struct mv_thread *begin(void)
{
    int e = errno;
    struct mv_thread *t = NULL;
    pthread_once(&key_once, make_key);
    mv_tls.off = 1;
    if (!atomic_load(&mv_g.inert) && key_made && mv_at_home()) {
        t = take_spare();
        if (!t) {
            t = mv_ring_new();
            if (!t)
                __atomic_fetch_add(&mv_g.control->unrecorded, 1, __ATOMIC_SEQ_CST);
        }
    }
    if (t) {
        find_stack(t);
        pthread_setspecific(key, t);
        mv_tls.mine = t;
        mv_tls.off = 0;
    }
    errno = e;
    return t;
}

MV_COLD struct mv_thread *mv_first(uintptr_t cfa)
{
    struct mv_thread *t = mv_tls.mine;
    if (mv_tls.off)
        return NULL;
    if (t && !*mv_home) {
        mv_tls.ready = NULL;
        mv_tls.off = 1;
        return NULL;
    }
    if (!t)
        return begin();
    if (!t->again)
        return NULL;
    /* The thread is inside a call. If the frame of that call does not exist any more, the call was left by longjmp or
     * an exception and will never return. */
    if (cfa < t->cfa || t->cfa < t->stack_low || cfa >= t->stack_high)
        return NULL;
    if (t->record) {
        if (t->borrowed)
            mv_poll_publish(t, 1);
        mv_collective_left(t, ((const struct mv_record *)t->record)->kind);
        mv_done_record(t, -1);
    }
    t->quiet = t->refused = 0;
    return t;
}
