#!/usr/bin/env bash
# Documents made of hostile text in the programs that really read them: docutils, Asciidoctor, Mermaid's parser, Mermaid in a browser.
# Usage: documents.sh   (needs node_modules beside it, python3, chromium and node)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${REAL_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stategraph-tests}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/pip" --quiet install "$(grep docutils "$here/requirements.txt")"
(cd "$here/../.." && STATEGRAPH_TEST_DOCUMENTS="$work/documents" cargo test --quiet --test it hostile_documents >"$work/log" 2>&1) ||
  { cat "$work/log"; exit 1; }

"$cache/venv/bin/python" "$here/documents.py" "$work/documents"
node "$here/documents.mjs" asciidoc "$work/documents"
node "$here/documents.mjs" mermaid "$work/documents"
node "$here/documents.mjs" page "$work/documents" "$here/node_modules/mermaid/dist/mermaid.min.js" >"$work/page.html"
timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
  --disable-component-update --disable-sync --allow-file-access-from-files --user-data-dir="$work/profile" \
  --virtual-time-budget=120000 --dump-dom "file://$work/page.html" >"$work/dom.html" 2>"$work/browser.log" ||
  { cat "$work/browser.log"; echo "error: the browser failed"; exit 1; }
node "$here/documents.mjs" rendered "$work/dom.html"
