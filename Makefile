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
SLEEF  ?=
DEPS   ?= 1
STRICT ?= 0
GCC    ?= gcc
GXX    ?= g++
CLANG  ?= clang
CLANGXX ?= clang++
JOBS   ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# Homebrew keeps its libraries where no compiler looks by itself.
ifeq ($(shell uname -s),Darwin)
BREW := $(shell brew --prefix 2>/dev/null)
ifneq ($(BREW),)
EXTRA_CFLAGS ?= -I$(BREW)/include -L$(BREW)/lib
endif
endif

export BUILD CC GCC GXX CLANG CLANGXX SLEEF DEPS STRICT JOBS EXTRA_CFLAGS

SUBMAKE  = $(MAKE) --no-print-directory
# All cores, unless the caller chose a number of jobs.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

##   make demo        compute the paper's 512 x 512 table, time it, draw build/heatmap.png, clocks.png
##   make examples    build and run the other examples, each with one idea: regression dots table
##                    attention train_learned rope_decoder; their pictures go to build/
##   make test        all tests: exact bits on every ISA, the bit-identity matrix, bad input, ...
##   make bench       benchmarks against the memory roof and other libraries
##
##   make deps        install what demo and test need (they do it themselves)
##   make check-X     one unit test program on every ISA; X: exact seeds errors bounds splits types alibi learned cpp
##                    rope_frequencies conventions rope algebra memory
##   make X.COMPILER.ISA.SLEEF   one of them, e.g. exact.gcc.avx2.none  (see tests/unit.sh)
##   make matrix      the same bits from every ISA, compiler, -O level, standard, SLEEF and none
##   make fail        programs that must not compile, and the message they must give
##   make warnings    no warnings: gcc and clang, C99 to C17, C++11 to C++17
##   make api         every public function is in the tests of memory and in the hash of bits
##   make sweep       guard pages at every number of rows to 64 and every width to 513, on every ISA
##   make selfcheck   break the library on purpose; the tests must notice
##   make clean       remove build/
##
## Variables: CC, CFLAGS (-O2), ISA=best|avx512|avx2|neon|scalar, SLEEF=0|1 (default: if it is there),
## DEPS=0 installs nothing, STRICT=1 makes every skipped step a failure, JOBS=n

.PHONY: help
help:
	@echo "pe: correctly rounded positional encodings. Include pe.h; nothing needs to be built."
	@echo
	@sed -n 's/^## \{0,1\}//p' $(MAKEFILE_LIST)

# ---- what is needed -------------------------------------------------------------------------------

.PHONY: deps deps-demo
deps:
	@sh tests/deps.sh test

deps-demo:
	@sh tests/deps.sh demo

# Written by deps: HAVE_SLEEF, HAVE_PNG, NATIVE_FLAGS.
-include $(BUILD)/config.mk

# ---- demo -------------------------------------------------------------------------------------------

ISA_best   = $(NATIVE_FLAGS)
ISA_avx512 = -mavx512f -DPE_ISA=PE_ISA_AVX512
ISA_avx2   = -mavx2 -mfma -DPE_ISA=PE_ISA_AVX2
ISA_neon   = -DPE_ISA=PE_ISA_NEON
ISA_scalar = -DPE_ISA=PE_ISA_SCALAR
ISA_FLAGS  = $(if $(filter undefined,$(origin ISA_$(ISA))),$(error ISA=$(ISA) is not one of best avx512 avx2 neon scalar),$(ISA_$(ISA)))

USE_SLEEF  = $(or $(SLEEF),$(HAVE_SLEEF),0)
PE_FLAGS   = $(ISA_FLAGS) -DPE_SLEEF=$(USE_SLEEF) -I. $(EXTRA_CFLAGS)
PE_LIBS    = $(if $(filter 1,$(USE_SLEEF)),-lsleef) -lm
USE_PNG    = $(or $(PNG),$(HAVE_PNG),0)

.PHONY: demo run-demo
demo: deps-demo
	@$(SUBMAKE) run-demo

run-demo:
	$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) -DDEMO_PNG=$(USE_PNG) examples/demo.c -o $(BUILD)/demo $(if $(filter 1,$(USE_PNG)),-lpng) $(PE_LIBS)
	@echo
	@$(BUILD)/demo $(BUILD)

EXAMPLES := regression dots table attention train_learned rope_decoder

.PHONY: examples run-examples $(EXAMPLES)
examples: deps-demo
	@$(SUBMAKE) run-examples

run-examples: $(EXAMPLES)
$(EXAMPLES):
	@mkdir -p $(BUILD)
	@$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) -DDEMO_PNG=$(USE_PNG) examples/$@.c -o $(BUILD)/$@ $(if $(filter 1,$(USE_PNG)),-lpng) $(PE_LIBS)
	@echo "==== examples/$@.c"
	@$(BUILD)/$@ $(BUILD)
	@echo

# ---- tests ------------------------------------------------------------------------------------------

# A unit step is PROGRAM.COMPILER.ISA.SLEEF[.VARIANT...]; tests/unit.sh builds and runs it.
PROGRAMS := exact seeds errors bounds splits types alibi learned cpp
PROGRAMS += rope_frequencies conventions rope algebra memory
ifneq ($(filter aarch64 arm64,$(shell uname -m)),)
ISAS := neon scalar
UNITS_X86 :=
else
ISAS := avx512 avx2 scalar
UNITS_X86 := $(foreach p,exact bounds errors seeds types alibi learned,$(p).gcc.neon.sleef.quick) \
             $(foreach p,exact types,$(p).gcc.scalar.none.fma.quick) $(foreach i,avx512 avx2,types.gcc.$(i).none.native.quick)
endif

# Slow ones first. Everything on every ISA; what differs from that in one way does a 16th of the work.
UNITS := $(UNITS_X86) $(foreach p,$(PROGRAMS),$(foreach i,$(ISAS),$(p).gcc.$(i).sleef)) \
         $(foreach p,$(PROGRAMS),$(p).clang.best.sleef.quick) \
         $(foreach p,exact seeds splits,$(p).gcc.best.none.quick) exact.gcc.scalar.none.quick \
         $(foreach p,bounds splits,$(p).gcc.best.sleef.stream0.quick) \
         $(foreach p,errors bounds splits memory,$(p).gcc.best.sleef.asan.quick) \
         $(foreach p,splits memory,$(p).gcc.best.sleef.tsan.quick)
OTHERS := fail warnings names api readme parity demo-runs cost

.PHONY: test test-steps $(UNITS) $(OTHERS) matrix
test: deps
	@rm -rf $(BUILD)/log
	@$(SUBMAKE) -k $(PARALLEL) test-steps; status=$$?; \
	MATRIX=some $(SUBMAKE) matrix || status=1; \
	sh tests/step.sh --summary && exit $$status

test-steps: $(UNITS) $(OTHERS)

# Any unit step can be named, also one that `make test` does not run.
$(UNITS):
	@sh tests/step.sh $@ sh tests/unit.sh $@
$(foreach p,$(PROGRAMS),$(eval $(p).%: ; @sh tests/step.sh $$@ sh tests/unit.sh $$@))

check-%:
	@$(SUBMAKE) -k $(PARALLEL) $(filter $*.%,$(UNITS))

fail:
	@sh tests/step.sh $@ sh tests/fail/run.sh
warnings names api readme parity cost matrix:
	@sh tests/step.sh $@ sh tests/$@.sh
demo-runs:
	@sh tests/step.sh $@ sh tests/demo.sh

.PHONY: sweep
sweep:
	@sh tests/sweep.sh

.PHONY: selfcheck
selfcheck:
	@sh tests/selfcheck.sh

# ---- the rest ---------------------------------------------------------------------------------------

-include bench/bench.mk

.PHONY: clean
clean:
	rm -rf $(BUILD)
