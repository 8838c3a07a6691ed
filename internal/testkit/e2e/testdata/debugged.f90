! Rank 0 waits for a message that nobody sends. One half uses INTEGER handles, the other the types of mpi_f08.
subroutine waits(particle, values)
    use mpi_f08
    type(MPI_Datatype), intent(in) :: particle
    real(8), intent(inout) :: values(3, 4)
    type(MPI_Comm) :: comm
    type(MPI_Request) :: pending
    type(MPI_Status) :: status
    integer :: one
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Irecv(one, 1, MPI_INTEGER, 0, 77, comm, pending)
    call MPI_Recv(values, 4, particle, MPI_ANY_SOURCE, 5, comm, status)
end subroutine

program debugged
    use mpi_f08, only: MPI_Datatype
    use mpi, only: MPI_Init, MPI_Type_contiguous, MPI_Type_commit, MPI_DOUBLE_PRECISION, MPI_Comm_rank, MPI_COMM_WORLD, &
        MPI_Barrier
    integer :: plain, rank, ierr
    type(MPI_Datatype) :: particle
    real(8) :: values(3, 4) = 7
    interface
        subroutine waits(particle, values)
            use mpi_f08
            type(MPI_Datatype), intent(in) :: particle
            real(8), intent(inout) :: values(3, 4)
        end subroutine
    end interface
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Type_contiguous(3, MPI_DOUBLE_PRECISION, plain, ierr)
    call MPI_Type_commit(plain, ierr)
    particle%MPI_VAL = plain
    call waits(particle, values)
end program
