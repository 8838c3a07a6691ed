/* Whether two buffers have a byte in common. Columns of one matrix have none, though they lie between the same
 * addresses. */
#ifndef MPIVET_OVERLAP_H
#define MPIVET_OVERLAP_H

#include "part.h"

/* For one thread at a time, and for buffers whose spans overlap. If in doubt, the answer is yes. */
int mv_parts_overlap(const struct mv_part *a, const struct mv_part *b);

#endif
