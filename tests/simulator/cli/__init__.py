"""Tests of `simulator.cli`."""
