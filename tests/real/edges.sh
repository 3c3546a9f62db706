#!/usr/bin/env bash
# Dependencies between files, compared with what compilers and import graphs say of ten real packages in five languages (tests/truth).
# Fails if precision or recall of one is below 95 %. Usage: edges.sh GRAPH   (the program)
set -euo pipefail
graph=$(realpath "$1")
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir -p rust/src && touch rust/src/lib.rs
printf '[package]\nname = "rust"\nversion = "0.1.0"\n[dependencies]\nmini-redis = "=0.4.1"\ntower = "=0.5.2"\n[workspace]\n' >rust/Cargo.toml
(cd rust && cargo vendor --quiet --locked vendor >/dev/null 2>&1 || cargo vendor --quiet vendor >/dev/null)
cp -r rust/vendor/mini-redis rust/vendor/tower .

pip=(python3 -m pip --quiet --disable-pip-version-check download --no-deps)
"${pip[@]}" flask==3.1.2 starlette==0.48.0
"${pip[@]}" --no-build-isolation --no-binary :all: jep==4.2.2 jpype1==1.6.0 2>/dev/null || "${pip[@]}" --no-binary :all: jep==4.2.2 jpype1==1.6.0
for wheel in flask starlette; do python3 -m zipfile -e $wheel-*.whl $wheel; done
npm pack --silent rxjs@7.8.2 zod@4.1.12 >/dev/null
for archive in jep-*.tar.gz jpype1-*.tar.gz rxjs-*.tgz zod-*.tgz; do
  mkdir "${archive%%-*}" && tar xzf "$archive" -C "${archive%%-*}" --strip-components 1
done
for package in spf13-viper=1.10.1-1 prometheus-client-golang=1.14.0-3; do
  name=golang-github-${package%%=*}-dev
  if ! apt-get -qq download "$name=${package#*=}" 2>/dev/null; then
    as_root=""; [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get -qq update
    apt-get -qq download "$name=${package#*=}"
  fi
  dpkg-deb -x "$name"_*.deb deb
done
mv deb/usr/share/gocode/src/github.com/spf13/viper deb/usr/share/gocode/src/github.com/prometheus/client_golang .

python3 "$here/real/edges.py" "$graph" "$here/truth"
