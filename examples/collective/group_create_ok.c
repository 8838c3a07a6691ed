/* Groups that may be passed to MPI_Comm_create together: disjoint groups, however each member made its copy; the empty
 * group; a group without the caller. On an inter-communicator, each side passes its own group. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

static void report(int rank, const char *what, MPI_Comm *comm)
{
    int size = 0, inter = 0;
    if (*comm != MPI_COMM_NULL) {
        MPI_Comm_size(*comm, &size);
        MPI_Comm_test_inter(*comm, &inter);
        MPI_Comm_free(comm);
    }
    printf("rank %d %s %d %d\n", rank, what, size, inter);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm made, half, between;
    MPI_Group all, a, b, mine, rest;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);

    /* Even ranks and odd ranks, the odd ones in descending order. The ranks make the groups in different ways. */
    if (rank == 0)
        MPI_Group_incl(all, 2, (int[2]){0, 2}, &mine);
    else if (rank == 2)
        MPI_Group_range_incl(all, 1, (int[1][3]){{0, 3, 2}}, &mine);
    else if (rank == 1)
        MPI_Group_range_incl(all, 1, (int[1][3]){{3, 0, -2}}, &mine);
    else {
        MPI_Group_incl(all, 3, (int[3]){3, 2, 1}, &a);
        MPI_Group_excl(a, 1, (int[1]){1}, &mine);
        MPI_Group_free(&a);
    }
    MPI_Comm_create(MPI_COMM_WORLD, mine, &made);
    report(rank, "one of two", &made);

    /* Only ranks 2 and 3 get a communicator. Rank 0 passes their group although it is not a member. */
    MPI_Group_incl(all, 2, (int[2]){0, 1}, &a);
    MPI_Group_difference(all, a, &b);
    MPI_Comm_create(MPI_COMM_WORLD, rank == 1 ? MPI_GROUP_EMPTY : b, &made);
    report(rank, "the upper", &made);

    /* All processes, as a union of two groups. */
    MPI_Group_union(a, b, &rest);
    MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? rest : all, &made);
    report(rank, "all", &made);
    MPI_Group_free(&rest);

    /* Between two groups: one process of each side, then no process of the second side. */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &between);
    MPI_Comm_group(between, &rest);
    MPI_Group_free(&mine);
    MPI_Group_incl(rest, 1, (int[1]){1}, &mine);
    MPI_Comm_create(between, mine, &made);
    report(rank, "between", &made);
    MPI_Comm_create(between, rank < 2 ? rest : MPI_GROUP_EMPTY, &made);
    report(rank, "with nobody", &made);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Group_free(&rest);
    MPI_Group_free(&mine);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
