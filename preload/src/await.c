/* A thread that waits for the analyzer. It first spins, as the answer usually comes at once. Then it sleeps. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "await.h"

#include "rules.h"

/* Rounds of waiting that only read the word; then rounds that also yield the processor to other threads. */
#define LOOKS 100
#define YIELDS 200
/* Sleeps, in ns. */
#define SHORTEST 50000
#define LONGEST 1000000
#define LIFE_CHECK 100000000

static void ask(struct mv_control *c)
{
    __atomic_fetch_add(&c->asked, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&c->asleep, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &c->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Sleeps until the word differs from what was seen, at most for some ns. */
static void doze(struct mv_ring *ring, uint64_t *word, uint64_t seen, long ns)
{
    struct timespec ts = {0, ns};
    __atomic_store_n(&ring->holding, 1, __ATOMIC_SEQ_CST);
    /* The futex is the low half, which is first in memory. */
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == seen)
        syscall(SYS_futex, word, FUTEX_WAIT, (uint32_t)seen, &ts, NULL, 0);
    __atomic_store_n(&ring->holding, 0, __ATOMIC_SEQ_CST);
}

void mv_await(struct mv_thread *t, uint64_t *word, uint64_t number,
              int (*over)(struct mv_thread *t, uint64_t seen, uint64_t number), void (*idle)(struct mv_thread *t))
{
    uint64_t checked = 0;
    long pause = SHORTEST;
    for (unsigned round = 0;; round++) {
        const uint64_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (over(t, seen, number) || mv_stopped())
            return;
        if (round == 0)
            ask(mv_g.control);
        if (round < LOOKS) {
            mv_pause();
            continue;
        }
        if (idle)
            idle(t);
        if (round < LOOKS + YIELDS) {
            sched_yield();
            continue;
        }
        doze(t->ring, word, seen, pause);
        if (pause < LONGEST)
            pause += pause / 4;
        const uint64_t now = mv_now();
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
