#!/usr/bin/env bash
# Measures this tool beside upstream's tlparse 0.4.8: the same logs, on the same machine, in one run. Writes
# benches/RESULTS.md, with machine, versions, medians and ratios.
#
#   benches/compare.sh            all rows, five runs each: about an hour on two cores, most of it upstream's
#   benches/compare.sh --quick    the same rows at a tenth of their size, two runs each; prints the table, writes no file
#   benches/compare.sh mixed      only rows whose names contain one of these words; prints the table
#
# Logs and reports stand in memory (/dev/shm) where that exists, since a disk would measure its file system.
# UPSTREAM names a built tlparse 0.4.8; without it, one is installed into target/upstream. BUILT names a folder that holds
# this tool and the examples long_log and floor; without it, they are built. RUNS is how often each command is timed.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=
words=()
for word in "$@"; do
    if [ "$word" = --quick ]; then quick=1; else words+=("$word"); fi
done
runs=${RUNS:-5}
share=1
if [ -n "$quick" ]; then runs=2 share=10; fi

for tool in hyperfine python3; do
    command -v "$tool" >/dev/null || { echo "compare.sh needs $tool: apt-get install $tool" >&2; exit 1; }
done
[ -x /usr/bin/time ] || { echo "compare.sh needs GNU time: apt-get install time" >&2; exit 1; }

if [ -n "${BUILT:-}" ]; then
    ours=$BUILT/tlparse make_log=$BUILT/long_log floor=$BUILT/floor
else
    cargo build --release --locked
    cargo build --release --locked --example long_log --example floor
    ours=target/release/tlparse make_log=target/release/examples/long_log floor=target/release/examples/floor
fi

upstream=${UPSTREAM:-target/upstream/bin/tlparse}
if [ ! -x "$upstream" ]; then
    cargo install tlparse --version 0.4.8 --locked --root target/upstream
fi

room=$(mktemp -d -p "$(if [ -w /dev/shm ]; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi)")
trap 'rm -rf "$room"' EXIT
measured=$room/measured
mkdir "$measured"

wanted() {
    [ "${#words[@]}" = 0 ] && return 0
    local word
    for word in "${words[@]}"; do [[ "$1" == *"$word"* ]] && return 0; done
    return 1
}

# measure ROW MODE WHO COMMAND..: peak memory by GNU time in a first run, which warms up; then wall and CPU times by
# hyperfine. What takes more than a minute is measured twice only, and a short log fifty times: of some 10 ms, one more or less
# is what another program on the machine takes.
measure() {
    local file=$measured/$1.$2.$3 began=$SECONDS many=$runs
    if [ "$1" = small ]; then many=50; fi
    shift 3
    echo "-- ${file##*/}" >&2
    rm -rf "$room/out"
    /usr/bin/time -f %M -o "$file.memory" "$@" >/dev/null 2>&1
    if [ $((SECONDS - began)) -gt 60 ]; then many=2; fi
    find "$room/out" -type f -printf '%s\n' | awk '{ bytes += $1 } END { print NR, bytes }' >"$file.output"
    hyperfine --shell none --runs "$many" --style none --prepare "rm -rf $room/out" --export-json "$file.json" -- "$*" >/dev/null
    rm -rf "$room/out"
}

# row NAME KIND MEGABYTES [OPTION..]: makes the log and measures both tools on it, with highlighted code and with --plain-text.
row() {
    local name=$1 kind=$2 megabytes=$3
    shift 3
    wanted "$name" || return 0
    local input=$room/input
    rm -rf "$input"
    if [ "$kind" = stored ]; then
        input=$(echo tests/inputs/01_inference/*.log)
    else
        "$make_log" "$kind" "$input" "$((megabytes / share > 0 ? megabytes / share : 1))"
    fi
    du -sb "$input" | cut -f1 >"$measured/$name.bytes"
    local who program
    for who in upstream ours; do
        program=$upstream
        [ "$who" = ours ] && program=$ours
        measure "$name" default "$who" "$program" "$input" -o "$room/out" --overwrite --no-browser "$@"
        measure "$name" plain "$who" "$program" "$input" -o "$room/out" --overwrite --no-browser --plain-text "$@"
    done
    # What cannot be avoided: reading the log, hashing its payloads, writing as many bytes into as many files.
    "$ours" "$input" -o "$room/report" --overwrite --no-browser "$@" >/dev/null 2>&1
    measure "$name" default floor "$floor" "$input" "$room/report" "$room/out"
    "$ours" "$input" -o "$room/report" --overwrite --no-browser --plain-text "$@" >/dev/null 2>&1
    measure "$name" plain floor "$floor" "$input" "$room/report" "$room/out"
    rm -rf "$room/report"
}

row mixed mixed 300
row chromium chromium 300
row compiles small 300
row ranks ranks 10 --all-ranks-html
row small stored 0
row double mixed 600
# The last, since upstream takes minutes for each run of it.
row code code 300

table=$(python3 benches/table.py "$measured" "$ours" "$upstream" "$runs" "$share")
echo "$table"
if [ -z "$quick" ] && [ "${#words[@]}" = 0 ]; then
    echo "$table" >benches/RESULTS.md
fi
