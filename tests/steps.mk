# SPDX-License-Identifier: MIT
#
# The steps of `make quick`, `make test` and `make check`, and everything that `tests/run` runs. tests/steps.txt says
# what each proves. A unit step is PROGRAM.ISA, PROGRAM.quick.ISA or PROGRAM.COMPILER.ISA.SLEEF[.VARIANT...];
# tests/tools/unit.sh builds and runs it.

include tests/settings.mk
MACHINE := $(shell uname -m)
SUBMAKE  = $(MAKE) --no-print-directory -f tests/steps.mk
# Ctrl-C and SIGTERM end all that a command started.
GUARD    = sh tests/tools/guard.sh
STEP     = sh tests/tools/step.sh
FUZZ_SECONDS ?= 60
export FUZZ_SECONDS FUZZ_ENGINE FUZZ_SANITIZE FUZZ_SEED FUZZ_FLAGS

.PHONY: FORCE deps deps-test deps-tools print-PARALLEL
FORCE:
print-PARALLEL:
	@echo $(PARALLEL)
# Where a skipped cell of the matrix is a failure its compilers are needed, too.
deps:
	@sh tests/tools/deps.sh $(if $(filter 1,$(STRICT)),matrix,check)
deps-test:
	@sh tests/tools/deps.sh test
deps-tools:
	@sh tests/tools/deps.sh tools

# ---- the library as an object -----------------------------------------------------------------------

# [COMPILER.]ISA.o: pe.h compiled once, for the programs that are linked with it. The script compiles where
# the headers, the flags or the compiler have changed.
library.%: FORCE
	@$(STEP) $@ sh tests/tools/linked.sh $*

# ---- make quick -------------------------------------------------------------------------------------

# Nothing is optimised: a compiler takes a second then, and the bits are the same.
QUICK_ISAS   = $(sort $(or $(lastword $(CPU_ISAS)),scalar) scalar)
QUICK_BEST   = $(foreach p,bounds memory errors,$(p).quick.$(or $(lastword $(CPU_ISAS)),scalar))
QUICK_STEPS  = headers-current $(QUICK_ISAS:%=library.quick.%) $(QUICK_ISAS:%=hash.quick.%) $(QUICK_BEST)
QUICK_LOGS   = $(BUILD)/log-quick

.PHONY: quick run-quick quick-steps
quick: $(if $(CPU_ISAS),,deps-test)
	+@$(GUARD) $(SUBMAKE) run-quick
run-quick:
	@rm -rf $(QUICK_LOGS) && mkdir -p $(QUICK_LOGS) && date +%s >$(QUICK_LOGS)/start
	+@export PE_LOGS=$(QUICK_LOGS) PE_STEPS=$(words $(QUICK_STEPS)); \
	$(SUBMAKE) -k $(PARALLEL) quick-steps; status=$$?; $(STEP) --summary && exit $$status
quick-steps: $(QUICK_STEPS)
$(foreach s,$(filter-out library.% headers-current,$(QUICK_STEPS)),$(eval $(s): library.quick.$(lastword $(subst ., ,$(s)))))

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
ifneq ($(filter aarch64 arm64,$(MACHINE)),)
ISAS := neon scalar
UNITS_X86 :=
else
ISAS := avx512 avx2 scalar
UNITS_X86 := $(foreach p,exact theorem bounds errors seeds types alibi,$(p).gcc.neon.sleef.quick.linked) \
             $(foreach p,exact theorem bounds memory rope splits types,$(p).gcc.sse2.sleef.quick.linked) \
             algebra.clang.sse2.none.quick memory.clang.sse2.none.o0.quick exact.gcc.sse2.none.quick \
             learned.gcc.neon.sleef.quick \
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
         $(foreach p,bounds splits errors memory tables,$(p).gcc.best.sleef.asan.o0.quick) \
         $(foreach p,memory selftest,$(foreach c,gcc clang,$(p).$(c).best.sleef.o0.quick)) \
         $(foreach p,splits memory,$(p).gcc.best.sleef.tsan.quick)
FUZZ := $(foreach h,api simd rope tables gguf npy compare,fuzz-replay-$(h))
OTHERS := rooms levels certificates fixed-point gappa unfused fail cpus mca-loops warnings names unwritten api contract layout-holds extern readme pages links workflows steps parity demo-runs tool-runs gguf compare oracle golden certify wasm explorer python api-pages gpu microcontroller

PACKAGING := package single-header library dist-runs release-runs debian
CHECK_LIBRARIES := $(CHECK_ISAS:%=library.gcc.%) library.clang.best $(if $(UNITS_X86),library.gcc.neon library.gcc.sse2)
# CHECK_SKIP="readme": not these, as .ci/run has it where make test has done a part of them.
CHECK_SKIP ?=
CHECK_STEPS := $(filter-out $(CHECK_SKIP),$(CHECK_LIBRARIES) $(UNITS) $(FUZZ) $(OTHERS) $(PACKAGING))
CHECK_LOGS = $(BUILD)/log

.PHONY: check run-check check-steps $(UNITS) $(OTHERS) matrix modules
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
$(foreach i,neon sse2,$(eval $(filter %.gcc.$(i).sleef.quick.linked,$(UNITS)): library.gcc.$(i)))

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
fixed-point:
	@$(STEP) $@ sh tests/checks/fixed.sh
certificates:
	@$(STEP) $@ sh tests/checks/theorem.sh
.PHONY: theorem-search
theorem-search:
	@sh tests/checks/theorem.sh search
.PHONY: worst
worst:
	@sh tests/tools/worst.sh
levels gappa unfused warnings names unwritten api contract extern readme pages links workflows steps parity gguf compare oracle golden certify wasm explorer python gpu microcontroller:
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

.PHONY: test-table list-test-steps list-check-steps
list-test-steps:
	@echo $(TEST_STEPS)
list-check-steps:
	@echo $(CHECK_STEPS) matrix
test-table:
	@sh tests/tools/table.sh

.PHONY: selfcheck
selfcheck:
	@$(GUARD) sh tests/tools/selfcheck.sh

.PHONY: mutation
mutation: deps
	@$(GUARD) sh tests/tools/mutation.sh

# ---- sanitizers -------------------------------------------------------------------------------------

# Without optimisation the compilers are done in seconds, and no access is optimised away; valgrind
# gets what users get. Every program under each tool on the widest vectors and without any; slow ones
# and what differs in little on fewer. bounds and splits of scalar code: `make test` has them.
S_PROGRAMS := exact bounds splits seeds errors types alibi learned rope_frequencies conventions models rope lists algebra
S_FEW      := $(filter-out bounds splits,$(S_PROGRAMS))
ifneq ($(filter aarch64 arm64,$(MACHINE)),)
S_WIDE := neon
S_OTHER :=
S_MSAN := neon scalar
S_MEMCHECK := neon scalar
else
S_WIDE := avx512
S_OTHER := avx2
S_MSAN := avx512 scalar
S_MEMCHECK := avx2 scalar
endif
SANITIZE := $(foreach i,$(S_MEMCHECK),hash.gcc.$(i).sleef.memcheck.quick) \
            $(foreach p,types learned rope,$(foreach i,$(S_MEMCHECK),$(p).gcc.$(i).none.memcheck.quick)) \
            errors.gcc.$(firstword $(S_MEMCHECK)).none.memcheck.quick \
            $(foreach p,$(S_PROGRAMS),$(p).gcc.$(S_WIDE).sleef.asan.o0.quick) \
            $(foreach p,$(S_FEW),$(p).gcc.scalar.none.asan.o0.quick) \
            $(foreach p,$(S_PROGRAMS),$(foreach i,$(S_OTHER),$(p).clang.$(i).sleef.asan.o0.quick)) \
            $(foreach p,$(S_FEW),$(p).clang.$(S_WIDE).none.ubsan.o0.quick) \
            $(foreach p,$(S_FEW),$(p).clang.scalar.sleef.ubsan.o0.quick) \
            $(foreach i,$(S_OTHER),$(foreach p,errors types alibi learned,$(p).clang.$(i).sleef.ubsan.o0.quick)) \
            $(foreach i,$(S_MSAN),hash.clang.$(i).none.msan.o0.quick) \
            errors.gcc.$(S_WIDE).sleef.stream0.asan.o0.quick splits.clang.$(S_WIDE).sleef.stream0.asan.o0.quick

.PHONY: sanitize run-sanitize sanitize-steps
sanitize: deps-tools
	+@$(GUARD) $(SUBMAKE) run-sanitize
run-sanitize:
	@rm -rf $(BUILD)/log-sanitize
	+@export PE_LOGS=$(BUILD)/log-sanitize PE_STEPS=$(words $(SANITIZE)); \
	$(SUBMAKE) -k $(PARALLEL) sanitize-steps; status=$$?; $(STEP) --summary && exit $$status
sanitize-steps: $(SANITIZE)

.PHONY: $(filter-out $(UNITS),$(SANITIZE))
$(filter-out $(UNITS),$(SANITIZE)):
	@$(STEP) $@ sh tests/tools/unit.sh $@
hash.%:
	@$(STEP) $@ sh tests/tools/unit.sh $@

# ---- static analysis, coverage ----------------------------------------------------------------------

.PHONY: analyze coverage coverage-table
analyze: deps-tools
	@$(STEP) $@ sh tests/tools/analyze.sh
	@cat $(BUILD)/log/$@.log
coverage: deps-tools
	@$(STEP) $@ sh tests/tools/coverage.sh
	@cat $(BUILD)/log/$@.log
coverage-table:
	@python3 tests/tools/coverage.py $(BUILD)/coverage --table docs/accuracy.md

# In `tests/run verify`: what takes seconds.
.PHONY: cppcheck
cppcheck:
	@$(STEP) $@ sh tests/tools/analyze.sh cppcheck

# ---- verification: certified tables, golden hashes, everything in one command -------------------

.PHONY: certify-full golden-write verify verify-full
certify-full:
	@$(STEP) $@ sh tests/checks/certify.sh full
golden-write:
	@$(GUARD) sh tests/checks/golden.sh write
# What is to be run first comes first: `tests/run verify` may run out of time. tests/tools/verify.sh asks for these.
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

# ---- packaging --------------------------------------------------------------------------------------

.PHONY: $(PACKAGING) distcheck
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
