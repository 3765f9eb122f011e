/* SPDX-License-Identifier: MIT */
/* The arguments of a RoPE call: the heads of its tokens, and the rows that rotate them. Test:
 * tests/unit/rope/test_rope_call.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"

/* This struct describes the heads to rotate, which have the shape [tokens][heads]. The strides
   in_token and out_token lead from one token to the next, in_head and out_head from one head to the
   next. pe__rope_check_heads() converts the strides from elements to bytes. It also moves `in` and
   `out` from the start of head 0 of token 0 to its first element that rotates. */
typedef struct pe__heads {
    const unsigned char *in;
    unsigned char *out;
    size_t in_token, in_head, out_token, out_head, heads; /* heads: the number of each token */
    size_t copied_after;  /* elements after a head's pairs that are copied; 0 in place */
    size_t copied_before; /* elements before them that pe__copy_ends() copies; 0 in place */
    /* Only the checks of a call read the next two fields. out_heads is the number of heads of the
       output, which must equal `heads`. head_dim is the number of elements of a head. It is 0 in
       place by a plan, where only the rotated elements are accessed. In place by a table it is the
       number of these elements. */
    size_t out_heads, head_dim;
} pe__heads;

/* A section of a head consists of the pairs of one axis, if the axis has columns of its own. A tile
   may hold only a part of the section. */
typedef struct pe__section {
    size_t pair;   /* the index in the tile of the section's first pair that the tile holds */
    size_t n;      /* the number of the section's pairs that the tile holds */
    size_t pairs;  /* the number of pairs of the whole section */
    size_t column; /* where the n pairs begin: elements after a head's first that rotates */
} pe__section;

/* A tile holds the sines and cosines of a range of pairs, for a range of the tokens of a call. */
typedef struct pe__tile {
    const float *sines, *cosines; /* of row 0, beginning with the pair of index `pair` */
    const size_t *row;            /* the index of each token's row; NULL: 0, 1, 2 ... */
    size_t stride;                /* floats from row to row; 0: all tokens share one row */
    size_t pair, count;           /* the tile has the pairs [pair, pair + count) of a head */
    size_t pairs;         /* the number of pairs of a head, or of a section rotated like a head */
    size_t token, tokens; /* the tile has the tokens [token, token + tokens) of the call */
    size_t call_tokens;   /* the number of tokens of the call */
    pe_layout layout;     /* which elements of a head, or of a section, are a pair */
    size_t section_count; /* 0: no sections are needed, see pe__tile_sections() */
    const pe__section *section; /* the sections; not set if section_count is 0 */
} pe__tile;

/* Rotate the tile's pairs in the heads x of its tokens. If the tile begins with pair 0, also copy
   the x->copied_after elements after the pairs. So a tile without pairs only copies elements, see
   pe__copy_elements(). */
typedef void pe__head_rotator(const pe__tile *tile, const pe__heads *x);

/* The arguments of a call. pe__rope_check_heads() converts the strides in x to bytes. */
typedef struct pe__rope_call {
    /* `tokens` is the number of tokens. An element has in_element bytes in the input and
       out_element bytes in the output. */
    size_t tokens, in_element, out_element;
    /* `rotate` is for heads without sections, rotate_sections for heads with sections. The latter
       is NULL for rotation by a table. */
    pe__head_rotator *rotate, *rotate_sections;
    pe__heads x[2]; /* queries and keys, or one set of heads; x[1] is not used by a table */
} pe__rope_call;
