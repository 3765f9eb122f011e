/* SPDX-License-Identifier: MIT */
/* Checks the arguments of RoPE's calls and rotates by a plan. These functions lead from a call to a
 * rotated head. Brackets name the macro that defines a function:
 *     pe_rope_f32                (calls/inlined.h) [PE__CALLS] makes a pe__rope_call
 *     pe__call_rope_f32          (calls/each_type.h) [PE__OF_TYPE] names the functions that
 *                                  rotate heads of floats
 *     pe__rope_by_plan           (here) checks all arguments; nothing is written before
 *     pe__rotate_tokens          (tokens.h) takes a tile of tokens at a time, often 34 of 64 pairs
 *     pe__write_rope_rows        (rows.h) writes their sines and cosines to the stack, with the row
 *                                  kernel of pe_fill_f32()
 *     pe__rotate_heads_f32       (rotate.h) [PE__HEAD_ROTATORS] chooses the layout
 *     pe__rotate_heads_f32_halves  [PE__HEAD_ROTATOR, also ..._interleaved] chooses the order of
 *                                  the heads, by pe__schedule_heads()
 *     pe__rotate_groups            takes a group of heads at a time, usually of one token
 *     pe__rotate_pair_tiles      (pairs.h) keeps some sines and cosines in registers and rotates
 *                                  their pairs in each of the heads, then loads the next ones
 *     pe__pair_tile_rotate         loads a pair tile, computes a c - b s and b c + a s for each
 *                                  pair (a, b) with cosine c and sine s, and stores them
 * A pair tile is PE__PAIR_TILE pairs: two vectors of pairs, and therefore four vectors of elements.
 * The last pairs of a head may fill no pair tile: pe__rotate_groups() calls pe__rotate_vectors()
 * for them. In three cases, pe__rotate_singly() rotates one head at a time instead of
 * pe__rotate_groups(). The first is one head per token, unless the tokens share a rotation and fit
 * in a cache. In the second, the heads of a token are farther apart than the tokens of a head. The
 * third is some large calls of floats, see pe__schedule_tokens(). A section of a head is the pairs
 * of one axis that has columns of its own. Heads with sections are rotated by
 * pe__rotate_heads_f32_sections() [PE__HEAD_ROTATORS]. Heads of a plan with rope_interleave are
 * first copied as halves, by pe__rotate_rope_interleave() (tokens.h). Test:
 * tests/unit/rope/test_rope_call.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/options.h"
#include "../api/types.h"
#include "contract.h"
#include "../numbers/sizes.h"
#include "../positions/check.h"
#include "../rows/call.h"
#include "heads.h"
#include "rotate.h"
#include "tokens.h"
#include "../plan/fields.h"

/* ---- 8.2 RoPE: checks and calls -------------------------------------------------------------- */

/* Check that the heads do not overlap and that a pointer can span them. There are tokens * heads
   heads of `width` elements each, and an element has `element` bytes. If the check passes, convert
   the strides *token and *head from elements to bytes. Then also set *span to the number of bytes
   from the start of the first element to the end of the last one. Returns PE_ERR_SHAPE if heads
   overlap, PE_ERR_SIZE if a pointer cannot span them, else PE_OK. */
static inline pe_status pe__rope_shape(size_t width, size_t tokens, size_t heads, size_t *token,
                                       size_t *head, size_t element, size_t *span)
{
    const size_t limit = pe__max_elements(element);
    const int by_head = *head > *token;
    const size_t number[2] = {by_head ? tokens : heads, by_head ? heads : tokens};
    const size_t stride[2] = {by_head ? *token : *head, by_head ? *head : *token};
    if (width > limit) return PE_ERR_SIZE;
    for (int k = 0; k < 2; k++) { /* the smaller stride first; width grows to the whole span */
        if (number[k] == 1) continue;
        if (stride[k] < width) return PE_ERR_SHAPE;
        if (pe__exceeds(number[k] - 1, stride[k], limit - width)) return PE_ERR_SIZE;
        width += (number[k] - 1) * stride[k];
    }
    /* A single head has no head stride, so *head becomes the token stride: heads of tokens that
       share a rotation are then rotated as the heads of one token. A single token has no token
       stride, so *token becomes the head stride. Both become 0 for one token of one head. */
    if (tokens == 1) *token = 0;
    if (heads == 1) *head = *token;
    if (tokens == 1) *token = *head;
    *token *= element;
    *head *= element;
    *span = width * element;
    return PE_OK;
}

/* Returns whether RoPE can use the plan, which was made: d_model is not 0. Every column of its rows
   must belong to a pair, and every pair must have a sine and a cosine. The plan must have neither a
   padding position nor PE_COLUMNS_FREQUENCIES (plan->step). */
static inline int pe__rope_plan_ok(const pe_plan *plan)
{
    int ok = !plan->has_padding && plan->d_model == 2 * plan->pairs;
    for (size_t a = 0; a < plan->axes; a++) ok &= plan->axis[a].sines == plan->axis[a].cosines;
    return ok && !plan->step;
}

/* Check one set of heads, each of which rotates `rotary` elements, beginning with element `offset`.
   Then convert the strides of *h to bytes, and let h->in and h->out point to element `offset` of
   the first head. Out of place, also set copied_before and copied_after to the numbers of elements
   of a head before and after the rotated ones. Returns PE_OK, also for 0 heads, or PE_ERR_NULL,
   PE_ERR_SHAPE, PE_ERR_SIZE or PE_ERR_OVERLAP. */
static inline pe_status pe__rope_check_heads(const pe__rope_call *call, pe__heads *h, size_t rotary,
                                             size_t offset)
{
    if (h->heads == 0) return PE_OK; /* its other fields may be uninitialized */
    if (!h->in || !h->out) return PE_ERR_NULL;
    const size_t width = h->head_dim ? h->head_dim : rotary;
    /* Strides of a single token or head are ignored. pe_rope_T and pe_rope_qk_T, which have no
       output of their own, set head_dim to 0. It is tested first, because the comparisons took 4 of
       the 72 ns in which pe_rope_T rotates one token of one head. */
    const int in_place =
        h->head_dim == 0 || (h->in == h->out && call->in_element == call->out_element &&
                             (call->tokens == 1 || h->in_token == h->out_token) &&
                             (h->heads == 1 || h->in_head == h->out_head));
    size_t in_span = 0, out_span = 0;
    pe_status status = pe__rope_shape(width, call->tokens, h->heads, &h->in_token, &h->in_head,
                                      call->in_element, &in_span);
    if (status != PE_OK) return status;
    if (in_place) {
        h->out_token = h->in_token;
        h->out_head = h->in_head;
    } else {
        h->copied_before = offset;
        h->copied_after = width - offset - rotary;
        status = pe__rope_shape(width, call->tokens, h->heads, &h->out_token, &h->out_head,
                                call->out_element, &out_span);
        const uintptr_t in = (uintptr_t)h->in, out = (uintptr_t)h->out;
        const int overlap = in < out ? out - in < in_span : in - out < out_span;
        if (status == PE_OK && overlap) status = PE_ERR_OVERLAP;
        if (status != PE_OK) return status;
    }
    h->in += offset * call->in_element;
    h->out += offset * call->out_element;
    return PE_OK;
}

/* Rotate by a plan: check all arguments, the positions last, then rotate. Returns PE_OK or the
   error, after which nothing was written. */
static inline pe_status pe__rope_by_plan(const pe_plan *plan, const pe_at *positions,
                                         pe__rope_call *call)
{
    pe_plan own;
    if (call->tokens == 0 || (call->x[0].heads == 0 && call->x[1].heads == 0)) return PE_OK;
    if (!plan) return PE_ERR_NULL;
    if (plan->d_model == 0) return PE_ERR_PLAN;
    if (!pe__rope_plan_ok(plan)) return PE_ERR_PLAN_ROPE;
    const size_t n = plan->d_model, offset = plan->rotary_offset;
    const size_t head_dim = call->x[0].head_dim;
    pe_status status = head_dim && head_dim < offset + n ? PE_ERR_HEAD_DIM : PE_OK;
    for (size_t i = 0; i < 2 && status == PE_OK; i++)
        status = pe__rope_check_heads(call, &call->x[i], n, offset);
    if (status != PE_OK) return status;
    const pe_plan *const view = pe__view(plan, positions, &own);
    status = pe__check_at(positions, call->tokens, view->axes, view->offset);
    if (status == PE_OK) pe__rotate_tokens(view, positions, 0, call);
    return status;
}

/* Set the fields of a call that depend on the types of its elements. An element has in_element
   bytes in the input and out_element bytes in the output. `rotate` rotates heads without sections,
   rotate_sections heads with sections; it is NULL for rotation by a table, which has none. */
PE__INLINE void pe__set_types(pe__rope_call *call, size_t in_element, size_t out_element,
                              pe__head_rotator *rotate, pe__head_rotator *rotate_sections)
{
    call->in_element = in_element;
    call->out_element = out_element;
    call->rotate = rotate;
    call->rotate_sections = rotate_sections;
}

/* Rotate out of place by a plan. Input and output must have the same number of heads, and head_dim
   must not be 0, which would mean in place. Returns PE_OK or the error. */
static inline pe_status pe__rope_to(const pe_plan *plan, const pe_at *positions,
                                    pe__rope_call *call)
{
    const size_t heads = call->x[0].heads, out_heads = call->x[0].out_heads;
    if (call->tokens == 0 || (heads == 0 && out_heads == 0)) return PE_OK;
    if (heads != out_heads) return PE_ERR_HEADS;
    if (call->x[0].head_dim == 0) return PE_ERR_HEAD_DIM;
    return pe__rope_by_plan(plan, positions, call);
}
