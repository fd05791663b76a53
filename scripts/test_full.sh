#!/usr/bin/env bash
# Runs fa4_fwd on the emulator: over 64 seeds of schedules with every check and
# --strict, then over the whole product of lengths, masks, head ratios, head
# dims and types, each case against fp64. Each part ends with a figure.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
cmake --build build --target forward_product fa4-emu fa4_bundle
scripts/explore_forward.sh 64
exec build/bin/forward_product "${1:-$(nproc)}"
