/* SPDX-License-Identifier: MIT */
/* The default config and the presets.
 * tests/unit/plan/test_conventions.c and tests/checks/parity.sh compare presets with models. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"

/* ---- 5.8 plans ----------------------------------------------------------------------------------
 * The memory of a plan holds, in this order:
 *     up to 63 bytes, to an aligned address
 *     2 arrays: the frequencies, as sums of two doubles
 *     1 array: the frequencies rounded to float, with PE_ANGLE_FLOAT32
 *     16 rows of 2 arrays each: the rotation rows, if enough rows are expected
 *     2 bytes per pair: the order of pairs, if the config has a list of coordinates
 * With PE_COLUMNS_SUMS it holds one array for each coordinate instead: the matrix.
 *
 * In an array, the pairs of each axis begin at a multiple of 8, except with PE_COLUMNS_JOINED. A
 * vector may be loaded that starts at any pair. The padding lanes after the last pair of an axis
 * repeat this pair, so they are flagged only if the pair itself is flagged. If it is flagged, the
 * exact rounder may load vectors that begin in padding lanes and end past the array. The rotation
 * rows come after the frequencies, so that these loads stay in the memory of the plan. */

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
    if (is < 0 || is >= PE_PRESET_COUNT) return pe_config_default(0); /* which every init refuses */
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
