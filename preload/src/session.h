/*
 * The session that this process belongs to: its files, the page of this process, and whether the analyzer lives.
 * Everything here is off the record path, except for mv_home.
 */
#ifndef MPIVET_SESSION_H
#define MPIVET_SESSION_H

#include <sys/types.h>

#include "base.h"
#include "record.h"

/* Smallest useful ring. */
#define MV_RING_MIN ((uint64_t)64 << 10)

/* Written by mv_session_join before any call is recorded. After that, threads only read it, except for the atomics. */
struct mv_global {
    struct mv_control *control;
    /* Set when all other fields are set. Cleared by fork() in a child. Read by mv_page. */
    struct mv_process *_Atomic page;
    pid_t pid;
    /* 1: nothing is recorded any more. Set by any thread, and never cleared after the start. Other threads may notice
     * it a moment later. */
    _Atomic int inert;
    /* Number of rings made so far. Each thread that makes one adds 1, and takes its number from here. */
    _Atomic uint32_t rings;
    char session[240];
    char name[32];
};
extern struct mv_global mv_g;

/* The purpose of sums of data (enum mv_sums_wanted), and the number of bytes above which only samples are summed up (0:
 * never). Both are written by mv_session_join. */
extern int mv_sums;
extern uint64_t mv_sum_limit;

/* Points to 1 in the process that owns the rings. Points to 0 in a child that was made from it without exec: by fork,
 * _Fork, or the system call. A child shares the memory of the rings, and must not write there. The kernel empties the
 * page in the child. The pointer is set by mv_session_join, and by fork() in a child, which has one thread then. */
extern const int *mv_home;

/* Joins the session that the environment names, if it has the same table of the MPI interface. 0 if this process is
 * recorded. Called once, by mv_start. */
int mv_session_join(uint64_t table_hash);

/* Notes in the session that the program contains another version of the library. The session must have the same table
 * of the MPI interface. */
void mv_session_outdated(uint64_t table_hash);

/* Whether this is the process that owns the rings, and not a child. Safe in a signal handler. */
int mv_at_home(void);

/* This process's page, NULL if it has none. Safe in a signal handler. */
struct mv_process *mv_page(void);

/* Whether recording has ended, by this process or by the analyzer. */
int mv_stopped(void);

/* Makes the file ".name" in a session directory, of that size and with all its blocks, so that no later write can fail.
 * Returns 0 or an errno. */
int mv_create(const char *dir, const char *name, uint64_t size, int *out_fd);

/* Gives the file ".name" its name. A file that has the name already is left alone. Returns 0 or an errno. */
int mv_reveal(const char *dir, const char *name);

/* Opens a session directory if only this user can write to it. Returns a file descriptor, or -1. */
int mv_open_directory(const char *dir);

/* Makes the analyzer look at this process. */
void mv_wake_analyzer(void);

/* Whether the analyzer has ended. MV_NO_SESSION: the session has ended, too, so that the records will never be read. */
#define MV_NO_SESSION 2
int mv_analyzer_gone(void);

/* CLOCK_MONOTONIC, in ns. */
uint64_t mv_now(void);

#endif
