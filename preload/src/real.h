/*
 * Finds the real MPI functions and the MPI library's predefined objects. The library is not linked to MPI, so that it
 * can be preloaded into any program. Everything is looked up when it is first needed.
 */
#ifndef MPIVET_REAL_H
#define MPIVET_REAL_H

#include "base.h"

/* If this library is linked into the program (MV_LINKED), beside a static MPI library, the linker finds MPI's
 * functions. The table is generated. Its last name is NULL. */
struct mv_linked {
    const char *name; /* PMPI_… */
    void *address;
};

extern const struct mv_linked mv_linked[];

/* The address of an object of the MPI library, NULL if there is none. A program that is linked at a fixed address has
 * its own copy of the object, which is found first. */
void *mv_symbol(const char *name);

/* The same in files that were loaded with RTLD_LOCAL. */
void *mv_symbol_hidden(const char *name);

/* A constant that is a pointer variable of the MPI library; NULL if there is none. */
const void *mv_pointer_constant(const char *name);

/* The MPI library's function of that name (PMPI_…). Ends the process if there is none: a program that calls such a
 * function would not have been linked, or would have died of it. */
void *mv_real(const char *pname);

/* Sets a pointer to the function of that name, and returns the function. Threads may do so at the same time: they all
 * store the same value, by release. Who calls the function loads the pointer by acquire. */
void *mv_bind(void **pointer, const char *pname);

#endif
