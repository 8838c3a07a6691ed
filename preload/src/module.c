/*
 * Publishes the files that are mapped into the process, when they appear. The analyzer needs them to find the names of
 * return addresses after the process has ended. Every ring has its own list, as rings are read independently.
 *
 * The data of the dynamic linker are copied under its lock. They are published afterwards, as that may wait for the
 * analyzer.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "module.h"

#define MV_MAY_LOAD /* when a call site is new */
#include "rules.h"

struct found {
    struct mv_thread *t;
    unsigned char *out;
    size_t used, size;
    int changed, first;
};

static int look(struct dl_phdr_info *i, size_t size, void *arg)
{
    struct found *f = arg;
    f->changed = 1;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof i->dlpi_subs) {
        f->changed = i->dlpi_adds != f->t->adds || i->dlpi_subs != f->t->subs || !f->t->modules;
        f->t->adds = i->dlpi_adds;
        f->t->subs = i->dlpi_subs;
    }
    return 1;
}

static void find_build_id(const struct dl_phdr_info *i, const ElfW(Phdr) *p, const unsigned char **id, unsigned *len)
{
    const unsigned char *n = (const unsigned char *)(i->dlpi_addr + p->p_vaddr);
    const unsigned char *end = n + p->p_memsz;
    size_t align = p->p_align == 8 ? 8 : 4;
    while ((size_t)(end - n) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *h = (const ElfW(Nhdr) *)n;
        size_t name = (h->n_namesz + align - 1) & ~(align - 1), desc = (h->n_descsz + align - 1) & ~(align - 1);
        if (name + desc > (size_t)(end - n) - sizeof *h)
            return;
        if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4 && !memcmp(n + sizeof *h, "GNU", 4) && h->n_descsz <= 64) {
            *id = n + sizeof *h + name;
            *len = h->n_descsz;
            return;
        }
        n += sizeof *h + name + desc;
    }
}

static int collect(struct dl_phdr_info *i, size_t size, void *arg)
{
    (void)size;
    struct found *f = arg;
    struct mv_module m = {.base = i->dlpi_addr, .start = UINT64_MAX};
    const unsigned char *id = NULL;
    unsigned id_len = 0;
    char exe[4096];
    const char *path = i->dlpi_name;
    size_t path_len = path ? strlen(path) : 0;
    for (int k = 0; k < i->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &i->dlpi_phdr[k];
        if (p->p_type == PT_LOAD) {
            uint64_t a = i->dlpi_addr + p->p_vaddr;
            if (a < m.start)
                m.start = a;
            if (a + p->p_memsz > m.end)
                m.end = a + p->p_memsz;
        }
    }
    if (m.start >= m.end)
        return 0;
    for (int k = 0; k < i->dlpi_phnum && !id; k++)
        if (i->dlpi_phdr[k].p_type == PT_NOTE)
            find_build_id(i, &i->dlpi_phdr[k], &id, &id_len);
    if (!path_len && f->first) {
        ssize_t n = readlink("/proc/self/exe", exe, sizeof exe);
        path = exe;
        path_len = n > 0 ? (size_t)n : 0;
    }
    f->first = 0;
    if (path_len > 4096)
        path_len = 4096;
    m.build_id_len = (uint16_t)id_len;
    m.path_len = (uint16_t)path_len;
    size_t need = (sizeof m + id_len + path_len + 7) & ~(size_t)7;
    if (f->used + need <= f->size) {
        unsigned char *o = f->out + f->used;
        memcpy(o, &m, sizeof m);
        if (id_len)
            memcpy(o + sizeof m, id, id_len);
        if (path_len)
            memcpy(o + sizeof m + id_len, path, path_len);
    }
    f->used += need;
    return 0;
}

void mv_modules(struct mv_thread *t)
{
    struct found f = {.t = t};
    int e = errno;
    dl_iterate_phdr(look, &f);
    if (!f.changed)
        return;
    for (size_t want = 64 << 10;; want = f.used + 4096) {
        f.out = mv_grow(&t->runs, want);
        if (!f.out)
            return;
        f.size = t->runs.size;
        f.used = 0;
        f.first = 1;
        dl_iterate_phdr(collect, &f);
        if (f.used <= f.size)
            break;
    }
    for (size_t at = 0; at < f.used;) {
        const struct mv_module *m = (const struct mv_module *)(f.out + at);
        size_t len = sizeof *m + m->build_id_len + m->path_len;
        uint64_t hash = 0xcbf29ce484222325ULL;
        for (size_t k = sizeof *m; k < len; k++)
            hash = (hash ^ f.out[at + k]) * 0x100000001b3ULL;
        uint32_t k = 0;
        while (k < t->modules && (t->module[k].base != m->base || t->module[k].hash != hash))
            k++;
        if (k == t->modules) {
            unsigned char *r = mv_info_begin(t, MV_MODULE, 0, len);
            memcpy(r + sizeof(struct mv_record), m, len);
            mv_info_end(t, r);
            mv_device_module((const char *)(m + 1) + m->build_id_len, m->path_len);
            /* Another file may be mapped there later, and then this one again: only the latest one per address
             * counts. */
            for (k = 0; k < t->modules && t->module[k].base != m->base; k++)
                ;
            if (k < MV_MODULES) {
                t->module[k].base = m->base;
                t->module[k].hash = hash;
                if (k == t->modules)
                    t->modules++;
            }
        }
        at += (len + 7) & ~(size_t)7;
    }
    errno = e;
}
