"""Names, scopes and metadata: who has them, what keeps them, and that nothing else depends on them."""

from __future__ import annotations

import asyncio
import json
import operator
import threading
from typing import Any

import numpy as np
import pytest

import weft
from tests.call_counts import calls_of
from tests.drafts import signature
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph.node import Labels, label_of, walk
from weft.passes.simplify.rewriting import simplify
from weft.tensors.tensor import Tensor, node_of


def ones(*shape: int) -> Tensor:
    return weft.asarray(np.ones(shape))


def names(x: Tensor, **asked: Any) -> list[str]:
    return [weft.label_of(t).name for t in weft.find_nodes(x, **asked)]


def test_scopes_nest_and_end() -> None:
    x = ones(3)
    with weft.scope("a", k=1, j=0):
        with weft.scope("b", j=2):
            y = weft.named(x + 1, "y")
        z = x * 2
    after = weft.named(x - 1, "after")
    assert weft.label_of(y) == ("a/b/y", {"k": 1, "j": 2})
    assert weft.label_of(z) == ("a/", {"k": 1, "j": 0})
    assert weft.label_of(after) == ("after", {}) and weft.label_of(x) == ("", {})


def test_everything_that_is_built_inside_has_the_scope_and_nothing_else() -> None:
    x = ones(4, 4)
    before = (x + 1).T
    with weft.scope("inside"):
        made = [before.T, weft.nn.softmax(before), weft.var(before, axis=0), weft.zeros(3), x[1:], before[::2] @ x]
        stored = weft.asarray([1.0])
    for t in [*made, stored]:
        assert weft.label_of(t).name == "inside/"
    inner = [n for n in walk([node_of(made[1])]) if n.op.kind in ("reduce", "elementwise")]
    assert len(inner) > 3
    assert [label_of(n).name for n in inner] == ["" if n is node_of(before).inputs[0] else "inside/" for n in inner]
    assert weft.label_of(before).name == "" and weft.label_of(x).name == ""


def test_scopes_are_those_of_a_thread_and_a_task() -> None:
    found = {}

    def other() -> None:
        found["thread"] = weft.label_of(ones(2) + 1).name

    async def task(name: str) -> None:
        with weft.scope(name):
            await asyncio.sleep(0)
            found[name] = weft.label_of(ones(2) + 1).name

    async def both() -> None:
        await asyncio.gather(task("one"), task("two"))

    with weft.scope("main"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        asyncio.run(both())
    assert found == {"thread": "", "one": "main/one/", "two": "main/two/"}


def test_names_and_metadata_add_up() -> None:
    x = weft.named(ones(2) + 1, "x", a=1)
    assert weft.named(x, b=2) is x and weft.label_of(x) == ("x", {"a": 1, "b": 2})
    weft.named(x, "y", a=3)
    assert weft.label_of(x) == ("y", {"a": 3, "b": 2})
    assert weft.label_of(x + 1) == ("", {}) and weft.label_of(x[1:]) == ("", {})


def test_parts_are_found_by_name_operation_and_metadata() -> None:
    x = weft.named(ones(3), "x")
    with weft.scope("net", layer=1):
        h = weft.named(x * 3, "h")
    y = weft.exp(h).sum() + h[1:].sum()
    assert names(y, layer=1) == ["net/h"] and names(y, layer=2) == []
    (found,) = weft.find_nodes(y, op="leaf")
    found[0] = 5
    assert x.tolist() == [5, 1, 1]
    assert [t.tolist() for t in weft.find_nodes(y, "net/*")] == [[3, 3, 3]]
    assert weft.find_nodes(y, "net/h", op="exp") == [] == weft.find_nodes(y, op="another.op")
    with pytest.raises(ValueRangeError, match="find_nodes: op 'expo'; no operation has this name"):
        weft.find_nodes(y, op="expo")
    assert [t.shape for t in weft.find_nodes([y, h], op="exp")] == [(3,)]
    y.realize()
    assert names(y, layer=1) == [] and weft.label_of(h).name == "net/h"


def test_names_stay_where_a_value_is_computed_written_or_taken_over() -> None:
    x = weft.named(ones(3), "x")
    y = weft.named(x + 1, "y")
    x[0] = 7  # a pending reader of the old version
    assert weft.label_of(x).name == "x" and weft.label_of(y.realize()).name == "y"
    y[1] = 0
    assert weft.label_of(y).name == "y"
    view = weft.named(x[1:], "view")
    x[1] = 2
    kept = x * 2
    x[2] = 3
    assert weft.label_of(view).name == "view" and view.tolist() == [2, 3] and kept.tolist() == [14, 4, 2]


def test_rules_and_passes_keep_names() -> None:
    x = ones(5, 4)
    with weft.scope("s"):
        total = weft.named(x.sum(axis=0), "total")
        part = weft.named(weft.negative(-total[1:3]), "part")
    node = node_of(part)
    del total
    simpler = simplify(signature([node])[1])
    assert simpler.applied
    found = {label_of(n).name for n in walk(simpler.roots)}
    assert "s/total" in found and found <= {"s/total", "s/part", "s/", ""}


def test_computations_keep_names() -> None:
    p = weft.placeholder((2,), name="p")
    with weft.scope("f"):
        y = weft.named(p + 1, "shifted") * 2
    f = weft.computation(y, p)
    assert f([1.0, 2.0]).tolist() == [4, 6]
    assert [name for name in names(y) if name] == ["f/shifted", "f/"]


def test_compiled_and_sent_graphs_keep_names() -> None:
    x = weft.named(ones(2, 2), "x")
    with weft.scope("net", layer="first", rate=0.5, flag=True, none=None):
        y = weft.named(x @ x, 'a "quoted} float32[2]" name\n')
    for level in ("graph", "json"):
        text = weft.show(y, level)
        again = weft.parse(text, weft.leaves_of(y))
        assert isinstance(again, Tensor) and weft.show(again, level) == text
        assert weft.label_of(again) == weft.label_of(y)
    node = json.loads(weft.show(y, "json"))["nodes"][1]
    assert node["metadata"] == {"layer": "first", "rate": 0.5, "flag": True, "none": None}
    assert weft.show(y).splitlines()[0] == "%0 = leaf float64[2, 2] named 'x'"
    assert 'label="net/a \\"quoted' in weft.show(y, "dot")
    assert list(weft.leaves_of(y)) == ["x"]
    fresh = weft.asarray(np.full((2, 2), 2.0))
    assert weft.parse(weft.show(y), {"x": fresh})[0, 0].item() == 8.0  # type: ignore[index]
    assert weft.label_of(fresh).name == "x"


def test_names_are_seen_in_explanations() -> None:
    with weft.scope("net"):
        h = weft.named(ones(3) * 2, "h").sum() + 1
    y = weft.named(weft.cumulative_sum(weft.broadcast_to(h, (4,))), "loss")
    text = str(weft.explain(y))
    assert "named 'loss'    #" in text and "-> output float64 named loss: 1 pieces" in text
    assert "kernel reduce sum -> temporary at 0 float64 named net/h, net/: 1 pieces" in text
    assert "float64 named loss" in weft.show(y, "plan")
    assert weft.show(y, "kernel").startswith("# net/h, net/\n%0 = load") and "# loss\n" in weft.show(y, "kernel")


def test_names_change_no_key_digest_or_value() -> None:
    def made() -> Tensor:
        return weft.nn.softmax(ones(3, 4).T * 2 + 1)

    plain = made()
    with weft.scope("a", b=1):
        labelled = weft.named(made(), "x")
    assert signature([node_of(plain)])[0] == signature([node_of(labelled)])[0]
    assert weft.digest(plain) == weft.digest(labelled)
    plain.numpy()
    with weft.profile() as p:
        labelled.numpy()
    assert p.kernels_compiled == 0 and plain.tolist() == labelled.tolist()


@pytest.mark.parametrize("wrong", [{"k": [1]}, {"k": float("nan")}, {"k": object()}, {"k": np.float64(1)}])
def test_metadata_are_data(wrong: dict[str, Any]) -> None:
    with pytest.raises(DTypeError, match=r"scope: k=.*; metadata are texts"):
        weft.scope("a", **wrong)
    with pytest.raises(DTypeError, match="named: k="):
        weft.named(ones(2), "a", **wrong)
    with pytest.raises(DTypeError, match="named: a name of type int"):
        weft.named(ones(2), 3)  # type: ignore[arg-type]


def test_scopes_work_beside_strict_mode_and_eager() -> None:
    x = weft.asarray([1, 2], dtype="int16")
    with weft.strict("allow") as report, weft.scope("s"):
        y = x + 1.5
    assert weft.label_of(y).name == "s/" and len(report) == 1
    with weft.eager(), weft.scope("e"):
        z = weft.named(x * 2, "z")
    assert weft.label_of(z).name == "e/z" and node_of(z).value is not None


def test_labels_elsewhere_cost_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def calls_of_writes() -> int:
        x = weft.zeros((4, 5)).realize()
        row = x[1]
        for _ in range(4):
            seen = calls_of(lambda: [operator.setitem(x, 0, 1.0), operator.setitem(row, 2, row[1] + 1)])
        return seen.total()

    monkeypatch.setattr(Labels, "used", False)
    before = calls_of_writes()
    kept = weft.named(ones(3) * 2, "twice")
    assert Labels.used and label_of(node_of(kept)).name == "twice"
    assert calls_of_writes() <= before
