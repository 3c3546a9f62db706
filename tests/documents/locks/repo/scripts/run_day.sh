#!/bin/sh
# Work through the queue once; meant for a timer that fires every few minutes.
#
# A shortage of water is normal in a dry summer and ends by itself at
# midnight, so it does not count as a failure of the job. Everything else does.

set -u

here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
cd "$here" || exit 1

: "${CANAL_CONFIG:=config/canal.toml}"
export CANAL_CONFIG

# The state file does not survive two writers, hence the directory as a lock.
guard="${TMPDIR:-/tmp}/canal-run-day.lock"
if ! mkdir "$guard" 2>/dev/null; then
    echo "run_day: another run is active ($guard)" >&2
    exit 0
fi
trap 'rmdir "$guard"' EXIT
trap 'exit 130' INT TERM

python3 -m canal.cli.main run --workers "${CANAL_WORKERS:-2}"
code=$?

case $code in
    0) ;;
    3)
        echo "run_day: out of water, waiting for tomorrow" >&2
        code=0
        ;;
    *)
        echo "run_day: failed with code $code" >&2
        python3 -m canal.cli.main status >&2
        ;;
esac
exit $code
