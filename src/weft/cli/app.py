"""The commands as a terminal sees them: arguments, options, what is printed and where.

The one idea: commands are thin; values go to standard output, everything else (bars, errors) to standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

import weft
from weft.cli import demo as demonstration
from weft.cli.expression import parse
from weft.cli.inputs import expand, open_inputs
from weft.cli.output import memory_for_work, text_of, write
from weft.cli.progress import progress
from weft.cli.vocabulary import vocabulary
from weft.ir.node import walk
from weft.runtime.limits import limited
from weft.sources.npy import NpyFile
from weft.tensor import Tensor, node_of

app = typer.Typer(
    name="weft",
    help="Tensors over files, compiled to native code.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Expression = Annotated[str, typer.Argument(metavar="EXPR", help="An array-API expression, such as 'mean(x, axis=0)'.")]
Inputs = Annotated[list[str] | None, typer.Argument(metavar="NAME=FILE...", help="Names and their .npy files.")]
Axis = Annotated[int, typer.Option("--axis", help="Axis along which several files of one name are joined.")]
Out = Annotated[
    list[str] | None,
    typer.Option(
        "--out", "-o", metavar="OUT", help="Write the result to this file (once for each of several results)."
    ),
]
Memory = Annotated[
    str | None, typer.Option("--memory", metavar="SIZE", help="Memory of the whole process, such as 256MiB or 2GB.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Also print how it is computed and what that costs.")]
Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Files to look into.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object for each file.")]
Folder = Annotated[str, typer.Option("--folder", help="Where the demonstration writes its files.")]


@app.command("eval", context_settings={"ignore_unknown_options": True})
def evaluate(
    expression: Expression,
    inputs: Inputs = None,
    axis: Axis = 0,
    out: Out = None,
    memory: Memory = None,
    explain: Explain = False,
) -> None:
    """Evaluate an expression over files and print the result, or write it with -o.

    Inputs and outputs may be larger than memory: they are read, reduced and written in tiles.

    A name may be given several times, or with a pattern (x='part-*.npy'): its files are then joined along --axis.
    An expression that begins with a minus goes after `--`.
    """
    names = open_inputs(inputs or [], axis)
    forget_lines(names.values())
    with progress() as work, limited(memory_for_work(memory)):
        value = parse(expression, names, vocabulary()).value()
        forget_lines(tensors_of(value))
        if explain:
            print(weft.explain(*tensors_of(value)))
        if out:
            write(out, value, work.wrote)
            text = ""
        else:
            text = text_of(value)
    if text:
        print(text)


def tensors_of(value: Any) -> list[Tensor]:
    """The tensors in a result."""
    if isinstance(value, Tensor):
        return [value]
    return [t for part in value for t in tensors_of(part)] if isinstance(value, (tuple, list)) else []


def forget_lines(tensors: Iterable[Tensor]) -> None:
    """No line of a program wrote what an expression builds; messages name its parts instead."""
    for n in walk(map(node_of, tensors)):
        n.code = None


@app.command()
def info(files: Files, as_json: Json = False) -> None:
    """Say what .npy files hold, from their headers alone."""
    for pattern in files:
        for path in expand(pattern):
            facts = facts_of(path)
            print(json.dumps(facts) if as_json else line_of(facts))


def facts_of(path: str) -> dict[str, Any]:
    """What a file's header says."""
    file = NpyFile(path)
    nbytes = file.header.dtype.itemsize
    for n in file.shape:
        nbytes *= n
    return {
        "file": path,
        "dtype": file.dtype.name,
        "shape": list(file.shape),
        "byteorder": "big" if file.big else "little",
        "order": file.order,
        "bytes": nbytes,
        "offset": file.header.data_offset,
    }


def line_of(facts: dict[str, Any]) -> str:
    """The facts on one line."""
    return (
        f"{facts['file']}: {facts['dtype']}{facts['shape']}, {facts['byteorder']}-endian, {facts['order']} order, "
        f"{facts['bytes']} bytes from byte {facts['offset']}"
    )


@app.command()
def demo(folder: Folder = "weft-demo") -> None:
    """Handwritten digits: five files as one tensor, class means, a classifier, and the same with NumPy."""
    demonstration.run(folder, print)


@app.callback(invoke_without_command=True)
def top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Tensors over files, compiled to native code."""
    if version:
        sys.stdout.write(f"weft {weft.__version__}\n")
        raise typer.Exit
