"""Registration with einops, with a small package of that name in its place."""

import subprocess
import sys
from pathlib import Path

import pytest

BACKENDS = '''
"""The one class that weft looks for."""

class AbstractBackend:
    framework_name = ""
'''
PROGRAM = """
import {first}
import {second}
import sys
import einops, gc
gc.collect()
(backend,) = [known() for known in einops.AbstractBackend.__subclasses__()]
assert backend.framework_name == "weft"
x = weft.arange(6, dtype="float64").reshape(2, 3)
assert backend.is_appropriate_type(x) and not backend.is_appropriate_type([1.0])
assert backend.add_axes(x, 4, {{0: 5, 3: 2}}).shape == (5, 2, 3, 2)
assert backend.tile(backend.add_axis(x, 0), (2, 1, 1)).shape == (2, 2, 3)
assert backend.reduce(x, "sum", (0,)).tolist() == [3.0, 5.0, 7.0]
assert backend.transpose(x, (1, 0)).tolist() == x.T.tolist() == backend.reshape(x.T, [3, 2]).tolist()
assert backend.concat([x, x], 1).shape == (2, 6) and backend.stack_on_zeroth_dimension([x, x]).shape == (2, 2, 3)
assert backend.einsum("ij,kj->ik", x, x).shape == (2, 2) and backend.is_float_type(x)
assert backend.to_numpy(backend.from_numpy(x.numpy())).tolist() == x.tolist()
assert backend.arange(0, 3).tolist() == [0, 1, 2]
assert not any("Einops" in type(finder).__name__ for finder in sys.meta_path)
"""


@pytest.mark.parametrize("order", [("weft", "einops"), ("einops", "weft")], ids="-".join)
def test_the_backend_is_found_whichever_is_imported_first(tmp_path: Path, order: tuple[str, str]) -> None:
    (tmp_path / "einops").mkdir()
    (tmp_path / "einops" / "__init__.py").write_text("from einops._backends import AbstractBackend\n")
    (tmp_path / "einops" / "_backends.py").write_text(BACKENDS)
    program = PROGRAM.format(first=order[0], second=order[1])
    path = [str(tmp_path), *sys.path]
    start = f"import sys; sys.path[:] = {path!r}\n"
    done = subprocess.run([sys.executable, "-c", start + program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_einops_an_import_of_it_fails_as_ever() -> None:
    program = "import weft\ntry:\n    import einops._backends\nexcept ModuleNotFoundError:\n    print('absent')\n"
    hide = "import sys; sys.modules['einops'] = None\n"
    done = subprocess.run([sys.executable, "-c", hide + program], capture_output=True, text=True, check=False)
    assert done.stdout == "absent\n", done.stderr
