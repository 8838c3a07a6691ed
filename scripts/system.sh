#!/bin/sh
# Runs a command with a copy of this checkout in another system, Debian or Ubuntu:
#
#   scripts/system.sh trixie make test
#   scripts/system.sh forky make demo
#   scripts/system.sh resolute make demo          (Ubuntu 26.04)
#   scripts/system.sh trixie-arm64 make quick     (emulated by qemu)
#
# The first use makes the system's root directory from its packages, with mmdebstrap. It is kept in
# $MPIVET_SYSTEMS (/var/tmp/mpivet-systems), with all that commands install into it. "scripts/system.sh -fresh SUITE …"
# makes a new one. The command sees only that root, as its user root: no file of this machine but the copy of the
# checkout. Without the rights of root, the root is made and used in a user namespace (see subuid(5)).
set -eu
self=$(readlink -f "$0")

usage() {
    echo "usage: scripts/system.sh [-fresh] SUITE[-arm64] COMMAND [ARGUMENT…]   (SUITE: bookworm, trixie, forky;" \
        "Ubuntu: noble, resolute)" >&2
    exit 2
}

fail() {
    echo "system: $*" >&2
    exit 1
}

# Runs this script again as root in namespaces of its own, so that mounts and processes end with it.
enter() {
    if [ "$(id -u)" = 0 ]; then
        unshare --mount --pid --fork --kill-child -- "$self" "$@"
    else
        mmdebstrap --unshare-helper "$self" "$@"
    fi
}

# In the namespaces: mounts what a system has, and runs the command.
inside() {
    root=$1
    shift
    mount --make-rprivate / 2>/dev/null || :
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs -o mode=1777,nosuid,nodev,size=2g shm "$root/dev/shm"
    mount -t tmpfs -o mode=1777,nosuid,nodev tmp "$root/tmp"
    cat /etc/resolv.conf >"$root/etc/resolv.conf"
    cat /etc/hosts >"$root/etc/hosts"
    # This machine may trust an authority of its own, for a proxy.
    [ ! -r /etc/ssl/certs/ca-certificates.crt ] ||
        cat /etc/ssl/certs/ca-certificates.crt >"$root/etc/ssl/certs/ca-certificates.crt"
    cd "$root"
    # The root of the mount namespace is replaced, too, for tests that make namespaces. chroot alone is enough otherwise.
    if pivot_root . mnt 2>/dev/null; then
        root=/
        cd /
        umount -l /mnt
    fi
    # MPI programs must start as root, and with more ranks than there are processors.
    exec env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${GOPROXY:+GOPROXY="$GOPROXY"} ${GOSUMDB:+GOSUMDB="$GOSUMDB"} ${GOFLAGS:+GOFLAGS="$GOFLAGS"} \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${CI:+CI="$CI"} \
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        chroot "$root" sh -c 'cd /src && exec "$@"' sh "$@"
}

case ${1:-} in
-inside)
    shift
    inside "$@"
    ;;
-remove)
    rm -rf --one-file-system "$2"
    exit
    ;;
-copy) # the archive on standard input
    rm -rf --one-file-system "$2"
    mkdir "$2"
    tar -x -C "$2"
    exit
    ;;
esac

fresh=
if [ "${1:-}" = -fresh ]; then
    fresh=yes
    shift
fi
[ $# -ge 2 ] || usage
system=$1
shift
suite=${system%-arm64}
arch=amd64
[ "$suite" = "$system" ] || arch=arm64
case $suite in
bullseye | bookworm | trixie | forky | sid)
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    source="deb http://deb.debian.org/debian $suite main"
    ;;
jammy | noble | resolute)
    keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    source="deb http://archive.ubuntu.com/ubuntu $suite main universe"
    [ "$arch" = amd64 ] || fail "Ubuntu is for amd64 only here"
    [ -r "$keys" ] || fail "Ubuntu's keys are missing: apt-get install ubuntu-archive-keyring" \
        "(on Debian 12: with -t bookworm-backports)"
    ;;
*) usage ;;
esac

[ -x "$(command -v mmdebstrap)" ] || fail "mmdebstrap is missing: apt-get install mmdebstrap"
if [ "$arch" = arm64 ] && [ "$(uname -m)" != aarch64 ]; then
    [ -x /usr/bin/qemu-aarch64-static ] || fail "the emulator is missing: apt-get install qemu-user-static"
    [ -d /proc/sys/fs/binfmt_misc ] && [ -e /proc/sys/fs/binfmt_misc/status ] ||
        mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null || :
    if [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
        # The line of binfmt-support's configuration. F: the kernel opens the emulator now, so that roots need not have it.
        magic='\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
        mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
        printf '%s' ":qemu-aarch64:M::$magic:$mask:/usr/bin/qemu-aarch64-static:F" \
            >/proc/sys/fs/binfmt_misc/register ||
            fail "the kernel does not take programs for arm64: it needs binfmt_misc, and the rights of root to set it up"
    fi
fi

systems=${MPIVET_SYSTEMS:-/var/tmp/mpivet-systems}
root=$systems/$system
mkdir -p "$systems"
[ -z "$fresh" ] || enter -remove "$root"
if [ ! -d "$root" ]; then
    echo "system: making $root" >&2
    enter -remove "$root.new"
    # A mirror may be a snapshot of an earlier day: its lists have then expired.
    mmdebstrap --quiet --variant=minbase --arch="$arch" --include=apt,ca-certificates,make \
        --aptopt='Acquire::Check-Valid-Until "false"' \
        --keyring="$keys" "$suite" "$root.new" "$source" </dev/null || {
        enter -remove "$root.new"
        fail "the packages of $system could not be installed"
    }
    mv "$root.new" "$root"
fi

# The copy has the files that git knows, and new ones that it does not ignore, as they are now.
cd "$(dirname "$0")/.."
git ls-files -z --cached --others --exclude-standard |
    tar --null --files-from - --ignore-failed-read --warning=no-failed-read -c | enter -copy "$root/src"
cd /
enter -inside "$root" "$@"
