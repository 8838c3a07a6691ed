/* How the process ends: by exit(), _exit() and their kin, or by a signal. */
#ifndef MPIVET_END_H
#define MPIVET_END_H

/* Has the end of the process told. Called once, by mv_start. */
void mv_end_start(void);

#endif
