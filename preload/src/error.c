/*
 * Errors of MPI calls. What a call returned is told in an MV_ERROR record. Where the error handler is the default one,
 * MPI_ERRORS_ARE_FATAL, the call will not return: there the library puts a handler of its own, which writes the record
 * and then has MPI die as it would have. The program is shown MPI_ERRORS_ARE_FATAL, and handlers that it sets itself
 * work as set.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "mpi_objects.h"

static MPI_Errhandler ours, fatal;
static int guarding;

static MPI_Errhandler are_fatal(void)
{
    static int known;
    if (!known) {
        fatal = MPI_ERRORS_ARE_FATAL;
        known = 1;
    }
    return fatal;
}

/* Publishes the text of an error of the call under way. flags: enum mv_error_flags. That of a call that was refused has been
 * told before the error handler was. */
MV_COLD void mv_error(struct mv_thread *t, int code, unsigned flags)
{
    if (t->refused && !flags) {
        t->refused = 0;
        return;
    }
    char text[MPI_MAX_ERROR_STRING + 1];
    int class = 0, len = 0, quiet = t->quiet, e = errno;
    t->quiet = 1;
    if (MV_PMPI(MPI_Error_class)(code, &class))
        class = code;
    if (MV_PMPI(MPI_Error_string)(code, text, &len) || len < 0 || len > MPI_MAX_ERROR_STRING)
        len = 0;
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

/* Whether the statuses of a call that returned rc tell of the errors. */
MV_COLD int mv_is_error_in_status(struct mv_thread *t, int rc) { return error_class(t, rc) == MPI_ERR_IN_STATUS; }

/* Whether rc is an error of an operation that a wait or test has completed, rather than of its arguments. */
MV_COLD int mv_operation_failed(struct mv_thread *t, int rc)
{
    const int class = error_class(t, rc);
    return class == MPI_ERR_IN_STATUS || class == MPI_ERR_TRUNCATE;
}

/* Fills in the status of a call that returned the error rc, if that says whose message was too long: the standard does not
 * ask for it, but these libraries do. The record has rc as the status's error then. */
MV_COLD void mv_failed_status(struct mv_thread *t, unsigned char *to, const MPI_Status *s, int rc)
{
#if defined(OPEN_MPI) || defined(MPICH_VERSION)
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

/* Stands for MPI_ERRORS_ARE_FATAL. */
static void die(MPI_Comm *comm, int *code, ...)
{
    struct mv_thread *t = mv_tls.mine;
    if (t && t->quiet)
        return;
    if (t && mv_inside()) {
        if (!t->record)
            mv_query_failed(t);
        mv_error(t, *code, t->refused ? MV_FATAL | MV_REFUSED : MV_FATAL);
    }
    MV_PMPI(MPI_Comm_set_errhandler)(*comm, are_fatal());
#if defined(MPICH_VERSION)
    /* MPICH names the function in which it dies. This, if it is there, lets it name the program's. */
    int (*mpich)(void *, const char *, int) = NULL;
    void *p = mv_symbol("MPIR_Err_return_comm");
    memcpy(&mpich, &p, sizeof p);
    if (mpich && t && t->record) {
        MV_PMPI(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, are_fatal());
        MV_PMPI(MPI_Comm_set_errhandler)(MPI_COMM_SELF, are_fatal());
        mpich(NULL, mv_function_name(((const struct mv_record *)t->record)->kind), *code);
    }
#elif defined(OPEN_MPI)
    /* Open MPI tells handlers the function's name, which its own one prints. */
    void (*open_mpi)(MPI_Comm *, int *, ...) = NULL;
    void *p = mv_symbol("ompi_mpi_errors_are_fatal_comm_handler");
    memcpy(&open_mpi, &p, sizeof p);
    if (open_mpi) {
        char own[64] = "";
        va_list args;
        va_start(args, code);
        char *name = va_arg(args, char *);
        va_end(args);
        if (t && t->refused) /* not called by that function, but in its place */
            strncpy(own, mv_function_name(((const struct mv_record *)t->record)->kind), sizeof own - 1), name = own;
        open_mpi(comm, code, name, NULL);
    }
#endif
    MV_PMPI(MPI_Comm_call_errhandler)(*comm, *code);
}

/* Puts the library's handler onto a communicator that has the default one. */
void mv_guard(MPI_Comm comm)
{
    MPI_Errhandler h;
    if (!guarding || MV_PMPI(MPI_Comm_get_errhandler)(comm, &h))
        return;
    if (h == are_fatal())
        MV_PMPI(MPI_Comm_set_errhandler)(comm, ours);
    else
        mv_errhandler_out(&h);
}

void mv_guard_start(void)
{
    if (guarding || MV_PMPI(MPI_Comm_create_errhandler)(die, &ours))
        return;
    guarding = 1;
}

/* Before MPI_Finalize. Communicators keep the handler alive. */
void mv_guard_end(void)
{
    if (!guarding)
        return;
    guarding = 0;
    MPI_Errhandler h = ours;
    MV_PMPI(MPI_Errhandler_free)(&h);
}

/* What is really to be set where the program sets h. */
MPI_Errhandler mv_errhandler_in(MPI_Errhandler h) { return guarding && h == are_fatal() ? ours : h; }

/* What the program is to see where MPI says *h. */
void mv_errhandler_out(MPI_Errhandler *h)
{
    if (!guarding || *h != ours)
        return;
    MPI_Errhandler got = *h;
    MV_PMPI(MPI_Errhandler_free)(&got); /* a reference that came with the answer */
    *h = are_fatal();
}
