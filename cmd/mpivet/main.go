// Command mpivet runs an MPI program and reports its errors in the use of MPI.
package main

import (
	"os"
	"runtime/debug"

	"github.com/mpivet/mpivet/internal/cli"
)

// startGCPercent of the 4 MiB that Go's runtime begins with is more than most processes of mpivet need in their life.
// There is one for each rank, and collections would take a good part of their time. An analysis sets it anew.
const startGCPercent = 500

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(startGCPercent)
	}
	os.Exit(cli.Run(os.Args[1:]))
}
