"""The entry point: runs a command and turns errors into one line and an exit code.

The one idea: exit code 0 for success, 1 if the work failed (a file, a shape, memory), 2 if the request was wrong
(options, the expression), 130 if interrupted.  A pipe that is closed early is no failure.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from weft.errors import ExpressionError, InternalError, WeftError

try:
    from weft.cli.app import app
except ModuleNotFoundError as error:
    if error.name not in ("typer", "rich"):
        raise
    MISSING: str | None = error.name
else:
    MISSING = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `weft` with arguments (by default those of the process), then exit with the command's exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: list[str]) -> int:
    """Run a command; return the exit code, 0 to 2 or 130, after printing an error, if any, as one line.

    Raises InternalError for a fault of weft itself.
    """
    if MISSING is not None:
        return _fail(f"the command line needs {MISSING}; it comes with the extra: pip install 'weft[cli]'", 1)
    try:
        code = _command(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except ExpressionError as error:
        return _fail(_message(error), 2)
    except InternalError:
        raise
    except WeftError as error:
        return _fail(_message(error), 1)
    except BrokenPipeError:
        _say_no_more()
    except OSError as error:
        _say_no_more()
        reason = (error.strerror or str(error)).lower()
        return _fail(f"{error.filename or 'standard output'}: {reason}; check the folder and its free space", 1)
    except MemoryError:
        return _fail("the system has no more memory; work on a slice, or write the result with -o", 1)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    return 0


def _command(arguments: list[str]) -> int:
    """Run a command; return its exit code, or raise its error."""
    try:
        app(arguments, prog_name="weft")
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # the parser turned it into an exit
            raise stop.__context__ from None
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def _say_no_more() -> None:
    """Discard all further output, even at the interpreter's exit, once the pipe's reader is gone."""
    sys.stdout, sys.stderr = sys.__stdout__ or sys.stdout, sys.__stderr__ or sys.stderr
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _message(error: WeftError) -> str:
    """Return an error as one line; on a terminal also the expression with a mark below the fault."""
    text = "; ".join([str(error), *getattr(error, "__notes__", ())])
    return text if sys.stderr.isatty() else text.split("\n")[0]


def _fail(message: str, code: int) -> int:
    print(f"weft: {message}", file=sys.stderr)
    return code
