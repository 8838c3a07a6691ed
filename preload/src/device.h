/*
 * Memory of other devices, such as graphics processors. Their runtime libraries know which addresses belong to them.
 * They are asked if the process has loaded one. The library cannot, or should not, read such memory, but MPI may send
 * it.
 */
#ifndef MPIVET_DEVICE_H
#define MPIVET_DEVICE_H

#include "base.h"

/* Notes a file that is mapped into the process. The path is not ended by a zero. */
void mv_device_module(const char *path, size_t len);

/* Whether an address may be memory of another device. */
int mv_is_device(uint64_t address);

#endif
