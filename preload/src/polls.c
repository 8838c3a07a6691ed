/* Remembers polls, and gives them records when they need records. */
#include <string.h>

#include "polls.h"

#include "rules.h"

struct mv_polled *mv_poll_other(struct mv_thread *t, uintptr_t ra, uintptr_t cfa)
{
    for (unsigned i = 0; i < MV_POLLS && i < t->npolled; i++)
        if (t->poll[i].ra == ra && t->poll[i].cfa == (cfa & t->cfa_mask))
            return t->polled = &t->poll[i];
    return NULL;
}

void mv_poll_note(struct mv_thread *t, const unsigned char *r, uint64_t len, int timed, uintptr_t ra)
{
    if (timed || len > MV_POLL_MAX || r != t->data + ((t->head - len) & t->mask))
        return;
    if (t->polls_end != t->head - len)
        t->npolled = 0;
    t->polls_end = t->head;
    struct mv_polled *p = mv_poll_other(t, ra, t->cfa);
    if (!p) {
        p = &t->poll[t->npolled % MV_POLLS];
        t->npolled++;
    }
    p->ra = ra;
    p->cfa = t->cfa & t->cfa_mask;
    memcpy(p->record, r, len);
    t->polled = p;
}

void mv_poll_publish(struct mv_thread *t, int gone)
{
    const struct mv_polled *p = t->polled;
    t->borrowed = 0;
    t->record = NULL;
    mv_debug_leave(&t->debug);
    const uint32_t site = gone ? p->head.site : mv_site(t, p->ra, t->cfa);
    const uint64_t len = (uint64_t)p->head.lines * 64;
    unsigned char *r = mv_reserve(t, len);
    memcpy(r, p->record, len);
    memcpy(r + offsetof(struct mv_record, site), &site, sizeof site);
    mv_publish(t, r, len, 0);
}

unsigned char *mv_info(struct mv_thread *t, unsigned kind, uint32_t site, size_t payload)
{
    if (MV_UNLIKELY(t->borrowed))
        mv_poll_publish(t, 0);
    return mv_info_begin(t, kind, site, payload);
}
