/* SPDX-License-Identifier: MIT */
/* What models of a type mean by the keys that their config.json leaves out. One line a type:
 * adding a model is a line here and a file in tests/checks/configs.
 *
 * KEY=VALUE is the value of an absent key. What no key says:
 *   @pairs=neighbours       (2i, 2i + 1); halves, (i, i + n/2), if nothing is said
 *   @kind=K                 learned, alibi, t5, sinusoidal, none: rope if nothing is said
 *   @preset=P, @encoder=P   sinusoidal: of all layers; of the encoder, beside the decoder's @kind
 *   @nope=full_attention    these layers rotate nothing, if the model has a sliding window
 *   @scaled=full_attention  rope_scaling is for these layers alone
 *   @full=first             of a pattern of n, layers 0, n, 2n ... are full, not n - 1, 2n - 1 ...;
 *                           also_first: these, and layer 0
 *   @windows=from           if use_sliding_window: of the layers from max_window_layers on; even:
 *                           of the even layers below
 *   @rope=given             nothing rotates, unless the file has a rope_theta
 *   @base=theta             the key of the base, which wins over rope_theta
 *   @rotates=last           the last elements of a head, not the first
 *   @attention_factor=1     of YaRN, where the file has none
 *   @tower=vision           half a head by y, half by x
 *   @ignores=KEY,KEY        they sound like positions, but change nothing that is told here
 *   @recurrent_period=3     layers 2, 5 ... have attention, the others are recurrent
 *   @sections=own           an order of sections that is in docs/models.md
 *   @still=rest             pairs that sections in turn leave over stand still: of GGUF files alone
 *
 * Facts from the sources of the models: transformers' configuration and modeling files, or the
 * code beside the weights. No code was copied. tests/checks/model_types.py compares the values. */
#ifndef TOOL_TYPES_H
#define TOOL_TYPES_H

#define TYPES_CHECKED "2026-11-26"
#define TYPES_TRANSFORMERS "5, its main branch of 2026"

static const struct type_line {
    const char *name, *facts;
} type_lines[] = {
    {"afmoe", "head_dim=128 rope_theta=10000 sliding_window=1024 global_attn_every_n_layers=4 "
              "@nope=full_attention"},
    {"albert", "position_embedding_type=absolute"},
    {"apertus", "rope_theta=12000000"},
    {"apriel", "rope_theta=10000"},
    {"arcee", "rope_theta=10000"},
    {"arctic", "rope_theta=10000"},
    {"aria_text", "rope_theta=10000"},
    {"autoformer", "@kind=sinusoidal @preset=hf_marian"},
    {"bailing_hybrid", "rope_theta=600000"},
    {"bailing_moe", "rope_theta=600000"},
    {"bailing_moe_v3_vl", "rope_theta=600000"},
    {"bamba", "rope_theta=10000 partial_rotary_factor=0.5"},
    {"bart", "@kind=learned"},
    {"bert", "position_embedding_type=absolute"},
    {"biogpt", "@kind=learned"},
    {"blenderbot", "@kind=learned"},
    {"bloom", "@kind=alibi"},
    {"camembert", "position_embedding_type=absolute"},
    {"chameleon", "rope_theta=10000"},
    {"chatglm", "rope_theta=10000 kv_channels=128 partial_rotary_factor=0.5 @pairs=neighbours "
                "@ignores=original_rope"},
    {"clip_text_model", "@kind=learned"},
    {"codegen", "rotary_dim=64 rope_theta=10000 @pairs=neighbours"},
    {"cohere", "rope_theta=10000 @pairs=neighbours"},
    {"cohere2", "rope_theta=10000 sliding_window=4096 sliding_window_pattern=4 @pairs=neighbours "
                "@nope=full_attention"},
    {"ctrl", "@kind=sinusoidal @preset=hf_marian"},
    {"cwm", "head_dim=128 rope_theta=1000000 sliding_window=8192 "
            "sliding_window_pattern=4 @full=first"},
    {"dbrx", "rope_theta=10000 @base=attn_config.rope_theta"},
    {"deepseek", "rope_theta=10000"},
    {"deepseek_v2", "qk_rope_head_dim=64 rope_theta=10000 @pairs=neighbours"},
    {"deepseek_v3", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    {"deepseek_v32", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    {"deepseek_v4", "head_dim=512 qk_rope_head_dim=64 rope_theta=10000 compress_rope_theta=160000 "
                    "sliding_window=128 @pairs=neighbours @rotates=last @attention_factor=1"},
    {"deepseek_v41", "head_dim=512 qk_rope_head_dim=64 rope_theta=10000 "
                     "compress_rope_theta=160000 @pairs=neighbours @rotates=last "
                     "@attention_factor=1"},
    {"dots1", "rope_theta=10000"},
    {"dots_ocr", "rope_theta=10000"},
    {"electra", "position_embedding_type=absolute"},
    {"ernie4_5", "rope_theta=500000 @pairs=neighbours"},
    {"ernie4_5_moe", "rope_theta=500000 @pairs=neighbours"},
    {"ernie4_5_moe_vl", "rope_theta=500000 @pairs=neighbours @sections=own @ignores=rope_3d"},
    {"ernie4_5_vl_moe", "rope_theta=500000 @pairs=neighbours @sections=own @ignores=rope_3d"},
    {"esm", "position_embedding_type=absolute rope_theta=10000"},
    {"exaone", "rope_theta=10000"},
    {"exaone4", "rope_theta=10000 sliding_window=4096 sliding_window_pattern=4 "
                "@nope=full_attention"},
    {"exaone_moe", "rope_theta=10000 sliding_window=4096 sliding_window_pattern=4 "
                   "@nope=full_attention"},
    {"falcon", "rope_theta=10000"},
    {"falcon_h1", "rope_theta=100000"},
    {"falcon_mamba", "@kind=none"},
    {"fuyu", "partial_rotary_factor=0.5 rope_theta=25000"},
    {"gemma", "head_dim=256 rope_theta=10000"},
    {"gemma2", "head_dim=256 rope_theta=10000 sliding_window=4096 sliding_window_pattern=2"},
    {"gemma3_text", "head_dim=256 rope_theta=1000000 rope_local_base_freq=10000 "
                    "sliding_window=4096 sliding_window_pattern=6"},
    {"gemma3n_text", "head_dim=256 rope_theta=1000000 rope_local_base_freq=10000 "
                     "sliding_window=512 sliding_window_pattern=5"},
    {"gemma4_text", "head_dim=256 global_head_dim=512 sliding_window=512 "
                    "sliding_window_pattern=6"},
    {"gguf", "rope_theta=10000"}, /* gguf_types.h has its types */
    {"glm", "head_dim=128 partial_rotary_factor=0.5 rope_theta=10000 @pairs=neighbours"},
    {"glm4", "head_dim=128 partial_rotary_factor=0.5 rope_theta=10000 @pairs=neighbours"},
    {"glm4_moe", "partial_rotary_factor=0.5 rope_theta=10000"},
    {"glm4_moe_lite", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    {"glm4v", "@tower=vision"},
    {"glm4v_moe", "@tower=vision"},
    {"glm4v_moe_text", "partial_rotary_factor=0.5 rope_theta=10000"},
    {"glm4v_moe_vision", "@tower=vision"},
    {"glm4v_text", "partial_rotary_factor=0.5 rope_theta=10000 @pairs=neighbours"},
    {"glm4v_vision", "@tower=vision"},
    {"glm_moe_dsa",
     "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true @ignores=indexer_rope_interleave"},
    {"gpt2", "@kind=learned"},
    {"gpt_bigcode", "@kind=learned"},
    {"gpt_neo", "@kind=learned"},
    {"gpt_neox", "partial_rotary_factor=0.25 rope_theta=10000"},
    {"gpt_oss", "head_dim=64 rope_theta=150000 sliding_window=128 sliding_window_pattern=2"},
    {"gptj", "rotary_dim=64 rope_theta=10000 @pairs=neighbours @ignores=rotary"},
    {"granite", "rope_theta=10000"},
    {"granitemoe", "rope_theta=10000"},
    {"granitemoehybrid", "rope_theta=10000 position_embedding_type=nope"},
    {"granitemoeshared", "rope_theta=10000"},
    {"helium", "head_dim=128 rope_theta=100000 @pairs=neighbours"},
    {"hunyuan_v1_dense", "rope_theta=10000 @ignores=use_rotary_pos_emb,position_embedding_xdrope"},
    {"hunyuan_v1_moe", "rope_theta=10000 @ignores=use_rotary_pos_emb,position_embedding_xdrope"},
    {"hunyuan_vl_text", "rope_theta=10000"},
    {"internlm", "rope_theta=10000"},
    {"internlm2", "rope_theta=10000"},
    {"internlm3", "rope_theta=10000"},
    {"jais", "position_embedding_type=learned"},
    {"jamba", "@kind=none"},
    {"kimi_k2", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    {"kimi_k25", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    {"kimi_linear", "rope_theta=10000"},
    {"laguna", "head_dim=128"},
    {"lfm2", "rope_theta=1000000 @base=theta"},
    {"lfm2_moe", "rope_theta=1000000"},
    {"llama", "rope_theta=10000"},
    {"llama4_text", "head_dim=128 rope_theta=500000 no_rope_layer_interval=4 attn_scale=0.1 "
                    "floor_scale=8192 attn_temperature_tuning=true @pairs=neighbours"},
    {"longcat_flash", "qk_rope_head_dim=64 rope_theta=10000000 rope_interleave=true"},
    {"longcat_flash_ngram", "qk_rope_head_dim=64 rope_theta=10000000 rope_interleave=true"},
    {"longt5", "@kind=t5"},
    {"m2m_100", "@kind=sinusoidal @preset=fairseq"},
    {"mamba", "@kind=none"},
    {"mamba2", "@kind=none"},
    {"marian", "@kind=sinusoidal @preset=hf_marian"},
    {"mbart", "@kind=learned"},
    {"mimo_v2_flash", "head_dim=192 partial_rotary_factor=0.334 rope_theta=5000000 "
                      "swa_rope_theta=10000 sliding_window=128 sliding_window_pattern=6 "
                      "@full=also_first"},
    {"minicpm", "rope_theta=10000"},
    {"minicpm3", "qk_rope_head_dim=32 rope_theta=10000"},
    {"minimax_m2", "head_dim=128 rotary_dim=64 rope_theta=5000000"},
    {"minimax_m3_vl", "head_dim=128 rotary_dim=64 rope_theta=5000000"},
    {"minimax_text_01", "rotary_dim=64 rope_theta=10000000"},
    {"ministral", "rope_theta=10000 sliding_window=4096"},
    {"ministral3", "rope_theta=1000000"},
    {"mistral", "rope_theta=10000 sliding_window=4096"},
    {"mistral4", "qk_rope_head_dim=64 rope_theta=10000 rope_interleave=true"},
    {"mixtral", "rope_theta=1000000"},
    {"mllama_text_model", "rope_theta=500000"},
    {"modernbert", "rope_theta=160000 local_rope_theta=10000 local_attention=128 "
                   "global_attn_every_n_layers=3 num_hidden_layers=22 @full=first"},
    {"modernbert-decoder", "rope_theta=160000 local_rope_theta=10000 "
                           "local_attention=128 global_attn_every_n_layers=3 num_hidden_layers=22"},
    {"mpt", "@kind=alibi rope_theta=10000 @base=attn_config.rope_theta"},
    {"mt5", "@kind=t5"},
    {"musicgen_decoder", "@kind=sinusoidal @preset=musicgen"},
    {"nemotron", "partial_rotary_factor=0.5 rope_theta=10000"},
    {"nemotron_h", "@kind=none"},
    {"new", "rope_theta=10000 position_embedding_type=rope"},
    {"nomic_bert", "rotary_emb_base=10000 @ignores=max_trained_positions"},
    {"olmo", "rope_theta=10000"},
    {"olmo2", "rope_theta=10000"},
    {"olmo3", "rope_theta=500000 sliding_window=4096 sliding_window_pattern=4 "
              "@scaled=full_attention"},
    {"olmo_hybrid", "full_attention_interval=4 @rope=given"},
    {"olmoe", "rope_theta=10000"},
    {"opt", "@kind=learned"},
    {"pegasus", "@kind=sinusoidal @preset=hf_marian"},
    {"pegasus_x", "@kind=sinusoidal @preset=t2t"},
    {"persimmon", "partial_rotary_factor=0.5 rope_theta=25000"},
    {"phi", "partial_rotary_factor=0.5 rope_theta=10000"},
    {"phi3", "rope_theta=10000"},
    {"phimoe", "rope_theta=1000000"},
    {"qwen", "rotary_emb_base=10000"},
    {"qwen2", "rope_theta=10000 use_sliding_window=false max_window_layers=28 @windows=from"},
    {"qwen2_5_omni_text",
     "rope_theta=1000000 use_sliding_window=false max_window_layers=28 @windows=from"},
    {"qwen2_5_omni_vision_encoder", "@tower=vision"},
    {"qwen2_5_vl", "rope_theta=1000000 use_sliding_window=false max_window_layers=80 "
                   "@windows=from @tower=vision"},
    {"qwen2_moe", "rope_theta=10000 use_sliding_window=false max_window_layers=28 @windows=even"},
    {"qwen2_vl", "rope_theta=1000000 use_sliding_window=false max_window_layers=80 "
                 "@windows=from @tower=vision"},
    {"qwen3", "head_dim=128 rope_theta=10000 use_sliding_window=false max_window_layers=28 "
              "@windows=from"},
    {"qwen3_5", "head_dim=256 rope_theta=10000 partial_rotary_factor=0.25 mrope_interleaved=true "
                "full_attention_interval=4 @tower=vision"},
    {"qwen3_5_moe",
     "head_dim=256 rope_theta=10000 partial_rotary_factor=0.25 mrope_interleaved=true "
     "full_attention_interval=4 @tower=vision"},
    {"qwen3_5_moe_text",
     "head_dim=256 rope_theta=10000 partial_rotary_factor=0.25 mrope_interleaved=true "
     "full_attention_interval=4"},
    {"qwen3_5_moe_vision", "@tower=vision"},
    {"qwen3_5_text",
     "head_dim=256 rope_theta=10000 partial_rotary_factor=0.25 mrope_interleaved=true "
     "full_attention_interval=4"},
    {"qwen3_5_vision", "@tower=vision"},
    {"qwen3_moe", "rope_theta=10000 use_sliding_window=false"},
    {"qwen3_next", "head_dim=256 rope_theta=10000 partial_rotary_factor=0.25 "
                   "full_attention_interval=4"},
    {"qwen3_omni_moe_text", "rope_theta=1000000 mrope_interleaved=true @ignores=interleaved"},
    {"qwen3_omni_moe_vision_encoder", "@tower=vision"},
    {"qwen3_vl", "@tower=vision"},
    {"qwen3_vl_moe", "@tower=vision"},
    {"qwen3_vl_moe_text", "rope_theta=5000000 mrope_interleaved=true"},
    {"qwen3_vl_text", "head_dim=128 rope_theta=5000000 mrope_interleaved=true"},
    {"recurrent_gemma", "@recurrent_period=3 partial_rotary_factor=0.5 rope_theta=10000 "
                        "attention_window_size=2048"},
    {"roberta", "position_embedding_type=absolute"},
    {"roformer", "rope_theta=10000 @pairs=neighbours"},
    {"rwkv", "@kind=none"},
    {"seed_oss", "head_dim=128 rope_theta=10000"},
    {"smollm3", "rope_theta=2000000 no_rope_layer_interval=4"},
    {"solar_open", "head_dim=128 rope_theta=1000000"},
    {"speech_to_text", "@kind=sinusoidal @preset=fairseq"},
    {"stablelm", "partial_rotary_factor=0.25 rope_theta=10000"},
    {"starcoder2", "rope_theta=10000"},
    {"step3p5", "head_dim=128 rope_theta=10000"},
    {"switch_transformers", "@kind=t5"},
    {"t5", "@kind=t5"},
    {"timesfm", "@kind=sinusoidal @preset=t2t"},
    {"timesfm2_5", "rope_theta=10000"},
    {"umt5", "@kind=t5"},
    {"vaultgemma", "head_dim=256 rope_theta=10000 sliding_window=4096 "
                   "sliding_window_pattern=2"},
    {"whisper", "@encoder=t2t @kind=learned"},
    {"xlm-roberta", "position_embedding_type=absolute"},
    {"xverse", "rope_theta=10000"},
    {"zamba", "@kind=none"},
    {"zamba2", "rope_theta=10000 use_mem_rope=false"},
};

#endif
