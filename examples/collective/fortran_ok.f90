! Correct collectives in Fortran: MPI_IN_PLACE, logical arguments, user-defined operations that each rank creates in its
! own order, and a row of a matrix that other ranks receive as a column.
! run: np=3
module operations
contains
  subroutine product_mod(in, inout, n, datatype)
    integer :: n, datatype
    integer :: in(n), inout(n)
    inout = mod(in * inout, 97)
  end subroutine
  subroutine other(in, inout, n, datatype)
    integer :: n, datatype
    integer :: in(n), inout(n)
    inout = max(in, inout)
  end subroutine
end module operations

program fortran_ok
  use mpi
  use operations
  implicit none
  integer :: rank, ierror, first, second, row, ring, request, values(3), matrix(3, 3), dims(1), around(2)
  logical :: periods(1)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  if (rank == 1) then
    call MPI_Op_create(other, .true., second, ierror)
    call MPI_Op_create(product_mod, .true., first, ierror)
  else
    call MPI_Op_create(product_mod, .true., first, ierror)
    call MPI_Op_create(other, .true., second, ierror)
  end if
  values = rank + 2
  call MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_INTEGER, first, MPI_COMM_WORLD, ierror)
  print '(a,i0,a,i0)', 'rank ', rank, ': ', values(1)
  call MPI_Type_vector(3, 1, 3, MPI_INTEGER, row, ierror)
  call MPI_Type_commit(row, ierror)
  matrix = rank
  if (rank == 0) then
    call MPI_Bcast(matrix(2, 1), 1, row, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_Bcast(matrix(1, 2), 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end if
  if (rank == 2) then
    call MPI_Reduce(MPI_IN_PLACE, values, 1, MPI_INTEGER, second, 2, MPI_COMM_WORLD, ierror)
  else
    call MPI_Reduce(values, around, 1, MPI_INTEGER, second, 2, MPI_COMM_WORLD, ierror)
  end if
  dims = 3
  periods = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring, ierror)
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, around, 1, MPI_INTEGER, ring, ierror)
  call MPI_Ibarrier(ring, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  print '(a,i0,a,i0,1x,i0,1x,i0)', 'rank ', rank, ': ', matrix(1, 2), around
  call MPI_Comm_free(ring, ierror)
  call MPI_Type_free(row, ierror)
  call MPI_Op_free(first, ierror)
  call MPI_Op_free(second, ierror)
  call MPI_Finalize(ierror)
end program fortran_ok
