#include "target.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {
    [err_setup - err_first] = "the debugger has not set up this process, or lacks a function that is needed",
    [err_memory - err_first] = "there is not enough memory",
    [err_no_communicator - err_first] = "the iterator stands at no communicator",
    [err_no_operations - err_first] = "no iterator of operations was set up",
    [err_bad_class - err_first] = "there is no such class of operations",
    [err_no_mpivet - err_first] = "the process does not run under mpivet: it has no variable mpivet_debug",
    [err_not_yet - err_first] = "mpivet records nothing yet: the process has not initialized MPI",
    [err_damaged - err_first] = "the process has overwritten the variable mpivet_debug",
    [err_other_version - err_first] = "the process runs under another version of mpivet",
    [err_other_table - err_first] = "the process runs under another version of mpivet, with other MPI functions",
    [err_objects - err_first] = "the table of communicators cannot be read: the process has overwritten it",
    [err_threads - err_first] = "the list of threads cannot be read: the process has overwritten it",
    [err_threads_circle - err_first] = "the list of threads is a circle: the process has overwritten it",
    [err_requests - err_first] = "a table of requests cannot be read: the process has overwritten it",
    [err_record - err_first] = "the record of a call makes no sense: the process has overwritten it",
    [err_too_many - err_first] = "the tables have more entries than this library reads",
    [err_told - err_first] = "the table of unexpected messages makes no sense: the process has overwritten it",
};

const char *dbg_error_text(int code)
{
    switch (code) {
    case mqs_ok: return "no error";
    case mqs_no_information: return "there is no information";
    case mqs_end_of_list: return "the list has ended";
    }
    if (code < err_first || code >= err_end)
        return "unknown error";
    return texts[code - err_first];
}

static mqs_malloc_ft get_memory;
static mqs_free_ft free_memory;

void dbg_use_memory(mqs_malloc_ft get, mqs_free_ft release)
{
    get_memory = get && release ? get : NULL;
    free_memory = get && release ? release : NULL;
}

void *dbg_malloc(size_t size)
{
    void *p = get_memory ? get_memory(size) : malloc(size);
    if (p)
        memset(p, 0, size);
    return p;
}

void dbg_free(void *p)
{
    if (p && free_memory)
        free_memory(p);
    else
        free(p);
}

void *dbg_append(struct list *l, size_t size, size_t most)
{
    if (l->count >= most)
        return NULL;
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 16;
        char *at = dbg_malloc(room * size);
        if (!at)
            return NULL;
        if (l->at)
            memcpy(at, l->at, l->count * size);
        dbg_free(l->at);
        l->at = at;
        l->room = room;
    }
    void *element = (char *)l->at + size * l->count++;
    memset(element, 0, size);
    return element;
}

void dbg_clear(struct list *l)
{
    dbg_free(l->at);
    memset(l, 0, sizeof *l);
}

int dbg_fetch(const struct target *t, uint64_t address, size_t size, void *to)
{
    if (!address || size > INT_MAX || address + size < address)
        return 0;
    return size == 0 || t->calls->mqs_fetch_data_fp(t->process, address, (int)size, to) == mqs_ok;
}

uint64_t dbg_number(const struct target *t, const void *from, size_t size)
{
    union {
        uint8_t one;
        uint16_t two;
        uint32_t four;
        uint64_t eight;
    } v = {.eight = 0};
    if (size > sizeof v)
        return 0;
    if (t->calls->mqs_target_to_host_fp)
        t->calls->mqs_target_to_host_fp(t->process, from, &v, (int)size);
    else
        memcpy(&v, from, size);
    switch (size) {
    case 1: return v.one;
    case 2: return v.two;
    case 4: return v.four;
    }
    return v.eight;
}

void dbg_text(char *to, size_t room, const void *from, size_t size)
{
    const unsigned char *s = from;
    size_t n = 0;
    for (; n < size && n + 1 < room && s[n]; n++)
        to[n] = (char)(s[n] < ' ' || s[n] == 0x7f ? '?' : s[n]);
    to[n] = 0;
}
