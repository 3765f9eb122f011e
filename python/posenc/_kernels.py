# SPDX-License-Identifier: MIT
"""The kernels of posenc.torch, in Triton: cosines and sines with the integers of pe_fixed.h, rotations and sums.

The arithmetic of each pair is that of src/fixed/sincos.h, whose comments derive the errors, with one difference: the
amplitude is a double, so its mantissa has 64 bits here. In level 1, a product with it is at most 3 units of 2^-64 too small;
in pe_fixed.h it is at most 1 unit too small. The bound of level 1 covers both, because it is in units of 2^-56 and is
rounded up to thousands. Level 2 multiplies numbers of 96 bits by numbers of 96 bits in both.

Products of 64 bits consist of products of 32 bits, because Triton's interpreter computes tl.umulhi of 64 bits in a loop
over the elements. A bfloat16 is loaded and stored as int16, and widened and rounded with integers. This is necessary
because the interpreter and some hardware do not round to nearest even.
"""
import triton
import triton.language as tl

from . import _fixed

SINE_WORDS = tl.constexpr(_fixed.SINE_WORDS)
SINE_LONG = tl.constexpr(_fixed.SINE_LONG)
SINE_SHIFTS = tl.constexpr(_fixed.SINE_SHIFTS)
COSINE_WORDS = tl.constexpr(_fixed.COSINE_WORDS)
COSINE_LONG = tl.constexpr(_fixed.COSINE_LONG)
COSINE_SHIFTS = tl.constexpr(_fixed.COSINE_SHIFTS)
SINE_BELOW = tl.constexpr(_fixed.SINE_BELOW)
COSINE_BELOW = tl.constexpr(_fixed.COSINE_BELOW)
ABOVE = tl.constexpr(_fixed.ABOVE)
MOST_ZEROS = tl.constexpr(_fixed.MOST_ZEROS)
TINY = tl.constexpr(_fixed.TINY)
NEGATION = tl.constexpr(_fixed.NEGATION)
PHASE_SHIFT = tl.constexpr(_fixed.PHASE_SHIFT)
ARITHMETIC = tl.constexpr(_fixed.ARITHMETIC)
SINE_SERIES = tl.constexpr(_fixed.SINE_SERIES)
COSINE_SERIES = tl.constexpr(_fixed.COSINE_SERIES)
SINE_TERMS = tl.constexpr(len(_fixed.SINE_SERIES))
COSINE_TERMS = tl.constexpr(len(_fixed.COSINE_SERIES))

# A format of elements is named by the number of its significant bits.
F32 = tl.constexpr(24)
F16 = tl.constexpr(11)
BF16 = tl.constexpr(8)
TOP = tl.constexpr(0x80000000)
ALL_32 = tl.constexpr(0xFFFFFFFF)  # the interpreter's ~ fails for unsigned integers with numpy 2
ALL_64 = tl.constexpr(0xFFFFFFFFFFFFFFFF)


# ---- words -------------------------------------------------------------------------------------------------------


@triton.jit
def u32(number: tl.constexpr):
    return tl.full((), number, tl.uint32)


@triton.jit
def u64(number: tl.constexpr):
    return tl.full((), number, tl.uint64)


@triton.jit
def wide(a, b):
    return a.to(tl.uint64) * b.to(tl.uint64)


@triton.jit
def high(x):
    return (x >> 32).to(tl.uint32)


@triton.jit
def low(x):
    return (x & u64(0xFFFFFFFF)).to(tl.uint32)


@triton.jit
def words(h, l):
    return (h.to(tl.uint64) << 32) | l.to(tl.uint64)


@triton.jit
def mul64(a, b):
    """Returns a b / 2^64 without the product of the low words. The result is at most 3 units too small."""
    cross = tl.umulhi(low(a), high(b)).to(tl.uint64) + tl.umulhi(high(a), low(b)).to(tl.uint64)
    return wide(high(a), high(b)) + cross


@triton.jit
def leading_zeros(x):
    """Counts the leading zeros of x > 0.

    The bit below the leading one is cleared, so that the conversion to float cannot round up to the next power of two.
    """
    return u32(158) - ((x ^ (x & (x >> 1))).to(tl.float32).to(tl.uint32, bitcast=True) >> 23)


@triton.jit
def mul96(ah, am, al, bh, bm, bl):
    """Returns a b / 2^96. The result is at most 5 units too small."""
    hm = wide(ah, bm)
    mh = wide(am, bh)
    carry = (wide(ah, bl) >> 32) + (wide(am, bm) >> 32) + (wide(al, bh) >> 32)
    carry += low(hm).to(tl.uint64) + low(mh).to(tl.uint64)
    top = wide(ah, bh) + high(hm).to(tl.uint64) + high(mh).to(tl.uint64) + high(carry).to(tl.uint64)
    return high(top), low(top), low(carry)


# ---- rounding ----------------------------------------------------------------------------------------------------


@triton.jit
def round_fixed(x, below, exponent, FORMAT: tl.constexpr):
    """Rounds (x 2^32 + below) / 2^96 times 2^exponent, where the highest bit of x is set. Returns the bits of the
    magnitude, and what was below their last bit, in 2^-64 of it: 2^63 is a midpoint."""
    if FORMAT == F16:
        field = exponent + 13
        dropped = 53 - tl.minimum(field, 0)  # more if the result is subnormal
        field = tl.maximum(field, 0)
        beyond = tl.maximum(dropped - 64, 0)
        x = tl.where(beyond > 63, u64(0), x >> tl.minimum(beyond, 63).to(tl.uint64))
        dropped = tl.minimum(dropped, 64)
        shift = (dropped - 33).to(tl.uint32)
        bits = (((high(x) >> shift) + 1) >> 1) + (field.to(tl.uint32) << 10)
        bits = tl.minimum(bits, u32(0x7C00))  # infinity
        rest = (x << (64 - dropped).to(tl.uint64)) | ((below >> shift) >> 1).to(tl.uint64)
    else:
        bits = (((high(x) >> (31 - FORMAT)) + 1) >> 1) + ((exponent + 125).to(tl.uint32) << (FORMAT - 1))
        rest = (x << FORMAT) | ((below >> (31 - FORMAT)) >> 1).to(tl.uint64)
    return bits, rest


@triton.jit
def flagged(rest, BELOW: tl.constexpr, FORMAT: tl.constexpr):
    """Returns the result of level 1's rounding test (Ziv): whether a midpoint is within the error interval."""
    above: tl.constexpr = (ABOVE >> (24 - FORMAT)) + 1
    limit: tl.constexpr = above + (BELOW >> (24 - FORMAT)) + 2
    return u32(TOP + above) - high(rest) <= u32(limit)


@triton.jit
def to_quarter(quarter, sine, cosine, negative, amplitude_sign):
    """Exchanges sine and cosine and sets their signs, by the nearest quarter turn and the signs of position and
    amplitude. The two highest bits of quarter are its number."""
    odd = (quarter & u32(0x40000000)) != 0
    s = tl.where(odd, cosine, sine) ^ ((quarter ^ negative ^ amplitude_sign) & u32(TOP))
    c = tl.where(odd, sine, cosine) ^ (((quarter + u32(0x40000000)) ^ amplitude_sign) & u32(TOP))
    return s, c


# ---- level 1, level 2 --------------------------------------------------------------------------------------------


@triton.jit
def polynomial(u, uh, WORDS: tl.constexpr, LONG: tl.constexpr, SHIFTS: tl.constexpr):
    t = u32(WORDS[1]) + tl.umulhi(uh, u32(WORDS[0]) + (uh ^ uh))
    t = u32(WORDS[2]) + tl.umulhi(uh, t)
    t = u32(WORDS[3]) + (tl.umulhi(uh, t) >> SHIFTS[0])
    y = u64(LONG[0]) + (wide(uh, t) >> SHIFTS[1])
    return u64(LONG[1]) + mul64(u, y)


@triton.jit
def level_1(n, negative, w1, w2, w3, mantissa, exponent, amplitude_sign, SCALED: tl.constexpr, FORMAT: tl.constexpr):
    phase = wide(n, w2) + tl.umulhi(n, w1).to(tl.uint64)
    top = high(phase) + n * w3
    quarter = (top + u32(0x20000000)) & u32(0xC0000000)
    remainder = top - quarter
    sign = u32(0) - (remainder >> 31)
    g = words(remainder ^ sign, low(phase) ^ sign) << 3
    gh = high(g)
    u = u64(ALL_64) - (wide(gh, gh) + (tl.umulhi(gh, low(g)).to(tl.uint64) << 1))
    uh = high(u)
    sine = mul64(g, polynomial(u, uh, SINE_WORDS, SINE_LONG, SINE_SHIFTS))
    cosine = polynomial(u, uh, COSINE_WORDS, COSINE_LONG, COSINE_SHIFTS)
    e = exponent - 1  # the mantissa is 1/2 or more, so that of a power of two needs no product
    if SCALED:
        sine = mul64(sine, mantissa)
        cosine = mul64(cosine, mantissa)
        e = exponent
        shift = (cosine >> 63) ^ 1
        cosine = cosine << shift
        ce = e - shift.to(tl.int32)
    else:
        ce = e + (n ^ n).to(tl.int32)
    zeros = leading_zeros(high(sine) | 1)
    sb, sr = round_fixed(sine << zeros.to(tl.uint64), n ^ n, e - zeros.to(tl.int32), FORMAT)
    cb, cr = round_fixed(cosine, n ^ n, ce, FORMAT)
    s, c = to_quarter(quarter, sb ^ (sign & u32(TOP)), cb, negative, amplitude_sign)
    flag = flagged(sr, SINE_BELOW, FORMAT) | flagged(cr, COSINE_BELOW, FORMAT) | (zeros > MOST_ZEROS)
    return s, c, flag


@triton.jit
def series(vh, vm, vl, COEFFICIENTS: tl.constexpr, TERMS: tl.constexpr):
    """Evaluates a series with Horner's scheme: y becomes the next coefficient minus v * y."""
    yh = vh ^ vh
    ym = yh
    yl = yh
    for k in tl.static_range(TERMS):
        yh, ym, yl = mul96(vh, vm, vl, yh, ym, yl)
        borrow = (u32(COEFFICIENTS[k][2]) < yl).to(tl.uint64)
        top = u64((COEFFICIENTS[k][0] << 32) | COEFFICIENTS[k][1]) - words(yh, ym) - borrow
        yh = high(top)
        ym = low(top)
        yl = u32(COEFFICIENTS[k][2]) - yl
    return yh, ym, yl


@triton.jit
def finish(yh, ym, yl, zeros, error, mantissa, exponent, FORMAT: tl.constexpr):
    """Multiplies y / 2^zeros by the amplitude, rounds the product and tests it. `error` is the error from the phase."""
    zero = yh ^ yh
    yh, ym, yl = mul96(yh, ym, yl, high(mantissa) + zero, low(mantissa) + zero, zero)
    shift = leading_zeros(yh | 1)
    x = (words(yh, ym) << shift.to(tl.uint64)) | ((yl >> 1) >> (u32(31) - shift)).to(tl.uint64)
    bits, rest = round_fixed(x, yl << shift, exponent - (zeros + shift).to(tl.int32), FORMAT)
    error = ((error + ARITHMETIC) >> (32 - FORMAT)) + 2
    return bits, rest + u64(1 << 63) + error <= 2 * error


@triton.jit
def level_2(n, negative, w0, w1, w2, w3, mantissa, exponent, amplitude_sign, FORMAT: tl.constexpr):
    p0 = wide(n, w0)
    p1 = wide(n, w1) + high(p0).to(tl.uint64)
    p2 = wide(n, w2) + high(p1).to(tl.uint64)
    p3 = high(p2) + n * w3
    quarter = (p3 + u32(0x20000000)) & u32(0xC0000000)
    remainder = p3 - quarter
    sign = u32(0) - (remainder >> 31)
    l = words(low(p1) ^ sign, low(p0) ^ sign)
    g = (words(remainder ^ sign, low(p2) ^ sign) << 3) | (l >> 61)
    l = l << 3
    vh, vm, vl = mul96(high(g), low(g), high(l), high(g), low(g), high(l))
    ch, cm, cl = series(vh, vm, vl, COSINE_SERIES, COSINE_TERMS)
    ch, cm, cl = mul96(vh, vm, vl, ch, cm, cl)

    # The leading zeros of g are shifted out, so that small sines keep full precision.
    short = high(g) == 0
    g = tl.where(short, (g << 32) | (l >> 32), g)
    l = tl.where(short, l << 32, l)
    shift = leading_zeros(high(g) | 1)
    zeros = shift + tl.where(short, u32(32), u32(0))
    s64 = shift.to(tl.uint64)
    g = (g << s64) | ((l >> 1) >> (u64(63) - s64))
    sh, sm, sl = series(vh, vm, vl, SINE_SERIES, SINE_TERMS)
    sh, sm, sl = mul96(high(g), low(g), high(l << s64), sh, sm, sl)

    tiny = zeros > TINY
    m = n.to(tl.uint64) + NEGATION
    smaller = tl.minimum(zeros, u32(PHASE_SHIFT)).to(tl.uint64)
    larger = tl.minimum(tl.maximum(zeros, u32(PHASE_SHIFT)), u32(TINY)).to(tl.uint64)
    error = (m >> (u64(PHASE_SHIFT) - smaller)) << (larger - PHASE_SHIFT)
    sb, s_flag = finish(sh, sm, sl, zeros, 2 * error, mantissa, exponent, FORMAT)
    cb, c_flag = finish(ch ^ u32(ALL_32), cm ^ u32(ALL_32), cl ^ u32(ALL_32), n ^ n, m >> PHASE_SHIFT, mantissa, exponent, FORMAT)
    s, c = to_quarter(quarter, sb ^ (sign & u32(TOP)), cb, negative, amplitude_sign)
    # At an angle of 0 the sine is 0, and the cosine is the amplitude, of which a midpoint is rounded to even.
    zero = (n == 0) | ((w0 | w1 | w2 | w3) == 0)
    s = tl.where(zero, amplitude_sign & u32(TOP), s)
    c = tl.where(zero, (cb + (cb & c_flag.to(tl.uint32))) ^ (amplitude_sign & u32(TOP)), c)
    return s, c, (s_flag | c_flag | tiny) & (zero == 0)


# ---- angles ------------------------------------------------------------------------------------------------------


@triton.jit
def sine_cosine(position, valid, i, mask, words_ptr, mantissa_high, mantissa_low, exponent, amplitude_sign,
                SCALED: tl.constexpr, FORMAT: tl.constexpr):
    """Returns the bits of amplitude sin(position w[i]) and of the cosine; the sign is bit 31 in each format. Where valid
    is 0 or the pair stays undecided they are those of NaN."""
    w0 = tl.load(words_ptr + 4 * i, mask, 0).to(tl.uint32, bitcast=True)
    w1 = tl.load(words_ptr + 4 * i + 1, mask, 0).to(tl.uint32, bitcast=True)
    w2 = tl.load(words_ptr + 4 * i + 2, mask, 0).to(tl.uint32, bitcast=True)
    w3 = tl.load(words_ptr + 4 * i + 3, mask, 0).to(tl.uint32, bitcast=True)
    n = tl.where(position < 0, -position, position).to(tl.uint32)
    negative = tl.where(position < 0, u32(TOP), u32(0))
    n, w0 = tl.broadcast(n, w0)
    negative, w1 = tl.broadcast(negative, w1)
    n, w2 = tl.broadcast(n, w2)
    n, w3 = tl.broadcast(n, w3)
    mantissa = words(mantissa_high.to(tl.uint32, bitcast=True), mantissa_low.to(tl.uint32, bitcast=True))
    sign = amplitude_sign.to(tl.uint32, bitcast=True)
    s, c, flag = level_1(n, negative, w1, w2, w3, mantissa, exponent, sign, SCALED, FORMAT)
    flag = flag & mask
    wrong = (valid == 0) | (flag != flag)
    if tl.max(tl.max(flag.to(tl.int32), axis=1), axis=0) != 0:
        s2, c2, undecided = level_2(n, negative, w0, w1, w2, w3, mantissa, exponent, sign, FORMAT)
        s = tl.where(flag, s2, s)
        c = tl.where(flag, c2, c)
        wrong = wrong | (flag & undecided)
    if FORMAT == F32:
        nan = u32(0x7FC00000)
    elif FORMAT == F16:
        nan = u32(0x7E00)
    else:
        nan = u32(0x7FC0)
    return tl.where(wrong, nan, s), tl.where(wrong, nan, c)


@triton.jit
def load_positions(positions_ptr, coordinate_ptr, row, i, axis_stride, row_mask, mask, AXES: tl.constexpr):
    """Loads the positions of rows, [rows, 1], or with several coordinates those of each pair's coordinate, [rows,
    pairs]. `row` has the offsets of the rows in the list of positions."""
    if AXES == 1:
        position = tl.load(positions_ptr + row, row_mask, 0)
    else:
        axis = tl.load(coordinate_ptr + i, mask, 0).to(tl.int64)
        position = tl.load(positions_ptr + (row + axis * axis_stride), row_mask & mask, 0)
    return position.to(tl.int64)


@triton.jit
def shifted(position, shift):
    """Returns position + shift, and whether the position is an int32 and the sum is within -2^31 ... 2^31. Then the sum
    does not wrap, and its magnitude fits into 32 bits without a sign."""
    total = position + shift
    valid = (position >= -2147483648) & (position <= 2147483647)
    return total, valid & (total >= -2147483648) & (total <= 2147483648)


# ---- elements ----------------------------------------------------------------------------------------------------


@triton.jit
def widen(x, FORMAT: tl.constexpr):
    """Returns an element as a float. An element of bfloat16 is given as its bits, in an int16."""
    if FORMAT == BF16:
        y = (x.to(tl.int32) << 16).to(tl.float32, bitcast=True)
    else:
        y = x.to(tl.float32)
    return y


@triton.jit
def narrow(x, FORMAT: tl.constexpr):
    """Returns a float rounded to the type of elements, to nearest even. For bfloat16, it returns the bits as an
    int16."""
    if FORMAT == F32:
        y = x
    elif FORMAT == F16:
        y = x.to(tl.float16)
    else:
        bits = x.to(tl.uint32, bitcast=True)
        rounded = (bits + u32(0x7FFF) + ((bits >> 16) & 1)) >> 16
        rounded = tl.where((bits & u32(0x7FFFFFFF)) > u32(0x7F800000), (bits >> 16) | 0x40, rounded)
        y = rounded.to(tl.uint16).to(tl.int16, bitcast=True)
    return y


@triton.jit
def unfused(x, zero, GUARD: tl.constexpr):
    """Returns a product in such a way that it is rounded. GUARD is set for backends whose code was not inspected. Then
    the bits are combined with an argument that is 0. The compiler does not know this, so it cannot fuse the product
    with a sum."""
    if GUARD:
        x = (x.to(tl.int32, bitcast=True) ^ zero).to(tl.float32, bitcast=True)
    return x


@triton.jit
def rotated(a, b, c, s, zero, GUARD: tl.constexpr):
    first = unfused(a * c, zero, GUARD) - unfused(b * s, zero, GUARD)
    second = unfused(b * c, zero, GUARD) + unfused(a * s, zero, GUARD)
    return first, second


# ---- cosines and sines -------------------------------------------------------------------------------------------


@triton.jit(do_not_specialize=["mantissa_high", "mantissa_low", "exponent", "amplitude_sign", "rows", "axis_stride", "shift"])
def cos_sin_kernel(cos_ptr, sin_ptr, positions_ptr, words_ptr, coordinate_ptr, rows, axis_stride, shift, mantissa_high,
                   mantissa_low, exponent, amplitude_sign, PAIRS: tl.constexpr, PAIRS_2: tl.constexpr,
                   ROWS: tl.constexpr, AXES: tl.constexpr, HALVES: tl.constexpr, SCALED: tl.constexpr,
                   FORMAT: tl.constexpr):
    """Stores cos and sin, [rows, 2 PAIRS], with each number twice, as halves or interleaved. The positions are
    contiguous."""
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    i = tl.arange(0, PAIRS_2)[None, :]
    row_mask = r < rows
    mask = i < PAIRS
    position = load_positions(positions_ptr, coordinate_ptr, r, i, axis_stride, row_mask, mask, AXES)
    position, valid = shifted(position, shift)
    s, c = sine_cosine(position, valid, i, mask, words_ptr, mantissa_high, mantissa_low, exponent,
                       amplitude_sign, SCALED, FORMAT)
    if FORMAT == F32:
        s = s.to(tl.int32, bitcast=True)
        c = c.to(tl.int32, bitcast=True)
    else:
        s = ((s >> 16) & 0x8000 | s & 0x7FFF).to(tl.uint16).to(tl.int16, bitcast=True)
        c = ((c >> 16) & 0x8000 | c & 0x7FFF).to(tl.uint16).to(tl.int16, bitcast=True)
    at = r * (2 * PAIRS)
    both = row_mask & mask
    if HALVES:
        tl.store(cos_ptr + at + i, c, both)
        tl.store(cos_ptr + at + PAIRS + i, c, both)
        tl.store(sin_ptr + at + i, s, both)
        tl.store(sin_ptr + at + PAIRS + i, s, both)
    else:
        j = tl.arange(0, 2 * PAIRS_2)[None, :]
        each = row_mask & (j < 2 * PAIRS)
        tl.store(cos_ptr + at + j, tl.interleave(c, c), each)
        tl.store(sin_ptr + at + j, tl.interleave(s, s), each)


# ---- rotation ----------------------------------------------------------------------------------------------------


@triton.jit
def load_pairs(ptr, mask, PAIRS: tl.constexpr, PAIRS_2: tl.constexpr, TOKENS: tl.constexpr, HEADS: tl.constexpr,
               HALVES: tl.constexpr):
    """Loads the first and the second element of each pair, [TOKENS, HEADS, PAIRS_2]. ptr and mask are those of heads,
    [TOKENS, HEADS, 1]."""
    if HALVES:
        i = tl.arange(0, PAIRS_2)[None, None, :]
        each = mask & (i < PAIRS)
        a = tl.load(ptr + i, each, 0)
        b = tl.load(ptr + PAIRS + i, each, 0)
    else:
        j = tl.arange(0, 2 * PAIRS_2)[None, None, :]
        x = tl.load(ptr + j, mask & (j < 2 * PAIRS), 0)
        a, b = tl.split(tl.reshape(x, (TOKENS, HEADS, PAIRS_2, 2)))
    return a, b


@triton.jit
def store_pairs(ptr, mask, a, b, PAIRS: tl.constexpr, PAIRS_2: tl.constexpr, HALVES: tl.constexpr):
    if HALVES:
        i = tl.arange(0, PAIRS_2)[None, None, :]
        each = mask & (i < PAIRS)
        tl.store(ptr + i, a, each)
        tl.store(ptr + PAIRS + i, b, each)
    else:
        j = tl.arange(0, 2 * PAIRS_2)[None, None, :]
        tl.store(ptr + j, tl.interleave(a, b), mask & (j < 2 * PAIRS))


@triton.jit
def rotate_heads(x_ptr, y_ptr, x_head, y_head, c, s, token_mask, zero, COUNT: tl.constexpr, PAIRS: tl.constexpr,
                 PAIRS_2: tl.constexpr, TOKENS: tl.constexpr, HEADS: tl.constexpr, OFFSET: tl.constexpr,
                 REST: tl.constexpr, REST_2: tl.constexpr, IN_HALVES: tl.constexpr, OUT_HALVES: tl.constexpr,
                 FORMAT: tl.constexpr, GUARD: tl.constexpr):
    """Rotates the COUNT heads of tokens, HEADS at a time. x_ptr and y_ptr are those of the tokens, [TOKENS, 1, 1]; c and
    s are [TOKENS, 1, PAIRS_2]. REST elements of each head do not rotate and are copied; OFFSET of them are before those
    that rotate."""
    for first in range(0, COUNT, HEADS):
        head = first + tl.arange(0, HEADS)[None, :, None]
        mask = token_mask & (head < COUNT)
        x = x_ptr + head.to(tl.int64) * x_head
        y = y_ptr + head.to(tl.int64) * y_head
        a, b = load_pairs(x + OFFSET, mask, PAIRS, PAIRS_2, TOKENS, HEADS, IN_HALVES)
        a, b = rotated(widen(a, FORMAT), widen(b, FORMAT), c, s, zero, GUARD)
        store_pairs(y + OFFSET, mask, narrow(a, FORMAT), narrow(b, FORMAT), PAIRS, PAIRS_2, OUT_HALVES)
        if REST > 0:
            j = tl.arange(0, REST_2)[None, None, :]
            e = tl.where(j < OFFSET, j, j + 2 * PAIRS)
            each = mask & (j < REST)
            tl.store(y + e, tl.load(x + e, each, 0), each)


@triton.jit(do_not_specialize=["mantissa_high", "mantissa_low", "exponent", "amplitude_sign", "zero", "p_axis", "p_batch",
                               "p_token", "tokens", "shift"])
def rotate_kernel(q_ptr, qo_ptr, k_ptr, ko_ptr, positions_ptr, words_ptr, coordinate_ptr, tokens, q_batch, q_head,
                  q_token, qo_batch, qo_head, qo_token, k_batch, k_head, k_token, ko_batch, ko_head, ko_token, p_axis,
                  p_batch, p_token, shift, mantissa_high, mantissa_low, exponent, amplitude_sign, zero, Q_HEADS: tl.constexpr,
                  K_HEADS: tl.constexpr, PAIRS: tl.constexpr, PAIRS_2: tl.constexpr, TOKENS: tl.constexpr,
                  HEADS: tl.constexpr, OFFSET: tl.constexpr, REST: tl.constexpr, REST_2: tl.constexpr,
                  AXES: tl.constexpr, IN_HALVES: tl.constexpr, OUT_HALVES: tl.constexpr, SCALED: tl.constexpr,
                  BACK: tl.constexpr, FORMAT: tl.constexpr, GUARD: tl.constexpr):
    """Rotates all heads of q, and of k if K_HEADS > 0. The first program id chooses TOKENS tokens, and the second one
    the batch. The sines and cosines of a token are computed once."""
    token = tl.program_id(0).to(tl.int64) * TOKENS + tl.arange(0, TOKENS)[:, None]
    batch = tl.program_id(1).to(tl.int64)
    i = tl.arange(0, PAIRS_2)[None, :]
    token_mask = token < tokens
    mask = i < PAIRS
    position = load_positions(positions_ptr, coordinate_ptr, batch * p_batch + token * p_token, i, p_axis, token_mask,
                              mask, AXES)
    position, valid = shifted(position, shift)
    if BACK:
        position = -position
    s, c = sine_cosine(position, valid, i, mask, words_ptr, mantissa_high, mantissa_low, exponent, amplitude_sign,
                       SCALED, F32)
    s = s.to(tl.float32, bitcast=True)[:, None, :]
    c = c.to(tl.float32, bitcast=True)[:, None, :]
    token = token[:, :, None]
    token_mask = token_mask[:, :, None]
    rotate_heads(q_ptr + batch * q_batch + token * q_token, qo_ptr + batch * qo_batch + token * qo_token, q_head, qo_head,
                 c, s, token_mask, zero, Q_HEADS, PAIRS, PAIRS_2, TOKENS, HEADS, OFFSET, REST, REST_2, IN_HALVES,
                 OUT_HALVES, FORMAT, GUARD)
    if K_HEADS > 0:
        rotate_heads(k_ptr + batch * k_batch + token * k_token, ko_ptr + batch * ko_batch + token * ko_token, k_head,
                     ko_head, c, s, token_mask, zero, K_HEADS, PAIRS, PAIRS_2, TOKENS, HEADS, OFFSET, REST, REST_2,
                     IN_HALVES, OUT_HALVES, FORMAT, GUARD)


# ---- sums --------------------------------------------------------------------------------------------------------


@triton.jit(do_not_specialize=["mantissa_high", "mantissa_low", "exponent", "amplitude_sign", "zero", "p_batch",
                               "p_token", "tokens", "shift", "padding"])
def add_kernel(x_ptr, y_ptr, positions_ptr, words_ptr, tokens, x_batch, x_token, y_batch, y_token, p_batch, p_token,
               shift, padding, scale, mantissa_high, mantissa_low, exponent, amplitude_sign, zero, PAIRS: tl.constexpr,
               PAIRS_2: tl.constexpr, TOKENS: tl.constexpr, HALVES: tl.constexpr, COS_FIRST: tl.constexpr,
               HAS_PADDING: tl.constexpr, SCALED: tl.constexpr, FORMAT: tl.constexpr, GUARD: tl.constexpr):
    """Computes y = scale * x + PE. The first program id chooses TOKENS rows, and the second one the batch. `shift` is
    added to every position. The row of the position `padding` is 0."""
    token = tl.program_id(0).to(tl.int64) * TOKENS + tl.arange(0, TOKENS)[:, None]
    batch = tl.program_id(1).to(tl.int64)
    i = tl.arange(0, PAIRS_2)[None, :]
    token_mask = token < tokens
    mask = i < PAIRS
    position = tl.load(positions_ptr + batch * p_batch + token * p_token, token_mask, 0).to(tl.int64)
    is_padding = position == padding
    position, valid = shifted(position, shift)
    s, c = sine_cosine(position, valid, i, mask, words_ptr, mantissa_high, mantissa_low, exponent, amplitude_sign,
                       SCALED, F32)
    s = s.to(tl.float32, bitcast=True)
    c = c.to(tl.float32, bitcast=True)
    if HAS_PADDING:
        s = tl.where(is_padding, 0.0, s)
        c = tl.where(is_padding, 0.0, c)
    if COS_FIRST:
        first = c
        second = s
    else:
        first = s
        second = c
    x = (x_ptr + batch * x_batch + token * x_token)[:, :, None]
    y = (y_ptr + batch * y_batch + token * y_token)[:, :, None]
    token_mask = token_mask[:, :, None]
    a, b = load_pairs(x, token_mask, PAIRS, PAIRS_2, TOKENS, 1, HALVES)
    a = unfused(widen(a, FORMAT) * scale, zero, GUARD) + first[:, None, :]
    b = unfused(widen(b, FORMAT) * scale, zero, GUARD) + second[:, None, :]
    store_pairs(y, token_mask, narrow(a, FORMAT), narrow(b, FORMAT), PAIRS, PAIRS_2, HALVES)
