/* The World Model and sessions. */
#include "world.h"

#include "rules.h"

/* 1: MPI_Init has been called. Set by the thread that has called it, read by any thread. */
static _Atomic int world_model;

/* The group of MPI_COMM_WORLD. Set and freed when MPI begins and ends. The program may make no other call of MPI at
 * that time, so no other thread reads it then. */
static MPI_Group world;
static _Atomic int world_known;

#ifdef MV_SESSIONS
/* The number of open sessions, and the one opened last. Threads may open and close sessions at the same time. */
static _Atomic int sessions;
static MPI_Session latest;     /* zero: none; no handle of a session is zero */
static const MPI_Session none; /* zero: MPI_SESSION_NULL need not be a constant */
#endif

void mv_world_begun(void) { atomic_store(&world_model, 1); }

int mv_world_model(void) { return atomic_load(&world_model); }

int mv_mpi_open(void)
{
#ifdef MV_SESSIONS
    if (atomic_load(&sessions) > 0)
        return 1;
#endif
    return mv_world_model();
}

int mv_session_error(int code)
{
#ifdef MV_SESSIONS
    if (!mv_world_model()) {
        const MPI_Session s = __atomic_load_n(&latest, __ATOMIC_SEQ_CST);
        if (s != none)
            MV_PMPI(MPI_Session_call_errhandler)(s, code);
        return 1;
    }
#endif
    (void)code;
    return 0;
}

void mv_world(MPI_Group group)
{
    world = group;
    atomic_store(&world_known, 1);
}

int mv_world_group(MPI_Group *group)
{
    if (!atomic_load(&world_known))
        return 0;
    *group = world;
    return 1;
}

void mv_world_end(void)
{
    if (!atomic_exchange(&world_known, 0))
        return;
    MPI_Group g = world;
    MV_PMPI(MPI_Group_free)(&g);
}

#ifdef MV_SESSIONS
int mv_session_opened(MPI_Session session)
{
    __atomic_store_n(&latest, session, __ATOMIC_SEQ_CST);
    return atomic_fetch_add(&sessions, 1) == 0;
}

int mv_session_closes(const MPI_Session *session)
{
    MPI_Session s = session ? *session : none;
    if (session)
        __atomic_compare_exchange_n(&latest, &s, none, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return atomic_fetch_sub(&sessions, 1) == 1;
}
#endif
