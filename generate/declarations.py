#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the structs, enums and functions of pe.h for other languages.

    generate/declarations.py python      a module for ctypes with all of them, and load(). As a program, this module
                                         prints what the C program prints.
    generate/declarations.py rust        a module for Rust with all of them, and with the sizes of the structs
    generate/declarations.py c           a program in C99 and C++11 that prints the size of each struct, the offset and
                                         size of each field, and the value of each constant of an enum
    generate/declarations.py functions   packaging/functions.h, which has a macro that lists each function, for C
    generate/declarations.py json        a table of the C program's output, which it reads from standard input

$CC (cc) preprocesses the header, so the declarations are those that a user of the library sees, from whatever file. A
declaration with a name of pe that is not understood is an error. The compiler checks the C program: with -Wall -Wextra
-Werror it refuses a field, constant or type that was misread or overlooked. tests/checks/layout.sh tests that it does.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap

RUST = {"char": "std::os::raw::c_char", "int": "i32", "unsigned": "u32", "unsigned int": "u32", "float": "f32",
        "double": "f64", "size_t": "usize", "int8_t": "i8", "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16",
        "int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "unsigned char": "u8",
        "void": "std::os::raw::c_void"}
RESERVED = ("box", "fn", "impl", "in", "let", "loop", "match", "mod", "move", "ref", "type", "use", "where")  # Rust's words
NUMBERS = {"char": "c_char", "int": "c_int", "unsigned": "c_uint", "unsigned int": "c_uint", "float": "c_float",
           "double": "c_double", "size_t": "c_size_t", "int8_t": "c_int8", "uint8_t": "c_uint8",
           "int16_t": "c_int16", "uint16_t": "c_uint16", "int32_t": "c_int32", "uint32_t": "c_uint32",
           "int64_t": "c_int64", "uint64_t": "c_uint64", "unsigned char": "c_ubyte"}
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Declarations:
    """Holds the declarations. Types are words of C.

    enums       a list of (name or None, constants)
    values      {constant: number}
    structs     {name: [(field, type, elements or None)]}
    functions   {name: (type, [(parameter, type)])}
    """

    def __init__(self, text):
        self.enums, self.values, self.structs, self.functions = [], {}, {}, {}
        for tokens in statements(text):
            if not any(re.match(r"(pe|PE)_", token) for token in tokens):
                continue  # a declaration of a system header
            declared = " ".join(tokens)
            if re.match(r"struct pe__laid_out|typedef char pe__without_", declared):
                continue  # these only make the compiler refuse a packed layout
            if match := re.fullmatch(r"(?:typedef )?enum (\w+ )?\{ (.*?)(?: ,)? \}(?: (\w+))?", declared):
                self.enums.append((match[3], self.constants(match[2])))
            elif match := re.fullmatch(r"typedef struct (?:\w+ )?\{ (.*) ; \} (\w+)", declared):
                self.structs[match[2]] = [field for line in match[1].split(" ; ") for field in self.fields(line)]
            elif match := re.fullmatch(r"extern (.*?)(\w+) \( (.*) \)", declared):
                parameters = [] if match[3] == "void" else [self.parameter(p) for p in match[3].split(" , ")]
                self.functions[match[2]] = (self.known(match[1]), parameters)
            else:
                sys.exit(f"declarations.py does not understand: {declared}")

    def number(self, expression):
        return int(eval(expression, {"__builtins__": {}}, self.values))

    def constants(self, text):
        names, value = [], -1
        for entry in text.split(" , "):
            name, _, given = entry.partition(" = ")
            value = self.number(given) if given else value + 1
            self.values[name] = value
            names.append(name)
        return names

    def fields(self, line):
        """Yields (field, type, elements or None) for each name of a line such as "const double * a , * b [ 8 ]". All
        names of a line share the type before the stars."""
        first, *others = line.split(" , ")
        base = re.match(r"(?:const |unsigned |struct )*\w+ ", first)[0]
        for declarator in [first[len(base):], *others]:
            match = re.fullmatch(r"((?:\* |const )*)(\w+)(?: \[ (.*?) \])?", declarator)
            if not match:
                sys.exit(f"declarations.py does not understand the field: {line}")
            yield match[2], self.known(base + match[1]), self.number(match[3]) if match[3] else None

    def parameter(self, text):
        match = re.fullmatch(r"(.*[ *])(\w+)", text)
        return match[2], self.known(match[1])

    def known(self, words):
        words = words.strip()
        name = re.sub(r"\b(const|struct)\b|\*", "", words).strip()
        if name not in ("void", *NUMBERS, *self.structs, *(enum for enum, _ in self.enums)):
            sys.exit(f"declarations.py does not know the type: {words}")
        return words

    def python(self, words):
        """Returns the ctypes type for the words of a C type."""
        words = words.replace("const", "").strip()
        stars = words.count("*")
        name = words.replace("*", "").strip()
        if stars and name in ("void", "char"):
            name, stars = {"void": "c_void_p", "char": "c_char_p"}[name], stars - 1
        elif name == "void":
            return "None"
        return "POINTER(" * stars + NUMBERS.get(name, name) + ")" * stars

    def rust(self, words):
        """Returns the Rust type for the words of a C type. A pointer is *const if it points to something const."""
        name, *stars = words.split("*")
        pointers = "*mut " * len(stars)
        if "const" in name:
            name, pointers = name.replace("const", ""), pointers.replace("mut", "const")
        return pointers + RUST.get(name.strip(), name.strip())


def statements(text):
    """Yields the words of each statement, that is, of the text up to a semicolon outside of braces."""
    statement, depth = [], 0
    for token in re.findall(r'"(?:\\.|[^"\\])*"|\w+|[^\s\w]', re.sub(r"(?m)^#.*", "", text)):
        depth += (token == "{") - (token == "}")
        if token == ";" and depth == 0:
            yield statement
            statement = []
        else:
            statement.append(token)


def series():
    """Returns the first two numbers of the version. The declarations fit all libraries with these numbers."""
    with open(os.path.join(TOP, "pe.h")) as header:
        return re.search(r'PE_VERSION_STRING "(\d+\.\d+)', header.read())[1]


def python_module(d):
    yield '"""The structs, enums and functions of pe.h for ctypes, made by generate/declarations.py."""'
    yield "# mypy: ignore-errors"
    yield "import ctypes"
    yield "from ctypes import POINTER, c_char_p, c_void_p"
    yield f"from ctypes import {', '.join(sorted(set(NUMBERS.values())))}"
    yield f'\nSERIES = "{series()}"\n'
    for name, constants in d.enums:
        if name:
            yield f"{name} = c_int"
        yield from (f"{constant} = {d.values[constant]}" for constant in constants)
        yield ""
    for name, fields in d.structs.items():
        yield f"\nclass {name}(ctypes.Structure):\n    _fields_ = ["
        for field, words, elements in fields:
            yield f'        ("{field}", {d.python(words)}{f" * {elements}" if elements else ""}),'
        yield "    ]\n"
    yield f"\nSTRUCTS = ({', '.join(d.structs)},)"
    yield "CONSTANTS = (" + "".join(f"\n    {name!r}," for name in d.values) + "\n)"
    yield "FUNCTIONS = {  # name: (type, types of the parameters)"
    for name, (words, parameters) in d.functions.items():
        yield f'    "{name}": ({d.python(words)}, [{", ".join(d.python(p) for _, p in parameters)}]),'
    yield '''}


def load(path: str) -> ctypes.CDLL:
    """Return the library at this path; its functions have their types."""
    library = ctypes.CDLL(path)
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def layout():
    """Sizes, offsets and values, as ctypes has them: the lines of tests/layout.txt."""
    for struct in STRUCTS:
        yield f"{struct.__name__} {ctypes.sizeof(struct)}"
        for name, _ in struct._fields_:
            field = getattr(struct, name)
            yield f"{struct.__name__}.{name} {field.offset} {field.size}"
    for name in CONSTANTS:
        yield f"{name} {globals()[name]}"


if __name__ == "__main__":
    print(*layout(), sep="\\n")'''


def rust_module(d):
    yield "// The structs, enums and functions of pe.h, made by generate/declarations.py."
    for name, constants in d.enums:
        if name:
            yield f"pub type {name} = i32;"
        yield from (f"pub const {constant}: {name or 'i32'} = {d.values[constant]};" for constant in constants)
    for name, fields in d.structs.items():
        yield f"#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {name} {{"
        for field, words, elements in fields:
            escaped = f"{'r#' if field in RESERVED else ''}{field}"
            yield f"    pub {escaped}: {f'[{d.rust(words)}; {elements}]' if elements else d.rust(words)},"
        yield "}"
    sizes = ", ".join(f'("{name}", std::mem::size_of::<{name}>())' for name in d.structs)
    yield f"pub const SIZES: &[(&str, usize)] = &[{sizes}];"
    yield 'extern "C" {'
    for name, (words, parameters) in d.functions.items():
        arguments = ", ".join(f"{'r#' if p in RESERVED else ''}{p}: {d.rust(t)}" for p, t in parameters)
        yield f"    pub fn {name}({arguments}){'' if words == 'void' else ' -> ' + d.rust(words)};"
    yield "}"


def c_program(d):
    yield '#include "pe.h"\n#include <stddef.h>\n#include <stdio.h>\n'
    # If a type was misread, these declarations conflict with those of the header.
    for name, (words, parameters) in d.functions.items():
        yield f"extern {words} {name}({', '.join(p for _, p in parameters) or 'void'});"
    yield "\n#ifndef __cplusplus /* all fields, no more: or -Wextra says which one is missing */"
    for name, fields in d.structs.items():
        braces = [bool(elements) + (words in d.structs) for _, words, elements in fields]
        zeros = ", ".join("{" * n + "0" + "}" * n for n in braces)
        yield f"extern const {name} every_{name};\nconst {name} every_{name} = {{{zeros}}};"
    yield "#endif\n"
    for name, constants in d.enums:  # all constants, or -Wall says which one is missing
        if name:
            different = {d.values[constant]: constant for constant in constants}.values()
            cases = "\n".join(f"    case {constant}:" for constant in different)
            yield f"static int is_{name}({name} x)\n{{\n    switch (x) {{\n{cases}\n        return 1;\n    }}\n    return 0;\n}}\n"
    yield "int main(void)\n{"
    for name, fields in d.structs.items():
        yield f'    printf("{name} %d\\n", (int)sizeof({name}));'
        for field, words, elements in fields:
            pointer = f"{words} (*p)[{elements}]" if elements else f"{words} *p"
            yield f"    {{\n        static {name} s;\n        {pointer} = &s.{field};"
            yield f'        printf("{name}.{field} %d %d\\n", (int)offsetof({name}, {field}), (int)sizeof *p);\n    }}'
    for name, constants in d.enums:
        for constant in constants:
            yield f'    printf("{constant} %d\\n", (int){constant});'
    calls = " && ".join(f"is_{name}({constants[0]})" for name, constants in d.enums if name)
    yield f"    return !({calls});\n}}"


def functions_header(d):
    yield "/* made from pe.h by make headers */\n/* SPDX-License-Identifier: MIT */"
    yield "/* Every public function of pe.h: X(type, name, (parameters), (arguments)). */"
    lines = ["#define FUNCTIONS(X)"]
    for name, (words, parameters) in d.functions.items():
        declared = ", ".join(re.sub(r"\* ", "*", f"{t} {p}") for p, t in parameters) or "void"
        entry = f"X({words}, {name}, ({declared}), ({', '.join(p for p, _ in parameters)}))"
        lines += textwrap.wrap(entry, 97, initial_indent="    ", subsequent_indent="      ")
    yield " \\\n".join(lines)


def json_table(d):
    printed = {name: [int(n) for n in numbers] for name, *numbers in map(str.split, sys.stdin)}
    structs = {name: {"size": printed[name][0], "fields": {
        field: dict(zip(("offset", "size"), printed[f"{name}.{field}"])) for field, _, _ in fields}}
        for name, fields in d.structs.items()}
    enums = {name or constants[0]: {constant: printed[constant][0] for constant in constants} for name, constants in d.enums}
    yield json.dumps({"structs": structs, "enums": enums}, indent=1)


def main():
    makers = {"python": python_module, "rust": rust_module, "c": c_program, "functions": functions_header,
              "json": json_table}
    if len(sys.argv) != 2 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    compiler = shlex.split(os.environ.get("CC") or "cc")
    text = subprocess.run([*compiler, "-E", "-P", "-std=c99", "-DPE_EXTERN", "-x", "c", os.path.join(TOP, "pe.h")],
                          check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    print(*makers[sys.argv[1]](Declarations(text)), sep="\n")


if __name__ == "__main__":
    main()
