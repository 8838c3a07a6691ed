/*
 * Objects that are freed inside calls: by MPI itself, or by functions of the program that MPI calls. Those delete
 * attributes, handle errors, or belong to generalized requests. Such calls are not recorded. The record MV_FREED says
 * only which object was freed, and by whom.
 */
#ifndef MPIVET_FREED_H
#define MPIVET_FREED_H

#include "base.h"

/* A call inside another call has freed an object. ra: its return address. real: MPI's function. function: its
 * number. */
void mv_freed(uintptr_t ra, const void *real, unsigned function, uint64_t handle);

#endif
