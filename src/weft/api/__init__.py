"""The array-API namespace: a module for each chapter of the standard, each function a few lines over nodes.

The one idea: functions check arguments, infer descriptions and build nodes; nothing here computes values.
"""
