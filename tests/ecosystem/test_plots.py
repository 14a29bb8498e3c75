"""matplotlib with tensors: the programs of `examples/everyday/plots.py` draw and return what they do with arrays."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib").use("agg")
TEXT = (Path(__file__).parents[2] / "examples" / "everyday" / "plots.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["curves", "picture_and_histogram", "points_and_errors"])
def test_pictures_are_those_of_arrays(name: str) -> None:
    results = []
    for library in ("numpy", "weft"):
        scope: dict[str, object] = {}
        exec(TEXT.replace("import weft as np", f"import {library} as np"), scope)
        results.append(np.asarray(scope[name]()))  # type: ignore[operator]
    np.testing.assert_allclose(results[1], results[0], rtol=1e-12)


def test_columns_of_a_matrix_are_drawn_each() -> None:
    import matplotlib.pyplot as plt

    import weft

    x = weft.asarray(np.arange(10.0).reshape(5, 2))
    assert len(plt.boxplot(x)["boxes"]) == len(plt.violinplot(x)["bodies"]) == len(plt.hist(x)[0]) == 2
