#!/bin/sh
# SPDX-License-Identifier: MIT
#
# guard.sh COMMAND...: runs a command. If it is interrupted, all processes that it started end also.
set -u
. tests/tools/lib.sh
guarded "$@"
