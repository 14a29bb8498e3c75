"""An output that is an input wants --force; results as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from weft.cli.main import run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.save(tmp_path / "a.npy", np.arange(6.0).reshape(2, 3))
    return tmp_path / "a.npy"


def ran(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(a) for a in arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("spelling", ["{0}/a.npy", "{0}/../{1}/a.npy", "{0}/link.npy"])
@pytest.mark.parametrize("command", [["eval", "x * 2", "x={a}", "-o"], ["convert", "{a}", "--dtype", "f4"]])
def test_an_input_is_not_replaced(
    capsys: pytest.CaptureFixture[str], file: Path, spelling: str, command: list[str]
) -> None:
    (file.parent / "link.npy").symlink_to(file)
    before, target = file.read_bytes(), spelling.format(file.parent, file.parent.name)
    arguments = [part.format(a=file) for part in command]
    code, out, err = ran(capsys, *arguments, target)
    assert (code, out) == (2, "")
    assert (
        err == f"weft: {command[0]}: {target} is an input, and the output would replace it; inputs are kept; give "
        "another name, or --force\n"
    )
    assert file.read_bytes() == before
    assert ran(capsys, *arguments, target, "--force") == (0, "", "")
    assert file.read_bytes() != before


def test_an_input_of_a_pattern_or_of_an_archive(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    np.savez(file.parent / "b.npz", x=np.arange(3))
    code, _, err = ran(capsys, "eval", "x", f"x={file.parent}/*.npy", "-o", file)
    assert (code, "is an input" in err) == (2, True)
    code, _, err = ran(capsys, "eval", "x", f"x={file.parent}/b.npz::x", "-o", file.parent / "b.npz")
    assert (code, "is an input" in err) == (2, True)
    assert ran(capsys, "eval", "x", f"x={file}", "-o", file.parent / "c.npy") == (0, "", "")


def test_json(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    def found(expression: str) -> list[object]:
        code, out, err = ran(capsys, "eval", expression, f"x={file}", "--json")
        assert (code, err) == (0, "")
        return [json.loads(line) for line in out.splitlines()]

    assert found("x[:, 1]") == [{"dtype": "float64", "shape": [2], "values": [1.0, 4.0]}]
    assert found("sum(x)") == [{"dtype": "float64", "shape": [], "values": 15.0}]
    assert found("[x[0, 0] / 0, x[0, 1] / 0]")[1] == {"dtype": "float64", "shape": [], "values": "inf"}
    assert found("x[0, :1] / 0")[0]["values"] == ["nan"]  # type: ignore[index]
    assert found("asarray([1j, 2])") == [{"dtype": "complex128", "shape": [2], "values": [[0.0, 1.0], [2.0, 0.0]]}]
    assert found("x > 2")[0]["values"] == [[False] * 3, [True] * 3]  # type: ignore[index]
    assert found("x.shape") == [
        {"dtype": "int64", "shape": [], "values": 2},
        {"dtype": "int64", "shape": [], "values": 3},
    ]
    assert found("x.dtype") == [{"value": "weft.float64"}]
