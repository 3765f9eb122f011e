# SPDX-License-Identifier: MIT
#
# pe is two headers: there is nothing to build before using it. This file runs the demo, the tests
# and the benchmarks. On a fresh machine with git, make and a C compiler, begin with
#
#     make demo
#     make test
#
# Everything written goes to build/. tests/run lists the steps of make test and make check, and runs them one by one.

.DEFAULT_GOAL := help
ISA ?= best

include tests/settings.mk

##   make demo        compute the paper's 512 x 512 table, time it, draw build/heatmap.png and build/clocks.png
##   make examples    build and run the other examples: angles noise regression dots table attention
##                    train_learned rope_decoder; their pictures go to build/. make NAME runs one;
##                    make answers MODEL=stories260K.bin, a model of llama2.c, what wrong angles do to answers
##   make tool        build/posenc, which reads a config.json and says which layers rotate what, what is
##                    odd, and prints frequencies and tables (needs json-c)
##   make headers     after a change in src/: make from it pe.h, pe_simd.h, pe_fixed.h and its shaders, docs/api.md,
##                    docs/names.md and packaging/functions.h. Commit them with the change
##
##   make quick       6 seconds, after make headers, for each changed line: the bits of all results on the best and the
##                    simplest instruction set, the sharpest tests of bounds and bad input
##   make test        8 minutes on two cores, for users and before each commit: does pe do on this machine
##                    what it promises? Elements against MPFR, the same bits on each instruction set of this
##                    CPU, RoPE, bad input, bounds, README's programs
##   make check       38 minutes on two cores, before a change is handed in: everything else that it has to
##                    pass. gcc and clang, AArch64, sanitizers, warnings, packaging, some of the matrix ...
##   tests/run        list the steps of these, and longer ones; tests/run exact.avx2 links runs two of them
##
##   make docs        build/api-doc/index.html, searchable pages of the contracts in pe.h (needs doxygen);
##                    docs/structure.svg; docs/explorer.html, a page to play with (needs emscripten)
##   make lib         build/libposenc.a and libposenc.so: all instruction sets, the best chosen at run time
##   make declarations   build/pe_declarations.py and .rs: all of pe.h for Python's ctypes and for Rust
##   make install     install the headers, posenc.pc and the CMake package in PREFIX (/usr/local), below
##                    DESTDIR if set, and posenc in PREFIX/bin if make tool built it. make install-lib also
##                    installs the library. make uninstall removes both
##   make release     build/release: the archive of the last commit, the headers, pe_single.h, the layout as
##                    JSON, the library as WebAssembly, checksums. Run make test and make check before
##   make peers       build/peers: a virtual environment with the programs that the tests compare pe with (transformers,
##                    torch, triton, gguf), at pinned versions; make check creates it too
##   make format      give all files of C and C++ the format of .clang-format (clang-format of a pinned version)
##   make deps        install what demo, test and check need (they also do it themselves)
##   make clean       remove build/
##   make bench       compare pe's speed with that of memory and of other libraries
##
## Variables: CC, CXX, CFLAGS (-O2), BUILD=build, JOBS=n; ISA=best|avx512|avx2|sse2|neon|scalar for demo,
## examples and tool; SLEEF=0|1 (default: 1 if installed); DEPS=0 installs nothing; STRICT=1 makes every
## skipped step a failure

.PHONY: help
help:
	@echo "pe: correctly rounded positional encodings. Include pe.h; nothing needs to be built."
	@echo
	@sed -n 's/^## \{0,1\}//p' Makefile bench/bench.mk

.PHONY: headers
headers:
	@sh generate/headers.sh
	@python3 generate/api.py index >docs/api.md
	@python3 generate/names.py >docs/names.md
	@python3 generate/declarations.py functions >packaging/functions.h

# ---- tests ------------------------------------------------------------------------------------------

.PHONY: quick test check deps
quick test check deps:
	+@$(MAKE) --no-print-directory -f tests/steps.mk $@

.PHONY: peers format
peers:
	@sh tests/tools/environment.sh $@
format:
	@sh tests/tools/environment.sh $@ && sh tests/checks/format.sh write

.PHONY: deps-demo deps-tool
deps-demo deps-tool:
	@sh tests/tools/deps.sh $(@:deps-%=%)

# ---- demo, examples, tool ---------------------------------------------------------------------------

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
	@$(MAKE) --no-print-directory run-demo

run-demo:
	$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) examples/demo.c -o $(BUILD)/demo $(PE_LIBS)
	@echo
	@$(BUILD)/demo $(BUILD)
	@sh examples/draw.sh $(BUILD) heatmap clocks

EXAMPLES := angles noise regression dots table attention train_learned rope_decoder
PICTURES_angles = angles angle
PICTURES_table = table curve preview
PICTURES  = $(patsubst %.gp,%,$(notdir $(wildcard examples/plots/$@.gp)))

.PHONY: examples run-examples answers $(EXAMPLES)
examples: deps-demo
	@$(MAKE) --no-print-directory run-examples

run-examples: $(EXAMPLES)
# The model is not part of the project: make answers MODEL=stories260K.bin
answers: ARGUMENTS = $(or $(MODEL),$(error MODEL= a checkpoint of llama2.c, such as stories260K.bin of Karpathy's tinyllamas))
$(EXAMPLES) answers:
	@mkdir -p $(BUILD)
	@$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) examples/$@.c -o $(BUILD)/$@ $(PE_LIBS)
	@echo "==== examples/$@.c"
	@$(BUILD)/$@ $(ARGUMENTS) $(BUILD)
	@sh examples/draw.sh $(BUILD) $(or $(PICTURES_$@),$(PICTURES))
	@echo

# The library json-c, and nothing else beyond the headers.
.PHONY: tool run-tool
tool: deps-tool
	@$(MAKE) --no-print-directory run-tool

run-tool:
	$(CC) -std=c99 $(CFLAGS) $(PE_FLAGS) tool/posenc.c $(LDFLAGS) -o $(BUILD)/posenc -ljson-c $(PE_LIBS)

# ---- the library, packages --------------------------------------------------------------------------

.PHONY: lib declarations install install-lib uninstall release docs clean FORCE
lib: $(BUILD)/libposenc.a
$(BUILD)/libposenc.a: $(HEADERS) packaging/pe_lib.c packaging/functions.h packaging/lib.sh packaging/libposenc.map.in $(BUILD)/lib/settings
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
$(BUILD)/pe_declarations.py $(BUILD)/pe_declarations.rs: pe.h generate/declarations.py
	@mkdir -p $(BUILD)
	@python3 generate/declarations.py $(LANGUAGE) >$@.tmp && mv $@.tmp $@
	@echo $@
install-lib: lib
install install-lib uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' BINDIR='$(BINDIR)' INCLUDEDIR='$(INCLUDEDIR)' PKGCONFIGDIR='$(PKGCONFIGDIR)' \
	LIBDIR='$(LIBDIR)' CMAKEDIR='$(CMAKEDIR)' sh packaging/install.sh $@


release:
	@sh packaging/release.sh
docs:
	@sh docs/api/make.sh
	@sh generate/structure.sh
	@if command -v emcc >/dev/null; then sh generate/explorer/make.sh; else echo "docs/explorer.html stays: emscripten is missing"; fi
clean:
	rm -rf $(BUILD)

-include bench/bench.mk
