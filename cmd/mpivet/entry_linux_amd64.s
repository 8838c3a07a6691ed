// The first instructions of mpivet, if it is linked with "-E mpivet_entry".
//
// Go's runtime needs address space and some threads before main begins. Where a limit (ulimit -v, ulimit -u) is too small
// for it, it ends with a dump of many lines, which nothing in Go can prevent. So these instructions look at the limits
// first. If a limit is too small, they print one line. "mpivet exec" then becomes the program, unwatched.
//
// R12: the stack as the kernel made it, where argc, argv and the environment are. R13: argc. R14: argv.

#include "textflag.h"

#define NEEDED 0x60000000 // bytes of address space: 1.5 GiB. Go 1.26 reserves 0.6 GiB at once, mpivet takes up to 1.3.
#define THREADS 8 // that a rank needs until it is the program, and some more
#define FEW 1024 // processes: nobody looks whether there is room for threads where there may be more

#define SYS_write 1
#define SYS_clone 56
#define SYS_execve 59
#define SYS_exit 60
#define SYS_wait4 61
#define SYS_getrlimit 97
#define SYS_exit_group 231
#define RLIMIT_NPROC 6
#define RLIMIT_AS 9

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

	// Threads matter to "mpivet exec", which all ranks are at the same time.
	CMPQ	R13, $3
	JLT	start
	MOVQ	8(R14), AX
	CMPL	0(AX), $0x63657865 // exec
	JNE	start
	CMPB	4(AX), $0
	JNE	start
	MOVQ	$RLIMIT_NPROC, DI
	MOVQ	SP, SI
	MOVQ	$SYS_getrlimit, AX
	SYSCALL
	TESTQ	AX, AX
	JNE	start
	MOVQ	0(SP), AX
	CMPQ	AX, $FEW
	JCC	start

	// Processes that make processes, all at once: each one waits for the one that it has made (CLONE_VM, CLONE_VFORK).
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
	JMP	_rt0_amd64_linux(SB)

// BX is what to say, with its length before it.
unwatched:
	MOVQ	$2, DI
	LEAQ	8(BX), SI
	MOVQ	0(BX), DX
	MOVQ	$SYS_write, AX
	SYSCALL
	LEAQ	8(R14)(R13*8), DX // the environment
	CMPQ	R13, $3
	JLT	nothing
	MOVQ	8(R14), AX
	CMPL	0(AX), $0x63657865 // exec
	JNE	nothing
	CMPB	4(AX), $0
	JEQ	program
	CMPB	4(AX), $0x2d // exec-rank session library first path argv...
	JNE	nothing
	CMPQ	R13, $7
	JLT	nothing
	MOVQ	40(R14), DI
	LEAQ	48(R14), SI
	JMP	become

program: // exec [flags] [--] program: env finds it
	MOVQ	$2, CX
next:
	LEAQ	-8(R14)(CX*8), SI // env's own name is what comes before the program
	MOVQ	(R14)(CX*8), AX
	CMPB	0(AX), $0x2d // -
	JNE	env
	CMPB	1(AX), $0x2d
	JNE	value
	CMPB	2(AX), $0
	JEQ	found
	// The flags without a value: --quiet, --strict, --checksums, --itac-env.
	MOVQ	2(AX), R8
	MOVQ	$0x0000007465697571, DI // quiet and its end; what is behind does not count
	MOVQ	R8, R9
	SHLQ	$16, R9
	SHRQ	$16, R9
	CMPQ	R9, DI
	JEQ	alone
	MOVQ	$0x0000746369727473, DI // strict
	MOVQ	R8, R9
	SHLQ	$8, R9
	SHRQ	$8, R9
	CMPQ	R9, DI
	JEQ	alone
	MOVQ	$0x6d75736b63656863, DI // checksum
	CMPQ	R8, DI
	JEQ	alone
	MOVQ	$0x766e652d63617469, DI // itac-env
	CMPQ	R8, DI
	JEQ	alone
value: // it is behind "=", or the next word
	INCQ	AX
	CMPB	0(AX), $0x3d
	JEQ	alone
	CMPB	0(AX), $0
	JNE	value
	INCQ	CX
alone:
	INCQ	CX
	CMPQ	CX, R13
	JLT	next
	JMP	nothing
found:
	LEAQ	(R14)(CX*8), SI
	INCQ	CX
	CMPQ	CX, R13
	JGE	nothing
env:
	LEAQ	env<>(SB), DI
become:
	MOVQ	$SYS_execve, AX
	SYSCALL
nothing:
	MOVQ	$1, DI
	MOVQ	$SYS_exit_group, AX
	SYSCALL
	INT	$3

DATA env<>+0(SB)/8, $"/usr/bin"
DATA env<>+8(SB)/4, $"/env"
GLOBL env<>(SB), NOPTR|RODATA, $16

DATA memory<>+0(SB)/8, $84
DATA memory<>+8(SB)/8, $"mpivet d"
DATA memory<>+16(SB)/8, $"oes not "
DATA memory<>+24(SB)/8, $"run: it "
DATA memory<>+32(SB)/8, $"needs 1."
DATA memory<>+40(SB)/8, $"5 GiB of"
DATA memory<>+48(SB)/8, $" address"
DATA memory<>+56(SB)/8, $" space; "
DATA memory<>+64(SB)/8, $"raise th"
DATA memory<>+72(SB)/8, $"e limit "
DATA memory<>+80(SB)/8, $"(ulimit "
DATA memory<>+88(SB)/4, $"-v)\n"
GLOBL memory<>(SB), NOPTR|RODATA, $92

DATA processes<>+0(SB)/8, $85
DATA processes<>+8(SB)/8, $"mpivet d"
DATA processes<>+16(SB)/8, $"oes not "
DATA processes<>+24(SB)/8, $"run: it "
DATA processes<>+32(SB)/8, $"needs mo"
DATA processes<>+40(SB)/8, $"re threa"
DATA processes<>+48(SB)/8, $"ds; rais"
DATA processes<>+56(SB)/8, $"e the li"
DATA processes<>+64(SB)/8, $"mit of p"
DATA processes<>+72(SB)/8, $"rocesses"
DATA processes<>+80(SB)/8, $" (ulimit"
DATA processes<>+88(SB)/5, $" -u)\n"
GLOBL processes<>(SB), NOPTR|RODATA, $93
