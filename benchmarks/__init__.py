"""Benchmarks: ratios within one run, with the absolute figures beside them."""
