/* SPDX-License-Identifier: MIT */
/* Computes anchors from their angles, rotates them from a centre, and places them in memory. Tested
 * by tests/unit/numbers/test_budget.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../sincos/exact.h"
#include "../sincos/double.h"
#include "../sincos/bounds.h"
#include "../sincos/double_double.h"
#include "../plan/rotation.h"

/* An anchor is two arrays of doubles: the sines of a row, [0], and its cosines, [1]. Each array has
   PE__ANCHOR_PADDING doubles of padding after its last pair. The last vector may extend into the
   padding. pe__compute_centre() also writes there, since it always stores PE__SINCOS_PAIRS doubles
   at a time, which are at most 32. */
enum { PE__ANCHOR_PADDING = 32 };

/* Writes the sines at position t to to[0] and the cosines to to[1], both times A (1 + eta), for the
   plan's pairs [pair, pair + count). A is the plan's amplitude, and eta is that of `bound`. The
   position t must be in the range of the double kernel (pe__is_far() returns 0). `table` is 1 if
   the centre gives more than two blocks. SLEEF then computes it if PE_SLEEF is 1. Writes up to
   PE__SINCOS_PAIRS - 1 doubles more than `count` to each array. */
PE__OUTLINE void pe__compute_centre(const pe_plan *plan, const pe__bound *bound, int table,
                                    double t, size_t pair, size_t count, double *const *to)
{
    const double factor = plan->amplitude * (1 + bound->eta);
    const size_t last = pe__vector_pair(plan, pair + (count - 1) / PE_LANES * PE_LANES);
    pe__sincos_poly poly;
    const pe__sincos_args arguments = {plan, &poly, t};
    (void)table;
    pe__scale_sincos_poly(factor, 0, 1, &poly);
#if PE_SLEEF
    for (size_t i = 0; table && i < count; i += PE_LANES) {
        pe__vd sine, cosine;
        pe__sincos_sleef(plan, factor, pe__vector_pair(plan, pair + i), t, &sine, &cosine);
        pe__store(to[0] + i, sine);
        pe__store(to[1] + i, cosine);
    }
    if (table) return;
#endif
    for (size_t i = 0; i < count; i += PE__SINCOS_PAIRS)
        pe__sincos_store(&arguments, pair + i, last, to[0] + i, to[1] + i);
}

/* Does what pe__compute_centre() does for a position t that is out of range of the double kernel,
   with the eta of pe__bound_far. The sines and cosines come from double-double. If the error bound
   of double-double is 44 units of 2^-53 or more, they come from round_element instead. With fewer
   units, rows stay within pe__bound_far: see step 5 of "Rounding test" in sincos/bounds.h.

   The function round_element() loads a vector that begins at the pair of its lane. For padding
   lanes, pe__vector_pair() therefore chooses an earlier pair, which is the last one of the plan or
   a copy of it. The vector then ends where the plan's array ends. */
PE__OUTLINE void pe__compute_centre_far(const pe_plan *plan, pe__element_rounder *round_element,
                                        double t, size_t pair, size_t count, double *const *to)
{
    const double up = 1 + pe__bound_far.eta, factor = plan->amplitude * up;
    const int fine = pe__sincos_error(plan, t) < 44 * pe__exp2i(-53);
    for (size_t i = 0; i < count; i += PE_LANES) {
        const size_t from = pe__vector_pair(plan, pair + i);
        pe__dd s, c;
        pe__sincos_dd(plan, from, t, &s, &c);
        pe__store(to[0] + i, s.hi * pe__splat(factor));
        pe__store(to[1] + i, c.hi * pe__splat(factor));
        for (size_t k = 0; k < PE_LANES && !fine; k++) {
            to[0][i + k] = round_element(plan, t, pe__vector_pair(plan, from + k), 0, 0, NULL) * up;
            to[1][i + k] = round_element(plan, t, pe__vector_pair(plan, from + k), 1, 0, NULL) * up;
        }
    }
}

/* Compute the anchor that is `distance` blocks from the centre: rotate the centre by the plan's
   rotation row 17 |distance|, backwards if distance is below 0. Writes the pairs
   [pair, pair + count) of the plan to `to`. */
PE__OUTLINE void pe__rotate_anchor(const pe_plan *plan, int64_t distance, size_t pair, size_t count,
                                   double *const *centre, double *const *to)
{
    const double *const row = pe__rotation_row(plan, 1, distance < 0 ? -distance : distance);
    const pe__vd sign = pe__splat(distance < 0 ? -1 : 1);
    for (size_t i = 0; i < count; i += PE_LANES) {
        const double *const sines = row + pe__vector_pair(plan, pair + i);
        const pe__rotated r = pe__rotate(pe__load(centre[0] + i), pe__load(centre[1] + i),
                                         pe__load(sines) * sign, pe__load(sines + plan->padded));
        pe__store(to[0] + i, r.a[0]);
        pe__store(to[1] + i, r.b[0]);
    }
}

/* Return where to put an array of an anchor in `room`, which has 2048 bytes to spare and begins at
   a cache line. `out` is the address at which the tile begins in the run's first row. Modulo 2048,
   the array then begins at out + 128, rounded down to a cache line. This avoids 4K aliasing, in
   which a load stalls on an earlier store that has not left the core and has the same last 12 bits
   in its address. Non-temporal stores take long to leave. With the anchor 64 to 450 bytes before
   the row, outputs larger than the caches took up to 50 % longer. */
PE__INLINE double *pe__unaliased(double *room, const unsigned char *out)
{
    return room + ((uintptr_t)out + 128 - (uintptr_t)room) % 2048 / 64 * 8;
}
