"""Settings: they change cost, never values."""

import tempfile
import threading

import pytest

import weft
from weft.errors import MissingFolderError, ValueRangeError
from weft.runtime.compute import engine
from weft.tensors.tensor import node_of


def test_a_transformer_holds_inside_its_block_and_thread():
    seen = []
    with weft.transformer("reference") as t:
        assert engine.current().name == t.name == "reference"
        other = threading.Thread(target=lambda: seen.append(engine.current().name))
        other.start()
        other.join()
        with weft.transformer("cpu"), t:
            assert engine.current().name == "reference"
        assert engine.current().name == "reference"
    assert engine.current().name == "cpu" and seen == ["cpu"]
    assert repr(t) == "weft.transformer('reference')"


def test_eager_computes_every_operation():
    x = weft.asarray([1.0, 2.0])
    with weft.eager():
        with weft.eager():
            pass
        assert node_of(x * 2).value is not None
    assert node_of(x * 2).value is None


def test_eager_gives_the_same_bits():
    def work():
        x = weft.random.normal((7, 9), seed=1, dtype="float32")
        y = weft.exp(x[::2] @ x.T) / weft.sum(x * x, axis=0)[:7]
        y[0] += 1
        return (y - weft.mean(y, axis=1, keepdims=True)).numpy().tobytes()

    lazy = work()
    with weft.eager():
        assert work() == lazy


def test_compute_stores_all_and_gives_them_back():
    x = weft.arange(4)
    a, b = weft.compute(x * 2, (x + 1)[::2])
    assert node_of(a).value is not None and node_of(b).alias[0].value is not None
    assert (a.tolist(), b.tolist()) == ([0, 2, 4, 6], [1, 3])


def test_threads_are_counted():
    before = weft.get_num_threads()
    try:
        weft.set_num_threads(1)
        assert weft.get_num_threads() == 1
        assert (weft.ones((4, 4)) @ weft.ones((4, 4))).tolist() == [[4.0] * 4] * 4
    finally:
        weft.set_num_threads(before)


def test_programs_have_a_limit():
    before = weft.get_program_limit()
    assert before == 256 << 20
    try:
        weft.set_program_limit("1 MiB")
        assert weft.get_program_limit() == 1 << 20
        assert (weft.arange(5) * 2 + 1).tolist() == [1, 3, 5, 7, 9]
        with pytest.raises(ValueRangeError, match="memory: 'much' is no amount of memory; give bytes"):
            weft.set_program_limit("much")
        with pytest.raises(ValueRangeError, match="memory: 0 is no amount of memory"):
            weft.set_program_limit(0)
    finally:
        weft.set_program_limit(before)


def test_the_scratch_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("WEFT_SCRATCH", raising=False)
    assert weft.get_scratch_folder() == tempfile.gettempdir()
    (tmp_path / "variable").mkdir()
    (tmp_path / "set").mkdir()
    monkeypatch.setenv("WEFT_SCRATCH", str(tmp_path / "variable"))
    assert weft.get_scratch_folder() == str(tmp_path / "variable")
    weft.set_scratch_folder(tmp_path / "set")
    try:
        assert weft.get_scratch_folder() == str(tmp_path / "set")
        (tmp_path / "set").rmdir()
        with pytest.raises(MissingFolderError, match=r"scratch: .*/set: is no folder; .*; make it first"):
            weft.get_scratch_folder()
    finally:
        weft.set_scratch_folder(None)
    assert weft.get_scratch_folder() == str(tmp_path / "variable")


def test_a_scratch_folder_is_looked_at_when_it_is_set(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    before = weft.get_scratch_folder()
    for name in ("file", "missing"):
        with pytest.raises(MissingFolderError, match=f"scratch: {tmp_path / name}: is no folder"):
            weft.set_scratch_folder(tmp_path / name)
    with pytest.raises(ValueRangeError, match="set_scratch_folder: 5 is a int; a folder is named by text"):
        weft.set_scratch_folder(5)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(MissingFolderError, match="cannot be written to; temporary files are; name another folder"):
        weft.set_scratch_folder(tmp_path)
    monkeypatch.undo()
    assert weft.get_scratch_folder() == before
    monkeypatch.setenv("WEFT_SCRATCH", str(tmp_path / "missing"))
    with pytest.raises(MissingFolderError, match="missing: is no folder"):
        weft.get_scratch_folder()
