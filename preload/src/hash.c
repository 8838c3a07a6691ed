/*
 * The sum of data has 64 bits. It is made from eight lanes that do not depend on one another. So they fit into vector
 * registers, and memory is the limit. A word is mixed as in XXH3 (Y. Collet): the halves of the word and a key are
 * multiplied, and the word itself goes to the neighbouring lane. So no change of a single word is ever lost. Unlike
 * XXH3, every stripe has its own key, so that an exchange of stripes is noticed.
 */
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "hash.h"

#include "rules.h"

#define GOLDEN 0x9e3779b97f4a7c15ULL /* 2^64 divided by the golden ratio: multiples of it are spread evenly */

/* Words of pi's fraction. */
static const uint64_t keys[MV_SUM_LANES] = {
    0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL, 0xa4093822299f31d0ULL, 0x082efa98ec4e6c89ULL,
    0x452821e638d01377ULL, 0xbe5466cf34e90c6cULL, 0xc0ac29b7c97c50ddULL, 0x3f84d5b5b5470917ULL,
};

/* Adds whole stripes. The words for the neighbours are summed up separately, so that lanes meet only once. */
__attribute__((unused)) static void stripes_anywhere(struct mv_summing *s, const unsigned char *p, uint64_t n)
{
    uint64_t lane[MV_SUM_LANES], key[MV_SUM_LANES], words[MV_SUM_LANES];
    for (int i = 0; i < MV_SUM_LANES; i++) {
        lane[i] = s->lane[i];
        key[i] = keys[i] + s->key;
        words[i] = 0;
    }
    s->key += n * GOLDEN;
    for (; n; n--, p += MV_SUM_STRIPE)
        for (int i = 0; i < MV_SUM_LANES; i++) {
            uint64_t word, k;
            memcpy(&word, p + 8 * i, 8);
            k = word ^ key[i];
            lane[i] += (k & 0xffffffff) * (k >> 32);
            words[i] += word;
            key[i] += GOLDEN;
        }
    for (int i = 0; i < MV_SUM_LANES; i++)
        s->lane[i] = lane[i] + words[i ^ 1];
}

typedef void stripes_fn(struct mv_summing *, const unsigned char *, uint64_t);

#if defined(__x86_64__) || defined(__aarch64__)

/* The constraint of the vector registers. */
#if defined(__x86_64__)
#define IN_VECTOR "+x"
#else
#define IN_VECTOR "+w"
#endif

/* How far ahead data are fetched. The hardware prefetcher stops at the end of each page. */
#define AHEAD 4096

/* The same with vectors, all of which stay in registers. */
#define STRIPES(name, vector, multiply, attributes)                                                             \
    attributes static void name(struct mv_summing *s, const unsigned char *p, uint64_t n)                       \
    {                                                                                                           \
        enum { WIDTH = sizeof(vector) / 8, VECTORS = MV_SUM_LANES / WIDTH };                                    \
        vector lane[VECTORS], key[VECTORS], words[VECTORS];                                                     \
        uint64_t apart[MV_SUM_LANES];                                                                           \
        memcpy(lane, s->lane, sizeof lane);                                                                     \
        memcpy(key, keys, sizeof key);                                                                          \
        memset(words, 0, sizeof words);                                                                         \
        for (int i = 0; i < VECTORS; i++)                                                                       \
            key[i] += s->key;                                                                                   \
        s->key += n * GOLDEN;                                                                                   \
        for (; n; n--, p += MV_SUM_STRIPE) {                                                                    \
            __builtin_prefetch(p + AHEAD);                                                                      \
            _Pragma("GCC unroll 4") for (int i = 0; i < VECTORS; i++)                                           \
            {                                                                                                   \
                vector word, k;                                                                                 \
                memcpy(&word, p + sizeof word * (unsigned)i, sizeof word);                                      \
                __asm__("" : IN_VECTOR(word)); /* read it once: it often lies in two cache lines */             \
                k = word ^ key[i];                                                                              \
                lane[i] += (vector)multiply(k, k >> 32); /* of the lower halves */                              \
                words[i] += word;                                                                               \
                key[i] += GOLDEN;                                                                               \
            }                                                                                                   \
        }                                                                                                       \
        memcpy(s->lane, lane, sizeof lane);                                                                     \
        memcpy(apart, words, sizeof words);                                                                     \
        for (int i = 0; i < MV_SUM_LANES; i++)                                                                  \
            s->lane[i] += apart[i ^ 1];                                                                         \
    }

typedef uint64_t vector_2 __attribute__((vector_size(16)));
#endif

#if defined(__x86_64__)
typedef uint64_t vector_4 __attribute__((vector_size(32)));
#define MULTIPLY_2(a, b) _mm_mul_epu32((__m128i)(a), (__m128i)(b))
#define MULTIPLY_4(a, b) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
typedef uint64_t vector_8 __attribute__((vector_size(64)));
#define MULTIPLY_8(a, b) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
STRIPES(stripes_sse2, vector_2, MULTIPLY_2, )
STRIPES(stripes_avx2, vector_4, MULTIPLY_4, __attribute__((target("avx2"))))
STRIPES(stripes_avx512, vector_8, MULTIPLY_8, __attribute__((target("avx512f"))))

static stripes_fn *best(void)
{
    __builtin_cpu_init();
    /* Processors without VBMI2 lower their clock for such multiplications. That also slows down the program
     * afterwards. */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2"))
        return stripes_avx512;
    return __builtin_cpu_supports("avx2") ? stripes_avx2 : stripes_sse2;
}
#elif defined(__aarch64__)
/* Every processor for arm64 has NEON. */
#define MULTIPLY_2(a, b) vmull_u32(vmovn_u64((uint64x2_t)(a)), vmovn_u64((uint64x2_t)(b)))
STRIPES(stripes_neon, vector_2, MULTIPLY_2, )
static stripes_fn *best(void) { return stripes_neon; }
#else
static stripes_fn *best(void) { return stripes_anywhere; }
#endif

static void choose(struct mv_summing *s, const unsigned char *p, uint64_t n);
/* The fastest function for this processor. Threads that call choose at the same time store the same value. */
static stripes_fn *_Atomic stripes = choose;

static void choose(struct mv_summing *s, const unsigned char *p, uint64_t n)
{
    stripes_fn *f = best();
    atomic_store_explicit(&stripes, f, memory_order_relaxed);
    f(s, p, n);
}

static void add_stripes(struct mv_summing *s, const unsigned char *p, uint64_t n)
{
    if (n)
        atomic_load_explicit(&stripes, memory_order_relaxed)(s, p, n);
}

void mv_sum_begin(struct mv_summing *s)
{
    memcpy(s->lane, keys, sizeof s->lane);
    s->key = s->bytes = 0;
}

void mv_sum_add(struct mv_summing *s, const void *data, uint64_t n)
{
    const unsigned char *p = data;
    uint64_t have = s->bytes % MV_SUM_STRIPE;
    s->bytes += n;
    if (have) {
        uint64_t fits = MV_SUM_STRIPE - have < n ? MV_SUM_STRIPE - have : n;
        memcpy(s->rest + have, p, fits);
        p += fits;
        n -= fits;
        if (have + fits < MV_SUM_STRIPE)
            return;
        add_stripes(s, s->rest, 1);
    }
    add_stripes(s, p, n / MV_SUM_STRIPE);
    p += n - n % MV_SUM_STRIPE;
    memcpy(s->rest, p, n % MV_SUM_STRIPE);
}

/* Every bit of the result depends on every bit of v (the finalizer of MurmurHash3). */
static uint64_t mix(uint64_t v)
{
    v = (v ^ v >> 33) * 0xff51afd7ed558ccdULL;
    v = (v ^ v >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return v ^ v >> 33;
}

uint64_t mv_sum_end(struct mv_summing *s)
{
    uint64_t have = s->bytes % MV_SUM_STRIPE, sum = s->bytes;
    if (have) {
        memset(s->rest + have, 0, MV_SUM_STRIPE - have);
        add_stripes(s, s->rest, 1);
    }
    for (int i = 0; i < MV_SUM_LANES; i++)
        sum = mix(sum * GOLDEN + s->lane[i]);
    return sum;
}
