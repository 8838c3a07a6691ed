/*
 * A process with the tables that mpivet's processes have. No MPI is involved. Usage: process SCENARIO [SEED]. It prints
 * "ready" and waits. layout.h, which the test writes, has the numbers of functions (ID_…) and the offsets of their
 * arguments (AT_…).
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "layout.h"
#include "record.h"

#define WORLD 0x44000000u
#define HALF 0x84000001u
#define BETWEEN 0x84000002u
#define LOST 0x84000077u
#define INT 0x4c000405u
#define DOUBLE 0x4c00080bu
#define DERIVED 0xcc000001u
#define SECOND 1000000000ull
#define BITS 4

__attribute__((visibility("default"))) struct mv_debug mpivet_debug;

static struct mv_object objects[16];
static struct mv_debug_thread threads[3];
static struct mv_open_requests open_requests[2];
static uint64_t keys[2][MV_REQUEST_WAYS << BITS];
static struct mv_open_request entries[2][MV_REQUEST_WAYS << BITS];
static union {
    struct mv_told head;
    unsigned char bytes[MV_TOLD_SIZE];
} told;
static unsigned char names[4096];
static uint64_t beat = 100 * SECOND;

static void put4(void *record, unsigned at, int32_t v) { memcpy((char *)record + at, &v, 4); }
static void put8(void *record, unsigned at, uint64_t v) { memcpy((char *)record + at, &v, 8); }

static void add_name(int kind, const char *name, uint64_t value, int size)
{
    struct mv_name n = {.kind = (uint8_t)kind, .name_len = (uint8_t)strlen(name), .size = size, .value = value};
    unsigned char *at = names + mpivet_debug.names_used;
    memcpy(at, &n, sizeof n);
    memcpy(at + sizeof n, name, n.name_len);
    mpivet_debug.names_used += (sizeof n + n.name_len + 7) & ~7u;
}

static void begin(void *record, unsigned id, unsigned fixed)
{
    struct mv_record r = {.kind = (uint16_t)id, .used = (uint16_t)fixed,
                          .lines = (uint16_t)((fixed + MV_LINE - 1) / MV_LINE)};
    memcpy(record, &r, sizeof r);
}

static unsigned char *add_request(int thread, int slot, uint32_t flags, unsigned id, unsigned fixed)
{
    struct mv_open_request *q = &entries[thread][slot];
    q->flags = flags;
    q->length = (fixed + MV_LINE - 1) / MV_LINE * MV_LINE;
    q->beat = 90 * SECOND;
    q->site = 0x1234;
    begin(q->record, id, fixed);
    keys[thread][slot] = 0x98000000u + (unsigned)slot;
    return q->record;
}

#define REQUEST(thread, slot, flags, function) add_request(thread, slot, flags, ID_##function, FIXED_##function)

static void message(void *r, int at_buf, int at_type, int at_count, uint64_t type, int count)
{
    put8(r, (unsigned)at_buf, 0x1000);
    put8(r, (unsigned)at_type, type);
    put4(r, (unsigned)at_count, count);
}

static void make_objects(void)
{
    objects[0] = (struct mv_object){.serial = 1};
    objects[1] = (struct mv_object){.serial = 2, .handle = WORLD, .id = 11, .kind = MV_OBJECT_COMM,
                                    .made = MV_MADE_WORLD, .rank = 1, .size = 4, .runs = 1, .run = {{0, 1, 4}}};
    objects[1].count[MV_COLL_BARRIER] = (struct mv_count){5, 5};
    objects[1].count[MV_COLL_BCAST] = (struct mv_count){3, 2};
    objects[1].count[MV_COLL_IBARRIER] = (struct mv_count){1, 1};
    objects[1].count[MV_COLL_IBCAST] = (struct mv_count){7, 7};
    objects[1].count[MV_COLL_COMM_DUP] = (struct mv_count){2, 1};
    objects[3] = (struct mv_object){.serial = 3, .handle = HALF, .id = 12, .kind = MV_OBJECT_COMM,
                                    .made = MV_COLL_COMM_SPLIT, .rank = 0, .size = 2, .runs = 1, .run = {{1, 2, 2}},
                                    .name = "half"};
    objects[4] = (struct mv_object){.serial = 4, .handle = BETWEEN, .id = 13, .kind = MV_OBJECT_COMM,
                                    .made = MV_COLL_INTERCOMM_CREATE, .rank = 0, .size = 2, .remote_size = 2,
                                    .runs = 1, .remote_runs = 1, .run = {{1, 2, 2}, {0, 2, 2}}};
    objects[5] = (struct mv_object){.serial = 5, .handle = 0xa0000000u, .id = 14, .kind = MV_OBJECT_WIN, .size = 4};
    mpivet_debug.objects[0] = (uintptr_t)objects;
    mpivet_debug.object_count[0] = 16;
}

static void make_threads(void)
{
    for (int i = 0; i < 3; i++) {
        threads[i].next = i < 2 ? (uintptr_t)&threads[i + 1] : 0;
        threads[i].tid = i < 2 ? 1000 + i : 0; /* the last one has ended */
        threads[i].beat = 99 * SECOND;
        threads[i].now_length = 128;
    }
    mpivet_debug.threads = (uintptr_t)threads;
    /* The first one receives from any source. */
    unsigned char *r = threads[0].now;
    begin(r, ID_MPI_Recv, FIXED_MPI_Recv);
    message(r, AT_MPI_Recv_buf, AT_MPI_Recv_datatype, AT_MPI_Recv_count, INT, 10);
    put4(r, AT_MPI_Recv_source, -2);
    put4(r, AT_MPI_Recv_tag, 7);
    put8(r, AT_MPI_Recv_comm, WORLD);
    threads[0].record = 1;
    /* The second one sends and receives. */
    r = threads[1].now;
    begin(r, ID_MPI_Sendrecv, FIXED_MPI_Sendrecv);
    message(r, AT_MPI_Sendrecv_sendbuf, AT_MPI_Sendrecv_sendtype, AT_MPI_Sendrecv_sendcount, DOUBLE, 3);
    message(r, AT_MPI_Sendrecv_recvbuf, AT_MPI_Sendrecv_recvtype, AT_MPI_Sendrecv_recvcount, DERIVED, 5);
    put4(r, AT_MPI_Sendrecv_dest, 1);
    put4(r, AT_MPI_Sendrecv_sendtag, 21);
    put4(r, AT_MPI_Sendrecv_source, 0);
    put4(r, AT_MPI_Sendrecv_recvtag, -1);
    put8(r, AT_MPI_Sendrecv_comm, HALF);
    threads[1].record = 2;
}

static unsigned char *isend(int thread, int slot, int dest, uint64_t comm)
{
    unsigned char *r = REQUEST(thread, slot, MV_REQUEST_ACTIVE, MPI_Isend);
    message(r, AT_MPI_Isend_buf, AT_MPI_Isend_datatype, AT_MPI_Isend_count, INT, 4);
    put4(r, AT_MPI_Isend_dest, dest);
    put4(r, AT_MPI_Isend_tag, 40 + slot);
    put8(r, AT_MPI_Isend_comm, comm);
    return r;
}

static void make_requests(void)
{
    for (int i = 0; i < 2; i++) {
        open_requests[i] = (struct mv_open_requests){
            .bits = BITS, .keys = (uintptr_t)keys[i], .entries = (uintptr_t)entries[i]};
        threads[2 * i].requests = (uintptr_t)&open_requests[i];
    }
    isend(0, 0, 3, WORLD);
    isend(0, 1, -1, WORLD); /* to MPI_PROC_NULL */
    isend(0, 2, 2, LOST);
    isend(1, 9, 1, BETWEEN);
    unsigned char *r = REQUEST(0, 5, MV_REQUEST_ACTIVE, MPI_Ibarrier);
    put8(r, AT_MPI_Ibarrier_comm, WORLD);
    for (int i = 0; i < 2; i++) { /* only the second one is started */
        r = REQUEST(0, 7 + i, MV_REQUEST_PERSISTENT | (i ? MV_REQUEST_ACTIVE : 0), MPI_Recv_init);
        message(r, AT_MPI_Recv_init_buf, AT_MPI_Recv_init_datatype, AT_MPI_Recv_init_count, INT, 1);
        put4(r, AT_MPI_Recv_init_source, 0);
        put4(r, AT_MPI_Recv_init_tag, -1);
        put8(r, AT_MPI_Recv_init_comm, WORLD);
    }
    r = REQUEST(1, 20, MV_REQUEST_ACTIVE | MV_REQUEST_PERSISTENT, MPI_Psend_init);
    put8(r, AT_MPI_Psend_init_buf, 0x2000);
    put4(r, AT_MPI_Psend_init_partitions, 6);
    put8(r, AT_MPI_Psend_init_count, 5);
    put8(r, AT_MPI_Psend_init_datatype, DOUBLE);
    put4(r, AT_MPI_Psend_init_dest, 0);
    put8(r, AT_MPI_Psend_init_comm, WORLD);
    r = REQUEST(1, 21, MV_REQUEST_ACTIVE, MPI_Imrecv);
    message(r, AT_MPI_Imrecv_buf, AT_MPI_Imrecv_datatype, AT_MPI_Imrecv_count, INT, 2);
    r = REQUEST(1, 22, MV_REQUEST_ACTIVE | MV_REQUEST_PERSISTENT, MPI_Bcast_init);
    put8(r, AT_MPI_Bcast_init_comm, HALF);
}

static void make_told(void)
{
    struct mv_unexpected *u = (struct mv_unexpected *)(told.bytes + sizeof told.head);
    told.head = (struct mv_told){.magic = MV_MAGIC_TOLD, .version = MV_VERSION, .header_size = sizeof told.head,
                                 .size = sizeof told, .sequence = 4, .time = 100 * SECOND,
                                 .unexpected_at = sizeof told.head, .unexpected = 3};
    u[0] = (struct mv_unexpected){.comm = WORLD, .source = 3, .tag = 8, .world = 3, .function = ID_MPI_Isend,
                                  .bytes = 400, .beat = 95 * SECOND};
    u[1] = (struct mv_unexpected){.comm = BETWEEN, .source = 1, .tag = 9, .world = -1, .function = ID_MPI_Send,
                                  .bytes = 0, .beat = 95 * SECOND};
    u[2] = (struct mv_unexpected){.comm = WORLD, .source = 2, .tag = 10, .world = 2, .bytes = -1};
    mpivet_debug.told = (uintptr_t)&told;
    mpivet_debug.told_size = sizeof told;
}

/* Damages some bytes of all tables. The addresses of tables are mostly left, so that readers go on. */
static void damage(unsigned seed)
{
    const struct {
        void *at;
        size_t size, times;
    } parts[] = {
        {&mpivet_debug, sizeof mpivet_debug, seed % 3 == 0}, {objects, sizeof *objects * 6, 40},
        {threads, sizeof threads, 30}, {open_requests, sizeof open_requests, seed % 4 == 0}, {keys, sizeof keys, 40},
        {entries, sizeof entries, 200}, {&told.head, sizeof told.head + 150, seed % 2 * 4}, {names, 256, 10},
    };
    srandom(seed);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t n = 0; n < parts[i].times; n++) {
            unsigned char *const at = (unsigned char *)parts[i].at + random() % (long)parts[i].size;
            *at = random() % 2 ? (unsigned char)random() : (unsigned char)(*at ^ 1 << random() % 8);
        }
}

static void change(const char *scenario)
{
    struct mv_debug *const d = &mpivet_debug;
#define IS(name) (strcmp(scenario, name) == 0)
    if (IS("odd"))
        told.head.sequence++;
    else if (IS("silent"))
        told.head.time = 0;
    else if (IS("untold"))
        d->told = 0;
    else if (IS("told"))
        told.head.unexpected = 1 << 30;
    else if (IS("toldmagic"))
        told.head.magic++;
    else if (IS("early"))
        d->magic = 0;
    else if (IS("magic"))
        d->magic ^= 1ull << 40;
    else if (IS("version"))
        d->version++;
    else if (IS("table"))
        d->table_hash++;
    else if (IS("circle"))
        threads[1].next = (uintptr_t)&threads[0];
    else if (IS("latecircle"))
        threads[2].next = (uintptr_t)&threads[1];
    else if (IS("self"))
        threads[2].next = (uintptr_t)&threads[2];
    else if (IS("thread"))
        threads[2].next = 0x10;
    else if (IS("names"))
        d->names_used = 1ull << 50;
    else if (IS("nonames"))
        d->names = 0x10;
    else if (IS("objects"))
        d->objects[0] = 0x10;
    else if (IS("count"))
        d->object_count[0] = 0xffffffff;
    else if (IS("past"))
        d->object_count[0] = 1 << 20;
    else if (IS("object"))
        objects[3].size = -5;
    else if (IS("kind"))
        objects[3].kind = 77;
    else if (IS("bits"))
        open_requests[0].bits = 60;
    else if (IS("keys"))
        open_requests[0].keys = ~0ull - 100;
    else if (IS("entry"))
        open_requests[0].entries = 0x10;
    else if (IS("record"))
        put4(entries[0][0].record, 12, 0);
    else if (IS("polling"))
        threads[0].polling = 1;
    else if (IS("now"))
        threads[0].now_length = 8;
    else if (!IS("good"))
        exit(2);
}

int main(int argc, char **argv)
{
    struct mv_debug *const d = &mpivet_debug;
    if (argc < 2)
        return 2;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    *d = (struct mv_debug){.version = MV_VERSION, .header_size = sizeof *d, .table_hash = TABLE_HASH,
                           .names = (uintptr_t)names, .handle_size = 4, .beat = (uintptr_t)&beat, .rank = 1, .size = 4,
                           .program = "/opt/%s/mpivet"};
    add_name(MV_NAME_CONST, "MPI_ANY_SOURCE", (uint64_t)-2, 0);
    add_name(MV_NAME_CONST, "MPI_ANY_TAG", (uint64_t)-1, 0);
    add_name(MV_NAME_CONST, "MPI_PROC_NULL", (uint64_t)-1, 0);
    add_name(MV_NAME_DATATYPE, "MPI_INT", INT, 4);
    add_name(MV_NAME_DATATYPE, "MPI_DOUBLE", DOUBLE, 8);
    make_objects();
    make_threads();
    make_requests();
    make_told();
    d->magic = MV_MAGIC_DEBUG;
    if (argc > 2)
        damage((unsigned)atoi(argv[2]));
    else
        change(argv[1]);
    printf("ready\n");
    fflush(stdout);
    for (;;)
        pause();
}
