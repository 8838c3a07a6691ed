typedef int MPI_Datatype;
int stop(MPI_Datatype &type, const MPI_Datatype &same) { return type + same; }
int main() {
    MPI_Datatype type = (int)0x8c000001;
    return stop(type, type) == 3;
}
extern "C" {
struct mv_debug {
    unsigned long magic;
    unsigned version, header_size;
    unsigned long rest[30];
    char program[256];
} mpivet_debug = {0x314742444356504dUL, 6, sizeof(mv_debug), {0}, {0}};
}
