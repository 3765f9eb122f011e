/* SPDX-License-Identifier: MIT */
/* Reads elements of f32, f16 or bf16 as floats: consecutive elements, every second or every fourth.
 * Tested by tests/unit/rope/test_tables.c. */
#pragma once
#include "../pe_simd.h"
#include "elements.h"

/* Load a vector of elements p[0], p[step], p[2 step] ... as floats; step is 1, 2 or 4. If odd is
   set, step is 2 or 4, and step / 2 is added to each index. Reads step vectors at p. */
PE__INLINE pe__vf pe__get_every(pe_type type, size_t step, int odd, const void *p)
{
    pe__vf v = pe__get_as(type, p);
    if (step > 1) {
        pe__vf w = pe__get_as(type, pe__at_const(type, p, PE__FLOATS));
        if (step > 2) {
            const pe__vf x = pe__get_as(type, pe__at_const(type, p, 2 * PE__FLOATS));
            const pe__vf y = pe__get_as(type, pe__at_const(type, p, 3 * PE__FLOATS));
            v = pe__unzip_evens(v, w);
            w = pe__unzip_evens(x, y);
        }
        v = odd ? pe__unzip_odds(v, w) : pe__unzip_evens(v, w);
    }
    return v;
}

/* Copy `bytes` bytes from in to few, set the remainder of the 4 * PE__FLOATS floats of few to 0,
   and return few. The caller reads up to four whole vectors. In `few` they cannot extend beyond the
   memory, as they could at `in`. */
PE__OUTLINE const void *pe__pad_floats(const void *in, size_t bytes, float *few)
{
    memset(few, 0, 4 * PE__FLOATS * sizeof *few);
    memcpy(few, in, bytes);
    return few;
}

/* Write n elements as floats to out: in[0], in[step] ... as in pe__get_every(), or 0 - x for each
   element x if `negative` is set. Reads no element after in[n * step - 1]. Writes whole vectors: if
   n is less than PE__FLOATS, the floats after the last element, up to out[PE__FLOATS - 1], also
   change. */
PE__INLINE void pe__read_floats(pe_type type, const void *in, size_t n, size_t step, int odd,
                                int negative, float *out)
{
    float few[4 * PE__FLOATS];
    size_t done = 0;
    if (n < PE__FLOATS) in = pe__pad_floats(in, n * step * pe__size_of(type), few);
    for (; step == 1 && !negative && done + PE__FLOATS <= n; done += PE__FLOATS)
        pe__put(out + done, pe__get_as(type, pe__at_const(type, in, done)));
    for (size_t i = done; i < n; i += PE__FLOATS) { /* the last vector may overlap the one before */
        const size_t k = n < PE__FLOATS ? 0 : pe__min(i, n - PE__FLOATS);
        const pe__vf v = pe__get_every(type, step, odd, pe__at_const(type, in, k * step));
        pe__put(out + k, negative ? pe__sub_f32(pe__splat_f32(0.0f), v) : v);
    }
}
