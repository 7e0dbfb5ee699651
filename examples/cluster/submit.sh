# For the scripts beside this: submits task.sh, and prints the job's number.
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

# What comes first deletes what is there (--overwrite), or goes on with it (--resume); what follows always goes on.
first=--resume
case " $* " in *" --overwrite "*) first=--overwrite ;; esac
