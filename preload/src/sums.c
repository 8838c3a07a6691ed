/* Writes MV_SUMS and MV_CHANGED records. */
#include <string.h>

#include "polls.h"
#include "sums.h"
#include "tls.h"

#include "rules.h"

uint64_t mv_part_sum(const struct mv_part *p, uint64_t *sum)
{
    struct mv_snapshot s;
    if (!mv_snapshot(&s, p, UINT64_MAX))
        return 0;
    *sum = mv_snapshot_sum(&s);
    return s.bytes;
}

/* A record that is being written. */
struct list {
    unsigned char *record;
    struct mv_sums *head;
    struct mv_sum *next, *end;
};

/* Begins the record of at most n sums. */
static struct list begin(struct mv_thread *t, const struct mv_sums *head, uint64_t n)
{
    uint64_t room = (t->largest - sizeof(struct mv_record) - sizeof(struct mv_sums) - 64) / sizeof(struct mv_sum);
    if (n > room)
        n = room;
    struct list l = {.record = mv_info(t, MV_SUMS, 0, sizeof(struct mv_sums) + n * sizeof(struct mv_sum))};
    l.head = (struct mv_sums *)(l.record + sizeof(struct mv_record));
    *l.head = *head;
    l.next = (struct mv_sum *)(l.head + 1);
    l.end = l.next + n;
    return l;
}

static void put(void *list, const struct mv_part *p)
{
    struct list *l = list;
    uint64_t bytes;
    if (l->next == l->end || !(bytes = mv_part_sum(p, &l->next->sum)))
        return;
    l->next->peer = p->peer;
    l->next->pad = 0;
    l->next->bytes = bytes;
    l->next++;
    l->head->count++;
}

void mv_sums_sent(struct mv_thread *t, const struct mv_movement *m)
{
    struct list l = begin(t, &(struct mv_sums){0}, mv_parts_most(m));
    mv_parts_sent(m, put, &l);
    mv_info_end(t, l.record);
}

void mv_sums_received(struct mv_thread *t, const struct mv_movement *m, int rc)
{
    struct list l =
        begin(t, &(struct mv_sums){.flags = MV_SUMS_RECEIVED | (rc ? MV_SUMS_FAILED : 0)}, rc ? 0 : mv_parts_most(m));
    if (!rc)
        mv_parts_received(m, put, &l);
    mv_info_end(t, l.record);
}

void mv_sums_of(struct mv_thread *t, const struct mv_sums *head, const struct mv_part *parts, uint64_t n,
                uint64_t *values)
{
    struct list l = begin(t, head, n);
    for (uint64_t i = 0; i < n; i++) {
        const struct mv_sum *next = l.next;
        put(&l, &parts[i]);
        if (values)
            values[i] = l.next > next ? next->sum : 0;
    }
    mv_info_end(t, l.record);
}

void mv_sums_snapshot(struct mv_thread *t, const struct mv_sums *head, const struct mv_snapshot *s)
{
    const uint64_t n = s->bytes ? s->blocks + !s->blocks : 0, size = mv_block_size(s->bytes);
    struct list l = begin(t, head, n);
    l.head->flags |= MV_SUMS_BLOCKS;
    for (uint64_t i = 0; i < n && l.next < l.end; i++, l.next++) {
        *l.next = (struct mv_sum){.bytes = i + 1 < n ? size : s->bytes - i * size,
                                  .sum = s->blocks ? s->sum[i] : mv_snapshot_sum(s)};
        l.head->count++;
    }
    mv_info_end(t, l.record);
}

void mv_sums_changed(struct mv_thread *t, unsigned kind, const struct mv_changed *c)
{
    unsigned char *r = mv_info(t, kind, 0, sizeof *c);
    memcpy(r + sizeof(struct mv_record), c, sizeof *c);
    mv_info_end(t, r);
}

struct mv_thread *mv_sums_thread(unsigned kind)
{
    struct mv_thread *t = mv_tls.mine;
    if (!t || !t->again || mv_tls.ready || !t->record || ((const struct mv_record *)t->record)->kind != kind)
        return NULL;
    return t;
}

void mv_sums_announce(struct mv_thread *t)
{
    if (mv_sums == MV_SUMS_ALL)
        mv_sums_of(t, &(struct mv_sums){0}, NULL, 0, NULL);
}
