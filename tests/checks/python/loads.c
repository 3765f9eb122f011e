/* SPDX-License-Identifier: MIT */
/* loads: loads the libraries of a wheel with all their symbols, and calls pe_selftest() of the first.
 *
 *     loads LIBPOSENC LIBPOSENC_READER
 *
 * The status is 0 if both load and the self test finds the right bits. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int (*selftest)(void) = NULL;
    for (int i = 1; i < argc; i++) {
        void *const library = dlopen(argv[i], RTLD_NOW);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
        /* ISO C has no cast from an object's pointer to a function's. */
        if (i == 1) *(void **)&selftest = dlsym(library, "pe_selftest");
    }
    return argc != 3 || !selftest || selftest() != 0;
}
