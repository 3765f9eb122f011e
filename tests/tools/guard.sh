#!/bin/sh
# SPDX-License-Identifier: MIT
#
# guard.sh COMMAND...: run a command of which nothing stays behind when it is interrupted.
set -u
. tests/tools/lib.sh
guarded "$@"
