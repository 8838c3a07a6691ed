"""Requests of all kinds, and messages of Python objects."""
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
left, right = (rank - 1) % size, (rank + 1) % size
buffers = [bytearray(8) for _ in range(40)]
pending = [world.Irecv([buffers[i], MPI.BYTE], left, i) for i in range(20)]
pending += [world.Isend([buffers[20 + i], MPI.BYTE], right, i) for i in range(20)]
while MPI.Request.Waitsome(pending) is not None:
    pass
again = [world.Send_init([buffers[0], MPI.BYTE], right, 5), world.Recv_init([buffers[1], MPI.BYTE], left, 5)]
for _ in range(50):
    MPI.Prequest.Startall(again)
    MPI.Request.Waitall(again)
for request in again:
    request.Free()
status = MPI.Status()
request = world.Irecv([buffers[2], MPI.BYTE], left, 99)
request.Cancel()
request.Wait(status)
print(status.Is_cancelled())
generalized = MPI.Grequest.Start(lambda s: s.Set_elements(MPI.BYTE, 3), lambda: None, lambda c: None)
generalized.Complete()
generalized.Wait(status)
print(status.Get_count(MPI.BYTE))
world.Barrier()
print(world.allgather(("x", rank)), world.bcast({"a": 1}, root=0), world.alltoall(list(range(size))))
sent = world.isend({"q": rank}, right, 7)
print(world.recv(source=left, tag=7))
sent.wait()
sent = world.isend([1] * 3, right, 8)
print(world.mprobe(left, 8).recv())
sent.wait()
