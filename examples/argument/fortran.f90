! Wrong ranks, tags and counts in Fortran. mpivet sees the same arguments as in C.
! run: np=1
program arguments
  use mpi
  implicit none
  integer :: ierr, value, comm
  call MPI_Init(ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  value = 1
  comm = MPI_COMM_NULL
  call MPI_Send(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)  ! want error "LOCAL:MPI:INVALID_ARGUMENT" "dest=1"
  call MPI_Send(value, 1, MPI_INTEGER, 0, -5, MPI_COMM_WORLD, ierr) ! want error "LOCAL:MPI:INVALID_ARGUMENT" "tag=-5"
  call MPI_Send(value, -1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr) ! want error "LOCAL:MPI:INVALID_ARGUMENT" "count=-1"
  call MPI_Send(value, 1, MPI_INTEGER, 0, 0, comm, ierr)            ! want error "LOCAL:MPI:INVALID_ARGUMENT" "MPI_COMM_NULL"
  call MPI_Finalize(ierr)
end program arguments
