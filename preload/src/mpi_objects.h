/*
 * MPI's own header, made fit for a library that is not linked to MPI: predefined objects are looked up by name when
 * they are used, functions through pointers.
 */
#ifndef MPIVET_MPI_OBJECTS_H
#define MPIVET_MPI_OBJECTS_H

#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "objects.h"

/* Open MPI's handles are addresses of objects in its library. */
#ifdef OMPI_PREDEFINED_GLOBAL
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mv_symbol(#global))
#endif

/* The real function, looked up once. */
#define MV_PMPI(name)                                                                                                          \
    (__extension__({                                                                                                           \
        static __typeof__(&name) real;                                                                                         \
        if (!real) {                                                                                                           \
            void *p_ = mv_real("P" #name);                                                                                     \
            __builtin_memcpy(&real, &p_, sizeof p_);                                                                           \
        }                                                                                                                      \
        real;                                                                                                                  \
    }))

/* A handle as a record holds it. */
#define MV_HANDLE(h) (sizeof(h) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(h) : (uint64_t)(uintptr_t)(h))

/* Sizes of the communicators that the process has made, so that lengths of arrays are known without asking MPI about a
 * handle that may be anything. */
struct mv_known {
    int size, rank, remote; /* local group; remote 0 unless between groups */
    int dims, in, out;      /* topology: dimensions, neighbours */
};
const struct mv_known *mv_known(uint64_t comm);

MV_INLINE int mv_comm_size(uint64_t comm)
{
    const struct mv_known *k = mv_known(comm);
    return k->remote ? k->remote : k->size;
}

/* comm.c */
void mv_new_comm(struct mv_thread *t, MPI_Comm comm, MPI_Comm parent, int from_parent, struct mv_object *of, unsigned made);
void mv_forget_comm(uint64_t comm);
void mv_world(MPI_Group group);
int mv_world_known(void);
void mv_world_end(void);

/* Room for a text that MPI fills in. It is more than the standard asks for, and zeroed by whoever has it: MPICH 4.0.2 writes
 * beyond MPI_MAX_ERROR_STRING if the byte there is not zero. */
#define MV_TEXT_ROOM 4096
_Static_assert(MV_TEXT_ROOM >= 2 * MPI_MAX_ERROR_STRING && MV_TEXT_ROOM >= 2 * MPI_MAX_OBJECT_NAME, "room for MPI's texts");

/* error.c */
int mv_is_error_in_status(struct mv_thread *t, int rc);
int mv_operation_failed(struct mv_thread *t, int rc);
void mv_failed_status(struct mv_thread *t, unsigned char *to, const MPI_Status *s, int rc);
void mv_error(struct mv_thread *t, int code, unsigned flags);
void mv_call_errhandler(struct mv_thread *t, MPI_Comm comm, int code);
void mv_errors_start(int world);

/* init.c */
void mv_init_enter(struct mv_thread *t);
void mv_init_leave(struct mv_thread *t, int rc);
void mv_finalize_enter(struct mv_thread *t);
void mv_abort_enter(struct mv_thread *t);
int mv_world_model(void);
int mv_mpi_open(void);
int mv_session_error(int code);
#if MPI_VERSION >= 4
void mv_session_leave(struct mv_thread *t, int rc, const MPI_Session *session);
void mv_session_enter(struct mv_thread *t, const MPI_Session *session);
#endif

/* strict.c */
int mv_hold(unsigned kind);
int mv_hold_completion(unsigned kind, const MPI_Request *list, uint64_t n, int waits);
void mv_mark(const MPI_Request *request);
void mv_strict_begin(void);
void mv_strict_end(int again);

/* names.c, generated */
void mv_names(struct mv_thread *t);

/* names.c, generated: the function of that number */
const char *mv_function_name(unsigned kind);

/* call.c */
void mv_query_failed(struct mv_thread *t);
void mv_query_told(struct mv_thread *t);
int mv_count_overflowed(struct mv_thread *t, const MPI_Status *s, MPI_Datatype type);
int mv_elements_overflowed(struct mv_thread *t, const MPI_Status *s, MPI_Datatype type);
void mv_data(struct mv_thread *t, unsigned kind, unsigned param, const void *p, uint64_t n, unsigned width);
void mv_fill(unsigned char *to, const void *p, uint64_t n, unsigned width, unsigned slot);
const void *mv_pointer_constant(const char *name);

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

/* What a status says, as a record holds it. */
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

/* Bytes received, as a status says; -1 if it does not. */
MV_INLINE int64_t mv_status_bytes(const MPI_Status *s)
{
    struct mv_status v;
    mv_status_value(&v, s, 0);
    return v.cancelled ? -1 : v.bytes;
}

#endif
