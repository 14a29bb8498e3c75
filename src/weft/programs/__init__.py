"""Parts of computations: constants, placeholders and variables, and expressions kept as functions of them."""
