# SPDX-License-Identifier: MIT
"""Counts what makes sentences of comments and pages hard to read, as far as a program can notice it.

    text.py          prints the counts, one line per folder and kind
    text.py -v       prints each place too: file, line, kind, sentence
    text.py lower    lowers the bounds in tests/checks/text.txt to the counts

A page is a Markdown file without its programs and tables. Of all other files, the comments are read; comments on
consecutive lines are one text. KINDS below lists the kinds. The file tests/checks/text.txt has a bound for each folder
and kind. A larger count is an error. So is a smaller one, because the bound must then be lowered.
"""
import os
import re
import sys

BOUNDS = "tests/checks/text.txt"
FOLDERS = ("src", "tool", "python", "bench", "generate", "tests", "packaging", "examples", "docs")
PAGES = ("README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", "tests/README.md", "generate/README.md")
COMMENTED = {".h": "c", ".c": "c", ".cpp": "c", ".cu": "c", ".hip": "c", ".py": "#", ".sh": "#", ".mk": "#", ".md": "page"}
GENERATED = ("docs/api.md", "docs/names.md", "tests/PROOFS.md", "python/posenc/_fixed.py")
MOST_WORDS = 30

# Verbs in their plain form; the forms with -s, -es, -ies, -ed and -d are derived. Modal verbs and irregular forms
# follow. A noun that looks like one of them hides a sentence without a verb, so this kind is counted low, never high.
VERBS = """accept access add agree align allow allocate answer appear append apply ask assign assume avoid begin belong
branch break build calculate call cancel carry change check choose clear close collect combine come compare compile
compute contain continue convert copy correct cost count cover create decide declare define delete depend derive describe
detect determine differ disable divide document double drop emulate enable end enter equal estimate exceed exist expand
expect explain export extend fail fall fetch fill find finish fit fix flag flip follow forget form free gain gather get
give go guarantee guard halve handle happen have hide hold identify ignore imply import include increase initialise
initialize insert install interleave keep know lack lead leave let lie limit link list load look lose lower make mark match
mean measure merge miss modify move multiply name need negate note occur omit open order overflow overlap overwrite own
pack pad pass permute pick place point prefer prepare preserve prevent print process produce promise protect prove provide
put raise read receive recognise record reduce refer refuse reject release rely remain remove rename repeat replace report
represent require reserve resize resolve respect rest restore return rotate round run satisfy save say scale search see
select send separate set shift shorten show simplify skip sort split square stand start state stay step stop store stream
subtract suffice sum suppose swap take tell tend terminate test throw time total touch trace treat trust try turn
underflow undo unroll update use vanish vary verify visit wait want warn widen work wrap write yield""".split()
FORMS = """am is are was were be been has had do does did can cannot could may might must shall should will would need
isn't aren't doesn't don't won't can't began begun broke broken built came chose chosen cut did done drawn drew fell felt
found gave given goes gone got held hid hidden kept knew known laid lay led left let lies lost made meant met paid put ran
read said sat saw seen sent set shown sold spent split spoken stood taken taught thought threw told took went won wrote
written becomes become became overrun overran""".split()
WORDS = set(FORMS)
for verb in VERBS:
    WORDS |= {verb, verb + "s", verb + "es", verb + "ed", verb + "d", verb + verb[-1] + "ed"}
    if verb.endswith("y"):
        WORDS |= {verb[:-1] + "ies", verb[:-1] + "ied"}

UNITS = r"(?:ns|us|ms|s|seconds|cycles|bytes|KB|MB|GB|bits|instructions|ulp)"
KINDS = {
    "zero": ("a number without its leading zero: .5", re.compile(r"(?<![\w.*/)\]])-?\.\d+\b(?!\.\w)")),
    "from-on": ("'from number x on' in place of 'starting at x'", re.compile(r"\b[Ff]rom [^.;:]{1,40}? on(?=[,.;:)]|$)")),
    "rate": ("'5 ns a pair' in place of '5 ns per pair'", re.compile(r"\d " + UNITS + r" an? [a-z]+")),
    "too": ("', too' at the end in place of 'also' before the verb", re.compile(r", too\b(?=[.,;:)]|$)")),
    "long": ("a sentence of more than 30 words", None),
    "verbless": ("a comment above code whose first sentence has no verb", None),
}


def comments_of_c(text):
    """Yields (line, text, alone) for each comment of C; `alone` is true if only space precedes it on its line."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
    for found in token.finditer(text):
        whole = found.group()
        if whole[0] != "/":
            continue
        before = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
        body = whole[2:-2] if whole.startswith("/*") else whole[2:]
        lines = [re.sub(r"^\s*\*(?: |$)", "", line) for line in body.split("\n")]
        yield text.count("\n", 0, found.start()) + 1, "\n".join(lines), not before.strip()


def comments_of_script(text):
    """Yields (line, text, alone) for each line of a script that begins with #, and for each docstring of Python."""
    quoted = re.compile(r'^[ \t]*(?:"""(.*?)""")', re.S | re.M)
    for found in quoted.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found.group(1), True
    for number, line in enumerate(quoted.sub(lambda m: "\n" * m.group().count("\n"), text).split("\n"), 1):
        found = re.match(r"^\s*#(?!!)(.*)", line)
        if found:
            yield number, found.group(1), True


def joined(comments):
    """Yields comments, where those on consecutive lines, as with // and #, are joined."""
    held = None
    for number, text, alone in comments:
        if held and alone and held[2] and number == held[3] + 1 and "\n" not in text:
            held = (held[0], held[1] + "\n" + text, True, number)
            continue
        if held:
            yield held[:3]
        held = (number, text, alone, number + text.count("\n"))
    if held:
        yield held[:3]


def paragraphs_of_page(text):
    """Yields (line, text, False) of each paragraph and list item of a page; programs and tables are left out."""
    held, start, fenced = [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        skipped = fenced or not line.strip() or re.match(r"    |\t|\s*\||#|<!--|\s*\[.*\]: ", line)
        if skipped or re.match(r"\s*(?:[*-]|\d+\.) ", line):
            if held:
                yield start, "\n".join(held), False
            held = []
        if not skipped:
            start = start if held else number
            held.append(line)


def sentences(text):
    """Yields (line offset, sentence) for each sentence. A formula, which is an indented line or one of signs, ends it."""
    held, start = "", 0
    for number, line in enumerate(text.split("\n")):
        line = re.sub(r"`[^`]*`", "CODE", line)
        if not line.strip() or re.match(r"\s{4,}\S", line) or re.search(r" {3,}\S", line.strip()) or "----" in line:
            if held.strip():
                yield start, held.strip()
            held = ""
            continue
        if re.match(r"\s*(?:[*-]|\d+\.) ", line) and held.strip():
            yield start, held.strip()
            held = ""
        start = number if not held.strip() else start
        held += " " + line.strip()
        parts = re.split(r"(?<=[.!?:;])\s+(?=[A-Z`\"'(\[*]|(?:pe|gcc|clang|ggml|llama|libm)\b)", held.strip())
        for part in parts[:-1]:
            yield start, part
            start = number
        held = parts[-1]
    if held.strip():
        yield start, held.strip()


def words(sentence):
    return [w for w in re.findall(r"[A-Za-z][\w'/-]*|\d[\w.,%]*", sentence)]


def faults(file, text, kind):
    """Yields (line, kind, sentence) for each hard sentence of a file's text."""
    source = {"c": comments_of_c, "#": comments_of_script}.get(kind)
    texts = joined(source(text)) if source else paragraphs_of_page(text)
    for number, body, alone in texts:
        body = re.sub(r".*SPDX.*", "", body)
        first = True
        for offset, sentence in sentences(body):
            for name, (_, pattern) in KINDS.items():
                if pattern:
                    for _ in pattern.finditer(sentence):
                        yield number + offset, name, sentence
            found = words(sentence)
            if len(found) > MOST_WORDS:
                yield number + offset, "long", sentence
            lower = [w.lower() for w in found]
            if first and alone and len(found) >= 3 and sentence.endswith(".") and not WORDS.intersection(lower):
                yield number + offset, "verbless", sentence
            first = False


def files():
    for page in PAGES:
        yield "pages", page
    for folder in FOLDERS:
        for root, inside, names in os.walk(folder):
            inside[:] = [d for d in inside if d not in ("build", "__pycache__") and not d.endswith(".egg-info")]
            for name in sorted(names):
                file = os.path.join(root, name)
                if file in GENERATED or file in PAGES or os.path.splitext(name)[1] not in COMMENTED:
                    continue
                yield ("pages" if folder == "docs" else folder), file


# Each entry is a kind, a text of that kind, and a text that looks like it and is good.
EXAMPLES = (
    ("zero", "// It takes .91 of the time.\n", "// It takes 0.91 of the time, see a.b and x.5f.\n"),
    ("from-on", "// Writes the pairs from number i on.\n", "// Reads from one file on disk.\n"),
    ("rate", "// It takes 16 bytes a pair.\n", "// It takes 16 bytes per pair.\n"),
    ("too", "// The others are set, too.\n", "// The others, too many to list, are set.\n"),
    ("long", "/* It is " + "very " * 29 + "long. */\n", "/* It is " + "not " * 27 + "long. It ends. */\n"),
    ("verbless", "/* The position of row 0, in elements. */\n", "int x; /* The position of row 0, in elements. */\n"),
)


def unnoticed():
    """Yields what is wrong with the search itself: it has to find the first text of each example, and not the second."""
    for kind, bad, good in EXAMPLES:
        if [found for _, found, _ in faults("x.c", bad, "c")] != [kind]:
            yield "the example of %s is not found: %s" % (kind, bad)
        for _, found, sentence in faults("x.c", good, "c"):
            yield "%s is found in: %s" % (found, sentence)
    if {kind for kind, _, _ in EXAMPLES} != set(KINDS):
        yield "a kind has no example"


def count(report):
    counts = {(group, kind): 0 for group in ("pages",) + FOLDERS[:-1] for kind in KINDS}
    read = 0
    for group, file in files():
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
        if "nerated by" in text[:400] or "written by generate/" in text[:400]:
            continue
        if file == "CHANGELOG.md":  # the entries of earlier versions stay as they are
            text = "\n## [".join(text.split("\n## [")[:2])
        read += 1
        for line, kind, sentence in faults(file, text, COMMENTED[os.path.splitext(file)[1]]):
            counts[group, kind] += 1
            if report:
                print("%s:%d: %s: %s" % (file, line, kind, sentence))
    return counts, read


def bounds():
    with open(BOUNDS, encoding="utf-8") as stream:
        lines = [line.split() for line in stream if line.strip() and line[0] != "#"]
    return {(group, kind): int(most) for group, kind, most in lines}


def main(arguments):
    counts, read = count("-v" in arguments)
    most = bounds() if os.path.exists(BOUNDS) else {}
    if "lower" in arguments:
        with open(BOUNDS, "w", encoding="utf-8") as stream:
            stream.write("# How many sentences of each kind (tests/checks/text.py) the comments of a folder and the pages may\n"
                         "# have. A number only goes down: `python3 tests/checks/text.py lower`.\n")
            for (group, kind), n in counts.items():
                stream.write("%s %s %d\n" % (group, kind, min(n, most.get((group, kind), n))))
        return 0
    wrong = list(unnoticed())
    wrong += [] if read > 200 else ["only %d files were read" % read]
    for key, n in counts.items():
        name = "%s %s" % key
        print("%-20s %4d  at most %d" % (name, n, most.get(key, 0)))
        if n > most.get(key, 0):
            wrong.append("%s: %d, at most %d: %s. `python3 tests/checks/text.py -v` shows where" %
                         (name, n, most.get(key, 0), KINDS[key[1]][0]))
        elif n < most.get(key, 0):
            wrong.append("%s: only %d: `python3 tests/checks/text.py lower` lowers the bound of %d" % (name, n, most[key]))
    for line in wrong:
        print("FAIL " + line)
    print("%d files read" % read)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
