"""Keywords of habit stand for those of the array API, everywhere; what two libraries read differently raises."""

import inspect
import re

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.api.habits import HABITS, TWO_READINGS, accepting, spellings
from weft.errors import ArgumentError, MissingImplementation, WeftError

A = np.asarray([[4.0, 1.0, 2.0], [8.0, 5.0, 7.0]])
X = weft.asarray(A)
SPACES = {"": weft, "linalg": weft.linalg, "fft": weft.fft, "nn": weft.nn}
TAKING = {
    f"{space}.{name}".lstrip("."): getattr(module, name)
    for space, module in SPACES.items()
    for name in module.__all__
    if hasattr(getattr(module, name), "name_in_numpy")
}


@pytest.mark.parametrize("space", SPACES)
def test_every_function_with_such_an_argument_takes_its_names_of_habit(space):
    """But not `open` and `apply_along_axis`, whose options are of formats and functions, and what takes it by place."""
    for name in SPACES[space].__all__:
        thing = getattr(SPACES[space], name)
        if inspect.isfunction(thing) and name not in ("open", "overlay", "apply_along_axis"):
            kinds = {p.name: p.kind for p in inspect.signature(thing).parameters.values()}
            named = {n for n in ("axis", "axes", "keepdims", "correction") if kinds.get(n, 0) != 0 and n in kinds}
            habits = spellings(thing).names if hasattr(thing, "name_in_numpy") else {}
            assert named == {habits[h] for h in HABITS if h in habits and kinds[habits[h]] and habits[h] != "shape"}, (
                name
            )


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "any", "all", "argmin", "argmax"])
def test_reductions_and_methods(name):
    function, method = getattr(weft, name), getattr(X, name)
    wanted = getattr(np, name)(A, axis=1, keepdims=True)
    assert np.array_equal(function(X, dim=1, keepdim=True).numpy(), wanted)
    assert np.array_equal(method(dim=1, keepdim=True).numpy(), wanted)


def test_degrees_of_freedom():
    for name in ("std", "var"):
        assert np.allclose(getattr(weft, name)(X, ddof=1).numpy(), getattr(np, name)(A, ddof=1))
        assert np.allclose(getattr(X, name)(axis=0, ddof=1).numpy(), getattr(np, name)(A, axis=0, ddof=1))
    assert np.allclose(weft.nanstd(X, ddof=1).numpy(), np.nanstd(A, ddof=1))
    assert np.allclose(weft.cov(X, ddof=0).numpy(), np.cov(A, ddof=0))
    assert weft.std(X, dim=0, correction=1).tolist() == weft.std(X, dim=0, ddof=1).tolist()


def test_other_functions():
    assert weft.concat([X, X], dim=1).shape == (2, 6) and weft.stack([X, X], dim=2).shape == (2, 3, 2)
    assert np.array_equal(weft.flip(X, dims=(0, 1)).numpy(), A[::-1, ::-1])
    assert np.array_equal(weft.roll(X, 1, dims=1).numpy(), np.roll(A, 1, axis=1))
    assert weft.permute_dims(X, dims=(1, 0)).shape == (3, 2) and weft.squeeze(X[:, :1], dim=1).shape == (2,)
    assert weft.nn.softmax(X, dim=1).tolist() == weft.nn.softmax(X, axis=1).tolist()
    assert weft.fft.fft(X, dim=0).tolist() == weft.fft.fft(X, axis=0).tolist()
    assert weft.linalg.vector_norm(X, dim=1, keepdim=True).shape == (2, 1)
    assert weft.argsort(X, dim=0).tolist() == np.argsort(A, axis=0).tolist()


@pytest.mark.parametrize(("name", "habit"), TWO_READINGS)
def test_calls_that_two_libraries_read_differently_raise(name, habit):
    if not hasattr(weft, name):
        pytest.skip("no such function yet")
    arguments = (X, 2) if name == "split" else (X,)
    spellings = TWO_READINGS[name, habit][1]
    with pytest.raises(
        ArgumentError, match=re.escape(f"{name}({habit}=): two readings; {TWO_READINGS[name, habit][0]}")
    ):
        getattr(weft, name)(*arguments, **{habit: 1})
    for function in re.findall(r"(\w+)\(x", spellings):
        assert hasattr(weft, function)


@pytest.mark.parametrize(
    ("call", "message"),
    {
        "twice": (lambda: weft.sum(X, axis=0, dim=1), "sum: both axis=0 and dim=1; dim is another name of axis"),
        "by place": (lambda: weft.concat([X], 0, dim=1), "concat: both axis=0 and dim=1; dim is another name of axis"),
        "two habits": (lambda: weft.flip(X, dim=0, dims=1), "flip: both axis=0 and dims=1; dims is another name"),
        "unknown": (lambda: weft.mean(X, axes=1), "mean: no argument axes=1; it takes x, axis, dtype, keepdims, out"),
        "not taken": (lambda: weft.flip(X, ddof=1), "flip: no argument ddof=1; it takes x, axis; give one of these"),
    }.values(),
)  # fmt: skip
def test_faults_of_keywords(call, message):
    with pytest.raises(ArgumentError, match=re.escape(message)) as caught:
        call()
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, WeftError)


def test_other_faults_of_arguments():
    with pytest.raises(TypeError, match="flip: no argument nonsense=1; it takes x, axis"):
        weft.flip(X, nonsense=1)
    with pytest.raises(weft.errors.DTypeError, match="flip: axis 'a'"):
        weft.flip(X, axis="a")


@for_each("name", TAKING)
def test_help_shows_the_documented_names(name):
    shown = inspect.signature(TAKING[name]).parameters
    assert TAKING[name].__name__ == name.rpartition(".")[2] and TAKING[name].__doc__
    assert not {*HABITS, "habits"} & set(shown)
    assert set(spellings(TAKING[name]).names.values()) <= set(shown)


def test_a_value_equal_to_the_default_counts_as_given():
    with pytest.raises(ArgumentError, match="stack: both axis=0 and dim=1"):
        weft.stack([X], axis=0, dim=1)
    assert weft.gradient(X, 1.0, dim=1).tolist() == weft.gradient(X, 1.0, axis=1).tolist()


def test_methods_without_named_arguments_stay_as_they_are():
    def method(self, *index):
        return self

    assert accepting(method) is method


# Functions of any keyword, and methods without named arguments: Python refuses the rest.
OPEN = {
    "apply_along_axis", "device", "explain", "find_nodes", "fromfunction", "genfromtxt", "loadtxt", "named",
    "open", "open_all", "piecewise", "save", "savetxt", "savez", "scope", "set_strict", "store", "strict",
    "Tensor.byteswap", "Tensor.dealloc", "Tensor.detach", "Tensor.item", "Tensor.numpy", "Tensor.own",
    "Tensor.realize", "Tensor.replicate", "Tensor.shallow", "Tensor.sort", "Tensor.sync", "Tensor.to_numpy",
    "Tensor.tolist", "Tensor.view",
}  # fmt: skip
NAMESPACES = ("autograd", "cluster", "fft", "linalg", "modules", "nn", "ocean")
PUBLIC = {
    f"{space}.{name}".lstrip("."): getattr(module, name)
    for space, module in {"": weft, **{s: getattr(weft, s) for s in NAMESPACES}}.items()
    for name in module.__all__
    if inspect.isfunction(getattr(module, name)) and name[0] != "_"
} | {f"Tensor.{name}": f for name, f in vars(weft.Tensor).items() if inspect.isfunction(f) and name[0] != "_"}


@pytest.mark.parametrize("space", ["", *NAMESPACES, "Tensor"])
def test_wrong_arguments_raise_errors_of_weft(space):
    """Too few and too many arguments, and one of an unknown name."""
    names = [name for name in PUBLIC if name.rpartition(".")[0] == space and name not in OPEN]
    for name in names:
        _refuses_wrong_arguments(PUBLIC[name])
    assert names


CLASSES = {
    "Allocator": weft.Allocator,
    "Device": weft.Device,
    "Domain": weft.Domain,
    "Event": weft.Event,
    "Projection": weft.Projection,
}
KERNELS = {name: getattr(weft.kernels, name) for name in weft.kernels.__all__}
FIELDS = {name: getattr(weft.random, name) for name in ("Generator", "default_rng")}
MISFITS = {f"weft.{name}": getattr(weft, name) for name in OPEN if "." not in name} | CLASSES | KERNELS | FIELDS


@for_each("name", sorted(MISFITS))
def test_functions_of_any_keyword_and_classes_refuse_what_does_not_fit(name):
    called, said = MISFITS[name], name.removeprefix("weft.")
    kinds = inspect.Parameter
    taken = inspect.signature(called).parameters.values()
    missing = [p.name for p in taken if p.default is kinds.empty and p.kind < kinds.VAR_POSITIONAL]
    if missing:
        with pytest.raises(ArgumentError, match=rf"^{said}: no {missing[0]}; it has no value of its own; give it$"):
            called()
    if all(p.kind is not kinds.VAR_POSITIONAL for p in taken):
        with pytest.raises(ArgumentError, match=rf"^{said}: 9 positional arguments; it takes "):
            called(*[X] * 9)
    if all(p.kind is not kinds.VAR_KEYWORD for p in taken):
        with pytest.raises(ArgumentError, match=rf"^{said}: no argument nonsense=1; it takes .*; give one of these$"):
            called(*[X] * len(missing), nonsense=1)


def test_dtypes_and_devices_refuse_what_does_not_fit():
    with pytest.raises(ArgumentError, match=r"^DType: no obj; "):
        weft.float32()
    with pytest.raises(ArgumentError, match=r"^Tensor: no argument of=2; it takes shape, dtype, "):
        weft.Tensor(1, of=2)
    for made_by in (weft.Storage, weft.TensorDescription):
        with pytest.raises(ArgumentError, match=rf"^{made_by.__name__}: the class is not called; "):
            made_by(1, of=2)
    with pytest.raises(ArgumentError, match=r"^QRResult: no R; "):
        weft.linalg.QRResult(X)
    with pytest.raises(MissingImplementation, match=r"^Allocator: it names no kind of memory; "):
        weft.Allocator("plain").memory(8)
    with pytest.raises(ArgumentError, match=r"^Device: 2 positional arguments; it takes obj; "):
        weft.cpu(X, X)
    with pytest.raises(ArgumentError, match=r"^save: path='x', and path by its place; it has one value; give it once$"):
        weft.save("x.npy", X, path="x")
    with pytest.raises(TypeError, match="unhashable type") as found:  # an error of what was called stays as it is
        weft.fromfunction(lambda i: {[]: i}, (2,))
    assert not isinstance(found.value, WeftError)


def _refuses_wrong_arguments(function):
    kinds = inspect.Parameter
    parameters = spellings(function).taken
    required = [p for p in parameters if p.default is kinds.empty and p.kind is not kinds.VAR_POSITIONAL]
    placed = [X for p in required if p.kind is not kinds.KEYWORD_ONLY]
    named = {p.name: X for p in required if p.kind is kinds.KEYWORD_ONLY}
    said = function.__name__
    with pytest.raises(ArgumentError, match=rf"^{said}: no argument nonsense=1; it takes .*; give one of these"):
        function(*placed, **named, nonsense=1)
    if required:
        with pytest.raises(ArgumentError, match=rf"^{said}: no \w+; it has no value of its own; give it"):
            function()
    if not any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        with pytest.raises(ArgumentError, match=rf"^{said}: {len(parameters) + 9} positional arguments; it takes "):
            function(*[X] * (len(parameters) + 9), **named)
    assert inspect.signature(function).parameters.keys() == {p.name for p in parameters}


@pytest.mark.parametrize(
    ("call", "message"),
    {
        "order": (lambda: weft.sort(X, order="f"), "sort: no argument order='f', which NumPy has; write x[lexsort("),
        "UPLO": (lambda: weft.linalg.eigh(X, UPLO="U"), "eigh: no argument UPLO='U', which NumPy has; write linalg.e"),
        "mse_loss": (lambda: weft.nn.mse_loss(X, X[:, :2]), "mse_loss: shapes (2, 3) and (2, 2) do not broadcast"),
        "nothing": (lambda: weft.grad(weft.sum)(None), "grad: the arguments to differentiate by are None; they "),
        "no weight": (lambda: weft.nn.layer_norm(X, {}), "asarray: dict has no numbers weft can read; give an array"),
        "by place": (lambda: weft.find_nodes(x=3), "find_nodes: x=3; x is given by its place; leave out the name"),
        "steps": (lambda: weft.doall(None), "doall: steps None; several are needed; give them in a list or tuple"),
        "embed": (lambda: weft.show(X, embed="all"), "show: embed 'all'; it must be an integer; convert it with int()"),
    }.values(),
)  # fmt: skip
def test_faults_say_what_to_do(call, message):
    with pytest.raises(WeftError, match=re.escape(message)):
        call()


def test_element_wise_functions_take_what_changes_nothing_and_an_array_by_place():
    x, out = weft.ones(3), np.zeros(3)
    assert weft.add(x, 1, where=True, casting="same_kind", order="K", dtype=None, subok=True).tolist() == [2, 2, 2]
    assert weft.add(x, 1, out) is out and out.tolist() == [2, 2, 2]
    assert weft.negative(x, x) is x and x.tolist() == [-1, -1, -1]


def test_a_graph_of_gradients_is_retained_anyway():
    x = weft.asarray([1.0, 2.0]).requires_grad_()
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=False)
    assert x.grad.tolist() == [4, 8]
    (gradient,) = weft.autograd.grad(x * x, [x], grad_outputs=weft.ones(2), allow_unused=True)
    assert gradient.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: weft.std(X, axis=5), "std"),
        (lambda: np.std(X, axis=5), "std"),
        (lambda: X.std(axis=5), "std"),
        (lambda: weft.std(weft.asarray([True])), "std"),
        (lambda: weft.nanstd(X, axis=5), "nanstd"),
        (lambda: weft.ptp(X, axis=5), "ptp"),
        (lambda: weft.median(X, axis=5), "median"),
        (lambda: weft.append(X, [1], axis=5), "append"),
        (lambda: weft.hstack([X, weft.ones((5, 5))]), "hstack"),
        (lambda: weft.cumsum(X, axis=5), "cumsum"),
        (lambda: weft.dot(X, weft.ones((5, 5))), "dot"),
        (lambda: weft.cumsum(X, out=3), "cumsum"),
        (lambda: weft.trace(X, out=3), "trace"),
    ],
)
def test_errors_name_the_function_that_was_called(call, name):
    with pytest.raises(WeftError) as caught:
        call()
    assert str(caught.value).startswith(f"{name}: ")


def test_errors_of_values_and_of_arguments_keep_their_name():
    singular = weft.linalg.solve(weft.zeros((2, 2)), weft.ones(2))
    with pytest.raises(weft.errors.LinAlgError, match=r"^solve: "):
        weft.unique(singular)
    with pytest.raises(weft.errors.DTypeError, match=r"^asarray: "):
        weft.std("a")
