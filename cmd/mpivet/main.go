// Command mpivet runs an MPI program and reports its errors in the use of MPI.
package main

import (
	"os"

	"github.com/mpivet/mpivet/internal/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:])) }
