#!/usr/bin/env bash
# Scores every kernel's synchronization by mutation: each instruction removed or
# weakened must be found or stand on the kernel's list in test/kernels/mutation.
# Ends with a table.
# usage: scripts/mutate.sh [KERNEL...]   needs build/bin/fa4-emu and the bundle
set -euo pipefail
cd "$(dirname "$0")/.."
build=${FA4_BUILD:-build}
kernels=${FA4_KERNELS:-$build/kernels}
input="--seqlen-q 300 --heads 2 --ctas 1 --scale 3"
forward="fwd $input --seqlen-k 400 --sms 1"
backward="bwd $input --seqlen-k 200 --kv-heads 1"
cases=(
  "fa4_fwd d64: $forward --head-dim 64"
  "fa4_fwd d64 causal: $forward --head-dim 64 --causal"
  "fa4_fwd d128: $forward --head-dim 128"
  "fa4_fwd d128 causal: $forward --head-dim 128 --causal"
  "fa4_bwd d64: $backward --head-dim 64"
  "fa4_bwd d64 causal: $backward --head-dim 64 --causal"
  "fa4_bwd d128: $backward --head-dim 128"
  "fa4_bwd d128 causal: $backward --head-dim 128 --causal"
  "fa4_bwd d64 deterministic: $backward --head-dim 64 --deterministic"
  "fa4_bwd d128 causal deterministic: $backward --head-dim 128 --causal --deterministic"
  "attn_bwd_preprocess d64: $backward --stage preprocess --head-dim 64"
  "attn_bwd_preprocess d128: $backward --stage preprocess --head-dim 128"
  "attn_bwd_postprocess d64: $backward --stage postprocess --head-dim 64"
  "attn_bwd_postprocess d128: $backward --stage postprocess --head-dim 128"
  "fa3_fwd d64 causal: $forward --arch sm_90a --head-dim 64 --causal"
  "fa3_bwd d64 causal: $backward --arch sm_90a --head-dim 64 --causal"
)
failed=0
table=""
for entry in "${cases[@]}"; do
  name=${entry%%:*}
  kernel=${name%% *}
  [ $# = 0 ] || [[ " $* " == *" $kernel "* ]] || continue
  list=()
  [ ! -e "test/kernels/mutation/$kernel.redundant" ] ||
    list=(--justified "test/kernels/mutation/$kernel.redundant")
  # shellcheck disable=SC2086
  text=$("$build/bin/fa4-emu" mutate --seeds 1 "${list[@]}" ${entry#*: } \
    --kernels "$kernels" --strict) || failed=$((failed + 1))
  printf '== %s\n%s\n' "$name" "$text"
  table+="$name: $(grep mutations, <<<"$text")"$'\n'
done
printf '%s%s\n' "$table" "$failed kernels have survivors"
[ "$failed" = 0 ]
