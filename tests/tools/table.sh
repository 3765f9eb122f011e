#!/bin/sh
# SPDX-License-Identifier: MIT
#
# table.sh: write tests/PROOFS.md from tests/tools/promises.txt and the logs of `make test` and `make
# check`: where each promise is proven, by which command, how long it takes. A command that has not
# passed here leaves its column empty. A step without a line in promises.txt is an error, and so is a
# line without a step where both commands have passed.
set -u
. tests/tools/lib.sh
OUT=tests/PROOFS.md
for command in test check; do
    logs=$BUILD/log
    [ $command = check ] || logs=$BUILD/log-test
    [ -f "$logs/passed" ] || {
        echo "make $command has not passed in $logs: its column stays empty" >&2
        continue
    }
    for count in "$logs"/*.count; do
        name=${count##*/}
        # shellcheck disable=SC2046
        echo "$command ${name%.count} $(cat "$count")"
    done
done >"$BUILD/table.counts"

{
    cat <<'X'
# Where each promise is proven

Written by `make test-table` from the logs of a run; `tests/tools/promises.txt` has the words. Files are below
`tests/`. A cell says steps / tests / time: seconds of one core, compiling included, half of it on two cores that
have nothing else to do. An empty column: that command was not run. `make verify-full` adds more of the same:
billions of certified elements, guard pages at every shape, all sanitizers and analyzers, coverage, new fuzzing,
mutants; see `make help`.

X
    echo "Machine: $(cpu_model), $(cores) cores; $($GCC --version | head -n 1)."
    echo
    awk -F ' [|] ' '
        function put(name, c) {
            if (!steps[c, name]) return ""
            return sprintf("%d / %d / %d s", steps[c, name], tests[c, name], cpu[c, name] + 0.5)
        }
        FILENAME ~ /promises/ {
            if (/^#/) next
            order[++rows] = $1
            file[$1] = $2
            promise[$1] = $3
            next
        }
        {
            split($0, field, " ")
            command = field[1]
            parts = split(field[2], part, ".")
            name = part[1]
            if (!(name in promise)) { print "no line for the step " field[2] >"/dev/stderr"; bad = 1 }
            steps[command, name]++; seen[name] = 1
            tests[command, name] += field[3]
            failed += field[4]; skipped[command] += field[5]
            cpu[command, name] += field[7]
            steps_of[command]++; tests_of[command] += field[3]; cpu_of[command] += field[7]
            for (i = 2; i <= parts; i++) { kinds[part[i]]++; builds[part[i], command]++ }
        }
        END {
            print "| Promise | Proven by | `make test` | `make check` |"
            print "|---|---|---|---|"
            for (r = 1; r <= rows; r++) {
                name = order[r]
                if (!seen[name] && steps_of["test"] && steps_of["check"]) { print "no step for the line " name >"/dev/stderr"; bad = 1 }
                printf "| %s | %s | %s | %s |\n", promise[name], file[name], put(name, "test"), put(name, "check")
            }
            printf "| **All: steps / tests / seconds** | | %d / %d / %d s | %d / %d / %d s |\n",
                steps_of["test"], tests_of["test"], cpu_of["test"], # 0 / 0 / 0: has not passed here
                steps_of["check"], tests_of["check"], cpu_of["check"]
            print "\n| Steps of builds with | `make test` | `make check` |\n|---|---|---|"
            for (k in kinds) printf "| %s | %s | %s |\n", k, builds[k, "test"], builds[k, "check"] | "sort"
            close("sort")
            if (failed) { print "a step failed: no table" >"/dev/stderr"; bad = 1 }
            exit bad
        }' tests/tools/promises.txt "$BUILD/table.counts"
} >"$BUILD/PROOFS.md" || exit 1
mv "$BUILD/PROOFS.md" "$OUT"
echo "$OUT is written"
