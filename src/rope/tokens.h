/* SPDX-License-Identifier: MIT */
/* Tokens: their rows on the stack, their heads rotated by them.
 * Gives: pe__rope_blocks(), pe__rope_call, pe__rope_rows(), pe__rope_run().
 * Needs: simd, api, where, rows, numbers.
 * Tests: tests/unit/test_rope.c. */
#pragma once
#include "../pe_simd.h"
#include "../api/types.h"
#include "../numbers/base.h"
#include "../where/at.h"
#include "../rows/elements.h"
#include "../rows/dest.h"
#include "../rows/walk.h"
#include "../rows/call.h"
#include "rotate.h"

/* Rows from row `row` of at on, for the pairs of a destination whose rows hold nothing else. */
PE__OUTLINE void pe__rope_rows(const pe__dest *dest, const pe_at *at, size_t row, size_t rows,
                               const pe__maker *make)
{
    const pe_plan *const plan = dest->plan;
    const size_t pair = dest->pair, count = dest->sines, element = dest->element;
    unsigned char own[2 * PE__ROPE_PAIRS * sizeof(float)], *all = dest->out;
    /* All pairs are at one position, and their frequencies one after the other: those of axes with
       columns of their own are not. */
    if (plan->axes == 1 || (at->axes == 1 && plan->joint)) {
        /* of shifts by several coordinates each axis is a call */
        const size_t k = at->axes == 1 ? 0 : dest->coordinate;
        if (rows > 1 || plan->matrix) pe__walk(dest, at, row, rows, make);
        else make->rows(dest, pe__position(at, row, k) + plan->offset, 1);
        return;
    }
    if (!plan->woven) {
        size_t begin = 0; /* the first pair of an axis */
        for (size_t a = 0; a < plan->axes; begin += plan->axis[a++].pairs) {
            const pe__axis *const axis = &plan->axis[a];
            const size_t first = pe__max(pair, begin);
            const size_t end = pe__min(pair + count, begin + axis->pairs);
            if (first >= end) continue;
            pe__dest part = *dest;
            part.pair = axis->pair + first - begin;
            part.coordinate = axis->coordinate;
            part.sine += first - pair;
            part.cosine += first - pair;
            part.sines = part.cosines = end - first;
            pe__walk(&part, at, row, rows, make);
        }
        return;
    }
    pe__dest one = pe__dest_split(plan, pair, count, own, element);
    for (size_t t = 0; t < rows; t++, all += 2 * count * element) {
        for (size_t a = 0; a < plan->axes; a++) { /* each coordinate's row has its pairs */
            one.coordinate = plan->axis[a].coordinate;
            pe__walk(&one, at, row + t, 1, make);
            for (size_t i = 0; i < count; i++) {
                /* the coordinate of a pair; sections are as long as the axes' pairs */
                const size_t k = (pair + i) % plan->axes;
                if ((pair + i < plan->axes * plan->axis[k].pairs ? k : 0) != a) continue;
                memcpy(all + i * element, own + i * element, element);
                memcpy(all + (count + i) * element, own + (count + i) * element, element);
            }
        }
    }
}

/* What a call asks for. */
typedef struct pe__rope_call {
    size_t tokens, head_dim, in_element, out_element; /* head_dim 0: in place */
    pe__head_rotator *turn;
    pe__heads x[2];
} pe__rope_call;

/* Copy adjacent pairs as halves. */
PE__INLINE void pe__unweave(unsigned char *out, const unsigned char *in, size_t pairs,
                            size_t element)
{
    size_t i = 0;
    for (; element == sizeof(float) && i + PE__FLOATS <= pairs; i += PE__FLOATS) {
        const float *const x = (const float *)(const void *)in + 2 * i;
        float *const y = (float *)(void *)out + i;
        const pe__vf v = pe__get(x), w = pe__get(x + PE__FLOATS);
        pe__put(y, pe__unzip_evens(v, w));
        pe__put(y + pairs, pe__unzip_odds(v, w));
    }
    for (; element == 2 && i + 4 * PE_LANES <= pairs; i += 4 * PE_LANES) { /* as bf16: exact */
        const uint16_t *const x = (const uint16_t *)(const void *)in + 2 * i;
        uint16_t *const y = (uint16_t *)(void *)out + i;
        const pe__vf a = pe__get_bf16_evens(x), b = pe__get_bf16_evens(x + 4 * PE_LANES);
        const pe__vf c = pe__get_bf16_odds(x), d = pe__get_bf16_odds(x + 4 * PE_LANES);
        pe__put_bf16_four(y, pe__unzip_evens(a, b), pe__unzip_odds(a, b), y + pairs,
                          pe__unzip_evens(c, d), pe__unzip_odds(c, d));
    }
    for (; i < pairs; i++) {
        pe__move(out + i * element, in + 2 * i * element, element);
        pe__move(out + (pairs + i) * element, in + (2 * i + 1) * element, element);
    }
}

/* rope_interleave: some heads at a time, copied with their pairs as halves, and rotated
   from there. */
PE__OUTLINE void pe__rotate_interleaved(const pe__rope_call *call, const pe__tile *tile,
                                        const pe__heads *x)
{
    enum { PE__BYTES = 4096 };
    double buffer[PE__BYTES / sizeof(double)];
    unsigned char *const halves = (unsigned char *)buffer;
    const size_t element = call->in_element, pairs = tile->pairs, width = 2 * pairs * element;
    const size_t most = PE__BYTES / width;
    pe__tile one = *tile;
    if (x->rest) { /* what is not rotated */
        pe__heads rest = *x;
        rest.in += width;
        rest.out += 2 * pairs * call->out_element;
        one.count = one.pairs = 0;
        call->turn(&one, &rest);
    }
    one.count = one.pairs = pairs;
    one.tokens = 1;
    one.token = 0;
    for (size_t t = 0; t < tile->tokens; t++)
        for (size_t k = 0; k < x->heads; k += most) {
            pe__heads some = *x;
            const size_t token = tile->token + t;
            const unsigned char *in = x->in + token * x->in_token + k * x->in_head;
            some.heads = pe__min(most, x->heads - k);
            some.rest = 0;
            for (size_t h = 0; h < some.heads; h++, in += x->in_head)
                pe__unweave(halves + h * width, in, pairs, element);
            some.in = halves;
            some.in_head = width;
            some.out = x->out + token * x->out_token + k * x->out_head;
            one.sines = tile->sines + t * tile->stride;
            one.cosines = tile->cosines + t * tile->stride;
            call->turn(&one, &some);
        }
}

/* Tile after tile, the first token at row of at: all pairs of one layout. */
PE__OUTLINE void pe__rope_run(const pe_plan *plan, const pe_at *at, size_t row,
                              const pe__rope_call *call)
{
    float buffer[PE__ROPE_TILE + 16];
    float *const rows = (float *)(void *)pe__aligned(buffer);
    const int uniform = at->kind == PE__AT_RANGE && at->step == 0;
    const size_t pairs = plan->pairs;
    pe__tile tile;
    if (pairs == 0) return; /* a plan of a column that is 0 */
    tile.pairs = pairs;
    tile.layout = plan->layout;
    tile.sines = rows;
    size_t most = call->tokens;
    if (most > 1 && !uniform) most = PE__ROPE_TILE / (2 * pe__min(pairs, PE__ROPE_PAIRS));
    for (size_t t = 0; t < call->tokens; t += most) {
        tile.token = t;
        tile.tokens = pe__min(most, call->tokens - t);
        for (size_t pair = 0; pair < pairs; pair += PE__ROPE_PAIRS) {
            const size_t n = pe__min(PE__ROPE_PAIRS, pairs - pair);
            tile.pair = pair;
            tile.count = n;
            tile.cosines = rows + n;
            tile.stride = uniform ? 0 : 2 * n;
            const pe__dest dest =
                pe__dest_split(plan, plan->axis[0].pair + pair, n, rows, sizeof *rows);
            pe__rope_rows(&dest, at, row + t, uniform ? 1 : tile.tokens, &pe__fills_f32);
            for (size_t i = 0; i < 2; i++) {
                if (!call->x[i].heads) continue;
                if (plan->apart) pe__rotate_interleaved(call, &tile, &call->x[i]);
                else call->turn(&tile, &call->x[i]);
            }
        }
    }
}

/* Rows of a plan as heads, one each: its axes one after the other where each has halves of its own,
   else together. */
static inline void pe__rope_blocks(const pe_plan *plan, const pe_at *at, size_t row, size_t rows,
                                   const pe__output *o, pe__head_rotator *turn)
{
    unsigned char *const x = o->out + row * o->stride;
    pe__rope_call call;
    memset(&call, 0, sizeof call);
    call.tokens = rows;
    call.turn = turn;
    call.x[0].heads = 1;
    call.x[0].in_token = call.x[0].out_token = o->stride;
    call.x[0].in_head = call.x[0].out_head = o->stride;
    if (plan->axes == 1 || plan->joint) {
        call.x[0].in = call.x[0].out = x;
        pe__rope_run(plan, at, row, &call);
        return;
    }
    for (size_t a = 0; a < plan->axes; a++) {
        pe_plan one = *plan;
        const pe__axis *const axis = &plan->axis[a];
        one.axes = 1;
        one.axis[0] = *axis;
        one.pairs = axis->pairs;
        call.x[0].in = call.x[0].out = x + pe__min(axis->sine, axis->cosine) * o->element;
        if (axis->pairs) pe__rope_run(&one, at, row, &call);
    }
}
