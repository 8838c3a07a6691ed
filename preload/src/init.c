/*
 * MPI's beginning and end: what is told of the MPI library once it can be asked, and the marks in the process's page.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "mpi_objects.h"
#include "sums.h"

static _Atomic int world_model; /* MPI_Init has been called */
#if MPI_VERSION >= 4
static _Atomic int sessions; /* open ones */
static MPI_Session latest = MPI_SESSION_NULL;
#endif

/* Whether MPI_Init has been called, so that MPI_COMM_SELF is there. */
int mv_world_model(void) { return atomic_load(&world_model); }

/* Whether MPI can be used: after MPI_Init, or in a session. */
int mv_mpi_open(void)
{
#if MPI_VERSION >= 4
    if (atomic_load(&sessions) > 0)
        return 1;
#endif
    return mv_world_model();
}

/* Calls the error handler of a session where there is no communicator that has one. Whether that is so. */
int mv_session_error(int code)
{
#if MPI_VERSION >= 4
    if (!mv_world_model()) {
        if (latest != MPI_SESSION_NULL)
            MV_PMPI(MPI_Session_call_errhandler)(latest, code);
        return 1;
    }
#endif
    (void)code;
    return 0;
}

#define MARK(field, value)                                                                                                     \
    do {                                                                                                                       \
        struct mv_process *p_ = mv_page();                                                                                     \
        if (p_)                                                                                                                \
            atomic_store((_Atomic uint32_t *)&p_->field, value);                                                               \
    } while (0)

/* Threads of this process now, 0 if that can't be told. */
static uint32_t count_threads(void)
{
    uint32_t n = 0;
    DIR *d = opendir("/proc/self/task");
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void publish_mpi(struct mv_thread *t, int rank, int size, int level)
{
    char text[MV_TEXT_ROOM] = "";
    int len = 0, flag = 0;
    struct mv_mpi m = {.rank = rank, .size = size, .thread_level = level, .tag_ub = 32767};
    MV_PMPI(MPI_Get_version)(&m.version, &m.subversion);
    if (MV_PMPI(MPI_Get_library_version)(text, &len) || len < 0 || len >= MV_TEXT_ROOM)
        len = 0;
    if (level >= 0) {
        void *ub = NULL;
        if (!MV_PMPI(MPI_Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &flag) && flag && ub)
            m.tag_ub = *(int *)ub;
    }
    m.library_len = (uint32_t)len;
    m.threads = count_threads();
    mv_threads_after();
    unsigned char *r = mv_info(t, MV_MPI, 0, sizeof m + (size_t)len);
    memcpy(r + sizeof(struct mv_record), &m, sizeof m);
    memcpy(r + sizeof(struct mv_record) + sizeof m, text, (size_t)len);
    mv_info_end(t, r);
}

void mv_init_enter(struct mv_thread *t)
{
    (void)t;
    mv_tls.in_init = 1;
    mv_threads_before();
}

/* At the end of MPI_Init; t is NULL if the thread is not recorded. */
void mv_init_leave(struct mv_thread *t, int rc)
{
    mv_tls.in_init = 0;
    if (rc != MPI_SUCCESS)
        return;
    MARK(initialized, 1);
    atomic_store(&world_model, 1);
    if (!t)
        return;
    int e = errno, rank = -1, size = 0, level = 0;
    MPI_Comm parent, self = MPI_COMM_SELF, whole = MPI_COMM_WORLD;
    MPI_Group g;
    t->quiet = 1;
    mv_errors_start(1);
    MV_PMPI(MPI_Comm_rank)(whole, &rank);
    MV_PMPI(MPI_Comm_size)(whole, &size);
    MV_PMPI(MPI_Query_thread)(&level);
    publish_mpi(t, rank, size, level);
    mv_sums_announce(t);
    mv_objects_start();
    mv_names(t);
    mv_world_end(); /* a session's */
    if (!MV_PMPI(MPI_Comm_group)(whole, &g))
        mv_world(g);
    mv_new_comm(t, whole, whole, 0, NULL, MV_MADE_WORLD);
    mv_new_comm(t, self, self, 0, NULL, MV_MADE_SELF);
    t->quiet = 1;
    if (!MV_PMPI(MPI_Comm_get_parent)(&parent))
        mv_new_comm(t, parent, parent, 0, NULL, MV_MADE_PARENT);
    t->quiet = 0;
    errno = e;
}

/* Before MPI_Finalize. */
void mv_finalize_enter(struct mv_thread *t)
{
    MARK(finalized, 1);
    mv_strict_end(0);
    if (!t)
        return;
    mv_world_end();
}

/* Before MPI_Abort. */
void mv_abort_enter(struct mv_thread *t)
{
    (void)t;
    MARK(aborted, 1);
}

#if MPI_VERSION >= 4
/* Sessions may be a program's only way into MPI: the first one to come does what it can. */
void mv_session_leave(struct mv_thread *t, int rc, const MPI_Session *session)
{
    static _Atomic int told;
    if (rc != MPI_SUCCESS)
        return;
    MARK(initialized, 1);
    latest = *session;
    if (atomic_fetch_add(&sessions, 1) == 0 && !atomic_load(&world_model))
        MARK(finalized, 0);
    if (!t || mv_world_known())
        return;
    int e = errno, rank = -1, size = 0;
    MPI_Group g;
    t->quiet = 1;
    mv_errors_start(0);
    if (!MV_PMPI(MPI_Group_from_session_pset)(*session, "mpi://WORLD", &g)) {
        MV_PMPI(MPI_Group_rank)(g, &rank);
        MV_PMPI(MPI_Group_size)(g, &size);
        mv_world(g);
    }
    if (!atomic_exchange(&told, 1)) {
        publish_mpi(t, rank, size, -1);
        mv_sums_announce(t);
        mv_objects_start();
        mv_names(t);
    }
    t->quiet = 0;
    errno = e;
}

/* Before MPI_Session_finalize: nothing may be left of the session. */
void mv_session_enter(struct mv_thread *t, const MPI_Session *session)
{
    if (session && *session == latest)
        latest = MPI_SESSION_NULL;
    if (atomic_fetch_sub(&sessions, 1) == 1 && !atomic_load(&world_model)) {
        MARK(finalized, 1);
        mv_strict_end(1);
    }
    if (t && !atomic_load(&world_model))
        mv_world_end();
}
#endif
