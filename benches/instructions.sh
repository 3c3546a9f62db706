#!/usr/bin/env bash
# Instructions a superstep, by callgrind: the difference between a long and a short run, so that start and end do not count.
# Noise of the machine does not matter. Needs valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(cargo bench --no-run --no-default-features --bench hot_loop --message-format json 2>/dev/null |
  sed -n 's/.*"name":"hot_loop".*"executable":"\([^"]*\)".*/\1/p' | tail -1)
instructions() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 | sed -n 's/.*refs: *//p' | tr -d ,; }
for mode in bare memory; do
  long=$(instructions "$mode" 30000) short=$(instructions "$mode" 10000)
  echo "$mode: $(((long - short) / 20000)) instructions a superstep"
done
