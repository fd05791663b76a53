#!/usr/bin/env bash
# Measures a bundle's Hopper kernels on this machine's GPU beside cuDNN (through
# PyTorch) and Triton: first that they are right, then how fast they are.
# usage: scripts/bench_gpu.sh [LOG]
#   FA4_RUN, FA4_BUNDLE  the tool and the bundle with cubins (build/)
#   FA4_DIMS             head dims to time ("64 128")
#   FA4_BACKWARD=1       the backward kernels, too
# scripts/bench_report.py LOG then writes the table and the plot into the docs.
# A machine without LLVM needs only scripts/, FA4_RUN and FA4_BUNDLE.
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(realpath "${1:-bench_gpu.log}")
run=${FA4_RUN:-build/bin/fa4-run}
bundle=${FA4_BUNDLE:-build/kernels}
dims=${FA4_DIMS:-64 128}
ways=(fwd)
[ -z "${FA4_BACKWARD:-}" ] || ways+=(bwd "bwd --deterministic")
export run bundle
on_gpu=(--device cuda --kernels "$bundle" --arch sm_90a)

: >"$log"
say() { echo "$*" | tee -a "$log"; }
say "# date $(date -u +%F)"
say "# gpu $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)"
clocks() {
  say "# clocks $1: $(nvidia-smi --query-gpu=clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv,noheader)"
}

# Lengths around the tile sizes, with both masks, grouped heads and every layout
# in turn; on a GPU every tensor has canaries around it.
pairs="3,3 64,32 64,128 64,1 128,192 255,256 239,1 799,3 113,203 113,128 128,217 113,211 108,256 256,512 384,256 640,128
512,256 1024,1024 1023,1024 1024,1023 1,339 3,1024 64,800 3,799 64,2048 2048,2048 0,128 128,0 1,1"
checks() {
  local way mask pair dim layouts=(bshd bhsd padded) i=0
  for way in "${ways[@]}"; do
    for dim in $dims; do
      for mask in "" --causal; do
        for pair in $pairs; do
          echo "$way --head-dim $dim $mask --seqlen-q ${pair%,*} --seqlen-k ${pair#*,} --layout ${layouts[i++ % 3]}"
        done
      done
    done
  done
  for dim in 96 192,128 256; do
    for mask in "" --causal; do
      for pair in 113,203 1023,1024; do
        echo "fwd --head-dim $dim $mask --seqlen-q ${pair%,*} --seqlen-k ${pair#*,}"
      done
    done
  done
}
check_one() {
  if text=$($run $1 --heads 4 --kv-heads 2 --device cuda --kernels "$bundle" --arch sm_90a --threads 4 --check 2>&1); then
    echo "right $1"
  else
    echo "WRONG $1: $text"
  fi
}
export -f check_one
checks | xargs -d '\n' -P 4 -I{} bash -c 'check_one "{}"' >"$log.checks"
grep WRONG "$log.checks" | head -20 | cut -c1-400 | tee -a "$log"
say "# checks $(grep -c '^right' "$log.checks") of $(checks | wc -l) within the bound"

sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ -x "$sanitizer" ]; then
  for dim in $dims; do
    for mask in "" --causal; do
      for way in "${ways[@]}"; do
        say "# memcheck $way d$dim ${mask:-full}: $("$sanitizer" --tool memcheck "$run" $way "${on_gpu[@]}" \
          --heads 4 --kv-heads 2 --seqlen-q 200 --seqlen-k 333 --head-dim "$dim" $mask 2>&1 |
          grep -E 'ERROR SUMMARY|Error|fa4-run:' | tail -1)"
      done
    done
  done
fi

if [ -n "${FA4_BACKWARD:-}" ]; then
  for dim in $dims; do
    for mask in "" --causal; do
      say "# deterministic backward d$dim ${mask:-full}: $("$run" bwd --deterministic --repeat 10 "${on_gpu[@]}" --batch 2 \
        --heads 16 --seqlen-q 2048 --seqlen-k 2048 --head-dim "$dim" $mask 2>&1 | tail -1)"
    done
  done
fi

clocks before
for way in "${ways[@]}"; do
  backward=()
  name=
  [ "$way" = fwd ] || backward=(--backward ${way#bwd})
  [ "${way#bwd }" = "$way" ] || name="deterministic "
  for dim in $dims; do
    for mask in "" --causal; do
      "$run" bench "${backward[@]}" "${on_gpu[@]}" --heads 16 --head-dim "$dim" $mask --launches 30 2>&1 |
        sed "s/^backward/${name}backward/" | tee -a "$log"
      [ -n "$name" ] || python3 scripts/bench_peers.py --dims "$dim" --masks "$([ "$mask" ] && echo causal || echo full)" \
        --way "$way" 2>&1 | grep -v Warning | tee -a "$log"
    done
  done
done
clocks after
