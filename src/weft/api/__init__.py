"""The array-API namespace: a module for each chapter of the standard, each function a few lines over nodes.

The one idea: functions check, infer and build; nothing here computes.
"""
