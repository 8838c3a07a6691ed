/*
 * MPI's own header, for a library that is not linked to MPI. Predefined objects are looked up by name when they are
 * used, and functions are called through pointers.
 */
#ifndef MPIVET_MPI_OBJECTS_H
#define MPIVET_MPI_OBJECTS_H

#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <string.h>

#include "real.h"
#include "record.h"

/* Handles of Open MPI are addresses of objects in its library. */
#ifdef OMPI_PREDEFINED_GLOBAL
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mv_symbol(#global))
#endif

/* Open MPI 5.0 has sessions, but calls itself MPI 3.1. */
#if MPI_VERSION >= 4 || defined(MPI_SESSION_NULL)
#define MV_SESSIONS 1
#endif

/* The real function, looked up once. Threads that look it up at the same time store the same value. */
#define MV_PMPI(name)                                                                                           \
    (__extension__({                                                                                            \
        static void *real_;                                                                                     \
        void *p_ = __atomic_load_n(&real_, __ATOMIC_ACQUIRE);                                                   \
        __typeof__(&name) f_;                                                                                   \
        if (!p_)                                                                                                \
            p_ = mv_bind(&real_, "P" #name);                                                                    \
        __builtin_memcpy(&f_, &p_, sizeof f_);                                                                  \
        f_;                                                                                                     \
    }))

/* A handle as it is stored in a record. */
#define MV_HANDLE(h) (sizeof(h) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(h) : (uint64_t)(uintptr_t)(h))

/* Room for a text that MPI fills in. It is more than the standard asks for, and must be all zero before: MPICH 4.0.2
 * writes beyond MPI_MAX_ERROR_STRING if the byte there is not zero. */
#define MV_TEXT_ROOM 4096
_Static_assert(MV_TEXT_ROOM >= 2 * MPI_MAX_ERROR_STRING && MV_TEXT_ROOM >= 2 * MPI_MAX_OBJECT_NAME,
               "room for MPI's texts");

/* Constants that are variables in some MPI libraries. */
#ifdef MPI_UNWEIGHTED
#define MV_CONSTANT_MPI_UNWEIGHTED ((const void *)MPI_UNWEIGHTED)
#else
#define MV_CONSTANT_MPI_UNWEIGHTED mv_pointer_constant("MPI_UNWEIGHTED")
#endif
#ifdef MPI_WEIGHTS_EMPTY
#define MV_CONSTANT_MPI_WEIGHTS_EMPTY ((const void *)MPI_WEIGHTS_EMPTY)
#else
#define MV_CONSTANT_MPI_WEIGHTS_EMPTY mv_pointer_constant("MPI_WEIGHTS_EMPTY")
#endif

/* Converts a status to the form in a record. */
MV_INLINE void mv_status_value(struct mv_status *to, const MPI_Status *s, int with_error)
{
    to->source = s->MPI_SOURCE;
    to->tag = s->MPI_TAG;
    to->error = with_error ? s->MPI_ERROR : MPI_SUCCESS;
#if defined(OPEN_MPI)
    to->cancelled = s->_cancelled;
    to->bytes = (int64_t)s->_ucount;
#elif defined(MPICH_VERSION)
    to->cancelled = s->count_hi_and_cancelled & 1;
    to->bytes = (int64_t)(((uint64_t)((uint32_t)s->count_hi_and_cancelled >> 1) << 32) | (uint32_t)s->count_lo);
#else
    MPI_Count n = -1;
    int c = 0;
    if (MV_PMPI(MPI_Get_elements_x)(s, MPI_BYTE, &n))
        n = -1;
    MV_PMPI(MPI_Test_cancelled)(s, &c);
    to->cancelled = c;
    to->bytes = n;
#endif
}

/* Bytes received according to a status; -1 if unknown. */
MV_INLINE int64_t mv_status_bytes(const MPI_Status *s)
{
    struct mv_status v;
    mv_status_value(&v, s, 0);
    return v.cancelled ? -1 : v.bytes;
}

#endif
