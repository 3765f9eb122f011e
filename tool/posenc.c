/* SPDX-License-Identifier: MIT
 *
 * posenc has three commands. `show` prints what a model's file means for positions: which layers
 * rotate which elements, with which frequencies. `table` writes correctly rounded cosines and
 * sines, with which other code can be compared. `compare` names the mistake in arrays that other
 * code has computed. `make tool` builds it.
 *
 *     posenc show config.json
 *     posenc table config.json cos_sin.npy --positions 0:4096 --layout twice
 *     posenc compare config.json --cos cos.npy --sin sin.npy
 *
 *     cc -std=c99 -O2 -I. tool/posenc.c -ljson-c -lm
 *
 * The program returns 0 on success. It returns 1 if something that changes numbers is wrong, is a
 * guess or was not understood, or if a file cannot be written. `compare` also returns 1 if it finds
 * no explanation or several and, with --check, if it finds a difference. A command line that makes
 * no sense gives 2.
 */
#include "pe.h"

#include "files/json.h"

#include "program.h"

int main(int count, char **words) { return run(count, words); }
