/* SPDX-License-Identifier: MIT */
#pragma once
#include <stdint.h>
#define PRIu64 __UINT64_FMTu__ /* clang knows them */
#define PRIx64 __UINT64_FMTx__
