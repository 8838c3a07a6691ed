// Command mpivet runs an MPI program and tells what it does wrong with MPI.
package main

import (
	"os"

	"github.com/mpivet/mpivet/internal/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:])) }
