/*
 * Parts of call records that are off the common path: queries that fail, arrays that need widening or that are too long.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "call.h"

/* Writes the record of the query under way. It has failed, or is about to. */
MV_COLD void mv_query_failed(struct mv_thread *t)
{
    if (t->record)
        return;
    const int timed = mv_timed;
    uint32_t site = mv_site(t, t->query_ra, t->cfa);
    uint64_t end = t->query_used + (timed ? 16u : 0), len = (end + 63) & ~(uint64_t)63;
    unsigned char *r = mv_reserve(t, len);
    memcpy(r, t->query, t->query_used);
    memset(r + t->query_used, 0, len - t->query_used);
    mv_head(r, t->query_kind, len, site, t->query_used, timed);
    mv_publish(t, r, len, timed);
}

/* Copies an array; 4-byte handles become 8 bytes. */
void mv_fill(unsigned char *to, const void *p, uint64_t n, unsigned width, unsigned slot)
{
    if (width == slot) {
        memcpy(to, p, n * width);
        return;
    }
    const unsigned char *from = p;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t v = 0;
        memcpy(&v, from + i * width, width);
        memcpy(to + i * slot, &v, slot);
    }
}

/* Publishes an array that was too long for its call record, in parts. width: of an element in the program; for
 * statuses, whether their error field is set. */
MV_COLD void mv_data(struct mv_thread *t, unsigned kind, unsigned param, const void *p, uint64_t n, unsigned width)
{
    unsigned slot = kind == MV_IN32 || kind == MV_OUT32 ? 4 : kind == MV_STATUS ? sizeof(struct mv_status) : kind == MV_STRING ? 1 : 8;
    uint64_t part = (t->largest / 2 - 64) / slot;
    for (uint64_t first = 0; first < n; first += part) {
        uint64_t k = n - first < part ? n - first : part;
        unsigned char *r = mv_info(t, MV_DATA, 0, sizeof(struct mv_data) + k * slot);
        struct mv_data *d = (struct mv_data *)(r + sizeof(struct mv_record));
        d->kind = (uint16_t)kind;
        d->param = (uint16_t)param;
        d->first = (uint32_t)first;
        d->count = (uint32_t)k;
        d->pad = 0;
        if (kind == MV_STATUS)
            mv_fill_status((unsigned char *)(d + 1), (const MPI_Status *)p + first, k, (int)width);
        else
            mv_fill((unsigned char *)(d + 1), (const char *)p + first * width, k, width, slot);
        mv_info_end(t, r);
    }
}

/* A constant that is a variable of the MPI library. */
const void *mv_pointer_constant(const char *name)
{
    void *const *p = mv_symbol(name);
    return p ? *p : NULL;
}
