"""Former module names of version 0.1.0, for pickles and imports of that version.

The one idea: `sys.modules` holds a stand-in for each former name, which looks attributes up in the present module.  A
stand-in is no attribute of its package, so that `weft.tensor` stays free.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

FORMER = {
    "api.arranging": "api.numpy.rearranging",
    "api.closeness": "api.numpy.closeness",
    "api.coercion": "api.ensure",
    "api.contraction": "api.numpy.einsum",
    "api.creation": "api.standard.creation_functions",
    "api.curves": "api.numpy.sequences",
    "api.data_types": "api.standard.data_type_functions",
    "api.elementwise": "api.standard.elementwise_functions",
    "api.factorisations": "api.standard.factorisations",
    "api.indexing": "api.standard.indexing_functions",
    "api.info": "api.standard.namespace_info",
    "api.linear_algebra": "api.standard.linear_algebra_functions",
    "api.manipulation": "api.standard.manipulation_functions",
    "api.matrices": "api.standard.matrices",
    "api.nan_reductions": "api.numpy.nan_reductions",
    "api.norms": "api.standard.norms",
    "api.overlap": "api.storages.overlap",
    "api.padding": "api.numpy.padding",
    "api.quantiles": "api.numpy.quantiles",
    "api.ranges": "api.standard.ranges",
    "api.samples": "api.numpy.statistics",
    "api.searching": "api.standard.searching_functions",
    "api.sets": "api.standard.set_functions",
    "api.shapes": "api.numpy.shapes",
    "api.sorting": "api.standard.sorting_functions",
    "api.splitting": "api.numpy.splitting",
    "api.statistical": "api.standard.statistical_functions",
    "api.storage": "api.storages.storage",
    "api.storage_creation": "api.storages.storage_creation",
    "assigning": "api.assigning",
    "computations": "programs.computation",
    "config": "settings",
    "explanation": "inspect.explain",
    "index_object": "tensors.index_object",
    "ir.domain": "ir.graph.domain",
    "kinds": "programs.kinds",
    "math_modes": "modes.math_modes",
    "ocean.arithmetic": "ocean.operations",
    "ocean.making": "ocean.constructors",
    "ocean.settings": "ocean.ocean_settings",
    "passes.config": "passes.switches",
    "runtime.allocator": "runtime.memory.allocator",
    "runtime.device": "runtime.devices.device",
    "runtime.mapping": "runtime.memory.mapping",
    "runtime.profile": "runtime.compute.profile",
    "runtime.races": "runtime.devices.races",
    "runtime.stream": "runtime.devices.stream",
    "runtime.tables": "runtime.compute.function_tables",
    "seeing": "inspect.text",
    "sources.save": "sources.write.save",
    "strictness": "modes.strict",
    "tensor": "tensors.tensor",
}


class FormerModule(ModuleType):
    """A stand-in for a module under a former name, with the attributes of the present module."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") and not name.startswith("__array_"):  # requested by tools that scan sys.modules
            raise AttributeError(f"former module {self.__name__}: no attribute {name}")
        home, package = f"weft.{FORMER[self.__name__.removeprefix('weft.')]}", sys.modules["weft"]
        is_public = package._LATER.get(name) == home  # a public function is completed when the package gives it
        return getattr(package if is_public else import_module(home), name)


def register_former_modules() -> None:
    """Put a stand-in for each former name into `sys.modules`."""
    for name in FORMER:
        sys.modules.setdefault(f"weft.{name}", FormerModule(f"weft.{name}"))
