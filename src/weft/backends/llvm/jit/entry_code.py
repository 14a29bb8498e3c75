"""The code behind every entry, as IR: reads the plan's table, converts arguments, makes outputs, runs the tasks.

The one idea: the memory of a call is on the stack or in one block of its own, so entries may be called from any number
of threads at a time; the table is only read.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.emit.words import Words, layout, store_word, word
from weft.backends.llvm.jit.fpmode import enter_default, leave_default
from weft.backends.llvm.jit.jit import Text
from weft.backends.llvm.jit.pool import FORKED, LAUNCH, TASK, launch_function

PLAN = layout(
    "nargs n_args n_scalars n_outputs n_tasks interruptible scratch arena nanoseconds pool* "
    "flags outputs scalars tasks "  # index in the table at which each of these parts begins
    "none* ndarray* type_error* weft_error* new_array* bad_count* bad_array* forked*"
)
OUTPUT = layout("descr* ndim sizes*")
KINDS = {
    "bool": 0,
    "int": 1,
    "uint": 1,
    "float": 2,
    "complex": 3,
}  # of scalars: how one becomes the 16 bytes of its slot
MESSAGES = {
    "bad_count": "program: internal: wrong number of arguments; please report this",
    "bad_array": "program: internal: an argument is not an array; please report this",
    "forked": "program: a signal handler forked the process in the middle of a kernel on several threads; "
    "the child has only one of them; compute the value again, or end the child in the handler, with os._exit",
}
IN_ARENA = -1  # flag of an argument that may be None for cells of the call's own memory
STACK = 4096  # bytes of a call's tables and scratch that need no allocation
LOCK_COST = 100_000  # least nanoseconds of work for which the interpreter's lock is released
SLOT = 16  # bytes of the slot of a scalar
ENTRY = signature("entry", "ptr self, ptr args, i64 nargs", "ptr")


def emit_entry(data: int, kind: int) -> Text:
    """Return the module of `PyObject *entry(PyObject *self, PyObject **args, Py_ssize_t nargs)`.

    `data` and `kind` are the byte offsets of the data pointer in an array object and of the type in any object.
    """
    launch, b = launch_function(), Builder(ENTRY)
    EntryCall(b, data, kind).emit()
    b.declarations |= launch.declarations
    text = b.module(launch.definition(), b.definition())
    # an interpreter that shuts down ends its threads by unwinding their stacks
    return Text(text.replace("{ nounwind", "{ uwtable"), ("entry",))


class EntryCall:
    """The emitter of the function `entry`, step by step; a step that fails branches to `fail` or `ret_null`."""

    def __init__(self, b: Builder, data: int, kind: int) -> None:
        self.b, self.data, self.kind = b, data, kind
        self.args = b["args"]
        self.stack = b.alloca("i8", STACK)
        self.heap, self.result = b.alloca("ptr"), b.alloca("ptr")
        self.state = b.alloca("i64", 2)  # see pool.Watch

    def emit(self) -> None:
        """Emit the whole function."""
        b = self.b
        self._find_plan()
        with b.unless(b["nargs"].eq(self.plan["nargs"]), "ret_null"):
            b.call("void", "PyErr_SetString", self.plan["type_error"], self.plan["bad_count"])
        self._reserve()
        mode = enter_default(b)
        with b.loop(0, self.plan["n_args"]) as k:
            self._argument(k)
        with b.loop(0, self.plan["n_scalars"]) as k:
            self._scalar(k)
        self._run()
        self._give_result()
        b.branch("out")
        b.label("fail")
        self._drop_outputs()
        b.branch("out")
        b.label("out")
        leave_default(b, mode)
        heap = b.load("ptr", self.heap, 8)
        with b.when(heap.ne(0), rare=True):
            b.call("void", "PyMem_RawFree", heap)
        b.emit(f"ret ptr {b.load('ptr', self.result, 8).name}")
        b.label("ret_null")
        b.emit("ret ptr null")

    # ---- the table
    def _find_plan(self) -> None:
        """Emit code that initialises the call's variables and reads the plan's address from the array `self`."""
        b = self.b
        for slot in (self.heap, self.result, self.state):
            b.store(b.const("ptr", 0), slot, 8)
        store_word(b, 0, self.state, 1)
        self.plan = Words(b, b.load("ptr", b.gep(b["self"], self.data), 8), PLAN)

    def part(self, name: str) -> Value:
        """Return the address of a part of the plan: "flags", "outputs", "scalars" or "tasks"."""
        return self.b.gep(self.plan.base, self.plan[name], "i64")

    # ---- memory of the call
    def _reserve(self) -> None:
        """Emit code that reserves the call's memory for outputs, bases, scalars, the tasks' scratch and the arena.

        It lies on the stack if 4 KiB suffice, else it is allocated.
        """
        b = self.b
        arrays = (self.plan["n_args"] + self.plan["n_outputs"] + 1) * 8
        tables = (arrays + self.plan["n_scalars"] * SLOT + 127) & -64
        scratch = (self.plan["scratch"] + 63) & -64
        need = tables + scratch + self.plan["arena"] + 64
        with b.when(need > STACK - 64, rare=True):
            made = b.call("ptr", "PyMem_RawMalloc", need)
            b.store(made, self.heap, 8)
            with b.unless(made.ne(0), "ret_null"):
                b.call("ptr", "PyErr_NoMemory")
        heap = b.load("ptr", self.heap, 8)
        block = b.select(heap.eq(0), self.stack, heap)
        address = b.cast("ptrtoint", block, "i64")
        self.outputs = b.gep(block, (0 - address) & 63)
        self.bases = b.gep(self.outputs, self.plan["n_outputs"], "i64")
        self.scalars = b.gep(self.outputs, (arrays + 15) & -16)
        self.scratch = b.gep(self.outputs, tables)
        self.arena = b.gep(self.scratch, scratch)
        store_word(b, 0, self.bases, 0)  # may be read where there are no arguments
        with b.loop(0, self.plan["n_outputs"]) as k:
            store_word(b, 0, self.outputs, k)

    # ---- arguments
    def _argument(self, k: Value) -> None:
        b = self.b
        array, number = word(b, self.args, k * 2, "ptr"), word(b, self.args, k * 2 + 1, "ptr")
        offset = b.call("i64", "PyLong_AsLongLong", number)
        self._fail_if_minus_one(offset)
        output = word(b, self.part("flags"), k)
        own = array.eq(self.plan["none"]) & output.eq(IN_ARENA)
        with b.when(own):
            store_word(b, b.cast("ptrtoint", self.arena, "i64") + offset, self.bases, k)
        with b.when(~own):
            self._array(k, array, offset, output)

    def _array(self, k: Value, array: Value, offset: Value, output: Value) -> None:
        """Emit code that stores the address of argument k, an array or, with an `output` number, a new one."""
        b = self.b
        found = b.alloca("ptr")
        b.store(array, found, 8)
        with b.when(array.eq(self.plan["none"]) & (output > 0)):
            b.store(self._new_output(output), found, 8)
        array = b.load("ptr", found, 8)
        exact = b.load("ptr", b.gep(array, self.kind), 8).eq(self.plan["ndarray"])
        with b.when(~exact, rare=True):
            kind = b.call("i32", "PyObject_IsInstance", array, self.plan["ndarray"])
            with b.unless(kind.eq(1), "fail"):
                b.call("void", "PyErr_SetString", self.plan["type_error"], self.plan["bad_array"])
        with b.when((output > 0) & word(b, self.outputs, b.select(output > 0, output - 1, 0), "ptr").eq(0)):
            b.call("void", "Py_IncRef", array)
            b.store(array, b.gep(self.outputs, output - 1, "i64"), 8)
        store_word(b, b.load("i64", b.gep(array, self.data), 8) + offset, self.bases, k)

    def _new_output(self, number: Value) -> Value:
        """Return a new array in C order for output number `number`, and keep it in the table of outputs."""
        b = self.b
        record = Words(b, b.gep(self.part("outputs"), (number - 1) * len(OUTPUT), "i64"), OUTPUT)
        descr, ndim = record["descr"], b.cast("trunc", record["ndim"], "i32")
        b.call("void", "Py_IncRef", descr)  # the call keeps it
        nothing, flags = b.const("ptr", 0), b.const("i32", 0)
        given = (self.plan["ndarray"], descr, ndim, record["sizes"], nothing, nothing, flags, nothing)
        made = b.call("ptr", self.plan["new_array"], *given)
        b.need(made.ne(0), "fail")
        b.store(made, b.gep(self.outputs, number - 1, "i64"), 8)
        return made

    def _fail_if_minus_one(self, got: Value) -> None:
        """Emit a branch to `fail` if `got`, the result of a conversion, is -1 and an exception is set."""
        b = self.b
        with b.when(got.eq(-1), rare=True):
            b.need(b.call("ptr", "PyErr_Occurred").eq(0), "fail")

    # ---- scalars
    def _scalar(self, k: Value) -> None:
        b = self.b
        kind, source = (word(b, self.part("scalars"), 2 * k + i) for i in range(2))
        number = word(b, self.args, self.plan["n_args"] * 2 + source, "ptr")
        slot = b.gep(self.scalars, k * SLOT)
        with b.when(kind.eq(KINDS["bool"])):
            truth = b.cast("sext", b.call("i32", "PyObject_IsTrue", number), "i64")
            self._fail_if_minus_one(truth)
            store_word(b, truth, slot, 0)
        with b.when(kind.eq(KINDS["int"])):
            whole = b.call("i64", "PyLong_AsUnsignedLongLongMask", number)
            self._fail_if_minus_one(whole)
            store_word(b, whole, slot, 0)
        with b.when(kind.eq(KINDS["float"])):
            self._real(b.call("double", "PyFloat_AsDouble", number), slot)
        with b.when(kind.eq(KINDS["complex"])):
            self._real(b.call("double", "PyComplex_RealAsDouble", number), slot)
            self._real(b.call("double", "PyComplex_ImagAsDouble", number), b.gep(slot, 8))

    def _real(self, x: Value, slot: Value) -> None:
        self._fail_if_minus_one(x)
        self.b.store(x, slot, 8)

    # ---- work
    def _run(self) -> None:
        b = self.b
        released = self.plan["nanoseconds"] > LOCK_COST
        with b.when(released):
            b.store(b.call("ptr", "PyEval_SaveThread"), self.state, 8)
        failed = b.alloca("i32")
        b.store(b.const("i32", 0), failed, 4)
        pool, interruptible = self.plan["pool"], self.plan["interruptible"].ne(0)
        with b.loop(0, self.plan["n_tasks"]) as k, b.when(b.load("i32", failed, 4).eq(0)):
            task = b.gep(self.part("tasks"), k * len(TASK), "i64")
            made = LAUNCH.call(
                b, task=task, bases=self.bases, scalars=self.scalars, scratch=self.scratch, pool=pool, state=self.state,
                interruptible=interruptible,
            )  # fmt: skip
            b.store(made, failed, 4)
        with b.when(released):
            b.call("void", "PyEval_RestoreThread", b.load("ptr", self.state, 8))
        with b.when(b.load("i32", failed, 4).eq(FORKED), rare=True):
            b.call("void", "PyErr_SetString", self.plan["weft_error"], self.plan["forked"])
        b.need(b.load("i32", failed, 4).eq(0), "fail")

    def _give_result(self) -> None:
        b = self.b
        count = self.plan["n_outputs"]
        with b.when(count.eq(0)):
            b.call("void", "Py_IncRef", self.plan["none"])
            b.store(self.plan["none"], self.result, 8)
        with b.when(count > 0):
            made = b.call("ptr", "PyTuple_New", count)
            b.need(made.ne(0), "fail")
            b.store(made, self.result, 8)
            with b.loop(0, count) as k:
                b.call("i32", "PyTuple_SetItem", made, k, word(b, self.outputs, k, "ptr"))

    def _drop_outputs(self) -> None:
        b = self.b
        with b.loop(0, self.plan["n_outputs"]) as k:
            output = word(b, self.outputs, k, "ptr")
            with b.when(output.ne(0)):
                b.call("void", "Py_DecRef", output)
