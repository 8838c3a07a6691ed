/* How the process ends: by exit(), _exit() and similar functions, or by a signal. */
#ifndef MPIVET_END_H
#define MPIVET_END_H

/* Arranges that the end of the process is recorded. Called once, by mv_start. */
void mv_end_start(void);

#endif
