"""As much of Spack's package API as the recipe of mpivet uses, to try the recipe where there is no Spack."""

import contextlib
import os
import subprocess
import types

directives = []


def _directive(kind):
    return lambda *args, **kwargs: directives.append((kind, args, kwargs))


depends_on, license, version = _directive("depends_on"), _directive("license"), _directive("version")
join_path = os.path.join


def run_after(phase):
    def mark(method):
        method.runs_after = phase
        return method

    return mark


@contextlib.contextmanager
def working_dir(path):
    before = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


class Executable:
    def __init__(self, name):
        self.name = name

    def __call__(self, *args):
        subprocess.run([self.name, *map(str, args)], check=True)


class PackageBase:
    """A package at a version, with the folders of its sources and of its installation."""

    def __init__(self, version, source, prefix, target="x86_64"):
        self.name = type(self).__name__.lower()
        self.version = version
        self.spec = types.SimpleNamespace(
            satisfies=lambda what: what in ("@" + version, "target=" + target + ":"))
        self.stage = types.SimpleNamespace(source_path=source)
        self.prefix = types.SimpleNamespace(bin=join_path(prefix, "bin"), share=join_path(prefix, "share"))


__all__ = ["depends_on", "license", "version", "join_path", "run_after", "working_dir", "Executable"]
