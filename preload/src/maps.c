/* Reads /proc/self/maps. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "maps.h"

#include "rules.h"

/* Reads a hexadecimal number, and moves *p past it. */
static uint64_t hex(const char **p, const char *end)
{
    uint64_t v = 0;
    for (; *p < end; ++*p) {
        const char c = **p;
        if (c >= '0' && c <= '9')
            v = v << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    return v;
}

/* Moves *p past the present field and the following blanks. */
static void skip_field(const char **p, const char *end)
{
    while (*p < end && **p != ' ')
        ++*p;
    while (*p < end && **p == ' ')
        ++*p;
}

/* Reads one line: "start-end perms offset dev inode path". Returns 0 for other lines. */
static int parse(struct mv_mapping *m, const char *p, const char *end)
{
    m->start = hex(&p, end);
    if (p == end || *p != '-')
        return 0;
    p++;
    m->end = hex(&p, end);
    if (end - p < 5 || *p != ' ')
        return 0;
    m->readable = p[1] == 'r';
    m->writable = p[2] == 'w';
    m->executable = p[3] == 'x';
    p++;
    skip_field(&p, end);
    m->offset = hex(&p, end);
    skip_field(&p, end); /* to the device, */
    skip_field(&p, end); /* the inode, */
    skip_field(&p, end); /* and the path */
    m->path = p;
    m->path_len = (size_t)(end - p);
    return 1;
}

int mv_maps_visit(void (*visit)(void *ctx, const struct mv_mapping *m), void *ctx)
{
    char buf[4096 + 512]; /* the longest path, and the fields before it */
    size_t have = 0;
    int whole = 0;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    for (;;) {
        const ssize_t n = read(fd, buf + have, sizeof buf - have);
        if (n <= 0) {
            whole = !n && !have;
            break;
        }
        have += (size_t)n;
        size_t at = 0;
        const char *nl;
        while ((nl = memchr(buf + at, '\n', have - at))) {
            struct mv_mapping m;
            if (parse(&m, buf + at, nl))
                visit(ctx, &m);
            at = (size_t)(nl - buf) + 1;
        }
        if (!at) /* a line that is longer than any valid one */
            break;
        memmove(buf, buf + at, have - at);
        have -= at;
    }
    close(fd);
    return whole ? 0 : -1;
}
