// SPDX-License-Identifier: MIT
#include "parts.c"
