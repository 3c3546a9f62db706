#!/usr/bin/env bash
# One question of contextualize over the real model of model.sh, on a repository of two files. A model this small understands little, so
# what is checked is form: the file has front matter with the model, and every place in it exists.
# Usage: scope.sh GRAPH [SEED]   (the program)
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
cat >src/main.rs <<'RUST'
//! Says hello.

mod greeting;

fn main() {
    println!("{}", greeting::greeting("world"));
}
RUST
printf '/// Returns the greeting for a name.\npub fn greeting(name: &str) -> String {\n    format!("hello, {name}")\n}\n' >src/greeting.rs
cd "$work"
cat >config.yaml <<CONFIG
providers:
  local: { base_url: "http://127.0.0.1:$port/v1", max_tokens: 300 }
CONFIG

status=0
timeout 600 "$graph" run contextualize scope repository -q "Where is the greeting made?" --model local/smollm2 --config config.yaml \
  -o scope.md --thread real || status=$?
if [ "$status" -gt 1 ]; then
  "$graph" state real --json || true
  echo "error: contextualize ended with $status"
  exit 1
fi
check scope repository <scope.md
