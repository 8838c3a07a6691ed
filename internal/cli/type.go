package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/report/picture"
)

// typeOptions are the flags of mpivet type.
type typeOptions struct {
	from  string
	rank  int
	svg   string
	path  string
	count int64
}

// maxTypeText is the greatest number of bytes that are read from standard input. It is more than a type can have.
const maxTypeText = 256 << 20

func typeCommand() *cobra.Command {
	o := typeOptions{rank: -1}
	cmd := &cobra.Command{
		Use:   "type [flags] TYPE | type --from FILE [flags] [NUMBER|NAME|PLACE]",
		Short: "Draw a datatype: its construction, and the places of its data",
		Long: `Type draws an MPI datatype that is written as text, such as

  mpivet type 'struct{2*INT @0, DOUBLE @8}' --path '[0][1]' --svg picture.svg
  mpivet type 'row = vector(3, 2, 4, INT); contiguous(5, row)'

(- reads it from standard input). It also draws a datatype that a program has made
in a run with --record: choose it by its number, its name (MPI_Type_set_name), or its
place in the source (file.c:12). Without a choice, it lists the datatypes. The picture
is text unless --svg is given.

Datatypes: contiguous(count, T), vector(count, blocklength, stride, T), hvector,
indexed([lengths], [displacements], T), hindexed, indexed_block(length,
[displacements], T), hindexed_block, struct{n*T @displacement, …},
subarray([sizes], [subsizes], [starts], C|FORTRAN, T), darray(size, rank, [gsizes],
[block|cyclic(n)|none, …], [psizes], C|FORTRAN, T), resized(lb, extent, T), dup(T),
f90_real(p, r), f90_complex(p, r), f90_integer(r), predefined ones with or without
MPI_. A path counts from 0: '[2][5]' is the path (STRUCT)[2][5](CHAR) of findings.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && o.from != "" {
				return nil
			}
			return oneArg("a type, or --from and a file that --record wrote")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			choice := strings.Join(args, "")
			if err := o.validate(cmd, choice); err != nil {
				return err
			}
			if o.from != "" {
				return o.drawRecorded(choice)
			}
			if choice == "-" {
				text, err := io.ReadAll(io.LimitReader(os.Stdin, maxTypeText))
				if err != nil {
					return err
				}
				choice = string(text)
			}
			t, err := datatype.Parse(choice)
			if err != nil {
				return usageError{err}
			}
			return o.draw(t, "")
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "draw a type of the run recorded in `FILE`")
	f.IntVar(&o.rank, "rank", -1, "only types that this `RANK` has made")
	f.StringVar(&o.svg, "svg", "", "write the picture to `FILE` as SVG (- for standard output)")
	f.StringVar(&o.path, "path", "", "highlight the element or part at `PATH`")
	f.Int64Var(&o.count, "count", 1, "draw `N` copies, as in a buffer")
	return cmd
}

func (o *typeOptions) validate(cmd *cobra.Command, choice string) error {
	switch {
	case o.count < 1:
		return usagef("--count %d: must be at least 1", o.count)
	case o.rank >= 0 && o.from == "":
		return usagef("--rank is for types --from a file")
	case cmd.Flags().Changed("rank") && o.rank < 0:
		return usagef("--rank %d: must not be negative", o.rank)
	case o.from != "" && choice == "" && (o.svg != "" || o.path != "" || cmd.Flags().Changed("count")):
		return usagef("%s needs to know which type: mpivet type --from %s lists them", cmd.CommandPath(), o.from)
	case o.svg != "" && o.svg != "-":
		if err := writable(o.svg); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
	}
	if !cmd.Flags().Changed("count") {
		o.count = 0 // as many as the path needs
	}
	return nil
}

// draw writes the picture of a type to the chosen output.
func (o *typeOptions) draw(t *datatype.Type, name string) error {
	p := picture.Options{Name: name, Count: o.count}
	if o.path != "" {
		path, err := datatype.ParsePath(o.path)
		if err != nil {
			return usageError{fmt.Errorf("--path: %w", err)}
		}
		if _, err := path.Resolve(t); err != nil {
			return usageError{fmt.Errorf("--path: %w", err)}
		}
		if name != "" {
			path.Name = name
		}
		p.Path = &path
	}
	make := picture.Write
	if o.svg != "" {
		make = picture.Draw
	}
	var out bytes.Buffer
	if err := make(&out, t, p); err != nil {
		return usageError{err}
	}
	if o.svg == "" || o.svg == "-" {
		_, err := os.Stdout.Write(out.Bytes())
		return err
	}
	if err := os.WriteFile(o.svg, out.Bytes(), 0o666); err != nil { //nolint:gosec // as any other program creates files
		return fmt.Errorf("--svg: %w", err)
	}
	return nil
}
