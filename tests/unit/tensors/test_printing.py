"""Texts of tensors; printing computes only the cells that are shown."""

import re

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.tensors import printing
from weft.tensors.tensor import node_of

pytestmark = pytest.mark.usefixtures("transformer")


SHOWN = [
    (lambda: weft.asarray([1.0, 2.5]), "Tensor([1. , 2.5])"),
    (lambda: weft.asarray([1, 2]), "Tensor([1, 2])"),
    (lambda: weft.asarray([True, False]), "Tensor([ True, False])"),
    (lambda: weft.asarray(3.0), "Tensor(3.)"),
    (lambda: weft.asarray([1.5], dtype="float32"), "Tensor([1.5], dtype=float32)"),
    (lambda: weft.asarray([0.1], dtype="bfloat16"), "Tensor([0.1001], dtype=bfloat16)"),
    (lambda: weft.asarray([1, 2], dtype=">i4"), "Tensor([1, 2], dtype='>i4')"),
    (lambda: weft.asarray([1 + 2j]), "Tensor([1.+2.j])"),
    (lambda: weft.zeros(0), "Tensor([])"),
    (lambda: weft.zeros((2, 0)), "Tensor([], shape=(2, 0))"),
    (lambda: weft.asarray([[1, 2], [3, 4]]), "Tensor([[1, 2],\n        [3, 4]])"),
    (lambda: weft.constant([1, 2]), "Tensor([1, 2], read_only=True)"),
    (lambda: weft.asarray(2.5, dtype="float32"), "Tensor(2.5, dtype=float32)"),
    (lambda: weft.asarray([1, 2], device="thread:0"), "Tensor([1, 2], device='thread:0')"),
    (lambda: weft.zeros((1, 2), dtype=">f4", device="thread:0") + 0.5,
     "Tensor([[0.5, 0.5]], dtype=float32, device='thread:0')"),
    (lambda: weft.arange(2000), "Tensor([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))"),
    (lambda: weft.zeros((2, 600), dtype="int8"),
     "Tensor([[0, 0, 0, ..., 0, 0, 0],\n        [0, 0, 0, ..., 0, 0, 0]], shape=(2, 600), dtype=int8)"),
]  # fmt: skip


@for_each("make, expected", SHOWN)
def test_repr(make, expected):
    assert repr(make()) == expected


@pytest.mark.parametrize("shape", [(5,), (40, 50), (3, 4, 200), (7, 7, 30), (2000,), (1, 1, 2000), (11, 11, 11)])
def test_values_are_laid_out_as_numpys(shape):
    a = np.linspace(-1, 1000, int(np.prod(shape))).reshape(shape)
    assert str(weft.asarray(a)) == str(a)


def test_a_tensor_without_a_value_says_so():
    x = weft.placeholder((2, 3), name="x")
    assert repr(x) == "Tensor(<placeholder 'x'>, shape=(2, 3))"
    assert repr(x[0]) == "Tensor(<placeholder 'x'>, shape=(3,))"
    assert repr(x[0] * 2 + 1) == "Tensor(<waits for placeholders>, shape=(3,))"
    assert (str(x), f"{x.sum()}") == ("<placeholder 'x'>", "<waits for placeholders>")
    assert "&lt;waits for placeholders&gt;" in (x * 2)._repr_html_()
    assert repr(weft.placeholder(dtype="f4")) == "Tensor(<placeholder 'placeholder'>, dtype=float32)"
    s = weft.storage(3, weft.int16)
    y = s.tensor()
    s.dealloc()
    assert repr(y) == "Tensor(<deallocated>, shape=(3,), dtype=int16)"


@for_each("value", [3.0, -0.0, 1e22, 1e-7, 0.1, 1 + 2j, 7, True])
@for_each("dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "?"])
def test_one_number_is_shown_as_numpys(value, dtype):
    with np.errstate(over="ignore", invalid="ignore"):
        a = np.array(value).astype(dtype) if dtype[0] == "c" or not isinstance(value, complex) else np.ones((), dtype)
    assert str(weft.asarray(a)) == str(a)


def test_numpys_print_options_hold():
    with np.printoptions(precision=2, threshold=4, edgeitems=1):
        assert str(weft.asarray(np.arange(9.0) / 7)) == str(np.arange(9.0) / 7)
    with np.printoptions(threshold=0, edgeitems=0):
        assert str(weft.asarray(np.arange(9.0).reshape(3, 3))) == str(np.arange(9.0).reshape(3, 3))


@pytest.mark.parametrize("transformer", ["cpu"], indirect=True)
def test_only_the_corners_of_a_pending_tensor_are_computed(transformer):
    x = weft.reshape(weft.arange(10**12), (10**6, 10**6)) * 2.0
    assert str(x).startswith("[[0.000000e+00 2.000000e+00")
    assert node_of(x).value is None


def test_a_pending_tensor_of_few_cells_is_kept():
    x = weft.arange(3) * 2
    assert str(x) == "[0 2 4]"
    assert node_of(x).value is not None


def test_formats():
    assert f"{weft.asarray(2.0):.3f}" == "2.000"
    assert f"{weft.arange(2)}" == "[0 1]"
    with pytest.raises(TypeError, match=r"format: '\.3f' for a tensor of shape"):
        format(weft.arange(2), ".3f")


# ---- pages of notebooks
def rows(page):
    """The texts of the cells of a page's table."""
    found = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    assert found and page.count("<td>") == sum(map(len, found))
    return found


def test_a_page_is_a_table_and_facts():
    page = weft.asarray([[1.5, -2.0], [3.0, 4.25]], dtype=">f4")._repr_html_()
    assert rows(page) == [["1.5", "-2."], ["3.", "4.25"]]
    assert "2 × 2 · float32, big-endian · 16 bytes on cpu · stored" in page
    assert "read-only" in weft.constant(1)._repr_html_() and "one number" in weft.constant(1)._repr_html_()


def test_a_page_says_whether_the_value_was_stored_and_where():
    x = weft.ones((2, 2), device="thread:0") * 2
    assert "on thread:0 · pending" in x._repr_html_()
    assert "on thread:0 · stored" in x.realize()._repr_html_()


@pytest.mark.parametrize("transformer", ["cpu"], indirect=True)
def test_a_page_of_a_huge_tensor_has_its_edges_and_computes_no_more():
    x = weft.reshape(weft.arange(10**12), (10**6, 10**6)) + 1
    found = rows(x._repr_html_())
    assert node_of(x).value is None
    assert found[0] == ["1", "2", "3", "⋯", "999998", "999999", "1000000"]
    assert found[3] == ["⋮"] * 3 + ["⋯"] + ["⋮"] * 3
    assert found[-1][-1] == "1000000000000" and len(found) == 7
    assert rows(weft.arange(1000)._repr_html_()) == [["0", "1", "2", "⋯", "997", "998", "999"]]


@pytest.mark.parametrize("make", [lambda: weft.zeros((0, 3)), lambda: weft.asarray(2), lambda: weft.ones((2, 2, 2))])
def test_other_ranks_are_text(make):
    assert f"<pre>{make()}</pre>" in make()._repr_html_()


def test_pages_are_escaped(monkeypatch):
    monkeypatch.setattr(printing.np, "array2string", lambda a, **options: "[<&>]")
    assert "<pre>[&lt;&amp;&gt;]</pre>" in weft.asarray(1)._repr_html_()
    assert "<td>&lt;&amp;&gt;</td>" in weft.asarray([1])._repr_html_()


def test_numpys_options_shape_pages():
    with np.printoptions(edgeitems=1, precision=2):
        assert rows((weft.arange(1000) / 7)._repr_html_()) == [["0.", "⋯", "142.71"]]


# ---- numbers
def test_complex_parts_are_aligned():
    assert str(weft.asarray([1 + 2.5j, -10.25 - 3j])) == "[  1.  +2.5j -10.25-3.j ]"


def test_lines_are_as_wide_as_numpys_option_says():
    x = weft.arange(24)
    with np.printoptions(linewidth=40):
        assert str(x) == str(np.arange(24)) and max(map(len, str(x).splitlines())) <= 40


def test_a_table_takes_any_format_of_numbers():
    with np.printoptions(formatter={"float_kind": lambda v: f"<{v:g}|&>"}):
        assert "<td>&lt;1|&amp;&gt;</td><td>&lt;2|&amp;&gt;</td>" in weft.asarray([1.0, 2.0])._repr_html_()
