"""Tensors spread over machines: shards are sources that live elsewhere, a sharded tensor is a selection of them.

The one idea: no new kind of tensor; what holds for selections holds for shards.
"""
