/* SPDX-License-Identifier: MIT
 *
 * posenc: what a model's file says of its positions: which layers rotate what, by which
 * frequencies; tables of cosines and sines, correctly rounded, to compare other code with; and
 * which mistake someone else's arrays have.
 * `make tool` builds it.
 *
 *     posenc show config.json
 *     posenc table config.json cos_sin.npy --positions 0:4096 --layout twice
 *     posenc compare config.json --cos cos.npy --sin sin.npy
 *
 *     cc -std=c99 -O2 -I. tool/posenc.c -ljson-c -lm
 *
 * Returns 0; 1 if something that changes numbers is wrong or was not understood; 2 for a command
 * that makes no sense.
 */
#include "pe.h"

#include "files/json.h"

#include "program.h"

int main(int count, char **words) { return run(count, words); }
