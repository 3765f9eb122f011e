/* SPDX-License-Identifier: MIT */
/* Prints the results of `posenc compare` as JSON, for programs. docs/tool.md lists the members.
 *
 * An explanation (compare/agree.h) says how an array was computed: with which frequencies and
 * positions, and in which arithmetic. A synonym is another explanation with the same numbers. */
#ifndef TOOL_COMPARE_JSON_H
#define TOOL_COMPARE_JSON_H

#include "compare_text.h"
#include "report_json.h"

static void json_place(const samples *s, const place *where)
{
    print("\"row\": %zu, \"position\": %.17g, \"pair\": %zu, \"function\": \"%s\"", where->row,
          position_of(s, where->row, where->pair), where->pair, where->is_sine ? "sine" : "cosine");
}

static void json_deviation(const samples *s, const deviation *d, int is_right)
{
    print(",\n  \"deviation\": ");
    if (!d->by_pair) {
        print("null");
        return;
    }
    print("{\"elements\": %zu, \"wrong\": %zu, \"largest\": ", d->elements, d->wrong);
    json_double(d->largest);
    print(", ");
    json_place(s, &d->worst);
    print(",\n    \"unexplained\": ");
    if (is_right || !d->has_first) print("null");
    else {
        print("{");
        json_place(s, &d->first);
        print("}");
    }
    print("}");
}

static void json_explanation(const explanation *e, const char *indent)
{
    const char *before = "", *const how = how_of(e);
    print("%s\"differs\": [", indent);
    for (int d = 0; d < DIFFERENCE_COUNT; d++)
        if (e->differs >> d & 1) print("%s\"%s\"", before, difference_names[d]), before = ", ";
    print("],%s\"details\": {", indent);
    before = "";
    if (e->differs & TOOL_DIFFERS(DIFFERS_BASE))
        print("\"base\": %.17g", e->of->base), before = ", ";
    if (e->differs & TOOL_DIFFERS(DIFFERS_POSITION_OFFSET))
        print("%s\"offset\": %.17g", before, e->offset), before = ", ";
    if (e->moved == MOVED_CLAMPED || e->moved == MOVED_WRAPPED)
        print("%s\"limit\": %.17g", before, e->limit), before = ", ";
    if (e->differs & TOOL_DIFFERS(DIFFERS_OTHER_PART)) {
        print("%s\"part\": ", before), before = ", ";
        json_string(e->of->part);
    }
    if (e->of->which) {
        print("%s\"which\": ", before), before = ", ";
        json_string(e->of->which);
    }
    if (e->differs & TOOL_DIFFERS(DIFFERS_ROTARY_WIDTH))
        print("%s\"rotary_dim\": %.17g", before, e->of->width), before = ", ";
    if (e->of->scaling)
        print("%s\"scaling\": \"%s\", \"factor\": %.17g", before, e->of->scaling,
              e->of->scaling_factor),
            before = ", ";
    print("},%s\"arithmetic\": ", indent);
    if (how) json_string(how);
    else print("null");
}

/* Prints the member "same": the other names for the numbers of f->of[of]. */
static void json_synonyms(const findings *f, size_t of)
{
    const char *before = "";
    print(", \"same\": [");
    for (size_t n = 0; n < f->synonyms; n++) {
        if (f->synonym[n].of != of) continue;
        print("%s{", before), before = ", ";
        json_explanation(&f->synonym[n].other, " ");
        print("}");
    }
    print("]");
}

static void json_tracks(const samples *s, const findings *f, const deviation *d)
{
    static const char *const names[] = {"amplitude", "frequency", "offset", "noise", "error"};
    print("    \"rows\": %zu,\n    \"pairs\": %zu,\n    \"type\": \"%s\",\n    \"doubled\": %s,\n"
          "    \"layout\": \"%s\"",
          s->rows, s->pairs, npy_types[s->type], s->is_doubled ? "true" : "false",
          s->are_neighbours ? "neighbours" : "halves");
    for (size_t n = 0; n < TOOL_COUNT(names) - !d->by_pair; n++) {
        print(",\n    \"%s\": [", names[n]);
        for (size_t i = 0; i < s->pairs; i++) {
            const track t = track_of(s, f, d, i);
            const double numbers[] = {t.amplitude, t.frequency, t.phase, t.noise,
                                      d->by_pair ? d->by_pair[i] : 0};
            print(i ? ", " : "");
            json_double(numbers[n]);
        }
        print("]");
    }
}

/* Prints the results of a comparison as one JSON object. */
static void json_verdict(const verdict *v)
{
    const samples *const s = &v->s;
    const findings *const f = &v->f;
    const deviation *const d = &v->d;
    print("{\n  \"explained\": %s,", f->count == 1 ? "true" : "false");
    if (f->count == 1) json_explanation(&f->of[0], "\n  "), json_synonyms(f, 0);
    else print("\n  \"differs\": null,\n  \"details\": {},\n  \"arithmetic\": null, \"same\": []");
    print(",\n  \"candidates\": [");
    for (size_t k = 0; k < f->count && f->count > 1; k++) {
        print(k ? ",\n    {" : "\n    {");
        json_explanation(&f->of[k], " ");
        json_synonyms(f, k);
        print("}");
    }
    const double position = f->count > 1 ? all_told_at(s, f) : 0;
    print("],\n  \"tell_apart\": ");
    json_double(position > 0 ? position : (double)NAN);
    json_deviation(s, d, f->fewest == 0);
    print(",\n  \"measured\": {\n");
    json_tracks(s, f, d);
    print("\n  }\n}\n");
}

#endif
