#!/usr/bin/env bash
# Records a training of several processes on this machine and writes the report of the job.
#   ./torchrun.sh 4 train.py --epochs 1
set -euo pipefail
processes=$1
shift
traces=${TRACES:-$(mktemp -d)}
out=${OUT:-torch-compile-report}

# The logs are worth the most when the training fails, so its exit code is kept for the end.
code=0
TORCH_TRACE=$traces torchrun --standalone --nproc-per-node "$processes" "$@" || code=$?

tlparse "$traces" --all-ranks-html -o "$out" --overwrite --no-browser
exit "$code"
