/* SPDX-License-Identifier: MIT */
/* pe_rope_plan_init() makes a plan from a model's RoPE config, and pe_rope_plan_size() returns its
 * size. Tested by tests/unit/rope/test_rope_plan.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract_config.h"
#include "../numbers/double_double.h"
#include "../plan/config.h"
#include "../plan/shape.h"
#include "../plan/make.h"
#include "config.h"
#include "frequencies.h"
#include "attention.h"

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
