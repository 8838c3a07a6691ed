/* Looks up functions and objects of the MPI library, which this library is not linked to. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

#define MV_MAY_LOAD /* everything is looked up once, when it is first needed */
#define MV_MAY_END  /* a function is missing */
#include "rules.h"

struct candidate {
    char path[512];
    uintptr_t base;
};

struct hunt {
    struct candidate lib[8];
    int n;
};

/* Notes a file if its name has the prefix of an MPI library. Open MPI 6 has its objects in libopen_mpi. */
static int note(struct dl_phdr_info *i, size_t size, void *arg)
{
    (void)size;
    struct hunt *h = arg;
    const char *base = i->dlpi_name ? strrchr(i->dlpi_name, '/') : NULL;
    base = base ? base + 1 : i->dlpi_name;
    if (!base || (strncmp(base, "libmpi", 6) && strncmp(base, "libopen_mpi", 11)) || !strncmp(base, "libmpivet", 9) ||
        h->n == 8 || strlen(i->dlpi_name) >= sizeof h->lib[0].path)
        return 0;
    strcpy(h->lib[h->n].path, i->dlpi_name);
    h->lib[h->n++].base = i->dlpi_addr;
    return 0;
}

/* A program may load MPI, or a library that is linked to MPI, with RTLD_LOCAL. Then only a search of each file finds
 * the name. */
void *mv_symbol_hidden(const char *name)
{
    struct hunt h;
    void *found = NULL;
    h.n = 0;
    dl_iterate_phdr(note, &h);
    for (int i = 0; i < h.n && !found; i++) {
        Dl_info where;
        void *lib = dlopen(h.lib[i].path, RTLD_LAZY | RTLD_NOLOAD);
        void *p = lib ? dlsym(lib, name) : NULL;
        if (p && dladdr(p, &where) && (uintptr_t)where.dli_fbase == h.lib[i].base)
            found = p;
        if (lib)
            dlclose(lib);
    }
    return found;
}

#ifdef MV_LINKED
static void *linked(const char *name)
{
    const struct mv_linked *l = mv_linked;
    while (l->name && strcmp(l->name, name))
        l++;
    return l->address;
}
#else
static void *linked(const char *name)
{
    (void)name;
    return NULL;
}
#endif

static void *search(const char *name, void *scope)
{
    int e = errno;
    void *p = linked(name);
    if (p)
        return p;
    p = dlsym(scope, name);
    if (!p)
        p = mv_symbol_hidden(name);
    dlerror();
    errno = e;
    return p;
}

void *mv_symbol(const char *name) { return search(name, RTLD_DEFAULT); }

const void *mv_pointer_constant(const char *name)
{
    void *const *p = mv_symbol(name);
    return p ? *p : NULL;
}

void *mv_real(const char *pname)
{
    void *p = search(pname, RTLD_NEXT);
    if (!p) /* The library lacks the name for profiling: MPICH 5.0's library of the ABI that of MPI_File_close. */
        p = search(pname + 1, RTLD_NEXT);
    if (!p)
        abort();
    return p;
}

void *mv_bind(void **pointer, const char *pname)
{
    void *p = mv_real(pname);
    __atomic_store_n(pointer, p, __ATOMIC_RELEASE);
    return p;
}
