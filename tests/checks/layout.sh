#!/bin/sh
# SPDX-License-Identifier: MIT
#
# layout.sh [print | write]: checks the sizes, offsets and values of the public structs and enums. A C program prints
# them. They must be those of tests/layout.txt (if pointers and long have 64 bits), of a C++ build, and of both
# bindings. The Python module is written by generate/declarations.py. In the Rust module, only sizes are compared.
#
# generate/declarations.py writes the C program also. So whatever it overlooks is found in other ways: names of structs
# and enums with grep, functions with the preprocessor, and fields and constants with the compiler's warnings.
#
# "print" only prints the table. "write" only writes it to tests/layout.txt (`tests/run layout-write`).
set -u
. tests/tools/lib.sh
WORK=$BUILD/layout
rm -rf "$WORK"
mkdir -p "$WORK"
python=
for candidate in python3 /usr/bin/python3; do
    ! $candidate -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip "python3, 3.8 or later, is missing"

written() { CC=$CC "$python" generate/declarations.py "$1" >"$WORK/$2"; } # LANGUAGE FILE
# prints COMPILER LANGUAGE STANDARD FILE: compiles the C program, and writes what it prints to FILE.
prints() {
    # shellcheck disable=SC2086
    $1 -x "$2" -std="$3" $WARNINGS $EXTRA_CFLAGS -DPE_EXTERN -I. "$WORK/layout.c" -o "$WORK/layout" &&
        "$WORK/layout" >"$WORK/$4"
}
same() { prints "$1" "$2" "$3" other && diff "$WORK/c" "$WORK/other"; }

if [ $# -gt 0 ]; then
    written c layout.c && prints "$CC" c c99 c || exit 1
    case $1 in
    print) cat "$WORK/c" ;;
    write) cp "$WORK/c" tests/layout.txt && echo "INFO: tests/layout.txt is written; git diff shows what changed" ;;
    *) echo "layout.sh [print | write], not '$1'" && exit 2 ;;
    esac
    exit
fi

check "generate/declarations.py reads pe.h" written python pe_declarations.py
check "... and writes a program" written c layout.c
listed() { written functions functions.h && diff packaging/functions.h "$WORK/functions.h"; }
check "packaging/functions.h is made from pe.h as it is: \`make headers\`" listed
check "which compiles without a warning, and runs" prints "$CC" c c99 c
if echo __LP64__ | "$CC" -E - | grep -q -x 1; then
    check "tests/layout.txt has what it prints: \`tests/run layout-write\`" diff tests/layout.txt "$WORK/c"
else
    skipping "tests/layout.txt is of machines with long and pointers of 64 bits"
fi
for cxx in "$GXX" "$CLANGXX"; do
    if have "$cxx"; then check "the same by $cxx, C++11" same "$cxx" c++ c++11; else skipping "$cxx is missing"; fi
done
python_prints() { "$python" "$WORK/pe_declarations.py" | diff "$WORK/c" -; }
check "the same by ctypes" python_prints
if have rustc; then
    rust_prints() {
        written rust layout.rs && echo 'fn main() { for (name, size) in SIZES { println!("{} {}", name, size); } }' >>"$WORK/layout.rs" &&
            rustc -A warnings "$WORK/layout.rs" -o "$WORK/rust" && "$WORK/rust" >"$WORK/rust.sizes" &&
            grep '^pe_[a-z_]* ' "$WORK/c" | diff - "$WORK/rust.sizes"
    }
    check "the sizes by Rust" rust_prints
else
    skipping "rustc is missing"
fi

# The Python module has each of these names, so generate/declarations.py overlooks none.
grep -oE '^(typedef (struct|enum) pe|enum \{ PE)_[A-Za-z0-9]\w*' pe.h | sed 's/.* //' >"$WORK/types"
public_functions >"$WORK/functions"
# has_all FILE LEAST PATTERN: succeeds if the Python module has a line that matches PATTERN for each name in FILE, which
# replaces NAME in it. FILE must have at least LEAST names.
has_all() {
    [ "$(wc -l <"$1")" -ge "$2" ] || { echo "hardly a name in $1" && return 1; }
    while read -r name; do
        grep -q "$(echo "$3" | sed "s/NAME/$name/")" "$WORK/pe_declarations.py" || echo "$name is missing"
    done <"$1" | not grep .
}
check "it has every struct and enum of pe.h" has_all "$WORK/types" 20 '^\(class \)\{0,1\}NAME\( = \|(\)'
check "... and every function" has_all "$WORK/functions" 60 '^    "NAME": '

# misread SED: succeeds if the C program does not compile after this change, which stands for a field, a constant or a
# type that generate/declarations.py misread.
misread() {
    cp "$WORK/layout.c" "$WORK/whole.c"
    sed "$1" "$WORK/whole.c" >"$WORK/layout.c"
    ! cmp "$WORK/layout.c" "$WORK/whole.c" && not prints "$CC" c c99 other
    misread_status=$?
    mv "$WORK/whole.c" "$WORK/layout.c"
    return $misread_status
}
check "a field that is left out" misread 's/^\(const pe_config every_pe_config = {\)0, /\1/'
check "a constant that is left out" misread '/^    case PE_LAYOUT_HALVES:$/d'
check "a field of another type" misread 's/int64_t \*p = &s.padding_position/double *p = \&s.padding_position/'
check "a parameter of another type" misread 's/pe_shift_f32(const pe_plan \*, pe_at, size_t,/pe_shift_f32(const pe_plan *, pe_at, int,/'

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
