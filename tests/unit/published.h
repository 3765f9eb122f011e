/* SPDX-License-Identifier: MIT */
/*
 * Numbers that other projects print for their encodings, with where they stand: facts, to compare
 * presets with. Each is count numbers of one row, from a column on, to the digits that are printed.
 */
#ifndef PE_TESTS_PUBLISHED_H
#define PE_TESTS_PUBLISHED_H

#include "pe.h"

typedef struct published {
    const char *source;
    pe_preset preset;
    size_t d_model;
    double scale; /* of the config */
    double position;
    size_t column, count;
    double values[6], digits; /* digits: half a unit of the last one, and what float angles add */
} published;

#define MARIAN   "marian-nmt, in transformers tests/models/marian/test_modeling_marian.py, marian_results"
#define ROFORMER "transformers tests/models/roformer/test_modeling_roformer.py, desired_weights"
#define STEPS    "diffusers tests/models/test_layers_utils.py, test_sinoid_embeddings_hardcoded"
#define CT2      "CTranslate2 tests/layers_test.cc, PositionEncoderNoSharedState, output less input"

static const published published_rows[] = {
    {MARIAN, PE_PRESET_T2T, 512, 1, 0, 0, 5, {0, 0, 0, 0, 0, 0}, 1e-8},
    {MARIAN, PE_PRESET_T2T, 512, 1, 1, 0, 5,
     {0.84147096, 0.82177866, 0.80180490, 0.78165019, 0.76140374, 0}, 1e-7},
    {MARIAN, PE_PRESET_T2T, 512, 1, 2, 0, 5,
     {0.90929741, 0.93651021, 0.95829457, 0.97505713, 0.98720258, 0}, 1e-7},
    {ROFORMER, PE_PRESET_HF_MARIAN, 512, 1, 1, 0, 5, {0.8415, 0.8219, 0.8020, 0.7819, 0.7617, 0}, 5.1e-5},
    {ROFORMER, PE_PRESET_HF_MARIAN, 512, 1, 2, 0, 5, {0.9093, 0.9364, 0.9581, 0.9749, 0.9870, 0}, 5.1e-5},
    {ROFORMER, PE_PRESET_HF_MARIAN, 6, 1, 0, 0, 6, {0, 0, 0, 1, 1, 1}, 1e-8},
    {ROFORMER, PE_PRESET_HF_MARIAN, 6, 1, 1, 0, 6, {0.8415, 0.0464, 0.0022, 0.5403, 0.9989, 1}, 5.1e-5},
    {STEPS, PE_PRESET_DDPM, 64, 1, 23, 47, 3, {0.9646, 0.9804, 0.9892, 0, 0, 0}, 5.1e-5},
    {STEPS, PE_PRESET_DDPM, 64, 1, 24, 47, 3, {0.9615, 0.9787, 0.9882, 0, 0, 0}, 5.1e-5},
    {STEPS, PE_PRESET_DDPM, 64, 1, 25, 47, 3, {0.9582, 0.9769, 0.9872, 0, 0, 0}, 5.1e-5},
    {STEPS, PE_PRESET_LDM, 64, 1, 23, 47, 3, {0.3019, 0.2280, 0.1716, 0, 0, 0}, 5.1e-5},
    {STEPS, PE_PRESET_LDM, 64, 1, 24, 47, 3, {0.3146, 0.2377, 0.1790, 0, 0, 0}, 5.1e-5},
    {STEPS, PE_PRESET_LDM, 64, 1, 25, 47, 3, {0.3272, 0.2474, 0.1864, 0, 0, 0}, 5.1e-5},
    {STEPS, PE_PRESET_DDPM, 64, 1000, 23, 47, 3, {-0.9801, -0.9464, -0.9349, 0, 0, 0}, 1.5e-4},
    {STEPS, PE_PRESET_DDPM, 64, 1000, 24, 47, 3, {-0.3952, 0.8887, -0.9709, 0, 0, 0}, 1.5e-4},
    {STEPS, PE_PRESET_DDPM, 64, 1000, 25, 47, 3, {0.5299, -0.2853, -0.9927, 0, 0, 0}, 1.5e-4},
    {CT2, PE_PRESET_OPENNMT, 4, 1, 0, 0, 4, {0.841471, 0.0001, 0.5403, 1, 0, 0}, 1e-5},
    {CT2, PE_PRESET_OPENNMT, 6, 1, 0, 0, 6, {0.841471, 0.01, 0.0001, 0.5403023, 0.99995, 1}, 1e-5},
};

#undef MARIAN
#undef ROFORMER
#undef STEPS
#undef CT2

#endif /* PE_TESTS_PUBLISHED_H */
