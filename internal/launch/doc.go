// Package launch brings an MPI program and the preload library together. It finds the MPI library that a program
// uses, that library's compiler wrapper and launcher, builds the preload library for it and keeps it in a cache, starts
// the ranks so that only they load it, and ends what it started.
package launch
