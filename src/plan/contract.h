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

/* Make the config of a convention. In the table, d is d_model, h is floor(d / 2), and i is the
 * index of a pair, whose frequency is w_i = (1 / base)^exponent with base = 10000. The layout
 * "inter" is s0 c0 s1 c1 ...; "sc" is halves with the sines first, "cs" halves with the cosines
 * first. The column "odd d" says how such a row ends, that it is refused, or what d must be. "axes
 * (2)" means that axes is 2 unless it is changed. The projects of a convention are below it.
 *
 *   PE_PRESET_       layout  exponent   odd d        further properties
 *   VASWANI          inter   2i / d     ends in sine
 *                    the paper, Keras-hub, ESPnet, Diffusers 1-D, OpenNMT-py
 *   T2T              sc      i / (h-1)  ends in 0
 *                    tensor2tensor, marian-nmt, google-research/pegasus, Whisper, Flax,
 *                    gemma.cpp absolute, OpenNMT-py SinusoidalConcat
 *   FAIRSEQ          sc      i / (h-1)  ends in 0    offset 2 (padding_idx + 1 for padding_idx 1),
 *                                                    the row of position -1 is 0
 *                    fairseq, M2M, Speech2Text
 *   OPENNMT          sc      i / (h-1)  ends in 0    offset 1
 *                    OpenNMT-tf, CTranslate2
 *   HF_MARIAN        sc      2i / d     one sine more
 *                    Hugging Face's MarianMT, Pegasus, Autoformer, RoFormer, CTRL
 *   TRANSFORMER_XL   sc      2i / d     refused      positions may descend, be negative
 *                    Transformer-XL, XLNet
 *   TENER            sc      i / (h-1)  ends in 0    its rows are positions -n ... n - 1
 *                    TENER
 *   DDPM             sc      i / (h-1)  ends in 0    exponent_shift 1
 *                    DDPM, Diffusers get_timestep_embedding
 *   LDM              cs      i / h      ends in 0
 *                    Stable Diffusion, Flux, ggml_timestep_embedding
 *   MUSICGEN         cs      i / (h-1)  ends in 0
 *                    MusicGen
 *   MLX              sc      i / (h-1)  refused      amplitude sqrt(2 / d); scale is max_freq, base
 *                                                    is max_freq / min_freq
 *                    mlx.nn.SinusoidalPositionalEncoding
 *   MAE_2D           sc      2i / (d/2) d % 4 = 0    2 axes: columns of x, then of y; the
 *                                                    coordinates of a row are (y, x)
 *                    MAE, ViT, DiT
 *   VIDEO_3D         sc      2i / width d % 16 = 0   3 axes: d/4 columns of t, 3d/8 of x, 3d/8 of
 *                                                    y; the coordinates of a row are (t, y, x)
 *                    Diffusers 3-D, CogVideoX
 *   T2T_ND           sc      i / (n-1)  ends in 0s   axes (2) of n = floor(d / (2 axes)) pairs,
 *                                                    in the order of coordinates
 *                    tensor2tensor add_timing_signal_nd
 *   DETR             inter   2i / (d/2) refused      2 axes: y, then x; offset 1
 *                    DETR
 *   NERF             inter   i          ends in 0s   axes (3) of floor(d / (2 axes)) pairs, base
 *                                                    1/2, so w_i = 2^i; PE_COLUMNS_FREQUENCIES:
 *                                                    sines of x, y, z, their cosines, then next i
 *                    bmild/nerf, after its raw coordinates
 *   TINY_CUDA_NN     inter   i          ends in 0s   axes (3); half_turns, base 1/2: w_i = 2^i pi
 *                    tiny-cuda-nn Frequency, which ends in 1s: write these after a row's d
 *                    elements, with a stride that is larger than d; the NeRF paper
 *
 * Fields may be changed afterwards. For T2T_ND, NERF and TINY_CUDA_NN, change axes. For DDPM,
 * change exponent_shift (its downscale_freq_shift) and scale. For a MAE_2D grid whose cells are
 * divided by s, set scale = 1 / s. For T2T, set scale = min_timescale and base = max_timescale /
 * min_timescale. For any preset, columns may be changed. DETR's normalised positions are reals: use
 * pe_coords_f64(). A refused width, or a number that is no preset, makes pe_plan_init() return
 * PE_ERR_CONFIG.
 *
 * Accuracy     tests/unit/plan/test_conventions.c compares each with its formula, using MPFR
 * Threads      any */
PE_API pe_config pe_config_preset(pe_preset preset, size_t d_model);

/* Say what is wrong with a config. Returns constant English text that names the field and says what
   it must be, or NULL if nothing is wrong. A NULL config is also reported. Threads: any. */
PE_API const char *pe_config_error(const pe_config *config);

/* Say what is wrong with frequencies for pe_plan_init_frequencies(). They are omega[0] ...
   omega[pairs - 1]. With PE_COLUMNS_SUMS, pass the length of omega as `pairs`: pairs * axes. Only
   the config's scale is used. Returns constant English text, or NULL if nothing is wrong. If index
   is not NULL, *index becomes the index of the first frequency that is not finite or is out of
   bounds. If there is none, *index becomes `pairs`. A NULL config or omega is also reported.
   Threads: any. */
PE_API const char *pe_frequency_error(const pe_config *config, const double *omega, size_t pairs,
                                      size_t *index);

/* Tell how many bytes of memory a plan of this config needs. With one axis and d_model
 * 256 ... 4999, the bytes per element of a row are (tests/unit/api/test_errors.c)
 *
 *     136 to 180     if expected_rows is 0 or above 35; 11 KB for d_model 64, 2239 bytes at least
 *     8 to 10        if expected_rows is 1 ... 35
 *     12 to 14       with PE_ANGLE_FLOAT32, for any expected_rows; 255 bytes at least
 *
 * Returns 0 for an invalid config, NULL included. The memory may have any alignment: up to 63 bytes
 * for it are included. Threads: any. */
PE_API size_t pe_plan_size(const pe_config *config);

/* This constant is a number of bytes that is enough for any plan of this width with expected_rows =
   1, except with PE_COLUMNS_SUMS. It is 26 bytes per pair and 2248 more. So a plan for a single row
   can be made on the stack (tests/unit/api/test_errors.c). */
#define PE_PLAN_BYTES(d_model) (((size_t)(d_model) / 2 + 84) * 26 + 64)

/* Make a plan with the frequencies w_i = scale base^(-i / D), times pi with half_turns. pe_exponent
 * defines D. If expected_rows is 0 or at least 36, and the angle is PE_ANGLE_EXACT, the plan also
 * gets 16 rotation rows, with which one row is rotated to others.
 *
 * memory       at least pe_plan_size(config) bytes, any alignment. Keep it as long as the plan is
 *              used. Nothing outside [memory, memory + memory_size) is touched.
 * memory_size  its size in bytes
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG; PE_ERR_SUMS for PE_COLUMNS_SUMS, which needs a
 *              list of frequencies; PE_ERR_MEMORY if the memory is too small. On an error the
 *              memory is not touched and the plan becomes all zeros.
 * Accuracy     frequencies to 2^-99 of their value (tests/unit/numbers/test_budget.c), or less if
 *              i / D exceeds 90 or the frequencies of an axis span a factor above 2^960. If an
 *              element needs more digits of a frequency, they are computed from the config
 * Aliasing     plan, config and memory may not overlap
 * Threads      one at a time on a plan and its memory */
PE_API pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                              size_t memory_size);

/* Make a plan with the caller's frequencies: w_i = omega[i] * scale, times pi with half_turns. In
 * this way each axis can have its own base, or any frequencies. With PE_COLUMNS_SUMS each pair has
 * one frequency for each coordinate. base, exponent and exponent_shift are ignored, but must be
 * valid.
 *
 * omega        `pairs` numbers, axis after axis; with PE_COLUMNS_SUMS [pairs][axes]. Each is
 *              taken as an exact number, of either sign. It is 0, or 2^-900 ... 2^900 in magnitude
 *              with |omega[i] * scale| within 2^-960 ... 2^21; the factor pi of half_turns does not
 *              count in these bounds. Frequencies of 0 are correct but slow.
 * pairs        the pairs of a row, which are the sum over all axes of half the axis' width. If a
 *              width is odd, its half is rounded up with PE_ODD_SINE, down with PE_ODD_ZERO
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

/* These formulas say how float32 code computes a frequency. Each operation is rounded to float,
   except that log(base) is a double: PE_FLOAT32_EXP rounds only the quotient -log(base) / D to
   float, and PE_FLOAT32_EXP_OF_RATIO rounds -log(base) to float. */
typedef enum pe_float32 {
    PE_FLOAT32_POW = 0,     /* 1 / base^(i / D): inv_freq of Hugging Face, Llama, vLLM */
    PE_FLOAT32_EXP,         /* exp(i * (-log(base) / D)): tutorials of the paper, T2T, fairseq */
    PE_FLOAT32_EXP_OF_RATIO /* exp((-log(base) * i) / D): Diffusers, Stable Diffusion, Flux, ggml's
                               timestep_embedding */
} pe_float32;

/* Compute the frequencies base^(-i / D) of a config as float32 code does, for
 * pe_plan_init_frequencies() with PE_ANGLE_FLOAT32. That function multiplies them by scale. The
 * elements of such a plan differ from those of that code by at most a unit in the last place of 1,
 * at every position. The elements of an exact plan, or of PE_ANGLE_FLOAT32 with exact frequencies,
 * differ by the position times the error of the float32 frequency.
 *
 * config       of one axis. Its base (1 ... 2^126), exponent, exponent_shift, d_model and odd are
 *              used. All other fields must be valid
 * omega        one number for each pair of a row: as many as pe_plan_init_frequencies() needs
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
 * positions, axis after axis: plan->pairs doubles. Where w_i is 0, the wavelength is infinity, with
 * the sign of that 0.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_SUMS for PE_COLUMNS_SUMS
 * Accuracy     correctly rounded (tests/unit/sincos/test_theorem.c); with PE_ANGLE_FLOAT32, the
 *              frequencies are the floats that the plan uses, and the wavelengths belong to them
 * Aliasing     omega and wavelength may not overlap the plan or its memory
 * Threads      any */
PE_API pe_status pe_plan_frequencies(const pe_plan *plan, double *omega);
PE_API pe_status pe_plan_wavelengths(const pe_plan *plan, double *wavelength);
