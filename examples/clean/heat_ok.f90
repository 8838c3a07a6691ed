! Fortran through the module mpi: wildcards, nonblocking calls, in-place reductions, derived types, a Cartesian grid.
! run: np=4
program heat
  use mpi
  implicit none
  integer, parameter :: n = 16
  integer :: rank, size, ierr, comm, left, right, step, column, request(4), statuses(MPI_STATUS_SIZE, 4)
  integer :: dims(1), status(MPI_STATUS_SIZE)
  logical :: periods(1)
  double precision :: u(0:n + 1, 4), total
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  dims(1) = size
  periods(1) = .false.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .true., comm, ierr)
  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Cart_shift(comm, 0, 1, left, right, ierr)
  call MPI_Type_vector(4, 1, n + 2, MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(column, ierr)
  u = rank
  do step = 1, 50
    call MPI_Irecv(u(0, 1), 1, column, left, 0, comm, request(1), ierr)
    call MPI_Irecv(u(n + 1, 1), 1, column, right, 1, comm, request(2), ierr)
    call MPI_Isend(u(1, 1), 1, column, left, 1, comm, request(3), ierr)
    call MPI_Isend(u(n, 1), 1, column, right, 0, comm, request(4), ierr)
    if (mod(step, 2) == 0) then
      call MPI_Waitall(4, request, statuses, ierr)
    else
      call MPI_Waitall(4, request, MPI_STATUSES_IGNORE, ierr)
    end if
    u(1:n, :) = (u(0:n - 1, :) + u(2:n + 1, :)) / 2
  end do
  total = sum(u(1:n, :))
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
  if (rank == 0) then
    print '(f12.6)', total
    do step = 1, size - 1
      call MPI_Recv(u, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 3, comm, status, ierr) ! want info "GLOBAL:MSG:RACE"
    end do
  else
    call MPI_Send(total, 1, MPI_DOUBLE_PRECISION, 0, 3, comm, ierr)
  end if
  call MPI_Type_free(column, ierr)
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
end program heat
