"""Documents say what is there: files that they name exist, code that they show runs."""

from __future__ import annotations

import ast
import doctest
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.syntax_trees import parsed

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "weft"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
DOCUMENTS = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]


def named_files(text: str) -> set[str]:
    return set(re.findall(r"[\w/]+\.py\b", text))


def exists(name: str) -> bool:
    """Under the root, under the package, or anywhere in the package where only the file's name is given."""
    if "/" in name:
        return (ROOT / name).exists() or (SOURCE / name).exists()
    return any(SOURCE.rglob(name))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_named_files_exist(document: Path) -> None:
    assert [name for name in sorted(named_files(document.read_text())) if not exists(name)] == []


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", document.read_text()):
            assert (ROOT / target).exists(), f"{document.name}: {target}"


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), scope)
    printed = capsys.readouterr().out
    assert printed.rstrip().endswith(" 0")
    assert str(scope["z"]) in printed


WALKS = re.findall(r"^### (.*?)\n\n```python\n(.*?)```\n(.*?)(?=^##)", ARCHITECTURE, re.DOTALL | re.MULTILINE)
BELOW = {"", "runtime"}  # rooms of what every walk passes through


@pytest.mark.parametrize(("program", "steps"), [w[1:] for w in WALKS], ids=[w[0] for w in WALKS])
def test_a_walk_is_what_runs(program: str, steps: str, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tests" / "walks.py")]
    env = {name: value for name, value in os.environ.items() if name != "WEFT_CHECK"}
    done = subprocess.run(command, input=program, capture_output=True, text=True, check=True, cwd=tmp_path, env=env)
    called, named = done.stdout.split(), list(dict.fromkeys(re.findall(r"`([\w/]+\.py)`", steps)))
    assert [name for name in called if name in named] == named
    rooms = {str(Path(name).parent).replace(".", "") for name in called}
    assert rooms - BELOW - {str(Path(name).parent) for name in named} == set()


def test_there_are_four_walks() -> None:
    assert [w[0] for w in WALKS] == ["An expression", "A write", "A file", "A gradient"]


PAGES = sorted(p for p in (ROOT / "docs").glob("*.md") if ">>> " in p.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples may write files
    test = doctest.DocTestParser().get_doctest(
        page.read_text(encoding="utf-8").replace("```\n", "\n"), {}, page.name, str(page), 0
    )
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE)
    runner.run(test)
    assert runner.summarize(verbose=False) == (0, len(test.examples))


def test_the_table_of_operations_is_current() -> None:
    maker = runpy.run_path(str(ROOT / "docs" / "op_table.py"))
    assert (ROOT / "docs" / "ops.md").read_text(encoding="utf-8") == maker["page"](), "run: python docs/op_table.py"
    computed = maker["page"]().partition("\n## ")[2].partition(maker["FACTS"])[0]
    assert "–" not in computed, "an operation that a transformer does not compute"


def test_the_stubs_of_the_public_names_are_what_the_program_imports() -> None:
    maker = runpy.run_path(str(ROOT / "docs" / "stubs.py"))
    for path, text in maker["stubs"]().items():
        assert path.read_text(encoding="utf-8") == text, "run: make docs"


def test_the_table_of_rules_is_current() -> None:
    maker = runpy.run_path(str(ROOT / "docs" / "rule_table.py"))
    assert (ROOT / "docs" / "explain.md").read_text(encoding="utf-8") == maker["page"](), "run: make docs"


TESTS = ROOT / "tests"
SLOW = re.compile(r"\bslow\b|\bin_turn\(")


def slow_tests() -> set[str]:
    """The tests with cases that only `make test-all` runs, as `folder/file.py::name`."""
    texts = {path: path.read_text() for path in TESTS.rglob("test_*.py") if path != Path(__file__)}
    trees = parsed({path: text for path, text in texts.items() if SLOW.search(text)})
    return {
        f"{path.relative_to(TESTS).as_posix()}::{node.name}"
        for path, tree in trees.items()
        for assigned in [assigned_texts(tree)]
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(is_slow(d, assigned) for d in node.decorator_list)
    }


def assigned_texts(module: ast.Module) -> dict[str, str]:
    """The text that a module assigns to each of its names."""
    return {ast.unparse(n.targets[0]): ast.unparse(n.value) for n in module.body if isinstance(n, ast.Assign)}


def is_slow(decorator: ast.expr, assigned: dict[str, str]) -> bool:
    """True if a decorator, or the text assigned to its name, marks cases as slow."""
    text = ast.unparse(decorator)
    return SLOW.search(assigned.get(text, text)) is not None


def test_every_slow_test_is_listed_with_its_quick_witness() -> None:
    rows = re.findall(
        r"^\| `([\w/]+\.py)::(\w+)` \|[^|]*\| (?:`([\w/.:]+)`)?", (ROOT / "docs/testing.md").read_text(), re.M
    )
    listed = [f"{file}::{name}" for file, name, _ in rows]
    assert sorted(listed) == sorted(slow_tests())
    for file, _, witness in rows:
        path, _, name = witness.rpartition("::")
        if name:
            assert f"\ndef {name}(" in (TESTS / (path or file)).read_text(), f"{file}: no {witness}"
