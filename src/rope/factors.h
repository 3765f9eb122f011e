/* SPDX-License-Identifier: MIT */
/* Factors by position.
 * Needs: simd, api, where, numbers, sincos.
 * Tests: tests/unit/test_models.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/base.h"
#include "../where/at.h"
#include "../numbers/double_double.h"
#include "../numbers/exp_log.h"
#include "../sincos/exact.h"
#include "config.h"

/* ---- 8.4 RoPE: factors by position ----------------------------------------------------------- */

PE_API pe_status pe_rope_query_scale_f32(double beta, size_t period, double shift, pe_at at,
                                         size_t rows, float *factors)
{
    if (rows == 0) return PE_OK;
    if (!factors) return PE_ERR_NULL;
    if (!pe__between(beta, -pe__exp2i(100), pe__exp2i(100)) || period < 1 ||
        !pe__rope_length_ok(period) || !pe__between(shift, -pe__exp2i(31), pe__exp2i(31)))
        return PE_ERR_RANGE;
    if (pe__exceeds(rows, sizeof *factors, PTRDIFF_MAX)) return PE_ERR_SIZE;
    const pe_status status = pe__check_at(&at, rows, 1, shift);
    if (status != PE_OK) return status;
    for (size_t r = 0; r < rows; r++)
        if (pe__position(&at, r, 0) + shift < 0) return PE_ERR_RANGE;
    uint64_t last = 0;
    float factor = 1;
    for (size_t r = 0; r < rows; r++) {
        const uint64_t n = (uint64_t)(pe__position(&at, r, 0) + shift) / period;
        if (n != last) {
            const pe__td log = pe__td_log(pe__td_splat((double)(n + 1)));
            const pe__td y = pe__td_add(pe__td_scale(log, pe__splat(beta)), pe__td_splat(1.0));
            factor = n ? pe__round_sum(pe__first_lane(y.a), pe__first_lane(y.b), PE__DROP_F32) : 1;
        }
        last = n, factors[r] = factor;
    }
    return PE_OK;
}

PE_API pe_status pe_rope_xpos_f32(size_t pairs, double scale_base, pe_at at, size_t rows,
                                  float *factors, size_t stride)
{
    if (rows == 0) return PE_OK;
    if (!factors) return PE_ERR_NULL;
    if (pairs == 0) return PE_ERR_SHAPE;
    if (pairs > (size_t)1 << 28) return PE_ERR_SIZE;
    pe_status status = pe__check_shape(pairs, rows, stride, sizeof *factors);
    if (status == PE_OK) status = pe__check_at(&at, rows, 1, 0);
    if (status != PE_OK) return status;
    if (!pe__between(scale_base, pe__exp2i(-30), pe__exp2i(100))) return PE_ERR_RANGE;
    for (size_t r = 0; r < rows; r++)
        if (!pe__between(pe__position(&at, r, 0), -60 * scale_base, 60 * scale_base))
            return PE_ERR_RANGE;
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        double turn[PE_LANES], high[PE_LANES], low[PE_LANES];
        const size_t n = pe__min(PE_LANES, pairs - i);
        for (size_t k = 0; k < PE_LANES; k++) turn[k] = (double)(5 * (i + k) + 2 * pairs);
        pe__td x = pe__td_log(pe__td_one(pe__load(turn))); /* (2i + 0.4 n) / 1.4 n */
        x = pe__td_sub(x, pe__td_log(pe__td_splat((double)(7 * pairs))));
        x = pe__td_div(x, pe__splat(scale_base));
        for (size_t r = 0; r < rows; r++) {
            const pe__td y = pe__td_exp(pe__td_scale(x, pe__splat(pe__position(&at, r, 0))));
            pe__store(high, y.a), pe__store(low, y.b);
            for (size_t k = 0; k < n; k++)
                factors[r * stride + i + k] = pe__round_sum(high[k], low[k], PE__DROP_F32);
        }
    }
    return PE_OK;
}
