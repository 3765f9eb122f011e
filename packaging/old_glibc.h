/* SPDX-License-Identifier: MIT */
/* Names the versions of libm's functions that glibc has had from the beginning.
 *
 * glibc has exp, log, pow, powf and hypot in two versions. The newer ones (2.27 to 2.35) do not call
 * a program's matherr(), which is all that tells them apart for a caller. A library that was linked
 * on a newer system asks for the newer versions, and an older system refuses to load it. With this
 * header, which python/posenc_build.py includes into tool/reader.c, the library asks for the old
 * ones. The step `python` reads the versions that its two libraries need. */
#ifndef PE_OLD_GLIBC_H
#define PE_OLD_GLIBC_H

#ifdef __linux__
    #include <features.h>
    #ifdef __GLIBC__
        #if defined __x86_64__
            #define PE_OLD_GLIBC "GLIBC_2.2.5"
        #elif defined __aarch64__
            #define PE_OLD_GLIBC "GLIBC_2.17"
        #endif
    #endif
#endif

#ifdef PE_OLD_GLIBC
__asm__(".symver exp, exp@" PE_OLD_GLIBC "\n.symver log, log@" PE_OLD_GLIBC "\n"
        ".symver pow, pow@" PE_OLD_GLIBC "\n.symver powf, powf@" PE_OLD_GLIBC "\n"
        ".symver hypot, hypot@" PE_OLD_GLIBC);
#endif

#endif /* PE_OLD_GLIBC_H */
