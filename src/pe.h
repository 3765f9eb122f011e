/* SPDX-License-Identifier: MIT
 *
 * pe.h - positional encodings for transformers: correctly rounded, at the speed of memory,
 *        the same bits on every machine. C99 and C++11; two headers, pe.h and pe_simd.h.
 *
 * CONTENTS (search for the number and its name, as in "6. sinusoidal"; the private part has the
 *           same numbers in the same order)
 *
 *      1. options                 PE_ISA, PE_STREAM_BYTES, PE_EXTERN and others: see OPTIONS
 *      2. TYPES                   statuses, pe_config, pe_preset, pe_at, pe_plan
 *      3. this build              pe_status_string, version, instruction set, pe_selftest
 *      4. where rows are          pe_at: ranges, lists, grids, points
 *      5. plans                   presets, pe_plan_init, frequencies
 *      6. sinusoidal encodings    pe_fill_T, pe_add_T, pe_add_batch_T, pe_sinusoidal_f32
 *      7. RoPE frequencies        a model's config, pe_rope_plan_init
 *      8. RoPE                    pe_rope_T and its forms, tables, ggml
 *      9. algebra of positions    pe_shift_T, pe_dot_f64
 *     10. ALiBi                   pe_alibi_slopes_f32, pe_alibi_fill_T, pe_alibi_add_T
 *     11. learned biases          pe_bias_t5_i32, pe_bias_add_T
 *     12. learned tables          pe_learned_add_T, gradient, resampling
 *     PRIVATE                     a map and a glossary; the code of 3 to 12; 13 the functions of
 *                                 each type; 14 self test; 15 the calls
 *
 * QUICK START
 *
 *     #include "pe.h"
 *
 *     static float table[512 * 512];
 *     pe_sinusoidal_f32(table, 512, 512);            // rows, d_model: "Attention Is All You Need"
 *
 * For other positions, another base or stride, or more than one call, make a plan. It serves every
 * position:
 *
 *     pe_config config = pe_config_default(512);
 *     void *memory = malloc(pe_plan_size(&config));
 *     pe_plan plan;
 *     if (pe_plan_init(&plan, &config, memory, pe_plan_size(&config)) != PE_OK) ...
 *     pe_fill_f32(&plan, pe_from(1000000), 512, table, 512);   // positions 1000000 ... 1000511
 *     pe_add_f32(&plan, pe_at_i32(ids), rows, 1, x, 512);      // x += PE, positions of a list
 *
 * FORMULA AND LAYOUT
 *
 *     PE(p, 2i) = A sin(p w_i)    PE(p, 2i+1) = A cos(p w_i)    w_i = base^(-2i / d_model)
 *
 * This is the default config. pe_config_preset() makes the configs of other projects, and pe_config
 * has a field for each way in which they differ.
 *
 * Row-major: row r of the output starts at out + r * stride (stride counted in elements, at least
 * d_model) and holds d_model elements. Elements between d_model and stride are never touched.
 *
 * ACCURACY
 *
 * Every element, f64 included, is the real number above rounded once, to nearest even, for every
 * integer or real position from -2^31 to 2^31 and every config. A correct rounding is unique, so a
 * row is a function of (config, position) only. The bits do not depend on the instruction set, the
 * compiler, its options, SLEEF, or how rows were divided between calls or threads. The numbers of a
 * config are taken as the exact values of the doubles given. A real position and an offset are
 * first added in double. The proof is in docs/accuracy.md, and "make test" compares with MPFR. Call
 * pe_selftest() to check that a program, as it was compiled, computes these bits.
 *
 * ERRORS
 *
 * Each function that can fail returns a pe_status, and pe_status_string() says what is wrong and
 * what to do. Arguments are checked before anything is written: after an error the output is
 * unchanged. A call of no rows (tokens, heads, batches, count) is PE_OK and touches nothing,
 * whatever the other arguments are, NULL included.
 *
 * OPTIONS (define before including, or with -D)
 *
 *     PE_ISA           PE_ISA_SCALAR, _SSE2, _WASM, _NEON, _AVX2 or _AVX512. Default: the best that
 *                      the compiler's flags allow (-march=native, -mavx2 -mfma, -msimd128 ...).
 *                      Affects only speed. gcc and clang compile pe for it even if their flags do
 *                      not allow it; the program then needs a CPU that has it.
 *     PE_SLEEF         1: long runs of rows start from sines and cosines of SLEEF; link with
 *                      -lsleef. Default 0: from pe's own. Affects only speed, and little.
 *     PE_STREAM_BYTES  tables of at least this many bytes are written past the caches. Default
 *                      25165824. Best at about three quarters of the last-level cache.
 *     PE_PREFETCH_HEADS, PE_LOADS_WAIT  1 or 0: does RoPE prefetch floats that it rotates in place,
 *                      and are loads avoided that stall on non-temporal stores? Default: the better
 *                      for the CPU that the compiler's flags name. Affect only speed; see
 *                      docs/building.md.
 *     PE_UNFUSED       only for compilers other than gcc, clang, cl and tcc: define it once the
 *                      compiler's options forbid fused products and fast-math. Without it such a
 *                      compiler is refused where it may have an FMA.
 *     PE_EXTERN        prototypes only. One file of the program defines PE_EXTERN and
 *                      PE_IMPLEMENTATION before it includes pe.h, and has the functions: so a large
 *                      program compiles them once. Default: every file that includes pe.h has its
 *                      own static functions.
 *
 * THREADS
 *
 * No function keeps state, allocates, or starts a thread; errno, locale and the rounding mode stay
 * as they are. A call uses at most 48 KB of stack (tests/unit/calls/test_memory.c), pe_selftest()
 * 64 KB (tests/unit/selftest/test_selftest.c). A plan is read-only once made: any number of threads
 * may use it, each on its own rows; pe_skip() gives each thread its part of the positions.
 *
 * LIMITS
 *
 * Round-to-nearest must be in force. Flush-to-zero modes are harmless but for numbers that they
 * flush: subnormal results become 0, and so do angles below 2^-126 with PE_ANGLE_FLOAT32.
 * Positions beyond 2^31 in magnitude are refused, and so are configs beyond the limits given at the
 * fields of pe_config.
 */
#ifndef PE_H
#define PE_H

#include "api/options.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "api/types.h"

/* ============================================================================================== */
/*  FUNCTIONS                                                                                     */
/*                                                                                                */
/*  T is f32 (float), f64 (double), f16 (IEEE binary16) or bf16 (bfloat16); the last two are bits */
/*  in a uint16_t. Calls that take a plan have this order: the plan, where the rows are, how      */
/*  many, what to do with them, then the buffers. After each buffer comes its stride in elements, */
/*  or a pe_heads.                                                                                */
/* ============================================================================================== */

#include "api/contract.h"
#include "positions/contract.h"
#include "plan/contract.h"
#include "fixed/contract.h"
#include "rows/contract.h"
#include "rope/contract_config.h"
#include "rope/contract.h"
#include "algebra/contract.h"
#include "scores/contract_alibi.h"
#include "scores/contract_bias.h"
#include "learned/contract.h"

#ifdef __cplusplus
}
#endif

#if PE__DEFINE
/* ============================================================================================== */
/*  PRIVATE: nothing below is needed to use the library                                           */
/* ============================================================================================== */

/* A map
 *
 * From pe_fill_f32() to memory. Files are those of src/, of which this header is made. There macros
 * define the functions of all types; here these functions are written out.
 *
 *   calls/inlined.h      pe_fill_f32              passes its arguments on, the pe_at by pointer
 *   calls/each_type.h    pe__call_fill_f32        names the row kernel, pe__fill_kernel_f32
 *   rows/call.h          pe__call_rows            checks all arguments; nothing is written before
 *   rows/columns.h       pe__write_axes           for each axis: sets the output, chooses the store
 *                                                 mode (both layouts/output.h), writes the rows,
 *                                                 then the columns of zeros
 *   rows/axis.h          pe__write_axis           asks pe__next_run() (positions/runs.h) for run
 *                                                 after run; passes a single row on at once if the
 *                                                 plan has no padding position
 *                        pe__write_run            computes a run, a descending one from its last
 *                                                 row up; or copies it, or writes zeros
 *   rows/run.h           pe__rows_f32             is the `rows` of the row kernel: takes up to 17
 *                                                 blocks at a time, in tiles of columns
 *                        pe__write_tile           computes the centre, rotates it to the other
 *                                                 anchors (rows/anchors.h), takes block after block
 *   rows/block.h         pe__write_block_f32      takes row pair after row pair of a block
 *   rows/row_pair_f32.h  pe__store_row_pairs      takes row pairs; pe__store_one_row() takes a
 *                                                 row that is written without its partner
 *                        pe__rotate_span_f32      the hot loop: rotates, rounds and tests groups;
 *                                                 pe__store_partial() takes the pairs that fill no
 *                                                 group, at both ends of a row
 *                        pe__store_four           stores a group: four vectors of floats
 *
 * This way has branches:
 *
 *   rows/columns.h       pe__write_axis_strided   for PE_COLUMNS_FREQUENCIES
 *   rows/axis.h          pe__write_sums           for PE_COLUMNS_SUMS
 *   rows/run.h           pe__row_f32              is the `row` of the row kernel, also for plans
 *                                                 without rotation rows: chooses one of the next
 *                                                 two
 *   rows/single.h        pe__single_f32           pe__single_row(): one loop from the angles to
 *                                                 memory
 *                        pe__write_far_row        for position 0 and far positions
 *
 * If the rounding test flags a group:
 *
 *   rows/row_pair_f32.h  pe__confirm_flag         clears slow pairs that were flagged needlessly
 *                        pe__round_flagged        rounds y - e and y + e (pe__ziv_round())
 *                        pe__round_lanes          rounds undecided lanes, where these two differ
 *   rows/single.h        pe__single_round_flagged of a single row: recomputes y with more accurate
 *                                                 polynomials, then calls pe__round_flagged()
 *   sincos/exact.h       pe__round_element_any    the output's round_element; pe_sincos_T has
 *                                                 pe__round_element_given()
 *                        pe__round_element        tries angle 0, tiny angles, double-double and
 *                                                 exactly rational angles, in this order
 *                        pe__round_quantity       computes with multi-limb integers; always decides
 *
 * Functions call only functions of files that are included before theirs, below, or earlier ones in
 * their own file. Section 13 chooses the functions that depend on the type, and on whether rows are
 * filled or added, and passes them down as a pe__row_kernel. So a program that adds nothing
 * contains no code for adding. If rows of 16 bits are filled, or added to bf16, then
 * pe__write_block_16() and pe__rotate_span_16() compute their blocks, in float arithmetic. Rows are
 * added to f16 by the functions for rows of floats. The function pe__rows_f64() computes f64 rows.
 * RoPE writes rows to the stack with pe__write_rope_rows(), and then rotates heads by the angles of
 * these rows: rope/call.h begins with a map of RoPE. A shift is RoPE with a row as its head.
 *
 * Glossary
 *     pair           the sine and the cosine of one frequency
 *     run            rows of consecutive positions, ascending or descending
 *     block          17 rows: an anchor, which is a row in doubles, and the 8 rows on each side of
 *                    it, which are rotated from it by the plan's rotation rows (plan->table). Up to
 *                    17 blocks form a group of blocks. Their anchors are rotated from one of them,
 *                    the centre
 *     row pair       the rows anchor + b and anchor - b, which share their products
 *     tile           the columns, or tokens, whose data fits the stack and the first-level cache. A
 *                    span is a tile's part of a row pair
 *     group          the pairs of four vectors of doubles (4 PE_LANES). They are rounded together,
 *                    and the rounding test is read once for all of them
 *     pair tile      RoPE: PE__PAIR_TILE pairs, which fill two vectors of floats, and whose sines
 *                    and cosines stay in registers
 *     rounding test  Ziv's test: y is safe if all of y - e ... y + e, its error interval, rounds to
 *                    one number. A quick form of the test flags vectors that may not be safe. Its
 *                    window flags each y close to a midpoint. Its guard flags small floats, for
 *                    which e is too large. Then y - e and y + e are rounded, and lanes where they
 *                    differ are undecided
 *     far, slow      far positions: angles out of the range of the double kernel, computed in
 *                    double-double. Slow pairs: frequencies so low that the errors of a run's sines
 *                    are relative, so that small sines are not flagged
 *     padding        padding lanes: lanes of a vector after the last pair, which they repeat. They
 *                    are not stored
 *
 * PE__INLINE marks a kernel: it is compiled into its caller, with that caller's constant arguments.
 * PE__OUTLINE marks a function of which all callers share one copy. Inlining it would save no time,
 * but would cost code, or stack, because its arrays would be in the caller's frame. PE__COLD marks
 * functions that seldom run. Intrinsics are in pe_simd.h only (src/simd/).
 */

#include "pe_simd.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "api/status.h"
#include "numbers/sizes.h"
#include "numbers/compare.h"
#include "positions/read.h"
#include "positions/check.h"
#include "positions/runs.h"
#include "numbers/double_double.h"
#include "numbers/exp_log.h"
#include "numbers/real.h"
#include "frequencies/geometric.h"
#include "sincos/double_double.h"
#include "sincos/round.h"
#include "sincos/exact.h"
#include "sincos/bounds.h"
#include "plan/fields.h"
#include "plan/rotation.h"
#include "plan/config.h"
#include "plan/shape.h"
#include "plan/make.h"
#include "plan/frequencies.h"
#include "fixed/increments.h"
#include "sincos/double.h"
#include "layouts/elements.h"
#include "layouts/output.h"
#include "layouts/pairs.h"
#include "layouts/order.h"
#include "layouts/floats.h"
#include "rows/anchors.h"
#include "rows/row_pair_f32.h"
#include "rows/row_pair_16.h"
#include "rows/single.h"
#include "rows/block.h"
#include "rows/run.h"
#include "rows/f64.h"
#include "rows/kernels.h"
#include "rows/axis.h"
#include "rows/columns.h"
#include "rows/call.h"
#include "rows/sincos.h"
#include "rope/config.h"
#include "rope/exact.h"
#include "rope/frequencies.h"
#include "rope/attention.h"
#include "rope/plan.h"
#include "rope/heads.h"
#include "rope/rotate.h"
#include "rope/rows.h"
#include "rope/tokens.h"
#include "rope/call.h"
#include "rope/table.h"
#include "rope/by_table.h"
#include "rope/factors.h"
#include "rope/ggml.h"
#include "algebra/shift.h"
#include "algebra/dot.h"
#include "scores/shape.h"
#include "scores/alibi.h"
#include "scores/bias.h"
#include "learned/add.h"
#include "learned/resample.h"
#include "calls/each_type.h"
#include "selftest/selftest.h"

#ifdef __cplusplus
}
#endif

#include "hints_end.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "positions/make.h"
#include "calls/inlined.h"

#ifdef __cplusplus
}
#endif

#endif /* PE__DEFINE */

#include "end.h"

#endif /* PE_H */
