/* Flags set the number of objects that is worth a note, and the number of reported places: those with most objects. */
/* run: np=1 flags="--max-comms=4 --max-objects=0 --leak-report-size=1" */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Group group;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 5; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* want info "LOCAL:COMM:NOT_FREED" "has 4 communicators that are not freed, 3 of them made at one place" count=1 want warning "LOCAL:COMM:NOT_FREED" "5 communicators made by MPI_Comm_dup are never freed(?s:.*)1 other place" count=5 */
    for (int i = 0; i < 200; i++)
        MPI_Info_create(&info); /* want warning "LOCAL:INFO:NOT_FREED" "200 info objects made by MPI_Info_create are never freed" count=200 */
    MPI_Comm_group(comm, &group); /* want warning "LOCAL:GROUP:NOT_FREED" */
    MPI_Finalize();
    return 0;
}
