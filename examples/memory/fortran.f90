! An array section that receives a message overlaps another section that is sent.
! run: np=2 stdout=any
program fortran
   use mpi
   implicit none
   integer :: rank, ierr, r(2)
   double precision :: a(10, 10)
   double precision, save :: b(100)
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   a = rank
   call MPI_Irecv(a(1, 3), 10, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, r(1), ierr)
   call MPI_Isend(a(10, 3), 1, MPI_DOUBLE_PRECISION, 1 - rank, 1, MPI_COMM_WORLD, r(2), ierr) ! want error "LOCAL:MEMORY:OVERLAP" "MPI_DOUBLE_PRECISION" ranks=0,1
   call MPI_Send(b, 10, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, ierr)
   call MPI_Recv(b, 1, MPI_DOUBLE_PRECISION, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
   call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
   call MPI_Finalize(ierr)
end program
