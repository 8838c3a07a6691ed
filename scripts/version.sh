#!/bin/sh
# Prints the version of this checkout, by its tags, as a semantic version without "v": 0.3.0 for the tag v0.3.0, and
# 0.3.0+5.g1a2b3c4 five commits later. So packages of later commits are newer than the release. Without any tag it is
# 0.0.0, with the number of commits. ".dirty" at the end means that files are changed.
set -eu
described=$(git describe --tags --long --abbrev=7 --match 'v[0-9]*' 2>/dev/null) ||
    described=v0.0.0-$(git rev-list --count HEAD)-g$(git rev-parse --short=7 HEAD)
version=$(echo "$described" | sed 's/^v//; s/-0-g[0-9a-f]*$//; s/-\([0-9]*-g[0-9a-f]*\)$/+\1/; s/\(+[0-9]*\)-g/\1.g/')
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
    case $version in
    *+*) version=$version.dirty ;;
    *) version=$version+dirty ;;
    esac
fi
echo "$version"
