/* Functions of MPI 5.0: what the ABI is, what Fortran has, and handles as integers. */
/* run: np=2 needs=MPI_Abi_get_version stdout=any */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int major, minor, rank, is_set, yes, no;
    MPI_Info info;
    MPI_Datatype type;
    MPI_Abi_get_version(&major, &minor);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Abi_get_info(&info);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    MPI_Abi_get_fortran_info(&info);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    MPI_Abi_get_fortran_booleans(sizeof(int), &yes, &no, &is_set);
    printf("%d: ABI %d.%d, %d\n", rank, major, minor, is_set);
    MPI_Type_contiguous(2, MPI_INT, &type);
    type = MPI_Type_fromint(MPI_Type_toint(type));
    MPI_Type_commit(&type);
    int data[2] = {rank, rank};
    MPI_Sendrecv_replace(data, 1, type, 1 - rank, 0, 1 - rank, 0, MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)),
                         MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
