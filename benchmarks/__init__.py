"""Measurements: ratios between libraries in one run, correctness asserted first."""
