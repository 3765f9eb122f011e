# SPDX-License-Identifier: MIT
"""nvrtc.py ARCHITECTURE...: compiles fill.cu for each architecture with NVRTC, CUDA's compiler at run time.

The only header is pe_fixed.h. The library is $NVRTC, or that of a CUDA toolkit in /usr/local, or one that the loader
finds. The exit status is 77 if there is none."""
import ctypes
import glob
import os
import sys


def library():
    named = os.environ.get("NVRTC")
    toolkits = sorted(glob.glob("/usr/local/cuda*/lib64/libnvrtc.so.[0-9]*"), reverse=True)
    for name in [named] if named else [*toolkits, "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            if named:
                sys.exit(f"NVRTC={named}: {error}")
    print("SKIP: NVRTC's library is missing")
    return sys.exit(77)


def log_of(nvrtc, program):
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.value.decode().strip()


def main():
    nvrtc = library()
    sources = []
    for path in ("tests/gpu/fill.cu", "pe_fixed.h"):
        with open(path, "rb") as file:
            sources.append(file.read())
    headers, names = (ctypes.c_char_p * 1)(sources[1]), (ctypes.c_char_p * 1)(b"pe_fixed.h")
    failed = 0
    for architecture in sys.argv[1:]:
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        created = nvrtc.nvrtcCreateProgram(ctypes.byref(program), sources[0], b"fill.cu", 1, headers, names)
        options = (ctypes.c_char_p * 1)(f"-arch=sm_{architecture}".encode())
        status = created or nvrtc.nvrtcCompileProgram(program, 1, options)
        status = status or nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        said = log_of(nvrtc, program)
        right = status == 0 and size.value > 0 and "warning" not in said
        failed += not right
        print(f"sm_{architecture}: " + (f"{size.value} bytes of code" if right else f"status {status}\n{said}"))
    return failed > 0 or len(sys.argv) == 1


if __name__ == "__main__":
    sys.exit(main())
