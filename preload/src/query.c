/* Writes records of queries. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <string.h>

#include "mpi_objects.h"
#include "query.h"

#include "rules.h"

MV_COLD void mv_query_failed(struct mv_thread *t)
{
    if (t->record)
        return;
    const int timed = mv_is_timed();
    uint32_t site = mv_site(t, t->query_ra, t->cfa);
    uint64_t end = t->query_used + (timed ? 16u : 0), len = (end + 63) & ~(uint64_t)63;
    unsigned char *r = mv_reserve(t, len);
    memcpy(r, t->query, t->query_used);
    memset(r + t->query_used, 0, len - t->query_used);
    mv_head(r, t->query_kind, len, site, t->query_used, timed);
    mv_publish(t, r, len, timed);
}

MV_COLD void mv_query_told(struct mv_thread *t)
{
    mv_query_failed(t);
    mv_done_record(t, MPI_SUCCESS);
}

MV_COLD int mv_count_overflowed(struct mv_thread *t, const MPI_Status *s, MPI_Datatype type)
{
    struct mv_status v;
    MPI_Count size = 0;
    const int quiet = t->quiet;
    t->quiet = 1;
    mv_status_value(&v, s, 0);
    const int rc = MV_PMPI(MPI_Type_size_x)(type, &size);
    t->quiet = quiet;
    return rc == MPI_SUCCESS && size > 0 && v.bytes % size == 0 && v.bytes / size > INT_MAX;
}

MV_COLD int mv_elements_overflowed(struct mv_thread *t, const MPI_Status *s, MPI_Datatype type)
{
    MPI_Count n = 0;
    const int quiet = t->quiet;
    t->quiet = 1;
    const int rc = MV_PMPI(MPI_Get_elements_x)(s, type, &n);
    t->quiet = quiet;
    return rc == MPI_SUCCESS && n > INT_MAX;
}
