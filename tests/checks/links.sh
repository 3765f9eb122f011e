#!/bin/sh
# SPDX-License-Identifier: MIT
#
# links.sh: checks that every link of the pages has a target. Links and images lead to files of this tree, #anchors to
# headings, and paths in `code` to files. The private functions and the files of src/ that the pages name exist.
#
# README.md links every page of docs/, and has the figures of the two pages of benchmarks. The pages state the size of
# the headers' source. Pages have at most 120 columns; in a table, this applies to the text between two <br>. Links to
# other sites are counted, but not followed.
set -u
. tests/tools/lib.sh
WORK=$BUILD/links
rm -rf "$WORK"
mkdir -p "$WORK"
TOP=$PWD

# links_of PAGE: prints "link LINE TARGET" for [text](target), ![text](target), [name]: target, href and src, and
# "path LINE PATH" for paths such as `tests/unit.sh`. Blocks of code are left out.
links_of() {
    awk '
        function links(text, pattern, before, after) {
            while (match(text, pattern)) {
                target = substr(text, RSTART + before, RLENGTH - before - after)
                sub(/ ".*/, "", target)
                print "link", FNR, target
                text = substr(text, RSTART + RLENGTH)
            }
        }
        /^ *```/ { fenced = !fenced }
        fenced { next }
        {
            text = $0
            while (match(text, /`[^`]*`/)) {
                code = substr(text, RSTART + 1, RLENGTH - 2)
                if (code ~ /^\.?(ci|bench|docs|examples|generate|github|packaging|src|tests)\/[A-Za-z0-9_.\/-]+$/) print "path", FNR, code
                text = substr(text, 1, RSTART - 1) "code" substr(text, RSTART + RLENGTH)
            }
            links(text, "\\]\\([^)]*\\)", 2, 1)
            links(text, "href=\"[^\"]*\"", 6, 1)
            links(text, "src=\"[^\"]*\"", 5, 1)
            if (match(text, /^\[[^]]*\]: */)) print "link", FNR, substr(text, RLENGTH + 1)
        }' "$1"
}

# anchors_of PAGE: prints the anchors that GitHub makes from the page's headings.
anchors_of() {
    awk '
        /^ *```/ { fenced = !fenced }
        !fenced && /^#+ / {
            sub(/^#+ +/, "")
            name = tolower($0)
            gsub(/\]\([^)]*\)/, "", name)
            gsub(/[^a-z0-9 _-]/, "", name)
            gsub(/ /, "-", name)
            print name (seen[name] ? "-" seen[name] : "")
            seen[name]++
        }' "$1"
}

# leads PAGE TARGET: succeeds if the target exists within this tree, and is in a fresh clone.
leads() {
    file=${2%%#*} anchor=
    case $2 in *'#'*) anchor=${2#*#} ;; esac
    if [ -z "$file" ]; then
        file=$TOP/$1
    else
        folder=$(cd "$(dirname "$1")" && cd "$(dirname "$file")" && pwd) || return 1
        file=$folder/$(basename "$file")
    fi
    case $file in
    "$TOP/$BUILD"/*) echo "$file is not in a fresh clone" && return 1 ;;
    "$TOP"/*) ;;
    *) echo "$file is outside of this tree" && return 1 ;;
    esac
    [ -e .git ] || ! grep -q "^${file#"$TOP"} .*export-ignore" .gitattributes || return 0 # archives leave this file out
    [ -e "$file" ] || { echo "there is no $file" && return 1; }
    [ -z "$anchor" ] || anchors_of "$file" | grep -qx -e "$anchor" || { echo "$file has no heading #$anchor" && return 1; }
}

# current PAGE: succeeds if the private names and the files of src/ that the page names exist. x_T stands for x_f32 and
# the other types.
current() {
    grep -oE '\<(pe|PE)__[A-Za-z0-9_]*[A-Za-z0-9]' "$1" | grep -vix pe__x | sort -u | while read -r name; do
        case $name in
        *_T) grep -q "\<${name%T}" pe.h ;;
        *) grep -qw -e "$name" pe.h pe_simd.h pe_fixed.h ;;
        esac || echo "no $name"
    done >"$WORK/gone"
    grep -oE '`[a-z]+/[a-z0-9_]+\.h`' "$1" | tr -d '`' | sort -u | while read -r file; do
        [ ! -d "src/${file%%/*}" ] || [ -f "src/$file" ] || echo "no src/$file"
    done >>"$WORK/gone"
    cat "$WORK/gone"
    [ ! -s "$WORK/gone" ]
}

external=0
for page in README.md CHANGELOG.md docs/*.md generate/*.md tests/*.md .github/*.md; do
    links_of "$page" >"$WORK/list"
    while read -r kind line target; do
        case $kind:$target in
        link:https://* | link:http://* | link:mailto:*) external=$((external + 1)) ;;
        link:*) check "$page:$line: $target" leads "$page" "$target" ;;
        path:*) check "$page:$line: \`$target\`" leads . "$target" ;;
        esac
    done <"$WORK/list"
done
for page in README.md docs/*.md generate/*.md .github/*.md tests/README.md; do
    awk '{ gsub(/<br>/, "\n"); print }' "$page" >"$WORK/broken"
    check "$page: no line of more than 120 columns" not grep -nE '^.{121}' "$WORK/broken"
done
for page in README.md docs/*.md generate/*.md .github/*.md tests/README.md tests/tools/mutation.py; do
    check "$page names what is there" current "$page"
done
for page in docs/*.md; do
    check "$page leads to docs/api.md" grep -qF -e "](api.md" -e '<!-- made' "$page"
    check "README.md links $page" grep -qF -e "]($page)" -e "]($page#" README.md
done
# The pages state the size of pe.h and pe_simd.h together, in KB, rounded to a multiple of 10.
source_kb=$((($(cat pe.h pe_simd.h | wc -c) + 5000) / 10000 * 10))
for page in README.md docs/adopting.md docs/when.md; do
    check "$page: the headers have $source_kb KB of source" grep -qE "\b$source_kb KB of .*source" "$page"
done
if have python3; then
    check "README.md has the figures of the pages: \`make bench-summary\`" python3 bench/bench.py summary --check \
        README.md docs/benchmarks-zen5.md docs/benchmarks-zen4.md
else
    skipping "python3 is missing: the figures of README.md"
fi
echo "$external links to other sites were not followed"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
