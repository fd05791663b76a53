#!/usr/bin/env bash
# clang-format over every C++ file; clang-tidy over the C++ files that differ
# from origin/main; from HEAD~1 where nothing differs from that.
set -euo pipefail
cd "$(dirname "$0")/.."
# Files below an Inputs folder must not compile, or are judged by line.
inputs=':!:test/*/Inputs/*'
git ls-files '*.cpp' '*.h' "$inputs" | xargs -r clang-format-22 --dry-run -Werror
base=$(git merge-base HEAD origin/main 2>/dev/null || true)
if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
  base=$(git rev-parse --verify -q HEAD~1 || true)
fi
if [ -n "$base" ] && [ -f build/compile_commands.json ]; then
  git diff --name-only --diff-filter=d "$base" -- '*.cpp' "$inputs" \
    >build/tidy-files
  # Needs the precompiled and generated headers of a build.
  xargs -r -P2 -n1 clang-tidy-22 -quiet -p build <build/tidy-files
fi
