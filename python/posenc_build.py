# SPDX-License-Identifier: MIT
"""Builds posenc for pip (PEP 517), with nothing but Python, sh and a C compiler.

packaging/lib.sh makes the library. generate/declarations.py makes the structs, enums and functions that ctypes has to
know.

    pip wheel ./python                       or, without pip:
    python3 python/posenc_build.py build     writes build/posenc-VERSION-py3-none-PLATFORM.whl

CC, CFLAGS, LDFLAGS and so on are the variables of packaging/lib.sh. The same compiler gives the same bytes. The
platform in a wheel's name, such as manylinux_2_17_x86_64, has the oldest version of glibc that its libraries run with.
"""
import base64
import glob
import gzip
import hashlib
import io
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
# TOP is the folder of pe.h and packaging/. In the project it is one folder up, and in a source distribution it is
# source/.
TOP = next(top for top in (os.path.join(HERE, "source"), os.path.dirname(HERE))
           if os.path.exists(os.path.join(top, "pe.h")))
SOURCES = ["LICENSE", "pe.h", "pe_simd.h", "generate/declarations.py", "packaging/functions.h", "packaging/lib.sh",
           "packaging/old_glibc.h", "packaging/pe_lib.c", "packaging/version.sh", "packaging/lib*.map.in", "tool/*.h",
           "tool/*/*.h", "tool/reader.c"]


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def version():
    return re.search(rb'PE_VERSION_STRING "(.*)"', read(TOP, "pe.h"))[1].decode()


def metadata():
    project = read(HERE, "pyproject.toml").decode()
    said = dict(re.findall(r'(?m)^([\w-]+) = "(.*)"$', project))
    extras = ""
    for name, needed in re.findall(r'(?m)^(\w+) = \["(.*)"\]$', project.split("[project.optional-dependencies]")[1]):
        extras += f"Provides-Extra: {name}\n"
        extras += "".join(f"Requires-Dist: {package}; extra == '{name}'\n" for package in needed.split('", "'))
    return (f"Metadata-Version: 2.1\nName: posenc\nVersion: {version()}\nSummary: {said['description']}\n"
            f"Requires-Python: {said['requires-python']}\nRequires-Dist: numpy\n{extras}License: MIT\n"
            f"License-File: LICENSE\nDescription-Content-Type: text/plain\n\n"
            + re.search(r'readme = .*text = "(.*?)"', project)[1] + "\n").encode()


def built():
    """Builds the files of the package that are not in python/posenc, and returns {name: bytes}."""
    with tempfile.TemporaryDirectory() as build:
        said = subprocess.run(["sh", "packaging/lib.sh"], cwd=TOP, env={**os.environ, "BUILD": build},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        libraries = glob.glob(f"{build}/*.so") + glob.glob(f"{build}/*.dylib")
        if said.returncode or not libraries:
            sys.exit(f"posenc: packaging/lib.sh has made no library. It needs sh and a C compiler, CC.\n{said.stdout}")
        library = read(libraries[0])
        suffix = os.path.splitext(libraries[0])[1]
        reader = os.path.join(build, "reader" + suffix)
        flags = " ".join(os.environ.get(name, usual) for name, usual in
                         (("CPPFLAGS", ""), ("CFLAGS", "-O2"), ("EXTRA_CFLAGS", ""), ("LDFLAGS", "")))
        said = subprocess.run(f"{os.environ.get('CC', 'cc')} -std=c99 {flags} -fPIC -shared -fvisibility=hidden "
                              f"-DPE_SLEEF=0 -I. -include packaging/old_glibc.h tool/reader.c -o '{reader}' -lm",
                              cwd=TOP, shell=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        if said.returncode:
            sys.exit(f"posenc: tool/reader.c does not compile.\n{said.stdout}")
        parts = read(reader)
    module = subprocess.run([sys.executable, os.path.join(TOP, "generate/declarations.py"), "python"], check=True,
                            stdout=subprocess.PIPE).stdout
    return {f"posenc/libposenc{suffix}": library, f"posenc/libposenc_reader{suffix}": parts,
            "posenc/_declarations.py": module}


def files_of(folder, *patterns):
    names = {name for pattern in patterns for name in glob.glob(os.path.join(folder, pattern))}
    return {os.path.relpath(name, folder): read(name) for name in names}


# This maps bytes 18 and 19 of a library, ELF's field e_machine, to the name that Python has for the processor.
ELF_MACHINES = {b"\x3e\0": "x86_64", b"\xb7\0": "aarch64"}


def platform_tag(libraries):
    """Returns the platforms that these libraries run on.

    They need libm and the newest version of glibc that their symbols name, so linux_x86_64 becomes
    manylinux_2_17_x86_64. CC may compile for another processor than this machine's: the libraries say for which.
    """
    where = re.sub("universal2$", platform.machine(), re.sub("[-.]", "_", sysconfig.get_platform()))
    processor = ELF_MACHINES.get(libraries[0][18:20]) if where.startswith("linux_") else None
    if processor:
        where = f"linux_{processor}"
    needed = [int(minor) for data in libraries for minor in re.findall(rb"\0GLIBC_2\.(\d+)", data)]
    return re.sub("^linux_", f"manylinux_2_{max([17, *needed])}_", where) if needed else where


def build_wheel(directory, config_settings=None, metadata_directory=None):
    made = built()
    where = platform_tag([data for name, data in made.items() if not name.endswith(".py")])
    info = f"posenc-{version()}.dist-info"
    files = {**files_of(HERE, "posenc/*.py", "posenc/py.typed"), **made, f"{info}/METADATA": metadata(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: posenc_build\nRoot-Is-Purelib: false\n"
                              f"Tag: py3-none-{where}\n".encode(),
             f"{info}/LICENSE": read(TOP, "LICENSE")}
    record = ""
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"posenc-{version()}-py3-none-{where}.whl"
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items(), key=lambda file: (info in file[0], file[0])):
            entry = zipfile.ZipInfo(name)  # its time is in 1980, so that the bytes are the same each time
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(directory, config_settings=None):
    name = f"posenc-{version()}"
    files = {**files_of(HERE, "*.py", "pyproject.toml", "posenc/*.py", "posenc/py.typed"), "PKG-INFO": metadata(),
             **{f"source/{path}": data for path, data in files_of(TOP, *SOURCES).items()}}
    files.pop("posenc/_declarations.py", None)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    with open(os.path.join(directory, f"{name}.tar.gz"), "wb") as file:
        file.write(gzip.compress(packed.getvalue(), mtime=0))
    return f"{name}.tar.gz"


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
