"""The base of `Tensor` for type checkers, which find it declared in `tensor_interface.pyi`.

The one idea: operators and methods are installed by the modules that have them, so that the class knows only places,
nodes and values; who reads programs without running them is told of them here.
"""

TensorInterface = object
