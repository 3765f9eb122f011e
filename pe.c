/* SPDX-License-Identifier: MIT. All functions of pe, compiled once for the files of a program that define PE_EXTERN. */
#define PE_EXTERN 1 /* as -DPE_EXTERN does */
#define PE_IMPLEMENTATION
#include "pe.h"
