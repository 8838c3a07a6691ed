! Fortran has its own addresses for MPI_BOTTOM, MPI_IN_PLACE and MPI_STATUS_IGNORE. Its arrays may have no elements.
! run: np=2
program arguments
  use mpi
  implicit none
  integer :: ierr, rank, other, there, values(2), none(0)
  integer(kind=MPI_ADDRESS_KIND) :: at(1)
  integer :: lengths(1), types(1)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  values = rank
  call MPI_Get_address(values(1), at(1), ierr)
  lengths(1) = 2
  types(1) = MPI_INTEGER
  call MPI_Type_create_struct(1, lengths, at, types, there, ierr)
  call MPI_Type_commit(there, ierr)
  if (rank == 0) then
    call MPI_Send(MPI_BOTTOM, 1, there, other, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv(MPI_BOTTOM, 1, there, other, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Type_free(there, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Sendrecv(none, 0, MPI_INTEGER, other, 5, none, 0, MPI_INTEGER, other, 5, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program arguments
