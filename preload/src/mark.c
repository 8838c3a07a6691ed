/* Finds the mark of a program that contains this library. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <string.h>

#include "mark.h"

#define MV_MAY_LOAD /* looks at the program once, at the start */
#include "rules.h"

static const char owner[] = "mpivet";

static size_t padded(size_t n) { return (n + 3) & ~(size_t)3; }

/* The text of mpivet's note among notes, NULL if there is none. */
static const char *find(const char *at, size_t size)
{
    ElfW(Nhdr) h;
    while (size >= sizeof h) {
        memcpy(&h, at, sizeof h);
        const size_t name = padded(h.n_namesz), text = padded(h.n_descsz);
        if (name > size - sizeof h || text > size - sizeof h - name)
            return NULL;
        const char *s = at + sizeof h + name;
        if (h.n_namesz == sizeof owner && !memcmp(at + sizeof h, owner, sizeof owner) && memchr(s, 0, h.n_descsz))
            return s;
        at += sizeof h + name + text;
        size -= sizeof h + name + text;
    }
    return NULL;
}

/* The first object is the program. */
static int program(struct dl_phdr_info *i, size_t size, void *arg)
{
    (void)size;
    const char **mark = arg;
    for (int k = 0; k < i->dlpi_phnum && !*mark; k++)
        if (i->dlpi_phdr[k].p_type == PT_NOTE)
            *mark = find((const char *)(i->dlpi_addr + i->dlpi_phdr[k].p_vaddr), i->dlpi_phdr[k].p_memsz);
    return 1;
}

const char *mv_program_mark(void)
{
    const char *mark = NULL;
    dl_iterate_phdr(program, &mark);
    return mark;
}
