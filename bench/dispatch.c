/* SPDX-License-Identifier: MIT
 *
 * dispatch: times calls, to show what the way of linking costs. The script bench/dispatch.sh
 * compiles this file with the headers, with pe.c, and with libposenc, static and shared. The
 * program prints the first decile of 201 runs of 2,000 calls each, in nanoseconds per call.
 */
#define _POSIX_C_SOURCE 199309L
#include "pe.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HEAD_DIM = 128, HEADS = 32, RUNS = 201, CALLS = 2000 };

static double nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static float q[HEADS][HEAD_DIM] = {{1}};
    float cosines[HEAD_DIM / 2], sines[HEAD_DIM / 2];
    const pe_rope_config model = pe_rope_config_default(HEAD_DIM);
    const size_t bytes = pe_rope_plan_size(&model);
    void *const memory = malloc(bytes);
    pe_plan plan;
    pe_rope_table row;
    pe_status status = pe_rope_plan_init(&plan, &model, memory, bytes);
    const size_t heads_of[] = {1, HEADS, 0}; /* 0: the row itself */
    printf("%-14s %-8s", argc > 1 ? argv[1] : "", pe_isa_name());
    for (int k = 0; k < 3 && status == PE_OK; k++) {
        double times[RUNS];
        pe_heads heads;
        heads.heads = heads_of[k], heads.head_stride = HEAD_DIM, heads.token_stride = 0;
        status = pe_rope_table_f32(&plan, pe_from(1000), 1, PE_ROPE_TABLE_APART, cosines, sines,
                                   HEAD_DIM / 2, &row);
        for (int run = 0; run < RUNS; run++) {
            const double begin = nanoseconds();
            for (int i = 0; i < CALLS && status == PE_OK; i++)
                status =
                    heads.heads != 0
                        ? pe_rope_by_table_f32(&row, PE_LAYOUT_HALVES, pe_from(0), 1, q[0], heads)
                        : pe_rope_table_f32(&plan, pe_from(i), 1, PE_ROPE_TABLE_APART, cosines,
                                            sines, HEAD_DIM / 2, &row);
            times[run] = (nanoseconds() - begin) / CALLS;
        }
        qsort(times, RUNS, sizeof *times, by_size);
        printf(" %8.1f", times[RUNS / 10]);
    }
    printf("  %s\n", pe_status_string(status));
    free(memory);
    return status != PE_OK;
}
