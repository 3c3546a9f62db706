#!/usr/bin/env bash
# Random graphs with joins, here and in LangGraph itself: the same nodes must run in the same supersteps.
# Usage: langgraph.sh [GRAPHS]   (2000 unless said; needs python3)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
graphs=${1:-2000}
cache=${REAL_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stategraph-tests}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/pip" --quiet install "$(grep langgraph "$here/requirements.txt")"
(cd "$here/../.." && STATEGRAPH_TEST_SUPERSTEPS="$work/graphs" PROPTEST_CASES="$graphs" \
  cargo test --quiet --test it the_supersteps_of_a_graph_with_joins >"$work/log" 2>&1) ||
  { cat "$work/log"; exit 1; }

"$cache/venv/bin/python" "$here/supersteps.py" "$work/graphs" "$graphs"
