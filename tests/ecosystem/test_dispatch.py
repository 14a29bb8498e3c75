"""SciPy and scikit-learn with their dispatch by the array API: tensors in, tensors out, the values of NumPy.

SciPy reads its setting when it is imported, so each program has a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAD = """
import numpy as np, weft
r = np.random.default_rng(0)
X = r.normal(size=(60, 5)); y = X @ np.arange(1.0, 6.0) + 0.01 * r.normal(size=60)
Xw, yw, kinds = weft.asarray(X), weft.asarray(y), weft.asarray((y > 0).astype("int64"))
def same(ours, theirs, rtol=1e-9):
    assert isinstance(ours, weft.Tensor), type(ours)
    np.testing.assert_allclose(np.abs(ours.numpy()), np.abs(theirs), rtol=rtol, atol=1e-9)
"""
PROGRAMS = {
    "scipy.stats": """
from scipy import stats
same(stats.zscore(Xw), stats.zscore(X))
same(stats.skew(Xw), stats.skew(X))
same(stats.kurtosis(Xw, axis=1), stats.kurtosis(X, axis=1))
ours, theirs = stats.ttest_1samp(Xw, 0.0), stats.ttest_1samp(X, 0.0)
same(ours.statistic, theirs.statistic); same(ours.pvalue, theirs.pvalue)
same(stats.pearsonr(Xw[:, 0], yw).statistic, stats.pearsonr(X[:, 0], y).statistic)
""",
    "scipy.signal": """
from scipy import signal
same(signal.detrend(Xw, axis=0), signal.detrend(X, axis=0))
same(signal.fftconvolve(yw, yw[:7]), signal.fftconvolve(y, y[:7]))
same(signal.hilbert(yw), signal.hilbert(y))
""",
    "scipy.special": """
from scipy import special
same(special.logsumexp(Xw, axis=1), special.logsumexp(X, axis=1))
same(special.softmax(Xw, axis=1), special.softmax(X, axis=1))
same(special.expit(Xw), special.expit(X))
""",
    "scipy.cluster": """
from scipy.cluster import vq
same(vq.whiten(Xw), vq.whiten(X))
""",
    "sklearn": """
import sklearn
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, r2_score
from sklearn.preprocessing import StandardScaler
with sklearn.config_context(array_api_dispatch=True):
    same(StandardScaler().fit_transform(Xw), StandardScaler().fit_transform(X))
    same(PCA(2, svd_solver="full").fit_transform(Xw), PCA(2, svd_solver="full").fit_transform(X), 1e-6)
    ridge = Ridge(solver="svd").fit(Xw, yw)
    same(ridge.coef_, Ridge(solver="svd").fit(X, y).coef_)
    assert r2_score(yw, ridge.predict(Xw)) > 0.99
    found = LinearDiscriminantAnalysis().fit(Xw, kinds).predict(Xw)
    assert isinstance(found, weft.Tensor) and accuracy_score(kinds, found) > 0.9
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_tensors_are_dispatched(name: str) -> None:
    pytest.importorskip(name)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HEAD + PROGRAMS[name]],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
