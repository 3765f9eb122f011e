#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""expand.py: replaces macros that define functions by the functions, in a header that it reads from standard input.

src/ defines the functions of all types with macros: PE__CALLS(f16, uint16_t, float) is pe_fill_f16() and more. In pe.h
these functions are written out, so that ctags, an editor and a reader find each by its name. A macro is expanded if a
line of its body begins a definition, with a word of DEFINES. It has to be used on lines of its own, and must be
undefined after its last use. Lines that become too long are broken again, in most cases as clang-format would do it,
because `make headers` must not need a formatter.
"""
import re
import sys

COLUMNS = 100
DEFINES = ("PE_API", "PE__API_INLINE", "PE__INLINE", "PE__OUTLINE", "static")
WORDS = re.compile(r"""(/\*.*?\*/|"(?:\\.|[^"\\])*"|\w+|\s*\#\#\s*|.)""", re.S)


class Macro:
    def __init__(self, text):
        head, *body = text.split("\n")
        self.name, parameters = re.match(r"#define (\w+)\((.*?)\)", head).groups()
        self.parameters = [p.strip() for p in parameters.split(",")]
        self.body = [re.sub(r"^    ", "", re.sub(r"\s*\\$", "", line)) for line in body]

    def defines(self):
        return any(re.match(rf"(?:{'|'.join(DEFINES)})\b", line) for line in self.body)

    def lines(self, arguments):
        if len(arguments) != len(self.parameters):
            sys.exit(f"expand.py: {self.name}({', '.join(arguments)}) needs {len(self.parameters)} arguments")
        values = dict(zip(self.parameters, arguments))
        for line in statements(self.body):
            words = [values.get(word, "" if "##" in word else word) for word in WORDS.findall(line)]
            yield "".join(words)


def brackets(text, opened=()):
    """Returns the columns of the brackets that are still open at the end of the text. A brace counts as a bracket if it
    begins an initialiser."""
    opened, before = list(opened), ""
    for column, c in enumerate(text):
        if c in "([" or (c == "{" and before and before in "=,({"):
            opened.append(column)
        elif c in ")]" or (c == "}" and opened):
            opened.pop()
        before = c if c != " " else before
    return opened


def statements(lines):
    """Yields one line for each statement and each function head, whose lines are joined."""
    text = ""
    for number, line in enumerate(lines):
        text = f"{text}{'' if text.endswith(('(', '{')) else ' '}{re.sub(r'(?<=[^ ]) +', ' ', line.strip())}" if text else line
        after = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if brackets(text) or text.endswith("=") or after.startswith(("?", ": ")):
            continue
        yield re.sub(r"(?<=[^ ]) +", " ", text)
        text = ""
    if text:
        sys.exit(f"expand.py does not understand: {text}")


def filled(text, indent):
    """Yields the lines of a text that is broken at commas. A new line begins in the column after the innermost open
    bracket."""
    while len(text) > COLUMNS:
        commas = [m.end() for m in re.finditer(r",(?= )", text[:COLUMNS + 1]) if brackets(text[:m.end()])]
        if not commas:
            first = text.index("(") + 1  # not even the first parameter fits
            yield text[:first]
            text = " " * (indent + 4) + text[first:]
            while len(text) > COLUMNS:
                end = text.rindex(",", 0, COLUMNS) + 1
                yield text[:end]
                text = " " * (indent + 4) + text[end:].lstrip()
            break
        end = commas[-1]
        column = brackets(text[:end])[-1] + 1
        yield text[:end]
        kept = "".join("(" if n in brackets(text[:end]) else " " for n in range(column))
        yield from continued(kept, text[end:].lstrip())
        return
    yield text


def continued(kept, rest):
    """Yields the lines after the first one. `kept` has a ( in the column of each open bracket, and spaces replace
    it."""
    while True:
        line = kept + rest
        if len(line) <= COLUMNS:
            yield " " * len(kept) + rest
            return
        commas = [m.end() for m in re.finditer(r",(?= )", line[:COLUMNS + 1]) if m.end() > len(kept) and brackets(line[:m.end()])]
        if not commas:
            sys.exit(f"expand.py cannot break: {rest}")
        end = commas[-1]
        opened = brackets(line[:end])
        yield " " * len(kept) + line[len(kept):end]
        rest = line[end:].lstrip()
        kept = "".join("(" if n in opened else " " for n in range(opened[-1] + 1))


def broken(text):
    """Returns the lines of a statement, broken if it is too long."""
    if len(text) <= COLUMNS:
        return [text]
    indent = len(text) - len(text.lstrip())
    condition = re.match(r" *(?:if|for) \(", text)
    if condition:
        end = next(n for n in range(condition.end(), len(text)) if not brackets(text[:n + 1])) + 1
        return [text[:end], *broken(" " * (indent + 4) + text[end:].lstrip())]
    if otherwise := re.match(r" *else (?=\w)", text):
        return [otherwise[0].rstrip(), *broken(" " * (indent + 4) + text[otherwise.end():])]
    for value in re.finditer(r" = \{?", text):
        rest = " " * (indent + 4) + text[value.end():]
        if len(rest) <= COLUMNS:
            return [text[:value.end()].rstrip(), rest]
    choice = re.match(r"(.*? )(\? .*) (: .*)$", text)
    if choice and not brackets(choice[1]):
        head, yes, no = choice.groups()
        if len(head + yes) <= COLUMNS:
            return [head + yes, " " * len(head) + no]
        column = " " * (indent + len("return ") + 4)
        return [head.rstrip(), column + yes, column + no]
    return list(filled(text, indent))


def expanded(macros, name, arguments):
    for text in macros[name].lines(arguments):
        use = re.match(r"(PE__\w+)\((.*)\)$", text)
        yield from expanded(macros, use[1], use[2].split(", ")) if use and use[1] in macros else broken(text)


def spaced(lines):
    """Yields the lines, with an empty line after each function of several lines except the last function."""
    lines = list(lines)
    for number, line in enumerate(lines):
        yield line
        if line == "}" and number + 1 < len(lines):
            yield ""


def header(text):
    macros, made = {}, []
    pieces = re.findall(r"#define PE__\w+\((?:.*\\\n)+.*\n|#undef PE__\w+\n|PE__\w+\([^;{}]*?\)(?: /\*.*\*/)?\n|.*\n", text)
    for piece in pieces:
        use = re.match(r"(PE__\w+)\(([^;{}]*)\)(?: (/\*.*\*/))?\n$", piece)
        if piece.startswith("#define PE__") and "\\\n" in piece and Macro(piece[:-1]).defines():
            macro = Macro(piece[:-1])
            if macro.name in macros:
                sys.exit(f"expand.py: {macro.name} is still defined")
            macros[macro.name] = macro
        elif piece.startswith("#undef ") and piece.split()[1] in macros:
            del macros[piece.split()[1]]
        elif use and use[1] in macros:
            arguments = [a.strip() for a in use[2].replace("\n", " ").split(",")]
            if made[-1].startswith("}") or made[-1].endswith("};"):
                made.append("")
            made += ([use[3]] if use[3] else []) + list(spaced(expanded(macros, use[1], arguments)))
        else:
            made += piece[:-1].split("\n")
    made = [line for n, line in enumerate(made) if line or made[n - 1]]  # where an #undef is gone, one empty line is enough
    if macros:
        sys.exit(f"expand.py: never undefined: {', '.join(macros)}")
    return made


def main():
    lines = header(sys.stdin.read())
    wide = [line for line in lines if len(line) > COLUMNS]
    if wide:
        sys.exit("expand.py: a line has more than " + f"{COLUMNS} columns: {wide[0]}")
    sys.stdout.write("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
