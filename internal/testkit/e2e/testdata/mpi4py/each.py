"""Runs a script on each rank. The output of a rank goes to its own file.

Arguments: directory, script, its arguments.
"""
import runpy
import sys

from mpi4py import MPI

sys.stdout = open("%s/%d" % (sys.argv[1], MPI.COMM_WORLD.rank), "w")
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
