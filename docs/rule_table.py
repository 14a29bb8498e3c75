"""Writes the table of rules of docs/explain.md from the rules themselves."""

from __future__ import annotations

from pathlib import Path

from weft.passes.simplify import reduction_rules, selection_rules, value_rules
from weft.passes.simplify.rewriting import REQUESTED, TWICE, Rule

PAGE = Path(__file__).parent / "explain.md"
MARK = "<!-- from here on made by docs/rule_table.py -->\n"
SECTIONS = {
    "Values": value_rules.RULES,
    "Numbers": value_rules.NUMBER_RULES,
    "Selections": selection_rules.RULES,
    "Reductions and repeated work": reduction_rules.RULES,
    "By what is read": (TWICE, *REQUESTED),
}
TAKEN = {"": "always", "paid": "less work or fewer bytes", "moved": "fewer bytes"}


def row(rule: Rule) -> str:
    """One line of a table."""
    return f"| {rule.name} | `{rule.says}` | {TAKEN[rule.saves]} |\n"


def table() -> str:
    """The text after the mark."""
    parts = []
    for title, rules in SECTIONS.items():
        parts.append(f"\n### {title}\n\n| rule | equation | taken for |\n|---|---|---|\n")
        parts.extend(map(row, rules))
    return "".join(parts)


def page() -> str:
    """The text of docs/explain.md."""
    return PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK + table()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
