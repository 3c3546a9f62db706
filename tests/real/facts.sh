#!/usr/bin/env bash
# Facts about real repositories in twelve languages, compared with what was written by hand from their sources (tests/facts).
# Fails if fewer than PERCENT % of them hold, 95 unless given. Usage: facts.sh GRAPH [PERCENT]   (the program)
set -euo pipefail
graph=$(realpath "$1")
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir unpacked
log() { echo "facts.sh: $*" >&2; }

# Archives of any compression; the folder is named by the caller because archives name theirs in different ways.
unpack() {
  mkdir "unpacked/$2"
  tar xf "$1" -C "unpacked/$2" --strip-components 1
}

from_crates() {
  # `cargo info` downloads one package without its dependencies. Older versions of Cargo lack it; they copy the dependencies too.
  local package name archive
  for package in hyperfine=1.18.0 miniserve=0.29.0 zoxide=0.9.6; do
    name=${package/=/-}
    archive=("${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$name".crate)
    [ -f "${archive[0]}" ] || cargo info --quiet "${package/=/@}" >/dev/null 2>&1 || true
    archive=("${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$name".crate)
    if [ -f "${archive[0]}" ]; then
      unpack "${archive[0]}" "$name"
      continue
    fi
    mkdir -p "$name/src" && touch "$name/src/lib.rs"
    printf '[package]\nname = "rust"\nversion = "0.1.0"\n[dependencies]\n%s = "=%s"\n[workspace]\n' "${package%=*}" "${package#*=}" >"$name/Cargo.toml"
    (cd "$name" && cargo vendor --quiet vendor >/dev/null 2>&1)
    cp -r "$name/vendor/${package%=*}" "unpacked/$name"
  done
}

from_pypi() {
  python3 -m pip --quiet --disable-pip-version-check download --no-deps --no-binary :all: pypiserver==2.3.2 datasette==0.65.1 httpbin==0.10.2
  unpack pypiserver-2.3.2.tar.gz pypiserver-2.3.2
  unpack datasette-0.65.1.tar.gz datasette-0.65.1
  unpack httpbin-0.10.2.tar.gz httpbin-0.10.2
}

from_npm() {
  npm pack --silent fastify@5.6.1 >/dev/null
  unpack fastify-5.6.1.tgz fastify
}

from_debian() {
  # The sources of one release, whatever release this machine has; lists and cache of their own, so root is not needed.
  mkdir -p apt/lists/partial apt/cache/archives/partial apt/sources
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg
  # The mirror that this machine uses.
  local mirror
  mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -v security | head -n 1)
  if [ -z "$mirror" ]; then
    local as_root=""; [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get -qq update
    mirror=$(apt-get indextargets --format '$(SITE)' | grep -v security | head -n 1)
  fi
  printf 'Types: deb-src\nURIs: %s\nSuites: bookworm\nComponents: main\n' "$mirror" >apt/debian.sources
  [ ! -f $keys ] || echo "Signed-By: $keys" >>apt/debian.sources
  local apt=(apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::sourcelist="$PWD/apt/debian.sources" -o Dir::State::lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache")
  "${apt[@]}" update
  # A package may have further archives, which some mirrors lack and nothing needs; each first one is looked for below.
  (cd apt/sources && "${apt[@]}" --download-only --tar-only source "$@" 2>/dev/null >/dev/null) || true
  local archive name
  for name in "$@"; do
    archive=(apt/sources/"$name"_*.orig.tar.*)
    [ -f "${archive[0]}" ] || { log "the sources of $name cannot be downloaded"; return 1; }
    unpack "${archive[0]}" "$name"
  done
}

# Everything at once: most of the time is waiting.
declare -A jobs
start() { "${@:2}" & jobs[$1]=$!; }
start crates.io from_crates
start PyPI from_pypi
start npm from_npm
start Debian from_debian args4j cmark dbus-sharp leveldb node-parse5 password-store php-monolog phploc ruby-sidekiq webhook \
  dropwizard-metrics lf node-got pebble puma tinyproxy
python3 -c 'import yaml' 2>/dev/null || start PyYAML python3 -m pip --quiet --disable-pip-version-check install --target modules pyyaml
failed=0
for name in "${!jobs[@]}"; do
  wait "${jobs[$name]}" || { log "the download from $name failed"; failed=1; }
done
[ $failed = 0 ] || exit 1

# The version that the facts are about, not the newest one.
while read -r registry name version; do
  [ "$registry" != debian-source ] || compgen -G "apt/sources/${name}_$version.orig.tar.*" >/dev/null || {
    log "$name is no longer $version"
    exit 1
  }
done < <(sed -n 's/^package: //p' "$here"/facts/*.yaml)

PYTHONPATH="$work/modules${PYTHONPATH:+:$PYTHONPATH}" python3 "$here/real/facts.py" "$graph" "$here/facts" "$work/unpacked" "${2:-95}"
