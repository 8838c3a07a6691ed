package preload

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Accessible and inaccessible buffers, and their data, without MPI and without an analyzer.
const reachProgram = `
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "overlap.h"
#include "polls.h"
#include "reach.h"
#include "signals.h"
#include "snapshot.h"
#include "tls.h"

_Thread_local struct mv_tls mv_tls __attribute__((tls_model("initial-exec")));
_Atomic int mv_faults = 1;
int mv_sums;
uint64_t mv_sum_limit;
static int handled;
int mv_faults_handled(void) { return handled; }
uint64_t mv_now(void) { return 1; }

/* Datatypes: 1 is an int, 2 is two ints 64 KiB apart, all others are unknown. */
static const int64_t apart[] = {8, 0x20000, 4, 0, 4, 0x10000};
struct mv_shape mv_shape_known(uint64_t type)
{
    if (type == 1)
        return (struct mv_shape){4, 4, {NULL, 0}};
    if (type == 2)
        return (struct mv_shape){8, 0x20000, {apart, 6}};
    return (struct mv_shape){0};
}

struct mv_shape mv_shape_of(uint64_t type) { return mv_shape_known(type); }

static unsigned char record[256];
static int told;
unsigned char *mv_info(struct mv_thread *t, unsigned kind, uint32_t site, size_t payload)
{
    (void)t, (void)kind, (void)site, (void)payload;
    return record;
}
void mv_info_end(struct mv_thread *t, unsigned char *r)
{
    (void)t, (void)r;
    told++;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    if (!mv_tls.probe)
        _exit(9);
    pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
    siglongjmp(*(sigjmp_buf *)mv_tls.probe, 1);
}

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("%s: %s\n", what, told ? "told" : "not told");
        exit(1);
    }
}

static struct mv_unreachable last;
static int look(const void *p, int64_t count, uint64_t type, int written)
{
    told = 0;
    mv_look(NULL, p, count, type, written);
    memcpy(&last, record + sizeof(struct mv_record), sizeof last);
    return told;
}

enum { PAGE = 4096 };

static struct mv_part part(const void *p, int64_t count, uint64_t type)
{
    return (struct mv_part){(uint64_t)(uintptr_t)p, count, mv_shape_known(type), 0};
}

static void accesses(void)
{
    static const int constant[4] = {1, 2, 3, 4};
    unsigned char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p + 2 * PAGE, PAGE);
    mprotect(p + PAGE, PAGE, PROT_READ);
    check(!look(p, 1024, 1, 1), "a page");
    check(!look(p, 2048, 1, 0), "two pages to read");
    check(look(p, 2048, 1, 1), "two pages to write");
    check(last.address == (uint64_t)(uintptr_t)(p + PAGE) && last.at == PAGE && last.mapped && last.written, "where");
    check(look(p + 4, 2048, 1, 0), "three pages to read");
    check(last.address == (uint64_t)(uintptr_t)(p + 2 * PAGE) && last.at == 2 * PAGE - 4 && !last.mapped &&
          !last.written, "where");
    check(!look(p, 2048, 77, 1), "an unknown datatype");
    check(!look(p + 2 * PAGE, 0, 1, 1), "nothing");
    check(!look(NULL, 4, 1, 1), "no address");
    check(!look(constant, 4, 1, 0), "a constant");
    check(look(constant, 4, 1, 1), "a constant to write");
    handled = 1;
    check(!look(p, 2048, 1, 1), "a handler");
    handled = 0;
    /* memory may be added */
    mprotect(p + PAGE, PAGE, PROT_READ | PROT_WRITE);
    check(!look(p, 2048, 1, 1), "two pages later");
    /* the stack grows */
    volatile uintptr_t here = (uintptr_t)&p;
    check(!look((void *)(here - (4 << 20)), 1 << 18, 1, 1), "the stack");
    check(look((void *)(here - ((uintptr_t)1 << 30)), 1, 1, 1), "beyond the stack");
    /* gaps may have no memory */
    p = mmap(NULL, 0x20000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p + PAGE, PAGE);
    check(!look(p, 1, 2, 1), "a gap");
    munmap(p + 0x10000, PAGE);
    look((void *)(here - ((uintptr_t)1 << 30)), 1, 1, 1); /* makes it read the memory map again */
    check(look(p, 1, 2, 0) && last.at == 4 && last.address == (uint64_t)(uintptr_t)(p + 0x10000), "a hole");
}

/* A buffer that is sent and then received into is looked up once each, at any address. */
static void turns(void)
{
    unsigned char *p = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    look(p, 64 * PAGE / 4, 1, 1); /* makes it read the memory map again */
    for (unsigned i = 0; i < 63 * PAGE; i += 16) {
        look(p + i, 2, 1, 0);
        look(p + i, 2, 1, 1);
        for (int written = 0; written < 2; written++) {
            const uint64_t key = mv_reach_key(p + i, 2, 1, written);
            check(*mv_reach_slot(key) == key, "one drives out the other");
        }
    }
}

/* The sums of the blocks are the same if they are made from the end. */
static void from_the_end(const struct mv_part *q)
{
    struct mv_snapshot s, back;
    check(mv_snapshot_back(&back, q) == mv_snapshot(&s, q, UINT64_MAX) && back.blocks == s.blocks,
          "as much from the end");
    check(!memcmp(s.sum, back.sum, s.blocks * sizeof s.sum[0]) && mv_snapshot_sum(&s) == mv_snapshot_sum(&back),
          "the same from the end");
}

static void data(void)
{
    struct mv_snapshot s, same;
    struct mv_changed c;
    unsigned char *p = mmap(NULL, 0x200000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct mv_part q = part(p, 100, 1);
    memset(p, 3, 0x100000);
    check(mv_snapshot(&s, &q, UINT64_MAX) == 400 && !s.blocks, "few");
    check(!mv_snapshot_differs(&s, &q, &c), "the same");
    p[17]++, p[399]++;
    check(mv_snapshot_differs(&s, &q, &c) && c.exact && c.at == 17 && c.length == 383 && c.bytes == 400, "bytes");
    /* blocks depend neither on the address of the data, nor on the room after them */
    for (uint64_t n = 500; n < 0x80000; n += n / 3 * 4) {
        q = part(p, (int64_t)n / 4, 1);
        struct mv_part more = part(p, 0x80000, 1);
        check(mv_snapshot(&s, &q, UINT64_MAX) == n / 4 * 4 && s.blocks <= MV_SUM_BLOCKS, "many");
        check(mv_snapshot(&same, &more, n / 4 * 4) == s.bytes, "a part");
        check(!memcmp(s.sum, same.sum, s.blocks * sizeof s.sum[0]) && s.blocks == same.blocks, "a part's blocks");
        check(mv_snapshot_sum(&s) == mv_snapshot_sum(&same), "a part's sum");
        from_the_end(&q);
        p[n / 2]++;
        check(mv_snapshot_differs(&s, &q, &c) && c.at <= n / 2 && n / 2 < c.at + c.length &&
              c.bytes == s.bytes, "a block");
        check(!mv_snapshot_differs(&s, &(struct mv_part){.at = 1 << 20, .count = q.count, .shape = q.shape}, &c),
              "nowhere");
    }
    /* with gaps */
    q = part(p, 8, 2);
    memset(p, 1, 0x100000);
    check(mv_snapshot(&s, &q, UINT64_MAX) == 64, "parts");
    memset(p + 4, 2, 0x10000 - 4);
    check(!mv_snapshot_differs(&s, &q, &c), "a gap");
    p[0x30003] = 0;
    check(mv_snapshot_differs(&s, &q, &c) && c.at == 15 && c.length == 1, "an element");
    for (unsigned i = 0; i < 0x100000; i++)
        p[i] = (unsigned char)(i * 2654435761u >> 24);
    q = part(p, 1000, 2);
    from_the_end(&q);
    static const int64_t halves[] = {120000, 200000, 60000, 0, 60000, 100000}; /* longer than a block, not a multiple */
    q = (struct mv_part){(uint64_t)(uintptr_t)p, 4, {halves[0], halves[1], {halves, 6}}, 0};
    check(mv_snapshot(&s, &q, UINT64_MAX) == 480000, "long parts");
    from_the_end(&q);
    /* samples */
    mv_sum_limit = 64 * 64;
    q = part(p, 0x40000, 1);
    check(mv_snapshot(&s, &q, UINT64_MAX) == 0x100000 && s.blocks == 64, "a sample");
    from_the_end(&q);
    p[0x4000 + 64]++;
    check(!mv_snapshot_differs(&s, &q, &c), "beside the sample");
    p[0x4000 + 63]++;
    check(mv_snapshot_differs(&s, &q, &c) && c.at == 0x4000 && c.length == 0x4000, "in the sample");
    q = part(p, 1024, 1);
    check(mv_snapshot(&s, &q, UINT64_MAX) == 4096, "no sample");
    p[4095]++;
    check(mv_snapshot_differs(&s, &q, &c), "all of it");
    mv_sum_limit = 0;
    /* unreadable memory */
    munmap(p + 0x10000, 0x10000);
    q = part(p, 0x10000, 1);
    check(!mv_snapshot(&s, &q, UINT64_MAX) && !mv_snapshot_differs(&s, &q, &c) && !mv_tls.probe, "unmapped");
    check(!mv_snapshot_back(&s, &q) && !mv_tls.probe, "unmapped, from the end");
    q = part(p, 8, 2);
    check(!mv_snapshot(&s, &q, UINT64_MAX), "few unmapped");
    check(mv_snapshot(&s, &q, 4) == 4, "before the unmapped");
    q = part((void *)16, 4, 1);
    check(!mv_snapshot(&s, &q, UINT64_MAX), "no address");
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    check(!sigismember(&now, SIGUSR1), "signals");
}

/* Copies of columns of 4 bytes, 16 bytes apart. */
static struct mv_part column(uint64_t at, int64_t n)
{
    static const int64_t program[] = {4, 16, 4, 0};
    return (struct mv_part){at, n, {4, 16, {program, 4}}, 0};
}

static void overlaps(void)
{
    struct mv_part a = column(0x10000, 100), b, c;
    for (int again = 0; again < 2; again++)
        for (uint64_t at = 0x10000 - 16 * 100 - 40; at < 0x10000 + 16 * 100 + 40; at++) {
            const int64_t d = (int64_t)(at - 0x10000), m = (d % 16 + 16) % 16;
            b = column(at, 100);
            check(mv_parts_overlap(&a, &b) == ((m < 4 || m > 12) && d > -16 * 99 - 4 && d < 16 * 99 + 4), "columns");
            c = part((void *)(uintptr_t)at, 3, 1);
            check(mv_parts_overlap(&a, &c) == (d > -12 && d < 16 * 99 + 4 && !(m >= 4 && m + 12 <= 16)),
                  "a column and a row");
            check(mv_parts_overlap(&c, &a) == mv_parts_overlap(&a, &c), "a row and a column");
        }
    a = column(0x10000, 1 << 20);
    b = column(0x10004, 1 << 20);
    check(mv_parts_overlap(&a, &b), "too much to tell");
}

int main(void)
{
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigfillset(&a.sa_mask);
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGBUS, &a, NULL);
    accesses();
    turns();
    data();
    overlaps();
    puts("ok");
    return 0;
}
`

func TestReach(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) { // for its compiler
		program := filepath.Join(t.TempDir(), "program")
		flags := []string{"-O2", "-std=gnu11", "-pthread", "-I" + m.sources}
		for _, unit := range []string{"device", "hash", "layout", "maps", "overlap", "part", "reach", "snapshot"} {
			flags = append(flags, filepath.Join(m.sources, unit+".c"))
		}
		if err := m.compile(program, reachProgram, append(flags, "-ldl")...); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "ok" {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
