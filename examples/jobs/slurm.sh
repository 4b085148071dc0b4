#!/usr/bin/env bash
# Reports on a job of many ranks with Slurm, when it has ended.
#   TRACES=/shared/trace OUT=/shared/report RANKS=1024 ./slurm.sh
set -euo pipefail
mkdir -p "$OUT"

# One element of the array per rank.
ranks=$(sbatch --parsable --export=ALL --array="0-$((RANKS - 1))" --wrap \
    'tlparse "$TRACES"/dedicated_log_torch_trace_rank_"$SLURM_ARRAY_TASK_ID"_*.log* -o "$OUT/rank_$SLURM_ARRAY_TASK_ID" --overwrite --no-browser')

# `afterany`: a rank without a log or with a broken one is named in the report of the others.
sbatch --export=ALL --dependency="afterany:${ranks%%;*}" --wrap 'tlparse combine "$OUT" --overwrite --no-browser'
