#!/bin/sh
# Compiles the ready-made preload libraries of a release into preload/ready/files: one for each version of mpi.h in
# Debian 12, 13 and the next release. They are compiled on Debian 11, so that they need no newer C library than that.
# It needs mmdebstrap and the network, and the rights of root or a user namespace. Systems are kept as in system.sh.
set -eu
cd "$(dirname "$0")/.."
systems=${MPIVET_SYSTEMS:-/var/tmp/mpivet-systems}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$systems" "$work/in" "$work/out"

# Puts the mpi.h and the libraries of an MPI where the compiler gets it: take NAME INCLUDE LIBRARY…
take() {
    to=$work/in/$1
    mkdir -p "$to/lib"
    cp -RL "$2" "$to/include"
    shift 2
    cp -L "$@" "$to/lib"
}

for suite in bookworm trixie forky; do
    root=$systems/mpi-$suite
    if [ ! -d "$root" ]; then
        echo "ready: getting the MPIs of $suite" >&2
        rm -rf "$root.new"
        mmdebstrap --quiet --variant=extract --include=libmpich-dev,libopenmpi-dev \
            --aptopt='Acquire::Check-Valid-Until "false"' --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
            "$suite" "$root.new" "deb http://deb.debian.org/debian $suite main"
        mv "$root.new" "$root"
    fi
    lib=$root/usr/lib/x86_64-linux-gnu
    mpich=$lib/mpich/include
    [ -e "$mpich/mpi.h" ] || mpich=$root/usr/include/x86_64-linux-gnu/mpich
    take "mpich-$suite" "$mpich" "$lib/libmpich.so.12"
    core=$lib/libopen_mpi.so.40 # of Open MPI 6
    [ -e "$core" ] || core=
    take "openmpi-$suite" "$lib/openmpi/include" "$lib/libmpi.so.40" ${core:+"$core"}
done
take abi "$lib/mpi_abi_mpich/include" "$lib/libmpi_abi_mpich.so.1.0.0"

CGO_ENABLED=0 go build -o "$work/in/ready" ./scripts/ready
# shellcheck disable=SC2016 # for the other shell
tar -C "$work/in" -c . | scripts/system.sh bullseye sh -c '
    set -eu
    {
        [ -x /usr/bin/gcc ] || {
            apt-get update -q
            apt-get install -y -q --no-install-recommends gcc libc6-dev
        }
        mkdir /tmp/in /tmp/out
        tar -x -C /tmp/in
        cd /tmp/in
        for mpi in */; do
            for library in "$mpi"lib/libmpi*; do
                LD_LIBRARY_PATH=/tmp/in/${mpi}lib ./ready -library "/tmp/in/$library" -include "/tmp/in/${mpi}include" \
                    -out /tmp/out
            done
        done
    } >&2
    tar -C /tmp/out -c .' | tar -x -C "$work/out"
rm -f preload/ready/files/*.zst
cp "$work"/out/*.zst preload/ready/files
ls -l preload/ready/files
