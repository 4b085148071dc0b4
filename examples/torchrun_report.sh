#!/bin/bash
# Record a job on one machine with torchrun, and report on all its ranks: torchrun_report.sh RANKS train.py [arguments]
#
# TRACE names the folder of the logs, REPORT that of the report. The report is written even if the job fails, and the exit code
# is that of the job.
set -uo pipefail
if [ $# -lt 2 ]; then sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
ranks=$1
shift
export TORCH_TRACE=${TRACE:-trace}
torchrun --nproc-per-node "$ranks" "$@"
code=$?
tlparse "$TORCH_TRACE" -o "${REPORT:-report}" --overwrite --no-browser || exit $((code ? code : 1))
exit "$code"
