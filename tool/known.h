/* SPDX-License-Identifier: MIT */
/* What config.json files have: keys, the types of RoPE that use them, values that are usual where a key
 * is absent, models that pair neighbours, vision towers. A new model or key comes here. */
#ifndef TOOL_KNOWN_H
#define TOOL_KNOWN_H

#include "pe.h"

#define TOOL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What the config classes of models take for a key that is absent. */
static const struct usual {
    const char *model_type, *key;
    double value;
} usual_values[] = {
    {"llama", "rope_theta", 10000},
    {"gemma", "head_dim", 256},
    {"gemma2", "head_dim", 256},
    {"gemma3_text", "head_dim", 256},
    {"gemma3_text", "rope_theta", 1000000},
    {"gemma3_text", "rope_local_base_freq", 10000},
    {"gemma4_text", "head_dim", 256},
    {"gemma4_text", "global_head_dim", 512},
    {"gpt_oss", "head_dim", 64},
    {"gpt_oss", "rope_theta", 150000},
    {"deepseek_v3", "qk_rope_head_dim", 64},
    {"deepseek_v3", "rope_interleave", 1},
    {"gpt_neox", "partial_rotary_factor", 0.25},
    {"stablelm", "partial_rotary_factor", 0.25},
    {"phi", "partial_rotary_factor", 0.5},
    {"glm", "partial_rotary_factor", 0.5},
    {"glm4", "partial_rotary_factor", 0.5},
    {"nemotron", "partial_rotary_factor", 0.5},
    {"glm4_moe", "partial_rotary_factor", 0.5},
    {"minimax_m2", "head_dim", 128},
    {"minimax_m2", "rope_theta", 5000000},
    {"mixtral", "rope_theta", 1000000},
    {"llama4_text", "attn_scale", 0.1},
    {"llama4_text", "floor_scale", 8192},
};

/* Models that pair neighbours, and vision towers that rotate half a head by y and half by x. */
static const char *const interleaved_models[] = {
    "cohere", "cohere2", "codegen", "deepseek_v2", "ernie4_5", "glm",
    "glm4",   "gptj",    "helium",  "llama4_text", "roformer"};
static const char *const vision_models[] = {"glm4v", "qwen2_vl", "qwen2_5_vl", "qwen3_vl",
                                            "qwen3_vl_moe"};

/* Keys of rope_parameters and rope_scaling, and the types that use them. */
#define TOOL_TYPE(type) (1u << (unsigned)(type))
#define TOOL_YARN       TOOL_TYPE(PE_ROPE_YARN)
#define TOOL_LLAMA3     TOOL_TYPE(PE_ROPE_LLAMA3)
#define TOOL_LONGROPE   TOOL_TYPE(PE_ROPE_LONGROPE)
static const struct scaling_key {
    const char *key;
    unsigned types;
} scaling_keys[] = {
    {"rope_type", ~0u},
    {"type", ~0u},
    {"rope_theta", ~0u},
    {"partial_rotary_factor", ~0u},
    {"mrope_section", ~0u},
    {"mrope_interleaved", ~0u},
    {"llama_4_scaling_beta", ~0u},
    {"factor", ~TOOL_TYPE(PE_ROPE_DEFAULT)},
    {"alpha", TOOL_TYPE(PE_ROPE_NTK)},
    {"original_max_position_embeddings", TOOL_LLAMA3 | TOOL_YARN | TOOL_LONGROPE},
    {"low_freq_factor", TOOL_LLAMA3},
    {"high_freq_factor", TOOL_LLAMA3},
    {"beta_fast", TOOL_YARN},
    {"beta_slow", TOOL_YARN},
    {"extrapolation_factor", TOOL_YARN},
    {"truncate", TOOL_YARN},
    {"mscale", TOOL_YARN},
    {"mscale_all_dim", TOOL_YARN},
    {"attention_factor", TOOL_YARN | TOOL_LONGROPE},
    {"short_factor", TOOL_LONGROPE},
    {"long_factor", TOOL_LONGROPE},
    {"short_mscale", TOOL_LONGROPE},
    {"long_mscale", TOOL_LONGROPE},
};

/* Keys of the config around them. Others that speak of rotation are odd; without a model_type, all. */
static const char *const config_keys[] = {
    "rope_theta",      "rope_scaling",    "rope_parameters",       "rope_local_base_freq",
    "rope_interleave", "rope_type",       "rotary_dim",            "rotary_pct",
    "rotary_emb_base", "head_dim",        "partial_rotary_factor", "qk_rope_head_dim",
    "no_rope_layers",  "hidden_size",     "num_attention_heads",   "no_rope_layer_interval",
    "n_embd",          "n_head",          "global_head_dim",       "max_position_embeddings",
    "sequence_length", "attn_scale",      "floor_scale",           "attn_temperature_tuning",
    "vision_config",   "use_logn_attn",   "seq_length",            "attn_temperature_len"};

#endif
