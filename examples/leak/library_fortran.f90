! The delete function of an attribute of MPI_COMM_SELF frees one communicator and forgets another one.
! run: np=2
module library
  use mpi
  implicit none
  integer :: comm, forgotten
contains
  subroutine finish(self, key, value, state, ierr)
    integer :: self, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    call MPI_Comm_free(comm, ierr)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine finish
end module library

program library_fortran
  use library
  implicit none
  integer :: key, ierr
  integer(kind=MPI_ADDRESS_KIND) :: nothing = 0
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, forgotten, ierr) ! want "LOCAL:COMM:NOT_FREED" count=2
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, key, nothing, ierr)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, nothing, ierr)
  call MPI_Finalize(ierr)
end program library_fortran
