/* made from src/ by make headers: change that */
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

/* ==== src/api/options.h ==== */
/* This file has the version, the options PE_STREAM_BYTES, PE_EXTERN and PE_IMPLEMENTATION, and
 * checks of the language, the number formats and the struct layout that pe needs. The last two
 * options decide how public functions are declared (PE_API), and whether the file that includes
 * pe.h defines them (PE__DEFINE). The other options are in src/simd/. Tested by
 * tests/checks/extern.sh and tests/checks/fail.sh. */

#define PE_VERSION_MAJOR 0
#define PE_VERSION_MINOR 5
#define PE_VERSION_PATCH 0
#define PE_VERSION_HEX 0x000500
#define PE_VERSION_STRING "0.5.0"

/* MSVC is not checked, because it defines __STDC_VERSION__ only if the command line names a C
   standard. */
#if !defined(__cplusplus) && !defined(_MSC_VER) &&                                                 \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "pe needs C99 or later, or C++11: compile with -std=c99, or leave -std out"
#endif

/* ---- 1. options ------------------------------------------------------------------------------ */

#ifndef PE_STREAM_BYTES
#define PE_STREAM_BYTES 25165824
#endif

/* PE_API is before the declaration and the definition of every public function, except that
   pe_rope_by_table_T is defined with PE__API_INLINE. Without PE_EXTERN it is then always inlined.
   An inlined call of it takes 10 ns. A call that copies its pe_at takes 24 ns (one head, Xeon). */
#ifndef PE_EXTERN
#define PE_API static inline
#define PE__API_INLINE PE__INLINE
#else
#define PE_API extern
#define PE__API_INLINE PE_API
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
/* Refuse packed structs, whether from -fpack-struct or from a #pragma pack that another header left
   in force: a library that was compiled without packing lays its structs out differently. Structs
   count as packed if the offset of a double after a char is less than the size of a pointer, and
   also less than the target's largest alignment. The second condition is for m68k, where this
   alignment is 2. */
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
/* This file defines the types that several subjects share: statuses, element types, configs and
 * their enums, presets, positions, the plan. Tested by tests/unit/api/test_errors.c and
 * tests/unit/plan/test_conventions.c. */

/* ============================================================================================== */
/*  2. TYPES                                                                                      */
/* ============================================================================================== */

/* The status that a call returns. PE__STATUSES(X) expands to X(name, text) for each status. They
   are numbered 0, 1, 2 ... in this order. */
#define PE__STATUSES(X)                                                                            \
    X(PE_OK, "success")                                                                            \
    X(PE_ERR_NULL, "a pointer is NULL: a plan, config, table, memory or array (did malloc fail?)") \
    X(PE_ERR_CONFIG, "the config is invalid: pe_config_error() or pe_rope_config_error() says "    \
                     "which field")                                                                \
    X(PE_ERR_SUMS, "PE_COLUMNS_SUMS: pe_plan_init_frequencies() sets its frequencies, none are "   \
                   "read back")                                                                    \
    X(PE_ERR_PAIRS, "pairs is not the number of frequencies that the config has")                  \
    X(PE_ERR_FREQUENCY, "a frequency is out of bounds or not finite: pe_frequency_error() says "   \
                        "which one")                                                               \
    X(PE_ERR_FACTOR, "a frequency is above 2^21 by the factors of the RoPE config")                \
    X(PE_ERR_BASE, "float32 frequencies need a config of one axis and a base of 1 ... 2^126")      \
    X(PE_ERR_INCREMENT, "phase increments need frequencies that are 0 or 2^-56 ... 2^21 in "       \
                        "magnitude")                                                               \
    X(PE_ERR_MEMORY, "memory_size is smaller than pe_plan_size() or pe_rope_plan_size() says")     \
    X(PE_ERR_PLAN, "the plan was not made: check the status of its init")                          \
    X(PE_ERR_PLAN_ROWS, "the plan has interleaved sections or a list of coordinates: it is for "   \
                        "RoPE alone")                                                              \
    X(PE_ERR_PLAN_ROPE, "RoPE needs a plan of even widths, no padding position, no "               \
                        "PE_COLUMNS_FREQUENCIES")                                                  \
    X(PE_ERR_PLAN_SHIFT, "shifts need even widths and exact angles, see pe_shift_f32(); dot "      \
                         "products also one axis")                                                 \
    X(PE_ERR_PLAN_FIXED, "phase increments need one axis, exact angles, offset 0, no half_turns "  \
                         "and no list")                                                            \
    X(PE_ERR_AT, "no pe_ function made this pe_at")                                                \
    X(PE_ERR_AT_NULL, "the list of positions, or the list of sizes of a grid, is NULL")            \
    X(PE_ERR_AT_KIND, "whole positions of one coordinate are needed: pe_from(), pe_at_i32(), "     \
                      "pe_at_i64()")                                                               \
    X(PE_ERR_AT_AXES, "positions need one coordinate, or as many as the plan has axes")            \
    X(PE_ERR_AT_ROWS, "the grid has fewer cells than the call has rows")                           \
    X(PE_ERR_AT_SIZE, "the list of positions, or the grid, is larger than the address space")      \
    X(PE_ERR_RANGE, "a position is out of range: -2^31 ... 2^31 with the offset; in a table, "     \
                    "a row's number")                                                              \
    X(PE_ERR_ENUM, "a layout, type, mode, method, formula or kind is not a value of its enum")     \
    X(PE_ERR_NAME, "the name is not that of a RoPE type: pe_rope_type_named() lists them")         \
    X(PE_ERR_SHAPE, "a stride is too small: rows, heads or batches would overlap")                 \
    X(PE_ERR_HEADS, "in and out have different numbers of heads")                                  \
    X(PE_ERR_HEAD_DIM, "head_dim is smaller than the part of a head that rotates")                 \
    X(PE_ERR_OVERLAP, "out overlaps in: it must lie apart, or be the same array with the same "    \
                      "strides")                                                                   \
    X(PE_ERR_ALIGNMENT, "sines and cosines are not a whole number of elements apart")              \
    X(PE_ERR_SINES, "sines must be NULL: cosines is one array of both")                            \
    X(PE_ERR_EMPTY, "d_model, pairs, height or width is 0")                                        \
    X(PE_ERR_SIZE, "an array is larger than the address space, or than the comment of the call "   \
                   "allows")                                                                       \
    X(PE_ERR_AMPLITUDE, "the amplitude is not within 2^-1000 ... 2^1000 in magnitude")             \
    X(PE_ERR_GGML, "a field of pe_rope_ggml is out of bounds: see the comment beside it")          \
    X(PE_ERR_QUERY_SCALE, "beta, period, shift or position + shift is out of bounds: see "         \
                          "pe_rope_query_scale_f32()")                                             \
    X(PE_ERR_XPOS, "scale_base is not within 2^-30 ... 2^100, or a position is beyond 60 "         \
                   "scale_base")                                                                   \
    X(PE_ERR_SLOPE, "a slope is not finite, or max_bias is negative or not finite")                \
    X(PE_ERR_BUCKETS, "buckets or max_distance is out of bounds: see pe_bias_t5_i32()")            \
    X(PE_ERR_INDEX, "an index is not an entry of the table of biases")                             \
    X(PE_ERR_RESAMPLE, "a field of pe_resample is out of bounds: see the comment beside it")       \
    X(PE_ERR_SELFTEST, "this build computes wrong bits: call fesetround(FE_TONEAREST) first, "     \
                       "compile without options that change arithmetic, and use pe.h and "         \
                       "pe_simd.h of one version, unchanged; if it still fails, report it")

typedef enum pe_status {
#define PE__STATUS_NAME(name, text) name,
    PE__STATUSES(PE__STATUS_NAME)
#undef PE__STATUS_NAME
} pe_status;

/* How a row of h pairs is laid out: s0 and c0 are the sine and the cosine of pair 0, and cos_first
   exchanges s and c. In RoPE: which two elements of a head are pair i. */
typedef enum pe_layout {
    PE_LAYOUT_INTERLEAVED = 0, /* s0 c0 s1 c1 ...; RoPE: 2i and 2i + 1, as in RoFormer, GPT-J,
                                  Meta's Llama, ggml NORM, ONNX interleaved = 1, MLX traditional,
                                  complex numbers in torch                                        */
    PE_LAYOUT_HALVES           /* s0 ... s(h-1) c0 ... c(h-1); RoPE: i and i + h, as in GPT-NeoX,
                                  Hugging Face rotate_half, ggml NEOX, ONNX interleaved = 0       */
} pe_layout;

/* Which D the frequencies w_i = scale base^(-i / D) have, where i is the index of a pair within its
   axis. Below, width is the number of columns of the axis, and h = floor(width / 2). */
typedef enum pe_exponent {
    PE_EXPONENT_WIDTH = 0, /* D = width / 2: the paper's 2i / d_model                      */
    PE_EXPONENT_PAIRS,     /* D = h - exponent_shift; a single pair has frequency scale    */
    PE_EXPONENT_INDEX      /* D = 1: w_i = scale base^-i                                   */
} pe_exponent;

/* The type of elements: a float, or an f16 or bf16 number whose bits are in a uint16_t. */
typedef enum pe_type { PE_TYPE_F32 = 0, PE_TYPE_F16, PE_TYPE_BF16 } pe_type;

/* How the columns of an axis are used if their number is odd. */
typedef enum pe_odd {
    PE_ODD_SINE = 0, /* one sine more than cosines (one cosine more with cos_first) */
    PE_ODD_ZERO      /* the last column is 0                                        */
} pe_odd;

/* Which angle the sine and the cosine are computed of. They are those of exactly this angle, and
   are rounded once. */
typedef enum pe_angle {
    PE_ANGLE_EXACT = 0, /* t w_i as a real number; t is the position plus the offset            */
    PE_ANGLE_FLOAT32    /* float(float(t) * float(w_i)), the angle of float32 code, to reproduce
                           models trained with it; slower: each row computes its own sines     */
} pe_angle;

enum { PE_MAX_AXES = 8 };

/* How several axes share the columns of a row; ignored if axes is 1. */
typedef enum pe_columns {
    PE_COLUMNS_BLOCKS = 0,  /* each axis has its own block of columns, in the layout          */
    PE_COLUMNS_JOINED,      /* one layout for the whole row, first the pairs of the first axis, then
                              the pairs of the second ...; halves: all sines, then all cosines.
                              Widths must be even. As in RoPE of whole heads (DINOv3, Pixtral,
                              Cosmos), in timm, in Perceiver                                   */
    PE_COLUMNS_FREQUENCIES, /* frequency by frequency, for axes of equal, even width. Interleaved:
                               the sines of all axes for the first frequency, then their cosines,
                               then the second frequency ..., as in NeRF, GLIGEN. Halves: the sines
                               of all frequencies, then the cosines, as in timm's FourierEmbed */
    PE_COLUMNS_SUMS         /* the angle of pair i is the sum over all coordinates k of t_k times
                               the frequency of pair i for k; t_k includes the offset. One layout
                               for the whole row, as in Fourier features, SAM, LightGlue. Only for
                               pe_plan_init_frequencies() and PE_ANGLE_EXACT                   */
} pe_columns;

/* An axis is a number of columns that encode one of a row's coordinates. */
typedef struct pe_axis {
    size_t width;      /* its columns; 0: 2 floor(d_model / (2 axes))                  */
    size_t coordinate; /* which of the row's coordinates it encodes, 0 ... axes - 1    */
} pe_axis;

/* A config says what to compute. Start from pe_config_default() or pe_config_preset() and change
   fields, because later versions may have more fields. All numbers are taken as the exact values of
   the doubles given. */
typedef struct pe_config {
    size_t d_model;           /* width of a row in elements, >= 1                                 */
    double base;              /* 10000 in the paper, 2^-20 ... 2^900; 1: all frequencies equal    */
    double amplitude;         /* factor on every element, 2^-1000 ... 2^1000 in magnitude         */
    double scale;             /* factor on every angle: 1 / timescale, position scale, maximal
                                 frequency. 2^-900 ... 2^21 in magnitude; every frequency, with
                                 pi if half_turns is set, must be within 2^-960 ... 2^21          */
    int half_turns;           /* 1: every angle times pi                                          */
    double offset;            /* added to every position: a multiple of 2^-20, at most 2^31 in
                                 magnitude. A sum with a real position is rounded to double       */
    pe_layout layout;         /* interleaved in the paper                                         */
    int cos_first;            /* 1: cosines come first                                            */
    pe_odd odd;               /* how an odd width is filled                                       */
    pe_exponent exponent;     /* what divides i in the exponent of base                           */
    double exponent_shift;    /* subtracted in PE_EXPONENT_PAIRS; ignored elsewhere, and on an axis
                                 with one pair. Within -2^60 ... 2^60, and so small that D > 0    */
    pe_angle angle;           /* exact, or as float32 code has it                                 */
    int has_padding;          /* 1: the row of padding_position is all zeros; needs axes = 1      */
    int64_t padding_position; /* a position as calls give it, before the offset                   */
    size_t multiple;          /* >= 1; d_model must be a multiple of this                         */
    size_t expected_rows;     /* rows that all calls together will compute; 0: unknown, taken as
                                 many. With fewer than 36, the plan is small and quickly made; the
                                 bits are the same                                                */
    size_t axes;              /* coordinates of a row, 1 ... PE_MAX_AXES                          */
    pe_axis axis[PE_MAX_AXES]; /* the axes, from left to right; columns right of them are 0. Ignored
                                 if axes is 1, since that axis has the whole row, and with
                                 PE_COLUMNS_SUMS                                                  */
    pe_columns columns;        /* how the axes share the columns; ignored if axes is 1            */
    const uint8_t *coordinate; /* NULL, or for RoPE the coordinate of each of d_model / 2 pairs:
                                  below axes, or 255 for a pair that does not rotate and is only
                                  multiplied by the amplitude. With a list the row has one layout,
                                  axis is ignored, columns must be PE_COLUMNS_BLOCKS, d_model must
                                  be even, and has_padding must be 0. The plan copies the list    */
    size_t coordinate_length;  /* length of coordinate, checked to be d_model / 2 before the list is
                                  read. 0: not checked, d_model / 2 numbers are read. Must be 0 if
                                  coordinate is NULL                                              */
} pe_config;

/* The conventions of other projects, see pe_config_preset(). PE__PRESETS(X) expands to X(...) for
   each preset. After the name, the arguments are these fields of its config: layout, exponent,
   exponent_shift, odd, cos_first, offset, multiple and axes. pe_config_preset() sets the others. */
#define PE__PRESETS(X)                                                                             \
    X(PE_PRESET_VASWANI, INTERLEAVED, WIDTH, 0, SINE, 0, 0, 1, 1)                                  \
    X(PE_PRESET_T2T, HALVES, PAIRS, 1, ZERO, 0, 0, 1, 1)                                           \
    X(PE_PRESET_FAIRSEQ, HALVES, PAIRS, 1, ZERO, 0, 2, 1, 1)                                       \
    X(PE_PRESET_OPENNMT, HALVES, PAIRS, 1, ZERO, 0, 1, 1, 1)                                       \
    X(PE_PRESET_HF_MARIAN, HALVES, WIDTH, 1, SINE, 0, 0, 1, 1)                                     \
    X(PE_PRESET_TRANSFORMER_XL, HALVES, WIDTH, 1, ZERO, 0, 0, 2, 1)                                \
    X(PE_PRESET_TENER, HALVES, PAIRS, 1, ZERO, 0, 0, 1, 1)                                         \
    X(PE_PRESET_DDPM, HALVES, PAIRS, 1, ZERO, 0, 0, 1, 1)                                          \
    X(PE_PRESET_LDM, HALVES, PAIRS, 0, ZERO, 1, 0, 1, 1)                                           \
    X(PE_PRESET_MUSICGEN, HALVES, PAIRS, 1, ZERO, 1, 0, 1, 1)                                      \
    X(PE_PRESET_MLX, HALVES, PAIRS, 1, ZERO, 0, 0, 2, 1)                                           \
    X(PE_PRESET_MAE_2D, HALVES, WIDTH, 1, ZERO, 0, 0, 4, 2)                                        \
    X(PE_PRESET_VIDEO_3D, HALVES, WIDTH, 1, ZERO, 0, 0, 16, 3)                                     \
    X(PE_PRESET_T2T_ND, HALVES, PAIRS, 1, ZERO, 0, 0, 1, 2)                                        \
    X(PE_PRESET_DETR, INTERLEAVED, WIDTH, 1, SINE, 0, 1, 2, 2)                                     \
    X(PE_PRESET_NERF, INTERLEAVED, INDEX, 1, ZERO, 0, 0, 1, 3)                                     \
    X(PE_PRESET_TINY_CUDA_NN, INTERLEAVED, INDEX, 1, ZERO, 0, 0, 1, 3)

typedef enum pe_preset {
#define PE__PRESET(preset, layout, exponent, shift, odd, cos_first, offset, multiple, axes) preset,
    PE__PRESETS(PE__PRESET) PE_PRESET_COUNT
#undef PE__PRESET
} pe_preset;

/* A pe_at says at which positions the rows 0, 1, 2 ... of a call are. It is a small value that may
   be copied freely. pe_from() and the other functions of section 4 make it; all its fields are
   private. If the positions are a list, the pe_at points to the caller's list, and each call that
   takes the pe_at reads the list. */
typedef struct pe_at {
    const void *list;         /* positions or coordinates; NULL for ranges and grids            */
    int64_t first, step;      /* a range: first, first + step, ...; otherwise 0 and not used    */
    size_t skipped;           /* rows that pe_skip() leaves out of a list or grid; 0 for ranges */
    size_t axes;              /* coordinates of a row                                           */
    size_t row_stride;        /* elements of list from one row to the next                      */
    size_t axis_stride;       /* elements of list from one coordinate to the next               */
    size_t size[PE_MAX_AXES]; /* a grid: number of cells along each coordinate; else not set    */
    int kind;                 /* a pe__at_kind; 0: no pe_ function made it                      */
    int back, delta;          /* 1 after pe_back() and after pe_delta(), else 0. A second call of
                                 pe_back() sets back to 0 again                                 */
    pe_status status;         /* PE_OK, or the error that a function found that made or changed
                                 this pe_at; calls that take it return this error               */
} pe_at;

/* This private struct holds the columns and pairs of one axis of a plan. */
typedef struct pe__axis {
    size_t sine, cosine;   /* columns of its first sine and first cosine                   */
    size_t sines, cosines; /* number of sines, number of cosines; they differ by 1 if the
                              width is odd and the config has PE_ODD_SINE                  */
    size_t zero, zeros;    /* first column of zeros; number of columns of zeros, or 0      */
    size_t pair, pairs;    /* index of its first pair in each of the plan's arrays; number
                              of its pairs                                                 */
    size_t coordinate;     /* the coordinate of a row that it encodes                      */
    double denominator[2]; /* two doubles whose sum is D of its frequencies (pe_exponent)  */
} pe__axis;

/* A plan holds the frequencies and the data that all rows share, in memory that the caller
   provides. d_model, pairs and axes may be read; all other fields are private. A plan may be copied
   by assignment; the memory must outlive all copies, and must not be moved. Every call refuses a
   plan of all zeros with PE_ERR_PLAN. Every instruction set makes the same plan. */
typedef struct pe_plan {
    size_t d_model;          /* elements of a row                                            */
    size_t pairs;            /* pairs of a row, on all axes together                         */
    size_t axes;             /* coordinates of a row                                         */
    size_t padded;           /* doubles from one array to the next: pairs and padding lanes  */
    size_t first;            /* pairs of the row before the first pair of this plan: 0, except
                                in plans on the stack that pe makes for a part of a row      */
    double offset;           /* added to every position: a multiple of 2^-20                 */
    const double *frequency; /* 2 arrays: w / pi as a sum of two doubles                     */
    const double *table;     /* NULL, or rotation rows, see pe__rotation_row(): for each of
                                their positions p an array of sin(p w) and one of cos(p w)   */
    const double *float32;   /* NULL, or with PE_ANGLE_FLOAT32 an array of float(w). Angles are
                                then its products with float(t), and each number of
                                `frequency` is 1 / pi, which converts them to half-turns     */
    double amplitude;        /* A, the factor on every element: mantissa * scale             */
    double mantissa;         /* in [0.5, 1) in magnitude, with the sign of A                 */
    double scale;            /* a power of two                                               */
    double fastest;          /* largest |frequency|, in half-turns per position              */
    double error;            /* bound of the relative error of the frequencies               */
    double double_range;     /* range of the double kernel: largest |position| for it        */
    double base, unit;       /* base and scale of the config; base 0: frequencies are given  */
    int32_t guard;           /* rounding test: bits of a float; floats of a smaller magnitude
                                are flagged                                                  */
    int cos_first, has_padding;
    int half_turns;        /* 1: angles times pi; some may be exact multiples of pi / 2    */
    int exact_frequencies; /* 1: the sums of two doubles are the frequencies exactly       */
    int joint;             /* 1: the axes share one layout of the whole row                */
    int rope_interleave;   /* RoPE: 1 reads adjacent pairs and writes halves               */
    size_t rotary_offset;  /* RoPE: elements of a head before those that rotate            */
    size_t step;           /* PE_COLUMNS_FREQUENCIES: columns from pair to pair; else 0    */
    const double *matrix;  /* PE_COLUMNS_SUMS: the caller's frequencies, not yet scaled, as one
                                array for each coordinate; else NULL                         */
    size_t matrix_step;    /* doubles from one array of matrix to the next                 */
    const uint8_t *order;  /* RoPE: NULL, or the order of pairs, see pe__order_memory()    */
    const double *point;   /* PE_COLUMNS_SUMS: the coordinates of the row for which the
                                sums in frequency were computed; else NULL                   */
    pe_layout layout;
    double padding; /* the padding position, before the offset is added; not used unless
                       has_padding is 1                                             */
    pe__axis axis[PE_MAX_AXES];
} pe_plan;

/* ==== src/pe.h ==== */

/* ============================================================================================== */
/*  FUNCTIONS                                                                                     */
/*                                                                                                */
/*  T is f32 (float), f64 (double), f16 (IEEE binary16) or bf16 (bfloat16); the last two are bits */
/*  in a uint16_t. Calls that take a plan have this order: the plan, where the rows are, how      */
/*  many, what to do with them, then the buffers. After each buffer comes its stride in elements, */
/*  or a pe_heads.                                                                                */
/* ============================================================================================== */

/* ==== src/api/contract.h ==== */
/* This contract declares the functions that return a status text, the version and the instruction
 * set of this build, and the self test. Tested by tests/unit/selftest/test_selftest.c. */

/* ---- 3. this build --------------------------------------------------------------------------- */

/* Say what a status means and what to do about it. Returns constant English text, never NULL. A
   number that is no status also has a text. Threads: any. */
PE_API const char *pe_status_string(pe_status status);

/* Return the version of the functions that the program calls, in the form of PE_VERSION_HEX; with
   PE_EXTERN, the version of the file that defines them. Threads: any. */
PE_API int pe_version(void);

/* Return the instruction set of the functions that the program calls: "AVX-512", "AVX2", "NEON",
   "SSE2", "WASM SIMD128" or "scalar". If the program is linked with libposenc, and this library
   did not follow the environment variable PE_ISA, the text also has the reason in parentheses.
   Threads: any. */
PE_API const char *pe_isa_name(void);

/* Check that this program computes the right bits: compute small tables and compare their hashes
 * with a constant. The tables cover each type and these calls: fill, lists, real positions, grids,
 * add, shift, RoPE, ALiBi, learned tables. Some positions are near 0, others near 2^31 or -2^31.
 * Some elements are close to midpoints, where rounding is hard. The test takes well under a second.
 * A file that calls pe_selftest() has to compile most of the library, so call it from a source file
 * of its own.
 *
 * Returns      PE_OK; PE_ERR_SELFTEST if any bit differs. Causes are a rounding mode other than to
 *              nearest, an option or a compiler that breaks arithmetic, and changed headers.
 *              Flushing of subnormals is not noticed, since no result here is subnormal
 * Accuracy     the tables are a sample, no proof: that is "tests/run verify". The self test itself
 *              is tested by tests/unit/selftest/test_selftest.c
 * Threads      any. 64 KB of stack, no other memory */
PE_API pe_status pe_selftest(void);

/* ==== src/positions/contract.h ==== */
/* This contract declares the functions that say at which positions the rows of a call are. Tested
 * by tests/unit/positions/test_at.c. */

/* ---- 4. where rows are --------------------------------------------------------------------------
 * A pe_at says at which positions the rows of a call are. The functions that make a pe_at check
 * return no error: the call that takes the pe_at returns it, before it writes anything. Positions
 * are integers or reals within -2^31 ... 2^31. Consecutive positions, ascending or descending, are
 * the fastest, also in lists. A call that refuses its pe_at returns
 *
 *   PE_ERR_AT         a pe_at that none of these functions made, such as one of all zeros
 *   PE_ERR_AT_NULL    a list, or the sizes of a grid, that is NULL
 *   PE_ERR_AT_KIND    a list of reals, a grid, or points of several coordinates, if the call takes
 *                     whole positions of one coordinate
 *   PE_ERR_AT_AXES    a number of coordinates that is neither 1 nor that of the plan's axes
 *   PE_ERR_AT_ROWS    a grid of fewer cells than the call has rows
 *   PE_ERR_AT_SIZE    a list or grid larger than the address space
 *   PE_ERR_RANGE      a position that is a NaN, or that is outside -2^31 ... 2^31 before or after
 *                     the plan's offset is added; for a table, one that is none of its rows */

/* Return the positions first, first + 1, ... Threads: any. */
PE_API pe_at pe_from(int64_t first);

/* Return the positions first, first + step, first + 2 step, ... The step may be 0 or negative.
   Threads: any. */
PE_API pe_at pe_from_by(int64_t first, int64_t step);

/* Return the same position for every row, as pe_from_by(position, 0). Threads: any. */
PE_API pe_at pe_all(int64_t position);

/* Place row r at positions[r]. Positions may have any order, repeat and be negative. Reals may be
   fractions: diffusion timesteps, m/z values, positions divided by a scale. Whole numbers in a list
   of reals give the same bits as in a list of integers. The list is not copied. NULL is refused
   with PE_ERR_AT_NULL by the call that takes the pe_at. Threads: any. */
PE_API pe_at pe_at_i32(const int32_t *positions);
PE_API pe_at pe_at_i64(const int64_t *positions);
PE_API pe_at pe_at_f32(const float *positions);
PE_API pe_at pe_at_f64(const double *positions);

/* Place row r at cell r of a grid: coordinate k runs from 0 to sizes[k] - 1, the last coordinate
   fastest. The array `sizes` has `axes` numbers and is copied. The parameter `axes` is 1 or the
   number of axes of the plan. A call may have fewer rows than the grid has cells, but checks the
   positions of all cells. It refuses NULL with PE_ERR_AT_NULL, more rows than cells with
   PE_ERR_AT_ROWS, and sizes whose product overflows with PE_ERR_AT_SIZE. Threads: any. */
PE_API pe_at pe_grid(const size_t *sizes, size_t axes);

/* Place rows at points: coordinate k of row r is coords[r * row_stride + k * axis_stride]. An array
   [rows][axes] has the strides axes and 1. An array [axes][rows], as in M-RoPE's (t, y, x), has the
   strides 1 and rows. The parameter `axes` is 1 or the number of axes of the plan. The array is not
   copied. NULL is refused with PE_ERR_AT_NULL by the call that takes the pe_at. Threads: any. */
PE_API pe_at pe_coords_i32(const int32_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);
PE_API pe_at pe_coords_i64(const int64_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);
PE_API pe_at pe_coords_f32(const float *coords, size_t axes, size_t row_stride, size_t axis_stride);
PE_API pe_at pe_coords_f64(const double *coords, size_t axes, size_t row_stride,
                           size_t axis_stride);

/* Return the positions without those of the first `rows` rows, so that threads can split a call.
   Skips add up. Threads: any. */
PE_API pe_at pe_skip(pe_at positions, size_t rows);

/* Reverse the rotation: use -(p + offset) for the position p, with the same amplitude. In RoPE this
   is the gradient (the transposed map), and the inverse if the amplitude is 1; this is not so with
   rope_interleave, see section 8. Two calls of pe_back() cancel. A padding position stays a padding
   position. Threads: any. */
PE_API pe_at pe_back(pe_at positions);

/* Take positions as differences: the plan's offset and padding position are ignored, and the
   amplitude is 1. With pe_rope_T this is a K-shift, which moves keys that are already rotated to
   other positions, as in llama_memory_seq_add. pe_back(pe_delta(positions)) undoes it.
   Threads: any. */
PE_API pe_at pe_delta(pe_at positions);

/* ==== src/plan/contract.h ==== */
/* This contract declares presets, plans and their frequencies. tests/unit/plan/test_conventions.c
 * and tests/unit/rows/test_bounds.c test it. */

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

/* ==== src/fixed/contract.h ==== */
/* The public contract of the functions that convert frequencies to phase increments for pe_fixed.h.
 * Tested by tests/unit/fixed/test_fixed.c. */

/* Compute the phase increments of a plan, for sines and cosines on a GPU or without floating point:
 *
 *     increment_i = w_i / (2 pi) modulo 1, times 2^128, rounded
 *
 * The functions of pe_fixed.h take them. w_i is the frequency of pair i in radians per position. It
 * is the exact one of the config, not a double. A turn is 2 pi radians. An increment needs no more
 * than 128 bits, because an error of half a unit of 2^-128, times a position of 2^31, is 2^-98
 * turns. Elements are much farther from midpoints. In the tables of tests/theorem.txt, with
 * amplitude 1, every element is at least 2^-65.6 away from any midpoint of two floats.
 *
 * An increment contains neither the amplitude of the plan nor its padding position. Pass the
 * amplitude to pe_fixed_sincos_scaled_f32(), which takes a float. An attention factor of YaRN is
 * therefore rounded to a float first. The bits are then those of pe_sincos_f32() with that float
 * as its amplitude, not those of the plan's rows.
 *
 * increments   4 * plan->pairs words of 32 bits: four per pair, the lowest first. This is the
 *              layout of an array of pe_fixed_increment, so the words can be uploaded as they are
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_PLAN_FIXED for more than one axis, a list of
 *              coordinates, half_turns, an offset other than 0, PE_ANGLE_FLOAT32 and
 *              PE_COLUMNS_SUMS; PE_ERR_INCREMENT if a frequency other than 0 is below 2^-56 in
 *              magnitude: its angles are too small for the integers of pe_fixed.h
 * Accuracy     within 0.501 units of 2^-128 turns per position (tests/unit/fixed/test_fixed.c)
 * Aliasing     increments may not overlap the plan or its memory
 * Threads      any
 * See          pe_fixed.h, docs/gpu.md */
PE_API pe_status pe_fixed_increments(const pe_plan *plan, uint32_t *increments);

/* Compute the phase increments of given frequencies:
 *
 *     increment_i = omega[i] / (2 pi) modulo 1, times 2^128, rounded
 *
 * omega        `pairs` frequencies in radians per position; each double is taken as an exact
 *              number, and is 0 or 2^-56 ... 2^21 in magnitude
 * increments   4 * pairs words, as pe_fixed_increments
 *
 * Returns      PE_OK, also if pairs is 0; PE_ERR_NULL; PE_ERR_SIZE; PE_ERR_INCREMENT if a
 *              frequency is out of bounds
 * Accuracy     as pe_fixed_increments (tests/unit/fixed/test_fixed.c)
 * Aliasing     increments may not overlap omega
 * Threads      any */
PE_API pe_status pe_fixed_increments_of(const double *omega, size_t pairs, uint32_t *increments);

/* ==== src/rows/contract.h ==== */
/* The public contract of the functions that fill rows or add them. Tested by
 * tests/unit/rows/test_exact.c. */

/* ---- 6. sinusoidal encodings ----------------------------------------------------------------- */

/* Fill rows with the encodings of their positions. For pe_from(first):
 *
 *     out[r * stride + 2i]     = A sin((first + r + offset) w_i)      (interleaved)
 *     out[r * stride + 2i + 1] = A cos((first + r + offset) w_i)
 *
 * With several axes (images, video, points in space) each axis encodes its coordinate. A pe_at of
 * one coordinate gives it to all axes.
 *
 * positions    where the rows are; every position within -2^31 ... 2^31, also with the offset. A
 *              real position and an offset are added in double, rounded once
 * out          rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; elements between rows are not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_PLAN_ROWS for a plan with interleaved
 *              sections or a list of coordinates; PE_ERR_SHAPE; PE_ERR_SIZE; PE_ERR_RANGE, also
 *              for NaN and infinity, and PE_ERR_AT..., see section 4
 * Accuracy     rounded once from the exact value, overflow to infinity and subnormals included. A
 *              sine or cosine that is exactly 0 has the sign of the amplitude, on either side of
 *              position 0 (tests/unit/rows/test_exact.c, tests/unit/plan/test_conventions.c,
 *              tests/unit/sincos/test_theorem.c)
 * Aliasing     out may not overlap the positions, the plan or its memory
 * Threads      any number on one plan, each with its own rows
 * See          Vaswani et al. 2017, section 3.5 */
PE_API pe_status pe_fill_f32(const pe_plan *plan, pe_at positions, size_t rows, float *out,
                             size_t stride);
PE_API pe_status pe_fill_f64(const pe_plan *plan, pe_at positions, size_t rows, double *out,
                             size_t stride);
PE_API pe_status pe_fill_f16(const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out,
                             size_t stride);
PE_API pe_status pe_fill_bf16(const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out,
                              size_t stride);

/* Add encodings to activations, in place, in one pass over memory: x = scale * x + PE.
 *
 * PE is the row of pe_fill_f32 (for f64 of pe_fill_f64). The product and the sum are rounded to
 * float (for f64 to double) each, as in PyTorch and numpy, and the sum once more to the type of x.
 * So for f32 the result has the bits of scaling x, then adding the filled table, on every machine.
 *
 * positions    as pe_fill_T, for `rows` rows
 * scale        any float (f64: any double); 1 to add only, sqrt(d_model) for the paper's embeddings
 * x            as out of pe_fill_T
 *
 * Returns      as pe_fill_T
 * Accuracy     the bits of this product and sum (tests/unit/plan/test_conventions.c)
 * Aliasing     in place; x may not overlap the positions, the plan or its memory
 * Threads      any number on one plan, each with its own rows */
PE_API pe_status pe_add_f32(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                            float *x, size_t stride);
PE_API pe_status pe_add_f64(const pe_plan *plan, pe_at positions, size_t rows, double scale,
                            double *x, size_t stride);
PE_API pe_status pe_add_f16(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                            uint16_t *x, size_t stride);
PE_API pe_status pe_add_bf16(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                             uint16_t *x, size_t stride);

/* Add the same rows to several batches, batch_stride elements from one to the next. Sines are
 * computed once for all batches; for d_model above 2,560 (f64: 1,280), once for each batch.
 *
 * batches      number of batches; 0 does nothing
 * batch_stride elements from batch to batch. If x is [batch, rows, d_model], batch_stride >=
 *              (rows - 1) * stride + d_model. If x is [rows, batch, d_model], batch_stride >=
 *              d_model and stride >= (batches - 1) * batch_stride + d_model. For one batch,
 *              batch_stride is ignored
 *
 * Returns      as pe_add_T; PE_ERR_SHAPE also if batches would overlap
 * Accuracy     as pe_add_T (tests/unit/plan/test_conventions.c)
 * Aliasing     as pe_add_T
 * Threads      as pe_add_T, each with its own rows or batches */
PE_API pe_status pe_add_batch_f32(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  float scale, float *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_f64(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  double scale, double *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_f16(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  float scale, uint16_t *x, size_t stride, size_t batch_stride);
PE_API pe_status pe_add_batch_bf16(const pe_plan *plan, pe_at positions, size_t rows,
                                   size_t batches, float scale, uint16_t *x, size_t stride,
                                   size_t batch_stride);

/* Fill a packed table of the default config for the positions 0 ... rows - 1: pe_fill_f32 without a
 * plan, the same bits.
 *
 * out          rows * d_model floats; row r begins at out + r * d_model
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if d_model is 0; PE_ERR_SIZE; PE_ERR_RANGE
 * Accuracy     correctly rounded (tests/unit/rows/test_exact.c, tests/unit/rows/test_splits.c)
 * Threads      any */
PE_API pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model);

/* Fill rows of sines and of cosines of the given frequencies, without a plan:
 *
 *     sines[r * stride + i]   = amplitude sin(p_r omega[i])
 *     cosines[r * stride + i] = amplitude cos(p_r omega[i])
 *
 * These are the bits of pe_fill_T with a plan of pe_plan_init_frequencies(). A single row takes 12
 * to 25 % longer than with a plan that is kept, because its frequencies are converted to half-turns
 * first (bench/paired.sh, "one row"). Many rows are also faster with a plan.
 *
 * omega        pairs frequencies in radians per position, taken as the exact values of doubles:
 *              each 0, or within 2^-900 ... 2^21 in magnitude
 * amplitude    factor on every element, also if the positions are from pe_delta(); 2^-1000 ...
 *              2^1000 in magnitude
 * positions    where the rows are, one coordinate; every position p_r within -2^31 ... 2^31
 * sines        rows * stride elements (the last row needs only pairs); aligned as its type
 * cosines      as sines
 * stride       elements from row to row in both, >= pairs; elements between rows are not touched
 *
 * Returns      PE_OK, also if pairs is 0; PE_ERR_NULL; PE_ERR_AMPLITUDE; PE_ERR_FREQUENCY;
 *              PE_ERR_SHAPE; PE_ERR_ALIGNMENT if the distance of the two arrays in bytes is no
 *              multiple of an element; PE_ERR_SIZE; PE_ERR_RANGE and PE_ERR_AT..., see section 4
 * Accuracy     as pe_fill_T, for these very frequencies (tests/unit/sincos/test_theorem.c)
 * Aliasing     sines and cosines may not overlap each other, omega or the positions; their rows may
 *              alternate: cosines = sines + pairs, stride = 2 pairs
 * Threads      any */
PE_API pe_status pe_sincos_f32(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, float *sines, float *cosines, size_t stride);
PE_API pe_status pe_sincos_f64(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, double *sines, double *cosines, size_t stride);
PE_API pe_status pe_sincos_f16(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, uint16_t *sines, uint16_t *cosines, size_t stride);
PE_API pe_status pe_sincos_bf16(const double *omega, size_t pairs, double amplitude,
                                pe_at positions, size_t rows, uint16_t *sines, uint16_t *cosines,
                                size_t stride);

/* ==== src/rope/contract_config.h ==== */
/* This contract declares a model's RoPE config, its frequencies and its plan, and the factors that
 * depend on the position. Tested by tests/unit/rope/test_rope_frequencies.c. */

/* ---- 7. RoPE frequencies ------------------------------------------------------------------------
 * The frequencies w_i of rotary encodings are computed from the fields of a model's config.
 * pe_rope_plan_init() makes a plan of them. With n = rotary_dim (0: head_dim), B = rope_theta, f =
 * factor, L0 = original_max_position_embeddings and w_i = B^(-2i/n), they are
 *
 *     PE_ROPE_DEFAULT       w_i
 *     PE_ROPE_LINEAR        w_i / f                                     (position interpolation)
 *     PE_ROPE_NTK           w_i of B f^(n / (n-2)) instead of B         (NTK-aware)
 *     PE_ROPE_NTK_FIXED     w_i of B f instead of B, divided by f^(2/n)
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
 *     PE_ROPE_LONGROPE      long_mscale if sequence_length > L0, else short_mscale; if that is 0,
 *                           sqrt(1 + ln f / ln L0) for f > 1, and 1 for f <= 1
 *
 * A number in the config that is 0 is absent, unless the comment of its field gives 0 a meaning. If
 * original_max_position_embeddings is absent, L0 is max_position_embeddings. For DYNAMIC_NTK the
 * reverse holds: L0 is original_max_position_embeddings if max_position_embeddings is absent. If f
 * is absent, YARN and LONGROPE use max_position_embeddings / L0, and PROPORTIONAL uses 1. The page
 * docs/rope.md lists the keys of config.json and GGUF and the arguments of ggml, and the field for
 * each.
 */

/* How a model scales its frequencies. PE__ROPE_TYPES(X) lists every type and the names that config
   files have for it, by which pe_rope_type_named() finds it: at most 4 names of at most 23
   characters each. */
#define PE__ROPE_TYPES(X)                                                                          \
    X(PE_ROPE_DEFAULT, "default", "none", "mrope", "openpangu")                                    \
    X(PE_ROPE_LINEAR, "linear")                                                                    \
    X(PE_ROPE_NTK, "xdrope")                                                                       \
    X(PE_ROPE_NTK_FIXED, "ntk")                                                                    \
    X(PE_ROPE_DYNAMIC_NTK, "dynamic")                                                              \
    X(PE_ROPE_LLAMA3, "llama3")                                                                    \
    X(PE_ROPE_YARN, "yarn", "deepseek_yarn", "deepseek_llama_scaling", "telechat3-yarn")           \
    X(PE_ROPE_LONGROPE, "longrope", "su")                                                          \
    X(PE_ROPE_PROPORTIONAL, "proportional")

typedef enum pe_rope_type {
#define PE__ROPE_TYPE(type, ...) type,
    PE__ROPE_TYPES(PE__ROPE_TYPE) PE_ROPE_TYPE_COUNT
#undef PE__ROPE_TYPE
} pe_rope_type;

/* Which coordinate rotates which pairs of a head, if tokens have several. */
typedef enum pe_sections {
    PE_SECTIONS_BLOCKS = 0,  /* the first sections[0] pairs by coordinate 0, the next sections[1] by
                                coordinate 1 ...: Qwen2-VL's M-RoPE, mrope_section = [16, 24, 24] */
    PE_SECTIONS_INTERLEAVED, /* pair i by coordinate a = i mod axes if i < axes * sections[a], else
                                by coordinate 0: interleaved M-RoPE of Qwen3-VL, [24, 20, 20]. A
                                section may ask for more pairs than there are; sections[0] is
                                ignored, since coordinate 0 gets all other pairs                  */
    PE_SECTIONS_VISION       /* blocks of equal length, each with the frequencies of a head of
                                rotary_dim / axes: vision towers of Qwen2-VL, ggml VISION. With
                                LONGROPE each block uses the first rotary_dim / 2 / axes factors,
                                but all factors are checked; freq_factors continue from block to
                                block                                                             */
} pe_sections;

/* This config says how a model rotates its heads. Start from pe_rope_config_default() and change
   fields, because later versions may have more fields. A number of 0 means absent, unless the field
   says otherwise. Other doubles must be within 2^-128 ... 2^128, or the range beside the field,
   also in fields that the type does not use. Formulas and letters are those above. */
typedef struct pe_rope_config {
    size_t head_dim;                         /* elements of a head, at least 2                   */
    size_t rotary_dim;                       /* elements rotated: even, 2 ... head_dim; 0: all  */
    double rope_theta;                       /* the base B, 1 ... 2^128; YARN: more than 1       */
    pe_rope_type rope_type;                  /* what is done to the frequencies                  */
    double factor;                           /* f: supported length over trained length          */
    size_t original_max_position_embeddings; /* trained length in tokens; at most 2^53           */
    size_t max_position_embeddings;          /* supported length in tokens; at most 2^53         */
    size_t sequence_length;                  /* DYNAMIC_NTK, LONGROPE: tokens of the sequence that
                                                is encoded; at most 2^53                         */
    double low_freq_factor;                  /* LLAMA3: l, in full rotations over L0; above 0    */
    double high_freq_factor;                 /* LLAMA3: h, in full rotations over L0; at least l */
    double beta_fast;                        /* YARN, in full rotations over L0; 0: 32           */
    double beta_slow;                        /* YARN, in full rotations over L0; 0: 1. May exceed
                                                beta_fast only with a rope_theta of at least 2   */
    double extrapolation_factor;             /* YARN: e, at most 1; 0 is a value here, not
                                                "absent"                                         */
    int truncate;                            /* YARN: 0 leaves out the floor and the ceil        */
    double mscale;                           /* YARN's attention factor: not used unless
                                                mscale_all_dim is also given                     */
    double mscale_all_dim;                   /* YARN's attention factor: not used unless mscale is
                                                also given                                       */
    double attention_factor;                 /* instead of the rule of the type; 0 means absent,
                                                also where Hugging Face takes 0.0 as a value     */
    double short_mscale;                     /* LONGROPE's attention factor unless
                                                sequence_length > L0                             */
    double long_mscale;                      /* LONGROPE's attention factor if
                                                sequence_length > L0                             */
    const double *short_factor;              /* LONGROPE: rotary_dim/2 numbers; may be NULL if
                                                sequence_length > L0                             */
    const double *long_factor;               /* LONGROPE: rotary_dim/2 numbers; may be NULL unless
                                                sequence_length > L0                             */
    const float *freq_factors;               /* the divisor of each pair's frequency, or NULL    */
    pe_layout layout;                        /* which elements are a pair; halves by default     */
    int rope_interleave;                     /* 1: pairs are read adjacent and written as halves:
                                                DeepSeek-V3, GLM-4.7-Flash, LongCat. rotary_dim at
                                                most 512; layout PE_LAYOUT_HALVES                */
    size_t axes;                             /* coordinates of a token, 1 ... PE_MAX_AXES: 3 for
                                                (t, y, x)                                        */
    size_t sections[PE_MAX_AXES];            /* number of pairs of each coordinate; they sum to
                                                all pairs, unless interleaved. Ignored if axes is
                                                1 and coordinate is NULL                         */
    pe_sections section_order;               /* which pairs belong to which coordinate           */
    double offset;                           /* added to every position, as in pe_config         */
    pe_angle angle;                          /* exact, or as float32 code has it                 */
    size_t expected_rows;                    /* as in pe_config: 1 for a plan used for one token */
    size_t rotary_offset;                    /* elements of a head before those that rotate: ggml's
                                                n_offs. Its sum with rotary_dim must be at most
                                                head_dim                                         */
    const uint8_t *coordinate;               /* NULL, or which coordinate rotates each pair: below
                                                axes, or 255 for a pair that does not rotate.
                                                Replaces sections, which must be 0, and
                                                section_order                                    */
    size_t short_factor_length;              /* length of short_factor, checked to be rotary_dim / 2
                                                before the list is read. 0: not given, the list has
                                                that length. Must be 0 if short_factor is NULL   */
    size_t long_factor_length;               /* length of long_factor, by the same rules         */
    size_t freq_factors_length;              /* length of freq_factors, the number of pairs, by the
                                                same rules                                       */
    size_t coordinate_length;                /* length of coordinate, the number of pairs, by the
                                                same rules                                       */
} pe_rope_config;

/* Make the config of the RoFormer paper, with pairs that are halves: rotary_dim 0, so the whole
   head rotates, also if head_dim is changed later; rope_theta 10000, PE_ROPE_DEFAULT, one axis.
   Other fields are absent, or as in the papers of their types: low_freq_factor 1 and
   high_freq_factor 4, beta_fast 32 and beta_slow 1, extrapolation_factor 1, truncate 1. Nothing is
   checked here. Threads: any. */
PE_API pe_rope_config pe_rope_config_default(size_t head_dim);

/* Find the type that a config file names, by the names in the list of pe_rope_type. "ntk" is meant
 * as vLLM and the GTE models mean it. A name alone does not tell two cases apart: "dynamic" with a
 * key alpha is PE_ROPE_NTK, and "ntk" with a key mixed_b is none of these types.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_NAME for another name: then *type is unchanged
 * Accuracy     case-sensitive (tests/unit/rope/test_rope_frequencies.c)
 * Aliasing     type may not overlap name
 * Threads      any */
PE_API pe_status pe_rope_type_named(const char *name, pe_rope_type *type);

/* Say what is wrong with a config: constant English text that names the field and its range, or
   NULL if nothing is. Threads: any. */
PE_API const char *pe_rope_config_error(const pe_rope_config *config);

/* Compute the frequencies and the attention factor of a config by the formulas above.
 *
 * config            lists that it points to are only read
 * omega             one double per pair: rotary_dim / 2, with PE_ROPE_PROPORTIONAL head_dim / 2
 * attention_factor  one double, or NULL
 *
 * Returns      PE_OK; PE_ERR_NULL if config or omega is NULL; PE_ERR_CONFIG: pe_rope_config_error()
 *              says why. On an error nothing is written.
 * Accuracy     omega and attention_factor are the formula for the exact values of the numbers in
 *              config, both correctly rounded (tests/unit/rope/test_rope_frequencies.c,
 *              tests/checks/levels.sh).
 *              A number in a formula, such as 0.1, is that decimal; steps and branches (floor,
 *              ceil, the waves of LLAMA3) are also decided by exact values. The bits
 *              are the same everywhere.
 * Aliasing     omega and attention_factor may not overlap what is read or each other
 * Threads      any; 64 pairs take 0.2 to 0.5 us with AVX-512
 * See          Su et al. 2021 (RoFormer); Chen et al. 2023 (linear); Peng et al. 2023 (YaRN);
 *              Ding et al. 2024 (LongRoPE); modeling_rope_utils.py; ggml_rope_ext() */
PE_API pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                     double *attention_factor);

/* These constants say how a factor on queries grows with their position p. The other letters are
   parameters of pe_rope_query_scale_f32(). */
typedef enum pe_query_scale {
    PE_QUERY_SCALE_FLOOR = 0, /* 1 + beta ln(1 + floor((p + shift) / period)): Llama 4,
                                 Ministral 3                                            */
    PE_QUERY_SCALE_LOG        /* max(1, 1 + beta ln((p + shift) / period)): Qwen 1, Grok-2 */
} pe_query_scale;

/* Compute the factors of queries that depend on their position p, one float per row, by the formula
 * of kind. Multiply the rows of queries by them.
 *
 *     Llama 4      FLOOR  attn_scale, floor_scale, shift 1
 *     Ministral 3  FLOOR  llama_4_scaling_beta, original_max_position_embeddings, shift 0
 *     Qwen 1       LOG    logn: 1 / ln(seq_length), seq_length, shift 1
 *     Grok-2       LOG    1 / ln(attn_temperature_len), attn_temperature_len, shift 0
 *
 * beta         finite, at most 2^100 in magnitude; of LOG at least 0
 * period       1 ... 2^53
 * shift        -2^31 ... 2^31; added in double to the position, also to an integer
 * positions    of `rows` rows, one coordinate each; position + shift must be within 0 ... 2^31
 * factors      rows floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for another kind; PE_ERR_QUERY_SCALE for a beta,
 *              period or shift out of these bounds, or a negative sum; PE_ERR_SIZE; PE_ERR_RANGE
 *              for a position or sum beyond 2^31 in magnitude; PE_ERR_AT..., see section 4. On an
 *              error nothing is written.
 * Accuracy     correctly rounded for the sum p + shift in double (tests/unit/plan/test_models.c)
 * Aliasing     factors may not overlap the positions
 * Threads      any */
PE_API pe_status pe_rope_query_scale_f32(pe_query_scale kind, double beta, size_t period,
                                         double shift, pe_at positions, size_t rows,
                                         float *factors);

/* Compute the factors of xPos on sines and cosines, one float per pair:
 *
 *     factors[r * stride + i] = ((2i + 0.4 n) / 1.4 n)^(p / scale_base)     n = 2 pairs
 *
 * for queries, where p is the position of row r; for keys use pe_back(positions). Multiply the
 * sines and cosines of a pe_rope_table_f32() by them, and rotate by that table:
 * pe_rope_by_table_T().
 *
 * pairs        half of the rotary dim, 1 ... 2^28
 * scale_base   512 in torchscale; 2^-30 ... 2^100. |p| must be at most the double 60 scale_base
 * positions    of `rows` rows, one coordinate each
 * factors      rows of stride floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if pairs is 0; PE_ERR_SHAPE for a stride below
 *              pairs; PE_ERR_SIZE; PE_ERR_XPOS for a scale_base or a position out of these bounds;
 *              PE_ERR_RANGE and PE_ERR_AT..., see section 4
 * Accuracy     correctly rounded (tests/unit/plan/test_models.c)
 * Aliasing     factors may not overlap the positions
 * Threads      any
 * See          Sun et al. 2022, "A Length-Extrapolatable Transformer" */
PE_API pe_status pe_rope_xpos_f32(size_t pairs, double scale_base, pe_at positions, size_t rows,
                                  float *factors, size_t stride);

/* Tell how many bytes of memory the plan of a RoPE config needs, as pe_plan_size(), or 0 if the
   config has an error. Threads: any. */
PE_API size_t pe_rope_plan_size(const pe_rope_config *config);

/* Make a plan for RoPE: that of pe_plan_init_frequencies() with the frequencies of
 * pe_rope_frequencies(). Its amplitude is the attention factor, its d_model twice the pairs.
 *
 * memory       as in pe_plan_init(), at least pe_rope_plan_size(config) bytes
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG: pe_rope_config_error() says why, or NULL if only
 *              the plan would be larger than the address space; PE_ERR_FACTOR if the factors make a
 *              frequency of more than 2^21; PE_ERR_MEMORY. On an error the memory is not touched
 *              and the plan becomes all zeros.
 * Accuracy     frequencies as pe_rope_frequencies, then exact (tests/unit/rope/test_rope_plan.c)
 * Aliasing     plan, config, its lists and memory may not overlap
 * Threads      as pe_plan_init */
PE_API pe_status pe_rope_plan_init(pe_plan *plan, const pe_rope_config *config, void *memory,
                                   size_t memory_size);

/* ==== src/rope/contract.h ==== */
/* This contract declares the rotation of heads, tables of sines and cosines, and the frequencies
 * and angles of ggml. Tests: tests/unit/rope/test_rope_rotate.c, tests/unit/plan/test_models.c. */

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

/* ==== src/algebra/contract.h ==== */
/* The public contract of the functions that shift rows by a number of positions, and of those that
 * compute dot products of rows. Tested by tests/unit/algebra/test_algebra.c. */

/* ---- 9. algebra of positions --------------------------------------------------------------------
 * A shift by k positions rotates each pair (s, c), with frequency w_i, by the angle k w_i, whatever
 * its position is:
 *
 *     s' = s cos(k w_i) + c sin(k w_i)
 *     c' = c cos(k w_i) - s sin(k w_i)
 *
 * So PE(p + k) is a linear function of PE(p), and <PE(p), PE(p + k)> = A^2 sum_i cos(k w_i) depends
 * only on k. The number k is a difference, so the plan's offset and padding position do not matter.
 * The plan's amplitude A matters only in dot products. A shift by a and then by b is a shift by
 * a + b. So add the numbers and shift once; shifting twice rounds twice.
 *
 * Plans whose rows have other columns or angles are refused with PE_ERR_PLAN_SHIFT: an odd width
 * with PE_ODD_SINE, whose last column has no partner; PE_ANGLE_FLOAT32, whose rounded angles do not
 * add up; interleaved sections and lists of coordinates, which are for RoPE alone: move RoPE's keys
 * by pe_rope_T(plan, pe_delta(deltas), ...); PE_COLUMNS_FREQUENCIES, PE_COLUMNS_SUMS and
 * rope_interleave. Columns of zeros stay as they are. */

/* Shift rows by deltas, in place: rows of PE, or any rows with pairs in the plan's layout.
 * pe_all(k) shifts all rows by k.
 *
 * deltas       within -2^31 ... 2^31, with one coordinate or as many as the plan has; a row whose
 *              delta is 0 keeps every bit
 * x            rows * stride elements, as in pe_fill_T
 * stride       elements from row to row, >= d_model; elements between rows are not touched
 *
 * To get the matrix M of the shift, PE(p + k) = M PE(p), shift the rows of the identity by
 * pe_all(-k). M has cos(k w_i) on the diagonal. It has sin(k w_i) and -sin(k w_i) where the row of
 * one element of pair i meets the column of the other.
 *
 * Returns      as pe_fill_T, but never PE_ERR_PLAN_ROWS; PE_ERR_PLAN_SHIFT, see above. On an error
 *              nothing is written.
 * Accuracy     S = sin(k w_i) and C = cos(k w_i) are correctly rounded floats (f64: doubles). The
 *              two products and their sum are each rounded; nothing is fused:
 *                  s' = float(float(s C) + float(c S))      c' = float(float(c C) - float(s S))
 *              f16 and bf16 are widened to float, rotated, and rounded once. Without overflow an
 *              element of f32 is within 2^-24 (2 |s C| + 2 |c S| + |s'|) of the exact one, at most
 *              3 * 2^-24 hypot(s, c), and a row of PE within 4 * 2^-24 |A| of the exact row
 *              (tests/unit/algebra/test_algebra.c)
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
 * of deltas. Consecutive differences, as of pe_from(), take no longer than filling as many rows of
 * f32. For k = 0 the dot product is the square of a row's length, A^2 h, with h = plan->pairs.
 *
 * deltas       within -2^31 ... 2^31, with one coordinate
 * count        number of differences; 0 does nothing
 * dots         count doubles
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_PLAN_SHIFT, see above, and for several axes;
 *              PE_ERR_SIZE; PE_ERR_RANGE and PE_ERR_AT..., see section 4
 * Accuracy     within 0.501 ulp of A^2 times the exact sum of exact cosines; within 1 ulp if the
 *              result is subnormal; overflow to infinity. Where the cosines cancel to less than
 *              2^-40 A^2 h, the error is still below 2^-92 A^2 h, and a sum below 2^-88 A^2 h
 *              becomes 0 (tests/unit/algebra/test_algebra.c)
 * Aliasing     dots may not overlap deltas, the plan or its memory
 * Threads      any number on one plan */
PE_API pe_status pe_dot_f64(const pe_plan *plan, pe_at deltas, size_t count, double *dots);

/* ==== src/scores/contract_alibi.h ==== */
/* Contract: ALiBi's slopes and biases. Tested by tests/unit/scores/test_alibi.c. */

/* ---- 10. ALiBi: a penalty on attention scores that grows with the distance ------------------- */

/* These modes define the bias of a key, with d = query position - key position. A key is after the
   query if d < 0. */
typedef enum pe_alibi_mode {
    PE_ALIBI_LINEAR,   /* -slope d, also for keys after the query, which the caller masks         */
    PE_ALIBI_CAUSAL,   /* -slope d, and -infinity for keys after the query                        */
    PE_ALIBI_SYMMETRIC /* -slope |d|: encoders                                                    */
} pe_alibi_mode;

/* Make the slopes of all heads. Let n be the largest power of two that is at most heads:
 *
 *     slopes[h] = 2^(-max_bias (h + 1) / n)                   h < n
 *     slopes[h] = 2^(-max_bias (2 (h - n) + 1) / (2n))        n <= h < heads
 *
 * heads        at most 2^28; with 0, the call does nothing and returns PE_OK
 * max_bias     8 in the paper: slopes[n - 1] is 2^-8; finite, >= 0
 * slopes       heads floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SLOPE for another max_bias; PE_ERR_SIZE
 * Accuracy     correctly rounded, subnormals included (tests/unit/scores/test_alibi.c)
 * Threads      any
 * See          Press et al. 2021; get_slopes() there, build_alibi_tensor() in Hugging Face's BLOOM,
 *              max_bias of ggml_soft_max_ext() */
PE_API pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes);

/* Fill an array with the biases of all keys, for all heads and queries:
 *
 *     bias[h * head_stride + q * query_stride + k] = bias of slopes[h] and
 *                                                    d = position of query q - position of key k
 *
 * slopes       heads floats, finite, of either sign
 * query_at     positions of the queries: a range or a list of integers, also with pe_skip() and
 *              pe_back(). If a cache has n keys already, pass pe_from(n)
 * key_at       positions of the keys, also a range or a list of integers: pe_from(0), or the list
 *              of a cache whose cells are in any order. An ascending range is the fastest
 * heads, queries, keys    if one of them is 0, the call does nothing and returns PE_OK
 * bias         aligned as its type; elements between rows are not touched
 * query_stride elements from one query's row to the next, >= keys; ignored for one query
 * head_stride  elements from head to head, >= (queries - 1) * query_stride + keys; or, for
 *              [queries, heads, keys], >= keys with query_stride >= (heads - 1) * head_stride +
 *              keys. Ignored for one head
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for an unknown mode; PE_ERR_SHAPE if rows would
 *              overlap; PE_ERR_SIZE; PE_ERR_AT_KIND for lists of reals, points and grids;
 *              PE_ERR_RANGE and PE_ERR_AT..., see section 4; PE_ERR_SLOPE for a slope that is not
 *              finite. On an error nothing is written.
 * Accuracy     the exact product, rounded once to the output's type; 0 is +0, but a negative
 *              product too small for f16 or bf16 becomes -0 (tests/unit/scores/test_alibi.c)
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

/* Add the bias to attention scores in place. The bias is rounded to f32, then added in f32. 16-bit
 * scores are widened first, and the sum is rounded once more, to their type. In PE_ALIBI_CAUSAL the
 * scores of keys after the query become -infinity, whatever they were, NaN included.
 *
 *     scores[h * head_stride + q * query_stride + k] += bias
 *
 * The parameters are those of pe_alibi_fill_f32.
 *
 * Returns      as pe_alibi_fill_f32
 * Accuracy     f32: two roundings, of the bias and of the sum; f16, bf16: one more, to the type
 *              (tests/unit/scores/test_alibi.c)
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

/* ==== src/scores/contract_bias.h ==== */
/* This contract declares T5's buckets, and the addition of learned biases that an index selects.
 * Tested by tests/unit/learned/test_learned.c. */

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* Compute T5's buckets of the distances d = key position - query position. Let n be buckets, or
 * buckets / 2 if bidirectional is 1, and m = floor(n / 2). The bucket of a key at |d| is
 *
 *     |d|                                                                for |d| < m
 *     m + floor((n - m) ln(|d| / m) / ln(max_distance / m)), at most n - 1     for |d| >= m
 *
 * For keys after the query (d > 0), n is added to the bucket if bidirectional is 1. If it is 0,
 * they are in bucket 0 instead.
 *
 * buckets        relative_attention_num_buckets, 32 in T5: 2 ... 1024; if bidirectional is 1, at
 *                least 4 and even
 * max_distance   relative_attention_max_distance, 128 in T5: an integer above m, at most 2^31
 * bidirectional  1: encoders, 0: decoders
 * query_at, key_at   as in pe_alibi_fill_T: pe_from(first query) and pe_from(0) without a cache
 * index          shape [queries][keys], packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_BUCKETS for buckets or a max_distance out of range;
 *              PE_ERR_SIZE; PE_ERR_AT_KIND, PE_ERR_RANGE and PE_ERR_AT... as pe_alibi_fill_f32. On
 *              an error nothing is written.
 * Accuracy     the floor is taken of the exact number (tests/unit/plan/test_models.c)
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
 * index        queries * keys numbers 0 ... entries - 1: from pe_bias_t5_i32(), or
 *              relative_position_index of Swin and BEiT; all are checked before anything is written
 * heads, queries, keys, scores, query_stride, head_stride    as in pe_alibi_add_T
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_SHAPE if rows would overlap; PE_ERR_SIZE; PE_ERR_INDEX
 *              for an index that is no entry
 * Accuracy     one add in f32; 16-bit scores are widened, and the sum is rounded once
 *              (tests/unit/plan/test_models.c)
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
/* This contract declares addition, gradient and resampling of learned tables. Tested by
 * tests/unit/learned/test_learned.c and tests/unit/plan/test_models.c. */

/* ---- 12. learned tables ---------------------------------------------------------------------- */

/* Add rows of a learned table to activations in place: with p the position of row r,
 *
 *     x[r * stride + c] += table[p * d_model + c]
 *
 * table        table_rows * d_model elements, packed
 * table_rows   number of rows of the table
 * d_model      elements of a row, at least 1
 * positions    of the `rows` rows of x, one coordinate each: integers 0 ... table_rows - 1, which
 *              may also be given as reals, in any order and repeatedly. All are checked before
 *              anything is written, none is clamped
 * rows         number of rows of x; with 0, the call does nothing and returns PE_OK
 * x            rows * stride elements (the last row needs only d_model); aligned as its type
 * stride       elements from row to row, >= d_model; elements between rows are not touched
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if d_model is 0; PE_ERR_SHAPE; PE_ERR_SIZE;
 *              PE_ERR_RANGE for a position that is no row of the table; PE_ERR_AT..., see
 *              section 4
 * Accuracy     each sum is rounded once: 16-bit numbers are added in f32, which has enough bits to
 *              make the second rounding harmless (tests/unit/learned/test_learned.c)
 * Aliasing     x may not overlap the table or the positions
 * Threads      any number, each with its own rows of x
 * See          Gehring et al. 2017, section 3.1; wpe in GPT-2, embed_positions in BERT and OPT */
PE_API pe_status pe_learned_add_f32(const float *table, size_t table_rows, size_t d_model,
                                    pe_at positions, size_t rows, float *x, size_t stride);
PE_API pe_status pe_learned_add_f16(const uint16_t *table, size_t table_rows, size_t d_model,
                                    pe_at positions, size_t rows, uint16_t *x, size_t stride);
PE_API pe_status pe_learned_add_bf16(const uint16_t *table, size_t table_rows, size_t d_model,
                                     pe_at positions, size_t rows, uint16_t *x, size_t stride);

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
 * The other parameters are those of pe_learned_add_f32.
 *
 * Returns      as pe_learned_add_f32; on an error nothing is written
 * Accuracy     each addition is rounded once (tests/unit/learned/test_learned.c)
 * Aliasing     grad_table may not overlap grad_x or the positions
 * Threads      any, but only one at a time for each grad_table */
PE_API pe_status pe_learned_grad_f32(float *grad_table, size_t table_rows, size_t d_model,
                                     pe_at positions, size_t rows, const float *grad_x,
                                     size_t stride);

typedef enum pe_resample_method { PE_RESAMPLE_CUBIC = 0, PE_RESAMPLE_LINEAR } pe_resample_method;

/* This struct says how to resample a table. Set all fields to zero, then change fields, because
   later versions may have more fields. */
typedef struct pe_resample {
    pe_resample_method method;
    double a;          /* cubic: the slope of the filter at distance 1, -16 ... 16. It is -0.75 in
                          torch. With -0.5 (Catmull-Rom) straight lines stay straight. 0 means the
                          slope 0, not a default. Linear: ignored                                */
    int align_corners; /* 1: the first and last output rows are the first and last rows of the
                          table; 0: the outer edges of the two grids coincide                    */
    int antialias;     /* 1: where there are fewer output rows, the filter is wider by the ratio of
                          rows to output rows, and its weights are divided by their sum, as with
                          torch's antialias (whose a is -0.5). Refused with align_corners        */
    double scale_y;    /* output rows per row of the table, 2^-20 ... 2^20, as torch's scale_factor
                          or DINOv2's (h + 0.1) / height; 0: out_height / height. Has no effect
                          with align_corners                                                     */
    double scale_x;    /* output columns per column of the table, as scale_y is for rows          */
} pe_resample;

/* Resample a learned table of a grid, [height, width, d_model], to [out_height, out_width,
 * d_model]; a table of rows is a grid of width 1. Along each axis:
 *
 *     out[i] = sum over k of w_k table[n + k]         n = floor(s), t = s - n; rows beyond an end
 *                                                     of the table are the row at that end
 *     s = i (rows - 1) / (out_rows - 1)               align_corners; 0 where out_rows = 1
 *     s = (i + 1/2) rows / out_rows - 1/2             otherwise
 *     w_0 = 1 - t, w_1 = t                            linear
 *     w_-1 = a t (1-t)^2, w_0 = (1-t) (1 + t - (a+2) t^2), and w_2, w_1 with 1 - t for t   cubic
 *
 * Here s is where output row i is among the `rows` rows of the table along the axis. If a scale is
 * given, 1 / scale replaces rows / out_rows. The weight of a cell is the product of its weights
 * along the two axes. A row with weight 0 does not count, even if it holds infinities.
 *
 * With antialias, let r be the larger of rows / out_rows and 1, at most 256. The formulas of w_k
 * above are a filter: the weight of a row at distance n + k - s. Now w_k is the filter at (n + k -
 * s) / r, for the rows that the table has, and the weights are divided by their sum. If that sum is
 * 0, as beyond the end, or at most 2^-44 of the sum of their magnitudes, the row nearest to s is
 * copied.
 *
 * table        height * width * d_model floats, packed, without tokens before the positions (CLS)
 * height, width          1 ... 2^31 each
 * out_height, out_width  at most 2^31; if one is 0, the call does nothing and returns PE_OK
 * d_model      at least 1
 * how          NULL: cubic, a = -0.75, align_corners = 0, as in vision models
 * out          out_height * out_width * d_model floats, packed
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if d_model, height or width is 0; PE_ERR_ENUM for
 *              another method; PE_ERR_RESAMPLE for an a (cubic) or a scale out of range, or for
 *              antialias with r above 256 or with align_corners; PE_ERR_SIZE
 * Accuracy     n is exact. Everything else is double, rounded once at the end: the error is at most
 *              0.5 ulp plus 2^-49 of the sum of |w_k table[n + k]|, 2^-47 for an a above -1/2
 *              (tests/unit/learned/test_learned.c). With antialias it is 0.5 ulp plus
 *              (m + 40) 2^-52 of that sum, where m is the number of rows in reach of a cell (up to
 *              200 rows: 2^-44), times the sum of the weights' magnitudes over the sum of the
 *              weights: at most 1.6 for an a within -1 ... 0 (tests/unit/plan/test_models.c). With
 *              a scale, s and the distances are also rounded to double: a row at distance 1 may get
 *              a small weight. If s is an integer, as for out_rows = rows, and antialias does not
 *              widen the filter, the row is copied
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

/* ==== src/api/status.h ==== */
/* Defines the functions that return a status text, the version and the instruction set. Tested by
 * tests/unit/selftest/test_selftest.c and tests/unit/api/test_errors.c. */

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

/* ==== src/numbers/sizes.h ==== */
/* Computes sizes of arrays without overflow, and checks them. Tested by
 * tests/unit/api/test_errors.c and tests/unit/calls/test_memory.c. */

/* Returns how many elements of `element` bytes (1, 2, 4 or 8) fit into PTRDIFF_MAX bytes, the
   maximum that a pointer can span. The divisors are constants, so no division is executed. */
PE__INLINE size_t pe__max_elements(size_t element)
{
    const size_t bytes = (size_t)PTRDIFF_MAX;
    return element == 1 ? bytes : element == 2 ? bytes / 2 : element == 4 ? bytes / 4 : bytes / 8;
}

/* Returns whether a b > limit, without overflow. Divides only if a or b needs more than half the
   bits of size_t. */
PE__INLINE int pe__exceeds(size_t a, size_t b, size_t limit)
{
    const int half = (int)sizeof(size_t) * 4;
    if (((a | b) >> half) == 0) return a * b > limit;
    return b != 0 && a > limit / b;
}

/* Returns a * b, or SIZE_MAX if the product is larger. */
PE__INLINE size_t pe__saturating_mul(size_t a, size_t b)
{
    return pe__exceeds(a, b, SIZE_MAX - 1) ? SIZE_MAX : a * b;
}

/* Checks the shape of an array of `rows` rows, each `stride` elements of `element` bytes after the
   one before. Returns PE_ERR_SHAPE if the stride is less than d_model, PE_ERR_SIZE if a pointer
   cannot span the array, else PE_OK. */
static inline pe_status pe__check_shape(size_t d_model, size_t rows, size_t stride, size_t element)
{
    if (stride < d_model) return PE_ERR_SHAPE;
    if (pe__exceeds(stride, rows, pe__max_elements(element))) return PE_ERR_SIZE;
    return PE_OK;
}

/* ==== src/numbers/compare.h ==== */
/* Comparisons of numbers that a caller gave, which may be NaNs. Tested by
 * tests/unit/api/test_errors.c. */

/* Under -ffinite-math-only, clang assumes that there are no NaNs. It may then decide that a NaN
   equals 0, or that a NaN is within any limits, and pe's pragmas do not change that. So these
   functions look at the bits of the double, and their callers do not take fabs() first. `tests/run
   fast` shows that clang keeps the tests. */

/* Returns the bits of |x|. They are in the order of |x|, with NaNs above infinity. */
PE__INLINE uint64_t pe__magnitude_bits(double x) { return pe__double_bits(x) & INT64_MAX; }
PE__INLINE int pe__is_nan(double x) { return pe__magnitude_bits(x) > UINT64_C(0x7ff0000000000000); }
PE__INLINE int pe__is_zero(double x) { return pe__magnitude_bits(x) == 0; }

/* Returns whether low <= |x| <= high, for 0 <= low <= high. Returns 0 if x is a NaN. */
PE__INLINE int pe__magnitude_between(double x, double low, double high)
{
    const uint64_t bits = pe__magnitude_bits(x);
    return bits >= pe__magnitude_bits(low) && bits <= pe__magnitude_bits(high);
}

/* Returns whether low <= x <= high. Returns 0 if x is a NaN. */
PE__INLINE int pe__between(double x, double low, double high)
{
    return !pe__is_nan(x) && x >= low && x <= high;
}

/* ==== src/positions/read.h ==== */
/* Returns the positions of a pe_at as doubles or integers, row by row or several rows at a time.
 * Tested by tests/unit/positions/test_at.c. */

/* ---- 4. where rows are ----------------------------------------------------------------------- */

typedef enum pe__at_kind {
    PE__AT_RANGE = 1, /* not 0, so that a pe_at of all zeros is refused */
    PE__AT_I32,
    PE__AT_I64,
    PE__AT_F32,
    PE__AT_F64,
    PE__AT_GRID
} pe__at_kind;

/* Returns the number of consecutive cells of a grid that have the same value of coordinate `axis`.
   It is the product of the sizes of all later axes, or SIZE_MAX if the product is larger. */
PE__INLINE size_t pe__grid_cells(const pe_at *positions, size_t axis)
{
    size_t cells = 1;
    for (size_t a = axis + 1; a < positions->axes; a++)
        cells = pe__saturating_mul(cells, positions->size[a]);
    return cells;
}

/* Code that reads many positions calls pe__positions() for at most this many rows at a time, so
   that their doubles fit into a small array on the stack. */
enum { PE__POSITIONS = 32 };

/* Write coordinate `axis` of each of the rows [r, r + n) to p, with its sign reversed if
   positions->back is set (see pe_back()). Row 0 is the first one that pe_skip() has not skipped. */
PE__OUTLINE void pe__positions(const pe_at *positions, size_t r, size_t n, size_t axis, double *p)
{
    const size_t first =
        (positions->skipped + r) * positions->row_stride + axis * positions->axis_stride;
    const size_t step = positions->row_stride;
#define PE__READ_LIST(type)                                                                        \
    for (size_t k = 0; k < n; k++) {                                                               \
        double x = (double)((const type *)positions->list)[first + k * step];                      \
        PE__OPAQUE(x);                                                                             \
        p[k] = x;                                                                                  \
    }                                                                                              \
    break
    switch (positions->kind) {
    case PE__AT_I32: PE__READ_LIST(int32_t);
    case PE__AT_I64: PE__READ_LIST(int64_t);
    case PE__AT_F32: PE__READ_LIST(float);
    case PE__AT_F64: PE__READ_LIST(double);
#undef PE__READ_LIST
    case PE__AT_GRID:
        for (size_t k = 0; k < n; k++)
            p[k] = (double)((positions->skipped + r + k) / pe__grid_cells(positions, axis) %
                            positions->size[axis]);
        break;
    default:
        for (size_t k = 0; k < n; k++)
            p[k] = (double)(positions->first + (int64_t)(r + k) * positions->step);
        break;
    }
    for (size_t k = 0; positions->back && k < n; k++) p[k] = -p[k];
}
/* Returns coordinate `axis` of row r, with its sign reversed if positions->back is set. */
PE__INLINE double pe__position(const pe_at *positions, size_t r, size_t axis)
{
    double p = (double)(positions->first + (int64_t)r * positions->step);
    if (positions->kind == PE__AT_RANGE) return positions->back ? -p : p;
    pe__positions(positions, r, 1, axis, &p);
    return p;
}

/* Returns the position of row r of a pe_at that pe__check_integers() has accepted, with its sign
   reversed if positions->back is set. */
PE__INLINE int64_t pe__integer_position(const pe_at *positions, size_t r)
{
    if (positions->kind != (int)PE__AT_RANGE) return (int64_t)pe__position(positions, r, 0);
    const int64_t p = positions->first + (int64_t)r * positions->step;
    return positions->back ? -p : p;
}

/* Returns 1 if the positions are a range p, p + 1, p + 2 ... Returns 0 for all lists and grids,
   even if their positions are consecutive. */
PE__INLINE int pe__is_consecutive(const pe_at *positions)
{
    return positions->kind == (int)PE__AT_RANGE && positions->step == (positions->back ? -1 : 1);
}

/* ==== src/positions/check.h ==== */
/* Checks the pe_at of a call: its kind, the number of its coordinates, the size of its list or
 * grid, and that its positions are in range. Tested by tests/unit/positions/test_at.c and
 * tests/unit/api/test_errors.c. */

static const int64_t pe__position_limit = (int64_t)1 << 31;

/* Returns 1 if |p[k] + a| and |p[k] + b| are at most reach for the n doubles of p, else 0. A NaN
   gives 0. A learned table or a table for RoPE that has no rows gives a negative reach; then no
   position is valid. The bits are compared as integers, because clang may remove comparisons that
   only NaNs decide (numbers/compare.h). These integers lack the sign of reach, so the sign is
   tested first. */
PE__INLINE int pe__positions_ok(const double *p, size_t n, double a, double b, double reach)
{
    const uint64_t limit = pe__magnitude_bits(reach);
    int ok = reach >= 0;
    for (size_t k = 0; k < n; k++) {
        ok &= pe__magnitude_bits(p[k] + a) <= limit;
        ok &= pe__magnitude_bits(p[k] + b) <= limit;
    }
    return ok;
}

/* Returns 1 if the list has at most PTRDIFF_MAX bytes, from its start to the last element that a
   call of `rows` rows reads, else 0. The skipped rows are included. The caller has checked that
   rows and positions->axes are at least 1. */
static inline int pe__list_fits(const pe_at *positions, size_t rows)
{
    const size_t element = positions->kind == PE__AT_I32 || positions->kind == PE__AT_F32 ? 4 : 8;
    const size_t limit = pe__max_elements(element) - 1, axes = positions->axes - 1;
    if (rows - 1 > SIZE_MAX - positions->skipped ||
        pe__exceeds(axes, positions->axis_stride, limit))
        return 0;
    return !pe__exceeds(positions->skipped + (rows - 1), positions->row_stride,
                        limit - axes * positions->axis_stride);
}

/* Check the positions of a call of `rows` rows, at least 1. Return PE_OK or the error. Rows must
   have 1 or `axes` coordinates. For every coordinate p, |p + a| and |p + b| must be at most reach.
   This holds also for the cells of a grid that no row uses. */
static inline pe_status pe__check_positions(const pe_at *positions, size_t rows, size_t axes,
                                            double a, double b, double reach)
{
    double p[PE__POSITIONS];
    const double sign = positions->back ? -1 : 1;
    const int grid = positions->kind == PE__AT_GRID;
    int ok = 1;
    if (positions->kind < (int)PE__AT_RANGE || positions->kind > (int)PE__AT_GRID) return PE_ERR_AT;
    if (positions->status != PE_OK) return positions->status;
    if (positions->axes != 1 && positions->axes != axes) return PE_ERR_AT_AXES;
    if (positions->kind == PE__AT_RANGE) {
        /* Check the first and the last position. If both are in reach, all integers here are below
           2^53, so p[0] and p[1] are exact. */
        p[0] = (double)positions->first * sign;
        p[1] = p[0] + (double)(rows - 1) * (double)positions->step * sign;
        return pe__positions_ok(p, 2, a, b, reach) ? PE_OK : PE_ERR_RANGE;
    }
    if (grid) {
        const size_t cells = pe__saturating_mul(pe__grid_cells(positions, 0), positions->size[0]);
        if (cells == SIZE_MAX) return PE_ERR_AT_SIZE;
        if (positions->skipped > cells || rows > cells - positions->skipped) return PE_ERR_AT_ROWS;
    } else {
        if (!positions->list) return PE_ERR_AT_NULL;
        if (!pe__list_fits(positions, rows)) return PE_ERR_AT_SIZE;
    }
    for (size_t k = 0; k < positions->axes; k++) {
        p[0] = 0; /* a grid: p[0] and p[1] are the ends of coordinate k */
        p[1] = grid ? (double)(positions->size[k] - 1) * sign : 0;
        if (grid) ok &= pe__positions_ok(p, 2, a, b, reach);
        for (size_t r = 0, n; !grid && r < rows; r += n) {
            n = pe__min(rows - r, PE__POSITIONS);
            pe__positions(positions, r, n, k, p);
            ok &= pe__positions_ok(p, n, a, b, reach);
        }
    }
    return ok ? PE_OK : PE_ERR_RANGE;
}

/* Check positions as pe__check_positions() does, with pe's limits: |p| and |p + offset| must be at
   most pe__position_limit. If positions->back is set, the positions are read with their sign
   reversed, so the caller passes the offset with its sign reversed, as pe__view() returns it. */
static inline pe_status pe__check_at(const pe_at *positions, size_t rows, size_t axes,
                                     double offset)
{
    return pe__check_positions(positions, rows, axes, 0, offset, (double)pe__position_limit);
}

/* Check that positions are a range, or a list of integers of one coordinate, and within pe's
   limits. Callers compute differences of positions: those of integers are exact. Return PE_OK or
   the error. */
static inline pe_status pe__check_integers(const pe_at *positions, size_t rows)
{
    const int real = positions->kind > (int)PE__AT_I64 || positions->axes > 1;
    return real ? PE_ERR_AT_KIND : pe__check_at(positions, rows, 1, 0);
}

/* ==== src/positions/runs.h ==== */
/* pe__next_run() divides the rows of a call into runs, and returns one run per call. Tested by
 * tests/unit/positions/test_at.c and tests/unit/rows/test_splits.c. */

/* ---- 4.1 runs of positions ----------------------------------------------------------------------
 * A run consists of rows that are written in one way, for one coordinate of the positions. Its rows
 * are computed for consecutive positions, or for one position; or they are copies of earlier rows;
 * or it is a single row of zeros. The rows of a run are consecutive, except in a grid, where a run
 * of computed rows may take every n-th row (pe__run.every). */

typedef enum pe__run_kind {
    PE__RUN_COMPUTED, /* rows are computed from their positions */
    PE__RUN_COPIED,   /* rows are copied from earlier rows */
    PE__RUN_ZEROS     /* one row of zeros, at the padding position */
} pe__run_kind;

/* A run has `rows` rows: row, row + every, row + 2 * every and so on, all less than pe__runs.rows.
   `kind` says how they are written. */
typedef struct pe__run {
    pe__run_kind kind;
    size_t row, rows, every;
    /* `position` is the position of the first row, with the offset added. `step` is the difference
       of the positions of adjacent rows of the run: 1, -1 or 0. In a run of one row, which has no
       such difference, it may also be 2. Only runs of computed rows need these two fields. */
    double position, step;
    /* In a run of copies without `sources`, row number k of the run is a copy of row
       source + k * source_step. source_step is 0 or 1. */
    size_t source, source_step;
    /* If not NULL, row number k of the run is a copy of row sources[k]. NULL except in runs of
       copies that the row cache has found. */
    const uint32_t *sources;
} pe__run;

/* Lists of at least PE__CACHE_MIN_ROWS rows have a row cache, unless rows are added to the output
   or a uint32_t cannot number them. In shorter lists it saves no time. Each slot holds a position,
   with the offset added, and the index of the row that was last computed for it. When the position
   occurs again, that row is copied. Any 256 consecutive integers have different slots. Any 256
   consecutive multiples of 1/2, 1/4, ... or 2^-8 have at least 255 slots. */
enum { PE__CACHE_SLOTS = 256, PE__CACHE_MIN_ROWS = 128 };
typedef struct pe__row_cache {
    /* A computed row takes 1 away, and a row that is found in the cache adds 1, up to
       PE__CACHE_SLOTS. At 0 the cache is no longer used, because positions seldom recur. */
    size_t misses_left;
    uint64_t position[PE__CACHE_SLOTS]; /* the bits of a double; all set: the slot is empty */
    uint32_t row[PE__CACHE_SLOTS];      /* the row that was computed for position[slot] */
    uint32_t sources[PE__POSITIONS];    /* pe__run.sources of the last run that has them */
} pe__row_cache;

/* The state of pe__next_run(): the rows of a call, and which of them it has returned. */
typedef struct pe__runs {
    const pe_at *positions;
    const pe_plan *plan; /* has the offset and the padding position */
    /* The rows 0 ... rows - 1 are the rows first, first + 1 ... of `positions`. pe__next_run()
       continues at row `next`. */
    size_t first, rows, next;
    size_t coordinate; /* which coordinate of `positions` the rows encode */
    int copies;        /* 1: a row at the position of an earlier row is copied from that row */
    /* In a grid with copies = 1, the coordinate has the same value in `cells` consecutive rows,
       and `period` different values, after which the values recur. Elsewhere `cells` is 1 and
       `period` is SIZE_MAX. */
    size_t cells, period;
    /* In a grid with cells > 1, a run has already computed the first row of each value that begins
       before this row. 0 at the start. */
    size_t computed;
    double last; /* the position of row next - 1, with the offset added; 1e300 if there is none */
    pe__row_cache *cache; /* the row cache of a long list, or NULL */
    /* p holds the positions, without offset, of the rows [held, held + held_rows). Not used for
       ranges. */
    size_t held, held_rows;
    double p[PE__POSITIONS];
} pe__runs;

/* Returns the state before the first call of pe__next_run(). See pe__runs for the parameters. */
PE__INLINE pe__runs pe__runs_of(const pe_plan *plan, const pe_at *positions, size_t first,
                                size_t rows, size_t coordinate, int copies)
{
    const int grid = positions->kind == (int)PE__AT_GRID && copies;
    const size_t cells = grid ? pe__grid_cells(positions, coordinate) : 1;
    const size_t period = grid ? positions->size[coordinate] : SIZE_MAX;
    const pe__runs runs = {positions, plan, first, rows, 0, coordinate, copies, cells,
                           period,    0,    1e300, NULL, 0, 0,          {0}};
    return runs;
}

PE__INLINE int pe__is_padding(const pe_plan *plan, double p)
{
    return plan->has_padding && p == plan->padding;
}

/* Returns the position of row r, without offset. If p does not hold it, p is filled with the
   positions of row r and of up to PE__POSITIONS - 1 rows after it. */
PE__INLINE double pe__runs_position(pe__runs *x, size_t r)
{
    if (x->positions->kind == (int)PE__AT_RANGE) return pe__position(x->positions, x->first + r, 0);
    if (r - x->held >= x->held_rows) {
        x->held = r;
        x->held_rows = pe__min(x->rows - r, PE__POSITIONS);
        pe__positions(x->positions, x->first + r, x->held_rows, x->coordinate, x->p);
    }
    return x->p[r - x->held];
}

/* Returns how many rows, starting at row r with position p, are at p, p + step, p + 2 step and so
   on, and not at the padding position. For a range, `step` must be the difference of its positions.
   If step is 1 or -1, t is a multiple of 2^-20 (pe__run_step()), so t + n step is exact. */
PE__INLINE size_t pe__run_length(pe__runs *x, size_t r, double p, double step)
{
    const size_t remaining = x->rows - r;
    const double t = p + x->plan->offset;
    size_t n = 1;
    if (x->positions->kind ==
        (int)PE__AT_RANGE) { /* all remaining rows, or those before the padding position */
        const double before = x->plan->has_padding ? (x->plan->padding - p) * step : 0;
        return before > 0 && before < (double)remaining ? (size_t)before : remaining;
    }
    for (; n < remaining; n++) {
        const double q = pe__runs_position(x, r + n);
        if (q + x->plan->offset != t + (double)n * step || pe__is_padding(x->plan, q)) break;
    }
    return n;
}

/* Returns the step of the run that begins at row r, at position p. The step is 1 or -1 if row r + 1
   is at the next or the previous position and t = p + offset is a multiple of 2^-20. It is 0 if row
   r + 1 is at the same position and rows are not copied. Otherwise it is 2, and the run has only
   row r. */
PE__INLINE double pe__run_step(pe__runs *x, size_t r, double p)
{
    const double t = p + x->plan->offset, units = t * 1048576.0;
    if (x->rows - r == 1) return 2;
    const double step = pe__runs_position(x, r + 1) + x->plan->offset - t;
    if (step == 0) return x->copies ? 2 : 0;
    return (step == 1 || step == -1) && (double)(int64_t)units == units ? step : 2;
}

/* Returns the slot of a position t, which includes the offset. Writes the bits of t to *bits. */
PE__INLINE size_t pe__cache_slot(double t, uint64_t *bits)
{
    /* Adding 1.5 * 2^44 rounds t to a multiple of 2^-8, whose last bits are those of n. */
    const uint64_t n = pe__double_bits(t + 26388279066624.0);
    *bits = pe__double_bits(t);
    return (uint32_t)((n + (n >> 8)) % PE__CACHE_SLOTS);
}

/* Find rows that can be copied: row r and the rows after it, up to the first row whose position is
   not in the cache or is the padding position. Write the cached row of each to cache->sources.
   Returns how many there are. Only rows whose positions x->p holds are looked up. */
PE__OUTLINE size_t pe__cache_find(pe__runs *x, size_t r)
{
    pe__row_cache *const cache = x->cache;
    const double *const p = x->p + (r - x->held);
    const size_t remaining = x->held_rows - (r - x->held);
    size_t k = 0;
    for (uint64_t bits; k < remaining; k++) {
        const size_t slot = pe__cache_slot(p[k] + x->plan->offset, &bits);
        if (cache->position[slot] != bits || pe__is_padding(x->plan, p[k])) break;
        cache->sources[k] = cache->row[slot];
    }
    cache->misses_left = pe__min(cache->misses_left + k, PE__CACHE_SLOTS);
    return k;
}
/* Enter the rows of a computed run into the cache. A run of more rows than the cache has slots is
   not entered, because its last rows would replace its first ones. Either way, each row counts as a
   miss. */
PE__INLINE void pe__cache_insert(pe__row_cache *cache, const pe__run *run)
{
    for (size_t k = 0; run->rows <= PE__CACHE_SLOTS && k < run->rows; k++) {
        uint64_t bits;
        const size_t slot = pe__cache_slot(run->position + (double)k * run->step, &bits);
        cache->position[slot] = bits;
        cache->row[slot] = (uint32_t)(run->row + k);
    }
    cache->misses_left -= pe__min(cache->misses_left, run->rows);
}

/* Make *run a run of `rows` copies. If step is 1, they are copies of consecutive rows, starting at
   row `source`. If step is 0, all are copies of row `source`, or of the rows that the caller then
   sets in run->sources. */
PE__INLINE void pe__copies(pe__run *run, size_t source, size_t step, size_t rows)
{
    run->kind = PE__RUN_COPIED;
    run->source = source;
    run->source_step = step;
    run->rows = rows;
}

/* Sets *run to the next run and returns 1, or returns 0 if no rows are left. Each run begins at the
   first row that no run has written. A grid's run may skip rows (every > 1). The runs after it copy
   the skipped rows. */
PE__OUTLINE int pe__next_run(pe__runs *x, pe__run *run)
{
    /* In a grid, the coordinate has the same value in row r and in the `cell` cells before it. */
    size_t r = x->next, cell = 0, cached;
    if (x->cells > 1) {
        cell = (x->positions->skipped + x->first + r) % x->cells;
        if (cell == 0 && r < x->computed) r += cell = 1; /* an earlier run has computed row r */
    }
    if (r >= x->rows) return 0;
    const double p = pe__runs_position(x, r), t = p + x->plan->offset;
    const int same = x->copies && t == x->last;
    run->row = r;
    run->rows = run->every = 1;
    run->kind = PE__RUN_COMPUTED;
    run->step = 0;
    run->sources = NULL;
    x->last = run->position = t;
    if (pe__is_padding(x->plan, p)) { /* such a plan has one axis, so no grid has cells > 1 */
        run->kind = PE__RUN_ZEROS;
        x->last = 1e300;
    } else if (x->cells > 1 && cell == 0) { /* the first rows of value p and of larger values */
        run->rows = pe__min(x->period - (size_t)fabs(p), (x->rows - r - 1) / x->cells + 1);
        run->every = x->cells;
        run->step = x->positions->back ? -1 : 1;
        x->computed = r + run->rows * x->cells;
        x->next = r + 1;
        return 1;
    } else if (x->cache && x->cache->misses_left && (cached = pe__cache_find(x, r)) > 0) {
        pe__copies(run, 0, 0, cached);
        run->sources = x->cache->sources;
        x->last = x->p[r + run->rows - 1 - x->held] + x->plan->offset;
    } else if (cell != 0 && r > 0) { /* row r has the same value as row r - 1 */
        pe__copies(run, r - 1, 0, pe__min(x->cells - cell, x->rows - r));
    } else if (r >= x->period) { /* cells is 1 here, so a period is as many rows as values */
        pe__copies(run, r - x->period, 1, x->rows - r);
    } else {
        if (!same) run->step = pe__run_step(x, r, p);
        if (run->step < 2) run->rows = pe__run_length(x, r, p, run->step);
        x->last = t + (double)(run->rows - 1) * run->step;
        if (same) pe__copies(run, r - 1, 0, run->rows);
        else if (x->cache && x->cache->misses_left) pe__cache_insert(x->cache, run);
    }
    x->next = r + run->rows;
    return 1;
}

/* ==== src/numbers/double_double.h ==== */
/* Double-double and triple-double arithmetic: sums, products, quotients, rotations.
 * tests/unit/numbers/test_budget.c measures the errors. */

/* ---- 5.1 double-double and triple-double --------------------------------------------------------
 * Each lane of a pe__dd holds a number as the unevaluated sum of two doubles, with about 104 bits.
 * Each lane of a pe__td holds one as the sum of three doubles, with about 156 bits. The low part of
 * a pe__dd may be as large as a few ulps of the high part. In a normalised result, hi is the double
 * nearest to the sum. */

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

/* Returns a + x for |a| >= |x|, not normalised, with an error of about 2^-104 |a|. */
PE__INLINE pe__dd pe__dd_add_small(pe__dd a, pe__dd x)
{
    pe__dd r;
    r.hi = pe__fast_two_sum(a.hi, x.hi, &r.lo);
    r.lo = r.lo + (a.lo + x.lo);
    return r;
}

/* Returns x normalised, for |x.hi| >= |x.lo|. */
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

PE__INLINE pe__dd pe__dd_negate(pe__dd x)
{
    const pe__dd r = {-x.hi, -x.lo};
    return r;
}

/* Returns x - y, normalised. */
PE__INLINE pe__dd pe__dd_sub(pe__dd x, pe__dd y)
{
    return pe__dd_renormalize(pe__dd_add(x, pe__dd_negate(y)));
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

/* Returns x times the double `factor`, normalised. */
PE__INLINE pe__dd pe__dd_mul_double(pe__dd x, double factor)
{
    pe__dd r;
    r.hi = pe__two_prod(x.hi, pe__splat(factor), &r.lo);
    r.lo = pe__fma(x.lo, pe__splat(factor), r.lo);
    return pe__dd_renormalize(r);
}

/* Rotates (*s, *c), the sine and cosine of an angle a, by an angle b, whose sine is ts and whose
   cosine is tc. Sets *s to sin(a + b) and *c to cos(a + b), not normalised. Adds less than 2^-100
   to the error. */
PE__INLINE void pe__dd_rotate(pe__dd *s, pe__dd *c, pe__dd ts, pe__dd tc)
{
    const pe__dd s0 = *s, c0 = *c;
    *s = pe__dd_add(pe__dd_mul(s0, tc), pe__dd_mul(c0, ts));
    *c = pe__dd_add(pe__dd_mul(c0, tc), pe__dd_mul(s0, pe__dd_negate(ts)));
}

/* Doubles the angle whose sine is *s and whose cosine is *c: sets *s to 2 s c and *c to 1 - 2 s^2.
   Takes half as long as pe__dd_rotate(). */
PE__INLINE void pe__dd_double_angle(pe__dd *s, pe__dd *c)
{
    const pe__vd two = pe__splat(2.0);
    const pe__dd sc = pe__dd_mul(*s, *c), ss = pe__dd_mul(*s, *s);
    c->hi = pe__two_sum(pe__splat(1.0), -two * ss.hi, &c->lo);
    c->lo = c->lo - two * ss.lo;
    s->hi = two * sc.hi;
    s->lo = two * sc.lo;
}

/* Sets s[b] and c[b], b >= 2, to the sine and cosine of b times an angle. They are computed from
   the elements b / 2 and b - b / 2 of s and c, which must have those of b / 2 and b - b / 2 times
   the angle. */
PE__INLINE void pe__dd_multiple_angle(pe__dd *s, pe__dd *c, size_t b)
{
    const size_t half = b / 2, rest = b - half;
    pe__dd sine = s[half], cosine = c[half]; /* without locals, gcc copies byte by byte */
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

PE__INLINE pe__dd pe__dd_from_td(pe__td x) /* omits the smallest part */
{
    const pe__dd r = {x.a, x.b};
    return r;
}

PE__INLINE pe__dd pe__dd_from_double(pe__vd x)
{
    const pe__dd r = {x, pe__splat(0.0)};
    return r;
}

/* Returns the number x[0] + x[1] + x[2] in all lanes. */
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

/* These functions compute *x += *y and *x *= *y. They are compiled once and not inlined, to save
   code. Loops that do little else call pe__td_add_inline() and pe__td_mul_inline() instead. */
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

/* Returns x / y by long division with three digits, each a double: a digit is the rounded quotient
   of the remainder's and y's largest doubles. */
PE__INLINE pe__td pe__td_div(pe__td x, pe__td y)
{
    pe__vd digit[3];
    for (int d = 0; d < 3; d++) {
        digit[d] = x.a / y.a;
        if (d < 2) x = pe__td_add_inline(x, pe__td_mul_double(y, -digit[d]));
    }
    return pe__td_renormalize(digit[0], digit[1], digit[2]);
}

/* Returns 1 / y for a double y, by long division with three digits, each a double. The first digit
   is 1 / y, rounded. So each further digit is the remainder times the first digit, which saves a
   division. A remainder fits into one double, except for its last bits. */
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
 * tests/unit/numbers/test_budget.c measures the errors. */

/* ---- 5.2 elementary functions in triple-double ----------------------------------------------- */

/* These constants are 1 / pi, pi and ln 2. Each is the sum of three doubles. */
static const double pe__inverse_pi[3] = {0.3183098861837907, -1.9678676675182486e-17,
                                         -1.0721436282893004e-33};
static const double pe__pi[3] = {3.141592653589793, 1.2246467991473532e-16,
                                 -2.9947698097183397e-33};
static const double pe__ln2[3] = {0.6931471805599453, 2.3190468138462996e-17,
                                  5.707708438416212e-34};

/* Returns 2^k for -1022 <= k <= 1023. */
PE__INLINE double pe__exp2i(int k) { return pe__double_of_bits((uint64_t)(k + 1023) << 52); }

/* Returns m and sets *e so that x = m 2^e and 0.5 <= |m| < 1. x must be a normal number. */
PE__INLINE double pe__frexp(double x, int *e)
{
    const uint64_t bits = pe__double_bits(x);
    *e = (int)(bits >> 52 & 0x7ff) - 1022;
    return pe__double_of_bits((bits & 0x800fffffffffffffu) | ((uint64_t)1022 << 52));
}

/* Returns the odd integer m with x = m 2^k for some integer k. x must be a positive normal
   number. */
PE__INLINE uint64_t pe__odd_significand(double x)
{
    const uint64_t bits = (pe__double_bits(x) & 0xfffffffffffffu) | 0x10000000000000u;
    return bits >> pe__lowest_bit(bits);
}

/* These numbers are 1 / n! for n = 0 ... 27. Each is the sum of two doubles. For n < 3 the second
   double is 0 because the first is exact. For n >= 16 it is 0 because it would be too small to
   matter. */
static const double pe__inverse_factorial[28][2] = {
    {1.0},
    {1.0},
    {0.5},
    {0.16666666666666666, 9.25185853854297e-18},
    {0.041666666666666664, 2.3129646346357427e-18},
    {0.008333333333333333, 1.1564823173178714e-19},
    {0.001388888888888889, -5.300543954373577e-20},
    {0.0001984126984126984, 1.7209558293420705e-22},
    {2.48015873015873e-5, 2.1511947866775882e-23},
    {2.7557319223985893e-6, -1.858393274046472e-22},
    {2.755731922398589e-7, 2.3767714622250297e-23},
    {2.505210838544172e-8, -1.448814070935912e-24},
    {2.08767569878681e-9, -1.20734505911326e-25},
    {1.6059043836821613e-10, 1.2585294588752098e-26},
    {1.1470745597729725e-11, 2.0655512752830745e-28},
    {7.647163731819816e-13, 7.03872877733453e-30},
    {4.779477332387385e-14},
    {2.8114572543455206e-15},
    {1.5619206968586225e-16},
    {8.22063524662433e-18},
    {4.110317623312165e-19},
    {1.9572941063391263e-20},
    {8.896791392450574e-22},
    {3.868170170630684e-23},
    {1.6117375710961184e-24},
    {6.446950284384474e-26},
    {2.4795962632247976e-27},
    {9.183689863795546e-29},
};

/* Returns 1 / first! + y / (first + 2)! + y^2 / (first + 4)! ... for |y| < 1, up to the term with
   1 / last!. `last` - `first` must be even. The terms with 1 / n! are computed in double-double for
   n <= last_dd, and in double for larger n. */
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

/* These numbers are 2^(k / 16) for k = 0 ... 15. Each is the sum of the three doubles with index k,
   one from each array. */
static const double pe__exp2_sixteenths[3][16] = {
    {1.0, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916, 1.189207115002721,
     1.241857812073484, 1.2968395546510096, 1.3542555469368927, 1.4142135623730951,
     1.4768261459394993, 1.5422108254079407, 1.6104903319492543, 1.681792830507429,
     1.7562521603732995, 1.8340080864093424, 1.9152065613971474},
    {0.0, 8.551889705537965e-17, -3.046782079812471e-17, 8.912812676025408e-17,
     3.982015231465646e-17, 4.658027591836937e-17, 2.5382502794888315e-17, 7.70094837980299e-17,
     -9.667293313452913e-17, -3.483994556892796e-17, 7.949834809697621e-17, 2.4707192569797888e-17,
     8.199010020581497e-17, 2.960140695448873e-17, 3.283107224245627e-17, -1.0619946056195963e-16},
    {0.0, -4.330791080574723e-33, 2.0170548784884862e-33, -2.0074146328324945e-33,
     1.1419596568854534e-33, -2.31439910378786e-33, 1.686782464618325e-34, -2.2407483643739503e-33,
     4.1386753086994136e-33, -1.2115770452309058e-34, -9.159956374100367e-34, 1.069684778889359e-33,
     5.103515194728093e-33, 1.2334822744893002e-33, -6.4250893479530425e-34,
     -3.0577697567913255e-33}};

/* Returns 2^(k / 16), lane by lane, for integers k with |k| < 16000. */
PE__INLINE pe__td pe__td_exp2_sixteenths(pe__vd k)
{
    const pe__vd power = pe__power_of_2(pe__round(k * pe__splat(0.0625) - pe__splat(0.46875)));
    const pe__td y = {pe__lookup_16(pe__exp2_sixteenths[0], k),
                      pe__lookup_16(pe__exp2_sixteenths[1], k),
                      pe__lookup_16(pe__exp2_sixteenths[2], k)};
    return pe__td_mul_pow2(y, power);
}

/* Replaces x = *argument, |x| < 1000, by 2^x, with a relative error of at most 2^-106. Let k be the
 * integer nearest to 16 x, and r = (x - k / 16) ln 2. Then 2^x = 2^(k / 16) exp(r), and |r| is
 * below
 * 0.0217. If x is a multiple of 1/16, r is 0, and only the error of the constant
 * 2^(k / 16) remains. The even and the odd terms of the series are separate:
 * exp(r) = 1 + r + r^2 (1/2! + r^2/4! ...) + r^3 (1/3! + r^2/5! ...). The errors are
 *     2^-107  the error of r, which is a double-double product: 2^-102 |r|
 *     2^-125  the terms that the series omits
 *     2^-110  the roundings of the series' terms: those with 1/8!, 1/9! and so on are computed in
 *             double, the others in double-double
 *     2^-110  the last product, with 2^(k / 16), in doubles */
PE__OUTLINE void pe__td_to_exp2(pe__td *argument)
{
    const pe__td x = *argument;
    static const double ln2_16th[2] = {0.04332169878499658, 1.4494042586539372e-18}; /* ln 2 / 16 */
    const pe__vd sixteen = pe__splat(16.0), k = pe__round(x.a * sixteen);
    const pe__td root = pe__td_exp2_sixteenths(k);
    pe__dd r, e;
    pe__td y;
    pe__vd lost, more;
    r.hi = pe__two_sum(x.a * sixteen - k, x.b * sixteen, &r.lo);
    r.lo = r.lo + x.c * sixteen;
    r = pe__dd_mul(r, pe__dd_splat(ln2_16th));
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
    *argument = y;
}
PE__INLINE pe__td pe__td_exp2(pe__td x)
{
    pe__td_to_exp2(&x);
    return x;
}

/* Replaces x = *argument, 2^-1000 <= x <= 2^1000, by log2(x). The error is at most 2^-106, and also
 * at most 2^-101 times |log2(x)|. If x is a power of two, there is no error.
 *     1. log2(x) = k / 16 + log2(1 + z). The integer k is 16 times the value of a parabola,
 *        rounded. The parabola is off by less than 0.11 / 16, so |z| < 0.027.
 *     2. log2(1 + z) = (2 / ln 2) atanh(s), where s = z / (2 + z). The error of s is 2^-111. The
 *        terms that the series of atanh(s) omits are below 2^-118.
 *     3. The product of 2 / ln 2 and atanh(s) is below 2^-4 and has a relative error of 2^-102. */
PE__OUTLINE void pe__td_to_log2(pe__td *argument)
{
    static const double per_ln2[2] = {2.8853900817779268, 4.0710547481862066e-17}; /* 2 / ln 2 */
    static const double third[3][2] = {{0.3333333333333333, 1.850371707708594e-17},
                                       {0.2, -1.1102230246251566e-17},
                                       {0.14285714285714285, 7.93016446160826e-18}};
    const pe__vd one = pe__splat(1.0);
    const pe__td x = *argument;
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
    sum = pe__dd_mul(sum, pe__dd_splat(per_ln2));
    y.a = pe__fast_two_sum(k * pe__splat(0.0625), sum.hi, &y.b);
    y.b = pe__two_sum(y.b, sum.lo, &y.c);
    y.a = pe__fast_two_sum(y.a, y.b, &y.b);
    *argument = y;
}
PE__INLINE pe__td pe__td_log2(pe__td x)
{
    pe__td_to_log2(&x);
    return x;
}

/* Returns log2(x) for a double x that is positive and normal. Most numbers that people write are
   products of powers of 2, 3 and 5. These take 25 % of the time of pe__td_log2(), because only
   multiples of log2(3) and log2(5) are added. The first two parts of these two constants have few
   bits, so that small multiples of the parts are exact. */
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

/* Returns log2(x) for a normal x > 0, with an error of at most 2^-36 times |log2(x)|, or 2^-36 if
   |log2(x)| < 1. With x = m 2^e and 0.707 <= m < 1.42, log2(x) is e + 2 atanh(z) / ln 2, where z is
   (m - 1) / (m + 1). */
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
/* Computes with multi-limb numbers that have an error bound: arithmetic, pi, exp, log, rounding.
 * Tested by tests/checks/levels.sh. */

/* ---- 5.3 numbers of any precision ---------------------------------------------------------------
 * These numbers round an element where double-double is not precise enough. A number is sign * d *
 * 2^(exponent - 32n), where d is an integer of n limbs of 32 bits. It is normalised: the most
 * significant bit of d is set, unless d is 0. So the magnitude of the number is at least
 * 2^(exponent - 1) and below 2^exponent. The error of d is below 2^log2_error. Each operation
 * bounds the error of its result, so a rounding is either certain or tried again with more limbs.
 * All arithmetic uses integers, so it is the same on every machine. */

/* PE__LIMBS is the maximum number of limbs, for 1344 bits. PE__NO_ERROR is the log2_error of an
   exact number, and also the exponent of an exact 0. */
enum { PE__LIMBS = 42, PE__NO_ERROR = -1000000 };
typedef struct pe__bigfloat {
    int n, sign, exponent, log2_error; /* as in the text above; sign is -1, 1, or 0 if d is 0 */
    uint32_t d[PE__LIMBS + 1];         /* lowest limb first; limb n is 0 after normalisation */
} pe__bigfloat;

PE__COLD int pe__bigfloat_is_exact(const pe__bigfloat *x)
{
    return x->log2_error < PE__NO_ERROR / 2;
}
PE__COLD int pe__bigfloat_is_0(const pe__bigfloat *x)
{
    return x->sign == 0 && pe__bigfloat_is_exact(x);
}

/* Returns a log2_error that bounds the sum of two errors, whose log2_error are a and b. If one of
   them is that of an exact number, the result is the other. */
PE__COLD int pe__add_errors(int a, int b)
{
    const int more = a > b ? a : b, less = a > b ? b : a;
    return less < PE__NO_ERROR / 2 ? more : more + 1;
}

/* Returns the limb with index i of d 2^part, 0 <= part < 32. d has `limbs` limbs; limbs below and
   above them count as 0. */
PE__INLINE uint32_t pe__limb(const uint32_t *d, int limbs, int i, int part)
{
    const uint64_t high = i >= 0 && i < limbs ? d[i] : 0, low = i > 0 && i <= limbs ? d[i - 1] : 0;
    return (uint32_t)((high << 32 | low) >> (32 - part) & 0xffffffffu);
}

/* Multiplies d, which has `limbs` limbs, by 2^bits, in place. A negative `bits` shifts right.
   Returns whether a right shift has dropped a bit that is set. Bits that a left shift moves out of
   the limbs are lost, and not reported. */
PE__COLD int pe__limbs_shift(uint32_t *d, int limbs, int bits)
{
    const int part = (bits % 32 + 32) % 32, limb_shift = (bits - part) / 32;
    uint32_t lost = 0;
    if (bits == 0) return 0;
    for (int i = 0; i < -limb_shift && i <= limbs; i++) lost |= pe__limb(d, limbs, i, part);
    if (bits > 0)
        for (int j = limbs - 1; j >= 0; j--) d[j] = pe__limb(d, limbs, j - limb_shift, part);
    else
        for (int j = 0; j < limbs; j++) d[j] = pe__limb(d, limbs, j - limb_shift, part);
    return lost != 0;
}

/* Adds y to d or, if minus is 1, subtracts y from d, modulo 2^(32 limbs). */
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

/* Shifts the n + 1 limbs of d so that the most significant bit that is set becomes the top bit of
   limb n - 1, and changes exponent and log2_error accordingly. If d is 0, sets the sign to 0 and,
   if the number is exact, the exponent to PE__NO_ERROR. */
PE__COLD void pe__bigfloat_renormalize(pe__bigfloat *x)
{
    int up, top = x->n;
    while (top >= 0 && x->d[top] == 0) top--;
    if (top < 0) {
        x->sign = 0;
        if (pe__bigfloat_is_exact(x)) x->exponent = PE__NO_ERROR;
        return;
    }
    for (up = 32 * (x->n - 1 - top); !(x->d[top] << (up & 31) >> 31); up++) {}
    x->exponent -= up;
    x->log2_error += up;
    if (pe__limbs_shift(x->d, x->n + 1, up)) x->log2_error = pe__add_errors(x->log2_error, 0);
}

/* Returns the finite double `value` exactly, as a number of n limbs. Subnormals are read from their
   bits, so flush-to-zero modes do not matter. */
PE__COLD pe__bigfloat pe__bigfloat_of(double value, int n)
{
    const uint64_t bits = pe__double_bits(value);
    pe__bigfloat x;
    const int e = (int)(bits >> 52 & 0x7ff);
    memset(&x, 0, sizeof x);
    x.n = n;
    x.log2_error = PE__NO_ERROR;
    x.sign = bits >> 63 ? -1 : 1;
    x.exponent = (e > 0 ? e : 1) - 1011;
    x.d[n - 1] = (uint32_t)(bits >> 32 & 0xfffff) | (uint32_t)(e > 0) << 20;
    x.d[n - 2] = (uint32_t)(bits & 0xffffffffu);
    pe__bigfloat_renormalize(&x);
    return x;
}

/* Returns x truncated to 53 bits, for |x| below 2^1000. If |x| is below 2^-900, returns some number
   whose magnitude is also below 2^-900. If x is close to an integer below 2^52 in magnitude,
   pe__round_to_integer() of the result is this integer. */
PE__COLD double pe__bigfloat_to_double(const pe__bigfloat *x)
{
    const uint64_t bits = (uint64_t)x->d[x->n - 1] << 32 | x->d[x->n - 2];
    const int e = x->exponent < -900 ? -900 : x->exponent;
    return x->sign * (double)(bits >> 11) * pe__exp2i(e - 53);
}
PE__COLD double pe__round_to_integer(double x)
{
    return (double)(int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

/* Computes x *= y. */
PE__COLD void pe__bigfloat_mul(pe__bigfloat *x, const pe__bigfloat *y)
{
    const int n = x->n;
    uint32_t p[2 * PE__LIMBS] = {0}, rest = 0;
    if (pe__bigfloat_is_0(y)) *x = *y;
    if (pe__bigfloat_is_0(x)) return;
    for (int i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < n; j++, carry >>= 32) {
            carry += p[i + j] + (uint64_t)x->d[i] * y->d[j];
            p[i + j] = (uint32_t)(carry & 0xffffffffu);
        }
        p[i + n] = (uint32_t)carry;
    }
    for (int i = 0; i < n - 1; i++) rest |= p[i];
    memcpy(x->d, p + n - 1, ((size_t)n + 1) * sizeof *p); /* n + 1 limbs; renormalising keeps n */
    x->log2_error = pe__add_errors(pe__add_errors(x->log2_error, y->log2_error + 1) + 32,
                                   rest ? 0 : PE__NO_ERROR);
    x->sign *= y->sign;
    x->exponent += y->exponent - 32;
    pe__bigfloat_renormalize(x);
}

/* Computes x += sign y, where sign is 1 or -1. */
PE__COLD void pe__bigfloat_add(pe__bigfloat *x, const pe__bigfloat *y, int sign)
{
    pe__bigfloat z = *y;
    z.sign *= sign;
    if (x->exponent < z.exponent ||
        (x->exponent == z.exponent && pe__limbs_less(x->d, z.d, x->n))) {
        const pe__bigfloat swap = *x;
        *x = z;
        z = swap;
    }
    const int shift = x->exponent - z.exponent, minus = x->sign * z.sign < 0;
    z.log2_error = pe__add_errors(z.log2_error - shift,
                                  pe__limbs_shift(z.d, z.n + 1, -shift) ? 0 : PE__NO_ERROR);
    x->log2_error = pe__add_errors(x->log2_error, z.log2_error);
    if (x->sign == 0) x->sign = z.sign;
    pe__limbs_add(x->d, z.d, x->n + 1, minus);
    pe__bigfloat_renormalize(x);
}

/* Computes x /= k, for k > 0. */
PE__COLD void pe__bigfloat_div_u32(pe__bigfloat *x, uint32_t k)
{
    uint64_t rest = 0;
    for (int i = x->n; i >= 0; i--, rest %= k) {
        rest = rest << 32 | (i > 0 ? x->d[i - 1] : 0);
        x->d[i] = (uint32_t)(rest / k);
    }
    x->exponent -= 32;
    x->log2_error = pe__add_errors(x->log2_error + 32, rest ? 0 : PE__NO_ERROR);
    pe__bigfloat_renormalize(x);
}

/* Computes x /= y, one bit of the quotient after the other. y must not be 0. */
PE__COLD void pe__bigfloat_div(pe__bigfloat *x, const pe__bigfloat *y)
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
    pe__bigfloat_renormalize(x);
}

/* These compute x *= y, x /= y and x += y for a double y. */
PE__COLD void pe__bigfloat_mul_double(pe__bigfloat *x, double y)
{
    const pe__bigfloat z = pe__bigfloat_of(y, x->n);
    pe__bigfloat_mul(x, &z);
}
PE__COLD void pe__bigfloat_div_double(pe__bigfloat *x, double y)
{
    const pe__bigfloat z = pe__bigfloat_of(y, x->n);
    pe__bigfloat_div(x, &z);
}
PE__COLD void pe__bigfloat_add_double(pe__bigfloat *x, double y)
{
    const pe__bigfloat z = pe__bigfloat_of(y, x->n);
    pe__bigfloat_add(x, &z, 1);
}

/* These are the first 1344 bits of pi / 4 and of ln 2 after the binary point, truncated. The lowest
   limb is first. */
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

PE__COLD pe__bigfloat pe__bigfloat_digits(const uint32_t *digits, int exponent, int n)
{
    pe__bigfloat x = pe__bigfloat_of(1, n);
    memcpy(x.d, digits + (PE__LIMBS - n), (size_t)n * sizeof *digits);
    x.exponent = exponent;
    x.log2_error = 0;
    return x;
}
PE__COLD pe__bigfloat pe__bigfloat_pi(int n) { return pe__bigfloat_digits(pe__pi_digits, 2, n); }
PE__COLD pe__bigfloat pe__bigfloat_ln2(int n) { return pe__bigfloat_digits(pe__ln2_digits, 0, n); }

/* Returns the sum of a Taylor series in x, |x| < 4, up to the first term below the last bit. `kind`
 * and the initial k choose the series:
 *     PE__EXP, k = 1    exp(x): each term is the one before times x / k, x / (k + 1) ...
 *     PE__TRIG, k = 1   cos(z), x = -z^2: each term is the one before times x / (k (k + 1)) ...
 *     PE__TRIG, k = 2   sin(z) / z, x = -z^2: with the same factors as cos(z)
 *     PE__ATANH, k = 1  atanh(z) / z, x = z^2 < 1/16: 1 + x / (k + 2) + x^2 / (k + 4) ...
 * There are at most 300 terms, with a total error of 2^14 units of the last bit of d. */
typedef enum pe__series { PE__EXP, PE__TRIG, PE__ATANH } pe__series;
PE__COLD pe__bigfloat pe__bigfloat_series(const pe__bigfloat *x, pe__series kind, uint32_t k)
{
    pe__bigfloat sum = pe__bigfloat_of(1, x->n), power = sum, term = sum;
    if (pe__bigfloat_is_0(x)) return sum;
    for (; term.sign != 0 && term.exponent > -32 * x->n - 2; k += kind == PE__EXP ? 1 : 2) {
        pe__bigfloat_mul(&power, x);
        if (kind != PE__ATANH) pe__bigfloat_div_u32(&power, kind == PE__EXP ? k : k * (k + 1));
        term = power;
        if (kind == PE__ATANH) pe__bigfloat_div_u32(&term, k + 2);
        pe__bigfloat_add(&sum, &term, 1);
    }
    const int log2_error = x->log2_error + x->exponent + 4;
    sum.log2_error = log2_error > 14 ? log2_error : 14;
    return sum;
}

/* Replaces x > 0 by its natural logarithm. With x = 2^k m and 0.7 < m < 1.42, this is k ln 2 +
   2 atanh((m - 1) / (m + 1)). */
PE__COLD void pe__bigfloat_log(pe__bigfloat *x)
{
    const int up = x->d[x->n - 1] < 0xb5000000u, k = x->exponent - up; /* if up, m >= 1 */
    x->exponent = up;
    pe__bigfloat y = *x;
    pe__bigfloat_add_double(&y, 1);
    pe__bigfloat_add_double(x, -1);
    pe__bigfloat_div(x, &y);
    y = *x;
    pe__bigfloat_mul(&y, x);
    y = pe__bigfloat_series(&y, PE__ATANH, 1);
    pe__bigfloat_mul(x, &y);
    x->exponent++;
    y = pe__bigfloat_ln2(x->n);
    pe__bigfloat_mul_double(&y, k);
    pe__bigfloat_add(x, &y, 1);
}

/* Replaces x by exp(x). An exact 0 becomes exactly 1. */
PE__COLD void pe__bigfloat_exp(pe__bigfloat *x)
{
    const double k = pe__round_to_integer(pe__bigfloat_to_double(x) * 1.4426950408889634);
    pe__bigfloat y = pe__bigfloat_ln2(x->n);
    pe__bigfloat_mul_double(&y, -k);
    pe__bigfloat_add(x, &y, 1);
    *x = pe__bigfloat_series(x, PE__EXP, 1);
    x->exponent += (int)k;
}

/* Returns whether x is certainly not 0, so that its sign is certain. */
PE__COLD int pe__bigfloat_has_sign(const pe__bigfloat *x)
{
    return x->sign != 0 && x->log2_error < 32 * x->n - 2;
}

/* Sets *y to the number nearest to x, ties to even, of the type that `drop` names: 0 for a double,
   else the value of pe__dropped_bits(). Returns 0 if the rounding is uncertain, because 0 or a
   midpoint is within the error of x. If `last` is set, more limbs are not available. Then x is
   taken to be that midpoint or 0, and the function returns 1. */
PE__COLD int pe__bigfloat_round(const pe__bigfloat *x, int drop, int last, double *y)
{
    /* r becomes d rounded to a multiple of 2^snap. The exact value differs from d by less than
       2^snap / 4, and so from r by less than 2^snap. So unless r is a midpoint, the exact value and
       r are on the same side of every midpoint. */
    const int n = x->n, snap = x->log2_error > -2 ? x->log2_error + 2 : 0;
    const int bits = drop == 0 ? 53 : drop == 29 ? 24 : 24 - drop;
    const int lowest = drop == 0 ? -1074 : drop == 13 ? -24 : -125 - bits;
    const int ulp = x->exponent - bits > lowest ? x->exponent - bits : lowest;
    const int cut = ulp - x->exponent + 32 * n; /* index of the lowest bit of d that is kept */
    uint32_t half[PE__LIMBS + 1] = {0};
    pe__bigfloat r = *x;
    *y = 0;
    if (!pe__bigfloat_has_sign(x) || snap >= cut) return last || pe__bigfloat_is_0(x);
    if (snap > 0) half[(snap - 1) / 32] = (uint32_t)1 << (snap - 1) % 32;
    pe__limbs_add(r.d, half, n + 1, 0);
    (void)pe__limbs_shift(r.d, n + 1, -snap);
    const int rest = pe__limbs_shift(r.d, n + 1, snap + 1 - cut);
    const uint64_t both = (uint64_t)r.d[1] << 32 | r.d[0], kept = both >> 1;
    if ((both & 1) && !rest && !last && !pe__bigfloat_is_exact(x)) return 0;
    *y = (double)(kept + (both & (uint64_t)(rest | (int)(kept & 1)))) * x->sign;
    *y *= pe__exp2i(ulp / 2);
    *y *= pe__exp2i(ulp - ulp / 2);
    return 1;
}

/* PE__LIMBS_FIRST is the number of limbs to begin with. If n limbs were not enough,
   pe__next_limbs(n) limbs are tried next: 10, 18, 34 and at last PE__LIMBS. */
enum { PE__LIMBS_FIRST = 6 };
PE__COLD int pe__next_limbs(int n) { return n < 34 ? 2 * n - 2 : PE__LIMBS; }

/* Returns whether a midpoint of two normal floats is less than e from hi + lo, a normalised sum.
   Such midpoints are doubles. So hi, the double nearest to the sum, is then the midpoint: the 29
   bits that a float drops are 1 and then zeros. */
PE__INLINE int pe__is_hard_to_round(double hi, double lo, double e)
{
    return (pe__double_bits(hi) & 0x1fffffffu) == 0x10000000u && fabs(lo) < e;
}

/* ==== src/frequencies/geometric.h ==== */
/* Computes the frequencies of a config in double-double, 64 at a time. Tested by
 * tests/unit/numbers/test_budget.c, which measures the error. */

/* ---- 5.4 frequencies ----------------------------------------------------------------------------
 * The frequency of pair i of an axis is F q^i. The factor F comes from pe__frequency_scale(), and
 * q is base^(-1 / D), where D is the axis' denominator. With i = 64 k + 8 a + b, where a and b are
 * 0 ... 7, the frequency is the product of F q^b and q^(64 k + 8 a). So 64 frequencies take one
 * logarithm, 16 powers of 2 in vectors, and 64 products, which do not wait for each other. If there
 * are more than 64 frequencies, every 512 of them take 8 more powers, q^(64 k), and 64 more
 * products.
 *
 * The relative error of a frequency is below 2^-101 + 2^-106 i / D:
 *     2^-102            the product of two triple-doubles. The second double of the result, which
 *                       is below 2^-53 of the first, is a sum of seven terms, each rounded
 *     3 x 2^-106        the powers of 2, which are at most three factors
 *     ln 2 2^-106 i/D   inherited from log2 q, which has the error of log2(base)
 * In factors below 2^-900, the last double is subnormal and has fewer bits.
 * pe__plan_fill_geometric() adds a term to the bound for this. If an element needs more digits of a
 * frequency, pe__bigfloat_by_frequency() computes them from the config. */

/* PE__MAX_LANES is the largest PE_LANES and a multiple of each. PE__FREQUENCY_TILE, 64, is the
   number of frequencies that pe__geometric_fill() computes with the same q^(64 k). An attention
   head of 128 elements has as many. */
enum { PE__MAX_LANES = 8, PE__FREQUENCY_TILE = PE__MAX_LANES * PE__MAX_LANES };

/* This struct holds the powers whose products are frequencies: see the text above for F and q. Each
   array has 8 numbers, in vectors. */
typedef struct pe__geometric {
    pe__td step;                                  /* log2 q                */
    pe__td first[PE__MAX_LANES / (int)PE_LANES];  /* F q^0 ... F q^7       */
    pe__td eighth[PE__MAX_LANES / (int)PE_LANES]; /* q^0, q^8 ... q^56     */
} pe__geometric;

/* Returns F, the factor of all frequencies in half-turns per position: scale if half_turns is set,
   else scale / pi. */
PE__INLINE pe__td pe__frequency_scale(double scale, int half_turns)
{
    static const double one[3] = {1, 0, 0};
    return pe__td_mul_double(pe__td_const(half_turns ? one : pe__inverse_pi), pe__splat(scale));
}

/* Returns log2 of q = base^(-1 / D), where D = d[0] + d[1]. Usually d[1] is 0, and then the
   division is by a double, which is faster. */
PE__INLINE pe__td pe__geometric_step(double base, const double *d)
{
    pe__td exponent = pe__td_splat(-d[0]);
    exponent.b = pe__splat(-d[1]);
    const pe__td log_base = pe__td_log2_of(base);
    return d[1] == 0 ? pe__td_div_double(log_base, exponent.a) : pe__td_div(log_base, exponent);
}

/* Returns the vector of the lanes' indices 0, 1 ... */
PE__INLINE pe__vd pe__iota(void)
{
    static const double lanes[PE__MAX_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    return pe__load(lanes);
}

/* Returns q^i for i = first, first + index, first + 2 index ..., one in each lane, where step is
   log2 q. */
PE__INLINE pe__td pe__geometric_power(pe__td step, size_t first, double index)
{
    const pe__vd i = pe__iota() * pe__splat(index) + pe__splat((double)first);
    return pe__td_exp2(pe__td_mul_double(step, i));
}

/* An array of 8 triple-doubles consists of three arrays of 8 doubles, one for each part. Use
   pe__td_store() to store a vector of numbers, the first of which gets index k. Use pe__td_get() to
   get the number with index k in all lanes. */
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

/* Computes g->first and g->eighth from g->step, which the caller has set, and F, the
   frequency_scale. */
PE__OUTLINE void pe__geometric_begin(pe__geometric *g, const pe__td *frequency_scale)
{
    for (size_t b = 0; b < PE__MAX_LANES; b += PE_LANES) {
        g->eighth[b / PE_LANES] = pe__geometric_power(g->step, b * PE__MAX_LANES, PE__MAX_LANES);
        g->first[b / PE_LANES] =
            pe__td_mul_inline(pe__geometric_power(g->step, b, 1), *frequency_scale);
    }
}

/* Writes the frequencies with the indices from ... from + count - 1: the high doubles to f, the low
   doubles to f + padded. Writes up to 7 more doubles after each `count` doubles. These are further
   frequencies, which may be smaller or larger than a config allows. Only frequencies after the
   first 64 need the third factor, q^(64 k). A call for the first 64 or fewer omits it. */
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
/* Sines and cosines of pairs in double-double, and the bound of their error.
 * tests/unit/numbers/test_budget.c measures the error. */

/* ---- 5.5 sine and cosine in double-double -------------------------------------------------------
 * Pair i has the frequency w_i in radians per position. Its angle at position t is t w_i radians,
 * or t f_i half-turns, with f_i = w_i / pi. The array plan->frequency has f_i as a sum of two
 * doubles. PE_ANGLE_FLOAT32 is an exception: see pe__multiple(). */

/* Returns a vector m such that m * frequency is the vector of angles in half-turns, where
   `frequency` is loaded at index `pair` of plan->frequency. Usually m is t in every lane. With
   PE_ANGLE_FLOAT32, m is the vector of angles in radians, rounded to float, since all elements of
   plan->frequency are then 1 / pi. */
PE__INLINE pe__vd pe__multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return pe__splat(t);
    return pe__to_float(pe__to_float(pe__splat(t)) * pe__load(plan->float32 + pair));
}

/* PE__SORT_PAIRS is the number of pairs that pe__plan_sort_pairs() sorts together, by coordinate.
   The new place of a pair among them then fits into a byte of plan->order. */
enum { PE__SORT_PAIRS = 256 };

/* Returns i + plan->first, where i is the index within its axis of the pair at index `pair` of the
   plan's arrays, and sets *axis to this axis. This is the i of the frequency's exponent -i / D. For
   a padding pair, i is the index of the axis' last pair. */
PE__COLD double pe__frequency_index(const pe_plan *plan, size_t pair, const pe__axis **axis)
{
    size_t a = 0;
    if (plan->order) { /* the arrays are sorted: find the pair that was moved to `slot` */
        const size_t slot = pe__min(pair, plan->pairs - 1), rank = slot % PE__SORT_PAIRS;
        for (pair = slot - rank; plan->order[pair] != rank;) pair++;
    }
    while (a + 1 < plan->axes && plan->axis[a + 1].pair <= pair) a++;
    *axis = &plan->axis[a];
    const size_t i = pair - (*axis)->pair, pairs = (*axis)->pairs;
    return (double)(plan->first + (i < pairs ? i : pairs ? pairs - 1 : 0));
}

/* Computes *sine and *cosine of the angles at position t, without the amplitude, for the vector of
 * pairs that starts at index `pair`. The error has two parts, and pe__sincos_error() bounds their
 * sum:
 *   1. The computation adds about 2^-98. For sines of angles below 1/4 half-turn, this is the
 *      relative error.
 *   2. The plan's frequencies have errors, which the sines and cosines inherit. */
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
       quadrant is chosen, because e is too large to be ignored if |p| is above 2^49. Then subtract
       the nearest multiple of 1/2. Both reductions are exact. */
    pe__td sum =
        pe__td_renormalize(p - pe__round(p * pe__splat(0.5)) * pe__splat(2.0), e, pe__splat(0.0));
    sum = pe__td_add_inline(sum, rest); /* inlined: the chain of dependent operations is long */
    const pe__vd shift = pe__splat(pe__quadrant_shift), quadrant = sum.a + shift;
    pe__dd z;
    z.hi = pe__two_sum(sum.a - (quadrant - shift), sum.b, &z.lo);
    z.lo = z.lo + sum.c;
    z = pe__dd_mul(z, pe__dd_splat(pe__pi));
    const pe__dd zz = pe__dd_negate(pe__dd_mul(z, z));
    /* The terms that the series omit are below 2^-100. The terms with 1 / 16!, 1 / 17! and so on
       are below 2^-49 and computed in double, so their rounding errors are also below 2^-100. */
    *sine = pe__dd_renormalize(pe__dd_mul(z, pe__dd_series(1, 15, 27, zz)));
    *cosine = pe__dd_renormalize(pe__dd_series(0, 15, 26, zz));
    pe__rotate_quadrant(quadrant, &sine->hi, &cosine->hi);
    pe__rotate_quadrant(quadrant, &sine->lo, &cosine->lo);
}

/* Returns the error bound of pe__sincos_dd() at position t, for all pairs of the plan. The second
   term is inherited from the frequencies. Its factor 4 is pi, the radians in a half-turn, rounded
   up. */
PE__INLINE double pe__sincos_error(const pe_plan *plan, double t)
{
    return pe__exp2i(-98) + 4 * fabs(t) * plan->fastest * plan->error;
}

/* Returns the lane of pe__multiple() for one pair. pe__multiple() loads a vector, but this function
   reads no element after plan->float32[pair]. */
PE__COLD double pe__one_multiple(const pe_plan *plan, size_t pair, double t)
{
    if (!plan->float32) return t;
    return (double)(float)((double)(float)t * plan->float32[pair]);
}

/* ==== src/sincos/round.h ==== */
/* Sums of two doubles, rounded once to any type, and Ziv's test of a sum.
 * tests/checks/levels.sh and tests/unit/rows/test_exact.c test them. */

/* Returns, as a float, the number nearest to x, ties to even, of the type that `drop` names:
   PE__DROP_F16 or PE__DROP_BF16. The constant 0x38800000 is 2^-14, the least normal f16. The
   constant 0x47800000 is 2^16, which is beyond all f16 numbers and becomes infinity. */
static inline float pe__round_16(float x, int drop)
{
    uint32_t bits = (uint32_t)pe__float_bits(x);
    const uint32_t sign = bits & 0x80000000u, size = bits ^ sign;
    if (drop == PE__DROP_F16 && size < 0x38800000u) { /* f16 subnormals: multiples of 2^-24 */
        const float y = pe__float_of_bits(size);
        bits = sign | (uint32_t)pe__float_bits((y + 0.75f) - 0.75f);
    } else {
        bits += (1u << (drop - 1)) - 1u + (bits >> drop & 1u);
        bits &= ~((1u << drop) - 1u);
        if (drop == PE__DROP_F16 && (bits ^ sign) >= 0x47800000u) bits = sign | 0x7f800000u;
    }
    return pe__float_of_bits(bits);
}

/* Returns (hi + lo) scale rounded once to the type that `drop` names: PE__DROP_F32, PE__DROP_BF16
   or PE__DROP_F16. |lo| must be at most half an ulp of hi, and scale a power of two. The
   intermediate double, and for 16 bits the intermediate float, are rounded to odd. So only the last
   rounding, to nearest, determines the result. */
static inline float pe__round_once(double hi, double lo, double scale, int drop)
{
    hi = pe__to_odd(hi, lo) * scale;
    float y = (float)hi;
    if (drop == PE__DROP_F32) return y;
    uint32_t word = (uint32_t)pe__float_bits(y);
    if ((double)y != hi && (word & 1) == 0) {
        if (fabs((double)y) < fabs(hi)) word++;
        else word--;
        y = pe__float_of_bits(word);
    }
    return pe__round_16(y, drop);
}

/* Returns hi + lo rounded once to the type that `drop` names, as pe__round_once() does, but lo may
   be of any size. */
static inline float pe__round_sum(double hi, double lo, int drop)
{
    pe__vd low;
    const pe__vd sum = pe__two_sum(pe__splat(hi), pe__splat(lo), &low);
    return pe__round_once(pe__first_lane(sum), pe__first_lane(low), 1, drop);
}

/* Returns (hi + lo) factor, rounded once to a double, for a power of two as `factor`. A subnormal
   result must be a multiple of the least subnormal, so `big` is added and subtracted: the last bit
   of big, times `factor`, is the least subnormal. The sum of big, hi and lo is rounded once,
   because its low parts are first rounded to odd. */
PE__COLD double pe__round_double(double hi, double lo, double factor)
{
    const double sum = hi + lo;
    if (fabs(sum * factor) > pe__exp2i(-1021)) return sum * factor;
    const double minimum = pe__exp2i(-1022) / factor, big = hi < 0 ? -minimum : minimum;
    pe__vd low, rest, last;
    if (fabs(sum) > minimum) return sum * factor;
    const pe__vd high = pe__two_sum(pe__splat(hi), pe__splat(lo), &low);
    const pe__vd rounded = pe__two_sum(pe__splat(big), high, &rest);
    rest = pe__two_sum(rest, low, &last);
    const double odd = pe__to_odd(pe__first_lane(rest), pe__first_lane(last));
    const double size = fabs((pe__first_lane(rounded) + odd) - big) * factor;
    return hi < 0 ? -size : size;
}

/* Applies Ziv's test to hi + lo, whose error is at most e. Rounds (hi + lo + e) factor and
   (hi + lo - e) factor once each, and sets *y to the first. Returns whether both are the same
   number and the error interval does not contain 0. `factor` is a power of two. `drop` names the
   type: 0 for a double, else the value of pe__dropped_bits(). If it is not 0, and |hi| factor is at
   most 2^-200, both are 0 with the sign of hi.

   The second condition is tested as |hi| > 2 e. It is needed because both roundings get the sign of
   hi. If the interval contains 0, the sign of the exact value is unknown, and the exact value may
   be 0. With an amplitude of 2^-950, for example, an interval around 0 would round to 2^-1047 at
   both ends. All callers pass a lo that is far smaller than hi, so |hi| > 2 e implies |hi + lo| >
   e. */
PE__COLD int pe__ziv_test(double hi, double lo, double e, double factor, int drop, double *y)
{
    const double below = lo - e, above = lo + e;
    double other = hi < 0 ? -0.0 : 0.0;
    *y = other;
    if (drop == 0) {
        *y = pe__round_double(hi, above, factor);
        other = pe__round_double(hi, below, factor);
    } else if (fabs(hi) * factor > pe__exp2i(-200)) { /* else 0; products could underflow */
        *y = (double)pe__round_sum(hi * factor, above * factor, drop);
        other = (double)pe__round_sum(hi * factor, below * factor, drop);
    }
    return *y == other && fabs(hi) > 2 * e;
}

/* Does what pe__ziv_test() does, for a |hi| below 4 and with a factor 2^exponent that may be out of
   range of doubles. */
PE__COLD int pe__ziv_test_scaled(double hi, double lo, double e, int exponent, int drop, double *y)
{
    const double down = exponent < -900 ? pe__exp2i(-200) : 1;
    if (exponent < -1100) { /* |hi| 2^exponent is below half the least subnormal */
        *y = hi < 0 ? -0.0 : 0.0;
        return 1;
    }
    if (down < 1) exponent += 200;
    return pe__ziv_test(hi * down, lo * down, e * down, pe__exp2i(exponent), drop, y);
}

/* ==== src/sincos/exact.h ==== */
/* Rounds elements correctly: from double-double if Ziv's test is conclusive, else with multi-limb
 * integers. Tested by tests/checks/levels.sh and tests/unit/sincos/test_theorem.c. */

/* ---- 5.6 sine and cosine, correctly rounded -----------------------------------------------------
 * If Ziv's test in double-double is inconclusive, the element is computed from the config with
 * multi-limb integers, with as many bits as are needed to round it. An element is a double, the
 * amplitude, times a sine or cosine. So it is a midpoint of two numbers only if the sine or cosine
 * is rational. Except for an angle of 0, this is so only in the cases of point 3, which are
 * recognised. In all other cases, sufficient precision makes the rounding certain. The angle is an
 * algebraic number or, if half_turns is set, pi times such a number:
 *   1. The sine and cosine of an algebraic number other than 0 are transcendental (Lindemann).
 *   2. The sine and cosine of pi times an irrational algebraic number are also transcendental
 *      (Gelfond, Schneider).
 *   3. The sine or cosine of pi times a rational number is rational only if it is 0, +-1/2 or +-1
 *      (Niven). The rational number is then a multiple of 1/6.
 *
 * Frequencies that are the caller's doubles, in radians per position, need a third of this code.
 * For them the parameter `given` is 1, a constant at compile time: see pe__element_rounder. */

/* Returns whether x^m = y^q, for x > 0 and y > 0. If x^m = y^q and q >= m, then y divides x, and
   the equation is the same as (x / y)^m = y^(q - m). If q < m, the same holds with x and y, and m
   and q, exchanged. Each round of the loop reduces the equation in this way. */
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

/* Returns a b - c, rounded once. c must be so close to a b that the rounded product minus c is
   exact in double. */
PE__COLD double pe__product_minus(double a, double b, double c)
{
    pe__vd e;
    const double p = pe__first_lane(pe__two_prod(pe__splat(a), pe__splat(b), &e));
    return (p - c) + pe__first_lane(e);
}

/* For PE_COLUMNS_SUMS: adds up the products of a pair's frequency and the coordinate, over the
   coordinates of the row (plan->point). The frequencies are the caller's, not scaled. Returns 1 and
   sets *sum if every product and every partial sum is exact in double. Otherwise returns 0, and
   *sum is meaningless. */
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
 * w[2] with an odd w[2], and returns 1. Returns 0 if the frequency is not found to be exactly
 * rational. For PE_COLUMNS_SUMS, the frequency is the scale times the sum of pe__exact_sum().
 *
 * A frequency of a config is scale base^(-i / D). The power base^(i / D) is recognised as rational
 * as follows. The double `power` is its double-double value, rounded. Let base = b 2^e and
 * power = y 2^s, with odd integers b and y. If b^i = y^D, base^(i / D) is exactly power times
 * 2^(e i / D - s). Here i and D have been doubled until D is an integer, of at most 2^50. So this
 * factor is 1, or differs from 1 by about ln 2 / D or more. Such a difference is excluded if power
 * differs from the double-double value by at most 2^-90 of itself. */
PE__COLD int pe__rational_frequency(const pe_plan *plan, size_t pair, double *w)
{
    const double *const f = plan->frequency + pair;
    const pe__axis *axis;
    double i = pe__frequency_index(plan, pair, &axis), d = axis->denominator[0], quotient = 1;
    w[2] = 1;
    if (plan->point) {
        if (!pe__exact_sum(plan, pair, &quotient)) return 0;
    } else if (plan->exact_frequencies) {
        w[0] = f[0];
        w[1] = f[plan->padded];
        return 1;
    } else if (plan->base == 0 || (i != 0 && plan->base != 1)) {
        const pe__dd ratio = {pe__splat(f[0]), pe__splat(f[plan->padded])};
        const pe__dd radians = pe__dd_renormalize(pe__dd_mul(ratio, pe__dd_splat(pe__pi)));
        const pe__dd y = plan->half_turns ? ratio : radians;
        const double hi = pe__first_lane(y.hi), lo = pe__first_lane(y.lo), scale = plan->unit;
        if (plan->base == 0) { /* the caller's frequency: the double nearest to y / scale */
            quotient = hi / scale;
            quotient += (lo - pe__product_minus(quotient, scale, hi)) / scale;
        } else { /* base^(i / D) by a division and a Newton step */
            double power = scale / hi;
            power -= (pe__product_minus(power, hi, scale) + power * lo) / hi;
            const double rest = pe__product_minus(power, hi, scale) + power * lo;
            for (int k = 0; k < 20 && d != pe__round_to_integer(d); k++) {
                d *= 2;
                i *= 2;
            }
            if (d > pe__exp2i(50) || d != pe__round_to_integer(d) || axis->denominator[1] != 0 ||
                fabs(rest) > fabs(scale) * pe__exp2i(-90))
                return 0;
            const uint64_t odd = pe__odd_significand(power);
            if (!pe__powers_equal(pe__odd_significand(plan->base), (uint64_t)i, odd, (uint64_t)d))
                return 0;
            w[2] = (double)odd;
            quotient = w[2] / power;
        }
    }
    w[0] = plan->unit * quotient;
    w[1] = pe__product_minus(plan->unit, quotient, w[0]);
    return 1;
}

/* Returns a bound of the error that a sine or cosine of a pair inherits from the pair's frequency.
   `angle` is |angle| in half-turns. For PE_COLUMNS_SUMS, the sum of |frequency times coordinate|
   over the coordinates is used in place of `angle`. The bound is 0 if half_turns is set and the
   plan's two doubles are exactly the frequency, except with `given` or PE_ANGLE_FLOAT32. The
   factor 4 is pi, the radians in a half-turn, rounded up. */
PE__COLD double pe__inherited_error(const pe_plan *plan, size_t pair, double angle, int given)
{
    const double *const f = plan->frequency + pair;
    double w[3], size = 0;
    if (given) return 4 * angle * plan->error;
    if (plan->half_turns && !plan->float32 && pe__rational_frequency(plan, pair, w) && w[2] == 1 &&
        w[0] == f[0] && w[1] == f[plan->padded])
        return 0;
    if (!plan->point) return 4 * angle * plan->error;
    const double *m = plan->matrix + plan->first + pair;
    for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step)
        size += fabs(*m * plan->point[k]);
    size *= fabs(plan->unit) * (plan->half_turns ? 1 : pe__inverse_pi[0]);
    return 4 * size * plan->error;
}

/* Returns the error bound of pe__sincos_dd() for one sine (component 0) or cosine (1). It is
   tighter than pe__sincos_error() because the sine of an angle below 1/4 half-turn has a relative
   error. For angles up to 2^-800 half-turns it returns 1, which makes Ziv's test inconclusive,
   because products below 2^-900 lose bits. */
PE__COLD double pe__sincos_dd_error(const pe_plan *plan, size_t pair, double t, int component,
                                    int given)
{
    const double angle = fabs(pe__one_multiple(plan, pair, t) * plan->frequency[pair]);
    const double part = component == 0 && angle < 0.25 ? 4 * angle : 1;
    const double inherited = pe__inherited_error(plan, pair, angle, given);
    return angle > pe__exp2i(-800) ? part * pe__exp2i(-97) + inherited : 1;
}

/* Multiplies x by the exact frequency of a pair, in radians per position. If plan->half_turns is
   set, the frequency has a factor pi; x is not multiplied by this factor here. For PE_COLUMNS_SUMS,
   the frequency is the scale times the sum over all coordinates of the row. */
PE__COLD void pe__bigfloat_by_frequency(pe__bigfloat *x, const pe_plan *plan, size_t pair,
                                        int given)
{
    const int n = x->n;
    double rational[3] = {0, 0, 1};
    pe__bigfloat w = pe__bigfloat_of(plan->unit, n), y, z;
    if (given) {
        const double *const f = plan->frequency + pair;
        const pe__dd half_turns = {pe__splat(f[0]), pe__splat(f[plan->padded])};
        const pe__dd radians = pe__dd_renormalize(pe__dd_mul(half_turns, pe__dd_splat(pe__pi)));
        pe__bigfloat_mul_double(x, pe__first_lane(radians.hi)); /* hi is the caller's double */
        return;
    }
    if (plan->point) { /* the sums of PE_COLUMNS_SUMS */
        const double *m = plan->matrix + plan->first + pair;
        z = pe__bigfloat_of(0, n);
        for (size_t k = 0; k < plan->axes; k++, m += plan->matrix_step) {
            y = pe__bigfloat_of(*m, n);
            pe__bigfloat_mul_double(&y, plan->point[k]);
            pe__bigfloat_add(&z, &y, 1);
        }
        pe__bigfloat_mul(&w, &z);
    } else if (pe__rational_frequency(plan, pair, rational)) {
        w = pe__bigfloat_of(rational[0], n);
        pe__bigfloat_add_double(&w, rational[1]);
    } else {
        const pe__axis *axis;
        const double i = pe__frequency_index(plan, pair, &axis);
        y = pe__bigfloat_of(plan->base, n);
        z = pe__bigfloat_of(axis->denominator[0], n);
        pe__bigfloat_log(&y);
        pe__bigfloat_mul_double(&y, -i);
        pe__bigfloat_add_double(&z, axis->denominator[1]);
        pe__bigfloat_div(&y, &z);
        pe__bigfloat_exp(&y);
        pe__bigfloat_mul(&w, &y);
    }
    pe__bigfloat_mul(x, &w);
    /* The division comes last, so that the result is exact if it has at most n limbs. */
    if (rational[2] != 1) pe__bigfloat_div_double(x, rational[2]);
}

/* These are the values of 2 sin(k pi / 6) for k = 0 ... 11. The value 3 stands for an irrational
   number, +-3^(1/2). */
static const signed char pe__twice_sine[12] = {0, 1, 3, 2, 3, 1, 0, -1, 3, -2, 3, -1};

/* Replaces the angle x by its sine or, for component 1, its cosine. `given` means that the
 * frequency is the caller's double in radians. The angle is in half-turns if half_turns is set and
 * `given` is not, else in radians. If a multiple of 1/6 half-turn has a rational sine or cosine, 0,
 * +-1/2 or +-1, x becomes that exact value (point 3 of section 5.6). Returns 0 if more limbs are
 * needed to distinguish x from a multiple of 1/6, else 1. `enough` says that n limbs suffice to
 * distinguish every rational x from all multiples of 1/6 other than itself, or that more limbs are
 * not available. Then an x that cannot be distinguished from a multiple is taken to be it. */
PE__COLD int pe__bigfloat_sine(pe__bigfloat *x, int component, int half_turns, int enough,
                               int given)
{
    const int n = x->n;
    const double k = pe__round_to_integer(pe__bigfloat_to_double(x) *
                                          (!given && half_turns ? 2 : 0.6366197723675814));
    int quarter = (int)((uint64_t)(int64_t)k & 3) + component;
    pe__bigfloat y, z = pe__bigfloat_pi(n);
    if (!given && half_turns) {
        pe__bigfloat_add_double(x, -k / 2);
        y = *x;
        pe__bigfloat_mul_double(&y, 6);
        const double sixths = pe__round_to_integer(pe__bigfloat_to_double(&y));
        pe__bigfloat_add_double(&y, -sixths);
        if (!pe__bigfloat_has_sign(&y)) {
            const int twelfth = (3 * quarter + (int)sixths + 12) % 12;
            if (!pe__bigfloat_is_exact(&y) && !enough) return 0;
            if (pe__twice_sine[twelfth] != 3) {
                *x = pe__bigfloat_of(pe__twice_sine[twelfth] / 2.0, n);
                return 1;
            }
        }
        pe__bigfloat_mul(x, &z);
    } else {
        pe__bigfloat_mul_double(&z, -k / 2);
        pe__bigfloat_add(x, &z, 1);
    }
    y = *x;
    pe__bigfloat_mul(&y, x);
    y.sign = -y.sign;
    if (k == 0 && x->exponent < -560 && !pe__bigfloat_is_0(x)) {
        /* |x| is below 2^-560, so cos x and sin x / x are below 1 by less than 2^-1120. All numbers
           between 1 - 2^-1120 and 1 lead to the same rounded element, so take 1 - 2^-1120. */
        z = pe__bigfloat_of(1, n);
        y = z;
        y.exponent = -1119;
        pe__bigfloat_add(&z, &y, -1);
    } else {
        z = pe__bigfloat_series(&y, PE__TRIG, quarter & 1 ? 1 : 2);
    }
    if (quarter & 1) *x = z;
    else pe__bigfloat_mul(x, &z);
    if (quarter & 2) x->sign = -x->sign;
    return 1;
}

/* These are the quantities of a pair that are computed. The frequency w is in radians per position,
   t is the position, and A is the amplitude. PE__SINE is A sin(t w) and PE__COSINE is A cos(t w);
   their values, 0 and 1, are also those of `component`. PE__FREQUENCY is w. PE__WAVELENGTH is 2 pi
   / w, in positions. */
typedef enum pe__quantity { PE__SINE, PE__COSINE, PE__FREQUENCY, PE__WAVELENGTH } pe__quantity;

/* Returns the quantity `what` of a pair at position t, rounded once to the type that `drop` names
   (0: double; else the value of pe__dropped_bits()). `less` is subtracted from A sin(t w) or
   A cos(t w) before the rounding, so that pe__sincos_exact() gets the rest beyond a double.
   Computes with multi-limb integers, and increases the number of limbs until the rounding is
   certain. With PE__LIMBS limbs, a number that cannot be distinguished from a midpoint is taken to
   be it. */
PE__COLD double pe__round_quantity(const pe_plan *plan, size_t pair, double t, pe__quantity what,
                                   int given, double less, int drop)
{
    const int half_turns = !given && plan->half_turns && !plan->float32;
    const pe__axis *axis = plan->axis;
    const double i = given ? 0 : pe__frequency_index(plan, pair, &axis);
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        const int last = n == PE__LIMBS;
        const int enough =
            last || (!given && plan->base != 0 && 32.0 * n > 512 + 53 * i / axis->denominator[0]);
        const int number = !given && what >= PE__FREQUENCY;
        pe__bigfloat x = pe__bigfloat_of(number ? 1 : pe__one_multiple(plan, pair, t), n);
        pe__bigfloat w = pe__bigfloat_pi(n);
        double y;
        if (given || !plan->float32) pe__bigfloat_by_frequency(&x, plan, pair, given);
        else if (number) pe__bigfloat_mul_double(&x, plan->float32[pair]);
        if (number) {
            if (half_turns) pe__bigfloat_mul(&x, &w);
            w.exponent++;
            if (what == PE__WAVELENGTH) {
                pe__bigfloat_div(&w, &x);
                x = w;
            }
        } else {
            if (!pe__bigfloat_sine(&x, what == PE__COSINE, half_turns, enough, given)) continue;
            pe__bigfloat_mul_double(&x, plan->amplitude);
            pe__bigfloat_add_double(&x, -less);
        }
        if (pe__bigfloat_round(&x, drop, last, &y)) return x.sign == 0 ? 0 * plan->amplitude : y;
    }
}

/* Computes the values that pe__sincos_dd() approximates, with each lane correctly rounded: hi is
   the rounded sine or cosine, and lo is the exact value minus hi, rounded. */
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

/* Returns a pair's frequency in radians per position (what: PE__FREQUENCY) or its wavelength in
   positions (PE__WAVELENGTH), rounded once to the type that `drop` names (0: double; else the value
   of pe__dropped_bits()). */
PE__DIVIDES_BY_ZERO /* with frequency 0 the wavelength is infinity: see pe_plan_wavelengths() */
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

/* Returns 1 and sets *y to an element if its angle is found to be exactly a multiple of 1/6
   half-turn, with a rational sine or cosine. This is 0, +-1/2 or +-1. Without half_turns, only the
   angle 0 can be such a multiple. Returns 0 also where products are not exact in double; then
   pe__round_quantity() recognises the multiple. */
PE__COLD int pe__round_rational_angle(const pe_plan *plan, double t, size_t pair, int component,
                                      int drop, double *y)
{
    const double a = plan->amplitude;
    double w[3];
    if (plan->float32 || !pe__rational_frequency(plan, pair, w) || w[1] != 0) return 0;
    const double p = t * w[0], six = 6 * p, rounded = pe__round_to_integer(six / w[2]);
    const double right = rounded * w[2];
    if (pe__product_minus(t, w[0], p) != 0 || (p == 0 && w[0] != 0)) return 0; /* p is inexact */
    if (six != right || pe__product_minus(6, p, six) != pe__product_minus(rounded, w[2], right))
        return 0;
    if (!plan->half_turns && p != 0) return 0;
    const int twelfth = (int)(((int64_t)rounded % 12 + 12 + 3 * component) % 12);
    if (pe__twice_sine[twelfth] == 3) return 0;
    *y = a * (pe__twice_sine[twelfth] / 2.0);
    if (drop && *y != 0) *y = (double)pe__round_once(*y, 0, 1, drop);
    return 1;
}

/* Sets *y to A sin x for a tiny angle x and returns whether the rounding is certain. The number
   multiple 2^exponent is the position or, with PE_ANGLE_FLOAT32, the angle in radians. Powers of
   two are kept separate, so that all factors are near 1. Returns 0 if x may be pi 2^-59 radians or
   more. */
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

/* Sets *y to an element of a tiny angle, and returns whether the rounding is certain. A tiny angle
 * may be out of range of doubles, or its cosine too close to 1 for double-double. If the angle x
 * may be pi 2^-40 radians or more, the function returns 0. Otherwise:
 *
 *     A cos x is between A (1 - 2^-77) and A. Apart from A itself, no midpoint of two numbers is
 *         within 2^-54 |A| of A. So A cos x rounds as any number slightly nearer to 0 than A does.
 *     A sin x is A x (1 - d). If x is below pi 2^-59, d is below 2^-117. Then Ziv's test is applied
 *         to A x. A x is a product of numbers near 1 and a power of two, with a relative error of
 *         2^-100 plus the error inherited from the frequency. For larger x, returns 0. */
PE__COLD int pe__round_tiny_angle(const pe_plan *plan, double t, size_t pair, int component,
                                  int given, int drop, double *y)
{
    const double f = plan->frequency[pair], multiple = pe__one_multiple(plan, pair, t);
    const double a = plan->amplitude;
    /* multiple may be subnormal, but pe__frexp() needs normal numbers */
    const double enlarged = fabs(multiple) < pe__exp2i(-900) ? pe__exp2i(120) : 1;
    int of_multiple, of_f;
    if (f == 0 || multiple * enlarged == 0) return 0;
    const double m = pe__frexp(multiple * enlarged, &of_multiple);
    (void)pe__frexp(f, &of_f);
    if (enlarged > 1) of_multiple -= 120;
    if (of_multiple + of_f > -40) return 0;
    if (pe__inherited_error(plan, pair, fabs(f), given) > fabs(f) * pe__exp2i(-80))
        return 0; /* the terms of PE_COLUMNS_SUMS cancel; the sum may be 0 */
    if (component == 0) return pe__round_tiny_sine(plan, pair, m, of_multiple, given, drop, y);
    *y = drop ? (double)pe__round_once(a, -a * pe__exp2i(-60), 1, drop) : a;
    return 1;
}

/* Returns an element correctly rounded: A times the sine (component 0) or cosine (1) of a pair at
 * position t, in the type that `drop` names (0: double; else the value of pe__dropped_bits()). The
 * argument `approx` is the sine or cosine from pe__sincos_dd(), times plan->mantissa, as a sum of
 * two doubles. It is NULL if the caller has not computed it, as for floats. Tries, in this order:
 *   1. an angle of exactly 0
 *   2. if approx is NULL, pe__round_tiny_angle()
 *   3. double-double with Ziv's test
 *   4. pe__round_tiny_angle()
 *   5. if `given` is 0, pe__round_rational_angle()
 *   6. pe__round_quantity() with multi-limb integers, which always decides */
PE__COLD double pe__round_element(const pe_plan *plan, double t, size_t pair, int component,
                                  int given, int drop, const double *approx)
{
    const double *const w = plan->float32 ? plan->float32 : plan->frequency;
    double own[2], y;
    if (!plan->point && (t == 0 || w[pair] == 0)) { /* a sum that is 0 is found below */
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

/* This is the type of the two functions below, which call pe__round_element() with a constant
   `given`: 0 for any plan, 1 for frequencies that are the caller's doubles in radians. The argument
   `known` is `approx` of pe__round_element(). Row kernels call them through a pointer, so that a
   program that uses only given frequencies contains no code for the frequencies of a config. */
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

/* ==== src/sincos/bounds.h ==== */
/* This file has the error budget of rows whose sines and cosines are computed in double, the proof
 * of the rounding test, and the bounds that the test uses. The rounding errors of the polynomials
 * and of a rotation are proved by tests/checks/gappa.sh. Centres and rotated rows are measured by
 * tests/unit/numbers/test_budget.c. */

/* ---- 5.7 sines and cosines in double ------------------------------------------------------------
 * All elements of a single row come from pe__sincos(); none is rotated. In a run, 17 rows are a
 * block. The middle row of a block is its anchor. Rotation row b of the plan, 1 <= b <= 8, rotates
 * the anchor to the rows anchor + b and anchor - b. Up to 17 blocks share one centre, which is the
 * anchor of the middle block. The rotation rows 17, 34 ... 136 rotate the centre, forward or
 * backward, to the other anchors. The centre comes from pe__sincos() or, with PE_SLEEF and more
 * than 2 blocks, from SLEEF. Step 5 below says where positions beyond plan->double_range differ. */

/* Rounding test: why floats are correctly rounded
 *
 * 0. Symbols. x is the true element, y the computed one, and |y - x| <= e. A is the amplitude.
 * Kernels compute y' = y (1 + eta) with a small eta > 0, so that y' is not nearer to 0 than x,
 * unless y itself is near 0 (step 7). Step 6 gives e, and step 8 gives eta.
 *
 * 1. Units. Errors are in units of u = 2^-53, for amplitude 1. An error is the length of the error
 * vector of (sine, cosine), because a rotation mixes the errors of the two components. The relative
 * error of a rounding is at most 1 unit, so rounding both components adds at most 1 to the vector.
 * The absolute error of rounding a number below 1 is at most 1/2 unit.
 *
 * 2. pe__sincos(), with the full polynomials. "Unfused" means without fused multiply-add. The
 * terms are
 *     1.00  the rounding of the factor A (1 + eta): along the vector
 *     1.18  the residual z of the argument reduction, |z| <= 1/4 + 2^-17, rounded twice:
 *           pi (2^-56 + 2^-55), across the vector. Unfused, only the last rounding counts, which is
 *           pi 2^-55: 0.79
 *     0.01  the error of the angle, also across the vector: at most pi 2^-62 for positions up to
 *           plan->double_range
 *     3.25  the polynomials with rounded coefficients, as a vector; unfused 3.40. The error of
 *           sin(pi z) alone is 2.69, that of cos(pi z) alone is 2.04, unfused 2.35. gappa.sh proves
 *           the bounds of the two components, in each of three intervals of the factor's mantissa
 *     0.04  the approximation error of the polynomials (tests/tools/lacks.py)
 * Along and across are perpendicular, so the sum is (1.00^2 + 1.19^2)^(1/2) + 3.25 + 0.04: at most
 * 4.85, unfused 4.74.
 *
 * A single row needs the error of one component. For a sine the terms are 2.69 from the polynomial,
 * 0.71 from the term along the vector, 0.84 from the terms across it, and 0.04. Their sum is 4.28.
 * The values 0.71 and 0.84 are for 45 degrees, where their sum is about largest. The error of a
 * cosine is smaller. The bound pe__bound_full_poly is 4.375.
 *
 * 3. A centre from SLEEF. The terms are
 *     4.95  sine and cosine, 3.5 ulp each (u35)
 *     1.90  the angle and the residual z, as in step 2, and the rounding of the correction in
 *           pe__sincos_sleef(), which adds the derivative times `low`
 *     2.00  the rounding of the factor A (1 + eta) and of the products with it
 * The sum is 8.85, unfused 8.46.
 *
 * 4. One rotation of a pair (s, c) by the sine and cosine (S, C) in a rotation row. The terms are
 *     0.71  the rounding of S and C
 *     2.00  the rounding of a product and of the sum. Unfused, two products and the sum are
 *           rounded: again 2 for one component, since |sC| + |cS| <= 1. The vector, from which the
 *           next rotation starts, has 2.42 unfused: (1 + 4 |sc SC|)^(1/2) <= 2^(1/2) from the
 *           products, 1 from the sum
 * The sum is 2.71; unfused 3.13 as a vector, 2.71 for one component of the result.
 *
 * 5. A row of a run is at most two rotations from its centre. The bound pe__bound_run is
 *     10.75   without SLEEF: 4.85 + 2.71 + 2.71 = 10.27, unfused 4.74 + 3.13 + 2.71 = 10.58
 *     14.375  with SLEEF: 14.27, unfused 14.30
 * For positions beyond plan->double_range, pe__sincos_dd() replaces pe__sincos() if its error is
 * below 44 units. Otherwise, correctly rounded elements replace it (pe__compute_centre_far()).
 * pe__bound_far is 60, fused or unfused. It covers the 44 units, 0.71 for omitting the low doubles
 * of sines and cosines, and 2 for the factor A (1 + eta) and the products with it. It also covers
 * 3.13 + 2.71 for two rotations.
 *
 * 6. pe__ziv_round() multiplies y' by 1 - eta + eta^2, which undoes 1 + eta. Three roundings add to
 * the error. The factor 1 - eta + eta^2 adds 0.5, its product with y' adds 1, and the sum y + e or
 * y - e adds 1. Hence e is 2.5 units more than the bounds of steps 2 and 5.
 *
 * 7. The test. Where float(y - e) = float(y + e), this float is the answer (Ziv's test). The hot
 * loop tests a condition that is sufficient for it and costs only a few integer operations. The
 * condition is on y' = y (1 + eta). If |y| >= 2^-12 |A|, the error of y is at most eta |y|. Then
 * |y'| is never below the true |x|, and at most 2 eta |x| above. So float(y') is wrong only if a
 * midpoint of two floats is at |y'| or at most 2 eta |x| below. The 29 bits that rounding to float
 * drops (PE__DROPPED) show this: their value is then in [2^28, 2^28 + 2 eta 2^53]. With the most
 * significant of the 29 bits flipped, this interval is [0, 2 eta 2^53]. So the hot loop keeps two
 * running minima:
 *     The minimum of the dropped bits, with the most significant one flipped. If it is within the
 *     window, 2 eta 2^53, the vectors are flagged.
 *     The minimum of the floats' magnitudes (with AVX2, of the upper halves of the doubles). If it
 *     is below the guard, the vectors are flagged. At or above the guard, |y| >= 2^-12 |A|, and the
 *     float is normal.
 * A few elements in 10,000 are flagged. Ziv's test is then applied to their group, or to their
 * vector if that is the end of a row (pe__round_flagged(), pe__store_partial()).
 *
 * 8. eta is the bound of step 2 or 5 plus 1/8 unit, divided by 2^-12, because |y| may be as small
 * as 2^-12 |A|. The 1/8 is needed because the factor 1 + eta also multiplies the error.
 *
 * 9. A single row of floats, at position t, has a narrower window, and a guard in proportion to
 * |t|. Nothing is rotated after pe__sincos(), so all errors except the angle's are relative. The
 * terms, in units of 2^-48, are
 *    22.00  the approximation error of the short polynomials (tests/tools/lacks.py)
 *     0.25  the roundings, at most 8 u: 1 u for the factor A (1 + eta), 2 u for the residual z, 4 u
 *           for sin(pi z) / z and 1 u for its product with z. cos(pi z) has 5 u in place of the
 *           last two (gappa.sh)
 *     0.79  the error of the angle. It is at most pi 2^-62 |t| / plan->double_range, and above the
 *           guard |y| >= 2^-12 |A t| / plan->double_range
 * The sum is 23.04. pe__bound_short_poly has 24, so the window 2 eta 2^53 is 24 2^6. Flagged
 * vectors are computed again with the full polynomials, and rounded with the e of
 * pe__bound_full_poly.
 *
 * 10. In a run, slow pairs, those of low frequency, do not need the guard |y| >= 2^-12 |A|. Let t
 * be the position of the row. Let T be the largest |position| of the centre, the anchors and the
 * plan's rotation rows on the way to the row. Let f be the magnitude of a pair's frequency, in
 * half-turns per position. The pair is slow if f T <= 1/4. Then no sine on the way is larger than
 * pi f T, and the row's own sine is at least 0.9 pi f |t|. The terms of the sine's error, in units
 * of u pi f T, are
 *     11  the centre, whose errors are relative
 *     16  the first rotation: 2 for the plan's sine and its product, 12 for the centre's cosine,
 *         the plan's cosine and their product, 2 for the sum
 *     20  the second rotation, in which the cosine that is rotated is off by 15 units
 * These 47 units are 52 T / |t| units relative to the row's sine. For T <= PE__SLOW_RATIO |t| this
 * is less than eta, which is 2^12 (10.75 + 1/8) units, or more with SLEEF. T is at most
 * |t| + 144 + 8, so T <= PE__SLOW_RATIO |t| holds for |t| >= 0.2 (pe__slow_from()). */
enum { PE__SLOW_RATIO = 800 };

/* The constants of the rounding test for one kind of rows, for amplitude 1. The steps are those of
   the comment above. PE__BOUND computes them from two numbers. `units` is the error bound of step 2
   or 5, in units of 2^-53. `window` is the window in multiples of 2^12: 2 (units + 1/8), rounded
   up. The divisors are 2^53 and 2^41; pe__bound_short_poly, from step 9, also has 2^48. */
typedef struct pe__bound {
    double error, eta; /* error is e of step 6; eta is eta of step 8 or 9 */
    int32_t window;    /* 2 eta 2^53; PE__BOUND rounds it up to a multiple of 2^12 */
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

/* Returns the guard of the rounding test, as the bits of a float: floats with a smaller magnitude
   are flagged. The guard is 2^-12 share |amplitude|, increased by the factor 1 + 1 / 1024, because
   a float may be less than the double that it was rounded from. `share` is 1 for the pairs of a
   run, |t| / plan->double_range for a single row at position t, and 0 for slow pairs. The guard is
   at least a normal float. If |amplitude| is above 2^127, elements may be infinite, and the guard
   is INT32_MAX, which flags all floats. */
PE__INLINE int32_t pe__guard(double amplitude, double share)
{
    const double size = fabs(amplitude);
    const float minimum = (float)(size * (1.0009765625 / 4096) * share);
    int32_t guard = pe__float_bits(minimum);
    if (guard < 0x00800001) guard = 0x00800001; /* just above the smallest normal float */
    return size > pe__exp2i(127) ? INT32_MAX : guard;
}

/* Returns whether position t is out of range of the double kernel; true for NaN. */
PE__INLINE int pe__is_far(const pe_plan *plan, double t)
{
    return !(fabs(t) <= plan->double_range);
}

/* ==== src/plan/fields.h ==== */
/* These functions set fields of a plan that follow from its amplitude, from its frequencies, and
 * from the kind of positions that a call has. Tested by tests/unit/plan/test_conventions.c and
 * tests/unit/positions/test_at.c. */

/* Sets the amplitude A of a plan, the mantissa and the power of two whose product is A, and the
   guard of the rounding test. */
static inline void pe__plan_set_amplitude(pe_plan *plan, double amplitude)
{
    int exponent;
    plan->amplitude = amplitude;
    plan->mantissa = pe__frexp(amplitude, &exponent);
    plan->scale = pe__exp2i(exponent);
    plan->guard = pe__guard(amplitude, 1);
}

/* Sets plan->error to the bound of the frequencies' relative error, and plan->fastest to their
   largest magnitude, in half-turns per position. Also sets plan->double_range, the largest
   |position| for the double kernel. Up to it, an angle is at most 2^36 half-turns and inherits an
   error of at most 2^-62 half-turns from its frequency. For frequencies below 2^-900 or of 0, the
   range is that of 2^-900, which keeps it finite. */
static inline void pe__plan_set_range(pe_plan *plan, double error, double fastest)
{
    const double maximum = pe__exp2i(-62) / error;
    const double half_turns = maximum < pe__exp2i(36) ? maximum : pe__exp2i(36);
    plan->fastest = fastest;
    plan->error = error;
    plan->double_range = half_turns / (fastest > pe__exp2i(-900) ? fastest : pe__exp2i(-900));
}

/* Set *own to a copy of the plan, changed as `positions` requires. If pe_delta() made them, the
   amplitude becomes 1, and there is no offset and no padding position. If pe_back() made them, the
   offset and the padding position change sign, as the positions do when they are read. */
PE__COLD void pe__view_other(const pe_plan *plan, const pe_at *positions, pe_plan *own)
{
    *own = *plan;
    if (positions->delta) {
        pe__plan_set_amplitude(own, 1.0);
        own->offset = 0;
        own->has_padding = 0;
    }
    if (positions->back) {
        own->offset = -own->offset;
        own->padding = -own->padding;
    }
}
/* Returns the plan for a call at `positions`: plan itself, or a changed copy in *own. */
PE__INLINE const pe_plan *pe__view(const pe_plan *plan, const pe_at *positions, pe_plan *own)
{
    if (!positions->delta && !positions->back) return plan;
    pe__view_other(plan, positions, own);
    return own;
}

/* ==== src/plan/rotation.h ==== */
/* Computes the rotation rows of a plan, by which other rows are rotated. Tested by
 * tests/unit/numbers/test_budget.c. */

/* PE__BLOCK_HALF is the number of rows of a block on each side of its anchor. PE__BLOCK_ROWS is the
   number of rows of a block, with the anchor. */
enum { PE__BLOCK_HALF = 8, PE__BLOCK_ROWS = 2 * PE__BLOCK_HALF + 1 };

/* Writes the rotation rows 1 ... 8 and 17, 34 ... 136 to table. Rotation row n has an array of the
 * pairs' sines at position n, then an array of their cosines. Row 1 comes from pe__sincos_dd(). Row
 * b is row b / 2 rotated by row b - b / 2, with integer division. Row 17 is row 8 rotated by row 9,
 * which is not written. Row 17 * b is row 17 * (b / 2) rotated by row 17 * (b - b / 2).
 *
 * All arithmetic is double-double. The result is rounded to double when it is written. The error of
 * row 1, at most pe__sincos_error() at position 1, grows in proportion to the row number. A
 * rotation itself adds less than 2^-100 (pe__dd_rotate()). Four vectors are computed together,
 * because each operation on one vector waits for the one before. */
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

/* Returns the address of rotation row `multiple` (level 0) or 17 * multiple (level 1), for a
   multiple of 1 ... 8. Its sines begin there, its cosines plan->padded doubles later. For a
   multiple of 0, which needs no rotation, it returns row 1, so that the address is valid. */
PE__INLINE const double *pe__rotation_row(const pe_plan *plan, size_t level, int64_t multiple)
{
    const size_t index = multiple ? level * PE__BLOCK_HALF + (size_t)multiple - 1 : 0;
    return plan->table + 2 * index * plan->padded;
}

/* ==== src/plan/config.h ==== */
/* Makes the default config and the presets. tests/unit/plan/test_conventions.c compares their rows
 * with the formulas of the projects, tests/checks/parity.sh with the code of models. */

/* ---- 5.8 plans ----------------------------------------------------------------------------------
 * The memory of a plan holds, in this order:
 *     up to 63 bytes before the next multiple of 64
 *     2 arrays: the frequencies, as sums of two doubles; an array of the first doubles, then one of
 *         the second. With PE_ANGLE_FLOAT32 all sums are 1 / pi
 *     1 array, only with PE_ANGLE_FLOAT32: the frequencies rounded to float
 *     16 rows of 2 arrays each: the rotation rows, unless PE_ANGLE_FLOAT32 is set or
 *         expected_rows is 1 ... PE__TABLE_MIN_ROWS - 1
 *     2 bytes per pair: plan->order, only if the pairs are sorted by coordinate
 * With PE_COLUMNS_SUMS, the 63 bytes are followed by one array for each coordinate: plan->matrix.
 *
 * An array has plan->padded doubles. In it, the pairs of each axis begin at a multiple of 8, except
 * if plan->joint is set. A vector may be loaded that starts at any pair. The padding lanes after
 * the last pair of an axis repeat this pair, so that the rounding test flags them only where it
 * flags the pair itself. */

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
    } presets[] = {
#define PE__PRESET(preset, layout, exponent, shift, odd, cos_first, offset, multiple, axes)        \
    {PE_LAYOUT_##layout,                                                                           \
     PE_EXPONENT_##exponent,                                                                       \
     shift,                                                                                        \
     PE_ODD_##odd,                                                                                 \
     cos_first,                                                                                    \
     offset,                                                                                       \
     multiple,                                                                                     \
     axes},
        PE__PRESETS(PE__PRESET)
#undef PE__PRESET
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
/* Checks a config, and computes the axes, the number of arrays and the size of its plan, before the
 * plan is built. Tested by tests/unit/api/test_errors.c. */

/* If there are at least this many consecutive rows, the plan's table of rotation rows saves more
   time than it costs. Measured at d_model = 512: 35 rows with AVX-512, 38 with AVX2. One number
   serves all instruction sets, since every one makes the same plan. */
enum { PE__TABLE_MIN_ROWS = 36 };

/* Returns whether the config has several axes and lays out their columns as `columns`. */
PE__INLINE int pe__has_columns(const pe_config *config, pe_columns columns)
{
    return config->axes > 1 && config->columns == columns;
}

enum { PE__STATIONARY = 255 }; /* in a list of coordinates, it marks a pair that never rotates */

/* Returns how many arrays of plan->padded doubles a plan for `rows` expected rows has. `rows` is 0
   if the number is unknown, which is treated as many rows. */
PE__COLD size_t pe__array_count(const pe_config *config, size_t rows)
{
    if (pe__has_columns(config, PE_COLUMNS_SUMS)) return config->axes;
    if (config->angle == PE_ANGLE_FLOAT32) return 3;
    return rows == 0 || rows >= PE__TABLE_MIN_ROWS ? 2 + 2 * 2 * PE__BLOCK_HALF : 2;
}

/* Sets d[0] and d[1] so that their exact sum is the D of the exponent i / D, for an axis of the
   given width. With at most one pair, i is 0 and D does not matter, so it is set to 1. It is also 1
   with PE_EXPONENT_INDEX. */
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

/* Returns an error text if D of an axis is not above 0, or if its first or last frequency is out of
   bounds. Otherwise returns NULL. The other frequencies are between these two. */
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
    /* Here the exponents alone show that `first` and `last`, below, would be less than 21 in
       magnitude, so no logarithm is needed. */
    if (fabs((double)of_scale) + steps * (fabs((double)of_base) + 1) < 18) return NULL;
    const double first = pe__log2(s) + by_pi;
    const double last = first - steps * pe__log2(config->base);
    if (!pe__between(first, -960 - little, 21 + little) ||
        !pe__between(last, -960 - little, 21 + little))
        return "frequencies must be within 2^-960 ... 2^21: scale, half_turns or base are too "
               "large or too small for this width";
    return NULL;
}

/* Changes a plan of one axis to `axes` axes, for pairs that are sorted by coordinate. The axes
   share one layout. The first axis keeps all pairs, and the others have none. The padding grows by
   three vectors, because four vectors may be loaded that start at any pair. */
PE__INLINE void pe__plan_join_axes(pe_plan *plan, size_t axes)
{
    plan->axes = axes;
    plan->joint = 1;
    plan->padded += 3 * PE__MAX_LANES;
    for (size_t a = 1; a < axes; a++) plan->axis[a].pair = plan->padded;
}

/* Returns whether a list has the needed length. A length of 0 means unknown, and is accepted. Any
   other length needs a list that is not NULL. */
PE__INLINE int pe__list_ok(const void *list, size_t length, size_t needed)
{
    return length == 0 || (list && length == needed);
}

/* Returns whether all coordinates of a list are below `axes` or PE__STATIONARY. Returns 1 if the
   list is NULL, which means that there is none. */
PE__INLINE int pe__coordinates_ok(const uint8_t *coordinate, size_t pairs, size_t axes)
{
    int ok = 1;
    for (size_t i = 0; coordinate && i < pairs; i++)
        ok &= coordinate[i] < axes || coordinate[i] == PE__STATIONARY;
    return ok;
}

/* Sets the columns, pairs and denominators of a plan's axes, and the fields d_model, axes, pairs,
   padded, joint and step of the plan. Sets all other fields to zeros. Returns an error text if the
   axes are invalid, otherwise NULL. */
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
        /* If columns is odd, there is one sine more or, with cos_first, one cosine more. */
        const size_t columns = width - axis->zeros;
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
    for (size_t a = 0; a < all; a++) { /* sets the columns of the first sine and first cosine */
        pe__axis *const axis = &plan->axis[a];
        const size_t own = axis->zero - axis->sines - axis->cosines;
        const size_t first = steps ? a : joined && halves ? axis->pair : own;
        const size_t gap = steps || joined ? pairs : axis->pairs; /* columns from half to half */
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

/* Returns an error text if the config is invalid. Otherwise sets the fields of *plan that
   pe__plan_set_axes() sets, and returns NULL. It is inlined into its two callers, so that a program
   that never asks for the texts does not contain them. */
PE__INLINE const char *pe__plan_error(const pe_config *config, pe_plan *plan)
{
    if (!config) return "config is NULL";
    const size_t maximum = PTRDIFF_MAX / sizeof(double) / pe__array_count(config, 0) / 2;
    const double steps = config->offset * 1048576.0; /* 2^20 */
    if (config->d_model < 1 || config->d_model >= maximum)
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
    if ((unsigned)config->columns > PE_COLUMNS_SUMS) return "columns must be one of PE_COLUMNS_...";
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
    if (!pe__magnitude_between(config->amplitude, pe__exp2i(-1000), pe__exp2i(1000)))
        return "amplitude must be within 2^-1000 ... 2^1000 in magnitude";
    if (!pe__magnitude_between(config->scale, pe__exp2i(-900), pe__exp2i(21)))
        return "scale must be within 2^-900 ... 2^21 in magnitude";
    if (!pe__between(config->exponent_shift, -pe__exp2i(60), pe__exp2i(60)))
        return "exponent_shift must be within -2^60 ... 2^60";
    if (!pe__between(config->offset, -pe__exp2i(31), pe__exp2i(31)) ||
        steps != (double)(int64_t)steps)
        return "offset must be a multiple of 2^-20 within -2^31 ... 2^31";
    return pe__plan_set_axes(plan, config);
}

/* Returns the bytes of memory that a plan takes, with 63 bytes for the alignment. `listed` is 1 if
   the pairs will be sorted by coordinate, which takes two bytes per pair (plan->order). */
PE__INLINE size_t pe__plan_memory(const pe_plan *plan, const pe_config *config, int listed)
{
    const size_t arrays = pe__array_count(config, config->expected_rows);
    return plan->padded * arrays * sizeof(double) + (listed ? 2 * plan->pairs : 0) + 63;
}

/* Sets the fields of *plan that pe__plan_set_axes() sets, and returns the bytes of memory that the
   plan takes. Returns 0 if the config is NULL or invalid. */
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
/* Builds plans in the caller's memory: frequencies and rotation rows. tests/unit/rows/test_bounds.c
 * and tests/unit/numbers/test_budget.c test them. */

/* Copies fields of the config to a plan whose axes are set, and sets the addresses of the plan's
   arrays. `memory` is aligned to 64 bytes. */
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

/* Returns the address of a plan's order, which comes after the arrays and has two bytes for each
   pair. The first plan->pairs bytes are the places of the pairs, each counted from the first of the
   PE__SORT_PAIRS pairs that are sorted together. The caller sets the other bytes to the
   coordinates of the pairs. pe__plan_sort_pairs() replaces them by the segments. */
static inline uint8_t *pe__order_memory(const pe_plan *plan, const pe_config *config,
                                        double *memory)
{
    return (uint8_t *)(memory + pe__array_count(config, config->expected_rows) * plan->padded);
}

/* Finds the order of a plan's pairs by coordinate; pe__plan_sort_array() moves them. `order` is
 * from pe__order_memory(), and its second half holds the coordinates. Its first half gets the new
 * place of each pair. Every PE__SORT_PAIRS pairs are sorted on their own. Among them, the pairs of
 * one coordinate become a segment: they get consecutive places. Stationary pairs come last, as
 * coordinate PE_MAX_AXES.
 *
 * The segments replace the coordinates. The byte at the first place of a segment is its coordinate,
 * and the next byte is its number of pairs minus 1. A segment of one pair has only one byte, which
 * is the coordinate + PE__SEGMENT_OF_ONE. Bytes at later places of a segment are 0. */
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

/* Moves the element of each pair in an array of a plan to the place that plan->order gives it. */
static inline void pe__plan_sort_array(const pe_plan *plan, double *array)
{
    double all[PE__SORT_PAIRS];
    for (size_t begin = 0, n; begin < plan->pairs; begin += n, array += n) {
        n = pe__min(plan->pairs - begin, PE__SORT_PAIRS);
        memcpy(all, array, n * sizeof *all);
        for (size_t i = 0; i < n; i++) array[plan->order[begin + i]] = all[i];
    }
}

/* Fills the padding of an array. Repeats the last pair of each axis up to the first pair of the
   next axis. After the last axis, repeats its last pair up to plan->padded. For an axis without
   pairs, the element before it is repeated, or 0 if there is none. */
static inline void pe__plan_pad(const pe_plan *plan, double *array)
{
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *axis = &plan->axis[a];
        const size_t end = a + 1 < plan->axes ? plan->axis[a + 1].pair : plan->padded;
        for (size_t i = axis->pair + axis->pairs; i < end; i++) array[i] = i ? array[i - 1] : 0;
    }
}

/* Completes a plan whose frequencies are in memory. Sorts them if the plan has an order, pads them,
   and computes the range and, if the plan has memory for them, the rotation rows. With
   PE_ANGLE_FLOAT32, writes the frequencies rounded to float to the third array, and 1 / pi to the
   first two. Until then plan->float32 is NULL, so that pe__plan_quantity() reads the frequencies
   themselves. `error` bounds the relative error of the frequencies. `fastest` is the largest
   magnitude of a frequency, in half-turns per position; rounding to float may increase it. */
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

/* Begins every init. Sets the plan to zeros, which every call refuses. Returns PE_ERR_NULL if a
   pointer is NULL, else PE_OK. */
static inline pe_status pe__init_begin(pe_plan *plan, const void *config, const void *memory)
{
    if (!plan) return PE_ERR_NULL;
    memset(plan, 0, sizeof *plan); /* cppcheck-suppress memsetClassFloat ; 0 bits are 0.0 */
    return config && memory ? PE_OK : PE_ERR_NULL;
}

/* Computes the frequencies of the config, as sums of two doubles, in the first two arrays of the
   plan's memory f, and completes the plan. */
static inline void pe__plan_fill_geometric(pe_plan *made, const pe_config *config, double *f)
{
    double fastest = 0, steps = 0, fall = 0;
    const pe__td frequency_scale = pe__frequency_scale(config->scale, config->half_turns);
    for (size_t a = 0; a < made->axes; a++) {
        const pe__axis *axis = &made->axis[a];
        pe__geometric g;
        if (axis->pairs == 0) continue;
        const size_t last = axis->pairs - 1;
        g.step = pe__geometric_step(config->base, axis->denominator);
        pe__geometric_begin(&g, &frequency_scale);
        pe__geometric_fill(&g, 0, axis->pairs, f + axis->pair, made->padded);
        const double begin = f[axis->pair], end = f[axis->pair + last];
        fastest = pe__max_abs(fastest, pe__max_abs(begin, end));
        steps = pe__max_abs(steps, (double)last / axis->denominator[0]);
        fall = pe__max_abs(fall, begin / end);
    }
    /* In half-turns, with PE_EXPONENT_INDEX (D = 1) and a power of two as base, each frequency is
       the scale times a power of two: all are exact. */
    int exponent;
    made->exact_frequencies = config->half_turns && config->exponent == PE_EXPONENT_INDEX &&
                              pe__frexp(config->base, &exponent) == 0.5;
    /* frequencies/geometric.h derives the error. The last term is for powers of base^(-1 / D)
       below 2^-900, whose last double is subnormal: its error of 2^-1070 is relative to a power of
       at least 1 / fall. `fall` is the largest ratio of an axis' first to its last frequency. */
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
        const double w = omega[i];
        if (pe__is_zero(w) || (pe__magnitude_between(w, pe__exp2i(-900), pe__exp2i(900)) &&
                               pe__magnitude_between(w * scale, pe__exp2i(-960), pe__exp2i(21))))
            continue;
        if (index) *index = i;
        if (pe__is_nan(w)) return "a frequency is not a number";
        return "a frequency must be 0, or within 2^-900 ... 2^900 and, times the scale, within "
               "2^-960 ... 2^21 in magnitude";
    }
    return NULL;
}

/* Loads a vector from the n doubles at x. If n is less than PE_LANES, the other lanes are 0. */
PE__INLINE pe__vd pe__load_n(const double *x, size_t n)
{
    double all[PE_LANES];
    if (n >= PE_LANES) return pe__load(x);
    for (size_t k = 0; k < PE_LANES; k++) all[k] = k < n ? x[k] : 0;
    return pe__load(all);
}

/* Returns 1 if the n frequencies at omega are certainly within the bounds of pe_frequency_error().
   If it returns 0, the test is inconclusive, and pe_frequency_error() must check them, which takes
   longer. It returns 1 if each |w| is at least 2^-900, |scale| is at least 2^-50, and the sum of
   all (w scale)^2 is at most 2^41. These conditions imply the bounds. If n is no multiple of
   PE_LANES, it returns 0, because the lanes after the last frequency are 0. */
PE__OUTLINE int pe__frequencies_ok(const double *omega, size_t n, double scale)
{
    const pe__vd low = pe__splat(pe__exp2i(-900));
    pe__vd sum = pe__splat(0.0), minimum = pe__splat(1.0);
    double squares[PE_LANES], all = 0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd w = pe__load_n(omega + i, n - i);
        sum = pe__fma(w, w, sum);
        minimum = pe__min_vd(pe__abs(w), minimum);
    }
    pe__store(squares, sum);
    for (size_t k = 0; k < PE_LANES; k++) all += squares[k];
    return !pe__unequal(pe__min_vd(minimum, low), low, low, low) && fabs(scale) >= pe__exp2i(-50) &&
           pe__between(all * scale * scale, 0, pe__exp2i(41));
}

/* Writes n frequencies, omega times frequency_scale, as sums of two doubles: the first doubles to
   f, the second ones to f + padded. Their relative error is at most 2^-104. Writes whole vectors,
   so up to PE_LANES - 1 more doubles to each array. omega may be f. Returns the largest magnitude.
   It is out of line, because its caller is inlined into pe__plan_build(), which calls cold
   functions and so is not optimised for speed. */
PE__OUTLINE double pe__scale_omega(const double *omega, size_t n, const pe__td *frequency_scale,
                                   double *f, size_t padded)
{
    const pe__vd a = frequency_scale->a, b = frequency_scale->b;
    pe__vd largest = pe__splat(0.0);
    double lanes[PE_LANES], fastest = 0;
    for (size_t i = 0; i < n; i += PE_LANES) {
        const pe__vd x = pe__load_n(omega + i, n - i);
        pe__dd y;
        y.hi = pe__two_prod(x, a, &y.lo);
        y.lo = pe__mul(x, b) + y.lo; /* not fused: same bits on every machine */
        y = pe__dd_renormalize(y);
        largest = pe__min_vd(largest, -pe__abs(y.hi));
        pe__store(f + i, y.hi);
        pe__store(f + padded + i, y.lo);
    }
    pe__store(lanes, largest);
    for (size_t k = 0; k < PE_LANES; k++) fastest = pe__max_abs(fastest, lanes[k]);
    return fastest;
}

/* Writes the caller's frequencies omega, as sums of two doubles, to the first two arrays of the
   plan's memory f, and completes the plan. Sets plan->base to 0, which says that frequencies are
   given. omega may be f. */
static inline void pe__plan_fill_omega(pe_plan *made, const pe_config *config, const double *omega,
                                       double *f)
{
    const pe__td frequency_scale = pe__frequency_scale(config->scale, config->half_turns);
    double fastest = 0;
    made->base = 0;
    made->exact_frequencies = made->half_turns;
    for (size_t a = 0, n; a < (made->joint ? 1 : made->axes); a++, omega += n) {
        double *const first = f + made->axis[a].pair;
        n = made->joint ? made->pairs : made->axis[a].pairs;
        fastest =
            pe__max_abs(fastest, pe__scale_omega(omega, n, &frequency_scale, first, made->padded));
    }
    pe__plan_finish(made, pe__exp2i(-104), fastest, f);
}

/* For PE_COLUMNS_SUMS: fills f with the matrix of frequencies, one array for each coordinate, from
   omega[pairs][axes]. They are not scaled. plan->fastest bounds their scaled magnitudes. */
static inline void pe__plan_fill_matrix(pe_plan *made, const pe_config *config, const double *omega,
                                        double *f)
{
    const size_t each = made->axes;
    const double scale = pe__first_lane(pe__frequency_scale(config->scale, config->half_turns).a);
    made->base = 0;
    made->fastest = 0;
    for (size_t k = 0; k < each; k++) {
        for (size_t i = 0; i < made->pairs; i++) {
            f[k * made->padded + i] = omega[i * each + k];
            made->fastest = pe__max_abs(made->fastest, omega[i * each + k] * scale);
        }
        pe__plan_pad(made, f + k * made->padded);
    }
    made->fastest *= 1 + pe__exp2i(-50);
}

/* Builds a plan from the config or, if `given` is set, from the `pairs` frequencies omega. Returns
   PE_OK, or an error; the memory is then untouched, and *plan is all zeros. */
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
    if (!given && sums) return PE_ERR_SUMS;
    if (given && pairs != made.pairs) return PE_ERR_PAIRS;
    const size_t numbers = pairs * (sums ? made.axes : 1);
    if (given && !pe__frequencies_ok(omega, numbers, config->scale) &&
        pe_frequency_error(config, omega, numbers, NULL))
        return PE_ERR_FREQUENCY;
    if (memory_size < size) return PE_ERR_MEMORY;
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
/* Computes frequencies as float32 code does, and reads back a plan's frequencies and wavelengths.
 * tests/unit/plan/test_conventions.c tests them. */

/* Returns 2^x rounded once to float, which is 0 if x is below -150. x must be above -1000. It is,
   because |scale| is at most 2^21, and pe__plan_error() refuses configs whose frequencies, which
   include the scale, are below 2^-960. */
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
    if (pe__plan_bytes(config, &plan) == 0) return PE_ERR_CONFIG;
    if (plan.axes != 1 || !pe__between(config->base, 1, pe__exp2i(126))) return PE_ERR_BASE;
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
        /* With PE_FLOAT32_POW, base^(i / D) is 2^power. If it is at least 2^128 (1 - 2^-25), it
           rounds to infinity, and 1 / infinity is 0. log2 of this bound is 127.999999957004. */
        if (formula != PE_FLOAT32_POW)
            omega[i] = (double)pe__exp2_float(pe__td_div(pe__td_splat((double)x), ln_2));
        else if (pe__first_lane(power.a) > 127.999999957004) omega[i] = 0;
        else omega[i] = (double)(1 / pe__exp2_float(power));
    }
    return PE_OK;
}

/* Writes the frequency or the wavelength (`what`) of each pair to out, axis after axis, in the
   order that the pairs had before pe__plan_sort_pairs(). Returns PE_OK or the error. */
static inline pe_status pe__plan_quantities(const pe_plan *plan, pe__quantity what, double *out)
{
    if (!plan || !out) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (plan->matrix) return PE_ERR_SUMS;
    for (size_t a = 0; a < plan->axes; a++)
        for (size_t i = 0; i < plan->axis[a].pairs; i++) {
            const size_t index = plan->axis[a].pair + i;
            const size_t pair =
                plan->order ? index - index % PE__SORT_PAIRS + plan->order[index] : index;
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
/* Computes phase increments of frequencies, with multi-limb integers of 320 bits. Tested by
 * tests/unit/fixed/test_fixed.c. */

/* PE__INCREMENT_LIMBS is the number of limbs of a frequency and of its increment while it is
   computed. A frequency up to 2^21 and its increment need 128 + 21 correct bits, and computing the
   exponential loses about 20. Ten limbs have 320 bits, so they are enough. */
enum { PE__INCREMENT_LIMBS = 10 };

/* Sets increment[0] ... increment[3], the lowest word first, to x / (2 pi) modulo 1, times 2^128,
   rounded, where x is a frequency in radians per position. Changes x. */
PE__COLD void pe__increment(pe__bigfloat *x, uint32_t *increment)
{
    const int n = PE__INCREMENT_LIMBS;
    pe__bigfloat two_pi = pe__bigfloat_pi(n);
    uint32_t rounded[PE__INCREMENT_LIMBS + 1] = {1}; /* half of the last bit that stays */
    two_pi.exponent++;
    memset(increment, 0, 4 * sizeof *increment);
    if (pe__bigfloat_is_0(x)) return;
    pe__bigfloat_div(x, &two_pi);
    (void)pe__limbs_shift(x->d, n + 1, x->exponent - 32 * n + 129); /* 128 bits and 1 to round */
    pe__limbs_add(rounded, x->d, n + 1, 0);
    (void)pe__limbs_shift(rounded, n + 1, -1);
    pe__limbs_add(increment, rounded, 4, x->sign < 0);
}

/* Returns whether pe_fixed.h can use the frequency w, in radians per position: 0, or within
   2^-56 ... 2^21 in magnitude. */
PE__COLD int pe__increment_exists(double w)
{
    return pe__is_zero(w) || pe__magnitude_between(w, pe__exp2i(-56), pe__exp2i(21));
}

PE_API pe_status pe_fixed_increments(const pe_plan *plan, uint32_t *increments)
{
    if (!plan || !increments) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (plan->axes != 1 || plan->half_turns || plan->offset != 0 || plan->float32 || plan->matrix ||
        plan->order)
        return PE_ERR_PLAN_FIXED;
    for (size_t i = 0; i < plan->axis[0].pairs; i++)
        if (!pe__increment_exists(pe__plan_quantity(plan, i, PE__FREQUENCY, 0)))
            return PE_ERR_INCREMENT;
    for (size_t i = 0; i < plan->axis[0].pairs; i++) {
        pe__bigfloat x = pe__bigfloat_of(1, PE__INCREMENT_LIMBS);
        pe__bigfloat_by_frequency(&x, plan, i, 0);
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
        if (!pe__increment_exists(omega[i])) return PE_ERR_INCREMENT;
    for (size_t i = 0; i < pairs; i++) {
        pe__bigfloat x = pe__bigfloat_of(omega[i], PE__INCREMENT_LIMBS);
        pe__increment(&x, increments + 4 * i);
    }
    return PE_OK;
}

/* ==== src/sincos/double.h ==== */
/* Computes sines and cosines in double, with polynomials or SLEEF, for single rows and for the
 * centres of runs. The polynomials' rounding errors are proved by tests/checks/gappa.sh, and the
 * rows are tested by tests/unit/rows/test_exact.c. */

/* These are polynomials in z^2 that approximate sin(pi z) / z and cos(pi z) for |z| <= 1/4 + 2^-16.
   The coefficients are computed by generate/coefficients.py; the constant one is first. The full
   polynomials are as accurate as doubles allow. The short ones have a relative error of 2^-43.5 and
   are used for single rows of floats. Each array has 8 elements, so that it can be loaded as whole
   vectors. The elements that are not given are 0 and belong to no polynomial. */
static const double pe__sine_poly[8] = {
    3.141592653589793,   -5.167712780049902,    2.5501640398663756,    -0.5992645285425086,
    0.08214585826766622, -0.007369878107647829, 0.0004608082212324812,
};
static const double pe__cosine_poly[8] = {
    1.000000000000000,   -4.934802200544679,   4.058712126416665,     -1.3352627688430903,
    0.23533062976217894, -0.02580687517771109, 0.0019293402224194124, -0.00010298062483467203,
};
static const double pe__sine_poly_short[8] = {
    3.141592653589779,   -5.167712780033853,  2.550164036906897,
    -0.5992643283013662, 0.08213972184305013, -0.00728308458904634,
};
static const double pe__cosine_poly_short[8] = {
    1.000000000000000,   -4.934802200494251,  4.058712115380634,
    -1.3352619773843104, 0.23530570185317123, -0.025448615526125998,
};

/* The coefficients that pe__sincos() uses, set by pe__scale_sincos_poly(): sine and cosine have
   those of the full or the short polynomials, times a factor. The argument reduction adds
   quadrant_shift to an angle to round it to a whole number of quadrants. */
typedef struct pe__sincos_poly {
    double sine[8], cosine[8], quadrant_shift;
} pe__sincos_poly;

/* Sets *poly to the polynomials times factor: the full ones if `full` is set, else the short ones.
   Adding quadrant_shift to an angle in half-turns rounds it to the nearest multiple of 1/2, that
   is, to a whole number of quadrants, and adds `quadrants` to that number. So the sines and cosines
   are those of the angle plus `quadrants` quadrants. */
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

/* Does one step of Horner's scheme for four vectors: y[n] = y[n] x[n] + number. */
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

/* A pe__pending holds four vectors of pairs that wait for their conversion from double to float.
   A call of pe__sincos() converts the vectors of the call before it while it computes its own. The
   conversion is a third of the work. If it came after the polynomials, its instructions would wait
   for their operands and fill the processor's queues. */
typedef struct pe__pending {
    /* a and b have the first and the second component of each pair. k is used by AVX-512 alone, and
       only if split is 0: it has the quadrants by which pe__zip_rotated() rotates the pairs while
       it interleaves them. */
    pe__doubles4 a, b, k;
    /* The floats. If split is 0, vector n interleaves a[n] and b[n]. Otherwise the four vectors
       have the floats of a[0] and a[1], of b[0] and b[1], of a[2] and a[3], and of b[2] and
       b[3]. */
    pe__floats4 v;
    pe__rounding_test test; /* the rounding test of these four vectors of pairs */
    int split;              /* 1: v has first and second components in vectors of their own */
} pe__pending;

/* Computes vector n of x->v (0 <= n < 4), and adds it and the doubles a[n] and b[n] to the rounding
   test. If x->split is set, vector n is not made of a[n] and b[n]. After the calls for all four n,
   the test has all doubles and all floats in either case. */
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
    double t; /* the position; negated where cosines come first, see pe__single_poly() */
} pe__sincos_args;

/* Sets s and c to the sines and cosines of the angles at position arguments->t, in double, times
 * the factor of the polynomials. Computes four vectors of pairs, starting at index i of the plan's
 * arrays. A vector that would begin after pair `last` repeats the vector that begins at `last`. The
 * argument `full` is 1 if arguments->poly has the full polynomials, and 0 if it has the short ones.
 *
 *   1. Argument reduction: the angle is a whole number of quadrants plus a residual z, with |z| at
 *      most 1/4 + 2^-17 half-turns.
 *   2. The polynomials give sin(pi z) and cos(pi z).
 *   3. The number of quadrants says whether sine and cosine are exchanged, and which signs change.
 *      With AVX-512, and a `pending` that is not split, pe__zip_rotated() does this later: s and c
 *      are then those of z, and the quadrants are stored in pending->k.
 *
 * The four vectors are computed together, because each operation on one vector must wait for the
 * operation before it. In between, the doubles of `pending` are converted to floats, unless pending
 * is NULL. */
PE__INLINE void pe__sincos(const pe__sincos_args *arguments, int full, size_t i, size_t last,
                           pe__vd *s, pe__vd *c, pe__pending *pending)
{
    const pe_plan *const plan = arguments->plan;
    const pe__sincos_poly *const w = arguments->poly;
    const double t = arguments->t;
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
    if (pending && PE_LANES == 8) { /* gcc and clang schedule these best together */
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
        pending->k = quadrant; /* pe__zip_rotated() will rotate the pairs */
        return;
    }
    pe__rotate_quadrant(k[0], &s[0], &c[0]);
    pe__rotate_quadrant(k[1], &s[1], &c[1]);
    pe__rotate_quadrant(k[2], &s[2], &c[2]);
    pe__rotate_quadrant(k[3], &s[3], &c[3]);
}

/* Stores the results of pe__sincos() with the full polynomials, which arguments->poly must have:
   four vectors of sines to s, four of cosines to c. These are PE__SINCOS_PAIRS doubles each. The
   loop over a single row calls pe__sincos() directly instead. */
enum { PE__SINCOS_PAIRS = 4 * PE_LANES };
PE__OUTLINE void pe__sincos_store(const pe__sincos_args *arguments, size_t i, size_t last,
                                  double *s, double *c)
{
    pe__vd sine[4], cosine[4];
    pe__sincos(arguments, 1, i, last, sine, cosine, NULL);
    for (size_t n = 0; n < 4; n++) {
        pe__store(s + n * PE_LANES, sine[n]);
        pe__store(c + n * PE_LANES, cosine[n]);
    }
}

#if PE_SLEEF
/* Computes the sines *s and cosines *c of the vector that starts at index `pair`, at position t,
   times factor, with SLEEF. The angle is reduced modulo 2 half-turns first, to x in [-1.25, 1.25],
   because SLEEF returns a constant for arguments above 2.5e8. The rounding error of x is `low`, in
   half-turns and, after the product with pi, in radians. Adding low times the derivative corrects
   it. */
PE__INLINE void pe__sincos_sleef(const pe_plan *plan, double factor, size_t pair, double t,
                                 pe__vd *s, pe__vd *c)
{
    const pe__vd f = pe__load(plan->frequency + pair), tt = pe__multiple(plan, pair, t);
    pe__vd k, low, sine, cosine;
    const pe__vd g = pe__load(plan->frequency + plan->padded + pair);
    const pe__vd shift = pe__splat(pe__quadrant_shift);
    const pe__vd z = pe__reduce(tt, f, g, shift, &k), quadrant = k - shift;
    const pe__vd even_quadrant = pe__round(quadrant * pe__splat(0.5)) * pe__splat(2.0);
    const pe__vd x = pe__fast_two_sum(quadrant - even_quadrant, z, &low);
    pe__sincospi(x, &sine, &cosine);
    low = low * pe__splat(3.141592653589793);
    *s = pe__fma(low, cosine, sine) * pe__splat(factor);
    *c = pe__fnma(low, sine, cosine) * pe__splat(factor);
}
#endif

/* Returns the pair at which to load a vector whose first pair is `pair`: `pair` itself, or an
   earlier one if the vector would reach beyond the plan's arrays. The arrays have at least 7
   elements after the last pair (plan->padded). So only a vector whose lanes are all padding is
   moved to an earlier pair. No row gets the values of padding lanes, so it does not matter which
   pairs they hold. */
PE__INLINE size_t pe__vector_pair(const pe_plan *plan, size_t pair)
{
    return pe__min(pair, plan->padded - PE_LANES);
}

/* ==== src/layouts/elements.h ==== */
/* Functions that load, store or add to elements of f32, f16 or bf16: the type is an argument.
 * Tested by tests/unit/simd/test_types.c. */

/* ---- 6.1 elements of 16 and 32 bits -------------------------------------------------------------
 * A kernel is written once for all three types. The type, a pe_type, is an argument; where the
 * kernel is inlined, it is a constant. */

/* Returns how many bits of the significand the last rounding to this type drops: PE__DROP_F32,
   PE__DROP_F16 or PE__DROP_BF16. */
PE__INLINE int pe__dropped_bits(pe_type kind)
{
    return kind == PE_TYPE_BF16 ? PE__DROP_BF16 : kind == PE_TYPE_F16 ? PE__DROP_F16 : PE__DROP_F32;
}

/* PE__FLOATS is the number of floats in a vector. */
enum { PE__FLOATS = 2 * PE_LANES };

PE__INLINE size_t pe__size_of(pe_type type)
{
    return type == PE_TYPE_F32 ? sizeof(float) : sizeof(uint16_t);
}

/* Return the address of element i of the array at p. */
PE__INLINE void *pe__at_element(pe_type type, void *p, size_t i)
{
    return (unsigned char *)p + i * pe__size_of(type);
}
PE__INLINE const void *pe__at_const(pe_type type, const void *p, size_t i)
{
    return (const unsigned char *)p + i * pe__size_of(type);
}

PE__INLINE pe__vf pe__get_as(pe_type type, const void *p)
{
    if (type == PE_TYPE_F32) return pe__get((const float *)p);
    return type == PE_TYPE_F16 ? pe__get_f16((const uint16_t *)p)
                               : pe__get_bf16((const uint16_t *)p);
}
PE__INLINE void pe__put_as(pe_type type, void *p, pe__vf v)
{
    if (type == PE_TYPE_F32) pe__put((float *)p, v);
    else if (type == PE_TYPE_F16) pe__put_f16((uint16_t *)p, v);
    else pe__put_bf16((uint16_t *)p, v);
}

/* Store the vector u at p and v at q, rounded to the type. For 16-bit types the test for NaNs takes
   most of the time, so one test serves both vectors. */
PE__INLINE void pe__put_two_as(pe_type type, void *p, pe__vf u, void *q, pe__vf v)
{
    uint16_t *const g = (uint16_t *)p, *const h = (uint16_t *)q;
    if (type == PE_TYPE_F32 || PE__UNLIKELY(pe__any_nan(u, v))) {
        pe__put_as(type, p, u);
        pe__put_as(type, q, v);
    } else {
        pe__put_h(g, type == PE_TYPE_BF16 ? pe__round_bf16(u) : pe__round_f16(u));
        pe__put_h(h, type == PE_TYPE_BF16 ? pe__round_bf16(v) : pe__round_f16(v));
    }
}

/* Store a0 b0 a1 b1 ... at p, rounded to f16 or bf16; the type may not be f32. No float may be a
   NaN or the midpoint of two numbers of the type. */
PE__INLINE void pe__put_zip_as(pe_type type, void *p, pe__vf a, pe__vf b)
{
    if (type == PE_TYPE_BF16) pe__put_zip_bf16((uint16_t *)p, a, b);
    else pe__put_zip_f16((uint16_t *)p, a, b);
}

/* pe__get_n_as() loads n elements at p, where n is at most PE__FLOATS; the other lanes are 0.
   pe__put_n_as() stores the first n lanes of v at p. */
PE__INLINE pe__vf pe__get_n_as(pe_type type, const void *p, size_t n)
{
    uint16_t h[PE__FLOATS] = {0};
    if (type == PE_TYPE_F32) return pe__get_n((const float *)p, n);
    memcpy(h, p, n * sizeof *h);
    return pe__get_as(type, h);
}
PE__INLINE void pe__put_n_as(pe_type type, void *p, pe__vf v, size_t n)
{
    uint16_t all[PE__FLOATS];
    if (type != PE_TYPE_F32) pe__put_as(type, all, v);
    if (type == PE_TYPE_F32) pe__put_n((float *)p, v, n);
    else memcpy(p, all, n * sizeof *all);
}

/* Return s x + row in f32, where s is *scale, or 1 if scale is NULL. The product and the sum are
   rounded. The scale is usually 1, whose bits are 0x3f800000. The branch then costs less than the
   multiplication. */
PE__INLINE pe__vf pe__scaled_sum(pe__vf x, const float *scale, pe__vf row)
{
    if (scale && pe__float_bits(*scale) != 0x3f800000) x = pe__mul_f32(pe__splat_f32(*scale), x);
    return pe__add_f32(x, row);
}

/* Add a row to n elements of x: x = s x + row, with s = *scale, or s = 1 if scale is NULL. Each
   product and each sum is rounded to f32. The sum is then rounded once more, to the type of x. */
PE__INLINE void pe__add_row_as(pe_type type, void *x, pe_type row_type, const void *row, size_t n,
                               const float *scale)
{
    size_t i = 0;
    for (; i + 2 * PE__FLOATS <= n; i += 2 * PE__FLOATS) {
        void *place = pe__at_element(type, x, i), *next = pe__at_element(type, x, i + PE__FLOATS);
        const pe__vf v = pe__get_as(row_type, pe__at_const(row_type, row, i));
        const pe__vf w = pe__get_as(row_type, pe__at_const(row_type, row, i + PE__FLOATS));
        pe__put_two_as(type, place, pe__scaled_sum(pe__get_as(type, place), scale, v), next,
                       pe__scaled_sum(pe__get_as(type, next), scale, w));
    }
    for (size_t m; i < n; i += m) {
        void *place = pe__at_element(type, x, i);
        m = pe__min(n - i, PE__FLOATS);
        const pe__vf v = pe__get_n_as(row_type, pe__at_const(row_type, row, i), m);
        pe__put_n_as(type, place, pe__scaled_sum(pe__get_n_as(type, place, m), scale, v), m);
    }
}

/* Add n floats of row to the elements of x. Each sum is rounded to f32, and then, if x has 16-bit
   elements, once more to their type. */
PE__OUTLINE void pe__add_row_floats(pe_type type, void *x, const float *row, size_t n)
{
    if (type == PE_TYPE_F32) pe__add_row_as(PE_TYPE_F32, x, PE_TYPE_F32, row, n, NULL);
    else if (type == PE_TYPE_F16) pe__add_row_as(PE_TYPE_F16, x, PE_TYPE_F32, row, n, NULL);
    else pe__add_row_as(PE_TYPE_BF16, x, PE_TYPE_F32, row, n, NULL);
}

/* ==== src/layouts/output.h ==== */
/* Describes the rows that a call writes, and chooses how they are stored: with ordinary or
 * non-temporal stores, or added to the elements there. Tested by tests/unit/rows/test_splits.c. */

/* ---- 6.2 where rows go --------------------------------------------------------------------------
 * An output describes the rows that a call writes: which pairs of a plan they have, where the sines
 * and cosines go, and how these are stored. */

/* A component order says in which order the sines s and cosines c of the pairs are in a row. The
   last two orders occur in RoPE's tables only. With PE__SPLIT the cosines may also come first: the
   output's fields sine and cosine say which. */
typedef enum pe__component_order {
    PE__SC,       /* s c s c */
    PE__CS,       /* c s c s */
    PE__SPLIT,    /* s s c c, or c c s s */
    PE__REPEATED, /* each s and c twice, the second output->repeat_offset elements later */
    PE__MATRIX    /* c -s s c for each pair */
} pe__component_order;

/* A store mode says how elements are stored. PE__STORE uses plain stores. PE__STORE_PREFETCHED also
   prefetches the cache lines of later rows (pe__prefetch_vectors()). PE__STREAM uses non-temporal
   stores. PE__ADD adds to the elements that are there. A call that adds rows sets PE__ADD. For any
   other call, pe__choose_store_mode() may replace PE__STORE by the second or third mode. */
typedef enum pe__store_mode { PE__STORE, PE__STORE_PREFETCHED, PE__STREAM, PE__ADD } pe__store_mode;

struct pe__output;
struct pe__span;
struct pe__block;

/* Adds the n floats of row (doubles for f64) to the elements at x: x = scale x + row, with the
   output's scale. Product and sum are rounded to f32 (f64: to double). For 16-bit elements, the sum
   is then rounded once more, to their type. */
typedef void pe__row_adder(const struct pe__output *output, unsigned char *x, const void *row,
                           size_t n);

/* An adder has the functions that add floats (doubles for f64) to elements of a type. A program
   that adds nothing refers to no adder, so it contains no code for adding. */
typedef struct pe__adder {
    /* Adds four vectors, which are passed in registers, at the addresses where pe__store_four()
       would store them. If sines and cosines are in halves, `across` is the number of bytes from
       the first sine to the first cosine. The pointer is NULL for f64. */
    void (*four)(const struct pe__output *output, unsigned char *p, ptrdiff_t across, pe__vf v0,
                 pe__vf v1, pe__vf v2, pe__vf v3);
    /* Adds any number of elements of a row. */
    pe__row_adder *partial;
} pe__adder;

/* Writes `rows` rows to the output's memory, the first at address output->out. They are the rows of
   the positions t, t + 1 and so on, which include the plan's offset. */
typedef void pe__row_writer(const struct pe__output *output, double t, size_t rows);

/* A row kernel has the code that depends on the type of elements, and on whether rows are filled or
   added. */
typedef struct pe__row_kernel {
    /* `row` writes one row, and `rows` writes several. pe__write_run() chooses one for a run. */
    pe__row_writer *row, *rows;
    /* Stores n zeros in a row, or adds them, starting at `column`. They belong to columns without a
       pair, or to a row at the padding position, where all columns are 0. */
    void (*zeros)(const struct pe__output *output, unsigned char *row, size_t column, size_t n);
    /* Writes the rows of a block in the columns of a span. `rows` calls it. It is NULL if `rows`
       itself does not rotate by the plan's rotation rows, as for f64 and in RoPE's tables. */
    void (*block)(struct pe__span *x, struct pe__block *block);
    /* Writes n row pairs of a block. Only pe__write_block_f32() calls it. It is NULL if `block` is
       another function or NULL. */
    void (*row_pairs)(struct pe__span *x, int64_t n);
    /* Adds rows to elements of the type; NULL if rows are filled. */
    const pe__adder *adder;
} pe__row_kernel;

/* An output says what a call writes: its rows and, in these, the columns of one axis or a part of
   them. The function pe__output_of() sets the fields that depend on the call's arguments, and
   pe__set_axis() those that depend on an axis. */
typedef struct pe__output {
    const pe__row_kernel *kernel;
    size_t rows, columns; /* `rows` is the number of rows of the call. `columns` is its stride: the
                             number of elements from the start of a row to the start of the next */
    const pe_plan *plan;
    size_t pair, coordinate; /* `pair` is the index of the first pair in the plan's arrays.
                                `coordinate` is the coordinate of a row that the axis encodes   */
    unsigned char *out;      /* address of column 0 of the first row                            */
    ptrdiff_t stride;        /* bytes from a row to the next; negative if positions descend     */
    size_t element;          /* size of an element in bytes: 2, 4 or 8                          */
    size_t sine, cosine;     /* columns of the first sine and the first cosine                  */
    size_t sines, cosines;   /* numbers of sines and of cosines. If the axis' width is odd, they
                                may differ by one. The larger one is the number of pairs        */
    pe__component_order order;
    pe__store_mode mode;
    double scale;             /* PE__ADD: x = scale x + PE; a float value unless elements are f64 */
    size_t prefetch_distance; /* PE__ADD, PE__STORE_PREFETCHED: bytes from an element to the cache
                                 line that is prefetched with it. May wrap around. A span has its
                                 own distances, see pe__set_prefetch_distance()                   */
    size_t peeled;            /* PE__STREAM: number of pairs before the first aligned address     */
    size_t repeat_offset;     /* PE__REPEATED: elements from the first copy of a sine or cosine to
                                 the second; else 0                                               */
    size_t padding_pairs;     /* the last so many of the pairs are padding after a segment (see
                                 rope/rows.h), which is never read; else 0                        */
    pe__element_rounder *round_element; /* rounds an element exactly where doubles do not suffice */
} pe__output;

/* Return the output of a call: `rows` rows, the first at out, each stride elements after the one
   before. The scale matters only if the mode is PE__ADD. The fields that depend on an axis are left
   unset for pe__set_axis(). */
PE__WRAPS /* the stride in bytes may wrap: it is used only after pe__check_output() */
PE__INLINE pe__output pe__output_of(void *out, size_t element, size_t rows, size_t stride,
                                    pe__store_mode mode, double scale, const pe__row_kernel *kernel)
{
    pe__output output;
    output.kernel = kernel;
    output.rows = rows;
    output.columns = stride;
    output.out = (unsigned char *)out;
    output.stride = (ptrdiff_t)(element * stride);
    output.element = element;
    output.mode = mode;
    output.scale = scale;
    return output;
}

/* Return an output at out whose rows hold the pairs [pair, pair + count) of the plan and nothing
   else: first the sines, then the cosines. Its store mode is PE__STORE. Its number of rows is left
   at 0, since the functions that write such an output get the number as an argument. */
PE__INLINE pe__output pe__output_split_with(pe__element_rounder *round_element,
                                            const pe__row_kernel *kernel, const pe_plan *plan,
                                            size_t pair, size_t count, void *out, size_t element)
{
    pe__output output = pe__output_of(out, element, 0, 2 * count, PE__STORE, 1, kernel);
    output.plan = plan;
    output.pair = pair;
    output.coordinate = plan->axis[0].coordinate;
    output.sine = 0;
    output.cosine = output.sines = output.cosines = count;
    output.order = PE__SPLIT;
    output.prefetch_distance = output.peeled = output.repeat_offset = output.padding_pairs = 0;
    output.round_element = round_element;
    return output;
}

PE__INLINE pe__output pe__output_split(const pe__row_kernel *kernel, const pe_plan *plan,
                                       size_t pair, size_t count, void *out, size_t element)
{
    return pe__output_split_with(pe__round_element_any, kernel, plan, pair, count, out, element);
}

/* Return the part of an output that holds at most count pairs, starting at index `pair` within the
   output. The prefetch distance of the part is the size of PE__BLOCK_ROWS rows. The distance may
   wrap around, since a prefetch from any address is harmless. */
PE__WRAPS
PE__INLINE pe__output pe__output_part(const pe__output *output, size_t pair, size_t count)
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

/* Return the address of column 0 of row r. */
PE__INLINE unsigned char *pe__row_address(const pe__output *output, size_t r)
{
    return output->out + (ptrdiff_t)r * output->stride;
}
/* Return the column of a row's first pair. With PE__SPLIT this is the column of its sine, even if
   the cosines come first. Otherwise it is the smaller of the pair's two columns. */
PE__INLINE size_t pe__first_column(const pe__output *output)
{
    return output->order == PE__SPLIT ? output->sine : pe__min(output->sine, output->cosine);
}

/* Set the fields of an output that depend on an axis, for the pairs and columns of this axis. */
PE__WRAPS /* the prefetch distance may wrap: any address may be prefetched */
static inline void pe__set_axis(pe__output *output, const pe_plan *plan, const pe__axis *axis)
{
    const size_t stride = (size_t)output->stride;
    output->plan = plan;
    output->pair = axis->pair;
    output->coordinate = axis->coordinate;
    output->sine = axis->sine;
    output->cosine = axis->cosine;
    output->sines = axis->sines;
    output->cosines = axis->cosines;
    output->order = plan->cos_first ? PE__CS : PE__SC;
    if (plan->layout == PE_LAYOUT_HALVES) output->order = PE__SPLIT;
    /* the size of as many rows as fit into 8 KB, or of one row if it is larger */
    output->prefetch_distance = pe__max(8192 / pe__max(stride, 1), 1) * stride;
    output->peeled = output->repeat_offset = output->padding_pairs = 0;
    output->round_element = pe__round_element_any;
}

/* Choose the store mode of an output that is not added to. Cache lines of an f32 output are
   prefetched (see pe__prefetch_vectors()) if the output has at least PE_STREAM_BYTES / 8 bytes,
   about the size of a second-level cache. Outputs of at least PE_STREAM_BYTES use non-temporal
   stores if they have 16-bit elements. Other outputs of this size use them only if all rows have
   the same alignment. That is, every row, and each half of a split row, must reach an aligned
   address after the same number of pairs, output->peeled. */
static inline void pe__choose_store_mode(pe__output *output)
{
    const size_t many = PE_STREAM_BYTES, vector = sizeof(pe__vf) / sizeof(float) * output->element;
    const size_t step = (output->order == PE__SPLIT ? 1 : 2) * output->element;
    const size_t front = pe__min(output->sine, output->cosine) * output->element;
    const size_t offset = ((uintptr_t)output->out + front) % vector;
    const size_t bytes = output->rows * output->plan->d_model * output->element;
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

/* ==== src/layouts/pairs.h ==== */
/* Moves pairs between layouts: interleaved, in halves, with columns of other coordinates in
 * between, with each element twice, and as matrices. Tested by tests/unit/plan/test_models.c. */

/* ---- 6.3 pairs in other layouts -------------------------------------------------------------- */

/* Copy an element of 1, 2, 4 or 8 bytes. A memcpy() of a constant size is compiled without a
   call. */
PE__INLINE void pe__copy_element(unsigned char *to, const unsigned char *from, size_t element)
{
    if (element == 4) memcpy(to, from, 4);
    else if (element == 2) memcpy(to, from, 2);
    else if (element == 8) memcpy(to, from, 8);
    else *to = *from;
}

/* Copy n elements of `element` bytes: in[0], in[in_step] ... to out[0], out[out_step] ... */
PE__INLINE void pe__copy_every(unsigned char *out, size_t out_step, const unsigned char *in,
                               size_t in_step, size_t n, size_t element)
{
    for (size_t i = 0; i < n; i++)
        pe__copy_element(out + i * out_step * element, in + i * in_step * element, element);
}

/* The columns of an axis are 1, 2 or 4 contiguous pieces of a row. Piece i, for i < count, has
   bytes[i] bytes and begins offset[i] bytes after the start of the row. */
typedef struct pe__pieces {
    size_t count, offset[4], bytes[4];
} pe__pieces;

PE__INLINE pe__pieces pe__pieces_of(const pe__output *output)
{
    const size_t e = output->element, sines = output->sines * e, cosines = output->cosines * e;
    const size_t sine = output->sine * e, cosine = output->cosine * e;
    const size_t repeat = output->repeat_offset * e;
    const size_t repeated = output->order == PE__REPEATED,
                 interleaved = repeated && repeat <= sines;
    pe__pieces p = {1, {pe__min(sine, cosine)}, {sines + cosines}};
    if (output->order == PE__MATRIX) p.bytes[0] *= 2;
    const int separate = sine + sines != cosine && cosine + cosines != sine;
    if (!repeated && (output->order != PE__SPLIT || !separate)) return p;
    p.count = repeated && !interleaved ? 4 : 2;
    p.offset[0] = sine;
    p.offset[1] = cosine;
    p.offset[2] = sine + repeat;
    p.offset[3] = cosine + repeat;
    p.bytes[0] = p.bytes[2] = interleaved ? 2 * sines : sines;
    p.bytes[1] = p.bytes[3] = interleaved ? 2 * cosines : cosines;
    return p;
}
PE__INLINE void pe__copy_row(const pe__pieces *p, unsigned char *row, const unsigned char *from)
{
    memcpy(row + p->offset[0], from + p->offset[0], p->bytes[0]);
    for (size_t i = 1; i < p->count; i++)
        memcpy(row + p->offset[i], from + p->offset[i], p->bytes[i]);
}

/* For PE_COLUMNS_FREQUENCIES: copy `rows` rows of a tile's pairs between the tile, which is on the
   stack, and the output, starting at row r of the output. In the output, the columns of
   consecutive pairs are plan->step elements apart. A row of the tile has the sines, then the
   cosines, without gaps. If out is 1, copy to the output; if it is 0, to the tile. */
PE__INLINE void pe__copy_strided(const pe__output *tile, const pe__output *output, size_t r,
                                 size_t rows, int out)
{
    const size_t n = tile->sines, e = output->element, pair = tile->pair - output->pair;
    const size_t step = tile->plan->step;
    for (size_t k = 0; k < 2 * rows; k++) { /* odd k: cosines */
        const size_t first = (k % 2 ? output->cosine : output->sine) + pair * step;
        unsigned char *const x = pe__row_address(output, r + k / 2) + first * e;
        unsigned char *const y = pe__row_address(tile, k / 2) + k % 2 * n * e;
        if (out) pe__copy_every(x, step, y, 1, n, e);
        else pe__copy_every(y, 1, x, step, n, e);
    }
}

/* Copy row r between an output and a buffer. A row in halves is copied half by half. In the buffer,
   its cosines begin `half` bytes after its sines. An interleaved row is copied as one piece. If in
   is 1, copy to the buffer, and set `zeros` bytes after each piece to 0. If in is 0, copy to the
   output, in its store mode. */
PE__INLINE void pe__copy_halves(const pe__output *output, size_t r, unsigned char *buffer,
                                size_t half, size_t zeros, int in)
{
    const int split = output->order == PE__SPLIT;
    const size_t e = output->element, column = pe__first_column(output);
    unsigned char *const row = pe__row_address(output, r);
    for (int k = 0; k <= split; k++, buffer += half) {
        unsigned char *const place = row + (k ? output->cosine : column) * e;
        const size_t n = (k ? output->cosines : output->sines + (split ? 0 : output->cosines)) * e;
        if (in) memset(buffer + n, 0, zeros);
        if (in) pe__copy(buffer, place, n, 0);
        else pe__copy(place, buffer, n, output->mode == PE__STREAM);
    }
}

/* Copy interleaved pairs at in, a0 b0 a1 b1 ..., as halves to out, a0 a1 ... b0 b1 ... */
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
    /* f16 elements are moved as if they were bf16: both conversions are exact. */
    for (; element == 2 && i + 4 * PE_LANES <= pairs; i += 4 * PE_LANES) {
        const uint16_t *const x = (const uint16_t *)(const void *)in + 2 * i;
        uint16_t *const y = (uint16_t *)(void *)out + i;
        const pe__vf a = pe__get_bf16_evens(x), b = pe__get_bf16_evens(x + 4 * PE_LANES);
        const pe__vf c = pe__get_bf16_odds(x), d = pe__get_bf16_odds(x + 4 * PE_LANES);
        pe__put_bf16_four(y, pe__unzip_evens(a, b), pe__unzip_odds(a, b), y + pairs,
                          pe__unzip_evens(c, d), pe__unzip_odds(c, d));
    }
    pe__copy_every(out + i * element, 1, in + 2 * i * element, 2, pairs - i, element);
    pe__copy_every(out + (pairs + i) * element, 1, in + (2 * i + 1) * element, 2, pairs - i,
                   element);
}

/* Write n pairs as matrices of four elements, c -s s c, from n sines s and n cosines c. Elements
   have 4 or 2 bytes. */
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

/* Copy n elements of in to every step-th element of out; step is 1 or 2. Unless repeat_offset is 0,
   copy each element a second time, repeat_offset elements later. If step is 2, repeat_offset is 0
   or 1. */
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
    for (size_t k = 0; k <= repeat_offset; k++)
        pe__copy_every(out + (2 * i + k) * element, 2, in + i * element, 1, n - i, element);
}

/* Write the pairs [pair, pair + n) of a row of a RoPE table, which has the layout of `to`. The n
   sines and then the n cosines of these pairs are at `row`. In the table, the cosine and sine of
   pair 0 of this row are at the addresses `cosines` and `sines`. Matrices need only `cosines`. */
PE__INLINE void pe__write_table_pairs(const pe__output *to, unsigned char *cosines,
                                      unsigned char *sines, size_t pair, const unsigned char *row,
                                      size_t n)
{
    const int interleaved =
        to->order == PE__SC || (to->order == PE__REPEATED && to->repeat_offset == 1);
    const size_t e = to->element, step = to->order == PE__MATRIX ? 4 : interleaved ? 2 : 1;
    const size_t offset = pair * step * e;
    if (step == 4) {
        pe__write_matrices(cosines + offset, row, row + n * e, n, e);
        return;
    }
    pe__copy_repeated(cosines + offset, row + n * e, n, e, step, to->repeat_offset);
    pe__copy_repeated(sines + offset, row, n, e, step, to->repeat_offset);
}

/* ==== src/layouts/order.h ==== */
/* Moves the sines and cosines of a row from the sorted order of a plan's arrays to the order that
 * the pairs have in a head. Tested by tests/unit/layouts/test_lists.c. */

/* Copy n items of `item_bytes` bytes from a plan's sorted order to the order of the pairs: item i
   of out is item order[i] of in. `order` has the bytes of n pairs in plan->order, and n is at most
   PE__SORT_PAIRS. A plan is sorted if plan->order is not NULL. Its arrays then hold the pairs of
   each coordinate together, as a segment (see pe__plan_sort_pairs()). pe__reorder() does the same,
   for item_bytes 2, 4, 8 or 16. */
PE__INLINE void pe__reorder_items(unsigned char *out, const unsigned char *in, const uint8_t *order,
                                  size_t n, size_t item_bytes)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * item_bytes, in + order[i] * item_bytes, item_bytes);
}
PE__OUTLINE void pe__reorder(unsigned char *out, const unsigned char *in, const uint8_t *order,
                             size_t n, size_t item_bytes)
{
    if (item_bytes == 2) pe__reorder_items(out, in, order, n, 2);
    else if (item_bytes == 4) pe__reorder_items(out, in, order, n, 4);
    else if (item_bytes == 8) pe__reorder_items(out, in, order, n, 8);
    else pe__reorder_items(out, in, order, n, 16);
}

/* Does what pe__unsort_row() does, for 16-bit elements. It is out of line so that its buffer is not
   on the stack while rows are computed. */
PE__OUTLINE void pe__unsort_row_16(unsigned char *out, const unsigned char *row,
                                   const uint8_t *order, size_t n)
{
    unsigned char copy[PE__SORT_PAIRS * sizeof(float)];
    pe__reorder(copy, row, order, n, 4);
    pe__deinterleave(out, copy, n, 2);
}

/* Copy a row of n pairs in sorted order, s c s c ..., to out: first the sines, then the cosines,
   both in the order of the pairs. `element` is the size of an element, 4 or 2 bytes. */
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

/* Change a row of a RoPE table from the plan's sorted order to the order of the pairs, by way of
   `buffer`. `to` has the layout of the finished table. `sorted` has the layout in which the row was
   computed. The row begins at the address `cosines` in the array of cosines, and at `sines` in that
   of sines. A table of matrices or complex numbers is one array, at `cosines`. */
PE__INLINE void pe__unsort_table_row(const pe__output *to, const pe__output *sorted,
                                     unsigned char *cosines, unsigned char *sines,
                                     unsigned char *buffer)
{
    const int matrix = to->order == PE__MATRIX;
    const size_t n = to->sines, e = to->element, item_bytes = matrix ? 4 * e : 2 * e;
    const uint8_t *const order = to->plan->order;
    if (matrix || to->order == PE__SC) {
        pe__reorder(buffer, cosines, order, n, item_bytes);
        memcpy(cosines, buffer, n * item_bytes);
        return;
    }
    if (sorted->order == PE__SPLIT) {
        pe__reorder(buffer, sines, order, n, e);
        pe__reorder(buffer + n * e, cosines, order, n, e);
    } else pe__unsort_row(buffer, cosines, order, n, e);
    pe__write_table_pairs(to, cosines, sines, 0, buffer, n);
}

/* ==== src/layouts/floats.h ==== */
/* Reads elements of f32, f16 or bf16 as floats: consecutive elements, every second or every fourth.
 * Tested by tests/unit/rope/test_tables.c. */

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

/* ==== src/rows/anchors.h ==== */
/* Computes anchors from their angles, rotates them from a centre, and places them in memory. Tested
 * by tests/unit/numbers/test_budget.c. */

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

/* ==== src/rows/row_pair_f32.h ==== */
/* The kernel of rows of floats: it rotates two rows at a time from their anchor, rounds and tests
 * them, and stores or adds them. Tested by tests/unit/rows/test_exact.c. */

/* ---- 6.4 two rows of floats ---------------------------------------------------------------------
 * The rows anchor + b and anchor - b are rotated from their anchor together, since they share two
 * products. A vector that the rounding test flags is rounded again by Ziv's test, and its undecided
 * lanes are rounded exactly. */

/* A span is the columns of a tile in a row pair, or in one row of it. Fields that are constant in a
   tile are set by pe__span_begin(), except slow and slow_guard, which pe__write_tile() sets. The
   fields a and b change from block to block. The fields row, position, ts, tc and prefetch_distance
   change from row pair to row pair.

   (a, b) is (sine, cosine), or (cosine, sine) where cosines come first (swapped). One kernel serves
   both orders, because the rotation that takes (s, c) forwards takes (c, s) backwards: only the two
   rows change places. So `swapped` matters in three kinds of places. In pe__span_begin(),
   pe__block_begin() and pe__write_far_row(), the components are set. In pe__set_row_pair(),
   pe__set_prefetch_distance() and pe__rotate_span_f32(), rows are chosen or advance. In
   pe__round_lanes(), pe__round_element_16() and pe__store_origin(), sines differ from cosines.

   The rounding test flags floats below a guard. The plan's guard is needed because small sines can
   have large relative errors. A pair is slow if its frequency is so low that the errors of its
   sines shrink with the sines: see pe__slow_from(). Slow pairs use slow_guard instead, which only
   flags floats that may be subnormal. */
typedef struct pe__span {
    const pe__output *output;
    const pe__bound *bound;
    const pe__adder *adder; /* adds floats to elements; NULL: floats are stored                 */
    const double *a, *b;    /* the anchor's first and second components, with a factor 1 + eta  */
    const double *ts, *tc;  /* sines and cosines of rotation row b; NULL: the row is the anchor */
    unsigned char *row[2];  /* where the rows anchor + b and anchor - b begin (if swapped, anchor -
                               b and anchor + b); NULL: this row is not written                 */
    double position[2];     /* the positions of these rows                                      */
    ptrdiff_t across;       /* split: bytes from the first sine to the first cosine             */
    size_t pair;            /* the index in the plan of the pair a[0], b[0]                     */
    size_t first, second;   /* number of first and of second components in the span             */
    size_t begin, end;      /* the pairs to write: begin ... end - 1, counted from a[0], b[0]   */
    size_t slow;            /* the first of the slow pairs, counted likewise; SIZE_MAX: none    */
    int32_t slow_guard;     /* guard of slow pairs, as bits of a float: just above the smallest
                               normal float; INT32_MAX, which flags all, if elements may be
                               infinite                                                         */
    size_t peeled;          /* PE__STREAM: pairs before the first aligned address               */
    pe__store_mode mode;
    float scale;                 /* PE__ADD: x = scale x + row                                    */
    size_t prefetch_distance[2]; /* of each row: bytes from an element to the prefetched line     */
    int split, swapped;          /* split: in halves; swapped: interleaved, cosines first         */
} pe__span;

/* Begins a span of all pairs of an output, none of them slow. The caller sets a, b, ts, tc, row and
   position later, and slow and slow_guard if pairs may be slow. */
PE__INLINE void pe__span_begin(pe__span *x, const pe__output *output, const pe__bound *bound,
                               const pe__adder *adder)
{
    x->output = output;
    x->bound = bound;
    x->adder = adder;
    x->pair = output->pair;
    x->split = output->order == PE__SPLIT;
    x->swapped = output->order == PE__CS;
    x->first = x->swapped ? output->cosines : output->sines;
    x->second = x->swapped ? output->sines : output->cosines;
    x->begin = 0;
    x->end = pe__max(output->sines, output->cosines);
    x->across = ((ptrdiff_t)output->cosine - (ptrdiff_t)output->sine) * (ptrdiff_t)output->element;
    x->peeled = output->mode == PE__STREAM ? output->peeled : 0;
    x->mode = output->mode;
    x->scale = (float)output->scale;
    x->prefetch_distance[0] = x->prefetch_distance[1] = output->prefetch_distance;
    x->slow = SIZE_MAX;
}

/* Rotate the vector of pairs at i to both rows. If both_rows is 0, only the row that is not NULL is
   computed. Its components are then a[0] and b[0] of the result, whichever row it is. If ts is
   NULL, that row is the anchor itself. */
PE__INLINE pe__rotated pe__rotate_at(const pe__span *x, size_t i, int both_rows)
{
    if (!both_rows && !x->ts) {
        pe__rotated r;
        r.a[0] = r.a[1] = pe__load(x->a + i);
        r.b[0] = r.b[1] = pe__load(x->b + i);
        return r;
    }
    pe__vd ts = pe__load(x->ts + i);
    if (!both_rows) ts = ts * pe__splat(x->row[0] ? 1.0 : -1.0);
    return pe__rotate(pe__load(x->a + i), pe__load(x->b + i), ts, pe__load(x->tc + i));
}

/* Round two vectors of doubles to floats: a0 a1 ... b0 b1 ... if split, else a0 b0 a1 b1 ... */
PE__INLINE pe__vf pe__round_two(pe__vd a, pe__vd b, int split)
{
    return split ? pe__join(a, b) : pe__zip(a, b);
}

/* Apply Ziv's test to two vectors. a and b hold y (1 + eta); multiplied by 1 - eta + eta^2 they are
   y, with the error interval y - e ... y + e. Returns y + e rounded to floats, in the order of
   pe__round_two(). Sets bit j of *undecided where y - e rounds to another float in lane j. */
PE__INLINE pe__vf pe__ziv_round(const pe__span *x, pe__vd a, pe__vd b, int split,
                                unsigned *undecided)
{
    const double eta = x->bound->eta;
    const pe__vd deflate = pe__splat(1 - eta + eta * eta);
    const pe__vd e = pe__splat(x->bound->error * fabs(x->output->plan->amplitude));
    a = a * deflate;
    b = b * deflate;
    const pe__vf above = pe__round_two(a + e, b + e, split);
    *undecided = pe__differ(above, pe__round_two(a - e, b - e, split));
    return above;
}

/* Return v with its undecided lanes rounded exactly. The lanes of v are components of the pairs
   that start at index k. They are interleaved or, if split, only first components (second = 0) or
   only second ones (second = 1). `side` is the row's index in x->row. Padding lanes repeat the last
   pair, so they may also be undecided. They are skipped, since they are never stored. */
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
                (float)x->output->round_element(x->output->plan, x->position[side], x->pair + pair,
                                                (int)component ^ x->swapped, PE__DROP_F32, NULL);
    }
    return pe__get(all);
}

/* Round two vectors of pairs of one row, starting at pair k, using Ziv's test. Round undecided
   lanes exactly. The components a and b are y[0] and y[1] for the first vector, y[2] and y[3] for
   the second. The floats are returned in v[0] and v[1] in the order of memory. If split, v[0] gets
   the first components and v[1] the second ones. */
PE__INLINE void pe__ziv_round_two(const pe__span *x, int side, size_t k, const pe__vd *y, pe__vf *v)
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

/* Round a group, the four vectors of pairs that start at pair i, in which the rounding test has
   flagged a vector. The floats of x->row[0] and x->row[1] are returned in v[0] and v[1]. If
   both_rows is 0, those of the one row that is not NULL are returned in v[0]. All four vectors are
   rounded, since it would take longer to find the flagged one. */
PE__OUTLINE void pe__round_flagged(const pe__span *x, size_t i, int both_rows, pe__floats4 *v)
{
    const int first = !both_rows && !x->row[0];
    for (size_t n = 0; n < 4; n += 2, i += 2 * PE_LANES) {
        const pe__rotated r = pe__rotate_at(x, i, both_rows),
                          s = pe__rotate_at(x, i + PE_LANES, both_rows);
        const pe__vd plus[4] = {r.a[0], r.b[0], s.a[0], s.b[0]};
        const pe__vd minus[4] = {r.a[1], r.b[1], s.a[1], s.b[1]};
        pe__ziv_round_two(x, first, i, plus, v[0].v + n);
        if (both_rows) pe__ziv_round_two(x, 1, i, minus, v[1].v + n);
    }
}

/* Return whether vectors that the rounding test w has flagged are also flagged with `guard`. The
   hot loop flags all pairs by the plan's guard. Slow pairs, which it flags needlessly, are cleared
   here with slow_guard. AVX2's test takes magnitudes from the doubles and flags every double of 2
   or more. Here magnitudes come from the floats, plus and minus, which have no limit of this
   kind. */
PE__INLINE int pe__confirm_flag(pe__rounding_test w, int32_t window, int32_t guard,
                                const pe__floats4 *plus, const pe__floats4 *minus)
{
    const pe__vf *const f = plus->v, *const b = minus->v;
#if PE_ISA == PE_ISA_AVX2
    const pe__vf f4 = pe__min_size(pe__min_size(f[0], f[1]), pe__min_size(f[2], f[3]));
    const pe__vf b4 = pe__min_size(pe__min_size(b[0], b[1]), pe__min_size(b[2], b[3]));
    /* 0x55: the lower halves of the doubles, which have the distances from midpoints */
    const unsigned flagged = pe__signs(w.low < INT32_MIN + (window << PE__TO_TOP)) & 0x55;
    return (flagged | pe__signs((pe__vi)pe__min_size(f4, b4) < guard)) != 0;
#else
    (void)f;
    (void)b;
    return pe__rounding_test_flagged(w, window, guard);
#endif
}

/* Round two vectors of pairs, r and s, of row `side` to floats in v[0] and v[1], and add them to
   the rounding test. The floats are in the order of memory. If split, v[0] has the first components
   and v[1] the second ones. */
PE__INLINE void pe__round_tested(const pe__rotated *r, const pe__rotated *s, int side, int split,
                                 pe__rounding_test *test, pe__vf *v)
{
    const pe__vd second = split ? s->a[side] : r->b[side], third = split ? r->b[side] : s->a[side];
    v[0] = pe__round_two(r->a[side], second, split);
    pe__rounding_test_add(test, r->a[side], second, v[0]);
    v[1] = pe__round_two(third, s->b[side], split);
    pe__rounding_test_add(test, third, s->b[side], v[1]);
}

/* Rotate the two vectors of pairs at i, round them to floats and add them to the rounding test. */
PE__INLINE void pe__rotate_group_half(const pe__span *x, size_t i, int both_rows, int split,
                                      pe__rounding_test *test, pe__vf *plus, pe__vf *minus)
{
    const pe__rotated r = pe__rotate_at(x, i, both_rows),
                      s = pe__rotate_at(x, i + PE_LANES, both_rows);
    pe__round_tested(&r, &s, 0, split, test, plus);
    if (both_rows) pe__round_tested(&r, &s, 1, split, test, minus);
}

/* Prefetch the lines that are prefetch_distance bytes after four vectors at p, p + at1, p + at2 and
   p + at1 + at2, each line once. Hardware prefetchers do not follow rows that alternate between
   anchor + b and anchor - b. Where rows are stored and not added, their lines are prefetched only
   if the second-level cache cannot hold the output (PE__STORE_PREFETCHED). */
PE__WRAPS /* the addresses may wrap: any address may be prefetched */
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

/* Add four vectors of floats to the elements of a type at the addresses of pe__store_four(). */
PE__INLINE void pe__add_four(pe_type type, float scale, size_t prefetch_distance, int split,
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
    pe__put_two_as(type, p, s0, p1, s1); /* after all sums, so that the scale is tested once */
    pe__put_two_as(type, p2, s2, p3, s3);
}

/* This says what a row pair kernel does with floats: it stores them, or adds them to elements of a
   type. */
typedef enum pe__sum {
    PE__NOT_ADDED = -1,
    PE__SUM_F32 = PE_TYPE_F32,
    PE__SUM_F16 = PE_TYPE_F16,
    PE__SUM_BF16 = PE_TYPE_BF16
} pe__sum;

/* Store, stream or add four vectors of row `side`, v[0] at p and the others after it. If split,
   v[1] and v[3] are x->across bytes after v[0] and v[2]. A row pair is added inline, since the type
   is a constant of its kernel. A single row (both_rows is 0) is added by a call of the adder, which
   knows the type. */
PE__INLINE void pe__store_four(const pe__span *x, pe__sum sum, int both_rows, int split, int side,
                               unsigned char *p, const pe__floats4 *four)
{
    const pe__vf *const v = four->v;
    const ptrdiff_t vector = (ptrdiff_t)(2 * PE_LANES * sizeof(float));
    const ptrdiff_t at1 = split ? x->across : vector, at2 = split ? vector : 2 * vector;
    float *const p0 = (float *)(void *)p, *const p1 = (float *)(void *)(p + at1);
    float *const p2 = (float *)(void *)(p + at2), *const p3 = (float *)(void *)(p + at1 + at2);
    if (sum != PE__NOT_ADDED) {
        pe__add_four((pe_type)sum, x->scale, x->prefetch_distance[side], split, p, x->across, four);
    } else if (PE__UNLIKELY(x->mode == PE__STREAM)) {
        pe__stream(p0, v[0]);
        pe__stream(p1, v[1]);
        pe__stream(p2, v[2]);
        pe__stream(p3, v[3]);
    } else if (both_rows || x->mode != PE__ADD) {
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

/* Store n floats at p, or add them. Half a vector and a whole vector are copied with a constant
   size, since compilers make no call of such a memcpy(). */
PE__INLINE void pe__store_floats(const pe__span *x, unsigned char *p, const float *v, size_t n)
{
    if (x->adder) x->adder->partial(x->output, p, v, n);
    else if (n == PE_LANES) memcpy(p, v, PE_LANES * sizeof *v);
    else if (n == 2 * PE_LANES) memcpy(p, v, 2 * PE_LANES * sizeof *v);
    else memcpy(p, v, n * sizeof *v);
}

/* Write row `side`, which is at position 0: all its sines are 0, and all its cosines are the
   amplitude. The rounding test would flag the zeros. With PE_TYPE_F32, floats are stored or, if the
   span has an adder, added to elements of its type. With a 16-bit type, elements are stored. */
PE__COLD void pe__store_origin(const pe__span *x, int side, pe_type type)
{
    enum { PE__SUMS = 16 };
    const size_t element = x->output->element;
    const double amplitude = x->output->plan->amplitude;
    const float sine = (float)(0 * amplitude);
    const float cosine = pe__round_once(amplitude, 0, 1, pe__dropped_bits(type));
    for (int component = 0; component <= x->split; component++) {
        unsigned char *const p = x->row[side] + (component ? x->across : 0);
        const size_t n = !x->split ? x->first + x->second : component ? x->second : x->first;
        float all[PE__SUMS];
        for (int j = 0; j < PE__SUMS; j++)
            all[j] = (x->split ? component : j % 2) == x->swapped ? sine : cosine;
        for (size_t i = 0, m; i < n; i += m) {
            m = pe__min(n - i, type == PE_TYPE_F32 ? (size_t)PE__SUMS : (size_t)PE__FLOATS);
            if (type == PE_TYPE_F32) pe__store_floats(x, p + i * element, all, m);
            else pe__put_n_as(type, p + i * element, pe__get(all), m);
        }
    }
}

/* Write part of the vector of pairs at i in each row that is not NULL: first_count first components
   and second_count second ones. The hot loop tests all pairs with the plan's guard, and tests
   flagged slow pairs again with slow_guard. Here slow pairs are tested with slow_guard only. This
   function is out of line because only the ends of a row need it, and its arrays would enlarge the
   loop's stack frame. */
PE__OUTLINE void pe__store_partial(const pe__span *x, size_t i, size_t first_count,
                                   size_t second_count)
{
    const int both_rows = x->ts != NULL; /* rotate to both rows, even if one is NULL */
    const pe__rotated r = pe__rotate_at(x, i, both_rows);
    const int32_t guard = i < x->slow ? x->output->plan->guard : x->slow_guard;
    const size_t e = x->output->element;
    pe__rounding_test test = pe__rounding_test_begin();
    pe__vf v[2];
    for (int side = 0; side < 2; side++) {
        v[side] = pe__round_two(r.a[side], r.b[side], x->split);
        if (x->row[side]) pe__rounding_test_add(&test, r.a[side], r.b[side], v[side]);
    }
    const int flagged = pe__rounding_test_flagged(test, x->bound->window, guard);
    for (int side = 0; side < 2; side++) {
        unsigned char *const p = x->row[side];
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
            pe__store_floats(x, p + i * e, all, first_count);
            pe__store_floats(x, p + x->across + (ptrdiff_t)(i * e), all + PE_LANES,
                             pe__min(second_count, PE_LANES)); /* never more; for the compiler */
        } else {
            pe__store_floats(x, p + 2 * i * e, all, first_count + second_count);
        }
    }
}

/* This is the hot loop of rows of floats. It writes the pairs begin ... end - 1 of n row pairs:
   first span->row, then the row pairs at the next larger distances from the anchor. If both_rows is
   0, it writes only the row of span->row that is not NULL. Rows come from their anchor by angle
   addition:

       for each pair i:
           s, c = anchor[i]                   S, C = sin(b w_i), cos(b w_i), from rotation row b
           sC = s * C, cC = c * C             both rows share these products
           row[anchor + b][i] = sC + c * S, cC - s * S
           row[anchor - b][i] = sC - c * S, cC + s * S

   That is two multiplications and four multiply-adds for two rows of a vector of pairs. Each round
   of the loop rotates a group, four vectors of pairs, rounds it to floats, reads the rounding test
   once and stores the floats. Pairs before the first aligned address and after the last complete
   group are written by pe__store_partial().

   The pointers to the anchor, to the rotation row and to both rows remain in registers. So do the
   store mode, the minima of the rounding test and, until the test has been read, the eight vectors
   of floats. They could not if the loop read *span. Functions that are not inlined get the address
   of *span, so compilers would load its members again after each store. `hot` is a copy whose
   address only inlined functions get, so compilers know that no store changes it. With loads from
   *span and a call for each row pair, outputs of 512 x 512 took 9 % longer (AVX-512). The row
   pointers also advance in registers: in memory, they made outputs in the cache take 3 to 4 %
   longer. The size of an element is a constant where row pairs are stored. While it was read from
   the output, addresses were not kept in registers. Outputs of 512 x 512 then took 12 % longer with
   AVX-512, and split ones 11 % longer with AVX2. For AVX-512, gcc 12 keeps all of this in
   registers. With the 16 vector registers of AVX2, one of the eight vectors is on the stack. */
PE__INLINE void pe__rotate_span_f32(pe__span *span, int64_t n, int both_rows, int split,
                                    pe__sum sum)
{
    const int32_t window = span->bound->window, guard = span->output->plan->guard;
    pe__span hot = *span;
    const pe__span *const x = &hot;
    const size_t element = both_rows && sum == PE__NOT_ADDED ? sizeof(float) : x->output->element;
    const size_t step = (split ? 1 : 2) * element, end = span->end;
    const size_t complete = pe__min(span->first, span->second), groups_end = pe__min(complete, end);
    const size_t peeled = pe__min(span->peeled, complete), padded = span->output->plan->padded;
    const ptrdiff_t stride = span->swapped ? -x->output->stride : x->output->stride;
    unsigned char *plus = span->row[!both_rows && !x->row[0]], *minus = span->row[1];
    for (;;) {
        size_t i = span->begin;
        for (size_t count; i < peeled; i += count) {
            count = pe__min(peeled - i, PE_LANES);
            pe__store_partial(span, i, count, count);
        }
        for (; i + 4 * PE_LANES <= groups_end; i += 4 * PE_LANES) {
            pe__rounding_test test = pe__rounding_test_begin();
            pe__floats4 f, b;
            pe__rotate_group_half(x, i, both_rows, split, &test, f.v, b.v);
            pe__rotate_group_half(x, i + 2 * PE_LANES, both_rows, split, &test, f.v + 2, b.v + 2);
            if (PE__UNLIKELY(pe__rounding_test_flagged(test, window, guard)) &&
                pe__confirm_flag(test, window, i < span->slow ? guard : span->slow_guard, &f,
                                 both_rows ? &b : &f)) {
                pe__floats4 rounded[2];
                pe__round_flagged(span, i, both_rows, rounded);
                f = rounded[0];
                if (both_rows) b = rounded[1];
            }
            pe__store_four(x, sum, both_rows, split, 0, plus + i * step, &f);
            if (both_rows) pe__store_four(x, sum, both_rows, split, 1, minus + i * step, &b);
        }
        for (; i < end; i += PE_LANES)
            pe__store_partial(span, i, i < span->first ? pe__min(span->first - i, PE_LANES) : 0,
                              i < span->second ? pe__min(span->second - i, PE_LANES) : 0);
        if (!both_rows || --n <= 0) return;
        const double sign = span->swapped ? -1 : 1;
        span->row[0] += stride;
        span->row[1] -= stride;
        span->position[0] += sign;
        span->position[1] -= sign;
        span->ts += 2 * padded;
        span->tc += 2 * padded;
        plus += stride;
        minus -= stride;
        hot.ts += 2 * padded;
        hot.tc += 2 * padded;
    }
}

/* A row pair kernel stores or adds n row pairs: x->row and those at the next larger distances. By
   contrast, pe__store_one_row() stores or adds the one row of x->row that is not NULL. */
PE__OUTLINE void pe__store_row_pairs(pe__span *x, int64_t n)
{
    if (x->split) pe__rotate_span_f32(x, n, 1, 1, PE__NOT_ADDED);
    else pe__rotate_span_f32(x, n, 1, 0, PE__NOT_ADDED);
}
PE__OUTLINE void pe__store_one_row(pe__span *x)
{
    pe__rotate_span_f32(x, 1, 0, x->split, PE__NOT_ADDED);
}

/* Add n floats of row to the elements at x: x = scale x + row, in f32, then rounded once to the
   type of x. The lines that are output->prefetch_distance bytes after x are prefetched. */
PE__WRAPS /* the addresses may wrap: any address may be prefetched */
PE__INLINE void pe__add_some(pe_type type, const pe__output *output, void *x, const float *row,
                             size_t n)
{
    for (size_t i = 0; i < n * output->element; i += 64)
        PE__PREFETCH((uintptr_t)x + output->prefetch_distance + i);
    const float scale = (float)output->scale;
    pe__add_row_as(type, x, PE_TYPE_F32, row, n, &scale);
}

/* PE__ADDER defines the function that adds row pairs of a type, and the functions of its adder. */
PE__OUTLINE void pe__add_row_pairs_f32(pe__span *x, int64_t n)
{
    if (x->split) pe__rotate_span_f32(x, n, 1, 1, (pe__sum)PE_TYPE_F32);
    else pe__rotate_span_f32(x, n, 1, 0, (pe__sum)PE_TYPE_F32);
}

PE__OUTLINE void pe__add_four_f32(const pe__output *output, unsigned char *p, ptrdiff_t across,
                                  pe__vf v0, pe__vf v1, pe__vf v2, pe__vf v3)
{
    const pe__floats4 v = {{v0, v1, v2, v3}};
    pe__add_four(PE_TYPE_F32, (float)output->scale, output->prefetch_distance,
                 output->order == PE__SPLIT, p, across, &v);
}

PE__OUTLINE void pe__add_some_f32(const pe__output *output, unsigned char *x, const void *row,
                                  size_t n)
{
    pe__add_some(PE_TYPE_F32, output, x, (const float *)row, n);
}

PE__OUTLINE void pe__add_row_pairs_f16(pe__span *x, int64_t n)
{
    if (x->split) pe__rotate_span_f32(x, n, 1, 1, (pe__sum)PE_TYPE_F16);
    else pe__rotate_span_f32(x, n, 1, 0, (pe__sum)PE_TYPE_F16);
}

PE__OUTLINE void pe__add_four_f16(const pe__output *output, unsigned char *p, ptrdiff_t across,
                                  pe__vf v0, pe__vf v1, pe__vf v2, pe__vf v3)
{
    const pe__floats4 v = {{v0, v1, v2, v3}};
    pe__add_four(PE_TYPE_F16, (float)output->scale, output->prefetch_distance,
                 output->order == PE__SPLIT, p, across, &v);
}

PE__OUTLINE void pe__add_some_f16(const pe__output *output, unsigned char *x, const void *row,
                                  size_t n)
{
    pe__add_some(PE_TYPE_F16, output, x, (const float *)row, n);
}

PE__OUTLINE void pe__add_row_pairs_bf16(pe__span *x, int64_t n)
{
    if (x->split) pe__rotate_span_f32(x, n, 1, 1, (pe__sum)PE_TYPE_BF16);
    else pe__rotate_span_f32(x, n, 1, 0, (pe__sum)PE_TYPE_BF16);
}

PE__OUTLINE void pe__add_four_bf16(const pe__output *output, unsigned char *p, ptrdiff_t across,
                                   pe__vf v0, pe__vf v1, pe__vf v2, pe__vf v3)
{
    const pe__floats4 v = {{v0, v1, v2, v3}};
    pe__add_four(PE_TYPE_BF16, (float)output->scale, output->prefetch_distance,
                 output->order == PE__SPLIT, p, across, &v);
}

PE__OUTLINE void pe__add_some_bf16(const pe__output *output, unsigned char *x, const void *row,
                                   size_t n)
{
    pe__add_some(PE_TYPE_BF16, output, x, (const float *)row, n);
}

/* ==== src/rows/row_pair_16.h ==== */
/* Stores or adds two rows of 16-bit elements at a time. They are computed in float arithmetic.
 * Elements that the rounding test flags are computed again from doubles. Tested by
 * tests/unit/simd/test_types.c and tests/unit/plan/test_conventions.c. */

/* ---- 6.5 two rows of 16-bit elements ------------------------------------------------------------
 * Computes the rows anchor + b and anchor - b from products that they share, as 6.4 does, but in
 * float arithmetic: a vector then holds twice as many elements. A rounding test flags elements that
 * may be rounded wrongly. These are computed again from doubles: by pe__round_flagged_16() if they
 * are stored, by pe__add_flagged_16() if they are added.
 *
 * Error bound
 *
 * The unit is u = 2^-24, for an amplitude A with |A| in (1/2, 1]. For any other A the bounds are
 * multiplied by the power of two p with |A| in (p/2, p]. An element that is computed in floats has
 * an error of at most
 *     0.71  the anchor's sine and cosine, rounded to float: half a unit each, as a vector
 *     0.71  the sine and cosine of the rotation row, rounded to float: again half a unit each
 *     0.5   the rounded product; without FMA two products, 1.0
 *     0.5   the rounded sum
 *     0.01  the error of the doubles, including their factor 1 + eta: below 2^-36
 * The sum is 2.43 units, and 2.93 without FMA.
 *     Small elements of small angles have a smaller bound. Let the element be a C + b S, where
 * (a, b) is from the anchor and (S, C) from the rotation row. Relative to |aC| and |bS|, each of
 * the first four errors is at most 1 unit. Together they are at most 4 u (|a| + |S|), and the
 * doubles add 2^-48. For a pair of frequency w, |S| is at most 8 w, the angle of rotation row 8.
 *
 * Rounding test
 *
 * An element is rounded correctly if every midpoint of two 16-bit numbers is farther away than the
 * element's error. The midpoint that is tested is the element with its dropped bits replaced by 1
 * and zeros, so the distance to it is exact. Just above a power of two, that is the midpoint above
 * the power. Another midpoint is below the power, half as far from it, and is not tested. The
 * thresholds allow for this:
 *     Small elements of small angles are flagged if the midpoint is within 2.5 times their bound.
 *     With FMA, other elements are flagged if it is within 2.5 units. From a power of two, the
 * midpoint above is at a distance D, a power of two itself, and the midpoint below at D / 2. If
 * D <= 2 units, the element is flagged. If D >= 8, the midpoint below is at 4 units or more, which
 * is beyond the error. In the case D = 4 the midpoint below is at 2. The element then is just above
 * 2^-14 (bf16) or 2^-11 (f16), so aC and bS nearly cancel. Since |aC| + |bS| <= 1, neither is much
 * above 1/2, and one is not above 1/2. One product has a rounding error of at most 0.5, the other
 * of 0.25, and the rounding of the sum adds next to nothing. FMA rounds one product only: the error
 * is at most 0.71 + 0.71 + 0.5 + 0.01, which is below 2.
 *     Without FMA, other elements are flagged if the midpoint is within 4 units. If one is not
 * flagged, D is at least 8, and the midpoint below is at 4 units or more.
 *     f16's subnormals have other midpoints. But below 2^-14 the tested distance is always below
 * 2^-25, and f16's thresholds are at least 2^-25: all subnormals are flagged.
 *     A float that is zero may have the wrong sign. Its midpoint is 2^-134 away, half of bf16's
 * smallest number. Thresholds are at least 2^-46 |A|, which is more than that for |A| >= 2^-87. If
 * |A| is smaller than 2^-87 or larger than 2^90, all elements are flagged.
 * For wide angles, about 3 bf16 elements and 20 f16 elements in 10,000 are flagged. If rows are
 * stored, flagged elements are computed again from doubles, one by one.
 *
 * Adding to bf16
 *
 * The result is defined as s = z + p, rounded to float and then to bf16. Here z is scale x, and p
 * the element, each rounded to float. The kernel computes s' = z + p' instead, rounded to float,
 * where p' is the element computed in floats. The error of p' is as above. The error of p is half a
 * unit, and for small elements at most u (|a| + |S|). Let d be the difference of p and p'. It is at
 * most 2.93 units, 3.43 without FMA, and for small elements 5 u (|a| + |S|).
 *     Let s' be farther than d + 2^-23 |s'| from each midpoint. The last bit of s' is worth at most
 * 2^-23 |s'|. From s' to z + p' it is at most half a last bit, and from there to z + p at most d.
 * So half a last bit is left: z + p is on the same side of the midpoint as s', and rounding it to
 * float does not reach the midpoint. Therefore s and s' become the same bf16.
 *     Just above a power of two, the threshold of small elements, 2.5 times their bound, is more
 * than 2 d. Other elements are flagged if the midpoint is within 4 units. If one is not flagged,
 * the midpoint above is at 8 units or more, and the midpoint below at 4 or more.
 *     The distance of a NaN or an infinity is a NaN, so both are flagged. The last bit of a
 * subnormal s' is negligible beside 2^-46 |A|. Flagged groups are added from doubles. So are all
 * f16 elements: one group in 8 would be flagged, which costs more time than floats save. */

/* PE__TILE_16 is the number of pairs of a tile. The floats of a tile take 11 KB, a third of a
   first-level cache of 32 KB. PE__GROUP is the number of pairs of a group, two vectors of
   floats. */
enum { PE__TILE_16 = 128, PE__GROUP = 4 * PE_LANES };

/* The number of spans that are added from doubles before floats are tried again: see
   pe__add_row_pair_16(). */
enum { PE__SPANS_IN_DOUBLES = 64 };

/* A group with flagged elements: the pairs of the tile that start at index i, in row [side] of the
   row pair at `distance` from the anchor. A span seldom has more than a few flagged groups. So a
   block that is stored collects the flagged groups of its spans, up to PE__MAX_FLAGGED, before it
   rounds them. */
typedef struct pe__flagged_group {
    uint32_t index, lanes; /* index: 2 (PE__TILE_16 distance + i) + side. lanes: a bit per lane, set
                              if the lane is flagged: PE__FLOATS lanes of components a, then
                              PE__FLOATS of b. A lane has two elements of the group */
} pe__flagged_group;
/* After a span, a block rounds its flagged groups if there are more than PE__MAX_FLAGGED. So the
   array `flagged` of pe__scratch_16 has room for PE__MAX_FLAGGED groups and for all groups of one
   more span in both rows, PE__MAX_FLAGGED_SPAN. One more entry is for a group that pe__flag_group()
   writes but does not count. */
enum { PE__MAX_FLAGGED = 64, PE__MAX_FLAGGED_SPAN = 2 * (int)PE__TILE_16 / (int)PE__GROUP };

/* A tile in floats: the anchor (a, b), and the plan's rotation rows (plan_row), each converted when
   it is first needed. A group of pairs has two vectors in each of these arrays. They are the first
   and the second half of the group or, if split, its even and its odd pairs. The reason is that a
   vector of elements is interleaved from two vectors of floats. The rounding test takes the smaller
   of the two midpoint distances in each lane. So a group has only one vector in `angle`, bound_a
   and bound_b, which applies to both vectors. */
typedef struct pe__scratch_16 {
    float a[PE__TILE_16], b[PE__TILE_16], plan_row[PE__BLOCK_HALF + 1][2][PE__TILE_16];
    float angle[PE__TILE_16 / 2], bound_a[PE__TILE_16 / 2], bound_b[PE__TILE_16 / 2];
    float error, minimum; /* the maximum of the thresholds, and their constant term */
    unsigned made;        /* bit b: plan_row[b] is converted */
    int excess;           /* adding: sum over the spans of 5 * (pairs in flagged groups) - (pairs of
                             both rows), never below 0; see pe__add_row_pair_16() */
    int spans_in_doubles; /* adding: spans that are still to be added from doubles */
    size_t flagged_count; /* number of entries in `flagged` */
    pe__flagged_group flagged[PE__MAX_FLAGGED + PE__MAX_FLAGGED_SPAN + 1];
    /* row[b] and position[b] are the rows at distance b from the anchor, as in pe__span. They are
       set when these rows are written. */
    unsigned char *row[PE__BLOCK_HALF + 1][2];
    double position[PE__BLOCK_HALF + 1][2];
} pe__scratch_16;

/* Convert count doubles to floats, in the order of groups: see pe__scratch_16. The last vector is
   repeated to fill the last group. */
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

/* Returns |x| of the first vector of the group at i plus |x| of its second vector. */
PE__INLINE pe__vf pe__group_magnitude(const float *x, size_t i)
{
    return pe__add_f32(pe__abs_f32(pe__get(x + i)), pe__abs_f32(pe__get(x + i + PE__FLOATS)));
}

/* Write the thresholds of count pairs to errors. The array x holds the anchor's component, a or b,
   to which they apply. An element is flagged if its distance to the midpoint is at most its
   threshold. */
PE__OUTLINE void pe__thresholds_16(const pe__scratch_16 *f, const float *x, size_t count,
                                   float *errors)
{
    const pe__vf error = pe__splat_f32(f->error), minimum = pe__splat_f32(f->minimum);
    const pe__vf relative_error = pe__splat_f32(10.25f / 16777216); /* 2.5 (4 + 0.1) u */
    for (size_t i = 0; i < count; i += PE__GROUP) {
        const pe__vf sum = pe__add_f32(pe__group_magnitude(x, i), pe__get(f->angle + i / 2));
        pe__put(errors + i / 2, pe__min_f32(error, pe__mad_f32(sum, relative_error, minimum)));
    }
}

/* Returns the constant term of the thresholds: 2^-46 |A| for the error of the doubles and, for f16,
   2^-25 more for subnormals. Returns FLT_MAX, which flags all elements, if |A| is below 2^-87 or
   above 2^90. */
PE__INLINE float pe__base_error_16(const pe_plan *plan, pe_type type)
{
    const double size = pe__max_abs(plan->amplitude, 0);
    if (size < pe__exp2i(-87) || size > pe__exp2i(90)) return FLT_MAX; /* flags all */
    return (float)(size * pe__exp2i(-46) + (type == PE_TYPE_F16 ? pe__exp2i(-25) : 0));
}

/* Begin a tile of columns: set the limits of its thresholds, compute its angles, clear its
   state. */
PE__OUTLINE void pe__scratch_begin(pe__scratch_16 *f, const pe__output *output, pe_type type,
                                   int added)
{
    const pe_plan *const plan = output->plan;
    const size_t count = pe__max(output->sines, output->cosines);
    /* the maximum of the thresholds for |A| in (1/2, 1]: see "Rounding test" above */
    const double of_1 = (added || !PE__FUSES ? 4.0 : 2.5) / 16777216;
    const double size = fabs(plan->amplitude);
    /* the power of two p with |A| in (p/2, p] */
    const double power = size > plan->scale / 2 ? plan->scale : plan->scale / 2;
    const float minimum = pe__base_error_16(plan, type), error = (float)(power * of_1);
    const int unsafe = minimum == FLT_MAX;
    /* the angle of row 8 is 8 pi f; 3.1415927 is above pi */
    const pe__vf angle_factor =
        pe__splat_f32(unsafe ? 0.0f : (float)((double)PE__BLOCK_HALF * 3.1415927 * size));
    f->error = unsafe || error < minimum ? minimum : error;
    f->minimum = minimum;
    f->made = 0;
    f->flagged_count = 0;
    f->excess = f->spans_in_doubles = 0;
    pe__to_groups(plan->frequency + output->pair, count, output->order == PE__SPLIT, f->a);
    for (size_t i = 0; i < count; i += PE__GROUP)
        pe__put(f->angle + i / 2, pe__mul_f32(pe__group_magnitude(f->a, i), angle_factor));
}

/* Returns y minus the midpoint of the two numbers around y whose significands have `drop` bits
   fewer. */
PE__INLINE double pe__double_midpoint_distance(double y, int drop)
{
    const uint64_t bits = pe__double_bits(y) >> drop << drop;
    return y - pe__double_of_bits(bits | (uint64_t)1 << (drop - 1));
}

/* Round y to bf16 or f16 once, through a float that is rounded to odd. |y| must be 0 or in the
   range of normal floats. */
PE__INLINE uint16_t pe__to_16(pe_type type, double y)
{
    const float odd = (float)pe__odd24_one(y);
    if (type == PE_TYPE_F16) return pe__one_to_f16(odd);
    const uint32_t word = (uint32_t)pe__float_bits(odd);
    return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

/* Returns the element of pair k of a span at position t, given a double y with an error of at most
   e. `component` is 0 for the first component of the pair and 1 for the second. If y - e and y + e
   round to the same number and |y| > 2^-120, this number is the element. Otherwise the element is
   computed by round_element. */
PE__COLD uint16_t pe__round_element_16(const pe__span *x, double t, size_t component, size_t k,
                                       double y, double e, pe_type type)
{
    const uint16_t h = pe__to_16(type, y + e);
    /* |y| > 2^-120, because pe__to_16() does not handle subnormal floats */
    if (h == pe__to_16(type, y - e) && y * y > pe__exp2i(-240)) return h;
    return pe__to_16(type, x->output->round_element(x->output->plan, t, x->pair + k,
                                                    (int)component ^ x->swapped,
                                                    pe__dropped_bits(type), NULL));
}

/* Compute the elements in the flagged lanes of `count` groups from doubles, and store them. For the
   rows at distance b, rows[b] and position[b] are the fields row and position of pe__span. Let y be
   an element whose error is at most e.
   Its rounding is certain if y is farther than 1.4 e from its midpoint and |y| is at least 2^-14,
   above f16's subnormals. Other elements are rounded by pe__round_element_16(). Both conditions
   compare squares, which saves two absolute values. The factor 1.4 covers the rounding of the
   squares. If both squares underflow to 0, the element is not certain. */
PE__OUTLINE void pe__round_flagged_16(const pe__span *x, unsigned char *(*rows)[2],
                                      double (*position)[2], const pe__flagged_group *flagged,
                                      size_t count, pe_type type)
{
    const double *const part[3] = {x->a, x->b, x->a};
    const double eta = x->bound->eta, deflate = 1 - eta + eta * eta;
    /* 1.125: y has one rounding more than in pe__ziv_round() */
    const double e = 1.125 * x->bound->error * fabs(x->output->plan->amplitude);
    const double sign[3] = {deflate, -deflate, deflate}, sure = 2 * e * e;
    const ptrdiff_t across = x->split ? x->across : 2, step = x->split ? 2 : 4;
    const size_t next = x->split ? 2 : 1, half = x->split ? 1 : PE__FLOATS;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2, i = flagged->index / 2 % PE__TILE_16;
        const size_t distance = flagged->index / (2 * PE__TILE_16);
        const double *const row =
            distance ? pe__rotation_row(x->output->plan, 0, (int64_t)distance) + x->pair : NULL;
        for (uint32_t lanes = flagged->lanes; lanes; lanes &= lanes - 1) {
            const size_t bit = pe__lowest_bit(lanes), component = bit / PE__FLOATS;
            for (size_t k = i + bit % PE__FLOATS * next, n = 0; n < 2; n++, k += half) {
                if (k >= (component == 0 ? x->first : x->second)) continue;
                const double tc = row ? row[x->output->plan->padded + k] : 1, ts = row ? row[k] : 0;
                const double y = part[component][k] * tc * deflate +
                                 part[component + 1][k] * ts * sign[component + side];
                const double off =
                    pe__double_midpoint_distance(y, pe__dropped_bits(type) + PE__DROP_F32);
                uint16_t h = pe__to_16(type, y);
                if (PE__UNLIKELY(!(off * off > sure) || y * y < pe__exp2i(-28)))
                    h = pe__round_element_16(x, position[distance][side], component, k, y, e, type);
                memcpy(rows[distance][side] + (ptrdiff_t)k * step + (ptrdiff_t)component * across,
                       &h, sizeof h);
            }
        }
    }
}

/* A group of pairs of one row in floats has two vectors of first components (a) and two of second
   ones (b). Their thresholds are bound_a and bound_b. */
typedef struct pe__group {
    pe__vf a[2], b[2], bound_a, bound_b;
} pe__group;

/* Add the elements at p and at q, times the scale, to a group. Each float of the group is then an
   s' of "Adding to bf16" above. Add 2^-23 |s'| to the thresholds. */
PE__WRAPS /* a prefetched address may wrap around */
PE__INLINE void pe__group_add(const pe__span *x, const unsigned char *p, const unsigned char *q,
                              int split, pe__group *g)
{
    const pe__vf relative_error = pe__splat_f32(1.0f / 8388608); /* 2^-23 */
    const uint16_t *const elements = (const uint16_t *)(const void *)p;
    const uint16_t *const next = (const uint16_t *)(const void *)q;
    PE__PREFETCH((uintptr_t)p + x->prefetch_distance[0]);
    /* interleaved: q follows p, in the same cache line if vectors are shorter than a line */
    if (split || sizeof relative_error >= 64) PE__PREFETCH((uintptr_t)q + x->prefetch_distance[0]);
    const pe__vf u = pe__get_bf16_odds(elements), v = pe__get_bf16_evens(next);
    g->a[0] = pe__scaled_sum(pe__get_bf16_evens(elements), &x->scale, g->a[0]);
    g->a[1] = pe__scaled_sum(split ? u : v, &x->scale, g->a[1]);
    g->b[0] = pe__scaled_sum(split ? v : u, &x->scale, g->b[0]);
    g->b[1] = pe__scaled_sum(pe__get_bf16_odds(next), &x->scale, g->b[1]);
    g->bound_a = pe__mad_f32(pe__add_f32(pe__abs_f32(g->a[0]), pe__abs_f32(g->a[1])),
                             relative_error, g->bound_a);
    g->bound_b = pe__mad_f32(pe__add_f32(pe__abs_f32(g->b[0]), pe__abs_f32(g->b[1])),
                             relative_error, g->bound_b);
}

/* Store the group that starts at pair i in row `side`, or add it to the elements there. Returns the
   flagged lanes, as the bits of pe__flagged_group. A group with flagged lanes is stored
   nevertheless, and pe__round_flagged_16() then stores these lanes again. It is not added: that is
   left to pe__add_flagged_16(). */
PE__INLINE uint32_t pe__store_group(const pe__span *x, int side, size_t i, int split, pe__group g,
                                    pe_type type, int added)
{
    const int drop = pe__dropped_bits(type);
    unsigned char *const p = x->row[side] + (split ? 2 : 4) * i;
    unsigned char *const q = p + (split ? x->across : (ptrdiff_t)sizeof g.a[0]);
    if (added) pe__group_add(x, p, q, split, &g);
    const pe__vf a =
        pe__min_size(pe__midpoint_distance(g.a[0], drop), pe__midpoint_distance(g.a[1], drop));
    const pe__vf b =
        pe__min_size(pe__midpoint_distance(g.b[0], drop), pe__midpoint_distance(g.b[1], drop));
    const uint32_t lanes = added ? pe__within(a, g.bound_a, b, g.bound_b) : 0;
    if (PE__UNLIKELY(lanes)) return lanes; /* pe__add_flagged_16() adds them */
    pe__put_zip_as(type, p, g.a[0], split ? g.a[1] : g.b[0]);
    pe__put_zip_as(type, q, split ? g.b[0] : g.a[1], g.b[1]);
    return added ? 0 : pe__within(a, g.bound_a, b, g.bound_b);
}

/* Rotate half of a group, the vector of pairs at i. Rotating by (ts, tc) of the rotation row gives
   g[0], and rotating by (-ts, tc) gives g[1]. */
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

/* Append a group to the flagged groups if any of its lanes are flagged. i is PE__TILE_16 * distance
   plus the group's first pair, as in pe__flagged_group. `often` is set if groups are flagged often
   (f16: one group in 8). Then this is done without a branch. */
PE__INLINE void pe__flag_group(pe__flagged_group **flagged, size_t i, uint32_t side, uint32_t lanes,
                               int often)
{
    if (!often && !lanes) return;
    (*flagged)->index = (uint32_t)(2 * i) + side;
    (*flagged)->lanes = lanes;
    *flagged += lanes != 0;
}

/* Compute the flagged groups of one span from doubles and add them. pe__store_group() has added
   nothing to their elements. */
PE__OUTLINE void pe__add_flagged_16(const pe__span *x, const pe__flagged_group *flagged,
                                    size_t count)
{
    pe__span group = *x;
    for (; count > 0; count--, flagged++) {
        const size_t side = flagged->index % 2;
        group.begin = flagged->index / 2 % PE__TILE_16;
        group.end = pe__min(group.begin + PE__GROUP, x->end);
        group.row[side] = x->row[side];
        group.row[1 - side] = NULL;
        pe__store_one_row(&group);
    }
}

/* This is the hot loop of rows of 16-bit elements. It rotates all columns of a span by rotation row
   `distance`, in floats, group by group, and stores or adds them. The arguments type, split and
   added are constants wherever it is inlined. One of the two rows may be NULL, as at the ends of a
   run. */
PE__INLINE void pe__rotate_span_16(const pe__span *x, pe__scratch_16 *f, size_t distance, int split,
                                   pe_type type, int added)
{
    pe__flagged_group *flagged = f->flagged + f->flagged_count;
    float (*const row)[PE__TILE_16] = f->plan_row[distance];
    const int often = type == PE_TYPE_F16;
    const size_t base = PE__TILE_16 * distance;
    for (size_t i = x->begin; i < x->end; i += PE__GROUP) {
        pe__group g[2];
        uint32_t lanes = 0;
        pe__rotate_16(f, row, i, 0, g);
        pe__rotate_16(f, row, i + PE__FLOATS, 1, g);
        g[0].bound_a = g[1].bound_a = pe__get(f->bound_a + i / 2);
        g[0].bound_b = g[1].bound_b = pe__get(f->bound_b + i / 2);
        if (x->row[0]) lanes = pe__store_group(x, 0, i, split, g[0], type, added);
        pe__flag_group(&flagged, base + i, 0, lanes, often);
        if (!x->row[1]) continue;
        lanes = pe__store_group(x, 1, i, split, g[1], type, added);
        pe__flag_group(&flagged, base + i, 1, lanes, often);
    }
    f->flagged_count = (size_t)(flagged - f->flagged);
}

/* Store or add the rows at `distance` from the anchor, of which one may be NULL. The rotation row
   is converted to floats when the tile first needs it. For distance 0, where x->ts is NULL, all its
   sines are 0 and all its cosines are 1. */
PE__INLINE void pe__store_row_pair_16(const pe__span *x, pe__scratch_16 *f, size_t distance,
                                      pe_type type, int added)
{
    float (*const row)[PE__TILE_16] = f->plan_row[distance];
    if (!(f->made >> distance & 1)) {
        for (size_t i = 0; !x->ts && i < PE__TILE_16; i++) {
            row[0][i] = 0;
            row[1][i] = 1;
        }
        if (x->ts) pe__to_groups(x->ts, x->end, x->split, row[0]);
        if (x->ts) pe__to_groups(x->tc, x->end, x->split, row[1]);
        f->made |= 1u << distance;
    }
    memcpy(f->row[distance], x->row, sizeof x->row);
    memcpy(f->position[distance], x->position, sizeof x->position);
    if (x->split) pe__rotate_span_16(x, f, distance, 1, type, added);
    else pe__rotate_span_16(x, f, distance, 0, type, added);
}

/* Add the rows of a span, of which one may be NULL, to bf16 elements, and then add flagged groups
   from doubles. If much more than 20 % of the groups are flagged for a while, the next
   PE__SPANS_IN_DOUBLES spans are added from doubles only. That happens where the elements nearly
   cancel the rows. If all elements are 1, half of the groups are flagged, and floats followed by
   doubles took twice as long as doubles alone. */
PE__INLINE void pe__add_row_pair_16(pe__span *x, pe__scratch_16 *f, size_t distance)
{
    if (PE__UNLIKELY(f->spans_in_doubles)) {
        f->spans_in_doubles--;
        if (x->row[0] && x->row[1]) pe__add_row_pairs_bf16(x, 1);
        else pe__store_one_row(x);
        return;
    }
    pe__store_row_pair_16(x, f, distance, PE_TYPE_BF16, 1);
    pe__add_flagged_16(x, f->flagged, f->flagged_count);
    /* A span has 2 end / PE__GROUP groups, in two rows. excess grows while more than 20 % of them
       are flagged. One span with more than 60 % increases it from 0 to more than 4 end. The next
       spans are then added from doubles. */
    f->excess += 5 * (int)(f->flagged_count * PE__GROUP) - 2 * (int)x->end;
    if (f->excess < 0) f->excess = 0;
    if (f->excess > 4 * (int)x->end) {
        f->spans_in_doubles = PE__SPANS_IN_DOUBLES;
        f->excess = 0;
    }
    f->flagged_count = 0;
}

/* If more than `maximum` flagged groups have been collected, compute their flagged elements from
   doubles, store them, and begin an empty collection. */
PE__INLINE void pe__flush_flagged_16(const pe__span *x, pe__scratch_16 *f, size_t maximum,
                                     pe_type type)
{
    if (f->flagged_count <= maximum) return;
    pe__round_flagged_16(x, f->row, f->position, f->flagged, f->flagged_count, type);
    f->flagged_count = 0;
}

/* ==== src/rows/single.h ==== */
/* Writes a single row of floats or 16-bit elements, from its angles to memory. Tested by
 * tests/unit/rows/test_exact.c and tests/unit/positions/test_at.c. */

/* ---- 6.6 a single row ---------------------------------------------------------------------------
 * One loop goes from the angles to the stores. The row is not rotated from an anchor, and its sines
 * and cosines in double stay in registers. */

typedef struct pe__single {
    const pe__output *output;
    double position;
    const pe__adder *adder; /* NULL: elements are stored */
} pe__single;

/* Begin a span whose row [0] is the single row. The span has no anchor yet. */
PE__INLINE void pe__single_span(const pe__single *x, pe__span *span)
{
    pe__span_begin(span, x->output, &pe__bound_short_poly, x->adder);
    span->position[0] = x->position;
    span->row[0] = x->output->out + pe__first_column(x->output) * x->output->element;
    span->row[1] = NULL;
    span->ts = span->tc = NULL;
}

/* Move the start of a span to its pair i. The arrays a and b hold the components of pair i and of
   the pairs after it. The fields begin and end stay as they are: the functions that round a span
   of a single row do not read them. */
PE__INLINE void pe__span_from(pe__span *span, size_t i, const double *a, const double *b)
{
    span->a = a;
    span->b = b;
    span->pair += i;
    span->first -= i;
    span->second -= i;
    span->row[0] += (span->split ? 1 : 2) * span->output->element * i;
}

/* Set poly to the row's polynomials, short ones if full is 0, times A (1 + eta). A is the plan's
   amplitude, and eta that of pe__bound_short_poly. Return the position at which to evaluate them.
   Where cosines come first, the polynomials must give cosines in place of sines,
   and the reverse. So the position is negated and a quadrant added to the angle, since
   cos x = sin(-x + pi/2) and sin x = cos(-x + pi/2). */
PE__INLINE double pe__single_poly(const pe__single *x, int full, pe__sincos_poly *poly)
{
    const int swapped = x->output->order == PE__CS;
    pe__scale_sincos_poly(x->output->plan->amplitude * (1 + pe__bound_short_poly.eta), swapped,
                          full, poly);
    return swapped ? -x->position : x->position;
}

/* Recompute four flagged vectors of pairs, starting at pair i, by the full polynomials. Write their
   components to a and b, and set *span to a span that begins at pair i. Vectors after the one at
   pair `last` repeat that vector. */
PE__INLINE void pe__single_recompute(const pe__single *x, size_t i, size_t last, double *a,
                                     double *b, pe__span *span)
{
    pe__sincos_poly poly;
    pe__single_span(x, span);
    pe__span_from(span, i, a, b);
    const double signed_t = pe__single_poly(x, 1, &poly);
    const pe__sincos_args arguments = {x->output->plan, &poly, signed_t};
    pe__sincos_store(&arguments, span->pair, x->output->pair + last, a, b);
}

/* Round four flagged vectors of pairs, starting at pair i, to the floats v, using Ziv's test.
   last: as in pe__single_recompute(). */
PE__COLD void pe__single_round_flagged(const pe__single *x, size_t i, size_t last, pe__floats4 *v)
{
    double a[PE__SINCOS_PAIRS], b[PE__SINCOS_PAIRS];
    pe__span span;
    pe__single_recompute(x, i, last, a, b, &span);
    pe__round_flagged(&span, 0, 0, v);
}

/* Recompute the flagged lanes of a group of 16-bit elements that starts at pair i, using the full
   polynomials, round them and store them. The bits of `lanes` are those of pe__flagged_group. */
PE__COLD void pe__single_round_flagged_16(const pe__single *x, size_t i, uint32_t lanes,
                                          pe_type type)
{
    double a[PE__SINCOS_PAIRS], b[PE__SINCOS_PAIRS];
    const pe__flagged_group flagged = {0, lanes};
    pe__span span;
    pe__single_recompute(x, i, SIZE_MAX - x->output->pair, a, b, &span);
    pe__round_flagged_16(&span, &span.row, &span.position, &flagged, 1, type);
}

/* Store or add the pairs i ... end - 1, which may be fewer than the four vectors v hold. */
PE__OUTLINE void pe__single_store_partial(const pe__single *single, size_t i, size_t end,
                                          const pe__floats4 *v)
{
    float all[4][2 * PE_LANES];
    pe__span span;
    const pe__span *const x = &span;
    pe__single_span(single, &span);
    unsigned char *const p = x->row[0];
    const size_t first_count = pe__min(end, x->first), second_count = pe__min(end, x->second);
    const size_t e = x->output->element;
    for (size_t k = 0; k < 4; k++) /* if split, all first components first */
        pe__put(all[x->split ? k % 2 * 2 + k / 2 : k], v->v[k]);
    if (!x->split) {
        pe__store_floats(x, p + 2 * i * e, all[0], first_count + second_count - 2 * i);
        return;
    }
    pe__store_floats(x, p + i * e, all[0], first_count - i);
    if (i < second_count)
        pe__store_floats(x, p + x->across + (ptrdiff_t)(i * e), all[2], second_count - i);
}

/* Store or add the pairs [i, i + count) of pending floats. If the rounding test flags any, all
   four vectors are rounded again first. */
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
        pe__store_four(span, PE__NOT_ADDED, 0, span->split, 0, span->row[0] + i * step,
                       &pending->v);
    } else {
        const pe__floats4 values = pending->v; /* so that pending stays in registers */
        pe__single_store_partial(x, i, i + count, &values);
    }
}

/* Store a complete group of pending floats, starting at pair i, as 16-bit elements. Flagged lanes
   are then recomputed and stored again. Each float was rounded from a double, so its rounding error
   is at most half a unit in the last place, 2^-24 of the float. The value of relative_error is 1/16
   larger, to leave room for the much smaller error of the double and for rounding. The argument
   `minimum` is the constant term of the thresholds, from pe__base_error_16(). */
PE__INLINE void pe__single_store_group(const pe__single *x, const pe__span *span, size_t i,
                                       const pe__pending *pending, pe__vf minimum, pe_type type)
{
    const pe__vf relative_error = pe__splat_f32(1.0625f / 16777216);
    const pe__vf *const v = pending->v.v;
    const int split = span->split;
    pe__group g;
    g.a[0] = split ? pe__unzip_evens(v[0], v[2]) : v[0];
    g.a[1] = split ? pe__unzip_odds(v[0], v[2]) : v[2];
    g.b[0] = split ? pe__unzip_evens(v[1], v[3]) : v[1];
    g.b[1] = split ? pe__unzip_odds(v[1], v[3]) : v[3];
    const pe__vf sum_a = pe__add_f32(pe__abs_f32(g.a[0]), pe__abs_f32(g.a[1]));
    const pe__vf sum_b = pe__add_f32(pe__abs_f32(g.b[0]), pe__abs_f32(g.b[1]));
    g.bound_a = pe__mad_f32(sum_a, relative_error, minimum);
    g.bound_b = pe__mad_f32(sum_b, relative_error, minimum);
    const uint32_t lanes = pe__store_group(span, 0, i, split, g, type, 0);
    if (PE__UNLIKELY(lanes)) pe__single_round_flagged_16(x, i, lanes, type);
}

/* Write the row of position t, a group of four vectors of pairs at a time, and return how many
   pairs are written. With PE_TYPE_F32, floats are stored or, if adder is not NULL, added to
   elements of its type. Then all pairs are written, and the groups before the first aligned address
   and at the end of the row may have fewer pairs. With a 16-bit type, elements are stored, and only
   complete groups are written. The doubles of each step are rounded to floats during the next step,
   while that step computes its own doubles. */
PE__INLINE size_t pe__single_row(const pe__output *output, double t, const pe__adder *adder,
                                 pe_type type)
{
    const int floats = type == PE_TYPE_F32;
    const pe_plan *const plan = output->plan;
    const int32_t guard = pe__guard(plan->amplitude, fabs(t) / plan->double_range);
    const size_t groups = pe__min(output->sines, output->cosines) / PE__GROUP * PE__GROUP;
    const size_t pairs = floats ? pe__max(output->sines, output->cosines) : groups;
    const pe__vf minimum = pe__splat_f32(floats ? 0 : pe__base_error_16(plan, type));
    const pe__single x = {output, t, adder};
    pe__span span; /* stays in registers: out-of-line functions begin spans of their own */
    pe__sincos_poly poly;
    pe__pending pending;
    pe__single_span(&x, &span);
    const double signed_t = pe__single_poly(&x, 0, &poly);
    const pe__sincos_poly *in_memory = &poly;
    PE__IN_MEMORY(in_memory);
    const pe__sincos_args arguments = {plan, in_memory, signed_t};
    const size_t head = floats ? span.peeled : 0;
    pending.split = floats ? span.split : 1; /* 16-bit: pe__single_store_group() takes them split */
    pending.a.v[0] = pending.a.v[1] = pending.a.v[2] = pending.a.v[3] = pe__splat(0.0);
    pending.b = pending.k = pending.a;
    if (pairs == 0) return 0;
    for (size_t i = 0, end = 0;;) {
        const size_t next = end;
        pe__doubles4 a = pending.a, b = pending.b; /* set below in each step but the last */
        pending.test = pe__rounding_test_begin();
        end = pe__min(next < head ? head : next + PE__GROUP, pairs);
        if (next < pairs) {
            const size_t last = next + (end - next - 1) / PE_LANES * PE_LANES;
            pe__sincos(&arguments, 0, output->pair + next, output->pair + last, a.v, b.v, &pending);
        } else {
            pe__convert_pending(&pending, 0);
            pe__convert_pending(&pending, 1);
            pe__convert_pending(&pending, 2);
            pe__convert_pending(&pending, 3);
        }
        if (next > 0 && floats) pe__single_store_floats(&x, &span, i, next - i, &pending, guard);
        else if (next > 0) pe__single_store_group(&x, &span, i, &pending, minimum, type);
        if (next >= pairs) return pairs;
        pending.a = a;
        pending.b = b;
        i = next;
    }
}
PE__OUTLINE size_t pe__single_f32(const pe__output *output, double t, const pe__adder *adder)
{
    return pe__single_row(output, t, adder, PE_TYPE_F32);
}

/* Write a row at position 0, where all sines are 0 and all cosines are the amplitude, or a row at a
   far position, whose angles need double-double. The code takes four vectors of pairs at a time,
   and is simple rather than fast. */
PE__OUTLINE void pe__write_far_row(const pe__output *output, double t, const pe__adder *adder)
{
    const pe__single x = {output, t, adder};
    pe__span first;
    pe__single_span(&x, &first);
    first.bound = &pe__bound_far;
    if (t == 0) pe__store_origin(&first, 0, PE_TYPE_F32);
    for (size_t i = 0, n; t != 0 && i < first.end; i += n) {
        double a[PE__SINCOS_PAIRS] = {0}, b[PE__SINCOS_PAIRS] = {0};
        double *const to[2] = {first.swapped ? b : a, first.swapped ? a : b};
        pe__floats4 pending;
        pe__span span = first;
        n = pe__min(first.end - i, PE__SINCOS_PAIRS);
        pe__compute_centre_far(output->plan, output->round_element, t, output->pair + i, n, to);
        pe__span_from(&span, i, a, b);
        pe__round_flagged(&span, 0, 0, &pending);
        pe__single_store_partial(&x, i, i + n, &pending);
    }
}

/* ==== src/rows/block.h ==== */
/* Writes a block: the row pairs around its anchor, from the nearest to the farthest. Tested by
 * tests/unit/rows/test_splits.c. */

/* ---- 6.7 blocks ---------------------------------------------------------------------------------
 * A block is an anchor and the rows at distances 1 to 8 from it, before and after. Each row pair,
 * anchor + b and anchor - b, is rotated from the anchor by rotation row b of the plan. At the ends
 * of a run some of the 17 rows do not exist, and the anchor may be one of these.
 *
 * Up to 17 blocks form a group of blocks. They share one centre, the anchor of the block in the
 * middle, from which the other anchors are rotated. A group of blocks is written in tiles of
 * columns. */

/* The run, the group of blocks and the block that a call is writing. Rows and blocks are numbered
   within the run, starting at 0. */
typedef struct pe__block {
    double t;                /* position of row 0 of the run */
    int64_t last;            /* index of the last row of the run */
    double *doubles;         /* memory for the sines and cosines of the centre and of one more
                                anchor: 4 arrays of `pairs` + PE__ANCHOR_PADDING doubles, aligned
                                to a cache line */
    size_t pairs;            /* maximum number of pairs of a tile, a multiple of 32 */
    pe__scratch_16 *scratch; /* a tile in floats, for rows that are computed by
                                pe__write_block_16(); else NULL */
    /* `first` is the index of the first block of the group of blocks. `count` is the number of
       blocks in the group. `centre` is the index of the row that is the centre. */
    int64_t first, count, centre;
    int64_t anchor;     /* index of the row that is the block's anchor; may be after `last` */
    double *const *row; /* the anchor's sines, [0], and cosines, [1] */
    /* These are distances from the anchor. `nearest` is the distance of the nearest row that
       exists, and `farthest` that of the farthest one. `both` is the largest distance at which both
       rows of a row pair exist. It is below 0 if the anchor is after the last row. */
    int64_t nearest, farthest, both;
} pe__block;

/* Set x->row and x->position to the row pair at distance b from the anchor, and x->ts and x->tc to
   rotation row b. In the anchor's row, the tile's columns begin at address `row`. Rows are stride
   bytes apart. For b = 0 there is one row, the anchor, and ts and tc are NULL. The address of a row
   that is not in the run is set to NULL. A row at position 0 is written here by pe__store_origin(),
   which is passed `type`, and its address is then also set to NULL. */
PE__INLINE void pe__set_row_pair(pe__span *x, const pe__block *block, unsigned char *row,
                                 ptrdiff_t stride, int64_t b, pe_type type)
{
    x->ts = x->tc = NULL;
    if (b != 0) {
        x->ts = pe__rotation_row(x->output->plan, 0, b) + x->pair;
        x->tc = x->ts + x->output->plan->padded;
    }
    for (int minus = 0; minus < 2; minus++) {
        const int64_t p = minus ? block->anchor - b : block->anchor + b;
        const int side = minus != x->swapped;
        x->row[side] = NULL;
        if (p < 0 || p > block->last || (minus && b == 0)) continue;
        x->position[side] = (double)p + block->t;
        x->row[side] = row + (minus ? -stride : stride) * b;
        if (x->position[side] != 0) continue;
        pe__store_origin(x, side, type);
        x->row[side] = NULL;
    }
}

/* Return a mask whose bit b is set if the two rows at distance b must be written one after the
   other, not together, to avoid 4K aliasing. The mask has the bits 1 ... last. Only non-temporal
   stores need this, and only if PE_LOADS_WAIT is 1. In the anchor's row, the tile's columns begin
   at address `row`.

   Only the last 12 bits of addresses matter here. A load stalls if both rows of a row pair are
   stored up to 512 bytes after the loaded address. The load waits until the stores to both rows
   have left the core. With rotation row b at such an address, outputs larger than the caches took
   up to twice as long. If only one of the two rows is stored there, no load stalls. So the bit of
   interleaved rows is set if both rows begin up to 512 bytes after one array of rotation row b, its
   sines or its cosines.

   A split row is written at two addresses, which advance by 4 bytes per pair. The four loads, two
   from the anchor and two from the rotation row, advance by 8. So one of the loads is always just
   before a store, or soon will be. Therefore the bit of split rows is set whenever the last 12 bits
   of the addresses of the two rows are equal. Only if these 12 bits are also equal for the two
   halves of a row (x->across is a multiple of 4096), the bit is not set. */
PE__WRAPS
PE__INLINE uint32_t pe__aliased_distances(const pe__span *x, const unsigned char *row, int64_t last)
{
    const uintptr_t anchor = (uintptr_t)row;
    const size_t window = 512, bits = 4096, step = (size_t)x->output->stride;
    uint32_t aliased = 0;
    for (int64_t b = 1; PE_LOADS_WAIT && x->mode == PE__STREAM && b <= last; b++) {
        const uintptr_t s = (uintptr_t)(pe__rotation_row(x->output->plan, 0, b) + x->pair);
        const uintptr_t c = s + x->output->plan->padded * sizeof(double);
        const uintptr_t above = anchor + (size_t)b * step, below = 2 * anchor - above;
        const int sines = (above - s) % bits < window && (below - s) % bits < window;
        const int cosines = (above - c) % bits < window && (below - c) % bits < window;
        const int equal = (size_t)x->across % bits != 0 && (above - below) % bits == 0;
        const int is_aliased = x->split ? equal : sines || cosines;
        aliased |= (uint32_t)is_aliased << b;
    }
    return aliased;
}

/* Set what all rows of a block share: the anchor, and the distances at which rows exist. Return the
   address at which the tile's columns begin in the anchor's row, which may be after the last
   row. */
PE__WRAPS
PE__INLINE unsigned char *pe__block_begin(pe__span *x, pe__block *block)
{
    const int64_t above = block->last - block->anchor, below = block->anchor;
    const int64_t longer = above > below ? above : below, shorter = above < below ? above : below;
    x->a = block->row[x->swapped];
    x->b = block->row[!x->swapped];
    block->nearest = above < 0 ? -above : 0;
    block->farthest = longer < PE__BLOCK_HALF ? longer : (int64_t)PE__BLOCK_HALF;
    block->both = shorter < PE__BLOCK_HALF ? shorter : (int64_t)PE__BLOCK_HALF;
    return pe__row_address(x->output, (size_t)block->anchor) +
           pe__first_column(x->output) * x->output->element;
}

/* Set the prefetch distances of the row pair at distance b. The lines must arrive in time, but must
   not evict the working set of a first-level cache of 32 KB. PE__STORE_PREFETCHED and PE__ADD use
   these distances.

   The lead is 512 divided by the number of pairs of the span, at most 8. The row pair at b
   prefetches the row pair at b + lead or, if that is beyond the block, the row pair at b + lead - 8
   in the next block. The anchor prefetches the next anchor. So each row is prefetched once. For 256
   pairs, two rows, the anchor and the rotation row are 12 KB, and the lead is 2. A lead of 1 or 4
   took up to 10 % longer on a Zen 5. Prefetching a whole block ahead took up to a third longer
   there, though its first-level cache of 48 KB holds the block. The 32 KB of a Zen 4 do not hold
   it. Prefetching a whole block ahead took 70 % longer there than prefetching into the second-level
   cache. But a Zen 5 often drops prefetches into its second-level cache.

   Return how many of the n row pairs, starting at distance b, have equal prefetch distances. Those
   are the row pairs that prefetch rows of this block or, if there are none, all n, which prefetch
   the next block. */
PE__WRAPS
PE__INLINE int64_t pe__set_prefetch_distance(pe__span *x, int64_t b, int64_t n)
{
    const int64_t lead = (int64_t)pe__min(512 / x->end, PE__BLOCK_HALF);
    const int64_t left = PE__BLOCK_HALF + 1 - lead - b;
    const int64_t ahead = b == 0 ? 0 : left > 0 ? lead : lead - PE__BLOCK_HALF;
    const size_t bytes = (size_t)((x->swapped ? -ahead : ahead) * x->output->stride);
    x->prefetch_distance[0] = (ahead > 0 && left > 0 ? 0 : x->output->prefetch_distance) + bytes;
    x->prefetch_distance[1] = x->prefetch_distance[0] - 2 * bytes;
    return left > 0 && left < n ? left : n;
}

/* Write a block's rows of floats, or add floats to the block's rows. Row pairs at consecutive
   distances go to the kernel in one call. Their prefetch distances must be equal, and
   pe__aliased_distances() must name none of them. No row that remains to be written may be at
   position 0. A row is written singly if it has no partner, if its partner is at position 0, or if
   pe__aliased_distances() names its distance. */
PE__OUTLINE void pe__write_block_f32(pe__span *x, pe__block *block)
{
    const double zero = pe__max_abs((double)block->anchor + block->t, 0);
    unsigned char *const row = pe__block_begin(x, block);
    const int64_t both = block->both, farthest = block->farthest;
    const ptrdiff_t stride = x->output->stride;
    const uint32_t aliased = pe__aliased_distances(x, row, both);
    for (int64_t b = block->nearest, n; b <= farthest; b += n) {
        const int no_origin = zero < (double)b || zero > (double)both;
        const uint32_t rest = aliased >> b;
        const int together = !(rest & 1);
        n = no_origin && b != 0 && b < both ? both - b + 1 : 1;
        if (rest) n = together ? (int64_t)pe__min((size_t)n, pe__lowest_bit(rest)) : 1;
        if (x->mode == PE__ADD || x->mode == PE__STORE_PREFETCHED)
            n = pe__set_prefetch_distance(x, b, n);
        pe__set_row_pair(x, block, row, stride, b, PE_TYPE_F32);
        unsigned char *const minus = x->row[1];
        if (together && x->row[0] && minus) {
            x->output->kernel->row_pairs(x, n);
            continue;
        }
        x->row[1] = NULL;
        if (x->row[0]) pe__store_one_row(x);
        x->row[0] = NULL;
        x->row[1] = minus;
        if (minus) pe__store_one_row(x);
    }
}

/* A block's rows of 16-bit elements are computed in a buffer unless they are written directly. */
enum {
    /* This is the number of bytes of one half of a split row of a tile, with a group of padding
       lanes after it. An element has 2 bytes. */
    PE__BUFFER_HALF = 2 * ((int)PE__TILE_16 + (int)PE__GROUP),
    /* This is the number of bytes of a row of the buffer. */
    PE__BUFFER_ROW = 2 * PE__BUFFER_HALF
};

/* Copy a block's rows of 16-bit elements, as far as they are in the run, between output and buffer.
   If in is 1, copy to the buffer, and set the padding lanes to 0, so that the block can be added
   there. If in is 0, copy to the output. */
PE__OUTLINE void pe__copy_buffer_16(const pe__span *x, const pe__block *block,
                                    unsigned char *buffer, int in)
{
    const size_t zeros = (x->split ? 1U : 2U) * PE__GROUP * sizeof(uint16_t);
    for (int64_t b = -PE__BLOCK_HALF; b <= PE__BLOCK_HALF; b++, buffer += PE__BUFFER_ROW) {
        const int64_t p = block->anchor + b;
        if (p < 0 || p > block->last) continue;
        pe__copy_halves(x->output, (size_t)p, buffer, PE__BUFFER_HALF, zeros, in);
    }
}

/* Write a block's rows of 16-bit elements or, if added is 1, add them to the output. Rows of
   complete groups of pairs are written directly. Rows that end in a partial group or use
   non-temporal stores are first written to a buffer. */
PE__INLINE void pe__write_block_16(pe__span *x, pe__block *block, pe_type type, int added)
{
    double space[(size_t)PE__BLOCK_ROWS * PE__BUFFER_ROW / sizeof(double) + 8];
    unsigned char *const buffer = (unsigned char *)pe__aligned(space);
    pe__scratch_16 *const f = block->scratch;
    const pe__output *const output = x->output;
    const int direct = output->mode != PE__STREAM && output->sines == output->cosines &&
                       output->sines % PE__GROUP == 0;
    unsigned char *row = pe__block_begin(x, block);
    const ptrdiff_t stride = direct ? output->stride : (ptrdiff_t)PE__BUFFER_ROW;
    if (!direct) {
        row = buffer + (ptrdiff_t)PE__BLOCK_HALF * stride;
        x->across = PE__BUFFER_HALF;
    }
    pe__to_groups(x->a, x->end, x->split, f->a);
    pe__to_groups(x->b, x->end, x->split, f->b);
    pe__thresholds_16(f, f->a, x->end, f->bound_a);
    pe__thresholds_16(f, f->b, x->end, f->bound_b);
    if (!direct && added) pe__copy_buffer_16(x, block, buffer, 1);
    for (int64_t b = block->nearest; b <= block->farthest; b++) {
        pe__set_row_pair(x, block, row, stride, b, added ? PE_TYPE_F32 : type);
        if (!x->row[0] && !x->row[1]) continue;
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

/* ==== src/rows/run.h ==== */
/* Writes rows of consecutive positions in groups of blocks and tiles of columns. The anchors of a
 * group of blocks are rotated from its centre. Tested by tests/unit/rows/test_splits.c. */

/* ---- 6.8 rows of consecutive positions ------------------------------------------------------- */

/* PE__TILE is the maximum number of pairs of a tile of floats. The longer a tile's part of a row,
   the faster it is. PE__TILE_STREAMED is the maximum with non-temporal stores. There, the anchors
   of the tile and the plan's rotation rows must stay in the first-level cache, because a miss waits
   for the buffers that non-temporal stores fill. In optimised code PE__TILE_STREAMED is half of
   PE__TILE. So with non-temporal stores half of each array of anchors (`doubles` of pe__block) is
   free, and pe__unaliased() can move the anchors within their arrays. In unoptimised code the two
   are equal, and the anchors are not moved. */
enum { PE__TILE = PE__OPTIMIZED ? 512 : 128 };
enum { PE__TILE_STREAMED = PE__OPTIMIZED ? 256 : 128 };

/* Return the state before the first group of blocks of a run of `rows` rows, the first of which is
   at position t. The arguments doubles, pairs and scratch are these fields of pe__block. */
PE__INLINE pe__block pe__block_of(double t, size_t rows, double *doubles, size_t pairs,
                                  pe__scratch_16 *scratch)
{
    const pe__block block = {t, (int64_t)rows - 1, doubles, pairs, scratch, 0, 0, 0, 0, NULL, 0, 0,
                             0};
    return block;
}

/* Go to the next group of blocks of the run, and return 1; return 0 after the last one. The centre
   is the anchor of the middle block. If the run has only one block, this is the middle row of the
   run. */
PE__INLINE int pe__next_group(pe__block *block)
{
    const int64_t all = block->last / PE__BLOCK_ROWS + 1;
    block->first += block->count;
    const int64_t rest = all - block->first;
    block->count = rest < PE__BLOCK_ROWS ? rest : (int64_t)PE__BLOCK_ROWS;
    block->centre = PE__BLOCK_ROWS * (block->first + block->count / 2) + PE__BLOCK_HALF;
    if (all == 1) block->centre = block->last / 2;
    return rest > 0;
}

/* Return the index of the first of the slow pairs: this pair and all after it are slow in the rows
   at positions low to high. A pair is slow if its angles, in these rows and in the anchors and
   rotation rows on the way to them, are at most 1/4 half-turn. Then the errors of its sines are
   relative, and small sines need not be flagged: see step 10 of "Rounding test" in sincos/bounds.h.
   If even the last pair is not slow, the index is that of the end of the pairs.

   Returns SIZE_MAX if that proof does not apply. It applies neither to sums of coordinates
   (plan->point) nor to far positions. Nor does it apply if a row may be nearer to position 0 than
   `minimum` without being at 0. Returns SIZE_MAX also if slow pairs would gain little, because even
   the last pair's angle is at least 2^-14 half-turns in the row nearest to position 0. A row nearer
   than position 1 counts as one at position 1. The plan's guard then flags few elements. With base
   500000, heads at positions below 16 take 30 % longer without this, and tables of 2048 rows 4 %
   longer. */
PE__INLINE size_t pe__slow_from(const pe__span *x, double low, double high)
{
    const double *const f = x->output->plan->frequency + x->pair;
    const double farthest =
        pe__max_abs(low, high) + (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 1));
    const double nearest = low > 0 ? low : high < 0 ? -high : 0;
    const double minimum = (double)(PE__BLOCK_HALF * (PE__BLOCK_ROWS + 2)) / (PE__SLOW_RATIO - 1);
    const int is_integer = low == floor(low), is_far = x->bound == &pe__bound_far;
    size_t i = x->end - x->output->padding_pairs;
    if (x->output->plan->point || is_far || (nearest < minimum && !is_integer)) return SIZE_MAX;
    if (fabs(f[i - 1]) * pe__max_abs(nearest, 1) >= pe__exp2i(-14)) return SIZE_MAX;
    while (i > 0 && fabs(f[i - 1]) * farthest <= 0.25) i--;
    return i;
}

/* Write the rows of a group of blocks in the columns of one tile, which is all of `output`. */
PE__OUTLINE void pe__write_tile(const pe__output *output, pe__block *block)
{
    const pe_plan *const plan = output->plan;
    const size_t next = block->pairs + PE__ANCHOR_PADDING, pair = output->pair;
    double *const room = block->doubles;
    double *centre[2] = {room, room + next}, *other[2] = {room + 2 * next, room + 3 * next};
    const int64_t middle = block->first + block->count / 2, last = block->last;
    const int64_t low = PE__BLOCK_ROWS * block->first;
    const int64_t high = low + PE__BLOCK_ROWS * block->count - 1, end = high < last ? high : last;
    const double t = block->t, centre_position = t + (double)block->centre;
    const int is_far = pe__is_far(plan, pe__max_abs(t, t + (double)(last + 1 + PE__BLOCK_ROWS)));
    const pe__bound *const bound = is_far      ? &pe__bound_far
                                   : last == 0 ? &pe__bound_full_poly
                                               : &pe__bound_run;
    /* After peeled pairs, vectors need not begin at a multiple of PE_LANES. So the last one may
       extend up to PE_LANES - 1 pairs past the tile. */
    const size_t count =
        pe__max(output->sines, output->cosines) + (output->peeled ? PE_LANES - 1 : 0);
    pe__span x;
    pe__span_begin(&x, output, bound, output->kernel->adder);
    if (!block->scratch) x.slow = pe__slow_from(&x, t + (double)low, t + (double)end);
    x.slow_guard = pe__guard(plan->amplitude, 0);
    /* A tile with non-temporal stores takes at most half of each array of the anchors. The other
       half, 2048 bytes or more, is free for pe__unaliased(). */
    if (output->mode == PE__STREAM && block->pairs >= 2 * (size_t)PE__TILE_STREAMED) {
        const unsigned char *const out = output->out + pe__first_column(output) * output->element;
        for (int k = 0; k < 2; k++) {
            centre[k] = pe__unaliased(centre[k], out);
            other[k] = pe__unaliased(other[k], out);
        }
    }
    if (pe__is_far(plan, centre_position))
        pe__compute_centre_far(plan, output->round_element, centre_position, pair, count, centre);
    else pe__compute_centre(plan, bound, block->count > 2, centre_position, pair, count, centre);
    for (int64_t j = block->first; j < block->first + block->count; j++) {
        block->row = j == middle ? centre : other;
        if (j != middle) pe__rotate_anchor(plan, j - middle, pair, count, centre, other);
        block->anchor = block->centre + PE__BLOCK_ROWS * (j - middle);
        output->kernel->block(&x, block);
    }
}

/* The kernels of a single row have the argument `rows`, which is 1, because the kernels of several
   rows have it. A program that calls only kernels of a single row contains no code for blocks. */
PE__OUTLINE void pe__row_f32(const pe__output *output, double t, size_t rows)
{
    (void)rows;
    if (t == 0 || pe__is_far(output->plan, t)) pe__write_far_row(output, t, NULL);
    else (void)pe__single_f32(output, t, NULL);
}

/* adds to f32 or f16 elements */
PE__OUTLINE void pe__add_row_of_floats(const pe__output *output, double t, size_t rows)
{
    (void)rows;
    if (t == 0 || pe__is_far(output->plan, t)) pe__write_far_row(output, t, output->kernel->adder);
    else (void)pe__single_f32(output, t, output->kernel->adder);
}

/* Write the rows of the positions t, t + 1 ... in floats, or add them, as floats, to rows of the
   adder's type: f32 or f16. */
PE__OUTLINE void pe__rows_f32(const pe__output *output, double t, size_t rows)
{
    double space[4 * ((int)PE__TILE + (int)PE__ANCHOR_PADDING) + 8];
    const size_t pairs = pe__max(output->sines, output->cosines);
    const size_t limit = output->mode == PE__STREAM ? (size_t)PE__TILE_STREAMED : (size_t)PE__TILE;
    pe__block block = pe__block_of(t, rows, pe__aligned(space), PE__TILE, NULL);
    while (pe__next_group(&block))
        for (size_t done = 0; done < pairs; done += limit) {
            const pe__output part = pe__output_part(output, done, limit);
            pe__write_tile(&part, &block);
        }
}

/* Write the rows of the positions t, t + 1 ... in 16-bit elements or, if added is 1, add them to
   16-bit elements. A single row is written by pe__single_row() or, if added, by pe__single_f32(),
   unless it is at position 0 or at a far position. All other rows, and the pairs that
   pe__single_row() leaves, are written in tiles of PE__TILE_16 pairs, with the anchor and the
   rotation rows as floats. With non-temporal stores, 17 blocks of rows are finished, tile by tile,
   before the next rows begin. Otherwise the whole output would pass through memory once for each
   tile. */
PE__INLINE void pe__write_rows_16(pe_type type, const pe__output *output, double t, size_t rows,
                                  int added)
{
    double space[4 * ((int)PE__TILE_16 + (int)PE__ANCHOR_PADDING) + 8];
    double more[(sizeof(pe__scratch_16) + 64) / sizeof(double)];
    pe__scratch_16 *const scratch = (pe__scratch_16 *)(void *)pe__aligned(more);
    const size_t limit =
        output->mode == PE__STREAM ? (size_t)PE__BLOCK_ROWS * PE__BLOCK_ROWS : rows;
    const size_t pairs = pe__max(output->sines, output->cosines);
    for (size_t r = 0, n; r < rows; r += n) {
        n = pe__min(rows - r, limit);
        const double first = t + (double)r;
        const int single = n == 1 && first != 0 && !pe__is_far(output->plan, first);
        pe__output batch = *output;
        batch.out = pe__row_address(output, r);
        const size_t written = !single ? 0
                               : added ? pe__single_f32(&batch, first, batch.kernel->adder)
                                       : pe__single_row(&batch, first, NULL, type);
        for (size_t done = written; done < pairs; done += PE__TILE_16) {
            const pe__output part = pe__output_part(&batch, done, PE__TILE_16);
            pe__block block = pe__block_of(first, n, pe__aligned(space), PE__TILE_16, scratch);
            pe__scratch_begin(scratch, &part, type, added);
            while (pe__next_group(&block)) pe__write_tile(&part, &block);
        }
    }
}
/* Define two functions of a row kernel of 16-bit elements: its `block` and its `rows`. */
PE__OUTLINE void pe__write_block_of_rows_f16(pe__span *x, pe__block *block)
{
    pe__write_block_16(x, block, PE_TYPE_F16, 0);
}

PE__OUTLINE void pe__rows_f16(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_16(PE_TYPE_F16, output, t, rows, 0);
}

PE__OUTLINE void pe__write_block_of_rows_bf16(pe__span *x, pe__block *block)
{
    pe__write_block_16(x, block, PE_TYPE_BF16, 0);
}

PE__OUTLINE void pe__rows_bf16(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_16(PE_TYPE_BF16, output, t, rows, 0);
}

PE__OUTLINE void pe__write_block_of_add_rows_bf16(pe__span *x, pe__block *block)
{
    pe__write_block_16(x, block, PE_TYPE_BF16, 1);
}

PE__OUTLINE void pe__add_rows_bf16(const pe__output *output, double t, size_t rows)
{
    pe__write_rows_16(PE_TYPE_BF16, output, t, rows, 1);
}

/* ==== src/rows/f64.h ==== */
/* Writes rows of doubles, or adds them, in blocks whose anchors are double-double. Tested by
 * tests/unit/rows/test_exact.c. */

/* ---- 6.9 f64 ------------------------------------------------------------------------------------
 * Rows of doubles are also computed in blocks, in tiles of columns. Rotation rows b = 1 ... 8
 * rotate the anchor of a block to the rows anchor + b and anchor - b. Rotation row 17 rotates it to
 * the anchor of the next block. Anchors and rotation rows are double-double, and are computed on
 * the stack in each call. One anchor in PE__ANCHORS_ROTATED is computed from its angle.
 *
 * A rotation takes sums of products in double-double. They are cheap because each sine and cosine
 * is split into two doubles. The first is a multiple of 2^-26, at most 1 in magnitude. The second
 * is the remainder, at most 2^-27. Products of two multiples are multiples of 2^-52. So these
 * products and their sums are exact, fused or not. Let (s, c) = (s1 + s2, c1 + c2) be a pair of the
 * anchor, and (S, C) = (S1 + S2, C1 + C2) the pair of the rotation row. Then
 *
 *     sC + cS = (s1 C1 + c1 S1) + (s C2 + s2 C1 + c S2 + c2 S1)
 *
 * and only the second bracket has errors. The other components of the two rows, cC - sS, sC - cS
 * and cC + sS, have the same bounds. The anchor is multiplied by the amplitude A, so its remainders
 * are at most 2^(k - 27), where 2^k is the smallest power of two above |A|. Let u = 2^(k - 81), and
 * let e be the bound of the error that the rounding test uses. In units of u, and with nothing
 * fused, the errors are at most
 *      2.83  s2, C2, c2 and S2, each rounded: |C| + |s| + |S| + |c|
 *      2     s and c, taken as doubles: half a unit in the last place each, times C2 and S2
 *      4     four products of at most 2^(k - 27), rounded
 *      8     two sums of two products, at most little more than 2^(k - 26), rounded
 *      4     the sum or difference of these two, at most 2.83 2^(k - 27), rounded
 *      4     adding 2e, for the upper end of the interval, rounded
 *      0.1   the anchor and the rotation rows: 2^-98. A rotation adds 2^-100, and rotation row 17,
 *            which has 17 times the error of row 1, is applied up to PE__ANCHORS_ROTATED + 1 times.
 *            The error inherited from the frequencies is not in this sum but added to e
 * The sum is 24.93. It is below 32, so e = 32 u = 2^(k - 76), plus the inherited error. If the
 * first bracket plus (the second - e) and the first bracket plus (the second + e) round to the same
 * double, that double is the result, since rounding is monotonic. Otherwise the vector is computed
 * by pe__sincos_dd() and rounded by the output's round_element. That happens to a share of about
 * 2^-21 |A / x| of the elements x. */

enum { PE__TILE_F64 = PE__OPTIMIZED ? 64 : 32, PE__ANCHORS_ROTATED = 64 };
enum { PE__VECTORS_F64 = (int)PE__TILE_F64 / (int)PE_LANES };

/* Add the n doubles at v to the n elements x at `row`: x = scale x + v, with two roundings. */
PE__OUTLINE void pe__add_some_f64(const pe__output *output, unsigned char *row, const void *v,
                                  size_t n)
{
    double *const x = (double *)(void *)row;
    for (size_t i = 0; i < n; i++) {
        double y = ((const double *)v)[i];
        PE__OPAQUE(y); /* so that a zero is also added: -0 + 0 is 0 */
        x[i] = pe__double_product(output->scale, x[i]) + y;
    }
}

/* Store the n doubles at v to x or, if the store mode is PE__ADD, add them to the elements at x. */
PE__INLINE void pe__store_doubles(const pe__output *output, double *x, const double *v, size_t n)
{
    if (output->mode == PE__ADD) pe__add_some_f64(output, (unsigned char *)x, v, n);
    else memcpy(x, v, n * sizeof *x);
}

/* Compute the sines and cosines of a flagged vector, correctly rounded. The vector has the pairs
   that start at index i, at position t. If only count < PE_LANES pairs are left in the row, the
   other lanes are padding. Vectors with subnormal elements are always flagged. */
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
        for (size_t lane = 0; lane < pe__min(count, PE_LANES); lane++) { /* skips padding */
            const double approx[2] = {hi[lane], lo[lane]};
            hi[lane] = output->round_element(plan, t, pair + lane, k, 0, approx);
        }
        *(k ? cosine : sine) = pe__load(hi);
    }
}

/* A tile of columns is stored as vectors of pairs. The last index of an array is the component of a
   pair: [0] is f, the component that comes first in a row, and [1] is g, the second. Usually (f, g)
   is (sine, cosine), rotated by (ts, tc), the sine and cosine of the rotation row. Where cosines
   come first, (f, g) is (cosine, sine), and ts is the negated sine. In both cases the rotated pair
   is f' = f tc + g ts and g' = g tc - f ts. */
typedef struct pe__tile_f64 {
    const pe_plan *plan;
    const pe__output *output;
    /* `amplitude` is A, or 1 if A is too small or too large: see pe__write_tile_f64(). `grid` is
       2^-26 times plan->scale, or 2^-26 in that case. The anchor is split into multiples of `grid`
       and remainders. `error` is e. */
    double amplitude, grid, error;
    /* `plan_row` has the rotation rows 0 ... 8, and `anchor` the anchor of the block. Both are
       split by pe__split_high(). */
    pe__dd plan_row[PE__BLOCK_HALF + 1][PE__VECTORS_F64][2], anchor[PE__VECTORS_F64][2];
    /* `unsplit` is the anchor, and `next` is rotation row 17. Both are not split. */
    pe__dd unsplit[PE__VECTORS_F64][2], next[PE__VECTORS_F64][2];
} pe__tile_f64;

/* Returns x as the sum of hi, the multiple of grid (a power of two) that is nearest to x.hi, and
   lo, the remainder. */
PE__INLINE pe__dd pe__split_high(pe__dd x, double grid)
{
    const pe__vd big = pe__splat(6755399441055744.0 * grid); /* as in pe__round() */
    const pe__vd high = (x.hi + big) - big;
    x.lo = (x.hi - high) + x.lo;
    x.hi = high;
    return x;
}

/* Store a vector of a row at p in the output's store mode. With PE__ADD, also prefetch the line
   that is output->prefetch_distance bytes after p. */
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

/* A row to write, and its position. */
typedef struct pe__row_f64 {
    double *row; /* where the tile's columns begin in the row; NULL: no row is written */
    double position;
} pe__row_f64;

/* Round the vector of pairs at i and store it in a row, or add it. y and z are its first and second
   components. The error bound e has been subtracted from the low parts of y and z, and two_errors
   is 2e. So hi + lo and hi + (lo + two_errors) are the ends of the error interval. `output` is the
   caller's copy of x->output, which stays in registers. */
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
        pe__round_flagged_f64(x->output, i, pe__max(output->sines, output->cosines) - i,
                              to.position, &s, &c);
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
        pe__store_doubles(x->output, p, all, split ? sines : sines + cosines);
        pe__store_doubles(x->output, q, all + PE_LANES, split ? cosines : 0);
    }
}

/* Rotate the anchor to the rows anchor + b (plus) and anchor - b (minus), in the tile's columns,
   and write those rows whose address is not NULL. */
PE__OUTLINE void pe__rotate_f64(const pe__tile_f64 *x, size_t b, pe__row_f64 plus,
                                pe__row_f64 minus)
{
    /* a copy, whose address only inlined functions get: it stays in registers */
    const pe__output output = *x->output;
    const size_t pairs = pe__max(output.sines, output.cosines);
    const pe__vd less = pe__splat(-x->error), two_errors = pe__splat(2 * x->error);
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        const size_t v = i / PE_LANES;
        const pe__vd f0 = x->unsplit[v][0].hi, g0 = x->unsplit[v][1].hi;
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

/* Compute vector v of the rotation rows 0 ... last and, if last is PE__BLOCK_HALF, of row 17. With
   a smaller `last`, the rows are a single block, and no anchor is rotated by row 17. */
PE__OUTLINE void pe__tile_begin_f64(pe__tile_f64 *x, size_t v, size_t last)
{
    pe__dd f[PE__BLOCK_HALF + 1], g[PE__BLOCK_HALF + 1];
    f[0].hi = f[0].lo = g[0].lo = pe__splat(0.0);
    g[0].hi = pe__splat(1.0);
    for (size_t b = 0; b <= last; b++) {
        if (b == 1)
            pe__sincos_dd(x->output->plan, x->output->pair + v * PE_LANES, 1.0, &f[b], &g[b]);
        if (b == 1 && x->output->order == PE__CS) f[b] = pe__dd_negate(f[b]);
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

/* Compute vector v of the anchor at position *t. If t is NULL, compute vector v of the next block's
   anchor by rotating the current anchor by rotation row 17. */
PE__OUTLINE void pe__tile_anchor_f64(pe__tile_f64 *x, size_t v, const double *t)
{
    const int swapped = x->output->order == PE__CS;
    pe__dd f, g, s, c;
    if (t) {
        pe__sincos_dd(x->output->plan, x->output->pair + v * PE_LANES, *t, &s, &c);
        f = pe__dd_mul_double(swapped ? c : s, x->amplitude);
        g = pe__dd_mul_double(swapped ? s : c, x->amplitude);
    } else {
        f = x->unsplit[v][0];
        g = x->unsplit[v][1];
        pe__dd_rotate(&f, &g, x->next[v][0], x->next[v][1]);
        f = pe__dd_renormalize(f);
        g = pe__dd_renormalize(g);
    }
    x->unsplit[v][0] = f;
    x->anchor[v][0] = pe__split_high(f, x->grid);
    x->unsplit[v][1] = g;
    x->anchor[v][1] = pe__split_high(g, x->grid);
}

/* Write a tile of columns: `rows` rows, the first at position t. If the power of two above the
   amplitude is within 2^-900 ... 2^900, nothing overflows, and underflow does not matter, since e
   is above 2^-980. With any other amplitude, rows are computed for amplitude 1 and e = 4. All
   elements are then flagged, and round_element rounds them. */
PE__OUTLINE void pe__write_tile_f64(const pe__output *output, double t, size_t rows)
{
    const pe_plan *const plan = output->plan;
    const int usual = plan->scale >= pe__exp2i(-900) && plan->scale <= pe__exp2i(900);
    const double scale = usual ? plan->scale : 1;
    const size_t last = pe__min(rows / 2, PE__BLOCK_HALF);
    const size_t vectors = (pe__max(output->sines, output->cosines) + PE_LANES - 1) / PE_LANES;
    const size_t column = pe__first_column(output) * output->element;
    pe__tile_f64 x;
    x.plan = plan;
    x.output = output;
    x.amplitude = usual ? plan->amplitude : 1;
    x.grid = pe__exp2i(-26) * scale;
    x.error = 4;
    if (usual) /* e = 2^(k - 76), since scale = 2^k, plus the error of the frequencies */
        x.error =
            scale * (pe__exp2i(-76) +
                     pe__sincos_error(plan, pe__max_abs(t, t + (double)(rows + PE__BLOCK_ROWS))));
    for (size_t v = 0; v < vectors; v++) pe__tile_begin_f64(&x, v, last);
    for (size_t q = last, n = 0; q < rows + last; q += PE__BLOCK_ROWS, n++) {
        const double position = t + (double)q;
        for (size_t v = 0; v < vectors; v++)
            pe__tile_anchor_f64(&x, v, n % PE__ANCHORS_ROTATED == 0 && q < rows ? &position : NULL);
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

/* Write or add rows for the positions t, t + 1 ..., tile by tile. With non-temporal stores, the
   pairs before the first aligned address (output->peeled) are a tile of their own, which is written
   with plain stores. */
PE__OUTLINE void pe__rows_f64(const pe__output *output, double t, size_t rows)
{
    for (size_t done = 0, n; done < pe__max(output->sines, output->cosines); done += n) {
        n = done < output->peeled ? output->peeled : (size_t)PE__TILE_F64;
        pe__output part = pe__output_part(output, done, n);
        if (done < output->peeled) part.mode = PE__STORE;
        pe__write_tile_f64(&part, t, rows);
    }
}

/* ==== src/rows/kernels.h ==== */
/* The row kernels: for each type, the functions that fill rows and those that add them. Tested by
 * tests/unit/rows/test_splits.c. */

/* ---- 6.10 the row kernels -----------------------------------------------------------------------
 * A row kernel refers to the code that depends on the type, and on whether rows are filled or
 * added. */

/* Store n zeros in a row, starting at the given column. */
PE__OUTLINE void pe__write_zeros(const pe__output *output, unsigned char *row, size_t column,
                                 size_t n)
{
    memset(row + column * output->element, 0, n * output->element);
}
/* Add n zeros to a row, starting at the given column. This changes the row: its elements are
   multiplied by the scale, and -0 + 0 is 0. */
PE__INLINE void pe__add_zeros(const pe__output *output, unsigned char *row, size_t column, size_t n,
                              pe__row_adder *add)
{
    double zero[8]; /* for f32, f16 and bf16: 16 floats */
    memset(zero, 0, sizeof zero);
    const size_t limit = output->element == sizeof(double) ? 8 : 16;
    for (size_t i = 0; i < n; i += limit)
        (*add)(output, row + (column + i) * output->element, zero, pe__min(n - i, limit));
}
/* PE__ROW_KERNELS defines two row kernels for a type: one fills rows, the other adds them. Each is
   a static object of the function that returns it. At file scope, gcc -O0 would keep the objects,
   and all functions that they refer to, even in a program that uses none of them. The arguments
   are the functions for the fields of the two row kernels (pe__row_kernel in layouts/output.h) and,
   as `four`, of the adder (pe__adder there). */
PE__OUTLINE void pe__add_zeros_f32(const pe__output *output, unsigned char *to, size_t column,
                                   size_t n)
{
    pe__add_zeros(output, to, column, n, pe__add_some_f32);
}

PE__INLINE const pe__row_kernel *pe__fill_kernel_f32(void)
{
    static const pe__row_kernel kernel = {
        pe__row_f32, pe__rows_f32, pe__write_zeros, pe__write_block_f32, pe__store_row_pairs, NULL};
    return &kernel;
}

PE__INLINE const pe__row_kernel *pe__add_kernel_f32(void)
{
    static const pe__adder adder = {pe__add_four_f32, pe__add_some_f32};
    static const pe__row_kernel kernel = {pe__add_row_of_floats, pe__rows_f32, pe__add_zeros_f32,
                                          pe__write_block_f32, pe__add_row_pairs_f32, &adder};
    return &kernel;
}

PE__OUTLINE void pe__add_zeros_f16(const pe__output *output, unsigned char *to, size_t column,
                                   size_t n)
{
    pe__add_zeros(output, to, column, n, pe__add_some_f16);
}

PE__INLINE const pe__row_kernel *pe__fill_kernel_f16(void)
{
    static const pe__row_kernel kernel = {
        pe__rows_f16, pe__rows_f16, pe__write_zeros, pe__write_block_of_rows_f16, NULL, NULL};
    return &kernel;
}

PE__INLINE const pe__row_kernel *pe__add_kernel_f16(void)
{
    static const pe__adder adder = {pe__add_four_f16, pe__add_some_f16};
    static const pe__row_kernel kernel = {pe__add_row_of_floats, pe__rows_f32, pe__add_zeros_f16,
                                          pe__write_block_f32, pe__add_row_pairs_f16, &adder};
    return &kernel;
}

PE__OUTLINE void pe__add_zeros_bf16(const pe__output *output, unsigned char *to, size_t column,
                                    size_t n)
{
    pe__add_zeros(output, to, column, n, pe__add_some_bf16);
}

PE__INLINE const pe__row_kernel *pe__fill_kernel_bf16(void)
{
    static const pe__row_kernel kernel = {
        pe__rows_bf16, pe__rows_bf16, pe__write_zeros, pe__write_block_of_rows_bf16, NULL, NULL};
    return &kernel;
}

PE__INLINE const pe__row_kernel *pe__add_kernel_bf16(void)
{
    static const pe__adder adder = {pe__add_four_bf16, pe__add_some_bf16};
    static const pe__row_kernel kernel = {pe__add_rows_bf16, pe__add_rows_bf16, pe__add_zeros_bf16,
                                          pe__write_block_of_add_rows_bf16, NULL, &adder};
    return &kernel;
}

/* pe__rows_f64() stores or adds, depending on the store mode */
PE__OUTLINE void pe__add_zeros_f64(const pe__output *output, unsigned char *to, size_t column,
                                   size_t n)
{
    pe__add_zeros(output, to, column, n, pe__add_some_f64);
}

PE__INLINE const pe__row_kernel *pe__fill_kernel_f64(void)
{
    static const pe__row_kernel kernel = {
        pe__rows_f64, pe__rows_f64, pe__write_zeros, NULL, NULL, NULL};
    return &kernel;
}

PE__INLINE const pe__row_kernel *pe__add_kernel_f64(void)
{
    static const pe__adder adder = {NULL, pe__add_some_f64};
    static const pe__row_kernel kernel = {
        pe__rows_f64, pe__rows_f64, pe__add_zeros_f64, NULL, NULL, &adder};
    return &kernel;
}

/* ==== src/rows/axis.h ==== */
/* Writes the rows of one axis, run by run: computes them, or copies rows that repeat. Tested by
 * tests/unit/positions/test_at.c and tests/unit/rows/test_splits.c. */

/* ---- 6.11 from positions to rows ----------------------------------------------------------------
 * This code writes the rows of one axis. The function pe__next_run() (positions/runs.h) divides
 * them into runs. Rows at consecutive positions are computed together. Rows for which it finds an
 * earlier row at the same position are copied. Rows at the padding position become zeros. */

/* For PE_COLUMNS_SUMS: write each row as position 1 of a plan on the stack. The frequency of a pair
   in this plan is a sum over the coordinates of the row's point, of coordinate times frequency.
   With n <= 8 coordinates, the error of such a sum has two parts. One is at most n (n + 2) 2^-106
   times the sum of the terms' magnitudes, the other at most 2^-102 times the sum itself. Together
   they are below 2^-98 times the largest frequency times the sum of the coordinates' magnitudes. So
   this is the error that pe__plan_set_range() is given. */
PE__OUTLINE void pe__write_sums(const pe__output *output, const pe_at *positions, size_t first,
                                size_t rows)
{
    const pe_plan *const plan = output->plan;
    const size_t pairs = pe__max(output->sines, output->cosines);
    enum { PE__PAIRS = 128, PE__PADDED = PE__PAIRS + 2 * PE__MAX_LANES };
    double sums[2 * PE__PADDED], point[PE_MAX_AXES];
    const pe__td frequency_scale = pe__frequency_scale(plan->unit, plan->half_turns);
    pe_plan one = *plan;
    const pe__dd factor = pe__dd_from_td(frequency_scale);
    one.frequency = sums;
    one.padded = PE__PADDED;
    one.point = point;
    for (size_t r = 0; r < rows; r++) {
        double size = 0;
        for (size_t k = 0; k < plan->axes; k++) {
            point[k] =
                pe__position(positions, first + r, positions->axes == 1 ? 0 : k) + plan->offset;
            size += fabs(point[k]);
        }
        pe__plan_set_range(&one, pe__exp2i(-98), plan->fastest * size);
        for (size_t done = 0, i; done < pairs; done += PE__PAIRS) {
            pe__output part = pe__output_part(output, done, PE__PAIRS);
            const size_t n = pe__max(part.sines, part.cosines);
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
                f = pe__dd_renormalize(pe__dd_mul(f, factor));
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
            (*output->kernel->row)(&part, 1.0, 1);
        }
    }
}

/* Copy the rows of a run of the kind PE__RUN_COPIED from earlier rows of the output. Only the
   columns of the output's axis are copied. */
PE__OUTLINE void pe__copy_run(const pe__output *output, const pe__run *run)
{
    const pe__pieces pieces = pe__pieces_of(output);
    const size_t n = run->rows;
    const ptrdiff_t stride = output->stride, step = run->source_step ? stride : 0;
    const uint32_t *const sources = run->sources;
    unsigned char *to = pe__row_address(output, run->row);
    const unsigned char *from = pe__row_address(output, sources ? 0 : run->source);
    for (size_t k = 0; k < n; k++, to += stride, from += step)
        pe__copy_row(&pieces, to, sources ? pe__row_address(output, sources[k]) : from);
}

/* Write the rows of a run, according to its kind: copy them, write zeros, or compute them. Rows are
   computed in blocks, or one by one if there is only one row or blocks are impossible. Blocks are
   impossible if all rows share one position. They are also impossible if the plan has no rotation
   rows. For f64, which does not use these (kernel->block is NULL), they are impossible if angles
   are floats (plan->float32), which cannot be rotated from each other. The caller passes its own
   copy of the output in *part, and this function changes `out` and `stride` of this copy. Copying
   *part again would take wide loads, which stall on the narrow stores that have just written it. */
PE__OUTLINE void pe__write_run(const pe__output *output, pe__output *part, const pe__run *run)
{
    const pe__row_kernel *const kernel = output->kernel;
    const size_t n = run->rows, down = run->step < 0 ? n - 1 : 0; /* descending: start at the end */
    const ptrdiff_t stride = output->stride * (ptrdiff_t)run->every;
    const int blocks = kernel->block ? output->plan->table != NULL : !output->plan->float32;
    part->out = pe__row_address(output, run->row + down * run->every);
    part->stride = down ? -stride : stride;
    if (run->kind == PE__RUN_COPIED) pe__copy_run(output, run);
    else if (run->kind == PE__RUN_ZEROS)
        kernel->zeros(output, part->out, pe__min(output->sine, output->cosine),
                      output->sines + output->cosines);
    else if (n > 1 && run->step != 0 && blocks)
        (*kernel->rows)(part, run->position - (double)down, n);
    else
        for (size_t k = 0; k < n; k++, part->out += part->stride)
            (*kernel->row)(part, run->position + ((double)k - (double)down) * fabs(run->step), 1);
}

/* Write the rows of a long list of positions, using a row cache (positions/runs.h). Only this
   function has the row cache on its stack, so other calls need less stack. */
PE__OUTLINE void pe__write_list(const pe__output *output, pe__output *part, pe__runs *runs)
{
    pe__row_cache cache;
    cache.misses_left = PE__CACHE_SLOTS;
    memset(cache.position, 0xff, sizeof cache.position); /* empty: NaNs */
    runs->cache = &cache;
    for (pe__run run; pe__next_run(runs, &run);) pe__write_run(output, part, &run);
}

/* Write `rows` rows of one axis, starting at row `first` of `positions`. A single row of a plan
   without a padding position is written directly. All other rows are written run by run. */
PE__OUTLINE void pe__write_axis(const pe__output *output, const pe_at *positions, size_t first,
                                size_t rows)
{
    const size_t k = positions->axes == 1 ? 0 : output->coordinate;
    const int list = positions->kind != (int)PE__AT_RANGE && positions->kind != (int)PE__AT_GRID;
    /* too few rows for a row cache to save time, or more rows than its uint32_t can number */
    const int few = rows < PE__CACHE_MIN_ROWS || rows >> 16 >> 16 != 0;
    if (rows == 1 && !output->plan->has_padding) {
        (*output->kernel->row)(output, pe__position(positions, first, k) + output->plan->offset, 1);
        return;
    }
    pe__runs runs = pe__runs_of(output->plan, positions, first, rows, k, output->mode != PE__ADD);
    pe__output part = *output;
    if (list && !few && runs.copies) pe__write_list(output, &part, &runs);
    for (pe__run run; pe__next_run(&runs, &run);) pe__write_run(output, &part, &run);
}

/* ==== src/rows/columns.h ==== */
/* Writes the columns of all axes of a plan, axis by axis, and the columns of zeros. Tested by
 * tests/unit/plan/test_models.c. */

/* For PE_COLUMNS_FREQUENCIES: write the rows of an axis, tile by tile. A tile has up to PE__PAIRS
   pairs of as many rows as fit into PE__BYTES bytes. It is written on the stack, then copied to the
   output. If the call adds, the output's elements are copied to the stack first. */
PE__COLD void pe__write_axis_strided(const pe__output *output, const pe_at *positions)
{
    enum { PE__PAIRS = 64, PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    const size_t pairs = pe__max(output->sines, output->cosines), e = output->element;
    for (size_t pair = 0; pair < pairs; pair += PE__PAIRS) {
        const size_t n = pe__min(pairs - pair, PE__PAIRS);
        pe__output tile =
            pe__output_split(output->kernel, output->plan, output->pair + pair, n, buffer, e);
        tile.coordinate = output->coordinate;
        tile.mode = output->mode;
        tile.scale = output->scale;
        for (size_t r = 0, rows; r < output->rows; r += rows) {
            rows = pe__min(output->rows - r, PE__BYTES / (2 * n * e));
            if (output->mode == PE__ADD) pe__copy_strided(&tile, output, r, rows, 0);
            pe__write_axis(&tile, positions, r, rows);
            pe__copy_strided(&tile, output, r, rows, 1);
        }
    }
}

/* Write or add all rows of a call: for each axis its pairs in all rows, then its columns of
   zeros. */
PE__OUTLINE void pe__write_axes(const pe_plan *plan, const pe_at *positions, pe__output *output)
{
    const pe__store_mode mode = output->mode;
    const size_t rows = output->rows;
    for (size_t a = 0; a < plan->axes; a++) {
        const pe__axis *const axis = &plan->axis[a];
        pe__set_axis(output, plan, axis);
        output->mode = mode;
        if (positions->kind != PE__AT_GRID && !plan->step && !plan->matrix)
            pe__choose_store_mode(output);
        if (plan->step) pe__write_axis_strided(output, positions);
        else if (plan->matrix) pe__write_sums(output, positions, 0, rows);
        else pe__write_axis(output, positions, 0, rows);
        if (output->mode == PE__STREAM) pe__fence();
        for (size_t r = 0; axis->zeros && r < rows; r++)
            output->kernel->zeros(output, pe__row_address(output, r), axis->zero, axis->zeros);
    }
}

/* ==== src/rows/call.h ==== */
/* The calls that write whole rows, with or without batches, and pe_sinusoidal_f32(). They check
 * their arguments, then write axis by axis. Tested by tests/unit/api/test_errors.c and
 * tests/unit/calls/test_memory.c. */

/* ---- 6.12 calls ------------------------------------------------------------------------------ */

/* Checks the plan, the address of the output and its shape. Returns PE_OK, or the error of the
   first check that fails. Positions are checked later. */
static inline pe_status pe__check_output(const pe_plan *plan, const pe__output *output)
{
    if (!plan || !output->out) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (plan->order) return PE_ERR_PLAN_ROWS;
    return pe__check_shape(plan->d_model, output->rows, output->columns, output->element);
}

/* Check all arguments of a call, then write its rows. */
static inline pe_status pe__call_rows(const pe_plan *plan, const pe_at *positions,
                                      pe__output *output)
{
    pe_plan own;
    if (output->rows == 0) return PE_OK;
    pe_status status = pe__check_output(plan, output);
    if (status != PE_OK) return status;
    const pe_plan *const view = pe__view(plan, positions, &own);
    status = pe__check_at(positions, output->rows, view->axes, view->offset);
    if (status == PE_OK) pe__write_axes(view, positions, output);
    return status;
}

/* The batches to which the same rows are added. */
typedef struct pe__batches {
    /* `count` is the number of batches. `bytes` is the number of bytes from the start of a batch to
       the start of the next. pe__call_batch() sets it. */
    size_t count, bytes;
    const pe__row_kernel *kernel; /* fills rows in a buffer */
    pe__row_adder *add;           /* adds a row of the buffer to a row of a batch */
} pe__batches;

/* Add the same rows to all batches: repeatedly fill a buffer with several rows, including their
   columns of zeros, and add these rows to each batch. Returns 0, and adds nothing, if a row is too
   long for the buffer. */
PE__OUTLINE int pe__write_batches(const pe_plan *plan, const pe_at *positions, pe__output *output,
                                  const pe__batches *batches)
{
    /* As many rows are filled together as fit into PE__BYTES bytes, at least one. With more rows,
       calls took 15 % longer. PE__LONGEST is the number of bytes of the longest row that fits into
       the buffer. Longer rows would need more stack. */
    enum { PE__BYTES = 8192, PE__LONGEST = 10240 };
    double buffer[PE__LONGEST / sizeof(double)];
    const size_t element = output->element == sizeof(double) ? sizeof(double) : sizeof(float);
    const size_t d = plan->d_model, bytes = d * element;
    const size_t limit = bytes > PE__LONGEST ? 0 : pe__max(PE__BYTES / bytes, 1);
    pe__set_axis(output, plan, &plan->axis[0]);
    output->prefetch_distance = batches->bytes;
    for (size_t r = 0, n; limit > 0 && r < output->rows; r += n) {
        n = pe__min(limit, output->rows - r);
        const pe_at from = pe_skip(*positions, r);
        pe__output rows = pe__output_of(buffer, element, n, d, PE__STORE, 1, batches->kernel);
        pe__write_axes(plan, &from, &rows);
        for (size_t b = 0; b < batches->count; b++)
            for (size_t k = 0; k < n; k++)
                (*batches->add)(output, pe__row_address(output, r + k) + b * batches->bytes,
                                (unsigned char *)buffer + k * bytes, d);
    }
    return limit > 0;
}

/* Check all arguments of a call with batches, then add its rows to each batch. If a row is too long
   for the buffer of pe__write_batches(), the rows are computed again for each batch. */
static inline pe_status pe__call_batch(const pe_plan *plan, const pe_at *positions,
                                       size_t batch_stride, pe__output *output,
                                       pe__batches *batches)
{
    pe_plan own;
    const size_t count = batches->count;
    if (output->rows == 0 || count == 0) return PE_OK;
    if (count == 1) return pe__call_rows(plan, positions, output);
    pe_status status = pe__check_output(plan, output);
    if (status != PE_OK) return status;
    /* Batches may follow each other or be side by side. If they are side by side, the rows r of all
       batches are within one row stride. `batch` is the number of elements from the start of a
       batch to its end. */
    const size_t batch = (output->rows - 1) * output->columns + plan->d_model;
    const size_t limit = (size_t)PTRDIFF_MAX / output->element;
    if (batch_stride > limit / count || batch_stride * (count - 1) > limit - batch)
        return PE_ERR_SIZE;
    if (batch_stride < batch && (batch_stride < plan->d_model ||
                                 (output->columns - plan->d_model) / batch_stride < count - 1))
        return PE_ERR_SHAPE;
    batches->bytes = batch_stride * output->element;
    const pe_plan *const view = pe__view(plan, positions, &own);
    status = pe__check_at(positions, output->rows, view->axes, view->offset);
    if (status != PE_OK || pe__write_batches(view, positions, output, batches)) return status;
    for (size_t b = 0; b < count; b++) {
        pe__output one = *output;
        one.out += b * batches->bytes;
        pe__write_axes(view, positions, &one);
    }
    return PE_OK;
}

/* Writes the rows in tiles of 64 columns or fewer, each with a small plan on the stack. */
PE_API pe_status pe_sinusoidal_f32(float *out, size_t rows, size_t d_model)
{
    enum { PE__PAIRS = 32, PE__PADDED = PE__PAIRS + PE__MAX_LANES };
    if (rows == 0) return PE_OK;
    if (!out) return PE_ERR_NULL;
    if (d_model == 0) return PE_ERR_EMPTY;
    pe_config config = pe_config_default(d_model);
    config.expected_rows = rows;
    pe_plan plan;
    if (pe__plan_bytes(&config, &plan) == 0) return PE_ERR_SIZE;
    pe_status status = pe__check_shape(d_model, rows, d_model, sizeof *out);
    const pe_at positions = pe_from(0);
    if (status == PE_OK) status = pe__check_at(&positions, rows, 1, 0);
    if (status != PE_OK) return status;

    double memory[PE__PADDED * (2 + 4 * PE__BLOCK_HALF) + PE__MAX_LANES];
    double *const f = pe__aligned(memory);
    pe__geometric g;
    const double denominator[2] = {(double)d_model / 2, 0};
    const pe__td unit = pe__frequency_scale(config.scale, config.half_turns);
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
        pe__output output = pe__output_of(out + column, sizeof *out, rows, d_model, PE__STORE, 1,
                                          pe__fill_kernel_f32());
        pe__write_axes(&plan, &positions, &output);
    }
    return PE_OK;
}

/* ==== src/rows/sincos.h ==== */
/* Writes rows of sines and cosines of given frequencies, for callers without a plan (pe_sincos_T).
 * Tested by tests/unit/sincos/test_theorem.c and tests/unit/positions/test_at.c. */

/* ---- 6.13 rows without a plan -------------------------------------------------------------------
 * A call builds a plan on the stack for each tile of columns. For fewer than PE__SINCOS_MIN_ROWS
 * rows the plan holds only frequencies. Converting them takes 20 % of the time of a row. For more
 * rows the plan also has rotation rows (plan->table). */

/* The arguments of a pe_sincos_T call. */
typedef struct pe__sincos_request {
    const double *omega;                 /* frequency of each pair, in radians per position */
    size_t pairs, rows, stride, element; /* stride: elements from row to row, of the sines as of the
                                            cosines; element: bytes of an element */
    double amplitude;
    void *sines, *cosines;
} pe__sincos_request;

/* Writes the first `rows` rows of an output. pe__sincos_row_T() is called for one row only, and
   pe__sincos_rows_T() for any number. If every call of pe_sincos_T() in a program is for one row,
   the program has no code of pe__write_axis(). */
typedef void pe__sincos_kernel(pe__output *output, const pe_at *positions, size_t rows);
/* NULL: pe__row_f32() does not read output->kernel */
PE__OUTLINE void pe__sincos_row_f32(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = NULL;
    pe__row_f32(output, pe__position(positions, 0, 0), rows);
}

PE__OUTLINE void pe__sincos_rows_f32(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = pe__fill_kernel_f32();
    pe__write_axis(output, positions, 0, rows);
}

PE__OUTLINE void pe__sincos_row_f16(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = pe__fill_kernel_f16();
    pe__rows_f16(output, pe__position(positions, 0, 0), rows);
}

PE__OUTLINE void pe__sincos_rows_f16(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = pe__fill_kernel_f16();
    pe__write_axis(output, positions, 0, rows);
}

PE__OUTLINE void pe__sincos_row_bf16(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = pe__fill_kernel_bf16();
    pe__rows_bf16(output, pe__position(positions, 0, 0), rows);
}

PE__OUTLINE void pe__sincos_rows_bf16(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = pe__fill_kernel_bf16();
    pe__write_axis(output, positions, 0, rows);
}

/* NULL: nor does pe__rows_f64() */
PE__OUTLINE void pe__sincos_row_f64(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = NULL;
    pe__rows_f64(output, pe__position(positions, 0, 0), rows);
}

PE__OUTLINE void pe__sincos_rows_f64(pe__output *output, const pe_at *positions, size_t rows)
{
    output->kernel = pe__fill_kernel_f64();
    pe__write_axis(output, positions, 0, rows);
}

/* PE__TILE_NO_TABLE is the maximum number of pairs of a tile whose plan has no rotation rows,
   PE__TILE_TABLE that of a tile whose plan has them. Plans have rotation rows for
   PE__SINCOS_MIN_ROWS rows or more: then rotation rows that are built for one call save more time
   than they cost. Measured for 64 pairs, this is so for 65 rows or more with AVX-512, and for 125
   or more with AVX2. 96 is between these. */
enum { PE__TILE_NO_TABLE = 256, PE__TILE_TABLE = 32, PE__SINCOS_MIN_ROWS = 96 };

/* Convert the vector of frequencies w at omega + i to half-turns. Each w / pi is the sum of two
   doubles, with a relative error of 2^-104: the high parts go to f + i, the low parts to g + i.
   Update *minimum and *sum, the minimum of |w| and the sum of |w| in each lane. */
PE__INLINE void pe__sincos_frequency(const double *omega, size_t i, double *f, double *g,
                                     pe__vd *minimum, pe__vd *sum)
{
    pe__vd e;
    const pe__vd w = pe__load(omega + i), size = pe__abs(w);
    *minimum = pe__min_vd(size, *minimum);
    *sum = *sum + size;
    pe__store(f + i, pe__two_prod(w, pe__splat(pe__inverse_pi[0]), &e));
    pe__store(g + i, pe__fma(w, pe__splat(pe__inverse_pi[1]), e));
}

/* Convert n frequencies to half-turns, high parts to f and low parts to f + padded. Each array is
   followed by 8 copies of its last element. Returns 1 in the usual case: no omega is a NaN, and no
   |omega| is below 2^-900. Also, the sum of |omega| in each lane of the vectors is at most
   PE__MAX_FREQUENCY_SUM / PE_LANES. Then no frequency has to be checked by itself, and none is
   above PE__MAX_FREQUENCY_SUM. Otherwise returns 0, also if a frequency is 0, which is valid. */
enum { PE__MAX_FREQUENCY_SUM = 32 };
PE__OUTLINE int pe__sincos_frequencies(const double *omega, size_t n, double *f, size_t padded)
{
    const pe__vd low = pe__splat(pe__exp2i(-900));
    const pe__vd maximum = pe__splat((double)PE__MAX_FREQUENCY_SUM / (double)PE_LANES);
    pe__vd minimum = pe__splat(1.0), sum = pe__splat(0.0), zero = sum;
    double w[PE_LANES], *const g = f + padded;
    size_t i = 0;
    for (size_t k = 0; n < PE_LANES && k < PE_LANES; k++) w[k] = omega[pe__min(k, n - 1)];
    for (; i + PE_LANES <= n; i += PE_LANES) pe__sincos_frequency(omega, i, f, g, &minimum, &sum);
    if (n < PE_LANES) pe__sincos_frequency(w, 0, f, g, &minimum, &sum);
    else if (i < n) pe__sincos_frequency(omega, n - PE_LANES, f, g, &minimum, &sum);
    for (i = n; i < n + 8; i += PE_LANES) {
        pe__store(f + i, pe__splat(f[n - 1]));
        pe__store(g + i, pe__splat(g[n - 1]));
    }
    /* sum * 0 is a NaN if any frequency is a NaN or infinite. The 0 is hidden from clang, which
       assumes under -ffinite-math-only that this product is 0. */
    PE__OPAQUE(zero);
    return !pe__unequal(pe__min_vd(minimum, low), low,
                        pe__fma(sum, zero, pe__min_vd(maximum - sum, zero)), zero);
}

/* Set all fields that row kernels read in a plan of n pairs, except frequency and padded. No
   frequency may be larger in magnitude than `fastest`. */
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

/* Check the frequencies, then write the rows in tiles of up to `capacity` pairs, with rotation rows
   if capacity is PE__TILE_TABLE. `f` is aligned memory for the arrays of a tile's plan: frequencies
   and, if there are any, rotation rows. Returns PE_OK, or PE_ERR_FREQUENCY before anything is
   written. */
PE__INLINE pe_status pe__sincos_tiles(const pe__sincos_request *x, const pe_at *positions,
                                      pe__sincos_kernel *kernel, double *f, size_t capacity)
{
    unsigned char *const sines = (unsigned char *)x->sines;
    unsigned char *const cosines = (unsigned char *)x->cosines;
    const int sines_first = (uintptr_t)sines < (uintptr_t)cosines;
    unsigned char *const out = sines_first ? sines : cosines;
    const size_t size = x->element, gap = (size_t)((sines_first ? cosines : sines) - out);
    const size_t columns = gap >> (size == 2 ? 1 : size == 4 ? 2 : 3);
    pe_plan plan;
    double fastest = PE__MAX_FREQUENCY_SUM;
    int usual = 1;
    plan.frequency = f;
    for (size_t i = 0; i < x->pairs; i += capacity) {
        const size_t n = pe__min(x->pairs - i, capacity);
        usual &= pe__sincos_frequencies(x->omega + i, n, f, capacity + PE__MAX_LANES);
    }
    for (size_t i = 0; i < x->pairs && !usual; i++) {
        const double w = x->omega[i];
        if (!pe__is_zero(w) && !pe__magnitude_between(w, pe__exp2i(-900), pe__exp2i(21)))
            return PE_ERR_FREQUENCY;
        fastest = pe__max_abs(fastest, w);
    }
    plan.padded = capacity + PE__MAX_LANES;
    for (size_t i = 0; i < x->pairs; i += capacity) {
        const size_t n = pe__min(x->pairs - i, capacity);
        if (x->pairs > capacity)
            (void)pe__sincos_frequencies(x->omega + i, n, f, capacity + PE__MAX_LANES);
        pe__sincos_plan(&plan, x->amplitude, n, fastest);
        if (capacity == PE__TILE_TABLE) {
            /* pe__build_rotation_rows() reads all plan.padded elements, also those of no pair */
            for (size_t k = n + PE__MAX_LANES; k < plan.padded; k++) f[k] = f[plan.padded + k] = 0;
            pe__build_rotation_rows(&plan, f + 2 * plan.padded);
            plan.table = f + 2 * plan.padded;
        }
        pe__output output =
            pe__output_split_with(pe__round_element_given, NULL, &plan, 0, n, out + i * size, size);
        output.stride = (ptrdiff_t)(x->stride * size);
        output.sine = sines_first ? 0 : columns;
        output.cosine = sines_first ? columns : 0;
        kernel(&output, positions, x->rows);
    }
    return PE_OK;
}
PE__OUTLINE pe_status pe__sincos_without_table(const pe__sincos_request *x, const pe_at *positions,
                                               pe__sincos_kernel *kernel)
{
    double memory[2 * ((size_t)PE__TILE_NO_TABLE + PE__MAX_LANES) + 8];
    return pe__sincos_tiles(x, positions, kernel, pe__aligned(memory), PE__TILE_NO_TABLE);
}
PE__OUTLINE pe_status pe__sincos_with_table(const pe__sincos_request *x, const pe_at *positions,
                                            pe__sincos_kernel *kernel)
{
    double memory[(2 + 4 * PE__BLOCK_HALF) * ((size_t)PE__TILE_TABLE + PE__MAX_LANES) + 8];
    return pe__sincos_tiles(x, positions, kernel, pe__aligned(memory), PE__TILE_TABLE);
}

/* Does what pe_sincos_T() does: checks all arguments, then writes. `one` is 1 if x->rows is 1 and
   the kernel is pe__sincos_row_T(), else 0. */
PE__OUTLINE pe_status pe__sincos_call(const pe__sincos_request *x, const pe_at *positions, int one,
                                      pe__sincos_kernel *kernel)
{
    if (x->rows == 0 || x->pairs == 0) return PE_OK;
    if (!x->omega || !x->sines || !x->cosines) return PE_ERR_NULL;
    if (!pe__magnitude_between(x->amplitude, pe__exp2i(-1000), pe__exp2i(1000)))
        return PE_ERR_AMPLITUDE;
    pe_status status = pe__check_shape(x->pairs, x->rows, x->stride, x->element);
    /* Sines and cosines are written as columns of one output, so the distance between the arrays
       must be a whole number of elements. */
    if (((uintptr_t)x->sines ^ (uintptr_t)x->cosines) & (x->element - 1)) return PE_ERR_ALIGNMENT;
    if (status == PE_OK) status = pe__check_at(positions, x->rows, 1, 0);
    if (status != PE_OK) return status;
    if (one || x->rows < PE__SINCOS_MIN_ROWS) return pe__sincos_without_table(x, positions, kernel);
    return pe__sincos_with_table(x, positions, kernel);
}

/* ==== src/rope/config.h ==== */
/* A model's RoPE config: its defaults, the names of its types, its errors. pe__rope holds a config
 * whose defaults are resolved. Tested by tests/unit/rope/test_rope_frequencies.c. */

/* ---- 7. RoPE frequencies ------------------------------------------------------------------------
 * This section applies one formula to all types. The type determines f, the frequency scale F,
 * the ratio q and the ramp r. The index i of a pair counts from the start of the head or, with
 * PE_SECTIONS_VISION, of its section. L0 is the trained length. The list freq_factors has one
 * factor for each pair of the head:
 *
 *     w_i = F q^i (m + (1 - m) / f) / (factors[i] freq_factors[i])
 *     m = keep (1 - r), r = (x - low) / (high - low), clamped to 0 ... 1
 *
 * In the ramp r, x is i for YARN. For LLAMA3 x is L0 F q^i / 2 pi, and the ramp falls from low =
 * high_freq_factor to high = low_freq_factor. Types without a ramp have r = 0, so m = keep: 0 for
 * LINEAR and PROPORTIONAL, which divide all frequencies by f, else 1. In double-double, F contains
 * their 1 / f. Between low and high the factor of F q^i is a line, start + slope x, see
 * pe__rope_ramp(). The lists factors (LONGROPE) and freq_factors count as 1 if there are none.
 *
 * Frequencies are computed in double-double, with a relative error of 2^-99, or a larger one where
 * the terms of a ramp cancel. If the error leaves the rounding undecided,
 * pe__rope_round_frequency() computes the frequency again with multi-limb integers. Where a branch
 * on a ramp compares an inexact number with an exact one, the inexact number contains pi and the
 * other number is algebraic, so they are never equal. Where it compares two ends of a ramp of YARN
 * that both contain pi, they are equal only if beta_fast = beta_slow, which is tested exactly. So
 * with enough limbs every branch is decided. */

/* Returns whether the length n, in tokens, is at most 2^53. The parameter has 64 bits, because
   compilers warn about a comparison that is always true where size_t has 32 bits. */
static inline int pe__rope_length_ok(uint64_t n) { return n <= (uint64_t)1 << 53; }

PE_API pe_rope_config pe_rope_config_default(size_t head_dim)
{
    pe_rope_config config;
    memset(&config, 0, sizeof config); /* cppcheck-suppress memsetClassFloat ; all zeros is 0.0 */
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
    static const char names[][4][24] = {
#define PE__ROPE_TYPE_NAMES(type, ...) {__VA_ARGS__},
        PE__ROPE_TYPES(PE__ROPE_TYPE_NAMES)
#undef PE__ROPE_TYPE_NAMES
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
    return PE_ERR_NAME;
}

/* This struct holds a config after the rules of its type were applied. The function pe__rope_read()
   sets the fields up to and including is_ggml. The function pe__rope_begin() sets the others, which
   all pairs share. For types without a ramp it sets only factor, all and end. Letters are those of
   the formula above. */
typedef struct pe__rope {
    const pe_rope_config *config; /* the caller's config, not copied */
    /* This is LONGROPE's list that applies, short_factor or long_factor. It is NULL for other
       types, or if the config lacks the list. */
    const double *factors;
    /* This is the attention factor that the config gives, for LONGROPE also as long_mscale or
       short_mscale. It is 0 if the config gives none. */
    double attention;
    /* length is L0 in tokens, 0 if absent. fast and slow are YARN's beta_fast and beta_slow, or
       their defaults 32 and 1 if they are 0. */
    double length, fast, slow;
    size_t rotary; /* rotary_dim, or head_dim if that is 0 */
    /* n is the rotary dim of a section, or of the head without PE_SECTIONS_VISION. width is n, or
       head_dim for PROPORTIONAL: q is rope_theta^(-2 / width), and NTK types multiply it by a power
       of f. */
    double n, width;
    double f[4]; /* f = f[0] f[1] / f[2] + f[3] */
    double keep; /* 0 ... 1: `keep` in the formula for m; for YARN extrapolation_factor */
    /* `pairs` is the number of pairs of a head. The first `rotating` of them rotate; the frequency
       of the others is 0. */
    size_t pairs, rotating;
    /* i is the index of a pair modulo period: with PE_SECTIONS_VISION the number of pairs of a
       section, otherwise more than any head has. */
    size_t period;
    int is_long;       /* 1: sequence_length exceeds L0 */
    int has_factor;    /* 1: the config gives `factor`, or two lengths whose ratio is f */
    int is_ggml;       /* 1: ramps shorter than 0.001 get the length 0.001, as in ggml */
    pe__td factor;     /* f */
    pe__geometric all; /* computes F q^i */
    pe__dd waves;      /* L0 / (2 pi): for LLAMA3, x = waves F q^i */
    pe__dd low, high;  /* x where the ramp begins, and where it ends */
    /* begin is the factor of F q^i before the ramp. end is the factor after it, 1 / f. */
    pe__dd begin, end;
    pe__dd start, slope; /* on the ramp the factor is start + slope x */
    double sign;         /* 1 if low < high, else -1: then x falls along the ramp, or low = high */
    /* ramp_error bounds the factor's absolute error on the ramp, besides the error of
       double-double. Farther than margin from the ramp, the factor is certainly begin or end. */
    double ramp_error, margin;
} pe__rope;

PE__INLINE int pe__rope_has_ramp(const pe__rope *r)
{
    return r->config->rope_type == PE_ROPE_LLAMA3 || r->config->rope_type == PE_ROPE_YARN;
}

/* Set the fields of *r up to and including is_ggml from the config. The config's fields are not
   checked yet, so they may have any values here. */
PE__OUTLINE void pe__rope_read(pe__rope *r, const pe_rope_config *config)
{
    const size_t original = config->original_max_position_embeddings;
    const size_t maximum = config->max_position_embeddings, now = config->sequence_length;
    const pe_rope_type type = config->rope_type;
    const int proportional = type == PE_ROPE_PROPORTIONAL, dynamic = type == PE_ROPE_DYNAMIC_NTK;
    const int is_vision = config->axes > 1 && config->section_order == PE_SECTIONS_VISION;
    const size_t length = dynamic ? (maximum ? maximum : original) : original ? original : maximum;
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
    r->pairs = (proportional ? config->head_dim : r->rotary) / 2;
    r->rotating = is_vision ? r->pairs : r->rotary / 2;
    r->period = is_vision ? config->sections[0] : (SIZE_MAX >> 1) + 1; /* more than any head has */
    r->n = is_vision ? 2 * (double)r->period : (double)r->rotary;
    r->width = proportional && !is_vision ? (double)config->head_dim : r->n;
    r->keep = type == PE_ROPE_YARN ? config->extrapolation_factor
                                   : type != PE_ROPE_LINEAR && type != PE_ROPE_PROPORTIONAL;
    r->is_ggml = 0;
    r->has_factor = config->factor > 0 || (original && maximum);
    r->f[0] = config->factor > 0 ? config->factor : 1;
    r->f[1] = r->f[2] = 1;
    r->f[3] = 0;
    if (dynamic) { /* f is replaced by f L / L0 - (f - 1) = f (L - L0) / L0 + 1, L >= L0 */
        r->f[1] = r->is_long ? (double)(now - length) : 0;
        r->f[2] = r->length;
        r->f[3] = 1;
    } else if ((type == PE_ROPE_YARN || type == PE_ROPE_LONGROPE) && !(config->factor > 0) &&
               original && maximum) {
        r->f[0] = (double)maximum;
        r->f[2] = (double)original;
    }
}

PE__INLINE int pe__rope_number_ok(double x)
{
    return pe__between(x, pe__exp2i(-128), pe__exp2i(128));
}
PE__INLINE int pe__rope_optional_ok(double x) { return pe__is_zero(x) || pe__rope_number_ok(x); }

/* A rule for configs tells whether it applies, whether it holds, and which error text is returned
   if it applies and does not hold. The function pe__broken_rule() returns the text of the first
   such rule of n rules, or NULL. */
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

/* Returns the error text of the first field out of range, or NULL. The functions below check the
   lists, the axes and their sections, and what rope_type requires. */
PE__OUTLINE const char *pe__rope_field_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const double theta = c->rope_theta, e = c->extrapolation_factor;
    const double steps = c->offset * 1048576.0; /* the offset as a multiple of 2^-20 */
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
        {1, pe__is_zero(e) || pe__between(e, pe__exp2i(-128), 1),
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

/* Returns the error text of the first list with a wrong length, or NULL. A length of 0 means that
   it is not given, and is accepted. Reads no list. */
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

/* Returns the text of the first error in axes, sections, section_order and coordinate, or NULL. If
   the sections have more pairs than the head, `left` wraps below 0; blocks then do not `fit`. */
PE__WRAPS
PE__OUTLINE const char *pe__rope_axes_error(const pe__rope *r)
{
    const pe_rope_config *const c = r->config;
    const int several = c->axes > 1, vision = several && c->section_order == PE_SECTIONS_VISION;
    const int listed = c->coordinate != NULL;
    const int blocks = several && !listed && c->section_order != PE_SECTIONS_INTERLEAVED;
    size_t left = r->pairs; /* number of pairs that belong to no section */
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

/* Returns the text of the first requirement of rope_type that is not met, or NULL. */
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

/* Returns the text of the first error of the config, or NULL. The numbers in r->factors and in
   freq_factors are checked last, so after the lengths of the lists. The list of LONGROPE that does
   not apply is not read. */
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
/* Computes a single frequency of RoPE with multi-limb integers, if double-double is not precise
 * enough to round it to a double. Tested by tests/checks/levels.sh. */

/* Returns a bound of YaRN's ramp, computed with n limbs: the larger of minimum and sign * c(beta),
   where sign is 1 or -1. The function c(beta) is defined for PE_ROPE_YARN in section 7 of
   rope/contract_config.h. If config->truncate is set, sign * c(beta) is rounded down. With a sign
   of -1 it becomes minus the ceiling of c(beta). If it is above 2^52, it becomes 2^52, as in
   pe__rope_bound(). Sets *unsure if more limbs may yield another integer. */
PE__COLD pe__bigfloat pe__rope_real_bound(const pe__rope *r, double beta, double sign,
                                          double minimum, int n, int *unsure)
{
    pe__bigfloat x = pe__bigfloat_pi(n), c = pe__bigfloat_of(r->length, n);
    pe__bigfloat_mul_double(&x, 2 * beta);
    pe__bigfloat_div(&c, &x);
    pe__bigfloat_log(&c);
    pe__bigfloat_mul_double(&c, sign * r->n / 2);
    x = pe__bigfloat_of(r->config->rope_theta, n);
    pe__bigfloat_log(&x);
    pe__bigfloat_div(&c, &x);
    x = c;
    pe__bigfloat_add_double(&x, -minimum);
    if (x.sign <= 0) {
        c = pe__bigfloat_of(minimum, n);
    } else if (r->config->truncate) {
        double rounded = pe__bigfloat_to_double(&c);
        if (rounded > pe__exp2i(52)) {
            rounded = pe__exp2i(52);
        } else {
            rounded = pe__round_to_integer(rounded);
            pe__bigfloat_add_double(&c, -rounded);
            *unsure |= !pe__bigfloat_has_sign(&c);
            rounded -= c.sign < 0;
        }
        c = pe__bigfloat_of(rounded, n);
    }
    return c;
}

/* Returns m of pair i: the share of its frequency that is not divided by f, as in the formula of
   rope/config.h. It is r->keep times 1 minus the ramp, or r->keep for a type without a ramp. The
   result has as many limbs as *w, which is F q^i. Sets *unsure if more limbs may decide a branch
   differently. */
PE__COLD pe__bigfloat pe__rope_real_keep(const pe__rope *r, double i, const pe__bigfloat *w,
                                         int *unsure)
{
    const pe_rope_config *const config = r->config;
    const int n = w->n;
    pe__bigfloat x = pe__bigfloat_of(r->keep, n), y, low, span;
    if (!pe__rope_has_ramp(r)) return x;
    if (config->rope_type == PE_ROPE_LLAMA3) {
        x = *w;
        y = pe__bigfloat_pi(n);
        pe__bigfloat_mul_double(&x, r->length / 2);
        pe__bigfloat_div(&x, &y);
        low = pe__bigfloat_of(config->high_freq_factor, n);
        span = pe__bigfloat_of(config->low_freq_factor, n);
        pe__bigfloat_add(&span, &low, -1);
    } else {
        x = pe__bigfloat_of(i, n);
        low = pe__rope_real_bound(r, r->fast, 1, 0, n, unsure);
        span = pe__rope_real_bound(r, r->slow, -1, 1 - r->n, n, unsure);
        pe__bigfloat_add(&span, &low, 1);
        span.sign = -span.sign;
        y = pe__bigfloat_of(1, n);
        pe__bigfloat_div_u32(&y, 1000);
        pe__bigfloat minimum = y;
        pe__bigfloat_add(&y, &span, -1);
        const int empty =
            !pe__bigfloat_has_sign(&span) && (pe__bigfloat_is_exact(&span) || r->fast == r->slow);
        if (empty || (r->is_ggml && y.sign > 0)) span = minimum;
        *unsure |= !pe__bigfloat_has_sign(&span);
    }
    pe__bigfloat_add(&x, &low, -1);
    if (span.sign <= 0) {
        span.sign = -span.sign;
        x.sign = -x.sign;
    }
    *unsure |= !pe__bigfloat_has_sign(&x) && !pe__bigfloat_is_exact(&x);
    y = x;
    pe__bigfloat_add(&y, &span, -1);
    if (x.sign <= 0 || y.sign >= 0) x = pe__bigfloat_of(x.sign > 0, n);
    else pe__bigfloat_div(&x, &span);
    x.sign = -x.sign;
    pe__bigfloat_add_double(&x, 1);
    pe__bigfloat_mul_double(&x, r->keep);
    return x;
}

/* Returns f = f[0] f[1] / f[2] + f[3], with the numbers r->f, computed with n limbs. */
PE__COLD pe__bigfloat pe__rope_real_factor(const pe__rope *r, int n)
{
    pe__bigfloat f = pe__bigfloat_of(r->f[0], n);
    pe__bigfloat_mul_double(&f, r->f[1]);
    pe__bigfloat_div_double(&f, r->f[2]);
    pe__bigfloat_add_double(&f, r->f[3]);
    return f;
}

/* Returns the frequency of the head's pair with index `pair`, correctly rounded. The number of
   limbs grows until they decide the rounding and every branch. With PE__LIMBS, the largest number,
   branches are taken as decided, and a value whose error interval contains a midpoint is taken to
   be the midpoint. */
PE__COLD double pe__rope_round_frequency(const pe__rope *r, size_t pair)
{
    const pe_rope_type type = r->config->rope_type;
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const size_t index = pair % r->period;
    const double i = (double)index;
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        int unsure = 0;
        pe__bigfloat f = pe__rope_real_factor(r, n), w = pe__bigfloat_of(r->config->rope_theta, n),
                     x, z;
        pe__bigfloat_log(&w);
        pe__bigfloat_mul_double(&w, -2 * i);
        pe__bigfloat_div_double(&w, r->width);
        if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
            z = f;
            pe__bigfloat_log(&z);
            pe__bigfloat_mul_double(&z, -2 * (i + fixed));
            pe__bigfloat_div_double(&z, r->n - (fixed ? 0 : 2));
            pe__bigfloat_add(&w, &z, 1);
        }
        pe__bigfloat_exp(&w);
        z = x = pe__rope_real_keep(r, i, &w, &unsure);
        z.sign = -z.sign;
        pe__bigfloat_add_double(&z, 1);
        pe__bigfloat_div(&z, &f);
        pe__bigfloat_add(&x, &z, 1);
        pe__bigfloat_mul(&w, &x);
        if (r->factors) pe__bigfloat_div_double(&w, r->factors[index]);
        if (r->config->freq_factors)
            pe__bigfloat_div_double(&w, (double)r->config->freq_factors[pair]);
        const int last = n == PE__LIMBS;
        if ((!unsure || last) && pe__bigfloat_round(&w, 0, last, &y)) return y;
    }
}

/* ==== src/rope/frequencies.h ==== */
/* Computes RoPE's frequencies in double-double, 64 at a time, and rounds them correctly. Tested by
 * tests/unit/rope/test_rope_frequencies.c and tests/checks/levels.sh. */

/* Returns a bound of YaRN's ramp: the larger of minimum and sign * c(beta), where sign is 1 or -1.
   The pair c(beta) = -log2(L0 / 2 pi beta) / step completes beta rotations in L0 positions, and
   step is log2 q. If config->truncate is set, sign * c(beta) is rounded down and *low is set to 0.
   Otherwise *low receives the low double of the result.

   L0 is r->length. The error of c(beta) is below e = 2^-90 / |step|. The logarithms have at most 8
   bits before the point (L0 <= 2^53, 2^-128 <= beta <= 2^128), so they are off by at most 2^-94.
   (L0 = 2^-900, see pe_rope_ggml_frequencies(), has an exact logarithm.) The quotient and step have
   relative errors of 2^-101. If an integer is closer to c(beta) than e, the floor cannot be
   determined. Then r->ramp_error = 1 sends all pairs on or near the ramp to
   pe__rope_round_frequency(). Floors above 2^52 become 2^52. Such a bound is far from all pairs of
   a head that fits in memory, so its error does not matter. */
PE__OUTLINE double pe__rope_bound(pe__rope *r, double beta, double sign, double minimum,
                                  double *low)
{
    static const double log2_pi[2] = {2.651496129472319, -1.4306827340855198e-16}; /* log2(2 pi) */
    const pe__dd step = pe__dd_from_td(r->all.step);
    const pe__dd length = pe__dd_from_td(pe__td_log2_of(r->length));
    const pe__dd rotations = pe__dd_sub(length, pe__dd_from_td(pe__td_log2_of(beta)));
    const pe__dd c = pe__dd_div(pe__dd_sub(rotations, pe__dd_splat(log2_pi)), step);
    const double a = -sign * pe__first_lane(c.hi), b = -sign * pe__first_lane(c.lo);
    const double e = pe__exp2i(-90) / -pe__first_lane(step.hi);
    *low = 0;
    if (a - minimum + b <= 0) return minimum;
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

/* Set the ramp of r: its ends low and high, the line between them, and the bounds of the errors. If
   low = high in YaRN, the ramp gets the length 0.001, as in the code of models. ggml gives that
   length to all ramps that are shorter, also if high < low.

   ramp_error bounds the absolute error of the line start + slope x. Suppose that low and high are
   each off by e, which pe__rope_bound() stores in ramp_error. The error of low adds slope * e, and
   the error of high - low adds 2 * slope * e. The code uses 4 * slope * e, which leaves room.
   margin bounds the errors of x - low and x - high. If the computed x is closer than margin to low
   or high, the exact x may be on the other side of it. */
PE__OUTLINE void pe__rope_ramp(pe__rope *r)
{
    const pe_rope_config *const config = r->config;
    const pe__dd one = pe__dd_from_double(pe__splat(1.0));
    const pe__dd minimum = pe__dd_div(one, pe__dd_from_double(pe__splat(1000.0)));
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
        span = minimum;
        length = 0.001;
        r->high = pe__dd_add(r->low, minimum);
    }
    r->sign = length > 0 ? 1 : -1;
    /* begin = keep + (1 - keep) / f. The form 1 / f + keep (1 - 1 / f) is equal, but for a tiny f
       its terms would cancel */
    const pe__dd keep = pe__dd_from_double(pe__splat(r->keep));
    r->begin = pe__dd_renormalize(pe__dd_add(pe__dd_mul(r->end, pe__dd_sub(one, keep)), keep));
    r->slope = pe__dd_from_double(pe__splat(0.0)); /* LLAMA3 with low = high: a step, no line */
    if (length != 0) r->slope = pe__dd_div(pe__dd_mul_double(scaled, -r->keep), span);
    const pe__dd fall = pe__dd_mul(r->low, r->slope);
    r->start = pe__dd_sub(r->begin, fall);
    r->margin = 2 * r->ramp_error + pe__exp2i(-90) * (fabs(low[0]) + fabs(high[0]));
    r->ramp_error *= 4 * fabs(pe__first_lane(r->slope.hi));
    /* begin - fall may cancel: its error is 2^-99 times the sum of both magnitudes */
    r->ramp_error +=
        pe__exp2i(-99) * (pe__first_lane(pe__abs(r->begin.hi)) + pe__first_lane(pe__abs(fall.hi)));
    if (length == 0) r->ramp_error = 1 / pe__exp2i(-900); /* near the step: never decided */
}

/* Returns log2 f, with an error of at most 2^-104 max(1, |log2 f|). Except for DYNAMIC_NTK, f is
   f[0] / f[2], and the logarithms of f[0] and f[2] are subtracted. Both numbers are usually
   products of 2, 3 and 5, for which pe__td_log2_of() is so fast that two calls take less time than
   one logarithm of f. */
PE__OUTLINE pe__td pe__rope_log2_factor(const pe__rope *r)
{
    if (r->f[3] != 0) return pe__td_log2(r->factor);
    return pe__td_sub(pe__td_log2_of(r->f[0]), pe__td_log2_of(r->f[2]));
}

/* Set the fields of *r after is_ggml, for a config without errors. Here n is r->n, and theta is the
   config's rope_theta. LINEAR and PROPORTIONAL have the frequency scale F = 1 / f. NTK and
   DYNAMIC_NTK replace theta by theta f^(n / (n - 2)), which adds -log2 f / (n / 2 - 1) to log2 q.
   NTK_FIXED multiplies w_i by f^(-2 (i + 1) / n), so the frequency scale F is f^(-2 / n), and -log2
   f / (n / 2) is added to log2 q. */
PE__OUTLINE void pe__rope_begin(pe__rope *r)
{
    const pe_rope_type type = r->config->rope_type;
    const double half[2] = {0.5 * r->width, 0};
    const int fixed = type == PE_ROPE_NTK_FIXED;
    const pe__td product = pe__td_mul_double(pe__td_splat(r->f[0]), pe__splat(r->f[1]));
    pe__td frequency_scale = pe__td_splat(1.0);
    r->all.step = pe__geometric_step(r->config->rope_theta, half);
    r->factor = pe__td_add(pe__td_div_double(product, pe__splat(r->f[2])), pe__td_splat(r->f[3]));
    r->end = pe__dd_div(pe__dd_from_td(frequency_scale), pe__dd_from_td(r->factor));
    if (fixed || type == PE_ROPE_NTK || type == PE_ROPE_DYNAMIC_NTK) {
        const double n = r->n - (fixed ? 0 : 2);
        const pe__td more = pe__td_div_double(pe__rope_log2_factor(r), pe__splat(-0.5 * n));
        r->all.step = pe__td_add(r->all.step, more);
        if (fixed) frequency_scale = pe__td_exp2(more);
    }
    if (r->keep == 0 && !pe__rope_has_ramp(r)) {
        frequency_scale.a = r->end.hi;
        frequency_scale.b = r->end.lo;
    }
    pe__geometric_begin(&r->all, &frequency_scale);
    if (pe__rope_has_ramp(r)) pe__rope_ramp(r);
}

/* Multiply the frequencies F q^i in *w, of a vector of indices i, by the factor of the ramp: begin
   before low, end after high, start + slope x between. Returns a bound of the factor's relative
   error. The bound covers cancellation and the errors of low and high. It is 0 where x is outside
   the ramp and farther from it than margin. */
PE__INLINE pe__vd pe__rope_apply_ramp(const pe__rope *r, pe__vd index, pe__dd *w)
{
    const pe__vd sign = pe__splat(r->sign), margin = pe__splat(r->margin), zero = pe__splat(0.0);
    pe__dd x = pe__dd_from_double(index);
    if (r->config->rope_type == PE_ROPE_LLAMA3) x = pe__dd_mul(*w, r->waves);
    const pe__dd climb = pe__dd_mul(x, r->slope);
    pe__dd y = pe__dd_renormalize(pe__dd_add(r->start, climb));
    /* the absolute error: the relative one has no bound, since start and climb may cancel */
    pe__vd error = (pe__abs(r->start.hi) + pe__abs(climb.hi)) * pe__splat(pe__exp2i(-99));
    const pe__vd below = ((r->low.hi - x.hi) + (r->low.lo - x.lo)) * sign;
    const pe__vd above = ((x.hi - r->high.hi) + (x.lo - r->high.lo)) * sign;
    y.hi = pe__where_positive(above, r->end.hi, pe__where_positive(below, r->begin.hi, y.hi));
    y.lo = pe__where_positive(above, r->end.lo, pe__where_positive(below, r->begin.lo, y.lo));
    error = error + pe__splat(r->ramp_error);
    /* farther than margin from the ramp the factor is begin or end */
    error =
        pe__where_positive(above - margin, zero, pe__where_positive(below - margin, zero, error));
    y.hi = pe__where_positive(pe__abs(y.hi), y.hi, error); /* where y is 0, the relative error is
                                                              then 1, with no division by 0 */
    *w = pe__dd_mul(*w, y);
    return error / pe__abs(y.hi);
}

/* Write to omega the correctly rounded frequencies, starting at index `pair`, which is below
   r->rotating. Stop after 64 frequencies, at the end of the pair's section (r->period), or at
   r->rotating. Returns their number. Lists of factors are copied and padded with 1, because the
   last vector may extend beyond their end. */
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
        pe__vd e = pe__splat(pe__exp2i(-99)); /* relative error of all but the ramp */
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

/* Write the frequencies of all pairs to omega; pairs that do not rotate get 0. */
PE__OUTLINE void pe__rope_all_frequencies(const pe__rope *r, double *omega)
{
    for (size_t i = 0; i < r->rotating; i += pe__rope_next_frequencies(r, i, omega + i)) {}
    for (size_t i = r->rotating; i < r->pairs; i++) omega[i] = 0;
}

/* ==== src/rope/attention.h ==== */
/* Computes RoPE's attention factor, by which all cosines and sines are multiplied, correctly
 * rounded. Also defines pe_rope_frequencies(). Tested by tests/unit/rope/test_rope_frequencies.c
 * and tests/checks/levels.sh. */

/* Both functions return 0.1 scale ln f + 1, where log_factor is ln f, and f is the factor of the
   config (`factor` in pe__rope). The scale is 1, or mscale or mscale_all_dim of the config, or 0.
   pe__rope_mscale() computes in double-double, pe__rope_real_mscale() with multi-limb integers. */
PE__INLINE pe__dd pe__rope_mscale(pe__dd log_factor, double scale)
{
    const pe__dd one = pe__dd_from_double(pe__splat(1.0));
    const pe__dd ten = pe__dd_from_double(pe__splat(10.0));
    return pe__dd_add(pe__dd_div(pe__dd_mul_double(log_factor, scale), ten), one);
}
PE__COLD pe__bigfloat pe__rope_real_mscale(const pe__bigfloat *log_factor, double scale)
{
    pe__bigfloat x = *log_factor;
    pe__bigfloat_mul_double(&x, scale);
    pe__bigfloat_div_u32(&x, 10);
    pe__bigfloat_add_double(&x, 1);
    return x;
}

/* Returns `extra` times the attention factor, correctly rounded. The computation uses
   multi-limb integers. The factor is (0.1 mscale ln f + 1) / (0.1 all_dim ln f + 1), with all_dim
   0 if the divisor is 1. For LONGROPE it is the square root of 1 + ln f / ln L0, where L0 is
   r->length; mscale and all_dim are then not used. */
PE__COLD double pe__rope_round_factor(const pe__rope *r, double mscale, double all_dim,
                                      double extra)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        pe__bigfloat f = pe__rope_real_factor(r, n), x, z;
        pe__bigfloat_log(&f);
        if (r->config->rope_type == PE_ROPE_LONGROPE) {
            x = f;
            z = pe__bigfloat_of(r->length, n);
            pe__bigfloat_log(&z);
            pe__bigfloat_div(&x, &z);
            pe__bigfloat_add_double(&x, 1);
            pe__bigfloat_log(&x);
            pe__bigfloat_mul_double(&x, 0.5);
            pe__bigfloat_exp(&x);
        } else {
            x = pe__rope_real_mscale(&f, mscale);
            z = pe__rope_real_mscale(&f, all_dim);
            pe__bigfloat_div(&x, &z);
        }
        pe__bigfloat_mul_double(&x, extra);
        if (pe__bigfloat_round(&x, 0, n == PE__LIMBS, &y)) return y;
    }
}

/* Returns the same number as pe__rope_round_factor(), but computes it in double-double. It calls
   that function only if Ziv's rounding test is inconclusive. The relative error has two terms:
       2^-90                         bounds the error of the operations, for which a bound of
                                     2^-92 was derived
       (mscale + all_dim) 2^-103     bounds what the error of ln f adds. If f is the quotient of two
                                     lengths that differ by 1, ln f is off by up to 2^-104. For
                                     f >= 1, 0.1 mscale ln f + 1 and 0.1 all_dim ln f + 1 are at
                                     least 1, so their relative errors are at most 0.1 mscale 2^-104
                                     and 0.1 all_dim 2^-104. Only ggml has f < 1, but f >= 2^-10 and
                                     mscale = 1, so 0.1 ln f + 1 > 0.3 and the bound also holds

   Without the second term, 8 of 3000 factors with mscale = 2^62 and lengths near 2^52 were wrong.

   No result is a midpoint of two doubles. f is rational. If f = 1, or if mscale = all_dim, the
   quotient is 1 and the result is `extra`. Otherwise ln f is transcendental, and so is the quotient
   that contains it. For LONGROPE, let L0 be r->length, an integer of at most 2^53. If ln f / ln L0
   is irrational, it is transcendental (Gelfond, Schneider), and so is the factor. If it is p / q in
   lowest terms, L0 = c^q <= 2^53 and f = c^p <= 2^128 with an integer c, so q <= 53 and p <= 128.
   Then the factor, the square root of (p + q) / q, is irrational, or a fraction whose numerator is
   at most 13 and whose denominator is at most 7. None of these is a midpoint of two doubles, which
   has 54 significant bits. */
PE__OUTLINE double pe__rope_factor(const pe__rope *r, double mscale, double all_dim, double extra)
{
    const pe__dd log2_factor = pe__dd_from_td(pe__rope_log2_factor(r));
    const pe__dd log_factor = pe__dd_mul(log2_factor, pe__dd_splat(pe__ln2));
    pe__dd y = pe__rope_mscale(log_factor, mscale);
    double x;
    if (r->config->rope_type == PE_ROPE_LONGROPE) { /* y^(1/2) = 2^(log2(y) / 2) */
        pe__td root = pe__td_splat(1.0);
        y = pe__dd_div(log2_factor, pe__dd_from_td(pe__td_log2_of(r->length)));
        y = pe__dd_add(y, pe__dd_from_td(root));
        root.a = y.hi;
        root.b = y.lo;
        y = pe__dd_from_td(pe__td_exp2(pe__td_mul_pow2(pe__td_log2(root), pe__splat(0.5))));
    } else if (all_dim > 0) {
        y = pe__dd_div(y, pe__rope_mscale(log_factor, all_dim));
    }
    y = pe__dd_mul_double(y, extra);
    const double hi = pe__first_lane(y.hi), lo = pe__first_lane(y.lo);
    const double error = pe__exp2i(-90) + (mscale + all_dim) * pe__exp2i(-103);
    if (pe__ziv_test(hi, lo, hi * error, 1, 0, &x)) return x;
    return pe__rope_round_factor(r, mscale, all_dim, extra);
}

/* Returns the attention factor that the config gives, which is r->attention. If it gives none,
   returns the factor that YARN or LONGROPE defines, or 1 for the other types and if f <= 1. */
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

/* Check the config, which is not NULL, and set *r from it. Returns PE_OK or PE_ERR_CONFIG. After
   PE_ERR_CONFIG, *r must not be used. */
static inline pe_status pe__rope_read_checked(pe__rope *r, const pe_rope_config *config)
{
    pe__rope_read(r, config);
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
/* pe_rope_plan_init() makes a plan from a model's RoPE config, and pe_rope_plan_size() returns its
 * size. Tested by tests/unit/rope/test_rope_plan.c. */

/* Returns the plan's pe_config for a RoPE config without errors. Two things are left to
   pe_rope_plan_init(): the amplitude, and the axes, of which this pe_config has one. */
static inline pe_config pe__rope_plan_config(const pe__rope *r)
{
    pe_config config = pe_config_default(2 * r->pairs);
    config.layout = r->config->layout;
    config.offset = r->config->offset;
    config.angle = r->config->angle;
    config.expected_rows = r->config->expected_rows;
    return config;
}

/* Returns whether the plan lists the coordinate of each pair: because the config has a list, or
   because its sections are interleaved. */
static inline int pe__rope_listed(const pe_rope_config *rope)
{
    return rope->coordinate || (rope->axes > 1 && rope->section_order == PE_SECTIONS_INTERLEAVED);
}

/* Set the fields of *plan that give the axes and the size of its arrays. Returns the bytes of
   memory that the plan needs, or 0 if config has an error. */
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
    if (memory_size < size) return PE_ERR_MEMORY;
    /* Divisors below 1 may raise frequencies above their limit, 2^21. If the config may
       have such divisors, check all frequencies before anything is written. */
    const int risky = r.factors || rope->freq_factors || pe__first_lane(r.factor.a) < 1;
    for (size_t i = 0, n; risky && i < r.rotating; i += n) {
        double w[PE__FREQUENCY_TILE];
        n = pe__rope_next_frequencies(&r, i, w);
        if (pe_frequency_error(&config, w, n, NULL)) return PE_ERR_FACTOR;
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
    } else if (rope->axes > 1) { /* each axis has a section of consecutive pairs */
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

/* ==== src/rope/heads.h ==== */
/* The arguments of a RoPE call: the heads of its tokens, and the rows that rotate them. Test:
 * tests/unit/rope/test_rope_call.c. */

/* This struct describes the heads to rotate, which have the shape [tokens][heads]. The strides
   in_token and out_token lead from one token to the next, in_head and out_head from one head to the
   next. pe__rope_check_heads() converts the strides from elements to bytes. It also moves `in` and
   `out` from the start of head 0 of token 0 to its first element that rotates. */
typedef struct pe__heads {
    const unsigned char *in;
    unsigned char *out;
    size_t in_token, in_head, out_token, out_head, heads; /* heads: the number of each token */
    size_t copied_after;  /* elements after a head's pairs that are copied; 0 in place */
    size_t copied_before; /* elements before them that pe__copy_ends() copies; 0 in place */
    /* Only the checks of a call read the next two fields. out_heads is the number of heads of the
       output, which must equal `heads`. head_dim is the number of elements of a head. It is 0 in
       place by a plan, where only the rotated elements are accessed. In place by a table it is the
       number of these elements. */
    size_t out_heads, head_dim;
} pe__heads;

/* A section of a head consists of the pairs of one axis, if the axis has columns of its own. A tile
   may hold only a part of the section. */
typedef struct pe__section {
    size_t pair;   /* the index in the tile of the section's first pair that the tile holds */
    size_t n;      /* the number of the section's pairs that the tile holds */
    size_t pairs;  /* the number of pairs of the whole section */
    size_t column; /* where the n pairs begin: elements after a head's first that rotates */
} pe__section;

/* A tile holds the sines and cosines of a range of pairs, for a range of the tokens of a call. */
typedef struct pe__tile {
    const float *sines, *cosines; /* of row 0, beginning with the pair of index `pair` */
    const size_t *row;            /* the index of each token's row; NULL: 0, 1, 2 ... */
    size_t stride;                /* floats from row to row; 0: all tokens share one row */
    size_t pair, count;           /* the tile has the pairs [pair, pair + count) of a head */
    size_t pairs;         /* the number of pairs of a head, or of a section rotated like a head */
    size_t token, tokens; /* the tile has the tokens [token, token + tokens) of the call */
    size_t call_tokens;   /* the number of tokens of the call */
    pe_layout layout;     /* which elements of a head, or of a section, are a pair */
    size_t section_count; /* 0: no sections are needed, see pe__tile_sections() */
    const pe__section *section; /* the sections; not set if section_count is 0 */
} pe__tile;

/* Rotate the tile's pairs in the heads x of its tokens. If the tile begins with pair 0, also copy
   the x->copied_after elements after the pairs. So a tile without pairs only copies elements, see
   pe__copy_elements(). */
typedef void pe__head_rotator(const pe__tile *tile, const pe__heads *x);

/* The arguments of a call. pe__rope_check_heads() converts the strides in x to bytes. */
typedef struct pe__rope_call {
    /* `tokens` is the number of tokens. An element has in_element bytes in the input and
       out_element bytes in the output. */
    size_t tokens, in_element, out_element;
    /* `rotate` is for heads without sections, rotate_sections for heads with sections. The latter
       is NULL for rotation by a table. */
    pe__head_rotator *rotate, *rotate_sections;
    pe__heads x[2]; /* queries and keys, or one set of heads; x[1] is not used by a table */
} pe__rope_call;

/* ==== src/rope/pairs.h ==== */
/* These are RoPE's rotation loops: for one vector of pairs, one pair tile, one head, and several
 * heads of a token. The steps from pe_rope_f32() to these loops are listed in rope/call.h. Test:
 * tests/unit/rope/test_rope_rotate.c. */

/* ---- 8.1 heads ----------------------------------------------------------------------------------
 * With a plan, RoPE writes the sines and cosines of some tokens to the stack, as a tile, and
 * rotates all heads of these tokens by the tile. A tile has one row per token, or a single row if
 * all tokens have the same position. A row first has the sines of all its pairs, then their
 * cosines, as in a row that pe_fill_f32() writes in PE_LAYOUT_HALVES. With a table, the rows are
 * those of by_table.h. */

enum {
    PE__ROPE_PAIRS = PE__SORT_PAIRS, /* pairs of a tile on the stack, at most */
    /* This is the number of floats of a tile on the stack. 34 rows of 64 pairs take 17 KB. Without
       optimisation it is half, since kernels then need more stack. */
    PE__ROPE_TILE = (PE__OPTIMIZED ? 34 : 17) * 128,
    /* This number of bytes, rounded down to whole heads but at least one head, is from the head
       that is rotated to the head that is prefetched. */
    PE__ROPE_PREFETCH_DISTANCE = 8192,
    PE__ROPE_GROUP = 8192, /* bytes of heads that are rotated together, up to one head more */
    /* Heads are assumed to be in a cache if they have at most one of these numbers of bytes. The
       first is for tokens that have one head each and share a rotation. The second is for floats
       that are rotated in place, the third for floats that are rotated out of place. */
    PE__ROPE_CACHED = 1 << 21,
    PE__ROPE_NEAR = 1 << 24,
    PE__ROPE_AWAY = 1 << 17
};

/* This struct refers to the sines and cosines of one token's pairs in a tile. */
typedef struct pe__angles {
    const float *s, *c; /* n sines and n cosines */
    size_t n, pairs;    /* n: the number of pairs to rotate. pairs: the number of pairs of the
                           whole section, or of the head if it has no sections. In halves, b is
                           `pairs` elements after a */
} pe__angles;
PE__INLINE pe__angles pe__angles_of(const pe__tile *tile, size_t t)
{
    const size_t from = (tile->row ? tile->row[t] : t) * tile->stride;
    const float *s = tile->sines + from;
    PE__IN_REGISTER(s);
    const pe__angles a = {s, tile->cosines + from, tile->count, tile->pairs};
    return a;
}

/* Rotate pairs (a, b): pe__rotate_a() returns a' = a c - b s, and pe__rotate_b() returns
   b' = b c + a s. pe__rotate_b(b, a, -s, c) is also a'. */
PE__INLINE pe__vf pe__rotate_a(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__sub_f32(pe__mul_f32(a, c), pe__mul_f32(b, s));
}
PE__INLINE pe__vf pe__rotate_b(pe__vf a, pe__vf b, pe__vf s, pe__vf c)
{
    return pe__add_f32(pe__mul_f32(b, c), pe__mul_f32(a, s));
}
/* Return a'0 b'0 a'1 b'1 ..., where u = a0 b0 a1 b1 ..., s = -s0 s0 -s1 s1 ... and
   c = c0 c0 c1 c1 ... */
PE__INLINE pe__vf pe__rotate_interleaved(pe__vf u, pe__vf s, pe__vf c)
{
    return pe__rotate_b(pe__swap(u), u, s, c);
}

/* Rotate a vector of pairs in halves, u = a0 a1 ... and v = b0 b1 ...; store a' at out and b' at
   next. */
PE__INLINE void pe__rotate_halves(pe_type type, pe__vf u, pe__vf v, pe__vf s, pe__vf c,
                                  unsigned char *out, unsigned char *next)
{
    pe__put_two_as(type, out, pe__rotate_a(u, v, s, c), next, pe__rotate_b(u, v, s, c));
}

/* This struct holds the sines and cosines of a vector of pairs, in the order of the elements. In
   halves both vectors of elements use s[0] and c[0]. Interleaved, s[0] and c[0] are for the first
   vector of elements, s[1] and c[1] for the second, as pe__rotate_interleaved() takes them. */
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

/* Rotate a vector of pairs, x[0] and x[1], and store the two vectors at out and next. In halves
   x[0] = a0 a1 ... and x[1] = b0 b1 ...; interleaved, x[1] follows x[0]. */
PE__INLINE void pe__rotate_pairs(pe_type type, pe_layout layout, const pe__rotation *t,
                                 const pe__vf *x, unsigned char *out, unsigned char *next)
{
    const pe__vf u = x[0], v = x[1];
    if (layout == PE_LAYOUT_HALVES) pe__rotate_halves(type, u, v, t->s[0], t->c[0], out, next);
    else
        pe__put_two_as(type, out, pe__rotate_interleaved(u, t->s[0], t->c[0]), next,
                       pe__rotate_interleaved(v, t->s[1], t->c[1]));
}

/* This struct holds the sines s and cosines c of a pair tile. A pair tile is PE__PAIR_TILE pairs
   (a, b): two vectors of pairs, and therefore four vectors of elements. In halves, two of these
   hold a and two hold b; a and b share s[0], s[1], c[0] and c[1]. If pairs are interleaved, s[k]
   and c[k] are for vector k of the elements, as pe__rotate_interleaved() takes them.

   From bf16 to bf16, even and odd elements are in separate vectors, which are cheaper to widen and
   to round. In halves, s[0] and c[0] are then for the even pairs, s[1] and c[1] for the odd pairs.
   If pairs are interleaved, the even elements are a and the odd elements are b. So s[0] and s[1],
   c[0] and c[1] are in the order of the pairs, and the others are not used. The function
   pe__put_bf16_four() needs NaNs whose last 16 bits are 0. NaNs that are widened from bf16 have
   this form. NaNs that are computed from these also have it. */
enum { PE__PAIR_TILE = 4 * PE_LANES };
typedef struct pe__pair_tile {
    pe__vf s[4], c[4];
} pe__pair_tile;

/* Load s and c of a pair tile. `halves` is 0 if pairs are interleaved. `narrow` is 1 if both the
   input and the output are bf16. */
PE__INLINE void pe__pair_tile_load(int halves, int narrow, const float *s, const float *c,
                                   pe__pair_tile *u)
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
    if (narrow) { /* replace NaNs of a caller's table, which may not end in 16 zero bits */
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
/* These constants say how the pairs of a pair tile are laid out: interleaved, in halves, or as two
   sections. Each of the two sections has one vector of pairs in halves. */
enum { PE__PAIR_TILE_INTERLEAVED, PE__PAIR_TILE_HALVES, PE__PAIR_TILE_SECTION_HALVES };

/* Rotate the pair tile at p, of type `from`, by the sines and cosines u and store it at q, as type
   `to`. `layout` is one of the constants above. `across` is the number of elements from x0 to y0,
   and from x1 to y1. In halves, also of sections, that is the distance from a to b. If pairs are
   interleaved, it is the distance from the first two vectors to the other two. */
PE__INLINE void pe__pair_tile_rotate(pe_type from, pe_type to, int layout, const pe__pair_tile *u,
                                     const unsigned char *p, unsigned char *q, size_t across)
{
    const size_t gap = (layout > PE__PAIR_TILE_HALVES ? 2 : 1) * (size_t)PE__FLOATS;
    const size_t next = across * pe__size_of(from), to_next = across * pe__size_of(to);
    const size_t step = gap * pe__size_of(from), to_step = gap * pe__size_of(to);
    if (from == PE_TYPE_BF16 && to == PE_TYPE_BF16) {
        const uint16_t *const x = (const uint16_t *)(const void *)p;
        const uint16_t *const y = (const uint16_t *)(const void *)(p + next);
        const pe__vf x0 = pe__get_bf16_evens(x), x1 = pe__get_bf16_odds(x);
        const pe__vf y0 = pe__get_bf16_evens(y), y1 = pe__get_bf16_odds(y);
        uint16_t *const v = (uint16_t *)(void *)q, *const w = (uint16_t *)(void *)(q + to_next);
        const pe__vf a1 = layout ? x1 : y0, b0 = layout ? y0 : x1; /* rotate (x0, b0), (a1, y1) */
        const pe__vf c0 = pe__rotate_a(x0, b0, u->s[0], u->c[0]);
        const pe__vf c1 = pe__rotate_a(a1, y1, u->s[1], u->c[1]);
        const pe__vf d0 = pe__rotate_b(x0, b0, u->s[0], u->c[0]);
        const pe__vf d1 = pe__rotate_b(a1, y1, u->s[1], u->c[1]);
        pe__put_bf16_four(v, c0, layout ? c1 : d0, w, layout ? d0 : c1, d1);
        return;
    }
    const unsigned char *const y = p + next;
    unsigned char *const z = q + to_next;
    if (layout && sizeof(pe__vf) >= 64) { /* x1 after the first stores: faster from memory */
        const pe__vf x0 = pe__get_as(from, p), y0 = pe__get_as(from, y);
        pe__rotate_halves(to, x0, y0, u->s[0], u->c[0], q, z);
        const pe__vf x1 = pe__get_as(from, p + step), y1 = pe__get_as(from, y + step);
        pe__rotate_halves(to, x1, y1, u->s[1], u->c[1], q + to_step, z + to_step);
        return;
    }
    const pe__vf x0 = pe__get_as(from, p), x1 = pe__get_as(from, p + step);
    const pe__vf y0 = pe__get_as(from, y), y1 = pe__get_as(from, y + step);
    /* Both stores to one cache line come first, then both stores to the other line. This takes 80 %
       of the time that alternating stores take. */
    if (layout) {
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

/* This struct describes one vector of pairs, for any head of a token. The offsets of its two
   vectors of elements are in bytes, from the first rotated element of a head. They are `in` and
   in_next in the input, and `out` and out_next in the output. */
typedef struct pe__vectors {
    pe__rotation rotation; /* the sines and cosines of the pairs */
    size_t in, in_next, out, out_next;
} pe__vectors;
PE__INLINE pe__vectors pe__vectors_at(pe_type from, pe_type to, pe_layout layout,
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
PE__INLINE void pe__vectors_get(pe_type from, const pe__vectors *v, const unsigned char *in,
                                pe__vf *x)
{
    x[0] = pe__get_as(from, in + v->in);
    x[1] = pe__get_as(from, in + v->in_next);
}
PE__INLINE void pe__vectors_put(pe_type to, pe_layout layout, const pe__vectors *v, const pe__vf *x,
                                unsigned char *out)
{
    pe__rotate_pairs(to, layout, &v->rotation, x, out + v->out, out + v->out_next);
}

/* Rotate one head that has at least a vector of pairs. The loop rotates pair tiles. Then at most
   one complete vector of pairs is left, and a tail of fewer pairs. A vector that ends with the last
   pair rotates the tail. The tail's vector contains pairs that are rotated before it. In place it
   must be loaded before they are stored, so it is loaded first. */
PE__INLINE void pe__rotate_head(pe_type from, pe_type to, pe_layout layout, const pe__angles *a,
                                const unsigned char *in, unsigned char *out)
{
    const int halves = layout == PE_LAYOUT_HALVES,
              narrow = from == PE_TYPE_BF16 && to == PE_TYPE_BF16;
    const size_t n = a->n, end = n - PE__FLOATS, across = halves ? a->pairs : (size_t)PE__PAIR_TILE;
    const size_t step = halves ? 1 : 2; /* elements from a pair to the next */
    const int tail = n % PE__FLOATS != 0;
    pe__vf x[2], y[2];
    pe__vectors v, last;
    size_t i = 0;
    if (tail) {
        last = pe__vectors_at(from, to, layout, a, end, end * step);
        pe__vectors_get(from, &last, in, y);
    }
    for (; i + PE__PAIR_TILE <= n; i += PE__PAIR_TILE) {
        pe__pair_tile tile;
        pe__pair_tile_load(halves, narrow, a->s + i, a->c + i, &tile);
        pe__pair_tile_rotate(from, to, halves, &tile, in + i * step * pe__size_of(from),
                             out + i * step * pe__size_of(to), across);
    }
    if (i + PE__FLOATS <= n) {
        v = pe__vectors_at(from, to, layout, a, i, i * step);
        pe__vectors_get(from, &v, in, x);
        pe__vectors_put(to, layout, &v, x, out);
    }
    if (tail) pe__vectors_put(to, layout, &last, y, out);
}

/* Return how many pairs have their sines and cosines in registers while heads are rotated. In
   halves, these are the pairs of two pair tiles. An interleaved pair tile takes eight registers, so
   only one pair tile is kept in registers, or two with the 32 registers of AVX-512. */
PE__INLINE size_t pe__register_pairs(pe_layout layout)
{
    return layout == PE_LAYOUT_HALVES || PE_LANES == 8 ? 2 * PE__PAIR_TILE : PE__PAIR_TILE;
}

/* Prefetch the `bytes` bytes that start at the address `address`, which are at most four cache
   lines. More than two lines count as four. This is not written as a loop, because a loop that a
   compiler laid out badly took 20 % longer. */
PE__WRAPS
PE__INLINE void pe__prefetch_lines(uintptr_t address, size_t bytes)
{
    PE__PREFETCH(address);
    if (bytes > 64) PE__PREFETCH(address + 64);
    if (bytes > 128) {
        PE__PREFETCH(address + 128);
        PE__PREFETCH(address + 192);
    }
}

/* Return the number of elements from the start of a pair tile to the start of the next pair tile.
   The head is divided into sections of `pairs` pairs each, in halves. The section has *done pairs
   before this pair tile. The function advances *done to the next pair tile. The step after a
   section's last pair tile skips the section's second half. */
PE__INLINE size_t pe__next_pair_tile(size_t pairs, size_t *done)
{
    *done += PE__PAIR_TILE;
    if (*done < pairs) return PE__PAIR_TILE;
    *done = 0;
    return PE__PAIR_TILE + pairs;
}

/* These constants say how a head in halves is divided: it is one section, or has sections of whole
   pair tiles, or has sections of one vector of pairs. An interleaved head is one section. */
enum { PE__ONE_SECTION, PE__PAIR_TILE_SECTIONS, PE__VECTOR_SECTIONS };

/* Rotate the complete pair tiles of all x->heads heads. The sines and cosines of one or two pair
   tiles stay in registers while all heads are rotated by them. `sections` is one of the constants
   above. prefetch_distance is the number of bytes from a pair tile's address to the address that is
   prefetched; 0 means no prefetch. */
PE__INLINE void pe__rotate_pair_tiles(pe_type from, pe_type to, pe_layout layout, int sections,
                                      const pe__angles *a, const pe__heads *x,
                                      size_t prefetch_distance)
{
    const int halves = layout == PE_LAYOUT_HALVES,
              narrow = from == PE_TYPE_BF16 && to == PE_TYPE_BF16;
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    const size_t in_registers = pe__register_pairs(layout);
    const size_t across = halves ? a->pairs : (size_t)PE__PAIR_TILE, n = a->n;
    const size_t other = sections ? pe__max(across, in_registers) : halves ? across : in_registers;
    const size_t step = sections || !halves ? 2 : 1; /* elements from a pair to the next */
    const int tile_layout =
        sections > PE__PAIR_TILE_SECTIONS ? PE__PAIR_TILE_SECTION_HALVES : halves;
    size_t place = 0, done = 0;
    for (size_t i = 0, count; i + PE__PAIR_TILE <= n; i += count) {
        const int both = in_registers > PE__PAIR_TILE && n - i >= in_registers;
        const size_t offset = sections == PE__PAIR_TILE_SECTIONS ? place : i * step;
        const size_t advance = sections == PE__PAIR_TILE_SECTIONS
                                   ? pe__next_pair_tile(across, &done)
                                   : step * PE__PAIR_TILE;
        const float *const s = a->s + i, *const c = a->c + i;
        pe__pair_tile u, v;
        count = both ? in_registers : (size_t)PE__PAIR_TILE;
        pe__pair_tile_load(halves, narrow, s, c, &u);
        v = u;
        if (both) pe__pair_tile_load(halves, narrow, s + PE__PAIR_TILE, c + PE__PAIR_TILE, &v);
        for (size_t k = 0; k < x->heads; k++) {
            const unsigned char *const p = x->in + k * x->in_head + offset * e;
            unsigned char *const q = x->out + k * x->out_head + offset * f;
            if (prefetch_distance) {
                pe__prefetch_lines((uintptr_t)p + prefetch_distance, in_registers * e);
                pe__prefetch_lines((uintptr_t)p + prefetch_distance + other * e, in_registers * e);
            }
            pe__pair_tile_rotate(from, to, tile_layout, &u, p, q, across);
            if (both)
                pe__pair_tile_rotate(from, to, tile_layout, &v, p + advance * e, q + advance * f,
                                     across);
        }
        if (sections == PE__PAIR_TILE_SECTIONS)
            place += advance + (both ? pe__next_pair_tile(across, &done) : 0);
    }
}

/* Return how many of n pairs are rotated in pair tiles. If n is at least PE__FLOATS,
   pe__rotate_ends() rotates the others in vectors; otherwise the function returns 0, and
   pe__rotate_short() rotates all n. The last n % PE__FLOATS pairs fill no vector: a vector that
   ends with pair n - 1 rotates them and overlaps the vector before it. Both vectors must be loaded
   before either is stored, so the one before is also kept out of the pair tiles. */
PE__INLINE size_t pe__tiled_pairs(size_t n)
{
    const size_t tail = n % PE__FLOATS, kept = tail ? tail + PE__FLOATS : 0;
    const size_t complete_pairs = n > kept ? n - kept : 0;
    return complete_pairs - complete_pairs % PE__PAIR_TILE;
}

/* Rotate the pairs that pe__tiled_pairs() leaves over, in all x->heads heads, for n = a->n of at
   least PE__FLOATS. The flag in_sections is 1 if every section of a head has one vector of pairs or
   complete pair tiles. Then there is no tail: n is a multiple of PE__FLOATS. */
PE__INLINE void pe__rotate_ends(pe_type from, pe_type to, pe_layout layout, int in_sections,
                                const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, tail = n % PE__FLOATS;
    const size_t step = layout == PE_LAYOUT_HALVES && !in_sections ? 1 : 2;
    for (size_t i = pe__tiled_pairs(n); i + tail < n; i += PE__FLOATS) {
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

/* Rotate the a->n pairs of all heads, where a->n is below PE__FLOATS and may be 0. The pairs are
   copied, padded to vectors, rotated, and copied to the output. */
PE__OUTLINE void pe__rotate_last_pairs(pe_type from, pe_type to, pe_layout layout,
                                       const pe__angles *a, const pe__heads *heads)
{
    const size_t e = pe__size_of(from), f = pe__size_of(to), n = a->n;
    const int halves = layout == PE_LAYOUT_HALVES;
    const size_t first = halves ? n : pe__min(2 * n, PE__FLOATS), rest = 2 * n - first;
    const size_t next = halves ? a->pairs : first;
    unsigned char x[2][PE__FLOATS * sizeof(float)] = {{0}}, y[2][PE__FLOATS * sizeof(float)];
    float sines[PE__FLOATS] = {0}, cosines[PE__FLOATS] = {0};
    if (n == 0) return; /* a table without pairs may have no arrays */
    memcpy(sines, a->s, n * sizeof *sines);
    memcpy(cosines, a->c, n * sizeof *cosines);
    const pe__rotation rotation = pe__rotation_load(layout, sines, cosines);
    for (size_t k = 0; k < heads->heads; k++) {
        const unsigned char *const in = heads->in + k * heads->in_head;
        unsigned char *const out = heads->out + k * heads->out_head;
        memcpy(x[0], in, first * e);
        memcpy(x[1], in + next * e, rest * e);
        const pe__vf components[2] = {pe__get_as(from, x[0]), pe__get_as(from, x[1])};
        pe__rotate_pairs(to, layout, &rotation, components, y[0], y[1]);
        memcpy(out, y[0], first * f);
        memcpy(out + next * f, y[1], rest * f);
    }
}

/* Do what pe__rotate_last_pairs() does, for floats in halves, with masked loads and stores. With
   AVX-512 this takes 40 % of the time of pe__rotate_last_pairs(). */
PE__OUTLINE void pe__rotate_masked(const pe__angles *a, const pe__heads *x)
{
    const size_t n = a->n, next = a->pairs * sizeof(float);
    if (n == 0) return;
    const pe__vf s = pe__get_n(a->s, n), c = pe__get_n(a->c, n);
    for (size_t k = 0; k < x->heads; k++) {
        const unsigned char *const in = x->in + k * x->in_head;
        unsigned char *const out = x->out + k * x->out_head;
        const pe__vf u = pe__get_n_as(PE_TYPE_F32, in, n),
                     v = pe__get_n_as(PE_TYPE_F32, in + next, n);
        pe__put_n_as(PE_TYPE_F32, out, pe__rotate_a(u, v, s, c), n);
        pe__put_n_as(PE_TYPE_F32, out + next, pe__rotate_b(u, v, s, c), n);
    }
}
PE__INLINE void pe__rotate_short(pe_type from, pe_type to, pe_layout layout, const pe__angles *a,
                                 const pe__heads *x)
{
    const int floats = from == PE_TYPE_F32 && to == PE_TYPE_F32,
              halves = layout == PE_LAYOUT_HALVES;
    if (sizeof(pe__vf) >= 64 && floats && halves) pe__rotate_masked(a, x);
    else pe__rotate_last_pairs(from, to, layout, a, x);
}

/* Rotate all pairs that are not rotated in pair tiles, in all x->heads heads. */
PE__INLINE void pe__rotate_vectors(pe_type from, pe_type to, pe_layout layout, const pe__angles *a,
                                   const pe__heads *x)
{
    if (a->n < PE__FLOATS) pe__rotate_short(from, to, layout, a, x);
    else pe__rotate_ends(from, to, layout, 0, a, x);
}

/* Copy n elements of type `from` at in to out, converted to type `to`. */
PE__INLINE void pe__convert(pe_type from, pe_type to, const unsigned char *in, unsigned char *out,
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
/* This file defines the rotators of heads, such as pe__rotate_heads_f32(). For each layout and each
 * type, also from f32 to f16 or bf16, a function rotates all heads of a tile's tokens. It chooses
 * the order of the heads that suits the caches. Test: tests/unit/rope/test_rope_rotate.c. */

/* Copy x->copied_after elements after the pairs, in all heads of the tile's tokens. The pairs of a
   wide head take several tiles; the elements are copied only with the tile that has the first
   pair. */
PE__INLINE void pe__copy_rest(pe_type from, pe_type to, const pe__tile *tile, const pe__heads *x)
{
    const size_t n = 2 * tile->pairs, rest = tile->pair == 0 ? x->copied_after : 0;
    for (size_t t = tile->token; rest && t < tile->token + tile->tokens; t++) {
        const unsigned char *in = x->in + t * x->in_token + n * pe__size_of(from);
        unsigned char *out = x->out + t * x->out_token + n * pe__size_of(to);
        for (size_t k = 0; k < x->heads; k++, in += x->in_head, out += x->out_head)
            pe__convert(from, to, in, out, rest);
    }
}

/* These constants name the order in which heads are rotated. PE__HEADS_TOGETHER rotates several
   heads at a time: of one token, or of tokens that share a rotation. PE__HEAD_BY_HEAD rotates one
   head of all tokens, then the next head. PE__TOKEN_BY_TOKEN rotates all heads of a token, one at a
   time, then takes the next token. The first order alone is not enough, because the heads of a
   token may be far apart. In an array [heads, tokens, head_dim] of 32 heads of 4096 tokens, it
   takes 1.4 to 1.5 times as long as the second. */
enum { PE__HEADS_TOGETHER, PE__HEAD_BY_HEAD, PE__TOKEN_BY_TOKEN };

/* A schedule says which heads are rotated together, in which order heads are rotated, and how far
   ahead they are prefetched. */
typedef struct pe__head_schedule {
    /* If `tokens` is 1, `heads` is the number of heads of one token that are rotated together. If
       `tokens` is larger, the heads of this number of tokens are rotated together; the tokens have
       one head each and share a rotation. */
    size_t heads, tokens;
    size_t prefetch_distance; /* bytes from the address that is read to the prefetch; 0: none */
    int order;                /* one of the three constants above */
} pe__head_schedule;
/* Returns whether a head takes several passes. It does if its sines and cosines do not fit in the
   registers, or do not fill complete pair tiles. */
PE__INLINE int pe__takes_passes(const pe__tile *tile)
{
    return tile->count > pe__register_pairs(tile->layout) || tile->count % PE__PAIR_TILE;
}
PE__OUTLINE pe__head_schedule pe__schedule_tokens(const pe__tile *tile, const pe__heads *x,
                                                  pe_type from)
{
    const int by_head = x->out_head > x->out_token;
    const size_t next = by_head ? x->in_token : x->in_head; /* bytes to the next head */
    /* Tokens of one head each that share a rotation are rotated together, like the heads of one
       token, if all of them are likely to fit in a cache (`cached`). */
    const int shared = tile->stride == 0 && x->heads == 1 && next;
    const int cached = shared && tile->tokens <= (size_t)PE__ROPE_CACHED / next;
    /* Passes over a group of heads are fastest if the heads are in a cache. Floats that come from
       memory (`scattered`) are rotated head after head instead, in the order of their addresses.
       With passes they took 1.04 to 1.5 times as long in place, and 1.5 to 2.7 times as long out of
       place with AVX2 and SSE2. But passes took 0.6 to 0.93 times as long for heads whose last pass
       is not `full`. With scalar code, they took 0.75 to 0.97 times as long for interleaved pairs
       and for sections, which are not `wide`. Heads are taken to come from memory if the call has
       `many` tokens. */
    const int passes = pe__takes_passes(tile);
    const size_t near_by = x->in == x->out ? (size_t)PE__ROPE_NEAR : (size_t)PE__ROPE_AWAY;
    const int many = tile->call_tokens > near_by / pe__max(x->in_token, 1);
    const int full = tile->count % pe__register_pairs(tile->layout) == 0;
    const int wide = PE_LANES > 1 || (tile->layout == PE_LAYOUT_HALVES && !tile->section_count);
    const int scattered = passes && full && wide && from == PE_TYPE_F32 && many;
    /* Whole heads are prefetched unless they are `cached`. Floats that are read in the order of
       their addresses are an exception. They are read in this order if there is one pass or
       `scattered` is set. Out of place, such floats are not prefetched: the hardware alone is
       faster. In place, they are prefetched only if the tokens share a rotation or
       PE_PREFETCH_HEADS is set. */
    const int prefetches = from != PE_TYPE_F32 || (passes && !scattered) ||
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
                                                pe_type from)
{
    /* For the floats of one token out of place, it is not known whether they come from memory. If
       they do, passes over two heads take 0.43 to 0.48 times as long as passes over all heads. In a
       cache, they take 1.04 to 1.2 times as long (AVX2; halves with SSE2 and scalar code; Zen 4).
       Interleaved pairs without AVX2 or AVX-512 are not `wide`: a pass over them takes at most one
       cache line of each head, and such passes gain nothing. */
    const int wide = tile->layout == PE_LAYOUT_HALVES || PE_LANES >= 4;
    const int away = wide && from == PE_TYPE_F32 && x->in != x->out && pe__takes_passes(tile);
    const pe__head_schedule few = {away ? 2 : x->heads, 1, 0, x->heads == 1};
    return tile->tokens == 1 ? few : pe__schedule_tokens(tile, x, from);
}

/* These constants say what pe__rotate_groups() rotates. PE__IN_PAIR_TILES: the first pairs of a
   tile, as many as pe__tiled_pairs() returns. PE__IN_VECTORS: the pairs after these.
   PE__IN_SECTIONS: all pairs, in sections for which pe__sections_alike() returned 1. */
typedef enum pe__granularity { PE__IN_PAIR_TILES, PE__IN_VECTORS, PE__IN_SECTIONS } pe__granularity;

/* Rotate the heads in groups. All heads of a group are rotated by as many sines and cosines as fit
   in the registers, then by the next ones, in another pass. If there are several passes over
   several tokens, a group has at most about 8 KB (PE__ROPE_GROUP) and so stays in the first-level
   cache. For the groups of a single token see pe__schedule_heads(). */
PE__INLINE void pe__rotate_groups(pe_type from, pe_type to, pe_layout layout, pe__granularity how,
                                  const pe__tile *tile, const pe__heads *x,
                                  const pe__head_schedule *schedule)
{
    const size_t first = tile->pair * (layout == PE_LAYOUT_HALVES ? 1 : 2);
    const size_t tokens = schedule->tokens, heads = schedule->heads, all = x->heads;
    const size_t count = tile->tokens;
    const size_t in_token = x->in_token, out_token = x->out_token;
    const size_t prefetch_distance = schedule->prefetch_distance;
    pe__tile rows = *tile;
    pe__heads part = *x;
    if (how == PE__IN_PAIR_TILES) rows.count = pe__tiled_pairs(rows.count);
    part.in += tile->token * in_token + first * pe__size_of(from);
    part.out += tile->token * out_token + first * pe__size_of(to);
    for (size_t t = 0; t < count; t += tokens) {
        const pe__angles a = pe__angles_of(&rows, t);
        unsigned char *const out = part.out;
        const unsigned char *const in = part.in;
        for (size_t k = 0; k < all; k += heads) {
            part.heads = tokens > 1 ? pe__min(tokens, count - t) : pe__min(heads, all - k);
            if (how == PE__IN_VECTORS) pe__rotate_vectors(from, to, layout, &a, &part);
            else if (how == PE__IN_SECTIONS && a.pairs < PE__PAIR_TILE)
                pe__rotate_pair_tiles(from, to, layout, PE__VECTOR_SECTIONS, &a, &part,
                                      prefetch_distance);
            else
                pe__rotate_pair_tiles(from, to, layout, how == PE__IN_SECTIONS, &a, &part,
                                      prefetch_distance);
            if (how == PE__IN_SECTIONS) pe__rotate_ends(from, to, layout, 1, &a, &part);
            part.in += heads * part.in_head;
            part.out += heads * part.out_head;
        }
        part.in = in + tokens * in_token;
        part.out = out + tokens * out_token;
        PE__IN_REGISTER(part.in);
    }
}

/* Returns whether all sections of the tile can be rotated together. They must follow each other
   without a gap and have the same number of pairs. These pairs must fill complete pair tiles or one
   vector; if `narrow` is 1, only complete pair tiles. Sets all->count to the pairs of all sections
   and all->pairs to the pairs of one. `narrow` is 1 if both the input and the output are bf16. */
PE__INLINE int pe__sections_alike(const pe__tile *tile, int narrow, pe__tile *all)
{
    const pe__section *const section = tile->section;
    const size_t n = section->pairs, vector = narrow ? (size_t)PE__PAIR_TILE : (size_t)PE__FLOATS;
    int alike = n == vector || n % PE__PAIR_TILE == 0;
    for (size_t k = 0; k < tile->section_count; k++)
        alike &= section[k].n == n && section[k].pairs == n &&
                 section[k].column == section->column + 2 * k * n;
    all->count = n * tile->section_count;
    all->pairs = n;
    return alike;
}

/* Rotate heads whose sections are in halves. All sections are rotated together if
   pe__sections_alike() returns 1. Otherwise they are rotated one by one. */
PE__INLINE void pe__rotate_sections(pe_type from, pe_type to, const pe__tile *tile,
                                    const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(tile, x, from);
    const size_t e = pe__size_of(from), f = pe__size_of(to);
    pe__tile one = *tile;
    pe__heads part = *x;
    one.pair = 0;
    if (pe__sections_alike(tile, from == PE_TYPE_BF16 && to == PE_TYPE_BF16, &one)) {
        part.in += tile->section->column * e;
        part.out += tile->section->column * f;
        pe__rotate_groups(from, to, PE_LAYOUT_HALVES, PE__IN_SECTIONS, &one, &part, &schedule);
        return;
    }
    for (size_t t = 0; t < tile->tokens; t++) {
        const pe__angles row = pe__angles_of(tile, t);
        part.in = x->in + (tile->token + t) * x->in_token;
        part.out = x->out + (tile->token + t) * x->out_token;
        for (size_t k = 0; k < x->heads; k += schedule.heads) {
            part.heads = pe__min(schedule.heads, x->heads - k);
            for (size_t b = 0; b < tile->section_count; b++) {
                const pe__section *const section = &tile->section[b];
                const pe__angles a = {row.s + section->pair, row.c + section->pair, section->n,
                                      section->pairs};
                pe__heads its = part;
                its.in += section->column * e;
                its.out += section->column * f;
                const pe__angles tiled = {a.s, a.c, pe__tiled_pairs(a.n), a.pairs};
                pe__rotate_pair_tiles(from, to, PE_LAYOUT_HALVES, PE__ONE_SECTION, &tiled, &its,
                                      schedule.prefetch_distance);
                pe__rotate_vectors(from, to, PE_LAYOUT_HALVES, &a, &its);
            }
            part.in += schedule.heads * x->in_head;
            part.out += schedule.heads * x->out_head;
        }
    }
}

/* Rotate heads whose sections are interleaved, section by section. The pairs of a section follow
   each other, so the rotator `rotate` can take a section as a head of its own. */
PE__INLINE void pe__rotate_sections_interleaved(pe_type from, pe_type to, const pe__tile *tile,
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

/* Rotate one head at a time, in the schedule's order. If the tile has pair 0, also copy the
   elements after the head's pairs. */
PE__INLINE void pe__rotate_singly(pe_type from, pe_type to, pe_layout layout, const pe__tile *tile,
                                  const pe__heads *x, const pe__head_schedule *schedule)
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
                const pe__heads one = {in + first * e, out + first * f, 0, 0, 0, 0, 1, 0, 0, 0, 0};
                pe__rotate_short(from, to, layout, &a, &one);
            } else pe__rotate_head(from, to, layout, &a, in + first * e, out + first * f);
            if (rest) pe__convert(from, to, in + n * e, out + n * f, rest);
            in += in_step;
            out += out_step;
            PE__IN_REGISTER(in);
        }
    }
}

/* Define the rotators of each type, and those from floats to 16-bit types. Each layout has its own
   function, so that a program contains code only for the layouts that it names. With
   PE__HEADS_TOGETHER, three functions process all heads in turn. The first rotates complete pair
   tiles. The second rotates the pairs that fill no pair tile. The third copies the elements after
   the pairs. */
PE__OUTLINE void pe__rotate_heads_f32_rest(const pe__tile *t, const pe__heads *x)
{
    pe__copy_rest(PE_TYPE_F32, PE_TYPE_F32, t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_halves_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                        const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F32, PE_LAYOUT_HALVES, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_halves_vectors(const pe__tile *t, const pe__heads *x,
                                                     const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F32, PE_LAYOUT_HALVES, PE__IN_VECTORS, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_halves_singly(const pe__tile *t, const pe__heads *x,
                                                    const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F32, PE_TYPE_F32, PE_LAYOUT_HALVES, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_halves(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F32);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER) pe__rotate_heads_f32_halves_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f32_halves_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f32_halves_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f32_rest(t, x);
    }
}

PE__OUTLINE void pe__rotate_heads_f32_interleaved_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                             const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F32, PE_LAYOUT_INTERLEAVED, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_interleaved_vectors(const pe__tile *t, const pe__heads *x,
                                                          const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F32, PE_LAYOUT_INTERLEAVED, PE__IN_VECTORS, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_interleaved_singly(const pe__tile *t, const pe__heads *x,
                                                         const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F32, PE_TYPE_F32, PE_LAYOUT_INTERLEAVED, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_interleaved(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F32);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER)
        pe__rotate_heads_f32_interleaved_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f32_interleaved_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f32_interleaved_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f32_rest(t, x);
    }
}

PE__INLINE void pe__rotate_heads_f32(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_heads_f32_halves(t, x);
    else pe__rotate_heads_f32_interleaved(t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_sections(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_sections(PE_TYPE_F32, PE_TYPE_F32, t, x);
    else
        pe__rotate_sections_interleaved(PE_TYPE_F32, PE_TYPE_F32, t, x,
                                        pe__rotate_heads_f32_interleaved);
    if (x->copied_after) pe__rotate_heads_f32_rest(t, x);
}

PE__OUTLINE void pe__rotate_heads_f16_rest(const pe__tile *t, const pe__heads *x)
{
    pe__copy_rest(PE_TYPE_F16, PE_TYPE_F16, t, x);
}

PE__OUTLINE void pe__rotate_heads_f16_halves_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                        const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F16, PE_TYPE_F16, PE_LAYOUT_HALVES, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f16_halves_vectors(const pe__tile *t, const pe__heads *x,
                                                     const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F16, PE_TYPE_F16, PE_LAYOUT_HALVES, PE__IN_VECTORS, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f16_halves_singly(const pe__tile *t, const pe__heads *x,
                                                    const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F16, PE_TYPE_F16, PE_LAYOUT_HALVES, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f16_halves(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F16);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER) pe__rotate_heads_f16_halves_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f16_halves_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f16_halves_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f16_rest(t, x);
    }
}

PE__OUTLINE void pe__rotate_heads_f16_interleaved_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                             const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F16, PE_TYPE_F16, PE_LAYOUT_INTERLEAVED, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f16_interleaved_vectors(const pe__tile *t, const pe__heads *x,
                                                          const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F16, PE_TYPE_F16, PE_LAYOUT_INTERLEAVED, PE__IN_VECTORS, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f16_interleaved_singly(const pe__tile *t, const pe__heads *x,
                                                         const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F16, PE_TYPE_F16, PE_LAYOUT_INTERLEAVED, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f16_interleaved(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F16);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER)
        pe__rotate_heads_f16_interleaved_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f16_interleaved_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f16_interleaved_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f16_rest(t, x);
    }
}

PE__INLINE void pe__rotate_heads_f16(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_heads_f16_halves(t, x);
    else pe__rotate_heads_f16_interleaved(t, x);
}

PE__OUTLINE void pe__rotate_heads_f16_sections(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_sections(PE_TYPE_F16, PE_TYPE_F16, t, x);
    else
        pe__rotate_sections_interleaved(PE_TYPE_F16, PE_TYPE_F16, t, x,
                                        pe__rotate_heads_f16_interleaved);
    if (x->copied_after) pe__rotate_heads_f16_rest(t, x);
}

PE__OUTLINE void pe__rotate_heads_bf16_rest(const pe__tile *t, const pe__heads *x)
{
    pe__copy_rest(PE_TYPE_BF16, PE_TYPE_BF16, t, x);
}

PE__OUTLINE void pe__rotate_heads_bf16_halves_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                         const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_BF16, PE_TYPE_BF16, PE_LAYOUT_HALVES, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_bf16_halves_vectors(const pe__tile *t, const pe__heads *x,
                                                      const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_BF16, PE_TYPE_BF16, PE_LAYOUT_HALVES, PE__IN_VECTORS, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_bf16_halves_singly(const pe__tile *t, const pe__heads *x,
                                                     const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_BF16, PE_TYPE_BF16, PE_LAYOUT_HALVES, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_bf16_halves(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_BF16);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER) pe__rotate_heads_bf16_halves_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_bf16_halves_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_bf16_halves_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_bf16_rest(t, x);
    }
}

PE__OUTLINE void pe__rotate_heads_bf16_interleaved_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                              const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_BF16, PE_TYPE_BF16, PE_LAYOUT_INTERLEAVED, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_bf16_interleaved_vectors(const pe__tile *t, const pe__heads *x,
                                                           const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_BF16, PE_TYPE_BF16, PE_LAYOUT_INTERLEAVED, PE__IN_VECTORS, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_bf16_interleaved_singly(const pe__tile *t, const pe__heads *x,
                                                          const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_BF16, PE_TYPE_BF16, PE_LAYOUT_INTERLEAVED, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_bf16_interleaved(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_BF16);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER)
        pe__rotate_heads_bf16_interleaved_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_bf16_interleaved_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_bf16_interleaved_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_bf16_rest(t, x);
    }
}

PE__INLINE void pe__rotate_heads_bf16(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_heads_bf16_halves(t, x);
    else pe__rotate_heads_bf16_interleaved(t, x);
}

PE__OUTLINE void pe__rotate_heads_bf16_sections(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_sections(PE_TYPE_BF16, PE_TYPE_BF16, t, x);
    else
        pe__rotate_sections_interleaved(PE_TYPE_BF16, PE_TYPE_BF16, t, x,
                                        pe__rotate_heads_bf16_interleaved);
    if (x->copied_after) pe__rotate_heads_bf16_rest(t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_rest(const pe__tile *t, const pe__heads *x)
{
    pe__copy_rest(PE_TYPE_F32, PE_TYPE_F16, t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_halves_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                            const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F16, PE_LAYOUT_HALVES, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_halves_vectors(const pe__tile *t, const pe__heads *x,
                                                         const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F16, PE_LAYOUT_HALVES, PE__IN_VECTORS, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_halves_singly(const pe__tile *t, const pe__heads *x,
                                                        const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F32, PE_TYPE_F16, PE_LAYOUT_HALVES, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_halves(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F32);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER)
        pe__rotate_heads_f32_f16_halves_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f32_f16_halves_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f32_f16_halves_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f32_f16_rest(t, x);
    }
}

PE__OUTLINE void pe__rotate_heads_f32_f16_interleaved_pair_tiles(const pe__tile *t,
                                                                 const pe__heads *x,
                                                                 const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F16, PE_LAYOUT_INTERLEAVED, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_interleaved_vectors(const pe__tile *t, const pe__heads *x,
                                                              const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_F16, PE_LAYOUT_INTERLEAVED, PE__IN_VECTORS, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_interleaved_singly(const pe__tile *t, const pe__heads *x,
                                                             const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F32, PE_TYPE_F16, PE_LAYOUT_INTERLEAVED, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_interleaved(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F32);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER)
        pe__rotate_heads_f32_f16_interleaved_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f32_f16_interleaved_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f32_f16_interleaved_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f32_f16_rest(t, x);
    }
}

PE__INLINE void pe__rotate_heads_f32_f16(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_heads_f32_f16_halves(t, x);
    else pe__rotate_heads_f32_f16_interleaved(t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_f16_sections(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_sections(PE_TYPE_F32, PE_TYPE_F16, t, x);
    else
        pe__rotate_sections_interleaved(PE_TYPE_F32, PE_TYPE_F16, t, x,
                                        pe__rotate_heads_f32_f16_interleaved);
    if (x->copied_after) pe__rotate_heads_f32_f16_rest(t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_rest(const pe__tile *t, const pe__heads *x)
{
    pe__copy_rest(PE_TYPE_F32, PE_TYPE_BF16, t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_halves_pair_tiles(const pe__tile *t, const pe__heads *x,
                                                             const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_BF16, PE_LAYOUT_HALVES, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_halves_vectors(const pe__tile *t, const pe__heads *x,
                                                          const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_BF16, PE_LAYOUT_HALVES, PE__IN_VECTORS, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_halves_singly(const pe__tile *t, const pe__heads *x,
                                                         const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F32, PE_TYPE_BF16, PE_LAYOUT_HALVES, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_halves(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F32);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER)
        pe__rotate_heads_f32_bf16_halves_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f32_bf16_halves_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f32_bf16_halves_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f32_bf16_rest(t, x);
    }
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_interleaved_pair_tiles(const pe__tile *t,
                                                                  const pe__heads *x,
                                                                  const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_BF16, PE_LAYOUT_INTERLEAVED, PE__IN_PAIR_TILES, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_interleaved_vectors(const pe__tile *t,
                                                               const pe__heads *x,
                                                               const pe__head_schedule *schedule)
{
    pe__rotate_groups(PE_TYPE_F32, PE_TYPE_BF16, PE_LAYOUT_INTERLEAVED, PE__IN_VECTORS, t, x,
                      schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_interleaved_singly(const pe__tile *t, const pe__heads *x,
                                                              const pe__head_schedule *schedule)
{
    pe__rotate_singly(PE_TYPE_F32, PE_TYPE_BF16, PE_LAYOUT_INTERLEAVED, t, x, schedule);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_interleaved(const pe__tile *t, const pe__heads *x)
{
    const pe__head_schedule schedule = pe__schedule_heads(t, x, PE_TYPE_F32);
    const size_t n = t->count;
    const size_t tiled = pe__tiled_pairs(n);
    if (schedule.order != PE__HEADS_TOGETHER)
        pe__rotate_heads_f32_bf16_interleaved_singly(t, x, &schedule);
    else {
        if (tiled > 0) pe__rotate_heads_f32_bf16_interleaved_pair_tiles(t, x, &schedule);
        if (tiled < n) pe__rotate_heads_f32_bf16_interleaved_vectors(t, x, &schedule);
        if (x->copied_after) pe__rotate_heads_f32_bf16_rest(t, x);
    }
}

PE__INLINE void pe__rotate_heads_f32_bf16(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_heads_f32_bf16_halves(t, x);
    else pe__rotate_heads_f32_bf16_interleaved(t, x);
}

PE__OUTLINE void pe__rotate_heads_f32_bf16_sections(const pe__tile *t, const pe__heads *x)
{
    if (t->layout == PE_LAYOUT_HALVES) pe__rotate_sections(PE_TYPE_F32, PE_TYPE_BF16, t, x);
    else
        pe__rotate_sections_interleaved(PE_TYPE_F32, PE_TYPE_BF16, t, x,
                                        pe__rotate_heads_f32_bf16_interleaved);
    if (x->copied_after) pe__rotate_heads_f32_bf16_rest(t, x);
}

/* ==== src/rope/rows.h ==== */
/* Writes the sines and cosines of tokens, as rows in the order of the pairs. They are computed axis
 * by axis, or all together if all pairs depend on the same coordinates. If the plan has a list of
 * coordinates (plan->order), they are computed segment by segment: a segment is pairs of one
 * coordinate, see pe__plan_sort_pairs(). Test: tests/unit/layouts/test_lists.c. */

/* The pairs of a plan in a range [pair, pair + count) that belong to one axis. pe__next_axis() goes
   through the axes. */
typedef struct pe__axis_part {
    /* `next` is the index of the axis to visit next. `end` is the index, among all pairs of the
       plan, of that axis' first pair: the end of the axis visited last. Initialise both to 0. */
    size_t next, end;
    const pe__axis *axis; /* the axis to which the pairs belong */
    size_t first;         /* the index of the first of these pairs among all pairs of the axis */
    size_t n;             /* the number of these pairs */
    size_t offset;        /* the index of the first of these pairs in the range */
} pe__axis_part;
/* Go to the next axis that has pairs in the range [pair, pair + count), and return 1. Return 0
   after the last one. */
PE__INLINE int pe__next_axis(const pe_plan *plan, size_t pair, size_t count, pe__axis_part *x)
{
    while (x->next < plan->axes) {
        x->axis = &plan->axis[x->next++];
        const size_t begin = x->end, first = pe__max(pair, begin);
        x->end += x->axis->pairs;
        x->first = first - begin;
        x->offset = first - pair;
        x->n = pe__min(pair + count, x->end) - first;
        if (first < pe__min(pair + count, x->end)) return 1;
    }
    return 0;
}

/* Return the index after the last pair of the segment that begins at pair `first`, from the bytes
   `segments` that pe__plan_sort_pairs() made. The segments of a row are computed one after the
   other, in whole groups of vectors. So the padding pairs after a segment are overwritten by the
   next segment; the padding pairs of the last segment are after the row. */
PE__INLINE size_t pe__segment_end(const uint8_t *segments, size_t first)
{
    return first + 1 + (segments[first] & PE__SEGMENT_OF_ONE ? 0 : segments[first + 1]);
}
/* Return how many padding pairs complete the last group of the segment [pair, end). */
PE__WRAPS
PE__INLINE size_t pe__segment_padding(size_t pair, size_t end) { return (pair - end) % PE__GROUP; }

/* Return the number of pairs from one row in sorted order to the next: the pairs [pair, pair + n)
   of a row, and the padding pairs of its last segment. */
PE__INLINE size_t pe__sorted_stride(const pe_plan *plan, size_t pair, size_t n)
{
    const uint8_t *const segments = plan->order + plan->pairs + pair;
    size_t first = 0;
    for (size_t end; (end = pe__segment_end(segments, first)) < n;) first = end;
    return n + pe__segment_padding(first, n);
}

/* Write `rows` rows of a sorted plan in its sorted order, segment by segment, for the positions
   that start at row `row`. The output has room for `room` pairs per row, padding pairs included.
   Stationary pairs are computed at position 0. If the positions have one coordinate for all axes,
   the segments of all other pairs are written as one. */
PE__OUTLINE void pe__write_sorted_rows(const pe__output *output, size_t room,
                                       const pe_at *positions, size_t row, size_t rows)
{
    const pe_plan *const plan = output->plan;
    const size_t n = output->sines;
    const size_t step = output->order == PE__SPLIT ? 1 : output->order == PE__MATRIX ? 4 : 2;
    const uint8_t *const segments = plan->order + output->pair + plan->pairs;
    pe__output part = *output;
    for (size_t first = 0, end; first < n; first = end) {
        end = pe__segment_end(segments, first);
        while (positions->axes == 1 && end < n && segments[end] % PE__SEGMENT_OF_ONE < PE_MAX_AXES)
            end = pe__segment_end(segments, end);
        part.pair = output->pair + first;
        part.coordinate = segments[first] % PE__SEGMENT_OF_ONE;
        part.sine = output->sine + step * first;
        part.cosine = output->cosine + step * first;
        part.padding_pairs = pe__min(pe__segment_padding(first, end), room - end);
        part.sines = part.cosines = end - first + part.padding_pairs;
        if (part.coordinate < PE_MAX_AXES) {
            pe__write_axis(&part, positions, row, rows);
            continue;
        }
        pe__output stationary = part;
        for (size_t r = 0; r < rows; r++) {
            stationary.out = pe__row_address(&part, r);
            (*output->kernel->row)(&stationary, 0, 1);
        }
    }
}

/* Write rows of a sorted plan in the order of the pairs. First they are written in sorted order,
   beginning where row 1 of the output belongs, not row 0. Then they are copied one after the other
   to their own places, in the order of the pairs. A copy overwrites only rows that have been copied
   already. After its last row, the output needs space for one more row and for padding pairs, see
   pe__tile_tokens(). */
PE__OUTLINE void pe__write_unsorted_rows(const pe__output *output, const pe_at *positions,
                                         size_t row, size_t rows)
{
    const size_t n = output->sines, room = pe__sorted_stride(output->plan, output->pair, n);
    const uint8_t *const order = output->plan->order + output->pair;
    pe__output sorted = *output;
    sorted.out = pe__row_address(output, 1);
    sorted.stride = (ptrdiff_t)(2 * room * output->element);
    sorted.order = PE__SC;
    sorted.cosine = 1;
    pe__write_sorted_rows(&sorted, room, positions, row, rows);
    for (size_t r = 0; r < rows; r++)
        pe__unsort_row(pe__row_address(output, r), pe__row_address(&sorted, r), order, n,
                       output->element);
}

/* Write `rows` rows, for the positions that start at row `row`, to an output whose rows hold the
   sines and cosines of its pairs and nothing else. */
PE__OUTLINE void pe__write_rope_rows(const pe__output *output, const pe_at *positions, size_t row,
                                     size_t rows)
{
    const pe_plan *const plan = output->plan;
    if (plan->matrix) pe__write_sums(output, positions, row, rows);
    else if (plan->order) pe__write_unsorted_rows(output, positions, row, rows);
    /* All pairs share one coordinate, and their frequencies follow each other in the plan's array.
       There, axes with columns of their own would have padding between them. */
    else if (plan->axes == 1 || (positions->axes == 1 && plan->joint))
        pe__write_axis(output, positions, row, rows);
    else {
        pe__axis_part of = {0, 0, NULL, 0, 0, 0};
        while (pe__next_axis(plan, output->pair, output->sines, &of)) {
            pe__output part = *output;
            part.pair = of.axis->pair + of.first;
            part.coordinate = of.axis->coordinate;
            part.sine += of.offset;
            part.cosine += of.offset;
            part.sines = part.cosines = of.n;
            pe__write_axis(&part, positions, row, rows);
        }
    }
}

/* ==== src/rope/tokens.h ==== */
/* Tokens are rotated tile by tile. The sines and cosines of a tile's tokens are written to the
 * stack. Then the tokens' heads are rotated by them. pe__rotate_tokens() is the loop over tiles.
 * Test: tests/unit/rope/test_rope_tokens.c. */

/* Return how many rows, one for each token, a tile of `tile` floats holds. The tile's buffer has
   25 % more floats, because a sorted plan (plan->order) needs padding pairs and space for one
   additional row: see pe__write_unsorted_rows(). */
PE__INLINE size_t pe__tile_tokens(const pe_plan *plan, size_t tile)
{
    const size_t n = pe__min(plan->pairs, PE__ROPE_PAIRS), limit = tile / (2 * n);
    if (!plan->order) return limit;
    const size_t step = n == plan->pairs ? pe__sorted_stride(plan, 0, n) : n + PE__GROUP;
    return pe__min(limit, (5 * tile / 8 - n) / step);
}

/* Copy x->copied_after elements, starting at x->in, of each head of the tile's tokens to x->out,
   converted to the type of the output. The function call->rotate does this when it gets a tile
   without pairs, because no other function of a call knows both types. */
PE__INLINE void pe__copy_elements(const pe__rope_call *call, const pe__tile *no_pairs,
                                  const pe__heads *x)
{
    if (x->copied_after) call->rotate(no_pairs, x);
}

/* Copy the x->copied_before elements before the pairs of each head and, if and_after is set, the
   x->copied_after elements after them. */
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

/* Rotate heads of a plan with rope_interleave. Their pairs are interleaved in the input and halves
   in the output. A few heads of a token at a time are copied to a buffer as halves and rotated from
   there to the output. The other elements of the heads are copied, if there are any to copy. */
PE__OUTLINE void pe__rotate_rope_interleave(const pe__rope_call *call, const pe__tile *tile,
                                            const pe__heads *x)
{
    enum { PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    unsigned char *const halves = (unsigned char *)buffer;
    const size_t element = call->in_element, pairs = tile->pairs, width = 2 * pairs * element;
    const size_t limit = PE__BYTES / width;
    pe__tile one = *tile;
    pe__copy_ends(call, tile, x, 1);
    one.tokens = 1;
    one.token = one.section_count = 0;
    for (size_t t = 0; t < tile->tokens; t++)
        for (size_t k = 0; k < x->heads; k += limit) {
            pe__heads part = *x;
            const size_t token = tile->token + t;
            const unsigned char *in = x->in + token * x->in_token + k * x->in_head;
            part.heads = pe__min(limit, x->heads - k);
            part.copied_after = 0;
            for (size_t h = 0; h < part.heads; h++, in += x->in_head)
                pe__deinterleave(halves + h * width, in, pairs, element);
            part.in = halves;
            part.in_head = width;
            part.out = x->out + token * x->out_token + k * x->out_head;
            one.sines = tile->sines + t * tile->stride;
            one.cosines = tile->cosines + t * tile->stride;
            call->rotate(&one, &part);
        }
}

/* Write the sections of the pairs [pair, pair + count), one for each axis among them, and return
   their number. Return 0 if no sections are needed, because the pairs are arranged as those of one
   axis. This is so if the plan has one axis or its axes are joint. It is also so if its pairs are
   interleaved and no column is between them. */
PE__INLINE size_t pe__tile_sections(const pe_plan *plan, size_t pair, size_t count,
                                    pe__section *section)
{
    const size_t step = plan->layout == PE_LAYOUT_HALVES ? 1 : 2;
    size_t sections = 0;
    pe__axis_part of = {0, 0, NULL, 0, 0, 0};
    if (plan->axes == 1 || plan->joint || (step == 2 && plan->d_model == 2 * plan->pairs)) return 0;
    while (pe__next_axis(plan, pair, count, &of)) {
        const size_t column = pe__min(of.axis->sine, of.axis->cosine) + step * of.first;
        const pe__section its = {of.offset, of.n, of.axis->pairs, column};
        section[sections++] = its;
    }
    return sections;
}

/* Rotate all tokens of a call, tile by tile. Token t has the position of row `row` + t of
   `positions`. */
PE__OUTLINE void pe__rotate_tokens(const pe_plan *plan, const pe_at *positions, size_t row,
                                   const pe__rope_call *call)
{
    float buffer[5 * PE__ROPE_TILE / 4 + 16];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const int uniform = positions->kind == PE__AT_RANGE && positions->step == 0;
    const size_t pairs = plan->pairs;
    pe__section section[PE_MAX_AXES];
    pe__tile tile;
    if (pairs == 0) return; /* a shift, of rows whose columns are all 0 */
    tile.pairs = pairs;
    tile.layout = plan->layout;
    tile.row = NULL;
    tile.section = section;
    tile.sines = rows;
    size_t limit = tile.call_tokens = call->tokens;
    if (limit > 1 && !uniform) limit = pe__tile_tokens(plan, PE__ROPE_TILE);
    for (size_t t = 0; t < call->tokens; t += limit) {
        tile.token = t;
        tile.tokens = pe__min(limit, call->tokens - t);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            tile.pair = pair;
            tile.count = n;
            tile.cosines = rows + n;
            tile.stride = uniform ? 0 : 2 * n;
            tile.section_count = pe__tile_sections(plan, pair, n, section);
            const pe__output output =
                pe__output_split(pe__fill_kernel_f32(), plan, pair, n, rows, sizeof *rows);
            pe__write_rope_rows(&output, positions, row + t, uniform ? 1 : tile.tokens);
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

/* ==== src/rope/call.h ==== */
/* Checks the arguments of RoPE's calls and rotates by a plan. These functions lead from a call to a
 * rotated head. Brackets name the macro that defines a function:
 *     pe_rope_f32                (calls/inlined.h) [PE__CALLS] makes a pe__rope_call
 *     pe__call_rope_f32          (calls/each_type.h) [PE__OF_TYPE] names the functions that
 *                                  rotate heads of floats
 *     pe__rope_by_plan           (here) checks all arguments; nothing is written before
 *     pe__rotate_tokens          (tokens.h) takes a tile of tokens at a time, often 34 of 64 pairs
 *     pe__write_rope_rows        (rows.h) writes their sines and cosines to the stack, with the row
 *                                  kernel of pe_fill_f32()
 *     pe__rotate_heads_f32       (rotate.h) [PE__HEAD_ROTATORS] chooses the layout
 *     pe__rotate_heads_f32_halves  [PE__HEAD_ROTATOR, also ..._interleaved] chooses the order of
 *                                  the heads, by pe__schedule_heads()
 *     pe__rotate_groups            takes a group of heads at a time, usually of one token
 *     pe__rotate_pair_tiles      (pairs.h) keeps some sines and cosines in registers and rotates
 *                                  their pairs in each of the heads, then loads the next ones
 *     pe__pair_tile_rotate         loads a pair tile, computes a c - b s and b c + a s for each
 *                                  pair (a, b) with cosine c and sine s, and stores them
 * A pair tile is PE__PAIR_TILE pairs: two vectors of pairs, and therefore four vectors of elements.
 * The last pairs of a head may fill no pair tile: pe__rotate_groups() calls pe__rotate_vectors()
 * for them. In three cases, pe__rotate_singly() rotates one head at a time instead of
 * pe__rotate_groups(). The first is one head per token, unless the tokens share a rotation and fit
 * in a cache. In the second, the heads of a token are farther apart than the tokens of a head. The
 * third is some large calls of floats, see pe__schedule_tokens(). A section of a head is the pairs
 * of one axis that has columns of its own. Heads with sections are rotated by
 * pe__rotate_heads_f32_sections() [PE__HEAD_ROTATORS]. Heads of a plan with rope_interleave are
 * first copied as halves, by pe__rotate_rope_interleave() (tokens.h). Test:
 * tests/unit/rope/test_rope_call.c. */

/* ---- 8.2 RoPE: checks and calls -------------------------------------------------------------- */

/* Check that the heads do not overlap and that a pointer can span them. There are tokens * heads
   heads of `width` elements each, and an element has `element` bytes. If the check passes, convert
   the strides *token and *head from elements to bytes. Then also set *span to the number of bytes
   from the start of the first element to the end of the last one. Returns PE_ERR_SHAPE if heads
   overlap, PE_ERR_SIZE if a pointer cannot span them, else PE_OK. */
static inline pe_status pe__rope_shape(size_t width, size_t tokens, size_t heads, size_t *token,
                                       size_t *head, size_t element, size_t *span)
{
    const size_t limit = pe__max_elements(element);
    const int by_head = *head > *token;
    const size_t number[2] = {by_head ? tokens : heads, by_head ? heads : tokens};
    const size_t stride[2] = {by_head ? *token : *head, by_head ? *head : *token};
    if (width > limit) return PE_ERR_SIZE;
    for (int k = 0; k < 2; k++) { /* the smaller stride first; width grows to the whole span */
        if (number[k] == 1) continue;
        if (stride[k] < width) return PE_ERR_SHAPE;
        if (pe__exceeds(number[k] - 1, stride[k], limit - width)) return PE_ERR_SIZE;
        width += (number[k] - 1) * stride[k];
    }
    /* A single head has no head stride, so *head becomes the token stride: heads of tokens that
       share a rotation are then rotated as the heads of one token. A single token has no token
       stride, so *token becomes the head stride. Both become 0 for one token of one head. */
    if (tokens == 1) *token = 0;
    if (heads == 1) *head = *token;
    if (tokens == 1) *token = *head;
    *token *= element;
    *head *= element;
    *span = width * element;
    return PE_OK;
}

/* Returns whether RoPE can use the plan, which was made: d_model is not 0. Every column of its rows
   must belong to a pair, and every pair must have a sine and a cosine. The plan must have neither a
   padding position nor PE_COLUMNS_FREQUENCIES (plan->step). */
static inline int pe__rope_plan_ok(const pe_plan *plan)
{
    int ok = !plan->has_padding && plan->d_model == 2 * plan->pairs;
    for (size_t a = 0; a < plan->axes; a++) ok &= plan->axis[a].sines == plan->axis[a].cosines;
    return ok && !plan->step;
}

/* Check one set of heads, each of which rotates `rotary` elements, beginning with element `offset`.
   Then convert the strides of *h to bytes, and let h->in and h->out point to element `offset` of
   the first head. Out of place, also set copied_before and copied_after to the numbers of elements
   of a head before and after the rotated ones. Returns PE_OK, also for 0 heads, or PE_ERR_NULL,
   PE_ERR_SHAPE, PE_ERR_SIZE or PE_ERR_OVERLAP. */
static inline pe_status pe__rope_check_heads(const pe__rope_call *call, pe__heads *h, size_t rotary,
                                             size_t offset)
{
    if (h->heads == 0) return PE_OK; /* its other fields may be uninitialized */
    if (!h->in || !h->out) return PE_ERR_NULL;
    const size_t width = h->head_dim ? h->head_dim : rotary;
    /* Strides of a single token or head are ignored. pe_rope_T and pe_rope_qk_T, which have no
       output of their own, set head_dim to 0. It is tested first, because the comparisons took 4 of
       the 72 ns in which pe_rope_T rotates one token of one head. */
    const int in_place =
        h->head_dim == 0 || (h->in == h->out && call->in_element == call->out_element &&
                             (call->tokens == 1 || h->in_token == h->out_token) &&
                             (h->heads == 1 || h->in_head == h->out_head));
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
        if (status == PE_OK && overlap) status = PE_ERR_OVERLAP;
        if (status != PE_OK) return status;
    }
    h->in += offset * call->in_element;
    h->out += offset * call->out_element;
    return PE_OK;
}

/* Rotate by a plan: check all arguments, the positions last, then rotate. Returns PE_OK or the
   error, after which nothing was written. */
static inline pe_status pe__rope_by_plan(const pe_plan *plan, const pe_at *positions,
                                         pe__rope_call *call)
{
    pe_plan own;
    if (call->tokens == 0 || (call->x[0].heads == 0 && call->x[1].heads == 0)) return PE_OK;
    if (!plan) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN_ROPE;
    const size_t n = plan->d_model, offset = plan->rotary_offset;
    const size_t head_dim = call->x[0].head_dim;
    pe_status status = head_dim && head_dim < offset + n ? PE_ERR_HEAD_DIM : PE_OK;
    for (size_t i = 0; i < 2 && status == PE_OK; i++)
        status = pe__rope_check_heads(call, &call->x[i], n, offset);
    if (status != PE_OK) return status;
    const pe_plan *const view = pe__view(plan, positions, &own);
    status = pe__check_at(positions, call->tokens, view->axes, view->offset);
    if (status == PE_OK) pe__rotate_tokens(view, positions, 0, call);
    return status;
}

/* Set the fields of a call that depend on the types of its elements. An element has in_element
   bytes in the input and out_element bytes in the output. `rotate` rotates heads without sections,
   rotate_sections heads with sections; it is NULL for rotation by a table, which has none. */
PE__INLINE void pe__set_types(pe__rope_call *call, size_t in_element, size_t out_element,
                              pe__head_rotator *rotate, pe__head_rotator *rotate_sections)
{
    call->in_element = in_element;
    call->out_element = out_element;
    call->rotate = rotate;
    call->rotate_sections = rotate_sections;
}

/* Rotate out of place by a plan. Input and output must have the same number of heads, and head_dim
   must not be 0, which would mean in place. Returns PE_OK or the error. */
static inline pe_status pe__rope_to(const pe_plan *plan, const pe_at *positions,
                                    pe__rope_call *call)
{
    const size_t heads = call->x[0].heads, out_heads = call->x[0].out_heads;
    if (call->tokens == 0 || (heads == 0 && out_heads == 0)) return PE_OK;
    if (heads != out_heads) return PE_ERR_HEADS;
    if (call->x[0].head_dim == 0) return PE_ERR_HEAD_DIM;
    return pe__rope_by_plan(plan, positions, call);
}

/* ==== src/rope/table.h ==== */
/* Fills tables of sines and cosines in the layouts of other libraries, for programs that rotate
 * heads themselves and for pe_rope_by_table_T. Tests: tests/unit/rope/test_rope_table.c,
 * tests/unit/plan/test_models.c. */

/* ---- 8.3 RoPE: tables ------------------------------------------------------------------------ */

/* pe__table_step() returns the number of elements from one cosine of a table's row to that of the
   next pair, for heads of layout `layout`. The function pe__table_width() returns the number of
   elements of a row, in each array if there are two. */
PE__INLINE size_t pe__table_step(pe_rope_table_layout table, pe_layout layout)
{
    const int repeated = table == PE_ROPE_TABLE_TWICE && layout == PE_LAYOUT_INTERLEAVED;
    return table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_COMPLEX || repeated ? 2 : 1;
}
PE__INLINE size_t pe__table_width(pe_rope_table_layout table, size_t pairs)
{
    return (table == PE_ROPE_TABLE_MATRIX ? 4 : table == PE_ROPE_TABLE_APART ? 1 : 2) * pairs;
}

/* PE__TABLE_TILE is the number of floats of a tile on the stack. It is half of PE__ROPE_TILE, since
   computing 16-bit rows takes more of the stack. */
enum { PE__TABLE_TILE = PE__ROPE_TILE / 2 };

/* Write `rows` rows, of the positions t, t + 1 and so on, in the order PE__MATRIX or PE__REPEATED,
   which the fill kernels of rows/ cannot write. The parameter `kernel` is such a fill kernel. The
   sines and cosines are first computed on the stack, in the order PE__SPLIT. Then they are copied
   to each of their places in the row. */
PE__INLINE void pe__table_rows(const pe__output *output, double t, size_t rows,
                               const pe__row_kernel *kernel)
{
    float buffer[PE__TABLE_TILE + 16];
    const size_t pairs = output->sines, e = output->element;
    for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
        const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair), limit = PE__TABLE_TILE / (2 * n);
        const pe__output tile =
            pe__output_split(kernel, output->plan, output->pair + pair, n, pe__aligned(buffer), e);
        for (size_t r = 0; r < rows; r += limit) {
            const size_t count = pe__min(limit, rows - r);
            const pe__run run = {PE__RUN_COMPUTED, 0, count, 1, t + (double)r, 1, 0, 0, NULL};
            pe__output written = tile;
            pe__write_run(&tile, &written, &run);
            for (size_t k = 0; k < count; k++) {
                unsigned char *const row = pe__row_address(output, r + k);
                pe__write_table_pairs(output, row + output->cosine * e, row + output->sine * e,
                                      pair, pe__row_address(&tile, k), n);
            }
        }
    }
}

PE__OUTLINE void pe__table_rows_f32(const pe__output *output, double t, size_t rows)
{
    pe__table_rows(output, t, rows, pe__fill_kernel_f32());
}

PE__INLINE const pe__row_kernel *pe__table_kernel_f32(void)
{
    static const pe__row_kernel kernel = {
        pe__table_rows_f32, pe__table_rows_f32, pe__write_zeros, NULL, NULL, NULL};
    return &kernel;
}

PE__OUTLINE void pe__table_rows_f16(const pe__output *output, double t, size_t rows)
{
    pe__table_rows(output, t, rows, pe__fill_kernel_f16());
}

PE__INLINE const pe__row_kernel *pe__table_kernel_f16(void)
{
    static const pe__row_kernel kernel = {
        pe__table_rows_f16, pe__table_rows_f16, pe__write_zeros, NULL, NULL, NULL};
    return &kernel;
}

PE__OUTLINE void pe__table_rows_bf16(const pe__output *output, double t, size_t rows)
{
    pe__table_rows(output, t, rows, pe__fill_kernel_bf16());
}

PE__INLINE const pe__row_kernel *pe__table_kernel_bf16(void)
{
    static const pe__row_kernel kernel = {
        pe__table_rows_bf16, pe__table_rows_bf16, pe__write_zeros, NULL, NULL, NULL};
    return &kernel;
}

/* Write a table of matrices, or one with each element twice, axis by axis. `cosine` and `sine` are
   the columns of a row's first cosine and first sine. For matrices both are 0. For two arrays, the
   column of the array at table->out is 0, and the other column is the distance of the two arrays in
   elements. */
PE__OUTLINE void pe__write_repeated_axes(const pe_plan *plan, const pe_at *positions,
                                         const pe__output *table, size_t cosine, size_t sine)
{
    const int matrices = cosine == sine, halves = plan->layout == PE_LAYOUT_HALVES;
    const int sections = halves && plan->axes > 1 && !plan->joint;
    pe__axis_part of = {0, 0, NULL, 0, 0, 0};
    while (pe__next_axis(plan, 0, plan->pairs, &of)) {
        const size_t column = matrices              ? 4 * of.offset
                              : halves && !sections ? of.offset
                                                    : 2 * of.offset;
        pe__output output =
            pe__output_split(table->kernel, plan, of.axis->pair, of.n, table->out, table->element);
        output.coordinate = of.axis->coordinate;
        output.stride = table->stride;
        output.order = matrices ? PE__MATRIX : PE__REPEATED;
        output.cosine = cosine + column;
        output.sine = sine + column;
        output.repeat_offset = !halves ? 1 : sections ? of.n : plan->pairs;
        pe__write_axis(&output, positions, 0, table->rows);
    }
}

/* Write a table of a sorted plan whose pairs fit in one tile. First write all rows in sorted order
   to the table itself, so that rows of a repeated position are copied, as in any table. Then put
   each row into the order of its pairs, using `buffer`. In sorted order, sines and cosines are
   interleaved if one array has room for both; else each has its own array. `to` has the order of
   elements of the finished table, `table` its first array, and `sines` is the address of its first
   sine. */
PE__OUTLINE void pe__write_sorted_table(const pe__output *to, const pe_at *positions,
                                        const pe__output *table, unsigned char *sines,
                                        unsigned char *buffer)
{
    const int back = sines < table->out;
    const size_t bytes = (size_t)(back ? table->out - sines : sines - table->out);
    const size_t other = bytes / table->element;
    const int separate = to->order == PE__SPLIT && (back || other != to->sines);
    pe__output sorted = *to;
    sorted.out = separate && back ? sines : table->out;
    sorted.stride = table->stride;
    if (!separate && to->order != PE__MATRIX)
        sorted.order = to->order == PE__SC ? PE__CS : PE__SC; /* the cosine first if COMPLEX */
    sorted.sine = separate ? (back ? 0 : other) : sorted.order == PE__CS;
    sorted.cosine = separate ? (back ? other : 0) : sorted.order == PE__SC;
    pe__write_sorted_rows(&sorted, to->sines, positions, 0, table->rows);
    for (size_t r = 0; r < table->rows; r++)
        pe__unsort_table_row(to, &sorted, pe__row_address(table, r),
                             sines + (ptrdiff_t)r * table->stride, buffer);
}

/* Write any table of a sorted plan; or write a table of a plan with PE_COLUMNS_SUMS that has
   matrices or each element twice. If a sorted plan's pairs fit in one tile,
   pe__write_sorted_table() does it; all other tables are computed in tiles on the stack. `sines` is
   the array of sines, or NULL if `table` is one array for both. The kernel repeat_kernel writes
   matrices. */
PE__OUTLINE void pe__write_table_tiles(const pe_plan *plan, const pe_at *positions,
                                       const pe__output *table, unsigned char *sines,
                                       pe_rope_table_layout layout,
                                       const pe__row_kernel *repeat_kernel)
{
    float buffer[5 * PE__TABLE_TILE / 4 + 16];
    const size_t pairs = plan->pairs, e = table->element;
    const size_t limit = pe__tile_tokens(plan, PE__TABLE_TILE);
    pe__output to = pe__output_split(table->kernel, plan, 0, pairs, NULL, e);
    if (layout == PE_ROPE_TABLE_MATRIX) to.order = PE__MATRIX;
    if (layout == PE_ROPE_TABLE_COMPLEX) to.order = PE__SC;
    if (layout == PE_ROPE_TABLE_TWICE) {
        to.order = PE__REPEATED;
        to.repeat_offset = plan->layout == PE_LAYOUT_HALVES ? pairs : 1;
    }
    if (!sines) sines = table->out + (layout == PE_ROPE_TABLE_COMPLEX ? 1 : pairs) * e;
    if (plan->order && pairs <= PE__ROPE_PAIRS) {
        if (layout == PE_ROPE_TABLE_MATRIX) to.kernel = repeat_kernel;
        pe__write_sorted_table(&to, positions, table, sines,
                               (unsigned char *)(void *)pe__aligned(buffer));
        return;
    }
    for (size_t r = 0; r < table->rows; r += limit) {
        const size_t rows = pe__min(limit, table->rows - r);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            const pe__output tile =
                pe__output_split(table->kernel, plan, pair, n, pe__aligned(buffer), e);
            pe__write_rope_rows(&tile, positions, r, rows);
            for (size_t k = 0; k < rows; k++) {
                const ptrdiff_t row = (ptrdiff_t)(r + k) * table->stride;
                pe__write_table_pairs(&to, table->out + row, sines + row, pair,
                                      pe__row_address(&tile, k), n);
            }
        }
    }
}

/* Check the arguments, then write a table. `output` describes the rows at table->cosines. `table`
   gives the layout and the array of sines. The kernel repeat_kernel writes matrices and repeated
   elements. The caller's *made receives *table with its number of pairs, unless made is NULL.
   Returns PE_OK or the error of the arguments. */
static inline pe_status pe__write_rope_table(const pe_plan *plan, const pe_at *positions,
                                             pe__output *output,
                                             const pe__row_kernel *repeat_kernel,
                                             const pe_rope_table *table, pe_rope_table *made)
{
    const pe_rope_table_layout layout = table->layout;
    unsigned char *const sines = (unsigned char *)(uintptr_t)table->sines;
    const int split = layout == PE_ROPE_TABLE_APART || layout == PE_ROPE_TABLE_TWICE;
    pe_plan own;
    if (output->rows == 0) return PE_OK;
    if (!plan || !output->out) return PE_ERR_NULL;
    if ((unsigned)layout > PE_ROPE_TABLE_MATRIX) return PE_ERR_ENUM;
    if (split && !sines) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN_ROPE;
    const uintptr_t c = (uintptr_t)output->out, s = (uintptr_t)sines, gap = s < c ? c - s : s - c;
    if (!split && sines) return PE_ERR_SINES;
    if (split && gap % output->element != 0) return PE_ERR_ALIGNMENT;
    pe_status status = pe__check_shape(pe__table_width(layout, plan->pairs), output->rows,
                                       output->columns, output->element);
    const pe_plan *const view = pe__view(plan, positions, &own);
    if (status == PE_OK) status = pe__check_at(positions, output->rows, view->axes, view->offset);
    if (status != PE_OK) return status;
    if (made) {
        *made = *table;
        made->pairs = plan->pairs;
    }
    /* Two arrays are written as one that begins at the lower address. `other` is the column where
       the second array begins, or where the sines of PE_ROPE_TABLE_JOINED begin. */
    const int copied = layout == PE_ROPE_TABLE_TWICE || layout == PE_ROPE_TABLE_MATRIX;
    if (plan->order || (copied && plan->matrix)) {
        pe__write_table_tiles(view, positions, output, sines, layout, repeat_kernel);
        return PE_OK;
    }
    pe_plan cosines_first = *view;
    const int halves = layout != PE_ROPE_TABLE_COMPLEX;
    const size_t other = split ? gap / output->element : cosines_first.pairs;
    const size_t cosine = split && s < c ? other : 0, sine = split && s < c ? 0 : other;
    if (split && s < c) output->out = sines;
    if (copied) {
        output->kernel = repeat_kernel;
        pe__write_repeated_axes(view, positions, output, cosine,
                                layout == PE_ROPE_TABLE_MATRIX ? 0 : sine);
        return PE_OK;
    }
    cosines_first.layout = halves ? PE_LAYOUT_HALVES : PE_LAYOUT_INTERLEAVED;
    cosines_first.cos_first = 1;
    for (size_t a = 0, pair = 0; a < cosines_first.axes; pair += cosines_first.axis[a++].pairs) {
        cosines_first.axis[a].cosine = halves ? pair + cosine : 2 * pair;
        cosines_first.axis[a].sine = halves ? pair + sine : 2 * pair + 1;
    }
    pe__write_axes(&cosines_first, positions, output);
    return PE_OK;
}

/* ==== src/rope/by_table.h ==== */
/* RoPE by a table rotates heads by the rows of a table of sines and cosines that the caller has.
 * Tests: tests/unit/rope/test_tables.c, tests/unit/rope/test_rope_table.c. */

/* ---- 8.4 RoPE: rotation by a table -----------------------------------------------------------
 * The rotation loads vectors of consecutive floats. So rows of floats are read straight from the
 * caller's table, if the sines of a row are consecutive elements and its cosines also are. Rows in
 * another order of elements and rows of 16-bit elements are first copied to the stack, as floats.
 * So are all rows for pe_back(), which negates their sines. */

/* This struct describes a caller's table as the rotation reads it. */
typedef struct pe__table {
    /* These are the first cosine and the first sine of row 0. If odd is 1, both pointers are the
       start of row 0. */
    const void *cosines, *sines;
    /* stride is the number of elements from a row to the next. step is the number of elements from
       the cosine of a pair to that of the next pair, and also from sine to sine. */
    size_t stride, step;
    pe_type type; /* the type of the elements */
    int odd;      /* 1: one array, in which each sine is step / 2 elements after its cosine */
} pe__table;

/* Read the tile's pairs from the table rows |p[0]| ... |p[rows - 1]| and write them to out as
   floats. Each row of out has first the cosines, then the sines. If back is set, the p are negated
   indices, and 0 - s is written for each sine s. Up to PE__FLOATS - 1 floats after the last row of
   out may also be overwritten, since whole vectors are stored. */
PE__INLINE void pe__read_table_rows(pe_type type, const pe__table *table, const double *p,
                                    size_t rows, const pe__tile *tile, int back, float *out)
{
    const size_t n = tile->count, step = table->step;
    for (size_t r = 0; r < 2 * rows; r++, out += n) { /* p[r / 2]: cosines if r is even */
        const size_t from = (size_t)fabs(p[r / 2]) * table->stride + tile->pair * step;
        const void *const in = pe__at_const(type, r % 2 ? table->sines : table->cosines, from);
        pe__read_floats(type, in, n, step, r % 2 && table->odd, r % 2 && back, out);
    }
}

/* Call pe__read_table_rows() for all tokens of the tile, and write their rows to out. Row t of
   `positions` belongs to token t of the call: its position is the index of the token's row in the
   table, negated after pe_back(). */
PE__OUTLINE void pe__gather_rows(const pe__table *table, const pe_at *positions,
                                 const pe__tile *tile, float *out)
{
    const int back = positions->back;
    double p[PE__POSITIONS];
    for (size_t t = 0, n; t < tile->tokens; t += n, out += 2 * n * tile->count) {
        n = pe__min(tile->tokens - t, PE__POSITIONS);
        pe__positions(positions, tile->token + t, n, 0, p);
        if (table->type == PE_TYPE_F32)
            pe__read_table_rows(PE_TYPE_F32, table, p, n, tile, back, out);
        else if (table->type == PE_TYPE_F16)
            pe__read_table_rows(PE_TYPE_F16, table, p, n, tile, back, out);
        else pe__read_table_rows(PE_TYPE_BF16, table, p, n, tile, back, out);
    }
}

/* Rotate the tokens of a call tile by tile, by rows of the table that are copied to the stack. */
PE__OUTLINE void pe__rotate_gathered(const pe__table *table, const pe_at *positions,
                                     const pe__rope_call *call, pe__tile *tile)
{
    float buffer[PE__ROPE_TILE + 16 + PE__FLOATS];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const size_t pairs = tile->pairs, limit = PE__ROPE_TILE / (2 * pe__min(pairs, PE__ROPE_PAIRS));
    tile->sines = rows;
    for (tile->token = 0; tile->token < call->tokens; tile->token += limit) {
        tile->tokens = pe__min(limit, call->tokens - tile->token);
        for (tile->pair = 0; tile->pair < pairs; tile->pair += PE__ROPE_PAIRS) {
            tile->count = pe__min(PE__ROPE_PAIRS, pairs - tile->pair);
            tile->cosines = rows;
            tile->sines = rows + tile->count;
            tile->stride = 2 * tile->count;
            pe__gather_rows(table, positions, tile, rows);
            call->rotate(tile, &call->x[0]);
        }
    }
}

/* Rotate by the table's own rows, without copying them. The rows are floats, and the tokens may use
   them in any order. PE__POSITIONS tokens at a time are a tile, whose tile->row lists their
   rows. */
PE__OUTLINE void pe__rotate_by_rows(const pe_at *positions, const pe__rope_call *call,
                                    pe__tile *tile)
{
    double p[PE__POSITIONS];
    size_t row[PE__POSITIONS];
    tile->row = row;
    for (tile->token = 0; tile->token < call->tokens; tile->token += tile->tokens) {
        tile->tokens = pe__min(call->tokens - tile->token, PE__POSITIONS);
        pe__positions(positions, tile->token, tile->tokens, 0, p);
        for (size_t k = 0; k < tile->tokens; k++) row[k] = (size_t)fabs(p[k]);
        call->rotate(tile, &call->x[0]);
    }
}

/* Check that the positions are integers of one coordinate and not differences, else return
   PE_ERR_AT_KIND. Then check that each is the index of a row of the table, at most 2^31. With
   pe_back(), the positions are the negated indices. An index p is in range if |p - half| <= half,
   where 2 half is the largest index. Without rows, half is negative and no index is in range.
   Returns PE_OK, PE_ERR_RANGE, or another error of pe__check_positions(). */
static inline pe_status pe__check_table_rows(const pe_at *positions, size_t tokens, size_t rows)
{
    const double limit = (double)pe__position_limit, all = (double)rows - 1;
    const double half = (all < limit ? all : limit) / 2, middle = positions->back ? half : -half;
    if (positions->kind < (int)PE__AT_RANGE || positions->kind > (int)PE__AT_I64)
        return PE_ERR_AT_KIND;
    if (positions->axes != 1 || positions->delta) return PE_ERR_AT_KIND;
    return pe__check_positions(positions, tokens, 1, middle, middle, half);
}

/* Rotate by a caller's table: check all arguments, then rotate. `layout` is the layout of the
   heads, table->layout that of the table. Returns PE_OK or the error, after which nothing was
   written. */
PE__OUTLINE pe_status pe__rope_by_table(const pe_rope_table *table, pe_layout layout,
                                        const pe_at *positions, pe__rope_call *call)
{
    const size_t heads = call->x[0].heads, out_heads = call->x[0].out_heads;
    if (call->tokens == 0 || (heads == 0 && out_heads == 0)) return PE_OK;
    if (!table) return PE_ERR_NULL;
    const size_t pairs = table->pairs, element = table->type == PE_TYPE_F32 ? 4 : 2;
    const int split = table->layout <= PE_ROPE_TABLE_TWICE;
    if ((unsigned)table->type > PE_TYPE_BF16 || (unsigned)layout > PE_LAYOUT_HALVES ||
        (unsigned)table->layout > PE_ROPE_TABLE_MATRIX)
        return PE_ERR_ENUM;
    if (pairs > 0 && (!table->cosines || (split && !table->sines))) return PE_ERR_NULL;
    if (pairs > SIZE_MAX / 4) return PE_ERR_SIZE;
    if (heads != out_heads) return PE_ERR_HEADS;
    if (call->x[0].head_dim < 2 * pairs) return PE_ERR_HEAD_DIM;
    if (!split && table->sines) return PE_ERR_SINES;
    pe_status status =
        pe__check_shape(pe__table_width(table->layout, pairs), table->rows, table->stride, element);
    if (status == PE_OK) status = pe__rope_check_heads(call, &call->x[0], 2 * pairs, 0);
    if (status == PE_OK) status = pe__check_table_rows(positions, call->tokens, table->rows);
    if (status != PE_OK) return status;
    const void *const c = pairs ? table->cosines : table, *const s = pairs ? table->sines : table;
    pe__table rows = {c, s, pairs ? table->stride : 0, 1, table->type, 0};
    rows.step = pe__table_step(table->layout, layout);
    rows.odd = table->layout >= PE_ROPE_TABLE_COMPLEX;
    if (!split) rows.sines = (const unsigned char *)c + (rows.odd ? 0 : pairs * element);
    pe__tile tile;
    tile.pair = tile.token = tile.section_count = 0;
    tile.count = tile.pairs = pairs;
    tile.tokens = tile.call_tokens = call->tokens;
    tile.layout = layout;
    tile.row = NULL;
    if (pairs > 0 && (element != sizeof(float) || rows.step > 1 || positions->back)) {
        pe__rotate_gathered(&rows, positions, call, &tile);
        return PE_OK;
    }
    tile.cosines = (const float *)rows.cosines;
    tile.sines = (const float *)rows.sines;
    tile.stride = rows.stride;
    /* If the row indices of the tokens ascend by a constant step, tile.row is not needed: token t
       uses the row that is t * tile.stride floats after the first one. */
    if (positions->kind == PE__AT_RANGE && positions->step >= 0) {
        tile.cosines += (size_t)positions->first * rows.stride;
        tile.sines += (size_t)positions->first * rows.stride;
        tile.stride = call->tokens > 1 ? (size_t)positions->step * rows.stride : 0;
        call->rotate(&tile, &call->x[0]);
    } else pe__rotate_by_rows(positions, call, &tile);
    return PE_OK;
}

/* Rotate the heads of one token by row `row` of a table of floats. p is the first element of head
   0. Nothing is checked: pe__rope_is_plain() (calls/inlined.h) has found that all arguments are
   valid, and that the pairs fill complete pair tiles, so that pe__rotate_pair_tiles() rotates all
   pairs. */
PE__INLINE void pe__rotate_token_by_table(pe_type type, const pe_rope_table *t, pe_layout layout,
                                          size_t row, void *p, const pe_heads *heads)
{
    const float *const c = (const float *)t->cosines + row * t->stride;
    const float *const s = t->sines ? (const float *)t->sines + row * t->stride : c + t->pairs;
    const size_t stride = heads->head_stride * pe__size_of(type);
    const pe__angles a = {s, c, t->pairs, t->pairs};
    const pe__heads x = {
        (unsigned char *)p, (unsigned char *)p, 0, stride, 0, stride, heads->heads, 0, 0, 0, 0};
    pe__rotate_pair_tiles(type, type, layout, PE__ONE_SECTION, &a, &x, 0);
}

/* ==== src/rope/factors.h ==== */
/* Factors that depend on the position, correctly rounded: the factor that scales a query
 * (pe_rope_query_scale_f32()), and the factors by which xPos multiplies sines and cosines. Tested
 * by tests/unit/plan/test_models.c. */

/* ---- 8.5 RoPE: factors by position ----------------------------------------------------------- */

/* Returns whether all positions of a call are within minimum ... maximum. They have one coordinate,
   and pe__check_at() has found no error. All cells of a grid count, as in pe__check_at(), also
   those that no row uses. */
static inline int pe__positions_within(const pe_at *positions, size_t rows, double minimum,
                                       double maximum)
{
    double p[PE__POSITIONS];
    int ok = 1;
    if (positions->kind == (int)PE__AT_GRID) {
        p[0] = (double)(positions->size[0] - 1) * (positions->back ? -1 : 1);
        return minimum <= 0 && 0 <= maximum && pe__between(p[0], minimum, maximum);
    }
    for (size_t r = 0, n; r < rows; r += n) {
        n = pe__min(rows - r, PE__POSITIONS);
        pe__positions(positions, r, n, 0, p);
        for (size_t k = 0; k < n; k++) ok &= pe__between(p[k], minimum, maximum);
    }
    return ok;
}

/* Returns (a / b)^(p / s), or 1 + ln(a / b) p / s if `logarithm` is set, rounded to the nearest
   float. The computation uses multi-limb integers. */
PE__COLD float pe__round_factor(double a, double b, double p, double s, int logarithm)
{
    double y;
    for (int n = PE__LIMBS_FIRST;; n = pe__next_limbs(n)) {
        pe__bigfloat x = pe__bigfloat_of(a, n), z = pe__bigfloat_of(b, n);
        pe__bigfloat_log(&x);
        pe__bigfloat_log(&z);
        pe__bigfloat_add(&x, &z, -1);
        pe__bigfloat_mul_double(&x, p);
        pe__bigfloat_div_double(&x, s);
        if (logarithm) pe__bigfloat_add_double(&x, 1);
        else pe__bigfloat_exp(&x);
        if (pe__bigfloat_round(&x, 29, n == PE__LIMBS, &y)) return (float)y;
    }
}

/* Write factors[k] = 1 + beta ln(x[k] / per), correctly rounded, for k < n <= PE_LANES. x has
   PE_LANES numbers. per is the period for PE_QUERY_SCALE_LOG, and 1 for PE_QUERY_SCALE_FLOOR. Where
   x[k] = per or beta = 0, the factor is 1. No other factor is a midpoint of two floats, because the
   logarithm of a rational number other than 1 is transcendental. e bounds the error. Its first
   term, 2^-98 (|factor| + 1), covers the sums and the rounding of `low`. The second is twice |beta|
   2^-105: the logarithm is off by 2^-105, and beta multiplies that error. */
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
                                         double shift, pe_at positions, size_t rows, float *factors)
{
    const int is_floor = kind == PE_QUERY_SCALE_FLOOR;
    const double minimum = is_floor ? -pe__exp2i(100) : 0, per = is_floor ? 1 : (double)period;
    if (rows == 0) return PE_OK;
    if (!factors) return PE_ERR_NULL;
    if ((unsigned)kind > PE_QUERY_SCALE_LOG) return PE_ERR_ENUM;
    if (!pe__between(beta, minimum, pe__exp2i(100)) || period < 1 || !pe__rope_length_ok(period) ||
        !pe__between(shift, -pe__exp2i(31), pe__exp2i(31)))
        return PE_ERR_QUERY_SCALE;
    if (pe__exceeds(rows, sizeof *factors, PTRDIFF_MAX)) return PE_ERR_SIZE;
    const pe_status status = pe__check_at(&positions, rows, 1, shift);
    if (status != PE_OK) return status;
    if (!pe__positions_within(&positions, rows, -shift, pe__exp2i(32))) return PE_ERR_QUERY_SCALE;
    /* If all rows of a vector have the x of the row before the vector, that row's factor is copied,
       without a logarithm. This is common: with FLOOR, x changes once a period; with LOG, x is
       `period` while position + shift is at most period. */
    double last = per; /* x of the row before the vector; x = per gives 1 */
    float factor = 1;
    for (size_t r = 0, n; r < rows; r += n) {
        double x[PE_LANES], p[PE_LANES];
        int same = 1;
        n = pe__min(rows - r, PE_LANES);
        pe__positions(&positions, r, n, 0, p);
        for (size_t k = 0; k < PE_LANES; k++) {
            const double t = p[pe__min(k, n - 1)] + shift;
            x[k] = is_floor ? (double)((uint64_t)t / period + 1) : t > per ? t : per;
            same &= x[k] == last;
        }
        for (size_t k = 0; same && k < n; k++) factors[r + k] = factor;
        if (!same) pe__query_factors(x, per, beta, n, factors + r);
        last = x[n - 1];
        factor = factors[r + n - 1];
    }
    return PE_OK;
}

/* Returns (a / b)^(p / s) rounded to the nearest float. The caller knows that the power is close or
 * equal to the double `tie`, which is a midpoint of two floats. This midpoint is 2^k N with an odd
 * N of 25 bits (`bits`). If the power equals it, it is rounded to even.
 *
 * Let p / s be m / q in lowest terms. The power equals tie if (a / b)^m = 2^(kq) N^q. Let x / y be
 * a / b in lowest terms, or b / a if m < 0. Then equality requires that y is a power of two. It
 * also requires an odd number c such that N = c^|m| and x is c^q times a power of two. c is at
 * least 3. The caller's a and b are at most 7 * pairs, and there are at most 2^28 pairs, so c^q <=
 * x <= 7 * 2^28 < 3^20. Hence q is below 20. The loop tries each q. It tests exactly whether
 * m = |p| q / s is an integer, and whether the odd part of x has the m-th power N^q. The powers of
 * two then agree, because the power is close to tie. */
PE__COLD float pe__round_xpos(uint64_t a, uint64_t b, double p, double s, double tie)
{
    /* N: the upper 25 bits of tie's significand; its other 28 bits are 0 in a midpoint */
    const uint64_t bits = (pe__double_bits(tie) & 0xfffffffffffffu) >> 28 | 0x1000000u;
    uint64_t x = p < 0 ? b : a, y = p < 0 ? a : b, up = x, down = y;
    while (down) {
        const uint64_t rest = up % down;
        up = down;
        down = rest;
    }
    for (x /= up; x % 2 == 0; x /= 2) {}
    for (y /= up; y % 2 == 0; y /= 2) {}
    for (int q = 1; q < 20 && y == 1; q++) {
        const double m = pe__round_to_integer(q * fabs(p) / s), left = q * fabs(p), right = m * s;
        if (left == right &&
            pe__product_minus(q, fabs(p), left) == pe__product_minus(m, s, right) &&
            pe__powers_equal(x, (uint64_t)m, bits, (uint64_t)q))
            return pe__round_sum(tie, 0, PE__DROP_F32);
    }
    return pe__round_factor((double)a, (double)b, p, s, 0);
}

PE_API pe_status pe_rope_xpos_f32(size_t pairs, double scale_base, pe_at positions, size_t rows,
                                  float *factors, size_t stride)
{
    if (rows == 0) return PE_OK;
    if (!factors) return PE_ERR_NULL;
    if (pairs == 0) return PE_ERR_EMPTY;
    if (pairs > (size_t)1 << 28) return PE_ERR_SIZE;
    pe_status status = pe__check_shape(pairs, rows, stride, sizeof *factors);
    if (status == PE_OK) status = pe__check_at(&positions, rows, 1, 0);
    if (status != PE_OK) return status;
    if (!pe__between(scale_base, pe__exp2i(-30), pe__exp2i(100))) return PE_ERR_XPOS;
    const double maximum = 60 * scale_base;
    if (!pe__positions_within(&positions, rows, -maximum, maximum)) return PE_ERR_XPOS;
    /* The outer loop is over the pairs, so that one logarithm serves all rows. |p| is at most
       60 scale_base, so every factor is within (7/2)^-60 ... (7/2)^60, and (7/2)^60 < 2^109: all
       factors are normal floats. */
    for (size_t i = 0; i < pairs; i += PE_LANES) {
        double numerator[PE_LANES], high[PE_LANES], low[PE_LANES];
        const size_t n = pe__min(PE_LANES, pairs - i);
        for (size_t k = 0; k < PE_LANES; k++) numerator[k] = (double)(5 * (i + k) + 2 * pairs);
        /* With D = 2 pairs, the factor's base (2i + 0.4 D) / 1.4 D is (5i + 2 pairs) / 7 pairs. */
        pe__td x = pe__td_log2(pe__td_from_double(pe__load(numerator)));
        x = pe__td_sub(x, pe__td_log2(pe__td_splat((double)(7 * pairs))));
        x = pe__td_div_double(x, pe__splat(scale_base));
        for (size_t r = 0; r < rows; r++) {
            const double p = pe__position(&positions, r, 0);
            /* the relative error is at most 2^-98: nearly all of it is 60 times the errors of two
               logarithms, 2^-106 each */
            const pe__td y = pe__td_exp2(pe__td_mul_double(x, pe__splat(p)));
            pe__store(high, y.a);
            pe__store(low, y.b + y.c);
            for (size_t k = 0; k < n; k++) {
                float *const factor = &factors[r * stride + i + k];
                *factor = pe__round_sum(high[k], low[k], PE__DROP_F32);
                if (PE__UNLIKELY(pe__is_hard_to_round(high[k], low[k], high[k] * pe__exp2i(-97))))
                    *factor = pe__round_xpos(5 * (i + k) + 2 * pairs, 7 * pairs, p, scale_base,
                                             high[k]); /* integers of at most 7 * 2^28 */
            }
        }
    }
    return PE_OK;
}

/* ==== src/rope/ggml.h ==== */
/* Computes RoPE with ggml's arguments. pe_rope_ggml_frequencies() computes the correctly rounded
 * frequencies. pe_rope_ggml_f32() computes the sines and cosines of the angles that ggml computes
 * with float roundings. Tested by tests/unit/plan/test_models.c and
 * tests/unit/rope/test_rope_ggml.c. */

/* ---- 8.6 RoPE: the angles of ggml ---------------------------------------------------------------
 * To get ggml's angles, pe_rope_ggml_f32() repeats ggml's roundings. It performs the same float
 * operations in the same order, with ggml's constants (pi as 3.14159274f, 0.1f, 0.001f). If
 * `contracted` is set, it fuses the sums that ggml's compiler fuses. One thing differs: here powf,
 * logf, sinf and cosf are correctly rounded, which C libraries do not promise. */

/* Returns a * b + c. If `fused` is set, the result is rounded once: a double holds the product of
   two floats exactly. Otherwise the product and then the sum are each rounded to float. */
PE__INLINE float pe__float_sum(float a, float b, float c, int fused)
{
    if (fused) return pe__round_sum((double)a * (double)b, (double)c, PE__DROP_F32);
    return pe__float_product(a, b) + c;
}

/* Returns a / b. PE__OPAQUE keeps compilers from replacing several divisions by b with products by
   1 / b, which round differently. */
PE__INLINE float pe__float_quotient(float a, float b)
{
    PE__OPAQUE(b);
    return a / b;
}

/* Returns x, rounded once to float. No rounding test is needed. The number x is a function of one
   float, or of a float and one of 2^19 values of n_dims. So it has at most 2^51 values. Among so
   many, the closest to a midpoint of two floats is expected to be about 2^-75 |x| away, far more
   than the error of x. */
PE__INLINE float pe__td_float(pe__td x)
{
    return (float)pe__to_odd(pe__first_lane(x.a), pe__first_lane(x.b));
}
/* Returns ln x, correctly rounded. */
PE__INLINE float pe__logf(float x)
{
    const pe__td y = pe__td_log2(pe__td_splat((double)x));
    return pe__td_float(pe__td_mul(y, pe__td_const(pe__ln2)));
}

/* Returns the index of the pair that completes beta rotations in n_ctx_orig positions, with the
   roundings of ggml_rope_yarn_corr_dim(). It is usually not an integer. */
static inline float pe__ggml_correction(const pe_rope_ggml *c, float beta)
{
    if (c->n_ctx_orig == 0) return -FLT_MAX; /* ggml has log(0) here: -infinity */
    const float rotations = (float)c->n_ctx_orig / (beta * 2 * 3.14159274f);
    return (float)c->n_dims * pe__logf(rotations) / (2 * pe__logf(c->freq_base));
}

/* Copy *given to *c, with defaults for the fields that are 0. Returns whether the fields of *c are
   within the bounds in the comments of pe_rope_ggml. Those that only YaRN uses are not checked if
   ext_factor is 0. */
static inline int pe__ggml_read(pe_rope_ggml *c, const pe_rope_ggml *given)
{
    const double tiny = pe__exp2i(-60), vast = pe__exp2i(60);
    *c = *given;
    if (pe__is_zero((double)c->freq_base)) c->freq_base = 10000;
    if (pe__is_zero((double)c->freq_scale)) c->freq_scale = 1;
    if (pe__is_zero((double)c->attn_factor)) c->attn_factor = 1;
    if (pe__is_zero((double)c->beta_fast)) c->beta_fast = 32;
    if (pe__is_zero((double)c->beta_slow)) c->beta_slow = 1;
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
    if (!pe__ggml_read(&c, given)) return PE_ERR_GGML;
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
    /* without n_ctx_orig, c(beta) of pe__rope_bound() is negative, as with ggml's logarithm of 0 */
    r.length = c.n_ctx_orig ? (double)c.n_ctx_orig : pe__exp2i(-900);
    pe__rope_begin(&r);
    pe__rope_all_frequencies(&r, omega);
    if (!attention_factor) return PE_OK;
    *attention_factor = (double)c.attn_factor;
    if (c.ext_factor > 0) *attention_factor = pe__rope_factor(&r, 1, 0, (double)c.attn_factor);
    return PE_OK;
}

/* This struct holds ggml's arguments, and the numbers that all rows share. */
typedef struct pe__ggml {
    pe_rope_ggml c; /* the arguments, with defaults for those that are 0 */
    /* theta_scale is the ratio of theta from a pair to the next, freq_base^(-2 / n_dims). mscale is
       the factor on sines and cosines. */
    float theta_scale, mscale;
    /* low is the index of the pair where YaRN's ramp begins, 0 without YaRN. span is the ramp's
       length in pairs, at least 0.001, or 1 without YaRN. */
    float low, span;
} pe__ggml;
/* Set the fields of *g after g->c from g->c, with ggml's roundings. */
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

/* Returns the angle of a pair in radians, with ggml's roundings. theta is the position times
   theta_scale to the power of `pair`, rounded after each product. */
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

PE_API pe_status pe_rope_ggml_f32(const pe_rope_ggml *given, pe_at positions, size_t rows,
                                  float *cosines, float *sines, size_t stride)
{
    enum { PE__PAIRS = 64, PE__PADDED = PE__PAIRS + PE__MAX_LANES };
    pe__ggml g;
    if (rows == 0) return PE_OK;
    if (!given || !cosines || !sines) return PE_ERR_NULL;
    if (!pe__ggml_read(&g.c, given)) return PE_ERR_GGML;
    const size_t pairs = g.c.n_dims / 2;
    pe_status status = pe__check_shape(pairs, rows, stride, sizeof *cosines);
    if (status == PE_OK) status = pe__check_at(&positions, rows, 1, 0);
    if (status != PE_OK) return status;
    pe__ggml_begin(&g);

    /* A plan computes the sines and cosines of 64 angles at a time. The angles are stored as its
       float frequencies, and its row is computed at position 1. So this function uses the row
       kernel and the rounding test of pe_fill_f32(). */
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
        float theta = (float)pe__position(&positions, r, 0);
        for (size_t done = 0; done < pairs; done += PE__PAIRS) {
            const size_t n = pe__min(PE__PAIRS, pairs - done);
            float row[2 * PE__PAIRS];
            double fastest = 0;
            for (size_t i = 0; i < n; i++) {
                angle[i] = (double)pe__ggml_angle(&g, done + i, theta);
                fastest = pe__max_abs(fastest, angle[i]);
                theta = pe__float_product(theta, g.theta_scale); /* step by step, as in ggml */
            }
            for (size_t i = n; i < plan.padded; i++) angle[i] = angle[n - 1];
            /* The largest angle determines the range of the double kernel, which must contain
               position 1, and an error bound of double-double. */
            pe__plan_set_range(&plan, plan.error, fastest);
            const pe__output output = pe__output_split(NULL, &plan, 0, n, row, sizeof *row);
            pe__row_f32(&output, 1, 1);
            for (size_t i = 0; i < n; i++) {
                sines[r * stride + done + i] = row[i] * g.mscale;
                cosines[r * stride + done + i] = row[n + i] * g.mscale;
            }
        }
    }
    return PE_OK;
}

/* ==== src/algebra/shift.h ==== */
/* Shifts rows by a number of positions: checks, calls, and the rotation of doubles. Tested by
 * tests/unit/algebra/test_algebra.c. */

/* ---- 9.1 shifts ---------------------------------------------------------------------------------
 * A shift by k is RoPE's rotation, with a row as the only head of a token. RoPE rotates (x, y) to
 * (x cos - y sin, y cos + x sin). So pairs with the cosine first rotate by the angle of position k,
 * and pairs with the sine first by the angle of position -k. RoPE does not rotate doubles, so
 * pe_shift_f64() has a rotation of its own. */

enum { PE__SHIFT_TILE = 512 }; /* pairs that a shift of doubles rotates together */

/* Returns whether the rows of a plan that was made can be shifted. Every column must hold zeros or
   belong to a pair in the plan's layout, and the angles must not be rounded to float. */
static inline int pe__can_shift(const pe_plan *plan)
{
    int ok = !plan->float32 && !plan->order && !plan->rope_interleave;
    ok &= !plan->step && !plan->matrix;
    for (size_t a = 0; a < plan->axes; a++) ok &= plan->axis[a].sines == plan->axis[a].cosines;
    return ok;
}

/* Rotate the pairs (x, y) of `rows` rows, in place. Pair i rotates by the angle with the sine ts[i]
   and the cosine tc[i]. So x becomes x tc[i] - y ts[i], and y becomes y tc[i] + x ts[i]. In memory,
   y is `across` doubles after x. If split is 0, pairs are interleaved and `across` is 1. */
PE__INLINE void pe__shift_rows_f64(int split, const pe__output *output, size_t rows, size_t across,
                                   const double *ts, const double *tc)
{
    enum { PE__PREFETCH_DISTANCE = 8192 }; /* in bytes; rounded down to whole rows, at least 1 */
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

/* Rotate the pairs of `rows` rows by their angles at position `delta`. This is the shift with the
   sign that pe__shift_check() gives it. The columns are those of the output, which are one axis. */
PE__OUTLINE void pe__shift_columns_f64(const pe__output *output, double delta, size_t rows)
{
    double row[2 * PE__SHIFT_TILE];
    const size_t begin = pe__min(output->sine, output->cosine);
    const size_t end = pe__max(output->sine, output->cosine);
    const size_t across = output->order == PE__SPLIT ? end - begin : 1;
    for (size_t done = 0; done < output->sines; done += PE__SHIFT_TILE) {
        const pe__output part = pe__output_part(output, done, PE__SHIFT_TILE);
        const size_t n = part.sines;
        const pe__output made =
            pe__output_split(NULL, output->plan, part.pair, n, row, sizeof *row);
        pe__rows_f64(&made, delta, 1);
        if (across > 1) pe__shift_rows_f64(1, &part, rows, across, row, row + n);
        else pe__shift_rows_f64(0, &part, rows, 1, row, row + n);
    }
}

/* Check the arguments of a shift and return the status. If it is PE_OK, set *positions to the
   positions by whose angles the rows are rotated: the deltas, or their negatives where sines come
   first. Set *rotation to a copy of the plan with amplitude 1, without offset and padding
   position. */
static inline pe_status pe__shift_check(const pe_plan *plan, const pe_at *deltas,
                                        const pe__output *output, pe_at *positions,
                                        pe_plan *rotation)
{
    pe_status status = pe__check_output(plan, output);
    /* PE_ERR_PLAN_ROWS: only RoPE can use the plan, whose rows can be neither written nor
       shifted */
    if (status == PE_ERR_PLAN_ROWS || (status == PE_OK && !pe__can_shift(plan)))
        status = PE_ERR_PLAN_SHIFT;
    if (status == PE_OK) status = pe__check_at(deltas, output->rows, plan->axes, 0);
    if (status != PE_OK) return status;
    *positions = plan->cos_first ? pe_delta(*deltas) : pe_back(pe_delta(*deltas));
    (void)pe__view(plan, positions, rotation);
    return PE_OK;
}

PE_API pe_status pe_shift_f64(const pe_plan *plan, pe_at deltas, size_t rows, double *x,
                              size_t stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__STORE, 1, NULL);
    pe_at positions;
    pe_plan rotation;
    if (rows == 0) return PE_OK;
    const pe_status status = pe__shift_check(plan, &deltas, &output, &positions, &rotation);
    for (size_t a = 0; status == PE_OK && a < rotation.axes; a++) {
        const size_t k = positions.axes == 1 ? 0 : rotation.axis[a].coordinate;
        pe__runs runs = pe__runs_of(&rotation, &positions, 0, rows, k, 0);
        pe__set_axis(&output, &rotation, &rotation.axis[a]);
        for (pe__run run; pe__next_run(&runs, &run);) {
            const size_t same = run.step == 0 ? run.rows : 1; /* rows with the same delta */
            for (size_t r = 0; r < run.rows; r += same) {
                const double delta = run.position + (double)r * run.step;
                output.out = (unsigned char *)(x + (run.row + r) * stride);
                if (delta != 0) pe__shift_columns_f64(&output, delta, same);
            }
        }
    }
    return status;
}

/* ---- 9.2 shifts of f32, f16 and bf16 --------------------------------------------------------- */

/* Returns whether row r is shifted by 0 in every coordinate. */
static inline int pe__is_zero_delta(const pe_at *positions, size_t r)
{
    int stays = 1;
    for (size_t a = 0; a < positions->axes; a++) stays &= pe__position(positions, r, a) == 0;
    return stays;
}

/* Rotate `rows` rows of an output, starting at row `row`, with RoPE's code. Each row is the only
   head of a token. */
static inline void pe__shift_rows(const pe_plan *plan, const pe_at *positions, size_t row,
                                  size_t rows, const pe__output *output, pe__head_rotator *rotate,
                                  pe__head_rotator *rotate_sections)
{
    pe__rope_call call;
    memset(&call, 0, sizeof call);
    pe__set_types(&call, output->element, output->element, rotate, rotate_sections);
    call.tokens = rows;
    call.x[0].heads = 1;
    call.x[0].in_token = call.x[0].out_token = (size_t)output->stride;
    call.x[0].in_head = call.x[0].out_head = (size_t)output->stride;
    call.x[0].in = call.x[0].out = pe__row_address(output, row);
    pe__rotate_tokens(plan, positions, row, &call);
}

/* Check the arguments, then rotate all rows but those whose shift is 0, which keep every bit.
   Consecutive rows whose shifts are not 0 are rotated in one call. */
static inline pe_status pe__call_shift(const pe_plan *plan, const pe_at *deltas,
                                       const pe__output *output, pe__head_rotator *rotate,
                                       pe__head_rotator *rotate_sections)
{
    pe_at positions;
    pe_plan rotation;
    if (output->rows == 0) return PE_OK;
    const pe_status status = pe__shift_check(plan, deltas, output, &positions, &rotation);
    for (size_t r = 0, run; status == PE_OK && r < output->rows; r += run) {
        const int stay = pe__is_zero_delta(&positions, r);
        run = positions.kind == PE__AT_RANGE && positions.step == 0 ? output->rows - r : 1;
        while (r + run < output->rows && pe__is_zero_delta(&positions, r + run) == stay) run++;
        if (!stay) pe__shift_rows(&rotation, &positions, r, run, output, rotate, rotate_sections);
    }
    return status;
}

/* ==== src/algebra/dot.h ==== */
/* Computes dot products of two rows, one by one or, for consecutive differences, many at a time.
 * Tested by tests/unit/algebra/test_algebra.c. */

/* ---- 9.3 dot products ------------------------------------------------------------------------ */

/* Return (hi + lo) times the square of plan->mantissa, normalised. The amplitude A is
   mantissa * scale. The caller multiplies by the square of scale, a power of two. */
PE__INLINE pe__dd pe__dot_scaled(const pe_plan *plan, pe__vd hi, pe__vd lo)
{
    const pe__dd x = {hi, lo};
    pe__dd square;
    square.hi = pe__two_prod(pe__splat(plan->mantissa), pe__splat(plan->mantissa), &square.lo);
    return pe__dd_renormalize(pe__dd_mul(x, square));
}

/* Return the dot product for the difference k, A^2 times a sum of cosines. The cosines are added in
   double-double, in eight sums, which are then added in a fixed order. There are eight whatever
   PE_LANES is, so each instruction set gives the same bits. If Ziv's rounding test is inconclusive,
   the sum is computed again, from cosines that are computed with multi-limb integers. */
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
                if (count - i < PE_LANES) { /* lanes after the last pair add 0 */
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
        /* The exact sum may be 0, and no precision can show that it is. So the contract says that
           the result is 0 if the sum of the cosines is below 2^-88 times the number of pairs. */
        if (by_integers && size <= pairs * pe__exp2i(-88)) return 0;
        if (by_integers || hi_y + (lo_y + e) == hi_y + (lo_y - e))
            return hi_y * plan->scale * plan->scale;
    }
}

/* Many dot products at a time are a product of matrices. Let the anchors q be differences that are
 * 31 apart, and let b be 0 ... 15. The sums over the pairs, which have the frequencies w, are
 *
 *     sum cos((q +- b) w) = sum cos(q w) cos(b w) -+ sum sin(q w) sin(b w)
 *
 * In each product, x is the factor with q, and x' is the factor with b. They are split into
 * x = X + y and x' = X' + y'. X and X' are multiples of 2^-g, and |y| and |y'| are at most
 * 2^-(g+1). Then
 *
 *     x x' = X X' + (X y' + y x')
 *
 * and the sum of all X X' is exact for up to 2^(52-2g) pairs. The sum of the terms in parentheses
 * is about 2^-g times as large, and so is its rounding error. For h pairs in tiles of 16 the error
 * is at most, in units of 2^-53 2^-(g+1),
 *     4 h       the roundings of y and y', 1/2 unit each, and of x', 1 unit: 2 units for the
 *               cosines of a pair and 2 for its sines
 *     128 h     the four sums of a tile, X y' and y x' for cosines and for sines, 16 products each.
 *               Each of the 16 additions gives a sum of at most 16 * 2^-(g+1), so it rounds off at
 *               most 16 units; twice that where nothing is fused
 *     12 h      adding the four sums of a tile: at most 32 + 32 + 64 units per tile, which are 8 h
 *               for all tiles; 12 h leaves room
 *     h^2 / 4   adding the tiles: h / 16 additions, each giving a sum of at most 4 h * 2^-(g+1), so
 *               an error of at most 4 h units
 * These are 144 h + h^2 / 4 units. The code uses h (160 + h / 4). The error inherited from the
 * sines and cosines, which are double-doubles, is added to this bound. Ziv's rounding test adds the
 * bound to the sum and subtracts it: if both give the same double, that double is the result. If
 * not, pe__dot() computes the result. */

/* An anchor q serves 31 = 2 * 16 - 1 differences, q + b and q - b: with b = 0 both are q.
   pe__dots() computes those of up to 32 anchors. With 32 anchors and tiles of 16 pairs, the table
   of all b (12 KB) and the sums (16.5 KB) stay in a first-level cache of 32 KB. */
enum {
    PE__DOTS = 16,         /* number of values of b: 0 ... 15         */
    PE__DOTS_NEXT = 31,    /* difference of an anchor and the next    */
    PE__DOTS_ANCHORS = 32, /* maximum number of anchors of a call     */
    PE__DOTS_TILE = 16,    /* number of pairs of a tile               */
    PE__DOTS_VECTORS = PE__DOTS_TILE / (int)PE_LANES,
    PE__DOTS_TOGETHER = 2 /* anchors that share each load of the table */
};

/* This struct holds the sines s and cosines c of a tile's pairs at a position, which is an anchor q
   or a b. The fields ts and tc are the sines and cosines of the angles by which the pairs are
   rotated from this position to the next. A pe__dots_parts holds s and c after the split x = X + y
   described above. It has the arrays X, y and the high double of x, of the cosines in [0] to [2]
   and of the sines in [3] to [5]. */
typedef struct pe__dots_rotated {
    pe__dd s[PE__DOTS_VECTORS], c[PE__DOTS_VECTORS], ts[PE__DOTS_VECTORS], tc[PE__DOTS_VECTORS];
} pe__dots_rotated;
typedef double pe__dots_parts[6][PE__DOTS_TILE];

/* This struct holds the sums of an anchor q over all pairs. `large` sums X X', and `minor` sums
   X y' + y x'. The first index is 0 for q + b, where the sum of the sines is subtracted from that
   of the cosines. It is 1 for q - b, where the two are added. The second index is b. */
typedef struct pe__dots_totals {
    double large[2][PE__DOTS], minor[2][PE__DOTS];
} pe__dots_totals;

/* Set *t to the tile that starts at index `pair` of the plan's arrays, at position q, to be rotated
   by `step` positions at a time. At q = 0 the sines are 0 and the cosines 1. A vector beyond the
   end of the plan's arrays is filled with their last vector; its pairs are not added to any sum. */
PE__OUTLINE void pe__dots_begin(pe__dots_rotated *t, const pe_plan *plan, size_t pair, double q,
                                double step)
{
    for (size_t v = 0; v < PE__DOTS_VECTORS; v++) {
        const size_t index = pe__vector_pair(plan, pair + v * PE_LANES);
        t->s[v].hi = t->s[v].lo = t->c[v].lo = pe__splat(0.0);
        t->c[v].hi = pe__splat(1.0);
        if (q != 0) pe__sincos_dd(plan, index, q, &t->s[v], &t->c[v]);
        pe__sincos_dd(plan, index, step, &t->ts[v], &t->tc[v]);
    }
}

/* Split x = X + y, where X is a multiple of 2^-g. The last bit of `grid` is 2^-g, so adding and
   subtracting it rounds to such a multiple. Store X in parts[0], y in parts[1] and the high double
   of x in parts[2], starting at element i. */
PE__INLINE void pe__dots_split(pe__dd x, double grid, double (*parts)[PE__DOTS_TILE], size_t i)
{
    const pe__vd top = (x.hi + pe__splat(grid)) - pe__splat(grid);
    pe__store(parts[0] + i, top);
    pe__store(parts[1] + i, (x.hi - top) + x.lo);
    pe__store(parts[2] + i, x.hi);
}

/* Store the parts of the tile's cosines and sines in `parts`, then rotate the tile to its next
   position. */
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

/* This struct holds sums over the pairs of a tile, for one anchor and one vector of values b. One
   struct is for the cosines, another for the sines. `large` is the sum of X X', `minor` that of
   X y', and `tiny` that of y x'. X and y belong to the anchor, and X', y' and x' belong to b. */
typedef struct pe__dots_partial {
    pe__vd large, minor, tiny;
} pe__dots_partial;

PE__INLINE void pe__dots_add(pe__dots_partial *partial, double (*parts)[PE__DOTS], size_t b,
                             double top, double y) /* in C99, parts cannot be const */
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

/* Add the products of a tile of `pairs` pairs to the sums of two anchors, sums[0] and sums[1].
   The parts of pair i for all b are in table[i], and those of the two anchors are in anchor[0] and
   anchor[1]. Each vector of the table is loaded once for both. The 12 sums of the inner loop do not
   depend on each other, so the processor computes them at the same time. */
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

/* Store upper bounds of an anchor's dot products in bounds[0] and lower bounds in bounds[1]. Both
   are multiplied by the square of plan->mantissa only; the caller multiplies by the square of
   plan->scale. `side` is 0 for the positions q + b, and 1 for q - b. */
PE__INLINE void pe__round_dots(const pe_plan *plan, const pe__dots_totals *sums, int side,
                               double error, double (*bounds)[PE__DOTS])
{
    const pe__vd square = pe__splat(plan->mantissa) * pe__splat(plan->mantissa);
    for (size_t b = 0; b < PE__DOTS; b += PE_LANES) {
        pe__vd low;
        const pe__vd high =
            pe__two_sum(pe__load(sums->large[side] + b), pe__load(sums->minor[side] + b), &low);
        const pe__vd e = (pe__splat(error) + pe__abs(high) * pe__splat(pe__exp2i(-98))) * square;
        const pe__dd y = pe__dot_scaled(plan, high, low);
        pe__store(bounds[0] + b, y.hi + (y.lo + e));
        pe__store(bounds[1] + b, y.hi + (y.lo - e));
    }
}

/* Write `count` dot products to out, for the differences first, first + 1 ... `count` is at most
   32 * 31. */
PE__OUTLINE void pe__dots(const pe_plan *plan, int64_t first, size_t count, double *out)
{
    const pe__axis *axis = plan->axis;
    const size_t pairs = axis->pairs, anchors = (count + PE__DOTS_NEXT - 1) / PE__DOTS_NEXT;
    const double h = (double)pairs;
    int g = 26; /* 2^-g: the finest grid on which the sum of all X X' is exact */
    while (h > pe__exp2i(52 - 2 * g)) g--;
    const double grid = 1.5 * pe__exp2i(52 - g); /* a double whose last bit is 2^-g */
    /* h (160 + h / 4) units of 2^-54-g, and for each pair the errors inherited from the sines and
       cosines of the anchor and of b */
    const double farthest = (double)(first < 0 ? -first : first) + (double)count;
    const double error =
        pe__exp2i(-54 - g) * h * (160 + h / 4) + 2 * h * pe__sincos_error(plan, farthest);
    double table[PE__DOTS_TILE][6][PE__DOTS];
    pe__dots_totals sums[PE__DOTS_ANCHORS + 1]; /* + 1: two at a time */
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
    for (size_t a = 0, index = 0; a < anchors; a++) {
        double side[2][2][PE__DOTS];
        pe__round_dots(plan, &sums[a], 0, error, side[0]);
        pe__round_dots(plan, &sums[a], 1, error, side[1]);
        for (size_t j = 0; j < PE__DOTS_NEXT && index < count; j++, index++) {
            const size_t back = j < PE__DOTS - 1, b = back ? PE__DOTS - 1 - j : j - (PE__DOTS - 1);
            const double above = side[back][0][b], below = side[back][1][b];
            out[index] = above == below ? above * plan->scale * plan->scale
                                        : pe__dot(plan, (double)(first + (int64_t)index));
        }
    }
}

PE_API pe_status pe_dot_f64(const pe_plan *plan, pe_at deltas, size_t count, double *dots)
{
    /* PE__DELTAS is the maximum of pe__dots(). Fewer than PE__FEW dot products are computed one by
       one, because pe__dots() computes the sums of two anchors, for 62 differences, even if fewer
       are needed. */
    enum { PE__DELTAS = PE__DOTS_ANCHORS * PE__DOTS_NEXT, PE__FEW = 8 };
    if (count == 0) return PE_OK;
    if (!plan || !dots) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (!pe__can_shift(plan) || plan->axes != 1) return PE_ERR_PLAN_SHIFT;
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

/* ==== src/scores/shape.h ==== */
/* Checks the shape of an array of attention scores. Tested by tests/unit/api/test_errors.c. */

/* Returns PE_ERR_SHAPE if rows of scores overlap, PE_ERR_SIZE if a pointer cannot span all rows,
   and else PE_OK. A row is the scores of all keys for one head and one query. heads, queries and
   keys are at least 1. Two orders are allowed: all rows of a head come before those of the next
   head, or all rows of a query come before those of the next query. */
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

/* ==== src/scores/alibi.h ==== */
/* Computes ALiBi's slopes, and its biases, which are stored or added to attention scores. Tested by
 * tests/unit/scores/test_alibi.c. */

/* ---- 10. ALiBi ----------------------------------------------------------------------------------
 * Let the distance j be the position of the key minus that of the query. If j is at most 0, the
 * bias is slope * j. If the key is after the query (j > 0), the bias is slope * j, -infinity or
 * slope * -j, as the mode says. A row is the biases of all keys for one query of one head.
 *
 * Biases in f32 are computed row by row, which takes no longer than their stores. Biases in 16 bits
 * must be rounded only once, which takes longer. But where keys and queries are consecutive, each
 * row is the row before, shifted by one key. So 16-bit biases are then computed once for many rows
 * and copied. Adding to 16-bit scores computes biases in f32. */

PE_API pe_status pe_alibi_slopes_f32(size_t heads, float max_bias, float *slopes)
{
    size_t n = 1;
    if (heads == 0) return PE_OK;
    if (!slopes) return PE_ERR_NULL;
    if (!pe__between((double)max_bias, 0, (double)FLT_MAX)) return PE_ERR_SLOPE;
    if (heads > (size_t)1 << 28) return PE_ERR_SIZE;
    while (n <= heads / 2) n *= 2;
    for (size_t first = 0; first < heads; first += PE_LANES) {
        double t[PE_LANES], hi[PE_LANES], lo[PE_LANES];
        /* The slope is 2^-t. t is exact: max_bias has at most 24 bits, the numerator 29. */
        for (size_t k = 0; k < PE_LANES; k++) {
            const size_t h = first + k, numerator = h < n ? 2 * (h + 1) : 2 * (h - n) + 1;
            const double exponent = (double)max_bias * (double)numerator / (double)(2 * n);
            t[k] = exponent < 200 ? exponent : 200; /* 2^-200 rounds to 0 */
        }
        const pe__vd rounded = pe__round(pe__load(t)), part = rounded - pe__load(t);
        const pe__td y = pe__td_exp2(pe__td_from_double(part));
        pe__store(t, rounded);
        pe__store(hi, y.a);
        pe__store(lo, y.b + y.c);
        /* 2^-t is exact for an integer t; for any other t it is irrational, so no midpoint */
        for (size_t k = 0; k < pe__min(PE_LANES, heads - first); k++)
            slopes[first + k] = pe__round_once(hi[k], lo[k], pe__exp2i(-(int)t[k]), PE__DROP_F32);
    }
    return PE_OK;
}

/* The slope line of a head gives its bias as a function of j = key - query. */
typedef struct pe__slope_line {
    /* `slope` is the factor of j or, if symmetric, of |j|. `zero` is +0, whose addition turns a
       bias of -0 into +0. `masked` is -infinity. All lanes of each are equal. */
    pe__vf slope, zero, masked;
    double slope_f64; /* the caller's slope; its sign is not changed in symmetric mode */
} pe__slope_line;

PE__INLINE pe__slope_line pe__slope_line_of(pe_alibi_mode mode, float slope)
{
    pe__slope_line line;
    line.zero = pe__splat_f32(pe__zero());
    line.slope = pe__splat_f32(mode == PE_ALIBI_SYMMETRIC ? -slope : slope);
    line.masked = pe__splat_f32(pe__float_of_bits(0xff800000u));
    line.slope_f64 = (double)slope;
    return line;
}

/* This array holds the distances of keys 0, 2, 4 ... of a vector from its first key. The distances
   of keys 1, 3, 5 ... are larger by 1. */
static const double pe__evens[8] = {0, 2, 4, 6, 8, 10, 12, 14};

/* Returns the biases slope * x and slope * y as floats, in the order x0 y0 x1 y1 ... The distances
   x and y may have more than 29 bits. A double may not hold a float times such a distance. So the
   product is rounded to odd as a double, and then correctly to float. If odd is set, the second
   rounding is also to odd, for a later rounding to 16 bits. A product in the range of subnormal
   floats is a multiple of 2^-149, as slope is, and therefore exact. */
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

/* Returns the biases at the distances j + offset[k] for k < PE__FLOATS, which may be so large that
   pe__round_biases() is needed. */
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

/* Returns the biases at the distances j as floats. Keys after the query are not masked. */
PE__INLINE pe__vf pe__slope_line_at(pe_alibi_mode mode, const pe__slope_line *line, pe__vf j)
{
    const pe__vf size = mode == PE_ALIBI_SYMMETRIC ? pe__abs_f32(j) : j;
    return pe__add_f32(pe__mul_f32(line->slope, size), line->zero); /* a zero is +0 */
}

/* These constants say whether biases are stored, stored with non-temporal stores, or added to
   elements. */
typedef enum pe__bias_mode { PE__BIAS_STORE, PE__BIAS_STREAM, PE__BIAS_ADD } pe__bias_mode;

/* Store or add the first n biases of v at address `place`. `j` holds the distances of the
   keys. If masked is not NULL, elements with j > 0 become *masked, whatever they were. */
PE__INLINE void pe__put_biases(pe__bias_mode to, pe_type type, const pe__vf *masked, pe__vf j,
                               pe__vf v, void *place, size_t n)
{
    const int is_full = n == PE__FLOATS;
    if (to == PE__BIAS_ADD)
        v = pe__add_f32(is_full ? pe__get_as(type, place) : pe__get_n_as(type, place, n), v);
    if (masked) v = pe__if_positive(j, *masked, v);
    if (!is_full) pe__put_n_as(type, place, v, n);
    else if (to == PE__BIAS_STREAM) pe__stream((float *)place, v);
    else pe__put_as(type, place, v);
}

/* Store or add the n biases of a row, whose keys are at the distances j, j + 1 ... No distance
   exceeds PE__FLOAT_INTEGERS in magnitude, so floats hold the distances exactly. The loop has four
   vectors of distances. With one vector, each iteration would wait for the addition of the one
   before. */
enum { PE__FLOAT_INTEGERS = 1 << 24 };
PE__INLINE void pe__write_bias_row(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
                                   const pe__slope_line *line, int64_t j, size_t n, void *row)
{
    static const float count[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    enum { PE__STEP = PE__FLOATS, PE__FOUR = 4 * PE__STEP };
    const size_t vector = sizeof(pe__vf), size = PE__STEP * pe__size_of(type);
    const pe__vf *const masked = mode == PE_ALIBI_CAUSAL ? &line->masked : NULL;
#define PE__PUT(j, k)                                                                              \
    pe__put_biases(to, type, masked, j, pe__slope_line_at(mode, line, j), place + (k) * size,      \
                   PE__STEP)
    for (size_t i = 0, part; i < n; i += part, j += (int64_t)part) {
        unsigned char *place = (unsigned char *)pe__at_element(type, row, i);
        const size_t beyond = to == PE__BIAS_STREAM ? (uintptr_t)place % vector : 0;
        const pe__vf step = pe__splat_f32(PE__STEP), four = pe__splat_f32(PE__FOUR);
        pe__vf a = pe__add_f32(pe__splat_f32((float)j), pe__get(count));
        /* The part has at most one vector. If biases are streamed, it ends at an aligned address or
           with the row. */
        part = pe__min(n - i, (vector - beyond) / sizeof(float));
        if (beyond || n - i < PE__FOUR) {
            pe__put_biases(to, type, masked, a, pe__slope_line_at(mode, line, a), place, part);
            continue;
        }
        pe__vf b = pe__add_f32(a, step), c = pe__add_f32(b, step), d = pe__add_f32(c, step);
        for (part = 0; part + PE__FOUR <= n - i; part += PE__FOUR, place += 4 * size) {
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

/* A tile holds n keys of a list, as offsets from the first key of the tile. Each offset is at most
   PE__MAX_KEY_OFFSET in magnitude. If the first key's distance is too, all distances are at most
   2^24, so that floats hold them exactly. */
enum { PE__KEYS = 512, PE__MAX_KEY_OFFSET = 1 << 23 };
typedef struct pe__key_tile {
    size_t n;
    float offset[(size_t)PE__KEYS + PE__FLOATS];
} pe__key_tile;

/* Load a tile from the `rest` keys that start at index `key`. Load at most PE__KEYS of them, and
   only those before the first key whose offset is beyond PE__MAX_KEY_OFFSET. Offsets are padded to
   whole vectors, with the first key's offset 0. If `split` is 1, each vector has its keys 0, 2, 4
   ... first, then its keys 1, 3, 5 ... */
PE__OUTLINE void pe__load_key_tile(pe__key_tile *keys, const pe_at *positions, size_t key,
                                   size_t rest, int split)
{
    double p[(size_t)PE__KEYS + PE__FLOATS];
    const size_t limit = pe__min(rest, PE__KEYS), lanes = PE_LANES;
    size_t n = 0;
    pe__positions(positions, key, limit, 0, p);
    const pe__vd first = pe__splat(p[0]);
    while (n < limit && fabs(p[n] - p[0]) <= (double)PE__MAX_KEY_OFFSET) n++;
    for (size_t k = 0; k < PE__FLOATS; k++) p[n + k] = p[0];
    for (size_t k = 0; k < n; k += PE__FLOATS) {
        pe__vd x = pe__load(p + k), y = pe__load(p + k + lanes);
        if (split) pe__unzip(p + k, &x, &y);
        pe__narrow(keys->offset + k, x - first);
        pe__narrow(keys->offset + k + lanes, y - first);
    }
    keys->n = n;
}

/* Store or add the biases of a tile of keys in one row. The tile's first key is at distance j. If
   |j| is above PE__MAX_KEY_OFFSET, floats may not hold the distances, and pe__round_biases_from()
   computes the biases. */
PE__INLINE void pe__write_bias_list(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
                                    const pe__slope_line *line, const pe__key_tile *keys, int64_t j,
                                    void *row)
{
    const int is_far = j < -PE__MAX_KEY_OFFSET || j > PE__MAX_KEY_OFFSET;
    const size_t n = keys->n, groups_end = PE__UNLIKELY(is_far) ? 0 : n - n % PE__FLOATS;
    const pe__vf first = pe__splat_f32((float)j);
    const pe__vf *const masked = mode == PE_ALIBI_CAUSAL ? &line->masked : NULL;
    size_t i = 0;
    for (; i < groups_end; i += PE__FLOATS) {
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

/* Write n 16-bit biases to row, correctly rounded. They are rounded to odd as floats, then to the
   type. `keys` is a tile that was loaded with split = 1, and its first key is at distance j. If
   `keys` is NULL, the keys are at distances j, j + 1 ... If all distances are at most 2^29, doubles
   hold the products exactly. If a distance may be larger, pe__round_biases() computes the
   biases. */
PE__INLINE void pe__write_bias_row_16(pe_type type, pe_alibi_mode mode, const pe__slope_line *line,
                                      const pe__key_tile *keys, int64_t j, size_t n, uint16_t *row)
{
    const int64_t margin = (int64_t)1 << 29, max_offset = PE__MAX_KEY_OFFSET;
    const int64_t extent = keys ? max_offset : (int64_t)n;
    const int is_far = j < max_offset - margin || j > margin - extent;
    const int masks = mode == PE_ALIBI_CAUSAL && j > -extent;
    const size_t lanes = PE_LANES;
    const pe__vd zero = pe__splat((double)pe__zero()), slope = pe__splat(line->slope_f64);
    const pe__vd first = pe__splat((double)j), step = pe__splat(PE__FLOATS);
    pe__vd x = pe__load(pe__evens) + first, y = x + pe__splat(1.0);
    for (size_t i = 0; i < n; i += PE__FLOATS, x = x + step, y = y + step) {
        const size_t count = pe__min(n - i, PE__FLOATS);
        if (keys) {
            x = pe__widen(keys->offset + i) + first;
            y = pe__widen(keys->offset + i + lanes) + first;
        }
        const int size = mode == PE_ALIBI_SYMMETRIC;
        /* v stays -infinity if all its keys are after the query, as in half of a causal square */
        pe__vf v = line->masked;
        if (keys || !masks || j + (int64_t)i <= 0) {
            const pe__vd a = size ? -pe__abs(x) : x, b = size ? -pe__abs(y) : y;
            v = pe__zip_odd(slope * a + zero, slope * b + zero); /* exact products; zeros are +0 */
            if (PE__UNLIKELY(is_far)) v = pe__round_biases(line->slope_f64, a, b, 1);
            if (masks) v = pe__if_positive(pe__zip(x, y), line->masked, v);
        }
        if (count == PE__FLOATS) pe__put_as(type, row + i, v);
        else pe__put_n_as(type, row + i, v, count);
    }
}

/* This struct holds the type T of a call of pe_alibi_fill_T or pe_alibi_add_T, and all its
   arguments except the array that is written. */
typedef struct pe__alibi {
    const float *slopes;
    size_t heads, queries, keys, query_stride, head_stride;
    pe_alibi_mode mode;
    pe_type type;
    const pe_at *query_at, *key_at;
} pe__alibi;

/* Store or add the biases of all heads and queries for a tile of keys that begins with the key at
   index `key`. If keys is NULL, do so for all keys, which are then consecutive. If queries are
   consecutive, the slope of a head is loaded once for all its rows. A load between rows would stall
   because of 4K aliasing. A load waits for an earlier store whose address has the same last 12
   bits. Among the stores of a few rows, every value of these bits occurs. */
PE__INLINE void pe__alibi_rows_of(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
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
            const size_t offset = head * across + query * down + key;
            for (size_t r = 0; r < run; r++) {
                void *const row = pe__at_element(type, out, offset + r * down);
                const int64_t j = nearest - (int64_t)r;
                if (keys) pe__write_bias_list(to, type, mode, &line, keys, j, row);
                else pe__write_bias_row(to, type, mode, &line, j, n, row);
            }
        }
    }
}

/* Returns 1 if the keys are consecutive, there are at most PE__FLOAT_INTEGERS / 2 of them, and all
   distances are at most PE__FLOAT_INTEGERS in magnitude. These include the distances in the last
   vector of a row that are beyond its end. If the queries are consecutive, those of the first and
   the last one bound all others. */
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
PE__INLINE void pe__alibi_rows_as(pe__bias_mode to, pe_type type, pe_alibi_mode mode,
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
PE__INLINE void pe__alibi_rows(pe__bias_mode to, pe_type type, const pe__alibi *a, void *out)
{
    if (a->mode == PE_ALIBI_LINEAR) pe__alibi_rows_as(to, type, PE_ALIBI_LINEAR, a, out);
    else if (a->mode == PE_ALIBI_CAUSAL) pe__alibi_rows_as(to, type, PE_ALIBI_CAUSAL, a, out);
    else pe__alibi_rows_as(to, type, PE_ALIBI_SYMMETRIC, a, out);
}

/* Copy n biases from the array `tile` to each of `rows` rows, which are `step` elements apart. The
   last row gets tile[0], tile[1] ..., the row before it tile[1], tile[2] ..., and so on. Stores are
   non-temporal if `stream` is set. */
PE__OUTLINE void pe__copy_down(uint16_t *row, size_t step, const uint16_t *tile, size_t rows,
                               size_t n, int stream)
{
    for (size_t k = 0; k < rows; k++) pe__copy(row + k * step, tile + rows - 1 - k, 2 * n, stream);
}

/* Write the rows of all heads in 16 bits. Biases are computed in the array `tile` and copied to the
   rows. If keys and queries are consecutive, one computation serves as many rows as `tile` has room
   for, since each row is the one before, shifted by one key. Otherwise it serves one row. */
PE__INLINE void pe__alibi_rows_16(pe_type type, const pe__alibi *a, void *out, int stream)
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
                /* the tile begins with the first bias of the last row */
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

/* Fill the array `bias`. If the biases have PE_STREAM_BYTES or more and bias is aligned as its
   type, stores are non-temporal. F32 biases for which pe__alibi_is_consecutive() returns 0 always
   use ordinary stores. */
PE__OUTLINE void pe__alibi_fill(const pe__alibi *a, void *bias)
{
    const size_t size = pe__size_of(a->type), many = PE_STREAM_BYTES;
    const int stream =
        a->heads * a->queries * a->keys * size >= many && (uintptr_t)bias % size == 0;
    if (a->type == PE_TYPE_F16) pe__alibi_rows_16(PE_TYPE_F16, a, bias, stream);
    else if (a->type == PE_TYPE_BF16) pe__alibi_rows_16(PE_TYPE_BF16, a, bias, stream);
    else if (stream) pe__alibi_rows(PE__BIAS_STREAM, PE_TYPE_F32, a, bias);
    else pe__alibi_rows(PE__BIAS_STORE, PE_TYPE_F32, a, bias);
    if (stream) pe__fence();
}

PE__OUTLINE void pe__alibi_add(const pe__alibi *a, void *scores)
{
    if (a->type == PE_TYPE_F32) pe__alibi_rows(PE__BIAS_ADD, PE_TYPE_F32, a, scores);
    else if (a->type == PE_TYPE_F16) pe__alibi_rows(PE__BIAS_ADD, PE_TYPE_F16, a, scores);
    else pe__alibi_rows(PE__BIAS_ADD, PE_TYPE_BF16, a, scores);
}

/* Check the arguments of a call, then call verb, which is pe__alibi_fill() or pe__alibi_add().
   Returns PE_OK or the error. If there is nothing to write, returns PE_OK without any check. */
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
        if (!pe__magnitude_between((double)a->slopes[i], 0, (double)FLT_MAX)) status = PE_ERR_SLOPE;
    if (status == PE_OK) verb(a, x);
    return status;
}

/* ==== src/scores/bias.h ==== */
/* Computes T5's buckets, and adds to each attention score the learned bias that an index selects.
 * Tested by tests/unit/learned/test_learned.c. */

/* ---- 11. learned biases on attention scores -------------------------------------------------- */

/* T5 divides distances into n buckets. Each distance below m = floor(n / 2) has its own bucket.
   Bucket b >= m begins at m (max_distance / m)^((b - m) / (n - m)), rounded up to an integer. The
   element begin[b - m] is that integer. The array `begin` is computed in groups of PE__T5_SOME
   elements. Each group is computed when a search first needs it, so a call for one element does not
   compute all. */
enum { PE__T5_MOST = 1024, PE__T5_SOME = 8 };
typedef struct pe__t5 {
    size_t n, m;
    double max_distance;
    double begin[PE__T5_MOST];
    unsigned char made[PE__T5_MOST / PE__T5_SOME]; /* [i]: 1 if group i of begin is computed */
    pe__td log;                                    /* log2(max_distance / m), if has_log is 1 */
    int has_log;
} pe__t5;

/* Compute the group of `begin` at index `group`: PE__T5_SOME elements, starting at begin[group *
   PE__T5_SOME]. The first call also computes the logarithm. A bucket's bound m (max_distance /
   m)^(...) is below 2^31, and is computed with a relative error of 2^-104, that is, an error below
   2^-73. The exact bound is a root of an integer, so it is an integer or irrational. There are
   about 2^50 different bounds, and no irrational bound is expected within 2^-70 of an integer. So a
   bound within 2^-70 of an integer is taken for that integer. */
PE__COLD void pe__t5_compute_start(pe__t5 *t, size_t group)
{
    const pe__vd of_m = pe__splat((double)t->m), steps = pe__splat((double)(t->n - t->m));
    double *const begin = t->begin + group * PE__T5_SOME;
    if (!t->has_log) t->log = pe__td_log2(pe__td_div_double(pe__td_splat(t->max_distance), of_m));
    t->has_log = t->made[group] = 1;
    for (size_t b = 0; b < PE__T5_SOME; b += PE_LANES) {
        double step[PE_LANES], a[PE_LANES], rest[PE_LANES];
        /* Elements after the last bucket repeat its step, because the powers of larger steps may be
           too large to convert to integers. */
        for (size_t k = 0; k < PE_LANES; k++)
            step[k] = (double)pe__min(group * PE__T5_SOME + b + k, t->n - t->m - 1);
        const pe__td power =
            pe__td_exp2(pe__td_div_double(pe__td_mul_double(t->log, pe__load(step)), steps));
        const pe__td d = pe__td_mul_double(power, of_m);
        pe__store(a, d.a);
        pe__store(rest, d.b + d.c);
        for (size_t k = 0; k < PE_LANES; k++) {
            const double rounded = pe__round_to_integer(a[k]), off = a[k] - rounded + rest[k];
            begin[b + k] = off > pe__exp2i(-70) ? rounded + 1 : rounded;
        }
    }
}
/* Returns begin[group * PE__T5_SOME], and computes it first if no call has yet. */
PE__INLINE double pe__t5_bucket_start(pe__t5 *t, size_t group)
{
    if (PE__UNLIKELY(!t->made[group])) pe__t5_compute_start(t, group);
    return t->begin[group * PE__T5_SOME];
}

/* Returns the bucket of the distance `size`, which is at least m, using bisection. Sets *from <=
   size and *to > size so that every distance in [*from, *to) is in this bucket. */
PE__OUTLINE size_t pe__t5_bucket(pe__t5 *t, double size, double *from, double *to)
{
    const size_t count = t->n - t->m;
    size_t low = 0, high = (count + PE__T5_SOME - 1) / PE__T5_SOME;
    *to = 1e300;                   /* above all distances */
    if (size >= t->max_distance) { /* the last bucket */
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

/* Write to index the buckets of the keys for one query. `after` is added to the bucket of a key
   after the query. If `after` is 0, keys after the query are in bucket 0. The variables `from` and
   `to` hold a range of distances that have the bucket of the key before, because the next key is
   usually in the same bucket. */
PE__INLINE void pe__t5_row(pe__t5 *t, size_t after, double query, const double *key, size_t keys,
                           int32_t *index)
{
    double from = 0, to = 0; /* an empty range at first */
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
    if (buckets < 2 || buckets > PE__T5_MOST || (bidirectional && (buckets < 4 || buckets % 2)) ||
        max_distance <= t.m || max_distance > (size_t)pe__position_limit)
        return PE_ERR_BUCKETS;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index)) return PE_ERR_SIZE;
    pe_status status = pe__check_integers(&query_at, queries);
    if (status == PE_OK) status = pe__check_integers(&key_at, keys);
    if (status != PE_OK) return status;
    t.has_log = 0;
    memset(t.made, 0, sizeof t.made);
    for (size_t i = 0, count; i < keys; i += count) {
        count = pe__min(keys - i, PE__BUFFER);
        pe__positions(&key_at, i, count, 0, key);
        for (size_t q = 0; q < queries; q++)
            pe__t5_row(&t, bidirectional ? t.n : 0, (double)pe__integer_position(&query_at, q), key,
                       count, index + q * keys + i);
    }
    return PE_OK;
}

/* This struct describes attention scores of shape [heads][queries][keys]. The strides are in
   elements. */
typedef struct pe__scores {
    void *scores;
    size_t heads, queries, keys, query_stride, head_stride;
} pe__scores;

/* Check all arguments, then add the biases to the scores. Return PE_OK or the error. Before each
   addition the biases of up to PE__MOST keys are collected in a buffer, because the entries of the
   table for one head are `heads` floats apart. */
PE__INLINE pe_status pe__bias_add(pe_type type, const float *table, size_t entries,
                                  const int32_t *index, const pe__scores *x)
{
    const size_t heads = x->heads, queries = x->queries, keys = x->keys;
    void *const scores = x->scores;
    enum { PE__MOST = 256 };
    float biases[PE__MOST];
    int ok = 1;
    if (heads == 0 || queries == 0 || keys == 0) return PE_OK;
    if (!table || !index || !scores) return PE_ERR_NULL;
    pe_status status =
        pe__scores_shape(heads, queries, keys, pe__size_of(type), x->query_stride, x->head_stride);
    if (status != PE_OK) return status;
    if (pe__exceeds(queries, keys, PTRDIFF_MAX / sizeof *index) ||
        pe__exceeds(entries, heads, PTRDIFF_MAX / sizeof *table))
        return PE_ERR_SIZE;
    for (size_t i = 0; i < queries * keys; i++) ok &= index[i] >= 0 && (size_t)index[i] < entries;
    if (!ok) return PE_ERR_INDEX;
    for (size_t h = 0; h < heads; h++)
        for (size_t q = 0; q < queries; q++)
            for (size_t k = 0, n; k < keys; k += n) {
                n = pe__min(keys - k, PE__MOST);
                for (size_t i = 0; i < n; i++)
                    biases[i] = table[(size_t)index[q * keys + k + i] * heads + h];
                const size_t offset = h * x->head_stride + q * x->query_stride + k;
                pe__add_row_floats(type, pe__at_element(type, scores, offset), biases, n);
            }
    return PE_OK;
}

/* ==== src/learned/add.h ==== */
/* Adds rows of a learned table to activations, and the activations' gradient to the table's.
 * Tested by tests/unit/learned/test_learned.c. */

/* ---- 12.1 learned tables --------------------------------------------------------------------- */

/* Check the shapes and the positions. Each position must be the index of a row of the table. Return
   PE_OK or the error. */
static inline pe_status pe__check_learned(const pe_at *positions, size_t rows, size_t table_rows,
                                          size_t d_model, size_t stride, size_t element)
{
    const double limit = (double)pe__position_limit, all = (double)table_rows - 1;
    /* |p - half| <= half means 0 <= p <= 2 half. half is exact. For a table without rows it is
       negative, so every p is refused. */
    const double half = (all < limit ? all : limit) / 2;
    if (d_model == 0) return PE_ERR_EMPTY;
    pe_status status = pe__check_shape(d_model, rows, stride, element);
    if (status == PE_OK) status = pe__check_shape(d_model, table_rows, d_model, element);
    if (status == PE_OK) status = pe__check_positions(positions, rows, 1, -half, -half, half);
    const int real = positions->kind == PE__AT_F32 || positions->kind == PE__AT_F64;
    for (size_t r = 0; real && status == PE_OK && r < rows; r++) {
        const double p = pe__position(positions, r, 0);
        if (p != (double)(int64_t)p) status = PE_ERR_RANGE;
    }
    return status;
}

/* This struct holds a table and activations x, or the gradients of the two. Both have rows of
   d_model elements. The table's rows are packed; `stride` is the number of elements from row to row
   of x. */
typedef struct pe__learned {
    const void *table, *x;
    size_t table_rows, d_model, stride;
} pe__learned;

/* Check all arguments, then add rows in their order. The position of row r of x is the index of a
   row of the table. If grad is 0, add this row to row r of x. If grad is 1, add row r of x to it.
   Return PE_OK or the error. */
PE__INLINE pe_status pe__learned_add(pe_type type, int grad, const pe__learned *l,
                                     const pe_at *positions, size_t rows)
{
    const size_t d_model = l->d_model;
    const void *const table = l->table, *const x = l->x;
    if (rows == 0) return PE_OK;
    if (!table || !x) return PE_ERR_NULL;
    const pe_status status =
        pe__check_learned(positions, rows, l->table_rows, d_model, l->stride, pe__size_of(type));
    for (size_t r = 0, n; status == PE_OK && r < rows; r += n) {
        double p[PE__POSITIONS];
        /* from[k] is the number of elements before the table row for row r + k of the call. All are
           computed first, so that no addition waits for one. */
        size_t from[PE__POSITIONS];
        n = pe__min(rows - r, PE__POSITIONS);
        pe__positions(positions, r, n, 0, p);
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

PE_API pe_status pe_learned_grad_f32(float *grad_table, size_t table_rows, size_t d_model,
                                     pe_at positions, size_t rows, const float *grad_x,
                                     size_t stride)
{
    const pe__learned l = {grad_table, grad_x, table_rows, d_model, stride};
    return pe__learned_add(PE_TYPE_F32, 1, &l, &positions, rows);
}

/* ==== src/learned/resample.h ==== */
/* This file defines the functions that resample learned tables to another size. Tested by
 * tests/unit/learned/test_learned.c and tests/unit/plan/test_models.c. */

/* ---- 12.2 learned tables, resampled ---------------------------------------------------------- */

/* A tap is a row of the table and its weight in an output row. This struct holds the taps of an
   output row along one axis: the rows first, first + 1 ... and their weights. Without antialias
   there are 4 taps. With antialias there are up to PE__TAPS: it allows up to PE__SHRINK rows per
   output row, and the cubic filter then reaches 2 * PE__SHRINK rows to each side. Sums leave out
   taps of weight 0, since 0 * infinity is not 0. */
enum { PE__SHRINK = 256, PE__TAPS = 4 * PE__SHRINK + 2 };
typedef struct pe__taps {
    int64_t first;      /* row of tap 0; may be beyond an end of the table: see pe__tap_row() */
    size_t count, rows; /* `count` is the number of taps, `rows` that of the table's rows */
    double weight[PE__TAPS];
} pe__taps;

/* This struct says where an output row is among the table's rows. It is at row + behind /
   denominator, which is also row + 1 - ahead / denominator. The row may be -1 or beyond the end.
   Unless a scale is used, behind, ahead and denominator are integers, so that a distance of 1 is
   computed as exactly 1. */
typedef struct pe__spot {
    int64_t row;
    double behind, ahead, denominator;
} pe__spot;

/* Returns q^2 (1 + t - (a + 2) t^2) for t = p / q and v = q - p, computed as v (q + 2p) - a p^2,
   which is the same. If p, v and q are integers of at most 2^32, both terms are exact: a p^2 takes
   53 + 64 = 117 bits, and a triple-double has about 156. The difference is rounded to double. */
PE__COLD double pe__keys_cubic_near_root(double a, double p, double v, double q)
{
    const pe__vd numerator = pe__splat(p);
    const pe__td left = pe__td_mul_double(pe__td_splat(v), pe__splat(q + 2 * p));
    const pe__td right =
        pe__td_mul_double(pe__td_mul_double(pe__td_splat(a), numerator), numerator);
    return pe__first_lane(pe__td_sub(left, right).a);
}

/* Returns 1 + t - (a + 2) t^2 for t = p / q within 0 ... 1 and v = q - p. For every a >= 0 this
   polynomial has a root, near which its terms cancel. Where its magnitude is below 0.25,
   pe__keys_cubic_near_root() computes it, so that it is exactly 0 at the root. */
PE__INLINE double pe__keys_cubic(double a, double p, double v, double q)
{
    const double t = p / q, y = (1 + t) - pe__double_product((a + 2) * t, t);
    return PE__UNLIKELY(fabs(y) < 0.25) ? pe__keys_cubic_near_root(a, p, v, q) / q / q : y;
}

/* Let t = p / q and u = 1 - t = v / q. Write to weight[0] ... weight[3] the weights of the rows at
   distances 1 + t, t, u and 1 + u from the output row. */
PE__INLINE void pe__weights(const pe_resample *how, double p, double v, double q, double *weight)
{
    const double a = how->a, t = p / q, u = v / q;
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    weight[0] = cubic ? a * t * u * u : 0;
    weight[1] = cubic ? u * pe__keys_cubic(a, p, v, q) : u;
    weight[2] = cubic ? t * pe__keys_cubic(a, v, p, q) : t;
    weight[3] = cubic ? a * u * t * t : 0;
}

/* Returns the number of rows of the table per output row: 1 / scale, or rows / out_rows if scale is
   0. */
PE__INLINE double pe__shrink_factor(double scale, size_t rows, size_t out_rows)
{
    return scale > 0 ? 1 / scale : (double)rows / (double)out_rows;
}

/* Write to taps the taps of the output row at s with antialias: the table's rows in reach of the
   filter. The caller has set taps->rows. Distances are in units of 1 / s->denominator; q is the
   distance to which the filter's distance 1 is widened. The weight of a row at distance p is the
   filter at p / q, divided by the sum of the weights of all taps. If this sum is 0 or too small,
   the only tap is the row nearest to s. */
PE__COLD void pe__wide_taps(const pe_resample *how, const pe__spot *s, double q, pe__taps *taps)
{
    const double reach = how->method == PE_RESAMPLE_CUBIC ? 2 * q : q;
    int64_t k = (int64_t)ceil((s->behind - reach) / s->denominator);
    double sum = 0, size = 0, weight[4];
    k = s->row + k < 0 ? -s->row : k;
    taps->first = s->row + k;
    taps->count = 0;
    for (; s->row + k < (int64_t)taps->rows; k++) {
        double p = (double)k * s->denominator - s->behind;
        if (p >= reach) break;
        const int outer = fabs(p) >= q;
        p = outer ? fabs(p) - q : fabs(p);
        pe__weights(how, p, q - p, q, weight);
        sum += taps->weight[taps->count] = p < q ? weight[outer ? 0 : 1] : 0;
        size += fabs(taps->weight[taps->count++]);
    }
    if (fabs(sum) <= size * pe__exp2i(-44)) { /* no row in reach, or the weights cancel */
        taps->first = s->row + (s->behind >= s->ahead);
        taps->count = 1;
        taps->weight[0] = sum = 1;
    }
    for (k = 0; k < (int64_t)taps->count; k++) taps->weight[k] /= sum;
}

/* Returns where output row i is among the table's rows. All integers fit int64_t, because rows and
   out_rows are at most 2^31. */
PE__INLINE pe__spot pe__spot_of(const pe_resample *how, double scale, size_t i, size_t rows,
                                size_t out_rows)
{
    /* numerator / denominator is the s of the contract, at least -1/2 */
    const int64_t m = (int64_t)out_rows, n = (int64_t)rows;
    int64_t numerator = (2 * (int64_t)i + 1) * n - m, denominator = 2 * m;
    pe__spot spot;
    if (how->align_corners) {
        numerator = m > 1 ? (int64_t)i * (n - 1) : 0;
        denominator = m > 1 ? m - 1 : 1;
    } else if (scale > 0) {
        double s = ((double)i + 0.5) / scale;
        PE__OPAQUE(s); /* the subtraction of 0.5 must not be fused with it */
        s -= 0.5;
        spot.row = (int64_t)floor(s);
        spot.behind = s - (double)spot.row;
        spot.ahead = 1 - spot.behind;
        spot.denominator = 1;
        return spot;
    }
    spot.row = numerator < 0 ? -1 : numerator / denominator;
    const int64_t rest = numerator - spot.row * denominator;
    spot.behind = (double)rest;
    spot.ahead = (double)(denominator - rest);
    spot.denominator = (double)denominator;
    return spot;
}

/* Write to taps the taps of output row i along an axis, on which the table has `rows` rows. */
PE__INLINE void pe__taps_of(const pe_resample *how, double scale, size_t i, size_t rows,
                            size_t out_rows, pe__taps *taps)
{
    const pe__spot s = pe__spot_of(how, scale, i, rows, out_rows);
    taps->rows = rows;
    if (how->antialias) { /* fit: if no scale is given, r * s.denominator as an exact integer */
        const double fit = 2 * (double)pe__max(rows, out_rows);
        const double r = pe__shrink_factor(scale, rows, out_rows);
        pe__wide_taps(how, &s, scale > 0 ? (r > 1 ? r : 1) : fit, taps);
        return;
    }
    taps->count = 4;
    taps->first = s.row - 1;
    pe__weights(how, s.behind, s.ahead, s.denominator, taps->weight);
}

/* Returns the row of tap k, or the row at the end of the table if tap k lies beyond the end. */
PE__INLINE size_t pe__tap_row(const pe__taps *taps, size_t k)
{
    const int64_t row = taps->first + (int64_t)k, last = (int64_t)taps->rows - 1;
    return row < 0 ? 0 : (size_t)(row < last ? row : last);
}

/* Write to out the d_model floats of one output cell. For each tap of `down` (along the height) and
   each tap of `across` (along the width), the table's float there is multiplied by both weights.
   The sum of these products is computed in double, in the order of the taps, and rounded once to
   float. It begins with -0, so that a copied -0 stays -0. */
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

/* Returns 1 if the scale of an axis is 0 or 2^-20 ... 2^20, and antialias is possible if it is set.
   Antialias is possible without align_corners, and with at most PE__SHRINK rows per output row. */
PE__INLINE int pe__scale_ok(const pe_resample *how, double scale, size_t rows, size_t out_rows)
{
    if (!pe__is_zero(scale) && !pe__between(scale, pe__exp2i(-20), pe__exp2i(20))) return 0;
    return !how->antialias ||
           (!how->align_corners && pe__shrink_factor(scale, rows, out_rows) <= (double)PE__SHRINK);
}

/* Check the sizes and the fields of *how. Return PE_OK or the error. */
static inline pe_status pe__check_resample(size_t height, size_t width, size_t d_model,
                                           const pe_resample *how, size_t out_height,
                                           size_t out_width)
{
    const uint64_t maximum = (uint64_t)1 << 31;
    const size_t room = (size_t)PTRDIFF_MAX / sizeof(float);
    const int cubic = how->method == PE_RESAMPLE_CUBIC;
    if (d_model == 0 || height == 0 || width == 0) return PE_ERR_EMPTY;
    if (how->method != PE_RESAMPLE_LINEAR && !cubic) return PE_ERR_ENUM;
    if (cubic && !pe__between(how->a, -16, 16)) return PE_ERR_RESAMPLE;
    if (height > maximum || width > maximum || out_height > maximum || out_width > maximum ||
        d_model > room / height / width || d_model > room / out_height / out_width)
        return PE_ERR_SIZE;
    const int ok = pe__scale_ok(how, how->scale_y, height, out_height) &&
                   pe__scale_ok(how, how->scale_x, width, out_width);
    return ok ? PE_OK : PE_ERR_RESAMPLE;
}

PE_API pe_status pe_learned_resample_f32(const float *table, size_t height, size_t width,
                                         size_t d_model, const pe_resample *how, float *out,
                                         size_t out_height, size_t out_width)
{
    static const pe_resample usual = {PE_RESAMPLE_CUBIC, -0.75, 0, 0, 0, 0};
    if (out_height == 0 || out_width == 0) return PE_OK;
    if (!table || !out) return PE_ERR_NULL;
    if (!how) how = &usual;
    const pe_status status = pe__check_resample(height, width, d_model, how, out_height, out_width);
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

/* ==== src/calls/each_type.h ==== */
/* Defines, with macros, functions that exist for each type of element. Some are public, and others
 * are called by the public functions of calls/inlined.h. Tested by tests/checks/api.sh. */

/* ---- 13. the functions of each type -------------------------------------------------------------
 * The types are float, uint16_t for f16 and bf16, and for fill, add and add_batch also double.
 * Functions whose names begin with pe__call_ are called by the public functions of calls/inlined.h.
 * Those that begin with pe_ are public themselves. */

/* Returns a scale as a double. There are two functions because -Wdouble-promotion demands a cast
   for floats, and -Wuseless-cast forbids one for doubles. */
PE__INLINE double pe__of_float(float scale) { return (double)scale; }
PE__INLINE double pe__of_double(double scale) { return scale; }

/* Define pe__call_fill_T, pe__call_add_T and pe_add_batch_T. `number` is the type of a scale.
   `batch_kernel` is the row kernel that fills the buffer of rows, which are then added to all
   batches. The rows in the buffer are floats, also for f16 and bf16. */
PE__OUTLINE pe_status pe__call_fill_f32(const pe_plan *plan, const pe_at *positions, size_t rows,
                                        float *out, size_t stride)
{
    pe__output output =
        pe__output_of(out, sizeof *out, rows, stride, PE__STORE, 1, pe__fill_kernel_f32());
    return pe__call_rows(plan, positions, &output);
}

PE__OUTLINE pe_status pe__call_add_f32(const pe_plan *plan, const pe_at *positions, size_t rows,
                                       float scale, float *x, size_t stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_float(scale),
                                      pe__add_kernel_f32());
    return pe__call_rows(plan, positions, &output);
}

PE_API pe_status pe_add_batch_f32(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  float scale, float *x, size_t stride, size_t batch_stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_float(scale),
                                      pe__add_kernel_f32());
    pe__batches all = {batches, 0, pe__fill_kernel_f32(), pe__add_some_f32};
    return pe__call_batch(plan, &positions, batch_stride, &output, &all);
}

PE__OUTLINE pe_status pe__call_fill_f16(const pe_plan *plan, const pe_at *positions, size_t rows,
                                        uint16_t *out, size_t stride)
{
    pe__output output =
        pe__output_of(out, sizeof *out, rows, stride, PE__STORE, 1, pe__fill_kernel_f16());
    return pe__call_rows(plan, positions, &output);
}

PE__OUTLINE pe_status pe__call_add_f16(const pe_plan *plan, const pe_at *positions, size_t rows,
                                       float scale, uint16_t *x, size_t stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_float(scale),
                                      pe__add_kernel_f16());
    return pe__call_rows(plan, positions, &output);
}

PE_API pe_status pe_add_batch_f16(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  float scale, uint16_t *x, size_t stride, size_t batch_stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_float(scale),
                                      pe__add_kernel_f16());
    pe__batches all = {batches, 0, pe__fill_kernel_f32(), pe__add_some_f16};
    return pe__call_batch(plan, &positions, batch_stride, &output, &all);
}

PE__OUTLINE pe_status pe__call_fill_bf16(const pe_plan *plan, const pe_at *positions, size_t rows,
                                         uint16_t *out, size_t stride)
{
    pe__output output =
        pe__output_of(out, sizeof *out, rows, stride, PE__STORE, 1, pe__fill_kernel_bf16());
    return pe__call_rows(plan, positions, &output);
}

PE__OUTLINE pe_status pe__call_add_bf16(const pe_plan *plan, const pe_at *positions, size_t rows,
                                        float scale, uint16_t *x, size_t stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_float(scale),
                                      pe__add_kernel_bf16());
    return pe__call_rows(plan, positions, &output);
}

PE_API pe_status pe_add_batch_bf16(const pe_plan *plan, pe_at positions, size_t rows,
                                   size_t batches, float scale, uint16_t *x, size_t stride,
                                   size_t batch_stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_float(scale),
                                      pe__add_kernel_bf16());
    pe__batches all = {batches, 0, pe__fill_kernel_f32(), pe__add_some_bf16};
    return pe__call_batch(plan, &positions, batch_stride, &output, &all);
}

PE__OUTLINE pe_status pe__call_fill_f64(const pe_plan *plan, const pe_at *positions, size_t rows,
                                        double *out, size_t stride)
{
    pe__output output =
        pe__output_of(out, sizeof *out, rows, stride, PE__STORE, 1, pe__fill_kernel_f64());
    return pe__call_rows(plan, positions, &output);
}

PE__OUTLINE pe_status pe__call_add_f64(const pe_plan *plan, const pe_at *positions, size_t rows,
                                       double scale, double *x, size_t stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_double(scale),
                                      pe__add_kernel_f64());
    return pe__call_rows(plan, positions, &output);
}

PE_API pe_status pe_add_batch_f64(const pe_plan *plan, pe_at positions, size_t rows, size_t batches,
                                  double scale, double *x, size_t stride, size_t batch_stride)
{
    pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__ADD, pe__of_double(scale),
                                      pe__add_kernel_f64());
    pe__batches all = {batches, 0, pe__fill_kernel_f64(), pe__add_some_f64};
    return pe__call_batch(plan, &positions, batch_stride, &output, &all);
}

/* Define pe__call_rope_to_T, which rotates tokens from an array of type `element` to an array of
   type `to`. */

/* Define the functions for shifts, rotation in place, RoPE's tables, and the addition of biases and
   of learned tables. */
PE_API pe_status pe_shift_f32(const pe_plan *plan, pe_at deltas, size_t rows, float *x,
                              size_t stride)
{
    const pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__STORE, 1, NULL);
    return pe__call_shift(plan, &deltas, &output, pe__rotate_heads_f32,
                          pe__rotate_heads_f32_sections);
}

PE__OUTLINE pe_status pe__call_rope_f32(const pe_plan *plan, const pe_at *positions,
                                        pe__rope_call *call)
{
    pe__set_types(call, sizeof(float), sizeof(float), pe__rotate_heads_f32,
                  pe__rotate_heads_f32_sections);
    return pe__rope_by_plan(plan, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_table_f32(const pe_plan *plan, const pe_at *positions,
                                              const pe_rope_table *table, pe_rope_table *made)
{
    void *const out = (void *)(uintptr_t)table->cosines;
    pe__output output = pe__output_of(out, sizeof(float), table->rows, table->stride, PE__STORE, 1,
                                      pe__fill_kernel_f32());
    return pe__write_rope_table(plan, positions, &output, pe__table_kernel_f32(), table, made);
}

PE_API pe_status pe_bias_add_f32(const float *table, size_t entries, size_t heads,
                                 const int32_t *index, size_t queries, size_t keys, float *scores,
                                 size_t query_stride, size_t head_stride)
{
    const pe__scores x = {scores, heads, queries, keys, query_stride, head_stride};
    return pe__bias_add(PE_TYPE_F32, table, entries, index, &x);
}

PE_API pe_status pe_learned_add_f32(const float *table, size_t table_rows, size_t d_model,
                                    pe_at positions, size_t rows, float *x, size_t stride)
{
    const pe__learned l = {table, x, table_rows, d_model, stride};
    return pe__learned_add(PE_TYPE_F32, 0, &l, &positions, rows);
}

PE_API pe_status pe_shift_f16(const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x,
                              size_t stride)
{
    const pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__STORE, 1, NULL);
    return pe__call_shift(plan, &deltas, &output, pe__rotate_heads_f16,
                          pe__rotate_heads_f16_sections);
}

PE__OUTLINE pe_status pe__call_rope_f16(const pe_plan *plan, const pe_at *positions,
                                        pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_f16,
                  pe__rotate_heads_f16_sections);
    return pe__rope_by_plan(plan, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_table_f16(const pe_plan *plan, const pe_at *positions,
                                              const pe_rope_table *table, pe_rope_table *made)
{
    void *const out = (void *)(uintptr_t)table->cosines;
    pe__output output = pe__output_of(out, sizeof(uint16_t), table->rows, table->stride, PE__STORE,
                                      1, pe__fill_kernel_f16());
    return pe__write_rope_table(plan, positions, &output, pe__table_kernel_f16(), table, made);
}

PE_API pe_status pe_bias_add_f16(const float *table, size_t entries, size_t heads,
                                 const int32_t *index, size_t queries, size_t keys,
                                 uint16_t *scores, size_t query_stride, size_t head_stride)
{
    const pe__scores x = {scores, heads, queries, keys, query_stride, head_stride};
    return pe__bias_add(PE_TYPE_F16, table, entries, index, &x);
}

PE_API pe_status pe_learned_add_f16(const uint16_t *table, size_t table_rows, size_t d_model,
                                    pe_at positions, size_t rows, uint16_t *x, size_t stride)
{
    const pe__learned l = {table, x, table_rows, d_model, stride};
    return pe__learned_add(PE_TYPE_F16, 0, &l, &positions, rows);
}

PE_API pe_status pe_shift_bf16(const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x,
                               size_t stride)
{
    const pe__output output = pe__output_of(x, sizeof *x, rows, stride, PE__STORE, 1, NULL);
    return pe__call_shift(plan, &deltas, &output, pe__rotate_heads_bf16,
                          pe__rotate_heads_bf16_sections);
}

PE__OUTLINE pe_status pe__call_rope_bf16(const pe_plan *plan, const pe_at *positions,
                                         pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_bf16,
                  pe__rotate_heads_bf16_sections);
    return pe__rope_by_plan(plan, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_table_bf16(const pe_plan *plan, const pe_at *positions,
                                               const pe_rope_table *table, pe_rope_table *made)
{
    void *const out = (void *)(uintptr_t)table->cosines;
    pe__output output = pe__output_of(out, sizeof(uint16_t), table->rows, table->stride, PE__STORE,
                                      1, pe__fill_kernel_bf16());
    return pe__write_rope_table(plan, positions, &output, pe__table_kernel_bf16(), table, made);
}

PE_API pe_status pe_bias_add_bf16(const float *table, size_t entries, size_t heads,
                                  const int32_t *index, size_t queries, size_t keys,
                                  uint16_t *scores, size_t query_stride, size_t head_stride)
{
    const pe__scores x = {scores, heads, queries, keys, query_stride, head_stride};
    return pe__bias_add(PE_TYPE_BF16, table, entries, index, &x);
}

PE_API pe_status pe_learned_add_bf16(const uint16_t *table, size_t table_rows, size_t d_model,
                                     pe_at positions, size_t rows, uint16_t *x, size_t stride)
{
    const pe__learned l = {table, x, table_rows, d_model, stride};
    return pe__learned_add(PE_TYPE_BF16, 0, &l, &positions, rows);
}

PE__OUTLINE pe_status pe__call_rope_to_f32(const pe_plan *plan, const pe_at *positions,
                                           pe__rope_call *call)
{
    pe__set_types(call, sizeof(float), sizeof(float), pe__rotate_heads_f32,
                  pe__rotate_heads_f32_sections);
    return pe__rope_to(plan, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_to_f16(const pe_plan *plan, const pe_at *positions,
                                           pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_f16,
                  pe__rotate_heads_f16_sections);
    return pe__rope_to(plan, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_to_bf16(const pe_plan *plan, const pe_at *positions,
                                            pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_bf16,
                  pe__rotate_heads_bf16_sections);
    return pe__rope_to(plan, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_to_f32_f16(const pe_plan *plan, const pe_at *positions,
                                               pe__rope_call *call)
{
    pe__set_types(call, sizeof(float), sizeof(uint16_t), pe__rotate_heads_f32_f16,
                  pe__rotate_heads_f32_f16_sections);
    return pe__rope_to(plan, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_to_f32_bf16(const pe_plan *plan, const pe_at *positions,
                                                pe__rope_call *call)
{
    pe__set_types(call, sizeof(float), sizeof(uint16_t), pe__rotate_heads_f32_bf16,
                  pe__rotate_heads_f32_bf16_sections);
    return pe__rope_to(plan, positions, call);
}

/* Define the rotation by RoPE's table: pe__call_rope_by_ for any call, and pe__call_rope_one_ for
   one token, unchecked. Each layout of heads has its own functions, so that a program that names
   one layout contains no code for the other. `any` is the layout that the caller has given. It may
   be no valid layout, so pe__rope_by_table() checks it. */
PE__OUTLINE pe_status pe__call_rope_by_f32_halves(const pe_rope_table *table, pe_layout any,
                                                  const pe_at *positions, pe__rope_call *call)
{
    pe__set_types(call, sizeof(float), sizeof(float), pe__rotate_heads_f32_halves, NULL);
    return pe__rope_by_table(table, any, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_one_f32_halves(const pe_rope_table *table, int64_t row,
                                                   float *x, const pe_heads *heads)
{
    pe__rotate_token_by_table(PE_TYPE_F32, table, PE_LAYOUT_HALVES, (size_t)row, x, heads);
    return PE_OK;
}

PE__OUTLINE pe_status pe__call_rope_by_f32_interleaved(const pe_rope_table *table, pe_layout any,
                                                       const pe_at *positions, pe__rope_call *call)
{
    pe__set_types(call, sizeof(float), sizeof(float), pe__rotate_heads_f32_interleaved, NULL);
    return pe__rope_by_table(table, any, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_one_f32_interleaved(const pe_rope_table *table, int64_t row,
                                                        float *x, const pe_heads *heads)
{
    pe__rotate_token_by_table(PE_TYPE_F32, table, PE_LAYOUT_INTERLEAVED, (size_t)row, x, heads);
    return PE_OK;
}

PE__OUTLINE pe_status pe__call_rope_by_f16_halves(const pe_rope_table *table, pe_layout any,
                                                  const pe_at *positions, pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_f16_halves, NULL);
    return pe__rope_by_table(table, any, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_one_f16_halves(const pe_rope_table *table, int64_t row,
                                                   uint16_t *x, const pe_heads *heads)
{
    pe__rotate_token_by_table(PE_TYPE_F16, table, PE_LAYOUT_HALVES, (size_t)row, x, heads);
    return PE_OK;
}

PE__OUTLINE pe_status pe__call_rope_by_f16_interleaved(const pe_rope_table *table, pe_layout any,
                                                       const pe_at *positions, pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_f16_interleaved, NULL);
    return pe__rope_by_table(table, any, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_one_f16_interleaved(const pe_rope_table *table, int64_t row,
                                                        uint16_t *x, const pe_heads *heads)
{
    pe__rotate_token_by_table(PE_TYPE_F16, table, PE_LAYOUT_INTERLEAVED, (size_t)row, x, heads);
    return PE_OK;
}

PE__OUTLINE pe_status pe__call_rope_by_bf16_halves(const pe_rope_table *table, pe_layout any,
                                                   const pe_at *positions, pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_bf16_halves, NULL);
    return pe__rope_by_table(table, any, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_one_bf16_halves(const pe_rope_table *table, int64_t row,
                                                    uint16_t *x, const pe_heads *heads)
{
    pe__rotate_token_by_table(PE_TYPE_BF16, table, PE_LAYOUT_HALVES, (size_t)row, x, heads);
    return PE_OK;
}

PE__OUTLINE pe_status pe__call_rope_by_bf16_interleaved(const pe_rope_table *table, pe_layout any,
                                                        const pe_at *positions, pe__rope_call *call)
{
    pe__set_types(call, sizeof(uint16_t), sizeof(uint16_t), pe__rotate_heads_bf16_interleaved,
                  NULL);
    return pe__rope_by_table(table, any, positions, call);
}

PE__OUTLINE pe_status pe__call_rope_one_bf16_interleaved(const pe_rope_table *table, int64_t row,
                                                         uint16_t *x, const pe_heads *heads)
{
    pe__rotate_token_by_table(PE_TYPE_BF16, table, PE_LAYOUT_INTERLEAVED, (size_t)row, x, heads);
    return PE_OK;
}

/* ==== src/selftest/selftest.h ==== */
/* The self test hashes small tables and compares the hash with a constant. Tested by
 * tests/unit/selftest/test_selftest.c. */

/* ---- 14. self test ------------------------------------------------------------------------------
 * The bits of each element are hashed as an integer, so that the byte order does not matter. The
 * constant in pe_selftest() is the same in every build. It changes only if results or these tests
 * change. If a build computes another hash, tests/unit/selftest/test_selftest.c prints it. */

enum { PE__TEST_D = 18, PE__TEST_STRIDE = 19, PE__TEST_ROWS = 30, PE__TESTS = 11 };
enum { PE__TEST_N = PE__TEST_ROWS * PE__TEST_STRIDE };

typedef struct pe__test {
    union {
        float a_f32[PE__TEST_N];
        double a_f64[PE__TEST_N];
        uint16_t a_f16[PE__TEST_N], a_bf16[PE__TEST_N];
    } x;
    pe_plan plan;
    int64_t zero; /* 0, read from a volatile. With a constant, compilers might compute results at
                     compile time, with their own rounding */
    int64_t list[PE__TEST_ROWS];
    double real[PE__TEST_ROWS];
    uint64_t hash;
} pe__test;

/* Add a status and all elements of x to the hash. Each element has `size` bytes: 2, 4 or 8. */
PE__WRAPS
static inline void pe__test_take(pe__test *t, pe_status status, size_t size)
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

/* Add rows of a plan to the hash. Five calls have consecutive positions: they begin at the first
   five positions of the list and go towards 0, the fifth beyond it. The next calls have the cells
   of a grid, a list of integers and a list of reals. Two calls of pe_add_T follow and, unless the
   plan has PE_ANGLE_FLOAT32, one of pe_shift_T. */
#define PE__TAKE(call) pe__test_take(t, call, sizeof *x)
PE__OUTLINE void pe__test_rows_f32(pe__test *t)
{
    enum { n = PE__TEST_ROWS, stride = PE__TEST_STRIDE };
    const size_t shape[2] = {n, 2};
    const int64_t zero = t->zero, *const list = t->list;
    const pe_plan *const p = &t->plan;
    float *const x = t->x.a_f32;
    for (size_t k = 0; k < 5; k++)
        PE__TAKE(pe_fill_f32(p, pe_from_by(list[k], list[k] > 0 ? -1 : 1), n, x, stride));
    PE__TAKE(pe_fill_f32(p, pe_grid(shape, p->axes), n, x, stride));
    PE__TAKE(pe_fill_f32(p, pe_at_i64(list), n, x, stride));
    PE__TAKE(pe_fill_f32(p, pe_at_f64(t->real), n, x, stride));
    PE__TAKE(pe_add_f32(p, pe_from(zero + 77), n, 1, x, stride));
    PE__TAKE(pe_add_f32(p, pe_from(zero - 99), n, -3, x, stride));
    if (!p->float32) PE__TAKE(pe_shift_f32(p, pe_all(zero - 1234567), n, x, stride));
}

PE__OUTLINE void pe__test_rows_f64(pe__test *t)
{
    enum { n = PE__TEST_ROWS, stride = PE__TEST_STRIDE };
    const size_t shape[2] = {n, 2};
    const int64_t zero = t->zero, *const list = t->list;
    const pe_plan *const p = &t->plan;
    double *const x = t->x.a_f64;
    for (size_t k = 0; k < 5; k++)
        PE__TAKE(pe_fill_f64(p, pe_from_by(list[k], list[k] > 0 ? -1 : 1), n, x, stride));
    PE__TAKE(pe_fill_f64(p, pe_grid(shape, p->axes), n, x, stride));
    PE__TAKE(pe_fill_f64(p, pe_at_i64(list), n, x, stride));
    PE__TAKE(pe_fill_f64(p, pe_at_f64(t->real), n, x, stride));
    PE__TAKE(pe_add_f64(p, pe_from(zero + 77), n, 1, x, stride));
    PE__TAKE(pe_add_f64(p, pe_from(zero - 99), n, -3, x, stride));
    if (!p->float32) PE__TAKE(pe_shift_f64(p, pe_all(zero - 1234567), n, x, stride));
}

PE__OUTLINE void pe__test_rows_f16(pe__test *t)
{
    enum { n = PE__TEST_ROWS, stride = PE__TEST_STRIDE };
    const size_t shape[2] = {n, 2};
    const int64_t zero = t->zero, *const list = t->list;
    const pe_plan *const p = &t->plan;
    uint16_t *const x = t->x.a_f16;
    for (size_t k = 0; k < 5; k++)
        PE__TAKE(pe_fill_f16(p, pe_from_by(list[k], list[k] > 0 ? -1 : 1), n, x, stride));
    PE__TAKE(pe_fill_f16(p, pe_grid(shape, p->axes), n, x, stride));
    PE__TAKE(pe_fill_f16(p, pe_at_i64(list), n, x, stride));
    PE__TAKE(pe_fill_f16(p, pe_at_f64(t->real), n, x, stride));
    PE__TAKE(pe_add_f16(p, pe_from(zero + 77), n, 1, x, stride));
    PE__TAKE(pe_add_f16(p, pe_from(zero - 99), n, -3, x, stride));
    if (!p->float32) PE__TAKE(pe_shift_f16(p, pe_all(zero - 1234567), n, x, stride));
}

PE__OUTLINE void pe__test_rows_bf16(pe__test *t)
{
    enum { n = PE__TEST_ROWS, stride = PE__TEST_STRIDE };
    const size_t shape[2] = {n, 2};
    const int64_t zero = t->zero, *const list = t->list;
    const pe_plan *const p = &t->plan;
    uint16_t *const x = t->x.a_bf16;
    for (size_t k = 0; k < 5; k++)
        PE__TAKE(pe_fill_bf16(p, pe_from_by(list[k], list[k] > 0 ? -1 : 1), n, x, stride));
    PE__TAKE(pe_fill_bf16(p, pe_grid(shape, p->axes), n, x, stride));
    PE__TAKE(pe_fill_bf16(p, pe_at_i64(list), n, x, stride));
    PE__TAKE(pe_fill_bf16(p, pe_at_f64(t->real), n, x, stride));
    PE__TAKE(pe_add_bf16(p, pe_from(zero + 77), n, 1, x, stride));
    PE__TAKE(pe_add_bf16(p, pe_from(zero - 99), n, -3, x, stride));
    if (!p->float32) PE__TAKE(pe_shift_bf16(p, pe_all(zero - 1234567), n, x, stride));
}

/* Fill two heads of each token and hash them. Hash them again after they are rotated forward, as
   halves, and after they are rotated backward, as interleaved pairs. Then hash biases of ALiBi that
   are added and filled, and rows of a learned table that are added. Last, hash heads whose pairs
   (a, b) are (3, 1) or (-1, 3), rotated by the sine s = 3 and the cosine c = 1 + 2^-23. Then
   a' = a c - b s or b' = b c + a s is a difference of two nearly equal products. The product with c
   is rounded first, so the difference is 2^-21. If that product were fused with the difference, the
   result would be 3 * 2^-23. The macro's parameters one, minus and three are the elements 1, -1
   and 3. */
PE__OUTLINE void pe__test_rotate_f32(pe__test *t)
{
    enum { n = PE__TEST_ROWS / 2, head = PE__TEST_STRIDE, token = 2 * PE__TEST_STRIDE };
    const float slopes[2] = {-0.4375f, 0.0123f};
    const pe_heads heads = {2, head, token};
    const int64_t zero = t->zero;
    const pe_plan *const p = &t->plan;
    pe_plan halves = *p;
    float table[n * head], *const x = t->x.a_f32;
    halves.layout = PE_LAYOUT_HALVES;
    PE__TAKE(pe_fill_f32(p, pe_from(zero + 9), 2 * n, x, head));
    memcpy(table, x, sizeof table);
    PE__TAKE(pe_rope_f32(&halves, pe_from(zero + 4000), n, x, heads));
    PE__TAKE(pe_rope_f32(p, pe_back(pe_at_i64(t->list)), n, x, heads));
    const pe_at keys = pe_from(0);
    PE__TAKE(pe_alibi_add_f32(slopes, 2, PE_ALIBI_SYMMETRIC, pe_from(zero + 5), 3, keys, 40, x, 41,
                              123));
    PE__TAKE(pe_learned_add_f32(table, n, head, pe_from_by(zero + n - 1, -1), n, x, token));
    PE__TAKE(pe_alibi_add_f32(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 99990), 3, keys, 40, x, 41,
                              123));
    PE__TAKE(pe_alibi_fill_f32(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 20), 3, keys, 40, x, 41,
                               123));
    const pe_heads wide = {4, 128, 512};
    float sines[64], cosines[64];
    const pe_rope_table by = {cosines, sines, PE_TYPE_F32, PE_ROPE_TABLE_APART, 64, 1, 64};
    for (size_t i = 0; i < 64; i++) sines[i] = 3, cosines[i] = 1 + FLT_EPSILON;
    for (size_t k = 0; k < 4; k++) {
        const pe_layout layout = k % 2 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;
        for (size_t i = 0; i < 512; i++)
            x[i] = (k % 2 ? i : i / 64) % 2 == k / 2 ? 3 : k / 2 ? -1 : 1;
        PE__TAKE(pe_rope_by_table_f32(&by, layout, pe_from(zero), 1, x, wide));
    }
}

PE__OUTLINE void pe__test_rotate_f16(pe__test *t)
{
    enum { n = PE__TEST_ROWS / 2, head = PE__TEST_STRIDE, token = 2 * PE__TEST_STRIDE };
    const float slopes[2] = {-0.4375f, 0.0123f};
    const pe_heads heads = {2, head, token};
    const int64_t zero = t->zero;
    const pe_plan *const p = &t->plan;
    pe_plan halves = *p;
    uint16_t table[n * head], *const x = t->x.a_f16;
    halves.layout = PE_LAYOUT_HALVES;
    PE__TAKE(pe_fill_f16(p, pe_from(zero + 9), 2 * n, x, head));
    memcpy(table, x, sizeof table);
    PE__TAKE(pe_rope_f16(&halves, pe_from(zero + 4000), n, x, heads));
    PE__TAKE(pe_rope_f16(p, pe_back(pe_at_i64(t->list)), n, x, heads));
    const pe_at keys = pe_from(0);
    PE__TAKE(pe_alibi_add_f16(slopes, 2, PE_ALIBI_SYMMETRIC, pe_from(zero + 5), 3, keys, 40, x, 41,
                              123));
    PE__TAKE(pe_learned_add_f16(table, n, head, pe_from_by(zero + n - 1, -1), n, x, token));
    PE__TAKE(pe_alibi_add_f16(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 99990), 3, keys, 40, x, 41,
                              123));
    PE__TAKE(pe_alibi_fill_f16(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 20), 3, keys, 40, x, 41,
                               123));
    const pe_heads wide = {4, 128, 512};
    float sines[64], cosines[64];
    const pe_rope_table by = {cosines, sines, PE_TYPE_F32, PE_ROPE_TABLE_APART, 64, 1, 64};
    for (size_t i = 0; i < 64; i++) sines[i] = 3, cosines[i] = 1 + FLT_EPSILON;
    for (size_t k = 0; k < 4; k++) {
        const pe_layout layout = k % 2 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;
        for (size_t i = 0; i < 512; i++)
            x[i] = (k % 2 ? i : i / 64) % 2 == k / 2 ? 0x4200 : k / 2 ? 0xbc00 : 0x3c00;
        PE__TAKE(pe_rope_by_table_f16(&by, layout, pe_from(zero), 1, x, wide));
    }
}

PE__OUTLINE void pe__test_rotate_bf16(pe__test *t)
{
    enum { n = PE__TEST_ROWS / 2, head = PE__TEST_STRIDE, token = 2 * PE__TEST_STRIDE };
    const float slopes[2] = {-0.4375f, 0.0123f};
    const pe_heads heads = {2, head, token};
    const int64_t zero = t->zero;
    const pe_plan *const p = &t->plan;
    pe_plan halves = *p;
    uint16_t table[n * head], *const x = t->x.a_bf16;
    halves.layout = PE_LAYOUT_HALVES;
    PE__TAKE(pe_fill_bf16(p, pe_from(zero + 9), 2 * n, x, head));
    memcpy(table, x, sizeof table);
    PE__TAKE(pe_rope_bf16(&halves, pe_from(zero + 4000), n, x, heads));
    PE__TAKE(pe_rope_bf16(p, pe_back(pe_at_i64(t->list)), n, x, heads));
    const pe_at keys = pe_from(0);
    PE__TAKE(pe_alibi_add_bf16(slopes, 2, PE_ALIBI_SYMMETRIC, pe_from(zero + 5), 3, keys, 40, x, 41,
                               123));
    PE__TAKE(pe_learned_add_bf16(table, n, head, pe_from_by(zero + n - 1, -1), n, x, token));
    PE__TAKE(pe_alibi_add_bf16(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 99990), 3, keys, 40, x,
                               41, 123));
    PE__TAKE(pe_alibi_fill_bf16(slopes, 2, PE_ALIBI_CAUSAL, pe_from(zero + 20), 3, keys, 40, x, 41,
                                123));
    const pe_heads wide = {4, 128, 512};
    float sines[64], cosines[64];
    const pe_rope_table by = {cosines, sines, PE_TYPE_F32, PE_ROPE_TABLE_APART, 64, 1, 64};
    for (size_t i = 0; i < 64; i++) sines[i] = 3, cosines[i] = 1 + FLT_EPSILON;
    for (size_t k = 0; k < 4; k++) {
        const pe_layout layout = k % 2 ? PE_LAYOUT_INTERLEAVED : PE_LAYOUT_HALVES;
        for (size_t i = 0; i < 512; i++)
            x[i] = (k % 2 ? i : i / 64) % 2 == k / 2 ? 0x4040 : k / 2 ? 0xbf80 : 0x3f80;
        PE__TAKE(pe_rope_by_table_bf16(&by, layout, pe_from(zero), 1, x, wide));
    }
}

/* Hash which elements are NaNs after heads of NaNs are rotated and rounded from f32 to f16 and
   bf16. The bits of a NaN are not hashed, since its sign differs between machines. The NaN in `in`
   has a payload of all ones. A build that assumes that there are no NaNs, and so rounds it as other
   floats, carries into its sign bit: the bf16 is then a zero. */
PE__OUTLINE void pe__test_nans(pe__test *t)
{
    enum { head = 64, all = 4 * head };
    const pe_heads heads = {4, head, all};
    const uint32_t nan = 0x7fffffff;
    pe_config config = pe_config_default(head);
    double memory[128]; /* at least pe_plan_size() for one row; else the plan is refused */
    float in[all];
    uint16_t *const x = t->x.a_f16;
    for (size_t i = 0; i < all; i++) memcpy(in + i, &nan, sizeof nan);
    config.layout = PE_LAYOUT_HALVES;
    config.expected_rows = 1;
    config.base += (double)t->zero;
    PE__TAKE(pe_plan_init(&t->plan, &config, memory, sizeof memory));
    for (int type = 0; type < 2; type++) {
        const pe_at positions = pe_from(t->zero + 3);
        const uint16_t infinity = type == 0 ? 0x7c00 : 0x7f80;
        const pe_status status =
            type == 0 ? pe_rope_to_f32_f16(&t->plan, positions, 1, head, in, heads, x, heads)
                      : pe_rope_to_f32_bf16(&t->plan, positions, 1, head, in, heads, x, heads);
        for (size_t i = 0; i < all; i++) x[i] = (x[i] & 0x7fff) > infinity;
        PE__TAKE(status);
    }
}

/* Hash results of four functions that need no plan: frequencies of YaRN, slopes of ALiBi, a table
   of pe_sinusoidal_f32(), and this table resampled as a learned table. The self test leaves out
   pe_dot_f64(), which takes 32 KB more of stack. */
PE__OUTLINE void pe__test_rest(pe__test *t)
{
    pe_rope_config rope = pe_rope_config_default(PE__TEST_D);
    float table[9 * PE__TEST_D], *const x = t->x.a_f32;
    double *const omega = t->x.a_f64;
    rope.rope_type = PE_ROPE_YARN;
    rope.factor = 8 + (double)t->zero;
    rope.original_max_position_embeddings = 4096;
    const pe_status status = pe_rope_frequencies(&rope, omega, omega + PE__TEST_D);
    /* Split each double into its low and its high 32 bits, in this order on every machine. PE__TAKE
       then hashes them as the bits of two floats. */
    for (size_t i = 0; i < 2 * PE__TEST_D; i++) {
        const uint64_t bits = pe__double_bits(omega[i]);
        const uint32_t words[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
        memcpy(omega + i, words, sizeof words);
    }
    PE__TAKE(status);
    PE__TAKE(pe_alibi_slopes_f32(12, 8, x));
    PE__TAKE(pe_sinusoidal_f32(x, PE__TEST_ROWS, PE__TEST_D));
    memcpy(table, x, sizeof table);
    PE__TAKE(pe_learned_resample_f32(table, 9, 1, PE__TEST_D, NULL, x, 31, 1));
}
#undef PE__TAKE

/* Returns the hash of all parts. Before each part a new plan is made, which all parts use except
   the last two. A part whose plan is refused is left out, which changes the hash. */
PE__OUTLINE uint64_t pe__selftest(int64_t zero)
{
    static void (*const parts[PE__TESTS])(pe__test *) = {
        pe__test_rows_f64,    pe__test_rows_f64,  pe__test_rows_f64,   pe__test_rows_f32,
        pe__test_rows_f16,    pe__test_rows_bf16, pe__test_rotate_f32, pe__test_rotate_f16,
        pe__test_rotate_bf16, pe__test_nans,      pe__test_rest};
    /* The first two positions are the largest and the smallest one. Then come the last of 128K
       tokens, one that a float cannot hold, and one from which the rows of a run cross 0. Each of
       the last four has an element whose distance from a midpoint of two floats is below 2^-32
       units in the last place. */
    static const int64_t edge_positions[] = {
        2147483647,  -INT64_C(2147483648), 131071,      -16777217, -20,
        -1773804743, 1896201758,           -1709504159, 1803184376};
    double memory[4416 / sizeof(double)]; /* at least pe_plan_size(); else the plan is refused */
    pe__test test;
    test.zero = zero;
    test.hash = 0;
    for (size_t k = 0; k < PE__TEST_ROWS; k++) {
        test.list[k] = zero + (k < 9 ? edge_positions[k] : (int64_t)(k * k) * 48271 - 1000003);
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
    volatile int64_t zero = 0; /* so that nothing is computed at compile time */
    return pe__selftest(zero) == UINT64_C(0x1db1f4c2dfb40ac1) ? PE_OK : PE_ERR_SELFTEST;
}

/* ==== src/pe.h ==== */

#ifdef __cplusplus
}
#endif

/* ==== src/hints_end.h ==== */
/* Restores the compiler options that the program had before simd/compiler.h changed them, as far as
 * they were saved there. FP_CONTRACT was not saved, and is set to its default. What MSVC's
 * fp_contract and clang's `fp reassociate` and `fp reciprocal` have turned off remains off. Tested
 * by tests/checks/fail.sh and tests/tools/matrix.sh. */

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

/* ==== src/positions/make.h ==== */
/* Defines the public functions that make a pe_at or return a changed copy of one. Tested by
 * tests/unit/positions/test_at.c. */

/* Returns a pe_at with all fields set except `size`, which only pe_grid() sets and only grids use.
   Its status is PE_ERR_AT_AXES if `axes` is not 1 ... PE_MAX_AXES. The struct is not first filled
   with zeros, because compilers write zeros by wide stores. When the narrow stores of the fields
   followed these, every call stalled. */
static inline pe_at pe__make_at(pe__at_kind kind, int64_t first, int64_t step, const void *list,
                                size_t axes, size_t row_stride, size_t axis_stride)
{
    pe_at positions;
    positions.list = list;
    positions.first = first;
    positions.step = step;
    positions.skipped = 0;
    positions.axes = axes;
    positions.row_stride = row_stride;
    positions.axis_stride = axis_stride;
    positions.kind = (int)kind;
    positions.back = positions.delta = 0;
    positions.status = axes < 1 || axes > PE_MAX_AXES ? PE_ERR_AT_AXES : PE_OK;
    return positions;
}

PE_API pe_at pe_from_by(int64_t first, int64_t step)
{
    return pe__make_at(PE__AT_RANGE, first, step, NULL, 1, 0, 0);
}
PE_API pe_at pe_from(int64_t first) { return pe_from_by(first, 1); }
PE_API pe_at pe_all(int64_t position) { return pe_from_by(position, 0); }

PE_API pe_at pe_coords_i32(const int32_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride)
{
    return pe__make_at(PE__AT_I32, 0, 0, coords, axes, row_stride, axis_stride);
}

PE_API pe_at pe_at_i32(const int32_t *positions) { return pe_coords_i32(positions, 1, 1, 0); }
PE_API pe_at pe_coords_i64(const int64_t *coords, size_t axes, size_t row_stride,
                           size_t axis_stride)
{
    return pe__make_at(PE__AT_I64, 0, 0, coords, axes, row_stride, axis_stride);
}

PE_API pe_at pe_at_i64(const int64_t *positions) { return pe_coords_i64(positions, 1, 1, 0); }
PE_API pe_at pe_coords_f32(const float *coords, size_t axes, size_t row_stride, size_t axis_stride)
{
    return pe__make_at(PE__AT_F32, 0, 0, coords, axes, row_stride, axis_stride);
}

PE_API pe_at pe_at_f32(const float *positions) { return pe_coords_f32(positions, 1, 1, 0); }
PE_API pe_at pe_coords_f64(const double *coords, size_t axes, size_t row_stride, size_t axis_stride)
{
    return pe__make_at(PE__AT_F64, 0, 0, coords, axes, row_stride, axis_stride);
}

PE_API pe_at pe_at_f64(const double *positions) { return pe_coords_f64(positions, 1, 1, 0); }

PE_API pe_at pe_grid(const size_t *sizes, size_t axes)
{
    pe_at positions = pe__make_at(PE__AT_GRID, 0, 0, NULL, axes, 0, 0);
    if (!sizes) positions.status = PE_ERR_AT_NULL;
    for (size_t a = 0; positions.status == PE_OK && a < axes; a++) positions.size[a] = sizes[a];
    return positions;
}

PE_API pe_at pe_back(pe_at positions)
{
    positions.back = !positions.back;
    return positions;
}

PE_API pe_at pe_delta(pe_at positions)
{
    positions.delta = 1;
    return positions;
}

PE_API pe_at pe_skip(pe_at positions, size_t rows)
{
    if (positions.kind != (int)PE__AT_RANGE) {
        positions.skipped =
            rows > SIZE_MAX - positions.skipped ? SIZE_MAX : positions.skipped + rows;
        return positions;
    }
    if (positions.step == 0) return positions;
    /* Compute with uint64_t, because `room` can be 2^64 - 1: the distance from positions.first to
       the end of int64_t in the direction of the step. `first` is positions.first - INT64_MIN: the
       exclusive or with `half`, the most significant bit, subtracts INT64_MIN. The exclusive or
       at the end adds INT64_MIN again. */
    const int down = positions.step < 0;
    const uint64_t half = (uint64_t)1 << 63, first = (uint64_t)positions.first ^ half;
    const uint64_t room = down ? first : ~first;
    const uint64_t step = down ? ~(uint64_t)positions.step + 1 : (uint64_t)positions.step;
    if (rows > room / step) {
        positions.status = PE_ERR_RANGE;
        return positions;
    }
    const uint64_t now = (down ? first - rows * step : first + rows * step) ^ half;
    memcpy(&positions.first, &now, sizeof now);
    return positions;
}

/* ==== src/calls/inlined.h ==== */
/* Defines those public functions with a pe_at whose calls must be cheap. Programs often call them
 * for few rows or tokens. Tested by tests/checks/api.sh. */

/* ---- 15. the calls ------------------------------------------------------------------------------
 * A pe_at that is passed by value is written by narrow stores, then copied with wide loads, which
 * stall on these stores. The stall takes 5 to 12 ns, as long as the rotation of a head. A function
 * that is inlined into its caller copies nothing. So the functions here are short enough to be
 * inlined. They are also placed after hints_end.h, which ends pe's own compiler options, because
 * gcc inlines no function that has options of its own. They need no such options, since they do no
 * floating-point arithmetic. */

/* Define pe_fill_T, pe_add_T and pe_sincos_T. `number` is the type of the scale of pe_add_T. */
PE_API pe_status pe_fill_f32(const pe_plan *plan, pe_at positions, size_t rows, float *out,
                             size_t stride)
{
    return pe__call_fill_f32(plan, &positions, rows, out, stride);
}

PE_API pe_status pe_add_f32(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                            float *x, size_t stride)
{
    return pe__call_add_f32(plan, &positions, rows, scale, x, stride);
}

PE_API pe_status pe_sincos_f32(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, float *sines, float *cosines, size_t stride)
{
    const pe__sincos_request x = {
        omega, pairs, rows, stride, sizeof *sines, amplitude, sines, cosines};
    return rows == 1 ? pe__sincos_call(&x, &positions, 1, pe__sincos_row_f32)
                     : pe__sincos_call(&x, &positions, 0, pe__sincos_rows_f32);
}

PE_API pe_status pe_fill_f16(const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out,
                             size_t stride)
{
    return pe__call_fill_f16(plan, &positions, rows, out, stride);
}

PE_API pe_status pe_add_f16(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                            uint16_t *x, size_t stride)
{
    return pe__call_add_f16(plan, &positions, rows, scale, x, stride);
}

PE_API pe_status pe_sincos_f16(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, uint16_t *sines, uint16_t *cosines, size_t stride)
{
    const pe__sincos_request x = {
        omega, pairs, rows, stride, sizeof *sines, amplitude, sines, cosines};
    return rows == 1 ? pe__sincos_call(&x, &positions, 1, pe__sincos_row_f16)
                     : pe__sincos_call(&x, &positions, 0, pe__sincos_rows_f16);
}

PE_API pe_status pe_fill_bf16(const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out,
                              size_t stride)
{
    return pe__call_fill_bf16(plan, &positions, rows, out, stride);
}

PE_API pe_status pe_add_bf16(const pe_plan *plan, pe_at positions, size_t rows, float scale,
                             uint16_t *x, size_t stride)
{
    return pe__call_add_bf16(plan, &positions, rows, scale, x, stride);
}

PE_API pe_status pe_sincos_bf16(const double *omega, size_t pairs, double amplitude,
                                pe_at positions, size_t rows, uint16_t *sines, uint16_t *cosines,
                                size_t stride)
{
    const pe__sincos_request x = {
        omega, pairs, rows, stride, sizeof *sines, amplitude, sines, cosines};
    return rows == 1 ? pe__sincos_call(&x, &positions, 1, pe__sincos_row_bf16)
                     : pe__sincos_call(&x, &positions, 0, pe__sincos_rows_bf16);
}

PE_API pe_status pe_fill_f64(const pe_plan *plan, pe_at positions, size_t rows, double *out,
                             size_t stride)
{
    return pe__call_fill_f64(plan, &positions, rows, out, stride);
}

PE_API pe_status pe_add_f64(const pe_plan *plan, pe_at positions, size_t rows, double scale,
                            double *x, size_t stride)
{
    return pe__call_add_f64(plan, &positions, rows, scale, x, stride);
}

PE_API pe_status pe_sincos_f64(const double *omega, size_t pairs, double amplitude, pe_at positions,
                               size_t rows, double *sines, double *cosines, size_t stride)
{
    const pe__sincos_request x = {
        omega, pairs, rows, stride, sizeof *sines, amplitude, sines, cosines};
    return rows == 1 ? pe__sincos_call(&x, &positions, 1, pe__sincos_row_f64)
                     : pe__sincos_call(&x, &positions, 0, pe__sincos_rows_f64);
}

/* Set the heads of a call: `from` says where they are in the input, `to` where in the output. If
   the call rotates in place, in and out are one array. head_dim is the number of elements of a
   head, or 0 if pe__rope_by_plan() rotates in place. The fields are set one by one, so that the
   call can read them without waiting: a copy of the struct would be loaded in pieces wider than
   those stored. */
PE__INLINE void pe__set_heads(pe__heads *x, const void *in, const pe_heads *from, void *out,
                              const pe_heads *to, size_t head_dim)
{
    x->in = (const unsigned char *)in;
    x->out = (unsigned char *)out;
    x->heads = from->heads;
    x->in_token = from->token_stride;
    x->in_head = from->head_stride;
    x->out_token = to->token_stride;
    x->out_head = to->head_stride;
    x->copied_after = x->copied_before = 0;
    x->out_heads = to->heads;
    x->head_dim = head_dim;
}

/* Begin a call that rotates the heads of one array x in place. pe_rope_qk_T() then adds the heads
   of a second array, call->x[1]. */
PE__INLINE void pe__begin_in_place(pe__rope_call *call, size_t tokens, void *x,
                                   const pe_heads *heads)
{
    call->tokens = tokens;
    call->x[1].heads = 0;
    pe__set_heads(&call->x[0], x, heads, x, heads, 0);
}

/* Define pe_rope_to_T, which rotates from one type to another. */
PE_API pe_status pe_rope_to_f32(const pe_plan *plan, pe_at positions, size_t tokens,
                                size_t head_dim, const float *in, pe_heads in_heads, float *out,
                                pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    call.x[1].heads = 0;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    return pe__call_rope_to_f32(plan, &positions, &call);
}

PE_API pe_status pe_rope_to_f16(const pe_plan *plan, pe_at positions, size_t tokens,
                                size_t head_dim, const uint16_t *in, pe_heads in_heads,
                                uint16_t *out, pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    call.x[1].heads = 0;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    return pe__call_rope_to_f16(plan, &positions, &call);
}

PE_API pe_status pe_rope_to_bf16(const pe_plan *plan, pe_at positions, size_t tokens,
                                 size_t head_dim, const uint16_t *in, pe_heads in_heads,
                                 uint16_t *out, pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    call.x[1].heads = 0;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    return pe__call_rope_to_bf16(plan, &positions, &call);
}

PE_API pe_status pe_rope_to_f32_f16(const pe_plan *plan, pe_at positions, size_t tokens,
                                    size_t head_dim, const float *in, pe_heads in_heads,
                                    uint16_t *out, pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    call.x[1].heads = 0;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    return pe__call_rope_to_f32_f16(plan, &positions, &call);
}

PE_API pe_status pe_rope_to_f32_bf16(const pe_plan *plan, pe_at positions, size_t tokens,
                                     size_t head_dim, const float *in, pe_heads in_heads,
                                     uint16_t *out, pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    call.x[1].heads = 0;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    return pe__call_rope_to_f32_bf16(plan, &positions, &call);
}

/* Returns whether a pe_rope_by_table_T call of one token is plain, which means that
   pe__rotate_token_by_table() can do it without further checks. No argument may be an error. The
   positions must be a range without pe_back() and pe_delta(), and RoPE's table must have the row.
   The table must hold floats, in the layout PE_ROPE_TABLE_JOINED or PE_ROPE_TABLE_APART. The
   number of pairs must be a multiple of PE__PAIR_TILE. Where the call is inlined, the compiler
   knows most of the arguments, so that most of the tests cost nothing. */
PE__INLINE int pe__rope_is_plain(const pe_rope_table *t, pe_layout layout, const pe_at *positions,
                                 const pe_heads *x)
{
    if (positions->kind != PE__AT_RANGE || positions->status != PE_OK || positions->back ||
        positions->delta || !t)
        return 0;
    const size_t all = t->stride | t->rows | x->heads | x->head_stride, n = t->pairs;
    const int joined = t->layout == PE_ROPE_TABLE_JOINED, apart = t->layout == PE_ROPE_TABLE_APART;
    int ok = (t->type == PE_TYPE_F32) & (joined | apart) & (all >> (4 * sizeof all - 2) == 0);
    ok &= (t->cosines != NULL) & (joined == !t->sines) & ((unsigned)layout <= PE_LAYOUT_HALVES);
    ok &= (n % PE__PAIR_TILE == 0) & (n <= t->stride >> joined) &
          ((uint64_t)positions->first < t->rows);
    return ok & ((x->heads == 1) | ((x->heads != 0) & (n <= x->head_stride / 2)));
}

/* Define RoPE in place with a plan, the functions that make RoPE's tables, and RoPE with such a
   table, in place and to another array. All elements are of one type; RoPE's table may have another
   type. */
PE_API pe_status pe_rope_f32(const pe_plan *plan, pe_at positions, size_t tokens, float *x,
                             pe_heads heads)
{
    pe__rope_call call;
    pe__begin_in_place(&call, tokens, x, &heads);
    return pe__call_rope_f32(plan, &positions, &call);
}

PE_API pe_status pe_rope_qk_f32(const pe_plan *plan, pe_at positions, size_t tokens, float *q,
                                pe_heads q_heads, float *k, pe_heads k_heads)
{
    pe__rope_call call;
    pe__begin_in_place(&call, tokens, q, &q_heads);
    pe__set_heads(&call.x[1], k, &k_heads, k, &k_heads, 0);
    return pe__call_rope_f32(plan, &positions, &call);
}

PE_API pe_status pe_rope_table_f32(const pe_plan *plan, pe_at positions, size_t rows,
                                   pe_rope_table_layout layout, float *cosines, float *sines,
                                   size_t stride, pe_rope_table *made)
{
    const pe_rope_table table = {cosines, sines, PE_TYPE_F32, layout, stride, rows, 0};
    return pe__call_rope_table_f32(plan, &positions, &table, made);
}

PE__API_INLINE pe_status pe_rope_by_table_f32(const pe_rope_table *table, pe_layout layout,
                                              pe_at rows, size_t tokens, float *x, pe_heads heads)
{
    const int halves = layout == PE_LAYOUT_HALVES;
    if (tokens == 1 && x && pe__rope_is_plain(table, layout, &rows, &heads))
        return halves ? pe__call_rope_one_f32_halves(table, rows.first, x, &heads)
                      : pe__call_rope_one_f32_interleaved(table, rows.first, x, &heads);
    const pe_at positions = rows;
    pe__rope_call call;
    call.tokens = tokens;
    pe__set_heads(&call.x[0], x, &heads, x, &heads,
                  tokens && heads.heads && table ? 2 * table->pairs : 0);
    return halves ? pe__call_rope_by_f32_halves(table, layout, &positions, &call)
                  : pe__call_rope_by_f32_interleaved(table, layout, &positions, &call);
}

PE_API pe_status pe_rope_by_table_to_f32(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                         size_t tokens, size_t head_dim, const float *in,
                                         pe_heads in_heads, float *out, pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    const int halves = layout == PE_LAYOUT_HALVES;
    return halves ? pe__call_rope_by_f32_halves(table, layout, &rows, &call)
                  : pe__call_rope_by_f32_interleaved(table, layout, &rows, &call);
}

PE_API pe_status pe_rope_f16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *x,
                             pe_heads heads)
{
    pe__rope_call call;
    pe__begin_in_place(&call, tokens, x, &heads);
    return pe__call_rope_f16(plan, &positions, &call);
}

PE_API pe_status pe_rope_qk_f16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *q,
                                pe_heads q_heads, uint16_t *k, pe_heads k_heads)
{
    pe__rope_call call;
    pe__begin_in_place(&call, tokens, q, &q_heads);
    pe__set_heads(&call.x[1], k, &k_heads, k, &k_heads, 0);
    return pe__call_rope_f16(plan, &positions, &call);
}

PE_API pe_status pe_rope_table_f16(const pe_plan *plan, pe_at positions, size_t rows,
                                   pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines,
                                   size_t stride, pe_rope_table *made)
{
    const pe_rope_table table = {cosines, sines, PE_TYPE_F16, layout, stride, rows, 0};
    return pe__call_rope_table_f16(plan, &positions, &table, made);
}

PE__API_INLINE pe_status pe_rope_by_table_f16(const pe_rope_table *table, pe_layout layout,
                                              pe_at rows, size_t tokens, uint16_t *x,
                                              pe_heads heads)
{
    const int halves = layout == PE_LAYOUT_HALVES;
    if (tokens == 1 && x && pe__rope_is_plain(table, layout, &rows, &heads))
        return halves ? pe__call_rope_one_f16_halves(table, rows.first, x, &heads)
                      : pe__call_rope_one_f16_interleaved(table, rows.first, x, &heads);
    const pe_at positions = rows;
    pe__rope_call call;
    call.tokens = tokens;
    pe__set_heads(&call.x[0], x, &heads, x, &heads,
                  tokens && heads.heads && table ? 2 * table->pairs : 0);
    return halves ? pe__call_rope_by_f16_halves(table, layout, &positions, &call)
                  : pe__call_rope_by_f16_interleaved(table, layout, &positions, &call);
}

PE_API pe_status pe_rope_by_table_to_f16(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                         size_t tokens, size_t head_dim, const uint16_t *in,
                                         pe_heads in_heads, uint16_t *out, pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    const int halves = layout == PE_LAYOUT_HALVES;
    return halves ? pe__call_rope_by_f16_halves(table, layout, &rows, &call)
                  : pe__call_rope_by_f16_interleaved(table, layout, &rows, &call);
}

PE_API pe_status pe_rope_bf16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *x,
                              pe_heads heads)
{
    pe__rope_call call;
    pe__begin_in_place(&call, tokens, x, &heads);
    return pe__call_rope_bf16(plan, &positions, &call);
}

PE_API pe_status pe_rope_qk_bf16(const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *q,
                                 pe_heads q_heads, uint16_t *k, pe_heads k_heads)
{
    pe__rope_call call;
    pe__begin_in_place(&call, tokens, q, &q_heads);
    pe__set_heads(&call.x[1], k, &k_heads, k, &k_heads, 0);
    return pe__call_rope_bf16(plan, &positions, &call);
}

PE_API pe_status pe_rope_table_bf16(const pe_plan *plan, pe_at positions, size_t rows,
                                    pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines,
                                    size_t stride, pe_rope_table *made)
{
    const pe_rope_table table = {cosines, sines, PE_TYPE_BF16, layout, stride, rows, 0};
    return pe__call_rope_table_bf16(plan, &positions, &table, made);
}

PE__API_INLINE pe_status pe_rope_by_table_bf16(const pe_rope_table *table, pe_layout layout,
                                               pe_at rows, size_t tokens, uint16_t *x,
                                               pe_heads heads)
{
    const int halves = layout == PE_LAYOUT_HALVES;
    if (tokens == 1 && x && pe__rope_is_plain(table, layout, &rows, &heads))
        return halves ? pe__call_rope_one_bf16_halves(table, rows.first, x, &heads)
                      : pe__call_rope_one_bf16_interleaved(table, rows.first, x, &heads);
    const pe_at positions = rows;
    pe__rope_call call;
    call.tokens = tokens;
    pe__set_heads(&call.x[0], x, &heads, x, &heads,
                  tokens && heads.heads && table ? 2 * table->pairs : 0);
    return halves ? pe__call_rope_by_bf16_halves(table, layout, &positions, &call)
                  : pe__call_rope_by_bf16_interleaved(table, layout, &positions, &call);
}

PE_API pe_status pe_rope_by_table_to_bf16(const pe_rope_table *table, pe_layout layout, pe_at rows,
                                          size_t tokens, size_t head_dim, const uint16_t *in,
                                          pe_heads in_heads, uint16_t *out, pe_heads out_heads)
{
    pe__rope_call call;
    call.tokens = tokens;
    pe__set_heads(&call.x[0], in, &in_heads, out, &out_heads, head_dim);
    const int halves = layout == PE_LAYOUT_HALVES;
    return halves ? pe__call_rope_by_bf16_halves(table, layout, &rows, &call)
                  : pe__call_rope_by_bf16_interleaved(table, layout, &rows, &call);
}

/* Define pe_alibi_fill_T and pe_alibi_add_T. */
PE_API pe_status pe_alibi_fill_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   float *x, size_t query_stride, size_t head_stride)
{
    const pe__alibi a = {slopes, heads, queries, keys, query_stride, head_stride, mode, PE_TYPE_F32,
                         &query_at, &key_at};
    return pe__alibi_call(&a, x, pe__alibi_fill);
}

PE_API pe_status pe_alibi_add_f32(const float *slopes, size_t heads, pe_alibi_mode mode,
                                  pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                  float *x, size_t query_stride, size_t head_stride)
{
    const pe__alibi a = {slopes, heads, queries, keys, query_stride, head_stride, mode, PE_TYPE_F32,
                         &query_at, &key_at};
    return pe__alibi_call(&a, x, pe__alibi_add);
}

PE_API pe_status pe_alibi_fill_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   uint16_t *x, size_t query_stride, size_t head_stride)
{
    const pe__alibi a = {slopes, heads, queries, keys, query_stride, head_stride, mode, PE_TYPE_F16,
                         &query_at, &key_at};
    return pe__alibi_call(&a, x, pe__alibi_fill);
}

PE_API pe_status pe_alibi_add_f16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                  pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                  uint16_t *x, size_t query_stride, size_t head_stride)
{
    const pe__alibi a = {slopes, heads, queries, keys, query_stride, head_stride, mode, PE_TYPE_F16,
                         &query_at, &key_at};
    return pe__alibi_call(&a, x, pe__alibi_add);
}

PE_API pe_status pe_alibi_fill_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                    pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                    uint16_t *x, size_t query_stride, size_t head_stride)
{
    const pe__alibi a = {slopes, heads, queries, keys, query_stride, head_stride, mode,
                         PE_TYPE_BF16, &query_at, &key_at};
    return pe__alibi_call(&a, x, pe__alibi_fill);
}

PE_API pe_status pe_alibi_add_bf16(const float *slopes, size_t heads, pe_alibi_mode mode,
                                   pe_at query_at, size_t queries, pe_at key_at, size_t keys,
                                   uint16_t *x, size_t query_stride, size_t head_stride)
{
    const pe__alibi a = {slopes, heads, queries, keys, query_stride, head_stride, mode,
                         PE_TYPE_BF16, &query_at, &key_at};
    return pe__alibi_call(&a, x, pe__alibi_add);
}

/* ==== src/pe.h ==== */

#ifdef __cplusplus
}
#endif

#endif /* PE__DEFINE */

/* ==== src/end.h ==== */
/* Ends pe.h: undefines PE_API and those of pe's private macros that are still defined, and restores
 * the program's macros that simd/compiler.h set aside. Tested by tests/checks/names.sh. */

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
#undef PE__PRESETS
#undef PE__ROPE_TYPES
#undef PE__OPAQUE
#undef PE__PRODUCT
#undef PE__IN_MEMORY
#undef PE__IN_REGISTER
#undef PE__GNU
#undef PE__INLINE
#undef PE__API_INLINE
#undef PE__OUTLINE
#undef PE__COLD
#undef PE__PREFETCH
#undef PE__UNLIKELY
#undef PE__WRAPS
#undef PE__DIVIDES_BY_ZERO

/* ==== src/pe.h ==== */

#endif /* PE_H */
