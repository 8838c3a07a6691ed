/*
 * A library for debuggers. It shows the message queues of a process under mpivet, and the state of its collectives. It
 * asks the debugger only for the address of mpivet_debug and for memory, so it needs no debugging information.
 */
#include "mqs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tables.h"

struct _mqs_image_info {
    const mqs_image_callbacks *calls;
};

static const mqs_basic_callbacks *debugger;

MQS_EXPORT void mqs_setup_basic_callbacks(const mqs_basic_callbacks *calls)
{
    debugger = calls;
    dbg_use_memory(calls ? calls->mqs_malloc_fp : NULL, calls ? calls->mqs_free_fp : NULL);
}

#define TEXT(x) #x
#define VALUE(x) TEXT(x)

MQS_EXPORT char *mqs_version_string(void)
{
    static char text[] = "mpivet, records of version " VALUE(MV_VERSION) ", compiled on " __DATE__;
    return text;
}

MQS_EXPORT int mqs_version_compatibility(void) { return MQS_INTERFACE_COMPATIBILITY; }

MQS_EXPORT int mqs_dll_taddr_width(void) { return sizeof(mqs_taddr_t); }

MQS_EXPORT char *mqs_dll_error_string(int code)
{
    static char text[128]; /* callers may change it */
    snprintf(text, sizeof text, "%s", dbg_error_text(code));
    return text;
}

/* Images */

MQS_EXPORT int mqs_setup_image(mqs_image *image, const mqs_image_callbacks *calls)
{
    if (!debugger || !debugger->mqs_put_image_info_fp || !debugger->mqs_get_image_info_fp || !calls)
        return err_setup;
    mqs_image_info *info = dbg_malloc(sizeof *info);
    if (!info)
        return err_memory;
    info->calls = calls;
    debugger->mqs_put_image_info_fp(image, info);
    return mqs_ok;
}

/* Only the process can tell: the preload library is not part of the executable. */
MQS_EXPORT int mqs_image_has_queues(mqs_image *image, char **message)
{
    (void)image;
    if (message)
        *message = NULL;
    return mqs_ok;
}

MQS_EXPORT void mqs_destroy_image_info(mqs_image_info *info) { dbg_free(info); }

/* Processes */

MQS_EXPORT int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *calls)
{
    if (!debugger || !debugger->mqs_put_process_info_fp || !debugger->mqs_get_process_info_fp || !calls ||
        !calls->mqs_get_image_fp || !calls->mqs_fetch_data_fp)
        return err_setup;
    mqs_image *image = calls->mqs_get_image_fp(process);
    const mqs_image_info *about = image ? debugger->mqs_get_image_info_fp(image) : NULL;
    if (!about || !about->calls->mqs_find_symbol_fp)
        return err_setup;
    tables *p = dbg_malloc(sizeof *p);
    if (!p)
        return err_memory;
    p->target.process = process;
    p->target.calls = calls;
    p->image = image;
    p->find_symbol = about->calls->mqs_find_symbol_fp;
    p->class = -1;
    debugger->mqs_put_process_info_fp(process, p);
    return mqs_ok;
}

MQS_EXPORT void mqs_destroy_process_info(mqs_process_info *p)
{
    if (p)
        dbg_forget(p);
    dbg_free(p);
}

static tables *of(mqs_process *process)
{
    return debugger && process ? debugger->mqs_get_process_info_fp(process) : NULL;
}

/* Writes the message about a process whose tables cannot be used. Debuggers print it as a format, with the image's
 * name. */
static void explain(tables *p, int code)
{
    char program[sizeof((struct mv_debug *)0)->program] = "mpivet";
    if (code == err_other_table)
        dbg_text(program, sizeof program, p->head + offsetof(struct mv_debug, program), sizeof program);
    int n = snprintf(p->message, sizeof p->message, "mpivet's message queues: %s", dbg_error_text(code));
    if ((code == err_other_version || code == err_other_table) && n > 0 && (size_t)n < sizeof p->message)
        snprintf(p->message + n, sizeof p->message - n,
                 ". Use the library that belongs to it: the command \"%s dbg-library\" prints its path", program);
    for (char *c = p->message; *c; c++)
        if (*c == '%')
            *c = '?';
}

MQS_EXPORT int mqs_process_has_queues(mqs_process *process, char **message)
{
    tables *p = of(process);
    if (message)
        *message = NULL;
    if (!p)
        return err_setup;
    const int rc = dbg_read_head(p);
    if (rc != mqs_ok) {
        explain(p, rc);
        if (message)
            *message = p->message;
    }
    return rc;
}

MQS_EXPORT int mqs_get_global_rank(mqs_process *process)
{
    tables *p = of(process);
    if (!p || dbg_read_head(p) != mqs_ok)
        return MQS_INVALID_PROCESS;
    const int32_t rank = (int32_t)HEAD(p, rank);
    return rank < 0 ? MQS_INVALID_PROCESS : rank;
}

/* Communicators */

MQS_EXPORT int mqs_update_communicator_list(mqs_process *process)
{
    tables *p = of(process);
    return p ? dbg_update(p) : err_setup;
}

MQS_EXPORT int mqs_setup_communicator_iterator(mqs_process *process)
{
    tables *p = of(process);
    if (!p)
        return err_setup;
    if (!p->updated) {
        const int rc = dbg_update(p);
        if (rc != mqs_ok)
            return rc;
    }
    p->comm = 0;
    p->class = -1;
    if (p->comms.count)
        return mqs_ok;
    return p->comms_error != mqs_ok ? p->comms_error : mqs_end_of_list;
}

static const struct comm *current(const tables *p)
{
    return p && p->comm < p->comms.count ? (const struct comm *)p->comms.at + p->comm : NULL;
}

MQS_EXPORT int mqs_get_communicator(mqs_process *process, mqs_communicator *to)
{
    const struct comm *c = current(of(process));
    if (!c || !to)
        return err_no_communicator;
    memset(to, 0, sizeof *to);
    to->unique_id = c->id;
    to->local_rank = c->rank;
    to->size = c->size;
    snprintf(to->name, sizeof to->name, "%s", c->name);
    return mqs_ok;
}

MQS_EXPORT int mqs_get_comm_group(mqs_process *process, int *ranks)
{
    const struct comm *c = current(of(process));
    if (!c || !ranks)
        return err_no_communicator;
    if (!c->at || c->runs == 0)
        return mqs_no_information;
    for (int32_t i = 0; i < c->size; i++)
        ranks[i] = MQS_INVALID_PROCESS;
    int32_t i = 0;
    for (uint32_t r = 0; r < c->runs; r++)
        for (int32_t k = 0; k < c->run[r].count && i < c->size; k++, i++) {
            const int64_t world = c->run[r].start + (int64_t)k * c->run[r].stride;
            if (c->run[r].start >= 0 && world >= 0 && world <= INT32_MAX)
                ranks[i] = (int)world;
        }
    return mqs_ok;
}

MQS_EXPORT int mqs_next_communicator(mqs_process *process)
{
    tables *p = of(process);
    if (!p)
        return err_setup;
    p->class = -1;
    if (p->comm < p->comms.count)
        p->comm++;
    if (p->comm < p->comms.count)
        return mqs_ok;
    return p->comms_error != mqs_ok ? p->comms_error : mqs_end_of_list;
}

/* Messages */

MQS_EXPORT int mqs_setup_operation_iterator(mqs_process *process, int class)
{
    tables *p = of(process);
    if (!p)
        return err_setup;
    p->class = -1;
    if (!current(p))
        return err_no_communicator;
    switch (class) {
    case mqs_pending_sends:
    case mqs_pending_receives: break;
    case mqs_unexpected_messages: {
        const int rc = dbg_read_unexpected(p);
        if (rc != mqs_ok)
            return rc;
        break;
    }
    default: return err_bad_class;
    }
    p->class = class;
    p->next = 0;
    return mqs_ok;
}

/* Writes the next line of text about a message. */
static void __attribute__((format(printf, 2, 3))) say(mqs_pending_operation *to, const char *format, ...)
{
    for (size_t i = 0; i < sizeof to->extra_text / sizeof *to->extra_text; i++) {
        if (to->extra_text[i][0])
            continue;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(to->extra_text[i], sizeof to->extra_text[i], format, arguments);
        va_end(arguments);
        return;
    }
}

static void say_since(const tables *p, mqs_pending_operation *to, uint64_t beat)
{
    if (beat && p->present >= beat) {
        const uint64_t tenths = (p->present - beat) / 100000000;
        say(to, "for %llu.%llu s", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
    }
}

/* The length of a buffer, and the text about it. */
static void measure(const tables *p, const struct call *c, const struct side *s, mqs_pending_operation *to)
{
    char name[64];
    int32_t size = -1;
    int64_t count = s->wide ? (int64_t)dbg_argument(p, c, s->count, 8) : (int32_t)dbg_argument(p, c, s->count, 4);
    const uint64_t type = dbg_argument(p, c, s->type, 8);
    if (c->function->partitions) {
        const int32_t partitions = (int32_t)dbg_argument(p, c, c->function->partitions, 4);
        if (__builtin_mul_overflow(count, (int64_t)partitions, &count))
            count = -1;
    }
    if (!dbg_name(p, MV_NAME_DATATYPE, type, name, &size))
        snprintf(name, sizeof name, "datatype 0x%llx", (unsigned long long)type);
    int64_t bytes;
    if (size < 0 || count < 0 || __builtin_mul_overflow(count, (int64_t)size, &bytes))
        bytes = -1;
    to->desired_length = bytes;
    say(to, "%lld x %.40s", (long long)count, name);
}

static void describe(const tables *p, const struct comm *on, const struct call *c, int sends, mqs_pending_operation *to)
{
    const struct side *s = sends ? &c->function->send : &c->function->receive;
    const int mpich = HEAD(p, handle_size) == 4;
    const int64_t any_source = dbg_constant(p, "MPI_ANY_SOURCE", mpich ? -2 : -1);
    const int64_t any_tag = dbg_constant(p, "MPI_ANY_TAG", -1);
    to->status = mqs_st_pending;
    to->desired_local_rank = to->desired_global_rank = -1;
    to->tag_wild = 1;
    if (s->peer) {
        const int32_t peer = (int32_t)dbg_argument(p, c, s->peer, 4), tag = (int32_t)dbg_argument(p, c, s->tag, 4);
        if (sends || peer != any_source) {
            to->desired_local_rank = peer;
            to->desired_global_rank = dbg_world_rank(on, peer, 0);
        }
        to->tag_wild = !sends && tag == any_tag;
        to->desired_tag = tag;
    }
    to->buffer = dbg_argument(p, c, s->buffer, 8);
    measure(p, c, s, to);
    if (sends) {
        to->actual_local_rank = to->desired_local_rank;
        to->actual_global_rank = to->desired_global_rank;
        to->actual_tag = to->desired_tag;
        to->actual_length = to->desired_length;
    } else {
        to->actual_local_rank = to->actual_global_rank = -1;
    }
}

/* Fills in a message that a thread sends or receives in a call. Returns 0 if it is not there any more. */
static int fill_thread(const tables *p, const struct comm *on, const struct operation *o, mqs_pending_operation *to)
{
    unsigned char h[sizeof(struct mv_debug_thread)];
    struct call c;
    if (!dbg_fetch(&p->target, o->at, sizeof h, h))
        return 0;
    const uint64_t length = MEMBER(&p->target, h, struct mv_debug_thread, now_length);
    if (!dbg_in_call(p, h) ||
        !dbg_decode(p, h + offsetof(struct mv_debug_thread, now), length < MV_NOW ? length : MV_NOW, &c) ||
        !c.function || !(c.function->acts & o->acts))
        return 0;
    say(to, "%s", c.function->name);
    describe(p, on, &c, o->acts == SENDS, to);
    say(to, "thread %u is in the call", o->tid);
    say_since(p, to, MEMBER(&p->target, h, struct mv_debug_thread, beat));
    return 1;
}

/* The same for a request. */
static int fill_request(const tables *p, const struct comm *on, const struct operation *o, mqs_pending_operation *to)
{
    unsigned char r[sizeof(struct mv_open_request)];
    struct call c;
    if (!dbg_fetch(&p->target, o->at, sizeof r, r))
        return 0;
    const uint64_t length = MEMBER(&p->target, r, struct mv_open_request, length);
    const uint64_t flags = MEMBER(&p->target, r, struct mv_open_request, flags);
    if (!(flags & MV_REQUEST_ACTIVE) ||
        !dbg_decode(p, r + offsetof(struct mv_open_request, record),
                    length < MV_REQUEST_RECORD ? length : MV_REQUEST_RECORD, &c) ||
        !c.function || !(c.function->acts & o->acts))
        return 0;
    say(to, "%s%s", c.function->name, flags & MV_REQUEST_PERSISTENT ? ", started" : "");
    describe(p, on, &c, o->acts == SENDS, to);
    if (o->tid)
        say(to, "by thread %u", o->tid);
    say_since(p, to, MEMBER(&p->target, r, struct mv_open_request, beat));
    const uint64_t site = MEMBER(&p->target, r, struct mv_open_request, site);
    if (site)
        say(to, "called before 0x%llx", (unsigned long long)site);
    return 1;
}

static int next_unexpected(tables *p, const struct comm *on, mqs_pending_operation *to)
{
    const struct unexpected *u = p->unexpected.at;
    for (; p->next < p->unexpected.count; p->next++) {
        const struct unexpected *m = &u[p->next];
        if (m->comm != on->handle)
            continue;
        p->next++;
        to->status = mqs_st_pending;
        to->desired_local_rank = to->actual_local_rank = m->source;
        to->desired_global_rank = to->actual_global_rank =
            m->world >= 0 ? m->world : dbg_world_rank(on, m->source, 0);
        to->desired_tag = to->actual_tag = m->tag;
        to->desired_length = to->actual_length = m->bytes;
        to->system_buffer = 1;
        if (m->function < dbg_function_count && dbg_functions[m->function].name)
            say(to, "sent by %s", dbg_functions[m->function].name);
        say_since(p, to, m->beat);
        return mqs_ok;
    }
    return mqs_end_of_list;
}

MQS_EXPORT int mqs_next_operation(mqs_process *process, mqs_pending_operation *to)
{
    tables *p = of(process);
    const struct comm *on = current(p);
    if (!p || !to)
        return err_setup;
    if (!on)
        return err_no_communicator;
    if (p->class < 0)
        return err_no_operations;
    memset(to, 0, sizeof *to);
    if (p->class == mqs_unexpected_messages)
        return next_unexpected(p, on, to);
    const int acts = p->class == mqs_pending_sends ? SENDS : RECEIVES;
    const struct operation *list = p->operations.at;
    while (p->next < p->operations.count) {
        const struct operation *o = &list[p->next++];
        if (o->acts == acts && o->comm == on->handle &&
            (o->request ? fill_request(p, on, o, to) : fill_thread(p, on, o, to)))
            return mqs_ok;
        memset(to, 0, sizeof *to);
    }
    return p->operations_error != mqs_ok ? p->operations_error : mqs_end_of_list;
}

/* Collectives */

MQS_EXPORT int mqs_get_comm_coll_state(mqs_process *process, int class, int *count, int *active)
{
    tables *p = of(process);
    const struct comm *c = current(p);
    if (!p || !count || !active)
        return err_setup;
    if (!c)
        return err_no_communicator;
    if (!c->at || class < 0 || class >= mqs_comm_classes)
        return mqs_no_information;
    const unsigned kind = dbg_kind_of_class[class];
    if (!dbg_kinds[kind].on_comm)
        return mqs_no_information;
    unsigned char serial[8], counts[sizeof(struct mv_count)];
    const uint64_t at = c->at + offsetof(struct mv_object, count) + kind * sizeof(struct mv_count);
    if (!dbg_fetch(&p->target, at, sizeof counts, counts) || !dbg_fetch(&p->target, c->at, sizeof serial, serial))
        return err_objects;
    if (dbg_number(&p->target, serial, sizeof serial) != c->serial)
        return mqs_no_information; /* it was freed since the last update */
    const uint64_t entered = MEMBER(&p->target, counts, struct mv_count, entered);
    *count = (int)(uint32_t)entered;
    *active = entered != MEMBER(&p->target, counts, struct mv_count, left);
    const struct operation *o = p->operations.at;
    for (size_t i = 0; i < p->operations.count && !*active; i++)
        *active = o[i].acts == COLLECTIVE && o[i].kind == kind && o[i].comm == c->handle;
    return mqs_ok;
}
