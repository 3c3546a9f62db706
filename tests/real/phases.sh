#!/usr/bin/env bash
# doc-phases over the real model of model.sh: one round a phase, on a repository of two files. A model this small understands
# little, so what is checked is form: every round was asked and answered over HTTP, the session ended, documents were written.
# Usage: phases.sh GRAPH [SEED]   (the program)
set -euo pipefail
graph=$(realpath "$1") seed=${2:-1}
source "$(dirname "$0")/model.sh"

mkdir -p "$work/repository/src" && cd "$work/repository"
cat >Cargo.toml <<'MANIFEST'
[package]
name = "greeter"
version = "0.1.0"
description = "Says hello"
MANIFEST
printf '//! Says hello.\n\nfn main() {\n    println!("hello");\n}\n' >src/main.rs
cd "$work"
cat >config.yaml <<CONFIG
providers:
  local: { base_url: "http://127.0.0.1:$port/v1", max_tokens: 200 }
CONFIG
echo 'max_rounds_per_phase: 1' >budgets.yaml

status=0
timeout 600 "$graph" run doc-phases repository --model local/smollm2 --budgets budgets.yaml --config config.yaml --thread real || status=$?
if [ "$status" -gt 1 ]; then
  "$graph" state real --json || true
  echo "error: doc-phases ended with $status"
  exit 1
fi
check phases 1 repository/.agentic
