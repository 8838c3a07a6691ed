package cli

import "github.com/mpivet/mpivet/internal/launch"

// execRank is the command that the launcher starts for mpivet run: it becomes a rank of the program.
func execRank(args []string) int {
	r, err := launch.ParseRank(args)
	if err != nil {
		say("%v", err)
		return exitUsage
	}
	say("%v", r.Exec()) // it returns only if it fails
	return 127
}
