#!/bin/sh
# Decodes every chunk of a Zarr array or group with many tasks of a Slurm cluster: verify.sh PARTS SOURCE [options]
# Prints the job's id. Tasks whose part has a damaged chunk fail and name the chunk.
set -eu
. "$(dirname "$0")/submit.sh"
RETRIES=0
export RETRIES
submit zarr-verify "$parts" "" verify "$source" "$@"
