/* SPDX-License-Identifier: MIT */
/* Makes the default config and the presets. tests/unit/plan/test_conventions.c compares their rows
 * with the formulas of the projects, tests/checks/parity.sh with the code of models. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"

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
