"""The command as a user runs it: a process, its output, its errors on one line, its exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weft.cli.main import run

COMMAND = [sys.executable, "-m", "weft"]


def weft(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False, **options)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    a = np.arange(24.0).reshape(4, 6)
    np.save(folder / "a.npy", a)
    np.save(folder / "b.npy", np.asfortranarray(a[::-1].astype(">f4")))
    for i in (1, 2, 10):
        np.save(folder / f"part-{i}.npy", np.full((i, 3), i, ">i2" if i == 2 else "<i4"))
    return folder


def test_a_number(files: Path) -> None:
    done = weft("eval", "sum(a * b) / 2", f"a={files}/a.npy", f"b={files}/b.npy")
    a = np.arange(24.0).reshape(4, 6)
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout) == (a * a[::-1]).sum() / 2


def test_a_file(files: Path, tmp_path: Path) -> None:
    done = weft("eval", "(exp(a) - b)[1:, ::2]", f"a={files}/a.npy", f"b={files}/b.npy", "-o", f"{tmp_path}/out.npy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    a = np.arange(24.0).reshape(4, 6)
    got = np.load(tmp_path / "out.npy")
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, (np.exp(a) - a[::-1])[1:, ::2], rtol=1e-15)
    assert os.listdir(tmp_path) == ["out.npy"]


def test_many_files_of_one_name(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = weft("eval", "x", f"x={files}/part-*.npy", "-o", f"{tmp_path}/x.npy")
    assert (done.returncode, done.stderr) == (0, "")
    got = np.load(tmp_path / "x.npy")
    assert (got.dtype, got.shape) == (np.int32, (13, 3))
    assert got[:, 0].tolist() == [1] + [2] * 2 + [10] * 10
    assert run(["eval", "x.shape", f"x={files}/a.npy", f"x={files}/b.npy", "--axis", "1"]) == 0
    assert capsys.readouterr().out == "4\n12\n"


def test_explain(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "sum(x * 2)", f"x={files}/part-*.npy", "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "0 bytes of temporaries" in shown
    assert shown.splitlines()[-1] == str(2 * (3 * 1 + 6 * 2 + 30 * 10))


def test_info(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = weft("info", f"{files}/b.npy")
    assert done.stdout == f"{files}/b.npy: float32[4, 6], big-endian, F order, 96 bytes from byte 128\n"
    assert run(["info", f"{files}/part-2.npy", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["dtype"], facts["shape"], facts["byteorder"]) == ("int16", [2, 3], "big")


def test_a_leading_minus(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "-sum(a)", f"a={files}/a.npy"]) == 0
    assert capsys.readouterr().out == "-276.0\n"


def test_several_results(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "min(a), max(a)", f"a={files}/a.npy"]) == 0
    assert capsys.readouterr().out == "0.0\n23.0\n"


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["eval", "sum(a) + foo", "a={}/a.npy"], 2, "column 10: unknown name 'foo'"),
        (["eval", "__import__('os')"], 2, "unknown name '__import__'"),
        (["eval", "compute(a)", "a={}/a.npy"], 2, "unknown name 'compute'"),
        (["eval", "a", "a={}/none.npy"], 1, "none.npy: cannot be opened: no such file"),
        (["eval", "a", "a={}/short.npy"], 1, "needs 192 bytes, 72 follow the header"),
        (["eval", "a", "a={}/objects.npy"], 1, "would run code"),
        (["eval", "a", "a={}/a.txt"], 1, "names no known format"),
        (["eval", "a + a[0, :5]", "a={}/a.npy"], 1, "do not broadcast"),
        (["eval", "a[9]", "a={}/a.npy"], 1, "9"),
        (["eval", "a", "a={}/a.npy", "-o", "{}/out.txt"], 1, "names no known format"),
        (["eval", "a", "a={}/a.npy", "-o", "{}/none/out.npy"], 1, "no such file or directory"),
        (["eval", "a", "a.npy"], 2, "name=FILE"),
        (["eval", "a", "a={}/a.npy", "--open", "dtype=f4"], 2, "dtype is no option of the format of"),
        (["eval", "1", "--open", "dtype=f4"], 2, "dtype is no option of the format of no file"),
        (["cat", "{}/a.npy", "--open", "name=b"], 2, "name is no option of the format of"),
        (["info", "{}/a.npy", "--open", "hdu=1"], 2, "hdu is no option of the format of"),
        (["convert", "{}/a.npy", "{}/c.npy", "--open", "shape=3"], 2, "shape is no option of the format of"),
        (["eval", "a", "a={}/a.npy", "--explian"], 2, "name=FILE"),
    ],
)
def test_faults_are_one_line(
    files: Path, arguments: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "short.npy").write_bytes((files / "a.npy").read_bytes()[:200])
    np.save(files / "objects.npy", np.array([{}], object))
    assert run([a.replace("{}", str(files)) for a in arguments]) == code
    shown = capsys.readouterr()
    assert reason in shown.err
    assert shown.out == ""
    assert shown.err.startswith("weft: ")
    assert shown.err.count("\n") == 1


def test_a_fault_in_a_process(files: Path) -> None:
    done = weft("eval", "a + b", f"a={files}/none.npy")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("weft: npy: ")
    assert done.stderr.count("\n") == 1


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert weft("--version").stdout.startswith("weft 0.")
    assert run(["--help"]) == 0
    assert "eval" in capsys.readouterr().out
    assert run(["nothing"]) == 2
    assert run(["eval"]) == 2


@pytest.mark.parametrize(
    "command",
    [
        *("eval a a={}/a.npy", "cat {}/long.npy"),
        *(pytest.param(f"{name} {{}}/a.npy", marks=pytest.mark.slow) for name in ("cat", "info")),
    ],
)
def test_a_closed_pipe_is_no_failure(files: Path, command: str) -> None:
    np.save(files / "long.npy", np.ones((3000, 20)))
    shown = subprocess.Popen(
        [*COMMAND, *command.format(files).split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip
    assert shown.stdout is not None
    shown.stdout.close()
    assert shown.wait(60) == 0
    assert shown.stderr is not None
    assert shown.stderr.read() == b""
    shown.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no disk that is always full")
@pytest.mark.parametrize("command", ["eval a a={}/a.npy", "cat {}/long.npy"])
def test_output_that_cannot_be_written(files: Path, command: str) -> None:
    np.save(files / "long.npy", np.ones((3000, 20)))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *command.format(files).split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "weft: standard output: no space left on device; check the folder and its free space\n"


def test_a_folder_that_cannot_be_made(files: Path) -> None:
    done = weft("demo", "--folder", f"{files}/a.npy")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"weft: {files}/a.npy: file exists")


def test_more_than_all_memory() -> None:
    done = weft("eval", "sum(arange(10**18))")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("weft: compute: memory for the parts of a reduction; ")
    assert done.stderr.count("\n") == 1


def _seconds_used(process: int) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc says how far a process is")
def test_interrupt(tmp_path: Path, interruptible: None) -> None:
    np.save(tmp_path / "big.npy", np.ones((2_000_000,)))
    text = "+".join(f"sum(sin(x*{k}))" for k in range(1, 55))
    process = subprocess.Popen(
        [*COMMAND, "eval", f"sum(cumulative_sum(x)[:, None] * x) + {text}", f"x={tmp_path}/big.npy"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    end, compiles, begun = time.monotonic() + 60, False, 0.0
    while (not compiles or _seconds_used(process.pid) < begun + 1.5) and time.monotonic() < end:
        time.sleep(0.05)
        if not compiles and "llvmlite" in Path(f"/proc/{process.pid}/maps").read_text():
            compiles, begun = True, _seconds_used(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)  # it would compute for hours
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_demo(tmp_path: Path) -> None:
    done = weft("demo", "--folder", str(tmp_path / "demo"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "temporaries 0" in done.stdout
    assert "accuracy: 0.8694 (313 of 360" in done.stdout
    assert "every digit is named alike" in done.stdout
    assert (tmp_path / "demo" / "class-means.png").read_bytes().startswith(b"\x89PNG")


def test_a_missing_extra_is_named() -> None:
    code = "import sys; sys.modules['typer'] = None; from weft.cli.main import main; main(['info'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "weft: the command line needs typer; it comes with the extra: pip install 'weft[cli]'\n"
