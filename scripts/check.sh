#!/bin/sh
# Runs the linters: formatting, vet, staticcheck, warnings of the C compilers, and a check for stale generated files.
set -eu
cd "$(dirname "$0")/.."
failures=$(mktemp)
list=$(mktemp)
trap 'rm -f "$failures" "$list"' EXIT

fail() {
    echo "check: $*" >&2
    echo "$*" >>"$failures" # not a variable: parts of pipelines are processes of their own
}

files=$(go tool gofumpt -l .)
[ -z "$files" ] || fail "not formatted by gofumpt: $files"
go vet ./... || fail "go vet"
go tool staticcheck ./... || fail "staticcheck"
go run ./scripts/functions || fail "functions that are too large: split them (see scripts/functions)"
go run ./scripts/lines || fail "lines of more than 120 characters: break them (see scripts/lines)"
go mod tidy -diff || fail "go.mod is not tidy"

# Generated files: go generate must not change them.
before=$(git status --porcelain; git diff | cksum)
go generate ./...
after=$(git status --porcelain; git diff | cksum)
[ "$before" = "$after" ] || fail "go generate changes files; commit them"

# No warnings from clang or gcc. The files on standard input are compiled by all processors.
syntax() {
    cc=$1
    shift
    command -v "$cc" >/dev/null || return 0
    xargs -r -P "$(nproc)" -n 8 "$cc" -std=gnu11 -Wall -Wextra -Werror -fsyntax-only "$@" || fail "warnings of $cc"
}

# The preload library. The tests build the generated part.
for include in /usr/include/x86_64-linux-gnu/mpich /usr/lib/x86_64-linux-gnu/openmpi/include; do
    [ -d "$include" ] || continue
    for cc in clang gcc; do
        printf '%s\n' preload/src/*.c | syntax $cc -O2 -fPIC -Ipreload -Ipreload/src -isystem "$include"
    done
done
for source in examples/*/*.c bench/programs/*.c internal/testkit/e2e/testdata/*.c; do
    [ -e "$source" ] || continue
    # Examples of new functions say which one they need: this mpi.h may lack it.
    needs=$(sed -n 's|^/\* run:.* needs=\([A-Za-z_]*\).*|\1|p' "$source")
    [ -z "$needs" ] || grep -qsw "$needs" /usr/include/x86_64-linux-gnu/mpich/*.h || continue
    printf '%s\n' "$source"
done | syntax clang -isystem /usr/include/x86_64-linux-gnu/mpich
for source in preload/dbg/src/*.c preload/dbg/testdata/*.c internal/testkit/debugger/testdata/*.c; do
    [ "$source" != preload/dbg/testdata/process.c ] || continue # its test compiles it, with a header that it makes
    printf '%s\n' "$source"
done >"$list"
for cc in clang gcc; do
    syntax $cc -O2 -fPIC -Ipreload -Ipreload/dbg/src <"$list"
done
for script in scripts/*.sh cmd/mpivet/*.sh .ci/run; do
    sh -n "$script" || fail "$script"
done
[ ! -s "$failures" ]
