"""The LLVM text of representative kernels, so that a change of the emitters shows what it changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from tests.drafts import signature
from weft.backends import cpu
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.jit import jit
from weft.backends.llvm.jit.linked import CodeLoader
from weft.backends.llvm.nest import prefetches, structure
from weft.passes.pipeline import plan
from weft.tensors.tensor import Tensor, node_of

N = 100_000


def of(dtype: str, *shape: int) -> Tensor:
    return weft.asarray(np.zeros(shape or (N,), dtype))


EXPRESSIONS: dict[str, Callable[[], Tensor]] = {
    "add_float32": lambda: of("f4") + of("f4"),
    "add_big_endian": lambda: of(">f4") + of("f4"),
    "copy_reversed": lambda: weft.copy(weft.flip(of("f8"))),
    "multiply_every_second": lambda: of("f4")[::2] * 2,
    "divide_int32": lambda: of("i4") // of("i4"),
    "where_bool": lambda: weft.where(of("i1") > 0, of("i2"), of("i2")),
    "float64_to_int8": lambda: of("f8").astype(weft.int8),
    "add_bfloat16": lambda: of("f4").astype(weft.bfloat16) + of("f4").astype(weft.bfloat16),
    "multiply_complex64": lambda: of("c8") * of("c8"),
    "exp_float32": lambda: weft.exp(of("f4")),
    "iota": lambda: weft.arange(N) * 3,
    "gather": lambda: of("f4")[np.arange(N) ** 2 % N],
    "uniform_float32": lambda: weft.random.uniform((N,), seed=1, dtype=weft.float32),
    "sum_rows": lambda: (of("f4", 100, 1000) * of("f4", 100, 1000)).sum(axis=1),
    "sum_columns": lambda: of("f4", 1000, 100).sum(axis=0),
    "argmax": lambda: of("i4").argmax(),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_kernels(name: str, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    get = jit._code_of

    def spy(key: str, emit: Callable[[], jit.Text]) -> object:
        if "|" in key:  # a kernel of its own; drivers and routines are the same for all
            made.append(f"; {key}\n{emit().source.strip()}\n")
        return get(key, emit)

    monkeypatch.setattr(jit, "loader", CodeLoader())
    monkeypatch.setattr(jit, "_code_of", spy)
    monkeypatch.setattr(prefetches, "FORESEEING", ())  # on every CPU the same text
    monkeypatch.setattr(structure, "masked_widths", lambda: PROCESSOR.masked)
    made_plan, *_ = plan(signature([node_of(EXPRESSIONS[name]())])[1])
    for step in made_plan.steps:
        cpu.lower(step)
    golden(f"kernels/{name}.ll", "\n".join(made))
