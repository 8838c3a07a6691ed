! Datatypes in Fortran: one is used but neither committed nor freed, another one is a subarray that does not fit.
! run: np=1
program fortran
  use mpi
  implicit none
  integer :: ierr, t, row
  real :: a(4, 6)
  call MPI_Init(ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  a = 1
  call MPI_Type_vector(6, 1, 4, MPI_REAL, row, ierr) ! want "LOCAL:DATATYPE:NOT_FREED"
  call MPI_Bcast(a, 1, row, 0, MPI_COMM_SELF, ierr) ! want "LOCAL:DATATYPE:NOT_COMMITTED" "MPI_Type_vector"
  call MPI_Type_create_subarray(1, [4], [5], [0], MPI_ORDER_FORTRAN, MPI_REAL, t, ierr) ! want "LOCAL:DATATYPE:INVALID_ARGUMENT" "array_of_subsizes"
  if (ierr == MPI_SUCCESS) call MPI_Type_free(t, ierr)
  call MPI_Finalize(ierr)
end program
