"""Tests of weft."""
