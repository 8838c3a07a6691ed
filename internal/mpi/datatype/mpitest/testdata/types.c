/*
 * Makes datatypes on request, and prints what MPI knows about them.
 *
 * First it prints the predefined datatypes, "name size" each, and an empty line. Then it reads cases, one per line.
 * A case is a list of numbers: the number of datatypes to make, then the datatypes, then the number of copies of the
 * last datatype to pack, and the bounds of their bytes. A datatype is its kind (datatype.Kind), the arguments in the
 * order of MPI's constructor, with counts before arrays, and the old types. An old type is the number of a previous
 * datatype, or -1-i for predefined datatype i.
 *
 * It answers each case with a line: "error" and the number of the datatype that could not be made, or the size, lower
 * bound, extent, true lower bound and true extent, and the displacements of the bytes in their order, as runs (first
 * byte, end).
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct predefined {
    const char *name;
    MPI_Datatype type;
} *predefined;

static int npredefined;
static long long *next; /* next number of the case */

static int take(void) { return (int)*next++; }

static int *ints(int n)
{
    int *p = malloc((size_t)(n + 1) * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = take();
    return p;
}

static MPI_Aint *addresses(int n)
{
    MPI_Aint *p = malloc((size_t)(n + 1) * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = (MPI_Aint)*next++;
    return p;
}

static MPI_Datatype old(const MPI_Datatype *made)
{
    int i = take();
    return i < 0 ? predefined[-1 - i].type : made[i];
}

/* The kinds. They have the numbers of package datatype. */
enum {
    NAMED, DUP, CONTIGUOUS, VECTOR, HVECTOR, INDEXED, HINDEXED, INDEXED_BLOCK, HINDEXED_BLOCK, STRUCT, SUBARRAY, DARRAY,
    RESIZED
};

static int order(void) { return take() ? MPI_ORDER_FORTRAN : MPI_ORDER_C; }

static int array(int kind, const MPI_Datatype *made, MPI_Datatype *t)
{
    static const int how[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int size = 0, rank = 0, rc;
    if (kind == DARRAY) {
        size = take();
        rank = take();
    }
    int n = take(), *a = ints(n), *b = ints(n), *c = ints(n), *d = NULL;
    if (kind == DARRAY) {
        d = ints(n);
        for (int i = 0; i < n; i++) {
            b[i] = how[b[i]];
            if (c[i] == 0)
                c[i] = MPI_DISTRIBUTE_DFLT_DARG;
        }
    }
    int o = order();
    MPI_Datatype of = old(made);
    rc = kind == DARRAY ? MPI_Type_create_darray(size, rank, n, a, b, c, d, o, of, t)
                        : MPI_Type_create_subarray(n, a, b, c, o, of, t);
    free(a);
    free(b);
    free(c);
    free(d);
    return rc;
}

static int blocks(int kind, const MPI_Datatype *made, MPI_Datatype *t)
{
    int n = take(), rc, block = 0, *lens = NULL, *at = NULL;
    MPI_Aint *bytes = NULL;
    if (kind == INDEXED_BLOCK || kind == HINDEXED_BLOCK)
        block = take();
    else
        lens = ints(n);
    if (kind == INDEXED || kind == INDEXED_BLOCK)
        at = ints(n);
    else
        bytes = addresses(n);
    if (kind == STRUCT) {
        MPI_Datatype *of = malloc((size_t)(n + 1) * sizeof *of);
        for (int i = 0; i < n; i++)
            of[i] = old(made);
        rc = MPI_Type_create_struct(n, lens, bytes, of, t);
        free(of);
    } else {
        MPI_Datatype of = old(made);
        rc = kind == INDEXED         ? MPI_Type_indexed(n, lens, at, of, t)
             : kind == HINDEXED      ? MPI_Type_create_hindexed(n, lens, bytes, of, t)
             : kind == INDEXED_BLOCK ? MPI_Type_create_indexed_block(n, block, at, of, t)
                                     : MPI_Type_create_hindexed_block(n, block, bytes, of, t);
    }
    free(lens);
    free(at);
    free(bytes);
    return rc;
}

static int make(const MPI_Datatype *made, MPI_Datatype *t)
{
    int kind = take(), count, block;
    MPI_Aint stride;
    switch (kind) {
    case DUP:
        return MPI_Type_dup(old(made), t);
    case CONTIGUOUS:
        count = take();
        return MPI_Type_contiguous(count, old(made), t);
    case VECTOR:
    case HVECTOR:
        count = take();
        block = take();
        stride = (MPI_Aint)*next++;
        return kind == VECTOR ? MPI_Type_vector(count, block, (int)stride, old(made), t)
                              : MPI_Type_create_hvector(count, block, stride, old(made), t);
    case RESIZED: {
        MPI_Aint lb = (MPI_Aint)*next++, extent = (MPI_Aint)*next++;
        return MPI_Type_create_resized(old(made), lb, extent, t);
    }
    case SUBARRAY:
    case DARRAY:
        return array(kind, made, t);
    default:
        return blocks(kind, made, t);
    }
}

/* Finds the byte of memory of each byte of the packed data: it numbers the bytes of memory,
 * and packs digit by digit. */
static void pack(MPI_Datatype t, int copies, MPI_Aint from, MPI_Aint to)
{
    int room = 0, position = 0;
    MPI_Pack_size(copies, t, MPI_COMM_SELF, &room);
    unsigned char *memory = malloc((size_t)(to - from) + 1), *packed = malloc((size_t)room + 1);
    int64_t *number = calloc((size_t)room + 1, sizeof *number);
    for (int digit = 0; digit < 24; digit += 8) {
        for (MPI_Aint i = 0; i < to - from; i++)
            memory[i] = (unsigned char)(i >> digit);
        position = 0;
        if (MPI_Pack(memory - from, copies, t, packed, room, &position, MPI_COMM_SELF)) {
            printf(" unpackable");
            break;
        }
        for (int i = 0; i < position; i++)
            number[i] |= (int64_t)packed[i] << digit;
    }
    for (int i = 0, first = 0; i < position; i++)
        if (i + 1 == position || number[i + 1] != number[i] + 1) {
            printf(" %lld %lld", (long long)(number[first] + from), (long long)(number[i] + 1 + from));
            first = i + 1;
        }
    free(number);
    free(packed);
    free(memory);
}

static void answer(void)
{
    int n = take(), failed = -1;
    MPI_Datatype *made = malloc((size_t)n * sizeof *made);
    for (int i = 0; i < n && failed < 0; i++)
        if (make(made, &made[i]))
            failed = n = i;
    if (failed >= 0) {
        printf("error %d", failed);
    } else {
        MPI_Datatype t = made[n - 1];
        int size;
        MPI_Aint lb, extent, tlb, textent;
        int copies = take();
        MPI_Aint from = (MPI_Aint)*next++, to = (MPI_Aint)*next++;
        MPI_Type_size(t, &size);
        MPI_Type_get_extent(t, &lb, &extent);
        MPI_Type_get_true_extent(t, &tlb, &textent);
        printf("%d %lld %lld %lld %lld", size, (long long)lb, (long long)extent, (long long)tlb, (long long)textent);
        MPI_Type_commit(&t);
        if (copies)
            pack(t, copies, from, to);
    }
    while (n-- > 0)
        MPI_Type_free(&made[n]);
    free(made);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *line = NULL, *p, *end;
    size_t room = 0, numbers = 0;
    long long *list = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const struct predefined types[] = {
#define T(name) {#name, name}
        T(MPI_BYTE), T(MPI_CHAR), T(MPI_SHORT), T(MPI_INT), T(MPI_LONG), T(MPI_FLOAT), T(MPI_DOUBLE),
        T(MPI_LONG_DOUBLE),
        T(MPI_C_BOOL), T(MPI_C_COMPLEX), T(MPI_C_DOUBLE_COMPLEX), T(MPI_INTEGER), T(MPI_DOUBLE_COMPLEX), T(MPI_2INT),
        T(MPI_SHORT_INT), T(MPI_FLOAT_INT), T(MPI_LONG_INT), T(MPI_DOUBLE_INT), T(MPI_LONG_DOUBLE_INT),
#if defined(MPI_LB) && (defined(MPICH) || OMPI_ENABLE_MPI1_COMPAT)
        T(MPI_LB), T(MPI_UB),
#endif
    };
    predefined = types;
    npredefined = (int)(sizeof types / sizeof *types);
    for (int i = 0; i < npredefined; i++) {
        int size;
        MPI_Type_size(types[i].type, &size);
        printf("%s %d\n", types[i].name, size);
    }
    printf("\n");
    fflush(stdout);
    while (getline(&line, &room, stdin) > 0) {
        if (numbers < room) {
            numbers = room;
            list = realloc(list, numbers * sizeof *list);
        }
        next = list;
        for (p = line;; p = end) {
            long long v = strtoll(p, &end, 10);
            if (end == p)
                break;
            *next++ = v;
        }
        next = list;
        answer();
    }
    MPI_Finalize();
    return 0;
}
