#!/usr/bin/env bash
# LangGraph itself beside ours: random graphs must leave the same states, plans and histories, through updates from outside as well,
# where the two do not differ on purpose (supersteps.py tells and counts that). The Python halves of docs/langgraph.md must print what
# its Rust halves print.
# Usage: langgraph.sh [GRAPHS]   (2000 unless said, 0 for the halves alone; needs python3)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
graphs=${1:-2000}
cache=${REAL_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stategraph-tests}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
mapfile -t packages < <(grep langgraph "$here/requirements.txt")
"$cache/venv/bin/pip" --quiet install "${packages[@]}"

# The test `the_rust_halves_print_what_the_python_halves_print` holds that the Rust halves print `output.txt`.
while IFS=: read -r name _; do
  printed=$(cd "$here/langgraph" && "$cache/venv/bin/python" -W ignore -B "$name.py")
  echo "$name: $printed"
done <"$here/langgraph/output.txt" >"$work/output"
diff "$here/langgraph/output.txt" "$work/output"
echo "$(wc -l <"$work/output") halves of the page print the same"
[ "$graphs" != 0 ] || exit 0

(cd "$here/../.." && STATEGRAPH_TEST_SUPERSTEPS="$work/graphs" PROPTEST_CASES="$graphs" \
  cargo test --quiet --test it the_supersteps_of_a_graph_depend >"$work/log" 2>&1) ||
  { cat "$work/log"; exit 1; }

# Isolated, because the folder `langgraph` beside the script would hide the package.
"$cache/venv/bin/python" -I "$here/supersteps.py" "$work/graphs" "$graphs"
