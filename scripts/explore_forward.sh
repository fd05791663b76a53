#!/usr/bin/env bash
# Runs fa4_fwd on 8 shapes under 64 random, 16 late and the eager schedule, with
# every check and --strict: outputs must agree bit by bit and nothing may be
# reported. Ends with a figure.
# usage: scripts/explore_forward.sh [SEEDS]   needs build/bin/fa4-emu and the bundle
set -euo pipefail
cd "$(dirname "$0")/.."
build=${FA4_BUILD:-build}
kernels=${FA4_KERNELS:-$build/kernels}
shapes=(
  "--head-dim 64 --seqlen-q 1 --seqlen-k 1"
  "--head-dim 64 --seqlen-q 300 --seqlen-k 400 --heads 2 --sms 1 --scale 3"
  "--head-dim 64 --seqlen-q 257 --seqlen-k 129 --causal --heads 4 --kv-heads 2"
  "--head-dim 96 --seqlen-q 200 --seqlen-k 520 --sms 1 --batch 2"
  "--head-dim 128 --seqlen-q 256 --seqlen-k 256 --heads 2 --kv-heads 1"
  "--head-dim 128 --seqlen-q 300 --seqlen-k 300 --causal --ctas 1 --scale 3"
  "--head-dim 128 --seqlen-q 130 --seqlen-k 0"
  "--head-dim 192,128 --seqlen-q 129 --seqlen-k 385 --causal --dtype f16"
)
failed=0
for shape in "${shapes[@]}"; do
  # shellcheck disable=SC2086
  printf '%s: ' "$shape"
  "$build/bin/fa4-emu" explore --seeds "${1:-64}" --targeted 16 fwd \
    --kernels "$kernels" $shape --strict || failed=$((failed + 1))
done
echo "${#shapes[@]} shapes, $failed with a difference or a report"
[ "$failed" = 0 ]
