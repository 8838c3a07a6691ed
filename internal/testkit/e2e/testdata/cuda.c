/* A fake CUDA runtime: it reports that all memory is that of a device. */
#include <mpi.h>

int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer)
{
    (void)pointer;
    if (attribute == 2) /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
        *(unsigned *)data = 2; /* CU_MEMORYTYPE_DEVICE */
    return 0;
}
