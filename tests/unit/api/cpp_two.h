/* SPDX-License-Identifier: MIT */
/* What the C half of test_cpp lends to the C++ half; see test_cpp.cpp. */
#ifndef PE_TESTS_CPP_TWO_H
#define PE_TESTS_CPP_TWO_H

#include "pe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A table made by the C translation unit, and the size it sees for each public type. */
pe_status two_fill(size_t d_model, int64_t first, size_t rows, float *f32, double *f64);
/* The causal bias of all heads in one type after another, and the sums of it with itself. */
pe_status two_alibi(size_t heads, size_t queries, size_t keys, float *f32, uint16_t *f16,
                    uint16_t *bf16);
/* A table added to zeros at every other row, its gradient from there, and the table resampled. */
pe_status two_learned(const float *table, size_t table_rows, size_t d_model, float *x, float *grad,
                      float *resampled, size_t rows);
/* The calls of an engine, on what it points to; see calls_read_as_they_should(). */
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
