/* Looks like mpivet's library: a wrapper that stays in MPI. */
#include <signal.h>
#include <unistd.h>

void __attribute__((noinline)) stop_here(void) {
    if (getpid() == 0) raise(SIGINT);
    __asm__ volatile("");
}

int MPI_Send(const void *buf, int count, void *type) {
    (void)buf, (void)count, (void)type;
    stop_here();
    return 0;
}
