"""Files that torch writes have the tensors that torch reads."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import weft  # noqa: E402
from weft.errors import FileFormatError  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)
        self.rest = torch.nn.Sequential(torch.nn.BatchNorm2d(8), torch.nn.Linear(8, 2))


def same(x: Any, t: Any) -> None:
    assert (x.dtype.name, x.shape) == (str(t.dtype).removeprefix("torch."), tuple(t.shape))
    bits = t.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    assert x.numpy().tobytes() == bits


@pytest.mark.parametrize("zipped", [True, False])
def test_a_model(tmp_path: Path, zipped: bool) -> None:
    net = Net()
    torch.save(net.state_dict(), tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    found = weft.open_all(tmp_path / "a.pt")
    assert list(found) == list(net.state_dict())
    for name, t in net.state_dict().items():
        same(found[name], t)


def test_a_pickled_module_needs_no_code_of_its_own(tmp_path: Path) -> None:
    net = Net()
    torch.save(net, tmp_path / "a.pt")
    found = weft.open_all(tmp_path / "a.pt")
    assert set(found) == set(net.state_dict())
    for name, t in net.state_dict().items():
        same(found[name], t)


def test_a_checkpoint(tmp_path: Path) -> None:
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    sum(p.square().sum() for p in net.parameters()).backward()
    optimizer.step()
    saved = {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
    torch.save(saved, tmp_path / "a.ckpt")
    same(weft.open(tmp_path / "a.ckpt", name="model/conv.bias"), net.conv.bias)
    same(weft.open(f"{tmp_path}/a.ckpt::optimizer/state/0/exp_avg"), optimizer.state_dict()["state"][0]["exp_avg"])


DTYPES = [
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_and_layouts(tmp_path: Path, dtype: str) -> None:
    t = (torch.arange(60).reshape(3, 4, 5) % 3).to(getattr(torch, dtype))
    views = [
        t,
        t.permute(2, 0, 1),
        t[1:, ::2, 3],
        t[:1].expand(2, 4, 5),
        t[0, 0, 0],
        t[:, :0],
        torch.nn.Parameter(t, False),
    ]
    torch.save(views, tmp_path / "a.pt")
    for k, view in enumerate(views):
        same(weft.open(tmp_path / "a.pt", name=str(k)), view)


def test_what_is_not_dense_is_refused(tmp_path: Path) -> None:
    torch.save({"sparse": torch.eye(3).to_sparse(), "w": torch.ones(2)}, tmp_path / "a.pt")
    assert list(weft.open_all(tmp_path / "a.pt")) == ["w"]
    with pytest.raises(FileFormatError, match="'sparse' is what torch makes with _rebuild_sparse_tensor"):
        weft.open(tmp_path / "a.pt", name="sparse")


def test_bytes_in_memory() -> None:
    buffer = io.BytesIO()
    torch.save({"w": torch.arange(3)}, buffer)
    buffer.seek(0)
    np.testing.assert_array_equal(weft.open(buffer, format="torch").numpy(), [0, 1, 2])
