package main

import (
	"fmt"
	"strconv"
	"strings"
)

// configurations are configurations of mpivet, as in section 5 of Ohly and Krotz-Vogel, Automated MPI Correctness
// Checking. The first one is the plain run, for comparison. From the second one on, each does less work than the
// previous one. The paper has two ways to unwind the stack, mpivet only one. The second configuration does more than
// the default. The last one has no checks, and measures the remaining cost.
var configurations = []variant{
	variants[0],
	configuration("`--checksums`", "--checksums"),
	configuration("default"),
	configuration("no call stacks", "--stacks", "off"),
	configuration("… nor contents of buffers", "--stacks", "off", "--check", "LOCAL:MEMORY:ILLEGAL_MODIFICATION=off"),
	configuration("… nor potential deadlocks", "--stacks", "off", "--check", "LOCAL:MEMORY:ILLEGAL_MODIFICATION=off",
		"--check", "GLOBAL:DEADLOCK:POTENTIAL=off"),
	configuration("nothing", "--stacks", "off", "--check", "**=off"),
}

func configuration(name string, flags ...string) variant {
	return variant{name, func(b *bench, np int, program []string) []string {
		command := append([]string{b.mpivet, "run", "--fail-on", "never", "-n", strconv.Itoa(np)}, flags...)
		return append(append(command, "--"), program...)
	}}
}

// configurationTable measures every configuration with messages of several sizes, and prints its slowdown of the
// program.
func configurationTable(benches []*bench) error {
	head, rule := "| way, ranks, bytes | MPI | plain |", "| --- | --- | ---: |"
	for _, c := range configurations[1:] {
		head += " " + c.name + " |"
		rule += " ---: |"
	}
	fmt.Println(head)
	fmt.Println(rule)
	for _, b := range benches {
		for _, part := range []struct {
			np   int
			ways []string
		}{{2, []string{"pingpong", "pingping", "sendrecv"}}, {4, []string{"bcast", "allgatherv"}}} {
			if err := b.configurations(part.np, part.ways); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) configurations(np int, ways []string) error {
	var rows []string
	times := make(map[string][][]float64) // by row and configuration
	program := append([]string{b.programs["sizes"], strconv.FormatFloat(*seconds/4, 'g', -1, 64)}, ways...)
	for i := range *runs {
		for k := range configurations {
			k = (k + i) % len(configurations)
			out, _, err := b.run(configurations[k], np, program)
			if err != nil {
				return err
			}
			for line := range strings.Lines(out) {
				words := strings.Fields(line)
				if len(words) != 3 {
					return fmt.Errorf("sizes printed %q", line)
				}
				value, err := strconv.ParseFloat(words[2], 64)
				if err != nil {
					return fmt.Errorf("sizes printed %q", line)
				}
				row := fmt.Sprintf("%s, %d, %s", words[0], np, words[1])
				if times[row] == nil {
					times[row] = make([][]float64, len(configurations))
					rows = append(rows, row)
				}
				times[row][k] = append(times[row][k], value)
			}
		}
	}
	for _, row := range rows {
		plain := median(times[row][0])
		fmt.Printf("| %s | %s | %s |", row, b.title, duration(plain))
		for _, list := range times[row][1:] {
			fmt.Printf(" %.2f |", median(list)/plain)
		}
		fmt.Println()
	}
	return nil
}
