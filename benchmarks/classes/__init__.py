"""The rows, a module for each class: `ROWS` is the list."""

NAMES = (
    "elementwise", "reductions", "cached_rows", "layout", "products", "numerics", "small", "alone",
    "selections",
)  # fmt: skip
