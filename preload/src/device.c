/* Asks the runtime libraries of other devices. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "device.h"

#define MV_MAY_LOAD /* only for an address that is about to be reported, or data that are about to be read */
#include "rules.h"

/* Of Level Zero, it is the driver that counts. Its loader comes with hwloc and says nothing about devices. */
static const char *const libraries[] = {"libcuda.so.1",     "libamdhip64.so",        "libamdhip64.so.6",
                                        "libamdhip64.so.5", "libze_intel_gpu.so.1"};
#define LIBRARIES (sizeof libraries / sizeof libraries[0])

/* 1: one of them is or was loaded. Any thread sets it, mv_is_device reads it. */
static _Atomic int loaded;

void mv_device_module(const char *path, size_t len)
{
    const char *name = memrchr(path, '/', len);
    name = name ? name + 1 : path;
    len -= (size_t)(name - path);
    for (size_t i = 0; i < LIBRARIES; i++) {
        size_t n = strcspn(libraries[i], ".");
        if (len > n && !strncmp(name, libraries[i], n) && name[n] == '.')
            atomic_store(&loaded, 1);
    }
}

/*
 * Whether an answer says that an address belongs to a device, or leaves it open. The values are the same in CUDA and
 * HIP. A library that is not initialized, or has no device, has no memory either: hwloc and UCX load them to look for
 * devices.
 */
static int owned(int result)
{
    enum { INVALID_VALUE = 1, NOT_INITIALIZED = 3, NO_DEVICE = 100 };
    return result != INVALID_VALUE && result != NOT_INITIALIZED && result != NO_DEVICE;
}

/* Whether a library reports that the address is its own, or may think so. */
static int claims(void *library, uint64_t address)
{
    int (*cuda)(unsigned *, int, uint64_t), (*hip)(void *, const void *);
    union {
        unsigned type;
        char attributes[512];
    } out;
    void *f = dlsym(library, "cuPointerGetAttribute");
    if (f) {
        memcpy(&cuda, &f, sizeof f);
        return owned(cuda(&out.type, 2, address)); /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
    }
    f = dlsym(library, "hipPointerGetAttributes");
    if (f) {
        memcpy(&hip, &f, sizeof f);
        return owned(hip(&out, (const void *)(uintptr_t)address));
    }
    return 1; /* it cannot be asked */
}

int mv_is_device(uint64_t address)
{
    int is = 0, e = errno;
    for (size_t i = 0; atomic_load_explicit(&loaded, memory_order_relaxed) && !is && i < LIBRARIES; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            continue;
        is = claims(library, address);
        dlclose(library);
    }
    errno = e;
    return is;
}
