#!/bin/bash
# Record the inputs again: record.sh PYTHON OUT   (PYTHON has torch and transformers; CPU only)
# Less than 35 minutes on two cores. Each scenario's logs go to OUT/raw/<scenario>/, its program output to OUT/out/.
PY=$1; OUT=$(realpath -m "$2"); here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$OUT/out"
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 TORCHINDUCTOR_COMPILE_THREADS=1 CUDA_VISIBLE_DEVICES= TOKENIZERS_PARALLELISM=false
# r SCENARIO SCRIPT ARGS..; CACHE: shared inductor cache; KEEP=1: add to an existing folder; DTRACE=1: set TORCH_DTRACE too
r() { s=$1; script=$2; shift 2
  export TORCH_TRACE=$OUT/raw/$s TORCHINDUCTOR_CACHE_DIR=${CACHE:-$OUT/cache/$s}
  if [ -n "$DTRACE" ]; then export TORCH_DTRACE=$TORCH_TRACE; else unset TORCH_DTRACE; fi
  [ -z "$KEEP" ] && rm -rf "$TORCH_TRACE"; [ -z "$CACHE" ] && rm -rf "$TORCHINDUCTOR_CACHE_DIR"
  mkdir -p "$TORCH_TRACE"; timeout 900 "$PY" "$here/$script" "$@" >"$OUT/out/$s.txt" 2>&1; echo "$s: exit $?"; }
r 01_inference s01_inference.py; r 02_train_mlp s02_train_mlp.py; r 03_graph_breaks s03_graph_breaks.py
r 04_recompiles s04_recompiles.py; r 05_dynamic_shapes s05_dynamic_shapes.py; r 06_errors s06_errors.py
r 07_compiled_autograd s07_compiled_autograd.py
rm -rf "$OUT/cache/08"; for m in miss hit "bypass bypass"; do CACHE=$OUT/cache/08 r 08_cache_${m% *} s08_cache.py $( [ "$m" = "bypass bypass" ] && echo bypass ); done
export INDUCTOR_PROVENANCE=1; r 09_provenance s09_provenance.py; r 09_provenance_reset s09_provenance.py reset; r 10_aoti s10_aoti.py
unset INDUCTOR_PROVENANCE
r 11_export_clean s11_export.py clean
for m in dtrace draft draft_ops draft_clean; do DTRACE=1 r 11_export_$m s11_export.py $m; done
r 12_ddp_2 s12_ddp.py 2; r 12_ddp_crash s12_ddp.py 2 crash
r 13_div_colls s13_divergence.py colls 2
CACHE=$OUT/cache/13c; rm -rf "$CACHE"; export CACHE; r 13_prep s13_divergence.py cache 2; r 13_div_cache s13_divergence.py cache 2; unset CACHE
r 14_llama_infer s14_models.py llama infer; r 16_many s16_many.py 320; r 17_fork s17_threads_fork.py fork
r 22_vllm_new s22_vllm_like.py new; r 23_dump_file s23_dump_file_link.py
