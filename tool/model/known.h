/* SPDX-License-Identifier: MIT */
/* Lists keys of configs and kinds of layers for the other files of tool/model. First come the keys
 * of rope_parameters and rope_scaling, with the rope_types that use them, then the keys of sizes
 * and those that say which layers are alike. The last lists are for unread.h, which recognises by
 * words in a key's name whether the key may change a rotation. */
#ifndef TOOL_KNOWN_H
#define TOOL_KNOWN_H

#include "pe.h"

/* Gives the bit that a pe_rope_type has in the field `types` of struct scaling_key. */
#define TOOL_TYPE(type) (1u << (unsigned)(type))
#define TOOL_YARN TOOL_TYPE(PE_ROPE_YARN)
#define TOOL_LLAMA3 TOOL_TYPE(PE_ROPE_LLAMA3)
#define TOOL_LONGROPE TOOL_TYPE(PE_ROPE_LONGROPE)
/* Lists the keys that rope_parameters and rope_scaling may have. A key whose bit for the config's
 * rope_type is not set gets a note that it does nothing. */
static const struct scaling_key {
    const char *key;
    unsigned types; /* a bit TOOL_TYPE() for each rope_type that uses the key; ~0u: all do */
} scaling_keys[] = {
    {"rope_type", ~0u},
    {"type", ~0u},
    {"rope_theta", ~0u},
    {"partial_rotary_factor", ~0u},
    {"head_dim", ~0u},
    {"rotary_dim", ~0u},
    {"max_position_embeddings", ~0u},
    {"sequence_length", ~0u},
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

/* Lists the keys of the config itself that an error message of pe_rope_config_error() may name.
 * judge_config() of rope.h looks for these and for scaling_keys[] in the message. */
static const char *const config_keys[] = {
    "rope_theta",     "rotary_dim", "head_dim", "partial_rotary_factor", "max_position_embeddings",
    "sequence_length"};

/* Models have different names for the width of the model, and for the numbers of heads, of layers
 * and of positions. If a file has several names of one list, the first one in the list counts. */
static const char *const width_keys[] = {"hidden_size", "n_embd", "d_model"};
static const char *const head_keys[] = {"num_attention_heads", "n_head", "n_heads", "num_heads"};
static const char *const layer_count_keys[] = {"num_hidden_layers", "n_layer", "n_layers",
                                               "num_layers"};
static const char *const length_keys[] = {"max_position_embeddings", "n_positions",
                                          "max_target_positions"};

/* Lists keys that only some model types read. In a file of another type of transformers they have
 * no effect; see is_foreign() of keys.h. */
static const char *const particular_keys[] = {
    "global_rope_theta", "rotary_emb_base",     "rope_local_base_freq", "local_rope_theta",
    "swa_rope_theta",    "compress_rope_theta", "rope_ratio",           "rotary_pct",
    "rope_pct",          "rope_percent",        "rotary_emb_fraction",  "rotary_dim",
    "attn_rotary_emb",   "kv_channels",         "global_head_dim",      "attention_head_dim",
    "swa_head_dim",      "qk_rope_head_dim",    "yarn_only_types"};

/* Lists keys whose value is a base for the layers with sliding attention only. The first of them
 * counts that the file has, or for which the type has a default. */
static const struct local_key {
    const char *key;
    int is_unscaled; /* 1: with this key, rope_scaling does not apply to the sliding layers */
} local_keys[] = {{"rope_local_base_freq", 1}, {"local_rope_theta", 0}, {"swa_rope_theta", 1}};

/* Lists keys whose value is a period of n layers: layers n - 1, 2n - 1 ... have full attention,
 * unless the fact @full (type_line.h) says otherwise. The value may also be a pattern such as
 * "LLLG", in which only the layers with an L do not have full attention; see kind_by_pattern() of
 * layers.h. Files do not have @recurrent_period: it is a fact of the type. */
static const struct pattern_key {
    const char *key;
    const char *others; /* the kind of the layers without full attention */
} pattern_keys[] = {{"sliding_window_pattern", "sliding_attention"},
                    {"global_attn_every_n_layers", "sliding_attention"},
                    {"full_attention_interval", "linear_attention"},
                    {"layer_group_size", "linear_attention"},
                    {"@recurrent_period", "recurrent"}};

/* Lists keys whose value is a list of the numbers of the layers that have softmax attention. The
 * other layers have linear attention. */
static const struct index_key {
    const char *key;
    size_t first; /* the number that layer 0 has in the list: 0 or 1 */
} index_keys[] = {
    {"attn_layer_indices", 0}, {"full_attn_idxs", 0}, {"linear_attn_config.full_attn_layers", 1}};

/* Lists kinds of layers without softmax self-attention, which do not rotate. With the fact @linear
 * of type_line.h, however, layers of the kind linear_attention rotate. */
static const char *const other_kinds[] = {"linear_attention", "mamba", "mamba2", "conv",
                                          "recurrent",        "moe",   "mlp",    "kda",
                                          "cross_attention"};

/* Lists kinds of layers with attention. They rotate unless a key or a fact of the type says
 * otherwise. The empty name is the kind of a layer whose kind no key says. */
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

/* Lists keys whose names contain one of telling_words[], but which get no warning from judge_keys()
 * of unread.h if no code has read them. Either other code judges them, or they change no rotation,
 * or posenc does not report the component of the model that has them. */
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

/* A boolean key that begins with use_ and contains one of these words switches on something that
 * posenc does not compute. If its value is false, nothing is missing, so the key gets a note that
 * it is off in place of a warning (is_off() of unread.h). */
static const char *const switched_words[] = {"mrope", "xdrope", "long_context", "ntk",
                                             "yarn",  "xpos",   "alibi",        "relative"};

/* A key whose name contains one of these words probably changes rotations or positions. If no code
 * has read such a key, the user gets a warning. Exceptions are keys whose value is null or an empty
 * list, and the keys of scaling_keys[], of the two lists above, and of the fact @ignores. */
static const char *const telling_words[] = {"rope",   "rotary",   "yarn",     "theta",
                                            "ntk",    "position", "alibi",    "nope",
                                            "mscale", "pos_emb",  "relative", "long_context"};

#endif
