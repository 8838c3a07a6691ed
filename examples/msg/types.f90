! In Fortran, an integer is sent and a real is received.
! run: np=2
program types
  use mpi
  implicit none
  integer :: rank, ierr, n
  real :: x
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    n = 1
    call MPI_Send(n, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr) ! want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_INTEGER"
  else
    call MPI_Recv(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_REAL"
  end if
  call MPI_Finalize(ierr)
end program types
