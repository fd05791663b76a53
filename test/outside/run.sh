#!/usr/bin/env bash
# Installs the build, builds this project against the installation alone, then
# generates its kernels and checks them on the emulator. The kernels may not
# depend on the compiler of the author's program: where there is a g++, it
# builds the generator too, and the PTX must be the same but for the columns of
# .loc, which the compilers count differently.
# usage: run.sh BUILD_DIR WORK_DIR
set -euo pipefail
build=$1 work=$2 source=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null

generate() { # FOLDER COMPILER
  cmake -G Ninja -S "$source" -B "$work/$1" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$2" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >/dev/null
  cmake --build "$work/$1" >/dev/null
  "$work/$1/sigmoid-gen" bundle --default -o "$work/$1/kernels" --quiet --no-cubin
}

generate clang clang++-22
"$work/clang/sigmoid-gen" list
"$work/clang/sigmoid-check" "$work/clang/kernels"

if command -v g++ >/dev/null; then
  generate gcc g++
  for ptx in "$work"/clang/kernels/*.ptx; do
    diff <(grep -v '\.loc' "$ptx") <(grep -v '\.loc' "$work/gcc/kernels/${ptx##*/}")
  done
  echo "clang++ and g++ record the same kernels"
fi
