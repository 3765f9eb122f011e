/* SPDX-License-Identifier: MIT */
/* Lists model types that transformers does not have: their code is beside their weights, or in
 * another project. An entry has the values of the keys that a config.json leaves out, and facts for
 * which there is no key. type_line.h explains the format.
 *
 * The comments above an entry cite the code in which a person read these values and facts, each as
 * PROJECT VERSION, FILE: the class or function. VERSION is a commit or a release.
 * generate/model_lines.py --check fails if an entry has no citation. A type whose code nobody has
 * read has no entry: posenc then reads its config by general rules, and returns status 1. */
#ifndef TOOL_ELSEWHERE_H
#define TOOL_ELSEWHERE_H

#include "type_line.h"

static const type_line elsewhere_types[] = {
    /* huggingface/diffusers 58eb52c0, pixart_transformer_2d.py: PixArtTransformer2DModel */
    {"PixArtTransformer2DModel", "@kind=other"},
    /* huggingface/diffusers 58eb52c0, sana_transformer.py: SanaTransformer2DModel */
    {"SanaTransformer2DModel", "@kind=other"},
    /* vllm-project/vllm 3c8d43f3, configs/arctic.py: ArcticConfig */
    {"arctic", "rope_theta=1000000"},
    /* vllm-project/vllm d809f24a, configs/bailing_moe_v3_vl.py: BailingMoeV3TextConfig */
    /* ml-explore/mlx-lm d78bf58e, bailing_moe_linear.py: LinearAttention */
    {"bailing_hybrid", "rope_theta=600000 @linear=halves"},
    /* inclusionAI/Ling 5ccaeae0, models/configuration_bailing_moe.py: BailingMoeConfig */
    {"bailing_moe", "rope_theta=10000"},
    /* vllm-project/vllm d809f24a, configs/bailing_moe_v3_vl.py: BailingMoeV3VLConfig */
    {"bailing_moe_v3_vl", "rope_theta=600000"},
    /* vllm-project/vllm 028aedf6, models/chatglm.py: GLMAttention */
    /* vllm-project/vllm 0531c222, configs/chatglm.py: ChatGLMConfig */
    {"chatglm", "rope_theta=10000 kv_channels=128 partial_rotary_factor=0.5 @pairs=neighbours"},
    /* ml-explore/mlx-lm d78bf58e, deepseek.py: ModelArgs */
    {"deepseek", "rope_theta=10000"},
    /* ml-explore/mlx-lm 0855c358, deepseek_v41.py: ModelArgs, _apply_rope */
    {"deepseek_v41", "head_dim=512 qk_rope_head_dim=64 rope_theta=10000 compress_rope_theta=160000 "
                     "@pairs=neighbours @rotates=last @attention_factor=1"},
    /* vllm-project/vllm 432a38c4, configs/dotsocr.py: DotsOCRConfig */
    /* huggingface/transformers 5.17.0, configuration_qwen2.py: Qwen2Config */
    {"dots_ocr", "rope_theta=10000"},
    /* vllm-project/vllm 01dbb081, models/ernie45_vl_moe.py: Ernie4_5_VLMoeAttention */
    {"ernie4_5_moe_vl",
     "rope_theta=500000 @pairs=neighbours @sections=22,22,20 @order=hwt @ignores=rope_3d "
     "@parts=vision_config:!ernie4_5_vl_moe_vision"},
    /* vllm-project/vllm 0531c222, models/exaone.py: ExaoneDecoderLayer */
    {"exaone", "rope_theta=10000"},
    /* ggml-org/llama.cpp a5410f04, src/llama-model.cpp: llama_model::load_hparams */
    {"gguf", "rope_theta=10000"},
    /* openai/gpt-oss 0568dfc9, gpt_oss/torch/model.py: ModelConfig, RotaryEmbedding */
    {"gpt_oss_original",
     "rope_theta=150000 rope_parameters.rope_type=yarn rope_parameters.truncate=false "
     "@aliases=rope_parameters.factor:rope_scaling_factor,"
     "rope_parameters.beta_slow:rope_ntk_alpha,rope_parameters.beta_fast:rope_ntk_beta,"
     "rope_parameters.original_max_position_embeddings:initial_context_length"},
    /* vllm-project/vllm 7639ab73, configs/internlm.py: InternLMConfig */
    {"internlm", "rope_theta=10000"},
    /* ml-explore/mlx-lm d78bf58e, internlm2.py: ModelArgs */
    {"internlm2", "rope_theta=10000"},
    /* ml-explore/mlx-lm d78bf58e, internlm3.py: ModelArgs */
    {"internlm3", "rope_theta=10000"},
    /* vllm-project/vllm 0531c222, configs/jais.py: JAISConfig */
    {"jais", "position_embedding_type=learned"},
    /* vllm-project/vllm 0036026e, transformers_utils/config.py: _CONFIG_REGISTRY */
    /* huggingface/transformers 5.17.0, configuration_deepseek_v3.py: DeepseekV3Config */
    {"kimi_k2", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    /* ml-explore/mlx-lm d78bf58e, longcat_flash_ngram.py: ModelArgs */
    /* huggingface/transformers 5.17.0, configuration_longcat_flash.py: LongcatFlashConfig */
    {"longcat_flash_ngram", "qk_rope_head_dim=64 rope_theta=10000000 rope_interleave=true"},
    /* vllm-project/vllm 00db0119, models/minicpm.py: MiniCPMDecoderLayer */
    {"minicpm", "rope_theta=10000"},
    /* vllm-project/vllm 07ebdc63, configs/minimax_text_01.py: MiniMaxText01Config */
    /* vllm-project/vllm 01c91c00, models/minimax_text_01.py: MiniMaxText01DecoderLayer */
    {"minimax_text_01", "rope_theta=1000000"},
    /* vllm-project/vllm 055e47c2, models/moonvit.py: Rope2DPosEmb */
    {"moonvit", "@axes=woven @pairs=neighbours @head=none rope_theta=10000"},
    /* Alibaba-NLP/new-impl 40ced75c, configuration.py: NewConfig */
    {"new", "rope_theta=10000 position_embedding_type=rope"},
    /* meta-llama/llama 689c7f26, llama/model.py: ModelArgs, precompute_freqs_cis */
    {"params.json",
     "rope_theta=10000 @hidden=dim @heads=n_heads @layers=n_layers @pairs=neighbours "
     "@weights=original"},
    /* mistralai/mistral-inference 2557e12d, src/mistral_inference/rope.py: apply_rotary_emb */
    /* mistralai/mistral-inference 2557e12d, src/mistral_inference/transformer.py: Transformer */
    /* vllm-project/vllm 0.33.0, layers/rotary_embedding/__init__.py: get_rope */
    {"params.json of Mistral",
     "rope_theta=10000 @hidden=dim @heads=n_heads @layers=n_layers @pairs=neighbours "
     "@weights=original @doubt='rope_theta: vLLM 0.33.0 assumes 10000, mistral-inference 1000000'"},
    /* vllm-project/vllm 01da88c5, configs/mistral.py: _remap_mistral_yarn_args */
    {"params.json yarn",
     "rope_theta=10000 rope_parameters.rope_type=yarn @hidden=dim @heads=n_heads "
     "@layers=n_layers @pairs=neighbours @weights=original @ignores=yarn,llama_4_scaling "
     "@aliases=rope_parameters.factor:yarn.factor,rope_parameters.beta_slow:yarn.alpha,"
     "rope_parameters.beta_fast:yarn.beta,"
     "rope_parameters.original_max_position_embeddings:yarn.original_max_position_embeddings,"
     "rope_parameters.apply_yarn_scaling:yarn.apply_scale,"
     "rope_parameters.llama_4_scaling_beta:llama_4_scaling.beta"},
    /* vllm-project/vllm 396dee62, configs/qwen.py: QWenConfig */
    /* ml-explore/mlx-lm d78bf58e, qwen.py: Attention */
    {"qwen", "rotary_emb_base=10000"},
};

#endif
