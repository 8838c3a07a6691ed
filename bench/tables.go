package main

import (
	"fmt"
	"strconv"
	"strings"
)

// tests are the tests of programs/tables.c, in its order: the rows of tables 3 to 5 of Falzone et al., Collective Error
// Detection for MPI Collective Operations.
var tests = []string{
	"MPI_Bcast, 1 × 10", "MPI_Bcast, 1K × 1", "MPI_Bcast, 128K × 1",
	"MPI_Allreduce, 1 × 10", "MPI_Allreduce, 1K × 1", "MPI_Allreduce, 128K × 1",
	"MPI_Alltoallv, 1 × 10", "MPI_Alltoallv, 1K × 1", "MPI_Alltoallv, 128K × 1",
}

// ways are the variants of these tests.
var ways = []variant{
	variants[0], variants[2],
	{"--strict", func(b *bench, np int, program []string) []string {
		return append([]string{b.mpivet, "run", "--strict", "-n", strconv.Itoa(np), "--"}, program...)
	}},
}

// collectiveTables measures the tests on 4 ranks and prints them as a table.
func collectiveTables(benches []*bench) error {
	fmt.Println("| doubles × calls, 4 ranks | MPI | plain | mpivet | mpivet --strict |")
	fmt.Println("| --- | --- | ---: | ---: | ---: |")
	for _, b := range benches {
		times := make([][][]float64, len(tests))
		for i := range times {
			times[i] = make([][]float64, len(ways))
		}
		for i := range *runs {
			for k := range ways {
				k = (k + i) % len(ways)
				out, _, err := b.run(ways[k], 4, []string{b.programs["tables"]})
				if err != nil {
					return err
				}
				lines := strings.Fields(out)
				if len(lines) != len(tests) {
					return fmt.Errorf("tables printed %q", out)
				}
				for n, text := range lines {
					value, err := strconv.ParseFloat(text, 64)
					if err != nil {
						return err
					}
					times[n][k] = append(times[n][k], value)
				}
			}
		}
		for n, test := range tests {
			fmt.Printf("| %s | %s | %s | %s | %s |\n", test, b.title, duration(median(times[n][0])),
				duration(median(times[n][1])), duration(median(times[n][2])))
		}
	}
	return nil
}
