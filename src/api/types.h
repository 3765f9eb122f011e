/* SPDX-License-Identifier: MIT */
/* This file defines the types that several subjects share: statuses, element types, configs and
 * their enums, presets, positions, the plan. Tested by tests/unit/api/test_errors.c and
 * tests/unit/plan/test_conventions.c. */
#pragma once
#include "options.h"

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
