/* SPDX-License-Identifier: MIT */
/* Lists what may differ between an array and its config, with the names that docs/tool.md
 * explains. */
#ifndef TOOL_DIFFERENCES_H
#define TOOL_DIFFERENCES_H

#include "../files/enums.h"

#include <stdint.h>

/* Lists the differences. Their order is that of difference_names[] and of difference_texts[] in
 * output/compare_text.h. */
typedef enum difference {
    DIFFERS_COLUMN_ORDER = 0,
    DIFFERS_SINE_COSINE,
    DIFFERS_SIGN,
    DIFFERS_POSITION_OFFSET,
    DIFFERS_POSITIONS_CLAMPED,
    DIFFERS_POSITIONS_WRAPPED,
    DIFFERS_BASE,
    DIFFERS_ROTARY_WIDTH,
    DIFFERS_EXPONENTS,
    DIFFERS_SCALING_ABSENT,
    DIFFERS_SCALING_OTHER,
    DIFFERS_SCALING_TWICE,
    DIFFERS_OTHER_PART,
    DIFFERS_PARAMETERS_ABSENT,
    DIFFERS_FREQUENCIES_ZERO,
    DIFFERS_ROTATED_TWICE,
    DIFFERS_YARN_TRUNCATE,
    DIFFERS_YARN_BETAS,
    DIFFERS_YARN_RAMP,
    DIFFERS_YARN_NTK_BASE,
    DIFFERS_LLAMA3_FACTORS,
    DIFFERS_LLAMA3_SMOOTHING,
    DIFFERS_LLAMA3_CUT,
    DIFFERS_TWO_PI_ABSENT,
    DIFFERS_FACTOR_ABSENT,
    DIFFERS_FACTOR_SQUARED,
    DIFFERS_FACTOR_INVERSE,
    DIFFERS_MSCALE_IGNORED,
    DIFFERS_INV_FREQ_BF16,
    DIFFERS_INV_FREQ_F16,
    DIFFERS_POSITIONS_BF16,
    DIFFERS_POSITIONS_F16,
    DIFFERS_ANGLES_BF16,
    DIFFERS_ANGLES_F16,
    DIFFERS_TABLE_BF16,
    DIFFERS_TABLE_F16,
    DIFFERENCE_COUNT
} difference;

/* Lists the names of the differences in reports and in JSON, in the order of the enum. */
static const char *const difference_names[] = {"column_order",
                                               "sine_cosine",
                                               "sign",
                                               "position_offset",
                                               "positions_clamped",
                                               "positions_wrapped",
                                               "base",
                                               "rotary_width",
                                               "exponents",
                                               "scaling_absent",
                                               "scaling_other",
                                               "scaling_twice",
                                               "other_part",
                                               "parameters_absent",
                                               "frequencies_zero",
                                               "rotated_twice",
                                               "yarn_truncate",
                                               "yarn_betas",
                                               "yarn_ramp",
                                               "yarn_ntk_base",
                                               "llama3_factors",
                                               "llama3_smoothing",
                                               "llama3_cut",
                                               "two_pi_absent",
                                               "attention_factor_absent",
                                               "attention_factor_squared",
                                               "attention_factor_inverse",
                                               "mscale_ignored",
                                               "inv_freq_bf16",
                                               "inv_freq_f16",
                                               "positions_bf16",
                                               "positions_f16",
                                               "angles_bf16",
                                               "angles_f16",
                                               "table_bf16",
                                               "table_f16"};
TOOL_HAS_ALL(difference_names, DIFFERENCE_COUNT);

/* Holds a set of differences: bit d is 1 if difference d is in the set. */
typedef uint64_t differences;
#define TOOL_DIFFERS(which) ((differences)1 << (which))

/* Holds the differences that are a rounding to 16 bits. */
static const differences sixteen_bits =
    TOOL_DIFFERS(DIFFERS_INV_FREQ_BF16) | TOOL_DIFFERS(DIFFERS_INV_FREQ_F16) |
    TOOL_DIFFERS(DIFFERS_POSITIONS_BF16) | TOOL_DIFFERS(DIFFERS_POSITIONS_F16) |
    TOOL_DIFFERS(DIFFERS_ANGLES_BF16) | TOOL_DIFFERS(DIFFERS_ANGLES_F16) |
    TOOL_DIFFERS(DIFFERS_TABLE_BF16) | TOOL_DIFFERS(DIFFERS_TABLE_F16);

static int count_differences(differences set)
{
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

/* Returns whether a set has at most two differences. Larger sets are not tried as explanations.
 * Several roundings to 16 bits count as at most two, because code that computes everything in 16
 * bits has them all. */
static int are_few(differences set)
{
    const int narrow = count_differences(set & sixteen_bits);
    return count_differences(set & ~sixteen_bits) + (narrow < 2 ? narrow : 2) <= 2;
}

#endif
