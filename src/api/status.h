/* SPDX-License-Identifier: MIT */
/* Defines the functions that return a status text, the version and the instruction set. Tested by
 * tests/unit/selftest/test_selftest.c and tests/unit/api/test_errors.c. */
#pragma once
#include "../pe_simd.h"
#include "options.h"
#include "types.h"
#include "contract.h"

/* ---- 3. this build --------------------------------------------------------------------------- */

PE_API const char *pe_status_string(pe_status status)
{
    static const char *const texts[] = {
#define PE__STATUS_TEXT(name, text) text,
        PE__STATUSES(PE__STATUS_TEXT)
#undef PE__STATUS_TEXT
    };
    const size_t index = (size_t)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "this number is no pe_status";
}

PE_API int pe_version(void) { return PE_VERSION_HEX; }

PE_API const char *pe_isa_name(void) { return PE_ISA_NAME; }
