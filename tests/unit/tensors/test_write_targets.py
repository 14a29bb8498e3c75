"""Numbers of cells: what pieces and tables say, where they meet, and how places share them out."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
from weft.ir.graph.outline import outline
from weft.tensors.tensor import node_of
from weft.tensors.write_targets import Ends, by_target, clash, last_of_each, numbered


def numbers_of(tree: Any) -> tuple[np.ndarray, Ends]:
    made = outline(node_of(tree))
    ends = Ends(made)
    return numbered(made, ends), ends


def test_places_are_numbered_one_after_the_other_and_refusals_below_zero() -> None:
    a, b = weft.array(np.zeros((2, 2))), weft.array(np.zeros(3))
    tree = weft.concat([a.T[0], weft.pad(b, 1)[:3], a[1] + 1])
    numbers, ends = numbers_of(tree)
    assert ends.places == [a._place, b._place] and ends.first == [0, 4, 7]
    assert numbers[:2].tolist() == [0, 2] and numbers[3:5].tolist() == [4, 5]
    assert {ends.reasons[-1 - n][0][:12] for n in numbers[[2, 5]]} == {"is generated", "is read from"}


def test_tables_over_trees_and_reshapes_that_move_cells() -> None:
    a, b = weft.array(np.zeros((2, 3))), weft.array(np.zeros((2, 3)))
    table = ([1, 3, 0], [2, 0, 1])
    numbers, _ = numbers_of(weft.concat([a, b])[table])
    assert numbers.tolist() == np.arange(12).reshape(4, 3)[table].tolist()
    numbers, _ = numbers_of(weft.reshape(weft.concat([a, b]).T, (2, 6)))
    assert numbers.tolist() == np.arange(12).reshape(4, 3).T.reshape(2, 6).tolist()
    numbers, _ = numbers_of(weft.flip(weft.roll(a, 1)[[1, 0, 1], [0, 2, 0]]))
    assert numbers.tolist() == np.roll(np.arange(6), 1).reshape(2, 3)[[1, 0, 1], [0, 2, 0]][::-1].tolist()


def test_shared_memory_is_compared_by_address() -> None:
    memory = np.zeros(6)
    x, y, z = weft.asarray(memory[:4]), weft.asarray(memory[::-1]), weft.array(memory)
    numbers, ends = numbers_of(weft.concat([x[:2], z, y]))
    assert clash(numbers[:8], ends) is None
    assert clash(numbers, ends) == (0, 13, True)
    assert last_of_each(numbers, ends).size == 12 and 0 not in last_of_each(numbers, ends)
    shares = {id(target.place): positions[0].tolist() for target, _, positions in by_target(numbers, ends)}
    assert shares == {id(x._place): [0, 1], id(z._place): [*range(6)], id(y._place): [*range(6)]}
