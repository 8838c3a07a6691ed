/* The actions when MPI begins and ends. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "comm.h"
#include "debug.h"
#include "errors.h"
#include "init.h"
#include "message.h"
#include "names.h"
#include "objects.h"
#include "strict.h"
#include "sums.h"
#include "tls.h"
#include "world.h"

#include "rules.h"

/* Stores a mark in the process's page. The analyzer reads it when the process has ended, or for mpivet ps. */
#define MARK(field, value)                                                                                      \
    do {                                                                                                        \
        struct mv_process *p_ = mv_page();                                                                      \
        if (p_)                                                                                                 \
            __atomic_store_n(&p_->field, value, __ATOMIC_SEQ_CST);                                              \
    } while (0)

/* The number of this process's threads, 0 if that is not known. */
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

void mv_init_leave(struct mv_thread *t, int rc)
{
    mv_tls.in_init = 0;
    if (rc != MPI_SUCCESS)
        return;
    MARK(initialized, 1);
    mv_world_begun();
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
    mv_debug_world(rank, size, sizeof(MPI_Comm));
    mv_sums_announce(t);
    mv_objects_start();
    mv_names(t);
    mv_world_end(); /* the group of a session */
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

void mv_finalize_enter(struct mv_thread *t)
{
    MARK(finalized, 1);
    mv_strict_end(0);
    if (!t)
        return;
    mv_world_end();
}

void mv_abort_enter(struct mv_thread *t)
{
    (void)t;
    MARK(aborted, 1);
}

#ifdef MV_SESSIONS
/* A program may use only sessions, so the first one publishes what it can. */
void mv_session_leave(struct mv_thread *t, int rc, const MPI_Session *session)
{
    static _Atomic int told; /* set by the first thread that comes here with a recorded call */
    if (rc != MPI_SUCCESS)
        return;
    MARK(initialized, 1);
    if (mv_session_opened(*session) && !mv_world_model())
        MARK(finalized, 0);
    int e = errno, rank = -1, size = 0;
    MPI_Group g;
    if (!t || mv_world_group(&g))
        return;
    t->quiet = 1;
    mv_errors_start(0);
    if (!MV_PMPI(MPI_Group_from_session_pset)(*session, "mpi://WORLD", &g)) {
        MV_PMPI(MPI_Group_rank)(g, &rank);
        MV_PMPI(MPI_Group_size)(g, &size);
        mv_world(g);
    }
    if (!atomic_exchange(&told, 1)) {
        publish_mpi(t, rank, size, -1);
        mv_debug_world(rank, size, sizeof(MPI_Comm));
        mv_sums_announce(t);
        mv_objects_start();
        mv_names(t);
    }
    t->quiet = 0;
    errno = e;
}

void mv_session_enter(struct mv_thread *t, const MPI_Session *session)
{
    if (mv_session_closes(session) && !mv_world_model()) {
        MARK(finalized, 1);
        mv_strict_end(1);
    }
    if (t && !mv_world_model())
        mv_world_end();
}
#endif
