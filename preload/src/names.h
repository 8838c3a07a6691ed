/*
 * Publishes predefined handles and constants, for the generated names.c. As many as fit go into one record. An object
 * that this build of the MPI library lacks has no address, or is the null handle, and is left out.
 */
#ifndef MPIVET_NAMES_H
#define MPIVET_NAMES_H

#include <string.h>

#include "mpi_objects.h"
#include "objects.h"
#include "polls.h"
#include "shape.h"

/* The expansion of a macro as text: the name of a function. */
#define MV_TEXT_(...) #__VA_ARGS__
#define MV_TEXT(macro) MV_TEXT_(macro)

/* In names.c: publishes all of them, at the end of MPI_Init. */
void mv_names(struct mv_thread *t);

/* A record that is being written. */
struct mv_names {
    unsigned char list[4096];
    size_t used, last;
    uint64_t null_datatype;
};

MV_INLINE void mv_names_begin(struct mv_names *n)
{
    n->used = n->last = 0;
    n->null_datatype = MV_HANDLE(MPI_DATATYPE_NULL);
}

static inline void mv_names_end(struct mv_thread *t, struct mv_names *n)
{
    if (!n->used)
        return;
    ((struct mv_name *)(n->list + n->last))->more = 0;
    unsigned char *r = mv_info(t, MV_NAMES, 0, n->used);
    memcpy(r + sizeof(struct mv_record), n->list, n->used);
    mv_info_end(t, r);
    mv_objects_names(n->list, n->used);
    n->used = n->last = 0;
}

static inline void mv_name_sized(struct mv_thread *t, struct mv_names *n, int kind, const char *name, uint64_t value,
                                 int size)
{
    size_t len = strlen(name), need = sizeof(struct mv_name) + ((len + 7) & ~(size_t)7);
    if (n->used + need > sizeof n->list)
        mv_names_end(t, n);
    struct mv_name *m = (struct mv_name *)(n->list + n->used);
    memset(m, 0, need);
    m->kind = (uint8_t)kind;
    m->name_len = (uint8_t)len;
    m->more = 1;
    m->size = size;
    m->value = value;
    memcpy(m + 1, name, len);
    n->last = n->used;
    n->used += need;
}

static inline void mv_name(struct mv_thread *t, struct mv_names *n, int kind, const char *name, uint64_t value)
{
    mv_name_sized(t, n, kind, name, value, 0);
}

static inline void mv_name_handle(struct mv_thread *t, struct mv_names *n, int kind, const char *name, uint64_t value,
                                  uint64_t null)
{
#ifdef OPEN_MPI
    if (!value)
        return;
#endif
    if (value != null || strstr(name, "_NULL"))
        mv_name(t, n, kind, name, value);
}

static inline void mv_name_datatype(struct mv_thread *t, struct mv_names *n, const char *name, MPI_Datatype type)
{
    int size = 0;
    uint64_t value = MV_HANDLE(type);
    if (value == n->null_datatype) {
        if (!strcmp(name, "MPI_DATATYPE_NULL"))
            mv_name(t, n, MV_NAME_DATATYPE, name, value);
        return;
    }
    if (!value || MV_PMPI(MPI_Type_size)(type, &size) || size < 0)
        return;
    mv_name_sized(t, n, MV_NAME_DATATYPE, name, value, size);
    MPI_Aint lower, extent;
    if (!MV_PMPI(MPI_Type_get_extent)(type, &lower, &extent))
        mv_shape_predefined(value, size, lower, extent);
}

#endif
