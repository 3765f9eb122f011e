/* SPDX-License-Identifier: MIT */
/* Lists the model types of transformers 5.17.0, as its code was on 2026-11-29. An entry says what
 * models of the type mean by the keys that their config.json leaves out. type_line.h explains the
 * format of an entry.
 *
 * Made from tests/models/ and generate/model_words.txt by generate/model_lines.py; do not edit. */
#ifndef TOOL_TRANSFORMERS_H
#define TOOL_TRANSFORMERS_H

#include "type_line.h"

#define TYPES_CHECKED "2026-11-29"
#define TYPES_TRANSFORMERS "5.17.0"

static const type_line transformers_types[] = {
    {"EvollaModel",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=8192 rope_theta=500000 "
     "@partial=scaled @parts=protein_encoder_config:!EvollaModel_protein_encoder"},
    {"EvollaModel_protein_encoder",
     "hidden_size=1280 num_attention_heads=20 max_position_embeddings=1026 rope_theta=10000 "
     "@partial=scaled"},
    {"afmoe",
     "hidden_size=2048 num_attention_heads=16 head_dim=128 max_position_embeddings=16384 "
     "sliding_window=1024 global_attn_every_n_layers=4 rope_theta=10000 @nope=full_attention "
     "@partial=scaled"},
    {"aimv2", "@kind=parts @parts=text_config:!aimv2_text_model,vision_config:!aimv2_vision_model"},
    {"aimv2_text_model", "@kind=other"},
    {"aimv2_vision_model", "@kind=other"},
    {"albert", "position_embedding_type=absolute"},
    {"align", "@kind=parts @parts=text_config:!align_text_model,vision_config:!align_vision_model"},
    {"align_text_model", "@kind=other"},
    {"align_vision_model", "@kind=other"},
    {"altclip",
     "@kind=parts @parts=text_config:!altclip_text_model,vision_config:!altclip_vision_model"},
    {"altclip_text_model", "@kind=other"},
    {"altclip_vision_model", "@kind=other"},
    {"apertus",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=65536 "
     "rope_parameters.factor=8 rope_parameters.high_freq_factor=4 "
     "rope_parameters.low_freq_factor=1 rope_parameters.original_max_position_embeddings=8192 "
     "rope_parameters.rope_theta=12000000 rope_parameters.rope_type=llama3 rope_theta=12000000 "
     "@partial=scaled"},
    {"arcee",
     "hidden_size=2560 num_attention_heads=32 max_position_embeddings=4096 rope_theta=10000 "
     "@partial=scaled"},
    {"aria", "@kind=parts @parts=text_config:!aria_text,vision_config:idefics3_vision"},
    {"aria_text",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"audio-spectrogram-transformer", "@kind=other"},
    {"audioflamingo3", "@kind=parts @parts=audio_config:audioflamingo3_encoder,text_config:qwen2"},
    {"audioflamingo3_encoder", "@kind=other"},
    {"autoformer", "@kind=sinusoidal @preset=hf_marian"},
    {"axk1",
     "hidden_size=7168 num_attention_heads=64 qk_rope_head_dim=64 max_position_embeddings=32768 "
     "rope_interleave=true rope_theta=10000 @frequencies=head_dim @partial=scaled"},
    {"axk2",
     "hidden_size=2048 num_attention_heads=32 qk_rope_head_dim=32 max_position_embeddings=131072 "
     "index_head_dim=128 rope_theta=10000 @also=indexer:index_head_dim:halves @pairs=permuted "
     "@partial=scaled"},
    {"aya_vision", "@kind=parts @parts=text_config:cohere2,vision_config:siglip_vision_model"},
    {"bamba",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=262144 "
     "partial_rotary_factor=0.5 rope_theta=10000 @partial=inner"},
    {"bark",
     "@kind=parts @parts=semantic_config:!semantic,coarse_acoustics_config:!coarse_acoustics,"
     "fine_acoustics_config:!fine_acoustics,codec_config:encodec"},
    {"bart", "@kind=learned"},
    {"beit", "@kind=other"},
    {"bert", "position_embedding_type=absolute"},
    {"bert-generation", "@kind=other"},
    {"big_bird", "@kind=other"},
    {"bigbird_pegasus", "@kind=other"},
    {"biogpt", "@kind=learned"},
    {"bit", "@kind=other"},
    {"bitnet",
     "hidden_size=2560 num_attention_heads=20 max_position_embeddings=2048 rope_theta=500000 "
     "@partial=scaled"},
    {"blenderbot", "@kind=learned"},
    {"blenderbot-small", "@kind=other"},
    {"blip", "@kind=parts @parts=text_config:!blip_text_model,vision_config:!blip_vision_model"},
    {"blip-2",
     "@kind=parts @parts=text_config:opt,qformer_config:!blip_2_qformer,"
     "vision_config:!blip_2_vision_model"},
    {"blip_2_qformer", "@kind=other"},
    {"blip_2_vision_model", "@kind=other"},
    {"blip_text_model", "@kind=other"},
    {"blip_vision_model", "@kind=other"},
    {"bloom", "@kind=alibi"},
    {"blt",
     "@kind=parts @parts=patcher_config:!blt_patcher,encoder_config:!blt_local_encoder,"
     "decoder_config:!blt_local_decoder,global_config:!blt_global_transformer"},
    {"blt_global_transformer",
     "hidden_size=2048 num_attention_heads=16 max_position_embeddings=4096 rope_theta=500000 "
     "@pairs=neighbours @partial=scaled"},
    {"blt_local_decoder",
     "hidden_size=1024 num_attention_heads=16 max_position_embeddings=24576 rope_theta=500000 "
     "@pairs=neighbours @partial=scaled"},
    {"blt_local_encoder",
     "hidden_size=1024 num_attention_heads=16 max_position_embeddings=24576 rope_theta=500000 "
     "@pairs=neighbours @partial=scaled"},
    {"blt_patcher",
     "hidden_size=768 num_attention_heads=12 max_position_embeddings=8192 rope_theta=10000 "
     "@pairs=neighbours @partial=scaled"},
    {"bridgetower",
     "@kind=parts @parts=text_config:!bridgetower_text_model,"
     "vision_config:!bridgetower_vision_model"},
    {"bridgetower_text_model", "@kind=other"},
    {"bridgetower_vision_model", "@kind=other"},
    {"bros", "@kind=other"},
    {"camembert", "position_embedding_type=absolute"},
    {"canary", "@kind=parts @parts=encoder_config:parakeet_encoder,decoder_config:!canary_decoder"},
    {"canary_decoder", "@kind=other"},
    {"canine", "@kind=other"},
    {"chameleon",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=4096 rope_theta=10000 "
     "@partial=scaled @parts=vq_config:!chameleon_vqgan"},
    {"chameleon_vqgan", "@kind=other"},
    {"chinese_clip",
     "@kind=parts @parts=text_config:!chinese_clip_text_model,"
     "vision_config:!chinese_clip_vision_model"},
    {"chinese_clip_text_model", "@kind=other"},
    {"chinese_clip_vision_model", "@kind=other"},
    {"chmv2", "@kind=parts @parts=backbone_config:dinov3_vit"},
    {"clap", "@kind=parts @parts=text_config:!clap_text_model,audio_config:!clap_audio_model"},
    {"clap_audio_model", "@kind=other"},
    {"clap_text_model", "@kind=other"},
    {"clip", "@kind=parts @parts=text_config:!clip_text_model,vision_config:!clip_vision_model"},
    {"clip_text_model", "@kind=learned"},
    {"clip_vision_model", "@kind=other"},
    {"clipseg",
     "@kind=parts @parts=text_config:!clipseg_text_model,vision_config:!clipseg_vision_model"},
    {"clipseg_text_model", "@kind=other"},
    {"clipseg_vision_model", "@kind=other"},
    {"clvp",
     "@kind=parts @parts=text_config:!clvp_encoder,speech_config:!clvp_encoder,"
     "decoder_config:!clvp_decoder"},
    {"clvp_decoder", "@kind=other"},
    {"clvp_encoder",
     "hidden_size=768 num_attention_heads=12 @partial=scaled @refused='projection_dim: "
     "max(projection_dim // (2 num_attention_heads), 32) elements rotate, whatever the width of "
     "a head (transformers, modeling_clvp.py)'"},
    {"coarse_acoustics", "@kind=other"},
    {"codegen", "rotary_dim=64 rope_theta=10000 @pairs=neighbours"},
    {"cohere",
     "hidden_size=8192 num_attention_heads=64 max_position_embeddings=8192 rope_theta=500000 "
     "@pairs=neighbours @partial=scaled"},
    {"cohere2",
     "hidden_size=8192 num_attention_heads=64 max_position_embeddings=8192 sliding_window=4096 "
     "sliding_window_pattern=4 rope_theta=10000 @nope=full_attention @pairs=neighbours "
     "@partial=scaled"},
    {"cohere2_moe",
     "hidden_size=8192 num_attention_heads=64 head_dim=128 max_position_embeddings=8192 "
     "sliding_window=4096 sliding_window_pattern=4 first_k_dense_replace=0 rope_theta=10000 "
     "@forced=first_k_dense_replace @nope=full_attention @pairs=neighbours @partial=scaled "
     "@reads=new"},
    {"cohere2_vision", "@kind=parts @parts=text_config:cohere2,vision_config:siglip_vision_model"},
    {"cohere_asr", "@kind=parts @parts=encoder_config:parakeet_encoder"},
    {"cohere_compass",
     "@kind=parts @parts=text_config:!cohere_compass_text,vision_config:!cohere_compass_vision"},
    {"cohere_compass_text",
     "@refused='rope_parameters: the sections of y and x have the even and the odd frequencies, "
     "each in a block (transformers, modeling_cohere_compass.py)'"},
    {"cohere_compass_vision",
     "hidden_size=1152 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"colmodernvbert", "@kind=parts @parts=vlm_config:!modernvbert"},
    {"colpali", "@kind=parts @parts=vlm_config:!paligemma,text_config:gemma"},
    {"colqwen2", "@kind=parts @parts=vlm_config:!qwen2_vl"},
    {"conditional_detr", "@kind=parts @parts=backbone_config:timm_backbone"},
    {"convbert", "@kind=other"},
    {"convnext", "@kind=other"},
    {"convnextv2", "@kind=other"},
    {"cosmos3_edge",
     "@kind=parts @parts=text_config:!cosmos3_edge_text,vision_config:!cosmos3_edge_vision"},
    {"cosmos3_edge_text",
     "hidden_size=2048 num_attention_heads=16 head_dim=128 max_position_embeddings=131072 "
     "rope_parameters.rope_theta=100000000 rope_theta=100000000 @order=interleaved "
     "@partial=never @sections=24,20,20"},
    {"cosmos3_edge_vision", "@kind=other"},
    {"cosmos3_omni", "@kind=parts @parts=vision_config:qwen3_vl_vision,text_config:qwen3_vl_text"},
    {"cpmant", "@kind=other"},
    {"csm",
     "hidden_size=2048 num_attention_heads=32 max_position_embeddings=2048 rope_theta=500000 "
     "@partial=scaled @parts=codec_config:mimi,depth_decoder_config:!csm_depth_decoder_model"},
    {"csm_depth_decoder_model",
     "hidden_size=1024 num_attention_heads=8 max_position_embeddings=33 rope_theta=500000 "
     "@partial=scaled"},
    {"ctrl", "@kind=sinusoidal @preset=hf_marian"},
    {"cvt", "@kind=other"},
    {"cwm",
     "hidden_size=6144 num_attention_heads=48 head_dim=128 max_position_embeddings=131072 "
     "sliding_window=8192 sliding_window_pattern=4 rope_parameters.factor=16 "
     "rope_parameters.high_freq_factor=4 rope_parameters.low_freq_factor=1 "
     "rope_parameters.original_max_position_embeddings=8192 rope_parameters.rope_theta=1000000 "
     "rope_parameters.rope_type=llama3 rope_theta=1000000 @full=first @partial=scaled"},
    {"d_fine", "@kind=parts @parts=backbone_config:hgnet_v2"},
    {"dab-detr", "@kind=parts @parts=backbone_config:timm_backbone"},
    {"dac", "@kind=other"},
    {"data2vec-audio", "@kind=other"},
    {"data2vec-text", "@kind=other"},
    {"data2vec-vision", "@kind=other"},
    {"dbrx",
     "d_model=2048 n_heads=16 rope_theta=10000 @base=attn_config.rope_theta @partial=scaled "
     "@unread=attn_config.rope_theta:10000"},
    {"dbrx_attn", "@kind=other"},
    {"dbrx_ffn", "@kind=other"},
    {"deberta", "@kind=other"},
    {"deberta-v2", "@kind=other"},
    {"decision_transformer", "@kind=other"},
    {"deepseek_ocr2",
     "@kind=parts @parts=vision_config:!deepseek_ocr2_vision,text_config:!deepseek_ocr2_text"},
    {"deepseek_ocr2_encoder",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=32768 rope_theta=10000 "
     "@partial=scaled"},
    {"deepseek_ocr2_sam_vision_model", "@kind=other"},
    {"deepseek_ocr2_text",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@head=none @partial=scaled"},
    {"deepseek_ocr2_vision",
     "@kind=parts @parts=sam_config:!deepseek_ocr2_sam_vision_model,"
     "encoder_config:!deepseek_ocr2_encoder"},
    {"deepseek_v2",
     "hidden_size=4096 num_attention_heads=32 qk_rope_head_dim=64 max_position_embeddings=2048 "
     "rope_theta=10000 @pairs=neighbours @partial=scaled"},
    {"deepseek_v3",
     "hidden_size=7168 num_attention_heads=128 qk_rope_head_dim=64 max_position_embeddings=4096 "
     "rope_interleave=true rope_theta=10000 @frequencies=head_dim @partial=scaled"},
    {"deepseek_v32",
     "hidden_size=7168 num_attention_heads=128 qk_rope_head_dim=64 "
     "max_position_embeddings=163840 index_head_dim=128 rope_theta=10000 "
     "@also=indexer:index_head_dim:halves @pairs=permuted @partial=scaled"},
    {"deepseek_v4",
     "hidden_size=4096 num_attention_heads=64 head_dim=512 qk_rope_head_dim=64 "
     "max_position_embeddings=1048576 sliding_window=128 index_head_dim=128 "
     "compress_rope_theta=160000 partial_rotary_factor=0.125 rope_theta=10000 "
     "@attention_factor=1 @ignores=compress_rope_theta @pairs=neighbours @rotates=last "
     "@share=qk_rope_head_dim"},
    {"deepseek_vl", "@kind=parts @parts=text_config:llama,vision_config:siglip_vision_model"},
    {"deepseek_vl_hybrid",
     "@kind=parts @parts=text_config:llama,vision_config:siglip_vision_model,"
     "high_res_vision_config:sam_vision_model"},
    {"deformable_detr", "@kind=parts @parts=backbone_config:timm_backbone"},
    {"deimv2", "@kind=parts @parts=backbone_config:hgnet_v2"},
    {"deit", "@kind=other"},
    {"depth_anything", "@kind=parts @parts=backbone_config:dinov2"},
    {"depth_pro",
     "@kind=parts @parts=image_model_config:dinov2,patch_model_config:dinov2,"
     "fov_model_config:dinov2"},
    {"detr", "@kind=parts @parts=backbone_config:timm_backbone"},
    {"dia", "@kind=parts @parts=encoder_config:!dia_encoder,decoder_config:!dia_decoder"},
    {"dia_decoder",
     "hidden_size=2048 num_attention_heads=16 head_dim=128 max_position_embeddings=3072 "
     "rope_theta=10000 @partial=scaled"},
    {"dia_encoder",
     "hidden_size=1024 num_attention_heads=16 head_dim=128 max_position_embeddings=1024 "
     "rope_theta=10000 @partial=scaled"},
    {"diffllama",
     "hidden_size=2048 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"diffusion_gemma", "@kind=parts @parts=text_config:!diffusion_gemma_text,vision_config"},
    {"diffusion_gemma_text",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=131072 "
     "sliding_window=512 sliding_window_pattern=6 global_head_dim=512 "
     "rope_parameters.full_attention.partial_rotary_factor=0.25 "
     "rope_parameters.full_attention.rope_theta=1000000 "
     "rope_parameters.full_attention.rope_type=proportional "
     "rope_parameters.sliding_attention.rope_theta=10000 "
     "rope_parameters.sliding_attention.rope_type=default @full=last"},
    {"dinat", "@kind=other"},
    {"dinov2", "@kind=other"},
    {"dinov2_with_registers", "@kind=other"},
    {"dinov3_convnext", "@kind=other"},
    {"dinov3_vit",
     "hidden_size=384 num_attention_heads=6 rope_theta=100 @axes=halves @head=none "
     "@ignores=pos_embed_rescale,pos_embed_shift,pos_embed_jitter @partial=scaled @positions='2 "
     "pi times the coordinate of a centre of a patch, which is scaled to -1 ... 1' @reads=none"},
    {"distilbert", "@kind=other"},
    {"doge",
     "hidden_size=1024 num_attention_heads=8 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"donut-swin", "@kind=other"},
    {"dots1",
     "hidden_size=4608 num_attention_heads=32 max_position_embeddings=2048 sliding_window=4096 "
     "max_window_layers=62 rope_theta=10000 @partial=scaled"},
    {"dpr", "@kind=other"},
    {"dpt", "@kind=parts @parts=backbone_config"},
    {"edgetam", "@kind=parts @parts=vision_config:!edgetam_vision_model"},
    {"edgetam_video",
     "memory_attention_downsample_rate=1 memory_attention_hidden_size=256 "
     "memory_attention_num_attention_heads=1 rope_theta=10000 @axes=halves "
     "@divide=memory_attention_downsample_rate @head=none "
     "@heads=memory_attention_num_attention_heads @hidden=memory_attention_hidden_size "
     "@ignores=memory_attention_rope_dropout,memory_attention_rope_feat_sizes,"
     "memory_attention_rope_k_sizes @pairs=neighbours @partial=scaled "
     "@parts=vision_config:sam2_vision_model,prompt_encoder_config:!edgetam_video_prompt_encoder,"
     "mask_decoder_config:!edgetam_video_mask_decoder"},
    {"edgetam_video_mask_decoder", "@kind=other"},
    {"edgetam_video_prompt_encoder", "@kind=other"},
    {"edgetam_vision_model", "@kind=other"},
    {"efficientloftr",
     "hidden_size=256 num_attention_heads=8 partial_rotary_factor=4 rope_theta=10000 "
     "@pairs=neighbours @refused='partial_rotary_factor: the elements of the whole width rotate "
     "by y and x in turns (transformers, modeling_efficientloftr.py)'"},
    {"efficientnet", "@kind=other"},
    {"electra", "position_embedding_type=absolute"},
    {"emu3", "@kind=parts @parts=text_config:!emu3_text_model,vq_config:!emu3_vqgan"},
    {"emu3_text_model",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=9216 rope_theta=1000000 "
     "@partial=scaled"},
    {"emu3_vqgan", "@kind=other"},
    {"encodec", "@kind=other"},
    {"encoder-decoder", "@kind=parts @parts=encoder,decoder"},
    {"eomt", "@kind=other"},
    {"eomt_dinov3",
     "hidden_size=1024 num_attention_heads=16 rope_theta=100 @axes=halves @head=none "
     "@ignores=pos_embed_rescale,pos_embed_shift,pos_embed_jitter @partial=scaled @positions='2 "
     "pi times the coordinate of a centre of a patch, which is scaled to -1 ... 1'"},
    {"ernie", "@kind=other"},
    {"ernie4_5",
     "hidden_size=1024 num_attention_heads=16 head_dim=128 max_position_embeddings=131072 "
     "rope_theta=500000 @pairs=neighbours @partial=scaled"},
    {"ernie4_5_moe",
     "hidden_size=2560 num_attention_heads=20 max_position_embeddings=131072 rope_theta=500000 "
     "@pairs=neighbours @partial=scaled"},
    {"ernie4_5_vl_moe",
     "@kind=parts @parts=vision_config:!ernie4_5_vl_moe_vision,text_config:!ernie4_5_vl_moe_text"},
    {"ernie4_5_vl_moe_text",
     "hidden_size=2560 num_attention_heads=20 max_position_embeddings=131072 rope_theta=500000 "
     "@order=hwt @pairs=neighbours @partial=scaled @sections=22,22,20"},
    {"ernie4_5_vl_moe_vision",
     "hidden_size=1280 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"esm",
     "hidden_size=768 num_attention_heads=12 max_position_embeddings=1026 "
     "position_embedding_type=absolute rope_theta=10000 @partial=scaled "
     "@parts=esmfold_config:!esm_esmfold"},
    {"esm_esmfold", "@kind=parts @parts=trunk:!esm_esmfold_trunk"},
    {"esm_esmfold_trunk",
     "@kind=parts @parts=structure_module:!esm_esmfold_trunk_structure_module"},
    {"esm_esmfold_trunk_structure_module", "@kind=other"},
    {"esmc",
     "hidden_size=2560 num_attention_heads=40 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"esmfold2",
     "@kind=parts @parts=esmc_config:esmc,atom_encoder:!esmfold2_atom_encoder,"
     "structure_head:!esmfold2_structure_head,confidence_head:!esmfold2_confidence_head,"
     "msa_encoder:!esmfold2_msa_encoder,lm_encoder:!esmfold2_lm_encoder"},
    {"esmfold2_atom_encoder", "@kind=other"},
    {"esmfold2_confidence_head", "@kind=other"},
    {"esmfold2_lm_encoder", "@kind=other"},
    {"esmfold2_msa_encoder", "@kind=other"},
    {"esmfold2_structure_head",
     "@kind=parts @parts=diffusion_module:!esmfold2_structure_head_diffusion_module"},
    {"esmfold2_structure_head_diffusion_module",
     "@kind=parts @parts=atom_encoder:!esmfold2_structure_head_diffusion_module_atom_encoder"},
    {"esmfold2_structure_head_diffusion_module_atom_encoder", "@kind=other"},
    {"eurobert",
     "hidden_size=768 num_attention_heads=12 max_position_embeddings=8192 rope_theta=10000 "
     "@partial=scaled"},
    {"evolla",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=8192 rope_theta=500000 "
     "@partial=scaled @parts=protein_encoder_config:!evolla_protein_encoder"},
    {"evolla_protein_encoder",
     "hidden_size=1280 num_attention_heads=20 max_position_embeddings=1026 rope_theta=10000 "
     "@partial=scaled"},
    {"exaone4",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 sliding_window=4096 "
     "sliding_window_pattern=4 rope_theta=10000 @nope=full_attention @partial=scaled"},
    {"exaone4_5", "@kind=parts @parts=vision_config:exaone4_5_vision,text_config:exaone4"},
    {"exaone4_5_vision",
     "hidden_size=3584 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"exaone_moe",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 sliding_window=4096 "
     "sliding_window_pattern=4 rope_theta=10000 @nope=full_attention @partial=scaled"},
    {"falcon",
     "hidden_size=4544 num_attention_heads=71 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"falcon_h1",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=8192 rope_theta=10000 "
     "@partial=scaled"},
    {"falcon_mamba", "@kind=none"},
    {"fast_vlm", "@kind=parts @parts=text_config:qwen2,vision_config:timm_wrapper"},
    {"fastspeech2_conformer", "@kind=other"},
    {"fastspeech2_conformer_hifigan", "@kind=other"},
    {"fastspeech2_conformer_with_hifigan",
     "@kind=parts @parts=model_config:!fastspeech2_conformer,"
     "vocoder_config:!fastspeech2_conformer_hifigan"},
    {"fine_acoustics", "@kind=other"},
    {"flaubert", "@kind=other"},
    {"flava",
     "@kind=parts @parts=text_config:!flava_text_model,image_config:!flava_image_model,"
     "multimodal_config:!flava_multimodal_model,image_codebook_config:!flava_image_codebook"},
    {"flava_image_codebook", "@kind=other"},
    {"flava_image_model", "@kind=other"},
    {"flava_multimodal_model", "@kind=other"},
    {"flava_text_model", "@kind=other"},
    {"flex_olmo",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=4096 rope_theta=500000 "
     "@partial=scaled"},
    {"florence2", "@kind=parts @parts=text_config:bart,vision_config:!florence_vision"},
    {"florence_vision", "@kind=other"},
    {"fnet", "@kind=other"},
    {"focalnet", "@kind=other"},
    {"fsmt", "@kind=other"},
    {"fun_asr_nano",
     "@kind=parts @parts=adaptor_config:!fun_asr_nano_adaptor,audio_config:fun_asr_nano_encoder,"
     "text_config:qwen3"},
    {"fun_asr_nano_adaptor", "@kind=other"},
    {"fun_asr_nano_encoder", "@kind=other"},
    {"funnel", "@kind=other"},
    {"fuyu", "@kind=parts @parts=text_config:persimmon"},
    {"gemma",
     "hidden_size=3072 num_attention_heads=16 head_dim=256 max_position_embeddings=8192 "
     "rope_theta=10000 @partial=scaled"},
    {"gemma2",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=8192 "
     "sliding_window=4096 sliding_window_pattern=2 rope_theta=10000 @partial=scaled"},
    {"gemma3", "@kind=parts @parts=text_config:!gemma3_text,vision_config:!siglip_vision_model"},
    {"gemma3_text",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=131072 "
     "sliding_window=4096 sliding_window_pattern=6 rope_local_base_freq=10000 rope_theta=1000000 "
     "@partial=scaled @type=ignored"},
    {"gemma3n",
     "@kind=parts @parts=text_config:!gemma3n_text,vision_config:!gemma3n_vision,"
     "audio_config:!gemma3n_audio"},
    {"gemma3n_audio", "@kind=other"},
    {"gemma3n_text",
     "hidden_size=2048 num_attention_heads=8 head_dim=256 max_position_embeddings=32768 "
     "sliding_window=512 sliding_window_pattern=5 rope_local_base_freq=10000 rope_theta=1000000 "
     "@partial=scaled @type=ignored"},
    {"gemma3n_vision", "@kind=other"},
    {"gemma4",
     "@kind=parts @parts=text_config:!gemma4_text,vision_config:!gemma4_vision,"
     "audio_config:!gemma4_audio"},
    {"gemma4_assistant", "@kind=parts @parts=text_config"},
    {"gemma4_audio", "@kind=other"},
    {"gemma4_text",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=131072 "
     "sliding_window=512 sliding_window_pattern=6 global_head_dim=512 "
     "rope_parameters.full_attention.partial_rotary_factor=0.25 "
     "rope_parameters.full_attention.rope_theta=1000000 "
     "rope_parameters.full_attention.rope_type=proportional "
     "rope_parameters.sliding_attention.rope_theta=10000 "
     "rope_parameters.sliding_attention.rope_type=default @full=last @partial=scaled"},
    {"gemma4_unified",
     "@kind=parts @parts=text_config:!gemma4_unified_text,vision_config:!gemma4_unified_vision,"
     "audio_config:!gemma4_unified_audio"},
    {"gemma4_unified_assistant", "@kind=parts @parts=text_config"},
    {"gemma4_unified_audio", "@kind=other"},
    {"gemma4_unified_text",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=262144 "
     "sliding_window=1024 sliding_window_pattern=6 global_head_dim=512 "
     "rope_parameters.full_attention.partial_rotary_factor=0.25 "
     "rope_parameters.full_attention.rope_theta=1000000 "
     "rope_parameters.full_attention.rope_type=proportional "
     "rope_parameters.sliding_attention.rope_theta=10000 "
     "rope_parameters.sliding_attention.rope_type=default @full=last @partial=scaled"},
    {"gemma4_unified_vision", "@kind=other"},
    {"gemma4_vision",
     "hidden_size=768 num_attention_heads=12 head_dim=64 max_position_embeddings=131072 "
     "rope_theta=100 @axes=blocks @partial=scaled"},
    {"git", "@kind=parts @parts=vision_config:!git_vision_model"},
    {"git_vision_model", "@kind=other"},
    {"glm",
     "hidden_size=4096 num_attention_heads=32 head_dim=128 max_position_embeddings=131072 "
     "partial_rotary_factor=0.5 rope_theta=10000 @pairs=neighbours"},
    {"glm4",
     "hidden_size=4096 num_attention_heads=32 head_dim=128 max_position_embeddings=131072 "
     "partial_rotary_factor=0.5 rope_theta=10000 @pairs=neighbours"},
    {"glm46v", "@kind=parts @parts=text_config:glm4v_text,vision_config:glm4v_vision"},
    {"glm4_moe",
     "hidden_size=4096 num_attention_heads=96 max_position_embeddings=131072 "
     "partial_rotary_factor=0.5 rope_theta=10000"},
    {"glm4_moe_lite",
     "hidden_size=2048 num_attention_heads=20 qk_rope_head_dim=64 max_position_embeddings=202752 "
     "rope_interleave=true rope_theta=10000 @frequencies=head_dim @head=qk_rope_head_dim"},
    {"glm4v", "@kind=parts @parts=vision_config:!glm4v_vision,text_config:!glm4v_text"},
    {"glm4v_moe", "@kind=parts @parts=vision_config:!glm4v_moe_vision,text_config:!glm4v_moe_text"},
    {"glm4v_moe_text",
     "hidden_size=4096 num_attention_heads=96 max_position_embeddings=65536 "
     "partial_rotary_factor=0.5 rope_theta=10000 @order=blocks @sections=8,12,12"},
    {"glm4v_moe_vision",
     "hidden_size=1536 num_heads=12 rope_theta=10000 @axes=halves @partial=scaled"},
    {"glm4v_text",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=32768 rope_theta=10000 "
     "@order=blocks @pairs=neighbours @sections=8,12,12"},
    {"glm4v_vision", "hidden_size=1536 num_heads=12 rope_theta=10000 @axes=halves @partial=scaled"},
    {"glm5_next", "@kind=parts @parts=vision_config:!glm5_next_vision,text_config:!glm5_next_text"},
    {"glm5_next_text", "@kind=none"},
    {"glm5_next_vision",
     "hidden_size=1024 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"glm_image",
     "@kind=parts @parts=vision_config:!glm_image_vision,text_config:!glm_image_text,"
     "vq_config:!glm_image_vqmodel"},
    {"glm_image_text",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 rope_theta=10000 "
     "@order=blocks @sections=8,12,12"},
    {"glm_image_vision", "@kind=other"},
    {"glm_image_vqmodel", "@kind=other"},
    {"glm_moe_dsa",
     "hidden_size=6144 num_attention_heads=64 qk_rope_head_dim=64 max_position_embeddings=202752 "
     "index_head_dim=128 rope_theta=10000 @also=indexer:index_head_dim:indexer_rope_interleave "
     "@ignores=indexer_rope_interleave @pairs=permuted @partial=scaled"},
    {"glm_ocr", "@kind=parts @parts=vision_config:!glm_ocr_vision,text_config:!glm_ocr_text"},
    {"glm_ocr_text",
     "hidden_size=1024 num_attention_heads=16 max_position_embeddings=131072 rope_theta=10000 "
     "@order=blocks @pairs=neighbours @sections=8,12,12"},
    {"glm_ocr_vision",
     "hidden_size=1024 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"glmasr",
     "text_config.hidden_size=2048 text_config.num_attention_heads=16 "
     "text_config.rope_parameters.rope_theta=10000 text_config.rope_parameters.rope_type=default "
     "@kind=parts @parts=text_config:llama,audio_config:glmasr_encoder"},
    {"glmasr_encoder",
     "hidden_size=1280 num_attention_heads=20 max_position_embeddings=1500 "
     "partial_rotary_factor=0.5 rope_theta=10000"},
    {"glmga", "@kind=parts @parts=text_config:glm4v_text,vision_config:glm4v_vision"},
    {"glpn", "@kind=other"},
    {"got_ocr2", "@kind=parts @parts=text_config:qwen2,vision_config:!got_ocr2_vision"},
    {"got_ocr2_vision", "@kind=other"},
    {"gpt-sw3", "@kind=learned"},
    {"gpt2", "@kind=learned"},
    {"gpt_bigcode", "@kind=learned"},
    {"gpt_neo", "@kind=learned"},
    {"gpt_neox",
     "hidden_size=6144 num_attention_heads=64 max_position_embeddings=2048 rotary_emb_base=10000 "
     "rotary_pct=0.25 @base=rotary_emb_base @partial=inner"},
    {"gpt_neox_japanese",
     "hidden_size=2560 num_attention_heads=32 max_position_embeddings=2048 rotary_emb_base=10000 "
     "rotary_pct=1 @base=rotary_emb_base @partial=scaled,inner"},
    {"gpt_oss",
     "hidden_size=2880 num_attention_heads=64 head_dim=64 max_position_embeddings=131072 "
     "sliding_window=128 sliding_window_pattern=2 rope_parameters.beta_fast=32 "
     "rope_parameters.beta_slow=1 rope_parameters.factor=32 "
     "rope_parameters.original_max_position_embeddings=4096 rope_parameters.rope_type=yarn "
     "rope_parameters.truncate=false rope_theta=150000 @partial=scaled"},
    {"gptj", "rotary_dim=64 rope_theta=10000 @ignores=rotary @pairs=neighbours"},
    {"granite",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"granite4_vision",
     "@kind=parts @parts=text_config:llama,vision_config:siglip_vision_model,"
     "qformer_config:blip_2_qformer"},
    {"granite4_vision_text",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"granite_speech",
     "@kind=parts @parts=text_config:granite,encoder_config:!granite_speech_encoder,"
     "projector_config:blip_2_qformer"},
    {"granite_speech5_ctc", "@kind=parts @parts=encoder_config:!granite_speech5_encoder"},
    {"granite_speech5_encoder", "@kind=other"},
    {"granite_speech_encoder", "@kind=other"},
    {"granite_speech_plus",
     "@kind=parts @parts=text_config:granite,encoder_config:!granite_speech_plus_encoder,"
     "projector_config:blip_2_qformer"},
    {"granite_speech_plus_encoder", "@kind=other"},
    {"granite_swa",
     "hidden_size=2560 num_attention_heads=20 max_position_embeddings=8192 sliding_window=128 "
     "sliding_window_pattern=4 rope_theta=10000 @full=first @partial=scaled"},
    {"granitemoe",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"granitemoe_swa",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 sliding_window=128 "
     "sliding_window_pattern=4 rope_theta=10000 @full=first @partial=scaled"},
    {"granitemoehybrid",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 "
     "position_embedding_type=nope rope_theta=10000 @partial=scaled"},
    {"granitemoeshared",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"grounding-dino", "@kind=parts @parts=backbone_config:swin,text_config:bert"},
    {"groupvit",
     "@kind=parts @parts=text_config:!groupvit_text_model,vision_config:!groupvit_vision_model"},
    {"groupvit_text_model", "@kind=other"},
    {"groupvit_vision_model", "@kind=other"},
    {"helium",
     "hidden_size=2560 num_attention_heads=20 head_dim=128 max_position_embeddings=4096 "
     "rope_theta=100000 @pairs=neighbours @partial=scaled"},
    {"hgnet_v2", "@kind=other"},
    {"hiera", "@kind=other"},
    {"higgs_audio_v2",
     "hidden_size=3072 num_attention_heads=24 head_dim=128 max_position_embeddings=2048 "
     "rope_parameters.factor=32 rope_parameters.high_freq_factor=0.5 "
     "rope_parameters.low_freq_factor=0.125 "
     "rope_parameters.original_max_position_embeddings=1024 rope_parameters.rope_theta=500000 "
     "rope_parameters.rope_type=llama3 rope_theta=10000 @partial=scaled"},
    {"higgs_audio_v2_tokenizer",
     "@kind=parts @parts=acoustic_model_config:dac,semantic_model_config:hubert"},
    {"hrm_text",
     "hidden_size=1536 num_attention_heads=12 head_dim=128 max_position_embeddings=2048 "
     "rope_theta=10000 @partial=scaled"},
    {"hubert", "@kind=other"},
    {"hunyuan_v1_dense",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@ignores=use_rotary_pos_emb,position_embedding_xdrope @partial=scaled"},
    {"hunyuan_v1_moe",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@ignores=use_rotary_pos_emb,position_embedding_xdrope @partial=scaled"},
    {"hunyuan_vl",
     "@kind=parts @parts=vision_config:!hunyuan_vl_vision,text_config:!hunyuan_vl_text"},
    {"hunyuan_vl_text",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@order=blocks @partial=scaled"},
    {"hunyuan_vl_vision", "@kind=other"},
    {"hy_v3",
     "hidden_size=4096 num_attention_heads=64 head_dim=128 max_position_embeddings=131072 "
     "rope_theta=11158840 @partial=scaled"},
    {"hy_v4",
     "hidden_size=2816 num_attention_heads=32 qk_rope_head_dim=64 max_position_embeddings=262144 "
     "index_head_dim=128 rope_theta=10000 @partial=scaled"},
    {"hyperclovax",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"ibert", "@kind=other"},
    {"idefics",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled @parts=perceiver_config:!idefics_perciever,vision_config:!idefics_vision"},
    {"idefics2",
     "@kind=parts @parts=text_config:mistral,perceiver_config:!idefics2_perceiver,"
     "vision_config:!idefics2_vision"},
    {"idefics2_perceiver", "@kind=other"},
    {"idefics2_vision", "@kind=other"},
    {"idefics3", "@kind=parts @parts=text_config:llama,vision_config:!idefics3_vision"},
    {"idefics3_vision", "@kind=other"},
    {"idefics_perciever", "@kind=other"},
    {"idefics_vision", "@kind=other"},
    {"ijepa", "@kind=other"},
    {"imagegpt", "@kind=other"},
    {"informer", "@kind=other"},
    {"inkling_audio", "@kind=other"},
    {"inkling_mm_model",
     "@kind=parts @parts=text_config:!inkling_text,audio_config:!inkling_audio,"
     "vision_config:!inkling_vision"},
    {"inkling_text", "@kind=other"},
    {"inkling_vision", "@kind=other"},
    {"instructblip",
     "@kind=parts @parts=text_config:opt,qformer_config:!instructblip_qformer,"
     "vision_config:!instructblip_vision_model"},
    {"instructblip_qformer", "@kind=other"},
    {"instructblip_vision_model", "@kind=other"},
    {"instructblipvideo",
     "@kind=parts @parts=text_config:opt,qformer_config:!instructblipvideo_qformer,"
     "vision_config:!instructblipvideo_vision_model"},
    {"instructblipvideo_qformer", "@kind=other"},
    {"instructblipvideo_vision_model", "@kind=other"},
    {"internvl", "@kind=parts @parts=text_config:qwen2,vision_config:!internvl_vision"},
    {"internvl_vision", "@kind=other"},
    {"jais2",
     "hidden_size=3328 num_attention_heads=26 max_position_embeddings=8192 rope_theta=10000 "
     "@partial=scaled"},
    {"jamba", "@kind=none"},
    {"janus",
     "@kind=parts @parts=text_config:llama,vision_config:!janus_vision_model,"
     "vq_config:!janus_vqgan"},
    {"janus_vision_model", "@kind=other"},
    {"janus_vqgan", "@kind=other"},
    {"jetmoe",
     "hidden_size=2048 num_attention_heads=32 max_position_embeddings=4096 kv_channels=128 "
     "rope_theta=10000 @partial=scaled"},
    {"jina_embeddings_v3",
     "hidden_size=1024 num_attention_heads=16 max_position_embeddings=8194 rope_theta=20000 "
     "@partial=scaled"},
    {"kimi_k25", "@kind=parts @parts=text_config:deepseek_v3,vision_config:!kimi_k25_vision"},
    {"kimi_k25_vision",
     "hidden_size=1152 num_attention_heads=16 rope_theta=10000 @axes=woven @partial=scaled"},
    {"kimi_linear", "rope_theta=10000 @kind=none"},
    {"kosmos-2",
     "@kind=parts @parts=text_config:!kosmos_2_text_model,vision_config:!kosmos_2_vision_model"},
    {"kosmos-2.5",
     "@kind=parts @parts=text_config:!kosmos_2_5_text_model,"
     "vision_config:!kosmos_2_5_vision_model"},
    {"kosmos_2_5_text_model", "@kind=other"},
    {"kosmos_2_5_vision_model", "@kind=other"},
    {"kosmos_2_text_model", "@kind=other"},
    {"kosmos_2_vision_model", "@kind=other"},
    {"kyutai_speech_to_text",
     "hidden_size=2048 num_attention_heads=32 max_position_embeddings=750 sliding_window=375 "
     "rope_theta=10000 @partial=scaled @parts=codec_config:mimi"},
    {"laguna",
     "hidden_size=2048 num_attention_heads=48 head_dim=128 max_position_embeddings=131072 "
     "sliding_window=512 rope_parameters.full_attention.partial_rotary_factor=0.5 "
     "rope_parameters.full_attention.rope_theta=500000 "
     "rope_parameters.full_attention.rope_type=default "
     "rope_parameters.sliding_attention.partial_rotary_factor=1 "
     "rope_parameters.sliding_attention.rope_theta=10000 "
     "rope_parameters.sliding_attention.rope_type=default"},
    {"lasr_ctc", "@kind=parts @parts=encoder_config:!lasr_encoder"},
    {"lasr_encoder",
     "hidden_size=512 num_attention_heads=8 max_position_embeddings=10000 rope_theta=10000 "
     "@partial=scaled"},
    {"layoutlm", "@kind=other"},
    {"layoutlmv2", "@kind=other"},
    {"layoutlmv3", "@kind=other"},
    {"layoutxlm", "@kind=other"},
    {"led", "@kind=other"},
    {"levit", "@kind=other"},
    {"lfm2",
     "hidden_size=2560 num_attention_heads=32 max_position_embeddings=128000 rope_theta=1000000 "
     "@base=theta @partial=scaled @unread=theta:1000000"},
    {"lfm2_moe",
     "hidden_size=2048 num_attention_heads=32 max_position_embeddings=128000 rope_theta=1000000 "
     "@partial=scaled"},
    {"lfm2_vl", "@kind=parts @parts=text_config:lfm2,vision_config:siglip2_vision_model"},
    {"lightglue", "@kind=parts @parts=keypoint_detector_config:superpoint"},
    {"lighton_ocr", "@kind=parts @parts=text_config:qwen3,vision_config:pixtral"},
    {"lilt", "@kind=other"},
    {"llama",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"llama4", "@kind=parts @parts=text_config:!llama4_text,vision_config:!llama4_vision_model"},
    {"llama4_text",
     "hidden_size=5120 num_attention_heads=40 head_dim=128 max_position_embeddings=131072 "
     "no_rope_layer_interval=4 attn_scale=0.1 floor_scale=8192 attn_temperature_tuning=true "
     "rope_theta=500000 @pairs=neighbours @partial=scaled"},
    {"llama4_vision_model",
     "hidden_size=768 num_attention_heads=16 rope_theta=10000 @axes=halves @head=none "
     "@pairs=neighbours @partial=scaled @positions='x + 1, then y + 1; 0 for the class token'"},
    {"llava", "@kind=parts @parts=text_config:llama,vision_config:clip_vision_model"},
    {"llava_next", "@kind=parts @parts=text_config:llama,vision_config:clip_vision_model"},
    {"llava_next_video", "@kind=parts @parts=text_config:llama,vision_config:clip_vision_model"},
    {"llava_onevision", "@kind=parts @parts=text_config:qwen2,vision_config:siglip_vision_model"},
    {"longcat_flash",
     "hidden_size=6144 num_attention_heads=64 head_dim=64 qk_rope_head_dim=64 "
     "max_position_embeddings=131072 rope_theta=10000000 @frequencies=head_dim @pairs=permuted "
     "@partial=scaled"},
    {"longformer", "@kind=other"},
    {"longt5", "@kind=t5"},
    {"luke", "@kind=other"},
    {"lw_detr", "@kind=parts @parts=backbone_config:lw_detr_vit"},
    {"lw_detr_vit", "@kind=other"},
    {"lxmert", "@kind=other"},
    {"m2m_100", "@kind=sinusoidal @preset=fairseq"},
    {"mamba", "@kind=none"},
    {"mamba2", "@kind=none"},
    {"marian", "@kind=sinusoidal @preset=hf_marian"},
    {"markuplm", "@kind=other"},
    {"mask2former", "@kind=parts @parts=backbone_config:swin"},
    {"maskformer", "@kind=parts @parts=backbone_config:swin,decoder_config:detr"},
    {"maskformer-swin", "@kind=other"},
    {"mbart", "@kind=learned"},
    {"megatron-bert", "@kind=other"},
    {"mellum",
     "hidden_size=2304 num_attention_heads=32 head_dim=128 max_position_embeddings=131072 "
     "sliding_window=1024 rope_parameters.full_attention.rope_theta=500000 "
     "rope_parameters.full_attention.rope_type=default "
     "rope_parameters.sliding_attention.rope_theta=10000 "
     "rope_parameters.sliding_attention.rope_type=default"},
    {"metaclip_2",
     "@kind=parts @parts=text_config:!metaclip_2_text_model,"
     "vision_config:!metaclip_2_vision_model"},
    {"metaclip_2_text_model", "@kind=other"},
    {"metaclip_2_vision_model", "@kind=other"},
    {"mgp-str", "@kind=other"},
    {"mimi",
     "hidden_size=512 num_attention_heads=8 max_position_embeddings=8000 sliding_window=250 "
     "rope_theta=10000 @partial=scaled"},
    {"mimo_v2_flash",
     "hidden_size=4096 num_attention_heads=64 head_dim=192 max_position_embeddings=131072 "
     "sliding_window=128 sliding_window_pattern=6 partial_rotary_factor=0.334 "
     "rope_parameters.full_attention.partial_rotary_factor=0.334 "
     "rope_parameters.full_attention.rope_theta=5000000 "
     "rope_parameters.full_attention.rope_type=default "
     "rope_parameters.sliding_attention.partial_rotary_factor=0.334 "
     "rope_parameters.sliding_attention.rope_theta=10000 "
     "rope_parameters.sliding_attention.rope_type=default @full=also_first"},
    {"minicpm3",
     "hidden_size=2560 num_attention_heads=40 qk_rope_head_dim=32 max_position_embeddings=32768 "
     "rope_theta=10000 @partial=scaled"},
    {"minicpmv4_6",
     "@kind=parts @parts=text_config:qwen3_5_text,vision_config:!minicpmv4_6_vision"},
    {"minicpmv4_6_vision", "@kind=other"},
    {"minimax",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 "
     "full_attention_interval=2 rope_theta=1000000 @full=first @partial=scaled"},
    {"minimax_m2",
     "hidden_size=3072 num_attention_heads=48 head_dim=128 max_position_embeddings=196608 "
     "rope_theta=5000000 @unread=rotary_dim:128"},
    {"minimax_m3_vl",
     "@kind=parts @parts=text_config:minimax_m3_vl_text,vision_config:minimax_m3_vl_vision"},
    {"minimax_m3_vl_text",
     "hidden_size=6144 num_attention_heads=64 head_dim=128 max_position_embeddings=524288 "
     "index_head_dim=128 rope_theta=5000000 @ignores=rotary_dim"},
    {"minimax_m3_vl_vision",
     "hidden_size=1280 num_attention_heads=16 rope_theta=10000 @axes=halves @partial=scaled "
     "@positions='y, then x, as transformers 5.17.0 has them; 5.24.0 rotates 78 of 80 elements "
     "by t, y and x, which is right'"},
    {"ministral",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 sliding_window=4096 "
     "rope_theta=10000 @partial=scaled"},
    {"ministral3",
     "hidden_size=4096 num_attention_heads=32 head_dim=128 max_position_embeddings=262144 "
     "rope_parameters.beta_fast=32 rope_parameters.beta_slow=1 rope_parameters.factor=16 "
     "rope_parameters.llama_4_scaling_beta=0.1 rope_parameters.max_position_embeddings=262144 "
     "rope_parameters.mscale=1 rope_parameters.mscale_all_dim=1 "
     "rope_parameters.original_max_position_embeddings=16384 rope_parameters.rope_theta=1000000 "
     "rope_parameters.rope_type=yarn rope_theta=10000 @partial=scaled"},
    {"mistral",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 sliding_window=4096 "
     "rope_theta=10000 @partial=scaled"},
    {"mistral3", "@kind=parts @parts=text_config:mistral,vision_config:pixtral"},
    {"mistral4",
     "hidden_size=4096 num_attention_heads=32 head_dim=128 qk_rope_head_dim=64 "
     "max_position_embeddings=1048576 rope_interleave=true rope_parameters.beta_fast=32 "
     "rope_parameters.beta_slow=1 rope_parameters.factor=128 "
     "rope_parameters.llama_4_scaling_beta=0.1 rope_parameters.max_position_embeddings=1048576 "
     "rope_parameters.mscale=1 rope_parameters.mscale_all_dim=1 "
     "rope_parameters.original_max_position_embeddings=8192 "
     "rope_parameters.partial_rotary_factor=0.5 rope_parameters.rope_theta=10000 "
     "rope_parameters.rope_type=yarn rope_theta=10000 @frequencies=head_dim @partial=scaled"},
    {"mixtral",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 rope_theta=1000000 "
     "@partial=scaled"},
    {"mlcd",
     "hidden_size=1664 num_attention_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"mlcd_vision_model",
     "hidden_size=1664 num_attention_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"mllama",
     "@kind=parts @parts=text_config:!mllama_text_model,vision_config:!mllama_vision_model"},
    {"mllama_text_model",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 rope_theta=500000 "
     "@partial=scaled"},
    {"mllama_vision_model", "@kind=other"},
    {"mm-grounding-dino", "@kind=parts @parts=backbone_config:swin,text_config:bert"},
    {"mobilebert", "@kind=other"},
    {"mobilenet_v1", "@kind=other"},
    {"mobilenet_v2", "@kind=other"},
    {"mobilevit", "@kind=other"},
    {"mobilevitv2", "@kind=other"},
    {"modernbert",
     "hidden_size=768 num_attention_heads=12 max_position_embeddings=8192 "
     "global_attn_every_n_layers=3 local_attention=128 global_rope_theta=160000 "
     "local_rope_theta=10000 num_hidden_layers=22 @base=global_rope_theta @full=first "
     "@partial=scaled @type=ignored"},
    {"modernbert-decoder",
     "hidden_size=768 num_attention_heads=12 max_position_embeddings=8192 sliding_window=64 "
     "global_attn_every_n_layers=3 local_attention=128 global_rope_theta=160000 "
     "local_rope_theta=10000 num_hidden_layers=22 @base=global_rope_theta @full=first "
     "@partial=scaled @type=ignored"},
    {"modernvbert", "@kind=parts @parts=text_config:modernbert,vision_config:siglip_vision_model"},
    {"moonshine",
     "hidden_size=288 max_position_embeddings=512 decoder_num_attention_heads=8 "
     "decoder_num_hidden_layers=6 partial_rotary_factor=0.9 rope_theta=10000 "
     "@heads=decoder_num_attention_heads @layers=decoder_num_hidden_layers @pairs=neighbours"},
    {"moonshine_streaming",
     "hidden_size=320 num_attention_heads=8 max_position_embeddings=4096 "
     "rope_parameters.partial_rotary_factor=0.8 rope_parameters.rope_theta=10000 "
     "rope_theta=10000 @pairs=neighbours @parts=encoder_config:!moonshine_streaming_encoder"},
    {"moonshine_streaming_encoder", "@kind=other"},
    {"moshi",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=3000 sliding_window=3000 "
     "rope_theta=10000 @partial=scaled @parts=audio_encoder_config:mimi,"
     "depth_decoder_config:!moshi_depth"},
    {"moshi_depth", "@kind=other"},
    {"mpnet", "@kind=other"},
    {"mpt", "@base=attn_config.rope_theta @kind=alibi"},
    {"mpt_attn", "@kind=other"},
    {"mra", "@kind=other"},
    {"mt5", "@kind=t5"},
    {"muse_glimmer",
     "@kind=parts @parts=text_config:!muse_glimmer_text,vision_config:!muse_glimmer_vision"},
    {"muse_glimmer_assistant",
     "hidden_size=6656 num_attention_heads=32 head_dim=128 max_position_embeddings=131072 "
     "sliding_window=2048 rope_theta=500000 @partial=scaled"},
    {"muse_glimmer_text",
     "hidden_size=6656 num_attention_heads=32 head_dim=128 max_position_embeddings=131072 "
     "sliding_window=2048 sliding_window_pattern=4 rope_theta=10000 @bases=flags @partial=scaled "
     "@still_kinds=full_attention"},
    {"muse_glimmer_vision",
     "hidden_size=1536 num_attention_heads=16 max_position_embeddings=1024 rope_theta=10000 "
     "@axes=halves @partial=scaled"},
    {"musicflamingo",
     "head_dim=1280 rope_parameters.partial_rotary_factor=0.2 rope_parameters.rope_theta=1200 "
     "@pairs=neighbours @parts=audio_config:audioflamingo3_encoder,text_config:qwen2 "
     "@refused='rope_parameters: MusicFlamingoRotaryEmbedding multiplies angles by time stamps, "
     "which no position tells (transformers, modeling_musicflamingo.py)'"},
    {"musicgen", "@kind=parts @parts=text_encoder,audio_encoder,decoder:!musicgen_decoder"},
    {"musicgen_decoder", "@kind=sinusoidal @preset=musicgen"},
    {"musicgen_melody",
     "@kind=parts @parts=text_encoder,audio_encoder,decoder:!musicgen_melody_decoder"},
    {"musicgen_melody_decoder", "@kind=other"},
    {"mvp", "@kind=other"},
    {"nanochat",
     "hidden_size=768 num_attention_heads=6 max_position_embeddings=2048 rope_theta=10000 "
     "@direction=back @partial=scaled"},
    {"nemotron",
     "hidden_size=6144 num_attention_heads=48 max_position_embeddings=4096 "
     "partial_rotary_factor=0.5 rope_theta=10000"},
    {"nemotron3_5_asr", "@kind=parts @parts=encoder_config:nemotron_asr_streaming_encoder"},
    {"nemotron_asr_streaming", "@kind=parts @parts=encoder_config:!nemotron_asr_streaming_encoder"},
    {"nemotron_asr_streaming_encoder", "@kind=other"},
    {"nemotron_h", "@kind=none"},
    {"neomme",
     "hidden_size=1024 num_attention_heads=16 head_dim=64 max_position_embeddings=16384 "
     "sliding_window=256 sliding_window_pattern=6 "
     "rope_parameters.full_attention.partial_rotary_factor=0.25 "
     "rope_parameters.full_attention.rope_theta=1000000 "
     "rope_parameters.full_attention.rope_type=default "
     "rope_parameters.sliding_attention.partial_rotary_factor=1 "
     "rope_parameters.sliding_attention.rope_theta=10000 "
     "rope_parameters.sliding_attention.rope_type=default @bases=top @full=last "
     "@order=interleaved"},
    {"neucodec",
     "hidden_size=1024 num_attention_heads=16 head_dim=64 max_position_embeddings=4096 "
     "rope_theta=10000 @partial=scaled @parts=semantic_model_config:wav2vec2-bert"},
    {"nllb-moe", "@kind=other"},
    {"nomic_bert",
     "hidden_size=768 num_attention_heads=12 max_position_embeddings=2048 rope_theta=1000 "
     "@ignores=max_trained_positions @partial=scaled @unread=rotary_emb_base:1000,"
     "rotary_emb_fraction:1,rotary_emb_interleaved:false,n_embd:768,n_head:12"},
    {"nougat", "@kind=parts @parts=encoder,decoder"},
    {"nystromformer", "@kind=other"},
    {"olmo",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"olmo2",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 rope_theta=10000 "
     "@partial=scaled"},
    {"olmo3",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=2048 sliding_window=4096 "
     "sliding_window_pattern=4 rope_theta=500000 @partial=scaled @scaled=full_attention "
     "@sliding_base=500000 @type=ignored"},
    {"olmo_hybrid",
     "hidden_size=3840 num_attention_heads=30 max_position_embeddings=65536 "
     "full_attention_interval=4 rope_theta=10000 @partial=scaled @rope=unless_null"},
    {"olmoe",
     "hidden_size=2048 num_attention_heads=16 max_position_embeddings=4096 rope_theta=10000 "
     "@partial=scaled"},
    {"omdet-turbo", "@kind=parts @parts=backbone_config:timm_backbone,text_config:clip_text_model"},
    {"oneformer", "@kind=parts @parts=backbone_config:swin"},
    {"openai-gpt", "@kind=other"},
    {"openai_privacy_filter",
     "hidden_size=640 num_attention_heads=14 head_dim=64 max_position_embeddings=131072 "
     "sliding_window=128 rope_parameters.beta_fast=32 rope_parameters.beta_slow=1 "
     "rope_parameters.factor=32 rope_parameters.original_max_position_embeddings=4096 "
     "rope_parameters.rope_type=yarn rope_parameters.truncate=false rope_theta=150000 "
     "@pairs=neighbours @partial=scaled"},
    {"opt", "@kind=learned"},
    {"ovis2", "@kind=parts @parts=text_config:qwen2,vision_config:!ovis2_vision"},
    {"ovis2_vision", "@kind=other"},
    {"owlv2", "@kind=parts @parts=text_config:!owlv2_text_model,vision_config:!owlv2_vision_model"},
    {"owlv2_text_model", "@kind=other"},
    {"owlv2_vision_model", "@kind=other"},
    {"owlvit",
     "@kind=parts @parts=text_config:!owlvit_text_model,vision_config:!owlvit_vision_model"},
    {"owlvit_text_model", "@kind=other"},
    {"owlvit_vision_model", "@kind=other"},
    {"paddleocr_vl",
     "@kind=parts @parts=vision_config:!paddleocr_vl_vision,text_config:!paddleocr_vl_text"},
    {"paddleocr_vl_text",
     "hidden_size=1024 num_attention_heads=16 head_dim=128 max_position_embeddings=131072 "
     "rope_theta=500000 @order=blocks @partial=scaled @sections=16,24,24"},
    {"paddleocr_vl_vision",
     "hidden_size=1152 num_attention_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"paligemma", "@kind=parts @parts=text_config:gemma,vision_config:siglip_vision_model"},
    {"parakeet_ctc", "@kind=parts @parts=encoder_config:!parakeet_encoder"},
    {"parakeet_encoder", "@kind=other"},
    {"parakeet_rnnt", "@kind=parts @parts=encoder_config:!parakeet_encoder"},
    {"parakeet_tdt", "@kind=parts @parts=encoder_config:!parakeet_encoder"},
    {"patchtsmixer", "@kind=other"},
    {"patchtst", "@kind=other"},
    {"pe_audio",
     "text_config.hidden_size=1024 text_config.num_attention_heads=16 @kind=parts "
     "@parts=text_config:modernbert,audio_config:!pe_audio_encoder"},
    {"pe_audio_encoder",
     "hidden_size=1792 num_attention_heads=14 head_dim=128 max_position_embeddings=10000 "
     "rope_parameters.rope_theta=20000 rope_theta=10000 @partial=scaled @parts=dac_config:dac"},
    {"pe_audio_video",
     "@kind=parts @parts=text_config:modernbert,audio_video_config:!pe_audio_video_encoder"},
    {"pe_audio_video_encoder",
     "hidden_size=1792 num_attention_heads=14 head_dim=128 max_position_embeddings=10000 "
     "rope_parameters.rope_theta=20000 rope_theta=10000 @partial=scaled "
     "@parts=audio_config:!pe_audio_encoder,video_config:!pe_video_encoder"},
    {"pe_video", "@kind=parts @parts=text_config:modernbert,video_config:!pe_video_encoder"},
    {"pe_video_encoder",
     "hidden_size=1792 num_attention_heads=14 head_dim=128 max_position_embeddings=10000 "
     "rope_parameters.rope_theta=20000 rope_theta=10000 @partial=scaled "
     "@parts=vision_config:timm_wrapper"},
    {"pegasus", "@kind=sinusoidal @preset=hf_marian"},
    {"pegasus_x", "@kind=sinusoidal @preset=t2t"},
    {"perceiver", "@kind=other"},
    {"perception_lm", "@kind=parts @parts=text_config:llama,vision_config:!timm_wrapper"},
    {"persimmon",
     "hidden_size=4096 num_attention_heads=64 max_position_embeddings=16384 "
     "partial_rotary_factor=0.5 rope_theta=10000"},
    {"phi",
     "hidden_size=2048 num_attention_heads=32 max_position_embeddings=2048 "
     "partial_rotary_factor=0.5 rope_theta=10000"},
    {"phi3",
     "hidden_size=3072 num_attention_heads=32 max_position_embeddings=4096 "
     "partial_rotary_factor=1 rope_theta=10000"},
    {"phi4_multimodal",
     "hidden_size=3072 num_attention_heads=32 max_position_embeddings=131072 "
     "partial_rotary_factor=1 rope_theta=10000 @parts=audio_config:!phi4_multimodal_audio,"
     "vision_config:!phi4_multimodal_vision"},
    {"phi4_multimodal_audio", "@kind=other"},
    {"phi4_multimodal_vision", "@kind=other"},
    {"phimoe",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 rope_theta=1000000 "
     "@partial=never"},
    {"pi0", "@kind=parts @parts=vlm_config:paligemma,dit_config:gemma"},
    {"pix2struct",
     "@kind=parts @parts=text_config:!pix2struct_text_model,"
     "vision_config:!pix2struct_vision_model"},
    {"pix2struct_text_model", "@kind=other"},
    {"pix2struct_vision_model", "@kind=other"},
    {"pixio", "@kind=other"},
    {"pixtral",
     "hidden_size=1024 num_attention_heads=16 rope_theta=10000 @axes=mixed @partial=scaled"},
    {"plbart", "@kind=other"},
    {"poolformer", "@kind=other"},
    {"pop2piano", "@kind=other"},
    {"pp_chart2table", "@kind=parts @parts=text_config:qwen2,vision_config:!pp_chart2table_vision"},
    {"pp_chart2table_vision", "@kind=other"},
    {"pp_doclayout_v2",
     "@kind=parts @parts=backbone_config:hgnet_v2,"
     "reading_order_config:!pp_doclayout_v2_reading_order"},
    {"pp_doclayout_v2_reading_order", "@kind=other"},
    {"pp_doclayout_v3", "@kind=parts @parts=backbone_config:hgnet_v2"},
    {"pp_formulanet",
     "@kind=parts @parts=text_config:!pp_formulanet,vision_config:!pp_formulanet_vision"},
    {"pp_formulanet_vision", "@kind=other"},
    {"pp_lcnet", "@kind=other"},
    {"pp_lcnet_v3", "@kind=other"},
    {"pp_lcnet_v4", "@kind=other"},
    {"pp_ocrv5_mobile_det", "@kind=parts @parts=backbone_config:pp_lcnet_v3"},
    {"pp_ocrv5_mobile_rec", "@kind=parts @parts=backbone_config:pp_lcnet_v3"},
    {"pp_ocrv5_server_det", "@kind=parts @parts=backbone_config:hgnet_v2"},
    {"pp_ocrv5_server_rec", "@kind=parts @parts=backbone_config:hgnet_v2"},
    {"pp_ocrv6_medium_det", "@kind=parts @parts=backbone_config:pp_lcnet_v4"},
    {"pp_ocrv6_small_det", "@kind=parts @parts=backbone_config:pp_lcnet_v4"},
    {"pp_ocrv6_small_rec", "@kind=parts @parts=backbone_config:pp_lcnet_v4"},
    {"pp_ocrv6_tiny_rec", "@kind=parts @parts=backbone_config:pp_lcnet_v4"},
    {"prompt_depth_anything", "@kind=parts @parts=backbone_config:dinov2"},
    {"prophetnet", "@kind=other"},
    {"pvt", "@kind=other"},
    {"pvt_v2", "@kind=other"},
    {"qianfan_ocr", "@kind=parts @parts=text_config:qwen3,vision_config:!qianfan_ocr_vision"},
    {"qianfan_ocr_vision", "@kind=other"},
    {"qwen2",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=32768 "
     "use_sliding_window=false max_window_layers=28 rope_theta=10000 @partial=scaled "
     "@windows=from"},
    {"qwen2_5_omni",
     "@kind=parts @parts=thinker_config:!qwen2_5_omni_thinker,talker_config:!qwen2_5_omni_talker,"
     "token2wav_config:!qwen2_5_omni_token2wav"},
    {"qwen2_5_omni_audio_encoder", "@kind=other"},
    {"qwen2_5_omni_bigvgan", "@kind=other"},
    {"qwen2_5_omni_dit",
     "hidden_size=1024 num_attention_heads=16 head_dim=64 max_position_embeddings=32768 "
     "rope_theta=10000 @pairs=permuted @partial=scaled @positions='only the first head rotates'"},
    {"qwen2_5_omni_talker",
     "hidden_size=3584 num_attention_heads=28 head_dim=128 max_position_embeddings=32768 "
     "use_sliding_window=false max_window_layers=28 rope_theta=1000000 @order=blocks "
     "@partial=scaled @sections=16,24,24"},
    {"qwen2_5_omni_text",
     "hidden_size=3584 num_attention_heads=28 max_position_embeddings=32768 "
     "use_sliding_window=false max_window_layers=28 rope_theta=1000000 @order=blocks "
     "@partial=scaled @sections=16,24,24 @windows=from"},
    {"qwen2_5_omni_thinker",
     "@kind=parts @parts=audio_config:!qwen2_5_omni_audio_encoder,"
     "vision_config:!qwen2_5_omni_vision_encoder,text_config:!qwen2_5_omni_text"},
    {"qwen2_5_omni_token2wav",
     "@kind=parts @parts=dit_config:!qwen2_5_omni_dit,bigvgan_config:!qwen2_5_omni_bigvgan"},
    {"qwen2_5_omni_vision_encoder",
     "hidden_size=3584 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"qwen2_5_vl",
     "@kind=parts @parts=vision_config:!qwen2_5_vl_vision,text_config:!qwen2_5_vl_text"},
    {"qwen2_5_vl_text",
     "hidden_size=8192 num_attention_heads=64 max_position_embeddings=32768 "
     "use_sliding_window=false max_window_layers=80 rope_theta=1000000 @order=blocks "
     "@partial=scaled @sections=16,24,24"},
    {"qwen2_5_vl_vision",
     "hidden_size=3584 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"qwen2_audio", "@kind=parts @parts=text_config:qwen2,audio_config:qwen2_audio_encoder"},
    {"qwen2_audio_encoder", "@kind=other"},
    {"qwen2_moe",
     "hidden_size=2048 num_attention_heads=16 max_position_embeddings=32768 sliding_window=0 "
     "use_sliding_window=false max_window_layers=28 rope_theta=10000 @partial=scaled "
     "@windows=even"},
    {"qwen2_vl", "@kind=parts @parts=vision_config:!qwen2_vl_vision,text_config:!qwen2_vl_text"},
    {"qwen2_vl_text",
     "hidden_size=8192 num_attention_heads=64 max_position_embeddings=32768 "
     "use_sliding_window=false max_window_layers=80 rope_theta=1000000 @order=blocks "
     "@partial=scaled @sections=16,24,24"},
    {"qwen2_vl_vision",
     "hidden_size=3584 num_heads=16 rope_theta=10000 @axes=halves @hidden=embed_dim "
     "@partial=scaled"},
    {"qwen3",
     "hidden_size=4096 num_attention_heads=32 head_dim=128 max_position_embeddings=32768 "
     "use_sliding_window=false max_window_layers=28 rope_theta=10000 @partial=scaled "
     "@windows=from"},
    {"qwen3_5", "@kind=parts @parts=vision_config:!qwen3_5_vision,text_config:!qwen3_5_text"},
    {"qwen3_5_moe",
     "@kind=parts @parts=vision_config:!qwen3_5_moe_vision,text_config:!qwen3_5_moe_text"},
    {"qwen3_5_moe_text",
     "hidden_size=2048 num_attention_heads=16 head_dim=256 max_position_embeddings=32768 "
     "full_attention_interval=4 partial_rotary_factor=0.25 rope_theta=10000 @order=interleaved "
     "@sections=11,11,10"},
    {"qwen3_5_moe_vision",
     "hidden_size=1152 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"qwen3_5_text",
     "hidden_size=4096 num_attention_heads=16 head_dim=256 max_position_embeddings=32768 "
     "full_attention_interval=4 partial_rotary_factor=0.25 rope_theta=10000 @order=interleaved "
     "@sections=11,11,10"},
    {"qwen3_5_vision",
     "hidden_size=1152 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"qwen3_asr", "@kind=parts @parts=audio_config:qwen3_asr_encoder,text_config:qwen3"},
    {"qwen3_asr_encoder", "@kind=other"},
    {"qwen3_moe",
     "hidden_size=2048 num_attention_heads=32 max_position_embeddings=32768 "
     "use_sliding_window=false rope_theta=10000 @partial=scaled"},
    {"qwen3_next",
     "hidden_size=2048 num_attention_heads=16 head_dim=256 max_position_embeddings=32768 "
     "full_attention_interval=4 partial_rotary_factor=0.25 rope_theta=10000"},
    {"qwen3_omni_moe",
     "@kind=parts @parts=thinker_config:!qwen3_omni_moe_thinker,"
     "talker_config:!qwen3_omni_moe_talker,code2wav_config:!qwen3_omni_moe_code2wav"},
    {"qwen3_omni_moe_audio_encoder", "@kind=other"},
    {"qwen3_omni_moe_code2wav",
     "hidden_size=1024 num_attention_heads=16 max_position_embeddings=8000 sliding_window=72 "
     "rope_theta=10000 @partial=scaled"},
    {"qwen3_omni_moe_talker",
     "@kind=parts @parts=code_predictor_config:!qwen3_omni_moe_talker_code_predictor,"
     "text_config:!qwen3_omni_moe_talker_text"},
    {"qwen3_omni_moe_talker_code_predictor",
     "hidden_size=1024 num_attention_heads=16 head_dim=128 max_position_embeddings=32768 "
     "max_window_layers=28 rope_theta=10000 @partial=scaled"},
    {"qwen3_omni_moe_talker_text",
     "hidden_size=1024 num_attention_heads=16 max_position_embeddings=32768 rope_theta=10000 "
     "@order=interleaved @partial=scaled @sections=24,20,20"},
    {"qwen3_omni_moe_text",
     "hidden_size=2048 num_attention_heads=28 max_position_embeddings=32768 rope_theta=1000000 "
     "@ignores=interleaved @order=interleaved @partial=scaled @sections=24,20,20"},
    {"qwen3_omni_moe_thinker",
     "@kind=parts @parts=audio_config:!qwen3_omni_moe_audio_encoder,"
     "vision_config:!qwen3_omni_moe_vision_encoder,text_config:!qwen3_omni_moe_text"},
    {"qwen3_omni_moe_vision_encoder",
     "hidden_size=1152 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"qwen3_vl", "@kind=parts @parts=vision_config:!qwen3_vl_vision,text_config:!qwen3_vl_text"},
    {"qwen3_vl_moe",
     "@kind=parts @parts=vision_config:!qwen3_vl_moe_vision,text_config:!qwen3_vl_moe_text"},
    {"qwen3_vl_moe_text",
     "hidden_size=2048 num_attention_heads=16 max_position_embeddings=128000 rope_theta=500000 "
     "@order=interleaved @partial=scaled @sections=24,20,20"},
    {"qwen3_vl_moe_vision",
     "hidden_size=1152 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"qwen3_vl_text",
     "hidden_size=4096 num_attention_heads=32 head_dim=128 max_position_embeddings=128000 "
     "rope_theta=500000 @order=interleaved @partial=scaled @sections=24,20,20"},
    {"qwen3_vl_vision",
     "hidden_size=1152 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"qwen4_exp", "@kind=parts @parts=vision_config:!qwen4_exp_vision,text_config:!qwen4_exp_text"},
    {"qwen4_exp_text",
     "hidden_size=2048 num_attention_heads=16 head_dim=256 max_position_embeddings=32768 "
     "rope_theta=10000 @order=interleaved @sections=11,11,10"},
    {"qwen4_exp_vision",
     "hidden_size=1152 num_heads=16 rope_theta=10000 @axes=halves @partial=scaled"},
    {"radio", "@kind=other"},
    {"rag", "@kind=parts @parts=question_encoder,generator"},
    {"recurrent_gemma",
     "hidden_size=2560 num_attention_heads=10 attention_window_size=2048 "
     "partial_rotary_factor=0.5 rope_theta=10000 @recurrent_period=3"},
    {"reformer", "@kind=other"},
    {"regnet", "@kind=other"},
    {"rembert", "@kind=other"},
    {"resnet", "@kind=other"},
    {"rf_detr", "@kind=parts @parts=backbone_config:rf_detr_dinov2"},
    {"rf_detr_dinov2", "@kind=other"},
    {"roberta", "position_embedding_type=absolute"},
    {"roberta-prelayernorm", "@kind=other"},
    {"roc_bert", "@kind=other"},
    {"roformer", "rope_theta=10000 @pairs=neighbours"},
    {"rt_detr", "@kind=parts @parts=backbone_config:rt_detr_resnet"},
    {"rt_detr_resnet", "@kind=other"},
    {"rt_detr_v2", "@kind=parts @parts=backbone_config:rt_detr_resnet"},
    {"rwkv", "@kind=none"},
    {"sam",
     "@kind=parts @parts=prompt_encoder_config:!sam_prompt_encoder,"
     "mask_decoder_config:!sam_mask_decoder,vision_config:!sam_vision_model"},
    {"sam2",
     "@kind=parts @parts=vision_config:sam2_vision_model,"
     "prompt_encoder_config:!sam2_prompt_encoder,mask_decoder_config:!sam2_mask_decoder"},
    {"sam2_hiera_det_model", "@kind=other"},
    {"sam2_mask_decoder", "@kind=other"},
    {"sam2_prompt_encoder", "@kind=other"},
    {"sam2_video",
     "memory_attention_downsample_rate=1 memory_attention_hidden_size=256 "
     "memory_attention_num_attention_heads=1 rope_theta=10000 @axes=halves "
     "@divide=memory_attention_downsample_rate @head=none "
     "@heads=memory_attention_num_attention_heads @hidden=memory_attention_hidden_size "
     "@ignores=memory_attention_rope_dropout,memory_attention_rope_feat_sizes,"
     "memory_attention_rope_k_sizes @pairs=neighbours @partial=scaled "
     "@parts=vision_config:sam2_vision_model,prompt_encoder_config:!sam2_video_prompt_encoder,"
     "mask_decoder_config:!sam2_video_mask_decoder"},
    {"sam2_video_mask_decoder", "@kind=other"},
    {"sam2_video_prompt_encoder", "@kind=other"},
    {"sam2_vision_model", "@kind=parts @parts=backbone_config:sam2_hiera_det_model"},
    {"sam3",
     "@kind=parts @parts=vision_config:!sam3_vision_model,text_config:clip_text_model,"
     "geometry_encoder_config:!sam3_geometry_encoder,detr_encoder_config:!sam3_detr_encoder,"
     "detr_decoder_config:!sam3_detr_decoder,mask_decoder_config:!sam3_mask_decoder"},
    {"sam3_detr_decoder", "@kind=other"},
    {"sam3_detr_encoder", "@kind=other"},
    {"sam3_geometry_encoder", "@kind=other"},
    {"sam3_lite_text",
     "@kind=parts @parts=vision_config:sam3_vision_model,text_config:!sam3_lite_text_text_model,"
     "geometry_encoder_config:!sam3_lite_text_geometry_encoder,"
     "detr_encoder_config:!sam3_lite_text_detr_encoder,"
     "detr_decoder_config:!sam3_lite_text_detr_decoder,"
     "mask_decoder_config:!sam3_lite_text_mask_decoder"},
    {"sam3_lite_text_detr_decoder", "@kind=other"},
    {"sam3_lite_text_detr_encoder", "@kind=other"},
    {"sam3_lite_text_geometry_encoder", "@kind=other"},
    {"sam3_lite_text_mask_decoder", "@kind=other"},
    {"sam3_lite_text_text_model", "@kind=other"},
    {"sam3_mask_decoder", "@kind=other"},
    {"sam3_tracker",
     "@kind=parts @parts=vision_config:sam3_vision_model,"
     "prompt_encoder_config:!sam3_tracker_prompt_encoder,"
     "mask_decoder_config:!sam3_tracker_mask_decoder"},
    {"sam3_tracker_mask_decoder", "@kind=other"},
    {"sam3_tracker_prompt_encoder", "@kind=other"},
    {"sam3_tracker_video",
     "memory_attention_downsample_rate=1 memory_attention_hidden_size=256 "
     "memory_attention_num_attention_heads=1 rope_theta=10000 @axes=halves "
     "@divide=memory_attention_downsample_rate @head=none "
     "@heads=memory_attention_num_attention_heads @hidden=memory_attention_hidden_size "
     "@ignores=memory_attention_rope_dropout,memory_attention_rope_feat_sizes,"
     "memory_attention_rope_k_sizes @pairs=neighbours @partial=scaled "
     "@parts=vision_config:sam3_vision_model,"
     "prompt_encoder_config:!sam3_tracker_video_prompt_encoder,"
     "mask_decoder_config:!sam3_tracker_video_mask_decoder"},
    {"sam3_tracker_video_mask_decoder", "@kind=other"},
    {"sam3_tracker_video_prompt_encoder", "@kind=other"},
    {"sam3_video", "@kind=parts @parts=detector_config:sam3,tracker_config:sam3_tracker_video"},
    {"sam3_vision_model", "@kind=parts @parts=backbone_config:sam3_vit_model"},
    {"sam3_vit_model",
     "hidden_size=1024 num_attention_heads=16 rope_theta=10000 @axes=halves @pairs=neighbours "
     "@partial=scaled"},
    {"sam_hq",
     "@kind=parts @parts=prompt_encoder_config:!sam_hq_prompt_encoder,"
     "mask_decoder_config:!sam_hq_mask_decoder,vision_config:!sam_hq_vision_model"},
    {"sam_hq_mask_decoder", "@kind=other"},
    {"sam_hq_prompt_encoder", "@kind=other"},
    {"sam_hq_vision_model", "@kind=other"},
    {"sam_mask_decoder", "@kind=other"},
    {"sam_prompt_encoder", "@kind=other"},
    {"sam_vision_model", "@kind=other"},
    {"sapiens2",
     "hidden_size=1024 num_attention_heads=16 rope_theta=100 @axes=halves @head=none "
     "@ignores=pos_embed_rescale,pos_embed_shift,pos_embed_jitter @partial=scaled "
     "@parts=head_config:!sapiens2_head @positions='2 pi times the coordinate of a centre of a "
     "patch, which is scaled to -1 ... 1' @reads=none"},
    {"sapiens2_head", "@kind=other"},
    {"seamless_m4t",
     "hidden_size=1024 max_position_embeddings=1024 position_embeddings_type=relative "
     "decoder_attention_heads=16 decoder_layers=24 rope_theta=10000 "
     "speech_encoder_attention_heads=16 @base=rotary_embedding_base "
     "@heads=speech_encoder_attention_heads @ignores=left_max_position_embeddings,"
     "right_max_position_embeddings,max_relative_position_embeddings @layers=decoder_layers "
     "@partial=scaled"},
    {"seamless_m4t_v2", "@kind=other"},
    {"seed_oss",
     "hidden_size=4096 num_attention_heads=80 head_dim=128 max_position_embeddings=524288 "
     "rope_theta=10000 @partial=scaled"},
    {"segformer", "@kind=other"},
    {"seggpt", "@kind=other"},
    {"semantic", "@kind=other"},
    {"sew", "@kind=other"},
    {"sew-d", "@kind=other"},
    {"shieldgemma2",
     "@kind=parts @parts=text_config:gemma3_text,vision_config:siglip_vision_model"},
    {"siglip",
     "@kind=parts @parts=text_config:!siglip_text_model,vision_config:!siglip_vision_model"},
    {"siglip2",
     "@kind=parts @parts=text_config:!siglip2_text_model,vision_config:!siglip2_vision_model"},
    {"siglip2_text_model", "@kind=other"},
    {"siglip2_vision_model", "@kind=other"},
    {"siglip_text_model", "@kind=other"},
    {"siglip_vision_model", "@kind=other"},
    {"slanet", "@kind=parts @parts=backbone_config:pp_lcnet"},
    {"slanext", "@kind=parts @parts=vision_config:!slanext_vision"},
    {"slanext_vision", "@kind=other"},
    {"smollm3",
     "hidden_size=2048 num_attention_heads=16 max_position_embeddings=32768 "
     "no_rope_layer_interval=4 use_sliding_window=false rope_theta=2000000 @partial=scaled"},
    {"smolvlm", "@kind=parts @parts=text_config:llama,vision_config:!smolvlm_vision"},
    {"smolvlm_vision", "@kind=other"},
    {"solar_open",
     "hidden_size=4096 num_attention_heads=64 head_dim=128 max_position_embeddings=131072 "
     "partial_rotary_factor=1 rope_theta=1000000"},
    {"speech-encoder-decoder", "@kind=parts @parts=encoder,decoder"},
    {"speech_to_text", "@kind=sinusoidal @preset=fairseq"},
    {"speecht5", "@kind=other"},
    {"speecht5_hifigan", "@kind=other"},
    {"splinter", "@kind=other"},
    {"squeezebert", "@kind=other"},
    {"stablelm",
     "hidden_size=2560 num_attention_heads=32 max_position_embeddings=4096 "
     "partial_rotary_factor=0.25 rope_theta=10000"},
    {"starcoder2",
     "hidden_size=3072 num_attention_heads=24 max_position_embeddings=4096 rope_theta=10000 "
     "@partial=scaled"},
    {"step3p5",
     "hidden_size=4096 num_attention_heads=64 head_dim=128 max_position_embeddings=128000 "
     "rope_theta=10000 @reads=kinds @scaled=full_attention @type=ignored"},
    {"step3p5_vision",
     "hidden_size=1536 num_attention_heads=16 max_position_embeddings=2704 rope_theta=10000 "
     "@axes=halves @partial=scaled"},
    {"step3p7", "@kind=parts @parts=vision_config:!step3p5_vision,text_config:!step3p5"},
    {"superglue", "@kind=parts @parts=keypoint_detector_config:superpoint"},
    {"superpoint", "@kind=other"},
    {"swiftformer", "@kind=other"},
    {"swin", "@kind=other"},
    {"swin2sr", "@kind=other"},
    {"swinv2", "@kind=other"},
    {"switch_transformers", "@kind=t5"},
    {"t5", "@kind=t5"},
    {"t5_gemma_module",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=8192 "
     "sliding_window=4096 sliding_window_pattern=2 rope_theta=10000 @partial=scaled"},
    {"t5gemma", "@kind=parts @parts=encoder:!t5_gemma_module,decoder:!t5_gemma_module"},
    {"t5gemma2", "@kind=parts @parts=encoder:!t5gemma2_encoder,decoder:!t5gemma2_decoder"},
    {"t5gemma2_decoder",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=131072 "
     "sliding_window=4096 sliding_window_pattern=6 rope_local_base_freq=10000 rope_theta=1000000 "
     "@partial=scaled @type=ignored"},
    {"t5gemma2_encoder",
     "@kind=parts @parts=text_config:!t5gemma2_text,vision_config:!siglip_vision_model"},
    {"t5gemma2_text",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=131072 "
     "sliding_window=4096 sliding_window_pattern=6 rope_local_base_freq=10000 rope_theta=1000000 "
     "@partial=scaled @type=ignored"},
    {"table-transformer", "@kind=parts @parts=backbone_config:timm_backbone"},
    {"tapas", "@kind=other"},
    {"textnet", "@kind=other"},
    {"time_series_transformer", "@kind=other"},
    {"timesfm", "@kind=sinusoidal @preset=t2t"},
    {"timesfm2_5",
     "hidden_size=1280 num_attention_heads=16 head_dim=80 max_position_embeddings=16384 "
     "rope_theta=10000 @partial=scaled"},
    {"timesformer", "@kind=other"},
    {"timm_backbone", "@kind=other"},
    {"timm_wrapper", "@kind=other"},
    {"tipsv2",
     "@kind=parts @parts=text_config:!tipsv2_text_model,vision_config:!tipsv2_vision_model"},
    {"tipsv2_dpt", "@kind=parts @parts=backbone_config:tipsv2_vision_model"},
    {"tipsv2_text_model", "@kind=other"},
    {"tipsv2_vision_model", "@kind=other"},
    {"trocr", "@kind=other"},
    {"tvp", "@kind=parts @parts=backbone_config:resnet"},
    {"udop", "@kind=other"},
    {"umt5", "@kind=t5"},
    {"unispeech", "@kind=other"},
    {"unispeech-sat", "@kind=other"},
    {"univnet", "@kind=other"},
    {"upernet", "@kind=parts @parts=backbone_config:resnet"},
    {"uvdoc", "@kind=parts @parts=backbone_config:uvdoc_backbone"},
    {"uvdoc_backbone", "@kind=other"},
    {"vaultgemma",
     "hidden_size=2304 num_attention_heads=8 head_dim=256 max_position_embeddings=8192 "
     "sliding_window=4096 sliding_window_pattern=2 rope_theta=10000 @partial=scaled"},
    {"vibevoice",
     "@kind=parts @parts=audio_config:vibevoice_acoustic_tokenizer,"
     "semantic_model_config:vibevoice_acoustic_tokenizer_encoder,text_config:qwen2,"
     "diffusion_head_config:!vibevoice_diffusion_head"},
    {"vibevoice_acoustic_tokenizer", "@kind=other"},
    {"vibevoice_acoustic_tokenizer_decoder", "@kind=other"},
    {"vibevoice_acoustic_tokenizer_encoder", "@kind=other"},
    {"vibevoice_asr",
     "@kind=parts @parts=acoustic_tokenizer_encoder_config:vibevoice_acoustic_tokenizer_encoder,"
     "semantic_tokenizer_encoder_config:vibevoice_acoustic_tokenizer_encoder,text_config:qwen2"},
    {"vibevoice_diffusion_head", "@kind=other"},
    {"video_llama_3", "@kind=parts @parts=vision_config:!video_llama_3_vision,text_config:qwen2"},
    {"video_llama_3_vision",
     "hidden_size=768 num_attention_heads=12 rope_theta=10000 @axes=halves @partial=scaled"},
    {"video_llava", "@kind=parts @parts=text_config:llama,vision_config:clip_vision_model"},
    {"videomae", "@kind=other"},
    {"videomt", "@kind=other"},
    {"videoprism",
     "@kind=parts @parts=text_config:!videoprism_text_model,"
     "vision_config:!videoprism_vision_model"},
    {"videoprism_text_model", "@kind=other"},
    {"videoprism_vision_model", "@kind=other"},
    {"vilt", "@kind=other"},
    {"vipllava", "@kind=parts @parts=text_config:llama,vision_config:clip_vision_model"},
    {"vision-encoder-decoder", "@kind=parts @parts=encoder,decoder"},
    {"vision-text-dual-encoder", "@kind=parts @parts=vision_config,text_config"},
    {"visual_bert", "@kind=other"},
    {"vit", "@kind=other"},
    {"vit_mae", "@kind=other"},
    {"vit_msn", "@kind=other"},
    {"vitdet", "@kind=other"},
    {"vitmatte", "@kind=parts @parts=backbone_config:vitdet"},
    {"vitpose", "@kind=parts @parts=backbone_config:vitpose_backbone"},
    {"vitpose_backbone", "@kind=other"},
    {"vits", "@kind=other"},
    {"vivit", "@kind=other"},
    {"vjepa2",
     "@refused='hidden_size: a head of VJEPA2RopeAttention is divided among the frame, the row "
     "and the column, with frequencies of its own order (transformers, modeling_vjepa2.py)'"},
    {"voxtral",
     "text_config.head_dim=128 text_config.rope_theta=100000000 @kind=parts "
     "@parts=text_config:llama,audio_config:voxtral_encoder"},
    {"voxtral_encoder", "@kind=other"},
    {"voxtral_realtime",
     "text_config.head_dim=128 text_config.rope_theta=1000000 @kind=parts "
     "@parts=text_config:voxtral_realtime_text,audio_config:voxtral_realtime_encoder"},
    {"voxtral_realtime_encoder",
     "hidden_size=1280 num_attention_heads=32 head_dim=64 max_position_embeddings=1500 "
     "sliding_window=750 rope_theta=10000 @partial=scaled"},
    {"voxtral_realtime_text",
     "hidden_size=4096 num_attention_heads=32 max_position_embeddings=131072 sliding_window=4096 "
     "rope_theta=10000 @partial=scaled"},
    {"wav2vec2", "@kind=other"},
    {"wav2vec2-bert",
     "hidden_size=1024 num_attention_heads=16 position_embeddings_type=relative_key "
     "rope_theta=10000 @base=rotary_embedding_base @ignores=left_max_position_embeddings,"
     "right_max_position_embeddings @partial=scaled"},
    {"wav2vec2-conformer",
     "hidden_size=768 num_attention_heads=12 position_embeddings_type=relative rope_theta=10000 "
     "@base=rotary_embedding_base @partial=scaled"},
    {"wavlm", "@kind=other"},
    {"whisper", "@encoder=t2t @kind=learned"},
    {"xclip", "@kind=parts @parts=text_config:!xclip_text_model,vision_config:!xclip_vision_model"},
    {"xclip_text_model", "@kind=other"},
    {"xclip_vision_model", "@kind=other"},
    {"xcodec", "@kind=parts @parts=acoustic_model_config:dac,semantic_model_config:hubert"},
    {"xcodec2",
     "hidden_size=1024 num_attention_heads=16 head_dim=64 max_position_embeddings=4096 "
     "rope_theta=10000 @partial=scaled @parts=semantic_model_config:wav2vec2-bert"},
    {"xglm", "@kind=other"},
    {"xlm", "@kind=other"},
    {"xlm-roberta", "position_embedding_type=absolute"},
    {"xlm-roberta-xl", "@kind=other"},
    {"xlnet", "@kind=other"},
    {"xlstm", "@kind=other"},
    {"xmod", "@kind=other"},
    {"yolos", "@kind=other"},
    {"yoso", "@kind=other"},
    {"youtu",
     "hidden_size=2048 num_attention_heads=16 qk_rope_head_dim=64 max_position_embeddings=131072 "
     "rope_interleave=true rope_theta=10000 @frequencies=head_dim @partial=scaled"},
    {"zamba", "@kind=none"},
    {"zamba2",
     "hidden_size=2560 num_attention_heads=32 max_position_embeddings=4096 use_mem_rope=false "
     "rope_theta=10000 @head=attention_head_dim @partial=scaled"},
    {"zaya",
     "hidden_size=2048 num_attention_heads=8 head_dim=128 max_position_embeddings=131072 "
     "rope_parameters.hybrid.partial_rotary_factor=0.5 rope_parameters.hybrid.rope_theta=5000000 "
     "rope_parameters.hybrid.rope_type=default "
     "rope_parameters.hybrid_sliding.partial_rotary_factor=0.5 "
     "rope_parameters.hybrid_sliding.rope_theta=10000 "
     "rope_parameters.hybrid_sliding.rope_type=default"},
    {"zoedepth", "@kind=parts @parts=backbone_config:beit"},
};

#endif
