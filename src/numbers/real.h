/* SPDX-License-Identifier: MIT */
/* Computes with multi-limb numbers that have an error bound: arithmetic, pi, exp, log, rounding.
 * Tested by tests/checks/levels.sh. */
#pragma once
#include "../pe_simd.h"
#include "exp_log.h"

/* ---- 5.3 numbers of any precision ---------------------------------------------------------------
 * These numbers round an element where double-double is not precise enough. A number is sign * d *
 * 2^(exponent - 32n), where d is an integer of n limbs of 32 bits. It is normalised: the most
 * significant bit of d is set, unless d is 0. So the magnitude of the number is at least
 * 2^(exponent - 1) and below 2^exponent. The error of d is below 2^log2_error. Each operation
 * bounds the error of its result, so a rounding is either certain or tried again with more limbs.
 * All arithmetic uses integers, so it is the same on every machine. */

/* PE__LIMBS is the maximum number of limbs, for 1344 bits. PE__NO_ERROR is the log2_error of an
   exact number, and also the exponent of an exact 0. */
enum { PE__LIMBS = 42, PE__NO_ERROR = -1000000 };
typedef struct pe__bigfloat {
    int n, sign, exponent, log2_error; /* as in the text above; sign is -1, 1, or 0 if d is 0 */
    uint32_t d[PE__LIMBS + 1];         /* lowest limb first; limb n is 0 after normalisation */
} pe__bigfloat;

PE__COLD int pe__bigfloat_is_exact(const pe__bigfloat *x)
{
    return x->log2_error < PE__NO_ERROR / 2;
}
PE__COLD int pe__bigfloat_is_0(const pe__bigfloat *x)
{
    return x->sign == 0 && pe__bigfloat_is_exact(x);
}

/* Returns a log2_error that bounds the sum of two errors, whose log2_error are a and b. If one of
   them is that of an exact number, the result is the other. */
PE__COLD int pe__add_errors(int a, int b)
{
    const int more = a > b ? a : b, less = a > b ? b : a;
    return less < PE__NO_ERROR / 2 ? more : more + 1;
}

/* Returns the limb with index i of d 2^part, 0 <= part < 32. d has `limbs` limbs; limbs below and
   above them count as 0. */
PE__INLINE uint32_t pe__limb(const uint32_t *d, int limbs, int i, int part)
{
    const uint64_t high = i >= 0 && i < limbs ? d[i] : 0, low = i > 0 && i <= limbs ? d[i - 1] : 0;
    return (uint32_t)((high << 32 | low) >> (32 - part) & 0xffffffffu);
}

/* Multiplies d, which has `limbs` limbs, by 2^bits, in place. A negative `bits` shifts right.
   Returns whether a right shift has dropped a bit that is set. Bits that a left shift moves out of
   the limbs are lost, and not reported. */
PE__COLD int pe__limbs_shift(uint32_t *d, int limbs, int bits)
{
    const int part = (bits % 32 + 32) % 32, limb_shift = (bits - part) / 32;
    uint32_t lost = 0;
    if (bits == 0) return 0;
    for (int i = 0; i < -limb_shift && i <= limbs; i++) lost |= pe__limb(d, limbs, i, part);
    if (bits > 0)
        for (int j = limbs - 1; j >= 0; j--) d[j] = pe__limb(d, limbs, j - limb_shift, part);
    else
        for (int j = 0; j < limbs; j++) d[j] = pe__limb(d, limbs, j - limb_shift, part);
    return lost != 0;
}

/* Adds y to d or, if minus is 1, subtracts y from d, modulo 2^(32 limbs). */
PE__COLD void pe__limbs_add(uint32_t *d, const uint32_t *y, int limbs, int minus)
{
    uint64_t carry = (uint64_t)minus;
    for (int i = 0; i < limbs; i++, carry >>= 32) {
        carry += (uint64_t)d[i] + (minus ? ~y[i] : y[i]);
        d[i] = (uint32_t)(carry & 0xffffffffu);
    }
}

/* Returns whether d < y. */
PE__COLD int pe__limbs_less(const uint32_t *d, const uint32_t *y, int limbs)
{
    while (limbs > 1 && d[limbs - 1] == y[limbs - 1]) limbs--;
    return d[limbs - 1] < y[limbs - 1];
}

/* Shifts the n + 1 limbs of d so that the most significant bit that is set becomes the top bit of
   limb n - 1, and changes exponent and log2_error accordingly. If d is 0, sets the sign to 0 and,
   if the number is exact, the exponent to PE__NO_ERROR. */
PE__COLD void pe__bigfloat_renormalize(pe__bigfloat *x)
{
    int up, top = x->n;
    while (top >= 0 && x->d[top] == 0) top--;
    if (top < 0) {
        x->sign = 0;
        if (pe__bigfloat_is_exact(x)) x->exponent = PE__NO_ERROR;
        return;
    }
    for (up = 32 * (x->n - 1 - top); !(x->d[top] << (up & 31) >> 31); up++) {}
    x->exponent -= up;
    x->log2_error += up;
    if (pe__limbs_shift(x->d, x->n + 1, up)) x->log2_error = pe__add_errors(x->log2_error, 0);
}

/* Returns the finite double `value` exactly, as a number of n limbs. Subnormals are read from their
   bits, so flush-to-zero modes do not matter. */
PE__COLD pe__bigfloat pe__bigfloat_of(double value, int n)
{
    const uint64_t bits = pe__double_bits(value);
    pe__bigfloat x;
    const int e = (int)(bits >> 52 & 0x7ff);
    memset(&x, 0, sizeof x);
    x.n = n;
    x.log2_error = PE__NO_ERROR;
    x.sign = bits >> 63 ? -1 : 1;
    x.exponent = (e > 0 ? e : 1) - 1011;
    x.d[n - 1] = (uint32_t)(bits >> 32 & 0xfffff) | (uint32_t)(e > 0) << 20;
    x.d[n - 2] = (uint32_t)(bits & 0xffffffffu);
    pe__bigfloat_renormalize(&x);
    return x;
}

/* Returns x truncated to 53 bits, for |x| below 2^1000. If |x| is below 2^-900, returns some number
   whose magnitude is also below 2^-900. If x is close to an integer below 2^52 in magnitude,
   pe__round_to_integer() of the result is this integer. */
PE__COLD double pe__bigfloat_to_double(const pe__bigfloat *x)
{
    const uint64_t bits = (uint64_t)x->d[x->n - 1] << 32 | x->d[x->n - 2];
    const int e = x->exponent < -900 ? -900 : x->exponent;
    return x->sign * (double)(bits >> 11) * pe__exp2i(e - 53);
}
PE__COLD double pe__round_to_integer(double x)
{
    return (double)(int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

/* Computes x *= y. */
PE__COLD void pe__bigfloat_mul(pe__bigfloat *x, const pe__bigfloat *y)
{
    const int n = x->n;
    uint32_t p[2 * PE__LIMBS] = {0}, rest = 0;
    if (pe__bigfloat_is_0(y)) *x = *y;
    if (pe__bigfloat_is_0(x)) return;
    for (int i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < n; j++, carry >>= 32) {
            carry += p[i + j] + (uint64_t)x->d[i] * y->d[j];
            p[i + j] = (uint32_t)(carry & 0xffffffffu);
        }
        p[i + n] = (uint32_t)carry;
    }
    for (int i = 0; i < n - 1; i++) rest |= p[i];
    memcpy(x->d, p + n - 1, ((size_t)n + 1) * sizeof *p); /* n + 1 limbs; renormalising keeps n */
    x->log2_error = pe__add_errors(pe__add_errors(x->log2_error, y->log2_error + 1) + 32,
                                   rest ? 0 : PE__NO_ERROR);
    x->sign *= y->sign;
    x->exponent += y->exponent - 32;
    pe__bigfloat_renormalize(x);
}

/* Computes x += sign y, where sign is 1 or -1. */
PE__COLD void pe__bigfloat_add(pe__bigfloat *x, const pe__bigfloat *y, int sign)
{
    pe__bigfloat z = *y;
    z.sign *= sign;
    if (x->exponent < z.exponent ||
        (x->exponent == z.exponent && pe__limbs_less(x->d, z.d, x->n))) {
        const pe__bigfloat swap = *x;
        *x = z;
        z = swap;
    }
    const int shift = x->exponent - z.exponent, minus = x->sign * z.sign < 0;
    z.log2_error = pe__add_errors(z.log2_error - shift,
                                  pe__limbs_shift(z.d, z.n + 1, -shift) ? 0 : PE__NO_ERROR);
    x->log2_error = pe__add_errors(x->log2_error, z.log2_error);
    if (x->sign == 0) x->sign = z.sign;
    pe__limbs_add(x->d, z.d, x->n + 1, minus);
    pe__bigfloat_renormalize(x);
}

/* Computes x /= k, for k > 0. */
PE__COLD void pe__bigfloat_div_u32(pe__bigfloat *x, uint32_t k)
{
    uint64_t rest = 0;
    for (int i = x->n; i >= 0; i--, rest %= k) {
        rest = rest << 32 | (i > 0 ? x->d[i - 1] : 0);
        x->d[i] = (uint32_t)(rest / k);
    }
    x->exponent -= 32;
    x->log2_error = pe__add_errors(x->log2_error + 32, rest ? 0 : PE__NO_ERROR);
    pe__bigfloat_renormalize(x);
}

/* Computes x /= y, one bit of the quotient after the other. y must not be 0. */
PE__COLD void pe__bigfloat_div(pe__bigfloat *x, const pe__bigfloat *y)
{
    const int n = x->n;
    uint32_t rest[PE__LIMBS + 1], any = 0;
    memcpy(rest, x->d, sizeof rest);
    memset(x->d, 0, sizeof x->d);
    for (int bit = 32 * n; bit >= 0; bit--) {
        if (!pe__limbs_less(rest, y->d, n + 1)) {
            pe__limbs_add(rest, y->d, n + 1, 1);
            x->d[bit / 32] |= (uint32_t)1 << bit % 32;
        }
        pe__limbs_add(rest, rest, n + 1, 0);
    }
    for (int i = 0; i <= n; i++) any |= rest[i];
    x->log2_error =
        pe__add_errors(pe__add_errors(x->log2_error, y->log2_error) + 3, any ? 0 : PE__NO_ERROR);
    x->sign *= y->sign;
    x->exponent -= y->exponent;
    pe__bigfloat_renormalize(x);
}

/* These compute x *= y, x /= y and x += y for a double y. */
PE__COLD void pe__bigfloat_mul_double(pe__bigfloat *x, double y)
{
    const pe__bigfloat z = pe__bigfloat_of(y, x->n);
    pe__bigfloat_mul(x, &z);
}
PE__COLD void pe__bigfloat_div_double(pe__bigfloat *x, double y)
{
    const pe__bigfloat z = pe__bigfloat_of(y, x->n);
    pe__bigfloat_div(x, &z);
}
PE__COLD void pe__bigfloat_add_double(pe__bigfloat *x, double y)
{
    const pe__bigfloat z = pe__bigfloat_of(y, x->n);
    pe__bigfloat_add(x, &z, 1);
}

/* These are the first 1344 bits of pi / 4 and of ln 2 after the binary point, truncated. The lowest
   limb is first. */
static const uint32_t pe__pi_digits[PE__LIMBS] = {
    0x4abc9804, 0x670c354e, 0x7096966d, 0x9ed52907, 0x208552bb, 0x1c62f356, 0xdca3ad96,
    0x83655d23, 0xfd24cf5f, 0x69163fa8, 0x1c55d39a, 0x98da4836, 0xa163bf05, 0xc2007cb8,
    0xece45b3d, 0x49286651, 0x7c4b1fe6, 0xae9f2411, 0x5a899fa5, 0xee386bfb, 0xf406b7ed,
    0x0bff5cb6, 0xa637ed6b, 0xf44c42e9, 0x625e7ec6, 0xe485b576, 0x6d51c245, 0x4fe1356d,
    0xf25f1437, 0x302b0a6d, 0xcd3a431b, 0xef9519b3, 0x8e3404dd, 0x514a0879, 0x3b139b22,
    0x020bbea6, 0x8a67cc74, 0x29024e08, 0x80dc1cd1, 0xc4c6628b, 0x2168c234, 0xc90fdaa2,
};
static const uint32_t pe__ln2_digits[PE__LIMBS] = {
    0xdb8990e5, 0x17460775, 0x1400b396, 0x7d2e23de, 0xfc1efa15, 0xee569d6d, 0x8fe551a2,
    0x610d30f8, 0xfb5bfb90, 0x07f4ca11, 0x0f3fd5c6, 0xda2d97c5, 0x2f20e3a2, 0x655fa187,
    0x38303248, 0xf5dfa6bd, 0x9d6548ca, 0x72ce87b1, 0x7657f74b, 0x256fa0ec, 0xb136603b,
    0xb9ea9bc3, 0x317c387e, 0x1acbda11, 0x224ae8c5, 0x3e96ca16, 0x1169b825, 0x27573b29,
    0xc1382144, 0xed2eae35, 0x4afa1b10, 0x559552fb, 0x6debac98, 0xe7b87620, 0x8baafa2b,
    0x8a0d175b, 0x7298b62d, 0x40f34326, 0x03f2f6af, 0xc9e3b398, 0xd1cf79ab, 0xb17217f7,
};

PE__COLD pe__bigfloat pe__bigfloat_digits(const uint32_t *digits, int exponent, int n)
{
    pe__bigfloat x = pe__bigfloat_of(1, n);
    memcpy(x.d, digits + (PE__LIMBS - n), (size_t)n * sizeof *digits);
    x.exponent = exponent;
    x.log2_error = 0;
    return x;
}
PE__COLD pe__bigfloat pe__bigfloat_pi(int n) { return pe__bigfloat_digits(pe__pi_digits, 2, n); }
PE__COLD pe__bigfloat pe__bigfloat_ln2(int n) { return pe__bigfloat_digits(pe__ln2_digits, 0, n); }

/* Returns the sum of a Taylor series in x, |x| < 4, up to the first term below the last bit. `kind`
 * and the initial k choose the series:
 *     PE__EXP, k = 1    exp(x): each term is the one before times x / k, x / (k + 1) ...
 *     PE__TRIG, k = 1   cos(z), x = -z^2: each term is the one before times x / (k (k + 1)) ...
 *     PE__TRIG, k = 2   sin(z) / z, x = -z^2: with the same factors as cos(z)
 *     PE__ATANH, k = 1  atanh(z) / z, x = z^2 < 1/16: 1 + x / (k + 2) + x^2 / (k + 4) ...
 * There are at most 300 terms, with a total error of 2^14 units of the last bit of d. */
typedef enum pe__series { PE__EXP, PE__TRIG, PE__ATANH } pe__series;
PE__COLD pe__bigfloat pe__bigfloat_series(const pe__bigfloat *x, pe__series kind, uint32_t k)
{
    pe__bigfloat sum = pe__bigfloat_of(1, x->n), power = sum, term = sum;
    if (pe__bigfloat_is_0(x)) return sum;
    for (; term.sign != 0 && term.exponent > -32 * x->n - 2; k += kind == PE__EXP ? 1 : 2) {
        pe__bigfloat_mul(&power, x);
        if (kind != PE__ATANH) pe__bigfloat_div_u32(&power, kind == PE__EXP ? k : k * (k + 1));
        term = power;
        if (kind == PE__ATANH) pe__bigfloat_div_u32(&term, k + 2);
        pe__bigfloat_add(&sum, &term, 1);
    }
    const int log2_error = x->log2_error + x->exponent + 4;
    sum.log2_error = log2_error > 14 ? log2_error : 14;
    return sum;
}

/* Replaces x > 0 by its natural logarithm. With x = 2^k m and 0.7 < m < 1.42, this is k ln 2 +
   2 atanh((m - 1) / (m + 1)). */
PE__COLD void pe__bigfloat_log(pe__bigfloat *x)
{
    const int up = x->d[x->n - 1] < 0xb5000000u, k = x->exponent - up; /* if up, m >= 1 */
    x->exponent = up;
    pe__bigfloat y = *x;
    pe__bigfloat_add_double(&y, 1);
    pe__bigfloat_add_double(x, -1);
    pe__bigfloat_div(x, &y);
    y = *x;
    pe__bigfloat_mul(&y, x);
    y = pe__bigfloat_series(&y, PE__ATANH, 1);
    pe__bigfloat_mul(x, &y);
    x->exponent++;
    y = pe__bigfloat_ln2(x->n);
    pe__bigfloat_mul_double(&y, k);
    pe__bigfloat_add(x, &y, 1);
}

/* Replaces x by exp(x). An exact 0 becomes exactly 1. */
PE__COLD void pe__bigfloat_exp(pe__bigfloat *x)
{
    const double k = pe__round_to_integer(pe__bigfloat_to_double(x) * 1.4426950408889634);
    pe__bigfloat y = pe__bigfloat_ln2(x->n);
    pe__bigfloat_mul_double(&y, -k);
    pe__bigfloat_add(x, &y, 1);
    *x = pe__bigfloat_series(x, PE__EXP, 1);
    x->exponent += (int)k;
}

/* Returns whether x is certainly not 0, so that its sign is certain. */
PE__COLD int pe__bigfloat_has_sign(const pe__bigfloat *x)
{
    return x->sign != 0 && x->log2_error < 32 * x->n - 2;
}

/* Sets *y to the number nearest to x, ties to even, of the type that `drop` names: 0 for a double,
   else the value of pe__dropped_bits(). Returns 0 if the rounding is uncertain, because 0 or a
   midpoint is within the error of x. If `last` is set, more limbs are not available. Then x is
   taken to be that midpoint or 0, and the function returns 1. */
PE__COLD int pe__bigfloat_round(const pe__bigfloat *x, int drop, int last, double *y)
{
    /* r becomes d rounded to a multiple of 2^snap. The exact value differs from d by less than
       2^snap / 4, and so from r by less than 2^snap. So unless r is a midpoint, the exact value and
       r are on the same side of every midpoint. */
    const int n = x->n, snap = x->log2_error > -2 ? x->log2_error + 2 : 0;
    const int bits = drop == 0 ? 53 : drop == 29 ? 24 : 24 - drop;
    const int lowest = drop == 0 ? -1074 : drop == 13 ? -24 : -125 - bits;
    const int ulp = x->exponent - bits > lowest ? x->exponent - bits : lowest;
    const int cut = ulp - x->exponent + 32 * n; /* index of the lowest bit of d that is kept */
    uint32_t half[PE__LIMBS + 1] = {0};
    pe__bigfloat r = *x;
    *y = 0;
    if (!pe__bigfloat_has_sign(x) || snap >= cut) return last || pe__bigfloat_is_0(x);
    if (snap > 0) half[(snap - 1) / 32] = (uint32_t)1 << (snap - 1) % 32;
    pe__limbs_add(r.d, half, n + 1, 0);
    (void)pe__limbs_shift(r.d, n + 1, -snap);
    const int rest = pe__limbs_shift(r.d, n + 1, snap + 1 - cut);
    const uint64_t both = (uint64_t)r.d[1] << 32 | r.d[0], kept = both >> 1;
    if ((both & 1) && !rest && !last && !pe__bigfloat_is_exact(x)) return 0;
    *y = (double)(kept + (both & (uint64_t)(rest | (int)(kept & 1)))) * x->sign;
    *y *= pe__exp2i(ulp / 2);
    *y *= pe__exp2i(ulp - ulp / 2);
    return 1;
}

/* PE__LIMBS_FIRST is the number of limbs to begin with. If n limbs were not enough,
   pe__next_limbs(n) limbs are tried next: 10, 18, 34 and at last PE__LIMBS. */
enum { PE__LIMBS_FIRST = 6 };
PE__COLD int pe__next_limbs(int n) { return n < 34 ? 2 * n - 2 : PE__LIMBS; }

/* Returns whether a midpoint of two normal floats is less than e from hi + lo, a normalised sum.
   Such midpoints are doubles. So hi, the double nearest to the sum, is then the midpoint: the 29
   bits that a float drops are 1 and then zeros. */
PE__INLINE int pe__is_hard_to_round(double hi, double lo, double e)
{
    return (pe__double_bits(hi) & 0x1fffffffu) == 0x10000000u && fabs(lo) < e;
}
