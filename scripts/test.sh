#!/usr/bin/env bash
# Builds everything and passes all tests; ends with ctest's summary.
set -euo pipefail
source "$(dirname "$0")/setup.sh"
cmake --build build
scripts/check_style.sh
ctest --test-dir build --output-on-failure -j2
