# SPDX-License-Identifier: MIT
#
##
##   make bench-quick   lists cases; CASE=512x512 builds and measures one, beside SLEEF and others, in seconds
##   make bench-table   write the figures of the last `make bench` into README.md, docs/benchmarks.md and a page
##                      of this CPU's; on a machine that others share, too
##   make bench-plot    draw ns per pair against table size: bench/fill.svg, bench/fill.png
##   make bench-paired  this tree against another version, call by call, in turns: nothing may be
##                      slower. BASE=COMMIT or directory, PAIRED_ISA="avx512 avx2 scalar" (the best),
##                      PAIRED_ARGS='-f REGEX'
##   make bench-cost    code and compile time of small programs, beside those of BASE
##   make mca           cycles of the hot loops on other CPUs, by a model: docs/benchmarks-models.md
##   make gpu-bench     pe_fixed.h on this machine's GPU (nvcc): the bits of 10^9 pairs, tables and RoPE in place beside
##                      sincosf, doubles and an uploaded table. GPU_BENCH_ARGS='quick | SECONDS --pairs N'
##   make bench-deps    install what the benchmarks need (they do it themselves)
##
## Benchmark variables: BENCH_BUILDS (avx512 avx2 sse2 neon scalar), BENCH_FILTER (a regular expression on
## verb/shape/type/function/build), BENCH_ARGS (--cpu N, --repetitions N, --json FILE)

CXX          ?= g++
BENCH_OUT    := $(BUILD)/bench
ifneq ($(filter aarch64 arm64,$(shell uname -m)),)
BENCH_BUILDS ?= neon scalar
else
BENCH_BUILDS ?= avx512 avx2 scalar
BENCH_LIBMVEC = -lmvec
endif
BENCH_FILTER ?=
BENCH_ARGS   ?=
BENCH_SOURCES := $(wildcard bench/*.cpp)
BENCH_LIBS    = -lbenchmark -lsleef $(BENCH_LIBMVEC) -lmpfr -lm -lpthread
BENCH_WARNINGS = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef \
                 -Wdouble-promotion -Wcast-qual
# The builds differ in nothing but these.
BENCH_avx512  = -march=x86-64-v4 -DPE_ISA=PE_ISA_AVX512 -DPE_SLEEF=1
BENCH_avx2    = -march=x86-64-v3 -DPE_ISA=PE_ISA_AVX2 -DPE_SLEEF=1
BENCH_sse2    = -march=x86-64 -DPE_ISA=PE_ISA_SSE2 -DPE_SLEEF=0
BENCH_neon    = -DPE_ISA=PE_ISA_NEON -DPE_SLEEF=1
BENCH_scalar  = $(if $(BENCH_LIBMVEC),-march=x86-64) -DPE_ISA=PE_ISA_SCALAR -DPE_SLEEF=0
# Highway wants AES for its wide targets, which the sines do not use.
BENCH_FLAGS   = -std=c++17 $(CFLAGS) $(BENCH_WARNINGS) -I. -isystem /usr/include/eigen3 \
                -DHWY_DISABLE_PCLMUL_AES $(EXTRA_CFLAGS) \
                -DBENCH_COMPILER='"$(shell $(CXX) --version | head -1) $(CFLAGS)"'

.PHONY: bench bench-quick bench-quick-deps bench-case bench-case-run bench-deps bench-programs bench-table \
        bench-summary bench-plot
bench-deps:
	@sh bench/deps.sh

BENCH_RUN = python3 bench/bench.py run $(if $(BENCH_FILTER),--filter '$(BENCH_FILTER)') \
            $(foreach b,$(BENCH_BUILDS),$(BENCH_OUT)/bench-$(b))

bench: bench-deps
	@$(MAKE) --no-print-directory $(PARALLEL) bench-programs
	@$(BENCH_RUN) --json $(BENCH_OUT)/bench.json $(BENCH_ARGS)
	@python3 bench/cost.py --json $(BENCH_OUT)/cost.json

# One case: the program has one source of rows, on the best instruction set of this CPU, or QUICK_BUILD=avx2.
QUICK_BUILD ?= $(or $(firstword $(filter $(CPU_ISAS),$(BENCH_BUILDS))),scalar)
CASE ?=
bench-quick:
	@case=$$(python3 bench/bench.py cases $(CASE)) || exit 1; \
	if [ -z "$(CASE)" ]; then echo "$$case"; else \
	    $(MAKE) --no-print-directory QUICK_SOURCE="$${case%% *}" QUICK_ROWS="$${case#* }" $(PARALLEL) bench-case; fi
bench-case: bench-quick-deps
	@$(MAKE) --no-print-directory QUICK_SOURCE=$(QUICK_SOURCE) QUICK_ROWS='$(QUICK_ROWS)' bench-case-run
bench-case-run: $(BENCH_OUT)/$(QUICK_SOURCE)-$(QUICK_BUILD)
	@python3 bench/bench.py run --quick --filter '$(QUICK_ROWS)' $< $(BENCH_ARGS)
bench-quick-deps: deps-demo
	@sh bench/deps.sh quick

# Version 0.1.
BASE ?= 0207033
.PHONY: bench-paired bench-cost
bench-paired:
	@PAIRED_ARGS='$(PAIRED_ARGS)' sh bench/paired.sh $(BASE) $(PAIRED_ISA)
bench-cost:
	@python3 bench/cost.py --base $(BASE)

bench-programs: $(foreach b,$(BENCH_BUILDS),$(BENCH_OUT)/bench-$(b))

define BENCH_RULES
$(BENCH_OUT)/$(1)/%.o: bench/%.cpp bench/bench.mk $(wildcard bench/*.hpp pe.h pe_simd.h)
	@mkdir -p $$(@D)
	$$(CXX) $$(BENCH_FLAGS) $$(BENCH_$(1)) -DBENCH_BUILD='"$(1)"' -c $$< -o $$@
$(BENCH_OUT)/bench-$(1): $(patsubst bench/%.cpp,$(BENCH_OUT)/$(1)/%.o,$(BENCH_SOURCES))
	$$(CXX) $$^ -o $$@ $$(BENCH_LIBS)
$(BENCH_OUT)/%-$(1): $(BENCH_OUT)/$(1)/main.o $(BENCH_OUT)/$(1)/roof.o $(BENCH_OUT)/$(1)/%.o
	$$(CXX) $$^ -o $$@ $$(BENCH_LIBS)
endef
$(foreach b,$(BENCH_BUILDS),$(eval $(call BENCH_RULES,$(b))))

$(BENCH_OUT)/bench.json:
	@$(MAKE) --no-print-directory bench

bench-table: $(BENCH_OUT)/bench.json
	@python3 bench/bench.py table $< docs/benchmarks.md
	@$(MAKE) --no-print-directory bench-summary

# Writes the table of README.md from the pages of two CPUs.
bench-summary:
	@python3 bench/bench.py summary README.md docs/benchmarks-zen5.md docs/benchmarks-zen4.md

bench-plot: $(BENCH_OUT)/bench.json
	@python3 bench/bench.py plot $< bench/fill

# Writes what llvm-mca says of the hot loops on CPUs that are not available here.
.PHONY: mca
mca: pe.h pe_simd.h
	@python3 bench/mca.py docs/benchmarks-models.md

# Status 77 means that there is no nvcc or no GPU.
.PHONY: gpu-bench
gpu-bench:
	@sh bench/gpu/run.sh $(GPU_BENCH_ARGS) || [ $$? = 77 ]
