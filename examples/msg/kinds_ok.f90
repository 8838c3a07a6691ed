! Types of the same precision and range, made on each side.
! run: np=2
program kinds
  use mpi
  implicit none
  integer :: rank, ierr, mine, three
  real(kind=selected_real_kind(12, 100)) :: x(3)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = rank
  call MPI_Type_create_f90_real(12, 100, mine, ierr)
  if (rank == 0) then
    call MPI_Send(x, 3, mine, 1, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Type_contiguous(3, mine, three, ierr)
    call MPI_Type_commit(three, ierr)
    call MPI_Recv(x, 1, three, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Type_free(three, ierr)
    print '(f4.1)', x(3)
  end if
  call MPI_Finalize(ierr)
end program kinds
