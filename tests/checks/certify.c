/* SPDX-License-Identifier: MIT */
/*
 * certify: compares every element of whole tables, billions of elements, with an oracle in double-double arithmetic.
 *
 *     certify [some|full|every] [SECONDS] [JSON]      see certify.sh, which builds and runs it
 *
 *     some     certifies 1/16 of the rows of every table below
 *     full     certifies all rows
 *     every    certifies all rows, and then every position from -2^31 to 2^31 for some widths
 *     SECONDS  is the time after which no new piece of a table is begun; such pieces are not counted. 0: no limit
 *     JSON     is the file for the results
 *
 * The environment variable JOBS is the number of processes. The last line is "N passed, N failed", which counts tables.
 *
 * THE ORACLE shares no code with the library. With p = a + b and exact frequencies,
 *
 *     sin(p w) = sin(a w) cos(b w) + cos(a w) sin(b w)
 *     cos(p w) = cos(a w) cos(b w) - sin(a w) sin(b w)
 *
 * Here a is the anchor, one position out of every near * hops. MPFR computes the sines and cosines of the anchor and
 * of two lists of distances b, and rounds each to a double-double. The near distances are 0, 1 ... near - 1. The far
 * distances are 0, near, 2 near ... (hops - 1) near. For each row, the anchor is rotated twice: by a far distance, and
 * then by a near one. In the code and below, a turn is the sines and cosines of all pairs for one distance. The error
 * of a row, with u = 2^-53, is made of these terms:
 *
 *   input     A sine is stored as hi + lo. As |hi| <= 1, |lo| <= u/2; lo is rounded, so the error is at most
 *             2^-54 u = 2^-107.
 *   product   In a product of two inputs, p = hi hi' and its error term are exact. hi lo' + lo hi' takes two fma with
 *             results below 2^-53 and 2^-52, so their errors are 2^-107 + 2^-106. lo lo' <= 2^-108 is left out. The sum
 *             of these errors is less than 2^-105.
 *   sum       In a sum of two products, the high parts add exactly to h + t, with |t| <= 2^-53 because |h| < 2. The
 *             low parts are below 3/4 * 2^-52 each. Adding them takes two roundings of numbers below 2^-51, with errors
 *             of at most 2^-105 each. With the errors of both products, the total is less than 4 * 2^-105 = 2^-103.
 *   rotation  Let the error of the rotated sines be e. That of the turn is 2^-107. As |sine| + |cosine| <= sqrt 2, the
 *             error afterwards is at most sqrt 2 (e + 2^-107) + 2^-103.
 *   first     The first rotation has e = 2^-107, which gives 2^-106 sqrt 2 + 2^-103 < 1.18 * 2^-103.
 *   second    The second rotation gives sqrt 2 (1.18 + 1/16) 2^-103 + 2^-103 < 2.8 * 2^-103 < 2^-101.
 *
 * The amplitude A, which is 1 except in MLX, takes one more product with an error of less than 2^-104 |A|. So the exact
 * element y is within 2^-100 |A| of hi + lo, where hi is the double nearest to the sum. The constant BOUND is this
 * 2^-100. (Each turn is the exact one up to its rounding to a double-double: it is computed with at most 4096
 * rotations with 256 bits.)
 *
 * This bound proves roundings. Let hi be in [2^k, 2^(k+1)) with 2^k >= 2^-40 |A|. A tie between two adjacent numbers of
 * a type with at most 24 bits is a multiple of 2^(k-25), or of 2^(k-26) below 2^k. So a tie is either hi itself, or at
 * least 2^(k-52) away from hi. But y is within 2^(k-53) + 2^-100 |A| < 2^(k-52) of hi. So where hi is not a tie, y and
 * hi are rounded to the same number. The code rounds hi by adding and subtracting 1.5 * 2^52 units in the last place of
 * the type. MPFR decides alone, with 320 bits for the angle and 256 bits for the sine, in three cases: hi is a tie, hi
 * is small, or the library's element differs. (lo would tell on which side of a tie y is, but ties are rare.)
 *
 * For doubles, the error is measured instead. It must be at most 0.501 units in the last place, and elements below
 * 2^-20 |A| are small.
 */
#ifndef _GNU_SOURCE
    #define _GNU_SOURCE /* mmap, fork under -std=c99 */
#endif
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mpfr.h>

#include "../unit/half.h"
#include "presets.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define LIMIT INT64_C(2147483648)
/* The most bytes that one call of the library fills. More than PE_STREAM_BYTES, so it streams. */
#define CALL_BYTES ((size_t)64 << 20)
#define EVERY_ROWS ((size_t)1 << 22) /* the rows of a piece of "every position" */
#define EVERY_CALL ((size_t)1 << 20) /* the most bytes of a call there, which fit into the cache */
#define BOUND 0x1p-100
#define ANGLE_BITS 320
#define VALUE_BITS 256

#if defined(__GNUC__)
    #define INLINE static inline __attribute__((always_inline))
#else
    #define INLINE static inline
#endif

typedef enum type { F32, F64, F16, BF16 } type;
static const char *const type_name[] = {"f32", "f64", "f16", "bf16"};
static const size_t type_bytes[] = {4, 8, 2, 2};
static const int type_precision[] = {24, 53, 11, 8};

/* ---- what is certified ----------------------------------------------------------------------- */

typedef struct subject {
    pe_preset preset;
    size_t rows; /* number of rows of the table; 0 stands for every position */
    size_t d;    /* d_model, the number of columns */
    double base;
    type type;
} subject;

#define V PE_PRESET_VASWANI
#define THREE_BASES(rows, d)                                                                       \
    {V, rows, d, 1e4, F32}, {V, rows, d, 5e5, F32}, { V, rows, d, 1e6, F32 }

static const subject subjects[] = {
    THREE_BASES(512, 512),
    THREE_BASES(2048, 768),
    THREE_BASES(4096, 4096),
    THREE_BASES(8192, 128),
    THREE_BASES(131072, 128),
    THREE_BASES(1048576, 64),
    {V, 65536, 1, 1e4, F32},
    {V, 65536, 2, 5e5, F32},
    {V, 65536, 3, 1e6, F32},
    {V, 65536, 7, 1e4, F32},
    {V, 65536, 15, 5e5, F32},
    {V, 65536, 16, 1e6, F32},
    {V, 65536, 31, 1e4, F32},
    {V, 65536, 127, 5e5, F32},
    {V, 65536, 129, 1e6, F32},
    {PE_PRESET_T2T, 16384, 512, 1e4, F32},
    {PE_PRESET_T2T, 16384, 129, 1e4, F32},
    {PE_PRESET_FAIRSEQ, 16384, 1024, 1e4, F32},
    {PE_PRESET_OPENNMT, 16384, 512, 1e4, F32},
    {PE_PRESET_HF_MARIAN, 16384, 127, 1e4, F32},
    {PE_PRESET_TRANSFORMER_XL, 16384, 410, 1e4, F32},
    {PE_PRESET_TENER, 16384, 128, 1e4, F32},
    {PE_PRESET_DDPM, 16384, 320, 1e4, F32},
    {PE_PRESET_LDM, 16384, 320, 1e4, F32},
    {PE_PRESET_MUSICGEN, 16384, 1536, 1e4, F32},
    {PE_PRESET_MLX, 16384, 512, 1e4, F32},
    {V, 131072, 128, 1e4, F16},
    {V, 16384, 511, 5e5, F16},
    {PE_PRESET_MLX, 16384, 512, 1e4, F16},
    {V, 131072, 128, 1e4, BF16},
    {V, 16384, 511, 5e5, BF16},
    {V, 131072, 128, 1e4, F64},
    {PE_PRESET_LDM, 16384, 320, 1e4, F64},
    {V, 0, 64, 1e4, F32},
    {V, 0, 16, 1e4, F16},
    {V, 0, 16, 1e4, BF16},
    {V, 0, 16, 1e4, F64},
    {V, 0, 128, 5e5, F32},
};
#undef V
#undef THREE_BASES

/* Describes a preset independently of the library. */
typedef enum layout { INTERLEAVED, SINES_FIRST, COSINES_FIRST } layout;
typedef struct convention {
    layout layout;
    size_t sines, cosines; /* the numbers of columns with sines and with cosines */
    size_t zeros;          /* the number of columns at the end that are 0 */
    unsigned long num;     /* the frequency of pair i is base^(-i num / den) */
    unsigned long den;
    int64_t offset; /* is added to each position */
    int padded;     /* whether the row of position -1 is 0 */
    double amplitude;
} convention;

static convention convention_of(const subject *s)
{
    const size_t d = s->d, h = d / 2;
    convention c;
    memset(&c, 0, sizeof c);
    c.amplitude = 1;
    c.layout = s->preset == PE_PRESET_VASWANI ? INTERLEAVED : SINES_FIRST;
    if (s->preset == PE_PRESET_VASWANI || s->preset == PE_PRESET_HF_MARIAN) {
        c.sines = d - h, c.cosines = h;
    } else {
        c.sines = c.cosines = h, c.zeros = d % 2;
    }
    c.num = 1, c.den = (unsigned long)(h - 1);
    switch (s->preset) {
    case PE_PRESET_VASWANI:
    case PE_PRESET_HF_MARIAN:
    case PE_PRESET_TRANSFORMER_XL: c.num = 2, c.den = (unsigned long)d; break;
    case PE_PRESET_LDM: c.den = (unsigned long)h, c.layout = COSINES_FIRST; break;
    case PE_PRESET_MUSICGEN: c.layout = COSINES_FIRST; break;
    case PE_PRESET_FAIRSEQ: c.offset = 2, c.padded = 1; break;
    case PE_PRESET_OPENNMT: c.offset = 1; break;
    case PE_PRESET_MLX: c.amplitude = sqrt(2.0 / (double)d); break;
    default: break;
    }
    return c;
}

/* sine_column() and cosine_column() return the columns that hold the sine and the cosine of pair i. */
static size_t sine_column(const convention *c, size_t i)
{
    return c->layout == INTERLEAVED ? 2 * i : c->layout == SINES_FIRST ? i : c->cosines + i;
}
static size_t cosine_column(const convention *c, size_t i)
{
    return c->layout == INTERLEAVED ? 2 * i + 1 : c->layout == SINES_FIRST ? c->sines + i : i;
}

enum { PLACES = 6 };
static int64_t first_of(const subject *s, size_t rows, int64_t offset, size_t place)
{
    const int64_t n = (int64_t)rows;
    const int64_t firsts[PLACES] = {0, 1 << 20, 1 << 24, LIMIT - n + 1 - offset, -n / 2, -LIMIT};
    (void)s;
    return firsts[place];
}

/* ---- results --------------------------------------------------------------------------------- */

typedef struct result {
    uint64_t elements, by_mpfr, ties, wrong;
    double worst; /* the largest error, in units in the last place of the exact value's binade */
    double worst_got;
    int64_t worst_position;
    size_t worst_column;
    double seconds; /* processor time, which includes filling and making the oracle */
    uint64_t pieces, pieces_done;
} result;

/* ---- memory ---------------------------------------------------------------------------------- */

static void *need(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, bytes + 64) != 0) {
        fprintf(stderr, "certify: out of memory\n");
        exit(2);
    }
    return p;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double now(void) { return seconds_of(CLOCK_MONOTONIC); }
static double cpu_time(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

/* ---- double-double: a row is four arrays of `pad` doubles: sine hi, sine lo, cosine hi, cosine lo ---- */

INLINE double two_sum(double a, double b, double *error)
{
    const double s = a + b, t = s - a;
    *error = (a - (s - t)) + (b - t);
    return s;
}

/* Returns the high part of x X + y Y and stores the low part in *low. The arguments are four double-doubles. */
INLINE double turned(double xh, double xl, double Xh, double Xl, double yh, double yl, double Yh,
                     double Yl, double *low)
{
    const double p = xh * Xh, q = yh * Yh;
    const double pl = fma(xh, Xl, fma(xl, Xh, fma(xh, Xh, -p)));
    const double ql = fma(yh, Yl, fma(yl, Yh, fma(yh, Yh, -q)));
    double t;
    const double h = two_sum(p, q, &t);
    *low = t + (pl + ql);
    return h;
}

/* Rotates `anchor` with the sines and cosines in `turn`, and stores normalised double-doubles in `out`. */
static void turn_anchor(const double *restrict anchor, const double *restrict turn,
                        double *restrict out, size_t pad)
{
    for (size_t i = 0; i < pad; i++) {
        const double sh = anchor[i], sl = anchor[pad + i], ch = anchor[2 * pad + i],
                     cl = anchor[3 * pad + i];
        const double Sh = turn[i], Sl = turn[pad + i], Ch = turn[2 * pad + i],
                     Cl = turn[3 * pad + i];
        double l, h = turned(sh, sl, Ch, Cl, ch, cl, Sh, Sl, &l);
        out[i] = two_sum(h, l, &out[pad + i]);
        h = turned(ch, cl, Ch, Cl, -sh, -sl, Sh, Sl, &l);
        out[2 * pad + i] = two_sum(h, l, &out[3 * pad + i]);
    }
}

/* ---- the judgement --------------------------------------------------------------------------- */

INLINE int64_t bits_of(double x)
{
    int64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}
INLINE double double_of(int64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* Says how a type rounds. A unit in the last place of a number with the exponent e is 2^(e - precision + 1), where e is
   at least the smallest exponent of the type. Exponent fields are bits 52 to 62 of a double, in their place. */
typedef struct rule {
    int64_t least;   /* the smallest exponent field */
    int64_t inverse; /* inverse - exponent field is the bits of the double 1 / unit */
    int64_t magic;   /* exponent field + magic is the bits of the double 1.5 * 2^52 units */
    double small;    /* MPFR decides about elements below this */
    double amplitude;
    int is_f64, scaled;
} rule;

static rule rule_of(type t, double amplitude)
{
    const int64_t p = type_precision[t];
    rule r;
    r.least = (int64_t)(1023 - (t == F16 ? 14 : 60)) * (INT64_C(1) << 52);
    r.inverse = (2046 + p - 1) * (INT64_C(1) << 52);
    r.magic = (52 - (p - 1)) * (INT64_C(1) << 52) + (INT64_C(1) << 51);
    r.small = (t == F64 ? 0x1p-20 : t == F16 ? 0x1p-23 : 0x1p-40) * fabs(amplitude);
    /* Smaller elements of f16 may round to 0, whose sign only MPFR compares. */
    if (t == F16 && r.small < 0x1p-23) r.small = 0x1p-23;
    r.amplitude = amplitude;
    r.is_f64 = t == F64;
    r.scaled = amplitude != 1.0;
    return r;
}

/* Compares the library's element `got` with the oracle's h + l, which `scaled` multiplies by the amplitude. Returns the
   error in units in the last place. Sets *unsure if MPFR has to decide, and *tie if the oracle's value is a tie. */
INLINE double judge(double h, double l, double got, const rule *k, int is_f64, int scaled,
                    int64_t *unsure, int64_t *tie)
{
    if (scaled) {
        const double a = k->amplitude, p = a * h;
        l = fma(a, l, fma(a, h, -p));
        h = p;
    }
    const double hi = h + l, lo = l - (hi - h);
    int64_t e = bits_of(hi) & (INT64_C(0x7ff) << 52);
    e = e > k->least ? e : k->least;
    const double inverse = double_of(k->inverse - e);
    const double error = fabs((hi - got) + lo) * inverse;
    if (is_f64) {
        *unsure |= (int64_t)(!(error <= 0.5009)) | (int64_t)(!(fabs(hi) >= k->small));
    } else {
        const double magic = double_of(e + k->magic);
        const double rounded = (hi + magic) - magic;
        const int64_t is_tie = (int64_t)(fabs(hi - rounded) * inverse == 0.5);
        *tie |= is_tie;
        *unsure |= (int64_t)(!(rounded == got)) | is_tie | (int64_t)(!(fabs(hi) >= k->small));
    }
    return error;
}

typedef struct verdict {
    int64_t unsure; /* whether MPFR has to decide about an element */
    int64_t tie;    /* whether an element is a tie */
    int64_t worst;  /* the bits of the largest error, a double */
} verdict;

/* Rotates `anchor` with `turn` and compares n pairs with the library's `sines` and `cosines`. Since look()
   passes constants for is_f64 and scaled, the compiler makes four loops without branches. */
INLINE verdict look_at(const double *restrict anchor, const double *restrict turn, size_t pad,
                       size_t n, const double *restrict sines, const double *restrict cosines,
                       const rule *k, int is_f64, int scaled)
{
    const double *restrict ash = anchor, *restrict asl = anchor + pad,
                           *restrict ach = anchor + 2 * pad, *restrict acl = anchor + 3 * pad;
    const double *restrict tsh = turn, *restrict tsl = turn + pad, *restrict tch = turn + 2 * pad,
                           *restrict tcl = turn + 3 * pad;
    const rule rule_here = *k;
    int64_t unsure = 0, tie = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        double sl, cl;
        const double sh =
            turned(ash[i], asl[i], tch[i], tcl[i], ach[i], acl[i], tsh[i], tsl[i], &sl);
        const double ch =
            turned(ach[i], acl[i], tch[i], tcl[i], -ash[i], -asl[i], tsh[i], tsl[i], &cl);
        const int64_t es =
            bits_of(judge(sh, sl, sines[i], &rule_here, is_f64, scaled, &unsure, &tie));
        const int64_t ec =
            bits_of(judge(ch, cl, cosines[i], &rule_here, is_f64, scaled, &unsure, &tie));
        worst = es > worst ? es : worst;
        worst = ec > worst ? ec : worst;
    }
    const verdict v = {unsure, tie, worst};
    return v;
}

static verdict look(const double *anchor, const double *turn, size_t pad, size_t n,
                    const double *sines, const double *cosines, const rule *k)
{
    if (k->is_f64)
        return k->scaled ? look_at(anchor, turn, pad, n, sines, cosines, k, 1, 1)
                         : look_at(anchor, turn, pad, n, sines, cosines, k, 1, 0);
    return k->scaled ? look_at(anchor, turn, pad, n, sines, cosines, k, 0, 1)
                     : look_at(anchor, turn, pad, n, sines, cosines, k, 0, 0);
}

/* ---- the oracle of a subject ----------------------------------------------------------------- */

typedef struct oracle {
    const subject *subject;
    convention convention;
    rule rule;
    size_t pairs; /* the number of columns with sines */
    size_t pad;   /* pairs, rounded up to whole vectors; the pairs in addition have the angle 0 */
    size_t near;  /* the number of near distances: 0, 1 ... near - 1 positions */
    size_t hops;  /* the number of far distances: 0, near, 2 near ... positions */
    mpfr_t *frequencies;
    mpfr_t angle, sine, cosine, element;
    double *near_turns;      /* [near][4 pad]: the sines and cosines of the near distances */
    double *far_turns;       /* [hops][4 pad]: the sines and cosines of the far distances */
    double *anchor;          /* [4 pad]: the sines and cosines of the anchor, from MPFR */
    double *here;            /* [4 pad]: the anchor, rotated by a far distance */
    double *sines, *cosines; /* a row of the library, converted to doubles */
    pe_plan plan;
    void *memory;
    unsigned char *buffer;
} oracle;

static float *half_values(type t)
{
    static float table[2][65536];
    static int ready;
    if (!ready) {
        for (uint32_t b = 0; b < 65536; b++)
            for (int is_bf16 = 0; is_bf16 < 2; is_bf16++)
                table[is_bf16][b] = (float)half_value(is_bf16, (uint16_t)b);
        ready = 1;
    }
    return table[t == BF16];
}

static void split(const mpfr_t x, mpfr_t scratch, double *hi, double *lo)
{
    *hi = mpfr_get_d(x, MPFR_RNDN);
    mpfr_sub_d(scratch, x, *hi, MPFR_RNDN);
    *lo = mpfr_get_d(scratch, MPFR_RNDN);
}

static void oracle_turn(oracle *o, int64_t position, size_t pair)
{
    mpfr_mul_si(o->angle, o->frequencies[pair], (long)position, MPFR_RNDN);
    mpfr_sin_cos(o->sine, o->cosine, o->angle, MPFR_RNDN);
}

/* Stores in `out` the sines and cosines of the distances 0, step, 2 step ... (count - 1) step, as double-doubles. */
static void oracle_turns(oracle *o, double *out, size_t count, int64_t step)
{
    mpfr_t s, c, next, scratch;
    mpfr_inits2(VALUE_BITS, s, c, next, scratch, (mpfr_ptr)NULL);
    for (size_t i = 0; i < o->pad; i++) {
        if (i < o->pairs) oracle_turn(o, step, i);
        mpfr_set_ui(s, 0, MPFR_RNDN);
        mpfr_set_ui(c, 1, MPFR_RNDN);
        for (size_t b = 0; b < count; b++) {
            double *const row = out + 4 * o->pad * b;
            split(s, scratch, &row[i], &row[o->pad + i]);
            split(c, scratch, &row[2 * o->pad + i], &row[3 * o->pad + i]);
            if (i >= o->pairs) continue;
            mpfr_fmma(next, s, o->cosine, c, o->sine, MPFR_RNDN);
            mpfr_fmms(c, c, o->cosine, s, o->sine, MPFR_RNDN);
            mpfr_swap(s, next);
        }
    }
    mpfr_clears(s, c, next, scratch, (mpfr_ptr)NULL);
}

static unsigned long common_divisor(unsigned long a, unsigned long b)
{
    while (b) {
        const unsigned long rest = a % b;
        a = b, b = rest;
    }
    return a;
}

static void oracle_make(oracle *o, const subject *s)
{
    memset(o, 0, sizeof *o);
    o->subject = s;
    o->convention = convention_of(s);
    o->rule = rule_of(s->type, o->convention.amplitude);
    o->pairs = o->convention.sines;
    o->pad = (o->pairs + 7) / 8 * 8;
    const size_t rows = s->rows ? s->rows : EVERY_ROWS;
    o->near = 8;
    while (o->near < 64 && o->near * o->near < rows) o->near *= 2;
    o->hops = 8;
    while (o->hops < 2048 && o->near * o->hops < rows) o->hops *= 2;
    mpfr_inits2(ANGLE_BITS, o->angle, o->element, (mpfr_ptr)NULL);
    mpfr_inits2(VALUE_BITS, o->sine, o->cosine, (mpfr_ptr)NULL);
    o->frequencies = (mpfr_t *)need(o->pairs * sizeof *o->frequencies);
    for (size_t i = 0; i < o->pairs; i++) {
        /* The frequency base^(-n / m) is computed as the m-th root of a power, with n / m in lowest terms. So it is
           exact whenever the result can be represented. */
        const unsigned long n = o->convention.num * (unsigned long)i, m = o->convention.den;
        const unsigned long common = i ? common_divisor(n, m) : 1;
        mpfr_init2(o->frequencies[i], ANGLE_BITS + 64);
        mpfr_set_d(o->frequencies[i], s->base, MPFR_RNDN);
        mpfr_pow_ui(o->frequencies[i], o->frequencies[i], n / common, MPFR_RNDN);
        if (i) mpfr_rootn_ui(o->frequencies[i], o->frequencies[i], m / common, MPFR_RNDN);
        mpfr_ui_div(o->frequencies[i], 1, o->frequencies[i], MPFR_RNDN);
    }
    const size_t row = 4 * o->pad * sizeof(double);
    o->near_turns = (double *)need(o->near * row);
    o->far_turns = (double *)need(o->hops * row);
    o->anchor = (double *)need(row);
    o->here = (double *)need(row);
    o->sines = (double *)need(o->pad * sizeof(double));
    o->cosines = (double *)need(o->pad * sizeof(double));
    memset(o->sines, 0, o->pad * sizeof(double));
    memset(o->cosines, 0, o->pad * sizeof(double));
    oracle_turns(o, o->near_turns, o->near, 1);
    oracle_turns(o, o->far_turns, o->hops, (int64_t)o->near);

    pe_config config = pe_config_preset(s->preset, s->d);
    config.base = s->base;
    const size_t size = pe_plan_size(&config);
    o->memory = need(size);
    const pe_status status = pe_plan_init(&o->plan, &config, o->memory, size);
    if (status != PE_OK) {
        fprintf(stderr, "certify: pe_plan_init: %s\n", pe_status_string(status));
        exit(2);
    }
    o->buffer = (unsigned char *)need(CALL_BYTES);
}

static void oracle_free(oracle *o)
{
    for (size_t i = 0; i < o->pairs; i++) mpfr_clear(o->frequencies[i]);
    mpfr_clears(o->angle, o->element, o->sine, o->cosine, (mpfr_ptr)NULL);
    free(o->frequencies);
    free(o->near_turns);
    free(o->far_turns);
    free(o->anchor);
    free(o->here);
    free(o->sines);
    free(o->cosines);
    free(o->memory);
    free(o->buffer);
}

/* Computes with MPFR the sines and cosines of `position`, and makes it the anchor. */
static void oracle_anchor(oracle *o, int64_t position)
{
    for (size_t i = 0; i < o->pad; i++) {
        if (i < o->pairs) oracle_turn(o, position, i);
        else mpfr_set_ui(o->sine, 0, MPFR_RNDN), mpfr_set_ui(o->cosine, 1, MPFR_RNDN);
        split(o->sine, o->angle, &o->anchor[i], &o->anchor[o->pad + i]);
        split(o->cosine, o->angle, &o->anchor[2 * o->pad + i], &o->anchor[3 * o->pad + i]);
    }
}

/* Returns x rounded to the type t, using only MPFR. */
static double rounded_by_mpfr(const mpfr_t x, type t)
{
    if (t == F32) return (double)mpfr_get_flt(x, MPFR_RNDN);
    if (t == F64) return mpfr_get_d(x, MPFR_RNDN);
    if (mpfr_zero_p(x)) return 0;
    long precision = type_precision[t];
    if (t == F16 && mpfr_get_exp(x) - 1 < -14) precision -= -14 - (mpfr_get_exp(x) - 1);
    const double unit = ldexp(1, (int)(mpfr_get_exp(x) - precision));
    mpfr_t y;
    double r;
    mpfr_init2(y, ANGLE_BITS);
    mpfr_div_d(y, x, unit, MPFR_RNDN); /* exact, as unit is a power of two */
    mpfr_rint(y, y, MPFR_RNDN);        /* ties to even */
    r = mpfr_get_d(y, MPFR_RNDN) * unit;
    mpfr_clear(y);
    return r == 0 && mpfr_sgn(x) < 0 ? -0.0 : r;
}

/* Computes one element with MPFR, and returns 1 if the library's `got` is wrong. For doubles, also stores the error in
   units in the last place in *f64_error. */
static int decide(oracle *o, int64_t position, size_t pair, int is_cosine, double got,
                  double *f64_error)
{
    oracle_turn(o, position, pair);
    mpfr_mul_d(o->element, is_cosine ? o->cosine : o->sine, o->convention.amplitude, MPFR_RNDN);
    const double want = rounded_by_mpfr(o->element, o->subject->type);
    if (o->subject->type == F64 && !mpfr_zero_p(o->element) && isfinite(got)) {
        const long unit = (long)mpfr_get_exp(o->element) - 53;
        mpfr_sub_d(o->element, o->element, got, MPFR_RNDN);
        mpfr_mul_2si(o->element, o->element, -unit, MPFR_RNDN);
        *f64_error = fabs(mpfr_get_d(o->element, MPFR_RNDN));
        return !(*f64_error <= 0.501);
    }
    return !(got == want && signbit(got) == signbit(want));
}

static void decode(oracle *o, const void *row)
{
    const convention *c = &o->convention;
    double *const s = o->sines, *const k = o->cosines;
    const size_t n = c->sines, m = c->cosines;
    const float *half;
    switch (o->subject->type) {
    case F32: {
        const float *x = (const float *)row;
        if (c->layout == INTERLEAVED) {
            for (size_t i = 0; i < m; i++) s[i] = (double)x[2 * i], k[i] = (double)x[2 * i + 1];
            if (n > m) s[m] = (double)x[2 * m];
        } else {
            const float *xs = x + sine_column(c, 0), *xc = x + cosine_column(c, 0);
            for (size_t i = 0; i < n; i++) s[i] = (double)xs[i];
            for (size_t i = 0; i < m; i++) k[i] = (double)xc[i];
        }
        break;
    }
    case F64:
        for (size_t i = 0; i < n; i++) s[i] = ((const double *)row)[sine_column(c, i)];
        for (size_t i = 0; i < m; i++) k[i] = ((const double *)row)[cosine_column(c, i)];
        break;
    case F16:
    case BF16:
        half = half_values(o->subject->type);
        for (size_t i = 0; i < n; i++)
            s[i] = (double)half[((const uint16_t *)row)[sine_column(c, i)]];
        for (size_t i = 0; i < m; i++)
            k[i] = (double)half[((const uint16_t *)row)[cosine_column(c, i)]];
        break;
    }
}

/* Compares one element again, on its own, and asks MPFR if needed. The caller certify_row() needs
   this if look() left an element of the row undecided, or if the row has a larger error than all
   rows before. */
static void single(oracle *o, const double *turn, int64_t position, size_t pair, int is_cosine,
                   result *r)
{
    const size_t n = o->pad, i = pair;
    const double *a = o->here;
    const double got = is_cosine ? o->cosines[i] : o->sines[i];
    int64_t unsure = 0, tie = 0;
    double low, error;
    const double h = is_cosine
                         ? turned(a[2 * n + i], a[3 * n + i], turn[2 * n + i], turn[3 * n + i],
                                  -a[i], -a[n + i], turn[i], turn[n + i], &low)
                         : turned(a[i], a[n + i], turn[2 * n + i], turn[3 * n + i], a[2 * n + i],
                                  a[3 * n + i], turn[i], turn[n + i], &low);
    error = judge(h, low, got, &o->rule, o->rule.is_f64, o->rule.scaled, &unsure, &tie);
    if (unsure) {
        const int64_t at = position + o->convention.offset;
        r->by_mpfr++;
        r->ties += (uint64_t)tie;
        if (got == 0) error = 0; /* an error in units of 0 means nothing; decide() judges it */
        if (decide(o, at, pair, is_cosine, got, &error)) {
            if (r->wrong++ < 4)
                fprintf(stderr,
                        "  MISROUNDED %s %s, d_model %zu, base %a, position %" PRId64
                        ", column %zu: got %a, want %a\n",
                        preset_names[o->subject->preset], type_name[o->subject->type],
                        o->subject->d, o->subject->base, position,
                        is_cosine ? cosine_column(&o->convention, pair)
                                  : sine_column(&o->convention, pair),
                        got,
                        (oracle_turn(o, at, pair),
                         mpfr_mul_d(o->element, is_cosine ? o->cosine : o->sine,
                                    o->convention.amplitude, MPFR_RNDN),
                         rounded_by_mpfr(o->element, o->subject->type)));
        }
    }
    if (error > r->worst && isfinite(error)) {
        r->worst = error;
        r->worst_got = got;
        r->worst_position = position;
        r->worst_column =
            is_cosine ? cosine_column(&o->convention, pair) : sine_column(&o->convention, pair);
    }
}

/* Compares the library's row of `position` with o->here rotated with `turn`, and adds the outcome to *r. */
static void certify_row(oracle *o, const double *turn, int64_t position, const void *row, result *r)
{
    const convention *c = &o->convention;
    const size_t size = type_bytes[o->subject->type];
    int64_t worst_bits;
    r->elements += o->subject->d;
    for (size_t z = 0; z < (c->padded && position == -1 ? o->subject->d : c->zeros) * size; z++)
        if (((const unsigned char *)row)[(o->subject->d * size - 1) - z] != 0) {
            r->wrong++;
            fprintf(stderr, "  NOT ZERO: position %" PRId64 "\n", position);
            return;
        }
    if (c->padded && position == -1) return;
    decode(o, row);
    const verdict v = look(o->here, turn, o->pad, c->cosines, o->sines, o->cosines, &o->rule);
    memcpy(&worst_bits, &r->worst, sizeof worst_bits);
    if (v.unsure || v.worst > worst_bits)
        for (size_t i = 0; i < c->cosines; i++) {
            single(o, turn, position, i, 0, r);
            single(o, turn, position, i, 1, r);
        }
    if (c->sines > c->cosines) single(o, turn, position, c->cosines, 0, r);
}

static void fill(oracle *o, int64_t first, size_t rows, void *out)
{
    const size_t d = o->subject->d;
    pe_status status = PE_ERR_CONFIG;
    switch (o->subject->type) {
    case F32: status = pe_fill_f32(&o->plan, pe_from(first), rows, (float *)out, d); break;
    case F64: status = pe_fill_f64(&o->plan, pe_from(first), rows, (double *)out, d); break;
    case F16: status = pe_fill_f16(&o->plan, pe_from(first), rows, (uint16_t *)out, d); break;
    case BF16: status = pe_fill_bf16(&o->plan, pe_from(first), rows, (uint16_t *)out, d); break;
    }
    if (status != PE_OK) {
        fprintf(stderr, "certify: pe_fill: %s\n", pe_status_string(status));
        exit(2);
    }
}

/* Compares the rows of `table`, whose first row is that of position `first`. The first anchor is at position
   anchor_first, and there is another one every near * hops positions. */
static void certify_rows(oracle *o, int64_t first, size_t rows, const unsigned char *table,
                         int64_t anchor_first, result *r)
{
    const size_t d = o->subject->d, size = type_bytes[o->subject->type];
    for (size_t row = 0; row < rows; row++) {
        const int64_t position = first + (int64_t)row;
        const uint64_t along = (uint64_t)(position - anchor_first);
        const size_t near = (size_t)(along % o->near), hop = (size_t)(along / o->near % o->hops);
        if (near == 0 || row == 0) {
            if (hop == 0 && near == 0) oracle_anchor(o, position + o->convention.offset);
            turn_anchor(o->anchor, o->far_turns + 4 * o->pad * hop, o->here, o->pad);
        }
        certify_row(o, o->near_turns + 4 * o->pad * near, position, table + row * d * size, r);
    }
}

/* Fills and compares `rows` positions starting at `first`. Each call of pe_fill_T() writes at most call_bytes. */
static void certify_stretch(oracle *o, int64_t first, size_t rows, size_t call_bytes, result *r)
{
    const size_t row_bytes = o->subject->d * type_bytes[o->subject->type];
    const size_t most = call_bytes / row_bytes;
    for (size_t done = 0; done < rows;) {
        const size_t n = rows - done < most ? rows - done : most;
        fill(o, first + (int64_t)done, n, o->buffer);
        certify_rows(o, first + (int64_t)done, n, o->buffer, first, r);
        done += n;
    }
}

/* ---- does it notice? ------------------------------------------------------------------------- */

static uint64_t random_state = 1;
static uint64_t random_next(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Tests the oracle itself with a small table like that of `given`. Stores in *largest the largest difference between
   the oracle and MPFR for random elements. Then changes SPOILT elements by one unit in the last place (doubles by two),
   and counts how many the oracle finds. Returns 1 if the difference is at most BOUND and exactly these are found. */
static int control(const subject *given, double *largest)
{
    enum { ROWS = 300, SPOILT = 100 };
    subject s = *given;
    oracle o;
    result r, clean;
    mpfr_t difference;
    size_t spoilt = 0;
    s.rows = ROWS;
    oracle_make(&o, &s);
    const size_t size = type_bytes[s.type], n = ROWS * s.d, columns = s.d - o.convention.zeros;
    const int64_t first = LIMIT / 3;
    mpfr_init2(difference, ANGLE_BITS);
    oracle_anchor(&o, first + o.convention.offset);
    for (size_t k = 0; k < 400; k++) {
        const size_t i = (size_t)(random_next() % o.pairs), hop = (size_t)(random_next() % o.hops),
                     near = (size_t)(random_next() % o.near), p = o.pad;
        const double *t = o.near_turns + 4 * p * near, *a = o.here;
        double low[2], high[2];
        turn_anchor(o.anchor, o.far_turns + 4 * p * hop, o.here, p);
        high[0] = turned(a[i], a[p + i], t[2 * p + i], t[3 * p + i], a[2 * p + i], a[3 * p + i],
                         t[i], t[p + i], &low[0]);
        high[1] = turned(a[2 * p + i], a[3 * p + i], t[2 * p + i], t[3 * p + i], -a[i], -a[p + i],
                         t[i], t[p + i], &low[1]);
        oracle_turn(&o, first + o.convention.offset + (int64_t)(hop * o.near + near), i);
        for (int c = 0; c < 2; c++) {
            mpfr_sub_d(difference, c ? o.cosine : o.sine, high[c], MPFR_RNDN);
            mpfr_sub_d(difference, difference, low[c], MPFR_RNDN);
            const double off = fabs(mpfr_get_d(difference, MPFR_RNDN));
            if (off > *largest) *largest = off;
        }
    }
    mpfr_clear(difference);

    fill(&o, first, ROWS, o.buffer);
    unsigned char *const mine = o.buffer;
    memset(&clean, 0, sizeof clean);
    certify_rows(&o, first, ROWS, mine, first, &clean);
    unsigned char *const marked = (unsigned char *)need(n);
    memset(marked, 0, n);
    while (spoilt < SPOILT) {
        const size_t row = (size_t)(random_next() % ROWS);
        const size_t at = row * s.d + (size_t)(random_next() % columns);
        if (marked[at]) continue;
        marked[at] = 1;
        spoilt++;
        /* The element is moved up or down by one unit in the last place. A double is moved by two
           units, since its error may be at most 0.501 after a move of one unit. */
        uint64_t bits = 0;
        uint32_t word;
        uint16_t half;
        const uint64_t step = s.type == F64 ? 2 : 1;
        unsigned char *const e = mine + at * size;
        if (size == 8) memcpy(&bits, e, 8);
        else if (size == 4) memcpy(&word, e, 4), bits = word;
        else memcpy(&half, e, 2), bits = half;
        bits = random_next() & 1 ? bits + step : bits - step;
        word = (uint32_t)bits, half = (uint16_t)bits;
        if (size == 8) memcpy(e, &bits, 8);
        else if (size == 4) memcpy(e, &word, 4);
        else memcpy(e, &half, 2);
    }
    free(marked);
    memset(&r, 0, sizeof r);
    r.wrong = 4; /* single() prints only the first four wrong elements, so nothing is printed */
    certify_rows(&o, first, ROWS, mine, first, &r);
    oracle_free(&o);
    return clean.wrong == 0 && r.wrong == 4 + SPOILT && *largest <= BOUND;
}

/* ---- the run --------------------------------------------------------------------------------- */

typedef struct piece {
    size_t subject;
    int64_t first;
    size_t rows, call_bytes;
} piece;

typedef struct shared {
    uint64_t next, elements;
    int lock;
    double begin, limit;
    result results[LENGTH(subjects)];
} shared;

static void add_result(shared *all, size_t which, const result *r)
{
    result *const sum = &all->results[which];
    while (__atomic_exchange_n(&all->lock, 1, __ATOMIC_ACQUIRE)) usleep(50);
    if (r->worst > sum->worst) {
        sum->worst = r->worst, sum->worst_got = r->worst_got;
        sum->worst_position = r->worst_position, sum->worst_column = r->worst_column;
    }
    sum->elements += r->elements;
    sum->by_mpfr += r->by_mpfr;
    sum->ties += r->ties;
    sum->wrong += r->wrong;
    sum->seconds += r->seconds;
    sum->pieces_done++;
    all->elements += r->elements;
    __atomic_store_n(&all->lock, 0, __ATOMIC_RELEASE);
}

static void work(shared *all, const piece *pieces, size_t count)
{
    oracle o;
    size_t made = SIZE_MAX;
    for (;;) {
        const uint64_t k = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED);
        const double start = cpu_time();
        if (k >= count || (all->limit > 0 && now() - all->begin > all->limit)) break;
        const piece *p = &pieces[k];
        result r;
        memset(&r, 0, sizeof r);
        if (made != p->subject) {
            if (made != SIZE_MAX) oracle_free(&o);
            oracle_make(&o, &subjects[p->subject]);
            made = p->subject;
        }
        certify_stretch(&o, p->first, p->rows, p->call_bytes, &r);
        r.seconds = cpu_time() - start;
        add_result(all, p->subject, &r);
    }
    if (made != SIZE_MAX) oracle_free(&o);
}

/* Stores the pieces of a run and returns their number. The tables come first. The pieces for "every position" follow,
   alternating between the subjects. */
static size_t pieces_of(piece *pieces, int mode)
{
    size_t count = 0;
    for (size_t k = 0; k < LENGTH(subjects); k++) {
        const subject *s = &subjects[k];
        if (s->rows == 0) continue;
        size_t rows = s->rows;
        if (mode == 0) rows = rows / 16 > 256 ? rows / 16 : 256;
        for (size_t place = 0; place < PLACES; place++) {
            const piece p = {k, first_of(s, rows, convention_of(s).offset, place), rows,
                             CALL_BYTES};
            pieces[count++] = p;
        }
    }
    if (mode == 2)
        for (size_t k = 0; k < LENGTH(subjects); k++) {
            if (subjects[k].rows) continue;
            for (int64_t first = -LIMIT; first <= LIMIT; first += (int64_t)EVERY_ROWS) {
                const size_t left = (size_t)(LIMIT - first) + 1;
                const piece p = {k, first, left < EVERY_ROWS ? left : EVERY_ROWS, EVERY_CALL};
                pieces[count++] = p;
            }
        }
    return count;
}

static void name_of(const subject *s, char *name, size_t bytes)
{
    if (s->rows)
        snprintf(name, bytes, "%s %s %zu x %zu base %g", preset_names[s->preset],
                 type_name[s->type], s->rows, s->d, s->base);
    else
        snprintf(name, bytes, "%s %s every position x %zu base %g", preset_names[s->preset],
                 type_name[s->type], s->d, s->base);
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"some", "full", "every"};
    const char *const given = argc > 1 ? argv[1] : "some";
    const double limit = argc > 2 ? atof(argv[2]) : 0;
    const char *const jobs_given = getenv("JOBS");
    const int jobs = jobs_given && atoi(jobs_given) > 0 ? atoi(jobs_given) : 1;
    unsigned passed = 0, failed = 0, unfinished = 0;
    int mode = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (mode < 3 && strcmp(given, modes[mode]) != 0) mode++;
    if (mode == 3) {
        fprintf(stderr, "certify: some, full or every, not '%s'\n", given);
        return 2;
    }
    printf("certify %s: pe %s, %s, %s; MPFR %s; %d processes%s\n", given, PE_VERSION_STRING,
           PE_ISA_NAME, PE_SLEEF_NAME, mpfr_get_version(), jobs,
           limit > 0 ? ", with a time limit" : "");

    /* The oracle is tested first, because a check that cannot fail proves nothing. */
    double largest = 0;
    unsigned noticed = 0, controls = 0;
    for (size_t k = 0; k < LENGTH(subjects); k += k < 18 ? 5 : 1) {
        if (subjects[k].rows == 0 || subjects[k].d > 1536) continue;
        controls++;
        if (control(&subjects[k], &largest)) noticed++;
        else {
            char name[100];
            name_of(&subjects[k], name, sizeof name);
            printf("FAIL  the control of %s\n", name);
        }
    }
    printf(
        "%s  oracle: within %.3g = 2^%.2f of MPFR (bound 2^%.0f); %u of %u controls found exactly "
        "the elements spoilt by one ulp\n",
        noticed == controls ? "ok  " : "FAIL", largest, log2(largest), log2(BOUND), noticed,
        controls);
    if (noticed == controls) passed++;
    else failed++;

    shared *const all = (shared *)mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == (shared *)MAP_FAILED) return 2;
    memset(all, 0, sizeof *all);
    piece *const pieces = (piece *)need(
        LENGTH(subjects) * (PLACES + 2 * (size_t)LIMIT / EVERY_ROWS + 2) * sizeof *pieces);
    const size_t count = pieces_of(pieces, mode);
    for (size_t k = 0; k < count; k++) all->results[pieces[k].subject].pieces++;
    all->begin = now();
    all->limit = limit;
    int broken = 0, running = jobs;
    for (int j = 0; j < jobs; j++) {
        const pid_t child = fork();
        if (child < 0) {
            perror("fork");
            running--, broken = 1;
        } else if (child == 0) {
            work(all, pieces, count);
            fflush(stdout);
            _exit(0);
        }
    }
    for (double told = now(); running > 0;) {
        int status = 0;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            running--;
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) broken = 1;
            continue;
        }
        usleep(20000);
        if (now() - told > 10) {
            told = now();
            fprintf(stderr, "certify: %.3g elements after %.0f s\n",
                    (double)__atomic_load_n(&all->elements, __ATOMIC_RELAXED), told - all->begin);
        }
    }
    const double seconds = now() - all->begin;
    if (broken) {
        printf("FAIL  a process of the run ended badly\n");
        failed++;
    }

    FILE *const json = argc > 3 ? fopen(argv[3], "w") : NULL;
    if (argc > 3 && !json) {
        perror(argv[3]);
        return 2;
    }
    if (json)
        fprintf(json,
                "{\"mode\": \"%s\", \"isa\": \"%s\", \"sines\": \"%s\", \"oracle_error\": %.4g, "
                "\"oracle_bound\": %.4g, \"controls\": %u, \"controls_noticed\": %u,\n"
                " \"configurations\": [",
                given, PE_ISA_NAME, PE_SLEEF_NAME, largest, BOUND, controls, noticed);
    uint64_t elements[4] = {0}, by_mpfr = 0, ties = 0, wrong = 0, everything = 0;
    result worst[4];
    size_t worst_subject[4] = {0};
    memset(worst, 0, sizeof worst);
    printf("%-46s %14s %7s %6s %6s  %-16s %s\n", "      table, 6 offsets", "elements", "by MPFR",
           "ties", "wrong", "largest error", "at position, column; ns per element");
    int written = 0;
    for (size_t k = 0; k < LENGTH(subjects); k++) {
        const subject *s = &subjects[k];
        const result *r = &all->results[k];
        char name[100];
        if (r->pieces == 0) continue;
        name_of(s, name, sizeof name);
        const int whole = r->pieces_done == r->pieces, ok = r->wrong == 0;
        if (r->pieces_done == 0) {
            unfinished++;
            printf("      %-40s not begun: out of time\n", name);
            continue;
        }
        if (ok) passed++;
        else failed++;
        const double ns = r->seconds * 1e9 / (double)r->elements;
        printf("%s  %-40s %14" PRIu64 " %7" PRIu64 " %6" PRIu64 " %6" PRIu64 "  %.12f ulp %" PRId64
               ", %zu; %.2f ns%s\n",
               ok ? "ok  " : "FAIL", name, r->elements, r->by_mpfr, r->ties, r->wrong, r->worst,
               r->worst_position, r->worst_column, ns, whole ? "" : " (not all: out of time)");
        if (json)
            fprintf(json,
                    "%s\n  {\"name\": \"%s\", \"preset\": \"%s\", \"type\": \"%s\", \"rows\": %zu, "
                    "\"d_model\": %zu, \"base\": %.17g, \"elements\": %" PRIu64
                    ", \"near_ties\": %" PRIu64 ", \"by_mpfr\": %" PRIu64
                    ", \"misrounded\": %" PRIu64
                    ", \"max_error_ulp\": %.15g, \"max_error_position\": %" PRId64
                    ", \"max_error_column\": %zu, \"max_error_value\": \"%a\", "
                    "\"ns_per_element\": %.4g, \"complete\": %s}",
                    written++ ? "," : "", name, preset_names[s->preset], type_name[s->type],
                    s->rows, s->d, s->base, r->elements, r->ties, r->by_mpfr, r->wrong, r->worst,
                    r->worst_position, r->worst_column, r->worst_got, ns, whole ? "true" : "false");
        elements[s->type] += r->elements;
        everything += r->elements;
        by_mpfr += r->by_mpfr, ties += r->ties, wrong += r->wrong;
        if (r->worst > worst[s->type].worst) worst[s->type] = *r, worst_subject[s->type] = k;
    }
    if (json)
        fprintf(json,
                "],\n \"elements\": %" PRIu64 ", \"elements_f32\": %" PRIu64
                ", \"elements_f64\": %" PRIu64 ", \"elements_f16\": %" PRIu64
                ", \"elements_bf16\": %" PRIu64 ", \"near_ties\": %" PRIu64
                ", \"by_mpfr\": %" PRIu64 ", \"misrounded\": %" PRIu64 ", \"seconds\": %.1f}\n",
                everything, elements[F32], elements[F64], elements[F16], elements[BF16], ties,
                by_mpfr, wrong, seconds);
    if (json && (ferror(json) | fclose(json))) failed++;
    printf("\n%" PRIu64 " elements certified in %.1f s (%.2f ns each): %" PRIu64 " f32, %" PRIu64
           " f64, %" PRIu64 " f16, %" PRIu64 " bf16; %" PRIu64 " by MPFR, %" PRIu64
           " of them near ties; %" PRIu64 " wrong%s\n",
           everything, seconds, seconds * 1e9 / (double)(everything ? everything : 1),
           elements[F32], elements[F64], elements[F16], elements[BF16], by_mpfr, ties, wrong,
           unfinished ? "; some tables were not begun" : "");
    for (int t = 0; t < 4; t++) {
        char name[100];
        if (!elements[t]) continue;
        name_of(&subjects[worst_subject[t]], name, sizeof name);
        printf("%s: at most %.15f ulp: %s, position %" PRId64 ", column %zu: %a\n", type_name[t],
               worst[t].worst, name, worst[t].worst_position, worst[t].worst_column,
               worst[t].worst_got);
    }
    printf("INFO: %" PRIu64 " elements certified, %" PRIu64 " near ties, %" PRIu64
           " misrounded, f32 at most %.10f ulp\n",
           everything, ties, wrong, worst[F32].worst);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
