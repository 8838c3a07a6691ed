! Datatypes in Fortran: an array section, a derived type, and types of a given precision, which need no commit and
! cannot be freed.
! run: np=2
program fortran_ok
  use mpi
  implicit none
  integer, parameter :: dp = selected_real_kind(15, 300)
  type particle
    sequence
    real(dp) :: x(3)
    integer :: id, flags
  end type
  type(particle) :: p
  integer :: ierr, rank, t, section, real15, int9, again
  integer(kind=mpi_address_kind) :: disp(2), base
  real(dp) :: a(4, 6), v(2)
  integer :: n(2)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  v = rank
  n = rank
  call MPI_Type_create_subarray(2, [4, 6], [1, 6], [0, 0], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, section, ierr)
  call MPI_Type_commit(section, ierr)
  call MPI_Sendrecv_replace(a, 1, section, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_free(section, ierr)
  p%x = rank
  p%id = rank
  p%flags = 0
  call MPI_Get_address(p, base, ierr)
  call MPI_Get_address(p%id, disp(2), ierr)
  disp = [0_mpi_address_kind, disp(2) - base]
  call MPI_Type_create_struct(2, [3, 2], disp, [MPI_DOUBLE_PRECISION, MPI_INTEGER], t, ierr)
  call MPI_Type_commit(t, ierr)
  call MPI_Bcast(p, 1, t, 0, MPI_COMM_WORLD, ierr)
  call MPI_Type_free(t, ierr)
  call MPI_Type_create_f90_real(15, 300, real15, ierr)
  call MPI_Type_create_f90_real(15, 300, again, ierr)
  call MPI_Type_create_f90_integer(9, int9, ierr)
  call MPI_Bcast(v, 2, real15, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(v, 2, again, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(n, 2, int9, 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
