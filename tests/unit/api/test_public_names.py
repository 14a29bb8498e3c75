"""Public names of version 0.1.0 are there with their parameters, or CHANGELOG.md says what became of them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import weft

HERE = Path(__file__).parent
CHANGELOG = (Path(__file__).parents[3] / "CHANGELOG.md").read_text()
NAMESPACES = ("linalg", "fft", "nn", "random", "kernels", "ocean", "modules", "autograd", "errors", "cluster")


def parameters(value: object) -> str:
    """The names of a function's parameters, separated by blanks."""
    if not callable(value) or inspect.isclass(value):
        return ""
    try:
        return " ".join(inspect.signature(value).parameters)
    except ValueError:
        return ""


def public_names() -> dict[str, str]:
    """Every public name of weft with the parameters of what it names."""
    found = {}
    for space in ("", *NAMESPACES):
        module = getattr(weft, space) if space else weft
        for name in getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]:
            found[".".join(filter(None, ("weft", space, name)))] = parameters(getattr(module, name))
    members = [name for name in vars(weft.Tensor) if not name.startswith("__")]
    return found | {f"weft.Tensor.{name}": parameters(getattr(weft.Tensor, name)) for name in members}


def names_before() -> dict[str, str]:
    lines = (HERE / "public_names_0_1_0.txt").read_text().splitlines()
    return dict(line.partition(" ")[::2] for line in lines)


def listed(kind: str) -> set[str]:
    """The names that the list under a heading of the change log holds."""
    sections = re.findall(rf"^### {kind}\n(.*?)(?=^##|\Z)", CHANGELOG, re.DOTALL | re.MULTILINE)
    return set(re.findall(r"`(weft\.[\w.]+)`", "".join(sections)))


def test_names_that_went_are_listed() -> None:
    assert names_before().keys() - public_names().keys() == listed("Removed")


def test_names_that_came_are_listed() -> None:
    assert public_names().keys() - names_before().keys() == listed("Added")


def test_parameters_that_changed_are_listed() -> None:
    now, before = public_names(), names_before()
    assert {name for name in now.keys() & before.keys() if now[name] != before[name]} <= listed("Changed")
