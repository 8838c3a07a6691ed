/* The layouts of this process's datatypes, as computed by the analyzer (struct mv_layouts). */
#ifndef MPIVET_LAYOUTS_H
#define MPIVET_LAYOUTS_H

#include "layout.h"
#include "ring.h"

/* Where the data of a datatype lie. No words if it is not known, or not yet. The program stays valid when the datatype
 * is freed. */
struct mv_layout mv_layout(uint64_t handle);

/* The number of MPI_Type_free calls that were entered so far. */
uint64_t mv_type_frees(void);

/* MPI_Type_free is entered, by a call that is recorded if t is not NULL. */
void mv_type_free(struct mv_thread *t, uint64_t handle);

#endif
