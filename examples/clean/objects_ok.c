/* Other objects that programs use: attributes, infos, user-defined operations, names, generalized requests, buffers. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

static int deleted;

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int not_cancelled(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, key, flag, value = 7, *found, length;
    char text[MPI_MAX_INFO_VAL + 1];
    MPI_Info info, copy;
    MPI_Comm comm, second;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, on_delete, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "workers");
    MPI_Comm_get_name(comm, text, &length);
    MPI_Comm_set_attr(comm, key, &value);
    MPI_Comm_dup(comm, &second);
    MPI_Comm_get_attr(second, key, &found, &flag);
    printf("rank %d: %s, attribute %s %d\n", rank, text, flag ? "is" : "is not", flag ? *found : 0);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &found, &flag);
    MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(second, key);
    MPI_Comm_free(&second);
    MPI_Comm_free_keyval(&key);

    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "green");
    MPI_Info_dup(info, &copy);
    MPI_Info_get(copy, "colour", MPI_MAX_INFO_VAL, text, &flag);
    printf("rank %d: %s, %d deleted\n", rank, text, deleted);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);

    MPI_Grequest_start(query, nothing, not_cancelled, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
