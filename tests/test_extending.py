"""docs/extending.md: every patch applies to a copy of the package, few files are touched, and its program runs.

The one idea: hunks are found by their text, so that the page stays right while lines move.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
FILES = {  # how many a section may touch, new ones counted
    "An element-wise operation": 4,
    "A selection": 2,
    "A gradient rule": 1,
    "A rule that simplifies": 1,
    "A file format": 2,
    "A backend": 2,
}
PAGES = "import runpy\nfor page in ('op_table', 'stubs'): runpy.run_path(f'docs/{page}.py', run_name='__main__')\n"
TESTED = {"An element-wise operation": "frac"}  # what the tests that a section names are to have cases of


def blocks(section: str, language: str) -> list[str]:
    """The fenced blocks of a language in a section."""
    return re.findall(rf"^```{language}\n(.*?)^```", SECTIONS[section], re.MULTILINE | re.DOTALL)


def hunks(patch: str) -> list[tuple[str, str, str]]:
    """(file, lines before, lines after) of every hunk."""
    found = []
    for part in re.split(r"^--- .*\n", patch, flags=re.MULTILINE)[1:]:
        name, _, rest = part.removeprefix("+++ ").partition("\n")
        for hunk in re.split(r"^@@.*\n", rest, flags=re.MULTILINE)[1:]:
            lines = [line or " " for line in hunk.splitlines()]
            before = "".join([line[1:] + "\n" for line in lines if line[0] in " -"])
            after = "".join([line[1:] + "\n" for line in lines if line[0] in " +"])
            found.append((name, before, after))
    return found


def apply(patch: str, root: Path) -> None:
    """Change the files of a patch below a root; a hunk without lines before makes a file."""
    for name, before, after in hunks(patch):
        path = root / name
        if not before:
            assert not path.exists(), f"{name} is there already"
            path.write_text(after, encoding="utf-8")
            continue
        text, short = path.read_text(encoding="utf-8"), before.rstrip("\n")
        assert text.count(short) == 1, f"{name}: the context stands {text.count(short)} times:\n{before}"
        path.write_text(text.replace(short, after.rstrip("\n")), encoding="utf-8")


def test_the_page_has_a_bound_for_every_section() -> None:
    assert list(SECTIONS) == list(FILES)


def test_hunks_are_found_by_their_text() -> None:
    patch = "--- a.py\n+++ a.py\n@@\n x = 1\n-y = 2\n+y = 3\n@@\n z\n+w\n--- /dev/null\n+++ b.py\n@@\n+new\n"
    assert hunks(patch) == [
        ("a.py", "x = 1\ny = 2\n", "x = 1\ny = 3\n"), ("a.py", "z\n", "z\nw\n"), ("b.py", "", "new\n"),
    ]  # fmt: skip


def test_a_section_touches_few_files() -> None:
    for section, most in FILES.items():
        assert 0 < len({name for patch in blocks(section, "diff") for name, _, _ in hunks(patch)}) <= most


def test_programs_run_where_all_sections_are_followed(tmp_path: Path) -> None:
    check_programs(list(FILES), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("section", FILES)
def test_programs_run_where_a_section_alone_is_followed(section: str, tmp_path: Path) -> None:
    check_programs([section], tmp_path)


def check_programs(sections: list[str], tmp_path: Path) -> None:
    """Follow sections in a copy of the package; there pages are made, their programs and the tests they name run."""
    for folder in ("src", "docs", "tests"):  # with the byte code of what no patch changes
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for section in sections:
        for patch in blocks(section, "diff"):
            apply(patch, tmp_path)
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "WEFT_CHECK": "1"}

    def run(*arguments: str) -> None:
        made = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-3000:]

    programs = [p for section in sections for p in blocks(section, "python")]  # each begins with its imports
    run("-c", PAGES + "\n".join(f"exec({program!r}, {{}})" for program in programs))
    for section in sections:
        named = re.findall(r"`(tests/[\w/]+\.py)`", SECTIONS[section])
        if named:
            run("-m", "pytest", "-q", "-p", "no:cacheprovider", *named, "-k", TESTED[section])
