package pipeline_test

import (
	"testing"

	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// BenchmarkObjects analyses a process that makes and frees one object after the other: ns per object.
func BenchmarkObjects(b *testing.B) {
	const handle = uint64(0x8c000000)
	world := int(World)
	for _, kind := range []struct {
		name  string
		calls [][]byte
	}{
		{"datatype", [][]byte{
			Record(0, "MPI_Type_vector", Args{
				"count": 3, "blocklength": 2, "stride": 5, "oldtype": Int, ">newtype": handle,
			}, 0),
			Record(0, "MPI_Type_commit", Args{"datatype": handle, ">datatype": handle}, 0),
			Record(0, "MPI_Type_free", Args{"datatype": handle, ">datatype": uint64(TypeNull)}, 0),
		}},
		{"communicator", [][]byte{
			Record(0, "MPI_Comm_dup", Args{"comm": world, ">newcomm": handle}, 0),
			Record(0, "MPI_Comm_free", Args{"comm": handle, ">comm": uint64(CommNull)}, 0),
		}},
		{"group", [][]byte{
			Record(0, "MPI_Comm_group", Args{"comm": world, ">group": handle}, 0),
			Record(0, "MPI_Group_incl", Args{"group": handle, "n": 1, "ranks": []int32{0}, ">newgroup": handle + 1}, 0),
			Record(0, "MPI_Group_free", Args{"group": handle + 1, ">group": uint64(0)}, 0),
			Record(0, "MPI_Group_free", Args{"group": handle, ">group": uint64(0)}, 0),
		}},
		{"operation", [][]byte{
			Record(0, "MPI_Op_create", Args{"user_fn": uint64(0x1000), "commute": 1, ">op": handle}, 0),
			Record(0, "MPI_Op_free", Args{"op": handle, ">op": uint64(0)}, 0),
		}},
		{"info", [][]byte{
			Record(0, "MPI_Info_create", Args{">info": handle}, 0),
			Record(0, "MPI_Info_free", Args{"info": handle, ">info": uint64(0)}, 0),
		}},
		{"errhandler", [][]byte{
			Record(0, "MPI_Comm_create_errhandler", Args{
				"comm_errhandler_fn": uint64(0x1000), ">errhandler": handle,
			}, 0),
			Record(0, "MPI_Errhandler_free", Args{"errhandler": handle, ">errhandler": uint64(0)}, 0),
		}},
		{"keyval", [][]byte{
			Record(0, "MPI_Comm_create_keyval", Args{">comm_keyval": handle}, 0),
			Record(0, "MPI_Comm_free_keyval", Args{"comm_keyval": handle, ">comm_keyval": uint64(0)}, 0),
		}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			prog := New(1)
			var none collected
			p := pipeline.New(pipeline.Options{Checks: usual(), Reporter: &none})
			prog.Deliver(p, 1000, 0)
			const n = 40
			var data []byte
			for range n {
				for _, c := range kind.calls {
					data = append(data, c...)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += n {
				p.Batch(&ring.Batch{Thread: 0, Data: data})
			}
			if len(none) != 0 || p.Trouble() != "" || p.Tracker.Damaged() != 0 {
				b.Fatal("not what it should be", len(none), p.Trouble())
			}
		})
	}
}
