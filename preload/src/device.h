/*
 * Memory of other devices, such as graphics processors. Their runtime libraries know which addresses are theirs, and
 * are asked if the process has loaded one. Such memory can't be read here, or should not be, but MPI may well send it.
 */
#ifndef MPIVET_DEVICE_H
#define MPIVET_DEVICE_H

#include "base.h"

/* Takes note of a file that is mapped into the process. The path is not ended by a zero. */
void mv_device_module(const char *path, size_t len);

/* Whether an address may be memory of another device. */
int mv_is_device(uint64_t address);

#endif
