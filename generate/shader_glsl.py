# SPDX-License-Identifier: MIT
"""shader_glsl.py IN.wgsl: translates pe_fixed.wgsl to text that is both GLSL 4.50 and GLSL ES 3.10, and prints it.

pe_fixed.wgsl has only functions, structs, let and var, and writes out the type of every name. So each line translates
by itself. A function of WGSL that GLSL does not have is defined first. Other forms of WGSL are refused.
"""
import re
import sys

TYPES = {"u32": "uint", "i32": "int", "bool": "bool", "vec2u": "uvec2", "vec3u": "uvec3", "vec4u": "uvec4"}
FRONT = """
uint pe_fixed_select(uint no, uint yes, bool which) { return which ? yes : no; }
"""
MULHI = """    uint high;
    uint low;
    umulExtended(a, b, high, low);
    return high;
}"""


def type_of(name):
    if name not in TYPES and not name.startswith("PeFixed"):
        sys.exit("shader_glsl.py: type %s is not known" % name)
    return TYPES.get(name, name)


def function(match):
    arguments = [a.split(": ") for a in match.group(2).split(", ")]
    return "%s %s(%s) {" % (type_of(match.group(3)), match.group(1),
                            ", ".join("%s %s" % (type_of(t), n) for n, t in arguments))


def translated(line, within):
    code, slashes, comment = line.partition("//")
    code = re.sub(r"^fn (\w+)\(([^)]*)\) -> (\w+) \{", function, code)
    code = re.sub(r"\b(?:let|var) (\w+): (\w+) =", lambda m: "%s %s =" % (type_of(m.group(2)), m.group(1)), code)
    if within:
        code = re.sub(r"^    (\w+): (\w+),", lambda m: "    %s %s;" % (type_of(m.group(2)), m.group(1)), code)
        code = re.sub(r"^}", "};", code)
    code = re.sub(r"\bselect\(", "pe_fixed_select(", code)
    code = re.sub(r"\bcountLeadingZeros\(([^()]*)\)", r"uint(31 - findMSB(\1))", code)
    for name in ("vec2u", "vec3u", "vec4u", "u32", "i32"):
        code = re.sub(r"\b%s\(" % name, TYPES[name] + "(", code)
    if re.search(r"\b(fn|let|var|vec\du|[ui]32)\b", code):
        sys.exit("shader_glsl.py: not translated: " + line)
    return code + slashes + comment


lines = open(sys.argv[1]).read().split("\n")
within, inside_mulhi, front = False, False, FRONT
for i, line in enumerate(lines):
    if line.startswith("struct ") and front:
        print(front[1:])
        front = ""
    within = within or line.startswith("struct ")
    if inside_mulhi:  # MULHI replaces this function, because GLSL has an operation for the high word of a product
        inside_mulhi = line != "}"
        continue
    print(translated(line, within), end="\n" if i + 1 < len(lines) else "")
    within = within and not line.startswith("}")
    if line.startswith("fn pe_fixed_mulhi("):
        print(MULHI)
        inside_mulhi = True
