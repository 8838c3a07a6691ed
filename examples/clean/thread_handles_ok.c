/* Threads make and free objects of all kinds. MPI may give one thread a handle that another thread has just freed. */
/* run: np=3 cflags="-pthread" timeout=60s */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 8 };

static int rank, size, next, previous;
static MPI_Group world;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void local_objects(int i, int tag)
{
    MPI_Group first;
    MPI_Group_incl(world, 1, (int[]){0}, &first);
    MPI_Group_free(&first);

    int in[8] = {0}, out[8];
    MPI_Datatype type;
    MPI_Type_contiguous(1 + i % 7, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(in, 1, type, rank, tag, out, 1, type, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);

    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_free(&info);

    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Errhandler_free(&handler);

    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_free_keyval(&key);

    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Op_free(&op);
}

static void messages(int tag)
{
    int in = rank, out = -1;
    MPI_Request r[2];
    MPI_Irecv(&out, 1, MPI_INT, previous, tag, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&in, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);

    MPI_Message message;
    MPI_Isend(&in, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1]);
    MPI_Mprobe(previous, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&out, 1, MPI_INT, &message, &r[0]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);

    MPI_Recv_init(&out, 1, MPI_INT, previous, tag, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(&in, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1]);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void *run(void *arg)
{
    const int tag = *(const int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm comm;
        MPI_Comm_create_group(MPI_COMM_WORLD, world, tag, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
        local_objects(i, tag + 100);
        messages(tag + 200);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level, number[THREADS];
    pthread_t thread[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < THREADS && level == MPI_THREAD_MULTIPLE; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, run, &number[i]);
    }
    for (int i = 0; i < THREADS && level == MPI_THREAD_MULTIPLE; i++)
        pthread_join(thread[i], NULL);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
