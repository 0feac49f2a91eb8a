#!/bin/sh
# Builds forkd-agent as one static, stripped, reproducible binary: build.sh OUTDIR
# With CC=aarch64-linux-gnu-gcc, or any other compiler: with that one, for its machine.
# With SANITIZE=1: a dynamic build with the address and undefined-behaviour sanitizers, for tests.
set -eu
src=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build.sh OUTDIR}
mkdir -p "$out"
cd "$src"
warnings="-std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wshadow -Werror"
if [ "${SANITIZE:-}" = 1 ]; then
  exec "${CC:-gcc}" $warnings -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
    -o "$out/forkd-agent" ./*.c
fi
compiler=${CC:-gcc}
if [ -z "${CC:-}" ] && command -v musl-gcc >/dev/null 2>&1; then compiler=musl-gcc; fi
if ! command -v "$compiler" >/dev/null 2>&1; then
  echo "build.sh: no C compiler $compiler. Next: apt-get install musl-tools (or gcc libc6-dev)" >&2
  exit 1
fi
# Built aside and renamed, so that a build that fails leaves no half-made binary.
"$compiler" $warnings -Os -static -ffunction-sections -fdata-sections -ffile-prefix-map="$src"=agent \
  -Wl,--gc-sections -Wl,--build-id=none -s -o "$out/forkd-agent.tmp" ./*.c
mv "$out/forkd-agent.tmp" "$out/forkd-agent"
