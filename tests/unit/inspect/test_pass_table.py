"""The list of passes for users: printed, timed and changed, and the limits of users' passes."""

from __future__ import annotations

import io
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import weft
from tests.other_threads import elsewhere
from weft.errors import ArgumentError, PassError, ValueRangeError
from weft.ir.graph.node import Node, make
from weft.passes import switches
from weft.passes.draft import Draft
from weft.passes.switches import PASSES
from weft.runtime.memory.limits import limited

X = weft.asarray([1.0, -2.0, 3.0])


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = list(switches.EVERYWHERE)
    yield
    assert before == switches.EVERYWHERE and not switches.changes()


def tripled(draft: Draft) -> dict[Node, weft.Tensor]:
    """-x = 3 x, so that it is seen where it runs"""
    tensor = weft.pipeline.tensor
    return {n: tensor(n.inputs[0]) * 3 for n in draft.nodes if n.op.name == "negative"}


def test_the_list_is_printed_in_order_with_what_is_off() -> None:
    with weft.without("fuse"):
        lines = str(weft.pipeline).splitlines()[1:]
    assert [line.split()[0] for line in lines] == [p.name for p in weft.pipeline]
    assert [line.split()[0] for line in lines if line.split()[1] == "no"] == ["fuse"]
    assert [p.name for p in weft.pipeline if p.name not in ("split", "liveness")] == list(PASSES)
    assert len(weft.pipeline) == len(lines) and weft.pipeline["fuse"].is_on
    with pytest.raises(ValueRangeError, match=r"pipeline\[\]: no pass is called 'fus'"):
        weft.pipeline["fus"]


def test_runs_are_counted_and_timed_for_new_plans_alone() -> None:
    def computed() -> None:
        assert (X[:, None] - weft.flip(X)).sum(axis=0).tolist() == [-7.0, 8.0, -1.0]

    weft.pipeline.reset_times()
    with weft.without("arena"):  # a key of its own
        computed()
        runs = weft.pipeline["simplify"].timing.runs
        assert runs > 0 and 0 < weft.pipeline["simplify"].timing.last <= weft.pipeline["simplify"].timing.total
        computed()
    assert weft.pipeline["simplify"].timing.runs == runs


def test_a_pass_is_in_force_in_its_block_and_thread() -> None:
    plain = (-X).tolist()
    with weft.pipeline.added(tripled):
        assert (-X).tolist() == [3.0, -6.0, 9.0] and [p.name for p in weft.pipeline][2] == "tripled"
        assert elsewhere(lambda: (-X).tolist()) == plain
        with weft.without("tripled"):
            assert (-X).tolist() == plain
        with weft.eager():
            assert (-X).tolist() == [3.0, -6.0, 9.0]
        with weft.transformer("reference"):  # says what nodes mean, so no pass has a part in it
            assert (-X).tolist() == plain
    assert (-X).tolist() == plain


def test_a_pass_is_in_force_until_it_is_removed() -> None:
    weft.pipeline.add(tripled, after="simplify", name="three")
    try:
        assert (-X).tolist() == elsewhere(lambda: (-X).tolist()) == [3.0, -6.0, 9.0]
        with pytest.raises(ValueRangeError, match="a pass or rule called 'three' is there already"):
            weft.pipeline.add(tripled, name="three")
    finally:
        weft.pipeline.remove("three")
    assert (-X).tolist() == [-1.0, 2.0, -3.0]
    with pytest.raises(ValueRangeError, match="'three' was not added or replaced for all threads"):
        weft.pipeline.remove("three")


def test_compiled_functions_are_planned_with_the_passes_of_the_call() -> None:
    f = weft.compile(lambda x: -x + 1)
    assert f(X).tolist() == [0.0, 3.0, -2.0]
    with weft.pipeline.added(tripled):
        assert f(X).tolist() == f(X).tolist() == [4.0, -5.0, 10.0]
    assert f(X).tolist() == [0.0, 3.0, -2.0]


def test_passes_see_numbers_and_no_plan_serves_for_others() -> None:
    def two(draft: Draft) -> dict[Node, weft.Tensor]:
        """x * 2 = x + x"""
        found = {}
        for n in draft.nodes:
            if n.op.name == "multiply" and n.inputs[1].op.name == "scalar" and n.inputs[1].attrs[0] == 2:
                x = weft.pipeline.tensor(n.inputs[0])
                found[n] = x + x
        return found

    with weft.pipeline.added(two):
        for k in (3.0, 2.0, 3.0, 2.0):
            assert (X * k).tolist() == [k, -2 * k, 3 * k]
            assert ("multiply" in weft.show(X * k, "kernel")) is (k != 2)


def test_numbers_of_a_pass_are_part_of_its_plan() -> None:
    def shifted(draft: Draft) -> dict[Node, weft.Tensor]:
        return {n: weft.pipeline.tensor(n) + 0.5 for n in draft.roots if n.op.name == "negative"}

    with weft.pipeline.added(shifted):
        assert (-X).tolist() == [-0.5, 2.5, -2.5]
        assert weft.sort(-X).tolist() == [-3.0, -1.0, 2.0]


def test_a_pass_that_looks_changes_nothing() -> None:
    seen: Counter[str] = Counter()

    def count(draft: Draft) -> None:
        seen.update([n.op.name for n in draft.nodes])

    y = weft.negative(-X) + X
    with weft.pipeline.added(count, after="simplify"):
        assert y.tolist() == [2.0, -4.0, 6.0]
    assert seen == {"leaf": 1, "add": 1}


def test_handles_keep_what_they_mean() -> None:
    """A value that is held is stored as what the pass gave for it; nodes below keep their handles."""
    held = -X
    y = held * 10
    with weft.pipeline.added(tripled):
        assert y.tolist() == [30.0, -60.0, 90.0]
    assert held.tolist() in ([-1.0, 2.0, -3.0], [3.0, -6.0, 9.0])
    x = weft.asarray([1.0, 2.0])
    z = -x
    with weft.pipeline.added(tripled):
        assert z.tolist() == [3.0, 6.0]
    x[0] = 7.0  # the place of x is still that of its user
    assert x.tolist() == [7.0, 2.0] and z.tolist() == [3.0, 6.0]


def test_one_node_may_stand_for_several_roots() -> None:
    def first(draft: Draft) -> dict[Node, Node]:
        found = [n for n in draft.nodes if n.op.name in ("sin", "cos")]
        return dict.fromkeys(found[1:], found[0]) if found else {}

    a, b = weft.sin(X), weft.cos(X)
    with weft.pipeline.added(first):
        weft.compute(a, b)
    assert a.tolist() == b.tolist()
    a[0] = 5.0
    assert b.tolist()[0] != 5.0


def test_a_root_may_be_what_is_stored() -> None:
    def gone(draft: Draft) -> dict[Node, Node]:
        return {n: n.inputs[0] for n in draft.nodes if n.op.name == "negative"}

    x = weft.asarray([1.0, 2.0])
    y = -x
    with weft.pipeline.added(gone):
        assert y.tolist() == [1.0, 2.0]
    x[0] = 9.0
    assert y.tolist() == [1.0, 2.0]


def own_array(draft: Draft) -> dict[Node, weft.Tensor]:
    return {n: weft.asarray(np.zeros(3)) for n in draft.nodes if n.op.name == "negative"}


def wrong_shape(draft: Draft) -> dict[Node, weft.Tensor]:
    return {n: weft.zeros(4) for n in draft.nodes if n.op.name == "negative"}


def no_tensor(draft: Draft) -> dict[Node, int]:
    return {n: 3 for n in draft.nodes if n.op.name == "negative"}


def a_list(draft: Draft) -> list[Node]:
    return list(draft.nodes)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (own_array, r"<leaf float64\[3\]> is an array that the graph did not read"),
        (wrong_shape, r"gave float64\[4\] for a node of float64\[3\]"),
        (no_tensor, "gave 3 for <negative"),
        (a_list, "gave an object of class list; a pass gives what stands for nodes, or None"),
        (lambda draft: {3: weft.zeros(3)}, "gave an object of class dict; a pass gives"),
        (lambda draft: weft.zeros(3), "gave an object of class Tensor; a pass gives"),
        (lambda draft: (X + 3).tolist() and None, "computes or plans a value while it runs; the pass would"),
    ],
)
def test_what_cannot_stand_in_a_graph_is_refused(function: Callable[[Draft], object], message: str) -> None:
    with weft.pipeline.added(function), pytest.raises(PassError, match=message):
        (-X).tolist()
    assert (-X).tolist() == [-1.0, 2.0, -3.0]


def test_errors_of_a_pass_name_it() -> None:
    def broken(draft: Draft) -> None:
        raise KeyError("nothing")

    with weft.pipeline.added(broken), pytest.raises(KeyError) as caught:
        (-X).tolist()
    assert caught.value.__notes__ == ["in the pass 'broken'"]
    assert (-X).tolist() == [-1.0, 2.0, -3.0]


def test_illegal_nodes_of_a_pass_are_found() -> None:
    def illegal(draft: Draft) -> dict[Node, Node]:
        return {n: make(n.op, (n.inputs[0],) * 2, (), n.desc) for n in draft.nodes if n.op.name == "negative"}

    with weft.pipeline.added(illegal), pytest.raises(PassError, match="2 inputs where the op takes 1"):
        (-X).tolist()


# ---- in the place of a built-in pass


def one_after_the_other(draft: Draft) -> None:
    """Give every temporary bytes of its own."""
    kept = {id(n) for n in draft.outputs()}
    for k, n in enumerate(draft.stored):
        if id(n) not in kept and k not in draft.within:
            draft.offsets[k] = draft.arena_bytes
            draft.arena_bytes += -(-n.desc.nbytes // 64) * 64
    draft.offsets |= dict.fromkeys(draft.within, -2)


def sorted_thrice() -> weft.Tensor:
    x = weft.asarray(np.arange(600.0)[::-1])
    for _ in range(3):
        x = weft.flip(weft.sort(x * 2))
    return x


def test_an_arena_of_ones_own() -> None:
    plain, less = sorted_thrice().tolist(), weft.explain(sorted_thrice()).temporary_bytes
    with weft.pipeline.replaced("arena", one_after_the_other):
        assert sorted_thrice().tolist() == plain and weft.explain(sorted_thrice()).temporary_bytes > less
        assert weft.pipeline["arena"].says.startswith("Give every")
    weft.pipeline.replace("arena", one_after_the_other)
    try:
        assert elsewhere(lambda: weft.explain(sorted_thrice()).temporary_bytes) > less  # type: ignore[operator]
    finally:
        weft.pipeline.remove("arena")
    assert weft.explain(sorted_thrice()).temporary_bytes == less


@pytest.mark.parametrize(
    ("name", "part", "made", "fault"),
    [
        ("fuse", "stored", [], "draft.stored is empty"),
        ("fuse", "stored", [3], "draft.stored is no list of nodes"),
        ("fuse", "stored", None, "draft.stored is no list of nodes"),
        ("reorder", "stored", [], "draft.stored is empty"),
        ("split", "steps", [], "draft.steps is empty"),
        ("split", "steps", [1], "draft.steps is no list of launches and calls"),
        ("liveness", "lives", [], "draft.lives is empty"),
        ("liveness", "lives", "a", "draft.lives is no list of Lifetime objects"),
        ("arena", "offsets", {0: "a"}, "draft.offsets {0: 'a'} and arena_bytes 0 are no numbers of bytes"),
        ("arena", "offsets", {99: 0}, "draft.offsets has number 99 of 6 stored nodes"),
        ("arena", "arena_bytes", -5, "draft.offsets {} and arena_bytes -5 are no numbers of bytes"),
    ],
)
def test_what_a_pass_leaves_out_or_fills_with_something_else_is_named(
    name: str, part: str, made: object, fault: str
) -> None:
    with (
        weft.pipeline.replaced(name, lambda draft: setattr(draft, part, made)),
        pytest.raises(PassError, match=re.escape(f"pass {name!r}: {fault}; what pass {name!r} leaves has to be legal")),
    ):
        sorted_thrice().tolist()


def all_at_one_place(draft: Draft) -> None:
    kept = {id(n) for n in draft.outputs()}
    draft.offsets = {k: 0 for k, n in enumerate(draft.stored) if id(n) not in kept}
    draft.arena_bytes = max([n.desc.nbytes for n in draft.stored])


def nothing_stored(draft: Draft) -> None:
    draft.stored = list(draft.roots)


@pytest.mark.parametrize(("name", "function"), [("arena", all_at_one_place), ("fuse", nothing_stored)])
def test_plans_that_are_not_legal_are_not_run(name: str, function: Callable[[Draft], None]) -> None:
    with weft.pipeline.replaced(name, function), pytest.raises(PassError, match="leaves has to be legal"):
        weft.sort(sorted_thrice() + weft.sum(X)).tolist()


def test_what_cannot_be_changed() -> None:
    pipeline = weft.pipeline
    for name in ("anchor", "prune"):
        with pytest.raises(ValueRangeError, match="runs at every computation and cannot be replaced"):
            pipeline.replaced(name, tripled)
    with pytest.raises(ValueRangeError, match="beside 'prune', which runs at every computation"):
        pipeline.added(tripled, before="prune")
    with pytest.raises(ValueRangeError, match="no pass is called 'fus'"):
        pipeline.added(tripled, after="fus")
    with pytest.raises(ArgumentError, match="after 'fuse' and before 'split'"):
        pipeline.added(tripled, after="fuse", before="split")
    with pytest.raises(ArgumentError, match="it is called with a draft"):
        pipeline.added(3, name="three")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="is no node"):
        pipeline.tensor(X)  # type: ignore[arg-type]
    with pytest.raises(ValueRangeError, match="no pass or rule is called 'split'"), weft.without("split"):
        pass


# ---- dumps


def test_a_dump_has_every_pass_of_every_plan(tmp_path: Path) -> None:
    path = tmp_path / "passes.txt"
    with weft.pipeline.added(tripled), weft.pipeline.dumped(path):
        for _ in range(2):
            (-X).tolist()
        sorted_thrice().tolist()
    text = path.read_text()
    assert text.count("==== plan") == 2
    first, second = text.split("==== plan")[1:]
    assert "negative" in first.split("---- tripled")[0] and "multiply" in first.split("---- tripled")[1]
    names = [line.split()[1].rstrip(":") for line in second.splitlines() if line.startswith("----")]
    assert names == ["tripled", *[p.name for p in weft.pipeline][2:]]
    assert "arena of" in second and "---- tripled: nothing changed" in second


def test_nothing_is_written_after_the_block() -> None:
    text = io.StringIO()
    with weft.pipeline.dumped(text):
        (X * X).tolist()
    size = len(text.getvalue())
    (X - X * X).tolist()
    assert len(text.getvalue()) == size > 0


# ---- wherever something is planned


def test_passes_reach_files_devices_writes_and_large_graphs(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(40_000.0).reshape(40, 1000))
    x = weft.open(tmp_path / "a.npy")
    with limited(64 << 10), weft.pipeline.added(tripled):
        assert (-x).sum(axis=0)[:2].tolist() == [3 * 780_000.0, 3 * 780_040.0]  # tile by tile
        weft.save(tmp_path / "b.npy", -x)
    assert np.load(tmp_path / "b.npy")[1, :2].tolist() == [3000.0, 3003.0]
    far, near, into = weft.asarray([1.0, 2.0], device="thread:0"), weft.asarray([1.0, 2.0]), weft.asarray(np.zeros(4))
    parts = [weft.asarray([float(k)] * 10) for k in range(200)]
    with weft.pipeline.added(tripled):
        assert (-far).tolist() == [3.0, 6.0] and (-weft.concat(parts))[42:44].tolist() == [12.0, 12.0]
        into[::2] = -near
        weft.assign(weft.concat([into[1:2], into[3:]]), -near * 10)
        assert weft.vmap(lambda row: -row)(near[None]).tolist() == [[3.0, 6.0]]
    assert into.tolist() == [3.0, 30.0, 6.0, 60.0]


def test_threads_with_and_without_a_pass_do_not_meet() -> None:
    wrong: list[object] = []

    def work(expected: list[float]) -> None:
        wrong.extend(v for _ in range(100) if (v := (-(X + 1)).tolist()) != expected)

    other = threading.Thread(target=work, args=([-2.0, 1.0, -4.0],))
    with weft.pipeline.added(tripled):
        other.start()
        work([6.0, -3.0, 12.0])
        other.join()
    assert not wrong


def test_names_stay_with_what_stands_for_them() -> None:
    x = weft.named(-X, "flipped")
    text = io.StringIO()
    with weft.pipeline.added(tripled), weft.pipeline.dumped(text):
        (x + 1).tolist()
    assert "flipped" in text.getvalue().split("---- tripled")[1].split("----")[0]
