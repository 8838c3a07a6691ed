! Types with a given precision and range match only types with the same ones, whatever kinds the compiler chooses.
! run: np=2
program kinds
  use mpi
  implicit none
  integer :: rank, ierr, mine
  real(kind=selected_real_kind(12, 100)) :: x(3)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = 1
  call MPI_Type_create_f90_real(12 + rank, 100, mine, ierr) ! want "GLOBAL:MSG:DATATYPE:MISMATCH"
  if (rank == 0) then
    call MPI_Send(x, 3, mine, 1, 0, MPI_COMM_WORLD, ierr) ! want "GLOBAL:MSG:DATATYPE:MISMATCH" "3×REAL\(p=12,r=100\)(.|\n)*3×REAL\(p=13,r=100\)"
  else
    call MPI_Recv(x, 3, mine, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! want "GLOBAL:MSG:DATATYPE:MISMATCH"
  end if
  call MPI_Finalize(ierr)
end program kinds
