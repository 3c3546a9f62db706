#!/usr/bin/env bash
# Runs of every workflow with traces to a real Phoenix, read back through its API: one tree each, with models, tools, tokens, and with messages where
# the capture of texts is on. Installs Phoenix (1 GB) into a cache on first use, which takes minutes; hence not part of .ci/run.
# Usage: phoenix.sh GRAPH   (the program). PHOENIX_URL uses a server that runs already; KEEP=1 keeps the new one until Enter is typed.
set -euo pipefail
graph=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
source "$here/gate.sh"
cache=${REAL_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stategraph-tests}
work=$(mktemp -d)
ended=()
finish() {
  for process in "${ended[@]}"; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

if [ -z "${PHOENIX_URL:-}" ]; then
  mkdir -p "$cache"
  [ -x "$cache/phoenix/bin/python" ] || python3 -m venv "$cache/phoenix"
  "$cache/phoenix/bin/pip" --quiet install "$(grep arize-phoenix "$here/requirements.txt")"
  port=$(free_port)
  export PHOENIX_HOST=127.0.0.1 PHOENIX_PORT=$port PHOENIX_TELEMETRY_ENABLED=false PHOENIX_WORKING_DIR="$work/phoenix"
  # Its gRPC port listens on all interfaces, whatever the host says.
  PHOENIX_GRPC_PORT=$(free_port)
  export PHOENIX_GRPC_PORT
  mkdir -p "$PHOENIX_WORKING_DIR"
  "$cache/phoenix/bin/phoenix" serve >"$work/phoenix.log" 2>&1 &
  ended+=($!)
  PHOENIX_URL="http://127.0.0.1:$port"
fi
python3 "$here/phoenix.py" wait "$PHOENIX_URL" || { tail -50 "$work/phoenix.log"; exit 1; }

python3 "$here/phoenix.py" model >"$work/port" &
ended+=($!)
for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done
model="http://127.0.0.1:$(cat "$work/port")/v1"

cd "$work"
mkdir -p shop/src/store
printf '[package]\nname = "shop"\nversion = "0.1.0"\ndescription = "Sells bread"\n' >shop/Cargo.toml
printf '//! The shop.\n\nmod store;\n\nfn main() {\n    store::open();\n}\n' >shop/src/main.rs
printf '//! Keeps bread.\n\n/// Opens the store.\npub fn open() {}\n' >shop/src/store/mod.rs
printf 'providers:\n  scripted: { base_url: "%s" }\n' "$model" >models.yaml
write_gate gate
mkdir -p gate/docs/knowledge_base
printf '# Acme Gate\n\n## Overview\n\nAcme Gate opens doors and keeps a log.\n' >gate/docs/knowledge_base/service_info.md
cat >reader.yaml <<'GRAPH'
name: reader
state: { answer: string }
nodes:
  read:
    agent: { task: "What is in the folder shop? Password: Zq3vT8nLw1Xk5Rb7", tools: [list_directory, read_file] }
    to: answer
edges:
  - { from: START, to: read }
  - { from: read, to: END }
GRAPH

export LLM_TRACING_ENABLED=true LLM_TRACING_ENDPOINT="$PHOENIX_URL/v1/traces" LLM_TRACING_FILE=none
run() { # PROJECT CONTENT ARGUMENT…
  local project=$1 content=$2 status=0
  shift 2
  LLM_TRACING_PROJECT_NAME=$project LLM_TRACING_CONTENT=$content timeout 300 "$graph" run "$@" >"$work/out" 2>"$work/err" || status=$?
  # 1 is a result that is not accepted, such as one that rules wrote.
  if [ "$status" -gt 1 ] || grep -q 'traces did not' "$work/err"; then
    cat "$work/err"
    echo "error: $project ended with $status"
    exit 1
  fi
}
mark=$(date +%s)
run "ard-$mark" false ard --idea "A shared shopping list for families. Members add items and tick them off."
run "doc-phases-$mark" true doc-phases shop --model scripted/tools --config models.yaml
run "contextualize-$mark" true contextualize generate shop --mode agent --approve all --model scripted/tools --config models.yaml
run "explore-$mark" true explore shop --model scripted/tools --config models.yaml
run "sections-$mark" true sections gate --non-interactive --max-iterations 1 --model scripted/tools --config models.yaml
run "quiet-$mark" false reader.yaml --model scripted/tools --config models.yaml
run "reader-$mark" true reader.yaml --model scripted/tools --config models.yaml --thread "$(python3 -c 'import uuid; print(uuid.uuid4())')"
python3 "$here/phoenix.py" check "$PHOENIX_URL" "$mark"
if [ -n "${KEEP:-}" ]; then
  echo "Phoenix runs at $PHOENIX_URL until Enter is typed"
  read -r
fi
