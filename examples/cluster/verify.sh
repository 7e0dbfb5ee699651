#!/bin/sh
# Decodes every chunk of a Zarr array or group with many tasks of a Slurm cluster: verify.sh PARTS SOURCE [options]
# Prints the job's number. Tasks whose part has a damaged chunk fail, and say which.
set -eu
. "$(dirname "$0")/submit.sh"
RETRIES=0
export RETRIES
submit zarr-verify "$parts" "" verify "$source" "$@"
