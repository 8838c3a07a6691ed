// Command mpivet runs an MPI program and tells what it does wrong with MPI.
package main

import "os"

func main() { os.Exit(run(os.Args[1:])) }
