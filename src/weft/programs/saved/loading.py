"""Loading programs: untrusted data, checked against every rule before anything of it runs.

The one idea: a plan is proven to stay within its arguments, so it runs directly; the graph, which only calls in other
settings need, is built and checked against the rules of graphs when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from weft.errors import MissingFileError, OutOfMemory, ProgramFileError
from weft.interop.imports import laid_out, owned, read_only_of
from weft.ir.fields import distributions, philox  # noqa: F401  (they note functions of traced numbers)
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription, c_strides
from weft.ir.graph.node import Node
from weft.ir.graph.traced import TracedNumber, number_of_call
from weft.ir.kernels.data_reader import Faults, Path
from weft.programs.computation import Computation
from weft.programs.kinds import with_role
from weft.programs.pytrees import REGISTERED
from weft.programs.saved import parts
from weft.programs.saved.archive import ProgramArchive
from weft.programs.saved.loaded_function import LoadedFunction
from weft.programs.saved.saved_graph import SavedGraph, damaged
from weft.programs.saved.saved_loop import Leaf, read_loop
from weft.programs.saved.saving import FORMAT, VERSION
from weft.programs.traced_call import Result, TracedCall
from weft.random.generator import Generator
from weft.sources.formats.safetensors import SPELLED
from weft.tensors.place import Place, new_place
from weft.tensors.tensor import Tensor, node_of

CALL = (
    "captured", "written", "looked", "results", "recorded", "numbers", "drawn", "donated", "outputs", "graph", "leaves",
    "plan",
)  # fmt: skip
_OF_KINDS = ("arguments", "named", "dtype", "recording", "deterministic", "math_mode")  # fields of kinds of calls
ROLES = ("plain", "persistent", "variable")


def load_program(path: Any, types: Iterable[type] = ()) -> LoadedFunction | Computation:
    """Return the program in a file, called like the function or computation given to `save_program`.

    Plans are read, not made again.  Tensors that the program reads beside its arguments, or writes, belong to it;
    `persistent` lists them.  Named tuples and dataclasses among arguments and results are looked up in `types`, types
    of `register_pytree` by their names.  A file can contain only operations of weft.  Raises ProgramFileError if the
    file is damaged or of another version, MissingFileError if there is none.

    >>> import weft, tempfile, os
    >>> x = weft.placeholder((2,), name="x")
    >>> path = os.path.join(tempfile.mkdtemp(), "twice.weft")
    >>> weft.save_program(weft.computation(x * 2, x), path)
    >>> weft.load_program(path)(x=[1.0, 2.0]).tolist()
    [2.0, 4.0]
    """
    what = f"load_program: {path}"
    try:
        with ProgramArchive(path) as archive:
            return ProgramReader(what, archive.structure(), types, archive.cells()).program()
    except (ProgramFileError, MissingFileError, OutOfMemory):
        raise
    except Exception as error:
        raise damaged(what, error) from error


class ProgramReader:
    """Reads a program from data; faults are collected before the first is raised."""

    def __init__(self, what: str, data: Any, types: Iterable[type], cells: dict[str, np.ndarray]) -> None:
        self.what, self.faults, self.arrays = what, Faults(), cells
        allowed = [k for k in types if is_dataclass(k) or hasattr(k, "_make") or k in REGISTERED]
        self.types = {parts.type_name(k): k for k in [*REGISTERED, *allowed]}
        version = data.get("version") if type(data) is dict and data.get("format") == FORMAT else None
        if version != VERSION:
            fact = (
                f"it is version {version!r:.20} of the format, this weft reads {VERSION}"
                if version
                else "it is no program"
            )
            raise ProgramFileError(f"{what}: {fact}; load it with the weft that saved it, or save it again")
        self.is_function = data.get("kind") == "function"
        own = ("name", "parameters", "static") if self.is_function else ("names", "inputs")
        self.faults.one_of(data.get("kind"), ("kind",), ("function", "computation"))
        keys = ("format", "version", "kind", *own, "calls", "tensors", "generators")
        self.data = self.faults.fields(data, ("program",), keys)
        f = self.faults
        self.tensors = f.items(self.data.get("tensors"), ("tensors",), self.tensor)
        calls = self.data.get("calls")
        leaves = [c.get("leaves") if type(c) is dict else None for c in (calls if type(calls) is list else ())]
        self.leaves = [f.items(v, (("calls", k), "leaves"), self.leaf) for k, v in enumerate(leaves)]
        for name in self.arrays:
            f.add_fault(("tensors",), f"the cells {name:.40}, which nothing names")
        f.check(what)

    def tensor(self, value: Any, path: Path) -> tuple[np.ndarray, str, TensorDescription, bool]:
        """Return (cells, role, description, True if recorded) of a tensor's data.

        Faults of the data are noted with the path.
        """
        f = self.faults
        more = ("cells", "role", "recorded")
        desc = parts.read_description(value, f, path, more)
        v = value if type(value) is dict else {}
        cells = self.cells(v.get("cells"), desc, (path, "cells"))
        role = f.one_of(v.get("role"), (path, "role"), ROLES)
        return cells, role, desc, f.flag(v["recorded"], (path, "recorded")) if "recorded" in v else False

    def leaf(self, value: Any, path: Path) -> Leaf:
        """Return a function that makes a graph's leaf, (cells, description) or a loop.

        Faults of the data are noted with the path.
        """
        if type(value) is dict:
            return read_loop(self.what, value, self.faults, path, self.leaf)
        name, desc = value if type(value) is list and len(value) == 2 else (None, None)
        found = parts.read_description(desc, self.faults, path)
        if found.strides != c_strides(found.shape, found.dtype.itemsize):
            self.faults.add_fault(path, "leaves are row-major")
        cells = self.cells(name, found, path)
        return lambda: (parts.in_order(cells, found), found)

    def cells(self, value: Any, desc: TensorDescription, path: Path) -> np.ndarray:
        """Return the cells with a name, which are used once. A fault is noted if they do not fit the description."""
        name = self.faults.text(value, path)
        found = self.arrays.pop(name, None)
        if found is None:
            self.faults.add_fault(path, f"no cells are left under the name {name:.40}")
        elif desc.dtype in SPELLED:
            if found.dtype == desc.dtype.np and found.shape == desc.shape:
                return found
        elif found.dtype == np.uint8 and found.shape == (*desc.shape, desc.dtype.itemsize):
            return found.reshape(-1).view(desc.dtype.np).reshape(desc.shape)
        self.faults.add_fault(path, f"the cells {name:.40} are no {desc.dtype.name} of shape {desc.shape}")
        return np.empty(0, desc.dtype.np)

    # ---- with cells

    def program(self) -> LoadedFunction | Computation:
        """Return the program; raises ProgramFileError if faults were noted."""
        f, d = self.faults, self.data
        self.own = [self._tensor(*tensor) for tensor in self.tensors]
        self.generators = f.items(d["generators"], ("generators",), self.generator)
        self.made = [[make() for make in leaves] for leaves in self.leaves]
        if self.is_function:
            return self._function()
        names = [f.text(v, (("names"), k)) for k, v in enumerate(d["names"])]
        inputs = f.items(d["inputs"], ("inputs",), lambda v, p: parts.read_description(v, f, p))
        if len(names) != len(inputs) or len(d["calls"]) != 1:
            f.add_fault(("names",), f"{len(names)} names of {len(inputs)} inputs and {len(d['calls'])} calls")
        f.check(self.what)
        traced = self.call(d["calls"][0], (("calls",), 0), 0, inputs, 0, names)
        f.check(self.what)
        return Computation(traced, [new_place(h) for h in traced.graph.holes[: len(inputs)]])

    def _function(self) -> LoadedFunction:
        f, d = self.faults, self.data
        names = f.items(d["parameters"], ("parameters",), f.text)
        static = f.items(d["static"], ("static",), f.text)
        calls = dict(f.items(d["calls"], ("calls",), self.kind))
        f.check(self.what)
        return LoadedFunction(f.text(d["name"], ("name",)), names, static, calls, self.own)

    def generator(self, value: Any, path: Path) -> Generator:
        f = self.faults
        d = f.fields(value, path, ("seed", "calls"))
        seed = f.integer(d.get("seed"), (path, "seed"), 0, (1 << 64) - 1)
        return Generator.of_state(seed, f.integer(d.get("calls"), (path, "calls"), 0))

    def _tensor(self, cells: np.ndarray, role: str, desc: TensorDescription, recorded: bool) -> Tensor:
        """Return a tensor of given cells, role and description, which requires gradients if `recorded`.

        An impossible description is noted as a fault.
        """
        made = owned(cells)
        if node_of(made).desc.strides != desc.strides or desc.big:  # empty tensors may have any strides
            made = laid_out(made, desc.strides, desc.byteorder)
        made = read_only_of(made) if desc.read_only else made
        made = with_role(made, role)
        if node_of(made).desc != desc:
            self.faults.add_fault(
                ("tensors",), f"a tensor described as {desc!r} with strides {desc.strides}; none lies so"
            )
        return made.requires_grad_() if recorded else made

    def kind(self, value: Any, path: Path) -> tuple[Any, TracedCall]:
        """Return (a kind of call, its traced call) from data; faults of the data are noted with the path."""
        f = self.faults
        v = value if type(value) is dict else {}
        descs: list[TensorDescription] = []
        numbers = 0

        def argument(x: Any, p: Path) -> Any:
            nonlocal numbers
            found = parts.read_argument(x, f, p)
            numbers += type(found) is type
            desc = found[0] if type(found) is tuple else found
            if type(desc) is TensorDescription:
                descs.append(desc)
            return found

        def tree(x: Any, p: Path) -> Any:
            return parts.read_tree(x, f, p, argument, self.types)

        def named(x: Any, p: Path) -> Any:
            name, part = x if type(x) is list and len(x) == 2 else (None, None)
            return f.text(name, p), tree(part, p)

        given = f.items(v.get("arguments"), (path, "arguments"), tree)
        by_name = f.items(v.get("named"), (path, "named"), named)
        dtype = parts.dtype_or_none(v.get("dtype"), f, (path, "dtype"))
        fixed = f.flag(v.get("deterministic", False), (path, "deterministic"))  # older files have none
        mode = f.text(v.get("math_mode", "standard"), (path, "math_mode"))
        kind = (dtype, fixed, f.flag(v.get("recording"), (path, "recording")), "cpu", mode, *given, *by_name)
        rest = {k: x for k, x in v.items() if k not in _OF_KINDS}
        return kind, self.call(rest, path, path[1], descs, numbers)

    def call(
        self,
        value: Any,
        path: Path,
        number: int,
        inputs: Sequence[TensorDescription],
        given: int,
        names: Sequence[str] = (),
    ) -> TracedCall:
        """Return the traced call in data: call `number`, over `inputs` tensors and `given` numbers.

        `names` are those of the inputs. Faults of the data are noted with the path.
        """
        f = self.faults
        v = f.fields(value, path, CALL)
        most = len(self.own) - 1
        captured = [self.own[k] for k in f.integers(v.get("captured"), (path, "captured"), 0, most)]
        drawn = f.integers(v.get("drawn"), (path, "drawn"), 0, len(self.generators) - 1)
        outputs = f.items(v.get("outputs"), (path, "outputs"), lambda x, p: parts.read_description(x, f, p))
        written = f.items(v.get("written"), (path, "written"), lambda x, p: self.target(x, p, len(inputs)))
        given += len(drawn)
        most_output = len(outputs) - len(written) - 1
        results = parts.read_tree(
            v.get("results"), f, (path, "results"), lambda x, p: self.result(x, p, given, most_output), self.types
        )
        scalars = f.items(v.get("numbers"), (path, "numbers"), lambda x, p: self.scalar(x, p, given))
        text = f.text(v.get("graph"), (path, "graph"))
        names = names or [f"argument {k}" for k in range(len(inputs))]
        holes = [ir.placeholder(n, d) for n, d in zip(names, inputs, strict=True)]
        holes += [ir.placeholder("a captured tensor", node_of(t).desc) for t in captured]
        recorded = f.integers(v.get("recorded"), (path, "recorded"), 0, len(outputs) - 1)
        looked = f.integers(v.get("looked"), (path, "looked"), 0, most)
        donated = dict(f.items(v.get("donated"), (path, "donated"), lambda x, p: self.donation(x, p, len(inputs))))
        f.check(self.what)
        graph = SavedGraph(self.what, text, holes, scalars, outputs, self.made[number])
        graph.known_plan(v["plan"], f, (path, "plan"))
        made = TracedCall(graph, results, [(t._place, node_of(t).desc) for t in captured], written)
        made.donate(donated)
        graph.donate()
        made.drawn = [self.generators[k].drawn for k in drawn]
        made.recorded = recorded
        made.read = {self.own[k]._place.node: self.own[k]._place for k in looked}
        return made

    def scalar(self, value: Any, path: Path, given: int) -> Node:
        """Return the node of a scalar that depends on the `given` numbers of a call.

        Faults of `value` are noted.
        """
        f = self.faults
        d = f.fields(value, path, ("number", "dtype"))
        made = parts.read_number(d.get("number"), f, (path, "number"), given)
        if type(made) is not TracedNumber:
            f.add_fault((path, "number"), "a scalar that no number of the call is in")
            made = number_of_call(None, 0, "an argument")
        return ir.number(made, f.dtype(d.get("dtype"), (path, "dtype")))

    def result(self, value: Any, path: Path, given: int, most: int) -> Result:
        """Return a part of a call's results: an output with index up to `most`, or a number.

        Numbers are made of the `given` ones. Faults of the data are noted with the path.
        """
        if type(value) is dict and "output" in value:
            return Result(self.faults.integer(value["output"], (path, "output"), 0, most))
        return Result(-1, parts.read_number(value, self.faults, path, given))

    def donation(self, value: Any, path: Path, inputs: int) -> tuple[int, str]:
        """Return (index, name) of a donated argument, among `inputs` of them.

        Faults of the data are noted with the path.
        """
        number, name = value if type(value) is list and len(value) == 2 else (None, None)
        return self.faults.integer(number, path, 0, inputs - 1), self.faults.text(name, path)

    def target(self, value: Any, path: Path, inputs: int) -> int | Place:
        """Return the target of a write: the index of an argument below `inputs`, or the place of a tensor.

        Faults of the data are noted with the path.
        """
        f = self.faults
        v = f.fields(value, path, (), ("argument", "tensor"))
        if "argument" in v:
            return f.integer(v["argument"], (path, "argument"), 0, inputs - 1)
        k = f.integer(v.get("tensor"), (path, "tensor"), 0, len(self.own) - 1)
        return self.own[k]._place if self.own else 0
