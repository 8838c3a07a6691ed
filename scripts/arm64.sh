#!/bin/sh
# Runs tests in an emulated Debian for arm64, with MPICH: examples, the ring's litmus test, and the sums.
#
#   scripts/arm64.sh [SUITE [PATTERN]]     (bookworm; a regular expression for the names of examples)
#
# mpivet and the tests are compiled here, as a compiler for Go is too slow under emulation. See scripts/system.sh.
set -eu
cd "$(dirname "$0")/.."
suite=${1:-bookworm}
pattern=${2:-.}
out=bin/arm64
mkdir -p "$out"
export GOOS=linux GOARCH=arm64 CGO_ENABLED=0
go build -o "$out/mpivet" ./cmd/mpivet
go test -c -o "$out/examples.test" ./examples
go test -c -o "$out/preload.test" ./preload
unset GOOS GOARCH CGO_ENABLED
# The copy of the checkout has no files that git ignores, so these come by a pipe.
tar -c -C "$out" mpivet examples.test preload.test | scripts/system.sh "$suite-arm64" sh -c '
    set -eu
    if [ ! -x /usr/bin/mpicc.mpich ] || [ ! -x /usr/bin/python3 ]; then
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends gcc libc6-dev mpich libmpich-dev \
            python3
    fi
    mkdir -p /arm64
    tar -x -C /arm64
    export LIVE_TESTS=1 TESTED_MPIVET=/arm64/mpivet
    /arm64/mpivet doctor
    cd /src/preload
    /arm64/preload.test -test.run "TestHash|TestRingOrder" -test.timeout 30m
    cd /src/examples
    /arm64/examples.test -test.run "TestExamples/mpich/'"$pattern"'" -test.timeout 3h -test.v
'
