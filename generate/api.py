#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the public part of pe.h, with its comments, in other forms.

    generate/api.py doxygen   the input of doxygen, for `make docs`
    generate/api.py index     docs/api.md, which has every function and type with a sentence and a prototype
"""
import html
import os
import re
import sys
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = ("Returns", "Accuracy", "Aliasing", "Threads", "See")
NAMES = r"[A-Za-z_]\w*(?:, \w+)*"


def text_of(comment):
    """Returns the lines of a comment of C, without the delimiters and the stars at the beginning of lines."""
    lines = comment.strip()[2:-2].rstrip().split("\n")
    return [re.sub(r"^ ?\*? ?", "", line, count=1) if i == 0 else re.sub(r"^ \* ?|^ \*$|^   ", "", line, count=1)
            for i, line in enumerate(lines)]


def paragraphs(lines):
    paragraph = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line.rstrip())
        elif paragraph:
            yield paragraph
            paragraph = []


def entries(paragraph):
    """Returns [(names, text)] for a paragraph of lines such as "out, stride    text", or None for another paragraph."""
    first = re.match(rf"({NAMES}  +)\S", paragraph[0])
    if not first:
        return None
    column, found = len(first[1]), []
    for line in paragraph:
        names = line[:column].strip()
        if names and not re.fullmatch(NAMES, names) or line[column - 1:column] not in (" ", ""):
            return None
        if names:
            found.append((names, line[column:].strip()))
        else:
            found[-1] = found[-1][0], found[-1][1] + " " + line.strip()
    return found


def escaped(text):
    return re.sub(r"([@\\#%])", r"\\\1", html.escape(text, quote=False))


class Header:
    """Holds what is read from pe.h.

    sections    [(number, title, lines, items)], where an item is (lines of its comment, declarations)
    functions   the names of the public functions
    lists       the texts of the constants of an enum that a macro lists
    manual      the lines of the first comment
    """

    def __init__(self, text):
        text = text[:re.search(r"^/\*  PRIVATE", text, re.M).start()]
        self.functions = re.findall(r"^PE_API .*?[ *](pe_\w+)\(", text, re.M)
        # This is {name of the macro that lists an enum: {constant: its text}}. The pieces of a status text are joined.
        self.lists = {name: {constant: "".join(re.findall(r'"((?:\\.|[^"\\])*)"', re.sub(r'",\s*"', ", ", rest)))
                             for constant, rest in re.findall(r"X\((PE_\w+),((?:[^\"()]|\"(?:\\.|[^\"\\])*\")*)\)", body)}
                      for name, body in re.findall(r"^#define (PE__\w+)\(X\)((?:.*\\\n)+.*)", text, re.M)}
        self.manual = text_of(re.search(r"/\* SPDX.*?\*/", text, re.S)[0])
        self.sections, self.rows, comment, room, kept = [], {}, None, False, None
        tokens = re.findall(r"(/\*.*?\*/)|^(typedef [^;{]*\{.*?\} \w+;|enum \{.*?\};|PE_API .*?;|#define .*?(?<!\\)$)|\n(\n)", text, re.S | re.M)
        for remark, declaration, empty in tokens:
            if match := re.match(r"/\* (?:---- (\d+)\. (.*?)|=+)\s*-*(?: \*/|\n)|/\*  (2)\. (TYPES)", remark):
                room = remark.startswith("/* ==== src/")
                if match[1] or match[3]:
                    lines = text_of(remark)[1:] if match[1] else []
                    self.sections.append((match[1] or match[3], (match[2] or match[4].lower()).strip(" -"), lines, []))
                comment = None
            elif remark and re.match(r"^/\* ==== src/", remark):
                room, comment = True, None
            elif remark:
                if not room and not remark.startswith("/*  "):
                    comment = remark
                room = False
            elif empty:
                comment = None
            elif re.match("#define PE__", declaration):
                kept = comment
            elif self.sections and self.sections[-1][0] != "1" and not re.search(r"\} pe__|^#define (PE__|PE_API)", declaration):
                if declaration.startswith("#") and not comment:
                    continue
                comment, kept = comment or kept, None
                lines = text_of(comment) if comment else []
                items = self.sections[-1][3]
                if lines and items and items[-1][0] is comment:
                    items[-1][2].append(declaration)
                else:
                    items.append((comment, lines, [declaration]))
        for line, more in re.findall(r"^ \*   ([A-Z][A-Z0-9_]+)  (.*(?:\n \*    +.*)*)", text, re.M):
            self.rows[f"PE_PRESET_{line}"] = re.sub(r"\s*\n \*\s+|\s{2,}", "; ", more.strip()).replace(",;", ",")

    def linked(self, text):
        """Returns the text with links: a name such as pe_fill_T links to the first function of the family,
        pe_fill_f32."""
        def link(match):
            family = [f for f in self.functions if re.fullmatch(match[1] + "_(f32|f64|f16|bf16|i32)", f)]
            return f'@ref {family[0]} "{match[0]}"' if family else match[0]
        return re.sub(r"\b(pe_\w+)_T\b", link, escaped(text))

    def body(self, lines, parameters=()):
        for paragraph in paragraphs(lines):
            if re.fullmatch(r"[A-Z][A-Z ,]+(?: \(.*\))?", paragraph[0]) and len(paragraph) == 1:
                yield f"<h3>{escaped(paragraph[0][0] + paragraph[0][1:].replace('-D', '-d').lower().replace('-d', '-D'))}</h3>"
            elif all(line.startswith("  ") for line in paragraph):
                yield "<pre>" + "\n".join(map(escaped, textwrap.dedent("\n".join(paragraph)).split("\n"))) + "</pre>"
            elif found := entries(paragraph):
                for names, text in found:
                    known = [name for name in names.split(", ") if name in parameters]
                    head = "@return" if names == "Returns" else f"@param {','.join(known)}" if known else f"@par {names}\n"
                    yield f"{head} {self.linked(text)}"
            else:
                yield self.linked(" ".join(line.strip() for line in paragraph))
            yield ""

    def commented(self, lines, parameters=()):
        return "/** " + "\n".join(self.body(lines, parameters)).strip().replace("*/", "* /") + " */"

    def members(self, declaration):
        """Yields the lines of an enum or a struct, with the comment of each member in doxygen's form after it."""
        head, body, tail = re.match(r"(.*?\{)(.*)(\}.*)", declaration, re.S).groups()
        yield head
        if listed := re.search(r"(PE__\w+)\(PE__\w+\)(.*)", body):
            for name, text in self.lists[listed[1]].items():
                yield f"    {name}, /**< {self.linked(text or self.rows[name])} */"
            body = re.sub(r"^#.*$|PE__\w+\(PE__\w+\)", "", body, flags=re.M)
        separator = "," if "enum" in head else ";"
        pattern = r"([^/,;]+?)\s*(?:[,]|$|(?=/\*))\s*(/\*.*?\*/)?" if separator == "," else r"([^/;]+);\s*(/\*.*?\*/)?"
        for code, remark in re.findall(pattern, body, re.S):
            code = code.strip()
            if not code:
                continue
            text = " ".join(remark[2:-2].split()) if remark else self.rows.get(code.split(" ")[0], f"see {tail.strip('} ;') or 'pe_config'}")
            base, names = "", [code]
            if separator == ";":
                base, rest = re.match(r"((?:const |unsigned |struct )*\w+ )(.*)", code, re.S).groups()
                names = rest.split(", ")
            for name in names:
                yield f"    {base}{name}{separator} /**< {self.linked(text)} */"
        yield tail

    def doxygen(self):
        yield "/** @file pe.h\n * @brief Positional encodings for transformers */"
        title, *manual = self.manual[2:]
        yield f"/** @mainpage {title.split(' - ')[0]}\n\n" + "\n".join(self.body([title.split(" - ")[1], *(line.strip() for line in manual[:1]), *manual[1:]])).replace("*/", "* /") + " */"
        for number, title, lines, items in filter(lambda section: section[3], self.sections):
            yield f"/** @defgroup section{number} {number}. {escaped(title)}\n" + "\n".join(self.body(lines)) + "\n@{ */"
            for _, lines, declarations in items:
                for declaration in declarations:
                    parameters = re.findall(r"(\w+)[,)]", declaration) if declaration.startswith("PE_API") else ()
                    yield self.commented(lines or [f"See {title}"], parameters)
                    yield "\n".join(self.members(declaration)) if "{" in declaration else declaration.replace("PE_API ", "")
            yield "/** @} */"

    def index(self):
        yield "<!-- made from pe.h by make headers -->\n# Functions and types\n"
        yield from textwrap.wrap("All that `pe.h` declares, with the first sentence of its contract and the prototype of the first of its types. The contracts are in "
                                 "[pe.h](../pe.h), above each prototype; `make docs` makes pages of them to search, "
                                 "`build/api-doc/index.html`. Made by `make headers`.", 118)
        for number, title, _, items in filter(lambda section: section[3], self.sections):
            yield f"\n## {number}. {title}\n"
            for _, lines, declarations in items:
                names = [re.search(r"^enum \{ (\w+)|\} (\w+);$" if "{" in d else r"(\w+)\(", d) for d in declarations]
                names = ", ".join(f"`{next(filter(None, name.groups()))}`" for name in names)
                text = " ".join(line.strip() for line in next(paragraphs(lines), ["see pe.h"]))
                sentence = re.match(r".*?(?:(?<![.])[.](?= |$)|$)", text)[0].rstrip(":., ").replace("*", r"\*").replace("<", "&lt;")
                sentence = re.sub(r"\b(PE_\w+|pe_\w+(?:\(\))?)", r"`\1`", sentence)
                first = " ".join(declarations[0].split())
                call = f"  <br>`{first.removeprefix('PE_API ').rstrip(';')}`" if first.startswith("PE_API") else ""
                for part in (f"* {names}: {sentence}", call):
                    yield from textwrap.wrap(part, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def main():
    with open(os.path.join(TOP, "pe.h"), encoding="utf-8") as file:
        header = Header(file.read())
    makers = {"doxygen": header.doxygen, "index": header.index}
    if len(sys.argv) < 2 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    print(*makers[sys.argv[1]](), sep="\n")


if __name__ == "__main__":
    main()
