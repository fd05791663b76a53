"""lit configuration of every .mlir test: RUN lines over fa4-opt and fa4-gen.

Substitutions: %fa4-opt (which also checks that the parsed input survives
printing and parsing), %fa4-gen and %ptxas.
"""
import os
import shutil

import lit.formats

config.name = "fa4-gen"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.test_build_dir
config.environment["PATH"] = os.pathsep.join(
    [config.tool_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
config.substitutions += [
    ("%fa4-opt", "fa4-opt --verify-roundtrip"),
    ("%fa4-gen", "fa4-gen"),
]

# Tests that assemble say `REQUIRES: ptxas`.
search = [os.environ["PATH"], "/usr/local/cuda/bin"]
if "CUDA_HOME" in os.environ:
    search.append(os.path.join(os.environ["CUDA_HOME"], "bin"))
ptxas = shutil.which("ptxas", path=os.pathsep.join(search))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
