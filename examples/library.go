// SPDX-License-Identifier: MIT
//
// examples/library.cpp in Go: cgo reads pe.h by itself.
//
//	make lib
//	CGO_CFLAGS=-I$PWD CGO_LDFLAGS="$PWD/build/libposenc.a -lm" go run examples/library.go
package main

// #cgo CFLAGS: -DPE_EXTERN
// #include <stdlib.h>
// #include "pe.h"
import "C"

import (
	"fmt"
	"math"
	"os"
)

const rows, width = 48, 64

func say(what string, status C.pe_status, x []float32) {
	if status != C.PE_OK {
		fmt.Printf("%s: %s\n", what, C.GoString(C.pe_status_string(status)))
		os.Exit(1)
	}
	h := uint64(0xcbf29ce484222325)
	for _, value := range x {
		h = (h ^ uint64(math.Float32bits(value))) * 0x100000001b3
	}
	fmt.Printf("%s %016x\n", what, h)
}

func main() {
	fmt.Printf("# %s\n", C.GoString(C.pe_isa_name()))
	if C.pe_selftest() != C.PE_OK {
		os.Exit(1)
	}
	x := make([]float32, rows*width)
	first := (*C.float)(&x[0])
	say("table", C.pe_sinusoidal_f32(first, rows, width), x)

	// The plan points to its memory, so that is C's: Go's may not be kept by C.
	config := C.pe_config_default(width)
	config.base = 500000
	size := C.pe_plan_size(&config)
	memory := C.malloc(size)
	defer C.free(memory)
	var plan C.pe_plan
	status := C.pe_plan_init(&plan, &config, memory, size)
	if status == C.PE_OK {
		status = C.pe_fill_f32(&plan, C.pe_from(1000000), rows, first, width)
	}
	say("plan", status, x)
	heads := C.pe_heads{heads: 4, head_stride: width, token_stride: 4 * width}
	say("rope", C.pe_rope_f32(&plan, C.pe_from(131072), rows/4, first, heads), x)
}
