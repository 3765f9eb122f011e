#!/bin/sh
# SPDX-License-Identifier: MIT
#
# worst.sh [seconds] [seed]: runs worst.c on the best instruction set. It measures how long an element of a valid call
# takes at most, for docs/accuracy.md. Other work on the machine makes these times longer.
set -u
. tests/tools/lib.sh
mkdir -p "$BUILD"
# shellcheck disable=SC2046
"$CC" -std=c99 -O2 $(isa_flags "$(best_isa)") -DPE_SLEEF=0 -I. -o "$BUILD/worst" tests/tools/worst.c -lm || exit 1
exec "$BUILD/worst" "${1:-60}" "${2:-1}" 1000
