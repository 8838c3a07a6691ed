"""Makes objects of all kinds and frees them."""
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size

info = MPI.Info.Create()
for i in range(100):
    info.Set("key%d" % i, "v" * (i % 50 + 1))
copy = info.Dup()
for i in range(50):
    copy.Delete("key%d" % i)
print(info.Get_nkeys(), copy.Get_nkeys(), copy.Get("key70"), copy.Get_nthkey(3))
try:
    copy.Delete("none")
except MPI.Exception as e:
    print(e.Get_error_class() == MPI.ERR_INFO_NOKEY)
info.Free()
copy.Free()

keyval = MPI.Comm.Create_keyval(copy_fn=lambda o, k, v: v, delete_fn=lambda o, k, v: None)
for i in range(20):
    comm = world.Dup()
    comm.Set_attr(keyval, i)
    dup = comm.Dup()
    part = comm.Split(rank % 2, rank)
    part.Set_name("part %d" % i)
    print(dup.Get_attr(keyval), part.Get_name(), part.size)
    part.Free()
    dup.Free()
    comm.Free()
MPI.Comm.Free_keyval(keyval)

group = world.Get_group()
first = group.Incl([0])
union = MPI.Group.Union(group, first)
print(union.size, MPI.Group.Compare(group, union) == MPI.IDENT)
for g in union, first, group:
    g.Free()
ring = world.Create_cart([size], periods=[True])
print(ring.Shift(0, 1), ring.Get_topo())
ring.Free()
half = world.Split(rank % 2, rank)
inter = half.Create_intercomm(0, world, 1 - rank % 2, 3)
merged = inter.Merge()
print(inter.remote_size, merged.size)
for comm in merged, inter, half:
    comm.Free()
vector = MPI.INT.Create_vector(3, 2, 5).Commit()
print(vector.Get_size(), vector.Get_extent())
vector.Free()
MPI.Op.Create(lambda a, b, t: None, True).Free()
win = MPI.Win.Allocate(64, 1, comm=world)
memory = win.tomemory()
memory[:] = bytes(64)
win.Fence()
win.Put([b"abcd", MPI.BYTE], (rank + 1) % size, 0)
win.Fence()
print(bytes(memory[:4]))
win.Free()
