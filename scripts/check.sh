#!/bin/sh
# Runs the linters: formatting, vet, staticcheck, warnings of the C compilers, and a check for stale generated files.
set -eu
cd "$(dirname "$0")/.."
failed=0

fail() {
    echo "check: $*" >&2
    failed=1
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

# The preload library: no warnings from clang or gcc. The tests build the generated part.
for source in preload/src/*.c; do
    for include in /usr/include/x86_64-linux-gnu/mpich /usr/lib/x86_64-linux-gnu/openmpi/include; do
        [ -d "$include" ] || continue
        for cc in clang gcc; do
            command -v $cc >/dev/null || continue
            $cc -std=gnu11 -O2 -fPIC -Wall -Wextra -Werror -Ipreload -Ipreload/src -isystem "$include" \
                -fsyntax-only "$source" || fail "$cc: $source"
        done
    done
done
for source in examples/*/*.c bench/programs/*.c internal/testkit/e2e/testdata/*.c; do
    [ -e "$source" ] || continue
    # Examples of new functions say which one they need: this mpi.h may lack it.
    needs=$(sed -n 's|^/\* run:.* needs=\([A-Za-z_]*\).*|\1|p' "$source")
    [ -z "$needs" ] || grep -qsw "$needs" /usr/include/x86_64-linux-gnu/mpich/*.h || continue
    clang -std=gnu11 -Wall -Wextra -Werror -isystem /usr/include/x86_64-linux-gnu/mpich -fsyntax-only "$source" ||
        fail "clang: $source"
done
for source in preload/dbg/src/*.c preload/dbg/testdata/*.c internal/testkit/debugger/testdata/*.c; do
    [ "$source" != preload/dbg/testdata/process.c ] || continue # its test compiles it, with a header that it makes
    for cc in clang gcc; do
        command -v $cc >/dev/null || continue
        $cc -std=gnu11 -O2 -fPIC -Wall -Wextra -Werror -Ipreload -Ipreload/dbg/src -fsyntax-only "$source" ||
            fail "$cc: $source"
    done
done
for script in scripts/*.sh cmd/mpivet/*.sh .ci/run; do
    sh -n "$script" || fail "$script"
done
exit $failed
