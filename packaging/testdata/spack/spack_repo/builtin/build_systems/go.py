"""Spack's build system for Go, in short."""

import os
import shutil

from spack.package import Executable, PackageBase, working_dir


class GoPackage(PackageBase):
    def install_all(self):
        with working_dir(self.stage.source_path):
            Executable("go")("build", *self.build_args)
            os.makedirs(self.prefix.bin, exist_ok=True)
            shutil.move(self.name, self.prefix.bin)
        for name in dir(type(self)):
            method = getattr(type(self), name)
            if getattr(method, "runs_after", None) == "install":
                method(self)
