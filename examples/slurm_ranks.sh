#!/bin/bash
# Report on a distributed job with Slurm: an array with an element per rank, then `tlparse combine` makes the report of the job.
#
#   slurm_ranks.sh TRACES OUT RANKS [options of sbatch, such as --partition=cpu]
#
# TRACES is the folder that the job was given as TORCH_TRACE, OUT the folder of the report; every node sees both. An element
# that fails holds nothing back: the report of the job says which ranks are missing.
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
export TRACES=$1 OUT=$2
last=$(($3 - 1))
shift 3
mkdir -p "$OUT"

array=$(sbatch --parsable --export=ALL --array="0-$last" "$@" --wrap \
  'tlparse "$TRACES"/dedicated_log_torch_trace_rank_"$SLURM_ARRAY_TASK_ID"_*.log -o "$OUT/rank_$SLURM_ARRAY_TASK_ID" --overwrite --no-browser')
sbatch --parsable --export=ALL --dependency="afterany:$array" "$@" --wrap 'tlparse combine "$OUT" --overwrite --no-browser'
