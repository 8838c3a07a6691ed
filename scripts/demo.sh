#!/bin/sh
# Demonstrates mpivet on a small program with a bug, and on a large program that is not fully portable.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mpivet=$root/bin/mpivet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() {
    printf '\n\033[1m%s\033[0m\n' "$*"
}

run() {
    printf '$ %s\n' "$*"
    "$@"
}

say "1. A small program with a bug: both ranks receive before they send"
sed -n '/MPI_Comm_size/,/MPI_Finalize/p' "$root/examples/deadlock/recv_recv.c" | sed '1d;$d;s: */\*.*::'
sed 's: */\*.*::' "$root/examples/deadlock/recv_recv.c" >recv_recv.c # without the comments for the tests
run mpicc.mpich -g -o recv_recv recv_recv.c
status=0
printf '$ mpivet run -n 2 ./recv_recv\n'
"$mpivet" run -n 2 ./recv_recv || status=$?
if [ "$status" = 0 ]; then
    echo "demo: mpivet should have found the deadlock" >&2
    exit 1
fi
echo "(exit status $status)"

say "2. A real program: the HPC Challenge benchmark as Debian ships it, with Open MPI"
cp /usr/share/doc/hpcc/examples/_hpccinf.txt hpccinf.txt
printf '$ mpivet run -n 4 hpcc\n'
status=0
"$mpivet" run -n 4 hpcc 2>report || status=$?
cat report >&2
if [ "$status" != 3 ] || ! grep -q GLOBAL:DEADLOCK:POTENTIAL report; then
    echo "demo: mpivet should have found a send that relies on buffering, and no more than that" \
        "(exit status $status)" >&2
    exit 1
fi
echo "(exit status $status: docs/found.md tells more of what was found)"
sed -n 's/^\(HPL_Tflops\|Success\)=/hpcc says: &/p' hpccoutf.txt

say "Where to go next"
cat <<'END'
  bin/mpivet run -n 4 ./your_program     your own program, as it is: nothing to recompile
  bin/mpivet checks                      what is checked; mpivet explain CHECK tells the rule
  bin/mpivet doctor                      which MPI was found, and what is missing
  examples/                              small programs, each wrong in one way, and correct twins
  docs/user-guide.md                     everything else
END
