# SPDX-License-Identifier: Apache-2.0
#
# The recipe for Spack. Until it is in Spack's own repository of packages: copy this folder into a repository of yours as
# packages/mpivet, or see docs/install.md.

from spack_repo.builtin.build_systems.go import GoPackage

from spack.package import *


class Mpivet(GoPackage):
    """mpivet runs an MPI program and reports its MPI errors while it runs: deadlocks, mismatched datatypes and
    collectives, races, bad arguments, leaks. One mpivet works with all MPIs: it compiles a small library for each MPI
    at its first use, with that MPI's own mpicc."""

    homepage = "https://github.com/mpivet/mpivet"
    git = "https://github.com/mpivet/mpivet.git"

    license("Apache-2.0")

    # For a release: version("0.3.0", tag="v0.3.0", commit="the commit of the tag")
    version("main", branch="main")

    depends_on("go@1.26:", type="build")

    @property
    def build_args(self):
        # As in the Makefile: with the entry point, mpivet checks limits before Go's runtime starts.
        entry = "-E mpivet_entry " if self.spec.satisfies("target=x86_64:") else ""
        return [
            "-trimpath",
            "-modcacherw",
            "-tags",
            "grpcnotrace",
            "-ldflags",
            f"-s -w {entry}-X github.com/mpivet/mpivet/internal/cli.version={self.shown_version}",
            "-o",
            self.name,
            "./cmd/mpivet",
        ]

    @property
    def check_args(self):
        return ["./cmd/...", "./internal/mpi/...", "./internal/finding/..."]

    @property
    def shown_version(self):
        return "main" if self.spec.satisfies("@main") else f"v{self.version}"

    @run_after("install")
    def install_share(self):
        """Manual pages, completions, extensions of debuggers, documents."""
        with working_dir(self.stage.source_path):
            Executable("go")(
                "run",
                "-modcacherw",
                "./scripts/share",
                "-out",
                self.prefix.share,
                "-version",
                self.shown_version,
                "-mpivet",
                join_path(self.prefix.bin, "mpivet"),
            )
