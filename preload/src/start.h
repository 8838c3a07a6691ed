/* The start of the library. */
#ifndef MPIVET_START_H
#define MPIVET_START_H

/* Starts the library, once: joins the session, and installs the handlers for signals and exits. Called by the
 * constructor. If the constructor of another library calls MPI earlier, the first wrapper calls it (mv_bind_wrapper in
 * between.h). Silent; errno is preserved. */
void mv_start(void);

#endif
