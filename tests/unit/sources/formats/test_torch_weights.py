"""Files of torch.save, made here without torch: values, layouts, and pickles that would run programs."""

from __future__ import annotations

import io
import os
import pickle
import struct
import sys
import tracemalloc
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import FileFormatError, WeftError
from weft.sources.formats.inert_pickle import PickleError, RecordedCall, read_pickle

KINDS = {
    "f4": "FloatStorage",
    "f8": "DoubleStorage",
    "i8": "LongStorage",
    "?": "BoolStorage",
    "c8": "ComplexFloatStorage",
}


class Stored:
    """Cells, as torch's storages hold them."""

    def __init__(self, cells: Any) -> None:
        self.cells = np.asarray(cells)


class Laid:
    """A tensor by storage, offset, shape and strides in cells."""

    def __init__(self, storage: Stored, offset: int, shape: Any, strides: Any, function: Any = None) -> None:
        self.args = (storage, offset, shape, strides, False, {})
        self.function = function

    def __reduce__(self) -> Any:
        return (sys.modules["torch._utils"]._rebuild_tensor_v2, self.args)


@pytest.fixture(autouse=True)
def _torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names by which torch's functions can be pickled."""
    for name in ("torch", "torch._utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for module, names in {"torch": KINDS.values(), "torch._utils": ["_rebuild_tensor_v2", "_rebuild_qtensor"]}.items():
        for name in names:
            thing = type(name, (), {"__module__": module}) if module == "torch" else _function(module, name)
            setattr(sys.modules[module], name, thing)


def _function(module: str, name: str) -> Any:
    def function() -> None: ...

    function.__module__, function.__qualname__, function.__name__ = module, name, name
    return function


class Saving(pickle.Pickler):
    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=2)
        self.storages: list[Stored] = []

    def persistent_id(self, thing: Any) -> Any:
        if not isinstance(thing, Stored):
            return None
        if thing not in self.storages:
            self.storages.append(thing)
        kind = getattr(sys.modules["torch"], KINDS[thing.cells.dtype.str.lstrip("<>|=").replace("b1", "?")])
        return ("storage", kind, str(self.storages.index(thing)), "cpu", thing.cells.size)


def save(path: Path, value: Any, *, big: bool = False, compression: int = zipfile.ZIP_STORED, **members: bytes) -> Path:
    """Write what torch.save writes."""
    pickled = io.BytesIO()
    pickler = Saving(pickled)
    pickler.dump(value)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("a/data.pkl", members.get("pickled", pickled.getvalue()))
        archive.writestr("a/byteorder", "big" if big else "little")
        for k, storage in enumerate(pickler.storages):
            cells = storage.cells.astype(storage.cells.dtype.newbyteorder(">" if big else "<"))
            archive.writestr(f"a/data/{k}", members.get("data", cells.tobytes()))
    return path


def whole(cells: Any) -> Laid:
    cells = np.ascontiguousarray(cells)
    return Laid(Stored(cells.ravel()), 0, cells.shape, tuple(s // cells.itemsize for s in cells.strides))


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options).numpy()
    return str(caught.value)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("dtype", KINDS)
def test_a_state_dict(tmp_path: Path, dtype: str, big: bool) -> None:
    a, b = (np.arange(12) % 5).reshape(3, 4).astype(dtype), np.ones(3, dtype)
    path = save(tmp_path / "a.pt", {"layer.weight": whole(a), "layer.bias": whole(b), "epoch": 3}, big=big)
    found = weft.open_all(path)
    assert list(found) == ["layer.weight", "layer.bias"]
    np.testing.assert_array_equal(found["layer.weight"].numpy(), a)
    np.testing.assert_array_equal(found["layer.weight"][1:, ::-2].numpy(), a[1:, ::-2])
    assert found["layer.bias"].dtype.np == b.dtype
    assert refused(path).startswith(f"open: {path}: holds 2 arrays: layer.weight, layer.bias; one is wanted")


def test_names_of_nested_values(tmp_path: Path) -> None:
    value = {"model": {"w": whole([1.0])}, "steps": [whole([2.0]), (whole([3.0]), "text")], 7: whole([4.0])}
    found = weft.open_all(save(tmp_path / "a.pt", value))
    assert {name: x.item() for name, x in found.items()} == {"model/w": 1, "steps/0": 2, "steps/1/0": 3, "7": 4}


def test_a_tensor_alone(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pth", whole(np.eye(2)))
    assert weft.open(path).tolist() == [[1, 0], [0, 1]]
    assert list(weft.open_all(path)) == [""]


def test_layouts(tmp_path: Path) -> None:
    cells = Stored(np.arange(60.0))
    layouts = {
        "whole": (0, (3, 4, 5), (20, 5, 1)),
        "transposed": (0, (5, 4, 3), (1, 5, 20)),
        "permuted": (0, (4, 3, 5), (5, 20, 1)),
        "part": (7, (2, 3), (20, 5)),
        "steps": (1, (3, 2, 2), (20, 10, 2)),
        "turned steps": (1, (2, 3, 2), (2, 20, 10)),
        "one": (59, (), ()),
        "ones": (4, (1, 1), (0, 9)),
        "expanded": (2, (3, 4), (0, 5)),
        "expanded scalar": (2, (3, 4), (0, 0)),
        "windows": (0, (4, 3), (1, 1)),
        "empty": (0, (0, 3), (3, 1)),
    }
    path = save(tmp_path / "a.pt", {name: Laid(cells, *layout) for name, layout in layouts.items()})
    for name, (offset, shape, strides) in layouts.items():
        part = cells.cells[offset:]
        wanted = np.lib.stride_tricks.as_strided(part, shape, [8 * s for s in strides])
        x = weft.open(path, name=name)
        assert x.shape == shape
        np.testing.assert_array_equal(x.numpy(), wanted, err_msg=name)
        if len(shape) > 1:
            np.testing.assert_array_equal(x[::-1, 1:].numpy(), wanted[::-1, 1:], err_msg=name)


def test_exact_bytes_are_read(tmp_path: Path, reads: list[int]) -> None:
    path = save(tmp_path / "a.pt", {"a": whole(np.arange(10_000.0)), "b": whole(np.ones(10))})
    assert weft.open(path, name="a")[100:103].tolist() == [100, 101, 102]
    assert reads == [24]


def old(path: Path, value: Any, *, magic: int = 0x1950A86A20F9469CFC6C) -> Path:
    """Write what torch.save wrote before 2020."""
    with open(path, "wb") as file:
        for each in (magic, 1001, {"protocol_version": 1001, "little_endian": True, "type_sizes": {}}):
            pickle.dump(each, file, protocol=2)
        pickler = Saving(file)
        pickler.dump(value)
        pickle.dump([str(k) for k in range(len(pickler.storages))], file, protocol=2)
        for storage in pickler.storages:
            file.write(struct.pack("<q", storage.cells.size) + storage.cells.tobytes())
    return path


def test_files_of_before_2020(tmp_path: Path) -> None:
    path = old(tmp_path / "a.pth", {"a": whole(np.arange(6).reshape(2, 3)), "b": whole(np.ones(3, "f4"))})
    found = weft.open_all(path)
    assert {name: x.tolist() for name, x in found.items()} == {"a": [[0, 1, 2], [3, 4, 5]], "b": [1, 1, 1]}
    whole_file = path.read_bytes()
    path.write_bytes(whole_file[:-1])
    assert "storage '1' needs 12 bytes, 11 are there" in refused(path, name="a")
    assert "does not begin as torch.save begins it" in refused(old(path, {}, magic=7))


def test_old_files_count_untyped_storages_in_bytes(tmp_path: Path) -> None:
    def tensor(key: bytes, n: int) -> bytes:
        storage = b"(U\x07storagectorch.storage\nUntypedStorage\nU\x01" + key + b"U\x03cpuK\x04tQ"
        layout = b"K\x00K" + bytes([n]) + b"\x85K\x01\x85\x89N"
        return b"ctorch._utils\n_rebuild_tensor_v3\n(" + storage + layout + b"ctorch\nuint16\ntR"

    path = tmp_path / "a.pth"
    heads = b"".join(pickle.dumps(each, 2) for each in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))
    pickles = b"\x80\x02}(K\x00" + tensor(b"0", 2) + b"K\x01" + tensor(b"1", 2) + b"u." + pickle.dumps(["0", "1"], 2)
    cells = [struct.pack("<qHH", 4, *values) for values in ((1, 2), (3, 4))]
    path.write_bytes(heads + pickles + b"".join(cells))
    assert {name: x.tolist() for name, x in weft.open_all(path).items()} == {"0": [1, 2], "1": [3, 4]}


# ---- pickles that would run programs


class Runs:
    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("write", [save, old], ids=["zip", "old"])
def test_nothing_is_called(tmp_path: Path, write: Any) -> None:
    mark = tmp_path / "mark"
    value = {
        "w": whole([1.0]),
        "x": Runs(os.system, (f"touch {mark}",)),
        "y": Runs(eval, (f"open({str(mark)!r}, 'w')",)),
    }
    found = weft.open_all(write(tmp_path / "a.pt", value))
    assert {name: x.tolist() for name, x in found.items()} == {"w": [1.0]}
    assert not mark.exists()


def test_nothing_is_imported(tmp_path: Path) -> None:
    text = b"cnot_there_at_all.module\nfunction\n(I1\ntR."
    made = read_pickle(io.BytesIO(text))
    assert isinstance(made, RecordedCall)
    assert (made.function, made.arguments) == (("not_there_at_all.module", "function"), (1,))
    assert not [name for name in sys.modules if name.startswith("not_there_at_all")]
    assert "holds no array that weft can read" in refused(save(tmp_path / "a.pt", None, pickled=text))


@pytest.mark.parametrize("protocol", range(6))
def test_plain_data_of_every_protocol(protocol: int) -> None:
    shared = ["é", b"\xff", 2**70, -1.5, True, None, (), (1,), (1, 2, 3, 4), {"k": {1, 2}}, frozenset([3])]
    value = [shared, shared, {"a": {"b": list(range(2000))}}, bytearray(b"x"), 70_000, -1, 300]
    found = read_pickle(io.BytesIO(pickle.dumps(value, protocol)))
    if protocol >= 5:  # earlier protocols spell sets, bytes and the like as calls
        assert found == value
    assert found[0] is found[1]
    assert found[2] == value[2]
    assert found[4:] == value[4:]


@pytest.mark.parametrize(
    "text",
    [b"", b".", b"(", b"I1\n", b"t.", b"a.", b"h\x01.", b"0.", b"I1\n\x85a.", b"}(I1\nu.", b"]I1\nI2\ns.", b"R.",
     b"}]I1\ns.",
     b"\x82\x01.", b"q\x00.", b"\x8b\xff\xff\xff\x7f.", b"X\xff\xff\xff\xffa.", b"Ixyz\n.", b"(I1\nI2\n."],
)  # fmt: skip
def test_damaged_pickles(text: bytes) -> None:
    with pytest.raises(PickleError):
        read_pickle(io.BytesIO(text))


# ---- bad files


def test_faults(tmp_path: Path) -> None:
    path, cells = tmp_path / "a.pt", Stored(np.arange(6.0))
    beyond = {
        "past": (0, (7,), (1,)),
        "offset": (6, (1,), (1,)),
        "before": (-1, (2,), (1,)),
        "steps": (0, (2, 2), (5, 1)),
    }
    save(path, {name: Laid(cells, *layout) for name, layout in beyond.items()})
    for name in beyond:
        assert f"tensor '{name}' reaches to byte" in refused(path, name=name)
    save(path, {"a": Laid(cells, 0, (2**40, 2**40), (0, 0))})
    assert "more than any memory holds" in refused(path)
    save(path, {"a": Laid(cells, 0, ("x",), (1,))})
    assert "tensor 'a' is described by what _rebuild_tensor_v2 does not take" in refused(path)
    save(path, {"a": whole([1.0])}, data=b"1234")
    assert "reaches to byte 8 of a storage of 4" in refused(path)
    save(path, {"a": whole(np.zeros(1000))}, compression=zipfile.ZIP_DEFLATED)
    assert "is compressed" in refused(path)
    path.write_bytes(b"nothing of the kind")
    assert f"torch: {path}: its pickle" in refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x")
    assert "is an archive without data.pkl; it was not written by torch.save" in refused(path)
    assert "has no array 'z'; holds 1 arrays: a" in refused(save(path, {"a": whole([1.0])}), name="z")


def test_a_sparse_or_quantized_tensor_has_a_reason(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pt", {"q": Runs(sys.modules["torch._utils"]._rebuild_qtensor, (1,)), "w": whole([1.0])})
    assert list(weft.open_all(path)) == ["w"]
    assert "'q' is what torch makes with _rebuild_qtensor; weft reads dense tensors" in refused(path, name="q")


def test_values_that_hold_themselves(tmp_path: Path) -> None:
    loop: list[Any] = [whole([1.0])]
    loop.append(loop)
    with pytest.raises(FileFormatError, match=r"holds 2.. arrays|holds more than"):
        weft.open(save(tmp_path / "a.pt", loop))


def test_texts_with_unknown_escapes_give_no_warning() -> None:
    assert read_pickle(io.BytesIO(b"S'\\q'\n.")) == "\\q"


def test_flipped_bytes(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pt", {"a": whole(np.arange(6.0)), "b": [whole([1.0])]})
    data = path.read_bytes()
    for at in range(len(data)):
        for mask in (0x01, 0x5A):
            changed = bytearray(data)
            changed[at] ^= mask
            path.write_bytes(changed)
            os.utime(path, ns=(0, 1000 * at + mask))  # another file, however fast the clock ticks
            try:
                [x.numpy() for x in weft.open_all(path).values()]
            except WeftError as error:
                assert str(path) in str(error)


def nested(n: int) -> bytes:
    """Return steps that push n tuples, each in the next."""
    return b"N" + b"\x85" * n


def doubled(n: int) -> bytes:
    """Return steps that push a tuple of 2**n values, of which n + 1 are stored."""
    return b"N" + b"2\x86" * n


KEYS = {"deep": nested(300_000), "wide": doubled(80)}
PLACES = {  # the steps before a key and behind it
    "setitem": (b"}", b"Ns"),
    "setitems": (b"}(", b"Nu"),
    "dict": (b"(", b"Nd"),
    "additems": (b"\x8f(", b"\x90"),
    "frozenset": (b"(", b"\x91"),
    "ordered": (b"ccollections\nOrderedDict\n](", b"N\x86\x85e\x85R"),
}


@pytest.mark.parametrize(("key", "place"), in_turn(KEYS, PLACES, every=2))
def test_keys_of_many_parts_are_not_hashed(key: str, place: str) -> None:
    before, after = PLACES[place]
    with pytest.raises(PickleError):
        read_pickle(io.BytesIO(b"\x80\x04" + before + KEYS[key] + after + b"."))


def test_small_keys_and_sets_are_read() -> None:
    value = {(1, (2.5, "a")): {b"a", (3,), frozenset([4])}, None: 1, **{(k, k, k): k for k in range(2000)}}
    assert read_pickle(io.BytesIO(pickle.dumps(value, 4))) == value


def test_recorded_calls_share_their_arguments() -> None:
    calls = 100
    text = b"\x80\x04(" + b"N" * 100_000 + b"tq\x00](" + b"cos\nsystem\nh\x00R" * calls + b"e."
    found = read_pickle(io.BytesIO(text))
    assert len(found) == calls and len({id(made.arguments) for made in found}) == 1


def test_results_of_calls_may_be_called() -> None:
    found = read_pickle(io.BytesIO(b"\x80\x02cos\nsystem\n)RK\x01\x85R."))
    assert found.function.function.name == "system" and found.arguments == (1,)


REBUILD = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n"
STORAGE = b"(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x01"
HUGE = b"L" + b"9" * 4000 + b"L\n"


@pytest.mark.parametrize(
    "pickled",
    {
        "described by a tree": REBUILD + b"(NN" + doubled(60) + b"NtR.",
        "storage of a tree": REBUILD + b"((" + doubled(60) + b"NNNNtQNNNtR.",
        "huge sizes": REBUILD + b"(" + STORAGE + b"tQK\x00" + HUGE + b"\x85" + HUGE + b"\x85tR.",
        "no whole offset": REBUILD + b"(" + STORAGE + b"(NF1.5\nttQK\x00)\x29tR.",
        "type without values": b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n)R.",
        "type in itself": b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n(2N]q\x01(2Nh\x01etR.",
        "parameter without values": b"\x80\x02ctorch._utils\n_rebuild_parameter\n)R.",
        "parameters in parameters": b"\x80\x02" + b"ctorch._utils\n_rebuild_parameter\n" * 5000 + b"N" + b"\x85R" * 5000
        + b".",
        "huge number for a name": b"\x80\x02}\x8b\x00\x00\x01\x00" + b"\x7f" * 65536 + REBUILD[2:] + b")Rs.",
    }.items(),
    ids=lambda item: item[0],
)  # fmt: skip
def test_damaged_descriptions_of_tensors(tmp_path: Path, pickled: tuple[str, bytes]) -> None:
    assert str(tmp_path) in refused(save(tmp_path / "a.pt", {}, pickled=pickled[1]))


def test_long_keys_take_little_memory(tmp_path: Path) -> None:
    pickled = b"\x80\x02}X" + struct.pack("<I", 1 << 20) + b"k" * (1 << 20) + b"](" + b"N" * 50_000 + b"es."
    path = save(tmp_path / "a.pt", {}, pickled=pickled)
    tracemalloc.start()
    try:
        refused(path)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
