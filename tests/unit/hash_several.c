/* SPDX-License-Identifier: MIT
 *
 * hash_several: runs several builds of tests/unit/hash.c, one after the other, in one program. Each
 * build has another instruction set and another name for its main function (HASH_MAIN). The macro
 * SEVERAL lists these names: -DSEVERAL="X(hash_a) X(hash_b)". The exit status is 0 if all builds
 * return 0. The argument is passed to each:
 *
 *     hash_several [sections]
 */
#define X(name) int name(int argc, char **argv);
SEVERAL
#undef X

int main(int argc, char **argv)
{
    int failed = 0;
#define X(name) failed |= name(argc, argv);
    SEVERAL
#undef X
    return failed;
}
