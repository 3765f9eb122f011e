// SPDX-License-Identifier: MIT
// The functions of pe, compiled once: all other files have prototypes alone (PE_EXTERN).
#define PE_IMPLEMENTATION
#include "pe.h"

#include "bench.hpp"

namespace bench
{
const char *const sleef_name = PE_SLEEF_NAME;
} // namespace bench
