! MPI_IN_PLACE and MPI_BOTTOM have other addresses in Fortran than in C.
! run: np=2
program fortran_ok
   use mpi
   implicit none
   integer :: rank, ierr, i, r(2), pair
   integer(kind=MPI_ADDRESS_KIND) :: at(2)
   double precision :: a(10, 10), b(10)
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   a = rank
   b = 0
   do i = 1, 10
      call MPI_Allreduce(MPI_IN_PLACE, a, 100, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
      call MPI_Irecv(a(1, 3), 10, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, r(1), ierr)
      call MPI_Isend(a(1, 4), 10, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, r(2), ierr)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
      call MPI_Get_address(a(1, 1), at(1), ierr)
      call MPI_Get_address(a(1, 5), at(2), ierr)
      call MPI_Type_create_hindexed(2, (/ 1, 1 /), at, MPI_DOUBLE_PRECISION, pair, ierr)
      call MPI_Type_commit(pair, ierr)
      call MPI_Irecv(MPI_BOTTOM, 1, pair, 1 - rank, 1, MPI_COMM_WORLD, r(1), ierr)
      call MPI_Isend(a(1, 6), 2, MPI_DOUBLE_PRECISION, 1 - rank, 1, MPI_COMM_WORLD, r(2), ierr)
      call MPI_Send(a(2, 1), 2, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1, MPI_COMM_WORLD, ierr)
      call MPI_Bcast(a(2, 1), 8, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
      call MPI_Type_free(pair, ierr)
      call MPI_Reduce(b, a, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
   end do
   call MPI_Finalize(ierr)
end program
