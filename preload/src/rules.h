/*
 * Names that the library's code must not use. Every C file, hand-written or generated, includes this header last. A
 * compiler then refuses the names. A file that has a good reason to use some of them says so before it includes the
 * header, with the reason beside it:
 *
 *   MV_MAY_FORMAT   snprintf: off the record path, into its own buffer
 *   MV_MAY_LOCK     a lock: off the record path
 *   MV_MAY_START    what only the start of the process may do: read the environment, register handlers
 *   MV_MAY_END      what ends the process, as the program has asked for it
 *   MV_MAY_LOAD     the dynamic linker: it takes locks and may allocate
 *
 * No file may allocate from the heap or use stdio: the program may be inside malloc or hold a lock of stdio, in another
 * thread or below a signal handler. Memory comes from mmap (mv_grow in ring.h), or is static.
 */
#ifndef MPIVET_RULES_H
#define MPIVET_RULES_H

#pragma GCC poison malloc calloc realloc reallocarray free strdup strndup asprintf posix_memalign aligned_alloc memalign
#pragma GCC poison printf fprintf vprintf vfprintf dprintf puts fputs putchar perror fopen fdopen fclose fread fwrite  \
    fflush
#pragma GCC poison sprintf vsprintf strtok strerror strsignal localtime gmtime setenv putenv unsetenv
#pragma GCC poison fork vfork system popen raise sleep usleep alarm pthread_create pthread_cancel pthread_join
#pragma GCC poison pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_cond_wait pthread_spin_lock sem_wait

#ifndef MV_MAY_FORMAT
#pragma GCC poison snprintf vsnprintf
#endif
#ifndef MV_MAY_LOCK
#pragma GCC poison pthread_mutex_lock pthread_mutex_trylock pthread_once atomic_flag
#endif
#ifndef MV_MAY_START
#pragma GCC poison getenv secure_getenv pthread_atfork on_exit atexit
#endif
#ifndef MV_MAY_END
#pragma GCC poison exit abort quick_exit
#endif
#ifndef MV_MAY_LOAD
#pragma GCC poison dlopen dlsym dlclose dladdr dl_iterate_phdr
#endif

#endif
