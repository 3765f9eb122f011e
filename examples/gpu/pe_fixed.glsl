// made from src/ by make headers: change that
// SPDX-License-Identifier: MIT
//
// pe_fixed.wgsl - sine and cosine of position * frequency, correctly rounded, with only 32-bit integers.
//
// The algorithm and the bits are those of pe_fixed.h, which explains them. WGSL has neither 64-bit integers nor a
// function for a product's high word. examples/gpu/pe_fixed.glsl is made from this file. A number of 64 bits is
// vec2u(low, high), and one of 96 bits is vec3u(low, middle, high). An increment is a vec4u of the four words that
// pe_fixed_increments() of pe.h writes. An amplitude has the bits of a float.

uint pe_fixed_select(uint no, uint yes, bool which) { return which ? yes : no; }

struct PeFixedPair { // the bits of two floats; if undecided is true, do not use them
    uint sine;
    uint cosine;
    bool undecided;
};

// These functions compute with words of 64-bit numbers. As in pe_fixed.h, products may be a few units too small.
uint pe_fixed_mulhi(uint a, uint b) {
    uint high;
    uint low;
    umulExtended(a, b, high, low);
    return high;
}
uvec2 pe_fixed_wide(uint a, uint b) {
    return uvec2(a * b, pe_fixed_mulhi(a, b));
}
uvec2 pe_fixed_add(uvec2 a, uvec2 b) {
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + uint(low < a.x));
}
uvec2 pe_fixed_plus(uvec2 a, uint b) {
    return pe_fixed_add(a, uvec2(b, 0u));
}
bool pe_fixed_less(uvec2 a, uvec2 b) {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}
uvec2 pe_fixed_sub(uvec2 a, uvec2 b) {
    return uvec2(a.x - b.x, a.y - b.y - uint(a.x < b.x));
}
uvec2 pe_fixed_left(uvec2 a, uint by) { // a shifted left by less than 32 bits
    return uvec2(a.x << by, (a.y << by) | ((a.x >> 1u) >> (31u - by)));
}
uvec2 pe_fixed_right(uvec2 a, uint by) { // a shifted right by less than 32 bits
    return uvec2((a.x >> by) | ((a.y << 1u) << (31u - by)), a.y >> by);
}
uvec2 pe_fixed_mul64_by_32(uvec2 a, uint b) {
    return pe_fixed_plus(pe_fixed_wide(a.y, b), pe_fixed_mulhi(a.x, b));
}
uvec2 pe_fixed_mul64(uvec2 a, uvec2 b) {
    return pe_fixed_plus(pe_fixed_mul64_by_32(a, b.y), pe_fixed_mulhi(a.y, b.x));
}
uvec3 pe_fixed_mul96(uvec3 a, uvec3 b) {
    uvec2 hm = pe_fixed_wide(a.z, b.y);
    uvec2 mh = pe_fixed_wide(a.y, b.z);
    uvec2 low = pe_fixed_plus(uvec2(pe_fixed_mulhi(a.z, b.x), 0u), pe_fixed_mulhi(a.y, b.y));
    low = pe_fixed_plus(pe_fixed_plus(pe_fixed_plus(low, pe_fixed_mulhi(a.x, b.z)), hm.x), mh.x);
    uvec2 high = pe_fixed_plus(pe_fixed_plus(pe_fixed_plus(pe_fixed_wide(a.z, b.z), hm.y), mh.y), low.y);
    return uvec3(low.x, high.x, high.y);
}

// Returns the bits of the float nearest to n / 2^64 times 2^exponent; midpoints round up. The highest bit of n is set.
uint pe_fixed_round(uvec2 n, uint exponent) {
    return (((n.y >> 7u) + 1u) >> 1u) + ((exponent + 125u) << 23u);
}

// Exchanges sine and cosine and sets their signs, as the nearest quarter turn (the two highest bits of quarter) and the
// signs of position and amplitude require.
PeFixedPair pe_fixed_to_quarter(uint quarter, uint sine, uint cosine, uint position, uint amplitude) {
    bool odd = (quarter & 0x40000000u) != 0u;
    uint top = 0x80000000u;
    uint s = pe_fixed_select(sine, cosine, odd) ^ ((quarter ^ position ^ amplitude) & top);
    uint c = pe_fixed_select(cosine, sine, odd) ^ (((quarter + 0x40000000u) ^ amplitude) & top);
    return PeFixedPair(s, c, false);
}
bool pe_fixed_in_range(uint amplitude) {
    return (amplitude & 0x7fffffffu) - (63u << 23u) <= 128u << 23u;
}

// Returns whether a midpoint may be in the error interval of n, which level 1 computed: see pe__flagged() of
// pe_fixed.h.
bool pe_fixed_flagged(uvec2 n, uint below) {
    uint above = 13001u;
    return 0x80000000u + above - ((n.y << 24u) | (n.x >> 8u)) <= above + below + 2u;
}

PeFixedPair pe_fixed_level_1(int position, uvec4 w, uint amplitude) {
    uint n = pe_fixed_select(uint(position), 0u - uint(position), position < 0);
    uvec2 phase = pe_fixed_plus(pe_fixed_wide(n, w.z), pe_fixed_mulhi(n, w.y));
    uint high = phase.y + n * w.w;
    uint quarter = (high + 0x20000000u) & 0xc0000000u;
    uint rest = high - quarter;
    uint sign = 0u - (rest >> 31u);
    uvec2 g = pe_fixed_left(uvec2(phase.x ^ sign, rest ^ sign), 3u);
    uint product = pe_fixed_mulhi(g.y, g.x);
    uvec2 v = pe_fixed_add(pe_fixed_wide(g.y, g.y), uvec2(product << 1u, product >> 31u));
    uvec2 u = uvec2(~v.x, ~v.y);

    uint t = 0x1471f27u + pe_fixed_mulhi(u.y, 0x1dd55u);
    t = 0x943a4136u + pe_fixed_mulhi(u.y, t);
    t = 0x9c2432a9u + (pe_fixed_mulhi(u.y, t) >> 6u);
    uvec2 y = pe_fixed_add(uvec2(0x87c248a1u, 0x136c6d2eu), pe_fixed_right(pe_fixed_wide(u.y, t), 8u));
    uvec2 sine = pe_fixed_mul64(g, pe_fixed_add(uvec2(0xf9da08c1u, 0xb504f333u), pe_fixed_mul64(u, y)));

    t = 0x1d19e80u + pe_fixed_mulhi(u.y, 0x341dcu);
    t = 0xa382d07fu + pe_fixed_mulhi(u.y, t);
    t = 0xf4155a9cu + (pe_fixed_mulhi(u.y, t) >> 5u);
    y = pe_fixed_add(uvec2(0x7ac1d763u, 0x47160c6bu), pe_fixed_right(pe_fixed_wide(u.y, t), 6u));
    uvec2 cosine = pe_fixed_add(uvec2(0xf9b4d0a5u, 0xb504f333u), pe_fixed_mul64(u, y));

    uint mantissa = (amplitude << 8u) | 0x80000000u;
    uint exponent = ((amplitude >> 23u) & 255u) - 127u;
    uint shift = 0u;
    if (mantissa != 0x80000000u) {
        sine = pe_fixed_mul64_by_32(sine, mantissa);
        cosine = pe_fixed_mul64_by_32(cosine, mantissa);
        exponent = exponent + 1u;
        shift = 1u - (cosine.y >> 31u);
    }
    uint zeros = uint(31 - findMSB(sine.y | 1u));
    sine = pe_fixed_left(sine, zeros);
    cosine = pe_fixed_left(cosine, shift);
    uint s = pe_fixed_round(sine, exponent - zeros);
    uint c = pe_fixed_round(cosine, exponent - shift);
    PeFixedPair x = pe_fixed_to_quarter(quarter, s ^ (sign & 0x80000000u), c, uint(position), amplitude);
    x.undecided = pe_fixed_flagged(sine, 156000u) || pe_fixed_flagged(cosine, 550000u) || zeros > 18u ||
                  !pe_fixed_in_range(amplitude);
    return x;
}

// Returns the coefficient t minus v y: a step of Horner's scheme with alternating signs.
uvec3 pe_fixed_term(uvec3 t, uvec3 v, uvec3 y) {
    uvec3 p = pe_fixed_mul96(v, y);
    uvec2 high = pe_fixed_sub(pe_fixed_sub(uvec2(t.y, t.z), uvec2(p.y, p.z)), uvec2(uint(t.x < p.x), 0u));
    return uvec3(t.x - p.x, high.x, high.y);
}
uvec3 pe_fixed_sine_series(uvec3 v) {
    uvec3 y = uvec3(0u, 0u, 0u);
    y = pe_fixed_term(uvec3(0xcu, 0u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x2e43u, 0u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x943b81u, 0u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x8a404212u, 0x1u, 0u), v, y);
    y = pe_fixed_term(uvec3(0xd8655f26u, 0x355u, 0u), v, y);
    y = pe_fixed_term(uvec3(0xe7c555d1u, 0x5beb6u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x406358cdu, 0x7a3d0d3u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x21c7d88fu, 0x8c1d3f7au, 0x7u), v, y);
    y = pe_fixed_term(uvec3(0xe06e41ebu, 0xe0d21fb9u, 0x541u), v, y);
    y = pe_fixed_term(uvec3(0xb7ccbdc3u, 0x99cc57b0u, 0x265a5u), v, y);
    y = pe_fixed_term(uvec3(0x923f3422u, 0x3bad570eu, 0xa335e3u), v, y);
    y = pe_fixed_term(uvec3(0xabb8e5eeu, 0x25be52beu, 0x14abbce6u), v, y);
    y = pe_fixed_term(uvec3(0xc4c6628cu, 0x2168c234u, 0xc90fdaa2u), v, y);
    return y;
}
uvec3 pe_fixed_cosine_series(uvec3 v) {
    uvec3 y = uvec3(0u, 0u, 0u);
    y = pe_fixed_term(uvec3(0x184u, 0u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x54ab9u, 0u, 0u), v, y);
    y = pe_fixed_term(uvec3(0xf7b7184u, 0u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x418b235fu, 0x25u, 0u), v, y);
    y = pe_fixed_term(uvec3(0x8b0bcb60u, 0x4831u, 0u), v, y);
    y = pe_fixed_term(uvec3(0xd12c4a3du, 0x6db893u, 0u), v, y);
    y = pe_fixed_term(uvec3(0xd8f30a37u, 0x7e74e28du, 0u), v, y);
    y = pe_fixed_term(uvec3(0x2a2ea69fu, 0xb47ca881u, 0x69u), v, y);
    y = pe_fixed_term(uvec3(0x75e8c9d1u, 0xa0d12375u, 0x3c3eu), v, y);
    y = pe_fixed_term(uvec3(0xfc54fadcu, 0x7e3cbff9u, 0x155d3cu), v, y);
    y = pe_fixed_term(uvec3(0xd4cc0780u, 0x6d6b0ecu, 0x40f07c2u), v, y);
    y = pe_fixed_term(uvec3(0x2b71366du, 0xf9177969u, 0x4ef4f326u), v, y);
    return y;
}

struct PeFixedRounded {
    uint bits;
    bool undecided;
};

// Multiplies y / 2^zeros by the amplitude, rounds the product, and sets undecided if the rounding test flags it. The
// argument error is the error from the phase, in units of 2^-96 for a value scaled to 1/2 ... 1.
PeFixedRounded pe_fixed_finish(uvec3 y, uint zeros, uvec2 error, uint amplitude) {
    uvec3 p = pe_fixed_mul96(y, uvec3(0u, 0u, (amplitude << 8u) | 0x80000000u));
    uint shift = uint(31 - findMSB(p.z | 1u));
    uint high = (p.z << shift) | ((p.y >> 1u) >> (31u - shift));
    uint middle = (p.y << shift) | ((p.x >> 1u) >> (31u - shift));
    uint low = p.x << shift;
    uint exponent = ((amplitude >> 23u) & 255u) - 126u - zeros - shift;
    uvec2 rest = uvec2((middle << 24u) | (low >> 8u), (high << 24u) | (middle >> 8u));
    uvec2 e = pe_fixed_plus(pe_fixed_right(pe_fixed_plus(error, 128u), 8u), 2u);
    uvec2 from_low = pe_fixed_add(pe_fixed_add(rest, uvec2(0u, 0x80000000u)), e);
    bool flagged = !pe_fixed_less(pe_fixed_left(e, 1u), from_low);
    return PeFixedRounded(pe_fixed_round(uvec2(middle, high), exponent), flagged);
}

PeFixedPair pe_fixed_level_2(int position, uvec4 w, uint amplitude) {
    uint n = pe_fixed_select(uint(position), 0u - uint(position), position < 0);
    uvec2 p0 = pe_fixed_wide(n, w.x);
    uvec2 p1 = pe_fixed_plus(pe_fixed_wide(n, w.y), p0.y);
    uvec2 p2 = pe_fixed_plus(pe_fixed_wide(n, w.z), p1.y);
    uint p3 = p2.y + n * w.w;
    uint quarter = (p3 + 0x20000000u) & 0xc0000000u;
    uint rest = p3 - quarter;
    uint sign = 0u - (rest >> 31u);
    uvec2 low = uvec2(p0.x ^ sign, p1.x ^ sign);
    uvec2 g = pe_fixed_left(uvec2(p2.x ^ sign, rest ^ sign), 3u);
    g.x = g.x | (low.y >> 29u);
    low = pe_fixed_left(low, 3u);

    uvec3 whole = uvec3(low.y, g.x, g.y);
    uvec3 v = pe_fixed_mul96(whole, whole);
    uvec3 z = pe_fixed_mul96(v, pe_fixed_cosine_series(v));
    uvec3 cosine = uvec3(~z.x, ~z.y, ~z.z);

    uint zeros = 0u;
    if (g.y == 0u) {
        g = uvec2(low.y, g.x);
        low = uvec2(0u, low.x);
        zeros = 32u;
    }
    uint shift = uint(31 - findMSB(g.y | 1u));
    zeros = zeros + shift;
    g = pe_fixed_left(g, shift);
    g.x = g.x | ((low.y >> 1u) >> (31u - shift));
    low = pe_fixed_left(low, shift);
    uvec3 sine = pe_fixed_mul96(uvec3(low.y, g.x, g.y), pe_fixed_sine_series(v));

    bool small = zeros > 60u;
    uvec2 m = pe_fixed_plus(uvec2(n, 0u), 2u);
    uvec2 error = uvec2(0u, 0u);
    if (zeros < 30u) {
        error = pe_fixed_right(m, 30u - zeros);
    } else if (!small) {
        error = pe_fixed_left(m, zeros - 30u);
    }
    PeFixedRounded s = pe_fixed_finish(sine, zeros, pe_fixed_left(error, 1u), amplitude);
    PeFixedRounded c = pe_fixed_finish(cosine, 0u, pe_fixed_right(m, 30u), amplitude);
    PeFixedPair x = pe_fixed_to_quarter(quarter, s.bits ^ (sign & 0x80000000u), c.bits, uint(position), amplitude);
    x.undecided = s.undecided || c.undecided || small;
    if (n == 0u || (w.x | w.y | w.z | w.w) == 0u) { // the angle is 0: the cosine is the amplitude
        x = pe_fixed_to_quarter(0u, 0u, c.bits, 0u, amplitude);
    }
    x.undecided = x.undecided || !pe_fixed_in_range(amplitude);
    return x;
}

// Computes a sine and a cosine times the amplitude, with the bits of pe_fixed_sincos_scaled_f32() of pe_fixed.h.
PeFixedPair pe_fixed_sincos_scaled_f32(int position, uvec4 increment, uint amplitude) {
    PeFixedPair x = pe_fixed_level_1(position, increment, amplitude);
    if (x.undecided) {
        return pe_fixed_level_2(position, increment, amplitude);
    }
    return x;
}
PeFixedPair pe_fixed_sincos_f32(int position, uvec4 increment) {
    return pe_fixed_sincos_scaled_f32(position, increment, 0x3f800000u);
}
