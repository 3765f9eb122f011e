/* SPDX-License-Identifier: MIT */
/* This contract declares a model's RoPE config, its frequencies and its plan, and the factors that
 * depend on the position. Tested by tests/unit/rope/test_rope_frequencies.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* ---- 7. RoPE frequencies ------------------------------------------------------------------------
 * The frequencies w_i of rotary encodings are computed from the fields of a model's config.
 * pe_rope_plan_init() makes a plan of them. With n = rotary_dim (0: head_dim), B = rope_theta, f =
 * factor, L0 = original_max_position_embeddings and w_i = B^(-2i/n), they are
 *
 *     PE_ROPE_DEFAULT       w_i
 *     PE_ROPE_LINEAR        w_i / f                                     (position interpolation)
 *     PE_ROPE_NTK           w_i of B f^(n / (n-2)) instead of B         (NTK-aware)
 *     PE_ROPE_NTK_FIXED     w_i of B f instead of B, divided by f^(2/n)
 *     PE_ROPE_DYNAMIC_NTK   as PE_ROPE_NTK with f L/L0 - (f-1) instead of f, where L is the larger
 *                           of sequence_length and L0, and L0 is max_position_embeddings
 *     PE_ROPE_LLAMA3        (s_i + (1 - s_i) / f) w_i, s_i = (L0 w_i / 2 pi - l) / (h - l) within
 *                           0 ... 1, l = low_freq_factor, h = high_freq_factor: waves shorter than
 *                           L0 / h stay as they are, waves longer than L0 / l get f times as long
 *     PE_ROPE_YARN          (m_i + (1 - m_i) / f) w_i, m_i = e (1 - r_i), e = extrapolation_factor,
 *                           r_i = (i - low) / (high - low) within 0 ... 1, low = floor c(beta_fast)
 *                           and at least 0, high = ceil c(beta_slow) and at most n - 1, or
 *                           low + 0.001 where they are equal; c(b) = n ln(L0 / 2 pi b) / (2 ln B)
 *     PE_ROPE_LONGROPE      w_i / short_factor[i], or w_i / long_factor[i] if sequence_length > L0
 *     PE_ROPE_PROPORTIONAL  B^(-2i / head_dim) / f for i < n/2, then 0 up to pair head_dim/2: the
 *                           exponents span the whole head, and the last pairs do not rotate
 *
 * each divided by freq_factors[i] if these are given. The attention factor multiplies cosine and
 * sine, and so scales queries and keys. It is attention_factor; if that is 0, it is 1 except for
 *
 *     PE_ROPE_YARN          m(1), or m(mscale) / m(mscale_all_dim) if both are given, with
 *                           m(x) = 0.1 x ln f + 1 for f > 1, and 1 for f <= 1
 *     PE_ROPE_LONGROPE      long_mscale if sequence_length > L0, else short_mscale; if that is 0,
 *                           sqrt(1 + ln f / ln L0) for f > 1, and 1 for f <= 1
 *
 * A number in the config that is 0 is absent, unless the comment of its field gives 0 a meaning. If
 * original_max_position_embeddings is absent, L0 is max_position_embeddings. For DYNAMIC_NTK the
 * reverse holds: L0 is original_max_position_embeddings if max_position_embeddings is absent. If f
 * is absent, YARN and LONGROPE use max_position_embeddings / L0, and PROPORTIONAL uses 1. The page
 * docs/rope.md lists the keys of config.json and GGUF and the arguments of ggml, and the field for
 * each.
 */

/* How a model scales its frequencies. PE__ROPE_TYPES(X) lists every type and the names that config
   files have for it, by which pe_rope_type_named() finds it: at most 4 names of at most 23
   characters each. */
#define PE__ROPE_TYPES(X)                                                                          \
    X(PE_ROPE_DEFAULT, "default", "none", "mrope", "openpangu")                                    \
    X(PE_ROPE_LINEAR, "linear")                                                                    \
    X(PE_ROPE_NTK, "xdrope")                                                                       \
    X(PE_ROPE_NTK_FIXED, "ntk")                                                                    \
    X(PE_ROPE_DYNAMIC_NTK, "dynamic")                                                              \
    X(PE_ROPE_LLAMA3, "llama3")                                                                    \
    X(PE_ROPE_YARN, "yarn", "deepseek_yarn", "deepseek_llama_scaling", "telechat3-yarn")           \
    X(PE_ROPE_LONGROPE, "longrope", "su")                                                          \
    X(PE_ROPE_PROPORTIONAL, "proportional")

typedef enum pe_rope_type {
#define PE__ROPE_TYPE(type, ...) type,
    PE__ROPE_TYPES(PE__ROPE_TYPE) PE_ROPE_TYPE_COUNT
#undef PE__ROPE_TYPE
} pe_rope_type;

/* Which coordinate rotates which pairs of a head, if tokens have several. */
typedef enum pe_sections {
    PE_SECTIONS_BLOCKS = 0,  /* the first sections[0] pairs by coordinate 0, the next sections[1] by
                                coordinate 1 ...: Qwen2-VL's M-RoPE, mrope_section = [16, 24, 24] */
    PE_SECTIONS_INTERLEAVED, /* pair i by coordinate a = i mod axes if i < axes * sections[a], else
                                by coordinate 0: interleaved M-RoPE of Qwen3-VL, [24, 20, 20]. A
                                section may ask for more pairs than there are; sections[0] is
                                ignored, since coordinate 0 gets all other pairs                  */
    PE_SECTIONS_VISION       /* blocks of equal length, each with the frequencies of a head of
                                rotary_dim / axes: vision towers of Qwen2-VL, ggml VISION. With
                                LONGROPE each block uses the first rotary_dim / 2 / axes factors,
                                but all factors are checked; freq_factors continue from block to
                                block                                                             */
} pe_sections;

/* This config says how a model rotates its heads. Start from pe_rope_config_default() and change
   fields, because later versions may have more fields. A number of 0 means absent, unless the field
   says otherwise. Other doubles must be within 2^-128 ... 2^128, or the range beside the field,
   also in fields that the type does not use. Formulas and letters are those above. */
typedef struct pe_rope_config {
    size_t head_dim;                         /* elements of a head, at least 2                   */
    size_t rotary_dim;                       /* elements rotated: even, 2 ... head_dim; 0: all  */
    double rope_theta;                       /* the base B, 1 ... 2^128; YARN: more than 1       */
    pe_rope_type rope_type;                  /* what is done to the frequencies                  */
    double factor;                           /* f: supported length over trained length          */
    size_t original_max_position_embeddings; /* trained length in tokens; at most 2^53           */
    size_t max_position_embeddings;          /* supported length in tokens; at most 2^53         */
    size_t sequence_length;                  /* DYNAMIC_NTK, LONGROPE: tokens of the sequence that
                                                is encoded; at most 2^53                         */
    double low_freq_factor;                  /* LLAMA3: l, in full rotations over L0; above 0    */
    double high_freq_factor;                 /* LLAMA3: h, in full rotations over L0; at least l */
    double beta_fast;                        /* YARN, in full rotations over L0; 0: 32           */
    double beta_slow;                        /* YARN, in full rotations over L0; 0: 1. May exceed
                                                beta_fast only with a rope_theta of at least 2   */
    double extrapolation_factor;             /* YARN: e, at most 1; 0 is a value here, not
                                                "absent"                                         */
    int truncate;                            /* YARN: 0 leaves out the floor and the ceil        */
    double mscale;                           /* YARN's attention factor: not used unless
                                                mscale_all_dim is also given                     */
    double mscale_all_dim;                   /* YARN's attention factor: not used unless mscale is
                                                also given                                       */
    double attention_factor;                 /* instead of the rule of the type; 0 means absent,
                                                also where Hugging Face takes 0.0 as a value     */
    double short_mscale;                     /* LONGROPE's attention factor unless
                                                sequence_length > L0                             */
    double long_mscale;                      /* LONGROPE's attention factor if
                                                sequence_length > L0                             */
    const double *short_factor;              /* LONGROPE: rotary_dim/2 numbers; may be NULL if
                                                sequence_length > L0                             */
    const double *long_factor;               /* LONGROPE: rotary_dim/2 numbers; may be NULL unless
                                                sequence_length > L0                             */
    const float *freq_factors;               /* the divisor of each pair's frequency, or NULL    */
    pe_layout layout;                        /* which elements are a pair; halves by default     */
    int rope_interleave;                     /* 1: pairs are read adjacent and written as halves:
                                                DeepSeek-V3, GLM-4.7-Flash, LongCat. rotary_dim at
                                                most 512; layout PE_LAYOUT_HALVES                */
    size_t axes;                             /* coordinates of a token, 1 ... PE_MAX_AXES: 3 for
                                                (t, y, x)                                        */
    size_t sections[PE_MAX_AXES];            /* number of pairs of each coordinate; they sum to
                                                all pairs, unless interleaved. Ignored if axes is
                                                1 and coordinate is NULL                         */
    pe_sections section_order;               /* which pairs belong to which coordinate           */
    double offset;                           /* added to every position, as in pe_config         */
    pe_angle angle;                          /* exact, or as float32 code has it                 */
    size_t expected_rows;                    /* as in pe_config: 1 for a plan used for one token */
    size_t rotary_offset;                    /* elements of a head before those that rotate: ggml's
                                                n_offs. Its sum with rotary_dim must be at most
                                                head_dim                                         */
    const uint8_t *coordinate;               /* NULL, or which coordinate rotates each pair: below
                                                axes, or 255 for a pair that does not rotate.
                                                Replaces sections, which must be 0, and
                                                section_order                                    */
    size_t short_factor_length;              /* length of short_factor, checked to be rotary_dim / 2
                                                before the list is read. 0: not given, the list has
                                                that length. Must be 0 if short_factor is NULL   */
    size_t long_factor_length;               /* length of long_factor, by the same rules         */
    size_t freq_factors_length;              /* length of freq_factors, the number of pairs, by the
                                                same rules                                       */
    size_t coordinate_length;                /* length of coordinate, the number of pairs, by the
                                                same rules                                       */
} pe_rope_config;

/* Make the config of the RoFormer paper, with pairs that are halves: rotary_dim 0, so the whole
   head rotates, also if head_dim is changed later; rope_theta 10000, PE_ROPE_DEFAULT, one axis.
   Other fields are absent, or as in the papers of their types: low_freq_factor 1 and
   high_freq_factor 4, beta_fast 32 and beta_slow 1, extrapolation_factor 1, truncate 1. Nothing is
   checked here. Threads: any. */
PE_API pe_rope_config pe_rope_config_default(size_t head_dim);

/* Find the type that a config file names, by the names in the list of pe_rope_type. "ntk" is meant
 * as vLLM and the GTE models mean it. A name alone does not tell two cases apart: "dynamic" with a
 * key alpha is PE_ROPE_NTK, and "ntk" with a key mixed_b is none of these types.
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_NAME for another name: then *type is unchanged
 * Accuracy     case-sensitive (tests/unit/rope/test_rope_frequencies.c)
 * Aliasing     type may not overlap name
 * Threads      any */
PE_API pe_status pe_rope_type_named(const char *name, pe_rope_type *type);

/* Say what is wrong with a config: constant English text that names the field and its range, or
   NULL if nothing is. Threads: any. */
PE_API const char *pe_rope_config_error(const pe_rope_config *config);

/* Compute the frequencies and the attention factor of a config by the formulas above.
 *
 * config            lists that it points to are only read
 * omega             one double per pair: rotary_dim / 2, with PE_ROPE_PROPORTIONAL head_dim / 2
 * attention_factor  one double, or NULL
 *
 * Returns      PE_OK; PE_ERR_NULL if config or omega is NULL; PE_ERR_CONFIG: pe_rope_config_error()
 *              says why. On an error nothing is written.
 * Accuracy     omega and attention_factor are the formula for the exact values of the numbers in
 *              config, both correctly rounded (tests/unit/rope/test_rope_frequencies.c,
 *              tests/checks/levels.sh).
 *              A number in a formula, such as 0.1, is that decimal; steps and branches (floor,
 *              ceil, the waves of LLAMA3) are also decided by exact values. The bits
 *              are the same everywhere.
 * Aliasing     omega and attention_factor may not overlap what is read or each other
 * Threads      any; 64 pairs take 0.2 to 0.5 us with AVX-512
 * See          Su et al. 2021 (RoFormer); Chen et al. 2023 (linear); Peng et al. 2023 (YaRN);
 *              Ding et al. 2024 (LongRoPE); modeling_rope_utils.py; ggml_rope_ext() */
PE_API pe_status pe_rope_frequencies(const pe_rope_config *config, double *omega,
                                     double *attention_factor);

/* These constants say how a factor on queries grows with their position p. The other letters are
   parameters of pe_rope_query_scale_f32(). */
typedef enum pe_query_scale {
    PE_QUERY_SCALE_FLOOR = 0, /* 1 + beta ln(1 + floor((p + shift) / period)): Llama 4,
                                 Ministral 3                                            */
    PE_QUERY_SCALE_LOG        /* max(1, 1 + beta ln((p + shift) / period)): Qwen 1, Grok-2 */
} pe_query_scale;

/* Compute the factors of queries that depend on their position p, one float per row, by the formula
 * of kind. Multiply the rows of queries by them.
 *
 *     Llama 4      FLOOR  attn_scale, floor_scale, shift 1
 *     Ministral 3  FLOOR  llama_4_scaling_beta, original_max_position_embeddings, shift 0
 *     Qwen 1       LOG    logn: 1 / ln(seq_length), seq_length, shift 1
 *     Grok-2       LOG    1 / ln(attn_temperature_len), attn_temperature_len, shift 0
 *
 * beta         finite, at most 2^100 in magnitude; of LOG at least 0
 * period       1 ... 2^53
 * shift        -2^31 ... 2^31; added in double to the position, also to an integer
 * positions    of `rows` rows, one coordinate each; position + shift must be within 0 ... 2^31
 * factors      rows floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_ENUM for another kind; PE_ERR_QUERY_SCALE for a beta,
 *              period or shift out of these bounds, or a negative sum; PE_ERR_SIZE; PE_ERR_RANGE
 *              for a position or sum beyond 2^31 in magnitude; PE_ERR_AT..., see section 4. On an
 *              error nothing is written.
 * Accuracy     correctly rounded for the sum p + shift in double (tests/unit/plan/test_models.c)
 * Aliasing     factors may not overlap the positions
 * Threads      any */
PE_API pe_status pe_rope_query_scale_f32(pe_query_scale kind, double beta, size_t period,
                                         double shift, pe_at positions, size_t rows,
                                         float *factors);

/* Compute the factors of xPos on sines and cosines, one float per pair:
 *
 *     factors[r * stride + i] = ((2i + 0.4 n) / 1.4 n)^(p / scale_base)     n = 2 pairs
 *
 * for queries, where p is the position of row r; for keys use pe_back(positions). Multiply the
 * sines and cosines of a pe_rope_table_f32() by them, and rotate by that table:
 * pe_rope_by_table_T().
 *
 * pairs        half of the rotary dim, 1 ... 2^28
 * scale_base   512 in torchscale; 2^-30 ... 2^100. |p| must be at most the double 60 scale_base
 * positions    of `rows` rows, one coordinate each
 * factors      rows of stride floats
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_EMPTY if pairs is 0; PE_ERR_SHAPE for a stride below
 *              pairs; PE_ERR_SIZE; PE_ERR_XPOS for a scale_base or a position out of these bounds;
 *              PE_ERR_RANGE and PE_ERR_AT..., see section 4
 * Accuracy     correctly rounded (tests/unit/plan/test_models.c)
 * Aliasing     factors may not overlap the positions
 * Threads      any
 * See          Sun et al. 2022, "A Length-Extrapolatable Transformer" */
PE_API pe_status pe_rope_xpos_f32(size_t pairs, double scale_base, pe_at positions, size_t rows,
                                  float *factors, size_t stride);

/* Tell how many bytes of memory the plan of a RoPE config needs, as pe_plan_size(), or 0 if the
   config has an error. Threads: any. */
PE_API size_t pe_rope_plan_size(const pe_rope_config *config);

/* Make a plan for RoPE: that of pe_plan_init_frequencies() with the frequencies of
 * pe_rope_frequencies(). Its amplitude is the attention factor, its d_model twice the pairs.
 *
 * memory       as in pe_plan_init(), at least pe_rope_plan_size(config) bytes
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_CONFIG: pe_rope_config_error() says why, or NULL if only
 *              the plan would be larger than the address space; PE_ERR_FACTOR if the factors make a
 *              frequency of more than 2^21; PE_ERR_MEMORY. On an error the memory is not touched
 *              and the plan becomes all zeros.
 * Accuracy     frequencies as pe_rope_frequencies, then exact (tests/unit/rope/test_rope_plan.c)
 * Aliasing     plan, config, its lists and memory may not overlap
 * Threads      as pe_plan_init */
PE_API pe_status pe_rope_plan_init(pe_plan *plan, const pe_rope_config *config, void *memory,
                                   size_t memory_size);
