# SPDX-License-Identifier: MIT
"""pe from Python: numpy arrays (or, without numpy, those of the array module) filled and turned by the
library that `make lib` builds.

    python3 examples/library.py [build/libpe.so]

examples/library.cpp does the same, and prints the same hashes.
"""
import ctypes
import sys
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_ubyte, c_void_p

try:
    import numpy
except ImportError:
    numpy = None
    import array


class Axis(ctypes.Structure):
    _fields_ = [("width", c_size_t), ("coordinate", c_size_t)]


class Config(ctypes.Structure):
    """pe_config, field by field."""
    _fields_ = [("d_model", c_size_t), ("base", c_double), ("amplitude", c_double), ("scale", c_double),
                ("half_turns", c_int), ("offset", c_double), ("layout", c_int), ("cos_first", c_int),
                ("odd", c_int), ("exponent", c_int), ("exponent_shift", c_double), ("angle", c_int),
                ("has_padding", c_int), ("padding_position", c_int64), ("multiple", c_size_t),
                ("expected_rows", c_size_t), ("axes", c_size_t), ("axis", Axis * 8)]


class At(ctypes.Structure):
    """pe_at: private, but its size counts."""
    _fields_ = [("list", c_void_p), ("first", c_int64), ("step", c_int64), ("skipped", c_size_t),
                ("axes", c_size_t), ("row_stride", c_size_t), ("axis_stride", c_size_t),
                ("size", c_size_t * 8), ("kind", c_int), ("back", c_int), ("delta", c_int),
                ("status", c_int)]


class Heads(ctypes.Structure):
    _fields_ = [("heads", c_size_t), ("head_stride", c_size_t), ("token_stride", c_size_t)]


Plan = c_double * 512  # pe_plan, private, and then some

pe = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "build/libpe.so")
floats = POINTER(c_float)
for name, result, arguments in (
        ("pe_isa_name", c_char_p, []),
        ("pe_status_string", c_char_p, [c_int]),
        ("pe_selftest", c_int, []),
        ("pe_sinusoidal_f32", c_int, [floats, c_size_t, c_size_t]),
        ("pe_config_default", Config, [c_size_t]),
        ("pe_plan_size", c_size_t, [POINTER(Config)]),
        ("pe_plan_init", c_int, [POINTER(Plan), POINTER(Config), c_void_p, c_size_t]),
        ("pe_from", At, [c_int64]),
        ("pe_fill_f32", c_int, [POINTER(Plan), At, c_size_t, floats, c_size_t]),
        ("pe_rope_f32", c_int, [POINTER(Plan), At, c_size_t, floats, Heads])):
    function = getattr(pe, name)
    function.restype, function.argtypes = result, arguments


def zeros(rows, width):
    return numpy.zeros((rows, width), numpy.float32) if numpy else array.array("f", bytes(4 * rows * width))


def pointer(x):
    return x.ctypes.data_as(floats) if numpy else (c_float * len(x)).from_buffer(x)


def say(what, status, x):
    if status != 0:
        sys.exit(f"{what}: {pe.pe_status_string(status).decode()}")
    h = 0xcbf29ce484222325
    for bits in memoryview(x.tobytes()).cast("I"):
        h = (h ^ bits) * 0x100000001b3 & 0xffffffffffffffff
    print(f"{what} {h:016x}")


ROWS, WIDTH = 48, 64
print(f"# {pe.pe_isa_name().decode()}, {'numpy' if numpy else 'array'}")
if pe.pe_selftest() != 0:
    sys.exit("pe_selftest")
table = zeros(ROWS, WIDTH)
say("table", pe.pe_sinusoidal_f32(pointer(table), ROWS, WIDTH), table)

config = pe.pe_config_default(WIDTH)
config.base = 500000
size = pe.pe_plan_size(ctypes.byref(config))
memory, plan = (c_ubyte * size)(), Plan()  # to be kept as long as the plan is used
status = pe.pe_plan_init(plan, ctypes.byref(config), memory, size)
if status == 0:
    status = pe.pe_fill_f32(plan, pe.pe_from(1000000), ROWS, pointer(table), WIDTH)
say("plan", status, table)
say("rope", pe.pe_rope_f32(plan, pe.pe_from(131072), ROWS // 4, pointer(table), Heads(4, WIDTH, 4 * WIDTH)), table)
