# SPDX-License-Identifier: MIT
#
# The steps of `make quick`, `make test` and `make check`, and everything that `tests/run` runs. tests/steps.txt lists
# them and says what each proves. Steps of unit/, fuzz/ and checks/ get their rules from that list; those of tools/ have a
# rule here. A unit step is PROGRAM.ISA, PROGRAM.quick.ISA or PROGRAM.COMPILER.ISA.SLEEF[.VARIANT...];
# tests/tools/unit.sh builds and runs it.

include tests/settings.mk
# The programs that test the rotation of heads.
ROPE := rope_rotate rope_call rope_refused rope_plan rope_tokens rope_table rope_ggml
# The lists FOLDER.WORD, such as unit.test and checks.hand, and script.NAME, the script of each step.
$(foreach assignment,$(shell sh tests/tools/listed.sh),$(eval $(assignment)))
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
# If a skipped cell of the matrix is a failure (STRICT=1), this also installs the compilers of the matrix.
deps:
	@sh tests/tools/deps.sh $(if $(filter 1,$(STRICT)),matrix,check)
deps-test:
	@sh tests/tools/deps.sh test
deps-tools:
	@sh tests/tools/deps.sh tools

# ---- checks, fuzzing inputs -------------------------------------------------------------------------

CHECKS := $(sort $(checks.test) $(checks.check) $(checks.hand))
.PHONY: $(CHECKS) $(fuzz.check)
$(CHECKS):
	@$(STEP) $@ sh $(subst :, ,$(script.$@))
# Checks with the word `peers` or `format` use the environment of that name. Where it cannot be created, they say SKIP.
$(checks.peers): environment-peers
$(checks.format): environment-format
.PHONY: environment-peers environment-format
environment-peers environment-format:
	@sh tests/tools/environment.sh $(@:environment-%=%) || true
$(fuzz.check):
	@$(STEP) $@ sh tests/fuzz/run.sh replay $(@:fuzz-replay-%=%)

# ---- the library as an object -----------------------------------------------------------------------

# [COMPILER.]ISA.o: pe.h compiled once, for the programs that are linked with it. The script compiles where
# the headers, the flags or the compiler have changed.
library.%: FORCE
	@$(STEP) $@ sh tests/tools/linked.sh $*

# ---- make quick -------------------------------------------------------------------------------------

# Nothing is optimised: a compiler takes a second then, and the bits are the same.
QUICK_ISAS   = $(sort $(or $(lastword $(CPU_ISAS)),scalar) scalar)
QUICK_BEST   = $(foreach p,bounds memory errors,$(p).quick.$(or $(lastword $(CPU_ISAS)),scalar))
QUICK_STEPS  = headers $(QUICK_ISAS:%=library.quick.%) $(QUICK_ISAS:%=hash.quick.%) $(QUICK_BEST)
QUICK_LOGS   = $(BUILD)/log-quick

.PHONY: quick run-quick quick-steps
quick: $(if $(CPU_ISAS),,deps-test)
	+@$(GUARD) $(SUBMAKE) run-quick
run-quick:
	@rm -rf $(QUICK_LOGS) && mkdir -p $(QUICK_LOGS) && date +%s >$(QUICK_LOGS)/start
	+@export PE_LOGS=$(QUICK_LOGS) PE_STEPS=$(words $(QUICK_STEPS)); \
	$(SUBMAKE) -k $(PARALLEL) quick-steps; status=$$?; $(STEP) --summary && exit $$status
quick-steps: $(QUICK_STEPS)
$(foreach s,$(filter-out library.% headers,$(QUICK_STEPS)),$(eval $(s): library.quick.$(lastword $(subst ., ,$(s)))))

# ---- make test --------------------------------------------------------------------------------------

# For each instruction set of this CPU the library is compiled once (library.ISA), and every unit program in C is linked
# with it (PROGRAM.ISA). Those in C++ run on the best instruction set only.
IN_CPP     := $(foreach p,$(unit.test),$(if $(filter %.cpp,$(script.$(p))),$(p)))
LINKED     := $(filter-out $(IN_CPP),$(unit.test))
LIBRARIES  := $(foreach i,avx512 avx2 sse2 neon scalar best,library.$(i))
LINKED_ALL := $(foreach l,$(LIBRARIES),$(foreach p,$(unit.test),$(l:library.%=$(p).%)))
# SSE2, where there is more, has some: it is what the operations are on other vectors of two doubles.
TEST_ISAS   = $(or $(filter-out $(if $(filter avx2,$(CPU_ISAS)),sse2),$(CPU_ISAS)),scalar)
TEST_SSE2   = $(if $(filter avx2,$(CPU_ISAS)),library.sse2 types.sse2 hash.sse2)
TEST_STEPS  = $(TEST_ISAS:%=library.%) $(TEST_SSE2) $(checks.test) $(IN_CPP:%=%.$(lastword $(TEST_ISAS))) \
              $(foreach p,$(LINKED),$(TEST_ISAS:%=$(p).%))
TEST_LOGS   = $(BUILD)/log-test

.PHONY: test run-test test-steps $(LINKED_ALL)
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

# ---- make check -------------------------------------------------------------------------------------

ifneq ($(filter aarch64 arm64,$(MACHINE)),)
ISAS := neon scalar
UNITS_X86 :=
else
ISAS := avx512 avx2 scalar
UNITS_X86 := $(foreach p,exact theorem bounds errors seeds types alibi,$(p).gcc.neon.sleef.quick.linked) \
             $(foreach p,exact theorem bounds memory $(ROPE) splits types,$(p).gcc.sse2.sleef.quick.linked) \
             algebra.clang.sse2.none.quick memory.clang.sse2.none.o0.quick exact.gcc.sse2.none.quick \
             learned.gcc.neon.sleef.quick \
             $(foreach p,exact types theorem,$(p).gcc.scalar.none.fma.quick) types.gcc.avx512.none.native.quick
endif

# Everything on every ISA; what differs from that in one way does a 16th of the work. The library is compiled once for
# each compiler and ISA, and linked with all programs that do not compile private functions of it themselves.
BY_LINK  = $(if $(filter $(unit.inlined),$(1)),$(2),$(2).linked)
# The library compiled by clang with -ffast-math, and the library under MemorySanitizer, each with unit programs that are
# compiled without (tests/tools/unit.sh). `make check` runs the programs that have NaNs, and those that call the most
# code; the steps fast and msan run all programs on each instruction set, once a week.
OUTSIDE    := $(filter-out $(unit.inlined),$(unit.test))
FAST       := $(foreach i,$(CPU_ISAS),library.fast.$(i) $(OUTSIDE:%=%.fast.$(i).none.quick.linked))
FAST_SHORT := $(foreach p,errors conventions models $(ROPE) types,$(p).fast.best.none.quick.linked)
MSAN       := $(foreach i,$(filter-out avx2,$(CPU_ISAS)),library.msan.$(i) $(OUTSIDE:%=%.msan.$(i).none.quick.linked))
MSAN_ISA   := $(or $(lastword $(filter-out avx2,$(CPU_ISAS))),scalar)
MSAN_SHORT := $(foreach p,bounds errors models tables types,$(p).msan.$(MSAN_ISA).none.quick.linked)
# CHECK_ISAS=avx512: only on that one, as .ci/run has it; make test has done a 16th on each by then.
CHECK_ISAS ?= $(ISAS)
UNITS := $(UNITS_X86) $(foreach p,$(unit.check),$(foreach i,$(CHECK_ISAS),$(call BY_LINK,$(p),$(p).gcc.$(i).sleef))) \
         $(foreach p,$(unit.check),$(call BY_LINK,$(p),$(p).clang.best.sleef.quick)) \
         $(foreach p,exact seeds splits,$(p).gcc.best.none.quick) exact.gcc.scalar.none.quick \
         $(foreach p,bounds splits memory,$(p).gcc.best.sleef.stream0.quick) memory.gcc.best.sleef.stream4k.quick \
         bounds.gcc.scalar.none.stream0.o0.quick \
         $(foreach p,bounds splits errors memory tables,$(p).gcc.best.sleef.asan.o0.quick) \
         $(foreach p,memory selftest,$(foreach c,gcc clang,$(p).$(c).best.sleef.o0.quick)) \
         $(foreach p,splits memory,$(p).gcc.best.sleef.tsan.quick) $(FAST_SHORT) $(MSAN_SHORT)
CHECK_LIBRARIES := $(CHECK_ISAS:%=library.gcc.%) library.clang.best library.fast.best library.msan.$(MSAN_ISA) $(if $(UNITS_X86),library.gcc.neon library.gcc.sse2)
# CHECK_SKIP="readme": not these, as .ci/run has it where make test has done a part of them.
CHECK_SKIP ?=
CHECK_STEPS := $(filter-out $(CHECK_SKIP),$(CHECK_LIBRARIES) $(UNITS) $(fuzz.check) $(checks.check))
CHECK_LOGS = $(BUILD)/log

.PHONY: check run-check check-steps $(UNITS) matrix
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
$(foreach c,fast msan,$(foreach i,best $(CPU_ISAS),$(eval $(OUTSIDE:%=%.$(c).$(i).none.quick.linked): library.$(c).$(i))))

# Any unit step can be named, also one that `make check` does not run.
$(UNITS):
	@$(STEP) $@ sh tests/tools/unit.sh $@
$(foreach p,$(sort $(unit.test) $(unit.check)),$(eval $(p).%: ; @$(STEP) $$@ sh tests/tools/unit.sh $$@))

check-%:
	@[ -n "$(filter $*.%,$(UNITS))" ] || { echo "there is no unit test program '$*': $(unit.check)"; exit 1; }
	+@$(GUARD) $(SUBMAKE) -k $(PARALLEL) $(filter $*.%,$(UNITS))

.PHONY: worst
worst:
	@sh tests/tools/worst.sh
# What the whole matrix needs beyond `make test` is installed first; some of it makes do with what is there.
matrix:
	@[ "$$MATRIX" = some ] || sh tests/tools/deps.sh matrix
	@$(STEP) $@ sh tests/tools/matrix.sh

.PHONY: sweep
sweep:
	@$(GUARD) sh tests/tools/sweep.sh

.PHONY: fuzz fuzz-deps fuzz-replay
fuzz: fuzz-deps
	@$(GUARD) sh tests/fuzz/run.sh fuzz
fuzz-deps:
	@sh tests/tools/deps.sh fuzz
fuzz-replay: $(fuzz.check)

.PHONY: list-test-steps list-check-steps
list-test-steps:
	@echo $(TEST_STEPS)
list-check-steps:
	@echo $(CHECK_STEPS) matrix

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
S_PROGRAMS := exact bounds splits seeds errors types alibi learned rope_frequencies conventions models lists algebra \
              $(ROPE)
S_FEW      := $(filter-out bounds splits,$(S_PROGRAMS))
ifneq ($(filter aarch64 arm64,$(MACHINE)),)
S_WIDE := neon
S_OTHER :=
S_MEMCHECK := neon scalar
else
S_WIDE := avx512
S_OTHER := avx2
S_MEMCHECK := avx2 scalar
endif
SANITIZE := $(foreach i,$(S_MEMCHECK),hash.gcc.$(i).sleef.memcheck.quick) \
            $(foreach p,types learned $(ROPE),$(foreach i,$(S_MEMCHECK),$(p).gcc.$(i).none.memcheck.quick)) \
            errors.gcc.$(firstword $(S_MEMCHECK)).none.memcheck.quick \
            $(foreach p,$(S_PROGRAMS),$(p).gcc.$(S_WIDE).sleef.asan.o0.quick) \
            $(foreach p,$(S_FEW),$(p).gcc.scalar.none.asan.o0.quick) \
            $(foreach p,$(S_PROGRAMS),$(foreach i,$(S_OTHER),$(p).clang.$(i).sleef.asan.o0.quick)) \
            $(foreach p,$(S_FEW),$(p).clang.$(S_WIDE).none.ubsan.o0.quick) \
            $(foreach p,$(S_FEW),$(p).clang.scalar.sleef.ubsan.o0.quick) \
            $(foreach i,$(S_OTHER),$(foreach p,errors types alibi learned,$(p).clang.$(i).sleef.ubsan.o0.quick)) \
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

# Both compile the library once for each instruction set of this CPU, and link each program with it.
.PHONY: fast msan run-fast run-msan fast-steps msan-steps
fast msan: deps-tools
	+@$(GUARD) $(SUBMAKE) run-$@
run-fast run-msan: run-%:
	@rm -rf $(BUILD)/log-$*
	+@export PE_LOGS=$(BUILD)/log-$* PE_STEPS=$(words $(if $(filter fast,$*),$(FAST),$(MSAN))); \
	$(SUBMAKE) -k $(PARALLEL) $*-steps; status=$$?; $(STEP) --summary && exit $$status
fast-steps: $(FAST)
msan-steps: $(MSAN)

# ---- static analysis, coverage ----------------------------------------------------------------------

.PHONY: analyze coverage coverage-table
analyze: deps-tools
	@$(STEP) $@ sh tests/tools/analyze.sh
	@cat $(BUILD)/log/$@.log
coverage: deps-tools
	@$(STEP) $@ sh tests/tools/coverage.sh
	@cat $(BUILD)/log/$@.log
coverage-table:
	@sh tests/tools/coverage.sh table

# In `tests/run verify`: what takes seconds.
.PHONY: analyze-cppcheck
analyze-cppcheck:
	@$(STEP) $@ sh tests/tools/analyze.sh cppcheck

# ---- verification: certified tables, golden hashes, everything in one command -------------------

.PHONY: verify verify-full
# What is to be run first comes first: `tests/run verify` may run out of time. tests/tools/verify.sh asks for these.
UNITS_OTHERS := $(filter-out golden certify $(checks.packaging),$(checks.check))
UNITS_some := $(foreach p,$(unit.check),$(p).gcc.best.sleef) $(UNITS_OTHERS) \
              $(filter-out %.neon.sleef.quick,$(filter %.quick,$(UNITS)))
UNITS_full := $(UNITS) $(UNITS_OTHERS)
.PHONY: units-some units-full list-units-some list-units-full
units-some units-full: units-%:
	+@$(SUBMAKE) -k $(PARALLEL) $(UNITS_$*)
list-units-some list-units-full: list-units-%:
	@echo $(UNITS_$*)
verify: deps
	+@exec env MAKE="$(SUBMAKE)" $(GUARD) sh tests/tools/verify.sh some
verify-full: deps
	+@exec env MAKE="$(SUBMAKE)" $(GUARD) sh tests/tools/verify.sh full
