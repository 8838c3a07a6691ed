#include "tables.h"

#include <stdio.h>
#include <string.h>

/* The most that is read of each table. The tables of a process are much smaller. */
#define MOST_NAMES (4u << 20) /* bytes */
#define MOST_OBJECTS (1u << 20)
#define MOST_COMMS ((size_t)1 << 20)
#define MOST_THREADS ((size_t)1 << 20)
#define MOST_REQUEST_BITS 22 /* of one thread */
#define MOST_KEYS ((uint64_t)1 << 26) /* of all threads */
#define MOST_OPERATIONS ((size_t)1 << 22)
#define MOST_UNEXPECTED ((size_t)1 << 20)
#define MOST_SIZE (1 << 26) /* processes of a communicator */

/* The address of mpivet_debug may be known only after the process has loaded its libraries. */
static int find_head(tables *p)
{
    char name[] = "mpivet_debug"; /* the interface does not promise to leave it unchanged */
    mqs_taddr_t at = 0;
    if (p->debug)
        return mqs_ok;
    if (!p->find_symbol || !p->target.calls->mqs_fetch_data_fp)
        return err_setup;
    if (p->find_symbol(p->image, name, &at) != mqs_ok || !at)
        return err_no_mpivet;
    p->debug = at;
    return mqs_ok;
}

int dbg_read_head(tables *p)
{
    const int found = find_head(p);
    if (found != mqs_ok)
        return found;
    /* First the part that is the same in all versions: magic, version, header_size. */
    unsigned char head[sizeof p->head];
    memset(p->head, 0, sizeof p->head);
    if (!dbg_fetch(&p->target, p->debug, offsetof(struct mv_debug, threads), head))
        return err_damaged;
    const uint64_t magic = MEMBER(&p->target, head, struct mv_debug, magic);
    if (magic != MV_MAGIC_DEBUG)
        return magic ? err_damaged : err_not_yet;
    if (MEMBER(&p->target, head, struct mv_debug, version) != MV_VERSION ||
        MEMBER(&p->target, head, struct mv_debug, header_size) != sizeof(struct mv_debug))
        return err_other_version;
    if (!dbg_fetch(&p->target, p->debug, sizeof head, head))
        return err_damaged;
    memcpy(p->head, head, sizeof head);
    return HEAD(p, table_hash) == dbg_table_hash ? mqs_ok : err_other_table;
}

/* Names */

static void read_names(tables *p)
{
    const uint64_t size = HEAD(p, names_used);
    dbg_free(p->names);
    p->names = NULL;
    p->names_size = 0;
    if (size == 0 || size > MOST_NAMES)
        return;
    p->names = dbg_malloc(size);
    if (p->names && dbg_fetch(&p->target, HEAD(p, names), size, p->names))
        p->names_size = size;
}

/* Returns the name at an offset of the list, and moves the offset to the next one. NULL: the list has ended. */
static const unsigned char *next_name(const tables *p, size_t *at)
{
    if (*at > p->names_size || p->names_size - *at < sizeof(struct mv_name))
        return NULL;
    const unsigned char *n = p->names + *at;
    const size_t length = MEMBER(&p->target, n, struct mv_name, name_len);
    if (p->names_size - *at - sizeof(struct mv_name) < length)
        return NULL;
    *at += (sizeof(struct mv_name) + length + 7) & ~(size_t)7;
    return n;
}

int dbg_name(const tables *p, int kind, uint64_t value, char *name, int32_t *size)
{
    size_t at = 0;
    for (const unsigned char *n; (n = next_name(p, &at));) {
        if (MEMBER(&p->target, n, struct mv_name, kind) != (uint64_t)kind ||
            MEMBER(&p->target, n, struct mv_name, value) != value)
            continue;
        if (name)
            dbg_text(name, 64, n + sizeof(struct mv_name), MEMBER(&p->target, n, struct mv_name, name_len));
        if (size)
            *size = (int32_t)MEMBER(&p->target, n, struct mv_name, size);
        return 1;
    }
    return 0;
}

int64_t dbg_constant(const tables *p, const char *name, int64_t otherwise)
{
    size_t at = 0;
    for (const unsigned char *n; (n = next_name(p, &at));) {
        const size_t length = MEMBER(&p->target, n, struct mv_name, name_len);
        if (MEMBER(&p->target, n, struct mv_name, kind) == MV_NAME_CONST && length == strlen(name) &&
            memcmp(n + sizeof(struct mv_name), name, length) == 0)
            return (int64_t)MEMBER(&p->target, n, struct mv_name, value);
    }
    return otherwise;
}

/* Communicators */

static void read_runs(const tables *p, const unsigned char *o, struct comm *c)
{
    uint64_t runs = MEMBER(&p->target, o, struct mv_object, runs);
    uint64_t remote = MEMBER(&p->target, o, struct mv_object, remote_runs);
    if (runs > MV_OBJECT_RUNS)
        runs = MV_OBJECT_RUNS;
    if (remote > MV_OBJECT_RUNS - runs)
        remote = MV_OBJECT_RUNS - runs;
    c->runs = (uint32_t)runs;
    c->remote_runs = (uint32_t)remote;
    for (size_t i = 0; i < runs + remote; i++) {
        const unsigned char *run = o + offsetof(struct mv_object, run) + i * sizeof(struct mv_run);
        c->run[i].start = (int32_t)MEMBER(&p->target, run, struct mv_run, start);
        c->run[i].stride = (int32_t)MEMBER(&p->target, run, struct mv_run, stride);
        c->run[i].count = (int32_t)MEMBER(&p->target, run, struct mv_run, count);
    }
}

static void name_comm(const tables *p, const unsigned char *o, struct comm *c)
{
    const uint64_t made = o ? MEMBER(&p->target, o, struct mv_object, made) : MV_MADE_ELSE;
    if (o)
        dbg_text(c->name, sizeof c->name, o + offsetof(struct mv_object, name), sizeof((struct mv_object *)0)->name);
    if (c->name[0] || (c->handle && dbg_name(p, MV_NAME_COMM, c->handle, c->name, NULL)))
        return;
    const char *how = made == MV_MADE_WORLD    ? "MPI_COMM_WORLD"
                      : made == MV_MADE_SELF   ? "MPI_COMM_SELF"
                      : made == MV_MADE_PARENT ? "parent"
                      : made < dbg_kind_count  ? dbg_kinds[made].name
                                               : NULL;
    if (!c->at)
        snprintf(c->name, sizeof c->name, c->handle ? "unknown communicator 0x%llx" : "unknown communicator",
                 (unsigned long long)c->handle);
    else if (how && made >= MV_MADE_WORLD)
        snprintf(c->name, sizeof c->name, "%s", how);
    else if (how)
        snprintf(c->name, sizeof c->name, "0x%llx by %s", (unsigned long long)c->handle, how);
    else
        snprintf(c->name, sizeof c->name, "0x%llx", (unsigned long long)c->handle);
}

/* Reads an object. It is added to the list if it is a communicator. */
static int read_object(tables *p, uint64_t at)
{
    unsigned char o[offsetof(struct mv_object, pad)];
    const struct target *t = &p->target;
    if (!dbg_fetch(t, at, sizeof(uint64_t), o))
        return err_objects;
    const uint64_t serial = MEMBER(t, o, struct mv_object, serial);
    if (serial == 0)
        return mqs_ok;
    if (!dbg_fetch(t, at, sizeof o, o))
        return err_objects;
    const uint64_t kind = MEMBER(t, o, struct mv_object, kind);
    const int32_t rank = (int32_t)MEMBER(t, o, struct mv_object, rank);
    const int32_t size = (int32_t)MEMBER(t, o, struct mv_object, size);
    const int32_t remote = (int32_t)MEMBER(t, o, struct mv_object, remote_size);
    if (kind == MV_OBJECT_WIN || kind == MV_OBJECT_FILE)
        return mqs_ok;
    if (kind != MV_OBJECT_COMM || size < 0 || size > MOST_SIZE || remote < 0 || remote > MOST_SIZE || rank < -1 ||
        rank >= size)
        return err_objects;
    struct comm *c = dbg_append(&p->comms, sizeof *c, MOST_COMMS);
    if (!c)
        return err_memory;
    c->at = at;
    c->serial = serial;
    c->handle = MEMBER(t, o, struct mv_object, handle);
    c->id = MEMBER(t, o, struct mv_object, id);
    c->rank = rank;
    c->size = size;
    c->remote_size = remote;
    read_runs(p, o, c);
    name_comm(p, o, c);
    return mqs_ok;
}

static void read_comms(tables *p)
{
    const struct target *t = &p->target;
    dbg_clear(&p->comms);
    p->comms_error = mqs_ok;
    for (size_t i = 0; i < sizeof((struct mv_debug *)0)->objects / sizeof(uint64_t); i++) {
        const unsigned char *head = p->head;
        const uint64_t table = dbg_number(t, head + offsetof(struct mv_debug, objects) + 8 * i, 8);
        const uint64_t count = dbg_number(t, head + offsetof(struct mv_debug, object_count) + 4 * i, 4);
        if (!table)
            continue;
        if (count > MOST_OBJECTS || table + count * sizeof(struct mv_object) < table) {
            p->comms_error = err_objects;
            continue;
        }
        /* Object 0 of the first table is not an object. If an object makes no sense, the others may do. But if memory
         * cannot be read, the table is not there. */
        for (uint64_t k = i == 0; k < count; k++) {
            const int rc = read_object(p, table + k * sizeof(struct mv_object));
            if (rc == mqs_ok)
                continue;
            p->comms_error = rc;
            unsigned char byte;
            if (rc == err_memory || !dbg_fetch(t, table + k * sizeof(struct mv_object), 1, &byte))
                break;
        }
    }
}

static const struct comm *comm_of(const tables *p, uint64_t handle)
{
    const struct comm *c = p->comms.at;
    for (size_t i = 0; i < p->comms.count; i++)
        if (c[i].handle == handle)
            return &c[i];
    return NULL;
}

/* Adds the communicators of messages that are in no table: their objects found no room, or were freed. */
static void add_unknown_comms(tables *p)
{
    const struct operation *o = p->operations.at;
    uint64_t last = 0;
    int any = 0;
    for (size_t i = 0; i < p->operations.count; i++) {
        if (o[i].acts == COLLECTIVE || (any && o[i].comm == last))
            continue;
        any = 1;
        last = o[i].comm;
        if (comm_of(p, last))
            continue;
        struct comm *c = dbg_append(&p->comms, sizeof *c, MOST_COMMS);
        if (!c)
            return;
        c->handle = c->id = last;
        c->rank = -1;
        name_comm(p, NULL, c);
    }
}

int dbg_world_rank(const struct comm *c, int64_t rank, int local)
{
    const struct mv_run *run = c->run;
    uint32_t n = c->runs;
    if (!local && c->remote_size) {
        run += c->runs;
        n = c->remote_runs;
    }
    for (uint32_t i = 0; i < n && rank >= 0; i++) {
        if (run[i].count < 0)
            return -1;
        if (rank < run[i].count) {
            const int64_t world = run[i].start + rank * run[i].stride;
            return run[i].start < 0 || world < 0 || world > INT32_MAX ? -1 : (int)world;
        }
        rank -= run[i].count;
    }
    return -1;
}

/* Records */

int dbg_decode(const tables *p, const unsigned char *record, size_t size, struct call *c)
{
    memset(c, 0, sizeof *c);
    if (size < sizeof(struct mv_record))
        return 0;
    const uint64_t kind = MEMBER(&p->target, record, struct mv_record, kind);
    const uint64_t used = MEMBER(&p->target, record, struct mv_record, used);
    const uint64_t lines = MEMBER(&p->target, record, struct mv_record, lines);
    if (kind >= MV_INFO || used < sizeof(struct mv_record) || lines * MV_LINE < used)
        return 0;
    c->record = record;
    c->size = size < used ? size : used;
    if (kind >= dbg_function_count || !dbg_functions[kind].name)
        return 1;
    c->function = &dbg_functions[kind];
    return used == c->function->fixed;
}

uint64_t dbg_argument(const tables *p, const struct call *c, unsigned offset, size_t size)
{
    if (offset < sizeof(struct mv_record) || offset + size > c->size)
        return 0;
    return dbg_number(&p->target, c->record + offset, size);
}

/* Messages and collectives */

static int add_operation(tables *p, const struct operation *like, int acts)
{
    struct operation *o = dbg_append(&p->operations, sizeof *o, MOST_OPERATIONS);
    if (!o)
        return err_too_many;
    *o = *like;
    o->acts = (uint8_t)acts;
    return mqs_ok;
}

/* Adds what a call does. A message to or from MPI_PROC_NULL is none. */
static int add_call(tables *p, const struct call *c, struct operation like)
{
    const struct function *f = c->function;
    int rc = mqs_ok;
    like.comm = f->comm ? dbg_argument(p, c, f->comm, 8) : 0;
    if (f->acts & COLLECTIVE) {
        like.kind = f->kind;
        return f->comm ? add_operation(p, &like, COLLECTIVE) : mqs_ok;
    }
    const int64_t none = dbg_constant(p, "MPI_PROC_NULL", HEAD(p, handle_size) == 4 ? -1 : -2);
    if (f->acts & SENDS && (int32_t)dbg_argument(p, c, f->send.peer, 4) != none)
        rc = add_operation(p, &like, SENDS);
    if (rc == mqs_ok && f->acts & RECEIVES &&
        (!f->receive.peer || (int32_t)dbg_argument(p, c, f->receive.peer, 4) != none))
        rc = add_operation(p, &like, RECEIVES);
    return rc;
}

static int read_request(tables *p, uint64_t at, uint32_t tid)
{
    unsigned char r[sizeof(struct mv_open_request)];
    struct call c;
    if (!dbg_fetch(&p->target, at, sizeof r, r))
        return err_requests;
    if (!(MEMBER(&p->target, r, struct mv_open_request, flags) & MV_REQUEST_ACTIVE))
        return mqs_ok;
    uint64_t length = MEMBER(&p->target, r, struct mv_open_request, length);
    if (length > MV_REQUEST_RECORD)
        length = MV_REQUEST_RECORD;
    if (!dbg_decode(p, r + offsetof(struct mv_open_request, record), length, &c))
        return err_record;
    if (!c.function)
        return mqs_ok;
    return add_call(p, &c, (struct operation){.at = at, .tid = tid, .request = 1});
}

static int read_requests(tables *p, uint64_t at, uint32_t tid, uint64_t *budget)
{
    const struct target *t = &p->target;
    unsigned char h[sizeof(struct mv_open_requests)], keys[512 * 8];
    int result = mqs_ok;
    if (!dbg_fetch(t, at, sizeof h, h))
        return err_requests;
    const uint64_t bits = MEMBER(t, h, struct mv_open_requests, bits);
    const uint64_t first = MEMBER(t, h, struct mv_open_requests, keys);
    const uint64_t entries = MEMBER(t, h, struct mv_open_requests, entries);
    if (bits > MOST_REQUEST_BITS || !first || !entries)
        return err_requests;
    const uint64_t count = (uint64_t)MV_REQUEST_WAYS << bits;
    if (count > *budget)
        return err_too_many;
    *budget -= count;
    for (uint64_t i = 0; i < count;) {
        const uint64_t n = count - i < 512 ? count - i : 512;
        if (!dbg_fetch(t, first + 8 * i, 8 * n, keys))
            return err_requests;
        for (uint64_t k = 0; k < n; k++) {
            if (dbg_number(t, keys + 8 * k, 8) == 0)
                continue;
            const int rc = read_request(p, entries + (i + k) * sizeof(struct mv_open_request), tid);
            if (rc == err_too_many)
                return rc;
            if (rc != mqs_ok)
                result = rc;
        }
        i += n;
    }
    return result;
}

int dbg_in_call(const tables *p, const unsigned char *h)
{
    return MEMBER(&p->target, h, struct mv_debug_thread, record) &&
           !MEMBER(&p->target, h, struct mv_debug_thread, polling);
}

static int read_thread(tables *p, uint64_t at, uint64_t *budget)
{
    const struct target *t = &p->target;
    unsigned char h[sizeof(struct mv_debug_thread)];
    int result = mqs_ok;
    if (!dbg_fetch(t, at, sizeof h, h))
        return err_threads;
    const uint32_t tid = (uint32_t)MEMBER(t, h, struct mv_debug_thread, tid);
    if (tid && dbg_in_call(p, h)) {
        uint64_t length = MEMBER(t, h, struct mv_debug_thread, now_length);
        struct call c;
        if (length > MV_NOW)
            length = MV_NOW;
        if (!dbg_decode(p, h + offsetof(struct mv_debug_thread, now), length, &c))
            result = err_record;
        else if (c.function && c.function->acts & BLOCKS)
            result = add_call(p, &c, (struct operation){.at = at, .tid = tid});
    }
    const uint64_t requests = MEMBER(t, h, struct mv_debug_thread, requests);
    if (requests) {
        const int rc = read_requests(p, requests, tid, budget);
        if (rc != mqs_ok)
            result = rc;
    }
    return result;
}

/* Lists the addresses of the threads, each once. The list may be a circle (Brent's algorithm finds it). */
static int list_threads(tables *p, struct list *threads)
{
    uint64_t at = HEAD(p, threads), mark = 0;
    size_t marked = 0;
    while (at && at != mark) {
        uint64_t *thread = dbg_append(threads, sizeof *thread, MOST_THREADS);
        unsigned char next[8];
        if (!thread)
            return err_too_many;
        *thread = at;
        if ((threads->count & (threads->count - 1)) == 0) {
            mark = at;
            marked = threads->count - 1;
        }
        if (!dbg_fetch(&p->target, at + offsetof(struct mv_debug_thread, next), sizeof next, next))
            return err_threads;
        at = dbg_number(&p->target, next, sizeof next);
    }
    if (!at)
        return mqs_ok;
    /* The circle has this many threads. Keep each of them once, and those before it. */
    const size_t circle = threads->count - marked;
    const uint64_t *list = threads->at;
    size_t before = 0;
    while (before < marked && list[before] != list[before + circle])
        before++;
    threads->count = before + circle;
    return err_threads_circle;
}

static void read_operations(tables *p)
{
    struct list threads = {0};
    uint64_t budget = MOST_KEYS;
    dbg_clear(&p->operations);
    p->operations_error = list_threads(p, &threads);
    const uint64_t *list = threads.at;
    for (size_t i = 0; i < threads.count; i++) {
        const int rc = read_thread(p, list[i], &budget);
        if (rc != mqs_ok)
            p->operations_error = rc;
        if (rc == err_too_many)
            break;
    }
    dbg_clear(&threads);
}

static void pass(tables *p, uint64_t at)
{
    unsigned char bytes[8];
    if (dbg_fetch(&p->target, at, sizeof bytes, bytes)) {
        const uint64_t time = dbg_number(&p->target, bytes, sizeof bytes);
        if (time > p->present)
            p->present = time;
    }
}

/* The present time of the process. Core files do not have the analyzer's time. Then it is the latest time that the
 * tables know. */
static void read_time(tables *p)
{
    struct list threads = {0};
    p->present = 0;
    pass(p, HEAD(p, beat));
    list_threads(p, &threads);
    const uint64_t *list = threads.at;
    for (size_t i = 0; i < threads.count; i++)
        pass(p, list[i] + offsetof(struct mv_debug_thread, beat));
    dbg_clear(&threads);
    if (HEAD(p, told))
        pass(p, HEAD(p, told) + offsetof(struct mv_told, time));
}

int dbg_update(tables *p)
{
    const int rc = dbg_read_head(p);
    dbg_forget(p);
    if (rc != mqs_ok)
        return rc;
    read_names(p);
    read_time(p);
    read_comms(p);
    read_operations(p);
    add_unknown_comms(p);
    p->updated = 1;
    return p->comms.count || p->comms_error == mqs_ok ? mqs_ok : p->comms_error;
}

void dbg_forget(tables *p)
{
    dbg_free(p->names);
    p->names = NULL;
    p->names_size = 0;
    dbg_clear(&p->comms);
    dbg_clear(&p->operations);
    dbg_clear(&p->unexpected);
    p->comm = p->next = 0;
    p->class = -1;
    p->updated = 0;
}

/* What the analyzer tells */

/* Reads the header of the table into h. */
static int read_told(const tables *p, uint64_t at, unsigned char *h)
{
    const struct target *t = &p->target;
    if (!dbg_fetch(t, at, sizeof(struct mv_told), h))
        return err_told;
    if (MEMBER(t, h, struct mv_told, magic) != MV_MAGIC_TOLD || MEMBER(t, h, struct mv_told, version) != MV_VERSION)
        return err_told;
    if (MEMBER(t, h, struct mv_told, sequence) % 2 || !MEMBER(t, h, struct mv_told, time))
        return mqs_no_information; /* the analyzer was writing, or has never written */
    return mqs_ok;
}

/* Reads the table once. If the analyzer writes it at the same time, the result is mqs_no_information. */
static int read_unexpected(tables *p, uint64_t told)
{
    const struct target *t = &p->target;
    unsigned char h[sizeof(struct mv_told)], again[sizeof h], m[sizeof(struct mv_unexpected)];
    dbg_clear(&p->unexpected);
    int rc = read_told(p, told, h);
    if (rc != mqs_ok)
        return rc;
    const uint64_t at = MEMBER(t, h, struct mv_told, unexpected_at), size = HEAD(p, told_size);
    const uint64_t count = MEMBER(t, h, struct mv_told, unexpected);
    if (at > size || at < sizeof h || count > (size - at) / sizeof m)
        return err_told;
    for (uint64_t i = 0; i < count; i++) {
        struct unexpected *u = dbg_append(&p->unexpected, sizeof *u, MOST_UNEXPECTED);
        if (!u)
            return err_too_many;
        if (!dbg_fetch(t, told + at + i * sizeof m, sizeof m, m))
            return err_told;
        u->comm = MEMBER(t, m, struct mv_unexpected, comm);
        u->source = (int32_t)MEMBER(t, m, struct mv_unexpected, source);
        u->tag = (int32_t)MEMBER(t, m, struct mv_unexpected, tag);
        u->world = (int32_t)MEMBER(t, m, struct mv_unexpected, world);
        u->function = (uint32_t)MEMBER(t, m, struct mv_unexpected, function);
        u->bytes = (int64_t)MEMBER(t, m, struct mv_unexpected, bytes);
        u->beat = MEMBER(t, m, struct mv_unexpected, beat);
    }
    rc = read_told(p, told, again);
    if (rc == mqs_ok &&
        MEMBER(t, h, struct mv_told, sequence) != MEMBER(t, again, struct mv_told, sequence))
        rc = mqs_no_information;
    return rc;
}

int dbg_read_unexpected(tables *p)
{
    const uint64_t told = HEAD(p, told);
    int rc = mqs_no_information;
    for (int tries = 0; told && tries < 3; tries++)
        if ((rc = read_unexpected(p, told)) != mqs_no_information)
            break;
    if (rc != mqs_ok)
        dbg_clear(&p->unexpected);
    return rc;
}
