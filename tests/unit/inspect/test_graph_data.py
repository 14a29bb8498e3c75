"""Graphs as data: every operation goes through text and JSON, and faults in what is read are told."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import DTypeError, ExpressionError, FileFormatError, ValueRangeError
from weft.ir.graph import attributes, graph_json
from weft.ir.graph import node as ir
from weft.ir.graph.graph_json import faults
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import ACCEPTS, OPS, Op, resolve
from weft.tensors.tensor import Tensor, node_of, wrap


def cells(dtype: str = "float64") -> Tensor:
    return weft.asarray(np.arange(1, 13).reshape(3, 4).astype(dtype))


def square() -> Tensor:
    return weft.asarray(np.array([[4.0, 1.0], [1.0, 3.0]]))


def blocks() -> Tensor:
    return weft.map_blocks(np.sqrt, cells(), dtype="float64")


def with_mode() -> Tensor:
    return weft.sqrt(cells(), mode="error")


NUMBERS = {"bool": "bool", "int": "int32", "uint": "uint16", "float": "float32", "complex": "complex64"}
OTHERS: dict[str, Callable[[], Any]] = {
    "scalar": lambda: cells() + 2.5,
    "placeholder": lambda: weft.placeholder((3,), name='a "name"\n'),
    "iota": lambda: weft.iota((2, 3), axis=1),
    "where": lambda: weft.where(cells() > 4, cells(), -cells()),
    "astype": lambda: cells().astype("float8_e4m3fn"),
    "complex": lambda: weft.isclose(cells(), 1) | (weft.round(cells("complex128"), decimals=1) == 0),
    "philox": lambda: weft.random.normal((2, 3), seed=7),
    "checked": with_mode,
    "gather": lambda: cells()[[0, 2, 2], 1:],
    "permute": lambda: cells().T,
    "flip": lambda: weft.flip(cells(), axis=1),
    "expand_dims": lambda: cells()[:, None],
    "squeeze": lambda: weft.squeeze(weft.ones((1, 2)), axis=0),
    "reshape": lambda: [cells().reshape(12), (cells() + 1).T.reshape(12)],
    "broadcast_to": lambda: weft.broadcast_to(cells(), (2, 3, 4)),
    "slice": lambda: cells()[1:, ::2],
    "index": lambda: cells()[1],
    "window": lambda: weft.sliding_window_view(cells(), 2, axis=1),
    "diagonal": lambda: weft.diagonal(cells(), offset=1),
    "roll": lambda: weft.roll(cells(), (1, 2), axis=(0, 1)),
    "tile": lambda: weft.tile(cells(), (2, 1)),
    "repeat": lambda: weft.repeat(cells(), 2, axis=1),
    "translate": lambda: cells().translate((-1, 5)),
    "concat": lambda: weft.concat([cells(), cells("float64") * 2]),
    "interleave": lambda: weft.interleave([cells(), cells()]),
    "overlay": lambda: [weft.overlay([cells(), cells().translate(2)], fill=0), weft.overlay([cells()])],
    "pad": lambda: [weft.pad(cells(), 2), weft.pad(cells(), 2, mode="reflect")],
    "var": lambda: weft.var(cells(), axis=0, correction=1),
    "cumulative_sum": lambda: weft.cumulative_sum(cells(), axis=1, include_initial=True),
    "cumulative_prod": lambda: weft.cumulative_prod(cells(), axis=0),
    "cumulative_max": lambda: weft.cumulative_max(cells(), axis=0),
    "cumulative_min": lambda: weft.cumulative_min(cells(), axis=1),
    "bin_counts": lambda: weft.bincount(cells("int64").reshape(12), minlength=20),
    "bin_sums": lambda: weft.bincount(cells("int64").reshape(12), weights=weft.ones(12)),
    "matmul": lambda: cells() @ cells().T,
    "sort": lambda: weft.sort(cells(), axis=0, descending=True),
    "argsort": lambda: weft.argsort(cells()),
    "searchsorted": lambda: weft.searchsorted(weft.asarray([1.0, 5.0]), cells(), side="right"),
    "gcd": lambda: weft.gcd(cells("int32"), cells("int32")),
    "lcm": lambda: weft.lcm(cells("int32"), cells("int32")),
    "transfer": lambda: cells().to_device(weft.device("thread", 0)) + 1,
    "scatter_add": lambda: wrap(
        ir.make(OPS["scatter_add"], (node_of(cells()), node_of(weft.asarray([0, 0, 1]))), (2,),
                ir.result(dt.float64, (2, 4)))
    ),
    "cholesky": lambda: weft.linalg.cholesky(square(), upper=True),
    "det": lambda: weft.linalg.det(square()),
    "inv": lambda: weft.linalg.inv(square()),
    "solve": lambda: weft.linalg.solve(square(), square()),
    "eigvalsh": lambda: weft.linalg.eigvalsh(square()),
    "svdvals": lambda: weft.linalg.svdvals(square()),
    "eigvals": lambda: weft.linalg.eigvals(square()),
    "slogdet": lambda: weft.linalg.slogdet(square())[1],
    "eigh": lambda: weft.linalg.eigh(square())[0],
    "qr": lambda: weft.linalg.qr(square(), mode="complete")[1],
    "svd": lambda: weft.linalg.svd(square(), full_matrices=False)[1],
    "eig": lambda: weft.linalg.eig(square())[0],
    "fft": lambda: [weft.fft.fft(cells("complex64")), weft.fft.ifft(cells("complex64"), axis=0)],
    "rfft": lambda: weft.fft.rfft(cells(), n=3, norm="ortho"),
    "irfft": lambda: weft.fft.irfft(cells("complex64")),
    "map_blocks": blocks,
    "freed": lambda: wrap(ir.make(OPS["freed"], (), (), ir.result(dt.int8, (2,)))),
}  # fmt: skip
APART = {"leaf", "file"}  # every expression has leaves; files have a test of their own


def expression_of(op: Op) -> list[Tensor]:
    """Return expressions with nodes of an op."""
    if op.name in OTHERS:
        made = OTHERS[op.name]()
        return made if isinstance(made, list) else [made]
    kinds = ACCEPTS[op.accepts]
    dtype = NUMBERS["float" if "float" in kinds else kinds[0]]
    if op.kind == "reduce":
        return [wrap(ir.make(op, (n,), ((0,), True), d)) for n, d in [reduced(op, node_of(cells(dtype)))]]
    assert op.kind == "elementwise", f"{op.name} has no expression in OTHERS"
    return [wrap(ir.elementwise(op, *[node_of(cells(dtype)) for _ in range(op.arity)]))]


def reduced(op: Op, n: Node) -> tuple[Node, Any]:
    """Return the operand of a reduction of rows in its dtype, and the description of the result."""
    compute, out = resolve(op, n.desc.dtype)
    return (n if op.rule == "sum" else ir.astype(n, compute)), ir.result(out, (1, 4))


@for_each("name", [name for name in OPS if name not in APART and "." not in name])
def test_every_operation_goes_through_text_and_json(name: str) -> None:
    expressions = expression_of(OPS[name])
    assert name in {n.op.name for n in walk([node_of(t) for t in expressions])}
    for level in ("graph", "json"):
        text = weft.show(expressions, level)
        found = weft.parse(text, weft.leaves_of(expressions))
        again = list(found) if isinstance(found, tuple) else [found]
        assert weft.show(again, level) == text
        assert weft.digest(again) == weft.digest(expressions)
        if name not in ("placeholder", "freed"):
            for a, b in zip(again, expressions, strict=True):
                np.testing.assert_array_equal(dt.widened(a.numpy()), dt.widened(b.numpy()))
    assert json.loads(weft.show(expressions, "json"))["format"] == "weft-graph"


_REAL = [1.5, -0.0, float("inf"), -float("inf"), float("nan"), 1e-323, 7]
VALUES: dict[str, list[Any]] = {
    "bool": [True, False],
    "int": [0, -7, 127],
    "uint": [0, 255],
    "float": _REAL,
    "complex": [1.5, 7, *[complex(a, b) for a in (*_REAL, 0.0) for b in (*_REAL, 0.0)]],
}


@for_each("dtype", dt.ALL)
def test_numbers_and_cells_of_every_dtype_are_kept(dtype: dt.DType) -> None:
    scalars = [wrap(ir.scalar(x, dtype)) for x in VALUES[dtype.kind]]
    stored = weft.asarray(np.arange(1, 7).reshape(2, 3).T).astype(dtype).realize()
    for level in ("graph", "json"):
        text = weft.show([*scalars, stored], level, embed=100)
        again = weft.parse(text)
        assert isinstance(again, tuple) and weft.show(again, level, embed=100) == text
        assert dt.widened(again[-1].numpy()).tolist() == dt.widened(stored.numpy()).tolist()
        for a, b in zip(again[:-1], scalars, strict=True):
            assert repr(node_of(a).attrs) == repr(node_of(b).attrs) and a.dtype is b.dtype


@pytest.mark.parametrize("embed", [0, 1000])
def test_layouts_are_kept(embed: int) -> None:
    a = np.arange(24, dtype=">i4").reshape(4, 6)
    x = weft.asarray(a[::2, ::-1].T)
    y = weft.constant([1, 2]).translate(5)
    for level in ("graph", "json"):
        text = weft.show([x, y], level, embed=embed)
        again = weft.parse(text, weft.leaves_of([x, y], embed=embed))
        assert isinstance(again, tuple)
        assert [t.tolist() for t in again] == [x.tolist(), y.tolist()]
        assert again[1].domain == y.domain and node_of(again[1]).desc.read_only
        assert again[0].byteorder == "big" and (embed or again[0].strides == x.strides)


def test_what_lies_on_devices_is_left_out() -> None:
    x = weft.asarray([1.0, 2.0]).to_device(weft.device("thread", 0)).realize()
    text = weft.show(x * 2, "json", embed=100)
    again = weft.parse(text, weft.leaves_of(x * 2, embed=100))
    assert again.device == x.device and again.tolist() == [2, 4]


def test_gradients_flow_into_leaves() -> None:
    w = weft.asarray([1.0, 2.0]).requires_grad_()
    weft.parse(weft.show((w * w).sum(), "json"), [w]).backward()
    assert w.grad is not None and w.grad.tolist() == [2, 4]


def test_results_are_over_the_leaves_themselves() -> None:
    x = weft.asarray([1.0, 2.0, 3.0])
    text = weft.show(x[1:], "json")
    pending = weft.parse(text, [x * 2])
    y = weft.parse(text, {"%0": x})
    assert isinstance(y, Tensor) and isinstance(pending, Tensor)
    y[0] = 7.0
    assert x.tolist() == [1, 7, 3] and pending.tolist() == [4, 6]


def test_leaves_have_any_layout_but_the_dtype_shape_and_origin_of_the_text() -> None:
    x = weft.asarray(np.arange(6.0).reshape(2, 3))
    text = weft.show(x.T.reshape((6,)) + 1, "json")
    other = weft.asarray(np.asfortranarray(np.arange(6.0).reshape(2, 3)).astype(">f8"))
    again = weft.parse(text, [other])
    assert isinstance(again, Tensor) and again.tolist() == [1, 4, 2, 5, 3, 6]
    for wrong in (weft.ones((3, 2)), weft.ones((2, 3), dtype="float32"), weft.ones((2, 3)).translate(1)):
        with pytest.raises(ExpressionError, match=r"\$.nodes\[0\]: '%0 = leaf float64\[2, 3\]': it is float"):
            weft.parse(text, [wrong])


def test_functions_of_blocks_are_given_by_who_reads() -> None:
    def halved(b: np.ndarray) -> np.ndarray:
        return b / 2

    y = weft.map_blocks(halved, cells(), dtype="float64")
    text = weft.show(y, "json")
    assert json.loads(text)["nodes"][1]["attributes"] == {"name": "halved", "first": [0, 0]}
    again = weft.parse(text, [cells(), halved])
    assert isinstance(again, Tensor) and again.tolist() == y.tolist()
    with pytest.raises(ExpressionError, match="map_blocks without its function"):
        weft.parse(text, [cells(), weft.asarray([0, 0])])


def test_files_are_named_by_their_paths(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", first=np.arange(4.0), second=np.arange(6).reshape(2, 3))
    (tmp_path / "b.dat").write_bytes(bytes(8) + np.arange(3, dtype="<f4").tobytes())
    x = weft.open(f"{tmp_path}/a.npz::second")
    y = weft.open(tmp_path / "b.dat", format="raw", dtype="float32", shape=(3,), offset=8)
    for level in ("graph", "json"):
        again = weft.parse(weft.show([x * 2, y], level))
        assert isinstance(again, tuple)
        assert [t.tolist() for t in again] == [[[0, 2, 4], [6, 8, 10]], [0, 1, 2]]
    text = weft.show(x * 2)
    np.savez(tmp_path / "a.npz", second=np.arange(7))
    with pytest.raises(FileFormatError, match=r"parse: .*::second holds int64\[7\].* and not int64\[2, 3\]"):
        weft.parse(text)


GRAPH = weft.show(weft.sum(weft.asarray([[1.0, 2.0]]).realize() + 1, axis=0), "json")


def changed(change: Callable[[dict[str, Any]], Any]) -> str:
    data = json.loads(GRAPH)
    change(data)
    return json.dumps(data)


def node(k: int, *path: Any) -> Callable[[Any], Callable[[dict[str, Any]], None]]:
    """Return a function that gives the change of one entry of node k."""

    def to(value: Any) -> Callable[[dict[str, Any]], None]:
        def change(data: dict[str, Any]) -> None:
            at = data["nodes"][k]
            for name in path[:-1]:
                at = at[name]
            at[path[-1]] = value

        return change

    return to


WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str]] = {
    "kind": (node(2, "op")("addd"), "$.nodes[2].op", "'addd' is no op"),
    "no kind": (node(2, "op")(7), "$.nodes[2].op", "7 is no string"),
    "id": (node(1, "id")("%0"), "$.nodes[0].id", "'%0' is the id of several nodes"),
    "dtype": (node(1, "description", "dtype")("float33"), "$.nodes[1].description.dtype", "'float33' is none of bool"),
    "cycle": (node(2, "inputs", 0)("%3"), "$.nodes[2].inputs", "'%2' lies below itself: %2 → %3 → %2"),
    "input": (node(2, "inputs", 1)("%9"), "$.nodes[2].inputs[1]", "'%9' is no node"),
    "inputs": (node(2, "inputs")(["%0"]), "$.nodes[2].inputs", "add of 1 inputs; it has 2"),
    "attribute": (node(3, "attributes", "axes")([0.5]), "$.nodes[3].attributes.axes[0]", "0.5 is no integer"),
    "bool": (node(3, "attributes", "keepdims")(1), "$.nodes[3].attributes.keepdims", "1 is no boolean"),
    "unknown": (node(3, "attributes", "axis")(1), "$.nodes[3].attributes.axis", "an unknown name; known are axes"),
    "none": (node(3, "attributes")({}), "$.nodes[3].attributes", "'axes' is missing"),
    "axis": (node(3, "attributes", "axes")([5]), "$.nodes[3]", "axis 5"),
    "size": (node(0, "description", "shape")([1, -2]), "$.nodes[0].description.shape[1]", "-2 is less than 0"),
    "shape": (node(2, "description", "shape")([1000, 2]), "$.nodes[2]", "the shape follows as (1, 2)"),
    "strides": (node(2, "description", "strides")([0, 0]), "$.nodes[2]", "row-major"),
    "rank": (node(2, "description", "origin")([0]), "$.nodes[2].description", "give one for each axis"),
    "order": (node(2, "description", "byte_order")("middle"), "$.nodes[2].description.byte_order", "none of little"),
    "number": (node(1, "attributes", "value")("many"), "$.nodes[1].attributes.value", "'many' is"),
    "held": (node(1, "attributes", "value")({"real": 1.0, "imag": 1.0}), "$.nodes[1]", "float64 does not hold (1+1j)"),
    "version": (lambda d: d.update(version=2), "$.version", "2 is none of 1"),
    "format": (lambda d: d.update(format="weft-plan"), "$.format", "'weft-plan' is none of weft-graph"),
    "output": (lambda d: d.update(outputs=["%7"]), "$.outputs", "'%7' is no node"),
    "nodes": (lambda d: d.pop("nodes"), "$", "'nodes' is missing"),
    "field": (lambda d: d.update(more=1), "$.more", "an unknown name"),
}


@for_each("name", WRONG)
def test_what_is_wrong_has_its_path(name: str) -> None:
    change, path, fact = WRONG[name]
    with pytest.raises(ExpressionError) as caught:
        weft.parse(changed(change), [weft.ones((1, 2))])
    assert any(f.path == path and fact in f.fact for f in caught.value.faults), caught.value
    assert path in str(caught.value)


def test_all_faults_are_in_one_report() -> None:
    names = ("kind", "dtype", "attribute", "version", "order")

    def change(data: dict[str, Any]) -> None:
        for name in names:
            WRONG[name][0](data)

    with pytest.raises(ExpressionError, match="parse: 5 faults") as caught:
        weft.parse(changed(change))
    assert {f.path for f in caught.value.faults} == {WRONG[name][1] for name in names}


LONG = '{"a": 1' + "0" * 5000 + "}"


@pytest.mark.parametrize("text", ["{", "{" * 5000, LONG, "{}", '{"nodes": [1]}', '{"nodes": 1}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"parse: (\d+ faults:\n)?\$"):
        weft.parse(text)


def test_leaves_that_are_missing_are_named() -> None:
    with pytest.raises(ValueRangeError, match=r"parse: '%0 = leaf float64\[1, 2\]' is a stored tensor"):
        weft.parse(GRAPH)
    with pytest.raises(DTypeError, match="parse: leaves"):
        weft.parse(GRAPH, {"%0": 3})  # type: ignore[dict-item]


def test_nodes_may_stand_in_any_order() -> None:
    data = json.loads(GRAPH)
    data["nodes"].reverse()
    again = weft.parse(json.dumps(data), [weft.ones((1, 2))])
    assert isinstance(again, Tensor) and again.tolist() == [2, 2]


def test_the_shipped_schema_is_that_of_the_op_table() -> None:
    path = Path(weft.__file__).parent / "inspect" / "graph.schema.json"
    assert json.loads(path.read_text()) == graph_json.schema(), "run python docs/graph_schema.py"
    nodes = graph_json.schema()["$defs"]["node"]["oneOf"]
    forms = {name: form for form in nodes for name in form["properties"]["op"]["enum"]}
    assert set(forms) == {*OPS, *attributes.DATA} - {name for name in OPS if "." in name}
    data = json.loads(weft.show([t for op in ("pad", "philox", "overlay") for t in expression_of(OPS[op])], "json"))
    for n in data["nodes"]:
        assert faults(n, forms[n["op"]], "$", graph_json.schema()["$defs"]) == []


SCRIPT = """
import numpy as np, weft
x = weft.asarray(np.ones((3, 4)))
y = weft.sum(weft.pad(x, 1)[::2] * 2.5 + weft.random.normal((3, 6), seed=3), axis=0)
print(weft.digest([y, x.T]))
"""


def test_digests_are_those_of_other_processes() -> None:
    found = set()
    for seed in ("0", "7"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        run = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True)
        found.add(run.stdout.strip())
    assert len(found) == 1 and re.fullmatch("[0-9a-f]{64}", found.pop())


def test_digests_tell_structures_apart() -> None:
    x = weft.asarray([1.0, 2.0])
    z = weft.asarray([1.0, 3.0])
    same = [x + 1, z + 1]
    others = [x + 2, x - 1, (x + 1).astype("float32"), weft.asarray(np.ones(2, ">f8")) + 1, x[::-1] + 1, x + x, x + z]
    assert len({weft.digest(t) for t in same}) == 1
    assert len({weft.digest(t) for t in (same[0], *others)}) == 1 + len(others)
    assert weft.digest([x, x + 1]) != weft.digest([x + 1, x])


def test_dot_is_well_formed() -> None:
    x = weft.placeholder((2,), name='a "name" \\ {x}\n')
    lines = weft.show([weft.concat([x, x]) * 2, x], "dot").splitlines()
    assert lines[0] == "digraph weft {" and lines[-1] == "}"
    string = r'"(?:[^"\\]|\\.)*"'
    boxes = [line for line in lines if re.fullmatch(rf"  {string} \[label={string}(, \w+=({string}|\d+))*\];", line)]
    arrows = [line for line in lines if re.fullmatch(rf"  {string} -> {string}( \[label={string}\])?;", line)]
    assert (len(boxes), len(arrows), len(lines)) == (4, 4, 11)
    assert "float64[4]" in boxes[1] and "peripheries=2" in boxes[0]


@pytest.mark.parametrize("level", ["graph", "json"])
def test_bools_beside_numbers_are_read_back(level: str) -> None:
    x = weft.asarray([1.0, 2.0])
    for y in (x * True, x + False, weft.where(x > 1, True, x), weft.full(2, True, dtype="float64")):
        assert weft.parse(weft.show(y, level), [x] if "leaf" in weft.show(y) else []).tolist() == y.tolist()
