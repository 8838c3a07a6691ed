/*
 * An error handler may end the process before the call returns, as MPI_ERRORS_ARE_FATAL does. So the error is published
 * before the handler is called.
 *
 * The program's error handlers are never changed, so that handles, reference counts and inheritance are the same as in
 * a run without mpivet. Instead, the library replaces functions that the MPI libraries export, and that they call
 * through the dynamic linker:
 *   - MPICH calls MPIR_Err_return_comm (_win, _session) for every error of an MPI function, with the function's name.
 *     MPICH may hold its global lock there.
 *   - Open MPI calls ompi_mpi_errors_are_fatal_comm_handler (_win_, _file_, _instance_) if the handler is
 *     MPI_ERRORS_ARE_FATAL. Ubuntu links Open MPI so that it does not use the dynamic linker for that. Then these
 *     functions are replaced in the predefined error handler, which has their addresses.
 * Some libraries may not call them in this way. Then nothing is published before the process ends, and the analyzer
 * sees only that it ended inside the call.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "errors.h"
#include "query.h"
#include "real.h"

/* The libraries whose functions are replaced. A library for the standard ABI may be used with either. */
#if defined(MPICH_VERSION)
#define MV_OF_MPICH 1
#elif defined(OPEN_MPI)
#define MV_OF_OPEN_MPI 1
#elif defined(MPI_ABI_VERSION)
#define MV_OF_MPICH 1
#define MV_OF_OPEN_MPI 1
#define MV_OF_BOTH 1
#endif

#define MV_MAY_LOAD /* when an error occurs */
#define MV_MAY_END  /* where MPI would end the process */
#include "rules.h"

/* 1: errors are published before their handler is called. Set when MPI is initialized; read by threads for which a call
 * has failed. */
static _Atomic int telling;

MV_COLD void mv_error(struct mv_thread *t, int code, unsigned flags)
{
    if (t->refused && !flags) {
        t->refused = 0;
        return;
    }
    if (!flags && t->raised == code && t->raised_in == t->done)
        return; /* it was published before its handler was called */
    char text[MV_TEXT_ROOM] = "";
    int class = 0, len = 0, quiet = t->quiet, e = errno;
    t->quiet = 1;
    if (MV_PMPI(MPI_Error_class)(code, &class))
        class = code;
    if (MV_PMPI(MPI_Error_string)(code, text, &len) || len < 0)
        len = 0;
    if (len >= (int)sizeof text)
        len = (int)sizeof text - 1;
    t->quiet = quiet;
    unsigned char *r = mv_info(t, MV_ERROR, 0, sizeof(struct mv_error) + (size_t)len);
    struct mv_error *to = (struct mv_error *)(r + sizeof(struct mv_record));
    to->code = code;
    to->class = class;
    to->text_len = (uint32_t)len;
    to->flags = flags;
    memcpy(to + 1, text, (size_t)len);
    mv_info_end(t, r);
    errno = e;
}

static int error_class(struct mv_thread *t, int rc)
{
    int class = rc, quiet = t->quiet;
    t->quiet = 1;
    MV_PMPI(MPI_Error_class)(rc, &class);
    t->quiet = quiet;
    return class;
}

MV_COLD int mv_is_error_in_status(struct mv_thread *t, int rc) { return error_class(t, rc) == MPI_ERR_IN_STATUS; }

MV_COLD int mv_operation_failed(struct mv_thread *t, int rc)
{
    const int class = error_class(t, rc);
    return class == MPI_ERR_IN_STATUS || class == MPI_ERR_TRUNCATE;
}

MV_COLD void mv_failed_status(struct mv_thread *t, unsigned char *to, const MPI_Status *s, int rc)
{
#if defined(MV_OF_MPICH) || defined(MV_OF_OPEN_MPI)
    if (error_class(t, rc) == MPI_ERR_TRUNCATE) {
        struct mv_status v;
        mv_status_value(&v, s, 0);
        v.error = rc;
        memcpy(to, &v, sizeof v);
    }
#else
    (void)t, (void)to, (void)s, (void)rc;
#endif
}

/* Publishes an error before MPI calls an error handler. flags: MV_FATAL or MV_RAISED. */
static MV_COLD void raised(int code, unsigned flags)
{
    struct mv_thread *t = mv_tls.mine;
    if (!atomic_load_explicit(&telling, memory_order_relaxed) || !t || t->quiet || t->refused || !mv_inside())
        return;
    if (!t->record)
        mv_query_failed(t);
    mv_error(t, code, flags);
    t->raised = code;
    t->raised_in = t->done;
}

#ifdef MV_LINKED

/* The linker's option --wrap=NAME gives both functions their names: wrappedSymbols in internal/launch has the list. */
#define WRAPPED(name) __asm__("__wrap_" #name)
#define REAL(name) mv_linked_real_##name
#define DECLARE_REAL(name) extern char mv_linked_real_##name[] __asm__("__real_" #name) __attribute__((weak));

#else

#define WRAPPED(name)
#define REAL(name) real(#name)
#define DECLARE_REAL(name)

/* The function of the MPI library with the same name as one in this library. NULL: there is none. */
static void *real(const char *name)
{
    const int e = errno;
    void *p = dlsym(RTLD_NEXT, name);
    if (!p)
        p = mv_symbol_hidden(name);
    dlerror();
    errno = e;
    return p;
}

#endif

#ifdef MV_OF_MPICH

typedef int mpich_return(void *object, const char *function, int code);

static int hand_to_mpich(void *p, void *object, const char *function, int code)
{
    mpich_return *f;
    memcpy(&f, &p, sizeof f);
    return f ? f(object, function, code) : code;
}

#define BEFORE_MPICH(name)                                                              \
    DECLARE_REAL(name)                                                                  \
    MV_EXPORT mpich_return name WRAPPED(name);                                          \
    MV_EXPORT int name(void *object, const char *function, int code)                    \
    {                                                                                   \
        raised(code, MV_RAISED);                                                        \
        return hand_to_mpich(REAL(name), object, function, code);                       \
    }

BEFORE_MPICH(MPIR_Err_return_comm)
BEFORE_MPICH(MPIR_Err_return_win)
BEFORE_MPICH(MPIR_Err_return_session)

#endif
#ifdef MV_OF_OPEN_MPI

typedef void open_mpi_fatal(void *object, int *code, ...);

static void hand_to_open_mpi(void *p, void *object, int *code, const char *function)
{
    open_mpi_fatal *f;
    memcpy(&f, &p, sizeof f);
    if (!f)
        abort(); /* MPI_ERRORS_ARE_FATAL must not return */
    f(object, code, function, NULL);
}

/* The code of an error for MPI_Error_string. Those that Open MPI uses inside are the same as in the standard ABI, but
 * for two: MPI_ERR_IN_STATUS and MPI_ERR_PENDING. */
static int public_code(int code)
{
#ifdef MV_OF_BOTH
    enum { IN_STATUS = 18, PENDING = 19 };
    return code == IN_STATUS ? MPI_ERR_IN_STATUS : code == PENDING ? MPI_ERR_PENDING : code;
#else
    return code;
#endif
}

/* The first of the further arguments is the name of the MPI function, the last is NULL. */
#define BEFORE_OPEN_MPI(name)                                                           \
    DECLARE_REAL(name)                                                                  \
    MV_EXPORT open_mpi_fatal name WRAPPED(name);                                        \
    MV_EXPORT void name(void *object, int *code, ...)                                   \
    {                                                                                   \
        va_list args;                                                                   \
        va_start(args, code);                                                           \
        const char *function = va_arg(args, const char *);                              \
        va_end(args);                                                                   \
        if (code)                                                                       \
            raised(public_code(*code), MV_FATAL);                                       \
        hand_to_open_mpi(REAL(name), object, code, function);                           \
    }

BEFORE_OPEN_MPI(ompi_mpi_errors_are_fatal_comm_handler)
BEFORE_OPEN_MPI(ompi_mpi_errors_are_fatal_win_handler)
BEFORE_OPEN_MPI(ompi_mpi_errors_are_fatal_file_handler)
BEFORE_OPEN_MPI(ompi_mpi_errors_are_fatal_instance_handler)

/* Replaces Open MPI's functions in its handler MPI_ERRORS_ARE_FATAL, unless the dynamic linker has done so. */
static void replace_in_handler(void)
{
    void **handler = mv_symbol("ompi_mpi_errors_are_fatal");
    Dl_info where;
    const ElfW(Sym) *symbol = NULL;
    if (!handler || !dladdr1(handler, &where, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        where.dli_saddr != handler)
        return;
    const size_t n = symbol->st_size / sizeof *handler;
    open_mpi_fatal *const done = ompi_mpi_errors_are_fatal_comm_handler;
    for (size_t i = 0; i < n; i++)
        if (!memcmp(&handler[i], &done, sizeof done))
            return;
    const struct {
        const void *theirs;
        open_mpi_fatal *ours;
    } list[] = {
#define FATAL(name) {REAL(name), name}
        FATAL(ompi_mpi_errors_are_fatal_comm_handler),
        FATAL(ompi_mpi_errors_are_fatal_win_handler),
        FATAL(ompi_mpi_errors_are_fatal_file_handler),
        FATAL(ompi_mpi_errors_are_fatal_instance_handler),
#undef FATAL
    };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof list / sizeof *list; k++)
            if (list[k].theirs && handler[i] == list[k].theirs)
                memcpy(&handler[i], &list[k].ours, sizeof *handler);
}

#else

static void replace_in_handler(void) {}

#endif

static int is_fatal(MPI_Comm comm)
{
    MPI_Errhandler h;
    if (MV_PMPI(MPI_Comm_get_errhandler)(comm, &h))
        return 0;
    const int fatal = h == MPI_ERRORS_ARE_FATAL;
    MV_PMPI(MPI_Errhandler_free)(&h); /* MPI_Comm_get_errhandler has made this reference */
    return fatal;
}

void mv_call_errhandler(struct mv_thread *t, MPI_Comm comm, int code)
{
#if defined(MV_OF_MPICH) || defined(MV_OF_OPEN_MPI)
    const int quiet = t->quiet;
    t->quiet = 1;
    const int fatal = t->record && is_fatal(comm);
    t->quiet = quiet;
    const char *function = fatal ? mv_function_name(((const struct mv_record *)t->record)->kind) : NULL;
#ifdef MV_OF_MPICH
    if (fatal && is_fatal(MPI_COMM_WORLD)) /* its handler is used here */
        hand_to_mpich(REAL(MPIR_Err_return_comm), NULL, function, code);
#endif
#ifdef MV_OF_BOTH
    if (fatal && REAL(ompi_mpi_errors_are_fatal_comm_handler))
        hand_to_open_mpi(REAL(ompi_mpi_errors_are_fatal_comm_handler), NULL, &code, function);
#elif defined(MV_OF_OPEN_MPI)
    if (fatal)
        hand_to_open_mpi(REAL(ompi_mpi_errors_are_fatal_comm_handler), &comm, &code, function);
#endif
#endif
    MV_PMPI(MPI_Comm_call_errhandler)(comm, code);
}

void mv_errors_start(int world)
{
    if (world && !is_fatal(MPI_COMM_WORLD))
        return;
    replace_in_handler();
    atomic_store(&telling, 1);
}
