"""Programs that write few cells in place, step after step: the values are NumPy's, and a step takes few calls."""

import operator

import numpy as np
import pytest

import weft
from tests.call_counts import calls_of
from tests.cases import for_each
from weft.errors import IndexOutOfBounds, MathError, WriteError
from weft.passes.switches import Checking
from weft.runtime.compute import engine
from weft.runtime.compute.stages import Stages
from weft.tensors.pending_limits import SMALL_DEPTH, Limits
from weft.tensors.tensor import known_node, node_of, wrap


def heat(xp):
    u = xp.zeros(50)
    u[25] = 1.0
    for _ in range(9):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def paths(xp):
    best = xp.zeros(40)
    for w in (3, 5, 7, 3, 5):
        best[w:] = xp.maximum(best[w:], best[:-w] + w * 1.5)
    return best


def sieve(xp):
    s = xp.ones(400, dtype="bool")
    s[:2] = False
    for i in range(2, 20):
        if s[i]:
            s[i * i :: i] = False
    return s


def fractal(xp):
    c = xp.linspace(-2, 1, 12)[None, :] + 1j * xp.linspace(-1, 1, 10)[:, None]
    z, k = xp.zeros((10, 12), dtype="complex128"), xp.zeros((10, 12), dtype="int32")
    for _ in range(8):
        m = abs(z) < 2
        z[m] = z[m] ** 2 + c[m]
        k[m] += 1
    return k


def cells(xp):
    a = xp.zeros((5, 6), dtype="float32")
    for i in range(5):
        for j in range(6):
            a[i, j] = i * j + 0.1
    a[-1] = a[0] + a[1]
    return a


def waves(xp):
    old, now, new = xp.zeros((9, 9)), xp.zeros((9, 9)), xp.zeros((9, 9))
    now[4, 4] = old[4, 4] = 1.0
    for _ in range(6):
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        new[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - old[1:-1, 1:-1] + 0.2 * (around - 4 * now[1:-1, 1:-1])
        old, now, new = now, new, old
    return now


def fields(xp):
    e, h = xp.zeros(30), xp.zeros(29)
    for t in range(12):
        h += 0.5 * (e[1:] - e[:-1])
        e[1:-1] += 0.5 * (h[1:] - h[:-1])
        e[3] += t * 0.25
    return e


def checkerboard(xp):
    u = xp.zeros((10, 10))
    u[0] = 1.0
    for _ in range(3):
        for a, b in ((1, 1), (2, 2), (1, 2), (2, 1)):
            u[a:-1:2, b:-1:2] = 0.25 * (
                u[a - 1 : -2 : 2, b:-1:2] + u[a + 1 :: 2, b:-1:2] + u[a:-1:2, b - 1 : -2 : 2] + u[a:-1:2, b + 1 :: 2]
            )
    return u


def ring(xp):
    buffer, rows, x = xp.zeros(4), xp.zeros((11, 3)), xp.ones(3)
    for t in range(11):
        x = x * 1.25 + t
        buffer[t % 4] = x[0]
        rows[t] = x
        rows[t, 1:] -= buffer[t % 4]
    return rows


def borders(xp):
    u = xp.ones((6, 7)) * 1.0
    for t in range(5):
        u[1:-1] *= 1.5 + t
        u[0], u[-1] = u[-2], u[1]
        u[:, 0] = u[:, -2]
        u[:, 1:] = u[:, :-1]
    return u


def rows_of_all_dtypes(xp):
    found = []
    for dtype in ("int8", "uint32", "int64", "float32", "float64"):
        a = xp.asarray(np.arange(30).reshape(5, 6), dtype=dtype, copy=True)
        a[1] += a[2]
        a[2] *= 7
        a[3:, ::2] -= a[:2, ::2]
        a[1:] += a[:-1]  # cells that are read and written
        before = a[4] * 2
        a[4] -= 1
        a[-1, -2] = a[0, 3]
        a[0] = 5
        a[2] += before
        twice = a * 2
        a[a > 5] = 4
        mask = a == 4
        a[mask] = 3
        a[mask] = twice[1, 1]
        a[0][mask[0]] = 2
        found.append(xp.astype(twice, "float64"))
        if "float" in dtype:
            a[1] /= a[0] - 5
            a[3, :4] /= a[0, :4] * 3
        found.append(xp.astype(a, "float64"))
    return xp.stack(found)


PROGRAMS = (heat, paths, sieve, fractal, cells, waves, fields, checkerboard, ring, borders, rows_of_all_dtypes)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.usefixtures("transformer")
def test_programs_that_write_in_place_give_the_values_of_numpy(program):
    for _ in range(2):  # then every program is known
        with np.errstate(all="ignore"):
            expected = program(np)
        np.testing.assert_array_equal(program(weft).numpy(), expected)


def step():
    u = weft.zeros(1000)
    u[3] = 1.0

    def run():
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])

    return run


def shift():
    u = weft.zeros(1000)
    u[3] = 1.0

    def run():
        u[7:] = weft.maximum(u[7:], u[:-7] + 1.5)

    return run


def cell():
    a = weft.zeros((30, 30))
    a[0, 0] = 1.0

    def run():
        a[3, 4] = 1.5

    return run


def row():
    a, x = weft.zeros((30, 30)), weft.ones(30)
    a[0, 0] = x[0] = 1.0

    def run():
        a[3] = x

    return run


def listed():
    a = weft.zeros((30, 3))
    a[0, 0] = 1.0

    def run():
        a[3] = [1.0, 2.0, 3.0]

    return run


def given():
    a, x = weft.zeros((30, 3)), np.ones(3)
    a[0, 0] = 1.0

    def run():
        a[3] = x

    return run


def turn():
    u = weft.zeros(1000)
    u[3] = 1.0

    def run():
        u[1:5] *= u[2:6]

    return run


def numbered_row():
    a = weft.zeros((30, 30))
    a[0, 0] = 1.0

    def run():
        a[3] = 2.5

    return run


def masked():
    a = weft.zeros((30, 30))
    a[0, 0] = 1.0
    mask = (a > 0).realize()

    def run():
        a[mask] = 2.5

    return run


def row_in_place():
    a, x = weft.zeros((30, 30)), weft.ones(30)
    a[0, 0] = x[0] = 1.0

    def run():
        a[3] += x

    return run


def cell_in_place():
    a = weft.zeros((30, 30))
    a[0, 0] = 1.0

    def run():
        a[3, 4] += 1.5

    return run


CEILINGS = {
    step: 153, shift: 85, cell: 38, row: 41, listed: 55, given: 32, turn: 113, numbered_row: 10, row_in_place: 40,
    cell_in_place: 21, masked: 14,
}  # fmt: skip


@pytest.mark.parametrize("make", CEILINGS, ids=lambda f: f.__name__)
def test_a_step_takes_no_more_calls_than_this(make, monkeypatch):
    monkeypatch.delenv("WEFT_CHECK", raising=False)
    monkeypatch.setattr(Checking, "on", False)
    monkeypatch.setattr(Stages, "used", tuple([Stages.all[stage] for stage in ("program", "run", "publish")]))
    run = make()
    for _ in range(3):
        run()
    seen = calls_of(run)
    assert seen.total() <= CEILINGS[make], (seen.total(), seen.most_common(10))


@pytest.mark.parametrize("key", [4, -5, (1, 3), (-5, 0), 10**30, (0, 10**30), (0, 0, 0)])
def test_positions_out_of_bounds_are_refused_and_change_nothing(key):
    x = weft.asarray(np.ones((4, 3)))
    for act in (lambda: x[key], lambda: operator.setitem(x, key, 2.0), lambda: operator.setitem(x, key, x[0, 0])):
        with pytest.raises(IndexOutOfBounds):
            act()
    np.testing.assert_array_equal(x.numpy(), np.ones((4, 3)))


def test_a_key_for_fewer_axes_selects_a_row():
    x = weft.asarray(np.arange(6.0).reshape(2, 3))
    assert x[(1,)].shape == x[1].shape == (3,)
    x[(1,)] = 7.0
    assert x.tolist() == [[0, 1, 2], [7, 7, 7]]


def test_operators_in_place_warn_in_a_math_mode_and_not_else():
    a = weft.asarray(np.ones((3, 4)))
    a[0] = 0.0
    a[1] /= a[0]
    assert weft.all(weft.isinf(a[1]))
    with weft.math_mode("error"), pytest.raises(MathError):
        a[2] /= a[0]
        a.realize()


def test_numbers_and_stored_cells_need_no_program_for_each_shape():
    s, x = weft.ones(500, dtype="bool"), weft.zeros(200)
    s[0] = x[0] = True
    row = weft.asarray([1.0, 2.0]).realize() * 1
    row.realize()
    programs = len(engine.current().programs.kept)
    for i in range(2, 60):
        s[i * i % 400 :: i] = False
        x[i : 2 * i] = i
        x[i : i + 2] = row
    assert len(engine.current().programs.kept) == programs


def rows(steps, out, write):
    x, s = weft.ones(3), weft.ones(3)
    for t in range(steps):
        write(out, t, x, s)
        x, s = x * 0.5, s + 0.25
    return x, s


WRITTEN_STATES = {
    "as it is": lambda out, t, x, s: out.__setitem__(t, x),
    "below": lambda out, t, x, s: out.__setitem__(t, weft.sqrt(s) * t),
    "in place": lambda out, t, x, s: out[t].__iadd__(weft.sqrt(s) + x),
    "to a part": lambda out, t, x, s: out[t, :2].__iadd__((s + x)[1:]),
}


@pytest.mark.parametrize("write", WRITTEN_STATES.values(), ids=WRITTEN_STATES)
def test_a_state_is_computed_once_for_the_rows_written_of_it(write, monkeypatch):
    monkeypatch.setattr(Limits, "unsearched", 0)  # searches of other tests put off the next one
    out = weft.zeros((90, 3))
    out[0, 0] = 0.0
    rows(2 * (SMALL_DEPTH + 1), out, write)  # what no row reads is computed from its start, then from stored cells
    programs = len(engine.current().programs.kept)
    x, s = rows(90, out, write)
    assert len(engine.current().programs.kept) == programs
    assert x.tolist() == [0.5**90] * 3 and s.tolist() == [23.5] * 3


WRITES_TO_BROADCASTS = {
    "in place": lambda rows, value: rows[0].__iadd__(value),
    "to a row": lambda rows, value: rows.__setitem__(0, value),
    "to a view": lambda rows, value: rows[0].__setitem__(slice(None), value),
    "a pending value": lambda rows, value: rows.__setitem__(0, value + 1),
}


@pytest.mark.parametrize("write", WRITES_TO_BROADCASTS.values(), ids=WRITES_TO_BROADCASTS)
def test_a_row_of_a_broadcast_is_refused_also_after_a_write_to_cells_laid_out_like_it(write):
    x, value = weft.zeros(4), weft.asarray([1.0, 2.0, 3.0, 4.0])
    x[:] = value
    x += value
    with pytest.raises(WriteError, match="several coordinates on one cell"):
        write(weft.broadcast_to(x, (3, 4)), value)
    assert x.tolist() == [2, 4, 6, 8]


@pytest.mark.parametrize("size", [5, 10000])
def test_a_value_that_reads_the_cells_is_computed_before_they_change(size):
    x, want = weft.arange(float(size)) * 1, np.arange(float(size))
    for _ in range(3):
        x[1:] += x[:-1] * 2
        want[1:] += want[:-1] * 2
        x[1:] = x[:-1]
        want[1:] = want[:-1].copy()
        before, old = x + 0.5, want[2]
        x[2:4] = x[:2] * x[2:4]
        want[2:4] *= want[:2]
        assert before[2].item() == old + 0.5
    assert x.tolist() == want.tolist()


def test_a_state_of_few_cells_is_stored_when_a_part_of_it_is_read():
    def states(steps):
        x, s = weft.ones(3), weft.ones(3)
        for _ in range(steps):
            ((s + x)[1:] * 2).realize()
            x, s = x * 0.5, s + 0.25
        return x, s

    states(6)
    programs = len(engine.current().programs.kept)
    x, s = states(50)
    assert len(engine.current().programs.kept) == programs
    assert known_node(s).depth <= 2
    assert x.tolist() == [0.5**50] * 3 and s.tolist() == [13.5] * 3


NUMBERS = (
    0,
    1,
    -1,
    0.1,
    -0.0,
    1e-9,
    3e38,
    3.5e38,
    1e300,
    5e-324,
    float("inf"),
    float("-inf"),
    float("nan"),
    65519.9,
    1e-46,
)


@for_each("dtype", [d for d in weft.dtypes.ALL if d.is_inexact])
@for_each("number", NUMBERS)
def test_a_number_is_rounded_as_in_an_expression(dtype, number):
    x, y = weft.zeros((2, 3), dtype=dtype), weft.zeros((2, 3), dtype=dtype)
    x[0, 0] = number
    x[1, 1:] = number
    given = weft.astype(weft.asarray(np.array(number, np.float64)), dtype)
    y[0, 0] = given
    y[1, 1:] = given
    assert x.numpy().tobytes() == y.numpy().tobytes()


@pytest.mark.parametrize("named", [False, True])
def test_an_operand_with_a_name_keeps_its_value(named):
    u, v = weft.asarray(np.arange(8.0)) * 1, np.arange(8.0)
    u.realize()
    for _ in range(3):
        step, other = u[2:] - u[:-2], v[2:] - v[:-2]
        twice = u[1:-1] * 2 if named else None
        u[1:-1] += step
        v[1:-1] += other
        np.testing.assert_array_equal(step.numpy(), other)
        assert twice is None or twice.tolist() == (2 * (v[1:-1] - other)).tolist()
    np.testing.assert_array_equal(u.numpy(), v)


def test_cells_of_a_value_that_is_a_view_stay_where_they_are():
    x = wrap(node_of((weft.asarray(np.arange(10.0)) * 1).realize()[2:]))
    cell = x[1]
    assert [(cell + 0).item(), (cell + 0).item(), cell.item()] == [3.0, 3.0, 3.0]


def test_views_that_are_kept_follow_the_writes():
    u, v = weft.zeros((4, 5)), np.zeros((4, 5))
    u[0, 0] = v[0, 0] = 1.0
    kept, cells = (u[1], u[:, 2], u[::2, 1:3]), (v[1], v[:, 2], v[::2, 1:3])
    for t in range(4):
        u[1:3] += t
        v[1:3] += t
        kept[2][0] += u[1, :2]
        cells[2][0] += v[1, :2]
        for a, b in zip(kept, cells, strict=True):
            np.testing.assert_array_equal(a.numpy(), b)
    assert float(kept[0][3]) == v[1, 3]


def test_read_only_cells_are_refused_even_where_they_would_stay_as_they_are():
    x = weft.asarray(np.arange(5.0)) * 1
    view = x[1:3]
    view += 1
    locked = np.arange(5.0)
    locked.flags.writeable = False
    y = weft.asarray(locked)
    with pytest.raises(WriteError, match="read-only"):
        y[1:3] = y[1:3]
    x[1:3] = view
    assert x.tolist() == [0, 2, 3, 3, 4]


def test_a_mask_that_is_used_again_is_read_again_where_it_was_written():
    x, mask = (weft.asarray(np.arange(6.0).reshape(2, 3)) * 1).realize(), weft.zeros((2, 3), dtype="bool")
    mask[0, 1] = True
    assert x[mask].tolist() == x[mask].tolist() == [1.0]
    mask[1, 2] = True
    assert x[mask].tolist() == [1.0, 5.0]
    x[mask] = 7.0 + x[mask]
    assert x.tolist() == [[0, 8, 2], [3, 4, 12]]
    shared = mask.numpy()
    assert x[mask].tolist() == [8.0, 12.0]
    shared[0, 0] = True
    assert x[mask].tolist() == [0.0, 8.0, 12.0]
    del shared
    shared = np.ones((2, 3), bool)
    other = weft.asarray(shared)
    assert x[other].size == 6
    shared[0] = False
    assert x[other].tolist() == [3, 4, 12]
    mask &= other
    assert x[mask].tolist() == [12.0]


def test_a_mask_whose_storage_was_taken_since_is_read_again():
    x, mask = weft.asarray(np.arange(6.0).reshape(2, 3)), weft.zeros((2, 3), dtype="bool")
    mask[0, 1] = True
    assert x[mask].tolist() == [1.0]
    mask.storage.numpy()[5] = True
    assert x[mask].tolist() == [1.0, 5.0]


def test_a_mask_on_another_device_is_read_again_where_it_was_written():
    x, mask = weft.asarray(np.arange(6.0).reshape(2, 3)), weft.zeros((2, 3), dtype="bool", device="thread:0")
    mask[0, 1] = True
    assert x[mask].tolist() == [1.0]
    mask[1, 2] = True
    assert x[mask].tolist() == [1.0, 5.0]
    x[mask] = 7.0
    mask[0] = False
    assert x[mask].tolist() == [7.0]


LAYOUTS = {
    "rows": lambda a: a,
    "transposed": lambda a: a.T if isinstance(a, np.ndarray) else weft.permute_dims(a, (2, 1, 0)),
    "every other": lambda a: a[::2],
    "cut": lambda a: a[1:, 1:, 1:],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rank", [2, 3])
def test_masks_over_several_axes_read_and_write_as_in_numpy(layout, rank):
    a = np.arange(120.0).reshape(4, 5, 6)
    x = (weft.asarray(a.copy()) * 1).realize()
    a, x = LAYOUTS[layout](a), LAYOUTS[layout](x)
    mask = np.arange(np.prod(a.shape[:rank])).reshape(a.shape[:rank]) % 3 == 1
    for key in (mask, weft.asarray(mask)):
        np.testing.assert_array_equal(x[key].numpy(), a[mask])
        x[key] = x[key] * 2 + 1
        a[mask] = a[mask] * 2 + 1
        x[key] -= weft.asarray(a[0, 0, 0])
        a[mask] -= a[0, 0, 0]
        np.testing.assert_array_equal(x.numpy(), a)
    none = np.zeros(a.shape[:rank], bool)
    assert x[none].shape == a[none].shape
    x[none] = weft.zeros(a[none].shape)
    np.testing.assert_array_equal(x.numpy(), a)
