#!/usr/bin/env bash
# One section of a README over the real model of model.sh: the generator reads the package with its tools, the critic judges. A model this
# small writes little of use, so what is checked is form: both were asked over HTTP, and the document has the section of the template.
# Usage: sections.sh GRAPH [SEED]   (the program)
set -euo pipefail
graph=$(realpath "$1") seed=${2:-1}
source "$(dirname "$0")/model.sh"
source "$here/gate.sh"

write_gate "$work/package"
cd "$work"
cat >config.yaml <<CONFIG
providers:
  local: { base_url: "http://127.0.0.1:$port/v1", max_tokens: 200 }
CONFIG

status=0
timeout 600 "$graph" run sections package --model local/smollm2 --non-interactive --max-iterations 1 --config config.yaml \
  --thread real 2> >(tee told >&2) || status=$?
if [ "$status" -gt 1 ]; then
  "$graph" state real --json || true
  echo "error: sections ended with $status"
  exit 1
fi
# The generator and the critic, and perhaps tools between them.
grep -qE '^([2-9]|[1-9][0-9]+) answers of the model' told || { echo "error: the model was not asked"; exit 1; }
"$graph" state real --json | check sections package
