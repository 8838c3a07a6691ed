/* Makes and frees objects: objects datatype|communicator|group|operation|info|errhandler|keyval|request SECONDS. Prints
 * the time in seconds for one object, with all its calls. */
#include "measure.h"

#include <string.h>

static void datatype(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Datatype t;
        MPI_Type_vector(3, 2, 5, MPI_INT, &t);
        MPI_Type_commit(&t);
        MPI_Type_free(&t);
    }
}

static void communicator(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Comm c;
        MPI_Comm_dup(MPI_COMM_SELF, &c);
        MPI_Comm_free(&c);
    }
}

static void group(long n)
{
    const int rank = 0;
    for (long i = 0; i < n; i++) {
        MPI_Group world, one;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 1, &rank, &one);
        MPI_Group_free(&one);
        MPI_Group_free(&world);
    }
}

static void add(void *in, void *inout, int *n, MPI_Datatype *t)
{
    (void)t;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void operation(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Op op;
        MPI_Op_create(add, 1, &op);
        MPI_Op_free(&op);
    }
}

static void info(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "key", "value");
        MPI_Info_free(&info);
    }
}

static void handler(MPI_Comm *c, int *code, ...)
{
    (void)c;
    (void)code;
}

static void errhandler(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Errhandler h;
        MPI_Comm_create_errhandler(handler, &h);
        MPI_Errhandler_free(&h);
    }
}

static void keyval(long n)
{
    for (long i = 0; i < n; i++) {
        int key;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Comm_free_keyval(&key);
    }
}

static void request(long n)
{
    static int data;
    for (long i = 0; i < n; i++) {
        MPI_Request r;
        MPI_Send_init(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &r);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Request_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(long);
    } kinds[] = {{"datatype", datatype}, {"communicator", communicator}, {"group", group},
                 {"operation", operation}, {"info", info}, {"errhandler", errhandler}, {"keyval", keyval},
                 {"request", request}};
    if (argc < 3)
        return 2;
    MPI_Init(&argc, &argv);
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(argv[1], kinds[k].name))
            printf("%.4g\n", measure(kinds[k].work, atof(argv[2])));
    MPI_Finalize();
    return 0;
}
