/* SPDX-License-Identifier: MIT */
/* The public contract of the functions that convert frequencies to phase increments for pe_fixed.h.
 * Tested by tests/unit/fixed/test_fixed.c. */
#pragma once
#include "../api/options.h"
#include "../api/types.h"

/* Compute the phase increments of a plan, for sines and cosines on a GPU or without floating point:
 *
 *     increment_i = w_i / (2 pi) modulo 1, times 2^128, rounded
 *
 * The functions of pe_fixed.h take them. w_i is the frequency of pair i in radians per position. It
 * is the exact one of the config, not a double. A turn is 2 pi radians. An increment needs no more
 * than 128 bits, because an error of half a unit of 2^-128, times a position of 2^31, is 2^-98
 * turns. Elements are much farther from midpoints. In the tables of tests/theorem.txt, with
 * amplitude 1, every element is at least 2^-65.6 away from any midpoint of two floats.
 *
 * An increment contains neither the amplitude of the plan nor its padding position. Pass the
 * amplitude to pe_fixed_sincos_scaled_f32(), which takes a float. An attention factor of YaRN is
 * therefore rounded to a float first. The bits are then those of pe_sincos_f32() with that float
 * as its amplitude, not those of the plan's rows.
 *
 * increments   4 * plan->pairs words of 32 bits: four per pair, the lowest first. This is the
 *              layout of an array of pe_fixed_increment, so the words can be uploaded as they are
 *
 * Returns      PE_OK; PE_ERR_NULL; PE_ERR_PLAN; PE_ERR_PLAN_FIXED for more than one axis, a list of
 *              coordinates, half_turns, an offset other than 0, PE_ANGLE_FLOAT32 and
 *              PE_COLUMNS_SUMS; PE_ERR_INCREMENT if a frequency other than 0 is below 2^-56 in
 *              magnitude: its angles are too small for the integers of pe_fixed.h
 * Accuracy     within 0.501 units of 2^-128 turns per position (tests/unit/fixed/test_fixed.c)
 * Aliasing     increments may not overlap the plan or its memory
 * Threads      any
 * See          pe_fixed.h, docs/gpu.md */
PE_API pe_status pe_fixed_increments(const pe_plan *plan, uint32_t *increments);

/* Compute the phase increments of given frequencies:
 *
 *     increment_i = omega[i] / (2 pi) modulo 1, times 2^128, rounded
 *
 * omega        `pairs` frequencies in radians per position; each double is taken as an exact
 *              number, and is 0 or 2^-56 ... 2^21 in magnitude
 * increments   4 * pairs words, as pe_fixed_increments
 *
 * Returns      PE_OK, also if pairs is 0; PE_ERR_NULL; PE_ERR_SIZE; PE_ERR_INCREMENT if a
 *              frequency is out of bounds
 * Accuracy     as pe_fixed_increments (tests/unit/fixed/test_fixed.c)
 * Aliasing     increments may not overlap omega
 * Threads      any */
PE_API pe_status pe_fixed_increments_of(const double *omega, size_t pairs, uint32_t *increments);
