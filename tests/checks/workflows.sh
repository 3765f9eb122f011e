#!/bin/sh
# SPDX-License-Identifier: MIT
#
# workflows.sh: tests .github/workflows as far as that is possible on this machine. The scripts and targets that the
# jobs run must exist. Actions must be pinned to a commit, with a comment that names the release. apt-get must wait for
# its lock. The header pe.h must compile with the flags that the jobs for Windows pass to clang-cl and gcc.
set -u
. tests/tools/lib.sh
WORK=$BUILD/workflows
rm -rf "$WORK"
mkdir -p "$WORK"
none() { awk '{ print } END { exit NR > 0 }' "$1"; }

set -- .github/workflows/*.yml
check "there are workflows" test -f "$1"
grep -hoE '(sh|bash|\.) (\./)?[.a-z]+/[a-z/.]+' "$@" | sed 's/^[a-z.]* //' | sort -u | while read -r file; do
    [ -f "$file" ] || echo "no $file"
done >"$WORK/gone"
sed -n 's/^ *- run: make \([a-z -]*\).*/\1/p' "$@" | tr ' ' '\n' | sed '/^$/d' | sort -u | while read -r target; do
    grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile || echo "make has no $target"
done >>"$WORK/gone"
sed -n 's,^ *- run: tests/run \([a-z_ -]*\).*,\1,p; s/^ *what: \[\(.*\)\]/\1/p' "$@" | tr ', ' '\n\n' | sed '/^$/d' | sort -u |
    while read -r name; do
        grep -q "^$name | " tests/steps.txt || echo "tests/run has no $name"
    done >>"$WORK/gone"
check "what they run is there" none "$WORK/gone"

grep -n 'uses:' "$@" | grep -vE 'uses: [a-z/-]+@[0-9a-f]{40} # v[0-9.]+$' >"$WORK/loose"
check "actions are pinned to commits" none "$WORK/loose"
grep -n 'apt-get .*install' "$@" | grep -v 'DPkg::Lock::Timeout' >"$WORK/hasty"
check "apt-get waits for its lock" none "$WORK/hasty"

# flags COMPILER: prints the flags that ci.yml passes to the compiler, without the names of files.
flags() { sed -n "s/^ *compile: $1 \(.*\)/\1/p" .github/workflows/ci.yml | tr ' ' '\n' | grep -vE '\\|^-o$' | tr '\n' ' '; }
for compiler in clang-cl gcc; do
    case $compiler in
    clang-cl) command="$CLANG --driver-mode=cl --target=x86_64-pc-windows-msvc /Zs -imsvc tests/checks/stub" ;;
    gcc) command="$GCC -fsyntax-only" ;;
    esac
    case $compiler:$(uname -m):$(command -v "${command%% *}") in
    *:x86_64:/* | *:amd64:/*) ;;
    *)
        skipping "${command%% *} for x86-64 is missing: the flags of $compiler"
        continue
        ;;
    esac
    # shellcheck disable=SC2046,SC2086
    check "$compiler $(flags $compiler)" test -n "$(flags $compiler)"
    # shellcheck disable=SC2046,SC2086
    check "... compiles" $command $(flags $compiler) tests/unit/hash.c
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
