#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tool_c.py POSENC DIRECTORY CC FLAGS...: checks that the functions of `posenc show --c` compile without a warning, and
that their plans have the bits of `posenc table`.

One C program calls the functions for every config of tests/checks/configs, and for settings that these do not have. It
prints the bits of three rows of each plan's table, and the order of elements. Both must be those of the file that
`posenc table` writes."""
import json
import re
import subprocess
import sys

from pathlib import Path

POSENC, WORK, CC, FLAGS = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
LISTS = "short_factor=[1,1.25,1.5,2] long_factor=[1,2.5,4.125,8]".split()
SETTINGS = [
    ["preset=vaswani", "d_model=64"], ["preset=t2t", "d_model=34"], ["preset=fairseq", "d_model=66"],
    ["preset=ddpm", "d_model=32"], ["preset=mlx", "d_model=34"], ["preset=musicgen", "d_model=64"],
    ["preset=vaswani", "d_model=32", "base=500", "scale=2"], ["preset=vaswani", "d_model=32", "half_turns=true"],
    ["head_dim=64", "rope_theta=1e6", "rope_type=yarn", "factor=4.1", "original_max_position_embeddings=32768"],
    ["head_dim=8", "rope_theta=1e4", "rope_type=longrope", "original_max_position_embeddings=4096",
     "max_position_embeddings=131072", *LISTS],
    ["head_dim=64", "rope_theta=1e6", "rope_type=yarn", "factor=4", "original_max_position_embeddings=32768",
     "beta_fast=16", "beta_slow=2", "extrapolation_factor=0.5"],
    ["head_dim=64", "rope_theta=1e4", "rope_type=llama3", "factor=8", "original_max_position_embeddings=8192",
     "low_freq_factor=2", "high_freq_factor=5"],
    ["head_dim=64", "rope_theta=1e4", "rope_type=dynamic", "factor=2", "max_position_embeddings=2048",
     "sequence_length=9000"],
    *(["head_dim=8", "rope_theta=1e4", "rope_type=longrope", "original_max_position_embeddings=4096",
       "max_position_embeddings=131072", "short_mscale=1.1", "long_mscale=1.2", f"sequence_length={n}", *LISTS]
      for n in (2048, 9000)),
    ["head_dim=128", "rope_theta=1e4", "rope_type=linear", "factor=0.1"],
    ["head_dim=128", "rope_theta=1e4", "partial_rotary_factor=0.5"],
    ["head_dim=8", "rope_theta=1e4", "freq_factors=[1,2.3,3,0.1]"],
]
ROWS = "100000:3"


def run(*words):
    return subprocess.run([POSENC, *words], capture_output=True, text=True, check=False)


def main():
    failed = passed = 0

    def good(what, is_good, seen=""):
        nonlocal failed, passed
        passed, failed = passed + bool(is_good), failed + (not is_good)
        if not is_good:
            print(f"FAIL --c: {what} {seen}")

    code, calls, wanted = ['#include "pe.h"', "#include <stdio.h>", "#include <stdlib.h>"], [], []
    sources = [[str(path)] for path in sorted(Path("tests/checks/configs").glob("*.json"))] + SETTINGS
    for number, source in enumerate(sources):
        shown = run("show", *source, "--c")
        parts = json.loads(run("show", *source, "--json").stdout)["parts"]
        is_wrong = any(part["wrong"] for part in parts)
        notes = [note["text"] for part in parts for note in part["wrong"] + part["odd"]]
        good(f"{source}: status", shown.returncode == is_wrong, shown.stderr)
        good(f"{source}: the notes of show are on standard error",
             shown.stderr.count("posenc: ") == len(notes) and all(note in shown.stderr for note in notes), shown.stderr)
        functions = re.findall(r"(?m)^static (pe_rope_config|pe_config) (\w+)\(void\)$", shown.stdout)
        good(f"{source}: a function for each config",
             len(functions) == sum("config" in part for part in parts), shown.stdout)
        code.append(re.sub(r"(?m)^(static (?:pe_rope_config|pe_config) \w+)\(void\)$", rf"\1_{number}(void)",
                           shown.stdout.replace('#include "pe.h"', "")))
        for part in parts:
            if part["kind"] == "rope" and "config" in part:
                kind = part["rope_type"].replace("ntk-aware", "xdrope") # the name that pe_rope_type_named() knows
                good(f"{source} {part['name']}: config.rope_type", part["config"]["rope_type"] == kind, part["config"])
            name = re.sub(r"\W", "_", part["name"]) + "_config"
            if "config" not in part or len(part.get("sections", "x")) > 1: # rows of several coordinates are not tried
                continue
            file = WORK / f"{number}-{name}.raw"
            layout = ["--layout", "joined"] if part["kind"] == "rope" else []
            made = run("table", *source, str(file), "--raw", "--part", part["name"], "--positions", ROWS, *layout)
            if made.returncode == 0: # posenc makes no table for a config that it does not understand
                kind = "rope" if part["kind"] == "rope" else "plain"
                calls.append(f"    {kind}({name}_{number}(), {number});")
                order = [int(part["pairs"] == "halves"), part["rotary_offset"], int(part["rope_interleave"])] \
                    if kind == "rope" else [part["config"][k] for k in ("has_padding", "padding_position", "multiple")]
                wanted.append((f"{source} {part['name']}", order, file.read_bytes()))
    code.append("""
static void put(const float *x, size_t n) { printf("%zu ", n); for (size_t i = 0; i < n; i++) { uint32_t u;
    memcpy(&u, x + i, 4); printf("%08lx", (unsigned long)u); } printf("\\n"); }
static void rope(pe_rope_config c, int number)
{
    static float x[3 * 4096];
    pe_plan plan;
    void *memory = malloc(pe_rope_plan_size(&c) + 1);
    (void)number;
    if (pe_rope_plan_init(&plan, &c, memory, pe_rope_plan_size(&c)) != PE_OK ||
        pe_rope_table_f32(&plan, pe_from(100000), 3, PE_ROPE_TABLE_JOINED, x, NULL, 2 * plan.pairs, NULL) != PE_OK)
        printf("%s\\n", pe_rope_config_error(&c));
    else {
        printf("%d %zu %d ", (int)c.layout, c.rotary_offset, c.rope_interleave);
        put(x, 6 * plan.pairs);
    }
    free(memory);
}
static void plain(pe_config c, int number)
{
    static float x[3 * 4096];
    pe_plan plan;
    void *memory = malloc(pe_plan_size(&c) + 1);
    (void)number;
    if (pe_plan_init(&plan, &c, memory, pe_plan_size(&c)) != PE_OK ||
        pe_fill_f32(&plan, pe_from(100000), 3, x, c.d_model) != PE_OK)
        printf("%s\\n", pe_config_error(&c));
    else {
        printf("%d %d %zu ", c.has_padding, (int)c.padding_position, c.multiple);
        put(x, 3 * c.d_model);
    }
    free(memory);
}
int main(void)
{
""" + "\n".join(calls) + "\n    return 0;\n}\n")
    source, program = WORK / "show.c", WORK / "show"
    source.write_text("\n".join(code), encoding="utf-8")
    # Functions of parts without a table are not called, so such functions are unused.
    compiled = subprocess.run([CC, "-std=c99", "-O0", *FLAGS, "-Wno-unused-function", "-I.", "-DPE_SLEEF=0", str(source),
                               "-o", str(program), "-lm"], capture_output=True, text=True, check=False)
    good("compiles", compiled.returncode == 0, compiled.stderr[:2000])
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines() \
        if compiled.returncode == 0 else []
    good("a line for each table", len(lines) == len(wanted) and len(wanted) >= 40, f"{len(lines)} of {len(wanted)}")
    for line, (what, order, table) in zip(lines, wanted):
        words = [table[i:i + 4][::-1].hex() for i in range(0, len(table), 4)] # little-endian
        good(f"{what}: the table's bits, the order of elements, padding",
             line == " ".join(map(str, [*order, len(words), "".join(words)])), line[:80])
    for words, says in ((["show", "--json", "--c", *SETTINGS[0]], "without --json"),
                        (["table", "x.npy", "--c", *SETTINGS[0]], "table does not take it")):
        refused = run(*words)
        good(f"{words}", refused.returncode == 2 and says in refused.stderr, refused.stderr)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
