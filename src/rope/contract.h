/* SPDX-License-Identifier: MIT */
/* This contract declares the rotation of heads, tables of sines and cosines, and the frequencies
 * and angles of ggml. Tests: tests/unit/rope/test_rope_rotate.c, tests/unit/plan/test_models.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 8. RoPE ------------------------------------------------------------------------------------
 * Rotary encodings rotate the pairs (a, b) of each head of queries and keys:
 *
 *     a' = a c - b s      c = A cos(p w_i)
 *     b' = b c + a s      s = A sin(p w_i)
 *
 * for a token at position p. The plan has the frequencies w_i, the amplitude A and the layout,
 * which says which elements are a pair. Its d_model is the rotary dim n, an even number; the first
 * n elements of a head are rotated, the others stay. Make it with pe_rope_plan_init(), or with
 * pe_plan_init() and the right layout; cos_first does not matter here. If a plan has several axes
 * and PE_COLUMNS_BLOCKS, the default, a and b of a pair are in the block of their axis.
 * PE_COLUMNS_JOINED has one layout for the whole row. With rotary_offset in a pe_rope_config the n
 * elements begin there. In place, the elements before and after them stay as they are; out of
 * place, they are copied. Plans with a padding position, an odd width, columns of no axis or
 * PE_COLUMNS_FREQUENCIES are refused with PE_ERR_PLAN_ROPE. A plan with rope_interleave reads a and
 * b as adjacent elements and writes them n / 2 apart, also in place. So pe_back() with such a plan
 * is not the gradient, and a K-shift needs a plan without rope_interleave.
 *
 * Positions are a pe_at: pe_from(p) for a prompt, a list for a batch, pe_coords_T for (t, y, x),
 * pe_back() for the gradient, pe_delta() for a K-shift.
 *
 * Rounding: c and s are correctly rounded floats, computed once per token, not per head. Then two
 * products and their sum are each rounded to float, and nothing is fused, as in PyTorch and numpy:
 *
 *     a' = float(float(a c) - float(b s))      b' = float(float(b c) + float(a s))
 *
 * f16 and bf16 are widened to float, rotated, and rounded once, to nearest even. So the bits are
 * the same on every machine, except for the sign and payload of a NaN. If nothing overflows or is
 * subnormal, the error of a float is at most 3 * 2^-24 hypot(a, b), times the amplitude. To this,
 * c, s and the products contribute at most 2 * 2^-24 (|a c| + |b s|), and the sum at most 2^-24
 * |a'|. For f16 and bf16, the error of the rounding to their type is added. With an amplitude above
 * 1 and numbers near the largest float, a product may overflow to an infinity, or two products make
 * a NaN, where a' itself would not overflow. */

/* This struct says how many heads each token has, and where they are. Strides are in elements:
   element e of head k of token t is x[t * token_stride + k * head_stride + e]. An array [tokens,
   heads, head_dim] has {heads, head_dim, heads * head_dim}. An array [heads, tokens, head_dim] has
   {heads, tokens * head_dim, head_dim}. With one head, head_stride is ignored. With one token,
   token_stride is ignored. */
typedef struct pe_heads {
    size_t heads, head_stride, token_stride;
} pe_heads;

/* Rotate the heads of tokens, in place.
 *
 * positions     token t is at the position of row t of the pe_at
 * x             the first element of head 0 of token 0; of each head only the n elements that
 *               rotate are touched, so the head_dim is not needed
 * heads         no two of the heads may overlap
 *
 * Returns       PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_PLAN_ROPE for a plan that RoPE cannot use,
 *               see above; PE_ERR_SHAPE if heads would overlap; PE_ERR_SIZE if a pointer cannot
 *               span the heads; PE_ERR_RANGE and PE_ERR_AT..., see section 4. On an error nothing
 *               is written.
 * Accuracy      see above; tests/unit/rope/test_rope_rotate.c compares bits with MPFR and exact
 *               sums
 * Aliasing      in place; x may not overlap the positions, the plan or its memory
 * Threads       any number on one plan, each with its own tokens or heads
 * See           Su et al. 2021 (RoFormer) */
PE_API pe_status pe_rope_f32(const pe_plan *plan, pe_at positions, size_t tokens, float *x,
                             pe_heads heads);
PE_API pe_status pe_rope_f16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *x,
                             pe_heads heads);
PE_API pe_status pe_rope_bf16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *x,
                              pe_heads heads);

/* Rotate out of place: out = rotated in, whole heads of head_dim elements. Elements that do not
 * rotate are copied. The result is the same as a copy and then pe_rope_T; pe_rope_to_f32_f16 and
 * _bf16 round its floats once more, to the type of a cache.
 *
 * head_dim      elements of a head, at least n plus the rotary_offset of the plan
 * in, out       the first element of head 0 of token 0 in each array; in_heads and out_heads have
 *               as many heads
 *
 * Returns       as pe_rope_T; PE_ERR_HEAD_DIM for a head_dim that is too small; PE_ERR_HEADS for
 *               different numbers of heads in in and out; PE_ERR_OVERLAP if the memory from the
 *               first to the last element of in overlaps that of out. The same pointer with the
 *               same strides and type is allowed: it means in place.
 * Accuracy      as pe_rope_T (tests/unit/rope/test_rope_rotate.c)
 * Aliasing      in and out as above; out may not overlap the positions, the plan or its memory
 * Threads       as pe_rope_T */
PE_API pe_status pe_rope_to_f32(const pe_plan *plan, pe_at positions, size_t tokens,
                                size_t head_dim, const float *in, pe_heads in_heads, float *out,
                                pe_heads out_heads);
PE_API pe_status pe_rope_to_f16(const pe_plan *plan, pe_at positions, size_t tokens,
                                size_t head_dim, const uint16_t *in, pe_heads in_heads,
                                uint16_t *out, pe_heads out_heads);
PE_API pe_status pe_rope_to_bf16(const pe_plan *plan, pe_at positions, size_t tokens,
                                 size_t head_dim, const uint16_t *in, pe_heads in_heads,
                                 uint16_t *out, pe_heads out_heads);
PE_API pe_status pe_rope_to_f32_f16(const pe_plan *plan, pe_at positions, size_t tokens,
                                    size_t head_dim, const float *in, pe_heads in_heads,
                                    uint16_t *out, pe_heads out_heads);
PE_API pe_status pe_rope_to_f32_bf16(const pe_plan *plan, pe_at positions, size_t tokens,
                                     size_t head_dim, const float *in, pe_heads in_heads,
                                     uint16_t *out, pe_heads out_heads);

/* Rotate queries and keys in place, in one call that computes sines and cosines once for both;
 * grouped-query attention has fewer heads of keys. The result is that of two calls of pe_rope_T.
 *
 * q, k          as x of pe_rope_T, each with its heads; with 0 heads either may be NULL
 *
 * Returns       as pe_rope_T, for q and k alike. On an error neither is written.
 * Accuracy      as pe_rope_T (tests/unit/rope/test_rope_rotate.c)
 * Aliasing      in place; q and k may be interleaved, as in a fused [tokens, q k v], but must not
 *               share elements, which is not checked. Neither may overlap the positions, the plan
 *               or its memory
 * Threads       as pe_rope_T */
PE_API pe_status pe_rope_qk_f32(const pe_plan *plan, pe_at positions, size_t tokens, float *q,
                                pe_heads q_heads, float *k, pe_heads k_heads);
PE_API pe_status pe_rope_qk_f16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *q,
                                pe_heads q_heads, uint16_t *k, pe_heads k_heads);
PE_API pe_status pe_rope_qk_bf16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *q,
                                 pe_heads q_heads, uint16_t *k, pe_heads k_heads);

/* The order of cosines and sines in a table of h = n / 2 pairs, where n is the rotary dim. */
typedef enum pe_rope_table_layout {
    PE_ROPE_TABLE_APART = 0, /* two arrays, c0 ... c(h-1) and s0 ... s(h-1): ONNX, xformers       */
    PE_ROPE_TABLE_TWICE,     /* two arrays of n elements a row. Halves: c0 ... c(h-1) and again
                                c0 ... c(h-1): Hugging Face; interleaved: c0 c0 c1 c1 ...: GPT-J,
                                Diffusers. Axes in blocks of halves: each block as halves, its
                                cosines and again its cosines                                     */
    PE_ROPE_TABLE_JOINED,    /* one array, c0 ... c(h-1) s0 ... s(h-1): vLLM cos_sin_cache        */
    PE_ROPE_TABLE_COMPLEX,   /* one array, c0 s0 c1 s1 ...: Meta's freqs_cis, torchtune           */
    PE_ROPE_TABLE_MATRIX     /* one array of 2n elements a row, c0 -s0 s0 c0 c1 -s1 s1 c1 ...: Flux,
                                stable-diffusion.cpp, HiDream, Kandinsky 5                        */
} pe_rope_table_layout;

/* A table has one row of A cos(p w_i) and A sin(p w_i) per position. pe_rope_table_T sets all
   fields for the table that it fills. For tables that were made elsewhere, set the fields
   yourself. */
typedef struct pe_rope_table {
    const void *cosines, *sines; /* the first row in each array; if one array has both: cosines is
                                    that array, and sines is NULL                                */
    pe_type type;                /* type of the elements                                         */
    pe_rope_table_layout layout; /* order of cosines and sines                                   */
    size_t stride;               /* elements from row to row: at least h for PE_ROPE_TABLE_APART,
                                    2n for PE_ROPE_TABLE_MATRIX, n for the others                */
    size_t rows, pairs;          /* number of rows; number of pairs, h                           */
} pe_rope_table;

/* Fill a table: for programs that rotate heads themselves, or for pe_rope_by_table_T.
 *
 * rows         number of rows; row r is for the position of row r of the pe_at
 * cosines      rows of stride elements; if one array has both, that array
 * sines        likewise, with the same stride; NULL if one array has both
 * stride       elements, as in pe_rope_table; the plan's rotary_offset does not matter
 * made         NULL, or receives the pe_rope_table of this table; unchanged if rows is 0 and on an
 *              error
 *
 * Returns      as pe_fill_T, but never PE_ERR_PLAN_ROWS; PE_ERR_PLAN_ROPE for plans that RoPE
 *              cannot use, see pe_rope_T; PE_ERR_ENUM for another table layout; PE_ERR_SINES for
 *              sines that should be NULL; PE_ERR_ALIGNMENT for two arrays that are not a whole
 *              number of elements apart
 * Accuracy     correctly rounded (tests/unit/rope/test_rope_table.c)
 * Aliasing     cosines, sines, made, the positions and the plan may not overlap
 * Threads      any number on one plan, each with its own rows */
PE_API pe_status pe_rope_table_f32(const pe_plan *plan, pe_at positions, size_t rows,
                                   pe_rope_table_layout layout, float *cosines, float *sines,
                                   size_t stride, pe_rope_table *made);
PE_API pe_status pe_rope_table_f16(const pe_plan *plan, pe_at positions, size_t rows,
                                   pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines,
                                   size_t stride, pe_rope_table *made);
PE_API pe_status pe_rope_table_bf16(const pe_plan *plan, pe_at positions, size_t rows,
                                    pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines,
                                    size_t stride, pe_rope_table *made);

/* Rotate heads by the rows of a table, with the rotation and rounding above: ONNX RotaryEmbedding
 * with its caches, one table for all layers. Elements of 16 bits become floats first, which is
 * exact; any type of table goes with any of x. pe_rope_by_table_to_T works out of place.
 *
 * table        see pe_rope_table; with pairs = 0 nothing is rotated, and its arrays may be NULL
 * layout       which elements of a head are a pair; for PE_ROPE_TABLE_TWICE also the order of the
 *              elements in a row of the table
 * rows, tokens position t of rows is the index of token t's row in the table. pe_from(0) takes the
 *              first rows in order, pe_all(k) takes row k for all tokens, and lists of position ids
 *              (pe_at_i32, pe_at_i64) gather. pe_back() takes 0 - s for each sine s: the gradient
 * x, in, out   as in pe_rope_T and pe_rope_to_T, with n = 2 pairs. The first n elements of a head
 *              rotate; for another part (rotary_offset), move the pointer. For axes in blocks of
 *              halves, rotate block by block, each with its pairs of the table
 *
 * Returns      as pe_rope_T and pe_rope_to_T, without what concerns plans; PE_ERR_AT_KIND for rows
 *              that are reals, points, a grid or differences, or a pe_at of all zeros; PE_ERR_ENUM
 *              for an invalid type or layout; PE_ERR_SHAPE also for a stride of the table below its
 *              rows; PE_ERR_SINES for sines where one array has both; PE_ERR_RANGE for a row that
 *              the table does not have
 * Accuracy     the bits of the rotation above, by the table's numbers
 *              (tests/unit/rope/test_tables.c)
 * Aliasing     as pe_rope_T and pe_rope_to_T; what is written may not overlap the table
 * Threads      any number, each with its own tokens or heads */
PE_API pe_status pe_rope_by_table_f32(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                      size_t tokens, float *x, pe_heads heads);
PE_API pe_status pe_rope_by_table_f16(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                      size_t tokens, uint16_t *x, pe_heads heads);
PE_API pe_status pe_rope_by_table_bf16(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                       size_t tokens, uint16_t *x, pe_heads heads);
PE_API pe_status pe_rope_by_table_to_f32(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                         size_t tokens, size_t head_dim, const float *in,
                                         pe_heads in_heads, float *out, pe_heads out_heads);
PE_API pe_status pe_rope_by_table_to_f16(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                         size_t tokens, size_t head_dim, const uint16_t *in,
                                         pe_heads in_heads, uint16_t *out, pe_heads out_heads);
PE_API pe_status pe_rope_by_table_to_bf16(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                          size_t tokens, size_t head_dim, const uint16_t *in,
                                          pe_heads in_heads, uint16_t *out, pe_heads out_heads);

/* To reproduce engines that round p w_i, or p and w_i, to float, use PE_ANGLE_FLOAT32 with their
 * frequencies. ggml (llama.cpp) multiplies from pair to pair instead. Without YaRN it computes
 *
 *     theta = p;   for each pair:  angle = freq_scale (theta / freq_factor);   theta *= theta_scale
 *
 * with theta_scale = freq_base^(-2 / n_dims), and rounds each result to float. So its angles are
 * not products p w_i. */

/* The arguments of ggml_rope_ext(), by their names there, except the last field and `contracted`.
   Zero all, then set n_dims and what the model says. A 0 means that the model says nothing, and the
   value beside the field is taken: ggml itself would multiply by an attn_factor or a freq_scale of
   0. A field marked YARN is checked only if ext_factor is not 0. */
typedef struct pe_rope_ggml {
    size_t n_dims;             /* even, 2 ... 2^20                                               */
    float freq_base;           /* 1 ... 2^100, more than 1 where ext_factor > 0; 0: 10000        */
    float freq_scale;          /* 1 / factor of the model, 2^-60 ... 2^10; 0: 1                  */
    float ext_factor;          /* extrapolation factor of YaRN, up to 1; 0: no YaRN              */
    float attn_factor;         /* factor on cosine and sine, 2^-60 ... 2^60; 0: 1                */
    float beta_fast;           /* YARN: as in pe_rope_config, 2^-60 ... 2^60; 0: 32              */
    float beta_slow;           /* YARN: as in pe_rope_config, 2^-60 ... 2^60; 0: 1               */
    size_t n_ctx_orig;         /* YARN: trained length, at most 2^31 - 1; 0: freq_scale applies
                                  fully to all pairs but pair 0, as in ggml, where the logarithm of
                                  0 is -infinity                                                 */
    const float *freq_factors; /* divisors of the angles, one for each of n_dims / 2 pairs, within
                                  2^-10 ... 2^120, or NULL                                       */
    int contracted;            /* pe_rope_ggml_f32(): 1 fuses the sums of YaRN, as gcc does with -O3
                                  -march=native                                                  */
    size_t freq_factors_length; /* numbers in freq_factors, checked before any is read: at least
                                   n_dims / 2, as ggml asks of src[2]->ne[0]; 0: not given, it is
                                   assumed to be enough. Must be 0 if freq_factors is NULL        */
} pe_rope_ggml;

/* Compute the exact frequencies of ggml_rope_ext() arguments, and the factor on sine and cosine:
 *
 *     omega[i] = freq_base^(-2i / n_dims) (freq_scale (1 - m_i) + m_i) / freq_factors[i]
 *     m_i = ext_factor (1 - r_i), r_i = (i - low) / max(0.001, high - low) within 0 ... 1
 *
 * with low and high as for PE_ROPE_YARN. pe_plan_init_frequencies() makes a plan of them, with
 * d_model n_dims and amplitude attention_factor; PE_LAYOUT_HALVES is NEOX, PE_LAYOUT_INTERLEAVED is
 * NORM. For MROPE, IMROPE and VISION use a pe_rope_config.
 *
 * omega             n_dims / 2 doubles
 * attention_factor  NULL, or one double: attn_factor, times 1 - 0.1 ln freq_scale if ext_factor is
 *                   not 0
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_GGML. On an error nothing is written.
 * Accuracy     the formula for the floats given, correctly rounded (tests/unit/plan/test_models.c)
 * Aliasing     omega and attention_factor may not overlap what is read or each other
 * Threads      any
 * See          ggml_rope_ext, rope_yarn in ggml-cpu */
PE_API pe_status pe_rope_ggml_frequencies(const pe_rope_ggml *config, double *omega,
                                          double *attention_factor);

/* Fill a table for pe_rope_by_table_T, PE_ROPE_TABLE_APART, with the sines and cosines of the float
 * angles of ggml's CPU code. The operations on floats are those of ggml_rope_ext(), each rounded;
 * powf and logf are correctly rounded, as glibc's are except for a few arguments.
 *
 * positions       of `rows` rows, one coordinate, as in pe_fill_T; a real one is rounded to float
 * cosines, sines  rows of n_dims / 2 floats, stride apart
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_GGML; PE_ERR_SHAPE; PE_ERR_SIZE; PE_ERR_RANGE and
 *              PE_ERR_AT..., see section 4
 * Accuracy     cosine and sine of that float angle, correctly rounded (ggml's own, by cosf and
 *              sinf, are within an ulp or so), then times the float attention factor, rounded
 *              (tests/unit/rope/test_rope_ggml.c)
 * Aliasing     cosines, sines and what is read may not overlap
 * Threads      any
 * See          ggml_rope_cache_init, rope_yarn in ggml-cpu */
PE_API pe_status pe_rope_ggml_f32(const pe_rope_ggml *config, pe_at positions, size_t rows,
                                  float *cosines, float *sines, size_t stride);
