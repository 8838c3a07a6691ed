! Correct sends and receives of Fortran arrays, with all checksums. Buffers are changed only when this is allowed.
! run: np=2 flags="--checksums"
program fine
  use mpi
  implicit none
  integer :: rank, ierr, i, requests(3)
  real(8) :: field(8, 8), other(8), all(2)
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  field = rank
  do i = 1, 4
    call MPI_Irecv(other, 8, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(field(1, i), 8, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, requests(2), ierr)
    field(:, i + 1) = i
    call MPI_Isend(flag, 1, MPI_LOGICAL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, requests(3), ierr)
    flag = i > 2
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
    field(:, i) = other
  end do
  all(rank + 1) = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  call MPI_Ibcast(field, 64, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  if (rank == 1) print *, int(field(1, 1)), int(all(2))
  call MPI_Finalize(ierr)
end program fine
