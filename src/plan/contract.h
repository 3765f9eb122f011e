/* SPDX-License-Identifier: MIT */
/* This contract declares presets, plans and their frequencies. tests/unit/plan/test_conventions.c
 * and tests/unit/rows/test_bounds.c test it. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 5. plans -------------------------------------------------------------------------------- */

/* Make the config of "Attention Is All You Need": interleaved sines and cosines, base 10000,
   amplitude 1. d_model is not checked here. Threads: any. */
PE_API pe_config pe_config_default(size_t d_model);

/* Make the config of a convention. d = d_model, h = floor(d / 2); "inter" is s0 c0 s1 c1 ...; "sc"
 * is halves with the sines first, "cs" with the cosines first; the exponent is the one of 1 / base,
 * with base = 10000.
 *
 *   PE_PRESET_       layout  exponent   odd d        and; used by
 *   VASWANI          inter   2i / d     ends in sine
 *                    the paper, Keras-hub, ESPnet, Diffusers 1-D, OpenNMT-py
 *   T2T              sc      i / (h-1)  ends in 0
 *                    tensor2tensor, marian-nmt, google-research/pegasus, Whisper, Flax,
 *                    gemma.cpp absolute, OpenNMT-py SinusoidalConcat
 *   FAIRSEQ          sc      i / (h-1)  ends in 0    offset 2 (padding_idx + 1 for padding_idx 1),
 *                                                    row -1 is 0
 *                    fairseq, M2M, Speech2Text
 *   OPENNMT          sc      i / (h-1)  ends in 0    offset 1
 *                    OpenNMT-tf, CTranslate2
 *   HF_MARIAN        sc      2i / d     one sine more
 *                    Hugging Face's MarianMT, Pegasus, Autoformer, RoFormer, CTRL
 *   TRANSFORMER_XL   sc      2i / d     refused      positions may descend, be negative
 *                    Transformer-XL, XLNet
 *   TENER            sc      i / (h-1)  ends in 0    its rows are positions -n ... n - 1
 *                    TENER
 *   DDPM             sc      i / (h-1)  ends in 0    exponent_shift 1; scale as in Diffusers
 *                    DDPM, Diffusers get_timestep_embedding
 *   LDM              cs      i / h      ends in 0
 *                    Stable Diffusion, Flux, ggml_timestep_embedding
 *   MUSICGEN         cs      i / (h-1)  ends in 0
 *                    MusicGen
 *   MLX              sc      i / (h-1)  refused      amplitude sqrt(2 / d); scale is the maximal
 *                                                    frequency, base max / min
 *                    mlx.nn.SinusoidalPositionalEncoding
 *   MAE_2D           sc      2i / (d/2) d % 4 = 0    2 axes: columns x, then y; the coordinates
 *                                                    are (y, x)
 *                    MAE, ViT, DiT
 *   VIDEO_3D         sc      2i / width d % 16 = 0   3 axes: t (d/4), x, y (3d/8 each); the
 *                                                    coordinates are (t, y, x)
 *                    Diffusers 3-D, CogVideoX
 *   T2T_ND           sc      i / (n-1)  ends in 0s   axes (2) of n = floor(d / (2 axes)) pairs,
 *                                                    in the order of coordinates
 *                    tensor2tensor add_timing_signal_nd
 *   DETR             inter   2i / (d/2) refused      2 axes: y, then x; offset 1
 *                    DETR
 *   NERF             inter   2^k        ends in 0s   axes (3) of n = floor(d / (2 axes)) pairs,
 *                                                    base 1/2, PE_COLUMNS_FREQUENCIES: sines of x,
 *                                                    y, z, their cosines, then the next k
 *                    bmild/nerf, behind its raw coordinates
 *   TINY_CUDA_NN     inter   2^k pi     ends in 0s   axes (3); half_turns, base 1/2
 *                    tiny-cuda-nn Frequency, which ends in 1s: write these into a row's padding,
 *                    with a stride that is larger than d; the NeRF paper
 *
 * These fields may be changed afterwards. For T2T_ND, NERF and TINY_CUDA_NN, change axes. For DDPM,
 * change exponent_shift (its downscale_freq_shift) and scale. For a MAE_2D grid whose cells are
 * divided by s, set scale = 1 / s. For T2T, set scale = min_timescale and base = max_timescale /
 * min_timescale. For any preset, columns may be changed. DETR's normalised positions are reals: use
 * pe_coords_f64(). A refused width, or a number that is no preset, makes pe_plan_init() return
 * PE_ERR_CONFIG.
 *
 * Accuracy     tests/unit/plan/test_conventions.c compares each with its formula by MPFR
 * Threads      any */
PE_API pe_config pe_config_preset(pe_preset preset, size_t d_model);

/* Say what is wrong with a config. Returns constant English text that names the field and its
   range, or NULL if nothing is wrong. Threads: any. */
PE_API const char *pe_config_error(const pe_config *config);

/* Say what is wrong with frequencies for pe_plan_init_frequencies(). Returns constant English text,
   or NULL if nothing is wrong. If index is not NULL, *index becomes the index of the first
   frequency that is not finite or is out of bounds. If there is none, *index becomes `pairs`.
   Threads: any. */
PE_API const char *pe_frequency_error(const pe_config *config, const double *omega, size_t pairs,
                                      size_t *index);

/* Tell how many bytes of memory a plan of this config needs. A plan for many rows: 136 to 180 bytes
 * per element of rows of 256 or more, 11 KB for rows of 64, 2239 bytes at least. With fewer than 36
 * expected_rows: 8 to 10 bytes per element. With PE_ANGLE_FLOAT32: 12 to 14, 255 bytes at least
 * (tests/unit/api/test_errors.c).
 * Returns 0 for an invalid config, NULL included. The memory may have any alignment: the slack is
 * included. Threads: any. */
PE_API size_t pe_plan_size(const pe_config *config);

/* This constant is a number of bytes that is enough for any plan of this width with expected_rows =
   1, except with PE_COLUMNS_SUMS. It is 26 bytes per pair and 2248 more. So a plan for one call can
   be made on the stack (tests/unit/api/test_errors.c). */
#define PE_PLAN_BYTES(d_model) (((size_t)(d_model) / 2 + 84) * 26 + 64)

/* Make a plan with the frequencies w_i = scale base^(-i / D), times pi with half_turns. If many
 * rows are expected, the plan also gets the 16 rotation rows, by which one row is rotated to
 * others.
 *
 * memory       at least pe_plan_size(config) bytes, any alignment. Keep it as long as the plan is
 *              used. Nothing outside [memory, memory + memory_size) is touched.
 * memory_size  its size in bytes
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG; PE_ERR_SUMS for PE_COLUMNS_SUMS, which needs a
 *              list of frequencies; PE_ERR_MEMORY if the memory is too small. On an error the
 *              memory is not touched and the plan becomes all zeros.
 * Accuracy     frequencies to 2^-99 of their value (tests/unit/numbers/test_budget.c); if an
 *              element needs more digits, they are computed from the config
 * Aliasing     plan, config and memory may not overlap
 * Threads      one at a time on a plan and its memory */
PE_API pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                              size_t memory_size);

/* Make a plan with the caller's frequencies: w_i = omega[i] * scale, times pi with half_turns. base
 * and exponent are ignored, but must be valid. So each axis can have its own base or list; with
 * PE_COLUMNS_SUMS each pair has one frequency for each coordinate.
 *
 * omega        pairs numbers, axis after axis; with PE_COLUMNS_SUMS [pairs][axes]. Each is
 *              taken as an exact number, of either sign. It is 0, or 2^-900 ... 2^900 in magnitude
 *              with |omega[i] * scale| within 2^-960 ... 2^21; the factor pi of half_turns does not
 *              count in these bounds. Frequencies of 0 are correct but slow.
 * pairs        the pairs of a row, of all axes: d_model / 2, rounded up with PE_ODD_SINE
 *
 * Returns      as pe_plan_init(), but never PE_ERR_SUMS; PE_ERR_NULL also for omega;
 *              PE_ERR_PAIRS if pairs is another number; PE_ERR_FREQUENCY if a frequency is out of
 *              bounds or not finite: pe_frequency_error() says which
 * Accuracy     as pe_plan_init (tests/unit/plan/test_conventions.c, tests/unit/plan/test_models.c)
 * Aliasing     as pe_plan_init; omega may not overlap plan or memory
 * Threads      as pe_plan_init */
PE_API pe_status pe_plan_init_frequencies(pe_plan *plan, const pe_config *config,
                                          const double *omega, size_t pairs, void *memory,
                                          size_t memory_size);

/* How float32 code computes a frequency. Each operation is rounded to float. log(base) is a double:
   PE_FLOAT32_EXP rounds the whole -log(base) / D to float, PE_FLOAT32_EXP_OF_RATIO -log(base). */
typedef enum pe_float32 {
    PE_FLOAT32_POW = 0,     /* 1 / base^(i / D): inv_freq of Hugging Face, Llama, vLLM */
    PE_FLOAT32_EXP,         /* exp(i * (-log(base) / D)): tutorials of the paper, T2T, fairseq */
    PE_FLOAT32_EXP_OF_RATIO /* exp((-log(base) * i) / D): Diffusers, Stable Diffusion, Flux, ggml's
                               timestep_embedding */
} pe_float32;

/* Compute the frequencies base^(-i / D) of a config as float32 code does, for
 * pe_plan_init_frequencies() with PE_ANGLE_FLOAT32. The elements of such a plan differ from those
 * of that code by at most a unit in the last place of 1, at every position. The elements of an
 * exact plan, or of PE_ANGLE_FLOAT32 with exact frequencies, differ by the position times the
 * error of the float32 frequency.
 *
 * config       its base (1 ... 2^126), exponent, exponent_shift and d_model are used; one axis
 * omega        the pairs of a row
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for another formula; PE_ERR_CONFIG; PE_ERR_BASE
 *              for a base out of these bounds or several axes
 * Accuracy     powf and expf are assumed to be correctly rounded, as those of glibc are except for
 *              a few arguments; those of vector libraries may differ by one unit
 *              (tests/unit/plan/test_models.c)
 * Aliasing     omega may not overlap config
 * Threads      any */
PE_API pe_status pe_frequencies_float32(const pe_config *config, pe_float32 formula, double *omega);

/* Read back the frequencies w_i in radians per position, or the wavelengths 2 pi / w_i in
 * positions, axis after axis: plan->pairs doubles. Where w_i is 0, the wavelength is infinity.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_SUMS for PE_COLUMNS_SUMS
 * Accuracy     correctly rounded (tests/unit/sincos/test_theorem.c); with PE_ANGLE_FLOAT32, the
 *              frequencies are the floats that the plan uses, and the wavelengths belong to them
 * Aliasing     omega and wavelength may not overlap the plan or its memory
 * Threads      any */
PE_API pe_status pe_plan_frequencies(const pe_plan *plan, double *omega);
PE_API pe_status pe_plan_wavelengths(const pe_plan *plan, double *wavelength);
