#!/usr/bin/env bash
# Installs the build, builds this project against the installation alone, then
# generates and checks its kernels. usage: run.sh BUILD_DIR WORK_DIR
set -euo pipefail
build=$1 work=$2 source=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
# Another compiler than the one that built fa4-gen may build an author's program.
cmake -G Ninja -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="${OUTSIDE_CXX:-clang++-22}" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/sigmoid-gen" list
"$work/build/sigmoid-gen" bundle --default -o "$work/bundle" --quiet --no-cubin
"$work/build/sigmoid-check" "$work/bundle"
