/* SPDX-License-Identifier: MIT */
/* The format of a line about a model type, which transformers.h and elsewhere.h have one of for each
 * type that posenc knows. A type has a line in one of the two.
 *
 * name: the model_type of a config, or of one within it. facts: words, with a space between two.
 *
 * KEY=VALUE is the value of a key that is absent from the file: a number, true, false, or a word.
 * What no key says begins with @:
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
 * Facts are from the sources of the models: transformers' configuration and modeling files, or the
 * code beside the weights. No code was copied. */
#ifndef TOOL_TYPE_LINE_H
#define TOOL_TYPE_LINE_H

typedef struct type_line {
    const char *name, *facts;
} type_line;

#endif
