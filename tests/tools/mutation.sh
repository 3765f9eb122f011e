#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutation.sh: runs tests/tools/mutation.py, or prints why that is not possible.
#
#     MUTANTS=400 SEED=1 JOBS=1 MUTATION_SECONDS=1800 sh tests/tools/mutation.sh
set -u
. tests/tools/lib.sh
export BUILD GCC GXX EXTRA_CFLAGS JOBS

have python3 || skip "python3 is missing"
have "${GCOV:-gcov}" || skip "gcov is missing: it comes with gcc"
have "$GCC" && have "$GXX" || skip "$GCC or $GXX is missing"
cpu_has avx2 || cpu_has avx512 || [ "$(uname -m)" = x86_64 ] || skip "mutants are made for x86-64"
for library in cmocka mpfr; do
    have_library $library "$GCC" || skip "lib$library is missing: make deps"
done
exec python3 tests/tools/mutation.py
