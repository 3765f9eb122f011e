/* SPDX-License-Identifier: MIT */
/* This header names the presets, for the output of tests/checks/certify.c. */
#ifndef PE_CHECKS_PRESETS_H
#define PE_CHECKS_PRESETS_H

#include "pe.h"

static const char *const preset_names[] = {
    [PE_PRESET_VASWANI] = "vaswani",
    [PE_PRESET_T2T] = "t2t",
    [PE_PRESET_FAIRSEQ] = "fairseq",
    [PE_PRESET_OPENNMT] = "opennmt",
    [PE_PRESET_HF_MARIAN] = "hf_marian",
    [PE_PRESET_TRANSFORMER_XL] = "transformer_xl",
    [PE_PRESET_TENER] = "tener",
    [PE_PRESET_DDPM] = "ddpm",
    [PE_PRESET_LDM] = "ldm",
    [PE_PRESET_MUSICGEN] = "musicgen",
    [PE_PRESET_MLX] = "mlx",
    [PE_PRESET_MAE_2D] = "mae_2d",
    [PE_PRESET_VIDEO_3D] = "video_3d",
    [PE_PRESET_T2T_ND] = "t2t_nd",
    [PE_PRESET_DETR] = "detr",
    [PE_PRESET_NERF] = "nerf",
    [PE_PRESET_TINY_CUDA_NN] = "tiny_cuda_nn",
};
typedef char
    each_preset_has_a_name[sizeof preset_names / sizeof *preset_names == PE_PRESET_COUNT ? 1 : -1];

#endif /* PE_CHECKS_PRESETS_H */
