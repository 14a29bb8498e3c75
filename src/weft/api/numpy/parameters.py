"""NumPy's parameters of functions that weft has too: their order, and the names by which weft knows them.

The one idea: a row is NumPy's signature, word for word.  A word `theirs:ours` is weft's under another name, `theirs:~`
is about memory or speed and ignored, `theirs:+` (or `theirs=default:+`) is what NumPy's function, called with tensors,
takes in addition; `theirs:-` is what weft lacks, for which `_INSTEAD` says what to write; `theirs:/` has no name in
NumPy.  Ufuncs need no rows: all have the same parameters.  From the rows follow the keywords that `habits` accepts, and
the arguments that it takes by place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

_ROWS = """
all a:x axis out keepdims * where=True:+
allclose a:x1 b:x2 rtol atol equal_nan
angle z:x deg
any a:x axis out keepdims * where=True:+
append arr:x values axis
arange start stop step dtype * device like:~
argmax a:x axis out * keepdims
argmin a:x axis out * keepdims
argpartition a:x kth axis kind:~ order:-
argsort a:x axis kind order:- * stable
array_equal a1:x1 a2:x2 equal_nan
array_split ary:x indices_or_sections:parts axis
astype x dtype order:~ casting=unsafe:- subok:~ * copy device
average a:x axis weights returned * keepdims
bincount x weights minlength
broadcast_to array:x shape subok:~
can_cast from_ to casting=safe:-
choose a:x choices out:+ mode
clip a:x a_min:min a_max:max out * min max
compress condition a:x axis out:+
concat arrays axis out * dtype:+ casting=same_kind:+
convolve a:x1 v:x2 mode
copy a:x order subok:~
corrcoef x y rowvar * dtype:+
correlate a:x1 v:x2 mode
count_nonzero a:x axis * keepdims
cov m:x y rowvar bias ddof:correction fweights:+ aweights:+ * dtype:+
cross a:x1 b:x2 axisa axisb axisc axis
cumprod a:x axis dtype out
cumsum a:x axis dtype out
cumulative_prod x * axis dtype out include_initial
cumulative_sum x * axis dtype out include_initial
delete arr:x obj:positions axis
diag v:x k
diag_indices n ndim
diagflat v:x k
diagonal a:x offset axis1 axis2
diff a:x n axis prepend append
digitize x bins right
dot a:x1 b:x2 out
einsum * out optimize:~
empty_like prototype:x dtype order subok:~ shape * device
expand_dims a:x axis
eye N:n_rows M:n_cols k dtype order=C:- * device like:~
fill_diagonal a:x val:value wrap
flip m:x axis
full shape fill_value dtype order * device like:~
full_like a:x fill_value dtype order subok:~ shape * device
geomspace start stop num endpoint dtype:+ axis=0:+
gradient f * axis edge_order
histogram a:x bins range density weights
histogram2d x y bins range density weights
histogram_bin_edges a:x bins range weights
histogramdd sample bins range density weights
hstack tup:arrays * dtype:+ casting=same_kind:+
identity n dtype * like:~
inner a:x1 b:x2
insert arr:x obj:positions values axis
interp x xp fp left right period
intersect1d ar1:x1 ar2:x2 assume_unique return_indices
isclose a:x1 b:x2 rtol atol equal_nan
isdtype dtype kind
isin element:x1 test_elements:x2 assume_unique:~ invert * kind:~
isneginf x out
isposinf x out
kaiser M:n beta
kron a:x1 b:x2
lexsort keys axis
linspace start stop num endpoint retstep dtype axis=0:+ * device
load file mmap_mode=r:- allow_pickle:~ fix_imports:~ encoding:~ * max_header_size:~
logspace start stop num endpoint base dtype:+ axis=0:+
max a:x axis out keepdims initial:+ where=True:+
mean a:x axis dtype out keepdims * where=True:+
median a:x axis out overwrite_input:~ keepdims
meshgrid * copy:~ sparse indexing
min a:x axis out keepdims initial:+ where=True:+
moveaxis a:x source destination
nan_to_num x copy=True:+ nan posinf neginf
nanargmax a:x axis out * keepdims
nanargmin a:x axis out * keepdims
nancumprod a:x axis dtype out
nancumsum a:x axis dtype out
nanmax a:x axis out keepdims initial:+ where=True:+
nanmean a:x axis dtype out keepdims * where=True:+
nanmedian a:x axis out overwrite_input:~ keepdims
nanmin a:x axis out keepdims initial:+ where=True:+
nanpercentile a:x q axis out overwrite_input:~ method keepdims * weights:+
nanprod a:x axis dtype out keepdims initial:+ where=True:+
nanquantile a:x q axis out overwrite_input:~ method keepdims * weights:+
nanstd a:x axis dtype out ddof:correction keepdims * where=True:+ mean:+ correction
nansum a:x axis dtype out keepdims initial:+ where=True:+
nanvar a:x axis dtype out ddof:correction keepdims * where=True:+ mean:+ correction
ones_like a:x dtype order subok:~ shape * device
outer a:x1 b:x2 out
packbits a:x axis bitorder
partition a:x kth axis kind:~ order:-
percentile a:x q axis out overwrite_input:~ method keepdims * weights:+
permute_dims a:x axes
polyadd a1:a a2:b
polyder p m
polydiv u v
polyfit x y deg rcond full w cov
polyint p m k
polymul a1:a a2:b
polysub a1:a a2:b
polyval p x
prod a:x axis dtype out keepdims initial:+ where=True:+
ptp a:x axis out keepdims
put_along_axis arr:x indices values axis
quantile a:x q axis out overwrite_input:~ method keepdims * weights:+
ravel a:x order
ravel_multi_index multi_index:indices dims:shape mode order
real_if_close a:x tol
repeat a:x repeats axis
reshape a:x shape order * copy
roll a:x shift axis
rot90 m:x k axes
round a:x decimals out
searchsorted a:x1 v:x2 side sorter
select condlist:conditions choicelist:choices default
setdiff1d ar1:x1 ar2:x2 assume_unique
setxor1d ar1:x1 ar2:x2 assume_unique
size a:x axis
sort a:x axis kind order:- * stable
split ary:x indices_or_sections:parts axis
squeeze a:x axis
stack arrays axis out:+ * dtype:+ casting=same_kind:+
std a:x axis dtype out ddof:correction keepdims * where=True:+ mean:+ correction
sum a:x axis dtype out keepdims initial:+ where=True:+
swapaxes a:x axis1 axis2
take a:x indices axis out:+ mode=raise:+
take_along_axis arr:x indices axis
tensordot a:x1 b:x2 axes
tile A:x reps:repetitions
trace a:x offset axis1 axis2 dtype out
trapezoid y x dx axis
tri N:n_rows M:n_cols k dtype * like:~
tril m:x k
tril_indices n k m
tril_indices_from arr:x k
trim_zeros filt:x trim axis:+
triu m:x k
triu_indices n k m
triu_indices_from arr:x k
union1d ar1:x1 ar2:x2
unique ar:x return_index return_inverse return_counts axis * equal_nan sorted:~
unpackbits a:x axis count bitorder
unravel_index indices shape order
unstack x * axis
unwrap p:x discont axis * period
vander x N:n increasing
var a:x axis dtype out ddof:correction keepdims * where=True:+ mean:+ correction
vdot a:x1 b:x2
vstack tup:arrays * dtype:+ casting=same_kind:+
zeros_like a:x dtype order subok:~ shape * device
linalg.cholesky a:x * upper
linalg.cond x p
linalg.cross x1 x2 * axis
linalg.diagonal x * offset
linalg.eigh a:x UPLO=L:-
linalg.eigvalsh a:x UPLO=L:-
linalg.lstsq a b rcond
linalg.matrix_norm x * keepdims ord
linalg.matrix_power a:x n
linalg.matrix_rank A:x tol:- hermitian=False:- * rtol
linalg.multi_dot arrays * out:-
linalg.norm x ord axis keepdims
linalg.outer x1 x2
linalg.pinv a:x rcond:rtol hermitian=False:- * rtol
linalg.qr a:x mode
linalg.solve a:x1 b:x2
linalg.svd a:x full_matrices compute_uv hermitian=False:-
linalg.tensorinv a:x ind
linalg.tensorsolve a b axes
linalg.trace x * offset dtype
linalg.vector_norm x * axis keepdims ord
"""
_INSTEAD = {
    "argpartition.order": "argpartition(x, kth)", "partition.order": "partition(x, kth)",
    "argsort.order": "lexsort(keys)", "sort.order": "x[lexsort(keys)]",
    "astype.casting": "can_cast(x.dtype, dtype) to ask first, and astype(x, dtype)",
    "can_cast.casting": "isdtype(dtype, kind) for what may be cast",
    "load.mmap_mode": "load(file), which reads the cells that are used, and save(file, x) to write them",
    "eye.order": "asarray(eye(n), order='F')",
    "linalg.eigh.UPLO": "linalg.eigh(x.mT) for the other triangle",
    "linalg.eigvalsh.UPLO": "linalg.eigvalsh(x.mT) for the other triangle",
    "linalg.matrix_rank.tol": "linalg.matrix_rank(x, rtol=...), or count_nonzero(linalg.svdvals(x) > tol)",
    "linalg.matrix_rank.hermitian": "linalg.matrix_rank(x)", "linalg.pinv.hermitian": "linalg.pinv(x)",
    "linalg.svd.hermitian": "linalg.eigh(x)",
    "linalg.multi_dot.out": "out[...] = linalg.multi_dot(arrays)",
}  # fmt: skip
_DEFAULTS = {"True": True, "False": False, "0": 0}


class NumpyParameters(NamedTuple):
    """NumPy's parameters of a function of weft.

    positional: weft's names of the positional ones, in order, up to the first that weft lacks or ignores.
    names: weft's name of each that has one.
    missing: those that weft lacks, each with the value that may be given, and the advice for other values.
    ignored: those about memory and speed.
    beyond: those with which NumPy's function is called, each with its default.
    """

    positional: tuple[str, ...]
    names: dict[str, str]
    missing: dict[str, tuple[object, str]]
    ignored: frozenset[str]
    beyond: dict[str, object]


@lru_cache(None)
def numpy_parameters(function: str) -> NumpyParameters:
    """Return NumPy's parameters of a function, given by its name in weft, such as "sum" or "linalg.norm".

    >>> found = numpy_parameters("linalg.pinv")
    >>> found.positional, found.names["rcond"], found.missing
    (('x', 'rtol'), 'rtol', {'hermitian': (False, 'linalg.pinv(x)')})
    """
    positional, names, missing, ignored, beyond = [], {}, {}, set(), {}
    leading = True
    for word in _row(function).split():
        theirs, _, ours = word.partition(":")
        theirs, _, default = theirs.partition("=")
        default = _DEFAULTS.get(default, default or None)
        leading = leading and word != "*" and ours not in ("-", "~", "+")
        ours, by_place = (theirs, True) if ours == "/" else (ours, False)
        if leading:
            positional.append(ours or theirs)
        if ours == "-":
            missing[theirs] = (default, _INSTEAD[f"{function}.{theirs}"])
        elif ours == "+":
            beyond[theirs] = default
        elif ours == "~":
            ignored.add(theirs)
        elif word != "*" and not by_place:
            names[theirs] = ours or theirs
    return NumpyParameters(tuple(positional), names, missing, frozenset(ignored), beyond)


_BY_FUNCTION = dict([row.partition(" ")[::2] for row in _ROWS.strip().splitlines()])


def _row(function: str) -> str:
    """Return NumPy's signature of a function, written as in `_ROWS`; "" if it has none."""
    ufunc = getattr(np, function, None)
    if function in _BY_FUNCTION or not isinstance(ufunc, np.ufunc) or ufunc.signature is not None:
        return _BY_FUNCTION.get(function, "")
    operands = ["x:/"] if ufunc.nin == 1 else [f"x{i + 1}:/" for i in range(ufunc.nin)]
    out = "out *" if ufunc.nout == 1 else "* out:+"
    return f"{' '.join(operands)} {out} where=True:+ casting=same_kind:+ order:~ dtype:+ subok:~"
