! The delete functions of attributes free all objects: of a communicator that is freed, and of MPI_COMM_SELF.
! run: np=2
module library
  use mpi
  implicit none
  integer :: comm, pair
contains
  subroutine finish(self, key, value, state, ierr)
    integer :: self, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    call MPI_Comm_free(comm, ierr)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine finish
  subroutine forget(some, key, value, state, ierr)
    integer :: some, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    call MPI_Type_free(pair, ierr)
  end subroutine forget
end module library

program library_fortran_ok
  use library
  implicit none
  integer :: key, other, some, ierr
  integer(kind=MPI_ADDRESS_KIND) :: nothing = 0
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, key, nothing, ierr)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, nothing, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, some, ierr)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, other, nothing, ierr)
  call MPI_Comm_set_attr(some, other, nothing, ierr)
  call MPI_Comm_free_keyval(other, ierr)
  call MPI_Comm_free(some, ierr)
  call MPI_Finalize(ierr)
end program library_fortran_ok
