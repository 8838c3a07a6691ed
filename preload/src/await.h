/* How a thread waits for a word of the analyzer: strict mode (strict.h), and the stop at every call (found.h). */
#ifndef MPIVET_AWAIT_H
#define MPIVET_AWAIT_H

#include "ring.h"

/* Waits until over returns true for the value of *word, which is in the ring's part that the analyzer writes. The
 * analyzer wakes the thread when it changes the word. The wait also ends if the analyzer has died, or records no more.
 * idle, if not NULL, is called now and then. */
void mv_await(struct mv_thread *t, uint64_t *word, uint64_t number,
              int (*over)(struct mv_thread *t, uint64_t seen, uint64_t number), void (*idle)(struct mv_thread *t));

#endif
