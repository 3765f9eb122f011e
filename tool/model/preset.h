/* SPDX-License-Identifier: MIT */
/* Reads a sinusoidal encoding from settings that name the fields of a pe_config, as in preset=t2t
 * d_model=384 scale=2.
 *
 * A part (part.h) is a set of layers that share one positional encoding, and a note is a message
 * about a key. A reader (keys.h) says in which config keys are looked up, and which part gets the
 * results. */
#ifndef TOOL_PRESET_H
#define TOOL_PRESET_H

#include "keys.h"

/* Lists the names of the presets of pe_config_preset(), in the order of pe_preset. */
static const char *const preset_names[] = {
    "vaswani",  "t2t",    "fairseq", "opennmt",  "hf_marian",    "transformer_xl",
    "tener",    "ddpm",   "ldm",     "musicgen", "mlx",          "mae_2d",
    "video_3d", "t2t_nd", "detr",    "nerf",     "tiny_cuda_nn",
};
TOOL_HAS_ALL(preset_names, PE_PRESET_COUNT);

/* Adds the note that the preset of the file is unknown, with the names of all presets. */
static void refuse_preset(part *p)
{
    char names[224] = "";
    for (size_t k = 0; k < TOOL_COUNT(preset_names); k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 preset_names[k]);
    say(p, NOTE_WRONG, "preset",
        "is none of %s. A model that rotates has no preset: docs/models.md has its fields", names);
}

/* Makes a part sinusoidal, with the preset of this name and this width. Returns 1. Returns 0, and
 * adds a note, if `name` is NULL or there is no such preset. A width of 0 or above 2^20 gets a note
 * of kind NOTE_WRONG. */
static int preset_part(part *p, const char *name, size_t d_model)
{
    int preset = 0;
    p->kind = PART_SINUSOIDAL;
    while (name && preset < PE_PRESET_COUNT && strcmp(name, preset_names[preset]) != 0) preset++;
    if (!name || preset == PE_PRESET_COUNT) {
        refuse_preset(p);
        return 0;
    }
    p->preset = pe_config_preset((pe_preset)preset, d_model);
    if (d_model > 1048576) say(p, NOTE_WRONG, "d_model", "more than 2^20");
    if (d_model == 0) say(p, NOTE_WRONG, "d_model", "missing");
    return 1;
}

/* Reads a list that contains preset=NAME into one part. Returns the number of parts: 1, or 0 if
 * memory runs out. */
static size_t read_preset(list *file, part *parts)
{
    size_t count = 0, d_model = 0;
    part *const p = add_part(parts, &count, "preset");
    model m;
    value v;
    memset(&m, 0, sizeof m);
    m.file = file;
    m.used_room = file->count;
    m.used = (unsigned char *)calloc(file->count + 1, 1);
    if (!m.used) return 0;
    const reader r = {p, &m, "", "", -1, "", 0};
    const char *const name = string(&r, "preset", &v);
    if (name) snprintf(p->name, sizeof p->name, "%.60s", name);
    clean(p->name);
    integer(&r, "d_model", &d_model);
    if (preset_part(p, name, d_model)) {
        pe_config *const c = &p->preset;
        number(&r, "base", &c->base);
        number(&r, "amplitude", &c->amplitude);
        number(&r, "scale", &c->scale);
        number(&r, "offset", &c->offset);
        number(&r, "exponent_shift", &c->exponent_shift);
        truth(&r, "half_turns", &c->half_turns);
        truth(&r, "cos_first", &c->cos_first);
        integer(&r, "axes", &c->axes);
        if (pe_config_error(c) && !count_notes(p, NOTE_WRONG))
            say(p, NOTE_WRONG, "d_model", "%s", pe_config_error(c));
    }
    free(m.used);
    return count;
}

#endif
