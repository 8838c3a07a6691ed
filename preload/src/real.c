/*
 * Finding the real MPI functions and the MPI library's predefined objects. The library is not linked to MPI, so that
 * it can be preloaded into any program: everything is looked up when it is first needed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "mv.h"

struct candidate {
    char path[512];
    uintptr_t base;
};

struct hunt {
    struct candidate lib[8];
    int n;
};

static int note(struct dl_phdr_info *i, size_t size, void *arg)
{
    (void)size;
    struct hunt *h = arg;
    const char *base = i->dlpi_name ? strrchr(i->dlpi_name, '/') : NULL;
    base = base ? base + 1 : i->dlpi_name;
    if (!base || strncmp(base, "libmpi", 6) || !strncmp(base, "libmpivet", 9) || h->n == 8 ||
        strlen(i->dlpi_name) >= sizeof h->lib[0].path)
        return 0;
    strcpy(h->lib[h->n].path, i->dlpi_name);
    h->lib[h->n++].base = i->dlpi_addr;
    return 0;
}

/* A program may load MPI, or a library linked to MPI, out of everybody's sight (RTLD_LOCAL): such files are looked
 * into one by one. */
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

static void *search(const char *name, void *scope)
{
    int e = errno;
    void *p = dlsym(scope, name);
    if (!p) {
        p = mv_symbol_hidden(name);
    }
    dlerror();
    errno = e;
    return p;
}

/* The address of an object of the MPI library, NULL if there is none. The program's own copy of it, which a program
 * linked at a fixed address has, comes first. */
void *mv_symbol(const char *name) { return search(name, RTLD_DEFAULT); }

/* The MPI library's function of that name (PMPI_…). A program that calls one that is not there would have died of
 * it when it was linked or loaded; so it does here. */
void *mv_real(const char *pname)
{
    void *p = search(pname, RTLD_NEXT);
    if (!p)
        abort();
    return p;
}

/* Sets a pointer to the function of that name. */
void mv_bind(void *pointer, const char *pname)
{
    void *p = mv_real(pname);
    memcpy(pointer, &p, sizeof p);
}
