"""The tests that ship in the wheels of other libraries, with weft among the namespaces that they know.

`python tests/ecosystem/suites.py` runs them all, `... suites.py sklearn -k pca` one, with pytest's arguments.  The one
idea: what lists the namespaces is changed in memory, or in a copy in a temporary folder, before pytest collects.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

import pytest


def source_of(name: str) -> Path:
    """Return the file of a module without importing it."""
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None, name
    return Path(spec.origin)


def changed(name: str, old: str, new: str, *more: tuple[str, str]) -> ModuleType:
    """Import a module with parts of its text replaced: `old` by `new`, and those of further pairs."""
    path = source_of(name)
    text = path.read_text()
    for part, other in ((old, new), *more):
        assert part in text, f"{path}: {part!r} is not there; this is another version"
        text = text.replace(part, other)
    spec = find_spec(name)
    assert spec is not None
    module = sys.modules[name] = module_from_spec(spec)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def einops(folder: Path) -> list[str]:
    import weft  # noqa: F401

    os.environ["EINOPS_TEST_BACKENDS"] = "weft"
    find = "next(b for b in _backends.NumpyBackend.__subclasses__() if b.framework_name == 'weft'),"
    tests = changed("einops.tests", "_backends.NumpyBackend,", find)
    return [str(Path(str(tests.__file__)).parent)]


def xarray(folder: Path) -> list[str]:
    name = "test_duck_array_wrapping.py"
    text = (source_of("xarray.tests").parent / name).read_text()
    row = '"weft": {"attrs": {"array": "Tensor", "constructor": "asarray"}, "xfails": {}},'
    for begin, more in (("NAMESPACE_ARRAYS = {", row), ("NAMESPACE_REQUIREMENTS = {", '"weft": (),')):
        assert begin in text, f"{name}: {begin!r} is not there; this is another version"
        text = text.replace(begin, f"{begin}\n    {more}")
    (folder / name).write_text(text)
    return [str(folder), "-k", "weft"]


def array_api_extra(folder: Path) -> list[str]:
    changed("array_api_extra._lib._backends", "    CUPY =", '    WEFT = "weft"\n    CUPY =')
    return [
        str(source_of("array_api_extra").parent / "tests" / "main"),
        "-k",
        "weft",
        "-W",
        "error::DeprecationWarning",
    ]


def sklearn(folder: Path) -> list[str]:
    os.environ["SCIPY_ARRAY_API"] = "1"
    known = import_module("sklearn.utils._array_api")
    known.yield_namespaces = lambda include_numpy_namespaces=True: iter(["weft"])
    return [*tests_of("sklearn", "yield_namespace"), "-k", "weft"]


def scipy(folder: Path) -> list[str]:
    os.environ["SCIPY_ARRAY_API"] = '["weft"]'
    add = (
        "import weft\n    xp_known_backends.add('weft')\n    xp_available_backends.append(pytest.param(weft, id='weft',"
    )
    add += " marks=pytest.mark.array_api_backends))\n\n    "
    first = "xp_available_backend_ids = {"
    devices = "xp.__array_namespace_info__().devices()"  # a tuple, as the standard of 2025 has it
    changed("scipy.conftest", first, add + first, (f"{devices} + [None]", f"[*{devices}, None]"))
    return [*tests_of("scipy", "array_api_"), "-m", "array_api_backends"]


def tests_of(package: str, word: str) -> list[str]:
    """Return the test files of a package that hold a word."""
    root = source_of(package).parent
    return [str(path) for path in sorted(root.rglob("test_*.py")) if word in path.read_text(errors="replace")]


SUITES: dict[str, Callable[[Path], list[str]]] = {
    "einops": einops, "xarray": xarray, "array_api_extra": array_api_extra, "sklearn": sklearn, "scipy": scipy,
}  # fmt: skip


def run(name: str, more: list[str]) -> int:
    """Run one suite in this process."""
    with tempfile.TemporaryDirectory() as folder:
        how = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--rootdir", folder, "-c", os.devnull]
        return int(pytest.main([*how, *SUITES[name](Path(folder)), *more]))


def main(arguments: list[str]) -> int:
    """Run one suite, or all those of libraries that are installed, each in a process of its own."""
    if arguments:
        return run(arguments[0], arguments[1:])
    failed = 0
    for name in SUITES:
        if find_spec(name) is not None:
            print(f"== {name}", flush=True)  # noqa: T201
            failed += subprocess.run([sys.executable, __file__, name], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
