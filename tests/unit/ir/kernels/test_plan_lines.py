"""The whole text of plans, and what is wrong with texts that are none (laws: tests/laws/test_plan_data.py)."""

from __future__ import annotations

import pytest

import weft
from weft.errors import ExpressionError, ProgramFileError
from weft.ir.kernels import plan_lines
from weft.ir.kernels.data_reader import Faults

TEXT = """\
plan inputs 1 scalars ["float64"] outputs [0] arena 0 groups []
buffer float64 [3] at -1
body
  load float64 [] 0
  scalar float64 [] 0
  multiply float64 [0,1] null
map
  row body 0 sizes [3] start [0] scalars 0
    reads 0 + 0 [16] float64
    writes 1 + 0 [8] float64"""


def test_text_is_the_plan() -> None:
    x = weft.asarray([1.0, 2.0, 3.0, 4.0, 5.0])[::2]
    assert weft.show(x * 2, "program") == TEXT
    made, _ = plan_lines.read(TEXT, Faults())
    assert plan_lines.show(made) == TEXT


def test_all_faults_are_named_by_their_lines() -> None:
    faults = Faults()
    plan_lines.read(
        TEXT.replace("buffer float64", "buffer").replace("+ 0 [16]", "- 0").replace("at -1", "at x"), faults
    )
    with pytest.raises(ProgramFileError) as error:
        faults.check("plan")
    assert "line 2:" in str(error.value) and "line 9:" in str(error.value)


@pytest.mark.parametrize("text", ["", "plan", "x", "writes 1 + 0 [8] float64", "row", "map\nmap", "body\n  add [[[["])
def test_texts_that_are_none(text: str) -> None:
    faults = Faults()
    plan_lines.read(text, faults)
    with pytest.raises(ProgramFileError):
        faults.check("plan")


def test_functions_of_python_have_no_text() -> None:
    y = weft.map_blocks(lambda a: a, weft.asarray([1.0, 2.0]), dtype="float64")
    with pytest.raises(ExpressionError, match="no word"):
        weft.show(y, "program")
