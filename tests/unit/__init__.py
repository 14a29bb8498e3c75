"""Tests of single modules, as the tree of the library has them."""
