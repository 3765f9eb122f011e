/* SPDX-License-Identifier: MIT */
/* A sinusoidal encoding by its fields: preset=t2t d_model=384 scale=2 ... */
#ifndef TOOL_PRESET_H
#define TOOL_PRESET_H

#include "keys.h"

static const char *const preset_names[PE_PRESET_COUNT] = {
    "vaswani",  "t2t",    "fairseq", "opennmt",  "hf_marian",    "transformer_xl",
    "tener",    "ddpm",   "ldm",     "musicgen", "mlx",          "mae_2d",
    "video_3d", "t2t_nd", "detr",    "nerf",     "tiny_cuda_nn",
};

/* Read the part that {"preset": "t2t", "d_model": 384, ...} describes. */
static void read_preset(const cJSON *root, part *p)
{
    const reader r = {p, root, NULL, ""};
    char path[96];
    const char *const name = string(&r, "preset", path);
    int preset = 0;
    size_t d_model = 0;
    snprintf(p->name, sizeof p->name, "%.60s", name ? name : "preset");
    p->is_preset = 1;
    while (name && preset < PE_PRESET_COUNT && strcmp(name, preset_names[preset]) != 0)
        preset++;
    if (!name || preset == PE_PRESET_COUNT) {
        say(p, NOTE_WRONG, "preset",
            "is none of vaswani, t2t, fairseq, opennmt, hf_marian, transformer_xl, tener, "
            "ddpm, ldm, musicgen, mlx, mae_2d, video_3d, t2t_nd, detr, nerf, tiny_cuda_nn");
        return;
    }
    if (!whole(&r, "d_model", &d_model)) say(p, NOTE_WRONG, "d_model", "missing");
    pe_config *const c = &p->preset;
    *c = pe_config_preset((pe_preset)preset, d_model);
    number(&r, "base", &c->base);
    number(&r, "amplitude", &c->amplitude);
    number(&r, "scale", &c->scale);
    number(&r, "offset", &c->offset);
    number(&r, "exponent_shift", &c->exponent_shift);
    truth(&r, "half_turns", &c->half_turns);
    truth(&r, "cos_first", &c->cos_first);
    whole(&r, "axes", &c->axes);
    if (d_model > 1048576) say(p, NOTE_WRONG, "d_model", "more than 2^20");
    if (pe_config_error(c) && !count_notes(p, NOTE_WRONG))
        say(p, NOTE_WRONG, "d_model", "%s", pe_config_error(c));
}

#endif
