# SPDX-License-Identifier: MIT
#
# pe is two headers: there is nothing to build before using it. This file runs the demo, the tests
# and the benchmarks. Two commands do everything on a fresh machine with git, make and a C compiler:
#
#     make demo
#     make test
#
# Everything written goes to build/.

.DEFAULT_GOAL := help
BUILD  := build
CFLAGS ?= -O2
ISA    ?= best
FUZZ_SECONDS ?= 60
SLEEF  ?=
DEPS   ?= 1
STRICT ?= 0
GCC    ?= gcc
GXX    ?= g++
CLANG  ?= clang
CLANGXX ?= clang++
# All cores, unless make was given a number.
JOBS   ?= $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1))

# Homebrew keeps its libraries where no compiler looks by itself.
ifeq ($(shell uname -s),Darwin)
BREW := $(shell brew --prefix 2>/dev/null)
ifneq ($(BREW),)
EXTRA_CFLAGS ?= -I$(BREW)/include -L$(BREW)/lib
endif
endif

export BUILD CC CXX CFLAGS GCC GXX CLANG CLANGXX SLEEF DEPS STRICT JOBS EXTRA_CFLAGS
export FUZZ_SECONDS FUZZ_ENGINE FUZZ_SANITIZE FUZZ_SEED FUZZ_FLAGS

# What a user includes. Everything that compiles them depends on this line.
HEADERS := pe.h pe_simd.h

SUBMAKE  = $(MAKE) --no-print-directory
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
# Ctrl-C and SIGTERM end all that a command started.
GUARD    = sh tests/tools/guard.sh
STEP     = sh tests/tools/step.sh

##*   make demo        compute the paper's 512 x 512 table, time it, draw build/heatmap.png, clocks.png
##*   make examples    build and run the other examples, each with one idea: angles noise regression dots
##*                    table attention train_learned rope_decoder; their pictures go to build/
##*   make tool        build/pe, which reads a config.json: what is odd in it, frequencies, tables (needs cJSON)
##*   make headers     pe.h, pe_simd.h, pe_fixed.h, pe_fixed.wgsl and .glsl, made from src/, which is what to change
##*   make lib         build/libposenc.a and libposenc.so: every instruction set, the best chosen at run time
##   make declarations   build/pe_declarations.py and .rs: all of pe.h for Python's ctypes and for Rust
##   make wheel       build/posenc-VERSION-....whl: the package of python/, with the library inside
##   make python      its test: MPFR's numbers, memory, misuse, pip, type hints, docs/python.md
##*   make quick       after each changed line, seconds: everything compiled once, the bits of all results on
##*                    the best and the simplest instruction set, the sharpest tests of bounds and bad input
##*   make test        does pe do on this machine what it promises? 4 minutes on two cores: elements against
##*                    MPFR, the same bits on each ISA of this CPU, RoPE, bad input, bounds, README's programs
##*   make check       everything else that a change has to pass, 20 minutes on two cores: gcc and clang,
##*                    AArch64, sanitizers, warnings, fuzzing inputs, packaging, some of the matrix ...
##*   make bench       benchmarks against the memory roof and other libraries
##
##*   make deps        install what demo, test and check need (they do it themselves)
##*   make X.ISA       one unit program as `make test` runs it, such as exact.avx2 or rope.best
##   make check-X     one unit program on every ISA; X: exact seeds errors bounds splits types alibi learned cpp
##                    rope_frequencies conventions models rope lists tables algebra theorem budget selftest memory
##                    at repeats
##   make X.COMPILER.ISA.SLEEF   one of them, e.g. exact.gcc.avx2.none  (see tests/tools/unit.sh)
##   make matrix      the same bits from every ISA, compiler, version, option, standard, SLEEF and none,
##                    32-bit x86 and other machines under qemu; installs them. MATRIX=some: some of every kind
##   make rooms       src/ is in order: no circle of includes, each file by itself, no file or function too
##                    long; docs/rooms.svg, the picture of it, is current (docs/rooms.sh draws it)
##   make levels      a copy of pe.h in which the exact level decides everything gives the same bits
##   make theorem     how close do the tables that people use come to the midpoint of two floats, at any position
##                    to 2^31? Half an hour; certificates: check again what tests/theorem.txt keeps of it
##   make fixed-point pe_fixed.h: languages, one hash of its bits, shaders, its proof, certificates
##   make worst       which valid calls cost most an element? One minute
##   make gappa       bounds of the fast path, proven over the constants of the headers
##   make unfused     products of rotations, shifts and sums stay apart from sums under -ffast-math, with FMA
##   make gpu microcontroller   pe_fixed.h by OpenCL, WGSL and GLSL on devices in software, what nvcc makes of it;
##                    and on Cortex-M under qemu
##   make fail        programs that must not compile, and the message they must give
##   make modules     C++ modules and precompiled headers with g++ 16, which is downloaded where apt-get has it
##   make cpus        what code does with memory is chosen for the CPU that it is compiled for
##   make mca-loops   the loops of make mca are found in the assembly
##   make warnings    no warnings: gcc and clang, C99 to C17, C++11 to C++17
##   make readme links parity demo-runs tool-runs cost   README's programs, dead links, other projects' formulas in
##                    float32, the demo, the examples and the tool; what including pe.h costs a compiler
##   make contract    what 0.3 changed, as a program in C99 and C++11
##   make unwritten   every public function once under MemorySanitizer and valgrind
##   make api         every public function is written out, described, in the tests of memory and in the
##                    hash of bits; and there are at most 101
##   make layout      sizes, offsets and values of the public structs and enums; layout-holds compares them with
##                    tests/layout.txt, C++ and the declarations for Python
##   make extern      the functions compiled once for a program of several files
##   make sweep       guard pages at every number of rows to 64 and every width to 513, on every ISA
##   make fuzz        fuzz every call for FUZZ_SECONDS (60) in all; FUZZ_ENGINE=libfuzzer, afl or random,
##                    FUZZ_SANITIZE=1 with the address and undefined behaviour sanitizers
##   make fuzz-replay   the inputs kept in tests/fuzz/corpus, with gcc, and with clang and sanitizers
##   make selfcheck   break the library on purpose; the tests must notice
##   make mutation    small defects everywhere in the headers: do the tests notice each one?
##                    MUTANTS=400 SEED=1 MUTATION_SECONDS=1800, see tests/tools/mutation.py
##
##   make api-doc     build/api-doc/index.html: the contracts of pe.h as pages to search, by doxygen
##   make page        docs/explorer.html, a page to play with that contains the headers as WebAssembly
##*   make install     the headers, posenc.pc and the CMake package to PREFIX (/usr/local); DESTDIR=
##*                    in front of it for packagers. make install-lib also installs what make lib builds.
##*                    make uninstall removes both
##   make package single-header library dist-runs release-runs debian   the tests of these ways to get pe
##   make single      build/pe_single.h: both headers in one file
##   make dist        build/posenc-VERSION.tar.gz of the last commit, the same bytes each time
##   make distcheck   unpack that, run the demo; then, as nobody and without a network, make test, install,
##                    compile clients in each way, the wheel, the tests of the packages
##   make deb         build/deb: packages of the last commit by Debian's tools
##   make release     build/release: that archive, the headers, pe_single.h, the layout as JSON, the library as
##                    WebAssembly, checksums; after make test and make check, with a date in CHANGELOG.md
##   make certify     every element of large tables against a double-double oracle (certify-full: more)
##   make golden      the bits of tests/golden.txt (golden-write writes it: a change of bits is a diff)
##   make verify      the proof of the promise in 10 minutes; verify-full: all of it, in 2 hours
##                    (BUDGET=s). Writes build/verify.json and build/verify.txt
##   make test-table  write tests/PROOFS.md, where each promise is proven, from the logs of test and check
##*   make clean       remove build/
##
## Variables: CC, CXX, CFLAGS (-O2), ISA=best|avx512|avx2|sse2|neon|scalar, SLEEF=0|1 (default: if installed),
## DEPS=0 installs nothing, STRICT=1 makes every skipped step a failure, JOBS=n

.PHONY: help help-all
help help-all:
	@echo "pe: correctly rounded positional encodings. Include pe.h; nothing needs to be built."
	@echo
	@sed -n 's/^##$(if $(filter help,$@),[*],[*]\{0,1\}) \{0,1\}//p' $(MAKEFILE_LIST)
	@$(if $(filter help,$@),echo && echo "  make help-all    every target and variable")

# ---- the headers, made from src/ --------------------------------------------------------------------

.PHONY: headers
headers:
	@sh packaging/headers.sh
	@! python3 -c '' 2>/dev/null || python3 docs/api/contracts.py index >docs/api.md

# ---- what is needed -------------------------------------------------------------------------------

.PHONY: deps deps-demo deps-test deps-tool
deps:
	@sh tests/tools/deps.sh check

deps-test:
	@sh tests/tools/deps.sh test

deps-demo:
	@sh tests/tools/deps.sh demo

deps-tool:
	@sh tests/tools/deps.sh tool

# Written by deps: HAVE_SLEEF, NATIVE_FLAGS, CPU_ISAS.
-include $(BUILD)/config.mk

# ---- demo -------------------------------------------------------------------------------------------

ISA_best   = $(NATIVE_FLAGS)
ISA_avx512 = -mavx512f -mavx512dq -mavx512bw -mavx512vl -DPE_ISA=PE_ISA_AVX512
ISA_avx2   = -mavx2 -mfma -DPE_ISA=PE_ISA_AVX2
ISA_sse2   = -msse2 -DPE_ISA=PE_ISA_SSE2
ISA_neon   = -DPE_ISA=PE_ISA_NEON
ISA_scalar = -DPE_ISA=PE_ISA_SCALAR
ISA_FLAGS  = $(if $(filter undefined,$(origin ISA_$(ISA))),$(error ISA=$(ISA) is not one of best avx512 avx2 sse2 neon scalar),$(ISA_$(ISA)))

USE_SLEEF  = $(or $(SLEEF),$(HAVE_SLEEF),0)
PE_FLAGS   = $(ISA_FLAGS) -DPE_SLEEF=$(USE_SLEEF) -I. $(EXTRA_CFLAGS)
PE_LIBS    = $(if $(filter 1,$(USE_SLEEF)),-lsleef) -lm

.PHONY: demo run-demo
demo: deps-demo
	@$(SUBMAKE) run-demo

run-demo:
	$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) examples/demo.c -o $(BUILD)/demo $(PE_LIBS)
	@echo
	@$(BUILD)/demo $(BUILD)
	@sh examples/draw.sh $(BUILD) heatmap clocks

EXAMPLES := angles noise regression dots table attention train_learned rope_decoder
PICTURES_table = table curve preview
PICTURES  = $(patsubst %.gp,%,$(notdir $(wildcard examples/plots/$@.gp)))

.PHONY: examples run-examples $(EXAMPLES)
examples: deps-demo
	@$(SUBMAKE) run-examples

run-examples: $(EXAMPLES)
$(EXAMPLES):
	@mkdir -p $(BUILD)
	@$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) examples/$@.c -o $(BUILD)/$@ $(PE_LIBS)
	@echo "==== examples/$@.c"
	@$(BUILD)/$@ $(BUILD)
	@sh examples/draw.sh $(BUILD) $(or $(PICTURES_$@),$(PICTURES))
	@echo

# The library cJSON, and nothing else beyond the headers.
.PHONY: tool run-tool
tool: deps-tool
	@$(SUBMAKE) run-tool

run-tool:
	$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) examples/tool/pe.c -o $(BUILD)/pe -lcjson $(PE_LIBS)

# ---- the library as an object -----------------------------------------------------------------------

# [COMPILER.]ISA.o: pe.h compiled once, for the programs that are linked with it. The script compiles where
# the headers, the flags or the compiler have changed; library.X is the same as a step.
.PHONY: FORCE
$(BUILD)/linked/%.o: $(HEADERS) FORCE
	@sh tests/tools/linked.sh $*
library.%: $(HEADERS) FORCE
	@$(STEP) $@ sh tests/tools/linked.sh $*

# ---- make quick -------------------------------------------------------------------------------------

# Nothing is optimised: a compiler takes a second then, and the bits are the same.
QUICK_ISAS   = $(sort $(or $(lastword $(CPU_ISAS)),scalar) scalar)
QUICK_BEST   = $(foreach p,bounds memory errors,$(p).quick.$(or $(lastword $(CPU_ISAS)),scalar))
QUICK_STEPS  = $(QUICK_ISAS:%=library.quick.%) $(QUICK_ISAS:%=hash.quick.%) $(QUICK_BEST)
QUICK_LOGS   = $(BUILD)/log-quick

.PHONY: quick run-quick quick-steps
quick: $(if $(CPU_ISAS),,deps-test)
	+@$(GUARD) $(SUBMAKE) run-quick
run-quick:
	@rm -rf $(QUICK_LOGS) && mkdir -p $(QUICK_LOGS) && date +%s >$(QUICK_LOGS)/start
	+@export PE_LOGS=$(QUICK_LOGS) PE_STEPS=$(words $(QUICK_STEPS)); \
	$(SUBMAKE) -k $(PARALLEL) quick-steps; status=$$?; $(STEP) --summary && exit $$status
quick-steps: $(QUICK_STEPS)
$(foreach s,$(filter-out library.%,$(QUICK_STEPS)),$(eval $(s): library.quick.$(lastword $(subst ., ,$(s)))))

# ---- make test --------------------------------------------------------------------------------------

# For each instruction set of this CPU the library is compiled once (library.ISA), and every unit
# program is linked with it (PROGRAM.ISA). Slow ones first.
LINKED     := exact memory splits bounds conventions models algebra rope_frequencies alibi learned errors rope lists eager tables
LINKED     += fixed theorem at repeats budget types selftest hash seeds
LIBRARIES  := $(foreach i,avx512 avx2 sse2 neon scalar best,library.$(i))
LINKED_ALL := $(foreach l,$(LIBRARIES),$(foreach p,$(LINKED) cpp,$(l:library.%=$(p).%)))
# SSE2, where there is more, has some: it is what the operations are on other vectors of two doubles.
TEST_ISAS   = $(or $(filter-out $(if $(filter avx2,$(CPU_ISAS)),sse2),$(CPU_ISAS)),scalar)
TEST_SSE2   = $(if $(filter avx2,$(CPU_ISAS)),library.sse2 types.sse2 hash.sse2)
TEST_STEPS  = $(TEST_ISAS:%=library.%) $(TEST_SSE2) headers-current readme-c cpp.$(lastword $(TEST_ISAS)) \
              $(foreach p,$(LINKED),$(TEST_ISAS:%=$(p).%))
TEST_LOGS   = $(BUILD)/log-test

.PHONY: test run-test test-steps headers-current readme-c $(LINKED_ALL)
test: deps-test
	+@$(GUARD) $(SUBMAKE) run-test
run-test:
	@rm -rf $(TEST_LOGS) && mkdir -p $(TEST_LOGS) && date +%s >$(TEST_LOGS)/start
	+@export PE_LOGS=$(TEST_LOGS) PE_STEPS=$(words $(TEST_STEPS)); \
	$(SUBMAKE) -k $(PARALLEL) test-steps; status=$$?; \
	$(STEP) --summary || status=1; [ $$status -ne 0 ] || sh tests/tools/proven.sh; exit $$status
test-steps: $(TEST_STEPS)

$(foreach l,$(LIBRARIES),$(eval $(LINKED:%=%$(l:library%=%)): $(l)))
$(LINKED_ALL):
	@$(STEP) $@ sh tests/tools/unit.sh $@
headers-current:
	@$(STEP) $@ sh tests/checks/headers.sh current
readme-c:
	@$(STEP) $@ sh tests/checks/readme.sh some

# ---- make check -------------------------------------------------------------------------------------

# A unit step is PROGRAM.COMPILER.ISA.SLEEF[.VARIANT...]; tests/tools/unit.sh builds and runs it.
PROGRAMS := exact seeds errors bounds splits types alibi learned cpp
PROGRAMS += fixed rope_frequencies conventions models rope lists eager tables algebra theorem at repeats budget selftest memory
ifneq ($(filter aarch64 arm64,$(shell uname -m)),)
ISAS := neon scalar
UNITS_X86 :=
else
ISAS := avx512 avx2 scalar
UNITS_X86 := $(foreach p,exact theorem bounds errors seeds types alibi learned,$(p).gcc.neon.sleef.quick) \
             $(foreach p,exact theorem bounds memory rope splits types,$(p).gcc.sse2.none.quick) \
             algebra.clang.sse2.none.quick memory.clang.sse2.none.o0.quick exact.gcc.sse2.sleef.quick \
             $(foreach p,exact types theorem,$(p).gcc.scalar.none.fma.quick) types.gcc.avx512.none.native.quick
endif

# Slow ones first. Everything on every ISA; what differs from that in one way does a 16th of the work.
# For these the library is compiled once for each compiler and ISA, but for programs that know private functions.
INLINED := cpp budget learned selftest
BY_LINK  = $(if $(filter $(INLINED),$(1)),$(2),$(2).linked)
# CHECK_ISAS=avx512: only on that one, as .ci/run has it; make test has done a 16th on each by then.
CHECK_ISAS ?= $(ISAS)
UNITS := $(UNITS_X86) $(foreach p,$(PROGRAMS),$(foreach i,$(CHECK_ISAS),$(call BY_LINK,$(p),$(p).gcc.$(i).sleef))) \
         $(foreach p,$(PROGRAMS),$(call BY_LINK,$(p),$(p).clang.best.sleef.quick)) \
         $(foreach p,exact seeds splits,$(p).gcc.best.none.quick) exact.gcc.scalar.none.quick \
         $(foreach p,bounds splits memory,$(p).gcc.best.sleef.stream0.quick) memory.gcc.best.sleef.stream4k.quick \
         bounds.gcc.scalar.none.stream0.o0.quick \
         $(foreach p,bounds splits,$(p).gcc.best.sleef.asan.quick) \
         $(foreach p,errors memory tables,$(p).gcc.best.sleef.asan.o0.quick) \
         $(foreach p,memory selftest,$(foreach c,gcc clang,$(p).$(c).best.sleef.o0.quick)) \
         $(foreach p,splits memory,$(p).gcc.best.sleef.tsan.quick)
FUZZ := $(foreach h,api simd rope tables,fuzz-replay-$(h))
OTHERS := rooms levels certificates fixed-point gappa unfused fail modules cpus mca-loops warnings names unwritten api contract layout-holds extern readme links parity demo-runs tool-runs cost golden certify wasm explorer python api-pages gpu microcontroller

PACKAGING := package single-header library dist-runs release-runs debian
CHECK_LIBRARIES := $(CHECK_ISAS:%=library.gcc.%) library.clang.best
# CHECK_SKIP="readme": not these, as .ci/run has it where make test has done a part of them.
CHECK_SKIP ?=
CHECK_STEPS := $(filter-out $(CHECK_SKIP),$(CHECK_LIBRARIES) $(UNITS) $(FUZZ) $(OTHERS) $(PACKAGING))
CHECK_LOGS = $(BUILD)/log

.PHONY: check run-check check-steps $(UNITS) $(OTHERS) matrix
check: deps
	+@$(GUARD) $(SUBMAKE) run-check
run-check:
	@rm -rf $(CHECK_LOGS) && mkdir -p $(CHECK_LOGS) && date +%s >$(CHECK_LOGS)/start
	+@export PE_STEPS=$(words $(CHECK_STEPS) matrix); \
	$(SUBMAKE) -k $(PARALLEL) check-steps; status=$$?; \
	MATRIX=some $(SUBMAKE) matrix || status=1; \
	$(STEP) --summary && exit $$status
check-steps: $(CHECK_STEPS)

$(foreach i,$(CHECK_ISAS),$(eval $(filter %.gcc.$(i).sleef.linked,$(UNITS)): library.gcc.$(i)))
$(eval $(filter %.clang.best.sleef.quick.linked,$(UNITS)): library.clang.best)

# Any unit step can be named, also one that `make check` does not run.
$(UNITS):
	@$(STEP) $@ sh tests/tools/unit.sh $@
$(foreach p,$(PROGRAMS),$(eval $(p).%: ; @$(STEP) $$@ sh tests/tools/unit.sh $$@))

check-%:
	@[ -n "$(filter $*.%,$(UNITS))" ] || { echo "there is no unit test program '$*': $(PROGRAMS)"; exit 1; }
	+@$(GUARD) $(SUBMAKE) -k $(PARALLEL) $(filter $*.%,$(UNITS))

fail:
	@$(STEP) $@ sh tests/checks/fail.sh
modules:
	@$(STEP) $@ sh tests/checks/modules.sh
cpus:
	@$(STEP) $@ sh tests/checks/cpus.sh
mca-loops:
	@$(STEP) $@ sh tests/checks/mca.sh
rooms:
	@$(STEP) $@ sh tests/checks/headers.sh
certificates:
	@$(STEP) $@ sh tests/checks/theorem.sh
fixed-point:
	@$(STEP) $@ sh tests/checks/fixed.sh
.PHONY: theorem
theorem:
	@sh tests/checks/theorem.sh search
.PHONY: worst
worst:
	@sh tests/tools/worst.sh
levels gappa unfused warnings names unwritten api contract extern readme links parity cost golden certify wasm explorer python gpu microcontroller:
	@$(STEP) $@ sh tests/checks/$@.sh
# What the whole matrix needs beyond `make test` is installed first; some of it makes do with what is there.
matrix:
	@[ "$$MATRIX" = some ] || sh tests/tools/deps.sh matrix
	@$(STEP) $@ sh tests/tools/matrix.sh
demo-runs:
	@$(STEP) $@ sh tests/checks/demo.sh
api-pages:
	@$(STEP) $@ sh tests/checks/api_pages.sh
tool-runs:
	@$(STEP) $@ sh tests/checks/tool.sh
layout-holds:
	@$(STEP) $@ sh tests/checks/layout.sh
.PHONY: layout
layout:
	@sh tests/checks/layout.sh print

.PHONY: sweep
sweep:
	@$(GUARD) sh tests/tools/sweep.sh

.PHONY: fuzz fuzz-deps fuzz-replay $(FUZZ)
fuzz: fuzz-deps
	@$(GUARD) sh tests/fuzz/run.sh fuzz
fuzz-deps:
	@sh tests/tools/deps.sh fuzz
fuzz-replay: $(FUZZ)
$(FUZZ):
	@$(STEP) $@ sh tests/fuzz/run.sh replay $(@:fuzz-replay-%=%)

.PHONY: test-table
test-table:
	@sh tests/tools/table.sh

.PHONY: selfcheck
selfcheck:
	@$(GUARD) sh tests/tools/selfcheck.sh

.PHONY: mutation
mutation: deps
	@$(GUARD) sh tests/tools/mutation.sh

# ---- installing and packing -----------------------------------------------------------------------

.PHONY: lib declarations install install-lib uninstall single dist distcheck release
lib: $(BUILD)/libposenc.a
$(BUILD)/libposenc.a: pe.h pe_simd.h packaging/pe_lib.c packaging/lib.sh packaging/libposenc.map.in $(BUILD)/lib/settings
$(BUILD)/libposenc.a: $(HEADERS) packaging/pe_lib.c packaging/lib.sh
	@sh packaging/lib.sh
# Another compiler or other flags build it again.
$(BUILD)/lib/settings: FORCE
	@mkdir -p $(@D)
	@for v in "$$CC" "$$CPPFLAGS" "$$CFLAGS" "$$EXTRA_CFLAGS" "$$LDFLAGS" "$$AR"; do echo "$$v"; done >$@.now
	@cmp -s $@.now $@ || mv $@.now $@
FORCE:
declarations: $(BUILD)/pe_declarations.py $(BUILD)/pe_declarations.rs
$(BUILD)/pe_declarations.py: LANGUAGE := python
$(BUILD)/pe_declarations.rs: LANGUAGE := rust
$(BUILD)/pe_declarations.py $(BUILD)/pe_declarations.rs: pe.h packaging/declarations.py
	@mkdir -p $(BUILD)
	@python3 packaging/declarations.py $(LANGUAGE) >$@.tmp && mv $@.tmp $@
	@echo $@
.PHONY: wheel
wheel:
	@python3 python/posenc_build.py $(BUILD)
install-lib: lib
install install-lib uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' INCLUDEDIR='$(INCLUDEDIR)' PKGCONFIGDIR='$(PKGCONFIGDIR)' \
	LIBDIR='$(LIBDIR)' CMAKEDIR='$(CMAKEDIR)' sh packaging/install.sh $@

.PHONY: api-doc
api-doc:
	@sh docs/api/make.sh

.PHONY: page
page:
	@sh docs/page/make.sh

single:
	@sh packaging/single.sh

dist:
	@sh packaging/dist.sh

release:
	@sh packaging/release.sh

.PHONY: deb
deb:
	@sh packaging/deb.sh

.PHONY: $(PACKAGING)
package:
	@$(STEP) $@ sh tests/checks/package.sh
single-header:
	@$(STEP) $@ sh tests/checks/single.sh
library:
	@$(STEP) $@ sh tests/checks/library.sh
dist-runs:
	@$(STEP) $@ sh tests/checks/dist.sh
release-runs:
	@$(STEP) $@ sh tests/checks/release.sh
debian:
	@$(STEP) $@ sh tests/checks/debian.sh

distcheck:
	@$(GUARD) sh tests/checks/dist.sh full
# ---- verification: certified tables, golden hashes, everything in one command -------------------

.PHONY: certify-full golden-write verify verify-full
certify-full:
	@$(STEP) $@ sh tests/checks/certify.sh full
golden-write:
	@$(GUARD) sh tests/checks/golden.sh write
# What is to be run first comes first: `make verify` may run out of time. tests/tools/verify.sh asks for these.
UNITS_some := $(foreach p,$(PROGRAMS),$(p).gcc.best.sleef) $(OTHERS) \
              $(filter-out %.neon.sleef.quick,$(filter %.quick,$(UNITS)))
UNITS_full := $(UNITS) $(OTHERS)
.PHONY: units-some units-full list-units-some list-units-full
units-some units-full: units-%:
	+@$(SUBMAKE) -k $(PARALLEL) $(filter-out golden certify,$(UNITS_$*))
list-units-some list-units-full: list-units-%:
	@echo $(filter-out golden certify,$(UNITS_$*))
verify: deps
	+@exec env MAKE="$(SUBMAKE)" $(GUARD) sh tests/tools/verify.sh some
verify-full: deps
	+@exec env MAKE="$(SUBMAKE)" $(GUARD) sh tests/tools/verify.sh full

# ---- the rest ---------------------------------------------------------------------------------------

-include bench/bench.mk
include tests/tools/tools.mk

.PHONY: clean
clean:
	rm -rf $(BUILD)
