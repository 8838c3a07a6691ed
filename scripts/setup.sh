#!/bin/sh
# Installs missing packages for building, testing and trying mpivet on Debian 12: Go, both MPIs, a few MPI programs.
# "setup.sh dev" adds the packages for the linters, and for tests that are skipped without them. It changes nothing if
# everything is installed.
set -eu

packages="gcc g++ gfortran libc6-dev make mpich libmpich-dev openmpi-bin libopenmpi-dev hpcc netpipe-mpich2"
packages="$packages netpipe-openmpi python3-mpi4py gdb"
[ "${1:-}" = dev ] && packages="$packages clang clang-format tmux lldb-14 python3-lldb-14"

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: neither root nor sudo: please have an administrator run: $*" >&2
        exit 1
    fi
}

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Go 1.21 and later download the Go version in go.mod by themselves. Go 1.19 of Debian 12 does not.
go_suits() {
    version=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
    [ -n "$version" ] && [ "$version" -ge 21 ]
}

missing=
for p in $packages; do
    installed "$p" || missing="$missing $p"
done
if [ -n "$missing" ]; then
    command -v apt-get >/dev/null || {
        echo "setup: this is not Debian; please install the equivalent of:$missing" >&2
        exit 1
    }
    echo "setup: installing$missing"
    as_root apt-get update -q
    # shellcheck disable=SC2086 # a list of words
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi

if ! go_suits; then
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    if [ "$codename" != bookworm ]; then
        echo "setup: please install Go 1.21 or later (https://go.dev/dl/); it fetches the version that mpivet needs" >&2
        exit 1
    fi
    echo "setup: installing Go from bookworm-backports"
    list=/etc/apt/sources.list.d/bookworm-backports.list
    grep -rqs '^[^#]*bookworm-backports' /etc/apt/sources.list /etc/apt/sources.list.d ||
        echo 'deb http://deb.debian.org/debian bookworm-backports main' | as_root tee "$list" >/dev/null
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q -t bookworm-backports golang-go ca-certificates
    go_suits || {
        echo "setup: $(command -v go) is $(go version); please put a Go of at least 1.21 first on the PATH" >&2
        exit 1
    }
fi
