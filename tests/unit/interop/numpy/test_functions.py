"""NumPy's functions on tensors: each that dispatches, beside what it gives for arrays."""

from __future__ import annotations

import inspect
import io
from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import DTypeError, GradientError, ShapeError, StrictError, WriteError
from weft.interop.numpy import functions

# Expressions over A, B (matrices), S (a symmetric one), V, W (vectors), Z (complex), I (integers), M (bools), N (NaN).
# What NumPy may compute on values ends in "!".
SAMPLES = """
all(M); all(M, axis=0); all(A)
allclose(A, A); allclose(A, B, 1e-3); allclose(A, B, rtol=1e9)
amax(A); amax(A, 0); amax(A, axis=1, keepdims=True); amax(A, initial=9.0)!
amin(A); amin(A, 0)
angle(Z)
any(M); any(M, 1)
append(V, W); append(A, B, axis=0); append(V, 3.0)
apply_along_axis(np.sort, 0, A)!
apply_over_axes(np.sum, A, [0, 1])!
argmax(V); argmax(A, axis=0); argmax(A, axis=1, keepdims=True)
argmin(V); argmin(A, 1)
argpartition(V, 1)!
argsort(V); argsort(A, axis=0); argsort(A, None); argsort(V, kind="stable"); argsort(V, stable=True)
argwhere(M)
around(V); around(V, 1)!; around(V, decimals=-1)!
array_equal(A, A); array_equal(A, V); array_equal(N, N, equal_nan=True)
array_equiv(A, A)!
array_split(V, 3); array_split(V, [1, 3]); array_split(A, 2, axis=1)
astype(V, np.float32); astype(I, bool)
atleast_1d(V); atleast_1d(V, A)
atleast_2d(V); atleast_2d(V, A)
atleast_3d(A)!; atleast_3d(V, A)!
average(A); average(A, axis=0); average(A, 1, weights=V[:3]); average(V, weights=W, returned=True)
bincount(I); bincount(I, W[:4]); bincount(I, minlength=9)
block([[A, A], [B, B]])!
broadcast_arrays(A, V[:3])
broadcast_to(V, (2, 4)); broadcast_to(V, shape=(2, 4))
can_cast(V, "f8")
choose(I[:2] % 2, [V[:2], W[:2]])!
clip(V, 1, 3); clip(V, None, 2); clip(V, a_min=1, a_max=2); clip(V, min=1); clip(V, W - 1, W + 1)
column_stack([V, W]); column_stack((A, B))
common_type(V)!
compress(M[0], A, axis=1)!
concatenate([V, W]); concatenate([A, B], axis=1); concatenate((A, V), axis=None); concatenate([V, W], dtype="f4")!
convolve(V, W); convolve(V, W, "same")
copy(A); copy(A, order="F")
corrcoef(A); corrcoef(V, W); corrcoef(A, rowvar=False)
correlate(V, W); correlate(V, W, mode="full"); correlate(Z, Z)
count_nonzero(I); count_nonzero(A, axis=0); count_nonzero(M, keepdims=True)
cov(A); cov(V, W); cov(A, ddof=0); cov(A, rowvar=False); cov(A, bias=True)!; cov(A, aweights=V[:3])!
cross(A, B); cross(A[0], B[1]); cross(A, B, axis=1)
cumprod(V); cumprod(A, axis=1); cumprod(A)
cumsum(V); cumsum(A, 0); cumsum(A); cumsum(M); cumsum(I, dtype="f4")
cumulative_prod(V)
cumulative_sum(V); cumulative_sum(A, axis=1, include_initial=True)
delete(V, 1)!
diag(V); diag(A); diag(A, 1); diag(V, k=-1)
diag_indices_from(S)!
diagflat(V)!
diagonal(A); diagonal(A, 1); diagonal(A, offset=-1, axis1=1, axis2=0)
diff(V); diff(A, axis=0); diff(V, 2); diff(V, prepend=0); diff(A, prepend=0, append=A[:, :1]); diff(M)
digitize(V, np.sort(W)); digitize(V, [1, 2, 3], right=True)
dot(A, B.T); dot(A, V[:3]); dot(V, W); dot(2, V); dot(A[None], B.T); dot(A[None], B.T[None])
dsplit(A[None], 3)
dstack([A, B])
ediff1d(V)!
einsum("ij,kj->ik", A, B); einsum("ij->i", A, optimize=True); einsum(A, [0, 1], [1, 0])!
einsum_path("ij,kj->ik", A, B)!
empty_like(A).shape; empty_like(A, shape=(3,)).shape; empty_like(A, dtype="f4").dtype
expand_dims(V, 0); expand_dims(V, axis=(0, 2))
extract(M, A)!
fix(V)
flatnonzero(M)
flip(A); flip(A, 0); flip(A, axis=(0, 1))
fliplr(A)
flipud(A)
full_like(A, 7); full_like(A, 7, dtype=int); full_like(A, 3, shape=(2,))
geomspace(V[0], V[2], 4)
gradient(V); gradient(V, 2.0); gradient(A, axis=0)
histogram(V); histogram(V, 3); histogram(V, bins=3, range=(0, 4)); histogram(V, "auto")
histogram(V, density=True)
histogram2d(V, W)!
histogram_bin_edges(V)!
histogramdd(A)!
hsplit(A, 3); hsplit(V, 2)
hstack([A, B]); hstack([V, W]); hstack([V, W], dtype="f4")!
i0(V)!
imag(Z); imag(V)
inner(V, W); inner(A, B); inner(2, V)
insert(V, 1, 9)!
interp(V, [0, 1, 5], [0, 2, 3]); interp(1.5, np.sort(V), W); interp(V, [0, 1], [0, 2], left=-1)
interp(V, V, W, period=4)!
intersect1d(I, I + 1)!
isclose(A, B); isclose(A, A, atol=0.1); isclose(N, N, equal_nan=True)
iscomplex(Z); iscomplex(V)
iscomplexobj(Z); iscomplexobj(V)
isin(I, [1, 2]); isin(I, I[:2], invert=True); isin(I, [1], assume_unique=True); isin(I, [1], kind="sort")
isneginf(N)
isposinf(N)
isreal(Z); isreal(V)
isrealobj(Z)
ix_(I)!
kron(A, B)
lexsort((V, W))!
linspace(V[0], 3.0); linspace(0.0, V[1], 5); linspace(V[0], 3.0, num=4, endpoint=False)
logspace(V[0], V[1], 5)
matrix_transpose(A)
max(A); max(A, 0); max(A, axis=1, keepdims=True); max(A, initial=9.0)!; max(A, where=M, initial=0)!
may_share_memory(A, B)!
mean(A); mean(A, 0); mean(A, axis=1, keepdims=True); mean(I); mean(A, dtype="f4"); mean(A, where=M)!; mean(M)
median(V); median(A, axis=0); median(A, 1, keepdims=True); median(V, overwrite_input=True)
meshgrid(V, W); meshgrid(V, W, indexing="ij"); meshgrid(V, W, sparse=True)!
min(A); min(A, 0)
min_scalar_type(I)!
moveaxis(A, 0, 1)
nan_to_num(N); nan_to_num(N, nan=5.0, posinf=1.0)
nanargmax(N); nanargmax(A, axis=0)
nanargmin(N)
nancumprod(N)!
nancumsum(N)!
nanmax(N); nanmax(A, 0)
nanmean(N); nanmean(A, axis=0); nanmean(N, dtype="f4")
nanmedian(N)!
nanmin(N)
nanpercentile(N, 50)!
nanprod(N)
nanquantile(N, 0.5)!
nanstd(N[:2]); nanstd(A, axis=0, ddof=1)
nansum(N); nansum(A, axis=0)
nanvar(N[:2])
ndim(A)
nonzero(M); nonzero(I)
ones_like(A); ones_like(A, dtype=int); ones_like(A, shape=(2, 2)); ones_like(A, order="F")
outer(V, W); outer(A, V)
packbits(M)!
pad(V, 1); pad(A, ((1, 0), (0, 2)), constant_values=5); pad(V, 2, mode="edge"); pad(V, 1, "linear_ramp")!
pad(V, 2, "wrap")
partition(V, 2)!
percentile(V, 30); percentile(A, [10, 90], axis=0); percentile(V, 50, method="nearest")
piecewise(V, [V > 1], [1.0, 0.0])!
poly(V)!
polyadd(V, W)!
polyder(V)!
polydiv(V, W)!
polyfit(V, W, 1)
polyint(V)!
polymul(V, W)!
polysub(V, W)!
polyval(V, W)
prod(A); prod(A, axis=0); prod(I, dtype="f4"); prod(A, initial=2.0)!
ptp(A); ptp(A, axis=0)
quantile(V, 0.3); quantile(A, [0.1, 0.9], axis=1); quantile(V, 0.5, method="lower")
quantile(A, 0.5, keepdims=True)
ravel(A); ravel(A, "F"); ravel(A, order="C")
ravel_multi_index((I, I), (9, 9))!
real(Z); real(V)
real_if_close(V)!
repeat(V, 2); repeat(A, [1, 2], axis=0); repeat(A, 2)
reshape(A, 6); reshape(A, (3, -1)); reshape(A, (3, 2), order="F"); reshape(A, shape=(6,)); reshape(A, (3, 2), "C")
resize(V, (2, 3))!
result_type(V, "f4"); result_type(I, np.float32); result_type(V, I)
roll(V, 1); roll(A, 1, axis=0); roll(A, (1, 2), axis=(0, 1)); roll(A, 2)
rollaxis(A, 1)!
roots(V)!
rot90(A); rot90(A, 2); rot90(A, k=-1, axes=(1, 0))
round(V); round(V, 1)!; round(V, decimals=0)
searchsorted(np.sort(V), W); searchsorted([1, 2, 3], V, side="right"); searchsorted(V, 2.0, sorter=np.argsort(V))
select([V > 3, V > 1], [V, -V]); select([M, ~M], [A, B], default=7)
setdiff1d(I, [1])!
setxor1d(I, [1])!
shape(A)
shares_memory(A, A)!
sinc(V)!
size(A); size(A, 0); size(A, (0, 1))
sort(V); sort(A, axis=0); sort(A, None); sort(V, kind="stable"); sort(M[0])
sort_complex(V)!
split(V, 2); split(V, [1, 3]); split(A, [1], axis=1)
squeeze(A[None]); squeeze(A[None], axis=0)
stack([V, W]); stack((A, B), axis=-1); stack([V, W], dtype="f4")!
std(A); std(A, 0); std(A, axis=1, ddof=1, keepdims=True); std(A, dtype="f4"); std(I); std(A, correction=1)
std(A, where=M)!
sum(A); sum(A, 0); sum(A, axis=1, keepdims=True); sum(I, dtype="f4"); sum(A, initial=1.0)!; sum(A, where=M)!
sum(M)
swapaxes(A, 0, 1); swapaxes(A, axis1=0, axis2=1)
take(V, [0, 2]); take(A, [[0, 1], [2, 3]]); take(A, 1, axis=1); take(A, [-1, 0], axis=0)
take(V, [9], mode="clip")!
take_along_axis(A, np.argsort(A), -1); take_along_axis(A, np.argsort(A, axis=0), axis=0)
tensordot(A, B); tensordot(A, B, axes=([1], [1])); tensordot(A, B.T, 1)
tile(V, 2); tile(A, (2, 1)); tile(V, reps=(2, 2))
trace(A); trace(A, 1); trace(A[None], axis1=1, axis2=2); trace(I[:, None] * I, dtype="f4")
transpose(A); transpose(A, (1, 0)); transpose(A[None], axes=(2, 0, 1))
trapezoid(V); trapezoid(V, W); trapezoid(A, dx=2.0, axis=0)
tril(S); tril(A, 1); tril(A, k=-1)
tril_indices_from(S)!
trim_zeros(V)!
triu(S); triu(A, 1)
triu_indices_from(S)!
union1d(I, I)!
unique(I)!; unique(I, return_counts=True)!; unique(A, axis=0)!
unique_all(I)
unique_counts(I)
unique_inverse(I)
unique_values(I).shape
unpackbits(M.astype("u1"))!
unravel_index(I, (9, 9))!
unstack(A); unstack(A, axis=1)
unwrap(V)!
vander(V)!
var(A); var(A, 0, ddof=1); var(A, axis=(0, 1)); var(A, mean=np.mean(A, keepdims=True))!
vdot(V, W); vdot(Z, Z); vdot(A, B)
vsplit(A, 2)
vstack([V, W]); vstack((A, B))
where(M, A, B); where(M); where(I, 1.0, 2.0); where(V > 1, V, 0)
zeros_like(A); zeros_like(A, dtype=int); zeros_like(A, shape=4); zeros_like(V, "f4")
linalg.cholesky(S); linalg.cholesky(S, upper=True)
linalg.cond(S)!
linalg.cross(A, B)
linalg.det(S)
linalg.diagonal(A); linalg.diagonal(A, offset=1)
linalg.eig(S)[0]
linalg.eigh(S)[0]; linalg.eigh(S, "U").eigenvalues!
linalg.eigvals(S)
linalg.eigvalsh(S); linalg.eigvalsh(S, UPLO="U")!
linalg.inv(S)
linalg.lstsq(A.T, V[:3])[0]
linalg.matmul(A, B.T)
linalg.matrix_norm(A); linalg.matrix_norm(A, ord=1)
linalg.matrix_power(S, 3); linalg.matrix_power(S, -1)
linalg.matrix_rank(A); linalg.matrix_rank(S, tol=1e-3)!
linalg.matrix_transpose(A)
linalg.multi_dot([A, B.T, A])!
linalg.norm(V); linalg.norm(A); linalg.norm(V, 1); linalg.norm(A, axis=0); linalg.norm(A, "nuc")
linalg.norm(A, np.inf)
linalg.norm(A, keepdims=True); linalg.norm(A[None], 1, axis=(1, 2), keepdims=True); linalg.norm(A, ord=3, axis=-1)
linalg.outer(V, W)
linalg.pinv(A); linalg.pinv(A, 1e-3); linalg.pinv(A, rtol=None); linalg.pinv(S, hermitian=True)!
linalg.qr(A).R.shape; linalg.qr(A, mode="complete").Q.shape; linalg.qr(A, mode="r")
linalg.slogdet(S)
linalg.solve(S, V[:3]); linalg.solve(S, A.T)
linalg.svd(A).S; linalg.svd(A, full_matrices=False).Vh.shape; linalg.svd(A, compute_uv=False)
linalg.svd(S, hermitian=True).S!
linalg.svdvals(A)
linalg.tensordot(A, B.T, axes=1)
linalg.tensorinv(S.reshape(3, 3, 1) * np.ones((1, 1, 1)), ind=1)!
linalg.tensorsolve(S, V[:3])!
linalg.trace(A); linalg.trace(A, offset=1)
linalg.vecdot(A, B); linalg.vecdot(A, B, axis=0)
linalg.vector_norm(A); linalg.vector_norm(A, axis=0, ord=1)
fft.fft(V); fft.fft(A, 4, axis=0); fft.fft(V, norm="ortho"); fft.fft(Z)
fft.fft2(A)
fft.fftn(A); fft.fftn(A, axes=(0,)); fft.fftn(A, s=(4, 4), axes=(0, 1))
fft.fftshift(V); fft.fftshift(A, axes=0)
fft.hfft(Z)
fft.ifft(Z)
fft.ifft2(A)
fft.ifftn(A)
fft.ifftshift(V)
fft.ihfft(V)
fft.irfft(Z); fft.irfft(Z, n=5)
fft.irfft2(A)
fft.irfftn(A)
fft.rfft(V); fft.rfft(V, n=3)
fft.rfft2(A)
fft.rfftn(A)
"""
UNTRIED = {
    "busday_count", "busday_offset", "datetime_as_string", "is_busday", "array2string", "array_repr", "array_str",
    "save", "savez", "savez_compressed", "savetxt", "copyto", "place", "put", "put_along_axis", "putmask",
    "fill_diagonal",
}  # fmt: skip
ROWS = [e.strip() for line in SAMPLES.strip().splitlines() for e in line.split("; ")]


def values(kind: Any) -> dict[str, Any]:
    """The names of the samples, as arrays or as tensors."""
    a = np.array([[3.0, -1.0, 2.5], [0.5, 4.0, 1.0]])
    v, w = np.array([1.5, 0.25, 3.0, 2.0]), np.array([1.0, 2.0, 4.0, 0.5])
    made = {
        "A": a, "B": a[::-1, ::-1] * 2, "S": a.T @ a + np.eye(3), "V": v, "W": w, "Z": v + 1j * w,
        "I": np.array([1, 0, 3, 2]), "M": a > 0.7, "N": np.array([1.0, 3.0, np.nan, 2.0]),
    }  # fmt: skip
    return {name: kind(array) for name, array in made.items()}


def same(made: Any, wanted: Any) -> None:
    """Compare results of any nesting."""
    if isinstance(wanted, (tuple, list)):
        assert len(made) == len(wanted)
        for m, w in zip(made, wanted, strict=True):
            same(m, w)
    elif isinstance(wanted, (np.ndarray, np.number, np.bool)):
        assert type(made) is weft.Tensor and made.shape == wanted.shape
        assert made.dtype == wanted.dtype or {made.dtype.kind, wanted.dtype.kind} == {"complex", "f"}
        tolerance = 1e-6 if wanted.dtype in (np.float32, np.complex64) else 1e-12
        np.testing.assert_allclose(made.numpy(), wanted, rtol=tolerance, atol=tolerance)
    else:
        assert made == wanted or (type(made) is weft.Tensor and made.item() == wanted)


def evaluated(expression: str, kind: Any) -> Any:
    return eval(f"np.{expression}", {"np": np, **values(kind)})


@for_each("expression", ROWS)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_a_function_gives_what_numpy_gives(expression: str) -> None:
    wanted = evaluated(expression.rstrip("!"), np.asarray)
    with weft.strict("allow") as report:
        made = evaluated(expression.rstrip("!"), weft.asarray)
    same(made, wanted)
    assert expression.endswith("!") or [a for a in report if a.act == "numpy"] == []


def test_every_function_that_dispatches_is_tried() -> None:
    found = set()
    for module, room in ((np, ""), (np.linalg, "linalg."), (np.fft, "fft.")):
        for name in module.__all__:
            f = getattr(module, name)
            if hasattr(f, "_implementation") and (f.__name__ == name or room):
                found.add(room + name)
    assert found - {e.split("(")[0] for e in ROWS} - UNTRIED == set()


# ---- what is written


def test_out_is_written_and_given() -> None:
    x, a, y = weft.asarray([[1.0, 2.0], [3.0, 4.0]]), np.empty(2), weft.zeros(2)
    assert np.mean(x, axis=0, out=a) is a and a.tolist() == [2, 3]
    assert np.sum(x, 1, None, y) is y and y.tolist() == [3, 7]
    assert np.mean(np.ones((3, 2)), axis=0, out=y) is y and y.tolist() == [1, 1]
    assert np.nanmedian(x, axis=0, out=y) is y and y.tolist() == [2, 3]
    assert np.nanmedian(x, 0, y) is y and np.cumsum(x[0], out=y).tolist() == [1, 3]
    assert np.concatenate([x[0], x[1]], out=np.empty(4)).tolist() == [1, 2, 3, 4]
    with pytest.raises(WriteError):
        np.nanmedian(x, axis=0, out=weft.constant([0.0, 0.0]))
    with pytest.raises(DTypeError):
        np.mean(x, axis=0, out=np.empty(2, int))


def test_arguments_that_a_function_overwrites_are_written_by_weft() -> None:
    x = weft.zeros((2, 2))
    before = x + 0
    np.fill_diagonal(x, 5)
    np.put(x, [1], 7)
    np.putmask(x, x == 0, values=-1)
    assert x.tolist() == [[5, 7], [-1, 5]] and before.tolist() == [[0, 0], [0, 0]]
    np.place(arr=x, mask=x < 0, vals=[3])
    np.put_along_axis(x, weft.asarray([[0], [1]]), 9, axis=1)
    assert x.tolist() == [[9, 7], [3, 9]]
    np.copyto(x, [1, 2])
    np.copyto(x, 8, where=x == 2)
    assert x.tolist() == [[1, 8], [1, 8]]
    a = np.zeros(2)
    seen = weft.asarray(a) * 1
    np.copyto(a, weft.asarray([1.0, 2.0]))
    np.put(a, weft.asarray([0]), 5)
    assert a.tolist() == [5, 2] and seen.tolist() == [0, 0]
    nan = weft.asarray([np.nan, 1.0])
    assert np.nan_to_num(nan, copy=False) is nan and nan.tolist() == [0, 1]
    with pytest.raises(WriteError):
        np.put(weft.constant([1, 2]), [0], 1)


def test_files_and_texts_are_numpys(tmp_path: Any) -> None:
    x = weft.asarray([1.0, 2.0])
    np.save(tmp_path / "x", x)
    assert np.load(tmp_path / "x.npy").tolist() == [1, 2]
    stream = io.StringIO()
    np.savetxt(stream, x)
    assert np.array_repr(x) == "array([1., 2.])" and stream.getvalue().split()[0] == f"{1:.18e}"


# ---- meaning


def test_arrays_made_like_a_tensor_are_tensors() -> None:
    x = weft.ones(2)
    for made in (np.zeros(3, like=x), np.asarray([1, 2], like=x), np.full((2,), 7, like=x), np.arange(3, like=x)):
        assert type(made) is weft.Tensor
    assert np.identity(2, like=x).tolist() == [[1, 0], [0, 1]]


def test_functions_are_called_whose_signature_numpy_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    told = inspect.signature

    def signature(function: Any) -> inspect.Signature:
        if getattr(function, "__module__", None) == "numpy" and hasattr(function, "_implementation"):
            raise ValueError("no signature found")
        return told(function)

    monkeypatch.setattr(inspect, "signature", signature)
    monkeypatch.setattr(functions, "_MATCHED", {})
    a, memory = weft.asarray([[1.0, 2.0], [3.0, 4.0]]), np.zeros((2, 2))
    with weft.strict():
        assert np.dot(a, a).tolist() == [[7, 10], [15, 22]] and np.vdot(a, a).item() == 30
        assert np.concatenate((a, a), axis=1).tolist() == np.concatenate([a, a], 1).tolist() == [[1, 2] * 2, [3, 4] * 2]
        assert np.bincount(weft.asarray([1, 2, 2]), minlength=4).tolist() == [0, 1, 2, 0]
    assert np.min_scalar_type(a) == np.float64 and not np.may_share_memory(a, memory)
    np.copyto(memory, a)
    np.copyto(dst=a, src=memory + 1)
    assert memory.tolist() == [[1, 2], [3, 4]] and a.tolist() == [[2, 3], [4, 5]]


def test_functions_that_weft_lacks_are_reported_and_can_be_forbidden() -> None:
    x = weft.asarray([1.0, 2.0])
    with weft.strict("allow") as report:
        np.ediff1d(x)
        np.mean(x)
    assert [(a.op, a.act) for a in report] == [("ediff1d", "numpy")]
    with weft.strict(), pytest.raises(StrictError, match="ediff1d: weft lacks it"):
        np.ediff1d(x)


def test_gradients_devices_and_modes() -> None:
    w = weft.asarray([1.0, 2.0]).requires_grad_()
    (np.mean(w) + np.sum(np.where(w > 1, w, 0))).backward()
    assert w.grad.tolist() == [0.5, 1.5]
    with pytest.raises(GradientError, match=r"ediff1d: NumPy computes it on values; .*; give x.detach\(\)"):
        np.ediff1d(w)
    assert np.allclose(w, w) and np.unravel_index(1, (2, 2)) == (0, 1) and np.argpartition(w, 1).shape == (2,)
    x = weft.asarray([1.0, 2.0]).to("thread:0")
    assert str(np.mean(x).device) == str(np.ediff1d(x).device) == str(np.zeros_like(x).device) == "thread:0"


def test_results_are_values_of_their_own_unless_weft_gives_views() -> None:
    x = weft.asarray([1.0, 2.0, 3.0, 4.0])
    square, same_cells = np.reshape(x, (2, 2)), np.real_if_close(x)
    square[0, 0] = 9
    same_cells[1] = 7
    assert x.tolist() == [9, 2, 3, 4]


def test_types_with_a_protocol_of_their_own_are_given_arrays() -> None:
    class Tagged:
        def __array_function__(self, func: Any, types: Any, args: Any, how: Any) -> Any:
            if weft.Tensor in types:
                return NotImplemented
            return [type(x).__name__ for x in args[0]]

    assert np.concatenate([weft.ones(2), Tagged()]) == ["ndarray", "Tagged"]


def test_errors_are_wefts_or_numpys() -> None:
    x = weft.ones((2, 3))
    with pytest.raises(weft.errors.AxisError, match="sum: axis 2"):
        np.sum(x, axis=2)
    with pytest.raises(TypeError):
        np.mean(x, nonsense=1)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        np.mean(x, 0, None, None, False, 1)  # type: ignore[call-overload]
    with pytest.raises(ShapeError, match=r"split: 2 positions of axis 0 in 3 parts; .*array_split"):
        np.split(x, 3)
    for odd in (slice(1), "a", b"x", None):
        with pytest.raises(TypeError):
            np.split(x, odd)  # type: ignore[arg-type]
    with pytest.raises(weft.errors.AxisError):
        np.dsplit(x, 2)
    for order in (np.zeros(2), 1, weft.ones(2)):
        with pytest.raises((TypeError, ValueError)):
            np.copy(x, order=order)  # type: ignore[call-overload]
    with pytest.raises(weft.errors.OutOfMemory, match=r"^resize: .*; NumPy computes it at once; give a smaller one"):
        np.resize(x, 2**40)
    with pytest.raises(DTypeError, match="no weft counterpart"):
        np.concatenate([x, np.zeros((2, 3), "M8[s]")])


def test_objects_without_numbers_are_broadcast_by_numpy():
    x = weft.asarray([1.0, 2.0])
    first, nothing, words = np.broadcast_arrays(x, None, np.asarray(["a", "b"]))
    assert first.tolist() == [1.0, 2.0] and nothing.tolist() == [None, None] and words.tolist() == ["a", "b"]
