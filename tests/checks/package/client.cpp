// SPDX-License-Identifier: MIT
#include "client.c"
