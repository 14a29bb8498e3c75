"""Legal graphs pass, and every kind of fault is named with the text of the graph."""

import numpy as np
import pytest

from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import InternalError
from weft.ir.atoms import selections as se
from weft.ir.graph import node as ir
from weft.ir.graph.description import describe
from weft.ir.graph.node import elementwise, make, result, scalar, stored
from weft.ir.graph.ops import OPS
from weft.ir.graph.spec import check


def leaf(shape=(3, 4), dtype=dt.float64):
    return stored(result(dtype, shape), np.ones(shape, dtype.np))


def legal():
    x, y = leaf(), leaf((4,), dt.int32)
    total = make(OPS["sum"], (x,), ((0, 1), False), result(dt.float64, ()))
    scan = make(OPS["cumulative_sum"], (x,), (1, True), result(dt.float64, (3, 5)))
    product = make(OPS["matmul"], (x, se.permute(x, (1, 0))), ("C", "F"), result(dt.float64, (3, 3)))
    picked = make(OPS["gather"], (x, leaf((2,), dt.int64)), ((1,), 1), result(dt.float64, (3, 2)))
    chosen = make(OPS["where"], (elementwise(OPS["less"], x, x), x, x), (), x.desc)
    windows = se.window(se.slice_(se.flip(x, (0,)), ((0, 1, 3), (1, 1, 3))), (2,), (1,))
    padded = se.pad(se.concat([se.tile(x, (2, 1)), se.roll(x, (1,), (0,))], 0), ((1, 1), (0, 2)))
    laid = se.overlay([se.translate(x, (0, 0)), se.translate(x, (2, 2))], fill=scalar(0.0, dt.float64))
    odd = se.reshape(se.permute(x, (1, 0)), (12,))
    return [elementwise(OPS["add"], x, y), total, scan, product, picked, chosen, windows, padded, laid, odd,
            se.reshape_view(x, (2, 6)), se.interleave([se.repeat(y, 2, 0), leaf((8,), dt.int32)], 0)]  # fmt: skip


def test_legal_graphs_pass():
    check(legal())


def changed(n, **facts):
    for name, value in facts.items():
        setattr(n, name, value)
    return n


def added():
    return elementwise(OPS["add"], leaf(), leaf())


FAULTS = {
    "2 inputs where the op takes 1": lambda: changed(added(), op=OPS["negative"]),
    "no input": lambda: make(OPS["concat"], (), (0, (0,)), result(dt.float64, (0,))),
    "the dtype follows as float64": lambda: changed(added(), desc=result(dt.float32, (3, 4))),
    "the shape follows as": lambda: changed(added(), desc=result(dt.float64, (4, 3))),
    "row-major, native": lambda: changed(added(), desc=describe(dt.float64, (3, 4), (8, 24))),
    "all are to be float64": lambda: make(OPS["add"], (leaf(), leaf((4,), dt.int8)), (), result(dt.float64, (3, 4))),
    "a bool and two of one dtype": lambda: make(OPS["where"], (leaf(), leaf(), leaf()), (), leaf().desc),
    "depth 0 over inputs": lambda: changed(added(), depth=0),
    "a stored value that still has inputs": lambda: changed(added(), value=np.ones((3, 4)), depth=0),
    "a value of shape": lambda: stored(result(dt.float64, (3, 4)), np.ones((4, 3))),
    "a value with strides": lambda: stored(result(dt.float64, (3, 4)), np.ones((4, 3)).T),
    "alias at byte 8": lambda: changed(se.flip(leaf(), (1,)), alias=(leaf(), 8)),
    "it aliases its input exactly where": lambda: changed(se.flip(leaf(), (1,)), alias=None, depth=1),
    "the description follows as": lambda: changed(se.flip(leaf(), (1,)), desc=leaf().desc),
    "they are spelled": lambda: changed(se.flip(leaf(), (0, 1)), attrs=((1, 0),)),
    "do not fit": lambda: changed(se.flip(leaf(), (0,)), attrs=((7,),)),
    "a view that strides do not allow": lambda: _view_of_a_transpose(),
    "axes (1, 0)": lambda: make(OPS["sum"], (leaf(),), ((1, 0), False), result(dt.float64, ())),
    "one int64 operand per axis": lambda: make(OPS["gather"], (leaf(),), ((0,), 0), result(dt.float64, (4,))),
    "one Python number": lambda: make(OPS["scalar"], (), (np.float64(1),), result(dt.float64, ())),
    "is no row of the op table": lambda: changed(added(), op=ir.Op("add", "elementwise", 2)),
    "the orders of both operands": lambda: make(OPS["matmul"], (leaf((2, 2)),) * 2, (), result(dt.float64, (2, 2))),
    "boxes of shapes": lambda: changed(se.overlay([leaf((2, 2))]), inputs=(leaf(),)),
}


def _view_of_a_transpose():
    x = se.permute(leaf(), (1, 0))
    return ir.make_view(OPS["reshape"], x, ((12,),), result(dt.float64, (12,)), 0)


@for_each("fact", FAULTS)
def test_faults_are_named_with_the_graph(fact):
    with pytest.raises(InternalError) as error:
        check([FAULTS[fact]()])
    assert fact in str(error.value)
    assert "return %" in str(error.value)


def test_a_cycle_is_found():
    n = added()
    n.inputs = (n.inputs[0], n)
    with pytest.raises(InternalError, match="lies below itself"):
        check([n])
