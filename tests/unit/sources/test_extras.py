"""A format whose library is not installed says which extra brings it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import weft
from weft.errors import FileFormatError

NEEDS = {
    "a.parquet": ("pyarrow", "tables"),
    "a.csv": ("pyarrow", "tables"),
    "a.arrow": ("pyarrow", "tables"),
    "a.jpg": ("PIL", "images"),
    "a.mat": ("scipy", "mat"),
}


@pytest.mark.parametrize("name", NEEDS)
def test_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    library, extra = NEEDS[name]
    shown = {"PIL": "Pillow", "scipy": "SciPy"}.get(library, library)
    for module in [library, *(m for m in sys.modules if m.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / name).write_bytes(b"ARROW1\0\0 anything")
    with pytest.raises(FileFormatError) as caught:
        weft.open(tmp_path / name)
    wanted = f"{tmp_path}/{name}: {shown} reads this format and is not installed; pip install 'weft[{extra}]'"
    assert wanted in str(caught.value)
