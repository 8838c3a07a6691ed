/* Communicator constructors with arguments that may differ between processes: colours, keys and disjoint groups. Only
 * the members of a group call MPI_Comm_create_group. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm comm;
    MPI_Group world, group;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);

    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : rank, 100 - rank, &comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);

    /* Ranks 0 and 2 make one communicator and rank 1 makes another one, in the same call. */
    if (rank == 1)
        MPI_Group_incl(world, 1, (int[1]){1}, &group);
    else
        MPI_Group_incl(world, 2, (int[2]){2, 0}, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Comm_size(comm, &size);
    printf("rank %d: %d\n", rank, size);
    MPI_Comm_free(&comm);
    /* Only the members of the group make this call. */
    if (rank != 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_create(MPI_COMM_WORLD, rank == 1 ? MPI_GROUP_EMPTY : group, &comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    MPI_Group_free(&group);

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
