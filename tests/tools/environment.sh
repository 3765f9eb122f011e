#!/bin/sh
# SPDX-License-Identifier: MIT
#
# environment.sh NAME: creates the virtual environment build/NAME with the packages that tests/requirements/NAME.txt
# pins, unless it already exists with these packages. It prints what is missing and returns 1 if the environment cannot
# be created: without the package index, with a Python that is too old, or with DEPS=0. A step that uses the environment
# calls environment() of tests/tools/lib.sh, which skips the step if the environment is missing.
set -u
. tests/tools/lib.sh
name=$1
requirements=tests/requirements/$name.txt to=$BUILD/$name

# The list of packages is copied to the environment at the end, so a copy that is equal shows that it is complete.
cmp -s "$requirements" "$to/requirements.txt" && "$to/bin/python" -c "" 2>/dev/null && exit 0
if [ "$DEPS" = 0 ]; then
    echo "environment: build/$name is missing (DEPS=0: nothing will be installed)"
    exit 1
fi
rm -rf "$to"
for python in ${PYTHON:-python3 /usr/bin/python3}; do
    $python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    $python -m venv "$to" >"$BUILD/$name.log" 2>&1 && break
    rm -rf "$to"
done
[ -d "$to" ] || {
    echo "environment: build/$name needs Python 3.11 or later, with venv"
    exit 1
}
echo "environment: installing $(grep -c == "$requirements") packages in build/$name    (DEPS=0 turns this off)"
"$to/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check -r "$requirements" >>"$BUILD/$name.log" 2>&1 || {
    echo "environment: pip could not install the packages of $requirements, see $BUILD/$name.log"
    rm -rf "$to"
    exit 1
}
cp "$requirements" "$to/requirements.txt"
