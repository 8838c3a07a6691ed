/* The same as modified_ok.c, with checksums of all data. */
/* run: np=2 flags="--checksums" */
#include "modified_ok.c"
