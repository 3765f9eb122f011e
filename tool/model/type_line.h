/* SPDX-License-Identifier: MIT */
/* The format of a line about a model type. transformers.h and elsewhere.h have such lines, sorted by
 * name. A type has a line in one of the two tables, and one line.
 *
 *     {"gpt_oss", "hidden_size=2880 num_attention_heads=64 head_dim=64 rope_theta=150000 ..."},
 *
 * name is the model_type of a config or of a config within it. facts are words with one space between
 * two. A word that contains spaces is written within '...'. There are two kinds of words.
 *
 * KEY=VALUE is what the library assumes if the file does not have the key: a number, true, false, or
 * a word. Typical keys are hidden_size, num_attention_heads, num_hidden_layers, head_dim (only if it
 * has a default of its own), max_position_embeddings, rope_theta, partial_rotary_factor,
 * sliding_window, layer patterns such as sliding_window_pattern, and qk_rope_head_dim. A key that
 * begins with "rope_parameters." is used only if the file has neither rope_parameters nor
 * rope_scaling: rope_parameters.factor=32, rope_parameters.full_attention.rope_theta=1000000. A key
 * that begins with a key of @parts is for the config there: text_config.rope_theta=100000000.
 *
 * @FACT=VALUE is what no key says:
 *
 * What the type is
 *   @kind=K             learned, alibi, t5, relative, sinusoidal or none; other: nothing rotates,
 *                       and posenc does not tell which other encoding there is; parts: the config
 *                       has no layers of its own, only the parts that @parts lists. Without this
 *                       word the type rotates
 *   @parts=KEY:TYPE,... the configs within this one, and the model_type of each that names none. A
 *                       KEY with a dot leads into a config that has no type of its own
 *   @preset=P           of @kind=sinusoidal: the preset of all layers
 *   @encoder=P          the preset of the encoder, beside the decoder's @kind
 *   @refused='KEY: WHY' this rotation is not computed. The reason names the key that is to blame
 *
 * Where the keys are
 *   @head=KEY,...       the width of a head is in the first of these keys that the file has, not in
 *                       head_dim. none: there is no such key, the width is hidden / heads
 *   @hidden=KEY         the key of the model's width, not hidden_size
 *   @heads=KEY          the key of the number of heads, not num_attention_heads
 *   @layers=KEY         the key of the number of layers, not num_hidden_layers
 *   @base=KEY           the key of the base, which wins over rope_theta, except over that of
 *                       rope_parameters
 *   @bases=B            flags: layer_rope_theta says only which layers rotate nothing, not their
 *                       bases; top: rope_theta, if the file has it, wins over the bases that this
 *                       line has for each kind of layers
 *   @sliding_base=N     the base of the sliding layers, unless rope_parameters has one for them
 *   @reads=new          only rope_parameters counts: rope_theta and rope_scaling do nothing
 *   @aliases=NEW:OLD,.. the file has OLD for NEW, a key of rope_parameters. Files of other projects
 *                       need this.
 *   @unread=KEY:VALUE,. keys that the model's own code reads, and transformers does not, which always
 *                       has VALUE: a number, true or false. posenc obeys the file and says so, unless
 *                       the file has VALUE.
 *   @ignores=KEY,...    keys that sound like positions, but change nothing that is told here
 *
 * Which elements rotate
 *   @pairs=P            halves, (i, i + n/2), which holds without this word; neighbours,
 *                       (2i, 2i + 1); permuted: read as neighbours, written as halves. A key
 *                       rope_interleave=true in the file means permuted in each type
 *   @direction=back     the rotation is by minus the position
 *   @partial=scaled     partial_rotary_factor counts only if rope_type is not "default". never: it
 *                       does nothing
 *   @weights=original   these are the pairs of the project's own weights, not of Hugging Face's file
 *   @rotates=last       the last elements of a head, not the first
 *   @divide=KEY         the head that rotates has the width divided by the number in KEY
 *
 * Which coordinates rotate them
 *   @axes=A             pairs belong to the coordinates y and x of an image. The frequencies are
 *                       those of half a head, except for mixed. halves: the first half of the pairs
 *                       by y, the others by x, and pairs as @pairs says; blocks: each coordinate
 *                       rotates half of the head, whose pairs are halves of this half; woven: pairs
 *                       2k by x, pairs 2k + 1 by y, both with frequency k; mixed: y has the even
 *                       frequencies of the whole head, x the odd ones
 *   @positions='TEXT'   what the positions are, where they are not 0, 1, 2 ...
 *   @sections=N,N,N     the mrope_section of a file that has none
 *   @order=O            how the sections share the pairs, whatever the file says: blocks,
 *                       interleaved, or hwt: the pairs of y and x take turns, those of t are last
 *   @still=rest         pairs that sections in turn leave over stand still: of GGUF files alone
 *
 * Which layers rotate
 *   @nope=KIND          layers of this kind rotate nothing, if the model has a sliding window
 *   @still_kinds=K,...  layers of these kinds rotate nothing
 *   @forced=KEY         as many layers as KEY says, the first ones, rotate whatever @nope says
 *   @linear=PAIRS       layers of linear attention rotate, in a part of their own with these pairs,
 *                       unless the file has linear_attention=kda
 *   @scaled=KIND        rope_scaling is for layers of this kind alone
 *   @full=first         of a pattern of n, layers 0, n, 2n ... are full, not n - 1, 2n - 1 ...;
 *                       also_first: these, and layer 0; last: layers n - 1, 2n - 1 ... and the last
 *   @windows=from       if use_sliding_window: the layers from max_window_layers on have a window;
 *                       even: the even layers below it
 *   @rope=unless_null   nothing rotates if the file's rope_theta is null
 *   @recurrent_period=3 layers 2, 5 ... have attention, the others are recurrent
 *
 * What multiplies sines
 *   @attention_factor=1 the attention factor of YaRN, where the file has none
 *
 * A second rotation of the same layers
 *   @also=NAME:KEY:P    a part NAME with the same frequencies: its heads have the width of KEY, of
 *                       which as many elements rotate as in the first; P is its @pairs, or a key
 *                       that is true for neighbours
 *
 * Facts are from the sources of the models: transformers' configuration and modeling files, or the
 * code beside the weights. No code was copied. */
#ifndef TOOL_TYPE_LINE_H
#define TOOL_TYPE_LINE_H

typedef struct type_line {
    const char *name, *facts;
} type_line;

#endif
