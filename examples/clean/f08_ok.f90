! Fortran through the module mpi_f08, with typed handles and no ierror argument.
! run: np=2
program f08
  use mpi_f08
  implicit none
  integer :: rank, value
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  type(MPI_Comm) :: copy
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_rank(copy, rank)
  value = rank
  if (rank == 0) then
    call MPI_Isend(value, 1, MPI_INTEGER, 1, 4, copy, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  else
    call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, status)
    print '(i0,1x,i0,1x,i0)', value, status%MPI_SOURCE, status%MPI_TAG
  end if
  call MPI_Bcast(value, 1, MPI_INTEGER, 1, copy)
  call MPI_Comm_free(copy)
  call MPI_Finalize()
end program f08
