! Both ranks receive before they send, in Fortran.
! run: np=2
program cycle
  use mpi
  implicit none
  integer :: rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call exchange(1 - rank)
  call MPI_Finalize(ierr)
contains
  subroutine exchange(peer)
    integer, intent(in) :: peer
    double precision :: mine, theirs
    mine = rank
    call MPI_Recv(theirs, 1, MPI_DOUBLE_PRECISION, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! want "GLOBAL:DEADLOCK:HARD" "MPI_Recv"
    call MPI_Send(mine, 1, MPI_DOUBLE_PRECISION, peer, 7, MPI_COMM_WORLD, ierr)
  end subroutine
end program cycle
