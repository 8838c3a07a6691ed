/* Less frequent parts of call records: arrays that need widening or are too long, and calls of rare functions. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>

#include "call.h"
#include "errors.h"

#include "rules.h"

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

/* Copies a record for the table of objects. If there is no memory, the object has no arrays there. */
static void keep(struct mv_thread *t, const unsigned char *r)
{
    const size_t length = (size_t)((const struct mv_record *)r)->lines * 64;
    if (t->extra_used + length > t->extra.size) {
        struct mv_buffer more = {NULL, 0};
        if (!mv_grow(&more, t->extra_used + length))
            return;
        if (t->extra_used)
            memcpy(more.p, t->extra.p, t->extra_used);
        if (t->extra.p)
            munmap(t->extra.p, t->extra.size);
        t->extra = more;
    }
    memcpy((char *)t->extra.p + t->extra_used, r, length);
    t->extra_used += length;
}

MV_COLD void mv_data(struct mv_thread *t, unsigned kind, unsigned param, const void *p, uint64_t n, unsigned width)
{
    unsigned slot = mv_slot_of(kind);
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
        if (t->keeping)
            keep(t, r);
        mv_info_end(t, r);
    }
}

int64_t mv_status_at(const void *statuses, uint64_t i)
{
    const MPI_Status *s = statuses;
    return !s || s == MPI_STATUS_IGNORE || s == MPI_STATUSES_IGNORE ? -1 : mv_status_bytes(&s[i]);
}

/* The same as inlined functions of call.h and other headers. */

struct mv_thread *mv_enter_far(uintptr_t cfa) { return mv_enter(cfa); }

struct mv_open mv_open(struct mv_thread *t, uintptr_t ra, unsigned kind, unsigned used, uint64_t end)
{
    struct mv_open o;
    uint32_t site = mv_site(t, ra, t->cfa);
    o.timed = mv_is_timed();
    uint64_t trailer = o.timed ? 16 : 0;
    o.len = (end + trailer + 63) & ~(uint64_t)63;
    o.r = mv_reserve(t, o.len);
    mv_head(o.r, kind, o.len, site, used, o.timed);
    mv_section_end(o.r, end, o.len - trailer);
    return o;
}

void mv_open_publish(struct mv_thread *t, const struct mv_open *o) { mv_publish(t, o->r, o->len, o->timed); }

void mv_open_done(struct mv_thread *t, const struct mv_open *o, int rc)
{
    if (MV_UNLIKELY(rc != MPI_SUCCESS))
        mv_error(t, rc, 0);
    mv_done(t, o->r, o->len, o->timed, rc);
}

struct mv_object *mv_object_far(uint64_t handle, unsigned kind) { return mv_object(handle, kind); }

uint64_t mv_section_room_far(const struct mv_thread *t, uint64_t n, unsigned slot)
{
    return mv_section_room(t, n, slot);
}

unsigned char *mv_section_in_far(unsigned char *at, unsigned kind, unsigned param, const void *p, uint64_t n,
                                 uint64_t room, unsigned width)
{
    mv_section_in(at, kind, param, p, n, room, width, mv_slot_of(kind));
    return at + room;
}

unsigned char *mv_section_out_far(unsigned char *at, unsigned kind, unsigned param, uint64_t n, uint64_t room)
{
    mv_section_out(at, kind, param, n, room);
    return at + room;
}

void mv_fill_status_far(unsigned char *to, const MPI_Status *s, uint64_t n, int with_error)
{
    mv_fill_status(to, s, n, with_error);
}

unsigned char *mv_query_begin_far(struct mv_thread *t, unsigned kind, unsigned used, uintptr_t ra)
{
    return mv_query_begin(t, kind, used, ra);
}

void mv_query_end_far(struct mv_thread *t, int rc)
{
    if (MV_UNLIKELY(rc != MPI_SUCCESS)) {
        mv_query_failed(t);
        mv_error(t, rc, 0);
        mv_done_record(t, rc);
    }
    mv_leave(t);
}
