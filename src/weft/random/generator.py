"""A generator of random numbers with NumPy's methods: every call draws from a field of another seed.

The one idea: the state is a count of calls.  The n-th call draws from the field of seed `fold(seed, n)`, so results are
as lazy and as reproducible as all fields; they differ from the numbers of NumPy's generators.
"""

from __future__ import annotations

import secrets
from itertools import count
from types import FunctionType
from typing import Any

import numpy as np

from weft.api.argument_errors import refusing
from weft.api.arguments import as_tensor, flag, integer, number, one_axis, shape_of
from weft.api.numpy.foreign_names import missing_method
from weft.api.standard.creation_functions import asarray
from weft.api.standard.elementwise_functions import astype, exp, log
from weft.api.standard.indexing_functions import take
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import broadcast_shapes, matrix_transpose
from weft.api.standard.searching_functions import searchsorted
from weft.errors import DTypeError, OutOfMemory, ShapeError, ValueRangeError
from weft.interop.numpy.names import numpy_errors
from weft.interop.numpy.values import computed
from weft.linalg import cholesky
from weft.random import fields
from weft.tensors.tensor import Tensor
from weft.tensors.tracing import Trace


def _shape(name: str, size: Any, *parameters: Any) -> Any:
    """Return the shape `size`, or if it is None the shape to which the parameters broadcast.

    Raises ShapeError for a negative size or parameters that do not broadcast, DTypeError for sizes that are no
    integers.
    """
    if size is not None:
        return shape_of(name, size)
    return broadcast_shapes(*[np.shape(_operand(x)) for x in parameters]) if parameters else ()


def _operand(x: Any) -> Any:
    """Return a number unchanged, any other object as a tensor.

    Raises DTypeError for an object without numbers.
    """
    return x if isinstance(x, (bool, int, float, complex)) else as_tensor(x)


def _table(name: str, weights: Any) -> Tensor:
    """Return the running sums of the probabilities `weights`, a vector, as float64.

    Raises ValueRangeError, naming `name`, if they are negative, do not sum to 1 (to 1e-6), or have several axes.
    """
    w = np.asarray(weights, np.float64)
    if w.ndim != 1 or not (w >= 0).all() or abs(w.sum() - 1) > 1e-6:
        raise ValueRangeError(
            f"{name}: p of shape {w.shape}, sum {w.sum()}; probabilities of one axis; divide by the sum"
        )
    return asarray(np.cumsum(w) / w.sum())


# Distributions that are drawn at once by a generator of NumPy's.
_BY_NUMPY = (
    "beta bytes chisquare dirichlet f gamma geometric hypergeometric logseries multinomial multivariate_hypergeometric "
    "negative_binomial noncentral_chisquare noncentral_f pareto permuted power rayleigh standard_cauchy standard_gamma "
    "standard_t triangular vonmises wald weibull zipf"
)


class Generator:
    """A generator of random tensors with the methods of NumPy's Generator; made by `weft.random.default_rng`.

    `size` is the shape of the result, None for the shape to which the parameters broadcast. Parameters are numbers,
    lists, arrays or tensors. Calls from several threads draw different numbers, in the order of the calls. All methods
    raise ShapeError for a negative size or parameters that do not broadcast to it, DTypeError for sizes and parameters
    that are no numbers, ValueRangeError for a number out of the range of a parameter: NaN, a negative scale, an empty
    interval. Distributions without a formula for a cell (`gamma`, `beta`, `dirichlet`, ...) are drawn at once by NumPy.

    >>> import weft
    >>> rng = weft.random.default_rng(7)
    >>> rng.normal(size=(2, 3)).shape, rng.integers(10, size=4).dtype
    ((2, 3), weft.int64)
    >>> bool((rng.random(5) == weft.random.default_rng(7).random(5)).any())
    False
    """

    def __init__(self, seed: int) -> None:
        self._seed = fields.fold(seed)
        self._calls = count()

    def __repr__(self) -> str:
        return f"weft.random.default_rng({self._seed})"

    def __getattr__(self, name: str) -> Any:
        raise missing_method("random", self, name)

    def _next(self) -> int:
        """Return the seed of the next draw, and count it; inside a trace the seed is a traced number."""
        trace = Trace.here()
        return self.drawn() if trace is None else trace.draw(self.drawn)

    def drawn(self) -> int:
        """Return the seed of the next draw, and count it; not traced."""
        return fields.fold(self._seed, next(self._calls))

    @property
    def state(self) -> tuple[int, int]:
        """The seed that draws are folded from, and the number of draws so far."""
        return self._seed, int(repr(self._calls)[6:-1])  # its repr is "count(n)"

    @classmethod
    def of_state(cls, seed: int, calls: int) -> Generator:
        """Return a generator that continues from a state: the seed that draws are folded from, and the draws so far."""
        made = cls(seed)
        made._seed, made._calls = seed, count(calls)
        return made

    def spawn(self, n_children: int) -> list[Generator]:
        """Return a list of `n_children` independent generators.

        Raises DTypeError for a number that is no integer, OutOfMemory for more than 2**24.
        """
        children = integer("spawn", "number", n_children)
        if children > 1 << 24:
            raise OutOfMemory(f"spawn: {children} generators; each is an object of its own; give a smaller number")
        return [Generator(self._next()) for _ in range(children)]

    def _field(self, name: str, size: Any, **parameters: Any) -> Tensor:
        """Draw the field `name` of a shape, or of that to which the parameters broadcast."""
        given = {key: _operand(x) for key, x in parameters.items()}
        made: Tensor = getattr(fields, name)(_shape(name, size, *given.values()), seed=self._next(), **given)
        return made

    def _by_numpy(self, name: str, *args: Any, **named: Any) -> Any:
        """Return what the method `name` of NumPy's generator of the next seed draws, at once.

        Raises NumPy's errors as those of weft, such as ValueRangeError for a parameter out of range.
        """
        draw = getattr(np.random.Generator(np.random.Philox(int(self._next()))), name)
        with numpy_errors(name, f"its parameters are those of numpy.random.Generator.{name}; give such"):
            made = computed(name, draw, args, named, named.pop("out", None))
        return asarray(made) if isinstance(made, (int, float)) else made

    # ---- floats
    def random(self, size: Any = None, dtype: Any = None) -> Tensor:
        """Draw values uniform over [0, 1), as `dtype` or the default dtype; raises DTypeError for integer dtypes.

        Raises ShapeError for a negative size.
        """
        return fields.uniform(_shape("random", size), seed=self._next(), dtype=dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
        """Draw values uniform over [low, high); raises ValueRangeError for numbers unless low < high."""
        return self._field("uniform", size, low=low, high=high)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Draw normal values of mean `loc` and standard deviation `scale`.

        Raises ValueRangeError for a negative scale.
        """
        return self._field("normal", size, mean=loc, std=scale)

    def standard_normal(self, size: Any = None, dtype: Any = None) -> Tensor:
        """Draw normal values of mean 0 and standard deviation 1; raises DTypeError for integer dtypes.

        Raises ShapeError for a negative size.
        """
        return fields.normal(_shape("standard_normal", size), seed=self._next(), dtype=dtype)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Tensor:
        """Draw exp(v) for normal v of mean `mean` and standard deviation `sigma`.

        Raises ValueRangeError for a negative sigma.
        """
        return exp(self.normal(mean, sigma, size))

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None) -> Tensor:
        """Draw vectors of a normal distribution, given its mean (n) and covariance (n, n): shape (*size, n).

        Raises ShapeError if these shapes do not match. A covariance that is not positive definite raises LinAlgError
        when the result is computed.
        """
        mean, cov = astype(as_tensor(mean), "float64"), astype(as_tensor(cov), "float64")
        if mean.ndim != 1 or cov.shape != (mean.shape[0],) * 2:
            raise ShapeError(f"multivariate_normal: mean {mean.shape}, cov {cov.shape}; n and (n, n); reshape them")
        shape = (*_shape("multivariate_normal", () if size is None else size), mean.shape[0])
        return mean + matmul(self.standard_normal(shape), matrix_transpose(cholesky(cov)))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Draw exponential values of mean `scale`; raises ValueRangeError for a negative or infinite number."""
        return self._field("exponential", size, scale=scale)

    def standard_exponential(self, size: Any = None) -> Tensor:
        """Draw exponential values of mean 1."""
        return self.exponential(size=size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Draw Gumbel values: loc - scale * log(-log u) for uniform u; raises ValueRangeError for a negative scale."""
        return self._field("gumbel", size, loc=loc, scale=scale)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Draw logistic values: loc + scale * log(u / (1 - u)) for uniform u.

        Raises ShapeError for a negative size or parameters that do not broadcast, DTypeError for an object without
        numbers.
        """
        loc, scale = _operand(loc), _operand(scale)
        u = self._open(_shape("logistic", size, loc, scale))
        return loc + scale * log(u / (1 - u))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Tensor:
        """Draw Laplace values: the difference of two exponential values of mean `scale`, plus loc.

        Raises ShapeError for a negative size or parameters that do not broadcast, DTypeError for an object without
        numbers.
        """
        shape = _shape("laplace", size, loc, scale)
        difference = self.standard_exponential(shape) - self.standard_exponential(shape)
        return _operand(loc) + _operand(scale) * difference

    def _open(self, shape: Any) -> Tensor:
        """Draw values uniform over the open interval (0, 1), which excludes both ends."""
        return 1 - fields.uniform(shape, seed=self._next()) * (1 - 2.0**-53)

    # ---- integers
    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Tensor:
        """Draw integers from `low` to `high` - 1, or from 0 to `low` - 1 if `high` is None.

        `endpoint` includes `high`. Raises ValueRangeError for an empty range, DTypeError for bounds or a dtype that are
        no integers, ShapeError for a negative size or bounds that do not broadcast.
        """
        low, high = (0, _operand(low)) if high is None else (_operand(low), _operand(high))
        shape = _shape("integers", size, low, high)
        high = high + 1 if flag("integers", "endpoint", endpoint) else high
        return fields.integers(shape, seed=self._next(), low=low, high=high, dtype=dtype)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Tensor:
        """Draw Poisson numbers of mean `lam`, as int64; NumPy draws, at once, where it is an array.

        Raises ValueRangeError unless 0 <= lam <= 1e6, DTypeError if it is no number.
        """
        if np.ndim(lam):
            return self._by_numpy("poisson", lam, size)
        mean = float(number("poisson", lam))
        if not 0 <= mean <= 1e6:
            raise ValueRangeError(f"poisson: mean {mean}; it must be in [0, 1e6]; draw normal values for larger ones")
        k = np.arange(int(mean + 12 * mean**0.5 + 40))
        logs = np.concatenate([[0.0], np.cumsum(np.log(k[1:]))])
        weights = np.exp(k * np.log(mean) - mean - logs) if mean else (k == 0) * 1.0
        return self._inverted("poisson", weights / weights.sum(), size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Tensor:
        """Draw the number of successes in `n` tries of probability `p`, as int64; NumPy draws where one is an array.

        Raises ValueRangeError unless 0 <= n <= 1e6 and 0 <= p <= 1, ShapeError for a negative size or parameters that
        do not broadcast, DTypeError for an `n` that is no integer.
        """
        if np.ndim(n) or np.ndim(p):
            return self._by_numpy("binomial", n, p, size)
        tries, chance = integer("binomial", "tries", n), float(number("binomial", p))
        if not (0 <= tries <= 10**6 and 0 <= chance <= 1):
            raise ValueRangeError(f"binomial: n {n}, p {p}; n in [0, 1e6], p in [0, 1]; draw normal values beyond")
        k = np.arange(tries + 1)
        logs = np.concatenate([[0.0], np.cumsum(np.log(k[1:]))])
        with np.errstate(divide="ignore", invalid="ignore"):
            chances = np.where(k == 0, 0.0, k * np.log(chance)) + np.where(
                k == tries, 0.0, (tries - k) * np.log1p(-chance)
            )
        weights = np.exp(logs[-1] - logs - logs[::-1] + chances)
        return self._inverted("binomial", weights / weights.sum(), size)

    def _inverted(self, name: str, weights: np.ndarray, size: Any) -> Tensor:
        """Draw positions 0, 1, ... with the probabilities `weights`, by inversion of their running sums.

        Raises ValueRangeError, naming `name`, for weights that are negative or do not sum to 1.
        """
        u = fields.uniform(_shape(name, size), seed=self._next())
        return searchsorted(_table(name, weights)[:-1], u, side="right")

    # ---- choices and orders
    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0) -> Tensor:
        """Draw positions along an axis of `a`, or integers below the number `a`, with probabilities `p` or evenly.

        Raises ValueRangeError for more draws without replacement than there are positions, and for `p` that do not sum
        to 1; ShapeError if `p` has another length, AxisError for an axis that `a` lacks, DTypeError for a `size` that
        is no integer and for an object without numbers.
        """
        x = None if isinstance(a, (int, np.integer)) else as_tensor(a)
        axis = 0 if x is None else one_axis("choice", axis, x.ndim)
        n = integer("choice", "size", a) if x is None else x.shape[axis]
        shape = _shape("choice", size)
        drawn = self._positions(n, shape, flag("choice", "replace", replace), p)
        return drawn if x is None else take(x, drawn, axis=axis)

    def _positions(self, n: int, shape: tuple[int, ...], replace: bool, p: Any) -> Tensor:
        """Draw integers from 0 to n - 1, with or without replacement, with probabilities `p` or evenly.

        Raises ShapeError if `p` has another length than n, ValueRangeError if there are too few numbers to draw from.
        """
        many = int(np.prod(shape))
        if many > n and (n == 0 or not replace):
            raise ValueRangeError(f"choice: {many} draws of {n}; too few are there; draw fewer, or with replace=True")
        if p is not None and np.shape(p) != (n,):
            raise ShapeError(f"choice: p of shape {np.shape(p)} for {n} values; one each; give as many")
        if replace:
            return self.integers(n, size=shape) if p is None else self._inverted("choice", p, shape)
        if p is None:
            return fields.permutation(n, seed=self._next())[:many].reshape(shape)
        weights = np.diff(_table("choice", p).numpy(), prepend=0)
        if many > np.count_nonzero(weights):
            raise ValueRangeError(f"choice: {many} draws of {np.count_nonzero(weights)} that p allows; draw fewer")
        with np.errstate(divide="ignore"):
            keys = np.log(weights) + self.gumbel(size=n).numpy()  # the largest are draws without replacement
        return asarray(np.argsort(-keys, kind="stable")[:many].reshape(shape))

    def permutation(self, x: Any, axis: int = 0) -> Tensor:
        """Return the integers 0 to x - 1, or a tensor `x` with the positions of an axis, in random order.

        Raises ShapeError for a negative number, AxisError for an axis that x lacks, DTypeError for an object without
        numbers.
        """
        x = x if isinstance(x, (int, np.integer)) else as_tensor(x)
        return fields.permutation(x, seed=self._next(), axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the positions of an axis of a tensor, array or list in random order, in place.

        Raises DTypeError for another type, AxisError for an axis that x lacks, WriteError for a read-only tensor.
        """
        if isinstance(x, list):
            x[:] = [x[i] for i in self.permutation(len(x)).tolist()]
        elif isinstance(x, (Tensor, np.ndarray)):
            mixed = self.permutation(asarray(x, copy=True), axis)
            x[...] = mixed if isinstance(x, Tensor) else mixed.numpy()
        else:
            raise DTypeError(f"shuffle: {type(x).__name__}; a tensor, an array or a list is written; use permutation")


def _drawn_by_numpy(name: str) -> Any:
    """Return the method `name` of a generator, which calls that of NumPy's."""

    def method(self: Generator, *args: Any, **named: Any) -> Any:
        return self._by_numpy(name, *args, **named)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Draw at once, by NumPy, with the arguments of numpy.random.Generator.{name}."
    return method


for _name in _BY_NUMPY.split():
    setattr(Generator, _name, _drawn_by_numpy(_name))
for _name, _method in [*vars(Generator).items()]:
    if isinstance(_method, FunctionType) and _name[0] != "_":
        setattr(Generator, _name, refusing(_method, _name, 1))


def default_rng(seed: Any = None) -> Generator:
    """Return a random generator with the methods of NumPy's, which draws weft's fields.

    `seed` is an integer from 0 on, a list of integers of 64 bits, another generator, which is returned, or None for a
    random seed. Raises ValueRangeError for integers out of range, DTypeError for other objects.

    >>> import weft
    >>> rng = weft.random.default_rng(7)
    >>> x = rng.normal(2.0, 0.1, size=1000)
    >>> bool(abs(x.mean() - 2) < 0.02), rng.choice(5, size=5, replace=False).sum().item()
    (True, 10)
    """
    if isinstance(seed, Generator):
        return seed
    if type(seed) is int and seed >= 1 << 64:
        seed = [seed >> k & ((1 << 63) - 1) for k in range(0, seed.bit_length(), 63)]
    if isinstance(seed, (list, tuple)) and seed:
        seed = fields.fold(*seed)
    return Generator(secrets.randbits(63) if seed is None else seed)
