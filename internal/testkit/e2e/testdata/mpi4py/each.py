"""Runs a script on each rank. What it prints goes to a file of the rank's own. Arguments: directory, script, its arguments."""
import runpy
import sys

from mpi4py import MPI

sys.stdout = open("%s/%d" % (sys.argv[1], MPI.COMM_WORLD.rank), "w")
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
