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
    size_t in_token, in_head, out_token, out_head, heads;
    size_t copied_after;  /* elements after a head's pairs that are copied; 0 in place */
    size_t copied_before; /* elements before a head's pairs that pe__copy_ends() copies */
    /* Only the checks of a call read the next two fields. out_heads is the number of heads of the
       output, which must equal `heads`. head_dim is the number of elements of a head; it is 0 in
       place, where only the rotated elements are accessed. */
    size_t out_heads, head_dim;
} pe__heads;

/* A section of a head consists of the pairs of one axis, if the axis has columns of its own. A tile
   may hold only a part of the section. */
typedef struct pe__section {
    size_t pair;   /* the index in the tile of the first pair that the tile holds */
    size_t n;      /* the number of pairs that the tile holds */
    size_t pairs;  /* the number of pairs of the whole section */
    size_t column; /* the element of a head with which the n pairs begin */
} pe__section;

/* A tile holds the sines and cosines of a range of pairs, for a range of the tokens of a call. */
typedef struct pe__tile {
    const float *sines, *cosines;
    const size_t *row;    /* the row number of each token; NULL: 0, 1, 2 ... */
    size_t stride;        /* floats from row to row; 0: all tokens share one row */
    size_t pair, count;   /* the tile has the pairs [pair, pair + count) of a head */
    size_t pairs;         /* the number of pairs of a head */
    size_t token, tokens; /* the tile has the tokens [token, token + tokens) of the call */
    size_t call_tokens;   /* the number of tokens of the call */
    pe_layout layout;
    size_t section_count; /* 0: no sections are needed, see pe__tile_sections() */
    const pe__section *section;
} pe__tile;

/* Rotate the heads x of the tile's tokens. If the tile has no pairs, copy elements of the heads
   instead: see pe__copy_elements(). */
typedef void pe__head_rotator(const pe__tile *tile, const pe__heads *x);

/* The arguments of a call. pe__rope_check_heads() converts the strides in x to bytes. */
typedef struct pe__rope_call {
    size_t tokens, in_element, out_element;     /* element: bytes */
    pe__head_rotator *rotate, *rotate_sections; /* of heads without and with sections */
    pe__heads x[2];                             /* queries, keys; with 0 heads there are none */
} pe__rope_call;
