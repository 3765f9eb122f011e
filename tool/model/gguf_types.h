/* SPDX-License-Identifier: MIT */
/* Lists what llama.cpp has in its code for each architecture: which elements are a pair, and
 * which layers rotate in which way. A GGUF file has no keys for these facts. The table has one
 * entry per architecture. The facts are from llama.cpp's llama-model.cpp, models/ and converter,
 * at the commit and on the day below. No code was copied. */
#ifndef TOOL_GGUF_TYPES_H
#define TOOL_GGUF_TYPES_H

#define GGUF_CHECKED "llama.cpp 00395eb2, 2026-11-26"

/* Says which elements of a head are a pair, or which encoding there is instead of a rotation.
 * rotary_dim is the number of elements that rotate. llama.cpp calls the first four NORM, NEOX,
 * MROPE and IMROPE. */
typedef enum gguf_pairs {
    GGUF_NEIGHBOURS = 1,         /* interleaved: elements 2i and 2i + 1                          */
    GGUF_HALVES,                 /* elements i and i + rotary_dim / 2                            */
    GGUF_SECTIONS,               /* halves; rope.dimension_sections has the pairs per coordinate */
    GGUF_SECTIONS_WOVEN,         /* the same, but the pairs of the coordinates are interleaved   */
    GGUF_NEIGHBOURS_OR_SECTIONS, /* GGUF_SECTIONS with two or more sections, else interleaved    */
    GGUF_HALVES_OR_SECTIONS,     /* GGUF_SECTIONS if the file has sections, else halves          */
    GGUF_LEARNED,                /* a table of vectors, position_embd.weight                     */
    GGUF_ALIBI,
    GGUF_BUCKETS, /* T5's buckets of distances                        */
    GGUF_NOTHING  /* no positional encoding, as in state-space models */
} gguf_pairs;

/* Says which elements are a pair in the weights of Hugging Face's file, compared with the GGUF
 * file. */
typedef enum gguf_origin {
    GGUF_SAME = 0,  /* the same elements                                                   */
    GGUF_PERMUTED,  /* halves: the converter reorders the rows of queries and keys         */
    GGUF_UNCHECKED, /* unknown: nobody has compared them                                   */
    GGUF_ORIGIN_COUNT
} gguf_origin;

/* Says which base and scaling the layers with a window have. If the file has the key
 * rope.freq_base_swa, however, their base is its value. */
typedef enum gguf_window_base {
    GGUF_SAME_BASE = 0, /* the base and the scaling of the full layers */
    GGUF_UNSCALED,      /* the base of the full layers, no scaling     */
    GGUF_10000          /* base 10000, no scaling                      */
} gguf_window_base;

/* Says which layers with attention do not rotate. Layers are counted from 0. */
typedef enum gguf_nope {
    GGUF_ALL_ROTATE = 0,
    GGUF_FULL_DO_NOT,  /* those without a window, if other layers have one                   */
    GGUF_DENSE_DO,     /* the same, but the first leading_dense_block_count layers rotate    */
    GGUF_FOURTH_DO_NOT /* layers 3, 7, 11 ...                                                */
} gguf_nope;

/* Holds the entry of an architecture. Fields that an entry does not name are 0. A layer "with a
 * window" attends only to the last positions. */
typedef struct gguf_architecture {
    const char *name;   /* the value of general.architecture                                   */
    gguf_pairs pairs;   /* which elements are a pair                                           */
    gguf_origin origin; /* which elements are a pair in Hugging Face's file                    */
    /* In each group of `period` layers, all but one have a window. With 0 and without is_listed, no
     * layer has a window. A number at attention.sliding_window_pattern takes precedence. */
    unsigned period;
    int is_first;  /* 1: the layer without a window is the first of its group; 0: the last   */
    int is_listed; /* 1: attention.sliding_window_pattern has a boolean for each layer       */
    /* The number of positions in a window if attention.sliding_window is absent. With 0, no layer
     * has a window then. */
    unsigned window;
    unsigned window_layers; /* only models of so many layers have windows; 0: all models do    */
    gguf_window_base base;  /* the base and the scaling of the layers with a window            */
    gguf_nope nope;         /* which layers with attention do not rotate                       */
    int has_own_factors;    /* 1: rope_freqs.weight is only for the layers without a window    */
    int is_halved; /* 1: without a window, only rope.dimension_count / 2 elements rotate        */
    int has_betas; /* 1: llama.cpp reads rope.scaling.yarn_beta_fast and yarn_beta_slow         */
    /* The file's rope.scaling.yarn_log_multiplier is mscale_all_dim times this number. With 0,
     * llama.cpp does not read this key. */
    double log_multiplier;
    /* This is n if only the layers n - 1, 2n - 1 ... have attention, and the others are recurrent.
     * The key full_attention_interval takes precedence. With 0, the key is not read, and only
     * layers with 0 heads for keys are recurrent. */
    unsigned interval;
    unsigned alibi_layers; /* a model of so many layers has ALiBi in place of `pairs`; 0: none */
} gguf_architecture;

static const gguf_architecture gguf_architectures[] = {
    {"llama", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"llama4", .pairs = GGUF_NEIGHBOURS, .period = 4, .window = 8192, .nope = GGUF_FULL_DO_NOT},
    {"llama-embed", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"llada", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"deci", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"baichuan", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED, .alibi_layers = 40},
    {"internlm2", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"minicpm", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"xverse", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"command-r", .pairs = GGUF_NEIGHBOURS},
    {"cohere2", .pairs = GGUF_NEIGHBOURS, .period = 4, .nope = GGUF_FULL_DO_NOT},
    {"cohere2moe", .pairs = GGUF_NEIGHBOURS, .is_first = 1, .is_listed = 1, .nope = GGUF_DENSE_DO},
    {"olmo", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"arctic", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"deepseek", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"deepseek2", .pairs = GGUF_NEIGHBOURS, .log_multiplier = 0.1},
    {"deepseek2-ocr", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_UNCHECKED},
    {"deepseek32", .pairs = GGUF_NEIGHBOURS, .log_multiplier = 0.1},
    {"deepseek4", .pairs = GGUF_NEIGHBOURS, .has_betas = 1},
    {"plm", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_UNCHECKED},
    {"chatglm", .pairs = GGUF_NEIGHBOURS},
    {"granite", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"granitemoe", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"granitehybrid", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"chameleon", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"bailingmoe", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"neo-bert", .pairs = GGUF_NEIGHBOURS},
    {"smollm3", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED, .nope = GGUF_FOURTH_DO_NOT},
    {"arcee", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED},
    {"ernie4_5", .pairs = GGUF_NEIGHBOURS},
    {"ernie4_5-moe", .pairs = GGUF_NEIGHBOURS},
    {"mistral3", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_PERMUTED, .has_betas = 1,
     .log_multiplier = 1},
    {"mistral4", .pairs = GGUF_NEIGHBOURS, .log_multiplier = 0.1},
    {"eagle3", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_UNCHECKED},
    {"maincoder", .pairs = GGUF_NEIGHBOURS, .origin = GGUF_UNCHECKED},
    {"glm-dsa", .pairs = GGUF_NEIGHBOURS, .log_multiplier = 0.1},
    {"falcon", .pairs = GGUF_HALVES},
    {"falcon-h1", .pairs = GGUF_HALVES},
    {"grok", .pairs = GGUF_HALVES, .has_betas = 1},
    {"dbrx", .pairs = GGUF_HALVES},
    {"jina-bert-v3", .pairs = GGUF_HALVES},
    {"modern-bert", .pairs = GGUF_HALVES, .period = 3, .is_first = 1, .base = GGUF_10000},
    {"nomic-bert", .pairs = GGUF_HALVES},
    {"nomic-bert-moe", .pairs = GGUF_HALVES},
    {"eurobert", .pairs = GGUF_HALVES},
    {"stablelm", .pairs = GGUF_HALVES},
    {"bitnet", .pairs = GGUF_HALVES},
    {"qwen", .pairs = GGUF_HALVES},
    {"qwen2", .pairs = GGUF_HALVES},
    {"dream", .pairs = GGUF_HALVES},
    {"qwen2moe", .pairs = GGUF_HALVES},
    {"qwen3", .pairs = GGUF_HALVES},
    {"qwen3moe", .pairs = GGUF_HALVES},
    {"llada-moe", .pairs = GGUF_HALVES},
    {"rnd1", .pairs = GGUF_HALVES},
    {"olmo2", .pairs = GGUF_HALVES, .period = 4, .base = GGUF_UNSCALED},
    {"olmoe", .pairs = GGUF_HALVES},
    {"phi2", .pairs = GGUF_HALVES},
    {"phi3", .pairs = GGUF_HALVES},
    {"phimoe", .pairs = GGUF_HALVES},
    {"plamo", .pairs = GGUF_HALVES},
    {"plamo2", .pairs = GGUF_HALVES},
    {"plamo3", .pairs = GGUF_HALVES, .period = 8, .base = GGUF_10000},
    {"gemma", .pairs = GGUF_HALVES},
    {"gemma2", .pairs = GGUF_HALVES, .period = 2, .window = 4096},
    {"gemma3", .pairs = GGUF_HALVES, .period = 6, .base = GGUF_10000},
    {"gemma3n", .pairs = GGUF_HALVES, .period = 5, .base = GGUF_10000},
    {"gemma4", .pairs = GGUF_HALVES, .is_listed = 1, .base = GGUF_10000, .has_own_factors = 1},
    {"gemma4-assistant", .pairs = GGUF_HALVES, .is_listed = 1, .base = GGUF_10000,
     .has_own_factors = 1},
    {"gemma-embedding", .pairs = GGUF_HALVES, .period = 6, .base = GGUF_10000},
    {"starcoder2", .pairs = GGUF_HALVES},
    {"openelm", .pairs = GGUF_HALVES},
    {"gptneox", .pairs = GGUF_HALVES},
    {"codeshell", .pairs = GGUF_HALVES},
    {"orion", .pairs = GGUF_HALVES},
    {"nemotron", .pairs = GGUF_HALVES},
    {"exaone", .pairs = GGUF_HALVES},
    {"exaone4", .pairs = GGUF_HALVES, .period = 4, .window = 4096, .window_layers = 64,
     .nope = GGUF_FULL_DO_NOT},
    {"exaone-moe", .pairs = GGUF_HALVES, .is_listed = 1, .nope = GGUF_FULL_DO_NOT},
    {"minicpm3", .pairs = GGUF_HALVES},
    {"bailingmoe2", .pairs = GGUF_HALVES},
    {"dots1", .pairs = GGUF_HALVES},
    {"hunyuan-moe", .pairs = GGUF_HALVES},
    {"hunyuan-dense", .pairs = GGUF_HALVES},
    {"hy_v3", .pairs = GGUF_HALVES},
    {"jais2", .pairs = GGUF_HALVES},
    {"gpt-oss", .pairs = GGUF_HALVES, .period = 2},
    {"lfm2", .pairs = GGUF_HALVES},
    {"lfm2moe", .pairs = GGUF_HALVES},
    {"smallthinker", .pairs = GGUF_HALVES, .period = 4, .is_first = 1, .nope = GGUF_FULL_DO_NOT},
    {"seed_oss", .pairs = GGUF_HALVES},
    {"grovemoe", .pairs = GGUF_HALVES},
    {"apertus", .pairs = GGUF_HALVES},
    {"minimax-m2", .pairs = GGUF_HALVES},
    {"cogvlm", .pairs = GGUF_HALVES},
    {"pangu-embedded", .pairs = GGUF_HALVES},
    {"afmoe", .pairs = GGUF_HALVES, .period = 4, .nope = GGUF_FOURTH_DO_NOT},
    {"laguna", .pairs = GGUF_HALVES, .period = 4, .is_first = 1, .base = GGUF_UNSCALED,
     .has_betas = 1},
    {"qwen3next", .pairs = GGUF_HALVES, .interval = 4},
    {"mimo2", .pairs = GGUF_HALVES, .is_listed = 1, .base = GGUF_10000},
    {"step35", .pairs = GGUF_HALVES, .is_listed = 1, .base = GGUF_10000, .has_own_factors = 1,
     .is_halved = 1},
    {"talkie", .pairs = GGUF_HALVES},
    {"mellum", .pairs = GGUF_HALVES, .period = 4, .base = GGUF_UNSCALED},
    {"dflash", .pairs = GGUF_HALVES},
    {"qwen2vl", .pairs = GGUF_SECTIONS},
    {"paddleocr", .pairs = GGUF_SECTIONS},
    {"qwen3vl", .pairs = GGUF_SECTIONS_WOVEN},
    {"qwen3vlmoe", .pairs = GGUF_SECTIONS_WOVEN},
    {"qwen35", .pairs = GGUF_SECTIONS_WOVEN, .interval = 4},
    {"qwen35moe", .pairs = GGUF_SECTIONS_WOVEN, .interval = 4},
    {"glm4", .pairs = GGUF_NEIGHBOURS_OR_SECTIONS},
    {"glm4moe", .pairs = GGUF_HALVES_OR_SECTIONS},
    {"hunyuan_vl", .pairs = GGUF_HALVES_OR_SECTIONS},
    {"gpt2", .pairs = GGUF_LEARNED},
    {"starcoder", .pairs = GGUF_LEARNED},
    {"bert", .pairs = GGUF_LEARNED},
    {"mpt", .pairs = GGUF_ALIBI},
    {"refact", .pairs = GGUF_ALIBI},
    {"bloom", .pairs = GGUF_ALIBI},
    {"jais", .pairs = GGUF_ALIBI},
    {"jina-bert-v2", .pairs = GGUF_ALIBI},
    {"t5", .pairs = GGUF_BUCKETS},
    {"t5encoder", .pairs = GGUF_BUCKETS},
    {"mamba", .pairs = GGUF_NOTHING},
    {"mamba2", .pairs = GGUF_NOTHING},
    {"jamba", .pairs = GGUF_NOTHING},
    {"rwkv6", .pairs = GGUF_NOTHING},
    {"rwkv6qwen2", .pairs = GGUF_NOTHING},
    {"rwkv7", .pairs = GGUF_NOTHING},
    {"arwkv7", .pairs = GGUF_NOTHING},
    {"nemotron_h", .pairs = GGUF_NOTHING},
    {"nemotron_h_moe", .pairs = GGUF_NOTHING},
    {"kimi-linear", .pairs = GGUF_NOTHING},
};

/* Returns the entry of an architecture, or NULL if the table does not have it. */
static const gguf_architecture *gguf_find_architecture(const char *name)
{
    const size_t count = sizeof gguf_architectures / sizeof *gguf_architectures;
    for (size_t i = 0; i < count; i++)
        if (strcmp(gguf_architectures[i].name, name) == 0) return &gguf_architectures[i];
    return NULL;
}

#endif
