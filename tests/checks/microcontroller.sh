#!/bin/sh
# SPDX-License-Identifier: MIT
#
# microcontroller.sh: tests pe_fixed.h on a Cortex-M0+, and on a Cortex-M4 without and with its FPU. arm-none-eabi-gcc
# compiles for them, and qemu-system-arm emulates them. A table must have the hash of tests/golden.txt, and the example
# of examples/microcontroller must give the bits that it gives on this machine. The script also prints the bytes of code
# and the instructions per pair, of pe_fixed.h and of newlib's sines. docs/microcontrollers.md has these figures.
set -u
. tests/tools/lib.sh
WORK=$BUILD/microcontroller
MCU_GCC=arm-none-eabi-gcc
have $MCU_GCC || skip "$MCU_GCC is missing: make deps"
have qemu-system-arm || skip "qemu-system-arm is missing: make deps"
mkdir -p "$WORK"

# shellcheck disable=SC2086
on_host() { # NAME SOURCE FLAGS...
    name=$1 source=$2 && shift 2
    "$CC" -std=c99 -O2 -DPE_ISA=PE_ISA_SCALAR -DPE_SLEEF=0 $WARNINGS $EXTRA_CFLAGS -I. "$@" "$source" \
        -o "$WORK/$name" -lm && "$WORK/$name" >"$WORK/$name.out"
}
# The variables MCU, FLASH_AND_RAM and TICK describe the board.
# shellcheck disable=SC2086
for_board() { # NAME SOURCES AND FLAGS...
    name=$1 && shift
    $MCU_GCC -std=c99 -O2 $MCU -mthumb -ffunction-sections $WARNINGS -I. -I"$WORK" -Wl,--gc-sections "$@" \
        -o "$WORK/$name" -lm
}
program() { # NAME SOURCE
    # shellcheck disable=SC2086
    for_board "$1" "-DTICK=$TICK" -T tests/microcontroller/board.ld $FLASH_AND_RAM --specs=rdimon.specs "$2" \
        tests/microcontroller/start.c
}
run() { # NAME
    timeout 60 qemu-system-arm -M "$BOARD" -kernel "$WORK/$1" -nographic -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=0 >"$WORK/$1.out"
}
text() { # LIBM: prints the bytes of code and constants
    for_board "size$1" -nostartfiles -Wl,-e,entry -DLIBM="$1" tests/microcontroller/size.c &&
        arm-none-eabi-size "$WORK/size$1" | awk 'NR == 2 { print $1 }'
}
golden() { # FILE
    hash=$(sed -n 's/^hash //p' "$1") && [ -n "$hash" ] && grep -q "^fill_f32 512 x 512 .* $hash\$" tests/golden.txt
}
# counts_right FILE: succeeds if the emulator counted 100 instructions for 100 nops, and at most five for the rest.
counts_right() { grep -q '^100 nops: 10[0-5] instructions$' "$1"; }

check "the increments" on_host table.h tests/microcontroller/table.c
cp "$WORK/table.h.out" "$WORK/table.h"
check "the increments of the example" on_host increments.h examples/microcontroller/increments.c
cp "$WORK/increments.h.out" "$WORK/increments.h"
check "the example on this machine" on_host rope examples/microcontroller/rope.c -I"$WORK"

for cell in "m0plus:microbit:62.5:-mcpu=cortex-m0plus" \
    "m4:mps2-an386:40.0:-mcpu=cortex-m4 -mfloat-abi=soft" \
    "m4f:mps2-an386:40.0:-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"; do
    NAME=${cell%%:*} cell=${cell#*:}
    BOARD=${cell%%:*} cell=${cell#*:}
    TICK=${cell%%:*} MCU=${cell#*:}
    FLASH_AND_RAM="-Wl,--defsym=flash=0,--defsym=ram=0x20000000,--defsym=ram_size=0x4000"
    check "$NAME, the example is compiled" program "rope.$NAME" examples/microcontroller/rope.c
    check "... and runs" run "rope.$NAME"
    check "... to the same bits" cmp "$WORK/rope.$NAME.out" "$WORK/rope.out"
    check "$NAME, a table is compiled" program "count.$NAME" tests/microcontroller/count.c
    check "... and runs" run "count.$NAME"
    check "... and has the bits of tests/golden.txt" golden "$WORK/count.$NAME.out"
    check "... instructions are counted right" counts_right "$WORK/count.$NAME.out"
    sed -n 's/^\(.*\): \([0-9]*\) instructions a pair/    \2 instructions a pair: \1/p' "$WORK/count.$NAME.out"
    echo "    $(text 0) bytes of text: pe_fixed_sincos_f32; sin and cos of doubles $(text 2), of floats $(text 1)"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
