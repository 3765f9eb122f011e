#!/bin/sh
# SPDX-License-Identifier: MIT
#
# listed.sh: turns tests/steps.txt into assignments for make, one per line and slow steps first. tests/steps.mk reads
# them.
#
#   checks.test+=readme-some                            adds a step to FOLDER.WORD, for each word of its second field
#   script.readme-some:=tests/checks/readme.sh:some     has its script and the arguments, joined by colons
#
# No line contains a blank, because $(shell) of make turns line ends into blanks.
awk -F ' [|] ' '
    /^#/ || NF != 5 { next }
    {
        seconds = $3 + 0
        if ($3 ~ / min$/) seconds *= 60
        if ($3 ~ / h$/) seconds *= 3600
        folder = $4
        sub(/\/.*/, "", folder)
        words = split($2, word, " ")
        for (i = 1; i <= words; i++) print seconds, folder "." word[i] "+=" $1
        script = $4
        gsub(/ /, ":", script)
        print seconds, "script." $1 ":=tests/" script
    }' tests/steps.txt | LC_ALL=C sort -k 1,1nr -k 2 | cut -d ' ' -f 2
