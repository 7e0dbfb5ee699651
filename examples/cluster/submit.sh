# shellcheck shell=sh disable=SC2034
# Sourced by the other scripts, which are called with PARTS SOURCE … [options]: submits task.sh and prints the job's
# id.
#
#   submit NAME PARTS AFTER arguments of zarr-wasm …
#
# Runs PARTS tasks, or a single one if PARTS is empty, once the job AFTER (may be empty) has succeeded.

here=$(cd "$(dirname "$0")" && pwd)

submit() {
  name=$1 parts=$2 after=$3
  shift 3
  sbatch --parsable --kill-on-invalid-dep=yes --job-name="$name" ${parts:+--array=0-$((parts - 1))} \
    ${after:+--dependency=afterok:$after} "$here/task.sh" "$@"
}

parts=$1 source=$2
shift 2

# The first job deletes existing data (--overwrite) or continues it (--resume); the following jobs always continue it.
first=--resume
for option; do
  shift
  if [ "$option" = --overwrite ]; then first=--overwrite; else set -- "$@" "$option"; fi
done
