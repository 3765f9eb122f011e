/* SPDX-License-Identifier: MIT
 *
 * pe for one instruction set, under one name: the table KERNELS. Compiled once for each, see
 * dispatch.c; C or C++. Everything else in the object is static, so builds with different flags
 * cannot get into each other's way. Keep it so: an inline C++ function, or a template of the
 * standard library, would be one function for all of them, with the instructions of any of them.
 */
#include "dispatch.h"

const kernels KERNELS = {
    PE_ISA_NAME, PE_SLEEF_NAME, pe_plan_size, pe_plan_init, pe_fill_f32, pe_rope_f32,
};
