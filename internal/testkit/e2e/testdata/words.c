// Every rank prints its arguments, and ends with status 5.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
	char line[1000] = "";
	MPI_Init(&argc, &argv);
	for (int i = 1; i < argc; i++)
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s|", argv[i]);
	printf("%s\n", line);
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 5;
}
