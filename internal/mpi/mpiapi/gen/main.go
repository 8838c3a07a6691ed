// Command gen writes ids.go: the numbers of the functions in api.txt as Go constants. "go generate" runs it.
package main

import (
	"log"
	"os"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

func main() {
	log.SetFlags(0)
	if err := os.WriteFile("ids.go", mpiapi.Constants(), 0o644); err != nil {
		log.Fatal(err)
	}
}
