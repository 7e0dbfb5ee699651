# shellcheck shell=sh disable=SC2034
# For the scripts beside this, each of which is called with PARTS SOURCE … [options]: submits task.sh, and prints the
# job's number.
#
#   submit NAME PARTS AFTER arguments of zarr-wasm …
#
# PARTS tasks, or one that does all where that is empty; once the job AFTER (may be empty) has ended well.

here=$(cd "$(dirname "$0")" && pwd)

submit() {
  name=$1 parts=$2 after=$3
  shift 3
  sbatch --parsable --kill-on-invalid-dep=yes --job-name="$name" ${parts:+--array=0-$((parts - 1))} \
    ${after:+--dependency=afterok:$after} "$here/task.sh" "$@"
}

parts=$1 source=$2
shift 2

# What comes first deletes what is there (--overwrite), or goes on with it (--resume); what follows always goes on.
first=--resume
for option; do
  shift
  if [ "$option" = --overwrite ]; then first=--overwrite; else set -- "$@" "$option"; fi
done
