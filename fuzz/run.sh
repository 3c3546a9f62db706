#!/usr/bin/env bash
# Runs every fuzz target for some seconds (default 20), on stable Rust: `fuzz/run.sh [SECONDS [TARGET…]]`. `PROFILE=release` runs
# more in the same time, and takes minutes to build: for long runs.
# The target `grammar` fails when the process takes more than 256 MiB.
# What a target finds stands in fuzz/found/; what it learns in fuzz/corpus/, which is not in git. The seeds are the project's
# own files.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-20}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(graph_file checkpoints expression grammar)
profile=${PROFILE:-dev}
RUSTC_WRAPPER=$PWD/cover.sh cargo build --quiet --profile "$profile"
mkdir -p found
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target"
  seeds=()
  [ "$target" = graph_file ] && seeds=(../graphs ../graphs/examples ../crates/files/tests/golden ../crates/kinds/tests/golden ../tests/golden/hostile)
  existing=()
  for folder in "${seeds[@]}"; do [ -d "$folder" ] && existing+=("$folder"); done
  # A mutation of a longer file costs more than it finds; longer seeds are cut.
  # Expressions by grammar are bounded in memory; the others build files and stores. Each is evaluated four times, up to all bounds.
  memory=2048 seconds_each=10
  [ "$target" = grammar ] && memory=256 seconds_each=60
  "${CARGO_TARGET_DIR:-target}/${profile/dev/debug}/$target" "corpus/$target" "${existing[@]}" -max_total_time="$seconds" \
    -max_len=32768 -timeout="$seconds_each" -rss_limit_mb="$memory" -artifact_prefix="found/$target-" -print_final_stats=1 -verbosity=0
done
