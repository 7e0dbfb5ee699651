#!/bin/sh
# Runs zarr-wasm with the given arguments. As one task of many it does one part of the work: in a Slurm job array
# (SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT) and in a Kubernetes Indexed Job (JOB_COMPLETION_INDEX of PARTS).
# No two parts write the same object, so tasks need no coordination.
#
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  set -- "$@" --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
elif [ -n "${JOB_COMPLETION_INDEX:-}" ]; then
  set -- "$@" --part "$JOB_COMPLETION_INDEX/${PARTS:?how many parts there are}"
fi

"${ZARR_WASM:-zarr-wasm}" "$@"
status=$?

# Interrupted tasks (out of memory, a store did not respond) are retried at most three times and continue with
# --resume. Wrong usage (2) is not retried. Kubernetes has retries of its own.
if [ "$status" -ne 0 ] && [ "$status" -ne 2 ] && [ -n "${SLURM_JOB_ID:-}" ] &&
  [ "${SLURM_RESTART_COUNT:-0}" -lt "${RETRIES:-3}" ]; then
  echo "exit status $status: once more" >&2
  scontrol requeue "$SLURM_JOB_ID"
  sleep 60 # until Slurm ends this run
fi
exit "$status"
