/*
 * Reads the frames of CPython. In 3.9 and 3.10, they are objects (PyFrameObject). From 3.11 on, they are structures
 * (_PyInterpreterFrame) that functions called by Python code share with one C frame of the interpreter.
 *
 * Nothing is called but PyGILState_GetThisThreadState, which reads a thread-specific value: mpi4py has released the
 * interpreter's lock, so that the interpreter itself does not know what this thread does.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <string.h>

#include "python.h"
#include "table.h"

#define MV_MAY_LOAD /* when files were mapped since the last time */
#include "rules.h"

_Atomic int mv_python_there;

/* Where things are in the objects of this version of CPython: offsets in bytes. */
struct form {
    uint16_t version;            /* 0x030b: 3.11 */
    uint16_t via, frame;         /* thread: pointer to what has the frame (0: the thread itself); the frame there */
    uint16_t back, code, at;     /* frame: the calling frame, the code, the instruction */
    uint16_t owner, entry;       /* frame: who owns it; whether C has called it; 0: there is no such field */
    uint16_t scale;              /* bytes of an instruction if `at` is a number of instructions; 0: it is an address */
    uint16_t file, name, lines, first, instructions; /* code */
    uint16_t code_size;          /* tp_basicsize of the type of codes */
    uint16_t string;             /* length of the header of strings that are not ASCII */
};

/* 3.9 to 3.12. From 3.13 on, CPython tells where things are. */
static const struct form forms[] = {
    {0x0309, 0, 24, 24, 32, 104, 0, 0, 1, 104, 112, 120, 40, 0, 176, 72},
    {0x030a, 0, 24, 24, 32, 96, 0, 0, 2, 104, 112, 120, 40, 0, 176, 72},
    {0x030b, 56, 8, 48, 32, 56, 69, 68, 0, 112, 128, 136, 72, 184, 184, 72},
    {0x030c, 56, 0, 8, 0, 56, 70, 0, 0, 112, 128, 136, 68, 192, 192, 56},
};

/* Where the offsets are in the structure _Py_DebugOffsets, as numbers of 64-bit words. */
struct told {
    uint16_t version;
    uint16_t frame, back, code, at, owner, file, name, lines, first, instructions, string;
};

static const struct told tolds[] = {
    {0x030d, 23, 29, 30, 31, 33, 35, 37, 38, 39, 43, 70},
    {0x030e, 26, 32, 33, 34, 36, 40, 42, 43, 44, 48, 80},
};

enum {
    THREE_12 = 0x030c,
    SHIM = 3,       /* from 3.12 on, a frame with this owner or a later one is not that of a function */
    STRING_AT = 16, /* string: its length in characters, its hash, its kind */
    STRING_HASH = 24,
    STRING_KIND = 32,
    STRING_ASCII = 40, /* from 3.12 on; 48 before */
    BYTES_SIZE = 16,
    BYTES_AT = 32,
    TYPE_SIZE = 32, /* tp_basicsize */
    ROUNDS = 4 * MV_DEPTH,
};

static struct form form;
static const char *code_type, *string_type, *bytes_type;
static void *(*this_thread)(void);

/* The walk from the innermost frame outwards. */
struct walk {
    const char *frame;
    unsigned rounds;
    const char *code;
    int64_t at;
    int entry;
};

/* A pointer, or any other 8 bytes. */
static const char *pointer(const char *p, unsigned at)
{
    const char *v;
    memcpy(&v, p + at, sizeof v);
    return v;
}

static int32_t number(const char *p, unsigned at)
{
    int32_t v;
    memcpy(&v, p + at, sizeof v);
    return v;
}

/* Objects are aligned. In frames of 3.14, the lowest bits of their addresses have a meaning. */
static int is_of(const char *object, const char *type)
{
    return object && !((uintptr_t)object & 7) && pointer(object, 8) == type;
}

static void begin(struct walk *w)
{
    const char *thread = this_thread();
    w->frame = NULL;
    w->rounds = 0;
    if (thread && form.via)
        thread = pointer(thread, form.via);
    if (thread)
        w->frame = pointer(thread, form.frame);
}

static int is_shim(const char *frame) { return form.version >= THREE_12 && (unsigned char)frame[form.owner] >= SHIM; }

/* The next frame of a function. 0: there is none. */
static int next(struct walk *w)
{
    while (w->frame && !((uintptr_t)w->frame & 7) && w->rounds++ < ROUNDS) {
        const char *f = w->frame;
        w->frame = pointer(f, form.back);
        w->code = (const char *)((uintptr_t)pointer(f, form.code) & ~(uintptr_t)7);
        if (is_shim(f) || !is_of(w->code, code_type))
            continue;
        if (form.scale)
            w->at = (int64_t)number(f, form.at) * form.scale;
        else
            w->at = pointer(f, form.at) - (w->code + form.instructions);
        if (form.version >= THREE_12)
            w->entry = !w->frame || is_shim(w->frame);
        else
            w->entry = form.scale || f[form.entry];
        return 1;
    }
    return 0;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
    return h ^ h >> 32;
}

static unsigned ascii_at(void) { return form.version < THREE_12 ? STRING_ASCII + 8 : STRING_ASCII; }

/* The address of a code is not enough: another code may be there later, mostly one of a program that executes strings
 * ("<string>"). The table of lines has room for at least 8 bytes. */
static uint64_t code_hash(const char *code)
{
    const char *file = pointer(code, form.file), *lines = pointer(code, form.lines);
    const uint64_t n = (uint64_t)(uintptr_t)pointer(lines, BYTES_SIZE);
    const uint64_t parts[] = {
        (uintptr_t)code, (uintptr_t)lines, n << 32 ^ (uint32_t)number(code, form.first),
        (uintptr_t)pointer(file, STRING_HASH), (uintptr_t)pointer(lines, BYTES_AT),
    };
    uint64_t h = 0, factor = 0x9e3779b97f4a7c15ULL;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) { /* unlike mix, all parts at the same time */
        h += (parts[i] ^ parts[i] >> 32) * factor;
        factor *= 0xbf58476d1ce4e5b9ULL;
    }
    if (MV_UNLIKELY(file[ascii_at()] == '<') && n > 8) {
        for (uint64_t i = 8; i + 8 <= n && i < 1024; i += 8)
            h = mix(h, (uintptr_t)pointer(lines + i, BYTES_AT));
        h = mix(h, (uintptr_t)pointer(lines + n - 8, BYTES_AT));
    }
    return h;
}

uint64_t mv_python_hash(void)
{
    struct walk w;
    uint64_t h = 0;
    begin(&w);
    for (unsigned n = 0; n < MV_DEPTH && next(&w); n++)
        h = mix(h, code_hash(w.code) + (uint64_t)w.at) | 1;
    return h;
}

/* The characters of a string. */
struct text {
    const char *p;
    uint32_t length; /* bytes */
    uint8_t width;   /* of a character */
};

static struct text text_of(const char *s, uint32_t limit)
{
    struct text t = {"", 0, 1};
    if (!is_of(s, string_type))
        return t;
    const uint32_t kind = (uint32_t)number(s, STRING_KIND);
    const unsigned width = kind >> 2 & 7;
    const uint64_t length = (uint64_t)(uintptr_t)pointer(s, STRING_AT);
    if (!(kind & 1 << 5) || (width != 1 && width != 2 && width != 4))
        return t;
    t.p = s + (kind & 1 << 6 ? ascii_at() : form.string);
    t.width = (uint8_t)width;
    t.length = (uint32_t)(length < limit / width ? length : limit / width) * width;
    return t;
}

/* The number of a code. If it is new, it is published. */
static uint32_t publish(struct mv_thread *t, const char *code)
{
    const uint64_t h = code_hash(code) | 4; /* must not be a reserved key */
    struct mv_seen *seen = mv_table_find(t->codes, sizeof *seen, MV_CODES_BITS, h);
    if (seen)
        return seen->site;
    const struct text name = text_of(pointer(code, form.name), 1024), file = text_of(pointer(code, form.file), 4096);
    const char *lines = pointer(code, form.lines);
    uint64_t n = is_of(lines, bytes_type) ? (uint64_t)(uintptr_t)pointer(lines, BYTES_SIZE) : 0;
    const uint64_t room = t->largest - 8192;
    if (n > room)
        n = room;
    struct mv_code c = {.first_line = number(code, form.first), .version = form.version, .name_width = name.width,
                        .file_width = file.width, .name_len = name.length, .file_len = file.length,
                        .lines_len = (uint32_t)n};
    unsigned char *r = mv_info_begin(t, MV_CODE, ++t->ncodes, sizeof c + name.length + file.length + n);
    unsigned char *to = r + sizeof(struct mv_record);
    memcpy(to, &c, sizeof c);
    memcpy(to += sizeof c, name.p, name.length);
    memcpy(to += name.length, file.p, file.length);
    memcpy(to + file.length, n ? lines + BYTES_AT : "", n);
    mv_info_end(t, r);
    if (!(seen = mv_table_reserve(t->codes, sizeof *seen, MV_CODES_BITS, h)))
        seen = mv_table_entry(t->codes, sizeof *seen, mv_hash_bits(h, MV_CODES_BITS)); /* another one is forgotten */
    seen->site = t->ncodes;
    mv_table_publish(seen, h);
    return t->ncodes;
}

unsigned mv_python_frames(struct mv_thread *t, struct mv_frame *to)
{
    struct walk w;
    unsigned n = 0;
    begin(&w);
    for (; n < MV_DEPTH && next(&w); n++)
        to[n] = (struct mv_frame){.code = publish(t, w.code), .entry = (uint32_t)w.entry, .at = w.at};
    return n;
}

struct search {
    unsigned long long adds, subs;
    char path[512];
};

static int library(struct dl_phdr_info *i, size_t size, void *arg)
{
    (void)size;
    struct search *s = arg;
    s->adds = i->dlpi_adds;
    s->subs = i->dlpi_subs;
    const char *base = i->dlpi_name ? strrchr(i->dlpi_name, '/') : NULL;
    if (base && !strncmp(base, "/libpython3", 11) && strlen(i->dlpi_name) < sizeof s->path)
        strcpy(s->path, i->dlpi_name);
    return 0;
}

/* 0x030b07f0 for 3.11.7; 0 if it is not known. */
static unsigned long version_of(void *lib)
{
    const unsigned long *v = dlsym(lib, "Py_Version");
    if (v)
        return *v;
    if (!dlsym(lib, "PyFrame_GetCode"))
        return 0;
    return dlsym(lib, "Py_NewRef") ? 0x030a00f0 : 0x030900f0;
}

/* Takes the form of this version from CPython's own table. */
static int told_form(uint16_t version, const char *runtime)
{
    const uint64_t *at = (const uint64_t *)runtime;
    for (size_t i = 0; i < sizeof tolds / sizeof *tolds; i++) {
        const struct told *t = &tolds[i];
        if (t->version != version || memcmp(runtime, "xdebugpy", 8) || at[2])
            continue; /* at[2]: objects without the global lock have another form */
        form = (struct form){
            .version = version, .frame = (uint16_t)at[t->frame], .back = (uint16_t)at[t->back],
            .code = (uint16_t)at[t->code], .at = (uint16_t)at[t->at], .owner = (uint16_t)at[t->owner],
            .file = (uint16_t)at[t->file], .name = (uint16_t)at[t->name], .lines = (uint16_t)at[t->lines],
            .first = (uint16_t)at[t->first], .instructions = (uint16_t)at[t->instructions],
            .code_size = (uint16_t)at[t->instructions], .string = (uint16_t)(at[t->string] + 16),
        };
        return at[t->string] == STRING_ASCII;
    }
    return 0;
}

static int find_form(unsigned long version, const char *runtime)
{
    const uint16_t minor = (uint16_t)(version >> 16);
    if ((version >> 4 & 15) != 15) /* not yet released */
        return 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].version == minor) {
            form = forms[i];
            return 1;
        }
    return told_form(minor, runtime);
}

/* Whether the sizes of objects are those of the form: builds for debugging may have longer headers. */
static int sizes_agree(void)
{
    return pointer(code_type, TYPE_SIZE) == (const char *)(uintptr_t)form.code_size &&
           pointer(string_type, TYPE_SIZE) == (const char *)(uintptr_t)(form.string + 8) &&
           pointer(bytes_type, TYPE_SIZE) == (const char *)(uintptr_t)(BYTES_AT + 1);
}

static int find(void *lib)
{
    const char *runtime = dlsym(lib, "_PyRuntime");
    void *get = runtime ? dlsym(lib, "PyGILState_GetThisThreadState") : NULL;
    if (!get)
        return 0;
    code_type = dlsym(lib, "PyCode_Type");
    string_type = dlsym(lib, "PyUnicode_Type");
    bytes_type = dlsym(lib, "PyBytes_Type");
    memcpy(&this_thread, &get, sizeof get);
    return code_type && string_type && bytes_type && find_form(version_of(lib), runtime) && sizes_agree();
}

int mv_python_look(void)
{
    static _Atomic int looking;
    static unsigned long long adds, subs; /* dl_iterate_phdr's counters at the last time */
    struct search s = {.path = ""};
    int found = 0;
    if (sizeof(void *) != 8)
        return 0;
    while (atomic_exchange(&looking, 1))
        sched_yield();
    const int e = errno;
    dl_iterate_phdr(library, &s);
    if (!mv_has_python() && (s.adds != adds || s.subs != subs)) {
        adds = s.adds;
        subs = s.subs;
        found = find(RTLD_DEFAULT);
        if (!found && s.path[0]) { /* it was loaded with RTLD_LOCAL */
            void *lib = dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD);
            found = lib && find(lib);
            if (lib)
                dlclose(lib);
        }
        dlerror();
        if (found)
            atomic_store_explicit(&mv_python_there, 1, memory_order_release);
    }
    found = mv_has_python();
    errno = e;
    atomic_store(&looking, 0);
    return found;
}
