# A small package of an integration, for the scripts beside this one. To be sourced; `write_gate FOLDER` writes it.
write_gate() {
  mkdir -p "$1/data_stream/log" "$1/_dev/build/docs"
  cat >"$1/manifest.yml" <<'MANIFEST'
name: acme_gate
title: Acme Gate
version: 1.0.0
description: Collects logs of Acme Gate.
type: integration
policy_templates:
  - name: gate
    inputs:
      - type: tcp
MANIFEST
  printf 'title: Gate log\ntype: logs\nstreams:\n  - input: tcp\n' >"$1/data_stream/log/manifest.yml"
  printf '# Acme Gate\n\n## Overview\n' >"$1/_dev/build/docs/README.template.md"
}
