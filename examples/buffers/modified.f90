! A buffer is changed between the start of a send and the call that completes it, and in the second round of a
! persistent send.
! run: np=2 stdout=any
program modified
  use mpi
  implicit none
  integer :: rank, ierr, request, i
  integer :: status(MPI_STATUS_SIZE)
  real(8), volatile :: field(10) ! otherwise the compiler may move the assignments
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  field = rank
  if (rank == 0) then
    call MPI_Issend(field, 10, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierr) ! want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "element 9 of 10 × MPI_DOUBLE_PRECISION" count=1 ranks=0
    field(10) = 7
    call MPI_Wait(request, status, ierr)
    call MPI_Send_init(field, 10, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, request, ierr) ! want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "element 0 of 10 × MPI_DOUBLE_PRECISION" count=1 ranks=0
    do i = 1, 2
      call MPI_Start(request, ierr)
      field(1) = field(1) + i - 1
      call MPI_Wait(request, status, ierr)
      field(5) = i
    end do
    call MPI_Request_free(request, ierr)
  else
    call MPI_Recv(field, 10, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, 2
      call MPI_Recv(field, 10, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end do
  end if
  call MPI_Finalize(ierr)
end program modified
