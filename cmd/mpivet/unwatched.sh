# This script replaces mpivet if a limit is too small for Go's runtime: see entry_linux_amd64.s. It starts the program
# unwatched. Its arguments are the reason, and then the arguments of mpivet.

say() { echo "mpivet: $1" >&2; }

give_up() {
	say "$1"
	exit 1
}

# start becomes the program. The program may be a file in the working directory, because launchers allow that.
start() {
	case $1 in
	*/*) ;;
	*)
		if ! command -v "$1" >/dev/null && [ -x "./$1" ]; then
			program=./$1
			shift
			set -- "$program" "$@"
		fi
		;;
	esac
	exec "$@"
}

# needed prints the MPI libraries that a program needs, and Open MPI's internal libraries.
needed() {
	case $1 in -*) return ;; esac
	path=$(command -v "$1") || path=$1
	[ -f "$path" ] || return
	case ${path##*/} in
	python*) path=$("$path" -c 'import mpi4py; mpi4py.rc.initialize = False
from mpi4py import MPI; print(MPI.__file__)' 2>/dev/null) || return ;;
	esac
	ldd "$path" 2>/dev/null | sed -n 's/.*=> \(.*\/lib\(mpi\|open-\)[^/]*\) (.*/\1/p'
}

# launchers prints the possible paths of the launcher of an MPI: first those near the library, then those in PATH.
launchers() {
	directory=$1
	shift
	while directory=${directory%/*} && [ -n "$directory" ]; do
		for name; do
			echo "$directory/bin/$name"
		done
	done
	for name; do
		command -v "$name"
	done
}

why=$1 command=${2-}
case $command in
exec-rank) # session library first path argv...
	say "this process runs unwatched: $why"
	shift 6
	start "$@"
	;;
run | exec) shift 2 ;;
*) give_up "$why" ;;
esac

ranks=${MPIVET_NP-} launcher=${MPIVET_LAUNCHER-} mpi=${MPIVET_MPI-}
while [ $# -gt 1 ]; do
	case $1 in
	--) shift && break ;;
	-n | -np | --np) ranks=$2 && shift ;;
	-np=* | -n=* | --np=*) ranks=${1#*=} ;;
	-n*) ranks=${1#-n} ;;
	--launcher) launcher=$2 && shift ;;
	--launcher=*) launcher=${1#*=} ;;
	--mpi) mpi=$2 && shift ;;
	--mpi=*) mpi=${1#*=} ;;
	--quiet | --strict | --checksums | --itac-env | --*=*) ;;
	-h | --help) give_up "$why" ;;
	-*) shift ;;
	*) break ;;
	esac
	shift
done
case ${1--} in
-*) give_up "$why" ;;
esac

if [ "$command" = exec ]; then
	say "this process runs unwatched: $why"
	start "$@"
fi

if [ -n "$launcher" ]; then
	say "the program runs unwatched: $why"
	set -f # split the words of the launcher, but do not expand them
	exec $launcher ${ranks:+-n "$ranks"} "$@"
fi

case $mpi in
"")
	for word; do
		libraries=$(needed "$word")
		[ -z "$libraries" ] || break
	done
	;;
openmpi) libraries=/libopen- ;;
mpich) libraries=/libmpich ;;
*/*) libraries=$(readlink -f "$mpi") ;;
*) libraries=$(command -v "$mpi") ;;
esac
case $libraries in
"") give_up "$why, and the program's MPI is not found: name the launcher (--launcher)" ;;
*/libopen-* | *openmpi*) names="mpiexec.openmpi mpirun.openmpi mpiexec mpirun" kind='Open MPI\|OpenRTE\|PRRTE' ;;
*) names="mpiexec.mpich mpiexec.hydra mpiexec mpirun" kind='HYDRA\|MPICH\|Intel(R) MPI\|MVAPICH' ;;
esac
for launcher in $(launchers "$(echo "$libraries" | head -n 1)" $names); do
	if [ -x "$launcher" ] && "$launcher" --version 2>/dev/null | grep -q "$kind"; then
		case $kind in
		Open*)
			set -- --oversubscribe ${ranks:+-n "$ranks"} "$@"
			all=${OMPI_ALLOW_RUN_AS_ROOT+1}${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM+1}
			all=$all${PRTE_ALLOW_RUN_AS_ROOT+1}${PRTE_ALLOW_RUN_AS_ROOT_CONFIRM+1}
			if [ -z "$all" ] && [ "$(id -u)" = 0 ]; then
				export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
				export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
			fi
			;;
		*) set -- ${ranks:+-n "$ranks"} "$@" ;;
		esac
		say "the program runs unwatched: $why"
		exec "$launcher" "$@"
	fi
done
give_up "$why, and no launcher of the program's MPI is found: name it (--launcher)"
