/* SPDX-License-Identifier: MIT */
/* The names of pe's enums: in configs, in reports, and in C. */
#ifndef TOOL_NAMES_H
#define TOOL_NAMES_H

#include "../files/enums.h"

#include "pe.h"

/* The names of a pe_rope_type. */
typedef struct rope_type_names {
    const char *config;  /* by which pe_rope_type_named() and Python know it       */
    const char *report;  /* of `show`, where each type has a name of its own       */
    const char *scaling; /* of `compare`, which does not tell NTK from NTK_FIXED   */
    const char *c;       /* after PE_ROPE_                                         */
} rope_type_names;

static const rope_type_names type_names[] = {
    {"default", "default", "default", "DEFAULT"},
    {"linear", "linear", "linear", "LINEAR"},
    {"xdrope", "ntk-aware", "ntk", "NTK"},
    {"ntk", "ntk", "ntk", "NTK_FIXED"},
    {"dynamic", "dynamic", "dynamic", "DYNAMIC_NTK"},
    {"llama3", "llama3", "llama3", "LLAMA3"},
    {"yarn", "yarn", "yarn", "YARN"},
    {"longrope", "longrope", "longrope", "LONGROPE"},
    {"proportional", "proportional", "proportional", "PROPORTIONAL"},
};
TOOL_HAS_ALL(type_names, PE_ROPE_TYPE_COUNT);

/* The names of a pe_sections: in text, in JSON, and in C after PE_SECTIONS_. */
typedef struct section_order_names {
    const char *text, *json, *c;
} section_order_names;

/* Returns the names of an order. The enum has no count, so this is a switch: the compiler warns of a
 * value without a case. */
static const section_order_names *names_of_order(pe_sections order)
{
    static const section_order_names blocks = {"in blocks", "blocks", "BLOCKS"};
    static const section_order_names interleaved = {"interleaved", "interleaved", "INTERLEAVED"};
    static const section_order_names vision = {"for half a head each", "vision", "VISION"};
    switch (order) {
    case PE_SECTIONS_BLOCKS: return &blocks;
    case PE_SECTIONS_INTERLEAVED: return &interleaved;
    case PE_SECTIONS_VISION: break;
    }
    return &vision;
}

/* Returns the name of an exponent in C, after PE_EXPONENT_. The enum has no count either. */
static const char *name_of_exponent(pe_exponent exponent)
{
    switch (exponent) {
    case PE_EXPONENT_WIDTH: return "WIDTH";
    case PE_EXPONENT_PAIRS: return "PAIRS";
    case PE_EXPONENT_INDEX: break;
    }
    return "INDEX";
}

#endif
