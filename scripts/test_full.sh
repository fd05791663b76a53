#!/usr/bin/env bash
# Runs fa4_fwd over the whole product of lengths, masks, head ratios, head dims
# and types on the emulator, each case against fp64; ends with a figure.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
cmake --build build --target forward_product
exec build/bin/forward_product "${1:-$(nproc)}"
