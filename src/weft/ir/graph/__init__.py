"""Graphs: nodes, their descriptions, the operation table, the rules of a legal graph and its text form."""
