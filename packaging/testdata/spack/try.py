"""Loads the recipe and prints its directives: try.py RECIPE. Or it installs: try.py RECIPE VERSION SOURCES PREFIX."""

import importlib.util
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from spack.package import directives

spec = importlib.util.spec_from_file_location("recipe", sys.argv[1])
recipe = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipe)
if len(sys.argv) > 2:
    recipe.Mpivet(*sys.argv[2:]).install_all()
else:
    for kind, args, kwargs in directives:
        print(kind, *args, *(f"{k}={v}" for k, v in kwargs.items()))
    for target in "x86_64", "aarch64":
        package = recipe.Mpivet("1.2.3", "/source", "/prefix", target)
        print(target, *package.build_args)
