/* SPDX-License-Identifier: MIT
 *
 * hash_several: several builds of tests/unit/hash.c in one program, each with an instruction set of its
 * own; run them one after the other. Their names are in SEVERAL: -DSEVERAL="X(hash_a) X(hash_b)".
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
