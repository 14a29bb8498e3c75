"""Raw kernels: the bytes of the tensor API from addresses and strides, and what can be refused is refused."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.oracle.compare import same_bits
from tests.oracle.samples import finite, laid_out, takes, values
from tests.shares import in_turn
from weft import dtypes as dt
from weft import kernels
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, ROWS, resolve
from weft.sources.stream.folds import reduced
from weft.tensors.tensor import node_of, values_of

ELEMENTWISE = [r for r in ROWS if r.kind == "elementwise" and r.name not in kernels._UNFIT | {"astype", "complex"}]
CASES = [(r, d) for r in ELEMENTWISE for d in dt.COMMON if takes(r, d) and (r.arity == 3 or resolve(r, d)[0] is d)]
LAYOUTS = ("reversed", "unaligned", "big", "broadcast")


def place(a):
    """Return the arguments of a kernel for an array."""
    return a.ctypes.data, a.strides


def awkward(dtype, shape):
    """An unaligned array that is filled from its end."""
    raw = np.zeros(int(np.prod(shape)) * dtype.itemsize + 1, np.uint8)
    return raw[1:].view(dtype.np).reshape(shape)[tuple([slice(None, None, -1)] * len(shape))]


def check(op, dtype, layout):
    dtypes = [dt.bool, dtype, dtype] if op.name == "where" else [dtype] * op.arity
    arrays = [laid_out(values(d, (7, 5), i), layout) for i, d in enumerate(dtypes)]
    names = "abc"[: op.arity]
    big = names if layout == "big" and dtype.itemsize > 1 else ""
    kernel = kernels.elementwise(
        op.name, dtype, big=[n for n, d in zip(names, dtypes, strict=True) if big and d.bits > 8]
    )
    out = awkward(kernel.dtypes[-1], (7, 5))
    kernel((7, 5), out=place(out), **{n: place(a) for n, a in zip(names, arrays, strict=True)})
    tensors = [weft.asarray(a) for a in arrays]
    if op.name == "where":
        wanted = weft.where(*tensors).numpy()
    else:
        wanted = values_of(ir.elementwise(op, *map(node_of, tensors)))
    assert same_bits(np.ascontiguousarray(out), wanted), layout


@pytest.mark.parametrize("number", range(0, len(CASES), 5), ids=lambda k: f"{CASES[k][0].name}-{CASES[k][1].name}")
def test_the_bytes_are_those_of_tensors(number):
    check(*CASES[number], LAYOUTS[number // 5 % len(LAYOUTS)])


@pytest.mark.slow
@pytest.mark.parametrize(("op", "dtype"), CASES, ids=lambda x: x.name)
def test_the_bytes_are_those_of_tensors_in_every_layout(op, dtype):
    for layout in LAYOUTS:
        check(op, dtype, layout)


@pytest.mark.parametrize("source", dt.ALL, ids=lambda d: d.name)
def test_copies_convert_and_swap(source):
    number = dt.ALL.index(source)
    check_copies(source, "<>"[number % 2], dt.ALL[number % 10 :: 10])


@pytest.mark.slow
@pytest.mark.parametrize("source", dt.ALL, ids=lambda d: d.name)
@pytest.mark.parametrize("order", ["<", ">"])
def test_copies_between_all_dtypes(source, order):
    check_copies(source, order, dt.ALL)


def check_copies(source, order, targets):
    for target in targets:
        if source.kind == "complex" and target.kind != "complex":
            continue
        a = laid_out(values(source, (7, 5), 3), "big" if order == ">" else "reversed")
        out = np.zeros((7, 5), dt.to_numpy(target, "little" if order == ">" else "big"))
        kernels.copy(order + source.name, ("<" if order == ">" else ">") + target.name)(
            (7, 5), out=place(out), a=place(a)
        )
        wanted = values_of(ir.astype(node_of(weft.asarray(a)), target))
        assert same_bits(out.astype(target.np), np.asarray(wanted).astype(target.np)), target


FOLDS = [r for r in ROWS if r.kind in ("reduce", "scan")]


@pytest.mark.parametrize(("op", "part"), in_turn(FOLDS, range(2), every=2), ids=lambda x: getattr(x, "name", x))
def test_reductions_and_scans_add_in_the_same_order(op, part):
    for dtype in dt.ALL[len(op.name) % 2 :: 2][part::2]:
        if not takes(op, dtype) or (op.rule != "sum" and resolve(op, dtype)[0] is not dtype):
            continue
        for layout in LAYOUTS[len(dtype.name) % 2 :: 2]:
            a = laid_out(finite(dtype, (5, 41)), layout)
            order = ">" if layout == "big" and dtype.itemsize > 1 else "<"
            make = kernels.scan if op.kind == "scan" else kernels.reduction
            kernel = make(op.name, order + dtype.name)
            made = kernel.dtypes[-1]
            out = np.zeros((5, 41) if op.kind == "scan" else (), dt.to_numpy(made, kernel.orders[-1]))
            kernel((5, 41), out=place(out), a=place(a))
            x = weft.asarray(a)
            if op.name.startswith("chained"):  # without a public function
                wanted = values_of(reduced(op.name, node_of(x), (0, 1)))
            else:
                wanted = getattr(weft, op.name)(x, axis=1 if op.kind == "scan" else None).numpy()
            assert same_bits(out.astype(made.np), np.asarray(wanted).astype(made.np)), (dtype, layout)


def test_memory_of_ctypes_with_negative_and_no_strides():
    buffer, out = (ctypes.c_int32 * 4)(1, 2, 3, 4), (ctypes.c_int32 * 6)()
    at = ctypes.addressof(buffer)
    kernel = kernels.elementwise("add", weft.int32)
    kernel((2, 3), out=(ctypes.addressof(out), (12, 4)), a=(at + 12, (0, -4)), b=(at, (4, 0)))
    assert list(out) == [5, 4, 3, 6, 5, 4]
    assert np.array_equal(out, (weft.asarray(np.array(buffer))[::-1][:3] + weft.asarray([[1], [2]])).numpy().ravel())


@pytest.mark.parametrize("part", ["float16", "float32", "float64"])
def test_complex_numbers_of_their_parts(part):
    kernel = kernels.elementwise("complex", part)
    re, im = (laid_out(values(dt.named(part), (7, 5), k), "reversed") for k in range(2))
    out = awkward(kernel.dtypes[-1], (7, 5))
    kernel((7, 5), out=place(out), a=place(re), b=place(im))
    made = weft.asarray(np.ascontiguousarray(out))
    assert same_bits(weft.real(made).numpy(), re) and same_bits(weft.imag(made).numpy(), im)


def test_in_place_empty_and_rank_0():
    x = np.array([1.0, 2.0, 3.0])
    square = kernels.elementwise("square", float)
    square((3,), out=place(x), a=place(x))
    assert x.tolist() == [1.0, 4.0, 9.0]
    square((), out=(x.ctypes.data, ()), a=(x.ctypes.data + 16, ()))
    assert x.tolist() == [81.0, 4.0, 9.0]
    square((0, 3), out=(0, (8, 8)), a=(0, (8, 8)))
    total = kernels.reduction("sum", float)
    total((0,), out=place(x[1:2].reshape(())), a=(8, (8,)))
    assert x.tolist() == [81.0, 0.0, 9.0]


def test_axes_and_options_of_reductions():
    a, out = np.arange(24.0).reshape(2, 3, 4), np.zeros((3,))
    kernels.reduction("var", float, axes=(0, 2), correction=1.0)((2, 3, 4), out=place(out), a=place(a))
    assert np.array_equal(out, weft.var(weft.asarray(a), axis=(0, 2), correction=1).numpy())
    assert repr(kernels.reduction("sum", ">i2", axes=0)) == "<kernel sum(a: int16 big-endian, out: int64 big-endian)>"


def test_integers_of_numpy_and_lists_are_taken():
    x = np.array([1.0, 2.0])
    at = np.int64(x.ctypes.data)
    kernels.elementwise("negative", float)([2], out=(at, [8]), a=(at, np.array([8])))
    assert x.tolist() == [-1.0, -2.0]


X = np.zeros(4)
AT = X.ctypes.data
ADD = kernels.elementwise("add", float)
REFUSED = [
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,))), ShapeError, "operands a, out; it takes a, b, out; name these"),
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=(AT, ())), ShapeError, "b has strides (); b has cells of"),
    (lambda: ADD((4,), out=(0, (8,)), a=(AT, (8,)), b=(AT, (8,))), ShapeError, "out has address 0; no memory"),
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=("x", (8,))), ShapeError, "b is ('x', (8,)); an operand"),
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=AT), ShapeError, "an operand is a pair of integers"),
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=(AT + 0.5, (8,))), ShapeError, "an operand is a pair of inte"),
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=(2**70, (8,))), ShapeError, "an operand is a pair of integers"),
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=(AT, (2**70,))), ShapeError, "an operand is a pair of integers"),
    (lambda: kernels.copy("complex64", "float32"), DTypeError, "kernels: copy: complex64 to float32 would drop"),
    (lambda: ADD((4.5,), out=(AT, (8,)), a=(AT, (8,)), b=(AT, (8,))), ShapeError, "sizes are integers from 0"),
    (lambda: ADD((-1,), out=(AT, (8,)), a=(AT, (8,)), b=(AT, (8,))), ShapeError, "sizes are integers from 0"),
    (lambda: ADD(4, out=(AT, (8,)), a=(AT, (8,)), b=(AT, (8,))), ShapeError, "sizes are integers from 0"),
    (lambda: ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=(AT, (8,)), c=(AT, (8,))), ShapeError, "it takes a, b, out"),
    (lambda: kernels.elementwise("sqrt", "int32"), DTypeError, "in float64; convert the operands first, with"),
    (lambda: kernels.elementwise("complex", "bfloat16"), DTypeError, "complex of bfloat16; no complex dtype has such"),
    (lambda: kernels.elementwise("nothing", float), ValueRangeError, "'nothing'; no kernel on memory has this name"),
    (lambda: kernels.elementwise("sum", float), ValueRangeError, "'sum'; no kernel on memory has this name"),
    (lambda: kernels.elementwise("astype", float), ValueRangeError, "kernels.copy(source, target)"),
    (lambda: kernels.elementwise("bitwise_and", float), DTypeError, "bitwise_and: float64 operands"),
    (lambda: kernels.elementwise("add", float, big=["z"]), ValueRangeError, "big=['z']; operands are ('a', 'b'"),
    (lambda: kernels.reduction("sum", float, axes=(0, 0)), ShapeError, "named twice"),
    (lambda: kernels.reduction("sum", float, axes=2)((4,), out=(AT, ()), a=(AT, (8,))), ShapeError, "axes 2 of 1"),
    (lambda: kernels.reduction("min", float)((0,), out=(AT, ()), a=(AT, (8,))), ShapeError, "there is no least"),
]  # fmt: skip


@for_each("case", range(len(REFUSED)))
def test_detectable_faults_of_arguments_are_refused(case):
    act, kind, text = REFUSED[case]
    for _ in range(2):  # a layout that is known is checked too
        ADD((4,), out=(AT, (8,)), a=(AT, (8,)), b=(AT, (8,)))
        with pytest.raises(kind) as caught:
            act()
        assert text in str(caught.value)


def test_layouts_are_forgotten_once_they_are_many(monkeypatch):
    monkeypatch.setattr(kernels, "MAX_KNOWN", 2)
    kernel, x = kernels.elementwise("negative", float), np.ones(8)
    for n in range(1, 6):
        kernel((n,), out=place(x), a=place(x))
    assert len(kernel._known) <= 2 and x.tolist() == [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0]


def test_every_op_has_a_kernel_or_a_reason():
    assert OPS.keys() > kernels._UNFIT
    for name in (*kernels._UNFIT, "philox", "gather", "checked"):
        with pytest.raises(ValueRangeError, match=f"kernels: '{name}'; no kernel on memory has this name"):
            kernels.elementwise(name, float)
