/* Communicators of groups, which some ranks make while other ranks do something else. Several are made at
 * the same time from one communicator, with different tags and in different threads, or repeatedly with
 * the same arguments. Others are made of a single process, of the empty group, of the group of a window,
 * and of both sides of an inter-communicator. */
/* run: np=4 cflags=-pthread */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static MPI_Group low;
static MPI_Comm of_thread[2];

static void *make(void *tag)
{
    MPI_Comm_create_group(MPI_COMM_WORLD, low, *(int *)tag, &of_thread[*(int *)tag]);
    return NULL;
}

static int size_of(MPI_Comm *comm)
{
    int size = 0;
    if (*comm == MPI_COMM_NULL)
        return 0;
    MPI_Barrier(*comm);
    MPI_Comm_size(*comm, &size);
    MPI_Comm_free(comm);
    return size;
}

int main(int argc, char **argv)
{
    int rank, level, x = 0;
    MPI_Comm comm, half, between;
    MPI_Group all, high, mine, other, joined, common;
    MPI_Win win;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, 1, 1}}, &low);
    MPI_Group_range_excl(all, 1, (int[1][3]){{0, 1, 1}}, &high);

    if (rank < 2) {
        for (int i = 0; i < 10; i++) {
            MPI_Comm_create_group(MPI_COMM_WORLD, low, 7, &comm);
            printf("rank %d made one of %d\n", rank, size_of(&comm));
        }
        if (level == MPI_THREAD_MULTIPLE) {
            pthread_t t[2];
            int tag[2] = {0, 1};
            pthread_create(&t[rank], NULL, make, &tag[rank]); /* each rank starts the threads in another order */
            pthread_create(&t[!rank], NULL, make, &tag[!rank]);
            pthread_join(t[0], NULL);
            pthread_join(t[1], NULL);
            printf("rank %d made one of %d\n", rank, size_of(&of_thread[0]));
            printf("rank %d made one of %d\n", rank, size_of(&of_thread[1]));
        }
    } else {
        MPI_Sendrecv(&rank, 1, MPI_INT, rank ^ 1, 0, &x, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_create_group(MPI_COMM_WORLD, high, 7, &comm);
        printf("rank %d made one of %d\n", rank, size_of(&comm));
    }
    if (rank == 3) { /* no other process takes part */
        MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 0, &comm);
        printf("rank %d made one of %d\n", rank, size_of(&comm));
        MPI_Group_incl(all, 1, &rank, &mine);
        MPI_Comm_create_group(MPI_COMM_WORLD, mine, 0, &comm);
        printf("rank %d made one of %d\n", rank, size_of(&comm));
        MPI_Group_free(&mine);
    }

    /* Both sides of an inter-communicator, with the lower ranks first. */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &between);
    MPI_Comm_group(between, &mine);
    MPI_Comm_remote_group(between, &other);
    MPI_Group_union(rank < 2 ? mine : other, rank < 2 ? other : mine, &joined);
    MPI_Comm_create_group(MPI_COMM_WORLD, joined, 1, &comm);
    printf("rank %d made one of %d\n", rank, size_of(&comm));
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
    MPI_Group_free(&joined);

    /* The group of a window. Disjoint groups make their windows one after the other, because Open MPI 4.1.4 may confuse
     * the memory of two windows that they make at the same time. */
    if (rank >= 2)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, half, &win);
    if (rank < 2)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_get_group(win, &mine);
    MPI_Group_intersection(all, mine, &common);
    MPI_Comm_create_group(MPI_COMM_WORLD, rank % 2 ? mine : common, 2, &comm);
    printf("rank %d made one of %d\n", rank, size_of(&comm));
    MPI_Win_free(&win);
    MPI_Group_free(&mine);
    MPI_Group_free(&common);

    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
