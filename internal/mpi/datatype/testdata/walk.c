/*
 * Walks layout programs for a test. It reads the number of words, the base, the count, a limit for runs, and the
 * program, all as 64-bit numbers. It writes the runs as pairs, then 0 and the result of the walk. The program is at the
 * end of its memory, so that reads after it are detected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

static int visit(void *ctx, uint64_t address, uint64_t length)
{
    uint64_t pair[2] = {address, length}, *left = ctx;
    fwrite(pair, sizeof pair, 1, stdout);
    return --*left ? 0 : 7;
}

int main(void)
{
    int64_t head[4];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        size_t words = (size_t)head[0];
        int64_t *program = malloc(words ? words * 8 : 1);
        if (!program || fread(program, 8, words, stdin) != words)
            return 1;
        uint64_t left = (uint64_t)head[3];
        int64_t end[2] = {0, mv_layout_walk(program, words, (uint64_t)head[1], head[2], visit, &left)};
        fwrite(end, sizeof end, 1, stdout);
        fflush(stdout);
        free(program);
    }
    return 0;
}
