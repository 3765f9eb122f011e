/* SPDX-License-Identifier: MIT
 *
 * pe.h - positional encodings for transformers: correctly rounded, at the speed of memory,
 *        the same bits on every machine. C99 and C++11; two headers, pe.h and pe_simd.h.
 *
 * QUICK START
 *
 *     #include "pe.h"
 *
 *     static float table[512 * 512];
 *     pe_sinusoidal_f32(table, 512, 512);            // rows, d_model: "Attention Is All You Need"
 *
 * When the table is needed more than once, from another position, with another base or stride, make
 * a plan (281 KB at d_model = 512; it serves every position):
 *
 *     pe_config config = pe_config_default(512);
 *     void *memory = malloc(pe_plan_size(&config));
 *     pe_plan plan;
 *     if (pe_plan_init(&plan, &config, memory, pe_plan_size(&config)) != PE_OK) ...
 *     pe_fill_f32(&plan, 1000000, 512, table, 512);  // rows for the positions 1000000 ... 1000511
 *
 * FORMULA AND LAYOUT
 *
 *     PE(p, 2i) = A sin(p w_i)    PE(p, 2i+1) = A cos(p w_i)    w_i = base^(-2i / d_model)
 *
 * in the default config; pe_config_preset() knows the layouts and exponents of other projects, and
 * pe_config has a field for each way in which they differ.
 *
 * Row-major: row r of the output starts at out + r * stride (stride counted in elements, at least
 * d_model) and holds d_model elements. Elements between d_model and stride are never touched.
 *
 * ACCURACY
 *
 * Every float, f16 and bf16 is the real number above rounded once, to nearest even, for every
 * integer or real position from -2^31 to 2^31. A correct rounding is unique, and so the bits do not
 * depend on the instruction set, the compiler, its options, SLEEF, or how the rows were cut over
 * calls or threads: a row is a function of (config, position) alone. Doubles are within 0.501 ulp,
 * subnormal ones within 1. The numbers of a config are taken as the exact values of the doubles
 * given; a real position and an offset are added in double first. "make test" proves it against
 * MPFR, and pe_selftest() says whether a program as it was compiled has these bits.
 *
 * ERRORS
 *
 * Each function that can fail returns a pe_status, and pe_status_string() says what is wrong and
 * what to do. Arguments are checked before anything is written: after an error the output is as it
 * was. rows = 0 is fine and touches nothing, NULL included (but see pe_fill_grid_T and
 * pe_rope_sections).
 *
 * OPTIONS (define before including, or with -D)
 *
 *     PE_ISA           PE_ISA_SCALAR, _NEON, _AVX2 or _AVX512. Default: the best that the
 *                      compiler's flags allow (-march=native, -mavx2 -mfma, -mavx512f ...).
 *                      Affects speed only. What the flags do not allow is an #error.
 *     PE_SLEEF         1: the rows that need sines take them from SLEEF; link with -lsleef. 0: from
 *                      pe's own polynomial. Default: 1 where <sleef.h> is found, 0 for the scalar
 *                      build. Affects speed only.
 *     PE_STREAM_BYTES  tables of at least so many bytes are written past the caches. Default
 *                      25165824. Best at about three quarters of the last-level cache.
 *
 * THREADS
 *
 * No function keeps state, allocates, or starts a thread; errno, locale and the rounding mode stay
 * as they are. No call takes more than 48 KB of stack (tests/test_memory.c), pe_selftest() 64
 * (tests/test_selftest.c). A plan is read-only once made: any number of threads may use it, each on
 * its own rows.
 *
 * LIMITS
 *
 * Round-to-nearest must be in force. Flush-to-zero modes are harmless unless results are subnormal.
 * Positions beyond 2^31 in magnitude, and configs beyond the limits that stand at the fields of
 * pe_config, are refused.
 */
#ifndef PE_H
#define PE_H

#define PE_VERSION_MAJOR 0
#define PE_VERSION_MINOR 1
#define PE_VERSION_PATCH 0
#define PE_VERSION_HEX 0x000100
#define PE_VERSION_STRING "0.1.0"

/* ---- options --------------------------------------------------------------------------------- */

#ifndef PE_STREAM_BYTES
#define PE_STREAM_BYTES 25165824
#endif

#include "pe_simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ============================================================================================== */
/*  TYPES                                                                                         */
/* ============================================================================================== */

/* What a function has to say. PE__STATUSES(X) lists every status and its text. */
#define PE__STATUSES(X)                                                                            \
    X(PE_OK, "success")                                                                            \
    X(PE_ERR_NULL, "a pointer that is needed is NULL: a plan, config, list or buffer (did malloc " \
                   "fail?); NULL is fine with rows = 0")                                           \
    X(PE_ERR_CONFIG, "the config is invalid, or not meant for this call: pe_config_error() and "   \
                     "pe_rope_config_error() say which field is wrong; rows of several axes come " \
                     "from pe_fill_grid or pe_fill_coords; in RoPE: a pairing of the enum, a plan "\
                     "of even d_model and one axis without padding, a type that "                  \
                     "pe_rope_type_named() knows; in ALiBi: a mode of the enum, finite slopes, "   \
                     "max_bias >= 0; in resampling: a method of the enum, a within -16 ... 16")    \
    X(PE_ERR_SHAPE, "rows would overlap, or a count does not match: a stride must be at least "    \
                    "the row (d_model, keys, the rows of a head or of a batch), out must be in "   \
                    "or lie apart from it, frequencies must be d_model / 2 (rounded up with "      \
                    "PE_ODD_SINE), sections must sum to the pairs, axes be 1 ... 8")               \
    X(PE_ERR_RANGE, "a position lies outside -2^31 ... 2^31 or is not finite: check first, "       \
                    "first + rows - 1 (rows - 1 where there is no first) and every entry of a "    \
                    "position list, also with the offset; queries, keys, and the rows of a "       \
                    "learned table likewise")                                                      \
    X(PE_ERR_SIZE, "a size does not fit: rows * stride or a list overflows the address space, "    \
                   "the memory given is smaller than pe_plan_size(), or heads or rows are beyond " \
                   "what the function's comment allows")                                           \
    X(PE_ERR_SELFTEST, "this build gives other bits than it should: call "                         \
                       "fesetround(FE_TONEAREST) first, compile without options that change "      \
                       "arithmetic, take pe.h and pe_simd.h unchanged and of one version; where "  \
                       "that is so, try -O1 or -DPE_ISA=PE_ISA_SCALAR, and report it")

typedef enum pe_status {
#define PE__STATUS_NAME(name, text) name,
    PE__STATUSES(PE__STATUS_NAME)
#undef PE__STATUS_NAME
} pe_status;

/* How a row is laid out, with h pairs. */
typedef enum pe_layout {
    PE_LAYOUT_INTERLEAVED = 0, /* s0 c0 s1 c1 ...             */
    PE_LAYOUT_HALVES           /* s0 ... s(h-1) c0 ... c(h-1) */
} pe_layout;

/* D of the frequencies w_i = scale base^(-i / D). width is that of the axis, h = floor(width /
   2). */
typedef enum pe_exponent {
    PE_EXPONENT_WIDTH = 0, /* D = width / 2: the paper's 2i / d_model                      */
    PE_EXPONENT_PAIRS,     /* D = h - exponent_shift; a single pair has frequency scale    */
    PE_EXPONENT_INDEX      /* D = 1: w_i = scale base^-i                                   */
} pe_exponent;

/* What becomes of an odd width. */
typedef enum pe_odd {
    PE_ODD_SINE = 0, /* one sine more than cosines (one cosine more with cos_first) */
    PE_ODD_ZERO      /* the last column is 0                                        */
} pe_odd;

/* Which angle it is whose sine is taken, exactly. */
typedef enum pe_angle {
    PE_ANGLE_EXACT = 0, /* the real number t w_i                                                */
    PE_ANGLE_FLOAT32    /* float(float(t) * float(w_i)): what float32 code meant, to reproduce
                           models trained with it; each row takes sines, 10 to 13 times slower */
} pe_angle;

enum { PE_MAX_AXES = 8 };

/* A block of columns that encodes one of a row's coordinates. */
typedef struct pe_axis {
    size_t width;      /* its columns; 0: 2 floor(d_model / (2 axes))                  */
    size_t coordinate; /* which of the row's coordinates it encodes, 0 ... axes - 1    */
} pe_axis;

/* What to compute. Start from pe_config_default() or pe_config_preset() and change fields: more may
   be added. All numbers are taken as the exact values of the doubles given. */
typedef struct pe_config {
    size_t d_model;           /* width of a row in elements, >= 1                                 */
    double base;              /* 10000 in the paper, 2^-20 ... 2^900; 1: all frequencies equal    */
    double amplitude;         /* factor on every element, 2^-1000 ... 2^1000 in magnitude         */
    double scale;             /* factor on every angle: 1 / timescale, position scale, maximal
                                 frequency. 2^-900 ... 2^21 in magnitude, and so that every
                                 frequency, pi included, is within 2^-960 ... 2^21                */
    int half_turns;           /* 1: every angle times pi, too                                     */
    double offset;            /* added to every position: a multiple of 2^-20, at most 2^31 in
                                 magnitude; to a real one in double, rounded once                 */
    pe_layout layout;         /* interleaved in the paper                                         */
    int cos_first;            /* 1: sines and cosines change places                               */
    pe_odd odd;               /* what an odd width means                                          */
    pe_exponent exponent;     /* what divides i in the exponent                                   */
    double exponent_shift;    /* see PE_EXPONENT_PAIRS                                            */
    pe_angle angle;           /* exact, or as float32 code has it                                 */
    int has_padding;          /* 1: the row of padding_position is all zeros                      */
    int64_t padding_position; /* a position as calls give it, before the offset                   */
    size_t multiple;          /* d_model must be a multiple of this; 1: any                       */
    size_t axes;              /* coordinates of a row, 1 ... PE_MAX_AXES                          */
    pe_axis axis[PE_MAX_AXES]; /* blocks of columns, from left to right; what is right of them is 0.
                                 Not looked at if axes is 1: that axis has the whole row          */
} pe_config;

/* The world's conventions, see pe_config_preset(). */
typedef enum pe_preset {
    PE_PRESET_VASWANI = 0,
    PE_PRESET_T2T,
    PE_PRESET_FAIRSEQ,
    PE_PRESET_OPENNMT,
    PE_PRESET_MARIAN,
    PE_PRESET_TRANSFORMER_XL,
    PE_PRESET_TENER,
    PE_PRESET_DDPM,
    PE_PRESET_LDM,
    PE_PRESET_MUSICGEN,
    PE_PRESET_MLX,
    PE_PRESET_MAE_2D,
    PE_PRESET_VIDEO_3D,
    PE_PRESET_T2T_ND,
    PE_PRESET_DETR,
    PE_PRESET_NERF,
    PE_PRESET_COUNT
} pe_preset;

/* Private: the columns and pairs of one axis of a plan. */
typedef struct pe__axis {
    size_t column, width;  /* columns with sines and cosines  */
    size_t zeros;          /* columns of zeros behind them    */
    size_t pair, pairs;    /* its pairs in the plan's arrays  */
    size_t coordinate;
    double denominator[2]; /* D of its frequencies: a sum    */
} pe__axis;

/* Frequencies and some rows, in memory that the caller gave. All fields are private. A plan may
   be copied by assignment; its memory must outlive the copies, and must not be moved. */
typedef struct pe_plan {
    size_t d_model;          /* elements of a row                                            */
    size_t pairs;            /* to the end of the last axis' pairs                           */
    size_t padded;           /* doubles from one array to the next, see pe__padded()         */
    size_t levels;           /* rows digit * 17^level are stored, digit 1..8, level < levels */
    int64_t nearby;          /* the largest sum of one such row of each level                */
    int64_t whole;           /* the offset = whole + fraction                                */
    double fraction;         /* in [0, 1)                                                    */
    const double *frequency; /* 3 arrays: w / pi as a sum of three doubles                   */
    const double *table;     /* 2 arrays a row: sin(p w), cos(p w), see pe__row()            */
    const double *float32;   /* NULL, or float(w): then all of frequency is 1 / pi           */
    double amplitude;        /* A = mantissa * scale                                         */
    double mantissa;         /* in [0.5, 1), with the sign of A                              */
    double scale;            /* a power of two                                               */
    double fastest;          /* largest frequency, in half turns a position                  */
    int32_t guard;           /* bits of the smallest float that the rounding test may judge  */
    int cos_first, has_padding;
    int half_turns;          /* some turn may end at a quarter exactly                       */
    int snap;                /* frequencies are rounded powers times pi, see pe__snap()      */
    pe_layout layout;
    int64_t padding;
    size_t axes;
    pe__axis axis[PE_MAX_AXES];
} pe_plan;

/* ============================================================================================== */
/*  FUNCTIONS                                                                                     */
/*                                                                                                */
/*  T is f32 (float), f64 (double), f16 (IEEE binary16) or bf16 (bfloat16), the last two in       */
/*  uint16_t. Output rows: row r begins at out + r * stride, stride in elements, >= d_model.      */
/* ============================================================================================== */

/* Say what a status means and what to do about it: constant English text, never NULL, also for a
   number that is no status. Threads: any. */
static inline const char *pe_status_string(pe_status status);

/* Make the config of "Attention Is All You Need": interleaved sines and cosines, base 10000,
   amplitude 1. d_model is not checked here. Threads: any. */
static inline pe_config pe_config_default(size_t d_model);

/* Make the config of a convention. d = d_model, h = floor(d / 2); "inter" is s0 c0 s1 c1 ..., "sc"
 * and "cs" are halves, sines or cosines first; the exponent is that of 1 / base, base = 10000.
 *
 *   PE_PRESET_       layout  exponent   odd d        and; whose it is
 *   VASWANI          inter   2i / d     ends in sine
 *                    the paper, Keras-hub, ESPnet, Diffusers 1-D
 *   T2T              sc      i / (h-1)  ends in 0
 *                    tensor2tensor, Whisper, Flax, gemma.cpp absolute
 *   FAIRSEQ          sc      i / (h-1)  ends in 0    offset 2 (padding_idx + 1 for padding_idx 1),
 *                                                    row -1 is 0
 *                    fairseq, M2M, Speech2Text
 *   OPENNMT          sc      i / (h-1)  ends in 0    offset 1
 *                    OpenNMT, CTranslate2
 *   MARIAN           sc      2i / d     one sine more
 *                    Marian, Pegasus
 *   TRANSFORMER_XL   sc      2i / d     refused      positions may descend, be negative
 *                    Transformer-XL, XLNet
 *   TENER            sc      i / (h-1)  ends in 0    its rows are positions -n ... n - 1
 *                    TENER
 *   DDPM             sc      i / (h-1)  ends in 0    exponent_shift 1; scale is theirs
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
 *   NERF             inter   2^k pi     ends in 0s   axes (3); half_turns, base 1/2
 *                    NeRF, tiny-cuda-nn
 *
 * Fields may be changed afterwards: axes of T2T_ND and NERF; exponent_shift and scale of DDPM (its
 * downscale_freq_shift and scale); scale = 1 / s for a MAE_2D grid whose cells are divided by s;
 * half_turns = 0 for NERF features 2^k; scale = min_timescale and base = max_timescale /
 * min_timescale for T2T. DETR's normalised positions are real ones: pe_fill_coords_T.
 * A refused width, or a number that is no preset, makes pe_plan_init() say PE_ERR_CONFIG.
 *
 * Accuracy     tests/test_conventions.c compares each with its formula by MPFR
 * Threads      any */
static inline pe_config pe_config_preset(pe_preset preset, size_t d_model);

/* The name of a preset in lower case, "vaswani" ...; never NULL. Threads: any. */
static inline const char *pe_preset_name(pe_preset preset);

/* Say what is wrong with a config: constant English text that names the field and its range, or
   NULL if nothing is. Threads: any. */
static inline const char *pe_config_error(const pe_config *config);

/* Tell how many bytes of memory a plan of this config needs: 530 to 600 per element of a row of 256
 * or more; 43 KB at 64, 8575 bytes at least. With PE_ANGLE_FLOAT32: 24 to 28 per element, 447 bytes
 * at least (tests/test_errors.c).
 * Returns 0 for an invalid config, NULL included. Any alignment of the memory will do: the slack is
 * counted in. Threads: any. */
static inline size_t pe_plan_size(const pe_config *config);

/* Make a plan: the frequencies w_i = scale base^(-i / D), times pi with half_turns, and 64 rows
 * from which all others follow.
 *
 * memory       at least pe_plan_size(config) bytes, any alignment; it belongs to the plan until the
 *              caller takes it back. Nothing outside [memory, memory + memory_size) is touched.
 * memory_size  its bytes
 *
 * Returns      PE_OK; PE_ERR_NULL if a pointer is NULL; PE_ERR_CONFIG; PE_ERR_SIZE if the memory is
 *              too small. On an error neither plan nor memory is written.
 * Accuracy     frequencies to 2^-140 of their value (tests/test_exact.c sees their effect)
 * Aliasing     plan, config and memory may not overlap
 * Threads      as any write to plan and memory; later uses of the plan only read */
static inline pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                                     size_t memory_size);

/* The same with frequencies of the caller's: w_i = omega[i] * scale, times pi with half_turns; base
 * and exponent are not looked at, though they must be valid.
 *
 * omega        pairs numbers, taken as exact, of any sign: 0, or 2^-900 ... 2^900 in magnitude, and
 *              |omega[i] * scale| within 2^-960 ... 2^21, both before the factor pi of half_turns.
 *              Frequencies 0 are right but slow.
 * pairs        the pairs of a row: d_model / 2, rounded up with PE_ODD_SINE
 *
 * Returns      as pe_plan_init(); PE_ERR_NULL also for omega; PE_ERR_CONFIG also for such a number
 *              out of bounds or not finite, and for several axes; PE_ERR_SHAPE if pairs is another
 *              number
 * Accuracy     as pe_plan_init (tests/test_conventions.c)
 * Aliasing     as pe_plan_init; omega may not overlap plan or memory
 * Threads      as pe_plan_init */
static inline pe_status pe_plan_init_frequencies(pe_plan *plan, const pe_config *config,
                                                 const double *omega, size_t pairs, void *memory,
                                                 size_t memory_size);

/* How many frequencies a plan has, on all axes together; 0 for NULL. Threads: any. */
static inline size_t pe_plan_pairs(const pe_plan *plan);

/* Read back the frequencies w_i in radians a position, or the wavelengths 2 pi / w_i in positions a
 * turn, axis after axis: pe_plan_pairs(plan) doubles. Where w_i is 0, the wavelength is infinity.
 *
 * Returns      PE_OK; PE_ERR_NULL
 * Accuracy     1 ulp (tests/test_conventions.c); with PE_ANGLE_FLOAT32 those of the floats used
 * Aliasing     what is written may not overlap the plan or its memory
 * Threads      any */
static inline pe_status pe_plan_frequencies(const pe_plan *plan, double *omega);
static inline pe_status pe_plan_wavelengths(const pe_plan *plan, double *wavelength);

/* pe_fill_T: rows for the positions first, first + 1, ..., first + rows - 1:
 *
 *     out[r * stride + 2i]     = A sin((first + r + offset) w_i)      (interleaved)
 *     out[r * stride + 2i + 1] = A cos((first + r + offset) w_i)
 *
 * first        any position; first and first + rows - 1 within -2^31 ... 2^31, with the offset, too
 * rows         0 does nothing and is PE_OK, whatever the other arguments are
 * out          rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE; PE_ERR_SIZE; PE_ERR_CONFIG for a plan of several
 *              axes; PE_ERR_RANGE
 * Accuracy     f32, f16, bf16: rounded once from the exact value, overflow to infinity and
 *              subnormals included; f64: 0.501 ulp, subnormal ones 1 ulp (tests/test_exact.c,
 *              test_conventions.c)
 * Aliasing     out may not overlap the plan or its memory
 * Threads      any number on one plan, each with its own rows
 * See          Vaswani et al. 2017, section 3.5
 *
 * pe_fill_at_T: row r for positions[r]: any order, repeated, negative. The same bits; stretches of
 * consecutive positions run as fast.
 *
 * positions    rows entries within -2^31 ... 2^31; all are checked before anything is written
 * Aliasing     out may not overlap positions
 *
 * pe_fill_real_T: row r for the real position positions[r], |t| <= 2^31: diffusion timesteps, m/z
 * values, interpolated positions. The same bits where it is an integer. t + offset is rounded to a
 * double once; no rounding if offset is 0.
 *
 * Returns      PE_ERR_RANGE also for NaN and infinity */
#define PE__DECLARE_FILL(T, element)                                                               \
    static inline pe_status pe_fill_##T(const pe_plan *plan, int64_t first, size_t rows,           \
                                        element *out, size_t stride);                              \
    static inline pe_status pe_fill_at_##T(const pe_plan *plan, const int64_t *positions,          \
                                           size_t rows, element *out, size_t stride);              \
    static inline pe_status pe_fill_real_##T(const pe_plan *plan, const double *positions,         \
                                             size_t rows, element *out, size_t stride);
PE__DECLARE_FILL(f32, float)
PE__DECLARE_FILL(f64, double)
PE__DECLARE_FILL(f16, uint16_t)
PE__DECLARE_FILL(bf16, uint16_t)
#undef PE__DECLARE_FILL

/* Rows that encode several coordinates: images, video, points in space. Each axis of the config
 * fills its block of columns, as pe_fill_T would, for the coordinate it belongs to.
 *
 * pe_fill_grid_T: one row for each point of a grid, coordinate k running from 0 to shape[k] - 1,
 * the last one fastest.
 * shape        plan's axes numbers; if one is 0, nothing is done. Rows: their product. Neither plan
 *              nor shape may be NULL even then: PE_ERR_NULL
 *
 * pe_fill_coords_T: row r for the coordinates coords[r * axes ... r * axes + axes - 1].
 * coords       rows * axes real numbers, |t| <= 2^31; t + offset is rounded as in pe_fill_real_T
 *
 * Returns      as pe_fill_T, but no PE_ERR_CONFIG: one axis will do, too; PE_ERR_RANGE also for NaN
 *              and infinity
 * Accuracy     as pe_fill_T (tests/test_conventions.c)
 * Aliasing     out may not overlap the inputs, the plan or its memory
 * Threads      any number on one plan, each with its own rows */
#define PE__DECLARE_GRID(T, element)                                                               \
    static inline pe_status pe_fill_grid_##T(const pe_plan *plan, const size_t *shape,             \
                                             element *out, size_t stride);                         \
    static inline pe_status pe_fill_coords_##T(const pe_plan *plan, const double *coords,          \
                                               size_t rows, element *out, size_t stride);
PE__DECLARE_GRID(f32, float)
PE__DECLARE_GRID(f64, double)
PE__DECLARE_GRID(f16, uint16_t)
PE__DECLARE_GRID(bf16, uint16_t)
#undef PE__DECLARE_GRID

/* Add encodings to activations, in place, in one pass over memory: x = scale * x + PE.
 *
 * PE is the row of pe_fill_f32 (pe_fill_f64 for f64), and the sum is one fused multiply-add in
 * float (double for f64), rounded once to the type of x. So for f32 and scale 1 the bits are those
 * of adding the filled table, on every machine.
 *
 * pe_add_T, pe_add_at_T: positions as pe_fill_T and pe_fill_at_T have them.
 * pe_add_batch_T: the same rows to each of some batches, batch_stride elements apart: [batch, rows,
 * d_model] with batch_stride >= rows * stride, or [rows, batch, d_model] with stride >= batches *
 * batch_stride. batches = 0 does nothing; where it is 1, batch_stride is not looked at.
 *
 * scale        any float (f64: any double); 1 to add only, sqrt(d_model) for the paper's embeddings
 *
 * Returns      as pe_fill_T; PE_ERR_SHAPE also if batches would overlap
 * Accuracy     the bits of that sum (tests/test_conventions.c)
 * Aliasing     in place; x may not overlap positions, the plan or its memory
 * Threads      any number on one plan, each with its own rows */
#define PE__DECLARE_ADD(T, element, F)                                                             \
    static inline pe_status pe_add_##T(const pe_plan *plan, int64_t first, size_t rows, F scale,   \
                                       element *x, size_t stride);                                 \
    static inline pe_status pe_add_at_##T(const pe_plan *plan, const int64_t *positions,           \
                                          size_t rows, F scale, element *x, size_t stride);        \
    static inline pe_status pe_add_batch_##T(const pe_plan *plan, int64_t first, size_t rows,      \
                                             size_t batches, F scale, element *x, size_t stride,   \
                                             size_t batch_stride);
PE__DECLARE_ADD(f32, float, float)
PE__DECLARE_ADD(f64, double, double)
PE__DECLARE_ADD(f16, uint16_t, float)
PE__DECLARE_ADD(bf16, uint16_t, float)
#undef PE__DECLARE_ADD

/* Fill a packed table of the default config for the positions 0 ... rows - 1: pe_fill_f32 without a
 * plan, the same bits.
 *
 * out          rows * d_model floats
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG if d_model is 0; PE_ERR_SIZE; PE_ERR_RANGE
 * Accuracy     correctly rounded (tests/test_exact.c, tests/test_splits.c)
 * Threads      any */
static inline pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model);

/* ---- algebra of positions -----------------------------------------------------------------------
 * A shift by k positions turns each pair (s, c) by k w_i, wherever it is:
 *
 *     s' = s cos(k w_i) + c sin(k w_i)
 *     c' = c cos(k w_i) - s sin(k w_i)
 *
 * So PE(p + k) is a linear function of PE(p), and <PE(p), PE(p + k)> = A^2 sum_i cos(k w_i) depends
 * on k alone. k is a difference: offset, padding position and, but for dot products and norms, the
 * amplitude of the plan do not matter. Shifts compose as integers: R(a) R(b) = R(a + b). Add the
 * numbers and turn once; turning twice rounds twice.
 *
 * PE_ERR_CONFIG refuses plans whose rows are not such pairs: several axes; an odd width with
 * PE_ODD_SINE, whose last column has no partner; PE_ANGLE_FLOAT32, whose rounded angles do not add
 * up. Columns of zeros stay as they are. */

/* Turn rows from the positions where they are to those k further, in place: rows of PE, or any rows
 * with their pairs in the plan's layout.
 *
 * k            within -2^31 ... 2^31; 0 leaves every bit as it is
 * rows         0 does nothing and is PE_OK, whatever the other arguments are
 * x            rows * stride elements, as pe_fill_T has them
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE; PE_ERR_SIZE; PE_ERR_CONFIG, see above;
 *              PE_ERR_RANGE. On an error nothing is written.
 * Accuracy     S = sin(k w_i) and C = cos(k w_i) are correctly rounded floats (f64: doubles within
 *              0.501 ulp), one product is rounded, the other is fused with the sum:
 *                  s' = fma(s, C, float(c S))      c' = fma(c, C, -float(s S))
 *              f16 and bf16 are widened to float, turned so, and rounded once. Without overflow an
 *              element of f32 is within 2^-24 (|s C| + 2 |c S| + |s'|) of the exact one, and a row
 *              of PE within 4 * 2^-24 |A| of the row where it should be (tests/test_algebra.c)
 * Aliasing     in place; x may not overlap the plan or its memory
 * Threads      any number on one plan, each with its own rows */
#define PE__DECLARE_SHIFT(T, element)                                                            \
    static inline pe_status pe_shift_##T(const pe_plan *plan, int64_t k, size_t rows, element *x, \
                                         size_t stride);
PE__DECLARE_SHIFT(f32, float)
PE__DECLARE_SHIFT(f64, double)
PE__DECLARE_SHIFT(f16, uint16_t)
PE__DECLARE_SHIFT(bf16, uint16_t)
#undef PE__DECLARE_SHIFT

/* Write the shift as a matrix M, row-major, for column vectors: PE(p + k) = M PE(p). The columns a
 * and b of the sine and the cosine of pair i have
 *
 *     M[a][a] = M[b][b] = cos(k w_i)      M[a][b] = sin(k w_i)      M[b][a] = -sin(k w_i)
 *
 * and columns of zeros have a 1 on the diagonal: M is a rotation, and the one by -k is its
 * transpose.
 *
 * matrix       d_model rows of d_model doubles, each stride elements after the last
 * Returns      as pe_shift_T
 * Accuracy     0.501 ulp (tests/test_algebra.c); M(a) M(b) is within 2^-51 of M(a + b) if
 *              multiplied in double
 * Aliasing     matrix may not overlap the plan or its memory
 * Threads      any */
static inline pe_status pe_shift_matrix_f64(const pe_plan *plan, int64_t k, double *matrix,
                                            size_t stride);

/* Compute the dot product of any two rows that are k positions apart: A^2 sum_i cos(k w_i).
 *
 * pe_dots_f64: for the differences first_k, first_k + 1, ..., first_k + count - 1; the same bits,
 * and the time of filling as many rows of f32, or less. count = 0 does nothing.
 *
 * k            within -2^31 ... 2^31, and so is first_k + count - 1
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG, see above; PE_ERR_RANGE; PE_ERR_SIZE
 * Accuracy     0.501 ulp, 1 ulp where subnormal, of the exact sum, before anything is rounded;
 *              overflow to infinity. Where the cosines cancel to less than 2^-40 of
 *              A^2 d_model / 2, the error is still below 2^-92 of that, and a sum below 2^-88 of it
 *              is 0 (tests/test_algebra.c)
 * Aliasing     dot and out may not overlap the plan or its memory
 * Threads      any number on one plan */
static inline pe_status pe_dot_f64(const pe_plan *plan, int64_t k, double *dot);
static inline pe_status pe_dots_f64(const pe_plan *plan, int64_t first_k, size_t count,
                                    double *out);

/* Compute the length of a row, which is that of every row: |A| sqrt(d_model / 2), columns of zeros
 * left out.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG, see above
 * Accuracy     0.501 ulp (tests/test_algebra.c)
 * Aliasing     norm may not overlap the plan or its memory
 * Threads      any */
static inline pe_status pe_norm_f64(const pe_plan *plan, double *norm);

/* ---- RoPE frequencies ---------------------------------------------------------------------------
 * The frequencies w_i of rotary encodings, from the names that model configs use. Give them to
 * pe_plan_init_frequencies() with the attention factor as the amplitude. With n = rotary_dim,
 * B = rope_theta, f = factor, L0 = original_max_position_embeddings and w_i = B^(-2i/n), they are
 *
 *     PE_ROPE_DEFAULT       w_i
 *     PE_ROPE_LINEAR        w_i / f                                     (position interpolation)
 *     PE_ROPE_NTK           w_i of B f^(n / (n-2)) instead of B         (NTK-aware)
 *     PE_ROPE_NTK_FIXED     w_i of B f instead of B, over f^(2/n)
 *     PE_ROPE_DYNAMIC_NTK   as PE_ROPE_NTK with f L/L0 - (f-1) instead of f, where L is the larger
 *                           of sequence_length and L0, and L0 is max_position_embeddings
 *     PE_ROPE_LLAMA3        (s_i + (1 - s_i) / f) w_i, s_i = (L0 w_i / 2 pi - l) / (h - l) within
 *                           0 ... 1, l = low_freq_factor, h = high_freq_factor: a wave shorter than
 *                           L0 / h stays as it is, one longer than L0 / l becomes f times as long
 *     PE_ROPE_YARN          (m_i + (1 - m_i) / f) w_i, m_i = e (1 - r_i), e = extrapolation_factor,
 *                           r_i = (i - low) / (high - low) within 0 ... 1, low = floor c(beta_fast)
 *                           and at least 0, high = ceil c(beta_slow) and at most n - 1, or
 *                           low + 0.001 where they are equal; c(b) = n ln(L0 / 2 pi b) / (2 ln B)
 *     PE_ROPE_LONGROPE      w_i / short_factor[i], or w_i / long_factor[i] if sequence_length > L0
 *     PE_ROPE_PROPORTIONAL  B^(-2i / head_dim) / f for i < n/2, then 0 up to pair head_dim/2: the
 *                           exponents go over the whole head, and the last pairs do not turn
 *
 * and where freq_factors is given, each is divided by freq_factors[i] as well. The attention factor
 * multiplies cosine and sine, so that it scales queries and keys. It is what attention_factor says;
 * where that is 0, it is 1 except for
 *
 *     PE_ROPE_YARN          m(1), or m(mscale) / m(mscale_all_dim) where both are given, with
 *                           m(x) = 0.1 x ln f + 1 for f > 1, and 1 for f <= 1
 *     PE_ROPE_LONGROPE      long_mscale or short_mscale where given, else sqrt(1 + ln f / ln L0)
 *                           for f > 1, and 1 for f <= 1
 *
 * A field that is 0 is absent. Where L0 is absent, it is max_position_embeddings (and the other way
 * round for DYNAMIC_NTK); where f is absent, YARN and LONGROPE take max_position_embeddings / L0
 * and PROPORTIONAL takes 1. What a config file, a GGUF file or a call of ggml names so goes here:
 *
 *     Hugging Face, vLLM                  ggml, GGUF                       pe_rope_config
 *     ----------------------------------- -------------------------------  -----------------------
 *     head_dim, qk_rope_head_dim, or      rope.dimension_count, n_dims     head_dim
 *       hidden_size / num_attention_heads
 *     partial_rotary_factor, rotary_pct   rope.dimension_count, n_dims     rotary_dim: the integer
 *                                                                            part of head_dim * it
 *     rotary_dim                          rope.dimension_count, n_dims     rotary_dim
 *     rope_theta, rotary_emb_base         rope.freq_base, freq_base        rope_theta
 *     rope_local_base_freq                rope.freq_base_swa               a config of its own
 *     rope_type, type                     rope.scaling.type                rope_type, found by
 *                                                                            pe_rope_type_named()
 *     factor                              rope.scaling.factor;             factor
 *                                           freq_scale is 1 / factor
 *     alpha (dynamic, xdrope)             -                                factor of PE_ROPE_NTK
 *     original_max_position_embeddings    rope.scaling.original_context_   the same
 *                                           length, n_ctx_orig
 *     max_position_embeddings             context_length, n_ctx_train      the same
 *     seq_len; max_model_len              n_ctx                            sequence_length
 *     low_freq_factor, high_freq_factor   within rope_freqs.weight         the same
 *     beta_fast, beta_slow                rope.scaling.yarn_beta_fast, ..  the same
 *     truncate                            (always true)                    truncate
 *     extrapolation_factor                rope.scaling.yarn_ext_factor     the same
 *     attention_factor                    -                                the same
 *     attn_factor                         rope.scaling.attn_factor         times the result
 *     apply_yarn_scaling: false           -                                attention_factor = 1
 *     mscale, mscale_all_dim              rope.scaling.yarn_log_multiplier the same (1)
 *                                           is 0.1 mscale_all_dim
 *     short_factor, long_factor           rope_factors_short.weight, ..    the same: double; float:
 *                                                                            freq_factors
 *     short_mscale, long_mscale           rope.scaling.attn_factor         the same
 *     -                                   rope_freqs.weight, freq_factors  freq_factors
 *     mrope_section, mrope_interleaved    rope.dimension_sections          none: sections choose
 *                                                                            the position, not w_i
 *     llama_4_scaling_beta, attn_scale    -                                none: scales queries
 *     inv_freq                            freq_base^(-2i/n_dims)           omega
 *     MLX: freqs                          -                                pe_rope_periods()
 *
 * (1) DeepSeek's own code takes m(mscale) / m(mscale_all_dim) also where only one is given, absent
 * being 1 and 0, and multiplies the logits by m(mscale_all_dim)^2, which is the caller's to do.
 */

typedef enum pe_rope_type {
    PE_ROPE_DEFAULT = 0,
    PE_ROPE_LINEAR,
    PE_ROPE_NTK,
    PE_ROPE_NTK_FIXED,
    PE_ROPE_DYNAMIC_NTK,
    PE_ROPE_LLAMA3,
    PE_ROPE_YARN,
    PE_ROPE_LONGROPE,
    PE_ROPE_PROPORTIONAL
} pe_rope_type;

/* How a model turns its heads. Start from pe_rope_config_default() and change fields: more may be
   added. 0 is absent; every number that is there lies within 2^-128 ... 2^128, also in a field that
   the type does not use. */
typedef struct pe_rope_config {
    size_t head_dim;                         /* elements of a head                               */
    size_t rotary_dim;                       /* those that turn: even, 2 ... head_dim            */
    double rope_theta;                       /* the base, >= 1                                   */
    pe_rope_type rope_type;                  /* what is done to the frequencies                  */
    double factor;                           /* how much longer than trained                     */
    size_t original_max_position_embeddings; /* length of the training; at most 2^53             */
    size_t max_position_embeddings;          /* length that is promised; at most 2^53            */
    size_t sequence_length;                  /* DYNAMIC_NTK, LONGROPE: of this run; at most 2^53 */
    double low_freq_factor;                  /* LLAMA3                                           */
    double high_freq_factor;                 /* LLAMA3, >= low_freq_factor                       */
    double beta_fast;                        /* YARN, in turns over L0                           */
    double beta_slow;                        /* YARN, <= beta_fast                               */
    double extrapolation_factor;             /* YARN, 0 ... 1; here 0 is a value                 */
    int truncate;                            /* YARN: 0 leaves out the floor and the ceil        */
    double mscale;                           /* YARN                                             */
    double mscale_all_dim;                   /* YARN                                             */
    double attention_factor;                 /* instead of the rule of the type                  */
    double short_mscale;                     /* LONGROPE                                         */
    double long_mscale;                      /* LONGROPE                                         */
    const double *short_factor;              /* LONGROPE: rotary_dim/2 numbers, or NULL          */
    const double *long_factor;               /* LONGROPE: rotary_dim/2 numbers, or NULL          */
    const float *freq_factors;               /* pe_rope_pairs() numbers, or NULL                 */
} pe_rope_config;

/* Make the config of the RoFormer paper: rotary_dim = head_dim, rope_theta 10000, PE_ROPE_DEFAULT.
   What the types need besides is absent, or as their papers have it: low_freq_factor 1 and
   high_freq_factor 4, beta_fast 32 and beta_slow 1, extrapolation_factor 1, truncate 1. Nothing is
   checked here. Threads: any. */
static inline pe_rope_config pe_rope_config_default(size_t head_dim);

/* Find the type that a config file names: "default", "none", "mrope" (DEFAULT); "linear"; "dynamic"
 * (DYNAMIC_NTK); "xdrope" (NTK); "ntk" (NTK_FIXED, as vLLM and the GTE models mean it); "llama3";
 * "yarn", "deepseek_yarn" (YARN); "longrope", "su" (LONGROPE); "proportional". "dynamic" with a key
 * alpha is PE_ROPE_NTK, which no name alone can tell.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG for another name: then *type stays as it was
 * Accuracy     case counts, and every letter (tests/test_rope_frequencies.c)
 * Aliasing     type may not overlap name
 * Threads      any */
static inline pe_status pe_rope_type_named(const char *name, pe_rope_type *type);

/* Say what is wrong with a config: constant English text that names the field and its range, or
   NULL if nothing is. Threads: any. */
static inline const char *pe_rope_config_error(const pe_rope_config *config);

/* Tell how many frequencies a config has: rotary_dim / 2, or head_dim / 2 for PE_ROPE_PROPORTIONAL.
   Returns 0 for an invalid config, NULL included. Threads: any. */
static inline size_t pe_rope_pairs(const pe_rope_config *config);

/* Compute the frequencies and the attention factor of a config, as the formulas above say.
 *
 * config            lists that it points to are only read
 * omega             pe_rope_pairs(config) doubles
 * attention_factor  one double, or NULL
 *
 * Returns      PE_OK; PE_ERR_NULL if config, omega or the list that PE_ROPE_LONGROPE needs is NULL;
 *              PE_ERR_CONFIG: pe_rope_config_error() says why. On an error nothing is written.
 * Accuracy     omega and attention_factor are the formula for the exact values of the numbers in
 *              config, rounded once: at most 0.501 ulp from it (tests/test_rope_frequencies.c). A
 *              number in a formula, such as 0.1, is that decimal; steps and branches (floor, ceil,
 *              the waves of LLAMA3) are decided by exact values too. The same bits everywhere.
 * Aliasing     omega and attention_factor may not overlap what is read or each other
 * Threads      any; 64 pairs take 5 to 9 us with AVX-512, 30 to 40 us in scalar code
 * See          Su et al. 2021 (RoFormer); Chen et al. 2023 (linear); Peng et al. 2023 (YaRN);
 *              Ding et al. 2024 (LongRoPE); modeling_rope_utils.py; ggml_rope_ext() */
static inline pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                            double *attention_factor);

/* Turn frequencies into periods, or back: periods[i] = 1 / omega[i], and 0 and infinity are each
 * other's. MLX calls periods freqs. The wavelength is 2 pi times as long.
 *
 * Returns      PE_OK, also for pairs = 0 and NULL; PE_ERR_NULL; PE_ERR_SIZE
 * Accuracy     one rounding (tests/test_rope_frequencies.c)
 * Aliasing     periods may be omega
 * Threads      any */
static inline pe_status pe_rope_periods(const double *omega, size_t pairs, double *periods);

/* ---- RoPE ---------------------------------------------------------------------------------------
 * Rotary encodings turn the pairs (a, b) of each head of queries and keys:
 *
 *     a' = a c - b s      c = A cos(p w_i)
 *     b' = b c + a s      s = A sin(p w_i)
 *
 * for a token at position p. The plan has the frequencies w_i and the amplitude A. Its d_model is
 * the rotary dim n, an even number; the first n elements of a head turn, the others stay:
 *
 *     pe_plan_init()               the config pe_config_default(n), base = rope_theta
 *     pe_plan_init_frequencies()   the same with omega from pe_rope_frequencies(), and the
 *                                  attention factor as the amplitude; n = 2 pe_rope_pairs()
 *
 * The layout of the plan, and which of sine and cosine it has first, do not matter here; an offset
 * and PE_ANGLE_FLOAT32 do what they say. Plans of several axes, with a padding position or with an
 * odd d_model are refused as PE_ERR_CONFIG.
 *
 * Rounding: c and s are correctly rounded floats, made once for a token, not for each head. Of the
 * two products one is rounded to float, and the other is fused with the sum:
 *
 *     a' = fma(a, c, -float(b s))      b' = fma(b, c, float(a s))
 *
 * f16 and bf16 are widened to float, turned so, and rounded once, to nearest even. So the bits are
 * the same on every machine (but for sign and payload of a NaN). Where nothing overflows or
 * is subnormal, a float is within 3 * 2^-24 (|a c| + |b s|) of the exact one: c, s and the product
 * are half an ulp off each, and so is the sum. f16 and bf16 have one rounding to their own
 * precision on top.
 */

/* Which two elements of a head are pair i of h = n / 2. */
typedef enum pe_rope_pairing {
    PE_ROPE_ADJACENT = 0, /* 2i and 2i + 1: RoFormer, GPT-J, Meta's Llama, ggml NORM, ONNX
                             interleaved = 1,
                             MLX traditional, complex numbers in torch                            */
    PE_ROPE_HALVES        /* i and i + h: GPT-NeoX, Hugging Face rotate_half, ggml NEOX, ONNX
                             interleaved = 0                                                      */
} pe_rope_pairing;

/* Turn the heads of tokens, in place. T is f32, f16 or bf16, the last two in uint16_t.
 *
 * pe_rope_T: token t is at position first + t.
 * pe_rope_at_T: token t is at positions[t]; any order, repeated, negative. The same bits.
 *
 * x             element e of head k of token t is x[t * token_stride + k * head_stride + e]: both
 *               [tokens, heads, head_dim] and [heads, tokens, head_dim] will do. The head_dim
 *               itself is not needed: only the n elements that turn are touched.
 * token_stride  elements; with several tokens, no two of the heads may overlap
 * head_stride   elements, >= n if there are several heads
 * tokens, heads 0 does nothing and is PE_OK, whatever the other arguments are
 *
 * Returns       PE_OK; PE_ERR_NULL; PE_ERR_CONFIG for a plan that RoPE has no use for, see above,
 *               and for a pairing that is none; PE_ERR_SHAPE if heads would overlap; PE_ERR_SIZE;
 *               PE_ERR_RANGE if a position, with or without the offset, is beyond 2^31 in
 *               magnitude. On an error nothing is written.
 * Accuracy      see above (tests/test_rope.c compares bits with MPFR and exact sums)
 * Aliasing      in place; x may not overlap positions, the plan or its memory
 * Threads       any number on one plan, each with its own tokens or heads
 * See           Su et al. 2021 (RoFormer)
 *
 * pe_rope_inverse_T, pe_rope_inverse_at_T: the same with -s for s: the transposed map, which is the
 * gradient of pe_rope_T, and its inverse where A is 1 (up to rounding); the bits of turning by
 * -p. */
#define PE__DECLARE_ROPE(T, element)                                                               \
    static inline pe_status pe_rope_##T(const pe_plan *plan, pe_rope_pairing pairing,              \
                                        int64_t first, size_t tokens, size_t heads, element *x,    \
                                        size_t token_stride, size_t head_stride);                  \
    static inline pe_status pe_rope_at_##T(const pe_plan *plan, pe_rope_pairing pairing,           \
                                           const int64_t *positions, size_t tokens, size_t heads,  \
                                           element *x, size_t token_stride, size_t head_stride);   \
    static inline pe_status pe_rope_inverse_##T(const pe_plan *plan, pe_rope_pairing pairing,      \
                                                int64_t first, size_t tokens, size_t heads,        \
                                                element *x, size_t token_stride,                   \
                                                size_t head_stride);                               \
    static inline pe_status pe_rope_inverse_at_##T(                                                \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *positions, size_t tokens,     \
        size_t heads, element *x, size_t token_stride, size_t head_stride);
PE__DECLARE_ROPE(f32, float)
PE__DECLARE_ROPE(f16, uint16_t)
PE__DECLARE_ROPE(bf16, uint16_t)
#undef PE__DECLARE_ROPE

/* Turn out of place: out = the turned in, whole heads of head_dim elements, those behind the first
 * n copied as they are. The bits of a copy and pe_rope_T (pe_rope_at_T).
 *
 * head_dim      elements of a head, >= n
 * in, out       each with its own strides, as x of pe_rope_T, >= head_dim
 *
 * Returns       as pe_rope_T; PE_ERR_CONFIG also for head_dim < n; PE_ERR_SHAPE also if the memory
 *               from the first to the last element of in overlaps that of out, unless they are the
 *               same pointer with the same strides: that is in place.
 * Accuracy      as pe_rope_T (tests/test_rope.c)
 * Aliasing      in and out as above; out may not overlap positions, the plan or its memory
 * Threads       as pe_rope_T */
#define PE__DECLARE_ROPE_TO(T, element)                                                            \
    static inline pe_status pe_rope_to_##T(                                                        \
        const pe_plan *plan, pe_rope_pairing pairing, int64_t first, size_t tokens, size_t heads,  \
        size_t head_dim, const element *in, size_t in_token_stride, size_t in_head_stride,         \
        element *out, size_t out_token_stride, size_t out_head_stride);                            \
    static inline pe_status pe_rope_to_at_##T(                                                     \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *positions, size_t tokens,     \
        size_t heads, size_t head_dim, const element *in, size_t in_token_stride,                  \
        size_t in_head_stride, element *out, size_t out_token_stride, size_t out_head_stride);
PE__DECLARE_ROPE_TO(f32, float)
PE__DECLARE_ROPE_TO(f16, uint16_t)
PE__DECLARE_ROPE_TO(bf16, uint16_t)
#undef PE__DECLARE_ROPE_TO

/* Turn queries and keys in place, in one call that makes sines and cosines once for both:
 * grouped-query attention has fewer heads of keys. The bits of two calls of pe_rope_T
 * (pe_rope_at_T).
 *
 * q, k          as x of pe_rope_T, each with its heads and strides; either may have 0 heads, and be
 *               NULL then
 *
 * Returns       as pe_rope_T, for q and k alike: PE_ERR_NULL also if one that has heads is NULL,
 *               PE_ERR_SHAPE and PE_ERR_SIZE for each by itself. On an error neither is written.
 * Accuracy      as pe_rope_T (tests/test_rope.c)
 * Aliasing      in place; q and k may lie between each other, as in a fused [tokens, q k v], but
 *               not share elements, which is not checked. Neither may overlap positions, the plan
 *               or its memory
 * Threads       as pe_rope_T */
#define PE__DECLARE_ROPE_QK(T, element)                                                            \
    static inline pe_status pe_rope_qk_##T(                                                        \
        const pe_plan *plan, pe_rope_pairing pairing, int64_t first, size_t tokens,                \
        size_t q_heads, element *q, size_t q_token_stride, size_t q_head_stride, size_t k_heads,   \
        element *k, size_t k_token_stride, size_t k_head_stride);                                  \
    static inline pe_status pe_rope_qk_at_##T(                                                     \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *positions, size_t tokens,     \
        size_t q_heads, element *q, size_t q_token_stride, size_t q_head_stride, size_t k_heads,   \
        element *k, size_t k_token_stride, size_t k_head_stride);
PE__DECLARE_ROPE_QK(f32, float)
PE__DECLARE_ROPE_QK(f16, uint16_t)
PE__DECLARE_ROPE_QK(bf16, uint16_t)
#undef PE__DECLARE_ROPE_QK

enum { PE_ROPE_MAX_AXES = 8 };

/* Say for each pair which coordinate of a token turns it: axis[i] for pair i, for pe_rope_axes_T.
 *
 * With interleaved = 0, the first sections[0] pairs belong to axis 0, the next sections[1] to axis
 * 1 ...: M-RoPE of Qwen2-VL, mrope_section = [16, 24, 24]; their sum must be pairs. ggml's fourth
 * section is one axis more.
 *
 * With interleaved = 1, pair i belongs to axis a = i mod axes if i < axes * sections[a], else to
 * axis 0: interleaved M-RoPE of Qwen3-VL (t y x t y x ... t t t), mrope_section = [24, 20, 20]. The
 * sum must be pairs, and sections 1, 2 ... must find all their pairs.
 *
 * Vision towers (Qwen2-VL's, ggml VISION) have sections whose frequencies start anew. That is a
 * matter of the plan: pe_plan_init_frequencies() with the list of one section twice, from
 * pe_rope_frequencies() with head_dim = rotary_dim = n / 2, and here interleaved = 0 and sections =
 * {n / 4, n / 4}.
 *
 * axis         pairs numbers are written
 * axes         1 ... PE_ROPE_MAX_AXES
 *
 * Returns      PE_OK; PE_ERR_NULL, also for pairs = 0; PE_ERR_SHAPE if axes or the sections do not
 *              fit; PE_ERR_SIZE. On an error nothing is written.
 * Accuracy     whole numbers (tests/test_rope.c)
 * Aliasing     axis may not overlap sections
 * Threads      any */
static inline pe_status pe_rope_sections(const size_t *sections, size_t axes, int interleaved,
                                         size_t pairs, uint8_t *axis);

/* Turn heads of tokens that have several coordinates, in place: pair i of token t by the position
 * positions[axis[i] * tokens + t]. With all coordinates equal the bits of pe_rope_at_T.
 *
 * axis         n / 2 numbers below axes, from pe_rope_sections() or of the caller's own
 * axes         1 ... PE_ROPE_MAX_AXES
 * positions    [axes][tokens], such as (t, y, x); within -2^31 ... 2^31, also where no pair looks
 * x            as pe_rope_T has it
 *
 * Returns      as pe_rope_T; PE_ERR_SHAPE also if axes or a number in axis does not fit
 * Accuracy     as pe_rope_T (tests/test_rope.c)
 * Aliasing     in place; x may not overlap axis, positions, the plan or its memory
 * Threads      as pe_rope_T */
#define PE__DECLARE_ROPE_AXES(T, element)                                                          \
    static inline pe_status pe_rope_axes_##T(const pe_plan *plan, pe_rope_pairing pairing,         \
                                             const uint8_t *axis, size_t axes,                     \
                                             const int64_t *positions, size_t tokens,              \
                                             size_t heads, element *x, size_t token_stride,        \
                                             size_t head_stride);
PE__DECLARE_ROPE_AXES(f32, float)
PE__DECLARE_ROPE_AXES(f16, uint16_t)
PE__DECLARE_ROPE_AXES(bf16, uint16_t)
#undef PE__DECLARE_ROPE_AXES

/* K-shift: move keys that are turned already to other positions, when a cache drops or shifts
 * tokens: a key of position p becomes one of p + delta. Amplitude and offset of the plan are left
 * out: the keys have them. Each call rounds once more; a key that moves often is better turned anew
 * from the start.
 *
 * pe_rope_shift_T: all tokens by delta; its sines are made once.
 * pe_rope_shift_at_T: token t by deltas[t].
 *
 * With PE_ANGLE_FLOAT32 the keys turn by the float angle of delta, as in ggml's shift of its cache.
 * Float angles do not add up: the result is not quite the key turned at p + delta.
 *
 * x            as pe_rope_T has it, e.g. the keys of one layer
 * delta        within -2^31 ... 2^31
 *
 * Returns      as pe_rope_T
 * Accuracy     as pe_rope_T, of a plan without amplitude and offset at position delta: the bits of
 *              pe_rope_at_T (tests/test_rope.c)
 * Aliasing     in place; x may not overlap deltas, the plan or its memory
 * Threads      as pe_rope_T
 * See          llama_memory_seq_add (ggml's K-shift) */
#define PE__DECLARE_ROPE_SHIFT(T, element)                                                         \
    static inline pe_status pe_rope_shift_##T(const pe_plan *plan, pe_rope_pairing pairing,        \
                                              int64_t delta, size_t tokens, size_t heads,          \
                                              element *x, size_t token_stride,                     \
                                              size_t head_stride);                                 \
    static inline pe_status pe_rope_shift_at_##T(                                                  \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *deltas, size_t tokens,        \
        size_t heads, element *x, size_t token_stride, size_t head_stride);
PE__DECLARE_ROPE_SHIFT(f32, float)
PE__DECLARE_ROPE_SHIFT(f16, uint16_t)
PE__DECLARE_ROPE_SHIFT(bf16, uint16_t)
#undef PE__DECLARE_ROPE_SHIFT

/* Turn heads in place by cosines and sines of the caller's, with the rotation and rounding above:
 * ONNX RotaryEmbedding with its caches, or a table of pe_rope_ggml_f32(). Token t takes row t.
 *
 * cosines      tokens rows of pairs floats, table_stride elements apart, >= pairs
 * sines        likewise
 * x            as pe_rope_T has it, with n = 2 pairs
 *
 * Returns      PE_OK, also for pairs = 0; PE_ERR_NULL; PE_ERR_CONFIG for a pairing that is none;
 *              PE_ERR_SHAPE; PE_ERR_SIZE
 * Accuracy     the bits of that rotation by the floats given (tests/test_rope.c)
 * Aliasing     in place; x may not overlap the table
 * Threads      any number, each with its own tokens or heads */
#define PE__DECLARE_ROPE_BY(T, element)                                                            \
    static inline pe_status pe_rope_by_table_##T(                                                  \
        pe_rope_pairing pairing, const float *cosines, const float *sines, size_t table_stride,    \
        size_t pairs, size_t tokens, size_t heads, element *x, size_t token_stride,                \
        size_t head_stride);
PE__DECLARE_ROPE_BY(f32, float)
PE__DECLARE_ROPE_BY(f16, uint16_t)
PE__DECLARE_ROPE_BY(bf16, uint16_t)
#undef PE__DECLARE_ROPE_BY

/* Fill tables of A cos(p w_i) and A sin(p w_i) for the positions first ... first + rows - 1, for
 * programs that turn heads themselves. h = n / 2 pairs; row r begins r * stride elements after the
 * first.
 *
 *                             a row holds                              as in
 *   pe_rope_table_T           cosines: c0 ... c(h-1); sines the same   ONNX's, xformers
 *   pe_rope_table_joined_T    c0 ... c(h-1) s0 ... s(h-1)              vLLM cos_sin_cache
 *   pe_rope_table_complex_T   c0 s0 c1 s1 ...                          Meta's freqs_cis, torchtune
 *   pe_rope_table_twice_T     cosines: n elements, sines the same:
 *                             halves:   c0 ... c(h-1) c0 ... c(h-1)    Hugging Face
 *                             adjacent: c0 c0 c1 c1 ...                GPT-J, Diffusers
 *
 * stride       elements, >= h for pe_rope_table_T, >= n for the others
 *
 * Returns      as pe_fill_T; PE_ERR_CONFIG also for plans that RoPE has no use for, see pe_rope_T
 * Accuracy     correctly rounded (tests/test_rope.c)
 * Aliasing     cosines, sines and the plan may not overlap
 * Threads      any number on one plan, each with its own rows */
#define PE__DECLARE_ROPE_TABLE(T, element)                                                         \
    static inline pe_status pe_rope_table_##T(const pe_plan *plan, int64_t first, size_t rows,     \
                                              element *cosines, element *sines, size_t stride);    \
    static inline pe_status pe_rope_table_joined_##T(const pe_plan *plan, int64_t first,           \
                                                     size_t rows, element *out, size_t stride);    \
    static inline pe_status pe_rope_table_complex_##T(const pe_plan *plan, int64_t first,          \
                                                      size_t rows, element *out, size_t stride);   \
    static inline pe_status pe_rope_table_twice_##T(                                               \
        const pe_plan *plan, pe_rope_pairing pairing, int64_t first, size_t rows,                  \
        element *cosines, element *sines, size_t stride);
PE__DECLARE_ROPE_TABLE(f32, float)
PE__DECLARE_ROPE_TABLE(f16, uint16_t)
PE__DECLARE_ROPE_TABLE(bf16, uint16_t)
#undef PE__DECLARE_ROPE_TABLE

/* Parity with engines whose angles are floats. Those that round p w_i, or p and w_i, to float:
 * PE_ANGLE_FLOAT32, with the frequencies that they have. ggml (llama.cpp) multiplies its way from
 * pair to pair instead,
 *
 *     theta = p;   for each pair:  angle = freq_scale (theta / freq_factor);   theta *= theta_scale
 *
 * rounding each result to float, so that its angles are no products p w_i: they come from here. */

/* The arguments of ggml_rope_ext(), by their names there. */
typedef struct pe_rope_ggml {
    size_t n_dims;             /* even, 2 ... 2^20                                               */
    float freq_base;           /* 1 ... 2^100; more than 1 where ext_factor > 0                  */
    float freq_scale;          /* 2^-60 ... 2^10; 1 / factor                                     */
    float ext_factor;          /* 0: no YaRN; else 0 ... 1                                       */
    float attn_factor;         /* 2^-60 ... 2^60                                                 */
    float beta_fast;           /* YARN: 2^-60 ... 2^60                                           */
    float beta_slow;
    size_t n_ctx_orig;         /* YARN: 1 ... 2^31 - 1                                           */
    const float *freq_factors; /* n_dims / 2 numbers 2^-10 ... 2^120, or NULL                    */
} pe_rope_ggml;

/* What llama.cpp has for a model that says nothing: base 10000, scale and attention factor 1, no
   YaRN, betas 32 and 1. Threads: any. */
static inline pe_rope_ggml pe_rope_ggml_default(size_t n_dims);

/* Fill a table for pe_rope_by_table_T with what ggml's CPU code means: the sines and cosines of its
 * float angles. Each operation on floats is the one that ggml_rope_ext() writes, rounded by itself;
 * powf and logf are taken as correctly rounded, which glibc's are but for a few arguments.
 *
 * cosines, sines  rows of n_dims / 2 floats, stride apart, for the positions first ... first + rows
 *                 - 1
 *
 * Returns      PE_OK, also for rows = 0; PE_ERR_NULL; PE_ERR_CONFIG; PE_ERR_SHAPE; PE_ERR_SIZE;
 *              PE_ERR_RANGE
 * Accuracy     cosine and sine of that float angle, correctly rounded (ggml's own, by cosf and
 *              sinf, are within an ulp or so), then times the float attention factor, rounded
 *              (tests/test_rope.c)
 * Aliasing     cosines, sines and what is read may not overlap
 * Threads      any
 * See          ggml_rope_cache_init, rope_yarn in ggml-cpu */
static inline pe_status pe_rope_ggml_f32(const pe_rope_ggml *config, int64_t first, size_t rows,
                                         float *cosines, float *sines, size_t stride);

/* ---- ALiBi: a penalty on attention scores that grows with the distance ----------------------- */

/* What the bias of a key is, d = query position - key position. */
typedef enum pe_alibi_mode {
    PE_ALIBI_LINEAR,   /* -slope d, for keys after the query as well: the caller masks these      */
    PE_ALIBI_CAUSAL,   /* -slope d, and -infinity for keys after the query                        */
    PE_ALIBI_SYMMETRIC /* -slope |d|: encoders, which look both ways                              */
} pe_alibi_mode;

/* Make the slopes of all heads. For n the largest power of two that is at most heads:
 *
 *     slopes[h] = 2^(-max_bias (h + 1) / n)                   h < n
 *     slopes[h] = 2^(-max_bias (2 (h - n) + 1) / (2n))        n <= h < heads
 *
 * heads        at most 2^28; 0 does nothing and is PE_OK, whatever the other arguments are
 * max_bias     8 in the paper: the last of n slopes is 2^-8; finite, >= 0
 * slopes       heads floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG for another max_bias; PE_ERR_SIZE
 * Accuracy     correctly rounded, subnormals included (tests/test_alibi.c)
 * Threads      any
 * See          Press et al. 2021; get_slopes() there, build_alibi_tensor() in Hugging Face's BLOOM,
 *              max_bias of ggml_soft_max_ext() */
static inline pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes);

/* Fill a packed matrix [heads, queries, keys] with the linear bias: pe_alibi_fill_f32 with
 * PE_ALIBI_LINEAR and without strides. Keys after the query are the caller's to mask.
 *
 *     bias[(h * queries + q) * keys + k] = -slopes[h] (first_query + q - k)
 *
 * The parameters are those of pe_alibi_fill_f32.
 *
 * Returns      as pe_alibi_fill_f32
 * Accuracy     its bits (tests/test_alibi.c)
 * Aliasing     bias may not overlap slopes
 * Threads      any number, each with its own heads */
static inline pe_status pe_alibi_bias_f32(const float *slopes, size_t heads, int64_t first_query,
                                          size_t queries, size_t keys, float *bias);

/* Fill the bias of the keys 0 ... keys - 1 for the queries first_query, first_query + 1, ...:
 *
 *     bias[h * head_stride + q * query_stride + k] = bias of slopes[h] and d = first_query + q - k
 *
 * slopes       heads floats, finite, of either sign
 * first_query  the position of the first query, where the first key has position 0. With a cache of
 *              keys from position p on, give the query's position less p: only the distance counts.
 *              All queries within -2^31 ... 2^31
 * keys         positions of keys end at 2^31. heads, queries or keys = 0 does nothing and is PE_OK
 * bias         aligned as its type; what lies between rows is not touched
 * query_stride elements from one query's row to the next, >= keys
 * head_stride  elements from head to head, >= (queries - 1) * query_stride + keys; or the other way
 *              round, for [queries, heads, keys]. A stride that leads nowhere (one query, one
 *              head) is not looked at
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE if rows would overlap; PE_ERR_SIZE; PE_ERR_RANGE;
 *              PE_ERR_CONFIG for an unknown mode or a slope that is not finite
 * Accuracy     the exact product, rounded once to the output's type; zero is +0
 *              (tests/test_alibi.c)
 * Aliasing     bias may not overlap slopes
 * Threads      any number, each with its own rows */
static inline pe_status pe_alibi_fill_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                          int64_t first_query, size_t queries, size_t keys,
                                          float *bias, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_fill_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                          int64_t first_query, size_t queries, size_t keys,
                                          uint16_t *bias, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_fill_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                           int64_t first_query, size_t queries, size_t keys,
                                           uint16_t *bias, size_t query_stride, size_t head_stride);

/* Add the bias to attention scores in place: the bias rounded to f32, then one add; 16-bit scores
 * are widened, and the sum, in f32, is rounded once. In PE_ALIBI_CAUSAL the scores of keys after
 * the query become -infinity whatever they were, NaN included.
 *
 *     scores[h * head_stride + q * query_stride + k] += bias
 *
 * The parameters are those of pe_alibi_fill_f32.
 *
 * Returns      as pe_alibi_fill_f32
 * Accuracy     f32: two roundings, of the bias and of the sum; f16, bf16: one more, to the type
 *              (tests/test_alibi.c)
 * Aliasing     in place; scores may not overlap slopes
 * Threads      any number, each with its own rows */
static inline pe_status pe_alibi_add_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                         int64_t first_query, size_t queries, size_t keys,
                                         float *scores, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_add_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                         int64_t first_query, size_t queries, size_t keys,
                                         uint16_t *scores, size_t query_stride, size_t head_stride);
static inline pe_status pe_alibi_add_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                          int64_t first_query, size_t queries, size_t keys,
                                          uint16_t *scores, size_t query_stride,
                                          size_t head_stride);

/* ---- learned tables -------------------------------------------------------------------------- */

/* Add rows of a learned table to activations in place:
 *
 *     x[r * stride + c] += table[positions[r] * d_model + c]
 *
 * table        table_rows * d_model elements, packed
 * d_model      at least 1
 * positions    rows entries within 0 ... table_rows - 1, in any order, also repeated; all are
 *              checked before anything is written: they are not clamped
 * rows         0 does nothing and is PE_OK, whatever the other arguments are
 * x            rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG if d_model is 0; PE_ERR_SHAPE; PE_ERR_SIZE;
 *              PE_ERR_RANGE for a position outside the table
 * Accuracy     each sum is rounded once: 16-bit numbers are added in f32, which has the bits to
 *              make the second rounding harmless (tests/test_learned.c)
 * Aliasing     x may not overlap table or positions
 * Threads      any number, each with its own rows of x
 * See          Gehring et al. 2017, section 3.1; wpe in GPT-2, embed_positions in BERT and OPT */
static inline pe_status pe_learned_add_f32(const float *table, size_t table_rows, size_t d_model,
                                           const int64_t *positions, size_t rows, float *x,
                                           size_t stride);
static inline pe_status pe_learned_add_f16(const uint16_t *table, size_t table_rows, size_t d_model,
                                           const int64_t *positions, size_t rows, uint16_t *x,
                                           size_t stride);
static inline pe_status pe_learned_add_bf16(const uint16_t *table, size_t table_rows,
                                            size_t d_model, const int64_t *positions, size_t rows,
                                            uint16_t *x, size_t stride);

/* Add the gradient of x to the gradient of the table, which is not cleared before:
 *
 *     grad_table[positions[r] * d_model + c] += grad_x[r * stride + c]     r = 0, 1, ..., rows - 1
 *
 * The rows are added one after the other, so that a position that is met often has the same sum in
 * every run and on every machine.
 *
 * grad_x       rows * stride elements (the last row needs only d_model)
 * grad_table   table_rows * d_model elements, packed
 *
 * Returns      as pe_learned_add_f32; on an error nothing is written
 * Accuracy     each of the rows' additions is rounded once (tests/test_learned.c)
 * Aliasing     grad_table may not overlap grad_x or positions
 * Threads      one at a time on a grad_table, or each with its own columns */
static inline pe_status pe_learned_grad_f32(const float *grad_x, size_t stride,
                                            const int64_t *positions, size_t rows,
                                            float *grad_table, size_t table_rows, size_t d_model);

typedef enum pe_resample_method { PE_RESAMPLE_LINEAR, PE_RESAMPLE_CUBIC } pe_resample_method;

/* How to stretch a table. Start from pe_resample_default() and change fields: more may be added. */
typedef struct pe_resample {
    pe_resample_method method;
    double a;          /* cubic: the slope at distance 1, -16 ... 16; -0.75 in torch, -0.5 is
                          Catmull-Rom, whose curves keep straight lines straight */
    int align_corners; /* 1: the first and last rows stay; 0: rows are cells, whose edges stay */
} pe_resample;

/* What vision models do to their tables: cubic, a = -0.75, align_corners = 0. Threads: any. */
static inline pe_resample pe_resample_default(void);

/* Resample a learned table of so many rows to another number of rows:
 *
 *     out[i] = sum over k of w_k table[n + k]         n = floor(s), t = s - n, rows beyond an end
 *                                                     are the row at the end
 *     s = i (rows - 1) / (out_rows - 1)               align_corners; 0 where out_rows = 1
 *     s = (i + 1/2) rows / out_rows - 1/2             otherwise
 *     w_0 = 1 - t, w_1 = t                            linear
 *     w_-1 = a t (1-t)^2, w_0 = (1-t) (1 + t - (a+2) t^2), and w_2, w_1 alike in 1 - t     cubic
 *
 * There is no low-pass filter: for far fewer rows than before, filter first.
 *
 * table        rows * d_model floats, packed; tokens before the positions (CLS) are not for here
 * rows         1 ... 2^31; so is out_rows, but out_rows = 0 does nothing and is PE_OK
 * d_model      at least 1
 * how          see pe_resample
 * out          out_rows * d_model floats, packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG for d_model = 0, another method or such an a;
 *              PE_ERR_RANGE if the table has no rows; PE_ERR_SIZE
 * Accuracy     n is exact, all else double, rounded once at the end: 0.5 ulp and 2^-49 of the sum
 *              of |w_k table[n + k]| (tests/test_learned.c). Where s is a whole number, as it is
 *              where out_rows = rows, the row is copied
 * Aliasing     out may not overlap table
 * Threads      any
 * See          torch.nn.functional.interpolate; Keys 1981; position embeddings in ViT, DINOv2 */
static inline pe_status pe_learned_resample_f32(const float *table, size_t rows, size_t d_model,
                                                const pe_resample *how, float *out,
                                                size_t out_rows);

/* Resample a learned table of a grid, [height, width, d_model], to [out_height, out_width,
 * d_model]: both axes as pe_learned_resample_f32 does one; a cell has the product of its weights in
 * the two.
 *
 * height, width          as rows there
 * out_height, out_width  as out_rows there: a 0 does nothing and is PE_OK
 *
 * Returns      as pe_learned_resample_f32
 * Accuracy     the same, over the cells (tests/test_learned.c)
 * Aliasing     out may not overlap table
 * Threads      any */
static inline pe_status pe_learned_resample_2d_f32(const float *table, size_t height, size_t width,
                                                   size_t d_model, const pe_resample *how,
                                                   float *out, size_t out_height,
                                                   size_t out_width);

/* ---- this build ------------------------------------------------------------------------------ */

/* Check that this program has the bits that every other has: small tables in each type and by each
 * family of calls (fill, lists, real positions, grids, add, shift, RoPE, ALiBi, learned), near 0,
 * at 2^31 and next to ties, are hashed and compared with constants. Takes well under a second; a
 * program that calls it has most of the library to compile, so put it in a source file of its own.
 *
 * Returns      PE_OK; PE_ERR_SELFTEST if any bit differs: a rounding mode other than to nearest, a
 *              compiler option or a compiler that breaks arithmetic, changed headers. That
 *              subnormals are flushed is not noticed: nothing here is one
 * Accuracy     a sample: "make verify" is the proof (tests/test_selftest.c)
 * Threads      any. 64 KB of stack, no other memory */
static inline pe_status pe_selftest(void);

/* ============================================================================================== */
/*  PRIVATE: nothing below is needed to use the library                                           */
/* ============================================================================================== */

/* ---- checks ---------------------------------------------------------------------------------- */

static inline const char *pe_status_string(pe_status status)
{
    static const char *const texts[] = {
#define PE__STATUS_TEXT(name, text) text,
        PE__STATUSES(PE__STATUS_TEXT)
#undef PE__STATUS_TEXT
    };
    const size_t index = (size_t)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "this number is no pe_status";
}

static inline pe_config pe_config_default(size_t d_model)
{
    pe_config config;
    memset(&config, 0, sizeof config); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    config.d_model = d_model;
    config.base = 10000.0;
    config.amplitude = 1.0;
    config.scale = 1.0;
    config.multiple = 1;
    config.axes = 1;
    return config;
}

#define PE__PRESETS(X)                                                                             \
    X(VASWANI, "vaswani")                                                                          \
    X(T2T, "t2t")                                                                                  \
    X(FAIRSEQ, "fairseq")                                                                          \
    X(OPENNMT, "opennmt")                                                                          \
    X(MARIAN, "marian")                                                                            \
    X(TRANSFORMER_XL, "transformer_xl")                                                            \
    X(TENER, "tener")                                                                              \
    X(DDPM, "ddpm")                                                                                \
    X(LDM, "ldm")                                                                                  \
    X(MUSICGEN, "musicgen")                                                                        \
    X(MLX, "mlx")                                                                                  \
    X(MAE_2D, "mae_2d")                                                                            \
    X(VIDEO_3D, "video_3d")                                                                        \
    X(T2T_ND, "t2t_nd")                                                                            \
    X(DETR, "detr")                                                                                \
    X(NERF, "nerf")

static inline const char *pe_preset_name(pe_preset preset)
{
    switch (preset) {
#define PE__PRESET_NAME(name, text) \
    case PE_PRESET_##name: return text;
        PE__PRESETS(PE__PRESET_NAME)
#undef PE__PRESET_NAME
    case PE_PRESET_COUNT: break;
    }
    return "this number is no pe_preset";
}

/* Blocks of the given widths for the coordinates (0 1), (1 0) or (0 2 1). */
static inline void pe__blocks(pe_config *config, size_t axes, const size_t *widths,
                              const size_t *coordinates)
{
    config->axes = axes;
    for (size_t a = 0; a < axes; a++)
        config->axis[a].width = widths[a], config->axis[a].coordinate = coordinates[a];
}

static inline pe_config pe_config_preset(pe_preset preset, size_t d_model)
{
    const size_t d = d_model, halves[2] = {d / 2, d / 2}, video[3] = {d / 4, d / 8 * 3, d / 8 * 3};
    static const size_t zeros[PE_MAX_AXES] = {0}, in_order[PE_MAX_AXES] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const size_t x_y[2] = {1, 0}, t_x_y[3] = {0, 2, 1};
    pe_config c = pe_config_default(d_model);
    c.layout = PE_LAYOUT_HALVES;
    c.exponent = PE_EXPONENT_PAIRS;
    c.exponent_shift = 1;
    c.odd = PE_ODD_ZERO;
    switch (preset) {
    case PE_PRESET_VASWANI: return pe_config_default(d_model);
    case PE_PRESET_T2T:
    case PE_PRESET_TENER:
    case PE_PRESET_DDPM: break;
    case PE_PRESET_FAIRSEQ: c.offset = 2, c.has_padding = 1, c.padding_position = -1; break;
    case PE_PRESET_OPENNMT: c.offset = 1; break;
    case PE_PRESET_MARIAN: c.exponent = PE_EXPONENT_WIDTH, c.odd = PE_ODD_SINE; break;
    case PE_PRESET_TRANSFORMER_XL: c.exponent = PE_EXPONENT_WIDTH, c.multiple = 2; break;
    case PE_PRESET_LDM: c.cos_first = 1, c.exponent_shift = 0; break;
    case PE_PRESET_MUSICGEN: c.cos_first = 1; break;
    case PE_PRESET_MLX:
        c.multiple = 2;
        if (d) c.amplitude = sqrt(2 / (double)d);
        break;
    case PE_PRESET_MAE_2D:
        c.exponent = PE_EXPONENT_WIDTH, c.multiple = 4;
        pe__blocks(&c, 2, halves, x_y);
        break;
    case PE_PRESET_VIDEO_3D:
        c.exponent = PE_EXPONENT_WIDTH, c.multiple = 16;
        pe__blocks(&c, 3, video, t_x_y);
        break;
    case PE_PRESET_T2T_ND:
        pe__blocks(&c, PE_MAX_AXES, zeros, in_order);
        c.axes = 2;
        break;
    case PE_PRESET_DETR:
        c.layout = PE_LAYOUT_INTERLEAVED, c.exponent = PE_EXPONENT_WIDTH, c.odd = PE_ODD_SINE;
        c.offset = 1, c.multiple = 2;
        pe__blocks(&c, 2, halves, in_order);
        break;
    case PE_PRESET_NERF:
        c.layout = PE_LAYOUT_INTERLEAVED, c.exponent = PE_EXPONENT_INDEX;
        c.half_turns = 1, c.base = 0.5;
        pe__blocks(&c, PE_MAX_AXES, zeros, in_order);
        c.axes = 3;
        break;
    case PE_PRESET_COUNT:
    default: c.d_model = 0; /* refused */
    }
    return c;
}

#define PE__POSITION_LIMIT ((int64_t)1 << 31)

PE__INLINE int pe__position_ok(int64_t p)
{
    return p >= -PE__POSITION_LIMIT && p <= PE__POSITION_LIMIT;
}

/* How many elements of 2, 4 or 8 bytes lie within reach of a pointer. */
PE__INLINE size_t pe__reach(size_t element)
{
    const size_t bytes = (size_t)PTRDIFF_MAX;
    return element == 2 ? bytes / 2 : element == 4 ? bytes / 4 : bytes / 8;
}

/* Is a b > limit? Numbers of everyday sizes take no division. */
PE__INLINE int pe__exceeds(size_t a, size_t b, size_t limit)
{
    const int half = (int)sizeof(size_t) * 4;
    if (((a | b) >> half) == 0) return a * b > limit;
    return b != 0 && a > limit / b;
}

/* rows of stride elements of the given size: does the last byte lie within reach of a pointer? */
static inline pe_status pe__check_shape(size_t d_model, size_t rows, size_t stride, size_t element)
{
    if (stride < d_model) return PE_ERR_SHAPE;
    if (pe__exceeds(stride, rows, pe__reach(element))) return PE_ERR_SIZE;
    return PE_OK;
}

static inline pe_status pe__check_range(int64_t first, size_t rows)
{
    if (!pe__position_ok(first)) return PE_ERR_RANGE;
    const uint64_t room = (uint64_t)(PE__POSITION_LIMIT - first); /* rows that may follow */
    return (uint64_t)rows - 1 <= room ? PE_OK : PE_ERR_RANGE;
}

/* Rows that follow each other from first, and with the plan's offset. */
static inline pe_status pe__check_rows(const pe_plan *plan, int64_t first, size_t rows)
{
    const pe_status status = pe__check_range(first, rows);
    return status != PE_OK ? status
                           : pe__check_range(first + plan->whole, rows + (plan->fraction > 0));
}

static inline pe_status pe__check_positions(const pe_plan *plan, const int64_t *positions,
                                            size_t rows)
{
    const int64_t whole = plan->whole, beyond = whole + (plan->fraction > 0);
    int ok = 1;
    for (size_t r = 0; r < rows; r++) {
        const int within = pe__position_ok(positions[r]);
        const int64_t p = within ? positions[r] : 0;
        ok &= within & pe__position_ok(p + whole) & pe__position_ok(p + beyond);
    }
    return ok ? PE_OK : PE_ERR_RANGE;
}

static inline pe_status pe__check_reals(const double *positions, size_t n, double offset)
{
    const double limit = (double)PE__POSITION_LIMIT;
    int ok = 1;
    for (size_t i = 0; i < n; i++) {
        const double t = positions[i], u = t + offset; /* NaN fails every comparison */
        ok &= (t >= -limit) & (t <= limit) & (u >= -limit) & (u <= limit);
    }
    return ok ? PE_OK : PE_ERR_RANGE;
}

/* ---- double-double and triple-double ------------------------------------------------------------
 * Unevaluated sums of two or three doubles, lane by lane, about 104 and 156 bits. The low part of a
 * pe__dd may be as large as a few units in the last place of the high part, where not said
 * otherwise. */

typedef struct pe__dd {
    pe__vd hi, lo;
} pe__dd;
typedef struct pe__td {
    pe__vd a, b, c;
} pe__td;

/* x * y; relative error below 2^-102. */
PE__INLINE pe__dd pe__dd_mul(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, y.hi, &r.lo);
    r.lo = pe__fma(x.lo, y.hi, pe__fma(x.hi, y.lo, r.lo));
    return r;
}

/* a + x for |a| >= |x|. */
PE__INLINE pe__dd pe__dd_add_small(const double *a, pe__dd x)
{
    pe__dd r;
    r.hi = pe__fast_two_sum(pe__splat(a[0]), x.hi, &r.lo);
    r.lo = r.lo + (pe__splat(a[1]) + x.lo);
    return r;
}

/* hi = the double nearest to the sum. */
PE__INLINE pe__dd pe__dd_normal(pe__dd x)
{
    x.hi = pe__fast_two_sum(x.hi, x.lo, &x.lo);
    return x;
}

/* x * X + y * Y. */
PE__INLINE pe__dd pe__dd_mul_mul_add(pe__dd x, pe__dd X, pe__dd y, pe__dd Y)
{
    pe__dd r;
    const pe__dd p = pe__dd_mul(x, X), q = pe__dd_mul(y, Y);
    r.hi = pe__two_sum(p.hi, q.hi, &r.lo);
    r.lo = r.lo + (p.lo + q.lo);
    return r;
}

/* (s, c) turned by (S, C), in place: one more turn adds less than 2^-100 to the error. */
PE__INLINE void pe__dd_turn(pe__dd *s, pe__dd *c, pe__dd S, pe__dd C)
{
    const pe__dd s0 = *s, c0 = *c;
    *s = pe__dd_mul_mul_add(s0, C, c0, S);
    S.hi = -S.hi, S.lo = -S.lo;
    *c = pe__dd_mul_mul_add(c0, C, s0, S);
}

/* (s, c) turned by itself, in place, for half the price: 2 s c and 1 - 2 s^2. */
PE__INLINE void pe__dd_turn_twice(pe__dd *s, pe__dd *c)
{
    const pe__vd two = pe__splat(2.0);
    pe__dd sc = pe__dd_mul(*s, *c);
    const pe__dd ss = pe__dd_mul(*s, *s);
    c->hi = pe__two_sum(pe__splat(1.0), -two * ss.hi, &c->lo);
    c->lo = c->lo - two * ss.lo;
    sc.hi = two * sc.hi, sc.lo = two * sc.lo;
    *s = sc;
}

/* Make s^2 + c^2 one again, which turning twice takes for granted: a length that is wrong by some
   part would be wrong by four times that, and the angle with it. */
PE__INLINE void pe__dd_unit(pe__dd *s, pe__dd *c)
{
    const pe__dd ss = pe__dd_mul(*s, *s), cc = pe__dd_mul(*c, *c);
    pe__vd e;
    const pe__vd sum = pe__two_sum(ss.hi, cc.hi, &e);
    const pe__vd excess = (sum - pe__splat(1.0)) + (e + (ss.lo + cc.lo));
    const pe__vd by = excess * pe__splat(-0.5);
    s->lo = pe__fma(s->hi, by, s->lo);
    c->lo = pe__fma(c->hi, by, c->lo);
}

PE__INLINE pe__td pe__td_of(pe__vd a, pe__vd b, pe__vd c) /* renormalise */
{
    pe__td r;
    b = pe__two_sum(b, c, &c);
    r.a = pe__two_sum(a, b, &b);
    r.b = pe__two_sum(b, c, &r.c);
    return r;
}

PE__INLINE pe__td pe__td_const(const double *x)
{
    pe__td r;
    r.a = pe__splat(x[0]), r.b = pe__splat(x[1]), r.c = pe__splat(x[2]);
    return r;
}

PE__INLINE pe__td pe__td_add(pe__td x, pe__td y)
{
    pe__vd e, f, g;
    const pe__vd a = pe__two_sum(x.a, y.a, &e);
    pe__vd b = pe__two_sum(x.b, y.b, &f);
    b = pe__two_sum(b, e, &g);
    return pe__td_of(a, b, (x.c + y.c) + (f + g));
}

PE__INLINE pe__td pe__td_mul(pe__td x, pe__td y)
{
    pe__vd e00, e01, e10, t, u;
    const pe__vd p00 = pe__two_prod(x.a, y.a, &e00);
    const pe__vd p01 = pe__two_prod(x.a, y.b, &e01);
    const pe__vd p10 = pe__two_prod(x.b, y.a, &e10);
    pe__vd b = pe__two_sum(p01, p10, &t);
    b = pe__two_sum(b, e00, &u);
    const pe__vd minor = (x.b * y.b + (x.a * y.c + x.c * y.a)) + (e01 + e10);
    return pe__td_of(p00, b, minor + (t + u));
}

PE__INLINE pe__td pe__td_scale(pe__td x, pe__vd y) /* x * y */
{
    pe__td r;
    r.a = y, r.b = pe__splat(0.0), r.c = r.b;
    return pe__td_mul(x, r);
}

/* x / y by three digits of long division. */
PE__INLINE pe__td pe__td_div(pe__td x, pe__vd y)
{
    const pe__vd q0 = x.a / y;
    pe__td digit;
    digit.a = -q0, digit.b = pe__splat(0.0), digit.c = digit.b;
    x = pe__td_add(x, pe__td_scale(digit, y));
    const pe__vd q1 = x.a / y;
    digit.a = -q1;
    x = pe__td_add(x, pe__td_scale(digit, y));
    return pe__td_of(q0, q1, x.a / y);
}

/* ---- elementary functions in triple-double, for the frequencies ------------------------------ */

static const double pe__inverse_pi[3] = {0.3183098861837907, -1.9678676675182486e-17,
                                         -1.0721436282893004e-33};
static const double pe__pi[3] = {3.141592653589793, 1.2246467991473532e-16,
                                 -2.9947698097183397e-33};
static const double pe__ln2[3] = {0.6931471805599453, 2.3190468138462996e-17,
                                  5.707708438416212e-34};

/* 2^k for -1022 <= k <= 1023. */
PE__INLINE double pe__exp2i(int k)
{
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Split a positive normal x into m in [0.5, 1) and e with x = m * 2^e. */
PE__INLINE double pe__frexp(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *e = (int)(bits >> 52) - 1022;
    bits = (bits & 0xfffffffffffffu) | ((uint64_t)1022 << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(x) for |x| < 700, to about 2^-148: x = k ln 2 + 64 r, a Taylor series for exp(r) - 1, six
   squarings. Lane by lane, but k is taken lane by lane through memory. */
PE__OUTLINE pe__td pe__td_exp(pe__td x)
{
    static const double inverse_factorial[17][3] = {
        {1.0, 0.0, 0.0},
        {1.0, 0.0, 0.0},
        {0.5, 0.0, 0.0},
        {0.16666666666666666, 9.25185853854297e-18, 5.135813185032629e-34},
        {0.041666666666666664, 2.3129646346357427e-18, 1.2839532962581572e-34},
        {0.008333333333333333, 1.1564823173178714e-19, 1.6049416203226965e-36},
        {0.001388888888888889, -5.300543954373577e-20, -1.7386867553495878e-36},
        {0.0001984126984126984, 1.7209558293420705e-22, 1.4926912391394127e-40},
        {2.48015873015873e-05, 2.1511947866775882e-23, 1.865864048924266e-41},
        {2.7557319223985893e-06, -1.858393274046472e-22, 8.491754604881993e-39},
        {2.755731922398589e-07, 2.3767714622250297e-23, -3.263188903340883e-40},
        {2.505210838544172e-08, -1.448814070935912e-24, 2.0426735146714455e-41},
        {2.08767569878681e-09, -1.20734505911326e-25, 1.702227928892871e-42},
        {1.6059043836821613e-10, 1.2585294588752098e-26, -5.31334602762985e-43},
        {1.1470745597729725e-11, 2.0655512752830745e-28, 6.889079232466646e-45},
        {7.647163731819816e-13, 7.03872877733453e-30, -7.827539277162583e-48},
        {4.779477332387385e-14, 4.399205485834081e-31, -4.892212048226615e-49},
    };
    const pe__vd k = pe__round(x.a * pe__splat(1.4426950408889634));
    pe__td r = pe__td_add(x, pe__td_scale(pe__td_const(pe__ln2), -k));
    const pe__vd eighth = pe__splat(1.0 / 64);
    r.a = r.a * eighth, r.b = r.b * eighth, r.c = r.c * eighth;

    pe__td y = pe__td_const(inverse_factorial[16]);
    for (int n = 15; n >= 1; n--)
        y = pe__td_add(pe__td_mul(y, r), pe__td_const(inverse_factorial[n]));
    y = pe__td_mul(y, r); /* exp(r) - 1, so that squaring loses nothing */
    for (int n = 0; n < 6; n++) {
        pe__td twice = y;
        twice.a = y.a + y.a, twice.b = y.b + y.b, twice.c = y.c + y.c;
        y = pe__td_add(pe__td_mul(y, y), twice);
    }
    y = pe__td_add(y, pe__td_const(inverse_factorial[0]));

    double power[PE_LANES];
    pe__store(power, k);
    for (int lane = 0; lane < PE_LANES; lane++) /* below: only in lanes behind the last pair */
        power[lane] = pe__exp2i(power[lane] > -1022 ? (int)power[lane] : -1022);
    const pe__vd two_k = pe__load(power);
    y.a = y.a * two_k, y.b = y.b * two_k, y.c = y.c * two_k;
    return y;
}

PE__INLINE pe__td pe__td_splat(double x)
{
    pe__td r;
    r.a = pe__splat(x), r.b = pe__splat(0.0), r.c = r.b;
    return r;
}

PE__INLINE pe__td pe__td_sub(pe__td x, pe__td y)
{
    y.a = -y.a, y.b = -y.b, y.c = -y.c;
    return pe__td_add(x, y);
}

/* x / y by three digits of long division. */
PE__OUTLINE pe__td pe__td_ratio(pe__td x, pe__td y)
{
    pe__vd digit[3];
    for (int d = 0; d < 3; d++) {
        digit[d] = x.a / y.a;
        x = pe__td_sub(x, pe__td_scale(y, digit[d]));
    }
    return pe__td_of(digit[0], digit[1], digit[2]);
}

/* ln(x), the same in all lanes, for a normal x > 0: an atanh series gives y to double precision,
   then one step y + u - u^2/2 + u^3/3 with u = m exp(-y) - 1, which leaves about 2^-148. */
PE__OUTLINE pe__td pe__td_log(double x)
{
    int e;
    double m = pe__frexp(x, &e);
    if (m < 0.7071067811865476) m *= 2, e--;
    const double z = (m - 1) / (m + 1), zz = z * z; /* |z| < 0.172: z^23 is below 2^-58 */
    double y = 0;
    for (int n = 21; n >= 1; n -= 2) y = y * zz + 1.0 / n;
    y *= 2 * z;
    PE__OPAQUE(y); /* one number from here on, not a product that may be fused */

    pe__td minus_y, one;
    minus_y.a = pe__splat(-y), minus_y.b = pe__splat(0.0), minus_y.c = minus_y.b;
    one.a = pe__splat(-1.0), one.b = minus_y.b, one.c = minus_y.b;
    const pe__td u = pe__td_add(pe__td_scale(pe__td_exp(minus_y), pe__splat(m)), one);
    const pe__td uu = pe__td_mul(u, u);
    pe__td log = pe__td_add(u, pe__td_scale(uu, pe__splat(-0.5)));
    log = pe__td_add(log, pe__td_div(pe__td_mul(uu, u), pe__splat(3.0)));
    minus_y.a = -minus_y.a;
    log = pe__td_add(minus_y, log);
    return pe__td_add(pe__td_scale(pe__td_const(pe__ln2), pe__splat(e)), log);
}

/* ---- frequencies --------------------------------------------------------------------------------
 * f_i = w_i / pi for w_i = scale r^i with r = base^(-1 / D), in triple-double: eight by exp, each
 * further one from the one eight before it. So the order of the operations on f_i, and its bits, do
 * not depend on the number of lanes. An error of 2^-148 in r^8 grows with i / 8: below 2^-128 for
 * every i up to 2^20, where 2^31 half-turns still leave 2^-97. */

#define PE__CHAIN 8

typedef struct pe__geometric {
    pe__td ratio;                         /* r^8 */
    pe__td next[(int)PE__CHAIN / (int)PE_LANES]; /* the eight frequencies to come */
} pe__geometric;

/* The config's scale, in half turns. */
static inline pe__td pe__frequency_unit(const pe_config *config)
{
    static const double one[3] = {1, 0, 0};
    return pe__td_scale(pe__td_const(config->half_turns ? one : pe__inverse_pi),
                        pe__splat(config->scale));
}

static inline void pe__geometric_begin(pe__geometric *g, const pe_config *config,
                                       const double *denominator)
{
    const pe__td unit = pe__frequency_unit(config);
    pe__td d = pe__td_splat(denominator[0]);
    d.b = pe__splat(denominator[1]);
    const pe__td log_base = pe__td_log(config->base);
    const pe__td step = pe__td_ratio(pe__td_scale(log_base, pe__splat(-1.0)), d); /* ln r */
    g->ratio = pe__td_exp(pe__td_scale(step, pe__splat(PE__CHAIN)));
    for (int v = 0; v < (int)PE__CHAIN / (int)PE_LANES; v++) {
        double index[PE_LANES];
        for (int lane = 0; lane < PE_LANES; lane++) index[lane] = v * PE_LANES + lane;
        const pe__td power = pe__td_exp(pe__td_scale(step, pe__load(index)));
        g->next[v] = pe__td_mul(power, unit);
    }
}

/* Write the next eight frequencies to f, f + padded, f + 2 padded. */
PE__OUTLINE void pe__geometric_next(pe__geometric *g, double *f, size_t padded)
{
    for (int v = 0; v < (int)PE__CHAIN / (int)PE_LANES; v++, f += PE_LANES) {
        pe__store(f, g->next[v].a);
        pe__store(f + padded, g->next[v].b);
        pe__store(f + 2 * padded, g->next[v].c);
        g->next[v] = pe__td_mul(g->next[v], g->ratio);
    }
}

/* ---- RoPE frequencies ---------------------------------------------------------------------------
 * All in triple-double, and only the leading double is kept. What is kept is off by about 2^-140 of
 * its value before that rounding, so that the last bit is wrong for one number in 2^85. The
 * branches compare numbers that cannot be equal: the thresholds contain pi, the rest is
 * algebraic. */

#define PE__ROPE_MOST 340282366920938463463374607431768211456.0 /* 2^128 */
#define PE__ROPE_LENGTH ((uint64_t)1 << 53)

/* As a function: where size_t has 32 bits, compilers would say that this is always so. */
static inline int pe__rope_length_ok(uint64_t n) { return n <= PE__ROPE_LENGTH; }

static const double pe__ln_2pi[3] = {1.8378770664093456, -7.756588316134483e-17,
                                     -2.647943193699614e-33};

static inline pe_rope_config pe_rope_config_default(size_t head_dim)
{
    pe_rope_config config;
    config.head_dim = head_dim;
    config.rotary_dim = head_dim;
    config.rope_theta = 10000.0;
    config.rope_type = PE_ROPE_DEFAULT;
    config.factor = 0.0;
    config.original_max_position_embeddings = 0;
    config.max_position_embeddings = 0;
    config.sequence_length = 0;
    config.low_freq_factor = 1.0;
    config.high_freq_factor = 4.0;
    config.beta_fast = 32.0;
    config.beta_slow = 1.0;
    config.extrapolation_factor = 1.0;
    config.truncate = 1;
    config.mscale = 0.0;
    config.mscale_all_dim = 0.0;
    config.attention_factor = 0.0;
    config.short_mscale = 0.0;
    config.long_mscale = 0.0;
    config.short_factor = NULL;
    config.long_factor = NULL;
    config.freq_factors = NULL;
    return config;
}

static inline pe_status pe_rope_type_named(const char *name, pe_rope_type *type)
{
    static const struct {
        char name[16];
        pe_rope_type type;
    } names[] = {
        {"default", PE_ROPE_DEFAULT},     {"none", PE_ROPE_DEFAULT},
        {"mrope", PE_ROPE_DEFAULT},       {"linear", PE_ROPE_LINEAR},
        {"dynamic", PE_ROPE_DYNAMIC_NTK}, {"xdrope", PE_ROPE_NTK},
        {"ntk", PE_ROPE_NTK_FIXED},       {"llama3", PE_ROPE_LLAMA3},
        {"yarn", PE_ROPE_YARN},           {"deepseek_yarn", PE_ROPE_YARN},
        {"longrope", PE_ROPE_LONGROPE},   {"su", PE_ROPE_LONGROPE},
        {"proportional", PE_ROPE_PROPORTIONAL},
    };
    if (!name || !type) return PE_ERR_NULL;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        size_t c = 0;
        while (name[c] == names[k].name[c] && name[c] != '\0') c++;
        if (name[c] == names[k].name[c]) {
            *type = names[k].type;
            return PE_OK;
        }
    }
    return PE_ERR_CONFIG;
}

/* L0: the length whose wavelengths a type asks about. */
PE__INLINE size_t pe__rope_length(const pe_rope_config *config)
{
    const size_t original = config->original_max_position_embeddings;
    const size_t most = config->max_position_embeddings;
    if (config->rope_type == PE_ROPE_DYNAMIC_NTK) return most ? most : original;
    return original ? original : most;
}

PE__INLINE int pe__rope_is_long(const pe_rope_config *config)
{
    return config->sequence_length > pe__rope_length(config);
}

PE__INLINE const double *pe__rope_factors(const pe_rope_config *config)
{
    if (config->rope_type != PE_ROPE_LONGROPE) return NULL;
    return pe__rope_is_long(config) ? config->long_factor : config->short_factor;
}

/* The attention factor that the config gives, or 0. */
PE__INLINE double pe__rope_given(const pe_rope_config *config)
{
    if (config->attention_factor > 0 || config->rope_type != PE_ROPE_LONGROPE)
        return config->attention_factor;
    return pe__rope_is_long(config) ? config->long_mscale : config->short_mscale;
}

/* NaN fails every comparison. */
PE__INLINE int pe__rope_number(double x) { return x >= 1 / PE__ROPE_MOST && x <= PE__ROPE_MOST; }
PE__INLINE int pe__rope_optional(double x) { return x == 0 || pe__rope_number(x); }

PE__INLINE size_t pe__rope_count(const pe_rope_config *config)
{
    const int whole = config->rope_type == PE_ROPE_PROPORTIONAL;
    return (whole ? config->head_dim : config->rotary_dim) / 2;
}

/* What is wrong with the numbers themselves. */
PE__COLD const char *pe__rope_field_error(const pe_rope_config *config)
{
    const double theta = config->rope_theta, e = config->extrapolation_factor;
    if (config->head_dim < 2 || config->head_dim > PTRDIFF_MAX / sizeof(double))
        return "head_dim must be at least 2 and fit in memory";
    if (config->rotary_dim < 2 || config->rotary_dim % 2 || config->rotary_dim > config->head_dim)
        return "rotary_dim must be even, at least 2 and at most head_dim";
    if (!(theta >= 1 && theta <= PE__ROPE_MOST)) return "rope_theta must be within 1 ... 2^128";
    if ((unsigned)config->rope_type > (unsigned)PE_ROPE_PROPORTIONAL)
        return "rope_type must be one of PE_ROPE_...";
    if (!pe__rope_optional(config->factor))
        return "factor must be within 2^-128 ... 2^128, or 0 if there is none";
    if (!pe__rope_length_ok(config->original_max_position_embeddings))
        return "original_max_position_embeddings must be at most 2^53";
    if (!pe__rope_length_ok(config->max_position_embeddings))
        return "max_position_embeddings must be at most 2^53";
    if (!pe__rope_length_ok(config->sequence_length)) return "sequence_length must be at most 2^53";
    if (!pe__rope_number(config->low_freq_factor) || !pe__rope_number(config->high_freq_factor) ||
        config->low_freq_factor > config->high_freq_factor)
        return "low_freq_factor and high_freq_factor must be within 2^-128 ... 2^128, and "
               "high_freq_factor at least low_freq_factor (Llama 3: 1 and 4)";
    if (!pe__rope_number(config->beta_fast) || !pe__rope_number(config->beta_slow) ||
        config->beta_slow > config->beta_fast)
        return "beta_fast and beta_slow must be within 2^-128 ... 2^128, and beta_fast at least "
               "beta_slow (YaRN: 32 and 1)";
    if (!(e == 0 || (e >= 1 / PE__ROPE_MOST && e <= 1)))
        return "extrapolation_factor must be within 2^-128 ... 1, or 0 (YaRN: 1)";
    if (!pe__rope_optional(config->mscale) || !pe__rope_optional(config->mscale_all_dim))
        return "mscale and mscale_all_dim must be within 2^-128 ... 2^128, or 0 if there is none";
    if (!pe__rope_optional(config->attention_factor))
        return "attention_factor must be within 2^-128 ... 2^128, or 0 for the rule of the type";
    if (!pe__rope_optional(config->short_mscale) || !pe__rope_optional(config->long_mscale))
        return "short_mscale and long_mscale must be within 2^-128 ... 2^128, or 0 for the rule";
    return NULL;
}

/* What the type lacks. */
PE__COLD const char *pe__rope_type_error(const pe_rope_config *config)
{
    const size_t length = pe__rope_length(config);
    const int has_ratio =
        config->original_max_position_embeddings && config->max_position_embeddings;
    switch (config->rope_type) {
    case PE_ROPE_NTK:
    case PE_ROPE_DYNAMIC_NTK:
        if (config->rotary_dim < 4) return "NTK and DYNAMIC_NTK need a rotary_dim of at least 4";
        if (!length && config->rope_type == PE_ROPE_DYNAMIC_NTK)
            return "DYNAMIC_NTK needs max_position_embeddings";
        break;
    case PE_ROPE_LLAMA3:
        if (!length) return "LLAMA3 needs original_max_position_embeddings";
        break;
    case PE_ROPE_YARN:
        if (!length) return "YARN needs original_max_position_embeddings";
        if (config->rope_theta == 1) return "YARN needs a rope_theta above 1";
        if (!(config->factor > 0) && !has_ratio)
            return "YARN needs a factor, or both max_position_embeddings and "
                   "original_max_position_embeddings";
        return NULL;
    case PE_ROPE_LONGROPE:
        if (length < 2) return "LONGROPE needs original_max_position_embeddings";
        if (!pe__rope_factors(config))
            return pe__rope_is_long(config) ? "long_factor is NULL" : "short_factor is NULL";
        if (!(config->factor > 0) && !has_ratio && !(pe__rope_given(config) > 0))
            return "LONGROPE needs a factor, or both max_position_embeddings and "
                   "original_max_position_embeddings, or an attention_factor";
        return NULL;
    case PE_ROPE_PROPORTIONAL:
        return config->head_dim % 2 ? "PROPORTIONAL needs an even head_dim" : NULL;
    default:
        return NULL;
    case PE_ROPE_LINEAR:
    case PE_ROPE_NTK_FIXED:
        break;
    }
    return config->factor > 0 ? NULL : "this rope_type needs a factor above 0";
}

static inline const char *pe_rope_config_error(const pe_rope_config *config)
{
    if (!config) return "the config is NULL";
    const char *error = pe__rope_field_error(config);
    if (!error) error = pe__rope_type_error(config);
    if (error) return error;
    const double *factors = pe__rope_factors(config);
    for (size_t i = 0; factors && i < config->rotary_dim / 2; i++)
        if (!pe__rope_number(factors[i]))
            return pe__rope_is_long(config) ? "long_factor must hold numbers in 2^-128 ... 2^128"
                                            : "short_factor must hold numbers in 2^-128 ... 2^128";
    for (size_t i = 0; config->freq_factors && i < pe__rope_count(config); i++)
        if (!pe__rope_number((double)config->freq_factors[i]))
            return "freq_factors must hold numbers within 2^-128 ... 2^128";
    return NULL;
}

static inline size_t pe_rope_pairs(const pe_rope_config *config)
{
    return pe_rope_config_error(config) ? 0 : pe__rope_count(config);
}

PE__INLINE double pe__first_lane(pe__vd x)
{
    double lanes[PE_LANES];
    pe__store(lanes, x);
    return lanes[0];
}

/* ln of a number that is the same in all lanes: ln a + ln(1 + d) with |d| <= 2^-53, so that d^3 / 3
   is below 2^-160. */
PE__OUTLINE pe__td pe__td_log_of(pe__td x)
{
    const double a = pe__first_lane(x.a);
    const pe__td d = pe__td_div(pe__td_sub(x, pe__td_splat(a)), pe__splat(a));
    const pe__td half_dd = pe__td_scale(pe__td_mul(d, d), pe__splat(0.5));
    return pe__td_add(pe__td_log(a), pe__td_sub(d, half_dd));
}

/* floor(x) within from ... to, for a number that is the same in all lanes. */
PE__INLINE double pe__td_floor(pe__td x, double from, double to)
{
    const double a = pe__first_lane(x.a), b = pe__first_lane(x.b);
    if (!(a >= from)) return from;
    if (!(a <= to)) return to;
    double n = (double)(int64_t)a;
    if (n > a || (n == a && b < 0)) n -= 1;
    return n < from ? from : n;
}

/* x * scale within 0 ... 1, where scale is the inverse of span > 0. Lane by lane, so that what lies
   outside is 0 or 1 and nothing else. Where span = 0, it is a step. */
PE__OUTLINE pe__td pe__td_ramp(pe__td x, pe__td span, pe__td scale)
{
    double below[PE_LANES], above[PE_LANES], a[PE_LANES], b[PE_LANES], c[PE_LANES];
    const pe__td rest = pe__td_sub(x, span);
    pe__td y = pe__td_mul(x, scale);
    pe__store(below, x.a), pe__store(above, rest.a);
    pe__store(a, y.a), pe__store(b, y.b), pe__store(c, y.c);
    for (int lane = 0; lane < PE_LANES; lane++)
        if (below[lane] <= 0 || above[lane] >= 0) {
            a[lane] = below[lane] <= 0 ? 0.0 : 1.0;
            b[lane] = c[lane] = 0.0;
        }
    y.a = pe__load(a), y.b = pe__load(b), y.c = pe__load(c);
    return y;
}

/* What all pairs share: ln w_i = -2i step - offset, then the ramp of LLAMA3 and YARN. */
typedef struct pe__rope {
    pe__td step, offset;
    pe__td inverse_factor;     /* 1 / f                                              */
    pe__td low, span, inverse; /* where the ramp begins, its length, 1 / length or 0 */
    pe__td waves;              /* LLAMA3: L0 / 2 pi                                  */
    double sign;               /* YARN: -1 where the ramp falls                      */
    size_t turning;            /* pairs that turn                                    */
} pe__rope;

/* f, which may follow from lengths. */
PE__OUTLINE pe__td pe__rope_factor(const pe_rope_config *config)
{
    const size_t original = config->original_max_position_embeddings;
    const size_t most = config->max_position_embeddings, length = pe__rope_length(config);
    const pe__td one = pe__td_splat(1.0);
    switch (config->rope_type) {
    case PE_ROPE_DYNAMIC_NTK: { /* f (L - L0) / L0 + 1 */
        if (config->sequence_length <= length) return one;
        const double more = (double)(config->sequence_length - length);
        const pe__td f = pe__td_scale(pe__td_splat(config->factor), pe__splat(more));
        return pe__td_add(pe__td_div(f, pe__splat((double)length)), one);
    }
    case PE_ROPE_YARN:
    case PE_ROPE_LONGROPE:
        if (config->factor > 0 || !original || !most) break;
        return pe__td_div(pe__td_splat((double)most), pe__splat((double)original));
    default:
        break;
    }
    return config->factor > 0 ? pe__td_splat(config->factor) : one;
}

/* YaRN: c(beta), the pair that turns beta times in L0 positions. */
PE__INLINE pe__td pe__rope_correction(const pe_rope_config *config, pe__td log_theta, double beta)
{
    pe__td c = pe__td_sub(pe__td_log((double)pe__rope_length(config)), pe__td_log(beta));
    c = pe__td_sub(c, pe__td_const(pe__ln_2pi));
    c = pe__td_ratio(pe__td_scale(c, pe__splat((double)config->rotary_dim)), log_theta);
    return pe__td_scale(c, pe__splat(0.5));
}

/* YaRN: the ramp goes from pair low to pair high. The limits of the floor and the ceil below are
   those of the formula, or so far outside of the pairs that no pair can tell. */
PE__COLD void pe__rope_yarn(pe__rope *r, const pe_rope_config *config, pe__td log_theta)
{
    const double n = (double)config->rotary_dim;
    pe__td low = pe__rope_correction(config, log_theta, config->beta_fast);
    pe__td high = pe__rope_correction(config, log_theta, config->beta_slow);
    if (config->truncate) {
        low = pe__td_splat(pe__td_floor(low, 0, n));
        high = pe__td_splat(-pe__td_floor(pe__td_sub(pe__td_splat(0.0), high), 1 - n, 1));
    } else {
        if (pe__first_lane(low.a) < 0) low = pe__td_splat(0.0);
        if (pe__first_lane(pe__td_sub(high, pe__td_splat(n - 1)).a) > 0) high = pe__td_splat(n - 1);
    }
    pe__td span = pe__td_sub(high, low);
    if (pe__first_lane(span.a) == 0) span = pe__td_div(pe__td_splat(1.0), pe__splat(1000.0));
    r->sign = 1;
    if (pe__first_lane(span.a) < 0) r->sign = -1, span = pe__td_sub(pe__td_splat(0.0), span);
    r->low = low, r->span = span;
}

PE__OUTLINE void pe__rope_begin(pe__rope *r, const pe_rope_config *config, pe__td factor)
{
    const pe__td log_theta = pe__td_log(config->rope_theta);
    const size_t n = config->rotary_dim;
    const int whole = config->rope_type == PE_ROPE_PROPORTIONAL;
    r->step = pe__td_div(log_theta, pe__splat((double)(whole ? config->head_dim : n)));
    r->offset = pe__td_splat(0.0);
    r->inverse_factor = pe__td_ratio(pe__td_splat(1.0), factor);
    r->low = r->span = r->inverse = r->waves = r->offset;
    r->sign = 1;
    r->turning = n / 2;
    switch (config->rope_type) {
    case PE_ROPE_NTK:
    case PE_ROPE_DYNAMIC_NTK: /* 1/n of ln f^(n / (n-2)) more */
        factor = pe__td_div(pe__td_log_of(factor), pe__splat((double)n - 2));
        r->step = pe__td_add(r->step, factor);
        break;
    case PE_ROPE_NTK_FIXED:
        factor = pe__td_div(pe__td_log_of(factor), pe__splat((double)n));
        r->step = pe__td_add(r->step, factor);
        r->offset = pe__td_scale(factor, pe__splat(2.0));
        break;
    case PE_ROPE_LLAMA3:
        r->waves = pe__td_scale(pe__td_const(pe__inverse_pi),
                                pe__splat(0.5 * (double)pe__rope_length(config)));
        r->low = pe__td_splat(config->low_freq_factor);
        r->span = pe__td_sub(pe__td_splat(config->high_freq_factor), r->low);
        break;
    case PE_ROPE_YARN:
        pe__rope_yarn(r, config, log_theta);
        break;
    default:
        break;
    }
    if (pe__first_lane(r->span.a) > 0) r->inverse = pe__td_ratio(pe__td_splat(1.0), r->span);
}

/* One vector of frequencies from pair i on; lanes behind the last pair repeat it. */
PE__OUTLINE pe__vd pe__rope_vector(const pe__rope *r, const pe_rope_config *config, size_t i)
{
    const pe__td one = pe__td_splat(1.0);
    const double *factors = pe__rope_factors(config);
    double index[PE_LANES], divisor[PE_LANES];
    for (size_t lane = 0; lane < PE_LANES; lane++) {
        const size_t pair = i + lane < r->turning ? i + lane : r->turning - 1;
        index[lane] = (double)pair;
        divisor[lane] = factors ? factors[pair] : 1.0;
    }
    const pe__vd pairs = pe__load(index);
    pe__td w = pe__td_add(pe__td_scale(r->step, pe__splat(-2.0) * pairs),
                          pe__td_scale(r->offset, pe__splat(-1.0)));
    w = pe__td_exp(w);

    if (config->rope_type == PE_ROPE_LLAMA3 || config->rope_type == PE_ROPE_YARN) {
        pe__td x, keep;
        if (config->rope_type == PE_ROPE_LLAMA3) {
            x = pe__td_sub(pe__td_mul(w, r->waves), r->low);
            keep = pe__td_ramp(x, r->span, r->inverse);
        } else {
            x = pe__td_splat(0.0);
            x.a = pairs;
            x = pe__td_scale(pe__td_sub(x, r->low), pe__splat(r->sign));
            keep = pe__td_sub(one, pe__td_ramp(x, r->span, r->inverse));
            keep = pe__td_scale(keep, pe__splat(config->extrapolation_factor));
        }
        x = pe__td_mul(pe__td_sub(one, keep), r->inverse_factor);
        w = pe__td_mul(w, pe__td_add(keep, x));
    } else if (config->rope_type == PE_ROPE_LINEAR || config->rope_type == PE_ROPE_PROPORTIONAL) {
        w = pe__td_mul(w, r->inverse_factor);
    } else if (factors) {
        w = pe__td_div(w, pe__load(divisor));
    }
    if (config->freq_factors) {
        for (size_t lane = 0; lane < PE_LANES; lane++)
            divisor[lane] = (double)config->freq_factors[(size_t)index[lane]];
        w = pe__td_div(w, pe__load(divisor));
    }
    return w.a;
}

/* 0.1 scale ln f + 1 */
PE__INLINE pe__td pe__rope_mscale(pe__td log_factor, double scale)
{
    const pe__td tenth = pe__td_div(pe__td_scale(log_factor, pe__splat(scale)), pe__splat(10.0));
    return pe__td_add(tenth, pe__td_splat(1.0));
}

PE__COLD double pe__rope_attention(const pe_rope_config *config, pe__td factor)
{
    const double given = pe__rope_given(config);
    const pe__td one = pe__td_splat(1.0);
    if (given > 0) return given;
    if (config->rope_type != PE_ROPE_YARN && config->rope_type != PE_ROPE_LONGROPE) return 1.0;
    if (!(pe__first_lane(pe__td_sub(factor, one).a) > 0)) return 1.0;
    const pe__td log_factor = pe__td_log_of(factor);
    pe__td y;
    if (config->rope_type == PE_ROPE_LONGROPE) { /* the root by exp and ln */
        y = pe__td_ratio(log_factor, pe__td_log((double)pe__rope_length(config)));
        y = pe__td_exp(pe__td_scale(pe__td_log_of(pe__td_add(y, one)), pe__splat(0.5)));
    } else if (config->mscale > 0 && config->mscale_all_dim > 0) {
        y = pe__td_ratio(pe__rope_mscale(log_factor, config->mscale),
                         pe__rope_mscale(log_factor, config->mscale_all_dim));
    } else {
        y = pe__rope_mscale(log_factor, 1.0);
    }
    return pe__first_lane(y.a);
}

static inline pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                            double *attention_factor)
{
    if (!config || !omega) return PE_ERR_NULL;
    if (config->rope_type == PE_ROPE_LONGROPE && !pe__rope_factors(config)) return PE_ERR_NULL;
    if (pe_rope_config_error(config)) return PE_ERR_CONFIG;
    pe__rope r;
    const size_t pairs = pe__rope_count(config);
    const pe__td factor = pe__rope_factor(config);
    pe__rope_begin(&r, config, factor);
    for (size_t i = 0; i < r.turning; i += PE_LANES) {
        double lanes[PE_LANES];
        pe__store(lanes, pe__rope_vector(&r, config, i));
        for (size_t k = 0; k < PE_LANES && i + k < r.turning; k++) omega[i + k] = lanes[k];
    }
    for (size_t i = r.turning; i < pairs; i++) omega[i] = 0.0;
    if (attention_factor) *attention_factor = pe__rope_attention(config, factor);
    return PE_OK;
}

PE__DIVIDES_BY_ZERO /* 1 / 0 is infinity, as documented */
static inline pe_status pe_rope_periods(const double *omega, size_t pairs, double *periods)
{
    if (pairs == 0) return PE_OK;
    if (!omega || !periods) return PE_ERR_NULL;
    if (pairs > (size_t)PTRDIFF_MAX / sizeof *periods) return PE_ERR_SIZE;
    for (size_t i = 0; i < pairs; i++) periods[i] = 1.0 / omega[i];
    return PE_OK;
}

/* ---- turns, exactly -----------------------------------------------------------------------------
 * Position t turns pair i by t w_i = pi t f_i. */

/* The sine and cosine of pi x to about 2^-100 of their value, |x| <= 0.3: Taylor series in x^2 with
   coefficients +-pi^n / n!. A double is enough for the coefficients whose term is below 2^-53. */
static const double pe__sine_series[15][2] = {
    {3.141592653589793, 1.2246467991473532e-16},
    {-5.16771278004997, 2.2665622825789447e-16},
    {2.5501640398773455, -7.931006345326556e-17},
    {-0.5992645293207921, 2.845026112698218e-17},
    {0.08214588661112823, -3.847292805297656e-18},
    {-0.0073704309457143504, -3.328281165603432e-19},
    {0.00046630280576761255, 1.0704561733683463e-20},
    {-2.1915353447830217e-05, 1.4648526682685598e-21},
    {7.952054001475513e-07, 1.736540361519021e-23},
    {-2.2948428997269873e-08, 0},
    {5.392664662608129e-10, 0},
    {-1.0518471716932065e-11, 0},
    {1.7302192458361107e-13, 0},
    {-2.432561179993389e-15, 0},
    {2.9567015428549106e-17, 0},
};
static const double pe__cosine_series[15][2] = {
    {1.0, 0.0},
    {-4.934802200544679, -3.1326477543698557e-16},
    {4.0587121264167685, -2.6602000824298645e-16},
    {-1.3352627688545895, 3.1815237892149862e-18},
    {0.2353306303588932, -1.2583065576724427e-18},
    {-0.02580689139001406, 1.170191067939226e-18},
    {0.0019295743094039231, -9.669517939986956e-20},
    {-0.0001046381049248457, -2.421206183964864e-21},
    {4.303069587032947e-06, -2.864010082936791e-22},
    {-1.3878952462213771e-07, 0},
    {3.604730797462501e-09, 0},
    {-7.700707130601354e-11, 0},
    {1.3768647280377414e-12, 0},
    {-2.0906323353147685e-14, 0},
    {2.729327261598196e-16, 0},
};

PE__INLINE pe__dd pe__dd_series(const double (*series)[2], pe__dd xx)
{
    pe__vd tail = pe__splat(series[14][0]);
    for (int k = 13; k > 8; k--) tail = pe__fma(tail, xx.hi, pe__splat(series[k][0]));
    pe__dd y;
    y.hi = tail, y.lo = pe__splat(0.0);
    for (int k = 8; k >= 0; k--) y = pe__dd_add_small(series[k], pe__dd_mul(y, xx));
    return y;
}

/* Turn (s, c) by q quarter turns, q in -2 ... 2. Exact: of each sum one term is zero. */
PE__INLINE void pe__quarters(pe__vd q, pe__vd *s, pe__vd *c)
{
    const pe__vd cosine = pe__splat(1.0) - pe__abs(q), sine = q * (pe__splat(2.0) - pe__abs(q));
    const pe__vd s0 = *s, c0 = *c;
    *s = s0 * cosine + c0 * sine;
    *c = c0 * cosine - s0 * sine;
}

/* Quarter turns leave zeros of either sign, and not even that is sure: clang takes
   -fno-signed-zeros for granted in its code generator, whatever a pragma says. Make them +0. */
PE__COLD pe__vd pe__plus_zero(pe__vd x)
{
    double all[PE_LANES];
    pe__store(all, x);
    for (int lane = 0; lane < PE_LANES; lane++)
        if (all[lane] == 0) memset(&all[lane], 0, sizeof all[lane]);
    return pe__load(all);
}

/* What multiplies the frequencies: t, or the angles rounded to float, whose frequency is 1 / pi. */
PE__INLINE pe__vd pe__time(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return pe__splat(t);
    return pe__to_float(pe__to_float(pe__splat(t)) * pe__load(plan->float32 + pair));
}

/* Frequencies that are powers times pi can meet a quarter turn exactly: sin(1000 * 0.001 pi) is 0.
   They are known to 2^-140, relatively; what comes nearer to one than can be told by that is at it.
   A frequency that is a double is exact, and needs no such care. */
PE__COLD void pe__snap(pe__dd *z, pe__vd turns, const double *rest)
{
    double hi[PE_LANES], lo[PE_LANES], all[PE_LANES];
    pe__store(hi, z->hi);
    pe__store(lo, z->lo);
    pe__store(all, pe__abs(turns));
    for (int lane = 0; lane < PE_LANES; lane++) {
        const double size = hi[lane] < 0 ? -hi[lane] : hi[lane];
        if (all[lane] >= 0.25 && rest[lane] != 0 && size < all[lane] * pe__exp2i(-136))
            hi[lane] = lo[lane] = 0;
    }
    z->hi = pe__load(hi), z->lo = pe__load(lo);
}

/* sin and cos of the turn of position t, for the pairs pair ... pair + PE_LANES - 1, to about
   2^-98. */
PE__OUTLINE void pe__exact_turn(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                                pe__dd *cosine)
{
    const double *f = plan->frequency + pair;
    const pe__vd tt = pe__time(plan, pair, t), half = pe__splat(0.5);
    pe__vd e0, e1;
    const pe__vd p0 = pe__two_prod(tt, pe__load(f), &e0);
    const pe__vd p1 = pe__two_prod(tt, pe__load(f + plan->padded), &e1);
    const pe__vd p2 = tt * pe__load(f + 2 * plan->padded);

    /* half turns modulo 2, then to the nearest quarter turn: both exact */
    pe__vd x = p0 - pe__round(p0 * half) * pe__splat(2.0);
    const pe__vd q = pe__round(x + x);
    x = x - q * half;
    const pe__td r = pe__td_of(x, e0, pe__splat(0.0));
    pe__td rest;
    rest.a = p1, rest.b = e1, rest.c = p2;
    const pe__td sum = pe__td_add(r, rest);
    pe__dd z;
    z.hi = sum.a, z.lo = sum.b;
    if (PE__UNLIKELY(plan->snap)) pe__snap(&z, p0, f + plan->padded);
    const pe__dd zz = pe__dd_mul(z, z);

    *sine = pe__dd_normal(pe__dd_mul(z, pe__dd_series(pe__sine_series, zz)));
    *cosine = pe__dd_normal(pe__dd_series(pe__cosine_series, zz));
    pe__quarters(q, &sine->hi, &cosine->hi);
    pe__quarters(q, &sine->lo, &cosine->lo);
    if (PE__UNLIKELY(plan->half_turns))
        sine->hi = pe__plus_zero(sine->hi), cosine->hi = pe__plus_zero(cosine->hi);
}

/* x times a double, normal. */
PE__INLINE pe__dd pe__dd_scaled(pe__dd x, double by)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, pe__splat(by), &r.lo);
    r.lo = pe__fma(x.lo, pe__splat(by), r.lo);
    return pe__dd_normal(r);
}

/* The frequency of a pair in radians a position, as a sum of two doubles. */
static inline void pe__radians(const pe_plan *plan, size_t pair, double *hi, double *lo)
{
    double w[2][PE_LANES];
    pe__td f;
    f.a = pe__splat(plan->frequency[pair]);
    f.b = pe__splat(plan->frequency[pair + plan->padded]);
    f.c = pe__splat(plan->frequency[pair + 2 * plan->padded]);
    const pe__td y = pe__td_mul(f, pe__td_const(pe__pi));
    pe__store(w[0], y.a);
    pe__store(w[1], y.b);
    *hi = w[0][0], *lo = w[1][0];
}

/* ---- turns, fast --------------------------------------------------------------------------------
 * Positions are written in base 17, with digits from -8 to 8, and the plan stores the rows of the
 * numbers that have one digit only. The rows that differ in the last digit are a block; they follow
 * from its anchor, the row with last digit 0, by turning it forth and back by the rows 1 ... 8. The
 * anchor itself is turned together from the rows of its other digits; beyond 17^levels / 2, or once
 * in 17 blocks of a long run, it comes from sines, by pe__anchor(), and the other 16 by one turn
 * from there. Positions that are no integers, and angles rounded to float, take sines for each
 * row. */

#if !PE_SLEEF
/* sin and cos of pi a to 2 ulp, |a| < 2. */
PE__INLINE void pe__sincospi(pe__vd a, pe__vd *s, pe__vd *c)
{
    a = a - pe__round(a * pe__splat(0.5)) * pe__splat(2.0);
    const pe__vd q = pe__round(a + a), x = a - q * pe__splat(0.5), xx = x * x;
    pe__vd sine = pe__splat(pe__sine_series[9][0]), cosine = pe__splat(pe__cosine_series[9][0]);
    for (int k = 8; k >= 0; k--) {
        sine = pe__fma(sine, xx, pe__splat(pe__sine_series[k][0]));
        cosine = pe__fma(cosine, xx, pe__splat(pe__cosine_series[k][0]));
    }
    *s = sine * x, *c = cosine;
    pe__quarters(q, s, c);
}
#endif

/* Rounding test: what keeps floats correctly rounded
 *
 * In units of u = 2^-53 and for amplitude 1, a value that pe__turn() makes has an error of at most
 *     4.95  SLEEF's sine and cosine, 3.5 ulp each (u35), as a vector: 3.5 sqrt(2)
 *     0.71  their correction by the low part of the phase, rounded: 0.5 sqrt(2)
 *     0.01  the phase, kept to 2^-106 |t f| <= 2^-64 half turns for |t f| <= 2^42 (beyond, the
 *           anchors are exact)
 *     2.0   the amplitude's factor, rounded, and the product with it: 1 each, relative
 *     5.42  two turns, to the block's anchor and to the row; each turn has
 *           0.71  a row of the plan, rounded: 0.5 sqrt(2)
 *           2.0   products 1 (|sC| + |cS| <= 1), their sum 1; less where it is fused
 * together 13.1; or, from rows of the plan alone,
 *     0.71  the row of the first digit
 *     2.0   the amplitude's factor
 *     10.84 four turns by the other digits
 * together 13.6. Dividing the factor (1 + eta) out again, in pe__settle(), adds 1.5. e = 15.5 u
 * |A|. A position of more than five digits has three turns more: e = 23.5 u |A|.
 *
 * Where float(y - e) = float(y + e), that is the answer. The hot loop tests it for the price of a
 * few integer operations. It works on y' = y (1 + eta), for which e <= eta |y| as soon as |y| >=
 * 2^-12 |A|: then |y'| is never below the true |x|, and at most 2 eta |x| above, so float(y') is
 * wrong only if a midpoint of two floats lies at or just below |y'|. The 29 bits that rounding to
 * float drops say so: their value is then in [2^28, 2^28 + 2 eta 2^53]. With the first of them
 * flipped these are the smallest numbers of 29 bits: the hot loop keeps one running minimum of
 * them, and one of the floats' absolute values to guard |y| >= 2^-12 |A| and the end of the normal
 * floats. A few elements in 10,000 raise the alarm, and pe__settle() looks at their neighbourhood
 * closely.
 *
 * eta is e / 2^-12, and a little for the (1 + eta) on e itself. */
#define PE__GUARD (1.0009765625 / 4096)       /* 2^-12, and some: |float| > it        */
#define PE__FAST_LIMIT 4398046511104.0        /* 2^42 half turns                       */

/* What the test needs to know of values: e and eta for amplitude 1, and 2 eta 2^53, and some. */
typedef struct pe__bound {
    double error, eta;
    int32_t window;
} pe__bound;
static const pe__bound pe__bound_near = {15.5 / 9007199254740992.0,
                                         15.75 / 2199023255552.0, 32 << 12};
static const pe__bound pe__bound_far = {23.5 / 9007199254740992.0,
                                        23.75 / 2199023255552.0, 48 << 12};

enum { PE__DIGIT = 8, PE__RADIX = 2 * PE__DIGIT + 1, PE__LEVELS = 8, PE__TILE = 512 };
#define PE__NEAR ((int64_t)709928) /* the largest number of five digits */

/* Types of elements, and bits that the last rounding drops: from double to float, or from float. */
typedef enum pe__kind { PE__F32, PE__BF16, PE__F16 } pe__kind;
enum { PE__DROP_F32 = 29, PE__DROP_BF16 = 16, PE__DROP_F16 = 13 };
PE__INLINE int pe__drop(pe__kind kind)
{
    return kind == PE__BF16 ? PE__DROP_BF16 : kind == PE__F16 ? PE__DROP_F16 : PE__DROP_F32;
}

PE__INLINE size_t pe__min(size_t a, size_t b) { return a < b ? a : b; }
PE__INLINE size_t pe__max(size_t a, size_t b) { return a > b ? a : b; }

/* The first address of a cache line at or after p. */
PE__INLINE double *pe__aligned(void *p)
{
    return (double *)(void *)((unsigned char *)p + (64 - (uintptr_t)p % 64) % 64);
}

/* The anchor: A (1 + eta) times sin and cos of position t, for count pairs from pair on. Writes
   whole vectors: up to PE_LANES - 1 doubles more. */
PE__OUTLINE void pe__anchor(const pe_plan *plan, double t, size_t pair, size_t count, double *s,
                            double *c)
{
    const double *f = plan->frequency + pair;
    const pe__vd half = pe__splat(0.5);
    const pe__vd scale = pe__splat(plan->amplitude * (1 + pe__bound_near.eta));
    const int distant = !((t < 0 ? -t : t) * plan->fastest <= PE__FAST_LIMIT);
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__vd sine, cosine;
        if (PE__UNLIKELY(distant)) {
            pe__dd ss, cc;
            pe__exact_turn(plan, pair + i, t, &ss, &cc);
            sine = ss.hi, cosine = cc.hi;
        } else {
            const pe__vd tt = pe__time(plan, pair + i, t);
            pe__vd e;
            const pe__vd p = pe__two_prod(tt, pe__load(f + i), &e);
            const pe__vd turn = p - pe__round(p * half) * pe__splat(2.0);
            pe__vd low;
            const pe__vd rest = pe__fma(tt, pe__load(f + i + plan->padded), e);
            const pe__vd x = pe__two_sum(turn, rest, &low);
            pe__sincospi(x, &sine, &cosine);
            low = low * pe__splat(3.141592653589793);
            const pe__vd unmoved = sine;
            sine = pe__fma(low, cosine, sine);
            cosine = pe__fnma(low, unmoved, cosine);
        }
        pe__store(s + i, sine * scale);
        pe__store(c + i, cosine * scale);
    }
}

/* One float rounded once more, to nearest even, to a value of bf16 or f16. */
static inline float pe__round_16(float x, int drop)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits & 0x80000000u, size = bits ^ sign;
    if (drop == PE__DROP_F16 && size < 0x38800000u) { /* f16 subnormals: multiples of 2^-24 */
        float y;
        memcpy(&y, &size, sizeof y);
        y = (y + 0.75f) - 0.75f;
        memcpy(&bits, &y, sizeof bits);
        bits |= sign;
    } else {
        bits += (1u << (drop - 1)) - 1u + (bits >> drop & 1u);
        bits &= ~((1u << drop) - 1u);
        if (drop == PE__DROP_F16 && (bits ^ sign) >= 0x47800000u) bits = sign | 0x7f800000u;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* (hi + lo) * scale rounded once to float, bf16 or f16, for a power of two: to odd, then to
   nearest. */
static inline float pe__round_once(double hi, double lo, double scale, int drop)
{
    hi = pe__to_odd(hi, lo) * scale;
    float y = (float)hi;
    if (drop == PE__DROP_F32) return y;
    uint32_t word;
    memcpy(&word, &y, sizeof word);
    if ((double)y != hi && (word & 1) == 0) {
        if ((y < 0 ? -(double)y : (double)y) < (hi < 0 ? -hi : hi)) word++;
        else word--;
        memcpy(&y, &word, sizeof y);
    }
    return pe__round_16(y, drop);
}

/* By how many powers of two a position so far below one turn of a pair that the sine is a multiple
   of it must be made larger, so that products with it do not lose their low bits. */
static inline int pe__lift(const pe_plan *plan, size_t pair, double t)
{
    int up, of_w, of_t;
    if (plan->float32 || t == 0 || plan->frequency[pair] == 0) return 0;
    const double w = plan->frequency[pair] < 0 ? -plan->frequency[pair] : plan->frequency[pair];
    const double size = t < 0 ? -t : t, large = size < pe__exp2i(-1000) ? pe__exp2i(60) : 1;
    if (size * w >= pe__exp2i(-300)) return 0;
    (void)pe__frexp(w, &of_w);
    (void)pe__frexp(size * large, &of_t);
    up = -250 - of_w - of_t + (large > 1 ? 60 : 0);
    return up < 1000 ? up : 1000;
}

/* pe__exact_turn() of any real position: sines are to be multiplied by *lift. */
PE__OUTLINE void pe__exact_turn_lifted(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                                       pe__dd *cosine, double *lift)
{
    double all[4][PE_LANES];
    int most = 0, up[PE_LANES];
    pe__exact_turn(plan, pair, t, sine, cosine);
    for (size_t lane = 0; lane < PE_LANES; lane++) {
        up[lane] = pe__lift(plan, pair + lane, t);
        lift[lane] = pe__exp2i(-up[lane]);
        if (up[lane] > most) most = up[lane];
    }
    if (most == 0) return;
    pe__store(all[0], sine->hi), pe__store(all[1], sine->lo);
    pe__store(all[2], cosine->hi), pe__store(all[3], cosine->lo);
    for (size_t lane = 0; lane < PE_LANES; lane++) {
        if (up[lane] == 0) continue;
        pe__dd s, c;
        pe__exact_turn(plan, pair + lane, t * pe__exp2i(up[lane]), &s, &c);
        all[0][lane] = pe__first_lane(s.hi), all[1][lane] = pe__first_lane(s.lo);
        all[2][lane] = pe__first_lane(c.hi), all[3][lane] = pe__first_lane(c.lo);
    }
    sine->hi = pe__load(all[0]), sine->lo = pe__load(all[1]);
    cosine->hi = pe__load(all[2]), cosine->lo = pe__load(all[3]);
}

/* The element of one pair at position t, from an exact turn: component 0 is the sine, 1 the cosine.
 *
 * The sum is good to 2^-98. A low part below that belongs to an angle so small that the sine is x -
 * x^3/6 or the cosine 1 - x^2/2, and these last terms are lost. The truth is then nearer to zero
 * than hi, be it by ever so little: that decides where hi itself lies in the middle between two
 * floats. Only where the other component is 0 is this one exactly A or -A. */
PE__COLD float pe__exact_element(const pe_plan *plan, double t, size_t pair, int component,
                                 int drop)
{
    pe__dd sine, cosine;
    double hi[2][PE_LANES], lo[2][PE_LANES];
    const int up = pe__lift(plan, pair, t);
    pe__exact_turn(plan, pair, t * pe__exp2i(up), &sine, &cosine);
    sine = pe__dd_scaled(sine, plan->mantissa), cosine = pe__dd_scaled(cosine, plan->mantissa);
    pe__store(hi[0], sine.hi);
    pe__store(lo[0], sine.lo);
    pe__store(hi[1], cosine.hi);
    pe__store(lo[1], cosine.lo);
    double h = hi[component][0], l = lo[component][0];
    if (h == 0) return (float)(0 * plan->amplitude);
    if (hi[1 - component][0] != 0 && (l < 0 ? -l : l) <= (h < 0 ? -h : h) * pe__exp2i(-95))
        l = -h * pe__exp2i(-100);
    return pe__round_once(h * plan->scale, l * plan->scale, component == 0 ? pe__exp2i(-up) : 1,
                          drop);
}

/* ---- rows of 16- and 32-bit numbers -------------------------------------------------------------
 * A kernel is written once for all three: PE__F32, PE__F16 or PE__BF16 is an argument, and a
 * constant wherever the kernel is inlined. */

enum { PE__FLOATS = 2 * PE_LANES };

PE__INLINE size_t pe__size_of(pe__kind type)
{
    return type == PE__F32 ? sizeof(float) : sizeof(uint16_t);
}

/* The address of element i. */
PE__INLINE void *pe__at(pe__kind type, void *p, size_t i)
{
    return (unsigned char *)p + i * pe__size_of(type);
}
PE__INLINE const void *pe__at_const(pe__kind type, const void *p, size_t i)
{
    return (const unsigned char *)p + i * pe__size_of(type);
}

PE__INLINE pe__vf pe__get_as(pe__kind type, const void *p)
{
    if (type == PE__F32) return pe__get((const float *)p);
    return type == PE__F16 ? pe__get_f16((const uint16_t *)p)
                              : pe__get_bf16((const uint16_t *)p);
}
PE__INLINE void pe__put_as(pe__kind type, void *p, pe__vf v)
{
    if (type == PE__F32) pe__put((float *)p, v);
    else if (type == PE__F16) pe__put_f16((uint16_t *)p, v);
    else pe__put_bf16((uint16_t *)p, v);
}

/* Two vectors; what costs most for 16-bit types, a look at NaNs, is for both. */
PE__INLINE void pe__put_two_as(pe__kind kind, void *p, pe__vf u, void *q, pe__vf v)
{
    uint16_t *const g = (uint16_t *)p, *const h = (uint16_t *)q;
    if (kind == PE__F32) {
        pe__put((float *)p, u);
        pe__put((float *)q, v);
    } else if (PE__UNLIKELY(pe__any_nan(u, v))) {
        pe__put_h(g, kind == PE__BF16 ? pe__to_bf16(u) : pe__to_f16(u));
        pe__put_h(h, kind == PE__BF16 ? pe__to_bf16(v) : pe__to_f16(v));
    } else {
        pe__put_h(g, kind == PE__BF16 ? pe__round_bf16(u) : pe__round_f16(u));
        pe__put_h(h, kind == PE__BF16 ? pe__round_bf16(v) : pe__round_f16(v));
    }
}

/* a0 b0 a1 b1 ... as 16-bit elements, where none is a NaN or the middle of two of them. */
PE__INLINE void pe__put_zip_as(pe__kind kind, void *p, pe__vf a, pe__vf b)
{
    if (kind == PE__BF16) pe__put_zip_bf16((uint16_t *)p, a, b);
    else pe__put_zip_f16((uint16_t *)p, a, b);
}

/* The first n of a vector; what is not read is 0. */
PE__INLINE pe__vf pe__get_n_as(pe__kind type, const void *p, size_t n)
{
    float f[PE__FLOATS] = {0};
    uint16_t h[PE__FLOATS] = {0};
    void *all = type == PE__F32 ? (void *)f : (void *)h;
    memcpy(all, p, n * pe__size_of(type));
    return pe__get_as(type, all);
}
PE__INLINE void pe__put_n_as(pe__kind type, void *p, pe__vf v, size_t n)
{
    uint16_t all[PE__FLOATS];
    if (type == PE__F32) {
        pe__put_n((float *)p, v, n);
    } else {
        pe__put_as(type, all, v);
        memcpy(p, all, n * sizeof *all);
    }
}

/* x + row, or x scale + row, in f32. */
PE__INLINE pe__vf pe__sum_of(pe__vf x, const float *scale, pe__vf row)
{
    return scale ? pe__fma_f32(pe__splat_f32(*scale), x, row) : pe__add_f32(x, row);
}

/* x = scale x + row, n elements, each sum in f32 and rounded once to the type of x; NULL: 1. */
PE__INLINE void pe__add_row_as(pe__kind type, void *x, pe__kind row_type, const void *row, size_t n,
                               const float *scale)
{
    size_t i = 0;
    for (; i + 2 * PE__FLOATS <= n; i += 2 * PE__FLOATS) {
        void *at = pe__at(type, x, i), *next = pe__at(type, x, i + PE__FLOATS);
        const pe__vf v = pe__get_as(row_type, pe__at_const(row_type, row, i));
        const pe__vf w = pe__get_as(row_type, pe__at_const(row_type, row, i + PE__FLOATS));
        pe__put_two_as(type, at, pe__sum_of(pe__get_as(type, at), scale, v), next,
                       pe__sum_of(pe__get_as(type, next), scale, w));
    }
    for (size_t m; i < n; i += m) {
        void *at = pe__at(type, x, i);
        m = pe__min(n - i, PE__FLOATS);
        const pe__vf v = pe__get_n_as(row_type, pe__at_const(row_type, row, i), m);
        pe__put_n_as(type, at, pe__sum_of(pe__get_n_as(type, at, m), scale, v), m);
    }
}

/* The same for a row of floats. */
PE__OUTLINE void pe__add_floats(pe__kind type, void *x, const float *row, size_t n)
{
    if (type == PE__F32) pe__add_row_as(PE__F32, x, PE__F32, row, n, NULL);
    else if (type == PE__F16) pe__add_row_as(PE__F16, x, PE__F32, row, n, NULL);
    else pe__add_row_as(PE__BF16, x, PE__F32, row, n, NULL);
}

/* ---- rows ---------------------------------------------------------------------------------------
 * Two rows at a time, as far before their anchor as behind it, are made from the products that they
 * share: in their place, or in a buffer, from where they are streamed past the caches or added to
 * what is there. What a rounding test alarms is made again, with care. */

/* How a row's elements lie in memory, and what becomes of them. */
typedef enum pe__order { PE__SC, PE__CS, PE__SPLIT } pe__order; /* s c s c, c s c s, s s c c */
typedef enum pe__verb { PE__FILL, PE__STREAM, PE__ADD } pe__verb;

/* Where rows go: the block of columns of one axis. */
typedef struct pe__to {
    unsigned char *out;    /* the first row                                                     */
    size_t stride;         /* bytes from row to row                                             */
    size_t element;        /* bytes of an element                                               */
    size_t sine, cosine;   /* columns of the first sine and the first cosine                    */
    size_t sines, cosines; /* their number; they differ by one if the width is odd              */
    pe__order order;
    pe__verb verb;
    double scale;          /* adding: x = scale x + PE; a float, but for f64                    */
    size_t head;           /* floats: pairs before the first aligned address, where they stream */
    struct pe__floats *floats; /* 16-bit elements: rows of the plan as floats                   */
} pe__to;

/* Columns of two rows, as far behind an anchor as before it, or of one of them. (a, b) is (sine,
   cosine), or (cosine, sine) where cosines come first: what turns (s, c) forth turns (c, s) back, so
   these are the same but for which row is which. */
typedef struct pe__span {
    const pe_plan *plan;
    const pe__bound *bound;
    const double *a, *b;    /* the anchor's columns                                             */
    const double *S, *C;    /* the plan's row that turns it                                     */
    double position[2];     /* of the row that is turned forth, and of that turned back         */
    unsigned char *row[2];  /* where their first columns go, NULL: nowhere                      */
    ptrdiff_t across;       /* bytes from there to the first cosine, if split                   */
    size_t pair;            /* the plan's pair of column 0                                      */
    size_t first, second;   /* columns of a and b                                               */
    size_t begin, end;      /* pairs to make                                                    */
    size_t head;            /* of these, before the first aligned address where floats stream   */
    pe__verb verb;
    float scale;            /* adding                                                           */
    size_t ahead;           /* adding: bytes to the next block's row                            */
    int split, swapped;
} pe__span;

/* (a, b) turned forth and back by (S, C). */
PE__INLINE void pe__turn(pe__vd a, pe__vd b, pe__vd S, pe__vd C, pe__vd *a_forth, pe__vd *b_forth,
                         pe__vd *a_back, pe__vd *b_back)
{
    const pe__vd aC = a * C, bC = b * C;
    *a_forth = pe__fma(b, S, aC);
    *b_forth = pe__fnma(a, S, bC);
    *a_back = pe__fnma(b, S, aC);
    *b_back = pe__fma(a, S, bC);
}

/* The same for the pairs at i of a span; if one row only is wanted, it is as if forth. */
PE__INLINE void pe__turn_at(const pe__span *x, size_t i, int two, pe__vd *a_forth, pe__vd *b_forth,
                            pe__vd *a_back, pe__vd *b_back)
{
    pe__vd S = pe__load(x->S + i);
    if (!two) S = S * pe__splat(x->row[0] ? 1.0 : -1.0);
    pe__turn(pe__load(x->a + i), pe__load(x->b + i), S, pe__load(x->C + i), a_forth, b_forth,
             a_back, b_back);
}

/* Two vectors of doubles as floats, which follow each other if they are split. */
PE__INLINE pe__vf pe__round_two(pe__vd a, pe__vd b, int split)
{
    return split ? pe__join(a, b) : pe__zip(a, b);
}

/* Round with care: from y' back to y, and set a bit of doubt where y + e and y - e do not make the
   same float. */
PE__INLINE pe__vf pe__careful(const pe_plan *plan, const pe__bound *bound, pe__vd a, pe__vd b,
                              int split, unsigned *doubt)
{
    const double eta = bound->eta, size = plan->amplitude < 0 ? -plan->amplitude : plan->amplitude;
    const pe__vd deflate = pe__splat(1 - eta + eta * eta), e = pe__splat(bound->error * size);
    a = a * deflate, b = b * deflate;
    const pe__vf above = pe__round_two(a + e, b + e, split);
    *doubt = pe__differ(above, pe__round_two(a - e, b - e, split));
    return above;
}

/* The floats of so many vectors of pairs from i on, in which the watch has raised the alarm, again:
   where they are in doubt, by exact turns. v is of both rows as they were rounded: zipped, or, if
   split, two vectors of sines next to two of cosines. Lanes behind the last pair repeat it, and its
   doubts, which no one wants to know. */
PE__OUTLINE void pe__settle(const pe__span *x, size_t i, size_t vectors, int split,
                            float (*v)[8 * PE_LANES])
{
    enum { VECTOR = 2 * PE_LANES };
    for (size_t n = 0; n < vectors; n += 2, i += VECTOR) {
        pe__vd a[2], b[2], c[2], d[2];
        pe__turn_at(x, i, 1, &a[0], &b[0], &a[1], &b[1]);
        pe__turn_at(x, n + 1 < vectors ? i + PE_LANES : i, 1, &c[0], &d[0], &c[1], &d[1]);
        for (int m = 0; m < 4; m++) {
            const int side = m / 2, second = m % 2;
            float *const all = v[side] + (n + (size_t)second) * VECTOR;
            if (!x->row[side]) continue;
            const pe__vd first_half = second ? split ? b[side] : c[side] : a[side];
            const pe__vd other_half = second ? d[side] : split ? c[side] : b[side];
            pe__watch watch = pe__watch_begin();
            pe__watch_add(&watch, first_half, other_half, pe__get(all));
            if (!pe__watch_alarm(watch, x->bound->window, x->plan->guard)) continue;
            unsigned doubt;
            pe__put(all, pe__careful(x->plan, x->bound, first_half, other_half, split, &doubt));
            for (; PE__UNLIKELY(doubt); doubt &= doubt - 1) {
                const size_t j = pe__lowest_bit(doubt), component = split ? (size_t)second : j % 2;
                const size_t k = i + (split ? j : (size_t)second * PE_LANES + j / 2);
                if (k < (component ? x->second : x->first))
                    all[j] = pe__exact_element(x->plan, x->position[side], x->pair + k,
                                               (int)component ^ x->swapped, PE__DROP_F32);
            }
        }
    }
}

/* One vector of floats of both rows. */
typedef struct pe__both {
    pe__vf forth, back;
} pe__both;

/* Turn the vector of pairs at i, round, watch. */
PE__INLINE pe__both pe__turn_vector(const pe__span *x, size_t i, int two, int split,
                                    pe__watch *watch)
{
    pe__both v;
    pe__vd a_forth, b_forth, a_back, b_back;
    pe__turn_at(x, i, two, &a_forth, &b_forth, &a_back, &b_back);
    v.back = v.forth = pe__round_two(a_forth, b_forth, split);
    pe__watch_add(watch, a_forth, b_forth, v.forth);
    if (two) {
        v.back = pe__round_two(a_back, b_back, split);
        pe__watch_add(watch, a_back, b_back, v.back);
    }
    return v;
}

/* Two vectors of pairs, at i: into two vectors of floats as they follow each other in memory, or,
   if split, one of sines and one of cosines. */
PE__INLINE void pe__turn_two(const pe__span *x, size_t i, int two, int split, pe__watch *watch,
                             pe__both *v0, pe__both *v1)
{
    const size_t j = i + PE_LANES;
    if (!split) {
        *v0 = pe__turn_vector(x, i, two, split, watch);
        *v1 = pe__turn_vector(x, j, two, split, watch);
        return;
    }
    pe__vd a0_forth, b0_forth, a0_back, b0_back, a1_forth, b1_forth, a1_back, b1_back;
    pe__turn_at(x, i, two, &a0_forth, &b0_forth, &a0_back, &b0_back);
    pe__turn_at(x, j, two, &a1_forth, &b1_forth, &a1_back, &b1_back);
    v0->back = v0->forth = pe__join(a0_forth, a1_forth);
    v1->back = v1->forth = pe__join(b0_forth, b1_forth);
    pe__watch_add(watch, a0_forth, a1_forth, v0->forth);
    pe__watch_add(watch, b0_forth, b1_forth, v1->forth);
    if (two) {
        v0->back = pe__join(a0_back, a1_back), v1->back = pe__join(b0_back, b1_back);
        pe__watch_add(watch, a0_back, a1_back, v0->back);
        pe__watch_add(watch, b0_back, b1_back, v1->back);
    }
}

/* Four vectors to where they belong. What is added to is asked for ahead, by the bytes of a block
   of rows: row after row forth and back is more than the hardware's prefetchers follow. */
PE__WRAPS /* the addresses asked for: any will do */
PE__INLINE void pe__sink_four(const pe__span *x, unsigned char *p, int split, pe__vf v0, pe__vf v1,
                              pe__vf v2, pe__vf v3)
{
    enum { LINE = PE_LANES < 4 ? 4 : PE_LANES == 4 ? 2 : 1 }; /* vectors of floats */
    const ptrdiff_t bytes = 2 * PE_LANES * sizeof(float);
    const ptrdiff_t at1 = split ? x->across : bytes, at2 = split ? bytes : 2 * bytes;
    float *const p0 = (float *)(void *)p, *const p1 = (float *)(void *)(p + at1);
    float *const p2 = (float *)(void *)(p + at2), *const p3 = (float *)(void *)(p + at1 + at2);
    if (x->verb == PE__ADD) {
        const pe__vf scale = pe__splat_f32(x->scale);
        pe__prefetch((uintptr_t)p0 + x->ahead);
        if (LINE < 4 || split) pe__prefetch((uintptr_t)p1 + x->ahead);
        if (LINE < 2 || (LINE < 4 && !split)) pe__prefetch((uintptr_t)p2 + x->ahead);
        if (LINE < 2) pe__prefetch((uintptr_t)p3 + x->ahead);
        pe__put(p0, pe__fma_f32(scale, pe__get(p0), v0));
        pe__put(p1, pe__fma_f32(scale, pe__get(p1), v1));
        pe__put(p2, pe__fma_f32(scale, pe__get(p2), v2));
        pe__put(p3, pe__fma_f32(scale, pe__get(p3), v3));
    } else if (PE_ISA != PE_ISA_SCALAR && x->verb == PE__STREAM) {
        pe__stream(p0, v0), pe__stream(p1, v1), pe__stream(p2, v2), pe__stream(p3, v3);
    } else {
        pe__put(p0, v0), pe__put(p1, v1), pe__put(p2, v2), pe__put(p3, v3);
    }
}

/* n floats. */
PE__INLINE void pe__sink_some(const pe__span *x, unsigned char *p, const float *v, size_t n)
{
    if (x->verb == PE__ADD) pe__add_row_as(PE__F32, p, PE__F32, v, n, &x->scale);
    else memcpy(p, v, n * sizeof *v);
}

/* The first of one vector of pairs, at i: so many first components and second ones. */
PE__OUTLINE void pe__turn_one(const pe__span *x, size_t i, size_t first, size_t second)
{
    float all[2][8 * PE_LANES];
    pe__vd a[2], b[2];
    pe__watch watch = pe__watch_begin();
    pe__turn_at(x, i, 1, &a[0], &b[0], &a[1], &b[1]);
    for (int side = 0; side < 2; side++) {
        const pe__vf v = pe__zip(a[side], b[side]);
        if (x->row[side]) pe__watch_add(&watch, a[side], b[side], v);
        pe__put(all[side], v);
    }
    if (PE__UNLIKELY(pe__watch_alarm(watch, x->bound->window, x->plan->guard)))
        pe__settle(x, i, 1, 0, all);
    for (int side = 0; side < 2; side++) {
        unsigned char *const p = x->row[side];
        float *const v = all[side], *const s = v + 2 * PE_LANES, *const c = s + PE_LANES;
        if (!p) continue;
        if (!x->split) {
            pe__sink_some(x, p + 2 * i * sizeof *v, v, first + second);
            continue;
        }
        for (size_t k = 0; k < PE_LANES; k++) s[k] = v[2 * k], c[k] = v[2 * k + 1];
        pe__sink_some(x, p + i * sizeof *v, s, first);
        pe__sink_some(x, p + x->across + (ptrdiff_t)(i * sizeof *v), c, second);
    }
}

/* All columns of a span: up to an aligned address, four vectors with one look at the watch, the
   rest. */
PE__INLINE void pe__span_f32(const pe__span *x, int two, int split)
{
    const size_t step = (split ? 1 : 2) * sizeof(float), whole = pe__min(x->first, x->second);
    unsigned char *const forth = x->row[!two && !x->row[0]], *const back = x->row[1];
    size_t i = x->begin;
    for (size_t n; i < pe__min(x->head, whole); i += n) {
        n = pe__min(x->head - i, PE_LANES);
        pe__turn_one(x, i, n, n);
    }
    for (; i + 4 * PE_LANES <= pe__min(whole, x->end); i += 4 * PE_LANES) {
        pe__watch watch = pe__watch_begin();
        pe__both v0, v1, v2, v3;
        pe__turn_two(x, i, two, split, &watch, &v0, &v1);
        pe__turn_two(x, i + 2 * PE_LANES, two, split, &watch, &v2, &v3);
        if (PE__UNLIKELY(pe__watch_alarm(watch, x->bound->window, x->plan->guard))) {
            enum { VECTOR = 2 * PE_LANES };
            float v[2][8 * PE_LANES], *const f = v[!two && !x->row[0]], *const b = v[1];
            pe__put(f, v0.forth), pe__put(f + VECTOR, v1.forth);
            pe__put(f + 2 * VECTOR, v2.forth), pe__put(f + 3 * VECTOR, v3.forth);
            if (two) {
                pe__put(b, v0.back), pe__put(b + VECTOR, v1.back);
                pe__put(b + 2 * VECTOR, v2.back), pe__put(b + 3 * VECTOR, v3.back);
            }
            pe__settle(x, i, 4, split, v);
            v0.forth = pe__get(f), v1.forth = pe__get(f + VECTOR);
            v2.forth = pe__get(f + 2 * VECTOR), v3.forth = pe__get(f + 3 * VECTOR);
            if (two) {
                v0.back = pe__get(b), v1.back = pe__get(b + VECTOR);
                v2.back = pe__get(b + 2 * VECTOR), v3.back = pe__get(b + 3 * VECTOR);
            }
        }
        pe__sink_four(x, forth + i * step, split, v0.forth, v1.forth, v2.forth, v3.forth);
        if (two) pe__sink_four(x, back + i * step, split, v0.back, v1.back, v2.back, v3.back);
    }
    for (; i < x->end; i += PE_LANES)
        pe__turn_one(x, i, i < x->first ? pe__min(x->first - i, PE_LANES) : 0,
                     i < x->second ? pe__min(x->second - i, PE_LANES) : 0);
}

/* 16-bit elements: the same in floats, twice as many in a vector.
 *
 * In units of u = 2^-24 and for an amplitude in (1/2, 1], to which any other is scaled, an element
 * that comes from floats has an error of at most
 *     0.71  the anchor's sine and cosine, rounded to float: half a unit each, as a vector
 *     0.71  the plan's row, likewise
 *     0.5   one product; without FMA two, 1.0
 *     0.5   the sum
 *     0.01  of what the doubles were, their factor 1 + eta among it: below 2^-36
 * together 2.43, and 2.93 without FMA. Small elements of small angles have less: relative to |aC|
 * and |bS| each of these is at most 1 for a C + b S, so together at most 4 (|a| + |S|), and the
 * doubles' 2^-48; and |S| is at most the angle of the last row, 8 w.
 *
 * An element is right where no midpoint of two 16-bit numbers is as near as its error: the nearest
 * is the element itself with other last bits, so that the distance is exact. That knows nothing of
 * f16's subnormals; but below 2^-14 nothing is farther from such a midpoint than 2^-25, so f16 is
 * alarmed by that distance at least. With too large or too small an amplitude all elements are
 * alarmed. For wide angles these are some 3 bf16 elements in 10,000, and 20 f16 ones; they are made
 * again from doubles, one by one. */
#define PE__ERROR_16 ((PE__FUSES ? 2.5 : 3.0) / 16777216)
#define PE__ERROR_NEAR_0 (4.0625f / 16777216)
enum { PE__TILE_16 = 128, PE__GROUP = 4 * PE_LANES, PE__CHUNK = 64 }; /* pairs */

/* Of a tile, in floats: the anchor and the rows of the plan, each made when first asked for. A
   group of pairs is two vectors of each: of its first half and its second, or, if split, of its even and
   its odd pairs, since a vector of elements comes from two that are zipped. Of their distances from
   midpoints the lesser one in each lane is looked at: what raises the alarm is as long as one
   vector for a group, and so is the greater of the angles. */
typedef struct pe__floats {
    float a[PE__TILE_16], b[PE__TILE_16], row[PE__DIGIT + 1][2][PE__TILE_16];
    float angle[PE__TILE_16 / 2], near_a[PE__TILE_16 / 2], near_b[PE__TILE_16 / 2];
    float error, least; /* of what raises it */
    unsigned made;      /* bit b: row b is there */
} pe__floats;

/* count doubles as floats in groups; the last of them fill the last group. */
PE__OUTLINE void pe__to_groups(const double *from, size_t count, int split, float *to)
{
    const size_t last = (count - 1) / PE_LANES * PE_LANES;
    for (size_t i = 0; i < count; i += PE__GROUP) {
        const pe__vf v = pe__join(pe__load(from + i), pe__load(from + pe__min(i + PE_LANES, last)));
        const pe__vf w = pe__join(pe__load(from + pe__min(i + 2 * PE_LANES, last)),
                                  pe__load(from + pe__min(i + 3 * PE_LANES, last)));
        pe__put(to + i, split ? pe__unzip_evens(v, w) : v);
        pe__put(to + i + PE__FLOATS, split ? pe__unzip_odds(v, w) : w);
    }
}

/* The size of what the two vectors of each group have in a lane, together. */
PE__INLINE pe__vf pe__size_of_groups(const float *x, size_t i)
{
    return pe__add_f32(pe__abs_f32(pe__get(x + i)), pe__abs_f32(pe__get(x + i + PE__FLOATS)));
}

/* What raises the alarm. */
PE__OUTLINE void pe__alarm_16(const pe__floats *f, const float *x, size_t count, float *near)
{
    const pe__vf error = pe__splat_f32(f->error), least = pe__splat_f32(f->least);
    const pe__vf by = pe__splat_f32(PE__ERROR_NEAR_0);
    for (size_t i = 0; i < count; i += PE__GROUP) {
        const pe__vf sum = pe__add_f32(pe__size_of_groups(x, i), pe__get(f->angle + i / 2));
        pe__put(near + i / 2, pe__min_f32(error, pe__mad_f32(sum, by, least)));
    }
}

/* Floats for a tile of so many pairs. */
PE__OUTLINE void pe__floats_begin(pe__floats *f, const pe_plan *plan, size_t pair, size_t count,
                                  int split, pe__kind kind)
{
    const double size = plan->amplitude < 0 ? -plan->amplitude : plan->amplitude;
    const double power = size > plan->scale / 2 ? plan->scale : plan->scale / 2;
    const double subnormal = kind == PE__F16 ? pe__exp2i(-25) : 0, error = power * PE__ERROR_16;
    const int far = power < pe__exp2i(-90) || power > pe__exp2i(90);
    const pe__vf by = pe__splat_f32(far ? 0.0f : (float)(PE__DIGIT * 3.1415927 * size));
    f->error = far ? FLT_MAX : (float)(error > subnormal ? error : subnormal);
    f->least = far ? FLT_MAX : (float)(size * pe__exp2i(-48) + subnormal);
    f->made = 0;
    pe__to_groups(plan->frequency + pair, count, split, f->a);
    for (size_t i = 0; i < count; i += PE__GROUP)
        pe__put(f->angle + i / 2, pe__mul_f32(pe__size_of_groups(f->a, i), by));
}

/* How far a double is from the middle of the two numbers with so many fewer bits next to it. */
PE__INLINE double pe__double_off_middle(double y, int drop)
{
    uint64_t bits;
    double middle;
    memcpy(&bits, &y, sizeof bits);
    bits = ((bits >> drop) << drop) | (uint64_t)1 << (drop - 1);
    memcpy(&middle, &bits, sizeof middle);
    return y - middle;
}

/* Rounded to bf16 or f16, by way of a float rounded to odd; no less than a normal float. */
PE__INLINE uint16_t pe__to_16(pe__kind kind, double y)
{
    const float odd = (float)pe__odd24_one(y);
    uint32_t word;
    if (kind == PE__F16) return pe__one_to_f16(odd);
    memcpy(&word, &odd, sizeof word);
    return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

/* Where elements raised the alarm: the group from pair i on in row side; lanes, first those of the
   first components, then those of the second ones. */
typedef struct pe__alarm {
    uint32_t place, lanes; /* place: 2 i + side */
} pe__alarm;

/* An element from a double y with an error of at most e. */
PE__COLD uint16_t pe__element_16(const pe__span *x, size_t side, size_t component, size_t k,
                                 double y, double e, pe__kind kind)
{
    const uint16_t h = pe__to_16(kind, y + e);
    if (h == pe__to_16(kind, y - e) && y * y > pe__exp2i(-240)) return h;
    return pe__to_16(kind, pe__exact_element(x->plan, x->position[side], x->pair + k,
                                             (int)component ^ x->swapped, pe__drop(kind)));
}

/* Make these elements from doubles. Far from a midpoint, which is a double with other last bits,
   and from f16's subnormals, they are certain. */
PE__OUTLINE void pe__settle_16(const pe__span *x, const pe__alarm *alarm, size_t alarms,
                               pe__kind kind)
{
    const double *const part[3] = {x->a, x->b, x->a};
    const double eta = x->bound->eta, amplitude = x->plan->amplitude, deflate = 1 - eta + eta * eta;
    const double e = x->bound->error * (amplitude < 0 ? -amplitude : amplitude);
    const double sign[3] = {deflate, -deflate, deflate}, sure = 2 * e * e;
    const ptrdiff_t across = x->split ? x->across : 2, step = x->split ? 2 : 4;
    const size_t next = x->split ? 2 : 1, half = x->split ? 1 : PE__FLOATS;
    for (; alarms > 0; alarms--, alarm++) {
        const size_t i = alarm->place / 2, side = alarm->place % 2;
        for (uint32_t lanes = alarm->lanes; lanes; lanes &= lanes - 1) {
            const size_t bit = pe__lowest_bit(lanes), component = bit / PE__FLOATS;
            for (size_t k = i + bit % PE__FLOATS * next, n = 0; n < 2; n++, k += half) {
                if (k >= (component == 0 ? x->first : x->second)) continue;
                const double y = part[component][k] * x->C[k] * deflate +
                                 part[component + 1][k] * x->S[k] * sign[component + side];
                const double off = pe__double_off_middle(y, pe__drop(kind) + PE__DROP_F32);
                uint16_t h = pe__to_16(kind, y);
                if (PE__UNLIKELY(!(off * off > sure) || y * y < pe__exp2i(-28)))
                    h = pe__element_16(x, side, component, k, y, e, kind);
                memcpy(x->row[side] + (ptrdiff_t)k * step + (ptrdiff_t)component * across, &h,
                       sizeof h);
            }
        }
    }
}

/* One row of a group, from the halves of its first components and of its second ones. Returns the
   place of the next alarm. */
PE__INLINE pe__alarm *pe__put_group(const pe__span *x, const pe__floats *f, int side, size_t i,
                                    int split, pe__vf a0, pe__vf a1, pe__vf b0, pe__vf b1,
                                    pe__kind kind, pe__alarm *alarm)
{
    const int drop = pe__drop(kind);
    const pe__vf near_a = pe__get(f->near_a + i / 2), near_b = pe__get(f->near_b + i / 2);
    const pe__vf a = pe__min_size(pe__off_middle(a0, drop), pe__off_middle(a1, drop));
    const pe__vf b = pe__min_size(pe__off_middle(b0, drop), pe__off_middle(b1, drop));
    unsigned char *const p = x->row[side] + (split ? 2 : 4) * i;
    pe__put_zip_as(kind, p, a0, split ? a1 : b0);
    pe__put_zip_as(kind, p + (split ? x->across : (ptrdiff_t)sizeof a0), split ? b0 : a1, b1);
    const uint32_t lanes = pe__within(a, near_a, b, near_b);
    if (lanes == 0) return alarm;
    alarm->place = (uint32_t)(2 * i) + (uint32_t)side, alarm->lanes = lanes;
    return alarm + 1;
}

/* Half of a group, at i, turned. */
PE__INLINE void pe__turn_floats(const pe__floats *f, float (*row)[PE__TILE_16], size_t i,
                                pe__vf *a_forth, pe__vf *b_forth, pe__vf *a_back, pe__vf *b_back)
{
    const pe__vf a = pe__get(f->a + i), b = pe__get(f->b + i);
    const pe__vf S = pe__get(row[0] + i), C = pe__get(row[1] + i);
    const pe__vf aC = pe__mul_f32(a, C), bC = pe__mul_f32(b, C);
    *a_forth = pe__mad_f32(b, S, aC), *b_forth = pe__nmad_f32(a, S, bC);
    *a_back = pe__nmad_f32(b, S, aC), *b_back = pe__mad_f32(a, S, bC);
}

/* All columns of a span in groups, from the plan's row as floats. */
PE__INLINE void pe__span_16(const pe__span *x, const pe__floats *f, float (*row)[PE__TILE_16],
                            int split, pe__kind kind)
{
    pe__alarm alarms[2 * PE__TILE_16 / PE__GROUP + 1], *alarm = alarms;
    for (size_t i = x->begin; i < x->end; i += PE__GROUP) {
        pe__vf a0, b0, a1, b1, a2, b2, a3, b3;
        pe__turn_floats(f, row, i, &a0, &b0, &a2, &b2);
        pe__turn_floats(f, row, i + PE__FLOATS, &a1, &b1, &a3, &b3);
        if (x->row[0]) alarm = pe__put_group(x, f, 0, i, split, a0, a1, b0, b1, kind, alarm);
        if (x->row[1]) alarm = pe__put_group(x, f, 1, i, split, a2, a3, b2, b3, kind, alarm);
    }
    pe__settle_16(x, alarms, (size_t)(alarm - alarms), kind);
}

/* ---- blocks -------------------------------------------------------------------------------------
 * The rows around one anchor. */

/* x = scale x + row, n elements, each sum in f32 and rounded once to the type of x; asked for ahead
   as in pe__sink_four(). */
PE__WRAPS
PE__INLINE void pe__sum(pe__kind kind, const pe__to *to, void *x, const float *row, size_t n)
{
    const size_t bytes = n * to->element;
    const uintptr_t ahead = (uintptr_t)x + PE__RADIX * to->stride;
    for (size_t i = 0; i < bytes; i += 64) pe__prefetch(ahead + i);
    const float scale = (float)to->scale;
    if (kind == PE__F32) pe__add_row_as(PE__F32, x, PE__F32, row, n, &scale);
    else if (kind == PE__F16) pe__add_row_as(PE__F16, x, PE__F32, row, n, &scale);
    else pe__add_row_as(PE__BF16, x, PE__F32, row, n, &scale);
}

/* Elements done ... made, or floats to add, from a buffer to where they belong; returns how many
   are done, which are fewer where others will follow and whole lines are streamed. */
PE__INLINE size_t pe__land(pe__kind kind, const pe__to *to, unsigned char *at, const void *from,
                           size_t done, size_t made, int all)
{
    const size_t floats = kind == PE__F32 || to->verb == PE__ADD;
    const size_t rest = (size_t)((uintptr_t)(at + made * to->element) % 64) / to->element;
    if (!all && to->verb == PE__STREAM) made -= pe__min(rest, made - done);
    const void *const here = (const unsigned char *)from + done * (floats ? 4 : 2);
    at += done * to->element;
    if (to->verb == PE__ADD) pe__sum(kind, to, at, (const float *)here, made - done);
    else pe__copy(at, here, (made - done) * to->element, to->verb == PE__STREAM);
    return made;
}

/* The plan's row digit * 17^level, 1 <= digit <= 8; for digit 0 row 0. */
PE__INLINE const double *pe__row(const pe_plan *plan, size_t level, int64_t digit)
{
    const size_t index = digit ? level * PE__DIGIT + (size_t)digit : 0;
    return plan->table + 2 * index * plan->padded;
}

/* Make a span's rows. */
PE__OUTLINE void pe__make_f32(const pe__span *x)
{
    const int two = x->row[0] && x->row[1];
    if (two && x->split) pe__span_f32(x, 1, 1);
    else if (two) pe__span_f32(x, 1, 0);
    else if (x->split) pe__span_f32(x, 0, 1);
    else pe__span_f32(x, 0, 0);
}
PE__INLINE void pe__make_16(const pe__span *x, pe__floats *f, size_t b, pe__kind kind)
{
    const size_t pairs = pe__max(x->first, x->second);
    if (!(f->made >> b & 1)) {
        pe__to_groups(x->S, pairs, x->split, f->row[b][0]);
        pe__to_groups(x->C, pairs, x->split, f->row[b][1]);
        f->made |= 1u << b;
    }
    if (x->split) pe__span_16(x, f, f->row[b], 1, kind);
    else pe__span_16(x, f, f->row[b], 0, kind);
}

/* Position 0, where all sines are 0 and would raise the alarm. */
PE__COLD void pe__origin(const pe__span *x, int side, pe__kind kind)
{
    enum { SOME = 16 };
    const size_t element = pe__size_of(kind);
    const double amplitude = x->plan->amplitude;
    const float sine = (float)(0 * amplitude);
    const float cosine = pe__round_once(amplitude, 0, 1, pe__drop(kind));
    for (int component = 0; component <= x->split; component++) {
        unsigned char *const p = x->row[side] + (component ? x->across : 0);
        const size_t n = !x->split ? x->first + x->second : component ? x->second : x->first;
        float all[SOME];
        for (int j = 0; j < SOME; j++)
            all[j] = (x->split ? component : j % 2) == x->swapped ? sine : cosine;
        for (size_t i = 0, m; i < n; i += m) {
            m = pe__min(n - i, kind == PE__F32 ? SOME : PE__FLOATS);
            if (kind == PE__F32) pe__sink_some(x, p + i * element, all, m);
            else pe__put_n_as(kind, p + i * element, pe__get(all), m);
        }
    }
}

/* The rows of one block around the anchor (s, c) of position q + fraction, of those first ... last:
   within 8 of it. */
PE__INLINE void pe__block(const pe_plan *plan, const pe__bound *bound, int64_t q, double fraction,
                          const double *s, const double *c, int64_t first, int64_t last,
                          size_t pair, const pe__to *to, pe__kind kind)
{
    const int narrow = kind != PE__F32 && to->verb != PE__ADD;
    const size_t pairs = pe__max(to->sines, to->cosines);
    const int direct = kind == PE__F32 || (to->verb == PE__FILL && to->sines == to->cosines &&
                                           pairs % PE__GROUP == 0);
    double space[2 * PE__TILE + 8], *const buffer = pe__aligned(space); /* two rows of floats */
    pe__floats *const f = to->floats;
    pe__span x;
    x.plan = plan, x.bound = bound, x.pair = pair;
    x.split = to->order == PE__SPLIT, x.swapped = to->order == PE__CS;
    x.a = x.swapped ? c : s, x.b = x.swapped ? s : c;
    x.first = x.swapped ? to->cosines : to->sines, x.second = x.swapped ? to->sines : to->cosines;
    const ptrdiff_t across =
        ((ptrdiff_t)to->cosine - (ptrdiff_t)to->sine) * (ptrdiff_t)to->element;
    x.across = direct ? across : (ptrdiff_t)(PE__TILE * sizeof(float));
    x.head = direct && to->verb == PE__STREAM ? to->head : 0;
    x.verb = direct ? to->verb : PE__FILL, x.scale = (float)to->scale;
    x.ahead = PE__RADIX * to->stride;
    const size_t column = x.split ? to->sine : pe__min(to->sine, to->cosine);
    if (narrow) {
        pe__to_groups(x.a, pairs, x.split, f->a), pe__alarm_16(f, f->a, pairs, f->near_a);
        pe__to_groups(x.b, pairs, x.split, f->b), pe__alarm_16(f, f->b, pairs, f->near_b);
    }
    /* from the nearest to the farthest of the rows */
    int64_t b = first > q ? first - q : last < q ? q - last : 0;
    const int64_t above = last - q, below = q - first, distant = above > below ? above : below;
    for (; b <= distant && b <= PE__DIGIT; b++) {
        unsigned char *at[2], *row[2];
        for (int behind = 0; behind < 2; behind++) {
            const int64_t p = behind ? q - b : q + b;
            const int side = behind != x.swapped;
            row[side] = x.row[side] = NULL;
            if (p < first || p > last || (behind && b == 0)) continue;
            x.position[side] = (double)p + fraction;
            at[side] = to->out + (size_t)(p - first) * to->stride + column * to->element;
            row[side] = direct ? at[side] : (unsigned char *)(buffer + side * PE__TILE);
            x.row[side] = row[side];
            if (x.position[side] != 0) continue;
            pe__origin(&x, side, narrow ? kind : PE__F32);
            x.row[side] = NULL;
        }
        x.S = pe__row(plan, 0, b) + pair, x.C = x.S + plan->padded;
        size_t done[2][2] = {{0}};
        for (x.begin = 0; x.begin < pairs; x.begin = x.end) {
            x.end = direct ? pairs : pe__min(x.begin + PE__CHUNK, pairs);
            const int all = x.end == pairs;
            if (x.row[0] || x.row[1]) {
                if (narrow) pe__make_16(&x, f, (size_t)b, kind);
                else pe__make_f32(&x);
            }
            for (int side = 0; !direct && side < 2; side++) {
                if (!row[side]) continue;
                const size_t n = pe__min(x.end, to->sines), m = pe__min(x.end, to->cosines);
                size_t *const d = done[side];
                d[0] = pe__land(kind, to, at[side], row[side], d[0], x.split ? n : n + m, all);
                if (x.split)
                    d[1] = pe__land(kind, to, at[side] + across, row[side] + x.across, d[1], m, all);
            }
        }
    }
}

/* The part of a row that belongs to count pairs from the given one on. */
PE__INLINE pe__to pe__part(const pe__to *to, size_t pair, size_t count)
{
    const size_t step = to->order == PE__SPLIT ? 1 : 2;
    pe__to part = *to;
    part.sine += step * pair, part.cosine += step * pair;
    part.sines = pe__min(count, to->sines > pair ? to->sines - pair : 0);
    part.cosines = pe__min(count, to->cosines > pair ? to->cosines - pair : 0);
    return part;
}

typedef void pe__blocker(const pe_plan *plan, const pe__bound *bound, int64_t q, double fraction,
                         const double *s, const double *c, int64_t first, int64_t last,
                         size_t pair, const pe__to *to);
#define PE__BLOCK(name, kind)                                                                      \
    PE__OUTLINE void name(const pe_plan *plan, const pe__bound *bound, int64_t q, double fraction, \
                          const double *s, const double *c, int64_t first, int64_t last,           \
                          size_t pair, const pe__to *to)                                           \
    {                                                                                              \
        pe__block(plan, bound, q, fraction, s, c, first, last, pair, to, kind);                    \
    }
PE__BLOCK(pe__block_f32, PE__F32)
PE__BLOCK(pe__block_bf16, PE__BF16)
PE__BLOCK(pe__block_f16, PE__F16)
#undef PE__BLOCK

/* ---- runs of rows ---------------------------------------------------------------------------- */

/* The largest whole number that is at most t, |t| < 2^62. */
PE__INLINE int64_t pe__floor(double t)
{
    const int64_t whole = (int64_t)t;
    return (double)whole > t ? whole - 1 : whole;
}

/* p / 17 to nearest, for p >= 0; and the multiple of 17 that is nearest to any p. */
PE__INLINE uint64_t pe__seventeenth(uint64_t p) { return (p + PE__DIGIT) / PE__RADIX; }
PE__INLINE int64_t pe__nearest_17(int64_t p)
{
    const int64_t q = (int64_t)(PE__RADIX * pe__seventeenth((uint64_t)(p < 0 ? -p : p)));
    return p < 0 ? -q : q;
}

/* As pe__anchor(), from the rows of the digits of p; |p| <= plan->near. */
PE__OUTLINE void pe__anchor_from_rows(const pe_plan *plan, const pe__bound *bound, int64_t p,
                                      size_t pair, size_t count, double *s, double *c)
{
    const double *row[PE__LEVELS] = {plan->table + pair};
    double sign[PE__LEVELS] = {1};
    size_t n = 0;
    uint64_t rest = (uint64_t)(p < 0 ? -p : p);
    for (size_t level = 0; rest != 0; level++) {
        const uint64_t next = pe__seventeenth(rest);
        const int64_t digit = (int64_t)rest - (int64_t)(PE__RADIX * next);
        rest = next;
        if (digit == 0) continue;
        row[n] = pe__row(plan, level, digit < 0 ? -digit : digit) + pair;
        sign[n++] = (digit < 0) != (p < 0) ? -1 : 1;
    }
    const pe__vd scale = pe__splat(plan->amplitude * (1 + bound->eta));
    const pe__vd first = scale * pe__splat(sign[0]);
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__vd sine = pe__load(row[0] + i) * first;
        pe__vd cosine = pe__load(row[0] + plan->padded + i) * scale;
        for (size_t k = 1; k < n; k++) {
            pe__vd s_down, c_down;
            pe__turn(sine, cosine, pe__load(row[k] + i) * pe__splat(sign[k]),
                     pe__load(row[k] + plan->padded + i), &sine, &cosine, &s_down, &c_down);
        }
        pe__store(s + i, sine);
        pe__store(c + i, cosine);
    }
}

/* Turn an anchor by 17 digit. */
PE__OUTLINE void pe__anchor_turned(const pe_plan *plan, int64_t digit, size_t pair, size_t count,
                                   const double *s0, const double *c0, double *s, double *c)
{
    const double *row = pe__row(plan, 1, digit < 0 ? -digit : digit) + pair;
    const pe__vd sign = pe__splat(digit < 0 ? -1 : 1);
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__vd sine, cosine, s_down, c_down;
        pe__turn(pe__load(s0 + i), pe__load(c0 + i), pe__load(row + i) * sign,
                 pe__load(row + plan->padded + i), &sine, &cosine, &s_down, &c_down);
        pe__store(s + i, sine);
        pe__store(c + i, cosine);
    }
}

enum { PE__ANCHOR = PE__TILE + 2 * PE__CHAIN }; /* doubles of an anchor's sines or cosines */

/* Rows for the positions t, t + 1, ..., each of them a double, in tiles of columns, block after
   block; or, if the angles are rounded to float or a single position is not whole, row after row. */
PE__OUTLINE void pe__rows(const pe_plan *plan, const pe__axis *axis, const pe__to *to, double t,
                          size_t rows, pe__blocker *block)
{
    const int64_t first = pe__floor(t);
    const double fraction = t - (double)first;
    double buffer[4 * PE__ANCHOR + PE__CHAIN];
    double *const s = pe__aligned(buffer), *const c = s + PE__ANCHOR;
    double *const centre_s = c + PE__ANCHOR, *const centre_c = centre_s + PE__ANCHOR;
    const int64_t last = first + (int64_t)rows - 1;
    const int run = rows > 2 * PE__RADIX; /* then one centre will do for many blocks */
    const int64_t nearby = run && plan->nearby > PE__NEAR ? PE__NEAR : plan->nearby;
    for (size_t done = 0; done < axis->pairs; done += PE__TILE) {
        pe__to tile;
        const pe__to *part = to; /* all of a row, if it is short */
        if (axis->pairs > PE__TILE) tile = pe__part(to, done, PE__TILE), part = &tile;
        const size_t pair = axis->pair + done;
        const size_t count = pe__max(part->sines, part->cosines);
        if (plan->float32 || (rows == 1 && fraction != 0)) {
            pe__to one = *part;
            for (size_t r = 0; r < rows; r++) {
                one.out = part->out + r * part->stride;
                const double at = t + (double)r;
                pe__anchor(plan, at, pair, count, s, c);
                block(plan, &pe__bound_near, 0, at, s, c, 0, 0, pair, &one);
            }
            continue;
        }
        const pe__bound *bound = &pe__bound_near;
        int64_t made = INT64_MAX; /* the centre that is there */
        for (int64_t q = pe__nearest_17(first); q - PE__DIGIT <= last; q += PE__RADIX) {
            const int64_t centre = run ? PE__RADIX * pe__nearest_17(q / PE__RADIX) : q;
            double *const from_s = run ? centre_s : s, *const from_c = run ? centre_c : c;
            if (centre != made) {
                bound = &pe__bound_near;
                if (fraction == 0 && -nearby <= centre && centre <= nearby) {
                    if (centre < -PE__NEAR || centre > PE__NEAR) bound = &pe__bound_far;
                    pe__anchor_from_rows(plan, bound, centre, pair, count, from_s, from_c);
                }
                else pe__anchor(plan, (double)centre + fraction, pair, count, from_s, from_c);
            }
            made = centre;
            if (run)
                pe__anchor_turned(plan, (q - centre) / PE__RADIX, pair, count, from_s, from_c, s,
                                  c);
            block(plan, bound, q, fraction, s, c, first, last, pair, part);
        }
    }
}

/* The same for a type. 16-bit rows come in tiles of their own, with the plan's rows as floats. */
PE__INLINE void pe__rows_as(pe__kind kind, const pe_plan *plan, const pe__axis *axis,
                            const pe__to *to, double t, size_t rows, pe__blocker *block)
{
    if (kind == PE__F32 || to->verb == PE__ADD) {
        pe__rows(plan, axis, to, t, rows, block);
        return;
    }
    for (size_t done = 0; done < axis->pairs; done += PE__TILE_16) {
        double space[(sizeof(pe__floats) + 64) / sizeof(double)];
        pe__floats *const floats = (pe__floats *)(void *)pe__aligned(space);
        pe__axis some = *axis;
        pe__to part = pe__part(to, done, PE__TILE_16);
        some.pair += done, some.pairs = pe__min(axis->pairs - done, PE__TILE_16);
        pe__floats_begin(floats, plan, some.pair, some.pairs, to->order == PE__SPLIT, kind);
        part.floats = floats;
        pe__rows(plan, &some, &part, t, rows, block);
    }
}

/* Zeros in n elements of a row from the given column on: no pair's, or a padding row's. */
PE__INLINE void pe__zeros_as(pe__kind kind, const pe__to *to, unsigned char *row, size_t column,
                             size_t n)
{
    const float zero[16] = {0};
    for (size_t i = 0; i < n; i += 16) {
        unsigned char *const at = row + (column + i) * to->element;
        if (to->verb == PE__ADD) pe__sum(kind, to, at, zero, pe__min(n - i, 16));
        else memset(at, 0, pe__min(n - i, 16) * to->element);
    }
}

/* ---- f64 ----------------------------------------------------------------------------------------
 * Doubles come from turns in double-double, row after row, by row 1 of the plan's frequencies;
 * every 64 rows start anew from an exact turn. One turn adds less than 2^-100, and the test below
 * takes 2^-93 for all: where that could change the rounded double, the vector is made by an exact
 * turn. */

enum { PE__STEPS = 64 };
#define PE__ERROR_F64 (1.0 / 9903520314283042199192993792.0) /* 2^-93 */

/* n doubles to a row, or added to it. */
static inline void pe__sink_f64(const pe__to *to, double *x, const double *v, size_t n)
{
    if (to->verb != PE__ADD) memcpy(x, v, n * sizeof *x);
    else
        for (size_t i = 0; i < n; i++) x[i] = pe__fma_once(to->scale, x[i], v[i]);
}

/* A vector of pairs to where pair i of a row belongs. */
PE__INLINE void pe__put_f64(const pe__to *to, unsigned char *row, size_t i, pe__vd s, pe__vd c)
{
    double all[2 * PE_LANES], *const out = (double *)(void *)row;
    const size_t sines = to->sines > i ? pe__min(to->sines - i, PE_LANES) : 0;
    const size_t cosines = to->cosines > i ? pe__min(to->cosines - i, PE_LANES) : 0;
    if (to->order == PE__SPLIT) {
        pe__store(all, s);
        pe__store(all + PE_LANES, c);
        pe__sink_f64(to, out + to->sine + i, all, sines);
        pe__sink_f64(to, out + to->cosine + i, all + PE_LANES, cosines);
        return;
    }
    if (to->order == PE__SC) pe__zip_store(all, s, c);
    else pe__zip_store(all, c, s);
    pe__sink_f64(to, out + pe__min(to->sine, to->cosine) + 2 * i, all, sines + cosines);
}

/* hi + lo to the nearer double; where it is the middle of two as far as can be told, to the one
   nearer to zero: that is where the next term of the series of a tiny angle points. */
PE__INLINE double pe__nearer(double hi, double lo)
{
    const double by = hi * pe__exp2i(-95), distant = hi + (lo + by), nearby = hi + (lo - by);
    return (hi < 0) == (nearby < distant) ? distant : nearby;
}

/* The doubles of one vector of pairs from exact turns, also where they are in doubt, or some of
   them subnormal, or of a tiny angle: rounded once all the same. */
PE__COLD void pe__settle_f64(const pe_plan *plan, size_t pair, double t, pe__vd *sine,
                             pe__vd *cosine)
{
    double hi[2][PE_LANES], lo[2][PE_LANES], lift[PE_LANES];
    pe__dd s, c;
    pe__exact_turn_lifted(plan, pair, t, &s, &c, lift);
    s = pe__dd_scaled(s, plan->mantissa), c = pe__dd_scaled(c, plan->mantissa);
    pe__store(hi[0], s.hi);
    pe__store(lo[0], s.lo);
    pe__store(hi[1], c.hi);
    pe__store(lo[1], c.lo);
    for (int k = 0; k < 2; k++)
        for (int lane = 0; lane < PE_LANES; lane++) {
            const double by = k == 0 ? lift[lane] : 1, x = hi[k][lane];
            const double scaled = x * plan->scale * by;
            int scale, down;
            (void)pe__frexp(plan->scale, &scale);
            (void)pe__frexp(by, &down);
            const int last = -1072 - scale - down; /* what will be 2^-1074 is 2^last */
            if (x != 0 && last > -900 && scaled <= pe__exp2i(-1022) &&
                scaled >= -pe__exp2i(-1022)) {
                /* to a multiple of that: adding a large number, then a look at what is left */
                const double unit = pe__exp2i(last);
                const double large = x < 0 ? -unit * pe__exp2i(52) : unit * pe__exp2i(52);
                double whole = (x + large) - large;
                const double rest = (x - whole) + lo[k][lane];
                if (rest > unit / 2) whole += unit;
                if (rest < -unit / 2) whole -= unit;
                hi[k][lane] = whole == 0 ? x * 0 : whole;
            } else if (x != 0) {
                hi[k][lane] = pe__nearer(x, lo[k][lane]);
            }
            hi[k][lane] = hi[k][lane] * plan->scale * by;
        }
    *sine = pe__load(hi[0]), *cosine = pe__load(hi[1]);
}

/* Up to 64 rows of the vector of pairs at i. */
PE__OUTLINE void pe__column_f64(const pe_plan *plan, const pe__axis *axis, const pe__to *to,
                                size_t i, unsigned char *row, double t, size_t rows)
{
    const pe__vd error = pe__splat(PE__ERROR_F64);
    const size_t pair = axis->pair + i;
    const int minor = plan->scale < pe__exp2i(-900) || (t > -1 && t < 1 && t != 0);
    pe__dd s, c, S, C;
    pe__exact_turn(plan, pair, t, &s, &c);
    pe__exact_turn(plan, pair, 1.0, &S, &C);
    s = pe__dd_scaled(s, plan->mantissa), c = pe__dd_scaled(c, plan->mantissa);
    for (size_t r = 0; r < rows; r++) {
        pe__vd sine = s.hi, cosine = c.hi;
        const pe__vd moved_s = pe__abs((s.hi + (s.lo + error)) - (s.hi + (s.lo - error)));
        const pe__vd moved_c = pe__abs((c.hi + (c.lo + error)) - (c.hi + (c.lo - error)));
        double moved[PE_LANES], any = 0;
        pe__store(moved, moved_s + moved_c);
        for (int lane = 0; lane < PE_LANES; lane++) any += moved[lane];
        if (PE__UNLIKELY(any != 0 || minor)) {
            pe__settle_f64(plan, pair, t + (double)r, &sine, &cosine);
        } else {
            sine = sine * pe__splat(plan->scale);
            cosine = cosine * pe__splat(plan->scale);
        }
        pe__put_f64(to, row + r * to->stride, i, sine, cosine);
        pe__dd_turn(&s, &c, S, C);
        s = pe__dd_normal(s), c = pe__dd_normal(c);
    }
}

PE__OUTLINE void pe__rows_f64(const pe_plan *plan, const pe__axis *axis, const pe__to *to, double t,
                              size_t rows)
{
    const size_t pairs = pe__max(to->sines, to->cosines);
    const size_t steps = plan->float32 ? 1 : PE__STEPS;
    for (size_t r = 0; r < rows; r += steps)
        for (size_t i = 0; i < pairs; i += PE_LANES)
            pe__column_f64(plan, axis, to, i, to->out + r * to->stride, t + (double)r,
                           pe__min(steps, rows - r));
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* What the public functions of one type differ in. */
typedef void pe__rower(const pe_plan *plan, const pe__axis *axis, const pe__to *to, double t,
                       size_t rows);
typedef void pe__zeroer(const pe__to *to, unsigned char *row, size_t column, size_t n);
#define PE__ROWER(type, kind)                                                                      \
    PE__OUTLINE void pe__rows_##type(const pe_plan *plan, const pe__axis *axis, const pe__to *to,  \
                                     double t, size_t rows)                                        \
    {                                                                                              \
        pe__rows_as(kind, plan, axis, to, t, rows, pe__block_##type);                              \
    }                                                                                              \
    PE__OUTLINE void pe__zeros_##type(const pe__to *to, unsigned char *row, size_t column,         \
                                      size_t n)                                                    \
    {                                                                                              \
        pe__zeros_as(kind, to, row, column, n);                                                    \
    }
PE__ROWER(f32, PE__F32)
PE__ROWER(bf16, PE__BF16)
PE__ROWER(f16, PE__F16)
#undef PE__ROWER
PE__OUTLINE void pe__zeros_f64(const pe__to *to, unsigned char *row, size_t column, size_t n)
{
    static const double zero[8] = {0};
    double *const x = (double *)(void *)row + column;
    for (size_t i = 0; i < n; i += 8) pe__sink_f64(to, x + i, zero, pe__min(n - i, 8));
}

/* A call's output: rows of stride elements at out. */
typedef struct pe__output {
    unsigned char *out;
    size_t element, columns, stride; /* bytes of an element; from row to row: elements, bytes */
    pe__verb verb;
    double scale;           /* of adding             */
    size_t total;           /* rows of the whole call */
    pe__rower *rows;
    pe__zeroer *zeros;
} pe__output;

PE__WRAPS /* the stride, which is used only after pe__check() */
PE__INLINE pe__output pe__output_of(void *out, size_t element, size_t total, size_t stride,
                                    pe__rower *rows, pe__zeroer *zeros)
{
    pe__output o;
    o.out = (unsigned char *)out, o.element = element, o.columns = stride;
    o.stride = element * stride;
    o.verb = PE__FILL, o.scale = 1, o.total = total, o.rows = rows, o.zeros = zeros;
    return o;
}

/* The columns of one axis of an output. */
static inline pe__to pe__to_axis(const pe_plan *plan, const pe__axis *axis, const pe__output *o,
                                 unsigned char *row)
{
    const size_t width = axis->width, front = (width + 1) / 2, back = width / 2;
    const int split = plan->layout == PE_LAYOUT_HALVES;
    pe__to to;
    to.out = row, to.stride = o->stride, to.element = o->element;
    to.sines = plan->cos_first ? back : front, to.cosines = plan->cos_first ? front : back;
    to.sine = axis->column + (!plan->cos_first ? 0 : split ? front : 1);
    to.cosine = axis->column + (plan->cos_first ? 0 : split ? front : 1);
    to.order = split ? PE__SPLIT : plan->cos_first ? PE__CS : PE__SC;
    to.verb = o->verb, to.scale = o->scale;
    return to;
}

/* Decide how to store so many rows: past the caches if there are many, and, of floats, every row,
   and each half of it, can be brought to an aligned address by the same number of pairs. */
static inline void pe__stream_rows(const pe_plan *plan, pe__to *to, size_t rows)
{
    const size_t many = PE_STREAM_BYTES, vector = sizeof(pe__vf);
    const size_t step = (to->order == PE__SPLIT ? 1 : 2) * to->element;
    const size_t front = pe__min(to->sine, to->cosine) * to->element;
    const size_t offset = (size_t)(((uintptr_t)to->out + front) % vector);
    if (rows * plan->d_model * to->element < many) return;
    if (to->element == sizeof(float)) {
        if (offset % step || to->stride % vector) return;
        if (to->order == PE__SPLIT &&
            (to->cosines * to->element % vector || to->sines != to->cosines))
            return;
        to->head = (vector - offset) % vector / step;
    }
    to->verb = PE__STREAM;
}

/* The columns of one axis, and the zeros behind them, for the positions t, t + 1 ..., to which the
   offset has been added. */
PE__OUTLINE void pe__emit(const pe_plan *plan, const pe__axis *axis, const pe__output *o,
                          unsigned char *row, double t, size_t rows)
{
    pe__to to = pe__to_axis(plan, axis, o, row);
    if (to.verb == PE__FILL && o->element < sizeof(double)) pe__stream_rows(plan, &to, o->total);
    o->rows(plan, axis, &to, t, rows);
    if (to.verb == PE__STREAM) pe__fence();
    to.verb = o->verb;
    for (size_t r = 0; axis->zeros && r < rows; r++)
        o->zeros(&to, row + r * o->stride, axis->column + axis->width, axis->zeros);
}

/* Rows of zeros. */
static inline void pe__emit_padding(const pe_plan *plan, const pe__output *o, unsigned char *row)
{
    const pe__to to = pe__to_axis(plan, &plan->axis[0], o, row);
    o->zeros(&to, row, 0, plan->d_model);
}

/* A position with the plan's offset: exact. */
PE__INLINE double pe__moved(const pe_plan *plan, int64_t p)
{
    return (double)(p + plan->whole) + plan->fraction;
}

/* Rows for the positions first, first + 1 ... */
PE__OUTLINE void pe__emit_range(const pe_plan *plan, int64_t first, const pe__output *o)
{
    size_t rows = o->total, skip = 0; /* up to the padding position and from there on */
    if (plan->has_padding && plan->padding >= first &&
        (uint64_t)plan->padding - (uint64_t)first < rows) {
        skip = (size_t)(plan->padding - first) + 1;
        pe__emit_padding(plan, o, o->out + (skip - 1) * o->stride);
        if (skip > 1) pe__emit(plan, plan->axis, o, o->out, pe__moved(plan, first), skip - 1);
    }
    if (skip < rows)
        pe__emit(plan, plan->axis, o, o->out + skip * o->stride,
                 pe__moved(plan, first + (int64_t)skip), rows - skip);
}

/* Rows for the positions of a list. */
PE__OUTLINE void pe__emit_list(const pe_plan *plan, const int64_t *positions, const pe__output *o)
{
    for (size_t r = 0, run; r < o->total; r += run) {
        unsigned char *const row = o->out + r * o->stride;
        run = 1;
        if (plan->has_padding && positions[r] == plan->padding) {
            pe__emit_padding(plan, o, row);
            continue;
        }
        while (r + run < o->total && positions[r + run] == positions[r] + (int64_t)run &&
               !(plan->has_padding && positions[r + run] == plan->padding))
            run++;
        pe__emit(plan, plan->axis, o, row, pe__moved(plan, positions[r]), run);
    }
}

/* Rows for real coordinates, one for each axis. */
PE__OUTLINE void pe__emit_reals(const pe_plan *plan, const double *coords, const pe__output *o)
{
    for (size_t r = 0; r < o->total; r++) {
        unsigned char *const row = o->out + r * o->stride;
        const double *at = coords + r * plan->axes;
        if (plan->has_padding && at[0] == (double)plan->padding && plan->axes == 1) {
            pe__emit_padding(plan, o, row);
            continue;
        }
        for (size_t a = 0; a < plan->axes; a++)
            pe__emit(plan, &plan->axis[a], o, row,
                     at[plan->axis[a].coordinate] + ((double)plan->whole + plan->fraction), 1);
    }
}

/* Rows for the points of a grid: the columns of an axis are made once for each of its coordinates,
   and copied to the other rows that have it. */
PE__OUTLINE void pe__emit_grid(const pe_plan *plan, const size_t *shape, const pe__output *o)
{
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *axis = &plan->axis[a];
        const size_t n = shape[axis->coordinate], bytes = (axis->width + axis->zeros) * o->element;
        size_t inner = 1; /* rows with the same coordinate before the next */
        for (size_t k = axis->coordinate + 1; k < plan->axes; k++) inner *= shape[k];
        pe__output once = *o;
        once.total = 0; /* what is copied is not streamed */
        once.stride = o->stride * inner;
        pe__emit(plan, axis, &once, o->out, pe__moved(plan, 0), n);
        unsigned char *const column = o->out + axis->column * o->element;
        for (size_t r = 0; r < o->total; r++) {
            const size_t from = r / inner % n * inner;
            if (r != from) memcpy(column + r * o->stride, column + from * o->stride, bytes);
        }
    }
}

/* The calls: check, then write. */
static inline pe_status pe__check(const pe_plan *plan, const void *input, const pe__output *o)
{
    if (!plan || !input || !o->out) return PE_ERR_NULL;
    return pe__check_shape(plan->d_model, o->total, o->columns, o->element);
}

static inline pe_status pe__call_range(const pe_plan *plan, int64_t first, const pe__output *o)
{
    if (o->total == 0) return PE_OK;
    pe_status status = pe__check(plan, plan, o);
    if (status == PE_OK && plan->axes != 1) status = PE_ERR_CONFIG;
    if (status == PE_OK) status = pe__check_rows(plan, first, o->total);
    if (status == PE_OK) pe__emit_range(plan, first, o);
    return status;
}

static inline pe_status pe__call_list(const pe_plan *plan, const int64_t *positions,
                                      const pe__output *o)
{
    if (o->total == 0) return PE_OK;
    pe_status status = pe__check(plan, positions, o);
    if (status == PE_OK && o->total > (size_t)PTRDIFF_MAX / sizeof *positions) status = PE_ERR_SIZE;
    if (status == PE_OK && plan->axes != 1) status = PE_ERR_CONFIG;
    if (status == PE_OK) status = pe__check_positions(plan, positions, o->total);
    if (status == PE_OK) pe__emit_list(plan, positions, o);
    return status;
}

static inline pe_status pe__call_reals(const pe_plan *plan, const double *coords,
                                       const pe__output *o)
{
    if (o->total == 0) return PE_OK;
    pe_status status = pe__check(plan, coords, o);
    if (status == PE_OK && o->total > (size_t)PTRDIFF_MAX / sizeof *coords / plan->axes)
        status = PE_ERR_SIZE;
    if (status == PE_OK)
        status = pe__check_reals(coords, o->total * plan->axes,
                                 (double)plan->whole + plan->fraction);
    if (status == PE_OK) pe__emit_reals(plan, coords, o);
    return status;
}

static inline pe_status pe__call_grid(const pe_plan *plan, const size_t *shape, pe__output *o)
{
    pe_status status = PE_OK;
    if (!plan || !shape) return PE_ERR_NULL;
    o->total = 1;
    for (size_t a = 0; a < plan->axes; a++)
        if (shape[a] == 0) return PE_OK;
    for (size_t a = 0; a < plan->axes; a++) {
        if (o->total > SIZE_MAX / shape[a]) return PE_ERR_SIZE;
        o->total *= shape[a];
    }
    status = pe__check(plan, shape, o);
    for (size_t a = 0; a < plan->axes; a++) {
        if (status == PE_OK) status = pe__check_rows(plan, 0, shape[a]);
    }
    if (status == PE_OK && plan->axes == 1) pe__emit_range(plan, 0, o);
    else if (status == PE_OK) pe__emit_grid(plan, shape, o);
    return status;
}

static inline pe_status pe__call_batch(const pe_plan *plan, int64_t first, size_t batches,
                                       size_t batch_stride, pe__output *o)
{
    if (o->total == 0 || batches == 0) return PE_OK;
    pe_status status = pe__check(plan, plan, o);
    if (status == PE_OK && plan->axes != 1) status = PE_ERR_CONFIG;
    /* either the batches follow each other, or their rows lie between each other's */
    if (status == PE_OK && batches > 1) {
        const size_t batch = (o->total - 1) * o->columns + plan->d_model;
        const size_t limit = (size_t)PTRDIFF_MAX / o->element;
        if (batch_stride > limit / batches || batch_stride * (batches - 1) > limit - batch)
            status = PE_ERR_SIZE;
        else if (batch_stride < batch &&
                 (batch_stride < plan->d_model ||
                  (o->columns - plan->d_model) / batch_stride < batches - 1))
            status = PE_ERR_SHAPE;
    }
    if (status == PE_OK) status = pe__check_rows(plan, first, o->total);
    for (size_t b = 0; status == PE_OK && b < batches; b++) {
        pe__emit_range(plan, first, o);
        if (b + 1 < batches) o->out += batch_stride * o->element;
    }
    return status;
}

/* The public functions, stamped for each type. */
#define PE__STAMP_TYPE(type, element, F, fill, add)                                                \
    static inline pe_status pe_fill_##type(const pe_plan *plan, int64_t first, size_t rows,        \
                                           element *out, size_t stride)                            \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__output_of(out, sizeof *out, rows, stride, pe__rows_##fill, pe__zeros_##fill);      \
        return pe__call_range(plan, first, &o);                                                    \
    }                                                                                              \
    static inline pe_status pe_fill_at_##type(const pe_plan *plan, const int64_t *positions,       \
                                              size_t rows, element *out, size_t stride)            \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__output_of(out, sizeof *out, rows, stride, pe__rows_##fill, pe__zeros_##fill);      \
        return pe__call_list(plan, positions, &o);                                                 \
    }                                                                                              \
    static inline pe_status pe_fill_real_##type(const pe_plan *plan, const double *positions,      \
                                                size_t rows, element *out, size_t stride)          \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__output_of(out, sizeof *out, rows, stride, pe__rows_##fill, pe__zeros_##fill);      \
        if (rows != 0 && plan && plan->axes != 1) return PE_ERR_CONFIG;                            \
        return pe__call_reals(plan, positions, &o);                                                \
    }                                                                                              \
    static inline pe_status pe_fill_coords_##type(const pe_plan *plan, const double *coords,       \
                                                  size_t rows, element *out, size_t stride)        \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__output_of(out, sizeof *out, rows, stride, pe__rows_##fill, pe__zeros_##fill);      \
        return pe__call_reals(plan, coords, &o);                                                   \
    }                                                                                              \
    static inline pe_status pe_fill_grid_##type(const pe_plan *plan, const size_t *shape,          \
                                                element *out, size_t stride)                       \
    {                                                                                              \
        pe__output o =                                                                             \
            pe__output_of(out, sizeof *out, 1, stride, pe__rows_##fill, pe__zeros_##fill);         \
        return pe__call_grid(plan, shape, &o);                                                     \
    }                                                                                              \
    static inline pe_status pe_add_##type(const pe_plan *plan, int64_t first, size_t rows,         \
                                          F scale, element *x, size_t stride)                      \
    {                                                                                              \
        pe__output o = pe__output_of(x, sizeof *x, rows, stride, pe__rows_##add, pe__zeros_##add); \
        o.verb = PE__ADD, o.scale = (double)scale;                                                 \
        return pe__call_range(plan, first, &o);                                                    \
    }                                                                                              \
    static inline pe_status pe_add_at_##type(const pe_plan *plan, const int64_t *positions,        \
                                             size_t rows, F scale, element *x, size_t stride)      \
    {                                                                                              \
        pe__output o = pe__output_of(x, sizeof *x, rows, stride, pe__rows_##add, pe__zeros_##add); \
        o.verb = PE__ADD, o.scale = (double)scale;                                                 \
        return pe__call_list(plan, positions, &o);                                                 \
    }                                                                                              \
    static inline pe_status pe_add_batch_##type(const pe_plan *plan, int64_t first, size_t rows,   \
                                                size_t batches, F scale, element *x,               \
                                                size_t stride, size_t batch_stride)                \
    {                                                                                              \
        pe__output o = pe__output_of(x, sizeof *x, rows, stride, pe__rows_##add, pe__zeros_##add); \
        o.verb = PE__ADD, o.scale = (double)scale;                                                 \
        return pe__call_batch(plan, first, batches, batch_stride, &o);                             \
    }
PE__STAMP_TYPE(f32, float, float, f32, f32)
PE__STAMP_TYPE(f64, double, double, f64, f64)
PE__STAMP_TYPE(f16, uint16_t, float, f16, f16)
PE__STAMP_TYPE(bf16, uint16_t, float, bf16, bf16)
#undef PE__STAMP_TYPE

/* ---- algebra of positions -----------------------------------------------------------------------
 * The operator of a shift is a row of sines and cosines, which the engine makes once for all rows,
 * in tiles of columns. */

enum { PE__SHIFT_TILE = 512 }; /* pairs */

/* Are rows of this plan made of pairs that turn by differences? */
static inline pe_status pe__algebra_check(const pe_plan *plan, int64_t k)
{
    if (plan->axes != 1 || plan->float32 || plan->axis[0].width % 2) return PE_ERR_CONFIG;
    return pe__position_ok(k) ? PE_OK : PE_ERR_RANGE;
}

/* A plan whose rows are the turns themselves: no amplitude, no offset. */
static inline pe_plan pe__difference(const pe_plan *plan)
{
    const float guard = (float)PE__GUARD;
    pe_plan p = *plan;
    p.amplitude = 1, p.mantissa = 0.5, p.scale = 2;
    p.whole = 0, p.fraction = 0;
    memcpy(&p.guard, &guard, sizeof guard);
    return p;
}

/* The sines of count pairs, turned by k, then their cosines. */
static inline void pe__operator(const pe_plan *plan, int64_t k, size_t pair, size_t count,
                                size_t element, void *out, pe__rower *rows)
{
    pe__axis axis = plan->axis[0];
    pe__to to;
    axis.pair += pair, axis.pairs = count;
    to.out = (unsigned char *)out, to.stride = 0, to.element = element;
    to.sine = 0, to.cosine = to.sines = to.cosines = count;
    to.order = PE__SPLIT, to.verb = PE__FILL, to.scale = 1;
    rows(plan, &axis, &to, (double)k, 1);
}

/* Turn a vector of a row, at x: one of sines with one of cosines, so many bytes behind, by the
   vectors C and S; or one of neighbours, by C0 C0 C1 C1 ... and S0 -S0 S1 -S1 ... (-S0 S0 ... with
   the cosines first). */
PE__INLINE void pe__shift_vector(pe__kind kind, pe__order order, unsigned char *x, ptrdiff_t across,
                                 const float *C, const float *S)
{
    const pe__vf v = pe__get_as(kind, x), cosine = pe__get(C), sine = pe__get(S);
    if (order == PE__SPLIT) {
        const pe__vf c = pe__get_as(kind, x + across);
        pe__put_two_as(kind, x, pe__fma_f32(v, cosine, pe__mul_f32(c, sine)), x + across,
                       pe__fms_f32(c, cosine, pe__mul_f32(v, sine)));
    } else {
        pe__put_as(kind, x, pe__fma_f32(v, cosine, pe__mul_f32(pe__swap(v), sine)));
    }
}

/* Ask for a row some 2 KB ahead, or for both halves of one 8 KB ahead, in the order of addresses:
   two streams so near to each other, and whole lines at a time, are more than the hardware's
   prefetchers follow. */
PE__INLINE size_t pe__shift_ahead(const pe__to *to)
{
    const size_t bytes = to->order == PE__SPLIT ? 8192 : 2048;
    return pe__max(bytes / to->stride, 1) * to->stride;
}
PE__INLINE void pe__shift_ask(uintptr_t row, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64) pe__prefetch(row + i);
}

/* All rows of a tile of n pairs by C and S, as pe__shift_vector() has them. */
PE__INLINE void pe__shift_rows(pe__kind kind, pe__order order, const pe__to *to, size_t rows,
                               const float *C, const float *S)
{
    enum { VECTOR = 2 * PE_LANES, BYTES = VECTOR * sizeof(float) };
    const int split = order == PE__SPLIT;
    const size_t n = to->sines * (split ? 1 : 2), whole = n - n % VECTOR, e = to->element;
    const ptrdiff_t across = ((ptrdiff_t)to->cosine - (ptrdiff_t)to->sine) * (ptrdiff_t)e;
    unsigned char *const first = to->out + (split ? to->sine : pe__min(to->sine, to->cosine)) * e;
    const size_t ahead = pe__shift_ahead(to);
    for (size_t r = 0; r < rows; r++) {
        unsigned char *const x = first + r * to->stride;
        pe__shift_ask((uintptr_t)x + ahead, n * e);
        if (split) pe__shift_ask((uintptr_t)(x + across) + ahead, n * e);
        for (size_t i = 0; i < whole; i += VECTOR)
            pe__shift_vector(kind, order, x + i * e, across, C + i, S + i);
        if (whole == n) continue;
        unsigned char rest[2 * BYTES] = {0}, *const tail = x + whole * e;
        memcpy(rest, tail, (n - whole) * e);
        if (split) memcpy(rest + BYTES, tail + across, (n - whole) * e);
        pe__shift_vector(kind, order, rest, BYTES, C + whole, S + whole);
        memcpy(tail, rest, (n - whole) * e);
        if (split) memcpy(tail + across, rest + BYTES, (n - whole) * e);
    }
}

typedef void pe__shifter(const pe__to *to, size_t rows, const float *C, const float *S);
#define PE__SHIFTER(type, kind)                                                                    \
    PE__OUTLINE void pe__shift_rows_##type(const pe__to *to, size_t rows, const float *C,          \
                                           const float *S)                                         \
    {                                                                                              \
        if (to->order == PE__SPLIT)                                                                \
            pe__shift_rows(kind, PE__SPLIT, to, rows, C, S);                                       \
        else                                                                                       \
            pe__shift_rows(kind, PE__SC, to, rows, C, S);                                          \
    }
PE__SHIFTER(f32, PE__F32)
PE__SHIFTER(bf16, PE__BF16)
PE__SHIFTER(f16, PE__F16)
#undef PE__SHIFTER

/* Floats, in tiles. */
PE__OUTLINE void pe__shift_floats(const pe_plan *plan, const pe__to *to, int64_t k, size_t rows,
                                  pe__shifter *shift)
{
    enum { SPARE = 2 * PE_LANES }; /* what the last vector of a row reads more */
    float C[2 * PE__SHIFT_TILE + SPARE], S[2 * PE__SHIFT_TILE + SPARE];
    for (size_t done = 0; done < to->sines; done += PE__SHIFT_TILE) {
        const pe__to part = pe__part(to, done, PE__SHIFT_TILE);
        const size_t n = part.sines, end = to->order == PE__SPLIT ? n : 2 * n;
        float row[2 * PE__SHIFT_TILE];
        pe__operator(plan, k, done, n, sizeof *row, row, pe__rows_f32);
        for (size_t i = 0; i < n; i++) {
            const float s = row[i], c = row[n + i];
            if (to->order == PE__SPLIT) {
                S[i] = s, C[i] = c;
            } else {
                S[2 * i] = to->order == PE__SC ? s : -s, S[2 * i + 1] = -S[2 * i];
                C[2 * i] = C[2 * i + 1] = c;
            }
        }
        memset(C + end, 0, SPARE * sizeof *C);
        memset(S + end, 0, SPARE * sizeof *S);
        shift(&part, rows, C, S);
    }
}

/* Doubles: (s, c) at the given places of a row, or of copies of its rest. */
PE__INLINE void pe__shift_vector_f64(pe__order order, double *x, double *cosines, const double *C,
                                     const double *S)
{
    const pe__vd cosine = pe__load(C), sine = pe__load(S);
    pe__vd s, c;
    if (order == PE__SPLIT) s = pe__load(x), c = pe__load(cosines);
    else if (order == PE__SC) pe__unzip(x, &s, &c);
    else pe__unzip(x, &c, &s);
    pe__vd cS = c * sine, sS = s * sine;
#if PE_ISA == PE_ISA_SCALAR
    PE__OPAQUE(cS);
    PE__OPAQUE(sS);
#endif
    const pe__vd s1 = pe__fused(s, cosine, cS), c1 = pe__fused(c, cosine, -sS);
    if (order == PE__SPLIT) pe__store(x, s1), pe__store(cosines, c1);
    else if (order == PE__SC) pe__zip_store(x, s1, c1);
    else pe__zip_store(x, c1, s1);
}

PE__INLINE void pe__shift_rows_f64(pe__order order, const pe__to *to, size_t rows, const double *C,
                                   const double *S)
{
    const size_t n = to->sines, whole = n - n % PE_LANES, step = order == PE__SPLIT ? 1 : 2;
    const size_t column = order == PE__SPLIT ? to->sine : pe__min(to->sine, to->cosine);
    for (size_t r = 0; r < rows; r++) {
        double *const row = (double *)(void *)(to->out + r * to->stride);
        double *const x = row + column, *const cosines = row + to->cosine;
        if (order == PE__SPLIT) {
            pe__shift_ask((uintptr_t)x + pe__shift_ahead(to), n * sizeof *x);
            pe__shift_ask((uintptr_t)cosines + pe__shift_ahead(to), n * sizeof *x);
        }
        for (size_t i = 0; i < whole; i += PE_LANES)
            pe__shift_vector_f64(order, x + i * step, cosines + i, C + i, S + i);
        if (whole == n) continue;
        double rest[2 * PE_LANES] = {0}, *const tail = x + whole * step;
        const size_t bytes = (n - whole) * sizeof *rest;
        memcpy(rest, tail, bytes * step);
        if (order == PE__SPLIT) memcpy(rest + PE_LANES, cosines + whole, bytes);
        pe__shift_vector_f64(order, rest, rest + PE_LANES, C + whole, S + whole);
        memcpy(tail, rest, bytes * step);
        if (order == PE__SPLIT) memcpy(cosines + whole, rest + PE_LANES, bytes);
    }
}

PE__OUTLINE void pe__shift_doubles(const pe_plan *plan, const pe__to *to, int64_t k, size_t rows)
{
    double row[2 * PE__SHIFT_TILE + PE_LANES];
    for (size_t done = 0; done < to->sines; done += PE__SHIFT_TILE) {
        const pe__to part = pe__part(to, done, PE__SHIFT_TILE);
        const size_t n = part.sines;
        pe__operator(plan, k, done, n, sizeof *row, row, pe__rows_f64);
        memset(row + 2 * n, 0, PE_LANES * sizeof *row);
        if (to->order == PE__SPLIT) pe__shift_rows_f64(PE__SPLIT, &part, rows, row + n, row);
        else if (to->order == PE__SC) pe__shift_rows_f64(PE__SC, &part, rows, row + n, row);
        else pe__shift_rows_f64(PE__CS, &part, rows, row + n, row);
    }
}

static inline pe_status pe__call_shift(const pe_plan *plan, int64_t k, const pe__output *o,
                                       pe__shifter *shift)
{
    if (o->total == 0) return PE_OK;
    pe_status status = pe__check(plan, plan, o);
    if (status == PE_OK) status = pe__algebra_check(plan, k);
    if (status != PE_OK || k == 0) return status;
    const pe_plan turns = pe__difference(plan);
    const pe__to to = pe__to_axis(plan, plan->axis, o, o->out);
    if (shift) pe__shift_floats(&turns, &to, k, o->total, shift);
    else pe__shift_doubles(&turns, &to, k, o->total);
    return PE_OK;
}

#define PE__STAMP_SHIFT(type, element, shift)                                                      \
    static inline pe_status pe_shift_##type(const pe_plan *plan, int64_t k, size_t rows,           \
                                            element *x, size_t stride)                             \
    {                                                                                              \
        const pe__output o = pe__output_of(x, sizeof *x, rows, stride, NULL, NULL);                \
        return pe__call_shift(plan, k, &o, shift);                                                 \
    }
PE__STAMP_SHIFT(f32, float, pe__shift_rows_f32)
PE__STAMP_SHIFT(f64, double, NULL)
PE__STAMP_SHIFT(f16, uint16_t, pe__shift_rows_f16)
PE__STAMP_SHIFT(bf16, uint16_t, pe__shift_rows_bf16)
#undef PE__STAMP_SHIFT

static inline pe_status pe_shift_matrix_f64(const pe_plan *plan, int64_t k, double *matrix,
                                            size_t stride)
{
    if (!plan || !matrix) return PE_ERR_NULL;
    const size_t d = plan->d_model;
    const pe__output o = pe__output_of(matrix, sizeof *matrix, d, stride, NULL, NULL);
    pe_status status = pe__check(plan, plan, &o);
    if (status == PE_OK) status = pe__algebra_check(plan, k);
    if (status != PE_OK) return status;
    const pe_plan turns = pe__difference(plan);
    const pe__to to = pe__to_axis(plan, plan->axis, &o, o.out);
    const size_t step = to.order == PE__SPLIT ? 1 : 2;
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < d; i++) matrix[j * stride + i] = 0;
        matrix[j * stride + j] = 1;
    }
    for (size_t done = 0; done < to.sines; done += PE__SHIFT_TILE) {
        const size_t n = pe__min(to.sines - done, PE__SHIFT_TILE);
        double row[2 * PE__SHIFT_TILE];
        pe__operator(&turns, k, done, n, sizeof *row, row, pe__rows_f64);
        for (size_t i = 0; i < n; i++) {
            const size_t a = to.sine + (done + i) * step, b = to.cosine + (done + i) * step;
            matrix[a * stride + a] = matrix[b * stride + b] = row[n + i];
            matrix[a * stride + b] = row[i], matrix[b * stride + a] = 0 - row[i];
        }
    }
    return PE_OK;
}

/* ---- dot products ---------------------------------------------------------------------------- */

/* What a sum of cosines becomes, A^2 times it, for a sum that is the same in all lanes. */
static inline double pe__dot_of(const pe_plan *plan, pe__dd sum)
{
    pe__dd square;
    square.hi = pe__two_prod(pe__splat(plan->mantissa), pe__splat(plan->mantissa), &square.lo);
    const pe__dd y = pe__dd_normal(pe__dd_mul(pe__dd_normal(sum), square));
    return pe__first_lane(y.hi) * plan->scale * plan->scale;
}

PE__INLINE pe__dd pe__dd_add(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_sum(x.hi, y.hi, &r.lo);
    r.lo = r.lo + (x.lo + y.lo);
    return pe__dd_normal(r);
}

/* One of them: eight sums, and their sum in a fixed order, in double-double. */
PE__OUTLINE double pe__dot(const pe_plan *plan, int64_t k)
{
    const pe__axis *axis = plan->axis;
    double hi[PE__CHAIN] = {0}, lo[PE__CHAIN] = {0};
    for (size_t v = 0; v < PE__CHAIN; v += PE_LANES) {
        pe__dd sum;
        sum.hi = sum.lo = pe__splat(0.0);
        for (size_t i = v; i < axis->pairs; i += PE__CHAIN) {
            double all[2][PE_LANES];
            pe__dd s, c;
            pe__exact_turn(plan, axis->pair + i, (double)k, &s, &c);
            if (axis->pairs - i < PE_LANES) {
                pe__store(all[0], c.hi), pe__store(all[1], c.lo);
                for (size_t lane = axis->pairs - i; lane < PE_LANES; lane++)
                    all[0][lane] = all[1][lane] = 0;
                c.hi = pe__load(all[0]), c.lo = pe__load(all[1]);
            }
            sum = pe__dd_add(sum, c);
        }
        pe__store(hi + v, sum.hi), pe__store(lo + v, sum.lo);
    }
    pe__dd sum;
    sum.hi = sum.lo = pe__splat(0.0);
    for (size_t v = 0; v < PE__CHAIN; v++) {
        pe__dd one;
        one.hi = pe__splat(hi[v]), one.lo = pe__splat(lo[v]);
        sum = pe__dd_add(sum, one);
    }
    const double least = (double)axis->pairs * pe__exp2i(-88), size = pe__first_lane(sum.hi);
    if ((size < 0 ? -size : size) <= least) return 0;
    return pe__dot_of(plan, sum);
}

static inline pe_status pe_dot_f64(const pe_plan *plan, int64_t k, double *dot)
{
    if (!plan || !dot) return PE_ERR_NULL;
    const pe_status status = pe__algebra_check(plan, k);
    if (status == PE_OK) *dot = pe__dot(plan, k);
    return status;
}

/* Many of them, as a product of matrices: with anchors q that are 31 apart,
 *
 *     sum cos((q +- b) w) = sum cos(q w) cos(b w) -+ sum sin(q w) sin(b w),  b = 0 ... 15.
 *
 * Each factor is split, x = X + y, where X is a multiple of 2^-g and |y| <= 2^-(g+1): then
 *
 *     x x' = X X' + (X y' + y x')
 *
 * and the sum of the X X' is exact, if the pairs are not more than 2^(52-2g). The rest is 2^-g
 * times as large, and so is its error. In units of 2^-53 2^-(g+1), and for h pairs in tiles of 16,
 * it is at most
 *     4 h       y rounded, x' rounded, for cosines and sines: y' is below 1/2 unit like y
 *     128 h     four sums of 16 such products: 16 additions to at most 16 units, twice where
 *               nothing is fused
 *     12 h      the sums of these
 *     h^2 / 4   h / 16 additions to at most 4 h
 * together h (160 + h / 4), with what the turns in double-double lack. The sum's double is known
 * where adding and subtracting that makes no difference; else it is made one by one. */

enum {
    PE__DOTS = 16,        /* numbers b of an anchor                       */
    PE__DOTS_NEXT = 31,   /* from anchor to anchor                        */
    PE__DOTS_ANCHORS = 32,
    PE__DOTS_TILE = 16,   /* pairs                                        */
    PE__DOTS_TOGETHER = PE_LANES == 4 ? 1 : 2 /* anchors that share a look at the numbers b */
};

/* The parts X, y and x of the sines and cosines of a tile. */
typedef struct pe__dots_table {
    double C[PE__DOTS_TILE][3][PE__DOTS], S[PE__DOTS_TILE][3][PE__DOTS];
} pe__dots_table;
typedef struct pe__dots_anchor {
    double c[2][PE__DOTS_TILE], s[2][PE__DOTS_TILE];
} pe__dots_anchor;

/* The sums of an anchor, large and small parts, for q + b and q - b. */
typedef struct pe__dots_sums {
    double large[2][PE__DOTS], minor[2][PE__DOTS];
} pe__dots_sums;

/* Adding and subtracting this rounds to the grid. */
PE__INLINE void pe__dots_split(pe__dd x, double grid, pe__vd *X, pe__vd *y)
{
    *X = (x.hi + pe__splat(grid)) - pe__splat(grid);
    *y = (x.hi - *X) + x.lo;
}

/* The turns of a tile by step, 2 step, ... or of the anchors: one more turn for all pairs. */
PE__INLINE void pe__dots_turn(pe__dd *s, pe__dd *c, const pe__dd *S, const pe__dd *C)
{
    for (int v = 0; v < PE__DOTS_TILE / (int)PE_LANES; v++) {
        pe__dd_turn(&s[v], &c[v], S[v], C[v]);
        s[v] = pe__dd_normal(s[v]), c[v] = pe__dd_normal(c[v]);
    }
}

PE__OUTLINE void pe__dots_make_table(const pe_plan *plan, size_t pair, double grid,
                                     pe__dots_table *table)
{
    enum { VECTORS = PE__DOTS_TILE / (int)PE_LANES };
    pe__dd s[VECTORS], c[VECTORS], S[VECTORS], C[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        pe__exact_turn(plan, pair + (size_t)v * PE_LANES, 1.0, &S[v], &C[v]);
        s[v].hi = s[v].lo = c[v].lo = pe__splat(0.0), c[v].hi = pe__splat(1.0);
    }
    for (size_t b = 0; b < PE__DOTS; b++) {
        for (size_t v = 0; v < VECTORS; v++) {
            double part[6][PE_LANES];
            pe__vd X, y;
            pe__dots_split(c[v], grid, &X, &y);
            pe__store(part[0], X), pe__store(part[1], y), pe__store(part[2], c[v].hi);
            pe__dots_split(s[v], grid, &X, &y);
            pe__store(part[3], X), pe__store(part[4], y), pe__store(part[5], s[v].hi);
            for (size_t lane = 0; lane < PE_LANES; lane++)
                for (size_t n = 0; n < 3; n++) {
                    table->C[v * PE_LANES + lane][n][b] = part[n][lane];
                    table->S[v * PE_LANES + lane][n][b] = part[3 + n][lane];
                }
        }
        pe__dots_turn(s, c, S, C);
    }
}

/* The sums of a tile for one anchor and a vector of numbers b: of cosines, and of sines. */
typedef struct pe__dots_run {
    pe__vd large_c, small_c, tiny_c, large_s, small_s, tiny_s;
} pe__dots_run;

PE__INLINE void pe__dots_begin(pe__dots_run *run)
{
    run->large_c = run->small_c = run->tiny_c = pe__splat(0.0);
    run->large_s = run->small_s = run->tiny_s = pe__splat(0.0);
}

PE__INLINE void pe__dots_add(pe__dots_run *run, const pe__dots_table *table, size_t b,
                             const pe__dots_anchor *anchor, size_t i)
{
    const pe__vd cX = pe__splat(anchor->c[0][i]), cy = pe__splat(anchor->c[1][i]);
    const pe__vd sX = pe__splat(anchor->s[0][i]), sy = pe__splat(anchor->s[1][i]);
    run->large_c = pe__fma(cX, pe__load(table->C[i][0] + b), run->large_c);
    run->small_c = pe__fma(cX, pe__load(table->C[i][1] + b), run->small_c);
    run->tiny_c = pe__fma(cy, pe__load(table->C[i][2] + b), run->tiny_c);
    run->large_s = pe__fma(sX, pe__load(table->S[i][0] + b), run->large_s);
    run->small_s = pe__fma(sX, pe__load(table->S[i][1] + b), run->small_s);
    run->tiny_s = pe__fma(sy, pe__load(table->S[i][2] + b), run->tiny_s);
}

PE__INLINE void pe__dots_end(const pe__dots_run *run, pe__dots_sums *sums, size_t b)
{
    const pe__vd small_c = run->small_c + run->tiny_c, small_s = run->small_s + run->tiny_s;
    double *const large_up = sums->large[0] + b, *const large_down = sums->large[1] + b;
    double *const small_up = sums->minor[0] + b, *const small_down = sums->minor[1] + b;
    pe__store(large_up, pe__load(large_up) + (run->large_c - run->large_s));
    pe__store(large_down, pe__load(large_down) + (run->large_c + run->large_s));
    pe__store(small_up, pe__load(small_up) + (small_c - small_s));
    pe__store(small_down, pe__load(small_down) + (small_c + small_s));
}

/* Add a tile's products to the sums of some anchors: of one, or of two. */
PE__INLINE void pe__dots_multiply(const pe__dots_table *table, const pe__dots_anchor *anchor,
                                  size_t pairs, size_t together, pe__dots_sums *sums)
{
    for (size_t b = 0; b < PE__DOTS; b += PE_LANES) {
        pe__dots_run first, second;
        pe__dots_begin(&first);
        pe__dots_begin(&second);
        for (size_t i = 0; i < pairs; i++) {
            pe__dots_add(&first, table, b, anchor, i);
            if (together > 1) pe__dots_add(&second, table, b, anchor + 1, i);
        }
        pe__dots_end(&first, sums, b);
        if (together > 1) pe__dots_end(&second, sums + 1, b);
    }
}

/* What becomes of sums: dots, and the numbers in doubt as NaN. */
PE__INLINE void pe__dots_round(const pe_plan *plan, const double *large, const double *minor,
                               double error, double *out)
{
    pe__dd square;
    square.hi = pe__two_prod(pe__splat(plan->mantissa), pe__splat(plan->mantissa), &square.lo);
    for (size_t b = 0; b < PE__DOTS; b += PE_LANES) {
        pe__dd y;
        y.hi = pe__two_sum(pe__load(large + b), pe__load(minor + b), &y.lo);
        const pe__vd e = (pe__splat(error) + pe__abs(y.hi) * pe__splat(pe__exp2i(-98))) * square.hi;
        y = pe__dd_normal(pe__dd_mul(y, square));
        const pe__vd above = y.hi + (y.lo + e), moved = above - (y.hi + (y.lo - e));
        pe__store(out + b, above * pe__splat(plan->scale) * pe__splat(plan->scale));
        double doubt[PE_LANES];
        pe__store(doubt, moved);
        for (size_t lane = 0; lane < PE_LANES; lane++)
            if (doubt[lane] != 0) out[b + lane] = (double)NAN;
    }
}

/* Up to 32 * 31 dots. */
PE__OUTLINE void pe__dots(const pe_plan *plan, int64_t first, size_t count, double *out)
{
    enum { VECTORS = PE__DOTS_TILE / (int)PE_LANES };
    const pe__axis *axis = plan->axis;
    const size_t pairs = axis->pairs, anchors = (count + PE__DOTS_NEXT - 1) / PE__DOTS_NEXT;
    const double h = (double)pairs;
    int g = 26;
    while (h > pe__exp2i(52 - 2 * g)) g--;
    const double grid = 1.5 * pe__exp2i(52 - g);
    const double error = pe__exp2i(-54 - g) * h * (160 + h / 4);
    pe__dots_table table;
    pe__dots_sums sums[PE__DOTS_ANCHORS + 1];
    /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    memset(sums, 0, (anchors + 1) * sizeof *sums);
    for (size_t i = 0; i < pairs; i += PE__DOTS_TILE) {
        const size_t n = pe__min(pairs - i, PE__DOTS_TILE);
        pe__dots_anchor anchor[2];
        pe__dd s[VECTORS], c[VECTORS], S[VECTORS], C[VECTORS];
        pe__dots_make_table(plan, axis->pair + i, grid, &table);
        for (size_t v = 0; v < VECTORS; v++) {
            const size_t pair = axis->pair + i + v * PE_LANES;
            pe__exact_turn(plan, pair, (double)(first + PE__DOTS - 1), &s[v], &c[v]);
            pe__exact_turn(plan, pair, PE__DOTS_NEXT, &S[v], &C[v]);
        }
        for (size_t a = 0; a < anchors; a += PE__DOTS_TOGETHER) {
            for (size_t t = 0; t < PE__DOTS_TOGETHER; t++) {
                for (size_t v = 0; v < VECTORS; v++) {
                    pe__vd X, y;
                    pe__dots_split(c[v], grid, &X, &y);
                    pe__store(anchor[t].c[0] + v * PE_LANES, X);
                    pe__store(anchor[t].c[1] + v * PE_LANES, y);
                    pe__dots_split(s[v], grid, &X, &y);
                    pe__store(anchor[t].s[0] + v * PE_LANES, X);
                    pe__store(anchor[t].s[1] + v * PE_LANES, y);
                }
                pe__dots_turn(s, c, S, C);
            }
            pe__dots_multiply(&table, anchor, n, PE__DOTS_TOGETHER, sums + a);
        }
    }
    for (size_t a = 0; a < anchors; a++) {
        double side[2][PE__DOTS];
        pe__dots_round(plan, sums[a].large[0], sums[a].minor[0], error, side[0]);
        pe__dots_round(plan, sums[a].large[1], sums[a].minor[1], error, side[1]);
        for (size_t j = 0; j < PE__DOTS_NEXT && a * PE__DOTS_NEXT + j < count; j++) {
            const size_t at = a * PE__DOTS_NEXT + j, middle = PE__DOTS - 1;
            const double dot = j < middle ? side[1][middle - j] : side[0][j - middle];
            out[at] = dot == dot ? dot : pe__dot(plan, first + (int64_t)at);
        }
    }
}

static inline pe_status pe_dots_f64(const pe_plan *plan, int64_t first_k, size_t count, double *out)
{
    enum { CHUNK = PE__DOTS_ANCHORS * PE__DOTS_NEXT, FEW = 8 };
    if (count == 0) return PE_OK;
    if (!plan || !out) return PE_ERR_NULL;
    if (count > (size_t)PTRDIFF_MAX / sizeof *out) return PE_ERR_SIZE;
    pe_status status = pe__algebra_check(plan, first_k);
    if (status == PE_OK) status = pe__check_range(first_k, count);
    if (status != PE_OK) return status;
    for (size_t done = 0, n; done < count; done += n) {
        n = pe__min(count - done, CHUNK);
        if (n >= FEW) pe__dots(plan, first_k + (int64_t)done, n, out + done);
        else
            for (size_t j = 0; j < n; j++)
                out[done + j] = pe__dot(plan, first_k + (int64_t)(done + j));
    }
    return PE_OK;
}

static inline pe_status pe_norm_f64(const pe_plan *plan, double *norm)
{
    if (!plan || !norm) return PE_ERR_NULL;
    const pe_status status = pe__algebra_check(plan, 0);
    if (status != PE_OK) return status;
    /* sqrt(h) = r + (h - r^2) / 2r to 2^-105 */
    const double h = (double)plan->axis[0].pairs, r = sqrt(h);
    const double size = plan->mantissa < 0 ? -plan->mantissa : plan->mantissa;
    pe__dd root;
    pe__vd e;
    const pe__vd p = pe__two_prod(pe__splat(r), pe__splat(r), &e);
    root.hi = pe__splat(r);
    root.lo = ((pe__splat(h) - p) - e) / pe__splat(r > 0 ? 2 * r : 1);
    *norm = pe__first_lane(pe__dd_scaled(root, size).hi) * plan->scale;
    return PE_OK;
}

/* ---- plans --------------------------------------------------------------------------------------
 * Memory: up to 63 bytes to an aligned address; frequencies in 3 arrays; floats of them, if the
 * angles are rounded to float; row 0 and 8 rows a level in 2 arrays each. The axes' pairs follow
 * each other, each from a multiple of 8 on. An array has room for a vector that starts at any pair:
 * the doubles behind an axis' last pair repeat it, so that they raise no alarm by themselves. With
 * that pair they do, and exact turns load vectors from there on, too: so rows come last. */

PE__INLINE size_t pe__padded(size_t pairs) { return (pairs + 2 * PE__CHAIN - 2) & ~(size_t)7; }

/* Arrays of a plan with so many levels. */
#define PE__ARRAYS(levels) (3 + 2 * (1 + PE__DIGIT * (levels)))

/* log2(x), to a few ulp. */
static inline double pe__log2(double x)
{
    return pe__first_lane(pe__td_log(x).a) * 1.4426950408889634;
}

/* D of the exponent i / D, for an axis of the given width, as the exact sum of two doubles; any
   positive number if there is one pair only. */
static inline void pe__denominator(const pe_config *config, size_t width, size_t pairs, double *d)
{
    const size_t half = width / 2;
    d[0] = 1, d[1] = 0;
    if (pairs <= 1) return;
    if (config->exponent == PE_EXPONENT_WIDTH) d[0] = (double)width / 2;
    if (config->exponent == PE_EXPONENT_PAIRS) {
        pe__vd low;
        const pe__vd sum = pe__two_sum(pe__splat((double)half),
                                       pe__splat(-config->exponent_shift), &low);
        d[0] = pe__first_lane(sum), d[1] = pe__first_lane(low);
    }
}

PE__INLINE int pe__between(double x, double low, double high) /* 0 for NaN */
{
    return x >= low && x <= high;
}

/* What is wrong with a config, without a look at its axes; NULL if nothing is. */
static inline const char *pe__field_error(const pe_config *config)
{
    const size_t most = PTRDIFF_MAX / sizeof(double) / PE__ARRAYS(PE__LEVELS) / 2;
    const double a = config->amplitude < 0 ? -config->amplitude : config->amplitude;
    const double s = config->scale < 0 ? -config->scale : config->scale;
    const double steps = config->offset * 1048576.0; /* 2^20 */
    if (config->d_model < 1 || config->d_model >= most)
        return "d_model must be at least 1 (0: is the preset one of the enum, and made for this "
               "width?), and its plan must fit into the address space";
    if (config->multiple < 1) return "multiple must be at least 1: 1 allows any d_model";
    if (config->d_model % config->multiple != 0)
        return "d_model must be a multiple of config.multiple (of 2, 4 or 16 in some presets)";
    if (config->axes < 1 || config->axes > PE_MAX_AXES) return "axes must be 1 ... PE_MAX_AXES";
    if (config->axes > 1 && config->has_padding)
        return "has_padding is for rows of one position: axes must be 1";
    if ((unsigned)config->layout > PE_LAYOUT_HALVES) return "layout must be one of PE_LAYOUT_...";
    if ((unsigned)config->exponent > PE_EXPONENT_INDEX)
        return "exponent must be one of PE_EXPONENT_...";
    if ((unsigned)config->odd > PE_ODD_ZERO) return "odd must be one of PE_ODD_...";
    if ((unsigned)config->angle > PE_ANGLE_FLOAT32) return "angle must be one of PE_ANGLE_...";
    if (!pe__between(config->base, pe__exp2i(-20), pe__exp2i(900)))
        return "base must be within 2^-20 ... 2^900";
    if (!pe__between(a, pe__exp2i(-1000), pe__exp2i(1000)))
        return "amplitude must be within 2^-1000 ... 2^1000 in magnitude";
    if (!pe__between(s, pe__exp2i(-900), pe__exp2i(21)))
        return "scale must be within 2^-900 ... 2^21 in magnitude";
    if (!pe__between(config->exponent_shift, -pe__exp2i(60), pe__exp2i(60)))
        return "exponent_shift must be within -2^60 ... 2^60";
    if (!pe__between(config->offset, -pe__exp2i(31), pe__exp2i(31)) ||
        steps != (double)(int64_t)steps)
        return "offset must be a multiple of 2^-20 within -2^31 ... 2^31";
    return NULL;
}

/* What is wrong with the frequencies of an axis. */
static inline const char *pe__frequency_error(const pe_config *config, size_t width, size_t pairs)
{
    const double little = 1e-9;
    double d[2];
    pe__denominator(config, width, pairs, d);
    const double first = pe__log2(config->scale < 0 ? -config->scale : config->scale) +
                         (config->half_turns ? 1.6514961294723187 : 0.0); /* log2(pi) */
    if (!(d[0] > 0)) return "exponent_shift must be less than half of each axis' width";
    const double last = first - (double)(pairs ? pairs - 1 : 0) / d[0] * pe__log2(config->base);
    if (!pe__between(first, -960 - little, 21 + little) ||
        !pe__between(last, -960 - little, 21 + little))
        return "frequencies must be within 2^-960 ... 2^21: scale, half_turns or base are too "
               "large "
               "or too small for this width";
    return NULL;
}

/* Lay the axes out in a plan: columns and pairs. Returns what is wrong with them, or NULL. */
static inline const char *pe__plan_axes(pe_plan *plan, const pe_config *config)
{
    const size_t d = config->d_model;
    size_t column = 0, pairs = 0;
    plan->axes = config->axes, plan->d_model = d;
    for (size_t a = 0; a < config->axes; a++) {
        pe__axis *const axis = &plan->axis[a];
        size_t width = config->axes == 1 ? d : config->axis[a].width;
        if (width == 0) width = d / (2 * config->axes) * 2;
        axis->coordinate = config->axes == 1 ? 0 : config->axis[a].coordinate;
        if (axis->coordinate >= config->axes)
            return "the coordinate of an axis must be less than axes";
        if (width > d - column) return "the widths of the axes must not sum to more than d_model";
        axis->zeros = config->odd == PE_ODD_ZERO ? width % 2 : 0;
        axis->column = column, axis->width = width - axis->zeros;
        axis->pairs = (axis->width + 1) / 2;
        pairs = (pairs + 7) & ~(size_t)7;
        axis->pair = pairs;
        pe__denominator(config, width, axis->pairs, axis->denominator);
        const char *const error = pe__frequency_error(config, width, axis->pairs);
        if (error) return error;
        column += width, pairs += axis->pairs;
    }
    plan->axis[config->axes - 1].zeros += d - column;
    plan->pairs = pairs;
    return NULL;
}

static inline size_t pe__plan_bytes(const pe_config *config, pe_plan *plan)
{
    if (!config || pe__field_error(config) || pe__plan_axes(plan, config)) return 0;
    const size_t arrays =
        config->angle == PE_ANGLE_FLOAT32 ? PE__ARRAYS(0) + 1 : PE__ARRAYS(PE__LEVELS);
    return pe__padded(plan->pairs) * arrays * sizeof(double) + 63;
}

static inline size_t pe_plan_size(const pe_config *config)
{
    pe_plan plan;
    return pe__plan_bytes(config, &plan);
}

static inline const char *pe_config_error(const pe_config *config)
{
    pe_plan plan;
    if (!config) return "config is NULL";
    const char *const error = pe__field_error(config);
    return error ? error : pe__plan_axes(&plan, config);
}

/* Row 0 is (0, 1) and row 1 an exact turn. Within a level, row b comes from the rows b/2 and b -
   b/2, one after the other; the first row of the next level, 17 = 8 + 8 + 1, from the rows 8 and 1.
   All in double-double: an error of 2^-98 in row 1 and in each turn grows with the number of the
   row, to 2^-66 in the last. Some vectors at a time, since each waits for its own results. */
PE__OUTLINE void pe__plan_rows(const pe_plan *plan, double *table)
{
    enum { TOGETHER = 4 };
    const size_t padded = plan->padded;
    pe__dd s[PE__DIGIT + 1][TOGETHER], c[PE__DIGIT + 1][TOGETHER];
    for (size_t i = 0; i < padded; i += TOGETHER * (size_t)PE_LANES) {
        const size_t vectors = pe__min(TOGETHER, (padded - i) / PE_LANES);
        double *row = table + i;
        for (size_t v = 0; v < vectors; v++) {
            pe__store(row + v * PE_LANES, pe__splat(0.0));
            pe__store(row + padded + v * PE_LANES, pe__splat(1.0));
            if (plan->levels) pe__exact_turn(plan, i + v * PE_LANES, 1.0, &s[1][v], &c[1][v]);
        }
        for (size_t level = 0; level < plan->levels; level++) {
            for (size_t b = 1; b <= PE__DIGIT; b++) {
                row += 2 * padded;
                for (size_t v = 0; v < vectors; v++) {
                    pe__dd sine = s[b > 1 ? b / 2 : 1][v], cosine = c[b > 1 ? b / 2 : 1][v];
                    if (b % 2 == 0) pe__dd_turn_twice(&sine, &cosine);
                    else if (b > 1) pe__dd_turn(&sine, &cosine, s[b - b / 2][v], c[b - b / 2][v]);
                    s[b][v] = sine, c[b][v] = cosine;
                    pe__store(row + v * PE_LANES, sine.hi + sine.lo);
                    pe__store(row + padded + v * PE_LANES, cosine.hi + cosine.lo);
                }
            }
            for (size_t v = 0; v < vectors; v++) {
                pe__dd sine = s[PE__DIGIT][v], cosine = c[PE__DIGIT][v];
                pe__dd_turn_twice(&sine, &cosine);
                pe__dd_turn(&sine, &cosine, s[1][v], c[1][v]);
                sine = pe__dd_normal(sine), cosine = pe__dd_normal(cosine);
                pe__dd_unit(&sine, &cosine);
                s[1][v] = sine, c[1][v] = cosine;
            }
        }
    }
}

/* A, and what the rounding test knows of it. */
static inline void pe__plan_amplitude(pe_plan *plan, double amplitude)
{
    int exponent;
    const double size = amplitude < 0 ? -amplitude : amplitude;
    const double mantissa = pe__frexp(size, &exponent);
    const float guard = (float)(size * PE__GUARD);
    plan->amplitude = amplitude;
    plan->mantissa = amplitude < 0 ? -mantissa : mantissa;
    plan->scale = pe__exp2i(exponent);
    memcpy(&plan->guard, &guard, sizeof guard);
    if (plan->guard < 0x00800001) plan->guard = 0x00800001; /* the smallest normal float */
    if (size > pe__exp2i(127)) plan->guard = INT32_MAX; /* infinite or not? */
}

/* What a plan takes from the config as it is, and where its arrays lie in aligned memory. */
static inline void pe__plan_begin(pe_plan *plan, const pe_config *config, size_t levels,
                                  double *memory)
{
    plan->layout = config->layout, plan->cos_first = config->cos_first != 0;
    plan->has_padding = config->has_padding != 0, plan->padding = config->padding_position;
    pe__plan_amplitude(plan, config->amplitude);
    plan->snap = 0, plan->half_turns = config->half_turns != 0;
    plan->whole = (int64_t)config->offset;
    if ((double)plan->whole > config->offset) plan->whole--;
    plan->fraction = config->offset - (double)plan->whole;

    plan->levels = levels;
    plan->nearby = 0;
    for (size_t level = 0; level < levels; level++)
        plan->nearby = plan->nearby * PE__RADIX + PE__DIGIT;
    plan->padded = pe__padded(plan->pairs);
    plan->frequency = memory;
    plan->float32 = config->angle == PE_ANGLE_FLOAT32 ? memory + 3 * plan->padded : NULL;
    plan->table = memory + (plan->float32 ? 4 : 3) * plan->padded;
}

/* The doubles from one array's end of an axis to the next one's begin repeat the last pair. */
static inline void pe__plan_pad(const pe_plan *plan, double *array)
{
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *axis = &plan->axis[a];
        const size_t end = a + 1 < plan->axes ? plan->axis[a + 1].pair : plan->padded;
        for (size_t i = axis->pair + axis->pairs; i < end; i++) array[i] = i ? array[i - 1] : 0;
    }
}

/* The frequencies are there: all that follows from them. */
static inline void pe__plan_end(pe_plan *plan, double *memory)
{
    const size_t padded = plan->padded;
    for (size_t part = 0; part < 3; part++) pe__plan_pad(plan, memory + part * padded);
    if (plan->float32) {
        double *const w = memory + 3 * padded;
        for (size_t i = 0; i < padded; i++) {
            double hi, lo;
            pe__radians(plan, i, &hi, &lo);
            w[i] = (double)pe__round_once(hi, lo, 1, PE__DROP_F32);
        }
        for (size_t part = 0; part < 3; part++)
            for (size_t i = 0; i < padded; i++) memory[part * padded + i] = pe__inverse_pi[part];
    }
    plan->fastest = 0;
    for (size_t i = 0; i < padded; i++) {
        const double f = plan->float32 ? plan->float32[i] * pe__inverse_pi[0] : plan->frequency[i];
        if (plan->fastest < f || plan->fastest < -f) plan->fastest = f < 0 ? -f : f;
    }
    pe__plan_rows(plan, memory + (plan->float32 ? 4 : 3) * padded);
}

static inline pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                                     size_t memory_size)
{
    pe_plan made;
    if (!plan || !config || !memory) return PE_ERR_NULL;
    const size_t size = pe__plan_bytes(config, &made);
    if (size == 0) return PE_ERR_CONFIG;
    if (memory_size < size) return PE_ERR_SIZE;
    double *const f = pe__aligned(memory);
    pe__plan_begin(&made, config, config->angle == PE_ANGLE_FLOAT32 ? 0 : PE__LEVELS, f);
    made.snap = config->half_turns;
    for (size_t a = 0; a < made.axes; a++) {
        const pe__axis *axis = &made.axis[a];
        pe__geometric g;
        pe__geometric_begin(&g, config, axis->denominator);
        for (size_t i = 0; i < axis->pairs; i += PE__CHAIN)
            pe__geometric_next(&g, f + axis->pair + i, made.padded);
    }
    pe__plan_end(&made, f);
    *plan = made;
    return PE_OK;
}

static inline pe_status pe_plan_init_frequencies(pe_plan *plan, const pe_config *config,
                                                 const double *omega, size_t pairs, void *memory,
                                                 size_t memory_size)
{
    pe_plan made;
    if (!plan || !config || !omega || !memory) return PE_ERR_NULL;
    const size_t size = pe__plan_bytes(config, &made);
    if (size == 0 || made.axes != 1) return PE_ERR_CONFIG;
    if (pairs != made.pairs) return PE_ERR_SHAPE;
    for (size_t i = 0; i < pairs; i++) {
        const double w = omega[i] < 0 ? -omega[i] : omega[i];
        if (w == 0) continue;
        if (!pe__between(w, pe__exp2i(-900), pe__exp2i(900))) return PE_ERR_CONFIG;
        const double scaled = w * (config->scale < 0 ? -config->scale : config->scale);
        if (!pe__between(scaled, pe__exp2i(-960), pe__exp2i(21))) return PE_ERR_CONFIG;
    }
    if (memory_size < size) return PE_ERR_SIZE;
    double *const f = pe__aligned(memory);
    pe__plan_begin(&made, config, config->angle == PE_ANGLE_FLOAT32 ? 0 : PE__LEVELS, f);
    const pe__td unit = pe__frequency_unit(config);
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        double w[PE_LANES] = {0};
        memcpy(w, omega + i, pe__min(PE_LANES, pairs - i) * sizeof *w);
        const pe__td y = pe__td_scale(unit, pe__load(w));
        pe__store(f + i, y.a);
        pe__store(f + made.padded + i, y.b);
        pe__store(f + 2 * made.padded + i, y.c);
    }
    pe__plan_end(&made, f);
    *plan = made;
    return PE_OK;
}

static inline size_t pe_plan_pairs(const pe_plan *plan)
{
    size_t pairs = 0;
    for (size_t a = 0; plan && a < plan->axes; a++) pairs += plan->axis[a].pairs;
    return pairs;
}

static inline pe_status pe_plan_frequencies(const pe_plan *plan, double *omega)
{
    if (!plan || !omega) return PE_ERR_NULL;
    for (size_t a = 0; a < plan->axes; a++) {
        for (size_t i = 0; i < plan->axis[a].pairs; i++) {
            double lo;
            if (plan->float32) *omega = plan->float32[plan->axis[a].pair + i];
            else pe__radians(plan, plan->axis[a].pair + i, omega, &lo);
            omega++;
        }
    }
    return PE_OK;
}

PE__DIVIDES_BY_ZERO /* 1 / 0 is infinity, as documented */
static inline pe_status pe_plan_wavelengths(const pe_plan *plan, double *wavelength)
{
    if (!plan || !wavelength) return PE_ERR_NULL;
    for (size_t a = 0; a < plan->axes; a++) {
        for (size_t i = 0; i < plan->axis[a].pairs; i++) {
            const size_t pair = plan->axis[a].pair + i;
            if (plan->float32) *wavelength++ = 6.283185307179586 / plan->float32[pair];
            else *wavelength++ = 2 / plan->frequency[pair];
        }
    }
    return PE_OK;
}

/* Without a plan: tiles of columns, each with a small plan on the stack that has no more rows than
   it needs. */
static inline pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model)
{
    enum { PAIRS = 32, PADDED = PAIRS + PE__CHAIN };
    if (rows == 0) return PE_OK;
    if (!out) return PE_ERR_NULL;
    const pe_config config = pe_config_default(d_model);
    if (pe__field_error(&config)) return PE_ERR_CONFIG;
    pe_status status = pe__check_shape(d_model, rows, d_model, sizeof *out);
    if (status == PE_OK) status = pe__check_range(0, rows);
    if (status != PE_OK) return status;

    double memory[PADDED * PE__ARRAYS(2) + PE__CHAIN];
    double *const f = pe__aligned(memory);
    pe_plan plan;
    pe__geometric g;
    const double denominator[2] = {(double)d_model / 2, 0};
    pe__geometric_begin(&g, &config, denominator);
    for (size_t column = 0; column < d_model; column += 2 * PAIRS) {
        pe_config part = config;
        part.d_model = pe__min(2 * PAIRS, d_model - column);
        (void)pe__plan_axes(&plan, &part);
        pe__plan_begin(&plan, &part, rows > PE__DIGIT + 1 ? 2 : 1, f);
        for (size_t i = 0; i < plan.pairs; i += PE__CHAIN)
            pe__geometric_next(&g, f + i, plan.padded);
        pe__plan_end(&plan, f);
        plan.d_model = d_model;
        const pe__output o =
            pe__output_of(out + column, sizeof *out, rows, d_model, pe__rows_f32, pe__zeros_f32);
        pe__emit_range(&plan, 0, &o);
    }
    return PE_OK;
}

/* ---- ALiBi --------------------------------------------------------------------------------------
 * With j = key - query the bias is slope * j, and after the query another line: a row is two lines
 * that meet at j = 0. As floats they are made where they are wanted, at the price of a store. To
 * round once to 16 bits costs more, but each row is the one before, moved by one key: such values
 * are made once for many rows, and copied. */

/* Up to PE_LANES slopes, 2^-t, for exact t. */
PE__OUTLINE void pe__alibi_slopes(const double *t, size_t count, float *slopes)
{
    const pe__vd p = pe__load(t), k = pe__round(p);
    pe__td rest;
    rest.a = k - p, rest.b = pe__splat(0.0), rest.c = rest.b; /* exact */
    const pe__td y = pe__td_exp(pe__td_mul(rest, pe__td_const(pe__ln2)));
    double whole[PE_LANES], hi[PE_LANES], lo[PE_LANES];
    pe__store(whole, k);
    pe__store(hi, y.a);
    pe__store(lo, y.b + y.c);
    for (size_t lane = 0; lane < PE_LANES && lane < count; lane++) {
        const double power = pe__exp2i(-(int)whole[lane]);
        slopes[lane] = (float)pe__to_odd(hi[lane] * power, lo[lane] * power);
    }
}

static inline pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes)
{
    const size_t most = (size_t)1 << 28;
    if (heads == 0) return PE_OK;
    if (!slopes) return PE_ERR_NULL;
    if (!(max_bias >= 0 && max_bias <= FLT_MAX)) return PE_ERR_CONFIG;
    if (heads > most) return PE_ERR_SIZE;
    size_t n = 1;
    while (n <= heads / 2) n *= 2;
    for (size_t first = 0, end; first < heads; first = end) { /* n heads, then the others */
        const double before = first < n ? 1 : 0.5;
        end = first < n ? n : heads;
        for (size_t h = first; h < end; h += PE_LANES) {
            double t[PE_LANES];
            for (int lane = 0; lane < PE_LANES; lane++) { /* 24 bits and 29: exact */
                t[lane] = (double)max_bias * ((double)(h - first) + lane + before) / (double)n;
                if (t[lane] > 200) t[lane] = 200; /* 2^-200 is 0 */
            }
            pe__alibi_slopes(t, pe__min(PE_LANES, end - h), slopes + h);
        }
    }
    return PE_OK;
}

/* slope * j to 53 bits, to odd. */
PE__COLD double pe__alibi_product(double slope, int64_t j)
{
    pe__vd e, p = pe__two_prod(pe__splat(slope), pe__splat((double)j), &e);
    double hi[PE_LANES], lo[PE_LANES];
    pe__store(hi, p + pe__splat(0.0)); /* a zero is +0 */
    pe__store(lo, e);
    return pe__to_odd(hi[0], lo[0]);
}

/* x as a float, to odd as well: the nearest or its neighbour. */
PE__COLD float pe__alibi_odd(double x)
{
    float y = (float)x;
    const double size = x < 0 ? -x : x, size_y = y < 0 ? -(double)y : (double)y;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    if (size_y != size) bits = (bits - (size_y > size)) | 1;
    memcpy(&y, &bits, sizeof y);
    return y;
}

/* slope * j + offset, where offset is 0, or -infinity with slope = 0. */
typedef struct pe__line {
    double slope, offset;
} pe__line;

/* The bias of one head as a function of j: a line up to 0 and one beyond. */
typedef struct pe__bend {
    pe__line past, after;
} pe__bend;

PE__INLINE pe__bend pe__alibi_bend(pe_alibi_mode mode, double slope)
{
    pe__bend bend;
    bend.past.slope = slope, bend.past.offset = 0;
    bend.after = bend.past;
    if (mode == PE_ALIBI_SYMMETRIC) bend.after.slope = -slope;
    if (mode == PE_ALIBI_CAUSAL) {
        const uint64_t minus_infinity = (uint64_t)0xfff << 52;
        bend.after.slope = 0;
        memcpy(&bend.after.offset, &minus_infinity, sizeof minus_infinity);
    }
    return bend;
}

/* One line for n consecutive j, each element rounded once. A double holds the product of a float
   and 29 bits exactly; what is larger is made one by one. A product that is a subnormal float is a
   multiple of 2^-149 as the slope is, and so exact as a float. */
PE__INLINE void pe__line_as(pe__kind type, pe__line line, int64_t j, size_t n, void *out)
{
    static const double count[8] = {0, 2, 4, 6, 8, 10, 12, 14};
    const int64_t distant = (int64_t)1 << 29;
    if (line.slope != 0 && (j < -distant || j > distant - (int64_t)n)) {
        for (size_t i = 0; i < n; i++) {
            const double x = pe__alibi_product(line.slope, j + (int64_t)i);
            const float y = type == PE__F32 ? (float)x : pe__alibi_odd(x);
            pe__put_n_as(type, pe__at(type, out, i), pe__splat_f32(y), 1);
        }
        return;
    }
    const pe__vd slope = pe__splat(line.slope), offset = pe__splat(line.offset);
    const pe__vd step = pe__splat(PE__FLOATS);
    pe__vd a = pe__load(count) + pe__splat((double)j), b = a + pe__splat(1.0);
    /* NOLINTNEXTLINE(cert-flp30-c): a and b are whole numbers, exact */
    for (size_t i = 0; i < n; i += PE__FLOATS, a = a + step, b = b + step) {
        const pe__vd x = slope * a + offset, y = slope * b + offset; /* exact; a zero is +0 */
        const pe__vf v = type == PE__F32 ? pe__zip(x, y) : pe__zip_odd(x, y);
        void *at = pe__at(type, out, i);
        if (n - i >= PE__FLOATS) pe__put_as(type, at, v);
        else pe__put_n_as(type, at, v, n - i);
    }
}

PE__OUTLINE void pe__line_store(pe__kind type, pe__line line, int64_t j, size_t n, void *out)
{
    if (n == 0) return;
    if (type == PE__F32) pe__line_as(PE__F32, line, j, n, out);
    else if (type == PE__F16) pe__line_as(PE__F16, line, j, n, out);
    else pe__line_as(PE__BF16, line, j, n, out);
}

/* How many of n consecutive j, from the given one on, are <= 0. */
PE__INLINE size_t pe__alibi_past(int64_t j, size_t n)
{
    if (j > 0) return 0;
    return (uint64_t)(1 - j) < n ? (size_t)(1 - j) : n;
}

/* Both lines. */
PE__OUTLINE void pe__bend_store(pe__kind type, pe__bend bend, int64_t j, size_t n, void *out)
{
    const size_t past = pe__alibi_past(j, n);
    pe__line_store(type, bend.past, j, past, out);
    pe__line_store(type, bend.after, j + (int64_t)past, n - past, pe__at(type, out, past));
}

/* What becomes of floats: stored, stored past the caches, or added to elements of some type. */
typedef enum pe__how { PE__HOW_STORE, PE__HOW_STREAM, PE__HOW_ADD } pe__how;

/* A bend in floats. */
typedef struct pe__bend_f32 {
    pe__vf slope, after; /* the other slope, or what is there beyond 0 */
} pe__bend_f32;

PE__INLINE pe__vf pe__bend_at(pe_alibi_mode mode, const pe__bend_f32 *b, pe__vf j)
{
    pe__vf slope = b->slope;
    if (mode == PE_ALIBI_SYMMETRIC) slope = pe__if_positive(j, b->after, slope);
    const pe__vf v = pe__add_f32(pe__mul_f32(slope, j), pe__splat_f32(0.0f)); /* a zero is +0 */
    return mode == PE_ALIBI_CAUSAL ? pe__if_positive(j, b->after, v) : v;
}

/* x and its bias; -infinity where that is masked, whatever x is. */
PE__INLINE pe__vf pe__bend_sum(pe_alibi_mode mode, const pe__bend_f32 *b, pe__vf j, pe__vf x)
{
    const pe__vf sum = pe__add_f32(x, pe__bend_at(mode, b, j));
    return mode == PE_ALIBI_CAUSAL ? pe__if_positive(j, b->after, sum) : sum;
}
PE__INLINE void pe__bend_put(pe__how to, pe__kind type, pe_alibi_mode mode, void *at,
                             const pe__bend_f32 *b, pe__vf j)
{
    if (to == PE__HOW_STORE) pe__put_as(type, at, pe__bend_at(mode, b, j));
    else if (to == PE__HOW_STREAM) pe__stream((float *)at, pe__bend_at(mode, b, j));
    else pe__put_as(type, at, pe__bend_sum(mode, b, j, pe__get_as(type, at)));
}
PE__INLINE void pe__bend_put_n(pe__how to, pe__kind type, pe_alibi_mode mode, void *at,
                               const pe__bend_f32 *b, pe__vf j, size_t n)
{
    if (to == PE__HOW_ADD)
        pe__put_n_as(type, at, pe__bend_sum(mode, b, j, pe__get_n_as(type, at, n)), n);
    else pe__put_n_as(type, at, pe__bend_at(mode, b, j), n);
}

/* n consecutive j of at most 2^24, which floats hold exactly. Four vectors at a time, since each
   count waits for the one before. */
PE__INLINE void pe__bend_near(pe__how to, pe__kind type, pe_alibi_mode mode,
                              const pe__bend_f32 *bend, int64_t j, size_t n, void *out)
{
    static const float count[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    enum { STEP = PE__FLOATS };
    const pe__vf first = pe__splat_f32((float)j), step = pe__splat_f32(STEP);
    const pe__vf four = pe__splat_f32(4 * STEP);
    pe__vf a = pe__add_f32(first, pe__get(count)), b = pe__add_f32(first, pe__get(count + STEP));
    pe__vf c = pe__add_f32(first, pe__get(count + 2 * STEP));
    pe__vf d = pe__add_f32(first, pe__get(count + 3 * STEP));
    size_t i = 0;
    for (; i + 4 * STEP <= n; i += 4 * STEP) {
        pe__bend_put(to, type, mode, pe__at(type, out, i), bend, a);
        pe__bend_put(to, type, mode, pe__at(type, out, i + STEP), bend, b);
        pe__bend_put(to, type, mode, pe__at(type, out, i + 2 * STEP), bend, c);
        pe__bend_put(to, type, mode, pe__at(type, out, i + 3 * STEP), bend, d);
        a = pe__add_f32(a, four), b = pe__add_f32(b, four);
        c = pe__add_f32(c, four), d = pe__add_f32(d, four);
    }
    for (; i + STEP <= n; i += STEP, a = pe__add_f32(a, step))
        pe__bend_put(to, type, mode, pe__at(type, out, i), bend, a);
    if (i < n) pe__bend_put_n(to, type, mode, pe__at(type, out, i), bend, a, n - i);
}

/* Further away: made in pieces, and stored or added from there. */
PE__OUTLINE void pe__bend_far(pe__how to, pe__kind type, pe_alibi_mode mode, double slope,
                              int64_t j, size_t n, void *x)
{
    float values[256];
    const pe__bend bend = pe__alibi_bend(mode, slope);
    for (size_t i = 0, part; i < n; i += part, j += (int64_t)part) {
        void *at = pe__at(type, x, i);
        part = pe__min(n - i, sizeof values / sizeof *values);
        if (to != PE__HOW_ADD) {
            pe__bend_store(type, bend, j, part, at);
            continue;
        }
        const size_t sums = mode == PE_ALIBI_CAUSAL ? pe__alibi_past(j, part) : part;
        pe__bend_store(PE__F32, bend, j, part, values);
        pe__add_floats(type, at, values, sums);
        pe__line_store(type, bend.after, j + (int64_t)sums, part - sums, pe__at(type, at, sums));
    }
}

typedef struct pe__alibi {
    const float *slopes;
    size_t heads, queries, keys, query_stride, head_stride;
    pe_alibi_mode mode;
    pe__kind type;
    int64_t first_query;
} pe__alibi;

static inline pe_status pe__alibi_check(const pe__alibi *a, const void *out)
{
    if (!a->slopes || !out) return PE_ERR_NULL;
    if (a->mode != PE_ALIBI_LINEAR && a->mode != PE_ALIBI_CAUSAL && a->mode != PE_ALIBI_SYMMETRIC)
        return PE_ERR_CONFIG;

    /* rows do not overlap: the rows of a head lie together, or those of a query do */
    const size_t q = a->queries - 1, h = a->heads - 1, keys = a->keys;
    const size_t query_stride = a->query_stride, head_stride = a->head_stride;
    if ((q > 0 && query_stride < keys) || (h > 0 && head_stride < keys)) return PE_ERR_SHAPE;
    if (q > 0 && h > 0 && query_stride > (head_stride - keys) / q &&
        head_stride > (query_stride - keys) / h)
        return PE_ERR_SHAPE;

    /* the last element lies within reach of a pointer */
    size_t room = (size_t)PTRDIFF_MAX / pe__size_of(a->type);
    if (keys > room) return PE_ERR_SIZE;
    room -= keys;
    if (q > 0 && query_stride > room / q) return PE_ERR_SIZE;
    room -= q > 0 ? q * query_stride : 0;
    if (h > 0 && head_stride > room / h) return PE_ERR_SIZE;

    const pe_status status = pe__check_range(a->first_query, a->queries);
    if (status != PE_OK) return status;
    if (pe__check_range(0, keys) != PE_OK) return PE_ERR_RANGE;
    int finite = 1;
    for (size_t i = 0; i < a->heads; i++)
        finite &= a->slopes[i] >= -FLT_MAX && a->slopes[i] <= FLT_MAX;
    return finite ? PE_OK : PE_ERR_CONFIG;
}

/* Large enough, and at addresses of its type, to be written past the caches? */
PE__INLINE int pe__alibi_streams(const pe__alibi *a, const void *out)
{
    const size_t size = pe__size_of(a->type), many = PE_STREAM_BYTES;
    return a->heads * a->queries * a->keys * size >= many && (uintptr_t)out % size == 0;
}

/* Row after row, each in pieces that are near or not as a whole. */
PE__INLINE void pe__alibi_rows_as(pe__how to, pe__kind type, pe_alibi_mode mode, const pe__alibi *a,
                                  void *out)
{
    const int64_t nearby = (int64_t)1 << 24;
    const size_t vector = sizeof(pe__vf), most = (size_t)1 << 16;
    for (size_t head = 0; head < a->heads; head++) {
        const double slope = (double)a->slopes[head];
        const pe__line after = pe__alibi_bend(mode, slope).after;
        pe__bend_f32 bend;
        bend.slope = pe__splat_f32((float)slope);
        bend.after = pe__splat_f32((float)(mode == PE_ALIBI_CAUSAL ? after.offset : after.slope));
        for (size_t query = 0; query < a->queries; query++) {
            unsigned char *row = (unsigned char *)pe__at(
                type, out, head * a->head_stride + query * a->query_stride);
            int64_t j = -(a->first_query + (int64_t)query);
            size_t part, rest = a->keys;
            for (; rest > 0; rest -= part, j += (int64_t)part, row += part * pe__size_of(type)) {
                const size_t beyond = (size_t)((uintptr_t)row % vector);
                part = pe__min(most, rest);
                if (PE__UNLIKELY(j < -nearby || j > nearby - (int64_t)part)) {
                    pe__bend_far(to, type, mode, slope, j, part, row);
                } else if (to == PE__HOW_STREAM && beyond) { /* to where a stream may begin */
                    part = pe__min((vector - beyond) / sizeof(float), rest);
                    pe__bend_near(PE__HOW_STORE, type, mode, &bend, j, part, row);
                } else {
                    pe__bend_near(to, type, mode, &bend, j, part, row);
                }
            }
        }
    }
}
PE__INLINE void pe__alibi_rows(pe__how to, pe__kind type, const pe__alibi *a, void *out)
{
    if (a->mode == PE_ALIBI_LINEAR) pe__alibi_rows_as(to, type, PE_ALIBI_LINEAR, a, out);
    else if (a->mode == PE_ALIBI_CAUSAL) pe__alibi_rows_as(to, type, PE_ALIBI_CAUSAL, a, out);
    else pe__alibi_rows_as(to, type, PE_ALIBI_SYMMETRIC, a, out);
}

/* Rows of 16-bit numbers that share a tile of values: as many rows and keys as it serves. */
PE__OUTLINE void pe__alibi_copies(const pe__alibi *a, size_t head, void *out, int stream)
{
    enum { TILE = 4096, WIDE = 3584 };
    uint16_t tile[TILE];
    const size_t wide = pe__min(a->keys, WIDE), high = pe__min(a->queries, TILE + 1 - wide);
    const pe__bend bend = pe__alibi_bend(a->mode, (double)a->slopes[head]);
    for (size_t query = 0; query < a->queries; query += high)
        for (size_t key = 0; key < a->keys; key += wide) {
            const size_t rows = pe__min(high, a->queries - query);
            const size_t keys = pe__min(wide, a->keys - key);
            /* the last row's first value is the tile's first */
            const int64_t last = a->first_query + (int64_t)(query + rows) - 1;
            pe__bend_store(a->type, bend, (int64_t)key - last, keys + rows - 1, tile);
            for (size_t r = 0; r < rows; r++) {
                void *row = pe__at(a->type, out, (query + r) * a->query_stride + key);
                const uint16_t *from = tile + (rows - 1 - r);
                if (stream) pe__copy(row, from, keys * sizeof *from, 1);
                else pe__copy(row, from, keys * sizeof *from, 0);
            }
        }
}

PE__OUTLINE void pe__alibi_fill(const pe__alibi *a, void *bias)
{
    const int stream = pe__alibi_streams(a, bias);
    if (a->type != PE__F32)
        for (size_t head = 0; head < a->heads; head++)
            pe__alibi_copies(a, head, pe__at(a->type, bias, head * a->head_stride), stream);
    else if (stream) pe__alibi_rows(PE__HOW_STREAM, PE__F32, a, bias);
    else pe__alibi_rows(PE__HOW_STORE, PE__F32, a, bias);
    if (stream) pe__fence();
}

PE__OUTLINE void pe__alibi_add(const pe__alibi *a, void *scores)
{
    if (a->type == PE__F32) pe__alibi_rows(PE__HOW_ADD, PE__F32, a, scores);
    else if (a->type == PE__F16) pe__alibi_rows(PE__HOW_ADD, PE__F16, a, scores);
    else pe__alibi_rows(PE__HOW_ADD, PE__BF16, a, scores);
}

PE__INLINE pe__alibi pe__alibi_of(pe__kind type, const float *slopes, size_t heads,
                                  pe_alibi_mode mode, int64_t first_query, size_t queries,
                                  size_t keys, size_t query_stride, size_t head_stride)
{
    pe__alibi a;
    a.slopes = slopes, a.heads = heads, a.queries = queries, a.keys = keys;
    a.query_stride = query_stride, a.head_stride = head_stride;
    a.mode = mode, a.type = type, a.first_query = first_query;
    return a;
}

#define PE__ALIBI(verb, name, T, type)                                                             \
    static inline pe_status name(const float *slopes, size_t heads, pe_alibi_mode mode,            \
                                 int64_t first_query, size_t queries, size_t keys, T *x,           \
                                 size_t query_stride, size_t head_stride)                          \
    {                                                                                              \
        const pe__alibi a = pe__alibi_of(type, slopes, heads, mode, first_query, queries, keys,    \
                                         query_stride, head_stride);                               \
        if (heads == 0 || queries == 0 || keys == 0) return PE_OK;                                 \
        const pe_status status = pe__alibi_check(&a, x);                                           \
        if (status == PE_OK) verb(&a, x);                                                          \
        return status;                                                                             \
    }
PE__ALIBI(pe__alibi_fill, pe_alibi_fill_f32, float, PE__F32)
PE__ALIBI(pe__alibi_fill, pe_alibi_fill_f16, uint16_t, PE__F16)
PE__ALIBI(pe__alibi_fill, pe_alibi_fill_bf16, uint16_t, PE__BF16)
PE__ALIBI(pe__alibi_add, pe_alibi_add_f32, float, PE__F32)
PE__ALIBI(pe__alibi_add, pe_alibi_add_f16, uint16_t, PE__F16)
PE__ALIBI(pe__alibi_add, pe_alibi_add_bf16, uint16_t, PE__BF16)
#undef PE__ALIBI

static inline pe_status pe_alibi_bias_f32(const float *slopes, size_t heads, int64_t first_query,
                                          size_t queries, size_t keys, float *bias)
{
    if (heads == 0 || queries == 0 || keys == 0) return PE_OK;
    if (!slopes || !bias) return PE_ERR_NULL;
    if (queries > (size_t)PTRDIFF_MAX / keys) return PE_ERR_SIZE;
    return pe_alibi_fill_f32(slopes, heads, PE_ALIBI_LINEAR, first_query, queries, keys, bias, keys,
                             queries * keys);
}

/* ---- RoPE ---------------------------------------------------------------------------------------
 * A tile of rows of sines and cosines of some tokens is made on the stack, and all heads of these
 * tokens are turned by it. The rows are those that pe_fill_f32 makes: sines, then cosines, for
 * halves, and s0 c0 s1 c1 ... for adjacent pairs. */

enum {
    PE__ROPE_PAIRS = 256,     /* pairs of a tile, at most                        */
    PE__ROPE_TILE = 34 * 128, /* floats of a tile: 34 tokens of 64 pairs, 17 KB  */
    PE__ROPE_AHEAD = 8192     /* bytes to fetch in advance, as while rows are made */
};

/* Heads to turn, [tokens][heads], strides in bytes. */
typedef struct pe__heads {
    const unsigned char *in;
    unsigned char *out;
    size_t in_token, in_head, out_token, out_head, heads;
    size_t rest; /* bytes behind the pairs to copy */
} pe__heads;

/* The columns of a tile: count pairs from the given one on, of all pairs of a head. */
typedef struct pe__tile {
    const float *rows;
    size_t stride; /* floats from row to row; 0: all tokens share one */
    size_t pair, count, pairs;
    size_t token, tokens;
    pe__order order;
} pe__tile;

/* Two vectors that are halves (a, b), and adjacent pairs, whose sines and cosines are each there
   twice. */
PE__INLINE void pe__rope_two(pe__kind kind, pe__vf a, pe__vf b, pe__vf s, pe__vf c,
                             unsigned char *out, size_t across)
{
    pe__put_two_as(kind, out, pe__fms_f32(a, c, pe__mul_f32(b, s)), out + across,
                 pe__fma_f32(b, c, pe__mul_f32(a, s)));
}
PE__INLINE pe__vf pe__rope_one(pe__vf v, pe__vf s, pe__vf c)
{
    return pe__fmas_f32(v, c, pe__mul_f32(pe__swap(v), s));
}

/* One head; what does not fill a vector ends with one that overlaps the last, and is read before
   that is written. Adjacent pairs go by two vectors, or twice by the same one. */
PE__INLINE void pe__rope_halves(pe__kind kind, const float *row, size_t n, size_t across,
                                const unsigned char *in, unsigned char *out)
{
    enum { VECTOR = 2 * PE_LANES };
    const size_t element = kind == PE__F32 ? 4 : 2, end = n - VECTOR;
    const int tail = n % VECTOR != 0;
    pe__vf a = pe__splat_f32(0.0f), b = a;
    if (tail) {
        a = pe__get_as(kind, in + end * element);
        b = pe__get_as(kind, in + end * element + across);
    }
    for (size_t i = 0; i + VECTOR <= n; i += VECTOR) {
        const unsigned char *const p = in + i * element;
        pe__rope_two(kind, pe__get_as(kind, p), pe__get_as(kind, p + across),
                     pe__get(row + i), pe__get(row + n + i), out + i * element, across);
    }
    if (tail)
        pe__rope_two(kind, a, b, pe__get(row + end), pe__get(row + n + end), out + end * element,
                     across);
}

PE__INLINE void pe__rope_adjacent(pe__kind kind, const float *row, size_t n,
                                  const unsigned char *in, unsigned char *out)
{
    enum { VECTOR = 2 * PE_LANES };
    const size_t element = kind == PE__F32 ? 4 : 2, whole = n / VECTOR * VECTOR;
    const size_t end = whole / (2 * VECTOR) * (2 * VECTOR);
    /* what the pairs of vectors leave: a vector, the overlapping one, both or none */
    const size_t last = n - VECTOR, odd = whole != end ? end : last;
    const int rest = end != n;
    pe__vf u = pe__splat_f32(0.0f), v = u;
    if (rest) {
        u = pe__get_as(kind, in + odd * element);
        v = pe__get_as(kind, in + last * element);
    }
    for (size_t i = 0; i < end; i += 2 * VECTOR) {
        const pe__vf x = pe__get(row + i), y = pe__get(row + i + VECTOR);
        unsigned char *const p = out + i * element;
        const pe__vf w0 = pe__get_as(kind, in + i * element);
        const pe__vf w1 = pe__get_as(kind, in + (i + VECTOR) * element);
        pe__put_two_as(kind, p, pe__rope_one(w0, pe__evens(x), pe__odds(x)), p + VECTOR * element,
                     pe__rope_one(w1, pe__evens(y), pe__odds(y)));
    }
    if (rest) {
        const pe__vf x = pe__get(row + odd), y = pe__get(row + last);
        pe__put_two_as(kind, out + odd * element, pe__rope_one(u, pe__evens(x), pe__odds(x)),
                     out + last * element, pe__rope_one(v, pe__evens(y), pe__odds(y)));
    }
}

/* As much of a head as four vectors have bf16, with even and odd elements apart, which is cheaper
   to widen and to round: of halves, with the sines and cosines of the even and of the odd ones; of
   adjacent pairs, in two places, with those of all pairs. A NaN of bf16 ends in 16 zero bits, and
   so does one that comes of it. */
PE__INLINE void pe__rope_halves_bf16(const unsigned char *in, pe__vf s_even, pe__vf s_odd,
                                     pe__vf c_even, pe__vf c_odd, unsigned char *out, size_t across)
{
    const uint16_t *const a = (const uint16_t *)(const void *)in;
    const uint16_t *const b = (const uint16_t *)(const void *)(in + across);
    const pe__vf a0 = pe__get_bf16_evens(a), a1 = pe__get_bf16_odds(a);
    const pe__vf b0 = pe__get_bf16_evens(b), b1 = pe__get_bf16_odds(b);
    pe__put_bf16_four((uint16_t *)(void *)out, pe__fms_f32(a0, c_even, pe__mul_f32(b0, s_even)),
                      pe__fms_f32(a1, c_odd, pe__mul_f32(b1, s_odd)),
                      (uint16_t *)(void *)(out + across),
                      pe__fma_f32(b0, c_even, pe__mul_f32(a0, s_even)),
                      pe__fma_f32(b1, c_odd, pe__mul_f32(a1, s_odd)));
}
PE__INLINE void pe__rope_adjacent_bf16(const unsigned char *in, pe__vf s0, pe__vf c0, pe__vf s1,
                                       pe__vf c1, unsigned char *out)
{
    enum { FOUR = 4 * PE_LANES };
    const uint16_t *const x = (const uint16_t *)(const void *)in, *const y = x + FOUR;
    uint16_t *const z = (uint16_t *)(void *)out;
    const pe__vf a0 = pe__get_bf16_evens(x), b0 = pe__get_bf16_odds(x);
    const pe__vf a1 = pe__get_bf16_evens(y), b1 = pe__get_bf16_odds(y);
    pe__put_bf16_four(z, pe__fms_f32(a0, c0, pe__mul_f32(b0, s0)),
                      pe__fma_f32(b0, c0, pe__mul_f32(a0, s0)), z + FOUR,
                      pe__fms_f32(a1, c1, pe__mul_f32(b1, s1)),
                      pe__fma_f32(b1, c1, pe__mul_f32(a1, s1)));
}

/* All heads of one token, four vectors of sines and cosines at a time, which stay in registers.
   ahead: bytes to what will be wanted soon, or 0. */
PE__INLINE void pe__rope_token(pe__kind kind, pe__order order, const float *row, size_t n,
                               size_t across, const unsigned char *in, size_t in_head,
                               unsigned char *out, size_t out_head, size_t heads, size_t ahead)
{
    enum { VECTOR = 2 * PE_LANES };
    const size_t step = VECTOR * (kind == PE__F32 ? 4 : 2);
    for (size_t i = 0; i < n; i += 4 * VECTOR, in += 4 * step, out += 4 * step) {
        const float *const x = row + i, *const y = order == PE__SPLIT ? x + n : x;
        pe__vf s0 = pe__get(x), s1 = pe__get(x + VECTOR), s2 = pe__get(x + 2 * VECTOR);
        pe__vf s3 = pe__get(x + 3 * VECTOR), c0 = pe__get(y), c1 = pe__get(y + VECTOR);
        pe__vf c2 = pe__get(y + 2 * VECTOR), c3 = pe__get(y + 3 * VECTOR);
        if (kind == PE__BF16) { /* (s0, s1), (s2, s3) etc. become evens and odds */
            pe__vf s[4] = {s0, s1, s2, s3}, c[4] = {c0, c1, c2, c3};
            for (size_t j = 0; j < 4; j++) /* a table of the caller's may have any NaN */
                if (PE__UNLIKELY(pe__any_nan(s[j], c[j])))
                    s[j] = pe__quiet(s[j]), c[j] = pe__quiet(c[j]);
            s0 = pe__unzip_evens(s[0], s[1]), s1 = pe__unzip_odds(s[0], s[1]);
            s2 = pe__unzip_evens(s[2], s[3]), s3 = pe__unzip_odds(s[2], s[3]);
            c0 = pe__unzip_evens(c[0], c[1]), c1 = pe__unzip_odds(c[0], c[1]);
            c2 = pe__unzip_evens(c[2], c[3]), c3 = pe__unzip_odds(c[2], c[3]);
        } else if (order != PE__SPLIT) {
            s0 = pe__evens(s0), s1 = pe__evens(s1), s2 = pe__evens(s2), s3 = pe__evens(s3);
            c0 = pe__odds(c0), c1 = pe__odds(c1), c2 = pe__odds(c2), c3 = pe__odds(c3);
        }
        for (size_t k = 0; k < heads; k++) {
            const unsigned char *const p = in + k * in_head;
            unsigned char *const q = out + k * out_head;
#define PE__GET(j) pe__get_as(kind, p + (j) * step)
#define PE__GET_BACK(j) pe__get_as(kind, p + (j) * step + across)
            for (size_t j = 0; ahead && j < 4 * step; j += 64) {
                pe__prefetch((uintptr_t)p + ahead + j);
                if (order == PE__SPLIT) pe__prefetch((uintptr_t)p + ahead + across + j);
            }
            if (kind == PE__BF16 && order == PE__SPLIT) {
                pe__rope_halves_bf16(p, s0, s1, c0, c1, q, across);
                pe__rope_halves_bf16(p + 2 * step, s2, s3, c2, c3, q + 2 * step, across);
            } else if (kind == PE__BF16) { /* sines are the evens of a row, cosines the odds */
                pe__rope_adjacent_bf16(p, s0, s1, s2, s3, q);
            } else if (order == PE__SPLIT) {
                pe__rope_two(kind, PE__GET(0), PE__GET_BACK(0), s0, c0, q, across);
                pe__rope_two(kind, PE__GET(1), PE__GET_BACK(1), s1, c1, q + step, across);
                pe__rope_two(kind, PE__GET(2), PE__GET_BACK(2), s2, c2, q + 2 * step, across);
                pe__rope_two(kind, PE__GET(3), PE__GET_BACK(3), s3, c3, q + 3 * step, across);
            } else {
                pe__put_two_as(kind, q, pe__rope_one(PE__GET(0), s0, c0), q + step,
                             pe__rope_one(PE__GET(1), s1, c1));
                pe__put_two_as(kind, q + 2 * step, pe__rope_one(PE__GET(2), s2, c2), q + 3 * step,
                             pe__rope_one(PE__GET(3), s3, c3));
            }
#undef PE__GET
#undef PE__GET_BACK
        }
    }
}

/* Fewer pairs than a vector has floats: by way of some that are long enough. */
PE__OUTLINE void pe__rope_few(pe__kind kind, pe__order order, const float *row, size_t count,
                              size_t across, const unsigned char *in, unsigned char *out)
{
    enum { VECTOR = 2 * PE_LANES };
    const size_t element = kind == PE__F32 ? 4 : 2, bytes = count * element;
    unsigned char x[2 * VECTOR * sizeof(float)] = {0};
    float all[2 * VECTOR] = {0};
    if (order == PE__SPLIT) {
        memcpy(all, row, count * sizeof *row);
        memcpy(all + VECTOR, row + count, count * sizeof *row);
        memcpy(x, in, bytes);
        memcpy(x + VECTOR * element, in + across, bytes);
    } else {
        memcpy(all, row, 2 * count * sizeof *row);
        memcpy(x, in, 2 * bytes);
    }
#define PE__FEW(kind)                                                                              \
    do {                                                                                           \
        if (order == PE__SPLIT) pe__rope_halves(kind, all, VECTOR, VECTOR * element, x, x);        \
        else pe__rope_adjacent(kind, all, 2 * VECTOR, x, x);                                       \
    } while (0)
    if (kind == PE__F32) PE__FEW(PE__F32);
    else if (kind == PE__BF16) PE__FEW(PE__BF16);
    else PE__FEW(PE__F16);
#undef PE__FEW
    if (order == PE__SPLIT) {
        memcpy(out, x, bytes);
        memcpy(out + across, x + VECTOR * element, bytes);
    } else {
        memcpy(out, x, 2 * bytes);
    }
}

/* All heads of a tile's tokens, in the order of their addresses. */
PE__INLINE void pe__rope_heads(pe__kind kind, pe__order order, const pe__tile *tile,
                               const pe__heads *x)
{
    const size_t element = kind == PE__F32 ? 4 : 2, across = tile->pairs * element;
    const size_t column = tile->pair * element * (order == PE__SPLIT ? 1 : 2);
    const size_t n = order == PE__SPLIT ? tile->count : 2 * tile->count, width = 2 * across;
    const int by_head = x->out_head > x->out_token;
    const size_t outer = by_head ? x->heads : tile->tokens;
    const size_t inner = by_head ? tile->tokens : x->heads;
    /* several passes over a token's heads only where they are in the cache anyway, or cost less
       than what is computed */
    const int once = n == 8 * PE_LANES, few = tile->tokens == 1;
    const size_t next = by_head ? x->in_token : x->in_head; /* bytes to the next head */
    size_t ahead = 0; /* whole heads */
    if (!few) ahead = next > PE__ROPE_AHEAD ? next : PE__ROPE_AHEAD / (next + !next) * next;
    if (!by_head && (once || few || kind != PE__F32) && x->rest == 0 && n % (8 * PE_LANES) == 0) {
        for (size_t t = 0; t < tile->tokens; t++)
            pe__rope_token(kind, order, tile->rows + t * tile->stride, n, across,
                           x->in + (tile->token + t) * x->in_token + column, x->in_head,
                           x->out + (tile->token + t) * x->out_token + column, x->out_head,
                           x->heads, ahead);
        return;
    }
    for (size_t i = 0; i < outer; i++) {
        for (size_t j = 0; j < inner; j++) {
            const size_t t = by_head ? j : i, k = by_head ? i : j;
            const float *const row = tile->rows + t * tile->stride;
            const unsigned char *const in =
                x->in + (tile->token + t) * x->in_token + k * x->in_head;
            unsigned char *const out = x->out + (tile->token + t) * x->out_token + k * x->out_head;
            for (size_t b = 0; ahead && b < width; b += 64) pe__prefetch((uintptr_t)in + ahead + b);
            if (n < 2 * PE_LANES)
                pe__rope_few(kind, order, row, tile->count, across, in + column, out + column);
            else if (order == PE__SPLIT)
                pe__rope_halves(kind, row, n, across, in + column, out + column);
            else pe__rope_adjacent(kind, row, n, in + column, out + column);
            if (x->rest && tile->pair == 0) memcpy(out + width, in + width, x->rest);
        }
    }
}

/* The same for each type. */
typedef void pe__turner(const pe__tile *tile, const pe__heads *x);
#define PE__TURNER(type, kind)                                                  \
    PE__OUTLINE void pe__rope_heads_##type(const pe__tile *tile, const pe__heads *x) \
    {                                                                           \
        if (tile->order == PE__SPLIT) pe__rope_heads(kind, PE__SPLIT, tile, x); \
        else pe__rope_heads(kind, PE__SC, tile, x);                             \
    }
PE__TURNER(f32, PE__F32)
PE__TURNER(bf16, PE__BF16)
PE__TURNER(f16, PE__F16)
#undef PE__TURNER

/* What a call asks for. */
typedef struct pe__rope_call {
    const pe_plan *plan;      /* NULL: turned by a table of the caller's     */
    const float *cosines, *sines;
    size_t table_stride;
    pe_rope_pairing pairing;
    int inverse;
    int uniform;              /* all tokens are at first                     */
    int64_t first;
    const int64_t *positions; /* or NULL                                     */
    const uint8_t *axis;      /* [pairs], or NULL: all belong to axis 0      */
    size_t axes, tokens, head_dim, element;
    pe__turner *turn;
    pe__heads x[2];
} pe__rope_call;

/* Rows for consecutive positions, without the offset: the cosine of a pair is so many floats behind
   its sine if they are split. */
PE__INLINE void pe__rope_rows(const pe_plan *plan, size_t pair, size_t count, pe__order order,
                              size_t across, int64_t first, size_t rows, float *out, size_t stride)
{
    pe__axis axis = plan->axis[0];
    pe__to to;
    axis.pair += pair, axis.pairs = count;
    to.out = (unsigned char *)out, to.stride = stride * sizeof *out, to.element = sizeof *out;
    to.sine = 0, to.cosine = order == PE__SPLIT ? across : 1;
    to.sines = to.cosines = count;
    to.order = order, to.verb = PE__FILL, to.scale = 1;
    pe__rows_f32(plan, &axis, &to, pe__moved(plan, first), rows);
}

/* Rows for the positions of a list, repeated ones copied. */
static inline void pe__rope_list(const pe_plan *plan, size_t pair, size_t count, pe__order order,
                                 size_t across, const int64_t *positions, size_t rows, float *out,
                                 size_t stride)
{
    for (size_t r = 0, run; r < rows; r += run) {
        float *const row = out + r * stride;
        run = 1;
        if (r > 0 && positions[r] == positions[r - 1]) {
            memcpy(row, row - stride, (order == PE__SPLIT ? count : 2 * count) * sizeof *row);
            if (order == PE__SPLIT)
                memcpy(row + across, row + across - stride, count * sizeof *row);
            continue;
        }
        while (r + run < rows && positions[r + run] == positions[r] + (int64_t)run) run++;
        pe__rope_rows(plan, pair, count, order, across, positions[r], run, row, stride);
    }
}

/* Rows whose pairs belong to several axes: stretches of one axis are made in place, scattered pairs
   are picked from a row of their own. */
PE__OUTLINE void pe__rope_by_axis(const pe__rope_call *x, const pe__tile *tile, float *out)
{
    const uint8_t *const axis = x->axis + tile->pair;
    const size_t n = tile->count, step = tile->order == PE__SPLIT ? 1 : 2;
    const size_t across = tile->order == PE__SPLIT ? n : 1;
    float own[2 * PE__ROPE_PAIRS];
    for (size_t a = 0; a < x->axes; a++) {
        const int64_t *const positions = x->positions + a * x->tokens + tile->token;
        size_t begin = 0, end = n, mine = 0;
        while (begin < n && axis[begin] != a) begin++;
        while (end > begin && axis[end - 1] != a) end--;
        for (size_t i = begin; i < end; i++) mine += axis[i] == a;
        if (mine == 0) continue;
        if (mine == end - begin) {
            pe__rope_list(x->plan, tile->pair + begin, mine, tile->order, n, positions,
                          tile->tokens, out + begin * step, tile->stride);
            continue;
        }
        for (size_t t = 0; t < tile->tokens; t++) {
            float *const row = out + t * tile->stride;
            if (t == 0 || positions[t] != positions[t - 1])
                pe__rope_rows(x->plan, tile->pair, n, tile->order, n, positions[t], 1, own, 0);
            for (size_t i = begin; i < end; i++)
                if (axis[i] == a) {
                    const size_t sine = i * step, cosine = sine + across;
                    memcpy(row + sine, own + sine, sizeof *row);
                    memcpy(row + cosine, own + cosine, sizeof *row);
                }
        }
    }
}

/* The caller's table as rows of a tile. */
static inline void pe__rope_from_table(const pe__rope_call *x, const pe__tile *tile, float *out)
{
    const size_t n = tile->count, step = tile->order == PE__SPLIT ? 1 : 2;
    const size_t across = tile->order == PE__SPLIT ? n : 1;
    for (size_t t = 0; t < tile->tokens; t++, out += tile->stride) {
        const float *const c = x->cosines + (tile->token + t) * x->table_stride + tile->pair;
        const float *const s = x->sines + (tile->token + t) * x->table_stride + tile->pair;
        for (size_t i = 0; i < n; i++) out[i * step] = s[i], out[i * step + across] = c[i];
    }
}

/* Make the rows of a tile. */
static inline void pe__rope_make(const pe__rope_call *x, const pe__tile *tile, float *out)
{
    const size_t n = tile->count, step = tile->order == PE__SPLIT ? 1 : 2;
    const int64_t *const list = x->positions ? x->positions + tile->token : NULL;
    if (!x->plan) pe__rope_from_table(x, tile, out);
    else if (x->uniform)
        pe__rope_rows(x->plan, tile->pair, n, tile->order, n, x->first, 1, out, 0);
    else if (x->axis) pe__rope_by_axis(x, tile, out);
    else if (list)
        pe__rope_list(x->plan, tile->pair, n, tile->order, n, list, tile->tokens, out,
                      tile->stride);
    else
        pe__rope_rows(x->plan, tile->pair, n, tile->order, n, x->first + (int64_t)tile->token,
                      tile->tokens, out, tile->stride);
    for (size_t t = 0; x->inverse && t < tile->tokens; t++)
        for (size_t i = 0; i < n; i++)
            out[t * tile->stride + i * step] = -out[t * tile->stride + i * step];
}

PE__OUTLINE void pe__rope_run(const pe__rope_call *x, size_t pairs)
{
    float buffer[PE__ROPE_TILE + 16];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    pe__tile tile;
    tile.rows = rows, tile.pairs = pairs;
    tile.order = x->pairing == PE_ROPE_HALVES ? PE__SPLIT : PE__SC;
    size_t most = x->tokens;
    if (most > 1 && !x->uniform) most = PE__ROPE_TILE / (2 * pe__min(pairs, PE__ROPE_PAIRS));
    for (size_t t = 0; t < x->tokens; t += most) {
        tile.token = t, tile.tokens = pe__min(most, x->tokens - t);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            tile.pair = pair, tile.count = pe__min(PE__ROPE_PAIRS, pairs - pair);
            tile.stride = x->uniform ? 0 : 2 * tile.count;
            pe__rope_make(x, &tile, rows);
            for (size_t i = 0; i < 2; i++)
                if (x->x[i].heads) x->turn(&tile, &x->x[i]);
        }
    }
}

/* ---- RoPE: checks and calls ------------------------------------------------------------------ */

/* Do tokens x heads heads of width elements lie apart from each other, within reach of a pointer?
   span: the elements from the first to the last. */
static inline pe_status pe__rope_shape(size_t width, size_t tokens, size_t heads,
                                       size_t token_stride, size_t head_stride, size_t element,
                                       size_t *span)
{
    const size_t limit = pe__reach(element);
    const int by_head = head_stride > token_stride;
    const size_t inner = by_head ? tokens : heads, outer = by_head ? heads : tokens;
    const size_t nearby = by_head ? token_stride : head_stride;
    const size_t distant = by_head ? head_stride : token_stride;
    if (width > limit) return PE_ERR_SIZE;
    if (inner > 1 && nearby < width) return PE_ERR_SHAPE;
    if (inner > 1 && pe__exceeds(inner - 1, nearby, limit - width)) return PE_ERR_SIZE;
    const size_t block = (inner - 1) * nearby + width;
    if (outer > 1 && distant < block) return PE_ERR_SHAPE;
    if (outer > 1 && pe__exceeds(outer - 1, distant, limit - block)) return PE_ERR_SIZE;
    *span = (outer - 1) * distant + block;
    return PE_OK;
}

/* Can RoPE use this plan? */
static inline pe_status pe__rope_plan_ok(const pe_plan *plan)
{
    return plan->axes == 1 && !plan->has_padding && plan->axis[0].width == plan->d_model &&
                   plan->d_model % 2 == 0
               ? PE_OK
               : PE_ERR_CONFIG;
}

/* Heads whose strides are given in elements. */
PE__INLINE void pe__heads_set(pe__heads *x, const void *in, size_t in_token, size_t in_head,
                              void *out, size_t out_token, size_t out_head, size_t heads)
{
    x->in = (const unsigned char *)in, x->out = (unsigned char *)out, x->heads = heads;
    x->in_token = in_token, x->in_head = in_head, x->out_token = out_token;
    x->out_head = out_head, x->rest = 0;
}

/* Check one set of heads and turn its strides into bytes. */
static inline pe_status pe__rope_check_heads(const pe__rope_call *x, pe__heads *h, size_t rotary)
{
    const size_t width = x->head_dim ? x->head_dim : rotary;
    size_t in_span = 0, out_span = 0;
    if (h->heads == 0) return PE_OK;
    if (!h->in || !h->out) return PE_ERR_NULL;
    pe_status status =
        pe__rope_shape(width, x->tokens, h->heads, h->in_token, h->in_head, x->element, &in_span);
    if (h->in == h->out && h->in_token == h->out_token && h->in_head == h->out_head) {
        if (status != PE_OK) return status;
    } else {
        if (status == PE_OK)
            status = pe__rope_shape(width, x->tokens, h->heads, h->out_token, h->out_head,
                                    x->element, &out_span);
        if (status != PE_OK) return status;
        const uintptr_t in = (uintptr_t)h->in, out = (uintptr_t)h->out;
        if (in < out ? out - in < in_span * x->element : in - out < out_span * x->element)
            return PE_ERR_SHAPE;
        h->rest = (width - rotary) * x->element;
    }
    /* A stride that leads nowhere may be any number: that of a single head becomes that of its
       token, and the other way round. */
    if (x->tokens == 1) h->in_token = h->out_token = 0;
    if (h->heads == 1) h->in_head = h->in_token, h->out_head = h->out_token;
    if (x->tokens == 1) h->in_token = h->in_head, h->out_token = h->out_head;
    h->in_token *= x->element, h->in_head *= x->element;
    h->out_token *= x->element, h->out_head *= x->element;
    return PE_OK;
}

/* Check the heads, then turn. Lists are read last: a size that does not fit is refused unread. */
static inline pe_status pe__rope_check(pe__rope_call *x, size_t rotary)
{
    pe_status status = PE_OK;
    if (x->pairing != PE_ROPE_ADJACENT && x->pairing != PE_ROPE_HALVES) return PE_ERR_CONFIG;
    for (size_t i = 0; i < 2 && status == PE_OK; i++)
        status = pe__rope_check_heads(x, &x->x[i], rotary);
    return status;
}

static inline pe_status pe__rope_go(pe__rope_call *x, size_t rotary)
{
    const pe_status status = pe__rope_check(x, rotary);
    if (status == PE_OK) pe__rope_run(x, rotary / 2);
    return status;
}

/* Turned by a plan: check plan and positions as well. */
static inline pe_status pe__rope_plan_go(pe__rope_call *x)
{
    if (x->tokens == 0 || (x->x[0].heads == 0 && x->x[1].heads == 0)) return PE_OK;
    if (!x->plan || (!x->positions && x->axes)) return PE_ERR_NULL;
    if (x->axes && x->axis && x->axes > PE_ROPE_MAX_AXES) return PE_ERR_SHAPE;
    const size_t lists = x->axis ? x->axes : 1, tokens = x->uniform ? 1 : x->tokens;
    pe_status status = pe__rope_plan_ok(x->plan);
    if (status == PE_OK && x->head_dim && x->head_dim < x->plan->d_model) status = PE_ERR_CONFIG;
    if (status == PE_OK && pe__exceeds(x->tokens, lists, pe__reach(sizeof(int64_t))))
        status = x->axes ? PE_ERR_SIZE : PE_OK;
    if (status == PE_OK) status = pe__rope_check(x, x->plan->d_model);
    for (size_t i = 0; x->axis && status == PE_OK && i < x->plan->d_model / 2; i++)
        if (x->axis[i] >= x->axes) status = PE_ERR_SHAPE;
    if (status != PE_OK) return status;
    if (x->positions)
        status = pe__check_positions(x->plan, x->positions, lists * x->tokens);
    else {
        status = pe__check_rows(x->plan, x->first, tokens);
    }
    if (status == PE_OK) pe__rope_run(x, x->plan->d_model / 2);
    return status;
}

/* A call before it is known which heads it is about. lists: 1 if it needs positions. */
PE__INLINE void pe__rope_call_set(pe__rope_call *x, const pe_plan *plan, pe_rope_pairing pairing,
                                  int64_t first, const int64_t *positions, size_t lists,
                                  size_t tokens, size_t element, pe__turner *turn)
{
    x->plan = plan, x->cosines = x->sines = NULL, x->table_stride = 0;
    x->pairing = pairing, x->inverse = x->uniform = 0;
    x->first = first, x->positions = positions, x->axis = NULL, x->axes = lists;
    x->tokens = tokens, x->head_dim = 0, x->element = element, x->turn = turn;
    x->x[1].heads = 0; /* the other heads are always set */
}

/* A plan that turns keys from one position to another: no amplitude, no offset. */
static inline pe_plan pe__rope_difference(const pe_plan *plan)
{
    pe_plan p = *plan;
    pe__plan_amplitude(&p, 1.0);
    p.whole = 0, p.fraction = 0;
    return p;
}

static inline pe_status pe_rope_sections(const size_t *sections, size_t axes, int interleaved,
                                         size_t pairs, uint8_t *axis)
{
    size_t sum = 0;
    if (!sections || !axis) return PE_ERR_NULL;
    if (axes < 1 || axes > PE_ROPE_MAX_AXES) return PE_ERR_SHAPE;
    if (pairs > (size_t)PTRDIFF_MAX) return PE_ERR_SIZE;
    for (size_t a = 0; a < axes; a++) {
        if (sections[a] > pairs - sum) return PE_ERR_SHAPE;
        sum += sections[a];
        if (interleaved && a > 0 && sections[a] > (pairs + axes - 1 - a) / axes)
            return PE_ERR_SHAPE;
    }
    if (sum != pairs) return PE_ERR_SHAPE;
    for (size_t i = 0, a = 0, left = sections[0]; i < pairs; i++) {
        if (interleaved) {
            axis[i] = (uint8_t)(i / axes < sections[i % axes] ? i % axes : 0);
            continue;
        }
        while (left == 0) left = sections[++a];
        axis[i] = (uint8_t)a, left--;
    }
    return PE_OK;
}

/* ---- RoPE: tables ---------------------------------------------------------------------------- */

/* A joined or complex table is a table of a plan that has the cosines first. */
static inline pe_status pe__rope_whole(const pe_plan *plan, pe_layout layout, int64_t first,
                                       const pe__output *o)
{
    if (o->total == 0) return PE_OK;
    if (!plan || !o->out) return PE_ERR_NULL;
    if (pe__rope_plan_ok(plan) != PE_OK) return PE_ERR_CONFIG;
    pe_plan p = *plan;
    p.layout = layout, p.cos_first = 1;
    return pe__call_range(&p, first, o);
}

/* Copy n elements to where they belong: once, one copy behind the other, or each twice. */
typedef enum pe__copies { PE__ONCE, PE__AGAIN, PE__EACH } pe__copies;
PE__INLINE void pe__rope_copy(unsigned char *out, const unsigned char *in, size_t n, size_t element,
                              size_t pairs, size_t pair, pe__copies copies)
{
    if (copies != PE__EACH) memcpy(out + pair * element, in, n * element);
    if (copies == PE__AGAIN) memcpy(out + (pairs + pair) * element, in, n * element);
    for (size_t i = 0; copies == PE__EACH && i < 2 * n; i++)
        memcpy(out + (2 * pair + i) * element, in + i / 2 * element, element);
}

/* Cosines and sines apart, in tiles on the stack. o->out is where the cosines go. */
static inline pe_status pe__rope_apart(const pe_plan *plan, int64_t first, const pe__output *o,
                                       void *sines, pe__copies copies)
{
    if (o->total == 0) return PE_OK;
    if (!plan || !o->out || !sines) return PE_ERR_NULL;
    if (pe__rope_plan_ok(plan) != PE_OK) return PE_ERR_CONFIG;
    const size_t pairs = plan->d_model / 2, element = o->element;
    pe_status status =
        pe__check_shape(copies == PE__ONCE ? pairs : 2 * pairs, o->total, o->columns, element);
    if (status == PE_OK) status = pe__check_rows(plan, first, o->total);
    if (status != PE_OK) return status;

    enum { TILE = PE__ROPE_TILE / 2 }; /* rows of 16-bit elements take more stack by themselves */
    float buffer[TILE + 16];
    unsigned char *const rows = (unsigned char *)pe__aligned(buffer);
    const size_t most = TILE / (2 * pe__min(pairs, PE__ROPE_PAIRS));
    for (size_t r = 0; r < o->total; r += most) {
        const size_t n = pe__min(most, o->total - r);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t count = pe__min(PE__ROPE_PAIRS, pairs - pair);
            pe__axis axis = plan->axis[0];
            pe__to to;
            axis.pair += pair, axis.pairs = count;
            to.out = rows, to.stride = 2 * count * element, to.element = element;
            to.sine = 0, to.cosine = count, to.sines = to.cosines = count;
            to.order = PE__SPLIT, to.verb = PE__FILL, to.scale = 1;
            o->rows(plan, &axis, &to, pe__moved(plan, first + (int64_t)r), n);
            for (size_t k = 0; k < n; k++) {
                const unsigned char *const row = rows + k * to.stride;
                const size_t at = (r + k) * o->stride;
                pe__rope_copy((unsigned char *)sines + at, row, count, element, pairs, pair,
                              copies);
                pe__rope_copy(o->out + at, row + count * element, count, element, pairs, pair,
                              copies);
            }
        }
    }
    return PE_OK;
}

/* The public functions, stamped for each type. */
#define PE__STAMP_ROPE_VERB(type, T, verb, is_inverse)                                             \
    static inline pe_status pe_rope##verb##_##type(const pe_plan *plan, pe_rope_pairing pairing,   \
                                                   int64_t first, size_t tokens, size_t heads,     \
                                                   T *x, size_t token_stride, size_t head_stride)  \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, plan, pairing, first, NULL, 0, tokens, sizeof *x,                 \
                          pe__rope_heads_##type);                                                  \
        call.inverse = is_inverse;                                                                 \
        pe__heads_set(&call.x[0], x, token_stride, head_stride, x, token_stride, head_stride,      \
                      heads);                                                                      \
        return pe__rope_plan_go(&call);                                                            \
    }                                                                                              \
    static inline pe_status pe_rope##verb##_at_##type(                                             \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *positions, size_t tokens,     \
        size_t heads, T *x, size_t token_stride, size_t head_stride)                               \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, plan, pairing, 0, positions, 1, tokens, sizeof *x,                \
                          pe__rope_heads_##type);                                                  \
        call.inverse = is_inverse;                                                                 \
        pe__heads_set(&call.x[0], x, token_stride, head_stride, x, token_stride, head_stride,      \
                      heads);                                                                      \
        return pe__rope_plan_go(&call);                                                            \
    }

#define PE__STAMP_ROPE(type, T)                                                                    \
    PE__STAMP_ROPE_VERB(type, T, , 0)                                                              \
    PE__STAMP_ROPE_VERB(type, T, _inverse, 1)                                                      \
    static inline pe_status pe_rope_to_##type(                                                     \
        const pe_plan *plan, pe_rope_pairing pairing, int64_t first, size_t tokens, size_t heads,  \
        size_t head_dim, const T *in, size_t in_token_stride, size_t in_head_stride, T *out,       \
        size_t out_token_stride, size_t out_head_stride)                                           \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, plan, pairing, first, NULL, 0, tokens, sizeof *in,                \
                          pe__rope_heads_##type);                                                  \
        call.head_dim = head_dim ? head_dim : 1; /* 0 is too few as well */                        \
        pe__heads_set(&call.x[0], in, in_token_stride, in_head_stride, out, out_token_stride,      \
                      out_head_stride, heads);                                                     \
        return pe__rope_plan_go(&call);                                                            \
    }                                                                                              \
    static inline pe_status pe_rope_to_at_##type(                                                  \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *positions, size_t tokens,     \
        size_t heads, size_t head_dim, const T *in, size_t in_token_stride, size_t in_head_stride, \
        T *out, size_t out_token_stride, size_t out_head_stride)                                   \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, plan, pairing, 0, positions, 1, tokens, sizeof *in,               \
                          pe__rope_heads_##type);                                                  \
        call.head_dim = head_dim ? head_dim : 1;                                                   \
        pe__heads_set(&call.x[0], in, in_token_stride, in_head_stride, out, out_token_stride,      \
                      out_head_stride, heads);                                                     \
        return pe__rope_plan_go(&call);                                                            \
    }                                                                                              \
    static inline pe_status pe_rope_qk_##type(                                                     \
        const pe_plan *plan, pe_rope_pairing pairing, int64_t first, size_t tokens,                \
        size_t q_heads, T *q, size_t q_token_stride, size_t q_head_stride, size_t k_heads, T *k,   \
        size_t k_token_stride, size_t k_head_stride)                                               \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, plan, pairing, first, NULL, 0, tokens, sizeof *q,                 \
                          pe__rope_heads_##type);                                                  \
        pe__heads_set(&call.x[0], q, q_token_stride, q_head_stride, q, q_token_stride,             \
                      q_head_stride, q_heads);                                                     \
        pe__heads_set(&call.x[1], k, k_token_stride, k_head_stride, k, k_token_stride,             \
                      k_head_stride, k_heads);                                                     \
        return pe__rope_plan_go(&call);                                                            \
    }                                                                                              \
    static inline pe_status pe_rope_qk_at_##type(                                                  \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *positions, size_t tokens,     \
        size_t q_heads, T *q, size_t q_token_stride, size_t q_head_stride, size_t k_heads, T *k,   \
        size_t k_token_stride, size_t k_head_stride)                                               \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, plan, pairing, 0, positions, 1, tokens, sizeof *q,                \
                          pe__rope_heads_##type);                                                  \
        pe__heads_set(&call.x[0], q, q_token_stride, q_head_stride, q, q_token_stride,             \
                      q_head_stride, q_heads);                                                     \
        pe__heads_set(&call.x[1], k, k_token_stride, k_head_stride, k, k_token_stride,             \
                      k_head_stride, k_heads);                                                     \
        return pe__rope_plan_go(&call);                                                            \
    }                                                                                              \
    static inline pe_status pe_rope_axes_##type(                                                   \
        const pe_plan *plan, pe_rope_pairing pairing, const uint8_t *axis, size_t axes,            \
        const int64_t *positions, size_t tokens, size_t heads, T *x, size_t token_stride,          \
        size_t head_stride)                                                                        \
    {                                                                                              \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, plan, pairing, 0, positions, axes, tokens, sizeof *x,             \
                          pe__rope_heads_##type);                                                  \
        if (tokens == 0 || heads == 0) return PE_OK;                                               \
        if (!axis) return PE_ERR_NULL;                                                             \
        if (axes == 0) return PE_ERR_SHAPE;                                                        \
        call.axis = axis;                                                                          \
        pe__heads_set(&call.x[0], x, token_stride, head_stride, x, token_stride, head_stride,      \
                      heads);                                                                      \
        return pe__rope_plan_go(&call);                                                            \
    }                                                                                              \
    static inline pe_status pe_rope_shift_##type(const pe_plan *plan, pe_rope_pairing pairing,     \
                                                 int64_t delta, size_t tokens, size_t heads, T *x, \
                                                 size_t token_stride, size_t head_stride)          \
    {                                                                                              \
        if (tokens == 0 || heads == 0) return PE_OK;                                               \
        if (!plan) return PE_ERR_NULL;                                                             \
        const pe_plan difference = pe__rope_difference(plan);                                      \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, &difference, pairing, delta, NULL, 0, tokens, sizeof *x,          \
                          pe__rope_heads_##type);                                                  \
        call.uniform = 1;                                                                          \
        pe__heads_set(&call.x[0], x, token_stride, head_stride, x, token_stride, head_stride,      \
                      heads);                                                                      \
        return pe__rope_plan_go(&call);                                                            \
    }                                                                                              \
    static inline pe_status pe_rope_shift_at_##type(                                               \
        const pe_plan *plan, pe_rope_pairing pairing, const int64_t *deltas, size_t tokens,        \
        size_t heads, T *x, size_t token_stride, size_t head_stride)                               \
    {                                                                                              \
        if (tokens == 0 || heads == 0) return PE_OK;                                               \
        if (!plan) return PE_ERR_NULL;                                                             \
        const pe_plan difference = pe__rope_difference(plan);                                      \
        return pe_rope_at_##type(&difference, pairing, deltas, tokens, heads, x, token_stride,     \
                                 head_stride);                                                     \
    }                                                                                              \
    static inline pe_status pe_rope_by_table_##type(                                               \
        pe_rope_pairing pairing, const float *cosines, const float *sines, size_t table_stride,    \
        size_t pairs, size_t tokens, size_t heads, T *x, size_t token_stride, size_t head_stride)  \
    {                                                                                              \
        if (tokens == 0 || heads == 0 || pairs == 0) return PE_OK;                                 \
        if (!cosines || !sines) return PE_ERR_NULL;                                                \
        pe__rope_call call;                                                                        \
        pe__rope_call_set(&call, NULL, pairing, 0, NULL, 0, tokens, sizeof *x,                     \
                          pe__rope_heads_##type);                                                  \
        const pe_status status = pe__check_shape(pairs, tokens, table_stride, sizeof *cosines);    \
        if (status != PE_OK) return status;                                                        \
        call.cosines = cosines, call.sines = sines, call.table_stride = table_stride;              \
        pe__heads_set(&call.x[0], x, token_stride, head_stride, x, token_stride, head_stride,      \
                      heads);                                                                      \
        return pe__rope_go(&call, 2 * pairs);                                                      \
    }                                                                                              \
    static inline pe_status pe_rope_table_##type(const pe_plan *plan, int64_t first, size_t rows,  \
                                                 T *cosines, T *sines, size_t stride)              \
    {                                                                                              \
        const pe__output o = pe__output_of(cosines, sizeof *cosines, rows, stride,                 \
                                           pe__rows_##type, pe__zeros_##type);                     \
        return pe__rope_apart(plan, first, &o, sines, PE__ONCE);                                   \
    }                                                                                              \
    static inline pe_status pe_rope_table_twice_##type(                                            \
        const pe_plan *plan, pe_rope_pairing pairing, int64_t first, size_t rows, T *cosines,      \
        T *sines, size_t stride)                                                                   \
    {                                                                                              \
        const pe__output o = pe__output_of(cosines, sizeof *cosines, rows, stride,                 \
                                           pe__rows_##type, pe__zeros_##type);                     \
        if (rows != 0 && pairing != PE_ROPE_ADJACENT && pairing != PE_ROPE_HALVES)                 \
            return PE_ERR_CONFIG;                                                                  \
        return pe__rope_apart(plan, first, &o, sines,                                              \
                              pairing == PE_ROPE_HALVES ? PE__AGAIN : PE__EACH);                   \
    }                                                                                              \
    static inline pe_status pe_rope_table_joined_##type(const pe_plan *plan, int64_t first,        \
                                                        size_t rows, T *out, size_t stride)        \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__output_of(out, sizeof *out, rows, stride, pe__rows_##type, pe__zeros_##type);      \
        return pe__rope_whole(plan, PE_LAYOUT_HALVES, first, &o);                                  \
    }                                                                                              \
    static inline pe_status pe_rope_table_complex_##type(const pe_plan *plan, int64_t first,       \
                                                         size_t rows, T *out, size_t stride)       \
    {                                                                                              \
        const pe__output o =                                                                       \
            pe__output_of(out, sizeof *out, rows, stride, pe__rows_##type, pe__zeros_##type);      \
        return pe__rope_whole(plan, PE_LAYOUT_INTERLEAVED, first, &o);                             \
    }
PE__STAMP_ROPE(f32, float)
PE__STAMP_ROPE(f16, uint16_t)
PE__STAMP_ROPE(bf16, uint16_t)
#undef PE__STAMP_ROPE
#undef PE__STAMP_ROPE_VERB

/* ---- RoPE: the angles of ggml ---------------------------------------------------------------- */

static inline pe_rope_ggml pe_rope_ggml_default(size_t n_dims)
{
    pe_rope_ggml c;
    memset(&c, 0, sizeof c); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    c.n_dims = n_dims, c.freq_base = 10000, c.freq_scale = 1, c.attn_factor = 1;
    c.beta_fast = 32, c.beta_slow = 1;
    return c;
}

/* a * b as a float, not to be fused with what follows. */
PE__INLINE float pe__float_product(float a, float b)
{
    float p = a * b;
    PE__OPAQUE(p);
    return p;
}

PE__INLINE float pe__logf(float x) { return (float)pe__first_lane(pe__td_log((double)x).a); }

/* YaRN's pair that turns beta times, as a float. */
static inline float pe__ggml_correction(const pe_rope_ggml *c, float beta)
{
    const float turns = (float)c->n_ctx_orig / (beta * 2 * 3.14159274f);
    return (float)c->n_dims * pe__logf(turns) / (2 * pe__logf(c->freq_base));
}

static inline int pe__ggml_ok(const pe_rope_ggml *c)
{
    const double tiny = pe__exp2i(-60), vast = pe__exp2i(60);
    int ok = c->n_dims % 2 == 0 && c->n_dims >= 2 && c->n_dims <= 1048576 &&
             pe__between((double)c->freq_base, 1, pe__exp2i(100)) &&
             pe__between((double)c->freq_scale, tiny, 1024) &&
             pe__between((double)c->ext_factor, 0, 1) &&
             pe__between((double)c->attn_factor, tiny, vast);
    if (ok && c->ext_factor > 0)
        ok = c->freq_base > 1 && pe__between((double)c->beta_fast, tiny, vast) &&
             pe__between((double)c->beta_slow, tiny, vast) && c->n_ctx_orig >= 1 &&
             c->n_ctx_orig <= INT32_MAX;
    for (size_t i = 0; ok && c->freq_factors && i < c->n_dims / 2; i++)
        ok = pe__between((double)c->freq_factors[i], 1 / 1024.0, pe__exp2i(120));
    return ok;
}

/* The sines of some angles at a time, by a plan whose float frequencies are the angles, at position
   1. */
static inline pe_status pe_rope_ggml_f32(const pe_rope_ggml *config, int64_t first, size_t rows,
                                         float *cosines, float *sines, size_t stride)
{
    enum { PAIRS = 64, PADDED = PAIRS + PE__CHAIN };
    if (rows == 0) return PE_OK;
    if (!config || !cosines || !sines) return PE_ERR_NULL;
    if (!pe__ggml_ok(config)) return PE_ERR_CONFIG;
    const size_t pairs = config->n_dims / 2;
    pe_status status = pe__check_shape(pairs, rows, stride, sizeof *cosines);
    if (status == PE_OK) status = pe__check_range(first, rows);
    if (status != PE_OK) return status;

    const float scale = config->freq_scale, ext = config->ext_factor;
    const float exponent = -2.0f / (float)config->n_dims;
    const pe__td power =
        pe__td_scale(pe__td_log((double)config->freq_base), pe__splat((double)exponent));
    const float theta_scale = (float)pe__first_lane(pe__td_exp(power).a);
    float mscale = config->attn_factor, low = 0, span = 1;
    if (ext > 0) {
        const float from = pe__ggml_correction(config, config->beta_fast);
        const float to = pe__ggml_correction(config, config->beta_slow);
        const float last = (float)(config->n_dims - 1), end = (float)ceil((double)to);
        low = (float)floor((double)from);
        low = low > 0 ? low : 0;
        span = (end < last ? end : last) - low;
        span = span > 0.001f ? span : 0.001f;
        mscale = mscale * (1.0f + pe__float_product(0.1f, pe__logf(1.0f / scale)));
    }

    double memory[PADDED * (PE__ARRAYS(0) + 1) + PE__CHAIN];
    double *const f = pe__aligned(memory);
    pe_config angles = pe_config_default(2 * PAIRS);
    pe_plan plan;
    angles.angle = PE_ANGLE_FLOAT32;
    (void)pe__plan_axes(&plan, &angles);
    pe__plan_begin(&plan, &angles, 0, f);
    for (size_t i = 0; i < 3 * plan.padded; i++) f[i] = 0;
    pe__plan_end(&plan, f);
    double *const angle = f + 3 * plan.padded;

    for (size_t r = 0; r < rows; r++) {
        float theta = (float)(first + (int64_t)r);
        for (size_t done = 0; done < pairs; done += PAIRS) {
            const size_t n = pe__min(PAIRS, pairs - done);
            float row[2 * PAIRS];
            plan.fastest = 0;
            for (size_t i = 0; i < n; i++) {
                const float factor = config->freq_factors ? config->freq_factors[done + i] : 1.0f;
                const float distant = theta / factor, nearby = pe__float_product(scale, distant);
                float turned = nearby;
                if (ext > 0) {
                    const float y = ((float)(done + i) - low) / span;
                    const float clamped = y > 0 ? (y < 1 ? y : 1) : 0;
                    const float mix = (1 - clamped) * ext;
                    turned = pe__float_product(nearby, 1 - mix) + pe__float_product(distant, mix);
                }
                angle[i] = (double)turned;
                if (plan.fastest < angle[i]) plan.fastest = angle[i];
                if (plan.fastest < -angle[i]) plan.fastest = -angle[i];
                theta = pe__float_product(theta, theta_scale);
            }
            for (size_t i = n; i < plan.padded; i++) angle[i] = angle[n - 1];
            pe__rope_rows(&plan, 0, n, PE__SPLIT, n, 1, 1, row, 0);
            for (size_t i = 0; i < n; i++) {
                sines[r * stride + done + i] = row[i] * mscale;
                cosines[r * stride + done + i] = row[n + i] * mscale;
            }
        }
    }
    return PE_OK;
}

/* ---- learned tables -------------------------------------------------------------------------- */

static inline pe_status pe__check_learned(const int64_t *positions, size_t rows, size_t table_rows,
                                          size_t d_model, size_t stride, size_t element)
{
    if (d_model == 0) return PE_ERR_CONFIG;
    pe_status status = pe__check_shape(d_model, rows, stride, element);
    if (status == PE_OK && table_rows > 0)
        status = pe__check_shape(d_model, table_rows, d_model, element);
    if (status == PE_OK && rows > (size_t)PTRDIFF_MAX / sizeof *positions) status = PE_ERR_SIZE;
    if (status != PE_OK) return status;
    int ok = 1;
    for (size_t r = 0; r < rows; r++) ok &= (uint64_t)positions[r] < table_rows;
    return ok ? PE_OK : PE_ERR_RANGE;
}

PE__INLINE void pe__learned_add_as(pe__kind type, const void *table, size_t d_model,
                                   const int64_t *positions, size_t rows, void *x, size_t stride)
{
    for (size_t r = 0; r < rows; r++)
        pe__add_row_as(type, pe__at(type, x, r * stride), type,
                       pe__at_const(type, table, (size_t)positions[r] * d_model), d_model, NULL);
}

#define PE__LEARNED(name, T, type)                                                                 \
    static inline pe_status name(const T *table, size_t table_rows, size_t d_model,                \
                                 const int64_t *positions, size_t rows, T *x, size_t stride)       \
    {                                                                                              \
        if (rows == 0) return PE_OK;                                                               \
        if (!table || !positions || !x) return PE_ERR_NULL;                                        \
        const pe_status status =                                                                   \
            pe__check_learned(positions, rows, table_rows, d_model, stride, sizeof *x);            \
        if (status == PE_OK)                                                                       \
            pe__learned_add_as(type, table, d_model, positions, rows, x, stride);                  \
        return status;                                                                             \
    }
PE__LEARNED(pe_learned_add_f32, float, PE__F32)
PE__LEARNED(pe_learned_add_f16, uint16_t, PE__F16)
PE__LEARNED(pe_learned_add_bf16, uint16_t, PE__BF16)
#undef PE__LEARNED

static inline pe_status pe_learned_grad_f32(const float *grad_x, size_t stride,
                                            const int64_t *positions, size_t rows,
                                            float *grad_table, size_t table_rows, size_t d_model)
{
    if (rows == 0) return PE_OK;
    if (!grad_x || !positions || !grad_table) return PE_ERR_NULL;
    const pe_status status =
        pe__check_learned(positions, rows, table_rows, d_model, stride, sizeof *grad_x);
    if (status != PE_OK) return status;
    for (size_t r = 0; r < rows; r++)
        pe__add_row_as(PE__F32, grad_table + (size_t)positions[r] * d_model, PE__F32,
                       grad_x + r * stride, d_model, NULL);
    return PE_OK;
}

/* ---- learned tables, resampled --------------------------------------------------------------- */

static inline pe_resample pe_resample_default(void)
{
    pe_resample how;
    how.method = PE_RESAMPLE_CUBIC;
    how.a = -0.75;
    how.align_corners = 0;
    return how;
}

/* The rows that an output row is made of, with their weights: up to 4 along one axis. Those of
   weight 0 are left out, since 0 * infinity is not 0. */
typedef struct pe__taps {
    size_t count, row[4];
    double weight[4];
} pe__taps;

/* 1 + t - (a + 2) t^2 */
PE__INLINE double pe__keys(double a, double t)
{
    double p = (a + 2) * t * t;
    PE__OPAQUE(p); /* not to be fused */
    return (1 + t) - p;
}

/* The taps of output row i. With rows and out_rows of at most 2^31 all numbers fit. */
PE__INLINE pe__taps pe__taps_of(const pe_resample *how, size_t i, size_t rows, size_t out_rows)
{
    /* s = numerator / denominator >= -1/2 */
    const int64_t m = (int64_t)out_rows, n = (int64_t)rows;
    int64_t numerator = (2 * (int64_t)i + 1) * n - m, denominator = 2 * m;
    if (how->align_corners) {
        numerator = m > 1 ? (int64_t)i * (n - 1) : 0;
        denominator = m > 1 ? m - 1 : 1;
    }
    const int64_t first = numerator < 0 ? -1 : numerator / denominator;
    const int64_t rest = numerator - first * denominator;
    const double t = (double)rest / (double)denominator;
    const double u = (double)(denominator - rest) / (double)denominator, a = how->a;
    double weight[4] = {0, u, t, 0};
    if (how->method == PE_RESAMPLE_CUBIC) {
        weight[0] = a * t * u * u;
        weight[1] = u * pe__keys(a, t);
        weight[2] = t * pe__keys(a, u);
        weight[3] = a * u * t * t;
    }
    pe__taps taps;
    taps.count = 0;
    for (int k = 0; k < 4; k++) {
        const int64_t row = first + k - 1;
        if (weight[k] == 0) continue;
        taps.row[taps.count] = row < 0 ? 0 : row < n ? (size_t)row : rows - 1;
        taps.weight[taps.count++] = weight[k];
    }
    return taps;
}

/* One row of output: the sum of weight * row, in doubles and in the order of the taps. */
PE__OUTLINE void pe__weighted_sum(const float *const *row, const double *weight, size_t count,
                                  size_t d_model, float *out)
{
    for (size_t c = 0; c < d_model; c += PE_LANES) {
        const size_t n = pe__min(PE_LANES, d_model - c);
        float part[PE_LANES] = {0};
        pe__vd sum = pe__splat(-0.0);
        for (size_t k = 0; k < count; k++) {
            const float *from = row[k] + c;
            if (n < PE_LANES) from = (const float *)memcpy(part, from, n * sizeof *from);
            pe__vd p = pe__splat(weight[k]) * pe__widen(from);
            PE__OPAQUE(p); /* not to be fused */
            sum = sum + p;
        }
        if (n == PE_LANES) {
            pe__narrow(out + c, sum);
        } else {
            pe__narrow(part, sum);
            memcpy(out + c, part, n * sizeof *out);
        }
    }
}

static inline pe_status pe__check_resample(size_t height, size_t width, size_t d_model,
                                           const pe_resample *how, size_t out_height,
                                           size_t out_width)
{
    const uint64_t most = (uint64_t)1 << 31;
    const size_t room = (size_t)PTRDIFF_MAX / sizeof(float);
    if (d_model == 0) return PE_ERR_CONFIG;
    if (how->method != PE_RESAMPLE_LINEAR && how->method != PE_RESAMPLE_CUBIC) return PE_ERR_CONFIG;
    if (how->method == PE_RESAMPLE_CUBIC && !(how->a >= -16 && how->a <= 16))
        return PE_ERR_CONFIG;
    if (height == 0 || width == 0) return PE_ERR_RANGE;
    if (height > most || width > most || out_height > most || out_width > most) return PE_ERR_SIZE;
    if (d_model > room / height / width || d_model > room / out_height / out_width)
        return PE_ERR_SIZE;
    return PE_OK;
}

static inline pe_status pe_learned_resample_2d_f32(const float *table, size_t height, size_t width,
                                                   size_t d_model, const pe_resample *how,
                                                   float *out, size_t out_height,
                                                   size_t out_width)
{
    if (out_height == 0 || out_width == 0) return PE_OK;
    if (!table || !how || !out) return PE_ERR_NULL;
    const pe_status status =
        pe__check_resample(height, width, d_model, how, out_height, out_width);
    if (status != PE_OK) return status;
    for (size_t y = 0; y < out_height; y++) {
        const pe__taps down = pe__taps_of(how, y, height, out_height);
        for (size_t x = 0; x < out_width; x++, out += d_model) {
            const pe__taps across = pe__taps_of(how, x, width, out_width);
            const float *row[16];
            double weight[16];
            size_t count = 0;
            for (size_t j = 0; j < down.count; j++)
                for (size_t i = 0; i < across.count; i++, count++) {
                    row[count] = table + (down.row[j] * width + across.row[i]) * d_model;
                    weight[count] = down.weight[j] * across.weight[i];
                }
            pe__weighted_sum(row, weight, count, d_model, out);
        }
    }
    return PE_OK;
}

static inline pe_status pe_learned_resample_f32(const float *table, size_t rows, size_t d_model,
                                                const pe_resample *how, float *out,
                                                size_t out_rows)
{
    return pe_learned_resample_2d_f32(table, rows, 1, d_model, how, out, out_rows, 1);
}

/* ---- self test ---------------------------------------------------------------------------------
 * What is hashed are numbers as integers, so that the byte order does not matter. The constants are
 * printed by tests/test_selftest.c, which says so where they differ, and have to be those of every
 * build: they change only where the results do. */

enum { PE__TEST_D = 18, PE__TEST_STRIDE = 19, PE__TEST_ROWS = 30, PE__TESTS = 13 };
enum { PE__TEST_N = PE__TEST_ROWS * PE__TEST_STRIDE };

typedef union pe__test_rows {
    float f32[PE__TEST_N];
    double f64[PE__TEST_N];
    uint16_t f16[PE__TEST_N];
    uint16_t bf16[PE__TEST_N];
} pe__test_rows;

typedef struct pe__test {
    pe__test_rows x;
    pe_plan plan;
    int64_t zero; /* from a volatile: nothing may be computed by the compiler, in its rounding */
    uint64_t hash;
} pe__test;

/* Take n numbers of 2, 4 or 8 bytes into the hash, and the status of the call that made them. */
static inline void pe__test_take(pe__test *t, pe_status status, const void *x, size_t n,
                                 size_t size)
{
    uint64_t h = (t->hash ^ (uint64_t)status) * UINT64_C(0xff51afd7ed558ccd);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *p = (const unsigned char *)x + i * size;
        uint64_t b = 0;
        uint32_t word;
        uint16_t half;
        if (size == 8) memcpy(&b, p, 8);
        else if (size == 4) memcpy(&word, p, 4), b = word;
        else memcpy(&half, p, 2), b = half;
        h = (h ^ b) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    t->hash = h;
}

/* Position k of a list: near, far, and some where an element of the table is next to a tie. */
static inline int64_t pe__test_position(const pe__test *t, size_t k)
{
    static const int64_t some[] = {INT64_C(2147483648), -INT64_C(2147483648), 131071,
                                   -16777217,           -1773804743,          1896201758,
                                   -1709504159,         1803184376,           0};
    const size_t n = sizeof some / sizeof *some;
    return t->zero + (k < n ? some[k] : (int64_t)(k * k) * 48271 - 1000003);
}

#define PE__TAKE(T, call) pe__test_take(t, call, t->x.T, PE__TEST_N, sizeof *t->x.T)
#define PE__TEST_FILL(T)                                                                           \
    static inline uint64_t pe__test_fill_##T(pe__test *t)                                          \
    {                                                                                              \
        enum { ROWS = PE__TEST_ROWS, STRIDE = PE__TEST_STRIDE };                                   \
        const int64_t first[] = {-20, 16777200, INT64_C(2147483648) - ROWS + 1, 5000};             \
        int64_t list[ROWS];                                                                        \
        t->hash = 0;                                                                               \
        memset(&t->x, 0, sizeof t->x);                                                             \
        for (size_t k = 0; k < ROWS; k++) list[k] = pe__test_position(t, k);                       \
        for (size_t k = 0; k < 4; k++)                                                             \
            PE__TAKE(T, pe_fill_##T(&t->plan, t->zero + first[k], ROWS, t->x.T, STRIDE));          \
        PE__TAKE(T, pe_fill_at_##T(&t->plan, list, ROWS, t->x.T, STRIDE));                         \
        return t->hash;                                                                            \
    }
PE__TEST_FILL(f32)
PE__TEST_FILL(f64)
PE__TEST_FILL(f16)
PE__TEST_FILL(bf16)
#undef PE__TEST_FILL

#define PE__TEST_MORE(T, F)                                                                        \
    static inline uint64_t pe__test_more_##T(pe__test *t)                                          \
    {                                                                                              \
        enum { ROWS = PE__TEST_ROWS, STRIDE = PE__TEST_STRIDE };                                   \
        double real[ROWS];                                                                         \
        t->hash = 0;                                                                               \
        memset(&t->x, 0, sizeof t->x);                                                             \
        for (size_t k = 0; k < ROWS; k++) {                                                        \
            const int64_t half = pe__test_position(t, k) / 2;                                      \
            real[k] = (double)half + 0.3125;                                                       \
        }                                                                                          \
        PE__TAKE(T, pe_fill_real_##T(&t->plan, real, ROWS, t->x.T, STRIDE));                       \
        PE__TAKE(T, pe_add_##T(&t->plan, t->zero + 77, ROWS, (F)1, t->x.T, STRIDE));               \
        PE__TAKE(T, pe_add_##T(&t->plan, t->zero - 99, ROWS, (F)-0.7f, t->x.T, STRIDE));           \
        PE__TAKE(T, pe_shift_##T(&t->plan, t->zero - 1234567, ROWS, t->x.T, STRIDE));              \
        return t->hash;                                                                            \
    }
PE__TEST_MORE(f32, float)
PE__TEST_MORE(f64, double)
#undef PE__TEST_MORE

/* Two heads of each token, turned and turned back, then scores and rows of a table added. */
#define PE__TEST_TURN(T, element)                                                                  \
    static inline uint64_t pe__test_turn_##T(pe__test *t)                                          \
    {                                                                                              \
        enum { TOKENS = PE__TEST_ROWS / 2, HEAD = PE__TEST_STRIDE, HEADS = 2 * PE__TEST_STRIDE };  \
        const float slopes[2] = {0.4375f, 0.0123f};                                                \
        element table[7 * HEAD];                                                                   \
        int64_t list[TOKENS];                                                                      \
        t->hash = 0;                                                                               \
        memset(&t->x, 0, sizeof t->x);                                                             \
        for (size_t k = 0; k < TOKENS; k++) list[k] = pe__test_position(t, k);                     \
        PE__TAKE(T, pe_fill_##T(&t->plan, t->zero + 9, 2 * TOKENS, t->x.T, HEAD));                 \
        memcpy(table, t->x.T, sizeof table);                                                       \
        PE__TAKE(T, pe_rope_##T(&t->plan, PE_ROPE_HALVES, t->zero + 4000, TOKENS, 2, t->x.T,       \
                                HEADS, HEAD));                                                     \
        PE__TAKE(T, pe_rope_inverse_at_##T(&t->plan, PE_ROPE_ADJACENT, list, TOKENS, 2, t->x.T,    \
                                           HEADS, HEAD));                                          \
        PE__TAKE(T, pe_alibi_add_##T(slopes, 2, PE_ALIBI_SYMMETRIC, t->zero + 5, 3, 40, t->x.T,    \
                                     41, 123));                                                    \
        for (size_t k = 0; k < TOKENS; k++) list[k] = (int64_t)(k * 5 % 7) + t->zero;              \
        PE__TAKE(T, pe_learned_add_##T(table, 7, HEAD, list, TOKENS, t->x.T, HEADS));              \
        PE__TAKE(T, pe_alibi_fill_##T(slopes, 2, PE_ALIBI_CAUSAL, t->zero + 100000, 3, 40, t->x.T, \
                                      41, 123));                                                   \
        return t->hash;                                                                            \
    }
PE__TEST_TURN(f32, float)
PE__TEST_TURN(f16, uint16_t)
PE__TEST_TURN(bf16, uint16_t)
#undef PE__TEST_TURN

/* With a plan of exact angles. Dot products are left out: they take 32 KB of stack more. */
static inline void pe__test_exact(int64_t zero, uint64_t *hash)
{
    double memory[17120 / sizeof(double)]; /* pe_plan_size(), else it is refused and found out */
    pe_config config = pe_config_default(PE__TEST_D);
    pe__test test, *const t = &test;
    t->zero = zero;
    config.base += (double)zero;
    if (pe_plan_init(&t->plan, &config, memory, sizeof memory) != PE_OK) return;
    hash[0] = pe__test_fill_f32(t);
    hash[1] = pe__test_fill_f64(t);
    hash[2] = pe__test_fill_f16(t);
    hash[3] = pe__test_fill_bf16(t);
    hash[4] = pe__test_more_f32(t);
    hash[5] = pe__test_more_f64(t);
    t->hash = 0;
    PE__TAKE(f64, pe_shift_matrix_f64(&t->plan, zero + 31, t->x.f64, PE__TEST_STRIDE));
    PE__TAKE(f64, pe_norm_f64(&t->plan, t->x.f64));
    hash[6] = t->hash;
}

/* With plans of float angles, which are small, and without a plan. */
static inline void pe__test_others(int64_t zero, uint64_t *hash)
{
    static const pe_preset presets[] = {PE_PRESET_VASWANI, PE_PRESET_LDM, PE_PRESET_T2T_ND};
    const pe_resample how = pe_resample_default();
    const size_t shape[PE_MAX_AXES] = {3, 10}; /* of its two axes, and 0 of any other */
    pe_rope_config rope = pe_rope_config_default(PE__TEST_D);
    float table[9 * PE__TEST_D];
    double memory[2048 / sizeof(double)];
    pe__test test, *const t = &test;
    t->zero = zero;
    for (size_t k = 0; k < 3; k++) {
        pe_config config = pe_config_preset(presets[k], PE__TEST_D);
        config.base += (double)zero;
        config.angle = PE_ANGLE_FLOAT32;
        if (k == 1) config.amplitude = 0.7, config.offset = 0.25;
        if (pe_plan_init(&t->plan, &config, memory, sizeof memory) != PE_OK) return;
        if (k == 0) {
            hash[0] = pe__test_turn_f32(t);
            hash[1] = pe__test_turn_f16(t);
            hash[2] = pe__test_turn_bf16(t);
        } else if (k == 1) {
            hash[3] = pe__test_fill_f64(t);
        } else {
            t->hash = 0;
            PE__TAKE(f64, pe_fill_grid_f64(&t->plan, shape, t->x.f64, PE__TEST_STRIDE));
            hash[4] = t->hash;
        }
    }

    t->hash = 0;
    memset(&t->x, 0, sizeof t->x);
    rope.rope_type = PE_ROPE_YARN;
    rope.factor = 8 + (double)zero;
    rope.original_max_position_embeddings = 4096;
    PE__TAKE(f64, pe_rope_frequencies(&rope, t->x.f64, t->x.f64 + PE__TEST_D));
    memset(&t->x, 0, sizeof t->x);
    PE__TAKE(f32, pe_alibi_slopes_f32(12, 8, t->x.f32));
    PE__TAKE(f32, pe_sinusoidal_f32(t->x.f32, PE__TEST_ROWS, PE__TEST_D));
    memcpy(table, t->x.f32, sizeof table);
    PE__TAKE(f32, pe_learned_resample_f32(table, 9, PE__TEST_D, &how, t->x.f32, 31));
    hash[5] = t->hash;
}
#undef PE__TAKE

/* Hash each part into hash[0 ... PE__TESTS - 1]; what could not be done is 0. */
static inline void pe__selftest(uint64_t *hash)
{
    /* volatile: nothing is computed ahead, or inlined to share a stack frame */
    volatile int64_t zero = 0;
    void (*volatile exact)(int64_t, uint64_t *) = pe__test_exact;
    void (*volatile others)(int64_t, uint64_t *) = pe__test_others;
    memset(hash, 0, PE__TESTS * sizeof *hash);
    exact(zero, hash);
    others(zero, hash + 7);
}

static inline pe_status pe_selftest(void)
{
    static const uint64_t right[PE__TESTS] = {
        UINT64_C(0x7358e2bfa80e2ba8), UINT64_C(0xd1d30a59a687ab2e), UINT64_C(0xcfa0edc5824940be),
        UINT64_C(0x2365730317324059), UINT64_C(0xe1608bf3791f833c), UINT64_C(0x79dc06918111e637),
        UINT64_C(0xb87ffd71c6b45519), UINT64_C(0xa6d86666a887f8f4), UINT64_C(0x51bb79c9a9ab0ebc),
        UINT64_C(0x83bbe8ee1f9860ba), UINT64_C(0x37887bf88f795dbc), UINT64_C(0xc182a0388c4fe388),
        UINT64_C(0x1666c18d4d2824a0),
    };
    uint64_t hash[PE__TESTS];
    pe__selftest(hash);
    return memcmp(hash, right, sizeof hash) == 0 ? PE_OK : PE_ERR_SELFTEST;
}

#ifdef __cplusplus
}
#endif

/* Hints, end: the user's floating-point options again. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#if defined(__x86_64__) || defined(__i386__)
#pragma float_control(pop)
#endif
#elif defined(__GNUC__)
#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif

#undef PE__STATUSES
#undef PE__ARRAYS
#undef PE__PRESETS
#undef PE__POSITION_LIMIT
#undef PE__CHAIN
#undef PE__ROPE_MOST
#undef PE__ROPE_LENGTH
#undef PE__GUARD
#undef PE__ERROR_16
#undef PE__ERROR_NEAR_0
#undef PE__NEAR
#undef PE__FAST_LIMIT
#undef PE__ERROR_F64
#undef PE__OPAQUE
#undef PE__INLINE
#undef PE__OUTLINE
#undef PE__COLD
#undef PE__UNLIKELY
#undef PE__WRAPS
#undef PE__DIVIDES_BY_ZERO

#endif /* PE_H */
