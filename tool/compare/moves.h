/* SPDX-License-Identifier: MIT */
/* Finds how code has changed positions: added an offset, clamped them at a limit, or wrapped
 * them around.
 *
 * An explanation (agree.h) says how an array was computed: with which frequencies and positions,
 * and in which arithmetic. */
#ifndef TOOL_MOVES_H
#define TOOL_MOVES_H

#include "agree.h"

/* Returns the offset of row r's position that its angles show, as a multiple of 1/2. The search
 * starts at `offset` and finds the nearest solution, up to half a wavelength of the slowest pair.
 * The slowest pair gives a coarse offset, and each faster pair improves it. Returns 0 if no pair
 * rotates, or if the solution is more than 0.1 from a multiple of 1/2 or not below 2^31. */
static double fitted_offset(const samples *s, const explanation *e, size_t r, double offset)
{
    size_t known = 0;
    for (size_t k = 0; k < s->pairs; k++) {
        const size_t i = s->pairs - 1 - k, index = r * s->pairs + i;
        const double w = e->of->omega[i];
        if (!(w > 0)) continue;
        const double c = e->is_swapped ? s->sines[index] : s->cosines[index];
        const double n = e->is_swapped ? s->cosines[index] : s->sines[index];
        const double phase = atan2(e->is_negative ? -n : n, c);
        offset += wrapped(phase - w * (position_of(s, r, i) + offset)) / w;
        known++;
    }
    const double snapped = nearbyint(2 * offset) / 2;
    return known && fabs(offset - snapped) < 0.1 && fabs(snapped) < 2147483648.0 ? snapped : 0;
}

/* Returns whether a row has about the angles of the explanation at the row's position plus
 * `offset`. Each number may be off by 2 % of pair 0's measured amplitude, so that numbers rounded
 * to 16 bits pass. */
static int is_row_near(const samples *s, const explanation *e, size_t r, double offset)
{
    const double amplitude = s->tracks[0].amplitude, near = 0.02 * amplitude;
    for (size_t i = 0; i < s->pairs; i++) {
        const size_t index = r * s->pairs + i;
        const double angle = e->of->omega[i] * (position_of(s, r, i) + offset);
        const double c = amplitude * cos(angle);
        const double n = amplitude * sin(angle);
        const double *const cosines = e->is_swapped ? s->sines : s->cosines;
        const double *const sines = e->is_swapped ? s->cosines : s->sines;
        if (!(fabs(cosines[index] - c) <= near)) return 0;
        if (!(fabs(sines[index] - (e->is_negative ? -n : n)) <= near)) return 0;
    }
    return 1;
}

/* Returns the first row that is_row_near() rejects at its own position, with offset 0, or the
 * number of rows. Row numbers are doubled until one is rejected; bisection then finds the first.
 * This assumes that all later rows are also rejected. */
static size_t first_far_row(const samples *s, const explanation *e)
{
    size_t near = 0, far = 1;
    if (!is_row_near(s, e, 0, 0)) return 0;
    while (far < s->rows && is_row_near(s, e, far, 0)) near = far, far = 2 * far;
    if (far >= s->rows) {
        far = s->rows - 1;
        if (is_row_near(s, e, far, 0)) return s->rows;
    }
    while (far - near > 1) {
        const size_t middle = near + (far - near) / 2;
        if (is_row_near(s, e, middle, 0)) near = middle;
        else far = middle;
    }
    return far;
}

/* Finds the limit at which positions are clamped or wrapped, and sets e->limit and e->is_signed.
 * The first row whose angles are not those of its own position must have those of a smaller
 * position. Clamped positions end at this smaller one; wrapped positions repeat after the
 * difference of the two. If this difference is larger than the row's own position, wrapped
 * positions have a sign. Returns 0 if there is no such limit.
 *
 * Positions in 16 bits wrap at 65536. With base 10000, this is more than a wavelength of the
 * slowest pair, so fitted_offset() could find a nearer solution. A second search therefore starts
 * at -65536. */
static int find_limit(const samples *s, explanation *e)
{
    const size_t far = first_far_row(s, e);
    if (far == s->rows) return 0;
    const double position = s->positions[far];
    double offset = fitted_offset(s, e, far, 0);
    if (e->moved == MOVED_WRAPPED && !(offset < 0 && is_row_near(s, e, far, offset)))
        offset = fitted_offset(s, e, far, -65536);
    if (offset >= 0) return 0;
    e->limit = e->moved == MOVED_CLAMPED ? position + offset : -offset;
    e->is_signed = e->moved == MOVED_WRAPPED && e->limit > position;
    if (e->limit <= 0) return 0;
    for (size_t r = 0; r < s->rows; r++)
        if (moved_position(e, s->positions[r]) != 0) return 1;
    return 0; /* if all positions became 0, the difference is DIFFERS_FREQUENCIES_ZERO */
}

/* Sets the offset or the limit with which e->moved changes positions. Returns 0 if the rows show
 * none, or if positions have several coordinates. With MOVED_NOT there is nothing to set, and the
 * result is 1. */
static int find_move(const samples *s, explanation *e)
{
    if (e->moved == MOVED_NOT) return 1;
    if (s->axis) return 0;
    if (e->moved == MOVED_BY_OFFSET) return (e->offset = fitted_offset(s, e, 0, 0)) != 0;
    return find_limit(s, e);
}

/* Returns whether two explanations give each row the same position. One that moves positions and
 * one that does not never count as equal. */
static int are_moved_alike(const samples *s, const explanation *a, const explanation *b)
{
    if (a->moved == b->moved && a->offset == b->offset && a->limit == b->limit &&
        a->is_signed == b->is_signed)
        return 1;
    if (s->axis || s->is_inv_freq || !a->moved || !b->moved) return 0;
    for (size_t r = 0; r < s->rows; r++)
        if (moved_position(a, s->positions[r]) != moved_position(b, s->positions[r])) return 0;
    return 1;
}

#endif
