/*
 * The Python functions that the thread is in, if the process contains CPython 3.9 to 3.14. One C stack stands for many
 * Python stacks, so they are part of the call site.
 *
 * The frames are read from the interpreter's own data. They stay as they are while the thread is in a C function, so no
 * lock is needed. A thread that has no state in Python, or an interpreter whose data have another form, has no frames.
 */
#ifndef MPIVET_PYTHON_H
#define MPIVET_PYTHON_H

#include "ring.h"

/* 1 once CPython was found. Set by the thread that finds it, and never cleared. */
extern _Atomic int mv_python_there;
MV_INLINE int mv_has_python(void) { return atomic_load_explicit(&mv_python_there, memory_order_acquire); }

/* Looks for CPython if files have been mapped since the last time. Returns mv_has_python(). For the first time that a
 * call stack is seen: it waits for locks of the dynamic linker. */
int mv_python_look(void);

/* A number that stands for the thread's Python stack; 0: it has none. */
uint64_t mv_python_hash(void);

/* Stores the frames, at most MV_DEPTH, innermost first. Codes that were not published yet are published. Returns their
 * number. */
unsigned mv_python_frames(struct mv_thread *t, struct mv_frame *to);

#endif
