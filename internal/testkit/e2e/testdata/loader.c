/* A program without MPI. It loads a library that uses MPI, privately (RTLD_LOCAL). Usage: loader LIBRARY. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *lib = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
    int (*work)(void);
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&work = dlsym(lib, "work");
    return work();
}
