/* SPDX-License-Identifier: MIT */
/* This file lists keys that many models share, in three groups. The first group has the keys of
 * rope_parameters and rope_scaling with the types that use them. Keys of the second group say which layers
 * are alike. Keys of the third group sound like positions but change no rotation. */
#ifndef TOOL_KNOWN_H
#define TOOL_KNOWN_H

#include "pe.h"

#define TOOL_TYPE(type) (1u << (unsigned)(type))
#define TOOL_YARN TOOL_TYPE(PE_ROPE_YARN)
#define TOOL_LLAMA3 TOOL_TYPE(PE_ROPE_LLAMA3)
#define TOOL_LONGROPE TOOL_TYPE(PE_ROPE_LONGROPE)
static const struct scaling_key {
    const char *key;
    unsigned types;
} scaling_keys[] = {
    {"rope_type", ~0u},
    {"type", ~0u},
    {"rope_theta", ~0u},
    {"partial_rotary_factor", ~0u},
    {"head_dim", ~0u},
    {"rotary_dim", ~0u},
    {"freq_factors", ~0u},
    {"mrope_section", ~0u},
    {"mrope_interleaved", ~0u},
    {"xdrope_section", TOOL_TYPE(PE_ROPE_NTK)},
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
    {"apply_yarn_scaling", TOOL_YARN},
    {"attention_factor", TOOL_YARN | TOOL_LONGROPE},
    {"short_factor", TOOL_LONGROPE},
    {"long_factor", TOOL_LONGROPE},
    {"short_mscale", TOOL_LONGROPE},
    {"long_mscale", TOOL_LONGROPE},
};

/* Keys of the config itself that errors may name. */
static const char *const config_keys[] = {
    "rope_theta",     "rotary_dim", "head_dim", "partial_rotary_factor", "max_position_embeddings",
    "sequence_length"};

/* Models have different names for one number: the width, the heads, the layers, the positions. The
 * first name that the file has counts. */
static const char *const width_keys[] = {"hidden_size", "n_embd", "d_model"};
static const char *const head_keys[] = {"num_attention_heads", "n_head", "n_heads", "num_heads"};
static const char *const layer_count_keys[] = {"num_hidden_layers", "n_layer", "n_layers",
                                               "num_layers"};
static const char *const length_keys[] = {"max_position_embeddings", "n_positions",
                                          "max_target_positions"};

/* These keys have a base for the sliding layers only. is_unscaled: rope_scaling does not apply to the
 * sliding layers. */
static const struct local_key {
    const char *key;
    int is_unscaled;
} local_keys[] = {{"rope_local_base_freq", 1}, {"local_rope_theta", 0}, {"swa_rope_theta", 1}};

/* Layers n - 1, 2n - 1 ... are full; the others are of this kind. */
static const struct pattern_key {
    const char *key, *others;
} pattern_keys[] = {{"sliding_window_pattern", "sliding_attention"},
                    {"global_attn_every_n_layers", "sliding_attention"},
                    {"full_attention_interval", "linear_attention"},
                    {"layer_group_size", "linear_attention"},
                    {"@recurrent_period", "recurrent"}};

/* Lists of the layers that have attention, counted from first. */
static const struct index_key {
    const char *key;
    size_t first;
} index_keys[] = {
    {"attn_layer_indices", 0}, {"full_attn_idxs", 0}, {"linear_attn_config.full_attn_layers", 1}};

/* Layers of these kinds have no self-attention, so they do not rotate. */
static const char *const other_kinds[] = {"linear_attention", "mamba", "mamba2", "conv",
                                          "recurrent",        "moe",   "mlp",    "kda",
                                          "cross_attention"};

/* Kinds of layers with attention, which rotate if nothing else is said. */
static const char *const attention_kinds[] = {"",
                                              "full_attention",
                                              "sliding_attention",
                                              "chunked_attention",
                                              "compressed_attention",
                                              "compressed_sparse_attention",
                                              "heavily_compressed_attention",
                                              "deepseek_sparse_attention",
                                              "global_attention",
                                              "local_attention",
                                              "dense",
                                              "sparse",
                                              "hybrid",
                                              "window_attention",
                                              "qwen_sparse_attention",
                                              "minimax_m3_sparse"};

/* These keys contain one of telling_words but get no note from judge_keys(). Other code judges
 * them, they change no rotation, or posenc does not report the part of the model that has them. */
static const char *const harmless_keys[] = {"rope_scaling",
                                            "rope_parameters",
                                            "qk_nope_head_dim",
                                            "no_rope_layers",
                                            "position_ids",
                                            "no_rope_layer_interval",
                                            "n_positions",
                                            "max_source_positions",
                                            "max_position_embeddings",
                                            "max_target_positions",
                                            "num_position_embeddings",
                                            "position_embedding_size",
                                            "pos_emb_height",
                                            "pos_emb_width",
                                            "pos_emb_time",
                                            "init_pos_emb_height",
                                            "init_pos_emb_width",
                                            "init_pos_emb_time",
                                            "pos_emb_type",
                                            "num_conv_pos_embeddings",
                                            "num_conv_pos_embedding_groups",
                                            "dropout_positions",
                                            "position_id_per_seconds"};

/* A boolean key that begins with use_ and contains one of these words turns on what posenc does not
 * compute by itself. If no code has read it, false changes nothing. */
static const char *const switched_words[] = {"mrope", "xdrope", "long_context", "ntk",
                                             "yarn",  "xpos",   "alibi",        "relative"};

/* What a key that changes rotations or positions has in its name. */
static const char *const telling_words[] = {"rope",   "rotary",   "yarn",     "theta",
                                            "ntk",    "position", "alibi",    "nope",
                                            "mscale", "pos_emb",  "relative", "long_context"};

#endif
