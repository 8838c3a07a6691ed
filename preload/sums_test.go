package preload

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The hash alone: it is the same for the same data in any pieces, different for other data, and reads only the data.
const hashProgram = `
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <time.h>

#define MPIVET_RULES_H /* rules only for the library */
#include "hash.c"
#include "layout.h"

enum { PAGE = 4096, MOST = 400 };

static uint64_t whole(const unsigned char *p, uint64_t n)
{
    struct mv_summing s;
    mv_sum_begin(&s);
    mv_sum_add(&s, p, n);
    return mv_sum_end(&s);
}

static uint64_t in_pieces(const unsigned char *p, uint64_t n)
{
    struct mv_summing s;
    mv_sum_begin(&s);
    for (uint64_t at = 0, k; at < n; at += k) {
        k = 1 + (uint64_t)rand() % (rand() % 2 ? 9 : 150);
        if (k > n - at)
            k = n - at;
        mv_sum_add(&s, p + at, k);
    }
    return mv_sum_end(&s);
}

static int visit(void *s, uint64_t at, uint64_t n)
{
    mv_sum_add(s, (const void *)(uintptr_t)at, n);
    return 0;
}

/* As n/8 pieces of 8 bytes, each 24 bytes after the one before. */
static uint64_t walked(const unsigned char *p, uint64_t n)
{
    static unsigned char memory[3 * MOST];
    int64_t program[] = {8, 24, 8, 0};
    struct mv_summing s;
    memset(memory, 0x55, sizeof memory);
    for (uint64_t i = 0; i < n; i += 8)
        memcpy(memory + 3 * i, p + i, 8);
    mv_sum_begin(&s);
    if (mv_layout_walk(program, 4, (uint64_t)(uintptr_t)memory, (int64_t)(n / 8), visit, &s))
        exit(3);
    return mv_sum_end(&s);
}

static void check(int ok, const char *what, uint64_t n)
{
    if (!ok) {
        printf("%s, %lu bytes\n", what, (unsigned long)n);
        exit(1);
    }
}

/* Prints how many bytes per second are summed up. Argument 2 is the number of bytes. */
static void measure(stripes_fn *how, size_t n)
{
    struct timespec a, b;
    unsigned char *p = malloc(n);
    uint64_t all = 0;
    memset(p, 1, n);
    atomic_store(&stripes, how);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (double s = 0; s < 0.3; all += n) {
        p[0] = (unsigned char)whole(p, n);
        clock_gettime(CLOCK_MONOTONIC, &b);
        s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    }
    printf("%.3g\n", (double)all / ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)));
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        measure(atoi(argv[1]) ? best() : stripes_anywhere, (size_t)atol(argv[2]));
        return 0;
    }
    unsigned char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page + PAGE, PAGE, PROT_NONE);
    for (int i = 0; i < PAGE; i++)
        page[i] = (unsigned char)(rand() >> 7);
    for (uint64_t n = 0; n <= MOST; n++) {
        unsigned char *p = page + PAGE - n; /* no byte after it may be read */
        uint64_t sum = whole(p, n);
        for (int i = 0; i < 20; i++)
            check(in_pieces(p, n) == sum, "another sum in pieces", n);
        if (n % 8 == 0)
            check(walked(p, n) == sum, "another sum with gaps", n);
        for (uint64_t bit = 0; bit < 8 * n; bit++) {
            p[bit / 8] ^= (unsigned char)(1 << bit % 8);
            check(whole(p, n) != sum, "the same sum with another bit", n);
            p[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        if (n)
            check(whole(p, n - 1) != sum, "the same sum with a byte less", n);
    }
    /* Exchanged words and stripes; zeros are data, too. */
    unsigned char *p = page + PAGE - 6 * MV_SUM_STRIPE, other[6 * MV_SUM_STRIPE];
    for (int width = 4; width <= MV_SUM_STRIPE; width *= 2)
        for (int i = 0; i + 2 * width <= (int)sizeof other; i += width) {
            memcpy(other, p, sizeof other);
            memcpy(other + i, p + i + width, (size_t)width);
            memcpy(other + i + width, p + i, (size_t)width);
            check(whole(other, sizeof other) != whole(p, sizeof other), "the same sum in another order",
                  (uint64_t)width);
        }
    memset(other, 0, sizeof other);
    for (uint64_t n = 0; n < sizeof other; n++)
        check(whole(other, n) != whole(other, n + 1), "the same sum for another number of zeros", n);
    /* All processors give the same sum. */
    stripes_fn *const fastest = best();
    for (uint64_t n = 0; n <= PAGE; n += 1 + n / 50) {
        atomic_store(&stripes, fastest);
        uint64_t sum = whole(page, n);
        atomic_store(&stripes, stripes_anywhere);
        check(whole(page, n) == sum, "another sum on another processor", n);
#ifdef __x86_64__
        atomic_store(&stripes, stripes_sse2);
        check(whole(page, n) == sum, "another sum on an older processor", n);
        if (__builtin_cpu_supports("avx2")) {
            atomic_store(&stripes, stripes_avx2);
            check(whole(page, n) == sum, "another sum with AVX2", n);
        }
#endif
    }
    puts("ok");
    return 0;
}
`

// buildHash compiles the hash alone.
func buildHash(t testing.TB, m *mpi) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	err := m.compile(program, hashProgram, "-O2", "-std=gnu11", "-I"+m.sources, filepath.Join(m.sources, "layout.c"))
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func TestHash(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) { // for its compiler
		if out, err := exec.Command(buildHash(t, m)).CombinedOutput(); err != nil ||
			strings.TrimSpace(string(out)) != "ok" {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// BenchmarkHash measures how fast contiguous data are summed up, with the instructions of this processor and with those
// that every processor has.
func BenchmarkHash(b *testing.B) {
	for i := range mpis {
		m := mpis[i]
		if _, err := exec.LookPath(m.mpicc); err != nil {
			continue
		}
		m.once.Do(func() { m.err = m.build() })
		if m.err != nil {
			b.Fatal(m.err)
		}
		program := buildHash(b, m)
		for best, name := range []string{"portable", "best"} {
			for _, n := range []int{4 << 10, 256 << 10, 4 << 20, 64 << 20} {
				b.Run(fmt.Sprintf("%s/%dKiB", name, n>>10), func(b *testing.B) {
					var speeds []float64
					for b.Loop() {
						out, err := exec.Command(program, fmt.Sprint(best), fmt.Sprint(n)).Output()
						if err != nil {
							b.Fatal(err)
						}
						v, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
						if err != nil {
							b.Fatal(err)
						}
						speeds = append(speeds, v)
					}
					slices.Sort(speeds)
					b.ReportMetric(speeds[len(speeds)/2]/1e9, "GB/s")
				})
			}
		}
		return
	}
	b.Skip("no MPI compiler")
}
