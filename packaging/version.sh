# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# VERSION, from pe.h alone. Sourced from the top of the tree, never run.
VERSION=$(sed -n 's/^#define PE_VERSION_STRING "\([0-9.]*\)"$/\1/p' pe.h)
[ -n "$VERSION" ] || {
    echo "pe.h does not say PE_VERSION_STRING"
    exit 1
}
# The versions that a compiled program may be run with: those with its first two numbers, see CHANGELOG.md.
SERIES=${VERSION%.*}
