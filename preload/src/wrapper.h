/* Everything that the generated wrappers use. */
#ifndef MPIVET_WRAPPER_H
#define MPIVET_WRAPPER_H

#include <string.h>

#include "between.h"
#include "call.h"
#include "comm.h"
#include "errors.h"
#include "freed.h"
#include "init.h"
#include "kept.h"
#include "layouts.h"
#include "message.h"
#include "objects.h"
#include "pending.h"
#include "query.h"
#include "reach.h"
#include "requests.h"
#include "strict.h"
#include "sums.h"

/* Some headers call it MPI_F08_Status. Wrappers only pass its address on. */
#define MPI_F08_status void

#endif
