#!/bin/sh
# SPDX-License-Identifier: MIT
#
# python.sh: builds the package of python/ as a wheel, and as a source distribution from which pip, if it is installed,
# makes the same wheel offline. The package passes tests/checks/python/test.py, which compares with MPFR and tests
# memory and misuse, and arguments.py, which replaces every argument with bad values. Its type hints are right, and the
# programs of docs/python.md print what the page says.
set -u
. tests/tools/lib.sh
WORK=$BUILD/python
rm -rf "$WORK"
mkdir -p "$WORK"
python=
for candidate in "$(cd "$BUILD" && pwd)/peers/bin/python" python3 /usr/bin/python3; do # the test peers have torch, ml_dtypes
    ! $candidate -c 'import numpy, sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || python=${python:-$candidate}
done
[ -n "$python" ] || skip "numpy is missing"
have_library mpfr "$CC" || skip "MPFR is missing"
# Without optimisation the library compiles in 20 s of CPU time, with -O1 in 50 s. It is compiled twice, and the tests
# take no longer with it.
export CFLAGS=-O0

wheel() { "$python" python/posenc_build.py "$WORK/wheel" && ls "$WORK"/wheel/posenc-*.whl; }
check "a wheel" wheel
unpack() { "$python" -m zipfile -e "$WORK"/wheel/posenc-*.whl "$WORK/site"; }
check "... unpacked" unpack
in_wheel() { # PATTERN...
    for pattern; do "$python" -m zipfile -l "$WORK"/wheel/posenc-*.whl | grep "^$pattern " || return 1; done
}
check "... has the libraries, the declarations and the hints" in_wheel 'posenc/libposenc[.].*' \
    'posenc/libposenc_reader.*' posenc/_declarations.py \
    posenc/py.typed 'posenc-.*/RECORD' 'posenc-.*/LICENSE'

extras() {
    "$python" -c 'import sys, importlib.metadata as m
d = m.Distribution.at(sys.argv[1])
assert d.metadata.get_all("Provides-Extra") == ["torch", "transformers", "bfloat16"], d.metadata
needed = [need.replace("\"", "").replace("\x27", "") for need in d.requires]
assert needed == ["numpy", "torch>=2.13; extra == torch", "torch>=2.13; extra == transformers",
                  "transformers>=5.17; extra == transformers", "ml_dtypes; extra == bfloat16"], d.requires
' "$(ls -d "$WORK"/site/posenc-*.dist-info)"
}
check "... and the packages of its extras" extras

# The wheel's tag names the version of glibc that the libraries need. objdump lists the symbols that decide it.
if have objdump && ls "$WORK"/wheel/*manylinux_* >/dev/null 2>&1; then
    needed() { objdump -T "$WORK"/site/posenc/libposenc*.so | sed -n 's/.*GLIBC_2\.\([0-9]*\).*/\1/p' | sort -n | tail -n 1; }
    newest=$(needed)
    [ "$newest" -ge 17 ] || newest=17
    check "... whose tag is that of its symbols, manylinux_2_$newest" ls "$WORK"/wheel/*manylinux_2_"$newest"_*
    case $(uname -m) in
    x86_64 | aarch64) check "... which glibc 2.28 can load" test "$newest" -le 28 ;;
    esac
    check "... which need libm and libc alone" test -z "$(ldd "$WORK"/site/posenc/libposenc*.so | grep '=>' | grep -vE 'lib(m|c)\.so')"
else
    skipping "objdump or glibc is missing: the wheel's tag"
fi

# A wheel for AArch64, made on another machine. A program under qemu loads both libraries with all their symbols.
if have_arm64 && [ "$(uname -m)" != aarch64 ]; then
    wheel_arm64() { CC=$ARM64_GCC CFLAGS=-O0 "$python" python/posenc_build.py "$WORK/arm64" >"$WORK/arm64.name"; }
    check "a wheel for AArch64" wheel_arm64
    check "... which glibc 2.28 can load" grep -qE 'manylinux_2_(1[7-9]|2[0-8])_aarch64[.]whl$' "$WORK/arm64.name"
    loads() {
        "$python" -m zipfile -e "$WORK"/arm64/posenc-*.whl "$WORK/arm64" &&
            "$ARM64_GCC" -O1 tests/checks/python/loads.c -o "$WORK/arm64/loads" -ldl &&
            arm64_run "$WORK/arm64/loads" "$WORK/arm64/posenc/libposenc.so" "$WORK/arm64/posenc/libposenc_reader.so"
    }
    check "... whose libraries load and compute the right bits under qemu" loads
else
    skipping "a compiler for AArch64 or qemu is missing: a wheel for AArch64"
fi

case $WORK in /*) absolute=$WORK ;; *) absolute=$PWD/$WORK ;; esac
sdist() {
    (cd python && "$python" -c "import posenc_build; posenc_build.build_sdist('$absolute')") &&
        tar -xzf "$WORK"/posenc-*.tar.gz -C "$WORK"
}
check "a source distribution" sdist
# pip has no index, which proves that it needs no network.
if "$python" -c 'import pip' 2>/dev/null; then
    pip() {
        "$python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps -w "$WORK/pip" \
            "$WORK"/posenc-*.tar.gz && cmp "$WORK"/pip/posenc-*.whl "$WORK"/wheel/posenc-*.whl
    }
    check "a wheel of that by pip, offline: the same bytes" pip
    installed() {
        "$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --target "$WORK/installed" \
            "$WORK"/pip/posenc-*.whl &&
            [ "$(PYTHONPATH=$WORK/installed "$python" -c 'import posenc; print(posenc.__version__)')" = "$VERSION" ]
    }
    . ./packaging/version.sh
    check "... installed" installed
else
    skipping "pip is missing: wheels by the backend alone"
fi

# shellcheck disable=SC2086
check "turns.c, with MPFR" "$CC" -std=c99 -O2 $WARNINGS $EXTRA_CFLAGS tests/checks/python/turns.c -o "$WORK/turns" -lmpfr -lgmp
# The program posenc must find the parts that posenc.read() finds. The wheel was made without json-c.

if have_library json-c "$CC"; then
    # shellcheck disable=SC2086
    check "the program posenc" "$CC" -std=c99 -O1 $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/program" -ljson-c -lm
    export POSENC_PROGRAM="$WORK/program"
else
    skipping "json-c is missing: the program posenc beside posenc.read()"
fi
tests() { PYTHONPATH=$WORK/site "$python" tests/checks/python/test.py "$WORK/turns"; }
check "MPFR's numbers, memory and misuse" tests
cat "$WORK/log"
torch=1
"$python" -c 'import torch' 2>/dev/null || { torch=0 && skipping "torch is missing: tensors"; }
# through BACKEND TESTS...: tests posenc.torch with one backend: the library, tables from the CPU, or the kernels in
# Triton's interpreter.
through() { PYTHONPATH=$WORK/site TRITON_INTERPRET=$([ "$1" = triton ] && echo 1) "$python" tests/checks/python/gpu.py "$@"; }
if [ $torch -eq 1 ]; then
    check "posenc.torch through libposenc" through libposenc
    tail -n 1 "$WORK/log"
    check "... through tables from the CPU" through tables 'test_[!cse]*'
    if "$python" -c 'import triton' 2>/dev/null; then
        # The interpreter takes a second per launch, so only the tests of numbers run. The others do the same with every
        # backend.
        check "... through its kernels" through triton 'test_[argu]*' 'test_co[so]*' 'test_out*'
        tail -n 1 "$WORK/log"
        fuses() { PYTHONPATH=$WORK/site "$python" tests/checks/python/kernels.py; }
        check "... which fuse no product, compiled for NVIDIA's and AMD's GPUs" fuses
        if "$python" -c 'import transformers' 2>/dev/null; then
            dry() { PYTHONPATH=$WORK/site "$python" bench/torch_gpu.py --verify --dry-run; }
            check "the benchmark for GPUs runs without one" dry
        else
            skipping "transformers is missing: the benchmark for GPUs"
        fi
    else
        skipping "triton is missing: the kernels of posenc.torch"
    fi
fi
if [ $torch -eq 1 ] && "$python" -c 'import torch.distributed as d, sys; sys.exit(not (d.is_available() and d.is_gloo_available()))' \
    2>/dev/null; then
    distributed() { PYTHONPATH=$WORK/site "$python" tests/checks/python/distributed.py; }
    check "posenc.torch in four processes, by torch.distributed" distributed
    tail -n 1 "$WORK/log"
    ! grep -q SKIP "$WORK/log" || skipping "this torch has no context_parallel(): sequences that torch splits itself"
elif [ $torch -eq 1 ]; then
    skipping "this torch has no gloo: posenc.torch in several processes"
fi
if [ $torch -eq 1 ] && "$python" -c 'import transformers' 2>/dev/null; then
    models() { PYTHONPATH=$WORK/site "$python" tests/checks/python/models.py; }
    check "posenc.torch in 12 model types of transformers, against float64" models
    tail -n 1 "$WORK/log"
    rounds() { PYTHONPATH=$WORK/site "$python" tests/checks/python/cast.py; }
    check "... of which model.to(torch.bfloat16) rounds the frequencies" rounds
elif [ $torch -eq 1 ]; then
    skipping "transformers is missing: posenc.torch in its models"
fi
# The exact values of posenc are those of numpy in float64, cast to float32: for 1024 positions no element differs.
# TORCHDYNAMO_DISABLE saves half a minute in which torch.compile would call a compiler.
counts() {
    TORCHDYNAMO_DISABLE=1 PYTHONPATH=$WORK/site "$python" bench/frameworks.py 1024 >"$WORK/frameworks" &&
        grep -qE '^numpy in float64, .* \| exact values of the float32 angle +0 +0$' "$WORK/frameworks"
}
check "bench/frameworks.py counts no element where float64 and the exact values differ" counts
arguments() { PYTHONPATH=$WORK/site "$python" tests/checks/python/arguments.py; }
check "every argument, replaced by bad values: a documented exception that names it" arguments
for isa in $(cpu_isas); do
    case $isa in scalar | "$(best_isa)") continue ;; esac
    with_isa() { PE_ISA=$isa PYTHONPATH=$WORK/site "$python" tests/checks/python/test.py "$WORK/turns" 'test_[farl]*'; }
    check "... PE_ISA=$isa" with_isa
done
unasked() {
    PYTHONPATH=$WORK/site "$python" -c 'import posenc, sys; sys.exit("torch" in sys.modules or "ml_dtypes" in sys.modules)'
}
check "torch is not imported unasked" unasked
elsewhere() { PYTHONPATH=$WORK/site POSENC_LIBRARY=$1 "$python" -c 'import posenc; print(posenc.isa())'; }
check "POSENC_LIBRARY names the library" elsewhere "$(echo "$WORK"/site/posenc/libposenc.[sd]*)"
check "... which must be there" not elsewhere "$WORK/nowhere"

module() { PYTHONPATH=$WORK/site "$python" -m posenc "$@"; }
shows() { module show head_dim=64 rope_theta=150000 | grep -q 'rotates 64 of 64'; }
check "python -m posenc is the program" shows
refuses() { module show head_dim=64 rope_theta=x; [ $? -eq 1 ] && module; [ $? -eq 2 ]; }
check "... with its status" refuses
without() { ! ldd "$WORK"/site/posenc/libposenc_reader.* | grep -i json; }
check "... without json-c" without

# mypy is that of the test peers, which knows the types of their numpy. A distribution may have a mypy without numpy, or
# one that is too old for its types.
if "$python" -c 'import mypy' 2>/dev/null; then
    # mypy treats torch and triton as Any, even if they are installed, since their types change from version to version.
    # The kernels are written in Triton's language, which mypy does not know.
    cat >"$WORK/mypy.ini" <<'X'
[mypy]
strict = True
[mypy-torch.*,triton.*]
follow_imports = skip
ignore_missing_imports = True
[mypy-posenc.torch,posenc._ops,posenc._launch,posenc._install]
disallow_subclassing_any = False
disallow_untyped_decorators = False
[mypy-posenc._kernels]
ignore_errors = True
X
    strictly="$python -m mypy --config-file ../mypy.ini --no-error-summary --cache-dir ../mypy"
    typed() { (cd "$WORK/site" && $strictly -p posenc); }
    check "type hints, by mypy --strict" typed
    cat >"$WORK/site/wrong.py" <<'X'
import posenc
posenc.Plan(512, bases=3)
posenc.Plan(512, base="10000")
posenc.Rope(128, rope_teta=500000.0)
X
    printf 'import posenc\nposenc.Plan(512, base=3)\nposenc.Rope(128, rope_type="yarn", factor=4)\n' >"$WORK/site/right.py"
    refused() { (cd "$WORK/site" && $strictly "$1.py"); }
    check "... of which it takes what is right" refused right
    three() { refused wrong; [ "$(refused wrong | grep -c 'error: .*\(bases\|base\|rope_teta\)')" = 3 ]; }
    check "... and refuses Plan(512, bases=3)" three
else
    skipping "mypy is missing"
fi

# In docs/python.md, each block of Python is followed by a block with its output. A block that imports torch needs it.
awk -v to="$WORK/page" '/^```python$/ { on = 1; name = to "." ++n ".py"; next } /^```text$/ { on = 1; name = to "." n ".txt"; next }
    /^```/ { on = 0 } on { print >name }' docs/python.md
prints() {
    PYTHONPATH=$WORK/site "$python" "$1" >"$WORK/said" || { cat "$1" && return 1; }
    diff "${1%.py}.txt" "$WORK/said"
}
check "docs/python.md has programs" ls "$WORK/page.1.py"
for program in "$WORK"/page.*.py; do
    number=${program%.py}
    number=${number##*.}
    if [ $torch -eq 0 ] && grep -qE '^(import|from) torch' "$program"; then
        skipping "torch is missing: program $number of docs/python.md"
    else
        check "docs/python.md: its program $number prints what it says" prints "$program"
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
