// made from src/ by make headers: change that
// SPDX-License-Identifier: MIT
//
// pe_fixed.wgsl - sine and cosine of position * frequency, correctly rounded, with only 32-bit integers.
//
// The algorithm and the bits are those of pe_fixed.h, which explains them. WGSL has neither 64-bit integers nor a
// function for a product's high word. examples/gpu/pe_fixed.glsl is made from this file. A number of 64 bits is
// vec2u(low, high), and one of 96 bits is vec3u(low, middle, high). An increment is a vec4u of the four words that
// pe_fixed_increments() of pe.h writes. An amplitude has the bits of a float.

struct PeFixedPair { // the bits of two floats; if undecided is true, do not use them
    sine: u32,
    cosine: u32,
    undecided: bool,
}

// These functions compute with words of 64-bit numbers. As in pe_fixed.h, products may be a few units too small.
fn pe_fixed_mulhi(a: u32, b: u32) -> u32 {
    let al: u32 = a & 0xffffu;
    let ah: u32 = a >> 16u;
    let bl: u32 = b & 0xffffu;
    let bh: u32 = b >> 16u;
    let m: u32 = ah * bl + ((al * bl) >> 16u);
    let n: u32 = al * bh + (m & 0xffffu);
    return ah * bh + (m >> 16u) + (n >> 16u);
}
fn pe_fixed_wide(a: u32, b: u32) -> vec2u {
    return vec2u(a * b, pe_fixed_mulhi(a, b));
}
fn pe_fixed_add(a: vec2u, b: vec2u) -> vec2u {
    let low: u32 = a.x + b.x;
    return vec2u(low, a.y + b.y + u32(low < a.x));
}
fn pe_fixed_plus(a: vec2u, b: u32) -> vec2u {
    return pe_fixed_add(a, vec2u(b, 0u));
}
fn pe_fixed_less(a: vec2u, b: vec2u) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}
fn pe_fixed_sub(a: vec2u, b: vec2u) -> vec2u {
    return vec2u(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}
fn pe_fixed_left(a: vec2u, by: u32) -> vec2u { // a shifted left by less than 32 bits
    return vec2u(a.x << by, (a.y << by) | ((a.x >> 1u) >> (31u - by)));
}
fn pe_fixed_right(a: vec2u, by: u32) -> vec2u { // a shifted right by less than 32 bits
    return vec2u((a.x >> by) | ((a.y << 1u) << (31u - by)), a.y >> by);
}
fn pe_fixed_mul64_by_32(a: vec2u, b: u32) -> vec2u {
    return pe_fixed_plus(pe_fixed_wide(a.y, b), pe_fixed_mulhi(a.x, b));
}
fn pe_fixed_mul64(a: vec2u, b: vec2u) -> vec2u {
    return pe_fixed_plus(pe_fixed_mul64_by_32(a, b.y), pe_fixed_mulhi(a.y, b.x));
}
fn pe_fixed_mul96(a: vec3u, b: vec3u) -> vec3u {
    let hm: vec2u = pe_fixed_wide(a.z, b.y);
    let mh: vec2u = pe_fixed_wide(a.y, b.z);
    var low: vec2u = pe_fixed_plus(vec2u(pe_fixed_mulhi(a.z, b.x), 0u), pe_fixed_mulhi(a.y, b.y));
    low = pe_fixed_plus(pe_fixed_plus(pe_fixed_plus(low, pe_fixed_mulhi(a.x, b.z)), hm.x), mh.x);
    let high: vec2u = pe_fixed_plus(pe_fixed_plus(pe_fixed_plus(pe_fixed_wide(a.z, b.z), hm.y), mh.y), low.y);
    return vec3u(low.x, high.x, high.y);
}

// Returns the bits of the float nearest to n / 2^64 times 2^exponent; midpoints round up. The highest bit of n is set.
fn pe_fixed_round(n: vec2u, exponent: u32) -> u32 {
    return (((n.y >> 7u) + 1u) >> 1u) + ((exponent + 125u) << 23u);
}

// Exchanges sine and cosine and sets their signs, as the nearest quarter turn (the two highest bits of quarter) and the
// signs of position and amplitude require.
fn pe_fixed_to_quarter(quarter: u32, sine: u32, cosine: u32, position: u32, amplitude: u32) -> PeFixedPair {
    let odd: bool = (quarter & 0x40000000u) != 0u;
    let top: u32 = 0x80000000u;
    let s: u32 = select(sine, cosine, odd) ^ ((quarter ^ position ^ amplitude) & top);
    let c: u32 = select(cosine, sine, odd) ^ (((quarter + 0x40000000u) ^ amplitude) & top);
    return PeFixedPair(s, c, false);
}
fn pe_fixed_in_range(amplitude: u32) -> bool {
    return (amplitude & 0x7fffffffu) - (63u << 23u) <= 128u << 23u;
}

// Returns whether a midpoint may be in the error interval of n, which level 1 computed: see pe__flagged() of
// pe_fixed.h.
fn pe_fixed_flagged(n: vec2u, below: u32) -> bool {
    let above: u32 = 13001u;
    return 0x80000000u + above - ((n.y << 24u) | (n.x >> 8u)) <= above + below + 2u;
}

fn pe_fixed_level_1(position: i32, w: vec4u, amplitude: u32) -> PeFixedPair {
    let n: u32 = select(u32(position), 0u - u32(position), position < 0);
    let phase: vec2u = pe_fixed_plus(pe_fixed_wide(n, w.z), pe_fixed_mulhi(n, w.y));
    let high: u32 = phase.y + n * w.w;
    let quarter: u32 = (high + 0x20000000u) & 0xc0000000u;
    let rest: u32 = high - quarter;
    let sign: u32 = 0u - (rest >> 31u);
    let g: vec2u = pe_fixed_left(vec2u(phase.x ^ sign, rest ^ sign), 3u);
    let product: u32 = pe_fixed_mulhi(g.y, g.x);
    let v: vec2u = pe_fixed_add(pe_fixed_wide(g.y, g.y), vec2u(product << 1u, product >> 31u));
    let u: vec2u = vec2u(~v.x, ~v.y);

    var t: u32 = 0x1471f27u + pe_fixed_mulhi(u.y, 0x1dd55u);
    t = 0x943a4136u + pe_fixed_mulhi(u.y, t);
    t = 0x9c2432a9u + (pe_fixed_mulhi(u.y, t) >> 6u);
    var y: vec2u = pe_fixed_add(vec2u(0x87c248a1u, 0x136c6d2eu), pe_fixed_right(pe_fixed_wide(u.y, t), 8u));
    var sine: vec2u = pe_fixed_mul64(g, pe_fixed_add(vec2u(0xf9da08c1u, 0xb504f333u), pe_fixed_mul64(u, y)));

    t = 0x1d19e80u + pe_fixed_mulhi(u.y, 0x341dcu);
    t = 0xa382d07fu + pe_fixed_mulhi(u.y, t);
    t = 0xf4155a9cu + (pe_fixed_mulhi(u.y, t) >> 5u);
    y = pe_fixed_add(vec2u(0x7ac1d763u, 0x47160c6bu), pe_fixed_right(pe_fixed_wide(u.y, t), 6u));
    var cosine: vec2u = pe_fixed_add(vec2u(0xf9b4d0a5u, 0xb504f333u), pe_fixed_mul64(u, y));

    let mantissa: u32 = (amplitude << 8u) | 0x80000000u;
    var exponent: u32 = ((amplitude >> 23u) & 255u) - 127u;
    var shift: u32 = 0u;
    if (mantissa != 0x80000000u) {
        sine = pe_fixed_mul64_by_32(sine, mantissa);
        cosine = pe_fixed_mul64_by_32(cosine, mantissa);
        exponent = exponent + 1u;
        shift = 1u - (cosine.y >> 31u);
    }
    let zeros: u32 = countLeadingZeros(sine.y | 1u);
    sine = pe_fixed_left(sine, zeros);
    cosine = pe_fixed_left(cosine, shift);
    let s: u32 = pe_fixed_round(sine, exponent - zeros);
    let c: u32 = pe_fixed_round(cosine, exponent - shift);
    var x: PeFixedPair = pe_fixed_to_quarter(quarter, s ^ (sign & 0x80000000u), c, u32(position), amplitude);
    x.undecided = pe_fixed_flagged(sine, 156000u) || pe_fixed_flagged(cosine, 550000u) || zeros > 18u ||
                  !pe_fixed_in_range(amplitude);
    return x;
}

// Returns the coefficient t minus v y: a step of Horner's scheme with alternating signs.
fn pe_fixed_term(t: vec3u, v: vec3u, y: vec3u) -> vec3u {
    let p: vec3u = pe_fixed_mul96(v, y);
    let high: vec2u = pe_fixed_sub(pe_fixed_sub(vec2u(t.y, t.z), vec2u(p.y, p.z)), vec2u(u32(t.x < p.x), 0u));
    return vec3u(t.x - p.x, high.x, high.y);
}
fn pe_fixed_sine_series(v: vec3u) -> vec3u {
    var y: vec3u = vec3u(0u, 0u, 0u);
    y = pe_fixed_term(vec3u(0xcu, 0u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x2e43u, 0u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x943b81u, 0u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x8a404212u, 0x1u, 0u), v, y);
    y = pe_fixed_term(vec3u(0xd8655f26u, 0x355u, 0u), v, y);
    y = pe_fixed_term(vec3u(0xe7c555d1u, 0x5beb6u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x406358cdu, 0x7a3d0d3u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x21c7d88fu, 0x8c1d3f7au, 0x7u), v, y);
    y = pe_fixed_term(vec3u(0xe06e41ebu, 0xe0d21fb9u, 0x541u), v, y);
    y = pe_fixed_term(vec3u(0xb7ccbdc3u, 0x99cc57b0u, 0x265a5u), v, y);
    y = pe_fixed_term(vec3u(0x923f3422u, 0x3bad570eu, 0xa335e3u), v, y);
    y = pe_fixed_term(vec3u(0xabb8e5eeu, 0x25be52beu, 0x14abbce6u), v, y);
    y = pe_fixed_term(vec3u(0xc4c6628cu, 0x2168c234u, 0xc90fdaa2u), v, y);
    return y;
}
fn pe_fixed_cosine_series(v: vec3u) -> vec3u {
    var y: vec3u = vec3u(0u, 0u, 0u);
    y = pe_fixed_term(vec3u(0x184u, 0u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x54ab9u, 0u, 0u), v, y);
    y = pe_fixed_term(vec3u(0xf7b7184u, 0u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x418b235fu, 0x25u, 0u), v, y);
    y = pe_fixed_term(vec3u(0x8b0bcb60u, 0x4831u, 0u), v, y);
    y = pe_fixed_term(vec3u(0xd12c4a3du, 0x6db893u, 0u), v, y);
    y = pe_fixed_term(vec3u(0xd8f30a37u, 0x7e74e28du, 0u), v, y);
    y = pe_fixed_term(vec3u(0x2a2ea69fu, 0xb47ca881u, 0x69u), v, y);
    y = pe_fixed_term(vec3u(0x75e8c9d1u, 0xa0d12375u, 0x3c3eu), v, y);
    y = pe_fixed_term(vec3u(0xfc54fadcu, 0x7e3cbff9u, 0x155d3cu), v, y);
    y = pe_fixed_term(vec3u(0xd4cc0780u, 0x6d6b0ecu, 0x40f07c2u), v, y);
    y = pe_fixed_term(vec3u(0x2b71366du, 0xf9177969u, 0x4ef4f326u), v, y);
    return y;
}

struct PeFixedRounded {
    bits: u32,
    undecided: bool,
}

// Multiplies y / 2^zeros by the amplitude, rounds the product, and sets undecided if the rounding test flags it. The
// argument error is the error from the phase, in units of 2^-96 for a value scaled to 1/2 ... 1.
fn pe_fixed_finish(y: vec3u, zeros: u32, error: vec2u, amplitude: u32) -> PeFixedRounded {
    let p: vec3u = pe_fixed_mul96(y, vec3u(0u, 0u, (amplitude << 8u) | 0x80000000u));
    let shift: u32 = countLeadingZeros(p.z | 1u);
    let high: u32 = (p.z << shift) | ((p.y >> 1u) >> (31u - shift));
    let middle: u32 = (p.y << shift) | ((p.x >> 1u) >> (31u - shift));
    let low: u32 = p.x << shift;
    let exponent: u32 = ((amplitude >> 23u) & 255u) - 126u - zeros - shift;
    let rest: vec2u = vec2u((middle << 24u) | (low >> 8u), (high << 24u) | (middle >> 8u));
    let e: vec2u = pe_fixed_plus(pe_fixed_right(pe_fixed_plus(error, 128u), 8u), 2u);
    let from_low: vec2u = pe_fixed_add(pe_fixed_add(rest, vec2u(0u, 0x80000000u)), e);
    let flagged: bool = !pe_fixed_less(pe_fixed_left(e, 1u), from_low);
    return PeFixedRounded(pe_fixed_round(vec2u(middle, high), exponent), flagged);
}

fn pe_fixed_level_2(position: i32, w: vec4u, amplitude: u32) -> PeFixedPair {
    let n: u32 = select(u32(position), 0u - u32(position), position < 0);
    let p0: vec2u = pe_fixed_wide(n, w.x);
    let p1: vec2u = pe_fixed_plus(pe_fixed_wide(n, w.y), p0.y);
    let p2: vec2u = pe_fixed_plus(pe_fixed_wide(n, w.z), p1.y);
    let p3: u32 = p2.y + n * w.w;
    let quarter: u32 = (p3 + 0x20000000u) & 0xc0000000u;
    let rest: u32 = p3 - quarter;
    let sign: u32 = 0u - (rest >> 31u);
    var low: vec2u = vec2u(p0.x ^ sign, p1.x ^ sign);
    var g: vec2u = pe_fixed_left(vec2u(p2.x ^ sign, rest ^ sign), 3u);
    g.x = g.x | (low.y >> 29u);
    low = pe_fixed_left(low, 3u);

    let whole: vec3u = vec3u(low.y, g.x, g.y);
    let v: vec3u = pe_fixed_mul96(whole, whole);
    let z: vec3u = pe_fixed_mul96(v, pe_fixed_cosine_series(v));
    let cosine: vec3u = vec3u(~z.x, ~z.y, ~z.z);

    var zeros: u32 = 0u;
    if (g.y == 0u) {
        g = vec2u(low.y, g.x);
        low = vec2u(0u, low.x);
        zeros = 32u;
    }
    let shift: u32 = countLeadingZeros(g.y | 1u);
    zeros = zeros + shift;
    g = pe_fixed_left(g, shift);
    g.x = g.x | ((low.y >> 1u) >> (31u - shift));
    low = pe_fixed_left(low, shift);
    let sine: vec3u = pe_fixed_mul96(vec3u(low.y, g.x, g.y), pe_fixed_sine_series(v));

    let small: bool = zeros > 60u;
    let m: vec2u = pe_fixed_plus(vec2u(n, 0u), 2u);
    var error: vec2u = vec2u(0u, 0u);
    if (zeros < 30u) {
        error = pe_fixed_right(m, 30u - zeros);
    } else if (!small) {
        error = pe_fixed_left(m, zeros - 30u);
    }
    let s: PeFixedRounded = pe_fixed_finish(sine, zeros, pe_fixed_left(error, 1u), amplitude);
    let c: PeFixedRounded = pe_fixed_finish(cosine, 0u, pe_fixed_right(m, 30u), amplitude);
    var x: PeFixedPair = pe_fixed_to_quarter(quarter, s.bits ^ (sign & 0x80000000u), c.bits, u32(position), amplitude);
    x.undecided = s.undecided || c.undecided || small;
    if (n == 0u || (w.x | w.y | w.z | w.w) == 0u) { // the angle is 0: the cosine is the amplitude
        x = pe_fixed_to_quarter(0u, 0u, c.bits, 0u, amplitude);
    }
    x.undecided = x.undecided || !pe_fixed_in_range(amplitude);
    return x;
}

// Computes a sine and a cosine times the amplitude, with the bits of pe_fixed_sincos_scaled_f32() of pe_fixed.h.
fn pe_fixed_sincos_scaled_f32(position: i32, increment: vec4u, amplitude: u32) -> PeFixedPair {
    let x: PeFixedPair = pe_fixed_level_1(position, increment, amplitude);
    if (x.undecided) {
        return pe_fixed_level_2(position, increment, amplitude);
    }
    return x;
}
fn pe_fixed_sincos_f32(position: i32, increment: vec4u) -> PeFixedPair {
    return pe_fixed_sincos_scaled_f32(position, increment, 0x3f800000u);
}
