/* SPDX-License-Identifier: MIT */
/*
 * What other projects print, or what their published code computes (in float32 mostly), with where
 * it stands: facts, to compare with. Angles and frequencies in float are off, so that each entry
 * says by how much it may differ.
 */
#ifndef PE_TESTS_PUBLISHED_H
#define PE_TESTS_PUBLISHED_H

#include "pe.h"
static const char by_marian[] =
    "marian-nmt, in transformers tests/models/marian/test_modeling_marian.py, marian_results";
static const char by_roformer[] =
    "transformers tests/models/roformer/test_modeling_roformer.py, desired_weights";
static const char by_steps[] =
    "diffusers tests/models/test_layers_utils.py, test_sinoid_embeddings_hardcoded";
static const char by_ct2[] =
    "CTranslate2 tests/layers_test.cc, PositionEncoderNoSharedState, output less input";
static const char by_vaswani[] = "diffusers models/embeddings.py, SinusoidalPositionalEmbedding";
static const char by_t2t[] = "tensor2tensor layers/common_attention.py, get_timing_signal_1d";
static const char by_fairseq[] =
    "fairseq modules/sinusoidal_positional_embedding.py, get_embedding(padding_idx 1)";
static const char by_opennmt[] = "OpenNMT-tf layers/position.py, SinusoidalPositionEncoder";
static const char by_transformer_xl[] =
    "transformer-xl pytorch/mem_transformer.py, PositionalEmbedding";
static const char by_tener[] =
    "fastnlp/TENER modules/relative_transformer.py, get_embedding: row 0 of 12 is position -6";
static const char by_ddpm[] = "hojonathanho/diffusion nn.py, get_timestep_embedding";
static const char by_ldm[] = "CompVis/latent-diffusion util.py, timestep_embedding";
static const char by_ldm_2[] =
    "black-forest-labs/flux layers.py, timestep_embedding(t, time_factor 1000), t = 1/64";
static const char by_musicgen[] =
    "facebookresearch/audiocraft modules/transformer.py, create_sin_embedding";
static const char by_mlx[] =
    "mlx nn/layers/positional_encoding.py, SinusoidalPositionalEncoding";
static const char by_mae_2d[] =
    "facebookresearch/mae util/pos_embed.py, get_2d_sincos_pos_embed: cell (y, x) = (3, 1)";
static const char by_video_3d[] =
    "diffusers models/embeddings.py, get_3d_sincos_pos_embed: (t, y, x) = (2, 1, 3)";
static const char by_t2t_nd[] = "tensor2tensor layers/common_attention.py, add_timing_signal_nd";
static const char by_detr[] =
    "facebookresearch/detr models/position_encoding.py, PositionEmbeddingSine(8)";
static const char by_nerf[] =
    "bmild/nerf run_nerf_helpers.py, Embedder(4 frequencies), behind the coordinates";
static const char by_tiny_cuda_nn[] =
    "NVlabs/tiny-cuda-nn encodings/frequency.h, frequency_encoding, 4 frequencies";
static const char by_flux[] = "diffusers transformer_flux.py, FluxPosEmbed(10000, [16, 56, 56])";
static const char by_wan[] = "Wan2.1 wan/modules/model.py, rope_params, rope_apply, head of 128";
static const char by_cogvideox[] = "diffusers models/embeddings.py, get_3d_rotary_pos_embed(64)";
static const char by_llama4[] =
    "vLLM llama4_vision_rope.py, _compute_cos_sin_cache, rotary_dim 44";
static const char by_dinov3[] =
    "facebookresearch/dinov3 rope_position_encoding.py, patch (1, 3) of 4 x 5";
static const char by_pixtral[] =
    "transformers modeling_pixtral.py, PixtralRotaryEmbedding, head of 64";
static const char by_cosmos[] =
    "diffusers transformer_cosmos.py, CosmosRotaryPosEmbed(128), no fps";
static const char by_perceiver[] =
    "transformers modeling_perceiver.py, generate_fourier_features, 8 bands, 10 x 10";
static const char by_kimi[] = "Kimi-VL modeling_kimi_vl.py, Rope2DPosEmb(64)";
static const char by_ltx[] = "diffusers transformer_ltx.py, LTXVideoRotaryPosEmbed(32)";
static const char by_sam[] =
    "segment-anything prompt_encoder.py, PositionEmbeddingRandom, weights 3 sin(7k + 1)";
static const char by_lightglue[] =
    "cvg/LightGlue lightglue.py, LearnableFourierPositionalEncoding, the same weights";
static const char by_gligen[] =
    "diffusers models/embeddings.py, get_fourier_embeds_from_boundingbox(8)";
static const char by_fourier_embed[] =
    "timm pos_embed_sincos.py, FourierEmbed(6 bands to 64), cell (3, 13) of 9 x 17";

/* Count numbers of one row, from a column on. */
typedef struct published {
    const char *source;
    pe_preset preset;
    size_t d_model;
    double scale; /* of the config */
    double at[3]; /* position or coordinates */
    size_t column, count;
    double values[6], digits;
} published;
static const published published_rows[] = {
    {by_marian, PE_PRESET_T2T, 512, 1, {0}, 0, 5, {0, 0, 0, 0, 0}, 1e-8},
    {by_marian, PE_PRESET_T2T, 512, 1, {1}, 0, 5, {0.84147096, 0.82177866, 0.8018049, 0.78165019,
     0.76140374}, 1e-7},
    {by_marian, PE_PRESET_T2T, 512, 1, {2}, 0, 5, {0.90929741, 0.93651021, 0.95829457, 0.97505713,
     0.98720258}, 1e-7},
    {by_roformer, PE_PRESET_HF_MARIAN, 512, 1, {1}, 0, 5, {0.8415, 0.8219, 0.802, 0.7819, 0.7617},
     5.1e-5},
    {by_roformer, PE_PRESET_HF_MARIAN, 512, 1, {2}, 0, 5, {0.9093, 0.9364, 0.9581, 0.9749, 0.987},
     5.1e-5},
    {by_roformer, PE_PRESET_HF_MARIAN, 6, 1, {0}, 0, 6, {0, 0, 0, 1, 1, 1}, 1e-8},
    {by_roformer, PE_PRESET_HF_MARIAN, 6, 1, {1}, 0, 6, {0.8415, 0.0464, 0.0022, 0.5403, 0.9989, 1},
     5.1e-5},
    {by_steps, PE_PRESET_DDPM, 64, 1, {23}, 47, 3, {0.9646, 0.9804, 0.9892}, 5.1e-5},
    {by_steps, PE_PRESET_DDPM, 64, 1, {24}, 47, 3, {0.9615, 0.9787, 0.9882}, 5.1e-5},
    {by_steps, PE_PRESET_DDPM, 64, 1, {25}, 47, 3, {0.9582, 0.9769, 0.9872}, 5.1e-5},
    {by_steps, PE_PRESET_LDM, 64, 1, {23}, 47, 3, {0.3019, 0.228, 0.1716}, 5.1e-5},
    {by_steps, PE_PRESET_LDM, 64, 1, {24}, 47, 3, {0.3146, 0.2377, 0.179}, 5.1e-5},
    {by_steps, PE_PRESET_LDM, 64, 1, {25}, 47, 3, {0.3272, 0.2474, 0.1864}, 5.1e-5},
    {by_steps, PE_PRESET_DDPM, 64, 1000, {23}, 47, 3, {-0.9801, -0.9464, -0.9349}, 1.5e-4},
    {by_steps, PE_PRESET_DDPM, 64, 1000, {24}, 47, 3, {-0.3952, 0.8887, -0.9709}, 1.5e-4},
    {by_steps, PE_PRESET_DDPM, 64, 1000, {25}, 47, 3, {0.5299, -0.2853, -0.9927}, 1.5e-4},
    {by_ct2, PE_PRESET_OPENNMT, 4, 1, {0}, 0, 4, {0.841471, 0.0001, 0.5403, 1}, 1e-5},
    {by_ct2, PE_PRESET_OPENNMT, 6, 1, {0}, 0, 6, {0.841471, 0.01, 0.0001, 0.5403023, 0.99995, 1},
     1e-5},
    {by_vaswani, PE_PRESET_VASWANI, 32, 1, {3}, 0, 6, {0.14112, -0.9899925, 0.99325317, -0.11596616,
     0.81264889, 0.58275366}, 2e-06},
    {by_vaswani, PE_PRESET_VASWANI, 32, 1, {3}, 26, 6, {0.0016870227, 0.99999857, 0.00094868324,
     0.99999958, 0.00053348381, 0.99999988}, 2e-06},
    {by_t2t, PE_PRESET_T2T, 31, 1, {5}, 0, 6, {-0.95892429, 0.52426815, 0.97379196, 0.64019156,
     0.35212708, 0.18530245}, 3e-06},
    {by_t2t, PE_PRESET_T2T, 31, 1, {5}, 12, 6, {0.0018637949, 0.00096534792, 0.00049999997,
     0.2836622, -0.8515532, 0.22744052}, 3e-06},
    {by_t2t, PE_PRESET_T2T, 31, 1, {5}, 25, 6, {0.99997586, 0.9999935, 0.99999827, 0.99999952,
     0.99999988, 0}, 3e-06},
    {by_fairseq, PE_PRESET_FAIRSEQ, 33, 1, {-1}, 0, 6, {0, 0, 0, 0, 0, 0}, 6e-07},
    {by_fairseq, PE_PRESET_FAIRSEQ, 33, 1, {7}, 0, 6, {0.41211849, -0.98752242, 0.4845182,
     0.98959357, 0.69751686, 0.40569857}, 4e-06},
    {by_fairseq, PE_PRESET_FAIRSEQ, 33, 1, {7}, 14, 6, {0.0016630647, 0.00089999981, -0.91113025,
     0.15747859, -0.87478119, 0.14389099}, 4e-06},
    {by_fairseq, PE_PRESET_FAIRSEQ, 33, 1, {7}, 27, 6, {0.99994493, 0.99998391, 0.99999529,
     0.99999863, 0.99999958, 0}, 4e-06},
    {by_opennmt, PE_PRESET_OPENNMT, 20, 1, {2}, 0, 6, {0.14112, 0.88108152, 0.37784249, 0.13879815,
     0.05002214, 0.017983561}, 1e-06},
    {by_opennmt, PE_PRESET_OPENNMT, 20, 1, {2}, 8, 6, {0.00083476806, 0.00030000025, -0.9899925,
     0.47296441, 0.92586988, 0.99032068}, 1e-06},
    {by_opennmt, PE_PRESET_OPENNMT, 20, 1, {2}, 14, 6, {0.99874812, 0.99983829, 0.99997914,
     0.99999732, 0.99999964, 0.99999994}, 1e-06},
    {by_transformer_xl, PE_PRESET_TRANSFORMER_XL, 16, 1, {9}, 0, 6, {0.41211849, 0.29125923,
     0.78332692, 0.28077835, 0.089878544, 0.028456658}, 5e-06},
    {by_transformer_xl, PE_PRESET_TRANSFORMER_XL, 16, 1, {9}, 8, 6, {-0.91113025, -0.95664418,
     0.62160993, 0.95977265, 0.99595273, 0.99959505}, 5e-06},
    {by_transformer_xl, PE_PRESET_TRANSFORMER_XL, 16, 1, {-3}, 0, 6, {-0.14112, -0.81264889,
     -0.29552022, -0.094726093, -0.029995499, -0.0094866911}, 2e-06},
    {by_transformer_xl, PE_PRESET_TRANSFORMER_XL, 16, 1, {-3}, 10, 6, {0.95533651, 0.99550337,
     0.99955004, 0.999955, 0.99999553, 0.99999958}, 2e-06},
    {by_tener, PE_PRESET_TENER, 15, 1, {-6}, 0, 6, {0.27941549, -0.96156907, -0.27490926,
     -0.059964005, -0.012926248, -0.0027849504}, 4e-06},
    {by_tener, PE_PRESET_TENER, 15, 1, {-6}, 9, 6, {0.96147019, 0.99820054, 0.99991643, 0.99999613,
     0.99999982, 0}, 4e-06},
    {by_ddpm, PE_PRESET_DDPM, 24, 1, {37}, 0, 6, {-0.64353812, -0.30358529, 0.60513765, 0.13994825,
     0.96332794, 0.53319007}, 2e-05},
    {by_ddpm, PE_PRESET_DDPM, 24, 1, {37}, 12, 6, {0.76541406, -0.95280427, 0.79612088, -0.9901588,
     0.26832673, 0.84599549}, 2e-05},
    {by_ldm, PE_PRESET_LDM, 21, 1, {12.5}, 0, 6, {0.99779826, 0.26089659, -0.39890286, 0.70477045,
     0.95111012, 0.99219769}, 7e-06},
    {by_ldm, PE_PRESET_LDM, 21, 1, {12.5}, 8, 6, {0.99996889, 0.99999505, -0.066321895, -0.96536678,
     0.9169932, 0.7094354}, 7e-06},
    {by_ldm, PE_PRESET_LDM, 21, 1, {12.5}, 15, 6, {0.12467473, 0.049742863, 0.019809874,
     0.0078868847, 0.0031398518, 0}, 7e-06},
    {by_ldm_2, PE_PRESET_LDM, 16, 1000, {0.015625}, 0, 6, {-0.99656051, 0.22668201, 0.0082963509,
     0.88039309, 0.98781776, 0.99877954}, 9e-06},
    {by_ldm_2, PE_PRESET_LDM, 16, 1000, {0.015625}, 8, 6, {0.082868129, -0.9739688, 0.99996561,
     0.47424462, 0.15561499, 0.049390472}, 9e-06},
    {by_musicgen, PE_PRESET_MUSICGEN, 22, 1, {6}, 0, 6, {0.96017027, -0.72967511, 0.58092159,
     0.92919248, 0.98866427, 0.99820054}, 4e-06},
    {by_musicgen, PE_PRESET_MUSICGEN, 22, 1, {6}, 11, 6, {-0.27941549, 0.68379402, 0.81395954,
     0.36959615, 0.15014327, 0.059964005}, 4e-06},
    {by_mlx, PE_PRESET_MLX, 18, 1, {4}, 0, 6, {-0.25226751, 0.31786022, 0.12980612, 0.042051367,
     0.013329778, 0.0042162566}, 2e-06},
    {by_mlx, PE_PRESET_MLX, 18, 1, {4}, 9, 6, {-0.2178812, 0.10037927, 0.30702034, 0.33067024,
     0.3330667, 0.33330667}, 2e-06},
    {by_mae_2d, PE_PRESET_MAE_2D, 24, 1, {3, 1}, 0, 6, {0.84147098, 0.21378067, 0.046399223,
     0.0099998333, 0.002154433, 0.00046415887}, 2e-06},
    {by_mae_2d, PE_PRESET_MAE_2D, 24, 1, {3, 1}, 6, 6, {0.54030231, 0.97688169, 0.99892298, 0.99995,
     0.99999768, 0.99999989}, 2e-06},
    {by_mae_2d, PE_PRESET_MAE_2D, 24, 1, {3, 1}, 12, 6, {0.14112001, 0.60226103, 0.1387981,
     0.0299955, 0.0064632591, 0.0013924762}, 2e-06},
    {by_mae_2d, PE_PRESET_MAE_2D, 24, 1, {3, 1}, 18, 6, {-0.9899925, 0.79829922, 0.9903207,
     0.99955003, 0.99997911, 0.99999903}, 2e-06},
    {by_video_3d, PE_PRESET_VIDEO_3D, 32, 1, {2, 1, 3}, 0, 6, {0.90929743, 0.19866933, 0.019998667,
     0.0019999987, -0.41614684, 0.98006658}, 2e-06},
    {by_video_3d, PE_PRESET_VIDEO_3D, 32, 1, {2, 1, 3}, 8, 6, {0.14112001, 0.60226103, 0.1387981,
     0.0299955, 0.0064632591, 0.0013924762}, 2e-06},
    {by_video_3d, PE_PRESET_VIDEO_3D, 32, 1, {2, 1, 3}, 14, 6, {-0.9899925, 0.79829922, 0.9903207,
     0.99955003, 0.99997911, 0.99999903}, 2e-06},
    {by_video_3d, PE_PRESET_VIDEO_3D, 32, 1, {2, 1, 3}, 20, 6, {0.84147098, 0.21378067, 0.046399223,
     0.0099998333, 0.002154433, 0.00046415887}, 2e-06},
    {by_video_3d, PE_PRESET_VIDEO_3D, 32, 1, {2, 1, 3}, 26, 6, {0.54030231, 0.97688169, 0.99892298,
     0.99995, 0.99999768, 0.99999989}, 2e-06},
    {by_t2t_nd, PE_PRESET_T2T_ND, 26, 1, {4, 2}, 0, 6, {-0.7568025, 0.59233773, 0.10030649,
     0.015923616, 0.0025238264, 0.00039999996}, 2e-06},
    {by_t2t_nd, PE_PRESET_T2T_ND, 26, 1, {4, 2}, 6, 6, {-0.65364361, 0.80568975, 0.99495661,
     0.99987322, 0.99999684, 0.99999994}, 2e-06},
    {by_t2t_nd, PE_PRESET_T2T_ND, 26, 1, {4, 2}, 12, 6, {0.90929741, 0.31169716, 0.0502166,
     0.0079620602, 0.0012619143, 0.00019999998}, 2e-06},
    {by_t2t_nd, PE_PRESET_T2T_ND, 26, 1, {4, 2}, 20, 6, {0.99873835, 0.99996829, 0.99999923, 1, 0,
     0}, 2e-06},
    {by_detr, PE_PRESET_DETR, 16, 1, {2, 3}, 0, 6, {0.14112, -0.9899925, 0.29552022, 0.95533651,
     0.029995499, 0.99955004}, 2e-06},
    {by_detr, PE_PRESET_DETR, 16, 1, {2, 3}, 8, 6, {-0.7568025, -0.65364361, 0.38941836, 0.92106098,
     0.039989334, 0.99920011}, 2e-06},
    {by_nerf, PE_PRESET_NERF, 24, 1, {0.25, -0.5, 0.75}, 0, 6, {0.24740396, -0.47942555, 0.68163878,
     0.96891242, 0.87758255, 0.73168886}, 3e-06},
    {by_nerf, PE_PRESET_NERF, 24, 1, {0.25, -0.5, 0.75}, 6, 6, {0.47942555, -0.84147096, 0.997495,
     0.87758255, 0.54030234, 0.070737198}, 3e-06},
    {by_nerf, PE_PRESET_NERF, 24, 1, {0.25, -0.5, 0.75}, 18, 6, {0.90929741, 0.7568025, -0.27941549,
     -0.41614684, -0.65364361, 0.96017027}, 3e-06},
    {by_tiny_cuda_nn, PE_PRESET_TINY_CUDA_NN, 24, 1, {0.15625, -0.40625, 0.71875}, 0, 6,
     {0.47139674, 0.88192123, 0.83146966, 0.55557019, 0.9238795, -0.38268346}, 3e-06},
    {by_tiny_cuda_nn, PE_PRESET_TINY_CUDA_NN, 24, 1, {0.15625, -0.40625, 0.71875}, 8, 6,
     {-0.95694035, 0.29028466, -0.55557019, -0.83146966, 0.92387944, 0.38268346}, 3e-06},
    {by_tiny_cuda_nn, PE_PRESET_TINY_CUDA_NN, 24, 1, {0.15625, -0.40625, 0.71875}, 18, 6,
     {-0.98078525, -0.19509022, 0.38268355, -0.92387938, -0.70710701, 0.70710707}, 3e-06},
};

/* Rows of models with several axes, in the order of columns that docs/conventions.md tells for
   each. Sums have the weights 3 sin(7k + 1). */
typedef enum named {
    FLUX, WAN, COGVIDEOX, LLAMA4, DINOV3, PIXTRAL, COSMOS, PERCEIVER, KIMI, LTX, SAM, LIGHTGLUE,
    GLIGEN, FOURIER_EMBED, NAMES
} named;
typedef struct published_model {
    const char *source;
    named model;
    double at[4];
    size_t column, count;
    double values[6], digits;
} published_model;
static const published_model published_models[] = {
    {by_flux, FLUX, {3, 10, 17}, 0, 6, {0.14112, -0.9899925, 0.81264889, 0.5827536, 0.29552022,
     0.95533651}, 5e-05},
    {by_flux, FLUX, {3, 10, 17}, 16, 6, {-0.54402113, -0.83907151, 0.79175174, 0.610843,
     -0.89288437, 0.45028606}, 5e-05},
    {by_flux, FLUX, {3, 10, 17}, 72, 6, {-0.96139747, -0.27516335, -0.32566422, 0.94548547,
     0.58076739, -0.81406957}, 5e-05},
    {by_flux, FLUX, {3, 10, 17}, 122, 6, {0.004560567, 0.99998963, 0.0032821803, 0.99999464,
     0.0023621402, 0.9999972}, 5e-05},
    {by_wan, WAN, {3, 10, 17}, 0, 6, {0.14112001, -0.9899925, 0.91988728, -0.39218285, 0.96319037,
     0.26882021}, 5e-05},
    {by_wan, WAN, {3, 10, 17}, 40, 6, {0.00069303885, 0.99999976, 0.00045597331, 0.9999999,
     -0.54402111, -0.83907153}, 5e-05},
    {by_wan, WAN, {3, 10, 17}, 86, 6, {-0.96139749, -0.27516334, -0.99950452, -0.031475577,
     0.70899379, 0.70521472}, 5e-05},
    {by_wan, WAN, {3, 10, 17}, 122, 6, {0.0063368669, 0.99997992, 0.0040869572, 0.99999165,
     0.0026358738, 0.99999653}, 5e-05},
    {by_cogvideox, COGVIDEOX, {3, 10, 17}, 0, 6, {0.14112, -0.9899925, 0.81264889, 0.58275366,
     0.29552022, 0.95533651}, 5e-05},
    {by_cogvideox, COGVIDEOX, {3, 10, 17}, 14, 6, {0.00094868324, 0.99999958, -0.54402113,
     -0.83907151, -0.99749476, -0.070740685}, 5e-05},
    {by_cogvideox, COGVIDEOX, {3, 10, 17}, 40, 6, {-0.96139753, -0.27516335, 0.99932593,
     -0.03671141, -0.49770078, -0.86734879}, 5e-05},
    {by_cogvideox, COGVIDEOX, {3, 10, 17}, 58, 6, {0.016999181, 0.99985552, 0.0078906203,
     0.99996889, 0.0036625299, 0.99999332}, 5e-05},
    {by_llama4, LLAMA4, {3, 10}, 0, 6, {-0.7568025, -0.65364361, 0.48805481, -0.87281299,
     0.98711419, -0.16001736}, 3e-05},
    {by_llama4, LLAMA4, {3, 10}, 40, 6, {0.00092405156, 0.99999958, 0.00060796447, 0.99999982,
     -0.99999022, 0.004425698}, 3e-05},
    {by_llama4, LLAMA4, {3, 10}, 82, 6, {0.0038623011, 0.99999255, 0.0025411393, 0.99999678,
     0.0016719017, 0.99999863}, 3e-05},
    {by_dinov3, DINOV3, {-0.25, 0.4}, 0, 6, {-1, -0.92381591, -0.77285236, -0.61501056, -0.47655278,
     -0.36394}, 3e-06},
    {by_dinov3, DINOV3, {-0.25, 0.4}, 13, 6, {-0.037240837, -0.027929517, -0.020945376, 0.58778536,
     0.95113873, 0.98762584}, 3e-06},
    {by_dinov3, DINOV3, {-0.25, 0.4}, 32, 6, {-4.3711388e-08, 0.38283697, 0.63458592, 0.78851885,
     0.87914586, 0.93142241}, 3e-06},
    {by_dinov3, DINOV3, {-0.25, 0.4}, 46, 6, {0.99960989, 0.99978065, -0.80901688, -0.30876386,
     0.15682843, 0.48901263}, 3e-06},
    {by_pixtral, PIXTRAL, {3, 10}, 0, 6, {0.14112, 0.99325317, 0.81264889, 0.5085361, 0.29552022,
     0.1679033}, 3e-05},
    {by_pixtral, PIXTRAL, {3, 10}, 14, 6, {0.00094868324, 0.00053348381, 0.93763268, -0.8797673,
     0.69629246, 0.97198218}, 3e-05},
    {by_pixtral, PIXTRAL, {3, 10}, 32, 6, {-0.9899925, -0.11596616, 0.58275366, 0.86104065,
     0.95533651, 0.98580348}, 3e-05},
    {by_pixtral, PIXTRAL, {3, 10}, 50, 6, {-0.71775818, 0.2350547, 0.73176104, 0.91239589,
     0.97201449, 0.99112177}, 3e-05},
    {by_cosmos, COSMOS, {3, 10, 17}, 0, 6, {0.14112, 0.94311512, 0.93760222, 0.69890124, 0.47293341,
     0.30847162}, 5e-05},
    {by_cosmos, COSMOS, {3, 10, 17}, 20, 6, {0.00035814778, 0.00022798669, -0.54402113, 0.1655162,
     -0.85104352, 0.44295952}, 5e-05},
    {by_cosmos, COSMOS, {3, 10, 17}, 64, 6, {-0.9899925, -0.33246639, 0.34770972, 0.71521825,
     0.88109815, 0.95123357}, 5e-05},
    {by_cosmos, COSMOS, {3, 10, 17}, 84, 6, {0.99999994, 1, -0.83907151, 0.98620707, -0.52509511,
     -0.8965416}, 5e-05},
    {by_perceiver, PERCEIVER, {0.125, 0.25}, 0, 6, {0.38268346, 0.57867134, 0.74564213, 0.87522346,
     0.96091729, 0.9984268}, 3e-06},
    {by_perceiver, PERCEIVER, {0.125, 0.25}, 6, 6, {0.98587102, 0.9238795, 0.70710677, 0.94388336,
     0.99371219, 0.84672409}, 3e-06},
    {by_perceiver, PERCEIVER, {0.125, 0.25}, 16, 6, {0.9238795, 0.81556088, 0.66634661, 0.48371881,
     0.27683559, 0.056070425}, 3e-06},
    {by_perceiver, PERCEIVER, {0.125, 0.25}, 26, 6, {-0.11196445, -0.53203219, -0.84672409,
     -0.99371219, -0.94388336, -0.70710665}, 3e-06},
    {by_kimi, KIMI, {3, 10}, 0, 6, {0.14112, -0.9899925, -0.54402113, -0.83907151, 0.99325317,
     -0.11596616}, 3e-05},
    {by_kimi, KIMI, {3, 10}, 14, 6, {0.97855252, -0.20599763, 0.29552022, 0.95533651, 0.84147096,
     0.54030234}, 3e-05},
    {by_kimi, KIMI, {3, 10}, 40, 6, {0.0094866911, 0.999955, 0.031617507, 0.99950004, 0.0053348131,
     0.99998575}, 3e-05},
    {by_ltx, LTX, {0.125, 0.25, 0.375}, 0, 6, {0, 1, -0.92387956, 0.38268343, -0.70710677,
     0.70710677}, 2e-05},
    {by_ltx, LTX, {0.125, 0.25, 0.375}, 6, 6, {-0.38268346, 0.9238795, 0.70710611, 0.70710748, -1,
     -3.3776624e-07}, 2e-05},
    {by_ltx, LTX, {0.125, 0.25, 0.375}, 14, 6, {1, -1.6092266e-06, 1.4703138e-06, -1, -1,
     -7.351569e-07}, 2e-05},
    {by_sam, SAM, {0.125, 0.25}, 0, 6, {-0.69660276, -0.30978885, -0.1200671, 0.99552912,
     -0.76483673, 0.5313586}, 1e-05},
    {by_sam, SAM, {0.125, 0.25}, 10, 6, {-0.93061721, 0.41078219, 0.99994767, -0.5423364,
     -0.55553705, -0.11687846}, 1e-05},
    {by_sam, SAM, {0.125, 0.25}, 16, 6, {-0.717457, -0.95080537, 0.99276578, -0.094454929,
     -0.64422411, 0.84714699}, 1e-05},
    {by_sam, SAM, {0.125, 0.25}, 26, 6, {-0.36599404, -0.91173351, 0.010232409, 0.84016144,
     0.83149183, -0.99314624}, 1e-05},
    {by_lightglue, LIGHTGLUE, {0.125, 0.25}, 0, 6, {0.8711651, 0.49099016, 0.23500086, 0.97199517,
     -0.83750266, 0.54643321}, 3e-06},
    {by_lightglue, LIGHTGLUE, {0.125, 0.25}, 12, 6, {-0.60568619, 0.79570365, -0.79563761,
     0.60577285, 0.38851109, 0.92144406}, 3e-06},
    {by_lightglue, LIGHTGLUE, {0.125, 0.25}, 26, 6, {0.84900779, 0.52838033, 0.43498126, 0.9004395,
     -0.77772361, 0.62860638}, 3e-06},
    {by_gligen, GLIGEN, {0.125, 0.25, 0.375, 0.5}, 0, 6, {0.12467473, 0.24740396, 0.36627254,
     0.47942555, 0.99219769, 0.96891242}, 3e-05},
    {by_gligen, GLIGEN, {0.125, 0.25, 0.375, 0.5}, 6, 6, {0.9305076, 0.87758255, 0.22045891,
     0.4300696, 0.61851764, 0.77652997}, 3e-05},
    {by_gligen, GLIGEN, {0.125, 0.25, 0.375, 0.5}, 30, 6, {-0.51240546, -0.94607925, 0.94898462,
     0.59847212, -0.57156134, -0.95892429}, 3e-05},
    {by_gligen, GLIGEN, {0.125, 0.25, 0.375, 0.5}, 58, 6, {0.78540462, 0.15662096, 0.73435456,
     0.078553215, -0.61898273, -0.9876588}, 3e-05},
    {by_fourier_embed, FOURIER_EMBED, {-0.25, 0.625}, 0, 6, {-0.70710677, 0.9238795, -1,
     -0.70710689, 8.7422777e-08, 1}, 1e-04},
    {by_fourier_embed, FOURIER_EMBED, {-0.25, 0.625}, 6, 6, {-1.7484555e-07, -6.7553248e-07,
     -3.4969111e-07, 1.351065e-06, -6.9938221e-07, 2.7021299e-06}, 1e-04},
    {by_fourier_embed, FOURIER_EMBED, {-0.25, 0.625}, 12, 6, {0.70710677, -0.38268352,
     -4.3711388e-08, -0.70710665, -1, -3.3776624e-07}, 1e-04},
    {by_fourier_embed, FOURIER_EMBED, {-0.25, 0.625}, 18, 6, {1, -1, 1, 1, 1, 1}, 1e-04},
};

/* RoPE frequencies of some pairs, and the attention factor. LONGROPE takes the lists below. */
typedef struct published_rope {
    const char *source;
    pe_rope_type type;
    size_t head_dim, rotary_dim;
    double theta, factor;
    size_t original, most, length; /* ..._position_embeddings; of this run */
    double low, high, mscale, mscale_all;
    int truncate;
    double attention;
    size_t pairs[6];
    double values[6], digits; /* relative */
} published_rope;
static const published_rope published_ropes[] = {
    {"transformers modeling_rope_utils.py, _compute_default_rope_parameters",
     PE_ROPE_DEFAULT, 128, 128, 500000, 0, 0, 0, 0, 1, 4, 0, 0, 1, 1, {1, 9, 20, 31, 47, 63},
     {0.81461722, 0.15797281, 0.016560441, 0.0017360467, 6.5285822e-05, 2.4551407e-06}, 4e-06},
    {"transformers modeling_rope_utils.py, _compute_linear_scaling_rope_parameters",
     PE_ROPE_LINEAR, 128, 128, 10000, 3, 0, 0, 0, 1, 4, 0, 0, 1, 1, {1, 9, 20, 31, 47, 63},
     {0.28865477, 0.091280662, 0.018744709, 0.0038492733, 0.00038492735, 3.849273e-05}, 4e-06},
    {"transformers modeling_rope_utils.py, _compute_ntk_parameters",
     PE_ROPE_NTK, 128, 128, 10000, 8, 0, 0, 0, 1, 4, 0, 0, 1, 1, {1, 9, 20, 31, 47, 63},
     {0.83784801, 0.20346379, 0.029060613, 0.0041507101, 0.00024477451, 1.4434774e-05}, 4e-06},
    {"vLLM ntk_scaling_rope.py, NTKScalingRotaryEmbedding",
     PE_ROPE_NTK_FIXED, 128, 128, 10000, 4, 0, 0, 0, 1, 4, 0, 0, 1, 1, {1, 9, 20, 31, 47, 63},
     {0.82925028, 0.22050992, 0.035681989, 0.0057739094, 0.00040827706, 2.8869548e-05}, 4e-06},
    {"transformers modeling_rope_utils.py, _compute_dynamic_ntk_parameters",
     PE_ROPE_DYNAMIC_NTK, 128, 128, 10000, 2, 0, 8192, 20000, 1, 4, 0, 0, 1, 1, {1, 9, 20, 31, 47,
     63}, {0.84751707, 0.22559851, 0.036556903, 0.0059238295, 0.0004197378, 2.9740866e-05}, 4e-06},
    {"transformers modeling_rope_utils.py, _compute_llama3_parameters: Llama 3.1",
     PE_ROPE_LLAMA3, 128, 128, 500000, 8, 8192, 0, 0, 1, 4, 0, 0, 1, 1, {1, 20, 29, 31, 34, 63},
     {0.81461722, 0.016560441, 0.0021665706, 0.00085675146, 0.00017850779, 3.0689259e-07}, 8e-06},
    {"transformers modeling_rope_utils.py, _compute_llama3_parameters: Llama 3.2 1B",
     PE_ROPE_LLAMA3, 64, 64, 500000, 32, 8192, 0, 0, 1, 4, 0, 0, 1, 1, {1, 13, 15, 16, 17, 31},
     {0.66360128, 0.0048394212, 0.001290548, 0.00042955671, 9.7082862e-05, 9.4183065e-08}, 8e-06},
    {"transformers modeling_rope_utils.py, _compute_yarn_parameters: Qwen 2.5, factor 4",
     PE_ROPE_YARN, 128, 128, 1000000, 4, 32768, 0, 0, 1, 4, 0, 0, 1, 1.138629436111989, {1, 23, 28,
     32, 38, 63}, {0.80584222, 0.006978306, 0.0018482766, 0.00060294115, 9.2623013e-05,
     3.1023444e-07}, 8e-06},
    {"transformers modeling_rope_utils.py, _compute_yarn_parameters: GPT-OSS, truncate false",
     PE_ROPE_YARN, 64, 64, 150000, 32, 4096, 0, 0, 1, 4, 0, 0, 0, 1.346573590279973, {1, 8, 10, 13,
     17, 31}, {0.6890443, 0.050813273, 0.019335, 0.0038603591, 0.00012931869, 3.0235114e-07},
     8e-06},
    {"vLLM deepseek_scaling_rope.py: DeepSeek-V2, mscale 0.707 twice",
     PE_ROPE_YARN, 64, 64, 10000, 40, 4096, 0, 0, 1, 4, 0.707, 0.707, 1, 1, {1, 10, 14, 17, 22, 31},
     {0.7498942, 0.056234129, 0.012447956, 0.0035619973, 0.00017782794, 3.3338035e-06}, 8e-06},
    {"transformers modeling_rope_utils.py, _compute_longrope_parameters: Phi-3 vision 128k, short",
     PE_ROPE_LONGROPE, 96, 96, 10000, 0, 4096, 131072, 4096, 1, 4, 0, 0, 1, 1.190238071423808, {0,
     6, 12, 24, 36, 47}, {0.95238101, 0.25298223, 0.052631579, 0.0049999999, 0.00042553191,
     3.9722214e-05}, 4e-06},
    {"transformers modeling_rope_utils.py, _compute_longrope_parameters: Phi-3 vision 128k, long",
     PE_ROPE_LONGROPE, 96, 96, 10000, 0, 4096, 131072, 4097, 1, 4, 0, 0, 1, 1.190238071423808, {0,
     6, 12, 24, 36, 47}, {0.97087383, 0.24325213, 0.027100272, 0.0003332223, 1.6139442e-05,
     1.8693523e-06}, 4e-06},
    {"transformers modeling_rope_utils.py, _compute_proportional_rope_parameters: Gemma 4",
     PE_ROPE_PROPORTIONAL, 512, 128, 1000000, 0, 0, 0, 0, 1, 4, 0, 0, 1, 1, {1, 20, 40, 63, 64,
     255}, {0.94746351, 0.33982083, 0.1154782, 0.033376247, 0, 0}, 4e-06},
};

/* Phi-3-vision-128k-instruct, config.json, rope_scaling: in diffusers tests/pipelines/omnigen */
static const double phi3_long[48] = {
    1.0299999713897705, 1.0499999523162842, 1.0499999523162842, 1.0799999237060547,
    1.2299998998641968, 1.2299998998641968, 1.2999999523162842, 1.4499999284744263,
    1.5999999046325684, 1.6499998569488525, 1.8999998569488525, 2.859999895095825, 3.68999981880188,
    5.419999599456787, 5.489999771118164, 5.489999771118164, 9.09000015258789, 11.579999923706055,
    15.65999984741211, 15.769999504089355, 15.789999961853027, 18.360000610351562,
    21.989999771118164, 23.079999923706055, 30.009998321533203, 32.35000228881836,
    32.590003967285156, 35.56000518798828, 39.95000457763672, 53.840003967285156, 56.20000457763672,
    57.95000457763672, 59.29000473022461, 59.77000427246094, 59.920005798339844, 61.190006256103516,
    61.96000671386719, 62.50000762939453, 63.3700065612793, 63.48000717163086, 63.48000717163086,
    63.66000747680664, 63.850006103515625, 64.08000946044922, 64.760009765625, 64.80001068115234,
    64.81001281738281, 64.81001281738281};
static const double phi3_short[48] = {
    1.05, 1.05, 1.05, 1.1, 1.1, 1.1, 1.2500000000000002, 1.2500000000000002, 1.4000000000000004,
    1.4500000000000004, 1.5500000000000005, 1.8500000000000008, 1.9000000000000008,
    2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001,
    2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001,
    2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001,
    2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001, 2.1000000000000005,
    2.1000000000000005, 2.2, 2.3499999999999996, 2.3499999999999996, 2.3499999999999996,
    2.3499999999999996, 2.3999999999999995, 2.3999999999999995, 2.6499999999999986,
    2.6999999999999984, 2.8999999999999977, 2.9499999999999975, 3.049999999999997,
    3.049999999999997, 3.049999999999997};

/* A head of 16 elements (7i mod 11) - 5, theta 10000, turned to position 7, or (t, y, x) =
   (7, 3, 5). */
typedef enum turned {
    TURN_ADJACENT, TURN_HALVES, TURN_APART, TURN_BLOCKS, TURN_WOVEN, TURN_VISION, TURN_YARN
} turned;
typedef struct published_turn {
    const char *source;
    turned how;
    double values[16];
} published_turn;
static const published_turn published_turns[] = {
    {"ggml ggml-cpu/ops.cpp, ggml_compute_forward_rope_flt, NORMAL",
     TURN_ADJACENT, {-5.0834846, -1.7771285, -2.8032331, -4.5980306, 2.6974955, -1.6503088,
     3.9023995, 0.87822443, -4.2000327, 2.7128818, -0.88908434, -5.0209093, 2.0139508, -1.9859511,
     4.9977741, 1.0110655}},
    {"ggml ggml-cpu/ops.cpp, ggml_compute_forward_rope_flt, NEOX",
     TURN_HALVES, {-1.1415648, -3.6001396, -0.88546658, 5.97578, 0.8576653, -2.9549968, 3.9649024,
     -0.0022135924, -6.3005419, -0.19746923, -2.0532775, -3.7802188, 2.0650449, -2.0659125,
     5.0278773, 0.99999756}},
    {"ggml ggml-cpu/ops.cpp, ggml_compute_forward_rope_flt, MROPE, sections 4, 2, 2",
     TURN_BLOCKS, {-1.1415648, -3.6001396, -0.88546658, 5.97578, 0.93955904, -2.9808917, 3.9749501,
     -0.0015811382, -6.3005419, -0.19746923, -2.0532775, -3.7802188, 2.0290956, -2.0283701,
     5.0199375, 0.99999875}},
    {"ggml ggml-cpu/ops.cpp, ggml_compute_forward_rope_flt, IMROPE, sections 3, 3, 2",
     TURN_WOVEN, {-1.1415648, -1.2724395, -1.2757396, 5.97578, 0.93955904, -2.9680035, 3.9649024,
     -0.00094868301, -6.3005419, 3.3735588, -1.8364336, -3.7802188, 2.0290956, -2.0471823,
     5.0278773, 0.99999952}},
    {"ggml ggml-cpu/ops.cpp, ggml_compute_forward_rope_flt, VISION, sections 4, 4",
     TURN_VISION, {-1.1415648, -0.40296853, -1.9251592, 5.0348773, -1.2722325, -2.2749691,
     3.8482227, -0.0029999958, -6.3005419, 3.582962, -1.1374367, -4.9648776, -1.838865, -2.7972336,
     5.117732, 0.99999553}},
    {"ggml ggml-cpu/ops.cpp, ggml_compute_forward_rope_flt, NORMAL: YaRN, 32 positions to 128",
     TURN_YARN, {-5.7882051, -2.0234909, -6.0176182, -1.1773294, 1.7159725, -3.1654711, 4.5475454,
     0.25191775, -4.613595, 3.3356652, -1.1071064, -5.6993608, 2.2812405, -2.2732701, 5.6925159,
     1.1417798}},
    {"transformers modeling_deepseek_v3.py, apply_rotary_pos_emb_interleave",
     TURN_APART, {-5.0834846, -2.8032331, 2.6974952, 3.9023995, -4.2000327, -0.88908434, 2.0139508,
     4.9977741, -1.7771286, -4.5980306, -1.6503088, 0.87822443, 2.7128818, -5.0209093, -1.9859511,
     1.0110655}},
    {"transformers modeling_llama.py, apply_rotary_pos_emb",
     TURN_HALVES, {-1.1415648, -3.6001396, -0.88546675, 5.97578, 0.8576653, -2.9549968, 3.9649024,
     -0.0022135926, -6.3005419, -0.19746923, -2.0532775, -3.7802186, 2.0650449, -2.0659125,
     5.0278773, 0.99999756}},
    {"Llama model.py, apply_rotary_emb",
     TURN_ADJACENT, {-5.0834846, -1.7771286, -2.8032331, -4.5980306, 2.6974952, -1.6503088,
     3.9023995, 0.87822443, -4.2000327, 2.7128818, -0.88908434, -5.0209093, 2.0139508, -1.9859511,
     4.9977741, 1.0110655}},
};

/* Position 5, a head of 8 elements, theta 10000. */
typedef struct published_table {
    const char *source;
    pe_rope_table_layout table;
    pe_layout layout;
    double cosines[8], sines[8];
} published_table;
static const published_table published_tables[] = {
    {"transformers modeling_llama.py, LlamaRotaryEmbedding",
     PE_ROPE_TABLE_TWICE, PE_LAYOUT_HALVES, {0.2836622, 0.87758255, 0.99875027, 0.99998754,
     0.2836622, 0.87758255, 0.99875027, 0.99998754}, {-0.95892429, 0.47942555, 0.049979165,
     0.0049999794, -0.95892429, 0.47942555, 0.049979165, 0.0049999794}},
    {"transformers modeling_cohere.py, repeat_interleave(emb, 2)",
     PE_ROPE_TABLE_TWICE, PE_LAYOUT_INTERLEAVED, {0.2836622, 0.2836622, 0.87758255, 0.87758255,
     0.99875027, 0.99875027, 0.99998754, 0.99998754}, {-0.95892429, -0.95892429, 0.47942555,
     0.47942555, 0.049979165, 0.049979165, 0.0049999794, 0.0049999794}},
    {"vLLM rotary_embedding/base.py, cos_sin_cache",
     PE_ROPE_TABLE_JOINED, PE_LAYOUT_HALVES, {0.2836622, 0.87758255, 0.99875027, 0.99998754,
     -0.95892429, 0.47942555, 0.049979165, 0.0049999794}, {0}},
    {"Llama model.py, precompute_freqs_cis",
     PE_ROPE_TABLE_COMPLEX, PE_LAYOUT_INTERLEAVED, {0.2836622, -0.95892429, 0.87758255, 0.47942555,
     0.99875027, 0.049979165, 0.99998748, 0.0049999794}, {0}},
    {"onnxruntime RotaryEmbedding, cos_cache and sin_cache",
     PE_ROPE_TABLE_APART, PE_LAYOUT_INTERLEAVED, {0.2836622, 0.87758255, 0.99875027, 0.99998754},
     {-0.95892429, 0.47942555, 0.049979165, 0.0049999794}},
};

/* Frequencies as float32 code computes them, pairs and values. */
typedef struct published_float {
    const char *source;
    pe_float32 formula;
    size_t d_model;
    double base;
    size_t pairs[6];
    double values[6];
} published_float;
static const published_float published_floats[] = {
    {"transformers, Llama: 1.0 / base ** (arange(0, 128, 2) / 128)",
     PE_FLOAT32_POW, 128, 10000, {1, 12, 32, 57, 62, 63}, {0.865964353, 0.177827939, 0.00999999978,
     0.000273841957, 0.00013335215, 0.000115478193}},
    {"the same, base 500000",
     PE_FLOAT32_POW, 128, 500000, {1, 12, 32, 57, 62, 63}, {0.814617217, 0.0853971019,
     0.00141421345, 8.40146095e-06, 3.01385808e-06, 2.4551407e-06}},
    {"PyTorch tutorial: exp(arange(0, 512, 2) * (-log(10000.0) / 512))",
     PE_FLOAT32_EXP, 512, 10000, {1, 51, 128, 249, 254, 255}, {0.964661598, 0.15963386,
     0.00999999978, 0.000128639687, 0.000107460757, 0.000103663326}},
    {"latent-diffusion util.py: exp(-log(10000) * arange(160) / 160)",
     PE_FLOAT32_EXP_OF_RATIO, 320, 10000, {1, 32, 80, 153, 158, 159}, {0.944060862, 0.158489317,
     0.00999999978, 0.00014962352, 0.000112201858, 0.00010592537}},
};

/* torch 1.13, torch.nn.functional.interpolate of 3 rows of 4 numbers ((5y + 3x) mod 7) / 4. */
typedef struct published_resample {
    const char *source;
    pe_resample_method method;
    int antialias, align_corners, scaled; /* scaled: DINOv2's + 0.1 */
    size_t height, width;
    double values[15];
} published_resample;
static const published_resample published_resamples[] = {
    {"interpolate(size=(2, 3), mode='bilinear')",
     PE_RESAMPLE_LINEAR, 0, 0, 0, 2, 3, {0.36458334, 1, 0.54166657, 0.92708337, 0.90624994,
     0.88541669}},
    {"interpolate(size=(5, 3), mode='bilinear', align_corners=True)",
     PE_RESAMPLE_LINEAR, 0, 1, 0, 5, 3, {0, 1.125, 0.5, 0.625, 0.875, 0.25, 1.25, 0.625, 0, 1,
     0.8125, 0.625, 0.75, 1, 1.25}},
    {"interpolate(size=(2, 6), mode='bicubic')",
     PE_RESAMPLE_CUBIC, 0, 0, 0, 2, 6, {0.27543476, 0.37069702, 0.7530179, 1.3850437, 0.9496153,
     0.25062755, 0.88188016, 1.1098022, 1.1318123, 0.65670109, 0.71588141, 0.97990584}},
    {"interpolate(size=(2, 3), mode='bilinear', antialias=True)",
     PE_RESAMPLE_LINEAR, 1, 0, 0, 2, 3, {0.49687502, 0.9375, 0.61249989, 0.96562505, 0.859375,
     0.75312501}},
    {"interpolate(size=(2, 2), mode='bicubic', antialias=True)",
     PE_RESAMPLE_CUBIC, 1, 0, 0, 2, 2, {0.60154641, 0.78893608, 0.97445869, 0.75257182}},
    {"DINOv2: interpolate(scale_factor=((2 + 0.1) / 3, (6 + 0.1) / 4), mode='bicubic')",
     PE_RESAMPLE_CUBIC, 0, 0, 1, 2, 6, {0.21860695, 0.35714936, 0.7566722, 1.3852022, 1.0339323,
     0.3042455, 0.99316698, 1.0559996, 0.99743962, 0.69886464, 0.66681015, 0.80312651}},
};

/* attention_with_linear_biases fairseq/models/transformer.py, get_slopes(12) */
static const double published_slopes[12] = {
    0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.70710678118654757,
    0.35355339059327384, 0.17677669529663692, 0.088388347648318488};

/* transformers modeling_t5.py, _relative_position_bucket, 32 buckets to 128: distances, then
   buckets both ways and of a decoder. */
static const int published_t5[3][18] = {
    {-200, -127, -100, -64, -33, -20, -15, -8, -1, 0, 1, 7, 9, 17, 31, 50, 91, 128},
    {15, 15, 15, 14, 12, 10, 9, 8, 1, 0, 17, 23, 24, 26, 27, 29, 31, 31},
    {31, 31, 30, 26, 21, 17, 15, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* Swin-Transformer models/swin_transformer.py, relative_position_index of a window of 2 x 3 */
static const int32_t published_swin[36] = {
    7, 6, 5, 2, 1, 0, 8, 7, 6, 3, 2, 1, 9, 8, 7, 4, 3, 2, 12, 11, 10, 7, 6, 5, 13, 12, 11, 8, 7, 6,
    14, 13, 12, 9, 8, 7};

/* torchscale xpos_relative_position.py, XPOS(8): scale at position -4, at 3, and there of keys. */
static const double published_xpos[3][4] = {{1.0098352, 1.0060122, 1.0034578, 1.001538},
                                           {0.99268645, 0.99551445, 0.99741447, 0.99884808},
                                           {1.0073674, 1.0045058, 1.0025922, 1.0011532}};

/* modeling_llama4.py, attn_scales (0.1, 8192); modeling_ministral3.py, get_llama_4_attn_scale (0.1,
   16384): positions and factors. */
static const double published_scales[2][4][2] = {
    {{0, 1}, {8191, 1.0693147}, {40000, 1.1609437}, {131071, 1.2833214}},
    {{0, 1}, {16384, 1.0693147}, {40000, 1.1098613}, {262143, 1.2772589}}};

#endif /* PE_TESTS_PUBLISHED_H */
