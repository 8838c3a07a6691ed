// The first instructions of mpivet, if it is linked with "-E mpivet_entry".
//
// Go's runtime needs address space and some threads before main begins. If a limit (ulimit -v, ulimit -u) is too small,
// the runtime ends with a dump of many lines. Go code cannot prevent that. So these instructions check the limits
// first. If a limit is too small, they start a shell instead of Go, with the script unwatched.sh. The script prints one
// line, and starts the program unwatched.
//
// They also raise the timer slack (prctl(2)): Linux may end each sleep so much later. The start then takes a fifth less
// processor time. A thread of Go's runtime (sysmon) sleeps for 20 µs again and again while other threads work. With the
// usual slack of 50 µs it wakes up every 70 µs, and takes a processor, perhaps from a rank. With a slack of 1 ms it wakes
// up once in a millisecond. What mpivet starts gets the slack that mpivet was started with: launch.SetTimerSlack.
//
// R12: the initial stack, which has argc, argv and the environment. R13: argc. R14: argv.

#include "textflag.h"

// Bytes of address space: 1.5 GiB. Go 1.26 starts with 0.7 GiB, but not with 1.12 to 1.25 GiB: if possible, it reserves
// more, and then nothing is left. In main, launch.Room checks the limit.
#define NEEDED 0x60000000
#define THREADS 8 // threads that Go needs until it becomes the program or the launcher, and some more
#define FEW 1024 // limit of processes from which on there is always room for threads

#define SYS_write 1
#define SYS_clone 56
#define SYS_execve 59
#define SYS_exit 60
#define SYS_wait4 61
#define SYS_getrlimit 97
#define SYS_prctl 157
#define SYS_exit_group 231
#define PR_SET_TIMERSLACK 29
#define PR_GET_TIMERSLACK 30
#define RLIMIT_NPROC 6
#define RLIMIT_AS 9
#define SLACK 1000000 // nanoseconds
#define FAILED 38 // bytes of the last message

TEXT mpivet_entry(SB),NOSPLIT|NOFRAME,$0
	MOVQ	SP, R12
	MOVQ	0(R12), R13
	LEAQ	8(R12), R14
	SUBQ	$64, SP
	MOVQ	$RLIMIT_AS, DI
	MOVQ	SP, SI
	MOVQ	$SYS_getrlimit, AX
	SYSCALL
	TESTQ	AX, AX
	JNE	start
	MOVQ	0(SP), AX
	LEAQ	memory<>(SB), BX
	CMPQ	AX, $NEEDED
	JCS	unwatched

	MOVQ	$RLIMIT_NPROC, DI
	MOVQ	SP, SI
	MOVQ	$SYS_getrlimit, AX
	SYSCALL
	TESTQ	AX, AX
	JNE	start
	MOVQ	0(SP), AX
	CMPQ	AX, $FEW
	JCC	start

	// Make a chain of THREADS processes that exist at the same time: each one waits for its child (CLONE_VM,
	// CLONE_VFORK).
	MOVQ	$THREADS, BX
again:
	MOVQ	$0x4111, DI
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVQ	$SYS_clone, AX
	SYSCALL
	CMPQ	AX, $0
	JLT	full
	JEQ	child
	MOVQ	AX, DI
	LEAQ	32(SP), SI
	XORL	DX, DX
	XORL	R10, R10
	MOVQ	$SYS_wait4, AX
	SYSCALL
	CMPB	33(SP), $0 // its exit status
	JNE	full
	CMPQ	BX, $THREADS
	JEQ	start
	XORL	DI, DI
	JMP	exit
child:
	DECQ	BX
	JNE	again
	XORL	DI, DI
	JMP	exit
full:
	CMPQ	BX, $THREADS
	LEAQ	processes<>(SB), BX
	JEQ	unwatched
	MOVQ	$1, DI
exit:
	MOVQ	$SYS_exit, AX
	SYSCALL

start:
	MOVQ	R12, SP
	MOVQ	$PR_GET_TIMERSLACK, DI
	MOVQ	$SYS_prctl, AX
	SYSCALL
	CMPQ	AX, $0
	JLE	go
	CMPQ	AX, $SLACK
	JGE	go
	MOVQ	AX, ·slack(SB)
	MOVQ	$PR_SET_TIMERSLACK, DI
	MOVQ	$SLACK, SI
	MOVQ	$SYS_prctl, AX
	SYSCALL
go:
	JMP	_rt0_amd64_linux(SB)

// BX is the reason. Build the shell's arguments on the stack: sh -c script mpivet reason argv[1]...
unwatched:
	MOVQ	·unwatched(SB), SI
	MOVQ	·unwatched+8(SB), CX
	SUBQ	CX, SP
	SUBQ	$16, SP
	ANDQ	$~15, SP
	MOVQ	SP, DI
	MOVQ	SP, R8 // the script, with a terminating null byte
	CLD
	REP; MOVSB
	MOVB	$0, 0(DI)
	LEAQ	48(R13*8), AX
	SUBQ	AX, SP
	LEAQ	shell<>+5(SB), AX
	MOVQ	AX, 0(SP)
	LEAQ	option<>(SB), AX
	MOVQ	AX, 8(SP)
	MOVQ	R8, 16(SP)
	LEAQ	name<>(SB), AX
	MOVQ	AX, 24(SP)
	MOVQ	BX, 32(SP)
	MOVQ	$0, 40(SP)
	LEAQ	8(R14), SI
	LEAQ	40(SP), DI
	MOVQ	R13, CX // argv[1]... and the null pointer
	REP; MOVSQ
	LEAQ	shell<>(SB), DI
	MOVQ	SP, SI
	LEAQ	8(R14)(R13*8), DX // the environment
	MOVQ	$SYS_execve, AX
	SYSCALL
	MOVQ	$2, DI
	LEAQ	failed<>(SB), SI
	MOVQ	$FAILED, DX
	MOVQ	$SYS_write, AX
	SYSCALL
	MOVQ	$1, DI
	MOVQ	$SYS_exit_group, AX
	SYSCALL
	INT	$3

DATA shell<>+0(SB)/8, $"/bin/sh"
GLOBL shell<>(SB), NOPTR|RODATA, $8

DATA option<>+0(SB)/8, $"-c"
GLOBL option<>(SB), NOPTR|RODATA, $8

DATA name<>+0(SB)/8, $"mpivet"
GLOBL name<>(SB), NOPTR|RODATA, $8

DATA memory<>+0(SB)/8, $"mpivet n"
DATA memory<>+8(SB)/8, $"eeds 1.5"
DATA memory<>+16(SB)/8, $" GiB of "
DATA memory<>+24(SB)/8, $"address "
DATA memory<>+32(SB)/8, $"space: r"
DATA memory<>+40(SB)/8, $"aise the"
DATA memory<>+48(SB)/8, $" limit ("
DATA memory<>+56(SB)/8, $"ulimit -"
DATA memory<>+64(SB)/8, $"v)"
GLOBL memory<>(SB), NOPTR|RODATA, $72

DATA processes<>+0(SB)/8, $"mpivet n"
DATA processes<>+8(SB)/8, $"eeds mor"
DATA processes<>+16(SB)/8, $"e proces"
DATA processes<>+24(SB)/8, $"ses and "
DATA processes<>+32(SB)/8, $"threads:"
DATA processes<>+40(SB)/8, $" raise t"
DATA processes<>+48(SB)/8, $"he limit"
DATA processes<>+56(SB)/8, $" (ulimit"
DATA processes<>+64(SB)/8, $" -u)"
GLOBL processes<>(SB), NOPTR|RODATA, $72

DATA failed<>+0(SB)/8, $"mpivet: "
DATA failed<>+8(SB)/8, $"a limit "
DATA failed<>+16(SB)/8, $"(ulimit)"
DATA failed<>+24(SB)/8, $" is too "
DATA failed<>+32(SB)/8, $"small\n"
GLOBL failed<>(SB), NOPTR|RODATA, $40
