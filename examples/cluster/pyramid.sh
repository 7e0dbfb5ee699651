#!/bin/sh
# Makes an OME-Zarr image of an array with many tasks of a Slurm cluster:
#
#   pyramid.sh PARTS SOURCE DEST [options of zarr-wasm pyramid]
#
# Four jobs, each after the previous one, because each level is made from the finer one: the metadata, the finest level
# and the next one in PARTS tasks each, and all the others, which are small, in one. Prints their ids.
set -eu
. "$(dirname "$0")/submit.sh"
dest=$1
shift

metadata=$(submit zarr-metadata "" "" pyramid "$source" "$dest" --metadata-only "$first" "$@")
finest=$(submit zarr-level-0 "$parts" "$metadata" pyramid "$source" "$dest" --level 0 --resume "$@")
next=$(submit zarr-level-1 "$parts" "$finest" pyramid "$source" "$dest" --level 1 --resume "$@")
rest=$(submit zarr-levels "" "$next" pyramid "$source" "$dest" --level 2+ --resume "$@")
echo "$metadata $finest $next $rest"
