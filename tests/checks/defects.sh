#!/bin/sh
# SPDX-License-Identifier: MIT
#
# defects.sh: checks that each defect that `tests/run selfcheck` puts into a file still has its place there. The
# self-check takes half an hour and runs once a week. This check takes seconds, so whoever changes the code of a place
# learns it at once, and moves the defect in tests/tools/mutate.sh.
exec sh tests/tools/selfcheck.sh places
