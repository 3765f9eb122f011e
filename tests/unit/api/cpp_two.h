/* SPDX-License-Identifier: MIT */
/* Declares the functions of cpp_two.c, the C half of test_cpp. The C++ half, test_cpp.cpp, compares
   their results and sizes with its own. */
#ifndef PE_TESTS_CPP_TWO_H
#define PE_TESTS_CPP_TWO_H

#include "pe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills f32 and f64 with tables of the default config: rows positions that start at `first`. */
pe_status two_fill(size_t d_model, int64_t first, size_t rows, float *f32, double *f64);
/* Fills each array with the causal ALiBi biases of all heads, then adds the same biases to it. So
   each element is the bias twice. */
pe_status two_alibi(size_t heads, size_t queries, size_t keys, float *f32, uint16_t *f16,
                    uint16_t *bf16);
/* Adds row 2 r % table_rows of the table to row r of x, adds the result to the same row of grad,
   and resamples the table to `rows` rows. */
pe_status two_learned(const float *table, size_t table_rows, size_t d_model, float *x, float *grad,
                      float *resampled, size_t rows);
/* Holds the arguments of two_engine(), which makes the same calls on them as the test
   calls_read_as_they_should(). */
typedef struct two_calls {
    const int32_t *ids;
    const int64_t *wide;
    const float *xyz, *in;
    float *out, *q, *turned;
    uint16_t *x, *grad, *keys;
    void *memory;
    size_t bytes;
} two_calls;
pe_status two_engine(const two_calls *c);
size_t two_sizeof(int which);
const char *two_text(pe_status status);
size_t two_rope_sizeof(void);
pe_status two_rope(const pe_rope_config *config, double *omega, double *attention_factor);

#ifdef __cplusplus
}
#endif

#endif /* PE_TESTS_CPP_TWO_H */
