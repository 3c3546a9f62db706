#!/bin/sh
# Made this folder's store, with the programs of the last version that wrote journals of format 1: `sh make.sh PROGRAM`.
# Not run by any test; what it left is committed, so that the tests hold against what that version really wrote.
set -eu
graph=$1
rm -rf checkpoints
run() { "$graph" run "$1.yaml" --checkpoints checkpoints --thread "$2"; }
# A run that is killed while its node sleeps: some seconds are enough to come there.
killed() {
    "$graph" run "$1.yaml" --checkpoints checkpoints --thread "$2" &
    pid=$!; sleep 8; kill -KILL "$pid"; wait "$pid" || true
}
run waits waits </dev/null || test $? = 3
killed runs runs
killed maps maps
run waits healed </dev/null || test $? = 3
"$graph" resume healed --checkpoints checkpoints --answer true
cp checkpoints/threads/healed.log checkpoints/threads/middle.log
cp checkpoints/threads/waits.log checkpoints/threads/torn.log
# Two bytes of the third of four checkpoints.
printf '\0\0' | dd of=checkpoints/threads/middle.log bs=1 seek=1100 conv=notrunc 2>/dev/null
# The end of one that waits.
truncate -s -7 checkpoints/threads/torn.log
# It would hide the store from Git.
rm checkpoints/.gitignore
