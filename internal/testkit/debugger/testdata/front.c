/*
 * A small debugger front end. It loads a message queue library, looks at a process or a core file through it, and
 * prints what it finds. The process stands still for that time. Usage: front LIBRARY PID, or front LIBRARY CORE.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqs.h"

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

/* The target: memory, and the files that are mapped. */

struct file {
    char path[512];
    unsigned long start;
};

static struct file files[1024];
static int nfiles;
static int memory = -1;            /* /proc/PID/mem */
static const char *core;           /* the core file, mapped */
static unsigned long tids[1024];
static int ntids;

static const char *map_file(const char *path, size_t *size)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *p = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    *size = p == MAP_FAILED ? 0 : (size_t)st.st_size;
    return p == MAP_FAILED ? NULL : p;
}

static void add_file(const char *path, unsigned long start)
{
    if (nfiles == sizeof files / sizeof *files || path[0] != '/')
        return;
    snprintf(files[nfiles].path, sizeof files->path, "%s", path);
    files[nfiles++].start = start;
}

/* Returns the address of a symbol that a file exports, 0 if it does not. */
static unsigned long look_in(const struct file *f, const char *name)
{
    size_t size;
    unsigned long found = 0;
    const char *e = map_file(f->path, &size);
    const Elf64_Ehdr *h = (const void *)e;
    if (!e)
        return 0;
    if (size > sizeof *h && memcmp(e, ELFMAG, SELFMAG) == 0 && h->e_shoff && h->e_shoff < size) {
        const Elf64_Phdr *ph = (const void *)(e + h->e_phoff);
        const Elf64_Shdr *sh = (const void *)(e + h->e_shoff);
        unsigned long first = 0;
        for (int i = h->e_phnum - 1; i >= 0; i--)
            if (ph[i].p_type == PT_LOAD)
                first = ph[i].p_vaddr & ~4095UL;
        for (int i = 0; i < h->e_shnum && !found; i++) {
            if (sh[i].sh_type != SHT_DYNSYM)
                continue;
            const Elf64_Sym *s = (const void *)(e + sh[i].sh_offset);
            const char *names = e + sh[sh[i].sh_link].sh_offset;
            for (size_t k = 0; k < sh[i].sh_size / sizeof *s && !found; k++)
                if (s[k].st_shndx != SHN_UNDEF && strcmp(names + s[k].st_name, name) == 0)
                    found = f->start - first + s[k].st_value;
        }
    }
    munmap((void *)e, size);
    return found;
}

static void attach(int pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *d = opendir(path);
    if (!d)
        die("there is no process %d", pid);
    for (struct dirent *e; (e = readdir(d));) {
        const int tid = atoi(e->d_name);
        int status;
        if (tid <= 0 || ntids == sizeof tids / sizeof *tids)
            continue;
        if (ptrace(PTRACE_ATTACH, tid, NULL, NULL) != 0)
            die("cannot attach to %d: %s", tid, strerror(errno));
        waitpid(tid, &status, __WALL);
        tids[ntids++] = tid;
    }
    closedir(d);
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    memory = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "r");
    if (memory < 0 || !maps)
        die("cannot read the memory of %d", pid);
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, offset;
        char name[512];
        if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %511[^\n]", &start, &offset, name) == 3 && offset == 0)
            add_file(name, start);
    }
    fclose(maps);
}

static void detach(void)
{
    for (int i = 0; i < ntids; i++)
        ptrace(PTRACE_DETACH, tids[i], NULL, NULL);
}

static void open_core(const char *path)
{
    size_t size;
    core = map_file(path, &size);
    const Elf64_Ehdr *h = (const void *)core;
    if (!core || size < sizeof *h || memcmp(core, ELFMAG, SELFMAG) != 0 || h->e_type != ET_CORE)
        die("%s is no core file", path);
    const Elf64_Phdr *ph = (const void *)(core + h->e_phoff);
    for (int i = 0; i < h->e_phnum; i++) {
        if (ph[i].p_type != PT_NOTE)
            continue;
        for (size_t at = 0; at + sizeof(Elf64_Nhdr) < ph[i].p_filesz;) {
            const Elf64_Nhdr *n = (const void *)(core + ph[i].p_offset + at);
            const char *data = (const char *)(n + 1) + ((n->n_namesz + 3) & ~3U);
            at += sizeof *n + ((n->n_namesz + 3) & ~3U) + ((n->n_descsz + 3) & ~3U);
            if (n->n_type != NT_FILE)
                continue;
            const unsigned long *word = (const void *)data;
            const unsigned long count = word[0];
            const char *name = (const char *)(word + 2 + 3 * count);
            for (unsigned long k = 0; k < count; k++, name += strlen(name) + 1)
                if (word[2 + 3 * k + 2] == 0)
                    add_file(name, word[2 + 3 * k]);
        }
    }
}

static int read_core(unsigned long at, int size, char *to)
{
    const Elf64_Ehdr *h = (const void *)core;
    const Elf64_Phdr *ph = (const void *)(core + h->e_phoff);
    for (int i = 0; i < h->e_phnum && size > 0; i++) {
        if (ph[i].p_type != PT_LOAD || at < ph[i].p_vaddr || at >= ph[i].p_vaddr + ph[i].p_filesz)
            continue;
        const unsigned long there = ph[i].p_vaddr + ph[i].p_filesz - at;
        const int n = there < (unsigned long)size ? (int)there : size;
        memcpy(to, core + ph[i].p_offset + (at - ph[i].p_vaddr), n);
        at += n;
        to += n;
        size -= n;
        i = -1; /* the rest may be in any segment */
    }
    return size == 0 ? mqs_ok : 101;
}

/* The debugger's functions. */

struct mqs_image_ {
    mqs_image_info *info;
};

struct mqs_process_ {
    mqs_process_info *info;
    mqs_image *image;
    int rank;
};

static long blocks; /* of memory that the library has */

static void *get_memory(size_t n)
{
    blocks++;
    return malloc(n);
}

static void free_memory(void *p)
{
    blocks--;
    free(p);
}

static void put_image(mqs_image *i, mqs_image_info *info) { i->info = info; }
static mqs_image_info *get_image_info(mqs_image *i) { return i->info; }
static void put_process(mqs_process *p, mqs_process_info *info) { p->info = info; }
static mqs_process_info *get_process_info(mqs_process *p) { return p->info; }
static mqs_image *get_image(mqs_process *p) { return p->image; }
static int get_rank(mqs_process *p) { return p->rank; }

static int find_symbol(mqs_image *i, char *name, mqs_taddr_t *at)
{
    (void)i;
    for (int k = 0; k < nfiles; k++)
        if ((*at = look_in(&files[k], name)))
            return mqs_ok;
    return 100;
}

static int fetch(mqs_process *p, mqs_taddr_t at, int size, void *to)
{
    (void)p;
    if (core)
        return read_core(at, size, to);
    return pread(memory, to, size, (off_t)at) == size ? mqs_ok : 101;
}

/* Puts the files into the order in which the loader searches them. Debuggers get it from the loader's list, too. */
static void order_files(mqs_process *p)
{
    struct r_debug list;
    struct link_map m;
    mqs_taddr_t at;
    int n = 0;
    if (find_symbol(p->image, "_r_debug", &at) != mqs_ok || fetch(p, at, sizeof list, &list) != mqs_ok)
        die("cannot read the list of libraries");
    for (struct link_map *next = list.r_map; next; next = m.l_next) {
        if (fetch(p, (mqs_taddr_t)next, sizeof m, &m) != mqs_ok)
            die("cannot read the list of libraries");
        for (int k = n; k < nfiles; k++) {
            if (files[k].start != m.l_addr)
                continue;
            const struct file f = files[k];
            files[k] = files[n];
            files[n++] = f;
            break;
        }
    }
}

static void to_host(mqs_process *p, const void *from, void *to, int size)
{
    (void)p;
    memcpy(to, from, size);
}

/* The library's functions. */

static void *library;

static void *function(const char *name)
{
    void *f = dlsym(library, name);
    if (!f)
        die("the library has no %s", name);
    return f;
}

#define CALL(name, ...) ((__typeof__(&name))function(#name))(__VA_ARGS__)

static void print_operations(mqs_process *p, int class, const char *what)
{
    static const char *const statuses[] = {"pending", "matched", "complete"};
    mqs_pending_operation o;
    int rc = CALL(mqs_setup_operation_iterator, p, class);
    if (rc == mqs_no_information) {
        printf("  %s: no information\n", what);
        return;
    }
    while (rc == mqs_ok && (rc = CALL(mqs_next_operation, p, &o)) == mqs_ok) {
        printf("  %s: %s, rank %ld (%ld), tag ", what, statuses[o.status % 3], o.desired_local_rank,
               o.desired_global_rank);
        printf(o.tag_wild ? "any" : "%ld", o.desired_tag);
        printf(", %ld bytes%s", o.desired_length, o.system_buffer ? " in MPI" : "");
        if (class == mqs_pending_sends)
            printf(", actual %ld (%ld) %ld %ld", o.actual_local_rank, o.actual_global_rank, o.actual_tag,
                   o.actual_length);
        if (o.buffer)
            printf(", at 0x%lx", o.buffer);
        for (int i = 0; i < 5 && o.extra_text[i][0]; i++)
            printf("; %.64s", o.extra_text[i]);
        printf("\n");
    }
    if (rc != mqs_end_of_list)
        printf("  %s: error: %s\n", what, CALL(mqs_dll_error_string, rc));
}

static int print_comm(mqs_process *p)
{
    mqs_communicator c;
    const int rc = CALL(mqs_get_communicator, p, &c);
    if (rc != mqs_ok)
        return rc;
    printf("comm %.64s: id 0x%lx, rank %ld of %ld", c.name, c.unique_id, c.local_rank, c.size);
    int *group = malloc((c.size + 1) * sizeof *group);
    if (!group)
        die("no memory");
    if (CALL(mqs_get_comm_group, p, group) == mqs_ok)
        for (long i = 0; i < c.size && i < 8; i++)
            printf("%s%d", i ? " " : ", group ", group[i]);
    free(group);
    printf("\n");
    for (int class = 0; class < 300; class++) {
        int count = -1, active = -1;
        const int got = CALL(mqs_get_comm_coll_state, p, class, &count, &active);
        if (got != mqs_ok && got != mqs_no_information)
            printf("  class %d: error: %s\n", class, CALL(mqs_dll_error_string, got));
        else if (got == mqs_ok && (count || active))
            printf("  class %d: count %d%s\n", class, count, active ? ", active" : "");
    }
    print_operations(p, mqs_pending_sends, "send");
    print_operations(p, mqs_pending_receives, "receive");
    print_operations(p, mqs_unexpected_messages, "unexpected");
    return mqs_ok;
}

int main(int argc, char **argv)
{
    static const mqs_basic_callbacks basic = {
        .mqs_malloc_fp = get_memory, .mqs_free_fp = free_memory, .mqs_put_image_info_fp = put_image,
        .mqs_get_image_info_fp = get_image_info, .mqs_put_process_info_fp = put_process,
        .mqs_get_process_info_fp = get_process_info};
    static const mqs_image_callbacks of_image = {.mqs_find_symbol_fp = find_symbol};
    static const mqs_process_callbacks of_process = {
        .mqs_get_global_rank_fp = get_rank, .mqs_get_image_fp = get_image, .mqs_fetch_data_fp = fetch,
        .mqs_target_to_host_fp = to_host};
    struct mqs_image_ image = {0};
    struct mqs_process_ process = {.image = &image, .rank = -1};
    char *message = NULL;
    if (argc != 3)
        die("usage: front LIBRARY|- PID|CORE");
    if (argv[2][strspn(argv[2], "0123456789")])
        open_core(argv[2]);
    else
        attach(atoi(argv[2]));
    mqs_taddr_t at;
    char name[512];
    if (strcmp(argv[1], "-")) {
        snprintf(name, sizeof name, "%s", argv[1]);
    } else {
        order_files(&process);
        if (find_symbol(&image, "MPIR_dll_name", &at) != mqs_ok || fetch(&process, at, sizeof name, name) != mqs_ok)
            die("the process names no library");
        name[sizeof name - 1] = 0;
        printf("MPIR_dll_name: %s\n", name);
    }
    library = dlopen(name, RTLD_NOW);
    if (!library)
        die("%s", dlerror());
    if (CALL(mqs_version_compatibility) != MQS_INTERFACE_COMPATIBILITY ||
        CALL(mqs_dll_taddr_width) != sizeof(mqs_taddr_t) || !strstr(CALL(mqs_version_string), "mpivet"))
        die("the library has another version");
    CALL(mqs_setup_basic_callbacks, &basic);
    int rc = CALL(mqs_setup_image, &image, &of_image);
    if (rc == mqs_ok)
        rc = CALL(mqs_image_has_queues, &image, &message);
    if (rc == mqs_ok)
        rc = CALL(mqs_setup_process, &process, &of_process);
    if (rc == mqs_ok) {
        process.rank = CALL(mqs_get_global_rank, &process);
        rc = CALL(mqs_process_has_queues, &process, &message);
        if (rc == mqs_ok)
            printf("rank %d\n", process.rank);
    }
    if (message)
        printf("message: %s\n", message);
    for (int round = 0; round < 2 && rc == mqs_ok; round++) { /* the first round only uses what the second frees */
        rc = CALL(mqs_update_communicator_list, &process);
        if (rc == mqs_ok)
            rc = CALL(mqs_setup_communicator_iterator, &process);
        while (round == 1 && rc == mqs_ok) {
            rc = print_comm(&process);
            if (rc == mqs_ok)
                rc = CALL(mqs_next_communicator, &process);
        }
    }
    if (rc != mqs_end_of_list)
        printf("error: %s\n", CALL(mqs_dll_error_string, rc));
    CALL(mqs_destroy_process_info, process.info);
    CALL(mqs_destroy_image_info, image.info);
    if (blocks)
        printf("error: %ld blocks of memory are not free\n", blocks);
    detach();
    return 0;
}
