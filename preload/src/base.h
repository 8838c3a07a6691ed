/*
 * Attributes and hints for the compiler, for every unit of the library. This header needs nothing but C.
 *
 * Every file obeys these rules. Each C file includes rules.h last: with it, the compiler detects some violations:
 *   - The library is silent. It prints nothing, and causes no signal that would not occur without it.
 *   - errno has the value that the real function has set.
 *   - The record path (mv_enter to mv_leave with a known call site) makes no system call, takes no lock, allocates
 *     nothing, and calls nothing but the real MPI function.
 *   - Any failure makes the library inert: from then on the wrappers only call the real functions.
 *
 * The units form layers. A unit includes and calls units of its own layer or of lower ones, and never in a circle:
 *   platform  api, tls, session, debug, maps, signals, device, real, layout, hash: the operating system, the session
 *   record    ring, module, python, site, polls, objects, requests, kept, mv: how a thread writes records, and what
 *             debuggers read
 *   calls     mpi_objects, query, world, comm, errors, call, freed: what a call of MPI adds to its record
 *   beside    layouts, shape, part, snapshot, overlap, movement, sums, pending, message, reach, strict: what is done
 *             besides recording
 *   top       names, init, end, between, start, and the generated wrappers
 * A test (layers_test.go) keeps that order.
 */
#ifndef MPIVET_BASE_H
#define MPIVET_BASE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define MV_LIKELY(x) __builtin_expect(!!(x), 1)
#define MV_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define MV_EXPORT __attribute__((visibility("default")))
#define MV_COLD __attribute__((cold, noinline))
#define MV_INLINE static inline __attribute__((always_inline))

/* Keeps a variable in memory. So debuggers find it wherever the function is, also if the compiler optimizes. */
#define MV_AT_HOME(x) __asm__("" : "+m"(x))

/* Lets a processor core that waits in a loop run its other hardware thread. */
MV_INLINE void mv_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Maps a number to so many bits: Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4). */
MV_INLINE unsigned mv_hash_bits(uint64_t v, unsigned bits)
{
    return (unsigned)(v * 0x9e3779b97f4a7c15ULL >> (64 - bits));
}

#endif
