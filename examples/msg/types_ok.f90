! Fortran types, with the same types on both sides.
! run: np=2
program types
  use mpi
  implicit none
  integer :: rank, ierr, n, status(MPI_STATUS_SIZE)
  double precision :: x(3)
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    n = 1
    x = 2.5d0
    flag = .true.
    call MPI_Send(n, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    call MPI_Send(x, 3, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
    call MPI_Send(flag, 1, MPI_LOGICAL, 1, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(x, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call MPI_Recv(flag, 1, MPI_LOGICAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    print '(i0,1x,f4.1,1x,l1,1x,i0)', n, x(3), flag, status(MPI_SOURCE)
  end if
  call MPI_Finalize(ierr)
end program types
