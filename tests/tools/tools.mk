# SPDX-License-Identifier: MIT
#
##
##   make sanitize    the unit programs under ASan and UBSan, on every ISA of this CPU (but budget, cpp, memory
##                    and selftest: make memory.gcc.best.sleef.asan.o0); all calls under MSan (AVX-512 or NEON,
##                    scalar), all calls and some programs under valgrind (AVX2 or NEON, scalar)
##   make analyze     gcc -fanalyzer, clang's analyzer, clang-tidy and cppcheck: no finding
##   make cppcheck    cppcheck alone, as in `make verify`
##   make coverage    lines and branches of the headers that the tests reach, on every ISA
##   make coverage-table   write the figures of the last `make coverage` into docs/accuracy.md
##   make tools-deps  install what these need (they do it themselves)

.PHONY: tools-deps
tools-deps:
	@sh tests/tools/deps.sh tools

# ---- sanitizers -------------------------------------------------------------------------------------

# Without optimisation the compilers are done in seconds, and no access is optimised away; valgrind
# gets what users get. Every program under each tool on the widest vectors and without any; slow ones
# and what differs in little on fewer. bounds and splits of scalar code: `make test` has them.
S_PROGRAMS := exact bounds splits seeds errors types alibi learned rope_frequencies conventions models rope lists algebra
S_FEW      := $(filter-out bounds splits,$(S_PROGRAMS))
ifneq ($(filter aarch64 arm64,$(shell uname -m)),)
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
sanitize: tools-deps
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
analyze: tools-deps
	@$(STEP) $@ sh tests/tools/analyze.sh
	@cat $(BUILD)/log/$@.log
coverage: tools-deps
	@$(STEP) $@ sh tests/tools/coverage.sh
	@cat $(BUILD)/log/$@.log
coverage-table:
	@python3 tests/tools/coverage.py $(BUILD)/coverage --table docs/accuracy.md

# In `make verify`: what takes seconds.
.PHONY: cppcheck
cppcheck:
	@$(STEP) $@ sh tests/tools/analyze.sh cppcheck
