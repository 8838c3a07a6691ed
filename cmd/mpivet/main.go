// Command mpivet runs an MPI program and reports its errors in the use of MPI.
package main

import (
	"os"
	"runtime"

	"github.com/mpivet/mpivet/internal/cli"
	"github.com/mpivet/mpivet/internal/launch"
)

// slack is the timer slack that this process was started with, in nanoseconds, if entry_linux_amd64.s has changed it.
var slack uint64

func init() {
	launch.SetTimerSlack(slack)
	if slack != 0 && cli.BecomesProgram(os.Args[1:]) {
		// A program gets the default timer slack of the thread that becomes it. Only the main thread has the right one:
		// the default of another thread is the changed slack, which it has inherited.
		runtime.LockOSThread()
	}
}

func main() { os.Exit(cli.Run(os.Args[1:])) }
