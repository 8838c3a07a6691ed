/* All ways to make communicators and groups. Some leave out members, some are made twice so that MPI reuses handles. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

static int total(MPI_Comm comm)
{
    int rank, sum;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, sum = 0, members[3] = {3, 1, 0};
    MPI_Comm dup, info, half, created, group, node, inter, merged, again;
    MPI_Group all, three, none;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_name(MPI_COMM_WORLD, "the world");

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_dup_with_info(dup, MPI_INFO_NULL, &info);
    sum += total(dup) + total(info);

    MPI_Comm_split(dup, rank < 3 ? rank % 2 : MPI_UNDEFINED, -rank, &half);
    if (half != MPI_COMM_NULL)
        sum += 10 * total(half);

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 3, members, &three);
    MPI_Group_excl(three, 0, NULL, &none);
    MPI_Comm_create(MPI_COMM_WORLD, three, &created);
    if (created != MPI_COMM_NULL)
        sum += 100 * total(created);
    if (rank != 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, three, 4, &group);
        sum += 1000 * total(group);
        MPI_Comm_free(&group);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    sum += 10000 * total(node);

    MPI_Comm_free(&dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &dup);
    MPI_Intercomm_create(dup, 0, MPI_COMM_WORLD, (rank + 1) % 2, 12, &inter);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    sum += 100000 * total(merged);
    MPI_Comm_dup(inter, &again);
    MPI_Barrier(again);

    for (int i = 0; i < 20; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 3 ? 1 : MPI_UNDEFINED, i % 2 ? rank : -rank, &comm);
        if (comm != MPI_COMM_NULL) {
            total(comm);
            MPI_Comm_free(&comm);
        }
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Group_free(&all);
    MPI_Group_free(&three);
    MPI_Group_free(&none);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&info);
    if (half != MPI_COMM_NULL)
        MPI_Comm_free(&half);
    if (created != MPI_COMM_NULL)
        MPI_Comm_free(&created);
    MPI_Comm_free(&node);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&again);
    MPI_Finalize();
    return 0;
}
