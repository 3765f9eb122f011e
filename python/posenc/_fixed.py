# SPDX-License-Identifier: MIT
# Made from src/fixed/sincos.h by make headers: change that. Its comments explain the numbers.
"""This module has the constants of pe_fixed.h, for the kernels of _kernels.py."""

SINE_WORDS = (0x1dd55, 0x1471f27, 0x943a4136, 0x9c2432a9)  # level 1: coefficients of 32 bits, the highest power first
SINE_LONG = (0x136c6d2e87c248a1, 0xb504f333f9da08c1)  # the coefficients of 64 bits that follow
SINE_SHIFTS = (6, 8)  # right shifts from one scale of coefficients to the next
COSINE_WORDS = (0x341dc, 0x1d19e80, 0xa382d07f, 0xf4155a9c)  # level 1: coefficients of 32 bits, the highest power first
COSINE_LONG = (0x47160c6b7ac1d763, 0xb504f333f9b4d0a5)  # the coefficients of 64 bits that follow
COSINE_SHIFTS = (5, 6)  # right shifts from one scale of coefficients to the next
SINE_BELOW = 156000  # how far a sine of level 1 may be below the exact value, in units of 2^-56
COSINE_BELOW = 550000  # the same for a cosine
ABOVE = 13000  # how far either may be above the exact value
MOST_ZEROS = 18  # leading zeros of a sine up to which level 1 decides
TINY = 60  # leading zeros of an angle up to which level 2 decides
NEGATION = 2  # what level 2 adds to the position for the error of a negated phase
PHASE_SHIFT = 30  # right shift from that sum to units of 2^-96
ARITHMETIC = 128  # the error of the arithmetic of level 2, in units of 2^-96
SINE_SERIES = (  # level 2: the Taylor coefficients, the highest power first, in three words each
    (0x0, 0x0, 0xc),
    (0x0, 0x0, 0x2e43),
    (0x0, 0x0, 0x943b81),
    (0x0, 0x1, 0x8a404212),
    (0x0, 0x355, 0xd8655f26),
    (0x0, 0x5beb6, 0xe7c555d1),
    (0x0, 0x7a3d0d3, 0x406358cd),
    (0x7, 0x8c1d3f7a, 0x21c7d88f),
    (0x541, 0xe0d21fb9, 0xe06e41eb),
    (0x265a5, 0x99cc57b0, 0xb7ccbdc3),
    (0xa335e3, 0x3bad570e, 0x923f3422),
    (0x14abbce6, 0x25be52be, 0xabb8e5ee),
    (0xc90fdaa2, 0x2168c234, 0xc4c6628c),
)
COSINE_SERIES = (  # level 2: the Taylor coefficients, the highest power first, in three words each
    (0x0, 0x0, 0x184),
    (0x0, 0x0, 0x54ab9),
    (0x0, 0x0, 0xf7b7184),
    (0x0, 0x25, 0x418b235f),
    (0x0, 0x4831, 0x8b0bcb60),
    (0x0, 0x6db893, 0xd12c4a3d),
    (0x0, 0x7e74e28d, 0xd8f30a37),
    (0x69, 0xb47ca881, 0x2a2ea69f),
    (0x3c3e, 0xa0d12375, 0x75e8c9d1),
    (0x155d3c, 0x7e3cbff9, 0xfc54fadc),
    (0x40f07c2, 0x6d6b0ec, 0xd4cc0780),
    (0x4ef4f326, 0xf9177969, 0x2b71366d),
)
