#!/bin/sh
# Makes the files of a release, for each processor: the static binary, the packages for Debian and for RPM, and the list
# of components. The same commit, the same version of Go and the same packages of Debian give the same bytes, in any
# folder on any machine.
#
#     scripts/dist.sh [FOLDER]      FOLDER is dist by default; ARCHES="amd64 arm64" are the processors
set -eu
umask 022
cd "$(dirname "$0")/.."
out=${1:-dist}
arches=${ARCHES:-amd64 arm64}
VERSION=$(scripts/version.sh)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export VERSION SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C GOWORK=off GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT= GOFIPS140=off
# The version names the commit. What else Go would write about the checkout differs between kinds of checkouts.
export GOFLAGS="-trimpath -buildvcs=false"

rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Ready-made preload libraries, for machines without a compiler. READY=no leaves them out.
if [ "${READY:-yes}" = yes ]; then
    scripts/ready.sh
else
    rm -f preload/ready/files/*.zst
fi

# The list of components has checksums of the tool, so the tool must be reproducible, too.
CGO_ENABLED=0 go -C packaging/tools build -o "$work/tools/" tool
CGO_ENABLED=0 go run ./scripts/share -out "$work/share" -version "$VERSION" -date "$SOURCE_DATE_EPOCH"
go run ./scripts/licences >"$work/copyright"

for ARCH in $arches; do
    STAGE=$work/$ARCH
    export ARCH STAGE
    name=mpivet-$VERSION-linux-$ARCH
    mkdir "$STAGE"
    cp -R "$work/share" "$work/copyright" "$STAGE"
    GOOS=linux GOARCH=$ARCH make -s build BIN="$STAGE/mpivet" VERSION="v$VERSION"
    find "$STAGE" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    cp -p "$STAGE/mpivet" "$out/$name"
    "$work/tools/cyclonedx-gomod" bin -json -noserial -notimestamp -std -version "v$VERSION" \
        -output "$out/$name.cdx.json" "$STAGE/mpivet" 2>"$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
    for kind in deb rpm; do
        "$work/tools/nfpm" package -f packaging/nfpm.yaml -p $kind -t "$out/" >"$work/log" || {
            cat "$work/log" >&2
            exit 1
        }
    done
done
cd "$out"
sha256sum -- * >"$work/sums"
mv "$work/sums" SHA256SUMS
ls -l
