"""The command-line interface: arguments, options, and output.

The one idea: commands are thin; values go to standard output, everything else (bars, errors) to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Annotated, Any

import typer

import weft
from weft.cli import demo as demonstration
from weft.cli.cat import lines, selected
from weft.cli.convert import convert
from weft.cli.expression import expression_value
from weft.cli.facts import describe
from weft.cli.inputs import open_inputs, paths_by_name
from weft.cli.options import check_taken, for_file, options_of
from weft.cli.output import check_targets, json_of, text_of, write
from weft.cli.vocabulary import vocabulary
from weft.errors import ExpressionError
from weft.inspect.progress import progress
from weft.ir.graph.node import walk
from weft.runtime.memory.limits import limited
from weft.sources.file_patterns import expand_all
from weft.sources.files import open_file
from weft.sources.write.atomic_write import atomic_file
from weft.tensors.tensor import Tensor, node_of

app = typer.Typer(
    name="weft",
    help="Tensors over files, compiled to native code.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Expression = Annotated[str, typer.Argument(metavar="EXPR", help="An array-API expression, such as 'mean(x, axis=0)'.")]
Inputs = Annotated[list[str] | None, typer.Argument(metavar="NAME=FILE...", help="Names and their files.")]
Axis = Annotated[int, typer.Option("--axis", help="Axis along which several files of one name are joined.")]
Out = Annotated[
    list[str] | None,
    typer.Option(
        "--out", "-o", metavar="OUT", help="Write the result to this file (once for each of several results)."
    ),
]
Memory = Annotated[
    str | None, typer.Option("--memory", metavar="SIZE", help="Memory of the work over files, such as 64MiB or 2GB.")
]
Cluster = Annotated[
    str | None, typer.Option("--cluster", metavar="ADDRESS", help="Scheduler of Dask whose workers do large work.")
]
Opening = Annotated[
    list[str] | None,
    typer.Option("--open", metavar="KEY=VALUE", help="An option of the input format, such as name=a or dtype=>f4."),
]
Saving = Annotated[
    list[str] | None,
    typer.Option("--save", metavar="KEY=VALUE", help="An option of the output format, such as chunks=64,64."),
]
Html = Annotated[str | None, typer.Option("--html", metavar="OUT", help="Write a page to this file.")]
Select = Annotated[str | None, typer.Option("--select", "-s", metavar="KEY", help="What to print, such as '0:3, ::2'.")]
Delimiter = Annotated[str, typer.Option("--delimiter", "-d", help="Between the values of a line.")]
Stack = Annotated[bool, typer.Option("--stack", help="Make --axis a new one.")]
Type = Annotated[str | None, typer.Option("--dtype", help="Convert to this dtype, such as float32 or '>f4'.")]
Sources = Annotated[list[str], typer.Argument(metavar="FILE... OUT", help="Files to read, then the file to write.")]
Explain = Annotated[bool, typer.Option("--explain", help="Also print how it is computed and what that costs.")]
Results = Annotated[bool, typer.Option("--json", help="One JSON object for each result: dtype, shape and values.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an input by the output.")]
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
    cluster: Cluster = None,
    opening: Opening = None,
    explain: Explain = False,
    as_json: Results = False,
    force: Force = False,
) -> None:
    """Evaluate an expression over files and print the result, or write it with -o.

    Inputs and outputs may be larger than memory: they are read, reduced and written in tiles.

    A name may be given several times, or with a pattern (x='part-*.npy'): its files are then joined along --axis.  An
    expression that begins with a minus goes after `--`.  An output that is also an input needs --force.
    """
    read = [path for paths in paths_by_name(inputs or []).values() for path in paths]
    check_targets("eval", out or [], [] if force else read)
    names = open_inputs(inputs or [], axis, options_of("--open", opening))
    forget_lines(names.values())
    workers = nullcontext() if cluster is None else weft.cluster.connect(cluster)
    with progress(), limited(memory), workers:
        value = expression_value(expression, names, vocabulary())
        forget_lines(tensors_of(value))
        if explain:
            print(weft.explain(*tensors_of(value)))
        if out:
            write(out, value)
            text = ""
        else:
            text = json_of(value) if as_json else text_of(value)
    if text:
        print(text)


def tensors_of(value: Any) -> list[Tensor]:
    """Return the tensors in a result that is a tensor or nested tuples and lists."""
    if isinstance(value, Tensor):
        return [value]
    return [t for part in value for t in tensors_of(part)] if isinstance(value, (tuple, list)) else []


def forget_lines(tensors: Iterable[Tensor]) -> None:
    """Remove the user's lines from the nodes below tensors, since an expression of the command line has none."""
    for n in walk(map(node_of, tensors)):
        n.code = None


@app.command()
def explain(
    expression: Expression, inputs: Inputs = None, axis: Axis = 0, opening: Opening = None, html: Html = None
) -> None:
    """Print how an expression over files would be computed: rules, pieces, kernels, the bytes of every file.

    Nothing is computed.  With --html the same is written to a self-contained page.
    """
    names = open_inputs(inputs or [], axis, options_of("--open", opening))
    forget_lines(names.values())
    tensors = tensors_of(expression_value(expression, names, vocabulary()))
    forget_lines(tensors)
    if not tensors:
        raise ExpressionError("explain: the result is no tensor; there is nothing to compute; give another expression")
    explanation = weft.explain(*tensors)
    if html is None:
        print(explanation)
        return
    with atomic_file(html) as page:
        page.write(explanation.html().encode())


@app.command()
def info(files: Files, opening: Opening = None, as_json: Json = False) -> None:
    """Print the contents of files, from their headers alone: a line for every array."""
    options = options_of("--open", opening)
    check_taken(options, expand_all(files))
    for line in describe(files, options, as_json):
        print(line)


@app.command()
def cat(
    files: Files, select: Select = None, axis: Axis = 0, delimiter: Delimiter = " ", opening: Opening = None
) -> None:
    """Print the values of a file, or of files joined along --axis. Each run of the last axis is a line.

    Only the selected part is read, a block at a time.
    """
    options, paths = options_of("--open", opening), expand_all(files)
    check_taken(options, paths)
    for line in lines(selected(open_file(paths, axis=axis, **for_file(paths[0], options)), select), delimiter):
        print(line)


@app.command("convert")
def convert_files(
    files: Sources,
    axis: Axis = 0,
    stack: Stack = False,
    dtype: Type = None,
    opening: Opening = None,
    saving: Saving = None,
    memory: Memory = None,
    force: Force = False,
) -> None:
    """Write the contents of files to a file of another format; the last argument is the new file.

    Several files are joined along --axis (or stacked with --stack).  A file of several arrays is converted as a whole
    if the new format holds several.  Files may be larger than memory.  A new file that is also an input needs --force.
    """
    if len(files) < 2:
        raise ExpressionError("convert: one file is named; the files to read and the new file are needed; add it")
    options = options_of("--open", opening)
    read = expand_all(files[:-1])
    check_targets("convert", files[-1:], [] if force else read)
    check_taken(options, read)
    how = {"axis": axis, "stack": stack}
    with progress(), limited(memory):
        convert(files[:-1], files[-1], dtype, how, options, options_of("--save", saving))


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
