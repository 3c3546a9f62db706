#!/usr/bin/env bash
# The Model Context Protocol against other implementations: the reference servers of npm and PyPI as tools of a graph file and of explore,
# and our server under the client of PyPI's `mcp`. Usage: mcp.sh GRAPH   (the program)
set -euo pipefail
graph=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cache=${REAL_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stategraph-tests}/mcp
mkdir -p "$cache"
[ -x "$cache/venv/bin/python" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/pip" --quiet install "$(grep '^mcp==' "$here/requirements.txt")" "$(grep '^mcp-server-git==' "$here/requirements.txt")"
if [ ! -d "$cache/node_modules/@modelcontextprotocol/server-everything" ]; then
  npm install --ignore-scripts --no-package-lock --no-audit --no-fund --silent --prefix "$cache" \
    @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
fi
work=$(mktemp -d)
http=""
trap '[ -z "$http" ] || kill "$http" 2>/dev/null || true; rm -rf "$work"' EXIT
servers=$cache/node_modules/@modelcontextprotocol
cd "$work"

# A repository with one commit, for the server of git and for ours.
mkdir -p repo/src && printf '//! Says hello.\n\n/// Returns the greeting.\npub fn greeting() -> &%sstatic str {\n    "hello"\n}\n' "'" >repo/src/lib.rs
git -C repo init --quiet
git -C repo add .
git -C repo -c user.name=tester -c user.email=tester@example.org commit --quiet -m "The first greeting"

read -r port < <(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
PORT=$port node "$servers/server-everything/dist/index.js" streamableHttp >http.log 2>&1 &
http=$!
for _ in $(seq 100); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  sleep 0.1
done

cat >mcp.json <<JSON
{ "mcpServers": {
  "git": { "command": "$cache/venv/bin/mcp-server-git", "args": ["--repository", "$work/repo"], "tools": { "allow": ["git_log", "git_status"] } },
  "files": { "command": "node", "args": ["$servers/server-filesystem/dist/index.js", "$work/repo"] },
  "every": { "command": "node", "args": ["$servers/server-everything/dist/index.js"] },
  "web": { "url": "http://127.0.0.1:$port/mcp" }
} }
JSON
export XDG_STATE_HOME=$work/state
"$graph" mcp tools --trust >tools.txt
for tool in mcp__git__git_log mcp__files__read_text_file mcp__every__echo mcp__web__echo; do
  grep -q "^$tool " tools.txt || { cat tools.txt; echo "error: $tool is not listed"; exit 1; }
done
if grep -q git_commit tools.txt; then echo "error: a tool that is not allowed is listed"; exit 1; fi

# The tools as nodes, and for an agent whose model answers by a recording-free rule.
cat >all.yaml <<YAML
name: all
state:
  log: { type: string, default: "" }
  file: { type: string, default: "" }
  echo: { type: string, default: "" }
  web: { type: string, default: "" }
  agent: { type: string, default: "" }
nodes:
  log: { tool: { name: mcp__git__git_log, arguments: { repo_path: "'$work/repo'" } }, to: log }
  file: { tool: { name: mcp__files__read_text_file, arguments: { path: "'$work/repo/src/lib.rs'" } }, to: { file: "result | string" } }
  echo: { tool: { name: mcp__every__echo, arguments: { message: "'over stdio'" } }, to: echo }
  web: { tool: { name: mcp__web__echo, arguments: { message: "'over http'" } }, to: web }
  agent: { agent: { task: "Say done.", tools: [mcp__git__*, mcp__every__echo], offline: "'done'" }, to: agent }
edges:
  - { from: START, to: log }
  - { from: log, to: file }
  - { from: file, to: echo }
  - { from: echo, to: web }
  - { from: web, to: agent }
  - { from: agent, to: END }
YAML
"$graph" run all.yaml --mcp mcp.json --thread all >all.json
for words in "The first greeting" "Says hello" "over stdio" "over http"; do
  grep -q "$words" all.json || { cat all.json; echo "error: no \`$words\` in the result"; exit 1; }
done

# An agent of explore calls a tool of the server of git; its model is a script behind an endpoint on loopback.
python3 "$here/mcp_model.py" >port.txt 2>model.log &
model=$!
trap 'kill "$model" "$http" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s port.txt ] && break; sleep 0.1; done
cat >config.yaml <<CONFIG
providers:
  local: { base_url: "http://127.0.0.1:$(cat port.txt)/v1" }
CONFIG
cat >git.json <<JSON
{ "mcpServers": { "git": { "command": "$cache/venv/bin/mcp-server-git", "args": ["--repository", "$work/repo"], "tools": { "allow": ["git_log"] } } } }
JSON
WORK=$work "$graph" run explore repo --model local/script --config config.yaml --mcp git.json --output-dir found >explore.log 2>&1 || { cat explore.log model.log; exit 1; }
grep -rq "The first greeting" found || { cat explore.log; find found -type f; echo "error: the note about the commit is missing"; exit 1; }

# Our server under an independent client.
"$cache/venv/bin/python" "$here/mcp_client.py" "$graph" "$work/repo"
if pgrep -f "$work/repo" >/dev/null; then pgrep -af "$work/repo"; echo "error: a server is left"; exit 1; fi
echo "mcp.sh: four servers, explore, and our server under an independent client: all well"
