/* Findings in the process that they are about: see found.h. */
#include <errno.h>
#include <string.h>

#include "await.h"
#include "found.h"

#include "rules.h"

/* Not inlined, and not empty for the compiler: a debugger must be able to stop here and see the arguments. */
MV_EXPORT __attribute__((noinline)) void mpivet_finding(const char *check, const char *text)
{
    __asm__ volatile("" : : "r"(check), "r"(text) : "memory");
}

/* Calls the breakpoint for each new finding of the thread. Of many, the ring has the last ones. */
static void deliver(struct mv_thread *t)
{
    struct mv_ring *ring = t->ring;
    for (;;) {
        const uint64_t n = __atomic_load_n(&ring->found, __ATOMIC_ACQUIRE);
        if (t->found >= n)
            return;
        if (n - t->found > MV_FINDINGS)
            t->found = n - MV_FINDINGS;
        struct mv_finding f = ring->findings[t->found++ % MV_FINDINGS];
        f.check[sizeof f.check - 1] = f.text[sizeof f.text - 1] = 0;
        mpivet_finding(f.check, f.text);
    }
}

/* The analyzer publishes a finding before it lets the call go on. */
static int over(struct mv_thread *t, uint64_t passed, uint64_t number)
{
    deliver(t);
    return passed >= number || !__atomic_load_n(&mv_g.control->breaks, __ATOMIC_RELAXED);
}

MV_COLD void mv_found(struct mv_thread *t, uint64_t number)
{
    const int e = errno;
    if (!t->again || number == 1) /* not recorded any more, or a call without a record, before the first with one */
        return;
    if (t->waits) {
        mv_await(t, &t->ring->passed, number, over, NULL);
    } else {
        t->told = __atomic_load_n(&mv_g.control->found, __ATOMIC_ACQUIRE);
        deliver(t);
    }
    errno = e;
}
