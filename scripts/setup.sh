#!/usr/bin/env bash
# Installs what a bare Debian 12 machine lacks, then configures build/.
# Sourced by demo.sh and test.sh; safe to run again.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=(cmake ninja-build ccache clang-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev lld-22
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libfmt-dev libgtest-dev libgmock-dev libbenchmark-dev libcli11-dev
  nlohmann-json3-dev python3 git)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
    grep -q 'install ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "installing: ${missing[*]}"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
fi

cd "$root"
preset=${FA4_PRESET:-release}
[ -f build/build.ninja ] || cmake --preset "$preset"
