#!/bin/sh
# Installs missing packages for building, testing and trying mpivet on Debian 12 and later, and on Ubuntu: Go, both MPIs,
# a few MPI programs. "setup.sh dev" adds the packages for the linters, and for tests that are skipped without them.
# "setup.sh dist" adds those for make dist-test, and "setup.sh systems" only what scripts/system.sh needs. It changes
# nothing if everything is installed. On other systems, it names the packages to install.
set -eu

packages="gcc g++ gfortran libc6-dev make mpich libmpich-dev openmpi-bin libopenmpi-dev hpcc python3-mpi4py gdb"
optional="netpipe-mpich2 netpipe-openmpi" # only programs to try; Ubuntu 24.04 does not have them
packages="$packages $optional"
dev="git clang clang-format tmux lldb protobuf-compiler iproute2 slurmctld slurmd slurm-client munge"
case ${1:-} in
dev) packages="$packages $dev" ;;
dist) packages="$packages $dev mmdebstrap rpm buildah" ;;
systems) packages=mmdebstrap ;;
esac

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

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Go 1.21 and later download the Go version in go.mod by themselves. Go 1.19 of Debian 12 does not.
go_suits() {
    version=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
    [ -n "$version" ] && [ "$version" -ge 21 ]
}

# Prints the command that installs the packages on a system without apt.
advice() {
    # shellcheck disable=SC1091
    [ -r /etc/os-release ] && . /etc/os-release
    case " ${ID:-} ${ID_LIKE:-} " in
    *" fedora "* | *" rhel "*)
        echo "dnf install gcc gcc-c++ gcc-gfortran make golang mpich mpich-devel openmpi openmpi-devel" \
            "python3-mpi4py-mpich gdb; then: module load mpi/mpich-x86_64"
        ;;
    *" suse "*)
        echo "zypper install gcc gcc-c++ gcc-fortran make go mpich mpich-devel openmpi4 openmpi4-devel gdb;" \
            "then: mpi-selector --set one of mpi-selector --list"
        ;;
    *" arch "*)
        echo "pacman -S base-devel gcc-fortran go openmpi python-mpi4py gdb; MPICH is in the AUR: mpich"
        ;;
    *)
        echo "a C, C++ and Fortran compiler, make, Go 1.21 or later, MPICH or Open MPI with its mpicc, gdb"
        ;;
    esac
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    if go_suits && command -v make >/dev/null && command -v mpicc >/dev/null; then
        echo "setup: this system has no apt; Go, make and mpicc are there"
        exit 0
    fi
    echo "setup: this system has no apt. Please install: $(advice)" >&2
    exit 1
fi

# Reports whether the system's lists of packages have a package.
known() {
    apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'
}

# Prints the packages that are missing. Optional ones that the system does not have are left out.
missing() {
    for p in $packages; do
        ! installed "$p" || continue
        case " $optional " in
        *" $p "*) ! known gcc || known "$p" || continue ;;
        esac
        printf ' %s' "$p"
    done
}

missing=$(missing)
if [ -n "$missing" ]; then
    echo "setup: installing$missing"
    as_root apt-get update -q
    # shellcheck disable=SC2046 # a list of words
    apt_install $(missing)
fi

[ "${1:-}" != systems ] || exit 0

if ! go_suits; then
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    from=
    if [ "$codename" = bookworm ]; then # its own Go is too old
        from=bookworm-backports
        list=/etc/apt/sources.list.d/bookworm-backports.list
        grep -rqs '^[^#]*bookworm-backports' /etc/apt/sources.list /etc/apt/sources.list.d ||
            echo 'deb http://deb.debian.org/debian bookworm-backports main' | as_root tee "$list" >/dev/null
    fi
    echo "setup: installing Go"
    as_root apt-get update -q
    apt_install ${from:+-t "$from"} golang-go ca-certificates
    go_suits || {
        echo "setup: $(command -v go) is $(go version); please put a Go of at least 1.21 first on the PATH" \
            "(https://go.dev/dl/)" >&2
        exit 1
    }
fi
