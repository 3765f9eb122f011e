/* SPDX-License-Identifier: MIT */
#pragma once
#include <stdlib.h>
