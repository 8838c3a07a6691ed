/* The only thread-local variable of the library. */
#include "tls.h"

#include "rules.h"

_Thread_local struct mv_tls mv_tls __attribute__((tls_model("initial-exec")));
