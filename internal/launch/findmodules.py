# Prints the locations of the modules named by the arguments, as JSON, without importing the modules.
import importlib.util
import json
import os
import sys
import sysconfig

script_dir = os.path.abspath(sys.argv[1])
sys.path[0] = script_dir
stdlib = [sysconfig.get_path(p) for p in ("stdlib", "platstdlib")]
site = [sysconfig.get_path(p) for p in ("purelib", "platlib")]


def below(path, dirs):
    return any(d and (path + os.sep).startswith(d + os.sep) for d in dirs)


modules = {}
for name in sys.argv[2:]:
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        continue
    if spec is None:
        continue
    origin = spec.origin or ""
    paths = [os.path.abspath(p) for p in (spec.submodule_search_locations or [])]
    place = paths[0] if paths else origin
    if not os.path.isabs(place):
        continue  # built in or frozen
    outside = "site-packages" in place or "dist-packages" in place or below(place, site)
    if below(place, stdlib) and not outside:
        continue
    modules[name] = {"origin": origin, "paths": paths, "local": below(place, [script_dir]) and not outside}
json.dump({"prefix": sys.prefix, "modules": modules}, sys.stdout)
