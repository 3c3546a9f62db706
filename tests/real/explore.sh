#!/usr/bin/env bash
# An exploration to depth 2 over the real model of model.sh, on a repository of three files. What is checked is form: every agent was asked
# and ended over HTTP, the tree has three levels, the log is whole. one_tool.py makes the model call tools.
# Usage: explore.sh GRAPH [SEED]   (the program)
set -euo pipefail
graph=$(realpath "$1") seed=${2:-1}
source "$(dirname "$0")/model.sh"

mkdir -p "$work/repository/src/greeting/words"
printf '//! Says hello.\n\nmod greeting;\n\nfn main() {\n    println!("{}", greeting::greeting());\n}\n' >"$work/repository/src/main.rs"
printf '//! Greetings.\n\nmod words;\n\npub fn greeting() -> &str {\n    words::HELLO\n}\n' >"$work/repository/src/greeting/mod.rs"
printf '//! Words.\n\npub const HELLO: &str = "hello";\n' >"$work/repository/src/greeting/words/mod.rs"
cd "$work"
mkfifo gate
"$cache/venv/bin/python" "$here/one_tool.py" "$port" >gate 2>>server.log &
gate=$!
trap 'exec 9>&-; kill "$gate" "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 30 gate_port <gate
cat >config.yaml <<CONFIG
providers:
  local: { base_url: "http://127.0.0.1:$gate_port/v1", max_tokens: 200 }
CONFIG

status=0
timeout 300 "$graph" run explore repository --model local/smollm2 --depth 2 --config config.yaml --thread real || status=$?
if [ "$status" -ne 0 ]; then
  "$graph" state real --json || true
  cat server.log | tail -20
  echo "error: explore ended with $status"
  exit 1
fi
check explore explorations/repository
