// Package launch starts an MPI program with the preload library. It finds the MPI library of a program, and the
// compiler wrapper and the launcher of that MPI library. It builds the preload library and caches it. It starts the
// ranks, so that only they load the library, and ends the processes that it has started.
package launch
