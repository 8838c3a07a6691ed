/* The part of the table of the MPI interface that the library's own code needs. api.c is generated. */
#ifndef MPIVET_API_H
#define MPIVET_API_H

#include "base.h"

/* mpiapi.Hash(): the library refuses a session that was made for another table. */
extern const uint64_t mv_table_hash;

/* The version of the library's sources. */
extern const char mv_identity[];

/* The kinds of collectives (enum mv_collective) by the functions' numbers; MV_KINDS for functions that are not
 * collective. */
extern const uint8_t mv_collective_of[];
extern const unsigned mv_ncollective;

/* The name of the function of that number. */
const char *mv_function_name(unsigned kind);

#endif
