/* SPDX-License-Identifier: MIT */
/* Lists the model types that transformers does not have: their code is beside their weights, or
 * in another project. An entry says what the keys mean that a config.json leaves out. type_line.h
 * explains the format. */
#ifndef TOOL_ELSEWHERE_H
#define TOOL_ELSEWHERE_H

#include "type_line.h"

static const type_line elsewhere_types[] = {
    {"PixArtTransformer2DModel", "@kind=other"},
    {"SanaTransformer2DModel", "@kind=none"},
    {"apriel", "rope_theta=10000"},
    {"arctic", "rope_theta=10000"},
    {"bailing_hybrid", "rope_theta=600000 @linear=halves"},
    {"bailing_moe", "rope_theta=600000"},
    {"bailing_moe_v3_vl", "rope_theta=600000"},
    {"chatglm", "rope_theta=10000 kv_channels=128 partial_rotary_factor=0.5 @pairs=neighbours "
                "@ignores=original_rope"},
    {"deepseek", "rope_theta=10000"},
    {"deepseek_v41", "head_dim=512 qk_rope_head_dim=64 rope_theta=10000 compress_rope_theta=160000 "
                     "@pairs=neighbours @rotates=last @attention_factor=1"},
    {"dots_ocr", "rope_theta=10000"},
    {"ernie4_5_moe_vl", "rope_theta=500000 @pairs=neighbours @sections=22,22,20 @order=hwt "
                        "@ignores=rope_3d @parts=vision_config:!ernie4_5_vl_moe_vision"},
    {"exaone", "rope_theta=10000"},
    {"gguf", "rope_theta=10000"},
    {"gpt_oss_original", "rope_theta=150000 rope_parameters.rope_type=yarn "
                         "rope_parameters.truncate=false "
                         "@aliases=rope_parameters.factor:rope_scaling_factor,rope_parameters.beta_"
                         "slow:rope_ntk_alpha,rope_parameters.beta_fast:rope_ntk_beta,rope_"
                         "parameters.original_max_position_embeddings:initial_context_length"},
    {"internlm", "rope_theta=10000"},
    {"internlm2", "rope_theta=10000"},
    {"internlm3", "rope_theta=10000"},
    {"jais", "position_embedding_type=learned"},
    {"kimi_k2", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    {"longcat_flash_ngram", "qk_rope_head_dim=64 rope_theta=10000000 rope_interleave=true"},
    {"minicpm", "rope_theta=10000"},
    {"minimax_text_01", "rotary_dim=64 rope_theta=10000000"},
    {"moonvit", "@axes=woven @pairs=neighbours @head=none rope_theta=10000"},
    {"new", "rope_theta=10000 position_embedding_type=rope"},
    {"params.json", "rope_theta=10000 @hidden=dim @heads=n_heads @layers=n_layers "
                    "@pairs=neighbours @weights=original"},
    {"params.json yarn",
     "rope_theta=10000 rope_parameters.rope_type=yarn @hidden=dim @heads=n_heads @layers=n_layers "
     "@pairs=neighbours @weights=original "
     "@ignores=yarn,llama_4_scaling "
     "@aliases=rope_parameters.factor:yarn.factor,rope_parameters.beta_slow:yarn.alpha,rope_"
     "parameters.beta_fast:yarn.beta,rope_parameters.original_max_position_embeddings:yarn."
     "original_max_position_embeddings,rope_parameters.apply_yarn_scaling:yarn.apply_scale,rope_"
     "parameters.llama_4_scaling_beta:llama_4_scaling.beta"},
    {"qwen", "rotary_emb_base=10000"},
    {"xverse", "rope_theta=10000"},
};

#endif
