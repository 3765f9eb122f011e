/* SPDX-License-Identifier: MIT */
#pragma once
#include <stdint.h>
#define PRIu64 "llu"
#define PRIx64 "llx"
