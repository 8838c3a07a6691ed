! A Fortran program does not free a communicator.
! run: np=2
program comm_fortran
  use mpi
  implicit none
  integer :: comm, other, ierr
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr) ! want "LOCAL:COMM:NOT_FREED"
  call MPI_Comm_dup(MPI_COMM_WORLD, other, ierr)
  call MPI_Comm_free(other, ierr)
  call MPI_Finalize(ierr)
end program comm_fortran
