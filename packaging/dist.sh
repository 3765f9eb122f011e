#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dist.sh [tree] [OUT]: writes the archive OUT, by default build/posenc-VERSION.tar.gz, from HEAD. The same commit gives
# the same bytes. With "tree", which is for tests, the archive has the tracked files as they are now, committed or not.
set -eu
. ./packaging/version.sh
what=HEAD
if [ "${1:-}" = tree ]; then
    shift
    what=
fi
out=${1:-${BUILD:-build}/posenc-$VERSION.tar.gz}
mkdir -p "$(dirname "$out")"
# The checkout must be that of pe. A git repository around an unpacked archive does not count.
git ls-files --error-unmatch pe.h >/dev/null 2>&1 || {
    echo "dist needs a git checkout of pe"
    exit 1
}

if [ -z "$what" ]; then
    # The tree is committed with a separate index, as a commit that no branch contains.
    index=$(mktemp "${BUILD:-build}/index.XXXXXX")
    trap 'rm -f "$index"' EXIT
    cp "$(git rev-parse --git-path index)" "$index"
    export GIT_INDEX_FILE="$index"
    export GIT_AUTHOR_NAME=pe GIT_AUTHOR_EMAIL=pe@localhost
    export GIT_COMMITTER_NAME=pe GIT_COMMITTER_EMAIL=pe@localhost
    GIT_AUTHOR_DATE=$(git show -s --format=%ci HEAD)
    export GIT_AUTHOR_DATE GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"
    git add -u .
    what=$(git commit-tree "$(git write-tree)" -p HEAD -m "the tree as it is")
elif ! git diff --quiet HEAD --; then
    echo "dist packs the last commit: commit the changes to tracked files first (git status)"
    exit 1
fi

# Whatever the user's git is set to: the modes, line ends and bytes of the commit.
git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="posenc-$VERSION/" "$what" >"$out.tar"
gzip -9 -n <"$out.tar" >"$out.tmp"
rm -f "$out.tar"
mv "$out.tmp" "$out"
echo "$out"
