/* SPDX-License-Identifier: MIT */
/* Lists the names that pe_rope_type, pe_sections and pe_exponent have in configs, in reports and in
 * C. */
#ifndef TOOL_NAMES_H
#define TOOL_NAMES_H

#include "../files/enums.h"

#include "pe.h"

/* Holds the names of a pe_rope_type. */
typedef struct rope_type_names {
    const char *config;  /* one of its names in configs: pe_rope_type_named() and Python take it */
    const char *report;  /* its name in `posenc show`; no two types have the same name        */
    const char *scaling; /* its name in `posenc compare`, the same for NTK and NTK_FIXED      */
    const char *c;       /* its name in C without the prefix PE_ROPE_                         */
} rope_type_names;

/* Lists the names of all types, in the order of the enum pe_rope_type. */
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

/* Holds the names of a pe_sections, which is the order in which coordinates share the pairs. */
typedef struct section_order_names {
    const char *text; /* in reports for people                      */
    const char *json; /* in JSON                                    */
    const char *c;    /* in C without the prefix PE_SECTIONS_       */
} section_order_names;

/* Returns the names of an order. The enum pe_sections has no count that TOOL_HAS_ALL could check,
 * so this is a switch: the compiler warns if a value has no case. */
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

/* Returns the name of a pe_exponent in C without the prefix PE_EXPONENT_. Like names_of_order(),
 * it is a switch because the enum has no count. */
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
