#!/usr/bin/env bash
# Builds, generates FlashAttention-4 kernels, shows their resources, and runs
# them on the emulator against the fp64 reference.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
cmake --build build --target fa4-gen fa4-run fa4-emu fa4-opt fa4_bundle
bundle=$(mktemp -d)
trap 'rm -rf "$bundle"' EXIT
cat >"$bundle/specializations" <<'SPEC'
fa4_fwd --head-dim 64
fa4_fwd --head-dim 64 --causal
fa4_fwd --head-dim 128
fa4_fwd --head-dim 128 --causal
SPEC
build/bin/fa4-gen bundle "$bundle/specializations" -o "$bundle/kernels"

for dim in 64 128; do
  for mask in "" --causal; do
    printf '\n== fa4_fwd, head dim %s%s ==\n' "$dim" "${mask:+, causal}"
    build/bin/fa4-gen explain fa4_fwd --head-dim "$dim" $mask
    build/bin/fa4-run fwd --kernels "$bundle/kernels" --check --head-dim "$dim" \
      --batch 2 --heads 4 --kv-heads 2 --seqlen-q 500 --seqlen-k 777 $mask
  done
done
printf '\nall kernels are within their bounds\n'
