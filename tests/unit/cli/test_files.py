"""The commands on files: what they hold, their values as text, other formats, and how an expression is computed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.cli import cat
from weft.cli.main import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.savez("two.npz", a=np.arange(6.0).reshape(2, 3), b=np.arange(4, dtype=">i2"))
    np.save("p-2.npy", np.full((2, 3), 0.1, np.float32))
    np.save("p-10.npy", np.zeros((1, 3), np.float32))
    np.arange(12, dtype=">f4").tofile("cells.bin")
    return tmp_path


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]):
    """Run a command that succeeds; gives what it prints."""

    def command(*arguments: str) -> str:
        assert run(list(arguments)) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return command


def test_info_has_a_line_for_every_array(folder: Path, say) -> None:
    first, second = say("info", "two.npz").splitlines()
    assert first.startswith("two.npz::a: float64[2, 3], little-endian, C order, 48 bytes from byte ")
    assert second.startswith("two.npz::b: int16[4], big-endian, C order, 8 bytes from byte ")
    facts = json.loads(say("info", "two.npz::b", "--json"))
    assert (facts["name"], facts["byteorder"], facts["bytes"]) == ("b", "big", 8)
    assert "float32[3, 4], big-endian" in say("info", "cells.bin", "--open", "dtype=>f4", "--open", "shape=3,4")


def test_cat_prints_a_line_for_each_row(folder: Path, say) -> None:
    assert say("cat", "two.npz::a") == "0.0 1.0 2.0\n3.0 4.0 5.0\n"
    assert say("cat", "p-*.npy", "-d", ",") == "0.1,0.1,0.1\n" * 2 + "0.0,0.0,0.0\n"
    assert say("cat", "two.npz::a", "-s", "::-1, 1") == "4.0 1.0\n"
    assert say("cat", "two.npz::a", "-s", "1, 2") == "5.0\n"
    assert say("cat", "two.npz::a", "-s", "None, :, :2") == "0.0 1.0\n3.0 4.0\n"
    assert say("cat", "two.npz", "--open", "name=b") == "0 1 2 3\n"


def test_planes_are_set_apart() -> None:
    assert list(cat.lines(weft.arange(8).reshape((2, 2, 2)))) == ["0 1", "2 3", "", "4 5", "6 7"]
    assert list(cat.lines(weft.zeros((2, 0)))) == ["", ""]
    assert list(cat.lines(weft.zeros((0, 2)))) == []


@pytest.mark.parametrize("shape", [(40,), (8, 5), (2, 4, 5), (2, 2, 2, 5)])
def test_blocks_do_not_show(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    x = weft.arange(40).reshape(shape)
    whole = list(cat.lines(x))
    monkeypatch.setattr(cat, "CELLS", 7)
    assert list(cat.lines(x)) == whole


def test_a_container_becomes_a_container(folder: Path, say) -> None:
    say("convert", "two.npz", "two.safetensors")
    found = weft.open_all("two.safetensors")
    assert {name: x.tolist() for name, x in found.items()} == {"a": [[0, 1, 2], [3, 4, 5]], "b": [0, 1, 2, 3]}
    say("convert", "two.npz::b", "b.npy")
    assert np.load("b.npy").tolist() == [0, 1, 2, 3]


def test_files_are_joined_and_converted(folder: Path, say) -> None:
    say("convert", "p-*.npy", "all.zarr", "--dtype", ">f8", "--save", "chunks=2,2", "--memory", "8GiB")
    x = weft.open("all.zarr")
    assert (x.dtype, x.shape) == (weft.float64, (3, 3))
    assert np.array_equal(x.numpy(), np.concatenate([np.load("p-2.npy"), np.load("p-10.npy")]).astype("f8"))
    assert "big-endian" in say("info", "all.zarr")
    say("convert", "p-2.npy", "p-2.npy", "both.npy", "--stack", "--axis", "-1")
    assert np.load("both.npy").shape == (2, 3, 2)
    say("convert", "cells.bin", "cells.npy", "--open", "dtype=>f4", "--open", "shape=3,4")
    assert np.array_equal(np.load("cells.npy"), np.arange(12, dtype="f4").reshape(3, 4))


def test_explain_computes_nothing(folder: Path, say) -> None:
    text = say("explain", "sum(x[:, 1])", "x=p-*.npy")
    assert "p-2.npy: 8 bytes in 2 reads" in text
    assert say("explain", "sum(x * 2)", "x=p-*.npy", "--html", "page.html") == ""
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "p-10.npy" in page


def test_eval_opens_with_the_options_of_a_format(folder: Path, say) -> None:
    values = ("--open", "dtype=>f4", "--open", "shape=(3, 4)")
    assert say("eval", "sum(x) + sum(y)", "x=cells.bin", "y=p-10.npy", *values) == "66.0\n"


def test_memory_is_that_of_the_work(folder: Path, say) -> None:
    """As `weft.set_memory_limit` has it: less than the program starts with is no fault."""
    assert say("eval", "sum(x)", "x=p-10.npy", "--memory", "1MiB") == "0.0\n"
    assert say("convert", "p-*.npy", "all.npy", "--memory", "100") == ""


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["convert", "two.npz"], 2, "one file is named"),
        (["convert", "two.npz", "x.npy"], 1, ".npy holds one array"),
        (["convert", "two.npz::a", "x.npy", "--dtype", "float99"], 1, "float99"),
        (["convert", "two.npz::a", "x.npy", "--save", "chunks=2,2"], 1, "option 'chunks' is unknown"),
        (["convert", "two.npz::a", "x.npy", "--save", "chunks"], 2, "options are KEY=VALUE"),
        (["cat", "two.npz"], 1, "holds 2 arrays: a, b"),
        (["cat", "two.npz::a", "--open", "nmae=a"], 2, "no format has the option nmae"),
        (["cat", "two.npz::a", "--open", "name=a", "--open", "name=b"], 2, "given twice"),
        (["cat", "two.npz::a", "-s", "9"], 1, "position 9"),
        (["cat", "two.npz::a", "-s", "0], x[1"], 2, "no selection of one tensor"),
        (["cat", "two.npz::a", "-s", "0]("], 2, "column"),
        (["info", "cells.bin"], 1, "give dtype="),
        (["explain", "1 + 1"], 2, "nothing to compute"),
        (["eval", "1 + 1", "--memory", "much"], 1, "'much' is no amount of memory"),
    ],
)
def test_faults(folder: Path, arguments: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == code
    shown = capsys.readouterr()
    assert reason in shown.err
    assert shown.err.count("\n") == 1
    assert not (folder / "x.npy").exists()
