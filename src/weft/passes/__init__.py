"""Passes: functions from nodes to nodes, or from nodes to plans, each of which can be switched off.

The one idea: no pass may change a value; tests compare the bits with each pass off.
"""
