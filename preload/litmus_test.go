package preload

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// litmus has a thread that writes calls into a small ring with the library's own functions, and a thread that reads
// them as the analyzer does. A reader that sees a record or a result too early finds an old value there.
const litmus = `
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mv.h"

#define SIZE (1 << 12) /* bytes of the ring: records are overwritten soon */
#define CALLS 300000

static struct mv_control control;
struct mv_global mv_g;
_Atomic int mv_timed;
static struct mv_ring ring;
static _Alignas(64) unsigned char data[SIZE + 256]; /* the library maps the first pages again after the last ones */
static struct mv_thread me;

void mv_found(struct mv_thread *t, uint64_t number) { (void)t, (void)number; }

void mv_room(struct mv_thread *t, uint64_t len)
{
    while (t->head + len > t->limit) {
        t->limit = __atomic_load_n(&t->ring->tail, __ATOMIC_ACQUIRE) + t->size;
        sched_yield();
    }
}

static uint64_t value(uint64_t call, uint64_t at) { return (call << 16 | at) * 0x9e3779b97f4a7c15ULL; }

/* Calls have 1 to 4 lines. The last word is a result. */
static uint64_t length(uint64_t call) { return 64 * (1 + (call * 7 >> 2) % 4); }

static void *writer(void *arg)
{
    struct mv_thread *t = &me;
    for (uint64_t call = 1; call <= CALLS; call++) {
        const uint64_t len = length(call);
        unsigned char *r = mv_reserve(t, len);
        mv_head(r, 1, len, 0, (unsigned)len, 0);
        for (uint64_t at = 16; at < len - 8 && (unsigned)at < SIZE; at += 8) {
            uint64_t v = value(call, at);
            memcpy(data + ((t->head + at) & t->mask), &v, 8);
        }
        mv_publish(t, r, len, 0);
        uint64_t result = value(call, 1);
        memcpy(data + ((t->head - 8) & t->mask), &result, 8);
        mv_done(t, r, len, 0, 0);
    }
    return arg;
}

static void fail(const char *what, uint64_t call, uint64_t at)
{
    printf("%s: call %lu, byte %lu\n", what, (unsigned long)call, (unsigned long)at);
    exit(1);
}

static uint64_t word(uint64_t pos)
{
    uint64_t v;
    memcpy(&v, data + (pos & (SIZE - 1)), 8);
    return v;
}

int main(void)
{
    pthread_t thread;
    uint64_t pos = 0, call = 1;
    mv_g.control = &control;
    me.ring = &ring;
    me.data = data;
    me.size = me.limit = SIZE;
    me.mask = SIZE - 1;
    if (pthread_create(&thread, NULL, writer, NULL))
        return 2;
    while (call <= CALLS) {
        const uint64_t done = __atomic_load_n(&ring.done, __ATOMIC_ACQUIRE); /* in this order */
        const uint64_t head = __atomic_load_n(&ring.head, __ATOMIC_ACQUIRE);
        if (pos == head)
            sched_yield();
        while (pos < head) {
            const uint64_t len = length(call);
            if ((word(pos) >> 16 & 0xffff) * 64 != len)
                fail("another length", call, 0);
            for (uint64_t at = 16; at < len - 8; at += 8)
                if (word(pos + at) != value(call, at))
                    fail("another argument", call, at);
            if (call > done)
                break; /* it may be under way: its record must stay */
            if (word(pos + len - 8) != value(call, 1))
                fail("another result", call, len - 8);
            pos += len;
            call++;
        }
        __atomic_store_n(&ring.tail, pos, __ATOMIC_RELEASE);
    }
    pthread_join(thread, NULL);
    puts("ok");
    return 0;
}
`

// TestRingOrder: no record and no result becomes visible too early, and none is overwritten too early. The argument is
// in ring.h. Processors with a weak memory model, as arm64, would show a missing barrier.
func TestRingOrder(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) { // for its compiler
		program := filepath.Join(t.TempDir(), "program")
		if err := m.compile(program, litmus, "-O2", "-std=gnu11", "-pthread", "-I"+m.sources); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "ok" {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
