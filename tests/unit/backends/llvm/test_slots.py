"""Rows with numbers of their own share kernels: slots are counted from a row's first."""

import numpy as np
import pytest

import weft


def parts(count):
    return [weft.asarray(np.arange(64, dtype=np.float32) + k) for k in range(count)]


PROGRAMS = {
    "map": lambda xs: weft.concat([x * (k + 1.5) - k for k, x in enumerate(xs)]),
    "sum": lambda xs: weft.sum(weft.concat([x * (k + 1.5) - k for k, x in enumerate(xs)])),
    "sum over columns": lambda xs: weft.sum(
        weft.concat([(x * (k + 1.5) - k).reshape((8, 8)) for k, x in enumerate(xs)]), axis=0
    ),
    "variance of turned parts": lambda xs: weft.var(
        weft.concat([(x * (k + 1.5) - k).reshape((8, 8)).T for k, x in enumerate(xs)], axis=1)
    ),
    "scan": lambda xs: weft.cumulative_sum(weft.concat([x * (k + 1.5) - k for k, x in enumerate(xs)])),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_many_numbers_are_few_kernels(name):
    program = PROGRAMS[name]
    for n in (3, 60):  # short columns and long ones are summed by two kernels; more parts are computed on their own
        program(parts(n)).numpy()
    with weft.profile() as p:
        got = program(parts(40)).numpy()
    assert p.kernels_compiled == 0
    with weft.transformer("reference"):
        assert got.tobytes() == program(parts(40)).numpy().tobytes()


def test_numbers_that_several_rows_share():
    def program():
        xs, shared = parts(6), weft.asarray(3.0)
        half = weft.asarray(0.5).astype(weft.float32)
        return weft.concat(
            [weft.pad(x * half + k * shared.astype(weft.float32), 2, constant_values=7) for k, x in enumerate(xs)]
        )

    got = program().numpy()
    with weft.transformer("reference"):
        assert got.tobytes() == program().numpy().tobytes()
