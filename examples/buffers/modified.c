/* Buffers are changed between the start of an operation and the call that completes it: for a short and a long message,
 * with different completing calls, for sends whose requests may have the same handle, in the second round of a
 * persistent send, at the root of a nonblocking broadcast, and in a reduction. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <stdlib.h>

enum { LONG = 1 << 18 };

int main(int argc, char **argv)
{
    int rank, index, flag, few[4], in[4], others[3][2];
    MPI_Request r, list[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *many = calloc(LONG, sizeof *many);
    for (int i = 0; i < 4; i++)
        few[i] = i;
    if (rank == 0) {
        MPI_Isend(few, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "byte 8 of the 16 \(element 2 of 4 × MPI_INT\) is different" count=1 ranks=0 */
        few[2]++;
        MPI_Wait(&r, MPI_STATUS_IGNORE);

        MPI_Issend(many, LONG, MPI_INT, 1, 1, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "between byte 327680 \(element 81920 of 262144 × MPI_INT\) and byte 344063" count=1 ranks=0 */
        many[84000] = 1;
        MPI_Barrier(MPI_COMM_WORLD);
        for (flag = 0; !flag;)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);

        for (int i = 0; i < 3; i++)
            MPI_Isend(others[i], 2, MPI_INT, 1, 3, MPI_COMM_WORLD, &list[i]); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "byte 4 of the 8" count=2 ranks=0 */
        others[0][1] ^= 1;
        others[2][1] ^= 1;
        MPI_Waitall(3, list, MPI_STATUSES_IGNORE);

        MPI_Send_init(few, 4, MPI_INT, 1, 4, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "of the 16 bytes, those from byte 0 \(element 0 of 4 × MPI_INT\) to byte 12 \(element 3" count=1 ranks=0 */
        for (int i = 0; i < 2; i++) {
            MPI_Start(&r);
            few[0] += i;
            few[3] += i;
            MPI_Waitany(1, &r, &index, MPI_STATUS_IGNORE);
            few[1]++;
        }
        MPI_Request_free(&r);
    } else {
        MPI_Recv(in, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(many, LONG, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3; i++)
            MPI_Recv(in, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2; i++)
            MPI_Recv(in, 4, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Ibcast(many, 1000, MPI_INT, 0, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "The send buffer of MPI_Ibcast was changed before MPI_Wait.* completed the operation: some of its 4000 bytes" count=1 ranks=0 */
    if (rank == 0)
        many[999] = 5;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Iallreduce(few, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "The send buffer of MPI_Iallreduce was changed before MPI_Wait.* completed the operation: some of its 16 bytes" count=1 ranks=1 */
    if (rank == 1)
        few[3]--;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    free(many);
    MPI_Finalize();
    return 0;
}
