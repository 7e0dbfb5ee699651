#!/bin/sh
# Copies a Zarr array or group with many tasks of a Slurm cluster, and verifies the copy:
#
#   copy.sh PARTS SOURCE DEST [options of zarr-wasm copy]
#
# Three jobs, each after the previous one: the metadata, the chunks in PARTS tasks, the verification in PARTS tasks.
# Prints their ids. SBATCH_* variables (partition, account, output) apply to all of them.
set -eu
. "$(dirname "$0")/submit.sh"
dest=$1
shift

metadata=$(submit zarr-metadata "" "" copy "$source" "$dest" --metadata-only "$first" "$@")
copy=$(submit zarr-copy "$parts" "$metadata" copy "$source" "$dest" --resume "$@")
verify=$(submit zarr-verify "$parts" "$copy" verify "$dest")
echo "$metadata $copy $verify"
