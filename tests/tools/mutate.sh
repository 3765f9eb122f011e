#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mutate.sh FILE DEFECT: prints FILE with one defect in it, or fails if the defect finds no place.
#
# tests/tools/selfcheck.sh uses it, and tests/tools/matrix.sh for its positive control. The place of a defect is found
# by the code around it. If that code changes, these scripts fail, and the defect has to be moved.
set -u
file=$1
defect=$2

# next_double WORDS: moves the first number after these words by one unit in its last place.
next_double() {
    awk -v words="$1" '
        !done && index($0, words) { here = 1 }
        here && !done && match($0, /-?[0-9]+\.[0-9]+(e-?[0-9]+)?/) {
            x = substr($0, RSTART, RLENGTH) + 0
            $0 = substr($0, 1, RSTART - 1) sprintf("%.17g", x + x * 1.2e-16) \
                 substr($0, RSTART + RLENGTH)
            done = 1
        }
        { print }' "$file"
}

mutated() {
    case $defect in
    constant) next_double "pe__inverse_pi[3] =" ;;
    series) next_double "pe__inverse_factorial[28][2] =" ;;
    logarithm) next_double "double ln2_16th[2] =" ;;
    rope-constant) next_double "double log2_pi[2] =" ;;
    rope-part) sed 's/^    config.head_dim = head_dim;$/    config.head_dim = config.rotary_dim = head_dim;/' "$file" ;;
    list-still) sed 's/: (size_t)PE__STATIONARY))/: (size_t)254))/' "$file" ;;
    list-order) sed 's/array\[plan->order\[begin + i\]\] = all\[i\];/array[begin + i] = all[i];/' "$file" ;;
    block-table) sed 's/sections ? of\.n : plan->pairs;/plan->pairs;/' "$file" ;;
    table-matrix) sed 's/m\[1\] = m\[2\] ^ 0x80000000;/m[1] = m[2];/' "$file" ;;
    table-back) sed 's/pe__put(out + k, negative ? /pe__put(out + k, 0 ? /' "$file" ;;
    table-row) sed 's/const double half = (all < limit ? all : limit) \/ 2, middle/const double half = ((all < limit ? all : limit) + 2) \/ 2, middle/' "$file" ;;
    kept-row) sed 's/cache->row\[slot\] = (uint32_t)(run->row + k);/cache->row[slot] = (uint32_t)run->row;/' "$file" ;;
    kept-padding) sed 's/ || pe__is_padding(x->plan, p\[k\])) break;/) break;/' "$file" ;;
    rope-floor) sed 's/pe__round_to_integer(a) - (off < 0)/pe__round_to_integer(a)/' "$file" ;;
    sums) sed 's/rest = rest + (lost + e);/rest = rest + e;/' "$file" ;;
    steps) sed 's/: output->sine) + pair \* step;/: output->sine) + pair;/' "$file" ;;
    tile-first) sed 's/(double)(plan->first + (i </(double)(0 * plan->first + (i </' "$file" ;;
    niven) sed 's/{0, 1, 3, 2, 3, 1, 0, -1,/{0, 1, 3, 2, 3, 1, 0, 1,/' "$file" ;;
    sincos-low) sed 's/pe__store(g + i, pe__fma(w, pe__splat(pe__inverse_pi\[1\]), e));/pe__store(g + i, e);/' "$file" ;;
    small-cosine) sed 's/pe__round_once(a, -a \* pe__exp2i(-60), 1, drop)/pe__round_once(a, a * pe__exp2i(-60), 1, drop)/' "$file" ;;
    zero-sign) sed 's/double other = hi < 0 ? -0.0 : 0.0;/double other = 0.0;/' "$file" ;;
    xpos-tie) sed 's/return pe__round_sum(tie, 0, PE__DROP_F32);/return pe__round_sum(tie, tie * 1e-30, PE__DROP_F32);/' "$file" ;;
    still) sed 's/if (!plan->point \&\& (t == 0 || w\[pair\] == 0)) {/if (!plan->point \&\& w[pair] != w[pair]) {/' "$file" ;;
    interval-of-0) sed 's/return \*y == other \&\& fabs(hi) > 2 \* e;/return *y == other \&\& (*y != 0 || fabs(hi) > 2 * e);/' "$file" ;;
    beyond-arrays) sed 's/return pe__min(pair, plan->padded - PE_LANES);/return pair;/' "$file" ;;
    nan-is-zero) sed 's/if (!pe__is_zero(w) \&\& !pe__magnitude_between(w,/if (w != 0 \&\& !pe__magnitude_between(w,/' "$file" ;;
    short-window) sed 's/24 << 6};/12 << 6};/' "$file" ;;
    slow) sed 's/(nearest < minimum && !is_integer)) return SIZE_MAX;/0) return SIZE_MAX;/' "$file" ;;
    undecided) sed 's/ && !last && !pe__bigfloat_is_exact(x)) return 0;/ \&\& 0) return 0;/' "$file" ;;
    sign) sed 's/s\[0\] = s\[0\] \* z\[0\];/s[0] = -(s[0] * z[0]);/' "$file" ;;
    loose-rows) sed 's/if stride < reach:/if False:/' "$file" ;;
    loose-list) sed 's/if self.rows is not None and self.rows != rows:/if False:/' "$file" ;;
    swapped) sed 's/pe__zip(pe__vd s, pe__vd c)/pe__zip(pe__vd c, pe__vd s)/' "$file" ;;
    shared-inline) sed 's/^PE_API const char \*pe_status_string(/inline const char *pe_status_string(/' "$file" ;;
    unexported) sed 's/^PE_API const char \*pe_status_string(/static inline const char *pe_status_string(/' "$file" ;;
    swapped-avx2) sed 's/_mm256_unpacklo_pd(s, c)/_mm256_unpacklo_pd(c, s)/' "$file" ;;
    back) sed 's/^        own->offset = -own->offset;$/        (void)own;/' "$file" ;;
    delta) sed 's/^        own->offset = 0;$/        (void)own;/' "$file" ;;
    skip) sed "s|(positions->skipped + r) \* positions->row_stride + axis|r * positions->row_stride + axis|" "$file" ;;
    failed-plan) sed 's/memset(plan, 0, sizeof \*plan);/(void)plan;/' "$file" ;;
    extra-name) sed 's/^PE_API const char \*pe_status_string(pe_status status)$/int pe__extra = 1;\n&/' "$file" ;;
    stamped)
        sed 's/^PE_API pe_at pe_from(int64_t first);$/#define PE__STAMP(x) PE_API pe_at pe_##x(int64_t first);\nPE__STAMP(from)/' \
            "$file"
        ;;
    lost-field) sed 's/for field in self.fields(line)\]/for field in self.fields(line) if field[0] != "columns"]/' "$file" ;;
    new-field) sed 's|^    size_t coordinate; /\* which of|    int extra;\n&|' "$file" ;;
    uncalled) sed '/pe_dot_f64/d' "$file" ;;
    undescribed) sed '/^ \* Accuracy     rounded once from the exact value/d' "$file" ;;
    small-array) sed 's/float all\[2 \* PE_LANES\], interleaved/float all[PE_LANES], interleaved/' "$file" ;;
    streamed-head) sed 's/count = pe__min(peeled - i, PE_LANES)/count = pe__min(span->peeled - i, PE_LANES)/' "$file" ;;
    streamed-apart) sed 's/x->row\[1\] = minus;$/x->row[1] = minus + 4;/' "$file" ;;
    streamed-room) sed 's/PE__TILE_STREAMED = PE__OPTIMIZED ? 256 : 128/PE__TILE_STREAMED = 256/' "$file" ;;
    no-weight) sed 's/^    if (fabs(sum) <= size \* pe__exp2i(-44)) {/    if (sum < 0 \&\& sum > 0) {/' "$file" ;;
    unwritten) sed 's|^    if (h->heads == 0) return PE_OK; /\* .*|    if (h->in_head != h->out_head) h->copied_after = 0;\n&|' "$file" ;;
    room-circle) sed 's,^#pragma once$,&\n#include "../rows/call.h",' "$file" ;;
    room-arrow) sed 's,^#pragma once$,&\n#include "../rope/call.h",' "$file" ;;
    room-alone) sed '/^#include ".*sizes\.h"$/d' "$file" ;;
    room-wide) awk '{ print } END { printf "/* %95s */\n", "" }' "$file" ;;
    room-large) awk '{ print } /^{$/ && !done { for (; done < 60; done++) print "" }' "$file" ;;
    index) sed 's/^    double lanes\[PE_LANES\];$/&\n    lanes[PE_LANES] = 0;/' "$file" ;;
    overrun)
        sed -e 's/(1u << n) - 1u), v)/(2u << n) - 1u), v)/' \
            -e 's/_mm256_set1_epi32((int)n), index), v)/_mm256_set1_epi32((int)n + 1), index), v)/' \
            -e 's/if (n > 1) p\[1\] = v.c/p[1] = v.c/' \
            -e 's/memcpy(p, all, n \* sizeof \*p)/memcpy(p, all, (n + 1) * sizeof *p)/' \
            -e 's/memcpy(p, &v, n \* sizeof \*p)/memcpy(p, \&v, (n + 1) * sizeof *p)/' "$file"
        ;;
    fused) sed 's/return pe__add_f32(pe__mul_f32(b, c), pe__mul_f32(a, s));/return pe__mad_f32(b, c, pe__mul_f32(a, s));/' "$file" ;;
    shown-products) sed 's/^#define PE__PRODUCT(p) PE__OPAQUE(p)$/#define PE__PRODUCT(p) (void)(p)/' "$file" ;;
    fixed-constant) sed 's/0x9c2432a9u/0x9c2532a9u/' "$file" ;;
    old-page) sed 's/state = { d: 32/state = { d: 30/' "$file" ;;
    fuzz-range) sed 's/return pe__positions_ok(p, 2, a, b, reach) ? PE_OK/return pe__positions_ok(p, 1, a, b, reach) ? PE_OK/' "$file" ;;
    fuzz-size) sed 's|pe__exceeds(stride, rows, pe__max_elements(element))|pe__exceeds(stride, 0 * rows + 1, pe__max_elements(element))|' "$file" ;;
    fuzz-heads) sed 's/if (stride\[k\] < width) return PE_ERR_SHAPE;/if (!k \&\& stride[k] < width) return PE_ERR_SHAPE;/' "$file" ;;
    fuzz-lookup) sed 's/all = (double)table_rows - 1;/all = (double)table_rows;/' "$file" ;;
    fuzz-still) sed 's/kernel->row)(&stationary, 0, 1);/kernel->row)(\&stationary, 1, 1);/' "$file" ;;
    fuzz-coordinate) sed '/^    if (plan->order) return PE_ERR_PLAN_ROWS;$/d' "$file" ;;
    fuzz-t5) sed 's/off > pe__exp2i(-70) ? rounded + 1 : rounded;/rounded + 1;/' "$file" ;;
    fuzz-log) sed 's/period + 1) : t > per ? t : per;/period + 1) : t;/' "$file" ;;
    fuzz-sincos) sed 's/if (!pe__is_zero(w) && !pe__magnitude_between(w, /if (w != w \&\& !pe__magnitude_between(w, /' "$file" ;;
    no-rounding-test) sed 's/(window) << 12}/0 * (window)}/' "$file" ;;
    any-isa) sed 's/^#error "PE_ISA must be.*/#define PE_ISA_NAME "scalar"/' "$file" ;;
    header-unit) sed 's/^static_assert(!pe__names_header(__BASE_FILE__),/static_assert(true,/' "$file" ;;
    zen-4) sed 's/^#if defined(__SSE4A__) && defined(__AVX512F__)/#if defined(__znver4__)/' "$file" ;;
    zen-5) sed 's/ && !defined(__AVX512VP2INTERSECT__)//' "$file" ;;
    warning)
        sed 's/^#endif \/\* PE_H \*\/.*/static inline unsigned pe__w(int x) { unsigned y = x; return y; }\n&/' \
            "$file"
        ;;
    malloc)
        sed 's/^PE_API const char \*pe_status_string(pe_status status)$/#include <stdlib.h>\n&/;
             s/const size_t index = (size_t)status;/free(malloc((size_t)status)); &/' "$file"
        ;;
    fast-math)
        sed -e 's/^#pragma GCC optimize/#pragma pe_no_optimize/' \
            -e 's/^#pragma float_control(precise, on)//' -e 's/^#pragma STDC FP_CONTRACT OFF//' "$file"
        ;;
    leaked-macro) sed 's/^#define PE_VERSION_MAJOR/#define LEAKED 1\n&/' "$file" ;;
    program) sed 's/status = pe_/status = no_/' "$file" ;;
    factors-behind) sed 's/memcmp(kept.factors, factors, bytes)/memcmp(kept.factors, factors, sizeof kept.factors)/' "$file" ;;
    any-mode) sed 's/if (op\[2\] != NORM \&\& op\[2\] != NEOX) return/if (op[2] < 0) return/' "$file" ;;
    long) awk '{ print } END { for (i = NR; i < 201; i++) print "" }' "$file" ;;
    row) sed 's/sections = {11, 11, 10}/sections = {11, 10, 11}/' "$file" ;;
    printed) sed 's/prints flux: 0.914742351/prints flux: 0.914742352/' "$file" ;;
    link) sed 's,](docs/,](dogs/,' "$file" ;;
    old-name) sed 's,`pe__round_element()`,`pe__emitted()`,' "$file" ;;
    lost-call) sed '/^| 12 | `pe__/d' "$file" ;;
    unmarked) sed '/pe_fixed.wgsl/d' "$file" ;;
    lost-name) sed 's/`pe__write_axis`, //' "$file" ;;
    heading) sed 's/^## Limits/## Limit/' "$file" ;;
    version) sed 's/^#define PE_VERSION_HEX 0x0*/&1/' "$file" ;;
    sleef-macro) sed '/INTERFACE_COMPILE_DEFINITIONS PE_SLEEF=1/d' "$file" ;;
    lost-line) sed 's/> 0) print line$/> 0) if (line !~ \/no-fast-math\/) print line/' "$file" ;;
    undated) sed 's/^\(## \[0.4.0\]\) - .*/\1 - soon/' "$file" ;;
    lost-enum) sed 's/for name, constants in d.enums}$/for name, constants in d.enums[1:]}/' "$file" ;;
    gzip-date) sed 's/^gzip -9 -n/gzip -9/' "$file" ;;
    lost-members) sed 's,{separator} /\*\*<,{separator} /*,' "$file" ;;
    described) sed '/^ \*  *PRIVATE/!s/^\/\* Fill rows with the encodings/\/* Fill rows with encodings/' "$file" ;;
    other-place) sed "s/^    to = pc ? data/    to = pc ? 'share'/" "$file" ;;
    lost-file) sed '/cmake/d' "$file" ;;
    lost-flags) sed 's/ \${LDFLAGS:-}//' "$file" ;;
    open-map) sed 's/local: \*;//' "$file" ;;
    sleef-anyway) sed 's/^  if(POSENC_WITH_SLEEF)/  if(TRUE)/' "$file" ;;
    compiled-seen) sed 's/^\( *\)C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)/)/' "$file" ;;
    any-component) sed 's/^  elseif(posenc_FIND_REQUIRED_.*/  elseif(FALSE)/' "$file" ;;
    aliased) sed 's/^  add_library(posenc::lib INTERFACE IMPORTED GLOBAL)/  add_library(posenc::lib ALIAS posenc-lib)/; /TARGET posenc::lib PROPERTY/d' "$file" ;;
    shared-function)
        sed 's/^static const functions \*chosen/int twice(int x);\nint twice(int x) { return 2 * x; }\n&/' "$file"
        ;;
    selftest) sed 's|pe__selftest(zero) == UINT64_C(0x\(.\)\(.\)|pe__selftest(zero) == UINT64_C(0x\2\1|' "$file" ;;
    alibi-zero) sed 's/line.zero = pe__splat_f32(pe__zero());/line.zero = pe__splat_f32(-pe__zero());/' "$file" ;;
    alibi-mask) sed 's/if (masked) v = pe__if_positive/if (masked != masked) v = pe__if_positive/' "$file" ;;
    alibi-far) sed 's/is_far = j < -PE__MAX_KEY_OFFSET || j > PE__MAX_KEY_OFFSET;/is_far = 0;/' "$file" ;;
    round) sed 's/return (a + big) - big;/return a;/' "$file" ;;
    missing-name) sed '/^    {"yarn", "yarn", /d' "$file" ;;
    unseen-key) sed 's/if (!is_known)/if (0)/' "$file" ;;
    golden) sed 's/^\(fill_f64  .*\)\(.\)\(.\)$/\1\3\2/' "$file" ;;
    oracle) sed 's/fma(xl, Xh, fma(xh, Xh, -p))/fma(xh, Xh, -p)/' "$file" ;; # leaves out a term
    *)
        echo "mutate.sh: unknown defect $defect" >&2
        return 1
        ;;
    esac
}

# The copy is compared with the original first, so nothing is printed if the defect changed nothing.
copy=$(mutated && echo .) || exit 1
copy=${copy%.}
if printf '%s' "$copy" | cmp -s - "$file"; then
    echo "mutate.sh: '$defect' finds no place in $file" >&2
    exit 1
fi
printf '%s' "$copy"
