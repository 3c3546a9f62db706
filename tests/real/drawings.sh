#!/usr/bin/env bash
# The golden drawings in the real programs: Mermaid and SVG rendered by a browser, DOT laid out by Graphviz.
# Usage: drawings.sh   (needs node_modules beside it, chromium, dot and node)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
golden=$(cd "$here/../../crates/draw/tests/golden/drawings" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for file in "$golden"/*.dot; do
  # A warning, such as an unknown attribute or a label that does not fit, is a failure too.
  warnings=$(dot -Tsvg "$file" -o "$work/graph.svg" 2>&1) || { echo "error: $file: $warnings"; exit 1; }
  [ -z "$warnings" ] || { echo "error: $file: $warnings"; exit 1; }
  grep -q '</svg>' "$work/graph.svg"
done
echo "$(find "$golden" -name '*.dot' | wc -l) drawings are laid out by Graphviz"

node "$here/render.mjs" page "$golden" "$here/node_modules/mermaid/dist/mermaid.min.js" >"$work/page.html"
timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
  --disable-component-update --disable-sync --allow-file-access-from-files --user-data-dir="$work/profile" \
  --virtual-time-budget=60000 --dump-dom "file://$work/page.html" >"$work/dom.html" 2>"$work/browser.log" ||
  { cat "$work/browser.log"; echo "error: the browser failed"; exit 1; }
node "$here/render.mjs" check "$golden" "$work/dom.html"
