! Fortran programs make the same errors: a different datatype, a different reduction operation, MPI_IN_PLACE on one
! rank.
! run: np=2
program fortran
  use mpi
  implicit none
  integer :: rank, ierror, op, values(2), sums(2), comm
  real :: numbers(2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  values = rank
  numbers = 1.0
  if (rank == 0) then
    call MPI_Bcast(values, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror) ! want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_REAL" count=1 ranks=0,1
  else
    call MPI_Bcast(numbers, 2, MPI_REAL, 0, MPI_COMM_WORLD, ierror) ! want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_INTEGER" count=1 ranks=0,1
  end if
  op = MPI_SUM
  if (rank == 1) op = MPI_MAX
  call MPI_Allreduce(values, sums, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierror) ! want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1
  if (rank == 0) then
    call MPI_Allgather(MPI_IN_PLACE, 1, MPI_INTEGER, values, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror) ! want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1
  else
    call MPI_Allgather(rank, 1, MPI_INTEGER, values, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror) ! want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" count=1 ranks=0,1
  end if
  call MPI_Bcast(values, 2, MPI_INTEGER, rank, comm, ierror) ! want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" count=1 ranks=0,1
  call MPI_Comm_free(comm, ierror)
  call MPI_Finalize(ierror)
end program fortran
