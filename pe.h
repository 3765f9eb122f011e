/* made from src/ by make headers: change that */
/* SPDX-License-Identifier: MIT
 *
 * pe.h - positional encodings for transformers: correctly rounded, at the speed of memory,
 *        the same bits on every machine. C99 and C++11; two headers, pe.h and pe_simd.h.
 *
 * CONTENTS (search for the number and its name, as in "6. sinusoidal"; the private part has the
 *           same numbers in the same order)
 *
 *      1. options                 PE_ISA, PE_SLEEF, PE_STREAM_BYTES, PE_EXTERN
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
 *     PRIVATE                     a map, 3 to 12 again, 13 the functions of each type, 14 self
 *                                 test, 15 the calls
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
 * is the default config; pe_config_preset() makes those of other projects, and pe_config has a
 * field for each way in which they differ.
 *
 * Row-major: row r of the output starts at out + r * stride (stride counted in elements, at least
 * d_model) and holds d_model elements. Elements between d_model and stride are never touched.
 *
 * ACCURACY
 *
 * Every element, f64 included, is the real number above rounded once, to nearest even, for every
 * integer or real position from -2^31 to 2^31 and every config. A correct rounding is unique, so
 * the bits do not depend on the instruction set, the compiler, its options, SLEEF, or how rows were
 * divided between calls or threads: a row is a function of (config, position) only. The numbers of
 * a config are taken as the exact values of the doubles given; a real position and an offset are
 * first added in double. docs/accuracy.md has the proof, "make test" compares with MPFR, and
 * pe_selftest() says whether a program, as it was compiled, computes these bits.
 *
 * ERRORS
 *
 * Each function that can fail returns a pe_status, and pe_status_string() says what is wrong and
 * what to do. Arguments are checked before anything is written: after an error the output is
 * unchanged. rows = 0 (tokens, heads, batches, count = 0) is PE_OK and touches nothing, whatever
 * the other arguments are, NULL included.
 *
 * OPTIONS (define before including, or with -D)
 *
 *     PE_ISA           PE_ISA_SCALAR, _SSE2, _WASM, _NEON, _AVX2 or _AVX512. Default: the best that
 *                      the compiler's flags allow (-march=native, -mavx2 -mfma, -msimd128 ...).
 *                      Affects only speed. gcc and clang compile pe for it even if their flags do
 *                      not allow it; the program then needs a CPU that has it.
 *     PE_SLEEF         1: rows that need sines take them from SLEEF; link with -lsleef.
 *                      Default 0: from pe's own polynomials. Affects only speed, and little.
 *     PE_STREAM_BYTES  tables of at least this many bytes are written past the caches. Default
 *                      25165824. Best at about three quarters of the last-level cache.
 *     PE_PREFETCH_HEADS, PE_LOADS_WAIT  what differs between CPUs in memory. Default: as the
 *                      compiler's flags say which CPU it is. Affect only speed; docs/building.md.
 *     PE_UNFUSED       only for compilers other than gcc, clang, cl and tcc: define it once the
 *                      compiler's options forbid fused products and fast-math. Without it such a
 *                      compiler is refused where it may have an FMA.
 *     PE_EXTERN        prototypes only: the functions come from another file of the program, one
 *                      that defines PE_EXTERN and PE_IMPLEMENTATION before it includes pe.h. So a
 *                      large program compiles them once. Default: every file that includes pe.h has
 *                      its own static functions.
 *
 * THREADS
 *
 * No function keeps state, allocates, or starts a thread; errno, locale and the rounding mode stay
 * as they are. A call uses at most 48 KB of stack (tests/unit/test_memory.c), pe_selftest() 64 KB
 * (tests/unit/test_selftest.c). A plan is read-only once made: any number of threads may use it,
 * each on its own rows; pe_skip() gives each thread its part of the positions.
 *
 * LIMITS
 *
 * Round-to-nearest must be in force. Flush-to-zero modes are harmless unless results are subnormal,
 * or angles are with PE_ANGLE_FLOAT32: below 2^-126, they become 0.
 * Positions beyond 2^31 in magnitude are refused, and so are configs beyond the limits given at the
 * fields of pe_config.
 */
#ifndef PE_H
#define PE_H

/* ==== src/api/options.h ==== */
/* The version; the language and the numbers that pe needs; what a program may set before it
 * includes pe.h, and what follows from it: how functions are declared, whether they are defined
 * here.
 * Gives: PE_API, PE_STREAM_BYTES, PE_VERSION_HEX.
 * Tests: tests/checks/extern.sh, tests/checks/fail.sh. */

#define PE_VERSION_MAJOR 0
#define PE_VERSION_MINOR 4
#define PE_VERSION_PATCH 0
#define PE_VERSION_HEX 0x000400
#define PE_VERSION_STRING "0.4.0"

/* (MSVC says nothing of a standard unless it is asked for one) */
#if !defined(__cplusplus) && !defined(_MSC_VER) && \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "pe needs C99 or later, or C++11: compile with -std=c99, or leave -std out"
#endif

/* ---- 1. options ------------------------------------------------------------------------------ */

#ifndef PE_STREAM_BYTES
#define PE_STREAM_BYTES 25165824
#endif

/* Before every public function. */
#ifndef PE_EXTERN
#define PE_API static inline
#else
#define PE_API extern
#endif

#if defined(PE_IMPLEMENTATION) && !defined(PE_EXTERN)
#error "PE_IMPLEMENTATION goes with PE_EXTERN: define both, in one file of the program"
#endif

#if !defined(PE_EXTERN) || defined(PE_IMPLEMENTATION)
#define PE__DEFINE 1
#else
#define PE__DEFINE 0
#endif

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || FLT_MANT_DIG != 24
#error "pe needs IEEE doubles of 64 bits and floats of 32: for AVR, avr-gcc 10 with -mdouble=64"
#endif
/* Packed structs, by -fpack-struct or by a #pragma pack that another header left behind, are not
   those of a library that was compiled without. (__BIGGEST_ALIGNMENT__ is 2 for m68k.) */
struct pe__laid_out {
    char first;
    double number;
};
#ifdef __BIGGEST_ALIGNMENT__
#define PE__LAID_OUT(offset) ((offset) >= sizeof(void *) || (offset) >= __BIGGEST_ALIGNMENT__)
#else
#define PE__LAID_OUT(offset) ((offset) >= sizeof(void *))
#endif
typedef char pe__without_fpack_struct_or_pragma_pack
    [PE__LAID_OUT(offsetof(struct pe__laid_out, number)) ? 1 : -1];
#undef PE__LAID_OUT

/* ==== src/pe.h ==== */

#ifdef __cplusplus
extern "C" {
#endif

/* ==== src/api/types.h ==== */
/* Types that several subjects share: statuses, configs, presets, positions, the plan.
 * Gives: PE_ANGLE_EXACT, PE_ANGLE_FLOAT32, PE_COLUMNS_FREQUENCIES, PE_COLUMNS_JOINED,
 *   PE_COLUMNS_SUMS, PE_ERR_CONFIG, PE_ERR_ENUM, PE_ERR_FREQUENCY, PE_ERR_NULL, PE_ERR_PLAN,
 *   PE_ERR_RANGE, PE_ERR_SELFTEST, PE_ERR_SHAPE, PE_ERR_SIZE, PE_EXPONENT_INDEX, PE_EXPONENT_PAIRS,
 *   PE_EXPONENT_WIDTH, PE_LAYOUT_HALVES, PE_LAYOUT_INTERLEAVED, PE_MAX_AXES, PE_ODD_SINE,
 *   PE_ODD_ZERO, PE_OK, PE_PRESET_COUNT, PE_PRESET_DETR, PE_PRESET_FAIRSEQ, PE_PRESET_LDM,
 *   PE_PRESET_MAE_2D, PE_PRESET_MLX, PE_PRESET_NERF, PE_PRESET_T2T_ND, PE_PRESET_TINY_CUDA_NN,
 *   PE_PRESET_VASWANI, PE_PRESET_VIDEO_3D, PE_TYPE_BF16, PE_TYPE_F32, PE__STATUSES, pe__axis,
 *   pe_angle, pe_at, pe_columns,
 *   pe_config, pe_exponent, pe_layout, pe_odd, pe_plan, pe_preset, pe_status, pe_type.
 * Tests: tests/unit/test_errors.c, tests/unit/test_conventions.c. */

/* ============================================================================================== */
/*  2. TYPES                                                                                      */
/* ============================================================================================== */

/* What a call returns. PE__STATUSES(X) lists every status and its text. */
#define PE__STATUSES(X)                                                                            \
    X(PE_OK, "success")                                                                            \
    X(PE_ERR_NULL, "a required pointer is NULL: a plan, config, list or buffer (did malloc "       \
                   "fail?); NULL is allowed only with 0 rows")                                     \
    X(PE_ERR_CONFIG, "the config is invalid: pe_config_error() or pe_rope_config_error() says "    \
                     "which field is wrong; the bounds of a pe_rope_ggml's fields and of other "   \
                     "arguments (an amplitude, a base of float32 frequencies) are in the "         \
                     "comments of the function and its struct")                                    \
    X(PE_ERR_PLAN, "the plan was not made (check the status of its init), or this call cannot "    \
                   "use it: RoPE needs an even d_model and no padding position; shifts need "      \
                   "pairs, so no odd PE_ODD_SINE width, and no PE_ANGLE_FLOAT32; dot products "    \
                   "need one axis; interleaved sections and coordinate lists are for RoPE and "    \
                   "its tables only; RoPE and shifts cannot use PE_COLUMNS_FREQUENCIES, nor "      \
                   "shifts PE_COLUMNS_SUMS and rope_interleave; PE_COLUMNS_SUMS has no list of "   \
                   "frequencies or wavelengths to read back; phase increments need one axis, "     \
                   "exact angles, offset 0 and no half_turns")                                     \
    X(PE_ERR_ENUM, "an argument is not a value of its enum (layout, type, mode, method, formula, " \
                   "kind); or a pe_at is of a kind that this call does not take (reals, points, "  \
                   "a grid or differences where rows of a table, queries or keys are meant), or "  \
                   "no pe_ function made it; or a name is no RoPE type's: pe_rope_type_named() "   \
                   "has them all")                                                                 \
    X(PE_ERR_FREQUENCY, "a frequency is not finite or out of bounds: 0, or 2^-900 ... 2^900 and, " \
                        "times the scale, 2^-960 ... 2^21 in magnitude; of a list "                \
                        "pe_frequency_error() says which one; of a RoPE config the factors make "  \
                        "one larger than 2^21; for phase increments 0, or 2^-56 ... 2^21")         \
    X(PE_ERR_SHAPE, "rows would overlap, or a count does not match: a stride must be at least "    \
                    "the row (d_model, keys, the rows of a head or of a batch); out must be in "   \
                    "or not overlap it; there must be one frequency per pair; head_dim must be "   \
                    "at least the rotary dim; a pe_at must have one coordinate or one per axis "   \
                    "of the plan, and a grid at least as many cells as rows; of two arrays both "  \
                    "are aligned or none; where one has sines and cosines, sines is NULL")         \
    X(PE_ERR_RANGE, "a number is out of bounds or not finite: positions must be within -2^31 ... " \
                    "2^31 (check the first and the last, every entry of a list, queries and "      \
                    "keys, also with the offset); in a table, learned or of RoPE, a position "     \
                    "must be a row, and in a table of biases an index must be an entry; the "      \
                    "bounds of other numbers (slopes, buckets, scales, periods, what resampling "  \
                    "takes) are in the function's comment")                                        \
    X(PE_ERR_SIZE, "a size does not fit: rows * stride, a list or a grid exceeds the address "     \
                   "space, the memory is smaller than the plan's size, or heads or rows exceed "   \
                   "what the function's comment allows")                                           \
    X(PE_ERR_SELFTEST, "this build computes wrong bits: call fesetround(FE_TONEAREST) first, "     \
                       "compile without options that change arithmetic, use pe.h and pe_simd.h "   \
                       "unchanged and of one version; if it still fails, try -O1 or "              \
                       "-DPE_ISA=PE_ISA_SCALAR, and report it")

typedef enum pe_status {
#define PE__STATUS_NAME(name, text) name,
    PE__STATUSES(PE__STATUS_NAME)
#undef PE__STATUS_NAME
} pe_status;

/* How a row is laid out, with h pairs; in RoPE, which two elements of a head are pair i. */
typedef enum pe_layout {
    PE_LAYOUT_INTERLEAVED = 0, /* s0 c0 s1 c1 ...; RoPE: 2i and 2i + 1, "adjacent": RoFormer, GPT-J,
                                  Meta's Llama, ggml NORM, ONNX interleaved = 1, MLX traditional,
                                  complex numbers in torch                                        */
    PE_LAYOUT_HALVES           /* s0 ... s(h-1) c0 ... c(h-1); RoPE: i and i + h: GPT-NeoX, Hugging
                                  Face rotate_half, ggml NEOX, ONNX interleaved = 0               */
} pe_layout;

/* D of the frequencies w_i = scale base^(-i / D); width is that of the axis, h floor(width / 2). */
typedef enum pe_exponent {
    PE_EXPONENT_WIDTH = 0, /* D = width / 2: the paper's 2i / d_model                      */
    PE_EXPONENT_PAIRS,     /* D = h - exponent_shift; a single pair has frequency scale    */
    PE_EXPONENT_INDEX      /* D = 1: w_i = scale base^-i                                   */
} pe_exponent;

/* What elements are; 16 bits are uint16_t. */
typedef enum pe_type { PE_TYPE_F32 = 0, PE_TYPE_F16, PE_TYPE_BF16 } pe_type;

/* What an odd width means. */
typedef enum pe_odd {
    PE_ODD_SINE = 0, /* one sine more than cosines (one cosine more with cos_first) */
    PE_ODD_ZERO      /* the last column is 0                                        */
} pe_odd;

/* The angle whose exact sine is computed. */
typedef enum pe_angle {
    PE_ANGLE_EXACT = 0, /* the real number t w_i                                                */
    PE_ANGLE_FLOAT32    /* float(float(t) * float(w_i)): that of float32 code, to reproduce models
                           trained with it; slower: each row computes its own sines            */
} pe_angle;

enum { PE_MAX_AXES = 8 };

/* How several axes share the columns of a row; ignored if axes is 1. */
typedef enum pe_columns {
    PE_COLUMNS_BLOCKS = 0, /* each axis has a block of its own, with the layout              */
    PE_COLUMNS_JOINED,     /* one layout for the whole row, first the pairs of the first axis, then
                              those of the second ...; halves: all sines, then all cosines. RoPE of
                              whole heads: DINOv3, Pixtral, Cosmos; timm, Perceiver            */
    PE_COLUMNS_FREQUENCIES, /* frequency by frequency, axes of equal width: interleaved, all axes'
                               sines of the first, their cosines, then the second ...: NeRF, GLIGEN;
                               halves: the sines of all, then the cosines: timm's FourierEmbed */
    PE_COLUMNS_SUMS         /* pair i rotates by a sum over all coordinates, sum_k w_ik t_k, with
                               one layout for the whole row: Fourier features, SAM, LightGlue.
                               Only for pe_plan_init_frequencies() and exact angles           */
} pe_columns;

/* A block of columns that encodes one of a row's coordinates. */
typedef struct pe_axis {
    size_t width;      /* its columns; 0: 2 floor(d_model / (2 axes))                  */
    size_t coordinate; /* which of the row's coordinates it encodes, 0 ... axes - 1    */
} pe_axis;

/* What to compute. Start from pe_config_default() or pe_config_preset() and change fields: later
   versions may have more. All numbers are taken as the exact values of the doubles given. */
typedef struct pe_config {
    size_t d_model;           /* width of a row in elements, >= 1                                 */
    double base;              /* 10000 in the paper, 2^-20 ... 2^900; 1: all frequencies equal    */
    double amplitude;         /* factor on every element, 2^-1000 ... 2^1000 in magnitude         */
    double scale;             /* factor on every angle: 1 / timescale, position scale, maximal
                                 frequency. 2^-900 ... 2^21 in magnitude, and so that every
                                 frequency, pi included, is within 2^-960 ... 2^21                */
    int half_turns;           /* 1: every angle times pi                                          */
    double offset;            /* added to every position (to a real one in double, rounded once): a
                                 multiple of 2^-20, at most 2^31 in magnitude                     */
    pe_layout layout;         /* interleaved in the paper                                         */
    int cos_first;            /* 1: cosines come first                                            */
    pe_odd odd;               /* what an odd width means                                          */
    pe_exponent exponent;     /* what divides i in the exponent                                   */
    double exponent_shift;    /* see PE_EXPONENT_PAIRS                                            */
    pe_angle angle;           /* exact, or as float32 code has it                                 */
    int has_padding;          /* 1: the row of padding_position is all zeros                      */
    int64_t padding_position; /* a position as calls give it, before the offset                   */
    size_t multiple;          /* d_model must be a multiple of this; 1: any                       */
    size_t expected_rows;     /* rows that will be made in all; 0: many. A plan for few rows is
                                 small and quickly made; the bits are the same                    */
    size_t axes;              /* coordinates of a row, 1 ... PE_MAX_AXES                          */
    pe_axis axis[PE_MAX_AXES]; /* blocks of columns, from left to right; columns right of them are
                                 0. Ignored if axes is 1: that axis has the whole row             */
    pe_columns columns;        /* how the axes share the columns; ignored if axes is 1            */
    const uint8_t *coordinate; /* NULL, or for RoPE the coordinate of each of d_model / 2 pairs:
                                  below axes, or 255 for one that stands still, but for the
                                  amplitude. Then the row has one layout; axis is ignored, columns
                                  must be PE_COLUMNS_BLOCKS                                       */
    size_t coordinate_length;  /* numbers in coordinate, which are checked to be d_model / 2 before
                                  any is read. 0: not given, the list has as many; and where it is
                                  NULL                                                            */
} pe_config;

/* The conventions of other projects, see pe_config_preset(). */
typedef enum pe_preset {
    PE_PRESET_VASWANI = 0,
    PE_PRESET_T2T,
    PE_PRESET_FAIRSEQ,
    PE_PRESET_OPENNMT,
    PE_PRESET_HF_MARIAN,
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
    PE_PRESET_TINY_CUDA_NN,
    PE_PRESET_COUNT
} pe_preset;

/* Where rows are: the positions of rows 0, 1, 2 ... of a call. A small value to be copied freely,
   made by pe_from() and the functions below; all fields are private. It points to the caller's
   list, which the calls that take it read. */
typedef struct pe_at {
    const void *list;         /* positions or coordinates; NULL for ranges and grids            */
    int64_t first, step;      /* a range: first, first + step, ...                              */
    size_t skipped;           /* rows at the start of a list or grid to leave out               */
    size_t axes;              /* coordinates of a row                                           */
    size_t row_stride;        /* of coordinates: elements from row to row                       */
    size_t axis_stride;       /* and from one coordinate to the next                            */
    size_t size[PE_MAX_AXES]; /* of a grid                                                      */
    int kind;                 /* see pe__at_kind                                                  */
    int back, delta;          /* see pe_back() and pe_delta()                                   */
    pe_status status;         /* what was wrong when it was made                                */
} pe_at;

/* Private: the columns and pairs of one axis of a plan. */
typedef struct pe__axis {
    size_t sine, cosine;   /* columns of its first sine and first cosine                   */
    size_t sines, cosines; /* their number; they differ by one if the width is odd         */
    size_t zero, zeros;    /* columns of zeros: the first, their number                    */
    size_t pair, pairs;    /* its pairs in the plan's arrays                               */
    size_t coordinate;
    double denominator[2]; /* D of its frequencies: a sum    */
} pe__axis;

/* Frequencies and some rows, in memory of the caller's. d_model, pairs and axes may be read; all
   else is private. A plan may be copied by assignment; its memory must outlive the copies and must
   not be moved. Every call refuses a plan of all zeros with PE_ERR_PLAN. Plans are the same on
   every instruction set. */
typedef struct pe_plan {
    size_t d_model;          /* elements of a row                                            */
    size_t pairs;            /* frequencies, on all axes together                            */
    size_t axes;             /* coordinates of a row                                         */
    size_t padded;           /* doubles from one array to the next: pairs, room for vectors  */
    size_t first;            /* pairs of the row before these: pe_sinusoidal_f32's tiles     */
    double offset;           /* added to every position: a multiple of 2^-20                 */
    const double *frequency; /* 2 arrays: w / pi as a sum of two doubles                     */
    const double *table;     /* NULL, or 2 arrays a row: sin(p w), cos(p w), see
                                pe__rotation_row() */
    const double *float32;   /* NULL, or float(w): then all of frequency is 1 / pi           */
    double amplitude;        /* A = mantissa * scale                                         */
    double mantissa;         /* in [0.5, 1), with the sign of A                              */
    double scale;            /* a power of two                                               */
    double fastest;          /* largest frequency, in half turns a position                  */
    double error;            /* of the frequencies, relative                                 */
    double double_range;     /* positions up to that are for pe__sincos()                    */
    double base, unit;       /* of the config: base and scale; base 0: frequencies are given */
    int32_t guard;           /* bits of the smallest float that the rounding test may judge  */
    int cos_first, has_padding;
    int half_turns;          /* angles times pi: some turn may end at a quarter exactly      */
    int exact_frequencies;   /* frequencies are the sums of their two doubles                */
    int joint;               /* RoPE: the axes share one layout of the whole row             */
    int rope_interleave;     /* RoPE reads pairs adjacent, writes halves: rope_interleave    */
    size_t rotary_offset;    /* RoPE: elements of a head before those that rotate            */
    size_t step;             /* PE_COLUMNS_FREQUENCIES: columns from a pair to the next; 0   */
    const double *matrix;    /* PE_COLUMNS_SUMS: an array a coordinate; else NULL            */
    size_t matrix_step;      /* from one to the next                                         */
    const uint8_t *order;    /* RoPE: NULL, or where pairs lie: pe__plan_sort_pairs()             */
    const double *point;     /* whose sums frequency has; else NULL                          */
    pe_layout layout;
    double padding;
    pe__axis axis[PE_MAX_AXES];
} pe_plan;

/* ==== src/pe.h ==== */

/* ============================================================================================== */
/*  FUNCTIONS                                                                                     */
/*                                                                                                */
/*  T is f32 (float), f64 (double), f16 (IEEE binary16) or bf16 (bfloat16); the last two are bits */
/*  in a uint16_t. The order of arguments is always: the plan, where the rows are, how many, what */
/*  to do with them, then the buffers, each with its stride in elements.                          */
/* ============================================================================================== */

/* ==== src/api/contract.h ==== */
/* Contract: what this build says of itself.
 * Tests: tests/unit/test_selftest.c. */

/* ---- 3. this build --------------------------------------------------------------------------- */

/* Say what a status means and what to do about it: constant English text, never NULL, also for a
   number that is no status. Threads: any. */
PE_API const char *pe_status_string(pe_status status);

/* The version of the functions that are called, as PE_VERSION_HEX; with PE_EXTERN that of the file
   that defines them. Threads: any. */
PE_API int pe_version(void);

/* The instruction set of the functions that are called: "AVX-512", "AVX2", "NEON", "SSE2",
   "WASM SIMD128", "scalar". Threads: any. */
PE_API const char *pe_isa_name(void);

/* Check that this program computes the right bits: small tables in each type and by each family of
 * calls (fill, lists, real positions, grids, add, shift, RoPE, ALiBi, learned), near 0, at 2^31 and
 * next to ties, are hashed and compared with constants. Takes well under a second. A file that
 * calls it has to compile most of the library, so give it a source file of its own.
 *
 * Returns      PE_OK; PE_ERR_SELFTEST if any bit differs: a rounding mode other than to nearest, a
 *              compiler option or a compiler that breaks arithmetic, changed headers. Flushing of
 *              subnormals is not noticed: no result here is one
 * Accuracy     a sample: "tests/run verify" is the proof (tests/unit/test_selftest.c)
 * Threads      any. 64 KB of stack, no other memory */
PE_API pe_status pe_selftest(void);

/* ==== src/where/contract.h ==== */
/* Contract: at which positions rows are.
 * Needs: api.
 * Tests: tests/unit/test_at.c. */

/* ---- 4. where rows are --------------------------------------------------------------------------
 * A pe_at says at which positions the rows of a call are. The functions that make one check
 * nothing: the call that takes it refuses a NULL list, axes beyond 1 ... PE_MAX_AXES and positions
 * out of range, before it writes anything. Positions are integers or reals within -2^31 ... 2^31.
 * Consecutive ones, ascending or descending, are the fastest, in lists too. */

/* The positions first, first + 1, ... Threads: any. */
PE_API pe_at pe_from(int64_t first);

/* The positions first, first + step, first + 2 step, ...; step may be 0 or negative. Threads: any.
 */
PE_API pe_at pe_from_by(int64_t first, int64_t step);

/* The same position for every row: pe_from_by(position, 0). Threads: any. */
PE_API pe_at pe_all(int64_t position);

/* Row r at positions[r], in any order; they may repeat, be negative, and be fractions: diffusion
   timesteps, m/z values, positions divided by a scale. A list of reals with whole numbers gives the
   bits of the integers. Threads: any. */
PE_API pe_at pe_at_i32(const int32_t *positions);
PE_API pe_at pe_at_i64(const int64_t *positions);
PE_API pe_at pe_at_f32(const float *positions);
PE_API pe_at pe_at_f64(const double *positions);

/* The cells of a grid: coordinate k runs from 0 to sizes[k] - 1, the last one fastest. sizes is
   copied. A call may make only the first cells, but checks the positions of all; it refuses more
   rows than there are cells with PE_ERR_SHAPE, and sizes whose product overflows with PE_ERR_SIZE.
   Threads: any. */
PE_API pe_at pe_grid(const size_t *sizes, size_t axes);

/* Points: coordinate k of row r is coords[r * row_stride + k * axis_stride]. An array [rows][axes]
   has the strides axes and 1; [axes][rows], as in M-RoPE's (t, y, x), has 1 and rows. axes is 1 or
   the number of axes of the plan. Threads: any. */
PE_API pe_at pe_coords_i32(const int32_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);
PE_API pe_at pe_coords_i64(const int64_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);
PE_API pe_at pe_coords_f32(const float *coords, size_t axes, size_t row_stride, size_t axis_stride);
PE_API pe_at pe_coords_f64(const double *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);

/* The same without the first rows rows: how threads split a call. Skips add up. Threads: any. */
PE_API pe_at pe_skip(pe_at at, size_t rows);

/* The opposite rotation: -(p + offset) for the position p, with the same amplitude. In RoPE this is
   the gradient (the transposed map), and the inverse if the amplitude is 1. Twice is none. A
   padding position stays one. Threads: any. */
PE_API pe_at pe_back(pe_at at);

/* Differences of positions: the plan's offset, amplitude and padding position are ignored. With
   pe_rope_T this is a K-shift, which moves keys that are already rotated to other positions, as in
   llama_memory_seq_add. pe_back(pe_delta(at)) undoes it. Threads: any. */
PE_API pe_at pe_delta(pe_at at);

/* ==== src/plan/contract.h ==== */
/* Contract: presets, plans and their frequencies.
 * tests/unit/test_conventions.c and tests/unit/test_bounds.c test it. */

/* ---- 5. plans -------------------------------------------------------------------------------- */

/* Make the config of "Attention Is All You Need": interleaved sines and cosines, base 10000,
   amplitude 1. d_model is not checked here. Threads: any. */
PE_API pe_config pe_config_default(size_t d_model);

/* Make the config of a convention. d = d_model, h = floor(d / 2); "inter" is s0 c0 s1 c1 ..., "sc"
 * and "cs" are halves, sines or cosines first; the exponent is that of 1 / base, base = 10000.
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
 * Fields may be changed afterwards: axes of T2T_ND, NERF and TINY_CUDA_NN; exponent_shift and scale
 * of DDPM (its downscale_freq_shift and scale); scale = 1 / s for a MAE_2D grid whose cells are
 * divided by s; scale = min_timescale and base = max_timescale / min_timescale for T2T; columns.
 * DETR's normalised positions are real ones: pe_coords_f64(). A refused width, or a number that is
 * no preset, makes pe_plan_init() return PE_ERR_CONFIG.
 *
 * Accuracy     tests/unit/test_conventions.c compares each with its formula by MPFR
 * Threads      any */
PE_API pe_config pe_config_preset(pe_preset preset, size_t d_model);

/* Say what is wrong with a config: constant English text that names the field and its range, or
   NULL if nothing is. Threads: any. */
PE_API const char *pe_config_error(const pe_config *config);

/* Say what is wrong with frequencies for pe_plan_init_frequencies(): constant English text, or NULL
   if nothing is. *index becomes the index of the first one that is not finite or out of bounds, or
   pairs; index may be NULL. Threads: any. */
PE_API const char *pe_frequency_error(const pe_config *config, const double *omega, size_t pairs,
                                      size_t *index);

/* Tell how many bytes of memory a plan of this config needs: 136 to 180 per element of a row of 256
 * or more; 11 KB at 64, 2239 bytes at least. With fewer than 36 expected_rows: 8 to 10 per element.
 * With PE_ANGLE_FLOAT32: 12 to 14 per element, 255 bytes at least (tests/unit/test_errors.c).
 * Returns 0 for an invalid config, NULL included. The memory may have any alignment: the slack is
 * included. Threads: any. */
PE_API size_t pe_plan_size(const pe_config *config);

/* A constant number of bytes that is enough for any plan of this width with expected_rows = 1,
   except for PE_COLUMNS_SUMS: 26 bytes a pair and a little. So a plan for one call can be made on
   the stack (tests/unit/test_errors.c). */
#define PE_PLAN_BYTES(d_model) (((size_t)(d_model) / 2 + 84) * 26 + 64)

/* Make a plan: the frequencies w_i = scale base^(-i / D), times pi with half_turns, and, if many
 * rows are expected, the 16 rows that rotate a row to others.
 *
 * memory       at least pe_plan_size(config) bytes, any alignment. Keep it as long as the plan is
 *              used. Nothing outside [memory, memory + memory_size) is touched.
 * memory_size  its size in bytes
 *
 * Returns      PE_OK; PE_ERR_NULL if a pointer is NULL, and for PE_COLUMNS_SUMS, which needs a list
 *              of frequencies; PE_ERR_CONFIG; PE_ERR_SIZE if the memory is too small. On an error
 *              the memory is not touched and the plan becomes all zeros.
 * Accuracy     frequencies to 2^-99 of their value (tests/unit/test_budget.c); if an element needs
 *              more digits, they are computed from the config
 * Aliasing     plan, config and memory may not overlap
 * Threads      one at a time on a plan and its memory */
PE_API pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                              size_t memory_size);

/* The same with the caller's frequencies: w_i = omega[i] * scale, times pi with half_turns. base
 * and exponent are ignored, but must be valid. So each axis can have its own base or list; with
 * PE_COLUMNS_SUMS each pair has one frequency for each coordinate.
 *
 * omega        pairs numbers, axis after axis; with PE_COLUMNS_SUMS [pairs][axes]. Taken as exact,
 *              of either sign: 0, or 2^-900 ... 2^900 in magnitude, and |omega[i] * scale| within
 *              2^-960 ... 2^21, both before the factor pi of half_turns. Frequencies of 0 are
 *              correct but slow.
 * pairs        the pairs of a row, of all axes: d_model / 2, rounded up with PE_ODD_SINE
 *
 * Returns      as pe_plan_init(); PE_ERR_NULL also for omega; PE_ERR_SHAPE if pairs is another
 *              number; PE_ERR_FREQUENCY if one is out of bounds or not finite: pe_frequency_error()
 *              says which
 * Accuracy     as pe_plan_init (tests/unit/test_conventions.c, tests/unit/test_models.c)
 * Aliasing     as pe_plan_init; omega may not overlap plan or memory
 * Threads      as pe_plan_init */
PE_API pe_status pe_plan_init_frequencies(pe_plan *plan, const pe_config *config,
                                          const double *omega, size_t pairs, void *memory,
                                          size_t memory_size);

/* How float32 code computes a frequency. Each operation is rounded to float, log(base) when it is
   used. */
typedef enum pe_float32 {
    PE_FLOAT32_POW = 0, /* 1 / base^(i / D): inv_freq of Hugging Face, Llama, vLLM */
    PE_FLOAT32_EXP,     /* exp(i * (-log(base) / D)): tutorials of the paper, T2T, fairseq */
    PE_FLOAT32_EXP_OF_RATIO /* exp((-log(base) * i) / D): Diffusers, Stable Diffusion, Flux, ggml's
                               timestep_embedding */
} pe_float32;

/* Compute the frequencies base^(-i / D) of a config as float32 code does, for
 * pe_plan_init_frequencies() with PE_ANGLE_FLOAT32. Such a plan differs from that code by a unit in
 * the last place of 1 at most, at every position; the exact table, and PE_ANGLE_FLOAT32 with exact
 * frequencies, differ by the position times the error of the frequency.
 *
 * config       its base (1 ... 2^126), exponent, exponent_shift and d_model are used; one axis
 * omega        the pairs of a row
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG; PE_ERR_ENUM for another formula
 * Accuracy     powf and expf are assumed to be correctly rounded, as those of glibc are except for
 *              a few arguments; those of vector libraries may differ by one unit
 *              (tests/unit/test_models.c)
 * Aliasing     omega may not overlap config
 * Threads      any */
PE_API pe_status pe_frequencies_float32(const pe_config *config, pe_float32 formula, double *omega);

/* Read back the frequencies w_i in radians per position, or the wavelengths 2 pi / w_i in
 * positions, axis after axis: plan->pairs doubles. Where w_i is 0, the wavelength is infinity.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN, also for PE_COLUMNS_SUMS
 * Accuracy     correctly rounded (tests/unit/test_theorem.c); with PE_ANGLE_FLOAT32 those of the
 *              floats used
 * Aliasing     what is written may not overlap the plan or its memory
 * Threads      any */
PE_API pe_status pe_plan_frequencies(const pe_plan *plan, double *omega);
PE_API pe_status pe_plan_wavelengths(const pe_plan *plan, double *wavelength);

/* ==== src/fixed/contract.h ==== */
/* Contract: frequencies as phase increments, for pe_fixed.h.
 * Tests: tests/unit/test_fixed.c. */

/* Compute the phase increments of a plan, for sines and cosines on a GPU or without floating point:
 *
 *     increment_i = w_i / (2 pi) modulo 1, times 2^128, rounded
 *
 * The functions of pe_fixed.h take them. The frequencies are the exact ones of the config, not
 * doubles. 128 bits are enough: half a unit of 2^-128, times a position of 2^31, is 2^-98 turns,
 * and no element of the tables of tests/theorem.txt comes nearer to a midpoint of two floats than
 * 2^-65.6.
 *
 * An increment contains neither the amplitude of the plan nor its padding position. Pass the
 * amplitude to pe_fixed_sincos_scaled_f32(). That is a float: an attention factor of YaRN is
 * rounded to one, and then the bits are those of pe_sincos_f32() with that float as its amplitude,
 * not those of the plan.
 *
 * increments   4 * plan->pairs words: four words a pair, the lowest first, laid out as an array of
 *              pe_fixed_increment, so that it is uploaded as it is
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN for more than one axis, a list of coordinates,
 *              half_turns, an offset other than 0, PE_ANGLE_FLOAT32 and PE_COLUMNS_SUMS;
 *              PE_ERR_FREQUENCY for one other than 0 that is below 2^-56 in magnitude: its angles
 *              are too small for level 2
 * Accuracy     within 0.501 of 2^-128 turns a position (tests/unit/test_fixed.c)
 * Aliasing     increments may not overlap the plan or its memory
 * Threads      any
 * See          pe_fixed.h, docs/gpu.md */
PE_API pe_status pe_fixed_increments(const pe_plan *plan, uint32_t *increments);

/* Compute the phase increments of given frequencies, as pe_sincos_f32() takes them.
 *
 * omega        pairs frequencies in radians a position, as the exact numbers that the doubles are:
 *              each 0, or 2^-56 ... 2^21 in magnitude
 * increments   4 * pairs words, as pe_fixed_increments
 *
 * Returns      PE_OK, also if pairs is 0; PE_ERR_NULL; PE_ERR_SIZE; PE_ERR_FREQUENCY
 * Accuracy     as pe_fixed_increments (tests/unit/test_fixed.c)
 * Aliasing     increments may not overlap omega
 * Threads      any */
PE_API pe_status pe_fixed_increments_of(const double *omega, size_t pairs, uint32_t *increments);

/* ==== src/rows/contract.h ==== */
/* Contract: rows filled and added.
 * Needs: api.
 * Tests: tests/unit/test_exact.c. */

/* ---- 6. sinusoidal encodings ----------------------------------------------------------------- */

/* Fill rows with the encodings of their positions. For pe_from(first):
 *
 *     out[r * stride + 2i]     = A sin((first + r + offset) w_i)      (interleaved)
 *     out[r * stride + 2i + 1] = A cos((first + r + offset) w_i)
 *
 * With several axes (images, video, points in space) each axis encodes its coordinate. A pe_at of
 * one coordinate gives all axes the same.
 *
 * at           where the rows are; every position within -2^31 ... 2^31, also with the offset. A
 *              real position and an offset are added in double, rounded once
 * out          rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * Returns      PE_OK; PE_ERR_NULL, also for a list; PE_ERR_PLAN; PE_ERR_ENUM; PE_ERR_SHAPE;
 *              PE_ERR_SIZE; PE_ERR_RANGE, also for NaN and infinity
 * Accuracy     rounded once from the exact value, overflow to infinity and subnormals included. A
 *              sine or cosine that is exactly 0 has the sign of the amplitude, on either side of
 *              position 0 (tests/unit/test_exact.c, tests/unit/test_conventions.c,
 *              tests/unit/test_theorem.c)
 * Aliasing     out may not overlap the positions, the plan or its memory
 * Threads      any number on one plan, each with its own rows
 * See          Vaswani et al. 2017, section 3.5 */
PE_API pe_status pe_fill_f32(const pe_plan *plan, pe_at at, size_t rows, float *out, size_t stride);
PE_API pe_status pe_fill_f64(const pe_plan *plan, pe_at at, size_t rows, double *out,
                             size_t stride);
PE_API pe_status pe_fill_f16(const pe_plan *plan, pe_at at, size_t rows, uint16_t *out,
                             size_t stride);
PE_API pe_status pe_fill_bf16(const pe_plan *plan, pe_at at, size_t rows, uint16_t *out,
                              size_t stride);

/* Add encodings to activations, in place, in one pass over memory: x = scale * x + PE.
 *
 * PE is the row of pe_fill_f32 (for f64 of pe_fill_f64). The product and the sum are rounded to
 * float (for f64 to double) each, as in PyTorch and numpy, and the sum once more to the type of x.
 * So for f32 the result is that of scaling x and adding the filled table, on every machine.
 *
 * at, rows     as pe_fill_T
 * scale        any float (f64: any double); 1 to add only, sqrt(d_model) for the paper's embeddings
 * x            as out of pe_fill_T
 *
 * Returns      as pe_fill_T
 * Accuracy     the bits of that sum (tests/unit/test_conventions.c)
 * Aliasing     in place; x may not overlap the positions, the plan or its memory
 * Threads      any number on one plan, each with its own rows */
PE_API pe_status pe_add_f32(const pe_plan *plan, pe_at at, size_t rows, float scale, float *x,
                            size_t stride);
PE_API pe_status pe_add_f64(const pe_plan *plan, pe_at at, size_t rows, double scale, double *x,
                            size_t stride);
PE_API pe_status pe_add_f16(const pe_plan *plan, pe_at at, size_t rows, float scale, uint16_t *x,
                            size_t stride);
PE_API pe_status pe_add_bf16(const pe_plan *plan, pe_at at, size_t rows, float scale, uint16_t *x,
                             size_t stride);

/* Add the same rows to several batches, batch_stride elements from one to the next. Sines are
 * computed once, but for d_model above 2,560 (f64: 1,280), and for consecutive positions of
 * [batch, rows, d_model], where memory takes longer than they do.
 *
 * batches      [batch, rows, d_model] has batch_stride >= rows * stride, [rows, batch, d_model] has
 *              stride >= batches * batch_stride. For one batch, batch_stride is ignored
 *
 * Returns      as pe_add_T; PE_ERR_SHAPE also if batches would overlap
 * Accuracy     as pe_add_T (tests/unit/test_conventions.c)
 * Aliasing     as pe_add_T
 * Threads      as pe_add_T, each with its own rows or batches */
PE_API pe_status pe_add_batch_f32(const pe_plan *plan, pe_at at, size_t rows, size_t batches,
                                  float scale, float *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_f64(const pe_plan *plan, pe_at at, size_t rows, size_t batches,
                                  double scale, double *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_f16(const pe_plan *plan, pe_at at, size_t rows, size_t batches,
                                  float scale, uint16_t *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_bf16(const pe_plan *plan, pe_at at, size_t rows, size_t batches,
                                   float scale, uint16_t *x, size_t stride, size_t batch_stride);

/* Fill a packed table of the default config for the positions 0 ... rows - 1: pe_fill_f32 without a
 * plan, the same bits.
 *
 * out          rows * d_model floats
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE if d_model is 0; PE_ERR_SIZE; PE_ERR_RANGE
 * Accuracy     correctly rounded (tests/unit/test_exact.c, tests/unit/test_splits.c)
 * Threads      any */
PE_API pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model);

/* Fill rows of sines and of cosines of the given frequencies, without a plan:
 *
 *     sines[r * stride + i]   = amplitude sin(p_r omega[i])
 *     cosines[r * stride + i] = amplitude cos(p_r omega[i])
 *
 * These are the bits of pe_fill_T by a plan of pe_plan_init_frequencies(). A single row
 * takes a sixth to a third longer than by a plan that is kept; many rows are faster by a plan.
 *
 * omega        pairs frequencies in radians a position, as the exact numbers that the doubles are:
 *              each 0, or within 2^-900 ... 2^21 in magnitude
 * amplitude    factor on every element, of pe_delta() too; 2^-1000 ... 2^1000 in magnitude
 * at           where the rows are, one coordinate; every position p_r within -2^31 ... 2^31
 * sines        rows * stride elements (the last row needs only pairs); aligned as its type
 * cosines      likewise
 * stride       elements from row to row in both, >= pairs; what lies between is not touched
 *
 * Returns      PE_OK, also if pairs is 0; PE_ERR_NULL, also for a list; PE_ERR_CONFIG for the
 *              amplitude; PE_ERR_FREQUENCY; PE_ERR_ENUM; PE_ERR_SHAPE, also where one
 *              of the arrays is aligned and the other is not; PE_ERR_SIZE; PE_ERR_RANGE
 * Accuracy     as pe_fill_T, for these very frequencies (tests/unit/test_theorem.c)
 * Aliasing     sines and cosines may not overlap each other, omega or the positions; their rows may
 *              lie in turn: cosines = sines + pairs, stride = 2 pairs
 * Threads      any */
PE_API pe_status pe_sincos_f32(const double *omega, size_t pairs, double amplitude, pe_at at,
                               size_t rows, float *sines, float *cosines, size_t stride);
PE_API pe_status pe_sincos_f64(const double *omega, size_t pairs, double amplitude, pe_at at,
                               size_t rows, double *sines, double *cosines, size_t stride);
PE_API pe_status pe_sincos_f16(const double *omega, size_t pairs, double amplitude, pe_at at,
                               size_t rows, uint16_t *sines, uint16_t *cosines, size_t stride);
PE_API pe_status pe_sincos_bf16(const double *omega, size_t pairs, double amplitude, pe_at at,
                                size_t rows, uint16_t *sines, uint16_t *cosines, size_t stride);

/* ==== src/rope/contract_config.h ==== */
/* Contract: a model's RoPE config, its frequencies and its plan.
 * Gives: PE_QUERY_SCALE_FLOOR, PE_QUERY_SCALE_LOG, PE_ROPE_DYNAMIC_NTK, PE_ROPE_LINEAR,
 *   PE_ROPE_LLAMA3, PE_ROPE_LONGROPE, PE_ROPE_NTK, PE_ROPE_NTK_FIXED, PE_ROPE_PROPORTIONAL,
 *   PE_ROPE_TYPE_COUNT, PE_ROPE_YARN, PE_SECTIONS_INTERLEAVED, PE_SECTIONS_VISION, pe_query_scale,
 *   pe_rope_config, pe_rope_type.
 * Needs: api.
 * Tests: tests/unit/test_rope_frequencies.c. */

/* ---- 7. RoPE frequencies ------------------------------------------------------------------------
 * The frequencies w_i of rotary encodings, from the fields of a model's config; pe_rope_plan_init()
 * makes a plan of them. With n = rotary_dim (0: head_dim), B = rope_theta, f = factor,
 * L0 = original_max_position_embeddings and w_i = B^(-2i/n), they are
 *
 *     PE_ROPE_DEFAULT       w_i
 *     PE_ROPE_LINEAR        w_i / f                                     (position interpolation)
 *     PE_ROPE_NTK           w_i of B f^(n / (n-2)) instead of B         (NTK-aware)
 *     PE_ROPE_NTK_FIXED     w_i of B f instead of B, over f^(2/n)
 *     PE_ROPE_DYNAMIC_NTK   as PE_ROPE_NTK with f L/L0 - (f-1) instead of f, where L is the larger
 *                           of sequence_length and L0, and L0 is max_position_embeddings
 *     PE_ROPE_LLAMA3        (s_i + (1 - s_i) / f) w_i, s_i = (L0 w_i / 2 pi - l) / (h - l) within
 *                           0 ... 1, l = low_freq_factor, h = high_freq_factor: waves shorter than
 *                           L0 / h stay as they are, waves longer than L0 / l get f times as long
 *     PE_ROPE_YARN          (m_i + (1 - m_i) / f) w_i, m_i = e (1 - r_i), e = extrapolation_factor,
 *                           r_i = (i - low) / (high - low) within 0 ... 1, low = floor c(beta_fast)
 *                           and at least 0, high = ceil c(beta_slow) and at most n - 1, or
 *                           low + 0.001 where they are equal; c(b) = n ln(L0 / 2 pi b) / (2 ln B)
 *     PE_ROPE_LONGROPE      w_i / short_factor[i], or w_i / long_factor[i] if sequence_length > L0
 *     PE_ROPE_PROPORTIONAL  B^(-2i / head_dim) / f for i < n/2, then 0 up to pair head_dim/2: the
 *                           exponents span the whole head, and the last pairs do not rotate
 *
 * each divided by freq_factors[i] if these are given. The attention factor multiplies cosine and
 * sine, and so scales queries and keys. It is attention_factor; if that is 0, it is 1 except for
 *
 *     PE_ROPE_YARN          m(1), or m(mscale) / m(mscale_all_dim) if both are given, with
 *                           m(x) = 0.1 x ln f + 1 for f > 1, and 1 for f <= 1
 *     PE_ROPE_LONGROPE      long_mscale or short_mscale if given, else sqrt(1 + ln f / ln L0)
 *                           for f > 1, and 1 for f <= 1
 *
 * A field that is 0 is absent. If L0 is absent, it is max_position_embeddings (and the other way
 * round for DYNAMIC_NTK); if f is absent, YARN and LONGROPE use max_position_embeddings / L0 and
 * PROPORTIONAL uses 1. docs/rope.md lists the keys of config.json and GGUF and the arguments of
 * ggml, and the field for each.
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
    PE_ROPE_PROPORTIONAL,
    PE_ROPE_TYPE_COUNT
} pe_rope_type;

/* Which coordinate rotates which pairs of a head, if tokens have several. */
typedef enum pe_sections {
    PE_SECTIONS_BLOCKS = 0,  /* the first sections[0] pairs by coordinate 0, the next sections[1] by
                                coordinate 1 ...: Qwen2-VL's M-RoPE, mrope_section = [16, 24, 24] */
    PE_SECTIONS_INTERLEAVED, /* pair i by coordinate a = i mod axes if i < axes * sections[a], else
                                by coordinate 0: interleaved M-RoPE of Qwen3-VL, [24, 20, 20]. A
                                section may ask for more pairs than there are; sections[0] is
                                ignored: it is the rest                                           */
    PE_SECTIONS_VISION       /* blocks of equal length, each with the frequencies of a head of
                                rotary_dim / axes: vision towers of Qwen2-VL, ggml VISION. With
                                LONGROPE each block takes the first rotary_dim / 2 / axes of the
                                factors, of which all are checked; freq_factors go on from block
                                to block                                                          */
} pe_sections;

/* How a model rotates its heads. Start from pe_rope_config_default() and change fields: later
   versions may have more. 0 means absent; other numbers must lie within 2^-128 ... 2^128, also in
   fields that the type does not use. */
typedef struct pe_rope_config {
    size_t head_dim;                         /* elements of a head                               */
    size_t rotary_dim;                       /* those that rotate: even, 2 ... head_dim; 0: all  */
    double rope_theta;                       /* the base, >= 1                                   */
    pe_rope_type rope_type;                  /* what is done to the frequencies                  */
    double factor;                           /* how much longer than trained                     */
    size_t original_max_position_embeddings; /* length of the training; at most 2^53             */
    size_t max_position_embeddings;          /* length that the model supports; at most 2^53     */
    size_t sequence_length;                  /* DYNAMIC_NTK, LONGROPE: of this run; at most 2^53 */
    double low_freq_factor;                  /* LLAMA3                                           */
    double high_freq_factor;                 /* LLAMA3, >= low_freq_factor                       */
    double beta_fast;                        /* YARN, in turns over L0; 0: 32                    */
    double beta_slow;                        /* YARN, likewise; 0: 1. More than beta_fast only
                                                with a rope_theta of at least 2                  */
    double extrapolation_factor;             /* YARN, 0 ... 1; here 0 is a value                 */
    int truncate;                            /* YARN: 0 leaves out the floor and the ceil        */
    double mscale;                           /* YARN                                             */
    double mscale_all_dim;                   /* YARN                                             */
    double attention_factor;                 /* instead of the rule of the type; 0 means absent,
                                                also where Hugging Face takes 0.0 as a value     */
    double short_mscale;                     /* LONGROPE                                         */
    double long_mscale;                      /* LONGROPE                                         */
    const double *short_factor;              /* LONGROPE: rotary_dim/2 numbers, or NULL          */
    const double *long_factor;               /* LONGROPE: rotary_dim/2 numbers, or NULL          */
    const float *freq_factors;               /* one number a pair, or NULL                       */
    pe_layout layout;                        /* which elements are a pair; halves by default     */
    int rope_interleave;                     /* 1: pairs are read adjacent and written as halves:
                                                DeepSeek-V3, GLM-4.7-Flash, LongCat. rotary_dim at
                                                most 512; layout PE_LAYOUT_HALVES                */
    size_t axes;                             /* coordinates of a token: 1; 3 for (t, y, x)       */
    size_t sections[PE_MAX_AXES];            /* pairs of each coordinate, in all all pairs;
                                                ignored if axes is 1                             */
    pe_sections section_order;               /* which pairs these are                            */
    double offset;                           /* added to every position, as in pe_config         */
    pe_angle angle;                          /* exact, or as float32 code has it                 */
    size_t expected_rows;                    /* as in pe_config: 1 for a plan used for one token */
    size_t rotary_offset;                    /* elements of a head before those that rotate: ggml's
                                                n_offs. With rotary_dim at most head_dim        */
    const uint8_t *coordinate;               /* NULL, or which coordinate rotates each pair: below
                                                axes, or 255 for one that stands still; instead of
                                                sections, which must be 0, and section_order     */
    size_t short_factor_length;              /* numbers in short_factor, which are checked to be
                                                rotary_dim / 2 before any is read. 0: not given,
                                                the list has as many; and where it is NULL       */
    size_t long_factor_length;               /* likewise in long_factor                          */
    size_t freq_factors_length;              /* in freq_factors: as many as pairs                */
    size_t coordinate_length;                /* in coordinate: as many as pairs                  */
} pe_rope_config;

/* Make the config of the RoFormer paper, with pairs that are halves: rotary_dim 0, so the whole
   head rotates, also if head_dim is changed later; rope_theta 10000, PE_ROPE_DEFAULT, one axis.
   Other fields are absent, or as in the papers of their types: low_freq_factor 1 and
   high_freq_factor 4, beta_fast 32 and beta_slow 1, extrapolation_factor 1, truncate 1. Nothing is
   checked here. Threads: any. */
PE_API pe_rope_config pe_rope_config_default(size_t head_dim);

/* Find the type that a config file names: "default", "none", "mrope" (DEFAULT); "linear"; "dynamic"
 * (DYNAMIC_NTK); "xdrope" (NTK); "ntk" (NTK_FIXED, as vLLM and the GTE models mean it); "llama3";
 * "yarn", "deepseek_yarn", "deepseek_llama_scaling", "telechat3-yarn" (YARN); "longrope", "su"
 * (LONGROPE); "proportional"; "openpangu" (DEFAULT). What a name alone does not say: "dynamic" with
 * a key alpha is PE_ROPE_NTK, and "ntk" with a key mixed_b is none of these types.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for another name: then *type is unchanged
 * Accuracy     case-sensitive (tests/unit/test_rope_frequencies.c)
 * Aliasing     type may not overlap name
 * Threads      any */
PE_API pe_status pe_rope_type_named(const char *name, pe_rope_type *type);

/* Say what is wrong with a config: constant English text that names the field and its range, or
   NULL if nothing is. Threads: any. */
PE_API const char *pe_rope_config_error(const pe_rope_config *config);

/* Compute the frequencies and the attention factor of a config by the formulas above.
 *
 * config            lists that it points to are only read
 * omega             one double a pair: rotary_dim / 2, with PE_ROPE_PROPORTIONAL head_dim / 2
 * attention_factor  one double, or NULL
 *
 * Returns      PE_OK; PE_ERR_NULL if config, omega or the list that PE_ROPE_LONGROPE needs is NULL;
 *              PE_ERR_CONFIG: pe_rope_config_error() says why. On an error nothing is written.
 * Accuracy     omega and attention_factor are the formula for the exact values of the numbers in
 *              config, both correctly rounded (tests/unit/test_rope_frequencies.c,
 *              tests/checks/levels.sh).
 *              A number in a formula, such as 0.1, is that decimal; steps and branches (floor,
 *              ceil, the waves of LLAMA3) are decided by exact values too. The same bits
 *              everywhere.
 * Aliasing     omega and attention_factor may not overlap what is read or each other
 * Threads      any; 64 pairs take 0.2 to 0.5 us with AVX-512
 * See          Su et al. 2021 (RoFormer); Chen et al. 2023 (linear); Peng et al. 2023 (YaRN);
 *              Ding et al. 2024 (LongRoPE); modeling_rope_utils.py; ggml_rope_ext() */
PE_API pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                     double *attention_factor);

/* How a factor on queries grows with their position p. */
typedef enum pe_query_scale {
    PE_QUERY_SCALE_FLOOR = 0, /* 1 + beta ln(1 + floor((p + shift) / period)): Llama 4,
                                 Ministral 3                                            */
    PE_QUERY_SCALE_LOG        /* max(1, 1 + beta ln((p + shift) / period)): Qwen 1, Grok-2 */
} pe_query_scale;

/* Compute the factors of queries that depend on their position, one float per row: those of kind, p
 * the position of row r. Multiply the rows of queries by them.
 *
 *     Llama 4      FLOOR  attn_scale, floor_scale, shift 1
 *     Ministral 3  FLOOR  llama_4_scaling_beta, original_max_position_embeddings, shift 0
 *     Qwen 1       LOG    logn: 1 / ln(seq_length), seq_length, shift 1
 *     Grok-2       LOG    1 / ln(attn_temperature_len), attn_temperature_len, shift 0
 *
 * beta         finite, at most 2^100 in magnitude; of LOG at least 0
 * period       1 ... 2^53
 * shift        -2^31 ... 2^31; it and a position, also an integer, are added in double
 * at, rows     positions of one coordinate, with the shift 0 ... 2^31
 * factors      rows floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM, also for another kind; PE_ERR_SHAPE; PE_ERR_SIZE;
 *              PE_ERR_RANGE, also for such a beta or period. On an error nothing is written.
 * Accuracy     correctly rounded for that sum (tests/unit/test_models.c)
 * Aliasing     factors may not overlap the positions
 * Threads      any */
PE_API pe_status pe_rope_query_scale_f32(pe_query_scale kind, double beta, size_t period,
                                         double shift, pe_at at, size_t rows, float *factors);

/* Compute the factors of xPos on sines and cosines, one float per pair:
 *
 *     factors[r * stride + i] = ((2i + 0.4 n) / 1.4 n)^(p / scale_base)     n = 2 pairs
 *
 * for queries; for keys use pe_back(at). Multiply the sines and cosines of a pe_rope_table_f32() by
 * them, and rotate by that table: pe_rope_by_table_T().
 *
 * pairs        half of the rotary dim, 1 ... 2^28
 * scale_base   512 in torchscale; 2^-30 ... 2^100. |p| must be at most the double 60 scale_base
 * at, rows     positions of one coordinate
 * factors      rows of stride floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM; PE_ERR_SHAPE, also for pairs = 0 or a stride below
 *              pairs; PE_ERR_SIZE; PE_ERR_RANGE, also for such a scale_base
 * Accuracy     correctly rounded (tests/unit/test_models.c)
 * Aliasing     factors may not overlap the positions
 * Threads      any
 * See          Sun et al. 2022, "A Length-Extrapolatable Transformer" */
PE_API pe_status pe_rope_xpos_f32(size_t pairs, double scale_base, pe_at at, size_t rows,
                                  float *factors, size_t stride);

/* Tell how many bytes of memory the plan of a RoPE config needs, as pe_plan_size().
   Threads: any. */
PE_API size_t pe_rope_plan_size(const pe_rope_config *config);

/* Make a plan for RoPE: that of pe_plan_init_frequencies() with the frequencies of
 * pe_rope_frequencies(). Its amplitude is the attention factor, its d_model twice the pairs.
 *
 * memory       as in pe_plan_init(), at least pe_rope_plan_size(config) bytes
 *
 * Returns      PE_OK; PE_ERR_NULL, also for the list that PE_ROPE_LONGROPE needs; PE_ERR_CONFIG;
 *              PE_ERR_FREQUENCY if the factors make a frequency of more than 2^21; PE_ERR_SIZE. On
 *              an error the memory is not touched and the plan becomes all zeros.
 * Accuracy     frequencies as pe_rope_frequencies, then exact (tests/unit/test_rope.c)
 * Aliasing     plan, config, its lists and memory may not overlap
 * Threads      as pe_plan_init */
PE_API pe_status pe_rope_plan_init(pe_plan *plan, const pe_rope_config *config, void *memory,
                                   size_t memory_size);

/* ==== src/rope/contract.h ==== */
/* Contract: heads rotated, RoPE's tables, ggml's angles.
 * Gives: PE_ROPE_TABLE_APART, PE_ROPE_TABLE_COMPLEX, PE_ROPE_TABLE_JOINED, PE_ROPE_TABLE_MATRIX,
 *   PE_ROPE_TABLE_TWICE, pe_heads, pe_rope_ggml, pe_rope_table, pe_rope_table_layout.
 * Needs: api.
 * Tests: tests/unit/test_rope.c, tests/unit/test_models.c. */

/* ---- 8. RoPE ------------------------------------------------------------------------------------
 * Rotary encodings rotate the pairs (a, b) of each head of queries and keys:
 *
 *     a' = a c - b s      c = A cos(p w_i)
 *     b' = b c + a s      s = A sin(p w_i)
 *
 * for a token at position p. The plan has the frequencies w_i, the amplitude A and the layout,
 * which says which elements are a pair. Its d_model is the rotary dim n, an even number; the first
 * n elements of a head are rotated, the others stay. Make it with pe_rope_plan_init(), or with
 * pe_plan_init() and the right layout; cos_first does not matter here. Axes in blocks of halves
 * (PE_COLUMNS_BLOCKS, as by default) rotate within their blocks; JOINED ones share the whole row.
 * With rotary_offset in a pe_rope_config the n elements begin there; what is before and behind them
 * stays in place and is copied out of place. Plans with a padding
 * position or an odd width are refused with PE_ERR_PLAN. A plan with rope_interleave reads (a, b)
 * next to each other and writes them n / 2 apart, also in place: so pe_back() with it is not the
 * gradient, and a K-shift needs a plan without it.
 *
 * Positions are a pe_at: pe_from(p) for a prompt, a list for a batch, pe_coords_T for (t, y, x),
 * pe_back() for the gradient, pe_delta() for a K-shift.
 *
 * Rounding: c and s are correctly rounded floats, computed once per token, not per head. Then two
 * products and their sum are rounded to float each, nothing is fused, as in PyTorch and numpy:
 *
 *     a' = float(float(a c) - float(b s))      b' = float(float(b c) + float(a s))
 *
 * f16 and bf16 are widened to float, rotated, and rounded once, to nearest even. So the bits are
 * the same on every machine, except for the sign and payload of a NaN. If nothing overflows or is
 * subnormal, a float is within 3 * 2^-24 hypot(a, b) of the exact one, times the amplitude: it is
 * off by 2 * 2^-24 (|a c| + |b s|), for c, s and the products, and 2^-24 |a'|, for the sum, at
 * most. f16 and bf16 have the rounding to their type on top. With an amplitude above 1 a product of
 * numbers near the largest float may overflow, to an infinity, or two to a NaN, where a' itself
 * would not. */

/* Where heads lie, in elements: element e of head k of token t is x[t * token_stride + k *
   head_stride + e]. [tokens, heads, head_dim] has {heads, head_dim, heads * head_dim}, [heads,
   tokens, head_dim] {heads, tokens * head_dim, head_dim}. Of one head, head_stride is ignored;
   of one token, token_stride. */
typedef struct pe_heads {
    size_t heads, head_stride, token_stride;
} pe_heads;

/* Rotate the heads of tokens, in place.
 *
 * at, tokens    token t is at the position of row t
 * x             the first element of head 0 of token 0; of each head only the n elements that
 *               rotate are touched, so the head_dim is not needed
 * heads         no two of the heads may overlap
 *
 * Returns       PE_OK; PE_ERR_NULL; PE_ERR_PLAN for a plan that RoPE cannot use, see above;
 *               PE_ERR_ENUM; PE_ERR_SHAPE if heads would overlap, or the number of coordinates is
 *               not the plan's; PE_ERR_SIZE; PE_ERR_RANGE. On an error nothing is written.
 * Accuracy      see above (tests/unit/test_rope.c compares bits with MPFR and exact sums)
 * Aliasing      in place; x may not overlap the positions, the plan or its memory
 * Threads       any number on one plan, each with its own tokens or heads
 * See           Su et al. 2021 (RoFormer) */
PE_API pe_status pe_rope_f32(const pe_plan *plan, pe_at at, size_t tokens, float *x,
                             pe_heads heads);
PE_API pe_status pe_rope_f16(const pe_plan *plan, pe_at at, size_t tokens, uint16_t *x,
                             pe_heads heads);
PE_API pe_status pe_rope_bf16(const pe_plan *plan, pe_at at, size_t tokens, uint16_t *x,
                              pe_heads heads);

/* Rotate out of place: out = rotated in, whole heads of head_dim elements; those that do not rotate
 * are copied. The result is that of a copy and pe_rope_T; pe_rope_to_f32_f16 and _bf16 round its
 * floats once more, to the type of a cache.
 *
 * head_dim      elements of a head, >= n, with the rotary_offset of the plan
 * in, out       each with its heads, as many in both
 *
 * Returns       as pe_rope_T; PE_ERR_SHAPE also for such a head_dim, for another number of heads,
 *               and if the memory from the first to the last element of in overlaps that of out,
 *               unless they are the same pointer with the same strides and type, which means in
 *               place.
 * Accuracy      as pe_rope_T (tests/unit/test_rope.c)
 * Aliasing      in and out as above; out may not overlap the positions, the plan or its memory
 * Threads       as pe_rope_T */
PE_API pe_status pe_rope_to_f32(const pe_plan *plan, pe_at at, size_t tokens, size_t head_dim,
                                const float *in, pe_heads in_heads, float *out, pe_heads out_heads);
PE_API pe_status pe_rope_to_f16(const pe_plan *plan, pe_at at, size_t tokens, size_t head_dim,
                                const uint16_t *in, pe_heads in_heads, uint16_t *out,
                                pe_heads out_heads);
PE_API pe_status pe_rope_to_bf16(const pe_plan *plan, pe_at at, size_t tokens, size_t head_dim,
                                 const uint16_t *in, pe_heads in_heads, uint16_t *out,
                                 pe_heads out_heads);
PE_API pe_status pe_rope_to_f32_f16(const pe_plan *plan, pe_at at, size_t tokens, size_t head_dim,
                                    const float *in, pe_heads in_heads, uint16_t *out,
                                    pe_heads out_heads);
PE_API pe_status pe_rope_to_f32_bf16(const pe_plan *plan, pe_at at, size_t tokens, size_t head_dim,
                                     const float *in, pe_heads in_heads, uint16_t *out,
                                     pe_heads out_heads);

/* Rotate queries and keys in place, in one call that computes sines and cosines once for both;
 * grouped-query attention has fewer heads of keys. The result is that of two calls of pe_rope_T.
 *
 * q, k          as x of pe_rope_T, each with its heads; with 0 heads either may be NULL
 *
 * Returns       as pe_rope_T, for q and k alike. On an error neither is written.
 * Accuracy      as pe_rope_T (tests/unit/test_rope.c)
 * Aliasing      in place; q and k may be interleaved, as in a fused [tokens, q k v], but must not
 *               share elements, which is not checked. Neither may overlap the positions, the plan
 *               or its memory
 * Threads       as pe_rope_T */
PE_API pe_status pe_rope_qk_f32(const pe_plan *plan, pe_at at, size_t tokens, float *q,
                                pe_heads q_heads, float *k, pe_heads k_heads);
PE_API pe_status pe_rope_qk_f16(const pe_plan *plan, pe_at at, size_t tokens, uint16_t *q,
                                pe_heads q_heads, uint16_t *k, pe_heads k_heads);
PE_API pe_status pe_rope_qk_bf16(const pe_plan *plan, pe_at at, size_t tokens, uint16_t *q,
                                 pe_heads q_heads, uint16_t *k, pe_heads k_heads);

/* The order of cosines and sines in a table; h = n / 2 pairs. */
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

/* A table: rows of A cos(p w_i) and A sin(p w_i), one a position. pe_rope_table_T tells what it has
   filled; of tables that were made elsewhere set all fields. */
typedef struct pe_rope_table {
    const void *cosines, *sines; /* if one array has both: that array, and NULL                   */
    pe_type type;                /* of its elements                                              */
    pe_rope_table_layout layout; /* their order                                                  */
    size_t stride;               /* elements from row to row: at least h for PE_ROPE_TABLE_APART,
                                    2n for PE_ROPE_TABLE_MATRIX, n for the others                */
    size_t rows, pairs;          /* their number; h                                              */
} pe_rope_table;

/* Fill a table: for programs that rotate heads themselves, or for pe_rope_by_table_T.
 *
 * cosines      rows of stride elements; if one array has both, that array
 * sines        likewise, with the same stride; NULL if one array has both
 * stride       elements, as in pe_rope_table; tables have no rotary_offset
 * made         NULL, or the table as a value; unchanged where rows is 0
 *
 * Returns      as pe_fill_T; PE_ERR_PLAN also for plans that RoPE cannot use, see pe_rope_T;
 *              PE_ERR_ENUM also for another table layout; PE_ERR_SHAPE also for sines that should
 *              be NULL, and where one of two arrays is aligned and the other is not
 * Accuracy     correctly rounded (tests/unit/test_rope.c)
 * Aliasing     cosines, sines, made, the positions and the plan may not overlap
 * Threads      any number on one plan, each with its own rows */
PE_API pe_status pe_rope_table_f32(const pe_plan *plan, pe_at at, size_t rows,
                                   pe_rope_table_layout layout, float *cosines, float *sines,
                                   size_t stride, pe_rope_table *made);
PE_API pe_status pe_rope_table_f16(const pe_plan *plan, pe_at at, size_t rows,
                                   pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines,
                                   size_t stride, pe_rope_table *made);
PE_API pe_status pe_rope_table_bf16(const pe_plan *plan, pe_at at, size_t rows,
                                    pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines,
                                    size_t stride, pe_rope_table *made);

/* Rotate heads by the rows of a table, with the rotation and rounding above: ONNX RotaryEmbedding
 * with its caches, one table for all layers. Elements of 16 bits become floats first, which is
 * exact; any type of table goes with any of x. pe_rope_by_table_to_T works out of place.
 *
 * table        see pe_rope_table; with pairs = 0 nothing is rotated, and its arrays may be NULL
 * layout       which elements of a head are a pair; of PE_ROPE_TABLE_TWICE also in which order its
 *              rows are
 * rows, tokens token t looks at the row with the number that rows has for it: pe_from(0) takes the
 *              first tokens rows, pe_all(k) row k for all, pe_at_i32 and pe_at_i64 lists of
 *              position ids gather. pe_back() takes 0 - s for each sine s: the gradient
 * x, in, out   as in pe_rope_T and pe_rope_to_T, with n = 2 pairs, from the first element on: where
 *              another part rotates (rotary_offset), move the pointer. Of a plan of axes in blocks
 *              of halves rotate block by block, each with its pairs of the table
 *
 * Returns      as pe_rope_T and pe_rope_to_T, without what concerns plans; PE_ERR_ENUM also for
 *              rows that are reals, points, a grid or differences, and for a type or layout in
 *              table that is none; PE_ERR_SHAPE also for a stride of the table below its rows, and
 *              for sines where one array has both; PE_ERR_RANGE for a row that the table does
 *              not have
 * Accuracy     that rotation, bit by bit, by the numbers given (tests/unit/test_tables.c)
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

/* To reproduce engines whose angles are floats: if they round p w_i, or p and w_i, to float, use
 * PE_ANGLE_FLOAT32 with their frequencies. ggml (llama.cpp) multiplies from pair to pair instead,
 *
 *     theta = p;   for each pair:  angle = freq_scale (theta / freq_factor);   theta *= theta_scale
 *
 * rounding each result to float, so its angles are not products p w_i. */

/* The arguments of ggml_rope_ext(), by their names there. Zero all, then set n_dims and what the
   model says. A 0 means that the model says nothing, and the value beside the field is taken: ggml
   itself would multiply by an attn_factor or a freq_scale of 0. */
typedef struct pe_rope_ggml {
    size_t n_dims;             /* even, 2 ... 2^20                                               */
    float freq_base;           /* 1 ... 2^100, more than 1 where ext_factor > 0; 0: 10000        */
    float freq_scale;          /* 2^-60 ... 2^10, 1 / factor; 0: 1                               */
    float ext_factor;          /* 0: no YaRN; else 0 ... 1                                       */
    float attn_factor;         /* 2^-60 ... 2^60; 0: 1                                           */
    float beta_fast;           /* YARN: 2^-60 ... 2^60; 0: 32                                    */
    float beta_slow;           /* likewise; 0: 1                                                 */
    size_t n_ctx_orig;         /* YARN: at most 2^31 - 1; 0: it scales all pairs but 0, as ggml
                                  whose logarithm is -infinity                               */
    const float *freq_factors; /* n_dims / 2 numbers 2^-10 ... 2^120, or NULL                    */
    int contracted;            /* 1: the sums of YaRN are fused, as by gcc -O3 -march=native      */
    size_t freq_factors_length; /* numbers in freq_factors, checked before any is read: at least
                                   n_dims / 2, as ggml asks of src[2]->ne[0]; 0: not given, there
                                   are enough. Must be 0 where that is NULL                       */
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
 * attention_factor  one double, or NULL: attn_factor, with ext_factor times 1 - 0.1 ln freq_scale
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG. On an error nothing is written.
 * Accuracy     the formula for the floats given, correctly rounded (tests/unit/test_models.c)
 * Aliasing     omega and attention_factor may not overlap what is read or each other
 * Threads      any
 * See          ggml_rope_ext, rope_yarn in ggml-cpu */
PE_API pe_status pe_rope_ggml_frequencies(const pe_rope_ggml *config, double *omega,
                                          double *attention_factor);

/* Fill a table for pe_rope_by_table_T, PE_ROPE_TABLE_APART, with the sines and cosines of the float
 * angles of ggml's CPU code. The operations on floats are those of ggml_rope_ext(), each rounded;
 * powf and logf are correctly rounded, as glibc's are except for a few arguments.
 *
 * at, rows        positions of one coordinate, as in pe_fill_T; a real one is rounded to float
 * cosines, sines  rows of n_dims / 2 floats, stride apart
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG; PE_ERR_ENUM; PE_ERR_SHAPE; PE_ERR_SIZE;
 *              PE_ERR_RANGE
 * Accuracy     cosine and sine of that float angle, correctly rounded (ggml's own, by cosf and
 *              sinf, are within an ulp or so), then times the float attention factor, rounded
 *              (tests/unit/test_rope.c)
 * Aliasing     cosines, sines and what is read may not overlap
 * Threads      any
 * See          ggml_rope_cache_init, rope_yarn in ggml-cpu */
PE_API pe_status pe_rope_ggml_f32(const pe_rope_ggml *config, pe_at at, size_t rows, float *cosines,
                                  float *sines, size_t stride);

/* ==== src/algebra/contract.h ==== */
/* Contract: rows shifted by a distance, dot products of rows.
 * Needs: api.
 * Tests: tests/unit/test_algebra.c. */

/* ---- 9. algebra of positions --------------------------------------------------------------------
 * A shift by k positions rotates each pair (s, c) by k w_i, whatever its position:
 *
 *     s' = s cos(k w_i) + c sin(k w_i)
 *     c' = c cos(k w_i) - s sin(k w_i)
 *
 * So PE(p + k) is a linear function of PE(p), and <PE(p), PE(p + k)> = A^2 sum_i cos(k w_i) depends
 * only on k. k is a difference: the plan's offset, padding position and, except in dot products,
 * amplitude do not matter. Shifts add up: R(a) R(b) = R(a + b). Add the numbers and shift once;
 * shifting twice rounds twice.
 *
 * Plans whose rows are not such pairs are refused with PE_ERR_PLAN: an odd width with PE_ODD_SINE,
 * whose last column has no partner; PE_ANGLE_FLOAT32, whose rounded angles do not add up;
 * interleaved sections and lists of coordinates, which are for RoPE alone: move its keys by
 * pe_rope_T(plan, pe_delta(deltas), ...); PE_COLUMNS_FREQUENCIES, PE_COLUMNS_SUMS and
 * rope_interleave. Columns of zeros stay as they are. */

/* Shift rows by deltas, in place: rows of PE, or any rows with pairs in the plan's layout.
 * pe_all(k) shifts all rows by k.
 *
 * deltas       within -2^31 ... 2^31, with one coordinate or as many as the plan has; a row whose
 *              delta is 0 keeps every bit
 * x            rows * stride elements, as in pe_fill_T
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * To get the matrix M of the shift, PE(p + k) = M PE(p), with cos(k w_i) on the diagonal and
 * sin(k w_i), -sin(k w_i) beside it, shift the rows of the identity by pe_all(-k).
 *
 * Returns      as pe_fill_T; PE_ERR_PLAN, see above. On an error nothing is written.
 * Accuracy     S = sin(k w_i) and C = cos(k w_i) are correctly rounded floats (f64: doubles), two
 *              products and the sum are rounded each, nothing is fused:
 *                  s' = float(float(s C) + float(c S))      c' = float(float(c C) - float(s S))
 *              f16 and bf16 are widened to float, turned so, and rounded once. Without overflow an
 *              element of f32 is within 2^-24 (2 |s C| + 2 |c S| + |s'|) of the exact one, at most
 *              3 * 2^-24 hypot(s, c), and a row of PE within 4 * 2^-24 |A| of the exact row
 *              (tests/unit/test_algebra.c)
 * Aliasing     in place; x may not overlap deltas, the plan or its memory
 * Threads      any number on one plan, each with its own rows */
PE_API pe_status pe_shift_f32(const pe_plan *plan, pe_at deltas, size_t rows, float *x,
                              size_t stride);
PE_API pe_status pe_shift_f64(const pe_plan *plan, pe_at deltas, size_t rows, double *x,
                              size_t stride);
PE_API pe_status pe_shift_f16(const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x,
                              size_t stride);
PE_API pe_status pe_shift_bf16(const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x,
                               size_t stride);

/* Compute the dot product of two rows that are k positions apart, A^2 sum_i cos(k w_i), for each k
 * of deltas. Consecutive differences take no longer than filling as many rows of f32. For k = 0 it
 * is the square of a row's length, A^2 d_model / 2.
 *
 * deltas       within -2^31 ... 2^31, with one coordinate
 * count        how many; 0 does nothing
 * dots         count doubles
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN, see above, and for several axes; PE_ERR_ENUM;
 *              PE_ERR_SHAPE; PE_ERR_RANGE; PE_ERR_SIZE
 * Accuracy     0.501 ulp, 1 ulp where subnormal, of the exact sum, before anything is rounded;
 *              overflow to infinity. Where the cosines cancel to less than 2^-40 of
 *              A^2 d_model / 2, the error is still below 2^-92 of that, and a sum below 2^-88 of it
 *              is 0 (tests/unit/test_algebra.c)
 * Aliasing     dots may not overlap deltas, the plan or its memory
 * Threads      any number on one plan */
PE_API pe_status pe_dot_f64(const pe_plan *plan, pe_at deltas, size_t count, double *dots);

/* ==== src/alibi/contract.h ==== */
/* Contract: ALiBi's slopes and biases.
 * Gives: PE_ALIBI_CAUSAL, PE_ALIBI_LINEAR, PE_ALIBI_SYMMETRIC, pe_alibi_mode.
 * Needs: api.
 * Tests: tests/unit/test_alibi.c. */

/* ---- 10. ALiBi: a penalty on attention scores that grows with the distance ------------------- */

/* The bias of a key, with d = query position - key position. */
typedef enum pe_alibi_mode {
    PE_ALIBI_LINEAR,   /* -slope d, also for keys after the query: the caller masks these         */
    PE_ALIBI_CAUSAL,   /* -slope d, and -infinity for keys after the query                        */
    PE_ALIBI_SYMMETRIC /* -slope |d|: encoders                                                    */
} pe_alibi_mode;

/* Make the slopes of all heads. For n the largest power of two that is at most heads:
 *
 *     slopes[h] = 2^(-max_bias (h + 1) / n)                   h < n
 *     slopes[h] = 2^(-max_bias (2 (h - n) + 1) / (2n))        n <= h < heads
 *
 * heads        at most 2^28
 * max_bias     8 in the paper: the last of n slopes is 2^-8; finite, >= 0
 * slopes       heads floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_RANGE for another max_bias; PE_ERR_SIZE
 * Accuracy     correctly rounded, subnormals included (tests/unit/test_alibi.c)
 * Threads      any
 * See          Press et al. 2021; get_slopes() there, build_alibi_tensor() in Hugging Face's BLOOM,
 *              max_bias of ggml_soft_max_ext() */
PE_API pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes);

/* Fill the bias of keys for queries:
 *
 *     bias[h * head_stride + q * query_stride + k] = bias of slopes[h] and
 *                                                    d = position of query q - position of key k
 *
 * slopes       heads floats, finite, of either sign
 * query_at     where the queries are: whole positions, so a range or a list of integers, with
 *              pe_skip() and pe_back() too. pe_from(n) for those after n keys of a cache
 * key_at       where the keys are, likewise: pe_from(0), or the list of a cache whose cells are in
 *              any order. An ascending range is the fastest
 * heads, queries, keys    one that is 0 does nothing and is PE_OK
 * bias         aligned as its type; what lies between rows is not touched
 * query_stride elements from one query's row to the next, >= keys; ignored for one query
 * head_stride  elements from head to head, >= (queries - 1) * query_stride + keys; or the other way
 *              round, for [queries, heads, keys]. Ignored for one head
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for an unknown mode, and for lists of reals, points
 *              and grids; PE_ERR_SHAPE if rows would overlap; PE_ERR_SIZE; PE_ERR_RANGE, also for a
 *              slope that is not finite. On an error nothing is written.
 * Accuracy     the exact product, rounded once to the output's type; 0 is +0, but a negative
 *              product too small for f16 or bf16 becomes -0 (tests/unit/test_alibi.c)
 * Aliasing     bias may not overlap slopes or positions
 * Threads      any number, each with its own rows */
PE_API pe_status pe_alibi_fill_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   float *bias, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_fill_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   uint16_t *bias, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_fill_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                    pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                    uint16_t *bias, size_t query_stride, size_t head_stride);

/* Add the bias to attention scores in place: the bias rounded to f32, then one add; 16-bit scores
 * are widened, and the sum, in f32, is rounded once. In PE_ALIBI_CAUSAL the scores of keys after
 * the query become -infinity, whatever they were, NaN included.
 *
 *     scores[h * head_stride + q * query_stride + k] += bias
 *
 * The parameters are those of pe_alibi_fill_f32.
 *
 * Returns      as pe_alibi_fill_f32
 * Accuracy     f32: two roundings, of the bias and of the sum; f16, bf16: one more, to the type
 *              (tests/unit/test_alibi.c)
 * Aliasing     in place; scores may not overlap slopes or positions
 * Threads      any number, each with its own rows */
PE_API pe_status pe_alibi_add_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                  pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                  float *scores, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_add_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                  pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                  uint16_t *scores, size_t query_stride, size_t head_stride);
PE_API pe_status pe_alibi_add_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   uint16_t *scores, size_t query_stride, size_t head_stride);

/* ==== src/bias/contract.h ==== */
/* Contract: T5's buckets, and learned biases added by an index.
 * Needs: api.
 * Tests: tests/unit/test_learned.c. */

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* Compute T5's buckets of the distances d = key position - query position. With n = buckets, and in
 * both directions n = buckets / 2 and n more where d > 0, |d| is in the bucket
 *
 *     |d|                                                                for |d| < m = n / 2
 *     m + floor((n - m) ln(|d| / m) / ln(max_distance / m)), at most n - 1     from m on
 *
 * and in one direction keys after the query are in bucket 0.
 *
 * buckets        relative_attention_num_buckets, 32: 2 ... 1024, in both directions 4 and even
 * max_distance   relative_attention_max_distance, 128: above m, at most 2^31
 * bidirectional  1: encoders, 0: decoders
 * query_at, key_at   as in pe_alibi_fill_T: pe_from(first query) and pe_from(0) without a cache
 * index          queries rows of keys numbers, packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_RANGE, also for such buckets or max_distance;
 *              PE_ERR_SIZE; PE_ERR_ENUM for positions that are no whole numbers. On an error
 *              nothing is written.
 * Accuracy     the floor is that of the exact number (tests/unit/test_models.c)
 * Threads      any, each with its own queries
 * See          Raffel et al. 2020, section 2.1; relative_position_bucket in mesh_tensorflow */
PE_API pe_status pe_bias_t5_i32(size_t buckets, size_t max_distance, int bidirectional,
                                pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                int32_t *index);

/* Add learned biases to attention scores in place:
 *
 *     scores[h * head_stride + q * query_stride + k] += table[index[q * keys + k] * heads + h]
 *
 * table        entries * heads floats, packed: relative_attention_bias of T5,
 *              relative_position_bias_table of Swin and BEiT
 * index        queries * keys numbers 0 ... entries - 1: of pe_bias_t5_i32(),
 *              relative_position_index of Swin and BEiT; all are checked before anything is written
 * scores, query_stride, head_stride    as in pe_alibi_add_T
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE if rows would overlap; PE_ERR_SIZE; PE_ERR_RANGE
 *              for an index that is no entry
 * Accuracy     one add in f32; 16-bit scores are widened, and the sum is rounded once
 *              (tests/unit/test_models.c)
 * Aliasing     scores may not overlap table or index
 * Threads      any number, each with its own rows or heads */
PE_API pe_status pe_bias_add_f32(const float *table, size_t entries, size_t heads,
                                 const int32_t *index, size_t queries, size_t keys, float *scores,
                                 size_t query_stride, size_t head_stride);
PE_API pe_status pe_bias_add_f16(const float *table, size_t entries, size_t heads,
                                 const int32_t *index, size_t queries, size_t keys,
                                 uint16_t *scores, size_t query_stride, size_t head_stride);
PE_API pe_status pe_bias_add_bf16(const float *table, size_t entries, size_t heads,
                                  const int32_t *index, size_t queries, size_t keys,
                                  uint16_t *scores, size_t query_stride, size_t head_stride);

/* ==== src/learned/contract.h ==== */
/* Contract: learned tables added, their gradient, resampling.
 * Gives: PE_RESAMPLE_CUBIC, PE_RESAMPLE_LINEAR, pe_resample.
 * Needs: api.
 * Tests: tests/unit/test_learned.c, tests/unit/test_models.c. */

/* ---- 12. learned tables ---------------------------------------------------------------------- */

/* Add rows of a learned table to activations in place: with p the position of row r,
 *
 *     x[r * stride + c] += table[p * d_model + c]
 *
 * table        table_rows * d_model elements, packed
 * d_model      at least 1
 * at, rows     positions of one coordinate, whole and within 0 ... table_rows - 1, in any order,
 *              may repeat; all are checked before anything is written, none is clamped
 * x            rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; what lies between rows is not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM; PE_ERR_SHAPE, also if d_model is 0; PE_ERR_SIZE;
 *              PE_ERR_RANGE for a position that is no row of the table
 * Accuracy     each sum is rounded once: 16-bit numbers are added in f32, which has enough bits to
 *              make the second rounding harmless (tests/unit/test_learned.c)
 * Aliasing     x may not overlap the table or the positions
 * Threads      any number, each with its own rows of x
 * See          Gehring et al. 2017, section 3.1; wpe in GPT-2, embed_positions in BERT and OPT */
PE_API pe_status pe_learned_add_f32(const float *table, size_t table_rows, size_t d_model, pe_at at,
                                    size_t rows, float *x, size_t stride);
PE_API pe_status pe_learned_add_f16(const uint16_t *table, size_t table_rows, size_t d_model,
                                    pe_at at, size_t rows, uint16_t *x, size_t stride);
PE_API pe_status pe_learned_add_bf16(const uint16_t *table, size_t table_rows, size_t d_model,
                                     pe_at at, size_t rows, uint16_t *x, size_t stride);

/* Add the gradient of x to the gradient of the table, which is not cleared first:
 *
 *     grad_table[p * d_model + c] += grad_x[r * stride + c]     r = 0, 1, ..., rows - 1
 *
 * The rows are added in order, so a position that occurs often has the same sum in every run and on
 * every machine.
 *
 * grad_table   table_rows * d_model elements, packed
 * grad_x       rows * stride elements (the last row needs only d_model)
 *
 * Returns      as pe_learned_add_f32; on an error nothing is written
 * Accuracy     each of the rows' additions is rounded once (tests/unit/test_learned.c)
 * Aliasing     grad_table may not overlap grad_x or the positions
 * Threads      one at a time on a grad_table, or each with its own columns */
PE_API pe_status pe_learned_grad_f32(float *grad_table, size_t table_rows, size_t d_model, pe_at at,
                                     size_t rows, const float *grad_x, size_t stride);

typedef enum pe_resample_method { PE_RESAMPLE_CUBIC = 0, PE_RESAMPLE_LINEAR } pe_resample_method;

/* How to resample a table. Zero all and change fields: later versions may have more. */
typedef struct pe_resample {
    pe_resample_method method;
    double a;          /* cubic: the slope at distance 1, -16 ... 16; -0.75 in torch, -0.5 is
                          Catmull-Rom, whose curves keep straight lines straight; 0 is a value */
    int align_corners; /* 1: the first and last rows stay; 0: the outer edges of cells stay    */
    int antialias;     /* 1: for fewer rows the filter is wider, by the same ratio, and its weights
                          sum to 1: torch's antialias (with a = -0.5); not with align_corners    */
    double scale_y;    /* output rows per row, 2^-20 ... 2^20, if that is not out_height / height:
                          torch's scale_factor, DINOv2's (h + 0.1) / height; 0: not given        */
    double scale_x;    /* likewise along the width                                               */
} pe_resample;

/* Resample a learned table of a grid, [height, width, d_model], to [out_height, out_width,
 * d_model]; a table of rows is a grid of width 1. Along each axis:
 *
 *     out[i] = sum over k of w_k table[n + k]         n = floor(s), t = s - n, rows beyond an end
 *                                                     are the row at the end
 *     s = i (rows - 1) / (out_rows - 1)               align_corners; 0 where out_rows = 1
 *     s = (i + 1/2) rows / out_rows - 1/2             otherwise
 *     w_0 = 1 - t, w_1 = t                            linear
 *     w_-1 = a t (1-t)^2, w_0 = (1-t) (1 + t - (a+2) t^2), and w_2, w_1 alike in 1 - t     cubic
 *
 * rows / out_rows is 1 / scale where one is given. A cell has the product of its weights in the
 * two; a row with weight 0 does not count, even if it holds infinities. With antialias and r the
 * larger of rows / out_rows and 1, at most 256, w_k is the filter above at the distance
 * (n + k - s) / r, for the rows that the table has, divided by the sum of these weights. If that
 * sum is 0, as beyond the end, or within 2^-44 of the sum of their sizes, the row next to s is
 * copied.
 *
 * table        height * width * d_model floats, packed, without tokens before the positions (CLS)
 * height, width          1 ... 2^31 each
 * out_height, out_width  at most 2^31; a 0 does nothing and is PE_OK
 * d_model      at least 1
 * how          NULL: as vision models do it: cubic, a = -0.75, align_corners = 0
 * out          out_height * out_width * d_model floats, packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for another method; PE_ERR_SHAPE for d_model = 0;
 *              PE_ERR_RANGE for such an a or scale, antialias by more than 256 or with
 *              align_corners, or if the table has no rows; PE_ERR_SIZE
 * Accuracy     n is exact, all else double, rounded once at the end: 0.5 ulp and 2^-49 of the sum
 *              of |w_k table[n + k]|, 2^-47 for an a above -1/2 (tests/unit/test_learned.c). With
 *              antialias it is (n + 40) 2^-52 of that sum for n rows in reach of a cell (up to 200:
 *              2^-44), and as many times more as the weights' sizes sum to more than the weights:
 *              1.6 times at most for a within -1 ... 0 (tests/unit/test_models.c). With a scale,
 *              s and the distances are doubles, too: one that is 1 but for rounding may count. If
 *              s is a whole number, as for out_rows = rows, the row is copied
 * Aliasing     out may not overlap table
 * Threads      any
 * See          torch.nn.functional.interpolate; Keys 1981; position embeddings in ViT, DINOv2 */
PE_API pe_status pe_learned_resample_f32(const float *table, size_t height, size_t width,
                                         size_t d_model, const pe_resample *how, float *out,
                                         size_t out_height, size_t out_width);

/* ==== src/pe.h ==== */

#ifdef __cplusplus
}
#endif

#if PE__DEFINE
/* ============================================================================================== */
/*  PRIVATE: nothing below is needed to use the library                                           */
/* ============================================================================================== */

/* A map
 *
 * From pe_fill_f32() to memory, the main steps (docs/design.md has all of them):
 *     pe__call_rows              checks all arguments; nothing is written before
 *     pe__write_axes             axis by axis: its columns, and the store mode
 *     pe__write_axis             cuts the positions into runs; copies rows that repeat
 *     pe__rows_f32               a single row: pe__single_f32(), from the angle to memory. A run,
 *                                a row at position 0 or out of range: pe__write_blocks()
 *     pe__write_tile             up to 17 blocks, a tile of columns: computes the centre by
 *                                sincos/double.h and rotates it to the other anchors
 *     pe__write_block_f32        the rows round an anchor, row pair by row pair
 *     pe__store_row_pairs        the kernel: pe__rotate_span_f32() rotates, rounds and tests
 *     pe__store_four             stores or streams four vectors, or adds them
 * Where the rounding test flags a vector, pe__round_flagged() rounds y - e and y + e. Lanes where
 * they differ go to pe__round_element(), by way of the output's round_element: it tries
 * double-double, then tiny and exactly rational angles, then pe__round_quantity(), by integers.
 *
 * Each of these calls only what stands before it. What differs between types and between filling
 * and adding is chosen in 13, as a pe__row_kernel, and passed down as an argument: a program that
 * adds nothing contains no code for it. 16-bit rows come from pe__write_block_16() and
 * pe__rotate_span_16(), in floats; f64 from pe__rows_f64(). RoPE writes rows to the stack
 * (pe__write_rope_rows()) and rotates heads by them; a shift is RoPE with a row as its head.
 *
 * Glossary
 *     pair           the sine and cosine of one frequency
 *     run            rows of consecutive positions, upwards or downwards
 *     anchor         a row in doubles, from which other rows are rotated; the centre is the anchor
 *                    of anchors
 *     block          the 17 rows round an anchor
 *     row pair       the rows anchor + b and anchor - b, which share their products
 *     tile           columns, or tokens, whose data fits the stack and the first-level cache
 *     unit           pairs of two vectors, whose sines and cosines stay in registers (RoPE)
 *     rounding test  Ziv's: y is safe if its error interval, y - e ... y + e, rounds to one number.
 *                    A vector is flagged where that is not certain, a lane undecided where it is
 *                    not so
 *     padding        lanes after the last pair of a vector: they repeat it and are not stored
 *     far            out of the range of the double kernel: angles take double-double
 *
 * PE__INLINE is a kernel, compiled into its caller with its constant arguments. PE__OUTLINE is one
 * copy that several callers share: inlining it would cost code or, because its arrays would be in
 * the caller's frame, stack, and save no time. PE__COLD is rare. Only pe_simd.h has intrinsics.
 */

#include "pe_simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== src/api/status.h ==== */
/* The text of a status, the version, the instruction set.
 * Gives: pe_isa_name(), pe_status_string(), pe_version().
 * Needs: simd.
 * Tests: tests/unit/test_selftest.c, tests/unit/test_errors.c. */

/* ---- 3. this build --------------------------------------------------------------------------- */

PE_API const char *pe_status_string(pe_status status)
{
    static const char *const texts[] = {
#define PE__STATUS_TEXT(name, text) text,
        PE__STATUSES(PE__STATUS_TEXT)
#undef PE__STATUS_TEXT
    };
    const size_t index = (size_t)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "this number is no pe_status";
}

PE_API int pe_version(void) { return PE_VERSION_HEX; }

PE_API const char *pe_isa_name(void) { return PE_ISA_NAME; }

/* ==== src/numbers/base.h ==== */
/* Sizes that may overflow, ranges of positions, tiles, and types of elements.
 * tests/unit/test_errors.c and tests/unit/test_bounds.c test them. */

/* Returns how many elements of 1, 2, 4 or 8 bytes fit into the PTRDIFF_MAX bytes that a pointer can
   span. Written without a division. */
PE__INLINE size_t pe__max_elements(size_t element)
{
    const size_t bytes = (size_t)PTRDIFF_MAX;
    return element == 1 ? bytes : element == 2 ? bytes / 2 : element == 4 ? bytes / 4 : bytes / 8;
}

/* Returns whether a b > limit, without overflow. If a and b fit into half the bits of size_t, there
   is no division. */
PE__INLINE int pe__exceeds(size_t a, size_t b, size_t limit)
{
    const int half = (int)sizeof(size_t) * 4;
    if (((a | b) >> half) == 0) return a * b > limit;
    return b != 0 && a > limit / b;
}

/* Checks an array of rows with stride elements of `element` bytes each: the stride must hold
   d_model elements, and the array must fit into what a pointer can span. */
static inline pe_status pe__check_shape(size_t d_model, size_t rows, size_t stride, size_t element)
{
    if (stride < d_model) return PE_ERR_SHAPE;
    if (pe__exceeds(stride, rows, pe__max_elements(element))) return PE_ERR_SIZE;
    return PE_OK;
}

static const int64_t pe__position_limit = (int64_t)1 << 31;

/* Checks that the consecutive positions first ... first + rows - 1 are within the limit. */
static inline pe_status pe__check_range(int64_t first, size_t rows)
{
    if (first < -pe__position_limit || first > pe__position_limit) return PE_ERR_RANGE;
    const uint64_t all = rows, room = (uint64_t)(pe__position_limit - first);
    return all - 1 <= room ? PE_OK : PE_ERR_RANGE; /* room: for positions after the first */
}

/* PE__BLOCK_HALF: the rows of a block on each side of its anchor.
   PE__TILE: the pairs of a tile. Long rows are faster.
   PE__TILE_STREAMED: the pairs of a tile with non-temporal stores. Its anchors and the plan's rows
   must stay in the first-level cache, because a miss waits for the buffers that non-temporal stores
   fill. The tile takes half of the workspace, as pe__unaliased() needs. */
#ifdef __OPTIMIZE__
enum { PE__OPTIMIZED = 1 };
#else /* unoptimised kernels need more stack, so tiles get less */
enum { PE__OPTIMIZED = 0 };
#endif
enum { PE__BLOCK_HALF = 8, PE__BLOCK_ROWS = 2 * PE__BLOCK_HALF + 1 };
enum { PE__TILE = PE__OPTIMIZED ? 512 : 128 };
enum { PE__TILE_STREAMED = PE__OPTIMIZED ? 256 : 128 };

/* How many pairs of a plan's arrays are sorted together by coordinate, in pe__plan_sort_pairs(). */
enum { PE__SORT_PAIRS = 256 };

/* The types of elements, with the values of pe_type. PE__DROP_...: how many significand bits the
   last rounding drops, from double to float, or from float to 16 bits. */
typedef enum pe__type { PE__F32, PE__F16, PE__BF16 } pe__type;
enum { PE__DROP_F32 = PE__DROPPED, PE__DROP_BF16 = 16, PE__DROP_F16 = 13 };
PE__INLINE int pe__dropped_bits(pe__type kind)
{
    return kind == PE__BF16 ? PE__DROP_BF16 : kind == PE__F16 ? PE__DROP_F16 : PE__DROP_F32;
}

PE__INLINE size_t pe__min(size_t a, size_t b) { return a < b ? a : b; }
PE__INLINE size_t pe__max(size_t a, size_t b) { return a > b ? a : b; }

/* Returns the first cache line boundary (64 bytes) at or after p. */
PE__INLINE double *pe__aligned(void *p)
{
    return (double *)(void *)((unsigned char *)p + (64 - (uintptr_t)p % 64) % 64);
}

PE__INLINE int pe__between(double x, double low, double high) /* 0 for NaN */
{
    return x >= low && x <= high;
}

/* ==== src/where/at.h ==== */
/* Positions of a pe_at: read, checked.
 * Gives: PE__AT_F32, PE__AT_F64, PE__AT_GRID, PE__AT_RANGE, PE__POSITIONS, pe__grid_cells(),
 *   pe__check_at(), pe__is_consecutive(), pe__check_positions(), pe__check_integers(), pe__at_kind,
 *   pe__position(), pe__positions(), pe__saturating_mul(), pe__integer_position().
 * Needs: simd, api, numbers.
 * Tests: tests/unit/test_at.c. */

/* ---- 4. where rows are ----------------------------------------------------------------------- */

typedef enum pe__at_kind {
    PE__AT_RANGE = 1, /* zeros are no place */
    PE__AT_I32,
    PE__AT_I64,
    PE__AT_F32,
    PE__AT_F64,
    PE__AT_GRID
} pe__at_kind;

/* Is a b > SIZE_MAX? Then that. */
PE__INLINE size_t pe__saturating_mul(size_t a, size_t b)
{
    return pe__exceeds(a, b, SIZE_MAX - 1) ? SIZE_MAX : a * b;
}

/* Cells of a grid before a coordinate changes; SIZE_MAX if they are more. */
PE__INLINE size_t pe__grid_cells(const pe_at *at, size_t axis)
{
    size_t cells = 1;
    for (size_t a = axis + 1; a < at->axes; a++) cells = pe__saturating_mul(cells, at->size[a]);
    return cells;
}

enum { PE__POSITIONS = 32 }; /* positions looked at together */

/* The positions of n rows from row r on: coordinate axis. */
PE__OUTLINE void pe__positions(const pe_at *at, size_t r, size_t n, size_t axis, double *p)
{
    const size_t first = (at->skipped + r) * at->row_stride + axis * at->axis_stride;
    const size_t step = at->row_stride;
#define PE__READ_LIST(type)                                                                        \
    for (size_t k = 0; k < n; k++) {                                                               \
        double x = (double)((const type *)at->list)[first + k * step];                             \
        PE__OPAQUE(x);                                                                             \
        p[k] = x;                                                                                  \
    }                                                                                              \
    break
    switch (at->kind) {
    case PE__AT_I32: PE__READ_LIST(int32_t);
    case PE__AT_I64: PE__READ_LIST(int64_t);
    case PE__AT_F32: PE__READ_LIST(float);
    case PE__AT_F64: PE__READ_LIST(double);
#undef PE__READ_LIST
    case PE__AT_GRID:
        for (size_t k = 0; k < n; k++)
            p[k] = (double)((at->skipped + r + k) / pe__grid_cells(at, axis) % at->size[axis]);
        break;
    default:
        for (size_t k = 0; k < n; k++) p[k] = (double)(at->first + (int64_t)(r + k) * at->step);
        break;
    }
    for (size_t k = 0; at->back && k < n; k++) p[k] = -p[k];
}
PE__INLINE double pe__position(const pe_at *at, size_t r, size_t axis)
{
    double p = (double)(at->first + (int64_t)r * at->step);
    if (at->kind == PE__AT_RANGE) return at->back ? -p : p;
    pe__positions(at, r, 1, axis, &p);
    return p;
}

/* Are all |p + a| and |p + b| at most reach? No for a NaN. */
PE__INLINE int pe__positions_ok(const double *p, size_t n, double a, double b, double reach)
{
    int ok = 1;
    for (size_t k = 0; k < n; k++) ok &= (fabs(p[k] + a) <= reach) & (fabs(p[k] + b) <= reach);
    return ok;
}

/* Do the indices of so many rows of a list fit? */
static inline int pe__list_fits(const pe_at *at, size_t rows)
{
    const size_t element = at->kind == PE__AT_I32 || at->kind == PE__AT_F32 ? 4 : 8;
    const size_t limit = pe__max_elements(element) - 1, axes = at->axes - 1;
    if (rows - 1 > SIZE_MAX - at->skipped || pe__exceeds(axes, at->axis_stride, limit)) return 0;
    return !pe__exceeds(at->skipped + (rows - 1), at->row_stride, limit - axes * at->axis_stride);
}

/* What is wrong with the places of rows > 0 rows of so many coordinates? Positions p must have
   |p + a| and |p + b| of at most reach. */
static inline pe_status pe__check_positions(const pe_at *at, size_t rows, size_t axes, double a,
                                            double b, double reach)
{
    double p[PE__POSITIONS];
    const double sign = at->back ? -1 : 1;
    const int grid = at->kind == PE__AT_GRID;
    int ok = 1;
    if (at->kind < (int)PE__AT_RANGE || at->kind > (int)PE__AT_GRID) return PE_ERR_ENUM;
    if (at->status != PE_OK) return at->status;
    if (at->axes != 1 && at->axes != axes) return PE_ERR_SHAPE;
    if (at->kind == PE__AT_RANGE) { /* its ends, as doubles: inexact only far beyond */
        p[0] = (double)at->first * sign;
        p[1] = p[0] + (double)(rows - 1) * (double)at->step * sign;
        return pe__positions_ok(p, 2, a, b, reach) ? PE_OK : PE_ERR_RANGE;
    }
    if (grid) {
        const size_t cells = pe__saturating_mul(pe__grid_cells(at, 0), at->size[0]);
        if (cells == SIZE_MAX) return PE_ERR_SIZE;
        if (at->skipped > cells || rows > cells - at->skipped) return PE_ERR_SHAPE;
    } else {
        if (!at->list) return PE_ERR_NULL;
        if (!pe__list_fits(at, rows)) return PE_ERR_SIZE;
    }
    for (size_t k = 0; k < at->axes; k++) {
        p[0] = 0; /* a grid's ends */
        p[1] = grid ? (double)(at->size[k] - 1) * sign : 0;
        if (grid) ok &= pe__positions_ok(p, 2, a, b, reach);
        for (size_t r = 0, n; !grid && r < rows; r += n) {
            n = pe__min(rows - r, PE__POSITIONS);
            pe__positions(at, r, n, k, p);
            ok &= pe__positions_ok(p, n, a, b, reach);
        }
    }
    return ok ? PE_OK : PE_ERR_RANGE;
}

/* The same for all that pe takes, with this offset, which is that of a pe_back() already. */
static inline pe_status pe__check_at(const pe_at *at, size_t rows, size_t axes, double offset)
{
    return pe__check_positions(at, rows, axes, 0, offset, (double)pe__position_limit);
}

/* The same for whole positions of one coordinate, whose differences are exact. */
static inline pe_status pe__check_integers(const pe_at *at, size_t rows)
{
    const int real = at->kind > (int)PE__AT_I64 || at->axes > 1;
    return real ? PE_ERR_ENUM : pe__check_at(at, rows, 1, 0);
}

PE__INLINE int64_t pe__integer_position(const pe_at *at, size_t r)
{
    if (at->kind != (int)PE__AT_RANGE) return (int64_t)pe__position(at, r, 0);
    const int64_t p = at->first + (int64_t)r * at->step;
    return at->back ? -p : p;
}

/* Are these so many rows at p, p + 1, p + 2 ... because they are a range? */
PE__INLINE int pe__is_consecutive(const pe_at *at)
{
    return at->kind == (int)PE__AT_RANGE && at->step == (at->back ? -1 : 1);
}

/* ==== src/numbers/double_double.h ==== */
/* Double-double and triple-double arithmetic: sums, products, quotients, rotations.
 * tests/unit/test_budget.c measures the errors. */

/* ---- 5.1 double-double and triple-double --------------------------------------------------------
 * A number is the unevaluated sum of two or three doubles, lane by lane: about 104 and 156 bits.
 * The low part of a pe__dd may be as large as a few ulps of the high part. A result said to be
 * normalised has hi = the double nearest to the sum. */

PE__INLINE double pe__first_lane(pe__vd x)
{
    double lanes[PE_LANES];
    pe__store(lanes, x);
    return lanes[0];
}

typedef struct pe__dd {
    pe__vd hi, lo;
} pe__dd;
typedef struct pe__td {
    pe__vd a, b, c;
} pe__td;

PE__INLINE pe__dd pe__dd_splat(const double *x)
{
    const pe__dd r = {pe__splat(x[0]), pe__splat(x[1])};
    return r;
}

/* Returns x y with a relative error below 2^-102. */
PE__INLINE pe__dd pe__dd_mul(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, y.hi, &r.lo);
    r.lo = pe__fma(x.lo, y.hi, pe__fma(x.hi, y.lo, r.lo));
    return r;
}

/* Returns a + x for |a| >= |x|, with an error of 2^-104 |a|. */
PE__INLINE pe__dd pe__dd_add_small(pe__dd a, pe__dd x)
{
    pe__dd r;
    r.hi = pe__fast_two_sum(a.hi, x.hi, &r.lo);
    r.lo = r.lo + (a.lo + x.lo);
    return r;
}

/* Returns x normalised. */
PE__INLINE pe__dd pe__dd_renormalize(pe__dd x)
{
    x.hi = pe__fast_two_sum(x.hi, x.lo, &x.lo);
    return x;
}

PE__INLINE pe__dd pe__dd_add(pe__dd x, pe__dd y)
{
    pe__dd r;
    r.hi = pe__two_sum(x.hi, y.hi, &r.lo);
    r.lo = r.lo + (x.lo + y.lo);
    return r;
}

/* Returns x - y, normalised. */
PE__INLINE pe__dd pe__dd_sub(pe__dd x, pe__dd y)
{
    y.hi = -y.hi;
    y.lo = -y.lo;
    return pe__dd_renormalize(pe__dd_add(x, y));
}

/* Returns x / y, normalised, with a relative error below 2^-101. */
PE__INLINE pe__dd pe__dd_div(pe__dd x, pe__dd y)
{
    const pe__vd inverse = pe__splat(1.0) / y.hi;
    pe__dd r;
    pe__vd e;
    r.hi = x.hi * inverse;
    const pe__vd p = pe__two_prod(r.hi, y.hi, &e);
    r.lo = (((x.hi - p) - e) + (x.lo - r.hi * y.lo)) * inverse;
    return pe__dd_renormalize(r);
}

/* Returns x times the double `by`, normalised. */
PE__INLINE pe__dd pe__dd_mul_double(pe__dd x, double by)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, pe__splat(by), &r.lo);
    r.lo = pe__fma(x.lo, pe__splat(by), r.lo);
    return pe__dd_renormalize(r);
}

/* Rotates (s, c) by (ts, tc), in place: sin(a + b) and cos(a + b). Adds less than 2^-100 to the
   error. */
PE__INLINE void pe__dd_rotate(pe__dd *s, pe__dd *c, pe__dd ts, pe__dd tc)
{
    const pe__dd s0 = *s, c0 = *c;
    *s = pe__dd_add(pe__dd_mul(s0, tc), pe__dd_mul(c0, ts));
    ts.hi = -ts.hi;
    ts.lo = -ts.lo;
    *c = pe__dd_add(pe__dd_mul(c0, tc), pe__dd_mul(s0, ts));
}

/* Doubles the angle of (s, c), in place: 2 s c and 1 - 2 s^2. Costs half as much as a rotation. */
PE__INLINE void pe__dd_double_angle(pe__dd *s, pe__dd *c)
{
    const pe__vd two = pe__splat(2.0);
    const pe__dd sc = pe__dd_mul(*s, *c), ss = pe__dd_mul(*s, *s);
    c->hi = pe__two_sum(pe__splat(1.0), -two * ss.hi, &c->lo);
    c->lo = c->lo - two * ss.lo;
    s->hi = two * sc.hi;
    s->lo = two * sc.lo;
}

/* Sets s[b] and c[b], b >= 2, to the sine and cosine of b times an angle, from the entries b / 2
   and b - b / 2. */
PE__INLINE void pe__dd_multiple_angle(pe__dd *s, pe__dd *c, size_t b)
{
    const size_t half = b / 2, rest = b - half;
    pe__dd sine = s[half], cosine = c[half]; /* locals: gcc copies from memory byte by byte */
    if (half == rest) pe__dd_double_angle(&sine, &cosine);
    else pe__dd_rotate(&sine, &cosine, s[rest], c[rest]);
    s[b] = sine;
    c[b] = cosine;
}

PE__INLINE pe__td pe__td_renormalize(pe__vd a, pe__vd b, pe__vd c)
{
    pe__td r;
    b = pe__two_sum(b, c, &c);
    r.a = pe__two_sum(a, b, &b);
    r.b = pe__two_sum(b, c, &r.c);
    return r;
}

PE__INLINE pe__dd pe__dd_from_td(pe__td x) /* the two largest parts */
{
    const pe__dd r = {x.a, x.b};
    return r;
}

PE__INLINE pe__dd pe__dd_from_double(pe__vd x)
{
    const pe__dd r = {x, pe__splat(0.0)};
    return r;
}

/* Returns the sum x[0] + x[1] + x[2] in all lanes. */
PE__INLINE pe__td pe__td_const(const double *x)
{
    const pe__td r = {pe__splat(x[0]), pe__splat(x[1]), pe__splat(x[2])};
    return r;
}

PE__INLINE pe__td pe__td_add_inline(pe__td x, pe__td y)
{
    pe__vd e, f, g;
    const pe__vd a = pe__two_sum(x.a, y.a, &e);
    pe__vd b = pe__two_sum(x.b, y.b, &f);
    b = pe__two_sum(b, e, &g);
    return pe__td_renormalize(a, b, (x.c + y.c) + (f + g));
}

PE__INLINE pe__td pe__td_mul_inline(pe__td x, pe__td y)
{
    pe__vd e00, e01, e10, t, u;
    const pe__vd p00 = pe__two_prod(x.a, y.a, &e00);
    const pe__vd p01 = pe__two_prod(x.a, y.b, &e01);
    const pe__vd p10 = pe__two_prod(x.b, y.a, &e10);
    pe__vd b = pe__two_sum(p01, p10, &t);
    b = pe__two_sum(b, e00, &u);
    const pe__vd minor = (x.b * y.b + (x.a * y.c + x.c * y.a)) + (e01 + e10);
    return pe__td_renormalize(p00, b, minor + (t + u));
}

/* x += y and x *= y, out of line. Loops that do little else inline pe__td_add_inline() and
   pe__td_mul_inline() instead. */
PE__OUTLINE void pe__td_add_to(pe__td *x, const pe__td *y) { *x = pe__td_add_inline(*x, *y); }
PE__OUTLINE void pe__td_mul_by(pe__td *x, const pe__td *y) { *x = pe__td_mul_inline(*x, *y); }

PE__INLINE pe__td pe__td_add(pe__td x, pe__td y)
{
    pe__td_add_to(&x, &y);
    return x;
}
PE__INLINE pe__td pe__td_mul(pe__td x, pe__td y)
{
    pe__td_mul_by(&x, &y);
    return x;
}

PE__INLINE pe__td pe__td_from_double(pe__vd x)
{
    const pe__td r = {x, pe__splat(0.0), pe__splat(0.0)};
    return r;
}

PE__INLINE pe__td pe__td_splat(double x) { return pe__td_from_double(pe__splat(x)); }

PE__INLINE pe__td pe__td_mul_double(pe__td x, pe__vd y)
{
    pe__td r;
    pe__vd e, f, g;
    r.a = pe__two_prod(x.a, y, &e);
    const pe__vd p = pe__two_prod(x.b, y, &f);
    r.b = pe__two_sum(p, e, &g);
    r.a = pe__fast_two_sum(r.a, r.b, &r.b);
    r.b = pe__fast_two_sum(r.b, g + (f + x.c * y), &r.c);
    return r;
}

PE__INLINE pe__td pe__td_mul_pow2(pe__td x, pe__vd y) /* y: a power of two, of either sign */
{
    x.a = x.a * y;
    x.b = x.b * y;
    x.c = x.c * y;
    return x;
}

PE__INLINE pe__td pe__td_sub(pe__td x, pe__td y)
{
    return pe__td_add(x, pe__td_mul_pow2(y, pe__splat(-1.0)));
}

/* Returns x / y by long division with three digits, each a double. */
PE__INLINE pe__td pe__td_div(pe__td x, pe__td y)
{
    pe__vd digit[3];
    for (int d = 0; d < 3; d++) {
        digit[d] = x.a / y.a;
        if (d < 2) x = pe__td_add_inline(x, pe__td_mul_double(y, -digit[d]));
    }
    return pe__td_renormalize(digit[0], digit[1], digit[2]);
}

/* Returns 1 / y for a double y, by long division with three digits. Each remainder is a double but
   for its last bits, so multiplying it by the first digit gives the next digit. */
PE__INLINE pe__td pe__td_inverse(pe__vd y)
{
    pe__td r;
    pe__vd e, f;
    r.a = pe__splat(1.0) / y;
    const pe__vd p = pe__two_prod(r.a, y, &e), rest = (pe__splat(1.0) - p) - e;
    r.b = rest * r.a;
    const pe__vd q = pe__two_prod(r.b, y, &f);
    r.c = ((rest - q) - f) * r.a;
    return r;
}
PE__INLINE pe__td pe__td_div_double(pe__td x, pe__vd y) { return pe__td_mul(x, pe__td_inverse(y)); }

/* ==== src/numbers/exp_log.h ==== */
/* Powers of 2 and logarithms to base 2, of triple-doubles and of doubles.
 * tests/unit/test_budget.c measures the errors. */

/* ---- 5.2 elementary functions in triple-double ----------------------------------------------- */

/* 1 / pi, pi and ln 2, each as the sum of three doubles. */
static const double pe__inverse_pi[3] = {0.3183098861837907, -1.9678676675182486e-17,
                                         -1.0721436282893004e-33};
static const double pe__pi[3] = {3.141592653589793, 1.2246467991473532e-16,
                                 -2.9947698097183397e-33};
static const double pe__ln2[3] = {0.6931471805599453, 2.3190468138462996e-17,
                                  5.707708438416212e-34};

/* Returns 2^k for -1022 <= k <= 1023. */
PE__INLINE double pe__exp2i(int k)
{
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Splits a normal x = m 2^e, 0.5 <= |m| < 1. Returns m. */
PE__INLINE double pe__frexp(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *e = (int)(bits >> 52 & 0x7ff) - 1022;
    bits = (bits & 0x800fffffffffffffu) | ((uint64_t)1022 << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns the odd integer m with x = m 2^k, for a positive normal x. */
PE__INLINE uint64_t pe__odd_significand(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    return bits >> pe__lowest_bit(bits);
}

/* 1 / n!, n = 0 ... 27. Two doubles for n < 16, one after that, where more digits do not matter. */
static const double pe__inverse_factorial[28][2] = {
    {1.0}, {1.0}, {0.5}, {0.16666666666666666, 9.25185853854297e-18},
    {0.041666666666666664, 2.3129646346357427e-18}, {0.008333333333333333, 1.1564823173178714e-19},
    {0.001388888888888889, -5.300543954373577e-20}, {0.0001984126984126984, 1.7209558293420705e-22},
    {2.48015873015873e-5, 2.1511947866775882e-23}, {2.7557319223985893e-6, -1.858393274046472e-22},
    {2.755731922398589e-7, 2.3767714622250297e-23}, {2.505210838544172e-8, -1.448814070935912e-24},
    {2.08767569878681e-9, -1.20734505911326e-25}, {1.6059043836821613e-10, 1.2585294588752098e-26},
    {1.1470745597729725e-11, 2.0655512752830745e-28}, {7.647163731819816e-13, 7.03872877733453e-30},
    {4.779477332387385e-14}, {2.8114572543455206e-15}, {1.5619206968586225e-16},
    {8.22063524662433e-18}, {4.110317623312165e-19}, {1.9572941063391263e-20},
    {8.896791392450574e-22}, {3.868170170630684e-23}, {1.6117375710961184e-24},
    {6.446950284384474e-26}, {2.4795962632247976e-27}, {9.183689863795546e-29},
};

/* Returns 1 / first! + y / (first + 2)! + y^2 / (first + 4)! ... + y^k / last! for |y| < 1. The
   terms after the one with 1 / last_dd! are computed in double, the others in double-double. */
PE__INLINE pe__dd pe__dd_series(int first, int last_dd, int last, pe__dd y)
{
    pe__dd sum = {pe__splat(pe__inverse_factorial[last][0]), pe__splat(0.0)};
    int k = last - 2;
    for (; k > last_dd; k -= 2)
        sum.hi = pe__fma(sum.hi, y.hi, pe__splat(pe__inverse_factorial[k][0]));
    for (; k >= first; k -= 2)
        sum = pe__dd_add_small(pe__dd_splat(pe__inverse_factorial[k]), pe__dd_mul(sum, y));
    return sum;
}

/* 2^(k / 16) for k = 0 ... 15, as the sum of three doubles. */
static const double pe__exp2_sixteenths[3][16] = {
    {1.0, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916, 1.189207115002721,
     1.241857812073484, 1.2968395546510096, 1.3542555469368927, 1.4142135623730951,
     1.4768261459394993, 1.5422108254079407, 1.6104903319492543, 1.681792830507429,
     1.7562521603732995, 1.8340080864093424, 1.9152065613971474},
    {0.0, 8.551889705537965e-17, -3.046782079812471e-17, 8.912812676025408e-17,
     3.982015231465646e-17, 4.658027591836937e-17, 2.5382502794888315e-17, 7.70094837980299e-17,
     -9.667293313452913e-17, -3.483994556892796e-17, 7.949834809697621e-17,
     2.4707192569797888e-17, 8.199010020581497e-17, 2.960140695448873e-17, 3.283107224245627e-17,
     -1.0619946056195963e-16},
    {0.0, -4.330791080574723e-33, 2.0170548784884862e-33, -2.0074146328324945e-33,
     1.1419596568854534e-33, -2.31439910378786e-33, 1.686782464618325e-34,
     -2.2407483643739503e-33, 4.1386753086994136e-33, -1.2115770452309058e-34,
     -9.159956374100367e-34, 1.069684778889359e-33, 5.103515194728093e-33, 1.2334822744893002e-33,
     -6.4250893479530425e-34, -3.0577697567913255e-33}};

/* Returns 2^(k / 16) for an integer k, |k| < 16000. */
PE__INLINE pe__td pe__td_exp2_sixteenths(pe__vd k)
{
    const pe__vd power = pe__power_of_2(pe__round(k * pe__splat(0.0625) - pe__splat(0.46875)));
    const pe__td y = {pe__lookup_16(pe__exp2_sixteenths[0], k),
                      pe__lookup_16(pe__exp2_sixteenths[1], k),
                      pe__lookup_16(pe__exp2_sixteenths[2], k)};
    return pe__td_mul_pow2(y, power);
}

/* Replaces x = *at, |x| < 1000, by 2^x = 2^(k / 16) exp(r), |r| < 0.0217, with a relative error of
 * 2^-106. A multiple of 1/16 has r = 0 and no error. The even and the odd terms of the series are
 * separate: exp(r) = 1 + r + r^2 (1/2! + r^2/4! ...) + r^3 (1/3! + r^2/5! ...). The errors are
 *     2^-107  r, from a double-double product: 2^-102 |r|
 *     2^-125  the terms of the series that are left out
 *     2^-110  the terms in double, from r^8/8! on, and those in double-double before
 *     2^-110  the last product, in doubles */
PE__OUTLINE void pe__td_to_exp2(pe__td *at)
{
    const pe__td x = *at;
    static const double unit[2] = {0.04332169878499658, 1.4494042586539372e-18}; /* ln 2 / 16 */
    const pe__vd sixteen = pe__splat(16.0), k = pe__round(x.a * sixteen);
    const pe__td root = pe__td_exp2_sixteenths(k);
    pe__dd r, e;
    pe__td y;
    pe__vd lost, more;
    r.hi = pe__two_sum(x.a * sixteen - k, x.b * sixteen, &r.lo);
    r.lo = r.lo + x.c * sixteen;
    r = pe__dd_mul(r, pe__dd_splat(unit));
    const pe__dd square = pe__dd_mul(r, r), odd = pe__dd_series(3, 7, 15, square);
    e = pe__dd_mul(square, pe__dd_add_small(pe__dd_series(2, 6, 14, square), pe__dd_mul(r, odd)));
    e = pe__dd_add_small(r, e);
    const pe__vd p = pe__two_prod(root.a, e.hi, &lost);
    const pe__vd rest = lost + (root.a * e.lo + root.b * e.hi);
    y.a = pe__fast_two_sum(root.a, p, &y.b);
    y.b = pe__two_sum(y.b, root.b, &y.c);
    y.b = pe__two_sum(y.b, rest, &more);
    y.c = (y.c + more) + root.c;
    y.a = pe__fast_two_sum(y.a, y.b, &y.b);
    *at = y;
}
PE__INLINE pe__td pe__td_exp2(pe__td x)
{
    pe__td_to_exp2(&x);
    return x;
}

/* Replaces x = *at, 2^-1000 <= x <= 2^1000, by log2(x). The error is 2^-106, or 2^-101 relative to
 * log2(x). A power of two has none.
 *     1. log2(x) = k / 16 + log2(1 + z), |z| < 0.027. k comes from a parabola whose error is below
 *        0.11 sixteenths.
 *     2. ln(1 + z) = 2 atanh(s), s = z / (2 + z). The error of s is 2^-111. The terms of the series
 *        that are left out are below 2^-118.
 *     3. The product with 2 / ln 2 is below 2^-4 and has a relative error of 2^-102. */
PE__OUTLINE void pe__td_to_log2(pe__td *at)
{
    static const double by[2] = {2.8853900817779268, 4.0710547481862066e-17}; /* 2 / ln 2 */
    static const double third[3][2] = {{0.3333333333333333, 1.850371707708594e-17},
                                       {0.2, -1.1102230246251566e-17},
                                       {0.14285714285714285, 7.93016446160826e-18}};
    const pe__vd one = pe__splat(1.0);
    const pe__td x = *at;
    pe__td y;
    pe__dd z, d, s, sum;
    pe__vd e;
    const pe__vd m = pe__mantissa(x.a, &e), rough = pe__splat(-1.3389960755611636) * m;
    const pe__vd log_m = (rough + pe__splat(3.9883623990806445)) * m - pe__splat(2.653124006086173);
    const pe__vd k = pe__round((e + log_m) * pe__splat(16.0));
    y = pe__td_mul_inline(x, pe__td_exp2_sixteenths(-k));
    z.hi = pe__two_sum(y.a - one, y.b, &z.lo);
    z.lo = z.lo + y.c;
    d.hi = pe__fast_two_sum(pe__splat(2.0), z.hi, &d.lo);
    d.lo = d.lo + z.lo;
    s = pe__dd_div(z, d);
    const pe__dd square = pe__dd_mul(s, s);
    pe__vd tail = pe__splat(1.0 / 17);
    for (int n = 15; n >= 9; n -= 2) tail = pe__fma(tail, square.hi, pe__splat(1.0 / n));
    sum.hi = tail;
    sum.lo = pe__splat(0.0);
    for (int n = 2; n >= 0; n--)
        sum = pe__dd_add_small(pe__dd_splat(third[n]), pe__dd_mul(sum, square));
    sum = pe__dd_add_small(s, pe__dd_mul(s, pe__dd_mul(square, sum)));
    sum = pe__dd_mul(sum, pe__dd_splat(by));
    y.a = pe__fast_two_sum(k * pe__splat(0.0625), sum.hi, &y.b);
    y.b = pe__two_sum(y.b, sum.lo, &y.c);
    y.a = pe__fast_two_sum(y.a, y.b, &y.b);
    *at = y;
}
PE__INLINE pe__td pe__td_log2(pe__td x)
{
    pe__td_to_log2(&x);
    return x;
}

/* Returns log2(x) for a double x. For products of 2, 3 and 5, the numbers that people write, it
   takes a quarter of the time: it adds multiples of the logarithms of 3 and 5. The first two parts
   of these logarithms have few bits, so that small multiples are exact. */
PE__OUTLINE pe__td pe__td_log2_of(double x)
{
    static const double logs[2][3] = {
        {1.5849625007213035, -1.4733181985374205e-13, -4.077615385476137e-24},
        {2.321928094886971, 3.914087556297189e-13, -1.1635743969074953e-25}};
    uint64_t odd = pe__odd_significand(x);
    int e, own, n = 0;
    (void)pe__frexp(x, &e);
    (void)pe__frexp((double)odd, &own);
    double sum[3] = {(double)(e - own), 0, 0};
    for (int k = 0; k < 2; k++, n = 0) {
        for (; odd % (k ? 5 : 3) == 0; odd /= k ? 5 : 3) n++;
        for (int d = 0; d < 3; d++) sum[d] += n * logs[k][d];
    }
    if (odd != 1) return pe__td_log2(pe__td_splat(x));
    pe__td y = pe__td_const(sum);
    y.a = pe__fast_two_sum(y.a, y.b, &y.b);
    y.b = pe__fast_two_sum(y.b, y.c, &y.c);
    return y;
}

/* Returns log2(x) for a normal x > 0, as e + 2 atanh(z) / ln 2, with an error of 2^-36. */
PE__OUTLINE double pe__log2(double x)
{
    int e;
    double m = pe__frexp(x, &e);
    if (m < 0.7071067811865476) {
        m *= 2;
        e--;
    }
    const double z = (m - 1) / (m + 1), s = z * z; /* |z| < 0.172 */
    const double y = 1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11 + s * (1.0 / 13)));
    return e + 2.8853900817779268 * z * (1 + s * (1.0 / 3 + s * (1.0 / 5 + s * y)));
}

/* ==== src/numbers/real.h ==== */
/* Multi-limb numbers with an error bound: arithmetic, pi, exp, log, rounding.
 * tests/checks/levels.sh tests them. */

/* ---- 5.3 numbers of any precision ---------------------------------------------------------------
 * These numbers decide the roundings that double-double leaves open. A number is sign * d *
 * 2^(exponent - 32n), where d is an integer of n limbs whose first bit is set. The error of d is
 * below 2^log2_error. Each operation bounds the error of its result, so a rounding is either
 * certain or tried again with more limbs. All arithmetic is on integers: the same on every machine.
 */

/* PE__LIMBS: at most 1344 bits. PE__NO_ERROR: log2_error of an exact number; also the exponent of
   an exact 0. */
enum { PE__LIMBS = 42, PE__NO_ERROR = -1000000 };
typedef struct pe__real {
    int n, sign, exponent, log2_error; /* sign: -1, 1, or 0 if d is 0 */
    uint32_t d[PE__LIMBS + 1];         /* lowest limb first; one more before normalisation */
} pe__real;

PE__COLD int pe__real_is_exact(const pe__real *x) { return x->log2_error < PE__NO_ERROR / 2; }
PE__COLD int pe__real_is_0(const pe__real *x) { return x->sign == 0 && pe__real_is_exact(x); }

/* Returns log2_error for the sum of two errors, each given by its log2_error. */
PE__COLD int pe__add_errors(int a, int b)
{
    const int more = a > b ? a : b, less = a > b ? b : a;
    return less < PE__NO_ERROR / 2 ? more : more + 1;
}

/* Returns limb i of d 2^part, 0 <= part < 32, where d has `limbs` limbs and 0 elsewhere. */
PE__INLINE uint32_t pe__limb(const uint32_t *d, int limbs, int i, int part)
{
    const uint64_t high = i >= 0 && i < limbs ? d[i] : 0, low = i > 0 && i <= limbs ? d[i - 1] : 0;
    return (uint32_t)((high << 32 | low) >> (32 - part) & 0xffffffffu);
}

/* Multiplies d by 2^by, in place, and returns whether a right shift has dropped a bit that is set.
   */
PE__COLD int pe__limbs_shift(uint32_t *d, int limbs, int by)
{
    const int part = (by % 32 + 32) % 32, whole = (by - part) / 32;
    uint32_t lost = 0;
    if (by == 0) return 0;
    for (int i = 0; i < -whole && i <= limbs; i++) lost |= pe__limb(d, limbs, i, part);
    if (by > 0)
        for (int j = limbs - 1; j >= 0; j--) d[j] = pe__limb(d, limbs, j - whole, part);
    else
        for (int j = 0; j < limbs; j++) d[j] = pe__limb(d, limbs, j - whole, part);
    return lost != 0;
}

/* Adds y to d or, for minus, subtracts y from d. */
PE__COLD void pe__limbs_add(uint32_t *d, const uint32_t *y, int limbs, int minus)
{
    uint64_t carry = (uint64_t)minus;
    for (int i = 0; i < limbs; i++, carry >>= 32) {
        carry += (uint64_t)d[i] + (minus ? ~y[i] : y[i]);
        d[i] = (uint32_t)(carry & 0xffffffffu);
    }
}

/* Returns whether d < y. */
PE__COLD int pe__limbs_less(const uint32_t *d, const uint32_t *y, int limbs)
{
    while (limbs > 1 && d[limbs - 1] == y[limbs - 1]) limbs--;
    return d[limbs - 1] < y[limbs - 1];
}

/* Shifts d, n + 1 limbs, so that its first bit becomes the top bit of limb n - 1. If d is 0, the
   sign becomes 0. */
PE__COLD void pe__real_renormalize(pe__real *x)
{
    int up, top = x->n;
    while (top >= 0 && x->d[top] == 0) top--;
    if (top < 0) {
        x->sign = 0;
        if (pe__real_is_exact(x)) x->exponent = PE__NO_ERROR;
        return;
    }
    for (up = 32 * (x->n - 1 - top); !(x->d[top] << (up & 31) >> 31); up++) {}
    x->exponent -= up;
    x->log2_error += up;
    if (pe__limbs_shift(x->d, x->n + 1, up)) x->log2_error = pe__add_errors(x->log2_error, 0);
}

/* Returns value, any finite double, exactly, with n limbs. Subnormals are read from their bits, so
   flush-to-zero modes do not matter. */
PE__COLD pe__real pe__real_of(double value, int n)
{
    pe__real x;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int e = (int)(bits >> 52 & 0x7ff);
    memset(&x, 0, sizeof x);
    x.n = n;
    x.log2_error = PE__NO_ERROR;
    x.sign = bits >> 63 ? -1 : 1;
    x.exponent = (e > 0 ? e : 1) - 1011;
    x.d[n - 1] = (uint32_t)(bits >> 32 & 0xfffff) | (uint32_t)(e > 0) << 20;
    x.d[n - 2] = (uint32_t)(bits & 0xffffffffu);
    pe__real_renormalize(&x);
    return x;
}

/* Returns x truncated to 53 bits, and a tiny number for x below 2^-900. If x is close to an integer
   below 2^52, pe__round_to_integer() of the result is this integer. */
PE__COLD double pe__real_to_double(const pe__real *x)
{
    const uint64_t bits = (uint64_t)x->d[x->n - 1] << 32 | x->d[x->n - 2];
    const int e = x->exponent < -900 ? -900 : x->exponent;
    return x->sign * (double)(bits >> 11) * pe__exp2i(e - 53);
}
PE__COLD double pe__round_to_integer(double x)
{
    return (double)(int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

/* x *= y */
PE__COLD void pe__real_mul(pe__real *x, const pe__real *y)
{
    const int n = x->n;
    uint32_t p[2 * PE__LIMBS] = {0}, rest = 0;
    if (pe__real_is_0(y)) *x = *y;
    if (pe__real_is_0(x)) return;
    for (int i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < n; j++, carry >>= 32) {
            carry += p[i + j] + (uint64_t)x->d[i] * y->d[j];
            p[i + j] = (uint32_t)(carry & 0xffffffffu);
        }
        p[i + n] = (uint32_t)carry;
    }
    for (int i = 0; i < n - 1; i++) rest |= p[i];
    memcpy(x->d, p + n - 1, ((size_t)n + 1) * sizeof *p); /* one limb more than is kept */
    x->log2_error = pe__add_errors(pe__add_errors(x->log2_error, y->log2_error + 1) + 32,
                                   rest ? 0 : PE__NO_ERROR);
    x->sign *= y->sign;
    x->exponent += y->exponent - 32;
    pe__real_renormalize(x);
}

/* x += sign y */
PE__COLD void pe__real_add(pe__real *x, const pe__real *y, int sign)
{
    pe__real z = *y;
    z.sign *= sign;
    if (x->exponent < z.exponent ||
        (x->exponent == z.exponent && pe__limbs_less(x->d, z.d, x->n))) {
        const pe__real swap = *x;
        *x = z;
        z = swap;
    }
    const int by = x->exponent - z.exponent, minus = x->sign * z.sign < 0;
    z.log2_error =
        pe__add_errors(z.log2_error - by, pe__limbs_shift(z.d, z.n + 1, -by) ? 0 : PE__NO_ERROR);
    x->log2_error = pe__add_errors(x->log2_error, z.log2_error);
    if (x->sign == 0) x->sign = z.sign;
    pe__limbs_add(x->d, z.d, x->n + 1, minus);
    pe__real_renormalize(x);
}

/* x /= k */
PE__COLD void pe__real_div_u32(pe__real *x, uint32_t k)
{
    uint64_t rest = 0;
    for (int i = x->n; i >= 0; i--, rest %= k) {
        rest = rest << 32 | (i > 0 ? x->d[i - 1] : 0);
        x->d[i] = (uint32_t)(rest / k);
    }
    x->exponent -= 32;
    x->log2_error = pe__add_errors(x->log2_error + 32, rest ? 0 : PE__NO_ERROR);
    pe__real_renormalize(x);
}

/* x /= y, bit by bit. */
PE__COLD void pe__real_div(pe__real *x, const pe__real *y)
{
    const int n = x->n;
    uint32_t rest[PE__LIMBS + 1], any = 0;
    memcpy(rest, x->d, sizeof rest);
    memset(x->d, 0, sizeof x->d);
    for (int bit = 32 * n; bit >= 0; bit--) {
        if (!pe__limbs_less(rest, y->d, n + 1)) {
            pe__limbs_add(rest, y->d, n + 1, 1);
            x->d[bit / 32] |= (uint32_t)1 << bit % 32;
        }
        pe__limbs_add(rest, rest, n + 1, 0);
    }
    for (int i = 0; i <= n; i++) any |= rest[i];
    x->log2_error =
        pe__add_errors(pe__add_errors(x->log2_error, y->log2_error) + 3, any ? 0 : PE__NO_ERROR);
    x->sign *= y->sign;
    x->exponent -= y->exponent;
    pe__real_renormalize(x);
}

/* x *= y, x /= y and x += y for doubles y. */
PE__COLD void pe__real_mul_double(pe__real *x, double y)
{
    const pe__real z = pe__real_of(y, x->n);
    pe__real_mul(x, &z);
}
PE__COLD void pe__real_div_double(pe__real *x, double y)
{
    const pe__real z = pe__real_of(y, x->n);
    pe__real_div(x, &z);
}
PE__COLD void pe__real_add_double(pe__real *x, double y)
{
    const pe__real z = pe__real_of(y, x->n);
    pe__real_add(x, &z, 1);
}

/* The 1344 bits of pi / 4 and of ln 2 after the binary point, truncated; lowest limb first. */
static const uint32_t pe__pi_digits[PE__LIMBS] = {
    0x4abc9804, 0x670c354e, 0x7096966d, 0x9ed52907, 0x208552bb, 0x1c62f356, 0xdca3ad96,
    0x83655d23, 0xfd24cf5f, 0x69163fa8, 0x1c55d39a, 0x98da4836, 0xa163bf05, 0xc2007cb8,
    0xece45b3d, 0x49286651, 0x7c4b1fe6, 0xae9f2411, 0x5a899fa5, 0xee386bfb, 0xf406b7ed,
    0x0bff5cb6, 0xa637ed6b, 0xf44c42e9, 0x625e7ec6, 0xe485b576, 0x6d51c245, 0x4fe1356d,
    0xf25f1437, 0x302b0a6d, 0xcd3a431b, 0xef9519b3, 0x8e3404dd, 0x514a0879, 0x3b139b22,
    0x020bbea6, 0x8a67cc74, 0x29024e08, 0x80dc1cd1, 0xc4c6628b, 0x2168c234, 0xc90fdaa2,
};
static const uint32_t pe__ln2_digits[PE__LIMBS] = {
    0xdb8990e5, 0x17460775, 0x1400b396, 0x7d2e23de, 0xfc1efa15, 0xee569d6d, 0x8fe551a2,
    0x610d30f8, 0xfb5bfb90, 0x07f4ca11, 0x0f3fd5c6, 0xda2d97c5, 0x2f20e3a2, 0x655fa187,
    0x38303248, 0xf5dfa6bd, 0x9d6548ca, 0x72ce87b1, 0x7657f74b, 0x256fa0ec, 0xb136603b,
    0xb9ea9bc3, 0x317c387e, 0x1acbda11, 0x224ae8c5, 0x3e96ca16, 0x1169b825, 0x27573b29,
    0xc1382144, 0xed2eae35, 0x4afa1b10, 0x559552fb, 0x6debac98, 0xe7b87620, 0x8baafa2b,
    0x8a0d175b, 0x7298b62d, 0x40f34326, 0x03f2f6af, 0xc9e3b398, 0xd1cf79ab, 0xb17217f7,
};

PE__COLD pe__real pe__real_constant(const uint32_t *digits, int exponent, int n)
{
    pe__real x = pe__real_of(1, n);
    memcpy(x.d, digits + (PE__LIMBS - n), (size_t)n * sizeof *digits);
    x.exponent = exponent;
    x.log2_error = 0;
    return x;
}
PE__COLD pe__real pe__real_pi(int n) { return pe__real_constant(pe__pi_digits, 2, n); }
PE__COLD pe__real pe__real_ln2(int n) { return pe__real_constant(pe__ln2_digits, 0, n); }

/* Returns the sum of a Taylor series, cut after the last bit, for |x| < 4:
 *     PE__EXP, k = 1    exp(x): each term is the one before times x / k, x / (k + 1) ...
 *     PE__TRIG, k = 1   cos(z), x = -z^2: each term is the one before times x / (k (k + 1)) ...
 *     PE__TRIG, k = 2   sin(z) / z, the same
 *     PE__ATANH, k = 1  atanh(z) / z, x = z^2 < 1/16: 1 + x / (k + 2) + x^2 / (k + 4) ...
 * There are at most 300 terms, with an error of 2^14 units of the last bit. */
typedef enum pe__series { PE__EXP, PE__TRIG, PE__ATANH } pe__series;
PE__COLD pe__real pe__real_series(const pe__real *x, pe__series kind, uint32_t k)
{
    pe__real sum = pe__real_of(1, x->n), power = sum, term = sum;
    if (pe__real_is_0(x)) return sum;
    for (; term.sign != 0 && term.exponent > -32 * x->n - 2; k += kind == PE__EXP ? 1 : 2) {
        pe__real_mul(&power, x);
        if (kind != PE__ATANH) pe__real_div_u32(&power, kind == PE__EXP ? k : k * (k + 1));
        term = power;
        if (kind == PE__ATANH) pe__real_div_u32(&term, k + 2);
        pe__real_add(&sum, &term, 1);
    }
    const int log2_error = x->log2_error + x->exponent + 4;
    sum.log2_error = log2_error > 14 ? log2_error : 14;
    return sum;
}

/* Replaces x = 2^k m by its logarithm, k ln 2 + 2 atanh((m - 1) / (m + 1)). */
PE__COLD void pe__real_log(pe__real *x)
{
    const int up = x->d[x->n - 1] < 0xb5000000u, k = x->exponent - up; /* m is in 0.7 ... 1.42 */
    x->exponent = up;
    pe__real y = *x;
    pe__real_add_double(&y, 1);
    pe__real_add_double(x, -1);
    pe__real_div(x, &y);
    y = *x;
    pe__real_mul(&y, x);
    y = pe__real_series(&y, PE__ATANH, 1);
    pe__real_mul(x, &y);
    x->exponent++;
    y = pe__real_ln2(x->n);
    pe__real_mul_double(&y, k);
    pe__real_add(x, &y, 1);
}

/* Replaces x by exp(x). An exact 0 becomes exactly 1. */
PE__COLD void pe__real_exp(pe__real *x)
{
    const double k = pe__round_to_integer(pe__real_to_double(x) * 1.4426950408889634);
    pe__real y = pe__real_ln2(x->n);
    pe__real_mul_double(&y, -k);
    pe__real_add(x, &y, 1);
    *x = pe__real_series(x, PE__EXP, 1);
    x->exponent += (int)k;
}

/* Returns whether x is certainly not 0, so that its sign is certain. */
PE__COLD int pe__real_has_sign(const pe__real *x)
{
    return x->sign != 0 && x->log2_error < 32 * x->n - 2;
}

/* Sets *y to the number nearest to x, ties to even, of the type that `drop` names: 0 for a double,
   else the value of pe__dropped_bits(). Returns 0 if the error of x leaves the rounding open, as
   next to a midpoint. last: there are no more limbs, so x is taken for this midpoint. */
PE__COLD int pe__real_round(const pe__real *x, int drop, int last, double *y)
{
    /* the bits of d from snap on are certain */
    const int n = x->n, snap = x->log2_error > -2 ? x->log2_error + 2 : 0;
    const int bits = drop == 0 ? 53 : drop == 29 ? 24 : 24 - drop;
    const int least = drop == 0 ? -1074 : drop == 13 ? -24 : -125 - bits;
    const int unit = x->exponent - bits > least ? x->exponent - bits : least;
    const int cut = unit - x->exponent + 32 * n; /* the last bit of d that is kept */
    uint32_t half[PE__LIMBS + 1] = {0};
    pe__real r = *x;
    *y = 0;
    if (!pe__real_has_sign(x) || snap >= cut) return last || pe__real_is_0(x);
    if (snap > 0) half[(snap - 1) / 32] = (uint32_t)1 << (snap - 1) % 32;
    pe__limbs_add(r.d, half, n + 1, 0);
    (void)pe__limbs_shift(r.d, n + 1, -snap);
    const int rest = pe__limbs_shift(r.d, n + 1, snap + 1 - cut);
    const uint64_t both = (uint64_t)r.d[1] << 32 | r.d[0], whole = both >> 1;
    if ((both & 1) && !rest && !last && !pe__real_is_exact(x)) return 0;
    *y = (double)(whole + (both & (uint64_t)(rest | (int)(whole & 1)))) * x->sign;
    *y *= pe__exp2i(unit / 2);
    *y *= pe__exp2i(unit - unit / 2);
    return 1;
}

/* The number of limbs to begin with, and the next one if n limbs did not decide. */
enum { PE__LIMBS_FIRST = 6 };
PE__COLD int pe__next_limbs(int n) { return n < 34 ? 2 * n - 2 : PE__LIMBS; }

/* Returns whether hi + lo with an error below e may lie on either side of a midpoint of two normal
   floats. Midpoints are doubles, so hi is then a midpoint. */
PE__INLINE int pe__is_hard_to_round(double hi, double lo, double e)
{
    uint64_t bits;
    memcpy(&bits, &hi, sizeof bits);
    return (bits & 0x1fffffffu) == 0x10000000u && fabs(lo) < e;
}

/* ==== src/frequencies/geometric.h ==== */
/* Frequencies unit q^i in double-double, 64 at a time.
 * tests/unit/test_budget.c measures the error. */

/* ---- 5.4 frequencies ----------------------------------------------------------------------------
 * unit q^i for i = 64 k + 8 a + b is the product of unit q^b and q^(64 k + 8 a). So 64 frequencies
 * take one logarithm, 16 powers of 2 in vectors, and 64 products, none of which waits for another.
 * With more than 64 frequencies, each 512 take 8 more powers, of q^64.
 *
 * The relative error of a frequency is below 2^-101 + 2^-106 i / D:
 *     2^-102            the product: the factors have three doubles each. The second double of the
 *                       result, below 2^-53 of the first, is a sum of seven terms, each rounded
 *     3 x 2^-106        three powers of 2
 *     ln 2 2^-106 i/D   inherited from log2 q, which has the error of log2 base
 * In factors below 2^-900, the last digits are subnormal. An element that needs more digits of its
 * frequency computes them from the config, by pe__real_by_frequency(). */

/* 8 is a multiple of every PE_LANES. 64 pairs are a head of 128 elements. */
enum { PE__MAX_LANES = 8, PE__FREQUENCY_TILE = PE__MAX_LANES * PE__MAX_LANES };

typedef struct pe__geometric {
    pe__td step;                                  /* log2 q                */
    pe__td first[PE__MAX_LANES / (int)PE_LANES];  /* unit q^0 ... unit q^7 */
    pe__td eighth[PE__MAX_LANES / (int)PE_LANES]; /* q^0, q^8 ... q^56     */
} pe__geometric;

/* Returns the unit, in half-turns: scale if half_turns, else scale / pi. */
PE__INLINE pe__td pe__frequency_unit(double scale, int half_turns)
{
    static const double one[3] = {1, 0, 0};
    return pe__td_mul_double(pe__td_const(half_turns ? one : pe__inverse_pi), pe__splat(scale));
}

/* Returns log2 of q = base^(-1 / D), where D = d[0] + d[1]. For d[1] = 0, the usual case, the
   division is cheaper. */
PE__INLINE pe__td pe__geometric_step(double base, const double *d)
{
    pe__td by = pe__td_splat(-d[0]);
    by.b = pe__splat(-d[1]);
    const pe__td log_base = pe__td_log2_of(base);
    return d[1] == 0 ? pe__td_div_double(log_base, by.a) : pe__td_div(log_base, by);
}

/* Returns the lane numbers 0, 1 ... */
PE__INLINE pe__vd pe__iota(void)
{
    static const double lanes[PE__MAX_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    return pe__load(lanes);
}

/* Returns q^i for i = first, first + by ..., lane by lane, where step is log2 q. */
PE__INLINE pe__td pe__geometric_power(pe__td step, size_t first, double by)
{
    const pe__vd i = pe__iota() * pe__splat(by) + pe__splat((double)first);
    return pe__td_exp2(pe__td_mul_double(step, i));
}

/* Triple-doubles in memory lie part by part. pe__td_store() stores a vector to the numbers from k
   on; pe__td_get() returns number k in all lanes. */
PE__INLINE void pe__td_store(double (*to)[PE__MAX_LANES], size_t k, pe__td x)
{
    pe__store(to[0] + k, x.a);
    pe__store(to[1] + k, x.b);
    pe__store(to[2] + k, x.c);
}
PE__INLINE pe__td pe__td_get(double (*from)[PE__MAX_LANES], size_t k)
{
    const pe__td x = {pe__splat(from[0][k]), pe__splat(from[1][k]), pe__splat(from[2][k])};
    return x;
}

/* Computes g->first and g->eighth from g->step, which the caller has set. */
PE__OUTLINE void pe__geometric_begin(pe__geometric *g, const pe__td *unit)
{
    for (size_t b = 0; b < PE__MAX_LANES; b += PE_LANES) {
        g->eighth[b / PE_LANES] = pe__geometric_power(g->step, b * PE__MAX_LANES, PE__MAX_LANES);
        g->first[b / PE_LANES] = pe__td_mul_inline(pe__geometric_power(g->step, b, 1), *unit);
    }
}

/* Writes the frequencies number `from` to from + count - 1, the high parts to f, the low parts to
   f + padded. Writes up to 7 numbers more, which may be out of range. Only frequencies after the
   first 64 need the third factor, q^(64 k): a call for the first 64 or fewer omits it. */
PE__OUTLINE void pe__geometric_fill(const pe__geometric *g, size_t from, size_t count, double *f,
                                    size_t padded)
{
    const int beyond_64 = from > 0 || count > PE__FREQUENCY_TILE;
    double q[3][PE__MAX_LANES], powers_64[3][PE__MAX_LANES];
    for (size_t i = 0; i < count; i += PE__MAX_LANES) {
        const size_t a = i % PE__FREQUENCY_TILE / PE__MAX_LANES;
        const size_t group = i / PE__FREQUENCY_TILE % PE__MAX_LANES;
        for (size_t k = 0; k < PE__MAX_LANES && beyond_64 && a + group == 0; k += PE_LANES)
            pe__td_store(powers_64, k,
                         pe__geometric_power(g->step, from + i + k * PE__FREQUENCY_TILE,
                                             PE__FREQUENCY_TILE));
        for (size_t k = 0; k < PE__MAX_LANES && a == 0; k += PE_LANES) {
            pe__td y = g->eighth[k / PE_LANES];
            if (beyond_64) y = pe__td_mul_inline(y, pe__td_get(powers_64, group));
            pe__td_store(q, k, y);
        }
        const pe__td y = pe__td_get(q, a);
        for (size_t b = 0; b < PE__MAX_LANES; b += PE_LANES) {
            const pe__td x = g->first[b / PE_LANES];
            pe__dd w;
            w.hi = pe__two_prod(x.a, y.a, &w.lo);
            w.lo = w.lo + (x.a * y.b + x.b * y.a) + (x.b * y.b + (x.a * y.c + x.c * y.a));
            w = pe__dd_renormalize(w);
            pe__store(f + i + b, w.hi);
            pe__store(f + i + b + padded, w.lo);
        }
    }
}

/* ==== src/sincos/double_double.h ==== */
/* Sines and cosines of pairs in double-double, and their error bound.
 * tests/unit/test_budget.c measures it. */

/* ---- 5.5 sine and cosine in double-double -------------------------------------------------------
 * The angle of pair i at position t is t w_i radians, or t f_i half-turns: f_i = w_i / pi. */

/* Returns what the frequencies from pair on are multiplied by: t in all lanes. With
   PE_ANGLE_FLOAT32 it returns the angles in radians, rounded to float, because all frequencies of
   the plan are then 1 / pi. */
PE__INLINE pe__vd pe__multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return pe__splat(t);
    return pe__to_float(pe__to_float(pe__splat(t)) * pe__load(plan->float32 + pair));
}

/* Returns the i of w_i for a pair of a plan and sets *axis to its axis. Padding pairs have the i of
   the axis' last pair. */
PE__COLD double pe__frequency_index(const pe_plan *plan, size_t pair, const pe__axis **axis)
{
    size_t a = 0;
    if (plan->order) { /* the arrays are sorted: find the pair whose slot this is */
        const size_t slot = pe__min(pair, plan->pairs - 1), rank = slot % PE__SORT_PAIRS;
        for (pair = slot - rank; plan->order[pair] != rank;) pair++;
    }
    while (a + 1 < plan->axes && plan->axis[a + 1].pair <= pair) a++;
    *axis = &plan->axis[a];
    const size_t i = pair - (*axis)->pair, pairs = (*axis)->pairs;
    return (double)(plan->first + (i < pairs ? i : pairs ? pairs - 1 : 0));
}

/* Computes *sine and *cosine of the angles at position t, for one vector of pairs from pair on. The
 * error has two parts, whose sum pe__sincos_error() returns:
 *   1. about 2^-98 from the computation. It is relative for sines of angles below 1/4 half-turn.
 *   2. the error inherited from the plan's frequencies. */
PE__OUTLINE void pe__sincos_dd(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                                pe__dd *cosine)
{
    const pe__vd tt = pe__multiple(plan, pair, t);
    const double *const f = plan->frequency + pair;
    pe__vd e;
    const pe__vd p = pe__two_prod(tt, pe__load(f), &e);
    pe__td rest = pe__td_splat(0);
    rest.a = pe__two_prod(tt, pe__load(f + plan->padded), &rest.b);

    /* The angle is p + e + rest half-turns. Reduce p modulo 2, then add e and rest before the
       quadrant is chosen: beyond 2^49, e is too large to be left out. Then subtract the nearest
       multiple of 1/2. Both reductions are exact. */
    pe__td sum =
        pe__td_renormalize(p - pe__round(p * pe__splat(0.5)) * pe__splat(2.0), e, pe__splat(0.0));
    sum = pe__td_add_inline(sum, rest); /* inlined: the chain of dependent operations is long */
    const pe__vd shift = pe__splat(pe__quadrant_shift), quadrant = sum.a + shift;
    pe__dd z;
    z.hi = pe__two_sum(sum.a - (quadrant - shift), sum.b, &z.lo);
    z.lo = z.lo + sum.c;
    z = pe__dd_mul(z, pe__dd_splat(pe__pi));
    pe__dd zz = pe__dd_mul(z, z);
    zz.hi = -zz.hi;
    zz.lo = -zz.lo;
    /* The terms left out are below 2^-100. So are the rounding errors of terms below 2^-53, which
       are computed in double. */
    *sine = pe__dd_renormalize(pe__dd_mul(z, pe__dd_series(1, 15, 27, zz)));
    *cosine = pe__dd_renormalize(pe__dd_series(0, 15, 26, zz));
    pe__rotate_quadrant(quadrant, &sine->hi, &cosine->hi);
    pe__rotate_quadrant(quadrant, &sine->lo, &cosine->lo);
}

PE__INLINE double pe__max_abs(double x, double y)
{
    return fabs(x) > fabs(y) ? fabs(x) : fabs(y);
}

/* Returns the error bound of pe__sincos_dd() at position t, for all pairs of the plan. In the term
   inherited from the frequencies, the factor 4 is above pi, radians in a half-turn. */
PE__INLINE double pe__sincos_error(const pe_plan *plan, double t)
{
    return pe__exp2i(-98) + 4 * fabs(t) * plan->fastest * plan->error;
}

/* pe__multiple() of one pair. Nothing after float32[pair] is read. */
PE__COLD double pe__one_multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return t;
    return (double)(float)((double)(float)t * plan->float32[pair]);
}

/* ==== src/sincos/round.h ==== */
/* Sums of two doubles rounded once to any type, and Ziv's test for them.
 * tests/checks/levels.sh and tests/unit/test_exact.c test it. */

/* Returns the bf16 or f16 number nearest to x, ties to even, as a float. */
static inline float pe__round_16(float x, int drop)
{
    uint32_t bits = (uint32_t)pe__float_bits(x);
    const uint32_t sign = bits & 0x80000000u, size = bits ^ sign;
    if (drop == PE__DROP_F16 && size < 0x38800000u) { /* f16 subnormals: multiples of 2^-24 */
        float y;
        memcpy(&y, &size, sizeof y);
        bits = sign | (uint32_t)pe__float_bits((y + 0.75f) - 0.75f);
    } else {
        bits += (1u << (drop - 1)) - 1u + (bits >> drop & 1u);
        bits &= ~((1u << drop) - 1u);
        if (drop == PE__DROP_F16 && (bits ^ sign) >= 0x47800000u) bits = sign | 0x7f800000u;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns (hi + lo) scale rounded once to float, bf16 or f16, for |lo| at most half an ulp of hi
   and a power of two as scale. Wider formats on the way are rounded to odd, so that the last
   rounding, to nearest, is the only one that counts. */
static inline float pe__round_once(double hi, double lo, double scale, int drop)
{
    hi = pe__to_odd(hi, lo) * scale;
    float y = (float)hi;
    if (drop == PE__DROP_F32) return y;
    uint32_t word = (uint32_t)pe__float_bits(y);
    if ((double)y != hi && (word & 1) == 0) {
        if (fabs((double)y) < fabs(hi)) word++;
        else word--;
        memcpy(&y, &word, sizeof y);
    }
    return pe__round_16(y, drop);
}

/* Returns hi + lo rounded once to float, bf16 or f16; lo may be of any size. */
static inline float pe__round_sum(double hi, double lo, int drop)
{
    pe__vd low;
    const pe__vd sum = pe__two_sum(pe__splat(hi), pe__splat(lo), &low);
    return pe__round_once(pe__first_lane(sum), pe__first_lane(low), 1, drop);
}

/* Returns (hi + lo) by, rounded once to a double, for a power of two as `by`. A subnormal result
   must be a multiple of the least subnormal, so `big` is added and subtracted: its last bit times
   `by` is the least subnormal. The sum of big, hi and lo is rounded once, by way of a rounding to
   odd. */
PE__COLD double pe__round_double(double hi, double lo, double by)
{
    const double sum = hi + lo;
    if (fabs(sum * by) > pe__exp2i(-1021)) return sum * by;
    const double least = pe__exp2i(-1022) / by, big = hi < 0 ? -least : least;
    pe__vd low, rest, last;
    if (fabs(sum) > least) return sum * by;
    const pe__vd high = pe__two_sum(pe__splat(hi), pe__splat(lo), &low);
    const pe__vd whole = pe__two_sum(pe__splat(big), high, &rest);
    rest = pe__two_sum(rest, low, &last);
    const double odd = pe__to_odd(pe__first_lane(rest), pe__first_lane(last));
    const double size = fabs((pe__first_lane(whole) + odd) - big) * by;
    return hi < 0 ? -size : size;
}

/* Ziv's test: rounds (hi + lo - e) by and (hi + lo + e) by once each, sets *y to the second, and
   returns whether both are the same number. `by` is a power of two. `drop` names the type: 0 for a
   double, else the value of pe__dropped_bits(). */
PE__COLD int pe__ziv_test(double hi, double lo, double e, double by, int drop, double *y)
{
    const double below = lo - e, above = lo + e;
    double other = hi < 0 ? -0.0 : 0.0;
    *y = other;
    if (drop == 0) {
        *y = pe__round_double(hi, above, by);
        other = pe__round_double(hi, below, by);
    } else if (fabs(hi) * by > pe__exp2i(-200)) { /* smaller: 0; products may underflow */
        *y = (double)pe__round_sum(hi * by, above * by, drop);
        other = (double)pe__round_sum(hi * by, below * by, drop);
    }
    return *y == other && (*y != 0 || fabs(hi) > 2 * e); /* the sign of a 0 must be certain */
}

/* pe__ziv_test() with 2^exponent as `by`, which may be out of range of doubles. */
PE__COLD int pe__ziv_test_scaled(double hi, double lo, double e, int exponent, int drop, double *y)
{
    const double down = exponent < -900 ? pe__exp2i(-200) : 1;
    if (exponent < -1100) { /* the result is below half the least subnormal, and hi is not 0 */
        *y = hi < 0 ? -0.0 : 0.0;
        return 1;
    }
    if (down < 1) exponent += 200;
    return pe__ziv_test(hi * down, lo * down, e * down, pe__exp2i(exponent), drop, y);
}

/* ==== src/sincos/exact.h ==== */
/* Elements rounded exactly: by double-double if Ziv's test decides, else by multi-limb integers.
 * tests/checks/levels.sh and tests/unit/test_theorem.c test it. */

/* ---- 5.6 sine and cosine, correctly rounded -----------------------------------------------------
 * If double-double does not decide a rounding, numbers of any precision do, computed from the
 * config. A sine or cosine is a midpoint of two numbers only in known cases. In all others, more
 * precision decides:
 *   1. The sine and cosine of an algebraic number other than 0 are transcendental (Lindemann).
 *   2. So are the sine and cosine of pi times an irrational algebraic number (Gelfond, Schneider).
 *   3. The sine or cosine of pi times a rational number is rational only if it is 0, +-1/2 or +-1
 *      (Niven). The rational number is then a multiple of 1/6.
 *
 * Frequencies that are the caller's doubles, in radians a position, need a third of this code. For
 * them the parameter `given` is 1, a constant at compile time: see pe__element_rounder. */

/* Returns whether x^m = y^q. For q >= m this is (x / y)^m = y^(q - m), and y must divide x; for
   q < m, the same with x and y exchanged. */
PE__COLD int pe__powers_equal(uint64_t x, uint64_t m, uint64_t y, uint64_t q)
{
    while (m > 0 && q > 0 && x > 1 && y > 1) {
        if (q < m ? y % x : x % y) return 0;
        if (q < m) {
            y /= x;
            m -= q;
        } else {
            x /= y;
            q -= m;
        }
    }
    return (x == 1 || m == 0) && (y == 1 || q == 0);
}

/* Returns a b - c rounded once, for c near a b. */
PE__COLD double pe__product_minus(double a, double b, double c)
{
    pe__vd e;
    const double p = pe__first_lane(pe__two_prod(pe__splat(a), pe__splat(b), &e));
    return (p - c) + pe__first_lane(e);
}

/* PE_COLUMNS_SUMS: sets *sum to the sum of a pair's products, frequency times coordinate. Returns
   whether every product and every partial sum is exact in double. */
PE__COLD int pe__exact_sum(const pe_plan *plan, size_t pair, double *sum)
{
    const double *m = plan->matrix + plan->first + pair;
    *sum = 0;
    for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step) {
        pe__vd low;
        const double product = *m * plan->point[k];
        *sum = pe__first_lane(pe__two_sum(pe__splat(*sum), pe__splat(product), &low));
        if (pe__first_lane(low) != 0 || pe__product_minus(*m, plan->point[k], product) != 0)
            return 0;
        if (product == 0 && *m != 0 && plan->point[k] != 0) return 0;
    }
    return 1;
}

/* Sets w so that the frequency of a pair, without the pi of half_turns, is exactly (w[0] + w[1]) /
 * w[2] with an odd w[2]. Returns 0 if the frequency is not found to be exactly rational.
 *
 * base^(i / D) is recognised as rational as follows. Let base = odd(base) 2^e, and let the
 * double-double value of base^(i / D) be next to a double 2^s y with an odd y. If odd(base)^i =
 * y^D, base^(i / D) is this double times 2^(e i / D - s). This power of two is 1, or at least
 * ln 2 / D away from 1, which the double-double value excludes. */
PE__COLD int pe__rational_frequency(const pe_plan *plan, size_t pair, double *w)
{
    const double *const f = plan->frequency + pair;
    const pe__axis *axis;
    double i = pe__frequency_index(plan, pair, &axis), d = axis->denominator[0], by = 1;
    w[2] = 1;
    if (plan->point) {
        if (!pe__exact_sum(plan, pair, &by)) return 0;
    } else if (plan->exact_frequencies) {
        w[0] = f[0];
        w[1] = f[plan->padded];
        return 1;
    } else if (plan->base == 0 || (i != 0 && plan->base != 1)) {
        const pe__dd ratio = {pe__splat(f[0]), pe__splat(f[plan->padded])};
        const pe__dd radians = pe__dd_renormalize(pe__dd_mul(ratio, pe__dd_splat(pe__pi)));
        const pe__dd y = plan->half_turns ? ratio : radians;
        const double hi = pe__first_lane(y.hi), lo = pe__first_lane(y.lo), unit = plan->unit;
        if (plan->base == 0) { /* the caller's frequency is the double nearest to y / unit */
            by = hi / unit;
            by += (lo - pe__product_minus(by, unit, hi)) / unit;
        } else { /* base^(i / D) by a division and a Newton step */
            double power = unit / hi;
            power -= (pe__product_minus(power, hi, unit) + power * lo) / hi;
            const double rest = pe__product_minus(power, hi, unit) + power * lo;
            for (int k = 0; k < 20 && d != pe__round_to_integer(d); k++) {
                d *= 2;
                i *= 2;
            }
            if (d > pe__exp2i(50) || d != pe__round_to_integer(d) || axis->denominator[1] != 0 ||
                fabs(rest) > fabs(unit) * pe__exp2i(-90))
                return 0;
            const uint64_t odd = pe__odd_significand(power);
            if (!pe__powers_equal(pe__odd_significand(plan->base), (uint64_t)i, odd, (uint64_t)d))
                return 0;
            w[2] = (double)odd;
            by = w[2] / power;
        }
    }
    w[0] = plan->unit * by;
    w[1] = pe__product_minus(plan->unit, by, w[0]);
    return 1;
}

/* PE_COLUMNS_SUMS: returns the sum of the magnitudes of the terms of a pair's angle, in half-turns.
   */
PE__COLD double pe__terms_magnitude(const pe_plan *plan, size_t pair)
{
    const double *m = plan->matrix + plan->first + pair;
    double size = 0;
    for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step)
        size += fabs(*m * plan->point[k]);
    return size * fabs(plan->unit) * (plan->half_turns ? 1 : pe__inverse_pi[0]);
}

/* Returns the error that a sine or cosine inherits from the frequency of its pair, for an angle in
   half-turns: 0 if half_turns is set and the plan's two doubles are the exact frequency. The factor
   4 is above pi, radians in a half-turn. */
PE__COLD double pe__inherited_error(const pe_plan *plan, size_t pair, double angle, int given)
{
    const double *const f = plan->frequency + pair;
    double w[3];
    if (given) return 4 * angle * plan->error;
    if (plan->half_turns && !plan->float32 && pe__rational_frequency(plan, pair, w) && w[2] == 1 &&
        w[0] == f[0] && w[1] == f[plan->padded])
        return 0;
    return 4 * (plan->point ? pe__terms_magnitude(plan, pair) : angle) * plan->error;
}

/* Returns the error bound of pe__sincos_dd() for one sine or cosine, tighter than
   pe__sincos_error(): the sine of an angle below 1/4 half-turn has a relative error. For angles up
   to 2^-800 half-turns it returns 1, because products below 2^-900 lose bits. */
PE__COLD double pe__sincos_dd_error(const pe_plan *plan, size_t pair, double t, int component,
                                    int given)
{
    const double angle = fabs(pe__one_multiple(plan, pair, t) * plan->frequency[pair]);
    const double part = component == 0 && angle < 0.25 ? 4 * angle : 1;
    const double inherited = pe__inherited_error(plan, pair, angle, given);
    return angle > pe__exp2i(-800) ? part * pe__exp2i(-97) + inherited : 1;
}

/* Multiplies x by the exact frequency of a pair, without the pi of half_turns. */
PE__COLD void pe__real_by_frequency(pe__real *x, const pe_plan *plan, size_t pair, int given)
{
    const int n = x->n;
    double rational[3] = {0, 0, 1};
    pe__real w = pe__real_of(plan->unit, n), y, z;
    if (given) {
        const double *const f = plan->frequency + pair;
        const pe__dd half_turns = {pe__splat(f[0]), pe__splat(f[plan->padded])};
        const pe__dd radians = pe__dd_renormalize(pe__dd_mul(half_turns, pe__dd_splat(pe__pi)));
        pe__real_mul_double(x, pe__first_lane(radians.hi)); /* the caller's double, recovered */
        return;
    }
    if (plan->point) { /* the sums of PE_COLUMNS_SUMS */
        const double *m = plan->matrix + plan->first + pair;
        z = pe__real_of(0, n);
        for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step) {
            y = pe__real_of(*m, n);
            pe__real_mul_double(&y, plan->point[k]);
            pe__real_add(&z, &y, 1);
        }
        pe__real_mul(&w, &z);
    } else if (pe__rational_frequency(plan, pair, rational)) {
        w = pe__real_of(rational[0], n);
        pe__real_add_double(&w, rational[1]);
    } else {
        const pe__axis *axis;
        const double i = pe__frequency_index(plan, pair, &axis);
        y = pe__real_of(plan->base, n);
        z = pe__real_of(axis->denominator[0], n);
        pe__real_log(&y);
        pe__real_mul_double(&y, -i);
        pe__real_add_double(&z, axis->denominator[1]);
        pe__real_div(&y, &z);
        pe__real_exp(&y);
        pe__real_mul(&w, &y);
    }
    pe__real_mul(x, &w);
    if (rational[2] != 1) pe__real_div_double(x, rational[2]); /* last: exact if n limbs hold it */
}

/* 2 sin(k pi / 6) for k = 0 ... 11, where it is an integer; 3 stands for irrational values. */
static const signed char pe__twice_sine[12] = {0, 1, 3, 2, 3, 1, 0, -1, 3, -2, 3, -1};

/* Replaces the angle x by its sine or, for component 1, its cosine. x is in half-turns if
 * half_turns is set and `given` is not, else in radians. Multiples of 1/6 half-turn have the exact
 * values of Niven's theorem. Returns 0 if more limbs are needed to tell x from such a multiple.
 * enough: n limbs distinguish every rational x from each multiple of 1/6 that x is not equal to. */
PE__COLD int pe__real_sine(pe__real *x, int component, int half_turns, int enough, int given)
{
    const int n = x->n;
    const double k = pe__round_to_integer(pe__real_to_double(x) *
                                          (!given && half_turns ? 2 : 0.6366197723675814));
    int quarter = (int)((uint64_t)(int64_t)k & 3) + component;
    pe__real y, z = pe__real_pi(n);
    if (!given && half_turns) {
        pe__real_add_double(x, -k / 2);
        y = *x;
        pe__real_mul_double(&y, 6);
        const double sixths = pe__round_to_integer(pe__real_to_double(&y));
        pe__real_add_double(&y, -sixths);
        if (!pe__real_has_sign(&y)) {
            const int twelfth = (3 * quarter + (int)sixths + 12) % 12;
            if (!pe__real_is_exact(&y) && !enough) return 0;
            if (pe__twice_sine[twelfth] != 3) {
                *x = pe__real_of(pe__twice_sine[twelfth] / 2.0, n);
                return 1;
            }
        }
        pe__real_mul(x, &z);
    } else {
        pe__real_mul_double(&z, -k / 2);
        pe__real_add(x, &z, 1);
    }
    y = *x;
    pe__real_mul(&y, x);
    y.sign = -y.sign;
    if (k == 0 && x->exponent < -560 && !pe__real_is_0(x)) {
        /* cos x, and sin x / x, are below 1 by less than 2^-1120. Any number between would round
           alike, so take 1 - 2^-1120. */
        z = pe__real_of(1, n);
        y = z;
        y.exponent = -1119;
        pe__real_add(&z, &y, -1);
    } else {
        z = pe__real_series(&y, PE__TRIG, quarter & 1 ? 1 : 2);
    }
    if (quarter & 1) *x = z;
    else pe__real_mul(x, &z);
    if (quarter & 2) x->sign = -x->sign;
    return 1;
}

/* Quantities of a pair: A sin(t w), A cos(t w), w in radians a position, and 2 pi / w. */
typedef enum pe__quantity { PE__SINE, PE__COSINE, PE__FREQUENCY, PE__WAVELENGTH } pe__quantity;

/* Returns the quantity `what` of a pair at position t, rounded once to the type that `drop` names,
   by multi-limb integers. `less` is subtracted from a sine or cosine before the rounding. The loop
   takes more limbs until the rounding is certain. */
PE__COLD double pe__round_quantity(const pe_plan *plan, size_t pair, double t, pe__quantity what,
                                   int given, double less, int drop)
{
    const int half_turns = !given && plan->half_turns && !plan->float32;
    const pe__axis *axis = plan->axis;
    const double i = given ? 0 : pe__frequency_index(plan, pair, &axis);
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        const int last = n == PE__LIMBS;
        const int enough = last || (!given && plan->base != 0 &&
                                    32.0 * n > 512 + 53 * i / axis->denominator[0]);
        const int number = !given && what >= PE__FREQUENCY;
        pe__real x = pe__real_of(number ? 1 : pe__one_multiple(plan, pair, t), n);
        pe__real w = pe__real_pi(n);
        double y;
        if (given || !plan->float32) pe__real_by_frequency(&x, plan, pair, given);
        else if (number) pe__real_mul_double(&x, plan->float32[pair]);
        if (number) {
            if (half_turns) pe__real_mul(&x, &w);
            w.exponent++;
            if (what == PE__WAVELENGTH) {
                pe__real_div(&w, &x);
                x = w;
            }
        } else {
            if (!pe__real_sine(&x, what == PE__COSINE, half_turns, enough, given)) continue;
            pe__real_mul_double(&x, plan->amplitude);
            pe__real_add_double(&x, -less);
        }
        if (pe__real_round(&x, drop, last, &y)) return x.sign == 0 ? 0 * plan->amplitude : y;
    }
}

/* Computes the values that pe__sincos_dd() approximates, each lane correctly rounded: hi is the
   rounded sine or cosine, lo the rounded difference of the exact value from hi. */
PE__COLD void pe__sincos_exact(const pe_plan *plan, size_t pair, double t, pe__dd *sine,
                             pe__dd *cosine)
{
    pe_plan x = *plan;
    x.amplitude = 1;
    for (int k = 0; k < 2; k++) {
        double hi[PE_LANES], lo[PE_LANES];
        for (size_t lane = 0; lane < PE_LANES; lane++) {
            hi[lane] = pe__round_quantity(&x, pair + lane, t, (pe__quantity)k, 0, 0, 0);
            lo[lane] = pe__round_quantity(&x, pair + lane, t, (pe__quantity)k, 0, hi[lane], 0);
        }
        (k ? cosine : sine)->hi = pe__load(hi);
        (k ? cosine : sine)->lo = pe__load(lo);
    }
}

/* Returns the frequency of a pair in radians a position, or its wavelength in positions, as `what`
   says, rounded once to the type that `drop` names. */
PE__DIVIDES_BY_ZERO /* 1 / 0 is infinity, as documented */
PE__COLD double pe__plan_quantity(const pe_plan *plan, size_t pair, pe__quantity what, int drop)
{
    const double *const given = plan->frequency + pair;
    pe__dd f = {pe__splat(given[0]), pe__splat(given[plan->padded])}, y;
    double number;
    if (plan->float32) f = pe__dd_mul_double(f, plan->float32[pair]);
    if (pe__first_lane(f.hi) == 0) /* 0 or -0, as the caller gave it */
        return what == PE__FREQUENCY ? pe__first_lane(f.hi) : 2 / pe__first_lane(f.hi);
    y = pe__dd_renormalize(pe__dd_mul(f, pe__dd_splat(pe__pi)));
    if (what == PE__WAVELENGTH) {
        pe__vd e;
        y.hi = pe__splat(2.0) / f.hi;
        const pe__vd p = pe__two_prod(y.hi, f.hi, &e);
        y.lo = ((pe__splat(2.0) - p) - e - y.hi * f.lo) / f.hi;
    }
    const double hi = pe__first_lane(y.hi), e = fabs(hi) * (plan->error + pe__exp2i(-97));
    if (pe__ziv_test(hi, pe__first_lane(y.lo), e, 1, drop, &number)) return number;
    return pe__round_quantity(plan, pair, 1, what, 0, 0, drop);
}

/* Sets *y to an element whose angle is exactly a multiple of 1/6 half-turn and whose sine or cosine
   is rational: 0, +-1/2 or +-1. Returns whether the element is one. */
PE__COLD int pe__round_rational_angle(const pe_plan *plan, double t, size_t pair, int component,
                                      int drop, double *y)
{
    const double a = plan->amplitude;
    double w[3];
    if (plan->float32 || !pe__rational_frequency(plan, pair, w) || w[1] != 0) return 0;
    const double p = t * w[0], six = 6 * p, whole = pe__round_to_integer(six / w[2]);
    const double right = whole * w[2];
    if (pe__product_minus(t, w[0], p) != 0 || (p == 0 && w[0] != 0)) return 0; /* p is inexact */
    if (six != right || pe__product_minus(6, p, six) != pe__product_minus(whole, w[2], right))
        return 0;
    if (!plan->half_turns && p != 0) return 0;
    const int twelfth = (int)(((int64_t)whole % 12 + 12 + 3 * component) % 12);
    if (pe__twice_sine[twelfth] == 3) return 0;
    *y = a * (pe__twice_sine[twelfth] / 2.0);
    if (drop && *y != 0) *y = (double)pe__round_once(*y, 0, 1, drop);
    return 1;
}

/* Sets *y to A sin x for a tiny angle x and returns whether the element is decided. The position,
   or the float angle, is multiple 2^exponent. Powers of two are kept apart, so that all factors are
   near 1. */
PE__COLD int pe__round_tiny_sine(const pe_plan *plan, size_t pair, double multiple, int exponent,
                                 int given, int drop, double *y)
{
    const double *const f = plan->frequency + pair;
    int of_w, of_a;
    (void)pe__frexp(plan->scale, &of_a);
    (void)pe__frexp(f[0], &of_w);
    if (exponent + of_w > -59) return 0;
    const double up = pe__exp2i(-of_w), size = fabs(f[0]);
    const double inherited = pe__inherited_error(plan, pair, size, given) / size;
    const pe__dd ratio = {pe__splat(f[0] * up), pe__splat(f[plan->padded] * up)};
    const pe__dd angle = pe__dd_mul_double(pe__dd_mul(ratio, pe__dd_splat(pe__pi)), multiple);
    const pe__dd x = pe__dd_mul_double(angle, plan->mantissa);
    const double hi = pe__first_lane(x.hi), e = fabs(hi) * (inherited + pe__exp2i(-97));
    return pe__ziv_test_scaled(hi, pe__first_lane(x.lo), e, exponent + of_w + of_a - 1, drop, y);
}

/* Sets *y to an element of a tiny angle, and returns whether the element is decided. A tiny angle
 * may be out of range of doubles, or its cosine too close to 1 for double-double. For an angle x
 * below pi 2^-40 radians
 *
 *     A cos x is between A (1 - 2^-77) and A. Apart from A itself, no midpoint of two numbers is
 *         within 2^-54 of A, relatively. So A cos x rounds as a number just below A does.
 *     A sin x is A x (1 - d), where d is below 2^-77. If x is below pi 2^-60, d is below 2^-117.
 *         Then Ziv's test of A x decides. A x is a product of numbers near 1 and a power of two,
 *         with a relative error of 2^-100 plus the error inherited from the frequency. */
PE__COLD int pe__round_tiny_angle(const pe_plan *plan, double t, size_t pair, int component,
                                  int given, int drop, double *y)
{
    const double f = plan->frequency[pair], multiple = pe__one_multiple(plan, pair, t);
    const double a = plan->amplitude;
    /* multiple may be subnormal, which pe__frexp() does not take */
    const double enlarged = fabs(multiple) < pe__exp2i(-900) ? pe__exp2i(120) : 1;
    int of_multiple, of_f;
    if (f == 0 || multiple * enlarged == 0) return 0;
    const double m = pe__frexp(multiple * enlarged, &of_multiple);
    (void)pe__frexp(f, &of_f);
    if (enlarged > 1) of_multiple -= 120;
    if (of_multiple + of_f > -40) return 0;
    if (pe__inherited_error(plan, pair, fabs(f), given) > fabs(f) * pe__exp2i(-80))
        return 0; /* a sum of PE_COLUMNS_SUMS that cancels, and may be 0 */
    if (component == 0) return pe__round_tiny_sine(plan, pair, m, of_multiple, given, drop, y);
    *y = drop ? (double)pe__round_once(a, -a * pe__exp2i(-60), 1, drop) : a;
    return 1;
}

/* Returns an element correctly rounded: A times the sine (component 0) or cosine (1) of a pair at
 * position t, in the type that `drop` names. approx: the same from pe__sincos_dd(), but times the
 * mantissa of A, as the sum of two doubles; NULL if not computed yet, as for floats. The steps are
 * double-double with Ziv's test, tiny angles, exactly rational angles, multi-limb integers. */
PE__COLD double pe__round_element(const pe_plan *plan, double t, size_t pair, int component,
                                  int given, int drop, const double *approx)
{
    const double *const w = plan->float32 ? plan->float32 : plan->frequency;
    double own[2], y;
    if (!plan->point && (t == 0 || w[pair] == 0)) { /* the angle is 0; sums are not examined */
        if (component == 0) return 0 * plan->amplitude;
        return drop ? (double)pe__round_once(plan->amplitude, 0, 1, drop) : plan->amplitude;
    }
    if (!approx) {
        pe__dd angle[2];
        if (pe__round_tiny_angle(plan, t, pair, component, given, drop, &y)) return y;
        pe__sincos_dd(plan, pair, t, &angle[0], &angle[1]);
        angle[0] = pe__dd_mul_double(angle[component], plan->mantissa);
        own[0] = pe__first_lane(angle[0].hi);
        own[1] = pe__first_lane(angle[0].lo);
        approx = own;
    }
    const double e = pe__sincos_dd_error(plan, pair, t, component, given);
    if (pe__ziv_test(approx[0], approx[1], e, plan->scale, drop, &y)) return y;
    if (pe__round_tiny_angle(plan, t, pair, component, given, drop, &y)) return y;
    if (!given && pe__round_rational_angle(plan, t, pair, component, drop, &y)) return y;
    return pe__round_quantity(plan, pair, t, (pe__quantity)component, given, 0, drop);
}

/* The type of the two functions below, which call pe__round_element() with a constant `given`. Rows
   call them by pointer, so that a program that uses only given frequencies contains no code for
   others. */
typedef double pe__element_rounder(const pe_plan *plan, double t, size_t pair, int component,
                                   int drop, const double *known);
PE__COLD double pe__round_element_any(const pe_plan *plan, double t, size_t pair, int component,
                                      int drop, const double *approx)
{
    return pe__round_element(plan, t, pair, component, 0, drop, approx);
}
PE__COLD double pe__round_element_given(const pe_plan *plan, double t, size_t pair, int component,
                                        int drop, const double *approx)
{
    return pe__round_element(plan, t, pair, component, 1, drop, approx);
}

/* ==== src/plan/config.h ==== */
/* The default config and the presets.
 * tests/unit/test_conventions.c and tests/checks/parity.sh compare them with their models. */

/* ---- 5.7 plans ----------------------------------------------------------------------------------
 * The memory of a plan holds, in this order:
 *     up to 63 bytes, to an aligned address
 *     2 arrays: the frequencies, as sums of two doubles
 *     1 array: the frequencies rounded to float, with PE_ANGLE_FLOAT32
 *     16 rows of 2 arrays each: the rows that rotate, if enough rows are expected
 *     2 bytes a pair: the order of pairs, if the config has a list of coordinates
 * With PE_COLUMNS_SUMS it holds one array for each coordinate instead: the matrix.
 *
 * In an array, the pairs of each axis begin at a multiple of 8, except with PE_COLUMNS_JOINED. A
 * vector may be loaded from any pair on. Padding lanes after an axis' last pair repeat this pair,
 * so they are flagged only if the pair itself is. The exact rounder may then load vectors from
 * padding lanes on, past the end of an array. So the rows that rotate come after the frequencies.
 */

PE_API pe_config pe_config_default(size_t d_model)
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

PE_API pe_config pe_config_preset(pe_preset preset, size_t d_model)
{
    static const struct {
        unsigned char layout, exponent, exponent_shift, odd, cos_first, offset, multiple, axes;
    } presets[PE_PRESET_COUNT] = {
        {PE_LAYOUT_INTERLEAVED, PE_EXPONENT_WIDTH, 0, PE_ODD_SINE, 0, 0, 1, 1}, /* VASWANI        */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 0, 0, 1, 1},      /* T2T            */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 0, 2, 1, 1},      /* FAIRSEQ        */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 0, 1, 1, 1},      /* OPENNMT        */
        {PE_LAYOUT_HALVES, PE_EXPONENT_WIDTH, 1, PE_ODD_SINE, 0, 0, 1, 1},      /* HF_MARIAN      */
        {PE_LAYOUT_HALVES, PE_EXPONENT_WIDTH, 1, PE_ODD_ZERO, 0, 0, 2, 1},      /* TRANSFORMER_XL */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 0, 0, 1, 1},      /* TENER          */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 0, 0, 1, 1},      /* DDPM           */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 0, PE_ODD_ZERO, 1, 0, 1, 1},      /* LDM            */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 1, 0, 1, 1},      /* MUSICGEN       */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 0, 0, 2, 1},      /* MLX            */
        {PE_LAYOUT_HALVES, PE_EXPONENT_WIDTH, 1, PE_ODD_ZERO, 0, 0, 4, 2},      /* MAE_2D         */
        {PE_LAYOUT_HALVES, PE_EXPONENT_WIDTH, 1, PE_ODD_ZERO, 0, 0, 16, 3},     /* VIDEO_3D       */
        {PE_LAYOUT_HALVES, PE_EXPONENT_PAIRS, 1, PE_ODD_ZERO, 0, 0, 1, 2},      /* T2T_ND         */
        {PE_LAYOUT_INTERLEAVED, PE_EXPONENT_WIDTH, 1, PE_ODD_SINE, 0, 1, 2, 2}, /* DETR           */
        {PE_LAYOUT_INTERLEAVED, PE_EXPONENT_INDEX, 1, PE_ODD_ZERO, 0, 0, 1, 3}, /* NERF           */
        {PE_LAYOUT_INTERLEAVED, PE_EXPONENT_INDEX, 1, PE_ODD_ZERO, 0, 0, 1, 3}, /* TINY_CUDA_NN   */
    };
    const size_t d = d_model;
    const int is = (int)preset;
    if (is < 0 || is >= PE_PRESET_COUNT) return pe_config_default(0); /* every init refuses it */
    pe_config c = pe_config_default(d);
    c.layout = (pe_layout)presets[is].layout;
    c.exponent = (pe_exponent)presets[is].exponent;
    c.exponent_shift = presets[is].exponent_shift;
    c.odd = (pe_odd)presets[is].odd;
    c.cos_first = presets[is].cos_first;
    c.offset = presets[is].offset;
    c.multiple = presets[is].multiple;
    c.axes = presets[is].axes;
    for (size_t a = 0; a < PE_MAX_AXES && c.axes > 1; a++) c.axis[a].coordinate = a;
    if (is == PE_PRESET_FAIRSEQ) {
        c.has_padding = 1;
        c.padding_position = -1;
    }
    if (is == PE_PRESET_MLX && d) c.amplitude = sqrt(2 / (double)d);
    if (is == PE_PRESET_NERF || is == PE_PRESET_TINY_CUDA_NN) c.base = 0.5;
    if (is == PE_PRESET_NERF) c.columns = PE_COLUMNS_FREQUENCIES;
    if (is == PE_PRESET_TINY_CUDA_NN) c.half_turns = 1;
    if (is == PE_PRESET_MAE_2D || is == PE_PRESET_DETR) c.axis[0].width = c.axis[1].width = d / 2;
    if (is == PE_PRESET_MAE_2D) {
        c.axis[0].coordinate = 1;
        c.axis[1].coordinate = 0;
    }
    if (is == PE_PRESET_VIDEO_3D) {
        c.axis[0].width = d / 4;
        c.axis[1].width = c.axis[2].width = d / 8 * 3;
        c.axis[1].coordinate = 2;
        c.axis[2].coordinate = 1;
    }
    return c;
}

/* ==== src/plan/shape.h ==== */
/* The axes, arrays, size and errors of a plan, before it is built.
 * tests/unit/test_errors.c tests them. */

/* Returns the guard of the rounding test: the bits of the smallest float that may be tested. This
   float is 2^-12 share |amplitude|, and a thousandth more because a float may be less than its
   double. It is at least a normal float. If elements may be infinite, the guard is INT32_MAX, which
   flags all floats. */
PE__INLINE int32_t pe__guard(double amplitude, double share)
{
    const double size = fabs(amplitude);
    const float least = (float)(size * (1.0009765625 / 4096) * share);
    int32_t guard = pe__float_bits(least);
    if (guard < 0x00800001) guard = 0x00800001; /* just above the smallest normal float */
    return size > pe__exp2i(127) ? INT32_MAX : guard;
}

/* Sets the amplitude A of a plan, its mantissa and power of two, and the guard. */
static inline void pe__plan_set_amplitude(pe_plan *plan, double amplitude)
{
    int exponent;
    plan->amplitude = amplitude;
    plan->mantissa = pe__frexp(amplitude, &exponent);
    plan->scale = pe__exp2i(exponent);
    plan->guard = pe__guard(amplitude, 1);
}

/* Sets the range of the double kernel from the relative error and the largest magnitude of the
   frequencies. Within the range, an angle has an error of at most 2^-62 half-turns inherited from
   the frequency, and at most 2^36 half-turns. */
static inline void pe__plan_set_range(pe_plan *plan, double error, double fastest)
{
    const double most = pe__exp2i(-62) / error;
    const double half_turns = most < pe__exp2i(36) ? most : pe__exp2i(36);
    plan->fastest = fastest;
    plan->error = error;
    plan->double_range = half_turns / (fastest > pe__exp2i(-900) ? fastest : pe__exp2i(-900));
}

/* From this number of consecutive rows on, the plan's table of rows that rotate saves more time
   than it costs. Measured at d = 512: 35 rows with AVX-512, 38 with AVX2. One number serves all. */
enum { PE__TABLE_MIN_ROWS = 36 };

/* Returns whether there are several axes that share the columns in the given way. */
PE__INLINE int pe__has_columns(const pe_config *config, pe_columns columns)
{
    return config->axes > 1 && config->columns == columns;
}

enum { PE__STATIONARY = 255 }; /* the coordinate of pairs that never rotate */

/* Returns how many arrays a plan has that expects `rows` rows; 0 rows: an unknown number. */
PE__COLD size_t pe__array_count(const pe_config *config, size_t rows)
{
    if (pe__has_columns(config, PE_COLUMNS_SUMS)) return config->axes;
    if (config->angle == PE_ANGLE_FLOAT32) return 3;
    return rows == 0 || rows >= PE__TABLE_MIN_ROWS ? 2 + 2 * 2 * PE__BLOCK_HALF : 2;
}

/* Sets D of the exponent i / D to the exact sum d[0] + d[1], for an axis of the given width. With
   one pair or none, D is 1: i is 0 then. */
static inline void pe__denominator(const pe_config *config, size_t width, size_t pairs, double *d)
{
    d[0] = 1;
    d[1] = 0;
    if (pairs <= 1) return;
    if (config->exponent == PE_EXPONENT_WIDTH) d[0] = (double)width / 2;
    if (config->exponent == PE_EXPONENT_PAIRS) {
        const pe__vd half = pe__splat((double)(width / 2));
        pe__vd low;
        d[0] = pe__first_lane(pe__two_sum(half, pe__splat(-config->exponent_shift), &low));
        d[1] = pe__first_lane(low);
    }
}

/* Returns what is wrong with the frequencies of an axis, or NULL. */
PE__INLINE const char *pe__frequency_error(const pe_config *config, const pe__axis *axis)
{
    const double little = 1e-9, s = fabs(config->scale);
    const double by_pi = config->half_turns ? 1.6514961294723187 : 0.0; /* log2(pi) */
    const double d = axis->denominator[0];
    if (!(d > 0)) return "exponent_shift must be less than half of each axis' width";
    const double steps = (double)(axis->pairs ? axis->pairs - 1 : 0) / d;
    int of_scale, of_base;
    (void)pe__frexp(s, &of_scale);
    (void)pe__frexp(config->base, &of_base);
    /* the exponents alone show that the frequencies are within bounds: no logarithm needed */
    if (fabs((double)of_scale) + steps * (fabs((double)of_base) + 1) < 18) return NULL;
    const double first = pe__log2(s) + by_pi;
    const double last = first - steps * pe__log2(config->base);
    if (!pe__between(first, -960 - little, 21 + little) ||
        !pe__between(last, -960 - little, 21 + little))
        return "frequencies must be within 2^-960 ... 2^21: scale, half_turns or base are too "
               "large or too small for this width";
    return NULL;
}

/* Joins the axes of a plan that has a list of coordinates. They share one layout, and the first
   axis has all pairs. The padding grows, because four vectors may be loaded from any pair on. */
PE__INLINE void pe__plan_join_axes(pe_plan *plan, size_t axes)
{
    plan->axes = axes;
    plan->joint = 1;
    plan->padded += 3 * PE__MAX_LANES;
    for (size_t a = 1; a < axes; a++) plan->axis[a].pair = plan->padded;
}

/* Returns whether a list has the needed length. A length of 0 means unknown and passes. */
PE__INLINE int pe__list_ok(const void *list, size_t length, size_t needed)
{
    return length == 0 || (list && length == needed);
}

/* Returns whether all numbers of a list of coordinates are valid; NULL is. */
PE__INLINE int pe__coordinates_ok(const uint8_t *coordinate, size_t pairs, size_t axes)
{
    int ok = 1;
    for (size_t i = 0; coordinate && i < pairs; i++)
        ok &= coordinate[i] < axes || coordinate[i] == PE__STATIONARY;
    return ok;
}

/* Sets the columns, pairs and exponents of a plan's axes. Returns what is wrong with the axes, or
   NULL. */
PE__INLINE const char *pe__plan_set_axes(pe_plan *plan, const pe_config *config)
{
    const size_t d = config->d_model, all = config->coordinate ? 1 : config->axes;
    const int sums = pe__has_columns(config, PE_COLUMNS_SUMS);
    const int halves = config->layout == PE_LAYOUT_HALVES, cos_first = config->cos_first != 0;
    const int steps = pe__has_columns(config, PE_COLUMNS_FREQUENCIES);
    const int joined = pe__has_columns(config, PE_COLUMNS_JOINED);
    size_t column = 0, pairs = 0, array = 0;
    memset(plan, 0, sizeof *plan); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    plan->axes = all;
    plan->d_model = d;
    for (size_t a = 0; a < all; a++) {
        pe__axis *const axis = &plan->axis[a];
        size_t width = all == 1 || (sums && a == 0) ? d : sums ? 0 : config->axis[a].width;
        if (width == 0 && !sums) width = d / (2 * all) * 2;
        axis->coordinate = all == 1 || sums ? 0 : config->axis[a].coordinate;
        if (axis->coordinate >= config->axes)
            return "the coordinate of an axis must be less than axes";
        if (width > d - column) return "the widths of the axes must not sum to more than d_model";
        axis->zeros = config->odd == PE_ODD_ZERO ? width % 2 : 0;
        const size_t columns = width - axis->zeros; /* if odd, one more sine, or cosine if first */
        axis->zero = column + columns;
        axis->pairs = (columns + 1) / 2;
        axis->sines = (columns + !cos_first) / 2;
        axis->cosines = columns - axis->sines;
        if ((joined || steps) && width % 2)
            return "joined axes and those of PE_COLUMNS_FREQUENCIES must have even widths";
        if (steps && axis->pairs != plan->axis[0].pairs)
            return "the axes of PE_COLUMNS_FREQUENCIES must have equal widths";
        if (!joined) array = (array + 7) & ~(size_t)7;
        axis->pair = array;
        array += axis->pairs;
        pairs += axis->pairs;
        pe__denominator(config, width, axis->pairs, axis->denominator);
        const char *const error = pe__frequency_error(config, axis);
        if (error) return error;
        column += width;
    }
    plan->axis[all - 1].zeros += d - column;
    for (size_t a = 0; a < all; a++) { /* the column of the first sine and of the first cosine */
        pe__axis *const axis = &plan->axis[a];
        const size_t own = axis->zero - axis->sines - axis->cosines;
        const size_t first = steps ? a : joined && halves ? axis->pair : own;
        const size_t gap = steps || joined ? pairs : axis->pairs; /* of halves */
        const size_t second = first + (halves ? gap : steps ? all : 1);
        axis->sine = cos_first ? second : first;
        axis->cosine = cos_first ? first : second;
    }
    plan->pairs = pairs;
    plan->joint = joined || sums;
    if (steps) plan->step = halves ? all : 2 * all;
    plan->padded = (array + 2 * PE__MAX_LANES - 2) & ~(size_t)7;
    if (config->coordinate) pe__plan_join_axes(plan, config->axes);
    return NULL;
}

/* Returns what is wrong with the config, or lays the plan out and returns NULL. Inlined into its
   two callers, so that a program that never asks for the text does not contain the texts. */
PE__INLINE const char *pe__plan_error(const pe_config *config, pe_plan *plan)
{
    if (!config) return "config is NULL";
    const size_t most = PTRDIFF_MAX / sizeof(double) / pe__array_count(config, 0) / 2;
    const double steps = config->offset * 1048576.0; /* 2^20 */
    if (config->d_model < 1 || config->d_model >= most)
        return "d_model must be at least 1 (0: a preset that does not exist), and its plan must "
               "fit into the address space";
    if (config->multiple < 1) return "multiple must be at least 1: 1 allows any d_model";
    if (config->d_model % config->multiple != 0)
        return "d_model must be a multiple of config.multiple (of 2, 4 or 16 in some presets)";
    if (config->axes < 1 || config->axes > PE_MAX_AXES) return "axes must be 1 ... PE_MAX_AXES";
    if (config->axes > 1 && config->has_padding) return "has_padding needs axes = 1";
    if ((unsigned)config->layout > PE_LAYOUT_HALVES) return "layout must be one of PE_LAYOUT_...";
    if ((unsigned)config->exponent > PE_EXPONENT_INDEX)
        return "exponent must be one of PE_EXPONENT_...";
    if ((unsigned)config->odd > PE_ODD_ZERO) return "odd must be one of PE_ODD_...";
    if ((unsigned)config->angle > PE_ANGLE_FLOAT32) return "angle must be one of PE_ANGLE_...";
    if ((unsigned)config->columns > PE_COLUMNS_SUMS)
        return "columns must be one of PE_COLUMNS_...";
    if (pe__has_columns(config, PE_COLUMNS_SUMS) && config->angle != PE_ANGLE_EXACT)
        return "PE_COLUMNS_SUMS needs PE_ANGLE_EXACT";
    if (config->coordinate &&
        (config->columns != PE_COLUMNS_BLOCKS || config->d_model % 2 || config->has_padding))
        return "coordinate needs PE_COLUMNS_BLOCKS, an even d_model and no padding";
    if (!pe__list_ok(config->coordinate, config->coordinate_length, config->d_model / 2))
        return "coordinate has coordinate_length numbers and needs d_model / 2; with NULL the "
               "length must be 0";
    if (!pe__coordinates_ok(config->coordinate, config->d_model / 2, config->axes))
        return "coordinate must hold numbers below axes, or 255";
    if (!pe__between(config->base, pe__exp2i(-20), pe__exp2i(900)))
        return "base must be within 2^-20 ... 2^900";
    if (!pe__between(fabs(config->amplitude), pe__exp2i(-1000), pe__exp2i(1000)))
        return "amplitude must be within 2^-1000 ... 2^1000 in magnitude";
    if (!pe__between(fabs(config->scale), pe__exp2i(-900), pe__exp2i(21)))
        return "scale must be within 2^-900 ... 2^21 in magnitude";
    if (!pe__between(config->exponent_shift, -pe__exp2i(60), pe__exp2i(60)))
        return "exponent_shift must be within -2^60 ... 2^60";
    if (!pe__between(config->offset, -pe__exp2i(31), pe__exp2i(31)) ||
        steps != (double)(int64_t)steps)
        return "offset must be a multiple of 2^-20 within -2^31 ... 2^31";
    return pe__plan_set_axes(plan, config);
}

/* Returns the bytes of memory that a plan takes. listed: it has a list of coordinates. */
PE__INLINE size_t pe__plan_memory(const pe_plan *plan, const pe_config *config, int listed)
{
    const size_t arrays = pe__array_count(config, config->expected_rows);
    return plan->padded * arrays * sizeof(double) + (listed ? 2 * plan->pairs : 0) + 63;
}

/* Lays the plan out and returns the bytes of memory that it takes; 0 if the config is wrong. */
PE__OUTLINE size_t pe__plan_bytes(const pe_config *config, pe_plan *plan)
{
    if (pe__plan_error(config, plan)) return 0;
    return pe__plan_memory(plan, config, config->coordinate != NULL);
}

PE_API size_t pe_plan_size(const pe_config *config)
{
    pe_plan plan;
    return pe__plan_bytes(config, &plan);
}

PE_API const char *pe_config_error(const pe_config *config)
{
    pe_plan plan;
    return pe__plan_error(config, &plan);
}

/* ==== src/plan/make.h ==== */
/* Plans built in the caller's memory: frequencies and the rows that rotate.
 * tests/unit/test_bounds.c and tests/unit/test_budget.c test them. */

/* Writes the rows that rotate to table, 1 ... 8 and 17, 34 ... 136, each as an array of sines and
 * one of cosines. Row 1 comes from its angles. Row b is rotated from the rows b / 2 and b - b / 2,
 * row 17 from the rows 8 and 9, row 17 b from the rows 17 (b / 2) and 17 (b - b / 2).
 *
 * All is in double-double. The error of 2^-96 in row 1 grows in proportion to the row number. No
 * rotation adds more than that. Four vectors advance together, because one alone would wait for its
 * own results. */
PE__OUTLINE void pe__build_rotation_rows(const pe_plan *plan, double *table)
{
    enum { PE__TOGETHER = 4, PE__NEXT = PE__BLOCK_HALF + 1 };
    const size_t padded = plan->padded;
    pe__dd s[PE__TOGETHER][PE__NEXT + 1], c[PE__TOGETHER][PE__NEXT + 1];
    for (size_t i = 0; i < padded; i += PE__TOGETHER * (size_t)PE_LANES) {
        const size_t vectors = pe__min(PE__TOGETHER, (padded - i) / PE_LANES);
        double *row = table + i;
        for (size_t v = 0; v < vectors; v++)
            pe__sincos_dd(plan, i + v * PE_LANES, 1.0, &s[v][1], &c[v][1]);
        for (int level = 0; level < 2; level++) {
            for (size_t b = 1; b <= PE__BLOCK_HALF; b++, row += 2 * padded)
                for (size_t v = 0; v < vectors; v++) {
                    if (b > 1) pe__dd_multiple_angle(s[v], c[v], b);
                    pe__store(row + v * PE_LANES, s[v][b].hi + s[v][b].lo);
                    pe__store(row + padded + v * PE_LANES, c[v][b].hi + c[v][b].lo);
                }
            for (size_t v = 0; v < vectors && level == 0; v++) {
                pe__dd_multiple_angle(s[v], c[v], PE__NEXT);
                s[v][1] = s[v][PE__BLOCK_HALF];
                c[v][1] = c[v][PE__BLOCK_HALF];
                pe__dd_rotate(&s[v][1], &c[v][1], s[v][PE__NEXT], c[v][PE__NEXT]);
            }
        }
    }
}

/* Returns the plan's row that rotates by `multiple` rows (level 0) or blocks (level 1), 1 <=
   multiple <= 8. For 0, which needs no rotation, it returns a valid row. */
PE__INLINE const double *pe__rotation_row(const pe_plan *plan, size_t level, int64_t multiple)
{
    const size_t index = multiple ? level * PE__BLOCK_HALF + (size_t)multiple - 1 : 0;
    return plan->table + 2 * index * plan->padded;
}

/* Copies to the plan the fields that it has from the config, and places its arrays in aligned
   memory. */
static inline void pe__plan_begin(pe_plan *plan, const pe_config *config, double *memory)
{
    const size_t arrays = pe__array_count(config, config->expected_rows);
    plan->layout = config->layout;
    plan->cos_first = config->cos_first != 0;
    plan->has_padding = config->has_padding != 0;
    plan->padding = (double)config->padding_position;
    pe__plan_set_amplitude(plan, config->amplitude);
    plan->half_turns = config->half_turns != 0;
    plan->base = config->base;
    plan->unit = config->scale;
    plan->offset = config->offset;
    plan->frequency = memory;
    plan->matrix_step = plan->padded;
    if (pe__has_columns(config, PE_COLUMNS_SUMS)) plan->matrix = memory;
    else if (arrays == 3) plan->float32 = memory + 2 * plan->padded;
    else if (arrays > 3) plan->table = memory + 2 * plan->padded;
}

/* Returns where the order of a plan begins: after the arrays, two bytes for each pair. The first
   plan->pairs bytes say where each pair lies in the arrays. The others hold the coordinates of the
   pairs, and after pe__plan_sort_pairs() the segments. */
static inline uint8_t *pe__order_memory(const pe_plan *plan, const pe_config *config,
                                        double *memory)
{
    return (uint8_t *)(memory + pe__array_count(config, config->expected_rows) * plan->padded);
}

/* Sorts the pairs of a plan by coordinate. `order` is from pe__order_memory() and has the
 * coordinates in place. Among each PE__SORT_PAIRS pairs, the pairs of one coordinate become a
 * segment: they lie together in the arrays. Stationary pairs, as coordinate PE_MAX_AXES, come last.
 * The bytes of a segment are the coordinate, then the length less one. A segment of one pair has
 * one byte: the coordinate + PE__SEGMENT_OF_ONE. */
enum { PE__SEGMENT_OF_ONE = 16 };
static inline void pe__plan_sort_pairs(pe_plan *plan, uint8_t *order)
{
    for (size_t begin = 0, n; begin < plan->pairs; begin += n) {
        uint8_t *const rank = order + begin, *const list = rank + plan->pairs;
        uint8_t segments[PE__SORT_PAIRS] = {0};
        size_t end = 0;
        n = pe__min(plan->pairs - begin, PE__SORT_PAIRS);
        for (size_t a = 0, first = 0; a <= PE_MAX_AXES; a++, first = end) {
            for (size_t i = 0; i < n; i++)
                if (list[i] == (a < PE_MAX_AXES ? a : (size_t)PE__STATIONARY))
                    rank[i] = (uint8_t)end++;
            if (end == first) continue;
            segments[first] = (uint8_t)(end - first == 1 ? a + PE__SEGMENT_OF_ONE : a);
            if (end - first > 1) segments[first + 1] = (uint8_t)(end - first - 1);
        }
        memcpy(list, segments, n);
    }
    plan->order = order;
}

/* Puts an array of a plan into the plan's order, in place. */
static inline void pe__plan_sort_array(const pe_plan *plan, double *array)
{
    double all[PE__SORT_PAIRS];
    for (size_t begin = 0, n; begin < plan->pairs; begin += n, array += n) {
        n = pe__min(plan->pairs - begin, PE__SORT_PAIRS);
        memcpy(all, array, n * sizeof *all);
        for (size_t i = 0; i < n; i++) array[plan->order[begin + i]] = all[i];
    }
}

/* Fills the padding of an array: between the pairs of an axis and the next axis, and up to
   plan->padded, the last pair is repeated. */
static inline void pe__plan_pad(const pe_plan *plan, double *array)
{
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *axis = &plan->axis[a];
        const size_t end = a + 1 < plan->axes ? plan->axis[a + 1].pair : plan->padded;
        for (size_t i = axis->pair + axis->pairs; i < end; i++) array[i] = i ? array[i - 1] : 0;
    }
}

/* Completes a plan whose frequencies are in memory: order, padding, floats, range, rows that
   rotate. error: the relative error of the frequencies. fastest: the largest magnitude. */
static inline void pe__plan_finish(pe_plan *plan, double error, double fastest, double *memory)
{
    const size_t padded = plan->padded;
    for (size_t part = 0; part < 2; part++) {
        if (plan->order) pe__plan_sort_array(plan, memory + part * padded);
        pe__plan_pad(plan, memory + part * padded);
    }
    if (plan->float32) {
        double *const rounded = memory + 2 * padded;
        plan->float32 = NULL;
        plan->error = error;
        for (size_t i = 0; i < padded; i++)
            rounded[i] = pe__plan_quantity(plan, i, PE__FREQUENCY, PE__DROP_F32);
        plan->float32 = rounded;
        for (size_t part = 0; part < 2; part++)
            for (size_t i = 0; i < padded; i++) memory[part * padded + i] = pe__inverse_pi[part];
        fastest *= 1.0000001;
        error = pe__exp2i(-106);
    }
    pe__plan_set_range(plan, error, fastest);
    if (plan->table) pe__build_rotation_rows(plan, memory + 2 * padded);
}

/* Begins every init: sets the plan to zeros, which every call refuses, and checks the pointers. */
static inline pe_status pe__init_begin(pe_plan *plan, const void *config, const void *memory)
{
    if (!plan) return PE_ERR_NULL;
    memset(plan, 0, sizeof *plan); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    return config && memory ? PE_OK : PE_ERR_NULL;
}

/* Fills f with the frequencies of the config, two doubles each, and completes the plan. */
static inline void pe__plan_fill_geometric(pe_plan *made, const pe_config *config, double *f)
{
    double fastest = 0, steps = 0, fall = 0;
    const pe__td unit = pe__frequency_unit(config->scale, config->half_turns);
    for (size_t a = 0; a < made->axes; a++) {
        const pe__axis *axis = &made->axis[a];
        pe__geometric g;
        if (axis->pairs == 0) continue;
        const size_t last = axis->pairs - 1;
        g.step = pe__geometric_step(config->base, axis->denominator);
        pe__geometric_begin(&g, &unit);
        pe__geometric_fill(&g, 0, axis->pairs, f + axis->pair, made->padded);
        const double begin = f[axis->pair], end = f[axis->pair + last];
        fastest = pe__max_abs(fastest, pe__max_abs(begin, end));
        steps = pe__max_abs(steps, (double)last / axis->denominator[0]);
        fall = pe__max_abs(fall, begin / end);
    }
    /* in half-turns, powers of a power of two are exact */
    int exponent;
    made->exact_frequencies = config->half_turns && config->exponent == PE_EXPONENT_INDEX &&
                              pe__frexp(config->base, &exponent) == 0.5;
    /* frequencies/geometric.h derives the error. The term with `fall` is for powers of q below
       2^-900, whose last digits are subnormal. */
    const double error = pe__exp2i(-101) + steps * pe__exp2i(-106);
    pe__plan_finish(made, error + fall * pe__exp2i(-900) * pe__exp2i(-170), fastest, f);
}

PE_API const char *pe_frequency_error(const pe_config *config, const double *omega, size_t pairs,
                                      size_t *index)
{
    const double scale = config ? fabs(config->scale) : 0;
    if (index) *index = pairs;
    if (!config || (!omega && pairs)) return "config or omega is NULL";
    for (size_t i = 0; i < pairs; i++) {
        const double w = fabs(omega[i]);
        if (w == 0 || (pe__between(w, pe__exp2i(-900), pe__exp2i(900)) &&
                       pe__between(w * scale, pe__exp2i(-960), pe__exp2i(21))))
            continue;
        if (index) *index = i;
        return w == w ? "a frequency must be 0, or within 2^-900 ... 2^900 and, times the scale, "
                        "within 2^-960 ... 2^21 in magnitude"
                      : "a frequency is not a number";
    }
    return NULL;
}

/* Loads a vector from x, of which only the first n doubles exist; other lanes are 0. */
PE__INLINE pe__vd pe__load_n(const double *x, size_t n)
{
    double all[PE_LANES];
    if (n >= PE_LANES) return pe__load(x);
    for (size_t k = 0; k < PE_LANES; k++) all[k] = k < n ? x[k] : 0;
    return pe__load(all);
}

/* Returns whether n frequencies, times scale, are certainly within bounds. A result of 0 leaves the
   decision to pe_frequency_error(): for a frequency of 0, a scale far from 1, an n that is no
   multiple of PE_LANES. */
PE__OUTLINE int pe__frequencies_ok(const double *omega, size_t n, double scale)
{
    const pe__vd low = pe__splat(pe__exp2i(-900));
    pe__vd sum = pe__splat(0.0), least = pe__splat(1.0);
    double squares[PE_LANES], all = 0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd w = pe__load_n(omega + i, n - i);
        sum = pe__fma(w, w, sum);
        least = pe__min_vd(pe__abs(w), least);
    }
    pe__store(squares, sum);
    for (size_t k = 0; k < PE_LANES; k++) all += squares[k];
    return !pe__unequal(pe__min_vd(least, low), low, low, low) &&
           fabs(scale) >= pe__exp2i(-50) && all * scale * scale <= pe__exp2i(41);
}

/* Writes n frequencies, omega times unit, as two doubles each to f and f + padded, with a relative
   error of 2^-104; omega may be f. Returns the largest magnitude. Out of line, because its caller
   becomes part of pe__plan_build(), which calls cold functions and is not optimised for speed. */
PE__OUTLINE double pe__scale_omega(const double *omega, size_t n, const pe__td *unit, double *f,
                                   size_t padded)
{
    const pe__vd a = unit->a, b = unit->b;
    pe__vd largest = pe__splat(0.0);
    double lanes[PE_LANES], fastest = 0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd x = pe__load_n(omega + i, n - i);
        pe__dd y;
        y.hi = pe__two_prod(x, a, &y.lo);
        y.lo = pe__mul(x, b) + y.lo; /* not fused: the same bits everywhere */
        y = pe__dd_renormalize(y);
        largest = pe__min_vd(largest, -pe__abs(y.hi));
        pe__store(f + i, y.hi);
        pe__store(f + padded + i, y.lo);
    }
    pe__store(lanes, largest);
    for (size_t k = 0; k < PE_LANES; k++) fastest = pe__max_abs(fastest, lanes[k]);
    return fastest;
}

/* Fills f with the caller's frequencies omega, two doubles each, and completes the plan; omega may
   be f. */
static inline void pe__plan_fill_omega(pe_plan *made, const pe_config *config, const double *omega,
                                       double *f)
{
    const pe__td unit = pe__frequency_unit(config->scale, config->half_turns);
    double fastest = 0;
    made->base = 0;
    made->exact_frequencies = made->half_turns;
    for (size_t a = 0, n; a < (made->joint ? 1 : made->axes); a++, omega += n) {
        double *const first = f + made->axis[a].pair;
        n = made->joint ? made->pairs : made->axis[a].pairs;
        fastest = pe__max_abs(fastest, pe__scale_omega(omega, n, &unit, first, made->padded));
    }
    pe__plan_finish(made, pe__exp2i(-104), fastest, f);
}

/* PE_COLUMNS_SUMS: fills f with the matrix of frequencies, one array for each coordinate, from
   omega[pairs][axes]. */
static inline void pe__plan_fill_matrix(pe_plan *made, const pe_config *config,
                                        const double *omega, double *f)
{
    const size_t each = made->axes;
    const double unit = pe__first_lane(pe__frequency_unit(config->scale, config->half_turns).a);
    made->base = 0;
    made->fastest = 0;
    for (size_t k = 0; k < each; k++) {
        for (size_t i = 0; i < made->pairs; i++) {
            f[k * made->padded + i] = omega[i * each + k];
            made->fastest = pe__max_abs(made->fastest, omega[i * each + k] * unit);
        }
        pe__plan_pad(made, f + k * made->padded);
    }
    made->fastest *= 1 + pe__exp2i(-50);
}

/* Builds a plan from the config or, if `given`, from the frequencies omega. */
PE__OUTLINE pe_status pe__plan_build(pe_plan *plan, const pe_config *config, int given,
                                   const double *omega, size_t pairs, void *memory,
                                   size_t memory_size)
{
    pe_plan made;
    const pe_status status = pe__init_begin(plan, config, memory);
    if (status != PE_OK || (given && !omega)) return PE_ERR_NULL;
    const size_t size = pe__plan_bytes(config, &made);
    if (size == 0) return PE_ERR_CONFIG;
    const int sums = pe__has_columns(config, PE_COLUMNS_SUMS);
    if (!given && sums) return PE_ERR_NULL;
    if (given && pairs != made.pairs) return PE_ERR_SHAPE;
    const size_t numbers = pairs * (sums ? made.axes : 1);
    if (given && !pe__frequencies_ok(omega, numbers, config->scale) &&
        pe_frequency_error(config, omega, numbers, NULL))
        return PE_ERR_FREQUENCY;
    if (memory_size < size) return PE_ERR_SIZE;
    double *const f = pe__aligned(memory);
    pe__plan_begin(&made, config, f);
    if (config->coordinate) {
        uint8_t *const order = pe__order_memory(&made, config, f);
        memcpy(order + made.pairs, config->coordinate, made.pairs);
        pe__plan_sort_pairs(&made, order);
    }
    if (!given) pe__plan_fill_geometric(&made, config, f);
    else if (sums) pe__plan_fill_matrix(&made, config, omega, f);
    else pe__plan_fill_omega(&made, config, omega, f);
    *plan = made;
    return PE_OK;
}

PE_API pe_status pe_plan_init(pe_plan *plan, const pe_config *config, void *memory,
                              size_t memory_size)
{
    return pe__plan_build(plan, config, 0, NULL, 0, memory, memory_size);
}

PE_API pe_status pe_plan_init_frequencies(pe_plan *plan, const pe_config *config,
                                          const double *omega, size_t pairs, void *memory,
                                          size_t memory_size)
{
    return pe__plan_build(plan, config, 1, omega, pairs, memory, memory_size);
}

/* ==== src/plan/frequencies.h ==== */
/* Frequencies as float32 code computes them; reading back a plan's frequencies and wavelengths.
 * tests/unit/test_conventions.c tests them. */

/* Return a b, rounded to float or to double. The compiler cannot fuse the product with an addition.
   */
PE__INLINE float pe__float_product(float a, float b)
{
    float p = a * b;
    PE__OPAQUE(p);
    return p;
}
PE__INLINE double pe__double_product(double a, double b)
{
    double p = a * b;
    PE__OPAQUE(p);
    return p;
}

/* Returns 2^x rounded once to float, 0 if it is too small for one. x > -1000, since frequencies are
   above 2^-960. */
PE__INLINE float pe__exp2_float(pe__td x)
{
    const pe__td y = pe__td_exp2(x);
    return pe__round_sum(pe__first_lane(y.a), pe__first_lane(y.b), PE__DROP_F32);
}

PE_API pe_status pe_frequencies_float32(const pe_config *config, pe_float32 formula, double *omega)
{
    pe_plan plan;
    if (!config || !omega) return PE_ERR_NULL;
    if ((unsigned)formula > PE_FLOAT32_EXP_OF_RATIO) return PE_ERR_ENUM;
    if (pe__plan_bytes(config, &plan) == 0 || plan.axes != 1) return PE_ERR_CONFIG;
    if (!pe__between(config->base, 1, pe__exp2i(126))) return PE_ERR_CONFIG;
    const double d = plan.axis[0].denominator[0];
    const pe__td ln_2 = pe__td_const(pe__ln2);
    const pe__td log_base = pe__td_mul(pe__td_log2(pe__td_splat(config->base)), ln_2);
    const pe__td log_float = pe__td_log2(pe__td_splat((double)(float)config->base));
    const float minus_log = (float)-pe__first_lane(log_base.a);
    const float step = (float)-pe__first_lane(pe__td_div_double(log_base, pe__splat(d)).a);
    for (size_t i = 0; i < plan.pairs; i++) {
        const float n = (float)i, ratio = (float)((double)i / d);
        const pe__td power = pe__td_mul_double(log_float, pe__splat((double)ratio));
        float x = n * step;
        if (formula == PE_FLOAT32_EXP_OF_RATIO) x = pe__float_product(minus_log, n) / (float)d;
        /* 2^power rounds to infinity above 2^128 (1 - 2^-25), whose log2 is 127.99...; 1 / infinity
           is 0 */
        if (formula != PE_FLOAT32_POW)
            omega[i] = (double)pe__exp2_float(pe__td_div(pe__td_splat((double)x), ln_2));
        else if (pe__first_lane(power.a) > 127.999999957004) omega[i] = 0;
        else omega[i] = (double)(1 / pe__exp2_float(power));
    }
    return PE_OK;
}

/* Writes the frequency or the wavelength of each pair to out, axis after axis, in the order before
   sorting. */
static inline pe_status pe__plan_quantities(const pe_plan *plan, pe__quantity what, double *out)
{
    if (!plan || !out) return PE_ERR_NULL;
    if (plan->d_model == 0 || plan->matrix) return PE_ERR_PLAN;
    for (size_t a = 0; a < plan->axes; a++)
        for (size_t i = 0; i < plan->axis[a].pairs; i++) {
            const size_t at = plan->axis[a].pair + i;
            const size_t pair = plan->order ? at - at % PE__SORT_PAIRS + plan->order[at] : at;
            if (plan->float32 && what == PE__FREQUENCY) *out++ = plan->float32[pair];
            else *out++ = pe__plan_quantity(plan, pair, what, 0);
        }
    return PE_OK;
}

PE_API pe_status pe_plan_frequencies(const pe_plan *plan, double *omega)
{
    return pe__plan_quantities(plan, PE__FREQUENCY, omega);
}

PE_API pe_status pe_plan_wavelengths(const pe_plan *plan, double *wavelength)
{
    return pe__plan_quantities(plan, PE__WAVELENGTH, wavelength);
}

/* ==== src/fixed/increments.h ==== */
/* Phase increments by integers of 320 bits.
 * Needs: simd, api, numbers, sincos.
 * Tests: tests/unit/test_fixed.c. */

/* The limbs of a frequency below 2^21 and of its increment: 128 + 21 bits are asked for, and an
   exponential loses some 20 more. */
enum { PE__INCREMENT_LIMBS = 10 };

/* x radians a position to x / (2 pi) modulo 1, times 2^128, rounded. */
PE__COLD void pe__increment(pe__real *x, uint32_t *increment)
{
    const int n = PE__INCREMENT_LIMBS;
    pe__real turn = pe__real_pi(n);
    uint32_t rounded[PE__INCREMENT_LIMBS + 1] = {1};
    turn.exponent++;
    memset(increment, 0, 4 * sizeof *increment);
    if (pe__real_is_0(x)) return;
    pe__real_div(x, &turn);
    (void)pe__limbs_shift(x->d, n + 1, x->exponent - 32 * n + 129); /* a bit more than 128 */
    pe__limbs_add(rounded, x->d, n + 1, 0);
    (void)pe__limbs_shift(rounded, n + 1, -1);
    pe__limbs_add(increment, rounded, 4, x->sign < 0);
}

/* Can pe_fixed.h serve a frequency? */
PE__COLD int pe__increment_exists(double w)
{
    return w == 0 || pe__between(fabs(w), pe__exp2i(-56), pe__exp2i(21));
}

PE_API pe_status pe_fixed_increments(const pe_plan *plan, uint32_t *increments)
{
    if (!plan || !increments) return PE_ERR_NULL;
    if (plan->d_model == 0 || plan->axes != 1 || plan->half_turns || plan->offset != 0 ||
        plan->float32 || plan->matrix || plan->order)
        return PE_ERR_PLAN;
    for (size_t i = 0; i < plan->axis[0].pairs; i++)
        if (!pe__increment_exists(pe__plan_quantity(plan, i, PE__FREQUENCY, 0)))
            return PE_ERR_FREQUENCY;
    for (size_t i = 0; i < plan->axis[0].pairs; i++) {
        pe__real x = pe__real_of(1, PE__INCREMENT_LIMBS);
        pe__real_by_frequency(&x, plan, i, 0);
        pe__increment(&x, increments + 4 * i);
    }
    return PE_OK;
}

PE_API pe_status pe_fixed_increments_of(const double *omega, size_t pairs, uint32_t *increments)
{
    if (pairs == 0) return PE_OK;
    if (!omega || !increments) return PE_ERR_NULL;
    if (pe__exceeds(4, pairs, pe__max_elements(sizeof *increments))) return PE_ERR_SIZE;
    for (size_t i = 0; i < pairs; i++)
        if (!pe__increment_exists(omega[i])) return PE_ERR_FREQUENCY;
    for (size_t i = 0; i < pairs; i++) {
        pe__real x = pe__real_of(omega[i], PE__INCREMENT_LIMBS);
        pe__increment(&x, increments + 4 * i);
    }
    return PE_OK;
}

/* ==== src/sincos/rounding_test.h ==== */
/* The error budget of rows in double, the proof of the rounding test, and its bounds.
 * tests/checks/gappa.sh proves the terms, tests/unit/test_budget.c measures them. */

/* ---- 6.1 sines and cosines by double ------------------------------------------------------------
 * A single row comes from pe__sincos(), pair by pair. In a run, 17 rows are a block. The row in the
 * middle is its anchor, which the plan's rows 1 ... 8 rotate to the rows anchor + b and anchor - b.
 * Up to 17 blocks share one centre, the anchor of the block in the middle. The plan's rows 17, 34,
 * ... 136 rotate the centre, forward or backward, to the other anchors. The centre comes from
 * pe__sincos(); with PE_SLEEF and more than 2 blocks, from SLEEF. */

/* Rounding test: why floats are correctly rounded
 *
 * 1. Units. Errors are in units of u = 2^-53, for amplitude 1. They are lengths of the vector
 * (sine, cosine), because a rotation mixes the errors of the two components. A relative rounding
 * adds 1 to a vector. An absolute rounding of numbers below 1 adds 1/2 to each component.
 *
 * 2. pe__sincos(), by the full polynomials. "Unfused" is for operations without a fused
 * multiply-add. The terms are
 *     1.00  the rounding of the factor A (1 + eta): along the vector
 *     1.18  the residual z of the argument reduction, |z| <= 1/4 + 2^-17, rounded twice:
 *           pi (2^-56 + 2^-55), across the vector; unfused it is rounded once: 0.79
 *     0.01  the error of the angle, also across the vector: at most pi 2^-62 for positions up to
 *           plan->double_range
 *     3.25  the polynomials with rounded coefficients, as a vector; unfused 3.40. Of one component:
 *           sin(pi z) 2.69, cos(pi z) 2.04, unfused 2.35 (gappa.sh, by the mantissa of the factor)
 *     0.04  the approximation error of the polynomials (lacks.py)
 * Along and across are perpendicular, so the sum is (1.00^2 + 1.19^2)^(1/2) + 3.25 + 0.04: at most
 * 4.85, unfused 4.74.
 *
 * A single row needs the error of one component. A sine has 2.69 from the polynomial, 0.71 from the
 * term along the vector, 0.84 from the terms across, and 0.04: 4.28 in all. A cosine has less. The
 * bound pe__bound_full_poly is 4.375.
 *
 * 3. A centre from SLEEF. The terms are
 *     4.95  sine and cosine, 3.5 ulp each (u35)
 *     1.90  the angle and the residual z, as in step 2, and the rounding of the correction by `low`
 *           in pe__sincos_sleef()
 *     2.00  the rounding of the factor and of the products with the factor
 * The sum is 8.85, unfused 8.46.
 *
 * 4. One rotation of (s, c) by a row (S, C) of the plan. The terms are
 *     0.71  the rounding of S and C
 *     2.00  the rounding of a product and of the sum. Unfused, two products and the sum are
 *           rounded: again 2 for one component, since |sC| + |cS| <= 1. As a vector, from which the
 *           next rotation starts, they are 2.42: (1 + 4 |sc SC|)^(1/2) <= 2^(1/2) for the products,
 *           1 for the sum
 * The sum is 2.71; unfused 3.13 as a vector, 2.71 for one component of the result.
 *
 * 5. A row of a run is two rotations from its centre. The bound pe__bound_run is
 *     10.75   without SLEEF: 4.85 + 2.71 + 2.71 = 10.27, unfused 4.74 + 3.13 + 2.71 = 10.58
 *     14.375  with SLEEF: 14.27, unfused 14.30
 * Beyond plan->double_range, pe__sincos_dd() replaces pe__sincos() as long as its error is at most
 * 44 units. Then, fused or unfused, pe__bound_far is 60.
 *
 * 6. pe__ziv_round() undoes the factor 1 + eta. Its factor is rounded (0.5), so is the product (1),
 * and so are y - e and y + e (1). Hence e is 2.5 units more than the bounds of steps 2 and 5.
 *
 * 7. The test. Where float(y - e) = float(y + e), this float is the answer (Ziv's test). The hot
 * loop tests a condition that implies it, for the price of a few integer operations. It works on
 * y' = y (1 + eta). As soon as |y| >= 2^-12 |A|, e <= eta |y|. Then |y'| is never below the true
 * |x|, and at most 2 eta |x| above. So float(y') is wrong only if a midpoint of two floats lies at
 * |y'| or just below. The 29 bits that rounding to float drops (PE__DROPPED) show this: their value
 * is then in [2^28, 2^28 + 2 eta 2^53]. With the first of the 29 bits flipped, these values are the
 * smallest numbers of 29 bits. So the hot loop keeps two running minima:
 *     of the dropped bits, to compare with the window 2 eta 2^53
 *     of the floats' absolute values, or the upper halves of the doubles', to compare with the
 *     guard: |y| >= 2^-12 |A|, and a normal float
 * A few elements in 10,000 are flagged. pe__round_flagged() applies Ziv's test to their vectors.
 *
 * 8. eta is the bound of step 2 or 5 plus 1/8 unit, divided by 2^-12. The 1/8 is there because the
 * error is multiplied by 1 + eta, too.
 *
 * 9. A single row of floats has a narrower window, and a guard that shrinks with its position.
 * Nothing is rotated after pe__sincos(), so all errors but the one of the angle are relative. The
 * terms, in units of 2^-48, are
 *    22.00  the approximation error of the short polynomials (lacks.py)
 *     0.25  roundings, at most 8 u: the residual z 2, sin(pi z) / z 4 and its product with z 1,
 *           cos(pi z) 5 (gappa.sh)
 *     0.79  the error of the angle, pi 2^-62 |t| / plan->double_range, where
 *           |y| >= 2^-12 |A t| / plan->double_range
 * The sum is 23.04. pe__bound_short_poly has 24, so the window 2 eta 2^53 is 24 2^6. Flagged
 * vectors are computed again by the full polynomials and rounded with pe__bound_full_poly's e.
 *
 * 10. The slow pairs of a run do not need the guard |y| >= 2^-12 |A|. Let t be the position of the
 * row, and T the farthest position on the way to the row: of the centre, an anchor or a row of the
 * plan. A pair of frequency f, in half-turns, is slow if f T <= 1/4. Then no sine on the way is
 * larger than pi f T, and the row's own sine is at least 0.9 pi f |t|. The terms of the sine's
 * error, in units of u pi f T, are
 *     11  the centre, whose errors are relative
 *     16  the first rotation: 2 for the plan's sine and its product, 12 for the centre's cosine,
 *         the plan's cosine and their product, 2 for the sum
 *     20  the second rotation, whose cosine is off by 15
 * These 47 units are 52 T / |t| units relative to the row's sine. eta is 2^12 (10.75 + 1/8) units,
 * enough for T <= PE__SLOW_RATIO |t|. T is at most |t| + 144 + 8, so this holds from |t| = 0.2 on
 * (pe__slow_from()). */
enum { PE__SLOW_RATIO = 800 };

/* The bounds of the rounding test, for amplitude 1. */
typedef struct pe__bound {
    double error, eta; /* e and eta of pe__ziv_round() */
    int32_t window;    /* 2 eta 2^53 = (units + 1/8) 2^13, rounded up to a multiple of 2^12 */
} pe__bound;
#define PE__BOUND(units, window)                                                                   \
    {((units) + 2.5) / 9007199254740992.0, ((units) + 0.125) / 2199023255552.0, (window) << 12}
static const pe__bound pe__bound_full_poly = PE__BOUND(4.375, 9);
static const pe__bound pe__bound_short_poly = {6.875 / 9007199254740992.0, 24 / 281474976710656.0,
                                               24 << 6};
#if PE_SLEEF
static const pe__bound pe__bound_run = PE__BOUND(14.375, 29);
#else
static const pe__bound pe__bound_run = PE__BOUND(10.75, 22);
#endif
static const pe__bound pe__bound_far = PE__BOUND(60, 121);
#undef PE__BOUND

/* ==== src/sincos/double.h ==== */
/* Sines and cosines in double, from polynomials: of a single row and of the centre of a run.
 * tests/checks/gappa.sh proves their rounding errors, tests/unit/test_exact.c tests the rows. */

/* Polynomials in z^2 for sin(pi z) / z and cos(pi z), |z| <= 1/4 + 2^-16, lowest coefficient first,
   by tests/tools/fit.py. The full ones are as close as doubles allow. The short ones have a
   relative error of 2^-43.5 and serve single rows of floats. */
static const double pe__sine_poly[8] = {
    3.141592653589793,   -5.167712780049902,    2.5501640398663756,    -0.5992645285425086,
    0.08214585826766622, -0.007369878107647829, 0.0004608082212324812,
};
static const double pe__cosine_poly[8] = {
    1.0, -4.934802200544679, 4.058712126416665, -1.3352627688430903, 0.23533062976217894,
    -0.02580687517771109, 0.0019293402224194124, -0.00010298062483467203,
};
static const double pe__sine_poly_short[8] = {
    3.141592653589779,   -5.167712780033853,   2.550164036906897, -0.5992643283013662,
    0.08213972184305013, -0.00728308458904634,
};
static const double pe__cosine_poly_short[8] = {
    1.0, -4.934802200494251, 4.058712115380634, -1.3352619773843104, 0.23530570185317123,
    -0.025448615526125998,
};

/* Coefficients times a factor, and the constant that the argument reduction adds. */
typedef struct pe__sincos_poly {
    double sine[8], cosine[8], quadrant_shift;
} pe__sincos_poly;

/* Sets *poly to the full or the short polynomials times factor. Adding quadrant_shift to an angle
   rounds the angle to quadrants, 1/2 half-turn each, and adds `quadrants` more. */
PE__INLINE void pe__scale_sincos_poly(double factor, int quadrants, int full, pe__sincos_poly *poly)
{
    const double *const sine = full ? pe__sine_poly : pe__sine_poly_short;
    const double *const cosine = full ? pe__cosine_poly : pe__cosine_poly_short;
    for (int n = 0; n < 8; n += PE_LANES) {
        pe__store(poly->sine + n, pe__load(sine + n) * pe__splat(factor));
        pe__store(poly->cosine + n, pe__load(cosine + n) * pe__splat(factor));
    }
    poly->quadrant_shift = pe__quadrant_shift + 0.5 * quadrants;
}

/* One step of Horner's scheme for four vectors: y = y x + number. */
PE__INLINE void pe__horner(pe__vd *y, const pe__vd *x, double number)
{
    const pe__vd c = pe__splat(number);
    y[0] = pe__fma(y[0], x[0], c);
    y[1] = pe__fma(y[1], x[1], c);
    y[2] = pe__fma(y[2], x[2], c);
    y[3] = pe__fma(y[3], x[3], c);
}

typedef struct pe__floats4 {
    pe__vf v[4];
} pe__floats4;
typedef struct pe__doubles4 {
    pe__vd v[4];
} pe__doubles4;

/* Four vectors of pairs that wait for their conversion from double to float. pe__sincos() converts
   the vectors of one step while it computes the next. Conversion is a third of its work. If
   conversion came after the polynomials, its instructions would wait for their operands and fill
   the processor's queues. */
typedef struct pe__pending {
    /* a and b: the first and the second component of each pair. k: the quadrants by which AVX-512
       rotates pairs while it interleaves them; not used otherwise. */
    pe__doubles4 a, b, k;
    pe__floats4 v; /* the floats: (a0 b0), (a1 b1) ...; split: a0 a1, b0 b1, a2 a3, b2 b3 */
    pe__rounding_test test;
    int split;
} pe__pending;

/* Converts vector n of x, 0 <= n < 4, to floats and adds it to the rounding test. */
PE__INLINE void pe__convert_pending(pe__pending *x, int n)
{
    const pe__vd *const a = x->a.v, *const b = x->b.v;
    if (!x->split) x->v.v[n] = pe__zip_rotated(x->k.v[n], a[n], b[n]);
    else x->v.v[n] = n % 2 ? pe__join(b[n - 1], b[n]) : pe__join(a[n], a[n + 1]);
    pe__rounding_test_add(&x->test, a[n], b[n], x->v.v[n]);
}

/* The arguments of pe__sincos() that stay the same along a row. */
typedef struct pe__sincos_args {
    const pe_plan *plan;
    const pe__sincos_poly *poly;
    double t; /* the position */
} pe__sincos_args;

/* Computes s and c: the sines and cosines of the angles at position t, times the factor of the
 * polynomials, in double, for the four vectors of pairs from i on. A vector after `last` repeats
 * the one at last. full: whether by->poly has the full or the short polynomials.
 *
 *   1. Argument reduction: the angle is a whole number of quadrants plus a residual z, with |z| at
 *      most 1/4 half-turn.
 *   2. The polynomials give sin(pi z) and cos(pi z).
 *   3. The quadrants swap the two and change signs.
 *
 * The four vectors advance together, because one alone would wait for its own results. Meanwhile
 * the vectors in pending, unless it is NULL, become floats. */
PE__INLINE void pe__sincos(const pe__sincos_args *by, int full, size_t i, size_t last, pe__vd *s,
                           pe__vd *c, pe__pending *pending)
{
    const pe_plan *const plan = by->plan;
    const pe__sincos_poly *const w = by->poly;
    const double t = by->t;
    const double *const f = plan->frequency, *const g = f + plan->padded;
    const size_t i1 = pe__min(i + PE_LANES, last), i2 = pe__min(i + 2 * PE_LANES, last);
    const size_t i3 = pe__min(i + 3 * PE_LANES, last);
    const pe__vd shift = pe__splat(w->quadrant_shift);
    pe__doubles4 quadrant;
    pe__vd *const k = quadrant.v, z[4], x[4];
    z[0] = pe__reduce(pe__multiple(plan, i, t), pe__load(f + i), pe__load(g + i), shift, &k[0]);
    z[1] = pe__reduce(pe__multiple(plan, i1, t), pe__load(f + i1), pe__load(g + i1), shift, &k[1]);
    z[2] = pe__reduce(pe__multiple(plan, i2, t), pe__load(f + i2), pe__load(g + i2), shift, &k[2]);
    z[3] = pe__reduce(pe__multiple(plan, i3, t), pe__load(f + i3), pe__load(g + i3), shift, &k[3]);
    if (pending) pe__convert_pending(pending, 0);
    if (pending && PE_LANES == 8) { /* all here: gcc and clang schedule them better than by hand */
        pe__convert_pending(pending, 1);
        pe__convert_pending(pending, 2);
        pe__convert_pending(pending, 3);
    }
    x[0] = z[0] * z[0];
    x[1] = z[1] * z[1];
    x[2] = z[2] * z[2];
    x[3] = z[3] * z[3];
    s[0] = s[1] = s[2] = s[3] = pe__splat(w->sine[full ? 6 : 5]);
    c[0] = c[1] = c[2] = c[3] = pe__splat(w->cosine[full ? 7 : 5]);
    if (full) {
        pe__horner(c, x, w->cosine[6]);
        pe__horner(s, x, w->sine[5]);
    }
    if (full) pe__horner(c, x, w->cosine[5]);
    pe__horner(s, x, w->sine[4]);
    if (pending && PE_LANES < 8) pe__convert_pending(pending, 1);
    pe__horner(c, x, w->cosine[4]);
    pe__horner(s, x, w->sine[3]);
    if (pending && PE_LANES < 8) pe__convert_pending(pending, 2);
    pe__horner(c, x, w->cosine[3]);
    pe__horner(s, x, w->sine[2]);
    if (pending && PE_LANES < 8) pe__convert_pending(pending, 3);
    pe__horner(c, x, w->cosine[2]);
    pe__horner(s, x, w->sine[1]);
    pe__horner(c, x, w->cosine[1]);
    pe__horner(s, x, w->sine[0]);
    pe__horner(c, x, w->cosine[0]);
    s[0] = s[0] * z[0];
    s[1] = s[1] * z[1];
    s[2] = s[2] * z[2];
    s[3] = s[3] * z[3];
    if (pending && !pending->split && PE_LANES == 8) {
        pending->k = quadrant; /* pe__zip_rotated() rotates them */
        return;
    }
    pe__rotate_quadrant(k[0], &s[0], &c[0]);
    pe__rotate_quadrant(k[1], &s[1], &c[1]);
    pe__rotate_quadrant(k[2], &s[2], &c[2]);
    pe__rotate_quadrant(k[3], &s[3], &c[3]);
}

/* Stores the results of pe__sincos() with the full polynomials, four vectors to s and to c. The
   loop over a single row calls pe__sincos() itself. */
enum { PE__SINCOS_PAIRS = 4 * PE_LANES };
PE__OUTLINE void pe__sincos_store(const pe__sincos_args *by, size_t i, size_t last, double *s,
                                  double *c)
{
    pe__vd sine[4], cosine[4];
    pe__sincos(by, 1, i, last, sine, cosine, NULL);
    for (size_t n = 0; n < 4; n++) {
        pe__store(s + n * PE_LANES, sine[n]);
        pe__store(c + n * PE_LANES, cosine[n]);
    }
}

/* The sines s and cosines c of a row, in doubles, from which other rows are rotated. */
typedef struct pe__anchor {
    double *s, *c;
} pe__anchor;

/* Returns whether position t is out of range of the double kernel; true for NaN. */
PE__INLINE int pe__is_far(const pe_plan *plan, double t)
{
    return !(fabs(t) <= plan->double_range);
}

#if PE_SLEEF
/* Computes one vector of sines *s and cosines *c times factor by SLEEF. The argument is reduced to
   [-1, 1] half-turns first, because SLEEF returns a constant above 2.5e8. */
PE__INLINE void pe__sincos_sleef(const pe_plan *plan, double factor, size_t pair, double t,
                                 pe__vd *s, pe__vd *c)
{
    const pe__vd f = pe__load(plan->frequency + pair), tt = pe__multiple(plan, pair, t);
    pe__vd k, low, sine, cosine;
    const pe__vd g = pe__load(plan->frequency + plan->padded + pair);
    const pe__vd shift = pe__splat(pe__quadrant_shift);
    const pe__vd z = pe__reduce(tt, f, g, shift, &k), quadrant = k - shift;
    const pe__vd whole = pe__round(quadrant * pe__splat(0.5)) * pe__splat(2.0);
    const pe__vd x = pe__fast_two_sum(quadrant - whole, z, &low);
    pe__sincospi(x, &sine, &cosine);
    low = low * pe__splat(3.141592653589793);
    *s = pe__fma(low, cosine, sine) * pe__splat(factor);
    *c = pe__fnma(low, sine, cosine) * pe__splat(factor);
}
#endif

/* Writes A (1 + eta) times the sines and cosines at position t to `to`, for count pairs from pair
   on; t is in range of the double kernel. With PE_SLEEF, tables take them from SLEEF. Writes up to
   PE__SINCOS_PAIRS - 1 doubles more. */
PE__OUTLINE void pe__compute_centre(const pe_plan *plan, const pe__bound *bound, int table,
                                    double t, size_t pair, size_t count, pe__anchor to)
{
    const double factor = plan->amplitude * (1 + bound->eta);
    const size_t last = (count - 1) / PE_LANES * PE_LANES;
    pe__sincos_poly poly;
    const pe__sincos_args by = {plan, &poly, t};
    (void)table;
    pe__scale_sincos_poly(factor, 0, 1, &poly);
#if PE_SLEEF
    for (size_t i = 0; table && i < count; i += PE_LANES) {
        pe__vd sine, cosine;
        pe__sincos_sleef(plan, factor, pair + i, t, &sine, &cosine);
        pe__store(to.s + i, sine);
        pe__store(to.c + i, cosine);
    }
    if (table) return;
#endif
    for (size_t i = 0; i < count; i += PE__SINCOS_PAIRS)
        pe__sincos_store(&by, pair + i, pair + last, to.s + i, to.c + i);
}

/* pe__compute_centre() for a position that is far, with the eta of pe__bound_far. Sines and cosines
   come from double-double. If the error of double-double reaches 44 units of 2^-53, they come from
   round_element instead. */
PE__OUTLINE void pe__compute_centre_far(const pe_plan *plan, pe__element_rounder *round_element,
                                        double t, size_t pair, size_t count, pe__anchor to)
{
    const double up = 1 + pe__bound_far.eta, factor = plan->amplitude * up;
    const int fine = pe__sincos_error(plan, t) < 44 * pe__exp2i(-53);
    for (size_t i = 0; i < count; i += PE_LANES) {
        pe__dd s, c;
        pe__sincos_dd(plan, pair + i, t, &s, &c);
        pe__store(to.s + i, s.hi * pe__splat(factor));
        pe__store(to.c + i, c.hi * pe__splat(factor));
        for (size_t k = i; k < i + PE_LANES && !fine; k++) {
            to.s[k] = round_element(plan, t, pair + k, 0, 0, NULL) * up;
            to.c[k] = round_element(plan, t, pair + k, 1, 0, NULL) * up;
        }
    }
}

/* ==== src/rows/elements.h ==== */
/* Elements of 16 and 32 bits behind one kind: read, written, summed.
 * Gives: PE__FLOATS, pe__add_row_floats(), pe__add_row_as(), pe__at_const(), pe__at_element(),
 *   pe__get_as(), pe__get_n_as(), pe__put_as(), pe__put_n_as(), pe__put_two_as(), pe__put_zip_as(),
 *   pe__size_of(), pe__scaled_sum().
 * Needs: simd, numbers.
 * Tests: tests/unit/test_types.c. */

/* ---- 6.2 elements of 16 and 32 bits -------------------------------------------------------------
 * A kernel is written once for all three: PE__F32, PE__F16 or PE__BF16 is an argument, and a
 * constant wherever the kernel is inlined. */

enum { PE__FLOATS = 2 * PE_LANES };

PE__INLINE size_t pe__size_of(pe__type type)
{
    return type == PE__F32 ? sizeof(float) : sizeof(uint16_t);
}

/* The address of element i. */
PE__INLINE void *pe__at_element(pe__type type, void *p, size_t i)
{
    return (unsigned char *)p + i * pe__size_of(type);
}
PE__INLINE const void *pe__at_const(pe__type type, const void *p, size_t i)
{
    return (const unsigned char *)p + i * pe__size_of(type);
}

PE__INLINE pe__vf pe__get_as(pe__type type, const void *p)
{
    if (type == PE__F32) return pe__get((const float *)p);
    return type == PE__F16 ? pe__get_f16((const uint16_t *)p)
                              : pe__get_bf16((const uint16_t *)p);
}
PE__INLINE void pe__put_as(pe__type type, void *p, pe__vf v)
{
    if (type == PE__F32) pe__put((float *)p, v);
    else if (type == PE__F16) pe__put_f16((uint16_t *)p, v);
    else pe__put_bf16((uint16_t *)p, v);
}

/* Two vectors; what costs most for 16-bit types, a look at NaNs, is for both. */
PE__INLINE void pe__put_two_as(pe__type type, void *p, pe__vf u, void *q, pe__vf v)
{
    uint16_t *const g = (uint16_t *)p, *const h = (uint16_t *)q;
    if (type == PE__F32 || PE__UNLIKELY(pe__any_nan(u, v))) {
        pe__put_as(type, p, u);
        pe__put_as(type, q, v);
    } else {
        pe__put_h(g, type == PE__BF16 ? pe__round_bf16(u) : pe__round_f16(u));
        pe__put_h(h, type == PE__BF16 ? pe__round_bf16(v) : pe__round_f16(v));
    }
}

/* a0 b0 a1 b1 ... as 16-bit elements, where none is a NaN or the middle of two of them. */
PE__INLINE void pe__put_zip_as(pe__type type, void *p, pe__vf a, pe__vf b)
{
    if (type == PE__BF16) pe__put_zip_bf16((uint16_t *)p, a, b);
    else pe__put_zip_f16((uint16_t *)p, a, b);
}

/* The first n of a vector; what is not read is 0. */
PE__INLINE pe__vf pe__get_n_as(pe__type type, const void *p, size_t n)
{
    uint16_t h[PE__FLOATS] = {0};
    if (type == PE__F32) return pe__get_n((const float *)p, n);
    memcpy(h, p, n * sizeof *h);
    return pe__get_as(type, h);
}
PE__INLINE void pe__put_n_as(pe__type type, void *p, pe__vf v, size_t n)
{
    uint16_t all[PE__FLOATS];
    if (type != PE__F32) pe__put_as(type, all, v);
    if (type == PE__F32) pe__put_n((float *)p, v, n);
    else memcpy(p, all, n * sizeof *all);
}

/* x scale + row, in f32. A scale is 1 as a rule, and a branch costs less than products. */
PE__INLINE pe__vf pe__scaled_sum(pe__vf x, const float *scale, pe__vf row)
{
    if (scale && *scale != 1) x = pe__mul_f32(pe__splat_f32(*scale), x);
    return pe__add_f32(x, row);
}

/* x = scale x + row, n elements, each sum in f32 and rounded once to the type of x; NULL: 1. */
PE__INLINE void pe__add_row_as(pe__type type, void *x, pe__type row_type, const void *row, size_t n,
                               const float *scale)
{
    size_t i = 0;
    for (; i + 2 * PE__FLOATS <= n; i += 2 * PE__FLOATS) {
        void *at = pe__at_element(type, x, i), *next = pe__at_element(type, x, i + PE__FLOATS);
        const pe__vf v = pe__get_as(row_type, pe__at_const(row_type, row, i));
        const pe__vf w = pe__get_as(row_type, pe__at_const(row_type, row, i + PE__FLOATS));
        pe__put_two_as(type, at, pe__scaled_sum(pe__get_as(type, at), scale, v), next,
                       pe__scaled_sum(pe__get_as(type, next), scale, w));
    }
    for (size_t m; i < n; i += m) {
        void *at = pe__at_element(type, x, i);
        m = pe__min(n - i, PE__FLOATS);
        const pe__vf v = pe__get_n_as(row_type, pe__at_const(row_type, row, i), m);
        pe__put_n_as(type, at, pe__scaled_sum(pe__get_n_as(type, at, m), scale, v), m);
    }
}

/* The same for a row of floats. */
PE__OUTLINE void pe__add_row_floats(pe__type type, void *x, const float *row, size_t n)
{
    if (type == PE__F32) pe__add_row_as(PE__F32, x, PE__F32, row, n, NULL);
    else if (type == PE__F16) pe__add_row_as(PE__F16, x, PE__F32, row, n, NULL);
    else pe__add_row_as(PE__BF16, x, PE__F32, row, n, NULL);
}

/* ==== src/rows/output.h ==== */
/* Where the rows of an axis go, and how floats are added there.
 * Gives: PE__ADD, PE__CS, PE__STORE_PREFETCHED, PE__STORE, PE__MATRIX, PE__SC, PE__SPLIT,
 *   PE__STREAM, PE__REPEATED, pe__add_request_of(), pe__adder, pe__output, pe__output_split_with(),
 *   pe__output_of_axis(), pe__output_part(), pe__output_split(), pe__first_column(),
 *   pe__row_kernel, pe__component_order, pe__request, pe__request_of(), pe__pairs_of(),
 *   pe__row_adder, pe__row_address(), pe__choose_store_mode(), pe__store_mode.
 * Needs: simd, api, numbers, sincos.
 * Tests: tests/unit/test_splits.c. */

/* ---- 6.3 where rows go --------------------------------------------------------------------------
 * Which pairs of a plan a row has, where its elements lie, and what becomes of them. */

/* The order of a row's elements, and what is done with them: filled, filled and what comes next
   asked for (pe__prefetch_vectors()), streamed past the caches (pe__choose_store_mode()), added. Of
   RoPE's tables: all twice, and matrices c, -s, s, c. */
typedef enum pe__component_order { /* s c s c, c s c s, s s c c */
    PE__SC,
    PE__CS,
    PE__SPLIT,
    PE__REPEATED,
    PE__MATRIX
} pe__component_order;
typedef enum pe__store_mode { PE__STORE, PE__STORE_PREFETCHED, PE__STREAM, PE__ADD } pe__store_mode;

/* The destination of rows: columns of one axis. */
typedef struct pe__output {
    const pe_plan *plan;
    size_t pair, coordinate; /* the plan's pair of the first column; the axis' coordinate       */
    unsigned char *out;      /* the first row                                                   */
    ptrdiff_t stride;        /* bytes from row to row; < 0 where positions descend              */
    size_t element;          /* bytes of an element                                             */
    size_t sine, cosine;     /* columns of the first sine and the first cosine                  */
    size_t sines, cosines;   /* their number; they differ by one if the width is odd            */
    pe__component_order order;
    pe__store_mode mode;
    double scale;             /* adding: x = scale x + PE; a float, but for f64                   */
    size_t prefetch_distance; /* adding and PE__STORE_PREFETCHED: bytes to what is asked for, see
                                 pe__set_prefetch_distance() */
    size_t peeled;            /* pairs before the first aligned address, where rows are streamed  */
    size_t repeat_offset;     /* PE__REPEATED: elements from the one to the other                 */
    size_t padding_pairs;     /* the last pairs, which are any and need not be right              */
    pe__element_rounder *round_element; /* asked where double does not decide                     */
} pe__output;

/* count pairs from the given one on, sines and then cosines, in rows of nothing else. */
PE__INLINE pe__output pe__output_split_with(pe__element_rounder *round_element, const pe_plan *plan,
                                            size_t pair, size_t count, void *out, size_t element)
{
    pe__output output;
    output.plan = plan;
    output.pair = pair;
    output.coordinate = plan->axis[0].coordinate;
    output.out = (unsigned char *)out;
    output.stride = (ptrdiff_t)(2 * count * element);
    output.element = element;
    output.sine = 0;
    output.cosine = output.sines = output.cosines = count;
    output.order = PE__SPLIT;
    output.mode = PE__STORE;
    output.scale = 1;
    output.prefetch_distance = output.peeled = output.repeat_offset = output.padding_pairs = 0;
    output.round_element = round_element;
    return output;
}

PE__INLINE pe__output pe__output_split(const pe_plan *plan, size_t pair, size_t count, void *out,
                                       size_t element)
{
    return pe__output_split_with(pe__round_element_any, plan, pair, count, out, element);
}

/* The part of a row, of blocks, that belongs to count pairs from the given one of the row on. What
   is asked for ahead may be any address. */
PE__WRAPS PE__INLINE pe__output pe__output_part(const pe__output *output, size_t pair, size_t count)
{
    const size_t step = output->order == PE__SPLIT ? 1 : 2;
    pe__output part = *output;
    part.prefetch_distance = (size_t)PE__BLOCK_ROWS * (size_t)output->stride;
    part.pair += pair;
    part.sine += step * pair;
    part.cosine += step * pair;
    part.sines = pe__min(count, output->sines > pair ? output->sines - pair : 0);
    part.cosines = pe__min(count, output->cosines > pair ? output->cosines - pair : 0);
    if (pair + count < pe__max(output->sines, output->cosines)) part.padding_pairs = 0;
    return part;
}

PE__INLINE size_t pe__pairs_of(const pe__output *output)
{
    return pe__max(output->sines, output->cosines);
}

/* The address of row r, and the column of a row's first pair. */
PE__INLINE unsigned char *pe__row_address(const pe__output *output, size_t r)
{
    return output->out + (ptrdiff_t)r * output->stride;
}
PE__INLINE size_t pe__first_column(const pe__output *output)
{
    return output->order == PE__SPLIT ? output->sine : pe__min(output->sine, output->cosine);
}

/* How floats are added to elements of a type, to which each sum is rounded once: four vectors to
   where pe__store_four() puts them, and n floats of a row. A program that adds nothing has none. */
typedef void pe__row_adder(const pe__output *output, unsigned char *x, const void *row, size_t n);
typedef struct pe__adder {
    void (*four)(const pe__output *output, unsigned char *p, ptrdiff_t across, pe__vf v0, pe__vf v1,
                 pe__vf v2, pe__vf v3); /* each in a register; across: see pe__span */
    pe__row_adder *some;
} pe__adder;

/* What the functions of a type and a verb differ in: rows for the positions t, t + 1 ..., and zeros
   in n elements of a row from the given column on, where there is no pair, or for a padding row. */
typedef struct pe__row_kernel {
    void (*rows)(const pe__output *output, double t, size_t rows);
    void (*zeros)(const pe__output *output, unsigned char *row, size_t column, size_t n);
} pe__row_kernel;

/* A call's output: rows of stride elements at out. */
typedef struct pe__request {
    unsigned char *out;
    size_t element, columns, stride; /* bytes of an element; from row to row: elements, bytes */
    pe__store_mode mode;
    double scale; /* of adding */
    size_t rows;
    const pe__row_kernel *kernel;
} pe__request;

PE__WRAPS /* the stride, which is used only after pe__check_request() */
PE__INLINE pe__request pe__request_of(void *out, size_t element, size_t rows, size_t stride,
                                      const pe__row_kernel *kernel)
{
    const pe__request request = {
        (unsigned char *)out, element, stride, element * stride, PE__STORE, 1, rows, kernel};
    return request;
}
PE__INLINE pe__request pe__add_request_of(void *x, size_t element, size_t rows, size_t stride,
                                          double scale, const pe__row_kernel *kernel)
{
    pe__request request = pe__request_of(x, element, rows, stride, kernel);
    request.mode = PE__ADD;
    request.scale = scale;
    return request;
}

/* The columns of one axis of an output. */
PE__WRAPS /* what is asked for ahead: any address will do */
static inline pe__output pe__output_of_axis(const pe_plan *plan, const pe__axis *axis,
                                            const pe__request *request)
{
    pe__output output = pe__output_split(plan, axis->pair, 0, request->out, request->element);
    output.coordinate = axis->coordinate;
    output.stride = (ptrdiff_t)request->stride;
    output.sine = axis->sine;
    output.cosine = axis->cosine;
    output.sines = axis->sines;
    output.cosines = axis->cosines;
    if (plan->layout != PE_LAYOUT_HALVES) output.order = plan->cos_first ? PE__CS : PE__SC;
    output.mode = request->mode;
    output.scale = request->scale;
    output.prefetch_distance = pe__max(8192 / pe__max(request->stride, 1), 1) *
                               request->stride; /* see pe__prefetch_vectors() */
    return output;
}

/* Decide how to store so many rows. Large tables of floats (an eighth of PE_STREAM_BYTES, about a
   second-level cache) are asked for ahead, see pe__prefetch_vectors(). From PE_STREAM_BYTES on they
   are streamed: 16-bit elements always, others only if each row, and each half of it, comes to an
   aligned address by the same number of pairs. */
static inline void pe__choose_store_mode(const pe_plan *plan, pe__output *output, size_t rows)
{
    const size_t many = PE_STREAM_BYTES, vector = sizeof(pe__vf) / sizeof(float) * output->element;
    const size_t step = (output->order == PE__SPLIT ? 1 : 2) * output->element;
    const size_t front = pe__min(output->sine, output->cosine) * output->element;
    const size_t offset = ((uintptr_t)output->out + front) % vector;
    const size_t bytes = rows * plan->d_model * output->element;
    if (output->mode != PE__STORE || bytes < many / 8) return;
    if (output->element == sizeof(float)) output->mode = PE__STORE_PREFETCHED;
    if (bytes < many) return;
    if (output->element >= sizeof(float)) {
        if (offset % step || (size_t)output->stride % vector) return;
        if (output->order == PE__SPLIT &&
            ((pe__max(output->sine, output->cosine) * output->element - front) % vector ||
             output->sines != output->cosines))
            return;
        output->peeled = (vector - offset) % vector / step;
    }
    output->mode = PE__STREAM;
}

/* ==== src/rows/row_pair_f32.h ==== */
/* Two rows of floats at a time, rotated from what they share.
 * Gives: PE__NOT_ADDED, pe__add_row_pairs_bf16(), pe__add_row_pairs_f16(), pe__add_row_pairs_f32(),
 *   pe__add_some_bf16(), pe__add_some_f16(), pe__add_some_f32(), pe__adder_bf16, pe__adder_f16,
 *   pe__adder_f32, pe__confirm_flag(), pe__store_origin(), pe__row_pair_kernel, pe__rotate(),
 *   pe__rotated, pe__round_flagged(), pe__row_pair, pe__store_row_of_pair(), pe__span,
 *   pe__span_begin(), pe__store_four(), pe__store_row_pairs(), pe__store_some().
 * Needs: simd, api, numbers, sincos.
 * Tests: tests/unit/test_exact.c. */

/* ---- 6.4 two rows of floats ---------------------------------------------------------------------
 * Two rows at a time, as far before their anchor as after it, come from products that they share.
 * What fails the rounding test is rounded again from its interval. */

/* Two rows, [0] rotated forth, [1] back; NULL: not wanted. */
typedef struct pe__row_pair {
    unsigned char *row[2];
    double position[2];
} pe__row_pair;

/* Columns of two rows, or of one of them. (a, b) is (sine, cosine), or (cosine, sine) where cosines
   come first: what rotates (s, c) forth rotates (c, s) back, so these are the same but for which
   row is which. What is constant for a tile comes from pe__span_begin(), the rest from block to
   block and from row to row. */
typedef struct pe__span {
    const pe__output *output;
    const pe_plan *plan;
    const pe__bound *bound;
    const pe__adder *adder; /* NULL: floats are stored                                          */
    const double *a, *b;    /* the anchor's columns                                             */
    const double *ts, *tc;  /* the plan's row that rotates it; NULL: the anchor's own row       */
    pe__row_pair at;        /* where the rows' first columns go                                 */
    ptrdiff_t across;       /* bytes from there to the first cosine, if split                   */
    size_t pair;            /* the plan's pair of column 0                                      */
    size_t first, second;   /* columns of a and b                                               */
    size_t begin, end;      /* pairs wanted                                                     */
    size_t slow;            /* from that pair on angles are so small that all may be judged     */
    int32_t slow_guard;     /* bits of the smallest float of these: a normal one                */
    size_t peeled;          /* pairs before the first aligned address where floats stream       */
    pe__store_mode mode;
    float scale;                 /* adding                                                        */
    size_t prefetch_distance[2]; /* bytes from a row to what is asked for                         */
    int split, swapped;
} pe__span;

PE__WRAPS /* what is asked for ahead: any address will do */
PE__INLINE void pe__span_begin(pe__span *x, const pe__output *output, const pe__bound *bound,
                               const pe__adder *adder)
{
    x->output = output;
    x->plan = output->plan;
    x->bound = bound;
    x->adder = adder;
    x->pair = output->pair;
    x->split = output->order == PE__SPLIT;
    x->swapped = output->order == PE__CS;
    x->first = x->swapped ? output->cosines : output->sines;
    x->second = x->swapped ? output->sines : output->cosines;
    x->begin = 0;
    x->end = pe__pairs_of(output);
    x->across = ((ptrdiff_t)output->cosine - (ptrdiff_t)output->sine) * (ptrdiff_t)output->element;
    x->peeled = output->mode == PE__STREAM ? output->peeled : 0;
    x->mode = output->mode;
    x->scale = (float)output->scale;
    x->prefetch_distance[0] = output->prefetch_distance;
    x->slow = SIZE_MAX;
}

/* (a, b) rotated by (ts, tc), [0] forth and [1] back. */
typedef struct pe__rotated {
    pe__vd a[2], b[2];
} pe__rotated;
PE__INLINE pe__rotated pe__rotate(pe__vd a, pe__vd b, pe__vd ts, pe__vd tc)
{
    const pe__vd aC = a * tc, bC = b * tc;
    pe__rotated r;
    r.a[0] = pe__fma(b, ts, aC);
    r.b[0] = pe__fnma(a, ts, bC);
    r.a[1] = pe__fnma(b, ts, aC);
    r.b[1] = pe__fma(a, ts, bC);
    return r;
}

/* The pairs at i of a span; if only one row is wanted, it is as if forth. */
PE__INLINE pe__rotated pe__rotate_at(const pe__span *x, size_t i, int two)
{
    if (!two && !x->ts) {
        pe__rotated r;
        r.a[0] = r.a[1] = pe__load(x->a + i);
        r.b[0] = r.b[1] = pe__load(x->b + i);
        return r;
    }
    pe__vd ts = pe__load(x->ts + i);
    if (!two) ts = ts * pe__splat(x->at.row[0] ? 1.0 : -1.0);
    return pe__rotate(pe__load(x->a + i), pe__load(x->b + i), ts, pe__load(x->tc + i));
}

/* Two vectors of doubles as floats, which follow each other if they are split. */
PE__INLINE pe__vf pe__round_two(pe__vd a, pe__vd b, int split)
{
    return split ? pe__join(a, b) : pe__zip(a, b);
}

/* From y' = y (1 + eta) to y, whose interval is y - e ... y + e: round y + e; set a bit of doubt
   where y - e does not give the same float. */
PE__INLINE pe__vf pe__ziv_round(const pe__span *x, pe__vd a, pe__vd b, int split,
                                unsigned *undecided)
{
    const double eta = x->bound->eta;
    const pe__vd deflate = pe__splat(1 - eta + eta * eta);
    const pe__vd e = pe__splat(x->bound->error * fabs(x->plan->amplitude));
    a = a * deflate;
    b = b * deflate;
    const pe__vf above = pe__round_two(a + e, b + e, split);
    *undecided = pe__differ(above, pe__round_two(a - e, b - e, split));
    return above;
}

/* Elements of a vector in doubt, exactly: of the pairs from k on, their components zipped, or, if
   split, their first ones or their second ones. Lanes behind the last pair repeat it with its
   doubts, which are ignored, since nothing of these lanes is stored. */
PE__COLD pe__vf pe__round_lanes(const pe__span *x, int side, size_t k, int split, int second,
                                unsigned undecided, pe__vf v)
{
    float all[PE__FLOATS];
    pe__put(all, v);
    for (; undecided; undecided &= undecided - 1) {
        const size_t j = pe__lowest_bit(undecided), component = split ? (size_t)second : j % 2;
        const size_t pair = k + (split ? j : j / 2);
        if (pair < (component ? x->second : x->first))
            all[j] =
                (float)x->output->round_element(x->plan, x->at.position[side], x->pair + pair,
                                                (int)component ^ x->swapped, PE__DROP_F32, NULL);
    }
    return pe__get(all);
}

/* Two vectors of pairs of a row, from k on, by their intervals: y is a, b of the first and a, b of
   the second. To v[0] and v[1] as they lie in memory, or, if split, one of sines and one of
   cosines. */
PE__INLINE void pe__ziv_round_two(const pe__span *x, int side, size_t k, const pe__vd *y,
                                  pe__vf *v)
{
    const int split = x->split;
    unsigned undecided, undecided_2;
    v[0] = pe__ziv_round(x, y[0], split ? y[2] : y[1], split, &undecided);
    v[1] = pe__ziv_round(x, split ? y[1] : y[2], y[3], split, &undecided_2);
    if (PE__UNLIKELY(undecided | undecided_2)) {
        v[0] = pe__round_lanes(x, side, k, split, 0, undecided, v[0]);
        v[1] = pe__round_lanes(x, side, split ? k : k + PE_LANES, split, 1, undecided_2, v[1]);
    }
}

/* Four vectors of pairs from i on, for which the watch has raised the alarm: v[0] and v[1] of both
   rows, or v[0] of the one that is wanted. All of them: to find out which one raised it takes
   longer. */
PE__OUTLINE void pe__round_flagged(const pe__span *x, size_t i, int two, pe__floats4 *v)
{
    const int first = !two && !x->at.row[0];
    for (size_t n = 0; n < 4; n += 2, i += 2 * PE_LANES) {
        const pe__rotated r = pe__rotate_at(x, i, two), s = pe__rotate_at(x, i + PE_LANES, two);
        const pe__vd plus[4] = {r.a[0], r.b[0], s.a[0], s.b[0]};
        const pe__vd minus[4] = {r.a[1], r.b[1], s.a[1], s.b[1]};
        pe__ziv_round_two(x, first, i, plus, v[0].v + n);
        if (two) pe__ziv_round_two(x, 1, i, minus, v[1].v + n);
    }
}

/* After an alarm: the same with another guard. AVX2's watch knows no sizes from 2 on: floats do. */
PE__INLINE int pe__confirm_flag(pe__rounding_test w, int32_t window, int32_t guard,
                                const pe__floats4 *plus, const pe__floats4 *minus)
{
    const pe__vf *const f = plus->v, *const b = minus->v;
#if PE_ISA == PE_ISA_AVX2
    const pe__vf f4 = pe__min_size(pe__min_size(f[0], f[1]), pe__min_size(f[2], f[3]));
    const pe__vf b4 = pe__min_size(pe__min_size(b[0], b[1]), pe__min_size(b[2], b[3]));
    const unsigned flagged = pe__signs(w.low < INT32_MIN + (window << PE__TO_TOP)) & 0x55;
    return (flagged | pe__signs((pe__vi)pe__min_size(f4, b4) < guard)) != 0;
#else
    (void)f;
    (void)b;
    return pe__rounding_test_flagged(w, window, guard);
#endif
}

/* Two vectors of pairs of row `side` as floats, watched: as they follow each other in memory, or,
   if split, one of sines and one of cosines. */
PE__INLINE void pe__round_tested(const pe__rotated *r, const pe__rotated *s, int side, int split,
                                 pe__rounding_test *test, pe__vf *v)
{
    const pe__vd second = split ? s->a[side] : r->b[side], third = split ? r->b[side] : s->a[side];
    v[0] = pe__round_two(r->a[side], second, split);
    pe__rounding_test_add(test, r->a[side], second, v[0]);
    v[1] = pe__round_two(third, s->b[side], split);
    pe__rounding_test_add(test, third, s->b[side], v[1]);
}

/* Rotate the two vectors of pairs at i, round, watch. */
PE__INLINE void pe__rotate_two(const pe__span *x, size_t i, int two, int split,
                               pe__rounding_test *test, pe__vf *plus, pe__vf *minus)
{
    const pe__rotated r = pe__rotate_at(x, i, two), s = pe__rotate_at(x, i + PE_LANES, two);
    pe__round_tested(&r, &s, 0, split, test, plus);
    if (two) pe__round_tested(&r, &s, 1, split, test, minus);
}

/* Ask for four vectors, each line once: row after row forth and back is more than the hardware's
   prefetchers follow. What is filled is asked for, too, where the second-level cache cannot hold
   it. */
PE__WRAPS /* the addresses asked for: any will do */
PE__INLINE void pe__prefetch_vectors(const unsigned char *p, ptrdiff_t at1, ptrdiff_t at2,
                                     size_t vector, size_t prefetch_distance)
{
    const unsigned char *const p1 = p + at1, *const p2 = p + at2, *const p3 = p1 + at2;
    const int split = at2 == (ptrdiff_t)vector, line = vector >= 64;
    PE__PREFETCH((uintptr_t)p + prefetch_distance);
    if (line || split) PE__PREFETCH((uintptr_t)p1 + prefetch_distance);
    if (line || (vector == 32 && !split)) PE__PREFETCH((uintptr_t)p2 + prefetch_distance);
    if (line) PE__PREFETCH((uintptr_t)p3 + prefetch_distance);
}

/* Add four vectors of floats to elements of a type, see pe__store_four(). */
PE__INLINE void pe__add_four(pe__type type, float scale, size_t prefetch_distance, int split,
                             unsigned char *p, ptrdiff_t across, const pe__floats4 *x)
{
    const ptrdiff_t vector = (ptrdiff_t)(2 * PE_LANES * pe__size_of(type));
    const ptrdiff_t at1 = split ? across : vector, at2 = split ? vector : 2 * vector;
    unsigned char *const p1 = p + at1, *const p2 = p + at2, *const p3 = p1 + at2;
    const pe__vf *const v = x->v;
    pe__prefetch_vectors(p, at1, at2, (size_t)vector, prefetch_distance);
    const pe__vf s0 = pe__scaled_sum(pe__get_as(type, p), &scale, v[0]);
    const pe__vf s1 = pe__scaled_sum(pe__get_as(type, p1), &scale, v[1]);
    const pe__vf s2 = pe__scaled_sum(pe__get_as(type, p2), &scale, v[2]);
    const pe__vf s3 = pe__scaled_sum(pe__get_as(type, p3), &scale, v[3]);
    pe__put_two_as(type, p, s0, p1, s1); /* then the scale is looked at once */
    pe__put_two_as(type, p2, s2, p3, s3);
}

/* Four vectors to where they belong. Where two rows are added, the type is a constant in the
   kernel; the adder of a single row knows it, and is called. */
typedef enum pe__sum {
    PE__NOT_ADDED = -1,
    PE__SUM_F32 = PE__F32,
    PE__SUM_F16 = PE__F16,
    PE__SUM_BF16 = PE__BF16
} pe__sum;
PE__INLINE void pe__store_four(const pe__span *x, pe__sum sum, int two, int split, int side,
                               unsigned char *p, const pe__floats4 *four)
{
    const pe__vf *const v = four->v;
    const ptrdiff_t vector = (ptrdiff_t)(2 * PE_LANES * sizeof(float));
    const ptrdiff_t at1 = split ? x->across : vector, at2 = split ? vector : 2 * vector;
    float *const p0 = (float *)(void *)p, *const p1 = (float *)(void *)(p + at1);
    float *const p2 = (float *)(void *)(p + at2), *const p3 = (float *)(void *)(p + at1 + at2);
    if (sum != PE__NOT_ADDED) {
        pe__add_four((pe__type)sum, x->scale, x->prefetch_distance[side], split, p, x->across,
                     four);
    } else if (PE__UNLIKELY(x->mode == PE__STREAM)) {
        pe__stream(p0, v[0]);
        pe__stream(p1, v[1]);
        pe__stream(p2, v[2]);
        pe__stream(p3, v[3]);
    } else if (two || x->mode != PE__ADD) {
        if (PE__UNLIKELY(x->mode != PE__STORE))
            pe__prefetch_vectors(p, at1, at2, (size_t)vector, x->prefetch_distance[side]);
        pe__put(p0, v[0]);
        pe__put(p1, v[1]);
        pe__put(p2, v[2]);
        pe__put(p3, v[3]);
    } else {
        x->adder->four(x->output, p, x->across, v[0], v[1], v[2], v[3]);
    }
}

/* n floats; for a vector, or half of one, memcpy() is no call. */
PE__INLINE void pe__store_some(const pe__span *x, unsigned char *p, const float *v, size_t n)
{
    if (x->adder) x->adder->some(x->output, p, v, n);
    else if (n == PE_LANES) memcpy(p, v, PE_LANES * sizeof *v);
    else if (n == 2 * PE_LANES) memcpy(p, v, 2 * PE_LANES * sizeof *v);
    else memcpy(p, v, n * sizeof *v);
}

/* Position 0, where all sines are 0 and would raise the alarm. */
PE__COLD void pe__store_origin(const pe__span *x, int side, pe__type type)
{
    enum { PE__SUMS = 16 };
    const size_t element = x->output->element;
    const double amplitude = x->plan->amplitude;
    const float sine = (float)(0 * amplitude);
    const float cosine = pe__round_once(amplitude, 0, 1, pe__dropped_bits(type));
    for (int component = 0; component <= x->split; component++) {
        unsigned char *const p = x->at.row[side] + (component ? x->across : 0);
        const size_t n = !x->split ? x->first + x->second : component ? x->second : x->first;
        float all[PE__SUMS];
        for (int j = 0; j < PE__SUMS; j++)
            all[j] = (x->split ? component : j % 2) == x->swapped ? sine : cosine;
        for (size_t i = 0, m; i < n; i += m) {
            m = pe__min(n - i, type == PE__F32 ? (size_t)PE__SUMS : (size_t)PE__FLOATS);
            if (type == PE__F32) pe__store_some(x, p + i * element, all, m);
            else pe__put_n_as(type, p + i * element, pe__get(all), m);
        }
    }
}

/* The first pairs of the vector at i: so many first and second components. Out of line: it is for
   the ends of a row only, and its arrays must not be in the frame of the loop. */
PE__OUTLINE void pe__store_partial(const pe__span *x, size_t i, size_t first, size_t second)
{
    const int two = x->ts != NULL; /* both, even if one is wanted */
    const pe__rotated r = pe__rotate_at(x, i, two);
    const int32_t guard = i < x->slow ? x->plan->guard : x->slow_guard;
    const size_t e = x->output->element;
    pe__rounding_test test = pe__rounding_test_begin();
    pe__vf v[2];
    for (int side = 0; side < 2; side++) {
        v[side] = pe__round_two(r.a[side], r.b[side], x->split);
        if (x->at.row[side]) pe__rounding_test_add(&test, r.a[side], r.b[side], v[side]);
    }
    const int flagged = pe__rounding_test_flagged(test, x->bound->window, guard);
    for (int side = 0; side < 2; side++) {
        unsigned char *const p = x->at.row[side];
        float all[2 * PE_LANES], interleaved[2 * PE_LANES];
        if (!p) continue;
        pe__put(all, v[side]);
        if (PE__UNLIKELY(flagged)) {
            unsigned undecided;
            const pe__vf w = pe__ziv_round(x, r.a[side], r.b[side], 0, &undecided);
            pe__put(interleaved, pe__round_lanes(x, side, i, 0, 0, undecided, w));
            for (size_t k = 0; k < 2 * PE_LANES; k++)
                all[x->split ? k % 2 * PE_LANES + k / 2 : k] = interleaved[k];
        }
        if (x->split) {
            pe__store_some(x, p + i * e, all, first);
            pe__store_some(x, p + x->across + (ptrdiff_t)(i * e), all + PE_LANES,
                           pe__min(second, PE_LANES)); /* it is: so that compilers know */
        } else {
            pe__store_some(x, p + 2 * i * e, all, first + second);
        }
    }
}

/* All columns of a span's row, or n times of its two rows and the next two: up to an aligned
   address, then four vectors with one look at the watch, then the rest. What the hot loop reads is
   copied into locals, so that it stays in registers: the compiler knows that no store changes them.
   */
PE__INLINE void pe__rotate_span_f32(pe__span *span, int64_t n, int two, int split, pe__sum sum)
{
    const int32_t window = span->bound->window, guard = span->plan->guard;
    pe__span hot = *span;
    const pe__span *const x = &hot;
    const size_t element = two && sum == PE__NOT_ADDED ? sizeof(float) : x->output->element;
    const size_t step = (split ? 1 : 2) * element, end = span->end;
    const size_t whole = pe__min(span->first, span->second), fours = pe__min(whole, end);
    const size_t peeled = pe__min(span->peeled, whole), padded = span->plan->padded;
    const ptrdiff_t stride = span->swapped ? -x->output->stride : x->output->stride;
    unsigned char *plus = span->at.row[!two && !x->at.row[0]], *minus = span->at.row[1];
    for (;;) {
        size_t i = span->begin;
        for (size_t some; i < peeled; i += some) {
            some = pe__min(peeled - i, PE_LANES);
            pe__store_partial(span, i, some, some);
        }
        for (; i + 4 * PE_LANES <= fours; i += 4 * PE_LANES) {
            pe__rounding_test test = pe__rounding_test_begin();
            pe__floats4 f, b;
            pe__rotate_two(x, i, two, split, &test, f.v, b.v);
            pe__rotate_two(x, i + 2 * PE_LANES, two, split, &test, f.v + 2, b.v + 2);
            if (PE__UNLIKELY(pe__rounding_test_flagged(test, window, guard)) &&
                pe__confirm_flag(test, window, i < span->slow ? guard : span->slow_guard, &f,
                                 two ? &b : &f)) {
                pe__floats4 rounded[2];
                pe__round_flagged(span, i, two, rounded);
                f = rounded[0];
                if (two) b = rounded[1];
            }
            pe__store_four(x, sum, two, split, 0, plus + i * step, &f);
            if (two) pe__store_four(x, sum, two, split, 1, minus + i * step, &b);
        }
        for (; i < end; i += PE_LANES)
            pe__store_partial(span, i, i < span->first ? pe__min(span->first - i, PE_LANES) : 0,
                              i < span->second ? pe__min(span->second - i, PE_LANES) : 0);
        if (!two || --n <= 0) return;
        const double sign = span->swapped ? -1 : 1;
        span->at.row[0] += stride;
        span->at.row[1] -= stride;
        span->at.position[0] += sign;
        span->at.position[1] -= sign;
        span->ts += 2 * padded;
        span->tc += 2 * padded;
        plus += stride;
        minus -= stride;
        hot.ts += 2 * padded;
        hot.tc += 2 * padded;
    }
}

/* The kernels: n times two rows and the next two, stored or added; and a single row. */
typedef void pe__row_pair_kernel(pe__span *x, int64_t n);
PE__INLINE void pe__rotate_row_pairs(pe__span *x, int64_t n, pe__sum sum)
{
    if (x->split) pe__rotate_span_f32(x, n, 1, 1, sum);
    else pe__rotate_span_f32(x, n, 1, 0, sum);
}
PE__OUTLINE void pe__store_row_pairs(pe__span *x, int64_t n)
{
    pe__rotate_row_pairs(x, n, PE__NOT_ADDED);
}
PE__OUTLINE void pe__store_row_of_pair(pe__span *x)
{
    pe__rotate_span_f32(x, 1, 0, x->split, PE__NOT_ADDED);
}

/* x = scale x + row, n elements, each sum in f32 and rounded once to the type of x; asked for ahead
   as in pe__store_four(). */
PE__WRAPS
PE__INLINE void pe__add_some(pe__type type, const pe__output *output, void *x, const float *row,
                             size_t n)
{
    for (size_t i = 0; i < n * output->element; i += 64)
        PE__PREFETCH((uintptr_t)x + output->prefetch_distance + i);
    const float scale = (float)output->scale;
    pe__add_row_as(type, x, PE__F32, row, n, &scale);
}

/* Of a single row: what pe__store_four() does where two rows are added. */
PE__INLINE void pe__add_four_to(pe__type type, const pe__output *output, unsigned char *p,
                                ptrdiff_t across, const pe__floats4 *v)
{
    pe__add_four(type, (float)output->scale, output->prefetch_distance, output->order == PE__SPLIT,
                 p, across, v);
}

#define PE__ADDER(T, type)                                                                         \
    PE__OUTLINE void pe__add_row_pairs_##T(pe__span *x, int64_t n)                                 \
    {                                                                                              \
        pe__rotate_row_pairs(x, n, (pe__sum)type);                                                 \
    }                                                                                              \
    PE__OUTLINE void pe__add_four_##T(const pe__output *output, unsigned char *p,                  \
                                      ptrdiff_t across, pe__vf v0, pe__vf v1, pe__vf v2,           \
                                      pe__vf v3)                                                   \
    {                                                                                              \
        const pe__floats4 v = {{v0, v1, v2, v3}};                                                  \
        pe__add_four_to(type, output, p, across, &v);                                              \
    }                                                                                              \
    PE__OUTLINE void pe__add_some_##T(const pe__output *output, unsigned char *x, const void *row, \
                                      size_t n)                                                    \
    {                                                                                              \
        pe__add_some(type, output, x, (const float *)row, n);                                      \
    }                                                                                              \
    static const pe__adder pe__adder_##T = {pe__add_four_##T, pe__add_some_##T};
PE__ADDER(f32, PE__F32)
PE__ADDER(f16, PE__F16)
PE__ADDER(bf16, PE__BF16)
#undef PE__ADDER

/* ==== src/rows/row_pair_16.h ==== */
/* Two rows of 16-bit elements at a time.
 * Gives: PE__MAX_FLAGGED, PE__GROUP, PE__TILE_16, pe__add_row_pair_16(), pe__flagged_group,
 *   pe__thresholds_16(), pe__flush_flagged_16(), pe__group, pe__base_error_16(),
 *   pe__store_row_pair_16(), pe__rotation_row(), pe__round_flagged_16(), pe__scratch_16,
 *   pe__scratch_begin(), pe__store_group(), pe__to_groups().
 * Needs: simd, api, numbers, sincos.
 * Tests: tests/unit/test_types.c, tests/unit/test_conventions.c. */

/* ---- 6.5 two rows of 16 bits --------------------------------------------------------------------
 * The same in floats, twice as many in a vector.
 *
 * In units of u = 2^-24 and for an amplitude in (1/2, 1], to which any other is scaled, an element
 * that comes from floats has an error of at most
 *     0.71  the anchor's sine and cosine, rounded to float: half a unit each, as a vector
 *     0.71  the plan's row, likewise
 *     0.5   one product; without FMA two, 1.0
 *     0.5   the sum
 *     0.01  of what the doubles were, their factor 1 + eta among it: below 2^-36
 * together 2.43, and 2.93 without FMA. Small elements of small angles have less. Relative to |aC|
 * and |bS| each of these is at most 1 for a C + b S, so together at most 4 (|a| + |S|), and the
 * doubles' 2^-48; |S| is at most the angle of the last row, 8 w.
 *
 * An element is right where no midpoint of two 16-bit numbers is as near as its error. The nearest
 * one is the element with other last bits, so the distance to it is exact. But just above a power
 * of two there is another below, half as far away as the one above, and only the one above is
 * looked at. Therefore:
 *     Small elements of small angles raise the alarm up to 2.5 times their bound from it.
 *     Others raise it up to 2.5 units from it. Distances from a power of two to its midpoints are
 * powers of two themselves. If the one above is at 2 units or nearer, there is an alarm; if it is
 * at 8, the one below is at 4, and that is enough. This leaves 4 above and 2 below. Such an element
 * is just above 2^-14 (bf16) or 2^-11 (f16), so aC and bS nearly cancel, and |aC| + |bS| <= 1:
 * neither is much above 1/2, and one is not above it. One product then lacks at most 0.5, the other
 * 0.25, and the sum next to nothing. With FMA one product is rounded: 0.71 + 0.71 + 0.5 + 0.01 is
 * below 2.
 *     Without FMA elements raise the alarm up to 4 units: of others the midpoint below is at 4 or
 * more.
 *     f16's subnormals have other midpoints. Below 2^-14 the distance is always below 2^-25; f16's
 * bounds have 2^-25 more, so all of these raise the alarm.
 *     Zeros of floats may have the wrong sign. They are 2^-134, half of bf16's least number, from
 * their midpoint, and the bounds have 2^-46 A: more than that for A >= 2^-87. With a smaller A, and
 * above 2^90, all elements raise the alarm.
 * For wide angles some 3 bf16 elements in 10,000 do, and 20 f16 ones. They are computed again from
 * doubles, one by one.
 *
 * Where bf16 are added to, the result has to be s = z + p rounded to float, then to bf16: z = scale
 * x rounded to float, p the element rounded to float. Here it is s' = z + p', rounded, where p'
 * comes from floats. p' is as far from the exact element as above, and p half a unit, or 1 of |a| +
 * |S|: they differ by d, at most 2.93, 3.43 without FMA, and for small elements 5 (|a| + |S|). Let
 * s' be farther than d + 2^-23 |s'| from each midpoint. A last bit of s' is at most 2^-23 |s'|. z +
 * p' is at most half of one away from s', and z + p is d farther, so half of one is left: z + p is
 * on the same side of the midpoint as s', and rounding it to float does not reach the midpoint. So
 * s and s' become the same bf16.
 *     Just above a power of two, 2.5 times the bound of small elements is more than 2 d. Others
 * raise the alarm up to 4 units: where they do not, the midpoint above is at 8 or more, and the one
 * below at 4.
 *     NaNs and infinities are at no distance, so they raise the alarm. The last bit of a subnormal
 * is nothing to 2^-46 of any amplitude. Groups that raise the alarm are added to from doubles. So
 * are all f16: one in 8 groups of these would raise it, and more time lost than won. */

/* Pairs. What a tile of 128 has in floats takes 11 KB, a third of a first-level cache of 32 KB. */
enum { PE__TILE_16 = 128, PE__GROUP = 4 * PE_LANES };
enum { PE__SPANS_IN_DOUBLES = 64 }; /* spans from doubles before floats are tried again:
                                       pe__add_row_pair_16() */

/* Where elements raised the alarm: the group from pair i on in row side of the rows that distance
   from the anchor; lanes, first those of the first components, then those of the second ones. A
   span has a few alarms at most, as a rule: a block collects those of its spans. */
typedef struct pe__flagged_group {
    uint32_t index, lanes; /* index: 2 (PE__TILE_16 distance + i) + side */
} pe__flagged_group;
/* A block settles its alarms when they are more than PE__MAX_FLAGGED, after a span; so there is
   room for those of one more span, all its groups in both rows, and one that pe__flag_group()
   writes in vain. */
enum { PE__MAX_FLAGGED = 64, PE__MAX_FLAGGED_SPAN = 2 * (int)PE__TILE_16 / (int)PE__GROUP };

/* What a tile has in floats: the anchor and the rows of the plan, each converted when first needed.
   A group of pairs is two vectors of each: of its first half and its second, or, if split, of its
   even and its odd pairs, since a vector of elements comes from two that are zipped. Of their
   distances from midpoints the lesser one in each lane is looked at: what raises the alarm is as
   long as one vector for a group, and so is the greater of the angles. */
typedef struct pe__scratch_16 {
    float a[PE__TILE_16], b[PE__TILE_16], plan_row[PE__BLOCK_HALF + 1][2][PE__TILE_16];
    float angle[PE__TILE_16 / 2], bound_a[PE__TILE_16 / 2], bound_b[PE__TILE_16 / 2];
    float error, least;   /* of what raises it */
    unsigned made;        /* bit b: row b is there */
    int excess;           /* adding: alarms of late, less a fifth of all groups */
    int spans_in_doubles; /* adding: so many spans still come from doubles */
    size_t flagged_count;
    pe__flagged_group flagged[PE__MAX_FLAGGED + PE__MAX_FLAGGED_SPAN + 1];
    pe__row_pair at[PE__BLOCK_HALF + 1];
} pe__scratch_16;

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
PE__INLINE pe__vf pe__group_magnitude(const float *x, size_t i)
{
    return pe__add_f32(pe__abs_f32(pe__get(x + i)), pe__abs_f32(pe__get(x + i + PE__FLOATS)));
}

/* What raises the alarm. */
PE__OUTLINE void pe__thresholds_16(const pe__scratch_16 *f, const float *x, size_t count,
                                   float *errors)
{
    const pe__vf error = pe__splat_f32(f->error), least = pe__splat_f32(f->least);
    const pe__vf by = pe__splat_f32(10.25f / 16777216); /* 2.5 (4 + 0.1) units */
    for (size_t i = 0; i < count; i += PE__GROUP) {
        const pe__vf sum = pe__add_f32(pe__group_magnitude(x, i), pe__get(f->angle + i / 2));
        pe__put(errors + i / 2, pe__min_f32(error, pe__mad_f32(sum, by, least)));
    }
}

/* What is added to an element's error for what the doubles lack, and for f16's subnormals. */
PE__INLINE float pe__base_error_16(const pe_plan *plan, pe__type type)
{
    const double size = pe__max_abs(plan->amplitude, 0);
    if (size < pe__exp2i(-87) || size > pe__exp2i(90)) return FLT_MAX; /* all are alarmed */
    return (float)(size * pe__exp2i(-46) + (type == PE__F16 ? pe__exp2i(-25) : 0));
}

/* Floats for a tile of columns. */
PE__OUTLINE void pe__scratch_begin(pe__scratch_16 *f, const pe__output *output, pe__type type,
                                   int added)
{
    const pe_plan *const plan = output->plan;
    const size_t count = pe__pairs_of(output);
    const double of_1 = (added || !PE__FUSES ? 4.0 : 2.5) / 16777216; /* the proof's units */
    const double size = fabs(plan->amplitude);
    /* the power of two of which |A| is in (1/2, 1] */
    const double power = size > plan->scale / 2 ? plan->scale : plan->scale / 2;
    const float least = pe__base_error_16(plan, type), error = (float)(power * of_1);
    const int unsafe = least == FLT_MAX;
    /* the angle of row 8, 8 pi f; 3.1415927 is above pi */
    const pe__vf by =
        pe__splat_f32(unsafe ? 0.0f : (float)((double)PE__BLOCK_HALF * 3.1415927 * size));
    f->error = unsafe || error < least ? least : error;
    f->least = least;
    f->made = 0;
    f->flagged_count = 0;
    f->excess = f->spans_in_doubles = 0;
    pe__to_groups(plan->frequency + output->pair, count, output->order == PE__SPLIT, f->a);
    for (size_t i = 0; i < count; i += PE__GROUP)
        pe__put(f->angle + i / 2, pe__mul_f32(pe__group_magnitude(f->a, i), by));
}

/* How far a double is from the middle of the two numbers with so many fewer bits next to it. */
PE__INLINE double pe__double_midpoint_distance(double y, int drop)
{
    uint64_t bits;
    double midpoint;
    memcpy(&bits, &y, sizeof bits);
    bits = ((bits >> drop) << drop) | (uint64_t)1 << (drop - 1);
    memcpy(&midpoint, &bits, sizeof midpoint);
    return y - midpoint;
}

/* Rounded to bf16 or f16, by way of a float rounded to odd; no less than a normal float. */
PE__INLINE uint16_t pe__to_16(pe__type type, double y)
{
    const float odd = (float)pe__odd24_one(y);
    if (type == PE__F16) return pe__one_to_f16(odd);
    const uint32_t word = (uint32_t)pe__float_bits(odd);
    return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

/* An element from a double y with an error of at most e. */
PE__COLD uint16_t pe__round_element_16(const pe__span *x, double t, size_t component, size_t k,
                                       double y, double e, pe__type type)
{
    const uint16_t h = pe__to_16(type, y + e);
    /* |y| > 2^-120: pe__to_16() knows no subnormal floats */
    if (h == pe__to_16(type, y - e) && y * y > pe__exp2i(-240)) return h;
    return pe__to_16(type,
                     x->output->round_element(x->plan, t, x->pair + k, (int)component ^ x->swapped,
                                              pe__dropped_bits(type), NULL));
}

/* Compute these elements from doubles; at: rows by their distance from the anchor. Far from a
   midpoint, which is a double with other last bits, and from f16's subnormals, below 2^-14, they
   are certain. Squares spare two absolute values; that of 1.4 e is sure in spite of its rounding,
   and if both vanish, the element is not sure. */
PE__OUTLINE void pe__round_flagged_16(const pe__span *x, const pe__row_pair *at,
                                      const pe__flagged_group *flagged, size_t count, pe__type type)
{
    const double *const part[3] = {x->a, x->b, x->a};
    const double eta = x->bound->eta, deflate = 1 - eta + eta * eta;
    /* pe__ziv_round() has one rounding less */
    const double e = 1.125 * x->bound->error * fabs(x->plan->amplitude);
    const double sign[3] = {deflate, -deflate, deflate}, sure = 2 * e * e;
    const ptrdiff_t across = x->split ? x->across : 2, step = x->split ? 2 : 4;
    const size_t next = x->split ? 2 : 1, half = x->split ? 1 : PE__FLOATS;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2, i = flagged->index / 2 % PE__TILE_16;
        const size_t distance = flagged->index / (2 * PE__TILE_16);
        const double *const row =
            distance ? pe__rotation_row(x->plan, 0, (int64_t)distance) + x->pair : NULL;
        for (uint32_t lanes = flagged->lanes; lanes; lanes &= lanes - 1) {
            const size_t bit = pe__lowest_bit(lanes), component = bit / PE__FLOATS;
            for (size_t k = i + bit % PE__FLOATS * next, n = 0; n < 2; n++, k += half) {
                if (k >= (component == 0 ? x->first : x->second)) continue;
                const double tc = row ? row[x->plan->padded + k] : 1, ts = row ? row[k] : 0;
                const double y = part[component][k] * tc * deflate +
                                 part[component + 1][k] * ts * sign[component + side];
                const double off =
                    pe__double_midpoint_distance(y, pe__dropped_bits(type) + PE__DROP_F32);
                uint16_t h = pe__to_16(type, y);
                if (PE__UNLIKELY(!(off * off > sure) || y * y < pe__exp2i(-28)))
                    h = pe__round_element_16(x, at[distance].position[side], component, k, y, e,
                                             type);
                memcpy(at[distance].row[side] + (ptrdiff_t)k * step + (ptrdiff_t)component * across,
                       &h, sizeof h);
            }
        }
    }
}

/* A group of pairs of one row as floats: its halves, of first components and of second ones, and
   what raises the alarm. */
typedef struct pe__group {
    pe__vf a[2], b[2], bound_a, bound_b;
} pe__group;

/* Add to the group what is at p and at q, and what its sums may lack. */
PE__WRAPS /* what is asked for ahead: any address will do */
PE__INLINE void pe__group_add(const pe__span *x, const unsigned char *p, const unsigned char *q,
                              int split, pe__group *g)
{
    const pe__vf by = pe__splat_f32(1.0f / 8388608); /* 2^-23 |s'| of the proof */
    const uint16_t *const at = (const uint16_t *)(const void *)p;
    const uint16_t *const next = (const uint16_t *)(const void *)q;
    PE__PREFETCH((uintptr_t)p + x->prefetch_distance[0]);
    /* if pairs are neighbours, vectors below a cache line leave q in the line of p */
    if (split || sizeof by >= 64) PE__PREFETCH((uintptr_t)q + x->prefetch_distance[0]);
    const pe__vf u = pe__get_bf16_odds(at), v = pe__get_bf16_evens(next);
    g->a[0] = pe__scaled_sum(pe__get_bf16_evens(at), &x->scale, g->a[0]);
    g->a[1] = pe__scaled_sum(split ? u : v, &x->scale, g->a[1]);
    g->b[0] = pe__scaled_sum(split ? v : u, &x->scale, g->b[0]);
    g->b[1] = pe__scaled_sum(pe__get_bf16_odds(next), &x->scale, g->b[1]);
    g->bound_a =
        pe__mad_f32(pe__add_f32(pe__abs_f32(g->a[0]), pe__abs_f32(g->a[1])), by, g->bound_a);
    g->bound_b =
        pe__mad_f32(pe__add_f32(pe__abs_f32(g->b[0]), pe__abs_f32(g->b[1])), by, g->bound_b);
}

/* A group from pair i on to row side, or added to what is there. Returns the lanes of an alarm. */
PE__INLINE uint32_t pe__store_group(const pe__span *x, int side, size_t i, int split, pe__group g,
                                    pe__type type, int added)
{
    const int drop = pe__dropped_bits(type);
    unsigned char *const p = x->at.row[side] + (split ? 2 : 4) * i;
    unsigned char *const q = p + (split ? x->across : (ptrdiff_t)sizeof g.a[0]);
    if (added) pe__group_add(x, p, q, split, &g);
    const pe__vf a =
        pe__min_size(pe__midpoint_distance(g.a[0], drop), pe__midpoint_distance(g.a[1], drop));
    const pe__vf b =
        pe__min_size(pe__midpoint_distance(g.b[0], drop), pe__midpoint_distance(g.b[1], drop));
    const uint32_t lanes = added ? pe__within(a, g.bound_a, b, g.bound_b) : 0;
    if (PE__UNLIKELY(lanes)) return lanes; /* nothing is stored: it is what will be added to */
    pe__put_zip_as(type, p, g.a[0], split ? g.a[1] : g.b[0]);
    pe__put_zip_as(type, q, split ? g.b[0] : g.a[1], g.b[1]);
    return added ? 0 : pe__within(a, g.bound_a, b, g.bound_b);
}

/* Half of a group, at i, rotated: to g[0] forth and to g[1] back. */
PE__INLINE void pe__rotate_16(const pe__scratch_16 *f, float (*row)[PE__TILE_16], size_t i,
                              int half, pe__group *g)
{
    const pe__vf a = pe__get(f->a + i), b = pe__get(f->b + i);
    const pe__vf ts = pe__get(row[0] + i), tc = pe__get(row[1] + i);
    const pe__vf aC = pe__mul_f32(a, tc), bC = pe__mul_f32(b, tc);
    g[0].a[half] = pe__mad_f32(b, ts, aC);
    g[0].b[half] = pe__nmad_f32(a, ts, bC);
    g[1].a[half] = pe__nmad_f32(b, ts, aC);
    g[1].b[half] = pe__mad_f32(a, ts, bC);
}

/* Note the alarm of these lanes, if there are any: where they are frequent (f16: one group in
   8) without a branch. */
PE__INLINE void pe__flag_group(pe__flagged_group **flagged, size_t i, uint32_t side, uint32_t lanes,
                               int often)
{
    if (!often && !lanes) return;
    (*flagged)->index = (uint32_t)(2 * i) + side;
    (*flagged)->lanes = lanes;
    *flagged += lanes != 0;
}

/* Add the groups of the alarms, to which nothing is added yet, from doubles. */
PE__OUTLINE void pe__add_flagged_16(const pe__span *x, const pe__flagged_group *flagged,
                                    size_t count)
{
    pe__span group = *x;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2;
        group.begin = flagged->index / 2 % PE__TILE_16;
        group.end = pe__min(group.begin + PE__GROUP, x->end);
        group.at.row[side] = x->at.row[side];
        group.at.row[1 - side] = NULL;
        pe__store_row_of_pair(&group);
    }
}

/* The kernel: all columns of a span in groups, from the plan's row as floats. type, split and added
   are constants where it is inlined. One of the two rows may be missing, as at the ends of a run.
   */
PE__INLINE void pe__rotate_span_16(const pe__span *x, pe__scratch_16 *f, size_t distance, int split,
                                   pe__type type, int added)
{
    pe__flagged_group *flagged = f->flagged + f->flagged_count;
    float(*const row)[PE__TILE_16] = f->plan_row[distance];
    const int often = type == PE__F16;
    const size_t base = PE__TILE_16 * distance;
    for (size_t i = x->begin; i < x->end; i += PE__GROUP) {
        pe__group g[2];
        uint32_t lanes = 0;
        pe__rotate_16(f, row, i, 0, g);
        pe__rotate_16(f, row, i + PE__FLOATS, 1, g);
        g[0].bound_a = g[1].bound_a = pe__get(f->bound_a + i / 2);
        g[0].bound_b = g[1].bound_b = pe__get(f->bound_b + i / 2);
        if (x->at.row[0]) lanes = pe__store_group(x, 0, i, split, g[0], type, added);
        pe__flag_group(&flagged, base + i, 0, lanes, often);
        if (!x->at.row[1]) continue;
        lanes = pe__store_group(x, 1, i, split, g[1], type, added);
        pe__flag_group(&flagged, base + i, 1, lanes, often);
    }
    f->flagged_count = (size_t)(flagged - f->flagged);
}

/* Two rows so many digits from the anchor, stored or added. */
PE__INLINE void pe__store_row_pair_16(const pe__span *x, pe__scratch_16 *f, size_t distance,
                                      pe__type type, int added)
{
    float(*const row)[PE__TILE_16] = f->plan_row[distance];
    if (!(f->made >> distance & 1)) {
        for (size_t i = 0; !x->ts && i < PE__TILE_16; i++) {
            row[0][i] = 0;
            row[1][i] = 1;
        }
        if (x->ts) pe__to_groups(x->ts, x->end, x->split, row[0]);
        if (x->ts) pe__to_groups(x->tc, x->end, x->split, row[1]);
        f->made |= 1u << distance;
    }
    f->at[distance] = x->at;
    if (x->split) pe__rotate_span_16(x, f, distance, 1, type, added);
    else pe__rotate_span_16(x, f, distance, 0, type, added);
}

/* Two rows added to bf16, and at once, from doubles, what raised the alarm. Where a fifth of the
   groups of late did, since what is added to nearly cancels the rows, all of some spans are added
   from doubles. x = 1 everywhere does: half of its groups are alarmed, and both ways in turn took
   twice as long as doubles alone. */
PE__INLINE void pe__add_row_pair_16(pe__span *x, pe__scratch_16 *f, size_t distance)
{
    if (PE__UNLIKELY(f->spans_in_doubles)) {
        f->spans_in_doubles--;
        if (x->at.row[0] && x->at.row[1]) pe__add_row_pairs_bf16(x, 1);
        else pe__store_row_of_pair(x);
        return;
    }
    pe__store_row_pair_16(x, f, distance, PE__BF16, 1);
    pe__add_flagged_16(x, f->flagged, f->flagged_count);
    /* a span has 2 end / PE__GROUP groups, in two rows; three fifths alarmed in one span will do */
    f->excess += 5 * (int)(f->flagged_count * PE__GROUP) - 2 * (int)x->end;
    if (f->excess < 0) f->excess = 0;
    if (f->excess > 4 * (int)x->end) {
        f->spans_in_doubles = PE__SPANS_IN_DOUBLES;
        f->excess = 0;
    }
    f->flagged_count = 0;
}

/* Round again what raised a block's alarms, if they are more than that many. */
PE__INLINE void pe__flush_flagged_16(const pe__span *x, pe__scratch_16 *f, size_t most,
                                     pe__type type)
{
    if (f->flagged_count <= most) return;
    pe__round_flagged_16(x, f->at, f->flagged, f->flagged_count, type);
    f->flagged_count = 0;
}

/* ==== src/rows/block.h ==== */
/* The rows around one anchor, from the nearest to the farthest.
 * Gives: pe__block, pe__write_block_16(), pe__write_block_f32(), pe__block_kernel.
 * Needs: simd, numbers, sincos.
 * Tests: tests/unit/test_splits.c. */

/* ---- 6.6 blocks ---------------------------------------------------------------------------------
 * The rows around one anchor, from the nearest to the farthest. */

typedef struct pe__block {
    pe__anchor row;              /* the anchor's sines and cosines                         */
    int64_t anchor, last;        /* its row of the run, or behind that; the run's last row */
    double t;                    /* the position of row 0                                  */
    pe__row_pair_kernel *kernel; /* floats */
    pe__scratch_16 *scratch;     /* 16-bit elements */
} pe__block;
typedef void pe__block_kernel(pe__span *x, const pe__block *block);

/* Where a block's rows go: the anchor's, or where it would be, at a number of bytes from out. */
typedef struct pe__block_rows {
    unsigned char *out;
    ptrdiff_t anchor, stride;
} pe__block_rows;

/* Distances from the anchor: of the nearest row and the farthest, and up to which there are two. */
typedef struct pe__distances {
    int64_t nearest, farthest, both;
} pe__distances;
PE__INLINE pe__distances pe__block_distances(const pe__block *block)
{
    const int64_t above = block->last - block->anchor, below = block->anchor;
    const int64_t longer = above > below ? above : below, shorter = above < below ? above : below;
    pe__distances d;
    d.nearest = above < 0 ? -above : 0;
    d.farthest = longer < PE__BLOCK_HALF ? longer : (int64_t)PE__BLOCK_HALF;
    d.both = shorter < PE__BLOCK_HALF ? shorter : (int64_t)PE__BLOCK_HALF;
    return d;
}

/* The rows at distance b from the anchor, of which there are one or two, and the plan's row that
   rotates it. That at position 0 is stored. */
PE__INLINE void pe__set_row_pair(pe__span *x, const pe__block *block, const pe__block_rows *rows,
                                 int64_t b, pe__type type)
{
    x->ts = x->tc = NULL;
    if (b != 0) {
        x->ts = pe__rotation_row(x->plan, 0, b) + x->pair;
        x->tc = x->ts + x->plan->padded;
    }
    for (int minus = 0; minus < 2; minus++) {
        const int64_t p = minus ? block->anchor - b : block->anchor + b;
        const int side = minus != x->swapped;
        x->at.row[side] = NULL;
        if (p < 0 || p > block->last || (minus && b == 0)) continue;
        x->at.position[side] = (double)p + block->t;
        x->at.row[side] =
            rows->out + rows->anchor + (minus ? -rows->stride : rows->stride) * b;
        if (x->at.position[side] != 0) continue;
        pe__store_origin(x, side, type);
        x->at.row[side] = NULL;
    }
}

/* The distances b, as bits, whose two rows are stored one after the other because they are streamed
   and equal in the last 12 bits of their addresses: what is loaded from up to 512 bytes behind
   both, in these bits, waits for stores that have not left the core. With the plan's rows b there,
   tables in memory took up to twice as long; behind one row nothing waits. Of halves, half as fast
   as what is loaded, one of the four is always there or soon: with AVX2, all such rows are stored
   one by one, unless a row's own halves are equal. */
PE__WRAPS
PE__INLINE uint32_t pe__aliased_distances(const pe__span *x, const pe__block_rows *rows,
                                          int64_t most)
{
    const uintptr_t anchor = (uintptr_t)rows->out + (uintptr_t)rows->anchor;
    const size_t window = 512, bits = 4096, step = (size_t)rows->stride;
    uint32_t aliased = 0;
    for (int64_t b = 1; PE_LOADS_WAIT && x->mode == PE__STREAM && b <= most; b++) {
        const uintptr_t s = (uintptr_t)(pe__rotation_row(x->plan, 0, b) + x->pair);
        const uintptr_t c = s + x->plan->padded * sizeof(double);
        const uintptr_t above = anchor + (size_t)b * step, below = 2 * anchor - above;
        const int sines = (above - s) % bits < window && (below - s) % bits < window;
        const int cosines = (above - c) % bits < window && (below - c) % bits < window;
        const int equal = (size_t)x->across % bits != 0 && (above - below) % bits == 0;
        const int is_aliased = x->split ? equal : sines || cosines;
        aliased |= (uint32_t)is_aliased << b;
    }
    return aliased;
}

PE__INLINE void pe__block_begin(pe__span *x, const pe__block *block, pe__block_rows *rows)
{
    x->a = x->swapped ? block->row.c : block->row.s;
    x->b = x->swapped ? block->row.s : block->row.c;
    rows->out = x->output->out + pe__first_column(x->output) * x->output->element;
    rows->stride = x->output->stride;
    rows->anchor = (ptrdiff_t)block->anchor * rows->stride;
}

/* What is asked for ahead comes into the first-level cache: soon enough before it is wanted, and
   not so early that what is worked on goes, be that cache of 32 KB. Rows of a block alternate: from
   those at distance b of the anchor, those at distance b + lead are asked for, or in the next
   block b + lead - 8, and from the anchor the next one, so that each is asked for once. Two rows
   of 256 pairs, the anchor and the plan's row are 12 KB, and two such pairs of rows ahead are best:
   one or four took up to a tenth longer on a Zen 5. A whole block ahead took up to a third longer
   there, where 48 KB hold it; a Zen 4, whose 32 KB do not, took 1.7 times as long as by the
   second-level cache; and a Zen 5 often leaves undone what that is asked for. Returns how many of n
   such pairs of rows ask alike: those left that ask for rows of this block, or for the next. */
PE__WRAPS
PE__INLINE int64_t pe__set_prefetch_distance(pe__span *x, int64_t b, int64_t n)
{
    const int64_t lead = (int64_t)pe__min(512 / x->end, PE__BLOCK_HALF);
    const int64_t left = PE__BLOCK_HALF + 1 - lead - b;
    const int64_t by = b == 0 ? 0 : left > 0 ? lead : lead - PE__BLOCK_HALF;
    const size_t bytes = (size_t)((x->swapped ? -by : by) * x->output->stride);
    x->prefetch_distance[0] = (by > 0 && left > 0 ? 0 : x->output->prefetch_distance) + bytes;
    x->prefetch_distance[1] = x->prefetch_distance[0] - 2 * bytes;
    return left > 0 && left < n ? left : n;
}

/* Rows of floats: all at once of which there are two, if position 0 is not among them. */
PE__OUTLINE void pe__write_block_f32(pe__span *x, const pe__block *block)
{
    const pe__distances d = pe__block_distances(block);
    const double zero = pe__max_abs((double)block->anchor + block->t, 0);
    pe__block_rows rows;
    pe__block_begin(x, block, &rows);
    const uint32_t aliased = pe__aliased_distances(x, &rows, d.both);
    for (int64_t b = d.nearest, n; b <= d.farthest; b += n) {
        const int no_origin = zero < (double)b || zero > (double)d.both;
        const uint32_t rest = aliased >> b;
        const int together = !(rest & 1);
        n = no_origin && b != 0 && b < d.both ? d.both - b + 1 : 1;
        if (rest) n = together ? (int64_t)pe__min((size_t)n, pe__lowest_bit(rest)) : 1;
        if (x->mode == PE__ADD || x->mode == PE__STORE_PREFETCHED)
            n = pe__set_prefetch_distance(x, b, n);
        pe__set_row_pair(x, block, &rows, b, PE__F32);
        unsigned char *const second = x->at.row[1];
        if (together && x->at.row[0] && second) {
            block->kernel(x, n);
            continue;
        }
        x->at.row[1] = NULL;
        if (x->at.row[0]) pe__store_row_of_pair(x);
        x->at.row[0] = NULL;
        x->at.row[1] = second;
        if (second) pe__store_row_of_pair(x);
    }
}

/* A block's rows of 16-bit elements that do not go to memory at once: first what they are added to
   comes into the buffer, with zeros for the lanes behind, last they go out. */
enum {
    PE__BUFFER_HALF = 2 * ((int)PE__TILE_16 + (int)PE__GROUP),
    PE__BUFFER_ROW = 2 * PE__BUFFER_HALF
};
PE__OUTLINE void pe__copy_buffer_16(const pe__span *x, const pe__block *block,
                                    unsigned char *buffer, int in)
{
    const pe__output *const output = x->output;
    const size_t e = output->element, column = pe__first_column(output);
    const size_t front = output->sines + (x->split ? 0 : output->cosines);
    const ptrdiff_t across = ((ptrdiff_t)output->cosine - (ptrdiff_t)output->sine) * (ptrdiff_t)e;
    for (int64_t b = -PE__BLOCK_HALF; b <= PE__BLOCK_HALF; b++, buffer += PE__BUFFER_ROW) {
        const int64_t p = block->anchor + b;
        if (p < 0 || p > block->last) continue;
        unsigned char *const out = pe__row_address(output, (size_t)p) + column * e;
        for (int half = 0; half <= x->split; half++) {
            const size_t n = (half ? output->cosines : front) * e;
            unsigned char *const at = out + (half ? across : 0);
            unsigned char *const row = buffer + (half ? (int)PE__BUFFER_HALF : 0);
            if (in) {
                memset(row + n, 0, (x->split ? 1U : 2U) * PE__GROUP * e);
                pe__copy(row, at, n, 0);
            } else {
                pe__copy(at, row, n, output->mode == PE__STREAM);
            }
        }
    }
}

/* Rows of 16-bit elements: those whose groups are whole go to memory at once. */
PE__INLINE void pe__write_block_16(pe__span *x, const pe__block *block, pe__type type, int added)
{
    double space[(size_t)PE__BLOCK_ROWS * PE__BUFFER_ROW / sizeof(double) + 8];
    unsigned char *const buffer = (unsigned char *)pe__aligned(space);
    pe__scratch_16 *const f = block->scratch;
    const pe__distances d = pe__block_distances(block);
    const pe__output *const output = x->output;
    const int direct = output->mode != PE__STREAM && output->sines == output->cosines &&
                       output->sines % PE__GROUP == 0;
    pe__block_rows rows;
    pe__block_begin(x, block, &rows);
    if (!direct) {
        rows.out = buffer;
        rows.stride = PE__BUFFER_ROW;
        rows.anchor = (ptrdiff_t)PE__BLOCK_HALF * (ptrdiff_t)PE__BUFFER_ROW;
        x->across = PE__BUFFER_HALF;
    }
    pe__to_groups(x->a, x->end, x->split, f->a);
    pe__to_groups(x->b, x->end, x->split, f->b);
    pe__thresholds_16(f, f->a, x->end, f->bound_a);
    pe__thresholds_16(f, f->b, x->end, f->bound_b);
    if (!direct && added) pe__copy_buffer_16(x, block, buffer, 1);
    for (int64_t b = d.nearest; b <= d.farthest; b++) {
        pe__set_row_pair(x, block, &rows, b, added ? PE__F32 : type);
        if (!x->at.row[0] && !x->at.row[1]) continue;
        if (added) {
            pe__add_row_pair_16(x, f, (size_t)b);
        } else {
            pe__store_row_pair_16(x, f, (size_t)b, type, 0);
            pe__flush_flagged_16(x, f, PE__MAX_FLAGGED, type);
        }
    }
    if (!added) pe__flush_flagged_16(x, f, 0, type);
    if (!direct) pe__copy_buffer_16(x, block, buffer, 0);
}

/* ==== src/rows/single.h ==== */
/* A single row, from its angles to memory.
 * Gives: pe__write_far_row(), pe__single_f32(), pe__single_row().
 * Needs: simd, api, plan, numbers, sincos.
 * Tests: tests/unit/test_exact.c, tests/unit/test_at.c. */

/* ---- 6.7 a single row ---------------------------------------------------------------------------
 * From the angle to memory in one loop, without an anchor and without doubles in memory. */

typedef struct pe__single {
    const pe__output *output;
    double position;
    const pe__adder *adder;
} pe__single;

/* As a span without an anchor. */
PE__INLINE void pe__single_span(const pe__single *x, pe__span *span)
{
    pe__span_begin(span, x->output, &pe__bound_short_poly, x->adder);
    span->at.position[0] = x->position;
    span->at.row[0] = x->output->out + pe__first_column(x->output) * x->output->element;
    span->at.row[1] = NULL;
    span->ts = span->tc = NULL;
}

/* The rest of a span from pair i on, whose anchor these are. */
PE__INLINE void pe__span_from(pe__span *span, size_t i, const double *a, const double *b)
{
    span->a = a;
    span->b = b;
    span->pair += i;
    span->first -= i;
    span->second -= i;
    span->at.row[0] += (span->split ? 1 : 2) * span->output->element * i;
}

/* The row's polynomials and its time. Where cosines come first, both change: cos x = sin(-x + pi/2)
   and sin x = cos(-x + pi/2). */
PE__INLINE double pe__single_poly(const pe__single *x, int full, pe__sincos_poly *poly)
{
    const int swapped = x->output->order == PE__CS;
    pe__scale_sincos_poly(x->output->plan->amplitude * (1 + pe__bound_short_poly.eta), swapped,
                          full, poly);
    return swapped ? -x->position : x->position;
}

/* The rest of the row from pair i on, as a span: for what has raised the alarm. */
PE__INLINE void pe__single_recompute(const pe__single *x, size_t i, size_t last, double *a,
                                     double *b, pe__span *span)
{
    pe__sincos_poly poly;
    pe__single_span(x, span);
    pe__span_from(span, i, a, b);
    const double signed_t = pe__single_poly(x, 1, &poly);
    const pe__sincos_args by = {x->output->plan, &poly, signed_t};
    pe__sincos_store(&by, span->pair, x->output->pair + last, a, b);
}
PE__COLD void pe__single_round_flagged(const pe__single *x, size_t i, size_t last,
                                        pe__floats4 *v)
{
    double a[PE__SINCOS_PAIRS], b[PE__SINCOS_PAIRS];
    pe__span span;
    pe__single_recompute(x, i, last, a, b, &span);
    pe__round_flagged(&span, 0, 0, v);
}
PE__COLD void pe__single_round_flagged_16(const pe__single *x, size_t i, uint32_t lanes,
                                           pe__type type)
{
    double a[PE__SINCOS_PAIRS], b[PE__SINCOS_PAIRS];
    const pe__flagged_group flagged = {0, lanes};
    pe__span span;
    pe__single_recompute(x, i, SIZE_MAX - x->output->pair, a, b, &span);
    pe__round_flagged_16(&span, &span.at, &flagged, 1, type);
}

/* Fewer pairs than four vectors have, from pair i to end. */
PE__OUTLINE void pe__single_store_some(const pe__single *single, size_t i, size_t end,
                                       const pe__floats4 *v)
{
    float all[4][2 * PE_LANES];
    pe__span span;
    const pe__span *const x = &span;
    pe__single_span(single, &span);
    unsigned char *const p = x->at.row[0];
    const size_t first = pe__min(end, x->first), second = pe__min(end, x->second);
    const size_t e = x->output->element;
    for (size_t k = 0; k < 4; k++) /* if split, first all of one kind */
        pe__put(all[x->split ? k % 2 * 2 + k / 2 : k], v->v[k]);
    if (!x->split) {
        pe__store_some(x, p + 2 * i * e, all[0], first + second - 2 * i);
        return;
    }
    pe__store_some(x, p + i * e, all[0], first - i);
    if (i < second) pe__store_some(x, p + x->across + (ptrdiff_t)(i * e), all[2], second - i);
}

/* Four vectors of floats from pair i on, `count` pairs, to a row of floats, or of what they are
   added to; those that raised the alarm once more. */
PE__INLINE void pe__single_store_floats(const pe__single *x, const pe__span *span, size_t i,
                                        size_t count, pe__pending *pending, int32_t guard)
{
    const size_t step = (span->split ? 1 : 2) * x->output->element;
    const size_t both = pe__min(span->first, span->second);
    const int32_t window = pe__bound_short_poly.window;
    if (PE__UNLIKELY(pe__rounding_test_flagged(pending->test, window, guard)) &&
        pe__confirm_flag(pending->test, window, guard, &pending->v, &pending->v)) {
        pe__floats4 rounded;
        pe__single_round_flagged(x, i, i + (count - 1) / PE_LANES * PE_LANES, &rounded);
        pending->v = rounded;
    }
    if (count == PE__GROUP && i >= span->peeled && i + count <= both) {
        pe__store_four(span, PE__NOT_ADDED, 0, span->split, 0, span->at.row[0] + i * step,
                       &pending->v);
    } else {
        const pe__floats4 some = pending->v; /* in memory, but the loop's own are not */
        pe__single_store_some(x, i, i + count, &some);
    }
}

/* The same to a row of 16-bit elements, a whole group. A float that comes from a double at once is
   as near to it as half its last bit, below 2^-24 of itself. */
PE__INLINE void pe__single_store_group(const pe__single *x, const pe__span *span, size_t i,
                                       const pe__pending *pending, pe__vf least, pe__type type)
{
    const pe__vf by = pe__splat_f32(1.0625f / 16777216);
    const pe__vf *const v = pending->v.v;
    const int split = span->split;
    pe__group g;
    g.a[0] = split ? pe__unzip_evens(v[0], v[2]) : v[0];
    g.a[1] = split ? pe__unzip_odds(v[0], v[2]) : v[2];
    g.b[0] = split ? pe__unzip_evens(v[1], v[3]) : v[1];
    g.b[1] = split ? pe__unzip_odds(v[1], v[3]) : v[3];
    const pe__vf sum_a = pe__add_f32(pe__abs_f32(g.a[0]), pe__abs_f32(g.a[1]));
    const pe__vf sum_b = pe__add_f32(pe__abs_f32(g.b[0]), pe__abs_f32(g.b[1]));
    g.bound_a = pe__mad_f32(sum_a, by, least);
    g.bound_b = pe__mad_f32(sum_b, by, least);
    const uint32_t lanes = pe__store_group(span, 0, i, split, g, type, 0);
    if (PE__UNLIKELY(lanes)) pe__single_round_flagged_16(x, i, lanes, type);
}

/* Four vectors of pairs at a time, of floats fewer at the row's end or up to the first aligned
   address; of 16-bit elements, only whole groups. The doubles of one step become floats during the
   next. Returns how many pairs are done. */
PE__INLINE size_t pe__single_row(const pe__output *output, double t, const pe__adder *adder,
                                 pe__type type)
{
    const int floats = type == PE__F32;
    const pe_plan *const plan = output->plan;
    const int32_t guard = pe__guard(plan->amplitude, fabs(t) / plan->double_range);
    const size_t groups = pe__min(output->sines, output->cosines) / PE__GROUP * PE__GROUP;
    const size_t pairs = floats ? pe__pairs_of(output) : groups;
    const pe__vf least = pe__splat_f32(floats ? 0 : pe__base_error_16(plan, type));
    const pe__single x = {output, t, adder};
    pe__span span; /* in registers: functions out of line begin their own */
    pe__sincos_poly poly;
    pe__pending pending;
    pe__single_span(&x, &span);
    const double signed_t = pe__single_poly(&x, 0, &poly);
    const pe__sincos_poly *in_memory = &poly;
    PE__IN_MEMORY(in_memory);
    const pe__sincos_args by = {plan, in_memory, signed_t};
    const size_t head = floats ? span.peeled : 0;
    pending.split = floats ? span.split : 1; /* groups have joined floats */
    pending.a.v[0] = pending.a.v[1] = pending.a.v[2] = pending.a.v[3] = pe__splat(0.0);
    pending.b = pending.k = pending.a;
    if (pairs == 0) return 0;
    for (size_t i = 0, end = 0;;) {
        const size_t next = end;
        pe__doubles4 a = pending.a, b = pending.b; /* set below, but at the end */
        pending.test = pe__rounding_test_begin();
        end = pe__min(next < head ? head : next + PE__GROUP, pairs);
        if (next < pairs) {
            const size_t last = next + (end - next - 1) / PE_LANES * PE_LANES;
            pe__sincos(&by, 0, output->pair + next, output->pair + last, a.v, b.v, &pending);
        } else {
            pe__convert_pending(&pending, 0);
            pe__convert_pending(&pending, 1);
            pe__convert_pending(&pending, 2);
            pe__convert_pending(&pending, 3);
        }
        if (next > 0 && floats) pe__single_store_floats(&x, &span, i, next - i, &pending, guard);
        else if (next > 0) pe__single_store_group(&x, &span, i, &pending, least, type);
        if (next >= pairs) return pairs;
        pending.a = a;
        pending.b = b;
        i = next;
    }
}
PE__OUTLINE void pe__single_f32(const pe__output *output, double t, const pe__adder *adder)
{
    (void)pe__single_row(output, t, adder, PE__F32);
}

/* A row at position 0, or so far away that its angles take double-double: without a thought for
   speed, four vectors at a time. */
PE__OUTLINE void pe__write_far_row(const pe__output *output, double t, const pe__adder *adder)
{
    const pe__single x = {output, t, adder};
    pe__span first;
    pe__single_span(&x, &first);
    first.bound = &pe__bound_far;
    if (t == 0) pe__store_origin(&first, 0, PE__F32);
    for (size_t i = 0, n; t != 0 && i < first.end; i += n) {
        double a[PE__SINCOS_PAIRS] = {0}, b[PE__SINCOS_PAIRS] = {0};
        const pe__anchor to = {first.swapped ? b : a, first.swapped ? a : b};
        pe__floats4 pending;
        pe__span span = first;
        n = pe__min(first.end - i, PE__SINCOS_PAIRS);
        pe__compute_centre_far(output->plan, output->round_element, t, output->pair + i, n, to);
        pe__span_from(&span, i, a, b);
        pe__round_flagged(&span, 0, 0, &pending);
        pe__single_store_some(&x, i, i + n, &pending);
    }
}

/* ==== src/rows/run.h ==== */
/* Runs of consecutive rows: blocks around one centre, in tiles of columns.
 * Gives: pe__add_rows_bf16(), pe__add_rows_f16(), pe__add_rows_f32(), pe__rows_bf16(),
 *   pe__row_f32(), pe__rows_f16(), pe__rows_f32().
 * Needs: simd, api, plan, numbers, sincos.
 * Tests: tests/unit/test_splits.c. */

/* ---- 6.8 runs of rows -------------------------------------------------------------------------
 * Consecutive rows: 17 blocks of 17 rows have one centre, from which their anchors are rotated. */

/* The anchor of block `digit` from the centre: the centre rotated by the plan's row 17 digit. */
PE__OUTLINE void pe__rotate_anchor(const pe_plan *plan, int64_t distance, size_t pair, size_t count,
                                   pe__anchor centre, pe__anchor to)
{
    const double *row = pe__rotation_row(plan, 1, distance < 0 ? -distance : distance) + pair;
    const pe__vd sign = pe__splat(distance < 0 ? -1 : 1);
    for (size_t i = 0; i < count; i += PE_LANES) {
        const pe__rotated r =
            pe__rotate(pe__load(centre.s + i), pe__load(centre.c + i), pe__load(row + i) * sign,
                       pe__load(row + plan->padded + i));
        pe__store(to.s + i, r.a[0]);
        pe__store(to.c + i, r.b[0]);
    }
}

/* What a run builds its rows with: room for the sines and cosines of two anchors of so many pairs,
   a multiple of 32, each with some to spare, for a vector that begins before their last one, and up
   to PE__SINCOS_PAIRS more; and how a block's rows become elements. */
enum { PE__WORKSPACE_PADDING = 32 };
typedef struct pe__workspace {
    double *doubles; /* 4 (pairs + PE__WORKSPACE_PADDING), aligned */
    size_t pairs;
    pe__block_kernel *block;
    pe__row_pair_kernel *kernel; /* floats: two rows */
    const pe__adder *adder;      /* NULL: they are stored */
    pe__scratch_16 *scratch;     /* 16-bit elements */
} pe__workspace;

/* From which pair on all are slow, as "Rounding test" has it, in rows from position low to high;
   not where none is so slow as to need that. */
PE__INLINE size_t pe__slow_from(const pe__span *x, double low, double high)
{
    const double *const f = x->plan->frequency + x->pair;
    const double farthest =
        pe__max_abs(low, high) + (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 1));
    const double nearest = low > 0 ? low : high < 0 ? -high : 0;
    const double least = (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 2)) / (PE__SLOW_RATIO - 1);
    const int whole = low == floor(low), is_far = x->bound == &pe__bound_far;
    size_t i = x->end - x->output->padding_pairs;
    if (x->plan->point || is_far || (nearest < least && !whole)) return SIZE_MAX;
    if (fabs(f[i - 1]) * pe__max_abs(nearest, 1) >= pe__exp2i(-14)) return SIZE_MAX;
    while (i > 0 && fabs(f[i - 1]) * farthest <= 0.25) i--;
    return i;
}

/* Where in a room with 2048 bytes to spare an anchor lies two lines ahead of the row that comes
   from it, in the last bits of their addresses. A load waits for every store before it that is
   equal in the last 12 and has not left the core, and those past the caches take long to leave:
   with the anchor some 64 to 450 bytes behind the row, tables in memory took up to half as long
   again. */
PE__INLINE double *pe__unaliased(double *room, const unsigned char *out)
{
    return room + ((uintptr_t)out + 128 - (uintptr_t)room) % 2048 / 64 * 8;
}

/* Blocks of one centre: the first one's number, and the row of the run that is their centre. */
typedef struct pe__blocks {
    int64_t first, count, centre;
} pe__blocks;

/* A tile of columns of up to 17 blocks, of a run from position t whose last row is given. */
PE__OUTLINE void pe__write_tile(const pe__output *output, double t, int64_t last,
                                const pe__blocks *blocks, const pe__workspace *work)
{
    const pe_plan *const plan = output->plan;
    const size_t next = work->pairs + PE__WORKSPACE_PADDING, pair = output->pair;
    double *const room = work->doubles;
    pe__anchor centre = {room, room + next}, other = {room + 2 * next, room + 3 * next};
    const int64_t low = PE__BLOCK_ROWS * blocks->first;
    const int64_t high = low + PE__BLOCK_ROWS * blocks->count - 1;
    const int64_t middle = blocks->first + blocks->count / 2, end = high < last ? high : last;
    const int is_far = pe__is_far(plan, pe__max_abs(t, t + (double)(last + 1 + PE__BLOCK_ROWS)));
    const pe__bound *const bound = is_far     ? &pe__bound_far
                                   : last == 0 ? &pe__bound_full_poly
                                               : &pe__bound_run;
    const size_t count = pe__pairs_of(output) + (output->peeled ? PE_LANES - 1 : 0);
    pe__block block = {centre, 0, last, t, work->kernel, work->scratch};
    pe__span x;
    pe__span_begin(&x, output, bound, work->adder);
    if (!work->scratch) x.slow = pe__slow_from(&x, t + (double)low, t + (double)end);
    x.slow_guard = pe__guard(plan->amplitude, 0);
    if (output->mode == PE__STREAM && work->pairs >= 2 * (size_t)PE__TILE_STREAMED) { /* has room */
        const unsigned char *const out = output->out + pe__first_column(output) * output->element;
        centre.s = pe__unaliased(centre.s, out);
        centre.c = pe__unaliased(centre.c, out);
        other.s = pe__unaliased(other.s, out);
        other.c = pe__unaliased(other.c, out);
    }
    const double at = t + (double)blocks->centre;
    if (pe__is_far(plan, at))
        pe__compute_centre_far(plan, output->round_element, at, pair, count, centre);
    else pe__compute_centre(plan, bound, blocks->count > 2, at, pair, count, centre);
    for (int64_t j = blocks->first; j < blocks->first + blocks->count; j++) {
        block.row = j == middle ? centre : other;
        if (j != middle) pe__rotate_anchor(plan, j - middle, pair, count, centre, other);
        block.anchor = blocks->centre + PE__BLOCK_ROWS * (j - middle);
        work->block(&x, &block);
    }
}

/* Rows for the positions t, t + 1, ..., each of them a double: some of a plan with rows, or one
   that pe__single_row() does not store. */
PE__OUTLINE void pe__write_blocks(const pe__output *output, double t, size_t rows,
                                  const pe__workspace *work)
{
    const int streams = output->mode == PE__STREAM && work->pairs > (size_t)PE__TILE_STREAMED;
    const size_t columns = streams ? (size_t)PE__TILE_STREAMED : work->pairs;
    const int64_t all = (int64_t)((rows - 1) / PE__BLOCK_ROWS + 1), last = (int64_t)rows - 1;
    for (int64_t made = 0; made < all; made += PE__BLOCK_ROWS) {
        const int64_t rest = all - made;
        pe__blocks blocks = {made, rest < PE__BLOCK_ROWS ? rest : (int64_t)PE__BLOCK_ROWS,
                             last / 2};
        /* of a single block, its own middle */
        if (all > 1) blocks.centre = PE__BLOCK_ROWS * (made + blocks.count / 2) + PE__BLOCK_HALF;
        for (size_t done = 0; done < pe__pairs_of(output); done += columns) {
            const pe__output part = pe__output_part(output, done, columns);
            pe__write_tile(&part, t, last, &blocks, work);
        }
    }
}

/* Rows of floats, or of what floats are added to, by blocks. */
PE__OUTLINE void pe__write_blocks_f32(const pe__output *output, double t, size_t rows,
                                      pe__row_pair_kernel *kernel, const pe__adder *adder)
{
    double space[4 * ((int)PE__TILE + (int)PE__WORKSPACE_PADDING) + 8];
    const pe__workspace work = {
        pe__aligned(space), PE__TILE, pe__write_block_f32, kernel, adder, NULL};
    pe__write_blocks(output, t, rows, &work);
}

PE__INLINE void pe__write_one_row(const pe__output *output, double t, const pe__adder *adder)
{
    if (t == 0 || pe__is_far(output->plan, t)) pe__write_far_row(output, t, adder);
    else pe__single_f32(output, t, adder);
}

/* Rows for the positions t, t + 1 ... */
PE__INLINE void pe__write_rows_f32(const pe__output *output, double t, size_t rows,
                                   pe__row_pair_kernel *kernel, const pe__adder *adder)
{
    if (rows == 1) {
        pe__write_one_row(output, t, adder);
    } else if (output->plan->table) {
        pe__write_blocks_f32(output, t, rows, kernel, adder);
    } else { /* only here a copy: its wide loads wait for what was just written */
        pe__output one = *output;
        for (size_t r = 0; r < rows; r++) {
            one.out = pe__row_address(output, r);
            pe__write_one_row(&one, t + (double)r, adder);
        }
    }
}
PE__OUTLINE void pe__row_f32(const pe__output *output, double t, size_t rows)
{
    (void)rows; /* one: a program that wants no more has no code for blocks */
    pe__write_one_row(output, t, NULL);
}
PE__OUTLINE void pe__rows_f32(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_f32(output, t, rows, pe__store_row_pairs, NULL);
}
PE__OUTLINE void pe__add_rows_f32(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_f32(output, t, rows, pe__add_row_pairs_f32, &pe__adder_f32);
}
PE__OUTLINE void pe__add_rows_f16(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_f32(output, t, rows, pe__add_row_pairs_f16, &pe__adder_f16);
}

/* 16-bit rows come in tiles of their own, with the plan's rows as floats. */
PE__INLINE void pe__write_rows_16(pe__type type, const pe__output *output, double t, size_t rows,
                                  pe__block_kernel *block, int added)
{
    double space[4 * ((int)PE__TILE_16 + (int)PE__WORKSPACE_PADDING) + 8];
    double more[(sizeof(pe__scratch_16) + 64) / sizeof(double)];
    pe__scratch_16 *const scratch = (pe__scratch_16 *)(void *)pe__aligned(more);
    const pe__workspace work = {pe__aligned(space), PE__TILE_16, block, NULL,
                                added ? &pe__adder_bf16 : NULL, scratch};
    const size_t most = output->mode == PE__STREAM ? (size_t)PE__BLOCK_ROWS * PE__BLOCK_ROWS : rows;
    const size_t pairs = pe__pairs_of(output);
    for (size_t r = 0, n; r < rows; r += n) {
        n = output->plan->table ? pe__min(rows - r, most) : 1;
        const double first = t + (double)r;
        const int single = n == 1 && first != 0 && !pe__is_far(output->plan, first);
        pe__output some = *output;
        some.out = pe__row_address(output, r);
        size_t done = 0;
        if (single && !added) {
            done = pe__single_row(&some, first, NULL, type);
        } else if (single) {
            pe__single_f32(&some, first, work.adder);
            done = pairs;
        }
        for (; done < pairs; done += PE__TILE_16) {
            const pe__output part = pe__output_part(&some, done, PE__TILE_16);
            pe__scratch_begin(scratch, &part, type, added);
            pe__write_blocks(&part, first, n, &work);
        }
    }
}
#define PE__ROWS_16(name, type, added)                                                             \
    PE__OUTLINE void pe__write_block_of_##name(pe__span *x, const pe__block *block)                \
    {                                                                                              \
        pe__write_block_16(x, block, type, added);                                                 \
    }                                                                                              \
    PE__OUTLINE void pe__##name(const pe__output *output, double t, size_t rows)                   \
    {                                                                                              \
        pe__write_rows_16(type, output, t, rows, pe__write_block_of_##name, added);                \
    }
PE__ROWS_16(rows_f16, PE__F16, 0)
PE__ROWS_16(rows_bf16, PE__BF16, 0)
PE__ROWS_16(add_rows_bf16, PE__BF16, 1)
#undef PE__ROWS_16

/* ==== src/rows/f64.h ==== */
/* Rows of doubles.
 * Gives: pe__add_some_f64(), pe__rows_f64().
 * Needs: simd, api, plan, numbers, sincos.
 * Tests: tests/unit/test_exact.c. */

/* ---- 6.9 f64 ------------------------------------------------------------------------------------
 * Doubles, too, come by blocks of rows, in tiles of columns: the anchor of a block is rotated
 * forth and back by the rows 1 ... 8, and to the next block's by row 17. All these are
 * double-double, built on the stack for each call; each PE__ANCHORS_ROTATED blocks the anchor comes
 * from its angle.
 *
 * Sums of products in double-double, cheaply: sines and cosines are cut into a multiple of 2^-26,
 * |x| <= 1, and a double for the rest, |x| <= 2^-27. The products of the former are multiples of
 * 2^-52, so that they and their sums are exact, fused or not, and with (s, c) = (s1 + s2, c1 + c2),
 *
 *     sC + cS = (s1 C1 + c1 S1) + (s C2 + s2 C1 + c S2 + c2 S1)
 *
 * only the second bracket has errors. The anchor has the amplitude A in it; let 2^k be the power of
 * two at or above |A|, and u = 2^(k - 81). In units of u, and with nothing fused, these are at most
 *      2.83  s2, C2, c2, S2, each rounded: |C| + |s| + |S| + |c|
 *      2     s and c as doubles: half a unit in their last place, times C2 and S2
 *      4     four products of at most 2^(k - 27)
 *      8     two sums of two of them, at most 2^(k - 26) and little more
 *      4     their sum or difference, at most 2.83 2^(k - 27)
 *      4     the same with 2e added
 *      0.1   the anchor and the rows: 2^-98, and what the frequencies lack is added to e; a
 *            rotation adds 2^-100, and row 17 has 17 times the error of row 1, PE__ANCHORS_ROTATED
 *            + 1 times
 * together 24.93. e = 32 u, 2^(k - 76): where the first bracket plus the second less e and plus e
 * are the same double, that is the answer, for rounding is monotonic. Else, some 2^-21 |A / x| of
 * the time, the vector comes from pe__sincos_dd() and pe__round_element(). */

enum { PE__TILE_F64 = PE__OPTIMIZED ? 64 : 32, PE__ANCHORS_ROTATED = 64 };
enum { PE__VECTORS_F64 = (int)PE__TILE_F64 / (int)PE_LANES };

/* n doubles added to a row. */
PE__OUTLINE void pe__add_some_f64(const pe__output *output, unsigned char *row, const void *v,
                                  size_t n)
{
    double *const x = (double *)(void *)row;
    for (size_t i = 0; i < n; i++) {
        double y = ((const double *)v)[i];
        PE__OPAQUE(y); /* a zero, too, is added: the sum of -0 and it is 0 */
        x[i] = pe__double_product(output->scale, x[i]) + y;
    }
}

/* n doubles to a row, or added to it. */
PE__INLINE void pe__store_some_f64(const pe__output *output, double *x, const double *v, size_t n)
{
    if (output->mode == PE__ADD) pe__add_some_f64(output, (unsigned char *)x, v, n);
    else memcpy(x, v, n * sizeof *x);
}

/* The doubles of one vector of pairs that are in doubt, or subnormal. */
PE__COLD void pe__round_flagged_f64(const pe__output *output, size_t i, size_t count, double t,
                                    pe__vd *sine, pe__vd *cosine)
{
    const pe_plan *const plan = output->plan;
    const size_t pair = output->pair + i;
    pe__dd sincos[2];
    pe__sincos_dd(plan, pair, t, &sincos[0], &sincos[1]);
    for (int k = 0; k < 2; k++) {
        double hi[PE_LANES], lo[PE_LANES];
        const pe__dd y = pe__dd_mul_double(sincos[k], plan->mantissa);
        pe__store(hi, y.hi);
        pe__store(lo, y.lo);
        for (size_t lane = 0; lane < pe__min(count, PE_LANES); lane++) { /* behind them: any */
            const double approx[2] = {hi[lane], lo[lane]};
            hi[lane] = output->round_element(plan, t, pair + lane, k, 0, approx);
        }
        *(k ? cosine : sine) = pe__load(hi);
    }
}

/* A tile of columns. A vector of pairs is [0] f and [1] g: (s, c), rotated by (ts, tc), or (c, s),
   rotated by (-ts, tc), as they lie in a row: f' = f tc + g ts, g' = g tc - f ts. */
typedef struct pe__tile_f64 {
    const pe_plan *plan;
    const pe__output *output;
    double amplitude, unit, error; /* unit: the 2^-26 of the anchor */
    pe__dd plan_row[PE__BLOCK_HALF + 1][PE__VECTORS_F64][2], anchor[PE__VECTORS_F64][2]; /* cut */
    pe__dd whole[PE__VECTORS_F64][2], next[PE__VECTORS_F64][2]; /* the anchor; row 17 */
} pe__tile_f64;

/* A multiple of a power of two, and a double for the rest. */
PE__INLINE pe__dd pe__split_high(pe__dd x, double unit)
{
    const pe__vd big = pe__splat(6755399441055744.0 * unit); /* as in pe__round() */
    const pe__vd high = (x.hi + big) - big;
    x.lo = (x.hi - high) + x.lo;
    x.hi = high;
    return x;
}

/* A vector of a row; what is added to is asked for ahead, see pe__store_four(). */
PE__WRAPS
PE__INLINE void pe__store_f64(const pe__output *output, double *p, pe__vd v)
{
    if (output->mode == PE__ADD) {
        PE__PREFETCH((uintptr_t)p + output->prefetch_distance);
        pe__store(p, pe__mul(pe__splat(output->scale), pe__load(p)) + v);
    } else if (output->mode == PE__STREAM) {
        pe__stream_vd(p, v);
    } else {
        pe__store(p, v);
    }
}

/* Round the pairs at i of position t, whose low parts are e too small, and put them into a row. */
typedef struct pe__row_f64 {
    double *row; /* NULL: not wanted */
    double position;
} pe__row_f64;
PE__INLINE void pe__store_pairs_f64(const pe__tile_f64 *x, const pe__output *output, pe__row_f64 to,
                                    size_t i, pe__dd y, pe__dd z, pe__vd two_errors)
{
    const int split = output->order == PE__SPLIT, swapped = output->order == PE__CS;
    double *const p = to.row + (split ? i : 2 * i);
    const ptrdiff_t across = (ptrdiff_t)output->cosine - (ptrdiff_t)output->sine;
    double *const q = p + (split ? across : (ptrdiff_t)PE_LANES);
    pe__vd f = y.hi + y.lo, g = z.hi + z.lo;
    if (PE__UNLIKELY(pe__unequal(f, y.hi + (y.lo + two_errors), g, z.hi + (z.lo + two_errors)))) {
        pe__vd s, c;
        pe__round_flagged_f64(x->output, i, pe__pairs_of(output) - i, to.position, &s, &c);
        f = swapped ? c : s;
        g = swapped ? s : c;
    }
    if (!split) pe__zip_two(f, g, &f, &g);
    if (i + PE_LANES <= pe__min(output->sines, output->cosines)) {
        pe__store_f64(output, p, f);
        pe__store_f64(output, q, g);
    } else {
        const size_t sines = output->sines > i ? pe__min(output->sines - i, PE_LANES) : 0;
        const size_t cosines = output->cosines > i ? pe__min(output->cosines - i, PE_LANES) : 0;
        double all[2 * PE_LANES];
        pe__store(all, f);
        pe__store(all + PE_LANES, g);
        pe__store_some_f64(x->output, p, all, split ? sines : sines + cosines);
        pe__store_some_f64(x->output, q, all + PE_LANES, split ? cosines : 0);
    }
}

/* The rows b after and before the anchor. */
PE__OUTLINE void pe__rotate_f64(const pe__tile_f64 *x, size_t b, pe__row_f64 plus,
                                pe__row_f64 minus)
{
    const pe__output output = *x->output; /* whose address nothing takes: in registers */
    const size_t pairs = pe__pairs_of(&output);
    const pe__vd less = pe__splat(-x->error), two_errors = pe__splat(2 * x->error);
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        const size_t v = i / PE_LANES;
        const pe__vd f0 = x->whole[v][0].hi, g0 = x->whole[v][1].hi;
        const pe__dd f = x->anchor[v][0], g = x->anchor[v][1], ts = x->plan_row[b][v][0];
        const pe__dd tc = x->plan_row[b][v][1];
        const pe__rotated r = pe__rotate(f.hi, g.hi, ts.hi, tc.hi);
        const pe__vd fC = pe__fma(f.lo, tc.hi, pe__fma(f0, tc.lo, less));
        const pe__vd gC = pe__fma(g.lo, tc.hi, pe__fma(g0, tc.lo, less));
        const pe__vd gS = pe__fma(g.lo, ts.hi, g0 * ts.lo), fS = pe__fma(f.lo, ts.hi, f0 * ts.lo);
        const pe__dd f_plus = {r.a[0], fC + gS}, g_plus = {r.b[0], gC - fS};
        const pe__dd f_minus = {r.a[1], fC - gS}, g_minus = {r.b[1], gC + fS};
        if (plus.row) pe__store_pairs_f64(x, &output, plus, i, f_plus, g_plus, two_errors);
        if (minus.row) pe__store_pairs_f64(x, &output, minus, i, f_minus, g_minus, two_errors);
    }
}

/* The vector v of the rows 0 ... last and 17. */
PE__OUTLINE void pe__tile_begin_f64(pe__tile_f64 *x, size_t v, size_t last)
{
    pe__dd f[PE__BLOCK_HALF + 1], g[PE__BLOCK_HALF + 1];
    f[0].hi = f[0].lo = g[0].lo = pe__splat(0.0);
    g[0].hi = pe__splat(1.0);
    for (size_t b = 0; b <= last; b++) {
        if (b == 1) pe__sincos_dd(x->plan, x->output->pair + v * PE_LANES, 1.0, &f[b], &g[b]);
        if (b == 1 && x->output->order == PE__CS) {
            f[b].hi = -f[b].hi;
            f[b].lo = -f[b].lo;
        }
        if (b > 1) pe__dd_multiple_angle(f, g, b);
        x->plan_row[b][v][0] = pe__split_high(f[b], pe__exp2i(-26));
        x->plan_row[b][v][1] = pe__split_high(g[b], pe__exp2i(-26));
    }
    if (last < PE__BLOCK_HALF) return;
    pe__dd_double_angle(&f[PE__BLOCK_HALF], &g[PE__BLOCK_HALF]);
    pe__dd_rotate(&f[PE__BLOCK_HALF], &g[PE__BLOCK_HALF], f[1], g[1]);
    x->next[v][0] = f[PE__BLOCK_HALF];
    x->next[v][1] = g[PE__BLOCK_HALF];
}

/* The vector v of the anchor of position t, or, if that is NULL, of the one after the last. */
PE__OUTLINE void pe__tile_anchor_f64(pe__tile_f64 *x, size_t v, const double *t)
{
    const int swapped = x->output->order == PE__CS;
    pe__dd f, g, s, c;
    if (t) {
        pe__sincos_dd(x->plan, x->output->pair + v * PE_LANES, *t, &s, &c);
        f = pe__dd_mul_double(swapped ? c : s, x->amplitude);
        g = pe__dd_mul_double(swapped ? s : c, x->amplitude);
    } else {
        f = x->whole[v][0];
        g = x->whole[v][1];
        pe__dd_rotate(&f, &g, x->next[v][0], x->next[v][1]);
        f = pe__dd_renormalize(f);
        g = pe__dd_renormalize(g);
    }
    x->whole[v][0] = f;
    x->anchor[v][0] = pe__split_high(f, x->unit);
    x->whole[v][1] = g;
    x->anchor[v][1] = pe__split_high(g, x->unit);
}

/* A tile of columns. With an amplitude within 2^-900 ... 2^900 nothing overflows, and what
   underflows does not matter: e is beyond 2^-980. Any other is left to exact sines and cosines. */
PE__OUTLINE void pe__write_tile_f64(const pe__output *output, double t, size_t rows)
{
    const pe_plan *const plan = output->plan;
    const int usual = plan->scale >= pe__exp2i(-900) && plan->scale <= pe__exp2i(900);
    const double scale = usual ? plan->scale : 1;
    const size_t last = pe__min(rows / 2, PE__BLOCK_HALF);
    const size_t vectors = (pe__pairs_of(output) + PE_LANES - 1) / PE_LANES;
    const size_t column = pe__first_column(output) * output->element;
    pe__tile_f64 x;
    x.plan = plan;
    x.output = output;
    x.amplitude = usual ? plan->amplitude : 1;
    x.unit = pe__exp2i(-26) * scale;
    x.error = 4;
    if (usual) /* with what the frequencies lack */
        x.error =
            scale * (pe__exp2i(-76) +
                     pe__sincos_error(plan, pe__max_abs(t, t + (double)(rows + PE__BLOCK_ROWS))));
    for (size_t v = 0; v < vectors; v++) pe__tile_begin_f64(&x, v, last);
    for (size_t q = last, n = 0; q < rows + last; q += PE__BLOCK_ROWS, n++) {
        const double at = t + (double)q;
        for (size_t v = 0; v < vectors; v++)
            pe__tile_anchor_f64(&x, v, n % PE__ANCHORS_ROTATED == 0 && q < rows ? &at : NULL);
        for (size_t b = 0; b <= last; b++) {
            pe__row_f64 plus = {NULL, t + (double)(q + b)}, minus = {NULL, t + (double)(q - b)};
            if (q + b < rows)
                plus.row = (double *)(void *)(pe__row_address(output, q + b) + column);
            if (b > 0 && q - b < rows)
                minus.row = (double *)(void *)(pe__row_address(output, q - b) + column);
            pe__rotate_f64(&x, b, plus, minus);
        }
    }
}

PE__OUTLINE void pe__rows_f64(const pe__output *output, double t, size_t rows)
{
    const size_t pairs = pe__pairs_of(output), run = output->plan->float32 ? 1 : rows;
    for (size_t r = 0; r < rows; r += run)
        for (size_t done = 0, n; done < pairs; done += n) {
            n = done < output->peeled ? output->peeled : (size_t)PE__TILE_F64;
            pe__output part = pe__output_part(output, done, n);
            part.out = pe__row_address(output, r);
            if (done < output->peeled) part.mode = PE__STORE;
            pe__write_tile_f64(&part, t + (double)r, run);
        }
}

/* ==== src/rows/axis.h ==== */
/* Positions cut into runs of neighbours; what repeats is copied.
 * Gives: pe__add_kernel_bf16, pe__add_kernel_f16, pe__add_kernel_f32, pe__add_kernel_f64,
 *   pe__fill_kernel_bf16, pe__fill_kernel_f16, pe__fill_kernel_f32, pe__fill_kernel_f64,
 *   pe__write_axis(), pe__write_sums().
 * Needs: simd, api, where, plan, numbers, frequencies.
 * Tests: tests/unit/test_at.c, tests/unit/test_splits.c. */

/* ---- 6.10 from positions to rows ----------------------------------------------------------------
 * The rows of one axis: neighbours become runs, and what repeats is copied. */

PE__OUTLINE void pe__write_zeros(const pe__output *output, unsigned char *row, size_t column,
                                 size_t n)
{
    memset(row + column * output->element, 0, n * output->element);
}
/* Added, since the sum of -0 and 0 is 0, and what is added to is scaled. */
PE__INLINE void pe__add_zeros(const pe__output *output, unsigned char *row, size_t column, size_t n,
                              pe__row_adder *add)
{
    double zero[8]; /* or 16 floats */
    memset(zero, 0, sizeof zero);
    const size_t most = output->element == sizeof(double) ? 8 : 16;
    for (size_t i = 0; i < n; i += most)
        (*add)(output, row + (column + i) * output->element, zero, pe__min(n - i, most));
}
#define PE__ROW_KERNELS(T, add_rows)                                                               \
    PE__OUTLINE void pe__add_zeros_##T(const pe__output *output, unsigned char *row,               \
                                       size_t column, size_t n)                                    \
    {                                                                                              \
        pe__add_zeros(output, row, column, n, pe__add_some_##T);                                   \
    }                                                                                              \
    static const pe__row_kernel pe__fill_kernel_##T = {pe__rows_##T, pe__write_zeros};             \
    static const pe__row_kernel pe__add_kernel_##T = {add_rows, pe__add_zeros_##T};
PE__ROW_KERNELS(f32, pe__add_rows_f32)
PE__ROW_KERNELS(f16, pe__add_rows_f16)
PE__ROW_KERNELS(bf16, pe__add_rows_bf16)
PE__ROW_KERNELS(f64, pe__rows_f64) /* which looks at the verb */
#undef PE__ROW_KERNELS

/* How many rows from row r on, of most, are at t, t + step, t + 2 step ... for a step of 1 or -1,
   where row r has position p? Only positions of 2^-20 are looked at, for which these sums are
   exact, as with any offset. */
static inline size_t pe__run_length(const pe_plan *plan, const pe_at *at, size_t r, size_t most,
                                    size_t axis, double p, double *step)
{
    const double t = p + plan->offset, units = t * 1048576.0;
    double q[PE__POSITIONS];
    *step = 1;
    if (most == 1 || (double)(int64_t)units != units) return 1;
    const double by = pe__position(at, r + 1, axis) + plan->offset - t;
    if (by != 1 && by != -1) return 1;
    *step = by;
    if (at->kind == PE__AT_RANGE) { /* up to the row of the padding position */
        const double before = (plan->padding - p) * by;
        return plan->has_padding && before > 0 && before < (double)most ? (size_t)before : most;
    }
    for (size_t n = 1, some; n < most; n += some) {
        some = pe__min(most - n, PE__POSITIONS);
        pe__positions(at, r + n, some, axis, q);
        for (size_t k = 0; k < some; k++)
            if (q[k] + plan->offset != t + (double)(n + k) * by ||
                (plan->has_padding && q[k] == plan->padding))
                return n + k;
    }
    return most;
}

/* What is copied to make a row of an axis: so many bytes from each place. */
typedef struct pe__pieces {
    size_t count, offset[4], bytes[4];
} pe__pieces;

PE__INLINE pe__pieces pe__pieces_of(const pe__output *output)
{
    const size_t e = output->element, sines = output->sines * e, cosines = output->cosines * e;
    const size_t sine = output->sine * e, cosine = output->cosine * e;
    const size_t repeat = output->repeat_offset * e;
    const size_t repeated = output->order == PE__REPEATED, adjacent = repeated && repeat <= sines;
    pe__pieces p = {1, {pe__min(sine, cosine)}, {sines + cosines}};
    if (output->order == PE__MATRIX) p.bytes[0] *= 2;
    const int separate = sine + sines != cosine && cosine + cosines != sine;
    if (!repeated && (output->order != PE__SPLIT || !separate)) return p;
    p.count = repeated && !adjacent ? 4 : 2;
    p.offset[0] = sine;
    p.offset[1] = cosine;
    p.offset[2] = sine + repeat;
    p.offset[3] = cosine + repeat;
    p.bytes[0] = p.bytes[2] = adjacent ? 2 * sines : sines;
    p.bytes[1] = p.bytes[3] = adjacent ? 2 * cosines : cosines;
    return p;
}
PE__INLINE void pe__copy_row(const pe__pieces *p, unsigned char *row, const unsigned char *from)
{
    memcpy(row + p->offset[0], from + p->offset[0], p->bytes[0]);
    for (size_t i = 1; i < p->count; i++)
        memcpy(row + p->offset[i], from + p->offset[i], p->bytes[i]);
}

/* Rows of a list that have been made, by position and offset together: the rows of what repeats are
   copied from there. Whole numbers within 256 have places of their own, and so have 256 multiples
   of a half, of a quarter ... of 2^-8. */
enum { PE__CACHE_SLOTS = 256, PE__CACHE_MIN_ROWS = 128 }; /* from so many rows on that pays */
typedef struct pe__row_cache {
    size_t misses_left;                 /* so many more rows may be new before none is looked for */
    uint64_t position[PE__CACHE_SLOTS]; /* the bits of a double */
    uint32_t row[PE__CACHE_SLOTS];
    double next[PE__POSITIONS]; /* positions of the rows that come next */
} pe__row_cache;

PE__INLINE size_t pe__cache_slot(double t, uint64_t *bits)
{
    const double fixed = t + 26388279066624.0; /* 1.5 * 2^44: multiples of 2^-8 */
    uint64_t n;
    memcpy(&n, &fixed, sizeof n);
    memcpy(bits, &t, sizeof t);
    return (uint32_t)((n + (n >> 8)) % PE__CACHE_SLOTS);
}
PE__INLINE int pe__cache_has(const pe__row_cache *cache, double t)
{
    uint64_t bits;
    return cache->misses_left && cache->position[pe__cache_slot(t, &bits)] == bits;
}
/* Row r and those behind it, n at most, are copied as far as their positions have rows. */
PE__OUTLINE size_t pe__cache_copy(pe__row_cache *cache, const pe__output *output, size_t r,
                                  size_t n)
{
    const pe_plan *const plan = output->plan;
    const pe__pieces pieces = pe__pieces_of(output);
    size_t k = 0;
    for (uint64_t bits; k < n; k++) {
        const double p = cache->next[k];
        const size_t slot = pe__cache_slot(p + plan->offset, &bits);
        if (cache->position[slot] != bits || (plan->has_padding && p == plan->padding)) break;
        pe__copy_row(&pieces, pe__row_address(output, r + k),
                     pe__row_address(output, cache->row[slot]));
    }
    cache->misses_left = pe__min(cache->misses_left + k, PE__CACHE_SLOTS);
    return k;
}
/* n rows from row r on have been made, at t, t + step ... More than have places are not kept. */
PE__INLINE void pe__cache_insert(pe__row_cache *cache, double t, double step, size_t r, size_t n)
{
    for (size_t k = 0; n <= PE__CACHE_SLOTS && k < n; k++) {
        uint64_t bits;
        const size_t slot = pe__cache_slot(t + (double)k * step, &bits);
        cache->position[slot] = bits;
        cache->row[slot] = (uint32_t)(r + k);
    }
    cache->misses_left -= pe__min(cache->misses_left, n);
}

/* PE_COLUMNS_SUMS: rows of a plan whose frequencies are the sums at a point, at position 1. With
   n <= 8 coordinates a sum is off by n (n + 2) 2^-106 of its terms together, and 2^-102 of itself:
   below 2^-98 of the largest frequency times the coordinates together. */
PE__OUTLINE void pe__write_sums(const pe__output *output, const pe_at *at, size_t first,
                                size_t rows, const pe__row_kernel *kernel)
{
    const pe_plan *const plan = output->plan;
    const size_t pairs = pe__pairs_of(output);
    enum { PE__PAIRS = 128, PE__PADDED = PE__PAIRS + 2 * PE__MAX_LANES };
    double sums[2 * PE__PADDED], point[PE_MAX_AXES];
    const pe__td unit = pe__frequency_unit(plan->unit, plan->half_turns);
    pe_plan one = *plan;
    pe__dd by;
    by.hi = unit.a;
    by.lo = unit.b;
    one.frequency = sums;
    one.padded = PE__PADDED;
    one.point = point;
    for (size_t r = 0; r < rows; r++) {
        double size = 0;
        for (size_t k = 0; k < plan->axes; k++) {
            point[k] = pe__position(at, first + r, at->axes == 1 ? 0 : k) + plan->offset;
            size += fabs(point[k]);
        }
        pe__plan_set_range(&one, pe__exp2i(-98), plan->fastest * size);
        for (size_t done = 0, i; done < pairs; done += PE__PAIRS) {
            pe__output part = pe__output_part(output, done, PE__PAIRS);
            const size_t n = pe__pairs_of(&part);
            one.first = part.pair;
            for (i = 0; i < n; i += PE_LANES) {
                const double *w = plan->matrix + one.first + i;
                pe__vd sum = pe__splat(0.0), rest = sum, e, lost;
                for (size_t k = 0; k < plan->axes; k++, w += plan->matrix_step) {
                    const pe__vd p = pe__two_prod(pe__load(w), pe__splat(point[k]), &e);
                    sum = pe__two_sum(sum, p, &lost);
                    rest = rest + (lost + e);
                }
                pe__dd f;
                f.hi = pe__two_sum(sum, rest, &f.lo);
                f = pe__dd_renormalize(pe__dd_mul(f, by));
                pe__store(sums + i, f.hi);
                pe__store(sums + PE__PADDED + i, f.lo);
            }
            for (; i < n + 2 * PE__MAX_LANES; i++) {
                sums[i] = sums[i - 1];
                sums[PE__PADDED + i] = sums[PE__PADDED + i - 1];
            }
            part.plan = &one;
            part.pair = 0;
            part.out = pe__row_address(output, r);
            kernel->rows(&part, 1.0, 1);
        }
    }
}

/* Where the values of a grid's coordinate lie: each value is followed by cells - 1 rows of the same
   value, and all values recur after a period of rows. */
typedef struct pe__grid {
    size_t cells, period;
} pe__grid;

/* Rows that have been written already are copied to row r and those behind it; returns how many, or
   0 if row r is new. cell: how many rows of its value lie before it; same: it is at the position of
   the row before. */
PE__INLINE size_t pe__copy_repeated_rows(const pe__output *output, const pe_at *at,
                                         const pe__grid *grid, size_t r, size_t rest, size_t cell,
                                         int same)
{
    size_t back = 1, copies = 1; /* rows to the one that is copied; rows that are copies */
    if (cell != 0 && r > 0) copies = pe__min(grid->cells - cell, rest);
    else if (r >= grid->period) {
        back = grid->period;
        copies = rest;
    } else if (!same) return 0;
    else if (at->kind == PE__AT_RANGE) copies = rest;
    const pe__pieces pieces = pe__pieces_of(output);
    for (size_t n = r; n < r + copies; n++) /* not from what was written just now */
        pe__copy_row(&pieces, pe__row_address(output, n),
                     pe__row_address(output, (back == 1 ? r : n) - back));
    return copies;
}

/* n rows for the positions t, t + step, ... (step 1 or -1), so many bytes from one to the next.
   `part` is the caller's own copy: a copy's wide loads would wait for what it has just written. */
PE__INLINE void pe__write_run(pe__output *part, ptrdiff_t stride, double t, double step, size_t n,
                              const pe__row_kernel *kernel)
{
    const double before = step > 0 ? 0 : (double)(n - 1); /* downwards: from the last row up */
    if (step < 0) part->out += (ptrdiff_t)(n - 1) * stride;
    part->stride = step > 0 ? stride : -stride;
    kernel->rows(part, t - before, n);
}

/* The rows of one axis from row first of at on, run after run; repeated rows are copied, padding
   rows zeroed. cache: the row cache of a long list, or NULL. */
PE__OUTLINE void pe__write_axis_runs(const pe__output *output, const pe_at *at, size_t first,
                                     size_t rows, const pe__row_kernel *kernel,
                                     pe__row_cache *cache)
{
    const pe_plan *const plan = output->plan;
    const size_t k = at->axes == 1 ? 0 : output->coordinate;
    const int adds = output->mode == PE__ADD, values = at->kind == PE__AT_GRID && !adds;
    const double nowhere = 1e300;
    pe__grid grid = {1, SIZE_MAX};
    if (values) {
        grid.cells = pe__grid_cells(at, k);
        grid.period = at->size[k];
    }
    double last = nowhere; /* t of the row before */
    pe__output part = *output;
    for (size_t r = 0, run, made = 0; r < rows; r += run) {
        const size_t rest = rows - r;
        const size_t cell = values ? (at->skipped + first + r) % grid.cells : 0;
        const double p = pe__position(at, first + r, k), t = p + plan->offset;
        const int same = t == last && !adds;
        double step = at->back ? -1 : 1;
        last = t;
        run = 1;
        part.out = pe__row_address(output, r);
        if (plan->has_padding && p == plan->padding) {
            const size_t column = pe__min(output->sine, output->cosine);
            kernel->zeros(output, part.out, column, output->sines + output->cosines);
            last = nowhere;
        } else if (grid.cells > 1 &&
                   cell == 0) { /* all values from p on; their other rows follow */
            if (r < made) continue;
            const size_t n = pe__min(grid.period - (size_t)fabs(p), (rest - 1) / grid.cells + 1);
            made = r + n * grid.cells;
            pe__write_run(&part, output->stride * (ptrdiff_t)grid.cells, t, step, n, kernel);
        } else if (cache && pe__cache_has(cache, t)) {
            const size_t n = pe__min(rest, PE__POSITIONS);
            pe__positions(at, first + r, n, k, cache->next);
            run = pe__cache_copy(cache, output, r, n);
            last = cache->next[run - 1] + plan->offset;
        } else {
            const size_t copies = pe__copy_repeated_rows(output, at, &grid, r, rest, cell, same);
            run = copies ? copies : pe__run_length(plan, at, first + r, rest, k, p, &step);
            if (copies) continue;
            last = t + (double)(run - 1) * step;
            pe__write_run(&part, output->stride, t, step, run, kernel);
            if (cache && cache->misses_left) pe__cache_insert(cache, t, step, r, run);
        }
    }
}
PE__OUTLINE void pe__write_axis_cached(const pe__output *output, const pe_at *at, size_t first,
                                       size_t rows, const pe__row_kernel *kernel)
{
    pe__row_cache cache;
    cache.misses_left = PE__CACHE_SLOTS;
    memset(cache.position, 0xff, sizeof cache.position); /* NaNs */
    pe__write_axis_runs(output, at, first, rows, kernel, &cache);
}
PE__OUTLINE void pe__write_axis(const pe__output *output, const pe_at *at, size_t first,
                                size_t rows, const pe__row_kernel *kernel)
{
    const size_t k = at->axes == 1 ? 0 : output->coordinate;
    const int list = at->kind != (int)PE__AT_RANGE && at->kind != (int)PE__AT_GRID;
    const int few = rows < PE__CACHE_MIN_ROWS || rows >> 16 >> 16 != 0; /* or too many */
    if (rows == 1 && !output->plan->has_padding)
        kernel->rows(output, pe__position(at, first, k) + output->plan->offset, 1);
    else if (list && !few && output->mode != PE__ADD)
        pe__write_axis_cached(output, at, first, rows, kernel);
    else pe__write_axis_runs(output, at, first, rows, kernel, NULL);
}

/* ==== src/rows/call.h ==== */
/* The call: arguments checked, axes one by one, batches, f64.
 * Gives: pe__batches, pe__call_rows(), pe__call_batch(), pe__check_request(), pe__write_axes(),
 *   pe__copy_element(), pe__view(), pe_sinusoidal_f32().
 * Needs: simd, api, where, plan, numbers, frequencies.
 * Tests: tests/unit/test_errors.c, tests/unit/test_memory.c. */

/* ---- 6.11 calls ------------------------------------------------------------------------------ */

/* The plan as a call sees it, which may be in *own: differences have no offset and no amplitude,
   the opposite angle has the opposite offset and padding position. */
PE__COLD void pe__view_other(const pe_plan *plan, const pe_at *at, pe_plan *own)
{
    *own = *plan;
    if (at->delta) {
        pe__plan_set_amplitude(own, 1.0);
        own->offset = 0;
        own->has_padding = 0;
    }
    if (at->back) {
        own->offset = -own->offset;
        own->padding = -own->padding;
    }
}
PE__INLINE const pe_plan *pe__view(const pe_plan *plan, const pe_at *at, pe_plan *own)
{
    if (!at->delta && !at->back) return plan;
    pe__view_other(plan, at, own);
    return own;
}

/* Copy an element of 1, 2, 4 or 8 bytes: of a number that is known, memcpy() is no call. */
PE__INLINE void pe__copy_element(unsigned char *to, const unsigned char *from, size_t element)
{
    if (element == 4) memcpy(to, from, 4);
    else if (element == 2) memcpy(to, from, 2);
    else if (element == 8) memcpy(to, from, 8);
    else *to = *from;
}

/* PE_COLUMNS_FREQUENCIES: the rows of an axis, tile by tile: copied to the stack if they are added
   to, filled there, and copied back. */
PE__INLINE void pe__copy_strided(const pe__output *tile, const pe__axis *axis,
                                 const pe__request *request, size_t r, size_t rows, int out)
{
    const size_t n = tile->sines, e = request->element, pair = tile->pair - axis->pair;
    for (size_t k = 0; k < rows; k++)
        for (size_t i = 0; i < 2 * n; i++) {
            const size_t first = i < n ? axis->sine : axis->cosine;
            const size_t column = first + (pair + i % n) * tile->plan->step;
            unsigned char *const x = request->out + (r + k) * request->stride + column * e;
            unsigned char *const y = pe__row_address(tile, k) + i * e;
            pe__copy_element(out ? x : y, out ? y : x, e);
        }
}
PE__COLD void pe__write_axis_strided(const pe_plan *plan, const pe__axis *axis, const pe_at *at,
                                     const pe__request *request)
{
    enum { PE__PAIRS = 64, PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    for (size_t pair = 0; pair < axis->pairs; pair += PE__PAIRS) {
        const size_t n = pe__min(axis->pairs - pair, PE__PAIRS), e = request->element;
        pe__output output = pe__output_split(plan, axis->pair + pair, n, buffer, e);
        output.coordinate = axis->coordinate;
        output.mode = request->mode;
        output.scale = request->scale;
        for (size_t r = 0, rows; r < request->rows; r += rows) {
            rows = pe__min(request->rows - r, PE__BYTES / (2 * n * e));
            if (request->mode == PE__ADD) pe__copy_strided(&output, axis, request, r, rows, 0);
            pe__write_axis(&output, at, r, rows, request->kernel);
            pe__copy_strided(&output, axis, request, r, rows, 1);
        }
    }
}

/* All rows of a call, axis after axis, and the zeros after them. */
PE__OUTLINE void pe__write_axes(const pe_plan *plan, const pe_at *at, const pe__request *request)
{
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *const axis = &plan->axis[a];
        pe__output output = pe__output_of_axis(plan, axis, request);
        if (at->kind != PE__AT_GRID && !plan->step && !plan->matrix)
            pe__choose_store_mode(plan, &output, request->rows);
        if (plan->step) pe__write_axis_strided(plan, axis, at, request);
        else if (plan->matrix) pe__write_sums(&output, at, 0, request->rows, request->kernel);
        else pe__write_axis(&output, at, 0, request->rows, request->kernel);
        if (output.mode == PE__STREAM) pe__fence();
        for (size_t r = 0; axis->zeros && r < request->rows; r++)
            request->kernel->zeros(&output, request->out + r * request->stride, axis->zero,
                                   axis->zeros);
    }
}

/* The calls: check, then write. */
static inline pe_status pe__check_request(const pe_plan *plan, const pe__request *request)
{
    if (!plan || !request->out) return PE_ERR_NULL;
    if (plan->d_model == 0 || plan->order) return PE_ERR_PLAN;
    return pe__check_shape(plan->d_model, request->rows, request->columns, request->element);
}

static inline pe_status pe__call_rows(const pe_plan *plan, const pe_at *at,
                                      const pe__request *request)
{
    pe_plan own;
    if (request->rows == 0) return PE_OK;
    pe_status status = pe__check_request(plan, request);
    if (status != PE_OK) return status;
    const pe_plan *const view = pe__view(plan, at, &own);
    status = pe__check_at(at, request->rows, view->axes, view->offset);
    if (status == PE_OK) pe__write_axes(view, at, request);
    return status;
}

/* What fills the rows of a batch, and what adds them to all batches. */
typedef struct pe__batches {
    size_t count, bytes; /* bytes from batch to batch */
    const pe__row_kernel *kernel;
    pe__row_adder *add;
} pe__batches;

/* The same rows to several batches: filled once, some at a time, into a buffer, and from there
   added to each batch; zeros, too. Returns 0 if a row is too long for the buffer. */
PE__OUTLINE int pe__write_batches(const pe_plan *plan, const pe_at *at, const pe__request *request,
                                  const pe__batches *batches)
{
    enum { PE__BYTES = 8192, PE__LONGEST = 10240 }; /* more rows: +15 % time; a longer one: stack */
    double buffer[PE__LONGEST / sizeof(double)];
    const size_t element = request->element == sizeof(double) ? sizeof(double) : sizeof(float);
    const size_t d = plan->d_model, bytes = d * element;
    const size_t most = bytes > PE__LONGEST ? 0 : pe__max(PE__BYTES / bytes, 1);
    pe__output output = pe__output_of_axis(plan, &plan->axis[0], request);
    output.prefetch_distance = batches->bytes;
    for (size_t r = 0, n; most > 0 && r < request->rows; r += n) {
        n = pe__min(most, request->rows - r);
        const pe_at from = pe_skip(*at, r);
        const pe__request rows = pe__request_of(buffer, element, n, d, batches->kernel);
        pe__write_axes(plan, &from, &rows);
        for (size_t b = 0; b < batches->count; b++)
            for (size_t k = 0; k < n; k++)
                (*batches->add)(&output,
                                request->out + b * batches->bytes + (r + k) * request->stride,
                                (unsigned char *)buffer + k * bytes, d);
    }
    return most > 0;
}

static inline pe_status pe__call_batch(const pe_plan *plan, const pe_at *at, size_t batch_stride,
                                       const pe__request *request, pe__batches *batches)
{
    pe_plan own;
    const size_t count = batches->count;
    if (request->rows == 0 || count == 0) return PE_OK;
    if (count == 1) return pe__call_rows(plan, at, request);
    pe_status status = pe__check_request(plan, request);
    if (status != PE_OK) return status;
    /* either the batches follow each other, or their rows lie between each other's */
    const size_t batch = (request->rows - 1) * request->columns + plan->d_model;
    const size_t limit = (size_t)PTRDIFF_MAX / request->element;
    if (batch_stride > limit / count || batch_stride * (count - 1) > limit - batch)
        return PE_ERR_SIZE;
    if (batch_stride < batch && (batch_stride < plan->d_model ||
                                 (request->columns - plan->d_model) / batch_stride < count - 1))
        return PE_ERR_SHAPE;
    batches->bytes = batch_stride * request->element;
    const pe_plan *const view = pe__view(plan, at, &own);
    status = pe__check_at(at, request->rows, view->axes, view->offset);
    if (status != PE_OK || pe__write_batches(view, at, request, batches)) return status;
    for (size_t b = 0; b < count; b++) {
        pe__request one = *request;
        one.out += b * batches->bytes;
        pe__write_axes(view, at, &one);
    }
    return PE_OK;
}

/* Without a plan: tiles of columns, each with a small plan on the stack. */
PE__OUTLINE pe_status pe__sinusoidal(float *out, size_t rows, size_t d_model)
{
    enum { PE__PAIRS = 32, PE__PADDED = PE__PAIRS + PE__MAX_LANES };
    if (rows == 0) return PE_OK;
    if (!out) return PE_ERR_NULL;
    if (d_model == 0) return PE_ERR_SHAPE;
    pe_config config = pe_config_default(d_model);
    config.expected_rows = rows;
    pe_plan plan;
    if (pe__plan_bytes(&config, &plan) == 0) return PE_ERR_SIZE;
    pe_status status = pe__check_shape(d_model, rows, d_model, sizeof *out);
    if (status == PE_OK) status = pe__check_range(0, rows);
    if (status != PE_OK) return status;

    double memory[PE__PADDED * (2 + 4 * PE__BLOCK_HALF) + PE__MAX_LANES];
    double *const f = pe__aligned(memory);
    pe__geometric g;
    const double denominator[2] = {(double)d_model / 2, 0};
    const pe__td unit = pe__frequency_unit(config.scale, config.half_turns);
    g.step = pe__geometric_step(config.base, denominator);
    pe__geometric_begin(&g, &unit);
    for (size_t column = 0; column < d_model; column += 2 * PE__PAIRS) {
        config.d_model = pe__min(2 * PE__PAIRS, d_model - column);
        (void)pe__plan_bytes(&config, &plan);
        pe__plan_begin(&plan, &config, f);
        plan.first = column / 2;
        plan.axis[0].denominator[0] = denominator[0];
        pe__geometric_fill(&g, column / 2, plan.pairs, f, plan.padded);
        pe__plan_finish(&plan, pe__exp2i(-100), f[0], f);
        plan.d_model = d_model;
        const pe_at at = pe_from(0);
        const pe__request request =
            pe__request_of(out + column, sizeof *out, rows, d_model, &pe__fill_kernel_f32);
        pe__write_axes(&plan, &at, &request);
    }
    return PE_OK;
}
PE_API pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model)
{
    return pe__sinusoidal(out, rows, d_model);
}

/* ==== src/rows/sincos.h ==== */
/* Rows of sines and cosines of given frequencies, without a plan.
 * Gives: pe__sincos_call(), pe__sincos_request, and for each type T
 *   pe__sincos_row_T(), pe__sincos_rows_T().
 * Needs: simd, api, where, plan, numbers, frequencies.
 * Tests: tests/unit/test_theorem.c, tests/unit/test_at.c. */

/* ---- 6.12 rows without a plan -------------------------------------------------------------------
 * A plan of few rows is its frequencies, and those take a fifth of the time of a row: a call makes
 * a plan on the stack for each tile of columns, and where there are many rows, its table. */

/* The arguments of a call: rows of stride elements of the given size. */
typedef struct pe__sincos_request {
    const double *omega;
    size_t pairs, rows, stride, element;
    double amplitude;
    unsigned char *sines, *cosines;
} pe__sincos_request;

/* Makes the rows of a destination, one or any number: which, a call says, so that a program that
   wants one row at a time has no code for more. */
typedef void pe__sincos_kernel(const pe__output *output, const pe_at *at, size_t rows);
#define PE__ROW_KERNELS(T, row)                                                                    \
    PE__OUTLINE void pe__sincos_row_##T(const pe__output *output, const pe_at *at, size_t rows)    \
    {                                                                                              \
        row(output, pe__position(at, 0, 0), rows);                                                 \
    }                                                                                              \
    PE__OUTLINE void pe__sincos_rows_##T(const pe__output *output, const pe_at *at, size_t rows)   \
    {                                                                                              \
        pe__write_axis(output, at, 0, rows, &pe__fill_kernel_##T);                                 \
    }
PE__ROW_KERNELS(f32, pe__row_f32)
PE__ROW_KERNELS(f16, pe__rows_f16)
PE__ROW_KERNELS(bf16, pe__rows_bf16)
PE__ROW_KERNELS(f64, pe__rows_f64)
#undef PE__ROW_KERNELS

/* Pairs of a tile, without a table and with it; and from how many rows on a table, which is used
   once, saves more time than it costs: measured 65 with AVX-512 and 125 with AVX2, 64 pairs. */
enum { PE__TILE_NO_TABLE = 256, PE__TILE_TABLE = 32, PE__SINCOS_MIN_ROWS = 96 };

/* The vector of frequencies at i in half turns to f and g: w / pi as a sum of two doubles, off by
   2^-104. least, sum: the least |w| and the sum of |w| in each lane. */
PE__INLINE void pe__sincos_frequency(const double *omega, size_t i, double *f, double *g,
                                     pe__vd *least, pe__vd *sum)
{
    pe__vd e;
    const pe__vd w = pe__load(omega + i), size = pe__abs(w);
    *least = pe__min_vd(size, *least);
    *sum = *sum + size;
    pe__store(f + i, pe__two_prod(w, pe__splat(pe__inverse_pi[0]), &e));
    pe__store(g + i, pe__fma(w, pe__splat(pe__inverse_pi[1]), e));
}

/* n frequencies to f and, so many doubles further on, g, each with 8 more like the last. Returns
   whether, in magnitude, none is below 2^-900 and all together are at most PE__MAX_FREQUENCY_SUM,
   as most are: then no single one is looked at, and every position is within reach. */
enum { PE__MAX_FREQUENCY_SUM = 32 };
PE__OUTLINE int pe__sincos_frequencies(const double *omega, size_t n, double *f, size_t padded)
{
    const pe__vd low = pe__splat(pe__exp2i(-900)), zero = pe__splat(0.0);
    const pe__vd most = pe__splat((double)PE__MAX_FREQUENCY_SUM / (double)PE_LANES);
    pe__vd least = pe__splat(1.0), sum = zero;
    double w[PE_LANES], *const g = f + padded;
    size_t i = 0;
    for (size_t k = 0; n < PE_LANES && k < PE_LANES; k++) w[k] = omega[pe__min(k, n - 1)];
    for (; i + PE_LANES <= n; i += PE_LANES) pe__sincos_frequency(omega, i, f, g, &least, &sum);
    if (n < PE_LANES) pe__sincos_frequency(w, 0, f, g, &least, &sum);
    else if (i < n) pe__sincos_frequency(omega, n - PE_LANES, f, g, &least, &sum);
    for (i = n; i < n + 8; i += PE_LANES) {
        pe__store(f + i, pe__splat(f[n - 1]));
        pe__store(g + i, pe__splat(g[n - 1]));
    }
    /* the sum times 0 is a NaN, if one of them is */
    return !pe__unequal(pe__min_vd(least, low), low,
                        pe__fma(sum, zero, pe__min_vd(most - sum, zero)), zero);
}

/* A plan of n pairs in memory, as far as rows look at it; none is faster than fastest. */
PE__INLINE void pe__sincos_plan(pe_plan *plan, double amplitude, size_t n, double fastest)
{
    plan->axes = 1;
    plan->first = 0;
    plan->has_padding = plan->half_turns = plan->exact_frequencies = 0;
    plan->offset = plan->base = 0;
    plan->unit = 1;
    plan->table = plan->float32 = plan->matrix = plan->point = NULL;
    plan->order = NULL;
    plan->axis[0].pair = plan->axis[0].coordinate = 0;
    plan->axis[0].pairs = n;
    plan->axis[0].denominator[0] = 1;
    plan->axis[0].denominator[1] = 0;
    pe__plan_set_amplitude(plan, amplitude);
    pe__plan_set_range(plan, pe__exp2i(-104), fastest);
}

/* The rows, tile by tile in aligned memory. */
PE__INLINE pe_status pe__sincos_tiles(const pe__sincos_request *x, const pe_at *at,
                                      pe__sincos_kernel *kernel, double *f, size_t most)
{
    const int sines_first = (uintptr_t)x->sines < (uintptr_t)x->cosines;
    unsigned char *const out = sines_first ? x->sines : x->cosines;
    const size_t size = x->element, gap = (size_t)((sines_first ? x->cosines : x->sines) - out);
    const size_t columns = gap >> (size == 2 ? 1 : size == 4 ? 2 : 3);
    pe_plan plan;
    double fastest = PE__MAX_FREQUENCY_SUM;
    int usual = 1;
    plan.frequency = f;
    for (size_t i = 0; i < x->pairs; i += most) {
        const size_t n = pe__min(x->pairs - i, most);
        usual &= pe__sincos_frequencies(x->omega + i, n, f, most + PE__MAX_LANES);
    }
    for (size_t i = 0; i < x->pairs && !usual; i++) {
        const double w = fabs(x->omega[i]);
        if (w != 0 && !pe__between(w, pe__exp2i(-900), pe__exp2i(21))) return PE_ERR_FREQUENCY;
        fastest = pe__max_abs(fastest, w);
    }
    plan.padded = most + PE__MAX_LANES;
    for (size_t i = 0; i < x->pairs; i += most) {
        const size_t n = pe__min(x->pairs - i, most);
        if (x->pairs > most)
            (void)pe__sincos_frequencies(x->omega + i, n, f, most + PE__MAX_LANES);
        pe__sincos_plan(&plan, x->amplitude, n, fastest);
        if (most == PE__TILE_TABLE) {
            pe__build_rotation_rows(&plan, f + 2 * plan.padded);
            plan.table = f + 2 * plan.padded;
        }
        pe__output output =
            pe__output_split_with(pe__round_element_given, &plan, 0, n, out + i * size, size);
        output.stride = (ptrdiff_t)(x->stride * size);
        output.sine = sines_first ? 0 : columns;
        output.cosine = sines_first ? columns : 0;
        kernel(&output, at, x->rows);
    }
    return PE_OK;
}
PE__OUTLINE pe_status pe__sincos_without_table(const pe__sincos_request *x, const pe_at *at,
                                               pe__sincos_kernel *kernel)
{
    double memory[2 * ((size_t)PE__TILE_NO_TABLE + PE__MAX_LANES) + 8];
    return pe__sincos_tiles(x, at, kernel, pe__aligned(memory), PE__TILE_NO_TABLE);
}
PE__OUTLINE pe_status pe__sincos_with_table(const pe__sincos_request *x, const pe_at *at,
                                            pe__sincos_kernel *kernel)
{
    double memory[(2 + 4 * PE__BLOCK_HALF) * ((size_t)PE__TILE_TABLE + PE__MAX_LANES) + 8];
    return pe__sincos_tiles(x, at, kernel, pe__aligned(memory), PE__TILE_TABLE);
}

/* A call: nothing, or check and write, one row or any number. */
PE__OUTLINE pe_status pe__sincos_call(const pe__sincos_request *x, const pe_at *at, int one,
                                      pe__sincos_kernel *kernel)
{
    if (x->rows == 0 || x->pairs == 0) return PE_OK;
    if (!x->omega || !x->sines || !x->cosines) return PE_ERR_NULL;
    if (!pe__between(fabs(x->amplitude), pe__exp2i(-1000), pe__exp2i(1000))) return PE_ERR_CONFIG;
    pe_status status = pe__check_shape(x->pairs, x->rows, x->stride, x->element);
    /* one row of columns holds both, whole elements from the one to the other */
    if (((uintptr_t)x->sines ^ (uintptr_t)x->cosines) & (x->element - 1)) return PE_ERR_SHAPE;
    if (status == PE_OK) status = pe__check_at(at, x->rows, 1, 0);
    if (status != PE_OK) return status;
    if (one || x->rows < PE__SINCOS_MIN_ROWS) return pe__sincos_without_table(x, at, kernel);
    return pe__sincos_with_table(x, at, kernel);
}

/* ==== src/rope/config.h ==== */
/* A model's RoPE config: defaults, names, errors.
 * Gives: pe__rope, pe__rope_error(), pe__rope_has_ramp(), pe__rope_length_ok(), pe__rope_read(),
 *   pe_rope_config_default(), pe_rope_config_error(), pe_rope_type_named().
 * Needs: simd, api, plan, numbers, frequencies.
 * Tests: tests/unit/test_rope_frequencies.c. */

/* ---- 7. RoPE frequencies ------------------------------------------------------------------------
 * All in double-double, which is off by 2^-99, and by more where a ramp cancels; what that leaves
 * open, pe__rope_round_frequency() makes anew. The branches compare numbers that cannot be equal:
 * the thresholds contain pi, the rest is algebraic. Between low and high the factor of w_i is a
 * line, start + slope x: pe__rope_ramp(). A falling ramp has high < low.
 *
 * One formula for all types, with what the type says of f, of the frequencies' unit and ratio q,
 * and of a ramp:
 *
 *     w_i = unit q^i (m + (1 - m) / f) / factors[i]
 *     m = keep (1 - r), r = (x - low) / (high - low) within 0 ... 1
 *
 * where x is i for YARN, and L0 w_i / 2 pi for LLAMA3, whose ramp falls from high_freq_factor to
 * low_freq_factor. Without a ramp r is 0, and m = keep is 1, or 0 where all are divided by f. */

/* As a function: where size_t has 32 bits, compilers would say that this is always so. */
static inline int pe__rope_length_ok(uint64_t n) { return n <= (uint64_t)1 << 53; }

PE_API pe_rope_config pe_rope_config_default(size_t head_dim)
{
    pe_rope_config config;
    memset(&config, 0, sizeof config); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    config.head_dim = head_dim;
    config.rope_theta = 10000.0;
    config.low_freq_factor = 1.0;
    config.high_freq_factor = 4.0;
    config.beta_fast = 32.0;
    config.beta_slow = 1.0;
    config.extrapolation_factor = 1.0;
    config.truncate = 1;
    config.layout = PE_LAYOUT_HALVES;
    config.axes = 1;
    return config;
}

PE_API pe_status pe_rope_type_named(const char *name, pe_rope_type *type)
{
    static const char names[PE_ROPE_TYPE_COUNT][4][24] = {
        {"default", "none", "mrope", "openpangu"},
        {"linear"},
        {"xdrope"},
        {"ntk"}, /* PE_ROPE_NTK_FIXED */
        {"dynamic"},
        {"llama3"},
        {"yarn", "deepseek_yarn", "deepseek_llama_scaling", "telechat3-yarn"},
        {"longrope", "su"},
        {"proportional"},
    };
    if (!name || !type) return PE_ERR_NULL;
    for (size_t k = 0; k < 4 * (sizeof names / sizeof names[0]); k++) {
        const char *const known = names[k / 4][k % 4];
        size_t c = 0;
        while (name[c] == known[c] && name[c] != '\0') c++;
        if (c == 0 || name[c] != known[c]) continue;
        *type = (pe_rope_type)(k / 4);
        return PE_OK;
    }
    return PE_ERR_ENUM;
}

/* A config with the rules of its type applied, and what all its pairs share. */
typedef struct pe__rope {
    const pe_rope_config *config;
    const double *factors;     /* LONGROPE: the list for this length                     */
    double attention;          /* the attention factor, if given, or 0                   */
    double length, fast, slow; /* L0; YARN's betas                                       */
    size_t rotary;             /* rotary_dim, or head_dim where that is 0 */
    double n, width;           /* rotary dim of a section; the exponents are -2i / width */
    double f[4];               /* f = f[0] f[1] / f[2] + f[3]                            */
    double keep;               /* as in the formula                                      */
    size_t pairs, rotating;    /* of a head; those rotated                               */
    size_t period;             /* pairs after which a section begins anew                */
    int is_long;               /* LONGROPE: more than L0                                 */
    int has_factor;            /* YARN, LONGROPE: f is known                             */
    int is_ggml;               /* the length of the ramp is at least 0.001               */
    pe__td factor;             /* f                                                      */
    pe__geometric all;         /* the powers, and what multiplies all                    */
    pe__dd waves;              /* L0 / 2 pi                                              */
    pe__dd low, high;          /* where the ramp begins and ends                         */
    pe__dd begin, end;         /* what multiplies up to low, and from high on, 1 / f     */
    pe__dd start, slope;       /* between it is start + slope x                          */
    double sign;               /* -1 where it falls                                      */
    double ramp_error, margin; /* what it lacks next to the bounds; how near that is     */
} pe__rope;

PE__INLINE int pe__rope_has_ramp(const pe__rope *r)
{
    return r->config->rope_type == PE_ROPE_LLAMA3 || r->config->rope_type == PE_ROPE_YARN;
}

/* What follows from the fields alone, which may be anything. */
PE__OUTLINE void pe__rope_read(pe__rope *r, const pe_rope_config *config)
{
    const size_t original = config->original_max_position_embeddings;
    const size_t most = config->max_position_embeddings, now = config->sequence_length;
    const pe_rope_type type = config->rope_type;
    const int whole = type == PE_ROPE_PROPORTIONAL, dynamic = type == PE_ROPE_DYNAMIC_NTK;
    const int is_vision = config->axes > 1 && config->section_order == PE_SECTIONS_VISION;
    const size_t length = dynamic ? (most ? most : original) : original ? original : most;
    r->config = config;
    r->length = (double)length;
    r->fast = config->beta_fast > 0 ? config->beta_fast : 32;
    r->slow = config->beta_slow > 0 ? config->beta_slow : 1;
    r->factors = NULL;
    r->attention = config->attention_factor;
    r->is_long = now > length;
    if (type == PE_ROPE_LONGROPE) {
        r->factors = r->is_long ? config->long_factor : config->short_factor;
        if (!(r->attention > 0))
            r->attention = r->is_long ? config->long_mscale : config->short_mscale;
    }
    r->rotary = config->rotary_dim ? config->rotary_dim : config->head_dim;
    r->pairs = (whole ? config->head_dim : r->rotary) / 2;
    r->rotating = is_vision ? r->pairs : r->rotary / 2;
    r->period = is_vision ? config->sections[0] : (SIZE_MAX >> 1) + 1; /* never */
    r->n = is_vision ? 2 * (double)r->period : (double)r->rotary;
    r->width = whole && !is_vision ? (double)config->head_dim : r->n;
    r->keep = type == PE_ROPE_YARN ? config->extrapolation_factor
                                   : type != PE_ROPE_LINEAR && type != PE_ROPE_PROPORTIONAL;
    r->is_ggml = 0;
    r->has_factor = config->factor > 0 || (original && most);
    r->f[0] = config->factor > 0 ? config->factor : 1;
    r->f[1] = r->f[2] = 1;
    r->f[3] = 0;
    if (dynamic) /* f (L - L0) / L0 + 1 */ {
        r->f[1] = r->is_long ? (double)(now - length) : 0;
        r->f[2] = r->length;
        r->f[3] = 1;
    } else if ((type == PE_ROPE_YARN || type == PE_ROPE_LONGROPE) && !(config->factor > 0) &&
             original && most) {
        r->f[0] = (double)most;
        r->f[2] = (double)original;
    }
}

PE__INLINE int pe__rope_number_ok(double x)
{
    return pe__between(x, pe__exp2i(-128), pe__exp2i(128));
}
PE__INLINE int pe__rope_optional_ok(double x) { return x == 0 || pe__rope_number_ok(x); }

/* What must be kept where it is asked for, and the text where it is not. */
typedef struct pe__rule {
    int applies, holds;
    const char *text;
} pe__rule;
PE__INLINE const char *pe__broken_rule(const pe__rule *rules, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (rules[k].applies && !rules[k].holds) return rules[k].text;
    return NULL;
}

/* Each field by itself. */
PE__OUTLINE const char *pe__rope_field_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const double theta = c->rope_theta, e = c->extrapolation_factor;
    const double steps = c->offset * 1048576.0; /* 2^20 */
    const pe__rule rules[] = {
        {1, c->head_dim >= 2 && c->head_dim <= PTRDIFF_MAX / sizeof(double),
         "head_dim must be at least 2 and fit in memory"},
        {1, r->rotary >= 2 && r->rotary % 2 == 0 && r->rotary <= c->head_dim,
         "rotary_dim must be even, at least 2 and at most head_dim; 0 means head_dim, which must "
         "then be even"},
        {1, c->rotary_offset <= c->head_dim && 2 * r->pairs <= c->head_dim - c->rotary_offset,
         "rotary_offset and rotary_dim must sum to at most head_dim; a rotary_dim of 0, and "
         "PROPORTIONAL, rotate all of it"},
        {1, pe__between(theta, 1, pe__exp2i(128)), "rope_theta must be within 1 ... 2^128"},
        {1, (unsigned)c->rope_type < PE_ROPE_TYPE_COUNT, "rope_type must be one of PE_ROPE_..."},
        {1, pe__rope_optional_ok(c->factor),
         "factor must be within 2^-128 ... 2^128, or 0 if there is none"},
        {1, pe__rope_length_ok(c->original_max_position_embeddings),
         "original_max_position_embeddings must be at most 2^53"},
        {1, pe__rope_length_ok(c->max_position_embeddings),
         "max_position_embeddings must be at most 2^53"},
        {1, pe__rope_length_ok(c->sequence_length), "sequence_length must be at most 2^53"},
        {1, pe__rope_optional_ok(c->low_freq_factor) && pe__rope_optional_ok(c->high_freq_factor),
         "low_freq_factor and high_freq_factor must be within 2^-128 ... 2^128, or 0 if there is "
         "none"},
        {1, pe__rope_optional_ok(c->beta_fast) && pe__rope_optional_ok(c->beta_slow),
         "beta_fast and beta_slow must be within 2^-128 ... 2^128, or 0 for 32 and 1"},
        {1, e == 0 || pe__between(e, pe__exp2i(-128), 1),
         "extrapolation_factor must be within 2^-128 ... 1, or 0 (YaRN: 1)"},
        {1, pe__rope_optional_ok(c->mscale) && pe__rope_optional_ok(c->mscale_all_dim),
         "mscale and mscale_all_dim must be within 2^-128 ... 2^128, or 0 if there is none"},
        {1, pe__rope_optional_ok(c->attention_factor),
         "attention_factor must be within 2^-128 ... 2^128, or 0 for the rule of the type"},
        {1, pe__rope_optional_ok(c->short_mscale) && pe__rope_optional_ok(c->long_mscale),
         "short_mscale and long_mscale must be within 2^-128 ... 2^128, or 0 for the rule"},
        {c->rope_interleave, c->layout == PE_LAYOUT_HALVES && r->pairs <= 256,
         "rope_interleave needs PE_LAYOUT_HALVES and a rotary_dim of at most 512"},
        {1, (unsigned)c->layout <= PE_LAYOUT_HALVES, "layout must be one of PE_LAYOUT_..."},
        {1, (unsigned)c->angle <= PE_ANGLE_FLOAT32, "angle must be one of PE_ANGLE_..."},
        {1, pe__between(c->offset, -2147483648.0, 2147483648.0) && steps == (double)(int64_t)steps,
         "offset must be a multiple of 2^-20 within -2^31 ... 2^31"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* The lengths of the lists, before any list is read. */
PE__OUTLINE const char *pe__rope_list_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const pe__rule rules[] = {
        {1, pe__list_ok(c->short_factor, c->short_factor_length, r->rotary / 2),
         "short_factor has short_factor_length numbers and needs rotary_dim / 2 (head_dim / 2 if "
         "that is 0); with NULL the length must be 0"},
        {1, pe__list_ok(c->long_factor, c->long_factor_length, r->rotary / 2),
         "long_factor has long_factor_length numbers and needs rotary_dim / 2 (head_dim / 2 if "
         "that is 0); with NULL the length must be 0"},
        {1, pe__list_ok(c->freq_factors, c->freq_factors_length, r->pairs),
         "freq_factors has freq_factors_length numbers and needs rotary_dim / 2 (head_dim / 2 if "
         "that is 0, and for PROPORTIONAL); with NULL the length must be 0"},
        {1, pe__list_ok(c->coordinate, c->coordinate_length, r->pairs),
         "coordinate has coordinate_length numbers and needs rotary_dim / 2 (head_dim / 2 if that "
         "is 0, and for PROPORTIONAL); with NULL the length must be 0"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* Axes and their sections. */
PE__WRAPS PE__OUTLINE const char *pe__rope_axes_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const int several = c->axes > 1, vision = several && c->section_order == PE_SECTIONS_VISION;
    const int listed = c->coordinate != NULL;
    const int blocks = several && !listed && c->section_order != PE_SECTIONS_INTERLEAVED;
    size_t left = r->pairs; /* that no section has */
    int fit = 1, equal = 1;
    for (size_t a = 0; a < c->axes && a < PE_MAX_AXES; a++) {
        fit &= c->sections[a] <= left;
        equal &= c->sections[a] == r->pairs / c->axes;
        left -= c->sections[a];
    }
    const pe__rule rules[] = {
        {1, c->axes >= 1 && c->axes <= PE_MAX_AXES,
         "axes must be 1 ... PE_MAX_AXES; start from pe_rope_config_default(), which sets it"},
        {several, (unsigned)c->section_order <= PE_SECTIONS_VISION,
         "section_order must be one of PE_SECTIONS_..."},
        {listed, c->section_order == PE_SECTIONS_BLOCKS && left == r->pairs,
         "coordinate is instead of sections, which must be 0, and of section_order"},
        {listed, pe__coordinates_ok(c->coordinate, r->pairs, c->axes),
         "coordinate must hold numbers below axes, or 255"},
        {blocks, fit && left == 0, "sections must sum to the pairs"},
        {vision, equal, "sections of a vision tower must be of equal length"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* What the type needs. */
PE__OUTLINE const char *pe__rope_type_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const pe_rope_type type = c->rope_type;
    const int ntk = type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK;
    const int yarn = type == PE_ROPE_YARN, longrope = type == PE_ROPE_LONGROPE;
    const int scales =
        ntk || type == PE_ROPE_LLAMA3 || type == PE_ROPE_LINEAR || type == PE_ROPE_NTK_FIXED;
    const int vision = c->axes > 1 && c->section_order == PE_SECTIONS_VISION;
    const pe__rule rules[] = {
        {ntk, r->rotary >= (vision ? 4 * c->axes : 4),
         "NTK and DYNAMIC_NTK need a rotary_dim of at least 4, for each axis of a vision tower"},
        {type == PE_ROPE_DYNAMIC_NTK, r->length > 0, "DYNAMIC_NTK needs max_position_embeddings"},
        {type == PE_ROPE_LLAMA3, r->length > 0, "LLAMA3 needs original_max_position_embeddings"},
        {type == PE_ROPE_LLAMA3,
         c->low_freq_factor > 0 && c->low_freq_factor <= c->high_freq_factor,
         "LLAMA3 needs a low_freq_factor, and a high_freq_factor of at least that (Llama 3: 1 and "
         "4)"},
        {yarn, r->length > 0, "YARN needs original_max_position_embeddings"},
        {yarn, c->rope_theta > 1, "YARN needs a rope_theta above 1"},
        {yarn, c->rope_theta >= 2 || r->slow <= r->fast,
         "beta_fast must be at least beta_slow in YARN with a rope_theta below 2"},
        {yarn, r->has_factor,
         "YARN needs a factor, or both max_position_embeddings and "
         "original_max_position_embeddings"},
        {longrope, r->length >= 2,
         "LONGROPE needs an original_max_position_embeddings of at least 2"},
        {longrope && r->is_long, r->factors != NULL, "long_factor is NULL"},
        {longrope, r->factors != NULL, "short_factor is NULL"},
        {longrope, r->has_factor || r->attention > 0,
         "LONGROPE needs a factor, or both max_position_embeddings and "
         "original_max_position_embeddings, or an attention_factor"},
        {type == PE_ROPE_PROPORTIONAL, c->head_dim % 2 == 0, "PROPORTIONAL needs an even head_dim"},
        {scales, c->factor > 0, "this rope_type needs a factor above 0"},
    };
    return pe__broken_rule(rules, sizeof rules / sizeof rules[0]);
}

/* The first that is wrong, lists last. */
PE__OUTLINE const char *pe__rope_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const char *text = pe__rope_field_error(r);
    if (!text) text = pe__rope_list_error(r);
    if (!text) text = pe__rope_axes_error(r);
    if (!text) text = pe__rope_type_error(r);
    for (size_t i = 0; !text && r->factors && i < r->rotary / 2; i++)
        if (!pe__rope_number_ok(r->factors[i]))
            text = r->is_long ? "long_factor must hold numbers in 2^-128 ... 2^128"
                              : "short_factor must hold numbers in 2^-128 ... 2^128";
    for (size_t i = 0; !text && c->freq_factors && i < r->pairs; i++)
        if (!pe__rope_number_ok((double)c->freq_factors[i]))
            text = "freq_factors must hold numbers within 2^-128 ... 2^128";
    return text;
}

PE_API const char *pe_rope_config_error(const pe_rope_config *config)
{
    pe__rope r;
    if (!config) return "the config is NULL";
    pe__rope_read(&r, config);
    return pe__rope_error(&r);
}

/* ==== src/rope/exact.h ==== */
/* One frequency of RoPE by integers, where double-double does not decide its last bit.
 * Gives: pe__rope_round_frequency(), pe__rope_real_factor().
 * Needs: simd, api, numbers.
 * Tests: tests/checks/levels.sh. */

/* YaRN: sign c(beta), at least the given number, rounded down if the config wants whole numbers;
   unsure: more limbs may give another one. */
PE__COLD pe__real pe__rope_real_bound(const pe__rope *r, double beta, double sign, double least,
                                      int n, int *unsure)
{
    pe__real x = pe__real_pi(n), c = pe__real_of(r->length, n);
    pe__real_mul_double(&x, 2 * beta);
    pe__real_div(&c, &x);
    pe__real_log(&c);
    pe__real_mul_double(&c, sign * r->n / 2);
    x = pe__real_of(r->config->rope_theta, n);
    pe__real_log(&x);
    pe__real_div(&c, &x);
    x = c;
    pe__real_add_double(&x, -least);
    if (x.sign <= 0) {
        c = pe__real_of(least, n);
    } else if (r->config->truncate) {
        double whole = pe__real_to_double(&c);
        if (whole > pe__exp2i(52)) {
            whole = pe__exp2i(52);
        } else {
            whole = pe__round_to_integer(whole);
            pe__real_add_double(&c, -whole);
            *unsure |= !pe__real_has_sign(&c);
            whole -= c.sign < 0;
        }
        c = pe__real_of(whole, n);
    }
    return c;
}

/* m of pair i, whose w_i without it is w; f as in pe__rope_round_frequency(). */
PE__COLD pe__real pe__rope_real_keep(const pe__rope *r, double i, const pe__real *w, int *unsure)
{
    const pe_rope_config *const config = r->config;
    const int n = w->n;
    pe__real x = pe__real_of(r->keep, n), y, low, span;
    if (!pe__rope_has_ramp(r)) return x;
    if (config->rope_type == PE_ROPE_LLAMA3) {
        x = *w;
        y = pe__real_pi(n);
        pe__real_mul_double(&x, r->length / 2);
        pe__real_div(&x, &y);
        low = pe__real_of(config->high_freq_factor, n);
        span = pe__real_of(config->low_freq_factor, n);
        pe__real_add(&span, &low, -1);
    } else {
        x = pe__real_of(i, n);
        low = pe__rope_real_bound(r, r->fast, 1, 0, n, unsure);
        span = pe__rope_real_bound(r, r->slow, -1, 1 - r->n, n, unsure);
        pe__real_add(&span, &low, 1);
        span.sign = -span.sign;
        y = pe__real_of(1, n);
        pe__real_div_u32(&y, 1000);
        pe__real least = y;
        pe__real_add(&y, &span, -1);
        const int empty =
            !pe__real_has_sign(&span) && (pe__real_is_exact(&span) || r->fast == r->slow);
        if (empty || (r->is_ggml && y.sign > 0)) span = least;
        *unsure |= !pe__real_has_sign(&span);
    }
    pe__real_add(&x, &low, -1);
    if (span.sign <= 0) {
        span.sign = -span.sign;
        x.sign = -x.sign;
    }
    *unsure |= !pe__real_has_sign(&x) && !pe__real_is_exact(&x);
    y = x;
    pe__real_add(&y, &span, -1);
    if (x.sign <= 0 || y.sign >= 0) x = pe__real_of(x.sign > 0, n);
    else pe__real_div(&x, &span);
    x.sign = -x.sign;
    pe__real_add_double(&x, 1);
    pe__real_mul_double(&x, r->keep);
    return x;
}

/* f */
PE__COLD pe__real pe__rope_real_factor(const pe__rope *r, int n)
{
    pe__real f = pe__real_of(r->f[0], n);
    pe__real_mul_double(&f, r->f[1]);
    pe__real_div_double(&f, r->f[2]);
    pe__real_add_double(&f, r->f[3]);
    return f;
}

/* The frequency of a pair, correctly rounded. */
PE__COLD double pe__rope_round_frequency(const pe__rope *r, size_t pair)
{
    const pe_rope_type type = r->config->rope_type;
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const size_t index = pair % r->period;
    const double i = (double)index;
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        int unsure = 0;
        pe__real f = pe__rope_real_factor(r, n), w = pe__real_of(r->config->rope_theta, n), x, z;
        pe__real_log(&w);
        pe__real_mul_double(&w, -2 * i);
        pe__real_div_double(&w, r->width);
        if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
            z = f;
            pe__real_log(&z);
            pe__real_mul_double(&z, -2 * (i + fixed));
            pe__real_div_double(&z, r->n - (fixed ? 0 : 2));
            pe__real_add(&w, &z, 1);
        }
        pe__real_exp(&w);
        z = x = pe__rope_real_keep(r, i, &w, &unsure);
        z.sign = -z.sign;
        pe__real_add_double(&z, 1);
        pe__real_div(&z, &f);
        pe__real_add(&x, &z, 1);
        pe__real_mul(&w, &x);
        if (r->factors) pe__real_div_double(&w, r->factors[index]);
        if (r->config->freq_factors) pe__real_div_double(&w, (double)r->config->freq_factors[pair]);
        const int last = n == PE__LIMBS;
        if ((!unsure || last) && pe__real_round(&w, 0, last, &y)) return y;
    }
}

/* ==== src/rope/frequencies.h ==== */
/* RoPE's frequencies by double-double, 64 at a time.
 * Gives: pe__rope_all_frequencies(), pe__rope_begin(), pe__rope_log2_factor(),
 *   pe__rope_next_frequencies().
 * Needs: simd, api, numbers, frequencies.
 * Tests: tests/unit/test_rope_frequencies.c, tests/checks/levels.sh. */

/* YaRN: sign c(beta), where c(beta) = -log2(L0 / 2 pi beta) / step is the pair that turns beta
   times in L0 positions, but at least the given number; and its floor, if the config wants whole
   numbers, else *low is its second double. The logarithms are off by 2^-94 at most, for numbers of
   8 bits before the point (L0 <= 2^53, beta >= 2^-128), and ratio and step by 2^-101 of themselves:
   e has more than all of these. If a floor is closer than e, ramp_error = 1 leaves all pairs on the
   ramp to integers. From 2^52 on no pair can tell which: there are not so many. */
PE__OUTLINE double pe__rope_bound(pe__rope *r, double beta, double sign, double least, double *low)
{
    static const double log2_pi[2] = {2.651496129472319, -1.4306827340855198e-16}; /* of 2 pi */
    const pe__dd step = pe__dd_from_td(r->all.step);
    const pe__dd length = pe__dd_from_td(pe__td_log2_of(r->length));
    const pe__dd rotations = pe__dd_sub(length, pe__dd_from_td(pe__td_log2_of(beta)));
    const pe__dd c = pe__dd_div(pe__dd_sub(rotations, pe__dd_splat(log2_pi)), step);
    const double a = -sign * pe__first_lane(c.hi), b = -sign * pe__first_lane(c.lo);
    const double e = pe__exp2i(-90) / -pe__first_lane(step.hi);
    *low = 0;
    if (a - least + b <= 0) return least;
    if (!r->config->truncate) {
        r->ramp_error = e;
        *low = b;
        return a;
    }
    if (a > pe__exp2i(52)) return pe__exp2i(52);
    const double off = a - pe__round_to_integer(a) + b;
    if (pe__between(off, -e, e)) r->ramp_error = 1;
    return pe__round_to_integer(a) - (off < 0);
}

/* Where the ramp begins and ends, and the line between. A ramp that ends where it begins gets the
   length 0.001 that models' code gives it; ggml gives it to any shorter one. ramp_error: how far
   the line is off, at most, where each end is by e: slope e for low, 2 slope e for their distance;
   4 leave room. margin: so near to an end x may be on its other side. */
PE__OUTLINE void pe__rope_ramp(pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe__dd one = pe__dd_from_double(pe__splat(1.0));
    const pe__dd least = pe__dd_div(one, pe__dd_from_double(pe__splat(1000.0)));
    const pe__dd scaled = pe__dd_sub(one, r->end); /* 1 - 1 / f */
    double low[2] = {config->high_freq_factor, 0}, high[2] = {config->low_freq_factor, 0};
    r->ramp_error = 0;
    r->waves = pe__dd_mul_double(pe__dd_splat(pe__inverse_pi), 0.5 * r->length);
    if (config->rope_type != PE_ROPE_LLAMA3) {
        low[0] = pe__rope_bound(r, r->fast, 1, 0, &low[1]);
        high[0] = -pe__rope_bound(r, r->slow, -1, 1 - r->n, &high[1]);
        high[1] = -high[1];
    }
    r->low = pe__dd_splat(low);
    r->high = pe__dd_splat(high);
    pe__dd span = pe__dd_sub(r->high, r->low);
    double length = pe__first_lane(span.hi);
    if (config->rope_type != PE_ROPE_LLAMA3 && (length == 0 || (r->is_ggml && length < 0.001))) {
        span = least;
        length = 0.001;
        r->high = pe__dd_add(r->low, least);
    }
    r->sign = length > 0 ? 1 : -1;
    /* keep + (1 - keep) / f: where f is tiny, 1 / f + keep (1 - 1 / f) would cancel */
    const pe__dd keep = pe__dd_from_double(pe__splat(r->keep));
    r->begin = pe__dd_renormalize(pe__dd_add(pe__dd_mul(r->end, pe__dd_sub(one, keep)), keep));
    r->slope = pe__dd_from_double(pe__splat(0.0)); /* LLAMA3 with equal factors: a step */
    if (length != 0) r->slope = pe__dd_div(pe__dd_mul_double(scaled, -r->keep), span);
    const pe__dd fall = pe__dd_mul(r->low, r->slope);
    r->start = pe__dd_sub(r->begin, fall);
    r->margin = 2 * r->ramp_error + pe__exp2i(-90) * (fabs(low[0]) + fabs(high[0]));
    r->ramp_error *= 4 * fabs(pe__first_lane(r->slope.hi));
    /* start is what is left of two numbers, and has their errors */
    r->ramp_error += pe__exp2i(-99) * (pe__first_lane(pe__abs(r->begin.hi)) +
                                       pe__first_lane(pe__abs(fall.hi)));
    if (length == 0) r->ramp_error = 1 / pe__exp2i(-900); /* a step: next to it anything may be */
}

/* log2 f, to 2^-104 of 1 or of itself. Where f is f[0] / f[2], two numbers that people
   write, pe__td_log2_of() of each is faster than the logarithm of the ratio. */
PE__OUTLINE pe__td pe__rope_log2_factor(const pe__rope *r)
{
    if (r->f[3] != 0) return pe__td_log2(r->factor);
    return pe__td_sub(pe__td_log2_of(r->f[0]), pe__td_log2_of(r->f[2]));
}

/* What all pairs share, of a config that is right. NTK takes theta f^(n / (n - 2)) for theta: for
   log2 q that is -log2 f / (n / 2 - 1) more. NTK_FIXED has f^(-2 (i + 1) / n), hence its unit. */
PE__OUTLINE void pe__rope_begin(pe__rope *r)
{
    const pe_rope_type type = r->config->rope_type;
    const double half[2] = {0.5 * r->width, 0};
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const pe__td product = pe__td_mul_double(pe__td_splat(r->f[0]), pe__splat(r->f[1]));
    pe__td unit = pe__td_splat(1.0);
    r->all.step = pe__geometric_step(r->config->rope_theta, half);
    r->factor = pe__td_add(pe__td_div_double(product, pe__splat(r->f[2])), pe__td_splat(r->f[3]));
    r->end = pe__dd_div(pe__dd_from_td(unit), pe__dd_from_td(r->factor));
    if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
        const double n = r->n - (fixed ? 0 : 2);
        const pe__td more = pe__td_div_double(pe__rope_log2_factor(r), pe__splat(-0.5 * n));
        r->all.step = pe__td_add(r->all.step, more);
        if (fixed) unit = pe__td_exp2(more);
    }
    if (r->keep == 0 && !pe__rope_has_ramp(r)) {
        unit.a = r->end.hi;
        unit.b = r->end.lo;
    }
    pe__geometric_begin(&r->all, &unit);
    if (pe__rope_has_ramp(r)) pe__rope_ramp(r);
}

/* Multiply the frequencies w of a vector of indices by what the ramp says: begin up to low, end
   from high on, start + slope x between. Returns by how much the factor may be off, relatively:
   next to a bound by what double-double loses where they cancel, and by the bounds' own errors. */
PE__INLINE pe__vd pe__rope_apply_ramp(const pe__rope *r, pe__vd index, pe__dd *w)
{
    const pe__vd sign = pe__splat(r->sign), margin = pe__splat(r->margin), zero = pe__splat(0.0);
    pe__dd x = pe__dd_from_double(index);
    if (r->config->rope_type == PE_ROPE_LLAMA3)
        x = pe__dd_mul(*w, r->waves);
    const pe__dd climb = pe__dd_mul(x, r->slope);
    pe__dd y = pe__dd_renormalize(pe__dd_add(r->start, climb));
    /* absolute, as start and climb may cancel */
    pe__vd error = (pe__abs(r->start.hi) + pe__abs(climb.hi)) * pe__splat(pe__exp2i(-99));
    const pe__vd below = ((r->low.hi - x.hi) + (r->low.lo - x.lo)) * sign;
    const pe__vd above = ((x.hi - r->high.hi) + (x.lo - r->high.lo)) * sign;
    y.hi = pe__where_positive(above, r->end.hi, pe__where_positive(below, r->begin.hi, y.hi));
    y.lo = pe__where_positive(above, r->end.lo, pe__where_positive(below, r->begin.lo, y.lo));
    error = error + pe__splat(r->ramp_error);
    /* well before and behind the ramp nothing is in doubt */
    error =
        pe__where_positive(above - margin, zero, pe__where_positive(below - margin, zero, error));
    y.hi = pe__where_positive(pe__abs(y.hi), y.hi, error); /* all is lost: any number, and no 0 /
                                                              0 */
    *w = pe__dd_mul(*w, y);
    return error / pe__abs(y.hi);
}

/* The frequencies of a section from a pair on, at most 64, correctly rounded. Returns how many.
   Lists are copied, with 1 behind their end: vectors may reach beyond it. */
PE__OUTLINE size_t pe__rope_next_frequencies(const pe__rope *r, size_t pair, double *omega)
{
    const size_t index = pair % r->period, left = pe__min(r->rotating - pair, r->period - index);
    const size_t n = pe__min(left, PE__FREQUENCY_TILE);
    const float *const more = r->config->freq_factors;
    double w[2 * PE__FREQUENCY_TILE], list[2][PE__FREQUENCY_TILE];
    pe__geometric_fill(&r->all, index, n, w, PE__FREQUENCY_TILE);
    for (size_t i = 0; i < PE__FREQUENCY_TILE && r->factors; i++)
        list[0][i] = i < n ? r->factors[index + i] : 1.0;
    for (size_t i = 0; i < PE__FREQUENCY_TILE && more; i++)
        list[1][i] = i < n ? (double)more[pair + i] : 1.0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd lanes = pe__iota() + pe__splat((double)(index + i));
        pe__vd e = pe__splat(pe__exp2i(-99)); /* relative */
        pe__dd y = {pe__load(w + i), pe__load(w + PE__FREQUENCY_TILE + i)};
        if (pe__rope_has_ramp(r)) e = e + pe__rope_apply_ramp(r, lanes, &y);
        if (r->factors) y = pe__dd_div(y, pe__dd_from_double(pe__load(list[0] + i)));
        if (more) y = pe__dd_div(y, pe__dd_from_double(pe__load(list[1] + i)));
        e = e * y.hi;
        const pe__vd up = y.hi + (y.lo + e), down = y.hi + (y.lo - e);
        pe__store(w + i, up);
        if (PE__UNLIKELY(pe__unequal(up, down, up, down))) {
            double other[PE_LANES];
            pe__store(other, down);
            for (size_t lane = 0; lane < PE_LANES && i + lane < n; lane++)
                if (w[i + lane] != other[lane])
                    w[i + lane] = pe__rope_round_frequency(r, pair + i + lane);
        }
    }
    memcpy(omega, w, n * sizeof *omega);
    return n;
}

/* All of them; pairs that do not turn have 0. */
PE__OUTLINE void pe__rope_all_frequencies(const pe__rope *r, double *omega)
{
    for (size_t i = 0; i < r->rotating; i += pe__rope_next_frequencies(r, i, omega + i)) {}
    for (size_t i = r->rotating; i < r->pairs; i++) omega[i] = 0;
}

/* ==== src/rope/attention.h ==== */
/* RoPE's attention factor; its public frequencies.
 * Gives: pe__rope_attention(), pe__rope_factor(), pe__rope_read_checked(), pe_rope_frequencies().
 * Needs: simd, api, numbers.
 * Tests: tests/unit/test_rope_frequencies.c, tests/checks/levels.sh. */

/* 0.1 scale ln f + 1 */
PE__INLINE pe__dd pe__rope_mscale(pe__dd log_factor, double scale)
{
    const pe__dd one = pe__dd_from_double(pe__splat(1.0));
    const pe__dd ten = pe__dd_from_double(pe__splat(10.0));
    return pe__dd_add(pe__dd_div(pe__dd_mul_double(log_factor, scale), ten), one);
}
PE__COLD pe__real pe__rope_real_mscale(const pe__real *log_factor, double scale)
{
    pe__real x = *log_factor;
    pe__real_mul_double(&x, scale);
    pe__real_div_u32(&x, 10);
    pe__real_add_double(&x, 1);
    return x;
}

/* by (0.1 mscale ln f + 1) / (0.1 all_dim ln f + 1), with LONGROPE the root of 1 + ln f / ln L0;
   correctly rounded. */
PE__COLD double pe__rope_round_factor(const pe__rope *r, double mscale, double all_dim, double by)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        pe__real f = pe__rope_real_factor(r, n), x, z;
        pe__real_log(&f);
        if (r->config->rope_type == PE_ROPE_LONGROPE) {
            x = f;
            z = pe__real_of(r->length, n);
            pe__real_log(&z);
            pe__real_div(&x, &z);
            pe__real_add_double(&x, 1);
            pe__real_log(&x);
            pe__real_mul_double(&x, 0.5);
            pe__real_exp(&x);
        } else {
            x = pe__rope_real_mscale(&f, mscale);
            z = pe__rope_real_mscale(&f, all_dim);
            pe__real_div(&x, &z);
        }
        pe__real_mul_double(&x, by);
        if (pe__real_round(&x, 0, n == PE__LIMBS, &y)) return y;
    }
}

/* The same in triple-double, which is off by 2^-92: ln f is off by 2^-147, and not below 2^-53. No
   result is the middle of two doubles: ln f is transcendental, and so is what has it but for equal
   scales; where ln f / ln L0 is rational its denominator is below 53 and the root irrational or a
   fraction of at most 5 bits over 2, 4 or an odd number. */
PE__OUTLINE double pe__rope_factor(const pe__rope *r, double mscale, double all_dim, double by)
{
    const pe__dd log2_factor = pe__dd_from_td(pe__rope_log2_factor(r));
    const pe__dd log_factor = pe__dd_mul(log2_factor, pe__dd_splat(pe__ln2));
    pe__dd y = pe__rope_mscale(log_factor, mscale);
    double x;
    if (r->config->rope_type == PE_ROPE_LONGROPE) { /* the root by a logarithm and a power */
        pe__td root = pe__td_splat(1.0);
        y = pe__dd_div(log2_factor, pe__dd_from_td(pe__td_log2_of(r->length)));
        y = pe__dd_add(y, pe__dd_from_td(root));
        root.a = y.hi;
        root.b = y.lo;
        y = pe__dd_from_td(pe__td_exp2(pe__td_mul_pow2(pe__td_log2(root), pe__splat(0.5))));
    } else if (all_dim > 0) {
        y = pe__dd_div(y, pe__rope_mscale(log_factor, all_dim));
    }
    y = pe__dd_mul_double(y, by);
    const double hi = pe__first_lane(y.hi), lo = pe__first_lane(y.lo);
    if (pe__ziv_test(hi, lo, hi * pe__exp2i(-90), 1, 0, &x)) return x;
    return pe__rope_round_factor(r, mscale, all_dim, by);
}

PE__OUTLINE double pe__rope_attention(const pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe__td one = pe__td_splat(1.0);
    const int longrope = config->rope_type == PE_ROPE_LONGROPE;
    const int both = config->mscale > 0 && config->mscale_all_dim > 0;
    if (r->attention > 0) return r->attention;
    if ((!longrope && config->rope_type != PE_ROPE_YARN) ||
        !(pe__first_lane(pe__td_sub(r->factor, one).a) > 0))
        return 1.0;
    return both ? pe__rope_factor(r, config->mscale, config->mscale_all_dim, 1)
                : pe__rope_factor(r, 1, 0, 1);
}

/* Begin with a config that may be wrong. */
static inline pe_status pe__rope_read_checked(pe__rope *r, const pe_rope_config *config)
{
    pe__rope_read(r, config);
    if (config->rope_type == PE_ROPE_LONGROPE && !r->factors) return PE_ERR_NULL;
    if (pe__rope_error(r)) return PE_ERR_CONFIG;
    pe__rope_begin(r);
    return PE_OK;
}

PE_API pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                     double *attention_factor)
{
    pe__rope r;
    if (!config || !omega) return PE_ERR_NULL;
    const pe_status status = pe__rope_read_checked(&r, config);
    if (status != PE_OK) return status;
    pe__rope_all_frequencies(&r, omega);
    if (attention_factor) *attention_factor = pe__rope_attention(&r);
    return PE_OK;
}

/* ==== src/rope/plan.h ==== */
/* RoPE's plan.
 * Gives: pe_rope_plan_init(), pe_rope_plan_size().
 * Needs: simd, api, plan, numbers.
 * Tests: tests/unit/test_rope.c. */

/* The plan's side of a RoPE config that is right: all but amplitude and frequencies. */
static inline pe_config pe__rope_plan_config(const pe__rope *r)
{
    pe_config config = pe_config_default(2 * r->pairs);
    config.layout = r->config->layout;
    config.offset = r->config->offset;
    config.angle = r->config->angle;
    config.expected_rows = r->config->expected_rows;
    return config;
}

/* Does a list tell which coordinate rotates a pair: the config's, or interleaved sections'? */
static inline int pe__rope_listed(const pe_rope_config *rope)
{
    return rope->coordinate || (rope->axes > 1 && rope->section_order == PE_SECTIONS_INTERLEAVED);
}

/* Lays the plan out; the bytes that it takes, 0 if the config is wrong. */
static inline size_t pe__rope_plan_bytes(const pe__rope *r, const pe_config *config, pe_plan *plan)
{
    const int listed = pe__rope_listed(r->config);
    if (pe__plan_bytes(config, plan) == 0) return 0;
    if (listed) pe__plan_join_axes(plan, r->config->axes);
    return pe__plan_memory(plan, config, listed);
}

PE_API size_t pe_rope_plan_size(const pe_rope_config *rope)
{
    pe__rope r;
    pe_plan plan;
    if (pe_rope_config_error(rope)) return 0;
    pe__rope_read(&r, rope);
    const pe_config config = pe__rope_plan_config(&r);
    return pe__rope_plan_bytes(&r, &config, &plan);
}

PE_API pe_status pe_rope_plan_init(pe_plan *plan, const pe_rope_config *rope, void *memory,
                                   size_t memory_size)
{
    pe_plan made;
    pe__rope r;
    pe_status status = pe__init_begin(plan, rope, memory);
    if (status == PE_OK) status = pe__rope_read_checked(&r, rope);
    if (status != PE_OK) return status;
    pe_config config = pe__rope_plan_config(&r);
    const size_t size = pe__rope_plan_bytes(&r, &config, &made);
    if (size == 0) return PE_ERR_CONFIG;
    if (memory_size < size) return PE_ERR_SIZE;
    /* where one may be larger than 1, all are looked at before anything is written */
    const int risky = r.factors || rope->freq_factors || pe__first_lane(r.factor.a) < 1;
    for (size_t i = 0, n; risky && i < r.rotating; i += n) {
        double w[PE__FREQUENCY_TILE];
        n = pe__rope_next_frequencies(&r, i, w);
        if (pe_frequency_error(&config, w, n, NULL)) return PE_ERR_FREQUENCY;
    }
    double *const f = pe__aligned(memory);
    config.amplitude = pe__rope_attention(&r);
    pe__plan_begin(&made, &config, f);
    pe__rope_all_frequencies(&r, f);
    if (pe__rope_listed(rope)) {
        uint8_t *const order = pe__order_memory(&made, &config, f);
        for (size_t i = 0; i < made.pairs; i++) {
            const size_t k = i % made.axes, own = i / made.axes < rope->sections[k] ? k : 0;
            order[made.pairs + i] = rope->coordinate ? rope->coordinate[i] : (uint8_t)own;
        }
        pe__plan_sort_pairs(&made, order);
    } else if (rope->axes > 1) { /* axes share the columns: each has some of the pairs */
        const pe__axis all = made.axis[0];
        const size_t step = rope->layout == PE_LAYOUT_HALVES ? 1 : 2;
        made.axes = rope->axes;
        made.joint = 1;
        for (size_t a = 0, pair = 0; a < made.axes; pair += rope->sections[a++]) {
            pe__axis *const axis = &made.axis[a];
            *axis = all;
            axis->sine += step * pair;
            axis->cosine += step * pair;
            axis->sines = axis->cosines = axis->pairs = rope->sections[a];
            axis->pair += pair;
            axis->coordinate = a;
        }
    }
    pe__plan_fill_omega(&made, &config, f, f);
    made.rope_interleave = rope->rope_interleave != 0;
    made.rotary_offset = rope->rotary_offset;
    *plan = made;
    return PE_OK;
}

/* ==== src/rope/pairs.h ==== */
/* Pairs of elements rotated: a vector, a unit, a head, some heads of a token.
 * Gives: PE__ROPE_PAIRS, PE__ROPE_TILE, PE__ROPE_UNIT, pe__angles, pe__heads, pe__section,
 *   pe__tile, pe__angles_of(), pe__convert(), pe__register_pairs(), pe__rotate_head(),
 *   pe__rotate_short(), pe__rotate_units(), pe__rotate_vectors(), pe__unit_pairs(),
 *   pe__rotate_ends().
 * Needs: simd, api, rows, numbers.
 * Tests: tests/unit/test_rope.c. */

/* ---- 8.1 heads ----------------------------------------------------------------------------------
 * Rows of sines and cosines of some tokens are filled on the stack, a tile, and all heads of these
 * tokens are rotated by it. They are the rows that pe_fill_f32 writes as halves. */

enum {
    PE__ROPE_PAIRS = PE__SORT_PAIRS, /* pairs of a tile, at most */
    PE__ROPE_TILE = (PE__OPTIMIZED ? 34 : 17) * 128, /* floats: 34 tokens of 64 pairs, 17 KB */
    PE__ROPE_PREFETCH_DISTANCE = 8192, /* bytes to fetch in advance, as while rows are made */
    PE__ROPE_GROUP = 8192,             /* bytes of heads that turn alike, together */
    PE__ROPE_CACHED = 1 << 21, /* bytes of single ones that some cache is taken to hold */
    PE__ROPE_NEAR = 1 << 24,   /* and of all of a call, */
    PE__ROPE_AWAY = 1 << 17    /* if they go elsewhere */
};

/* Heads to rotate, [tokens][heads], strides in bytes. */
typedef struct pe__heads {
    const unsigned char *in;
    unsigned char *out;
    size_t in_token, in_head, out_token, out_head, heads;
    size_t copied_after;  /* elements behind the pairs to copy */
    size_t copied_before; /* and before them: pe__copy_ends() */
} pe__heads;

/* n pairs of a tile from the given one on, of a block of so many that have one layout. */
typedef struct pe__section {
    size_t pair, n, pairs;
    size_t column; /* the element of a head where they begin */
} pe__section;

/* The sines and cosines of a number of tokens, of count pairs from the given one on, of all pairs
   of a head. */
typedef struct pe__tile {
    const float *sines, *cosines;
    const size_t *row; /* which rows the tokens have, of stride floats; NULL: one after the other */
    size_t stride;     /* 0: all tokens share one */
    size_t pair, count, pairs;
    size_t token, tokens;
    pe_layout layout;
    size_t section_count; /* 0: all pairs have one layout */
    const pe__section *section;
} pe__tile;

/* The sines and cosines of n pairs of a token, of blocks of so many, or of one. */
typedef struct pe__angles {
    const float *s, *c;
    size_t n, pairs;
} pe__angles;
PE__INLINE pe__angles pe__angles_of(const pe__tile *tile, size_t t)
{
    const size_t from = (tile->row ? tile->row[t] : t) * tile->stride;
    const float *s = tile->sines + from;
    PE__IN_REGISTER(s);
    const pe__angles a = {s, tile->cosines + from, tile->count, tile->pairs};
    return a;
}

/* Pairs (a, b) rotated: a', and b'. With b for a, a for b and -s for s the latter is a', too. */
PE__INLINE pe__vf pe__rotate_a(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__sub_f32(pe__mul_f32(a, c), pe__mul_f32(b, s));
}
PE__INLINE pe__vf pe__rotate_b(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__add_f32(pe__mul_f32(b, c), pe__mul_f32(a, s));
}
PE__INLINE pe__vf pe__rotate_interleaved(pe__vf u, pe__vf s, pe__vf c) /* of neighbours, s signed */
{
    return pe__rotate_b(pe__swap(u), u, s, c);
}

/* A vector of pairs of halves: of their first elements u and of their second ones v. */
PE__INLINE void pe__rotate_halves(pe__type type, pe__vf u, pe__vf v, pe__vf s, pe__vf c,
                                  unsigned char *out, unsigned char *next)
{
    pe__put_two_as(type, out, pe__rotate_a(u, v, s, c), next, pe__rotate_b(u, v, s, c));
}

/* The sines and cosines of a vector of pairs as the elements are met: of neighbours those of two
   vectors. */
typedef struct pe__rotation {
    pe__vf s[2], c[2];
} pe__rotation;
PE__INLINE pe__rotation pe__rotation_load(pe_layout layout, const float *s, const float *c)
{
    const int halves = layout == PE_LAYOUT_HALVES;
    pe__rotation t;
    t.s[0] = halves ? pe__get(s) : pe__get_signed(s);
    t.c[0] = halves ? pe__get(c) : pe__get_repeated(c);
    t.s[1] = halves ? t.s[0] : pe__get_signed(s + PE_LANES);
    t.c[1] = halves ? t.c[0] : pe__get_repeated(c + PE_LANES);
    return t;
}

/* A vector of pairs: of halves u and v as above; of neighbours one vector and the next. */
PE__INLINE void pe__rotate_pairs(pe__type type, pe_layout layout, const pe__rotation *t,
                                 const pe__vf *x, unsigned char *out, unsigned char *next)
{
    const pe__vf u = x[0], v = x[1];
    if (layout == PE_LAYOUT_HALVES) pe__rotate_halves(type, u, v, t->s[0], t->c[0], out, next);
    else
        pe__put_two_as(type, out, pe__rotate_interleaved(u, t->s[0], t->c[0]), next,
                       pe__rotate_interleaved(v, t->s[1], t->c[1]));
}

/* As many pairs as two vectors have, by their sines and cosines as the elements are met: of halves
   two vectors and the two across; of neighbours four vectors. bf16 has even and odd elements apart,
   which is cheaper to widen and to round: of halves, with the sines and cosines of the even and of
   the odd ones; of neighbours, with those of all pairs. A NaN of bf16 ends in 16 zero bits, and so
   does one that comes of it. */
enum { PE__ROPE_UNIT = 4 * PE_LANES };
typedef struct pe__unit {
    pe__vf s[4], c[4];
} pe__unit;

PE__INLINE void pe__unit_load(int halves, int narrow, const float *s, const float *c, pe__unit *u)
{
    const pe__vf s0 = pe__get(s), s1 = pe__get(s + PE__FLOATS);
    const pe__vf c0 = pe__get(c), c1 = pe__get(c + PE__FLOATS);
    u->s[0] = s0;
    u->s[1] = s1;
    u->c[0] = c0;
    u->c[1] = c1;
    if (halves && narrow) {
        u->s[0] = pe__unzip_evens(s0, s1);
        u->s[1] = pe__unzip_odds(s0, s1);
        u->c[0] = pe__unzip_evens(c0, c1);
        u->c[1] = pe__unzip_odds(c0, c1);
    } else if (!halves && !narrow) {
        u->s[0] = pe__get_signed(s);
        u->s[1] = pe__get_signed(s + PE_LANES);
        u->c[0] = pe__get_repeated(c);
        u->c[1] = pe__get_repeated(c + PE_LANES);
        u->s[2] = pe__get_signed(s + PE__FLOATS);
        u->s[3] = pe__get_signed(s + 3 * PE_LANES);
        u->c[2] = pe__get_repeated(c + PE__FLOATS);
        u->c[3] = pe__get_repeated(c + 3 * PE_LANES);
    }
    if (narrow) { /* a table of the caller's may have any NaN */
        if (PE__UNLIKELY(pe__any_nan(u->s[0], u->c[0]))) {
            u->s[0] = pe__quiet(u->s[0]);
            u->c[0] = pe__quiet(u->c[0]);
        }
        if (PE__UNLIKELY(pe__any_nan(u->s[1], u->c[1]))) {
            u->s[1] = pe__quiet(u->s[1]);
            u->c[1] = pe__quiet(u->c[1]);
        }
    }
}
/* Where the pairs of a unit lie: next to each other, in halves, or in halves of two sections, a
   vector each. */
enum { PE__UNIT_INTERLEAVED, PE__UNIT_HALVES, PE__UNIT_SECTION_HALVES };

/* layout: PE__UNIT_INTERLEAVED ...; across: elements from the first two vectors to the others. */
PE__INLINE void pe__unit_rotate(pe__type from, pe__type to, int layout, const pe__unit *u,
                                const unsigned char *p, unsigned char *q, size_t across)
{
    const size_t gap = (layout > PE__UNIT_HALVES ? 2 : 1) * (size_t)PE__FLOATS;
    const size_t next = across * pe__size_of(from), to_next = across * pe__size_of(to);
    const size_t step = gap * pe__size_of(from), to_step = gap * pe__size_of(to);
    if (from == PE__BF16 && to == PE__BF16) {
        const uint16_t *const x = (const uint16_t *)(const void *)p;
        const uint16_t *const y = (const uint16_t *)(const void *)(p + next);
        const pe__vf x0 = pe__get_bf16_evens(x), x1 = pe__get_bf16_odds(x);
        const pe__vf y0 = pe__get_bf16_evens(y), y1 = pe__get_bf16_odds(y);
        uint16_t *const v = (uint16_t *)(void *)q, *const w = (uint16_t *)(void *)(q + to_next);
        const pe__vf a1 = layout ? x1 : y0, b0 = layout ? y0 : x1; /* (x0, b0) and (a1, y1) */
        const pe__vf c0 = pe__rotate_a(x0, b0, u->s[0], u->c[0]);
        const pe__vf c1 = pe__rotate_a(a1, y1, u->s[1], u->c[1]);
        const pe__vf d0 = pe__rotate_b(x0, b0, u->s[0], u->c[0]);
        const pe__vf d1 = pe__rotate_b(a1, y1, u->s[1], u->c[1]);
        pe__put_bf16_four(v, c0, layout ? c1 : d0, w, layout ? d0 : c1, d1);
        return;
    }
    const unsigned char *const y = p + next;
    unsigned char *const z = q + to_next;
    if (layout && sizeof(pe__vf) >= 64) { /* read as late as may be, which memory takes better */
        const pe__vf x0 = pe__get_as(from, p), y0 = pe__get_as(from, y);
        pe__rotate_halves(to, x0, y0, u->s[0], u->c[0], q, z);
        const pe__vf x1 = pe__get_as(from, p + step), y1 = pe__get_as(from, y + step);
        pe__rotate_halves(to, x1, y1, u->s[1], u->c[1], q + to_step, z + to_step);
        return;
    }
    const pe__vf x0 = pe__get_as(from, p), x1 = pe__get_as(from, p + step);
    const pe__vf y0 = pe__get_as(from, y), y1 = pe__get_as(from, y + step);
    if (layout) { /* what shares a line follows each other: it takes four fifths of the time */
        pe__put_two_as(to, q, pe__rotate_a(x0, y0, u->s[0], u->c[0]), q + to_step,
                       pe__rotate_a(x1, y1, u->s[1], u->c[1]));
        pe__put_two_as(to, z, pe__rotate_b(x0, y0, u->s[0], u->c[0]), z + to_step,
                       pe__rotate_b(x1, y1, u->s[1], u->c[1]));
        return;
    }
    pe__put_two_as(to, q, pe__rotate_interleaved(x0, u->s[0], u->c[0]), q + to_step,
                   pe__rotate_interleaved(x1, u->s[1], u->c[1]));
    pe__put_two_as(to, z, pe__rotate_interleaved(y0, u->s[2], u->c[2]), z + to_step,
                   pe__rotate_interleaved(y1, u->s[3], u->c[3]));
}

/* Vectors of pairs of heads: their sines and cosines, and where they are, in bytes. */
typedef struct pe__vectors {
    pe__rotation rotation;
    size_t in, in_next, out, out_next;
} pe__vectors;
PE__INLINE pe__vectors pe__vectors_at(pe__type from, pe__type to, pe_layout layout,
                                      const pe__angles *a, size_t pair, size_t element)
{
    const size_t next = element + (layout == PE_LAYOUT_HALVES ? a->pairs : (size_t)PE__FLOATS);
    pe__vectors v;
    v.rotation = pe__rotation_load(layout, a->s + pair, a->c + pair);
    v.in = element * pe__size_of(from);
    v.in_next = next * pe__size_of(from);
    v.out = element * pe__size_of(to);
    v.out_next = next * pe__size_of(to);
    return v;
}
PE__INLINE void pe__vectors_get(pe__type from, const pe__vectors *v, const unsigned char *in,
                                pe__vf *x)
{
    x[0] = pe__get_as(from, in + v->in);
    x[1] = pe__get_as(from, in + v->in_next);
}
PE__INLINE void pe__vectors_put(pe__type to, pe_layout layout, const pe__vectors *v,
                                const pe__vf *x, unsigned char *out)
{
    pe__rotate_pairs(to, layout, &v->rotation, x, out + v->out, out + v->out_next);
}

/* One head: units, then a vector, then what does not fill one, by a vector that overlaps the last
   and is read before that is written. */
PE__INLINE void pe__rotate_head(pe__type from, pe__type to, pe_layout layout, const pe__angles *a,
                                const unsigned char *in, unsigned char *out)
{
    const int halves = layout == PE_LAYOUT_HALVES, narrow = from == PE__BF16 && to == PE__BF16;
    const size_t n = a->n, end = n - PE__FLOATS, across = halves ? a->pairs : (size_t)PE__ROPE_UNIT;
    const size_t step = halves ? 1 : 2; /* elements from a pair to the next */
    const int tail = n % PE__FLOATS != 0;
    pe__vf x[2], y[2];
    pe__vectors v, last;
    size_t i = 0;
    if (tail) {
        last = pe__vectors_at(from, to, layout, a, end, end * step);
        pe__vectors_get(from, &last, in, y);
    }
    for (; i + PE__ROPE_UNIT <= n; i += PE__ROPE_UNIT) {
        pe__unit unit;
        pe__unit_load(halves, narrow, a->s + i, a->c + i, &unit);
        pe__unit_rotate(from, to, halves, &unit, in + i * step * pe__size_of(from),
                        out + i * step * pe__size_of(to), across);
    }
    if (i + PE__FLOATS <= n) {
        v = pe__vectors_at(from, to, layout, a, i, i * step);
        pe__vectors_get(from, &v, in, x);
        pe__vectors_put(to, layout, &v, x, out);
    }
    if (tail) pe__vectors_put(to, layout, &last, y, out);
}

/* Units whose sines and cosines stay in registers: two, or one of neighbours with 16 registers. */
PE__INLINE size_t pe__register_pairs(pe_layout layout)
{
    return layout == PE_LAYOUT_HALVES || PE_LANES == 8 ? 2 * PE__ROPE_UNIT : PE__ROPE_UNIT;
}

/* Ask for so many bytes, at most four lines: without a loop, which took a fifth longer where a
   compiler laid it out badly. */
PE__WRAPS PE__INLINE void pe__prefetch_lines(uintptr_t at, size_t bytes)
{
    PE__PREFETCH(at);
    if (bytes > 64) PE__PREFETCH(at + 64);
    if (bytes > 128) {
        PE__PREFETCH(at + 128);
        PE__PREFETCH(at + 192);
    }
}

/* Elements from a unit of a block of halves to the next, of which `behind` pairs have been. */
PE__INLINE size_t pe__next_unit(size_t pairs, size_t *done)
{
    *done += PE__ROPE_UNIT;
    if (*done < pairs) return PE__ROPE_UNIT;
    *done = 0;
    return PE__ROPE_UNIT + pairs;
}

/* How the pairs of a head in halves lie: in one section, in sections of whole units, or of a
   vector. */
enum { PE__ONE_SECTION, PE__UNIT_SECTIONS, PE__VECTOR_SECTIONS };

/* Some heads of one token, their pairs in whole units. sections: PE__ONE_SECTION ...
   prefetch_distance: bytes to what will be wanted soon, or 0. */
PE__INLINE void pe__rotate_units(pe__type from, pe__type to, pe_layout layout, int sections,
                                 const pe__angles *a, const pe__heads *x, size_t prefetch_distance)
{
    const int halves = layout == PE_LAYOUT_HALVES, narrow = from == PE__BF16 && to == PE__BF16;
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    const size_t in_registers = pe__register_pairs(layout);
    const size_t across = halves ? a->pairs : (size_t)PE__ROPE_UNIT, n = a->n;
    const size_t other = sections ? pe__max(across, in_registers) : halves ? across : in_registers;
    const size_t step = sections || !halves ? 2 : 1; /* elements from a pair to the next */
    const int unit_layout = sections > PE__UNIT_SECTIONS ? PE__UNIT_SECTION_HALVES : halves;
    size_t place = 0, done = 0;
    for (size_t i = 0, some; i + PE__ROPE_UNIT <= n; i += some) {
        const int two = in_registers > PE__ROPE_UNIT && n - i >= in_registers;
        const size_t at = sections == PE__UNIT_SECTIONS ? place : i * step;
        const size_t by =
            sections == PE__UNIT_SECTIONS ? pe__next_unit(across, &done) : step * PE__ROPE_UNIT;
        const float *const s = a->s + i, *const c = a->c + i;
        pe__unit u, v;
        some = two ? in_registers : (size_t)PE__ROPE_UNIT;
        pe__unit_load(halves, narrow, s, c, &u);
        v = u;
        if (two) pe__unit_load(halves, narrow, s + PE__ROPE_UNIT, c + PE__ROPE_UNIT, &v);
        for (size_t k = 0; k < x->heads; k++) {
            const unsigned char *const p = x->in + k * x->in_head + at * e;
            unsigned char *const q = x->out + k * x->out_head + at * f;
            if (prefetch_distance) {
                pe__prefetch_lines((uintptr_t)p + prefetch_distance, in_registers * e);
                pe__prefetch_lines((uintptr_t)p + prefetch_distance + other * e, in_registers * e);
            }
            pe__unit_rotate(from, to, unit_layout, &u, p, q, across);
            if (two) pe__unit_rotate(from, to, unit_layout, &v, p + by * e, q + by * f, across);
        }
        if (sections == PE__UNIT_SECTIONS) place += by + (two ? pe__next_unit(across, &done) : 0);
    }
}

/* Of n pairs those that go in units; the rest goes in vectors, and what does not fill one by one
   that overlaps the last and is read before that is written. */
PE__INLINE size_t pe__unit_pairs(size_t n)
{
    const size_t tail = n % PE__FLOATS, kept = tail ? tail + PE__FLOATS : 0;
    const size_t whole = n > kept ? n - kept : 0;
    return whole - whole % PE__ROPE_UNIT;
}

/* That rest of some heads of one token; of blocks of halves no pairs are left over. */
PE__INLINE void pe__rotate_ends(pe__type from, pe__type to, pe_layout layout, int in_sections,
                                const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, tail = n % PE__FLOATS;
    const size_t step = layout == PE_LAYOUT_HALVES && !in_sections ? 1 : 2;
    for (size_t i = pe__unit_pairs(n); i + tail < n; i += PE__FLOATS) {
        const int last = tail && n - i < 2 * PE__FLOATS;
        const size_t end = last ? n - PE__FLOATS : i;
        const pe__vectors v = pe__vectors_at(from, to, layout, a, i, i * step);
        const pe__vectors w = pe__vectors_at(from, to, layout, a, end, end * step);
        for (size_t k = 0; k < x->heads; k++) {
            const unsigned char *const in = x->in + k * x->in_head;
            unsigned char *const out = x->out + k * x->out_head;
            pe__vf y[2], z[2];
            pe__vectors_get(from, &v, in, y);
            pe__vectors_get(from, &w, in, z);
            pe__vectors_put(to, layout, &v, y, out);
            if (last) pe__vectors_put(to, layout, &w, z, out);
        }
    }
}

/* Fewer pairs than a vector has floats, and perhaps none. */
PE__OUTLINE void pe__rotate_few(pe__type from, pe__type to, pe_layout layout, const pe__angles *a,
                                const pe__heads *heads)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = a->n;
    const int halves = layout == PE_LAYOUT_HALVES;
    const size_t first = halves ? n : pe__min(2 * n, PE__FLOATS), rest = 2 * n - first;
    const size_t next = halves ? a->pairs : first;
    unsigned char x[2][PE__FLOATS * sizeof(float)] = {{0}}, y[2][PE__FLOATS * sizeof(float)];
    float sines[PE__FLOATS] = {0}, cosines[PE__FLOATS] = {0};
    if (n == 0) return; /* of a table without pairs there may be no array */
    memcpy(sines, a->s, n * sizeof *sines);
    memcpy(cosines, a->c, n * sizeof *cosines);
    const pe__rotation rotation = pe__rotation_load(layout, sines, cosines);
    for (size_t k = 0; k < heads->heads; k++) {
        const unsigned char *const in = heads->in + k * heads->in_head;
        unsigned char *const out = heads->out + k * heads->out_head;
        memcpy(x[0], in, first * e);
        memcpy(x[1], in + next * e, rest * e);
        const pe__vf two[2] = {pe__get_as(from, x[0]), pe__get_as(from, x[1])};
        pe__rotate_pairs(to, layout, &rotation, two, y[0], y[1]);
        memcpy(out, y[0], first * f);
        memcpy(out + next * f, y[1], rest * f);
    }
}

/* The same of floats in halves, where masks load and store them: two fifths of the time. */
PE__OUTLINE void pe__rotate_masked(const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, next = a->pairs * sizeof(float);
    if (n == 0) return;
    const pe__vf s = pe__get_n(a->s, n), c = pe__get_n(a->c, n);
    for (size_t k = 0; k < x->heads; k++) {
        const unsigned char *const in = x->in + k * x->in_head;
        unsigned char *const out = x->out + k * x->out_head;
        const pe__vf u = pe__get_n_as(PE__F32, in, n), v = pe__get_n_as(PE__F32, in + next, n);
        pe__put_n_as(PE__F32, out, pe__rotate_a(u, v, s, c), n);
        pe__put_n_as(PE__F32, out + next, pe__rotate_b(u, v, s, c), n);
    }
}
PE__INLINE void pe__rotate_short(pe__type from, pe__type to, pe_layout layout, const pe__angles *a,
                                 const pe__heads *x)
{
    const int floats = from == PE__F32 && to == PE__F32, halves = layout == PE_LAYOUT_HALVES;
    if (sizeof(pe__vf) >= 64 && floats && halves) pe__rotate_masked(a, x);
    else pe__rotate_few(from, to, layout, a, x);
}

/* All pairs of some heads of one token that do not go in units. */
PE__INLINE void pe__rotate_vectors(pe__type from, pe__type to, pe_layout layout,
                                   const pe__angles *a, const pe__heads *x)
{
    if (a->n < PE__FLOATS) pe__rotate_short(from, to, layout, a, x);
    else pe__rotate_ends(from, to, layout, 0, a, x);
}

/* n elements of one type as those of another. */
PE__INLINE void pe__convert(pe__type from, pe__type to, const unsigned char *in, unsigned char *out,
                            size_t n)
{
    if (from == to) memcpy(out, in, n * pe__size_of(to));
    for (size_t i = 0, part; from != to && i < n; i += part) {
        part = pe__min(n - i, PE__FLOATS);
        pe__put_n_as(to, out + i * pe__size_of(to),
                     pe__get_n_as(from, in + i * pe__size_of(from), part), part);
    }
}

/* ==== src/rope/rotate.h ==== */
/* Heads rotated by rows of sines and cosines.
 * Gives: pe__head_rotator, pe__rotate_heads_bf16(), pe__rotate_heads_f16(),
 *   pe__rotate_heads_f32(),
 *   pe__rotate_heads_f32_bf16(), pe__rotate_heads_f32_f16(), and the same for each layout and for
 *   blocks.
 * Needs: simd, api, rows, numbers.
 * Tests: tests/unit/test_rope.c. */

typedef void pe__head_rotator(const pe__tile *tile, const pe__heads *x);

/* What the heads of a tile's tokens have behind their pairs, once. */
PE__INLINE void pe__copy_rest(pe__type from, pe__type to, const pe__tile *tile, const pe__heads *x)
{
    const size_t n = 2 * tile->pairs, rest = tile->pair == 0 ? x->copied_after : 0;
    for (size_t t = tile->token; rest && t < tile->token + tile->tokens; t++) {
        const unsigned char *in = x->in + t * x->in_token + n * pe__size_of(from);
        unsigned char *out = x->out + t * x->out_token + n * pe__size_of(to);
        for (size_t k = 0; k < x->heads; k++, in += x->in_head, out += x->out_head)
            pe__convert(from, to, in, out, rest);
    }
}

/* The order of heads: several of a token at a time; one head of all tokens, then the next; or
   single heads, all of one token, then those of the next. */
enum { PE__HEADS_TOGETHER, PE__HEAD_BY_HEAD, PE__TOKEN_BY_TOKEN };

/* How heads follow each other. */
typedef struct pe__head_schedule {
    size_t heads, tokens; /* so many at a time, of one token or of tokens that turn alike */
    size_t prefetch_distance; /* bytes to what is asked for in advance, or 0 */
    int order; /* PE__HEADS_TOGETHER ... */
} pe__head_schedule;
PE__OUTLINE pe__head_schedule pe__schedule_tokens(const pe__tile *tile, const pe__heads *x,
                                                  pe__type from)
{
    const int by_head = x->out_head > x->out_token;
    const size_t next = by_head ? x->in_token : x->in_head; /* bytes to the next head */
    /* Single heads that turn alike go together, as if of one token, while a cache has them. */
    const int shared = tile->stride == 0 && x->heads == 1 && next;
    const int cached = shared && tile->tokens <= (size_t)PE__ROPE_CACHED / next;
    /* Several passes over heads in a cache. Floats beyond what one is taken to hold come one head
       after the other, as their addresses do, which memory takes better: much, if unasked. */
    const int passes =
        tile->count > pe__register_pairs(tile->layout) || tile->count % PE__ROPE_UNIT;
    const size_t near_by = x->in == x->out ? (size_t)PE__ROPE_NEAR : (size_t)PE__ROPE_AWAY;
    const size_t last = tile->token + tile->tokens; /* by a table all of a call */
    const int scattered = passes && from == PE__F32 && last > near_by / pe__max(x->in_token, 1);
    /* Heads are asked for in advance, whole ones; but floats that go elsewhere in one pass come
       faster by what the hardware foresees alone. */
    const int prefetches = from != PE__F32 || (passes && !scattered) ||
                           (x->in == x->out && (shared || PE_PREFETCH_HEADS));
    const size_t group = PE__ROPE_GROUP / (next + !next) + 1;
    pe__head_schedule schedule = {x->heads, 1, 0, (by_head || x->heads == 1) && !cached};
    if (cached) schedule.tokens = group;
    else if (prefetches)
        schedule.prefetch_distance = next > PE__ROPE_PREFETCH_DISTANCE
                                         ? next
                                         : PE__ROPE_PREFETCH_DISTANCE / (next + !next) * next;
    if (passes) schedule.heads = scattered ? 1 : group;
    if (scattered && schedule.order == PE__HEADS_TOGETHER) schedule.order = PE__TOKEN_BY_TOKEN;
    return schedule;
}
PE__INLINE pe__head_schedule pe__schedule_heads(const pe__tile *tile, const pe__heads *x,
                                                pe__type from)
{
    const pe__head_schedule few = {x->heads, 1, 0, x->heads == 1};
    return tile->tokens == 1 ? few : pe__schedule_tokens(tile, x, from);
}

/* The pairs of a tile in units, all others, or blocks of halves that are alike. */
typedef enum pe__granularity { PE__IN_UNITS, PE__IN_VECTORS, PE__IN_SECTIONS } pe__granularity;

/* Some heads of a token at a time, by what registers hold of its sines and cosines, so many that
   they are still in the first-level cache. */
PE__INLINE void pe__rotate_groups(pe__type from, pe__type to, pe_layout layout, pe__granularity how,
                                  const pe__tile *tile, const pe__heads *x,
                                  const pe__head_schedule *schedule)
{

    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2);
    const size_t tokens = schedule->tokens, heads = schedule->heads, all = x->heads;
    const size_t count = tile->tokens;
    const size_t in_token = x->in_token, out_token = x->out_token;
    const size_t prefetch_distance = schedule->prefetch_distance;
    pe__tile rows = *tile;
    pe__heads some = *x;
    if (how == PE__IN_UNITS) rows.count = pe__unit_pairs(rows.count);
    some.in += tile->token * in_token + first * pe__size_of(from);
    some.out += tile->token * out_token + first * pe__size_of(to);
    for (size_t t = 0; t < count; t += tokens) {
        const pe__angles a = pe__angles_of(&rows, t);
        unsigned char *const out = some.out;
        const unsigned char *const in = some.in;
        for (size_t k = 0; k < all; k += heads) {
            some.heads = tokens > 1 ? pe__min(tokens, count - t) : pe__min(heads, all - k);
            if (how == PE__IN_VECTORS) pe__rotate_vectors(from, to, layout, &a, &some);
            else if (how == PE__IN_SECTIONS && a.pairs < PE__ROPE_UNIT)
                pe__rotate_units(from, to, layout, PE__VECTOR_SECTIONS, &a, &some,
                                 prefetch_distance);
            else
                pe__rotate_units(from, to, layout, how == PE__IN_SECTIONS, &a, &some,
                                 prefetch_distance);
            if (how == PE__IN_SECTIONS) pe__rotate_ends(from, to, layout, 1, &a, &some);
            some.in += heads * some.in_head;
            some.out += heads * some.out_head;
        }
        some.in = in + tokens * in_token;
        some.out = out + tokens * out_token;
        PE__IN_REGISTER(some.in);
    }
}

/* Blocks of a vector each, or of units, that follow each other: then as one tile. */
PE__INLINE int pe__sections_alike(const pe__tile *tile, int narrow, pe__tile *all)
{
    const pe__section *const section = tile->section;
    const size_t n = section->pairs, vector = narrow ? (size_t)PE__ROPE_UNIT : (size_t)PE__FLOATS;
    int alike = n == vector || n % PE__ROPE_UNIT == 0;
    for (size_t k = 0; k < tile->section_count; k++)
        alike &= section[k].n == n && section[k].pairs == n &&
                 section[k].column == section->column + 2 * k * n;
    all->count = n * tile->section_count;
    all->pairs = n;
    return alike;
}

/* The same of blocks of halves, block after block; or of all, where they are alike. */
PE__INLINE void pe__rotate_sections(pe__type from, pe__type to, const pe__tile *tile,
                                    const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(tile, x, from);
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    pe__tile one = *tile;
    pe__heads some = *x;
    one.pair = 0;
    if (pe__sections_alike(tile, from == PE__BF16 && to == PE__BF16, &one)) {
        some.in += tile->section->column * e;
        some.out += tile->section->column * f;
        pe__rotate_groups(from, to, PE_LAYOUT_HALVES, PE__IN_SECTIONS, &one, &some, &schedule);
        return;
    }
    for (size_t t = 0; t < tile->tokens; t++) {
        const pe__angles row = pe__angles_of(tile, t);
        some.in = x->in + (tile->token + t) * x->in_token;
        some.out = x->out + (tile->token + t) * x->out_token;
        for (size_t k = 0; k < x->heads; k += schedule.heads) {
            some.heads = pe__min(schedule.heads, x->heads - k);
            for (size_t b = 0; b < tile->section_count; b++) {
                const pe__section *const section = &tile->section[b];
                const pe__angles a = {row.s + section->pair, row.c + section->pair, section->n,
                                      section->pairs};
                pe__heads its = some;
                its.in += section->column * e;
                its.out += section->column * f;
                const pe__angles units = {a.s, a.c, pe__unit_pairs(a.n), a.pairs};
                pe__rotate_units(from, to, PE_LAYOUT_HALVES, PE__ONE_SECTION, &units, &its,
                                 schedule.prefetch_distance);
                pe__rotate_vectors(from, to, PE_LAYOUT_HALVES, &a, &its);
            }
            some.in += schedule.heads * x->in_head;
            some.out += schedule.heads * x->out_head;
        }
    }
}

/* Blocks of neighbours, one after the other: each is pairs that follow each other. */
PE__INLINE void pe__rotate_sections_interleaved(pe__type from, pe__type to, const pe__tile *tile,
                                                const pe__heads *x, pe__head_rotator *rotate)
{
    for (size_t b = 0; b < tile->section_count; b++) {
        const pe__section *const section = &tile->section[b];
        pe__tile one = *tile;
        pe__heads its = *x;
        one.sines += section->pair;
        one.cosines += section->pair;
        one.count = one.pairs = section->n;
        one.pair = one.section_count = 0;
        its.in += section->column * pe__size_of(from);
        its.out += section->column * pe__size_of(to);
        its.copied_after = 0;
        rotate(&one, &its);
    }
}

/* Each head by itself. */
PE__INLINE void pe__rotate_singly(pe__type from, pe__type to, pe_layout layout,
                                  const pe__tile *tile, const pe__heads *x,
                                  const pe__head_schedule *schedule)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = 2 * tile->pairs, width = n * e;
    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2);
    const size_t prefetch_distance = schedule->prefetch_distance;
    const size_t rest = tile->pair == 0 ? x->copied_after : 0;
    const int all = schedule->order > PE__HEAD_BY_HEAD;
    const size_t outer = all ? tile->tokens : x->heads, inner = all ? x->heads : tile->tokens;
    const size_t in_step = all ? x->in_head : x->in_token;
    const size_t out_step = all ? x->out_head : x->out_token;
    for (size_t i = 0; i < outer; i++) {
        const size_t token = tile->token + (all ? i : 0), head = all ? 0 : i;
        const unsigned char *in = x->in + token * x->in_token + head * x->in_head;
        unsigned char *out = x->out + token * x->out_token + head * x->out_head;
        for (size_t j = 0; j < inner; j++) {
            const size_t t = all ? i : j;
            const pe__angles a = pe__angles_of(tile, t);
            for (size_t b = 0; prefetch_distance && b < width; b += 64)
                PE__PREFETCH((uintptr_t)in + prefetch_distance + b);
            if (a.n < PE__FLOATS) {
                const pe__heads one = {in + first * e, out + first * f, 0, 0, 0, 0, 1, 0, 0};
                pe__rotate_short(from, to, layout, &a, &one);
            } else pe__rotate_head(from, to, layout, &a, in + first * e, out + first * f);
            if (rest) pe__convert(from, to, in + n * e, out + n * f, rest);
            in += in_step;
            out += out_step;
            PE__IN_REGISTER(in);
        }
    }
}

/* The same for each type and layout, and for floats that become 16-bit numbers: so that a program
   has the code of what it names alone. What does not go in units follows behind those of all heads,
   and what they have behind their pairs behind that. */
#define PE__HEAD_ROTATOR(name, from, to, layout, rests)                                            \
    PE__OUTLINE void name##_units(const pe__tile *t, const pe__heads *x,                           \
                                  const pe__head_schedule *schedule)                               \
    {                                                                                              \
        pe__rotate_groups(from, to, layout, PE__IN_UNITS, t, x, schedule);                         \
    }                                                                                              \
    PE__OUTLINE void name##_vectors(const pe__tile *t, const pe__heads *x,                         \
                                    const pe__head_schedule *schedule)                             \
    {                                                                                              \
        pe__rotate_groups(from, to, layout, PE__IN_VECTORS, t, x, schedule);                       \
    }                                                                                              \
    PE__OUTLINE void name##_singly(const pe__tile *t, const pe__heads *x,                          \
                                   const pe__head_schedule *schedule)                              \
    {                                                                                              \
        pe__rotate_singly(from, to, layout, t, x, schedule);                                       \
    }                                                                                              \
    PE__OUTLINE void name(const pe__tile *t, const pe__heads *x)                                   \
    {                                                                                              \
        const pe__head_schedule schedule = pe__schedule_heads(t, x, from);                         \
        const size_t n = t->count;                                                                 \
        const size_t units = pe__unit_pairs(n);                                                    \
        if (schedule.order != PE__HEADS_TOGETHER)                                                  \
            name##_singly(t, x, &schedule);                                                        \
        else {                                                                                     \
            if (units > 0) name##_units(t, x, &schedule);                                          \
            if (units < n) name##_vectors(t, x, &schedule);                                        \
            if (x->copied_after) rests(t, x);                                                      \
        }                                                                                          \
    }
#define PE__HEAD_ROTATORS(name, from, to)                                                          \
    PE__OUTLINE void name##_rest(const pe__tile *t, const pe__heads *x)                            \
    {                                                                                              \
        pe__copy_rest(from, to, t, x);                                                             \
    }                                                                                              \
    PE__HEAD_ROTATOR(name##_halves, from, to, PE_LAYOUT_HALVES, name##_rest)                       \
    PE__HEAD_ROTATOR(name##_interleaved, from, to, PE_LAYOUT_INTERLEAVED, name##_rest)             \
    PE__INLINE void name(const pe__tile *t, const pe__heads *x)                                    \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) name##_halves(t, x);                                    \
        else name##_interleaved(t, x);                                                             \
    }                                                                                              \
    PE__OUTLINE void name##_sections(const pe__tile *t, const pe__heads *x)                        \
    {                                                                                              \
        if (t->layout == PE_LAYOUT_HALVES) pe__rotate_sections(from, to, t, x);                    \
        else pe__rotate_sections_interleaved(from, to, t, x, name##_interleaved);                  \
        if (x->copied_after) name##_rest(t, x);                                                    \
    }
PE__HEAD_ROTATORS(pe__rotate_heads_f32, PE__F32, PE__F32)
PE__HEAD_ROTATORS(pe__rotate_heads_f16, PE__F16, PE__F16)
PE__HEAD_ROTATORS(pe__rotate_heads_bf16, PE__BF16, PE__BF16)
PE__HEAD_ROTATORS(pe__rotate_heads_f32_f16, PE__F32, PE__F16)
PE__HEAD_ROTATORS(pe__rotate_heads_f32_bf16, PE__F32, PE__BF16)
#undef PE__HEAD_ROTATORS
#undef PE__HEAD_ROTATOR

/* ==== src/rope/tokens.h ==== */
/* Tokens: their rows on the stack, their heads rotated by them.
 * Gives: pe__rope_call, pe__tile_sections(), pe__write_rope_rows(), pe__rotate_tokens(),
 *   pe__shift_rows().
 * Needs: simd, api, where, rows, numbers.
 * Tests: tests/unit/test_rope.c. */

/* Copy adjacent pairs as halves. */
PE__INLINE void pe__deinterleave(unsigned char *out, const unsigned char *in, size_t pairs,
                                 size_t element)
{
    size_t i = 0;
    for (; element == sizeof(float) && i + PE__FLOATS <= pairs; i += PE__FLOATS) {
        const float *const x = (const float *)(const void *)in + 2 * i;
        float *const y = (float *)(void *)out + i;
        const pe__vf v = pe__get(x), w = pe__get(x + PE__FLOATS);
        pe__put(y, pe__unzip_evens(v, w));
        pe__put(y + pairs, pe__unzip_odds(v, w));
    }
    for (; element == 2 && i + 4 * PE_LANES <= pairs; i += 4 * PE_LANES) { /* as bf16: exact */
        const uint16_t *const x = (const uint16_t *)(const void *)in + 2 * i;
        uint16_t *const y = (uint16_t *)(void *)out + i;
        const pe__vf a = pe__get_bf16_evens(x), b = pe__get_bf16_evens(x + 4 * PE_LANES);
        const pe__vf c = pe__get_bf16_odds(x), d = pe__get_bf16_odds(x + 4 * PE_LANES);
        pe__put_bf16_four(y, pe__unzip_evens(a, b), pe__unzip_odds(a, b), y + pairs,
                          pe__unzip_evens(c, d), pe__unzip_odds(c, d));
    }
    for (; i < pairs; i++) {
        pe__copy_element(out + i * element, in + 2 * i * element, element);
        pe__copy_element(out + (pairs + i) * element, in + (2 * i + 1) * element, element);
    }
}

/* n units of so many bytes in a plan's order. */
PE__INLINE void pe__reorder_some(unsigned char *out, const unsigned char *in, const uint8_t *order,
                                 size_t n, size_t unit)
{
    for (size_t i = 0; i < n; i++) memcpy(out + i * unit, in + order[i] * unit, unit);
}
PE__OUTLINE void pe__reorder(unsigned char *out, const unsigned char *in, const uint8_t *order,
                             size_t n, size_t unit)
{
    if (unit == 2) pe__reorder_some(out, in, order, n, 2);
    else if (unit == 4) pe__reorder_some(out, in, order, n, 4);
    else if (unit == 8) pe__reorder_some(out, in, order, n, 8);
    else pe__reorder_some(out, in, order, n, 16);
}

/* pe__unsort_row() of 16 bits: a function, so that its buffer is not there while rows are made. */
PE__OUTLINE void pe__unsort_row_16(unsigned char *out, const unsigned char *row,
                                   const uint8_t *order, size_t n)
{
    unsigned char copy[PE__ROPE_PAIRS * sizeof(float)];
    pe__reorder(copy, row, order, n, 4);
    pe__deinterleave(out, copy, n, 2);
}

/* A sorted row, sines and cosines by turns, as its pairs stand in heads, sines and then cosines. */
PE__INLINE void pe__unsort_row(unsigned char *out, const unsigned char *row, const uint8_t *order,
                               size_t n, size_t element)
{
    float *const s = (float *)(void *)out, *const c = s + n;
    size_t i = 0;
    if (element == 2) {
        pe__unsort_row_16(out, row, order, n);
        return;
    }
    for (; i + PE__FLOATS <= n; i += PE__FLOATS) {
        pe__vf u, v;
        pe__get_pairs(row, order + i, &u, &v);
        pe__put(s + i, u);
        pe__put(c + i, v);
    }
    for (; i < n; i++) {
        memcpy(s + i, row + 8 * order[i], 4);
        memcpy(c + i, row + 8 * order[i] + 4, 4);
    }
}

/* The end of a run. A row's runs are made one after the other, in whole groups of vectors: what is
   behind a run's end is made again, or is behind the row. */
PE__INLINE size_t pe__segment_end(const uint8_t *segments, size_t first)
{
    return first + 1 + (segments[first] & PE__SEGMENT_OF_ONE ? 0 : segments[first + 1]);
}
PE__WRAPS
PE__INLINE size_t pe__segment_padding(size_t at, size_t end) { return (at - end) % PE__GROUP; }

/* Pairs from one sorted row to the next, of n pairs from the given one on. */
PE__INLINE size_t pe__sorted_stride(const pe_plan *plan, size_t pair, size_t n)
{
    const uint8_t *const segments = plan->order + plan->pairs + pair;
    size_t first = 0;
    for (size_t end; (end = pe__segment_end(segments, first)) < n;) first = end;
    return n + pe__segment_padding(first, n);
}

/* How many rows a tile of so many floats has, and room for a quarter more. */
PE__INLINE size_t pe__tile_tokens(const pe_plan *plan, size_t tile)
{
    const size_t n = pe__min(plan->pairs, PE__ROPE_PAIRS), most = tile / (2 * n);
    if (!plan->order) return most;
    const size_t step = n == plan->pairs ? pe__sorted_stride(plan, 0, n) : n + PE__GROUP;
    return pe__min(most, (5 * tile / 8 - n) / step);
}

/* Rows of a plan that is sorted, in its order: run after run, with room for so many pairs. */
PE__OUTLINE void pe__write_sorted_rows(const pe__output *output, size_t room, const pe_at *at,
                                       size_t row, size_t rows, const pe__row_kernel *kernel)
{
    const pe_plan *const plan = output->plan;
    const size_t n = output->sines;
    const size_t step = output->order == PE__SPLIT ? 1 : output->order == PE__MATRIX ? 4 : 2;
    const uint8_t *const segments = plan->order + output->pair + plan->pairs;
    pe__output part = *output;
    for (size_t first = 0, end; first < n; first = end) {
        end = pe__segment_end(segments, first);
        while (at->axes == 1 && end < n && segments[end] % PE__SEGMENT_OF_ONE < PE_MAX_AXES)
            end = pe__segment_end(segments, end);
        part.pair = output->pair + first;
        part.coordinate = segments[first] % PE__SEGMENT_OF_ONE;
        part.sine = output->sine + step * first;
        part.cosine = output->cosine + step * first;
        part.padding_pairs = pe__min(pe__segment_padding(first, end), room - end);
        part.sines = part.cosines = end - first + part.padding_pairs;
        if (part.coordinate < PE_MAX_AXES) {
            pe__write_axis(&part, at, row, rows, kernel);
            continue;
        }
        pe__output stationary = part;
        for (size_t r = 0; r < rows; r++) {
            stationary.out = pe__row_address(&part, r);
            kernel->rows(&stationary, 0, 1);
        }
    }
}

/* The same in their places, by way of the room behind the first of them. */
PE__OUTLINE void pe__write_unsorted_rows(const pe__output *output, const pe_at *at, size_t row,
                                         size_t rows, const pe__row_kernel *kernel)
{
    const size_t n = output->sines, room = pe__sorted_stride(output->plan, output->pair, n);
    const uint8_t *const order = output->plan->order + output->pair;
    pe__output sorted = *output;
    sorted.out = pe__row_address(output, 1);
    sorted.stride = (ptrdiff_t)(2 * room * output->element);
    sorted.order = PE__SC;
    sorted.cosine = 1;
    pe__write_sorted_rows(&sorted, room, at, row, rows, kernel);
    for (size_t r = 0; r < rows; r++)
        pe__unsort_row(pe__row_address(output, r), pe__row_address(&sorted, r), order, n,
                       output->element);
}

/* Rows from row `row` of at on, for the pairs of a destination whose rows hold nothing else. */
PE__OUTLINE void pe__write_rope_rows(const pe__output *output, const pe_at *at, size_t row,
                                     size_t rows, const pe__row_kernel *kernel)
{
    const pe_plan *const plan = output->plan;
    const size_t pair = output->pair, count = output->sines;
    if (plan->matrix) {
        pe__write_sums(output, at, row, rows, kernel);
        return;
    }
    /* All pairs are at one position, and their frequencies one after the other: those of axes with
       columns of their own are not. */
    if (!plan->order && (plan->axes == 1 || (at->axes == 1 && plan->joint))) {
        /* of shifts by several coordinates each axis is a call */
        const size_t k = at->axes == 1 ? 0 : output->coordinate;
        if (rows > 1) pe__write_axis(output, at, row, rows, kernel);
        else kernel->rows(output, pe__position(at, row, k) + plan->offset, 1);
        return;
    }
    if (plan->order) {
        pe__write_unsorted_rows(output, at, row, rows, kernel);
        return;
    }
    size_t begin = 0; /* the first pair of an axis */
    for (size_t a = 0; a < plan->axes; begin += plan->axis[a++].pairs) {
        const pe__axis *const axis = &plan->axis[a];
        const size_t first = pe__max(pair, begin);
        const size_t end = pe__min(pair + count, begin + axis->pairs);
        if (first >= end) continue;
        pe__output part = *output;
        part.pair = axis->pair + first - begin;
        part.coordinate = axis->coordinate;
        part.sine += first - pair;
        part.cosine += first - pair;
        part.sines = part.cosines = end - first;
        pe__write_axis(&part, at, row, rows, kernel);
    }
}

/* What a call asks for. */
typedef struct pe__rope_call {
    size_t tokens, head_dim, in_element, out_element; /* head_dim 0: in place */
    pe__head_rotator *rotate, *rotate_sections; /* heads of one layout; of blocks */
    pe__heads x[2];
} pe__rope_call;

/* Copy copied_after elements of each head to the output, converted to its type. A rotator does that
   when its tile has no pairs; it is the one function of a call that knows both types. */
PE__INLINE void pe__copy_elements(const pe__rope_call *call, const pe__tile *no_pairs,
                                  const pe__heads *x)
{
    if (x->copied_after) call->rotate(no_pairs, x);
}

/* Copy what is before the pairs, and, if asked for, what is behind them. */
PE__INLINE void pe__copy_ends(const pe__rope_call *call, const pe__tile *tile, const pe__heads *x,
                              int and_after)
{
    const size_t e = call->in_element, f = call->out_element, n = 2 * tile->pairs;
    pe__heads before = *x, after = *x;
    pe__tile no_pairs = *tile;
    no_pairs.pair = no_pairs.count = no_pairs.pairs = no_pairs.section_count = 0;
    before.in -= x->copied_before * e;
    before.out -= x->copied_before * f;
    before.copied_after = x->copied_before;
    after.in += n * e;
    after.out += n * f;
    pe__copy_elements(call, &no_pairs, &before);
    if (and_after) pe__copy_elements(call, &no_pairs, &after);
}

/* rope_interleave: some heads at a time, copied with their pairs as halves, and rotated
   from there. */
PE__OUTLINE void pe__rotate_rope_interleave(const pe__rope_call *call, const pe__tile *tile,
                                            const pe__heads *x)
{
    enum { PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    unsigned char *const halves = (unsigned char *)buffer;
    const size_t element = call->in_element, pairs = tile->pairs, width = 2 * pairs * element;
    const size_t most = PE__BYTES / width;
    pe__tile one = *tile;
    pe__copy_ends(call, tile, x, 1);
    one.tokens = 1;
    one.token = one.section_count = 0;
    for (size_t t = 0; t < tile->tokens; t++)
        for (size_t k = 0; k < x->heads; k += most) {
            pe__heads some = *x;
            const size_t token = tile->token + t;
            const unsigned char *in = x->in + token * x->in_token + k * x->in_head;
            some.heads = pe__min(most, x->heads - k);
            some.copied_after = 0;
            for (size_t h = 0; h < some.heads; h++, in += x->in_head)
                pe__deinterleave(halves + h * width, in, pairs, element);
            some.in = halves;
            some.in_head = width;
            some.out = x->out + token * x->out_token + k * x->out_head;
            one.sines = tile->sines + t * tile->stride;
            one.cosines = tile->cosines + t * tile->stride;
            call->rotate(&one, &some);
        }
}

/* The parts of count pairs of a plan from the given one on, one of each axis that has columns of
   its own; none where all pairs of the row have one layout. */
PE__INLINE size_t pe__tile_sections(const pe_plan *plan, size_t pair, size_t count,
                                    pe__section *section)
{
    const size_t step = plan->layout == PE_LAYOUT_HALVES ? 1 : 2;
    if (plan->axes == 1 || plan->joint || (step == 2 && plan->d_model == 2 * plan->pairs)) return 0;
    size_t count_of = 0, begin = 0; /* the first pair of an axis */
    for (size_t a = 0; a < plan->axes; begin += plan->axis[a++].pairs) {
        const pe__axis *const axis = &plan->axis[a];
        const size_t first = pe__max(pair, begin), end = pe__min(pair + count, begin + axis->pairs);
        if (first >= end) continue;
        const size_t column = pe__min(axis->sine, axis->cosine) + step * (first - begin);
        const pe__section its = {first - pair, end - first, axis->pairs, column};
        section[count_of++] = its;
    }
    return count_of;
}

/* Tile after tile, the first token at row of at. */
PE__OUTLINE void pe__rotate_tokens(const pe_plan *plan, const pe_at *at, size_t row,
                                   const pe__rope_call *call)
{
    float buffer[5 * PE__ROPE_TILE / 4 + 16];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const int uniform = at->kind == PE__AT_RANGE && at->step == 0;
    const size_t pairs = plan->pairs;
    pe__section section[PE_MAX_AXES];
    pe__tile tile;
    if (pairs == 0) return; /* a plan of a column that is 0 */
    tile.pairs = pairs;
    tile.layout = plan->layout;
    tile.row = NULL;
    tile.section = section;
    tile.sines = rows;
    size_t most = call->tokens;
    if (most > 1 && !uniform) most = pe__tile_tokens(plan, PE__ROPE_TILE);
    for (size_t t = 0; t < call->tokens; t += most) {
        tile.token = t;
        tile.tokens = pe__min(most, call->tokens - t);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            tile.pair = pair;
            tile.count = n;
            tile.cosines = rows + n;
            tile.stride = uniform ? 0 : 2 * n;
            tile.section_count = pe__tile_sections(plan, pair, n, section);
            const pe__output output = pe__output_split(plan, pair, n, rows, sizeof *rows);
            pe__write_rope_rows(&output, at, row + t, uniform ? 1 : tile.tokens,
                                &pe__fill_kernel_f32);
            for (size_t i = 0; i < 2; i++) {
                if (!call->x[i].heads) continue;
                const pe__heads *const x = &call->x[i];
                if (plan->rope_interleave) pe__rotate_rope_interleave(call, &tile, x);
                else {
                    if (x->copied_before && pair == 0) pe__copy_ends(call, &tile, x, 0);
                    (tile.section_count ? call->rotate_sections : call->rotate)(&tile, x);
                }
            }
        }
    }
}

/* Rows of a plan as heads, one each. */
static inline void pe__shift_rows(const pe_plan *plan, const pe_at *at, size_t row,
                                  size_t rows, const pe__request *request, pe__head_rotator *rotate,
                                  pe__head_rotator *rotate_sections)
{
    pe__rope_call call;
    memset(&call, 0, sizeof call);
    call.tokens = rows;
    call.in_element = call.out_element = request->element;
    call.rotate = rotate;
    call.rotate_sections = rotate_sections;
    call.x[0].heads = 1;
    call.x[0].in_token = call.x[0].out_token = request->stride;
    call.x[0].in_head = call.x[0].out_head = request->stride;
    call.x[0].in = call.x[0].out = request->out + row * request->stride;
    pe__rotate_tokens(plan, at, row, &call);
}

/* ==== src/rope/call.h ==== */
/* RoPE's checks and calls.
 * Gives: pe__from_to, pe__heads_of(), pe__make_rope_call(), pe__rope_check_heads(),
 *   pe__rope_by_plan(), pe__rope_plan_ok(), pe__rope_to().
 * Needs: simd, api, where, rows, numbers.
 * Tests: tests/unit/test_rope.c. */

/* ---- 8.2 RoPE: checks and calls -------------------------------------------------------------- */

/* Do tokens x heads heads of width elements not overlap, within reach of a pointer?
   Then the strides become bytes, and span those from the first to the last. */
static inline pe_status pe__rope_shape(size_t width, size_t tokens, size_t heads, size_t *token,
                                       size_t *head, size_t element, size_t *span)
{
    const size_t limit = pe__max_elements(element);
    const int by_head = *head > *token;
    const size_t number[2] = {by_head ? tokens : heads, by_head ? heads : tokens};
    const size_t stride[2] = {by_head ? *token : *head, by_head ? *head : *token};
    if (width > limit) return PE_ERR_SIZE;
    for (int k = 0; k < 2; k++) { /* the nearer ones first; width becomes that of all of them */
        if (number[k] == 1) continue;
        if (stride[k] < width) return PE_ERR_SHAPE;
        if (pe__exceeds(number[k] - 1, stride[k], limit - width)) return PE_ERR_SIZE;
        width += (number[k] - 1) * stride[k];
    }
    /* A stride that is not looked at may be any number: that of a single head becomes that of its
       token, and the other way round. */
    if (tokens == 1) *token = 0;
    if (heads == 1) *head = *token;
    if (tokens == 1) *token = *head;
    *token *= element;
    *head *= element;
    *span = width * element;
    return PE_OK;
}

/* Can RoPE use this plan? Its pairs are all of the row. */
static inline int pe__rope_plan_ok(const pe_plan *plan)
{
    int ok = plan->d_model != 0 && !plan->has_padding && plan->d_model == 2 * plan->pairs;
    for (size_t a = 0; a < plan->axes; a++) ok &= plan->axis[a].sines == plan->axis[a].cosines;
    return ok && !plan->step;
}

/* Heads as a call gives them: of one array and of another; in place both are the same, and head_dim
   is not asked for. */
typedef struct pe__from_to {
    const void *in;
    void *out;
    pe_heads from, to;
    size_t head_dim;
    int in_place;
} pe__from_to;

PE__INLINE pe__heads pe__heads_of(const pe__from_to *given)
{
    pe__heads x;
    x.in = (const unsigned char *)given->in;
    x.out = (unsigned char *)given->out;
    x.heads = given->from.heads;
    x.in_token = given->from.token_stride;
    x.in_head = given->from.head_stride;
    x.out_token = given->to.token_stride;
    x.out_head = given->to.head_stride;
    x.copied_after = x.copied_before = 0;
    return x;
}

/* Check one set of heads, whose strides become bytes, and which begin at what is rotated then, so
   many elements behind their first. */
static inline pe_status pe__rope_check_heads(const pe__rope_call *call, pe__heads *h, size_t rotary,
                                             size_t offset)
{
    if (h->heads == 0) return PE_OK; /* and the rest may not have been written */
    if (!h->in || !h->out) return PE_ERR_NULL;
    const size_t width = call->head_dim ? call->head_dim : rotary;
    /* a stride that is ignored may be any number */
    const int in_place = h->in == h->out && call->in_element == call->out_element &&
                         (call->tokens == 1 || h->in_token == h->out_token) &&
                         (h->heads == 1 || h->in_head == h->out_head);
    size_t in_span = 0, out_span = 0;
    pe_status status = pe__rope_shape(width, call->tokens, h->heads, &h->in_token, &h->in_head,
                                      call->in_element, &in_span);
    if (status != PE_OK) return status;
    if (in_place) {
        h->out_token = h->in_token;
        h->out_head = h->in_head;
    } else {
        h->copied_before = offset;
        h->copied_after = width - offset - rotary;
        status = pe__rope_shape(width, call->tokens, h->heads, &h->out_token, &h->out_head,
                                call->out_element, &out_span);
        const uintptr_t in = (uintptr_t)h->in, out = (uintptr_t)h->out;
        const int overlap = in < out ? out - in < in_span : in - out < out_span;
        if (status == PE_OK && overlap) status = PE_ERR_SHAPE;
        if (status != PE_OK) return status;
    }
    h->in += offset * call->in_element;
    h->out += offset * call->out_element;
    return PE_OK;
}

/* By a plan: check everything, lists last, then rotate. */
static inline pe_status pe__rope_by_plan(const pe_plan *plan, const pe_at *at, pe__rope_call *call)
{
    pe_plan own;
    if (call->tokens == 0 || (call->x[0].heads == 0 && call->x[1].heads == 0)) return PE_OK;
    if (!plan) return PE_ERR_NULL;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN;
    const size_t n = plan->d_model, offset = plan->rotary_offset;
    pe_status status = call->head_dim && call->head_dim < offset + n ? PE_ERR_SHAPE : PE_OK;
    for (size_t i = 0; i < 2 && status == PE_OK; i++)
        status = pe__rope_check_heads(call, &call->x[i], n, offset);
    if (status != PE_OK) return status;
    const pe_plan *const view = pe__view(plan, at, &own);
    status = pe__check_at(at, call->tokens, view->axes, view->offset);
    if (status == PE_OK) pe__rotate_tokens(view, at, 0, call);
    return status;
}

/* A call for heads that are still to be told, in place, from elements of one size to those of
   another. */
PE__INLINE pe__rope_call pe__make_rope_call(size_t tokens, size_t in_element, size_t out_element,
                                            pe__head_rotator *rotate,
                                            pe__head_rotator *rotate_sections)
{
    pe__rope_call call;
    call.tokens = tokens;
    call.head_dim = 0;
    call.in_element = in_element;
    call.out_element = out_element;
    call.rotate = rotate;
    call.rotate_sections = rotate_sections;
    call.x[0].heads = call.x[1].heads = 0;
    return call;
}

/* From one place to another: are there as many heads at both? */
static inline pe_status pe__rope_to(const pe_plan *plan, const pe_at *at, pe__rope_call *call,
                                    const pe__from_to *x)
{
    const size_t heads = x->from.heads, out_heads = x->to.heads;
    if (call->tokens == 0 || (heads == 0 && out_heads == 0)) return PE_OK;
    if (heads != out_heads || x->head_dim == 0) return PE_ERR_SHAPE;
    call->head_dim = x->head_dim;
    call->x[0] = pe__heads_of(x);
    return pe__rope_by_plan(plan, at, call);
}

/* ==== src/rope/table.h ==== */
/* Tables of sines and cosines for other kernels.
 * Gives: pe__write_rope_table(), pe__table_step(), pe__table_width().
 * Needs: simd, api, where, rows, numbers.
 * Tests: tests/unit/test_models.c. */

/* ---- 8.3 RoPE: tables ------------------------------------------------------------------------ */

/* Elements from a pair to the next, where heads have that layout; elements of a row. */
PE__INLINE size_t pe__table_step(pe_rope_table_layout table, pe_layout layout)
{
    const int repeated = table == PE_ROPE_TABLE_TWICE && layout == PE_LAYOUT_INTERLEAVED;
    return table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_COMPLEX || repeated ? 2 : 1;
}
PE__INLINE size_t pe__table_width(pe_rope_table_layout table, size_t pairs)
{
    return (table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_APART ? 1 : 2) * pairs;
}

/* n pairs as matrices of four elements: c, -s, s, c. */
PE__INLINE void pe__write_matrices(unsigned char *out, const unsigned char *s,
                                   const unsigned char *c, size_t n, size_t element)
{
    for (size_t i = 0; i < n && element == sizeof(float); i++) {
        uint32_t m[4];
        memcpy(&m[2], s + i * element, element);
        memcpy(&m[0], c + i * element, element);
        m[1] = m[2] ^ 0x80000000;
        m[3] = m[0];
        memcpy(out + i * sizeof m, m, sizeof m);
    }
    for (size_t i = 0; i < n && element == sizeof(uint16_t); i++) {
        uint16_t m[4];
        memcpy(&m[2], s + i * element, element);
        memcpy(&m[0], c + i * element, element);
        m[1] = (uint16_t)(m[2] ^ 0x8000);
        m[3] = m[0];
        memcpy(out + i * sizeof m, m, sizeof m);
    }
}

/* Copy n elements, step from one to the next; and, if repeat_offset is not 0, so many elements
   behind. */
PE__INLINE void pe__copy_repeated(unsigned char *out, const unsigned char *in, size_t n,
                                  size_t element, size_t step, size_t repeat_offset)
{
    size_t i = 0;
    if (step == 1) {
        memcpy(out, in, n * element);
        if (repeat_offset) memcpy(out + repeat_offset * element, in, n * element);
        return;
    }
    for (; repeat_offset && element == sizeof(float) && i + PE_LANES <= n; i += PE_LANES)
        pe__put((float *)(void *)out + 2 * i,
                pe__get_repeated((const float *)(const void *)in + i));
    for (; i < n; i++) {
        memcpy(out + 2 * i * element, in + i * element, element);
        if (repeat_offset) memcpy(out + (2 * i + 1) * element, in + i * element, element);
    }
}

/* n pairs of a row from the given one on, sines and then cosines, to the columns of the table that
   begin at the two places. */
PE__INLINE void pe__write_table_pairs(const pe__output *to, unsigned char *cosines,
                                      unsigned char *sines, size_t pair, const unsigned char *row,
                                      size_t n)
{
    const int adjacent =
        to->order == PE__SC || (to->order == PE__REPEATED && to->repeat_offset == 1);
    const size_t e = to->element, step = to->order == PE__MATRIX ? 4 : adjacent ? 2 : 1;
    const size_t at = pair * step * e;
    if (step == 4) {
        pe__write_matrices(cosines + at, row, row + n * e, n, e);
        return;
    }
    pe__copy_repeated(cosines + at, row + n * e, n, e, step, to->repeat_offset);
    pe__copy_repeated(sines + at, row, n, e, step, to->repeat_offset);
}

/* less than a tile: rows of 16-bit elements take more stack themselves */
enum { PE__TABLE_TILE = PE__ROPE_TILE / 2 };

/* Rows of matrices, or of sines and cosines twice: made on the stack. */
PE__INLINE void pe__table_rows(const pe__output *output, double t, size_t rows,
                               const pe__row_kernel *kernel)
{
    float buffer[PE__TABLE_TILE + 16];
    const size_t pairs = output->sines, e = output->element;
    for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
        const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair), most = PE__TABLE_TILE / (2 * n);
        const pe__output tile =
            pe__output_split(output->plan, output->pair + pair, n, pe__aligned(buffer), e);
        for (size_t r = 0; r < rows; r += most) {
            kernel->rows(&tile, t + (double)r, pe__min(most, rows - r));
            for (size_t k = 0; k < pe__min(most, rows - r); k++) {
                unsigned char *const row = pe__row_address(output, r + k);
                pe__write_table_pairs(output, row + output->cosine * e, row + output->sine * e,
                                      pair, pe__row_address(&tile, k), n);
            }
        }
    }
}
#define PE__TABLE_KERNEL(T)                                                                        \
    PE__OUTLINE void pe__table_rows_##T(const pe__output *output, double t, size_t rows)           \
    {                                                                                              \
        pe__table_rows(output, t, rows, &pe__fill_kernel_##T);                                     \
    }                                                                                              \
    static const pe__row_kernel pe__table_kernel_##T = {pe__table_rows_##T, pe__write_zeros};
PE__TABLE_KERNEL(f32)
PE__TABLE_KERNEL(f16)
PE__TABLE_KERNEL(bf16)
#undef PE__TABLE_KERNEL

/* The columns of such a table: those of one axis after those of the other. The first cosine and the
   first sine of a row are so many elements behind its beginning; matrices have them at one. */
PE__OUTLINE void pe__write_repeated_axes(const pe_plan *plan, const pe_at *at,
                                         const pe__request *request, size_t cosine, size_t sine)
{
    const int matrices = cosine == sine, halves = plan->layout == PE_LAYOUT_HALVES;
    const int sections = halves && plan->axes > 1 && !plan->joint;
    size_t begin = 0; /* the first pair of an axis */
    for (size_t a = 0; a < plan->axes; begin += plan->axis[a++].pairs) {
        const pe__axis *const axis = &plan->axis[a];
        const size_t column = matrices ? 4 * begin : halves && !sections ? begin : 2 * begin;
        pe__output output =
            pe__output_split(plan, axis->pair, axis->pairs, request->out, request->element);
        output.coordinate = axis->coordinate;
        output.stride = (ptrdiff_t)request->stride;
        output.order = matrices ? PE__MATRIX : PE__REPEATED;
        output.cosine = cosine + column;
        output.sine = sine + column;
        output.repeat_offset = !halves ? 1 : sections ? axis->pairs : plan->pairs;
        if (axis->pairs) pe__write_axis(&output, at, 0, request->rows, request->kernel);
    }
}

/* A row of a table in a plan's order: in its own, by way of a buffer. */
PE__INLINE void pe__unsort_table_row(const pe__output *to, const pe__output *sorted,
                                     unsigned char *cosines, unsigned char *sines,
                                     unsigned char *buffer)
{
    const int matrix = to->order == PE__MATRIX;
    const size_t n = to->sines, e = to->element, unit = matrix ? 4 * e : 2 * e;
    const uint8_t *const order = to->plan->order;
    if (matrix || to->order == PE__SC) {
        pe__reorder(buffer, cosines, order, n, unit);
        memcpy(cosines, buffer, n * unit);
        return;
    }
    if (sorted->order == PE__SPLIT) {
        pe__reorder(buffer, sines, order, n, e);
        pe__reorder(buffer + n * e, cosines, order, n, e);
    } else pe__unsort_row(buffer, cosines, order, n, e);
    pe__write_table_pairs(to, cosines, sines, 0, buffer, n);
}

/* A table of pairs that a plan sorts, not more than a tile has: first in the plan's order. A row is
   sines and cosines by turns where it has room for both; what repeats is copied as in any table. */
PE__OUTLINE void pe__write_sorted_table(const pe__output *to, const pe_at *at,
                                        const pe__request *request, unsigned char *sines,
                                        unsigned char *buffer)
{
    const int back = sines < request->out;
    const size_t bytes = (size_t)(back ? request->out - sines : sines - request->out);
    const size_t other = bytes / request->element;
    const int separate = to->order == PE__SPLIT && (back || other != to->sines);
    pe__output sorted = *to;
    sorted.out = separate && back ? sines : request->out;
    sorted.stride = (ptrdiff_t)request->stride;
    if (!separate && to->order != PE__MATRIX)
        sorted.order = to->order == PE__SC ? PE__CS : PE__SC; /* as they are to be: cosines first */
    sorted.sine = separate ? (back ? 0 : other) : sorted.order == PE__CS;
    sorted.cosine = separate ? (back ? other : 0) : sorted.order == PE__SC;
    pe__write_sorted_rows(&sorted, to->sines, at, 0, request->rows, request->kernel);
    for (size_t r = 0; r < request->rows; r++)
        pe__unsort_table_row(to, &sorted, request->out + r * request->stride,
                             sines + r * request->stride, buffer);
}

/* Any table of a plan whose pairs are scattered, or of sums: in tiles on the stack. */
PE__OUTLINE void pe__write_table_tiles(const pe_plan *plan, const pe_at *at,
                                       const pe__request *request, unsigned char *sines,
                                       pe_rope_table_layout layout,
                                       const pe__row_kernel *repeat_kernel)
{
    float buffer[5 * PE__TABLE_TILE / 4 + 16];
    const size_t pairs = plan->pairs, e = request->element;
    const size_t most = pe__tile_tokens(plan, PE__TABLE_TILE);
    pe__output to = pe__output_split(plan, 0, pairs, NULL, e);
    if (layout == PE_ROPE_TABLE_MATRIX) to.order = PE__MATRIX;
    if (layout == PE_ROPE_TABLE_COMPLEX) to.order = PE__SC;
    if (layout == PE_ROPE_TABLE_TWICE) {
        to.order = PE__REPEATED;
        to.repeat_offset = plan->layout == PE_LAYOUT_HALVES ? pairs : 1;
    }
    if (!sines) sines = request->out + (layout == PE_ROPE_TABLE_COMPLEX ? 1 : pairs) * e;
    if (plan->order && pairs <= PE__ROPE_PAIRS) {
        pe__request rows = *request;
        if (layout == PE_ROPE_TABLE_MATRIX) rows.kernel = repeat_kernel;
        pe__write_sorted_table(&to, at, &rows, sines, (unsigned char *)(void *)pe__aligned(buffer));
        return;
    }
    for (size_t r = 0; r < request->rows; r += most) {
        const size_t rows = pe__min(most, request->rows - r);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            const pe__output tile = pe__output_split(plan, pair, n, pe__aligned(buffer), e);
            pe__write_rope_rows(&tile, at, r, rows, request->kernel);
            for (size_t k = 0; k < rows; k++) {
                const size_t row = (r + k) * request->stride;
                pe__write_table_pairs(&to, request->out + row, sines + row, pair,
                                      pe__row_address(&tile, k), n);
            }
        }
    }
}

/* repeat_kernel: what makes elements that are there more than once; table: what is asked for; made:
   that with the pairs, or NULL. */
static inline pe_status pe__write_rope_table(const pe_plan *plan, const pe_at *at,
                                             const pe__request *request,
                                             const pe__row_kernel *repeat_kernel,
                                             const pe_rope_table *table, pe_rope_table *made)
{
    const pe_rope_table_layout layout = table->layout;
    unsigned char *const sines = (unsigned char *)(uintptr_t)table->sines;
    const int two = layout == PE_ROPE_TABLE_APART || layout == PE_ROPE_TABLE_TWICE;
    pe_plan own;
    if (request->rows == 0) return PE_OK;
    if (!plan || !request->out) return PE_ERR_NULL;
    if ((unsigned)layout > PE_ROPE_TABLE_MATRIX) return PE_ERR_ENUM;
    if (two && !sines) return PE_ERR_NULL;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN;
    const uintptr_t c = (uintptr_t)request->out, s = (uintptr_t)sines, gap = s < c ? c - s : s - c;
    if (two ? gap % request->element != 0 : sines != NULL) return PE_ERR_SHAPE;
    pe_status status = pe__check_shape(pe__table_width(layout, plan->pairs), request->rows,
                                       request->columns, request->element);
    const pe_plan *const view = pe__view(plan, at, &own);
    if (status == PE_OK) status = pe__check_at(at, request->rows, view->axes, view->offset);
    if (status != PE_OK) return status;
    if (made) {
        *made = *table;
        made->pairs = plan->pairs;
    }
    /* two arrays are one whose halves are separate, from the one that comes first on */
    const int copied = layout == PE_ROPE_TABLE_TWICE || layout == PE_ROPE_TABLE_MATRIX;
    if (plan->order || (copied && plan->matrix)) {
        pe__write_table_tiles(view, at, request, sines, layout, repeat_kernel);
        return PE_OK;
    }
    pe_plan cosines_first = *view; /* a plan that has the cosines first */
    pe__request rows = *request;
    const int halves = layout != PE_ROPE_TABLE_COMPLEX;
    const size_t other = two ? gap / request->element : cosines_first.pairs;
    const size_t cosine = two && s < c ? other : 0, sine = two && s < c ? 0 : other;
    if (two && s < c) rows.out = sines;
    if (copied) {
        rows.kernel = repeat_kernel;
        pe__write_repeated_axes(view, at, &rows, cosine, layout == PE_ROPE_TABLE_MATRIX ? 0 : sine);
        return PE_OK;
    }
    cosines_first.layout = halves ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    cosines_first.cos_first = 1;
    for (size_t a = 0, pair = 0; a < cosines_first.axes; pair += cosines_first.axis[a++].pairs) {
        cosines_first.axis[a].cosine = halves ? pair + cosine : 2 * pair;
        cosines_first.axis[a].sine = halves ? pair + sine : 2 * pair + 1;
    }
    pe__write_axes(&cosines_first, at, &rows);
    return PE_OK;
}

/* ==== src/rope/by_table.h ==== */
/* Heads rotated by the rows of a table.
 * Gives: pe__rope_by_table(), pe__rotate_token_by_table().
 * Needs: simd, api, where, rows, numbers.
 * Tests: tests/unit/test_tables.c, tests/unit/test_rope.c. */

/* ---- 8.4 RoPE: rotation by a table -----------------------------------------------------------
 * Rows of floats, cosines apart from sines, are used where they are. All others, of 16 bits, of
 * another order, or backward, are copied to the stack as floats first. */

/* A table as rotation reads it. */
typedef struct pe__table {
    const void *cosines, *sines;
    size_t stride, step; /* elements from row to row, from pair to pair            */
    pe_type type;
    int odd; /* the sines are half a step behind the cosines, in one array with them */
} pe__table;

/* Floats p[0], p[step] ... of a table; odd: those in the middle between them. */
PE__INLINE pe__vf pe__get_every(pe__type type, size_t step, int odd, const void *p)
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

/* So many bytes, fewer than are read, with zeros behind them. */
PE__OUTLINE const void *pe__pad_floats(const void *in, size_t bytes, float *few)
{
    memset(few, 0, 4 * PE__FLOATS * sizeof *few);
    memcpy(few, in, bytes);
    return few;
}

/* Cosines and then sines, backward 0 less these, of a tile's pairs in some rows of the table.
   Writes whole vectors: up to one behind the last. */
PE__INLINE void pe__read_table_rows(pe__type type, const pe__table *table, const double *p,
                                    size_t rows, const pe__tile *tile, int back, float *out)
{
    const size_t n = tile->count, step = table->step;
    float few[4 * PE__FLOATS];
    for (size_t r = 0; r < 2 * rows; r++, out += n) { /* cosines, sines */
        const int odd = r % 2 && table->odd, negative = r % 2 && back;
        const size_t from = (size_t)fabs(p[r / 2]) * table->stride + tile->pair * step;
        const void *in = pe__at_const(type, r % 2 ? table->sines : table->cosines, from);
        if (n < PE__FLOATS) in = pe__pad_floats(in, n * step * pe__size_of(type), few);
        size_t done = 0;
        for (; step == 1 && !negative && done + PE__FLOATS <= n; done += PE__FLOATS)
            pe__put(out + done, pe__get_as(type, pe__at_const(type, in, done)));
        for (size_t i = done; i < n; i += PE__FLOATS) { /* the last vector may overlap */
            const size_t k = n < PE__FLOATS ? 0 : pe__min(i, n - PE__FLOATS);
            const pe__vf v = pe__get_every(type, step, odd, pe__at_const(type, in, k * step));
            pe__put(out + k, negative ? pe__sub_f32(pe__splat_f32(0.0f), v) : v);
        }
    }
}

/* The same of all of a tile's tokens, the first one at row 0 of at. */
PE__OUTLINE void pe__gather_rows(const pe__table *table, const pe_at *at, const pe__tile *tile,
                                 float *out)
{
    const int back = at->back;
    double p[PE__POSITIONS];
    for (size_t t = 0, n; t < tile->tokens; t += n, out += 2 * n * tile->count) {
        n = pe__min(tile->tokens - t, PE__POSITIONS);
        pe__positions(at, tile->token + t, n, 0, p);
        if (table->type == PE_TYPE_F32) pe__read_table_rows(PE__F32, table, p, n, tile, back, out);
        else if (table->type == PE_TYPE_F16)
            pe__read_table_rows(PE__F16, table, p, n, tile, back, out);
        else pe__read_table_rows(PE__BF16, table, p, n, tile, back, out);
    }
}

/* Tile after tile. */
PE__OUTLINE void pe__rotate_gathered(const pe__table *table, const pe_at *at,
                                     const pe__rope_call *call, pe__tile *tile)
{
    float buffer[PE__ROPE_TILE + 16 + PE__FLOATS];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const size_t pairs = tile->pairs, most = PE__ROPE_TILE / (2 * pe__min(pairs, PE__ROPE_PAIRS));
    tile->sines = rows;
    for (tile->token = 0; tile->token < call->tokens; tile->token += most) {
        tile->tokens = pe__min(most, call->tokens - tile->token);
        for (tile->pair = 0; tile->pair < pairs; tile->pair += PE__ROPE_PAIRS) {
            tile->count = pe__min(PE__ROPE_PAIRS, pairs - tile->pair);
            tile->cosines = rows;
            tile->sines = rows + tile->count;
            tile->stride = 2 * tile->count;
            pe__gather_rows(table, at, tile, rows);
            call->rotate(tile, &call->x[0]);
        }
    }
}

/* Rows of floats where they are, in any order. */
PE__OUTLINE void pe__rotate_by_rows(const pe_at *at, const pe__rope_call *call, pe__tile *tile)
{
    double p[PE__POSITIONS];
    size_t row[PE__POSITIONS];
    tile->row = row;
    for (tile->token = 0; tile->token < call->tokens; tile->token += tile->tokens) {
        tile->tokens = pe__min(call->tokens - tile->token, PE__POSITIONS);
        pe__positions(at, tile->token, tile->tokens, 0, p);
        for (size_t k = 0; k < tile->tokens; k++) row[k] = (size_t)fabs(p[k]);
        call->rotate(tile, &call->x[0]);
    }
}

/* Are these whole positions of one coordinate, each a row of the table? */
static inline pe_status pe__check_table_rows(const pe_at *at, size_t tokens, size_t rows)
{
    const double limit = (double)pe__position_limit, all = (double)rows - 1;
    const double half = (all < limit ? all : limit) / 2, middle = at->back ? half : -half;
    if (at->kind < (int)PE__AT_RANGE || at->kind > (int)PE__AT_I64) return PE_ERR_ENUM;
    if (at->axes != 1 || at->delta) return PE_ERR_ENUM;
    return pe__check_positions(at, tokens, 1, middle, middle, half);
}

/* By a table of the caller's: check everything, then rotate. */
PE__OUTLINE pe_status pe__rope_by_table(const pe_rope_table *table, pe_layout layout,
                                        const pe_at *at, pe__rope_call *call, const pe__from_to *x)
{
    const size_t heads = x->from.heads, out_heads = x->to.heads;
    if (call->tokens == 0 || (heads == 0 && out_heads == 0)) return PE_OK;
    if (!table) return PE_ERR_NULL;
    call->x[0] = pe__heads_of(x);
    const size_t pairs = table->pairs, element = table->type == PE_TYPE_F32 ? 4 : 2;
    const int two = table->layout <= PE_ROPE_TABLE_TWICE;
    if ((unsigned)table->type > PE_TYPE_BF16 || (unsigned)layout > PE_LAYOUT_HALVES ||
        (unsigned)table->layout > PE_ROPE_TABLE_MATRIX)
        return PE_ERR_ENUM;
    if (pairs > 0 && (!table->cosines || (two && !table->sines))) return PE_ERR_NULL;
    if (pairs > SIZE_MAX / 4) return PE_ERR_SIZE;
    call->head_dim = x->in_place ? 2 * pairs : x->head_dim;
    if (heads != out_heads || call->head_dim < 2 * pairs || (!two && table->sines))
        return PE_ERR_SHAPE;
    pe_status status = pe__check_shape(pe__table_width(table->layout, pairs), table->rows,
                                       table->stride, element);
    if (status == PE_OK) status = pe__rope_check_heads(call, &call->x[0], 2 * pairs, 0);
    if (status == PE_OK) status = pe__check_table_rows(at, call->tokens, table->rows);
    if (status != PE_OK) return status;
    const void *const c = pairs ? table->cosines : table, *const s = pairs ? table->sines : table;
    pe__table rows = {c, s, pairs ? table->stride : 0, 1, table->type, 0};
    rows.step = pe__table_step(table->layout, layout);
    rows.odd = table->layout >= PE_ROPE_TABLE_COMPLEX;
    if (rows.odd) rows.sines = rows.cosines;
    if (table->layout == PE_ROPE_TABLE_JOINED)
        rows.sines = (const unsigned char *)rows.cosines + pairs * element;
    pe__tile tile;
    tile.pair = tile.token = tile.section_count = 0;
    tile.count = tile.pairs = pairs;
    tile.tokens = call->tokens;
    tile.layout = layout;
    tile.row = NULL;
    if (pairs > 0 && (element != sizeof(float) || rows.step > 1 || at->back)) {
        pe__rotate_gathered(&rows, at, call, &tile);
        return PE_OK;
    }
    tile.cosines = (const float *)rows.cosines;
    tile.sines = (const float *)rows.sines;
    tile.stride = rows.stride;
    if (at->kind == PE__AT_RANGE && at->step >= 0) { /* rows at equal distances */
        tile.cosines += (size_t)at->first * rows.stride;
        tile.sines += (size_t)at->first * rows.stride;
        tile.stride = call->tokens > 1 ? (size_t)at->step * rows.stride : 0;
        call->rotate(&tile, &call->x[0]);
    } else pe__rotate_by_rows(at, call, &tile);
    return PE_OK;
}

/* The heads of one token by a row of floats, where nothing is wrong and no pair is left over. */
PE__INLINE void pe__rotate_token_by_table(pe__type type, const pe_rope_table *t, pe_layout layout,
                                          size_t row, void *p, const pe_heads *heads)
{
    const float *const c = (const float *)t->cosines + row * t->stride;
    const float *const s = (const float *)t->sines + row * t->stride;
    const size_t by = heads->head_stride * pe__size_of(type);
    const pe__angles a = {s, c, t->pairs, t->pairs};
    const pe__heads x = {(unsigned char *)p, (unsigned char *)p, 0, by, 0, by, heads->heads, 0, 0};
    pe__rotate_units(type, type, layout, PE__ONE_SECTION, &a, &x, 0);
}

/* ==== src/rope/factors.h ==== */
/* Factors by position.
 * Gives: pe_rope_query_scale_f32(), pe_rope_xpos_f32().
 * Needs: simd, api, where, numbers, sincos.
 * Tests: tests/unit/test_models.c. */

/* ---- 8.4 RoPE: factors by position ----------------------------------------------------------- */

/* Are all positions of a call that pe__check_at() found right within these bounds? Of a grid those
   of all cells, also of such that the call does not make. */
static inline int pe__positions_within(const pe_at *at, size_t rows, double least, double most)
{
    double p[PE__POSITIONS];
    int ok = 1;
    if (at->kind == (int)PE__AT_GRID) {
        p[0] = (double)(at->size[0] - 1) * (at->back ? -1 : 1);
        return least <= 0 && 0 <= most && pe__between(p[0], least, most);
    }
    for (size_t r = 0, n; r < rows; r += n) {
        n = pe__min(rows - r, PE__POSITIONS);
        pe__positions(at, r, n, 0, p);
        for (size_t k = 0; k < n; k++) ok &= pe__between(p[k], least, most);
    }
    return ok;
}

/* The float nearest to (a / b)^(p / s), or, for a logarithm, to 1 + ln(a / b) p / s. */
PE__COLD float pe__round_factor(double a, double b, double p, double s, int logarithm)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        pe__real x = pe__real_of(a, n), z = pe__real_of(b, n);
        pe__real_log(&x);
        pe__real_log(&z);
        pe__real_add(&x, &z, -1);
        pe__real_mul_double(&x, p);
        pe__real_div_double(&x, s);
        if (logarithm) pe__real_add_double(&x, 1);
        else pe__real_exp(&x);
        if (pe__real_round(&x, 29, n == PE__LIMBS, &y)) return (float)y;
    }
}

/* 1 + beta ln(x / per) at some rows, not less than 1 where x is per. No tie: a logarithm of a
   rational is transcendental. It is off by 2^-105, which beta makes larger; e has twice that, and
   2^-98 for the sums and the second double. */
PE__COLD void pe__query_factors(const double *x, double per, double beta, size_t n, float *factors)
{
    double high[PE_LANES], low[PE_LANES];
    const pe__td log2 =
        pe__td_log2(pe__td_div_double(pe__td_from_double(pe__load(x)), pe__splat(per)));
    const pe__td log = pe__td_mul(log2, pe__td_const(pe__ln2));
    const pe__td y = pe__td_add(pe__td_mul_double(log, pe__splat(beta)), pe__td_splat(1.0));
    pe__store(high, y.a);
    pe__store(low, y.b + y.c);
    for (size_t k = 0; k < n; k++) {
        const double e = (fabs(high[k]) + 1) * pe__exp2i(-98) + fabs(beta) * pe__exp2i(-104);
        factors[k] = x[k] == per ? 1 : pe__round_sum(high[k], low[k], PE__DROP_F32);
        if (x[k] != per && PE__UNLIKELY(pe__is_hard_to_round(high[k], low[k], e)))
            factors[k] = pe__round_factor(x[k], per, beta, 1, 1);
    }
}

PE_API pe_status pe_rope_query_scale_f32(pe_query_scale kind, double beta, size_t period,
                                         double shift, pe_at at, size_t rows, float *factors)
{
    const int whole = kind == PE_QUERY_SCALE_FLOOR;
    const double least = whole ? -pe__exp2i(100) : 0, per = whole ? 1 : (double)period;
    if (rows == 0) return PE_OK;
    if (!factors) return PE_ERR_NULL;
    if ((unsigned)kind > PE_QUERY_SCALE_LOG) return PE_ERR_ENUM;
    if (!pe__between(beta, least, pe__exp2i(100)) || period < 1 || !pe__rope_length_ok(period) ||
        !pe__between(shift, -pe__exp2i(31), pe__exp2i(31)))
        return PE_ERR_RANGE;
    if (pe__exceeds(rows, sizeof *factors, PTRDIFF_MAX)) return PE_ERR_SIZE;
    const pe_status status = pe__check_at(&at, rows, 1, shift);
    if (status != PE_OK) return status;
    if (!pe__positions_within(&at, rows, -shift, pe__exp2i(32))) return PE_ERR_RANGE;
    /* Rows often have the factor of the row before (FLOOR: within a period; LOG: up to one), and
       then take no logarithm. */
    double last = per; /* where the factor is 1 */
    float factor = 1;
    for (size_t r = 0, n; r < rows; r += n) {
        double x[PE_LANES], p[PE_LANES];
        int same = 1;
        n = pe__min(rows - r, PE_LANES);
        pe__positions(&at, r, n, 0, p);
        for (size_t k = 0; k < PE_LANES; k++) {
            const double t = p[pe__min(k, n - 1)] + shift;
            x[k] = whole ? (double)((uint64_t)t / period + 1) : t > per ? t : per;
            same &= x[k] == last;
        }
        for (size_t k = 0; same && k < n; k++) factors[r + k] = factor;
        if (!same) pe__query_factors(x, per, beta, n, factors + r);
        last = x[n - 1];
        factor = factors[r + n - 1];
    }
    return PE_OK;
}

/* The float nearest to (a / b)^(p / s), which is next to a double that is the middle of two floats,
 * 2^k N with an odd N of 25 bits, or is that double.
 *
 * It is where p / s = m / q, in lowest terms, and a / b to the m is 2^(kq) N^q. Of a / b in lowest
 * terms, for m < 0 of b / a, the denominator is a power of two then, and N = c^m, the numerator but
 * for a power of two c^q: c is at least 3, below 7 2^28 < 3^20, so q is below 20. */
PE__COLD float pe__round_xpos(uint64_t a, uint64_t b, double p, double s, double tie)
{
    uint64_t bits, x = p < 0 ? b : a, y = p < 0 ? a : b, up = x, down = y;
    memcpy(&bits, &tie, sizeof bits);
    while (down) {
        const uint64_t rest = up % down;
        up = down;
        down = rest;
    }
    for (x /= up; x % 2 == 0; x /= 2) {}
    for (y /= up; y % 2 == 0; y /= 2) {}
    bits = (bits & 0xfffffffffffffu) >> 28 | 0x1000000u; /* N: the first 25 bits of 53 */
    for (int q = 1; q < 20 && y == 1; q++) {
        const double m = pe__round_to_integer(q * fabs(p) / s), left = q * fabs(p), right = m * s;
        if (left == right &&
            pe__product_minus(q, fabs(p), left) == pe__product_minus(m, s, right) &&
            pe__powers_equal(x, (uint64_t)m, bits, (uint64_t)q))
            return pe__round_sum(tie, 0, PE__DROP_F32);
    }
    return pe__round_factor((double)a, (double)b, p, s, 0);
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
    const double most = 60 * scale_base;
    if (!pe__positions_within(&at, rows, -most, most)) return PE_ERR_RANGE;
    /* Columns outside: a logarithm serves all rows. No factor is beyond (7/2)^60 < 2^109: the check
       of positions keeps all of them normal floats. */
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        double numerator[PE_LANES], high[PE_LANES], low[PE_LANES];
        const size_t n = pe__min(PE_LANES, pairs - i);
        for (size_t k = 0; k < PE_LANES; k++) numerator[k] = (double)(5 * (i + k) + 2 * pairs);
        /* (2i + 0.4 n) / 1.4 n is (5i + 2 pairs) / 7 pairs */
        pe__td x = pe__td_log2(pe__td_from_double(pe__load(numerator)));
        x = pe__td_sub(x, pe__td_log2(pe__td_splat((double)(7 * pairs))));
        x = pe__td_div_double(x, pe__splat(scale_base));
        for (size_t r = 0; r < rows; r++) {
            const double p = pe__position(&at, r, 0);
            /* to 2^-98: 60 times the 2^-106 of two logarithms, and little else */
            const pe__td y = pe__td_exp2(pe__td_mul_double(x, pe__splat(p)));
            pe__store(high, y.a);
            pe__store(low, y.b + y.c);
            for (size_t k = 0; k < n; k++) {
                float *const factor = &factors[r * stride + i + k];
                *factor = pe__round_sum(high[k], low[k], PE__DROP_F32);
                if (PE__UNLIKELY(pe__is_hard_to_round(high[k], low[k], high[k] * pe__exp2i(-97))))
                    *factor = pe__round_xpos(5 * (i + k) + 2 * pairs, 7 * pairs, p, scale_base,
                                             high[k]); /* below 2^32 */
            }
        }
    }
    return PE_OK;
}

/* ==== src/rope/ggml.h ==== */
/* The angles of ggml, float by float.
 * Gives: pe_rope_ggml_f32(), pe_rope_ggml_frequencies().
 * Needs: simd, api, where, plan, rows, numbers, frequencies, sincos.
 * Tests: tests/unit/test_models.c. */

/* ---- 8.5 RoPE: the angles of ggml ---------------------------------------------------------------
 * Whoever wants ggml's angles needs its roundings: the same floats in the same order, with ggml's
 * constants (pi as 3.14159274f, 0.1f, 0.001f), fused where its compiler fuses (contracted). But
 * powf, logf, sinf and cosf are correctly rounded, which those of C libraries need not be. */

/* a * b + c, fused or not: a double holds the product exactly, so there is one rounding. */
PE__INLINE float pe__float_sum(float a, float b, float c, int fused)
{
    if (fused) return pe__round_sum((double)a * (double)b, (double)c, PE__DROP_F32);
    return pe__float_product(a, b) + c;
}

/* a / b, not a product with 1 / b, whatever else is divided by b. */
PE__INLINE float pe__float_quotient(float a, float b)
{
    PE__OPAQUE(b);
    return a / b;
}

/* To float, once: the inputs are so few that no result is next to the middle of two. */
PE__INLINE float pe__td_float(pe__td x)
{
    return (float)pe__to_odd(pe__first_lane(x.a), pe__first_lane(x.b));
}
PE__INLINE float pe__logf(float x)
{
    const pe__td y = pe__td_log2(pe__td_splat((double)x));
    return pe__td_float(pe__td_mul(y, pe__td_const(pe__ln2)));
}

/* YaRN's pair that turns beta times, as a float, rounded where ggml_rope_yarn_corr_dim() rounds. */
static inline float pe__ggml_correction(const pe_rope_ggml *c, float beta)
{
    if (c->n_ctx_orig == 0) return -FLT_MAX; /* the logarithm of 0 */
    const float rotations = (float)c->n_ctx_orig / (beta * 2 * 3.14159274f);
    return (float)c->n_dims * pe__logf(rotations) / (2 * pe__logf(c->freq_base));
}

/* A config, with what a 0 stands for. Is it right? */
static inline int pe__ggml_read(pe_rope_ggml *c, const pe_rope_ggml *given)
{
    const double tiny = pe__exp2i(-60), vast = pe__exp2i(60);
    *c = *given;
    if (c->freq_base == 0) c->freq_base = 10000;
    if (c->freq_scale == 0) c->freq_scale = 1;
    if (c->attn_factor == 0) c->attn_factor = 1;
    if (c->beta_fast == 0) c->beta_fast = 32;
    if (c->beta_slow == 0) c->beta_slow = 1;
    int ok = c->n_dims % 2 == 0 && c->n_dims >= 2 && c->n_dims <= 1048576 &&
             pe__between((double)c->freq_base, 1, pe__exp2i(100)) &&
             pe__between((double)c->freq_scale, tiny, 1024) &&
             pe__between((double)c->ext_factor, 0, 1) &&
             pe__between((double)c->attn_factor, tiny, vast);
    if (ok && c->ext_factor > 0)
        ok = c->freq_base > 1 && pe__between((double)c->beta_fast, tiny, vast) &&
             pe__between((double)c->beta_slow, tiny, vast) && c->n_ctx_orig <= INT32_MAX;
    if (c->freq_factors_length)
        ok = ok && c->freq_factors && c->freq_factors_length >= c->n_dims / 2;
    for (size_t i = 0; ok && c->freq_factors && i < c->n_dims / 2; i++)
        ok = pe__between((double)c->freq_factors[i], 1 / 1024.0, pe__exp2i(120));
    return ok;
}

PE_API pe_status pe_rope_ggml_frequencies(const pe_rope_ggml *given, double *omega,
                                          double *attention_factor)
{
    pe_rope_ggml c;
    if (!given || !omega) return PE_ERR_NULL;
    if (!pe__ggml_read(&c, given)) return PE_ERR_CONFIG;
    pe_rope_config config = pe_rope_config_default(c.n_dims);
    config.rope_theta = (double)c.freq_base;
    config.rope_type = c.ext_factor > 0 ? PE_ROPE_YARN : PE_ROPE_LINEAR;
    config.extrapolation_factor = (double)c.ext_factor;
    config.beta_fast = (double)c.beta_fast;
    config.beta_slow = (double)c.beta_slow;
    config.freq_factors = c.freq_factors;
    pe__rope r;
    pe__rope_read(&r, &config);
    r.is_ggml = 1;
    r.f[2] = (double)c.freq_scale;
    r.length = c.n_ctx_orig ? (double)c.n_ctx_orig : pe__exp2i(-900); /* all bounds are below 0 */
    pe__rope_begin(&r);
    pe__rope_all_frequencies(&r, omega);
    if (!attention_factor) return PE_OK;
    *attention_factor = (double)c.attn_factor;
    if (c.ext_factor > 0) *attention_factor = pe__rope_factor(&r, 1, 0, (double)c.attn_factor);
    return PE_OK;
}

/* ggml's arguments, and what follows from them for all rows. */
typedef struct pe__ggml {
    pe_rope_ggml c;
    float theta_scale, mscale; /* from pair to pair; the amplitude */
    float low, span;           /* YaRN: where the ramp begins, and its length */
} pe__ggml;
static inline void pe__ggml_begin(pe__ggml *g)
{
    const pe__vd exponent = pe__splat((double)(-2.0f / (float)g->c.n_dims));
    const pe__td log_base = pe__td_log2(pe__td_splat((double)g->c.freq_base));
    g->theta_scale = pe__td_float(pe__td_exp2(pe__td_mul_double(log_base, exponent)));
    g->mscale = g->c.attn_factor;
    g->low = 0;
    g->span = 1;
    if (!(g->c.ext_factor > 0)) return;
    const float from = (float)floor((double)pe__ggml_correction(&g->c, g->c.beta_fast));
    const float until = (float)ceil((double)pe__ggml_correction(&g->c, g->c.beta_slow));
    const float last = (float)(g->c.n_dims - 1);
    g->low = from > 0 ? from : 0;
    g->span = (until < last ? until : last) - g->low;
    g->span = g->span > 0.001f ? g->span : 0.001f;
    g->mscale *= pe__float_sum(0.1f, pe__logf(1.0f / g->c.freq_scale), 1, g->c.contracted);
}

/* The angle of a pair, from theta, the position times a power of theta_scale. */
static inline float pe__ggml_angle(const pe__ggml *g, size_t pair, float theta)
{
    const float factor = g->c.freq_factors ? g->c.freq_factors[pair] : 1.0f;
    const float extrapolated = pe__float_quotient(theta, factor);
    const float interpolated = pe__float_product(g->c.freq_scale, extrapolated);
    if (!(g->c.ext_factor > 0)) return interpolated;
    const float y = pe__float_quotient((float)pair - g->low, g->span);
    const float clamped = y > 0 ? (y < 1 ? y : 1) : 0;
    const float mix = (1 - clamped) * g->c.ext_factor;
    return pe__float_sum(interpolated, 1 - mix, pe__float_product(extrapolated, mix),
                         g->c.contracted);
}

PE_API pe_status pe_rope_ggml_f32(const pe_rope_ggml *given, pe_at at, size_t rows, float *cosines,
                                  float *sines, size_t stride)
{
    enum { PE__PAIRS = 64, PE__PADDED = PE__PAIRS + PE__MAX_LANES };
    pe__ggml g;
    if (rows == 0) return PE_OK;
    if (!given || !cosines || !sines) return PE_ERR_NULL;
    if (!pe__ggml_read(&g.c, given)) return PE_ERR_CONFIG;
    const size_t pairs = g.c.n_dims / 2;
    pe_status status = pe__check_shape(pairs, rows, stride, sizeof *cosines);
    if (status == PE_OK) status = pe__check_at(&at, rows, 1, 0);
    if (status != PE_OK) return status;
    pe__ggml_begin(&g);

    /* Sines of 64 angles at a time, by a plan whose float frequencies are the angles, at position
       1: the same kernel and the same rounding test as for all rows. */
    double memory[PE__PADDED * 3 + PE__MAX_LANES];
    double *const f = pe__aligned(memory);
    pe_config angles = pe_config_default(2 * PE__PAIRS);
    pe_plan plan;
    angles.angle = PE_ANGLE_FLOAT32;
    (void)pe__plan_bytes(&angles, &plan);
    pe__plan_begin(&plan, &angles, f);
    for (size_t i = 0; i < 2 * plan.padded; i++) f[i] = 0;
    pe__plan_finish(&plan, 1, 0, f);
    double *const angle = f + 2 * plan.padded;

    for (size_t r = 0; r < rows; r++) {
        float theta = (float)pe__position(&at, r, 0);
        for (size_t done = 0; done < pairs; done += PE__PAIRS) {
            const size_t n = pe__min(PE__PAIRS, pairs - done);
            float row[2 * PE__PAIRS];
            double fastest = 0;
            for (size_t i = 0; i < n; i++) {
                angle[i] = (double)pe__ggml_angle(&g, done + i, theta);
                fastest = pe__max_abs(fastest, angle[i]);
                theta = pe__float_product(theta, g.theta_scale); /* as ggml: no power of its own */
            }
            for (size_t i = n; i < plan.padded; i++) angle[i] = angle[n - 1];
            /* the bound of the rounding test grows with the largest angle */
            pe__plan_set_range(&plan, plan.error, fastest);
            const pe__output output = pe__output_split(&plan, 0, n, row, sizeof *row);
            pe__rows_f32(&output, 1, 1);
            for (size_t i = 0; i < n; i++) {
                sines[r * stride + done + i] = row[i] * g.mscale;
                cosines[r * stride + done + i] = row[n + i] * g.mscale;
            }
        }
    }
    return PE_OK;
}

/* ==== src/algebra/shift.h ==== */
/* Rows shifted by a distance.
 * Gives: pe__can_shift(), pe__call_shift(), pe_shift_f64().
 * Needs: simd, api, where, plan, rows, rope, numbers.
 * Tests: tests/unit/test_algebra.c. */

/* ---- 9.1 shifts ---------------------------------------------------------------------------------
 * A shift is RoPE's rotation with a row as its only head: of a pair whose cosine comes first by
 * the difference, of one whose sine does by its opposite. Doubles have rows of sines and cosines of
 * their own, made in tiles of columns, and a kernel. */

enum { PE__SHIFT_TILE = 512 }; /* pairs */

/* Are rows of this plan made of pairs that turn by differences? */
static inline int pe__can_shift(const pe_plan *plan)
{
    int ok = plan->d_model != 0 && !plan->float32 && !plan->order && !plan->rope_interleave;
    ok &= !plan->step && !plan->matrix;
    for (size_t a = 0; a < plan->axes; a++) ok &= plan->axis[a].sines == plan->axis[a].cosines;
    return ok;
}

/* Doubles: pairs (u, v) of rows, rotated by (ts, tc); v is so many doubles behind u, 1 if they are
   neighbours. */
PE__INLINE void pe__shift_rows_f64(int split, const pe__output *output, size_t rows, size_t across,
                                   const double *ts, const double *tc)
{
    enum { PE__PREFETCH_DISTANCE = 8192 }; /* bytes to ask for in advance */
    const size_t n = output->sines, step = split ? 1 : 2, bytes = (size_t)output->stride;
    const size_t prefetch_distance = pe__max(PE__PREFETCH_DISTANCE / pe__max(bytes, 1), 1) * bytes;
    for (size_t r = 0; r < rows; r++) {
        double *u =
            (double *)(void *)pe__row_address(output, r) + pe__min(output->sine, output->cosine);
        size_t i = 0;
        for (size_t k = 0; split && k < n; k += 8) {
            PE__PREFETCH((uintptr_t)(u + k) + prefetch_distance);
            PE__PREFETCH((uintptr_t)(u + across + k) + prefetch_distance);
        }
        for (; i + PE_LANES <= n; i += PE_LANES, u += step * PE_LANES) {
            const pe__vd c = pe__load(tc + i), s = pe__load(ts + i);
            pe__vd x, y;
            if (split) {
                x = pe__load(u);
                y = pe__load(u + across);
            } else pe__unzip(u, &x, &y);
            const pe__vd a = pe__mul(x, c) - pe__mul(y, s), b = pe__mul(y, c) + pe__mul(x, s);
            if (split) {
                pe__store(u, a);
                pe__store(u + across, b);
            } else pe__zip_store(u, a, b);
        }
        for (; i < n; i++, u += step) {
            const double x = u[0], y = u[across];
            u[0] = pe__double_product(x, tc[i]) - pe__double_product(y, ts[i]);
            u[across] = pe__double_product(y, tc[i]) + pe__double_product(x, ts[i]);
        }
    }
}

/* Rows of the same delta: their columns of one axis. */
PE__OUTLINE void pe__shift_columns_f64(const pe__output *output, double delta, size_t rows)
{
    double row[2 * PE__SHIFT_TILE];
    const size_t begin = pe__min(output->sine, output->cosine);
    const size_t end = pe__max(output->sine, output->cosine);
    const size_t across = output->order == PE__SPLIT ? end - begin : 1;
    for (size_t done = 0; done < output->sines; done += PE__SHIFT_TILE) {
        const pe__output part = pe__output_part(output, done, PE__SHIFT_TILE);
        const size_t n = part.sines;
        const pe__output made = pe__output_split(output->plan, part.pair, n, row, sizeof *row);
        pe__rows_f64(&made, delta, 1);
        if (across > 1) pe__shift_rows_f64(1, &part, rows, across, row, row + n);
        else pe__shift_rows_f64(0, &part, rows, 1, row, row + n);
    }
}

/* Check a call; what rows are rotated by, of which plan. */
static inline pe_status pe__shift_check(const pe_plan *plan, const pe_at *deltas,
                                        const pe__request *request, pe_at *at, pe_plan *rotation)
{
    pe_status status = pe__check_request(plan, request);
    if (status == PE_OK && !pe__can_shift(plan)) status = PE_ERR_PLAN;
    if (status == PE_OK) status = pe__check_at(deltas, request->rows, plan->axes, 0);
    if (status != PE_OK) return status;
    *at = plan->cos_first ? pe_delta(*deltas) : pe_back(pe_delta(*deltas));
    (void)pe__view(plan, at, rotation);
    return PE_OK;
}

PE_API pe_status pe_shift_f64(const pe_plan *plan, pe_at deltas, size_t rows, double *x,
                              size_t stride)
{
    const pe__request request = pe__request_of(x, sizeof *x, rows, stride, NULL);
    pe_at at;
    pe_plan rotation;
    if (rows == 0) return PE_OK;
    const pe_status status = pe__shift_check(plan, &deltas, &request, &at, &rotation);
    for (size_t a = 0; status == PE_OK && a < rotation.axes; a++) {
        const pe__axis *const axis = &rotation.axis[a];
        const size_t k = at.axes == 1 ? 0 : axis->coordinate;
        pe__output output = pe__output_of_axis(&rotation, axis, &request);
        for (size_t r = 0, run; r < rows; r += run) { /* rows of the same delta */
            const double delta = pe__position(&at, r, k);
            run = 1;
            while (r + run < rows && pe__position(&at, r + run, k) == delta) run++;
            output.out = request.out + r * request.stride;
            if (delta != 0) pe__shift_columns_f64(&output, delta, run);
        }
    }
    return status;
}

/* ---- 9.2 shifts of 16- and 32-bit numbers ---------------------------------------------------- */

/* Does row r stay where it is? */
static inline int pe__is_zero_delta(const pe_at *at, size_t r)
{
    int stays = 1;
    for (size_t a = 0; a < at->axes; a++) stays &= pe__position(at, r, a) == 0;
    return stays;
}

/* Rows that stay are left alone; the others are rotated. */
static inline pe_status pe__call_shift(const pe_plan *plan, const pe_at *deltas,
                                       const pe__request *request, pe__head_rotator *rotate,
                                       pe__head_rotator *rotate_sections)
{
    pe_at at;
    pe_plan rotation;
    if (request->rows == 0) return PE_OK;
    const pe_status status = pe__shift_check(plan, deltas, request, &at, &rotation);
    for (size_t r = 0, run; status == PE_OK && r < request->rows; r += run) {
        const int stay = pe__is_zero_delta(&at, r);
        run = at.kind == PE__AT_RANGE && at.step == 0 ? request->rows - r : 1;
        while (r + run < request->rows && pe__is_zero_delta(&at, r + run) == stay) run++;
        if (!stay) pe__shift_rows(&rotation, &at, r, run, request, rotate, rotate_sections);
    }
    return status;
}

/* ==== src/algebra/dot.h ==== */
/* Dot products of rows a distance apart.
 * Gives: pe_dot_f64().
 * Needs: simd, api, where, numbers, frequencies, sincos.
 * Tests: tests/unit/test_algebra.c. */

/* ---- 9.3 dot products ------------------------------------------------------------------------ */

/* (hi, lo) times A^2 but for the power of two in A, normal. */
PE__INLINE pe__dd pe__dot_scaled(const pe_plan *plan, pe__vd hi, pe__vd lo)
{
    pe__dd x, square;
    x.hi = hi;
    x.lo = lo;
    square.hi = pe__two_prod(pe__splat(plan->mantissa), pe__splat(plan->mantissa), &square.lo);
    return pe__dd_renormalize(pe__dd_mul(x, square));
}

/* One of them, A^2 times a sum of cosines: eight sums, and their sum in a fixed order, in
   double-double; from exact turns where others leave its rounding open. Eight whatever PE_LANES is:
   the same bits on each instruction set. */
PE__OUTLINE double pe__dot(const pe_plan *plan, double k)
{
    const size_t first = plan->axis[0].pair, count = plan->axis[0].pairs;
    const double pairs = (double)count, error = pe__sincos_error(plan, k) * pairs;
    for (int by_integers = 0;; by_integers++) {
        double hi[PE__MAX_LANES] = {0}, lo[PE__MAX_LANES] = {0}, all[2][PE_LANES];
        pe__dd s, c, sum;
        for (size_t v = 0; v < PE__MAX_LANES; v += PE_LANES) {
            sum.hi = sum.lo = pe__splat(0.0);
            for (size_t i = v; i < count; i += PE__MAX_LANES) {
                if (by_integers) pe__sincos_exact(plan, first + i, k, &s, &c);
                else pe__sincos_dd(plan, first + i, k, &s, &c);
                if (count - i < PE_LANES) { /* behind the last pair: nothing */
                    pe__store(all[0], c.hi);
                    pe__store(all[1], c.lo);
                    for (size_t n = count - i; n < PE_LANES; n++) all[0][n] = all[1][n] = 0;
                    c.hi = pe__load(all[0]);
                    c.lo = pe__load(all[1]);
                }
                sum = pe__dd_renormalize(pe__dd_add(sum, c));
            }
            pe__store(hi + v, sum.hi);
            pe__store(lo + v, sum.lo);
        }
        sum.hi = pe__splat(hi[0]);
        sum.lo = pe__splat(lo[0]);
        for (size_t v = 1; v < PE__MAX_LANES; v++) {
            c.hi = pe__splat(hi[v]);
            c.lo = pe__splat(lo[v]);
            sum = pe__dd_renormalize(pe__dd_add(sum, c));
        }
        const double size = pe__max_abs(pe__first_lane(sum.hi), 0);
        const pe__dd y = pe__dot_scaled(plan, sum.hi, sum.lo);
        const double hi_y = pe__first_lane(y.hi), lo_y = pe__first_lane(y.lo);
        const double e = error + size * pe__exp2i(-98);
        /* It may be 0 for reasons that no precision shows: the contract has 0 from 2^-88 on. */
        if (by_integers && size <= pairs * pe__exp2i(-88)) return 0;
        if (by_integers || hi_y + (lo_y + e) == hi_y + (lo_y - e))
            return hi_y * plan->scale * plan->scale;
    }
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
 * together h (160 + h / 4), and what the turns in double-double lack. The sum's double is known
 * where adding and subtracting that makes no difference; else each is computed by itself. */

/* 31 = 2 * 16 - 1: q + b and q - b, of which b = 0 is one. With 32 anchors and tiles of 16 pairs,
   the table (12 KB) and the sums (16.5 KB) stay in a first-level cache of 32 KB. */
enum {
    PE__DOTS = 16,        /* numbers b of an anchor                       */
    PE__DOTS_NEXT = 31,   /* from anchor to anchor                        */
    PE__DOTS_ANCHORS = 32,
    PE__DOTS_TILE = 16,   /* pairs                                        */
    PE__DOTS_VECTORS = PE__DOTS_TILE / (int)PE_LANES,
    PE__DOTS_TOGETHER = 2 /* anchors that share a look at the numbers b */
};

/* The pairs of a tile, rotated step by step; and their parts X, y and x, of cosines and then of
   sines. */
typedef struct pe__dots_rotated {
    pe__dd s[PE__DOTS_VECTORS], c[PE__DOTS_VECTORS], ts[PE__DOTS_VECTORS], tc[PE__DOTS_VECTORS];
} pe__dots_rotated;
typedef double pe__dots_parts[6][PE__DOTS_TILE];

/* The sums of an anchor, large and small parts, for q + b and q - b. */
typedef struct pe__dots_totals {
    double large[2][PE__DOTS], minor[2][PE__DOTS];
} pe__dots_totals;

/* A tile from pair on, at q; 0 needs no turn. Of vectors behind all pairs no one wants the sums:
   any will do. */
PE__OUTLINE void pe__dots_begin(pe__dots_rotated *t, const pe_plan *plan, size_t pair, double q,
                                double step)
{
    for (size_t v = 0; v < PE__DOTS_VECTORS; v++) {
        const size_t at = pe__min(pair + v * PE_LANES, plan->padded - PE_LANES);
        t->s[v].hi = t->s[v].lo = t->c[v].lo = pe__splat(0.0);
        t->c[v].hi = pe__splat(1.0);
        if (q != 0) pe__sincos_dd(plan, at, q, &t->s[v], &t->c[v]);
        pe__sincos_dd(plan, at, step, &t->ts[v], &t->tc[v]);
    }
}

/* Adding and subtracting the grid rounds to it. */
PE__INLINE void pe__dots_split(pe__dd x, double grid, double (*parts)[PE__DOTS_TILE], size_t i)
{
    const pe__vd top = (x.hi + pe__splat(grid)) - pe__splat(grid);
    pe__store(parts[0] + i, top);
    pe__store(parts[1] + i, (x.hi - top) + x.lo);
    pe__store(parts[2] + i, x.hi);
}

/* The parts where a tile is, and a step. */
PE__INLINE void pe__dots_rotate(pe__dots_rotated *t, double grid, pe__dots_parts parts)
{
    for (size_t v = 0; v < PE__DOTS_VECTORS; v++) {
        pe__dots_split(t->c[v], grid, parts, v * PE_LANES);
        pe__dots_split(t->s[v], grid, parts + 3, v * PE_LANES);
        pe__dd_rotate(&t->s[v], &t->c[v], t->ts[v], t->tc[v]);
        t->s[v] = pe__dd_renormalize(t->s[v]);
        t->c[v] = pe__dd_renormalize(t->c[v]);
    }
}

/* The sums of a tile for one anchor and a vector of numbers b, of cosines or of sines: from the
   parts of the numbers and X and y of the anchor. */
typedef struct pe__dots_partial {
    pe__vd large, minor, tiny;
} pe__dots_partial;

PE__INLINE void pe__dots_add(pe__dots_partial *partial, double (*parts)[PE__DOTS], size_t b,
                             double top, double y) /* C99 has no const arrays of arrays */
{
    partial->large = pe__fma(pe__splat(top), pe__load(parts[0] + b), partial->large);
    partial->minor = pe__fma(pe__splat(top), pe__load(parts[1] + b), partial->minor);
    partial->tiny = pe__fma(pe__splat(y), pe__load(parts[2] + b), partial->tiny);
}

PE__INLINE void pe__dots_end(const pe__dots_partial *c, const pe__dots_partial *s,
                             pe__dots_totals *sums, size_t b)
{
    const pe__vd small_c = c->minor + c->tiny, small_s = s->minor + s->tiny;
    pe__store(sums->large[0] + b, pe__load(sums->large[0] + b) + (c->large - s->large));
    pe__store(sums->large[1] + b, pe__load(sums->large[1] + b) + (c->large + s->large));
    pe__store(sums->minor[0] + b, pe__load(sums->minor[0] + b) + (small_c - small_s));
    pe__store(sums->minor[1] + b, pe__load(sums->minor[1] + b) + (small_c + small_s));
}

/* Add a tile's products to the sums of two anchors: each vector of the table is loaded once for
   both, and 12 sums do not wait for each other. */
PE__OUTLINE void pe__dots_multiply(double (*table)[6][PE__DOTS], pe__dots_parts *anchor,
                                   size_t pairs, pe__dots_totals *sums)
{
    for (size_t b = 0; b < PE__DOTS; b += PE_LANES) {
        pe__dots_partial c, s, c2, s2;
        c.large = c.minor = c.tiny = pe__splat(0.0);
        s = c2 = s2 = c;
        for (size_t i = 0; i < pairs; i++) {
            pe__dots_add(&c, table[i], b, anchor[0][0][i], anchor[0][1][i]);
            pe__dots_add(&s, table[i] + 3, b, anchor[0][3][i], anchor[0][4][i]);
            pe__dots_add(&c2, table[i], b, anchor[1][0][i], anchor[1][1][i]);
            pe__dots_add(&s2, table[i] + 3, b, anchor[1][3][i], anchor[1][4][i]);
        }
        pe__dots_end(&c, &s, sums, b);
        pe__dots_end(&c2, &s2, sums + 1, b);
    }
}

/* Dots of sums as large as they can be, and as small. */
PE__INLINE void pe__dots_round(const pe_plan *plan, const pe__dots_totals *sums, int side,
                               double error, double (*bounds)[PE__DOTS])
{
    const pe__vd square = pe__splat(plan->mantissa) * pe__splat(plan->mantissa);
    for (size_t b = 0; b < PE__DOTS; b += PE_LANES) {
        pe__vd low;
        const pe__vd high = pe__two_sum(pe__load(sums->large[side] + b),
                                        pe__load(sums->minor[side] + b), &low);
        const pe__vd e = (pe__splat(error) + pe__abs(high) * pe__splat(pe__exp2i(-98))) * square;
        const pe__dd y = pe__dot_scaled(plan, high, low);
        pe__store(bounds[0] + b, y.hi + (y.lo + e));
        pe__store(bounds[1] + b, y.hi + (y.lo - e));
    }
}

/* Up to 32 * 31 dots. */
PE__OUTLINE void pe__dots(const pe_plan *plan, int64_t first, size_t count, double *out)
{
    const pe__axis *axis = plan->axis;
    const size_t pairs = axis->pairs, anchors = (count + PE__DOTS_NEXT - 1) / PE__DOTS_NEXT;
    const double h = (double)pairs;
    int g = 26; /* the finest grid whose X X' sum exactly; 26 for one pair */
    while (h > pe__exp2i(52 - 2 * g)) g--;
    const double grid = 1.5 * pe__exp2i(52 - g); /* its last bit is 2^-g */
    /* the bound above, and per pair what two turns lack, of an anchor and of b */
    const double farthest = (double)(first < 0 ? -first : first) + (double)count;
    const double error = pe__exp2i(-54 - g) * h * (160 + h / 4) +
                         2 * h * pe__sincos_error(plan, farthest);
    double table[PE__DOTS_TILE][6][PE__DOTS];
    pe__dots_totals sums[PE__DOTS_ANCHORS + 1]; /* anchors are taken two at a time */
    pe__dots_rotated rotated;
    pe__dots_parts parts[PE__DOTS_TOGETHER];
    /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    memset(sums, 0, (anchors + 1) * sizeof *sums);
    for (size_t i = 0; i < pairs; i += PE__DOTS_TILE) {
        pe__dots_begin(&rotated, plan, axis->pair + i, 0, 1);
        for (size_t b = 0; b < PE__DOTS; b++) {
            pe__dots_rotate(&rotated, grid, parts[0]);
            for (size_t k = 0; k < 6; k++)
                for (size_t j = 0; j < PE__DOTS_TILE; j++) table[j][k][b] = parts[0][k][j];
        }
        pe__dots_begin(&rotated, plan, axis->pair + i, (double)(first + PE__DOTS - 1),
                       PE__DOTS_NEXT);
        for (size_t a = 0; a < anchors; a += PE__DOTS_TOGETHER) {
            for (size_t t = 0; t < PE__DOTS_TOGETHER; t++)
                pe__dots_rotate(&rotated, grid, parts[t]);
            pe__dots_multiply(table, parts, pe__min(pairs - i, PE__DOTS_TILE), sums + a);
        }
    }
    for (size_t a = 0, at = 0; a < anchors; a++) {
        double side[2][2][PE__DOTS];
        pe__dots_round(plan, &sums[a], 0, error, side[0]);
        pe__dots_round(plan, &sums[a], 1, error, side[1]);
        for (size_t j = 0; j < PE__DOTS_NEXT && at < count; j++, at++) {
            const size_t back = j < PE__DOTS - 1, b = back ? PE__DOTS - 1 - j : j - (PE__DOTS - 1);
            const double above = side[back][0][b], below = side[back][1][b];
            out[at] = above == below ? above * plan->scale * plan->scale
                                     : pe__dot(plan, (double)(first + (int64_t)at));
        }
    }
}

PE_API pe_status pe_dot_f64(const pe_plan *plan, pe_at deltas, size_t count, double *dots)
{
    /* Fewer than PE__FEW come one by one: pe__dots() computes all 31 of an anchor. */
    enum { PE__DELTAS = PE__DOTS_ANCHORS * PE__DOTS_NEXT, PE__FEW = 8 };
    if (count == 0) return PE_OK;
    if (!plan || !dots) return PE_ERR_NULL;
    if (!pe__can_shift(plan) || plan->axes != 1) return PE_ERR_PLAN;
    if (count > (size_t)PTRDIFF_MAX / sizeof *dots) return PE_ERR_SIZE;
    const pe_status status = pe__check_at(&deltas, count, 1, 0);
    if (status != PE_OK) return status;
    const int run = deltas.kind == PE__AT_RANGE && deltas.step == 1 && !deltas.back;
    for (size_t done = 0, n; done < count; done += n) {
        n = pe__min(count - done, run ? PE__DELTAS : 1);
        if (n >= PE__FEW) pe__dots(plan, deltas.first + (int64_t)done, n, dots + done);
        else {
            dots[done] = pe__dot(plan, pe__position(&deltas, done, 0));
            n = 1;
        }
    }
    return PE_OK;
}

/* ==== src/alibi/alibi.h ==== */
/* ALiBi's slopes and biases.
 * Gives: pe__alibi, pe__alibi_add(), pe__alibi_call(), pe__alibi_fill(), pe__scores_shape(),
 *   pe_alibi_slopes_f32().
 * Needs: simd, api, where, rows, numbers, sincos.
 * Tests: tests/unit/test_alibi.c. */

/* ---- 10. ALiBi ----------------------------------------------------------------------------------
 * With j = key - query the bias is slope * j, and after the query another line: a row is two lines
 * that meet at j = 0. As floats they are computed where they are wanted, at the price of a store.
 * To round once to 16 bits costs more, but each row is the one before, moved by one key: such
 * values are computed once for many rows, and copied. */

PE_API pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes)
{
    size_t n = 1;
    if (heads == 0) return PE_OK;
    if (!slopes) return PE_ERR_NULL;
    if (!(max_bias >= 0 && max_bias <= FLT_MAX)) return PE_ERR_RANGE;
    if (heads > (size_t)1 << 28) return PE_ERR_SIZE;
    while (n <= heads / 2) n *= 2;
    for (size_t first = 0; first < heads; first += PE_LANES) {
        double t[PE_LANES], hi[PE_LANES], lo[PE_LANES];
        for (size_t k = 0; k < PE_LANES; k++) { /* 2^-t; t has 24 bits and 29: exact */
            const size_t h = first + k, numerator = h < n ? 2 * (h + 1) : 2 * (h - n) + 1;
            const double exponent = (double)max_bias * (double)numerator / (double)(2 * n);
            t[k] = exponent < 200 ? exponent : 200; /* 2^-200 is 0 */
        }
        const pe__vd whole = pe__round(pe__load(t)), part = whole - pe__load(t);
        const pe__td y = pe__td_exp2(pe__td_from_double(part));
        pe__store(t, whole);
        pe__store(hi, y.a);
        pe__store(lo, y.b + y.c);
        /* for a whole t this is exact, for others irrational and no tie */
        for (size_t k = 0; k < pe__min(PE_LANES, heads - first); k++)
            slopes[first + k] = pe__round_once(hi[k], lo[k], pe__exp2i(-(int)t[k]), PE__DROP_F32);
    }
    return PE_OK;
}

/* The biases of one head as a function of j. */
typedef struct pe__slope_line {
    pe__vf slope, zero, masked;
    double slope_f64; /* the slope */
} pe__slope_line;

PE__INLINE pe__slope_line pe__slope_line_of(pe_alibi_mode mode, float slope)
{
    const uint32_t minus_infinity = 0xff800000u;
    float masked;
    pe__slope_line line;
    memcpy(&masked, &minus_infinity, sizeof masked);
    line.zero = pe__splat_f32(pe__zero());
    line.slope = pe__splat_f32(mode == PE_ALIBI_SYMMETRIC ? -slope : slope);
    line.masked = pe__splat_f32(masked);
    line.slope_f64 = (double)slope;
    return line;
}

static const double pe__evens[8] = {0, 2, 4, 6, 8, 10, 12, 14}; /* to be zipped with 1 more */

/* Products, each rounded to odd, so that the float is rounded once, or to odd again. A double holds
   a float times 29 bits. A product that is a subnormal float is a multiple of 2^-149 as the slope
   is, and so exact as a float. */
PE__OUTLINE pe__vf pe__round_biases(double slope, pe__vd x, pe__vd y, int odd)
{
    const pe__vd zero = pe__splat((double)pe__zero());
    pe__vd e, f;
    double all[4][PE_LANES];
    x = pe__two_prod(pe__splat(slope), x, &e);
    y = pe__two_prod(pe__splat(slope), y, &f);
    pe__store(all[0], x);
    pe__store(all[1], y);
    pe__store(all[2], e);
    pe__store(all[3], f);
    for (size_t k = 0; k < PE_LANES; k++) {
        all[0][k] = pe__to_odd(all[0][k], all[2][k]);
        all[1][k] = pe__to_odd(all[1][k], all[3][k]);
    }
    x = pe__load(all[0]) + zero;
    y = pe__load(all[1]) + zero; /* a zero is +0 */
    return odd ? pe__zip_odd(x, y) : pe__zip(x, y);
}

/* The same of distances from j, as floats. */
PE__OUTLINE pe__vf pe__round_biases_from(pe_alibi_mode mode, double slope, const float *offset,
                                         int64_t j)
{
    double p[PE__FLOATS];
    pe__vd x, y;
    for (size_t k = 0; k < PE__FLOATS; k++) {
        p[k] = (double)offset[k] + (double)j;
        if (mode == PE_ALIBI_SYMMETRIC) p[k] = -fabs(p[k]);
    }
    pe__unzip(p, &x, &y);
    return pe__round_biases(slope, x, y, 0);
}

PE__INLINE pe__vf pe__slope_line_at(pe_alibi_mode mode, const pe__slope_line *line, pe__vf j)
{
    const pe__vf size = mode == PE_ALIBI_SYMMETRIC ? pe__abs_f32(j) : j;
    return pe__add_f32(pe__mul_f32(line->slope, size), line->zero); /* a zero is +0 */
}

/* What becomes of biases: stored, stored past the caches, or added to elements of some type. */
typedef enum pe__bias_mode { PE__BIAS_STORE, PE__BIAS_STREAM, PE__BIAS_ADD } pe__bias_mode;

/* n of a vector of biases; masked: what masked scores become, whatever they were, or NULL. */
PE__INLINE void pe__put_biases(pe__bias_mode to, pe__type type, const pe__vf *masked, pe__vf j,
                               pe__vf v, void *at, size_t n)
{
    const int whole = n == PE__FLOATS;
    if (to == PE__BIAS_ADD)
        v = pe__add_f32(whole ? pe__get_as(type, at) : pe__get_n_as(type, at, n), v);
    if (masked) v = pe__if_positive(j, *masked, v);
    if (!whole) pe__put_n_as(type, at, v, n);
    else if (to == PE__BIAS_STREAM) pe__stream((float *)at, v);
    else pe__put_as(type, at, v);
}

/* n consecutive j, within PE__FLOAT_INTEGERS, so that floats hold them; four vectors at a time,
   since each count waits for the one before. */
enum { PE__FLOAT_INTEGERS = 1 << 24 };
PE__INLINE void pe__write_bias_row(pe__bias_mode to, pe__type type, pe_alibi_mode mode,
                                   const pe__slope_line *line, int64_t j, size_t n, void *row)
{
    static const float count[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    enum { PE__STEP = PE__FLOATS, PE__FOUR = 4 * PE__STEP };
    const size_t vector = sizeof(pe__vf), size = PE__STEP * pe__size_of(type);
    const pe__vf *const masked = mode == PE_ALIBI_CAUSAL ? &line->masked : NULL;
#define PE__PUT(j, k)                                                                              \
    pe__put_biases(to, type, masked, j, pe__slope_line_at(mode, line, j), at + (k)*size, PE__STEP)
    for (size_t i = 0, part; i < n; i += part, j += (int64_t)part) {
        unsigned char *at = (unsigned char *)pe__at_element(type, row, i);
        const size_t beyond = to == PE__BIAS_STREAM ? (uintptr_t)at % vector : 0;
        const pe__vf step = pe__splat_f32(PE__STEP), four = pe__splat_f32(PE__FOUR);
        pe__vf a = pe__add_f32(pe__splat_f32((float)j), pe__get(count));
        part = pe__min(n - i, (vector - beyond) / sizeof(float)); /* to where a stream may begin */
        if (beyond || n - i < PE__FOUR) {
            pe__put_biases(to, type, masked, a, pe__slope_line_at(mode, line, a), at, part);
            continue;
        }
        pe__vf b = pe__add_f32(a, step), c = pe__add_f32(b, step), d = pe__add_f32(c, step);
        for (part = 0; part + PE__FOUR <= n - i; part += PE__FOUR, at += 4 * size) {
            PE__PUT(a, 0);
            PE__PUT(b, 1);
            PE__PUT(c, 2);
            PE__PUT(d, 3);
            a = pe__add_f32(a, four);
            b = pe__add_f32(b, four);
            c = pe__add_f32(c, four);
            d = pe__add_f32(d, four);
        }
    }
#undef PE__PUT
}

/* Some keys of a list: how far they are from the first of them, none further than
   PE__MAX_KEY_OFFSET. */
enum { PE__KEYS = 512, PE__MAX_KEY_OFFSET = 1 << 23 };
typedef struct pe__key_tile {
    size_t n;
    float offset[(size_t)PE__KEYS + PE__FLOATS];
} pe__key_tile;

/* Those from key on, in whole vectors; split: each vector's evens, then its odds. */
PE__OUTLINE void pe__load_key_tile(pe__key_tile *keys, const pe_at *at, size_t key, size_t rest,
                                   int split)
{
    double p[(size_t)PE__KEYS + PE__FLOATS];
    const size_t most = pe__min(rest, PE__KEYS), lanes = PE_LANES;
    size_t n = 0;
    pe__positions(at, key, most, 0, p);
    const pe__vd first = pe__splat(p[0]);
    while (n < most && fabs(p[n] - p[0]) <= (double)PE__MAX_KEY_OFFSET) n++;
    for (size_t k = 0; k < PE__FLOATS; k++) p[n + k] = p[0];
    for (size_t k = 0; k < n; k += PE__FLOATS) {
        pe__vd x = pe__load(p + k), y = pe__load(p + k + lanes);
        if (split) pe__unzip(p + k, &x, &y);
        pe__narrow(keys->offset + k, x - first);
        pe__narrow(keys->offset + k + lanes, y - first);
    }
    keys->n = n;
}

/* A row of theirs. */
PE__INLINE void pe__write_bias_list(pe__bias_mode to, pe__type type, pe_alibi_mode mode,
                                    const pe__slope_line *line, const pe__key_tile *keys, int64_t j,
                                    void *row)
{
    const int is_far = j < -PE__MAX_KEY_OFFSET || j > PE__MAX_KEY_OFFSET;
    const size_t n = keys->n, whole = PE__UNLIKELY(is_far) ? 0 : n - n % PE__FLOATS;
    const pe__vf first = pe__splat_f32((float)j);
    const pe__vf *const masked = mode == PE_ALIBI_CAUSAL ? &line->masked : NULL;
    size_t i = 0;
    for (; i < whole; i += PE__FLOATS) {
        const pe__vf a = pe__add_f32(first, pe__get(keys->offset + i));
        pe__put_biases(to, type, masked, a, pe__slope_line_at(mode, line, a),
                       pe__at_element(type, row, i), PE__FLOATS);
    }
    for (; i < n; i += PE__FLOATS) {
        const float *const offset = keys->offset + i;
        const pe__vf a = pe__add_f32(first, pe__get(offset));
        const pe__vf v = PE__UNLIKELY(is_far)
                             ? pe__round_biases_from(mode, line->slope_f64, offset, j)
                             : pe__slope_line_at(mode, line, a);
        pe__put_biases(to, type, masked, a, v, pe__at_element(type, row, i),
                       pe__min(n - i, PE__FLOATS));
    }
}

/* n 16-bit numbers, each rounded once: to odd, then to its type. Of such keys, split, or of
   consecutive ones: NULL. */
PE__INLINE void pe__write_bias_row_16(pe__type type, pe_alibi_mode mode, const pe__slope_line *line,
                                      const pe__key_tile *keys, int64_t j, size_t n, uint16_t *row)
{
    const int64_t most = (int64_t)1 << 29, max_offset = PE__MAX_KEY_OFFSET;
    const int64_t extent = keys ? max_offset : (int64_t)n;
    const int is_far = j < max_offset - most || j > most - extent;
    const int masks = mode == PE_ALIBI_CAUSAL && j > -extent;
    const size_t lanes = PE_LANES;
    const pe__vd zero = pe__splat((double)pe__zero()), slope = pe__splat(line->slope_f64);
    const pe__vd first = pe__splat((double)j), step = pe__splat(PE__FLOATS);
    pe__vd x = pe__load(pe__evens) + first, y = x + pe__splat(1.0);
    for (size_t i = 0; i < n; i += PE__FLOATS, x = x + step, y = y + step) {
        const size_t some = pe__min(n - i, PE__FLOATS);
        if (keys) {
            x = pe__widen(keys->offset + i) + first;
            y = pe__widen(keys->offset + i + lanes) + first;
        }
        const int size = mode == PE_ALIBI_SYMMETRIC;
        pe__vf v = line->masked; /* half of all in a causal square of consecutive keys */
        if (keys || !masks || j + (int64_t)i <= 0) {
            const pe__vd a = size ? -pe__abs(x) : x, b = size ? -pe__abs(y) : y;
            v = pe__zip_odd(slope * a + zero, slope * b + zero); /* exact; a zero is +0 */
            if (PE__UNLIKELY(is_far)) v = pe__round_biases(line->slope_f64, a, b, 1);
            if (masks) v = pe__if_positive(pe__zip(x, y), line->masked, v);
        }
        if (some == PE__FLOATS) pe__put_as(type, row + i, v);
        else pe__put_n_as(type, row + i, v, some);
    }
}

typedef struct pe__alibi {
    const float *slopes;
    size_t heads, queries, keys, query_stride, head_stride;
    pe_alibi_mode mode;
    pe__type type;
    const pe_at *query_at, *key_at;
} pe__alibi;

/* Are scores' rows separate, within reach of a pointer? The rows of a head lie together, or those
   of a query do. */
static inline pe_status pe__scores_shape(size_t heads, size_t queries, size_t keys, size_t element,
                                         size_t query_stride, size_t head_stride)
{
    const size_t down = pe__saturating_mul(queries - 1, query_stride);
    const size_t room = pe__max_elements(element);
    const size_t across = pe__saturating_mul(heads - 1, head_stride);
    if ((queries > 1 && query_stride < keys) || (heads > 1 && head_stride < keys) ||
        (queries > 1 && heads > 1 && down > head_stride - keys && across > query_stride - keys))
        return PE_ERR_SHAPE;
    const int fits = keys <= room && down <= room - keys && across <= room - keys - down;
    return fits ? PE_OK : PE_ERR_SIZE;
}

/* Rows of all heads: of these keys of a list, from key on, or of all, consecutive ones: NULL. Of
   consecutive queries, only a head's slope is loaded between its rows: a load that is equal to a
   store before it in the last 12 bits of the address waits for that, rows soon have them all. */
PE__INLINE void pe__alibi_rows_of(pe__bias_mode to, pe__type type, pe_alibi_mode mode,
                                  const pe__alibi *a, const pe__key_tile *keys, size_t key,
                                  void *out)
{
    const size_t across = a->head_stride, down = a->query_stride, heads = a->heads, n = a->keys;
    const size_t run = pe__is_consecutive(a->query_at) ? a->queries : 1;
    const int64_t first = pe__integer_position(a->key_at, key);
    const float *const slopes = a->slopes;
    for (size_t query = 0; query < a->queries; query += run) {
        const int64_t nearest = first - pe__integer_position(a->query_at, query);
        for (size_t head = 0; head < heads; head++) {
            const pe__slope_line line = pe__slope_line_of(mode, slopes[head]);
            const size_t at = head * across + query * down + key;
            for (size_t r = 0; r < run; r++) {
                void *const row = pe__at_element(type, out, at + r * down);
                const int64_t j = nearest - (int64_t)r;
                if (keys) pe__write_bias_list(to, type, mode, &line, keys, j, row);
                else pe__write_bias_row(to, type, mode, &line, j, n, row);
            }
        }
    }
}

/* Are keys consecutive, and all distances, and what is counted beyond, within
   PE__FLOAT_INTEGERS? */
static inline int pe__alibi_is_consecutive(const pe__alibi *a)
{
    const int64_t key = pe__integer_position(a->key_at, 0);
    const size_t step = pe__is_consecutive(a->query_at) ? pe__max(a->queries - 1, 1) : 1;
    if (!pe__is_consecutive(a->key_at) || a->keys > PE__FLOAT_INTEGERS / 2) return 0;
    for (size_t query = 0; query < a->queries; query += step) {
        const int64_t j = key - pe__integer_position(a->query_at, query);
        if (j < -PE__FLOAT_INTEGERS ||
            j > (int64_t)PE__FLOAT_INTEGERS - PE__FLOATS - (int64_t)a->keys)
            return 0;
    }
    return 1;
}
PE__INLINE void pe__alibi_rows_as(pe__bias_mode to, pe__type type, pe_alibi_mode mode,
                                  const pe__alibi *a, void *out)
{
    const pe__bias_mode listed = to == PE__BIAS_STREAM ? PE__BIAS_STORE : to;
    pe__key_tile keys;
    if (pe__alibi_is_consecutive(a)) {
        pe__alibi_rows_of(to, type, mode, a, NULL, 0, out);
        return;
    }
    for (size_t key = 0; key < a->keys; key += keys.n) {
        pe__load_key_tile(&keys, a->key_at, key, a->keys - key, 0);
        pe__alibi_rows_of(listed, type, mode, a, &keys, key, out);
    }
}
PE__INLINE void pe__alibi_rows(pe__bias_mode to, pe__type type, const pe__alibi *a, void *out)
{
    if (a->mode == PE_ALIBI_LINEAR) pe__alibi_rows_as(to, type, PE_ALIBI_LINEAR, a, out);
    else if (a->mode == PE_ALIBI_CAUSAL) pe__alibi_rows_as(to, type, PE_ALIBI_CAUSAL, a, out);
    else pe__alibi_rows_as(to, type, PE_ALIBI_SYMMETRIC, a, out);
}

/* Copy n numbers of a tile to each row: to the last one from the first number on. */
PE__OUTLINE void pe__copy_down(uint16_t *row, size_t step, const uint16_t *tile, size_t rows,
                               size_t n, int stream)
{
    for (size_t k = 0; k < rows; k++) pe__copy(row + k * step, tile + rows - 1 - k, 2 * n, stream);
}

/* Rows of 16-bit numbers that share a tile of values: as many rows and keys as it serves, both
   consecutive; others one by one. */
PE__INLINE void pe__alibi_rows_16(pe__type type, const pe__alibi *a, void *out, int stream)
{
    enum { PE__BUFFER = 4096, PE__WIDE = 3584 };
    uint16_t tile[PE__BUFFER];
    const int run = pe__is_consecutive(a->key_at), runs = run && pe__is_consecutive(a->query_at);
    pe__key_tile keys;
    for (size_t key = 0, n; key < a->keys; key += n) {
        if (!run) pe__load_key_tile(&keys, a->key_at, key, a->keys - key, 1);
        n = run ? pe__min(a->keys - key, PE__WIDE) : keys.n;
        const size_t high = runs ? PE__BUFFER + 1 - n : 1;
        for (size_t head = 0; head < a->heads; head++) {
            const pe__slope_line line = pe__slope_line_of(a->mode, a->slopes[head]);
            for (size_t query = 0; query < a->queries; query += high) {
                const size_t rows = pe__min(high, a->queries - query);
                /* the last row's first value is the tile's first */
                const int64_t last = pe__integer_position(a->query_at, query + rows - 1);
                const int64_t j = pe__integer_position(a->key_at, key) - last;
                uint16_t *row = (uint16_t *)out + head * a->head_stride + key;
                pe__write_bias_row_16(type, a->mode, &line, run ? NULL : &keys, j, n + rows - 1,
                                      tile);
                pe__copy_down(row + query * a->query_stride, a->query_stride, tile, rows, n,
                              stream);
            }
        }
    }
}

/* What is large enough, and at addresses of its type, is written past the caches. */
PE__OUTLINE void pe__alibi_fill(const pe__alibi *a, void *bias)
{
    const size_t size = pe__size_of(a->type), many = PE_STREAM_BYTES;
    const int stream =
        a->heads * a->queries * a->keys * size >= many && (uintptr_t)bias % size == 0;
    if (a->type == PE__F16) pe__alibi_rows_16(PE__F16, a, bias, stream);
    else if (a->type == PE__BF16) pe__alibi_rows_16(PE__BF16, a, bias, stream);
    else if (stream) pe__alibi_rows(PE__BIAS_STREAM, PE__F32, a, bias);
    else pe__alibi_rows(PE__BIAS_STORE, PE__F32, a, bias);
    if (stream) pe__fence();
}

PE__OUTLINE void pe__alibi_add(const pe__alibi *a, void *scores)
{
    if (a->type == PE__F32) pe__alibi_rows(PE__BIAS_ADD, PE__F32, a, scores);
    else if (a->type == PE__F16) pe__alibi_rows(PE__BIAS_ADD, PE__F16, a, scores);
    else pe__alibi_rows(PE__BIAS_ADD, PE__BF16, a, scores);
}

/* A call: nothing, or check and write. */
PE__OUTLINE pe_status pe__alibi_call(const pe__alibi *a, void *x,
                                    void (*verb)(const pe__alibi *, void *))
{
    if (a->heads == 0 || a->queries == 0 || a->keys == 0) return PE_OK;
    if (!a->slopes || !x) return PE_ERR_NULL;
    if ((unsigned)a->mode > PE_ALIBI_SYMMETRIC) return PE_ERR_ENUM;
    pe_status status = pe__scores_shape(a->heads, a->queries, a->keys, pe__size_of(a->type),
                                        a->query_stride, a->head_stride);
    if (status == PE_OK) status = pe__check_integers(a->query_at, a->queries);
    if (status == PE_OK) status = pe__check_integers(a->key_at, a->keys);
    for (size_t i = 0; i < a->heads && status == PE_OK; i++)
        if (!(a->slopes[i] >= -FLT_MAX && a->slopes[i] <= FLT_MAX)) status = PE_ERR_RANGE;
    if (status == PE_OK) verb(a, x);
    return status;
}

/* ==== src/bias/bias.h ==== */
/* T5's buckets, and learned biases added by an index.
 * Gives: pe__bias_add(), pe__scores.
 * Needs: simd, api, where, rows, alibi, numbers.
 * Tests: tests/unit/test_learned.c. */

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* T5's n buckets of distances. From m on, those of bucket b are at or above
   m (max_distance / m)^((b - m) / (n - m)): begin[b - m], made where a distance is near, some
   buckets at a time, so that one element does not pay for all. */
enum { PE__T5_MOST = 1024, PE__T5_SOME = 8 };
typedef struct pe__t5 {
    size_t n, m;
    double max_distance;
    double begin[PE__T5_MOST];
    unsigned char made[PE__T5_MOST / PE__T5_SOME];
    pe__td log; /* of max_distance / m, which the first bucket needs */
    int has_log;
} pe__t5;

/* The first of some buckets, with what the others need. The distances are known to 2^-104 of
   themselves, below 2^31, and roots of an integer: whole, or irrational, and of some 2^50 that
   exist none is expected within 2^-70 of a whole number. */
PE__COLD void pe__t5_compute_start(pe__t5 *t, size_t some)
{
    const pe__vd of_m = pe__splat((double)t->m), steps = pe__splat((double)(t->n - t->m));
    double *const begin = t->begin + some * PE__T5_SOME;
    if (!t->has_log) t->log = pe__td_log2(pe__td_div_double(pe__td_splat(t->max_distance), of_m));
    t->has_log = t->made[some] = 1;
    for (size_t b = 0; b < PE__T5_SOME; b += PE_LANES) {
        double step[PE_LANES], a[PE_LANES], rest[PE_LANES];
        /* behind the last one the power may be no integer any more */
        for (size_t k = 0; k < PE_LANES; k++)
            step[k] = (double)pe__min(some * PE__T5_SOME + b + k, t->n - t->m - 1);
        const pe__td power =
            pe__td_exp2(pe__td_div_double(pe__td_mul_double(t->log, pe__load(step)), steps));
        const pe__td d = pe__td_mul_double(power, of_m);
        pe__store(a, d.a);
        pe__store(rest, d.b + d.c);
        for (size_t k = 0; k < PE_LANES; k++) {
            const double whole = pe__round_to_integer(a[k]), off = a[k] - whole + rest[k];
            begin[b + k] = off > pe__exp2i(-70) ? whole + 1 : whole;
        }
    }
}
PE__INLINE double pe__t5_bucket_start(pe__t5 *t, size_t some)
{
    if (PE__UNLIKELY(!t->made[some])) pe__t5_compute_start(t, some);
    return t->begin[some * PE__T5_SOME];
}

/* The bucket of a distance of at least m, by bisection; it ends before *to. */
PE__OUTLINE size_t pe__t5_bucket(pe__t5 *t, double size, double *from, double *to)
{
    const size_t count = t->n - t->m;
    size_t low = 0, high = (count + PE__T5_SOME - 1) / PE__T5_SOME;
    *to = 1e300; /* none is as far */
    if (size >= t->max_distance) { /* in the last one */
        *from = t->max_distance;
        return t->n - 1;
    }
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        const double begin = pe__t5_bucket_start(t, middle);
        const int above = size >= begin;
        *to = above ? *to : begin;
        low = above ? middle : low;
        high = above ? high : middle;
    }
    *from = pe__t5_bucket_start(t, low);
    low *= PE__T5_SOME;
    for (high = pe__min(low + PE__T5_SOME, count); low + 1 < high; low++) {
        if (size < t->begin[low + 1]) {
            *to = t->begin[low + 1];
            break;
        }
        *from = t->begin[low + 1];
    }
    return t->m + low;
}

/* A row of numbers, of keys from a query. The next key is near this one, mostly. */
PE__INLINE void pe__t5_row(pe__t5 *t, size_t after, double query, const double *key, size_t keys,
                           int32_t *index)
{
    double from = 0, to = 0; /* of a bucket, which no distance is in */
    size_t bucket = 0;
    for (size_t k = 0; k < keys; k++) {
        const double d = key[k] - query, size = fabs(d);
        if (PE__UNLIKELY(size < from || size >= to)) {
            from = size;
            to = size + 1;
            bucket = size < (double)t->m ? (size_t)size : pe__t5_bucket(t, size, &from, &to);
        }
        index[k] = (int32_t)(d <= 0 ? bucket : after == 0 ? 0 : bucket + after);
    }
}

PE_API pe_status pe_bias_t5_i32(size_t buckets, size_t max_distance, int bidirectional,
                                pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                int32_t *index)
{
    enum { PE__BUFFER = 512 };
    double key[PE__BUFFER];
    pe__t5 t;
    if (queries == 0 || keys == 0) return PE_OK;
    if (!index) return PE_ERR_NULL;
    t.n = bidirectional ? buckets / 2 : buckets;
    t.m = t.n / 2;
    t.max_distance = (double)max_distance;
    if (buckets < 2 || buckets > PE__T5_MOST ||
        (bidirectional && (buckets < 4 || buckets % 2)) || max_distance <= t.m ||
        max_distance > (size_t)pe__position_limit)
        return PE_ERR_RANGE;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index)) return PE_ERR_SIZE;
    pe_status status = pe__check_integers(&query_at, queries);
    if (status == PE_OK) status = pe__check_integers(&key_at, keys);
    if (status != PE_OK) return status;
    t.has_log = 0;
    memset(t.made, 0, sizeof t.made);
    for (size_t i = 0, some; i < keys; i += some) {
        some = pe__min(keys - i, PE__BUFFER);
        pe__positions(&key_at, i, some, 0, key);
        for (size_t q = 0; q < queries; q++)
            pe__t5_row(&t, bidirectional ? t.n : 0, (double)pe__integer_position(&query_at, q), key,
                       some, index + q * keys + i);
    }
    return PE_OK;
}

/* Scores, [heads][queries][keys]. */
typedef struct pe__scores {
    void *scores;
    size_t heads, queries, keys, query_stride, head_stride;
} pe__scores;

/* Add a row's biases, so many heads apart, by way of a buffer. */
PE__INLINE pe_status pe__bias_add(pe__type type, const float *table, size_t entries,
                                  const int32_t *index, const pe__scores *x)
{
    const size_t heads = x->heads, queries = x->queries, keys = x->keys;
    void *const scores = x->scores;
    enum { PE__MOST = 256 };
    float biases[PE__MOST];
    int ok = 1;
    if (heads == 0 || queries == 0 || keys == 0) return PE_OK;
    if (!table || !index || !scores) return PE_ERR_NULL;
    pe_status status = pe__scores_shape(heads, queries, keys, pe__size_of(type), x->query_stride,
                                        x->head_stride);
    if (status != PE_OK) return status;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index) ||
        pe__exceeds(entries, heads, PTRDIFF_MAX / sizeof *table))
        return PE_ERR_SIZE;
    for (size_t i = 0; i < queries * keys; i++) ok &= index[i] >= 0 && (size_t)index[i] < entries;
    if (!ok) return PE_ERR_RANGE;
    for (size_t h = 0; h < heads; h++)
        for (size_t q = 0; q < queries; q++)
            for (size_t k = 0, n; k < keys; k += n) {
                n = pe__min(keys - k, PE__MOST);
                for (size_t i = 0; i < n; i++)
                    biases[i] = table[(size_t)index[q * keys + k + i] * heads + h];
                const size_t at = h * x->head_stride + q * x->query_stride + k;
                pe__add_row_floats(type, pe__at_element(type, scores, at), biases, n);
            }
    return PE_OK;
}

/* ==== src/learned/add.h ==== */
/* Learned tables added, and their gradient.
 * Gives: pe__learned, pe__learned_add().
 * Needs: simd, api, where, rows, numbers.
 * Tests: tests/unit/test_learned.c. */

/* ---- 12.1 learned tables --------------------------------------------------------------------- */

/* Positions that are rows of the table. */
static inline pe_status pe__check_learned(const pe_at *at, size_t rows, size_t table_rows,
                                          size_t d_model, size_t stride, size_t element)
{
    const double limit = (double)pe__position_limit, all = (double)table_rows - 1;
    const double half = (all < limit ? all : limit) / 2; /* exact; without rows below 0 */
    if (d_model == 0) return PE_ERR_SHAPE;
    pe_status status = pe__check_shape(d_model, rows, stride, element);
    if (status == PE_OK) status = pe__check_shape(d_model, table_rows, d_model, element);
    if (status == PE_OK) status = pe__check_positions(at, rows, 1, -half, -half, half);
    const int real = at->kind == PE__AT_F32 || at->kind == PE__AT_F64;
    for (size_t r = 0; real && status == PE_OK && r < rows; r++) {
        const double p = pe__position(at, r, 0);
        if (p != (double)(int64_t)p) status = PE_ERR_RANGE;
    }
    return status;
}

/* A table's rows and those of x, of d_model elements. */
typedef struct pe__learned {
    const void *table, *x;
    size_t table_rows, d_model, stride;
} pe__learned;

/* Add row after row: of the table to x, or, if grad, of x to the table. */
PE__INLINE pe_status pe__learned_add(pe__type type, int grad, const pe__learned *l,
                                     const pe_at *at, size_t rows)
{
    const size_t d_model = l->d_model;
    const void *const table = l->table, *const x = l->x;
    if (rows == 0) return PE_OK;
    if (!table || !x) return PE_ERR_NULL;
    const pe_status status =
        pe__check_learned(at, rows, l->table_rows, d_model, l->stride, pe__size_of(type));
    for (size_t r = 0, n; status == PE_OK && r < rows; r += n) {
        double p[PE__POSITIONS];
        size_t from[PE__POSITIONS]; /* known before the first row: adding does not wait for them */
        n = pe__min(rows - r, PE__POSITIONS);
        pe__positions(at, r, n, 0, p);
        for (size_t k = 0; k < n; k++) from[k] = (size_t)p[k] * d_model;
        for (size_t k = 0; k < n; k++) {
            const void *const row = pe__at_const(type, table, from[k]);
            const void *const of_x = pe__at_const(type, x, (r + k) * l->stride);
            pe__add_row_as(type, (void *)(uintptr_t)(grad ? row : of_x), type, grad ? of_x : row,
                           d_model, NULL);
        }
    }
    return status;
}

PE_API pe_status pe_learned_grad_f32(float *grad_table, size_t table_rows, size_t d_model, pe_at at,
                                     size_t rows, const float *grad_x, size_t stride)
{
    const pe__learned l = {grad_table, grad_x, table_rows, d_model, stride};
    return pe__learned_add(PE__F32, 1, &l, &at, rows);
}

/* ==== src/learned/resample.h ==== */
/* Learned tables resampled to another size.
 * Gives: pe_learned_resample_f32().
 * Needs: simd, api, plan, numbers.
 * Tests: tests/unit/test_learned.c, tests/unit/test_models.c. */

/* ---- 12.2 learned tables, resampled ---------------------------------------------------------- */

/* The rows first, first + 1 ... that an output row is made of, with their weights: 4 along one
   axis, more with antialias. Those of weight 0 are left out, since 0 * infinity is not 0. */
enum { PE__SHRINK = 256, PE__TAPS = 4 * PE__SHRINK + 2 };
typedef struct pe__taps {
    int64_t first;
    size_t count, rows;
    double weight[PE__TAPS];
} pe__taps;

/* Where an output row lies among the rows: at row + behind / whole, ahead / whole before the next
   one. Integers, unless a scale is given: a distance is exactly 1 where it should be. */
typedef struct pe__spot {
    int64_t row;
    double behind, ahead, whole;
} pe__spot;

/* q^2 (1 + t - (a + 2) t^2) for t = p / q, v = q - p, as v (q + 2p) - a p^2: exact, since integers
   of 32 bits and a take 117 bits of a triple-double's 159. */
PE__COLD double pe__keys_cubic_near_root(double a, double p, double v, double q)
{
    const pe__vd by = pe__splat(p);
    const pe__td left = pe__td_mul_double(pe__td_splat(v), pe__splat(q + 2 * p));
    const pe__td right = pe__td_mul_double(pe__td_mul_double(pe__td_splat(a), by), by);
    return pe__first_lane(pe__td_sub(left, right).a);
}

/* 1 + t - (a + 2) t^2 for t = p / q, v = q - p. Where it cancels (it has a root for every a >= 0)
   it is computed without loss, to be exactly 0 where it is. */
PE__INLINE double pe__keys_cubic(double a, double p, double v, double q)
{
    const double t = p / q, y = (1 + t) - pe__double_product((a + 2) * t, t);
    return PE__UNLIKELY(fabs(y) < 0.25) ? pe__keys_cubic_near_root(a, p, v, q) / q / q : y;
}

/* The weights of the rows at distances 1 + t, t, u = 1 - t and 1 + u, for t = p / q, u = v / q. */
PE__INLINE void pe__weights(const pe_resample *how, double p, double v, double q, double *weight)
{
    const double a = how->a, t = p / q, u = v / q;
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    weight[0] = cubic ? a * t * u * u : 0;
    weight[1] = cubic ? u * pe__keys_cubic(a, p, v, q) : u;
    weight[2] = cubic ? t * pe__keys_cubic(a, v, p, q) : t;
    weight[3] = cubic ? a * u * t * t : 0;
}

/* Output rows for a row: the given scale, or the ratio of the sizes. */
PE__INLINE double pe__shrink_factor(double scale, size_t rows, size_t out_rows)
{
    return scale > 0 ? 1 / scale : (double)rows / (double)out_rows;
}

/* An output row by a wide filter, of the rows that are there: a row is at distance p / q, where p
   is how far it is from the spot. */
PE__COLD void pe__wide_taps(const pe_resample *how, const pe__spot *s, double q, pe__taps *taps)
{
    const double reach = how->method == PE_RESAMPLE_CUBIC ? 2 * q : q;
    int64_t k = (int64_t)ceil((s->behind - reach) / s->whole);
    double sum = 0, size = 0, weight[4];
    k = s->row + k < 0 ? -s->row : k;
    taps->first = s->row + k;
    taps->count = 0;
    for (; s->row + k < (int64_t)taps->rows; k++) {
        double p = (double)k * s->whole - s->behind;
        if (p >= reach) break;
        const int outer = fabs(p) >= q;
        p = outer ? fabs(p) - q : fabs(p);
        pe__weights(how, p, q - p, q, weight);
        sum += taps->weight[taps->count] = p < q ? weight[outer ? 0 : 1] : 0;
        size += fabs(taps->weight[taps->count++]);
    }
    if (fabs(sum) <= size * pe__exp2i(-44)) { /* no row in reach, or weights that cancel */
        taps->first = s->row + (s->behind >= s->ahead);
        taps->count = 1;
        taps->weight[0] = sum = 1;
    }
    for (k = 0; k < (int64_t)taps->count; k++) taps->weight[k] /= sum;
}

/* Where output row i lies. With rows and out_rows of at most 2^31 all numbers fit. */
PE__INLINE pe__spot pe__spot_of(const pe_resample *how, double scale, size_t i, size_t rows,
                                size_t out_rows)
{
    /* numerator / denominator >= -1/2 */
    const int64_t m = (int64_t)out_rows, n = (int64_t)rows;
    int64_t numerator = (2 * (int64_t)i + 1) * n - m, denominator = 2 * m;
    pe__spot spot;
    if (how->align_corners) {
        numerator = m > 1 ? (int64_t)i * (n - 1) : 0;
        denominator = m > 1 ? m - 1 : 1;
    } else if (scale > 0) {
        double s = ((double)i + 0.5) / scale;
        PE__OPAQUE(s); /* not to be fused */
        s -= 0.5;
        spot.row = (int64_t)floor(s);
        spot.behind = s - (double)spot.row;
        spot.ahead = 1 - spot.behind;
        spot.whole = 1;
        return spot;
    }
    spot.row = numerator < 0 ? -1 : numerator / denominator;
    const int64_t rest = numerator - spot.row * denominator;
    spot.behind = (double)rest;
    spot.ahead = (double)(denominator - rest);
    spot.whole = (double)denominator;
    return spot;
}

/* The taps of output row i. */
PE__INLINE void pe__taps_of(const pe_resample *how, double scale, size_t i, size_t rows,
                            size_t out_rows, pe__taps *taps)
{
    const pe__spot s = pe__spot_of(how, scale, i, rows, out_rows);
    taps->rows = rows;
    if (how->antialias) { /* the filter's 1, in the unit of the spot: integers, too */
        const double fit = 2 * (double)pe__max(rows, out_rows);
        const double r = pe__shrink_factor(scale, rows, out_rows);
        pe__wide_taps(how, &s, scale > 0 ? (r > 1 ? r : 1) : fit, taps);
        return;
    }
    taps->count = 4;
    taps->first = s.row - 1;
    pe__weights(how, s.behind, s.ahead, s.whole, taps->weight);
}

/* The row of tap k: those beyond an end are the row at the end. */
PE__INLINE size_t pe__tap_row(const pe__taps *taps, size_t k)
{
    const int64_t row = taps->first + (int64_t)k, last = (int64_t)taps->rows - 1;
    return row < 0 ? 0 : (size_t)(row < last ? row : last);
}

/* One row of output: the sum of weight * row, in doubles and in the order of the taps. */
PE__OUTLINE void pe__weighted_sum(const float *table, const pe__taps *down, const pe__taps *across,
                                  size_t d_model, float *out)
{
    for (size_t c = 0; c < d_model; c += PE_LANES) {
        const size_t n = pe__min(PE_LANES, d_model - c);
        float part[PE_LANES] = {0};
        float *const to = n < PE_LANES ? part : out + c;
        pe__vd sum = pe__splat(-0.0);
        for (size_t j = 0; j < down->count; j++) {
            const float *const row = table + pe__tap_row(down, j) * across->rows * d_model + c;
            for (size_t i = 0; i < across->count; i++) {
                const float *from = row + pe__tap_row(across, i) * d_model;
                if (down->weight[j] == 0 || across->weight[i] == 0) continue;
                if (n < PE_LANES) from = (const float *)memcpy(part, from, n * sizeof *from);
                sum =
                    sum + pe__mul(pe__splat(down->weight[j] * across->weight[i]), pe__widen(from));
            }
        }
        pe__narrow(to, sum);
        if (n < PE_LANES) memcpy(out + c, part, n * sizeof *out);
    }
}

/* Is the scale of an axis one, and does the filter fit? */
PE__INLINE int pe__scale_ok(const pe_resample *how, double scale, size_t rows, size_t out_rows)
{
    if (scale != 0 && !pe__between(scale, pe__exp2i(-20), pe__exp2i(20))) return 0;
    return !how->antialias || (!how->align_corners &&
                               pe__shrink_factor(scale, rows, out_rows) <= (double)PE__SHRINK);
}

static inline pe_status pe__check_resample(size_t height, size_t width, size_t d_model,
                                           const pe_resample *how, size_t out_height,
                                           size_t out_width)
{
    const uint64_t most = (uint64_t)1 << 31;
    const size_t room = (size_t)PTRDIFF_MAX / sizeof(float);
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    if (d_model == 0) return PE_ERR_SHAPE;
    if (how->method != PE_RESAMPLE_LINEAR && !cubic) return PE_ERR_ENUM;
    if (height == 0 || width == 0 || (cubic && !pe__between(how->a, -16, 16))) return PE_ERR_RANGE;
    if (height > most || width > most || out_height > most || out_width > most ||
        d_model > room / height / width || d_model > room / out_height / out_width)
        return PE_ERR_SIZE;
    const int ok = pe__scale_ok(how, how->scale_y, height, out_height) &&
                   pe__scale_ok(how, how->scale_x, width, out_width);
    return ok ? PE_OK : PE_ERR_RANGE;
}

PE_API pe_status pe_learned_resample_f32(const float *table, size_t height, size_t width,
                                         size_t d_model, const pe_resample *how, float *out,
                                         size_t out_height, size_t out_width)
{
    static const pe_resample usual = {PE_RESAMPLE_CUBIC, -0.75, 0, 0, 0, 0};
    if (out_height == 0 || out_width == 0) return PE_OK;
    if (!table || !out) return PE_ERR_NULL;
    if (!how) how = &usual;
    const pe_status status =
        pe__check_resample(height, width, d_model, how, out_height, out_width);
    if (status != PE_OK) return status;
    pe__taps down, across;
    for (size_t y = 0; y < out_height; y++) {
        pe__taps_of(how, how->scale_y, y, height, out_height, &down);
        for (size_t x = 0; x < out_width; x++, out += d_model) {
            pe__taps_of(how, how->scale_x, x, width, out_width, &across);
            pe__weighted_sum(table, &down, &across, d_model, out);
        }
    }
    return PE_OK;
}

/* ==== src/types/types.h ==== */
/* The functions that exist for each type, stamped.
 * Gives: pe_add_bf16(), pe_add_f16(), pe_add_f32(), pe_alibi_add_bf16(), pe_alibi_add_f16(),
 *   pe_alibi_add_f32(), pe_alibi_fill_bf16(), pe_alibi_fill_f16(), pe_alibi_fill_f32(),
 *   pe_fill_bf16(), pe_fill_f16(), pe_fill_f32(), pe_learned_add_bf16(), pe_learned_add_f16(),
 *   pe_learned_add_f32(), pe_rope_bf16(), pe_rope_f16(), pe_rope_f32(), pe_shift_bf16(),
 *   pe_shift_f16(), pe_shift_f32().
 * Needs: api, rows, rope, algebra, alibi, bias, learned, numbers.
 * Tests: tests/checks/api.sh. */

/* ---- 13. the functions of each type -------------------------------------------------------------
 * A float, or the 16 bits of an f16 or bf16; of fill and add also a double. types/calls.h has the
 * public functions that call those of pe__ here. */

/* A scale as a double. A cast would be useless for doubles, and floats need one. */
PE__INLINE double pe__of_float(float scale) { return (double)scale; }
PE__INLINE double pe__of_double(double scale) { return scale; }

/* Of fill and add: number is the type of a scale; rows of a batch are made by batch_kernel. */
#define PE__ROWS_OF(T, element, number, batch_kernel)                                              \
    PE__OUTLINE pe_status pe__call_fill_##T(const pe_plan *plan, const pe_at *at, size_t rows,     \
                                            element *out, size_t stride)                           \
    {                                                                                              \
        const pe__request request =                                                                \
            pe__request_of(out, sizeof *out, rows, stride, &pe__fill_kernel_##T);                  \
        return pe__call_rows(plan, at, &request);                                                  \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_add_##T(const pe_plan *plan, const pe_at *at, size_t rows,      \
                                           number scale, element *x, size_t stride)                \
    {                                                                                              \
        const pe__request request = pe__add_request_of(                                            \
            x, sizeof *x, rows, stride, pe__of_##number(scale), &pe__add_kernel_##T);              \
        return pe__call_rows(plan, at, &request);                                                  \
    }                                                                                              \
    PE_API pe_status pe_add_batch_##T(const pe_plan *plan, pe_at at, size_t rows, size_t batches,  \
                                      number scale, element *x, size_t stride,                     \
                                      size_t batch_stride)                                         \
    {                                                                                              \
        const pe__request request = pe__add_request_of(                                            \
            x, sizeof *x, rows, stride, pe__of_##number(scale), &pe__add_kernel_##T);              \
        pe__batches all = {batches, 0, &batch_kernel, pe__add_some_##T};                           \
        return pe__call_batch(plan, &at, batch_stride, &request, &all);                            \
    }
PE__ROWS_OF(f32, float, float, pe__fill_kernel_f32)
PE__ROWS_OF(f16, uint16_t, float, pe__fill_kernel_f32)
PE__ROWS_OF(bf16, uint16_t, float, pe__fill_kernel_f32)
PE__ROWS_OF(f64, double, double, pe__fill_kernel_f64)
#undef PE__ROWS_OF

/* Tokens from one place to another, perhaps of another type. */
#define PE__ROPE_TO(T, element, to)                                                                \
    PE__OUTLINE pe_status pe__call_rope_to_##T(const pe_plan *plan, const pe_at *at,               \
                                               size_t tokens, const pe__from_to *x)                \
    {                                                                                              \
        pe__rope_call call =                                                                       \
            pe__make_rope_call(tokens, sizeof(element), sizeof(to), pe__rotate_heads_##T,          \
                               pe__rotate_heads_##T##_sections);                                   \
        return pe__rope_to(plan, at, &call, x);                                                    \
    }

#define PE__OF_TYPE(T, type, element)                                                              \
    PE_API pe_status pe_shift_##T(const pe_plan *plan, pe_at deltas, size_t rows, element *x,      \
                                  size_t stride)                                                   \
    {                                                                                              \
        const pe__request request = pe__request_of(x, sizeof *x, rows, stride, NULL);              \
        return pe__call_shift(plan, &deltas, &request, pe__rotate_heads_##T,                       \
                              pe__rotate_heads_##T##_sections);                                    \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_rope_##T(const pe_plan *plan, const pe_at *at, size_t tokens,   \
                                            const pe__from_to *q, const pe__from_to *k)            \
    {                                                                                              \
        pe__rope_call call =                                                                       \
            pe__make_rope_call(tokens, sizeof(element), sizeof(element), pe__rotate_heads_##T,     \
                               pe__rotate_heads_##T##_sections);                                   \
        call.x[0] = pe__heads_of(q);                                                               \
        if (k) call.x[1] = pe__heads_of(k);                                                        \
        return pe__rope_by_plan(plan, at, &call);                                                  \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_rope_table_##T(const pe_plan *plan, const pe_at *at,            \
                                                  const pe_rope_table *table, pe_rope_table *made) \
    {                                                                                              \
        void *const out = (void *)(uintptr_t)table->cosines;                                       \
        const pe__request request = pe__request_of(out, sizeof(element), table->rows,              \
                                                   table->stride, &pe__fill_kernel_##T);           \
        return pe__write_rope_table(plan, at, &request, &pe__table_kernel_##T, table, made);       \
    }                                                                                              \
    PE_API pe_status pe_bias_add_##T(const float *table, size_t entries, size_t heads,             \
                                     const int32_t *index, size_t queries, size_t keys,            \
                                     element *scores, size_t query_stride, size_t head_stride)     \
    {                                                                                              \
        const pe__scores x = {scores, heads, queries, keys, query_stride, head_stride};            \
        return pe__bias_add(type, table, entries, index, &x);                                      \
    }                                                                                              \
    PE_API pe_status pe_learned_add_##T(const element *table, size_t table_rows, size_t d_model,   \
                                        pe_at at, size_t rows, element *x, size_t stride)          \
    {                                                                                              \
        const pe__learned l = {table, x, table_rows, d_model, stride};                             \
        return pe__learned_add(type, 0, &l, &at, rows);                                            \
    }
PE__OF_TYPE(f32, PE__F32, float)
PE__OF_TYPE(f16, PE__F16, uint16_t)
PE__OF_TYPE(bf16, PE__BF16, uint16_t)
PE__ROPE_TO(f32, float, float)
PE__ROPE_TO(f16, uint16_t, uint16_t)
PE__ROPE_TO(bf16, uint16_t, uint16_t)
PE__ROPE_TO(f32_f16, float, uint16_t)
PE__ROPE_TO(f32_bf16, float, uint16_t)
#undef PE__OF_TYPE

/* By a table, for each layout by itself: a caller that names one has no code for the other. */
#define PE__BY_TABLE(T, type, element, name, layout)                                               \
    PE__OUTLINE pe_status pe__call_rope_by_##T##_##name(                                           \
        const pe_rope_table *table, pe_layout any, const pe_at *at, size_t tokens,                 \
        const pe__from_to *x)                                                                      \
    {                                                                                              \
        pe__rope_call call = pe__make_rope_call(tokens, sizeof(element), sizeof(element),          \
                                                pe__rotate_heads_##T##_##name, NULL);              \
        return pe__rope_by_table(table, any, at, &call, x);                                        \
    }                                                                                              \
    PE__OUTLINE pe_status pe__call_rope_one_##T##_##name(const pe_rope_table *table, size_t row,   \
                                                         element *x, const pe_heads *heads)        \
    {                                                                                              \
        pe__rotate_token_by_table(type, table, layout, row, x, heads);                             \
        return PE_OK;                                                                              \
    }
PE__BY_TABLE(f32, PE__F32, float, halves, PE_LAYOUT_HALVES)
PE__BY_TABLE(f32, PE__F32, float, interleaved, PE_LAYOUT_INTERLEAVED)
PE__BY_TABLE(f16, PE__F16, uint16_t, halves, PE_LAYOUT_HALVES)
PE__BY_TABLE(f16, PE__F16, uint16_t, interleaved, PE_LAYOUT_INTERLEAVED)
PE__BY_TABLE(bf16, PE__BF16, uint16_t, halves, PE_LAYOUT_HALVES)
PE__BY_TABLE(bf16, PE__BF16, uint16_t, interleaved, PE_LAYOUT_INTERLEAVED)
#undef PE__BY_TABLE

#undef PE__ROPE_TO

/* ==== src/selftest/selftest.h ==== */
/* The self test: small tables, hashed.
 * Gives: pe_selftest().
 * Needs: simd, api, where, plan, rows, rope, algebra, alibi, learned, types.
 * Tests: tests/unit/test_selftest.c. */

/* ---- 14. self test ------------------------------------------------------------------------------
 * What is hashed are numbers as integers, so that the byte order does not matter. The constant is
 * printed by tests/unit/test_selftest.c, which says so where it differs, and has to be that of
 * every build: it changes only where the results do. */

enum { PE__TEST_D = 18, PE__TEST_STRIDE = 19, PE__TEST_ROWS = 30, PE__TESTS = 10 };
enum { PE__TEST_N = PE__TEST_ROWS * PE__TEST_STRIDE };

typedef struct pe__test {
    union {
        float a_f32[PE__TEST_N];
        double a_f64[PE__TEST_N];
        uint16_t a_f16[PE__TEST_N], a_bf16[PE__TEST_N];
    } x;
    pe_plan plan;
    int64_t zero; /* from a volatile: nothing may be computed by the compiler, in its rounding */
    int64_t list[PE__TEST_ROWS];
    double real[PE__TEST_ROWS];
    uint64_t hash;
} pe__test;

/* Take all of x, numbers of 2, 4 or 8 bytes, into the hash, and the status of the call that made
   them. */
PE__WRAPS static inline void pe__test_take(pe__test *t, pe_status status, size_t size)
{
    uint64_t h = (t->hash ^ (uint64_t)status) * UINT64_C(0xff51afd7ed558ccd), b = 0;
    uint32_t word;
    uint16_t half;
    for (size_t i = 0; i < PE__TEST_N; i++) {
        if (size == 8) memcpy(&b, t->x.a_f64 + i, 8);
        else if (size == 4) {
            memcpy(&word, t->x.a_f32 + i, 4);
            b = word;
        } else {
            memcpy(&half, t->x.a_f16 + i, 2);
            b = half;
        }
        h = (h ^ b) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    t->hash = h;
}

/* Rows of a plan: forward and back from the first positions of the list, then elsewhere. */
#define PE__TAKE(call) pe__test_take(t, call, sizeof *x)
#define PE__TEST_FILL(T, element)                                                                  \
    PE__OUTLINE void pe__test_rows_##T(pe__test *t)                                                \
    {                                                                                              \
        enum { n = PE__TEST_ROWS, stride = PE__TEST_STRIDE };                                      \
        const size_t shape[2] = {n, 2};                                                            \
        const int64_t zero = t->zero, *const list = t->list;                                       \
        const pe_plan *const p = &t->plan;                                                         \
        element *const x = t->x.a_##T;                                                             \
        for (size_t k = 0; k < 5; k++)                                                             \
            PE__TAKE(pe_fill_##T(p, pe_from_by(list[k], list[k] > 0 ? -1 : 1), n, x, stride));     \
        PE__TAKE(pe_fill_##T(p, pe_grid(shape, p->axes), n, x, stride));                           \
        PE__TAKE(pe_fill_##T(p, pe_at_i64(list), n, x, stride));                                   \
        PE__TAKE(pe_fill_##T(p, pe_at_f64(t->real), n, x, stride));                                \
        PE__TAKE(pe_add_##T(p, pe_from(zero + 77), n, 1, x, stride));                              \
        PE__TAKE(pe_add_##T(p, pe_from(zero - 99), n, -3, x, stride));                             \
        if (!p->float32) PE__TAKE(pe_shift_##T(p, pe_all(zero - 1234567), n, x, stride));          \
    }
PE__TEST_FILL(f32, float)
PE__TEST_FILL(f64, double)
PE__TEST_FILL(f16, uint16_t)
PE__TEST_FILL(bf16, uint16_t)
#undef PE__TEST_FILL

/* Two heads of each token, turned and turned back, then scores and rows of a table added. Last,
   heads of 3 and 1, or -1 and 3, turned so that a' or b' is the 2^-21 that products lose before
   they cancel: fused with the difference they would not. */
#define PE__TEST_ROTATE(T, element, one, minus, three)                                             \
    PE__OUTLINE void pe__test_rotate_##T(pe__test *t)                                              \
    {                                                                                              \
        enum { n = PE__TEST_ROWS / 2, head = PE__TEST_STRIDE, token = 2 * PE__TEST_STRIDE };       \
        const float slopes[2] = {-0.4375f, 0.0123f};                                               \
        const pe_heads heads = {2, head, token};                                                   \
        const int64_t zero = t->zero;                                                              \
        const pe_plan *const p = &t->plan;                                                         \
        pe_plan halves = *p;                                                                       \
        element table[n * head], *const x = t->x.a_##T;                                            \
        halves.layout = PE_LAYOUT_HALVES;                                                          \
        PE__TAKE(pe_fill_##T(p, pe_from(zero + 9), 2 * n, x, head));                               \
        memcpy(table, x, sizeof table);                                                            \
        PE__TAKE(pe_rope_##T(&halves, pe_from(zero + 4000), n, x, heads));                         \
        PE__TAKE(pe_rope_##T(p, pe_back(pe_at_i64(t->list)), n, x, heads));                        \
        const pe_at keys = pe_from(0);                                                             \
        PE__TAKE(pe_alibi_add_##T(slopes, 2, PE_ALIBI_SYMMETRIC, pe_from(zero + 5), 3, keys, 40,   \
                                  x, 41, 123));                                                    \
        PE__TAKE(pe_learned_add_##T(table, n, head, pe_from_by(zero + n - 1, -1), n, x, token));   \
        PE__TAKE(pe_alibi_add_##T(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 99990), 3, keys, 40,  \
                                  x, 41, 123));                                                    \
        PE__TAKE(pe_alibi_fill_##T(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 20), 3, keys, 40, x, \
                                   41, 123));                                                      \
        const pe_heads wide = {4, 128, 512};                                                       \
        float sines[64], cosines[64];                                                              \
        const pe_rope_table by = {cosines, sines, PE_TYPE_F32, PE_ROPE_TABLE_APART, 64, 1, 64};    \
        for (size_t i = 0; i < 64; i++) sines[i] = 3, cosines[i] = 1 + FLT_EPSILON;                \
        for (size_t k = 0; k < 4; k++) {                                                           \
            const pe_layout layout = k % 2 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;             \
            for (size_t i = 0; i < 512; i++)                                                       \
                x[i] = (k % 2 ? i : i / 64) % 2 == k / 2 ? three : k / 2 ? minus : one;            \
            PE__TAKE(pe_rope_by_table_##T(&by, layout, pe_from(zero), 1, x, wide));                \
        }                                                                                          \
    }
PE__TEST_ROTATE(f32, float, 1, -1, 3)
PE__TEST_ROTATE(f16, uint16_t, 0x3c00, 0xbc00, 0x4200)
PE__TEST_ROTATE(bf16, uint16_t, 0x3f80, 0xbf80, 0x4040)
#undef PE__TEST_ROTATE

/* The first n doubles as their low and high words, in this order on every machine: as the bits of
   floats they are hashed by the calls that come after. */
PE__OUTLINE void pe__test_words(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        const uint32_t words[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
        memcpy(x + i, words, sizeof words);
    }
}

/* Without a plan. Dot products are left out: they take 32 KB of stack more. */
PE__OUTLINE void pe__test_rest(pe__test *t)
{
    pe_rope_config rope = pe_rope_config_default(PE__TEST_D);
    float table[9 * PE__TEST_D], *const x = t->x.a_f32;
    double *const omega = t->x.a_f64;
    rope.rope_type = PE_ROPE_YARN;
    rope.factor = 8 + (double)t->zero;
    rope.original_max_position_embeddings = 4096;
    const pe_status status = pe_rope_frequencies(&rope, omega, omega + PE__TEST_D);
    pe__test_words(omega, 2 * PE__TEST_D);
    PE__TAKE(status);
    PE__TAKE(pe_alibi_slopes_f32(12, 8, x));
    PE__TAKE(pe_sinusoidal_f32(x, PE__TEST_ROWS, PE__TEST_D));
    memcpy(table, x, sizeof table);
    PE__TAKE(pe_learned_resample_f32(table, 9, 1, PE__TEST_D, NULL, x, 31, 1));
}
#undef PE__TAKE

/* The hash of all parts, each with a plan of its own; what could not be done is left out. */
PE__OUTLINE uint64_t pe__selftest(int64_t zero)
{
    static void (*const parts[PE__TESTS])(pe__test *) = {
        pe__test_rows_f64, pe__test_rows_f64,  pe__test_rows_f64, pe__test_rows_f32,
        pe__test_rows_f16, pe__test_rows_bf16, pe__test_rotate_f32, pe__test_rotate_f16,
        pe__test_rotate_bf16, pe__test_rest};
    /* far, near, and some where an element of the table is next to a tie */
    static const int64_t some[] = {2147483647,  -INT64_C(2147483648), 131071,
                                   -16777217,   -20,                  -1773804743,
                                   1896201758,  -1709504159,          1803184376};
    double memory[4416 / sizeof(double)]; /* pe_plan_size(), else it is refused and found out */
    pe__test test;
    test.zero = zero;
    test.hash = 0;
    for (size_t k = 0; k < PE__TEST_ROWS; k++) {
        test.list[k] = zero + (k < 9 ? some[k] : (int64_t)(k * k) * 48271 - 1000003);
        test.real[k] = (double)(test.list[k] / 2) + 0.3125;
    }
    for (size_t k = 0; k < PE__TESTS; k++) {
        const pe_preset preset = k == 1   ? PE_PRESET_LDM
                                 : k == 2 ? PE_PRESET_T2T_ND
                                          : PE_PRESET_VASWANI;
        pe_config config = pe_config_preset(preset, PE__TEST_D);
        config.base += (double)zero;
        if (k == 1 || k == 2) config.angle = PE_ANGLE_FLOAT32;
        if (k == 1) {
            config.amplitude = 0.7;
            config.offset = 0.25;
        }
        if (pe_plan_init(&test.plan, &config, memory, sizeof memory) != PE_OK) continue;
        memset(&test.x, 0, sizeof test.x);
        parts[k](&test);
    }
    return test.hash;
}

PE_API pe_status pe_selftest(void)
{
    volatile int64_t zero = 0; /* nothing is computed ahead */
    return pe__selftest(zero) == UINT64_C(0x96cf31f55ead7b9e) ? PE_OK : PE_ERR_SELFTEST;
}

/* ==== src/pe.h ==== */

#ifdef __cplusplus
}
#endif

/* ==== src/hints_end.h ==== */
/* The program's own floating-point options again.
 * Tests: tests/checks/fail.sh, tests/tools/matrix.sh. */

#if defined(__clang__)
#if PE__SETS_TARGET
#pragma clang attribute pop
#endif
#pragma STDC FP_CONTRACT DEFAULT
#if PE__FLOAT_CONTROL
#pragma float_control(pop)
#endif
#undef PE__FLOAT_CONTROL
#elif PE__GNU
#pragma GCC pop_options
#pragma GCC diagnostic pop
#elif !defined(_MSC_VER) && !defined(__cplusplus)
#pragma STDC FP_CONTRACT DEFAULT
#endif

/* ==== src/pe.h ==== */

#ifdef __cplusplus
extern "C" {
#endif

/* ==== src/where/make.h ==== */
/* A pe_at: made, moved on.
 * Gives: pe_all(), pe_at_f32(), pe_at_f64(), pe_at_i32(), pe_at_i64(), pe_back(), pe_delta(),
 *   pe_from(), pe_from_by(), pe_grid(), pe_skip().
 * Needs: api, where.
 * Tests: tests/unit/test_at.c. */

/* Field by field, and sizes for grids only: a narrow load after a wide store of the same bytes, or
   the reverse, would wait in every call. */
static inline pe_at pe__make_at(pe__at_kind kind, int64_t first, int64_t step, const void *list,
                                size_t axes, size_t row_stride, size_t axis_stride)
{
    pe_at at;
    at.list = list;
    at.first = first;
    at.step = step;
    at.skipped = 0;
    at.axes = axes;
    at.row_stride = row_stride;
    at.axis_stride = axis_stride;
    at.kind = (int)kind;
    at.back = at.delta = 0;
    at.status = axes < 1 || axes > PE_MAX_AXES ? PE_ERR_SHAPE : PE_OK;
    return at;
}

PE_API pe_at pe_from_by(int64_t first, int64_t step)
{
    return pe__make_at(PE__AT_RANGE, first, step, NULL, 1, 0, 0);
}
PE_API pe_at pe_from(int64_t first) { return pe_from_by(first, 1); }
PE_API pe_at pe_all(int64_t position) { return pe_from_by(position, 0); }

#define PE__LISTS(T, kind, type)                                                                   \
    PE_API pe_at pe_coords_##T(const type *coords, size_t axes, size_t row_stride,                 \
                               size_t axis_stride)                                                 \
    {                                                                                              \
        return pe__make_at(kind, 0, 0, coords, axes, row_stride, axis_stride);                     \
    }                                                                                              \
    PE_API pe_at pe_at_##T(const type *positions) { return pe_coords_##T(positions, 1, 1, 0); }
PE__LISTS(i32, PE__AT_I32, int32_t)
PE__LISTS(i64, PE__AT_I64, int64_t)
PE__LISTS(f32, PE__AT_F32, float)
PE__LISTS(f64, PE__AT_F64, double)
#undef PE__LISTS

PE_API pe_at pe_grid(const size_t *sizes, size_t axes)
{
    pe_at at = pe__make_at(PE__AT_GRID, 0, 0, NULL, axes, 0, 0);
    if (!sizes) at.status = PE_ERR_NULL;
    for (size_t a = 0; at.status == PE_OK && a < axes; a++) at.size[a] = sizes[a];
    return at;
}

PE_API pe_at pe_back(pe_at at)
{
    at.back = !at.back;
    return at;
}

PE_API pe_at pe_delta(pe_at at)
{
    at.delta = 1;
    return at;
}

PE_API pe_at pe_skip(pe_at at, size_t rows)
{
    if (at.kind != (int)PE__AT_RANGE) {
        at.skipped = rows > SIZE_MAX - at.skipped ? SIZE_MAX : at.skipped + rows;
        return at;
    }
    if (at.step == 0) return at;
    /* in the order of int64_t, from 0 on: the distance to its end may be 2^64 - 1 */
    const int down = at.step < 0;
    const uint64_t half = (uint64_t)1 << 63, first = (uint64_t)at.first ^ half;
    const uint64_t room = down ? first : ~first;
    const uint64_t step = down ? ~(uint64_t)at.step + 1 : (uint64_t)at.step;
    if (rows > room / step) {
        at.status = PE_ERR_RANGE;
        return at;
    }
    const uint64_t now = (down ? first - rows * step : first + rows * step) ^ half;
    memcpy(&at.first, &now, sizeof now);
    return at;
}

/* ==== src/types/calls.h ==== */
/* The functions that are called for few rows or tokens as well, and take a pe_at.
 * Gives: pe_add_bf16(), pe_add_f16(), pe_add_f32(), pe_alibi_add_bf16(), pe_alibi_add_f16(),
 *   pe_alibi_add_f32(), pe_alibi_fill_bf16(), pe_alibi_fill_f16(), pe_alibi_fill_f32(),
 *   pe_fill_bf16(), pe_fill_f16(), pe_fill_f32(), pe_rope_bf16(), pe_rope_f16(), pe_rope_f32(),
 *   pe_rope_qk_f32(), pe_rope_table_f32(), pe_sincos_f32().
 * Needs: api, where, rows, rope, alibi, types.
 * Tests: tests/checks/api.sh. */

/* ---- 15. the calls ------------------------------------------------------------------------------
 * A pe_at by value is written in small pieces and then copied in large ones, which wait for those:
 * 5 to 12 ns, as long as the rotation of a head takes. So these functions are what a compiler puts
 * into its caller, where nothing is copied: short, and behind the end of pe's own floating-point
 * options, without which gcc inlines nothing that has them. They compute nothing. */

#define PE__CALLS(T, element, number)                                                              \
    PE_API pe_status pe_fill_##T(const pe_plan *plan, pe_at at, size_t rows, element *out,         \
                                 size_t stride)                                                    \
    {                                                                                              \
        return pe__call_fill_##T(plan, &at, rows, out, stride);                                    \
    }                                                                                              \
    PE_API pe_status pe_add_##T(const pe_plan *plan, pe_at at, size_t rows, number scale,          \
                                element *x, size_t stride)                                         \
    {                                                                                              \
        return pe__call_add_##T(plan, &at, rows, scale, x, stride);                                \
    }                                                                                              \
    PE_API pe_status pe_sincos_##T(const double *omega, size_t pairs, double amplitude, pe_at at,  \
                                   size_t rows, element *sines, element *cosines, size_t stride)   \
    {                                                                                              \
        const pe__sincos_request x = {omega, pairs, rows, stride, sizeof *sines, amplitude,        \
                                      (unsigned char *)sines, (unsigned char *)cosines};           \
        return rows == 1 ? pe__sincos_call(&x, &at, 1, pe__sincos_row_##T)                         \
                         : pe__sincos_call(&x, &at, 0, pe__sincos_rows_##T);                       \
    }
PE__CALLS(f32, float, float)
PE__CALLS(f16, uint16_t, float)
PE__CALLS(bf16, uint16_t, float)
PE__CALLS(f64, double, double)
#undef PE__CALLS

#define PE__CALLS(T, element, to)                                                                  \
    PE_API pe_status pe_rope_to_##T(const pe_plan *plan, pe_at at, size_t tokens, size_t head_dim, \
                                    const element *in, pe_heads in_heads, to *out,                 \
                                    pe_heads out_heads)                                            \
    {                                                                                              \
        const pe__from_to x = {in, out, in_heads, out_heads, head_dim, 0};                         \
        return pe__call_rope_to_##T(plan, &at, tokens, &x);                                        \
    }
PE__CALLS(f32, float, float)
PE__CALLS(f16, uint16_t, uint16_t)
PE__CALLS(bf16, uint16_t, uint16_t)
PE__CALLS(f32_f16, float, uint16_t)
PE__CALLS(f32_bf16, float, uint16_t)
#undef PE__CALLS

/* Whole units of pairs of one token, by a row of floats that the table has, and nothing that could
   be wrong: of what the caller has written here the compiler knows most already. */
PE__INLINE int pe__rope_is_plain(const pe_rope_table *t, pe_layout layout, const pe_at *at,
                                 const pe_heads *x)
{
    if (at->kind != PE__AT_RANGE || at->status != PE_OK || at->back || at->delta || !t) return 0;
    const size_t all = t->stride | t->rows | x->heads | x->head_stride, n = t->pairs;
    int ok = (t->type == PE_TYPE_F32) & (t->layout == PE_ROPE_TABLE_APART) & (n != 0);
    ok &= (t->cosines != NULL) & (t->sines != NULL) & (all >> (4 * sizeof all - 2) == 0);
    ok &= (n % PE__ROPE_UNIT == 0) & (n <= t->stride) & ((uint64_t)at->first < t->rows);
    ok &= (x->heads == 1) | ((x->heads != 0) & (n <= x->head_stride / 2));
    return ok & ((unsigned)layout <= PE_LAYOUT_HALVES);
}

#define PE__CALLS(T, type, element)                                                                \
    PE_API pe_status pe_rope_##T(const pe_plan *plan, pe_at at, size_t tokens, element *x,         \
                                 pe_heads heads)                                                   \
    {                                                                                              \
        const pe__from_to both = {x, x, heads, heads, 0, 1};                                       \
        return pe__call_rope_##T(plan, &at, tokens, &both, NULL);                                  \
    }                                                                                              \
    PE_API pe_status pe_rope_qk_##T(const pe_plan *plan, pe_at at, size_t tokens, element *q,      \
                                    pe_heads q_heads, element *k, pe_heads k_heads)                \
    {                                                                                              \
        const pe__from_to queries = {q, q, q_heads, q_heads, 0, 1};                                \
        const pe__from_to keys = {k, k, k_heads, k_heads, 0, 1};                                   \
        return pe__call_rope_##T(plan, &at, tokens, &queries, &keys);                              \
    }                                                                                              \
    PE_API pe_status pe_rope_table_##T(const pe_plan *plan, pe_at at, size_t rows,                 \
                                       pe_rope_table_layout layout, element *cosines,              \
                                       element *sines, size_t stride, pe_rope_table *made)         \
    {                                                                                              \
        const pe_rope_table table = {cosines, sines, type, layout, stride, rows, 0};               \
        return pe__call_rope_table_##T(plan, &at, &table, made);                                   \
    }                                                                                              \
    PE_API pe_status pe_rope_by_table_##T(const pe_rope_table *table, pe_layout layout,            \
                                          pe_at rows, size_t tokens, element *x, pe_heads heads)   \
    {                                                                                              \
        const int halves = layout == PE_LAYOUT_HALVES;                                             \
        if (tokens == 1 && x && pe__rope_is_plain(table, layout, &rows, &heads)) {                 \
            const size_t row = (size_t)rows.first;                                                 \
            return halves ? pe__call_rope_one_##T##_halves(table, row, x, &heads)                  \
                          : pe__call_rope_one_##T##_interleaved(table, row, x, &heads);            \
        }                                                                                          \
        const pe_at at = rows;                                                                     \
        const pe__from_to both = {x, x, heads, heads, 0, 1};                                       \
        return halves ? pe__call_rope_by_##T##_halves(table, layout, &at, tokens, &both)           \
                      : pe__call_rope_by_##T##_interleaved(table, layout, &at, tokens, &both);     \
    }                                                                                              \
    PE_API pe_status pe_rope_by_table_to_##T(                                                      \
        const pe_rope_table *table, pe_layout layout, pe_at rows, size_t tokens, size_t head_dim,  \
        const element *in, pe_heads in_heads, element *out, pe_heads out_heads)                    \
    {                                                                                              \
        const pe__from_to x = {in, out, in_heads, out_heads, head_dim, 0};                         \
        return layout == PE_LAYOUT_HALVES                                                          \
                   ? pe__call_rope_by_##T##_halves(table, layout, &rows, tokens, &x)               \
                   : pe__call_rope_by_##T##_interleaved(table, layout, &rows, tokens, &x);         \
    }
PE__CALLS(f32, PE_TYPE_F32, float)
PE__CALLS(f16, PE_TYPE_F16, uint16_t)
PE__CALLS(bf16, PE_TYPE_BF16, uint16_t)
#undef PE__CALLS

#define PE__CALLS(T, type, element, verb)                                                          \
    PE_API pe_status pe_alibi_##verb##_##T(                                                        \
        const float *slopes, size_t heads, pe_alibi_mode mode, pe_at query_at, size_t queries,     \
        pe_at key_at, size_t keys, element *x, size_t query_stride, size_t head_stride)            \
    {                                                                                              \
        const pe__alibi a = {slopes,      heads, queries, keys,      query_stride,                 \
                             head_stride, mode,  type,    &query_at, &key_at};                     \
        return pe__alibi_call(&a, x, pe__alibi_##verb);                                            \
    }
PE__CALLS(f32, PE__F32, float, fill)
PE__CALLS(f32, PE__F32, float, add)
PE__CALLS(f16, PE__F16, uint16_t, fill)
PE__CALLS(f16, PE__F16, uint16_t, add)
PE__CALLS(bf16, PE__BF16, uint16_t, fill)
PE__CALLS(bf16, PE__BF16, uint16_t, add)
#undef PE__CALLS

/* ==== src/pe.h ==== */

#ifdef __cplusplus
}
#endif

#endif /* PE__DEFINE */

/* ==== src/end.h ==== */
/* The end of pe.h: no private macro left.
 * Needs: api.
 * Tests: tests/checks/names.sh. */

#if PE__DEFINE && PE__GNU
#pragma pop_macro("__aligned__")
#pragma pop_macro("__always_inline__")
#pragma pop_macro("__asm__")
#pragma pop_macro("__attribute__")
#pragma pop_macro("__cold__")
#pragma pop_macro("__may_alias__")
#pragma pop_macro("__no_sanitize__")
#pragma pop_macro("__noinline__")
#pragma pop_macro("__target__")
#pragma pop_macro("__unused__")
#pragma pop_macro("__vector_size__")
#endif
#undef PE_API
#undef PE__DEFINE
#undef PE__SETS_TARGET
#undef PE__STATUSES
#undef PE__OPAQUE
#undef PE__PRODUCT
#undef PE__IN_MEMORY
#undef PE__IN_REGISTER
#undef PE__GNU
#undef PE__INLINE
#undef PE__OUTLINE
#undef PE__COLD
#undef PE__PREFETCH
#undef PE__UNLIKELY
#undef PE__WRAPS
#undef PE__DIVIDES_BY_ZERO

/* ==== src/pe.h ==== */

#endif /* PE_H */
