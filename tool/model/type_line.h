/* SPDX-License-Identifier: MIT */
/* Defines the entries of the tables transformers.h and elsewhere.h, which say what is special about
 * each model type. Each table is sorted by name, and a type has one entry in one of the two tables.
 *
 *     {"gpt_oss", "hidden_size=2880 num_attention_heads=64 head_dim=64 rope_theta=150000 ..."},
 *
 * `name` is the model_type of a config, or of a config within another one. `facts` has words with
 * one space between them. A word is either a default, KEY=VALUE, or a fact, @FACT=VALUE. A value
 * that contains spaces is written within '...'.
 *
 * A default KEY=VALUE is the value that the model's code assumes if the file does not have the key:
 * a number, true, false, or a string. Typical keys are hidden_size, num_attention_heads,
 * num_hidden_layers, max_position_embeddings, rope_theta, partial_rotary_factor, sliding_window,
 * qk_rope_head_dim, and patterns of layers such as sliding_window_pattern. In an entry without
 * head_dim, the default width of a head is hidden_size / num_attention_heads. Two kinds of keys are
 * special:
 *
 *   rope_parameters.KEY the default of KEY in rope_parameters. It is used only if the file has
 *                       neither rope_parameters nor rope_scaling. Examples are
 *                       rope_parameters.factor=32 and, for one kind of layers,
 *                       rope_parameters.full_attention.rope_theta=1000000
 *   PART.KEY            where PART is a key of @parts: the default of KEY in the config that is the
 *                       value of PART, as in text_config.rope_theta=100000000
 *
 * A fact @FACT=VALUE is what no key of the config says. In the list below, KEY is the name of a key
 * in the file, and KEY,... are several, separated by commas.
 *
 * What the type is
 *   @kind=K             the kind of the encoding, if it does not rotate: learned, alibi, t5,
 *                       relative, sinusoidal or none. With `other` the encoding is not reported;
 *                       nothing rotates. With `parts` the config has no layers of its own, but only
 *                       the configs that @parts lists. Without @kind the type rotates
 *   @parts=KEY:TYPE,... the keys of the configs within this config. TYPE is the model_type of one
 *                       that names none; without :TYPE, such a config has no type. With KEY:!TYPE,
 *                       it is the type whatever the config names
 *   @preset=P           with @kind=sinusoidal: the preset of pe_config_preset() that all layers
 *                       have
 *   @encoder=P          the preset of the encoder, where the other facts describe the decoder
 *   @refused='KEY: WHY' posenc does not compute this rotation. WHY is the reason that it prints,
 *                       and KEY is the key that the message names
 *   @doubt='KEY: WHY'   the default of KEY is a guess. If the file does not have KEY, posenc prints
 *                       WHY, and the status is 1
 *
 * Where the keys are
 *   @head=KEY           KEY has the width of a head, in place of head_dim. With @head=none no key
 *                       has it, and it is hidden_size / num_attention_heads
 *   @hidden=KEY         KEY has the width of the model, in place of hidden_size
 *   @heads=KEY          KEY has the number of heads, in place of num_attention_heads
 *   @layers=KEY         KEY has the number of layers, in place of num_hidden_layers
 *   @base=KEY           KEY has the base. It takes precedence over rope_theta of the config, but
 *                       not over rope_theta of rope_parameters
 *   @bases=flags        layer_rope_theta says which layers do not rotate; its numbers are no bases
 *   @bases=top          rope_theta of the file takes precedence over the bases that this entry has
 *                       for each kind of layers
 *   @sliding_base=N     the base of the sliding layers, unless rope_parameters has one for them
 *   @reads=new          the model reads rope_parameters only, not rope_scaling. If
 *                       rope_parameters has rope_theta, that of the config does nothing
 *   @reads=kinds        the model reads rope_parameters only if it has objects for kinds of layers
 *   @reads=none         the model reads rope_theta of the config, but no scaling
 *   @type=ignored       a rope_scaling without such objects must have the key rope_type: the older
 *                       key `type` has no effect
 *   @aliases=NEW:OLD,.. files of this type have the key OLD where others have NEW, as in
 *                       rope_parameters.factor:yarn.factor. Files of other projects than
 *                       transformers need this
 *   @unread=KEY:VALUE,. keys that the model's own code reads, but transformers does not: it always
 *                       computes with VALUE, a number, true or false. posenc obeys the file, and
 *                       prints a note if the file has another value
 *   @ignores=KEY,...    keys whose names suggest positions, but which change nothing that posenc
 *                       reports
 *
 * Which elements rotate
 *   @pairs=P            the elements of a pair. halves: (i, i + n/2), which is also the default;
 *                       neighbours: interleaved, (2i, 2i + 1); permuted: read as interleaved and
 *                       written as halves. In each type, rope_interleave=true in the file also
 *                       means permuted
 *   @direction=back     the rotation is by minus the position
 *   @partial=scaled     partial_rotary_factor has an effect only if rope_type is not "default"
 *   @partial=never      partial_rotary_factor has no effect
 *   @partial=inner      partial_rotary_factor has an effect only in rope_parameters. There may be
 *                       several words, as in @partial=scaled,inner
 *   @share=KEY          without partial_rotary_factor and without objects for kinds of layers, the
 *                       share is the number at KEY divided by the width of a head
 *   @frequencies=head_dim in a type with qk_rope_head_dim: transformers computes frequencies for
 *                       head_dim elements, and a model for which they differ cannot run
 *   @weights=original   @pairs describes the weights of the model's own project, not Hugging Face's
 *   @rotates=last       the last elements of a head rotate, not the first. Without this fact, a
 *                       head of a type with qk_rope_head_dim is reported as if it had only the
 *                       elements that rotate
 *   @divide=KEY         the width of a head is divided by the number at KEY
 *
 * Which coordinates rotate them
 *   @axes=A             a pair belongs to coordinate y or x of an image. Except with mixed, the
 *                       frequencies are those of half a head.
 *                       halves: y rotates the first half of the pairs, x the others;
 *                       blocks: each coordinate rotates half of the head, and pairs are halves of
 *                       this half; woven: x rotates pairs 2k, y rotates pairs 2k + 1, both with
 *                       frequency k; mixed: y has the even frequencies of the whole head, x the odd
 *                       ones
 *   @positions='TEXT'   what the positions are, if they are not 0, 1, 2 ...; only printed
 *   @sections=N,N,N     the mrope_section of a file that has none: pairs of each coordinate
 *   @order=O            how the coordinates share the pairs, whatever the file says: blocks,
 *                       interleaved, or hwt, where y and x alternate and the pairs of t are last
 *   @still=rest         the sections are interleaved as in ggml, where some pairs may belong to no
 *                       section and do not rotate; see leave_pairs_still() in coordinates.h. Only
 *                       the config of a GGUF file has this fact
 *
 * Which layers rotate
 *   @nope=KIND          layers of this kind do not rotate, if the model has a sliding window
 *   @still_kinds=K,...  layers of these kinds do not rotate
 *   @forced=KEY         the first layers, as many as KEY says, rotate in spite of @nope. If the
 *                       file has mlp_layer_types, the layers that it calls dense do so instead
 *   @linear=PAIRS       layers of linear attention rotate, and are a part of their own with these
 *                       pairs, unless the file has linear_attention=kda
 *   @scaled=KIND        the scaling applies only to layers of this kind, unless the file has
 *                       yarn_only_types
 *   @full=first         with a pattern of n layers, layers 0, n, 2n ... have full attention,
 *                       instead of n - 1, 2n - 1 ...; also_first: layers n - 1, 2n - 1 ... and
 *                       layer 0; last: layers n - 1, 2n - 1 ... and the last layer
 *   @windows=from       if use_sliding_window is true, layers have a window starting at index
 *                       max_window_layers; even: the even layers below this index have one
 *   @rope=unless_null   nothing rotates if rope_theta is null in the file
 *   @recurrent_period=N layers N - 1, 2N - 1 ... have attention, the others are recurrent
 *
 * What multiplies cosines and sines
 *   @attention_factor=N YaRN's attention factor, if the file has none
 *
 * A second rotation in the same layers
 *   @also=NAME:KEY:P    the layers also have heads of a second kind, which are reported as the part
 *                       NAME and have the same frequencies. KEY has their width. As many of their
 *                       elements rotate as in the first kind. P is their @pairs, or a key that is
 *                       true if the pairs are interleaved
 *
 * These defaults and facts come from the sources of the models: transformers' configuration and
 * modeling files, or the code beside the weights. No code was copied. */
#ifndef TOOL_TYPE_LINE_H
#define TOOL_TYPE_LINE_H

/* Holds the entry of a model type. */
typedef struct type_line {
    const char *name;  /* the model type                                   */
    const char *facts; /* its defaults and facts, in the format above      */
} type_line;

#endif
