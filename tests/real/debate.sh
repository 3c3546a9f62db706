#!/usr/bin/env bash
# Debates over a real model: SmolLM2-135M behind llama.cpp's server on loopback, at most three rounds, answers by JSON Schema.
# Demands a specification, and checks its form, not its quality; see check.py.
# Usage: debate.sh ARD GRAPH [IDEA [SEED]]   (the two programs)
set -euo pipefail
ard=$(realpath "$1") graph=$(realpath "$2")
idea=${3:-A tool that watches a folder and mails a summary of new files every evening.} seed=${4:-1}
source "$(dirname "$0")/model.sh"

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

# The model argues with itself, and with rules.
debate local/smollm2 2
debate offline 1
