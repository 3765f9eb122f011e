# SPDX-License-Identifier: MIT
# What the Makefile and tests/steps.mk have in common. Everything written goes to BUILD.

BUILD  := build
CFLAGS ?= -O2
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

# What a user includes. Everything that compiles them depends on this line.
HEADERS := pe.h pe_simd.h

PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

# Written by tests/tools/deps.sh: HAVE_SLEEF, NATIVE_FLAGS, CPU_ISAS.
-include $(BUILD)/config.mk
