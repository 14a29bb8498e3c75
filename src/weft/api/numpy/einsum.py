"""Sums of products over named axes: einsum.

The one idea: operands are multiplied two at a time, in the cheapest order; a shared axis is a stack axis if it is
needed later and is summed otherwise, so every step is a product of stacks of matrices, or of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from string import ascii_letters
from typing import Any

from opt_einsum import contract_path, get_symbol

from weft.api.arguments import as_tensor, integer
from weft.api.destination import into
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.data_type_functions import result_type
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import diagonal, expand_dims, permute_dims, reshape, squeeze
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor

_LETTERS = "".join(sorted(ascii_letters))
Names = tuple[str, ...]  # names of axes: letters, and for an ellipsis numbers, counted from the last axis


def einsum(subscripts: Any, /, *operands: Any, out: Any = None) -> Tensor:
    """Return sums of products of cells over the axis names that the result lacks (Einstein notation).

    `subscripts` has a letter for each axis: "ij,jk->ik" is the product of two matrices. A letter that one operand has
    twice is its diagonal, "..." stands for axes that broadcast. Without "->" the result has the names that occur once,
    in alphabetical order. In place of the text each operand may be followed by a list of numbers for its axes below 52,
    and the last one by that of the result. Axes of size 1 along a name broadcast. Raises ValueRangeError for names that
    are no letters or a result with unknown or repeated names, ShapeError if they name other numbers of operands or
    axes, or axes of one name differ in size, DTypeError for `subscripts` of another type, WriteError for an `out` that
    cannot be written.

    >>> import weft
    >>> a, b = weft.asarray([[1, 2], [3, 4]]), weft.asarray([10, 1])
    >>> weft.einsum("ij,j->i", a, b).tolist(), weft.einsum("ii", a).item(), weft.einsum("ij->ji", a).tolist()
    ([12, 34], 5, [[1, 3], [2, 4]])
    >>> weft.einsum(a, [0, 1], b, [1], [0]).tolist()
    [12, 34]
    """
    if not isinstance(subscripts, str) and operands and isinstance(operands[0], (list, tuple)):
        subscripts, *operands = _with_text((subscripts, *operands))  # type: ignore[assignment]
    return _sum_of_products(subscripts, *operands, out=out)


def _with_text(given: Sequence[Any]) -> list[Any]:
    """Return (subscripts as a text, *operands) of operands that are each followed by a list of numbers of axes.

    Raises ValueRangeError for numbers that are not 0 to 51, DTypeError for no integers.
    """
    texts = ["".join([_letter(n) for n in listed]) for listed in given[1::2]]
    count = len(given) // 2
    result = f"->{''.join([_letter(n) for n in given[-1]])}" if len(given) % 2 else ""
    return [",".join(texts[:count]) + result, *given[: 2 * count : 2]]


def _letter(number: Any) -> str:
    """Return the name of an axis with a number, in alphabetical order, or "..." for an ellipsis."""
    if number is Ellipsis:
        return "..."
    number = integer("einsum", "number of an axis", number)
    if not 0 <= number < len(_LETTERS):
        raise ValueRangeError(f"einsum: the number {number} of an axis; they are 0 to {len(_LETTERS) - 1}; change it")
    return _LETTERS[number]


@from_template(32)
def _sum_of_products(subscripts: str, /, *operands: Any, out: Any = None) -> Tensor:
    tensors = [as_tensor(x) for x in operands]
    names, wanted = _read(subscripts, [x.ndim for x in tensors])
    joined = result_type(*tensors)
    sizes = _sizes(names, tensors)
    terms = [_single(el.astype(x, joined, copy=False), n, sizes) for x, n in zip(tensors, names, strict=True)]
    for step in _order([n for _, n in terms], wanted, sizes):
        taken = [terms.pop(i) for i in sorted(step, reverse=True)][::-1]
        needed = set(wanted).union(*(n for _, n in terms))
        while len(taken) > 1:
            later = needed.union(*(n for _, n in taken[2:]))
            taken[:2] = [_product(*taken[0], *taken[1], later)]
        terms.append(taken[0])
    made, found = _summed(*terms[0], set(wanted))
    made = permute_dims(made, [found.index(n) for n in wanted if n in found])
    return made if out is None else into(out, made, "einsum")


def _read(subscripts: Any, ranks: Sequence[int]) -> tuple[list[Names], Names]:
    """Return the axis names of each operand and of the result, from the text of subscripts and the operands' ranks.

    Raises DTypeError if they are no text, ShapeError if they name another number of operands or axes, ValueRangeError
    for axes of the result that no operand has, or that are named twice.
    """
    if not isinstance(subscripts, str):
        raise DTypeError(
            f"einsum: subscripts of class {type(subscripts).__name__}; a text names axes; write 'ij,jk->ik'"
        )
    text = subscripts.replace(" ", "")
    given, arrow, result = text.partition("->")
    parts = given.split(",")
    if not ranks or len(parts) != len(ranks):
        raise ShapeError(
            f"einsum: {subscripts!r} names {len(parts)} operands, and {len(ranks)} are given; give as many"
        )
    names = [_axes(subscripts, part, rank) for part, rank in zip(parts, ranks, strict=True)]
    spread = sorted({n for part in names for n in part if n.isdigit()}, key=int, reverse=True)
    if arrow:
        letters = result.replace("...", "", 1)
        before = len(result.partition("...")[0]) if "..." in result else 0
        wanted = (*letters[:before], *(spread if "..." in result else ()), *letters[before:])
    else:
        once = [n for part in names for n in part if not n.isdigit()]
        wanted = (*spread, *sorted(n for n in set(once) if once.count(n) == 1))
    unknown = [n for n in wanted if not any(n in part for part in names)]
    if unknown or len(set(wanted)) != len(wanted):
        what = f"{unknown[0]!r}, which no operand has" if unknown else "a name twice"
        raise ValueRangeError(f"einsum: {subscripts!r} asks for {what}; a result has names of operands, each once")
    return names, wanted


def _axes(subscripts: str, part: str, rank: int) -> Names:
    """Return the names of an operand's axes; the axes of an ellipsis are numbered from the last one.

    Raises ValueRangeError for names that are no letters, ShapeError if the rank does not fit.
    """
    letters = part.replace("...", "", 1)
    if not all(c.isascii() and c.isalpha() for c in letters):
        raise ValueRangeError(
            f"einsum: {part!r} in {subscripts!r}; axes are named by letters, and '...' stands for others"
        )
    more = rank - len(letters)
    if more < 0 or (more and "..." not in part):
        raise ShapeError(f"einsum: {part!r} in {subscripts!r} for an operand of rank {rank}; give each axis a letter")
    before = len(part.partition("...")[0]) if "..." in part else 0
    return (*letters[:before], *(str(i) for i in range(more - 1, -1, -1)), *letters[before:])


def _sizes(names: Sequence[Names], tensors: Sequence[Tensor]) -> dict[str, int]:
    """Return the size of each axis name; raises ShapeError if operands differ in it."""
    sizes: dict[str, int] = {}
    for part, x in zip(names, tensors, strict=True):
        for name, size in zip(part, x.shape, strict=True):
            known = sizes.setdefault(name, size)
            if known == 1:
                sizes[name] = size
            elif size not in (1, known):
                raise ShapeError(
                    f"einsum: axes named {name!r} have sizes {known} and {size}; they are of one; reshape one"
                )
    return sizes


def _single(x: Tensor, names: Names, sizes: dict[str, int]) -> tuple[Tensor, Names]:
    """Return (operand, names) with each name on one axis, by taking diagonals; broadcast axes are dropped.

    Raises ShapeError if two axes of a diagonal differ in size.
    """
    for name in {n for n in names if names.count(n) > 1}:
        while names.count(name) > 1:
            first = names.index(name)
            second = names.index(name, first + 1)
            if x.shape[first] != x.shape[second]:
                raise ShapeError(
                    f"einsum: a diagonal of axes of sizes {x.shape[first]} and {x.shape[second]}; they are of one size"
                )
            x = diagonal(x, axis1=first, axis2=second)
            names = (*(n for i, n in enumerate(names) if i not in (first, second)), name)
    spread = [i for i, n in enumerate(names) if x.shape[i] == 1 and sizes[n] != 1]
    return squeeze(x, axis=spread), tuple(n for i, n in enumerate(names) if i not in spread)


def _order(names: Sequence[Names], wanted: Names, sizes: dict[str, int]) -> list[tuple[int, ...]]:
    """Return the indices of the two terms to multiply at each step; each product becomes the last term."""
    if len(names) < 3:
        return [tuple(range(len(names)))]
    letter = {n: get_symbol(i) for i, n in enumerate(sizes)}
    text = ",".join("".join(letter[n] for n in part) for part in names) + "->" + "".join(letter[n] for n in wanted)
    shapes = [tuple(sizes[n] for n in part) for part in names]
    path: list[tuple[int, ...]] = contract_path(text, *shapes, shapes=True)[0]
    return path


def _summed(x: Tensor, names: Names, needed: set[str]) -> tuple[Tensor, Names]:
    """Return (x summed over axes with names that are not `needed`, in its dtype, names of the axes left)."""
    axes = [i for i, n in enumerate(names) if n not in needed]
    if not axes:
        return x, names
    return st.sum(x, axis=axes, dtype=x.dtype), tuple(n for n in names if n in needed)


def _product(a: Tensor, an: Names, b: Tensor, bn: Names, needed: set[str]) -> tuple[Tensor, Names]:
    """Return (product of terms a and b, its names), summed over shared names that are not in `needed`."""
    a, an = _summed(a, an, needed | set(bn))
    b, bn = _summed(b, bn, needed | set(an))
    stack = tuple(n for n in an if n in bn and n in needed)
    inner = tuple(n for n in an if n in bn and n not in needed)
    rows = tuple(n for n in an if n not in bn)
    columns = tuple(n for n in bn if n not in an)
    if inner and not stack and len(columns) > len(rows):  # the operand of more axes is the one that tiles cut
        return _product(b, bn, a, an, needed)
    a = permute_dims(a, [an.index(n) for n in (*stack, *rows, *inner)])
    b = permute_dims(b, [bn.index(n) for n in (*stack, *inner, *columns)])
    k, shape = len(stack), a.shape
    if inner:
        lead, r = shape[:k], shape[k : k + len(rows)]
        c = b.shape[k + len(inner) :]
        common = prod(shape[k + len(rows) :])
        many = (prod(r),) if lead else r  # rows stay apart, as tiles over files cut them
        made = matmul(reshape(a, (*lead, *many, common)), reshape(b, (*lead, common, prod(c))))
        return reshape(made, (*lead, *r, *c)), (*stack, *rows, *columns)
    a = expand_dims(a, axis=range(a.ndim, a.ndim + len(columns)))
    b = expand_dims(b, axis=range(k, k + len(rows)))
    return a * b, (*stack, *rows, *columns)
