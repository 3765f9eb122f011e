# SPDX-License-Identifier: MIT
"""pe from Python: numpy arrays (or, without numpy, those of the array module) filled and turned by the
library that `make lib` builds, called as `make declarations` reads it from pe.h.

    make lib declarations
    python3 examples/library.py [build/libposenc.so]

examples/library.cpp does the same, and prints the same hashes.
"""
import ctypes
import os
import sys

try:
    import numpy
except ImportError:
    numpy = None
    import array

PATH = sys.argv[1] if len(sys.argv) > 1 else "build/libposenc.so"
sys.path.insert(0, os.path.dirname(PATH))
import pe_declarations as c

pe = c.load(PATH)
floats = ctypes.POINTER(ctypes.c_float)


def zeros(rows, width):
    return numpy.zeros((rows, width), numpy.float32) if numpy else array.array("f", bytes(4 * rows * width))


def pointer(x):
    return x.ctypes.data_as(floats) if numpy else (ctypes.c_float * len(x)).from_buffer(x)


def say(what, status, x):
    if status != c.PE_OK:
        sys.exit(f"{what}: {pe.pe_status_string(status).decode()}")
    h = 0xcbf29ce484222325
    for bits in memoryview(x.tobytes()).cast("I"):
        h = (h ^ bits) * 0x100000001b3 & 0xffffffffffffffff
    print(f"{what} {h:016x}")


ROWS, WIDTH = 48, 64
print(f"# {pe.pe_isa_name().decode()}, {'numpy' if numpy else 'array'}")
if pe.pe_selftest() != c.PE_OK:
    sys.exit("pe_selftest")
table = zeros(ROWS, WIDTH)
say("table", pe.pe_sinusoidal_f32(pointer(table), ROWS, WIDTH), table)

config = pe.pe_config_default(WIDTH)
config.base = 500000
size = pe.pe_plan_size(ctypes.byref(config))
memory, plan = ctypes.create_string_buffer(size), c.pe_plan()  # to be kept as long as the plan is used
status = pe.pe_plan_init(plan, ctypes.byref(config), memory, size)
if status == c.PE_OK:
    status = pe.pe_fill_f32(plan, pe.pe_from(1000000), ROWS, pointer(table), WIDTH)
say("plan", status, table)
say("rope", pe.pe_rope_f32(plan, pe.pe_from(131072), ROWS // 4, pointer(table), c.pe_heads(4, WIDTH, 4 * WIDTH)), table)
